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
		slot->counts.busy_us = n;
		slot->path = path;
	}
}

/* A second snapshot: all of them are known, and a stranger is not. */
static void find(struct seen *seen, size_t i)
{
	seen_begin(seen);
	for (size_t n = 0; n < cases[i].nconns; n++)
		EXPECT(seen_slot(seen, n * cases[i].step)->counts.busy_us == n,
		       "%zu is another one", n);
	EXPECT(!seen_slot(seen, 12345678987654321)->path);
}

/* A day of short mounts: there is never room for more than are there. */
static void test_come_and_go(struct path *path)
{
	struct seen seen = { 0 };

	for (u64 i = 0; i < 1000; i++) {
		seen_begin(&seen);
		/* Those that are new come first, and need room. */
		for (u64 n = 50 * i + 100; n-- > 50 * i;) {
			struct seen_conn *slot = seen_slot(&seen, n);

			EXPECT(!slot->path == (!i || n >= 50 * i + 50),
			       "%llu in round %llu", n, i);
			slot->path = path;
		}
	}
	EXPECT(seen.room <= 512, "room for %zu", seen.room);
	seen_free(&seen);
	test_end("that come and go");
}

/* One that a snapshot missed: what it points to may be freed by now. */
static void test_missed(struct path *path)
{
	struct seen seen = { 0 };

	seen_begin(&seen);
	seen_slot(&seen, 1)->path = path;
	seen_begin(&seen);
	EXPECT(seen_slot(&seen, 1)->path == path);
	seen_begin(&seen);
	seen_begin(&seen);
	EXPECT(!seen_slot(&seen, 1)->path);
	seen_free(&seen);
	test_end("that was missed once");
}

int main(void)
{
	struct path path;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seen seen = { 0 };

		seen_begin(&seen);
		fill(&seen, i, &path);
		find(&seen, i);
		seen_free(&seen);
		test_end(cases[i].name);
	}
	test_come_and_go(&path);
	test_missed(&path);
	return test_result();
}
