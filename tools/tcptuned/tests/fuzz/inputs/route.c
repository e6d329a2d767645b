// SPDX-License-Identifier: GPL-2.0
/* Any answer to the question for a route, the same the second time. */
#include "../../../sense/route.h"
#include "../kernel.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct routes *routes;
	struct tt_conn conn = { };
	u32 ifindex;

	kernel_says(data, size);
	if (routes_open(&routes))
		abort();
	ifindex = routes_get(routes, &kernel, &conn);
	if (routes_get(routes, &kernel, &conn) != ifindex)
		abort();
	routes_close(routes);
	return 0;
}
