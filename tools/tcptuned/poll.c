// SPDX-License-Identifier: GPL-2.0
/*
 * One poll: sense, model, policy, apply, report.
 */
#include "poll.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "policy/policy.h"
#include "report/log.h"
#include "report/metrics.h"
#include "report/paths.h"
#include "report/reason.h"
#include "units.h"
#include "words.h"

/* Who else tunes, what was learned: these change slowly. */
#define CHORES_US (60 * 1000000ULL)
#define SAVE_US (600 * 1000000ULL)
/* Of a tunable and its instance. */
#define NAME_BYTES 96

u64 poll_clock_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

u64 poll_unix_s(void)
{
	return poll_clock_us(CLOCK_REALTIME) / 1000000;
}

static const char *poll_setting_name(const struct daemon *daemon,
				     const struct tt_setting *setting,
				     char buf[NAME_BYTES])
{
	const char *instance = setting->target.instance;

	snprintf(buf, NAME_BYTES, "%s%s%s", daemon->table[setting->target.id].name,
		 *instance ? " " : "", instance);
	return buf;
}

static void poll_find_rivals(struct daemon *daemon)
{
	struct rivals *rivals = &daemon->rivals;

	rival_find(rivals, "", daemon->table);
	for (int id = 0; id < TT_TUNABLES; id++)
		apply_leave(daemon->apply, id, rivals->owns[id]);
	*daemon->rival_text = '\0';
	if (!rivals->bpftune && !rivals->tuned)
		return;
	snprintf(daemon->rival_text, sizeof(daemon->rival_text),
		 "%s%s%s%s%s also tunes this machine; tcptuned leaves alone what it sets",
		 rivals->bpftune ? "bpftune" : "",
		 rivals->bpftune && rivals->tuned ? " and " : "",
		 rivals->tuned ? "tuned" : "",
		 *rivals->profile ? " with profile " : "", rivals->profile);
	log_once(MSG_RIVAL, "%s", daemon->rival_text);
}

void poll_save(struct daemon *daemon, u64 now_us)
{
	int err;

	daemon->saved_us = now_us;
	if (daemon->conf.dry_run)
		return;
	err = learned_save(&daemon->learned, daemon->options->statedir);
	if (err)
		log_once(MSG_NOT_KEPT, "cannot save learned paths in %s: %s",
			 daemon->options->statedir, strerror(-err));
}

/* What is done once a minute. */
static int poll_do_chores(struct daemon *daemon, u64 now_us)
{
	const struct tt_path *paths;
	size_t npaths;

	if (daemon->chores_us && now_us - daemon->chores_us < CHORES_US)
		return 0;
	daemon->chores_us = now_us;
	poll_find_rivals(daemon);
	paths = model_paths(daemon->model, &npaths);
	if (learned_update(&daemon->learned, paths, npaths, poll_unix_s()))
		return -ENOMEM;
	if (now_us - daemon->saved_us >= SAVE_US)
		poll_save(daemon, now_us);
	return 0;
}

static const char *poll_value(enum tt_tunable id, u64 value,
			      char text[WORDS_PRINT_BYTES])
{
	return words_print(tt_is_word(id), value, text);
}

/* Returns: whether there was something to say. */
static bool poll_say_setting(struct daemon *daemon,
			     const struct tt_setting *setting)
{
	char name[NAME_BYTES], value[WORDS_PRINT_BYTES];

	poll_setting_name(daemon, setting, name);
	if (setting->off == TT_OFF_DENIED && !*apply_problem(daemon->apply))
		log_line(MSG_DENIED, "no permission to write %s", name);
	else if (setting->off != TT_OFF_FOREIGN)
		return setting->off != TT_OFF_DENIED;
	else if (daemon->rivals.owns[setting->target.id])
		return false;
	else if (setting->written)
		log_line(MSG_FOREIGN,
			 "%s was changed by something else; tcptuned leaves it alone until a restart or \"tcptuned resume\"",
			 name);
	else
		log_line(MSG_FOREIGN,
			 "%s was already set to %s; tcptuned leaves it alone until \"tcptuned resume\"",
			 name, poll_value(setting->target.id, setting->value,
					  value));
	return true;
}

