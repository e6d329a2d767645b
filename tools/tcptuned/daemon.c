// SPDX-License-Identifier: GPL-2.0
/*
 * The service: one timer, five signals.
 *
 * While data moves it looks every 250 ms: buffers double with every decision,
 * so a path is up to speed after some ten of them, and a LAN transfer of a
 * second is still seen. When nothing moves it looks every 2 s, which is soon
 * enough for a transfer that just starts and costs nothing. With thousands of
 * connections a look is expensive; then it is taken so rarely that it costs
 * at most a hundredth of one processor.
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
#include "policy/policy.h"
#include "report/log.h"
#include "round.h"

/* Idle, as multiple of the interval. */
#define IDLE_FACTOR 4
/*
 * A look may cost this part of the time until the next; it is less than a
 * hundredth, because not everything is counted.
 */
#define COST_FACTOR 125
#define DELAY_MAX_US (10 * 1000000ULL)
/*
 * What is larger goes back to the system with free(), also after malloc() has
 * seen it happen.
 */
#define MMAP_BYTES (128 * 1024)

/* How long to wait after a look that cost @cost_us of processor time. */
static u64 next_delay(const struct service *service, u64 cost_us)
{
	u64 delay_us = service->options->interval_us;

	/* A rate takes two rounds. */
	if (service->rounds >= 2 && !model_busy(service->model))
		delay_us *= IDLE_FACTOR;
	if (delay_us < cost_us * COST_FACTOR)
		delay_us = cost_us * COST_FACTOR;
	return delay_us < DELAY_MAX_US ? delay_us : DELAY_MAX_US;
}

/* What systemctl status shows. */
static void notify(struct service *service)
{
	const struct tt_setting *settings;
	size_t npaths, nsettings, nwritten = 0;

	model_paths(service->model, &npaths);
	settings = apply_settings(service->apply, &nsettings);
	for (size_t i = 0; i < nsettings; i++)
		nwritten += settings[i].written;
	if (service->watchdog)
		sd_notify(0, "WATCHDOG=1");
	if (service->rounds > 1 && npaths == service->npaths &&
	    nwritten == service->nwritten)
		return;
	service->npaths = npaths;
	service->nwritten = nwritten;
	sd_notifyf(0, "READY=1\nSTATUS=%zu paths known, %zu values set",
		   npaths, nwritten);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	u64 start_us = round_clock_us(CLOCK_PROCESS_CPUTIME_ID), delay_us;
	struct service *service = data;
	int err;

	(void)usec;
	err = round_look(service);
	if (err) {
		log_line(MSG_FAILED, "giving up: %s", strerror(-err));
		return sd_event_exit(service->event, EXIT_ERROR);
	}
	notify(service);
	delay_us = next_delay(service, round_clock_us(CLOCK_PROCESS_CPUTIME_ID) -
				       start_us);
	err = sd_event_source_set_time_relative(source, delay_us);
	return err < 0 ? err :
	       sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info,
		   void *data)
{
	struct service *service = data;

	(void)source;
	log_line(MSG_STOP, "%s%s",
		 info->ssi_signo == SIGINT ? "interrupted" : "stopping",
		 service->conf.dry_run ? "" : ", putting back what was there");
	return sd_event_exit(service->event, EXIT_OK);
}

/* A restart: values that go down and up again would be of use to nobody. */
static int on_hand_over(sd_event_source *source,
			const struct signalfd_siginfo *info, void *data)
{
	struct service *service = data;

	(void)source;
	(void)info;
	log_line(MSG_STOP, "stopping, the next tcptuned takes the values over");
	return sd_event_exit(service->event, EXIT_HANDED_OVER);
}

/* Loads the configuration; its errors are log lines. */
static int load_conf(struct service *service)
{
	char *errors = NULL, *rest, *line;
	size_t bytes = 0;
	FILE *stream;
	int err;

	stream = open_memstream(&errors, &bytes);
	if (!stream)
		return -errno;
	err = conf_load(&service->conf, service->options->conf_file, stream);
	fclose(stream);
	rest = errors;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_line(MSG_CONF_BAD, "%s", line);
	free(errors);
	return err;
}

static int on_reload(sd_event_source *source,
		     const struct signalfd_siginfo *info, void *data)
{
	struct service *service = data;
	int err;

	(void)source;
	(void)info;
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		   round_clock_us(CLOCK_MONOTONIC));
	err = load_conf(service);
	log_line(err ? MSG_CONF_BAD : MSG_CONF_READ, "%s", err ?
		 "the configuration stays as it was" :
		 "the configuration was read again");
	log_forget();
	service->chores_us = 0;
	sd_notify(0, "READY=1");
	return 0;
}

static int on_resume(sd_event_source *source,
		     const struct signalfd_siginfo *info, void *data)
{
	struct service *service = data;

	(void)source;
	(void)info;
	log_line(MSG_RESUME, "taking back what somebody else changed");
	log_forget();
	apply_resume(service->apply, true);
	service->chores_us = 0;
	return 0;
}

