// SPDX-License-Identifier: GPL-2.0
/*
 * What keeps a path from being faster.
 *
 * A sender is told by TCP: tcpi_busy_time is the time with data to send, and
 * tcpi_rwnd_limited and tcpi_sndbuf_limited are its shares that waited for a
 * window or a buffer. A sender that was busy all the time and waited for
 * neither is held by congestion control.
 *
 * A receiver has to guess from bytes in flight = rate x RTT (J. Little, 1961):
 * as many as its window, and the window is the limit; as many as a reader asks
 * for in advance, and it is the read-ahead; fewer, and nobody asks for more,
 * unless the round trip is much longer than it could be, which is a queue.
 */
#include "limit.h"

#include "../bdp.h"

/* Payload is 1448 of 1514 bytes at MTU 1500; less with options or IPv6. */
#define LIMIT_LINK_PERCENT	92

/* Below this, "all the time" includes pauses of an application. */
#define LIMIT_BUSY_PERCENT	80

static enum tt_limit limit_out(const struct path_span *span)
{
	if (span->longest_us < span->us * LIMIT_BUSY_PERCENT / 100)
		return TT_LIMIT_APPLICATION;
	if (span->rwnd_us + span->sndbuf_us >= span->busy_us / 4)
		return span->rwnd_us > span->sndbuf_us ?
		       TT_LIMIT_RWND : TT_LIMIT_SNDBUF;
	return span->pressed ? TT_LIMIT_CONGESTION : TT_LIMIT_APPLICATION;
}

static enum tt_limit limit_in(const struct path_span *span, u32 min_rtt_us,
			      u64 now_bps)
{
	u64 rtt_us = min_u64(span->smooth_us, PATH_RTT_MAX_US);
	u64 flight = bdp_bytes(now_bps, rtt_us);

	/* What is 0 is not known. */
	if (span->rcv_window_bytes &&
	    flight >= span->rcv_window_bytes / 4 * 3)
		return TT_LIMIT_RWND;
	if (span->read_ahead_bytes && flight >= span->read_ahead_bytes / 2 &&
	    flight <= span->read_ahead_bytes / 2 * 5)
		return TT_LIMIT_READ_AHEAD;
	if (rtt_us > min_rtt_us + min_rtt_us / 2)
		return TT_LIMIT_CONGESTION;
	return TT_LIMIT_APPLICATION;
}

enum tt_limit limit_find(const struct path *path, enum tt_dir dir,
			 u64 now_bps)
{
	const struct path_span *span = &path->span;
	u64 link_bps = path->pub.link.rate_bps;

	if (!span->bytes[dir])
		return path->pub.best_bps[dir] ? TT_LIMIT_APPLICATION :
						 TT_LIMIT_UNKNOWN;
	if (link_bps && now_bps >= link_bps / 100 * LIMIT_LINK_PERCENT)
		return TT_LIMIT_LINK;
	if (dir == TT_OUT)
		return limit_out(span);
	return limit_in(span, path->pub.rtt_us, now_bps);
}
