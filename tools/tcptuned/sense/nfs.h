/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_NFS_H
#define TCPTUNED_SENSE_NFS_H

#include "diag.h"

/**
 * nfs_listeners - TCP ports on which nfsd serves
 * @root: what comes before the paths, "" but in tests
 * @ports: the ports are added
 *
 * /proc/fs/nfsd belongs to the namespace that mounted it, which need not be
 * this one; then its ports have no connections here.
 * Returns: 0, also if no NFS server runs, or a negative errno
 */
int nfs_listeners(const char *root, struct diag_ports *ports);

/* Adds the TCP ports in the text of nfsd's portlist. */
void nfs_parse_portlist(const char *text, struct diag_ports *ports);

/**
 * nfs_parse_mount - a line of mountinfo
 * @line: without its newline; is cut into words
 * @mount: is set, but for @read_ahead_kb
 * Returns: false if it is no NFS mount over TCP
 */
bool nfs_parse_mount(char *line, struct tt_mount *mount);

#endif /* TCPTUNED_SENSE_NFS_H */
