// SPDX-License-Identifier: GPL-2.0
/*
 * The only writer, on files of a folder: what it keeps, what it leaves alone,
 * what it puts back. A step is a case of its own where the order counts.
 */
#include <errno.h>

#include "../../apply/apply.h"
#include "../test.h"
#include "../folder.h"

static const struct tt_row table[TT_TUNABLES] = {
	[TT_RMEM_MAX] = { TT_RMEM_MAX, "rmem_max", "/rmem_max", 0,
			  2304, 2147483647, 1 },
	[TT_WMEM_MAX] = { TT_WMEM_MAX, "wmem_max", "/wmem_max", 0,
			  4608, 2147483647, 1 },
	[TT_SRV_RCVBUF] = { TT_SRV_RCVBUF, "a", "/a", 0, 0, 1073741823, 1 },
	[TT_SRV_SNDBUF] = { TT_SRV_SNDBUF, "b", "/b", 0, 0, 1073741823, 1 },
	[TT_CLNT_RCVBUF] = { TT_CLNT_RCVBUF, "c", "/c", 0, 0, 1, 1 },
	[TT_CLNT_SNDBUF] = { TT_CLNT_SNDBUF, "d", "/d", 0, 0, 1, 1 },
	[TT_TCP_RMEM] = { TT_TCP_RMEM, "tcp_rmem", "/tcp_rmem", 2,
			  4096, 2147483647, 1 },
	[TT_TCP_WMEM] = { TT_TCP_WMEM, "f", "/f", 2, 4096, 2147483647, 1 },
	[TT_SLOW_START] = { TT_SLOW_START, "g", "/g", 0, 0, 1, 1 },
	[TT_READ_AHEAD] = { TT_READ_AHEAD, "read_ahead", "/bdi/%s/ra", 0,
			    0, 4294967295, 64 },
};

static const struct tt_mount mounts[] = {
	{ .dev = "0:45", .dir = "/mnt/a" },
	{ .dev = "0:46", .dir = "/mnt/b" },
};

static struct apply *apply;
static char said[2000];

static void prepare(void)
{
	test_begin();
	folder_make();
	folder_put("rmem_max", "212992\n");
	folder_put("wmem_max", "212992\n");
	folder_put("tcp_rmem", "4096\t131072\t6291456\n");
	folder_put("bdi/0:45/ra", "128\n");
	folder_put("bdi/0:46/ra", "128\n");
}

static void start_as(bool dry_run)
{
	apply_close(apply);
	apply = NULL;
	if (apply_open(&apply, table, folder, folder_path("run"), dry_run))
		EXPECT(false, "apply_open");
}

static void start(void)
{
	start_as(false);
}

static void finish(const char *name)
{
	apply_close(apply);
	apply = NULL;
	folder_remove();
	test_end(name);
}

static const struct tt_setting *setting(enum tt_tunable id,
					const char *instance)
{
	static const struct tt_setting none = { .off = -1 };
	const struct tt_setting *settings;
	size_t n;

	settings = apply_settings(apply, &n);
	for (size_t i = 0; i < n; i++)
		if (settings[i].target.id == id &&
		    !strcmp(settings[i].target.instance, instance))
			return &settings[i];
	return &none;
}

static int put(enum tt_tunable id, const char *instance, u64 value)
{
	struct tt_wish wish = {
		.target.id = id,
		.value = value,
		.reason = "a test",
	};
	u64 now;

	strcpy(wish.target.instance, instance);
	return apply_write(apply, &wish, 5, &now);
}

static void hear(const struct tt_setting *s, const char *sentence, void *data)
{
	size_t len = strlen(said);

	(void)data;
	snprintf(said + len, sizeof(said) - len, "%s %s\n",
		 table[s->target.id].name, sentence);
}

static int restore(void)
{
	*said = '\0';
	return apply_restore(apply, hear, NULL);
}

#define EXPECT_FILE(name, text) \
	EXPECT(!strcmp(folder_get(name), text), "%s", folder_text)

