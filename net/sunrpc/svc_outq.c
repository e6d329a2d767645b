// SPDX-License-Identifier: GPL-2.0
/*
 * Output queue of an RPC server's TCP connection.
 *
 * A service thread serves every client. If it sleeps in sendmsg() until one of
 * them has read its reply, the others wait with it. So nothing is sent by
 * sleeping. What the socket does not take at once is queued here, with a
 * reference to each page, and the thread goes on to the next request. When
 * acknowledgments free a part of the send buffer, TCP calls sk_write_space(),
 * and a work item, or the next sender, moves the queue into the socket.
 *
 *  - Order: whoever sends or queues holds xpt_mutex, and nothing is sent past
 *    a queue that is not empty. Callbacks to the client share the connection
 *    and go through the queue too.
 *  - Backpressure: no further request is taken from a connection while its
 *    queue is not empty, as none was while a thread slept (SOCK_NOSPACE).
 *  - Memory: what the queues pin is charged against bounds for a connection,
 *    a client's address and the machine, see svc_outq_budget.c. Where the
 *    bound is reached, or no memory can be had, the sender sleeps after all.
 *  - A peer that acknowledges nothing for SVC_OUTQ_STALL_TO while something
 *    waits for it is disconnected, as it was when a thread's sendmsg() ran
 *    into sk_sndtimeo.
 *  - A message that was cut short is the last one of its connection.
 *
 * No wake-up is lost. A sender first makes the queue visible (queued_bytes) and
 * then tries once more to send; that sendmsg() either succeeds or sets
 * SOCK_NOSPACE under the socket's lock. TCP looks at the bit under the same lock
 * when an acknowledgment arrives, and sk_write_space() finds queued_bytes.
 */
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/tcp.h>

#include <linux/sunrpc/xdr.h>

#include <net/sock.h>
#include <net/tcp.h>

#include "svc_outq.h"

#define CREATE_TRACE_POINTS
#include <trace/events/svc_outq.h>

/* How long a peer may take nothing while something waits for it. */
#define SVC_OUTQ_STALL_TO	(30 * HZ)

/* A mount of this machine's own exports frees memory through it. */
static struct workqueue_struct *svc_outq_wq;

/* Run the work item after @delay, earlier or later than it was to run. */
void svc_outq_schedule(struct svc_outq *oq, unsigned long delay)
{
	struct svc_xprt *xprt = svc_outq_xprt(oq);

	svc_xprt_get(xprt);
	if (mod_delayed_work(svc_outq_wq, &oq->work, delay))
		svc_xprt_put(xprt);
}

static bool svc_outq_has_unacked(const struct svc_outq *oq)
{
	const struct tcp_sock *tp = tcp_sk(oq->sk);

	return svc_outq_queued(oq) ||
	       READ_ONCE(tp->write_seq) != READ_ONCE(tp->snd_una);
}

/* Note what the peer has acknowledged, and whether it has all there is. */
static void svc_outq_look(struct svc_outq *oq)
{
	u32 acked_seq = READ_ONCE(tcp_sk(oq->sk)->snd_una);

	if (acked_seq != READ_ONCE(oq->acked_seq)) {
		WRITE_ONCE(oq->acked_seq, acked_seq);
		WRITE_ONCE(oq->acked_at, jiffies);
		WRITE_ONCE(oq->waiting_since, jiffies);
	} else if (!svc_outq_has_unacked(oq)) {
		WRITE_ONCE(oq->waiting_since, jiffies);
	}
}

/* For how long, in jiffies, something has waited and nothing was taken. */
unsigned long svc_outq_stalled_for(struct svc_outq *oq)
{
	svc_outq_look(oq);
	return jiffies - READ_ONCE(oq->waiting_since);
}

/* Jiffies since the peer was last seen to take something. */
unsigned long svc_outq_idle_for(struct svc_outq *oq)
{
	svc_outq_look(oq);
	return jiffies - READ_ONCE(oq->acked_at);
}

/**
 * svc_outq_watch - see to it that a stalled peer is noticed
 * @oq: output queue of a connection that something waits for
 *
 * Does nothing if it is being watched already.
 *
 * Context: any, also softirq with the socket's spinlock held
 */
void svc_outq_watch(struct svc_outq *oq)
{
	struct svc_xprt *xprt = svc_outq_xprt(oq);

	if (delayed_work_pending(&oq->work))
		return;
	svc_outq_look(oq);
	svc_xprt_get(xprt);
	if (!queue_delayed_work(svc_outq_wq, &oq->work, SVC_OUTQ_STALL_TO))
		svc_xprt_put(xprt);
}

/**
 * svc_outq_write_space - the peer acknowledged something
 * @oq: output queue of the connection
 *
 * Context: sk_write_space(): softirq, or with the socket's lock held
 */
