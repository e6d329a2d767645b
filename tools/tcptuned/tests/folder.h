/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A folder of its own for a test, and plain ways to fill and read it.
 */
#ifndef TCPTUNED_FOLDER_H
#define TCPTUNED_FOLDER_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char folder_text[1 << 20];

/* Makes an empty folder and its name; ends the test if that fails. */
static inline void folder_make(void)
{
	strcpy(folder, "/tmp/tcptuned-test-XXXXXX");
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
	}
}

/* Names a file there; the name lasts until the fourth call after it. */
static inline const char *folder_path(const char *name)
{
	static char paths[4][256];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

/* Removes a file or a folder there, with all that is in it. */
static inline void folder_wipe(const char *name)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf %s", folder_path(name));
	if (system(command))
		perror(command);
}

static inline void folder_remove(void)
{
	folder_wipe("");
}

/* Writes a file, and the folders above it. */
static inline void folder_put(const char *name, const char *text)
{
	const char *path = folder_path(name);
	char parents[300];
	FILE *file;

	snprintf(parents, sizeof(parents), "mkdir -p $(dirname %s)", path);
	if (system(parents))
		perror(parents);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		perror(path);
}

/* Reads a file; "(none)" if there is none. */
static inline const char *folder_get(const char *name)
{
	FILE *file = fopen(folder_path(name), "r");
	size_t len;

	if (!file)
		return "(none)";
	len = fread(folder_text, 1, sizeof(folder_text) - 1, file);
	fclose(file);
	folder_text[len] = '\0';
	return folder_text;
}

static inline bool folder_has(const char *name)
{
	return !access(folder_path(name), F_OK);
}

#endif /* TCPTUNED_FOLDER_H */
