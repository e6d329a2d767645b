// SPDX-License-Identifier: GPL-2.0
/* Any answers to the questions for devices: what they are and their qdiscs. */
#include "../../../sense/link.h"
#include "../kernel.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct links *links;
	struct tt_link link;

	kernel_says(data, size);
	if (links_open(&links))
		abort();
	links_get(links, &kernel, 1, 1, &link);
	if (!memchr(link.name, 0, sizeof(link.name)) ||
	    (link.source == TT_LINK_UNKNOWN && link.rate_bps))
		abort();
	links_fastest(links, &kernel, 1);
	links_close(links);
	return 0;
}
