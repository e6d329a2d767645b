// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the arithmetic in net/sunrpc/tcpbuf_size.c. Cases are data.
 */
#include <kunit/test.h>

#include "../tcpbuf.h"

#define MIB	1048576U

/* KUNIT_ARRAY_PARAM_DESC() for kernels that have none. */
#define TCPBUF_PARAM(test) \
	static void test##_desc(const struct test##_case *c, char *desc) \
	{ \
		strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE); \
	} \
	KUNIT_ARRAY_PARAM(test, test##_cases, test##_desc)

struct ceiling_case {
	const char *name;
	int value_bytes;
	u32 host_max_bytes;
	u32 want;
};

static const struct ceiling_case ceiling_cases[] = {
	{
		.name = "nothing set",
		.value_bytes = 0, .host_max_bytes = 4 * MIB, .want = 0,
	},
	{
		.name = "the socket gets twice the value",
		.value_bytes = 3 * MIB, .host_max_bytes = 4 * MIB,
		.want = 6 * MIB,
	},
	{
		.name = "the host's limit bounds the value",
		.value_bytes = 64 * MIB, .host_max_bytes = 4 * MIB,
		.want = 8 * MIB,
	},
	{
		.name = "a tiny value stays tiny",
		.value_bytes = 1, .host_max_bytes = 4 * MIB, .want = 2,
	},
	{
		.name = "the largest value fits into an int when doubled",
		.value_bytes = RPC_TCPBUF_MAX, .host_max_bytes = U32_MAX,
		.want = INT_MAX - 1,
	},
	{
		.name = "a host limit above what an int can double",
		.value_bytes = RPC_TCPBUF_MAX, .host_max_bytes = INT_MAX,
		.want = INT_MAX - 1,
	},
};

TCPBUF_PARAM(ceiling);

static void ceiling_test(struct kunit *test)
{
	const struct ceiling_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want,
			rpc_tcpbuf_ceiling(c->value_bytes, c->host_max_bytes));
}

struct rcv_window_case {
	const char *name;
	u32 space_bytes;
	u32 last_bytes;
	u32 rtt_us;
	u32 min_rtt_us;
	u64 want;
};

static const struct rcv_window_case rcv_window_cases[] = {
	{
		.name = "nothing received", .want = 0,
	},
	{
		.name = "first look: no rise is known",
		.space_bytes = MIB, .last_bytes = 0, .rtt_us = 30000,
		.min_rtt_us = 30000, .want = 2 * MIB,
	},
	{
		.name = "falling",
		.space_bytes = MIB, .last_bytes = 4 * MIB, .rtt_us = 30000,
		.min_rtt_us = 30000, .want = 2 * MIB,
	},
	{
		.name = "rising by a quarter",
		.space_bytes = 5 * MIB, .last_bytes = 4 * MIB, .rtt_us = 30000,
		.min_rtt_us = 30000, .want = 15 * MIB,
	},
	{
		.name = "slow start: doubled again is four times",
		.space_bytes = 2 * MIB, .last_bytes = MIB, .rtt_us = 30000,
		.min_rtt_us = 30000, .want = 8 * MIB,
	},
	{
		.name = "no sample of the round trip yet",
		.space_bytes = 5 * MIB, .last_bytes = 4 * MIB, .rtt_us = 0,
		.min_rtt_us = U32_MAX, .want = 15 * MIB,
	},
	{
		.name = "three quarters of the round trip are a queue",
		.space_bytes = 8 * MIB, .last_bytes = 8 * MIB, .rtt_us = 40000,
		.min_rtt_us = 10000, .want = 8 * MIB,
	},
	{
		.name = "a LAN whose queue was filled does not grow",
		.space_bytes = 32 * MIB, .last_bytes = 16 * MIB,
		.rtt_us = 26000, .min_rtt_us = 200, .want = 1032444,
	},
	{
		.name = "more than a window can be does not overflow",
		.space_bytes = U32_MAX, .last_bytes = RPC_TCPBUF_MAX_WINDOW / 2,
		.rtt_us = U32_MAX, .min_rtt_us = U32_MAX - 1,
		.want = 4294901759ULL,
	},
};

TCPBUF_PARAM(rcv_window);

static void rcv_window_test(struct kunit *test)
{
	const struct rcv_window_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want,
			rpc_tcpbuf_rcv_window(c->space_bytes, c->last_bytes,
					      c->rtt_us, c->min_rtt_us));
}

struct rcvbuf_case {
	const char *name;
	u32 window_bytes;
	u32 rcvbuf_bytes;
	u32 full_space_bytes;
	u64 want;
};

