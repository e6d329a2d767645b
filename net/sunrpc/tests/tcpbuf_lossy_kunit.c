// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of net/sunrpc/tcpbuf_lossy_rule.c. Cases are data: what TCP
 * knows, look by look, and at which look the answer becomes yes.
 */
#include <kunit/test.h>

#include "../tcpbuf_lossy.h"

#define MIN_RTT		30000
#define LOOKS		8
#define NEVER		LOOKS

/* KUNIT_ARRAY_PARAM_DESC() for kernels that have none. */
#define LOSSY_PARAM(test) \
	static void test##_desc(const struct lossy_case *c, char *desc) \
	{ \
		strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE); \
	} \
	KUNIT_ARRAY_PARAM(test, test##_cases, test##_desc)

/*
 * looks: how the numbers of the connection rise from one look to the next;
 * segs 0 ends them. srtt_us is MIN_RTT and cwnd 100 where they are 0. old: the
 * first of them is the first ever.
 */
struct lossy_case {
	const char *name;
	struct rpc_tcpbuf_counts counts;
	struct rpc_tcpbuf_sample first;
	struct rpc_tcpbuf_sample looks[LOOKS];
	unsigned int yes_at;
	bool old;
};

static unsigned int ask(const struct lossy_case *c,
			bool (*question)(struct rpc_tcpbuf_counts *counts,
					 const struct rpc_tcpbuf_sample *now))
{
	struct rpc_tcpbuf_counts counts = c->counts;
	struct rpc_tcpbuf_sample now = c->first;
	unsigned int look;

	counts.started = !c->old;

	for (look = 0; look < LOOKS && c->looks[look].segs; look++) {
		now.segs += c->looks[look].segs;
		now.retrans += c->looks[look].retrans;
		now.srtt_us = c->looks[look].srtt_us ?: MIN_RTT;
		now.min_rtt_us = c->looks[look].min_rtt_us ?: MIN_RTT;
		now.cwnd = c->looks[look].cwnd ?: 100;
		if (question(&counts, &now))
			return look;
	}
	return NEVER;
}

static const struct lossy_case is_random_cases[] = {
	{
		.name = "no round trip is known",
		.looks = { { .segs = 20000, .retrans = 9,
			     .min_rtt_us = U32_MAX } },
		.yes_at = NEVER,
	},
	{
		.name = "a path without loss",
		.looks = { { .segs = 20000 }, { .segs = 500000 } },
		.yes_at = NEVER,
	},
	{
		.name = "one in 5,000, once there are 10,000 segments",
		.looks = { { .segs = 5000, .retrans = 1 },
			   { .segs = 4999, .retrans = 1 },
			   { .segs = 1 } },
		.yes_at = 2,
	},
	{
		.name = "a single one says nothing",
		.looks = { { .segs = 20000, .retrans = 1 },
			   { .segs = 20000 } },
		.yes_at = NEVER,
	},
	{
		.name = "one in 100,000 is too few",
		.looks = { { .segs = 100000, .retrans = 1 },
			   { .segs = 100000, .retrans = 1 },
			   { .segs = 99999, .retrans = 2 } },
		.yes_at = 2,
	},
	{
		.name = "a round trip a twentieth above the shortest is no queue",
		.looks = { { .segs = 10000, .retrans = 2,
			     .srtt_us = MIN_RTT / 20 * 21 } },
		.yes_at = 0,
	},
	{
		.name = "a queue, and what it cost, then none: count anew",
		.looks = { { .segs = 9000, .retrans = 5,
			     .srtt_us = MIN_RTT / 20 * 21 + 1 },
			   { .segs = 199, .retrans = 50 },
			   { .segs = 10000, .retrans = 1 },
			   { .segs = 1, .retrans = 1 } },
		.yes_at = 3,
	},
	{
		.name = "a connection that was old when this was switched on",
		.old = true,
		.first = { .segs = 20000, .retrans = 5000 },
		.looks = { { .segs = 1000 }, { .segs = 15000, .retrans = 1 },
			   { .segs = 100, .retrans = 1 } },
		.yes_at = 2,
	},
	{
		.name = "loss of long ago does not count",
		.looks = { { .segs = 5000, .retrans = 40 },
			   { .segs = 995001 }, { .segs = 20000 } },
		.yes_at = NEVER,
	},
	{
		.name = "the counters wrap",
		.counts = { .segs = U32_MAX - 10, .retrans = U32_MAX },
		.first = { .segs = U32_MAX - 10, .retrans = U32_MAX },
		.looks = { { .segs = 10000, .retrans = 3 } },
		.yes_at = 0,
	},
};

LOSSY_PARAM(is_random);

static void is_random_test(struct kunit *test)
{
	const struct lossy_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->yes_at, ask(c, rpc_tcpbuf_lossy_is_random));
}

