/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_RULES_H
#define TCPTUNED_RULES_H

#include "policy.h"

/* Finds the needs of all paths within the memory budget, and the budget. */
void rules_find_needs(const struct policy_input *input,
		      struct tt_decision *decision);

/**
 * rules_want - the value that a setting should have
 * @input: what is known
 * @decision: with the needs
 * @setting: which
 * @change: its value and reason are filled in
 * Returns: false if nothing needs to be there but what is
 */
bool rules_want(const struct policy_input *input,
		const struct tt_decision *decision,
		const struct tt_setting *setting, struct tt_change *change);

/* What the daemon settles on for a path; without a memory budget. */
u64 rules_compute(enum tt_tunable id, u64 rate_bps, u32 rtt_us);

#endif /* TCPTUNED_RULES_H */
