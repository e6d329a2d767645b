#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Start tcptuned in a container of the host's network namespace.
#
# Runtimes mount /proc/sys read-only over a /proc that is not: this takes that
# back, and then every capability but the one that the values need, so that no
# later fault can use them.

set -eu

[ -w /proc/sys/net/ipv4/tcp_rmem ] || mount -o remount,bind,rw /proc/sys || {
	echo "entrypoint: /proc/sys cannot be made writable; the container" \
		"needs SYS_ADMIN for a moment and no AppArmor profile that" \
		"forbids mount" >&2
	exit 1
}
exec setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all \
	--bounding-set=-all,+net_admin tcptuned "$@"
