/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ending a connection, so that the client makes it anew.
 */
#ifndef TCPTUNED_APPLY_RECONNECT_H
#define TCPTUNED_APPLY_RECONNECT_H

#include "../values.h"

/* Whoever has more such peers may be asked twice. */
#define RECONNECTS_MAX 64

/**
 * struct reconnects - what was made anew
 * @done: each, the last of a peer
 * @n: length
 */
struct reconnects {
	struct tt_reconnect	done[RECONNECTS_MAX];
	size_t			n;
};

/* Takes note of one, whatever becomes of it. */
void reconnects_note(struct reconnects *reconnects,
		     const struct tt_reconnect *reconnect);

/*
 * End a connection of this network namespace. Returns: 0 or a negative errno,
 * -EOPNOTSUPP if the kernel has no CONFIG_INET_DIAG_DESTROY.
 */
int reconnect_destroy(const struct tt_reconnect *reconnect);

#endif /* TCPTUNED_APPLY_RECONNECT_H */
