// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../model/path.h"

#define S		1000000ULL
#define RTT_US		100000
#define MBPS		1000000ULL

/*
 * Seconds at rates of Mbit/s, in a direction whose send buffer limits, 100 ms
 * away; the window that results in BDPs of the best rate, and the stretch.
 */
static const struct {
	const char	*name;
	enum tt_limit	limit;
	u32		smooth_us;
	u16		mbps[24];
	u32		stretch;
	bool		proven;
	u64		window_bytes;
} cases[] = {
	{ "it rises", TT_LIMIT_SNDBUF, 2 * RTT_US, { 100, 200, 400 },
	  1, false, 4 * 5000000 },
	{ "it has settled", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { 400, 400, 400, 400 }, 1, true, 2 * 5000000 },
	{ "it rises by itself", TT_LIMIT_APPLICATION, 2 * RTT_US,
	  { 100, 200, 400 }, 1, false, 2 * 5000000 },
	{ "slower, for a moment", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { 400, 400, 400, 400, 200, 200 }, 1, true, 2 * 5000000 },
	{ "slower, so the window is stretched", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { 400, 400, 400, 400, 200, 200, 200 }, 2, true, 4 * 5000000 },
	{ "that helped", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { 400, 400, 400, 400, 200, 200, 200, 400, 400, 400, 400 }, 2, true,
	  4 * 5000000 },
	{ "that did not help, so it is slower", TT_LIMIT_SNDBUF, 2 * RTT_US,
	  { 400, 400, 400, 400, 200, 200, 200, 200, 200, 200 }, 1, true,
	  2 * 2500000 },
	{ "no more than 4 times", TT_LIMIT_SNDBUF, 4 * RTT_US,
	  { 400, 400, 400, 400, 100, 100, 100, 150, 150, 150, 150, 150, 150,
	    200, 200, 200, 200, 200, 200, 200 }, 4, true, 8 * 5000000 },
	{ "seen to be short again", TT_LIMIT_SNDBUF, RTT_US,
	  { 400, 400, 400, 400, 200, 200, 200, 400, 400, 400, 400 }, 1, true,
	  2 * 5000000 },
	{ "the application's pauses are no reason", TT_LIMIT_APPLICATION,
	  2 * RTT_US, { 400, 400, 400, 400, 200, 200, 200, 200 }, 1, true,
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

int main(void)
{
	const struct tt_addr peer = { .in6.s6_addr = { 1 } };
	struct path path;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 best_bps = 0;

		test_begin();
		path_init(&path, TT_SERVER, &peer, 0);
		path.pub.rtt_us = RTT_US;
		path.pub.limit[TT_OUT] = cases[i].limit;
		path.span.smooth_us = cases[i].smooth_us;
		for (size_t j = 0; j < ARRAY_SIZE(cases[i].mbps) &&
		     cases[i].mbps[j]; j++)
			second(&path, cases[i].mbps[j] * MBPS, &best_bps);
		EXPECT(path.dirs[TT_OUT].stretch == cases[i].stretch, "%u",
		       path.dirs[TT_OUT].stretch);
		EXPECT(path.pub.proven[TT_OUT] == cases[i].proven, "proven");
		EXPECT(path.pub.window_bytes[TT_OUT] == cases[i].window_bytes,
		       "%llu bytes", path.pub.window_bytes[TT_OUT]);
		test_end(cases[i].name);
	}
	return test_result();
}
