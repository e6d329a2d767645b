// SPDX-License-Identifier: GPL-2.0
/*
 * The status for people, made of the JSON, so that both say the same.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../units.h"
#include "names.h"
#include "status.h"

#define COLUMNS 80

/* What a terminal is told, "" for what is none. */
struct text_style {
	const char *bold;
	const char *warn;
	const char *plain;
};

static const struct text_style text_colored = { "\033[1m", "\033[33m", "\033[0m" };
static const struct text_style text_colorless = { "", "", "" };

static double text_number(const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	/* What is not a number, or below 0, was not written by us. */
	return cJSON_IsNumber(item) && item->valuedouble > 0 &&
	       item->valuedouble < 1e18 ? item->valuedouble : 0;
}

static const char *text_string(const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	return cJSON_IsString(item) ? item->valuestring : "";
}

static bool text_flag(const cJSON *json, const char *name)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static const cJSON *text_list(const cJSON *json, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(json, name);
}

/* A sentence, broken at blanks so that it stays in the columns. */
static void text_print_wrapped(FILE *out, int indent, const char *sentence)
{
	int column = COLUMNS;

	while (*sentence) {
		int len = strcspn(sentence, " ");

		if (column + 1 + len >= COLUMNS) {
			fprintf(out, "%s%*s%.*s", column < COLUMNS ? "\n" : "",
				indent, "", len, sentence);
			column = indent + len;
		} else {
			fprintf(out, " %.*s", len, sentence);
			column += 1 + len;
		}
		sentence += len;
		sentence += strspn(sentence, " ");
	}
	fputc('\n', out);
}

/* No control character reaches the terminal, whoever wrote the file. */
static void text_clean(cJSON *json)
{
	for (; json; json = json->next) {
		if (cJSON_IsString(json))
			units_clean(json->valuestring);
		text_clean(json->child);
	}
}

/* Parses a status. Returns: NULL if it is none of ours. */
static cJSON *text_parse(const char *status)
{
	cJSON *json = cJSON_Parse(status);

	text_clean(json);
	if (text_number(json, "version") == STATUS_VERSION)
		return json;
	cJSON_Delete(json);
	return NULL;
}

/* A limit that more window lifts, and that does not last if all is well. */
static bool text_is_ours(const char *limit)
{
	return !strcmp(limit, "receiver window") ||
	       !strcmp(limit, "send buffer") || !strcmp(limit, "read-ahead");
}

static void text_print_direction(const cJSON *path, const char *name,
				 const struct text_style *style, FILE *out)
{
	const cJSON *dir = cJSON_GetObjectItemCaseSensitive(path, name);
	char now[UNITS_MAX], best[UNITS_MAX], window[UNITS_MAX];
	const char *limit = text_string(dir, "limit");

	if (!text_number(dir, "best_bps") && !text_number(dir, "window_bytes"))
		return;
	fprintf(out, "    %-3s now %-8s best %-8s window %-8s limit %s%s%s\n",
		name, units_rate(text_number(dir, "now_bps"), now),
		units_rate(text_number(dir, "best_bps"), best),
		units_bytes(text_number(dir, "window_bytes"), window),
		text_is_ours(limit) ? style->warn : "", limit,
		text_is_ours(limit) ? style->plain : "");
}

static void text_print_path(const cJSON *path, const struct text_style *style,
			    FILE *out)
{
	u64 connections = text_number(path, "connections");
	char rtt[UNITS_MAX] = "unknown", rate[UNITS_MAX] = "unknown rate";
	char line[200];
	int len;

	if (text_number(path, "rtt_us"))
		units_time(text_number(path, "rtt_us"), rtt);
	if (text_number(path, "link_bps"))
		units_rate(text_number(path, "link_bps"), rate);
	fprintf(out, "%s%s%s, this host is the %s\n", style->bold,
		text_string(path, "peer"), style->plain, text_string(path, "role"));
	len = snprintf(line, sizeof(line), "%llu connection%s, RTT %s%s",
		       connections, connections == 1 ? "" : "s", rtt,
		       text_flag(path, "learned") ? " (learned)" : "");
	if (*text_string(path, "link"))
		snprintf(line + len, sizeof(line) - len, ", %s %s (%s)",
			 text_string(path, "link"), rate, text_string(path, "link_source"));
	text_print_wrapped(out, 4, line);
	text_print_direction(path, "out", style, out);
	text_print_direction(path, "in", style, out);
}

