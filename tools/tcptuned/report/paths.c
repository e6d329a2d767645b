// SPDX-License-Identifier: GPL-2.0
/*
 * All paths, as the structs that they are: only this program reads them, and
 * thousands of them have to cost next to nothing. Whoever reads them checks
 * that they were written by a program with the same structs, and what is used
 * as an index or a string.
 */
#include "paths.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../file.h"
#include "names.h"

/* What the file begins with. */
struct paths_header {
	char	magic[12];				/* PATHS_MAGIC */
	u32	path_bytes;				/* size of a path */
};

static const struct paths_header paths_header = {
	.magic = "tcptuned-1",
	.path_bytes = sizeof(struct tt_path),
};

int paths_write(int dir, const struct tt_path *paths, size_t npaths)
{
	const struct iovec pieces[] = {
		{ (void *)&paths_header, sizeof(paths_header) },
		{ (void *)paths, npaths * sizeof(*paths) },
	};

	return file_write_pieces(dir, PATHS_FILE, pieces, ARRAY_SIZE(pieces),
				 false);
}

static bool paths_is_valid(const struct tt_path *path)
{
	return path->role < TT_ROLES && path->limit[TT_OUT] < NAMES_LIMITS &&
	       path->limit[TT_IN] < NAMES_LIMITS &&
	       path->link.source < NAMES_SOURCES &&
	       memchr(path->link.name, 0, sizeof(path->link.name));
}

size_t paths_find(int dir, const struct tt_addr *peer,
		  struct tt_path found[TT_ROLES])
{
	int fd = openat(dir, PATHS_FILE,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	struct paths_header header;
	struct tt_path path;
	size_t n = 0;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	if (fread(&header, sizeof(header), 1, file) != 1 ||
	    memcmp(&header, &paths_header, sizeof(header)))
		goto out_close;
	while (n < TT_ROLES && fread(&path, sizeof(path), 1, file) == 1)
		if (IN6_ARE_ADDR_EQUAL(&path.peer.in6, &peer->in6) &&
		    paths_is_valid(&path))
			found[n++] = path;
out_close:
	fclose(file);
	return n;
}
