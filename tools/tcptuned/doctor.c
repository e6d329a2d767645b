// SPDX-License-Identifier: GPL-2.0
/*
 * Watches for a moment and says what keeps NFS slow.
 */
#include "doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "conf.h"
#include "diagnose.h"
#include "model/model.h"
#include "policy/budget.h"
#include "policy/table.h"
#include "report/names.h"
#include "report/text.h"
#include "sense/proc.h"
#include "sense/sense.h"
#include "units.h"

#define DOCTOR_POLLS		30
#define DOCTOR_POLL_US		100000

/* The first findings, unless all are wanted. */
#define DOCTOR_SHOWN		20

#define DOCTOR_SLOTS		"/sys/module/nfs/parameters/max_session_slots"
#define DOCTOR_CONGESTION	"/proc/sys/fs/nfs/nfs_congestion_kb"
#define DOCTOR_RMEM_MAX		"/proc/sys/net/core/rmem_max"
#define DOCTOR_THREADS		"/proc/net/rpc/nfsd"
#define DOCTOR_POOLS		"/proc/fs/nfsd/pool_stats"

/**
 * struct doctor - what is found, and what there was to look at
 * @root: what comes before paths
 * @host: the machine
 * @findings: of all paths
 * @nfindings: length
 * @npaths: that were looked at
 * @nresting: of these, those that moved nothing
 * @nunknown: of these, those whose link does not tell its rate
 */
struct doctor {
	const char		*root;
	struct diagnose_host	host;
	struct diagnose_finding	*findings;
	size_t			nfindings;
	size_t			npaths;
	size_t			nresting;
	size_t			nunknown;
};

/* A number behind some text of a file. Returns: 0 if it cannot be read. */
static u64 doctor_number(const char *root, const char *path, const char *after)
{
	char text[4096], *at;
	u64 number = 0;

	if (proc_read(root, path, text, sizeof(text)))
		return 0;
	at = strstr(text, after);
	if (at)
		proc_numbers(at + strlen(after), &number, 1);
	return number;
}

static bool doctor_has_lossy(const char *root)
{
	char text[16];

	return !proc_read(root, table_rows[TT_SRV_LOSSY].path, text,
			  sizeof(text));
}

/* What nfsd's pools of threads got and woke, added to @host. */
static void doctor_count_pools(const char *root, struct diagnose_host *host,
			       int sign)
{
	char text[4096], *line = text;
	u64 pool[4];

	if (proc_read(root, DOCTOR_POOLS, text, sizeof(text)))
		return;
	while ((line = strchr(line, '\n')) && *++line)
		if (proc_numbers(line, pool, 4) == 4) {
			host->queued += sign * pool[2];
			host->woken += sign * pool[3];
		}
}

/* Returns: the last of some snapshots, NULL if there was no memory. */
static const struct tt_snapshot *doctor_watch(struct doctor *doctor,
					      struct sense *sense,
					      struct model *model,
					      const struct tt_conf *conf)
{
	const struct tt_snapshot *snapshot;

	doctor_count_pools(doctor->root, &doctor->host, -1);
	for (int i = 0; ; i++) {
		snapshot = sense_snapshot(sense, conf);
		if (!snapshot || model_update(model, snapshot))
			return NULL;
		if (i == DOCTOR_POLLS)
			break;
		usleep(DOCTOR_POLL_US);
	}
	doctor_count_pools(doctor->root, &doctor->host, 1);
	doctor->host.has_sunrpc_tcpbuf = snapshot->host.has_sunrpc_tcpbuf;
	doctor->host.budget_bytes = budget_bytes(&(struct policy_input){
		.conf = conf, .host = &snapshot->host,
	});
	return snapshot;
}

static bool doctor_is_peer(const struct tt_addr *one,
			   const struct tt_addr *other)
{
	return !memcmp(one, other, sizeof(*one));
}

/* Its busiest connection, and its mount with the least read-ahead. */
static void doctor_find(const struct tt_snapshot *snapshot,
			struct diagnose_path *on)
{
	for (size_t i = 0; i < snapshot->nconns; i++) {
		const struct tt_conn *conn = &snapshot->conns[i];

		if (conn->role == on->path->role &&
		    doctor_is_peer(&conn->peer, &on->path->peer) &&
		    (!on->conn || conn->bytes[TT_OUT] + conn->bytes[TT_IN] >
		     on->conn->bytes[TT_OUT] + on->conn->bytes[TT_IN]))
			on->conn = conn;
	}
	for (size_t i = 0; i < snapshot->nmounts; i++) {
		const struct tt_mount *mount = &snapshot->mounts[i];

		if (on->path->role == TT_CLIENT &&
		    doctor_is_peer(&mount->server, &on->path->peer) &&
		    (!on->mount ||
		     mount->read_ahead_kb < on->mount->read_ahead_kb))
			on->mount = mount;
	}
}

