// SPDX-License-Identifier: GPL-2.0
/*
 * Why a value is what it is, as a sentence.
 */
#include "reason.h"

#include <stdio.h>
#include <string.h>

#include "../bdp.h"
#include "../units.h"
#include "../words.h"

static const char *reason_limit(const struct tt_reason *reason)
{
	if (reason->limit == TT_LIMIT_RWND && reason->dir == TT_OUT)
		return "that end's window limits it";
	if (reason->limit == TT_LIMIT_RWND)
		return "the window limits it";
	if (reason->proven)
		return "it gets no faster";
	if (reason->limit == TT_LIMIT_SNDBUF)
		return "the send buffer limits it";
	return "it may get faster";
}

static void reason_path(const struct tt_reason *reason, char *text)
{
	char peer[INET6_ADDRSTRLEN], rate[UNITS_MAX], rtt[UNITS_MAX];
	char window[UNITS_MAX], budget[UNITS_MAX];
	char share[40] = "", limited[80] = "";

	if (tt_is_shared(reason->share_percent))
		snprintf(share, sizeof(share), ", %u %% on one connection",
			 reason->share_percent);
	if (reason->budget_bytes)
		snprintf(limited, sizeof(limited),
			 "; limited by the memory budget of %s",
			 units_bytes(reason->budget_bytes, budget));
	snprintf(text, REASON_BYTES, "%s %s: %s at best over %s needs %s%s, and %s%s%s",
		 reason->dir == TT_OUT ? "to" : "from",
		 units_addr(&reason->peer, peer),
		 units_rate(reason->best_bps, rate),
		 units_time(reason->rtt_us, rtt),
		 units_bytes(reason->window_bytes, window), share,
		 reason_limit(reason),
		 reason->to_reach ? "; set to what the link allows" : "",
		 limited);
}

static void reason_read_ahead(const struct tt_reason *reason, char *text)
{
	char peer[INET6_ADDRSTRLEN], rate[UNITS_MAX], rtt[UNITS_MAX];

	units_rate(reason->best_bps, rate);
	snprintf(text, REASON_BYTES, "from %s: %s%s over %s, %s",
		 units_addr(&reason->peer, peer),
		 reason->best_bps ? rate : "nothing was read yet",
		 reason->best_bps ? " at best" : "",
		 units_time(reason->rtt_us, rtt),
		 reason->proven ? "so three round trips are read ahead" :
		 reason->best_bps ? "and the link may carry more" :
		 "so it starts with what the link may carry");
}

static void reason_loss(const struct tt_reason *reason, char *text)
{
	char peer[INET6_ADDRSTRLEN], rtt[UNITS_MAX];

	snprintf(text, REASON_BYTES,
		 "to %s: %u in a million packets are sent again over %s without a queue",
		 units_addr(&reason->peer, peer), reason->lost_ppm,
		 units_time(reason->rtt_us, rtt));
}

const char *reason_text(const struct tt_reason *reason,
			char text[REASON_BYTES])
{
	static const char * const sentences[] = {
		[TT_WHY_NONE] = "",
		[TT_WHY_WINDOW_SCALE] =
			"new connections then agree on a window scale that large windows need",
		[TT_WHY_NO_NEED] =
			"no path needs more than TCP provides by itself",
		[TT_WHY_CONF] = "as configured",
	};

	if (reason->why == TT_WHY_PATH)
		reason_path(reason, text);
	else if (reason->why == TT_WHY_READ_AHEAD)
		reason_read_ahead(reason, text);
	else if (reason->why == TT_WHY_LOSS)
		reason_loss(reason, text);
	else
		snprintf(text, REASON_BYTES, "%s", sentences[reason->why]);
	return text;
}

const char *reason_reconnect(const struct tt_reconnect *reconnect,
			     char text[REASON_BYTES])
{
	const struct tt_conn *conn = &reconnect->conn;
	u64 bytes = 65535ULL << conn->wscale[TT_IN];
	char peer[INET6_ADDRSTRLEN], size[UNITS_MAX], rate[UNITS_MAX];
	char rtt[UNITS_MAX];

	snprintf(text, REASON_BYTES,
		 "connection with %s, ports %u and %u: its window scale of %u allows %s, or %s over %s; a new one agrees on %u",
		 units_addr(&conn->peer, peer), conn->local_port,
		 conn->peer_port, conn->wscale[TT_IN],
		 units_bytes(bytes, size),
		 units_rate(bdp_rate(bytes, reconnect->rtt_us), rate),
		 units_time(reconnect->rtt_us, rtt), reconnect->wscale);
	return text;
}

const char *reason_restored(const struct tt_restored *restored,
			    char text[REASON_BYTES])
{
	bool is_word = tt_is_word(restored->target.id);
	char original[WORDS_PRINT_BYTES], value[WORDS_PRINT_BYTES];

	words_print(is_word, restored->original, original);
	words_print(is_word, restored->value, value);
	switch (restored->outcome) {
	case TT_RESTORED:
		snprintf(text, REASON_BYTES, "restored to %s", original);
		break;
	case TT_RESTORE_GONE:
		snprintf(text, REASON_BYTES, "is gone");
		break;
	case TT_RESTORE_FOREIGN:
		snprintf(text, REASON_BYTES,
			 "left at %s, which something else set", value);
		break;
	case TT_RESTORE_FAILED:
		snprintf(text, REASON_BYTES,
			 "could not be restored to %s: %s; it is %s",
			 original, strerror(-restored->err), value);
		break;
	}
	return text;
}
