/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Separate limits for the TCP buffers of RPC connections.
 */
#ifndef _LINUX_SUNRPC_TCPBUF_H
#define _LINUX_SUNRPC_TCPBUF_H

#include <linux/compiler.h>
#include <linux/types.h>

struct net;
struct sock;

/* Whose connections a limit is for. */
enum rpc_tcpbuf_role {
	RPC_TCPBUF_SERVER,
	RPC_TCPBUF_CLIENT,
	RPC_TCPBUF_ROLES,
};

/**
 * struct rpc_tcpbuf_limits - what is set for a role in a network namespace
 * @rcvbuf_bytes: ceiling of a connection's receive buffer
 * @sndbuf_bytes: ceiling of a connection's send buffer
 * @notsent_lowat_bytes: unsent data that hold back the next request of a
 *	server's connection; a client has none
 *
 * The ceilings are in the unit of setsockopt(SO_RCVBUF): sk_rcvbuf and
 * sk_sndbuf may become twice the value. 0 leaves the size to TCP. Written by
 * sysctl, read locklessly.
 */
struct rpc_tcpbuf_limits {
	int		rcvbuf_bytes;
	int		sndbuf_bytes;
	int		notsent_lowat_bytes;
};

/**
 * struct rpc_tcpbuf - buffer state of one RPC connection
 * @limits: those of the connection's namespace; they live as long as it, and
 *	the transport holds a reference to it (xpt_net, xprt_net). The socket
 *	of a kernel service need not hold one.
 * @rcv_space_bytes: TCP's estimate of bytes per round trip when last looked at
 * @rcv_window_bytes: the window that this estimate asks for
 * @rcv_grown: the receive buffer is beyond tcp_rmem[2] because sunrpc raised it
 * @snd_grown: the send buffer is beyond tcp_wmem[2] because sunrpc raised it,
 *	and SOCK_SNDBUF_LOCK is set
 * @snd_gated: the socket's own TCP_NOTSENT_LOWAT is overridden by the gate
 * @notsent_lowat: what it was before
 * @gate_closed: the gate was closed when last looked at; read locklessly
 *
 * The receive members belong to the thread that receives from the transport,
 * the send members to the one that sends on it.
 */
struct rpc_tcpbuf {
#if IS_ENABLED(CONFIG_SUNRPC_TCPBUF)
	const struct rpc_tcpbuf_limits *limits;
	u32		rcv_space_bytes;
	u32		rcv_window_bytes;
	bool		rcv_grown;
	bool		snd_grown;
	bool		snd_gated;
	bool		gate_closed;
	u32		notsent_lowat;
#endif
};

#if IS_ENABLED(CONFIG_SUNRPC_TCPBUF)

int rpc_tcpbuf_register(void);
void rpc_tcpbuf_unregister(void);

void rpc_tcpbuf_init(struct rpc_tcpbuf *tb, const struct net *net,
		     enum rpc_tcpbuf_role role);
void __rpc_tcpbuf_received(struct rpc_tcpbuf *tb, struct sock *sk);
void __rpc_tcpbuf_sending(struct rpc_tcpbuf *tb, struct sock *sk);

/**
 * rpc_tcpbuf_received - let the receive buffer grow if the connection needs it
 * @tb: buffer state of the connection
 * @sk: its TCP socket
 *
 * Call it after data was copied out of @sk. One comparison when no limit is
 * set and none was before.
 *
 * Context: process context, may sleep; the one receiver of the transport.
 */
static inline void rpc_tcpbuf_received(struct rpc_tcpbuf *tb, struct sock *sk)
{
	if (READ_ONCE(tb->limits->rcvbuf_bytes) | tb->rcv_grown)
		__rpc_tcpbuf_received(tb, sk);
}

/**
 * rpc_tcpbuf_sending - let the send buffer grow if the connection needs it
 * @tb: buffer state of the connection
 * @sk: its TCP socket
 *
 * Call it before data are handed to @sk. One comparison when no limit is
 * set and none was before.
 *
 * Context: process context, may sleep; the one sender of the transport.
 */
static inline void rpc_tcpbuf_sending(struct rpc_tcpbuf *tb, struct sock *sk)
{
	if (READ_ONCE(tb->limits->sndbuf_bytes) | tb->snd_grown)
		__rpc_tcpbuf_sending(tb, sk);
}

#else /* !CONFIG_SUNRPC_TCPBUF */

static inline int rpc_tcpbuf_register(void) { return 0; }
static inline void rpc_tcpbuf_unregister(void) { }
static inline void rpc_tcpbuf_init(struct rpc_tcpbuf *tb,
				   const struct net *net,
				   enum rpc_tcpbuf_role role) { }
static inline void rpc_tcpbuf_received(struct rpc_tcpbuf *tb,
				       struct sock *sk) { }
static inline void rpc_tcpbuf_sending(struct rpc_tcpbuf *tb,
				      struct sock *sk) { }

#endif /* CONFIG_SUNRPC_TCPBUF */

#endif /* _LINUX_SUNRPC_TCPBUF_H */
