// SPDX-License-Identifier: GPL-2.0
/*
 * The status as JSON. Names are those of the structs, units are in them.
 */
#include "status.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../file.h"
#include "../units.h"
#include "../words.h"
#include "explain.h"
#include "names.h"
#include "paths.h"
#include "reason.h"

/* Thousands of clients are not to make it a file that nobody can read. */
#define PATHS_SHOWN 200

static void status_add_number(cJSON *object, const char *name, double value)
{
	cJSON_AddNumberToObject(object, name, value);
}

/* Names of mounts and devices may hold anything. */
static void status_clean(cJSON *string)
{
	if (cJSON_IsString(string))
		units_clean(string->valuestring);
}

static void status_add_text(cJSON *object, const char *name, const char *value)
{
	status_clean(cJSON_AddStringToObject(object, name, value));
}

static cJSON *status_add_item(cJSON *array)
{
	cJSON *item = cJSON_CreateObject();

	if (cJSON_AddItemToArray(array, item))
		return item;
	cJSON_Delete(item);
	return NULL;
}

static void status_add_sentence(cJSON *array, const char *sentence)
{
	cJSON *item = cJSON_CreateString(sentence);

	status_clean(item);
	cJSON_AddItemToArray(array, item);
}

/* What bounds the windows of a role and direction. */
static const char *status_tunable(const struct status_input *input,
				  enum tt_role role, enum tt_dir dir)
{
	return input->table[input->decision->needs[role][dir].tunable].name;
}

static void status_add_direction(cJSON *json, const struct status_input *input,
				 const struct tt_path *path, enum tt_dir dir)
{
	cJSON *object = cJSON_AddObjectToObject(json, names_dir[dir]);

	status_add_number(object, "now_bps", path->now_bps[dir]);
	status_add_number(object, "best_bps", path->best_bps[dir]);
	status_add_number(object, "window_bytes", path->window_bytes[dir]);
	status_add_text(object, "limit", names_limit[path->limit[dir]]);
	status_add_text(object, "tunable", status_tunable(input, path->role,
							  dir));
}

static void status_add_path(cJSON *array, const struct status_input *input,
			    const struct tt_path *path)
{
	char addr[INET6_ADDRSTRLEN], text[EXPLAIN_BYTES];
	cJSON *json = status_add_item(array);

	status_add_text(json, "role", names_role[path->role]);
	status_add_text(json, "peer", units_addr(&path->peer, addr));
	status_add_number(json, "connections", path->nconns);
	status_add_number(json, "rtt_us", path->rtt_us);
	status_add_text(json, "link", path->link.name);
	status_add_number(json, "link_bps", path->link.rate_bps);
	status_add_text(json, "link_source", names_source[path->link.source]);
	cJSON_AddBoolToObject(json, "learned", path->learned);
	for (int dir = 0; dir < TT_DIRS; dir++)
		status_add_direction(json, input, path, dir);
	status_add_text(json, "explanation",
			explain_path(input, path, text, sizeof(text)));
}

static void status_add_value(cJSON *json, const char *name,
			     enum tt_tunable id, u64 value)
{
	if (tt_is_word(id))
		status_add_text(json, name, words_text(value));
	else
		status_add_number(json, name, value);
}

static void status_add_setting(cJSON *array, const struct tt_row *table,
			       const struct tt_setting *setting)
{
	cJSON *json = status_add_item(array);
	char reason[REASON_BYTES];

	status_add_text(json, "name", table[setting->target.id].name);
	status_add_text(json, "instance", setting->target.instance);
	status_add_value(json, "value", setting->target.id, setting->value);
	if (setting->written)
		status_add_value(json, "original", setting->target.id,
				 setting->original);
	cJSON_AddBoolToObject(json, "written", setting->written);
	status_add_text(json, "hands_off", names_off[setting->off]);
	status_add_text(json, "reason", reason_text(&setting->reason, reason));
}

static void status_add_mount(cJSON *array, const struct tt_mount *mount)
{
	cJSON *json = status_add_item(array);
	char addr[INET6_ADDRSTRLEN];

	status_add_text(json, "dev", mount->dev);
	status_add_text(json, "dir", mount->dir);
	status_add_text(json, "server", units_addr(&mount->server, addr));
	status_add_number(json, "read_ahead_kb", mount->read_ahead_kb);
}

static void status_add_host(cJSON *json, const struct tt_host *host)
{
	status_add_number(json, "ram_bytes", host->ram_bytes);
	status_add_number(json, "tcp_mem_bytes", host->tcp_mem_bytes[2]);
	status_add_number(json, "tcp_used_bytes", host->tcp_used_bytes);
	cJSON_AddBoolToObject(json, "sunrpc_tcpbuf", host->has_sunrpc_tcpbuf);
}

