/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A status, for the tests of what is written and of what people see of it.
 */
#ifndef TCPTUNED_TESTS_STATUS_H
#define TCPTUNED_TESTS_STATUS_H

#include "../file.h"
#include "../policy/table.h"
#include "../report/paths.h"
#include "../report/peer.h"
#include "../report/read.h"
#include "../report/status.h"
#include "../report/text.h"
#include "../units.h"
#include "test.h"
#include "folder.h"

#define SECOND_US 1000000ULL

static const struct tt_host host = {
	.ram_bytes = 1ULL << 36,
	.tcp_mem_bytes = { 1, 2, 3ULL << 30 },
	.tcp_used_bytes = 20 << 20,
	.has_sunrpc_tcpbuf = true,
};

static const struct tt_mount mount = {
	.dev = "0:45", .dir = "/mnt/with a \"quote\"",
};

static const struct tt_setting settings[] = {
	{ .target = { TT_RMEM_MAX, "" }, .value = 4194304, .original = 212992,
	  .written = true,
	  .reason.why = TT_WHY_WINDOW_SCALE },
	{ .target = { TT_SRV_RCVBUF, "" }, .off = TT_OFF_ABSENT },
	{ .target = { TT_READ_AHEAD, "0:45" }, .value = 128,
	  .off = TT_OFF_DENIED },
};

static const char * const problems[] = { NULL, "", "a problem" };

static struct tt_path paths[300];

/* The first is what bounds a server that sends. */
static struct tt_decision decision = {
	.needs = { { { .tunable = TT_RMEM_MAX }, { .tunable = TT_SRV_RCVBUF } },
		   { { .tunable = TT_SRV_RCVBUF },
		     { .tunable = TT_SRV_RCVBUF } } },
};

static struct status_input input = {
	.pid = 4711,
	.host = &host,
	.paths = paths,
	.npaths = 1,
	.settings = settings,
	.nsettings = ARRAY_SIZE(settings),
	.table = table_rows,
	.mounts = &mount,
	.nmounts = 1,
	.decision = &decision,
	.problems = problems,
	.nproblems = ARRAY_SIZE(problems),
};

static void make_paths(void)
{
	char peer[64];

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		paths[i] = (struct tt_path){
			.nconns = 16,
			.rtt_us = 120000,
			.link = { .name = "enp0s31f6-long1",
				  .rate_bps = 10000000000,
				  .source = TT_LINK_CONF },
			.best_bps = { 9412345678, 1 },
			.now_bps = { 9412345678, 1 },
			.limit = { TT_LIMIT_RWND, TT_LIMIT_APPLICATION },
			.window_bytes = { 143654912, 0 },
		};
		snprintf(peer, sizeof(peer),
			 "2001:db8:1111:2222:3333:4444:5555:%zx", 4096 + i);
		units_parse_addr(peer, &paths[i].peer);
	}
}

/* Writes a status and gives its text. */
static const char *write_status(void)
{
	struct status_writer writer = { };
	int dir = file_dir(folder, false);

	input.now_us = 100 * SECOND_US;
	if (status_write(&writer, dir, &input))
		perror(folder);
	free(writer.text);
	close(dir);
	return folder_get(STATUS_FILE);
}

/* What text_print() or peer_explain() puts out; "" for an error. */
static bool all;

static const char *shown(bool color, const struct tt_addr *peer)
{
	static char text[1 << 18];
	int folder_dir = file_dir(folder, false), err;
	FILE *out;

	*text = '\0';
	out = fmemopen(text, sizeof(text), "w");
	if (peer)
		err = peer_explain(folder_text, folder_dir, table_rows, peer, out);
	else
		err = text_print(folder_text, color, all, out);
	fclose(out);
	close(folder_dir);
	return err ? "" : text;
}

static void prepare(void)
{
	folder_make();
	make_paths();
}

#endif /* TCPTUNED_TESTS_STATUS_H */
