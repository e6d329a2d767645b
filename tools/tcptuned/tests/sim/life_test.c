// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to a daemon in its life: paths that change, pause, come and go,
 * people who write values of their own, and little memory.
 */
#include "scene.h"

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
	EXPECT(all_writes(sim) - writes <= 6, "%u writes",
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

/* Another program sets a value: it is left alone, the others are tuned. */
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
	finish(sim, "rmem_max is set by another program");
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
	EXPECT(share(sim, flow, 5) >= 0.9);
	EXPECT(value(&sim->client, TT_TCP_WMEM) > 4 << 20);
	EXPECT(!sim->server.writes[TT_SRV_RCVBUF]);
	finish(sim, "a kernel without sunrpc-tcpbuf");
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

int main(void)
{
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
	return test_result();
}
