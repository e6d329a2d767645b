/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_LOCK_H
#define TCPTUNED_LOCK_H

#include <sys/types.h>

/**
 * lock_take - be the only one until this process ends
 * @rundir: the runtime folder; it is made if it is not there
 * @holder: is set to the process that has it if the answer is -EBUSY; 0 if
 *	that is in another process namespace
 * Returns: 0 or a negative errno
 */
int lock_take(const char *rundir, pid_t *holder);

/**
 * lock_holder - who has it
 * @rundir: the runtime folder
 * @holder: is set; 0 for nobody
 * Returns: 0 or a negative errno
 */
int lock_holder(const char *rundir, pid_t *holder);

#endif /* TCPTUNED_LOCK_H */