static int doctor_look_at(struct doctor *doctor,
			  const struct tt_snapshot *snapshot,
			  const struct tt_path *path)
{
	struct diagnose_path on = { .path = path };
	struct diagnose_finding *findings;

	doctor_find(snapshot, &on);
	if (!on.conn || !path->rtt_us)
		return 0;
	findings = reallocarray(doctor->findings,
				doctor->nfindings + DIAGNOSE_MOST,
				sizeof(*findings));
	if (!findings)
		return -ENOMEM;
	doctor->findings = findings;
	doctor->nfindings += diagnose(&doctor->host, &on,
				      findings + doctor->nfindings);
	doctor->npaths++;
	doctor->nresting += !path->now_bps[TT_OUT] && !path->now_bps[TT_IN];
	doctor->nunknown += !path->link.rate_bps;
	return 0;
}

/* The largest gain first. */
static int doctor_compare(const void *left, const void *right)
{
	const struct diagnose_finding *a = left, *b = right;
	u64 one = a->then_bps - a->now_bps, other = b->then_bps - b->now_bps;

	return one == other ? 0 : one > other ? -1 : 1;
}

static void doctor_print_finding(const struct diagnose_finding *finding)
{
	char addr[INET6_ADDRSTRLEN], now[UNITS_MAX], then[UNITS_MAX];
	char text[480];

	snprintf(text, sizeof(text), "%s, %s: %s: %s",
		 units_addr(&finding->path->peer, addr),
		 names_role[finding->path->role], finding->cause,
		 finding->figure);
	units_clean(text);
	text_wrap(stdout, 0, text);
	if (finding->then_bps > finding->now_bps)
		printf("    %s at most, up to %s with\n",
		       units_rate(finding->now_bps, now),
		       units_rate(finding->then_bps, then));
	printf("    %s\n\n", finding->fix);
}

/* What would have told more. */
static void doctor_print_unseen(const struct doctor *doctor,
				const char *problem)
{
	const struct {
		bool		unseen;
		const char	*text;
	} rows[] = {
		{ problem, problem },
		{ !doctor->npaths,
		  "any NFS connection over TCP in this network namespace" },
		{ doctor->nresting,
		  "what holds the paths on which nothing moved; run this during a transfer" },
		{ doctor->nunknown,
		  "what links of unknown rate carry; name it with --bandwidth" },
		{ !doctor->host.slots, "the limits of an NFS client" },
		{ !doctor->host.queued, "whether threads of nfsd are short" },
		{ true, "what only the other end knows; run this there too" },
	};

	puts("Not seen:");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].unseen)
			text_wrap(stdout, 4, rows[i].text);
}

static void doctor_print(const struct options *options, struct doctor *doctor,
			 const char *problem)
{
	size_t n = doctor->nfindings;

	if (n)
		qsort(doctor->findings, n, sizeof(*doctor->findings),
		      doctor_compare);
	if (!options->all && n > DOCTOR_SHOWN)
		n = DOCTOR_SHOWN;
	printf("paths: %zu, findings: %zu%s\n\n", doctor->npaths,
	       doctor->nfindings,
	       n < doctor->nfindings ? "; --all shows all of them" :
	       n ? ", the largest gain first" :
	       doctor->npaths ? ": nothing seen here keeps NFS slow" : "");
	for (size_t i = 0; i < n; i++)
		doctor_print_finding(&doctor->findings[i]);
	doctor_print_unseen(doctor, problem);
}

static int doctor_look(const struct options *options, struct doctor *doctor,
		       struct sense *sense, struct model *model)
{
	const struct tt_snapshot *snapshot;
	const struct tt_path *paths;
	struct tt_conf conf = { };
	size_t npaths;

	if (conf_load(&conf, options->conf_file, stderr))
		return EXIT_USAGE;
	if (options->bandwidth_bps)
		conf.bandwidth_bps = options->bandwidth_bps;
	snapshot = doctor_watch(doctor, sense, model, &conf);
	if (!snapshot)
		return command_fail(EXIT_ERROR, "tcptuned: %s", strerror(ENOMEM));
	paths = model_paths(model, &npaths);
	for (size_t i = 0; i < npaths; i++)
		if (doctor_look_at(doctor, snapshot, &paths[i]))
			return command_fail(EXIT_ERROR, "tcptuned: %s",
					    strerror(ENOMEM));
	doctor_print(options, doctor, sense_problem(sense));
	return EXIT_OK;
}

int doctor_run_root(const struct options *options, const char *root)
{
	struct doctor doctor = {
		.root = root,
		.host.rmem_max_bytes = doctor_number(root, DOCTOR_RMEM_MAX, ""),
		.host.has_lossy = doctor_has_lossy(root),
		.host.slots = doctor_number(root, DOCTOR_SLOTS, ""),
		.host.congestion_kb = doctor_number(root, DOCTOR_CONGESTION, ""),
		.host.threads = doctor_number(root, DOCTOR_THREADS, "\nth "),
	};
	struct model *model = model_new();
	struct sense *sense = NULL;
	int code, err;

	err = model ? sense_open_root(&sense, root) : -ENOMEM;
	if (err)
		code = command_fail(EXIT_ERROR, "tcptuned: cannot ask the kernel: %s",
				    strerror(-err));
	else
		code = doctor_look(options, &doctor, sense, model);
	free(doctor.findings);
	sense_close(sense);
	model_free(model);
	return command_finish(code);
}

int doctor_run(const struct options *options)
{
	return doctor_run_root(options, "");
}
