/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger: what each value was before it was first written, in a file that
 * lives as long as the values do.
 */
#ifndef TCPTUNED_APPLY_LEDGER_H
#define TCPTUNED_APPLY_LEDGER_H

#include "../values.h"

/**
 * struct ledger_entry - a value that was written, or is about to be
 * @target: which
 * @ident: sysctl_ident() of a target with an instance, else 0
 * @original: what it was before
 * @written: what was written last
 * @next: what is about to be written; as @written if nothing is
 */
struct ledger_entry {
	struct tt_target	target;
	u64			ident;
	u64			original;
	u64			written;
	u64			next;
};

struct ledger {
	struct ledger_entry	*entries;
	size_t			 nentries;
	char			 name[40];
	char			 boot[40];
};

/**
 * ledger_load - read what a run before this one left
 * @ledger: is filled; ledger_free() frees it
 * @dir: the runtime folder, from file_dir()
 * @table: the tunables
 * @problem: is set to a sentence if something is wrong with the file, else ""
 * @problem_bytes: its length
 *
 * A damaged file is set aside; the lines of it that are whole count. A file
 * of another boot says nothing about this one and is not used.
 * Returns: 0 or a negative errno
 */
int ledger_load(struct ledger *ledger, int dir, const struct tt_row *table,
		char *problem, size_t problem_bytes);

/*
 * Write it. Without entries there is no file. Returns: 0 or a negative errno,
 * the old file being as it was.
 */
int ledger_save(const struct ledger *ledger, int dir,
		const struct tt_row *table);

/* The same, to find out whether a ledger could be written. */
int ledger_probe(const struct ledger *ledger, int dir,
		 const struct tt_row *table);

/*
 * The entry of a target. Returns: the entry, until the next ledger_add() or
 * ledger_drop(), or NULL.
 */
struct ledger_entry *ledger_find(const struct ledger *ledger,
				 const struct tt_target *target);

/* Enter a target that has no entry. Returns: 0 or -ENOMEM. */
int ledger_add(struct ledger *ledger, const struct ledger_entry *entry);

/**
 * ledger_drop - forget a target
 * @ledger: where
 * @target: which; it may have no entry
 * Returns: whether it had one
 */
bool ledger_drop(struct ledger *ledger, const struct tt_target *target);

/* Frees what ledger_load() made; writes nothing. */
void ledger_free(struct ledger *ledger);

#endif /* TCPTUNED_APPLY_LEDGER_H */
