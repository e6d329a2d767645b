/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enum names: the same words in the status, metrics, log, configuration and
 * learned paths.
 */
#ifndef TCPTUNED_REPORT_NAMES_H
#define TCPTUNED_REPORT_NAMES_H

#include "../values.h"

#define NAMES_LIMITS	(TT_LIMIT_READ_AHEAD + 1)
#define NAMES_SOURCES	(TT_LINK_OUTRUN + 1)
#define NAMES_OFF	(TT_OFF_DENIED + 1)
#define NAMES_TCP_LIMITS (TT_TCP_ALWAYS + 1)
#define NAMES_RECONNECT	(TT_RECONNECT_ALWAYS + 1)

extern const char * const names_role[TT_ROLES];
extern const char * const names_dir[TT_DIRS];
extern const char * const names_limit[NAMES_LIMITS];
extern const char * const names_source[NAMES_SOURCES];
extern const char * const names_off[NAMES_OFF];		/* "" if it is on */
extern const char * const names_tcp_limits[NAMES_TCP_LIMITS];
extern const char * const names_reconnect[NAMES_RECONNECT];

/* The same as parts of a sentence. */
extern const char * const names_limit_text[NAMES_LIMITS];
extern const char * const names_source_text[NAMES_SOURCES];
extern const char * const names_off_text[NAMES_OFF];

/* Returns: the index of @name among @n @names, or -1. */
int names_find(const char * const *names, size_t n, const char *name);

#endif /* TCPTUNED_REPORT_NAMES_H */
