// SPDX-License-Identifier: GPL-2.0
/* The log on stderr: levels, and no line twice. */
#include "../../report/log.h"
#include "../test.h"
#include "../folder.h"

static const struct tt_setting setting = {
	.target = { TT_READ_AHEAD, "0:45" },
	.value = 15360,
	.reason.why = TT_WHY_CONF,
};

static void say_levels(void)
{
	log_open(LOG_NOTICE);
	log_line(MSG_STOP, "hidden");
	log_change("hidden", 128, &setting, false);
	log_line(MSG_RESUME, "shown %d", 1);
	log_open(LOG_INFO);
	log_line(MSG_STOP, "shown %d", 2);
}

static void say_once(void)
{
	for (int i = 0; i < 3; i++) {
		log_once(MSG_LEDGER, "one");
		log_once(MSG_LEDGER, "two");
	}
}

static void say_again(void)
{
	log_once(MSG_LEDGER, "one");
	log_forget();
	log_once(MSG_LEDGER, "one");
}

static void say_change(void)
{
	log_change("read_ahead_kb", 128, &setting, false);
	log_change("read_ahead_kb", 128, &setting, true);
}

static const struct {
	const char	*name;
	void		(*say)(void);
	const char	*text;
} cases[] = {
	{ "levels", say_levels, "tcptuned: shown 1\ntcptuned: shown 2\n" },
	{ "once", say_once, "tcptuned: one\ntcptuned: two\n" },
	{ "once, and again when told", say_again, "tcptuned: one\n" },
	{ "a change", say_change,
	  "tcptuned: read_ahead_kb 0:45 128 -> 15360: as configured\n"
	  "tcptuned: would set read_ahead_kb 0:45 128 -> 15360: as configured\n" },
};

int main(void)
{
	folder_make();
	/* A stream that is not this stderr is none to go by. */
	setenv("JOURNAL_STREAM", "1:1", 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!freopen(folder_path("log"), "w", stderr))
			EXPECT(false);
		cases[i].say();
		fflush(stderr);
		EXPECT_STR(folder_get("log"), cases[i].text);
		test_end(cases[i].name);
	}
	folder_remove();
	return test_result();
}
