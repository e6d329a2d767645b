/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TCP buffers of RPC connections: what their files share.
 */
#ifndef _NET_SUNRPC_TCPBUF_H
#define _NET_SUNRPC_TCPBUF_H

#include <linux/limits.h>
#include <linux/types.h>

#include <linux/sunrpc/tcpbuf.h>

struct net;

/* Largest value that an administrator may set: its double fits into an int. */
#define RPC_TCPBUF_MAX		(INT_MAX / 2)

/* Largest window that TCP can offer: 16 bits and a shift of 14, RFC 7323. */
#define RPC_TCPBUF_MAX_WINDOW	(U16_MAX << 14)

/* tcpbuf_net.c */
const struct rpc_tcpbuf_limits *
rpc_tcpbuf_net_limits(const struct net *net, enum rpc_tcpbuf_role role);

/* tcpbuf_gate.c */
u64 rpc_tcpbuf_gate_bytes(u32 lowat_bytes, unsigned long bytes_per_s);

/* tcpbuf_size.c */
u32 rpc_tcpbuf_ceiling(int value_bytes, u32 host_max_bytes);
u64 rpc_tcpbuf_rcv_window(u32 space_bytes, u32 last_bytes, u32 rtt_us,
			  u32 min_rtt_us);
u64 rpc_tcpbuf_rcvbuf(u32 window_bytes, u32 rcvbuf_bytes,
		      u32 full_space_bytes);
u64 rpc_tcpbuf_bdp(u32 delivered, u32 interval_us, u32 mss_bytes,
		   u32 min_rtt_us);
u64 rpc_tcpbuf_sndbuf(u32 in_flight_bytes, u64 bdp_bytes, u32 queued_bytes,
		      u32 wmem_bytes);
u32 rpc_tcpbuf_step(u64 wanted_bytes, u32 now_bytes, u32 ceiling_bytes);

#endif /* _NET_SUNRPC_TCPBUF_H */
