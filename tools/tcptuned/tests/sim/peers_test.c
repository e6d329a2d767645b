// SPDX-License-Identifier: GPL-2.0
/*
 * Many peers at once: near ones beside far ones, and peers that cheat.
 */
#include "scene.h"

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
	EXPECT(all_writes(sim) <= 12, "%u writes", all_writes(sim));
	finish(sim, "95 LAN clients and 5 WAN clients");
}

/* What clients took beyond what TCP gives each by itself. */
static u64 taken_by(struct sim *sim, size_t first)
{
	u64 own = value(&sim->server, TT_TCP_WMEM), sum = 0;

	for (size_t i = first; i < sim->nflows; i++) {
		u64 bytes = sim->flows[i].dirs[TT_OUT].sndbuf_bytes;

		sum += bytes > own ? bytes - own : 0;
	}
	return sum;
}

/* A peer that reads all it can get and offers every window. */
static struct sim_flow *insatiable(struct sim *sim, u64 rate_bps, u32 rtt_us)
{
	struct sim_flow *flow = sim_mount(sim, rate_bps, rtt_us, LINK_BPS);

	flow->dirs[TT_OUT] = (struct sim_dir) {
		.app = SIM_BULK, .cwnd_bytes = 14480, .sndbuf_bytes = 87040,
		.rcvbuf_bytes = 2000000000, .window_max_bytes = 1000000000,
	};
	return flow;
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
	u64 budget = 1ULL << 30, taken;
	double alone, beside;

	sim->server.host.ram_bytes = 16ULL << 30;
	sim->server.host.tcp_mem_bytes[1] = budget;
	sim_read(sim, honest);
	sim_run(sim, 5 * SECOND_US);
	sim_read(sim, honest);
	sim_run(sim, 25 * SECOND_US);
	alone = share(sim, honest, 5);
	for (size_t i = 0; i < count; i++)
		insatiable(sim, 10 * GBIT, rtt_us);
	sim_run(sim, 300 * SECOND_US);
	beside = share(sim, honest, 5);
	EXPECT(alone >= 0.97 && beside >= 0.97, "%.1f %%, alone %.1f %%",
	       100 * beside, 100 * alone);
	taken = taken_by(sim, 1);
	EXPECT(taken <= budget, "they took %llu of %llu MiB", taken >> 20,
	       budget >> 20);
	EXPECT(value(&sim->server, TT_SRV_SNDBUF));
	test_figure(name, "honest_share", beside);
	test_figure(name, "honest_share_alone", alone);
	test_figure(name, "reserved_bytes", taken);
	test_figure(name, "budget_bytes", budget);
	finish(sim, name);
}

/* They come first and all at once: one raise must not be too much for all. */
static void strangers(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	u64 budget = 1ULL << 30, taken;

	sim->server.host.ram_bytes = 16ULL << 30;
	sim->server.host.tcp_mem_bytes[1] = budget;
	for (int i = 0; i < 20; i++)
		insatiable(sim, 10 * GBIT, 900000);
	sim_run(sim, 60 * SECOND_US);
	taken = taken_by(sim, 0);
	EXPECT(taken > 20 * (16ULL << 20), "they took %llu MiB", taken >> 20);
	EXPECT(taken <= budget, "they took %llu of %llu MiB", taken >> 20,
	       budget >> 20);
	finish(sim, "20 peers that look 0.9 s away, and nobody else");
}

/* Whoever uses little claims little, however fast its link is. */
static void trickles(void)
{
	struct sim *sim = start(&sim_linux_7_2);
	struct sim_flow *flow;

	sim->server.host.ram_bytes = 16ULL << 30;
	sim->server.host.tcp_mem_bytes[1] = 1ULL << 30;
	for (int i = 0; i < 1000; i++)
		insatiable(sim, GBIT, 80000)->dirs[TT_OUT].app = SIM_TRICKLE;
	sim_run(sim, 20 * SECOND_US);
	flow = insatiable(sim, GBIT, 100000);
	sim_run(sim, 7 * SECOND_US);
	EXPECT_SHARE(sim, flow);
	finish(sim, "a newcomer among 1,000 clients that use little");
}

int main(void)
{
	lan_beside_wan();
	hundred_clients();
	strangers();
	trickles();
	late_acks(1, 10000000, "a peer that looks 10 s away");
	late_acks(1000, 10000000, "1,000 peers that look 10 s away");
	late_acks(1000, 900000, "1,000 peers that look 0.9 s away");
	return test_result();
}