void svc_outq_write_space(struct svc_outq *oq)
{
	if (!oq->sk)
		return;
	svc_outq_look(oq);
	if (!svc_outq_queued(oq) || !svc_outq_has_room(oq->sk))
		return;
	svc_outq_schedule(oq, 0);
}

/* What was cut short cannot be continued: nothing is sent after it. */
static void svc_outq_break(struct svc_outq *oq)
{
	oq->broken = true;
	svc_outq_release(oq);
}

/*
 * Neither the socket nor the queue takes the message: sleep, as sendmsg()
 * would, until one of them does. The caller has found that neither did.
 */
static int svc_outq_send_slowly(struct svc_outq *oq, struct bio_vec *bvec,
				unsigned int count, size_t len)
{
	unsigned long needed = 2 * svc_outq_msg_bytes(bvec, count);
	unsigned long max = svc_outq_max();
	unsigned int first = 0;
	int ret;

	trace_svc_outq_full(svc_outq_xprt(oq), oq->queued_bytes, oq->since);
	svc_outq_watch(oq);
	do {
		if (READ_ONCE(oq->evicted) ||
		    svc_outq_stalled_for(oq) >= SVC_OUTQ_STALL_TO)
			return -ETIMEDOUT;
		svc_outq_make_room(oq, max - min(max, needed));
		schedule_timeout_idle(1);
		ret = svc_outq_push(oq);
		if (ret)
			return ret;
		if (!oq->queued_bytes) {
			ret = svc_outq_sendmsg(oq, bvec + first, count - first,
					       len);
			if (ret < 0 && ret != -EAGAIN)
				return ret;
			ret = max(ret, 0);
			first = svc_outq_skip(bvec, first, ret);
			len -= ret;
		}
	} while (len && !svc_outq_add(oq, bvec + first, count - first, len));
	return svc_outq_push(oq);
}

/* Send or queue a message; returns 0 or a negative errno. */
static int svc_outq_try_send(struct svc_outq *oq, struct bio_vec *bvec,
			     unsigned int count, size_t len, bool may_sleep)
{
	bool was_empty = !oq->queued_bytes;
	unsigned int first = 0;
	size_t left = len;
	int ret;

	svc_outq_look(oq);
	if (was_empty) {
		ret = svc_outq_sendmsg(oq, bvec, count, len);
		if (ret == len)
			return 0;
		if (ret < 0 && ret != -EAGAIN)
			return ret;
		left -= max(ret, 0);
		first = svc_outq_skip(bvec, 0, len - left);
	}
	if (!svc_outq_add(oq, bvec + first, count - first, left)) {
		if (!may_sleep && left == len)
			return -ENOBUFS;
		return svc_outq_send_slowly(oq, bvec + first, count - first,
					    left);
	}
	if (!was_empty && !svc_outq_has_room(oq->sk))
		return 0;
	ret = svc_outq_push(oq);
	svc_xprt_enqueue(svc_outq_xprt(oq));
	return ret;
}

/**
 * svc_outq_send - send a message or queue it
 * @oq: output queue of the connection
 * @bvec: the message. Its pages must not change any more, and the array is
 *	used up.
 * @count: segments in @bvec
 * @len: bytes in @bvec
 *
 * Context: process context, xpt_mutex held. Sleeps only if the bounds on
 *	memory are reached or no memory can be had.
 * Returns: 0, or a negative errno: then nothing can be sent on the connection
 *	any more, and the caller has to close it
 */
int svc_outq_send(struct svc_outq *oq, struct bio_vec *bvec,
		  unsigned int count, size_t len)
{
	int ret = oq->broken ? -ENOTCONN :
		  svc_outq_try_send(oq, bvec, count, len, true);

	if (ret)
		svc_outq_break(oq);
	return ret;
}

static void svc_outq_close(struct svc_outq *oq, int err)
{
	struct svc_xprt *xprt = svc_outq_xprt(oq);

	if (err == -ETIMEDOUT)
		trace_svc_outq_stalled(xprt, oq->queued_bytes, oq->since);
	pr_notice_ratelimited("rpc-srv/tcp: %s: got error %d when sending %zu queued bytes - shutting down socket\n",
			      xprt->xpt_server->sv_name, err,
			      oq->queued_bytes);
	svc_outq_break(oq);
	svc_xprt_deferred_close(xprt);
}

/**
 * svc_outq_send_copy - send a copy of a message or queue it
 * @oq: output queue of the connection
 * @xdr: the message, in memory that the caller frees
 * @marker: its record marker
 *
 * For callbacks, which are small. Does not sleep for room.
 *
 * Context: process context, xpt_mutex held
 * Returns: 0; -ENOMEM or -ENOBUFS if the message can be tried again later;
 *	-ENOTCONN if the connection is lost
 */
