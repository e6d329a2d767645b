/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_REPORT_READ_H
#define TCPTUNED_REPORT_READ_H

#include <cjson/cJSON.h>
#include <sys/types.h>

#include "../values.h"

/*
 * Parse the content of a status file. Returns: for cJSON_Delete(), without
 * control characters in its strings; NULL if it is none of ours.
 */
struct cJSON *read_parse(const char *status);

/* A member of an object; 0, "", false or NULL if it is not there. */
double read_number(const cJSON *json, const char *name);
const char *read_string(const cJSON *json, const char *name);
bool read_flag(const cJSON *json, const char *name);
const cJSON *read_list(const cJSON *json, const char *name);

/**
 * read_mount - the server of a mount
 * @status: content of the status file
 * @mount: where it is mounted
 * @server: is set to its server's address
 * Returns: 0, or -ENOENT if there is no such NFS mount
 */
int read_mount(const char *status, const char *mount, struct tt_addr *server);

/**
 * read_age - who wrote a status, and when
 * @status: content of the status file
 * @pid: is set to the daemon's
 * @written_us: is set to CLOCK_MONOTONIC of when it was written
 * Returns: 0, or -EINVAL if @status is none
 */
int read_age(const char *status, pid_t *pid, u64 *written_us);

#endif /* TCPTUNED_REPORT_READ_H */
