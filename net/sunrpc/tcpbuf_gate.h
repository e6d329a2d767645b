/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gate: replies that wait hold back a connection's next request.
 */
#ifndef _NET_SUNRPC_TCPBUF_GATE_H
#define _NET_SUNRPC_TCPBUF_GATE_H

#include <linux/net.h>

#include <linux/sunrpc/tcpbuf.h>

struct sock;

#if IS_ENABLED(CONFIG_SUNRPC_TCPBUF)

bool rpc_tcpbuf_gate_is_open(struct rpc_tcpbuf *tb, struct socket *sock,
			     size_t queued_bytes);
void __rpc_tcpbuf_gate_sync(struct rpc_tcpbuf *tb, struct sock *sk);

/**
 * rpc_tcpbuf_gate_sync - let either the gate or the socket bound unsent data
 * @tb: buffer state of the connection
 * @sk: its TCP socket
 *
 * Call it before a message is handed to @sk. One comparison unless the gate
 * was switched on or off.
 *
 * Context: process context, may sleep; the one sender of the transport.
 */
static inline void rpc_tcpbuf_gate_sync(struct rpc_tcpbuf *tb, struct sock *sk)
{
	if (tb->snd_gated != !!READ_ONCE(tb->limits->notsent_lowat_bytes))
		__rpc_tcpbuf_gate_sync(tb, sk);
}

#else /* !CONFIG_SUNRPC_TCPBUF */

static inline bool rpc_tcpbuf_gate_is_open(struct rpc_tcpbuf *tb,
					   struct socket *sock,
					   size_t queued_bytes)
{
	return !queued_bytes && !test_bit(SOCK_NOSPACE, &sock->flags);
}

static inline void rpc_tcpbuf_gate_sync(struct rpc_tcpbuf *tb,
					struct sock *sk) { }

#endif /* CONFIG_SUNRPC_TCPBUF */

#endif /* _NET_SUNRPC_TCPBUF_GATE_H */
