// SPDX-License-Identifier: GPL-2.0
/*
 * One rule per kind of tunable.
 *
 * window below is what the model says of a path: 2 BDP when it has settled, up
 * to 4 while it grows. Values are lowered to it, and not while a path rises;
 * when one has to be raised, it is raised to reach, which governor.c explains:
 * in one step to what the link allows, or to the window if that is proven.
 *
 * All values are in the unit of setsockopt(SO_RCVBUF): the kernel makes twice
 * of it (socket(7)), because it counts the memory that packets take and not
 * their payload, which is half of it at worst. So a value of one window is a
 * buffer that holds a window whatever the packets are like.
 *
 * sunrpc.tcp_*buf are ceilings for all connections of the namespace in one role
 * and direction. Each grows to them by its own need, so they are the largest
 * window of any path, or what its busiest connection has of it where several
 * share the work (nconnect=), within the memory budget (governor.c). As long as
 * that is less than what TCP does by itself, they stay as they are. Once written
 * they are never set back to 0, which would take buffers away that are in use.
 *
 * net.core.rmem_max and wmem_max bound those, so they are at least as large.
 * The window scale, which bounds the window of a connection as long as it
 * lives, is agreed when it is made, from rmem_max too. So this is raised to
 * RULES_SCALE_BYTES at once, for the connections that are still to come, and so
 * that the first raise of the others is not held by it.
 *
 * net.ipv4.tcp_rmem[2] and tcp_wmem[2] are for kernels without the series. They
 * are in the unit of sk_rcvbuf, so they are twice the window: with
 * tcp_adv_win_scale of 1 TCP offers half of it (tcp_win_from_space() before
 * Linux 6.6), and since then the payload's share of the packets that arrived,
 * for which half is the guess to begin with (TCP_DEFAULT_SCALING_RATIO).
 *
 * read_ahead_kb is in read_ahead.c.
 *
 * net.ipv4.tcp_slow_start_after_idle is set to 0 when the configuration says
 * so: it saves a burst some round trips after every pause.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "../units.h"
#include "governor.h"
#include "rules.h"

/* Ceilings are multiples of this, for the sake of those who read them. */
#define RULES_ROUND		65536ULL

/* ilog2() of it less 15 is a window scale of 13, a window of 512 MiB. */
#define RULES_SCALE_BYTES	(256ULL << 20)

/* The largest value of the series' files and half the largest of the others. */
#define RULES_MAX_BYTES		((1ULL << 30) - 1)

static u64 rules_round(u64 bytes)
{
	bytes = (bytes + RULES_ROUND - 1) / RULES_ROUND * RULES_ROUND;
	return min_u64(bytes, RULES_MAX_BYTES);
}

u64 policy_compute(u64 rate_bps, u32 rtt_us)
{
	/* What the daemon settles on: 2 BDP. Nothing overflows in a double. */
	double bytes = 2 * (double)rate_bps * rtt_us / 8e6;

	return rules_round(bytes < (double)RULES_MAX_BYTES ?
			   (u64)bytes : RULES_MAX_BYTES);
}

static void rules_find_need(const struct tt_path *path, enum tt_dir dir,
			    struct rules_need *need)
{
	u64 bytes = governor_share(path, path->window_bytes[dir]);
	u64 reach = governor_share(path, path->reach_bytes[dir]);

	if (max_u64(bytes, reach) > max_u64(need->bytes, need->reach))
		need->share_percent = path->share_percent;
	need->reach = max_u64(need->reach, reach);
	if (bytes > need->bytes) {
		need->bytes = bytes;
		need->path = path;
	}
}

static void rules_find_needs(const struct policy_input *input,
			     struct rules_needs *needs)
{
	for (size_t i = 0; i < input->npaths; i++) {
		const struct tt_path *path = &input->paths[i];

		if (!input->conf->roles[path->role])
			continue;
		for (int dir = 0; dir < TT_DIRS; dir++)
			rules_find_need(path, dir,
					&needs->of[path->role][dir]);
	}
}

