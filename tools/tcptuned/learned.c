// SPDX-License-Identifier: GPL-2.0
/*
 * Learned paths, in STATEDIR/paths.json:
 *
 *	{"version": 1, "paths": [{"role": "server", "peer": "10.0.0.1",
 *	 "rtt_us": 120000, "out_bps": 9.0e9, "in_bps": 0, "seen": 1790000000}]}
 */
#include "learned.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "report/names.h"
#include "units.h"

#define FILE_NAME "paths.json"
#define VERSION 1
#define LARGEST_BYTES (1024 * 1024)
#define DAY_S (24 * 60 * 60)

/* What no path exceeds: a minute, and 10 Tbit/s. */
#define LARGEST_RTT_US 60e6
#define LARGEST_BPS 10e12

/* Gets a number that has to be there and to lie between the bounds. */
static bool learned_get_number(const cJSON *object, const char *name,
			       double min, double max, u64 *value)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	double number = cJSON_IsNumber(item) ? item->valuedouble : -1;

	if (!(number >= min && number <= max))
		return false;
	*value = number;
	return true;
}

static bool learned_get_role(const cJSON *object, enum tt_role *role)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "role");

	int found = -1;

	if (cJSON_IsString(item))
		found = names_find(names_role, TT_ROLES, item->valuestring);
	*role = found;
	return found >= 0;
}

static bool learned_get_path(const cJSON *object, struct learned_path *learned)
{
	const cJSON *peer = cJSON_GetObjectItemCaseSensitive(object, "peer");
	struct tt_path *path = &learned->path;
	u64 rtt_us;

	*learned = (struct learned_path){ .path.learned = true };
	if (!learned_get_role(object, &path->role) || !cJSON_IsString(peer) ||
	    units_parse_addr(peer->valuestring, &path->peer) ||
	    !learned_get_number(object, "rtt_us", 1, LARGEST_RTT_US, &rtt_us) ||
	    !learned_get_number(object, "out_bps", 0, LARGEST_BPS, &path->best_bps[TT_OUT]) ||
	    !learned_get_number(object, "in_bps", 0, LARGEST_BPS, &path->best_bps[TT_IN]) ||
	    !learned_get_number(object, "seen", 0, 1e12, &learned->seen_s))
		return false;
	path->rtt_us = rtt_us;
	return true;
}

static struct learned_path *learned_find(const struct learned *learned,
					 const struct tt_path *path)
{
	for (size_t i = 0; i < learned->npaths; i++) {
		struct tt_path *known = &learned->paths[i].path;

		if (known->role == path->role &&
		    IN6_ARE_ADDR_EQUAL(&known->peer.in6, &path->peer.in6))
			return &learned->paths[i];
	}
	return NULL;
}

/* Where a path that is not known yet goes: to the end, or over the oldest. */
static struct learned_path *learned_place(struct learned *learned)
{
	struct learned_path *paths = learned->paths;
	struct learned_path *oldest = paths;

	if (learned->npaths < LEARNED_MAX) {
		paths = realloc(paths, (learned->npaths + 1) * sizeof(*paths));
		if (!paths)
			return NULL;
		learned->paths = paths;
		return &paths[learned->npaths++];
	}
	for (size_t i = 1; i < learned->npaths; i++)
		if (paths[i].seen_s < oldest->seen_s)
			oldest = &paths[i];
	return oldest;
}

static int learned_put(struct learned *learned, const struct learned_path *path)
{
	struct learned_path *known = learned_find(learned, &path->path);

	if (!known)
		known = learned_place(learned);
	if (!known)
		return -ENOMEM;
	*known = *path;
	return 0;
}

