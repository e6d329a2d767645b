// SPDX-License-Identifier: GPL-2.0
/*
 * One rule per kind of tunable.
 *
 * window below is what the model says of a path: 2 BDP when it has settled, up
 * to 4 while it grows. Values sink to it, but not while a path rises; a value
 * that has to be raised is raised to reach, which limiter.c explains: in one
 * step to what the link allows, or to the window if that is proven.
 *
 * All values are in the unit of setsockopt(SO_RCVBUF). The kernel doubles it
 * (socket(7)), because it counts the memory of packets and not their payload,
 * which is half of it at worst. So a value of one window is a buffer that holds
 * a window whatever the packets are like.
 *
 * sunrpc.tcp_*buf are ceilings for all connections of the namespace in one role
 * and direction. Each grows to them by its own need, so they are the largest
 * window of any path, or what its busiest connection has of it where several
 * share the work (nconnect=), within the memory budget (budget.c). As long as
 * that is less than what TCP does by itself, they stay as they are. Once
 * written they are never set back to 0, which would take away buffers in use.
 *
 * net.core.rmem_max and wmem_max bound those, so they are at least as large.
 * The window scale, which bounds the window of a connection for its lifetime,
 * is agreed when it is made, and depends on rmem_max too. So rmem_max is raised
 * at once, for connections still to come, and so that the first raise of the
 * others is not held by it.
 *
 * net.ipv4.tcp_rmem[2] and tcp_wmem[2] are for kernels without sunrpc-tcpbuf.
 * They are in the unit of sk_rcvbuf, so they are twice the window: with
 * tcp_adv_win_scale of 1 TCP offers half of it (tcp_win_from_space() before
 * Linux 6.6), and since then the payload's share of the packets that arrived,
 * for which half is the first guess (TCP_DEFAULT_SCALING_RATIO).
 *
 * read_ahead_kb is in read_ahead.c, sunrpc.tcp_*lossy_congestion_control in
 * congestion.c.
 *
 * net.ipv4.tcp_slow_start_after_idle is set to 0 if the configuration says so:
 * it saves a burst some round trips after every pause.
 */
#include "rules.h"

#include <stdint.h>

#include "../bdp.h"
#include "budget.h"
#include "congestion.h"
#include "lookup.h"
#include "read_ahead.h"

/* sk_rcvbuf, the unit of tcp_rmem and tcp_wmem, in that of SO_RCVBUF. */
#define RULES_STOCK_FACTOR	2

/* Ceilings are multiples of this, for the sake of those who read them. */
#define RULES_ROUND		65536ULL

/*
 * The window scale is agreed before anything is known of a path: enough for the
 * fastest link over RULES_SCALE_RTT_US, as far away as anybody mounts, but not
 * more than RULES_SCALE_BYTES. ilog2() of it less 15 is a window scale of 13, a
 * window of 512 MiB.
 */
#define RULES_SCALE_RTT_US	300000
#define RULES_SCALE_BYTES	(256ULL << 20)

/* What links of unknown rate are taken for. */
#define RULES_SCALE_LINK_BPS	1000000000ULL

/* The largest value of sunrpc.tcp_*buf, and half the largest of the others. */
#define RULES_MAX_BYTES		((1ULL << 30) - 1)

/* What bounds a connection: with sunrpc-tcpbuf, and without it. */
static const enum tt_tunable rules_ceilings[TT_ROLES][TT_DIRS] = {
	[TT_SERVER] = { [TT_OUT] = TT_SRV_SNDBUF, [TT_IN] = TT_SRV_RCVBUF },
	[TT_CLIENT] = { [TT_OUT] = TT_CLNT_SNDBUF, [TT_IN] = TT_CLNT_RCVBUF },
};

static const enum tt_tunable rules_stock[TT_DIRS] = {
	[TT_OUT] = TT_TCP_WMEM, [TT_IN] = TT_TCP_RMEM,
};

static u64 rules_round(u64 bytes)
{
	bytes = min_u64(bytes, RULES_MAX_BYTES);
	bytes = (bytes + RULES_ROUND - 1) / RULES_ROUND * RULES_ROUND;
	return min_u64(bytes, RULES_MAX_BYTES);
}

static void rules_add_path(const struct tt_path *path, enum tt_dir dir,
			   struct tt_need *need)
{
	u64 bytes = budget_share(path, path->window_bytes[dir]);
	u64 reach = budget_share(path, path->reach_bytes[dir]);

	if (max_u64(bytes, reach) > max_u64(need->bytes, need->reach_bytes))
		need->share_percent = path->share_percent;
	need->reach_bytes = max_u64(need->reach_bytes, reach);
	if (bytes > need->bytes) {
		need->bytes = bytes;
		need->path = path;
	}
}

