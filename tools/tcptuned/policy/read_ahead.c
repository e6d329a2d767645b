// SPDX-License-Identifier: GPL-2.0
/*
 * The rule for the read-ahead of NFS mounts.
 *
 * read_ahead_kb is how much a reader of an NFS mount asks for in advance. It
 * carries about that much per round trip, so it is 3 BDP: one in flight, one
 * that the server is at, one that is being read. Files take it when they are
 * opened, and keep it, so something has to be there before the first one: what
 * the link would need, within a share of memory, and what the other direction
 * was seen to carry. The path behind a fast link may be slower: then the first
 * file asks for too much, and the next ones for what the path showed. A reader
 * that is held by its read-ahead achieves it once per round trip, so the next
 * file gets three times as much, or the one after it, since a mount's value is
 * changed once in 10 s (limiter.c), until it no longer gets faster. Once the
 * path is proven, its own rate alone counts.
 */
#include "read_ahead.h"

#include <string.h>

#include "../bdp.h"
#include "lookup.h"

#define READ_AHEAD_BDPS		3

/* To begin with, when nothing was read yet. */
#define READ_AHEAD_START_BDPS	2
#define READ_AHEAD_START_RAM	32

/* What a link that does not tell its rate is taken for, to begin with. */
#define READ_AHEAD_LINK_BPS	1000000000ULL

/* Most of one mount: clean page cache, which the kernel takes back. */
#define READ_AHEAD_RAM		16

static const struct tt_mount *read_ahead_mount(const struct policy_input *input,
					       const char *dev)
{
	for (size_t i = 0; i < input->nmounts; i++)
		if (!strcmp(input->mounts[i].dev, dev))
			return &input->mounts[i];
	return NULL;
}

static const struct tt_path *read_ahead_path(const struct policy_input *input,
					     const struct tt_mount *mount)
{
	for (size_t i = 0; i < input->npaths; i++)
		if (input->paths[i].role == TT_CLIENT &&
		    !memcmp(&input->paths[i].peer, &mount->server,
			    sizeof(mount->server)))
			return &input->paths[i];
	return NULL;
}

/* What to begin with on a path that was not read from yet. */
static u64 read_ahead_start(const struct policy_input *input,
			    const struct tt_path *path)
{
	u64 link_bps = path->link.rate_bps;
	u64 bytes, other;

	bytes = READ_AHEAD_START_BDPS *
		bdp_bytes(link_bps ? link_bps : READ_AHEAD_LINK_BPS,
			  path->rtt_us);
	bytes = min_u64(bytes, input->host->ram_bytes / READ_AHEAD_START_RAM);
	other = READ_AHEAD_BDPS *
		bdp_bytes(path->best_bps[TT_OUT], path->rtt_us);
	return max_u64(bytes, other);
}

static u64 read_ahead_need(const struct policy_input *input,
			   const struct tt_path *path)
{
	u64 bytes = READ_AHEAD_BDPS *
		    bdp_bytes(path->best_bps[TT_IN], path->rtt_us);

	if (!path->proven[TT_IN])
		bytes = max_u64(bytes, read_ahead_start(input, path));
	return min_u64(bytes, input->host->ram_bytes / READ_AHEAD_RAM);
}

/* In units of the file, whole READs. */
static u64 read_ahead_round(u64 bytes, u32 rsize_bytes)
{
	u64 chunk = rsize_bytes ? rsize_bytes : 1;

	return (bytes + chunk - 1) / chunk * chunk / 1024;
}

bool read_ahead_want(const struct policy_input *input,
		     const struct tt_decision *decision,
		     const struct tt_setting *setting,
		     struct tt_change *change)
{
	u64 bytes, margin, original_kb = lookup_original(setting);
	const struct tt_mount *mount;
	const struct tt_path *path;

	(void)decision;
	if (!input->conf->read_ahead || !input->conf->roles[TT_CLIENT])
		return false;
	mount = read_ahead_mount(input, setting->target.instance);
	path = mount ? read_ahead_path(input, mount) : NULL;
	if (!path || !path->rtt_us)
		return false;

	bytes = read_ahead_need(input, path);
	if (bytes <= 1024 * original_kb) {
		change->value = original_kb;
	} else {
		change->value = read_ahead_round(bytes, mount->rsize_bytes);
		margin = read_ahead_round(bytes + bytes / 4,
					  mount->rsize_bytes);
		/* A need near the edge of a chunk is no reason to go down. */
		if (change->value < setting->value)
			change->value = min_u64(setting->value, margin);
	}
	change->reason = (struct tt_reason) {
		.why = TT_WHY_READ_AHEAD,
		.dir = TT_IN,
		.peer = path->peer,
		.best_bps = path->best_bps[TT_IN],
		.rtt_us = path->rtt_us,
		.proven = path->proven[TT_IN],
	};
	return true;
}
