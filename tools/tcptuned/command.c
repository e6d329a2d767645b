// SPDX-License-Identifier: GPL-2.0
/*
 * The commands that end by themselves.
 */
#include "command.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/apply.h"
#include "conf.h"
#include "file.h"
#include "lock.h"
#include "policy/policy.h"
#include "policy/table.h"
#include "report/reason.h"
#include "units.h"

int command_fail(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}

int command_finish(int code)
{
	if (fflush(stdout) || ferror(stdout))
		return command_fail(EXIT_ERROR, "tcptuned: cannot write the output: %s",
				    strerror(errno));
	return code;
}

static bool command_is_buffer(enum tt_tunable id)
{
	return id < TT_SLOW_START;
}

static int command_compute_json(const struct options *options)
{
	cJSON *json = cJSON_CreateObject();
	char *text;

	for (int id = 0; id < TT_TUNABLES; id++) {
		u64 value = policy_compute(id, options->bandwidth_bps,
					   options->rtt_us);

		if (command_is_buffer(id))
			cJSON_AddNumberToObject(json, table_rows[id].name,
						value);
	}
	text = cJSON_Print(json);
	cJSON_Delete(json);
	if (!text)
		return command_fail(EXIT_ERROR, "tcptuned: %s",
				    strerror(ENOMEM));
	puts(text);
	free(text);
	return EXIT_OK;
}

/* A line for the shell; a vector keeps its other numbers. */
static void command_print_write(const struct tt_row *row, u64 value)
{
	if (!row->field)
		printf("echo %llu >%s\n", value, row->path);
	else
		printf("echo \"$(cut -f 1-%d %s) %llu\" >%s\n", row->field,
		       row->path, value, row->path);
}

int command_compute(const struct options *options)
{
	char rtt[UNITS_MAX], rate[UNITS_MAX], size[UNITS_MAX];
	u64 rate_bps = options->bandwidth_bps;
	u32 rtt_us = options->rtt_us;

	if (!rtt_us || !rate_bps)
		return command_fail(EXIT_USAGE,
				    "tcptuned: compute needs a round-trip time and a rate, such as --rtt 120ms --bandwidth 10gbit");
	if (options->json)
		return command_finish(command_compute_json(options));
	printf("# %s at a round-trip time of %s needs buffers of %s\n",
	       units_rate(rate_bps, rate), units_time(rtt_us, rtt),
	       units_bytes(policy_compute(TT_SRV_SNDBUF, rate_bps, rtt_us),
			   size));
	for (int id = 0; id < TT_TUNABLES; id++) {
		if (id == TT_TCP_RMEM)
			puts("# Without /proc/sys/sunrpc/tcp_rcvbuf, for every socket instead:");
		if (command_is_buffer(id))
			command_print_write(&table_rows[id],
					    policy_compute(id, rate_bps,
							   rtt_us));
	}
	return command_finish(EXIT_OK);
}

static int command_restore_all(struct apply *apply)
{
	struct tt_restored *list;
	char text[REASON_BYTES];
	size_t n;
	int err;

	list = apply_restore(apply, &n, &err);
	for (size_t i = 0; i < n; i++) {
		const char *instance = list[i].target.instance;

		printf("%s%s%s %s\n", table_rows[list[i].target.id].name,
		       *instance ? " " : "", instance,
		       reason_restored(&list[i], text));
	}
	if (!n)
		puts("Nothing to restore.");
	free(list);
	if (err && *apply_problem(apply))
		command_fail(0, "tcptuned: %s", apply_problem(apply));
	return err;
}

int command_restore(const struct options *options)
{
	struct apply *apply;
	pid_t holder;
	int dir, err;

	dir = file_dir(options->rundir, false);
	if (dir >= 0)
		close(dir);
	if (dir == -ENOENT) {
		puts("Nothing to restore.");
		return command_finish(EXIT_OK);
	}
	err = lock_take(options->rundir, &holder);
	if (err == -EBUSY)
		return command_fail(EXIT_RUNNING,
				    "tcptuned is running as process %d, which restores everything when it stops",
				    holder);
	/* A ledger on a file system that became read-only can be read. */
	if (err && err != -EROFS)
		return command_fail(EXIT_ERROR, "tcptuned: cannot lock %s: %s", options->rundir,
				    strerror(-err));
	err = apply_open(&apply, table_rows, "", options->rundir, false);
	if (err)
		return command_fail(EXIT_ERROR, "tcptuned: cannot read the ledger in %s: %s",
				    options->rundir, strerror(-err));
	if (*apply_problem(apply))
		command_fail(0, "tcptuned: %s", apply_problem(apply));
	err = command_restore_all(apply);
	apply_close(apply);
	return command_finish(err ? EXIT_ERROR : EXIT_OK);
}

int command_resume(const struct options *options)
{
	pid_t holder;
	int err;

	err = lock_holder(options->rundir, &holder);
	if (err)
		return command_fail(EXIT_ERROR, "tcptuned: %s: %s", options->rundir,
				    strerror(-err));
	if (holder <= 0)
		return command_fail(EXIT_STOPPED, "tcptuned is not running");
	if (kill(holder, SIGUSR1))
		return command_fail(EXIT_ERROR, "tcptuned: cannot signal process %d: %s", holder,
				    strerror(errno));
	return EXIT_OK;
}

int command_check_config(const struct options *options)
{
	const char *path = options->argument ? options->argument :
			   options->conf_file;
	struct tt_conf conf = { };

	if (conf_load(&conf, path, stderr))
		return EXIT_USAGE;
	conf_print(&conf, stdout);
	return command_finish(EXIT_OK);
}
