/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a value is what it is, as a sentence.
 */
#ifndef TCPTUNED_REPORT_REASON_H
#define TCPTUNED_REPORT_REASON_H

#include "../types.h"

/* Room for any sentence. */
#define REASON_BYTES 240

/* Returns: @text, a sentence without a full stop; "" for TT_WHY_NONE. */
const char *reason_text(const struct tt_reason *reason,
			char text[REASON_BYTES]);

#endif /* TCPTUNED_REPORT_REASON_H */
