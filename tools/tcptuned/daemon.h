/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The service.
 */
#ifndef TCPTUNED_DAEMON_H
#define TCPTUNED_DAEMON_H

#include <systemd/sd-event.h>

#include "apply/apply.h"
#include "learned.h"
#include "model/model.h"
#include "options.h"
#include "report/status.h"
#include "sense/rival.h"
#include "sense/sense.h"

/**
 * struct daemon - everything that the service has
 * @options: the command line
 * @table: the tunables
 * @conf: the configuration
 * @event: the loop
 * @timer: of the next poll
 * @sense: stage
 * @model: stage
 * @apply: stage
 * @decision: of the last poll
 * @learned: paths of this run and those before
 * @rivals: who else tunes here
 * @rival_text: the same as a sentence, or ""
 * @status: what was reported last
 * @rundir: the runtime folder, -1 if there is none
 * @metrics: file that the metrics were written to last, "" if there is none
 * @metrics_us: when
 * @nchanges: number of values that were written, by tunable
 * @npolls: number of polls so far
 * @chores_us: when what changes slowly was checked last; 0 for at once
 * @saved_us: when the learned paths were saved last
 * @watchdog: systemd wants to hear of every poll
 * @npaths: number of paths that systemd was told of
 * @nwritten: number of values that systemd was told of
 */
struct daemon {
	const struct options	*options;
	const struct tt_row	*table;
	struct tt_conf		 conf;
	sd_event		*event;
	sd_event_source		*timer;
	struct sense		*sense;
	struct model		*model;
	struct apply		*apply;
	struct tt_decision	 decision;
	struct learned		 learned;
	struct rivals		 rivals;
	struct status_writer	 status;
	int			 rundir;	/* -1: there is none */
	char			 metrics[256];
	u64			 metrics_us;
	u64			 nchanges[TT_TUNABLES];
	u64			 npolls;
	u64			 chores_us;
	u64			 saved_us;
	bool			 watchdog;
	size_t			 npaths;
	size_t			 nwritten;
	char			 rival_text[200];
};

/**
 * daemon_run - poll until told to stop
 * @options: the command line
 *
 * Returns: an exit code
 */
int daemon_run(const struct options *options);

#endif /* TCPTUNED_DAEMON_H */
