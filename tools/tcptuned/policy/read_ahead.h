/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_READ_AHEAD_H
#define TCPTUNED_READ_AHEAD_H

#include "policy.h"

/* As rules_want(), for a setting of TT_READ_AHEAD. */
bool read_ahead_want(const struct policy_input *input,
		     const struct tt_decision *decision,
		     const struct tt_setting *setting,
		     struct tt_change *change);

#endif /* TCPTUNED_READ_AHEAD_H */
