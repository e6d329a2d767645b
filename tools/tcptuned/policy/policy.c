// SPDX-License-Identifier: GPL-2.0
/*
 * Rules propose, the limiter disposes.
 */
#include "policy.h"

#include "limiter.h"
#include "reconnect.h"
#include "rules.h"

/* Whether @setting is to be written; @change is filled in then. */
static bool policy_change(const struct policy_input *input,
			  const struct tt_decision *decision,
			  const struct tt_setting *setting,
			  struct tt_change *change)
{
	if (setting->off != TT_HANDS_ON)
		return false;
	*change = (struct tt_change) { .target = setting->target };
	if (!rules_want(input, decision, setting, change))
		return false;
	change->value = limiter_fit(setting, change->value);
	return limiter_allows(input, setting, change->value);
}

void policy_decide(const struct policy_input *input,
		   struct tt_decision *decision)
{
	size_t n = 0;

	rules_find_needs(input, decision);
	/* In the order of the table: what bounds another value goes first. */
	for (int id = 0; id < TT_TUNABLES; id++)
		for (size_t i = 0; i < input->nsettings; i++)
			if ((int)input->settings[i].target.id == id &&
			    n < TT_CHANGES_MAX &&
			    policy_change(input, decision, &input->settings[i],
					  &decision->changes[n]))
				n++;
	decision->nchanges = n;
	decision->reconnects = reconnect_find(input, &decision->reconnect);
}

u64 policy_compute(enum tt_tunable id, u64 rate_bps, u32 rtt_us)
{
	return rules_compute(id, rate_bps, rtt_us);
}
