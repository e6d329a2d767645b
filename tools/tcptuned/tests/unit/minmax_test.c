// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../model/minmax.h"

#define WINDOW 100

/* Samples at these times, and what is then the largest or smallest. */
static const struct {
	const char	*name;
	bool		smallest;
	struct {
		u64	time_us, value, expected;
	} steps[8];
} cases[] = {
	{ "one sample is the answer", false, { { 5, 7, 7 } } },
	{ "a larger one replaces it", false, { { 5, 7, 7 }, { 6, 9, 9 } } },
	{ "a smaller one does not", false, { { 5, 7, 7 }, { 6, 3, 7 } } },
	{ "the smallest of them", true, { { 5, 7, 7 }, { 6, 3, 3 },
					  { 7, 5, 3 } } },
	{ "the window ends, the second takes its place", false,
	  { { 1, 9, 9 }, { 40, 7, 9 }, { 80, 5, 9 }, { 101, 1, 9 },
	    { 102, 1, 7 } } },
	{ "a pause longer than the window forgets all", false,
	  { { 1, 9, 9 }, { 2, 8, 9 }, { 300, 1, 1 } } },
	{ "a drop is seen one window later", false,
	  { { 10, 9, 9 }, { 40, 2, 9 }, { 70, 2, 9 }, { 110, 2, 9 },
	    { 111, 2, 2 } } },
	{ "the ends of the range", false,
	  { { 1, 0, 0 }, { 2, ~0ULL, ~0ULL }, { ~0ULL, 1, 1 } } },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct minmax minmax = { 0 };

		for (size_t j = 0; j < ARRAY_SIZE(cases[i].steps) &&
		     cases[i].steps[j].time_us; j++) {
			u64 time_us = cases[i].steps[j].time_us;
			u64 value = cases[i].steps[j].value, got;

			if (cases[i].smallest)
				got = minmax_min(&minmax, WINDOW, time_us,
						 value);
			else
				got = minmax_max(&minmax, WINDOW, time_us,
						 value);
			EXPECT(got == cases[i].steps[j].expected,
			       "at %llu: %llu", time_us, got);
		}
		test_end(cases[i].name);
	}
	return test_result();
}