static void test_write_and_restore(void)
{
	prepare();
	start();
	EXPECT(setting(TT_RMEM_MAX, "")->value == 212992, "value");
	EXPECT(setting(TT_SRV_RCVBUF, "")->off == TT_OFF_ABSENT, "not absent");
	EXPECT(!put(TT_RMEM_MAX, "", 4194304), "write");
	EXPECT_FILE("rmem_max", "4194304\n");
	EXPECT(!put(TT_TCP_RMEM, "", 9000000), "write");
	EXPECT_FILE("tcp_rmem", "4096\t131072\t9000000\n");
	EXPECT(!put(TT_RMEM_MAX, "", 8388608), "write");
	EXPECT(setting(TT_RMEM_MAX, "")->original == 212992, "original");
	EXPECT(setting(TT_RMEM_MAX, "")->changed_us == 5, "changed");
	/* Somebody changes a field that is not ours. */
	folder_put("tcp_rmem", "8192\t131072\t9000000\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(!setting(TT_TCP_RMEM, "")->off, "hands off");
	EXPECT(!restore(), "restore");
	EXPECT_FILE("rmem_max", "212992\n");
	EXPECT_FILE("tcp_rmem", "8192\t131072\t6291456\n");
	EXPECT(!restore() && !*said, "restored twice: %s", said);
	finish("what was there comes back, and only our field");
}

static void test_bounds(void)
{
	prepare();
	start();
	EXPECT(!put(TT_RMEM_MAX, "", 1), "write");
	EXPECT_FILE("rmem_max", "2304\n");
	EXPECT(!put(TT_RMEM_MAX, "", 1ULL << 40), "write");
	EXPECT_FILE("rmem_max", "2147483647\n");
	apply_refresh(apply, mounts, 2);
	EXPECT(!put(TT_READ_AHEAD, "0:45", 15365), "write");
	EXPECT_FILE("bdi/0:45/ra", "15360\n");
	EXPECT(put(TT_SRV_RCVBUF, "", 5) == -EPERM, "absent was written");
	EXPECT(put(TT_READ_AHEAD, "0:99", 5) == -ENOENT, "no such mount");
	finish("values are made to fit");
}

static void test_foreign(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	put(TT_WMEM_MAX, "", 4194304);
	folder_put("rmem_max", "1000000\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_FOREIGN, "on");
	EXPECT(put(TT_RMEM_MAX, "", 5000000) == -EPERM, "written");
	/* Between refresh and write. */
	folder_put("wmem_max", "1000001\n");
	EXPECT(put(TT_WMEM_MAX, "", 5000000) == -EBUSY, "written");
	EXPECT_FILE("wmem_max", "1000001\n");
	/* Also if it becomes what we had written. */
	folder_put("rmem_max", "4194304\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_FOREIGN, "on");
	EXPECT(!restore(), "restore");
	EXPECT_FILE("rmem_max", "4194304\n");
	EXPECT_FILE("wmem_max", "1000001\n");
	EXPECT(strstr(said, "wmem_max left at 1000001"), "%s", said);
	finish("others' values are left to them, also by restore");
}

static void test_foreign_at_the_end(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	folder_put("rmem_max", "1000000\n");
	EXPECT(!restore(), "restore");
	EXPECT_FILE("rmem_max", "1000000\n");
	EXPECT(strstr(said, "rmem_max left at 1000000"), "%s", said);
	finish("also what was changed just before");
}

static void test_resume(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	folder_put("rmem_max", "1000000\n");
	apply_refresh(apply, NULL, 0);
	apply_resume(apply);
	EXPECT(!setting(TT_RMEM_MAX, "")->off, "off");
	EXPECT(!put(TT_RMEM_MAX, "", 5000000), "not written");
	EXPECT(!restore(), "restore");
	EXPECT_FILE("rmem_max", "1000000\n");
	finish("after resume, the other's value is the original");
}

static void test_leave(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	apply_leave(apply, TT_RMEM_MAX, true);
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_FOREIGN, "on");
	EXPECT(put(TT_RMEM_MAX, "", 5000000) == -EPERM, "written");
	apply_leave(apply, TT_RMEM_MAX, false);
	apply_refresh(apply, NULL, 0);
	EXPECT(!setting(TT_RMEM_MAX, "")->off, "off");
	apply_leave(apply, TT_RMEM_MAX, true);
	apply_refresh(apply, NULL, 0);
	EXPECT(!restore(), "restore");
	EXPECT_FILE("rmem_max", "212992\n");
	finish("a tunable that is left still gets its original back");
}

/* Killed: the next one knows nothing but the ledger. */
static void test_killed(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	put(TT_WMEM_MAX, "", 4194304);
	put(TT_TCP_RMEM, "", 9000000);
	folder_put("wmem_max", "1000000\n");
	start();
	EXPECT(setting(TT_RMEM_MAX, "")->written, "not known");
	EXPECT(setting(TT_RMEM_MAX, "")->original == 212992, "original");
	EXPECT(setting(TT_WMEM_MAX, "")->off == TT_OFF_FOREIGN, "on");
	EXPECT(!restore(), "restore");
	EXPECT_FILE("rmem_max", "212992\n");
	EXPECT_FILE("wmem_max", "1000000\n");
	EXPECT_FILE("tcp_rmem", "4096\t131072\t6291456\n");
	finish("originals outlive the daemon");
}

/*
 * Killed between the ledger and the write, and between the write and
 * anything after it: the same ledger, with either value in the file.
 */
static void test_killed_between(void)
{
	static const struct {
		const char	*found;
		const char	*left;
	} cases[] = {
		{ "212992\n", "212992\n" },
		{ "4194304\n", "212992\n" },
		{ "8388608\n", "212992\n" },
		{ "5555555\n", "5555555\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		prepare();
		start();
		put(TT_RMEM_MAX, "", 4194304);
		put(TT_RMEM_MAX, "", 8388608);
		folder_put("rmem_max", cases[i].found);
		start();
		EXPECT(!restore(), "restore");
		EXPECT_FILE("rmem_max", cases[i].left);
		finish("killed between two steps");
	}
}

static void test_mounts(void)
{
	prepare();
	start();
	EXPECT(setting(TT_READ_AHEAD, "0:45")->off == (enum tt_hands_off)-1,
	       "there before the mount");
	apply_refresh(apply, mounts, 2);
	put(TT_READ_AHEAD, "0:45", 15360);
	put(TT_READ_AHEAD, "0:46", 15360);
	/* Idle, so the mount is not in the list, but it is there. */
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_READ_AHEAD, "0:45")->written, "forgotten");
	/* Its number is given to another mount, which has the same value. */
	rename(folder_path("bdi/0:45"), folder_path("gone"));
	folder_put("bdi/0:45/ra", "15360\n");
	apply_refresh(apply, mounts, 2);
	EXPECT(!setting(TT_READ_AHEAD, "0:45")->written, "taken for the old");
	EXPECT(!setting(TT_READ_AHEAD, "0:45")->off, "off");
	EXPECT(!restore(), "restore");
	EXPECT_FILE("bdi/0:45/ra", "15360\n");
	EXPECT_FILE("bdi/0:46/ra", "128\n");
	finish("a mount does not get another mount's original");
}

static void test_mount_killed(void)
{
	prepare();
	start();
	apply_refresh(apply, mounts, 2);
	put(TT_READ_AHEAD, "0:45", 15360);
	put(TT_READ_AHEAD, "0:46", 15360);
	rename(folder_path("bdi/0:45"), folder_path("gone"));
	folder_put("bdi/0:45/ra", "15360\n");
	start();
	EXPECT(!restore(), "restore");
	EXPECT_FILE("bdi/0:45/ra", "15360\n");
	EXPECT_FILE("bdi/0:46/ra", "128\n");
	finish("not even after a kill");
}

static void test_dry_run(void)
{
	prepare();
	start_as(true);
	EXPECT(!put(TT_RMEM_MAX, "", 4194304), "refused");
	EXPECT(setting(TT_RMEM_MAX, "")->value == 4194304, "not pretended");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->value == 4194304 &&
	       !setting(TT_RMEM_MAX, "")->off, "forgotten");
	EXPECT_FILE("rmem_max", "212992\n");
	EXPECT(!folder_has("run"), "made a folder");
	EXPECT(!restore() && !*said, "%s", said);
	folder_put("rmem_max", "1000000\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_FOREIGN, "on");
	finish("a dry run writes nothing at all");
}

static void test_no_ledger(void)
{
	prepare();
	folder_put("run", "a file where the folder should be");
	start();
	EXPECT(*apply_trouble(apply), "no word");
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_DENIED, "on");
	EXPECT(put(TT_RMEM_MAX, "", 4194304) == -EPERM, "written");
	EXPECT_FILE("rmem_max", "212992\n");
	finish("no ledger, no write");

	prepare();
	EXPECT(!mkdir(folder_path("run"), 0777) &&
	       !chmod(folder_path("run"), 0777), "folder");
	start();
	EXPECT(put(TT_RMEM_MAX, "", 4194304) == -EPERM, "written");
	finish("a folder that everybody may write to is no ledger's");
}

static void test_ledger_breaks(void)
{
	prepare();
	start();
	put(TT_WMEM_MAX, "", 4194304);
	folder_wipe("run");
	EXPECT(put(TT_RMEM_MAX, "", 4194304) == -ENOENT, "written");
	EXPECT_FILE("rmem_max", "212992\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_DENIED, "on");
	EXPECT(strstr(apply_trouble(apply), "ledger"), "no word");
	EXPECT(!restore(), "restore");
	EXPECT_FILE("wmem_max", "212992\n");
	finish("a ledger that breaks stops writes, not restore");
}

static void test_module_gone(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	unlink(folder_path("rmem_max"));
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_ABSENT, "on");
	folder_put("rmem_max", "212992\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(!setting(TT_RMEM_MAX, "")->off, "off");
	EXPECT(!setting(TT_RMEM_MAX, "")->written, "written");
	finish("a module that comes again starts anew");
}

int main(void)
{
	test_write_and_restore();
	test_bounds();
	test_foreign();
	test_foreign_at_the_end();
	test_resume();
	test_leave();
	test_killed();
	test_killed_between();
	test_mounts();
	test_mount_killed();
	test_dry_run();
	test_no_ledger();
	test_ledger_breaks();
	test_module_gone();
	return test_result();
}
