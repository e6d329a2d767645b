// SPDX-License-Identifier: GPL-2.0
/* Why a value was written, in words. */
#include <string.h>

#include "../../report/reason.h"
#include "../test.h"

#define GBIT	1000000000ULL

#define PATH	.why = TT_WHY_PATH, .rtt_us = 100000, .best_bps = GBIT, \
		.window_bytes = 25000000

#define TO	"to 10.0.0.1: 1gbit at best over 100ms needs 23.8M"

static const struct {
	const char		*name;
	struct tt_reason	reason;
	const char		*expected;
} cases[] = {
	{ "nothing was decided", { }, "" },
	{ "it rises", { PATH, .to_reach = true },
	  TO ", and it may get faster; set to what the link allows" },
	{ "it has settled", { PATH, .dir = TT_IN, .proven = true },
	  "from 10.0.0.1: 1gbit at best over 100ms needs 23.8M, and it gets no faster" },
	{ "the peer's window, proven or not",
	  { PATH, .proven = true, .limit = TT_LIMIT_RWND },
	  TO ", and that end's window limits it" },
	{ "this end's window, proven or not",
	  { PATH, .dir = TT_IN, .proven = true, .limit = TT_LIMIT_RWND },
	  "from 10.0.0.1: 1gbit at best over 100ms needs 23.8M, and the window limits it" },
	{ "a share, and the budget",
	  { PATH, .share_percent = 25, .budget_bytes = 1 << 30 },
	  TO ", 25 % on one connection, and it may get faster; "
	  "limited by the memory budget of 1.0G" },
	{ "a reader", { .why = TT_WHY_READ_AHEAD, .dir = TT_IN, .proven = true,
			.rtt_us = 100000, .best_bps = GBIT },
	  "from 10.0.0.1: 1gbit at best over 100ms, so three round trips are read ahead" },
	{ "a reader that may get faster",
	  { .why = TT_WHY_READ_AHEAD, .rtt_us = 100000, .best_bps = GBIT },
	  "from 10.0.0.1: 1gbit at best over 100ms, and the link may carry more" },
	{ "a reader that has not begun",
	  { .why = TT_WHY_READ_AHEAD, .rtt_us = 100000 },
	  "from 10.0.0.1: nothing was read yet over 100ms, so it starts with what the link may carry"
	},
	{ "a loss", { .why = TT_WHY_LOSS, .rtt_us = 30000, .lost_ppm = 104 },
	  "to 10.0.0.1: 104 in a million packets are sent again over 30ms without a queue" },
	{ "the configuration", { .why = TT_WHY_CONF }, "as configured" },
};

static void test_reconnect(const struct tt_addr *peer)
{
	struct tt_reconnect reconnect = {
		.conn = { .peer = *peer, .local_port = 700, .peer_port = 2049,
			  .wscale = { 0, 10 } },
		.wscale = 13, .rtt_us = 120000,
	};
	char text[REASON_BYTES];

	EXPECT_STR(reason_reconnect(&reconnect, text),
		   "connection with 10.0.0.1, ports 700 and 2049: its window scale of 10 allows 64.0M, or 4.47gbit over 120ms; a new one agrees on 13");
	test_end("a connection that is made anew");
}

int main(void)
{
	struct tt_addr peer = { .in6.s6_addr = { [10] = 255, 255, 10, [15] = 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tt_reason reason = cases[i].reason;
		char text[REASON_BYTES];

		reason.peer = peer;
		reason_text(&reason, text);
		EXPECT_STR(text, cases[i].expected);
		test_end(cases[i].name);
	}
	test_reconnect(&peer);
	return test_result();
}
