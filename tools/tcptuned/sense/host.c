// SPDX-License-Identifier: GPL-2.0
/*
 * The machine: its memory, and what TCP may take and takes of it.
 */
#include "host.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "proc.h"

u64 host_parse_sockstat(const char *text)
{
	const char *line = strstr(text, "\nTCP: "), *word, *end;
	u64 pages = 0;

	if (!line)
		return 0;
	line++;
	end = strchrnul(line, '\n');
	word = strstr(line, " mem ");
	if (word && word < end)
		proc_numbers(word + strlen(" mem "), &pages, 1);
	return pages;
}

static u64 host_ram_bytes(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (u64)info.totalram * info.mem_unit;
}

void host_read(const char *root, struct tt_host *host)
{
	u64 page_bytes = sysconf(_SC_PAGESIZE);
	char text[1024];

	*host = (struct tt_host) { .ram_bytes = host_ram_bytes() };
	if (!proc_read(root, "/proc/sys/net/ipv4/tcp_mem", text, sizeof(text)))
		proc_numbers(text, host->tcp_mem_bytes, 3);
	for (size_t i = 0; i < 3; i++)
		host->tcp_mem_bytes[i] *= page_bytes;
	if (!proc_read(root, "/proc/net/sockstat", text, sizeof(text)))
		host->tcp_used_bytes = host_parse_sockstat(text) * page_bytes;
	host->has_sunrpc_tcpbuf = !proc_read(root, "/proc/sys/sunrpc/tcp_rcvbuf",
					     text, sizeof(text));
}
