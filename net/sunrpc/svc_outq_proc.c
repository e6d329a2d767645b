// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/rpc/outq: the connections of a network namespace whose replies
 * wait, and since when.
 */
#include <linux/jiffies.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include <net/net_namespace.h>

#include "netns.h"
#include "svc_outq.h"

static int svc_outq_show(struct seq_file *m, void *unused)
{
	const struct net *net = m->private;
	struct svc_outq *oq;

	seq_printf(m, "# host: %lu of %lu bytes charged\n",
		   svc_outq_charged(), svc_outq_max());
	seq_puts(m, "# queued_bytes charged_bytes queued_ms unacked_ms client\n");
	spin_lock(&svc_outq_lock);
	list_for_each_entry(oq, &svc_outq_queues, node) {
		struct svc_xprt *xprt = svc_outq_xprt(oq);

		if (xprt->xpt_net != net)
			continue;
		seq_printf(m, "%zu %zu %u %u %pISpc\n", svc_outq_queued(oq),
			   READ_ONCE(oq->charged_bytes),
			   jiffies_to_msecs(jiffies - READ_ONCE(oq->since)),
			   jiffies_to_msecs(svc_outq_stalled_for(oq)),
			   &xprt->xpt_remote);
	}
	spin_unlock(&svc_outq_lock);
	return 0;
}

static __net_init int svc_outq_init_net(struct net *net)
{
	struct sunrpc_net *sn = net_generic(net, sunrpc_net_id);

	if (!proc_create_single_data("outq", 0400, sn->proc_net_rpc,
				     svc_outq_show, net))
		return -ENOMEM;
	return 0;
}

static __net_exit void svc_outq_exit_net(struct net *net)
{
	struct sunrpc_net *sn = net_generic(net, sunrpc_net_id);

	remove_proc_entry("outq", sn->proc_net_rpc);
}

static struct pernet_operations svc_outq_net_ops = {
	.init = svc_outq_init_net,
	.exit = svc_outq_exit_net,
};

/* After sunrpc_net_ops, whose /proc/net/rpc has the file. */
int svc_outq_proc_register(void)
{
	return register_pernet_subsys(&svc_outq_net_ops);
}

void svc_outq_proc_unregister(void)
{
	unregister_pernet_subsys(&svc_outq_net_ops);
}
