/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plain structs that pass between the stages of tcptuned.
 *
 * Data flows one way: sense reads the kernel into a snapshot, model turns
 * snapshots into paths, policy turns paths into a decision, apply writes its
 * changes, report shows all of it. A stage includes this header and its own,
 * never those of another stage; poll.c calls them in turn.
 *
 * Units are in the names: _us microseconds, _bytes, _bps bits per second.
 * Directions are those of this host: TT_OUT is what it sends.
 */
#ifndef TCPTUNED_TYPES_H
#define TCPTUNED_TYPES_H

#include <net/if.h>
#include <netinet/in.h>

#include "base.h"
#include "words.h"

enum tt_role {
	TT_SERVER,	/* its port is one of nfsd's listeners */
	TT_CLIENT,	/* the peer's port is that of an NFS mount */
	TT_ROLES,
};

enum tt_dir {
	TT_OUT,
	TT_IN,
	TT_DIRS,
};

/* An IP address; IPv4 is mapped (::ffff:a.b.c.d), so that one type does. */
struct tt_addr {
	struct in6_addr in6;
};

/**
 * struct tt_conn - a TCP connection of NFS at one instant
 * @cookie: the kernel's name for the socket, never used twice
 * @uid: owner of the socket; the kernel's own are root's
 * @role: which end this host is
 * @local: address of this end
 * @peer: address of the other end
 * @local_port: port of this end
 * @peer_port: port of the other end
 * @min_rtt_us: TCP's windowed minimum of what it measured as a sender; 0 if it
 *	has no sample
 * @rtt_us: smoothed RTT of the sender, 0 if it has no sample
 * @rcv_rtt_us: RTT as the receiver estimates it, 0 if it has no sample
 * @delivery_bps: TCP's delivery rate, most recent sample
 * @delivery_app_limited: that sample was made while the application had
 *	nothing to send, so the path may carry more
 * @busy_us: time with data to send, since the connection was made
 * @rwnd_limited_us: share of @busy_us that waited for the peer's window
 * @sndbuf_limited_us: share of @busy_us that waited for the send buffer
 * @bytes: payload that was acknowledged (TT_OUT) and received (TT_IN)
 * @rcv_wnd_bytes: window that this end offers, 0 if the kernel does not tell
 * @sndbuf_bytes: sk_sndbuf
 * @rcvbuf_bytes: sk_rcvbuf
 * @sent_bytes: payload that was sent, with what was sent again
 * @resent_bytes: payload that was sent again
 * @sent_segs: packets with payload that were sent, modulo 2^32
 * @resent_segs: packets that were sent again, modulo 2^32
 * @cwnd_segs: packets that may be under way
 * @mss_bytes: payload of a packet that it sends
 * @wscale: window scale of what this end is offered (TT_OUT) and offers (TT_IN)
 * @backoff: how often in a row the oldest packet was sent again by timeout
 */
struct tt_conn {
	u64		cookie;
	u32		uid;
	enum tt_role	role;
	struct tt_addr	local;
	struct tt_addr	peer;
	u16		local_port;
	u16		peer_port;
	u32		min_rtt_us;
	u32		rtt_us;
	u32		rcv_rtt_us;
	u32		rcv_wnd_bytes;
	u32		sndbuf_bytes;
	u32		rcvbuf_bytes;
	u64		delivery_bps;
	u64		busy_us;
	u64		rwnd_limited_us;
	u64		sndbuf_limited_us;
	u64		bytes[TT_DIRS];
	u64		sent_bytes;
	u64		resent_bytes;
	u32		sent_segs;
	u32		resent_segs;
	u32		cwnd_segs;
	u32		mss_bytes;
	u8		wscale[TT_DIRS];
	u8		backoff;
	bool		delivery_app_limited;
};

/* Where the rate of a link is known from. */
enum tt_link_source {
	TT_LINK_UNKNOWN,
	TT_LINK_CONF,		/* bandwidth = of the configuration */
	TT_LINK_ETHTOOL,	/* the device's speed */
	TT_LINK_QDISC,		/* a shaper on the device is slower than it */
	TT_LINK_OUTRUN,		/* unknown: it was seen to carry more */
};

/**
 * struct tt_link - what carries the packets to a peer
 * @name: device that the route names
 * @rate_bps: what it carries, 0 if unknown
 * @source: where that is known from
 * @ifindex: the device's number; 0 if there is no route
 *
 * There is one for every connection, so it has no holes.
 */
struct tt_link {
	char			name[IF_NAMESIZE];
	u64			rate_bps;
	enum tt_link_source	source;
	u32			ifindex;
};

/**
 * struct tt_mount - an NFS mount of this namespace
 * @dev: "MAJOR:MINOR", which is also the name of its bdi
 * @dir: where it is mounted, as /proc/self/mountinfo writes it
 * @server: address of its server
 * @port: port of its server
 * @rsize_bytes: largest READ
 * @has_session: its version is 4.1 or later
 * @read_ahead_kb: as it is set now; 0 if it could not be read
 */
struct tt_mount {
	char		dev[24];
	char		dir[256];
	struct tt_addr	server;
	u16		port;
	u32		rsize_bytes;
	bool		has_session;
	u32		read_ahead_kb;
};

/**
 * struct tt_host - the machine at one instant
 * @ram_bytes: memory of the machine
 * @tcp_mem_bytes: net.ipv4.tcp_mem, the three of them
 * @tcp_used_bytes: what TCP uses of it
 * @fastest_bps: speed of its fastest device in use, 0 if no device tells
 * @has_sunrpc_tcpbuf: /proc/sys/sunrpc/tcp_rcvbuf is there
 * @sessions_only: nobody has used this NFS server but by NFSv4.1 or later
 */
