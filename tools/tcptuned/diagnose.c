// SPDX-License-Identifier: GPL-2.0
/*
 * What keeps a path slow.
 *
 * Some causes show while data moves: the model's limit names them. Others are
 * bounds, which hold a path that is faster than they are, even if it rests: so
 * many bytes under way at most carry bytes / RTT. They need a link whose rate
 * is known.
 */
#include "diagnose.h"

#include <stdio.h>

#include "bdp.h"
#include "policy/policy.h"
#include "policy/table.h"
#include "units.h"

/* Payload is so much of what a link carries, at MTU 1500. */
#define DIAGNOSE_PAYLOAD_PERCENT	92

/* A gain of less than a quarter is not worth anybody's time. */
#define DIAGNOSE_GAIN_PERCENT		125

/* While one request is on its way a reader asks for the next. */
#define DIAGNOSE_READS			2

/* CUBIC feels a loss of one in so many, from where it may be measured on. */
#define DIAGNOSE_LOSS			50000
#define DIAGNOSE_LOSS_BYTES		1000000

/* A packet that was sent so often in a row does not get through. */
#define DIAGNOSE_BACKOFF		3
#define DIAGNOSE_SMALL_MSS		1300

/* So many requests tell whether threads are short. */
#define DIAGNOSE_REQUESTS		100

#define DIAGNOSE_AT_ONCE		8

/* Requests and acknowledgments are less than this of what they ask for. */
#define DIAGNOSE_ECHO_SHIFT		6

#define FIGURE(f, ...)	snprintf((f)->figure, sizeof((f)->figure), __VA_ARGS__)
#define FIX(f, ...)	snprintf((f)->fix, sizeof((f)->fix), __VA_ARGS__)

/**
 * struct diagnose_case - what a rule is given
 * @host: the machine
 * @on: the path
 * @dir: its direction
 * @link_bps: payload that its link carries, 0 if unknown
 * @best_bps: the best that was seen
 * @rtt_us: at rest
 */
struct diagnose_case {
	const struct diagnose_host	*host;
	const struct diagnose_path	*on;
	enum tt_dir			dir;
	u64				link_bps;
	u64				best_bps;
	u32				rtt_us;
};

/* Something that is seen at work; the next step of any window gives twice. */
static void diagnose_seen(const struct diagnose_case *c,
			  struct diagnose_finding *f)
{
	f->now_bps = c->best_bps;
	f->then_bps = c->link_bps ? c->link_bps : 2 * c->best_bps;
}

/* A bound of so many bytes under way. Returns: false if it is not known. */
static bool diagnose_bound(const struct diagnose_case *c, u64 bytes,
			   struct diagnose_finding *f)
{
	f->now_bps = bdp_rate(bytes, c->rtt_us);
	f->then_bps = c->link_bps;
	return bytes;
}

static u64 diagnose_scale_bytes(const struct diagnose_case *c)
{
	return 65535ULL << c->on->conn->wscale[c->dir];
}

/* Whether the window is what the scale allows, so that no buffer helps. */
static bool diagnose_is_scale(const struct diagnose_case *c)
{
	return bdp_bytes(c->best_bps, c->rtt_us) >=
	       diagnose_scale_bytes(c) / 4 * 3;
}

/* The command that raises what bounds windows in a role and direction. */
static void diagnose_fix_buffer(const struct diagnose_case *c, u64 bps,
				struct diagnose_finding *f)
{
	bool out = c->dir == TT_OUT, client = c->on->path->role == TT_CLIENT;
	enum tt_tunable id = TT_SRV_RCVBUF + 2 * client + out;
	const struct tt_row *row, *max = &table_rows[TT_RMEM_MAX + out];
	char budget[UNITS_MAX];

