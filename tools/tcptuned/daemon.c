// SPDX-License-Identifier: GPL-2.0
/*
 * The service: one timer, five signals.
 *
 * While data moves it polls every 250 ms. Buffers double with every decision,
 * so a path is up to speed after some ten of them, and a LAN transfer of a second
 * is still noticed. When nothing moves it polls every second, which is soon
 * enough for a transfer that just starts, and costs nothing. With thousands of
 * connections a poll is expensive; polls then become so rare that they cost at
 * most a hundredth of one processor.
 */
#include "daemon.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "conf.h"
#include "file.h"
#include "lock.h"
#include "policy/table.h"
#include "report/log.h"
#include "report/reason.h"
#include "poll.h"

/* Idle, as multiple of the interval. */
#define IDLE_FACTOR 4
/*
 * A poll may cost this part of the time until the next. It is less than a
 * hundredth, because not all of its cost is measured.
 */
#define COST_FACTOR 125
#define DELAY_MAX_US (10 * 1000000ULL)
/*
 * What is larger goes back to the system with free(), also after malloc() has
 * seen it happen.
 */
#define MMAP_BYTES (128 * 1024)

/* How long to wait after a poll that took @cost_us of processor time. */
static u64 daemon_next_delay(const struct daemon *daemon, u64 cost_us)
{
	u64 delay_us = daemon->options->interval_us;

	/* A rate takes two polls. */
	if (daemon->npolls >= 2 && !model_busy(daemon->model))
		delay_us *= IDLE_FACTOR;
	if (delay_us < cost_us * COST_FACTOR)
		delay_us = cost_us * COST_FACTOR;
	return delay_us < DELAY_MAX_US ? delay_us : DELAY_MAX_US;
}

/* What systemctl status shows. */
static void daemon_notify(struct daemon *daemon)
{
	const struct tt_setting *settings;
	size_t npaths, nsettings, nwritten = 0;

	model_paths(daemon->model, &npaths);
	settings = apply_settings(daemon->apply, &nsettings);
	for (size_t i = 0; i < nsettings; i++)
		nwritten += settings[i].written;
	if (daemon->watchdog)
		sd_notify(0, "WATCHDOG=1");
	if (daemon->npolls > 1 && npaths == daemon->npaths &&
	    nwritten == daemon->nwritten)
		return;
	daemon->npaths = npaths;
	daemon->nwritten = nwritten;
	sd_notifyf(0, "READY=1\nSTATUS=%zu paths known, %zu values set",
		   npaths, nwritten);
}

static int daemon_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	u64 start_us = poll_clock_us(CLOCK_PROCESS_CPUTIME_ID), cost_us;
	struct daemon *daemon = data;
	int err;

	(void)usec;
	err = poll_run(daemon);
	if (err) {
		log_line(MSG_FAILED, "giving up: %s", strerror(-err));
		return sd_event_exit(daemon->event, EXIT_ERROR);
	}
	daemon_notify(daemon);
	cost_us = poll_clock_us(CLOCK_PROCESS_CPUTIME_ID) - start_us;
	err = sd_event_source_set_time_relative(source,
						daemon_next_delay(daemon,
								  cost_us));
	return err < 0 ? err :
	       sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int daemon_on_stop(sd_event_source *source,
			  const struct signalfd_siginfo *info, void *data)
{
	struct daemon *daemon = data;

	(void)source;
	log_line(MSG_STOP, "%s%s",
		 info->ssi_signo == SIGINT ? "interrupted" : "stopping",
		 daemon->conf.dry_run ? "" : ", restoring the original values");
	return sd_event_exit(daemon->event, EXIT_OK);
}

/* A restart: values that go down and up again would be of use to nobody. */
static int daemon_on_hand_over(sd_event_source *source,
			       const struct signalfd_siginfo *info, void *data)
{
	struct daemon *daemon = data;

	(void)source;
	(void)info;
	log_line(MSG_STOP, "stopping; the next tcptuned takes over the values");
	return sd_event_exit(daemon->event, EXIT_HANDED_OVER);
}

