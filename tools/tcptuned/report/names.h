/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of what is counted on fingers, the same in the status and in metrics.
 */
#ifndef TCPTUNED_REPORT_NAMES_H
#define TCPTUNED_REPORT_NAMES_H

#include "../types.h"

#define NAMES_LIMITS (TT_LIMIT_READ_AHEAD + 1)

extern const char * const names_role[TT_ROLES];
extern const char * const names_dir[TT_DIRS];
extern const char * const names_limit[NAMES_LIMITS];
/* Of enum tt_hands_off, "" for TT_HANDS_ON. */
extern const char * const names_off[];

#endif /* TCPTUNED_REPORT_NAMES_H */
