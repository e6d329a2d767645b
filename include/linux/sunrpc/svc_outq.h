/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output queue of an RPC server's TCP connection.
 */
#ifndef _LINUX_SUNRPC_SVC_OUTQ_H
#define _LINUX_SUNRPC_SVC_OUTQ_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct bio_vec;
struct sock;
struct svc_outq_client;
struct xdr_buf;

/**
 * struct svc_outq - messages that the socket has not taken yet
 * @sk: the TCP socket; NULL for a transport that has no queue
 * @msgs: struct svc_outq_msg in the order in which they are to be sent
 * @queued_bytes: what @msgs have left to send
 * @charged_bytes: memory that @msgs pin
 * @client: what the connections of this client's address have charged
 * @node: in the list of all queues that are not empty
 * @since: jiffies when the queue last became non-empty
 * @acked_seq: snd_una of the socket at @acked_at
 * @acked_at: jiffies when the peer was last seen to acknowledge something
 * @waiting_since: the same, or when it last had everything
 * @broken: a message was cut short, nothing may be sent after it
 * @evicted: memory is short and the peer takes nothing: close the connection
 * @wants_budget: a request is not taken for want of memory
 * @work: sends what is queued, and closes the connection of a stalled peer;
 *	while it is pending it holds a reference to the transport
 *
 * xpt_mutex protects all members but these, which are read locklessly:
 * @queued_bytes, @charged_bytes, @client, @acked_seq, @acked_at, @waiting_since,
 * @evicted and @wants_budget.
 */
struct svc_outq {
	struct sock		*sk;
	struct list_head	msgs;
	size_t			queued_bytes;
	size_t			charged_bytes;
	struct svc_outq_client	*client;
	struct list_head	node;
	unsigned long		since;
	u32			acked_seq;
	unsigned long		acked_at;
	unsigned long		waiting_since;
	bool			broken;
	bool			evicted;
	bool			wants_budget;
	struct delayed_work	work;
};

int svc_outq_register(void);
void svc_outq_unregister(void);

void svc_outq_init(struct svc_outq *oq, struct sock *sk);
void svc_outq_detach(struct svc_outq *oq);
void svc_outq_destroy(struct svc_outq *oq);
int svc_outq_send(struct svc_outq *oq, struct bio_vec *bvec,
		  unsigned int count, size_t len);
int svc_outq_send_copy(struct svc_outq *oq, const struct xdr_buf *xdr,
		       __be32 marker);
void svc_outq_write_space(struct svc_outq *oq);
void svc_outq_watch(struct svc_outq *oq);
bool svc_outq_has_budget(struct svc_outq *oq);

/**
 * svc_outq_queued - bytes that wait for room in the socket
 * @oq: output queue of the connection
 *
 * Context: any; takes no lock
 */
static inline size_t svc_outq_queued(const struct svc_outq *oq)
{
	return READ_ONCE(oq->queued_bytes);
}

#endif /* _LINUX_SUNRPC_SVC_OUTQ_H */
