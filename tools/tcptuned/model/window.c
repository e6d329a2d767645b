// SPDX-License-Identifier: GPL-2.0
/*
 * The window of a path: whether its rate still rises, and whether its round
 * trip is longer than it seems. See path.c for the formula.
 *
 * stretch is for a path that became longer. TCP keeps its minimum RTT for five
 * minutes (tcp_min_rtt_wlen), so a route of 120 ms in place of one of 30 ms is
 * not seen: the path is slower than it was though its window is used up. The
 * same is seen when the bottleneck became slower and what was too much stands
 * in its queue. Only trying tells: double the window, and if the rate rises, it
 * was the RTT. If not, the path has become slower: best is forgotten. As the
 * sunrpc-tcpbuf gives a connection 4 BDP by TCP's minimum at most, so does
 * this.
 *
 * A value is changed once in WINDOW_HELD_US, here and at the other end. So a
 * rate that is flat proves something only when it was flat for longer, and a
 * value that is raised for a path that rises has to do until the next change:
 * reach is the BDP of its link, enough if the path is as fast. What limits the
 * path is not asked for that: an RPC client that waits for its send buffer was
 * seen to look idle.
 */
#include "window.h"

#include "../bdp.h"

/* Three measurements at the default interval, and slow start's round trips. */
#define WINDOW_FLAT_US		3000000ULL
#define WINDOW_FLAT_RTTS	20

/* A value that was just changed, here or at the other end, waits so long. */
#define WINDOW_HELD_US		10000000ULL

/* As much as sunrpc-tcpbuf gives a connection by TCP's minimum. */
#define WINDOW_STRETCH_MAX	4

/*
 * What a link of unknown rate is taken for while a path rises: this, or what
 * the path reaches when it doubles twice.
 */
#define WINDOW_LINK_BPS		10000000000ULL
#define WINDOW_LINK_BESTS	4

/*
 * Whether more window could be used, here or at the other end. A receiver
 * cannot tell a sender that waits for its own buffer from one that has nothing
 * to send.
 */
static bool window_may_limit(const struct path *path, enum tt_dir dir)
{
	return dir == TT_IN || path->pub.limit[dir] != TT_LIMIT_APPLICATION;
}

/* Whether it is this end's window, which this end can widen. */
static bool window_is_limit(const struct path *path, enum tt_dir dir)
{
	return path->pub.limit[dir] ==
	       (dir == TT_OUT ? TT_LIMIT_SNDBUF : TT_LIMIT_RWND);
}

static u64 window_patience(const struct path *path)
{
	return max_u64(WINDOW_FLAT_US, WINDOW_FLAT_RTTS * path_rtt(path));
}

/* Whether the rate still rises: see WINDOW_FLAT_US. */
static void window_prove(struct path *path, enum tt_dir dir, u64 now_bps)
{
	struct path_dir *d = &path->dirs[dir];
	u64 best_bps = path->pub.best_bps[dir];

	if (best_bps > d->flat_bps + d->flat_bps / 8) {
		d->flat_bps = best_bps;
		d->flat_us = 0;
		path->pub.proven[dir] = false;
		return;
	}
	if (best_bps < d->flat_bps / 2)
		d->flat_bps = best_bps;
	if (now_bps < best_bps / 2 ||
	    bdp_bytes(now_bps, path_rtt(path)) < PATH_PROOF_BYTES)
		return;
	d->flat_us += path->span.us;
	if (d->flat_us >= WINDOW_HELD_US + window_patience(path))
		path->pub.proven[dir] = true;
}

/* Judge a window that was stretched, by the rate since. */
static void window_end_probe(struct path *path, enum tt_dir dir, u64 now_bps)
{
	struct path_dir *d = &path->dirs[dir];

	if (now_bps < d->probe_bps + d->probe_bps / 8) {
		d->stretch /= 2;
		minmax_reset(&d->best, d->demand_us, now_bps);
		path->pub.best_bps[dir] = now_bps;
	}
	d->probe_bps = 0;
	d->slow_us = 0;
}

