// SPDX-License-Identifier: GPL-2.0
/*
 * The bandwidth-delay product. A double has 53 bits, which are plenty, and
 * none of its products overflows.
 */
#include "bdp.h"

#define BDP_BYTES_MAX	1000000000000000000ULL

/* Bits in a byte, and microseconds in a second. */
#define BDP_SCALE	8e6

u64 bdp_bytes(u64 bps, u64 us)
{
	double bytes = (double)min_u64(bps, BDP_RATE_MAX_BPS) * (double)us /
		       BDP_SCALE;

	return bytes < (double)BDP_BYTES_MAX ? (u64)bytes : BDP_BYTES_MAX;
}

u64 bdp_rate(u64 bytes, u64 us)
{
	double bps = us ? (double)bytes * BDP_SCALE / (double)us : 0;

	return bps < (double)BDP_RATE_MAX_BPS ? (u64)bps : BDP_RATE_MAX_BPS;
}
