// SPDX-License-Identifier: GPL-2.0
/*
 * The status for people, made of the JSON, so that both say the same.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../units.h"
#include "status.h"

#define COLUMNS 80

/* What a terminal is told, "" for what is none. */
struct style {
	const char *bold;
	const char *warn;
	const char *plain;
};

static const struct style colored = { "\033[1m", "\033[33m", "\033[0m" };
static const struct style colorless = { "", "", "" };

static double number(const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	/* What is not a number, or below 0, was not written by us. */
	return cJSON_IsNumber(item) && item->valuedouble > 0 &&
	       item->valuedouble < 1e18 ? item->valuedouble : 0;
}

static const char *text(const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	return cJSON_IsString(item) ? item->valuestring : "";
}

static bool truth(const cJSON *json, const char *name)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static const cJSON *list(const cJSON *json, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(json, name);
}

/* A sentence, broken at blanks so that it stays in the columns. */
static void print_wrapped(FILE *out, int indent, const char *sentence)
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

/* Parses a status. Returns: NULL if it is none of ours. */
static cJSON *parse(const char *status)
{
	cJSON *json = cJSON_Parse(status);

	if (number(json, "version") == STATUS_VERSION)
		return json;
	cJSON_Delete(json);
	return NULL;
}

/* A limit that more window lifts, and that does not last if all is well. */
static bool is_ours(const char *limit)
{
	return !strcmp(limit, "receiver window") ||
	       !strcmp(limit, "send buffer") || !strcmp(limit, "read-ahead");
}

static void print_direction(const cJSON *path, const char *name,
			    const struct style *style, FILE *out)
{
	const cJSON *dir = cJSON_GetObjectItemCaseSensitive(path, name);
	char now[UNITS_MAX], best[UNITS_MAX], window[UNITS_MAX];
	const char *limit = text(dir, "limit");

	if (!number(dir, "best_bps") && !number(dir, "window_bytes"))
		return;
	fprintf(out, "    %-3s now %-8s best %-8s window %-8s limit %s%s%s\n",
		name, units_rate(number(dir, "now_bps"), now),
		units_rate(number(dir, "best_bps"), best),
		units_bytes(number(dir, "window_bytes"), window),
		is_ours(limit) ? style->warn : "", limit,
		is_ours(limit) ? style->plain : "");
}

static void print_path(const cJSON *path, const struct style *style, FILE *out)
{
	unsigned int connections = number(path, "connections");
	char rtt[UNITS_MAX] = "unknown", rate[UNITS_MAX] = "unknown rate";
	char line[200];
	int len;

	if (number(path, "rtt_us"))
		units_time(number(path, "rtt_us"), rtt);
	if (number(path, "link_bps"))
		units_rate(number(path, "link_bps"), rate);
	fprintf(out, "%s%s%s, this host is the %s\n", style->bold,
		text(path, "peer"), style->plain, text(path, "role"));
	len = snprintf(line, sizeof(line), "%u connection%s, RTT %s%s",
		       connections, connections == 1 ? "" : "s", rtt,
		       truth(path, "learned") ? " (learned)" : "");
	if (*text(path, "link"))
		snprintf(line + len, sizeof(line) - len, ", %s %s (%s)",
			 text(path, "link"), rate, text(path, "link_source"));
	print_wrapped(out, 4, line);
	print_direction(path, "out", style, out);
	print_direction(path, "in", style, out);
}

