// SPDX-License-Identifier: GPL-2.0
/* Any status, shown to people: no control character gets through. */
#include "../../../policy/table.h"
#include "../../../report/peer.h"
#include "../../../report/read.h"
#include "../../../report/text.h"
#include "../../../units.h"
#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *status = fuzz_text(data, size), *shown = NULL;
	struct tt_addr peer;
	u64 written_us;
	size_t bytes;
	pid_t pid;
	FILE *out = open_memstream(&shown, &bytes);

	text_print(status, false, size & 1, out);
	units_parse_addr("10.0.0.1", &peer);
	peer_explain(status, -1, table_rows, &peer, out);
	read_mount(status, "/mnt", &peer);
	if (!read_age(status, &pid, &written_us) && pid <= 0)
		abort();
	fclose(out);
	for (size_t i = 0; i < bytes; i++)
		if ((shown[i] < ' ' && shown[i] >= 0 && shown[i] != '\n') ||
		    shown[i] == 0x7f)
			abort();
	free(shown);
	free(status);
	return 0;
}
