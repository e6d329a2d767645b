// SPDX-License-Identifier: GPL-2.0
/*
 * Other programs that tune the same values. Two controllers of one value only
 * fight, so what a rival owns is left to it:
 *
 * bpftune moves the buffer limits of every socket while it runs. tuned sets
 * what its profile lists in [sysctl], and may set it again at any time.
 */
#include "rival.h"

#include <ctype.h>
#include <dirent.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 320
/* A profile may include another one, which may include another one. */
#define INCLUDES 8

struct rival_profile {
	struct rivals		*rivals;
	const struct tt_row	*table;
	char			 include[64];
};

/* Reads the first line of a file; "" if there is none. */
static void rival_first_line(const char *path, char *line, int bytes)
{
	FILE *file = fopen(path, "re");

	*line = '\0';
	if (!file)
		return;
	if (!fgets(line, bytes, file))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

/*
 * Whether a process is root's and has a name. Anybody may call a process
 * bpftune, also one that is set-UID, so both the real and the effective user
 * count.
 */
static bool rival_is_process(const char *root, const char *pid,
			     const char *name)
{
	char path[PATH_BYTES], line[128], comm[32] = "";
	unsigned int real, effective;
	bool is_root = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/%.20s/status", root, pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!is_root && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Name:\t%31[^\n]", comm) == 1)
			continue;
		if (sscanf(line, "Uid:\t%u\t%u", &real, &effective) == 2)
			is_root = !real && !effective;
	}
	fclose(file);
	return is_root && !strcmp(comm, name);
}

static bool rival_is_running(const char *root, const char *name)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc", root);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir)))
		found = isdigit((unsigned char)*entry->d_name) &&
			rival_is_process(root, entry->d_name, name);
	if (dir)
		closedir(dir);
	return found;
}

static int rival_profile_key(void *data, const char *section, const char *name,
			     const char *value)
{
	struct rival_profile *profile = data;

	if (!strcmp(section, "main") && !strcmp(name, "include"))
		snprintf(profile->include, sizeof(profile->include), "%s",
			 value);
	for (int id = 0; id < TT_TUNABLES && !strcmp(section, "sysctl"); id++)
		if (!strcmp(profile->table[id].name, name))
			profile->rivals->owns[id] = true;
	return 1;
}

/* The administrator's profile of a name goes before the distribution's. */
static void rival_read_profile(struct rivals *rivals, const char *root,
			       const struct tt_row *table)
{
	static const char * const folders[] = {
		"etc/tuned", "etc/tuned/profiles",
		"usr/lib/tuned", "usr/lib/tuned/profiles",
	};
	struct rival_profile profile = { .rivals = rivals, .table = table };
	char path[PATH_BYTES], name[64];

	snprintf(name, sizeof(name), "%s", rivals->profile);
	for (int depth = 0; depth < INCLUDES && *name; depth++) {
		*profile.include = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
			snprintf(path, sizeof(path), "%s/%s/%s/tuned.conf",
				 root, folders[i], name);
			if (ini_parse(path, rival_profile_key, &profile) != -1)
				break;
		}
		memcpy(name, profile.include, sizeof(name));
	}
}

void rival_find(struct rivals *rivals, const char *root,
		const struct tt_row *table)
{
	char path[PATH_BYTES];

	*rivals = (struct rivals){
		.bpftune = rival_is_running(root, "bpftune"),
		.tuned = rival_is_running(root, "tuned"),
	};
	if (rivals->bpftune) {
		rivals->owns[TT_TCP_RMEM] = true;
		rivals->owns[TT_TCP_WMEM] = true;
		rivals->owns[TT_RMEM_MAX] = true;
		rivals->owns[TT_WMEM_MAX] = true;
	}
	if (rivals->tuned) {
		snprintf(path, sizeof(path), "%s/etc/tuned/active_profile",
			 root);
		rival_first_line(path, rivals->profile,
				 sizeof(rivals->profile));
		rival_read_profile(rivals, root, table);
	}
}
