// SPDX-License-Identifier: GPL-2.0
/*
 * The only writer of tunables. It knows of each target what the file says,
 * what was written last and what was there before; a value that is none of
 * ours is foreign and is never touched again, not even by restore.
 */
#include "apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../file.h"
#include "state.h"
#include "sysctl.h"

static bool apply_has_instance(const struct apply *apply, enum tt_tunable id)
{
	return strstr(apply->table[id].path, "%s");
}

size_t apply_find(const struct apply *apply, const struct tt_target *target)
{
	size_t i;

	for (i = 0; i < apply->nsettings; i++)
		if (apply->settings[i].target.id == target->id &&
		    !strcmp(apply->settings[i].target.instance,
			    target->instance))
			break;
	return i;
}

static void apply_set_problem(struct apply *apply, int err)
{
	apply->ledger_error = err;
	if (err)
		snprintf(apply->problem, sizeof(apply->problem),
			 "cannot write the ledger of original values: %s; no new value is set",
			 strerror(-err));
	else
		memcpy(apply->problem, apply->damage, sizeof(apply->damage));
}

int apply_save(struct apply *apply)
{
	int err;

	if (apply->dry_run)
		return 0;
	if (apply->dir < 0)
		return apply->ledger_error;
	/* An empty ledger is removed, which says nothing of the next one. */
	err = apply->ledger_error ?
	      ledger_probe(&apply->ledger, apply->dir, apply->table) :
	      ledger_save(&apply->ledger, apply->dir, apply->table);
	apply->ledger_dirty = err;
	apply_set_problem(apply, err);
	return err;
}

void apply_forget(struct apply *apply, const struct tt_target *target)
{
	if (ledger_drop(&apply->ledger, target))
		apply->ledger_dirty = true;
}

static int apply_add(struct apply *apply, const struct tt_target *target)
{
	size_t n = apply->nsettings + 1;
	struct tt_setting *settings;
	struct apply_target *targets;
	int err;

	settings = realloc(apply->settings, n * sizeof(*settings));
	if (!settings)
		return -ENOMEM;
	apply->settings = settings;
	targets = realloc(apply->targets, n * sizeof(*targets));
	if (!targets)
		return -ENOMEM;
	apply->targets = targets;
	settings[n - 1] = (struct tt_setting){ .target = *target };
	targets[n - 1] = (struct apply_target){ };
	err = sysctl_path(targets[n - 1].path, apply->root,
			  &apply->table[target->id], target->instance);
	if (err)
		return err;
	if (apply_has_instance(apply, target->id))
		targets[n - 1].ident = sysctl_ident(targets[n - 1].path);
	apply->nsettings = n;
	return 0;
}

static void apply_remove_at(struct apply *apply, size_t i)
{
	apply_forget(apply, &apply->settings[i].target);
	apply->nsettings--;
	apply->settings[i] = apply->settings[apply->nsettings];
	apply->targets[i] = apply->targets[apply->nsettings];
}

int apply_read(const struct apply *apply, size_t i, u64 *value)
{
	return sysctl_read(apply->targets[i].path,
			   apply->table[apply->settings[i].target.id].field,
			   value);
}

void apply_give_up(struct apply *apply, size_t i, u64 value)
{
	apply->targets[i].foreign = true;
	apply->settings[i].off = TT_OFF_FOREIGN;
	apply->settings[i].value = value;
	apply_forget(apply, &apply->settings[i].target);
}

static bool apply_is_denied(const struct apply *apply,
			    struct apply_target *target)
{
	if (apply->dry_run)
		return false;
	/* The right to a mount's file comes a moment after it, from udev. */
	if (!target->probed || (target->denied && target->ident))
		target->denied = sysctl_probe(target->path);
	target->probed = true;
	return target->denied || apply->ledger_error;
}

void apply_update(struct apply *apply, size_t i)
{
	struct tt_setting *setting = &apply->settings[i];
	struct apply_target *target = &apply->targets[i];
	u64 value;
	int err;

	err = apply_read(apply, i, &value);
	if (err) {
		/* A module that was removed took its values with it. */
		if (err == -ENOENT) {
			apply_forget(apply, &setting->target);
			setting->written = false;
			target->foreign = false;
			target->taken = false;
			target->probed = false;
			target->refused = false;
		}
		setting->off = err == -ENOENT ? TT_OFF_ABSENT : TT_OFF_DENIED;
		return;
	}
	if (target->foreign) {
		setting->value = value;
		return;
	}
	if (setting->written && value != target->expect) {
		apply_give_up(apply, i, value);
		return;
	}
	if (!setting->written && value && !target->taken &&
	    apply->table[setting->target.id].from_zero) {
		apply_give_up(apply, i, value);
		return;
	}
	if (!(apply->dry_run && setting->written))
		setting->value = value;
	if (apply->leave[setting->target.id])
		setting->off = TT_OFF_FOREIGN;
	else if (target->refused)
		setting->off = TT_OFF_ABSENT;
	else
		setting->off = apply_is_denied(apply, target) ? TT_OFF_DENIED :
			       TT_HANDS_ON;
}

