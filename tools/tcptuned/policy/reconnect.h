/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_POLICY_RECONNECT_H
#define TCPTUNED_POLICY_RECONNECT_H

#include "policy.h"

/**
 * reconnect_find - a connection that is to be made anew
 * @input: what is known
 * @found: is filled in
 * Returns: false if there is none
 */
bool reconnect_find(const struct policy_input *input,
		    struct tt_reconnect *found);

#endif /* TCPTUNED_POLICY_RECONNECT_H */
