// SPDX-License-Identifier: GPL-2.0
/*
 * The log: the journal under systemd, stderr otherwise.
 */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "../words.h"
#include "reason.h"

#define LINE_BYTES 512
/* More different troubles at a time than there are kinds. */
#define LINES_KEPT 32

static struct {
	int	level;
	bool	journal;
	char	said[LINES_KEPT][LINE_BYTES];
	size_t	next;
} log_state = {
	.level = LOG_INFO,
};

/* systemd names the stream that it connected stderr to. */
static bool log_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == dev &&
	       st.st_ino == ino;
}

void log_open(int level)
{
	log_state.level = level;
	log_state.journal = log_is_journal();
}

/* A journal that does not answer must not swallow a line. */
static void log_put(enum message message, const char *text)
{
	int level = message_level(message);

	if (level > log_state.level)
		return;
	if (log_state.journal &&
	    !sd_journal_send("MESSAGE=%s", text, "PRIORITY=%i", level,
			     "MESSAGE_ID=%s", message_id(message), NULL))
		return;
	fprintf(stderr, "tcptuned: %s\n", text);
}

void log_line(enum message message, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log_put(message, text);
}

void log_once(enum message message, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (size_t i = 0; i < LINES_KEPT; i++)
		if (!strcmp(log_state.said[i], text))
			return;
	memcpy(log_state.said[log_state.next], text, sizeof(text));
	log_state.next = (log_state.next + 1) % LINES_KEPT;
	log_put(message, text);
}

void log_forget(void)
{
	memset(log_state.said, 0, sizeof(log_state.said));
}

void log_change(const char *name, u64 before, const struct tt_setting *setting,
		bool dry_run)
{
	enum message message = message_of(setting->target.id);
	const char *instance = setting->target.instance;
	int level = message_level(message);
	bool is_word = tt_is_word(setting->target.id);
	char text[LINE_BYTES], reason[REASON_BYTES];
	char old[WORDS_PRINT_BYTES], new[WORDS_PRINT_BYTES];

	reason_text(&setting->reason, reason);
	words_print(is_word, before, old);
	words_print(is_word, setting->value, new);
	snprintf(text, sizeof(text), "%s%s%s%s %s -> %s: %s",
		 dry_run ? "would set " : "", name, *instance ? " " : "",
		 instance, old, new, reason);
	if (level > log_state.level)
		return;
	if (log_state.journal &&
	    !sd_journal_send("MESSAGE=%s", text, "PRIORITY=%i", level,
			     "MESSAGE_ID=%s", message_id(message),
			     "TCPTUNED_TUNABLE=%s", name,
			     "TCPTUNED_INSTANCE=%s", instance,
			     "TCPTUNED_BEFORE=%s", old,
			     "TCPTUNED_VALUE=%s", new,
			     "TCPTUNED_REASON=%s", reason, NULL))
		return;
	fprintf(stderr, "tcptuned: %s\n", text);
}
