/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The service.
 */
#ifndef TCPTUNED_DAEMON_H
#define TCPTUNED_DAEMON_H

#include "options.h"

/**
 * daemon_run - look, decide, write and report until told to stop
 * @options: the command line
 *
 * Returns: an exit code
 */
int daemon_run(const struct options *options);

#endif /* TCPTUNED_DAEMON_H */
