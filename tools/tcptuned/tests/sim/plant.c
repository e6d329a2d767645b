// SPDX-License-Identifier: GPL-2.0
/*
 * TCP connections as a fluid. A tick moves what window and rate allow; windows
 * grow as in the kernel and its series: the sender's congestion window, its
 * buffer, and the receiver's.
 *
 * Rates follow the windows within a round trip. What is in flight beyond the
 * path's bandwidth-delay product stands in the bottleneck's queue, which makes
 * the round trip longer, or drops. Ramps, losses and shares are those that
 * matter to a controller that looks once a second; no packet exists.
 */
#include <math.h>
#include <string.h>

#include "sim.h"

#define SIM_MSS			1448.0
#define SIM_FIRST_CWND		(10 * SIM_MSS)
#define SIM_MIN_RTT_WINDOW_US	300000000ULL
#define SIM_BDPS		4		/* RPC_TCPBUF_BDPS */
#define SIM_SND_SHARE		0.7		/* payload of sk_sndbuf */
#define SIM_MSG_BYTES		1048576.0
#define SIM_RTO_US		1000000

const struct sim_kernel sim_linux_7_2 = {
	.name = "7.2 with sunrpc-tcpbuf",
	.series = true,
	.rmem2_bytes = 32 << 20,
	.wmem2_bytes = 4 << 20,
	.core_max_bytes = 4 << 20,
	.rcv_share = 0.85,
	.tells_window = true,
};

const struct sim_kernel sim_linux_6_1 = {
	.name = "6.1 with sunrpc-tcpbuf",
	.series = true,
	.rmem2_bytes = 6 << 20,
	.wmem2_bytes = 4 << 20,
	.core_max_bytes = 212992,
	.rcv_share = 0.5,
	.hides_sndbuf = true,
};

const struct sim_kernel sim_stock_6_1 = {
	.name = "6.1",
	.rmem2_bytes = 6 << 20,
	.wmem2_bytes = 4 << 20,
	.core_max_bytes = 212992,
	.rcv_share = 0.5,
};

double sim_limit_bps(const struct sim_path *path)
{
	return path->rate_bps * 1448.0 / 1514;
}

double sim_bdp_bytes(const struct sim_path *path)
{
	return path->rate_bps / 8e6 * path->rtt_us;
}

static double sim_random(struct sim *sim)
{
	/* D. Knuth's MMIX generator. */
	sim->seed = sim->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(sim->seed >> 11) / (double)(1ULL << 53);
}

static u64 sim_value(struct sim_host *host, enum tt_tunable id)
{
	return sim_setting(host, id)->value;
}

/* How large a buffer may become, in the unit of sk_sndbuf and sk_rcvbuf. */
static double sim_ceiling(struct sim_host *host, enum tt_dir dir)
{
	static const enum tt_tunable tunables[TT_ROLES][TT_DIRS] = {
		[TT_SERVER] = { TT_SRV_SNDBUF, TT_SRV_RCVBUF },
		[TT_CLIENT] = { TT_CLNT_SNDBUF, TT_CLNT_RCVBUF },
	};
	u64 own = sim_value(host, dir == TT_OUT ? TT_TCP_WMEM : TT_TCP_RMEM);
	u64 host_max = sim_value(host, dir == TT_OUT ? TT_WMEM_MAX :
						       TT_RMEM_MAX);
	u64 value = 0;

	if (host->kernel->series)
		value = sim_value(host, tunables[host->role][dir]);
	return max_u64(own, 2 * min_u64(value, host_max));
}

/* TCP or the series grow a buffer to what the connection needs. */
static void sim_grow(u64 *buffer, double payload_bytes, double share,
		     double bdp_bytes, double ceiling_bytes)
{
	double need = fmin(payload_bytes, SIM_BDPS * bdp_bytes) / share +
		      2 * SIM_MSG_BYTES;

	need = fmin(need, ceiling_bytes);
	if (need > *buffer)
		*buffer = need;
}

/* The window's bounds: what limits goes into the counters of tcp_info. */
static double sim_window(const struct sim_host *receiver,
			 const struct sim_dir *dir, double bdp_bytes,
			 enum tt_limit *limit)
{
	double window = dir->cwnd_bytes;
	double sndbuf = SIM_SND_SHARE * dir->sndbuf_bytes;
	double rwnd = fmin(receiver->kernel->rcv_share * dir->rcvbuf_bytes,
			   dir->window_max_bytes);
	const double apps[] = {
		[SIM_IDLE] = 0,
		[SIM_BULK] = INFINITY,
		[SIM_READ] = 1.2 * dir->read_ahead_bytes,
		[SIM_MODEST] = bdp_bytes / 4,
		[SIM_TRICKLE] = bdp_bytes / 1000,
	};
	double app = apps[dir->app];

