// SPDX-License-Identifier: GPL-2.0
/*
 * The TCP connections of this network namespace, by port.
 *
 * Only established ones: a connection that one end has closed takes no more
 * requests. struct tcp_info grows with every kernel, so it is taken at the
 * length that came, and what is missing is 0.
 */
#include "diag.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <string.h>

/* enum in the kernel's net/tcp_states.h and in a libc header that clashes. */
#define ESTABLISHED 1

/* tcpi_rcv_wnd, of kernel 6.2, follows; the headers here may be older. */
#define RCV_WND_OFFSET (offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof(u32))

/* TCP says so of a minimum that it has no sample for. */
#define NO_RTT UINT32_MAX

void diag_add_port(struct diag_ports *ports, u16 port)
{
	if (!diag_has_port(ports, port) && ports->n < DIAG_PORTS)
		ports->port[ports->n++] = port;
}

bool diag_has_port(const struct diag_ports *ports, u16 port)
{
	for (size_t i = 0; i < ports->n; i++)
		if (ports->port[i] == port)
			return true;
	return false;
}

/*
 * A filter is a row of conditional jumps forward; jumping to its end accepts,
 * jumping four bytes beyond it refuses. Each port is "equal, else skip the
 * jump" and "jump to the end"; the last one needs no jump.
 */
struct diag_step {
	struct inet_diag_bc_op equal;
	struct inet_diag_bc_op port;
	struct inet_diag_bc_op jump;
};

size_t diag_filter(const struct diag_ports *local,
		   const struct diag_ports *peer, void *buf)
{
	size_t n = local->n + peer->n, end = n * sizeof(struct diag_step) -
		sizeof(struct inet_diag_bc_op);
	struct diag_step *step = buf;

	for (size_t i = 0; i < n; i++) {
		bool ours = i < local->n;
		size_t left = end - i * sizeof(*step);

		step[i].equal = (struct inet_diag_bc_op) {
			.code = ours ? INET_DIAG_BC_S_EQ : INET_DIAG_BC_D_EQ,
			.yes = offsetof(struct diag_step, jump),
			.no = sizeof(*step),
		};
		step[i].port = (struct inet_diag_bc_op) {
			.no = ours ? local->port[i] : peer->port[i - local->n],
		};
		if (i == n - 1)
			break;
		step[i].jump = (struct inet_diag_bc_op) {
			.code = INET_DIAG_BC_JMP,
			.yes = sizeof(struct inet_diag_bc_op),
			.no = left - offsetof(struct diag_step, jump),
		};
	}
	return end;
}

static void diag_parse_addr(struct tt_addr *addr, u8 family, const __be32 *from)
{
	if (family == AF_INET6) {
		memcpy(&addr->in6, from, sizeof(addr->in6));
		return;
	}
	addr->in6 = (struct in6_addr) { };
	addr->in6.s6_addr[10] = 0xff;
	addr->in6.s6_addr[11] = 0xff;
	memcpy(&addr->in6.s6_addr[12], from, sizeof(*from));
}

static void diag_parse_id(struct tt_conn *conn, const struct inet_diag_msg *msg)
{
	const struct inet_diag_sockid *id = &msg->id;

	conn->cookie = (u64)id->idiag_cookie[1] << 32 | id->idiag_cookie[0];
	diag_parse_addr(&conn->local, msg->idiag_family, id->idiag_src);
	diag_parse_addr(&conn->peer, msg->idiag_family, id->idiag_dst);
	conn->local_port = ntohs(id->idiag_sport);
	conn->peer_port = ntohs(id->idiag_dport);
	conn->uid = msg->idiag_uid;
}

static void diag_parse_rates(struct tt_conn *conn, const struct tcp_info *info)
{
	if (__builtin_mul_overflow(info->tcpi_delivery_rate, 8,
				   &conn->delivery_bps))
		conn->delivery_bps = UINT64_MAX;
	conn->delivery_app_limited = info->tcpi_delivery_rate_app_limited;
	conn->busy_us = info->tcpi_busy_time;
	conn->rwnd_limited_us = info->tcpi_rwnd_limited;
	conn->sndbuf_limited_us = info->tcpi_sndbuf_limited;
	conn->bytes[TT_OUT] = info->tcpi_bytes_acked;
	conn->bytes[TT_IN] = info->tcpi_bytes_received;
	conn->sent_bytes = info->tcpi_bytes_sent;
	conn->resent_bytes = info->tcpi_bytes_retrans;
}

