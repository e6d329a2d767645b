/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_RIVAL_H
#define TCPTUNED_RIVAL_H

#include "../values.h"

/* Who else tunes here. */
struct rivals {
	bool	bpftune;		/* root runs bpftune */
	bool	tuned;			/* root runs tuned */
	char	profile[64];		/* tuned's profile, "" if it has none */
	bool	owns[TT_TUNABLES];	/* the tunables that are theirs */
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
