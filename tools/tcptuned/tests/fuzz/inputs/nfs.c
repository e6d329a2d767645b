// SPDX-License-Identifier: GPL-2.0
/* Any line of mountinfo, list of nfsd's ports, and sockstat. */
#include "../../../sense/host.h"
#include "../../../sense/nfs.h"
#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct diag_ports ports = { };
	struct tt_mount mount;

	nfs_parse_portlist(text, &ports);
	if (ports.n > DIAG_PORTS)
		abort();
	host_parse_sockstat(text);
	if (nfs_parse_mount(text, &mount) &&
	    (!mount.port || !memchr(mount.dir, 0, sizeof(mount.dir)) ||
	     !memchr(mount.dev, 0, sizeof(mount.dev))))
		abort();
	free(text);
	return 0;
}