int svc_outq_send_copy(struct svc_outq *oq, const struct xdr_buf *xdr,
		       __be32 marker)
{
	size_t len = sizeof(marker) + xdr->len;
	struct bio_vec bvec;
	struct page *page;
	int err;

	if (oq->broken)
		return -ENOTCONN;
	page = alloc_pages(GFP_KERNEL | __GFP_COMP | __GFP_NORETRY |
			   __GFP_NOWARN, get_order(len));
	if (!page)
		return -ENOMEM;
	memcpy(page_address(page), &marker, sizeof(marker));
	err = read_bytes_from_xdr_buf(xdr, 0,
				      page_address(page) + sizeof(marker),
				      xdr->len);
	if (!err) {
		bvec_set_page(&bvec, page, len, 0);
		err = svc_outq_try_send(oq, &bvec, 1, len, false);
	}
	put_page(page);
	if (err && err != -ENOBUFS) {
		svc_outq_close(oq, err);
		err = -ENOTCONN;
	}
	return err;
}

/* What is wrong with the connection, if anything. */
static int svc_outq_check(struct svc_outq *oq)
{
	int err = svc_outq_push(oq);
	unsigned long stalled;

	if (err)
		return err;
	if (READ_ONCE(oq->evicted))
		return -ENOBUFS;
	if (READ_ONCE(oq->wants_budget)) {
		WRITE_ONCE(oq->wants_budget, false);
		svc_outq_make_room(oq, svc_outq_max() / 2);
	}
	if (!svc_outq_has_unacked(oq))
		return 0;
	stalled = svc_outq_stalled_for(oq);
	if (stalled >= SVC_OUTQ_STALL_TO)
		return -ETIMEDOUT;
	if (!delayed_work_pending(&oq->work))
		svc_outq_schedule(oq, SVC_OUTQ_STALL_TO - stalled);
	return 0;
}

static void svc_outq_work(struct work_struct *work)
{
	struct svc_outq *oq = container_of(to_delayed_work(work),
					   struct svc_outq, work);
	struct svc_xprt *xprt = svc_outq_xprt(oq);
	unsigned int nofs = memalloc_nofs_save();
	bool dead;
	int err;

	mutex_lock(&xprt->xpt_mutex);
	dead = svc_xprt_is_dead(xprt) || oq->broken;
	if (!dead) {
		err = svc_outq_check(oq);
		if (err)
			svc_outq_close(oq, err);
	}
	mutex_unlock(&xprt->xpt_mutex);
	memalloc_nofs_restore(nofs);

	/* Another request may be taken now. */
	if (!dead)
		svc_xprt_enqueue(xprt);
	svc_xprt_put(xprt);
}

/**
 * svc_outq_init - prepare the queue of a connection
 * @oq: the queue
 * @sk: its TCP socket
 *
 * Context: before the socket's callbacks can reach the transport
 */
void svc_outq_init(struct svc_outq *oq, struct sock *sk)
{
	INIT_LIST_HEAD(&oq->msgs);
	INIT_LIST_HEAD(&oq->node);
	INIT_DELAYED_WORK(&oq->work, svc_outq_work);
	oq->sk = sk;
	oq->acked_seq = tcp_sk(sk)->snd_una;
	oq->acked_at = jiffies - SVC_OUTQ_STALL_TO;
	oq->waiting_since = jiffies;
}

/**
 * svc_outq_detach - drop what is queued
 * @oq: output queue of a connection that is XPT_DEAD and shut down
 *
 * A work item that is started even now holds a reference and finds XPT_DEAD.
 *
 * Context: process context, takes xpt_mutex
 */
void svc_outq_detach(struct svc_outq *oq)
{
	struct svc_xprt *xprt = svc_outq_xprt(oq);

	if (cancel_delayed_work_sync(&oq->work))
		svc_xprt_put(xprt);
	mutex_lock(&xprt->xpt_mutex);
	svc_outq_break(oq);
	mutex_unlock(&xprt->xpt_mutex);
}

/**
 * svc_outq_register - prepare for the first queue
 *
 * Returns: 0 or a negative errno
 */
int svc_outq_register(void)
{
	int err;

	svc_outq_wq = alloc_workqueue("svc_outq",
				      WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!svc_outq_wq)
		return -ENOMEM;
	svc_outq_budget_init();
	err = svc_outq_proc_register();
	if (err)
		destroy_workqueue(svc_outq_wq);
	return err;
}

/**
 * svc_outq_unregister - undo svc_outq_register()
 */
void svc_outq_unregister(void)
{
	svc_outq_proc_unregister();
	destroy_workqueue(svc_outq_wq);
}
