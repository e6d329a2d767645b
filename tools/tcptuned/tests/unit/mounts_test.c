// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../sense/mounts.h"
#include "../../units.h"
#include "../test.h"

static const char *root;

/* What is made there, in the order in which it can be removed. */
static const char * const made[] = {
	"/proc/self/mountinfo", "/proc/self", "/proc",
	"/sys/class/bdi/0:45/read_ahead_kb", "/sys/class/bdi/0:45",
	"/sys/class/bdi", "/sys/class", "/sys", "",
};

static void clean_up(void)
{
	char name[256];

	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		snprintf(name, sizeof(name), "%s%s", root, made[i]);
		EXPECT(!remove(name), "%s", name);
	}
}

static void put(const char *path, const char *text)
{
	char name[256], *slash;
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (slash = name + strlen(root) + 1; (slash = strchr(slash, '/'));
	     *slash++ = '/') {
		*slash = '\0';
		mkdir(name, 0755);
	}
	file = fopen(name, "w");
	fputs(text, file);
	fclose(file);
}

static bool connect_to(struct mounts *mounts, const char *server, u16 port)
{
	struct tt_addr addr;

	EXPECT(!units_parse_addr(server, &addr), "%s", server);
	return mounts_connected(mounts, &addr, port);
}

/* The same device twice, two mounts of one server, one of another one. */
static const char mountinfo[] =
	"22 1 254:1 / / rw - ext4 /dev/vda rw\n"
	"40 22 0:45 / /mnt/b rw - nfs4 s:/ rsize=65536,addr=10.0.0.1\n"
	"41 22 0:46 / /mnt/c rw - nfs4 s:/c rw,addr=10.0.0.1\n"
	"42 22 0:45 /x /mnt/a rw - nfs4 s:/ rsize=65536,addr=10.0.0.1\n"
	"43 22 0:47 / /mnt/d rw - nfs4 t:/ rw,port=2050,addr=fd00::1\n";

static void test_table(struct mounts *mounts)
{
	struct diag_ports ports = { };
	struct tt_mount *list;
	size_t n;

	EXPECT(!mounts_refresh(mounts));
	mounts_ports(mounts, &ports);
	EXPECT(ports.n == 2 && diag_has_port(&ports, 2049) &&
	       diag_has_port(&ports, 2050), "%zu ports", ports.n);
	mounts_list(mounts, &n);
	EXPECT(!n, "%zu mounts before a connection", n);
	EXPECT(!connect_to(mounts, "10.0.0.1", 2050));
	EXPECT(!connect_to(mounts, "10.0.0.2", 2049));
	EXPECT(connect_to(mounts, "10.0.0.1", 2049));
	list = mounts_list(mounts, &n);
	EXPECT_EQ(n, 2);
	if (n != 2)
		return;
	EXPECT(!strcmp(list[0].dev, "0:45") && !strcmp(list[1].dev, "0:46"),
	       "%s %s", list[0].dev, list[1].dev);
	EXPECT_STR(list[0].dir, "/mnt/a");
	EXPECT_EQ(list[0].rsize_bytes, 65536);
	EXPECT_EQ(list[0].read_ahead_kb, 15380);
	EXPECT(!list[1].read_ahead_kb, "%u", list[1].read_ahead_kb);
	EXPECT(connect_to(mounts, "fd00::1", 2050));
	mounts_list(mounts, &n);
	EXPECT_EQ(n, 3);
}

int main(void)
{
	char folder[] = "/tmp/mounts_test.XXXXXX";
	struct mounts *mounts;

	root = mkdtemp(folder);
	if (!root)
		return 1;
	EXPECT(mounts_open(&mounts, root));
	put("/proc/self/mountinfo", mountinfo);
	put("/sys/class/bdi/0:45/read_ahead_kb", "15380\n");
	EXPECT(!mounts_open(&mounts, root));
	test_table(mounts);
	mounts_close(mounts);
	clean_up();
	test_end("mounts of this namespace");
	return test_result();
}
