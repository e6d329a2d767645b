// SPDX-License-Identifier: GPL-2.0
/* Any size, time, rate and address, and any text that has to be cleaned. */
#include "../../../units.h"
#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size), buf[UNITS_MAX];
	size_t len = strlen(text);
	struct tt_addr addr;
	u64 value;
	u32 us;

	if (!units_parse_bytes(text, &value))
		units_bytes(value, buf);
	if (!units_parse_rate(text, &value))
		units_rate(value, buf);
	if (!units_parse_time(text, &us))
		units_time(us, buf);
	units_parse_addr(text, &addr);
	units_clean(text);
	if (strlen(text) != len)
		abort();
	free(text);
	return 0;
}
