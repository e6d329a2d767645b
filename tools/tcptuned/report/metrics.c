// SPDX-License-Identifier: GPL-2.0
/*
 * The metrics in Prometheus' text format, which is what the node exporter's
 * textfile collector reads: seconds, bytes, bytes per second.
 *
 * Their number is bounded, whoever connects: sums and counts are of all paths,
 * but only the SHOWN_MAX with the largest windows, which are those that the
 * values are made for, and as many mounts, have series of their own.
 */
#include "metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../file.h"
#include "../units.h"
#include "names.h"
#include "prom.h"

#define SHOWN_MAX 32

static double metrics_known(double value)
{
	return value ? value : NAN;
}

static size_t metrics_count_problems(const struct status_input *status)
{
	size_t n = 0;

	for (size_t i = 0; i < status->nproblems; i++)
		n += status->problems[i] && *status->problems[i];
	return n;
}

static void metrics_put_daemon(struct prom *prom,
			       const struct metrics_input *input)
{
	const struct status_input *status = input->status;
	const struct tt_host *host = status->host;
	const struct {
		const char	*name;
		const char	*type;
		const char	*help;
		double		value;
	} metrics[] = {
		{ "tcptuned_last_poll_timestamp_seconds", "gauge",
		  "Time of the last poll.", input->unix_us / 1e6 },
		{ "tcptuned_polls_total", "counter",
		  "Polls since tcptuned was started.", input->npolls },
		{ "tcptuned_problems", "gauge",
		  "Problems that tcptuned status shows.",
		  metrics_count_problems(status) },
		{ "tcptuned_kernel_has_sunrpc_tcpbuf", "gauge",
		  "Whether there is /proc/sys/sunrpc/tcp_rcvbuf.",
		  host->has_sunrpc_tcpbuf },
		{ "tcptuned_memory_budget_bytes", "gauge",
		  "Memory that all NFS buffers may take.",
		  status->decision->budget_bytes },
		{ "tcptuned_memory_budget_limited", "gauge",
		  "Whether the budget limits a value.",
		  status->decision->budget_limited },
		{ "tcptuned_tcp_memory_bytes", "gauge",
		  "Memory that TCP uses.", host->tcp_used_bytes },
		/* Only the first network namespace is told. */
		{ "tcptuned_tcp_memory_limit_bytes", "gauge",
		  "Memory that TCP may use, net.ipv4.tcp_mem.",
		  metrics_known(host->tcp_mem_bytes[2]) },
	};

	prom_begin(prom, "tcptuned_build_info", "gauge",
		   "Which tcptuned this is.");
	prom_put(prom, 1, "version", input->version, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		prom_begin(prom, metrics[i].name, metrics[i].type,
			   metrics[i].help);
		prom_put(prom, metrics[i].value, NULL);
	}
	prom_begin(prom, "tcptuned_changes_total", "counter",
		   "Values written since tcptuned was started.");
	for (int id = 0; id < TT_TUNABLES; id++)
		prom_put(prom, input->nchanges[id],
			 "tunable", status->table[id].name, NULL);
}

/* Sums over all paths. */
struct metrics_sums {
	double	connections[TT_ROLES];
	double	paths[TT_ROLES][TT_DIRS][NAMES_LIMITS];
	double	rate[TT_ROLES][TT_DIRS];
	double	buffer[TT_ROLES][TT_DIRS];
};

static void metrics_add_up(const struct status_input *status,
			   struct metrics_sums *sums)
{
	for (size_t i = 0; i < status->npaths; i++) {
		const struct tt_path *path = &status->paths[i];
		enum tt_role role = path->role;

		sums->connections[role] += path->nconns;
		for (int dir = 0; dir < TT_DIRS; dir++) {
			sums->paths[role][dir][path->limit[dir]]++;
			sums->rate[role][dir] += path->now_bps[dir] / 8.0;
			sums->buffer[role][dir] += path->buffer_bytes[dir];
		}
	}
}

