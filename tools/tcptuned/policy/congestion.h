/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_CONGESTION_H
#define TCPTUNED_CONGESTION_H

#include "policy.h"

/* The rule of TT_SRV_LOSSY and TT_CLNT_LOSSY, as rules_want(). */
bool congestion_want(const struct policy_input *input,
		     const struct tt_decision *decision,
		     const struct tt_setting *setting,
		     struct tt_change *change);

#endif /* TCPTUNED_CONGESTION_H */
