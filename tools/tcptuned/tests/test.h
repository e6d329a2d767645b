/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every unit test shares: KTAP lines, one per case.
 */
#ifndef TCPTUNED_TEST_H
#define TCPTUNED_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int test_cases, test_failures;
static bool test_broken;

/* May stand before any case. */
static inline void test_begin(void)
{
	static bool started;

	if (!started)
		printf("KTAP version 1\n");
	started = true;
}

/* Says "not ok" of the running case, and why. */
#define FAIL(text, ...) \
	(test_begin(), test_broken = true, \
	 printf("# %s:%d: " text "\n", __FILE__, __LINE__, __VA_ARGS__))

/* A message may follow, as in printf(3). */
#define EXPECT(condition, ...) \
	do { \
		if (!(condition)) { \
			FAIL("%s", #condition); \
			printf("# " __VA_ARGS__); \
			printf("\n"); \
		} \
	} while (0)

#define EXPECT_EQ(got, want) \
	do { \
		unsigned long long got_ = (got), want_ = (want); \
		if (got_ != want_) \
			FAIL("%s is %llu, not %llu", #got, got_, want_); \
	} while (0)

#define EXPECT_STR(got, want) \
	do { \
		const char *got_ = (got), *want_ = (want); \
		if (strcmp(got_, want_)) \
			FAIL("%s is \"%s\", not \"%s\"", #got, got_, want_); \
	} while (0)

/* A case is what lies between the one before it and this. */
static inline void test_end(const char *name)
{
	test_begin();
	test_cases++;
	test_failures += test_broken;
	printf("%sok %d %s\n", test_broken ? "not " : "", test_cases, name);
	test_broken = false;
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