static void metrics_put_directions(const struct prom *prom,
				   double (*values)[TT_DIRS])
{
	for (int role = 0; role < TT_ROLES; role++)
		for (int dir = 0; dir < TT_DIRS; dir++)
			prom_put(prom, values[role][dir],
				 "role", names_role[role],
				 "direction", names_dir[dir], NULL);
}

static void metrics_put_limits(const struct prom *prom,
			       const struct metrics_sums *sums)
{
	for (int role = 0; role < TT_ROLES; role++)
		for (int dir = 0; dir < TT_DIRS; dir++)
			for (int i = 0; i < NAMES_LIMITS; i++)
				prom_put(prom, sums->paths[role][dir][i],
					 "role", names_role[role],
					 "direction", names_dir[dir],
					 "limit", names_limit[i], NULL);
}

static void metrics_put_sums(struct prom *prom,
			     const struct status_input *status)
{
	struct metrics_sums sums = { };

	metrics_add_up(status, &sums);
	prom_begin(prom, "tcptuned_connections", "gauge",
		   "Connections of NFS.");
	for (int role = 0; role < TT_ROLES; role++)
		prom_put(prom, sums.connections[role],
			 "role", names_role[role], NULL);
	prom_begin(prom, "tcptuned_rate_bytes_per_second", "gauge",
		   "What all paths carry now.");
	metrics_put_directions(prom, sums.rate);
	prom_begin(prom, "tcptuned_buffer_bytes", "gauge",
		   "Buffers of all connections of NFS.");
	metrics_put_directions(prom, sums.buffer);
	prom_begin(prom, "tcptuned_paths", "gauge",
		   "Peers, by what keeps them from being faster.");
	metrics_put_limits(prom, &sums);
}

static const struct metrics_of_setting {
	const char	*name;
	const char	*help;
	bool		 with_reason;
} metrics_of_settings[] = {
	{ "tcptuned_tunable_bytes", "A tunable's value.", false },
	{ "tcptuned_tunable_original_bytes",
	  "What it was before tcptuned wrote it.", false },
	{ "tcptuned_slow_start_after_idle",
	  "net.ipv4.tcp_slow_start_after_idle.", false },
	{ "tcptuned_tunable_left_alone_info",
	  "Why a tunable is not written.", true },
};

/* The value of one of these; NAN for what is not there or not known. */
static double metrics_setting_value(const struct tt_setting *s,
				    const struct metrics_of_setting *metric)
{
	bool is_switch = s->target.id == TT_SLOW_START;
	double unit = s->off == TT_OFF_ABSENT || is_switch ||
		      tt_is_word(s->target.id) ? NAN :
		      s->target.id == TT_READ_AHEAD ? 1024 : 1;
	const double values[ARRAY_SIZE(metrics_of_settings)] = {
		s->value * unit,
		s->written ? s->original * unit : NAN,
		is_switch && s->off != TT_OFF_ABSENT ? s->value : NAN,
		s->off == TT_HANDS_ON ? NAN : 1,
	};

	return values[metric - metrics_of_settings];
}

static void metrics_put_settings(struct prom *prom,
				 const struct metrics_of_setting *metric,
				 const struct status_input *status)
{
	size_t mounts = 0;

	prom_begin(prom, metric->name, "gauge", metric->help);
	for (size_t i = 0; i < status->nsettings; i++) {
		const struct tt_setting *setting = &status->settings[i];
		const struct tt_target *target = &setting->target;

		mounts += *target->instance != '\0';
		if (*target->instance && mounts > SHOWN_MAX)
			continue;
		prom_put(prom, metrics_setting_value(setting, metric),
			 "tunable", status->table[target->id].name,
			 "bdi", target->instance, "reason",
			 metric->with_reason ? names_off[setting->off] : "",
			 NULL);
	}
}

static u64 metrics_largest_window(const struct tt_path *path)
{
	return max_u64(path->window_bytes[TT_OUT], path->window_bytes[TT_IN]);
}

