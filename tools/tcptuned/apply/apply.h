/* SPDX-License-Identifier: GPL-2.0 */
/*
 * apply: the only writer of tunables, and the keeper of what they were before.
 */
#ifndef TCPTUNED_APPLY_H
#define TCPTUNED_APPLY_H

#include "../values.h"

struct apply;

/**
 * apply_open - read every tunable, and the ledger of a run before this one
 * @applyp: is set to what the other functions take
 * @table: rows, TT_TUNABLES of them
 * @root: what comes before the rows' paths, "" but in tests
 * @rundir: folder of the ledger, such as /run/tcptuned; NULL if there is none
 * @dry_run: write nothing, also no ledger; settings show what would be there
 *
 * A ledger that cannot be written is no error: nothing is written then, and
 * every setting says TT_OFF_DENIED.
 * Returns: 0 or a negative errno
 */
int apply_open(struct apply **applyp, const struct tt_row *table,
	       const char *root, const char *rundir, bool dry_run);

/**
 * apply_refresh - read every tunable again
 * @apply: from apply_open()
 * @mounts: the mounts that there are now; their settings come and go with them
 * @nmounts: length
 *
 * A value that is not what was last written is foreign, and so is one
 * that is not 0 before the first write where the kernel begins with 0: the
 * setting is TT_OFF_FOREIGN until apply_resume().
 * Returns: 0 or -ENOMEM
 */
int apply_refresh(struct apply *apply, const struct tt_mount *mounts,
		  size_t nmounts);

/**
 * apply_leave - leave a tunable alone, or take it again
 * @apply: from apply_open()
 * @id: which
 * @leave: whether another program sets it
 *
 * What was written to it before is not touched until apply_restore().
 */
void apply_leave(struct apply *apply, enum tt_tunable id, bool leave);

/* What went wrong with the ledger. Returns: a sentence, "" if nothing did. */
const char *apply_problem(const struct apply *apply);

/*
 * How everything stands. Returns: settings, valid until the next call that
 * takes @apply.
 */
const struct tt_setting *apply_settings(const struct apply *apply,
					size_t *nsettings);

/**
 * apply_said - note that the log knows why a setting is left alone
 * @apply: from apply_open()
 * @i: index of the setting
 */
void apply_said(struct apply *apply, size_t i);

/* Forgets what the log knows. */
void apply_unsay(struct apply *apply);

/**
 * apply_write - make a change true
 * @apply: from apply_open()
 * @change: what to write
 * @now_us: CLOCK_MONOTONIC
 * @valuep: is set to what the file says afterwards, which need not be it
 *
 * The first write of a target is preceded by an entry in the ledger.
 * Returns: 0 or a negative errno
 */
int apply_write(struct apply *apply, const struct tt_change *change, u64 now_us,
		u64 *valuep);

/**
 * apply_resume - take over what something else changed
 * @apply: from apply_open()
 * @take: and what was set before the first write, by sysctl.d or the
 *	module's parameters, where the kernel has 0
 */
void apply_resume(struct apply *apply, bool take);

/**
 * apply_restore - restore every original, but not over others' values
 * @apply: from apply_open()
 * @nrestored: is set to the length of the list
 * @err: is set to 0, or the first error as a negative errno, all others being
 *	tried
 * Returns: what became of each value, for free(); NULL if there were none, or
 * no memory to say so
 */
struct tt_restored *apply_restore(struct apply *apply, size_t *nrestored,
				  int *err);

/* Free what apply_open() made; writes nothing. */
void apply_close(struct apply *apply);

#endif /* TCPTUNED_APPLY_H */
