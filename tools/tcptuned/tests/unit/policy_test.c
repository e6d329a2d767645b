// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "../test.h"
#include "../../bdp.h"
#include "../../policy/policy.h"
#include "../../policy/table.h"
#include "../../report/reason.h"

#define MIB	1048576ULL
#define GBIT	1000000000ULL

#define CONF(...) .conf = &(const struct tt_conf){ __VA_ARGS__ }

/* A world in a few words, and one value that comes of it; ~0 is none. */
static const struct {
	const char	*name;
	enum tt_role	role;
	struct tt_path	path;
	bool		stock;		/* the series is missing */
	enum tt_tunable	id;
	const struct tt_conf *conf;	/* NULL: the usual one */
	enum tt_hands_off off;
	enum tt_hands_off host_max_off;
	u64		written;	/* by an earlier decision */
	bool		rests;
	u64		fastest_bps;
	u64		expected;
	const char	*because;	/* the reason holds this */
} cases[] = {
	{ "a server's replies", TT_SERVER, { .window_bytes = { 100 * MIB } },
	  .id = TT_SRV_SNDBUF, .expected = 100 * MIB },
	{ "a server's requests", TT_SERVER,
	  { .window_bytes = { 0, 100 * MIB } }, .id = TT_SRV_RCVBUF,
	  .expected = 100 * MIB },
	{ "a client's requests", TT_CLIENT, { .window_bytes = { 100 * MIB } },
	  .id = TT_CLNT_SNDBUF, .expected = 100 * MIB },
	{ "a client's replies", TT_CLIENT, { .window_bytes = { 0, 100 * MIB } },
	  .id = TT_CLNT_RCVBUF, .expected = 100 * MIB },
	{ "several connections share the work", TT_SERVER,
	  { .nconns = 4, .share_percent = 25, .window_bytes = { 100 * MIB },
	    .reach_bytes = { 200 * MIB } }, .id = TT_SRV_SNDBUF,
	  .expected = 50 * MIB },
	{ "one of them does nearly all of it", TT_SERVER,
	  { .nconns = 4, .share_percent = 95, .window_bytes = { 100 * MIB } },
	  .id = TT_SRV_SNDBUF, .expected = 100 * MIB },
	{ "roles are not mixed", TT_CLIENT, { .window_bytes = { 100 * MIB } },
	  .id = TT_SRV_SNDBUF, .expected = ~0ULL },
	{ "a role that is not served", TT_SERVER,
	  { .window_bytes = { 100 * MIB } }, .id = TT_SRV_SNDBUF,
	  CONF(.roles = { false, true }, .memory_percent = 25),
	  .expected = ~0ULL },
	{ "hands off", TT_SERVER, { .window_bytes = { 100 * MIB } },
	  .id = TT_SRV_SNDBUF, .off = TT_OFF_FOREIGN, .expected = ~0ULL },
	{ "not above what the host allows", TT_SERVER,
	  { .window_bytes = { 100 * MIB } }, .id = TT_SRV_SNDBUF,
	  .host_max_off = TT_OFF_DENIED, .expected = 4 * MIB },
	{ "what TCP does by itself", TT_SERVER, { .window_bytes = { 2 * MIB } },
	  .id = TT_SRV_SNDBUF, .expected = ~0ULL },
	{ "never back to 0, which would take buffers away", TT_SERVER,
	  { .window_bytes = { MIB } }, .id = TT_SRV_SNDBUF,
	  .written = 100 * MIB, .expected = 2 * MIB },
	{ "nor when all are gone", TT_SERVER, { .nconns = 0 },
	  .id = TT_SRV_SNDBUF, .written = 100 * MIB, .expected = 2 * MIB },
	{ "up to what the link allows", TT_SERVER,
	  { .window_bytes = { 50 * MIB }, .reach_bytes = { 200 * MIB } },
	  .id = TT_SRV_SNDBUF, .written = 20 * MIB, .expected = 200 * MIB,
	  .because = "; set to what the link allows" },
	{ "which may be less than the window", TT_SERVER,
	  { .window_bytes = { 50 * MIB }, .reach_bytes = { 40 * MIB } },
	  .id = TT_SRV_SNDBUF, .rests = true, .expected = 40 * MIB,
	  .because = "; set to what the link allows" },
	{ "but not for a path that rests", TT_SERVER,
	  { .window_bytes = { 50 * MIB } }, .id = TT_SRV_SNDBUF,
	  .written = 20 * MIB, .rests = true, .expected = ~0ULL },
	{ "nor down while it rises", TT_SERVER,
	  { .window_bytes = { 50 * MIB }, .reach_bytes = { 200 * MIB } },
	  .id = TT_SRV_SNDBUF, .written = 150 * MIB, .expected = ~0ULL },
	{ "then down to what is needed", TT_SERVER,
	  { .window_bytes = { 50 * MIB } }, .id = TT_SRV_SNDBUF,
	  .written = 150 * MIB, .rests = true, .expected = 50 * MIB },
	{ "all within the budget", TT_SERVER, { .nconns = 1,
	  .window_bytes = { 50 * MIB }, .reach_bytes = { 1000 * MIB } },
	  .id = TT_SRV_SNDBUF, .expected = 5461 * 65536ULL },
	{ "the host's bound goes along", TT_SERVER,
	  { .window_bytes = { 100 * MIB } }, .id = TT_WMEM_MAX,
	  .expected = 100 * MIB },
	{ "for either role", TT_CLIENT, { .window_bytes = { 0, 300 * MIB } },
	  .id = TT_RMEM_MAX, .expected = 300 * MIB },
	{ "room for the window scale of the fastest link", TT_SERVER,
	  { .nconns = 1 }, .id = TT_RMEM_MAX, .fastest_bps = GBIT,
	  .expected = 573 * 65536 },
	{ "as if it were 1 Gbit/s, if that is not known", TT_SERVER,
	  { .nconns = 1 }, .id = TT_RMEM_MAX, .expected = 573 * 65536 },
	{ "but no more than a scale of 13 needs", TT_SERVER, { .nconns = 1 },
	  .id = TT_RMEM_MAX, .fastest_bps = 100 * GBIT, .expected = 256 * MIB },
	{ "but no room without need", TT_SERVER, { .nconns = 1 },
	  .id = TT_WMEM_MAX, .expected = ~0ULL },
	{ "with sunrpc-tcpbuf TCP's own stay", TT_SERVER,
	  { .window_bytes = { 100 * MIB } }, .id = TT_TCP_WMEM,
	  .expected = ~0ULL },
	{ "nor for a path that is not connected", TT_SERVER,
	  { .window_bytes = { 100 * MIB } }, true, TT_TCP_WMEM,
	  .expected = ~0ULL },
	{ "without it they are twice the window", TT_SERVER,
	  { .nconns = 1, .window_bytes = { 100 * MIB } }, true, TT_TCP_WMEM,
	  .expected = 200 * MIB },
	{ "unless the configuration says never", TT_SERVER,
	  { .window_bytes = { 100 * MIB } }, true, TT_TCP_WMEM,
	  CONF(.roles = { true, true }, .memory_percent = 25),
	  .expected = ~0ULL },
	{ "or it says always", TT_SERVER,
	  { .window_bytes = { 0, 100 * MIB } }, false, TT_TCP_RMEM,
	  CONF(.roles = { true, true }, .memory_percent = 25,
	       .tcp_limits = TT_TCP_ALWAYS), .expected = 200 * MIB },
	{ "a path that loses at random", TT_SERVER, { .lost_ppm = 100 },
	  .id = TT_SRV_LOSSY, .expected = 1 },
	{ "a client's", TT_CLIENT, { .lost_ppm = 100 }, .id = TT_CLNT_LOSSY,
	  .expected = 1 },
	{ "not for the other role", TT_CLIENT, { .lost_ppm = 100 },
	  .id = TT_SRV_LOSSY, .expected = ~0ULL },
	{ "no such path", TT_SERVER, { .nconns = 1 }, .id = TT_SRV_LOSSY,
	  .expected = ~0ULL },
	{ "as set once", TT_SERVER, { .nconns = 1 }, .id = TT_SRV_LOSSY,
	  .written = 1, .expected = ~0ULL },
	{ "another name", TT_SERVER, { .lost_ppm = 100 }, .id = TT_SRV_LOSSY,
	  CONF(.roles = { true, true }, .congestion_control = "dctcp"),
	  .written = 1, .expected = 2 },
	{ "not to be set", TT_SERVER, { .lost_ppm = 100 },
	  .id = TT_SRV_LOSSY,
	  CONF(.roles = { true, true }, .congestion_control = "no"),
	  .expected = ~0ULL },
	{ "nor to stay", TT_SERVER, { .lost_ppm = 100 }, .id = TT_SRV_LOSSY,
	  CONF(.roles = { true, true }, .congestion_control = "no"),
	  .written = 1, .expected = 0 },
	{ "slow start stays", TT_SERVER, { .nconns = 1 },
	  .id = TT_SLOW_START, .expected = ~0ULL },
	{ "unless it is to go", TT_SERVER, { .nconns = 1 },
	  .id = TT_SLOW_START, CONF(.slow_start_after_idle = true),
	  .expected = 0 },
	{ "read-ahead to begin with", TT_CLIENT,
	  { .rtt_us = 100000, .link = { .rate_bps = GBIT } },
	  .id = TT_READ_AHEAD, .expected = 24 * 1024 },
	{ "all that a fast link would take", TT_CLIENT,
	  { .rtt_us = 100000, .link = { .rate_bps = 10 * GBIT } },
	  .id = TT_READ_AHEAD, .expected = 239 * 1024 },
	{ "but no more than a share of memory", TT_CLIENT,
	  { .rtt_us = 100000, .link = { .rate_bps = 100 * GBIT } },
	  .id = TT_READ_AHEAD, .expected = 512 * 1024 },
	{ "more, if so much was written", TT_CLIENT,
	  { .rtt_us = 100000, .best_bps = { GBIT } }, .id = TT_READ_AHEAD,
	  .expected = 36 * 1024 },
	{ "more than to begin with is needed", TT_CLIENT,
	  { .rtt_us = 100000, .best_bps = { 0, 2 * GBIT } },
	  .id = TT_READ_AHEAD, .expected = 72 * 1024 },
	{ "3 BDP of what was read", TT_CLIENT, { .rtt_us = 100000,
	  .best_bps = { 0, GBIT / 10 }, .proven = { false, true } },
	  .id = TT_READ_AHEAD, .expected = 4 * 1024 },
	{ "a LAN's stays as it is", TT_CLIENT,
	  { .rtt_us = 200, .best_bps = { 0, GBIT }, .proven = { true, true } },
	  .id = TT_READ_AHEAD, .expected = ~0ULL },
	{ "a path that is not known", TT_CLIENT, { .nconns = 1 },
	  .id = TT_READ_AHEAD, .expected = ~0ULL },
	{ "not to be set", TT_CLIENT,
	  { .rtt_us = 100000 }, .id = TT_READ_AHEAD,
	  CONF(.roles = { true, true }), .expected = ~0ULL },
};

