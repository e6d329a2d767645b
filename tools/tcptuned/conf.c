// SPDX-License-Identifier: GPL-2.0
/*
 * The configuration file, see tcptuned.conf(5): one row per key.
 */
#include "conf.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "report/names.h"
#include "units.h"
#include "words.h"

/* Documentation/lossy.rst has what strangers lose by it. */
#define CONF_CONGESTION	"auto"

/* A key of the file. */
struct conf_key {
	const char	*name;		/* what stands left of the '=' */
	const char	*fallback;	/* value if the file does not have it */
	const char	*allowed;	/* what may stand there */
	size_t		 flag;		/* where "yes" is kept; or it has */
	int		(*parse)(struct tt_conf *conf, const char *value);
	void		(*print)(const struct tt_conf *conf, FILE *out);
};

/* What the file's reader goes by. */
struct conf_reader {
	struct tt_conf	 conf;
	const char	*path;
	FILE		*file;
	FILE		*errors;
	u32		 set;		/* a bit per key */
	unsigned int	 line;
	unsigned int	 count;		/* of errors */
};

static int conf_parse_roles(struct tt_conf *conf, const char *value)
{
	bool all = !strcmp(value, "both");
	bool server = all || !strcmp(value, "server");
	bool client = all || !strcmp(value, "client");

	if (!server && !client)
		return -EINVAL;
	conf->roles[TT_SERVER] = server;
	conf->roles[TT_CLIENT] = client;
	return 0;
}

static void conf_print_roles(const struct tt_conf *conf, FILE *out)
{
	bool both = conf->roles[TT_SERVER] && conf->roles[TT_CLIENT];

	fputs(both ? "both" : conf->roles[TT_SERVER] ? "server" : "client",
	      out);
}

static int conf_parse_bandwidth(struct tt_conf *conf, const char *value)
{
	u64 bps = 0;
	int err;

	if (strcmp(value, "auto")) {
		err = units_parse_rate(value, &bps);
		if (err)
			return err;
		if (bps < 1000)
			return -ERANGE;
	}
	conf->bandwidth_bps = bps;
	return 0;
}

static void conf_print_bandwidth(const struct tt_conf *conf, FILE *out)
{
	if (conf->bandwidth_bps)
		fprintf(out, "%llubit", conf->bandwidth_bps);
	else
		fputs("auto", out);
}

static int conf_parse_memory(struct tt_conf *conf, const char *value)
{
	char *end;
	long percent = strtol(value, &end, 10);

	if (end == value || strcmp(end, "%"))
		return -EINVAL;
	if (percent < 1 || percent > 90)
		return -ERANGE;
	conf->memory_percent = percent;
	return 0;
}

static void conf_print_memory(const struct tt_conf *conf, FILE *out)
{
	fprintf(out, "%u%%", conf->memory_percent);
}

static int conf_parse_tcp_limits(struct tt_conf *conf, const char *value)
{
	int found = names_find(names_tcp_limits, NAMES_TCP_LIMITS, value);

	if (found < 0)
		return -EINVAL;
	conf->tcp_limits = found;
	return 0;
}

static void conf_print_tcp_limits(const struct tt_conf *conf, FILE *out)
{
	fputs(names_tcp_limits[conf->tcp_limits], out);
}

/* The collector reads *.prom; a name that is not full would mean nothing. */
static int conf_parse_metrics(struct tt_conf *conf, const char *value)
{
	const char *name = strrchr(value, '/');
	size_t len = strlen(value);

	if (strcmp(value, "auto") && strcmp(value, "no") &&
	    (*value != '/' || strlen(name) < sizeof("/.prom") ||
	     strlen(name) > FILE_NAME_MAX || len >= sizeof(conf->metrics) ||
	     strcmp(value + len - 5, ".prom")))
		return -EINVAL;
	strcpy(conf->metrics, value);
	return 0;
}

static int conf_parse_reconnect(struct tt_conf *conf, const char *value)
{
	int found = names_find(names_reconnect, NAMES_RECONNECT, value);

	if (found < 0)
		return -EINVAL;
	conf->reconnect = found;
	return 0;
}

static void conf_print_reconnect(const struct tt_conf *conf, FILE *out)
{
	fputs(names_reconnect[conf->reconnect], out);
}

static void conf_print_metrics(const struct tt_conf *conf, FILE *out)
{
	fputs(conf->metrics, out);
}

static int conf_parse_congestion(struct tt_conf *conf, const char *value)
{
	u64 number = words_number(value);

	if (!number || number == WORDS_MAX)
		return -EINVAL;
	strcpy(conf->congestion_control, value);
	return 0;
}

static void conf_print_congestion(const struct tt_conf *conf, FILE *out)
{
	fputs(conf->congestion_control, out);
}

