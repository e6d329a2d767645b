/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other programs that tune the same values.
 */
#ifndef TCPTUNED_RIVAL_H
#define TCPTUNED_RIVAL_H

#include "../values.h"

/**
 * struct rivals - who else tunes here
 * @bpftune: root runs bpftune
 * @tuned: root runs tuned
 * @profile: tuned's profile, "" if it has none
 * @owns: the tunables that are theirs
 */
struct rivals {
	bool	bpftune;
	bool	tuned;
	char	profile[64];
	bool	owns[TT_TUNABLES];
};

/**
 * rival_find - see who else tunes here
 * @rivals: is filled
 * @root: what comes before /proc, /etc, /run and /usr, "" but in tests
 * @table: the tunables
 */
void rival_find(struct rivals *rivals, const char *root,
		const struct tt_row *table);

#endif /* TCPTUNED_RIVAL_H */
