// SPDX-License-Identifier: GPL-2.0
/*
 * The connections of a snapshot, to be found by their cookie in the next one.
 *
 * Cookies are counters of the kernel's, so they are spread by a multiplication
 * (D. Knuth, The Art of Computer Programming, 6.4) and looked for from there.
 */
#include <errno.h>
#include <stdlib.h>

#include "seen.h"

int seen_init(struct seen *seen, size_t nconns)
{
	size_t room = 16;

	/* A third stays free, so that searches stay short and end. */
	while (room < nconns + nconns / 2)
		room *= 2;
	seen->slots = calloc(room, sizeof(*seen->slots));
	seen->room = seen->slots ? room : 0;
	return seen->slots ? 0 : -ENOMEM;
}

struct seen_conn *seen_slot(const struct seen *seen, u64 cookie)
{
	size_t at = (cookie * 0x9e3779b97f4a7c15ULL) >> 32;

	for (size_t tries = 0; tries < seen->room; tries++, at++) {
		struct seen_conn *slot = &seen->slots[at & (seen->room - 1)];

		if (!slot->path || slot->cookie == cookie)
			return slot;
	}
	return NULL;
}

void seen_free(struct seen *seen)
{
	free(seen->slots);
	*seen = (struct seen) { .slots = NULL };
}
