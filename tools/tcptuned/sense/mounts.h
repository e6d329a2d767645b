/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mounts: the NFS mounts, and which of them are of this network namespace.
 *
 * A mount is seen in every network namespace, its connections in one. So a
 * mount is of this namespace once a connection to its server is seen here, and
 * stays so: an idle mount gives up its connection after some minutes.
 */
#ifndef TCPTUNED_SENSE_MOUNTS_H
#define TCPTUNED_SENSE_MOUNTS_H

#include "diag.h"

struct mounts;

/* Returns: 0 or a negative errno; @root comes before paths, "" but in tests. */
int mounts_open(struct mounts **mountsp, const char *root);

/* Undoes mounts_open(), also of NULL. */
void mounts_close(struct mounts *mounts);

/*
 * Read mountinfo if the kernel says that it has changed. Returns: 0 or a
 * negative errno.
 */
int mounts_refresh(struct mounts *mounts);

/* Adds the ports of all servers. */
void mounts_ports(const struct mounts *mounts, struct diag_ports *ports);

/**
 * mounts_connected - take note of a connection of this namespace
 * @mounts: from mounts_open()
 * @peer: address of its other end
 * @port: port of its other end
 * Returns: whether it is that of a mount
 */
bool mounts_connected(struct mounts *mounts, const struct tt_addr *peer,
		      u16 port);

/**
 * mounts_list - the mounts of this namespace
 * @mounts: from mounts_open()
 * @nmounts: is set to the length
 * Returns: mounts with their read-ahead as it is now, one per device, valid
 * until the next call that takes @mounts
 */
struct tt_mount *mounts_list(struct mounts *mounts, size_t *nmounts);

#endif /* TCPTUNED_SENSE_MOUNTS_H */
