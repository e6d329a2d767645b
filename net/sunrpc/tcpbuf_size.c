// SPDX-License-Identifier: GPL-2.0
/*
 * How large the TCP buffers of an RPC connection should be: numbers in, a
 * number out. No socket, no lock, no clock; tests/tcpbuf_kunit.c tries every
 * function.
 */
#include <kunit/visibility.h>

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "tcpbuf.h"

/*
 * Bandwidth-delay products that a connection may take. What is known of the
 * rate is one round trip old, in slow start the sender has doubled it since,
 * and what is given now is used in the round trip after, when it has doubled
 * again.
 */
#define RPC_TCPBUF_BDPS		4

/**
 * rpc_tcpbuf_ceiling - how large sk_rcvbuf or sk_sndbuf may become
 * @value_bytes: what the administrator set, 0 to RPC_TCPBUF_MAX
 * @host_max_bytes: net.core.rmem_max or wmem_max. Root of a container may set
 *	@value_bytes, but not take more kernel memory than the host allows.
 *
 * The doubling is that of setsockopt(SO_RCVBUF), see socket(7).
 *
 * Returns: bytes in the unit of sk_rcvbuf, 0 when nothing is set
 */
u32 rpc_tcpbuf_ceiling(int value_bytes, u32 host_max_bytes)
{
	return 2 * min3((u32)value_bytes, host_max_bytes, (u32)RPC_TCPBUF_MAX);
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_ceiling);

/**
 * rpc_tcpbuf_rcv_window - window that a receiver should be able to offer
 * @space_bytes: bytes that the reader took in the last round trip
 *	(tp->rcvq_space.space)
 * @last_bytes: the same when last looked at, 0 if never
 * @rtt_us: round trip that @space_bytes were measured over
 * @min_rtt_us: smallest round trip of the path, or more than @rtt_us
 *
 * Twice what was taken, because the estimate is one round trip late; and
 * while the estimate still rises, room for a sender in slow start to go on
 * rising as fast as it did, which is at most to double: the allowance that
 * tcp_rcvbuf_grow() makes below tcp_rmem[2]. Source: M. Fisk and W. Feng,
 * "Dynamic Right-Sizing in TCP", LACSI Symposium, 2001.
 *
 * But no more than RPC_TCPBUF_BDPS bandwidth-delay products. A sender that is
 * given more than the path holds fills the queue of the bottleneck, so that
 * more bytes arrive in a longer round trip, which would earn it more still.
 *
 * A window has 30 bits (RFC 7323, 2.3), so a larger @space_bytes is capped and
 * nothing here overflows.
 *
 * Returns: bytes of window
 */
u64 rpc_tcpbuf_rcv_window(u32 space_bytes, u32 last_bytes, u32 rtt_us,
			  u32 min_rtt_us)
{
	u32 space = min_t(u32, space_bytes, RPC_TCPBUF_MAX_WINDOW);
	u64 most = (u64)RPC_TCPBUF_BDPS * space;
	u64 window = 2ULL * space;

	if (min_rtt_us < rtt_us)
		most = mul_u64_u32_div(most, min_rtt_us, rtt_us);
	if (last_bytes && space > last_bytes)
		window += div_u64(2 * window * min(space - last_bytes,
						   last_bytes), last_bytes);
	return min(window, most);
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_rcv_window);

/**
 * rpc_tcpbuf_rcvbuf - receive buffer that can offer a window
 * @window_bytes: the wanted window
 * @rcvbuf_bytes: the socket's sk_rcvbuf now
 * @full_space_bytes: the window that this buffer stands for, tcp_full_space();
 *	how much of a buffer is payload depends on the packets that arrive
 *
 * Returns: bytes in the unit of sk_rcvbuf
 */
u64 rpc_tcpbuf_rcvbuf(u32 window_bytes, u32 rcvbuf_bytes,
		      u32 full_space_bytes)
{
	if (!full_space_bytes)
		return rcvbuf_bytes;
	return div_u64((u64)window_bytes * rcvbuf_bytes, full_space_bytes);
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_rcvbuf);

/**
 * rpc_tcpbuf_bdp - bandwidth-delay product of a path, as far as it is known
 * @delivered: packets of TCP's last delivery rate sample
 * @interval_us: the time that their delivery took; 0: no sample yet
 * @mss_bytes: payload of a packet
 * @min_rtt_us: smallest round trip of the path; U32_MAX: no sample yet
 *
 * Source: draft-cheng-iccrg-delivery-rate-estimation.
 *
 * Returns: bytes, U64_MAX when unknown
 */
u64 rpc_tcpbuf_bdp(u32 delivered, u32 interval_us, u32 mss_bytes,
		   u32 min_rtt_us)
{
	if (!interval_us || min_rtt_us == U32_MAX)
		return U64_MAX;
	return mul_u64_u32_div((u64)delivered * mss_bytes, min_rtt_us,
			       interval_us);
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_bdp);

/**
 * rpc_tcpbuf_sndbuf - send buffer that keeps the path full
 * @in_flight_bytes: sent and not acknowledged
 * @bdp_bytes: what the path holds, see rpc_tcpbuf_bdp()
 * @queued_bytes: written and not acknowledged; @in_flight_bytes and what is
 *	still unsent
 * @wmem_bytes: kernel memory that @queued_bytes take (sk_wmem_queued)
 *
 * Room for twice what is in flight: a sender in slow start then finds as much
 * again to send when the acknowledgments arrive, and a writer that waits for
 * room is woken while half of the buffer is still in flight. Bytes in flight
 * and not the congestion window, which goes on rising on a path without loss.
 * No more than RPC_TCPBUF_BDPS bandwidth-delay products, as further bytes in
 * flight only stand in the queue of the bottleneck.
 *
 * Packet overhead is taken from the packets that are there, within what is
 * possible: the sizes are read without the socket's lock and need not fit each
 * other.
 *
 * Returns: bytes in the unit of sk_sndbuf
 */
u64 rpc_tcpbuf_sndbuf(u32 in_flight_bytes, u64 bdp_bytes, u32 queued_bytes,
		      u32 wmem_bytes)
{
	u64 room = 2ULL * in_flight_bytes;

	if (bdp_bytes < U32_MAX)
		room = min(room, RPC_TCPBUF_BDPS * bdp_bytes);
	if (queued_bytes)
		room = clamp(mul_u64_u32_div(room, wmem_bytes, queued_bytes),
			     room, 2 * room);
	return room;
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_sndbuf);

/**
 * rpc_tcpbuf_step - whether a buffer is to grow, and how far
 * @wanted_bytes: the buffer that the connection needs
 * @now_bytes: the buffer that it has
 * @ceiling_bytes: the largest that it may have
 *
 * By an eighth at least, so that a need that creeps up costs a few steps and
 * not one, with the socket's lock, for every RPC. The last step is to the
 * ceiling and may be shorter.
 *
 * Returns: bytes of the new size, 0 to leave it
 */
u32 rpc_tcpbuf_step(u64 wanted_bytes, u32 now_bytes, u32 ceiling_bytes)
{
	u64 next = max_t(u64, wanted_bytes,
			 (u64)now_bytes + now_bytes / 8);

	if (wanted_bytes <= now_bytes || ceiling_bytes <= now_bytes)
		return 0;
	return min_t(u64, next, ceiling_bytes);
}
EXPORT_SYMBOL_IF_KUNIT(rpc_tcpbuf_step);
