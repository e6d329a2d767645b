// SPDX-License-Identifier: GPL-2.0
#include <linux/pkt_sched.h>
#include <stdlib.h>
#include <string.h>

#include "../../sense/qdisc.h"
#include "../test.h"

#define OPTIONS 2	/* TCA_OPTIONS; any number does */

/* A qdisc's options: a header of @header_bytes, a rate, and a larger one. */
static const struct {
	const char *name;
	const char *kind;
	size_t header_bytes;
	u16 attr;
	size_t attr_bytes;
	size_t offset;
	u32 rate;
	u16 attr64;
	u64 rate64;
	u64 expected;
} cases[] = {
	{
		.name = "tbf", .kind = "tbf", .attr = TCA_TBF_PARMS,
		.attr_bytes = sizeof(struct tc_tbf_qopt),
		.rate = 125000000, .expected = 125000000,
	}, {
		.name = "tbf faster than 32 bits", .kind = "tbf",
		.attr = TCA_TBF_PARMS,
		.attr_bytes = sizeof(struct tc_tbf_qopt),
		.rate = UINT32_MAX, .attr64 = TCA_TBF_RATE64,
		.rate64 = 5000000000, .expected = 5000000000,
	}, {
		.name = "tbf cut off", .kind = "tbf", .attr = TCA_TBF_PARMS,
		.attr_bytes = 3, .rate = 125000000,
	}, {
		.name = "netem", .kind = "netem",
		.header_bytes = sizeof(struct tc_netem_qopt),
		.attr = TCA_NETEM_RATE,
		.attr_bytes = sizeof(struct tc_netem_rate),
		.rate = 1250000000, .expected = 1250000000,
	}, {
		.name = "netem faster than 32 bits", .kind = "netem",
		.header_bytes = sizeof(struct tc_netem_qopt),
		.attr = TCA_NETEM_RATE,
		.attr_bytes = sizeof(struct tc_netem_rate),
		.rate = UINT32_MAX, .attr64 = TCA_NETEM_RATE64,
		.rate64 = 12500000000, .expected = 12500000000,
	}, {
		.name = "netem without a rate", .kind = "netem",
		.header_bytes = sizeof(struct tc_netem_qopt),
	}, {
		.name = "netem cut off", .kind = "netem", .header_bytes = 4,
	}, {
		.name = "cake", .kind = "cake",
		.attr64 = TCA_CAKE_BASE_RATE64, .rate64 = 12500000,
		.expected = 12500000,
	}, {
		.name = "cake unlimited", .kind = "cake",
		.attr64 = TCA_CAKE_BASE_RATE64,
	}, {
		.name = "class of htb", .kind = "htb", .attr = TCA_HTB_PARMS,
		.attr_bytes = sizeof(struct tc_htb_opt),
		.offset = offsetof(struct tc_htb_opt, ceil.rate) -
			offsetof(struct tc_htb_opt, rate.rate),
		.rate = 12500000, .expected = 12500000,
	}, {
		.name = "no shaper", .kind = "fq", .attr = TCA_TBF_PARMS,
		.attr_bytes = sizeof(struct tc_tbf_qopt), .rate = 125000000,
	},
};

/* In tc_ratespec the rate comes last; in tc_netem_rate first. */
static size_t rate_offset(size_t i)
{
	if (!strcmp(cases[i].kind, "netem"))
		return 0;
	return cases[i].offset + offsetof(struct tc_ratespec, rate);
}

static struct nlattr *options(size_t i, void *buf)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct nlattr *nest = mnl_attr_nest_start(nlh, OPTIONS);
	char attr[128] = { };

	mnl_nlmsg_put_extra_header(nlh, cases[i].header_bytes);
	if (cases[i].attr) {
		memcpy(attr + rate_offset(i), &cases[i].rate, sizeof(u32));
		mnl_attr_put(nlh, cases[i].attr, cases[i].attr_bytes, attr);
	}
	if (cases[i].attr64)
		mnl_attr_put_u64(nlh, cases[i].attr64, cases[i].rate64);
	mnl_attr_nest_end(nlh, nest);
	return nest;
}

/* Every length that the options could have been cut to. */
static void test_cut(size_t i)
{
	char buf[512];
	struct nlattr *nest = options(i, buf);

	for (u16 len = nest->nla_len; len >= sizeof(*nest); len--) {
		struct nlattr *copy = malloc(len);

		nest->nla_len = len;
		memcpy(copy, nest, len);
		qdisc_parse(cases[i].kind, copy);
		free(copy);
	}
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[512];
		u64 rate = qdisc_parse(cases[i].kind, options(i, buf));

		EXPECT_EQ(rate, cases[i].expected);
		test_cut(i);
		test_end(cases[i].name);
	}
	return test_result();
}
