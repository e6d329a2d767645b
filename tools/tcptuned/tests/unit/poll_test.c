// SPDX-License-Identifier: GPL-2.0
/* Whole polls, over mounts of files in a folder. */
#include <netinet/in.h>
#include <sys/socket.h>

#include "../../policy/table.h"
#include "../../poll.h"
#include "../../report/log.h"
#include "../test.h"
#include "../folder.h"

#define MOUNTS	40
#define POLLS	5

static struct options options;
static struct daemon daemon_ = {
	.options = &options,
	.table = table_rows,
	.conf = { .roles = { true, true }, .memory_percent = 25,
		  .read_ahead = true, .metrics = "no" },
	.rundir = -1,
};

/* Connects to ourselves. Returns: the port of the other end. */
static u16 connect_loopback(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(addr);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(server, (struct sockaddr *)&addr, len) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&addr, &len) ||
	    connect(client, (struct sockaddr *)&addr, len))
		perror("connect");
	return ntohs(addr.sin_port);
}

/* Mounts whose read-ahead can be neither read nor written. */
static void make_mounts(u16 port)
{
	char text[MOUNTS * 128], name[64];
	size_t len = 0;

	for (int i = 0; i < MOUNTS; i++) {
		len += snprintf(text + len, sizeof(text) - len,
				"%d 1 0:%d / /mnt/%d rw - nfs4 s:/ rw,proto=tcp,addr=127.0.0.1,port=%u\n",
				i, 100 + i, i, port);
		snprintf(name, sizeof(name),
			 "sys/class/bdi/0:%d/read_ahead_kb/file", 100 + i);
		folder_put(name, "");
	}
	folder_put("proc/self/mountinfo", text);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		n++;
	}
	return n;
}

static void test_said_once(void)
{
	size_t n;

	if (geteuid()) {
		test_end("each mount is logged once # SKIP only root's sockets count");
		return;
	}
	make_mounts(connect_loopback());
	if (sense_open_root(&daemon_.sense, folder) ||
	    apply_open(&daemon_.apply, table_rows, folder, folder_path("run"),
		       false))
		perror("open");
	daemon_.model = model_new();
	if (!freopen(folder_path("log"), "w", stderr))
		EXPECT(false);
	for (int i = 0; i < POLLS; i++)
		EXPECT(!poll_run(&daemon_));
	fflush(stderr);
	n = count(folder_get("log"), "no permission to write read_ahead_kb");
	EXPECT(n == MOUNTS, "%zu lines in %d polls", n, POLLS);
	sense_close(daemon_.sense);
	model_free(daemon_.model);
	apply_close(daemon_.apply);
	learned_free(&daemon_.learned);
	test_end("each mount that cannot be written is logged once");
}

int main(void)
{
	options.rundir = "/nonexistent";
	options.statedir = "/nonexistent";
	folder_make();
	log_open(LOG_INFO);
	test_said_once();
	folder_remove();
	return test_result();
}
