/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace events of RPC's TCP buffers.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sunrpc_tcpbuf

#if !defined(_TRACE_SUNRPC_TCPBUF_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SUNRPC_TCPBUF_H

#include <linux/tracepoint.h>

#include <net/inet_sock.h>
#include <net/sock.h>

/*
 * A buffer grows. wanted: what the connection needs; got: what it is given;
 * ceiling: what bounds it. All in bytes, in the unit of sk_rcvbuf.
 */
DECLARE_EVENT_CLASS(rpc_tcpbuf_grow,
		    TP_PROTO(const struct sock *sk, u64 wanted, u32 got,
			     u32 ceiling),
		    TP_ARGS(sk, wanted, got, ceiling),
		    TP_STRUCT__entry(__field(u64, wanted)
				     __field(u32, got)
				     __field(u32, ceiling)
				     __field(u16, sport)
				     __field(u16, dport)),
		    TP_fast_assign(__entry->wanted = wanted;
				   __entry->got = got;
				   __entry->ceiling = ceiling;
				   __entry->sport =
					ntohs(inet_sk(sk)->inet_sport);
				   __entry->dport =
					ntohs(inet_sk(sk)->inet_dport);
		    ),
		    TP_printk("sport=%u dport=%u wanted=%llu got=%u ceiling=%u",
			      __entry->sport, __entry->dport,
			      __entry->wanted, __entry->got, __entry->ceiling)
);

DEFINE_EVENT(rpc_tcpbuf_grow, rpc_tcpbuf_grow_rcvbuf,
	     TP_PROTO(const struct sock *sk, u64 wanted, u32 got, u32 ceiling),
	     TP_ARGS(sk, wanted, got, ceiling));

DEFINE_EVENT(rpc_tcpbuf_grow, rpc_tcpbuf_grow_sndbuf,
	     TP_PROTO(const struct sock *sk, u64 wanted, u32 got, u32 ceiling),
	     TP_ARGS(sk, wanted, got, ceiling));

/*
 * The gate closes: requests are held back, as unsent bytes of replies are at or
 * above lowat, or as the reply to one more may not fit into the free bytes of
 * the send buffer. It opens: neither is so, or lowat is 0.
 */
DECLARE_EVENT_CLASS(rpc_tcpbuf_gate,
		    TP_PROTO(const struct sock *sk, u32 unsent, u32 lowat),
		    TP_ARGS(sk, unsent, lowat),
		    TP_STRUCT__entry(__field(u32, unsent)
				     __field(u32, lowat)
				     __field(int, free)
				     __field(u16, sport)
				     __field(u16, dport)),
		    TP_fast_assign(__entry->unsent = unsent;
				   __entry->lowat = lowat;
				   __entry->free = sk_stream_wspace(sk);
				   __entry->sport =
					ntohs(inet_sk(sk)->inet_sport);
				   __entry->dport =
					ntohs(inet_sk(sk)->inet_dport);
		    ),
		    TP_printk("sport=%u dport=%u unsent=%u lowat=%u free=%d",
			      __entry->sport, __entry->dport,
			      __entry->unsent, __entry->lowat, __entry->free)
);

DEFINE_EVENT(rpc_tcpbuf_gate, rpc_tcpbuf_gate_closed,
	     TP_PROTO(const struct sock *sk, u32 unsent, u32 lowat),
	     TP_ARGS(sk, unsent, lowat));

DEFINE_EVENT(rpc_tcpbuf_gate, rpc_tcpbuf_gate_opened,
	     TP_PROTO(const struct sock *sk, u32 unsent, u32 lowat),
	     TP_ARGS(sk, unsent, lowat));

#endif /* _TRACE_SUNRPC_TCPBUF_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
