/* SPDX-License-Identifier: GPL-2.0 */
/*
 * model: what is known of each path. Pure: no system call, no clock; time is
 * in the snapshot.
 */
#ifndef TCPTUNED_MODEL_H
#define TCPTUNED_MODEL_H

#include "../types.h"

struct model;

/* Returns: an empty model, NULL if there is no memory. */
struct model *model_new(void);

/* Frees a model, or NULL. */
void model_free(struct model *model);

/**
 * model_learn - start with a path of an earlier run
 * @model: from model_new()
 * @path: @role, @peer, @rtt_us and @best_bps count; measurements replace them
 * Returns: 0 or -ENOMEM
 */
int model_learn(struct model *model, const struct tt_path *path);

/**
 * model_update - take in what was seen
 * @model: from model_new()
 * @snapshot: not older than the one before
 * Returns: 0 or -ENOMEM
 */
int model_update(struct model *model, const struct tt_snapshot *snapshot);

/**
 * model_paths - all that is known
 * @model: from model_new()
 * @npaths: is set to the length
 * Returns: paths, valid until the next call that changes the model
 */
const struct tt_path *model_paths(const struct model *model, size_t *npaths);

/*
 * Whether data moved lately, so that looking often pays. Returns: true if some
 * path is in use.
 */
bool model_busy(const struct model *model);

#endif /* TCPTUNED_MODEL_H */