/* Loads the configuration; its errors are log lines. */
static int daemon_load_conf(struct daemon *daemon)
{
	char *errors = NULL, *rest, *line;
	size_t bytes = 0;
	FILE *stream;
	int err;

	stream = open_memstream(&errors, &bytes);
	if (!stream)
		return -errno;
	err = conf_load(&daemon->conf, daemon->options->conf_file, stream);
	fclose(stream);
	rest = errors;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_line(MSG_CONF_BAD, "%s", line);
	free(errors);
	return err;
}

static int daemon_on_reload(sd_event_source *source,
			    const struct signalfd_siginfo *info, void *data)
{
	struct daemon *daemon = data;
	int err;

	(void)source;
	(void)info;
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		   poll_clock_us(CLOCK_MONOTONIC));
	err = daemon_load_conf(daemon);
	log_line(err ? MSG_CONF_BAD : MSG_CONF_READ, "%s", err ?
		 "keeping the previous configuration" :
		 "configuration reloaded");
	log_forget();
	apply_unsay(daemon->apply);
	daemon->chores_us = 0;
	sd_notify(0, "READY=1");
	return 0;
}

static int daemon_on_resume(sd_event_source *source,
			    const struct signalfd_siginfo *info, void *data)
{
	struct daemon *daemon = data;

	(void)source;
	(void)info;
	log_line(MSG_RESUME, "taking over values that something else changed");
	log_forget();
	apply_unsay(daemon->apply);
	apply_resume(daemon->apply, true);
	daemon->chores_us = 0;
	return 0;
}

static int daemon_open_event(struct daemon *daemon)
{
	static const struct {
		int			number;
		sd_event_signal_handler_t handler;
	} signals[] = {
		{ SIGTERM, daemon_on_stop },
		{ SIGINT, daemon_on_stop },
		{ SIGHUP, daemon_on_reload },
		{ SIGUSR1, daemon_on_resume },
		{ SIGUSR2, daemon_on_hand_over },
	};
	sigset_t set;
	int err;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&set, signals[i].number);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A reader of our output that goes away must not end us. */
	signal(SIGPIPE, SIG_IGN);
	err = sd_event_new(&daemon->event);
	for (size_t i = 0; i < ARRAY_SIZE(signals) && err >= 0; i++)
		err = sd_event_add_signal(daemon->event, NULL,
					  signals[i].number,
					  signals[i].handler, daemon);
	if (err >= 0)
		err = sd_event_add_time_relative(daemon->event,
						 &daemon->timer,
						 CLOCK_MONOTONIC, 0, 1000,
						 daemon_on_timer, daemon);
	return err < 0 ? err : 0;
}

/* Takes the runtime folder. Returns: 0, or an exit code. */
static int daemon_take_rundir(struct daemon *daemon)
{
	const char *name = daemon->options->rundir;
	pid_t holder;
	int err;

	daemon->rundir = -1;
	if (daemon->conf.dry_run)
		return 0;
	err = lock_take(name, &holder);
	if (err == -EBUSY) {
		log_line(MSG_RUNNING,
			 "already running as process %d; a daemon for another network namespace needs its own --runtime-dir",
			 holder);
		return EXIT_RUNNING;
	}
	if (err == -EROFS || err == -ENOSPC) {
		log_line(MSG_READ_ONLY, "%s: %s; no value will be written", name,
			 strerror(-err));
		return 0;
	}
	if (!err)
		daemon->rundir = file_own_dir(name, false);
	if (err || daemon->rundir < 0) {
		log_line(MSG_FAILED, "cannot use %s: %s", name,
			 strerror(err ? -err : -daemon->rundir));
		return EXIT_ERROR;
	}
	return 0;
}

static int daemon_load_learned(struct daemon *daemon)
{
	const struct learned *learned = &daemon->learned;
	char problem[300];

	learned_load(&daemon->learned, daemon->options->statedir, poll_unix_s(),
		     !daemon->conf.dry_run, problem, sizeof(problem));
	if (*problem)
		log_line(MSG_NOT_KEPT, "%s", problem);
	for (size_t i = 0; i < learned->npaths; i++)
		if (model_learn(daemon->model, &learned->paths[i].path))
			return -ENOMEM;
	return 0;
}

