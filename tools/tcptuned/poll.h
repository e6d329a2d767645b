/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_POLL_H
#define TCPTUNED_POLL_H

#include <time.h>

#include "daemon.h"

/* Poll once. Returns: 0 or -ENOMEM. */
int poll_run(struct daemon *daemon);

/* Keeps the learned paths for the next run. */
void poll_save(struct daemon *daemon, u64 now_us);

/* Removes status and metrics, which are no longer true. */
void poll_withdraw(struct daemon *daemon);

/* Returns: a clock, in microseconds. */
u64 poll_clock_us(clockid_t clock);

/* Returns: seconds since 1970. */
u64 poll_unix_s(void);

#endif /* TCPTUNED_POLL_H */
