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

/* Everything that there is to say. */
struct status_input {
	u64				now_us;		/* CLOCK_MONOTONIC */
	pid_t				pid;		/* of the daemon */
	const struct tt_host		*host;		/* the machine */
	const struct tt_path		*paths;		/* from model_paths() */
	size_t				npaths;
	/* from apply_settings() */
	const struct tt_setting		*settings;
	size_t				nsettings;
	const struct tt_row		*table;
	const struct tt_mount		*mounts;	/* of the snapshot */
	size_t				nmounts;
	const struct tt_decision	*decision;	/* of this poll */
	/* sentences, each may be NULL or "" */
	const char *const		*problems;
	size_t				nproblems;
	bool				dry_run;	/* nothing is written */
};

/* What was written last, and when. */
struct status_writer {
	char	*text;		/* the content, whose first line is the time */
	u64	 written_us;	/* CLOCK_MONOTONIC */
};

/**
 * status_write - write it if it changed, at most once a second
 * @writer: zeroed before the first call
 * @dir: the runtime folder, from file_dir()
 * @input: what to say
 * Returns: 0 or a negative errno
 */
int status_write(struct status_writer *writer, int dir,
		 const struct status_input *input);

#endif /* TCPTUNED_REPORT_STATUS_H */
