// SPDX-License-Identifier: GPL-2.0
/* Any options of every qdisc that is known. */
#include "../../../sense/qdisc.h"
#include "../kernel.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char * const kinds[] = { "tbf", "netem", "cake", "htb" };
	struct nlattr *options;

	if (size > KERNEL_PAGE - sizeof(*options))
		return 0;
	options = kernel_room(sizeof(*options) + size);
	options->nla_len = sizeof(*options) + size;
	options->nla_type = 0;
	memcpy(options + 1, data, size);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		qdisc_parse(kinds[i], options);
	return 0;
}