void rules_sum_up(const struct policy_input *input, struct rules_needs *needs)
{
	u64 most = 0, level;
	u32 share_percent = 0;

	*needs = (struct rules_needs) { 0 };
	rules_find_needs(input, needs);
	for (int i = 0; i < TT_ROLES * TT_DIRS; i++) {
		struct rules_need *need = &needs->of[i / TT_DIRS][i % TT_DIRS];
		u64 wanted = max_u64(need->bytes, need->reach);

		if (wanted > most)
			share_percent = need->share_percent;
		most = max_u64(most, wanted);
	}
	level = governor_level(input, most, share_percent);

	for (int i = 0; i < TT_ROLES * TT_DIRS; i++) {
		enum tt_dir dir = i % TT_DIRS;
		struct rules_need *need = &needs->of[i / TT_DIRS][dir];

		if (2 * need->bytes <= governor_own_bytes(input, dir)) {
			need->bytes = 0;
			continue;
		}
		need->squeezed = max_u64(need->bytes, need->reach) > level;
		need->bytes = rules_round(min_u64(need->bytes, level + 1));
		need->reach = rules_round(min_u64(need->reach, level + 1));
	}
}

static const struct rules_need *rules_larger(const struct rules_needs *needs,
					     enum tt_dir dir)
{
	const struct rules_need *server = &needs->of[TT_SERVER][dir];
	const struct rules_need *client = &needs->of[TT_CLIENT][dir];

	return client->bytes > server->bytes ? client : server;
}

/* The value that a ceiling of @now should have. */
static u64 rules_step(const struct rules_need *need, u64 now)
{
	if (now < need->bytes)
		return max_u64(now, need->reach);
	return min_u64(now, max_u64(need->bytes, need->reach));
}

static const char *rules_limit_text(const struct tt_path *path,
				    enum tt_dir dir)
{
	if (path->proven[dir])
		return "it gets no faster";
	if (path->limit[dir] == TT_LIMIT_SNDBUF)
		return "the send buffer limits it";
	if (path->limit[dir] == TT_LIMIT_RWND)
		return "the window limits it";
	return "it may get faster";
}

static void rules_say(const struct policy_input *input,
		      const struct rules_need *need, enum tt_dir dir,
		      struct tt_wish *wish)
{
	const struct tt_path *path = need->path;
	char peer[INET6_ADDRSTRLEN], rate[UNITS_MAX], rtt[UNITS_MAX];
	char window[UNITS_MAX], budget[UNITS_MAX];
	char share[40] = "";
	int length;

	if (governor_is_shared(path))
		snprintf(share, sizeof(share), ", %u %% on one connection",
			 path->share_percent);
	length = snprintf(wish->reason, sizeof(wish->reason),
			  "%s %s: %s at best over %s needs %s%s, and %s%s",
			  dir == TT_OUT ? "to" : "from",
			  units_addr(&path->peer, peer),
			  units_rate(path->best_bps[dir], rate),
			  units_time(path->rtt_us, rtt),
			  units_bytes(path->window_bytes[dir], window), share,
			  rules_limit_text(path, dir),
			  need->reach > need->bytes ?
			  ": up to what the link allows" : "");
	if (need->squeezed && length > 0 &&
	    (size_t)length < sizeof(wish->reason))
		snprintf(wish->reason + length, sizeof(wish->reason) - length,
			 "; held by the memory budget of %s",
			 units_bytes(governor_budget(input), budget));
}

/* A value above what the host allows counts for nothing, and is logged. */
static u64 rules_host_bound(const struct policy_input *input, enum tt_dir dir)
{
	const struct tt_setting *bound;

	bound = governor_setting(input, dir == TT_OUT ? TT_WMEM_MAX :
							TT_RMEM_MAX);
	if (!bound || bound->off == TT_HANDS_ON || bound->off == TT_OFF_ABSENT)
		return RULES_MAX_BYTES;
	return bound->value;
}

