// SPDX-License-Identifier: GPL-2.0
/*
 * What is somebody else's: values that others set, before or after us, and
 * files that are not given to us.
 */
#include "../apply.h"

#define NOBODY 65534

static void test_foreign(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	put(TT_WMEM_MAX, "", 4194304);
	folder_put("rmem_max", "1000000\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_FOREIGN);
	EXPECT(put(TT_RMEM_MAX, "", 5000000) == -EPERM);
	/* Between refresh and write. */
	folder_put("wmem_max", "1000001\n");
	EXPECT(put(TT_WMEM_MAX, "", 5000000) == -EBUSY);
	EXPECT_FILE("wmem_max", "1000001\n");
	/* Also if it becomes what we had written. */
	folder_put("rmem_max", "4194304\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_FOREIGN);
	EXPECT(!restore());
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
	EXPECT(!restore());
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
	apply_resume(apply, true);
	EXPECT(!setting(TT_RMEM_MAX, "")->off);
	EXPECT(!put(TT_RMEM_MAX, "", 5000000));
	EXPECT(!restore());
	EXPECT_FILE("rmem_max", "1000000\n");
	finish("after resume, the other's value is the original");
}

/* By sysctl.d before the start, or after it when the module is loaded. */
static void test_set_before(void)
{
	prepare();
	folder_put("zero", "300000\n");
	start();
	apply_resume(apply, false);
	EXPECT(setting(TT_CLNT_SNDBUF, "")->off == TT_OFF_FOREIGN);
	EXPECT(put(TT_CLNT_SNDBUF, "", 500000) == -EPERM);
	EXPECT(!restore());
	EXPECT_FILE("zero", "300000\n");
	finish("what was set before the start is left alone");

	prepare();
	start();
	EXPECT(setting(TT_CLNT_SNDBUF, "")->off == TT_OFF_ABSENT);
	folder_put("zero", "300000\n");
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_CLNT_SNDBUF, "")->off == TT_OFF_FOREIGN);
	apply_resume(apply, true);
	EXPECT(!put(TT_CLNT_SNDBUF, "", 500000));
	apply_refresh(apply, NULL, 0);
	EXPECT(!setting(TT_CLNT_SNDBUF, "")->off);
	EXPECT(!restore());
	EXPECT_FILE("zero", "300000\n");
	finish("what came with the module is left alone until resume");

	prepare();
	folder_put("zero", "0\n");
	start();
	EXPECT(!put(TT_CLNT_SNDBUF, "", 500000));
	/* Killed: what is there is ours by the ledger. */
	start();
	apply_resume(apply, false);
	EXPECT(!setting(TT_CLNT_SNDBUF, "")->off);
	EXPECT(!restore());
	EXPECT_FILE("zero", "0\n");
	finish("a value of ours is not taken for one that was set before");
}

/* udev gives it a moment after the mount is there. */
static void test_right_comes_late(void)
{
	bool root = !geteuid();

	prepare();
	chmod(folder, 0755);
	chmod(folder_path("bdi/0:45/ra"), 0444);
	start();
	EXPECT(!root || !seteuid(NOBODY));
	apply_refresh(apply, mounts, 1);
	EXPECT(setting(TT_READ_AHEAD, "0:45")->off == TT_OFF_DENIED);
	EXPECT(!root || !seteuid(0));
	chmod(folder_path("bdi/0:45/ra"), 0666);
	EXPECT(!root || !seteuid(NOBODY));
	apply_refresh(apply, mounts, 1);
	EXPECT(!setting(TT_READ_AHEAD, "0:45")->off);
	EXPECT(!root || !seteuid(0));
	finish("the right to write may come later");
}

static void test_leave(void)
{
	prepare();
	start();
	put(TT_RMEM_MAX, "", 4194304);
	apply_leave(apply, TT_RMEM_MAX, true);
	apply_refresh(apply, NULL, 0);
	EXPECT(setting(TT_RMEM_MAX, "")->off == TT_OFF_FOREIGN);
	EXPECT(put(TT_RMEM_MAX, "", 5000000) == -EPERM);
	apply_leave(apply, TT_RMEM_MAX, false);
	apply_refresh(apply, NULL, 0);
	EXPECT(!setting(TT_RMEM_MAX, "")->off);
	apply_leave(apply, TT_RMEM_MAX, true);
	apply_refresh(apply, NULL, 0);
	EXPECT(!restore());
	EXPECT_FILE("rmem_max", "212992\n");
	finish("a tunable that is left still gets its original back");
}

int main(void)
{
	test_foreign();
	test_foreign_at_the_end();
	test_resume();
	test_set_before();
	test_right_comes_late();
	test_leave();
	return test_result();
}
