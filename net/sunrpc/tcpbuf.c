// SPDX-License-Identifier: GPL-2.0
/*
 * TCP buffers of RPC connections.
 *
 * A TCP connection carries at most window / RTT. TCP grows its windows up to
 * tcp_rmem[2] and tcp_wmem[2], limits that are meant for every socket of the
 * machine. RPC continues where TCP stops, up to separate limits
 * (/proc/sys/sunrpc/tcp_rcvbuf and tcp_sndbuf for servers, tcp_clnt_rcvbuf and
 * tcp_clnt_sndbuf for clients), connection by connection, at the two places
 * where it holds a connection in process context anyway:
 *
 *  - after data was received: TCP goes on measuring how much the reader takes
 *    in a round trip; give the window twice that;
 *  - before data are sent: give the buffer twice what is in flight;
 *
 * and never more than a few bandwidth-delay products (tcpbuf_size.c says why).
 *
 * So a connection takes what its path needs and nothing before it needs it:
 *
 *  - below tcp_rmem[2] and tcp_wmem[2] nothing is done at all. On a LAN twice
 *    the flight does not reach them, and a limit below them changes nothing.
 *  - nothing ever shrinks while a limit is set.
 *  - a new limit counts from the next RPC of each connection, so live
 *    connections follow, and no list of sockets is walked.
 *  - when the limit is 0 again, a connection that grew is given back to TCP
 *    with its next RPC.
 *  - a buffer that somebody fixed with SO_RCVBUF or SO_SNDBUF stays as it is,
 *    and where TCP tunes no receive buffer (net.ipv4.tcp_moderate_rcvbuf is 0)
 *    there is nothing to continue.
 *  - under memory pressure nothing grows.
 *
 * The receive buffer is simply raised: TCP never lowers it. TCP would set a
 * send buffer back to tcp_wmem[2] with the next ACK, so SOCK_SNDBUF_LOCK is
 * set on a connection from the moment it passes that size. Under memory
 * pressure TCP offers small windows, however large the receive buffer is, but
 * it lowers no send buffer that has the bit: that one is given back to TCP.
 *
 * Everything is derived from what TCP knows of the connection, so it holds for
 * IPv4 and IPv6, under TLS, whose records are bytes like others, after SYN
 * cookies, and on loopback, whose round trip is too short for a window beyond
 * TCP's own limits.
 */
#include <linux/tcp.h>

#include <linux/sunrpc/tcpbuf.h>

#include <net/proto_memory.h>
#include <net/sock.h>
#include <net/tcp.h>

#include <trace/events/sunrpc_tcpbuf.h>

#include "tcpbuf.h"

/* Whether somebody set a size with SO_RCVBUF or SO_SNDBUF. */
static bool rpc_tcpbuf_is_fixed(const struct sock *sk, u8 lock)
{
	/* The socket is the kernel's own by now: no program changes the bits. */
	return data_race(sk->sk_userlocks & lock);
}

/* The two tests of tcp_should_expand_sndbuf() that are about memory. */
static bool rpc_tcpbuf_under_memory_pressure(const struct sock *sk)
{
	return tcp_under_memory_pressure(sk) ||
	       sk_memory_allocated(sk) >= sk_prot_mem_limits(sk, 0);
}

/*
 * What a connection needs is computed without the socket's lock, from numbers
 * that TCP changes meanwhile. One that is a packet too old makes a buffer a
 * packet too small, until the next RPC.
 */

/* The window scale of the handshake bounds what can be offered. */
static u32 rpc_tcpbuf_max_window(const struct tcp_sock *tp)
{
	/* Stays as it is after the handshake; its neighbours do not. */
	return data_race(U16_MAX << tp->rx_opt.rcv_wscale);
}

static u32 rpc_tcpbuf_min_rtt_us(const struct tcp_sock *tp)
{
	/* As tcp_get_info() reads it. */
	return data_race(tcp_min_rtt(tp));
}

static u32 rpc_tcpbuf_full_space(const struct sock *sk)
{
	/* The share of payload is that of the last packets, or the ones before. */
	return data_race(tcp_full_space(sk));
}

static void rpc_tcpbuf_grow_rcvbuf(struct rpc_tcpbuf *tb, struct sock *sk,
				   u32 rcvbuf)
{
	struct tcp_sock *tp = tcp_sk(sk);

	lock_sock(sk);
	if (rcvbuf > sk->sk_rcvbuf) {
		WRITE_ONCE(sk->sk_rcvbuf, rcvbuf);
		WRITE_ONCE(tp->window_clamp, tcp_full_space(sk));
		tb->rcv_grown = true;
	}
	release_sock(sk);
}

/*
 * Give the receive buffer back to TCP. What was offered to the peer cannot be
 * taken back: lower the clamp, so that no more is offered, and the buffer once
 * the peer has used up the old window (tcp_select_window() never moves the
 * right edge to the left). That may take until after some further RPCs.
 */
static void rpc_tcpbuf_restore_rcvbuf(struct rpc_tcpbuf *tb, struct sock *sk)
{
	int rmem2 = READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_rmem[2]);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 clamp;

	lock_sock(sk);
	clamp = min_t(u32, tp->window_clamp, tcp_win_from_space(sk, rmem2));
	WRITE_ONCE(tp->window_clamp, clamp);
	tp->rcv_ssthresh = min(tp->rcv_ssthresh, clamp);
	if (tcp_receive_window(tp) <= clamp) {
		if (sk->sk_rcvbuf > rmem2)
			WRITE_ONCE(sk->sk_rcvbuf, rmem2);
		tb->rcv_grown = false;
	}
	release_sock(sk);
}