static const char *text_why_not(const char *hands_off)
{
	int off = names_find(names_off, NAMES_OFF, hands_off);

	return off < 0 ? "" : names_off_text[off];
}

static void text_print_setting(const cJSON *setting,
			       const struct text_style *style, FILE *out)
{
	const char *off = text_string(setting, "hands_off");
	const char *blank = *text_string(setting, "instance") ? " " : "";
	bool foreign = !strcmp(off, "foreign") || !strcmp(off, "denied");
	bool absent = !strcmp(off, "absent");

	fprintf(out, "%s%s%s%s%s", style->bold, text_string(setting, "name"), blank,
		text_string(setting, "instance"), style->plain);
	if (!absent)
		fprintf(out, " = %.0f", text_number(setting, "value"));
	if (text_flag(setting, "written"))
		fprintf(out, ", was %.0f", text_number(setting, "original"));
	fputc('\n', out);
	if (*off)
		fprintf(out, "    %sleft alone: %s%s\n",
			foreign ? style->warn : "", text_why_not(off),
			foreign ? style->plain : "");
	else if (*text_string(setting, "reason"))
		text_print_wrapped(out, 4, text_string(setting, "reason"));
}

static void text_print_host(const cJSON *json, FILE *out)
{
	const cJSON *host = cJSON_GetObjectItemCaseSensitive(json, "host");
	char used[UNITS_MAX], all[UNITS_MAX];

	fprintf(out, "tcptuned is running as process %.0f%s\n",
		text_number(json, "pid"),
		text_flag(json, "dry_run") ? ", writing nothing" : "");
	fprintf(out, "TCP uses %s", units_bytes(text_number(host, "tcp_used_bytes"),
						used));
	/* Only the first network namespace is told. */
	if (text_number(host, "tcp_mem_bytes"))
		fprintf(out, " of the %s that it may",
			units_bytes(text_number(host, "tcp_mem_bytes"), all));
	fprintf(out, ", kernel %s sunrpc-tcpbuf\n",
		text_flag(host, "sunrpc_tcpbuf") ? "with" : "without");
}

int status_print(const char *status, bool color, FILE *out)
{
	const struct text_style *style = color ? &text_colored :
						 &text_colorless;
	cJSON *json = text_parse(status);
	const cJSON *item;

	if (!json)
		return -EINVAL;
	text_print_host(json, out);
	cJSON_ArrayForEach(item, text_list(json, "problems"))
		if (cJSON_IsString(item)) {
			fputs(style->warn, out);
			text_print_wrapped(out, 0, item->valuestring);
			fputs(style->plain, out);
		}
	fputc('\n', out);
	if (!cJSON_GetArraySize(text_list(json, "paths")))
		fputs("No NFS peer has been seen yet.\n", out);
	cJSON_ArrayForEach(item, text_list(json, "paths"))
		text_print_path(item, style, out);
	if (text_number(json, "paths_left_out"))
		fprintf(out, "and %.0f more\n", text_number(json, "paths_left_out"));
	fputc('\n', out);
	cJSON_ArrayForEach(item, text_list(json, "settings"))
		text_print_setting(item, style, out);
	cJSON_Delete(json);
	return 0;
}

/* Sentences, a line each, wrapped. */
static void text_print_lines(FILE *out, char *lines)
{
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (*line)
			text_print_wrapped(out, 0, line);
}

int status_explain(const char *status, const struct tt_addr *peer, FILE *out)
{
	cJSON *json = text_parse(status);
	struct tt_addr addr;
	const cJSON *path, *item;
	int err = -ENOENT;

	if (!json)
		return -EINVAL;
	cJSON_ArrayForEach(path, text_list(json, "paths")) {
		if (units_parse_addr(text_string(path, "peer"), &addr) ||
		    !IN6_ARE_ADDR_EQUAL(&addr.in6, &peer->in6))
			continue;
		item = cJSON_GetObjectItemCaseSensitive(path, "explanation");
		if (cJSON_IsString(item))
			text_print_lines(out, item->valuestring);
		err = 0;
	}
	cJSON_Delete(json);
	return err;
}

int status_age(const char *status, pid_t *pid, u64 *written_us)
{
	cJSON *json = text_parse(status);

	if (!json)
		return -EINVAL;
	*pid = min_u64(text_number(json, "pid"), INT_MAX);
	*written_us = text_number(json, "monotonic_us");
	cJSON_Delete(json);
	return *pid > 0 && *pid < INT_MAX ? 0 : -EINVAL;
}
