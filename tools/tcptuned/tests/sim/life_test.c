// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to a daemon in its life: paths that change, pause, come and go,
 * peers that cheat, people who write values of their own, and little memory.
 */
#include <math.h>
#include <stdlib.h>

#include "../test.h"
#include "sim.h"

#define SECOND_US	1000000ULL
#define LINK_BPS	10000000000ULL
#define GBIT		1000000000ULL

static struct sim *start(const struct sim_kernel *kernel)
{
	struct sim *sim = malloc(sizeof(*sim));

	sim_init(sim, kernel, sim_poll_us());
	sim_run(sim, 2 * SECOND_US);
	test_begin();
	return sim;
}

static void finish(struct sim *sim, const char *name)
{
	EXPECT(!sim->server.fault, "server %s", sim->server.fault);
	EXPECT(!sim->client.fault, "client %s", sim->client.fault);
	test_end(name);
	sim_free(sim);
	free(sim);
}

static u64 value(struct sim_host *host, enum tt_tunable id)
{
	return sim_setting(host, id)->value;
}

static u32 all_writes(const struct sim *sim)
{
	u32 sum = 0;

	for (int id = 0; id < TT_TUNABLES; id++)
		sum += sim->server.writes[id] + sim->client.writes[id];
	return sum;
}

/* The share of the path's payload limit in some seconds. */
static double share(struct sim *sim, const struct sim_flow *flow, int seconds)
{
	const struct sim_dir *dirs = flow->dirs;
	double before = dirs[TT_OUT].delivered_bytes +
			dirs[TT_IN].delivered_bytes;

	sim_run(sim, seconds * SECOND_US);
	return (dirs[TT_OUT].delivered_bytes + dirs[TT_IN].delivered_bytes -
		before) * 8 / seconds / sim_limit_bps(flow->path);
}

#define EXPECT_SHARE(sim, flow) do { \
		double s_ = share(sim, flow, 5); \
		EXPECT(s_ >= 0.97, "%.1f %% of the limit", 100 * s_); \
	} while (0)

static void expect_window(struct sim *sim, enum tt_tunable id,
			  const struct sim_flow *flow)
{
	double bdps = value(&sim->server, id) / sim_bdp_bytes(flow->path);

	EXPECT(bdps <= 4, "%.2f BDP", bdps);
}

/* A WAN and a LAN at once: each as fast as alone, the LAN takes nothing. */
static void lan_beside_wan(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *wan = sim_mount(sim, GBIT, 120000, LINK_BPS);
	struct sim_flow *lan = sim_mount(sim, 10 * GBIT, 200, LINK_BPS);

	sim_write(wan);
	sim_write(lan);
	sim_run(sim, 20 * SECOND_US);
	EXPECT_SHARE(sim, wan);
	EXPECT_SHARE(sim, lan);
	expect_window(sim, TT_SRV_RCVBUF, wan);
	EXPECT(lan->dirs[TT_IN].rcvbuf_bytes < 8 << 20, "LAN has %llu bytes",
	       lan->dirs[TT_IN].rcvbuf_bytes);
	finish(sim, "a LAN beside a WAN");
}

static void hundred_clients(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	u64 taken = 0;

	for (int i = 0; i < 100; i++)
		sim_write(sim_mount(sim, i < 5 ? GBIT : 10 * GBIT / 100,
				    i < 5 ? 60000 : 200, LINK_BPS));
	sim_run(sim, 20 * SECOND_US);
	for (int i = 0; i < 5; i++)
		EXPECT_SHARE(sim, &sim->flows[i]);
	for (int i = 5; i < 100; i++)
		taken += sim->flows[i].dirs[TT_IN].rcvbuf_bytes;
	expect_window(sim, TT_SRV_RCVBUF, &sim->flows[0]);
	EXPECT(taken < 95 * (8ULL << 20), "LANs have %llu bytes", taken);
	EXPECT(all_writes(sim) <= 24, "%u writes", all_writes(sim));
	finish(sim, "95 LAN clients and 5 WAN clients");
}

