// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of one path, in sentences.
 */
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../units.h"
#include "governor.h"

/**
 * struct explain - text under construction
 * @text: so far
 * @size: of the room
 * @length: of the text
 */
struct explain {
	char	*text;
	size_t	size;
	size_t	length;
};

__printf(2, 3)
static void explain_add(struct explain *e, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(e->text + e->length, e->size - e->length, format,
			   args);
	va_end(args);
	if (length > 0)
		e->length = min_u64(e->length + length, e->size - 1);
}

static const char *const explain_limits[] = {
	[TT_LIMIT_UNKNOWN] = "nothing moved yet",
	[TT_LIMIT_APPLICATION] =
		"nobody asks for more (application, NFS slots or threads)",
	[TT_LIMIT_LINK] = "the link is full",
	[TT_LIMIT_RWND] = "the receiver's window limits it",
	[TT_LIMIT_SNDBUF] = "the send buffer limits it",
	[TT_LIMIT_CONGESTION] = "the path is full or loses packets",
	[TT_LIMIT_READ_AHEAD] = "the reader's read-ahead limits it",
};

static void explain_link(struct explain *e, const struct tt_path *path)
{
	static const char *const sources[] = {
		[TT_LINK_CONF] = "by the configuration",
		[TT_LINK_ETHTOOL] = "by its own account",
		[TT_LINK_QDISC] = "by its shaper",
	};
	char rate[UNITS_MAX];

	if (path->link.source == TT_LINK_OUTRUN)
		explain_add(e, "over %s, which carries more than it says",
			    path->link.name);
	else if (!path->link.rate_bps)
		explain_add(e, "over a link of unknown rate");
	else
		explain_add(e, "over %s, which carries %s %s",
			    path->link.name,
			    units_rate(path->link.rate_bps, rate),
			    sources[path->link.source] ?
			    sources[path->link.source] : "");
}

static void explain_path(struct explain *e, const struct tt_path *path)
{
	char peer[INET6_ADDRSTRLEN], rtt[UNITS_MAX];

	explain_add(e, "%s, an NFS %s of this host (%u connections), is ",
		    units_addr(&path->peer, peer),
		    path->role == TT_SERVER ? "client" : "server",
		    path->nconns);
	if (path->rtt_us)
		explain_add(e, "%s away, ", units_time(path->rtt_us, rtt));
	explain_link(e, path);
	explain_add(e, "%s.\n",
		    path->learned ? ", as learned in an earlier run" : "");
}

/* What was set for it; the settings that every path shares are no part. */
static void explain_setting(struct explain *e,
			    const struct policy_input *input,
			    const struct tt_path *path, enum tt_dir dir)
{
	static const enum tt_tunable tunables[TT_ROLES][TT_DIRS] = {
		[TT_SERVER] = { TT_SRV_SNDBUF, TT_SRV_RCVBUF },
		[TT_CLIENT] = { TT_CLNT_SNDBUF, TT_CLNT_RCVBUF },
	};
	static const enum tt_tunable stock[TT_DIRS] = {
		TT_TCP_WMEM, TT_TCP_RMEM
	};
	enum tt_tunable id = input->host->has_series ?
			     tunables[path->role][dir] : stock[dir];
	const struct tt_setting *setting = governor_setting(input, id);
	const struct tt_row *row = policy_table(id);
	char value[UNITS_MAX];

	if (!setting || setting->off == TT_OFF_ABSENT)
		explain_add(e, "; this kernel has no %s", row->name);
	else if (setting->off != TT_HANDS_ON)
		explain_add(e, "; %s is %s and left alone", row->name,
			    units_bytes(setting->value, value));
	else if (setting->written)
		explain_add(e, "; %s was set to %s", row->name,
			    units_bytes(setting->value, value));
	else
		explain_add(e, "; TCP gives that by itself");
}

static void explain_dir(struct explain *e, const struct policy_input *input,
			const struct tt_path *path, enum tt_dir dir)
{
	char now[UNITS_MAX], best[UNITS_MAX], rtt[UNITS_MAX];
	char window[UNITS_MAX];
	u64 factor_x10;

	explain_add(e, "%s it: ", dir == TT_OUT ? "To" : "From");
	if (!path->best_bps[dir] || !path->rtt_us) {
		explain_add(e, "%s.\n", explain_limits[TT_LIMIT_UNKNOWN]);
		return;
	}
	explain_add(e, "%s now, %s at best; %s. ",
		    units_rate(path->now_bps[dir], now),
		    units_rate(path->best_bps[dir], best),
		    path->proven[dir] &&
		    path->limit[dir] != TT_LIMIT_APPLICATION ?
		    "more window makes it no faster" :
		    explain_limits[path->limit[dir]]);
	factor_x10 = (double)path->window_bytes[dir] * 8e7 /
		     ((double)path->best_bps[dir] * path->rtt_us) + 0.5;
	explain_add(e, "%llu.%llu x %s x %s = %s of window",
		    factor_x10 / 10, factor_x10 % 10,
		    units_rate(path->best_bps[dir], best),
		    units_time(path->rtt_us, rtt),
		    units_bytes(path->window_bytes[dir], window));
	if (governor_is_shared(path))
		explain_add(e, ", of which one connection needs %u %%",
			    path->share_percent);
	explain_setting(e, input, path, dir);
	explain_add(e, ".\n");
}

/* The mounts from this server, and what they read in advance. */
static void explain_mounts(struct explain *e, const struct policy_input *input,
			   const struct tt_path *path)
{
	for (size_t i = 0; i < input->nmounts; i++) {
		const struct tt_mount *mount = &input->mounts[i];

		if (path->role != TT_CLIENT ||
		    memcmp(&mount->server, &path->peer, sizeof(path->peer)))
			continue;
		explain_add(e, "%s reads %u KiB ahead.\n", mount->dir,
			    mount->read_ahead_kb);
	}
}

const char *policy_explain(const struct policy_input *input,
			   const struct tt_path *path, char *text,
			   size_t size)
{
	struct explain e = { .text = text, .size = size };

	if (!size)
		return text;
	text[0] = '\0';
	explain_path(&e, path);
	for (int dir = 0; dir < TT_DIRS; dir++)
		explain_dir(&e, input, path, dir);
	explain_mounts(&e, input, path);
	return text;
}
