// SPDX-License-Identifier: GPL-2.0
/*
 * What ethtool says of a device.
 */
#include "speed.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdlib.h>

struct speed {
	struct nl	*nl;
	u16		 family;
};

static struct nlmsghdr *speed_request(struct speed *speed, u16 family,
				      u8 command)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	nlh = nl_request(speed->nl, family, false, sizeof(*genl));
	genl = mnl_nlmsg_get_payload(nlh);
	genl->cmd = command;
	genl->version = 1;
	return nlh;
}

static int speed_parse_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	u16 *family = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    !mnl_attr_validate(attr, MNL_TYPE_U16))
			*family = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

int speed_open(struct speed **speedp)
{
	struct speed *speed = calloc(1, sizeof(*speed));
	struct nlmsghdr *nlh;
	int err;

	if (!speed)
		return -ENOMEM;
	err = nl_open(&speed->nl, NETLINK_GENERIC);
	if (err)
		goto out_free;
	nlh = speed_request(speed, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
	err = nl_ask(speed->nl, speed_parse_family, &speed->family);
	if (err)
		goto out_free;
	*speedp = speed;
	return 0;

out_free:
	speed_close(speed);
	return err;
}

void speed_close(struct speed *speed)
{
	if (speed)
		nl_close(speed->nl);
	free(speed);
}

static int speed_parse_speed(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	u32 *mbps = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == ETHTOOL_A_LINKMODES_SPEED &&
		    !mnl_attr_validate(attr, MNL_TYPE_U32))
			*mbps = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

u64 speed_bps(struct speed *speed, u32 ifindex)
{
	u32 mbps = (u32)SPEED_UNKNOWN;
	struct nlmsghdr *nlh;
	struct nlattr *header;

	if (!speed)
		return 0;
	nlh = speed_request(speed, speed->family, ETHTOOL_MSG_LINKMODES_GET);
	header = mnl_attr_nest_start(nlh, ETHTOOL_A_LINKMODES_HEADER);
	mnl_attr_put_u32(nlh, ETHTOOL_A_HEADER_DEV_INDEX, ifindex);
	mnl_attr_nest_end(nlh, header);
	/* A device that cannot tell refuses, which is not worth more words. */
	if (nl_ask(speed->nl, speed_parse_speed, &mbps) ||
	    mbps == (u32)SPEED_UNKNOWN)
		return 0;
	return mbps * 1000000ULL;
}
