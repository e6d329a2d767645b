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

/* Ends a case, which has said @text. */
static void said(const char *name, const char *text)
{
	fflush(stderr);
	EXPECT_STR(folder_get("log"), text);
	test_end(name);
	if (!freopen(folder_path("log"), "w", stderr))
		EXPECT(false);
}

int main(void)
{
	folder_make();
	/* A stream that is not this stderr is none to go by. */
	setenv("JOURNAL_STREAM", "1:1", 1);
	if (!freopen(folder_path("log"), "w", stderr))
		EXPECT(false);
	log_open(LOG_NOTICE);
	log_line(MSG_STOP, "hidden");
	log_change("hidden", 128, &setting, false);
	log_line(MSG_RESUME, "shown %d", 1);
	log_open(LOG_INFO);
	log_line(MSG_STOP, "shown %d", 2);
	said("levels", "tcptuned: shown 1\ntcptuned: shown 2\n");
	for (int i = 0; i < 3; i++) {
		log_once(MSG_LEDGER, "one");
		log_once(MSG_LEDGER, "two");
	}
	said("once", "tcptuned: one\ntcptuned: two\n");
	log_once(MSG_LEDGER, "one");
	log_forget();
	log_once(MSG_LEDGER, "one");
	said("once, and again when told", "tcptuned: one\n");
	log_change("read_ahead_kb", 128, &setting, false);
	log_change("read_ahead_kb", 128, &setting, true);
	said("a change",
	     "tcptuned: read_ahead_kb 0:45 128 -> 15360: as configured\n"
	     "tcptuned: would set read_ahead_kb 0:45 128 -> 15360: as configured\n");
	folder_remove();
	return test_result();
}
