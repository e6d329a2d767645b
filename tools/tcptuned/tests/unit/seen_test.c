// SPDX-License-Identifier: GPL-2.0
#include "../test.h"
#include "../../model/seen.h"

/* So many connections, whose cookies are this far apart. */
static const struct {
	const char	*name;
	size_t		nconns;
	u64		step;
} cases[] = {
	{ "none", 0, 1 },
	{ "one", 1, 1 },
	{ "counted up", 10000, 1 },
	{ "far apart", 10000, 1ULL << 32 },
	{ "in the same slots", 1000, 1ULL << 52 },
};

static void fill(struct seen *seen, size_t i, struct path *path)
{
	for (size_t n = 0; n < cases[i].nconns; n++) {
		struct seen_conn *slot = seen_slot(seen, n * cases[i].step);

		EXPECT(slot && !slot->path, "%zu has no slot of its own", n);
		if (!slot)
			break;
		slot->cookie = n * cases[i].step;
		slot->counts.busy_us = n;
		slot->path = path;
	}
}

int main(void)
{
	struct path path;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seen seen;

		test_begin();
		EXPECT(!seen_init(&seen, cases[i].nconns), "no memory");
		fill(&seen, i, &path);
		for (size_t n = 0; n < cases[i].nconns; n++)
			EXPECT(seen_slot(&seen, n * cases[i].step)->counts
			       .busy_us == n, "%zu is another one", n);
		EXPECT(!seen_slot(&seen, 12345678987654321)->path, "a stranger");
		seen_free(&seen);
		EXPECT(!seen_slot(&seen, 1), "something in an empty table");
		test_end(cases[i].name);
	}
	return test_result();
}
