// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../model/path.h"
#include "../../model/window.h"

#define S		1000000ULL
#define RTT_US		100000
#define MBPS		1000000ULL
#define LINK_BPS	(1000 * MBPS)
#define LINK_BDP	12500000ULL

/*
 * Seconds at rates of Mbit/s, in a direction whose send buffer limits, 100 ms
 * away; the stretch and the window that result, and what it may come to.
 */
static const struct {
	const char	*name;
	enum tt_limit	limit;
	u32		smooth_us;
	struct {
		u16	mbps;
		u16	seconds;
	} course[6];
	u32		stretch;
	bool		proven;
	u64		window_bytes;
	u64		reach_bytes;
} cases[] = {
	{ "it rises", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { { 100, 1 }, { 200, 1 }, { 400, 1 } },
	  1, false, 4 * 5000000, LINK_BDP },
	{ "it may be held by a value that was just changed", TT_LIMIT_SNDBUF,
	  2 * RTT_US, { { 400, 13 } }, 1, false, 4 * 5000000, LINK_BDP },
	{ "it has settled", TT_LIMIT_SNDBUF, 2 * RTT_US, { { 400, 14 } },
	  1, true, 2 * 5000000, 2 * 5000000 },
	{ "it rises by itself", TT_LIMIT_APPLICATION, 2 * RTT_US,
	  { { 100, 1 }, { 200, 1 }, { 400, 1 } }, 1, false, 2 * 5000000,
	  LINK_BDP },
	{ "it rests", TT_LIMIT_SNDBUF, 2 * RTT_US, { { 400, 1 }, { 100, 1 } },
	  1, false, 4 * 5000000, 0 },
	{ "requests and small replies", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { { 5, 60 } }, 1, false, 4 * 62500, 0 },
	{ "slower, for a moment", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { { 400, 14 }, { 200, 2 } }, 1, true, 2 * 5000000, 2 * 5000000 },
	{ "slower, so the window is stretched", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { { 400, 14 }, { 200, 3 } }, 2, true, 4 * 5000000, 4 * LINK_BDP },
	{ "that helped", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { { 400, 14 }, { 200, 3 }, { 400, 14 } }, 2, true, 4 * 5000000,
	  4 * 5000000 },
	{ "that did not help, so it is slower", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { { 400, 14 }, { 200, 16 } }, 1, true, 2 * 2500000, 2 * 2500000 },
	{ "no more than 4 times", TT_LIMIT_SNDBUF, 4 * RTT_US,
	  { { 400, 14 }, { 100, 3 }, { 150, 16 }, { 200, 40 } }, 4, true,
	  8 * 5000000, 8 * 5000000 },
	{ "seen to be short again", TT_LIMIT_SNDBUF, RTT_US,
	  { { 400, 14 }, { 200, 3 }, { 400, 14 } }, 1, true, 2 * 5000000,
	  2 * 5000000 },
	{ "the application's pauses are no reason", TT_LIMIT_APPLICATION,
	  2 * RTT_US, { { 400, 14 }, { 200, 4 } }, 1, true, 2 * 5000000,
	  2 * 5000000 },
};

static void second(struct path *path, u64 bps, u64 *best_bps)
{
	*best_bps = max_u64(*best_bps, bps);
	path->span.us = S;
	path->pub.best_bps[TT_OUT] = *best_bps;
	window_update(path, TT_OUT, bps);
	*best_bps = path->pub.best_bps[TT_OUT];
}

static void run(struct path *path, size_t i)
{
	u64 best_bps = 0;

	for (size_t j = 0; j < ARRAY_SIZE(cases[i].course); j++)
		for (int s = 0; s < cases[i].course[j].seconds; s++)
			second(path, cases[i].course[j].mbps * MBPS, &best_bps);
}

int main(void)
{
	const struct tt_addr peer = { .in6.s6_addr = { 1 } };
	struct path path;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		path_init(&path, TT_SERVER, &peer, 0);
		path.pub.rtt_us = RTT_US;
		path.pub.link.rate_bps = LINK_BPS;
		path.pub.limit[TT_OUT] = cases[i].limit;
		path.span.smooth_us = cases[i].smooth_us;
		run(&path, i);
		EXPECT_EQ(path.dirs[TT_OUT].stretch, cases[i].stretch);
		EXPECT(path.pub.proven[TT_OUT] == cases[i].proven);
		EXPECT_EQ(path.pub.window_bytes[TT_OUT], cases[i].window_bytes);
		EXPECT_EQ(path.pub.reach_bytes[TT_OUT], cases[i].reach_bytes);
		test_end(cases[i].name);
	}
	return test_result();
}