	*limit = TT_LIMIT_CONGESTION;
	if (sndbuf < window) {
		window = sndbuf;
		*limit = TT_LIMIT_SNDBUF;
	}
	if (rwnd < window) {
		window = rwnd;
		*limit = TT_LIMIT_RWND;
	}
	if (app < window) {
		window = app;
		*limit = TT_LIMIT_APPLICATION;
	}
	return window;
}

static void sim_congest(struct sim *sim, const struct sim_path *path,
			struct sim_dir *dir, enum tt_limit limit, double rounds)
{
	double packets = dir->rate_bps * SIM_TICK_US / 8e6 / SIM_MSS;
	double bdp = sim_bdp_bytes(path);
	bool lost = path->queue_bytes &&
		    dir->flight_bytes > bdp + path->queue_bytes;

	if (path->loss && sim_random(sim) < packets * path->loss)
		lost = true;
	if (lost && !dir->hole_us) {
		dir->max_cwnd_bytes = fmax(dir->flight_bytes, 2 * SIM_MSS);
		dir->cwnd_bytes = 0.7 * dir->max_cwnd_bytes;
		dir->hole_us = path->rtt_us + dir->queue_us + SIM_TICK_US;
	} else if (limit == TT_LIMIT_CONGESTION) {
		if (!dir->max_cwnd_bytes)
			dir->cwnd_bytes *= pow(2, fmin(rounds, 20));
		else
			dir->cwnd_bytes += 0.1 * dir->max_cwnd_bytes *
					   SIM_TICK_US / 1e6 + SIM_MSS * rounds;
	}
	dir->cwnd_bytes = fmin(dir->cwnd_bytes, 4e10);
}

/* A hole holds back what arrives behind it, then all counts at once. */
static void sim_deliver(struct sim_dir *dir, double bytes)
{
	if (dir->hole_us) {
		dir->held_bytes += bytes;
		dir->hole_us -= min_u64(dir->hole_us, SIM_TICK_US);
		return;
	}
	dir->delivered_bytes += bytes + dir->held_bytes;
	dir->held_bytes = 0;
}

static void sim_idle(struct sim_host *sender, struct sim_dir *dir)
{
	dir->idle_us += SIM_TICK_US;
	dir->rate_bps = 0;
	dir->flight_bytes = 0;
	dir->queue_us = 0;
	dir->app_limited = true;
	if (dir->idle_us > SIM_RTO_US && sim_value(sender, TT_SLOW_START))
		dir->cwnd_bytes = SIM_FIRST_CWND;
	dir->delivered_bytes += dir->held_bytes;
	dir->held_bytes = 0;
	dir->hole_us = 0;
}

static void sim_tick_dir(struct sim *sim, struct sim_flow *flow,
			 enum tt_dir way)
{
	struct sim_dir *dir = &flow->dirs[way];
	struct sim_host *sender = way == TT_OUT ? &sim->server : flow->client;
	struct sim_host *receiver = way == TT_OUT ? flow->client : &sim->server;
	const struct sim_path *path = flow->path;
	double rtt_us = path->rtt_us + dir->queue_us;
	double rounds = SIM_TICK_US / rtt_us;
	double limit_bps = sim_limit_bps(path), target, window, bdp;
	enum tt_limit limit;

	if (!flow->open || dir->app == SIM_IDLE) {
		sim_idle(sender, dir);
		return;
	}
	dir->idle_us = 0;
	window = sim_window(receiver, dir, limit_bps / 8e6 * path->rtt_us,
			    &limit);
	dir->flight_bytes += (window - dir->flight_bytes) * fmin(1, rounds);
	target = fmin(limit_bps, dir->flight_bytes * 8e6 / path->rtt_us);
	target *= 1 + sim->noise * (sim_random(sim) - 1);
	dir->rate_bps += (target - dir->rate_bps) * fmin(1, rounds);
	bdp = limit_bps / 8e6 * path->rtt_us;
	dir->queue_us = fmax(0, dir->flight_bytes - bdp) * 8e6 / limit_bps;

