/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_LINK_H
#define TCPTUNED_SENSE_LINK_H

#include "nl.h"

struct links;

/* Returns: in *@linksp an empty table; 0 or a negative errno. */
int links_open(struct links **linksp);

/* Undoes links_open(), also of NULL. */
void links_close(struct links *links);

/**
 * links_get - a device
 * @links: from links_open()
 * @nl: of NETLINK_ROUTE
 * @ifindex: which device; 0 for none
 * @now_us: CLOCK_MONOTONIC; what is older than 10 s is asked again
 * @link: is set
 *
 * The rate is the least of the device's speed and what the shapers on it and
 * on the devices below it let through.
 */
void links_get(struct links *links, struct nl *nl, u32 ifindex, u64 now_us,
	       struct tt_link *link);

/**
 * links_fastest - speed of the fastest device in use
 * @links: from links_open()
 * @nl: of NETLINK_ROUTE
 * @now_us: CLOCK_MONOTONIC; what is older than 60 s is asked again
 * Returns: bits per second, 0 if no device tells
 */
u64 links_fastest(struct links *links, struct nl *nl, u64 now_us);

#endif /* TCPTUNED_SENSE_LINK_H */
