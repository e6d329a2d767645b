// SPDX-License-Identifier: GPL-2.0
/*
 * Another congestion control for RPC connections whose path loses at random.
 *
 * CUBIC takes every loss for congestion. Where packets are lost for other
 * reasons, it stays far below the path's rate: with one in 10,000, over 30 ms,
 * at some 6 MB/s, however fast the path is. BBR fills such a path. But where
 * the loss is that of a short queue, it takes everything from the others who
 * share it. So the algorithm that is set in
 * /proc/sys/sunrpc/tcp_lossy_congestion_control is for the connections whose
 * path loses at random, and only while it does not make the path lose more.
 * tcpbuf_lossy_rule.c tells these apart, when a message is sent.
 *
 * The change is made by a work item, as it takes CAP_NET_ADMIN, which a thread
 * that acts for a client need not have. While a work item is under way,
 * lossy.state says so and the rest of struct rpc_tcpbuf_lossy belongs to it;
 * otherwise it belongs to the sender.
 */
#include <linux/in.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/string.h>
#include <linux/tcp.h>

#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/tcpbuf.h>

#include <net/sock.h>
#include <net/tcp.h>

#include <trace/events/sunrpc_tcpbuf.h>

#include "tcpbuf.h"
#include "tcpbuf_lossy.h"

static_assert(RPC_TCPBUF_CA_NAME_MAX == TCP_CA_NAME_MAX);

/* The algorithm that a namespace has must not be unloaded while it is set. */
static DEFINE_MUTEX(rpc_tcpbuf_lossy_mutex);

/* Without the socket's lock: numbers that are a packet too old do no harm. */
static void rpc_tcpbuf_lossy_sample(struct rpc_tcpbuf_sample *now,
				    const struct tcp_sock *tp)
{
	now->segs = READ_ONCE(tp->data_segs_out);
	now->retrans = READ_ONCE(tp->total_retrans);
	now->srtt_us = READ_ONCE(tp->srtt_us) >> 3;
	/* As tcp_get_info() reads it. */
	now->min_rtt_us = data_race(tcp_min_rtt(tp));
	now->cwnd = tcp_snd_cwnd(tp);
}

/* The slow path of rpc_tcpbuf_sending(): an algorithm is set, or was. */
void __rpc_tcpbuf_lossy_look(struct rpc_tcpbuf *tb, struct sock *sk)
{
	struct rpc_tcpbuf_lossy *lossy = &tb->lossy;
	bool on = READ_ONCE(tb->limits->lossy);
	enum rpc_tcpbuf_lossy_state next;
	struct rpc_tcpbuf_sample now;

	rpc_tcpbuf_lossy_sample(&now, tcp_sk(sk));
	/* Pairs with the release by the work item: the rest is ours again. */
	switch (smp_load_acquire(&lossy->state)) {
	case RPC_TCPBUF_LOSSY_WATCHED:
		if (!rpc_tcpbuf_lossy_is_random(&lossy->counts, &now))
			return;
		next = RPC_TCPBUF_LOSSY_CHANGING;
		break;
	case RPC_TCPBUF_LOSSY_CHANGED:
		if (!on)
			next = RPC_TCPBUF_LOSSY_LEAVING;
		else if (rpc_tcpbuf_lossy_is_worse(&lossy->counts, &now))
			next = RPC_TCPBUF_LOSSY_FAILING;
		else
			return;
		break;
	default:
		return;
	}
	lossy->sk = sk;
	WRITE_ONCE(lossy->state, next);
	queue_work(xprtiod_workqueue, &lossy->work);
}

static int rpc_tcpbuf_lossy_set_ca(struct socket *sock, const char *name)
{
	return sock->ops->setsockopt(sock, SOL_TCP, TCP_CONGESTION,
				     KERNEL_SOCKPTR((void *)name),
				     strlen(name));
}

static enum rpc_tcpbuf_lossy_state
rpc_tcpbuf_lossy_change(struct rpc_tcpbuf_lossy *lossy, const char *name)
{
	struct inet_connection_sock *icsk = inet_csk(lossy->sk);

	if (!*name)
		return RPC_TCPBUF_LOSSY_WATCHED;
	lock_sock(lossy->sk);
	strscpy(lossy->old_ca, icsk->icsk_ca_ops->name, sizeof(lossy->old_ca));
	release_sock(lossy->sk);
	/* A route may have fixed it (ip route congctl lock). */
	if (!strcmp(name, lossy->old_ca) ||
	    rpc_tcpbuf_lossy_set_ca(lossy->sk->sk_socket, name))
		return RPC_TCPBUF_LOSSY_DONE;
	lossy->ca = READ_ONCE(icsk->icsk_ca_ops);
	trace_rpc_tcpbuf_lossy_changed(lossy->sk, name);
	return RPC_TCPBUF_LOSSY_CHANGED;
}

