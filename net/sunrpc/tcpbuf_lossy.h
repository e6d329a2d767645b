/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Another congestion control for RPC connections whose path loses at random.
 */
#ifndef _NET_SUNRPC_TCPBUF_LOSSY_H
#define _NET_SUNRPC_TCPBUF_LOSSY_H

#include <linux/types.h>

#include <linux/sunrpc/tcpbuf.h>

struct net;

/**
 * struct rpc_tcpbuf_sample - what TCP knows of a connection
 * @segs: segments with data that it sent, those sent again included
 * @retrans: segments that it sent again
 * @srtt_us: smoothed round trip
 * @min_rtt_us: smallest round trip of the path; U32_MAX: no sample yet
 * @cwnd: congestion window, segments
 */
struct rpc_tcpbuf_sample {
	u32		segs;
	u32		retrans;
	u32		srtt_us;
	u32		min_rtt_us;
	u32		cwnd;
};

/* tcpbuf_lossy.c */
void rpc_tcpbuf_lossy_init(struct rpc_tcpbuf_lossy *lossy);
int rpc_tcpbuf_lossy_set(struct net *net, struct rpc_tcpbuf_limits *limits,
			 const char *name);
void rpc_tcpbuf_lossy_get(const struct rpc_tcpbuf_limits *limits, char *name);

/* tcpbuf_lossy_rule.c */
bool rpc_tcpbuf_lossy_is_random(struct rpc_tcpbuf_counts *counts,
				const struct rpc_tcpbuf_sample *now);
bool rpc_tcpbuf_lossy_is_worse(struct rpc_tcpbuf_counts *counts,
			       const struct rpc_tcpbuf_sample *now);

#endif /* _NET_SUNRPC_TCPBUF_LOSSY_H */
