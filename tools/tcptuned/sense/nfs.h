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

/**
 * nfs_sessions_only - whether nobody has used the server but by NFSv4.1 or later
 * @text: of /proc/net/rpc/nfsd, which counts procedures and operations
 *
 * It counts in the server's namespace, since the module was loaded.
 */
bool nfs_sessions_only(const char *text);

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
