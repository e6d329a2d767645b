// SPDX-License-Identifier: GPL-2.0
#include "names.h"

#include <string.h>

const char * const names_role[TT_ROLES] = {
	[TT_SERVER] = "server",
	[TT_CLIENT] = "client",
};

const char * const names_dir[TT_DIRS] = {
	[TT_OUT] = "out",
	[TT_IN] = "in",
};

const char * const names_limit[NAMES_LIMITS] = {
	[TT_LIMIT_UNKNOWN] = "unknown",
	[TT_LIMIT_APPLICATION] = "application",
	[TT_LIMIT_LINK] = "link",
	[TT_LIMIT_RWND] = "receiver window",
	[TT_LIMIT_SNDBUF] = "send buffer",
	[TT_LIMIT_CONGESTION] = "congestion",
	[TT_LIMIT_READ_AHEAD] = "read-ahead",
};

const char * const names_limit_text[NAMES_LIMITS] = {
	[TT_LIMIT_UNKNOWN] = "no data has moved yet",
	[TT_LIMIT_APPLICATION] =
		"the application, NFS slots or threads ask for no more",
	[TT_LIMIT_LINK] = "the link is full",
	[TT_LIMIT_RWND] = "the window of this end limits it",
	[TT_LIMIT_SNDBUF] = "the send buffer limits it",
	[TT_LIMIT_CONGESTION] = "the path is full or loses packets",
	[TT_LIMIT_READ_AHEAD] = "the reader's read-ahead limits it",
};

const char * const names_source[NAMES_SOURCES] = {
	[TT_LINK_UNKNOWN] = "unknown",
	[TT_LINK_CONF] = "configuration",
	[TT_LINK_ETHTOOL] = "device",
	[TT_LINK_QDISC] = "qdisc",
	[TT_LINK_OUTRUN] = "outrun",
};

const char * const names_source_text[NAMES_SOURCES] = {
	[TT_LINK_UNKNOWN] = "of unknown rate",
	[TT_LINK_CONF] = "according to the configuration",
	[TT_LINK_ETHTOOL] = "according to the device",
	[TT_LINK_QDISC] = "according to its shaper",
	[TT_LINK_OUTRUN] = "which is faster than it claims",
};

const char * const names_off[NAMES_OFF] = {
	[TT_HANDS_ON] = "",
	[TT_OFF_ABSENT] = "absent",
	[TT_OFF_FOREIGN] = "foreign",
	[TT_OFF_DENIED] = "denied",
};

const char * const names_off_text[NAMES_OFF] = {
	[TT_HANDS_ON] = "",
	[TT_OFF_ABSENT] = "this kernel does not have it",
	[TT_OFF_FOREIGN] = "something else sets it",
	[TT_OFF_DENIED] = "no permission to write it",
};

const char * const names_tcp_limits[NAMES_TCP_LIMITS] = {
	[TT_TCP_NEVER] = "never",
	[TT_TCP_AUTO] = "auto",
	[TT_TCP_ALWAYS] = "always",
};

const char * const names_reconnect[NAMES_RECONNECT] = {
	[TT_RECONNECT_NO] = "no",
	[TT_RECONNECT_AUTO] = "auto",
	[TT_RECONNECT_ALWAYS] = "always",
};

int names_find(const char * const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}
