// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the path of a connection loses at random: TCP's counters in, an
 * answer out. No socket, no lock, no clock; tests/tcpbuf_lossy_kunit.c tries
 * both questions. Everything is counted in segments that were sent.
 *
 *  - Before the change: of LOSSY_MIN_SEGS segments or more, some were sent
 *    again, and all that time the round trip was the path's shortest. A queue
 *    shows in the round trip before it overflows. Whenever it shows, counting
 *    starts anew, after the flights that may have overflowed it.
 *  - After the change: a sender that displaces others makes a short queue
 *    overflow, and a long one stand. The answer is to go back when, for some
 *    time, more than LOSSY_WORSE times the share is sent again that was before,
 *    or when the round trip stays a quarter above the shortest.
 */
#include <kunit/visibility.h>

#include <linux/limits.h>
#include <linux/minmax.h>

#include "tcpbuf_lossy.h"

/* Fewer say nothing about the share that is lost. */
#define LOSSY_MIN_SEGS		10000

/* When so many have given no answer, the first of them are history. */
#define LOSSY_MAX_SEGS		1000000

/* The share that matters: one in so many segments. */
#define LOSSY_MIN_SHARE		100000

/* A single one may be that of a tail loss probe. */
#define LOSSY_MIN_RETRANS	2

/* How many times the share may become, and after how many too many. */
#define LOSSY_WORSE		4
#define LOSSY_TOO_MANY		16

/* A queue is seen when the round trip is longer by this part of the shortest. */
#define LOSSY_QUEUE		20
#define LOSSY_LONG_QUEUE	4

/* Flights after a queue was seen that may have lost by it. */
#define LOSSY_QUEUE_FLIGHTS	2

/*
 * Flights that an algorithm gets to find the path's rate. For as many a long
 * queue may stand; BBR makes one for a round trip in eight, to probe.
 */
#define LOSSY_FLIGHTS		16

static bool rpc_tcpbuf_lossy_has_queue(const struct rpc_tcpbuf_sample *now,
				       u32 part)
{
	return now->srtt_us > now->min_rtt_us &&
	       now->srtt_us - now->min_rtt_us > now->min_rtt_us / part;
}

/**
 * rpc_tcpbuf_lossy_is_random - whether the path loses, and not by a queue
 * @counts: of the connection; zeroes at the first look, when counting begins
 * @now: TCP's numbers
 *
 * When the answer is yes, @counts are made ready for
 * rpc_tcpbuf_lossy_is_worse().
 *
 * Returns: true if another algorithm is worth a try
 */
bool rpc_tcpbuf_lossy_is_random(struct rpc_tcpbuf_counts *counts,
				const struct rpc_tcpbuf_sample *now)
{
	s32 segs = now->segs - counts->segs;
	u32 retrans = now->retrans - counts->retrans;

	/* Nobody looked at the queue while it lost what it did before. */
	if (!counts->started) {
		counts->started = true;
		counts->segs = now->segs;
		counts->retrans = now->retrans;
		return false;
	}
	if (now->min_rtt_us == U32_MAX ||
	    rpc_tcpbuf_lossy_has_queue(now, LOSSY_QUEUE) ||
	    segs > LOSSY_MAX_SEGS || segs < -LOSSY_MAX_SEGS) {
		segs = -min_t(u32, LOSSY_QUEUE_FLIGHTS * now->cwnd,
			      LOSSY_MAX_SEGS);
		counts->segs = now->segs - segs;
	}
	if (segs < 0) {
		counts->retrans = now->retrans;
		return false;
	}
	if (segs < LOSSY_MIN_SEGS || retrans < LOSSY_MIN_RETRANS ||
	    retrans <= segs / LOSSY_MIN_SHARE)
		return false;
	*counts = (struct rpc_tcpbuf_counts) {
		.segs		= now->segs,
		.retrans	= now->retrans,
		.changed_segs	= now->segs,
		.allowed_segs	= segs / (LOSSY_WORSE * retrans),
	};
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_lossy_is_random);

/**
 * rpc_tcpbuf_lossy_is_worse - whether the algorithm harms the path
 * @counts: of the connection since it was changed
 * @now: TCP's numbers
 *
 * A leaky bucket: each segment that is sent again adds the number of segments
 * that may have one, each segment that is sent takes one away.
 *
 * Returns: true if the connection should go back
 */
bool rpc_tcpbuf_lossy_is_worse(struct rpc_tcpbuf_counts *counts,
			       const struct rpc_tcpbuf_sample *now)
{
	u64 level = counts->level_segs +
		    (u64)(now->retrans - counts->retrans) * counts->allowed_segs;
	u32 sent = now->segs - counts->segs;
	u32 some;

	counts->segs = now->segs;
	counts->retrans = now->retrans;
	counts->max_cwnd = max(counts->max_cwnd, now->cwnd);
	some = LOSSY_FLIGHTS * counts->max_cwnd;

	if (!counts->settled) {
		counts->settled = now->segs - counts->changed_segs >= some;
		counts->queue_segs = now->segs;
		return false;
	}
	counts->level_segs = level - min_t(u64, level, sent);
	if (!rpc_tcpbuf_lossy_has_queue(now, LOSSY_LONG_QUEUE))
		counts->queue_segs = now->segs;
	return counts->level_segs > (u64)LOSSY_TOO_MANY * counts->allowed_segs ||
	       now->segs - counts->queue_segs >= some;
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_lossy_is_worse);
