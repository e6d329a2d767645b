/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_QDISC_H
#define TCPTUNED_SENSE_QDISC_H

#include "nl.h"

/**
 * qdisc_bps - rate of the shaper that is the root qdisc of a device
 * @nl: of NETLINK_ROUTE
 * @ifindex: which device
 * @kind: of its root qdisc, as the link says
 *
 * Known are tbf, netem, cake and htb, of which the largest ceiling of a class
 * below the root counts. What shapes further down is not looked for.
 * Returns: bits per second, 0 if nothing is shaped
 */
u64 qdisc_bps(struct nl *nl, u32 ifindex, const char *kind);

/**
 * qdisc_parse - rate in the options of a qdisc, or of a class of htb
 * @kind: which qdisc
 * @options: TCA_OPTIONS
 * Returns: bytes per second, 0 if there is none
 */
u64 qdisc_parse(const char *kind, const struct nlattr *options);

#endif /* TCPTUNED_SENSE_QDISC_H */
