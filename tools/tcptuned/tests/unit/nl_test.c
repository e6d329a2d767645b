// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "../../sense/nl.h"
#include "../test.h"

/* Any index that no device has. */
#define NOBODY 0x7ffffff0

struct answer {
	int	messages;
	int	error;		/* what the callback fails with, 0 for not */
};

static int take(const struct nlmsghdr *nlh, void *data)
{
	struct answer *answer = data;

	EXPECT(nlh->nlmsg_type == RTM_NEWLINK, "%u", nlh->nlmsg_type);
	answer->messages++;
	errno = answer->error;
	return answer->error ? MNL_CB_ERROR : MNL_CB_OK;
}

/* Every namespace has a loopback device. */
static int ask(struct nl *nl, bool dump, int ifindex, struct answer *answer)
{
	struct ifinfomsg *ifinfo;
	struct nlmsghdr *nlh;

	nlh = nl_request(nl, RTM_GETLINK, dump, sizeof(*ifinfo));
	ifinfo = mnl_nlmsg_get_payload(nlh);
	ifinfo->ifi_index = ifindex;
	answer->messages = 0;
	return nl_ask(nl, take, answer);
}

static const struct {
	const char *name;
	bool dump;
	int ifindex;
	int error;
	int returns;
} cases[] = {
	{ .name = "one", .ifindex = 1 },
	{ .name = "all", .dump = true },
	{ .name = "refused", .ifindex = NOBODY, .returns = -ENODEV },
	{ .name = "one, interrupted", .ifindex = 1, .error = EINTR,
	  .returns = -EINTR },
	{ .name = "all, interrupted", .dump = true, .error = EINTR,
	  .returns = -EINTR },
	{ .name = "all, no memory", .dump = true, .error = ENOMEM,
	  .returns = -ENOMEM },
};

/* Whatever came of the first request, the second one gets its own answer. */
static void test(struct nl *nl, size_t i)
{
	struct answer answer = { .error = cases[i].error };
	int err;

	err = ask(nl, cases[i].dump, cases[i].ifindex, &answer);
	EXPECT(err == cases[i].returns, "%s", strerror(-err));
	EXPECT(err == -ENODEV ? !answer.messages : answer.messages,
	       "%d messages", answer.messages);
	answer.error = 0;
	err = ask(nl, false, 1, &answer);
	EXPECT(!err, "then: %s", strerror(-err));
	EXPECT_EQ(answer.messages, 1);
}

int main(void)
{
	struct nl *nl;
	int err;

	err = nl_open(&nl, NETLINK_ROUTE);
	EXPECT(!err, "%s", strerror(-err));
	test_end("open");
	if (err)
		return test_result();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test(nl, i);
		test_end(cases[i].name);
	}
	nl_close(nl);
	return test_result();
}
