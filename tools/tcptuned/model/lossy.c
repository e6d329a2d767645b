// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a path loses at random.
 *
 * It is the rule of the kernel (net/sunrpc/tcpbuf_lossy_rule.c), which goes by
 * it for each connection; here it says whether the kernel is to be asked. Of
 * LOSSY_MIN_SEGS packets some were sent again, and all that time the round trip
 * was the shortest. Whenever a queue shows, counting starts anew, after the
 * flights that may have overflowed it. The kernel looks at each message, and
 * this at each poll, so the kernel sees queues that this does not.
 */
#include "lossy.h"

/* Fewer say nothing about the share that is lost; of more the first are old. */
#define LOSSY_MIN_SEGS		10000
#define LOSSY_MAX_SEGS		1000000

/* The share that matters, and the packets: one may be a tail loss probe. */
#define LOSSY_MIN_SHARE		100000
#define LOSSY_MIN_RESENT	2

/* A queue shows by this part of the shortest round trip. */
#define LOSSY_QUEUE		20
#define LOSSY_QUEUE_FLIGHTS	2

struct lossy_counts lossy_start(const struct tt_conn *conn)
{
	return (struct lossy_counts) { conn->sent_segs, conn->resent_segs };
}

static bool lossy_has_queue(const struct tt_conn *conn)
{
	return !conn->min_rtt_us ||
	       conn->rtt_us > conn->min_rtt_us + conn->min_rtt_us / LOSSY_QUEUE;
}

u32 lossy_ppm(struct lossy_counts *counts, const struct tt_conn *conn)
{
	int segs = conn->sent_segs - counts->segs;
	u32 resent = conn->resent_segs - counts->resent;

	if (lossy_has_queue(conn) || segs > LOSSY_MAX_SEGS ||
	    segs < -LOSSY_MAX_SEGS) {
		segs = -(int)min_u64(LOSSY_QUEUE_FLIGHTS * conn->cwnd_segs,
				     LOSSY_MAX_SEGS);
		counts->segs = conn->sent_segs - segs;
	}
	if (segs < 0) {
		counts->resent = conn->resent_segs;
		return 0;
	}
	if (segs < LOSSY_MIN_SEGS || resent < LOSSY_MIN_RESENT ||
	    resent <= (u32)segs / LOSSY_MIN_SHARE)
		return 0;
	return 1000000ULL * min_u64(resent, segs) / segs;
}
