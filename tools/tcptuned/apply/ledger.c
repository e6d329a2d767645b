// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger is a text file of one line per target:
 *
 *	tcptuned-ledger 2 BOOT-ID 0123456789abcdef
 *	net.core.rmem_max - 0 212992 4194304 8388608 0123456789abcdef
 *	end 0123456789abcdef
 *
 * that is name, instance, ident, original, written and next. Each line ends
 * with a hash of the rest of it, so that a damaged line restores nothing, and
 * the last line shows that none is missing. Version 1 had neither.
 *
 * The file is replaced before every write of a value, so that whenever the
 * daemon dies, a value that is @written or @next is known to be ours, and any
 * other is not. An empty ledger is no file.
 *
 * Its name has the cookie of the network namespace, which the kernel never
 * gives twice: a ledger of another namespace in the same folder is not ours
 * to touch.
 */
#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../file.h"
#include "../words.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#define MAGIC "tcptuned-ledger "
#define HEADER_1 MAGIC "1 "
#define HEADER_2 MAGIC "2 "
#define END "end"
#define LINE_BYTES 192
#define HASH_DIGITS 16
#define LARGEST_BYTES (256 * 1024)

/* 0 before Linux 5.14. */
static u64 ledger_netns_cookie(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(u64);
	u64 cookie = 0;

	if (fd < 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		cookie = 0;
	close(fd);
	return cookie;
}

static int ledger_read_boot(char *id, size_t bytes)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, id, bytes - 1);
	close(fd);
	if (len <= 0)
		return -EIO;
	id[len] = '\0';
	id[strcspn(id, "\n")] = '\0';
	return 0;
}

static int ledger_find_row(const struct tt_row *table, const char *name)
{
	for (int id = 0; id < TT_TUNABLES; id++)
		if (!strcmp(table[id].name, name))
			return id;
	return -ENOENT;
}

/* FNV-1a, which tells every change of a single byte. */
static u64 ledger_hash(const char *text)
{
	u64 hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (u8)*text) * 0x100000001b3ULL;
	return hash;
}

/* Takes the hash off a line. Returns: whether it is right. */
static bool ledger_check_line(char *line)
{
	char *last = strrchr(line, ' '), hash[HASH_DIGITS + 1];

	if (!last)
		return false;
	*last = '\0';
	snprintf(hash, sizeof(hash), "%016llx", ledger_hash(line));
	return !strcmp(last + 1, hash);
}

static bool ledger_parse_value(const struct tt_row *row, const char *text,
			       u64 *value)
{
	return words_parse(row->field == TT_WORD, text, value) &&
	       *value >= row->min && *value <= row->max;
}

/* Enters one line; a second one of the same target is as bad as none. */
static int ledger_load_line(struct ledger *ledger, const struct tt_row *table,
			    const char *line)
{
	struct ledger_entry entry = { };
	char name[64], instance[24], values[3][WORDS_PRINT_BYTES];
	const struct tt_row *row;
	int id, used = 0;

	if (sscanf(line, "%63s %23s %llu %23s %23s %23s%n", name, instance,
		   &entry.ident, values[0], values[1], values[2],
		   &used) != 6 || line[used])
		return -EINVAL;
	id = ledger_find_row(table, name);
	if (id < 0 || strchr(instance, '/') || strstr(instance, ".."))
		return -EINVAL;
	row = &table[id];
	entry.target.id = id;
	if (strcmp(instance, "-"))
		memcpy(entry.target.instance, instance, sizeof(instance));
	if (!entry.target.instance[0] != !strstr(row->path, "%s") ||
	    !ledger_parse_value(row, values[0], &entry.original) ||
	    !ledger_parse_value(row, values[1], &entry.written) ||
	    !ledger_parse_value(row, values[2], &entry.next) ||
	    ledger_find(ledger, &entry.target))
		return -EINVAL;
	return ledger_add(ledger, &entry);
}

/* Returns how many lines were missing or not understood, or -ENOMEM. */
static int ledger_load_lines(struct ledger *ledger, const struct tt_row *table,
			     char *text, bool checked)
{
	bool ended = !checked;
	int err, bad = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (!*line)
			continue;
		if (checked && (ended || !ledger_check_line(line))) {
			bad++;
			continue;
		}
		if (checked && !strcmp(line, END)) {
			/* Its newline is the last byte. */
			ended = text;
			continue;
		}
		err = ledger_load_line(ledger, table, line);
		if (err == -ENOMEM)
			return err;
		bad += !!err;
	}
	return bad + !ended;
}

static int ledger_load_text(struct ledger *ledger, const struct tt_row *table,
			    char *text)
{
	char *line = strsep(&text, "\n");
	bool checked = !strncmp(line, HEADER_2, strlen(HEADER_2));

	if (!checked && strncmp(line, HEADER_1, strlen(HEADER_1)))
		return 1;
	if (checked && !ledger_check_line(line))
		return 1;
	line += strlen(HEADER_1);
	/* Of another boot, unless a hash shows that it is of version 2. */
	if (strcmp(line, ledger->boot))
		return !!strchr(line, ' ');
	return ledger_load_lines(ledger, table, text, checked);
}

