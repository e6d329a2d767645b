/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All paths, beside a status that shows only some: RUNDIR/paths, for explain.
 */
#ifndef TCPTUNED_REPORT_PATHS_H
#define TCPTUNED_REPORT_PATHS_H

#include "../types.h"

#define PATHS_FILE "paths"

/* Replace the file at once. Returns: 0 or a negative errno. */
int paths_write(int dir, const struct tt_path *paths, size_t npaths);

/* The paths to a peer. Returns: how many there are. */
size_t paths_find(int dir, const struct tt_addr *peer,
		  struct tt_path found[TT_ROLES]);

#endif /* TCPTUNED_REPORT_PATHS_H */
