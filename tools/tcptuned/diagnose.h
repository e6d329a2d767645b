/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diagnose: what keeps a path slow. Pure: no system call, no clock.
 */
#ifndef TCPTUNED_DIAGNOSE_H
#define TCPTUNED_DIAGNOSE_H

#include "types.h"

/**
 * struct diagnose_host - the machine; what is 0 is not known
 * @has_sunrpc_tcpbuf: as in struct tt_host
 * @rmem_max_bytes: net.core.rmem_max
 * @budget_bytes: what the configuration and tcp_mem allow all buffers
 * @has_lossy: so is tcp_lossy_congestion_control
 * @slots: nfs.max_session_slots
 * @congestion_kb: fs.nfs.nfs_congestion_kb
 * @threads: of nfsd
 * @queued: requests that nfsd got while this was watched
 * @woken: of these, those that found an idle thread
 */
struct diagnose_host {
	bool	has_sunrpc_tcpbuf;
	u64	rmem_max_bytes;
	u64	budget_bytes;
	bool	has_lossy;
	u64	slots;
	u64	congestion_kb;
	u64	threads;
	u64	queued;
	u64	woken;
};

/**
 * struct diagnose_path - a path, and what the model does not keep of it
 * @path: from model_paths()
 * @conn: of its connections the one that moved most
 * @mount: of its mounts the one with the least read-ahead, or NULL
 */
struct diagnose_path {
	const struct tt_path	*path;
	const struct tt_conn	*conn;
	const struct tt_mount	*mount;
};

/**
 * struct diagnose_finding - what keeps a path slow
 * @path: which
 * @cause: in a few words
 * @figure: what shows it
 * @fix: the command; a line of more follows indented by four
 * @now_bps: at most this without the command
 * @then_bps: at most this with it
 */
struct diagnose_finding {
	const struct tt_path	*path;
	const char		*cause;
	char			figure[320];
	char			fix[200];
	u64			now_bps;
	u64			then_bps;
};

/* More than one path can have. */
#define DIAGNOSE_MOST 32

/**
 * diagnose - what keeps a path slow
 * @host: the machine
 * @on: the path; its RTT and a connection have to be known
 * @findings: is filled, in no order
 *
 * Returns: how many there are
 */
size_t diagnose(const struct diagnose_host *host,
		const struct diagnose_path *on,
		struct diagnose_finding findings[DIAGNOSE_MOST]);

#endif /* TCPTUNED_DIAGNOSE_H */
