// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "../../diagnose.h"
#include "../test.h"

#define MBIT 1000000ULL

static const char nothing[] = "nothing";

static struct tt_mount mounts[] = {
	{ .dev = "0:40", .dir = "/m", .rsize_bytes = 1 << 20,
	  .read_ahead_kb = 128 },
	{ .dev = "0:41", .dir = "/m", .rsize_bytes = 1 << 20,
	  .read_ahead_kb = 1 << 20 },
};

/* A path of 100 ms and, unless it is said, 1 Gbit/s with large windows. */
static const struct {
	const char		*cause;		/* the only one */
	const char		*fix;		/* holds this */
	u64			now_bps;
	bool			unknown;	/* rate of the link */
	bool			bare;		/* @fix is all of it */
	struct diagnose_host	host;
	struct tt_path		path;
	struct tt_conn		conn;
	const struct tt_mount	*mount;
} cases[] = {
	{ nothing, .path = { .role = TT_SERVER, .limit = { TT_LIMIT_LINK },
		    .best_bps = { 900 * MBIT } } },
	{ "window at this end", "memory budget of 10.0M", 100 * MBIT,
	  .host = { .has_sunrpc_tcpbuf = true, .budget_bytes = 10 << 20 },
	  .path = { .role = TT_SERVER, .limit = { TT_LIMIT_SNDBUF },
		    .best_bps = { 100 * MBIT } } },
	{ "window at this end", "net.ipv4.tcp_wmem=", 100 * MBIT,
	  .path = { .role = TT_SERVER, .limit = { TT_LIMIT_SNDBUF },
		    .best_bps = { 100 * MBIT } } },
	{ "window at this end", "sunrpc.tcp_clnt_rcvbuf=23003136", 100 * MBIT,
	  .host.has_sunrpc_tcpbuf = true,
	  .path = { .role = TT_CLIENT, .limit = { 0, TT_LIMIT_RWND },
		    .best_bps = { 0, 100 * MBIT } } },
	{ "window at this end", "net.ipv4.tcp_rmem=", 100 * MBIT,
	  .unknown = true,
	  .path = { .role = TT_CLIENT, .limit = { 0, TT_LIMIT_RWND },
		    .best_bps = { 0, 100 * MBIT } } },
	{ "window at that end", "# on ::", 100 * MBIT,
	  .path = { .role = TT_SERVER, .limit = { TT_LIMIT_RWND },
		    .best_bps = { 100 * MBIT } } },
	/* 65535 << 4 in 100 ms, at rest and at work. */
	{ "window scale", "	# on ::\n    ss -K dst :: sport = 2049", 83884800,
	  .path = { .role = TT_SERVER, .best_bps = { 1 } },
	  .conn = { .wscale = { 4, 14 }, .local_port = 2049 } },
	{ "window scale", "\n    ss -K dst :: dport = 2049", 80 * MBIT,
	  .unknown = true,
	  .path = { .role = TT_CLIENT, .limit = { 0, TT_LIMIT_RWND },
		    .best_bps = { 0, 80 * MBIT } },
	  .conn = { .wscale = { 14, 4 }, .peer_port = 2049 } },
	/* rmem_max is large enough: it must not be set to less. */
	{ "window scale", "ss -K dst :: dport = 2049", 80 * MBIT,
	  .bare = true, .unknown = true, .host.rmem_max_bytes = 1 << 30,
	  .path = { .role = TT_CLIENT, .limit = { 0, TT_LIMIT_RWND },
		    .best_bps = { 0, 80 * MBIT } },
	  .conn = { .wscale = { 14, 4 }, .peer_port = 2049 } },
	/* 8 MiB in 100 ms. */
	{ "session slots", "echo 1024 >", 671088640,
	  .host.slots = 8, .path.role = TT_CLIENT, .mount = &mounts[1] },
	{ nothing, .host.slots = 64, .path.role = TT_CLIENT, .mount = &mounts[1] },
	{ "nfs_congestion_kb", "nfs_congestion_kb=14974", 503316480,
	  .host.congestion_kb = 8192, .path.role = TT_CLIENT },
	{ nothing, .host.congestion_kb = 8192, .path.role = TT_SERVER },
	/* Two requests of 1 MiB in 100 ms. */
	{ "read-ahead", "/sys/class/bdi/0:40/read_ahead_kb", 167772160,
	  .path.role = TT_CLIENT, .mount = &mounts[0] },
	{ "read-ahead", "echo 4096 >", 50 * MBIT, .unknown = true,
	  .path = { .role = TT_CLIENT, .limit = { 0, TT_LIMIT_READ_AHEAD },
		    .best_bps = { 0, 50 * MBIT } }, .mount = &mounts[0] },
	{ "loss", "sunrpc.tcp_clnt_lossy_congestion_control=bbr", 50 * MBIT,
	  .host.has_lossy = true,
	  .path = { .role = TT_CLIENT, .limit = { TT_LIMIT_CONGESTION },
		    .best_bps = { 50 * MBIT } },
	  .conn = { .rtt_us = 101000, .sent_bytes = 100000000,
		    .resent_bytes = 10000 } },
	{ "loss", "net.ipv4.tcp_congestion_control=bbr", 50 * MBIT,
	  .path = { .role = TT_SERVER, .limit = { TT_LIMIT_CONGESTION },
		    .best_bps = { 50 * MBIT } },
	  .conn = { .rtt_us = 101000, .sent_bytes = 100000000,
		    .resent_bytes = 10000 } },
	{ nothing, .path = { .role = TT_SERVER, .limit = { TT_LIMIT_CONGESTION },
		    .best_bps = { 50 * MBIT } },
	  .conn = { .rtt_us = 120000, .sent_bytes = 100000000,
		    .resent_bytes = 10000 } },
	{ "queue", "cake bandwidth 900mbit", 900 * MBIT,
	  .path = { .role = TT_SERVER, .limit = { TT_LIMIT_CONGESTION },
		    .best_bps = { 900 * MBIT } }, .conn.rtt_us = 300000 },
	{ "MTU black hole", "tcp_mtu_probing=1", 0,
	  .conn = { .mss_bytes = 8948, .backoff = 4 } },
	{ nothing, .conn = { .mss_bytes = 1208, .backoff = 4 } },
	{ "server threads", "rpc.nfsd 32", 50 * MBIT,
	  .host = { .threads = 8, .queued = 1000, .woken = 300 },
	  .path = { .role = TT_SERVER, .best_bps = { 50 * MBIT } } },
	{ nothing, .host = { .threads = 8, .queued = 1000, .woken = 700 },
	  .path = { .role = TT_SERVER, .best_bps = { 50 * MBIT } } },
	/* 1 MiB in 100 ms, and less. */
	{ "one request at a time", "xargs", 80 * MBIT,
	  .path = { .role = TT_CLIENT, .limit = { 0, TT_LIMIT_APPLICATION },
		    .now_bps = { 0, 80 * MBIT }, .best_bps = { 0, 1 } },
	  .mount = &mounts[1] },
	{ nothing, .path = { .role = TT_CLIENT, .limit = { 0, TT_LIMIT_APPLICATION },
		    .now_bps = { 0, 8 * MBIT }, .best_bps = { 0, 1 } },
	  .mount = &mounts[1] },
};