/* Takes over what the run before this one wrote. Returns: 1 if nothing. */
static int apply_adopt(struct apply *apply, const struct ledger_entry *entry)
{
	size_t i = apply_find(apply, &entry->target);
	struct tt_setting *setting;
	u64 value;
	int err;

	if (i == apply->nsettings) {
		err = apply_add(apply, &entry->target);
		if (err)
			return err;
	}
	setting = &apply->settings[i];
	err = apply_read(apply, i, &value);
	/* The kernel gives device numbers again, but not inode numbers. */
	if (err == -ENOENT || apply->targets[i].ident != entry->ident) {
		if (apply_has_instance(apply, entry->target.id))
			apply_remove_at(apply, i);
		else
			apply_forget(apply, &entry->target);
		return 1;
	}
	/* Killed between the ledger and the write. */
	if (!err && value == entry->original) {
		apply_forget(apply, &entry->target);
		return 1;
	}
	setting->written = true;
	setting->original = entry->original;
	apply->targets[i].expect = entry->next;
	if (!err && value == entry->written)
		apply->targets[i].expect = value;
	return 0;
}

static int apply_load(struct apply *apply, const char *rundir)
{
	int err, gone;

	apply->dir = rundir ? file_own_dir(rundir, true) : -EROFS;
	if (apply->dir < 0) {
		apply_set_problem(apply, apply->dir);
		apply->dir = -1;
		return 0;
	}
	err = ledger_load(&apply->ledger, apply->dir, apply->table,
			  apply->damage, sizeof(apply->damage));
	if (err == -ENOMEM)
		return err;
	/* Not to be written over as long as it cannot be read. */
	if (err) {
		close(apply->dir);
		apply->dir = -1;
		apply_set_problem(apply, err);
		return 0;
	}
	for (size_t i = 0; i < apply->ledger.nentries; i += !gone) {
		struct ledger_entry entry = apply->ledger.entries[i];

		gone = apply_adopt(apply, &entry);
		if (gone < 0)
			return gone;
	}
	/* Whether it can be written is not known until it was tried. */
	apply->ledger_error = -EINPROGRESS;
	apply_save(apply);
	return 0;
}

int apply_open(struct apply **applyp, const struct tt_row *table,
	       const char *root, const char *rundir, bool dry_run)
{
	struct apply *apply = calloc(1, sizeof(*apply));
	int err = 0;

	if (!apply)
		return -ENOMEM;
	*apply = (struct apply){
		.table = table,
		.root = root,
		.dry_run = dry_run,
		.dir = -1,
	};
	for (int id = 0; id < TT_TUNABLES && !err; id++)
		if (!apply_has_instance(apply, id))
			err = apply_add(apply, &(struct tt_target){ .id = id });
	if (!err && !dry_run)
		err = apply_load(apply, rundir);
	if (err) {
		apply_close(apply);
		return err;
	}
	for (size_t i = 0; i < apply->nsettings; i++)
		apply_update(apply, i);
	*applyp = apply;
	return 0;
}

/* Makes the setting of a mount, or finds that it is another mount's. */
static int apply_see_mount(struct apply *apply, const struct tt_mount *mount)
{
	struct tt_target target = { .id = TT_READ_AHEAD };
	size_t i;
	int err;

	memcpy(target.instance, mount->dev, sizeof(target.instance));
	i = apply_find(apply, &target);
	if (i < apply->nsettings &&
	    apply->targets[i].ident != sysctl_ident(apply->targets[i].path)) {
		apply_remove_at(apply, i);
		i = apply->nsettings;
	}
	if (i == apply->nsettings) {
		err = apply_add(apply, &target);
		if (err)
			return err;
		i = apply->nsettings - 1;
	}
	apply->targets[i].seen = true;
	return 0;
}

/*
 * A mount may be missing from the list because it is idle and has no
 * connection; what was written to it is remembered as long as it is there.
 */
static bool apply_is_mount_gone(const struct apply *apply, size_t i)
{
	const struct apply_target *target = &apply->targets[i];

	if (!apply_has_instance(apply, apply->settings[i].target.id) ||
	    target->seen)
		return false;
	return !apply->settings[i].written ||
	       target->ident != sysctl_ident(target->path);
}

int apply_refresh(struct apply *apply, const struct tt_mount *mounts,
		  size_t nmounts)
{
	int err;

	for (size_t i = 0; i < apply->nsettings; i++)
		apply->targets[i].seen = false;
	for (size_t i = 0; i < nmounts; i++) {
		err = apply_see_mount(apply, &mounts[i]);
		if (err == -ENOMEM)
			return err;
	}
	for (size_t i = apply->nsettings; i-- > 0; )
		if (apply_is_mount_gone(apply, i))
			apply_remove_at(apply, i);
	for (size_t i = 0; i < apply->nsettings; i++)
		apply_update(apply, i);
	if (apply->ledger_dirty)
		apply_save(apply);
	return 0;
}

void apply_leave(struct apply *apply, enum tt_tunable id, bool leave)
{
	apply->leave[id] = leave;
}

const char *apply_problem(const struct apply *apply)
{
	return apply->problem;
}

const struct tt_setting *apply_settings(const struct apply *apply,
					size_t *nsettings)
{
	*nsettings = apply->nsettings;
	return apply->settings;
}

void apply_said(struct apply *apply, size_t i)
{
	apply->settings[i].said = apply->settings[i].off;
}

void apply_unsay(struct apply *apply)
{
	for (size_t i = 0; i < apply->nsettings; i++) {
		apply->settings[i].said = TT_HANDS_ON;
		apply->settings[i].failed = false;
		apply->targets[i].refused = false;
	}
}

void apply_close(struct apply *apply)
{
	if (!apply)
		return;
	if (apply->dir >= 0)
		close(apply->dir);
	ledger_free(&apply->ledger);
	free(apply->settings);
	free(apply->targets);
	free(apply);
}
