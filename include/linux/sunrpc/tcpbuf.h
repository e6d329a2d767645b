/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Separate limits for the TCP buffers of RPC connections.
 */
#ifndef _LINUX_SUNRPC_TCPBUF_H
#define _LINUX_SUNRPC_TCPBUF_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct net;
struct sock;
struct socket;

/* TCP_CA_NAME_MAX */
#define RPC_TCPBUF_CA_NAME_MAX	16

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
 * @lossy: @lossy_ca is set
 * @lossy_ca: congestion control of connections whose path loses at random
 * @lossy_holder: holds a reference to it
 *
 * The ceilings are in the unit of setsockopt(SO_RCVBUF): sk_rcvbuf and
 * sk_sndbuf may become twice the value. 0 leaves the size to TCP. Written by
 * sysctl, read locklessly.
 */
struct rpc_tcpbuf_limits {
	int		rcvbuf_bytes;
	int		sndbuf_bytes;
	int		notsent_lowat_bytes;
	bool		lossy;
	char		lossy_ca[RPC_TCPBUF_CA_NAME_MAX];
	struct socket	*lossy_holder;
};

/**
 * struct rpc_tcpbuf_counts - what a connection sent and lost
 * @segs: before a change: where counting began, or is to begin. After it: the
 *	segments that were sent when last looked at.
 * @retrans: those of them that were sent again
 * @changed_segs: segments that were sent when the algorithm was changed
 * @started: counting has begun
 * @settled: it had time to find the path's rate since
 * @max_cwnd: largest congestion window since
 * @allowed_segs: of how many segments one may be sent again
 * @level_segs: how much more than that was sent again of late
 * @queue_segs: segments that were sent when no long queue was last seen
 */
struct rpc_tcpbuf_counts {
	u32		segs;
	u32		retrans;
	u32		changed_segs;
	bool		started;
	bool		settled;
	u32		max_cwnd;
	u32		allowed_segs;
	u64		level_segs;
	u32		queue_segs;
};

/* Where a connection is on the way to another congestion control, and back. */
enum rpc_tcpbuf_lossy_state {
	RPC_TCPBUF_LOSSY_WATCHED,
	RPC_TCPBUF_LOSSY_CHANGING,
	RPC_TCPBUF_LOSSY_CHANGED,
	RPC_TCPBUF_LOSSY_LEAVING,
	RPC_TCPBUF_LOSSY_FAILING,
	RPC_TCPBUF_LOSSY_DONE,
};

/**
 * struct rpc_tcpbuf_lossy - another congestion control for a lossy path
 * @state: where the connection is
 * @counts: what it lost
 * @work: changes the algorithm; under way if @state ends in ING
 * @sk: the socket to change
 * @ca: the algorithm that it was changed to; only to compare
 * @old_ca: the one that it had
 */
struct rpc_tcpbuf_lossy {
	enum rpc_tcpbuf_lossy_state state;
	struct rpc_tcpbuf_counts counts;
	struct work_struct work;
	struct sock	*sk;
	const void	*ca;
	char		old_ca[RPC_TCPBUF_CA_NAME_MAX];
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
 * @lossy: the connection's congestion control, if its path loses at random
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
	struct rpc_tcpbuf_lossy lossy;
#endif
};

#if IS_ENABLED(CONFIG_SUNRPC_TCPBUF)

int rpc_tcpbuf_register(void);
void rpc_tcpbuf_unregister(void);

void rpc_tcpbuf_init(struct rpc_tcpbuf *tb, const struct net *net,
		     enum rpc_tcpbuf_role role);
void __rpc_tcpbuf_received(struct rpc_tcpbuf *tb, struct sock *sk);
void __rpc_tcpbuf_sending(struct rpc_tcpbuf *tb, struct sock *sk);
void __rpc_tcpbuf_lossy_look(struct rpc_tcpbuf *tb, struct sock *sk);
void rpc_tcpbuf_stop(struct rpc_tcpbuf *tb);

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
 * And look at what it loses. Call it before data are handed to @sk. Two
 * comparisons when nothing is set and nothing was before.
 *
 * Context: process context, may sleep; the one sender of the transport.
 */
static inline void rpc_tcpbuf_sending(struct rpc_tcpbuf *tb, struct sock *sk)
{
	if (READ_ONCE(tb->limits->sndbuf_bytes) | tb->snd_grown)
		__rpc_tcpbuf_sending(tb, sk);
	if (READ_ONCE(tb->limits->lossy) |
	    (READ_ONCE(tb->lossy.state) == RPC_TCPBUF_LOSSY_CHANGED))
		__rpc_tcpbuf_lossy_look(tb, sk);
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
static inline void rpc_tcpbuf_stop(struct rpc_tcpbuf *tb) { }

#endif /* CONFIG_SUNRPC_TCPBUF */

#endif /* _LINUX_SUNRPC_TCPBUF_H */
