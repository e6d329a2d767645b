// SPDX-License-Identifier: GPL-2.0
/* The ledger: what comes back, and what damage does. */
#include <errno.h>

#include "../../apply/ledger.h"
#include "../../file.h"
#include "../../policy/table.h"
#include "../test.h"
#include "../folder.h"

static const struct ledger_entry entries[] = {
	{ { TT_RMEM_MAX, "" }, 0, 212992, 4194304, 8388608 },
	{ { TT_READ_AHEAD, "0:45" }, 6984, 128, 15360, 15360 },
};

static struct ledger ledger;
static char problem[200];
static int dir;

static int load(void)
{
	ledger_free(&ledger);
	return ledger_load(&ledger, dir, table_rows, problem, sizeof(problem));
}

static void fill(void)
{
	load();
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		ledger_add(&ledger, &entries[i]);
	ledger_save(&ledger, dir, table_rows);
}

static bool same(const struct ledger_entry *a, const struct ledger_entry *b)
{
	return a && a->target.id == b->target.id &&
	       !strcmp(a->target.instance, b->target.instance) &&
	       a->ident == b->ident && a->original == b->original &&
	       a->written == b->written && a->next == b->next;
}

static void test_round_trip(void)
{
	EXPECT(!load() && !ledger.nentries && !*problem, "%s", problem);
	fill();
	EXPECT(!load() && !*problem, "%s", problem);
	EXPECT_EQ(ledger.nentries, 2);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		EXPECT(same(ledger_find(&ledger, &entries[i].target),
			    &entries[i]), "entry %zu", i);
	EXPECT(ledger_drop(&ledger, &entries[0].target));
	EXPECT(!ledger_drop(&ledger, &entries[0].target));
	EXPECT(same(ledger_find(&ledger, &entries[1].target), &entries[1]));
	test_end("what was saved comes back");
}

#define RMEM	"net.core.rmem_max - 0 "
#define WMEM	"net.core.wmem_max - 0 "
#define LOSSY	"sunrpc.tcp_lossy_congestion_control - 0 "
#define AHEAD	"read_ahead_kb "

/* Lines that are put behind a header of this boot. */
static const struct {
	const char	*name;
	const char	*lines;
	size_t		nentries;
	bool		damaged;
} cases[] = {
	{ "whole", RMEM "5000 6000 6000\n", 1, false },
	{ "no newline", RMEM "5000 6000 6000", 1, false },
	{ "cut off", RMEM "5000 6000 6000\n" WMEM "5000", 1, true },
	{ "unknown name", "other - 0 1 2 2\n" RMEM "5000 6000 6000\n", 1, true },
	{ "too many fields", RMEM "5000 6000 6000 9\n", 0, true },
	{ "no number", RMEM "x 6000 6000\n", 0, true },
	{ "twice", RMEM "5000 6000 6000\n" RMEM "7000 6000 6000\n", 1, true },
	{ "instance missing", AHEAD "- 7 1 2 2\n", 0, true },
	{ "instance too many", "net.core.rmem_max 0:45 7 5000 6000 6000\n", 0,
	  true },
	{ "instance that climbs", AHEAD ".. 7 1 2 2\n", 0, true },
	{ "instance with a slash", AHEAD "0/5 7 1 2 2\n", 0, true },
	{ "instance too long", AHEAD "111111111111111111111111 7 1 2 2\n", 0,
	  true },
	{ "words", LOSSY "\"\" bbr cubic\n", 1, false },
	{ "no word", LOSSY "\"\" a/b cubic\n", 0, true },
	{ "garbage", "\001\377\n", 0, true },
	{ "an original above the kernel's", RMEM "2147483648 5000 5000\n", 0,
	  true },
	{ "an original below them", WMEM "4607 4608 4608\n", 0, true },
	{ "written above them", AHEAD "0:45 0 1 2147483648 1\n", 0, true },
	{ "the next above them", AHEAD "0:45 0 1 1 2147483648\n", 0, true },
};

