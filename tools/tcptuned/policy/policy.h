/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy: which values the paths need. Pure: no system call, no clock.
 */
#ifndef TCPTUNED_POLICY_H
#define TCPTUNED_POLICY_H

#include "../values.h"

/* What a decision is made of. */
struct policy_input {
	u64				now_us;		/* CLOCK_MONOTONIC */
	const struct tt_conf		*conf;		/* the configuration */
	const struct tt_host		*host;		/* the machine */
	const struct tt_path		*paths;		/* from model_paths() */
	size_t				npaths;
	const struct tt_conn		*conns;		/* of the snapshot */
	size_t				nconns;
	const struct tt_mount		*mounts;	/* of the snapshot */
	size_t				nmounts;
	/* how every target stands */
	const struct tt_setting		*settings;
	size_t				nsettings;
	/* the last of each peer */
	const struct tt_reconnect	*reconnects;
	size_t				nreconnects;
};

/**
 * policy_decide - what the paths need, and which writes are worth it now
 * @input: what is known
 * @decision: is filled; it points to paths of @input
 */
void policy_decide(const struct policy_input *input,
		   struct tt_decision *decision);

/**
 * policy_compute - what the daemon settles on, for people who set it by hand
 * @id: which tunable, of those that limit buffers
 * @rate_bps: of the path
 * @rtt_us: of the path
 * Returns: its value
 */
u64 policy_compute(enum tt_tunable id, u64 rate_bps, u32 rtt_us);

#endif /* TCPTUNED_POLICY_H */