static void rules_add_paths(const struct policy_input *input,
			    struct tt_decision *decision)
{
	for (size_t i = 0; i < input->npaths; i++) {
		const struct tt_path *path = &input->paths[i];

		if (!input->conf->roles[path->role])
			continue;
		/* What every socket gets has to be needed now. */
		if (!path->nconns && !input->host->has_sunrpc_tcpbuf &&
		    input->conf->tcp_limits != TT_TCP_ALWAYS)
			continue;
		for (int dir = 0; dir < TT_DIRS; dir++)
			rules_add_path(path, dir,
				       &decision->needs[path->role][dir]);
	}
}

/* The largest ceiling that anybody needs and the budget allows. */
static u64 rules_level(const struct policy_input *input,
		       const struct tt_decision *decision)
{
	u64 most = 0;
	u32 share_percent = 0;

	for (int i = 0; i < TT_ROLES * TT_DIRS; i++) {
		const struct tt_need *need;
		u64 wanted;

		need = &decision->needs[i / TT_DIRS][i % TT_DIRS];
		wanted = max_u64(need->bytes, need->reach_bytes);
		if (wanted > most)
			share_percent = need->share_percent;
		most = max_u64(most, wanted);
	}
	return budget_level(input, most, share_percent);
}

/* Brings a need within the budget. Returns: whether that made it smaller. */
static bool rules_bound_need(struct tt_need *need, u64 own_bytes, u64 level)
{
	if (2 * need->bytes <= own_bytes) {
		need->bytes = 0;
		return false;
	}
	need->budget_limited = max_u64(need->bytes, need->reach_bytes) > level;
	need->bytes = rules_round(min_u64(need->bytes, level + 1));
	need->reach_bytes = rules_round(min_u64(need->reach_bytes, level + 1));
	return need->budget_limited;
}

void rules_find_needs(const struct policy_input *input,
		      struct tt_decision *decision)
{
	u64 level;

	*decision = (struct tt_decision) {
		.budget_bytes = budget_bytes(input),
	};
	rules_add_paths(input, decision);
	level = rules_level(input, decision);
	for (int i = 0; i < TT_ROLES * TT_DIRS; i++) {
		enum tt_role role = i / TT_DIRS;
		enum tt_dir dir = i % TT_DIRS;
		struct tt_need *need = &decision->needs[role][dir];

		need->tunable = input->host->has_sunrpc_tcpbuf ?
				rules_ceilings[role][dir] : rules_stock[dir];
		decision->budget_limited |=
			rules_bound_need(need, lookup_own_bytes(input, dir),
					 level);
	}
}

static const struct tt_need *rules_larger(const struct tt_decision *decision,
					  enum tt_dir dir)
{
	const struct tt_need *server = &decision->needs[TT_SERVER][dir];
	const struct tt_need *client = &decision->needs[TT_CLIENT][dir];

	return client->bytes > server->bytes ? client : server;
}

/* The value that a ceiling of @now should have. */
static u64 rules_step(const struct tt_need *need, u64 now)
{
	if (now < need->bytes)
		return max_u64(now, need->reach_bytes);
	return min_u64(now, max_u64(need->bytes, need->reach_bytes));
}

/* Why a value is what rules_step() says. */
static struct tt_reason rules_reason(const struct tt_decision *decision,
				     const struct tt_need *need,
				     enum tt_dir dir, u64 step)
{
	const struct tt_path *path = need->path;

	if (!need->bytes)
		return (struct tt_reason) { .why = TT_WHY_NO_NEED };
	return (struct tt_reason) {
		.why = TT_WHY_PATH,
		.dir = dir,
		.proven = path->proven[dir],
		.to_reach = step == need->reach_bytes && step != need->bytes,
		.peer = path->peer,
		.rtt_us = path->rtt_us,
		.best_bps = path->best_bps[dir],
		.window_bytes = path->window_bytes[dir],
		.share_percent = path->share_percent,
		.limit = path->limit[dir],
		.budget_bytes = need->budget_limited ?
				decision->budget_bytes : 0,
	};
}

/* A value above what the host allows counts for nothing, and is logged. */
static u64 rules_host_bound(const struct policy_input *input, enum tt_dir dir)
{
	const struct tt_setting *bound;

	bound = lookup_setting(input, dir == TT_OUT ? TT_WMEM_MAX :
							TT_RMEM_MAX);
	if (!bound || bound->off == TT_HANDS_ON || bound->off == TT_OFF_ABSENT)
		return RULES_MAX_BYTES;
	return bound->value;
}

/* The need that one of the files of sunrpc-tcpbuf is for. */
static const struct tt_need *rules_need_of(const struct tt_decision *decision,
					   enum tt_tunable id, enum tt_dir *dir)
{
	for (int i = 0; i < TT_ROLES * TT_DIRS; i++) {
		*dir = i % TT_DIRS;
		if (rules_ceilings[i / TT_DIRS][*dir] == id)
			return &decision->needs[i / TT_DIRS][*dir];
	}
	return NULL;
}

