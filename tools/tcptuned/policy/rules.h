/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One rule per kind of tunable: the value that the paths need.
 */
#ifndef TCPTUNED_RULES_H
#define TCPTUNED_RULES_H

#include "policy.h"

/**
 * struct rules_need - the largest need of one role and direction
 * @bytes: ceiling in the unit of SO_RCVBUF; 0 if TCP's own tuning is enough
 * @reach: what connections may come to in the next seconds, for which it is
 *	raised
 * @share_percent: of the path with the larger of the two, as in struct tt_path
 * @path: whose need it is, NULL if there is none
 * @squeezed: it would be larger, had the memory budget room
 */
struct rules_need {
	u64			bytes;
	u64			reach;
	u32			share_percent;
	const struct tt_path	*path;
	bool			squeezed;
};

/**
 * struct rules_needs - the needs of all paths together
 * @of: by role and direction
 */
struct rules_needs {
	struct rules_need	of[TT_ROLES][TT_DIRS];
};

/* The needs of all paths, within the memory budget. */
void rules_sum_up(const struct policy_input *input, struct rules_needs *needs);

/**
 * rules_want - the value that a setting should have
 * @input: what is known
 * @needs: from rules_sum_up()
 * @setting: which
 * @wish: its value and reason are filled in
 *
 * Returns: false if nothing needs to be there but what is
 */
bool rules_want(const struct policy_input *input,
		const struct rules_needs *needs,
		const struct tt_setting *setting, struct tt_wish *wish);

/* read_ahead.c: the rule of TT_READ_AHEAD, as rules_want(). */
bool rules_want_read_ahead(const struct policy_input *input,
			   const struct rules_needs *needs,
			   const struct tt_setting *setting,
			   struct tt_wish *wish);

#endif /* TCPTUNED_RULES_H */
