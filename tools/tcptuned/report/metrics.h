/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_REPORT_METRICS_H
#define TCPTUNED_REPORT_METRICS_H

#include "status.h"

/* The collector reads *.prom. */
#define METRICS_FILE "metrics.prom"

/* Prometheus asks every 15 to 60 seconds. */
#define METRICS_REFRESH_US (10 * 1000000ULL)

/**
 * struct metrics_input - what there is beside the status
 * @status: all that is known
 * @daemon: tells daemons of one machine apart: the runtime folder's last name
 * @version: of the program
 * @unix_us: CLOCK_REALTIME
 * @npolls: number of polls so far
 * @nchanges: number of values that were written, by tunable
 */
struct metrics_input {
	const struct status_input	*status;
	const char			*daemon;
	const char			*version;
	u64				unix_us;
	u64				npolls;
	const u64			*nchanges;
};

/*
 * Replace the file at once. Returns: 0 or a negative errno, the old file being
 * as it was.
 */
int metrics_write(const char *path, const struct metrics_input *input);

#endif /* TCPTUNED_REPORT_METRICS_H */
