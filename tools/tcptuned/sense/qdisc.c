// SPDX-License-Identifier: GPL-2.0
/*
 * What a shaper lets through.
 */
#include "qdisc.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

/**
 * struct qdisc_shaper - where a qdisc keeps its rate, in bytes per second
 * @kind: its name
 * @skip_bytes: of a header before the attributes
 * @attr: attribute with a 32-bit rate, 0 for none
 * @offset: of the rate in it
 * @attr64: attribute with a 64-bit rate, there if 32 bits are too few
 * @classful: the rate is in the options of its classes
 */
struct qdisc_shaper {
	const char	*kind;
	size_t		 skip_bytes;
	u16		 attr;
	size_t		 offset;
	u16		 attr64;
	bool		 classful;
};

static const struct qdisc_shaper qdisc_shapers[] = {
	{
		.kind = "tbf",
		.attr = TCA_TBF_PARMS,
		.offset = offsetof(struct tc_tbf_qopt, rate.rate),
		.attr64 = TCA_TBF_RATE64,
	},
	{
		.kind = "netem",
		.skip_bytes = NLA_ALIGN(sizeof(struct tc_netem_qopt)),
		.attr = TCA_NETEM_RATE,
		.offset = offsetof(struct tc_netem_rate, rate),
		.attr64 = TCA_NETEM_RATE64,
	},
	{
		.kind = "cake",
		.attr64 = TCA_CAKE_BASE_RATE64,
	},
	{
		.kind = "htb",
		.attr = TCA_HTB_PARMS,
		.offset = offsetof(struct tc_htb_opt, ceil.rate),
		.attr64 = TCA_HTB_CEIL64,
		.classful = true,
	},
};

static const struct qdisc_shaper *qdisc_find_shaper(const char *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(qdisc_shapers); i++)
		if (!strcmp(qdisc_shapers[i].kind, kind))
			return &qdisc_shapers[i];
	return NULL;
}

u64 qdisc_parse(const char *kind, const struct nlattr *options)
{
	const struct qdisc_shaper *shaper = qdisc_find_shaper(kind);
	size_t len = mnl_attr_get_payload_len(options), size;
	char *payload = mnl_attr_get_payload(options);
	const struct nlattr *attr;
	u64 rate64 = 0;
	u32 rate = 0;

	if (!shaper || len < shaper->skip_bytes)
		return 0;
	payload += shaper->skip_bytes;
	len -= shaper->skip_bytes;
	mnl_attr_for_each_payload((void *)payload, len) {
		size = mnl_attr_get_payload_len(attr);
		if (mnl_attr_get_type(attr) == shaper->attr64 &&
		    size >= sizeof(rate64))
			memcpy(&rate64, mnl_attr_get_payload(attr),
			       sizeof(rate64));
		else if (mnl_attr_get_type(attr) == shaper->attr &&
			 size >= shaper->offset + sizeof(rate))
			memcpy(&rate, (char *)mnl_attr_get_payload(attr) +
			       shaper->offset, sizeof(rate));
	}
	return rate64 ? rate64 : rate;
}

struct qdisc_search {
	const char	*kind;
	u32		 ifindex;
	u64		 rate;		/* largest, bytes per second */
};

/* Old kernels hand out every device's. */
static int qdisc_parse_dump(const struct nlmsghdr *nlh, void *data)
{
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;
	struct qdisc_search *search = data;
	u64 rate;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*tcm) ||
	    (u32)tcm->tcm_ifindex != search->ifindex ||
	    tcm->tcm_parent != TC_H_ROOT)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, nlh, sizeof(*tcm)) {
		if (mnl_attr_get_type(attr) != TCA_OPTIONS)
			continue;
		rate = qdisc_parse(search->kind, attr);
		if (rate > search->rate)
			search->rate = rate;
	}
	return MNL_CB_OK;
}

u64 qdisc_bps(struct nl *nl, u32 ifindex, const char *kind)
{
	const struct qdisc_shaper *shaper = qdisc_find_shaper(kind);
	struct qdisc_search search = { .kind = kind, .ifindex = ifindex };
	struct nlmsghdr *nlh;
	struct tcmsg *tcm;
	u64 bps;

	if (!shaper)
		return 0;
	nlh = nl_request(nl, shaper->classful ? RTM_GETTCLASS : RTM_GETQDISC,
			 true, sizeof(*tcm));
	tcm = mnl_nlmsg_get_payload(nlh);
	tcm->tcm_ifindex = ifindex;
	if (nl_ask(nl, qdisc_parse_dump, &search) ||
	    __builtin_mul_overflow(search.rate, 8, &bps))
		return 0;
	return bps;
}
