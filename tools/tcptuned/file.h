/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small files in folders of our own: reads are bounded, writes are all or
 * nothing. No symbolic link is followed.
 */
#ifndef TCPTUNED_FILE_H
#define TCPTUNED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Longest name of a file. */
#define FILE_NAME_MAX 55

/**
 * file_dir - open a folder
 * @path: its name
 * @make: make it if it is not there
 * Returns: a descriptor for the functions below, or a negative errno; -EPERM
 * if everybody may write to it
 */
int file_dir(const char *path, bool make);

/**
 * file_own_dir - open a folder whose files are trusted
 * @path: its name
 * @make: make it if it is not there
 * Returns: as file_dir(); also -EPERM if a group may write to it, or if it
 * belongs to somebody who is neither root nor this user. Root trusts every
 * owner, because the service's user is one.
 */
int file_own_dir(const char *path, bool make);

/**
 * file_parent - open the folder that a file is in
 * @path: the file's name
 * @name: is set to the last part of it
 * Returns: as file_dir(), or -ENOMEM
 */
int file_parent(const char *path, const char **name);

/**
 * file_read - read a file
 * @dir: from file_dir()
 * @name: its name there
 * @max_bytes: a longer one is refused
 * @text: is set to the content, with a 0 behind it, for free()
 * Returns: 0 or a negative errno; -EFBIG if it is too long, -EINVAL if it is
 * not a plain file or has a 0 inside
 */
int file_read(int dir, const char *name, size_t max_bytes, char **text);

/**
 * file_write - replace a file at once
 * @dir: from file_dir()
 * @name: its name there
 * @text: what it is to say
 * @sync: wait for the disk, so that a power cut leaves the old or the new one
 *
 * Everybody may read it, whatever the umask. What root writes belongs to the
 * owner of the folder, so that the service can go on with it.
 * Returns: 0 or a negative errno, the old file being as it was
 */
int file_write(int dir, const char *name, const char *text, bool sync);

/* The same for several pieces, one behind the other, of any bytes. */
int file_write_pieces(int dir, const char *name, const struct iovec *pieces,
		      size_t npieces, bool sync);

/* Rename a damaged file to NAME.damaged. Returns: 0 or a negative errno. */
int file_set_aside(int dir, const char *name);

#endif /* TCPTUNED_FILE_H */
