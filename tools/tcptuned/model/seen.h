/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connections of a snapshot, to be found by their cookie in the next one.
 */
#ifndef TCPTUNED_SEEN_H
#define TCPTUNED_SEEN_H

#include "path.h"

/**
 * struct seen_conn - a connection as it was seen
 * @cookie: the kernel's name for it
 * @path: where it leads; NULL in a slot that is free
 * @counts: its counters
 */
struct seen_conn {
	u64			cookie;
	struct path		*path;
	struct path_counts	counts;
};

/**
 * struct seen - an open hash table
 * @slots: zeroed when free
 * @room: number of them, a power of two, or 0
 */
struct seen {
	struct seen_conn	*slots;
	size_t			room;
};

/* An empty table with room for @nconns. Returns: 0 or -ENOMEM */
int seen_init(struct seen *seen, size_t nconns);

/* The slot of a connection, or the free one where it goes; NULL: no room. */
struct seen_conn *seen_slot(const struct seen *seen, u64 cookie);

void seen_free(struct seen *seen);

#endif /* TCPTUNED_SEEN_H */
