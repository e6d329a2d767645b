// SPDX-License-Identifier: GPL-2.0
/*
 * What a path needs.
 *
 * A path is the way to one peer in one role. TCP carries a window per round
 * trip, so to run at a rate a path needs a window of rate x RTT, the
 * bandwidth-delay product (BDP). Both factors are measured:
 *
 *   RTT   = smallest of all connections in PATH_RTT_WINDOW_US
 *   best  = largest rate in PATH_BEST_WINDOW_US of demand
 *
 *   window = 2 x min(link, best x gain) x RTT x stretch
 *
 * Twice, because what is in flight is half of it: TCP keeps what was sent until
 * it is acknowledged, and a writer that found the buffer full is woken only
 * when a third of it is free (sk_stream_write_space()); a receiver offers twice
 * of what was taken in the last round trip (tcp_rcvbuf_grow()).
 *
 * gain is how the window grows, like slow start. A window of twice what is
 * achieved lets the path double, the next measurement shows that it did, and
 * the window doubles. Measurements are a second apart, many round trips; so
 * gain is 2 as long as the window is what limits and the rate still rises, and
 * 1 when it has been flat for long enough (window.c). So the window never
 * exceeds 4 BDP of what the path was seen to carry, and settles on 2, whatever
 * the link claims: a link's rate is only an upper bound, and not even that when
 * the path has outrun it: a veth or a virtual card names some rate, whatever it
 * carries. Values cannot be changed as often as that, so there is reach besides
 * (window.c): how far the path may come meanwhile.
 *
 * best is a maximum over the time in which the application wanted more. A path
 * that is idle, or whose application sends a trickle, learns nothing about what
 * it can carry, so the clock stands and the window remains for the next burst.
 *
 * stretch is for a path that became longer: see window.c.
 *
 * While the path is loaded, a longer RTT is not believed: TCP's own minimum is
 * that of five minutes, and a queue can stand longer than that. To take it for
 * path would feed it.
 *
 * A rate is measured over four round trips at least: when a lost packet
 * arrives at last, all that came after it is counted in one moment, a window's
 * worth, and over four round trips that is bearable. Once the path is proven
 * there is no hurry, and the mean of two such rates counts: the moment before,
 * in which nothing was counted, makes up for it.
 */
#include "path.h"

#include <stdint.h>

#include "../bdp.h"
#include "limit.h"
#include "window.h"

#define PATH_SPAN_US		200000
#define PATH_SPAN_RTTS		4

/* "Values follow within a minute" needs less; bursts are seconds apart. */
#define PATH_RTT_WINDOW_US	30000000ULL
#define PATH_BEST_WINDOW_US	30000000ULL

/*
 * Payload is less than what a link carries, so a path that moves an eighth more
 * shows that the link's rate is wrong; but a single measurement may count what
 * a lost packet had held back.
 */
#define PATH_OUTRUN_SHIFT	3
#define PATH_OUTRUN_TIMES	3

/* The largest window of a connection with a window scale of 0, rounded up. */
#define PATH_UNSCALED_KIB	64U

/* Requests and acknowledgments of what flows the other way are below 1/64. */
#define PATH_ECHO_SHIFT		6

/*
 * How far TCP's delivery rate may exceed what was counted. The last sample that
 * filled the window stays in tcp_info however old it is, so a trickle after a
 * burst must not pass for another one.
 */
#define PATH_QUICK_MAX		4

/* 0 is "no sample". */
static u32 path_min_rtt(u32 a, u32 b)
{
	if (!a || !b)
		return a ? a : b;
	return a < b ? a : b;
}

/* Counters of a connection never fall; if they do, it is another one. */
static u64 path_delta(u64 now, u64 before)
{
	return now > before ? now - before : 0;
}

/* Returns: whether data moved. */
static bool path_count(struct path *path, const struct tt_conn *conn,
		       const struct path_counts *before, u64 dt_us)
{
	u64 out = path_delta(conn->bytes[TT_OUT], before->bytes[TT_OUT]);
	u64 in = path_delta(conn->bytes[TT_IN], before->bytes[TT_IN]);
	u64 busy_us = path_delta(conn->busy_us, before->busy_us);
	struct path_sample *sample = &path->sample;
	struct path_span *span = &path->span;
	u64 quick = 0;

	if (!out && !in)
		return false;
	if (!conn->delivery_app_limited)
		quick = min_u64(bdp_bytes(conn->delivery_bps, dt_us),
				PATH_QUICK_MAX * out);
	span->bytes[TT_OUT] += out;
	span->bytes[TT_IN] += in;
	span->quick_bytes += max_u64(out, quick);
	span->pressed |= out && !conn->delivery_app_limited;
	span->busy_us += busy_us;
	span->rwnd_us +=
		path_delta(conn->rwnd_limited_us, before->rwnd_limited_us);
	span->sndbuf_us += path_delta(conn->sndbuf_limited_us,
				      before->sndbuf_limited_us);
	span->smooth_us = path_min_rtt(span->smooth_us,
				       path_min_rtt(conn->rtt_us,
						    conn->rcv_rtt_us));
	sample->moved = true;
	sample->most_bytes = max_u64(sample->most_bytes, out + in);
	sample->longest_us = max_u64(sample->longest_us, busy_us);
	sample->rcv_window_bytes += conn->rcv_wnd_bytes ?
				  conn->rcv_wnd_bytes : conn->rcvbuf_bytes / 2;
	sample->scale_kib += PATH_UNSCALED_KIB << conn->wscale[TT_IN];
	return true;
}

