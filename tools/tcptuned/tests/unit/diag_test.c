// SPDX-License-Identifier: GPL-2.0
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <string.h>

#include "../../sense/diag.h"
#include "../../units.h"
#include "../test.h"

#define RCV_WND_OFFSET (offsetof(struct tcp_info, tcpi_snd_wnd) + 4)

/* What a kernel with all fields, and one that is not born, would send. */
static union {
	struct tcp_info tcp;
	u8 bytes[400];
} full_info;

static void make_info(void)
{
	struct tcp_info *info = &full_info.tcp;
	u32 rcv_wnd = 77;

	memset(&full_info, 0xa5, sizeof(full_info));
	info->tcpi_delivery_rate_app_limited = 1;
	info->tcpi_min_rtt = 30000;
	info->tcpi_rtt = 31000;
	info->tcpi_rcv_rtt = 32000;
	info->tcpi_bytes_acked = 1ULL << 40;
	info->tcpi_bytes_received = 5;
	info->tcpi_delivery_rate = 125000000;
	memcpy(full_info.bytes + RCV_WND_OFFSET, &rcv_wnd, sizeof(rcv_wnd));
}

static struct nlmsghdr *message(void *buf, u8 family)
{
	static const u8 v4[2][4] = { { 10, 0, 0, 1 }, { 10, 0, 0, 2 } };
	static const u8 v6[2][16] = {
		{ 0xfd, [15] = 1 }, { 0xfd, [15] = 2 },
	};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct inet_diag_msg *msg;

	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	msg = mnl_nlmsg_put_extra_header(nlh, sizeof(*msg));
	msg->idiag_family = family;
	msg->idiag_uid = 1000;
	msg->id.idiag_sport = htons(2049);
	msg->id.idiag_dport = htons(700);
	msg->id.idiag_cookie[0] = 2;
	msg->id.idiag_cookie[1] = 1;
	memcpy(msg->id.idiag_src, family == AF_INET ? v4[0] : v6[0],
	       family == AF_INET ? 4 : 16);
	memcpy(msg->id.idiag_dst, family == AF_INET ? v4[1] : v6[1],
	       family == AF_INET ? 4 : 16);
	return nlh;
}

static struct nlmsghdr *full_message(void *buf)
{
	static const u32 mem[SK_MEMINFO_VARS] = {
		[SK_MEMINFO_RMEM_ALLOC] = 1000,
		[SK_MEMINFO_WMEM_QUEUED] = 200,
		[SK_MEMINFO_RCVBUF] = 131072,
		[SK_MEMINFO_SNDBUF] = 87040,
	};
	struct nlmsghdr *nlh = message(buf, AF_INET);

	mnl_attr_put(nlh, INET_DIAG_SKMEMINFO, sizeof(mem), mem);
	mnl_attr_put(nlh, INET_DIAG_INFO, sizeof(full_info), &full_info);
	return nlh;
}

static const struct {
	const char *name;
	u8 family;
	const char *local;
	const char *peer;
} families[] = {
	{ "IPv4", AF_INET, "10.0.0.1", "10.0.0.2" },
	{ "IPv6", AF_INET6, "fd00::1", "fd00::2" },
};

static void test_family(size_t i)
{
	char buf[1024], text[INET6_ADDRSTRLEN];
	struct tt_conn conn;

	EXPECT(diag_parse(message(buf, families[i].family), &conn));
	EXPECT(!strcmp(units_addr(&conn.local, text), families[i].local),
	       "%s", text);
	EXPECT(!strcmp(units_addr(&conn.peer, text), families[i].peer), "%s",
	       text);
	EXPECT_EQ(conn.local_port, 2049);
	EXPECT_EQ(conn.peer_port, 700);
	EXPECT(conn.cookie == (1ULL << 32 | 2), "%llu", conn.cookie);
	EXPECT_EQ(conn.uid, 1000);
}

static void test_all(void)
{
	char buf[1024];
	struct tt_conn conn;

	EXPECT(diag_parse(full_message(buf), &conn));
	EXPECT(conn.delivery_app_limited);
	EXPECT_EQ(conn.delivery_bps, 1000000000);
	EXPECT_EQ(conn.min_rtt_us, 30000);
	EXPECT_EQ(conn.rtt_us, 31000);
	EXPECT_EQ(conn.rcv_rtt_us, 32000);
	EXPECT(conn.bytes[TT_OUT] == 1ULL << 40, "%llu", conn.bytes[TT_OUT]);
	EXPECT_EQ(conn.bytes[TT_IN], 5);
	EXPECT_EQ(conn.rcv_wnd_bytes, 77);
	EXPECT_EQ(conn.rcvbuf_bytes, 131072);
	EXPECT_EQ(conn.sndbuf_bytes, 87040);
}

