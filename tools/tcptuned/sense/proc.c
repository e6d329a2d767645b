// SPDX-License-Identifier: GPL-2.0
/*
 * The small files in which the kernel says things.
 */
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int proc_read(const char *root, const char *path, char *buf, size_t size)
{
	char name[PATH_MAX];
	size_t len = 0;
	ssize_t got;
	int fd;

	snprintf(name, sizeof(name), "%s%s", root, path);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, buf + len, size - 1 - len);
		if (got > 0)
			len += got;
	} while (got > 0);
	got = got < 0 ? -errno : 0;
	close(fd);
	buf[len] = '\0';
	return got;
}

size_t proc_numbers(const char *text, u64 *numbers, size_t n)
{
	size_t found = 0;

	while (found < n) {
		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			break;
		numbers[found++] = strtoull(text, (char **)&text, 10);
	}
	return found;
}
