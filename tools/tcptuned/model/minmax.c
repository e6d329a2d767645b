// SPDX-License-Identifier: GPL-2.0
/*
 * The largest or smallest of what was measured in a window of time.
 *
 * An exact answer needs every sample of the window. Three are enough for one
 * that is exact but for when the best leaves the window: the best sample, the
 * best since that one, and the best since the second. When the best becomes
 * too old, the second takes its place. So that the others are not of the same
 * moment, the second is taken anew after a quarter of the window and the third
 * after half of it.
 *
 * The idea is Kathleen Nichols', as in the kernel's lib/win_minmax.c.
 */
#include "minmax.h"

void minmax_reset(struct minmax *minmax, u64 time_us, u64 value)
{
	struct minmax_sample now = { .time_us = time_us, .value = value };

	for (size_t i = 0; i < ARRAY_SIZE(minmax->best); i++)
		minmax->best[i] = now;
	minmax->filled = true;
}

/* The best left the window: the others move up, and @now comes last. */
static void minmax_shift(struct minmax *minmax, struct minmax_sample now)
{
	minmax->best[0] = minmax->best[1];
	minmax->best[1] = minmax->best[2];
	minmax->best[2] = now;
}

static void minmax_age(struct minmax *minmax, u64 window_us,
		       struct minmax_sample now)
{
	struct minmax_sample *best = minmax->best;
	u64 age_us = now.time_us - best[0].time_us;

	if (age_us > window_us) {
		minmax_shift(minmax, now);
		if (now.time_us - best[0].time_us > window_us)
			minmax_shift(minmax, now);
	} else if (best[1].time_us == best[0].time_us &&
		   age_us > window_us / 4) {
		best[1] = now;
		best[2] = now;
	} else if (best[2].time_us == best[1].time_us &&
		   age_us > window_us / 2) {
		best[2] = now;
	}
}

static u64 minmax_add(struct minmax *minmax, u64 window_us,
		      struct minmax_sample now, bool maximum)
{
	struct minmax_sample *best = minmax->best;
	size_t rank = ARRAY_SIZE(minmax->best);

	if (!minmax->filled ||
	    now.time_us - best[2].time_us > window_us)
		rank = 0;
	while (rank && (maximum ? now.value >= best[rank - 1].value :
				  now.value <= best[rank - 1].value))
		rank--;
	for (size_t i = rank; i < ARRAY_SIZE(minmax->best); i++)
		best[i] = now;
	minmax->filled = true;
	minmax_age(minmax, window_us, now);
	return best[0].value;
}

u64 minmax_max(struct minmax *minmax, u64 window_us, u64 time_us, u64 value)
{
	return minmax_add(minmax, window_us, (struct minmax_sample) {
		.time_us = time_us, .value = value }, true);
}

u64 minmax_min(struct minmax *minmax, u64 window_us, u64 time_us, u64 value)
{
	return minmax_add(minmax, window_us, (struct minmax_sample) {
		.time_us = time_us, .value = value }, false);
}
