// SPDX-License-Identifier: GPL-2.0
/*
 * What is worth a write now: rules propose, the governor disposes.
 */
#include "governor.h"
#include "rules.h"

/* Whether @setting is to be written; @wish is filled in then. */
static bool policy_wish(const struct policy_input *input,
			const struct rules_needs *needs,
			const struct tt_setting *setting, struct tt_wish *wish)
{
	if (setting->off != TT_HANDS_ON)
		return false;
	*wish = (struct tt_wish) { .target = setting->target };
	if (!rules_want(input, needs, setting, wish))
		return false;
	wish->value = governor_fit(setting, wish->value);
	return governor_allows(input, setting, wish->value);
}

size_t policy_decide(const struct policy_input *input, struct tt_wish *wishes,
		     size_t max)
{
	struct rules_needs needs;
	size_t count = 0;

	rules_sum_up(input, &needs);
	/* In the order of the table: what bounds another value goes first. */
	for (int id = 0; id < TT_TUNABLES; id++)
		for (size_t i = 0; i < input->nsettings && count < max; i++)
			if ((int)input->settings[i].target.id == id)
				count += policy_wish(input, &needs,
						     &input->settings[i],
						     &wishes[count]);
	return count;
}

u64 policy_budget(const struct policy_input *input, bool *squeezed)
{
	struct rules_needs needs;

	*squeezed = false;
	rules_sum_up(input, &needs);
	for (int role = 0; role < TT_ROLES; role++)
		for (int dir = 0; dir < TT_DIRS; dir++)
			*squeezed |= needs.of[role][dir].squeezed;
	return governor_budget(input);
}