static void test(size_t i)
{
	struct diagnose_finding found[DIAGNOSE_MOST];
	struct tt_path path = cases[i].path;
	struct tt_conn conn = cases[i].conn;
	size_t n;

	path.rtt_us = 100000;
	if (!cases[i].unknown)
		path.link.rate_bps = 1000 * MBIT;
	if (!conn.wscale[TT_OUT])
		memset(conn.wscale, 14, sizeof(conn.wscale));
	n = diagnose(&cases[i].host, &(struct diagnose_path) {
			.path = &path, .conn = &conn,
			.mount = cases[i].mount,
		     }, found);
	EXPECT(n == (cases[i].cause != nothing), "%zu", n);
	if (!n || cases[i].cause == nothing)
		return;
	EXPECT(!strcmp(found->cause, cases[i].cause), "%s", found->cause);
	EXPECT(strstr(found->fix, cases[i].fix), "%s", found->fix);
	EXPECT(!cases[i].bare || !strcmp(found->fix, cases[i].fix), "%s",
	       found->fix);
	EXPECT(found->now_bps == cases[i].now_bps, "%llu", found->now_bps);
	EXPECT(found->then_bps >= found->now_bps, "%llu", found->then_bps);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_begin();
		test(i);
		test_end(cases[i].cause);
	}
	return test_result();
}
