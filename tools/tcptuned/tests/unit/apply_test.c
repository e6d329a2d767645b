// SPDX-License-Identifier: GPL-2.0
/*
 * The only writer, on files of a folder: what it keeps, what it leaves alone,
 * what it puts back. A step is a case of its own where the order counts.
 */
#include "../apply.h"

static void test_write_and_restore(void)
{
	prepare();
	start();
	EXPECT(setting(TT_RMEM_MAX, "")->value == 212992);
	EXPECT(setting(TT_SRV_RCVBUF, "")->off == TT_OFF_ABSENT);
	EXPECT(!put(TT_RMEM_MAX, "", 4194304));
	EXPECT_FILE("rmem_max", "4194304\n");
	EXPECT(!put(TT_TCP_RMEM, "", 9000000));
	EXPECT_FILE("tcp_rmem", "4096\t131072\t9000000\n");
	EXPECT(!put(TT_RMEM_MAX, "", 8388608));
	EXPECT(setting(TT_RMEM_MAX, "")->original == 212992);
	EXPECT(setting(TT_RMEM_MAX, "")->changed_us == 5);
	/* Somebody changes a field that is not ours. */
	folder_put("tcp_rmem", "8192\t131072\t9000000\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(!setting(TT_TCP_RMEM, "")->off);
	EXPECT(!restore());
	EXPECT_FILE("rmem_max", "212992\n");
	EXPECT_FILE("tcp_rmem", "8192\t131072\t6291456\n");
	EXPECT(!restore() && !*said, "restored twice: %s", said);
	finish("what was there comes back, and only our field");
}

static void test_bounds(void)
{
	prepare();
	start();
	EXPECT(!put(TT_RMEM_MAX, "", 1));
	EXPECT_FILE("rmem_max", "2304\n");
	EXPECT(!put(TT_RMEM_MAX, "", 1ULL << 40));
	EXPECT_FILE("rmem_max", "2147483647\n");
	apply_refresh(apply, mounts, 2);
	EXPECT(!put(TT_READ_AHEAD, "0:45", 15365));
	EXPECT_FILE("bdi/0:45/ra", "15360\n");
	EXPECT(put(TT_SRV_RCVBUF, "", 5) == -EPERM);
	EXPECT(put(TT_READ_AHEAD, "0:99", 5) == -ENOENT);
	finish("values are made to fit");
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
	EXPECT(setting(TT_RMEM_MAX, "")->written);
	EXPECT(setting(TT_RMEM_MAX, "")->original == 212992);
	EXPECT(setting(TT_WMEM_MAX, "")->off == TT_OFF_FOREIGN);
	EXPECT(!restore());
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
		EXPECT(!restore());
		EXPECT_FILE("rmem_max", cases[i].left);
		finish("killed between two steps");
	}
}

static void test_mounts(void)
{
	prepare();
	start();
	EXPECT(setting(TT_READ_AHEAD, "0:45")->off == (enum tt_hands_off)-1);
	apply_refresh(apply, mounts, 2);
	put(TT_READ_AHEAD, "0:45", 15360);
	put(TT_READ_AHEAD, "0:46", 15360);
	/* Idle, so the mount is not in the list, but it is there. */
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_READ_AHEAD, "0:45")->written);
	/* Its number is given to another mount, which has the same value. */
	rename(folder_path("bdi/0:45"), folder_path("gone"));
	folder_put("bdi/0:45/ra", "15360\n");
	apply_refresh(apply, mounts, 2);
	EXPECT(!setting(TT_READ_AHEAD, "0:45")->written);
	EXPECT(!setting(TT_READ_AHEAD, "0:45")->off);
	EXPECT(!restore());
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
	EXPECT(!restore());
	EXPECT_FILE("bdi/0:45/ra", "15360\n");
	EXPECT_FILE("bdi/0:46/ra", "128\n");
	finish("not even after a kill");
}

static void test_dry_run(void)
{
	prepare();
	start_as(true);
	EXPECT(!put(TT_RMEM_MAX, "", 4194304));
	EXPECT(setting(TT_RMEM_MAX, "")->value == 4194304);
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->value == 4194304 &&
	       !setting(TT_RMEM_MAX, "")->off, "forgotten");
	EXPECT_FILE("rmem_max", "212992\n");
	EXPECT(!folder_has("run"));
	EXPECT(!restore() && !*said, "%s", said);
	folder_put("rmem_max", "1000000\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_FOREIGN);
	finish("a dry run writes nothing at all");
}

static void test_no_ledger(void)
{
	prepare();
	folder_put("run", "a file where the folder should be");
	start();
	EXPECT(*apply_problem(apply));
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_DENIED);
	EXPECT(put(TT_RMEM_MAX, "", 4194304) == -EPERM);
	EXPECT_FILE("rmem_max", "212992\n");
	finish("no ledger, no write");

	prepare();
	EXPECT(!mkdir(folder_path("run"), 0777) &&
	       !chmod(folder_path("run"), 0777), "folder");
	start();
	EXPECT(put(TT_RMEM_MAX, "", 4194304) == -EPERM);
	finish("a folder that everybody may write to is no ledger's");
}

/* Nothing new can be written beside the ledger. */
static void block_ledger(void)
{
	char command[200];

	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p $(echo ledger-*).new/x", folder_path("run"));
	EXPECT(!system(command), "%s", command);
}

static void test_ledger_breaks(void)
{
	prepare();
	start();
	put(TT_WMEM_MAX, "", 4194304);
	folder_wipe("run");
	EXPECT(put(TT_RMEM_MAX, "", 4194304) == -ENOENT);
	EXPECT_FILE("rmem_max", "212992\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_DENIED);
	EXPECT(strstr(apply_problem(apply), "ledger"));
	EXPECT(!restore());
	EXPECT_FILE("wmem_max", "212992\n");
	finish("a ledger that breaks stops writes, not restore");

	prepare();
	start();
	put(TT_WMEM_MAX, "", 4194304);
	block_ledger();
	EXPECT(!restore());
	EXPECT_FILE("wmem_max", "212992\n");
	folder_put("wmem_max", "4194304\n");
	start();
	EXPECT(!restore() && !*said, "%s", said);
	EXPECT_FILE("wmem_max", "4194304\n");
	finish("a full folder keeps no ledger of what was restored");

	prepare();
	start();
	put(TT_WMEM_MAX, "", 4194304);
	put(TT_RMEM_MAX, "", 4194304);
	folder_wipe("rmem_max");
	folder_put("rmem_max/file", "");
	block_ledger();
	EXPECT(restore() == -EISDIR, "%s", said);
	EXPECT(strstr(apply_problem(apply), "ledger"));
	finish("a ledger that still has what was restored is a problem");
}

static void test_module_gone(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	unlink(folder_path("rmem_max"));
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_ABSENT);
	folder_put("rmem_max", "212992\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(!setting(TT_RMEM_MAX, "")->off);
	EXPECT(!setting(TT_RMEM_MAX, "")->written);
	finish("a module that comes again starts anew");
}

int main(void)
{
	test_write_and_restore();
	test_bounds();
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
