// SPDX-License-Identifier: GPL-2.0
/* The metrics: lines, their number, and files that cannot be written. */
#include <errno.h>

#include "../../policy/table.h"
#include "../../report/metrics.h"
#include "../../units.h"
#include "../test.h"
#include "../folder.h"

#define NAME "metrics.prom"

/* Some 500 series, as much as 10,000 peers may cost whoever collects them. */
#define LARGEST_BYTES (96 * 1024)

static struct tt_path paths[10000];
static struct tt_setting settings[1000] = {
	{ .target = { TT_RMEM_MAX, "" }, .value = 4194304, .original = 212992,
	  .written = true },
	{ .target = { TT_SRV_RCVBUF, "" }, .off = TT_OFF_ABSENT },
	{ .target = { TT_TCP_WMEM, "" }, .value = 6291456,
	  .off = TT_OFF_FOREIGN },
	{ .target = { TT_SLOW_START, "" }, .value = 1 },
	{ .target = { TT_READ_AHEAD, "0:45" }, .value = 128 },
};

static const struct tt_host host = {
	.tcp_mem_bytes = { 1, 2, 3ULL << 30 },
	.tcp_used_bytes = 20 << 20,
	.has_sunrpc_tcpbuf = true,
};

static const struct tt_host container = { .tcp_used_bytes = 1 };
static const char * const problems[] = { NULL, "", "a problem" };
static const struct tt_decision decision = {
	.budget_bytes = 1ULL << 32,
	.budget_limited = true,
};

static const u64 changes[TT_TUNABLES] = { [TT_RMEM_MAX] = 3 };

static struct status_input status = {
	.host = &host,
	.paths = paths,
	.npaths = 3,
	.settings = settings,
	.nsettings = 5,
	.table = table_rows,
	.decision = &decision,
	.problems = problems,
	.nproblems = ARRAY_SIZE(problems),
};

static struct metrics_input input = {
	.status = &status,
	.daemon = "tcp\"tuned\\",
	.version = "1.0",
	.unix_us = 1700000000500000,
	.npolls = 12,
	.nchanges = changes,
};

static void make_paths(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		char peer[64];

		paths[i] = (struct tt_path){
			.nconns = 1,
			.rtt_us = 1000,
			.best_bps = { 1000000, 1000000 },
			.window_bytes = { 1000, 1000 + i % 100 },
			.limit = { TT_LIMIT_CONGESTION, TT_LIMIT_LINK },
		};
		snprintf(peer, sizeof(peer),
			 "2001:db8:1111:2222:3333:4444:5555:%zx", i);
		units_parse_addr(peer, &paths[i].peer);
	}
	for (size_t i = 5; i < ARRAY_SIZE(settings); i++) {
		settings[i].target.id = TT_READ_AHEAD;
		snprintf(settings[i].target.instance,
			 sizeof(settings[i].target.instance), "0:%zu", i + 50);
	}
	paths[0] = (struct tt_path){
		.role = TT_CLIENT,
		.nconns = 2,
		.rtt_us = 120000,
		.link.rate_bps = 10000000000,
		.best_bps = { 8000000001, 0 },
		.now_bps = { 4, 8000 },
		.window_bytes = { 1 << 20, 0 },
		.buffer_bytes = { 5 << 20, 7 },
		.limit = { TT_LIMIT_RWND, TT_LIMIT_APPLICATION },
	};
	units_parse_addr("192.0.2.7", &paths[0].peer);
	/* A path of an earlier run that nobody measured yet. */
	paths[1] = (struct tt_path){ .role = TT_SERVER };
	units_parse_addr("192.0.2.8", &paths[1].peer);
}

static const char *written(void)
{
	int err = metrics_write(folder_path(NAME), &input);

	EXPECT(!err, "%d", err);
	return folder_get(NAME);
}

#define DAEMON "{daemon=\"tcp\\\"tuned\\\\\""
#define M(name) "tcptuned_" name DAEMON
#define ROLE(name) M(name) ",role=\"client\""
#define PATH(name) M("path_" name) ",role=\"client\",peer=\"192.0.2.7\""
#define OUT ",direction=\"out\""
#define TUNABLE(metric, name) M(metric) ",tunable=\"" name "\""

