// SPDX-License-Identifier: GPL-2.0
/* One daemon per folder: two processes, and one that was killed. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "../../lock.h"
#include "../test.h"
#include "../folder.h"

/* Starts a process that takes the lock and stays until it is killed. */
static pid_t start_holder(const char *rundir)
{
	char ready = 0;
	int pipes[2];
	pid_t pid, other;

	if (pipe(pipes))
		return -1;
	pid = fork();
	if (!pid) {
		ready = lock_take(rundir, &other) ? 'n' : 'y';
		if (write(pipes[1], &ready, 1) == 1)
			pause();
		_exit(1);
	}
	if (read(pipes[0], &ready, 1) != 1 || ready != 'y')
		return -1;
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

static void test_lock(void)
{
	pid_t holder = -1, other;
	const char *rundir = folder_path("run");
	struct stat st;

	test_begin();
	EXPECT(!lock_holder(rundir, &holder) && !holder, "%d", holder);
	EXPECT(!folder_has("run"), "made");
	test_end("nobody has it");

	test_begin();
	other = start_holder(rundir);
	EXPECT(other > 0, "%d", other);
	EXPECT(!lock_holder(rundir, &holder) && holder == other, "%d", holder);
	EXPECT(lock_take(rundir, &holder) == -EBUSY && holder == other, "%d",
	       holder);
	EXPECT(!stat(folder_path("run/lock"), &st) &&
	       (st.st_mode & 0777) == 0600, "%o", st.st_mode);
	test_end("another process has it");

	test_begin();
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	EXPECT(!lock_holder(rundir, &holder) && !holder, "%d", holder);
	EXPECT(!lock_take(rundir, &holder), "not free");
	test_end("that process was killed");
}

int main(void)
{
	folder_make();
	test_lock();
	folder_remove();
	return test_result();
}