/* How much a path deserves a look: the lower the more. */
static int status_rank(const struct tt_path *path)
{
	int rank = path->nconns ? 3 : 4;

	for (int dir = 0; dir < TT_DIRS; dir++) {
		enum tt_limit limit = path->limit[dir];

		if (!path->now_bps[dir])
			continue;
		if (limit == TT_LIMIT_RWND || limit == TT_LIMIT_SNDBUF ||
		    limit == TT_LIMIT_READ_AHEAD)
			return 0;
		if (limit == TT_LIMIT_CONGESTION)
			rank = 1;
		else if (rank > 2)
			rank = 2;
	}
	return rank;
}

static int status_compare_rates(const u64 *a, const u64 *b)
{
	u64 one = max_u64(a[TT_OUT], a[TT_IN]);
	u64 other = max_u64(b[TT_OUT], b[TT_IN]);

	return one == other ? 0 : one > other ? -1 : 1;
}

/* The worst first, and of these the busiest. */
static int status_compare(const void *left, const void *right)
{
	const struct tt_path *a = *(const struct tt_path * const *)left;
	const struct tt_path *b = *(const struct tt_path * const *)right;
	int order = status_rank(a) - status_rank(b);

	if (!order)
		order = status_compare_rates(a->now_bps, b->now_bps);
	if (!order)
		order = status_compare_rates(a->best_bps, b->best_bps);
	/* In the order of addresses. */
	return order ? order : a < b ? -1 : 1;
}

static void status_add_paths(cJSON *json, const struct status_input *input)
{
	cJSON *array = cJSON_AddArrayToObject(json, "paths");
	const struct tt_path **sorted;

	sorted = calloc(input->npaths + 1, sizeof(*sorted));
	if (!sorted)
		return;
	for (size_t i = 0; i < input->npaths; i++)
		sorted[i] = &input->paths[i];
	qsort(sorted, input->npaths, sizeof(*sorted), status_compare);
	for (size_t i = 0; i < input->npaths && i < PATHS_SHOWN; i++)
		status_add_path(array, input, sorted[i]);
	free(sorted);
	if (input->npaths > PATHS_SHOWN)
		status_add_number(json, "paths_left_out",
				  input->npaths - PATHS_SHOWN);
}

/* What bounds windows, for paths that are left out. */
static void status_add_bounds(cJSON *json, const struct status_input *input)
{
	for (int role = 0; role < TT_ROLES; role++) {
		cJSON *object = cJSON_AddObjectToObject(json, names_role[role]);

		for (int dir = 0; dir < TT_DIRS; dir++)
			status_add_text(object, names_dir[dir],
					status_tunable(input, role, dir));
	}
}

/* Everything; the time comes first, where status_but_time() leaves it out. */
static cJSON *status_build(const struct status_input *input)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *array;

	status_add_number(json, "monotonic_us", input->now_us);
	status_add_number(json, "version", STATUS_VERSION);
	status_add_number(json, "pid", input->pid);
	cJSON_AddBoolToObject(json, "dry_run", input->dry_run);
	status_add_host(cJSON_AddObjectToObject(json, "host"), input->host);
	array = cJSON_AddArrayToObject(json, "problems");
	for (size_t i = 0; i < input->nproblems; i++)
		if (input->problems[i] && *input->problems[i])
			status_add_sentence(array, input->problems[i]);
	status_add_paths(json, input);
	status_add_bounds(cJSON_AddObjectToObject(json, "bounds"), input);
	array = cJSON_AddArrayToObject(json, "mounts");
	for (size_t i = 0; i < input->nmounts; i++)
		status_add_mount(array, &input->mounts[i]);
	array = cJSON_AddArrayToObject(json, "settings");
	for (size_t i = 0; i < input->nsettings; i++)
		status_add_setting(array, input->table, &input->settings[i]);
	return json;
}

static char *status_to_json(const struct status_input *input)
{
	cJSON *json = status_build(input);
	char *text = cJSON_Print(json);

	cJSON_Delete(json);
	return text;
}

static const char *status_but_time(const char *text)
{
	return strchr(text, ',');
}

int status_write(struct status_writer *writer, int dir,
		 const struct status_input *input)
{
	u64 age_us = input->now_us - writer->written_us;
	char *text;
	int err = 0;

	if (writer->text && age_us < 1000000)
		return 0;
	text = status_to_json(input);
	if (!text)
		return -ENOMEM;
	if (writer->text && age_us < STATUS_REFRESH_US &&
	    !strcmp(status_but_time(writer->text), status_but_time(text))) {
		free(text);
		return 0;
	}
	free(writer->text);
	writer->text = text;
	writer->written_us = input->now_us;
	if (input->npaths <= PATHS_SHOWN)
		unlinkat(dir, PATHS_FILE, 0);
	else
		err = paths_write(dir, input->paths, input->npaths);
	return err ? err : file_write(dir, STATUS_FILE, text, false);
}
