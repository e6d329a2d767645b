/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_MINMAX_H
#define TCPTUNED_MINMAX_H

#include "../types.h"

/* One measurement. */
struct minmax_sample {
	u64	time_us;					/* when */
	u64	value;						/* what */
};

/**
 * struct minmax - the best, second and third best sample of a window
 * @best: in this order of value, and none older than the one before it
 * @filled: there is at least one sample; all three are set then
 */
struct minmax {
	struct minmax_sample	best[3];
	bool			filled;
};

/* Start anew with one sample. */
void minmax_reset(struct minmax *minmax, u64 time_us, u64 value);

/**
 * minmax_max - take in a sample, and forget what is older than the window
 * @minmax: zeroed before the first sample
 * @window_us: how long a sample counts
 * @time_us: of the sample, not before that of the last one
 * @value: of the sample
 * Returns: the largest value in the window
 */
u64 minmax_max(struct minmax *minmax, u64 window_us, u64 time_us, u64 value);

/* The same for the smallest value. */
u64 minmax_min(struct minmax *minmax, u64 window_us, u64 time_us, u64 value);

#endif /* TCPTUNED_MINMAX_H */
