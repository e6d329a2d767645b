// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../policy/budget.h"

#define MIB	1048576ULL

/* Paths of a server: what they need and have, and the ceiling for 1 GiB. */
static const struct {
	const char	*name;
	struct tt_path	paths[4];
	u64		wanted_mib;
	u64		expected_kib;
} levels[] = {
	{ "nobody", { { 0 } }, 100, 102400 },
	{ "one that fits", { { .nconns = 1, .window_bytes = { 80 * MIB } } },
	  80, 81920 },
	{ "one that is too large",
	  { { .nconns = 1, .window_bytes = { 1000 * MIB } } }, 1000, 87381 },
	{ "two share it",
	  { { .nconns = 1, .window_bytes = { 1000 * MIB } },
	    { .nconns = 1, .window_bytes = { 1000 * MIB } } }, 1000, 52428 },
	{ "one that rises claims what its link allows",
	  { { .nconns = 1, .window_bytes = { 1000 * MIB } },
	    { .nconns = 1, .window_bytes = { 16 * MIB },
	      .reach_bytes = { 500 * MIB } } }, 1000, 52428 },
	{ "one that needs little leaves the rest",
	  { { .nconns = 1, .window_bytes = { 1000 * MIB } },
	    { .nconns = 1, .window_bytes = { 16 * MIB } } }, 1000, 76458 },
	{ "a path with four connections takes no more than with one",
	  { { .nconns = 4, .share_percent = 25,
	      .window_bytes = { 1000 * MIB } } }, 250, 21845 },
	{ "and leaves room for another one",
	  { { .nconns = 4, .share_percent = 25, .window_bytes = { 60 * MIB },
	      .buffer_bytes = { 120 * MIB } },
	    { .nconns = 4, .share_percent = 25,
	      .window_bytes = { 60 * MIB } } }, 15, 11605 },
	{ "what TCP gives by itself is not counted",
	  { { .nconns = 1, .window_bytes = { 1000 * MIB } },
	    { .nconns = 900, .buffer_bytes = { 900 * 4 * MIB } } }, 1000, 87381 },
	{ "what is not connected takes nothing",
	  { { .nconns = 1, .window_bytes = { 1000 * MIB } },
	    { .nconns = 0, .window_bytes = { 1000 * MIB } } }, 1000, 87381 },
	{ "what was taken is gone, and may double",
	  { { .nconns = 1, .window_bytes = { 1000 * MIB } },
	    { .nconns = 9, .buffer_bytes = { 64 * MIB } } }, 1000, 43690 },
	{ "more taken than there is",
	  { { .nconns = 1, .window_bytes = { 100 * MIB },
	      .buffer_bytes = { 300 * MIB } } }, 100, 0 },
};

static const struct tt_conf conf = { .memory_percent = 25 };
static const struct tt_host host = {
	.ram_bytes = 16384 * MIB, .tcp_mem_bytes = { 0, 256 * MIB, 0 },
};

static void level_case(size_t i)
{
	static const struct tt_setting own[] = {
		{ .target = { TT_TCP_WMEM, "" }, .value = 4 * MIB },
		{ .target = { TT_TCP_RMEM, "" }, .value = 6 * MIB },
	};
	struct policy_input input = {
		.conf = &conf, .host = &host, .paths = levels[i].paths,
		.npaths = ARRAY_SIZE(levels[i].paths), .settings = own,
		.nsettings = ARRAY_SIZE(own),
	};
	u64 got, want = levels[i].expected_kib * 1024;

	got = budget_level(&input, levels[i].wanted_mib * MIB,
			   levels[i].paths[0].share_percent);
	EXPECT(got <= want + 1024 && got + 65536 >= want, "%llu bytes", got);
	test_end(levels[i].name);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		level_case(i);
	return test_result();
}