static int daemon_open_stages(struct daemon *daemon)
{
	const struct options *options = daemon->options;
	const char *rundir = daemon->rundir < 0 ? NULL : options->rundir;
	int err;

	err = sense_open(&daemon->sense);
	if (err) {
		log_line(MSG_FAILED, "cannot query sockets: %s",
			 strerror(-err));
		return err;
	}
	daemon->model = model_new();
	err = daemon->model ? 0 : -ENOMEM;
	if (!err)
		err = apply_open(&daemon->apply, daemon->table, "", rundir,
				 daemon->conf.dry_run);
	if (!err)
		err = daemon_load_learned(daemon);
	if (err) {
		log_line(MSG_FAILED, "cannot start: %s", strerror(-err));
		return err;
	}
	/* What was changed before this start is how things are now. */
	apply_resume(daemon->apply, false);
	return 0;
}

static void daemon_close(struct daemon *daemon)
{
	sd_event_source_unref(daemon->timer);
	sd_event_unref(daemon->event);
	sense_close(daemon->sense);
	model_free(daemon->model);
	apply_close(daemon->apply);
	learned_free(&daemon->learned);
	free(daemon->status.text);
	if (daemon->rundir >= 0)
		close(daemon->rundir);
}

/* Restores all values and says so. Returns: 0 or a negative errno. */
static int daemon_restore(struct daemon *daemon)
{
	char text[REASON_BYTES];
	struct tt_restored *list;
	size_t n;
	int err;

	list = apply_restore(daemon->apply, &n, &err);
	for (size_t i = 0; i < n; i++) {
		const char *instance = list[i].target.instance;

		log_line(MSG_RESTORED, "%s%s%s %s",
			 daemon->table[list[i].target.id].name,
			 *instance ? " " : "", instance,
			 reason_restored(&list[i], text));
	}
	free(list);
	if (err && *apply_problem(daemon->apply))
		log_line(MSG_LEDGER, "%s", apply_problem(daemon->apply));
	return err;
}

/* Leaves all as it was found, or to the next one. Returns: an exit code. */
static int daemon_stop(struct daemon *daemon, int code)
{
	sd_notify(0, "STOPPING=1");
	if (code != EXIT_HANDED_OVER && daemon_restore(daemon))
		code = EXIT_ERROR;
	daemon->saved_us = 0;
	poll_save(daemon, 0);
	poll_withdraw(daemon);
	return code;
}

static int daemon_run_loop(struct daemon *daemon)
{
	int err;

	err = daemon_open_event(daemon);
	if (err) {
		log_line(MSG_FAILED, "cannot start the event loop: %s",
			 strerror(-err));
		return EXIT_ERROR;
	}
	err = sd_event_loop(daemon->event);
	return daemon_stop(daemon, err < 0 ? EXIT_ERROR : err);
}

/* Polls twice, because a rate takes two; values stay as they were set. */
static int daemon_run_once(struct daemon *daemon)
{
	for (int i = 0; i < 2; i++) {
		if (i)
			usleep(daemon->options->interval_us);
		if (poll_run(daemon))
			return EXIT_ERROR;
	}
	poll_save(daemon, 0);
	return EXIT_OK;
}

int daemon_run(const struct options *options)
{
	struct daemon daemon = {
		.options = options,
		.table = table_rows,
		.conf.dry_run = options->dry_run,
		.rundir = -1,
	};
	int code;

	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	log_open(options->verbose ? LOG_DEBUG : LOG_INFO);
	if (daemon_load_conf(&daemon))
		return EXIT_USAGE;
	daemon.watchdog = sd_watchdog_enabled(0, NULL) > 0;
	code = daemon_take_rundir(&daemon);
	if (!code && daemon_open_stages(&daemon))
		code = EXIT_ERROR;
	if (!code)
		code = options->once ? daemon_run_once(&daemon) :
				       daemon_run_loop(&daemon);
	daemon_close(&daemon);
	return code;
}
