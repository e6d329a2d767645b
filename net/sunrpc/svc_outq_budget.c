// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the output queues of RPC servers may pin.
 *
 * Without a queue a server holds at most a reply per thread outside of its
 * sockets, and every thread sleeps. With one it might hold a reply per thread
 * and connection. So what is queued is charged, with the pages that it pins,
 * and may not exceed
 *
 *	svc_outq_max_bytes	for the machine, an eighth of memory by default
 *	half of that		for the connections of one client's address
 *	a quarter of it		for a connection
 *
 * From half of a bound on, no request is taken from a connection unless its peer
 * was just seen to read replies, and the connection whose peer has taken nothing
 * for the longest time, a second at least, is closed to make room. At the bound
 * the sender sleeps until memory is free, as it did without a queue. Thus peers
 * that read nothing cannot hold more than the bound, nor keep threads asleep. A
 * client whose connection is closed connects again and repeats its requests.
 */
#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <linux/sunrpc/addr.h>

#include <trace/events/svc_outq.h>

#include "svc_outq.h"

/* A peer that took something this recently reads its replies. */
#define SVC_OUTQ_RECENT		(HZ / 2)

/* How often memory is looked for while a request is not taken for want of it. */
#define SVC_OUTQ_POLL		(HZ / 4)

/* A peer that takes nothing for this long may be closed for want of memory. */
#define SVC_OUTQ_EVICT_AFTER	HZ

/**
 * struct svc_outq_client - what the connections of an address have charged
 * @node: in svc_outq_clients
 * @users: connections that point here, protected by svc_outq_lock
 * @bytes: charged
 * @net: the namespace that the address is of
 * @addr: the address; the port does not matter
 */
struct svc_outq_client {
	struct hlist_node	node;
	unsigned int		users;
	atomic_long_t		bytes;
	const struct net	*net;
	struct sockaddr_storage	addr;
};

static unsigned long svc_outq_max_bytes = ULONG_MAX;
module_param(svc_outq_max_bytes, ulong, 0644);
MODULE_PARM_DESC(svc_outq_max_bytes,
		 "Memory that replies may pin while they wait for their TCP connections, bytes [an eighth of memory]; 0: service threads sleep instead");

static atomic_long_t svc_outq_total_bytes;

/* Protects the clients, and the list of the queues that are not empty. */
DEFINE_SPINLOCK(svc_outq_lock);
LIST_HEAD(svc_outq_queues);
static DEFINE_HASHTABLE(svc_outq_clients, 8);

/* Called once, before the first queue. A value on the command line stays. */
void svc_outq_budget_init(void)
{
	if (svc_outq_max_bytes == ULONG_MAX)
		svc_outq_max_bytes = (totalram_pages() / 8) << PAGE_SHIFT;
}

unsigned long svc_outq_charged(void)
{
	return atomic_long_read(&svc_outq_total_bytes);
}

unsigned long svc_outq_max(void)
{
	return READ_ONCE(svc_outq_max_bytes);
}

static u32 svc_outq_hash(const struct sockaddr *addr)
{
	if (addr->sa_family == AF_INET6)
		return jhash(&((const struct sockaddr_in6 *)addr)->sin6_addr,
			     sizeof(struct in6_addr), 0);
	return jhash_1word((__force u32)((const struct sockaddr_in *)
					 addr)->sin_addr.s_addr, 0);
}

static struct svc_outq_client *
svc_outq_find_client(const struct svc_xprt *xprt, u32 hash)
{
	const struct sockaddr *addr = (const struct sockaddr *)&xprt->xpt_remote;
	struct svc_outq_client *client;

	hash_for_each_possible(svc_outq_clients, client, node, hash)
		if (client->net == xprt->xpt_net &&
		    rpc_cmp_addr((struct sockaddr *)&client->addr, addr))
			return client;
	return NULL;
}

/* The account of the peer's address; NULL if there is no memory for it. */
static struct svc_outq_client *svc_outq_get_client(struct svc_outq *oq)
{
	struct svc_xprt *xprt = svc_outq_xprt(oq);
	u32 hash = svc_outq_hash((struct sockaddr *)&xprt->xpt_remote);
	struct svc_outq_client *client, *fresh;

	if (oq->client)
		return oq->client;
	fresh = kzalloc_obj(*fresh, GFP_KERNEL | __GFP_NOWARN);
	if (!fresh)
		return NULL;
	fresh->net = xprt->xpt_net;
	memcpy(&fresh->addr, &xprt->xpt_remote, sizeof(fresh->addr));

	spin_lock(&svc_outq_lock);
	client = svc_outq_find_client(xprt, hash);
	if (!client) {
		client = fresh;
		fresh = NULL;
		hash_add(svc_outq_clients, &client->node, hash);
	}
	client->users++;
	spin_unlock(&svc_outq_lock);

