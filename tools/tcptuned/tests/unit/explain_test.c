// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "../test.h"
#include "../../policy/table.h"
#include "../../report/explain.h"

#define MIB	1048576ULL
#define GBIT	1000000000ULL

static const struct {
	const char		*name;
	struct tt_path		path;
	struct tt_setting	setting;
	bool			tcpbuf;
	bool			budget_limited;
	const char		*expected;
} cases[] = {
	{ "nothing moved", { .nconns = 2, .rtt_us = 30000,
	    .link = { .name = "eth0", .rate_bps = 10 * GBIT,
		      .source = TT_LINK_ETHTOOL } }, { .value = 0 }, true, false,
	  "10.0.0.1, an NFS client of this host (2 connections), is 30ms away, over eth0, which carries 10gbit according to the device.\n"
	  "To it: no data has moved yet.\nFrom it: no data has moved yet.\n" },
	{ "a link that does more than it says",
	  { .nconns = 4, .rtt_us = 100000, .share_percent = 26,
	    .link = { .name = "veth0", .source = TT_LINK_OUTRUN },
	    .now_bps = { GBIT }, .best_bps = { GBIT },
	    .limit = { TT_LIMIT_SNDBUF }, .window_bytes = { 50000000 } },
	  { .target = { TT_SRV_SNDBUF, "" }, .value = 0 }, true, false,
	  "10.0.0.1, an NFS client of this host (4 connections), is 100ms away, over veth0, which is faster than it claims.\n"
	  "To it: 1gbit now, 1gbit at best; the send buffer limits it. 4.0 x 1gbit x 100ms = 47.7M of window, of which one connection needs 26 %; TCP provides that by itself.\n"
	  "From it: requests only.\n" },
	{ "a ceiling was set", { .nconns = 1, .rtt_us = 100000,
	    .now_bps = { GBIT / 2 }, .best_bps = { GBIT },
	    .limit = { TT_LIMIT_SNDBUF }, .window_bytes = { 25000000 } },
	  { .target = { TT_SRV_SNDBUF, "" }, .value = 24 * MIB,
	    .written = true }, true, false,
	  "10.0.0.1, an NFS client of this host (1 connection), is 100ms away, over a link of unknown rate.\n"
	  "To it: 500mbit now, 1gbit at best; the send buffer limits it. 2.0 x 1gbit x 100ms = 23.8M of window; sunrpc.tcp_sndbuf was set to 24.0M.\n"
	  "From it: requests only.\n" },
	{ "the peer's window, proven or not",
	  { .nconns = 1, .rtt_us = 100000, .now_bps = { GBIT },
	    .best_bps = { GBIT }, .proven = { true },
	    .limit = { TT_LIMIT_RWND }, .window_bytes = { 25000000 } },
	  { .target = { TT_SRV_SNDBUF, "" }, .value = 24 * MIB,
	    .written = true }, true, false,
	  "10.0.0.1, an NFS client of this host (1 connection), is 100ms away, over a link of unknown rate.\n"
	  "To it: 1gbit now, 1gbit at best; 10.0.0.1's window limits it: raise it at that end. 2.0 x 1gbit x 100ms = 23.8M of window; sunrpc.tcp_sndbuf was set to 24.0M.\n"
	  "From it: requests only.\n" },
	{ "the budget, proven or not",
	  { .nconns = 1, .rtt_us = 100000, .now_bps = { GBIT },
	    .best_bps = { GBIT }, .proven = { true },
	    .limit = { TT_LIMIT_SNDBUF }, .window_bytes = { 25000000 } },
	  { .target = { TT_SRV_SNDBUF, "" }, .value = 8 * MIB,
	    .written = true }, true, true,
	  "10.0.0.1, an NFS client of this host (1 connection), is 100ms away, over a link of unknown rate.\n"
	  "To it: 1gbit now, 1gbit at best; the send buffer limits it, and the memory budget limits that. 2.0 x 1gbit x 100ms = 23.8M of window; sunrpc.tcp_sndbuf was set to 8.0M.\n"
	  "From it: requests only.\n" },
	{ "this end's window, proven or not",
	  { .nconns = 1, .rtt_us = 100000, .now_bps = { 0, GBIT },
	    .best_bps = { 0, GBIT }, .proven = { false, true },
	    .limit = { 0, TT_LIMIT_RWND }, .window_bytes = { 0, 25000000 } },
	  { .target = { TT_SRV_RCVBUF, "" }, .value = 24 * MIB,
	    .written = true }, true, false,
	  "10.0.0.1, an NFS client of this host (1 connection), is 100ms away, over a link of unknown rate.\n"
	  "To it: replies only.\n"
	  "From it: 1gbit now, 1gbit at best; the window of this end limits it. 2.0 x 1gbit x 100ms = 23.8M of window; sunrpc.tcp_rcvbuf was set to 24.0M.\n"
	},
	{ "learned, proven, and left alone",
	  { .nconns = 0, .rtt_us = 100000, .learned = true,
	    .best_bps = { GBIT }, .proven = { true },
	    .limit = { TT_LIMIT_CONGESTION }, .window_bytes = { 25000000 } },
	  { .target = { TT_SRV_SNDBUF, "" }, .value = MIB,
	    .off = TT_OFF_FOREIGN }, true, false,
	  "10.0.0.1, an NFS client of this host (not connected), is 100ms away, over a link of unknown rate; learned in an earlier run.\n"
	  "To it: 0bit now, 1gbit at best; more window makes it no faster. 2.0 x 1gbit x 100ms = 23.8M of window; sunrpc.tcp_sndbuf is 1.0M and left alone.\n"
	  "From it: requests only.\n" },
	{ "loss", { .nconns = 1, .rtt_us = 30000, .lost_ppm = 100,
	    .now_bps = { 50000000 },
	    .best_bps = { 50000000 }, .limit = { TT_LIMIT_CONGESTION },
	    .window_bytes = { 375000 } },
	  { .target = { TT_SRV_LOSSY, "" }, .off = TT_OFF_ABSENT }, true, false,
	  "10.0.0.1, an NFS client of this host (1 connection), is 30ms away, over a link of unknown rate.\n"
	  "To it: 50mbit now, 50mbit at best; the path is full or loses packets. 2.0 x 50mbit x 30ms = 366.2K of window; this kernel has no sunrpc.tcp_sndbuf.\n"
	  "Of a million packets 100 were sent again while no queue stood: a connection of CUBIC carries 46.3mbit then (RFC 9438, section 5.1); with net.ipv4.tcp_congestion_control=bbr new ones carry more, and strangers less.\n"
	  "From it: requests only.\n" },
	{ "a window scale", { .nconns = 1, .rtt_us = 120000,
	    .scaled_us = 1000000, .now_bps = { 0, 4 * GBIT },
	    .best_bps = { 0, 4 * GBIT }, .limit = { 0, TT_LIMIT_RWND },
	    .window_bytes = { 0, 120000000 } },
	  { .target = { TT_SRV_RCVBUF, "" }, .value = 120000000,
	    .written = true }, true, false,
	  "10.0.0.1, an NFS client of this host (1 connection), is 120ms away, over a link of unknown rate.\n"
	  "To it: replies only.\n"
	  "From it: 4gbit now, 4gbit at best; the window of this end limits it, and the window scale, agreed when it connected, allows no more. 2.0 x 4gbit x 120ms = 114.4M of window; sunrpc.tcp_rcvbuf was set to 114.4M.\n"
	},
	{ "without sunrpc-tcpbuf", { .nconns = 1, .rtt_us = 1000,
	    .now_bps = { 0, GBIT }, .best_bps = { 0, GBIT },
	    .limit = { 0, TT_LIMIT_APPLICATION },
	    .window_bytes = { 0, 250000 } },
	  { .target = { TT_TCP_RMEM, "" }, .value = 6 * MIB }, false, false,
	  "10.0.0.1, an NFS client of this host (1 connection), is 1ms away, over a link of unknown rate.\n"
	  "To it: replies only.\n"
	  "From it: 1gbit now, 1gbit at best; the application, NFS slots or threads ask for no more, or that end limits it. 2.0 x 1gbit x 1ms = 244.1K of window; TCP provides that by itself.\n"
	},
};