/* The clients of @first and later; their own kernels follow no ceiling. */
static u64 taken_by(const struct sim *sim, size_t first)
{
	u64 sum = 0;

	for (size_t i = first; i < sim->nflows; i++)
		sum += sim->flows[i].dirs[TT_OUT].sndbuf_bytes;
	return sum;
}

/*
 * Peers that acknowledge late. The stock kernel gives each of them what
 * tcp_wmem[2] allows; beyond that they have to stay within the budget, and who
 * was there before keeps its speed.
 */
static void late_acks(size_t count, u32 rtt_us, const char *name)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *honest = sim_mount(sim, GBIT, 100000, LINK_BPS);
	u64 budget, own, taken;

	sim->server.host.ram_bytes = 16ULL << 30;
	sim->server.host.tcp_mem_bytes[1] = 1ULL << 30;
	budget = 1ULL << 30;
	sim_read(sim, honest);
	sim_run(sim, 5 * SECOND_US);
	sim_read(sim, honest);
	sim_run(sim, 25 * SECOND_US);
	EXPECT_SHARE(sim, honest);
	for (size_t i = 0; i < count; i++)
		sim_mount(sim, 10 * GBIT, rtt_us, LINK_BPS)->dirs[TT_OUT] =
			(struct sim_dir) {
				.app = SIM_BULK, .cwnd_bytes = 14480,
				.sndbuf_bytes = 87040,
				.rcvbuf_bytes = 2000000000,
				.window_max_bytes = 1000000000,
			};
	sim_run(sim, 300 * SECOND_US);
	EXPECT_SHARE(sim, honest);
	own = count * value(&sim->server, TT_TCP_WMEM);
	taken = taken_by(sim, 1);
	EXPECT(taken <= own + budget, "they took %llu MiB, %llu are TCP's own",
	       taken >> 20, own >> 20);
	EXPECT(value(&sim->server, TT_SRV_SNDBUF),
	       "the ceiling was taken back");
	finish(sim, name);
}

/* The bottleneck or the route changes under a mount that is busy writing. */
static void change(u64 rate_bps, u32 rtt_us, u64 new_rate_bps, u32 new_rtt_us,
		   u64 queue_bytes, const char *name)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, rate_bps, rtt_us, LINK_BPS);

	flow->path->queue_bytes = queue_bytes;
	sim_write(flow);
	sim_run(sim, 40 * SECOND_US);
	flow->path->rate_bps = new_rate_bps;
	flow->path->rtt_us = new_rtt_us;
	sim_run(sim, 60 * SECOND_US);
	if (!queue_bytes)
		EXPECT_SHARE(sim, flow);
	if (value(&sim->server, TT_SRV_RCVBUF) > 16 << 20)
		expect_window(sim, TT_SRV_RCVBUF, flow);
	finish(sim, name);
}

/* There and back again: nothing is left of it. */
static void flap(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, GBIT, 30000, LINK_BPS);
	u32 writes;

	sim_write(flow);
	sim_run(sim, 30 * SECOND_US);
	writes = all_writes(sim);
	for (int i = 0; i < 20; i++) {
		flow->path->rtt_us = i % 2 ? 30000 : 90000;
		sim_run(sim, 7 * SECOND_US);
	}
	sim_run(sim, 60 * SECOND_US);
	EXPECT_SHARE(sim, flow);
	expect_window(sim, TT_SRV_RCVBUF, flow);
	EXPECT(all_writes(sim) - writes <= 40, "%u writes",
	       all_writes(sim) - writes);
	finish(sim, "a route that flaps");
}

