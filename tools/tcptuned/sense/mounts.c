// SPDX-License-Identifier: GPL-2.0
/*
 * The NFS mounts, and which of them are of this network namespace.
 */
#include "mounts.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nfs.h"
#include "proc.h"

struct mounts_entry {
	struct tt_mount	mount;
	bool		connected;	/* the same for all of a server */
};

struct mounts_table {
	struct mounts_entry	*entries;	/* sorted */
	size_t		 n;
	size_t		 room;
};

struct mounts {
	char		*root;
	FILE		*mountinfo;
	bool		 fresh;		/* the table is what mountinfo says */
	struct mounts_table	 table;
	struct tt_mount	*list;		/* room for all of the table */
};

int mounts_open(struct mounts **mountsp, const char *root)
{
	struct mounts *mounts = calloc(1, sizeof(*mounts));
	char path[PATH_MAX];
	int err;

	if (!mounts)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	mounts->mountinfo = fopen(path, "re");
	mounts->root = strdup(root);
	if (mounts->mountinfo && mounts->root) {
		*mountsp = mounts;
		return 0;
	}
	err = -errno;
	mounts_close(mounts);
	return err;
}

void mounts_close(struct mounts *mounts)
{
	if (!mounts)
		return;
	if (mounts->mountinfo)
		fclose(mounts->mountinfo);
	free(mounts->table.entries);
	free(mounts->list);
	free(mounts->root);
	free(mounts);
}

static int mounts_by_server(const struct tt_mount *mount,
			    const struct tt_addr *server, u16 port)
{
	int order = memcmp(&mount->server, server, sizeof(*server));

	return order ? order : (int)mount->port - port;
}

static int mounts_compare(const void *left, const void *right)
{
	const struct mounts_entry *one = left, *other = right;
	int order = mounts_by_server(&one->mount, &other->mount.server,
				     other->mount.port);

	if (!order)
		order = strcmp(one->mount.dev, other->mount.dev);
	return order ? order : strcmp(one->mount.dir, other->mount.dir);
}

static int mounts_add(struct mounts_table *table, const struct tt_mount *mount)
{
	size_t room = table->room ? 2 * table->room : 16;
	struct mounts_entry *entries;

	if (table->n == table->room) {
		entries = realloc(table->entries, room * sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		table->entries = entries;
		table->room = room;
	}
	table->entries[table->n++] = (struct mounts_entry) { .mount = *mount };
	return 0;
}

/* A device may be mounted in many places; the first one names it. */
static void mounts_drop_duplicates(struct mounts_table *table)
{
	struct mounts_entry *entries = table->entries;
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++)
		if (!n || strcmp(entries[n - 1].mount.dev,
				 entries[i].mount.dev))
			entries[n++] = entries[i];
	table->n = n;
}

static int mounts_read_table(FILE *mountinfo, struct mounts_table *table)
{
	struct tt_mount mount;
	size_t room = 0;
	char *line = NULL;
	ssize_t len;
	int err = 0;

	rewind(mountinfo);
	while (!err && (len = getline(&line, &room, mountinfo)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (nfs_parse_mount(line, &mount))
			err = mounts_add(table, &mount);
	}
	if (!err && ferror(mountinfo))
		err = -EIO;
	free(line);
	if (table->n)
		qsort(table->entries, table->n, sizeof(*table->entries),
		      mounts_compare);
	mounts_drop_duplicates(table);
	return err;
}

/* The first of a server's entries, or NULL. */
static struct mounts_entry *mounts_find(const struct mounts_table *table,
					const struct tt_addr *peer, u16 port)
{
	size_t low = 0, high = table->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (mounts_by_server(&table->entries[middle].mount, peer,
				     port) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->n ||
	    mounts_by_server(&table->entries[low].mount, peer, port))
		return NULL;
	return &table->entries[low];
}

/* What was known of the servers stays known. */
static void mounts_replace(struct mounts *mounts,
			   const struct mounts_table *table)
{
	struct mounts_table old = mounts->table;

	mounts->table = *table;
	for (size_t i = 0; i < old.n; i++)
		if (old.entries[i].connected)
			mounts_connected(mounts, &old.entries[i].mount.server,
					 old.entries[i].mount.port);
	free(old.entries);
}

int mounts_refresh(struct mounts *mounts)
{
	struct pollfd changed = {
		.fd = fileno(mounts->mountinfo),
		.events = POLLPRI,
	};
	struct mounts_table table = { };
	struct tt_mount *list;
	int err;

	if (poll(&changed, 1, 0) > 0)
		mounts->fresh = false;
	if (mounts->fresh)
		return 0;
	err = mounts_read_table(mounts->mountinfo, &table);
	list = calloc(table.n + 1, sizeof(*list));
	if (err || !list) {
		free(list);
		free(table.entries);
		return err ? err : -ENOMEM;
	}
	mounts_replace(mounts, &table);
	free(mounts->list);
	mounts->list = list;
	mounts->fresh = true;
	return 0;
}

void mounts_ports(const struct mounts *mounts, struct diag_ports *ports)
{
	for (size_t i = 0; i < mounts->table.n; i++)
		diag_add_port(ports, mounts->table.entries[i].mount.port);
}

bool mounts_connected(struct mounts *mounts, const struct tt_addr *peer,
		      u16 port)
{
	const struct mounts_table *table = &mounts->table;
	struct mounts_entry *entry = mounts_find(table, peer, port);

	if (!entry)
		return false;
	for (; entry < table->entries + table->n && !entry->connected &&
	     !mounts_by_server(&entry->mount, peer, port); entry++)
		entry->connected = true;
	return true;
}

static u32 mounts_read_ahead(const char *root, const char *dev)
{
	char path[64], text[32];
	u64 kb = 0;

	snprintf(path, sizeof(path), "/sys/class/bdi/%s/read_ahead_kb", dev);
	if (!proc_read(root, path, text, sizeof(text)))
		proc_numbers(text, &kb, 1);
	return kb;
}

struct tt_mount *mounts_list(struct mounts *mounts, size_t *nmounts)
{
	const struct mounts_table *table = &mounts->table;
	struct tt_mount *mount = mounts->list;

	for (size_t i = 0; i < table->n; i++) {
		if (!table->entries[i].connected)
			continue;
		*mount = table->entries[i].mount;
		mount->read_ahead_kb =
			mounts_read_ahead(mounts->root, mount->dev);
		mount++;
	}
	*nmounts = mount - mounts->list;
	return mounts->list;
}
