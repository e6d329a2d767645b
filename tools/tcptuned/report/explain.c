// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of one path, in sentences.
 */
#include "explain.h"

#include <stdio.h>
#include <string.h>

#include "../bdp.h"
#include "../units.h"
#include "../words.h"
#include "names.h"

/* Requests and replies without data are less than data by this. */
#define EXPLAIN_ECHO	64

/* Payload of a packet at MTU 1500. */
#define EXPLAIN_MSS_BYTES 1448

static void explain_link(FILE *out, const struct tt_path *path)
{
	const char *source = names_source_text[path->link.source];
	char rate[UNITS_MAX];

	if (path->link.source == TT_LINK_OUTRUN)
		fprintf(out, "over %s, %s", path->link.name, source);
	else if (!path->link.rate_bps)
		fprintf(out, "over a link %s",
			names_source_text[TT_LINK_UNKNOWN]);
	else
		fprintf(out, "over %s, which carries %s %s",
			path->link.name,
			units_rate(path->link.rate_bps, rate), source);
}

static void explain_peer(FILE *out, const struct tt_path *path)
{
	char peer[INET6_ADDRSTRLEN], rtt[UNITS_MAX];

	fprintf(out, "%s, an NFS %s of this host (",
		units_addr(&path->peer, peer), names_role[!path->role]);
	if (path->nconns)
		fprintf(out, "%u connection%s), is ", path->nconns,
			path->nconns == 1 ? "" : "s");
	else
		fprintf(out, "not connected), is ");
	if (path->rtt_us)
		fprintf(out, "%s away, ", units_time(path->rtt_us, rtt));
	explain_link(out, path);
	fprintf(out, "%s.\n",
		path->learned ? "; learned in an earlier run" : "");
}

static const struct tt_setting *
explain_find(const struct status_input *input, enum tt_tunable id)
{
	for (size_t i = 0; i < input->nsettings; i++)
		if (input->settings[i].target.id == id)
			return &input->settings[i];
	return NULL;
}

/* What was set for it; the settings that every path shares are no part. */
static void explain_setting(FILE *out,
			    const struct status_input *input,
			    const struct tt_path *path, enum tt_dir dir)
{
	enum tt_tunable id = input->decision->needs[path->role][dir].tunable;
	const struct tt_setting *setting = explain_find(input, id);
	const char *name = input->table[id].name;
	char value[UNITS_MAX];

	if (!setting || setting->off == TT_OFF_ABSENT)
		fprintf(out, "; this kernel has no %s", name);
	else if (setting->off != TT_HANDS_ON)
		fprintf(out, "; %s is %s and left alone", name,
			units_bytes(setting->value, value));
	else if (setting->written)
		fprintf(out, "; %s was set to %s", name,
			units_bytes(setting->value, value));
	else
		fprintf(out, "; TCP provides that by itself");
}

/*
 * The limit of a direction as a sentence, which names the end it is at. Windows
 * that could not grow prove nothing.
 */
static void explain_limit(FILE *out, const struct status_input *input,
			  const struct tt_path *path, enum tt_dir dir)
{
	bool budget = input->decision->needs[path->role][dir].budget_limited;
	enum tt_limit limit = path->limit[dir];
	char peer[INET6_ADDRSTRLEN];

	if (limit == TT_LIMIT_RWND && dir == TT_OUT)
		fprintf(out, "%s's window limits it: raise it at that end",
			units_addr(&path->peer, peer));
	else if (path->proven[dir] && limit != TT_LIMIT_APPLICATION &&
		 limit != TT_LIMIT_RWND &&
		 !(limit == TT_LIMIT_SNDBUF && budget))
		fprintf(out, "more window makes it no faster");
	else
		fprintf(out, "%s", names_limit_text[limit]);
	if (limit == TT_LIMIT_APPLICATION && dir == TT_IN)
		fprintf(out, ", or that end limits it");
	if ((limit == TT_LIMIT_SNDBUF || limit == TT_LIMIT_RWND) && budget)
		fprintf(out, ", and the memory budget limits that");
}

