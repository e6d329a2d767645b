/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A virtual world for model and policy: hosts with a kernel's limits, paths,
 * TCP connections as a fluid, and a clock that costs nothing.
 */
#ifndef TCPTUNED_SIM_H
#define TCPTUNED_SIM_H

#include "../../model/minmax.h"
#include "../../model/model.h"
#include "../../policy/policy.h"

#define SIM_TICK_US	10000ULL
#define SIM_POLL_US	250000ULL
#define SIM_MAX_FLOWS	1100
#define SIM_MAX_PATHS	1100

/* What an application does in one direction. */
enum sim_app {
	SIM_IDLE,
	SIM_BULK,	/* always has more to send */
	SIM_READ,	/* asks for as much as the read-ahead at open() allows */
	SIM_MODEST,	/* a quarter of the path's rate */
	SIM_TRICKLE,	/* a thousandth of the path's rate */
};

/* A kernel as it boots. */
struct sim_kernel {
	const char	*name;
	bool		series;
	u64		rmem2_bytes;
	u64		wmem2_bytes;
	u64		core_max_bytes;
	double		rcv_share;	/* payload of sk_rcvbuf */
	bool		tells_window;	/* tcpi_rcv_wnd, since 6.2 */
	bool		hides_sndbuf;	/* a writer that waits looks idle */
};

extern const struct sim_kernel sim_linux_7_2, sim_linux_6_1, sim_stock_6_1;

struct sim_path {
	u64	rate_bps;	/* of the bottleneck, payload and headers */
	u32	rtt_us;
	u64	link_bps;	/* what the hosts' links claim, 0: unknown */
	u64	queue_bytes;	/* of the bottleneck; 0: never drops */
	double	loss;		/* of packets */
};

/* One direction of a connection; index TT_OUT is server to client. */
struct sim_dir {
	enum sim_app	app;
	double		cwnd_bytes;
	double		flight_bytes;
	double		rate_bps;	/* payload */
	double		max_cwnd_bytes;	/* before the last loss; 0: none yet */
	double		queue_us;
	u64		sndbuf_bytes;
	u64		rcvbuf_bytes;
	u64		window_max_bytes;
	u64		read_ahead_bytes;
	double		delivered_bytes;
	double		held_bytes;	/* arrived behind a hole */
	u64		hole_us;	/* until the hole is filled */
	u64		busy_us;
	u64		rwnd_us;
	u64		sndbuf_us;
	u64		idle_us;
	bool		app_limited;
};

struct sim_flow {
	struct sim_path	*path;
	struct sim_host	*client;
	u32		peer;		/* last bytes of the client's address */
	bool		open;
	struct minmax	min_rtt;
	u32		min_rtt_us;
	u32		rtt_us;
	struct sim_dir	dirs[TT_DIRS];
};

struct sim_host {
	const struct sim_kernel	*kernel;
	enum tt_role		role;
	struct tt_conf		conf;
	struct tt_host		host;
	struct tt_setting	settings[TT_TUNABLES];
	struct model		*model;
	u32			writes[TT_TUNABLES];
	const char		*fault;		/* of the daemon, if any */
};

struct sim {
	u64		now_us;
	struct sim_host	server;
	struct sim_host	client;		/* all clients are of one kind */
	struct sim_path	paths[SIM_MAX_PATHS];
	struct sim_flow	flows[SIM_MAX_FLOWS];
	size_t		nflows;
	double		noise;		/* of rates, 0.1 is ten percent */
	u64		seed;
};

/* A world with a server. */
void sim_init(struct sim *sim, const struct sim_kernel *kernel);
void sim_free(struct sim *sim);

/* Mounts: a connection over a path of its own. */
struct sim_flow *sim_mount(struct sim *sim, u64 rate_bps, u32 rtt_us,
			   u64 link_bps);

/* Open a file and read it; write; or stop. */
void sim_read(struct sim *sim, struct sim_flow *flow);
void sim_write(struct sim_flow *flow);
void sim_stop(struct sim_flow *flow);

/* Let time pass. */
void sim_run(struct sim *sim, u64 us);

/* A host's daemon looks, decides and writes. */
void sim_look(struct sim *sim, struct sim_host *host);

/* How many payload bits per second the path can carry. */
double sim_limit_bps(const struct sim_path *path);

/* Payload that fills the path. */
double sim_bdp_bytes(const struct sim_path *path);

struct tt_setting *sim_setting(struct sim_host *host, enum tt_tunable id);

#endif /* TCPTUNED_SIM_H */
