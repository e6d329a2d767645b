// SPDX-License-Identifier: GPL-2.0
/*
 * The files of each network namespace in /proc/sys/sunrpc.
 *
 * The values stand in a pernet area of their own and are reached through an
 * accessor: neither struct sunrpc_net nor a header that other modules read
 * changes, so the distribution's lockd and nfsd go on loading.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysctl.h>

#include <linux/sunrpc/tcpbuf.h>

#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#include "tcpbuf.h"

struct tcpbuf_net {
	struct rpc_tcpbuf_limits limits[RPC_TCPBUF_ROLES];
	struct ctl_table_header	*header;
};

static unsigned int tcpbuf_net_id;
static struct ctl_table_header *tcpbuf_dir_header;
static const int tcpbuf_max = RPC_TCPBUF_MAX;

/* What a new network namespace begins with: the module's parameters. */
static unsigned int tcp_rcvbuf;
static unsigned int tcp_sndbuf;
static unsigned int tcp_notsent_lowat = CONFIG_SUNRPC_TCP_NOTSENT_LOWAT;
static unsigned int tcp_clnt_rcvbuf;
static unsigned int tcp_clnt_sndbuf;

static int tcpbuf_param_set(const char *value, const struct kernel_param *kp)
{
	return param_set_uint_minmax(value, kp, 0, RPC_TCPBUF_MAX);
}

static const struct kernel_param_ops tcpbuf_param_ops = {
	.set = tcpbuf_param_set,
	.get = param_get_uint,
};

module_param_cb(tcp_rcvbuf, &tcpbuf_param_ops, &tcp_rcvbuf, 0644);
MODULE_PARM_DESC(tcp_rcvbuf,
		 "Ceiling of servers' receive buffers in new namespaces, bytes");
module_param_cb(tcp_sndbuf, &tcpbuf_param_ops, &tcp_sndbuf, 0644);
MODULE_PARM_DESC(tcp_sndbuf,
		 "Ceiling of servers' send buffers in new namespaces, bytes");
module_param_cb(tcp_notsent_lowat, &tcpbuf_param_ops, &tcp_notsent_lowat, 0644);
MODULE_PARM_DESC(tcp_notsent_lowat,
		 "Unsent data that hold back requests in new namespaces, bytes");
module_param_cb(tcp_clnt_rcvbuf, &tcpbuf_param_ops, &tcp_clnt_rcvbuf, 0644);
MODULE_PARM_DESC(tcp_clnt_rcvbuf,
		 "Ceiling of clients' receive buffers in new namespaces, bytes");
module_param_cb(tcp_clnt_sndbuf, &tcpbuf_param_ops, &tcp_clnt_sndbuf, 0644);
MODULE_PARM_DESC(tcp_clnt_sndbuf,
		 "Ceiling of clients' send buffers in new namespaces, bytes");

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
	struct tcpbuf_net *tn = net_generic(net, tcpbuf_net_id);

	return &tn->limits[role];
}

static int tcpbuf_set(const struct ctl_table *table, int write, void *buffer,
		      size_t *lenp, loff_t *ppos)
{
	const struct ctl_table bounded = {
		.procname	= table->procname,
		.data		= table->data,
		.maxlen		= table->maxlen,
		.mode		= table->mode,
		.extra1		= SYSCTL_ZERO,
		.extra2		= (void *)&tcpbuf_max,
	};

	return proc_dointvec_minmax(&bounded, write, buffer, lenp, ppos);
}

/*
 * A value above what the host allows is kept, because the host's limit is
 * looked at when a connection grows and may be raised later; but say so, with
 * each such write.
 */
static int tcpbuf_set_ceiling(const struct ctl_table *table, int write,
			      void *buffer, size_t *lenp, loff_t *ppos)
{
	const u32 *host_max = table->extra2;
	int err = tcpbuf_set(table, write, buffer, lenp, ppos);
	u32 value = READ_ONCE(*(int *)table->data);
	u32 max = READ_ONCE(*host_max);

	if (!err && write && value > max)
		pr_notice_ratelimited("sunrpc: %s=%u counts as %u until net.core.%s is raised\n",
				      table->procname, value, max,
				      host_max == &sysctl_rmem_max ?
				      "rmem_max" : "wmem_max");
	return err;
}

#define TCPBUF_ROW(name, field, handler, host_max) \
	{ \
		.procname	= name, \
		.data		= field, \
		.maxlen		= sizeof(int), \
		.mode		= 0644, \
		.proc_handler	= handler, \
		.extra2		= host_max, \
	}

static __net_init int tcpbuf_init_net(struct net *net)
{
	struct tcpbuf_net *tn = net_generic(net, tcpbuf_net_id);
	struct rpc_tcpbuf_limits *server = &tn->limits[RPC_TCPBUF_SERVER];
	struct rpc_tcpbuf_limits *client = &tn->limits[RPC_TCPBUF_CLIENT];
	const struct ctl_table rows[] = {
		TCPBUF_ROW("tcp_rcvbuf", &server->rcvbuf_bytes,
			   tcpbuf_set_ceiling, &sysctl_rmem_max),
		TCPBUF_ROW("tcp_sndbuf", &server->sndbuf_bytes,
			   tcpbuf_set_ceiling, &sysctl_wmem_max),
		TCPBUF_ROW("tcp_notsent_lowat", &server->notsent_lowat_bytes,
			   tcpbuf_set, NULL),
		TCPBUF_ROW("tcp_clnt_rcvbuf", &client->rcvbuf_bytes,
			   tcpbuf_set_ceiling, &sysctl_rmem_max),
		TCPBUF_ROW("tcp_clnt_sndbuf", &client->sndbuf_bytes,
			   tcpbuf_set_ceiling, &sysctl_wmem_max),
	};
	void *table;

	server->rcvbuf_bytes = READ_ONCE(tcp_rcvbuf);
	server->sndbuf_bytes = READ_ONCE(tcp_sndbuf);
	server->notsent_lowat_bytes = READ_ONCE(tcp_notsent_lowat);
	client->rcvbuf_bytes = READ_ONCE(tcp_clnt_rcvbuf);
	client->sndbuf_bytes = READ_ONCE(tcp_clnt_sndbuf);

	table = kmemdup(rows, sizeof(rows), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	tn->header = register_net_sysctl_sz(net, "sunrpc", table,
					    ARRAY_SIZE(rows));
	if (!tn->header) {
		kfree(table);
		return -ENOMEM;
	}
	return 0;
}

static __net_exit void tcpbuf_exit_net(struct net *net)
{
	struct tcpbuf_net *tn = net_generic(net, tcpbuf_net_id);
	const struct ctl_table *table = tn->header->ctl_table_arg;

	unregister_net_sysctl_table(tn->header);
	kfree(table);
}

static struct pernet_operations tcpbuf_net_ops = {
	.init = tcpbuf_init_net,
	.exit = tcpbuf_exit_net,
	.id = &tcpbuf_net_id,
	.size = sizeof(struct tcpbuf_net),
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