/* As after a loss: BBR leaves no threshold behind, and two flights of window. */
static void rpc_tcpbuf_lossy_restore(struct rpc_tcpbuf_lossy *lossy)
{
	struct sock *sk = lossy->sk;
	struct tcp_sock *tp = tcp_sk(sk);

	if (READ_ONCE(inet_csk(sk)->icsk_ca_ops) != lossy->ca ||
	    rpc_tcpbuf_lossy_set_ca(sk->sk_socket, lossy->old_ca))
		return;
	lock_sock(sk);
	WRITE_ONCE(tp->snd_ssthresh, max(tcp_snd_cwnd(tp) / 2, 2U));
	tcp_snd_cwnd_set(tp, tp->snd_ssthresh);
	release_sock(sk);
	trace_rpc_tcpbuf_lossy_restored(sk, lossy->old_ca);
}

static void rpc_tcpbuf_lossy_work(struct work_struct *work)
{
	struct rpc_tcpbuf *tb = container_of(work, struct rpc_tcpbuf,
					     lossy.work);
	enum rpc_tcpbuf_lossy_state next = RPC_TCPBUF_LOSSY_DONE;
	struct rpc_tcpbuf_lossy *lossy = &tb->lossy;

	mutex_lock(&rpc_tcpbuf_lossy_mutex);
	if (lossy->state == RPC_TCPBUF_LOSSY_CHANGING) {
		next = rpc_tcpbuf_lossy_change(lossy, tb->limits->lossy_ca);
	} else {
		rpc_tcpbuf_lossy_restore(lossy);
		if (lossy->state == RPC_TCPBUF_LOSSY_LEAVING)
			next = RPC_TCPBUF_LOSSY_WATCHED;
	}
	mutex_unlock(&rpc_tcpbuf_lossy_mutex);
	/* Pairs with the sender's acquire. */
	smp_store_release(&lossy->state, next);
}

/* Prepare a new connection; it is zeroed. */
void rpc_tcpbuf_lossy_init(struct rpc_tcpbuf_lossy *lossy)
{
	INIT_WORK(&lossy->work, rpc_tcpbuf_lossy_work);
}

/**
 * rpc_tcpbuf_stop - leave the socket alone from now on
 * @tb: buffer state of a connection that nobody sends on any more
 *
 * Context: process context, before the socket is released; may sleep
 */
void rpc_tcpbuf_stop(struct rpc_tcpbuf *tb)
{
	/* A transport that is not TCP's was never prepared. */
	if (tb->limits)
		cancel_work_sync(&tb->lossy.work);
}

/**
 * rpc_tcpbuf_lossy_set - set the algorithm of lossy paths
 * @net: network namespace
 * @limits: of one of its roles
 * @name: of the algorithm; "" for none
 *
 * A socket that is never connected has it meanwhile: making it so checks the
 * name, loads the module if the caller may, and keeps it loaded. So no
 * connection has to wait for a module, which may lie behind that connection.
 *
 * Context: process context, the one who writes the value
 * Returns: 0 or a negative errno, -ENOENT if there is no such algorithm
 */
int rpc_tcpbuf_lossy_set(struct net *net, struct rpc_tcpbuf_limits *limits,
			 const char *name)
{
	struct socket *holder = NULL;
	int err;

	if (*name) {
		err = sock_create_kern(net, PF_INET, SOCK_STREAM, IPPROTO_TCP,
				       &holder);
		if (err)
			return err;
		err = rpc_tcpbuf_lossy_set_ca(holder, name);
		if (err) {
			sock_release(holder);
			return err;
		}
	}
	mutex_lock(&rpc_tcpbuf_lossy_mutex);
	swap(limits->lossy_holder, holder);
	strscpy(limits->lossy_ca, name, sizeof(limits->lossy_ca));
	WRITE_ONCE(limits->lossy, *name);
	mutex_unlock(&rpc_tcpbuf_lossy_mutex);
	if (holder)
		sock_release(holder);
	return 0;
}

/* The algorithm of lossy paths; @name has RPC_TCPBUF_CA_NAME_MAX bytes. */
void rpc_tcpbuf_lossy_get(const struct rpc_tcpbuf_limits *limits, char *name)
{
	mutex_lock(&rpc_tcpbuf_lossy_mutex);
	strscpy(name, limits->lossy_ca, RPC_TCPBUF_CA_NAME_MAX);
	mutex_unlock(&rpc_tcpbuf_lossy_mutex);
}