static const struct {
	const char	*name;
	u64		rate_bps;
	u32		rtt_us;
	u64		expected;
} computed[] = {
	{ "10 Gbit/s x 120 ms", 10 * GBIT, 120000, 300023808 },
	{ "1 Gbit/s x 30 ms", GBIT, 30000, 7536640 },
	{ "a LAN", GBIT, 200, 65536 },
	{ "400 Gbit/s x 10 s", 400 * GBIT, 10000000, 1073741823 },
	{ "the largest numbers", ~0ULL, ~0U, 1073741823 },
	{ "nothing", 0, 0, 0 },
};

static const u64 values[TT_TUNABLES] = {
	[TT_RMEM_MAX] = 4 * MIB, [TT_WMEM_MAX] = 4 * MIB,
	[TT_TCP_RMEM] = 6 * MIB, [TT_TCP_WMEM] = 4 * MIB,
	[TT_SLOW_START] = 1, [TT_READ_AHEAD] = 128,
};

static const struct tt_conf usual = {
	.roles = { true, true }, .memory_percent = 25, .read_ahead = true,
	.tcp_limits = TT_TCP_AUTO, .congestion_control = "auto",
};

static u64 decided(size_t i, char *reason)
{
	struct tt_setting settings[TT_TUNABLES] = { 0 };
	struct tt_mount mount = { .dev = "0:42", .rsize_bytes = 1 << 20 };
	struct tt_path path = cases[i].path;
	struct tt_host host = {
		.ram_bytes = 16384 * MIB,
		.tcp_mem_bytes = { 0, 1024 * MIB, 0 },
		.fastest_bps = cases[i].fastest_bps,
		.has_sunrpc_tcpbuf = !cases[i].stock,
	};
	struct tt_decision decision;
	struct policy_input input = {
		.now_us = 100000000, .conf = &usual, .host = &host,
		.paths = &path, .npaths = 1, .mounts = &mount, .nmounts = 1,
		.settings = settings, .nsettings = TT_TUNABLES,
	};

	if (cases[i].conf)
		input.conf = cases[i].conf;
	path.role = cases[i].role;
	for (int dir = 0; dir < TT_DIRS && !cases[i].rests; dir++)
		path.reach_bytes[dir] = max_u64(path.window_bytes[dir],
						path.reach_bytes[dir]);
	for (int id = 0; id < TT_TUNABLES; id++) {
		settings[id].target.id = id;
		settings[id].value = values[id];
	}
	memcpy(settings[TT_READ_AHEAD].target.instance, "0:42", 5);
	settings[TT_WMEM_MAX].off = cases[i].host_max_off;
	settings[cases[i].id].off = cases[i].off;
	if (cases[i].written) {
		settings[cases[i].id].value = cases[i].written;
		settings[cases[i].id].written = true;
	}
	policy_decide(&input, &decision);
	for (size_t j = 0; j < decision.nchanges; j++) {
		const struct tt_change *change = &decision.changes[j];

		if (change->target.id != cases[i].id)
			continue;
		reason_text(&change->reason, reason);
		return change->value;
	}
	return ~0ULL;
}

