/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_TABLE_H
#define TCPTUNED_TABLE_H

#include "../values.h"

/* One row per tunable, in the order of their enum. */
extern const struct tt_row table_rows[TT_TUNABLES];

#endif /* TCPTUNED_TABLE_H */
