// SPDX-License-Identifier: GPL-2.0
/*
 * The TCP buffer files of each network namespace in /proc/sys/sunrpc.
 */
#include <linux/slab.h>
#include <linux/sysctl.h>

#include <linux/sunrpc/tcpbuf.h>

#include <net/net_namespace.h>
#include <net/sock.h>

#include "netns.h"
#include "tcpbuf.h"
#include "tcpbuf_lossy.h"

static struct ctl_table_header *tcpbuf_dir_header;
static const int tcpbuf_max = RPC_TCPBUF_MAX;

/* Default of tcp_notsent_lowat: two READs of 64 KiB. */
#define TCPBUF_NOTSENT_LOWAT	131072

/**
 * rpc_tcpbuf_net_limits - the limits of a network namespace
 * @net: the namespace
 * @role: of whose connections
 *
 * Returns: limits that are valid as long as @net
 */
const struct rpc_tcpbuf_limits *
rpc_tcpbuf_net_limits(const struct net *net, enum rpc_tcpbuf_role role)
{
	const struct sunrpc_net *sn = net_generic(net, sunrpc_net_id);

	return &sn->tcpbuf_limits[role];
}

/**
 * rpc_tcpbuf_init - prepare the buffer state of a new connection
 * @tb: the state
 * @net: network namespace that the transport holds a reference to
 * @role: which end of the connection this is
 *
 * Context: before the socket's callbacks can reach the transport
 */
void rpc_tcpbuf_init(struct rpc_tcpbuf *tb, const struct net *net,
		     enum rpc_tcpbuf_role role)
{
	*tb = (struct rpc_tcpbuf) {
		.limits = rpc_tcpbuf_net_limits(net, role),
	};
	rpc_tcpbuf_lossy_init(&tb->lossy);
}

/*
 * A value above what the host allows is kept, because the host's limit is
 * looked at when a connection grows and may be raised later; but say so, with
 * each such write.
 */
static int tcpbuf_set_ceiling(const struct ctl_table *table, int write,
			      void *buffer, size_t *lenp, loff_t *ppos,
			      const char *host_name, u32 host_max)
{
	int err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);
	u32 value = READ_ONCE(*(int *)table->data);

	if (!err && write && value > host_max)
		pr_notice_ratelimited("sunrpc: %s=%u counts as %u until net.core.%s is raised\n",
				      table->procname, value, host_max,
				      host_name);
	return err;
}

static int tcpbuf_set_rcvbuf(const struct ctl_table *table, int write,
			     void *buffer, size_t *lenp, loff_t *ppos)
{
	return tcpbuf_set_ceiling(table, write, buffer, lenp, ppos, "rmem_max",
				  READ_ONCE(sysctl_rmem_max));
}

static int tcpbuf_set_sndbuf(const struct ctl_table *table, int write,
			     void *buffer, size_t *lenp, loff_t *ppos)
{
	return tcpbuf_set_ceiling(table, write, buffer, lenp, ppos, "wmem_max",
				  READ_ONCE(sysctl_wmem_max));
}

static int tcpbuf_set_lossy(const struct ctl_table *table, int write,
			    void *buffer, size_t *lenp, loff_t *ppos)
{
	char name[RPC_TCPBUF_CA_NAME_MAX];
	const struct ctl_table copy = {
		.data	= name,
		.maxlen	= sizeof(name),
	};
	int err;

	rpc_tcpbuf_lossy_get(table->data, name);
	err = proc_dostring(&copy, write, buffer, lenp, ppos);
	if (!err && write)
		err = rpc_tcpbuf_lossy_set(table->extra1, table->data, name);
	return err;
}

#define TCPBUF_ROW(name, field, handler) \
	{ \
		.procname	= name, \
		.data		= field, \
		.maxlen		= sizeof(int), \
		.mode		= 0644, \
		.proc_handler	= handler, \
		.extra1		= SYSCTL_ZERO, \
		.extra2		= (void *)&tcpbuf_max, \
	}

