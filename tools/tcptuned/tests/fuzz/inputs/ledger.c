// SPDX-License-Identifier: GPL-2.0
/*
 * Any ledger: what is taken lies within the table's bounds. Inputs that begin
 * with "1" have the header of a ledger of this boot put before them, whose
 * lines need no hash.
 */
#include "../../../apply/ledger.h"
#include "../../../file.h"
#include "../../../policy/table.h"
#include "../fuzz.h"

static void check(const struct ledger_entry *entry)
{
	const struct tt_row *row = &table_rows[entry->target.id];

	if (entry->original < row->min || entry->original > row->max ||
	    entry->next < row->min || entry->next > row->max ||
	    strchr(entry->target.instance, '/'))
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct ledger none;
	struct ledger ledger;
	char problem[300];
	static int dir = -1;
	char *text;

	if (dir < 0) {
		dir = file_dir(fuzz_folder(), false);
		ledger_load(&none, dir, table_rows, problem, sizeof(problem));
	}
	if (asprintf(&text, "tcptuned-ledger 1 %s\n%.*s", none.boot, (int)size,
		     (const char *)data) < 0)
		abort();
	if (size && *data == '1')
		fuzz_put(none.name, text, strlen(text));
	else
		fuzz_put(none.name, data, size);
	free(text);
	if (!ledger_load(&ledger, dir, table_rows, problem, sizeof(problem)))
		for (size_t i = 0; i < ledger.nentries; i++)
			check(&ledger.entries[i]);
	ledger_free(&ledger);
	return 0;
}
