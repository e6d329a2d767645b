// SPDX-License-Identifier: GPL-2.0
/* Any message of sock_diag; libmnl has seen to its length. */
#include <linux/sock_diag.h>

#include "../../../sense/diag.h"
#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u64 buf[512];
	struct nlmsghdr *nlh = (struct nlmsghdr *)buf;
	struct tt_conn conn;

	if (size > sizeof(buf) - sizeof(*nlh))
		return 0;
	memset(nlh, 0, sizeof(*nlh));
	nlh->nlmsg_len = sizeof(*nlh) + size;
	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	memcpy(nlh + 1, data, size);
	diag_parse(nlh, &conn);
	return 0;
}