static const char * const lines[] = {
	M("build_info") ",version=\"1.0\"} 1",
	M("last_poll_timestamp_seconds") "} 1700000000.5",
	M("polls_total") "} 12",
	M("problems") "} 1",
	M("kernel_has_sunrpc_tcpbuf") "} 1",
	M("memory_budget_bytes") "} 4294967296",
	M("memory_budget_limited") "} 1",
	M("tcp_memory_bytes") "} 20971520",
	M("tcp_memory_limit_bytes") "} 3221225472",
	TUNABLE("changes_total", "net.core.rmem_max") "} 3",
	ROLE("connections") "} 2",
	ROLE("rate_bytes_per_second") ",direction=\"in\"} 1000",
	ROLE("buffer_bytes") OUT "} 5242880",
	ROLE("paths") OUT ",limit=\"receiver window\"} 1",
	ROLE("paths") OUT ",limit=\"send buffer\"} 0",
	TUNABLE("tunable_bytes", "net.core.rmem_max") "} 4194304",
	TUNABLE("tunable_original_bytes", "net.core.rmem_max") "} 212992",
	TUNABLE("tunable_bytes", "read_ahead_kb") ",bdi=\"0:45\"} 131072",
	TUNABLE("slow_start_after_idle",
		"net.ipv4.tcp_slow_start_after_idle") "} 1",
	TUNABLE("tunable_left_alone_info", "net.ipv4.tcp_wmem")
		",reason=\"foreign\"} 1",
	PATH("rtt_seconds") "} 0.12",
	PATH("connections") "} 2",
	PATH("link_bytes_per_second") "} 1250000000",
	PATH("rate_bytes_per_second") OUT "} 0.5",
	PATH("best_rate_bytes_per_second") OUT "} 1000000000.125",
	PATH("window_bytes") OUT "} 1048576",
	PATH("buffer_bytes") ",direction=\"in\"} 7",
	PATH("limit_info") OUT ",limit=\"receiver window\"} 1",
};

static void test_lines(void)
{
	char line[300];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(line, sizeof(line), "\n%s\n", lines[i]);
		EXPECT(strstr(written(), line), "%s", folder_text);
		test_end(lines[i]);
	}
}

/* What is not known must not look like a value of 0. */
static const char * const absent[] = {
	M("tunable_bytes") ",tunable=\"sunrpc",
	M("tunable_bytes") ",tunable=\"net.ipv4.tcp_slow",
	M("tunable_original_bytes") ",tunable=\"read",
	M("tunable_left_alone_info") ",tunable=\"net.core.rmem",
	M("path_rtt_seconds") ",role=\"server\",peer=\"192.0.2.8",
	M("path_link_bytes_per_second") ",role=\"server\"",
	PATH("window_bytes") ",direction=\"in\"",
	M("path_limit_info") ",role=\"server\",peer=\"192.0.2.8",
	"tcptuned_tcp_memory_limit_bytes{",
};

static void test_absent(void)
{
	status.host = &container;
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++) {
		EXPECT(!strstr(written(), absent[i]), "%s", folder_text);
		test_end(absent[i]);
	}
	status.host = &host;
}

static void test_many(void)
{
	const char *text;

	status.npaths = ARRAY_SIZE(paths);
	status.nsettings = ARRAY_SIZE(settings);
	paths[9998].window_bytes[TT_OUT] = 2 << 20;
	text = written();
	EXPECT(strlen(text) < LARGEST_BYTES, "%zu bytes", strlen(text));
	EXPECT(strstr(text, "limit=\"link\"} 9998\n"));
	EXPECT(strstr(text, "connections" DAEMON ",role=\"server\"} 9998\n"));
	test_end("10,000 peers and 1,000 mounts fit a small file");
	EXPECT(strstr(text, "path_rtt_seconds" DAEMON
		      ",role=\"server\",peer=\"2001:db8:1111:2222:3333:4444:5555:270e\"} 0.001\n"
		      PATH("rtt_seconds")), "order");
	EXPECT(strstr(text, "peer=\"2001:db8:1111:2222:3333:4444:5555:63\""));
	EXPECT(!strstr(text, "5555:62\""));
	EXPECT(strstr(text, "bdi=\"0:45\"") && strstr(text, "bdi=\"0:85\"") &&
	       !strstr(text, "bdi=\"0:86\""), "mounts");
	test_end("those with the largest windows are in it");
	status.npaths = 3;
	status.nsettings = 5;
}

static const struct {
	const char	*name;
	const char	*path;
	mode_t		 mode;		/* of the folder */
	int		 err;
} files[] = {
	{ "a file", "d/x.prom", 0755, 0 },
	{ "a folder that is missing", "none/x.prom", 0755, -ENOENT },
	{ "a folder that is a file", NAME "/x.prom", 0755, -ENOTDIR },
	{ "a folder that everybody may write to", "d/x.prom", 0777, -EPERM },
	{ "a folder in its place", "d/sub", 0755, -EISDIR },
};

static void test_files(void)
{
	folder_put("d/sub/file", "");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int err;

		chmod(folder_path("d"), files[i].mode);
		err = metrics_write(folder_path(files[i].path), &input);
		EXPECT_EQ(err, files[i].err);
		EXPECT(!folder_has("d/x.prom.new"));
		test_end(files[i].name);
	}
}

int main(void)
{
	folder_make();
	make_paths();
	test_lines();
	test_absent();
	test_many();
	test_files();
	folder_remove();
	return test_result();
}
