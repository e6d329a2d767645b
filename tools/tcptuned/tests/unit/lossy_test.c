// SPDX-License-Identifier: GPL-2.0
/* Which connections lose at random: what a connection shows, poll by poll. */
#include "../../model/lossy.h"
#include "../test.h"

#define POLLS 4

/* Packets sent and sent again, and the smoothed RTT; the shortest is 30 ms. */
struct poll {
	u32	sent;
	u32	again;
	u32	rtt_us;
};

static const struct {
	const char	*name;
	struct poll	polls[POLLS];
	u32		expected;	/* at the last of them */
} cases[] = {
	{ "too few to tell", { { 9999, 9, 30000 } }, 0 },
	{ "one in ten thousand", { { 5000, 0, 30000 }, { 20000, 2, 31000 } },
	  100 },
	{ "one may be a probe", { { 20000, 1, 30000 } }, 0 },
	{ "too rare", { { 900000, 9, 30000 } }, 0 },
	{ "not so rare", { { 900000, 10, 30000 } }, 11 },
	{ "a queue stood", { { 20000, 20, 31501 } }, 0 },
	{ "before, and what it lost came later",
	  { { 20000, 20, 40000 }, { 20100, 40, 30000 },
	    { 31000, 41, 30000 } }, 0 },
	{ "before, and the path loses all the same",
	  { { 20000, 20, 40000 }, { 20199, 40, 30000 },
	    { 32000, 43, 30000 } }, 254 },
	{ "so many that the first say nothing of today",
	  { { 1000001, 100, 30000 }, { 1000100, 101, 30000 } }, 0 },
	{ "more again than sent", { { 20000, 30000, 30000 } }, 1000000 },
	{ "no sample of the round trip", { { 20000, 20, 0 } }, 0 },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* Counters that overflow are no others. */
		struct tt_conn conn = {
			.sent_segs = -7000, .resent_segs = -1, .cwnd_segs = 100,
		};
		struct lossy_counts counts = lossy_start(&conn);
		u32 ppm = 0;

		for (int at = 0; at < POLLS && cases[i].polls[at].sent; at++) {
			const struct poll *poll = &cases[i].polls[at];

			conn.sent_segs = poll->sent - 7000;
			conn.resent_segs = poll->again - 1;
			conn.rtt_us = poll->rtt_us;
			conn.min_rtt_us = poll->rtt_us ? 30000 : 0;
			ppm = lossy_ppm(&counts, &conn);
		}
		EXPECT_EQ(ppm, cases[i].expected);
		test_end(cases[i].name);
	}
	return test_result();
}
