// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "../../sense/host.h"
#include "../../sense/proc.h"
#include "../test.h"

#define IPV4 "sockets: used 15\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem "

static const struct {
	const char *name;
	const char *text;
	u64 pages;
} sockstats[] = {
	{ "as it is", IPV4 "195\nUDP: inuse 0 mem 7\n", 195 },
	{ "last line", IPV4 "195", 195 },
	{ "UDP's is not TCP's", "sockets: used 1\nTCP: inuse 1\nUDP: inuse 0 mem 7\n", 0 },
	{ "UDP first", "sockets: used 1\nUDP: inuse 0 mem 7\nTCP: inuse 1 mem 3\n", 3 },
	{ "no TCP", "sockets: used 1\nUDP: inuse 0 mem 7\n", 0 },
	{ "no number", IPV4 "x\n", 0 },
	{ "cut off", "sockets: used 1\nTCP: inuse 1 mem", 0 },
	{ "empty", "", 0 },
};

static const struct {
	const char *name;
	const char *text;
	size_t n;
	u64 numbers[3];
} vectors[] = {
	{ "three", "4096\t131072\t6291456\n", 3, { 4096, 131072, 6291456 } },
	{ "one", " 7", 1, { 7 } },
	{ "more than wanted", "1 2 3 4", 3, { 1, 2, 3 } },
	{ "none", "\n", 0, { 0 } },
	{ "negative", "-1", 0, { 0 } },
	{ "stops at a word", "1 two 3", 1, { 1 } },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sockstats); i++) {
		u64 pages = host_parse_sockstat(sockstats[i].text);

		EXPECT_EQ(pages, sockstats[i].pages);
		test_end(sockstats[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		u64 numbers[3] = { };
		size_t n = proc_numbers(vectors[i].text, numbers, 3);

		EXPECT_EQ(n, vectors[i].n);
		EXPECT(!memcmp(numbers, vectors[i].numbers, sizeof(numbers)),
		       "%llu %llu %llu", numbers[0], numbers[1], numbers[2]);
		test_end(vectors[i].name);
	}
	return test_result();
}
