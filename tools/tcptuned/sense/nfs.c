// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel says of its NFS server and of NFS mounts, as text.
 */
#include "nfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../units.h"
#include "proc.h"

#define NFS_PORT 2049

void nfs_parse_portlist(const char *text, struct diag_ports *ports)
{
	u64 port;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (!strncmp(text, "tcp ", 4) &&
		    proc_numbers(text + 4, &port, 1) && port &&
		    port <= UINT16_MAX)
			diag_add_port(ports, port);
	}
}

int nfs_listeners(const char *root, struct diag_ports *ports)
{
	char text[4096];
	int err;

	err = proc_read(root, "/proc/fs/nfsd/portlist", text, sizeof(text));
	if (!err)
		nfs_parse_portlist(text, ports);
	if (err != -ENOENT)
		return err;
	/* Not mounted: is nfsd there at all? Then it is where it always is. */
	if (!proc_read(root, "/proc/net/rpc/nfsd", text, sizeof(text)))
		diag_add_port(ports, NFS_PORT);
	return 0;
}

/* Every client of NFSv4.0 begins with this operation, and no other has it. */
#define NFS_SETCLIENTID 35
#define NFS_MOST_COUNTS 128

/* The numbers of a line; the first says how many more there are. */
static size_t nfs_counts(const char *text, const char *line,
			 u64 counts[NFS_MOST_COUNTS])
{
	const char *at = strstr(text, line);

	return at ? proc_numbers(at + strlen(line), counts,
				 NFS_MOST_COUNTS) : 0;
}

bool nfs_sessions_only(const char *text)
{
	static const char * const lines[] = { "\nproc2 ", "\nproc3 " };
	u64 counts[NFS_MOST_COUNTS];
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		n = nfs_counts(text, lines[i], counts);
		/* Procedure 0 does nothing. */
		for (size_t j = 2; j < n; j++)
			if (counts[j])
				return false;
	}
	n = nfs_counts(text, "\nproc4ops ", counts);
	return n > NFS_SETCLIENTID + 1 && !counts[NFS_SETCLIENTID + 1];
}

/* What follows a name, which ends with "=", or NULL if it is another one. */
static char *nfs_option_value(char *option, const char *name)
{
	size_t len = strlen(name);

	return strncmp(option, name, len) ? NULL : option + len;
}

/* The number that a value is, or 0. */
static u64 nfs_number(const char *value, u64 max)
{
	u64 number;

	return proc_numbers(value, &number, 1) && number <= max ? number : 0;
}

static bool nfs_parse_addr(struct tt_mount *mount, char *value)
{
	/* "%eth0" of a link-local address is no part of it. */
	value[strcspn(value, "%")] = '\0';
	return !units_parse_addr(value, &mount->server);
}

/*
 * The last of equal options counts: the kernel puts its own behind those that
 * security modules show, whose values may hold anything.
 */
static bool nfs_parse_options(struct tt_mount *mount, char *options)
{
	bool tcp = true, addr = false;
	char *option, *value;

	while ((option = strsep(&options, ","))) {
		value = nfs_option_value(option, "proto=");
		if (value)
			tcp = !strcmp(value, "tcp") || !strcmp(value, "tcp6");
		value = nfs_option_value(option, "addr=");
		if (value)
			addr = nfs_parse_addr(mount, value);
		value = nfs_option_value(option, "port=");
		if (value)
			mount->port = nfs_number(value, UINT16_MAX);
		value = nfs_option_value(option, "vers=");
		if (value)
			mount->has_session = !strncmp(value, "4.", 2) &&
					     nfs_number(value + 2, UINT8_MAX);
		value = nfs_option_value(option, "rsize=");
		if (value)
			mount->rsize_bytes = nfs_number(value, UINT32_MAX);
	}
	/* What the kernel does not show, or shows as 0. */
	if (!mount->port)
		mount->port = NFS_PORT;
	return tcp && addr;
}

/* ID PARENT DEV ROOT DIR OPTIONS [TAG...] - TYPE SOURCE OPTIONS */
bool nfs_parse_mount(char *line, struct tt_mount *mount)
{
	char *field[6], *type, *source;

	for (size_t i = 0; i < ARRAY_SIZE(field); i++)
		field[i] = strsep(&line, " ");
	do {
		type = strsep(&line, " ");
	} while (type && strcmp(type, "-"));
	type = strsep(&line, " ");
	source = strsep(&line, " ");
	if (!source || !line || (strcmp(type, "nfs") && strcmp(type, "nfs4")) ||
	    strlen(field[2]) >= sizeof(mount->dev))
		return false;
	*mount = (struct tt_mount) { };
	strcpy(mount->dev, field[2]);
	snprintf(mount->dir, sizeof(mount->dir), "%s", field[4]);
	return nfs_parse_options(mount, line);
}
