/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SEEN_H
#define TCPTUNED_SEEN_H

#include "state.h"

/* A connection as it was seen. */
struct seen_conn {
	u64			cookie;		/* the kernel's name for it */
	/* where it leads; NULL in a slot that is free */
	struct path		*path;
	struct path_counts	counts;		/* its counters */
	struct lossy_counts	lossy;
	u32			poll;		/* when it was seen last */
};

/* An open hash table. All of it is zero in the beginning. */
struct seen {
	struct seen_conn	*slots;	/* zeroed when free */
	/* number of them, a power of two, or 0 */
	size_t			room;
	size_t			used;	/* number of them that are not free */
	u32			poll;	/* number of snapshots so far */
};

/* Another snapshot begins; what is not in it may be forgotten after it. */
void seen_begin(struct seen *seen);

/*
 * The slot of a connection of this snapshot. Returns: the slot, until the next
 * call, with what was known of the connection; its path is NULL if that is
 * nothing, and the caller's to set. NULL if there is no memory.
 */
struct seen_conn *seen_slot(struct seen *seen, u64 cookie);

void seen_free(struct seen *seen);

#endif /* TCPTUNED_SEEN_H */
