/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_REPORT_LOG_H
#define TCPTUNED_REPORT_LOG_H

#include <syslog.h>

#include "../values.h"
#include "message.h"

/**
 * log_open - say where lines go
 * @level: LOG_WARNING, LOG_INFO, LOG_DEBUG; less urgent lines are dropped
 */
void log_open(int level);

/* Log a line. */
void log_line(enum message message, const char *format, ...) __printf(2, 3);

/*
 * Log a line unless it is one of the last that came through here. For what
 * every poll finds again. log_forget() lets them through.
 */
void log_once(enum message message, const char *format, ...) __printf(2, 3);

/* Lets log_once() say everything again. */
void log_forget(void);

/**
 * log_change - log a value that was written
 * @name: the tunable
 * @before: what it was
 * @setting: how it stands now
 * @dry_run: it was not really written
 */
void log_change(const char *name, u64 before, const struct tt_setting *setting,
		bool dry_run);

#endif /* TCPTUNED_REPORT_LOG_H */