/*
 * TCP's own minimum, if it has one: both ends of NFS send something. What a
 * receiver estimates is too long when it reads slowly.
 */
static u32 path_conn_rtt(const struct tt_conn *conn)
{
	if (conn->min_rtt_us)
		return conn->min_rtt_us;
	return path_min_rtt(conn->rtt_us, conn->rcv_rtt_us);
}

struct path_counts path_counts(const struct tt_conn *conn)
{
	return (struct path_counts) {
		.bytes = { conn->bytes[TT_OUT], conn->bytes[TT_IN] },
		.busy_us = conn->busy_us,
		.rwnd_limited_us = conn->rwnd_limited_us,
		.sndbuf_limited_us = conn->sndbuf_limited_us,
	};
}

void path_init(struct path *path, enum tt_role role,
	       const struct tt_addr *peer, u64 now_us)
{
	*path = (struct path) {
		.pub = { .role = role, .peer = *peer },
		.dirs = { { .stretch = 1 }, { .stretch = 1 } },
		.start_us = now_us,
	};
}

void path_learn(struct path *path, const struct tt_path *learned)
{
	path->pub.learned = true;
	path->pub.rtt_us = learned->rtt_us;
	for (int dir = 0; dir < TT_DIRS; dir++)
		window_learn(path, dir, learned->best_bps[dir]);
}

void path_set_link(struct path *path, const struct tt_link *link)
{
	if (path->link.said_bps != link->rate_bps)
		path->link = (struct path_link) { link->rate_bps, 0 };
	path->pub.link = *link;
	/* The administrator's word stands, whatever is measured. */
	if (link->source == TT_LINK_CONF ||
	    path->link.times < PATH_OUTRUN_TIMES)
		return;
	path->pub.link.rate_bps = 0;
	path->pub.link.source = TT_LINK_OUTRUN;
}

static void path_judge_link(struct path *path)
{
	const u64 *now_bps = path->pub.now_bps;
	u64 link_bps = path->pub.link.rate_bps;

	if (!link_bps || path->pub.link.source == TT_LINK_CONF)
		return;
	if (max_u64(now_bps[TT_OUT], now_bps[TT_IN]) >
	    link_bps + (link_bps >> PATH_OUTRUN_SHIFT))
		path->link.times++;
	else
		path->link.times = 0;
}

void path_begin(struct path *path)
{
	path->sample = (struct path_sample) { .moved = false };
	path->pub.nconns = 0;
	path->pub.buffer_bytes[TT_OUT] = 0;
	path->pub.buffer_bytes[TT_IN] = 0;
}

void path_conn(struct path *path, const struct tt_conn *conn,
	       const struct path_counts *before, u64 dt_us)
{
	bool moved = false;

	path->pub.nconns++;
	path->pub.buffer_bytes[TT_OUT] += conn->sndbuf_bytes;
	path->pub.buffer_bytes[TT_IN] += conn->rcvbuf_bytes;
	if (before)
		moved = path_count(path, conn, before, dt_us);
	/* What TCP says of a connection that is idle is old. */
	if (moved || path->pub.learned || !path->pub.rtt_us)
		path->span.rtt_us = path_min_rtt(path->span.rtt_us,
						 path_conn_rtt(conn));
}

/* Add what is compared within a snapshot to the span. */
static void path_fold(struct path *path)
{
	const struct path_sample *sample = &path->sample;
	struct path_span *span = &path->span;

	span->most_bytes += sample->most_bytes;
	span->longest_us += sample->longest_us;
	span->rcv_window_bytes = max_u64(span->rcv_window_bytes,
					 sample->rcv_window_bytes);
	span->scale_kib = max_u64(span->scale_kib, sample->scale_kib);
	span->read_ahead_bytes = sample->read_ahead_bytes;
}

/* Whether so much is under way that a queue may stand. */
static bool path_is_loaded(const struct path *path)
{
	for (int dir = 0; dir < TT_DIRS; dir++) {
		u64 now_bps = path->pub.now_bps[dir];

		if (now_bps >= path->pub.best_bps[dir] / 2 &&
		    bdp_bytes(now_bps, path->span.smooth_us) >=
		    PATH_PROOF_BYTES)
			return true;
	}
	return false;
}

