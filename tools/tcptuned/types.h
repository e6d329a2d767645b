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
 */
struct tt_conn {
	u64		cookie;
	enum tt_role	role;
	struct tt_addr	local;
	struct tt_addr	peer;
	u16		local_port;
	u16		peer_port;
	u32		min_rtt_us;
	u32		rtt_us;
	u32		rcv_rtt_us;
	u64		delivery_bps;
	bool		delivery_app_limited;
	u64		busy_us;
	u64		rwnd_limited_us;
	u64		sndbuf_limited_us;
	u64		bytes[TT_DIRS];
	u32		rcv_wnd_bytes;
	u32		sndbuf_bytes;
	u32		rcvbuf_bytes;
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
 * @read_ahead_kb: as it is set now; 0 if it could not be read
 */
struct tt_mount {
	char		dev[24];
	char		dir[256];
	struct tt_addr	server;
	u16		port;
	u32		rsize_bytes;
	u32		read_ahead_kb;
};

/**
 * struct tt_host - the machine at one instant
 * @ram_bytes: memory of the machine
 * @tcp_mem_bytes: net.ipv4.tcp_mem, the three of them
 * @tcp_used_bytes: what TCP uses of it
 * @has_sunrpc_tcpbuf: /proc/sys/sunrpc/tcp_rcvbuf is there
 */
struct tt_host {
	u64	ram_bytes;
	u64	tcp_mem_bytes[3];
	u64	tcp_used_bytes;
	bool	has_sunrpc_tcpbuf;
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
	u64		seen_us;
};

/* From this share on, one connection does all the work. */
#define TT_WHOLE_PERCENT	95

/* Whether several connections share the work of a path. */
static inline bool tt_is_shared(u32 share_percent)
{
	return share_percent && share_percent < TT_WHOLE_PERCENT;
}

/* The tunables. A row of the table in policy/table.c describes each. */
enum tt_tunable {
	TT_RMEM_MAX,
	TT_WMEM_MAX,
	TT_SRV_RCVBUF,
	TT_SRV_SNDBUF,
	TT_CLNT_RCVBUF,
	TT_CLNT_SNDBUF,
	TT_TCP_RMEM,
	TT_TCP_WMEM,
	TT_SLOW_START,
	TT_READ_AHEAD,
	TT_TUNABLES,
};

/**
 * struct tt_row - a row of the table of tunables
 * @id: its place in the table
 * @name: "net.core.rmem_max"; read_ahead_kb has an instance beside it
 * @path: file below /, with %s where the instance goes
 * @field: which number of a vector, 0 for the first or only one
 * @min: smallest value that the kernel takes
 * @max: largest value that the kernel takes
 * @multiple: the kernel rounds to multiples of it; 1 for none
 * @from_zero: the kernel begins with 0, so another value is somebody's
 */
struct tt_row {
	enum tt_tunable	id;
	const char	*name;
	const char	*path;
	u8		field;
	u64		min;
	u64		max;
	u32		multiple;
	bool		from_zero;
};

/**
 * struct tt_target - one value that can be written
 * @id: which tunable
 * @instance: mount's dev for TT_READ_AHEAD, "" otherwise
 */
struct tt_target {
	enum tt_tunable	id;
	char		instance[24];
};

/* Why a value is what it is. */
enum tt_why {
	TT_WHY_NONE,		/* nothing was decided yet */
	TT_WHY_PATH,		/* a path needs it */
	TT_WHY_READ_AHEAD,	/* a reader needs it */
	TT_WHY_WINDOW_SCALE,	/* so that new connections agree on a scale */
	TT_WHY_NO_NEED,		/* what TCP does by itself is enough */
	TT_WHY_CONF,		/* the configuration asks for it */
};

/**
 * struct tt_reason - what a decision rests on
 * @why: which of the fields below count; for TT_WHY_PATH all of them, for
 *	TT_WHY_READ_AHEAD those up to @proven
 * @dir: direction of @peer's path
 * @proven: as in struct tt_path
 * @to_reach: the value also covers what the path may reach in a few seconds
 * @peer: the other end of the path that needs most
 * @rtt_us: as in struct tt_path
 * @best_bps: as in struct tt_path
 * @window_bytes: as in struct tt_path
 * @share_percent: as in struct tt_path
 * @limit: as in struct tt_path
 * @budget_bytes: the memory budget, if that keeps the value down, else 0
 */
struct tt_reason {
	enum tt_why	why;
	enum tt_dir	dir;
	bool		proven;
	bool		to_reach;
	struct tt_addr	peer;
	u32		rtt_us;
	u64		best_bps;
	u64		window_bytes;
	u32		share_percent;
	enum tt_limit	limit;
	u64		budget_bytes;
};

/**
 * struct tt_change - a value to write
 * @target: where
 * @value: what, in the unit of the file
 * @reason: why
 */
struct tt_change {
	struct tt_target	target;
	u64			value;
	struct tt_reason	reason;
};

/**
 * struct tt_need - the largest need of one role and direction
 * @tunable: what bounds it on this kernel
 * @bytes: ceiling in the unit of SO_RCVBUF; 0 if TCP's own tuning is enough
 * @reach_bytes: the same for what connections may reach in the next seconds
 * @share_percent: of the path with the larger of the two, as in struct tt_path
 * @path: whose need it is, NULL if there is none
 * @budget_limited: it would be larger if the memory budget allowed it
 */
struct tt_need {
	enum tt_tunable		tunable;
	u64			bytes;
	u64			reach_bytes;
	u32			share_percent;
	const struct tt_path	*path;
	bool			budget_limited;
};

/* More than there are tunables; a mount beyond that waits for the next poll. */
#define TT_CHANGES_MAX	64

/**
 * struct tt_decision - what policy makes of one poll
 * @needs: by role and direction, within the memory budget
 * @budget_bytes: memory that the buffers of all connections may take
 * @budget_limited: some need would be larger without it
 * @changes: values to write, in this order
 * @nchanges: length
 */
struct tt_decision {
	struct tt_need		needs[TT_ROLES][TT_DIRS];
	u64			budget_bytes;
	bool			budget_limited;
	struct tt_change	changes[TT_CHANGES_MAX];
	size_t			nchanges;
};

/* Why a tunable is not written. */
enum tt_hands_off {
	TT_HANDS_ON,
	TT_OFF_ABSENT,		/* this kernel does not have it */
	TT_OFF_FOREIGN,		/* somebody else set or changed it */
	TT_OFF_DENIED,		/* no permission, e.g. another namespace's */
};

/**
 * struct tt_setting - a tunable as it stands
 * @target: which
 * @value: what the file says
 * @original: what it said before the first write; valid if @written
 * @written: this daemon, or the one before it, has written it
 * @changed_us: CLOCK_MONOTONIC of the last write, 0 for never
 * @off: why it is left alone
 * @reason: of the last write
 */
struct tt_setting {
	struct tt_target	target;
	u64			value;
	u64			original;
	bool			written;
	u64			changed_us;
	enum tt_hands_off	off;
	struct tt_reason	reason;
};

/**
 * struct tt_conf - the configuration, see tcptuned.conf(5)
 * @roles: which roles are served
 * @bandwidth_bps: rate of every link, 0: ask the kernel
 * @memory_percent: share of memory that all buffers together may take
 * @read_ahead: whether the mounts' read-ahead is set
 * @tcp_limits: whether tcp_rmem and tcp_wmem are set: never, when the series
 *	is missing, or always
 * @slow_start_after_idle: whether net.ipv4.tcp_slow_start_after_idle is
 *	set to 0
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
	char	metrics[256];
	bool	dry_run;
};

#endif /* TCPTUNED_TYPES_H */
