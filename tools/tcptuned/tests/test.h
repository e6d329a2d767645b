/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every unit test shares: KTAP lines, one per case.
 */
#ifndef TCPTUNED_TEST_H
#define TCPTUNED_TEST_H

#include <stdbool.h>
#include <stdio.h>

static int test_cases, test_failures;
static bool test_ok;

/* Says "not ok" of the running case unless @condition, and why. */
#define EXPECT(condition, ...) \
	do { \
		if (!(condition)) { \
			test_ok = false; \
			printf("# %s:%d: %s: ", __FILE__, __LINE__, \
			       #condition); \
			printf(__VA_ARGS__); \
			printf("\n"); \
		} \
	} while (0)

/* Every case lies between these two. */
static inline void test_begin(void)
{
	if (!test_cases)
		printf("KTAP version 1\n");
	test_ok = true;
}

static inline void test_end(const char *name)
{
	test_cases++;
	test_failures += !test_ok;
	printf("%sok %d %s\n", test_ok ? "" : "not ", test_cases, name);
}

/* A figure for out/figures.csv; the unit is in the name of the metric. */
static inline void test_figure(const char *scenario, const char *metric,
			       double value)
{
	printf("# figure: %s, %s %.10g\n", scenario, metric, value);
}

/* What main() returns. */
static inline int test_result(void)
{
	printf("1..%d\n", test_cases);
	return test_failures ? 1 : 0;
}

#endif /* TCPTUNED_TEST_H */
