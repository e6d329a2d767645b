// SPDX-License-Identifier: GPL-2.0
/*
 * The gate: replies that wait hold back a connection's next request.
 *
 * A server that takes requests faster than a path takes the replies fills the
 * send buffer, and then the output queue: that is memory, and it is delay for
 * the next reply. TCP_NOTSENT_LOWAT bounds it for a program by keeping POLLOUT
 * back. The gate does the same for RPC: no further request is taken from a
 * connection whose unsent bytes, in the queue and in the socket, have reached
 * notsent_lowat_bytes or what the path sends in RPC_TCPBUF_GATE_US, whichever
 * is more. See commit c9bee3b7fdec ("tcp: TCP_NOTSENT_LOWAT socket option").
 *
 * Requests that were taken are answered, so a connection may have a reply per
 * thread unsent. Requests with small replies are served side by side: only more
 * of them than the path takes close the gate.
 *
 * While the gate is closed, TCP calls sk_write_space() with nearly every ACK,
 * as it does while a sender sleeps for TCP_NOTSENT_LOWAT.
 *
 * Under TLS, what is counted in the socket is ciphertext. tls_write_space()
 * calls the transport's sk_write_space() each time that TCP calls it.
 */
#include <kunit/visibility.h>

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <linux/time64.h>

#include <net/sock.h>
#include <net/tcp.h>

#include "tcpbuf.h"
#include "tcpbuf_gate.h"

#define CREATE_TRACE_POINTS
#include <trace/events/sunrpc_tcpbuf.h>

/*
 * A path may have this much time's worth of replies unsent. A disk behind the
 * server takes some milliseconds for a request. With less, requests that could
 * wait for it side by side are held back on a fast path with a short round
 * trip; with more, the last of them waits longer for the path.
 */
#define RPC_TCPBUF_GATE_US	2000

/**
 * rpc_tcpbuf_gate_bytes - unsent data that hold back the next request
 * @lowat_bytes: what the administrator set
 * @bytes_per_s: rate that TCP paces the connection at; ULONG_MAX: not known
 *	yet
 *
 * What a fast path sends within RPC_TCPBUF_GATE_US delays nobody, and while a
 * request waits for a disk others should wait beside it.
 *
 * Returns: bytes
 */
u64 rpc_tcpbuf_gate_bytes(u32 lowat_bytes, unsigned long bytes_per_s)
{
	u64 rate = min_t(u64, bytes_per_s, U32_MAX);

	if (bytes_per_s == ULONG_MAX)
		return lowat_bytes;
	return max_t(u64, lowat_bytes,
		     div_u64(rate * RPC_TCPBUF_GATE_US, USEC_PER_SEC));
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_gate_bytes);

static u64 rpc_tcpbuf_unsent(const struct sock *sk, size_t queued_bytes)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 in_socket = READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt);

	return (u64)queued_bytes + in_socket;
}

static bool rpc_tcpbuf_is_open(const struct sock *sk, u32 lowat,
			       size_t queued_bytes)
{
	return rpc_tcpbuf_unsent(sk, queued_bytes) <
	       rpc_tcpbuf_gate_bytes(lowat, READ_ONCE(sk->sk_pacing_rate));
}

/* Without a gate: as SOCK_NOSPACE says, unless the gate left it behind. */
static bool rpc_tcpbuf_has_room(struct socket *sock, size_t queued_bytes)
{
	return !queued_bytes && (!test_bit(SOCK_NOSPACE, &sock->flags) ||
				 sk_stream_is_writeable(sock->sk));
}

/*
 * Trace transitions. Callers on several CPUs may trace one twice, or miss one
 * that was undone at once; nothing but the trace uses gate_closed.
 */
static void rpc_tcpbuf_gate_found(struct rpc_tcpbuf *tb, const struct sock *sk,
				  bool open, u64 unsent, u32 lowat)
{
	if (READ_ONCE(tb->gate_closed) != open)
		return;
	WRITE_ONCE(tb->gate_closed, !open);
	if (open)
		trace_rpc_tcpbuf_gate_opened(sk, unsent, lowat);
	else
		trace_rpc_tcpbuf_gate_closed(sk, unsent, lowat);
}

/**
 * rpc_tcpbuf_gate_is_open - whether unsent replies allow another request
 * @tb: buffer state of the connection
 * @sock: its TCP socket
 * @queued_bytes: bytes that wait for room in the socket
 *
 * When the answer is no, sk_write_space() is called later, and the caller asks
 * again from there. No such wake-up is lost:
 *
 *  - TCP calls sk_write_space() after it sent data or had some acknowledged, if
 *    SOCK_NOSPACE is set by then. Here the bit is set, and then the data are
 *    looked at once more; TCP changes snd_nxt, and then looks at the bit. The
 *    barriers between the two steps of both sides (the one below, and that of
 *    tcp_check_space()) let at least one see the other.
 *  - sk_stream_write_space() clears the bit when the buffer has room, though
 *    the gate may still be closed. The transport's sk_write_space() asks here
 *    again right after that, which sets the bit again. If the transport is
 *    busy then, whoever made it busy asks when done.
 *  - What closes the gate is data that TCP can send: it will, or the connection
 *    dies. When @queued_bytes fall, the queue has the transport looked at.
 *
 * The bit is never cleared here, as the output queue may need it. Something was
 * unsent when it was set, so an acknowledgment is to come, which clears it.
 *
 * Context: any, also softirq with the socket's spinlock held; takes no lock
 * Returns: true if another request may be taken
 */
bool rpc_tcpbuf_gate_is_open(struct rpc_tcpbuf *tb, struct socket *sock,
			     size_t queued_bytes)
{
	u32 lowat = READ_ONCE(tb->limits->notsent_lowat_bytes);
	bool open;

	if (!lowat)
		return rpc_tcpbuf_has_room(sock, queued_bytes);

	open = rpc_tcpbuf_is_open(sock->sk, lowat, queued_bytes);
	if (!open) {
		set_bit(SOCK_NOSPACE, &sock->flags);
		/* Pairs with the barrier in tcp_check_space(). */
		smp_mb__after_atomic();
		open = rpc_tcpbuf_is_open(sock->sk, lowat, queued_bytes);
	}
	rpc_tcpbuf_gate_found(tb, sock->sk, open,
			      rpc_tcpbuf_unsent(sock->sk, queued_bytes), lowat);
	return open;
}

/*
 * While the gate is on, the socket's own limit on unsent data, or the
 * namespace's net.ipv4.tcp_notsent_lowat, would only move data from the socket
 * to the output queue. Locked, as a BPF program may set the option.
 */
void __rpc_tcpbuf_gate_sync(struct rpc_tcpbuf *tb, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	lock_sock(sk);
	tb->snd_gated = !tb->snd_gated;
	if (tb->snd_gated) {
		tb->notsent_lowat = tp->notsent_lowat;
		WRITE_ONCE(tp->notsent_lowat, UINT_MAX);
	} else {
		WRITE_ONCE(tp->notsent_lowat, tb->notsent_lowat);
	}
	release_sock(sk);
}
