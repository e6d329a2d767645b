// SPDX-License-Identifier: GPL-2.0
#include <linux/rtnetlink.h>
#include <string.h>
#include <time.h>

#include "../../sense/route.h"
#include "../test.h"

#define PEERS 10000

/* Peers of one network, which differ in so many of the last bits. */
static const struct {
	const char	*name;
	unsigned char	 first;		/* octet of the peers' addresses */
	bool		 v4;
} cases[] = {
	{ "IPv4", 10, true },
	{ "IPv6", 0xfd, false },
};

static struct tt_conn connection(size_t i, size_t peer)
{
	struct tt_conn conn = { };
	unsigned char *octets = conn.peer.in6.s6_addr;
	bool v4 = cases[i].v4;

	if (v4)
		memset(octets + 10, 0xff, 2);
	octets[v4 ? 12 : 0] = cases[i].first;
	conn.local = conn.peer;
	octets[14] = peer >> 8;
	octets[15] = peer;
	return conn;
}

static long get_all(struct routes *routes, struct nl *nl, size_t i)
{
	clock_t start = clock();

	for (size_t peer = 0; peer < PEERS; peer++) {
		struct tt_conn conn = connection(i, peer);

		routes_get(routes, nl, &conn);
	}
	return clock() - start;
}

/*
 * Finding what is known is a matter of some steps, asking the kernel takes a
 * thousand; if peers of one network had one place, it would be the slower way.
 */
static void test(struct nl *nl, size_t i)
{
	struct routes *routes;
	long asked, found;

	EXPECT(!routes_open(&routes));
	asked = get_all(routes, nl, i);
	found = get_all(routes, nl, i);
	EXPECT(found < asked / 4, "%ld to find, %ld to ask", found, asked);
	routes_close(routes);
}

int main(void)
{
	struct nl *nl;
	int err;

	err = nl_open(&nl, NETLINK_ROUTE);
	EXPECT(!err, "%s", strerror(-err));
	test_end("open");
	if (err)
		return test_result();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test(nl, i);
		test_end(cases[i].name);
	}
	nl_close(nl);
	return test_result();
}
