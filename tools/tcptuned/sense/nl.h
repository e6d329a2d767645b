/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_NL_H
#define TCPTUNED_SENSE_NL_H

#include <libmnl/libmnl.h>

#include "../types.h"

struct nl;

/* Returns: a socket of NETLINK_@bus in *@nlp; 0 or a negative errno. */
int nl_open(struct nl **nlp, int bus);

/* Closes a socket, or NULL. */
void nl_close(struct nl *nl);

/**
 * nl_request - begin a request
 * @nl: from nl_open(); it keeps one request at a time
 * @type: nlmsg_type
 * @dump: ask for all that there are, not for one
 * @extra_bytes: of the header that follows netlink's own
 * Returns: the request, with a zeroed header; attributes may be put behind it,
 * NL_REQUEST_BYTES in all
 */
#define NL_REQUEST_BYTES 4096
struct nlmsghdr *nl_request(struct nl *nl, u16 type, bool dump,
			    size_t extra_bytes);

/**
 * nl_ask - send the request and hear the answer out
 * @nl: from nl_open(), after nl_request()
 * @cb: is called for every message of the answer
 * @data: for @cb
 * Returns: 0 or a negative errno; -EINTR if what was dumped changed meanwhile,
 * so that it is worth to ask again from the start
 */
int nl_ask(struct nl *nl, mnl_cb_t cb, void *data);

#endif /* TCPTUNED_SENSE_NL_H */
