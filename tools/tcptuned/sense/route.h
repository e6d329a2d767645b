/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_ROUTE_H
#define TCPTUNED_SENSE_ROUTE_H

#include "nl.h"

struct routes;

/* Returns: in *@routesp an empty table; 0 or a negative errno. */
int routes_open(struct routes **routesp);

/* Undoes routes_open(), also of NULL. */
void routes_close(struct routes *routes);

/**
 * routes_age - forget everything that is too old
 * @routes: from routes_open()
 * @now_us: CLOCK_MONOTONIC; after 30 s, all routes are asked again
 */
void routes_age(struct routes *routes, u64 now_us);

/**
 * routes_get - the way to a peer
 * @routes: from routes_open()
 * @nl: of NETLINK_ROUTE
 * @conn: its addresses count
 *
 * Where several ways have the same cost, it is one of them. A link-local peer
 * is looked for on the first device that has such a route.
 * Returns: ifindex, 0 if there is no route
 */
u32 routes_get(struct routes *routes, struct nl *nl,
	       const struct tt_conn *conn);

#endif /* TCPTUNED_SENSE_ROUTE_H */
