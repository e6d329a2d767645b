// SPDX-License-Identifier: GPL-2.0
/*
 * One daemon per runtime folder: a record lock, because the kernel tells who
 * has it, and gives it back however that process ends. Only its owner may
 * open the file, so that nobody else can hold the lock against the daemon.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "file.h"

#define FILE_NAME "lock"

static int lock_open(const char *rundir, bool make)
{
	int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (make ? O_CREAT : 0);
	int dir, fd;

	dir = make ? file_own_dir(rundir, true) : file_dir(rundir, false);
	if (dir < 0)
		return dir;
	fd = openat(dir, FILE_NAME, flags, 0600);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int lock_query(int fd, pid_t *holder)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_GETLK, &lock))
		return -errno;
	*holder = lock.l_type == F_UNLCK ? 0 : lock.l_pid;
	return 0;
}

int lock_take(const char *rundir, pid_t *holder)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = lock_open(rundir, true);
	int err;

	if (fd < 0)
		return fd;
	/* It stays open: closing it would give the lock back. */
	if (!fcntl(fd, F_SETLK, &lock))
		return 0;
	err = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	*holder = 0;
	if (err == -EBUSY)
		lock_query(fd, holder);
	close(fd);
	return err;
}

int lock_holder(const char *rundir, pid_t *holder)
{
	int fd = lock_open(rundir, false);
	int err;

	*holder = 0;
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fd;
	err = lock_query(fd, holder);
	close(fd);
	return err;
}