static bool rules_want_ceiling(const struct policy_input *input,
			       const struct rules_needs *needs,
			       const struct tt_setting *setting,
			       struct tt_wish *wish)
{
	static const struct {
		enum tt_role	role;
		enum tt_dir	dir;
	} kinds[TT_TUNABLES] = {
		[TT_SRV_RCVBUF] = { TT_SERVER, TT_IN },
		[TT_SRV_SNDBUF] = { TT_SERVER, TT_OUT },
		[TT_CLNT_RCVBUF] = { TT_CLIENT, TT_IN },
		[TT_CLNT_SNDBUF] = { TT_CLIENT, TT_OUT },
	};
	enum tt_role role = kinds[setting->target.id].role;
	enum tt_dir dir = kinds[setting->target.id].dir;
	const struct rules_need *need = &needs->of[role][dir];
	u64 own = governor_own_bytes(input, dir) / 2;
	u64 value = min_u64(rules_step(need, setting->value),
			    rules_host_bound(input, dir));

	if (value <= own && !setting->written)
		return false;
	wish->value = max_u64(value, own);
	if (need->bytes)
		rules_say(input, need, dir, wish);
	else
		snprintf(wish->reason, sizeof(wish->reason),
			 "no path needs more than TCP gives by itself");
	return true;
}

static bool rules_want_host_max(const struct policy_input *input,
				const struct rules_needs *needs,
				const struct tt_setting *setting,
				struct tt_wish *wish)
{
	enum tt_dir dir = setting->target.id == TT_WMEM_MAX ? TT_OUT : TT_IN;
	const struct rules_need *need = rules_larger(needs, dir);
	u64 scale = dir == TT_IN ? min_u64(RULES_SCALE_BYTES,
					   governor_budget(input) / 2) : 0;

	if (dir == TT_OUT && !input->host->has_series)
		return false;
	if (need->bytes <= scale) {
		wish->value = scale;
		snprintf(wish->reason, sizeof(wish->reason),
			 "connections agree on a window scale for the largest windows when they are made");
		return scale;
	}
	wish->value = rules_step(need, setting->value);
	if (!need->bytes)
		return false;
	rules_say(input, need, dir, wish);
	return true;
}

static bool rules_want_tcp(const struct policy_input *input,
			   const struct rules_needs *needs,
			   const struct tt_setting *setting,
			   struct tt_wish *wish)
{
	enum tt_dir dir = setting->target.id == TT_TCP_WMEM ? TT_OUT : TT_IN;
	const struct rules_need *need = rules_larger(needs, dir);

	if (input->conf->tcp_limits == TT_TCP_NEVER ||
	    (input->conf->tcp_limits == TT_TCP_AUTO && input->host->has_series))
		return false;
	if (!need->bytes) {
		wish->value = governor_original(setting);
		snprintf(wish->reason, sizeof(wish->reason),
			 "no path needs more than TCP gives by itself");
		return true;
	}
	wish->value = 2 * rules_step(need, setting->value / 2);
	rules_say(input, need, dir, wish);
	return true;
}

static bool rules_want_slow_start(const struct policy_input *input,
				  const struct rules_needs *needs,
				  const struct tt_setting *setting,
				  struct tt_wish *wish)
{
	(void)needs;
	(void)setting;
	if (!input->conf->slow_start_after_idle)
		return false;
	wish->value = 0;
	snprintf(wish->reason, sizeof(wish->reason),
		 "the configuration says that bursts need not start slowly");
	return true;
}

typedef bool (*rules_rule)(const struct policy_input *input,
			   const struct rules_needs *needs,
			   const struct tt_setting *setting,
			   struct tt_wish *wish);

static const rules_rule rules[TT_TUNABLES] = {
	[TT_RMEM_MAX] = rules_want_host_max,
	[TT_WMEM_MAX] = rules_want_host_max,
	[TT_SRV_RCVBUF] = rules_want_ceiling,
	[TT_SRV_SNDBUF] = rules_want_ceiling,
	[TT_CLNT_RCVBUF] = rules_want_ceiling,
	[TT_CLNT_SNDBUF] = rules_want_ceiling,
	[TT_TCP_RMEM] = rules_want_tcp,
	[TT_TCP_WMEM] = rules_want_tcp,
	[TT_SLOW_START] = rules_want_slow_start,
	[TT_READ_AHEAD] = rules_want_read_ahead,
};

bool rules_want(const struct policy_input *input,
		const struct rules_needs *needs,
		const struct tt_setting *setting, struct tt_wish *wish)
{
	return rules[setting->target.id](input, needs, setting, wish);
}
