/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output queue of an RPC server's TCP connection: what its files share.
 */
#ifndef _NET_SUNRPC_SVC_OUTQ_H
#define _NET_SUNRPC_SVC_OUTQ_H

#include <linux/container_of.h>
#include <linux/spinlock.h>

#include <linux/sunrpc/svc_outq.h>
#include <linux/sunrpc/svcsock.h>

static inline struct svc_sock *svc_outq_svsk(struct svc_outq *oq)
{
	return container_of(oq, struct svc_sock, sk_outq);
}

static inline struct svc_xprt *svc_outq_xprt(struct svc_outq *oq)
{
	return &svc_outq_svsk(oq)->sk_xprt;
}

/* svc_outq.c */
unsigned long svc_outq_stalled_for(struct svc_outq *oq);
unsigned long svc_outq_idle_for(struct svc_outq *oq);
void svc_outq_schedule(struct svc_outq *oq, unsigned long delay);

/* svc_outq_msg.c */
bool svc_outq_has_room(const struct sock *sk);
int svc_outq_sendmsg(struct svc_outq *oq, const struct bio_vec *bvec,
		     unsigned int count, size_t len);
unsigned int svc_outq_skip(struct bio_vec *bvec, unsigned int first,
			   size_t bytes);
size_t svc_outq_msg_bytes(const struct bio_vec *bvec, unsigned int count);
bool svc_outq_add(struct svc_outq *oq, const struct bio_vec *bvec,
		  unsigned int count, size_t len);
int svc_outq_push(struct svc_outq *oq);
void svc_outq_release(struct svc_outq *oq);

/* svc_outq_budget.c */
void svc_outq_budget_init(void);
bool svc_outq_charge(struct svc_outq *oq, size_t bytes);
void svc_outq_uncharge(struct svc_outq *oq, size_t bytes);
void svc_outq_list(struct svc_outq *oq);
void svc_outq_unlist(struct svc_outq *oq);
void svc_outq_make_room(struct svc_outq *oq, unsigned long max);
unsigned long svc_outq_charged(void);
unsigned long svc_outq_max(void);
extern spinlock_t svc_outq_lock;
extern struct list_head svc_outq_queues;

/* svc_outq_proc.c */
#ifdef CONFIG_PROC_FS
int svc_outq_proc_register(void);
void svc_outq_proc_unregister(void);
#else
static inline int svc_outq_proc_register(void) { return 0; }
static inline void svc_outq_proc_unregister(void) { }
#endif

#endif /* _NET_SUNRPC_SVC_OUTQ_H */
