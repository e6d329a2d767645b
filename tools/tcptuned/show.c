// SPDX-License-Identifier: GPL-2.0
/*
 * The commands that show what the daemon knows.
 */
#include "show.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "file.h"
#include "policy/table.h"
#include "report/peer.h"
#include "report/read.h"
#include "report/status.h"
#include "report/text.h"
#include "units.h"

/* What a terminal that does not tell has. */
#define SHOW_ROWS 24

/*
 * Reads the status. Returns: EXIT_OK, EXIT_STOPPED with @textp if the daemon
 * hangs, any other code without it.
 */
static int show_read_status(const struct options *options, char **textp)
{
	struct timespec now;
	u64 written_us, age_us;
	int dir, err;
	pid_t pid;

	*textp = NULL;
	dir = file_dir(options->rundir, false);
	err = dir < 0 ? dir :
	      file_read(dir, STATUS_FILE, STATUS_LARGEST_BYTES, textp);
	if (dir >= 0)
		close(dir);
	if (err == -ENOENT)
		return command_fail(EXIT_STOPPED, "tcptuned is not running (no %s/" STATUS_FILE
				    ")", options->rundir);
	if (err)
		return command_fail(EXIT_ERROR, "tcptuned: %s/" STATUS_FILE ": %s",
				    options->rundir, strerror(-err));
	if (read_age(*textp, &pid, &written_us)) {
		free(*textp);
		*textp = NULL;
		return command_fail(EXIT_ERROR, "tcptuned: %s/" STATUS_FILE
				    " is damaged or was written by another version",
				    options->rundir);
	}
	if (kill(pid, 0) && errno == ESRCH) {
		free(*textp);
		*textp = NULL;
		return command_fail(EXIT_STOPPED,
				    "tcptuned is not running: process %d was killed; \"tcptuned restore\" restores what it had set",
				    pid);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	age_us = now.tv_sec * 1000000ULL + now.tv_nsec / 1000 - written_us;
	if (age_us < STATUS_STALE_US)
		return EXIT_OK;
	return command_fail(EXIT_STOPPED,
			    "tcptuned: process %d has not reported for %llu s; this status is old",
			    pid, age_us / 1000000);
}

/* As https://no-color.org has it. */
static bool show_wants_color(enum color color)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no) &&
	       term && strcmp(term, "dumb");
}

/* Shows the status once. Returns: an exit code. */
static int show_once(const struct options *options, bool color, FILE *out)
{
	char *text;
	int code;

	code = show_read_status(options, &text);
	if (!text)
		return code;
	if (options->json)
		fprintf(out, "%s\n", text);
	else
		text_print(text, color, options->all, out);
	free(text);
	return code;
}

/* Draws a screen over the one before, as far as it has room. */
static void show_draw(const char *screen)
{
	struct winsize size = { };
	unsigned int rows;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		size.ws_row = SHOW_ROWS;
	fputs("\033[H", stdout);
	for (rows = 1; *screen && rows < size.ws_row; rows++) {
		int len = strcspn(screen, "\n");

		printf("%.*s\033[K\n", len, screen);
		screen += len + (screen[len] == '\n');
	}
	fputs("\033[J", stdout);
}

/* Shows the status again and again, in place on a terminal. */
static int show_watch(const struct options *options)
{
	bool color = show_wants_color(options->color);
	bool terminal = isatty(STDOUT_FILENO);
	char *screen;
	size_t bytes;
	FILE *out;
	int code;

	do {
		screen = NULL;
		out = open_memstream(&screen, &bytes);
		if (!out)
			return command_fail(EXIT_ERROR, "tcptuned: %s",
					    strerror(errno));
		code = show_once(options, color, out);
		fclose(out);
		if (terminal)
			show_draw(screen);
		else
			fputs(screen, stdout);
		free(screen);
	} while (code == EXIT_OK && !command_finish(code) && !sleep(1));
	return command_finish(code);
}

int show_status(const struct options *options)
{
	if (options->watch)
		return show_watch(options);
	return command_finish(show_once(options,
					show_wants_color(options->color),
					stdout));
}

/* The mapped form that all addresses here have. */
static bool show_parse_sockaddr(const struct sockaddr *sockaddr,
				struct tt_addr *addr)
{
	char text[NI_MAXHOST];
	socklen_t len = sockaddr->sa_family == AF_INET6 ?
			sizeof(struct sockaddr_in6) :
			sizeof(struct sockaddr_in);

	if (getnameinfo(sockaddr, len, text, sizeof(text), NULL, 0,
			NI_NUMERICHOST))
		return false;
	text[strcspn(text, "%")] = '\0';
	return !units_parse_addr(text, addr);
}

/* Explains every address that a host name has. Returns: as peer_explain(). */
static int show_explain_host(const struct options *options, int dir,
			     const char *status)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *item;
	struct tt_addr addr;
	int err = -ENOENT;

	if (getaddrinfo(options->argument, NULL, &hints, &list))
		return -EHOSTUNREACH;
	for (item = list; item; item = item->ai_next)
		if (show_parse_sockaddr(item->ai_addr, &addr) &&
		    !peer_explain(status, dir, table_rows, &addr, stdout))
			err = 0;
	freeaddrinfo(list);
	return err;
}

/* A peer is an address, a mount point or a host name. */
static int show_explain_peer(const struct options *options, int dir,
			     const char *status)
{
	struct tt_addr addr;
	int err = 0;

	if (*options->argument == '/')
		err = read_mount(status, options->argument, &addr);
	else if (units_parse_addr(options->argument, &addr))
		return show_explain_host(options, dir, status);
	return err ? err :
	       peer_explain(status, dir, table_rows, &addr, stdout);
}

int show_explain(const struct options *options)
{
	int code, dir, err;
	char *text;

	code = show_read_status(options, &text);
	if (!text)
		return code;
	dir = file_dir(options->rundir, false);
	err = show_explain_peer(options, dir, text);
	if (err == -EHOSTUNREACH)
		code = command_fail(EXIT_USAGE,
				    "tcptuned: \"%s\" is neither an address, a host name nor a mount point",
				    options->argument);
	else if (err)
		code = command_fail(EXIT_ERROR,
				    "tcptuned: %s is not an NFS peer of this host; \"tcptuned status\" lists them",
				    options->argument);
	if (dir >= 0)
		close(dir);
	free(text);
	return command_finish(code);
}
