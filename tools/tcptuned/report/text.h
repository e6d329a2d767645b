/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_REPORT_TEXT_H
#define TCPTUNED_REPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * text_print - show a status, in at most 80 columns
 * @status: content of the status file
 * @color: show color
 * @all: show all peers and values, not only the first
 * @out: where to
 * Returns: 0, or -EINVAL if @status is none
 */
int text_print(const char *status, bool color, bool all, FILE *out);

/* Prints a sentence, broken at blanks so that it stays in the columns. */
void text_wrap(FILE *out, int indent, const char *sentence);

#endif /* TCPTUNED_REPORT_TEXT_H */