/* Whatever a kernel leaves out is 0, and what it sends is taken. */
static void test_lengths(void)
{
	for (u16 len = 0; len <= sizeof(full_info); len++) {
		char buf[1024];
		struct nlmsghdr *nlh = message(buf, AF_INET);
		struct tt_conn conn;
		bool rate, rcv_wnd;

		mnl_attr_put(nlh, INET_DIAG_INFO, len, &full_info);
		rate = len >= offsetof(struct tcp_info, tcpi_busy_time);
		rcv_wnd = len >= RCV_WND_OFFSET + 4;
		EXPECT(diag_parse(nlh, &conn), "%u refused", len);
		EXPECT(!rate || conn.delivery_bps == 1000000000, "%u", len);
		EXPECT(conn.rcv_wnd_bytes == (rcv_wnd ? 77 : 0), "%u: %u", len,
		       conn.rcv_wnd_bytes);
	}
}

static void test_extremes(void)
{
	struct tcp_info info = {
		.tcpi_min_rtt = UINT32_MAX,
		.tcpi_delivery_rate = UINT64_MAX / 8 + 1,
	};
	struct nlmsghdr *nlh;
	struct tt_conn conn;
	char buf[1024];

	nlh = message(buf, AF_INET);
	mnl_attr_put(nlh, INET_DIAG_INFO, sizeof(info), &info);
	EXPECT(diag_parse(nlh, &conn));
	EXPECT(!conn.min_rtt_us, "%u", conn.min_rtt_us);
	EXPECT_EQ(conn.delivery_bps, UINT64_MAX);
}

static void test_refused(void)
{
	char buf[1024];
	struct nlmsghdr *nlh;
	struct tt_conn conn;

	nlh = message(buf, AF_UNIX);
	EXPECT(!diag_parse(nlh, &conn));
	nlh = message(buf, AF_INET);
	nlh->nlmsg_type = NLMSG_NOOP;
	EXPECT(!diag_parse(nlh, &conn));
	nlh = message(buf, AF_INET);
	nlh->nlmsg_len -= 4;
	EXPECT(!diag_parse(nlh, &conn));
}

/*
 * The kernel's inet_diag_bc_run(), in short. Returns whether a socket with
 * these ports passes; -1 if the program would be refused.
 */
static int run_filter(const char *op_at, int len, u16 local, u16 peer)
{
	while (len > 0) {
		const struct inet_diag_bc_op *op = (const void *)op_at;
		int jump;

		if (op->code == INET_DIAG_BC_S_EQ)
			jump = op[1].no == local ? op->yes : op->no;
		else if (op->code == INET_DIAG_BC_D_EQ)
			jump = op[1].no == peer ? op->yes : op->no;
		else if (op->code == INET_DIAG_BC_JMP)
			jump = op->no;
		else
			return -1;
		if (jump < 4 || jump & 3 || jump > len + 4)
			return -1;
		op_at += jump;
		len -= jump;
	}
	return !len;
}

static void test_filter(void)
{
	u32 buf[DIAG_FILTER_BYTES / sizeof(u32)];

	for (size_t nlocal = 0; nlocal <= DIAG_PORTS; nlocal++) {
		for (size_t npeer = !nlocal; npeer <= DIAG_PORTS; npeer++) {
			struct diag_ports local = { }, peer = { };
			size_t len;
			int passed;

			for (size_t i = 0; i < nlocal; i++)
				diag_add_port(&local, 1000 + i);
			for (size_t i = 0; i < npeer; i++)
				diag_add_port(&peer, 65535 - i);
			len = diag_filter(&local, &peer, buf);
			EXPECT(len <= sizeof(buf), "%zu bytes", len);
			passed = run_filter((char *)buf, len,
					    1000 + nlocal - 1, 9);
			EXPECT_EQ(passed, !!nlocal);
			passed = run_filter((char *)buf, len, 9,
					    65535 - npeer + 1);
			EXPECT_EQ(passed, !!npeer);
			passed = run_filter((char *)buf, len, 65535, 1000);
			EXPECT(!passed, "swapped: %d", passed);
		}
	}
}

static void test_ports(void)
{
	struct diag_ports ports = { };

	for (u32 port = 1; port <= 2 * DIAG_PORTS; port++) {
		diag_add_port(&ports, port);
		diag_add_port(&ports, port);
	}
	EXPECT_EQ(ports.n, DIAG_PORTS);
	EXPECT(diag_has_port(&ports, DIAG_PORTS));
	EXPECT(!diag_has_port(&ports, DIAG_PORTS + 1));
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = {
		{ "every field", test_all },
		{ "every length of tcp_info", test_lengths },
		{ "no sample, and too fast for a u64", test_extremes },
		{ "other messages", test_refused },
		{ "filters of all sizes", test_filter },
		{ "ports", test_ports },
	};

	make_info();
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		test_family(i);
		test_end(families[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		tests[i].run();
		test_end(tests[i].name);
	}
	return test_result();
}