	sim_congest(sim, path, dir, limit, rounds);
	sim_deliver(dir, dir->rate_bps * SIM_TICK_US / 8e6);
	dir->busy_us += SIM_TICK_US;
	dir->rwnd_us += limit == TT_LIMIT_RWND ? SIM_TICK_US : 0;
	if (limit == TT_LIMIT_SNDBUF && sender->kernel->hides_sndbuf)
		limit = TT_LIMIT_APPLICATION;
	dir->sndbuf_us += limit == TT_LIMIT_SNDBUF ? SIM_TICK_US : 0;
	dir->app_limited = limit == TT_LIMIT_APPLICATION;

	bdp = dir->rate_bps / 8e6 * flow->min_rtt_us;
	sim_grow(&dir->sndbuf_bytes, 2 * dir->flight_bytes, SIM_SND_SHARE, bdp,
		 sim_ceiling(sender, TT_OUT));
	sim_grow(&dir->rcvbuf_bytes, 3 * dir->flight_bytes,
		 receiver->kernel->rcv_share, bdp,
		 sim_ceiling(receiver, TT_IN));
}

static void sim_tick(struct sim *sim)
{
	for (size_t i = 0; i < sim->nflows; i++) {
		struct sim_flow *flow = &sim->flows[i];

		for (int way = 0; way < TT_DIRS; way++)
			sim_tick_dir(sim, flow, way);
		flow->rtt_us = flow->path->rtt_us +
			       flow->dirs[TT_OUT].queue_us +
			       flow->dirs[TT_IN].queue_us;
		if (flow->dirs[TT_OUT].app || flow->dirs[TT_IN].app)
			flow->min_rtt_us = minmax_min(&flow->min_rtt,
						      SIM_MIN_RTT_WINDOW_US,
						      sim->now_us,
						      flow->rtt_us);
	}
}

struct sim_flow *sim_mount(struct sim *sim, u64 rate_bps, u32 rtt_us,
			   u64 link_bps)
{
	struct sim_flow *flow = &sim->flows[sim->nflows];
	struct sim_path *path = &sim->paths[sim->nflows];

	*path = (struct sim_path) {
		.rate_bps = rate_bps, .rtt_us = rtt_us, .link_bps = link_bps,
	};
	*flow = (struct sim_flow) {
		.path = path, .client = &sim->client, .open = true,
		.peer = sim->nflows + 1, .rtt_us = rtt_us, .min_rtt_us = rtt_us,
	};
	minmax_reset(&flow->min_rtt, sim->now_us, rtt_us);
	for (int way = 0; way < TT_DIRS; way++) {
		struct sim_host *receiver = way == TT_OUT ? &sim->client :
							    &sim->server;
		u64 scale = max_u64(sim_value(receiver, TT_TCP_RMEM),
				    sim_value(receiver, TT_RMEM_MAX));
		int shift = fmin(14, floor(log2(scale)) - 15);

		flow->dirs[way] = (struct sim_dir) {
			.cwnd_bytes = SIM_FIRST_CWND,
			.sndbuf_bytes = 87040,
			.rcvbuf_bytes = 131072,
			.window_max_bytes = 65535ULL << shift,
		};
	}
	sim->nflows++;
	return flow;
}

void sim_read(struct sim *sim, struct sim_flow *flow)
{
	u64 read_ahead = 1024 * sim_value(&sim->client, TT_READ_AHEAD);

	flow->dirs[TT_OUT].app = SIM_READ;
	/* A large read() asks for an rsize in any case. */
	flow->dirs[TT_OUT].read_ahead_bytes = max_u64(read_ahead, 1 << 20);
}

void sim_write(struct sim_flow *flow)
{
	flow->dirs[TT_IN].app = SIM_BULK;
}

void sim_stop(struct sim_flow *flow)
{
	flow->dirs[TT_OUT].app = SIM_IDLE;
	flow->dirs[TT_IN].app = SIM_IDLE;
}

void sim_run(struct sim *sim, u64 us)
{
	u64 end_us = sim->now_us + us;

	while (sim->now_us < end_us) {
		sim->now_us += SIM_TICK_US;
		sim_tick(sim);
		if (!(sim->now_us % SIM_POLL_US))
			sim_look(sim, &sim->server);
		if (!((sim->now_us + 370000) % SIM_POLL_US))
			sim_look(sim, &sim->client);
	}
}
