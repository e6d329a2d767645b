// SPDX-License-Identifier: GPL-2.0
/*
 * One number, or a word, in one file below /proc/sys or /sys.
 */
#include "sysctl.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../words.h"

#define TEXT_BYTES 256

int sysctl_path(char *path, const char *root, const struct tt_row *row,
		const char *instance)
{
	const char *place = strstr(row->path, "%s");
	size_t before = strcspn(row->path, "%");
	int len;

	len = snprintf(path, SYSCTL_PATH_MAX, "%s%.*s%s%s", root, (int)before,
		       row->path, place ? instance : "",
		       place ? place + 2 : "");
	return len < SYSCTL_PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Reads the line of @path. */
static int sysctl_read_text(const char *path, char text[TEXT_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, text, TEXT_BYTES - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	if (len < 0)
		return len;
	text[len] = '\0';
	return 0;
}

/* Finds a number: where it starts and ends in @text. */
static int sysctl_find_field(const char *text, u8 field, const char **start,
			     const char **end)
{
	do {
		while (isspace((unsigned char)*text))
			text++;
		*start = text;
		while (isdigit((unsigned char)*text))
			text++;
		*end = text;
	} while (field-- && *end > *start);
	if (*end == *start || (**end && !isspace((unsigned char)**end)))
		return -EINVAL;
	return 0;
}

int sysctl_read(const char *path, u8 field, u64 *value)
{
	const char *start, *end;
	char text[TEXT_BYTES];
	u64 found;
	int err;

	err = sysctl_read_text(path, text);
	if (!err && field == TT_WORD) {
		text[strcspn(text, "\n")] = '\0';
		*value = words_number(text);
		return 0;
	}
	if (!err)
		err = sysctl_find_field(text, field, &start, &end);
	if (err)
		return err;
	errno = 0;
	found = strtoull(start, NULL, 10);
	if (errno)
		return -errno;
	*value = found;
	return 0;
}

/* One write(2): the kernel takes a vector in one piece or not at all. */
static int sysctl_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t len = strlen(text);
	ssize_t done;
	int err = 0;

	if (fd < 0)
		return -errno;
	done = write(fd, text, len);
	if (done != len)
		err = done < 0 ? -errno : -EIO;
	close(fd);
	return err;
}

int sysctl_write(const char *path, u8 field, u64 value, u64 *nowp)
{
	char old[TEXT_BYTES], new[TEXT_BYTES + 24];
	const char *start, *end;
	int err, again;

	if (field == TT_WORD) {
		snprintf(new, sizeof(new), "%s\n", words_text(value));
	} else {
		err = sysctl_read_text(path, old);
		if (!err)
			err = sysctl_find_field(old, field, &start, &end);
		if (err)
			return err;
		snprintf(new, sizeof(new), "%.*s%llu%s", (int)(start - old),
			 old, (unsigned long long)value, end);
	}
	err = sysctl_write_text(path, new);
	again = sysctl_read(path, field, nowp);
	return err ? err : again;
}

int sysctl_probe(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

u64 sysctl_ident(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}
