// SPDX-License-Identifier: GPL-2.0
/*
 * One round of the service: sense, model, policy, apply, report.
 */
#include "round.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "policy/policy.h"
#include "report/log.h"
#include "report/metrics.h"
#include "units.h"

/* Who else tunes, what was learned: these change slowly. */
#define CHORES_US (60 * 1000000ULL)
#define SAVE_US (600 * 1000000ULL)
/* More than there are tunables; a mount too many waits for the next look. */
#define WISHES_MAX 64

u64 round_clock_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

u64 round_unix_s(void)
{
	return round_clock_us(CLOCK_REALTIME) / 1000000;
}

static const char *name_of(const struct service *service,
			   const struct tt_setting *setting, char buf[96])
{
	const char *instance = setting->target.instance;

	snprintf(buf, 96, "%s%s%s", service->table[setting->target.id].name,
		 *instance ? " " : "", instance);
	return buf;
}

static void look_for_rivals(struct service *service)
{
	struct rivals *rivals = &service->rivals;

	rival_find(rivals, "", service->table);
	for (int id = 0; id < TT_TUNABLES; id++)
		apply_leave(service->apply, id, rivals->owns[id]);
	*service->rival_text = '\0';
	if (!rivals->bpftune && !rivals->tuned)
		return;
	snprintf(service->rival_text, sizeof(service->rival_text),
		 "%s%s%s%s%s tunes this machine too; what it owns is left to it",
		 rivals->bpftune ? "bpftune" : "",
		 rivals->bpftune && rivals->tuned ? " and " : "",
		 rivals->tuned ? "tuned" : "",
		 *rivals->profile ? " with profile " : "", rivals->profile);
	log_once(MSG_RIVAL, "%s", service->rival_text);
}

void round_save(struct service *service, u64 now_us)
{
	int err;

	service->saved_us = now_us;
	if (service->conf.dry_run)
		return;
	err = learned_save(&service->learned, service->options->statedir);
	if (err)
		log_once(MSG_NOT_KEPT, "learned paths cannot be kept in %s: %s",
			 service->options->statedir, strerror(-err));
}

/* What is done once a minute. */
static int do_chores(struct service *service, u64 now_us)
{
	const struct tt_path *paths;
	size_t npaths;

	if (service->chores_us && now_us - service->chores_us < CHORES_US)
		return 0;
	service->chores_us = now_us;
	look_for_rivals(service);
	paths = model_paths(service->model, &npaths);
	if (learned_update(&service->learned, paths, npaths, round_unix_s()))
		return -ENOMEM;
	if (now_us - service->saved_us >= SAVE_US)
		round_save(service, now_us);
	return 0;
}

static void say_hands_off(struct service *service)
{
	const struct tt_setting *settings;
	char name[96];
	size_t n;

	settings = apply_settings(service->apply, &n);
	for (size_t i = 0; i < n; i++) {
		name_of(service, &settings[i], name);
		if (settings[i].off == TT_OFF_FOREIGN && settings[i].written)
			log_once(MSG_FOREIGN,
				 "%s was changed by somebody else; it is left to them until a restart or \"tcptuned resume\"",
				 name);
		else if (settings[i].off == TT_OFF_FOREIGN &&
			 !service->rivals.owns[settings[i].target.id])
			log_once(LOG_NOTICE,
				 "%s was set to %llu before; it is left alone until \"tcptuned resume\"",
				 name, settings[i].value);
		else if (settings[i].off == TT_OFF_DENIED &&
			 !*apply_trouble(service->apply))
			log_once(MSG_DENIED, "%s may not be written from here",
				 name);
	}
}

static void say_trouble(struct service *service,
			const struct tt_snapshot *snapshot)
{
	const char *trouble = sense_trouble(service->sense);

	if (trouble)
		log_once(MSG_SENSE, "%s", trouble);
	if (*apply_trouble(service->apply))
		log_once(MSG_LEDGER, "%s", apply_trouble(service->apply));
	if (snapshot->nconns && !snapshot->host.has_series)
		log_once(MSG_NO_SERIES,
			 "no /proc/sys/sunrpc/tcp_rcvbuf here: only limits of all sockets can be set, and mounts in use gain little; the sunrpc-tcpbuf kernel series mends both");
	say_hands_off(service);
}

static void fulfil(struct service *service, const struct tt_wish *wish,
		   u64 now_us)
{
	const struct tt_setting *settings, *setting = NULL;
	char name[96];
	size_t n;
	u64 before, value;
	int err;

	settings = apply_settings(service->apply, &n);
	for (size_t i = 0; i < n; i++)
		if (settings[i].target.id == wish->target.id &&
		    !strcmp(settings[i].target.instance, wish->target.instance))
			setting = &settings[i];
	if (!setting)
		return;
	before = setting->value;
	err = apply_write(service->apply, wish, now_us, &value);
	name_of(service, setting, name);
	if (err && err != -EBUSY)
		log_once(MSG_NOT_SET, "%s could not be set to %llu: %s", name,
			 wish->value, strerror(-err));
	if (err || value == before)
		return;
	service->changes[wish->target.id]++;
	log_change(service->table[wish->target.id].name, before, setting,
		   service->conf.dry_run);
}