static void window_probe(struct path *path, enum tt_dir dir, u64 now_bps)
{
	struct path_dir *d = &path->dirs[dir];
	u64 best_bps = path->pub.best_bps[dir];

	if (d->probe_bps) {
		d->probe_us += path->span.us;
		if (d->probe_us >= WINDOW_HELD_US + window_patience(path))
			window_end_probe(path, dir, now_bps);
		return;
	}
	if (!path->pub.proven[dir] || d->stretch >= WINDOW_STRETCH_MAX ||
	    !window_is_limit(path, dir) ||
	    now_bps > best_bps - best_bps / 8) {
		d->slow_us = 0;
		return;
	}
	d->slow_us += path->span.us;
	if (d->slow_us < window_patience(path))
		return;
	d->stretch *= 2;
	d->stretched_us = path->pub.rtt_us;
	d->probe_bps = now_bps;
	d->probe_us = 0;
}

/* A stretch ends when TCP has measured anew, or is seen to be short again. */
static void window_relax(struct path *path, enum tt_dir dir)
{
	struct path_dir *d = &path->dirs[dir];
	u32 rtt_us = path->pub.rtt_us;
	u32 smooth_us = path->span.smooth_us;

	if (d->stretch == 1 || d->probe_bps)
		return;
	if (rtt_us > d->stretched_us + d->stretched_us / 2 ||
	    (smooth_us && smooth_us < rtt_us + rtt_us / 4))
		d->stretch = 1;
}

/* Whether it may soon be faster: not while it rests, nor by small requests. */
static bool window_rises(const struct path *path, enum tt_dir dir, u64 now_bps)
{
	if (path->pub.proven[dir])
		return path->dirs[dir].probe_bps;
	return now_bps >= path->pub.best_bps[dir] / 2 &&
	       bdp_bytes(now_bps, path_rtt(path)) >= PATH_PROOF_BYTES;
}

static u64 window_reach(const struct path *path, enum tt_dir dir, u64 now_bps)
{
	const struct path_dir *d = &path->dirs[dir];
	u64 stretch = d->probe_bps ? WINDOW_STRETCH_MAX : d->stretch;
	u64 link_bps = path->pub.link.rate_bps;

	if (!link_bps)
		link_bps = max_u64(WINDOW_LINK_BPS, WINDOW_LINK_BESTS *
				   path->pub.best_bps[dir]);
	if (window_rises(path, dir, now_bps))
		return stretch * bdp_bytes(link_bps, path_rtt(path));
	return path->pub.proven[dir] ? path->pub.window_bytes[dir] : 0;
}

static void window_set(struct path *path, enum tt_dir dir, u64 now_bps)
{
	struct tt_path *pub = &path->pub;
	u64 link_bps = pub->link.rate_bps;
	u64 bps = pub->best_bps[dir];

	if (!pub->proven[dir] && window_may_limit(path, dir))
		bps *= 2;
	if (link_bps)
		bps = min_u64(bps, link_bps);
	bps = min_u64(bps, BDP_RATE_MAX_BPS);
	pub->window_bytes[dir] = 2 * path->dirs[dir].stretch *
				 bdp_bytes(bps, path_rtt(path));
	pub->reach_bytes[dir] = window_reach(path, dir, now_bps);
}

void window_update(struct path *path, enum tt_dir dir, u64 now_bps)
{
	window_prove(path, dir, now_bps);
	window_probe(path, dir, now_bps);
	window_relax(path, dir);
	window_set(path, dir, now_bps);
}

void window_learn(struct path *path, enum tt_dir dir, u64 best_bps)
{
	u64 bps = min_u64(best_bps, BDP_RATE_MAX_BPS);

	path->pub.best_bps[dir] = bps;
	path->pub.proven[dir] = bdp_bytes(bps, path_rtt(path)) >=
				PATH_PROOF_BYTES;
	path->dirs[dir].flat_bps = bps;
	minmax_reset(&path->dirs[dir].best, 0, bps);
	window_set(path, dir, 0);
}
