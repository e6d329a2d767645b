/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_DAEMON_H
#define TCPTUNED_DAEMON_H

#include <systemd/sd-event.h>

#include "apply/apply.h"
#include "apply/reconnect.h"
#include "learned.h"
#include "model/model.h"
#include "options.h"
#include "report/status.h"
#include "sense/rival.h"
#include "sense/sense.h"

/* Everything that the service has. */
struct daemon {
	const struct options	*options;
	const struct tt_row	*table;
	struct tt_conf		 conf;
	sd_event		*event;
	sd_event_source		*timer;		/* of the next poll */
	struct sense		*sense;
	struct model		*model;
	struct apply		*apply;
	struct tt_decision	 decision;	/* of the last poll */
	struct reconnects	 reconnects;	/* made anew */
	struct learned		 learned;	/* this run and those before */
	struct rivals		 rivals;	/* who else tunes here */
	char			 rival_text[200];	/* a sentence, or "" */
	struct status_writer	 status;	/* what was reported last */
	int			 rundir;	/* -1: there is none */
	char			 metrics[256];	/* their last file, or "" */
	u64			 metrics_us;	/* when it was written */
	u64			 nchanges[TT_TUNABLES];	/* written values */
	u64			 npolls;
	u64			 chores_us;	/* last look at what is slow */
	u64			 saved_us;	/* last save of learned paths */
	bool			 watchdog;	/* systemd hears of polls, */
	size_t			 npaths;	/* and was told of so many */
	size_t			 nwritten;	/* paths and values */
};

/* Poll until told to stop. Returns: an exit code. */
int daemon_run(const struct options *options);

#endif /* TCPTUNED_DAEMON_H */
