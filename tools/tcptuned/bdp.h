/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bandwidth-delay product, in both directions, and what CUBIC makes of a
 * loss.
 */
#ifndef TCPTUNED_BDP_H
#define TCPTUNED_BDP_H

#include "base.h"

/*
 * Bounds. A rate of 10^12 times an RTT of 10^6 us is 10^18, so that the
 * products of both fit into 64 bits eighteen times.
 */
#define BDP_RATE_MAX_BPS	1000000000000ULL

/* Bytes that a rate carries in some time. */
u64 bdp_bytes(u64 bps, u64 us);

/* The rate that carries some bytes in some time, at most BDP_RATE_MAX_BPS. */
u64 bdp_rate(u64 bytes, u64 us);

/*
 * What one connection of CUBIC carries where @lost_ppm of a million packets are
 * lost at random.
 */
u64 bdp_cubic(u32 lost_ppm, u32 rtt_us, u32 mss_bytes);

#endif /* TCPTUNED_BDP_H */