int main(void)
{
	struct tt_addr peer = { .in6.s6_addr = { [10] = 255, 255, 10, [15] = 1 } };
	char text[1500], all[1500];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tt_path path = cases[i].path;
		struct tt_host host = { };
		struct tt_decision decision = { };
		struct status_input input = {
			.host = &host, .paths = &path, .npaths = 1,
			.settings = &cases[i].setting, .nsettings = 1,
			.table = table_rows, .decision = &decision,
		};

		decision.needs[TT_SERVER][TT_OUT].tunable = TT_SRV_SNDBUF;
		decision.needs[TT_SERVER][TT_IN].tunable = TT_SRV_RCVBUF;
		decision.needs[TT_SERVER][TT_OUT].budget_limited =
			cases[i].budget_limited;
		if (!cases[i].tcpbuf)
			decision.needs[TT_SERVER][TT_IN].tunable = TT_TCP_RMEM;
		path.peer = peer;
		explain_path(&input, &path, text, sizeof(text));
		EXPECT(!strcmp(text, cases[i].expected), "got\n%s", text);
		/* Whatever the room, it ends in it. */
		memcpy(all, text, sizeof(all));
		for (size_t size = 1; size < 100; size++) {
			explain_path(&input, &path, text, size);
			EXPECT(!strncmp(text, all, size - 1) &&
			       strlen(text) == size - 1, "%zu bytes", size);
		}
		test_end(cases[i].name);
	}
	return test_result();
}