/* A pause and a trickle leave the window for the next burst. */
static void pauses(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, GBIT, 120000, LINK_BPS);
	u64 before;
	u32 writes;

	sim_write(flow);
	sim_run(sim, 30 * SECOND_US);
	before = value(&sim->client, TT_CLNT_SNDBUF);
	writes = all_writes(sim);
	sim_stop(flow);
	sim_run(sim, 600 * SECOND_US);
	flow->dirs[TT_IN].app = SIM_TRICKLE;
	sim_run(sim, 3600 * SECOND_US);
	EXPECT(value(&sim->client, TT_CLNT_SNDBUF) == before, "%llu, was %llu",
	       value(&sim->client, TT_CLNT_SNDBUF), before);
	EXPECT(all_writes(sim) == writes, "%u writes",
	       all_writes(sim) - writes);
	sim_write(flow);
	sim_run(sim, 5 * SECOND_US);
	EXPECT_SHARE(sim, flow);
	finish(sim, "ten idle minutes and an hour's trickle");
}

/*
 * Ten minutes of load: TCP has forgotten how short the path was, and says so
 * as long as nothing new is measured.
 */
static void long_load(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, GBIT, 120000, LINK_BPS);
	u32 writes;

	sim_write(flow);
	sim_run(sim, 30 * SECOND_US);
	writes = all_writes(sim);
	sim_run(sim, 600 * SECOND_US);
	sim_stop(flow);
	sim_run(sim, 60 * SECOND_US);
	EXPECT(flow->min_rtt_us > 150000, "no queue stood: %u us",
	       flow->min_rtt_us);
	EXPECT(all_writes(sim) == writes, "%u writes",
	       all_writes(sim) - writes);
	finish(sim, "a queue that stands for ten minutes");
}

/*
 * A program that sends a quarter of what the path can carry, and always less
 * than its buffers hold, says nothing about the path.
 */
static void modest(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, 10 * GBIT, 120000, LINK_BPS);
	u64 before;

	sim_write(flow);
	sim_run(sim, 30 * SECOND_US);
	before = value(&sim->client, TT_CLNT_SNDBUF);
	flow->dirs[TT_IN].app = SIM_MODEST;
	sim_run(sim, 600 * SECOND_US);
	EXPECT(value(&sim->client, TT_CLNT_SNDBUF) == before, "%llu, was %llu",
	       value(&sim->client, TT_CLNT_SNDBUF), before);
	finish(sim, "a program that sends a quarter");
}

/* Somebody else sets a value: hands off, and the others go on. */
static void foreign(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, GBIT, 120000, LINK_BPS);
	struct tt_setting *theirs = sim_setting(&sim->server, TT_RMEM_MAX);

	theirs->value = 8 << 20;
	theirs->off = TT_OFF_FOREIGN;
	sim_write(flow);
	sim_run(sim, 60 * SECOND_US);
	EXPECT(theirs->value == 8 << 20, "%llu", theirs->value);
	EXPECT(value(&sim->server, TT_SRV_RCVBUF) <= 16 << 20,
	       "tcp_rcvbuf of %llu is above rmem_max",
	       value(&sim->server, TT_SRV_RCVBUF));
	EXPECT(value(&sim->client, TT_CLNT_SNDBUF) > 8 << 20, "%llu",
	       value(&sim->client, TT_CLNT_SNDBUF));
	finish(sim, "rmem_max is somebody else's");
}

/* 2 GiB of RAM, and a path that needs 600 MB of buffers. */
static void little_memory(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, 10 * GBIT, 120000, LINK_BPS);
	struct sim_host *hosts[] = { &sim->server, &sim->client };
	u64 budget = 120ULL << 20, most;

	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		hosts[i]->host.ram_bytes = 2ULL << 30;
		hosts[i]->host.tcp_mem_bytes[1] = budget;
	}
	sim_write(flow);
	sim_run(sim, 60 * SECOND_US);
	sim_stop(flow);
	sim_read(sim, flow);
	sim_run(sim, 60 * SECOND_US);
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		most = max_u64(2 * value(hosts[i], TT_SRV_RCVBUF) +
			       2 * value(hosts[i], TT_SRV_SNDBUF),
			       2 * value(hosts[i], TT_CLNT_RCVBUF) +
			       2 * value(hosts[i], TT_CLNT_SNDBUF));
		EXPECT(most <= budget + (4 << 20), "%llu MiB", most >> 20);
		EXPECT(value(hosts[i], TT_READ_AHEAD) <= (2 << 20) / 16,
		       "%llu KiB", value(hosts[i], TT_READ_AHEAD));
	}
	finish(sim, "a machine with little memory");
}