static struct policy_input what_is_known(const struct service *service,
					 const struct tt_snapshot *snapshot)
{
	struct policy_input input = {
		.now_us = snapshot->now_us,
		.conf = &service->conf,
		.host = &snapshot->host,
		.mounts = snapshot->mounts,
		.nmounts = snapshot->nmounts,
	};

	input.paths = model_paths(service->model, &input.npaths);
	input.settings = apply_settings(service->apply, &input.nsettings);
	return input;
}

static void decide(struct service *service, const struct tt_snapshot *snapshot)
{
	struct policy_input input = what_is_known(service, snapshot);
	struct tt_wish wishes[WISHES_MAX];
	size_t n;

	n = policy_decide(&input, wishes, WISHES_MAX);
	for (size_t i = 0; i < n; i++)
		fulfil(service, &wishes[i], snapshot->now_us);
}

static const char *explain(const struct tt_path *path, char *text, size_t size,
			   const void *data)
{
	return policy_explain(data, path, text, size);
}

/* The file that the configuration wants, "" for none. */
static void name_metrics(const struct service *service, char name[256])
{
	const char *conf = service->conf.metrics;

	if (!strcmp(conf, "auto"))
		snprintf(name, 256, "%s/" METRICS_FILE,
			 service->options->rundir);
	else
		snprintf(name, 256, "%s", *conf == '/' ? conf : "");
}

static void report_metrics(struct service *service,
			   const struct policy_input *known,
			   const struct status_input *status)
{
	const char *slash = strrchr(service->options->rundir, '/');
	struct metrics_input input = {
		.status = status,
		.daemon = slash ? slash + 1 : service->options->rundir,
		.version = TCPTUNED_VERSION,
		.unix_us = round_clock_us(CLOCK_REALTIME),
		.rounds = service->rounds,
		.changes = service->changes,
	};
	char name[256], budget[UNITS_MAX];
	int err;

	name_metrics(service, name);
	if (strcmp(name, service->metrics))
		metrics_remove(service->metrics);
	else if (service->metrics_us &&
		 status->now_us - service->metrics_us < METRICS_REFRESH_US)
		return;
	strcpy(service->metrics, name);
	service->metrics_us = status->now_us;
	input.budget_bytes = policy_budget(known, &input.squeezed);
	if (input.squeezed)
		log_once(MSG_BUDGET,
			 "some path needs more than the %s of memory that all buffers together may take",
			 units_bytes(input.budget_bytes, budget));
	err = *name ? metrics_write(name, &input) : 0;
	if (err)
		log_once(MSG_NOT_KEPT, "the metrics cannot be written to %s: %s",
			 name, strerror(-err));
}

void round_hush(struct service *service)
{
	if (service->rundir >= 0)
		unlinkat(service->rundir, STATUS_FILE, 0);
	if (*service->metrics)
		metrics_remove(service->metrics);
}

static void report(struct service *service, const struct tt_snapshot *snapshot)
{
	const struct policy_input known = what_is_known(service, snapshot);
	const char * const trouble[] = {
		apply_trouble(service->apply),
		sense_trouble(service->sense),
		service->rival_text,
	};
	struct status_input input = {
		.now_us = snapshot->now_us,
		.pid = getpid(),
		.host = &snapshot->host,
		.paths = known.paths,
		.npaths = known.npaths,
		.settings = known.settings,
		.nsettings = known.nsettings,
		.table = service->table,
		.mounts = snapshot->mounts,
		.nmounts = snapshot->nmounts,
		.explain = explain,
		.data = &known,
		.trouble = trouble,
		.ntrouble = ARRAY_SIZE(trouble),
		.dry_run = service->conf.dry_run,
	};
	int err;

	if (service->rundir < 0 || service->options->once)
		return;
	err = status_write(&service->status, service->rundir, &input);
	if (err)
		log_once(MSG_NOT_KEPT, "the status cannot be written to %s: %s",
			 service->options->rundir, strerror(-err));
	report_metrics(service, &known, &input);
}

int round_look(struct service *service)
{
	const struct tt_snapshot *snapshot;
	int err;

	snapshot = sense_snapshot(service->sense, &service->conf);
	if (!snapshot)
		return -ENOMEM;
	err = model_update(service->model, snapshot);
	if (!err)
		err = do_chores(service, snapshot->now_us);
	if (!err)
		err = apply_refresh(service->apply, snapshot->mounts,
				    snapshot->nmounts);
	if (err)
		return err;
	decide(service, snapshot);
	say_trouble(service, snapshot);
	report(service, snapshot);
	service->rounds++;
	return 0;
}
