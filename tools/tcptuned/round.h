/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One round of the service: sense, model, policy, apply, report.
 */
#ifndef TCPTUNED_ROUND_H
#define TCPTUNED_ROUND_H

#include <systemd/sd-event.h>
#include <time.h>

#include "apply/apply.h"
#include "apply/learned.h"
#include "model/model.h"
#include "options.h"
#include "report/status.h"
#include "rival.h"
#include "sense/sense.h"

/**
 * struct service - everything that the service has
 * @options: the command line
 * @table: the tunables
 * @conf: the configuration
 * @event: the loop
 * @timer: of the next round
 * @sense: stage
 * @model: stage
 * @apply: stage
 * @learned: paths of this run and those before
 * @rivals: who else tunes here
 * @rival_text: the same as a sentence, or ""
 * @status: what was reported last
 * @rundir: the runtime folder, -1 if there is none
 * @metrics: file that the metrics were written to last, "" if there is none
 * @metrics_us: when
 * @changes: number of values that were written, by tunable
 * @rounds: number of rounds that were made
 * @chores_us: when what changes slowly was looked at last; 0 for at once
 * @saved_us: when the learned paths were saved last
 * @watchdog: systemd wants to hear of every round
 * @npaths: number of paths that systemd was told of
 * @nwritten: number of values that systemd was told of
 */
struct service {
	const struct options	*options;
	const struct tt_row	*table;
	struct tt_conf		 conf;
	sd_event		*event;
	sd_event_source		*timer;
	struct sense		*sense;
	struct model		*model;
	struct apply		*apply;
	struct learned		 learned;
	struct rivals		 rivals;
	struct status_writer	 status;
	int			 rundir;	/* -1: there is none */
	char			 metrics[256];
	u64			 metrics_us;
	u64			 changes[TT_TUNABLES];
	u64			 rounds;
	u64			 chores_us;
	u64			 saved_us;
	bool			 watchdog;
	size_t			 npaths;
	size_t			 nwritten;
	char			 rival_text[200];
};

/**
 * round_look - make one round
 * @service: everything
 *
 * Returns: 0 or -ENOMEM
 */
int round_look(struct service *service);

/* Keeps the learned paths for the next run. */
void round_save(struct service *service, u64 now_us);

/* Removes what is reported to others. */
void round_hush(struct service *service);

/* Returns: a clock, in microseconds. */
u64 round_clock_us(clockid_t clock);

/* Returns: seconds since 1970. */
u64 round_unix_s(void);

#endif /* TCPTUNED_ROUND_H */