static void path_measure_rtt(struct path *path, u64 now_us)
{
	u32 rtt_us = path->span.rtt_us;

	if (!rtt_us)
		return;
	if (path->pub.learned)
		path->rtt.filled = false;
	path->pub.learned = false;
	/* A queue that stands for minutes is no longer path. */
	if (path->rtt.filled && rtt_us > path->pub.rtt_us &&
	    path_is_loaded(path) && path->dirs[TT_OUT].stretch == 1 &&
	    path->dirs[TT_IN].stretch == 1)
		rtt_us = path->pub.rtt_us;
	path->pub.rtt_us = minmax_min(&path->rtt, PATH_RTT_WINDOW_US, now_us,
				      rtt_us);
}

/* Whether the direction only answers to what flows the other way. */
static bool path_is_echo(const struct path_span *span, enum tt_dir dir)
{
	return span->bytes[dir] <= span->bytes[!dir] >> PATH_ECHO_SHIFT;
}

/* Whether a rate says something of the path, and not of who uses it. */
static bool path_is_demand(const struct path *path, enum tt_dir dir,
			   u64 now_bps)
{
	enum tt_limit limit = path->pub.limit[dir];

	if (limit == TT_LIMIT_APPLICATION && dir == TT_OUT)
		return false;
	/* A receiver cannot be sure that nobody asked for more. */
	if (limit == TT_LIMIT_APPLICATION)
		return now_bps >= path->pub.best_bps[dir] / 16;
	return true;
}

static void path_measure_best(struct path *path, enum tt_dir dir, u64 now_bps)
{
	struct path_dir *d = &path->dirs[dir];
	u64 bps = now_bps;

	if (path_is_echo(&path->span, dir))
		return;
	if (path_is_demand(path, dir, now_bps))
		d->demand_us += path->span.us;
	if (path->pub.proven[dir])
		bps = (now_bps + d->last_bps) / 2;
	else if (dir == TT_OUT)
		bps = max_u64(bps, bdp_rate(path->span.quick_bytes,
					    path->span.us));
	d->last_bps = now_bps;
	if (path->pub.link.rate_bps)
		bps = min_u64(bps, path->pub.link.rate_bps);
	path->pub.best_bps[dir] = minmax_max(&d->best, PATH_BEST_WINDOW_US,
					     d->demand_us, bps);
}

/*
 * The share of the busiest connection. What is measured counts a quarter, so
 * that a pause of one of several is not taken for the end of its work.
 */
static void path_measure_share(struct path *path)
{
	double all = (double)path->span.bytes[TT_OUT] +
		     (double)path->span.bytes[TT_IN];
	double share;

	if (all < PATH_PROOF_BYTES)
		return;
	share = 100 * (double)path->span.most_bytes / all;
	if (path->pub.share_percent)
		share = (share + 3 * path->pub.share_percent) / 4;
	/* Rounded up: rather too large than too small. */
	path->pub.share_percent = share < 99 ? share + 1 : 100;
}

/*
 * How long the windows have been as large as their scales allow, and full: over
 * the shortest round trip, because over a longer one a queue would be counted.
 */
static void path_measure_scale(struct path *path)
{
	const struct path_span *span = &path->span;
	u64 flight = bdp_bytes(path->pub.now_bps[TT_IN], path_rtt(path));
	u64 scale_bytes = 1024ULL * span->scale_kib;

	if (scale_bytes && flight >= scale_bytes / 8 * 7 &&
	    span->rcv_window_bytes >= scale_bytes / 16 * 15)
		path->pub.scaled_us = min_u64(path->pub.scaled_us + span->us,
					      UINT32_MAX);
	else
		path->pub.scaled_us = 0;
}

static void path_update_dir(struct path *path, enum tt_dir dir)
{
	u64 now_bps = path->pub.now_bps[dir];

	path->pub.limit[dir] = limit_find(path, dir, now_bps);
	path_measure_best(path, dir, now_bps);
	window_update(path, dir, now_bps);
}

void path_end(struct path *path, u64 now_us)
{
	if (path->pub.nconns)
		path->pub.seen_us = now_us;
	if (path->sample.moved)
		path->moved_us = now_us;
	path_fold(path);
	path->span.us = now_us - path->start_us;
	if (path->span.us < max_u64(PATH_SPAN_US,
				    PATH_SPAN_RTTS * path_rtt(path)))
		return;
	for (int dir = 0; dir < TT_DIRS; dir++)
		path->pub.now_bps[dir] = bdp_rate(path->span.bytes[dir],
						  path->span.us);
	path_judge_link(path);
	path_measure_rtt(path, now_us);
	path_measure_share(path);
	path_measure_scale(path);
	for (int dir = 0; dir < TT_DIRS; dir++)
		path_update_dir(path, dir);
	path->span = (struct path_span) { .us = 0 };
	path->start_us = now_us;
}
