/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_MODEL_LOSSY_H
#define TCPTUNED_MODEL_LOSSY_H

#include "state.h"

/* Where counting begins when a connection is first seen. */
struct lossy_counts lossy_start(const struct tt_conn *conn);

/**
 * lossy_ppm - whether the path of a connection loses, and not by a queue
 * @counts: of the connection, from lossy_start()
 * @conn: the connection now
 * Returns: of a million packets, those that were sent again; 0: not that many,
 * or not known
 */
u32 lossy_ppm(struct lossy_counts *counts, const struct tt_conn *conn);

#endif /* TCPTUNED_MODEL_LOSSY_H */
