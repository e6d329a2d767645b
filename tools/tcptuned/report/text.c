// SPDX-License-Identifier: GPL-2.0
/*
 * The status for people, made of the JSON, so that both say the same: a row for
 * each peer, the worst first, and below them the values that are not what they
 * were.
 */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "../units.h"
#include "names.h"
#include "read.h"

#define COLUMNS 80

/* So many peers, and values below them, unless all are wanted. */
#define ROWS_SHOWN 40
#define VALUES_SHOWN 20

/* A longer address has a line of its own. */
#define PEER_COLUMNS 27

/* What a terminal is told, "" for what is none. */
struct text_style {
	const char *bold;
	const char *warn;
	const char *plain;
};

static const struct text_style text_colored = { "\033[1m", "\033[33m", "\033[0m" };
static const struct text_style text_colorless = { "", "", "" };

void text_wrap(FILE *out, int indent, const char *sentence)
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

/* The direction that a path is used in. */
static enum tt_dir text_direction(const cJSON *path)
{
	const cJSON *out = read_list(path, names_dir[TT_OUT]);
	const cJSON *in = read_list(path, names_dir[TT_IN]);
	double now = read_number(in, "now_bps") - read_number(out, "now_bps");
	double best = read_number(in, "best_bps") -
		      read_number(out, "best_bps");

	return now > 0 || (now == 0 && best > 0) ? TT_IN : TT_OUT;
}

/* A rate in few columns: 457M, 9.41G. */
static const char *text_rate(double bps, char *buf)
{
	char *bit;

	units_rate(bps, buf);
	bit = strstr(buf, "bit");
	*bit = '\0';
	if (bit > buf)
		bit[-1] = toupper((unsigned char)bit[-1]);
	return bps ? buf : "-";
}

static const cJSON *text_find_setting(const cJSON *json, const char *name)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, read_list(json, "settings"))
		if (!strcmp(read_string(item, "name"), name))
			return item;
	return NULL;
}

/* What was set for a path. */
static const char *text_set(const cJSON *json, const cJSON *direction,
			    char *buf)
{
	const cJSON *setting;
	int off;

	setting = text_find_setting(json, read_string(direction, "tunable"));
	off = names_find(names_off, NAMES_OFF,
			 read_string(setting, "hands_off"));
	if (off == TT_OFF_FOREIGN || off == TT_OFF_DENIED)
		return "left";
	if (!read_flag(setting, "written"))
		return "-";
	return units_bytes(read_number(setting, "value"), buf);
}

/* What binds a path, and at which end. */
static const char *text_limit(const cJSON *path, enum tt_dir dir, bool *warn)
{
	const char *name = read_string(read_list(path, names_dir[dir]),
				       "limit");
	int limit = names_find(names_limit, NAMES_LIMITS, name);

	*warn = limit == TT_LIMIT_RWND || limit == TT_LIMIT_SNDBUF ||
		limit == TT_LIMIT_READ_AHEAD;
	if (!read_number(path, "connections")) {
		*warn = false;
		return "unconnected";
	}
	if (limit == TT_LIMIT_RWND)
		return dir == TT_OUT ? "peer window" : "own window";
	return name;
}

static void text_print_row(const cJSON *json, const cJSON *path, int width,
			   const struct text_style *style, FILE *out)
{
	char now[UNITS_MAX], best[UNITS_MAX], rtt[UNITS_MAX] = "-";
	char window[UNITS_MAX] = "-", set[UNITS_MAX];
	const char *peer = read_string(path, "peer"), *limit;
	enum tt_dir dir = text_direction(path);
	const cJSON *direction = read_list(path, names_dir[dir]);
	bool warn;

	limit = text_limit(path, dir, &warn);
	if (read_number(path, "rtt_us"))
		units_time(read_number(path, "rtt_us"), rtt);
	if (read_number(direction, "window_bytes"))
		units_bytes(read_number(direction, "window_bytes"), window);
	if ((int)strlen(peer) > width) {
		fprintf(out, "%s\n", peer);
		peer = "";
	}
	fprintf(out, "%-*s %6s%c %6s %5s %5s %7s %7s %s%s%s\n", width, peer,
		read_string(path, "role"), dir == TT_OUT ? '>' : '<', rtt,
		text_rate(read_number(direction, "now_bps"), now),
		text_rate(read_number(direction, "best_bps"), best), window,
		text_set(json, direction, set), warn ? style->warn : "", limit,
		warn ? style->plain : "");
}

/* The column of peers: as wide as the widest that leaves room for the others. */
static int text_peer_width(const cJSON *json, int max_rows)
{
	int width = 4, rows = 0;
	const cJSON *path;

	cJSON_ArrayForEach(path, read_list(json, "paths")) {
		int len = strlen(read_string(path, "peer"));

		if (rows++ < max_rows && len <= PEER_COLUMNS && len > width)
			width = len;
	}
	return width;
}

