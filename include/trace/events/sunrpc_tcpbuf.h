/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace events of RPC's TCP buffers.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sunrpc_tcpbuf

#if !defined(_TRACE_SUNRPC_TCPBUF_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SUNRPC_TCPBUF_H

#include <linux/ipv6.h>
#include <linux/tracepoint.h>

#include <net/inet_sock.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <net/tcp.h>

#include <trace/events/net_probe_common.h>

#define TCPBUF_SOCK_FIELDS \
	__field(unsigned int, netns_ino) \
	__array(__u8, saddr, sizeof(struct sockaddr_in6)) \
	__array(__u8, daddr, sizeof(struct sockaddr_in6))

#define TCPBUF_SOCK_ASSIGN(sk) \
	do { \
		const struct inet_sock *inet = inet_sk(sk); \
		__entry->netns_ino = sock_net(sk)->ns.inum; \
		memset(__entry->saddr, 0, sizeof(struct sockaddr_in6)); \
		memset(__entry->daddr, 0, sizeof(struct sockaddr_in6)); \
		TP_STORE_ADDR_PORTS(__entry, inet, sk); \
	} while (0)

#define TCPBUF_SOCK_FORMAT	"src=%pISpc dest=%pISpc netns=%u "

#define TCPBUF_SOCK_VARARGS \
	__entry->saddr, __entry->daddr, __entry->netns_ino

/*
 * A buffer grows. wanted: what the connection needs; got: what it is given;
 * ceiling: what bounds it. All in bytes, in the unit of sk_rcvbuf.
 */
DECLARE_EVENT_CLASS(rpc_tcpbuf_grow,
		    TP_PROTO(const struct sock *sk, u64 wanted, u32 got,
			     u32 ceiling),
		    TP_ARGS(sk, wanted, got, ceiling),
		    TP_STRUCT__entry(TCPBUF_SOCK_FIELDS
				     __field(u64, wanted)
				     __field(u32, got)
				     __field(u32, ceiling)),
		    TP_fast_assign(TCPBUF_SOCK_ASSIGN(sk);
				   __entry->wanted = wanted;
				   __entry->got = got;
				   __entry->ceiling = ceiling;
		    ),
		    TP_printk(TCPBUF_SOCK_FORMAT "wanted=%llu got=%u ceiling=%u",
			      TCPBUF_SOCK_VARARGS, __entry->wanted,
			      __entry->got, __entry->ceiling)
);

DEFINE_EVENT(rpc_tcpbuf_grow, rpc_tcpbuf_grow_rcvbuf,
	     TP_PROTO(const struct sock *sk, u64 wanted, u32 got, u32 ceiling),
	     TP_ARGS(sk, wanted, got, ceiling));

DEFINE_EVENT(rpc_tcpbuf_grow, rpc_tcpbuf_grow_sndbuf,
	     TP_PROTO(const struct sock *sk, u64 wanted, u32 got, u32 ceiling),
	     TP_ARGS(sk, wanted, got, ceiling));

/*
 * The gate closes: requests are held back, as too many bytes of replies are
 * unsent. It opens again.
 */
DECLARE_EVENT_CLASS(rpc_tcpbuf_gate,
		    TP_PROTO(const struct sock *sk, u64 unsent, u32 lowat),
		    TP_ARGS(sk, unsent, lowat),
		    TP_STRUCT__entry(TCPBUF_SOCK_FIELDS
				     __field(u64, unsent)
				     __field(u32, lowat)
				     __field(int, free)),
		    TP_fast_assign(TCPBUF_SOCK_ASSIGN(sk);
				   __entry->unsent = unsent;
				   __entry->lowat = lowat;
				   __entry->free = sk_stream_wspace(sk);
		    ),
		    TP_printk(TCPBUF_SOCK_FORMAT "unsent=%llu lowat=%u free=%d",
			      TCPBUF_SOCK_VARARGS, __entry->unsent,
			      __entry->lowat, __entry->free)
);

DEFINE_EVENT(rpc_tcpbuf_gate, rpc_tcpbuf_gate_closed,
	     TP_PROTO(const struct sock *sk, u64 unsent, u32 lowat),
	     TP_ARGS(sk, unsent, lowat));

DEFINE_EVENT(rpc_tcpbuf_gate, rpc_tcpbuf_gate_opened,
	     TP_PROTO(const struct sock *sk, u64 unsent, u32 lowat),
	     TP_ARGS(sk, unsent, lowat));

/*
 * A connection gets another congestion control, as its path loses at random, or
 * the old one again. segs: segments sent so far; retrans: those sent again.
 */
DECLARE_EVENT_CLASS(rpc_tcpbuf_lossy,
		    TP_PROTO(const struct sock *sk, const char *ca),
		    TP_ARGS(sk, ca),
		    TP_STRUCT__entry(TCPBUF_SOCK_FIELDS
				     __array(char, ca, TCP_CA_NAME_MAX)
				     __field(u32, segs)
				     __field(u32, retrans)
				     __field(u32, srtt_us)
				     __field(u32, min_rtt_us)),
		    TP_fast_assign(TCPBUF_SOCK_ASSIGN(sk);
				   strscpy(__entry->ca, ca, TCP_CA_NAME_MAX);
				   __entry->segs = tcp_sk(sk)->data_segs_out;
				   __entry->retrans = tcp_sk(sk)->total_retrans;
				   __entry->srtt_us = tcp_sk(sk)->srtt_us >> 3;
				   __entry->min_rtt_us =
					tcp_min_rtt(tcp_sk(sk));
		    ),
		    TP_printk(TCPBUF_SOCK_FORMAT "ca=%s segs=%u retrans=%u srtt_us=%u min_rtt_us=%u",
			      TCPBUF_SOCK_VARARGS, __entry->ca, __entry->segs,
			      __entry->retrans, __entry->srtt_us,
			      __entry->min_rtt_us)
);

DEFINE_EVENT(rpc_tcpbuf_lossy, rpc_tcpbuf_lossy_changed,
	     TP_PROTO(const struct sock *sk, const char *ca),
	     TP_ARGS(sk, ca));

DEFINE_EVENT(rpc_tcpbuf_lossy, rpc_tcpbuf_lossy_restored,
	     TP_PROTO(const struct sock *sk, const char *ca),
	     TP_ARGS(sk, ca));

#endif /* _TRACE_SUNRPC_TCPBUF_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
