// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of one peer, from the status, or from the file of all paths.
 */
#include "peer.h"

#include <errno.h>
#include <string.h>

#include "../units.h"
#include "../words.h"
#include "explain.h"
#include "names.h"
#include "paths.h"
#include "read.h"
#include "text.h"

/* Sentences, a line each, wrapped. */
static void peer_print_lines(FILE *out, char *lines)
{
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (*line)
			text_wrap(out, 0, line);
}

static int peer_find_row(const struct tt_row *table, const char *name)
{
	for (int id = 0; id < TT_TUNABLES; id++)
		if (!strcmp(table[id].name, name))
			return id;
	return -1;
}

/* The values as the daemon saw them, but for those of mounts. */
static size_t peer_settings(const cJSON *json, const struct tt_row *table,
			    struct tt_setting settings[TT_TUNABLES])
{
	const cJSON *item;
	size_t n = 0;

	cJSON_ArrayForEach(item, read_list(json, "settings")) {
		int id = peer_find_row(table, read_string(item, "name"));
		int off = names_find(names_off, NAMES_OFF,
				     read_string(item, "hands_off"));

		if (id < 0 || off < 0 || *read_string(item, "instance") ||
		    n == TT_TUNABLES)
			continue;
		settings[n++] = (struct tt_setting) {
			.target.id = id,
			.value = tt_is_word(id) ?
				 words_number(read_string(item, "value")) :
				 read_number(item, "value"),
			.written = read_flag(item, "written"),
			.off = off,
		};
	}
	return n;
}

/* What bounds windows on this kernel. */
static void peer_bounds(const cJSON *json, const struct tt_row *table,
			struct tt_decision *decision)
{
	for (int i = 0; i < TT_ROLES * TT_DIRS; i++) {
		enum tt_role role = i / TT_DIRS;
		enum tt_dir dir = i % TT_DIRS;
		const cJSON *bounds = read_list(read_list(json, "bounds"),
						names_role[role]);
		int id = peer_find_row(table,
				       read_string(bounds, names_dir[dir]));

		if (id >= 0)
			decision->needs[role][dir].tunable = id;
	}
}

/* Explains paths that the status has no room for. */
static size_t peer_explain_others(const cJSON *json, int dir,
				  const struct tt_row *table,
				  const struct tt_addr *peer, FILE *out)
{
	struct tt_setting settings[TT_TUNABLES];
	struct tt_path paths[TT_ROLES];
	struct tt_decision decision = { };
	struct status_input input = {
		.settings = settings, .table = table, .decision = &decision,
	};
	size_t n = dir < 0 ? 0 : paths_find(dir, peer, paths);
	char text[EXPLAIN_BYTES];

	input.nsettings = peer_settings(json, table, settings);
	peer_bounds(json, table, &decision);
	for (size_t i = 0; i < n; i++) {
		explain_path(&input, &paths[i], text, sizeof(text));
		units_clean(text);
		peer_print_lines(out, text);
	}
	return n;
}

int peer_explain(const char *status, int dir, const struct tt_row *table,
		 const struct tt_addr *peer, FILE *out)
{
	cJSON *json = read_parse(status);
	struct tt_addr addr;
	const cJSON *path, *item;
	int err = -ENOENT;

	if (!json)
		return -EINVAL;
	cJSON_ArrayForEach(path, read_list(json, "paths")) {
		if (units_parse_addr(read_string(path, "peer"), &addr) ||
		    !IN6_ARE_ADDR_EQUAL(&addr.in6, &peer->in6))
			continue;
		item = cJSON_GetObjectItemCaseSensitive(path, "explanation");
		if (cJSON_IsString(item))
			peer_print_lines(out, item->valuestring);
		err = 0;
	}
	if (err && peer_explain_others(json, dir, table, peer, out))
		err = 0;
	cJSON_Delete(json);
	return err;
}
