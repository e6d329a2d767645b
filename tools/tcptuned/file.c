// SPDX-License-Identifier: GPL-2.0
/*
 * Small files in folders of our own. Whoever may write there is us or root,
 * so a fixed name for the file that is not finished yet is good enough; it is
 * made anew each time, and what a killed process left is removed first.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* With what is put behind it. */
#define NAME_BYTES (FILE_NAME_MAX + sizeof(".damaged"))

static int file_open_dir(const char *path, bool make, bool own)
{
	struct stat st;
	int dir, err;

	if (make && mkdir(path, 0755) && errno != EEXIST)
		return -errno;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	err = fstat(dir, &st) ? -errno : 0;
	if (!err && (st.st_mode & (own ? 0022 : 0002)))
		err = -EPERM;
	if (!err && own && geteuid() && st.st_uid && st.st_uid != geteuid())
		err = -EPERM;
	if (!err)
		return dir;
	close(dir);
	return err;
}

int file_dir(const char *path, bool make)
{
	return file_open_dir(path, make, false);
}

int file_own_dir(const char *path, bool make)
{
	return file_open_dir(path, make, true);
}

int file_parent(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *folder;
	int dir;

	*name = slash ? slash + 1 : path;
	if (!slash)
		return file_dir(".", false);
	folder = strndup(path, slash == path ? 1 : slash - path);
	if (!folder)
		return -ENOMEM;
	dir = file_dir(folder, false);
	free(folder);
	return dir;
}

/* Reads all of @fd, at most @max_bytes. */
static int file_read_all(int fd, size_t max_bytes, char **text)
{
	char *buf = malloc(max_bytes + 1);
	size_t len = 0;
	ssize_t got;

	if (!buf)
		return -ENOMEM;
	do {
		got = read(fd, buf + len, max_bytes + 1 - len);
		if (got > 0)
			len += got;
	} while (got > 0 && len <= max_bytes);
	if (got < 0 || len > max_bytes) {
		got = got < 0 ? -errno : -EFBIG;
		free(buf);
		return got;
	}
	buf[len] = '\0';
	if (strlen(buf) != len) {
		free(buf);
		return -EINVAL;
	}
	*text = buf;
	return 0;
}

int file_read(int dir, const char *name, size_t max_bytes, char **text)
{
	struct stat st;
	int fd, err;

	/* Not to be held up by a FIFO. */
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	else if (st.st_size > (off_t)max_bytes)
		err = -EFBIG;
	else
		err = file_read_all(fd, max_bytes, text);
	close(fd);
	return err;
}

static int file_write_all(int fd, const char *text, size_t len)
{
	ssize_t done;

	while (len) {
		done = write(fd, text, len);
		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			text += done;
			len -= done;
		}
	}
	return 0;
}

/* Gives a new file the access that file_write() promises. */
static int file_set_access(int dir, int fd)
{
	struct stat st;

	if (fchmod(fd, 0644))
		return -errno;
	if (geteuid())
		return 0;
	return fstat(dir, &st) || fchown(fd, st.st_uid, st.st_gid) ? -errno : 0;
}

int file_write_pieces(int dir, const char *name, const struct iovec *pieces,
		      size_t npieces, bool sync)
{
	char new[NAME_BYTES];
	int fd, err;

	snprintf(new, sizeof(new), "%s.new", name);
	unlinkat(dir, new, 0);
	fd = openat(dir, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	err = file_set_access(dir, fd);
	for (size_t i = 0; i < npieces && !err; i++)
		err = file_write_all(fd, pieces[i].iov_base, pieces[i].iov_len);
	if (!err && sync && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(dir, new, dir, name))
		err = -errno;
	if (err)
		unlinkat(dir, new, 0);
	else if (sync)
		fsync(dir);
	return err;
}

int file_write(int dir, const char *name, const char *text, bool sync)
{
	const struct iovec piece = {
		.iov_base = (char *)text, .iov_len = strlen(text),
	};

	return file_write_pieces(dir, name, &piece, 1, sync);
}

int file_set_aside(int dir, const char *name)
{
	char aside[NAME_BYTES];

	snprintf(aside, sizeof(aside), "%s.damaged", name);
	return renameat(dir, name, dir, aside) ? -errno : 0;
}
