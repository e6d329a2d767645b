/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the harnesses share: one per kind of input, see inputs/. With libFuzzer
 * ("make fuzz") they search; without it driver.c replays and changes the seeds.
 */
#ifndef TCPTUNED_FUZZ_H
#define TCPTUNED_FUZZ_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* The input as a string, for free(). */
static inline char *fuzz_text(const u8 *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static char fuzz_folder_name[64];

static inline void fuzz_remove_folder(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", fuzz_folder_name);
	if (system(command))
		perror(command);
}

/* A folder for the whole run, in memory where that is possible. */
static inline const char *fuzz_folder(void)
{
	if (!*fuzz_folder_name) {
		strcpy(fuzz_folder_name, access("/dev/shm", W_OK) ?
		       "/tmp/tcptuned-fuzz-XXXXXX" :
		       "/dev/shm/tcptuned-fuzz-XXXXXX");
		if (!mkdtemp(fuzz_folder_name))
			abort();
		atexit(fuzz_remove_folder);
	}
	return fuzz_folder_name;
}

/* Writes a file there. */
static inline void fuzz_put(const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), name);
	file = fopen(path, "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
}

#endif /* TCPTUNED_FUZZ_H */
