// SPDX-License-Identifier: GPL-2.0
/*
 * The messages in the output queue of an RPC server's TCP connection.
 *
 * An entry holds what the socket has not taken of a message, and a reference
 * to each of its pages. A service thread drops its own references when it is
 * done with a request and takes new pages for the next one, so what is queued
 * does not change.
 */
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include <net/sock.h>

#include <trace/events/svc_outq.h>

#include "svc_outq.h"

/* When to try again where TCP is short of memory, not of buffer. */
#define SVC_OUTQ_RETRY		max(HZ / 20, 1)

/**
 * struct svc_outq_msg - what is left of a message
 * @list: in the queue's msgs
 * @left_bytes: what the socket has not taken yet
 * @charged_bytes: memory that the message pins
 * @first: index of the segment that @left_bytes begin in
 * @count: number of segments
 * @bvec: the segments; a reference is held to the page of each from @first on
 */
struct svc_outq_msg {
	struct list_head	list;
	size_t			left_bytes;
	size_t			charged_bytes;
	unsigned int		first;
	unsigned int		count;
	struct bio_vec		bvec[];
};

/*
 * Whether sending is worthwhile. A sleeping sender is woken when a third of
 * the buffer is free. An eighth keeps a path busy that holds all of it.
 */
bool svc_outq_has_room(const struct sock *sk)
{
	return sk_stream_wspace(sk) >= READ_ONCE(sk->sk_sndbuf) / 8 &&
	       sk_stream_memory_free(sk);
}

/*
 * Returns what sendmsg() does: the bytes that the socket took, or -EAGAIN.
 *
 * MSG_SPLICE_PAGES: the pages behind @bvec belong to the socket, too, until
 * the peer has acknowledged them. They must not change.
 */
int svc_outq_sendmsg(struct svc_outq *oq, const struct bio_vec *bvec,
		     unsigned int count, size_t len)
{
	struct msghdr msg = {
		.msg_flags	= MSG_SPLICE_PAGES | MSG_DONTWAIT,
	};

	rpc_tcpbuf_sending(&svc_outq_svsk(oq)->sk_tcpbuf, oq->sk);
	iov_iter_bvec(&msg.msg_iter, ITER_SOURCE, bvec, count, len);
	return sock_sendmsg(svc_outq_svsk(oq)->sk_sock, &msg);
}

/* Skip @bytes from segment @first on; returns the segment that comes next. */
unsigned int svc_outq_skip(struct bio_vec *bvec, unsigned int first,
			   size_t bytes)
{
	while (bytes && bytes >= bvec[first].bv_len)
		bytes -= bvec[first++].bv_len;
	if (bytes) {
		bvec[first].bv_offset += bytes;
		bvec[first].bv_len -= bytes;
	}
	return first;
}

static void svc_outq_put_pages(struct svc_outq_msg *msg, unsigned int end)
{
	while (msg->first < end)
		put_page(msg->bvec[msg->first++].bv_page);
}

static void svc_outq_free(struct svc_outq *oq, struct svc_outq_msg *msg)
{
	svc_outq_put_pages(msg, msg->count);
	list_del(&msg->list);
	svc_outq_uncharge(oq, msg->charged_bytes);
	kvfree(msg);
}

static void svc_outq_sub_queued(struct svc_outq *oq, size_t bytes)
{
	WRITE_ONCE(oq->queued_bytes, oq->queued_bytes - bytes);
	if (oq->queued_bytes)
		return;
	svc_outq_unlist(oq);
	trace_svc_outq_drained(svc_outq_xprt(oq), 0, oq->since);
}

void svc_outq_release(struct svc_outq *oq)
{
	struct svc_outq_msg *msg, *next;

	if (!oq->queued_bytes)
		return;
	list_for_each_entry_safe(msg, next, &oq->msgs, list)
		svc_outq_free(oq, msg);
	svc_outq_sub_queued(oq, oq->queued_bytes);
}

static void svc_outq_took(struct svc_outq *oq, struct svc_outq_msg *msg,
			  size_t bytes)
{
	unsigned int next = svc_outq_skip(msg->bvec, msg->first, bytes);

	svc_outq_put_pages(msg, next);
	msg->left_bytes -= bytes;
	if (!msg->left_bytes)
		svc_outq_free(oq, msg);
	svc_outq_sub_queued(oq, bytes);
}

/*
 * Move the queue into the socket. Returns 0, or a negative errno after which
 * nothing may be sent any more.
 *
 * When TCP is short of memory, sendmsg() returns -EAGAIN although the buffer
 * has room, and calls sk_write_space() at once. Wait a moment then.
 */
int svc_outq_push(struct svc_outq *oq)
{
	struct svc_outq_msg *msg;
	bool again = false;
	int ret;

	while ((msg = list_first_entry_or_null(&oq->msgs, struct svc_outq_msg,
					       list))) {
		ret = svc_outq_sendmsg(oq, msg->bvec + msg->first,
				       msg->count - msg->first,
				       msg->left_bytes);
		if (ret == -EAGAIN) {
			if (!svc_outq_has_room(oq->sk))
				return 0;
			if (again) {
				svc_outq_schedule(oq, SVC_OUTQ_RETRY);
				return 0;
			}
			again = true;
			continue;
		}
		if (ret <= 0)
			return ret ? ret : -EPIPE;
		again = false;
		svc_outq_took(oq, msg, ret);
	}
	return 0;
}

/* The memory that the pages of a message take, and its entry. */
size_t svc_outq_msg_bytes(const struct bio_vec *bvec, unsigned int count)
{
	size_t bytes = sizeof(struct svc_outq_msg) + count * sizeof(*bvec);
	unsigned int i;

	for (i = 0; i < count; i++)
		bytes += PAGE_ALIGN(offset_in_page(bvec[i].bv_offset) +
				    bvec[i].bv_len);
	return bytes;
}

/* Queue a message. Returns false if memory or its bounds do not allow it. */
bool svc_outq_add(struct svc_outq *oq, const struct bio_vec *bvec,
		  unsigned int count, size_t len)
{
	size_t bytes = svc_outq_msg_bytes(bvec, count);
	struct svc_outq_msg *msg;
	unsigned int i;

	if (!svc_outq_charge(oq, bytes))
		return false;
	msg = kvmalloc(struct_size(msg, bvec, count),
		       GFP_KERNEL | __GFP_NOWARN);
	if (!msg) {
		svc_outq_uncharge(oq, bytes);
		return false;
	}
	msg->left_bytes = len;
	msg->charged_bytes = bytes;
	msg->first = 0;
	msg->count = count;
	for (i = 0; i < count; i++) {
		msg->bvec[i] = bvec[i];
		get_page(bvec[i].bv_page);
	}
	list_add_tail(&msg->list, &oq->msgs);
	if (!oq->queued_bytes) {
		oq->since = jiffies;
		svc_outq_list(oq);
	}
	WRITE_ONCE(oq->queued_bytes, oq->queued_bytes + len);
	svc_outq_watch(oq);
	trace_svc_outq_queued(svc_outq_xprt(oq), oq->queued_bytes, oq->since);
	return true;
}
