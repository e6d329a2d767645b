/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What apply.c and write.c share; nobody else includes it.
 */
#ifndef TCPTUNED_APPLY_STATE_H
#define TCPTUNED_APPLY_STATE_H

#include "apply.h"
#include "ledger.h"
#include "sysctl.h"

/* What is known of a setting beside what others may see. */
struct apply_target {
	char	path[SYSCTL_PATH_MAX];
	u64	ident;
	u64	expect;		/* what the file says if nobody touched it */
	bool	foreign;	/* set or changed by something else */
	bool	taken;		/* what was there before us is ours to change */
	bool	probed;		/* @denied is known */
	bool	denied;
	bool	refused;	/* the kernel does not know the word */
	bool	seen;		/* its mount was in the last list */
};

struct apply {
	const struct tt_row	*table;
	const char		*root;
	bool			 dry_run;
	int			 dir;		/* -1: there is none */
	struct tt_setting	*settings;
	struct apply_target		*targets;	/* of each setting */
	size_t			 nsettings;
	struct ledger		 ledger;
	bool			 ledger_dirty;
	int			 ledger_error;
	bool			 leave[TT_TUNABLES];
	char			 damage[200];	/* of the ledger */
	char			 problem[300];	/* or of writing */
};

/* Returns: the index of a target, @nsettings if it has none. */
size_t apply_find(const struct apply *apply, const struct tt_target *target);

/* Reads the file of a setting. Returns: 0 or a negative errno. */
int apply_read(const struct apply *apply, size_t i, u64 *value);

/* Brings a setting up to date with its file. */
void apply_update(struct apply *apply, size_t i);

/* Another program owns it from now on, and its original value is forgotten. */
void apply_give_up(struct apply *apply, size_t i, u64 value);

/* Takes a target out of the ledger, which apply_save() writes. */
void apply_forget(struct apply *apply, const struct tt_target *target);

/*
 * Writes the ledger; as long as that fails nothing else may be written.
 * Returns: 0 or a negative errno.
 */
int apply_save(struct apply *apply);

#endif /* TCPTUNED_APPLY_STATE_H */
