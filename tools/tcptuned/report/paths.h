/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All paths, beside a status that shows only some: RUNDIR/paths, for explain.
 */
#ifndef TCPTUNED_REPORT_PATHS_H
#define TCPTUNED_REPORT_PATHS_H

#include "../types.h"

#define PATHS_FILE "paths"

/**
 * paths_write - replace the file at once
 * @dir: the runtime folder, from file_dir()
 * @paths: all of them
 * @npaths: length
 * Returns: 0 or a negative errno
 */
int paths_write(int dir, const struct tt_path *paths, size_t npaths);

/**
 * paths_find - the paths to a peer
 * @dir: the runtime folder, from file_dir()
 * @peer: its address
 * @found: is filled
 * Returns: how many there are
 */
size_t paths_find(int dir, const struct tt_addr *peer,
		  struct tt_path found[TT_ROLES]);

#endif /* TCPTUNED_REPORT_PATHS_H */
