// SPDX-License-Identifier: GPL-2.0
/*
 * The bandwidth-delay product. A double has 53 bits, which are plenty, and
 * none of its products overflows.
 */
#include "bdp.h"

#define BDP_BYTES_MAX	1000000000000000000ULL

/* Bits in a byte, and microseconds in a second. */
#define BDP_SCALE	8e6

/* Enough for 2^64: a root is halved 32 times, then gets twice as exact. */
#define BDP_STEPS	40

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

/* By Newton's method: the C library's would cost every daemon libm's memory. */
static double bdp_sqrt(double x)
{
	double root = x > 1 ? x : 1;

	for (int i = 0; i < BDP_STEPS; i++)
		root = (root + x / root) / 2;
	return root;
}

/*
 * The mean window of RFC 9438, section 5.1, in packets, where that is more than
 * Reno's, which CUBIC keeps up with (section 4.3).
 */
u64 bdp_cubic(u32 lost_ppm, u32 rtt_us, u32 mss_bytes)
{
	double share = lost_ppm / 1e6;
	double root = bdp_sqrt(rtt_us / 1e6 / share);
	double cubic = 1.054 * root * bdp_sqrt(root);
	double reno = 1.2 / bdp_sqrt(share);
	double bytes = (cubic > reno ? cubic : reno) * mss_bytes;

	return bytes < (double)BDP_BYTES_MAX ? bdp_rate(bytes, rtt_us) : 0;
}
