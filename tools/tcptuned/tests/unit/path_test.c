// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../bdp.h"
#include "../../model/path.h"

#define S 1000000ULL

/* One connection, a snapshot a second; what it says, and what comes of it. */
static const struct {
	const char	*name;
	u64		link_bps;
	struct tt_conn	conn;
	u64		out_bytes;	/* more in each snapshot */
	u64		in_bytes;
	int		snapshots;
	struct tt_path	expected;
} cases[] = {
	{ "a minimum of TCP's wins", 0,
	  { .min_rtt_us = 30000, .rtt_us = 20000, .rcv_rtt_us = 1000 },
	  0, 0, 2, { .rtt_us = 30000 } },
	{ "else the smaller of the others", 0,
	  { .rtt_us = 90000, .rcv_rtt_us = 31000 }, 0, 0, 2,
	  { .rtt_us = 31000 } },
	{ "one of the others may be missing", 0,
	  { .rtt_us = 90000 }, 0, 0, 2, { .rtt_us = 90000 } },
	{ "100 MB/s for some time: 2 BDP", 0,
	  { .min_rtt_us = 100000, .rtt_us = 100000, .rcvbuf_bytes = 1 << 30,
	    .delivery_app_limited = true }, 0, 100000000, 18,
	  { .rtt_us = 100000, .best_bps = { 0, 800000000 },
	    .window_bytes = { 0, 20000000 }, .proven = { false, true } } },
	{ "and 4 BDP while it may rise", 0,
	  { .min_rtt_us = 100000, .rtt_us = 100000, .rcvbuf_bytes = 1 << 30 },
	  0, 100000000, 3,
	  { .rtt_us = 100000, .best_bps = { 0, 800000000 },
	    .window_bytes = { 0, 40000000 } } },
	{ "but not more than the link carries", 1000000000,
	  { .min_rtt_us = 100000, .rtt_us = 100000, .rcvbuf_bytes = 1 << 30 },
	  0, 100000000, 3,
	  { .rtt_us = 100000, .best_bps = { 0, 800000000 },
	    .window_bytes = { 0, 25000000 } } },
	{ "TCP's delivery rate is a sample", 0,
	  { .min_rtt_us = 100000, .rtt_us = 100000,
	    .delivery_bps = 1600000000, .busy_us = 1 }, 100000000, 0, 3,
	  { .rtt_us = 100000, .best_bps = { 1600000000, 0 },
	    .window_bytes = { 80000000, 0 } } },
	{ "but not if it is old", 0,
	  { .min_rtt_us = 100000, .rtt_us = 100000,
	    .delivery_bps = 8000000000, .busy_us = 1 }, 1000000, 0, 3,
	  { .rtt_us = 100000, .best_bps = { 32000000, 0 },
	    .window_bytes = { 1600000, 0 } } },
	{ "requests are no rate", 0,
	  { .min_rtt_us = 100000, .rtt_us = 100000, .rcvbuf_bytes = 1 << 30 },
	  100000, 100000000, 18,
	  { .rtt_us = 100000, .best_bps = { 0, 800000000 },
	    .window_bytes = { 0, 20000000 }, .proven = { false, true } } },
	{ "a peer 10 s away gets what one of 1 s does", 0,
	  { .min_rtt_us = 10000000, .rtt_us = 10000000,
	    .rcvbuf_bytes = 1 << 30 }, 0, 1000000, 40,
	  { .rtt_us = 10000000, .best_bps = { 0, 8000000 },
	    .window_bytes = { 0, 2000000 }, .proven = { false, true } } },
};

static void path_case(struct path *path, size_t i)
{
	const struct tt_addr peer = { .in6.s6_addr = { 1 } };
	struct tt_conn conn = cases[i].conn;
	struct path_counts before;

	path_init(path, TT_SERVER, &peer, S);
	path->pub.link.rate_bps = cases[i].link_bps;
	for (int s = 1; s <= cases[i].snapshots; s++) {
		before = (struct path_counts) {
			.bytes = { conn.bytes[TT_OUT], conn.bytes[TT_IN] },
			.busy_us = conn.busy_us,
		};
		conn.bytes[TT_OUT] += cases[i].out_bytes;
		conn.bytes[TT_IN] += cases[i].in_bytes;
		if (cases[i].conn.busy_us)
			conn.busy_us += S;
		path_begin(path);
		path_conn(path, &conn, &before, S);
		path_end(path, (s + 1) * S);
	}
}

static void expect_path(const struct tt_path *got, const struct tt_path *want)
{
	EXPECT(got->rtt_us == want->rtt_us, "%u us", got->rtt_us);
	for (int dir = 0; dir < TT_DIRS; dir++) {
		EXPECT(got->best_bps[dir] == want->best_bps[dir],
		       "%d: %llu bit/s", dir, got->best_bps[dir]);
		EXPECT(got->window_bytes[dir] == want->window_bytes[dir],
		       "%d: %llu bytes", dir, got->window_bytes[dir]);
		EXPECT(got->proven[dir] == want->proven[dir], "%d", dir);
	}
}

/* Rates at the ends of what there is. */
static const struct {
	const char	*name;
	u64		bytes, us, bps;
} rates[] = {
	{ "no time", 1, 0, 0 },
	{ "a byte a second", 1, S, 8 },
	{ "400 Gbit/s for 10 s", 500000000000, 10 * S, 400000000000 },
	{ "the most", ~0ULL, 1, BDP_RATE_MAX_BPS },
	{ "the longest", ~0ULL, ~0ULL, 8000000 },
};

int main(void)
{
	struct path path;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		path_case(&path, i);
		expect_path(&path.pub, &cases[i].expected);
		test_end(cases[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		EXPECT_EQ(bdp_rate(rates[i].bytes, rates[i].us), rates[i].bps);
		test_end(rates[i].name);
	}
	return test_result();
}
