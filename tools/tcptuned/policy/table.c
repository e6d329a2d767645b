// SPDX-License-Identifier: GPL-2.0
/*
 * THE TABLE: what is tuned. To add a tunable, add a row and a rule.
 *
 * Bounds are those of the kernel: an int in net.core and net.ipv4, half of one
 * for sunrpc.tcp_*buf, whose double must fit into an int.
 */
#include <limits.h>

#include "table.h"

const struct tt_row table_rows[TT_TUNABLES] = {
	[TT_RMEM_MAX] = {
		.id = TT_RMEM_MAX,
		.name = "net.core.rmem_max",
		.path = "/proc/sys/net/core/rmem_max",
		.min = 2304,
		.max = INT_MAX,
		.multiple = 1,
	},
	[TT_WMEM_MAX] = {
		.id = TT_WMEM_MAX,
		.name = "net.core.wmem_max",
		.path = "/proc/sys/net/core/wmem_max",
		.min = 4608,
		.max = INT_MAX,
		.multiple = 1,
	},
	[TT_SRV_RCVBUF] = {
		.id = TT_SRV_RCVBUF,
		.name = "sunrpc.tcp_rcvbuf",
		.path = "/proc/sys/sunrpc/tcp_rcvbuf",
		.max = INT_MAX / 2,
		.multiple = 1,
		.from_zero = true,
	},
	[TT_SRV_SNDBUF] = {
		.id = TT_SRV_SNDBUF,
		.name = "sunrpc.tcp_sndbuf",
		.path = "/proc/sys/sunrpc/tcp_sndbuf",
		.max = INT_MAX / 2,
		.multiple = 1,
		.from_zero = true,
	},
	[TT_CLNT_RCVBUF] = {
		.id = TT_CLNT_RCVBUF,
		.name = "sunrpc.tcp_clnt_rcvbuf",
		.path = "/proc/sys/sunrpc/tcp_clnt_rcvbuf",
		.max = INT_MAX / 2,
		.multiple = 1,
		.from_zero = true,
	},
	[TT_CLNT_SNDBUF] = {
		.id = TT_CLNT_SNDBUF,
		.name = "sunrpc.tcp_clnt_sndbuf",
		.path = "/proc/sys/sunrpc/tcp_clnt_sndbuf",
		.max = INT_MAX / 2,
		.multiple = 1,
		.from_zero = true,
	},
	[TT_TCP_RMEM] = {
		.id = TT_TCP_RMEM,
		.name = "net.ipv4.tcp_rmem",
		.path = "/proc/sys/net/ipv4/tcp_rmem",
		.field = 2,
		.min = 1,
		.max = INT_MAX,
		.multiple = 1,
	},
	[TT_TCP_WMEM] = {
		.id = TT_TCP_WMEM,
		.name = "net.ipv4.tcp_wmem",
		.path = "/proc/sys/net/ipv4/tcp_wmem",
		.field = 2,
		.min = 1,
		.max = INT_MAX,
		.multiple = 1,
	},
	[TT_SLOW_START] = {
		.id = TT_SLOW_START,
		.name = "net.ipv4.tcp_slow_start_after_idle",
		.path = "/proc/sys/net/ipv4/tcp_slow_start_after_idle",
		.max = 1,
		.multiple = 1,
	},
	[TT_READ_AHEAD] = {
		.id = TT_READ_AHEAD,
		.name = "read_ahead_kb",
		.path = "/sys/class/bdi/%s/read_ahead_kb",
		.max = INT_MAX,
		/* Whole pages; none of the kernel's are larger than this. */
		.multiple = 64,
	},
};
