// SPDX-License-Identifier: GPL-2.0
/*
 * What connections change to whose path loses at random, each by the kernel's
 * own rule: a name in sunrpc.tcp_lossy_congestion_control for a server, and in
 * sunrpc.tcp_clnt_lossy_congestion_control for a client. It is set when a path
 * of that role has shown such a loss (model/lossy.c), and stays until the
 * daemon stops, because the kernel takes it back from a connection by itself.
 */
#include "congestion.h"

#include <string.h>

#include "../words.h"
#include "lookup.h"

/* The path of a role that loses most at random, NULL if none does. */
static const struct tt_path *
congestion_lossy(const struct policy_input *input, enum tt_role role)
{
	const struct tt_path *worst = NULL;

	for (size_t i = 0; i < input->npaths; i++) {
		const struct tt_path *path = &input->paths[i];

		if (path->role == role && input->conf->roles[role] &&
		    path->lost_ppm > (worst ? worst->lost_ppm : 0))
			worst = path;
	}
	return worst;
}

bool congestion_want(const struct policy_input *input,
		     const struct tt_decision *decision,
		     const struct tt_setting *setting, struct tt_change *change)
{
	const char *name = input->conf->congestion_control;
	const struct tt_path *path;

	(void)decision;
	if (!strcmp(name, "no")) {
		change->value = lookup_original(setting);
		change->reason.why = TT_WHY_CONF;
		return setting->written;
	}
	path = congestion_lossy(input, setting->target.id == TT_CLNT_LOSSY);
	if (!path)
		return false;
	change->value = words_number(strcmp(name, "auto") ? name : "bbr");
	change->reason = (struct tt_reason) {
		.why = TT_WHY_LOSS,
		.peer = path->peer,
		.rtt_us = path->rtt_us,
		.lost_ppm = path->lost_ppm,
	};
	return true;
}
