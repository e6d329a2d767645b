// SPDX-License-Identifier: GPL-2.0
/*
 * Which device the packets of a connection leave by. The kernel's answers are
 * kept in a hash table with open addressing, thrown away as a whole: what is
 * gone needs no place, and what changed is seen after a while.
 */
#include "route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* 10,000 peers are asked for in 50 ms. */
#define ROUTE_AGE_US 30000000

#define FEWEST_SLOTS 64

struct route {
	struct tt_addr	local;
	struct tt_addr	peer;
	u32		ifindex;
	bool		used;
};

struct routes {
	struct route	*slots;
	size_t		 nslots;	/* a power of two, or 0 */
	size_t		 nused;		/* three quarters of it at most */
	u64		 seed;		/* peers must not choose their slot */
	u64		 since_us;
};

int routes_open(struct routes **routesp)
{
	struct routes *routes = calloc(1, sizeof(*routes));

	if (!routes)
		return -ENOMEM;
	/* Seldom is there none so early; then the hash is what it is. */
	if (getrandom(&routes->seed, sizeof(routes->seed), GRND_NONBLOCK) < 0)
		routes->seed = 0;
	*routesp = routes;
	return 0;
}

void routes_close(struct routes *routes)
{
	if (routes)
		free(routes->slots);
	free(routes);
}

void routes_age(struct routes *routes, u64 now_us)
{
	if (now_us - routes->since_us < ROUTE_AGE_US)
		return;
	free(routes->slots);
	routes->slots = NULL;
	routes->nslots = 0;
	routes->nused = 0;
	routes->since_us = now_us;
}

#define SPREAD 0x9e3779b97f4a7c15	/* 2^64 / 1.618 */

/*
 * Multiply and fold, as hash functions do. Peers of one network differ in the
 * upper bits of the last word, and folding brings these only to the middle; the
 * upper half of one more product has some of them in every bit.
 */
static u64 route_hash(const struct routes *routes, const struct route *key)
{
	u64 words[4], sum = routes->seed;

	memcpy(words, &key->local, sizeof(key->local));
	memcpy(words + 2, &key->peer, sizeof(key->peer));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		sum = (sum ^ words[i]) * SPREAD;
		sum ^= sum >> 32;
	}
	return sum * SPREAD >> 32;
}

/* The slot of a route, or the free one where it belongs. */
static struct route *route_find(const struct routes *routes,
				const struct route *key)
{
	size_t i = route_hash(routes, key);
	struct route *route;

	for (;; i++) {
		route = &routes->slots[i & (routes->nslots - 1)];
		if (!route->used ||
		    (!memcmp(&route->peer, &key->peer, sizeof(key->peer)) &&
		     !memcmp(&route->local, &key->local, sizeof(key->local))))
			return route;
	}
}

static bool route_grow(struct routes *routes)
{
	struct routes bigger = *routes;

	if (4 * (routes->nused + 1) <= 3 * routes->nslots)
		return true;
	bigger.nslots = routes->nslots ? 2 * routes->nslots : FEWEST_SLOTS;
	bigger.slots = calloc(bigger.nslots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < routes->nslots; i++)
		if (routes->slots[i].used)
			*route_find(&bigger, &routes->slots[i]) =
				routes->slots[i];
	free(routes->slots);
	*routes = bigger;
	return true;
}

static void route_put_addr(struct nlmsghdr *nlh, u16 type,
			   const struct tt_addr *addr)
{
	if (IN6_IS_ADDR_V4MAPPED(&addr->in6))
		mnl_attr_put(nlh, type, sizeof(struct in_addr),
			     &addr->in6.s6_addr[12]);
	else
		mnl_attr_put(nlh, type, sizeof(addr->in6), &addr->in6);
}

static int route_parse(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	u32 *ifindex = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct rtmsg))
		if (mnl_attr_get_type(attr) == RTA_OIF &&
		    !mnl_attr_validate(attr, MNL_TYPE_U32))
			*ifindex = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static u32 route_query(struct nl *nl, const struct route *route)
{
	bool v4 = IN6_IS_ADDR_V4MAPPED(&route->peer.in6);
	struct nlmsghdr *nlh;
	struct rtmsg *rtm;
	u32 ifindex = 0;

	nlh = nl_request(nl, RTM_GETROUTE, false, sizeof(*rtm));
	rtm = mnl_nlmsg_get_payload(nlh);
	rtm->rtm_family = v4 ? AF_INET : AF_INET6;
	rtm->rtm_dst_len = v4 ? 32 : 128;
	rtm->rtm_src_len = rtm->rtm_dst_len;
	route_put_addr(nlh, RTA_DST, &route->peer);
	route_put_addr(nlh, RTA_SRC, &route->local);
	return nl_ask(nl, route_parse, &ifindex) ? 0 : ifindex;
}

u32 routes_get(struct routes *routes, struct nl *nl,
	       const struct tt_conn *conn)
{
	struct route key = { .local = conn->local, .peer = conn->peer };
	struct route *route;

	if (!route_grow(routes))
		return route_query(nl, &key);
	route = route_find(routes, &key);
	if (!route->used) {
		*route = key;
		route->ifindex = route_query(nl, &key);
		route->used = true;
		routes->nused++;
	}
	return route->ifindex;
}
