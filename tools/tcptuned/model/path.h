/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is measured of one path. The algorithm is described in path.c.
 */
#ifndef TCPTUNED_PATH_H
#define TCPTUNED_PATH_H

#include "minmax.h"

/**
 * struct path_counts - counters of a connection, as of the last snapshot
 * @bytes: as in struct tt_conn
 * @busy_us: as in struct tt_conn
 * @rwnd_limited_us: as in struct tt_conn
 * @sndbuf_limited_us: as in struct tt_conn
 */
struct path_counts {
	u64	bytes[TT_DIRS];
	u64	busy_us;
	u64	rwnd_limited_us;
	u64	sndbuf_limited_us;
};

/**
 * struct path_snap - what is compared within a snapshot
 * @most_bytes: of the connection that moved most, both directions
 * @longest_us: time with something to send, of the busiest connection
 * @rcv_window_bytes: that the connections which moved data offer, sum
 * @read_ahead_bytes: that a reader on this path has; 0 if it has no mount
 * @moved: data moved
 */
struct path_snap {
	u64	most_bytes;
	u64	longest_us;
	u64	rcv_window_bytes;
	u64	read_ahead_bytes;
	bool	moved;
};

/**
 * struct path_span - what happened in one snapshot or several
 * @us: how long it took
 * @bytes: payload that moved
 * @most_bytes: as in struct path_snap, sum
 * @quick_bytes: payload that would have been sent at TCP's delivery rate
 * @busy_us: time with something to send, sum of the connections
 * @longest_us: as in struct path_snap, sum
 * @rwnd_us: time that waited for the peer's window, sum
 * @sndbuf_us: time that waited for the send buffer, sum
 * @pressed: some connection had always something to send
 * @rcv_window_bytes: as in struct path_snap, the largest
 * @read_ahead_bytes: as in struct path_snap, the last
 * @rtt_us: smallest RTT, 0 if there is none
 * @smooth_us: smallest of the smoothed RTTs, 0 if there is none
 */
struct path_span {
	u64	us;
	u64	bytes[TT_DIRS];
	u64	most_bytes;
	u64	quick_bytes;
	u64	busy_us;
	u64	longest_us;
	u64	rwnd_us;
	u64	sndbuf_us;
	bool	pressed;
	u64	rcv_window_bytes;
	u64	read_ahead_bytes;
	u32	rtt_us;
	u32	smooth_us;
};

/**
 * struct path_dir - what is remembered of one direction
 * @best: the largest rates
 * @last_bps: the rate before this one
 * @demand_us: the clock of @best, which stands while nobody wants more
 * @flat_bps: the largest rate when it rose last
 * @flat_us: time at about that rate since then
 * @slow_us: time below it although the window is used up
 * @probe_bps: rate before the window was stretched, 0 if it is not being tried
 * @probe_us: time since then
 * @stretch: how much longer the round trip seems to be than its minimum
 * @stretched_us: the minimum when that was found
 */
struct path_dir {
	struct minmax	best;
	u64		last_bps;
	u64		demand_us;
	u64		flat_bps;
	u64		flat_us;
	u64		slow_us;
	u64		probe_bps;
	u64		probe_us;
	u32		stretch;
	u32		stretched_us;
};

/**
 * struct path_link - whether a link's rate can be what it is said to be
 * @said_bps: the rate that was compared
 * @times: how often in a row the path was faster than that
 */
struct path_link {
	u64		said_bps;
	u32		times;
};

/**
 * struct path - all that is known of a path
 * @pub: what others see
 * @rtt: the smallest RTTs
 * @dirs: both directions
 * @link: what is held against @pub's link
 * @snap: of this snapshot
 * @span: since the last rate was worked out
 * @start_us: when @span began
 * @moved_us: when data moved last; 0 for never
 */
struct path {
	struct tt_path	pub;
	struct minmax	rtt;
	struct path_dir	dirs[TT_DIRS];
	struct path_link link;
	struct path_snap snap;
	struct path_span span;
	u64		start_us;
	u64		moved_us;
};

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

/* A rate in payload bits per second, at most PATH_RATE_MAX_BPS. */
u64 path_rate(u64 bytes, u64 us);

/* Its inverse. */
u64 path_bytes(u64 bps, u64 us);

/* The round trip that counts, not longer than is believed; 0: unknown. */
u64 path_rtt(const struct path *path);

/* window.c: the window of a direction, after its rate was measured. */
void window_update(struct path *path, enum tt_dir dir, u64 now_bps);

/* limit.c: what kept the direction from being faster in this span. */
enum tt_limit path_limit(const struct path *path, enum tt_dir dir,
			 u64 now_bps);

/*
 * Bounds. A rate of 10^12 times an RTT of 10^6 us is 10^18, so that the
 * products of both fit into 64 bits eighteen times.
 */
#define PATH_RATE_MAX_BPS	1000000000000ULL

/*
 * The longest round trip that counts: a geostationary satellite takes 0.6 s. A
 * peer that sends its ACKs late, to look farther away and be given more, gets
 * less per second the longer it waits, and beyond this bound no more for it.
 */
#define PATH_RTT_MAX_US		1000000U

/* Less in flight than this is requests and small replies: no rate to learn. */
#define PATH_PROOF_BYTES	65536

#endif /* TCPTUNED_PATH_H */
