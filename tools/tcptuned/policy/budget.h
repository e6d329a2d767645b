/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_BUDGET_H
#define TCPTUNED_BUDGET_H

#include "policy.h"

/* Memory in bytes that the buffers of all connections may take. */
u64 budget_bytes(const struct policy_input *input);

/**
 * budget_share - what of a path's bytes is for its busiest connection
 * @path: the path
 * @bytes: of all its connections together
 * Returns: bytes
 */
u64 budget_share(const struct tt_path *path, u64 bytes);

/**
 * budget_level - the largest ceiling that keeps the budget
 * @input: what is known
 * @wanted_bytes: the largest that any path needs
 * @share_percent: what that path has on its busiest connection
 * Returns: bytes in the unit of SO_RCVBUF, at most @wanted_bytes
 */
u64 budget_level(const struct policy_input *input, u64 wanted_bytes,
		 u32 share_percent);

#endif /* TCPTUNED_BUDGET_H */
