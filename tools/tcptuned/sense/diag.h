/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_DIAG_H
#define TCPTUNED_SENSE_DIAG_H

#include "nl.h"

/* NFS is on 2049; whoever has more than this many ports has the first. */
#define DIAG_PORTS 64

struct diag_ports {
	u16	port[DIAG_PORTS];
	size_t	n;
};

/* Adds a port unless it is there, or there is no room. */
void diag_add_port(struct diag_ports *ports, u16 port);

bool diag_has_port(const struct diag_ports *ports, u16 port);

/* Room for a filter of all ports, in bytes. */
#define DIAG_FILTER_BYTES (2 * DIAG_PORTS * 12)

/**
 * diag_filter - a program that the kernel runs on every socket
 * @local: ports of this end
 * @peer: ports of the other end; both together are not empty
 * @buf: takes the program, DIAG_FILTER_BYTES at most
 *
 * A socket passes if one of its ports is listed.
 * Returns: length of the program in bytes
 */
size_t diag_filter(const struct diag_ports *local,
		   const struct diag_ports *peer, void *buf);

/**
 * diag_parse - a socket as the kernel describes it
 * @nlh: message of a dump
 * @conn: is set, but for @role; what the kernel does not tell is 0
 * Returns: false if it is no TCP connection
 */
bool diag_parse(const struct nlmsghdr *nlh, struct tt_conn *conn);

/**
 * diag_dump - all established connections with one of the ports
 * @nl: of NETLINK_SOCK_DIAG
 * @local: ports of this end
 * @peer: ports of the other end
 * @cb: a libmnl callback, called with messages for diag_parse()
 * @data: for @cb
 * Returns: 0 or a negative errno, see nl_ask()
 */
int diag_dump(struct nl *nl, const struct diag_ports *local,
	      const struct diag_ports *peer, mnl_cb_t cb, void *data);

#endif /* TCPTUNED_SENSE_DIAG_H */
