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

/**
 * struct options - the command line
 * @conf_file: NULL for the usual one
 * @rundir: folder of ledger, lock and status
 * @statedir: folder of learned paths
 * @interval_us: between polls while data moves
 * @once: decide once and end
 * @dry_run: write nothing
 * @json: print JSON
 * @all: show all peers and values
 * @watch: show the status again and again
 * @color: of status
 * @verbose: log more
 * @rtt_us: of compute, 0 if not given
 * @bandwidth_bps: of compute, 0 if not given
 * @argument: of the command, NULL if it has none
 */
struct options {
	const char	*conf_file;
	const char	*rundir;
	const char	*statedir;
	u64		 interval_us;
	bool		 once;
	bool		 dry_run;
	bool		 json;
	bool		 all;
	bool		 watch;
	enum color	 color;
	bool		 verbose;
	u32		 rtt_us;
	u64		 bandwidth_bps;
	const char	*argument;
};

#endif /* TCPTUNED_OPTIONS_H */
