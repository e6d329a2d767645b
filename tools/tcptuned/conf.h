/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_CONF_H
#define TCPTUNED_CONF_H

#include <stdio.h>

#include "types.h"

#define CONF_FILE "/etc/tcptuned.conf"

/**
 * conf_load - read the configuration
 * @conf: is filled; as it was if there is an error
 * @path: the file; NULL for CONF_FILE, which need not be there
 * @errors: every error goes here, a line each with file, line and key
 * Returns: 0 or a negative errno, -EINVAL for errors in the file
 */
int conf_load(struct tt_conf *conf, const char *path, FILE *errors);

/* Write a configuration as a file that conf_load() takes. */
void conf_print(const struct tt_conf *conf, FILE *out);

#endif /* TCPTUNED_CONF_H */
