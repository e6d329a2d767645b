/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_LIMITER_H
#define TCPTUNED_LIMITER_H

#include "policy.h"

/**
 * limiter_fit - a value that the kernel takes and that is no step back
 * @setting: where it is going to be written
 * @value: what is wanted
 * Returns: @value, rounded up to what the table says, within its bounds, and
 * not below what was there before the daemon
 */
u64 limiter_fit(const struct tt_setting *setting, u64 value);

/*
 * Whether a value may be written now. Returns: true if it differs enough and
 * the last change is long enough ago.
 */
bool limiter_allows(const struct policy_input *input,
		    const struct tt_setting *setting, u64 value);

#endif /* TCPTUNED_LIMITER_H */
