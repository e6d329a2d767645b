/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_HOST_H
#define TCPTUNED_SENSE_HOST_H

#include "../types.h"

/**
 * host_read - the memory of the machine, and what TCP may take and takes
 * @root: what comes before the paths, "" but in tests
 * @host: is set; what is not known is 0
 *
 * Only the first network namespace shows net.ipv4.tcp_mem.
 */
void host_read(const char *root, struct tt_host *host);

/* TCP's pages in the text of /proc/net/sockstat, 0 if it does not say. */
u64 host_parse_sockstat(const char *text);

#endif /* TCPTUNED_SENSE_HOST_H */
