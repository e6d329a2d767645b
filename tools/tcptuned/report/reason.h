/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_REPORT_REASON_H
#define TCPTUNED_REPORT_REASON_H

#include "../values.h"

/* Room for any sentence. */
#define REASON_BYTES 240

/* Returns: @text, a sentence without a full stop; "" for TT_WHY_NONE. */
const char *reason_text(const struct tt_reason *reason,
			char text[REASON_BYTES]);

/* The same for a connection that is made anew: which, and why. */
const char *reason_reconnect(const struct tt_reconnect *reconnect,
			     char text[REASON_BYTES]);

/* The same for what became of a value, such as "restored to 4096". */
const char *reason_restored(const struct tt_restored *restored,
			    char text[REASON_BYTES]);

#endif /* TCPTUNED_REPORT_REASON_H */
