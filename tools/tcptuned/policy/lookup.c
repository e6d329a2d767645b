// SPDX-License-Identifier: GPL-2.0
/*
 * Look-ups in what policy was given.
 */
#include "lookup.h"

const struct tt_setting *lookup_setting(const struct policy_input *input,
					enum tt_tunable id)
{
	for (size_t i = 0; i < input->nsettings; i++)
		if (input->settings[i].target.id == id)
			return &input->settings[i];
	return NULL;
}

u64 lookup_original(const struct tt_setting *setting)
{
	return setting->written ? setting->original : setting->value;
}

u64 lookup_own_bytes(const struct policy_input *input, enum tt_dir dir)
{
	const struct tt_setting *setting;

	setting = lookup_setting(input, dir == TT_OUT ? TT_TCP_WMEM :
							TT_TCP_RMEM);
	if (!setting || setting->off == TT_OFF_ABSENT)
		return 0;
	return lookup_original(setting);
}
