/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel names for C that the standard spells otherwise.
 */
#ifndef TCPTUNED_BASE_H
#define TCPTUNED_BASE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __printf(a, b) __attribute__((__format__(printf, a, b)))

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

#endif /* TCPTUNED_BASE_H */
