/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_REPORT_PEER_H
#define TCPTUNED_REPORT_PEER_H

#include <stdio.h>

#include "../values.h"

/**
 * peer_explain - print the arithmetic of a peer's paths
 * @status: content of the status file
 * @dir: the runtime folder, for paths that are not in it; -1 for none
 * @table: the tunables
 * @peer: its address
 * @out: where to
 * Returns: 0, -ENOENT if the peer is not known, or -EINVAL if @status is none
 */
int peer_explain(const char *status, int dir, const struct tt_row *table,
		 const struct tt_addr *peer, FILE *out);

#endif /* TCPTUNED_REPORT_PEER_H */
