/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_H
#define TCPTUNED_SENSE_H

#include "../types.h"

struct sense;

/**
 * sense_open - prepare to read this network namespace
 * @sensep: is set to what the other functions take
 * Returns: 0 or a negative errno
 */
int sense_open(struct sense **sensep);

/**
 * sense_open_root - the same, with the files of /proc and /sys elsewhere
 * @sensep: is set to what the other functions take
 * @root: what comes before their paths, "" but in tests
 *
 * Netlink answers for this network namespace all the same.
 * Returns: 0 or a negative errno
 */
int sense_open_root(struct sense **sensep, const char *root);

/**
 * sense_snapshot - read everything
 * @sense: from sense_open()
 * @conf: which roles to read, and the rate of links if it is given
 *
 * What cannot be read is left out (an unknown rate is 0); the reason is kept
 * for sense_problem().
 * Returns: a snapshot that is valid until the next call, NULL if there was no
 * memory
 */
const struct tt_snapshot *sense_snapshot(struct sense *sense,
					 const struct tt_conf *conf);

/*
 * What could not be read by the last sense_snapshot(). Returns: a sentence, or
 * NULL if there was none.
 */
const char *sense_problem(const struct sense *sense);

/* Undo sense_open(). */
void sense_close(struct sense *sense);

#endif /* TCPTUNED_SENSE_H */
