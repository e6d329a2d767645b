/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One path: what its connections tell, made into rates and windows.
 */
#ifndef TCPTUNED_PATH_H
#define TCPTUNED_PATH_H

#include "state.h"

/* The counters of a connection. */
struct path_counts path_counts(const struct tt_conn *conn);

/* A path to @peer of which nothing is known. */
void path_init(struct path *path, enum tt_role role,
	       const struct tt_addr *peer, u64 now_us);

/* Takes @rtt_us and @best_bps of an earlier run for what they are. */
void path_learn(struct path *path, const struct tt_path *learned);

/**
 * path_set_link - say what carries the packets to the peer
 * @path: the path
 * @link: as the kernel tells; its rate is unknown once the path has outrun it
 */
void path_set_link(struct path *path, const struct tt_link *link);

/* Before the connections of a snapshot. */
void path_begin(struct path *path);

/**
 * path_conn - take in a connection of the path
 * @path: the path
 * @conn: the connection
 * @before: its counters in the snapshot before, NULL if it was not there: what
 *	it moved until now may be of any time and does not count
 * @dt_us: time between the two snapshots
 */
void path_conn(struct path *path, const struct tt_conn *conn,
	       const struct path_counts *before, u64 dt_us);

/* After the connections of a snapshot. */
void path_end(struct path *path, u64 now_us);

#endif /* TCPTUNED_PATH_H */
