// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../model/limit.h"

#define S 1000000ULL
#define MB 1000000ULL

static const struct {
	const char		*name;
	enum tt_dir		dir;
	u64			now_bps;
	u64			link_bps;
	u64			best_bps;
	struct path_span	span;
	enum tt_limit		expected;
} cases[] = {
	{ "nothing ever moved", TT_OUT, 0, 0, 0, { .us = S },
	  TT_LIMIT_UNKNOWN },
	{ "nothing moves now", TT_OUT, 0, 0, 1, { .us = S },
	  TT_LIMIT_APPLICATION },
	{ "the link is full", TT_OUT, 950 * MB, 1000 * MB, 1,
	  { .us = S, .bytes = { 1 }, .busy_us = S, .longest_us = S,
	    .sndbuf_us = S }, TT_LIMIT_LINK },
	{ "pauses of the application", TT_OUT, 1, 0, 1,
	  { .us = S, .bytes = { 1 }, .busy_us = S / 2, .longest_us = S / 2,
	    .sndbuf_us = S / 2 }, TT_LIMIT_APPLICATION },
	{ "the send buffer", TT_OUT, 1, 0, 1,
	  { .us = S, .bytes = { 1 }, .busy_us = S, .longest_us = S,
	    .sndbuf_us = S / 3, .rwnd_us = S / 5 }, TT_LIMIT_SNDBUF },
	{ "the peer's window", TT_OUT, 1, 0, 1,
	  { .us = S, .bytes = { 1 }, .busy_us = S, .longest_us = S,
	    .sndbuf_us = S / 5, .rwnd_us = S / 3 }, TT_LIMIT_RWND },
	{ "congestion control", TT_OUT, 1, 0, 1,
	  { .us = S, .bytes = { 1 }, .busy_us = S, .longest_us = S,
	    .sndbuf_us = S / 5, .pressed = true }, TT_LIMIT_CONGESTION },
	{ "a sender that has just enough to send", TT_OUT, 1, 0, 1,
	  { .us = S, .bytes = { 1 }, .busy_us = S, .longest_us = S },
	  TT_LIMIT_APPLICATION },
	/* 8 Mbit/s x 100 ms: 100 kB in flight. */
	{ "this end's window", TT_IN, 8 * MB, 0, 1,
	  { .us = S, .bytes = { 0, 1 }, .rcv_window_bytes = 120000,
	    .smooth_us = 100000 }, TT_LIMIT_RWND },
	{ "the read-ahead", TT_IN, 8 * MB, 0, 1,
	  { .us = S, .bytes = { 0, 1 }, .rcv_window_bytes = 1000000,
	    .read_ahead_bytes = 131072, .smooth_us = 100000 },
	  TT_LIMIT_READ_AHEAD },
	{ "less than the read-ahead", TT_IN, 8 * MB, 0, 1,
	  { .us = S, .bytes = { 0, 1 }, .rcv_window_bytes = 1000000,
	    .read_ahead_bytes = 1048576, .smooth_us = 100000 },
	  TT_LIMIT_APPLICATION },
	{ "a trickle, where nothing is known of a read-ahead", TT_IN, 8, 0, 1,
	  { .us = S, .bytes = { 0, 1 }, .rcv_window_bytes = 1000000,
	    .smooth_us = 100000 }, TT_LIMIT_APPLICATION },
	{ "a trickle, where nothing is known of a window", TT_IN, 8, 0, 1,
	  { .us = S, .bytes = { 0, 1 }, .smooth_us = 100000 },
	  TT_LIMIT_APPLICATION },
	{ "a queue", TT_IN, 8 * MB, 0, 1,
	  { .us = S, .bytes = { 0, 1 }, .rcv_window_bytes = 10000000,
	    .smooth_us = 200000 }, TT_LIMIT_CONGESTION },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct path path = {
			.span = cases[i].span,
			.pub = {
				.rtt_us = 100000,
				.link = { .rate_bps = cases[i].link_bps },
				.best_bps = { cases[i].best_bps,
					      cases[i].best_bps },
			},
		};
		enum tt_limit got;

		got = limit_find(&path, cases[i].dir, cases[i].now_bps);
		EXPECT_EQ(got, cases[i].expected);
		test_end(cases[i].name);
	}
	return test_result();
}
