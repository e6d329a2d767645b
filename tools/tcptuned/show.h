/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands that show what the daemon knows. Each returns an exit code.
 */
#ifndef TCPTUNED_SHOW_H
#define TCPTUNED_SHOW_H

#include "options.h"

/* Shows each path and what was set. */
int show_status(const struct options *options);

/* The arithmetic of the paths to the peer that is the argument. */
int show_explain(const struct options *options);

#endif /* TCPTUNED_SHOW_H */
