/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is measured of one path. The algorithm is described in path.c.
 */
#ifndef TCPTUNED_MODEL_STATE_H
#define TCPTUNED_MODEL_STATE_H

#include "minmax.h"

/*
 * The longest round trip that counts: a geostationary satellite takes 0.6 s. A
 * peer that sends its ACKs late, to look farther away and be given more, gets
 * less per second the longer it waits, and beyond this bound no more for it.
 */
#define PATH_RTT_MAX_US		1000000U

/* Less in flight than this is requests and small replies: no rate to learn. */
#define PATH_PROOF_BYTES	65536

/* Counters of a connection, as of the last snapshot. */
struct path_counts {
	u64	bytes[TT_DIRS];			/* as in struct tt_conn */
	u64	busy_us;			/* as in struct tt_conn */
	u64	rwnd_limited_us;		/* as in struct tt_conn */
	u64	sndbuf_limited_us;		/* as in struct tt_conn */
};

/* Where counting of a connection's packets began, see lossy.c. */
struct lossy_counts {
	u32	segs;				/* sent by then */
	u32	resent;				/* sent again by then */
};

/**
 * struct path_sample - what is compared within a snapshot
 * @most_bytes: of the connection that moved most, both directions
 * @longest_us: time with something to send, of the busiest connection
 * @rcv_window_bytes: that the connections which moved data offer, sum
 * @read_ahead_bytes: that a reader on this path has; 0 if it has no mount
 * @scale_kib: that these connections could offer by their window scale, sum
 * @moved: data moved
 */
struct path_sample {
	u64	most_bytes;
	u64	longest_us;
	u64	rcv_window_bytes;
	u64	read_ahead_bytes;
	u32	scale_kib;
	bool	moved;
};

/**
 * struct path_span - what happened in one snapshot or several
 * @us: how long it took
 * @bytes: payload that moved
 * @most_bytes: as in struct path_sample, sum
 * @quick_bytes: payload that would have been sent at TCP's delivery rate
 * @busy_us: time with something to send, sum of the connections
 * @longest_us: as in struct path_sample, sum
 * @rwnd_us: time that waited for the peer's window, sum
 * @sndbuf_us: time that waited for the send buffer, sum
 * @pressed: some connection had always something to send
 * @scale_kib: as in struct path_sample, the largest
 * @rcv_window_bytes: as in struct path_sample, the largest
 * @read_ahead_bytes: as in struct path_sample, the last
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
	u32	scale_kib;
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

/* All that is known of a path. */
struct path {
	struct tt_path	pub;		/* what others see */
	struct minmax	rtt;		/* the smallest RTTs */
	struct path_dir	dirs[TT_DIRS];	/* both directions */
	struct path_link link;		/* what is held against @pub's link */
	struct path_sample sample;	/* of this snapshot */
	struct path_span span;		/* since the last rate was worked out */
	u64		start_us;	/* when @span began */
	u64		moved_us;	/* when data moved last; 0 for never */
};

/* The round trip that counts, not longer than is believed; 0: unknown. */
static inline u64 path_rtt(const struct path *path)
{
	return min_u64(path->pub.rtt_us, PATH_RTT_MAX_US);
}

#endif /* TCPTUNED_MODEL_STATE_H */
