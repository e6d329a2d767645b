/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Learned paths: what an earlier run knew, so that the right values stand
 * before the first mount after a boot.
 */
#ifndef TCPTUNED_LEARNED_H
#define TCPTUNED_LEARNED_H

#include "types.h"

/* A path that was not seen for so long is forgotten. */
#define LEARNED_DAYS 14
/* No more than these are kept; the oldest go. */
#define LEARNED_MAX 1024

/**
 * struct learned_path - what is kept of a path
 * @path: @role, @peer, @rtt_us and @best_bps count, @learned is true
 * @seen_s: when it was measured last, seconds since 1970
 */
struct learned_path {
	struct tt_path	path;
	u64		seen_s;
};

struct learned {
	struct learned_path	*paths;
	size_t			 npaths;
	bool			 dirty;
};

/**
 * learned_load - read what is known
 * @learned: is filled; learned_free() frees it
 * @statedir: folder of paths.json
 * @now_s: seconds since 1970
 * @set_aside: rename a file that is damaged or of an unknown version
 * @problem: is set to a sentence if something was wrong, else ""
 * @problem_bytes: its length
 *
 * Nothing that is wrong with the file stops anybody.
 */
void learned_load(struct learned *learned, const char *statedir, u64 now_s,
		  bool set_aside, char *problem, size_t problem_bytes);

/* Take in what was measured. Returns: 0 or -ENOMEM. */
int learned_update(struct learned *learned, const struct tt_path *paths,
		   size_t npaths, u64 now_s);

/**
 * learned_save - write it, if it differs from what is there
 * @learned: from learned_load()
 * @statedir: folder of paths.json
 * Returns: 0 or a negative errno, the old file being as it was
 */
int learned_save(struct learned *learned, const char *statedir);

/* Frees what learned_load() made; writes nothing. */
void learned_free(struct learned *learned);

#endif /* TCPTUNED_LEARNED_H */
