// SPDX-License-Identifier: GPL-2.0
/*
 * The status as JSON. Names are those of the structs, units are in them.
 */
#include "status.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../file.h"
#include "../units.h"
#include "names.h"

/* Thousands of clients are not to make it a file that nobody can read. */
#define PATHS_SHOWN 200
#define EXPLANATION_BYTES 1500

static const char * const sources[] = {
	[TT_LINK_UNKNOWN] = "unknown",
	[TT_LINK_CONF] = "configuration",
	[TT_LINK_ETHTOOL] = "device",
	[TT_LINK_QDISC] = "qdisc",
	[TT_LINK_OUTRUN] = "outrun",
};

static void add_number(cJSON *object, const char *name, double value)
{
	cJSON_AddNumberToObject(object, name, value);
}

static void add_text(cJSON *object, const char *name, const char *value)
{
	cJSON_AddStringToObject(object, name, value);
}

static cJSON *add_item(cJSON *array)
{
	cJSON *item = cJSON_CreateObject();

	if (cJSON_AddItemToArray(array, item))
		return item;
	cJSON_Delete(item);
	return NULL;
}

static void add_sentence(cJSON *array, const char *sentence)
{
	cJSON_AddItemToArray(array, cJSON_CreateString(sentence));
}

static void add_direction(cJSON *json, const struct tt_path *path,
			  enum tt_dir dir)
{
	cJSON *object = cJSON_AddObjectToObject(json, names_dir[dir]);

	add_number(object, "now_bps", path->now_bps[dir]);
	add_number(object, "best_bps", path->best_bps[dir]);
	add_number(object, "window_bytes", path->window_bytes[dir]);
	add_text(object, "limit", names_limit[path->limit[dir]]);
}

static void add_path(cJSON *array, const struct status_input *input,
		     const struct tt_path *path)
{
	char addr[INET6_ADDRSTRLEN], text[EXPLANATION_BYTES];
	cJSON *json = add_item(array);

	add_text(json, "role", names_role[path->role]);
	add_text(json, "peer", units_addr(&path->peer, addr));
	add_number(json, "connections", path->nconns);
	add_number(json, "rtt_us", path->rtt_us);
	add_text(json, "link", path->link.name);
	add_number(json, "link_bps", path->link.rate_bps);
	add_text(json, "link_source", sources[path->link.source]);
	cJSON_AddBoolToObject(json, "learned", path->learned);
	for (int dir = 0; dir < TT_DIRS; dir++)
		add_direction(json, path, dir);
	add_text(json, "explanation",
		 input->explain(path, text, sizeof(text), input->data));
}

static void add_setting(cJSON *array, const struct tt_row *table,
			const struct tt_setting *setting)
{
	cJSON *json = add_item(array);

	add_text(json, "name", table[setting->target.id].name);
	add_text(json, "instance", setting->target.instance);
	add_number(json, "value", setting->value);
	if (setting->written)
		add_number(json, "original", setting->original);
	cJSON_AddBoolToObject(json, "written", setting->written);
	add_text(json, "hands_off", names_off[setting->off]);
	add_text(json, "reason", setting->reason);
}

static void add_mount(cJSON *array, const struct tt_mount *mount)
{
	cJSON *json = add_item(array);
	char addr[INET6_ADDRSTRLEN];

	add_text(json, "dev", mount->dev);
	add_text(json, "dir", mount->dir);
	add_text(json, "server", units_addr(&mount->server, addr));
	add_number(json, "read_ahead_kb", mount->read_ahead_kb);
}

static void add_host(cJSON *json, const struct tt_host *host)
{
	add_number(json, "ram_bytes", host->ram_bytes);
	add_number(json, "tcp_mem_bytes", host->tcp_mem_bytes[2]);
	add_number(json, "tcp_used_bytes", host->tcp_used_bytes);
	cJSON_AddBoolToObject(json, "series", host->has_series);
}

/* Everything; the time comes first, where but_time() leaves it out. */
static cJSON *build(const struct status_input *input)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *array;

	add_number(json, "monotonic_us", input->now_us);
	add_number(json, "version", STATUS_VERSION);
	add_number(json, "pid", input->pid);
	cJSON_AddBoolToObject(json, "dry_run", input->dry_run);
	add_host(cJSON_AddObjectToObject(json, "host"), input->host);
	array = cJSON_AddArrayToObject(json, "trouble");
	for (size_t i = 0; i < input->ntrouble; i++)
		if (input->trouble[i] && *input->trouble[i])
			add_sentence(array, input->trouble[i]);
	array = cJSON_AddArrayToObject(json, "paths");
	for (size_t i = 0; i < input->npaths && i < PATHS_SHOWN; i++)
		add_path(array, input, &input->paths[i]);
	if (input->npaths > PATHS_SHOWN)
		add_number(json, "paths_left_out",
			   input->npaths - PATHS_SHOWN);
	array = cJSON_AddArrayToObject(json, "mounts");
	for (size_t i = 0; i < input->nmounts; i++)
		add_mount(array, &input->mounts[i]);
	array = cJSON_AddArrayToObject(json, "settings");
	for (size_t i = 0; i < input->nsettings; i++)
		add_setting(array, input->table, &input->settings[i]);
	return json;
}

static char *print(const struct status_input *input)
{
	cJSON *json = build(input);
	char *text = cJSON_Print(json);

	cJSON_Delete(json);
	return text;
}

static const char *but_time(const char *text)
{
	return strchr(text, ',');
}

int status_write(struct status_writer *writer, int dir,
		 const struct status_input *input)
{
	u64 age_us = input->now_us - writer->written_us;
	char *text;

	if (writer->text && age_us < 1000000)
		return 0;
	text = print(input);
	if (!text)
		return -ENOMEM;
	if (writer->text && age_us < STATUS_REFRESH_US &&
	    !strcmp(but_time(writer->text), but_time(text))) {
		free(text);
		return 0;
	}
	free(writer->text);
	writer->text = text;
	writer->written_us = input->now_us;
	return file_write(dir, STATUS_FILE, text, false);
}
