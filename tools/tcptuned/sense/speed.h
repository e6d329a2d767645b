/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TCPTUNED_SENSE_SPEED_H
#define TCPTUNED_SENSE_SPEED_H

#include "nl.h"

struct speed;

/* Returns: 0 or a negative errno; -ENOENT if the kernel has no such netlink. */
int speed_open(struct speed **speedp);

/* Undoes speed_open(), also of NULL. */
void speed_close(struct speed *speed);

/*
 * Speed of a device. The kernel answers for what lies below: a VLAN has the
 * speed of its device, a bond the sum of the slaves in use, a bridge that of
 * its fastest port. Returns: bits per second, 0 if it is not known.
 */
u64 speed_bps(struct speed *speed, u32 ifindex);

#endif /* TCPTUNED_SENSE_SPEED_H */
