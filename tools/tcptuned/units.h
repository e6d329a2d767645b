/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_UNITS_H
#define TCPTUNED_UNITS_H

#include "types.h"

/* All return 0, or -EINVAL (nonsense, no or wrong unit) or -ERANGE. */

/* "4096", "64K", "64M", "1G", powers of 1024, also with "iB". */
int units_parse_bytes(const char *text, u64 *bytes);

/* "120ms", "200us", "1.5s"; the unit is needed. */
int units_parse_time(const char *text, u32 *us);

/* "10gbit", "10G", "10Gbit/s", "1.25GB/s", powers of 1000; also "119MiB/s". */
int units_parse_rate(const char *text, u64 *bps);

/* Room for what the functions below write. */
#define UNITS_MAX 32

/* Return @buf, which has UNITS_MAX bytes. "64.0M", "120ms", "10gbit" */
const char *units_bytes(u64 bytes, char *buf);
const char *units_time(u64 us, char *buf);
const char *units_rate(u64 bps, char *buf);

/*
 * Makes a text from outside fit for terminals and JSON: what is no UTF-8, and
 * control characters other than newlines, become question marks.
 */
void units_clean(char *text);

/* "10.0.0.1" or "2001:db8::1"; @buf has INET6_ADDRSTRLEN bytes. */
const char *units_addr(const struct tt_addr *addr, char *buf);

/* The inverse; 0 or -EINVAL. */
int units_parse_addr(const char *text, struct tt_addr *addr);

#endif /* TCPTUNED_UNITS_H */