static void test_damage(void)
{
	char text[500], aside[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		load();
		snprintf(aside, sizeof(aside), "%s.damaged", ledger.name);
		unlink(folder_path(aside));
		snprintf(text, sizeof(text), "tcptuned-ledger 1 %s\n%s",
			 ledger.boot, cases[i].lines);
		folder_put(ledger.name, text);
		EXPECT(!load());
		EXPECT_EQ(ledger.nentries, cases[i].nentries);
		EXPECT(!*problem == !cases[i].damaged, "%s", problem);
		EXPECT(folder_has(aside) == cases[i].damaged);
		test_end(cases[i].name);
	}
}

static void test_whole_files(void)
{
	char name[40], huge[300000];

	fill();
	strcpy(name, ledger.name);
	folder_put(name, "tcptuned-ledger 1 other-boot\nnet.core.rmem_max - 0 5000 6000 6000\n");
	EXPECT(!load() && !ledger.nentries && !*problem, "%s", problem);
	test_end("another boot's is not used");

	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	folder_put(name, huge);
	EXPECT(!load() && *problem && !folder_has(name));
	test_end("a huge one is set aside");

	folder_put("elsewhere", "text");
	EXPECT(!symlink(folder_path("elsewhere"), folder_path(name)));
	EXPECT(!load() && *problem && !folder_has(name));
	EXPECT_STR(folder_get("elsewhere"), "text");
	test_end("a symbolic link is not followed");

	EXPECT(!mkfifo(folder_path(name), 0600));
	EXPECT(!load() && *problem);
	test_end("a FIFO holds nobody up");
}

/* What a damaged ledger still says must be true. */
static void expect_true(size_t at)
{
	EXPECT(!load() && *problem, "damage at %zu is not noticed", at);
	for (size_t i = 0; i < ledger.nentries; i++)
		EXPECT(same(&ledger.entries[i], &entries[0]) ||
		       same(&ledger.entries[i], &entries[1]),
		       "damage at %zu makes another entry", at);
}

static void test_every_byte(void)
{
	char name[40], whole[500], text[500];
	size_t len;

	fill();
	strcpy(name, ledger.name);
	snprintf(whole, sizeof(whole), "%s", folder_get(name));
	len = strlen(whole);

	for (size_t at = 0; at < len; at++) {
		snprintf(text, at + 1, "%s", whole);
		folder_put(name, text);
		expect_true(at);
	}
	test_end("cut off anywhere");

	for (size_t at = 0; at < len; at++) {
		strcpy(text, whole);
		text[at] ^= 1;
		folder_put(name, text);
		expect_true(at);
	}
	folder_wipe(name);
	test_end("any byte flipped");
}

static void test_access(void)
{
	struct stat st = { };

	umask(027);
	if (!geteuid())
		EXPECT(!fchown(dir, 65534, 65534));
	fill();
	umask(022);
	EXPECT(!stat(folder_path(ledger.name), &st));
	EXPECT((st.st_mode & 0777) == 0644, "%o", st.st_mode);
	EXPECT(geteuid() || (st.st_uid == 65534 && st.st_gid == 65534),
	       "belongs to %u:%u", st.st_uid, st.st_gid);
	test_end("the service can read what root wrote");

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		ledger_drop(&ledger, &entries[i].target);
	EXPECT(!ledger_save(&ledger, dir, table_rows));
	EXPECT(!folder_has(ledger.name));
	EXPECT(!ledger_save(&ledger, dir, table_rows));
	test_end("an empty ledger is removed");
}

int main(void)
{
	folder_make();
	dir = file_dir(folder, false);
	test_round_trip();
	test_damage();
	test_whole_files();
	test_every_byte();
	test_access();
	ledger_free(&ledger);
	close(dir);
	folder_remove();
	return test_result();
}
