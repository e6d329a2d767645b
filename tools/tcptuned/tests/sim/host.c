// SPDX-License-Identifier: GPL-2.0
/*
 * A host of the virtual world: what its daemon would see, and a kernel that
 * takes what it writes. Every write is held against what policy promises.
 */
#include <stdlib.h>
#include <string.h>

#include "../../policy/table.h"
#include "sim.h"

struct tt_setting *sim_setting(struct sim_host *host, enum tt_tunable id)
{
	return &host->settings[id];
}

static void sim_host_init(struct sim_host *host, enum tt_role role,
			  const struct sim_kernel *kernel)
{
	const u64 values[TT_TUNABLES] = {
		[TT_RMEM_MAX] = kernel->core_max_bytes,
		[TT_WMEM_MAX] = kernel->core_max_bytes,
		[TT_TCP_RMEM] = kernel->rmem2_bytes,
		[TT_TCP_WMEM] = kernel->wmem2_bytes,
		[TT_SLOW_START] = 1,
		[TT_READ_AHEAD] = 128,
	};

	*host = (struct sim_host) {
		.kernel = kernel, .role = role,
		.conf = {
			.roles = { true, true }, .memory_percent = 25,
			.read_ahead = true, .tcp_limits = TT_TCP_AUTO,
		},
		.host = {
			.ram_bytes = 64ULL << 30,
			.fastest_bps = 10000000000ULL,
			.tcp_mem_bytes = { 3ULL << 30, 4ULL << 30, 6ULL << 30 },
			.has_sunrpc_tcpbuf = kernel->series,
		},
		.model = model_new(),
	};
	for (int id = 0; id < TT_TUNABLES; id++) {
		struct tt_setting *setting = &host->settings[id];

		setting->target.id = id;
		setting->value = values[id];
		if (id == TT_READ_AHEAD)
			memcpy(setting->target.instance, "0:42", 5);
		if (!kernel->series && id >= TT_SRV_RCVBUF &&
		    id <= TT_CLNT_SNDBUF)
			setting->off = TT_OFF_ABSENT;
	}
}

void sim_init(struct sim *sim, const struct sim_kernel *kernel)
{
	memset(sim, 0, sizeof(*sim));
	sim_host_init(&sim->server, TT_SERVER, kernel);
	sim_host_init(&sim->client, TT_CLIENT, kernel);
	/* A machine is never just booted when the daemon starts. */
	sim->now_us = 200000000000ULL;
	sim->seed = 1;
}

void sim_free(struct sim *sim)
{
	model_free(sim->server.model);
	model_free(sim->client.model);
}

static struct tt_addr sim_addr(u32 host)
{
	struct tt_addr addr = { .in6.s6_addr = { [10] = 0xff, 0xff, 10 } };

	addr.in6.s6_addr[13] = host >> 16;
	addr.in6.s6_addr[14] = host >> 8;
	addr.in6.s6_addr[15] = host;
	return addr;
}

/* The connection as the host at its end sees it. */
static void sim_see(const struct sim_flow *flow, const struct sim_host *host,
		    struct tt_conn *conn)
{
	const struct sim_kernel *kernel = host->kernel;
	enum tt_role role = host->role;
	const struct sim_dir *out = &flow->dirs[role == TT_SERVER ? TT_OUT :
								    TT_IN];
	const struct sim_dir *in = &flow->dirs[role == TT_SERVER ? TT_IN :
								   TT_OUT];

	*conn = (struct tt_conn) {
		.cookie = 7919 * flow->peer,
		.role = role,
		.peer = sim_addr(role == TT_SERVER ? flow->peer : 0xffff00),
		.min_rtt_us = flow->min_rtt_us,
		.rtt_us = flow->rtt_us,
		.rcv_rtt_us = (flow->rtt_us + 999) / 1000 * 1000,
		.delivery_bps = out->rate_bps,
		.delivery_app_limited = out->app_limited,
		.busy_us = out->busy_us,
		.rwnd_limited_us = out->rwnd_us,
		.sndbuf_limited_us = out->sndbuf_us,
		.bytes = { out->delivered_bytes, in->delivered_bytes },
		.sndbuf_bytes = out->sndbuf_bytes,
		.rcvbuf_bytes = in->rcvbuf_bytes,
	};
	if (kernel->tells_window)
		conn->rcv_wnd_bytes = min_u64(kernel->rcv_share *
					      in->rcvbuf_bytes,
					      in->window_max_bytes);
}

static void sim_blame(struct sim_host *host, const char *fault)
{
	if (!host->fault)
		host->fault = fault;
}

static void sim_take(struct sim *sim, struct sim_host *host,
		     const struct tt_change *change)
{
	enum tt_tunable id = change->target.id;
	struct tt_setting *setting = &host->settings[id];
	const struct tt_row *row = &table_rows[id];

	if (setting->off)
		sim_blame(host, "wrote what it should leave alone");
	if (change->value == setting->value)
		sim_blame(host, "wrote what was there");
	if (change->value > row->max || change->value < row->min)
		sim_blame(host, "wrote what the kernel does not take");
	if (!change->reason.why)
		sim_blame(host, "gave no reason");
	if (setting->changed_us &&
	    sim->now_us - setting->changed_us < 10000000)
		sim_blame(host, "changed twice within 10 s");
	if (!setting->written)
		setting->original = setting->value;
	if (change->value < setting->original && id != TT_SLOW_START)
		sim_blame(host, "went below what was there");
	setting->written = true;
	setting->value = change->value;
	setting->changed_us = sim->now_us;
	setting->reason = change->reason;
	host->writes[id]++;
}

static void sim_decide(struct sim *sim, struct sim_host *host,
		       const struct tt_snapshot *snapshot)
{
	struct tt_decision decision;
	struct policy_input input = {
		.now_us = sim->now_us,
		.conf = &host->conf,
		.host = &host->host,
		.mounts = snapshot->mounts,
		.nmounts = snapshot->nmounts,
		.settings = host->settings,
		.nsettings = TT_TUNABLES,
	};

	input.paths = model_paths(host->model, &input.npaths);
	policy_decide(&input, &decision);
	for (size_t i = 0; i < decision.nchanges; i++)
		sim_take(sim, host, &decision.changes[i]);
}

void sim_look(struct sim *sim, struct sim_host *host)
{
	static struct tt_conn conns[SIM_MAX_FLOWS];
	static struct tt_link links[SIM_MAX_FLOWS];
	struct tt_mount mount = {
		.dev = "0:42", .server = sim_addr(0xffff00),
		.rsize_bytes = 1 << 20,
		.read_ahead_kb = host->settings[TT_READ_AHEAD].value,
	};
	struct tt_snapshot snapshot = {
		.now_us = sim->now_us, .conns = conns, .links = links,
		.mounts = &mount, .nmounts = host->role == TT_CLIENT,
		.host = host->host,
	};

	for (size_t i = 0; i < sim->nflows; i++) {
		struct sim_flow *flow = &sim->flows[i];

		if (!flow->open)
			continue;
		/* All clients are the first one's kind, but not one host. */
		if (host->role == TT_CLIENT && i)
			break;
		sim_see(flow, host, &conns[snapshot.nconns]);
		links[snapshot.nconns++] = (struct tt_link) {
			.ifindex = 2, .name = "eth0",
			.rate_bps = flow->path->link_bps,
			.source = TT_LINK_ETHTOOL,
		};
	}
	if (model_update(host->model, &snapshot))
		abort();
	sim_decide(sim, host, &snapshot);
}