static const char *why_not(const char *hands_off)
{
	static const struct {
		const char *name;
		const char *sentence;
	} reasons[] = {
		{ "absent", "this kernel does not have it" },
		{ "foreign", "somebody else sets it" },
		{ "denied", "no permission to write it" },
		{ "configuration", "the configuration says so" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(hands_off, reasons[i].name))
			return reasons[i].sentence;
	return "";
}

static void print_setting(const cJSON *setting, const struct style *style,
			  FILE *out)
{
	const char *off = text(setting, "hands_off");
	const char *blank = *text(setting, "instance") ? " " : "";
	bool foreign = !strcmp(off, "foreign") || !strcmp(off, "denied");
	bool absent = !strcmp(off, "absent");

	fprintf(out, "%s%s%s%s%s", style->bold, text(setting, "name"), blank,
		text(setting, "instance"), style->plain);
	if (!absent)
		fprintf(out, " = %.0f", number(setting, "value"));
	if (truth(setting, "written"))
		fprintf(out, ", was %.0f", number(setting, "original"));
	fputc('\n', out);
	if (*off)
		fprintf(out, "    %sleft alone: %s%s\n",
			foreign ? style->warn : "", why_not(off),
			foreign ? style->plain : "");
	else if (*text(setting, "reason"))
		print_wrapped(out, 4, text(setting, "reason"));
}

static void print_host(const cJSON *json, FILE *out)
{
	const cJSON *host = cJSON_GetObjectItemCaseSensitive(json, "host");
	char used[UNITS_MAX], all[UNITS_MAX];

	fprintf(out, "tcptuned is running as process %.0f%s\n",
		number(json, "pid"),
		truth(json, "dry_run") ? ", writing nothing" : "");
	fprintf(out, "TCP uses %s", units_bytes(number(host, "tcp_used_bytes"),
						used));
	/* Only the first network namespace is told. */
	if (number(host, "tcp_mem_bytes"))
		fprintf(out, " of the %s that it may",
			units_bytes(number(host, "tcp_mem_bytes"), all));
	fprintf(out, ", kernel %s the series\n",
		truth(host, "series") ? "with" : "without");
}

int status_print(const char *status, bool color, FILE *out)
{
	const struct style *style = color ? &colored : &colorless;
	cJSON *json = parse(status);
	const cJSON *item;

	if (!json)
		return -EINVAL;
	print_host(json, out);
	cJSON_ArrayForEach(item, list(json, "trouble"))
		if (cJSON_IsString(item)) {
			fputs(style->warn, out);
			print_wrapped(out, 0, item->valuestring);
			fputs(style->plain, out);
		}
	fputc('\n', out);
	if (!cJSON_GetArraySize(list(json, "paths")))
		fputs("No NFS peer has been seen yet.\n", out);
	cJSON_ArrayForEach(item, list(json, "paths"))
		print_path(item, style, out);
	if (number(json, "paths_left_out"))
		fprintf(out, "and %.0f more\n", number(json, "paths_left_out"));
	fputc('\n', out);
	cJSON_ArrayForEach(item, list(json, "settings"))
		print_setting(item, style, out);
	cJSON_Delete(json);
	return 0;
}

/* Sentences, a line each, wrapped. */
static void print_lines(FILE *out, char *lines)
{
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (*line)
			print_wrapped(out, 0, line);
}

int status_explain(const char *status, const struct tt_addr *peer, FILE *out)
{
	cJSON *json = parse(status);
	struct tt_addr addr;
	const cJSON *path, *item;
	int err = -ENOENT;

	if (!json)
		return -EINVAL;
	cJSON_ArrayForEach(path, list(json, "paths")) {
		if (units_parse_addr(text(path, "peer"), &addr) ||
		    !IN6_ARE_ADDR_EQUAL(&addr.in6, &peer->in6))
			continue;
		item = cJSON_GetObjectItemCaseSensitive(path, "explanation");
		if (cJSON_IsString(item))
			print_lines(out, item->valuestring);
		err = 0;
	}
	cJSON_Delete(json);
	return err;
}

int status_age(const char *status, pid_t *pid, u64 *written_us)
{
	cJSON *json = parse(status);

	if (!json)
		return -EINVAL;
	*pid = number(json, "pid");
	*written_us = number(json, "monotonic_us");
	cJSON_Delete(json);
	return *pid > 0 ? 0 : -EINVAL;
}