	if (c->host->budget_bytes &&
	    2 * policy_compute(id, bps, c->rtt_us) > c->host->budget_bytes) {
		FIX(f, "# needs more than the memory budget of %s: raise memory = or tcp_mem",
		    units_bytes(c->host->budget_bytes, budget));
		return;
	}
	if (c->host->has_sunrpc_tcpbuf) {
		row = &table_rows[id];
		FIX(f, "sysctl -w %s=%llu %s=%llu",
		    max->name, policy_compute(max->id, bps, c->rtt_us),
		    row->name, policy_compute(id, bps, c->rtt_us));
		return;
	}
	row = &table_rows[TT_TCP_RMEM + out];
	FIX(f, "sysctl -w %s=\"$(cut -f 1-2 %s) %llu\"", row->name, row->path,
	    policy_compute(row->id, bps, c->rtt_us));
}

static bool diagnose_window(const struct diagnose_case *c,
			    struct diagnose_finding *f)
{
	enum tt_limit own = c->dir == TT_OUT ? TT_LIMIT_SNDBUF : TT_LIMIT_RWND;
	u64 bytes = c->on->path->buffer_bytes[c->dir];
	char has[UNITS_MAX], needs[UNITS_MAX];

	if (c->on->path->limit[c->dir] != own ||
	    (c->dir == TT_IN && diagnose_is_scale(c)))
		return false;
	diagnose_seen(c, f);
	FIGURE(f, "%s buffers of %s are full; a round trip carries %s",
	       c->dir == TT_OUT ? "send" : "receive", units_bytes(bytes, has),
	       units_bytes(bdp_bytes(f->then_bps, c->rtt_us), needs));
	diagnose_fix_buffer(c, f->then_bps, f);
	return true;
}

static bool diagnose_peer_window(const struct diagnose_case *c,
				 struct diagnose_finding *f)
{
	const struct tt_conn *conn = c->on->conn;
	char addr[INET6_ADDRSTRLEN];

	if (c->dir != TT_OUT || c->on->path->limit[TT_OUT] != TT_LIMIT_RWND ||
	    diagnose_is_scale(c))
		return false;
	diagnose_seen(c, f);
	FIGURE(f, "%llu %% of the time with data to send waits for it",
	       100 * conn->rwnd_limited_us / max_u64(conn->busy_us, 1));
	FIX(f, "systemctl enable --now tcptuned	# on %s",
	    units_addr(&conn->peer, addr));
	return true;
}

static bool diagnose_scale(const struct diagnose_case *c,
			   struct diagnose_finding *f)
{
	const struct tt_conn *conn = c->on->conn;
	bool client = c->on->path->role == TT_CLIENT;
	u64 max, bytes = diagnose_scale_bytes(c);
	char addr[INET6_ADDRSTRLEN], size[UNITS_MAX], raise[120] = "";

	if (c->on->path->limit[c->dir] == TT_LIMIT_RWND && diagnose_is_scale(c))
		diagnose_seen(c, f);
	else
		diagnose_bound(c, bytes, f);
	FIGURE(f, "the mount agreed on %u, which allows windows of %s %s it",
	       conn->wscale[c->dir], units_bytes(bytes, size),
	       c->dir == TT_OUT ? "to" : "from");
	max = policy_compute(TT_RMEM_MAX, f->then_bps, c->rtt_us);
	units_addr(&conn->peer, addr);
	if (c->dir == TT_OUT)
		snprintf(raise, sizeof(raise),
			 "sysctl -w net.core.rmem_max=%llu	# on %s\n    ",
			 max, addr);
	else if (c->host->rmem_max_bytes < max)
		snprintf(raise, sizeof(raise),
			 "sysctl -w net.core.rmem_max=%llu\n    ", max);
	FIX(f, "%sss -K dst %s %s = %u", raise, addr,
	    client ? "dport" : "sport",
	    client ? conn->peer_port : conn->local_port);
	return true;
}

static bool diagnose_slots(const struct diagnose_case *c,
			   struct diagnose_finding *f)
{
	const struct tt_mount *mount = c->on->mount;
	char size[UNITS_MAX];

	if (!mount || c->dir != TT_IN ||
	    !diagnose_bound(c, c->host->slots * mount->rsize_bytes, f))
		return false;
	FIGURE(f, "%llu requests of %s per round trip at most", c->host->slots,
	       units_bytes(mount->rsize_bytes, size));
	FIX(f, "echo 1024 >/sys/module/nfs/parameters/max_session_slots	# and mount again");
	return c->host->slots < 1024;
}

