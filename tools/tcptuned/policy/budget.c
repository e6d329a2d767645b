// SPDX-License-Identifier: GPL-2.0
/*
 * The memory budget.
 *
 * A ceiling is one number for all connections of the namespace, and any peer
 * can climb to it: it delays its ACKs, appears to be far away, and the kernel
 * keeps for it what it has not acknowledged. So the sum is bounded, not the
 * single connection. For each path and direction count what it could take:
 *
 *   taken         what its buffers have already; nothing takes that back
 *   2 x window    what the model believes that it needs; but
 *   2 x reach     as long as it rises, because values change only once in a
 *                 while (limiter.c): it gets that far before the ceiling may
 *                 sink
 *   2 x taken     if it took more than that, since a buffer can double before
 *                 the next poll
 *   own           what TCP gives by itself does not count
 *
 * and choose the largest ceiling with which the sum, and half of what one more
 * path may take, stays within the budget. Without that room, a path that needs
 * the whole budget would leave nothing to the next one for as long as it is
 * connected: a mount that has written much and rests would starve the mount
 * that reads. The next path is assumed to have as many connections at work as
 * the one that needs most (nconnect=): a ceiling is per connection, and all
 * climb to it. When many strange peers come, the ceiling sinks for all: they
 * get no more, and those that grew before keep what they have, because a
 * ceiling never takes away (and is not set to 0, which would).
 *
 * Peers that come right after a change are not foreseen: for the next seconds
 * the kernel alone holds them, where TCP has tcp_mem and sunrpc-tcpbuf grows
 * nothing once TCP's memory has reached tcp_mem[0].
 */
#include "budget.h"

#include "lookup.h"

/* A ceiling is found to within this; it is also what rules round to. */
#define BUDGET_STEP_BYTES	65536

/*
 * The share of RAM that the configuration allows, but not more than tcp_mem[1]:
 * from there on TCP is under pressure and nothing grows. More would be an empty
 * promise, and NFS would take it from everybody else.
 */
u64 budget_bytes(const struct policy_input *input)
{
	const struct tt_host *host = input->host;
	u64 bytes = host->ram_bytes / 100 * input->conf->memory_percent;

	if (host->tcp_mem_bytes[1])
		bytes = min_u64(bytes, host->tcp_mem_bytes[1]);
	return bytes;
}

/* Memory that a path could take in one direction under a ceiling. */
static u64 budget_could_take(const struct tt_path *path, enum tt_dir dir,
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

u64 budget_share(const struct tt_path *path, u64 bytes)
{
	if (!tt_is_shared(path->share_percent))
		return bytes;
	return bytes / 100 * path->share_percent;
}

/* What all paths could take, with room for the next path. */
static u64 budget_sum(const struct policy_input *input, u64 ceiling_bytes,
		      u32 share_percent)
{
	u64 own[TT_DIRS] = {
		lookup_own_bytes(input, TT_OUT),
		lookup_own_bytes(input, TT_IN),
	};
	u64 sum = ceiling_bytes * 100 / (share_percent ? share_percent : 100);

	for (size_t i = 0; i < input->npaths; i++)
		for (int dir = 0; dir < TT_DIRS; dir++)
			sum += budget_could_take(&input->paths[i], dir,
						 own[dir], ceiling_bytes);
	return sum;
}

u64 budget_level(const struct policy_input *input, u64 wanted_bytes,
		 u32 share_percent)
{
	u64 budget = budget_bytes(input);
	u64 low = 0, high = wanted_bytes;

	if (budget_sum(input, high, share_percent) <= budget)
		return high;
	while (high - low > BUDGET_STEP_BYTES) {
		u64 middle = low + (high - low) / 2;

		if (budget_sum(input, middle, share_percent) <= budget)
			low = middle;
		else
			high = middle;
	}
	return low;
}