/* No series: tcp_wmem and tcp_rmem instead. */
static void stock(void)
{
	struct sim *sim = start(&sim_stock_6_1);
	struct sim_flow *flow;

	sim_stop(sim_mount(sim, GBIT, 60000, LINK_BPS));
	flow = &sim->flows[0];
	sim_write(flow);
	sim_run(sim, 20 * SECOND_US);
	EXPECT(share(sim, flow, 5) >= 0.9, "slow");
	EXPECT(value(&sim->client, TT_TCP_WMEM) > 4 << 20, "not raised");
	EXPECT(!sim->server.writes[TT_SRV_RCVBUF], "wrote what is not there");
	finish(sim, "a kernel without the series");
}

/* Reading from a path that nobody wrote to, file by file. */
static void cold_read(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, 10 * GBIT, 120000, LINK_BPS);

	sim_run(sim, 3 * SECOND_US);
	for (int file = 0; file < 8; file++) {
		sim_read(sim, flow);
		sim_run(sim, 5 * SECOND_US);
	}
	EXPECT_SHARE(sim, flow);
	expect_window(sim, TT_SRV_SNDBUF, flow);
	finish(sim, "reading file by file");
}

/* Eight hours: RTT and rate change, packets get lost, clients come and go. */
static void eight_hours(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow = sim_mount(sim, GBIT, 30000, LINK_BPS);
	struct sim_flow *other = sim_mount(sim, GBIT, 80000, LINK_BPS);
	static const u32 rtts_us[] = { 30000, 50000, 90000, 20000 };
	u32 writes;

	flow->path->queue_bytes = 4 << 20;
	flow->path->loss = 0.000001;
	sim->noise = 0.1;
	for (int quarter = 0; quarter < 32; quarter++) {
		flow->path->rtt_us = rtts_us[quarter % 4];
		other->open = quarter % 3;
		if (quarter % 5)
			sim_write(flow);
		else
			sim_stop(flow);
		sim_write(other);
		sim_run(sim, 120 * SECOND_US);
		writes = all_writes(sim);
		sim_run(sim, 780 * SECOND_US);
		EXPECT(all_writes(sim) - writes <= 10,
		       "quarter %d: %u writes in a steady state", quarter,
		       all_writes(sim) - writes);
	}
	EXPECT(all_writes(sim) < 100, "%u writes", all_writes(sim));
	EXPECT(value(&sim->server, TT_SRV_RCVBUF) <=
	       4 * sim_bdp_bytes(other->path), "%llu bytes",
	       value(&sim->server, TT_SRV_RCVBUF));
	finish(sim, "eight hours");
}

int main(void)
{
	lan_beside_wan();
	hundred_clients();
	late_acks(1, 10000000, "a peer that looks 10 s away");
	late_acks(1000, 10000000, "1,000 peers that look 10 s away");
	late_acks(1000, 900000, "1,000 peers that look 0.9 s away");
	change(10 * GBIT, 30000, GBIT, 30000, 0, "10 to 1 Gbit/s, deep queue");
	change(10 * GBIT, 60000, GBIT, 60000, 8 << 20,
	       "10 to 1 Gbit/s, shallow queue");
	change(GBIT, 120000, 10 * GBIT, 120000, 0, "1 to 10 Gbit/s");
	change(GBIT, 60000, GBIT, 180000, 0, "60 to 180 ms");
	change(10 * GBIT, 30000, 10 * GBIT, 120000, 0, "30 to 120 ms");
	/* Behind a queue that never drops nobody could see that it is short. */
	change(GBIT, 120000, GBIT, 20000, 4 << 20, "120 to 20 ms");
	flap();
	pauses();
	modest();
	long_load();
	foreign();
	little_memory();
	stock();
	cold_read();
	eight_hours();
	return test_result();
}
