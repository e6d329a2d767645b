/* SPDX-License-Identifier: GPL-2.0 */
/*
 * doctor: watches for a moment and says what keeps NFS slow. Changes nothing.
 */
#ifndef TCPTUNED_DOCTOR_H
#define TCPTUNED_DOCTOR_H

#include "options.h"

/* Returns: an exit code. */
int doctor_run(const struct options *options);

/* The same with what comes before paths in /proc and /sys, "" but in tests. */
int doctor_run_root(const struct options *options, const char *root);

#endif /* TCPTUNED_DOCTOR_H */
