/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The status: what is known and what was set, as JSON in RUNDIR/status.json
 * and from there to people.
 */
#ifndef TCPTUNED_REPORT_STATUS_H
#define TCPTUNED_REPORT_STATUS_H

#include <stdio.h>
#include <sys/types.h>

#include "../values.h"

#define STATUS_FILE "status.json"
#define STATUS_LARGEST_BYTES (4 * 1024 * 1024)
#define STATUS_VERSION 1

/* A daemon that is well writes at least as often, changed or not. */
#define STATUS_REFRESH_US (30 * 1000000ULL)
/* After so long without, something is wrong with it. */
#define STATUS_STALE_US (90 * 1000000ULL)

/**
 * struct status_input - everything that there is to say
 * @now_us: CLOCK_MONOTONIC
 * @pid: of the daemon
 * @host: the machine
 * @paths: from model_paths()
 * @npaths: length
 * @settings: from apply_settings()
 * @nsettings: length
 * @table: the tunables
 * @mounts: of the snapshot
 * @nmounts: length
 * @decision: of this poll
 * @problems: sentences, each may be NULL or ""
 * @nproblems: length
 * @dry_run: nothing is written
 */
struct status_input {
	u64				now_us;
	pid_t				pid;
	const struct tt_host		*host;
	const struct tt_path		*paths;
	size_t				npaths;
	const struct tt_setting		*settings;
	size_t				nsettings;
	const struct tt_row		*table;
	const struct tt_mount		*mounts;
	size_t				nmounts;
	const struct tt_decision	*decision;
	const char *const		*problems;
	size_t				nproblems;
	bool				dry_run;
};

/**
 * struct status_writer - what was written last, and when
 * @text: the content, whose first line is the time
 * @written_us: CLOCK_MONOTONIC
 */
struct status_writer {
	char	*text;
	u64	 written_us;
};

/**
 * status_write - write it if it changed, at most once a second
 * @writer: zeroed before the first call
 * @dir: the runtime folder, from file_dir()
 * @input: what to say
 *
 * Returns: 0 or a negative errno
 */
int status_write(struct status_writer *writer, int dir,
		 const struct status_input *input);

#endif /* TCPTUNED_REPORT_STATUS_H */
