// SPDX-License-Identifier: GPL-2.0
#include <linux/pkt_sched.h>
#include <string.h>

#include "../../sense/qdisc.h"
#include "../test.h"

#define OPTIONS 2	/* TCA_OPTIONS; any number does */

#define TBF	"tbf", 0, TCA_TBF_PARMS, sizeof(struct tc_tbf_qopt), 0
#define NETEM	"netem", sizeof(struct tc_netem_qopt), TCA_NETEM_RATE, \
		sizeof(struct tc_netem_rate), 0
#define HTB	"htb", 0, TCA_HTB_PARMS, sizeof(struct tc_htb_opt), \
		offsetof(struct tc_htb_opt, ceil) - \
		offsetof(struct tc_htb_opt, rate)

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
	{ "tbf", TBF, 125000000, 0, 0, 125000000 },
	{ "tbf faster than 32 bits", TBF, UINT32_MAX,
	  TCA_TBF_RATE64, 5000000000, 5000000000 },
	{ "tbf cut off", "tbf", 0, TCA_TBF_PARMS, 3, 0, 125000000, 0, 0, 0 },
	{ "netem", NETEM, 1250000000, 0, 0, 1250000000 },
	{ "netem faster than 32 bits", NETEM, UINT32_MAX,
	  TCA_NETEM_RATE64, 12500000000, 12500000000 },
	{ .name = "netem without a rate", .kind = "netem",
	  .header_bytes = sizeof(struct tc_netem_qopt) },
	{ .name = "netem cut off", .kind = "netem", .header_bytes = 4 },
	{ "cake", "cake", .attr64 = TCA_CAKE_BASE_RATE64, .rate64 = 12500000,
	  .expected = 12500000 },
	{ "cake unlimited", "cake", .attr64 = TCA_CAKE_BASE_RATE64 },
	{ "class of htb", HTB, 12500000, 0, 0, 12500000 },
	{ "no shaper", "fq", 0, TCA_TBF_PARMS, sizeof(struct tc_tbf_qopt), 0,
	  125000000, 0, 0, 0 },
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

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[512];
		u64 rate = qdisc_parse(cases[i].kind, options(i, buf));

		EXPECT_EQ(rate, cases[i].expected);
		test_end(cases[i].name);
	}
	return test_result();
}
