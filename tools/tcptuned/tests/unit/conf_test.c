// SPDX-License-Identifier: GPL-2.0
/* The configuration: what is taken, and what the errors say. */
#include <errno.h>

#include "../../conf.h"
#include "../test.h"
#include "../folder.h"

static const struct {
	const char	*name;
	const char	*text;
	const char	*error;		/* part of it, after "FILE:"; NULL: none */
} cases[] = {
	{ "empty", "", NULL },
	{ "comments", "# a\n; b\n\n", NULL },
	{ "all keys", "roles = client\nbandwidth = 2.5gbit\nmemory = 10%\n"
	  "read_ahead = no\ntcp_limits = always\n"
	  "no_slow_start_after_idle = yes\ncongestion_control = illinois\n"
	  "reconnect = always\n"
	  "metrics = /srv/x/nfs.prom\n", NULL },
	{ "inline comment", "memory = 10% ; little\n", NULL },
	{ "no newline at the end", "memory = 10%", NULL },
	{ "unknown key", "\nsize = 10%\n", "2: size: unknown key; known" },
	{ "bad value", "memory = 10\n", "1: memory: \"10\" is not 1% to 90%" },
	{ "out of range", "memory = 91%\n", "1: memory: \"91%\" is not" },
	{ "negative", "memory = -5%\n", "1: memory: \"-5%\" is not" },
	{ "bad role", "roles = none\n", "1: roles: \"none\" is not server," },
	{ "bad rate", "bandwidth = fast\n", "1: bandwidth: \"fast\" is not a" },
	{ "no rate", "bandwidth = 0bit\n", "1: bandwidth: \"0bit\" is not a" },
	{ "bad word", "tcp_limits = on\n", "1: tcp_limits: \"on\" is not never" },
	{ "bad answer", "read_ahead = 1\n", "1: read_ahead: \"1\" is not yes" },
	{ "no name", "congestion_control = b/b\n",
	  "1: congestion_control: \"b/b\" is not auto, no or a name" },
	{ "too long a name of 16", "congestion_control = abcdefghijklmnop\n",
	  "1: congestion_control: " },
	{ "bad reconnect", "reconnect = yes\n", "1: reconnect: \"yes\" is not auto" },
	{ "no metrics", "metrics = no\n", NULL },
	{ "not a full name", "metrics = x.prom\n", "1: metrics: \"x.prom\" is" },
	{ "not read by the collector", "metrics = /x.txt\n",
	  "1: metrics: \"/x.txt\" is not auto, no or the full name of a .prom" },
	{ "only the end of a name", "metrics = /.prom\n", "1: metrics: \"/.p" },
	{ "too long a name",
	  "metrics = /x234567890123456789012345678901234567890123456789012.prom\n",
	  "1: metrics: \"/x234" },
	{ "empty value", "read_ahead =\n", "1: read_ahead: \"\" is not yes" },
	{ "no value", "read_ahead\n", "1: the line is not \"key = value\"" },
	{ "twice", "memory = 1%\n\nmemory = 2%\n", "3: memory: is set a" },
	{ "section", "[main]\nmemory = 1%\n", "2: memory: sections are not" },
	{ "second error", "memory = 1\nroles = x\n", "2: roles: \"x\" is not" },
};

/* Loads @text; what was said is in folder_text. */
static int load(struct tt_conf *conf, const char *text)
{
	FILE *errors;
	int err;

	folder_put("tcptuned.conf", text);
	errors = fopen(folder_path("errors"), "w");
	err = conf_load(conf, folder_path("tcptuned.conf"), errors);
	fclose(errors);
	folder_get("errors");
	return err;
}

static void test_cases_of_files(void)
{
	char wanted[200];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tt_conf conf = { .memory_percent = 77 };
		const char *error = cases[i].error;
		int err;

		err = load(&conf, cases[i].text);
		EXPECT(err == (error ? -EINVAL : 0), "%d", err);
		snprintf(wanted, sizeof(wanted), "%s:%s",
			 folder_path("tcptuned.conf"), error ? error : "");
		if (error)
			EXPECT(strstr(folder_text, wanted), "%s", folder_text);
		else
			EXPECT(!*folder_text, "%s", folder_text);
		EXPECT((conf.memory_percent == 77) == !!error,
		       "%u", conf.memory_percent);
		test_end(cases[i].name);
	}
}

static void test_values(void)
{
	struct tt_conf conf = { .dry_run = true };

	EXPECT(!load(&conf, cases[2].text), "%s", folder_text);
	EXPECT(!conf.roles[TT_SERVER] && conf.roles[TT_CLIENT]);
	EXPECT_EQ(conf.bandwidth_bps, 2500000000);
	EXPECT_EQ(conf.memory_percent, 10);
	EXPECT(!conf.read_ahead);
	EXPECT_EQ(conf.tcp_limits, TT_TCP_ALWAYS);
	EXPECT(conf.slow_start_after_idle);
	EXPECT_EQ(conf.reconnect, TT_RECONNECT_ALWAYS);
	EXPECT_STR(conf.congestion_control, "illinois");
	EXPECT_STR(conf.metrics, "/srv/x/nfs.prom");
	EXPECT(conf.dry_run);
	test_end("every key sets its field");
}

/* Prints into a file what @text comes to; its text. */
static const char *printed(const char *text)
{
	struct tt_conf conf = { };
	FILE *out;

	load(&conf, text);
	out = fopen(folder_path("printed"), "w");
	conf_print(&conf, out);
	fclose(out);
	return folder_get("printed");
}

/* What is printed is a file that says the same. */
static void test_print(void)
{
	char *once = strdup(printed(cases[2].text));

	EXPECT(strstr(once, "bandwidth = 2500000000bit\nmemory = 10%"));
	EXPECT_STR(printed(once), once);
	free(once);
	test_end("what is printed can be read");
}

/* The example says of every key what holds without it. */
static void test_example(void)
{
	char line[200], values[1000] = "";
	FILE *example = fopen("tcptuned.conf", "r");

	EXPECT(example, "no tcptuned.conf");
	while (example && fgets(line, sizeof(line), example))
		if (*line == '#' && line[1] != ' ')
			strcat(values, line + 1);
	if (example)
		fclose(example);
	EXPECT_STR(printed(""), values);
	test_end("the example has the defaults");
}

static void test_long_line(void)
{
	struct tt_conf conf = { };
	char text[2000];

	memset(text, 'x', sizeof(text));
	strcpy(text + 1000, "\nmemory = 0%\n");
	EXPECT(load(&conf, text) == -EINVAL, "%s", folder_text);
	EXPECT(strstr(folder_text, ":1: the line is longer"), "%s", folder_text);
	EXPECT(strstr(folder_text, ":2: memory:"), "%s", folder_text);
	test_end("a long line is one error, and lines go on behind it");
}

static void test_missing(void)
{
	FILE *errors = fopen(folder_path("errors"), "w");
	struct tt_conf conf = { };

	EXPECT(conf_load(&conf, folder_path("missing"), errors) == -ENOENT);
	EXPECT(conf_load(&conf, folder, errors) == -EIO);
	fclose(errors);
	EXPECT(strstr(folder_get("errors"), "missing: No such file"), "%s",
	       folder_text);
	test_end("a file that is named has to be there");
}

int main(void)
{
	folder_make();
	test_cases_of_files();
	test_values();
	test_print();
	test_example();
	test_long_line();
	test_missing();
	folder_remove();
	return test_result();
}