	kfree(fresh);
	WRITE_ONCE(oq->client, client);
	return client;
}

/**
 * svc_outq_destroy - the last use of a queue
 * @oq: output queue of a transport that is about to be freed
 */
void svc_outq_destroy(struct svc_outq *oq)
{
	struct svc_outq_client *client = oq->client;

	if (!client)
		return;
	spin_lock(&svc_outq_lock);
	if (--client->users)
		client = NULL;
	else
		hash_del(&client->node);
	spin_unlock(&svc_outq_lock);
	kfree(client);
}

void svc_outq_uncharge(struct svc_outq *oq, size_t bytes)
{
	WRITE_ONCE(oq->charged_bytes, oq->charged_bytes - bytes);
	atomic_long_sub(bytes, &oq->client->bytes);
	atomic_long_sub(bytes, &svc_outq_total_bytes);
}

/* Returns false, with nothing charged, where that would exceed a bound. */
bool svc_outq_charge(struct svc_outq *oq, size_t bytes)
{
	unsigned long max = READ_ONCE(svc_outq_max_bytes);
	struct svc_outq_client *client = svc_outq_get_client(oq);
	unsigned long total, of_client;

	if (!client)
		return false;
	WRITE_ONCE(oq->charged_bytes, oq->charged_bytes + bytes);
	of_client = atomic_long_add_return(bytes, &client->bytes);
	total = atomic_long_add_return(bytes, &svc_outq_total_bytes);
	if (total <= max && of_client <= max / 2 &&
	    oq->charged_bytes <= max / 4)
		return true;
	svc_outq_uncharge(oq, bytes);
	return false;
}

/* Whether more than a share of each bound is used up. */
static bool svc_outq_is_short(struct svc_outq *oq, unsigned long max)
{
	const struct svc_outq_client *client = READ_ONCE(oq->client);

	return atomic_long_read(&svc_outq_total_bytes) > max ||
	       (client && atomic_long_read(&client->bytes) > max / 2) ||
	       READ_ONCE(oq->charged_bytes) > max / 4;
}

/**
 * svc_outq_has_budget - whether memory allows another request to be taken
 * @oq: output queue of the connection
 *
 * If not, the work item looks for memory and has the transport asked again.
 *
 * Context: any; takes no lock
 */
bool svc_outq_has_budget(struct svc_outq *oq)
{
	if (likely(!svc_outq_is_short(oq, svc_outq_max() / 2)) ||
	    svc_outq_idle_for(oq) < SVC_OUTQ_RECENT)
		return true;
	if (!READ_ONCE(oq->wants_budget)) {
		WRITE_ONCE(oq->wants_budget, true);
		svc_outq_schedule(oq, SVC_OUTQ_POLL);
	}
	return false;
}

/* The queue is not empty any more. */
void svc_outq_list(struct svc_outq *oq)
{
	spin_lock(&svc_outq_lock);
	list_add_tail(&oq->node, &svc_outq_queues);
	spin_unlock(&svc_outq_lock);
}

/* The queue is empty. */
void svc_outq_unlist(struct svc_outq *oq)
{
	spin_lock(&svc_outq_lock);
	list_del_init(&oq->node);
	spin_unlock(&svc_outq_lock);
}

/* The queue whose peer has taken nothing for longest, if that is long. */
static struct svc_outq *svc_outq_find_victim(const struct svc_outq_client *of)
{
	unsigned long longest = SVC_OUTQ_EVICT_AFTER;
	struct svc_outq *oq, *victim = NULL;

	list_for_each_entry(oq, &svc_outq_queues, node) {
		unsigned long stalled = svc_outq_stalled_for(oq);

		if (oq->evicted || stalled < longest || (of && oq->client != of))
			continue;
		longest = stalled;
		victim = oq;
	}
	return victim;
}

/*
 * Have a connection closed if more than @max bytes are charged for the machine,
 * or half of that for the client of @oq. The victim's own work item closes it,
 * a moment later.
 */
void svc_outq_make_room(struct svc_outq *oq, unsigned long max)
{
	const struct svc_outq_client *client = NULL;
	struct svc_outq *victim;

	if (!svc_outq_is_short(oq, max))
		return;
	if (svc_outq_charged() <= max)
		client = oq->client;
	spin_lock(&svc_outq_lock);
	victim = svc_outq_find_victim(client);
	if (victim) {
		WRITE_ONCE(victim->evicted, true);
		trace_svc_outq_evict(svc_outq_xprt(victim),
				     victim->queued_bytes, victim->since);
		svc_outq_schedule(victim, 0);
	}
	spin_unlock(&svc_outq_lock);
}
