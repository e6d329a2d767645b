/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connections of the last snapshots, to be found by their cookie.
 */
#ifndef TCPTUNED_SEEN_H
#define TCPTUNED_SEEN_H

#include "state.h"

/**
 * struct seen_conn - a connection as it was seen
 * @cookie: the kernel's name for it
 * @path: where it leads; NULL in a slot that is free
 * @counts: its counters
 * @poll: when it was seen last
 */
struct seen_conn {
	u64			cookie;
	struct path		*path;
	struct path_counts	counts;
	u32			poll;
};

/**
 * struct seen - an open hash table
 * @slots: zeroed when free
 * @room: number of them, a power of two, or 0
 * @used: number of them that are not free
 * @poll: number of snapshots so far
 *
 * All of it is zero in the beginning.
 */
struct seen {
	struct seen_conn	*slots;
	size_t			room;
	size_t			used;
	u32			poll;
};

/* Another snapshot begins; what is not in it may be forgotten after it. */
void seen_begin(struct seen *seen);

/**
 * seen_slot - the slot of a connection of this snapshot
 * @seen: the table
 * @cookie: which connection
 *
 * Returns: the slot, until the next call, with what was known of the
 *	connection; its path is NULL if that is nothing, and the caller's to
 *	set. NULL if there is no memory.
 */
struct seen_conn *seen_slot(struct seen *seen, u64 cookie);

void seen_free(struct seen *seen);

#endif /* TCPTUNED_SEEN_H */
