/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands that end by themselves. Each returns an exit code.
 */
#ifndef TCPTUNED_COMMAND_H
#define TCPTUNED_COMMAND_H

#include "options.h"

/* The values for a path, for people who set them by hand. */
int command_compute(const struct options *options);

/* Puts back what a daemon that was killed left behind. */
int command_restore(const struct options *options);

/* Makes the daemon take over what something else set or changed. */
int command_resume(const struct options *options);

/* Reads a configuration file and prints what it comes to. */
int command_check_config(const struct options *options);

/* Prints a line to stderr. Returns: @code. */
int command_fail(int code, const char *format, ...) __printf(2, 3);

/* What was printed may not have arrived. Returns: @code, or EXIT_ERROR. */
int command_finish(int code);

#endif /* TCPTUNED_COMMAND_H */
