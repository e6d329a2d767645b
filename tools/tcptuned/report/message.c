// SPDX-License-Identifier: GPL-2.0
#include "message.h"

#include <syslog.h>

static const struct {
	int		level;
	const char	*id;		/* from systemd-id128 new */
} message_kinds[MESSAGES] = {
	[MSG_WINDOW] = { LOG_INFO, "ecc6c0eafc0444b0b91e64057981a6df" },
	[MSG_READ_AHEAD] = { LOG_INFO, "476f4a85494e4102966eec09b8305096" },
	[MSG_SLOW_START] = { LOG_INFO, "7f189ae7b4fb452b9bc1638629479547" },
	[MSG_LOSSY] = { LOG_INFO, "9118ebec076248819ce971053d0b87f8" },
	[MSG_RECONNECT] = { LOG_NOTICE, "dfceabb6dce84b90a02a9a5a9a9165ab" },
	[MSG_RESTORED] = { LOG_INFO, "3f9fc526d7c84d10aa8343b29f4e095c" },
	[MSG_BUDGET] = { LOG_NOTICE, "d6a8451bf93a4065a1ec1ca889511d40" },
	[MSG_FOREIGN] = { LOG_NOTICE, "db4382cbd6634724979e0f8ec92076ec" },
	[MSG_RIVAL] = { LOG_NOTICE, "b9688f5c2f9844529023f2d974bd54c4" },
	[MSG_DENIED] = { LOG_NOTICE, "08cf8eff29c2489782295500453de64d" },
	[MSG_NOT_SET] = { LOG_WARNING, "22f55e81be4c4be2ae3f9d68d061aaf1" },
	[MSG_NO_TCPBUF] = { LOG_NOTICE, "78fa226249474c36bbb72ef1457c657b" },
	[MSG_LEDGER] = { LOG_WARNING, "559a7fee14114875916a04264e7efa15" },
	[MSG_SENSE] = { LOG_WARNING, "be1ebd23ecc5400bb9902e77282a2bca" },
	[MSG_NOT_KEPT] = { LOG_WARNING, "46a60bea21eb4db59be0f9aab344dc8a" },
	[MSG_READ_ONLY] = { LOG_WARNING, "3e51594451364dca97245417fec6d3da" },
	[MSG_CONF_BAD] = { LOG_ERR, "f29e261ddc8447869e4fff03b3e51ce1" },
	[MSG_CONF_READ] = { LOG_NOTICE, "a0ffcef9b7b24e419013faef3ec54fe9" },
	[MSG_RESUME] = { LOG_NOTICE, "7ffc14c7157c43d399d7b128048779f5" },
	[MSG_RUNNING] = { LOG_ERR, "b9d1a094af764b64998b0f81d6850edf" },
	[MSG_STOP] = { LOG_INFO, "e2ecabd182c04565b11ff5cd0c82a5c0" },
	[MSG_FAILED] = { LOG_ERR, "6488b67f135f4aeeaf182e1118f8d551" },
};

int message_level(enum message message)
{
	return message_kinds[message].level;
}

const char *message_id(enum message message)
{
	return message_kinds[message].id;
}

enum message message_of(enum tt_tunable id)
{
	switch (id) {
	case TT_READ_AHEAD:
		return MSG_READ_AHEAD;
	case TT_SLOW_START:
		return MSG_SLOW_START;
	case TT_SRV_LOSSY:
	case TT_CLNT_LOSSY:
		return MSG_LOSSY;
	default:
		return MSG_WINDOW;
	}
}
