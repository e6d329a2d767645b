// SPDX-License-Identifier: GPL-2.0
/* Sizes, times, rates and addresses, as they are read and written. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "../../units.h"
#include "../test.h"

static int time_us(const char *text, u64 *value)
{
	u32 us = 0;
	int err = units_parse_time(text, &us);

	*value = us;
	return err;
}

static const struct {
	int		(*parse)(const char *text, u64 *value);
	const char	*text;
	int		err;
	u64		value;
} parsed[] = {
	{ units_parse_bytes, "0", 0, 0 },
	{ units_parse_bytes, "4096", 0, 4096 },
	{ units_parse_bytes, "64KiB", 0, 65536 },
	{ units_parse_bytes, "1.5M", 0, 1572864 },
	{ units_parse_bytes, "1G", 0, 1073741824 },
	{ units_parse_bytes, "", -EINVAL, 0 },
	{ units_parse_bytes, "-1", -EINVAL, 0 },
	{ units_parse_bytes, " 1", -EINVAL, 0 },
	{ units_parse_bytes, "1 ", -EINVAL, 0 },
	{ units_parse_bytes, "0x10", -EINVAL, 0 },
	{ units_parse_bytes, "inf", -EINVAL, 0 },
	{ units_parse_bytes, "1.", -EINVAL, 0 },
	{ units_parse_bytes, ".5", -EINVAL, 0 },
	{ units_parse_bytes, "4T", -EINVAL, 0 },
	{ units_parse_bytes, "9007199254740992", 0, 1ULL << 53 },
	{ units_parse_bytes, "9007199254740994", -ERANGE, 0 },
	{ units_parse_bytes, "1111111111111111111111111111111111111", -ERANGE, 0 },
	{ units_parse_rate, "10G", 0, 10000000000 },
	{ units_parse_rate, "2.5g", 0, 2500000000 },
	{ units_parse_rate, "10Gbit/s", 0, 10000000000 },
	{ units_parse_rate, "1.25GB/s", 0, 10000000000 },
	{ units_parse_rate, "119.2MiB/s", 0, 999922074 },
	{ units_parse_rate, "1Gb", -EINVAL, 0 },
	{ time_us, "120ms", 0, 120000 },
	{ time_us, "200us", 0, 200 },
	{ time_us, "1.5s", 0, 1500000 },
	{ time_us, "120", -EINVAL, 0 },
	{ time_us, "4294s", 0, 4294000000 },
	{ time_us, "4295s", -ERANGE, 0 },
	{ units_parse_rate, "10gbit", 0, 10000000000 },
	{ units_parse_rate, "1000bit", 0, 1000 },
	{ units_parse_rate, "1gb/s", -EINVAL, 0 },
	{ units_parse_rate, "1Gbps", -EINVAL, 0 },
	{ units_parse_rate, "10", -EINVAL, 0 },
	{ units_parse_rate, "99999tbit", -ERANGE, 0 },
};

static void test_parse(void)
{
	char name[80];

	for (size_t i = 0; i < ARRAY_SIZE(parsed); i++) {
		u64 value = 0;
		int err;

		err = parsed[i].parse(parsed[i].text, &value);
		EXPECT_EQ(err, parsed[i].err);
		if (!err)
			EXPECT_EQ(value, parsed[i].value);
		snprintf(name, sizeof(name), "parse '%s'", parsed[i].text);
		test_end(name);
	}
}

static const struct {
	const char	*(*print)(u64 value, char *buf);
	u64		value;
	const char	*text;
} printed[] = {
	{ units_bytes, 0, "0" },
	{ units_bytes, 1023, "1023" },
	{ units_bytes, 1024, "1.0K" },
	{ units_bytes, 67108864, "64.0M" },
	{ units_bytes, 600000000, "572.2M" },
	{ units_bytes, 1ULL << 40, "1024.0G" },
	{ units_time, 0, "0us" },
	{ units_time, 200, "200us" },
	{ units_time, 1500, "1.5ms" },
	{ units_time, 120000, "120ms" },
	{ units_time, 999999, "1000ms" },
	{ units_time, 1500000, "1.5s" },
	{ units_rate, 999, "999bit" },
	{ units_rate, 64000, "64kbit" },
	{ units_rate, 2500000000, "2.5gbit" },
	{ units_rate, 10000000000, "10gbit" },
	{ units_rate, 9412345678, "9.41gbit" },
	{ units_rate, ~0ULL, "18446744tbit" },
};

static void test_print(void)
{
	char name[80], buf[UNITS_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(printed); i++) {
		printed[i].print(printed[i].value, buf);
		EXPECT_STR(buf, printed[i].text);
		snprintf(name, sizeof(name), "print %s", printed[i].text);
		test_end(name);
	}
}

static const struct {
	const char	*text;
	int		err;
	const char	*back;
} addresses[] = {
	{ "10.0.0.1", 0, "10.0.0.1" },
	{ "2001:db8::1", 0, "2001:db8::1" },
	{ "2001:DB8:0:0::1", 0, "2001:db8::1" },
	{ "::ffff:10.0.0.1", 0, "10.0.0.1" },
	{ "::1", 0, "::1" },
	{ "", -EINVAL, NULL },
	{ "10.0.0", -EINVAL, NULL },
	{ "10.0.0.1/8", -EINVAL, NULL },
	{ "server", -EINVAL, NULL },
};

static void test_addresses(void)
{
	char name[80], buf[INET6_ADDRSTRLEN];
	struct tt_addr addr;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		err = units_parse_addr(addresses[i].text, &addr);
		EXPECT_EQ(err, addresses[i].err);
		if (!err)
			EXPECT(!strcmp(units_addr(&addr, buf),
				       addresses[i].back), "%s", buf);
		snprintf(name, sizeof(name), "address '%s'",
			 addresses[i].text);
		test_end(name);
	}
}

int main(void)
{
	test_parse();
	test_print();
	test_addresses();
	return test_result();
}