/* What compute prints is what the daemon writes for such a path. */
static void test_compute(u64 rate_bps, u32 rtt_us, bool tcpbuf)
{
	static const struct tt_conf conf = {
		.roles = { true, true }, .memory_percent = 90,
		.tcp_limits = TT_TCP_AUTO,
	};
	struct tt_setting settings[TT_TUNABLES] = { };
	struct tt_host host = {
		.ram_bytes = 1ULL << 45, .fastest_bps = rate_bps,
		.has_sunrpc_tcpbuf = tcpbuf,
	};
	u64 bytes = 2 * bdp_bytes(rate_bps, rtt_us);
	struct tt_path paths[TT_ROLES] = {
		{ .role = TT_SERVER, .nconns = 1, .rtt_us = rtt_us,
		  .window_bytes = { bytes, bytes },
		  .reach_bytes = { bytes, bytes } },
		{ .role = TT_CLIENT, .nconns = 1, .rtt_us = rtt_us,
		  .window_bytes = { bytes, bytes },
		  .reach_bytes = { bytes, bytes } },
	};
	struct policy_input input = {
		.now_us = 100000000, .conf = &conf, .host = &host,
		.paths = paths, .npaths = TT_ROLES,
		.settings = settings, .nsettings = TT_TUNABLES,
	};
	struct tt_decision decision;

	for (int id = 0; id < TT_TUNABLES; id++)
		settings[id].target.id = id;
	policy_decide(&input, &decision);
	EXPECT(decision.nchanges >= 3, "%zu changes", decision.nchanges);
	for (size_t i = 0; i < decision.nchanges; i++) {
		enum tt_tunable id = decision.changes[i].target.id;
		u64 value = policy_compute(id, rate_bps, rtt_us);

		EXPECT(decision.changes[i].value == value, "%s: %llu, not %llu",
		       table_rows[id].name, decision.changes[i].value, value);
	}
	test_end("compute prints what the daemon writes");
}

int main(void)
{
	/* Their numbers are 1 and 2. */
	words_number("bbr");
	words_number("dctcp");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char reason[REASON_BYTES] = "none";
		u64 got;

		got = decided(i, reason);
		EXPECT(got == cases[i].expected, "%llu: %s", got, reason);
		EXPECT(!cases[i].because || strstr(reason, cases[i].because),
		       "%s", reason);
		EXPECT(reason[0] && strlen(reason) < REASON_BYTES - 1, "%s", reason);
		test_end(cases[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(computed); i++) {
		u64 got = policy_compute(TT_SRV_SNDBUF,
					 computed[i].rate_bps,
					 computed[i].rtt_us);

		EXPECT_EQ(got, computed[i].expected);
		test_end(computed[i].name);
	}
	for (int tcpbuf = 0; tcpbuf < 2; tcpbuf++) {
		test_compute(10 * GBIT, 120000, tcpbuf);
		test_compute(GBIT, 30000, tcpbuf);
	}
	return test_result();
}
