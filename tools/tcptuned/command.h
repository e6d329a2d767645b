/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands that end by themselves. Each returns an exit code.
 */
#ifndef TCPTUNED_COMMAND_H
#define TCPTUNED_COMMAND_H

#include "options.h"

/* Shows what the daemon knows and did. */
int command_status(const struct options *options);

/* The arithmetic of the paths to the peer that is the argument. */
int command_explain(const struct options *options);

/* The values for a path, for people who set them by hand. */
int command_compute(const struct options *options);

/* Puts back what a daemon that was killed left behind. */
int command_restore(const struct options *options);

/* Has the daemon take what somebody else set or changed. */
int command_resume(const struct options *options);

/* Reads a configuration file and prints what it comes to. */
int command_check_config(const struct options *options);

#endif /* TCPTUNED_COMMAND_H */
