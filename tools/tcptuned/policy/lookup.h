/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_LOOKUP_H
#define TCPTUNED_LOOKUP_H

#include "policy.h"

/* The setting of a tunable that has no instances; NULL if there is none. */
const struct tt_setting *lookup_setting(const struct policy_input *input,
					enum tt_tunable id);

/* What a setting was before this daemon wrote it. */
u64 lookup_original(const struct tt_setting *setting);

/* How far TCP grows a buffer by itself (sk_sndbuf, sk_rcvbuf); 0: unknown. */
u64 lookup_own_bytes(const struct policy_input *input, enum tt_dir dir);

#endif /* TCPTUNED_LOOKUP_H */
