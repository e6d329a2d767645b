/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy: which values the paths need. Pure, like model.
 */
#ifndef TCPTUNED_POLICY_H
#define TCPTUNED_POLICY_H

#include "../types.h"

/**
 * struct policy_input - what a decision is made of
 * @now_us: CLOCK_MONOTONIC
 * @conf: the configuration
 * @host: the machine
 * @paths: from model_paths()
 * @npaths: length
 * @mounts: of the snapshot
 * @nmounts: length
 * @settings: how every target stands
 * @nsettings: length
 */
struct policy_input {
	u64				now_us;
	const struct tt_conf		*conf;
	const struct tt_host		*host;
	const struct tt_path		*paths;
	size_t				npaths;
	const struct tt_mount		*mounts;
	size_t				nmounts;
	const struct tt_setting		*settings;
	size_t				nsettings;
};

/**
 * policy_decide - the writes that are worth it now
 * @input: what is known
 * @wishes: is filled, in the order in which they are to be written
 * @max: its length; more wishes wait for the next decision
 *
 * Returns: number of wishes
 */
size_t policy_decide(const struct policy_input *input, struct tt_wish *wishes,
		     size_t max);

/**
 * policy_budget - the memory that the buffers of all connections may take
 * @input: what is known
 * @squeezed: is set to whether a value would be larger without it
 *
 * Returns: bytes
 */
u64 policy_budget(const struct policy_input *input, bool *squeezed);

/**
 * policy_table - THE TABLE, one row per tunable
 * @id: which row
 *
 * Returns: the row
 */
const struct tt_row *policy_table(enum tt_tunable id);

/**
 * policy_compute - the arithmetic alone, for people who do it by hand
 * @rate_bps: of the path
 * @rtt_us: of the path
 *
 * Returns: the value for each buffer ceiling, in bytes
 */
u64 policy_compute(u64 rate_bps, u32 rtt_us);

/**
 * policy_explain - the arithmetic of one path, in sentences
 * @input: what is known; @path is one of its paths
 * @path: which
 * @text: is filled, and cut off if it is too short; 1500 bytes do
 * @size: its length
 *
 * Returns: @text
 */
const char *policy_explain(const struct policy_input *input,
			   const struct tt_path *path, char *text,
			   size_t size);

#endif /* TCPTUNED_POLICY_H */
