// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "../test.h"
#include "../../model/model.h"

#define S	1000000ULL
#define HOUR	(3600 * S)

static struct tt_conn conns[8];
static struct tt_link links[8];

static struct tt_addr address(u32 host)
{
	struct tt_addr addr = { .in6.s6_addr = { host >> 8, host } };

	return addr;
}

static struct tt_conn connection(u64 cookie, u32 host, u64 in_bytes)
{
	return (struct tt_conn) {
		.cookie = cookie, .role = TT_SERVER, .peer = address(host),
		.min_rtt_us = 10000, .rtt_us = 10000,
		.rcvbuf_bytes = 1 << 20, .bytes = { 0, in_bytes },
	};
}

static const struct tt_path *look(struct model *model, u64 now_us,
				  size_t nconns, size_t *npaths)
{
	struct tt_snapshot snapshot = {
		.now_us = now_us, .conns = conns, .links = links,
		.nconns = nconns,
	};

	if (model_update(model, &snapshot))
		abort();
	return model_paths(model, npaths);
}

static void paths_are_told_apart(struct model *model)
{
	const struct tt_path *paths;
	size_t npaths;

	conns[0] = connection(9, 2, 0);
	conns[1] = connection(3, 1, 0);
	conns[2] = connection(5, 2, 0);
	conns[3] = connection(7, 2, 0);
	conns[3].role = TT_CLIENT;
	look(model, S, 4, &npaths);
	conns[0].bytes[TT_IN] = 1000000;
	conns[2].bytes[TT_IN] = 2000000;
	paths = look(model, 2 * S, 4, &npaths);

	EXPECT_EQ(npaths, 3);
	EXPECT_EQ(paths[1].nconns, 2);
	EXPECT_EQ(paths[1].now_bps[TT_IN], 24000000);
	EXPECT(paths[1].buffer_bytes[TT_IN] == 2 << 20, "%llu bytes",
	       paths[1].buffer_bytes[TT_IN]);
	EXPECT(!paths[0].now_bps[TT_IN]);
	EXPECT(paths[2].role == TT_CLIENT);
}

static void old_bytes_do_not_count(struct model *model)
{
	const struct tt_path *paths;
	size_t npaths;

	conns[0] = connection(1, 1, 1ULL << 50);
	look(model, S, 1, &npaths);
	conns[0].bytes[TT_IN] += 125000;
	conns[1] = connection(2, 1, 1ULL << 50);
	paths = look(model, 2 * S, 2, &npaths);
	EXPECT_EQ(paths[0].now_bps[TT_IN], 1000000);
}

/* A second of the path to host 1, over a link that is said to carry 1 Gbit/s. */
static const struct tt_path *second(struct model *model, u64 in_mbytes)
{
	static u64 now_us;
	size_t npaths;

	now_us += S;
	conns[0].bytes[TT_IN] += in_mbytes * 1000000;
	return look(model, now_us, 1, &npaths);
}

static void a_link_is_outrun(struct model *model)
{
	const struct tt_path *paths;

	conns[0] = connection(1, 1, 0);
	links[0] = (struct tt_link) {
		.rate_bps = 1000000000, .source = TT_LINK_ETHTOOL,
	};
	second(model, 0);
	/* What a lost packet had held back comes in one moment. */
	second(model, 150);
	second(model, 100);
	second(model, 150);
	paths = second(model, 150);
	EXPECT_EQ(paths[0].best_bps[TT_IN], 1000000000);
	paths = second(model, 150);
	paths = second(model, 150);
	EXPECT(paths[0].link.source == TT_LINK_OUTRUN &&
	       !paths[0].link.rate_bps, "%llu bit/s", paths[0].link.rate_bps);
	EXPECT_EQ(paths[0].best_bps[TT_IN], 1200000000);
	paths = second(model, 10);
	EXPECT(!paths[0].link.rate_bps);

	/* What the administrator says is believed, be it the same; */
	links[0].source = TT_LINK_CONF;
	paths = second(model, 150);
	EXPECT_EQ(paths[0].link.rate_bps, 1000000000);
	/* and stays so, whatever is measured. */
	links[0].rate_bps = 1050000000;
	links[0].source = TT_LINK_CONF;
	for (int i = 0; i < 9; i++)
		paths = second(model, 150);
	EXPECT_EQ(paths[0].link.rate_bps, 1050000000);
	links[0] = (struct tt_link) { .source = TT_LINK_UNKNOWN };
}

