// SPDX-License-Identifier: GPL-2.0
/*
 * THE TABLE: what is tuned. To add a tunable, add a row and a rule.
 *
 * Bounds are those of the kernel: an int in net.core and net.ipv4, half of one
 * for sunrpc.tcp_*buf, whose double must fit into an int.
 */
#include <limits.h>

#include "../words.h"
#include "table.h"

#define FILE_OF(tunable, folder, file) \
	.id = tunable, .name = folder "." file, .multiple = 1

/* Rows of net.core and net.ipv4, where a slash is a point. */
#define NET(tunable, part, file) \
	FILE_OF(tunable, "net." part, file), .max = INT_MAX, \
	.path = "/proc/sys/net/" part "/" file

#define SUNRPC(tunable, file) \
	FILE_OF(tunable, "sunrpc", file), .max = INT_MAX / 2, \
	.path = "/proc/sys/sunrpc/" file, .from_zero = true

#define WORD(tunable, role) \
	FILE_OF(tunable, "sunrpc", role "_lossy_congestion_control"), \
	.max = WORDS_MAX - 1, .field = TT_WORD, .from_zero = true, \
	.path = "/proc/sys/sunrpc/" role "_lossy_congestion_control"

const struct tt_row table_rows[TT_TUNABLES] = {
	[TT_RMEM_MAX] = { NET(TT_RMEM_MAX, "core", "rmem_max"), .min = 2304 },
	[TT_WMEM_MAX] = { NET(TT_WMEM_MAX, "core", "wmem_max"), .min = 4608 },
	[TT_SRV_RCVBUF] = { SUNRPC(TT_SRV_RCVBUF, "tcp_rcvbuf") },
	[TT_SRV_SNDBUF] = { SUNRPC(TT_SRV_SNDBUF, "tcp_sndbuf") },
	[TT_CLNT_RCVBUF] = { SUNRPC(TT_CLNT_RCVBUF, "tcp_clnt_rcvbuf") },
	[TT_CLNT_SNDBUF] = { SUNRPC(TT_CLNT_SNDBUF, "tcp_clnt_sndbuf") },
	[TT_TCP_RMEM] = { NET(TT_TCP_RMEM, "ipv4", "tcp_rmem"),
			  .field = 2, .min = 1 },
	[TT_TCP_WMEM] = { NET(TT_TCP_WMEM, "ipv4", "tcp_wmem"),
			  .field = 2, .min = 1 },
	[TT_SLOW_START] = {
		.id = TT_SLOW_START,
		.name = "net.ipv4.tcp_slow_start_after_idle",
		.path = "/proc/sys/net/ipv4/tcp_slow_start_after_idle",
		.max = 1,
		.multiple = 1,
	},
	[TT_SRV_LOSSY] = { WORD(TT_SRV_LOSSY, "tcp") },
	[TT_CLNT_LOSSY] = { WORD(TT_CLNT_LOSSY, "tcp_clnt") },
	[TT_READ_AHEAD] = {
		.id = TT_READ_AHEAD,
		.name = "read_ahead_kb",
		.path = "/sys/class/bdi/%s/read_ahead_kb",
		.max = INT_MAX,
		/* Whole pages; none of the kernel's are larger than this. */
		.multiple = 64,
	},
};
