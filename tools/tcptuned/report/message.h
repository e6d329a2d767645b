/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kinds of messages in the log. Each has its own text in the journal's
 * catalog, tcptuned.catalog.
 */
#ifndef TCPTUNED_REPORT_MESSAGE_H
#define TCPTUNED_REPORT_MESSAGE_H

#include "../values.h"

enum message {
	MSG_WINDOW,		/* a limit was set for the paths' windows */
	MSG_READ_AHEAD,		/* that of a mount was set */
	MSG_SLOW_START,		/* bursts start at full speed */
	MSG_LOSSY,		/* what lossy connections change to */
	MSG_RECONNECT,		/* a connection is made anew */
	MSG_RESTORED,		/* a value was put back, or left to others */
	MSG_BUDGET,		/* memory holds values down */
	MSG_FOREIGN,		/* something else set or changed a value */
	MSG_RIVAL,		/* another program tunes this machine */
	MSG_DENIED,		/* a value is not ours to write */
	MSG_NOT_SET,		/* a value could not be written */
	MSG_NO_TCPBUF,		/* the kernel lacks the files */
	MSG_LEDGER,		/* originals cannot be recorded */
	MSG_SENSE,		/* something could not be read */
	MSG_NOT_KEPT,		/* a file could not be written or read */
	MSG_READ_ONLY,		/* the runtime folder cannot be written */
	MSG_CONF_BAD,		/* the configuration has an error */
	MSG_CONF_READ,		/* it was read again */
	MSG_RESUME,		/* values are taken back from others */
	MSG_RUNNING,		/* another daemon is there */
	MSG_STOP,		/* the daemon ends */
	MSG_FAILED,		/* the daemon cannot start or go on */
	MESSAGES,
};

/* Returns: how urgent it is, as in syslog(3). */
int message_level(enum message message);

/* Returns: its MESSAGE_ID=, see systemd.journal-fields(7). */
const char *message_id(enum message message);

/* Returns: the kind that a change of a tunable is of. */
enum message message_of(enum tt_tunable id);

#endif /* TCPTUNED_REPORT_MESSAGE_H */