static void connections_share_the_work(struct model *model)
{
	const struct tt_path *paths;
	size_t npaths;

	for (u32 i = 0; i < 4; i++)
		conns[i] = connection(i + 1, 1, 0);
	look(model, S, 4, &npaths);
	for (u64 s = 2; s < 9; s++) {
		for (int i = 0; i < 4; i++)
			conns[i].bytes[TT_IN] += 1000000;
		paths = look(model, s * S, 4, &npaths);
	}
	EXPECT(paths[0].share_percent == 26, "%u %%", paths[0].share_percent);
	/* One that goes on alone counts more and more. */
	conns[0].bytes[TT_IN] += 1000000;
	paths = look(model, 9 * S, 4, &npaths);
	EXPECT(paths[0].share_percent == 45, "%u %%", paths[0].share_percent);
	for (u64 s = 10; s < 30; s++) {
		conns[0].bytes[TT_IN] += 1000000;
		paths = look(model, s * S, 4, &npaths);
	}
	EXPECT(paths[0].share_percent == 100, "%u %%",
	       paths[0].share_percent);
	/* Requests alone say nothing of it. */
	conns[1].bytes[TT_IN] += 1000;
	conns[2].bytes[TT_IN] += 1000;
	paths = look(model, 30 * S, 4, &npaths);
	EXPECT(paths[0].share_percent == 100, "%u %%",
	       paths[0].share_percent);
}

static void learned_is_replaced(struct model *model)
{
	struct tt_path learned = {
		.role = TT_SERVER, .peer = address(1), .rtt_us = 100000,
		.best_bps = { 0, 800000000 },
	};
	const struct tt_path *paths;
	size_t npaths;

	model_learn(model, &learned);
	paths = model_paths(model, &npaths);
	EXPECT(npaths == 1 && paths[0].learned, "%zu paths", npaths);
	EXPECT_EQ(paths[0].window_bytes[TT_IN], 20000000);
	/* A machine that is up for longer than paths are kept. */
	paths = look(model, 100 * HOUR, 0, &npaths);
	EXPECT(npaths == 1 && paths[0].learned, "%zu paths", npaths);
	conns[0] = connection(1, 1, 0);
	paths = look(model, 100 * HOUR + S, 1, &npaths);
	EXPECT(!paths[0].learned && paths[0].rtt_us == 10000, "%u us",
	       paths[0].rtt_us);
	EXPECT_EQ(paths[0].best_bps[TT_IN], 800000000);
}

static void the_gone_are_forgotten(struct model *model)
{
	size_t npaths;

	conns[0] = connection(1, 1, 0);
	look(model, S, 1, &npaths);
	look(model, 23 * HOUR, 0, &npaths);
	EXPECT_EQ(npaths, 1);
	look(model, 25 * HOUR, 0, &npaths);
	EXPECT_EQ(npaths, 0);
}

static void not_too_many_of_them(struct model *model)
{
	size_t npaths;

	for (u32 host = 0; host < 20000; host++) {
		conns[0] = connection(host, host, 0);
		look(model, S + host * S, 1, &npaths);
	}
	EXPECT(npaths > 1000 && npaths <= 4097, "%zu paths", npaths);
}

static void busy_while_data_move(struct model *model)
{
	size_t npaths;

	conns[0] = connection(1, 1, 0);
	look(model, S, 1, &npaths);
	EXPECT(!model_busy(model));
	conns[0].bytes[TT_IN]++;
	look(model, 2 * S, 1, &npaths);
	EXPECT(model_busy(model));
	look(model, 60 * S, 1, &npaths);
	EXPECT(!model_busy(model));
}

/*
 * A window of 64 KiB over 10 ms is 6.55 MB/s: received at such a rate, with the
 * window as large as its scale allows.
 */
static void a_scale_binds(struct model *model)
{
	static const struct {
		u64	in_bytes;
		u32	rcv_wnd_bytes;
		u32	scaled_us;
	} seconds[] = {
		{ 6500000, 65535, S },
		{ 6000000, 65535, 2 * S },
		{ 5000000, 65535, 0 },
		{ 6500000, 60000, 0 },
		{ 6500000, 65535, S },
		{ 0, 65535, 0 },
	};

	conns[0] = connection(1, 1, 0);
	/* A queue makes the round trip longer; the shortest counts. */
	conns[0].rtt_us = 20000;
	second(model, 0);
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		conns[0].bytes[TT_IN] += seconds[i].in_bytes;
		conns[0].rcv_wnd_bytes = seconds[i].rcv_wnd_bytes;
		EXPECT_EQ(second(model, 0)->scaled_us, seconds[i].scaled_us);
	}
}

static const struct {
	const char	*name;
	void		(*run)(struct model *model);
} cases[] = {
	{ "paths are told apart", paths_are_told_apart },
	{ "what moved before does not count", old_bytes_do_not_count },
	{ "a link that is outrun is believed no more", a_link_is_outrun },
	{ "how much one connection does", connections_share_the_work },
	{ "a window scale binds", a_scale_binds },
	{ "learned paths are replaced", learned_is_replaced },
	{ "paths that are gone are forgotten", the_gone_are_forgotten },
	{ "and sooner if there are many", not_too_many_of_them },
	{ "busy while data move", busy_while_data_move },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct model *model = model_new();

		cases[i].run(model);
		test_end(cases[i].name);
		model_free(model);
	}
	return test_result();
}