static bool rules_want_ceiling(const struct policy_input *input,
			       const struct tt_decision *decision,
			       const struct tt_setting *setting,
			       struct tt_change *change)
{
	enum tt_dir dir;
	const struct tt_need *need = rules_need_of(decision,
						   setting->target.id, &dir);
	u64 own = lookup_own_bytes(input, dir) / 2;
	u64 step = rules_step(need, setting->value);
	u64 value = min_u64(step, rules_host_bound(input, dir));

	if (value <= own && !setting->written)
		return false;
	change->value = max_u64(value, own);
	change->reason = rules_reason(decision, need, dir, step);
	return true;
}

/* What a new connection needs to agree on a scale for large windows. */
static u64 rules_scale(u64 link_bps, u64 budget)
{
	u64 bytes = bdp_bytes(link_bps ? link_bps : RULES_SCALE_LINK_BPS,
			      RULES_SCALE_RTT_US);

	return min_u64(min_u64(rules_round(bytes), RULES_SCALE_BYTES),
		       budget / 2);
}

u64 rules_compute(enum tt_tunable id, u64 rate_bps, u32 rtt_us)
{
	u64 bytes = rules_round(2 * bdp_bytes(rate_bps, rtt_us));

	if (id == TT_RMEM_MAX)
		return max_u64(bytes, rules_scale(rate_bps, UINT64_MAX));
	if (id == TT_TCP_RMEM || id == TT_TCP_WMEM)
		return RULES_STOCK_FACTOR * bytes;
	return bytes;
}

static bool rules_want_host_max(const struct policy_input *input,
				const struct tt_decision *decision,
				const struct tt_setting *setting,
				struct tt_change *change)
{
	enum tt_dir dir = setting->target.id == TT_WMEM_MAX ? TT_OUT : TT_IN;
	const struct tt_need *need = rules_larger(decision, dir);
	u64 scale = dir == TT_IN ?
		    rules_scale(input->host->fastest_bps,
				decision->budget_bytes) : 0;

	if (dir == TT_OUT && !input->host->has_sunrpc_tcpbuf)
		return false;
	if (need->bytes <= scale) {
		change->value = scale;
		change->reason.why = TT_WHY_WINDOW_SCALE;
		return scale;
	}
	if (!need->bytes)
		return false;
	change->value = rules_step(need, setting->value);
	change->reason = rules_reason(decision, need, dir, change->value);
	return true;
}

static bool rules_want_tcp(const struct policy_input *input,
			   const struct tt_decision *decision,
			   const struct tt_setting *setting,
			   struct tt_change *change)
{
	enum tt_dir dir = setting->target.id == TT_TCP_WMEM ? TT_OUT : TT_IN;
	const struct tt_need *need = rules_larger(decision, dir);
	u64 step = rules_step(need, setting->value / RULES_STOCK_FACTOR);

	if (input->conf->tcp_limits == TT_TCP_NEVER ||
	    (input->conf->tcp_limits == TT_TCP_AUTO &&
	     input->host->has_sunrpc_tcpbuf))
		return false;
	change->value = lookup_original(setting);
	if (need->bytes)
		change->value = RULES_STOCK_FACTOR * step;
	change->reason = rules_reason(decision, need, dir, step);
	return true;
}

static bool rules_want_slow_start(const struct policy_input *input,
				  const struct tt_decision *decision,
				  const struct tt_setting *setting,
				  struct tt_change *change)
{
	(void)decision;
	(void)setting;
	if (!input->conf->slow_start_after_idle)
		return false;
	change->value = 0;
	change->reason.why = TT_WHY_CONF;
	return true;
}

typedef bool (*rules_rule)(const struct policy_input *input,
			   const struct tt_decision *decision,
			   const struct tt_setting *setting,
			   struct tt_change *change);

static const rules_rule rules_of[TT_TUNABLES] = {
	[TT_RMEM_MAX] = rules_want_host_max,
	[TT_WMEM_MAX] = rules_want_host_max,
	[TT_SRV_RCVBUF] = rules_want_ceiling,
	[TT_SRV_SNDBUF] = rules_want_ceiling,
	[TT_CLNT_RCVBUF] = rules_want_ceiling,
	[TT_CLNT_SNDBUF] = rules_want_ceiling,
	[TT_TCP_RMEM] = rules_want_tcp,
	[TT_TCP_WMEM] = rules_want_tcp,
	[TT_SLOW_START] = rules_want_slow_start,
	[TT_SRV_LOSSY] = congestion_want,
	[TT_CLNT_LOSSY] = congestion_want,
	[TT_READ_AHEAD] = read_ahead_want,
};

bool rules_want(const struct policy_input *input,
		const struct tt_decision *decision,
		const struct tt_setting *setting, struct tt_change *change)
{
	return rules_of[setting->target.id](input, decision, setting, change);
}