/* Finds the paths with the largest windows. Returns: how many they are. */
static size_t metrics_choose_paths(const struct status_input *status,
				   const struct tt_path *chosen[SHOWN_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < status->npaths; i++) {
		const struct tt_path *path = &status->paths[i];
		size_t at = n;

		while (at && metrics_largest_window(path) >
			     metrics_largest_window(chosen[at - 1]))
			at--;
		if (at == SHOWN_MAX)
			continue;
		if (n < SHOWN_MAX)
			n++;
		memmove(&chosen[at + 1], &chosen[at],
			(n - at - 1) * sizeof(*chosen));
		chosen[at] = path;
	}
	return n;
}

static const struct metrics_of_path {
	const char	*name;
	const char	*help;
	bool		 both;		/* a line for each direction */
	bool		 with_limit;
} metrics_of_paths[] = {
	{ "tcptuned_path_rtt_seconds", "Smallest round-trip time.",
	  false, false },
	{ "tcptuned_path_connections", "Connections to a peer.", false, false },
	{ "tcptuned_path_link_bytes_per_second", "Rate of the link to a peer.",
	  false, false },
	{ "tcptuned_path_rate_bytes_per_second", "What a path carries now.",
	  true, false },
	{ "tcptuned_path_best_rate_bytes_per_second",
	  "Largest rate that it carried lately.", true, false },
	{ "tcptuned_path_window_bytes", "Window that it needs.", true, false },
	{ "tcptuned_path_buffer_bytes", "Buffers of its connections.",
	  true, false },
	{ "tcptuned_path_limit_info", "What keeps it from being faster.",
	  true, true },
};

/* The value of one of these; NAN for what is not known. */
static double metrics_path_value(const struct tt_path *path, enum tt_dir dir,
				 const struct metrics_of_path *metric)
{
	const double values[ARRAY_SIZE(metrics_of_paths)] = {
		metrics_known(path->rtt_us / 1e6),
		path->nconns,
		metrics_known(path->link.rate_bps / 8.0),
		path->now_bps[dir] / 8.0,
		metrics_known(path->best_bps[dir] / 8.0),
		metrics_known(path->window_bytes[dir]),
		path->buffer_bytes[dir],
		path->limit[dir] == TT_LIMIT_UNKNOWN ? NAN : 1,
	};

	return values[metric - metrics_of_paths];
}

static void metrics_put_path(const struct prom *prom,
			     const struct metrics_of_path *metric,
			     const struct tt_path *path)
{
	char peer[INET6_ADDRSTRLEN];

	units_addr(&path->peer, peer);
	for (int dir = 0; dir < (metric->both ? TT_DIRS : 1); dir++)
		prom_put(prom, metrics_path_value(path, dir, metric),
			 "role", names_role[path->role], "peer", peer,
			 "direction", metric->both ? names_dir[dir] : "",
			 "limit", metric->with_limit ?
				  names_limit[path->limit[dir]] : "", NULL);
}

static void metrics_put_all(struct prom *prom,
			    const struct metrics_input *input)
{
	const struct status_input *status = input->status;
	const struct tt_path *paths[SHOWN_MAX];
	size_t npaths = metrics_choose_paths(status, paths);

	metrics_put_daemon(prom, input);
	metrics_put_sums(prom, status);
	for (size_t i = 0; i < ARRAY_SIZE(metrics_of_settings); i++)
		metrics_put_settings(prom, &metrics_of_settings[i], status);
	for (size_t i = 0; i < ARRAY_SIZE(metrics_of_paths); i++) {
		const struct metrics_of_path *metric = &metrics_of_paths[i];

		prom_begin(prom, metric->name, "gauge", metric->help);
		for (size_t j = 0; j < npaths; j++)
			metrics_put_path(prom, metric, paths[j]);
	}
}

int metrics_write(const char *path, const struct metrics_input *input)
{
	struct prom prom = { .daemon = input->daemon };
	char *text = NULL;
	const char *name;
	size_t size;
	int dir, err;

	prom.out = open_memstream(&text, &size);
	if (!prom.out)
		return -ENOMEM;
	metrics_put_all(&prom, input);
	dir = fclose(prom.out) ? -ENOMEM : file_parent(path, &name);
	err = dir < 0 ? dir : file_write(dir, name, text, false);
	if (dir >= 0)
		close(dir);
	free(text);
	return err;
}