#define TCPBUF_LOSSY_ROW(name, limits, net) \
	{ \
		.procname	= name, \
		.data		= limits, \
		.maxlen		= RPC_TCPBUF_CA_NAME_MAX, \
		.mode		= 0644, \
		.proc_handler	= tcpbuf_set_lossy, \
		.extra1		= net, \
	}

static __net_init int tcpbuf_init_net(struct net *net)
{
	struct sunrpc_net *sn = net_generic(net, sunrpc_net_id);
	struct rpc_tcpbuf_limits *server = &sn->tcpbuf_limits[RPC_TCPBUF_SERVER];
	struct rpc_tcpbuf_limits *client = &sn->tcpbuf_limits[RPC_TCPBUF_CLIENT];
	const struct ctl_table rows[] = {
		TCPBUF_ROW("tcp_rcvbuf", &server->rcvbuf_bytes,
			   tcpbuf_set_rcvbuf),
		TCPBUF_ROW("tcp_sndbuf", &server->sndbuf_bytes,
			   tcpbuf_set_sndbuf),
		TCPBUF_ROW("tcp_notsent_lowat", &server->notsent_lowat_bytes,
			   proc_dointvec_minmax),
		TCPBUF_ROW("tcp_clnt_rcvbuf", &client->rcvbuf_bytes,
			   tcpbuf_set_rcvbuf),
		TCPBUF_ROW("tcp_clnt_sndbuf", &client->sndbuf_bytes,
			   tcpbuf_set_sndbuf),
		TCPBUF_LOSSY_ROW("tcp_lossy_congestion_control", server, net),
		TCPBUF_LOSSY_ROW("tcp_clnt_lossy_congestion_control", client,
				 net),
	};
	void *table;

	server->notsent_lowat_bytes = TCPBUF_NOTSENT_LOWAT;

	table = kmemdup(rows, sizeof(rows), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	sn->tcpbuf_header = register_net_sysctl_sz(net, "sunrpc", table,
						   ARRAY_SIZE(rows));
	if (!sn->tcpbuf_header) {
		kfree(table);
		return -ENOMEM;
	}
	return 0;
}

static __net_exit void tcpbuf_exit_net(struct net *net)
{
	struct sunrpc_net *sn = net_generic(net, sunrpc_net_id);
	const struct ctl_table *table = sn->tcpbuf_header->ctl_table_arg;
	int role;

	unregister_net_sysctl_table(sn->tcpbuf_header);
	kfree(table);
	for (role = 0; role < RPC_TCPBUF_ROLES; role++)
		rpc_tcpbuf_lossy_set(net, &sn->tcpbuf_limits[role], "");
}

static struct pernet_operations tcpbuf_net_ops = {
	.init = tcpbuf_init_net,
	.exit = tcpbuf_exit_net,
};

/**
 * rpc_tcpbuf_register - make the files of every network namespace
 *
 * A directory that is first made for a namespace's files hides the plain files
 * of the same directory that come later. So the plain one comes first, with no
 * file in it: CONFIG_SUNRPC_DEBUG=n has none to offer.
 *
 * Returns: 0 or a negative errno
 */
int rpc_tcpbuf_register(void)
{
	static const struct ctl_table none[1];
	int err;

	tcpbuf_dir_header = register_sysctl_sz("sunrpc", none, 0);
	if (!tcpbuf_dir_header)
		return -ENOMEM;
	err = register_pernet_subsys(&tcpbuf_net_ops);
	if (err)
		unregister_sysctl_table(tcpbuf_dir_header);
	return err;
}

/**
 * rpc_tcpbuf_unregister - undo rpc_tcpbuf_register()
 */
void rpc_tcpbuf_unregister(void)
{
	unregister_pernet_subsys(&tcpbuf_net_ops);
	unregister_sysctl_table(tcpbuf_dir_header);
}
