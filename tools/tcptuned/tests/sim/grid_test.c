// SPDX-License-Identifier: GPL-2.0
/*
 * Every rate and round trip of the grid, from a cold start, behind links that
 * claim 10 Gbit/s: how soon it settles, how fast it is then, how much window it
 * takes, and that an hour later nothing was written any more.
 */
#include "../../policy/table.h"
#include "scene.h"

struct measure {
	double	settle_s;
	double	share;		/* of the payload limit, when settled */
};

/* Run for some seconds; settled is what is never left again. */
static struct measure measure(struct sim *sim, struct sim_flow *flow,
			      int seconds)
{
	struct measure m = { 0 };
	double limit = sim_limit_bps(flow->path) / 8 / 5;

	for (int i = 0; i < 5 * seconds; i++) {
		double before = moved(flow);

		sim_run(sim, SECOND_US / 5);
		if (moved(flow) - before < 0.97 * limit)
			m.settle_s = (i + 1) / 5.0;
		if (i >= 5 * (seconds - 10))
			m.share += (moved(flow) - before) / limit / 50;
	}
	return m;
}

static u64 largest(const struct sim_host *host, enum tt_tunable id)
{
	return host->settings[id].written ? host->settings[id].value : 0;
}

static void expect_settled(struct sim *sim, const struct sim_flow *flow,
			   struct measure m)
{
	static const struct {
		enum tt_role	role;
		enum tt_tunable	id;
	} ceilings[] = {
		{ TT_SERVER, TT_SRV_RCVBUF }, { TT_SERVER, TT_SRV_SNDBUF },
		{ TT_CLIENT, TT_CLNT_RCVBUF }, { TT_CLIENT, TT_CLNT_SNDBUF },
	};
	double bdp = sim_bdp_bytes(flow->path);
	double deadline_s = 5 + 20 * flow->path->rtt_us / 1e6;

	EXPECT(m.share >= 0.97, "%.1f %%", 100 * m.share);
	EXPECT(m.settle_s <= deadline_s, "%.1f s, allowed %.1f", m.settle_s,
	       deadline_s);
	for (size_t i = 0; i < ARRAY_SIZE(ceilings); i++) {
		struct sim_host *host = ceilings[i].role == TT_SERVER ?
					&sim->server : &sim->client;
		u64 own = host->kernel->rmem2_bytes / 2;
		u64 value = largest(host, ceilings[i].id);

		EXPECT(value <= 4 * bdp || value <= own,
		       "%s settles on %.2f BDP",
		       table_rows[ceilings[i].id].name, value / bdp);
	}
}

static void expect_writes(const struct sim *sim, u32 most)
{
	for (int id = 0; id < TT_TUNABLES; id++) {
		EXPECT(sim->server.writes[id] <= most, "server wrote %s %u x",
		       table_rows[id].name, sim->server.writes[id]);
		EXPECT(sim->client.writes[id] <= most, "client wrote %s %u x",
		       table_rows[id].name, sim->client.writes[id]);
	}
}

/*
 * Settings take what the connection can represent: the mount is of the time
 * after the daemon's first look, as a window scale cannot be changed later.
 */
static void cell(const struct sim_kernel *kernel, u64 rate_bps, u32 rtt_us,
		 bool read)
{
	struct sim *sim = start(kernel);
	struct sim_flow *flow;
	struct measure m;
	char name[100];
	u32 writes;

	flow = sim_mount(sim, rate_bps, rtt_us, LINK_BPS);
	sim_run(sim, 3 * SECOND_US + 510000);
	sim_write(flow);
	m = measure(sim, flow, 40);
	if (read) {
		sim_stop(flow);
		sim_run(sim, 5 * SECOND_US);
		sim_read(sim, flow);
		m = measure(sim, flow, 40);
	}
	expect_settled(sim, flow, m);
	expect_writes(sim, 2);

	writes = all_writes(sim);
	sim->noise = 0.1;
	sim_run(sim, 600 * SECOND_US);
	EXPECT(all_writes(sim) == writes, "%u writes in a steady state",
	       all_writes(sim) - writes);
	snprintf(name, sizeof(name),
		 "%s %llu Mbit/s x %g ms %s: %.1f %%, %.1f s, %u writes",
		 kernel->name, rate_bps / 1000000, rtt_us / 1e3,
		 read ? "read" : "write", 100 * m.share, m.settle_s, writes);
	finish(sim, name);
}

int main(void)
{
	static const u64 rates_mbit[] = { 100, 1000, 10000 };
	static const u32 rtts_us[] = {
		200, 10000, 30000, 60000, 120000, 200000
	};
	static const struct sim_kernel *const kernels[] = {
		&sim_linux_7_2, &sim_linux_6_1,
	};

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++)
		for (size_t i = 0; i < ARRAY_SIZE(rates_mbit); i++)
			for (size_t j = 0; j < ARRAY_SIZE(rtts_us); j++)
				for (int read = 0; read < 2; read++)
					cell(kernels[k], 1000000 *
					     rates_mbit[i], rtts_us[j], read);
	return test_result();
}
