/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of a daemon's life share: they begin with daemons that have
 * looked around for two seconds, and end without a fault of theirs.
 */
#ifndef TCPTUNED_SIM_SCENE_H
#define TCPTUNED_SIM_SCENE_H

#include <stdlib.h>

#include "../test.h"
#include "sim.h"

#define SECOND_US	1000000ULL
#define LINK_BPS	10000000000ULL
#define GBIT		1000000000ULL

static inline struct sim *start(const struct sim_kernel *kernel)
{
	struct sim *sim = malloc(sizeof(*sim));

	sim_init(sim, kernel);
	sim_run(sim, 2 * SECOND_US);
	return sim;
}

static inline void finish(struct sim *sim, const char *name)
{
	EXPECT(!sim->server.fault, "server %s", sim->server.fault);
	EXPECT(!sim->client.fault, "client %s", sim->client.fault);
	test_end(name);
	sim_free(sim);
	free(sim);
}

static inline u64 value(struct sim_host *host, enum tt_tunable id)
{
	return sim_setting(host, id)->value;
}

static inline u32 all_writes(const struct sim *sim)
{
	u32 sum = 0;

	for (int id = 0; id < TT_TUNABLES; id++)
		sum += sim->server.writes[id] + sim->client.writes[id];
	return sum;
}

/* Bytes in both directions, of which one is in use. */
static inline double moved(const struct sim_flow *flow)
{
	return flow->dirs[TT_OUT].delivered_bytes +
	       flow->dirs[TT_IN].delivered_bytes;
}

/* The share of the path's payload limit in some seconds. */
static inline double share(struct sim *sim, const struct sim_flow *flow,
			   int seconds)
{
	double before = moved(flow);

	sim_run(sim, seconds * SECOND_US);
	return (moved(flow) - before) * 8 / seconds /
	       sim_limit_bps(flow->path);
}

#define EXPECT_SHARE(sim, flow) do { \
		double s_ = share(sim, flow, 5); \
		EXPECT(s_ >= 0.97, "%.1f %% of the limit", 100 * s_); \
	} while (0)

static inline void expect_window(struct sim *sim, enum tt_tunable id,
				 const struct sim_flow *flow)
{
	double bdps = value(&sim->server, id) / sim_bdp_bytes(flow->path);

	EXPECT(bdps <= 4, "%.2f BDP", bdps);
}

#endif /* TCPTUNED_SIM_SCENE_H */
