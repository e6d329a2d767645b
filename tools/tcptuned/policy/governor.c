// SPDX-License-Identifier: GPL-2.0
/*
 * What keeps the rules within bounds.
 *
 * Memory. A ceiling is one number for all connections of the namespace, and any
 * peer can climb to it: it sends its ACKs late, seems to be far away, and the
 * kernel keeps for it what it has not acknowledged. So the sum is bounded, not
 * the single connection. For each path and direction count what it could take:
 *
 *   taken         what its buffers have already; nothing takes that back
 *   2 x window    what the model believes that it needs; but
 *   2 x reach     as long as it rises, because of what is said below of
 *                 changes: it has come to that before the ceiling may sink
 *   2 x taken     if it took more than that, since a buffer can double before
 *                 this is looked at again
 *   own           what TCP gives by itself is not ours to count
 *
 * and choose the largest ceiling with which the sum, and half of what one more
 * path may take, stays within the budget. Without room for that, a path that
 * needs the whole budget would leave nothing to the next one, for as long as it
 * is connected: a mount that has written much, and rests, to the mount that
 * reads. That one is taken to have as many connections at work as the one that
 * needs most (nconnect=): a ceiling is of one connection, and all climb to it.
 * When many strange peers come, the ceiling sinks for all: they get no more,
 * and those that grew before keep what they have, because a ceiling never takes
 * away (and is not set to 0, which would).
 *
 * Peers that come right after a change are not foreseen: for the next seconds
 * the kernel alone holds them, where TCP has tcp_mem and the series grows
 * nothing when TCP's memory has come to tcp_mem[0].
 *
 * Changes. Each value is changed once in GOVERNOR_CHANGE_US, up or down, by an
 * eighth up at least or a quarter down. So a raise has to be enough until then:
 * for a path that rises it goes to what the link allows, as each second of
 * waiting is a second at half the rate, and what was too much goes in the next
 * change. That is harmless with the kernel's series, where each connection
 * grows by its own need to 4 BDP at most. Without it nothing bounds a
 * connection but the bottleneck, which drops what is too much; where it has a
 * queue that drops nothing, that fills for these seconds.
 */
#include "governor.h"

/* The model waits as long, WINDOW_HELD_US. */
#define GOVERNOR_CHANGE_US	10000000ULL

#define GOVERNOR_RAISE_PERCENT	113
#define GOVERNOR_LOWER_PERCENT	75

/* From here on it is one connection that does the work. */
#define GOVERNOR_WHOLE_PERCENT	95

const struct tt_setting *governor_setting(const struct policy_input *input,
					  enum tt_tunable id)
{
	for (size_t i = 0; i < input->nsettings; i++)
		if (input->settings[i].target.id == id)
			return &input->settings[i];
	return NULL;
}

u64 governor_original(const struct tt_setting *setting)
{
	return setting->written ? setting->original : setting->value;
}

u64 governor_own_bytes(const struct policy_input *input, enum tt_dir dir)
{
	const struct tt_setting *setting;

	setting = governor_setting(input, dir == TT_OUT ? TT_TCP_WMEM :
							  TT_TCP_RMEM);
	if (!setting || setting->off == TT_OFF_ABSENT)
		return 0;
	return governor_original(setting);
}

/*
 * The share of RAM that the configuration gives, but not more than tcp_mem[1]:
 * from there on TCP is under pressure and nothing grows, so that more would be
 * an empty promise, and NFS would take it from everybody else.
 */
u64 governor_budget(const struct policy_input *input)
{
	const struct tt_host *host = input->host;
	u64 bytes = host->ram_bytes / 100 * input->conf->memory_percent;

	if (host->tcp_mem_bytes[1])
		bytes = min_u64(bytes, host->tcp_mem_bytes[1]);
	return bytes;
}

/* Memory that a path could take in one direction under a ceiling. */
static u64 governor_could_take(const struct tt_path *path, enum tt_dir dir,
			       u64 own_bytes, u64 ceiling_bytes)
{
	u64 claim = 2 * max_u64(path->window_bytes[dir],
				path->reach_bytes[dir]);
	u64 taken = path->buffer_bytes[dir];
	u64 most = 2 * ceiling_bytes * path->nconns;

	if (claim <= own_bytes && taken <= own_bytes * path->nconns)
		return 0;
	if (taken > claim)
		claim = 2 * taken;
	return max_u64(taken, min_u64(claim, most));
}

bool governor_is_shared(const struct tt_path *path)
{
	return path->share_percent &&
	       path->share_percent < GOVERNOR_WHOLE_PERCENT;
}

u64 governor_share(const struct tt_path *path, u64 bytes)
{
	return governor_is_shared(path) ? bytes / 100 * path->share_percent :
					  bytes;
}

/* What all paths could take, with room for the next path. */
static u64 governor_sum(const struct policy_input *input, u64 ceiling_bytes,
			u32 share_percent)
{
	u64 own[TT_DIRS] = {
		governor_own_bytes(input, TT_OUT),
		governor_own_bytes(input, TT_IN),
	};
	u64 sum = ceiling_bytes * 100 / (share_percent ? share_percent : 100);

	for (size_t i = 0; i < input->npaths; i++)
		for (int dir = 0; dir < TT_DIRS; dir++)
			sum += governor_could_take(&input->paths[i], dir,
						   own[dir], ceiling_bytes);
	return sum;
}

u64 governor_level(const struct policy_input *input, u64 wanted_bytes,
		   u32 share_percent)
{
	u64 budget = governor_budget(input);
	u64 low = 0, high = wanted_bytes;

	if (governor_sum(input, high, share_percent) <= budget)
		return high;
	while (high - low > 65536) {
		u64 middle = low + (high - low) / 2;

		if (governor_sum(input, middle, share_percent) <= budget)
			low = middle;
		else
			high = middle;
	}
	return low;
}

u64 governor_fit(const struct tt_setting *setting, u64 value)
{
	const struct tt_row *row = policy_table(setting->target.id);

	/* A switch has no direction. */
	if (row->max == 1)
		return value;
	value = max_u64(value, row->min);
	value = min_u64(value, row->max - row->multiple + 1);
	value = (value + row->multiple - 1) / row->multiple * row->multiple;
	return max_u64(value, governor_original(setting));
}

bool governor_allows(const struct policy_input *input,
		     const struct tt_setting *setting, u64 value)
{
	u64 now = setting->value;

	if (setting->off != TT_HANDS_ON || value == now)
		return false;
	if (setting->changed_us &&
	    input->now_us - setting->changed_us < GOVERNOR_CHANGE_US)
		return false;
	/* Nor eighths. */
	if (policy_table(setting->target.id)->max == 1)
		return true;
	if (value > now)
		return value >= now * GOVERNOR_RAISE_PERCENT / 100;
	return setting->written && value <= now * GOVERNOR_LOWER_PERCENT / 100;
}