/* What is wrong with the text of a ledger that was not understood. */
static const char *ledger_complaint(const char *text)
{
	if (text && !strncmp(text, MAGIC, strlen(MAGIC)) &&
	    strncmp(text, HEADER_1, strlen(HEADER_1)) &&
	    strncmp(text, HEADER_2, strlen(HEADER_2)))
		return "was written by another version of tcptuned";
	return "is damaged";
}

int ledger_load(struct ledger *ledger, int dir, const struct tt_row *table,
		char *problem, size_t problem_bytes)
{
	const char *wrong;
	char *text = NULL;
	int err, bad;

	*ledger = (struct ledger){ };
	*problem = '\0';
	snprintf(ledger->name, sizeof(ledger->name), "ledger-%llu",
		 ledger_netns_cookie());
	err = ledger_read_boot(ledger->boot, sizeof(ledger->boot));
	if (err)
		return err;
	err = file_read(dir, ledger->name, LARGEST_BYTES, &text);
	if (err == -ENOENT)
		return 0;
	if (err && err != -EFBIG && err != -EINVAL && err != -ELOOP)
		return err;
	wrong = ledger_complaint(text);
	bad = text ? ledger_load_text(ledger, table, text) : 1;
	free(text);
	if (bad <= 0)
		return bad;
	err = file_set_aside(dir, ledger->name);
	snprintf(problem, problem_bytes,
		 "the ledger %s %s: %zu original values were read, any others are lost%s",
		 ledger->name, wrong, ledger->nentries,
		 err ? "" : "; it was renamed to *.damaged");
	return 0;
}

/* Prints a line with its hash. */
__printf(2, 3)
static void ledger_put_line(FILE *out, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(out, "%s %016llx\n", line, ledger_hash(line));
}

static void ledger_put(const struct ledger *ledger,
		       const struct tt_row *table, FILE *out)
{
	char text[3][WORDS_PRINT_BYTES];

	ledger_put_line(out, HEADER_2 "%s", ledger->boot);
	for (size_t i = 0; i < ledger->nentries; i++) {
		const struct ledger_entry *e = &ledger->entries[i];
		const struct tt_row *row = &table[e->target.id];
		bool is_word = row->field == TT_WORD;

		ledger_put_line(out, "%s %s %llu %s %s %s", row->name,
				*e->target.instance ? e->target.instance : "-",
				e->ident,
				words_print(is_word, e->original, text[0]),
				words_print(is_word, e->written, text[1]),
				words_print(is_word, e->next, text[2]));
	}
	ledger_put_line(out, END);
}

/* Removing takes no room, which a full disk does not have. */
static int ledger_remove(const struct ledger *ledger, int dir)
{
	return unlinkat(dir, ledger->name, 0) && errno != ENOENT ? -errno : 0;
}

static int ledger_write(const struct ledger *ledger, int dir,
			const struct tt_row *table)
{
	char *text = NULL;
	size_t bytes;
	FILE *out;
	int err;

	out = open_memstream(&text, &bytes);
	if (!out)
		return -ENOMEM;
	ledger_put(ledger, table, out);
	err = fclose(out) ? -ENOMEM :
	      file_write(dir, ledger->name, text, false);
	free(text);
	return err;
}

int ledger_save(const struct ledger *ledger, int dir,
		const struct tt_row *table)
{
	return ledger->nentries ? ledger_write(ledger, dir, table) :
				  ledger_remove(ledger, dir);
}

int ledger_probe(const struct ledger *ledger, int dir,
		 const struct tt_row *table)
{
	int err = ledger_write(ledger, dir, table);

	if (!ledger->nentries)
		ledger_remove(ledger, dir);
	return err;
}

struct ledger_entry *ledger_find(const struct ledger *ledger,
				 const struct tt_target *target)
{
	for (size_t i = 0; i < ledger->nentries; i++) {
		struct ledger_entry *entry = &ledger->entries[i];

		if (entry->target.id == target->id &&
		    !strcmp(entry->target.instance, target->instance))
			return entry;
	}
	return NULL;
}

int ledger_add(struct ledger *ledger, const struct ledger_entry *entry)
{
	struct ledger_entry *entries;

	entries = realloc(ledger->entries,
			  (ledger->nentries + 1) * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	ledger->entries = entries;
	entries[ledger->nentries++] = *entry;
	return 0;
}

bool ledger_drop(struct ledger *ledger, const struct tt_target *target)
{
	struct ledger_entry *entry = ledger_find(ledger, target);

	if (!entry)
		return false;
	*entry = ledger->entries[--ledger->nentries];
	return true;
}

void ledger_free(struct ledger *ledger)
{
	free(ledger->entries);
	*ledger = (struct ledger){ };
}
