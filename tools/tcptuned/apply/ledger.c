// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger is a text file of one line per target:
 *
 *	tcptuned-ledger 1 BOOT-ID
 *	net.core.rmem_max - 0 212992 4194304 8388608
 *
 * that is name, instance, ident, original, written and next. It is replaced
 * before every write of a value, so that whatever moment the daemon dies at,
 * a value that is @written or @next is known to be ours, and any other is
 * somebody else's.
 *
 * Its name has the cookie of the network namespace, which the kernel never
 * gives twice: a ledger of another namespace in the same folder is not ours
 * to touch.
 */
#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../file.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#define MAGIC "tcptuned-ledger "
#define HEADER MAGIC "1 "
#define LINE_BYTES 192
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

/* Enters one line; a second one of the same target is as bad as none. */
static int ledger_load_line(struct ledger *ledger, const struct tt_row *table,
			    const char *line)
{
	struct ledger_entry entry = { };
	char name[64], instance[24];
	int id, used = 0;

	if (sscanf(line, "%63s %23s %llu %llu %llu %llu%n", name, instance,
		   &entry.ident, &entry.original, &entry.written, &entry.next,
		   &used) != 6 || line[used])
		return -EINVAL;
	id = ledger_find_row(table, name);
	if (id < 0 || strchr(instance, '/') || strstr(instance, ".."))
		return -EINVAL;
	entry.target.id = id;
	if (strcmp(instance, "-"))
		memcpy(entry.target.instance, instance, sizeof(instance));
	if (!entry.target.instance[0] != !strstr(table[id].path, "%s") ||
	    ledger_find(ledger, &entry.target))
		return -EINVAL;
	return ledger_add(ledger, &entry);
}

/* Returns how many lines were not understood, or -ENOMEM. */
static int ledger_load_lines(struct ledger *ledger, const struct tt_row *table,
			     char *text)
{
	int err, bad = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (!*line)
			continue;
		err = ledger_load_line(ledger, table, line);
		if (err == -ENOMEM)
			return err;
		bad += !!err;
	}
	return bad;
}

static int ledger_load_text(struct ledger *ledger, const struct tt_row *table,
			    char *text)
{
	char *line = strsep(&text, "\n");

	if (strncmp(line, HEADER, strlen(HEADER)))
		return 1;
	if (strcmp(line + strlen(HEADER), ledger->boot))
		return 0;
	return ledger_load_lines(ledger, table, text);
}

/* What is wrong with the text of a ledger that was not understood. */
static const char *ledger_complaint(const char *text)
{
	if (text && !strncmp(text, MAGIC, strlen(MAGIC)) &&
	    strncmp(text, HEADER, strlen(HEADER)))
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

int ledger_save(const struct ledger *ledger, int dir,
		const struct tt_row *table)
{
	size_t bytes = LINE_BYTES * (ledger->nentries + 1);
	char *text = malloc(bytes);
	size_t len;
	int err;

	if (!text)
		return -ENOMEM;
	len = snprintf(text, bytes, HEADER "%s\n", ledger->boot);
	for (size_t i = 0; i < ledger->nentries; i++) {
		const struct ledger_entry *e = &ledger->entries[i];

		len += snprintf(text + len, bytes - len,
				"%s %s %llu %llu %llu %llu\n",
				table[e->target.id].name,
				*e->target.instance ? e->target.instance : "-",
				e->ident, e->original, e->written, e->next);
	}
	err = file_write(dir, ledger->name, text, false);
	free(text);
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
