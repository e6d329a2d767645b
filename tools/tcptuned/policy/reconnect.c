// SPDX-License-Identifier: GPL-2.0
/*
 * Which connection is to be made anew, because its window scale holds it.
 *
 * The scale is agreed when a connection is made, from what the receiver's
 * limits are at that moment, and holds for its lifetime: a mount that is older
 * than this daemon has windows of 65535 << scale at most. When the kernel ends
 * the connection, the client connects again at once, sends again what was under
 * way, and both agree on the scale that the limits now allow.
 *
 * All of this must be true:
 *
 *  - This end receives: only its own limits are known, so that only here it is
 *    certain that the scale will be larger.
 *  - It binds: the rate times the shortest round trip is the whole window, for
 *    RECONNECT_PROOF_US. With a queue the round trip would be longer.
 *  - The link carries a tenth more, if its rate is known.
 *  - Requests are sent again without being done twice: NFSv4.1 and later have
 *    sessions for that, others only a cache of replies. The client knows the
 *    version of its mounts. The server knows whether anybody has used another
 *    one since it was started. "always" leaves that to the administrator.
 *  - It is the first time in RECONNECT_AGAIN_US for this peer, and for this
 *    scale.
 */
#include "reconnect.h"

#include <string.h>

#include "lookup.h"

#define RECONNECT_PROOF_US	1000000ULL
#define RECONNECT_AGAIN_US	600000000ULL
#define RECONNECT_GAIN_PERCENT	110

/* As the kernel has them, TCP_MAX_WSCALE and tcp_select_initial_window(). */
#define RECONNECT_MAX_WSCALE	14
#define RECONNECT_SMALL_BITS	15

/* What a new connection would agree on for what this end receives. */
static u8 reconnect_wscale(const struct policy_input *input)
{
	const struct tt_setting *max = lookup_setting(input, TT_RMEM_MAX);
	const struct tt_setting *rmem = lookup_setting(input, TT_TCP_RMEM);
	u64 bytes = max_u64(max ? max->value : 0, rmem ? rmem->value : 0);
	u8 wscale = 0;

	while (wscale < RECONNECT_MAX_WSCALE &&
	       bytes >> (RECONNECT_SMALL_BITS + 1 + wscale))
		wscale++;
	return wscale;
}

static bool reconnect_is_peer(const struct tt_addr *a, const struct tt_addr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Whether all that uses this connection may send its requests again. */
static bool reconnect_is_safe(const struct policy_input *input,
			      const struct tt_path *path)
{
	/* A mount of another mount namespace may have any version. */
	bool seen = false;

	if (input->conf->reconnect == TT_RECONNECT_ALWAYS)
		return true;
	if (path->role == TT_SERVER)
		return input->host->sessions_only;
	for (size_t i = 0; i < input->nmounts; i++) {
		if (!reconnect_is_peer(&input->mounts[i].server, &path->peer))
			continue;
		if (!input->mounts[i].has_session)
			return false;
		seen = true;
	}
	return seen;
}

static bool reconnect_is_new(const struct policy_input *input,
			     const struct tt_path *path, u8 wscale)
{
	for (size_t i = 0; i < input->nreconnects; i++) {
		const struct tt_reconnect *done = &input->reconnects[i];

		if (done->conn.role == path->role &&
		    reconnect_is_peer(&done->conn.peer, &path->peer) &&
		    (wscale <= done->wscale ||
		     input->now_us - done->now_us < RECONNECT_AGAIN_US))
			return false;
	}
	return true;
}

static bool reconnect_pays(const struct policy_input *input,
			   const struct tt_path *path)
{
	u64 link_bps = path->link.rate_bps;

	return input->conf->roles[path->role] &&
	       path->scaled_us >= RECONNECT_PROOF_US &&
	       (!link_bps || path->now_bps[TT_IN] <
		link_bps / RECONNECT_GAIN_PERCENT * 100);
}

/* The path's connection that has received most. */
static const struct tt_conn *
reconnect_busiest(const struct policy_input *input, const struct tt_path *path)
{
	const struct tt_conn *most = NULL;

	for (size_t i = 0; i < input->nconns; i++) {
		const struct tt_conn *conn = &input->conns[i];

		if (conn->role == path->role &&
		    reconnect_is_peer(&conn->peer, &path->peer) &&
		    (!most || conn->bytes[TT_IN] > most->bytes[TT_IN]))
			most = conn;
	}
	return most;
}

bool reconnect_find(const struct policy_input *input,
		    struct tt_reconnect *found)
{
	u8 wscale = reconnect_wscale(input);

	if (input->conf->reconnect == TT_RECONNECT_NO)
		return false;
	for (size_t i = 0; i < input->npaths; i++) {
		const struct tt_path *path = &input->paths[i];
		const struct tt_conn *conn;

		if (!reconnect_pays(input, path) ||
		    !reconnect_is_safe(input, path) ||
		    !reconnect_is_new(input, path, wscale))
			continue;
		conn = reconnect_busiest(input, path);
		if (!conn || conn->wscale[TT_IN] >= wscale)
			continue;
		*found = (struct tt_reconnect) {
			.conn = *conn,
			.ifindex = path->link.ifindex,
			.wscale = wscale,
			.rtt_us = path->rtt_us,
			.now_us = input->now_us,
		};
		return true;
	}
	return false;
}