static const struct rcvbuf_case rcvbuf_cases[] = {
	{
		.name = "half of a buffer is payload",
		.window_bytes = 24 * MIB, .rcvbuf_bytes = 32 * MIB,
		.full_space_bytes = 16 * MIB, .want = 48 * MIB,
	},
	{
		.name = "a socket that offers nothing stays as it is",
		.window_bytes = MIB, .rcvbuf_bytes = 2304,
		.full_space_bytes = 0, .want = 2304,
	},
	{
		.name = "small packets: the result may exceed an int",
		.window_bytes = RPC_TCPBUF_MAX_WINDOW,
		.rcvbuf_bytes = INT_MAX - 1,
		.full_space_bytes = (INT_MAX - 1) / 128,
		.want = 137436864383ULL,
	},
};

TCPBUF_PARAM(rcvbuf);

static void rcvbuf_test(struct kunit *test)
{
	const struct rcvbuf_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want,
			rpc_tcpbuf_rcvbuf(c->window_bytes, c->rcvbuf_bytes,
					  c->full_space_bytes));
}

struct bdp_case {
	const char *name;
	u32 delivered;
	u32 interval_us;
	u32 mss_bytes;
	u32 min_rtt_us;
	u64 want;
};

static const struct bdp_case bdp_cases[] = {
	{
		.name = "no rate sample yet",
		.mss_bytes = 1448, .min_rtt_us = 30000, .want = U64_MAX,
	},
	{
		.name = "no round trip sample yet",
		.delivered = 10, .interval_us = 30000, .mss_bytes = 1448,
		.min_rtt_us = U32_MAX, .want = U64_MAX,
	},
	{
		.name = "10 Gbit/s x 120 ms",
		.delivered = 99075, .interval_us = 120000, .mss_bytes = 1448,
		.min_rtt_us = 120000, .want = 143460600,
	},
	{
		.name = "10 Gbit/s x 0.2 ms, measured over a full queue",
		.delivered = 99075, .interval_us = 120000, .mss_bytes = 1448,
		.min_rtt_us = 200, .want = 239101,
	},
	{
		.name = "the largest numbers do not overflow",
		.delivered = U32_MAX, .interval_us = U32_MAX,
		.mss_bytes = 65535, .min_rtt_us = U32_MAX - 1,
		.want = 281470681612290ULL,
	},
};

TCPBUF_PARAM(bdp);

static void bdp_test(struct kunit *test)
{
	const struct bdp_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want,
			rpc_tcpbuf_bdp(c->delivered, c->interval_us,
				       c->mss_bytes, c->min_rtt_us));
}

struct sndbuf_case {
	const char *name;
	u32 in_flight_bytes;
	u64 bdp_bytes;
	u32 queued_bytes;
	u32 wmem_bytes;
	u64 want;
};

static const struct sndbuf_case sndbuf_cases[] = {
	{
		.name = "idle", .bdp_bytes = U64_MAX, .want = 0,
	},
	{
		.name = "what is in flight, twice",
		.in_flight_bytes = 4 * MIB, .bdp_bytes = 4 * MIB,
		.queued_bytes = 4 * MIB, .wmem_bytes = 4 * MIB, .want = 8 * MIB,
	},
	{
		.name = "an unknown path bounds nothing",
		.in_flight_bytes = 4 * MIB, .bdp_bytes = U64_MAX,
		.want = 8 * MIB,
	},
	{
		.name = "what stands in the bottleneck's queue earns nothing",
		.in_flight_bytes = 64 * MIB, .bdp_bytes = 4 * MIB,
		.queued_bytes = 64 * MIB, .wmem_bytes = 64 * MIB,
		.want = 16 * MIB,
	},
	{
		.name = "what is unsent earns nothing",
		.in_flight_bytes = 4 * MIB, .bdp_bytes = 4 * MIB,
		.queued_bytes = 8 * MIB, .wmem_bytes = 8 * MIB, .want = 8 * MIB,
	},
	{
		.name = "packet overhead of a quarter",
		.in_flight_bytes = 4 * MIB, .bdp_bytes = 4 * MIB,
		.queued_bytes = 8 * MIB, .wmem_bytes = 10 * MIB,
		.want = 10 * MIB,
	},
	{
		.name = "sizes that do not fit: no less than the payload",
		.in_flight_bytes = 4 * MIB, .bdp_bytes = 4 * MIB,
		.queued_bytes = 8 * MIB, .wmem_bytes = 0, .want = 8 * MIB,
	},
	{
		.name = "sizes that do not fit: no more than twice that",
		.in_flight_bytes = 4 * MIB, .bdp_bytes = 4 * MIB,
		.queued_bytes = 1, .wmem_bytes = INT_MAX, .want = 16 * MIB,
	},
	{
		.name = "the largest numbers do not overflow",
		.in_flight_bytes = U32_MAX, .bdp_bytes = U32_MAX - 1,
		.queued_bytes = U32_MAX, .wmem_bytes = U32_MAX,
		.want = 2ULL * U32_MAX,
	},
};

