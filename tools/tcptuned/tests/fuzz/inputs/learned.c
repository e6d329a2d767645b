// SPDX-License-Identifier: GPL-2.0
/* Any learned paths: none of them lies in the future or is without an RTT. */
#include "../../../learned.h"
#include "../fuzz.h"

#define NOW_S 1790000000ULL

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct learned learned;
	char problem[300];

	fuzz_put("paths.json", data, size);
	learned_load(&learned, fuzz_folder(), NOW_S, false, problem,
		     sizeof(problem));
	for (size_t i = 0; i < learned.npaths; i++)
		if (learned.paths[i].seen_s > NOW_S ||
		    !learned.paths[i].path.rtt_us ||
		    learned.paths[i].path.role >= TT_ROLES)
			abort();
	learned_free(&learned);
	return 0;
}
