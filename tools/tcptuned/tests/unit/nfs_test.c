// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "../../sense/nfs.h"
#include "../../units.h"
#include "../test.h"

/* Ports are listed up to the first 0. */
static const struct {
	const char *name;
	const char *text;
	u16 ports[4];
} portlists[] = {
	{ "no server", "", { 0 } },
	{ "both families", "tcp 2049\nudp 2049\ntcp 2049\n", { 2049 } },
	{ "two ports", "tcp 2049\ntcp 20490\n", { 2049, 20490 } },
	{ "only rdma", "rdma 20049\n", { 0 } },
	{ "no newline", "tcp 2049", { 2049 } },
	{ "udp only", "udp 2049\n", { 0 } },
	{ "garbage", "tcp\ntcp x\ntcp -1\ntcp 65536\n\n\ntcp 0\ntcpx 1\n", { 0 } },
	{ "number without end", "tcp 99999999999999999999999\n", { 0 } },
	{ "garbage before a port", "foo\ntcp 2049\n", { 2049 } },
};

static void test_portlist(size_t i)
{
	struct diag_ports ports = { };
	size_t n = 0;

	nfs_parse_portlist(portlists[i].text, &ports);
	while (portlists[i].ports[n])
		n++;
	EXPECT_EQ(ports.n, n);
	for (size_t j = 0; j < n; j++)
		EXPECT(diag_has_port(&ports, portlists[i].ports[j]),
		       "port %u", portlists[i].ports[j]);
}

/* The columns before the type, and the kernel's usual options. */
#define AT(dir) "40 1 0:45 / " dir " rw,relatime shared:1 - "
#define USUAL "rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,"

#define V3 "rw,vers=3,rsize=1048576,"

/* What a security module may show. */
#define LABEL "context=\"a:b,addr=6.6.6.6,port=1,proto=rdma,rsize=7\",proto=tcp,"

/* Mounts that count; all are of 0:45, in @dir. */
static const struct {
	const char *name;
	const char *line;
	const char *server;
	u16 port;
	u32 rsize_bytes;
	const char *dir;
	bool no_session;
} mounts[] = {
	{ "v4", AT("/mnt") "nfs4 srv:/ " USUAL
	  "proto=tcp,clientaddr=10.0.0.2,local_lock=none,addr=10.0.0.1",
	  "10.0.0.1", 2049, 1048576, "/mnt", false },
	{ "v4.0", AT("/mnt") "nfs4 srv:/ vers=4.2,vers=4.0,addr=10.0.0.1",
	  "10.0.0.1", 2049, 0, "/mnt", true },
	{ "v3 with ports", AT("/mnt") "nfs srv:/x " V3
	  "proto=tcp,port=20490,mountaddr=10.9.9.9,mountvers=3,mountport=20048,mountproto=udp,addr=10.0.0.1",
	  "10.0.0.1", 20490, 1048576, "/mnt", true },
	{ "port 0", AT("/mnt") "nfs4 srv:/ rw,proto=tcp,port=0,addr=10.0.0.1",
	  "10.0.0.1", 2049, 0, "/mnt", true },
	{ "IPv6", AT("/mnt") "nfs4 [fd00::1]:/ " USUAL
	  "proto=tcp6,clientaddr=fd00::2,addr=fd00::1",
	  "fd00::1", 2049, 1048576, "/mnt", false },
	{ "link-local", AT("/mnt") "nfs4 srv:/ proto=tcp6,addr=fe80::1%eth0",
	  "fe80::1", 2049, 0, "/mnt", true },
	{ "mapped IPv4",
	  AT("/mnt") "nfs4 srv:/ proto=tcp6,addr=::ffff:10.0.0.1",
	  "10.0.0.1", 2049, 0, "/mnt", true },
	{ "blank in the folder",
	  AT("/mnt/a\\040b\\134c") "nfs4 srv:/a\\040b addr=10.0.0.1",
	  "10.0.0.1", 2049, 0, "/mnt/a\\040b\\134c", true },
	{ "no optional fields",
	  "40 1 0:45 / /mnt rw - nfs4 srv:/ addr=10.0.0.1",
	  "10.0.0.1", 2049, 0, "/mnt", true },
	{ "many optional fields",
	  "40 1 0:45 / /mnt rw a:1 b:2 c - nfs4 s:/ addr=10.0.0.1",
	  "10.0.0.1", 2049, 0, "/mnt", true },
	{ "a folder named -", "40 1 0:45 / - rw - nfs4 srv:/ addr=10.0.0.1",
	  "10.0.0.1", 2049, 0, "-", true },
	{ "a label that looks like options",
	  AT("/mnt") "nfs4 s:/ rw," LABEL "rsize=4096,port=2050,addr=10.0.0.1",
	  "10.0.0.1", 2050, 4096, "/mnt", true },
	{ "numbers too large",
	  AT("/mnt") "nfs4 srv:/ rsize=4294967296,port=65536,addr=10.0.0.1",
	  "10.0.0.1", 2049, 0, "/mnt", true },
	{ "empty options", AT("/mnt") "nfs4 srv:/ ,,=,addr=10.0.0.1,",
	  "10.0.0.1", 2049, 0, "/mnt", true },
};

