// SPDX-License-Identifier: GPL-2.0
/* Which connections are made anew, and how one is ended. */
#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../apply/reconnect.h"
#include "../../policy/reconnect.h"
#include "../test.h"

#define GBIT	1000000000ULL
#define S	1000000ULL
#define NOW_US	(10000 * S)

/*
 * A client's path of 10 Gbit/s at 5 Gbit/s that its scale of 10 has held for a
 * second, where 13 is to be had, mounted by NFSv4.2, with one thing changed.
 */
static const struct scene {
	const char	*name;
	bool		found;
	int		reconnect;	/* but for "auto": 1 + tt_conf's */
	bool		server;
	bool		not_served;
	u64		link_bps;
	u32		scaled_us;
	u8		wscale;
	u64		rmem_max;
	bool		v3;
	bool		unseen;		/* mounts, in other mount namespaces */
	bool		sessions_only;
	u64		done_us;	/* one of this peer's */
	u8		done_wscale;
} scenes[] = {
	{ "the scale holds it", .found = true },
	{ "not to be done", .reconnect = 1 + TT_RECONNECT_NO },
	{ "not for long enough", .scaled_us = S - 1 },
	{ "a role that is not served", .not_served = true },
	{ "the link carries no more", .link_bps = 5 * GBIT },
	{ "or nobody knows", .found = true, .link_bps = ~0ULL },
	{ "a new one would be the same", .wscale = 13 },
	{ "with these limits", .rmem_max = (128ULL << 20) / 2 - 1 },
	{ "with larger ones", .found = true, .rmem_max = (128ULL << 20) / 2 },
	{ "a mount that may repeat requests", .v3 = true },
	{ "but it may", .found = true,
	  .reconnect = 1 + TT_RECONNECT_ALWAYS, .v3 = true },
	{ "mounts that are not seen", .unseen = true },
	{ "a server that others use", .server = true },
	{ "a server that only sessions use", .found = true, .server = true,
	  .sessions_only = true },
	{ "just done", .done_us = NOW_US - 599 * S, .done_wscale = 12 },
	{ "done long ago", .found = true, .done_us = NOW_US - 600 * S,
	  .done_wscale = 12 },
	{ "done in vain", .done_us = S, .done_wscale = 13 },
};

static bool decide(const struct scene *scene, struct tt_reconnect *found)
{
	enum tt_role role = scene->server ? TT_SERVER : TT_CLIENT;
	struct tt_conf conf = {
		.roles = { !scene->not_served, !scene->not_served },
		.reconnect = scene->reconnect ? scene->reconnect - 1 :
						  TT_RECONNECT_AUTO,
	};
	struct tt_host host = { .sessions_only = scene->sessions_only };
	struct tt_path path = {
		.rtt_us = 120000, .now_bps = { 0, 5 * GBIT },
		.link.rate_bps = scene->link_bps ? scene->link_bps :
						     10 * GBIT,
		.scaled_us = scene->scaled_us ? scene->scaled_us : S,
	};
	struct tt_conn conns[] = {
		{ .cookie = 1, .bytes = { 9, 1 } },
		{ .cookie = 2, .bytes = { 0, 2 } },
		{ .cookie = 3, .bytes = { 0, 3 } },
	};
	struct tt_mount mounts[] = {
		{ .has_session = true }, { .has_session = !scene->v3 },
	};
	struct tt_setting settings[] = {
		{ .target.id = TT_RMEM_MAX,
		  .value = scene->rmem_max ? scene->rmem_max :
					       256 << 20 },
		{ .target.id = TT_TCP_RMEM, .value = 32 << 20 },
	};
	struct tt_reconnect done = {
		.now_us = scene->done_us, .wscale = scene->done_wscale,
	};
	struct policy_input input = {
		.now_us = NOW_US, .conf = &conf, .host = &host,
		.paths = &path, .npaths = 1, .conns = conns, .nconns = 3,
		.mounts = mounts, .nmounts = scene->unseen ? 0 : 2, .settings = settings,
		.nsettings = 2, .reconnects = &done,
		.nreconnects = !!scene->done_us,
	};

	path.role = role;
	done.conn.role = role;
	for (size_t j = 0; j < ARRAY_SIZE(conns); j++) {
		conns[j].role = role;
		conns[j].wscale[TT_IN] = scene->wscale ? scene->wscale : 10;
	}
	/* Another peer's, which received more. */
	conns[2].peer.in6.s6_addr[0] = 1;
	return reconnect_find(&input, found);
}

static void test_decisions(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		const struct scene *scene = &scenes[i];
		struct tt_reconnect found = { };

		EXPECT(decide(scene, &found) == scene->found);
		EXPECT(found.conn.cookie == (scene->found ? 2 : 0), "%llu",
		       found.conn.cookie);
		test_end(scene->name);
	}
}

/* The last of each peer, and of the peers those that were last. */
static void test_notes(void)
{
	struct reconnects reconnects = { };
	struct tt_reconnect one = { };

	for (u32 i = 0; i < 2 * RECONNECTS_MAX; i++) {
		one.conn.peer.in6.s6_addr32[0] = i / 2;
		one.now_us = i;
		reconnects_note(&reconnects, &one);
	}
	EXPECT_EQ(reconnects.n, RECONNECTS_MAX);
	EXPECT_EQ(reconnects.done[0].now_us, 1);
	one.conn.peer.in6.s6_addr32[0] = 5000;
	reconnects_note(&reconnects, &one);
	EXPECT_EQ(reconnects.n, RECONNECTS_MAX);
	EXPECT_EQ(reconnects.done[0].conn.peer.in6.s6_addr32[0], 5000);
	test_end("what was done is noted");
}

static u64 cookie_of(int fd)
{
	u64 cookie = 0;
	socklen_t len = sizeof(cookie);

	getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);
	return cookie;
}

static void test_destroy(void)
{
	struct sockaddr_in here = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	}, there;
	socklen_t len = sizeof(here);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);
	struct tt_reconnect reconnect = { .ifindex = 1 };
	struct tt_conn *conn = &reconnect.conn;
	char c;

	EXPECT(!bind(server, (struct sockaddr *)&here, len) &&
	       !listen(server, 1) &&
	       !getsockname(server, (struct sockaddr *)&there, &len) &&
	       !connect(client, (struct sockaddr *)&there, len) &&
	       !getsockname(client, (struct sockaddr *)&here, &len));
	conn->local.in6 = (struct in6_addr)
		{ .s6_addr = { [10] = 255, 255, 127, [15] = 1 } };
	conn->peer = conn->local;
	conn->local_port = ntohs(here.sin_port);
	conn->peer_port = ntohs(there.sin_port);
	conn->cookie = cookie_of(client) + 1;
	EXPECT(reconnect_destroy(&reconnect) == -ENOENT);
	EXPECT(recv(client, &c, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
	conn->cookie--;
	EXPECT(!reconnect_destroy(&reconnect));
	EXPECT(recv(client, &c, 1, MSG_DONTWAIT) < 0 && errno == ECONNABORTED);
	close(client);
	close(server);
	test_end("a connection is ended, and no other");
}

int main(void)
{
	test_decisions();
	test_notes();
	if (geteuid())
		test_end("a connection is ended, and no other # SKIP takes root");
	else
		test_destroy();
	return test_result();
}