/* Returns: NULL, or what is wrong. */
static const char *learned_parse(struct learned *learned, const char *text,
				 u64 now_s)
{
	cJSON *json = cJSON_Parse(text);
	const char *wrong = NULL;
	struct learned_path path;
	const cJSON *item;
	u64 version;

	if (!learned_get_number(json, "version", 0, 1e9, &version))
		wrong = "is damaged";
	else if (version != VERSION)
		wrong = "has an unknown version";
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json,
								  "paths")) {
		if (wrong)
			break;
		if (!learned_get_path(item, &path))
			wrong = "is damaged";
		/* The clock was wrong then, or it is now. */
		path.seen_s = min_u64(path.seen_s, now_s);
		if (!wrong && path.seen_s + LEARNED_DAYS * DAY_S >= now_s &&
		    learned_put(learned, &path))
			break;
	}
	cJSON_Delete(json);
	return wrong;
}

void learned_load(struct learned *learned, const char *statedir, u64 now_s,
		  bool set_aside, char *problem, size_t problem_bytes)
{
	int dir = file_own_dir(statedir, false);
	const char *wrong = NULL;
	char *text = NULL;
	int err;

	*learned = (struct learned){ };
	*problem = '\0';
	err = dir < 0 ? dir : file_read(dir, FILE_NAME, LARGEST_BYTES, &text);
	if (!err)
		wrong = learned_parse(learned, text, now_s);
	else if (err != -ENOENT)
		wrong = "cannot be read";
	free(text);
	if (wrong) {
		set_aside = set_aside && dir >= 0 &&
			    !file_set_aside(dir, FILE_NAME);
		snprintf(problem, problem_bytes,
			 "%s/" FILE_NAME " %s; starting without learned paths%s",
			 statedir, wrong,
			 set_aside ? "; it was renamed to *.damaged" : "");
		learned_free(learned);
	}
	if (dir >= 0)
		close(dir);
}

int learned_update(struct learned *learned, const struct tt_path *paths,
		   size_t npaths, u64 now_s)
{
	for (size_t i = 0; i < npaths; i++) {
		const struct tt_path *path = &paths[i];
		struct learned_path new = {
			.path.role = path->role,
			.path.peer = path->peer,
			.path.rtt_us = path->rtt_us,
			.path.best_bps = {
				path->best_bps[0], path->best_bps[1],
			},
			.path.learned = true,
			.seen_s = now_s,
		};

		if (path->learned || !path->rtt_us || !path->nconns ||
		    (!path->best_bps[TT_OUT] && !path->best_bps[TT_IN]))
			continue;
		if (learned_put(learned, &new))
			return -ENOMEM;
		learned->dirty = true;
	}
	return 0;
}

static char *learned_to_json(const struct learned *learned)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *array;
	char *text;

	cJSON_AddNumberToObject(json, "version", VERSION);
	array = cJSON_AddArrayToObject(json, "paths");
	for (size_t i = 0; i < learned->npaths; i++) {
		const struct tt_path *path = &learned->paths[i].path;
		cJSON *item = cJSON_CreateObject();
		char addr[INET6_ADDRSTRLEN];

		cJSON_AddStringToObject(item, "role",
					names_role[path->role]);
		cJSON_AddStringToObject(item, "peer",
					units_addr(&path->peer, addr));
		cJSON_AddNumberToObject(item, "rtt_us", path->rtt_us);
		cJSON_AddNumberToObject(item, "out_bps",
					path->best_bps[TT_OUT]);
		cJSON_AddNumberToObject(item, "in_bps", path->best_bps[TT_IN]);
		cJSON_AddNumberToObject(item, "seen",
					learned->paths[i].seen_s);
		cJSON_AddItemToArray(array, item);
	}
	text = cJSON_Print(json);
	cJSON_Delete(json);
	return text;
}

int learned_save(struct learned *learned, const char *statedir)
{
	char *text;
	int dir, err;

	if (!learned->dirty)
		return 0;
	dir = file_own_dir(statedir, true);
	if (dir < 0)
		return dir;
	text = learned_to_json(learned);
	err = text ? file_write(dir, FILE_NAME, text, true) : -ENOMEM;
	free(text);
	close(dir);
	if (!err)
		learned->dirty = false;
	return err;
}

void learned_free(struct learned *learned)
{
	free(learned->paths);
	*learned = (struct learned){ };
}