static const struct {
	const char *name;
	const char *line;
} refused[] = {
	{ "mountaddr is not addr",
	  AT("/mnt") "nfs srv:/ mountaddr=10.0.0.9,clientaddr=10.0.0.8" },
	{ "rdma",
	  AT("/mnt") "nfs4 srv:/ " USUAL "proto=rdma,port=20049,addr=10.0.0.1" },
	{ "udp", AT("/mnt") "nfs srv:/ " USUAL "proto=udp,addr=10.0.0.1" },
	{ "empty addr", AT("/mnt") "nfs4 srv:/ addr=" },
	{ "name as addr", AT("/mnt") "nfs4 srv:/ addr=server" },
	{ "only a zone", AT("/mnt") "nfs4 srv:/ addr=%eth0" },
	{ "no options", AT("/mnt") "nfs4 srv:/" },
	{ "no source", AT("/mnt") "nfs4" },
	{ "nfsd", AT("/proc/fs/nfsd") "nfsd nfsd rw,addr=10.0.0.1" },
	{ "nfs5", AT("/mnt") "nfs5 srv:/ rw,addr=10.0.0.1" },
	{ "ext4 on a folder named nfs4",
	  AT("/nfs4") "ext4 /dev/vda rw,addr=10.0.0.1" },
	{ "empty", "" },
	{ "blanks", "                " },
	{ "no dash", "40 1 0:45 / /mnt rw shared:1 nfs4 srv:/ addr=10.0.0.1" },
	{ "cut off", "40 1 0:45" },
	{ "ends with the dash", "40 1 0:45 / /mnt rw -" },
	{ "dev too long",
	  "40 1 123456789012:123456789012 / /mnt rw - nfs4 srv:/ addr=10.0.0.1" },
};

/* Operation 35 is that of NFSv4.0. */
#define TEN " 0 0 0 7 0 0 0 7 0 0"
#define OPS(begun) "proc4ops 76" TEN TEN TEN " 0 0 0 0 0 " begun " 7 7 7 7\n"
#define NOBODY "rc 0 0 9\nproc3 22 5 0 0 0 0\nproc4 2 2 900\n"

static const struct {
	const char *name;
	const char *text;
	bool sessions_only;
} servers[] = {
	{ "sessions only", NOBODY OPS("0"), true },
	{ "NFSv4.0", NOBODY OPS("1"), false },
	{ "NFSv3", "rc 0 0 9\nproc3 22 5 0 1 0 0\n" OPS("0"), false },
	{ "NFSv2", "rc 0 0 9\nproc2 18 5 0 1 0 0\n" OPS("0"), false },
	{ "no NFSv3 in the kernel", "rc 0 0 9\n" OPS("0"), true },
	{ "no NFSv4", "rc 0 0 9\nproc3 22 5 0 0 0 0\n", false },
	{ "cut off", NOBODY "proc4ops 76" TEN TEN "\n", false },
	{ "no server", "", false },
};

static void test_mount(size_t i)
{
	char *line = strdup(mounts[i].line), addr[INET6_ADDRSTRLEN];
	struct tt_mount mount = { };

	EXPECT(nfs_parse_mount(line, &mount));
	units_addr(&mount.server, addr);
	EXPECT_STR(addr, mounts[i].server);
	EXPECT_STR(mount.dir, mounts[i].dir);
	EXPECT_STR(mount.dev, "0:45");
	EXPECT_EQ(mount.port, mounts[i].port);
	EXPECT_EQ(mount.rsize_bytes, mounts[i].rsize_bytes);
	EXPECT(mount.has_session == !mounts[i].no_session);
	free(line);
}

static void test_refused(size_t i)
{
	char *line = strdup(refused[i].line);
	struct tt_mount mount;

	EXPECT(!nfs_parse_mount(line, &mount));
	free(line);
}

/* A folder of 100,000 letters and options as long; both are only cut. */
static void test_long(void)
{
	size_t len = 100000;
	char *line = malloc(2 * len + 100), *end;
	struct tt_mount mount;

	end = line + sprintf(line, "40 1 0:45 / /");
	memset(end, 'x', len);
	end += len;
	end += sprintf(end, " rw - nfs4 srv:/ context=");
	memset(end, 'y', len);
	strcpy(end + len, ",addr=10.0.0.1");
	EXPECT(nfs_parse_mount(line, &mount));
	EXPECT_EQ(strlen(mount.dir), sizeof(mount.dir) - 1);
	free(line);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(portlists); i++) {
		test_portlist(i);
		test_end(portlists[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
		EXPECT(nfs_sessions_only(servers[i].text) ==
		       servers[i].sessions_only);
		test_end(servers[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		test_mount(i);
		test_end(mounts[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		test_refused(i);
		test_end(refused[i].name);
	}
	test_long();
	test_end("very long line");
	return test_result();
}
