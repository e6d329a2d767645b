// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "../test.h"
#include "../../policy/table.h"

int main(void)
{
	for (int id = 0; id < TT_TUNABLES; id++) {
		const struct tt_row *row = &table_rows[id];

		EXPECT((int)row->id == id, "row %d is at %d", row->id, id);
		EXPECT(row->path && row->path[0] == '/');
		EXPECT(row->min <= row->max);
		EXPECT(row->multiple);
		EXPECT((row->field == TT_WORD) == tt_is_word(id));
		EXPECT(!!strchr(row->path, '%') == (id == TT_READ_AHEAD),
		       "an instance in %s", row->path);
		test_end(row->name);
	}
	return test_result();
}
