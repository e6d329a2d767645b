/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_REPORT_EXPLAIN_H
#define TCPTUNED_REPORT_EXPLAIN_H

#include "status.h"

/* Room for any explanation but one with many mounts, which is cut off. */
#define EXPLAIN_BYTES 1500

/**
 * explain_path - the arithmetic of one path
 * @input: what is known; @path is one of its paths
 * @path: which
 * @text: is filled, and cut off if it is too short
 * @size: its length
 * Returns: @text
 */
const char *explain_path(const struct status_input *input,
			 const struct tt_path *path, char *text, size_t size);

#endif /* TCPTUNED_REPORT_EXPLAIN_H */