static void text_print_paths(const cJSON *json, bool all,
			     const struct text_style *style, FILE *out)
{
	int max_rows = all ? INT_MAX : ROWS_SHOWN, rows = 0;
	int width = text_peer_width(json, max_rows);
	double more = read_number(json, "paths_left_out");
	const cJSON *path;

	if (!cJSON_GetArraySize(read_list(json, "paths"))) {
		fputs("No NFS peer has been seen yet.\n", out);
		return;
	}
	fprintf(out, "%s%-*s %7s %6s %5s %5s %7s %7s limited by%s\n",
		style->bold, width, "peer", "role", "rtt", "now", "best",
		"window", "set", style->plain);
	cJSON_ArrayForEach(path, read_list(json, "paths")) {
		if (rows++ < max_rows)
			text_print_row(json, path, width, style, out);
		else
			more++;
	}
	if (more)
		fprintf(out, "and %.0f more%s\n", more,
			all ? "; \"tcptuned explain PEER\" shows any" :
			      "; --all shows more");
}

/* Whether a value is not what it was, or would be changed but is left alone. */
static bool text_is_notable(const cJSON *setting)
{
	int off = names_find(names_off, NAMES_OFF,
			     read_string(setting, "hands_off"));

	return read_flag(setting, "written") || off == TT_OFF_FOREIGN ||
	       off == TT_OFF_DENIED;
}

/* A value of the status: a number, or a word. */
static const char *text_value(const cJSON *setting, const char *name,
			      char buf[UNITS_MAX])
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(setting, name);

	if (cJSON_IsString(item))
		snprintf(buf, UNITS_MAX, "%s", *item->valuestring ?
			 item->valuestring : "\"\"");
	else
		snprintf(buf, UNITS_MAX, "%.0f", read_number(setting, name));
	return buf;
}

static void text_print_setting(const cJSON *setting,
			       const struct text_style *style, FILE *out)
{
	int off = names_find(names_off, NAMES_OFF,
			     read_string(setting, "hands_off"));
	const char *blank = *read_string(setting, "instance") ? " " : "";
	char buf[UNITS_MAX];

	fprintf(out, "%s%s%s%s%s = %s", style->bold,
		read_string(setting, "name"), blank,
		read_string(setting, "instance"), style->plain,
		text_value(setting, "value", buf));
	if (read_flag(setting, "written"))
		fprintf(out, ", was %s", text_value(setting, "original", buf));
	if (off > TT_HANDS_ON)
		fprintf(out, ", %sleft alone: %s%s", style->warn,
			names_off_text[off], style->plain);
	fputc('\n', out);
	if (off <= TT_HANDS_ON && *read_string(setting, "reason"))
		text_wrap(out, 4, read_string(setting, "reason"));
}

static void text_print_settings(const cJSON *json, bool all,
				const struct text_style *style, FILE *out)
{
	size_t values = 0, more = 0;
	const cJSON *setting;

	cJSON_ArrayForEach(setting, read_list(json, "settings")) {
		if (!text_is_notable(setting))
			continue;
		if (!values)
			fputc('\n', out);
		if (values++ < VALUES_SHOWN || all)
			text_print_setting(setting, style, out);
		else
			more++;
	}
	if (more)
		fprintf(out, "and %zu more; --all shows more\n", more);
}

static void text_print_host(const cJSON *json, FILE *out)
{
	const cJSON *host = read_list(json, "host");
	char used[UNITS_MAX], all[UNITS_MAX];

	fprintf(out, "tcptuned is running as process %.0f%s\n",
		read_number(json, "pid"),
		read_flag(json, "dry_run") ? ", writing nothing" : "");
	fprintf(out, "TCP uses %s",
		units_bytes(read_number(host, "tcp_used_bytes"), used));
	/* Only the first network namespace is told. */
	if (read_number(host, "tcp_mem_bytes"))
		fprintf(out, " of %s of memory",
			units_bytes(read_number(host, "tcp_mem_bytes"), all));
	fprintf(out, "; kernel %s sunrpc-tcpbuf\n",
		read_flag(host, "sunrpc_tcpbuf") ? "with" : "without");
}

int text_print(const char *status, bool color, bool all, FILE *out)
{
	const struct text_style *style = color ? &text_colored :
						 &text_colorless;
	cJSON *json = read_parse(status);
	const cJSON *item;

	if (!json)
		return -EINVAL;
	text_print_host(json, out);
	cJSON_ArrayForEach(item, read_list(json, "problems"))
		if (cJSON_IsString(item)) {
			fputs(style->warn, out);
			text_wrap(out, 0, item->valuestring);
			fputs(style->plain, out);
		}
	fputc('\n', out);
	text_print_paths(json, all, style, out);
	text_print_settings(json, all, style, out);
	cJSON_Delete(json);
	return 0;
}
