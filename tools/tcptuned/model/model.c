// SPDX-License-Identifier: GPL-2.0
/*
 * All paths, and which connection belongs to which.
 *
 * A connection finds its path and its counters of the snapshot before by the
 * kernel's cookie (seen.c); one that is new finds its path by role and address,
 * which paths are sorted by.
 *
 * A path without a connection stays for MODEL_KEEP_US, so that its values
 * stand when the peer comes back; when there are more than MODEL_KEEP_PATHS of
 * them, those that were gone longest go first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lossy.h"
#include "model.h"
#include "path.h"
#include "seen.h"

#define MODEL_KEEP_US		(24ULL * 3600 * 1000000)
#define MODEL_KEEP_PATHS	4096

/* Data that moved in the last seconds: more is likely to follow. */
#define MODEL_BUSY_US		5000000ULL

struct model {
	struct path		**paths;
	size_t			npaths;
	size_t			path_room;
	struct tt_path		*view;
	size_t			view_room;
	struct seen		seen;
	u64			now_us;
};

struct model *model_new(void)
{
	return calloc(1, sizeof(struct model));
}

void model_free(struct model *model)
{
	if (!model)
		return;
	for (size_t i = 0; i < model->npaths; i++)
		free(model->paths[i]);
	free(model->paths);
	free(model->view);
	seen_free(&model->seen);
	free(model);
}

static int model_compare(const struct path *path, enum tt_role role,
			 const struct tt_addr *peer)
{
	if (path->pub.role != role)
		return path->pub.role < role ? -1 : 1;
	return memcmp(&path->pub.peer, peer, sizeof(*peer));
}

/* Where a path is, or would be. */
static size_t model_find(const struct model *model, enum tt_role role,
			 const struct tt_addr *peer, bool *found)
{
	size_t low = 0, high = model->npaths;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = model_compare(model->paths[middle], role, peer);

		if (!order) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*found = false;
	return low;
}

static int model_make_room(struct model *model)
{
	size_t room = model->path_room ? 2 * model->path_room : 16;
	struct path **paths;

	if (model->npaths < model->path_room)
		return 0;
	paths = realloc(model->paths, room * sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	model->paths = paths;
	model->path_room = room;
	return 0;
}

/* The path to a peer, made if it is new; NULL if there is no memory. */
static struct path *model_path(struct model *model, enum tt_role role,
			       const struct tt_addr *peer)
{
	bool found;
	size_t at = model_find(model, role, peer, &found);
	struct path *path;

	if (found)
		return model->paths[at];
	if (model_make_room(model))
		return NULL;
	path = malloc(sizeof(*path));
	if (!path)
		return NULL;
	path_init(path, role, peer, model->now_us);
	memmove(model->paths + at + 1, model->paths + at,
		(model->npaths - at) * sizeof(*model->paths));
	model->paths[at] = path;
	model->npaths++;
	return path;
}

static size_t model_count_idle(const struct model *model, u64 age_us)
{
	size_t count = 0;

	for (size_t i = 0; i < model->npaths; i++) {
		const struct tt_path *pub = &model->paths[i]->pub;

		count += !pub->nconns && model->now_us - pub->seen_us <= age_us;
	}
	return count;
}

static void model_expire(struct model *model)
{
	u64 age_us = MODEL_KEEP_US;
	size_t kept = 0;

	while (model_count_idle(model, age_us) > MODEL_KEEP_PATHS && age_us)
		age_us /= 2;
	for (size_t i = 0; i < model->npaths; i++) {
		struct path *path = model->paths[i];

		if (path->pub.nconns ||
		    model->now_us - path->pub.seen_us <= age_us)
			model->paths[kept++] = path;
		else
			free(path);
	}
	model->npaths = kept;
}

static int model_make_view(struct model *model)
{
	if (model->npaths > model->view_room) {
		size_t room = model->path_room;
		struct tt_path *view;

		view = realloc(model->view, room * sizeof(*view));
		if (!view)
			return -ENOMEM;
		model->view = view;
		model->view_room = room;
	}
	for (size_t i = 0; i < model->npaths; i++)
		model->view[i] = model->paths[i]->pub;
	return 0;
}

int model_learn(struct model *model, const struct tt_path *learned)
{
	struct path *path = model_path(model, learned->role, &learned->peer);

	if (!path)
		return -ENOMEM;
	path_learn(path, learned);
	path->pub.seen_us = model->now_us;
	return model_make_view(model);
}

static int model_take_conn(struct model *model, const struct tt_conn *conn,
			   const struct tt_link *link, u64 dt_us)
{
	struct seen_conn *slot = seen_slot(&model->seen, conn->cookie);
	bool known;
	u32 ppm;

	if (!slot)
		return -ENOMEM;
	known = slot->path &&
		!model_compare(slot->path, conn->role, &conn->peer);
	if (!known)
		slot->path = model_path(model, conn->role, &conn->peer);
	if (!slot->path)
		return -ENOMEM;
	path_set_link(slot->path, link);
	path_conn(slot->path, conn, known ? &slot->counts : NULL, dt_us);
	slot->counts = path_counts(conn);
	if (!known)
		slot->lossy = lossy_start(conn);
	ppm = lossy_ppm(&slot->lossy, conn);
	if (ppm)
		slot->path->pub.lost_ppm = ppm;
	return 0;
}

static int model_take_conns(struct model *model,
			    const struct tt_snapshot *snapshot, u64 dt_us)
{
	int err = 0;

	seen_begin(&model->seen);
	for (size_t i = 0; i < snapshot->nconns && !err; i++)
		err = model_take_conn(model, &snapshot->conns[i],
				      &snapshot->links[i], dt_us);
	return err;
}

/* The most that a reader of each path asks for in advance. */
static void model_take_mounts(struct model *model,
			      const struct tt_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nmounts; i++) {
		const struct tt_mount *mount = &snapshot->mounts[i];
		u64 bytes = 1024ULL * mount->read_ahead_kb;
		bool found;
		size_t at = model_find(model, TT_CLIENT, &mount->server,
				       &found);
		struct path_sample *sample;

		if (!found)
			continue;
		sample = &model->paths[at]->sample;
		if (sample->read_ahead_bytes < bytes)
			sample->read_ahead_bytes = bytes;
	}
}

/* With the first snapshot the time is known: learned paths are of now. */
static void model_start(struct model *model, u64 now_us)
{
	for (size_t i = 0; i < model->npaths; i++) {
		model->paths[i]->pub.seen_us = now_us;
		model->paths[i]->start_us = now_us;
	}
}

int model_update(struct model *model, const struct tt_snapshot *snapshot)
{
	u64 dt_us = snapshot->now_us - model->now_us;
	int err;

	if (!model->now_us)
		model_start(model, snapshot->now_us);
	model->now_us = snapshot->now_us;
	for (size_t i = 0; i < model->npaths; i++)
		path_begin(model->paths[i]);
	err = model_take_conns(model, snapshot, dt_us);
	model_take_mounts(model, snapshot);
	for (size_t i = 0; i < model->npaths; i++)
		path_end(model->paths[i], model->now_us);
	model_expire(model);
	return model_make_view(model) ? -ENOMEM : err;
}

const struct tt_path *model_paths(const struct model *model, size_t *npaths)
{
	*npaths = model->npaths;
	return model->view;
}

bool model_busy(const struct model *model)
{
	for (size_t i = 0; i < model->npaths; i++) {
		const struct path *path = model->paths[i];

		if (path->moved_us &&
		    model->now_us - path->moved_us < MODEL_BUSY_US)
			return true;
	}
	return false;
}
