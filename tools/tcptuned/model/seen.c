// SPDX-License-Identifier: GPL-2.0
/*
 * The connections of the last snapshots, to be found by their cookie.
 *
 * Cookies are counters of the kernel's, so they are spread by a multiplication
 * (D. Knuth, The Art of Computer Programming, 6.4) and looked for from there.
 *
 * Connections that are gone keep their slots until these are needed. No cookie
 * is given twice, so nobody asks for them, and no snapshot costs a table.
 */
#include <stdlib.h>

#include "seen.h"

#define SEEN_FEWEST	16

/* The slot of a connection, or the free one where it goes. */
static struct seen_conn *seen_find(const struct seen *seen, u64 cookie)
{
	size_t at = (cookie * 0x9e3779b97f4a7c15ULL) >> 32;
	struct seen_conn *slot;

	do {
		slot = &seen->slots[at++ & (seen->room - 1)];
	} while (slot->path && slot->cookie != cookie);
	return slot;
}

static bool seen_is_gone(const struct seen *seen, const struct seen_conn *slot)
{
	return !slot->path || seen->poll - slot->poll > 1;
}

/* A quarter stays free, so that searches stay short and end. */
static bool seen_make_room(struct seen *seen)
{
	struct seen bigger = {
		.room = SEEN_FEWEST, .poll = seen->poll,
	};

	if (4 * (seen->used + 1) <= 3 * seen->room)
		return true;
	for (size_t i = 0; i < seen->room; i++)
		bigger.used += !seen_is_gone(seen, &seen->slots[i]);
	while (bigger.room < 2 * (bigger.used + 1))
		bigger.room *= 2;
	bigger.slots = calloc(bigger.room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < seen->room; i++)
		if (!seen_is_gone(seen, &seen->slots[i]))
			*seen_find(&bigger, seen->slots[i].cookie) =
				seen->slots[i];
	free(seen->slots);
	*seen = bigger;
	return true;
}

void seen_begin(struct seen *seen)
{
	seen->poll++;
}

struct seen_conn *seen_slot(struct seen *seen, u64 cookie)
{
	struct seen_conn *slot = seen->room ? seen_find(seen, cookie) : NULL;

	if (!slot || !slot->path) {
		if (!seen_make_room(seen))
			return NULL;
		slot = seen_find(seen, cookie);
		slot->cookie = cookie;
		seen->used++;
	} else if (seen_is_gone(seen, slot)) {
		/* It was not in the last snapshot, so its path may be freed. */
		slot->path = NULL;
	}
	slot->poll = seen->poll;
	return slot;
}

void seen_free(struct seen *seen)
{
	free(seen->slots);
	*seen = (struct seen) { .slots = NULL };
}
