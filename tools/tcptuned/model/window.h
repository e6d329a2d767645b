/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_WINDOW_H
#define TCPTUNED_WINDOW_H

#include "state.h"

/* The window of a direction, after its rate was measured. */
void window_update(struct path *path, enum tt_dir dir, u64 now_bps);

/* The window of a direction that reached @best_bps in an earlier run. */
void window_learn(struct path *path, enum tt_dir dir, u64 best_bps);

#endif /* TCPTUNED_WINDOW_H */