static void diag_parse_info(struct tt_conn *conn, const struct nlattr *attr)
{
	size_t len = mnl_attr_get_payload_len(attr);
	const char *payload = mnl_attr_get_payload(attr);
	struct tcp_info info = { };

	memcpy(&info, payload, len < sizeof(info) ? len : sizeof(info));
	if (len >= RCV_WND_OFFSET + sizeof(u32))
		memcpy(&conn->rcv_wnd_bytes, payload + RCV_WND_OFFSET,
		       sizeof(u32));
	diag_parse_rates(conn, &info);
	if (info.tcpi_min_rtt != NO_RTT)
		conn->min_rtt_us = info.tcpi_min_rtt;
	conn->rtt_us = info.tcpi_rtt;
	conn->rcv_rtt_us = info.tcpi_rcv_rtt;
	conn->sent_segs = info.tcpi_data_segs_out;
	conn->resent_segs = info.tcpi_total_retrans;
	conn->cwnd_segs = info.tcpi_snd_cwnd;
	conn->mss_bytes = info.tcpi_snd_mss;
	conn->wscale[TT_OUT] = info.tcpi_snd_wscale;
	conn->wscale[TT_IN] = info.tcpi_rcv_wscale;
	conn->backoff = info.tcpi_backoff;
}

static void diag_parse_memory(struct tt_conn *conn, const struct nlattr *attr)
{
	size_t len = mnl_attr_get_payload_len(attr);
	u32 mem[SK_MEMINFO_VARS] = { };

	memcpy(mem, mnl_attr_get_payload(attr),
	       len < sizeof(mem) ? len : sizeof(mem));
	conn->sndbuf_bytes = mem[SK_MEMINFO_SNDBUF];
	conn->rcvbuf_bytes = mem[SK_MEMINFO_RCVBUF];
}

bool diag_parse(const struct nlmsghdr *nlh, struct tt_conn *conn)
{
	const struct inet_diag_msg *msg = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	if (nlh->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg) ||
	    (msg->idiag_family != AF_INET && msg->idiag_family != AF_INET6))
		return false;
	*conn = (struct tt_conn) { };
	diag_parse_id(conn, msg);
	mnl_attr_for_each(attr, nlh, sizeof(*msg)) {
		if (mnl_attr_get_type(attr) == INET_DIAG_INFO)
			diag_parse_info(conn, attr);
		else if (mnl_attr_get_type(attr) == INET_DIAG_SKMEMINFO)
			diag_parse_memory(conn, attr);
	}
	return true;
}

static int diag_dump_family(struct nl *nl, u8 family, const void *filter,
			    size_t filter_bytes, mnl_cb_t cb, void *data)
{
	struct inet_diag_req_v2 *req;
	struct nlmsghdr *nlh;

	nlh = nl_request(nl, SOCK_DIAG_BY_FAMILY, true, sizeof(*req));
	req = mnl_nlmsg_get_payload(nlh);
	req->sdiag_family = family;
	req->sdiag_protocol = IPPROTO_TCP;
	req->idiag_states = 1 << ESTABLISHED;
	req->idiag_ext = 1 << (INET_DIAG_INFO - 1) |
		1 << (INET_DIAG_SKMEMINFO - 1);
	mnl_attr_put(nlh, INET_DIAG_REQ_BYTECODE, filter_bytes, filter);
	return nl_ask(nl, cb, data);
}

int diag_dump(struct nl *nl, const struct diag_ports *local,
	      const struct diag_ports *peer, mnl_cb_t cb, void *data)
{
	u32 filter[DIAG_FILTER_BYTES / sizeof(u32)];
	size_t filter_bytes;
	int err;

	if (!local->n && !peer->n)
		return 0;
	filter_bytes = diag_filter(local, peer, filter);
	err = diag_dump_family(nl, AF_INET, filter, filter_bytes, cb, data);
	if (err)
		return err;
	return diag_dump_family(nl, AF_INET6, filter, filter_bytes, cb, data);
}
