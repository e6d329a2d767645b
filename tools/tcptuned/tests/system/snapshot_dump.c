// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what sense sees of this network namespace, as JSON.
 *
 *   snapshot_dump [--root DIR] [--bandwidth BPS] [--server | --client]
 *                 [--looks N [--pause SECONDS]]
 *
 * With --looks, the last of N looks is printed, so that the cost of one can be
 * told from that of the start, and what changes meanwhile can be seen.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../sense/sense.h"
#include "../../units.h"

static void add_addr(cJSON *json, const char *name, const struct tt_addr *addr)
{
	char buf[INET6_ADDRSTRLEN];

	cJSON_AddStringToObject(json, name, units_addr(addr, buf));
}

static cJSON *link_json(const struct tt_link *link)
{
	static const char * const sources[] = {
		[TT_LINK_UNKNOWN] = "unknown",
		[TT_LINK_CONF] = "conf",
		[TT_LINK_ETHTOOL] = "ethtool",
		[TT_LINK_QDISC] = "qdisc",
		[TT_LINK_OUTRUN] = "outrun",
	};
	cJSON *json = cJSON_CreateObject();

	cJSON_AddNumberToObject(json, "ifindex", link->ifindex);
	cJSON_AddStringToObject(json, "name", link->name);
	cJSON_AddNumberToObject(json, "rate_bps", link->rate_bps);
	cJSON_AddStringToObject(json, "source", sources[link->source]);
	return json;
}

/* A number under the name of its field. */
#define ADD(json, value) \
	cJSON_AddNumberToObject(json, strchr(#value, '>') + 1, value)

static cJSON *conn_json(const struct tt_conn *conn, const struct tt_link *link)
{
	cJSON *json = cJSON_CreateObject();
	char cookie[24];

	cJSON_AddStringToObject(json, "role",
				conn->role == TT_SERVER ? "server" : "client");
	add_addr(json, "local", &conn->local);
	add_addr(json, "peer", &conn->peer);
	/* As text: a JSON number is a double. */
	snprintf(cookie, sizeof(cookie), "%llu", conn->cookie);
	cJSON_AddStringToObject(json, "cookie", cookie);
	ADD(json, conn->local_port);
	ADD(json, conn->peer_port);
	ADD(json, conn->min_rtt_us);
	ADD(json, conn->rtt_us);
	ADD(json, conn->rcv_rtt_us);
	ADD(json, conn->delivery_bps);
	ADD(json, conn->delivery_app_limited);
	ADD(json, conn->busy_us);
	ADD(json, conn->rwnd_limited_us);
	ADD(json, conn->sndbuf_limited_us);
	ADD(json, conn->bytes[TT_OUT]);
	ADD(json, conn->bytes[TT_IN]);
	ADD(json, conn->rcv_wnd_bytes);
	ADD(json, conn->sndbuf_bytes);
	ADD(json, conn->rcvbuf_bytes);
	ADD(json, conn->sent_bytes);
	ADD(json, conn->resent_bytes);
	ADD(json, conn->mss_bytes);
	ADD(json, conn->wscale[TT_OUT]);
	ADD(json, conn->wscale[TT_IN]);
	ADD(json, conn->backoff);
	cJSON_AddItemToObject(json, "link", link_json(link));
	return json;
}

static cJSON *mount_json(const struct tt_mount *mount)
{
	cJSON *json = cJSON_CreateObject();

	cJSON_AddStringToObject(json, "dev", mount->dev);
	cJSON_AddStringToObject(json, "dir", mount->dir);
	add_addr(json, "server", &mount->server);
	ADD(json, mount->port);
	ADD(json, mount->rsize_bytes);
	ADD(json, mount->read_ahead_kb);
	return json;
}

static cJSON *host_json(const struct tt_host *host)
{
	cJSON *json = cJSON_CreateObject();

	ADD(json, host->ram_bytes);
	ADD(json, host->tcp_mem_bytes[0]);
	ADD(json, host->tcp_mem_bytes[1]);
	ADD(json, host->tcp_mem_bytes[2]);
	ADD(json, host->tcp_used_bytes);
	ADD(json, host->has_sunrpc_tcpbuf);
	return json;
}

static void print(const struct tt_snapshot *snapshot, const char *problem)
{
	cJSON *json = cJSON_CreateObject(), *list;
	char *text;

	ADD(json, snapshot->now_us);
	list = cJSON_AddArrayToObject(json, "conns");
	for (size_t i = 0; i < snapshot->nconns; i++)
		cJSON_AddItemToArray(list, conn_json(&snapshot->conns[i],
						     &snapshot->links[i]));
	list = cJSON_AddArrayToObject(json, "mounts");
	for (size_t i = 0; i < snapshot->nmounts; i++)
		cJSON_AddItemToArray(list, mount_json(&snapshot->mounts[i]));
	cJSON_AddItemToObject(json, "host", host_json(&snapshot->host));
	cJSON_AddStringToObject(json, "problem", problem ? problem : "");
	text = cJSON_Print(json);
	puts(text);
	free(text);
	cJSON_Delete(json);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "root", required_argument, NULL, 'r' },
		{ "bandwidth", required_argument, NULL, 'b' },
		{ "server", no_argument, NULL, 's' },
		{ "client", no_argument, NULL, 'c' },
		{ "looks", required_argument, NULL, 'n' },
		{ "pause", required_argument, NULL, 'p' },
		{ }
	};
	struct tt_conf conf = { .roles = { true, true } };
	const struct tt_snapshot *snapshot;
	const char *root = "";
	struct sense *sense;
	int option, err, looks = 1, pause_s = 0;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'r')
			root = optarg;
		else if (option == 'b')
			conf.bandwidth_bps = strtoull(optarg, NULL, 10);
		else if (option == 's')
			conf.roles[TT_CLIENT] = false;
		else if (option == 'c')
			conf.roles[TT_SERVER] = false;
		else if (option == 'n')
			looks = atoi(optarg);
		else if (option == 'p')
			pause_s = atoi(optarg);
		else
			return 2;
	}
	err = sense_open_root(&sense, root);
	if (err) {
		fprintf(stderr, "snapshot_dump: cannot look: %s\n",
			strerror(-err));
		return 1;
	}
	do {
		snapshot = sense_snapshot(sense, &conf);
	} while (--looks > 0 && !sleep(pause_s));
	if (snapshot)
		print(snapshot, sense_problem(sense));
	sense_close(sense);
	return snapshot ? 0 : 1;
}