/* Whether a direction only answers to what flows the other way. */
static bool explain_is_echo(const struct tt_path *path, enum tt_dir dir)
{
	return path->best_bps[!dir] &&
	       path->best_bps[dir] <= path->best_bps[!dir] / EXPLAIN_ECHO &&
	       path->now_bps[dir] <= path->now_bps[!dir] / EXPLAIN_ECHO;
}

/* What a loss at random costs, and what is there against it. */
static void explain_loss(FILE *out, const struct status_input *input,
			 const struct tt_path *path)
{
	enum tt_tunable id = path->role == TT_SERVER ? TT_SRV_LOSSY :
			     TT_CLNT_LOSSY;
	const struct tt_setting *setting = explain_find(input, id);
	char rate[UNITS_MAX];

	fprintf(out, "Of a million packets %u were sent again while no queue stood: ",
		path->lost_ppm);
	fprintf(out, "a connection of CUBIC carries %s then (RFC 9438, section 5.1); ",
		units_rate(bdp_cubic(path->lost_ppm, path->rtt_us,
				     EXPLAIN_MSS_BYTES), rate));
	if (!setting || setting->off == TT_OFF_ABSENT)
		fprintf(out,
			"with net.ipv4.tcp_congestion_control=bbr new ones carry more, and strangers less.\n");
	else if (setting->value)
		fprintf(out, "connections that lose change to %s.\n",
			words_text(setting->value));
	else
		fprintf(out, "see congestion_control in tcptuned.conf(5).\n");
}

static void explain_dir(FILE *out, const struct status_input *input,
			const struct tt_path *path, enum tt_dir dir)
{
	char now[UNITS_MAX], best[UNITS_MAX], rtt[UNITS_MAX];
	char window[UNITS_MAX];
	bool asks = (path->role == TT_CLIENT) == (dir == TT_OUT);
	u64 bdp;

	fprintf(out, "%s it: ", dir == TT_OUT ? "To" : "From");
	if (explain_is_echo(path, dir)) {
		fprintf(out, "%s only.\n", asks ? "requests" : "replies");
		return;
	}
	if (!path->best_bps[dir] || !path->rtt_us) {
		fprintf(out, "%s.\n", names_limit_text[TT_LIMIT_UNKNOWN]);
		return;
	}
	fprintf(out, "%s now, %s at best; ",
		units_rate(path->now_bps[dir], now),
		units_rate(path->best_bps[dir], best));
	explain_limit(out, input, path, dir);
	if (dir == TT_IN && path->scaled_us)
		fprintf(out, ", and the window scale, agreed when it connected, allows no more");
	fprintf(out, ". ");
	bdp = bdp_bytes(path->best_bps[dir], path->rtt_us);
	fprintf(out, "%.1f x %s x %s = %s of window",
		bdp ? (double)path->window_bytes[dir] / bdp : 0.0,
		units_rate(path->best_bps[dir], best),
		units_time(path->rtt_us, rtt),
		units_bytes(path->window_bytes[dir], window));
	if (tt_is_shared(path->share_percent))
		fprintf(out, ", of which one connection needs %u %%",
			path->share_percent);
	explain_setting(out, input, path, dir);
	fprintf(out, ".\n");
	if (dir == TT_OUT && path->lost_ppm)
		explain_loss(out, input, path);
}

/* The mounts from this server, and what they read in advance. */
static void explain_mounts(FILE *out, const struct status_input *input,
			   const struct tt_path *path)
{
	for (size_t i = 0; i < input->nmounts; i++) {
		const struct tt_mount *mount = &input->mounts[i];

		if (path->role != TT_CLIENT ||
		    memcmp(&mount->server, &path->peer, sizeof(path->peer)))
			continue;
		fprintf(out, "%s reads %u KiB ahead.\n", mount->dir,
			mount->read_ahead_kb);
	}
}

const char *explain_path(const struct status_input *input,
			 const struct tt_path *path, char *text, size_t size)
{
	FILE *out = size ? fmemopen(text, size, "w") : NULL;

	if (size)
		text[0] = '\0';
	if (!out)
		return text;
	explain_peer(out, path);
	for (int dir = 0; dir < TT_DIRS; dir++)
		explain_dir(out, input, path, dir);
	explain_mounts(out, input, path);
	fclose(out);
	text[size - 1] = '\0';
	return text;
}
