// SPDX-License-Identifier: GPL-2.0
/*
 * The gate: replies that wait hold back a connection's next request.
 *
 * A large send buffer fills with data that waits for the path, up to its last
 * byte: that is memory, and it is delay for the next reply. A socket's own
 * TCP_NOTSENT_LOWAT bounds it by making the sender sleep. RPC sends from
 * threads that serve all connections, with the transport locked: a single
 * client that is far away then puts all threads to sleep, and every other
 * client waits. So the limit is looked at one step earlier. A server takes no
 * further request from a connection with notsent_lowat_bytes or more of unsent
 * data. It means for RPC what POLLOUT means for a program since the commit
 * c9bee3b7fdec ("tcp: TCP_NOTSENT_LOWAT socket option").
 *
 * A buffer that can grow no further fills with data in flight, and nothing of
 * it is unsent; a reply that finds no room puts its thread to sleep all the
 * same, for as long as a round trip. So no further request is taken either
 * while its reply might not fit, beside those to requests that were taken
 * before, for which sunrpc keeps xpt_reserved. That is a guess, and a bad one for
 * small buffers, so rpc_tcpbuf_reply_fits() looks away while one is half empty.
 *
 * Requests that have been taken are answered, so a connection may have a reply
 * per thread unsent. Requests with small replies are served side by side as
 * ever: only more of them than the path can take at once close the gate.
 *
 * While the gate is closed, TCP calls sk_write_space() with nearly every ACK, as
 * it does while a sender sleeps for TCP_NOTSENT_LOWAT: 11,095 and 10,025 times
 * with 11,357 segments received, when 600 MB were read over 1 Gbit/s x 120 ms.
 * A call looks at numbers that TCP has at hand and sets a bit.
 *
 * Under TLS, what is counted is ciphertext, and tls_write_space() calls the
 * transport's sk_write_space() each time that TCP calls it.
 */
#include <linux/net.h>
#include <linux/tcp.h>

#include <net/sock.h>
#include <net/tcp.h>

#include <trace/events/sunrpc_tcpbuf.h>

#include "tcpbuf.h"
#include "tcpbuf_gate.h"

static u32 rpc_tcpbuf_unsent(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt);
}

static bool rpc_tcpbuf_is_open(const struct sock *sk, u32 lowat,
			       u32 taken_bytes, u32 next_bytes)
{
	return rpc_tcpbuf_unsent(sk) < lowat &&
	       rpc_tcpbuf_reply_fits(taken_bytes, next_bytes,
				     READ_ONCE(sk->sk_sndbuf),
				     READ_ONCE(sk->sk_wmem_queued));
}

/*
 * Say so when the gate was found open after it was found closed, or the other
 * way round. Callers on several CPUs may say it twice, or miss a turn that was
 * taken back at once; nothing but the trace goes by gate_closed.
 */
static void rpc_tcpbuf_gate_found(struct rpc_tcpbuf *tb, const struct sock *sk,
				  bool open, u32 lowat)
{
	if (READ_ONCE(tb->gate_closed) != open)
		return;
	WRITE_ONCE(tb->gate_closed, !open);
	if (open)
		trace_rpc_tcpbuf_gate_opened(sk, rpc_tcpbuf_unsent(sk), lowat);
	else
		trace_rpc_tcpbuf_gate_closed(sk, rpc_tcpbuf_unsent(sk), lowat);
}

/**
 * rpc_tcpbuf_gate_is_open - whether replies that wait allow another request
 * @tb: buffer state of the connection
 * @sock: its TCP socket
 * @taken_bytes: the most that replies to requests that were taken may have
 * @next_bytes: the most that the reply to the next may have
 *
 * When it says no, sk_write_space() is called later, and the caller asks again
 * from there. No such wake-up is lost:
 *
 *  - TCP calls sk_write_space() after it sent data (tcp_event_new_data_sent())
 *    if SOCK_NOSPACE is set by then, and so it does when data were acknowledged
 *    (tcp_data_snd_check()). Here the bit is set, and then the data are looked
 *    at once more; TCP changes snd_nxt or sk_wmem_queued, and then looks at the
 *    bit. The barriers between the two steps of both sides (the one below, and
 *    that of tcp_check_space()) let at least one see the other: either the
 *    second look finds the gate open, or TCP finds the bit.
 *  - sk_stream_write_space() clears the bit when the buffer has room, though
 *    the gate may be closed still. The transport's sk_write_space() asks here
 *    again right after that, which sets the bit again. If the transport is
 *    busy then and it does not ask, whoever made it busy asks when done, and
 *    the barrier is between the end of that and the second look.
 *  - What closes the gate is unsent data, or data in flight in more than half
 *    of the buffer: TCP has something to send, and will, or gets it
 *    acknowledged, or the connection dies. @taken_bytes alone never close it.
 *  - When @taken_bytes fall, svc_reserve() has the transport looked at again.
 *
 * The bit is never cleared here, since a thread that sleeps in sendmsg() may
 * have set it and needs it. So it may be left over when the gate turns out to
 * be open, with nothing in flight whose acknowledgment would clear it. Callers
 * must not take the bit alone for a lack of room, see rpc_tcpbuf_has_room().
 *
 * Context: any, also softirq with the socket's spinlock held; takes no lock
 * Returns: true if another request may be taken
 */
bool rpc_tcpbuf_gate_is_open(struct rpc_tcpbuf *tb, struct socket *sock,
			     u32 taken_bytes, u32 next_bytes)
{
	u32 lowat = READ_ONCE(tb->limits->notsent_lowat_bytes);
	bool open = !lowat || rpc_tcpbuf_is_open(sock->sk, lowat, taken_bytes,
					     next_bytes);

	if (!open) {
		set_bit(SOCK_NOSPACE, &sock->flags);
		/* Pairs with the barrier in tcp_check_space(). */
		smp_mb__after_atomic();
		open = rpc_tcpbuf_is_open(sock->sk, lowat, taken_bytes,
					  next_bytes);
	}
	rpc_tcpbuf_gate_found(tb, sock->sk, open, lowat);
	return open;
}

/**
 * rpc_tcpbuf_has_room - whether SOCK_NOSPACE may be left over from the gate
 * @sk: TCP socket with that bit set
 *
 * If not, its buffer is full: data are in flight, and their acknowledgment
 * calls sk_write_space().
 *
 * Context: any
 * Returns: true if the send buffer has room, whatever the bit says
 */
bool rpc_tcpbuf_has_room(const struct sock *sk)
{
	return sk_stream_is_writeable(sk);
}

/*
 * Put the socket's own limit on unsent data, or the namespace's
 * net.ipv4.tcp_notsent_lowat, out of force while the gate does their work, and
 * in force again when it does not. Locked, as somebody else who sets the
 * option is (a BPF program can).
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