/* Says once of each setting why it is left alone. */
static void poll_say_hands_off(struct daemon *daemon)
{
	const struct tt_setting *settings;
	size_t n;

	settings = apply_settings(daemon->apply, &n);
	for (size_t i = 0; i < n; i++)
		if (settings[i].off != settings[i].said &&
		    poll_say_setting(daemon, &settings[i]))
			apply_said(daemon->apply, i);
}

static void poll_say_problems(struct daemon *daemon,
			      const struct tt_snapshot *snapshot)
{
	const char *problem = sense_problem(daemon->sense);

	if (problem)
		log_once(MSG_SENSE, "%s", problem);
	if (*apply_problem(daemon->apply))
		log_once(MSG_LEDGER, "%s", apply_problem(daemon->apply));
	if (snapshot->nconns && !snapshot->host.has_sunrpc_tcpbuf)
		log_once(MSG_NO_TCPBUF,
			 "this kernel lacks sunrpc-tcpbuf (no /proc/sys/sunrpc/tcp_rcvbuf): only limits for all sockets can be set, and existing mounts gain little");
	poll_say_hands_off(daemon);
}

static void poll_apply(struct daemon *daemon, const struct tt_change *change,
		       u64 now_us)
{
	const struct tt_setting *settings, *setting = NULL;
	char name[NAME_BYTES], text[WORDS_PRINT_BYTES];
	size_t n;
	u64 before, value;
	bool failed;
	int err;

	settings = apply_settings(daemon->apply, &n);
	for (size_t i = 0; i < n; i++)
		if (settings[i].target.id == change->target.id &&
		    !strcmp(settings[i].target.instance,
			    change->target.instance))
			setting = &settings[i];
	if (!setting)
		return;
	before = setting->value;
	failed = setting->failed;
	err = apply_write(daemon->apply, change, now_us, &value);
	poll_setting_name(daemon, setting, name);
	if (err && err != -EBUSY && !failed)
		log_line(MSG_NOT_SET, "cannot set %s to %s: %s", name,
			 poll_value(change->target.id, change->value, text),
			 strerror(-err));
	if (err || value == before)
		return;
	daemon->nchanges[change->target.id]++;
	log_change(daemon->table[change->target.id].name, before, setting,
		   daemon->conf.dry_run);
}

static struct policy_input poll_input(const struct daemon *daemon,
				      const struct tt_snapshot *snapshot)
{
	struct policy_input input = {
		.now_us = snapshot->now_us,
		.conf = &daemon->conf,
		.host = &snapshot->host,
		.conns = snapshot->conns,
		.nconns = snapshot->nconns,
		.mounts = snapshot->mounts,
		.nmounts = snapshot->nmounts,
		.reconnects = daemon->reconnects.done,
		.nreconnects = daemon->reconnects.n,
	};

	input.paths = model_paths(daemon->model, &input.npaths);
	input.settings = apply_settings(daemon->apply, &input.nsettings);
	return input;
}

static void poll_reconnect(struct daemon *daemon,
			   const struct tt_reconnect *reconnect)
{
	bool dry_run = daemon->conf.dry_run;
	char text[REASON_BYTES];
	int err;

	reconnects_note(&daemon->reconnects, reconnect);
	reason_reconnect(reconnect, text);
	err = dry_run ? 0 : reconnect_destroy(reconnect);
	if (!err)
		log_line(MSG_RECONNECT, "%s %s",
			 dry_run ? "would renew the" : "renewed the", text);
	else if (err == -EOPNOTSUPP)
		log_once(MSG_RECONNECT,
			 "this kernel lacks CONFIG_INET_DIAG_DESTROY: mount again to renew the %s",
			 text);
	/* It may have ended by itself. */
	else if (err != -ENOENT)
		log_line(MSG_RECONNECT, "cannot renew the %s: %s", text,
			 strerror(-err));
}

