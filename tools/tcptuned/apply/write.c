// SPDX-License-Identifier: GPL-2.0
/*
 * Writing a tunable, and restoring what was there.
 *
 * The ledger is always one step ahead of the file: it names the value that is
 * about to be written beside the one that was, so a process that is killed
 * between any two system calls leaves values that restore knows for ours.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* As the kernel will take it. */
static u64 write_fit(const struct tt_row *row, u64 value)
{
	if (value > row->max)
		value = row->max;
	if (value < row->min)
		value = row->min;
	return value - value % row->multiple;
}

/* Enters what is about to be written. */
static int write_announce(struct apply *apply, size_t i, u64 value)
{
	struct tt_setting *setting = &apply->settings[i];
	struct ledger_entry *entry = ledger_find(&apply->ledger,
						 &setting->target);
	int err;

	if (entry) {
		entry->next = value;
		return apply_save(apply);
	}
	err = ledger_add(&apply->ledger, &(struct ledger_entry){
		.target = setting->target,
		.ident = apply->targets[i].ident,
		.original = setting->value,
		.written = value,
		.next = value,
	});
	if (err)
		return err;
	err = apply_save(apply);
	/* Nothing was written, so there is nothing to put back. */
	if (err)
		apply_forget(apply, &setting->target);
	return err;
}

/* Notes what the file says after a write. */
static void write_note(struct apply *apply, size_t i, u64 announced, u64 now)
{
	struct tt_setting *setting = &apply->settings[i];
	struct ledger_entry *entry;

	if (!setting->written) {
		setting->original = setting->value;
		setting->written = true;
	}
	apply->targets[i].expect = now;
	setting->value = now;
	entry = ledger_find(&apply->ledger, &setting->target);
	if (!entry)
		return;
	entry->written = now;
	entry->next = now;
	if (now != announced)
		apply_save(apply);
}

/* Finds out whether the file still says what it should. */
static int write_check(struct apply *apply, size_t i)
{
	struct tt_setting *setting = &apply->settings[i];
	u64 value;
	int err;

	err = apply_read(apply, i, &value);
	if (err)
		return err;
	if (setting->written && value != apply->targets[i].expect) {
		apply_give_up(apply, i, value);
		return -EBUSY;
	}
	if (!setting->written)
		setting->value = value;
	return 0;
}

/* The dry run's: nothing but a memory of what would be there. */
static void write_pretend(struct apply *apply, size_t i, u64 value)
{
	struct tt_setting *setting = &apply->settings[i];

	if (!setting->written) {
		setting->original = setting->value;
		setting->written = true;
		apply->targets[i].expect = setting->value;
	}
	setting->value = value;
}

static int write_value(struct apply *apply, size_t i, u64 value)
{
	struct tt_setting *setting = &apply->settings[i];
	u8 field = apply->table[setting->target.id].field;
	u64 now = setting->value;
	int err;

	if (apply->dry_run) {
		write_pretend(apply, i, value);
		return 0;
	}
	err = write_announce(apply, i, value);
	if (err)
		return err;
	err = sysctl_write(apply->targets[i].path, field, value, &now);
	if (err == -EACCES || err == -EPERM || err == -EROFS)
		apply->targets[i].denied = true;
	if (err && !setting->written && now == setting->value) {
		apply_forget(apply, &setting->target);
		return err;
	}
	write_note(apply, i, value, now);
	return err;
}

int apply_write(struct apply *apply, const struct tt_change *change, u64 now_us,
		u64 *valuep)
{
	size_t i = apply_find(apply, &change->target);
	struct tt_setting *setting;
	u64 value;
	int err;

	if (i == apply->nsettings)
		return -ENOENT;
	setting = &apply->settings[i];
	*valuep = setting->value;
	if (setting->off)
		return -EPERM;
	value = write_fit(&apply->table[change->target.id], change->value);
	err = write_check(apply, i);
	if (!err && value != setting->value)
		err = write_value(apply, i, value);
	*valuep = setting->value;
	setting->failed = err;
	if (err == -ENOENT && apply->table[change->target.id].field == TT_WORD)
		apply->targets[i].refused = true;
	if (err)
		return err;
	setting->changed_us = now_us;
	setting->reason = change->reason;
	return 0;
}

void apply_resume(struct apply *apply, bool take)
{
	for (size_t i = 0; i < apply->nsettings; i++) {
		struct tt_setting *setting = &apply->settings[i];

		if (!apply->targets[i].foreign)
			continue;
		apply->targets[i].foreign = false;
		apply->targets[i].taken = take;
		setting->written = false;
		apply_update(apply, i);
	}
}

static enum tt_outcome write_restore_one(struct apply *apply, size_t i,
					 int *err)
{
	struct tt_setting *setting = &apply->settings[i];
	u64 now = setting->value;

	*err = apply_read(apply, i, &now);
	if (*err == -ENOENT)
		return TT_RESTORE_GONE;
	if (!*err && (apply->targets[i].foreign ||
		      now != apply->targets[i].expect)) {
		setting->value = now;
		return TT_RESTORE_FOREIGN;
	}
	if (!*err && now != setting->original)
		*err = sysctl_write(apply->targets[i].path,
				    apply->table[setting->target.id].field,
				    setting->original, &now);
	if (!*err && now != setting->original)
		*err = -EIO;
	setting->value = now;
	return *err ? TT_RESTORE_FAILED : TT_RESTORED;
}

struct tt_restored *apply_restore(struct apply *apply, size_t *nrestored,
				  int *errp)
{
	struct tt_restored *list = NULL, last;
	int err;

	*errp = 0;
	*nrestored = 0;
	for (size_t i = 0; i < apply->nsettings && !apply->dry_run; i++) {
		struct tt_setting *setting = &apply->settings[i];

		if (!setting->written)
			continue;
		last = (struct tt_restored){
			.target = setting->target,
			.original = setting->original,
			.outcome = write_restore_one(apply, i, &err),
		};
		last.value = setting->value;
		last.err = err;
		/* Without memory for a list, all are restored all the same. */
		if (!list)
			list = calloc(apply->nsettings, sizeof(*list));
		if (list)
			list[(*nrestored)++] = last;
		if (last.outcome == TT_RESTORE_FAILED) {
			*errp = *errp ? *errp : err;
			continue;
		}
		setting->written = false;
		apply_forget(apply, &setting->target);
	}
	if (apply->ledger_dirty && apply->dir >= 0) {
		err = apply_save(apply);
		if (apply->ledger.nentries && !*errp)
			*errp = err;
	}
	return list;
}
