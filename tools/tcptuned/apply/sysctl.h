/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_APPLY_SYSCTL_H
#define TCPTUNED_APPLY_SYSCTL_H

#include "../values.h"

/* Room for the name of such a file. */
#define SYSCTL_PATH_MAX 256

/**
 * sysctl_path - name the file of a target
 * @path: is filled, SYSCTL_PATH_MAX bytes
 * @root: what comes before the row's path
 * @row: the tunable
 * @instance: what goes in the place of its %s
 * Returns: 0 or -ENAMETOOLONG
 */
int sysctl_path(char *path, const char *root, const struct tt_row *row,
		const char *instance);

/*
 * Read a number, or a word as one. Returns: 0 or a negative errno, -EINVAL if
 * there is no such number.
 */
int sysctl_read(const char *path, u8 field, u64 *value);

/**
 * sysctl_write - write a number, leaving those beside it as they are, or a word
 * @path: the file
 * @field: which of its numbers, from 0, or TT_WORD
 * @value: what to write
 * @nowp: is set to what the file says afterwards, also after an error
 *
 * A vector is not written atomically by the kernel: an error may leave part of
 * it behind, so what is true is what was read.
 * Returns: 0 or a negative errno; @nowp is not set if nothing could be read
 */
int sysctl_write(const char *path, u8 field, u64 value, u64 *nowp);

/*
 * Whether it may be written, without doing so. Returns: 0 or a negative errno.
 */
int sysctl_probe(const char *path);

/*
 * Tell a mount's file from another mount's with the same name. The kernel gives
 * device numbers of mounts again, inode numbers of sysfs not. Returns: its
 * inode number, 0 if there is none.
 */
u64 sysctl_ident(const char *path);

#endif /* TCPTUNED_APPLY_SYSCTL_H */
