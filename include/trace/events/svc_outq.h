/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace events of the output queues of RPC servers' TCP connections.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM svc_outq

#if !defined(_TRACE_SVC_OUTQ_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SVC_OUTQ_H

#include <linux/jiffies.h>
#include <linux/tracepoint.h>

#include <linux/sunrpc/svc_xprt.h>

#include <net/net_namespace.h>

/* queued: bytes that the socket has not taken; ms: since when there are any */
DECLARE_EVENT_CLASS(svc_outq,
		    TP_PROTO(const struct svc_xprt *xprt, size_t queued,
			     unsigned long since),
		    TP_ARGS(xprt, queued, since),
		    TP_STRUCT__entry(__sockaddr(client, xprt->xpt_remotelen)
				     __field(unsigned int, netns_ino)
				     __field(size_t, queued)
				     __field(unsigned int, ms)),
		    TP_fast_assign(__assign_sockaddr(client, &xprt->xpt_remote,
						     xprt->xpt_remotelen);
				   __entry->netns_ino = xprt->xpt_net->ns.inum;
				   __entry->queued = queued;
				   __entry->ms =
					jiffies_to_msecs(jiffies - since);
		    ),
		    TP_printk("client=%pISpc netns=%u queued=%zu ms=%u",
			      __get_sockaddr(client), __entry->netns_ino,
			      __entry->queued, __entry->ms)
);

#define DEFINE_SVC_OUTQ_EVENT(name) \
	DEFINE_EVENT(svc_outq, svc_outq_##name, \
		     TP_PROTO(const struct svc_xprt *xprt, size_t queued, \
			      unsigned long since), \
		     TP_ARGS(xprt, queued, since))

/* A message was queued, and the queue became empty. */
DEFINE_SVC_OUTQ_EVENT(queued);
DEFINE_SVC_OUTQ_EVENT(drained);

/* No memory, or a bound on it: the sender sleeps. */
DEFINE_SVC_OUTQ_EVENT(full);

/* The connection is closed: the peer took nothing for 30 s, or memory is short. */
DEFINE_SVC_OUTQ_EVENT(stalled);
DEFINE_SVC_OUTQ_EVENT(evict);

#endif /* _TRACE_SVC_OUTQ_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
