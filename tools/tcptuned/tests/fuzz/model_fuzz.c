// SPDX-License-Identifier: GPL-2.0
/*
 * Random snapshots through model and policy: whatever the kernel or a peer may
 * claim, nothing overflows, no change is out of bounds. Run it with
 * SANITIZE=address,undefined; its argument is the number of polls.
 */
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "../../model/model.h"
#include "../../policy/policy.h"
#include "../../policy/table.h"
#include "../../report/explain.h"

#define CONNS	40
#define MOUNTS	4

static u64 seed = 1;

static u64 any(void)
{
	/* D. Knuth's MMIX generator; its upper bits are the good ones. */
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed >> 16 ^ seed << 20;
}

/* Small, large, and what lies at the ends. */
static u64 odd(void)
{
	switch (any() % 8) {
	case 0:
		return 0;
	case 1:
		return ~0ULL;
	case 2:
		return any() % 1000;
	default:
		return any() >> any() % 64;
	}
}

static struct tt_addr host(void)
{
	struct tt_addr addr = { .in6.s6_addr = { any() % 16 } };

	return addr;
}

static void fill_conn(struct tt_conn *conn)
{
	*conn = (struct tt_conn) {
		.cookie = any() % 60, .role = any() % TT_ROLES, .peer = host(),
		.min_rtt_us = odd(), .rtt_us = odd(), .rcv_rtt_us = odd(),
		.delivery_bps = odd(), .delivery_app_limited = any() & 1,
		.busy_us = odd(), .rwnd_limited_us = odd(),
		.sndbuf_limited_us = odd(), .bytes = { odd(), odd() },
		.rcv_wnd_bytes = odd(),
		.sndbuf_bytes = odd(), .rcvbuf_bytes = odd(),
	};
}

static void fill(struct tt_snapshot *snapshot, struct tt_setting *settings)
{
	snapshot->now_us += any() % 4 ? 1000000 : odd() >> 24;
	snapshot->nconns = any() % CONNS;
	snapshot->nmounts = any() % MOUNTS;
	snapshot->host = (struct tt_host) {
		.ram_bytes = odd(), .tcp_mem_bytes = { odd(), odd(), odd() },
		.fastest_bps = odd(), .has_sunrpc_tcpbuf = any() & 1,
	};
	for (size_t i = 0; i < snapshot->nconns; i++) {
		fill_conn(&snapshot->conns[i]);
		snapshot->links[i].rate_bps = odd();
		snapshot->links[i].source = any() % 4;
	}
	for (size_t i = 0; i < snapshot->nmounts; i++)
		snapshot->mounts[i] = (struct tt_mount) {
			.dev = "0:42", .server = host(),
			.rsize_bytes = odd(), .read_ahead_kb = odd(),
		};
	for (int id = 0; id < TT_TUNABLES; id++)
		settings[id].off = any() % 8 ? TT_HANDS_ON : any() % 5;
}

static void check(const struct tt_change *change, struct tt_setting *settings)
{
	struct tt_setting *setting = &settings[change->target.id];
	const struct tt_row *row = &table_rows[change->target.id];

	EXPECT(change->value >= row->min && change->value <= row->max,
	       "%s = %llu", row->name, change->value);
	EXPECT(change->value != setting->value, "%s again", row->name);
	EXPECT(setting->off == TT_HANDS_ON, "%s is not ours", row->name);
	EXPECT(change->reason.why, "%s without a reason", row->name);
	if (!setting->written)
		setting->original = setting->value;
	setting->written = true;
	setting->value = change->value;
}

static void poll_once(struct model *model, struct tt_snapshot *snapshot,
		      struct tt_setting *settings)
{
	struct tt_conf conf = {
		.roles = { any() & 1, any() & 1 }, .memory_percent = any() % 101,
		.read_ahead = any() & 1, .tcp_limits = any() % 3,
		.slow_start_after_idle = any() & 1,
	};
	struct policy_input input = {
		.conf = &conf, .settings = settings, .nsettings = TT_TUNABLES,
		.host = &snapshot->host, .mounts = snapshot->mounts,
	};
	struct tt_decision decision;
	struct status_input status = {
		.settings = settings, .nsettings = TT_TUNABLES,
		.host = &snapshot->host, .table = table_rows,
		.mounts = snapshot->mounts, .decision = &decision,
	};
	char text[600];

	fill(snapshot, settings);
	if (model_update(model, snapshot))
		abort();
	input.paths = model_paths(model, &input.npaths);
	input.now_us = snapshot->now_us;
	input.nmounts = snapshot->nmounts;
	status.nmounts = snapshot->nmounts;
	policy_decide(&input, &decision);
	for (size_t i = 0; i < decision.nchanges; i++)
		check(&decision.changes[i], settings);
	for (size_t i = 0; i < input.npaths; i++)
		explain_path(&status, &input.paths[i], text, sizeof(text));
}

int main(int argc, char **argv)
{
	static struct tt_conn conns[CONNS];
	static struct tt_link links[CONNS];
	static struct tt_mount mounts[MOUNTS];
	static struct tt_setting settings[TT_TUNABLES];
	struct tt_snapshot snapshot = {
		.now_us = 1, .conns = conns, .links = links, .mounts = mounts,
	};
	int polls = argc > 1 ? atoi(argv[1]) : 20000;
	struct model *model = model_new();

	for (int id = 0; id < TT_TUNABLES; id++)
		settings[id] = (struct tt_setting) {
			.target.id = id,
			.value = table_rows[id].max < 2 ? 1 :
				 table_rows[id].min,
		};
	memcpy(settings[TT_READ_AHEAD].target.instance, "0:42", 5);
	test_begin();
	for (int i = 0; i < polls; i++)
		poll_once(model, &snapshot, settings);
	test_end("random snapshots");
	model_free(model);
	return test_result();
}
