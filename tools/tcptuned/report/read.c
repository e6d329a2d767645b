// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a status, which may be damaged or forged.
 */
#include "read.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "../units.h"
#include "status.h"

double read_number(const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	/* What is not a number, or below 0, was not written by us. */
	return cJSON_IsNumber(item) && item->valuedouble > 0 &&
	       item->valuedouble < 1e18 ? item->valuedouble : 0;
}

const char *read_string(const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	return cJSON_IsString(item) ? item->valuestring : "";
}

bool read_flag(const cJSON *json, const char *name)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, name));
}

const cJSON *read_list(const cJSON *json, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(json, name);
}

/* No control character reaches the terminal, whoever wrote the file. */
static void read_clean(cJSON *json)
{
	for (; json; json = json->next) {
		if (cJSON_IsString(json))
			units_clean(json->valuestring);
		read_clean(json->child);
	}
}

/* Parses a status. Returns: NULL if it is none of ours. */
struct cJSON *read_parse(const char *status)
{
	cJSON *json = cJSON_Parse(status);

	read_clean(json);
	if (read_number(json, "version") == STATUS_VERSION)
		return json;
	cJSON_Delete(json);
	return NULL;
}

static bool read_is_octal(const char *digits)
{
	return strspn(digits, "01234567") >= 3 && *digits < '4';
}

/* Undoes the escapes of mountinfo, which blanks have. */
static void read_unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (*text == '\\' && read_is_octal(text + 1)) {
			*to++ = (text[1] - '0') << 6 | (text[2] - '0') << 3 |
				(text[3] - '0');
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

int read_mount(const char *status, const char *mount, struct tt_addr *server)
{
	cJSON *json = read_parse(status);
	const cJSON *item;
	int err = -ENOENT;

	cJSON_ArrayForEach(item, read_list(json, "mounts")) {
		const cJSON *dir = read_list(item, "dir");

		if (!cJSON_IsString(dir))
			continue;
		read_unescape(dir->valuestring);
		if (!strcmp(dir->valuestring, mount) &&
		    !units_parse_addr(read_string(item, "server"), server))
			err = 0;
	}
	cJSON_Delete(json);
	return err;
}

int read_age(const char *status, pid_t *pid, u64 *written_us)
{
	cJSON *json = read_parse(status);

	if (!json)
		return -EINVAL;
	*pid = min_u64(read_number(json, "pid"), INT_MAX);
	*written_us = read_number(json, "monotonic_us");
	cJSON_Delete(json);
	return *pid > 0 && *pid < INT_MAX ? 0 : -EINVAL;
}
