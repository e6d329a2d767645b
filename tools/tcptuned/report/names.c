// SPDX-License-Identifier: GPL-2.0
#include "names.h"

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

const char * const names_off[] = {
	[TT_HANDS_ON] = "",
	[TT_OFF_ABSENT] = "absent",
	[TT_OFF_FOREIGN] = "foreign",
	[TT_OFF_DENIED] = "denied",
	[TT_OFF_CONF] = "configuration",
};
