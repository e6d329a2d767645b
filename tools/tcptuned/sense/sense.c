// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the kernel, decides nothing.
 *
 * A snapshot is cheap, because there are many: the kernel selects connections
 * by port, mounts are read when they change, and routes and links are queried
 * once in a while (see route.c and link.c).
 */
#include "sense.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diag.h"
#include "host.h"
#include "link.h"
#include "mounts.h"
#include "nfs.h"
#include "nl.h"
#include "proc.h"
#include "route.h"

/* Connections that come and go disturb a dump; a busy host has many. */
#define DUMP_TRIES 3

struct sense {
	char			*root;
	struct nl		*diag;
	struct nl		*route;
	struct routes		*routes;
	struct links		*links;
	struct mounts		*mounts;
	struct diag_ports	 listeners;
	struct diag_ports	 servers;
	struct tt_snapshot	 snapshot;
	size_t			 room;		/* for connections */
	bool			 has_problem;
	char			 problem[256];
};

int sense_open_root(struct sense **sensep, const char *root)
{
	struct sense *sense = calloc(1, sizeof(*sense));
	int err = -ENOMEM;

	if (!sense)
		return err;
	sense->root = strdup(root);
	if (!sense->root)
		goto out_close;
	err = nl_open(&sense->diag, NETLINK_SOCK_DIAG);
	if (err)
		goto out_close;
	err = nl_open(&sense->route, NETLINK_ROUTE);
	if (err)
		goto out_close;
	err = routes_open(&sense->routes);
	if (err)
		goto out_close;
	err = links_open(&sense->links);
	if (err)
		goto out_close;
	err = mounts_open(&sense->mounts, root);
	if (err)
		goto out_close;
	*sensep = sense;
	return 0;

out_close:
	sense_close(sense);
	return err;
}

int sense_open(struct sense **sensep)
{
	return sense_open_root(sensep, "");
}

void sense_close(struct sense *sense)
{
	if (!sense)
		return;
	mounts_close(sense->mounts);
	links_close(sense->links);
	routes_close(sense->routes);
	nl_close(sense->route);
	nl_close(sense->diag);
	free(sense->snapshot.conns);
	free(sense->snapshot.links);
	free(sense->root);
	free(sense);
}

/* Keeps the first sentence; what else went wrong has mostly the same reason. */
static void sense_report_problem(struct sense *sense, const char *what, int err,
				 const char *advice)
{
	if (sense->has_problem)
		return;
	snprintf(sense->problem, sizeof(sense->problem), "cannot %s: %s; %s",
		 what, strerror(-err), advice);
	sense->has_problem = true;
}

static void sense_find_ports(struct sense *sense, const struct tt_conf *conf)
{
	int err;

	sense->listeners.n = 0;
	sense->servers.n = 0;
	if (conf->roles[TT_SERVER]) {
		err = nfs_listeners(sense->root, &sense->listeners);
		if (err)
			sense_report_problem(sense, "read /proc/fs/nfsd/portlist", err,
					     "without it, connections to the NFS server are not seen");
	}
	if (conf->roles[TT_CLIENT]) {
		err = mounts_refresh(sense->mounts);
		if (err)
			sense_report_problem(sense, "read /proc/self/mountinfo", err,
					     "without it, new NFS mounts are not seen");
		mounts_ports(sense->mounts, &sense->servers);
	}
}

/* Room for one connection more. */
static bool sense_grow(struct sense *sense)
{
	struct tt_snapshot *snapshot = &sense->snapshot;
	size_t room = sense->room ? 2 * sense->room : 16;
	struct tt_conn *conns;
	struct tt_link *links;

	if (snapshot->nconns < sense->room)
		return true;
	conns = reallocarray(snapshot->conns, room, sizeof(*conns));
	if (conns)
		snapshot->conns = conns;
	links = reallocarray(snapshot->links, room, sizeof(*links));
	if (links)
		snapshot->links = links;
	if (!conns || !links)
		return false;
	sense->room = room;
	return true;
}

static int sense_add_conn(const struct nlmsghdr *nlh, void *data)
{
	struct sense *sense = data;
	struct tt_snapshot *snapshot = &sense->snapshot;
	struct tt_conn *conn;

	if (!sense_grow(sense)) {
		errno = ENOMEM;
		return MNL_CB_ERROR;
	}
	conn = &snapshot->conns[snapshot->nconns];
	if (!diag_parse(nlh, conn))
		return MNL_CB_OK;
	if (diag_has_port(&sense->listeners, conn->local_port))
		conn->role = TT_SERVER;
	/* Any user may connect to the port of an NFS server. */
	else if (!conn->uid &&
		 mounts_connected(sense->mounts, &conn->peer, conn->peer_port))
		conn->role = TT_CLIENT;
	else
		return MNL_CB_OK;
	snapshot->nconns++;
	return MNL_CB_OK;
}

/* Returns: 0 or -ENOMEM; of other errors it makes a sentence. */
static int sense_find_conns(struct sense *sense)
{
	int err, tries = 0;

	do {
		sense->snapshot.nconns = 0;
		err = diag_dump(sense->diag, &sense->listeners, &sense->servers,
				sense_add_conn, sense);
	} while (err == -EINTR && ++tries < DUMP_TRIES);
	if (err && err != -ENOMEM)
		sense_report_problem(sense, "list TCP connections by netlink", err,
				     "try modprobe tcp_diag");
	return err == -ENOMEM ? err : 0;
}

static void sense_find_links(struct sense *sense, const struct tt_conf *conf)
{
	struct tt_snapshot *snapshot = &sense->snapshot;
	struct tt_link *link = snapshot->links;
	u32 ifindex;

	routes_age(sense->routes, snapshot->now_us);
	for (size_t i = 0; i < snapshot->nconns; i++, link++) {
		ifindex = routes_get(sense->routes, sense->route,
				     &snapshot->conns[i]);
		links_get(sense->links, sense->route, ifindex,
			  snapshot->now_us, link);
		if (conf->bandwidth_bps) {
			link->rate_bps = conf->bandwidth_bps;
			link->source = TT_LINK_CONF;
		}
	}
}

static bool sense_sessions_only(const char *root)
{
	char text[4096];

	return !proc_read(root, "/proc/net/rpc/nfsd", text, sizeof(text)) &&
	       nfs_sessions_only(text);
}

static u64 sense_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

const struct tt_snapshot *sense_snapshot(struct sense *sense,
					 const struct tt_conf *conf)
{
	struct tt_snapshot *snapshot = &sense->snapshot;

	sense->has_problem = false;
	sense_find_ports(sense, conf);
	snapshot->now_us = sense_now_us();
	if (sense_find_conns(sense))
		return NULL;
	sense_find_links(sense, conf);
	snapshot->nmounts = 0;
	if (conf->roles[TT_CLIENT])
		snapshot->mounts = mounts_list(sense->mounts,
					       &snapshot->nmounts);
	host_read(sense->root, &snapshot->host);
	snapshot->host.sessions_only = sense->listeners.n &&
				       sense_sessions_only(sense->root);
	snapshot->host.fastest_bps =
		conf->bandwidth_bps ? conf->bandwidth_bps :
		links_fastest(sense->links, sense->route, snapshot->now_us);
	return snapshot;
}

const char *sense_problem(const struct sense *sense)
{
	return sense->has_problem ? sense->problem : NULL;
}
