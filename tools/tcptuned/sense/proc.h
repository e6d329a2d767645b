/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_PROC_H
#define TCPTUNED_SENSE_PROC_H

#include "../types.h"

/**
 * proc_read - what a file says now
 * @root: what comes before the path, "" but in tests
 * @path: such as "/proc/net/sockstat"
 * @buf: takes the text, 0 at its end; what does not fit is cut off
 * @size: of @buf
 * Returns: 0 or a negative errno
 */
int proc_read(const char *root, const char *path, char *buf, size_t size);

/**
 * proc_numbers - the numbers that a text begins with, blanks between them
 * @text: such as "4096 131072 6291456\n"
 * @numbers: is filled; what is missing is left as it is
 * @n: how many are wanted
 * Returns: how many there were
 */
size_t proc_numbers(const char *text, u64 *numbers, size_t n);

#endif /* TCPTUNED_SENSE_PROC_H */