static void poll_decide(struct daemon *daemon,
			const struct tt_snapshot *snapshot)
{
	struct policy_input input = poll_input(daemon, snapshot);
	struct tt_decision *decision = &daemon->decision;
	char budget[UNITS_MAX];

	policy_decide(&input, decision);
	if (decision->budget_limited)
		log_once(MSG_BUDGET,
			 "the memory budget of %s for all NFS buffers limits at least one path",
			 units_bytes(decision->budget_bytes, budget));
	for (size_t i = 0; i < decision->nchanges; i++)
		poll_apply(daemon, &decision->changes[i], snapshot->now_us);
	if (decision->reconnects)
		poll_reconnect(daemon, &decision->reconnect);
}

/* The file that the configuration wants, "" for none. */
static void poll_name_metrics(const struct daemon *daemon, char name[256])
{
	const char *conf = daemon->conf.metrics;

	if (!strcmp(conf, "auto"))
		snprintf(name, 256, "%s/" METRICS_FILE,
			 daemon->options->rundir);
	else
		snprintf(name, 256, "%s", *conf == '/' ? conf : "");
}

static void poll_report_metrics(struct daemon *daemon,
				const struct status_input *status)
{
	const char *slash = strrchr(daemon->options->rundir, '/');
	struct metrics_input input = {
		.status = status,
		.daemon = slash ? slash + 1 : daemon->options->rundir,
		.version = TCPTUNED_VERSION,
		.unix_us = poll_clock_us(CLOCK_REALTIME),
		.npolls = daemon->npolls,
		.nchanges = daemon->nchanges,
	};
	char name[256];
	int err;

	poll_name_metrics(daemon, name);
	if (strcmp(name, daemon->metrics))
		unlink(daemon->metrics);
	else if (daemon->metrics_us &&
		 status->now_us - daemon->metrics_us < METRICS_REFRESH_US)
		return;
	strcpy(daemon->metrics, name);
	daemon->metrics_us = status->now_us;
	err = *name ? metrics_write(name, &input) : 0;
	if (err)
		log_once(MSG_NOT_KEPT, "cannot write metrics to %s: %s",
			 name, strerror(-err));
}

void poll_withdraw(struct daemon *daemon)
{
	if (daemon->rundir >= 0) {
		unlinkat(daemon->rundir, STATUS_FILE, 0);
		unlinkat(daemon->rundir, PATHS_FILE, 0);
	}
	if (*daemon->metrics)
		unlink(daemon->metrics);
}

static void poll_report(struct daemon *daemon,
			const struct tt_snapshot *snapshot)
{
	const struct policy_input known = poll_input(daemon, snapshot);
	const char * const problems[] = {
		apply_problem(daemon->apply),
		sense_problem(daemon->sense),
		daemon->rival_text,
	};
	struct status_input input = {
		.now_us = snapshot->now_us,
		.pid = getpid(),
		.host = &snapshot->host,
		.paths = known.paths,
		.npaths = known.npaths,
		.settings = known.settings,
		.nsettings = known.nsettings,
		.table = daemon->table,
		.mounts = snapshot->mounts,
		.nmounts = snapshot->nmounts,
		.decision = &daemon->decision,
		.problems = problems,
		.nproblems = ARRAY_SIZE(problems),
		.dry_run = daemon->conf.dry_run,
	};
	int err;

	if (daemon->rundir < 0 || daemon->options->once)
		return;
	err = status_write(&daemon->status, daemon->rundir, &input);
	if (err)
		log_once(MSG_NOT_KEPT, "cannot write the status to %s: %s",
			 daemon->options->rundir, strerror(-err));
	poll_report_metrics(daemon, &input);
}

int poll_run(struct daemon *daemon)
{
	const struct tt_snapshot *snapshot;
	int err;

	snapshot = sense_snapshot(daemon->sense, &daemon->conf);
	if (!snapshot)
		return -ENOMEM;
	err = model_update(daemon->model, snapshot);
	if (!err)
		err = poll_do_chores(daemon, snapshot->now_us);
	if (!err)
		err = apply_refresh(daemon->apply, snapshot->mounts,
				    snapshot->nmounts);
	if (err)
		return err;
	poll_decide(daemon, snapshot);
	poll_say_problems(daemon, snapshot);
	poll_report(daemon, snapshot);
	daemon->npolls++;
	return 0;
}
