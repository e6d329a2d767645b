// SPDX-License-Identifier: GPL-2.0
/*
 * What the users of netlink share beyond libmnl. Every request wants an
 * acknowledgment (a dump ends with one anyway), so there is one way to wait
 * for the end of an answer.
 */
#include "nl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>

/* The kernel fills a buffer of this size with one dump, and no larger one. */
#define ANSWER_BYTES 32768

/* An answer that takes longer is none; the kernel answers while we send. */
#define ANSWER_TIMEOUT_S 5

struct nl {
	struct mnl_socket	*socket;
	int			 bus;
	u32			 seq;
	u64			 request[NL_REQUEST_BYTES / sizeof(u64)];
	u64			 answer[ANSWER_BYTES / sizeof(u64)];
};

static int nl_connect(struct nl *nl)
{
	struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	int err;

	nl->socket = mnl_socket_open2(nl->bus, SOCK_CLOEXEC);
	if (!nl->socket)
		return -errno;
	if (!mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID) &&
	    !setsockopt(mnl_socket_get_fd(nl->socket), SOL_SOCKET, SO_RCVTIMEO,
			&timeout, sizeof(timeout)))
		return 0;
	err = -errno;
	mnl_socket_close(nl->socket);
	nl->socket = NULL;
	return err;
}

int nl_open(struct nl **nlp, int bus)
{
	struct nl *nl = calloc(1, sizeof(*nl));
	int err;

	if (!nl)
		return -ENOMEM;
	nl->bus = bus;
	err = nl_connect(nl);
	if (err) {
		free(nl);
		return err;
	}
	*nlp = nl;
	return 0;
}

void nl_close(struct nl *nl)
{
	if (nl && nl->socket)
		mnl_socket_close(nl->socket);
	free(nl);
}

struct nlmsghdr *nl_request(struct nl *nl, u16 type, bool dump,
			    size_t extra_bytes)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(nl->request);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK);
	nlh->nlmsg_seq = ++nl->seq;
	mnl_nlmsg_put_extra_header(nlh, extra_bytes);
	return nlh;
}

/* Returns: 0 at the end of the answer, 1 before it, or a negative errno. */
static int nl_receive(struct nl *nl, mnl_cb_t cb, void *data)
{
	ssize_t len;
	int more;

	len = mnl_socket_recvfrom(nl->socket, nl->answer, sizeof(nl->answer));
	if (len < 0)
		return -errno;
	more = mnl_cb_run(nl->answer, len, nl->seq,
			  mnl_socket_get_portid(nl->socket), cb, data);
	return more < 0 ? -errno : more;
}

/* A refusal of the kernel ends an answer; anything else leaves a rest of it. */
static bool nl_is_error(const struct nl *nl)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)nl->answer;

	return nlh->nlmsg_type == NLMSG_ERROR && nlh->nlmsg_seq == nl->seq;
}

int nl_ask(struct nl *nl, mnl_cb_t cb, void *data)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)nl->request;
	int more = -ENOTCONN;

	if (!nl->socket)
		more = nl_connect(nl);
	if (!nl->socket)
		return more;
	if (mnl_socket_sendto(nl->socket, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	do {
		more = nl_receive(nl, cb, data);
	} while (more > 0);
	/* What is left of this answer must not be taken for the next one. */
	if (more < 0 && !nl_is_error(nl)) {
		mnl_socket_close(nl->socket);
		nl->socket = NULL;
	}
	return more;
}