/* One in 2,500 segments may be sent again. */
#define SETTLED { .settled = true, .allowed_segs = 2500, .max_cwnd = 100 }

static const struct lossy_case is_worse_cases[] = {
	{
		.name = "16 flights are for finding the rate",
		.counts = { .allowed_segs = 2500 },
		.looks = { { .segs = 10000, .retrans = 1000, .cwnd = 1000,
			     .srtt_us = 3 * MIN_RTT },
			   { .segs = 6000, .retrans = 1000, .cwnd = 4,
			     .srtt_us = 3 * MIN_RTT },
			   { .segs = 2500, .retrans = 1 } },
		.yes_at = NEVER,
	},
	{
		.name = "four times what it was",
		.counts = SETTLED,
		.looks = { { .segs = 25000, .retrans = 10 },
			   { .segs = 250000, .retrans = 100 },
			   { .segs = 250000, .retrans = 100 } },
		.yes_at = NEVER,
	},
	{
		.name = "somewhat more: when 16 are too many",
		.counts = SETTLED,
		.looks = { { .segs = 25000, .retrans = 20 },
			   { .segs = 25000, .retrans = 16 },
			   { .segs = 2500, .retrans = 2 } },
		.yes_at = 2,
	},
	{
		.name = "an hour of quiet is no credit",
		.counts = SETTLED,
		.looks = { { .segs = 100000000 },
			   { .segs = 2500, .retrans = 17 },
			   { .segs = 2500, .retrans = 2 } },
		.yes_at = 2,
	},
	{
		.name = "a long queue for 16 flights",
		.counts = SETTLED,
		.looks = { { .segs = 100 },
			   { .segs = 800, .srtt_us = MIN_RTT / 4 * 5 + 1 },
			   { .segs = 799, .srtt_us = MIN_RTT / 4 * 5 + 1 },
			   { .segs = 1, .srtt_us = 2 * MIN_RTT } },
		.yes_at = 3,
	},
	{
		.name = "a long queue that does not stay",
		.counts = SETTLED,
		.looks = { { .segs = 1500, .srtt_us = 2 * MIN_RTT },
			   { .segs = 100, .srtt_us = MIN_RTT / 4 * 5 },
			   { .segs = 1500, .srtt_us = 2 * MIN_RTT } },
		.yes_at = NEVER,
	},
	{
		.name = "the window of a probe for the round trip is no flight",
		.counts = SETTLED,
		.looks = { { .segs = 100, .cwnd = 4, .srtt_us = 2 * MIN_RTT } },
		.yes_at = NEVER,
	},
	{
		.name = "the largest numbers do not overflow",
		.counts = { .settled = true, .allowed_segs = 1000000,
			    .level_segs = 15000000 },
		.looks = { { .segs = U32_MAX, .retrans = U32_MAX } },
		.yes_at = 0,
	},
};

LOSSY_PARAM(is_worse);

static void is_worse_test(struct kunit *test)
{
	const struct lossy_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->yes_at, ask(c, rpc_tcpbuf_lossy_is_worse));
}

/* What is allowed after the change is four times what was seen before it. */
static void allowance_test(struct kunit *test)
{
	const struct rpc_tcpbuf_sample now = {
		.segs = 20000, .retrans = 2,
		.srtt_us = MIN_RTT, .min_rtt_us = MIN_RTT, .cwnd = 100,
	};
	struct rpc_tcpbuf_counts counts = { .started = true };

	KUNIT_EXPECT_TRUE(test, rpc_tcpbuf_lossy_is_random(&counts, &now));
	KUNIT_EXPECT_EQ(test, 2500U, counts.allowed_segs);
	KUNIT_EXPECT_FALSE(test, counts.settled);
}

static struct kunit_case tcpbuf_lossy_cases[] = {
	KUNIT_CASE_PARAM(is_random_test, is_random_gen_params),
	KUNIT_CASE_PARAM(is_worse_test, is_worse_gen_params),
	KUNIT_CASE(allowance_test),
	{ }
};

static struct kunit_suite tcpbuf_lossy_suite = {
	.name = "sunrpc-tcpbuf-lossy",
	.test_cases = tcpbuf_lossy_cases,
};

kunit_test_suite(tcpbuf_lossy_suite);

MODULE_DESCRIPTION("KUnit tests for RPC's congestion control on lossy paths");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
