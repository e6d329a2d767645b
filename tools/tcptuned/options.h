/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the command line says, and the exit codes.
 */
#ifndef TCPTUNED_OPTIONS_H
#define TCPTUNED_OPTIONS_H

#include "types.h"

#ifndef TCPTUNED_VERSION
#define TCPTUNED_VERSION "unknown"
#endif

/* As tcptuned(8) lists them. */
enum {
	EXIT_OK		= 0,
	EXIT_ERROR	= 1,	/* something failed; stderr says what */
	EXIT_USAGE	= 2,	/* the command line or the configuration */
	EXIT_STOPPED	= 3,	/* no daemon runs, or it does not answer */
	EXIT_RUNNING	= 4,	/* a daemon runs already */
	/* SIGUSR2: values stay; tcptuned.service knows the number too */
	EXIT_HANDED_OVER = 5,
};

/* Colour in what people read; systemctl and ip have the same words. */
enum color {
	COLOR_AUTO,	/* on a terminal, unless NO_COLOR is set */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/* The command line. */
struct options {
	const char	*conf_file;	/* NULL for the usual one */
	const char	*rundir;	/* folder of ledger, lock and status */
	const char	*statedir;	/* folder of learned paths */
	u64		 interval_us;	/* between polls while data moves */
	bool		 once;		/* decide once and end */
	bool		 dry_run;	/* write nothing */
	bool		 json;		/* print JSON */
	bool		 all;		/* show all peers and values */
	bool		 watch;		/* show the status again and again */
	enum color	 color;		/* of status */
	bool		 verbose;	/* log more */
	u32		 rtt_us;	/* of compute, 0 if not given */
	u64		 bandwidth_bps;	/* of compute, 0 if not given */
	/* of the command, NULL if it has none */
	const char	*argument;
};

#endif /* TCPTUNED_OPTIONS_H */