/*
 * The window that the connection needs. Computed when TCP's estimate changes,
 * from the round trip that the estimate was made over, and kept: the estimate
 * stays when the path falls idle, the round trip does not.
 */
static u32 rpc_tcpbuf_window_needed(struct rpc_tcpbuf *tb,
				    const struct tcp_sock *tp)
{
	u32 rtt_us = READ_ONCE(tp->rcv_rtt_est.rtt_us) >> 3;
	u32 space = READ_ONCE(tp->rcvq_space.space);

	if (space != tb->rcv_space_bytes) {
		u64 window = rpc_tcpbuf_rcv_window(space, tb->rcv_space_bytes,
						   rtt_us,
						   rpc_tcpbuf_min_rtt_us(tp));

		tb->rcv_window_bytes = min_t(u64, window,
					     rpc_tcpbuf_max_window(tp));
		tb->rcv_space_bytes = space;
	}
	return tb->rcv_window_bytes;
}

/* The slow path of rpc_tcpbuf_received(): a limit is set, or was. */
void __rpc_tcpbuf_received(struct rpc_tcpbuf *tb, struct sock *sk)
{
	int rmem2 = READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_rmem[2]);
	u32 ceiling = rpc_tcpbuf_ceiling(READ_ONCE(tb->limits->rcvbuf_bytes),
					 READ_ONCE(sysctl_rmem_max));
	u64 wanted;
	u32 rcvbuf;

	if (!ceiling) {
		if (tb->rcv_grown)
			rpc_tcpbuf_restore_rcvbuf(tb, sk);
		return;
	}

	wanted = rpc_tcpbuf_rcvbuf(rpc_tcpbuf_window_needed(tb, tcp_sk(sk)),
				   READ_ONCE(sk->sk_rcvbuf),
				   rpc_tcpbuf_full_space(sk));
	rcvbuf = rpc_tcpbuf_step(wanted, READ_ONCE(sk->sk_rcvbuf), ceiling);
	if (!rcvbuf || rcvbuf <= rmem2)
		return;
	if (!READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_moderate_rcvbuf) ||
	    rpc_tcpbuf_is_fixed(sk, SOCK_RCVBUF_LOCK))
		return;
	if (rpc_tcpbuf_under_memory_pressure(sk))
		return;
	trace_rpc_tcpbuf_grow_rcvbuf(sk, wanted, rcvbuf, ceiling);
	rpc_tcpbuf_grow_rcvbuf(tb, sk, rcvbuf);
}

static void rpc_tcpbuf_grow_sndbuf(struct rpc_tcpbuf *tb, struct sock *sk,
				   u32 sndbuf)
{
	lock_sock(sk);
	if (sndbuf > sk->sk_sndbuf) {
		WRITE_ONCE(sk->sk_sndbuf, sndbuf);
		sk->sk_userlocks |= SOCK_SNDBUF_LOCK;
		tb->snd_grown = true;
	}
	release_sock(sk);
}

/* Give the send buffer back to TCP. What is in it drains. */
static void rpc_tcpbuf_restore_sndbuf(struct rpc_tcpbuf *tb, struct sock *sk)
{
	int wmem2 = READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_wmem[2]);

	lock_sock(sk);
	if (sk->sk_sndbuf > wmem2)
		WRITE_ONCE(sk->sk_sndbuf, wmem2);
	sk->sk_userlocks &= ~SOCK_SNDBUF_LOCK;
	tb->snd_grown = false;
	release_sock(sk);
}

/* The send buffer that the connection needs. */
static u64 rpc_tcpbuf_sndbuf_needed(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 una = READ_ONCE(tp->snd_una);
	u64 bdp = rpc_tcpbuf_bdp(READ_ONCE(tp->rate_delivered),
				 READ_ONCE(tp->rate_interval_us),
				 READ_ONCE(tp->mss_cache),
				 rpc_tcpbuf_min_rtt_us(tp));

	return rpc_tcpbuf_sndbuf(READ_ONCE(tp->snd_nxt) - una, bdp,
				 READ_ONCE(tp->write_seq) - una,
				 READ_ONCE(sk->sk_wmem_queued));
}

/* The slow path of rpc_tcpbuf_sending(): a limit is set, or was. */
void __rpc_tcpbuf_sending(struct rpc_tcpbuf *tb, struct sock *sk)
{
	int wmem2 = READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_wmem[2]);
	u32 ceiling = rpc_tcpbuf_ceiling(READ_ONCE(tb->limits->sndbuf_bytes),
					 READ_ONCE(sysctl_wmem_max));
	u64 wanted;
	u32 sndbuf;

	/* Pressure: let TCP take back what it needs, which our lock forbids. */
	if (!ceiling || tcp_under_memory_pressure(sk)) {
		if (tb->snd_grown)
			rpc_tcpbuf_restore_sndbuf(tb, sk);
		return;
	}

	wanted = rpc_tcpbuf_sndbuf_needed(sk);
	/* TCP does not grow a buffer of ours: let it have what TCP would give. */
	sndbuf = rpc_tcpbuf_step(wanted, READ_ONCE(sk->sk_sndbuf),
				 max_t(u32, ceiling, wmem2));
	if (!sndbuf)
		return;
	if (!tb->snd_grown && (sndbuf <= wmem2 ||
			       rpc_tcpbuf_is_fixed(sk, SOCK_SNDBUF_LOCK)))
		return;
	if (rpc_tcpbuf_under_memory_pressure(sk))
		return;
	trace_rpc_tcpbuf_grow_sndbuf(sk, wanted, sndbuf, ceiling);
	rpc_tcpbuf_grow_sndbuf(tb, sk, sndbuf);
}
