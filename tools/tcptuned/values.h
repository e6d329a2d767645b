/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plain structs for what is decided and written: tunables, changes and how
 * each value stands.
 */
#ifndef TCPTUNED_VALUES_H
#define TCPTUNED_VALUES_H

#include "types.h"

/* The tunables. A row of the table in policy/table.c describes each. */
enum tt_tunable {
	TT_RMEM_MAX,
	TT_WMEM_MAX,
	TT_SRV_RCVBUF,
	TT_SRV_SNDBUF,
	TT_CLNT_RCVBUF,
	TT_CLNT_SNDBUF,
	TT_TCP_RMEM,
	TT_TCP_WMEM,
	TT_SLOW_START,
	TT_SRV_LOSSY,
	TT_CLNT_LOSSY,
	TT_READ_AHEAD,
	TT_TUNABLES,
};

/* No number of a vector, but a word. */
#define TT_WORD 255

/**
 * struct tt_row - a row of the table of tunables
 * @id: its place in the table
 * @name: "net.core.rmem_max"; read_ahead_kb has an instance beside it
 * @path: file below /, with %s where the instance goes
 * @field: which number of a vector, 0 for the first or only one; TT_WORD if
 *	the file holds a word, see words.h
 * @min: smallest value that the kernel takes
 * @max: largest value that the kernel takes
 * @multiple: the kernel rounds to multiples of it; 1 for none
 * @from_zero: the kernel's default is 0, so another value was set by something
 */
struct tt_row {
	enum tt_tunable	id;
	const char	*name;
	const char	*path;
	u8		field;
	u64		min;
	u64		max;
	u32		multiple;
	bool		from_zero;
};

/* Whether the value is that of a word: its row has TT_WORD. */
static inline bool tt_is_word(enum tt_tunable id)
{
	return id == TT_SRV_LOSSY || id == TT_CLNT_LOSSY;
}

/**
 * struct tt_target - one value that can be written
 * @id: which tunable
 * @instance: mount's dev for TT_READ_AHEAD, "" otherwise
 */
struct tt_target {
	enum tt_tunable	id;
	char		instance[24];
};

/* Why a value is what it is. */
enum tt_why {
	TT_WHY_NONE,		/* nothing was decided yet */
	TT_WHY_PATH,		/* a path needs it */
	TT_WHY_READ_AHEAD,	/* a reader needs it */
	TT_WHY_WINDOW_SCALE,	/* so that new connections agree on a scale */
	TT_WHY_NO_NEED,		/* what TCP does by itself is enough */
	TT_WHY_CONF,		/* the configuration asks for it */
	TT_WHY_LOSS,		/* a path loses, and not by a queue */
};

/**
 * struct tt_reason - what a decision rests on
 * @why: which of the fields below count; for TT_WHY_PATH all but
 *	@lost_ppm, for TT_WHY_READ_AHEAD those up to @proven
 * @dir: direction of @peer's path
 * @proven: as in struct tt_path
 * @to_reach: the value also covers what the path may reach in a few seconds
 * @peer: the other end of the path that needs most
 * @rtt_us: as in struct tt_path
 * @best_bps: as in struct tt_path
 * @window_bytes: as in struct tt_path
 * @share_percent: as in struct tt_path
 * @limit: as in struct tt_path
 * @lost_ppm: as in struct tt_path
 * @budget_bytes: the memory budget, if that keeps the value down, else 0
 */
struct tt_reason {
	enum tt_why	why;
	enum tt_dir	dir;
	bool		proven;
	bool		to_reach;
	struct tt_addr	peer;
	u32		rtt_us;
	u64		best_bps;
	u64		window_bytes;
	u32		share_percent;
	enum tt_limit	limit;
	u32		lost_ppm;
	u64		budget_bytes;
};

/* A value to write. */
struct tt_change {
	struct tt_target	target;	/* where */
	u64			value;	/* what, in the unit of the file */
	struct tt_reason	reason;	/* why */
};

/**
 * struct tt_need - the largest need of one role and direction
 * @tunable: what bounds it on this kernel
 * @bytes: ceiling in the unit of SO_RCVBUF; 0 if TCP's own tuning is enough
 * @reach_bytes: the same for what connections may reach in the next seconds
 * @share_percent: of the path with the larger of the two, as in struct tt_path
 * @path: whose need it is, NULL if there is none
 * @budget_limited: it would be larger if the memory budget allowed it
 */
struct tt_need {
	enum tt_tunable		tunable;
	u64			bytes;
	u64			reach_bytes;
	u32			share_percent;
	const struct tt_path	*path;
	bool			budget_limited;
};

/**
 * struct tt_reconnect - a connection that is made anew, for its window scale
 * @conn: which
 * @ifindex: device that leads there, which the socket may be bound to
 * @wscale: that the new one agrees on for what this end receives
 * @rtt_us: of its path
 * @now_us: CLOCK_MONOTONIC
 */
struct tt_reconnect {
	struct tt_conn	conn;
	u32		ifindex;
	u8		wscale;
	u32		rtt_us;
	u64		now_us;
};

/* More than there are tunables; a mount beyond that waits for the next poll. */
#define TT_CHANGES_MAX	64

/**
 * struct tt_decision - what policy makes of one poll
 * @needs: by role and direction, within the memory budget
 * @budget_bytes: memory that the buffers of all connections may take
 * @budget_limited: some need would be larger without it
 * @changes: values to write, in this order
 * @nchanges: length
 * @reconnects: @reconnect is to be made anew
 * @reconnect: a connection
 */
struct tt_decision {
	struct tt_need		needs[TT_ROLES][TT_DIRS];
	u64			budget_bytes;
	bool			budget_limited;
	struct tt_change	changes[TT_CHANGES_MAX];
	size_t			nchanges;
	bool			reconnects;
	struct tt_reconnect	reconnect;
};

/* Why a tunable is not written. */
enum tt_hands_off {
	TT_HANDS_ON,
	TT_OFF_ABSENT,		/* this kernel does not have it */
	TT_OFF_FOREIGN,		/* something else set or changed it */
	TT_OFF_DENIED,		/* no permission, e.g. another namespace's */
};

/**
 * struct tt_setting - a tunable as it stands
 * @target: which
 * @value: what the file says
 * @original: what it said before the first write; valid if @written
 * @written: this daemon, or the one before it, has written it
 * @changed_us: CLOCK_MONOTONIC of the last write, 0 for never
 * @off: why it is left alone
 * @said: the same, as the log knows it
 * @failed: the last write failed, which the log knows
 * @reason: of the last write
 */
struct tt_setting {
	struct tt_target	target;
	u64			value;
	u64			original;
	bool			written;
	u64			changed_us;
	enum tt_hands_off	off;
	enum tt_hands_off	said;
	bool			failed;
	struct tt_reason	reason;
};

/* What became of a value at the end. */
enum tt_outcome {
	TT_RESTORED,		/* it is the original again */
	TT_RESTORE_GONE,	/* the file is no longer there */
	TT_RESTORE_FOREIGN,	/* something else set it, so it stays */
	TT_RESTORE_FAILED,	/* it could not be written */
};

/**
 * struct tt_restored - a value that was to be restored
 * @target: which
 * @outcome: what became of it
 * @original: what it was before the first write
 * @value: what it is now
 * @err: of TT_RESTORE_FAILED, a negative errno
 */
struct tt_restored {
	struct tt_target	target;
	enum tt_outcome		outcome;
	u64			original;
	u64			value;
	int			err;
};

#endif /* TCPTUNED_VALUES_H */