TCPBUF_PARAM(sndbuf);

static void sndbuf_test(struct kunit *test)
{
	const struct sndbuf_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want,
			rpc_tcpbuf_sndbuf(c->in_flight_bytes, c->bdp_bytes,
					  c->queued_bytes, c->wmem_bytes));
}

struct step_case {
	const char *name;
	u64 wanted_bytes;
	u32 now_bytes;
	u32 ceiling_bytes;
	u32 want;
};

static const struct step_case step_cases[] = {
	{
		.name = "enough is there", .wanted_bytes = 8 * MIB,
		.now_bytes = 8 * MIB, .ceiling_bytes = 64 * MIB, .want = 0,
	},
	{
		.name = "twice as much", .wanted_bytes = 16 * MIB,
		.now_bytes = 8 * MIB, .ceiling_bytes = 64 * MIB, .want = 16 * MIB,
	},
	{
		.name = "a byte more becomes an eighth",
		.wanted_bytes = 8 * MIB + 1, .now_bytes = 8 * MIB,
		.ceiling_bytes = 64 * MIB, .want = 9 * MIB,
	},
	{
		.name = "the last step to the ceiling is a short one",
		.wanted_bytes = 65 * MIB, .now_bytes = 63 * MIB,
		.ceiling_bytes = 64 * MIB, .want = 64 * MIB,
	},
	{
		.name = "at the ceiling", .wanted_bytes = 65 * MIB,
		.now_bytes = 64 * MIB, .ceiling_bytes = 64 * MIB, .want = 0,
	},
	{
		.name = "a ceiling below what is there shrinks nothing",
		.wanted_bytes = 65 * MIB, .now_bytes = 64 * MIB,
		.ceiling_bytes = MIB, .want = 0,
	},
	{
		.name = "the largest numbers do not overflow",
		.wanted_bytes = U64_MAX, .now_bytes = INT_MAX - 2,
		.ceiling_bytes = INT_MAX - 1, .want = INT_MAX - 1,
	},
};

TCPBUF_PARAM(step);

static void step_test(struct kunit *test)
{
	const struct step_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want,
			rpc_tcpbuf_step(c->wanted_bytes, c->now_bytes,
					c->ceiling_bytes));
}

struct gate_bytes_case {
	const char *name;
	u32 lowat_bytes;
	unsigned long bytes_per_s;
	u64 want;
};

static const struct gate_bytes_case gate_bytes_cases[] = {
	{
		.name = "rate not known yet",
		.lowat_bytes = 131072, .bytes_per_s = ULONG_MAX, .want = 131072,
	},
	{
		.name = "100 Mbit/s: the limit is more",
		.lowat_bytes = 131072, .bytes_per_s = 12500000, .want = 131072,
	},
	{
		.name = "10 Gbit/s: 2 ms are more", .lowat_bytes = 131072,
		.bytes_per_s = 1250000000, .want = 2500000,
	},
	{
		.name = "a rate of more than 32 bits counts as 32 bits",
		.lowat_bytes = 1, .bytes_per_s = ULONG_MAX - 1, .want = 8589934,
	},
};

TCPBUF_PARAM(gate_bytes);

static void gate_bytes_test(struct kunit *test)
{
	const struct gate_bytes_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want,
			rpc_tcpbuf_gate_bytes(c->lowat_bytes, c->bytes_per_s));
}

static struct kunit_case tcpbuf_cases[] = {
	KUNIT_CASE_PARAM(ceiling_test, ceiling_gen_params),
	KUNIT_CASE_PARAM(rcv_window_test, rcv_window_gen_params),
	KUNIT_CASE_PARAM(rcvbuf_test, rcvbuf_gen_params),
	KUNIT_CASE_PARAM(bdp_test, bdp_gen_params),
	KUNIT_CASE_PARAM(sndbuf_test, sndbuf_gen_params),
	KUNIT_CASE_PARAM(step_test, step_gen_params),
	KUNIT_CASE_PARAM(gate_bytes_test, gate_bytes_gen_params),
	{ }
};

static struct kunit_suite tcpbuf_suite = {
	.name = "sunrpc-tcpbuf",
	.test_cases = tcpbuf_cases,
};

kunit_test_suite(tcpbuf_suite);

MODULE_DESCRIPTION("KUnit tests for RPC's TCP buffers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
