// SPDX-License-Identifier: GPL-2.0
#include "reconnect.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <string.h>

#define ANSWER_BYTES 1024
#define ANSWER_TIMEOUT_S 5

void reconnects_note(struct reconnects *reconnects,
		     const struct tt_reconnect *reconnect)
{
	size_t at = 0, oldest = 0;

	for (; at < reconnects->n; at++) {
		const struct tt_reconnect *done = &reconnects->done[at];

		if (done->conn.role == reconnect->conn.role &&
		    !memcmp(&done->conn.peer, &reconnect->conn.peer,
			    sizeof(done->conn.peer)))
			break;
		if (done->now_us < reconnects->done[oldest].now_us)
			oldest = at;
	}
	if (at == RECONNECTS_MAX)
		at = oldest;
	else if (at == reconnects->n)
		reconnects->n++;
	reconnects->done[at] = *reconnect;
}

/* An address as sock_diag has it: IPv4 is not mapped there. */
static void reconnect_put_addr(__be32 to[4], const struct tt_addr *addr,
			       bool is_v4)
{
	if (is_v4)
		memcpy(to, &addr->in6.s6_addr[12], 4);
	else
		memcpy(to, &addr->in6, 16);
}

static void reconnect_put(struct nlmsghdr *nlh,
			  const struct tt_reconnect *reconnect)
{
	const struct tt_conn *conn = &reconnect->conn;
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(&conn->peer.in6);
	struct inet_diag_req_v2 *req;

	nlh->nlmsg_type = SOCK_DESTROY;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	nlh->nlmsg_seq = 1;
	req = mnl_nlmsg_put_extra_header(nlh, sizeof(*req));
	req->sdiag_family = is_v4 ? AF_INET : AF_INET6;
	req->sdiag_protocol = IPPROTO_TCP;
	req->idiag_states = -1;
	req->id.idiag_sport = htons(conn->local_port);
	req->id.idiag_dport = htons(conn->peer_port);
	reconnect_put_addr(req->id.idiag_src, &conn->local, is_v4);
	reconnect_put_addr(req->id.idiag_dst, &conn->peer, is_v4);
	req->id.idiag_if = reconnect->ifindex;
	/* Whatever has the same addresses later is another one. */
	req->id.idiag_cookie[0] = conn->cookie;
	req->id.idiag_cookie[1] = conn->cookie >> 32;
}

static int reconnect_ask(struct mnl_socket *socket,
			 const struct tt_reconnect *reconnect)
{
	struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	u64 buf[ANSWER_BYTES / sizeof(u64)];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	ssize_t len;

	reconnect_put(nlh, reconnect);
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) ||
	    setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO,
		       &timeout, sizeof(timeout)) ||
	    mnl_socket_sendto(socket, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	len = mnl_socket_recvfrom(socket, buf, sizeof(buf));
	if (len < 0 || mnl_cb_run(buf, len, 1, mnl_socket_get_portid(socket),
				  NULL, NULL) < 0)
		return -errno;
	return 0;
}

int reconnect_destroy(const struct tt_reconnect *reconnect)
{
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_SOCK_DIAG,
						     SOCK_CLOEXEC);
	int err;

	if (!socket)
		return -errno;
	err = reconnect_ask(socket, reconnect);
	mnl_socket_close(socket);
	return err;
}
