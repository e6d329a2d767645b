// SPDX-License-Identifier: GPL-2.0
/* Any message of sock_diag; libmnl has seen to its length. */
#include <linux/sock_diag.h>

#include "../../../sense/diag.h"
#include "../kernel.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct nlmsghdr *nlh;
	struct tt_conn conn;

	if (size > KERNEL_PAGE - sizeof(*nlh))
		return 0;
	nlh = kernel_room(sizeof(*nlh) + size);
	*nlh = (struct nlmsghdr) {
		.nlmsg_len = sizeof(*nlh) + size,
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
	};
	memcpy(nlh + 1, data, size);
	diag_parse(nlh, &conn);
	return 0;
}
