/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_LIMIT_H
#define TCPTUNED_LIMIT_H

#include "state.h"

/* What kept a direction from being faster since its last rate. */
enum tt_limit limit_find(const struct path *path, enum tt_dir dir,
			 u64 now_bps);

#endif /* TCPTUNED_LIMIT_H */