static const struct conf_key conf_keys[] = {
	{ "roles", "both", "server, client or both", 0,
	  conf_parse_roles, conf_print_roles },
	{ "bandwidth", "auto", "auto or a rate such as 10gbit", 0,
	  conf_parse_bandwidth, conf_print_bandwidth },
	{ "memory", "25%", "1% to 90%", 0,
	  conf_parse_memory, conf_print_memory },
	{ "read_ahead", "yes", "yes or no",
	  offsetof(struct tt_conf, read_ahead), NULL, NULL },
	{ "tcp_limits", "auto", "never, auto or always", 0,
	  conf_parse_tcp_limits, conf_print_tcp_limits },
	{ "no_slow_start_after_idle", "no", "yes or no",
	  offsetof(struct tt_conf, slow_start_after_idle), NULL, NULL },
	{ "congestion_control", CONF_CONGESTION, "auto, no or a name such as bbr",
	  0, conf_parse_congestion, conf_print_congestion },
	{ "reconnect", "auto", "auto, no or always", 0,
	  conf_parse_reconnect, conf_print_reconnect },
	{ "metrics", "auto", "auto, no or the full name of a .prom file", 0,
	  conf_parse_metrics, conf_print_metrics },
};

/* Sets the field of a key. Returns: 0 or a negative errno. */
static int conf_parse(const struct conf_key *key, struct tt_conf *conf,
		      const char *value)
{
	bool *flag = (bool *)((char *)conf + key->flag);

	if (key->parse)
		return key->parse(conf, value);
	*flag = !strcmp(value, "yes");
	return *flag || !strcmp(value, "no") ? 0 : -EINVAL;
}

__printf(3, 4)
static void conf_complain(struct conf_reader *reading, const char *name,
			  const char *format, ...)
{
	va_list args;

	fprintf(reading->errors, "%s:%u: %s", reading->path, reading->line,
		name);
	va_start(args, format);
	vfprintf(reading->errors, format, args);
	va_end(args);
	fputc('\n', reading->errors);
	reading->count++;
}

/* Hands the parser a line and counts it; a long one would come in pieces. */
static char *conf_next_line(char *buf, int bytes, void *data)
{
	struct conf_reader *reading = data;
	char *line = fgets(buf, bytes, reading->file);
	int c;

	if (!line)
		return NULL;
	reading->line++;
	if (strchr(line, '\n') || feof(reading->file))
		return line;
	conf_complain(reading, "", "the line is longer than %d bytes", bytes - 2);
	do
		c = fgetc(reading->file);
	while (c != '\n' && c != EOF);
	*line = '\0';
	return line;
}

static const struct conf_key *conf_find_key(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(conf_keys); i++)
		if (!strcmp(conf_keys[i].name, name))
			return &conf_keys[i];
	return NULL;
}

static const char *conf_known_keys(char *buf, size_t bytes)
{
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(conf_keys) && len < bytes; i++)
		len += snprintf(buf + len, bytes - len, "%s%s", i ? ", " : "",
				conf_keys[i].name);
	return buf;
}

/* The parser's callback; it counts its errors itself. Returns: 1. */
static int conf_set_key(void *data, const char *section, const char *name,
			const char *value)
{
	const struct conf_key *key = conf_find_key(name);
	struct conf_reader *reading = data;
	u32 bit = key ? 1U << (key - conf_keys) : 0;
	char known[200];

	if (*section)
		conf_complain(reading, name, ": sections are not used, remove [%s]",
			      section);
	else if (!key)
		conf_complain(reading, name, ": unknown key; known are %s",
			      conf_known_keys(known, sizeof(known)));
	else if (reading->set & bit)
		conf_complain(reading, name, ": is set a second time");
	else if (conf_parse(key, &reading->conf, value))
		conf_complain(reading, name, ": \"%s\" is not %s", value,
			      key->allowed);
	reading->set |= bit;
	return 1;
}

static void conf_set_defaults(struct tt_conf *conf)
{
	*conf = (struct tt_conf){ };
	for (size_t i = 0; i < ARRAY_SIZE(conf_keys); i++)
		conf_parse(&conf_keys[i], conf, conf_keys[i].fallback);
}

/* Reads the file that is open. Returns: 0 or a negative errno. */
static int conf_parse_file(struct conf_reader *reading)
{
	int line = ini_parse_stream(conf_next_line, reading, conf_set_key,
				    reading);

	if (ferror(reading->file))
		return -EIO;
	if (line < 0)
		return -ENOMEM;
	if (line > 0) {
		reading->line = line;
		conf_complain(reading, "", "the line is not \"key = value\"");
	}
	return reading->count ? -EINVAL : 0;
}

int conf_load(struct tt_conf *conf, const char *path, FILE *errors)
{
	struct conf_reader reading = {
		.path = path ? path : CONF_FILE,
		.errors = errors,
	};
	int err = 0;

	conf_set_defaults(&reading.conf);
	reading.file = fopen(reading.path, "re");
	if (reading.file) {
		err = conf_parse_file(&reading);
		fclose(reading.file);
	} else if (path || errno != ENOENT) {
		err = -errno;
	}
	if (err && err != -EINVAL)
		fprintf(errors, "%s: %s\n", reading.path, strerror(-err));
	if (err)
		return err;
	/* The command line's, not the file's. */
	reading.conf.dry_run = conf->dry_run;
	*conf = reading.conf;
	return 0;
}

void conf_print(const struct tt_conf *conf, FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(conf_keys); i++) {
		const struct conf_key *key = &conf_keys[i];

		fprintf(out, "%s = ", key->name);
		if (key->print)
			key->print(conf, out);
		else
			fputs(((const bool *)conf)[key->flag] ? "yes" : "no",
			      out);
		fputc('\n', out);
	}
}
