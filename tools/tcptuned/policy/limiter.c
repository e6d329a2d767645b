// SPDX-License-Identifier: GPL-2.0
/*
 * How often, and by how much, values change.
 *
 * Each value is changed once in LIMITER_CHANGE_US, up or down, by at least an
 * eighth up or a quarter down. So a raise has to last until then: for a path
 * that rises it covers what the link allows, since each second of waiting is a
 * second at half the rate, and any excess goes with the next change. With
 * sunrpc-tcpbuf that is harmless, because each connection grows by its own need
 * to 4 BDP at most. Without it nothing bounds a connection but the bottleneck,
 * which drops what is too much; a bottleneck with a queue that drops nothing
 * fills up for these seconds.
 */
#include "limiter.h"

#include "lookup.h"
#include "table.h"

/* The model waits as long, WINDOW_HELD_US. */
#define LIMITER_CHANGE_US	10000000ULL

#define LIMITER_RAISE_PERCENT	113
#define LIMITER_LOWER_PERCENT	75

/* A switch or a word has no direction, and no eighths. */
static bool limiter_is_switch(const struct tt_setting *setting)
{
	const struct tt_row *row = &table_rows[setting->target.id];

	return row->max == 1 || row->field == TT_WORD;
}

u64 limiter_fit(const struct tt_setting *setting, u64 value)
{
	const struct tt_row *row = &table_rows[setting->target.id];

	if (limiter_is_switch(setting))
		return value;
	value = max_u64(value, row->min);
	value = min_u64(value, row->max - row->multiple + 1);
	value = (value + row->multiple - 1) / row->multiple * row->multiple;
	return max_u64(value, lookup_original(setting));
}

bool limiter_allows(const struct policy_input *input,
		    const struct tt_setting *setting, u64 value)
{
	u64 now = setting->value;

	if (setting->off != TT_HANDS_ON || value == now)
		return false;
	if (setting->changed_us &&
	    input->now_us - setting->changed_us < LIMITER_CHANGE_US)
		return false;
	if (limiter_is_switch(setting))
		return true;
	if (value > now)
		return value >= now * LIMITER_RAISE_PERCENT / 100;
	return setting->written && value <= now * LIMITER_LOWER_PERCENT / 100;
}
