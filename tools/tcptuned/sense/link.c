// SPDX-License-Identifier: GPL-2.0
/*
 * The devices, and what they carry.
 */
#include "link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qdisc.h"
#include "speed.h"

/* Speeds and shapers change seldom, and asking takes the kernel's big lock. */
#define DEVICE_AGE_US 10000000

#define FASTEST_AGE_US 60000000

/* A VLAN in a VLAN on a bond; more is a loop. */
#define MOST_STACKED 4

/* Devices that are remembered; peers are seldom behind more than two. */
#define DEVICES 32

struct link_device {
	struct tt_link	link;
	u64		asked_us;
};

struct links {
	struct speed	*speed;
	u64		 fastest_bps;
	u64		 fastest_us;	/* when it was asked for */
	struct link_device	 devices[DEVICES];
	size_t		 ndevices;
};

/* What RTM_GETLINK says of a device. */
struct link_info {
	char	name[IF_NAMESIZE];
	char	kind[16];
	char	qdisc[16];
	u32	link;
};

int links_open(struct links **linksp)
{
	struct links *links = calloc(1, sizeof(*links));
	int err;

	if (!links)
		return -ENOMEM;
	err = speed_open(&links->speed);
	/* Without it every speed is unknown, which is bad but no error. */
	if (err && err != -ENOENT) {
		free(links);
		return err;
	}
	*linksp = links;
	return 0;
}

void links_close(struct links *links)
{
	if (links)
		speed_close(links->speed);
	free(links);
}

static void link_parse_string(char *to, size_t size, const struct nlattr *attr)
{
	snprintf(to, size, "%.*s", (int)mnl_attr_get_payload_len(attr),
		 mnl_attr_get_str(attr));
}

static void link_parse_kind(struct link_info *about, const struct nlattr *nest)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
		if (mnl_attr_get_type(attr) == IFLA_INFO_KIND)
			link_parse_string(about->kind, sizeof(about->kind),
					  attr);
}

static int link_parse(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	struct link_info *about = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct ifinfomsg)) {
		switch (mnl_attr_get_type(attr)) {
		case IFLA_IFNAME:
			link_parse_string(about->name, sizeof(about->name),
					  attr);
			break;
		case IFLA_QDISC:
			link_parse_string(about->qdisc, sizeof(about->qdisc),
					  attr);
			break;
		case IFLA_LINK:
			if (!mnl_attr_validate(attr, MNL_TYPE_U32))
				about->link = mnl_attr_get_u32(attr);
			break;
		case IFLA_LINKINFO:
			link_parse_kind(about, attr);
			break;
		}
	}
	return MNL_CB_OK;
}

static int link_query(struct nl *nl, u32 ifindex, struct link_info *about)
{
	struct ifinfomsg *ifinfo;
	struct nlmsghdr *nlh;

	*about = (struct link_info) { };
	nlh = nl_request(nl, RTM_GETLINK, false, sizeof(*ifinfo));
	ifinfo = mnl_nlmsg_get_payload(nlh);
	ifinfo->ifi_index = ifindex;
	mnl_attr_put_u32(nlh, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return nl_ask(nl, link_parse, about);
}

/* The device that this one sends through; a veth's link is its other end. */
static u32 link_lower(const struct link_info *about)
{
	static const char * const stacked[] = { "vlan", "macvlan", "ipvlan" };

	for (size_t i = 0; i < ARRAY_SIZE(stacked); i++)
		if (!strcmp(about->kind, stacked[i]))
			return about->link;
	return 0;
}

static void link_measure(struct links *links, struct nl *nl,
			 struct tt_link *link)
{
	u32 ifindex = link->ifindex;
	struct link_info about;
	u64 bps;

	link->rate_bps = speed_bps(links->speed, ifindex);
	link->source = link->rate_bps ? TT_LINK_ETHTOOL : TT_LINK_UNKNOWN;
	for (int i = 0; i < MOST_STACKED && ifindex; i++) {
		if (link_query(nl, ifindex, &about))
			return;
		if (ifindex == link->ifindex)
			memcpy(link->name, about.name, sizeof(link->name));
		bps = qdisc_bps(nl, ifindex, about.qdisc);
		if (bps && (!link->rate_bps || bps < link->rate_bps)) {
			link->rate_bps = bps;
			link->source = TT_LINK_QDISC;
		}
		ifindex = link_lower(&about);
	}
}

static struct link_device *link_device(struct links *links, u32 ifindex)
{
	struct link_device *device = links->devices;

	for (; device < links->devices + links->ndevices; device++)
		if (device->link.ifindex == ifindex)
			return device;
	/* The last place is everybody's. */
	if (links->ndevices == DEVICES)
		device--;
	else
		links->ndevices++;
	*device = (struct link_device) { .link.ifindex = ifindex };
	return device;
}

void links_get(struct links *links, struct nl *nl, u32 ifindex, u64 now_us,
	       struct tt_link *link)
{
	struct link_device *found;

	*link = (struct tt_link) { };
	if (!ifindex)
		return;
	found = link_device(links, ifindex);
	if (!found->asked_us || now_us - found->asked_us >= DEVICE_AGE_US) {
		link_measure(links, nl, &found->link);
		found->asked_us = now_us;
	}
	*link = found->link;
}

/* The devices in use, the first of them if there are many. */
struct link_indices {
	u32	ifindex[DEVICES];
	size_t	n;
};

static int link_parse_index(const struct nlmsghdr *nlh, void *data)
{
	const struct ifinfomsg *ifinfo = mnl_nlmsg_get_payload(nlh);
	struct link_indices *indices = data;

	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(*ifinfo) &&
	    (ifinfo->ifi_flags & IFF_UP) &&
	    (ifinfo->ifi_flags & IFF_RUNNING) &&
	    !(ifinfo->ifi_flags & IFF_LOOPBACK) && indices->n < DEVICES)
		indices->ifindex[indices->n++] = ifinfo->ifi_index;
	return MNL_CB_OK;
}

u64 links_fastest(struct links *links, struct nl *nl, u64 now_us)
{
	struct link_indices indices = { };
	struct nlmsghdr *nlh;

	if (links->fastest_us && now_us - links->fastest_us < FASTEST_AGE_US)
		return links->fastest_bps;
	links->fastest_us = now_us;
	links->fastest_bps = 0;
	nlh = nl_request(nl, RTM_GETLINK, true, sizeof(struct ifinfomsg));
	mnl_attr_put_u32(nlh, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (nl_ask(nl, link_parse_index, &indices))
		return 0;
	for (size_t i = 0; i < indices.n; i++)
		links->fastest_bps = max_u64(links->fastest_bps,
					     speed_bps(links->speed,
						       indices.ifindex[i]));
	return links->fastest_bps;
}
