// SPDX-License-Identifier: GPL-2.0
/* Any profile of tuned, with tuned running. */
#include "../../../policy/table.h"
#include "../../../sense/rival.h"
#include "../fuzz.h"

/* All but the profile, made once. */
static void make_root(void)
{
	static const char running[] = "Name:\ttuned\nUid:\t0\t0\t0\t0\n";
	static const char * const folders[] = {
		"proc", "proc/1", "etc", "etc/tuned", "etc/tuned/p",
	};
	static bool made;
	char path[128];

	if (made)
		return;
	made = true;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", fuzz_folder(),
			 folders[i]);
		mkdir(path, 0755);
	}
	fuzz_put("proc/1/status", running, sizeof(running) - 1);
	fuzz_put("etc/tuned/active_profile", "p", 1);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rivals rivals;

	make_root();
	fuzz_put("etc/tuned/p/tuned.conf", data, size);
	rival_find(&rivals, fuzz_folder(), table_rows);
	return 0;
}
