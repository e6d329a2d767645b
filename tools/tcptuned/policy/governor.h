/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What keeps the rules within bounds: memory, and how often values change.
 */
#ifndef TCPTUNED_GOVERNOR_H
#define TCPTUNED_GOVERNOR_H

#include "policy.h"

/* The setting of a tunable that has no instances; NULL if there is none. */
const struct tt_setting *governor_setting(const struct policy_input *input,
					  enum tt_tunable id);

/* What a setting was before this daemon wrote it. */
u64 governor_original(const struct tt_setting *setting);

/* How far TCP grows a buffer by itself (sk_sndbuf, sk_rcvbuf); 0: unknown. */
u64 governor_own_bytes(const struct policy_input *input, enum tt_dir dir);

/**
 * governor_budget - memory that the buffers of all connections may take
 * @input: what is known
 *
 * Returns: bytes
 */
u64 governor_budget(const struct policy_input *input);

/* Whether several connections share the work of a path. */
bool governor_is_shared(const struct tt_path *path);

/**
 * governor_share - what of a path's bytes is for its busiest connection
 * @path: the path
 * @bytes: of all its connections together
 *
 * Returns: bytes
 */
u64 governor_share(const struct tt_path *path, u64 bytes);

/**
 * governor_level - the largest ceiling with which the budget is kept
 * @input: what is known
 * @wanted_bytes: the largest that anybody wants
 * @share_percent: what its path has on its busiest connection
 *
 * Returns: bytes in the unit of SO_RCVBUF, at most @wanted_bytes
 */
u64 governor_level(const struct policy_input *input, u64 wanted_bytes,
		   u32 share_percent);

/**
 * governor_fit - a value that the kernel takes and that is no step back
 * @setting: where it is going to be written
 * @value: what is wanted
 *
 * Returns: @value, rounded up to what the table says, within its bounds, and
 * not below what was there before the daemon
 */
u64 governor_fit(const struct tt_setting *setting, u64 value);

/**
 * governor_allows - whether a value may be written now
 * @input: what is known
 * @setting: where
 * @value: from governor_fit()
 *
 * Returns: true if it differs enough and the last change is long enough ago
 */
bool governor_allows(const struct policy_input *input,
		     const struct tt_setting *setting, u64 value);

#endif /* TCPTUNED_GOVERNOR_H */
