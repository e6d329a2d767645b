// SPDX-License-Identifier: GPL-2.0
/* Any answers of ethtool: the number of its family, then a speed. */
#include "../../../sense/speed.h"
#include "../kernel.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct speed *speed;

	kernel_says(data, size);
	if (speed_open(&speed))
		abort();
	/* Megabits in 32 bits. */
	if (speed_bps(speed, 1) > UINT32_MAX * 1000000ULL)
		abort();
	speed_close(speed);
	return 0;
}