static bool diagnose_congestion_kb(const struct diagnose_case *c,
				   struct diagnose_finding *f)
{
	u64 bytes = c->host->congestion_kb * 1024 / 4 * 3;
	char size[UNITS_MAX];

	if (c->on->path->role != TT_CLIENT || c->dir != TT_OUT ||
	    !diagnose_bound(c, bytes, f))
		return false;
	FIGURE(f, "writing pauses with more than %s under way",
	       units_bytes(bytes, size));
	FIX(f, "sysctl -w fs.nfs.nfs_congestion_kb=%llu",
	    bdp_bytes(c->link_bps, c->rtt_us) * 4 / 3 / 1024 + 1);
	return true;
}

static bool diagnose_read_ahead(const struct diagnose_case *c,
				struct diagnose_finding *f)
{
	const struct tt_mount *mount = c->on->mount;
	u64 bytes;
	char size[UNITS_MAX];

	if (!mount || c->dir != TT_IN || !mount->read_ahead_kb)
		return false;
	bytes = mount->read_ahead_kb * 1024ULL;
	if (c->on->path->limit[TT_IN] == TT_LIMIT_READ_AHEAD)
		diagnose_seen(c, f);
	else
		diagnose_bound(c, DIAGNOSE_READS *
			       max_u64(bytes, mount->rsize_bytes), f);
	FIGURE(f, "a reader of %s asks for %s in advance",
	       mount->dir, units_bytes(bytes, size));
	FIX(f, "echo %llu >/sys/class/bdi/%s/read_ahead_kb",
	    (3 * bdp_bytes(f->then_bps, c->rtt_us) >> 20 << 10) + 1024,
	    mount->dev);
	return true;
}

static bool diagnose_loss(const struct diagnose_case *c,
			  struct diagnose_finding *f)
{
	const struct tt_conn *conn = c->on->conn;
	bool client = c->on->path->role == TT_CLIENT;
	const struct tt_row *row = &table_rows[TT_SRV_LOSSY + client];
	char rtt[UNITS_MAX], rate[UNITS_MAX];
	u32 ppm;

	if (c->dir != TT_OUT || conn->sent_bytes < DIAGNOSE_LOSS_BYTES ||
	    conn->resent_bytes < conn->sent_bytes / DIAGNOSE_LOSS ||
	    conn->rtt_us > c->rtt_us + c->rtt_us / 20)
		return false;
	diagnose_seen(c, f);
	ppm = 1e6 * min_u64(conn->resent_bytes, conn->sent_bytes) /
	      conn->sent_bytes;
	FIGURE(f,
	       "%.3f %% is sent again, while %s shows no queue; CUBIC carries %s then (RFC 9438)",
	       ppm / 1e4, units_time(conn->rtt_us, rtt),
	       units_rate(bdp_cubic(ppm, c->rtt_us, conn->mss_bytes), rate));
	FIX(f, "sysctl -w %s=bbr	# takes from others", c->host->has_lossy ?
	    row->name : "net.ipv4.tcp_congestion_control");
	return c->on->path->limit[TT_OUT] == TT_LIMIT_CONGESTION;
}

static bool diagnose_queue(const struct diagnose_case *c,
			   struct diagnose_finding *f)
{
	u32 smooth_us = c->on->conn->rtt_us;
	char now[UNITS_MAX], rest[UNITS_MAX], rate[UNITS_MAX];

	if (c->dir != TT_OUT || smooth_us < 2 * c->rtt_us ||
	    c->on->path->limit[TT_OUT] != TT_LIMIT_CONGESTION)
		return false;
	f->now_bps = c->best_bps;
	f->then_bps = c->best_bps;
	FIGURE(f, "a round trip takes %s, %s at rest",
	       units_time(smooth_us, now), units_time(c->rtt_us, rest));
	FIX(f, "tc qdisc replace dev DEVICE root cake bandwidth %s	# at the bottleneck",
	    units_rate(c->best_bps, rate));
	return true;
}

