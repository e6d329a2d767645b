// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../policy/governor.h"

#define S	1000000ULL
#define MIB	1048576ULL

/* May a value be written over another one, 100 s after the boot? */
static const struct {
	const char		*name;
	enum tt_tunable		id;
	u64			now;
	u64			value;
	bool			written;
	u64			changed_s;
	enum tt_hands_off	off;
	bool			expected;
} changes[] = {
	{ "the same value", TT_SRV_SNDBUF, 100, 100, false, 0, 0, false },
	{ "the first value", TT_SRV_SNDBUF, 0, 1, false, 0, 0, true },
	{ "an eighth more", TT_SRV_SNDBUF, 800, 904, false, 0, 0, true },
	{ "not an eighth more", TT_SRV_SNDBUF, 800, 899, false, 0, 0, false },
	{ "up", TT_SRV_SNDBUF, 800, 904, true, 90, 0, true },
	{ "up too soon", TT_SRV_SNDBUF, 800, 904, true, 91, 0, false },
	{ "far up too soon", TT_SRV_SNDBUF, 800, 80000, true, 91, 0, false },
	{ "down by too little", TT_SRV_SNDBUF, 800, 601, true, 0, 0, false },
	{ "down", TT_SRV_SNDBUF, 800, 600, true, 90, 0, true },
	{ "down too soon", TT_SRV_SNDBUF, 800, 600, true, 91, 0, false },
	{ "down from others'", TT_SRV_SNDBUF, 800, 1, false, 0, 0, false },
	{ "a switch", TT_SLOW_START, 1, 0, false, 0, 0, true },
	{ "a switch too soon", TT_SLOW_START, 1, 0, true, 91, 0, false },
	{ "read-ahead", TT_READ_AHEAD, 128, 1024, true, 90, 0, true },
	{ "read-ahead too soon", TT_READ_AHEAD, 128, 1024, true, 91, 0, false },
	{ "absent", TT_SRV_SNDBUF, 0, 1, false, 0, TT_OFF_ABSENT, false },
	{ "foreign", TT_SRV_SNDBUF, 0, 1, false, 0, TT_OFF_FOREIGN, false },
};

static const struct {
	const char		*name;
	enum tt_tunable		id;
	u64			now;
	bool			written;
	u64			original;
	u64			value;
	u64			expected;
} fits[] = {
	{ "as it is", TT_RMEM_MAX, 212992, false, 0, 300000, 300000 },
	{ "not below what is there", TT_RMEM_MAX, 212992, false, 0, 1, 212992 },
	{ "nor below the original", TT_RMEM_MAX, 9000000, true, 212992, 1,
	  212992 },
	{ "not above what the kernel takes", TT_SRV_SNDBUF, 0, false, 0, ~0ULL,
	  1073741823 },
	{ "whole pages", TT_READ_AHEAD, 128, false, 0, 129, 192 },
	{ "a switch goes down", TT_SLOW_START, 1, false, 0, 0, 0 },
};

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

	test_begin();
	got = governor_level(&input, levels[i].wanted_mib * MIB,
			     levels[i].paths[0].share_percent);
	EXPECT(got <= want + 1024 && got + 65536 >= want, "%llu bytes", got);
	test_end(levels[i].name);
}

static void change_case(size_t i)
{
	struct policy_input input = { .now_us = 100 * S };
	struct tt_setting setting = {
		.target = { changes[i].id, "" },
		.value = changes[i].now,
		.written = changes[i].written,
		.changed_us = changes[i].changed_s * S,
		.off = changes[i].off,
	};

	test_begin();
	EXPECT(governor_allows(&input, &setting, changes[i].value) ==
	       changes[i].expected, "%s", changes[i].expected ? "no" : "yes");
	test_end(changes[i].name);
}

static void fit_case(size_t i)
{
	struct tt_setting setting = {
		.target = { fits[i].id, "" },
		.value = fits[i].now,
		.written = fits[i].written,
		.original = fits[i].original,
	};
	u64 got = governor_fit(&setting, fits[i].value);

	test_begin();
	EXPECT(got == fits[i].expected, "%llu", got);
	test_end(fits[i].name);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		change_case(i);
	for (size_t i = 0; i < ARRAY_SIZE(fits); i++)
		fit_case(i);
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		level_case(i);
	return test_result();
}