static int open_event(struct service *service)
{
	static const struct {
		int			number;
		sd_event_signal_handler_t handler;
	} signals[] = {
		{ SIGTERM, on_stop },
		{ SIGINT, on_stop },
		{ SIGHUP, on_reload },
		{ SIGUSR1, on_resume },
		{ SIGUSR2, on_hand_over },
	};
	sigset_t set;
	int err;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&set, signals[i].number);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A reader of our output that goes away must not end us. */
	signal(SIGPIPE, SIG_IGN);
	err = sd_event_new(&service->event);
	for (size_t i = 0; i < ARRAY_SIZE(signals) && err >= 0; i++)
		err = sd_event_add_signal(service->event, NULL,
					  signals[i].number,
					  signals[i].handler, service);
	if (err >= 0)
		err = sd_event_add_time_relative(service->event,
						 &service->timer,
						 CLOCK_MONOTONIC, 0, 1000,
						 on_timer, service);
	return err < 0 ? err : 0;
}

/* Takes the runtime folder. Returns: 0, or an exit code. */
static int take_rundir(struct service *service)
{
	const char *name = service->options->rundir;
	pid_t holder;
	int err;

	service->rundir = -1;
	if (service->conf.dry_run)
		return 0;
	err = lock_take(name, &holder);
	if (err == -EBUSY) {
		log_line(MSG_RUNNING,
			 "already running as process %d; a daemon for another network namespace needs a --runtime-dir of its own",
			 holder);
		return EXIT_RUNNING;
	}
	if (err == -EROFS || err == -ENOSPC) {
		log_line(MSG_READ_ONLY, "%s: %s; nothing will be written", name,
			 strerror(-err));
		return 0;
	}
	if (!err)
		service->rundir = file_dir(name, false);
	if (err || service->rundir < 0) {
		log_line(MSG_FAILED, "cannot use %s: %s", name,
			 strerror(err ? -err : -service->rundir));
		return EXIT_ERROR;
	}
	return 0;
}

static int load_learned(struct service *service)
{
	const struct learned *learned = &service->learned;
	char trouble[300];

	learned_load(&service->learned, service->options->statedir, round_unix_s(),
		     !service->conf.dry_run, trouble, sizeof(trouble));
	if (*trouble)
		log_line(MSG_NOT_KEPT, "%s", trouble);
	for (size_t i = 0; i < learned->npaths; i++)
		if (model_learn(service->model, &learned->paths[i].path))
			return -ENOMEM;
	return 0;
}

static int open_stages(struct service *service)
{
	const struct options *options = service->options;
	const char *rundir = service->rundir < 0 ? NULL : options->rundir;
	int err;

	err = sense_open(&service->sense);
	if (err) {
		log_line(MSG_FAILED, "cannot ask the kernel for sockets: %s",
			 strerror(-err));
		return err;
	}
	service->model = model_new();
	err = service->model ? 0 : -ENOMEM;
	if (!err)
		err = apply_open(&service->apply, service->table, "", rundir,
				 service->conf.dry_run);
	if (!err)
		err = load_learned(service);
	if (err) {
		log_line(MSG_FAILED, "cannot start: %s", strerror(-err));
		return err;
	}
	/* What was changed before this start is how things are now. */
	apply_resume(service->apply, false);
	return 0;
}

static void close_all(struct service *service)
{
	sd_event_source_unref(service->timer);
	sd_event_unref(service->event);
	sense_close(service->sense);
	model_free(service->model);
	apply_close(service->apply);
	learned_free(&service->learned);
	free(service->status.text);
	if (service->rundir >= 0)
		close(service->rundir);
}

static void say_restored(const struct tt_setting *setting,
			 const char *sentence, void *data)
{
	const struct service *service = data;
	const char *instance = setting->target.instance;

	log_line(MSG_RESTORED, "%s%s%s %s",
		 service->table[setting->target.id].name,
		 *instance ? " " : "", instance, sentence);
}

/* Leaves all as it was found, or to the next one. Returns: an exit code. */
static int stop(struct service *service, int code)
{
	sd_notify(0, "STOPPING=1");
	if (code != EXIT_HANDED_OVER &&
	    apply_restore(service->apply, say_restored, service))
		code = EXIT_ERROR;
	service->saved_us = 0;
	round_save(service, 0);
	round_hush(service);
	return code;
}

static int run_loop(struct service *service)
{
	int err;

	err = open_event(service);
	if (err) {
		log_line(MSG_FAILED, "cannot start the event loop: %s",
			 strerror(-err));
		return EXIT_ERROR;
	}
	err = sd_event_loop(service->event);
	return stop(service, err < 0 ? EXIT_ERROR : err);
}

/* Two rounds, because a rate takes two; what was set stays. */
static int run_once(struct service *service)
{
	for (int i = 0; i < 2; i++) {
		if (i)
			usleep(service->options->interval_us);
		if (round_look(service))
			return EXIT_ERROR;
	}
	round_save(service, 0);
	return EXIT_OK;
}

int daemon_run(const struct options *options)
{
	struct service service = {
		.options = options,
		.table = policy_table(0),
		.conf.dry_run = options->dry_run,
		.rundir = -1,
	};
	int code;

	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	log_open(options->verbose ? LOG_DEBUG : LOG_INFO);
	if (load_conf(&service))
		return EXIT_USAGE;
	service.watchdog = sd_watchdog_enabled(0, NULL) > 0;
	code = take_rundir(&service);
	if (!code && open_stages(&service))
		code = EXIT_ERROR;
	if (!code)
		code = options->once ? run_once(&service) : run_loop(&service);
	close_all(&service);
	return code;
}
