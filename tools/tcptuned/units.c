// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes, times and rates as people write them. The C locale is never left, so
 * the point is a point.
 */
#include "units.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct units_unit {
	const char	*name;
	double		 factor;
};

/* The first of equal factors is what is printed. */
static const struct units_unit units_byte_units[] = {
	{ "", 1 },
	{ "K", 1024 }, { "M", 1024 * 1024 }, { "G", 1024 * 1024 * 1024 },
	{ "KiB", 1024 }, { "MiB", 1024 * 1024 }, { "GiB", 1024 * 1024 * 1024 },
	{ }
};

static const struct units_unit units_time_units[] = {
	{ "us", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { }
};

static const struct units_unit units_rate_units[] = {
	{ "bit", 1 }, { "kbit", 1e3 }, { "mbit", 1e6 }, { "gbit", 1e9 },
	{ "tbit", 1e12 }, { }
};

/* As tc, iperf3 and people write them; "b" alone could be either. */
static const struct units_unit units_rate_inputs[] = {
	{ "bit", 1 }, { "kbit", 1e3 }, { "mbit", 1e6 }, { "gbit", 1e9 },
	{ "tbit", 1e12 },
	{ "bit/s", 1 }, { "kbit/s", 1e3 }, { "mbit/s", 1e6 },
	{ "gbit/s", 1e9 }, { "tbit/s", 1e12 },
	{ "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 },
	{ "B/s", 8 }, { "KB/s", 8e3 }, { "MB/s", 8e6 }, { "GB/s", 8e9 },
	{ "KiB/s", 8 * 1024.0 }, { "MiB/s", 8 * 1048576.0 },
	{ "GiB/s", 8 * 1073741824.0 }, { }
};

/* Above it a double does not hold every integer. */
#define LARGEST ((double)(1ULL << 53))

/* Case does not matter, but in B, which b is not. */
static bool units_is(const struct units_unit *unit, const char *name)
{
	const char *byte = strchr(unit->name, 'B');

	return !strcasecmp(unit->name, name) &&
	       (!byte || name[byte - unit->name] == 'B' ||
		!strchr(unit->name, '/'));
}

/*
 * Digits, perhaps a point and more digits, and a unit. strtod() alone would
 * take signs, blanks, hexadecimal numbers and "inf".
 */
static int units_parse(const char *text, const struct units_unit *units,
		       double largest, u64 *value)
{
	size_t len = strspn(text, "0123456789");
	char number[32], *end;
	double wanted;

	if (!len)
		return -EINVAL;
	if (text[len] == '.')
		len += 1 + strspn(text + len + 1, "0123456789");
	if (len >= sizeof(number))
		return -ERANGE;
	memcpy(number, text, len);
	number[len] = '\0';
	wanted = strtod(number, &end);
	if (*end || number[len - 1] == '.')
		return -EINVAL;
	while (units->name && !units_is(units, text + len))
		units++;
	if (!units->name)
		return -EINVAL;
	wanted *= units->factor;
	if (wanted > largest)
		return -ERANGE;
	*value = wanted + 0.5;
	return 0;
}

int units_parse_bytes(const char *text, u64 *bytes)
{
	return units_parse(text, units_byte_units, LARGEST, bytes);
}

int units_parse_time(const char *text, u32 *us)
{
	u64 value;
	int err;

	err = units_parse(text, units_time_units, (double)UINT32_MAX - 1,
			  &value);
	if (!err)
		*us = value;
	return err;
}

int units_parse_rate(const char *text, u64 *bps)
{
	return units_parse(text, units_rate_inputs, LARGEST, bps);
}

/* Three digits are enough for people; %g would drop to exponents at 1000. */
static const char *units_three_digits(double value, const char *unit, char *buf)
{
	snprintf(buf, UNITS_MAX, value >= 100 ? "%.0f%s" : "%.3g%s", value,
		 unit);
	return buf;
}

/* In the largest unit of which there is at least one. */
static const char *units_print(u64 value, const struct units_unit *units,
			       char *buf)
{
	while (units[1].name && value >= units[1].factor)
		units++;
	return units_three_digits(value / units->factor, units->name, buf);
}

const char *units_bytes(u64 bytes, char *buf)
{
	const struct units_unit *unit = units_byte_units;

	while (unit < units_byte_units + 3 && bytes >= unit[1].factor)
		unit++;
	if (unit == units_byte_units)
		snprintf(buf, UNITS_MAX, "%u", (unsigned int)bytes);
	else
		snprintf(buf, UNITS_MAX, "%.1f%s", bytes / unit->factor,
			 unit->name);
	return buf;
}

const char *units_time(u64 us, char *buf)
{
	return units_print(us, units_time_units, buf);
}

const char *units_rate(u64 bps, char *buf)
{
	return units_print(bps, units_rate_units, buf);
}

/* Returns: the length of the UTF-8 character at @text, 0 if it is none. */
static size_t units_utf8_length(const u8 *text)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *text < 0x80 ? 1 : *text < 0xc0 ? 0 : *text < 0xe0 ? 2 :
		     *text < 0xf0 ? 3 : *text < 0xf8 ? 4 : 0;
	u32 c = len == 1 ? *text : *text & (0x7f >> len);

	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	/* Too long a form, half of a UTF-16 pair, or no character at all. */
	if (!len || c < least[len] || (c >= 0xd800 && c < 0xe000) ||
	    c > 0x10ffff)
		return 0;
	if ((c < 0x20 && c != '\n') || (c >= 0x7f && c < 0xa0))
		return 0;
	return len;
}

void units_clean(char *text)
{
	while (*text) {
		size_t len = units_utf8_length((const u8 *)text);

		if (!len)
			*text = '?';
		text += len ? len : 1;
	}
}

const char *units_addr(const struct tt_addr *addr, char *buf)
{
	const struct in6_addr *in6 = &addr->in6;

	if (IN6_IS_ADDR_V4MAPPED(in6))
		inet_ntop(AF_INET, &in6->s6_addr[12], buf, INET_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, in6, buf, INET6_ADDRSTRLEN);
	return buf;
}

int units_parse_addr(const char *text, struct tt_addr *addr)
{
	struct in6_addr in6 = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (inet_pton(AF_INET, text, &in6.s6_addr[12]) != 1 &&
	    inet_pton(AF_INET6, text, &in6) != 1)
		return -EINVAL;
	addr->in6 = in6;
	return 0;
}