struct tt_host {
	u64	ram_bytes;
	u64	tcp_mem_bytes[3];
	u64	tcp_used_bytes;
	u64	fastest_bps;
	bool	has_sunrpc_tcpbuf;
	bool	sessions_only;
};

/**
 * struct tt_snapshot - everything that sense saw at one instant
 * @now_us: CLOCK_MONOTONIC
 * @conns: connections
 * @links: of each connection's peer, in the order of @conns
 * @nconns: length of both
 * @mounts: NFS mounts whose server this namespace is connected to
 * @nmounts: length
 * @host: the machine
 */
struct tt_snapshot {
	u64		now_us;
	struct tt_conn	*conns;
	struct tt_link	*links;
	size_t		nconns;
	struct tt_mount	*mounts;
	size_t		nmounts;
	struct tt_host	host;
};

/* What keeps a path from being faster; the first that is true. */
enum tt_limit {
	TT_LIMIT_UNKNOWN,	/* nothing moved yet */
	TT_LIMIT_APPLICATION,	/* nobody asks for more: idle, slots, threads */
	TT_LIMIT_LINK,		/* it runs at the link's rate */
	TT_LIMIT_RWND,		/* the receiver's window */
	TT_LIMIT_SNDBUF,	/* the send buffer */
	TT_LIMIT_CONGESTION,	/* the path is full, or loses packets */
	TT_LIMIT_READ_AHEAD,	/* a reader that waits for each round trip */
};

/**
 * struct tt_path - what is known of the way to a peer in one role
 * @role: which end this host is
 * @proven: it ran at @best_bps for long enough to know that it gets no faster
 * @learned: rate and RTT are from an earlier run, nothing was measured yet
 * @share_percent: of what moves, on the busiest connection; 0: not known
 * @peer: the other end
 * @nconns: connections now
 * @rtt_us: windowed minimum of all its connections' RTT; 0 if not known
 * @link: what carries the packets there
 * @best_bps: the largest rate that was achieved lately, payload; 0 if nothing
 *	moved yet
 * @now_bps: rate between the last two snapshots
 * @limit: what keeps it from being faster
 * @window_bytes: payload that one round trip carries at the rate that the path
 *	may reach, with headroom; 0 if not known
 * @reach_bytes: the window that it may come to in the next seconds: the BDP of
 *	its link while it rises, @window_bytes once it is proven, and 0 while it
 *	rests
 * @buffer_bytes: sk_sndbuf (TT_OUT) and sk_rcvbuf (TT_IN) of all connections
 * @scaled_us: for so long what it received has been all that the window scales
 *	of its connections allow, at least
 * @lost_ppm: of a million packets, those that were sent again although no queue
 *	stood; 0 as long as that was not seen, see lossy.c
 * @seen_us: CLOCK_MONOTONIC of the last snapshot that had it
 *
 * Servers have thousands of them, so there are no holes.
 */
struct tt_path {
	enum tt_role	role;
	bool		proven[TT_DIRS];
	bool		learned;
	u8		share_percent;
	struct tt_addr	peer;
	u32		nconns;
	u32		rtt_us;
	struct tt_link	link;
	u64		best_bps[TT_DIRS];
	u64		now_bps[TT_DIRS];
	enum tt_limit	limit[TT_DIRS];
	u64		window_bytes[TT_DIRS];
	u64		reach_bytes[TT_DIRS];
	u64		buffer_bytes[TT_DIRS];
	u32		scaled_us;
	u32		lost_ppm;
	u64		seen_us;
};

/* From this share on, one connection does all the work. */
#define TT_WHOLE_PERCENT	95

/* Whether several connections share the work of a path. */
static inline bool tt_is_shared(u32 share_percent)
{
	return share_percent && share_percent < TT_WHOLE_PERCENT;
}

/**
 * struct tt_conf - the configuration, see tcptuned.conf(5)
 * @roles: which roles are served
 * @bandwidth_bps: rate of every link, 0: ask the kernel
 * @memory_percent: share of memory that all buffers together may take
 * @read_ahead: whether the mounts' read-ahead is set
 * @tcp_limits: whether tcp_rmem and tcp_wmem are set: never, only
 *	if the kernel lacks sunrpc-tcpbuf, or always
 * @slow_start_after_idle: whether net.ipv4.tcp_slow_start_after_idle is
 *	set to 0
 * @congestion_control: of connections whose path loses at random: a name,
 *	"auto" for BBR, or "no"
 * @reconnect: whether connections are made anew that their window scale holds:
 *	never, if requests are not done twice, or always
 * @metrics: file of the metrics; "auto" for the one in the runtime folder,
 *	"no" for none
 * @dry_run: decide and say, write nothing
 */
struct tt_conf {
	bool	roles[TT_ROLES];
	u64	bandwidth_bps;
	u32	memory_percent;
	bool	read_ahead;
	enum { TT_TCP_NEVER, TT_TCP_AUTO, TT_TCP_ALWAYS } tcp_limits;
	bool	slow_start_after_idle;
	char	congestion_control[WORDS_BYTES];
	enum { TT_RECONNECT_NO, TT_RECONNECT_AUTO, TT_RECONNECT_ALWAYS } reconnect;
	char	metrics[256];
	bool	dry_run;
};

#endif /* TCPTUNED_TYPES_H */