static bool diagnose_black_hole(const struct diagnose_case *c,
				struct diagnose_finding *f)
{
	const struct tt_conn *conn = c->on->conn;

	if (c->dir != TT_OUT || conn->backoff < DIAGNOSE_BACKOFF ||
	    conn->mss_bytes < DIAGNOSE_SMALL_MSS)
		return false;
	diagnose_seen(c, f);
	f->now_bps = 0;
	FIGURE(f, "%u bytes were sent %u times in vain, unless that end is gone",
	       conn->mss_bytes, conn->backoff + 1);
	FIX(f, "sysctl -w net.ipv4.tcp_mtu_probing=1");
	return true;
}

static bool diagnose_threads(const struct diagnose_case *c,
			     struct diagnose_finding *f)
{
	const struct diagnose_host *host = c->host;

	if (c->on->path->role != TT_SERVER || host->queued < DIAGNOSE_REQUESTS ||
	    host->woken > host->queued / 2)
		return false;
	f->now_bps = c->best_bps;
	f->then_bps = 2 * c->best_bps;
	FIGURE(f, "%llu of %llu requests found none of %llu idle",
	       host->queued - host->woken, host->queued, host->threads);
	FIX(f, "rpc.nfsd %llu", 4 * host->threads);
	return true;
}

static bool diagnose_one_request(const struct diagnose_case *c,
				 struct diagnose_finding *f)
{
	u64 now_bps = c->on->path->now_bps[c->dir];
	u64 flight = bdp_bytes(now_bps, c->rtt_us);
	u64 request = c->on->mount ? c->on->mount->rsize_bytes : 0;
	char size[UNITS_MAX];

	if (c->on->path->limit[c->dir] != TT_LIMIT_APPLICATION || !flight ||
	    flight < request / 2 || flight > request / 4 * 5)
		return false;
	f->now_bps = now_bps;
	f->then_bps = DIAGNOSE_AT_ONCE * now_bps;
	FIGURE(f, "a round trip carries %s, one request",
	       units_bytes(flight, size));
	FIX(f, "xargs -P %d, or as many programs at a time",
	    DIAGNOSE_AT_ONCE);
	return true;
}

static const struct {
	const char *cause;
	bool (*rule)(const struct diagnose_case *c, struct diagnose_finding *f);
} diagnose_rules[] = {
	{ "window at this end", diagnose_window },
	{ "window at that end", diagnose_peer_window },
	{ "window scale", diagnose_scale },
	{ "session slots", diagnose_slots },
	{ "nfs_congestion_kb", diagnose_congestion_kb },
	{ "read-ahead", diagnose_read_ahead },
	{ "loss", diagnose_loss },
	{ "queue", diagnose_queue },
	{ "MTU black hole", diagnose_black_hole },
	{ "server threads", diagnose_threads },
	{ "one request at a time", diagnose_one_request },
};

size_t diagnose(const struct diagnose_host *host,
		const struct diagnose_path *on,
		struct diagnose_finding findings[DIAGNOSE_MOST])
{
	struct diagnose_case c = {
		.host = host, .on = on, .rtt_us = on->path->rtt_us,
		.link_bps = on->path->link.rate_bps / 100 *
			    DIAGNOSE_PAYLOAD_PERCENT,
	};
	size_t n = 0;

	for (size_t i = 0; i < TT_DIRS * ARRAY_SIZE(diagnose_rules); i++) {
		struct diagnose_finding *f = &findings[n];

		c.dir = i % TT_DIRS;
		c.best_bps = on->path->best_bps[c.dir];
		/* Requests for what flows the other way. */
		if (c.best_bps < on->path->best_bps[!c.dir] >> DIAGNOSE_ECHO_SHIFT)
			continue;
		*f = (struct diagnose_finding) {
			.path = on->path,
			.cause = diagnose_rules[i / TT_DIRS].cause,
		};
		if (diagnose_rules[i / TT_DIRS].rule(&c, f) &&
		    (f->then_bps / DIAGNOSE_GAIN_PERCENT >= f->now_bps / 100 ||
		     f->then_bps == f->now_bps))
			n++;
	}
	return n;
}
