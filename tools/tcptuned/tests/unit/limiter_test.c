// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../policy/limiter.h"

#define S	1000000ULL

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

	EXPECT(limiter_allows(&input, &setting, changes[i].value) ==
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
	u64 got = limiter_fit(&setting, fits[i].value);

	EXPECT_EQ(got, fits[i].expected);
	test_end(fits[i].name);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		change_case(i);
	for (size_t i = 0; i < ARRAY_SIZE(fits); i++)
		fit_case(i);
	return test_result();
}
