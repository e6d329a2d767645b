// SPDX-License-Identifier: GPL-2.0
/*
 * Eight hours: every quarter of an hour a path's RTT changes, a client that was
 * never seen comes and the last one goes; packets get lost all the time.
 */
#include <malloc.h>

#include "scene.h"

#define QUARTERS	32
#define QUARTER_S	900

/* In how many seconds values follow, and for how long writes are counted. */
#define FOLLOW_S	60
#define BURST_S		10

/*
 * Writes of a tunable in BURST_S, and all that come late in a quarter: that a
 * path became shorter is only seen when the queue before its bottleneck has
 * drained. Where nothing changes, nothing is written, see grid_test.c.
 */
#define BURST_WRITES	1
#define LATE_WRITES	4

/* Heap of the daemon, in bytes, that all those clients may cost. */
#define GROWTH_BYTES	(64 << 10)

struct day {
	struct sim	*sim;
	struct sim_flow	*guest;		/* the client that came last */
	u32		recent[BURST_S][2 * TT_TUNABLES];
	u32		most;		/* writes of a tunable in BURST_S */
	u32		late;		/* writes after FOLLOW_S of a quarter */
	int		follow_s;	/* latest write before that */
	u32		second;
};

static u32 writes_of(const struct sim *sim, int i)
{
	return i < TT_TUNABLES ? sim->server.writes[i] :
				 sim->client.writes[i - TT_TUNABLES];
}

/* A second; returns what was written in it. */
static u32 tick(struct day *day)
{
	u32 *then = day->recent[day->second++ % BURST_S];
	u32 before = all_writes(day->sim);

	sim_run(day->sim, SECOND_US);
	for (int i = 0; i < 2 * TT_TUNABLES; i++) {
		u32 now = writes_of(day->sim, i);

		if (now - then[i] > day->most)
			day->most = now - then[i];
		then[i] = now;
	}
	return all_writes(day->sim) - before;
}

static void visit(struct day *day)
{
	if (day->guest)
		day->guest->open = false;
	day->guest = sim_mount(day->sim, GBIT, 80000, LINK_BPS);
	sim_write(day->guest);
}

static void quarter(struct day *day, struct sim_flow *flow, int number)
{
	static const u32 rtts_us[] = { 30000, 50000, 90000, 20000 };
	u32 late = 0;

	flow->path->rtt_us = rtts_us[number % 4];
	if (number % 5)
		sim_write(flow);
	else
		sim_stop(flow);
	visit(day);
	for (int i = 0; i < QUARTER_S; i++) {
		u32 writes = tick(day);

		if (writes && i < FOLLOW_S && i + 1 > day->follow_s)
			day->follow_s = i + 1;
		if (i >= FOLLOW_S)
			late += writes;
	}
	EXPECT(late <= LATE_WRITES, "%u writes, number %d",
	       late, number);
	day->late += late;
}

static size_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

int main(void)
{
	static const char name[] = "eight hours";
	struct day day = { .sim = start(&sim_linux_7_2) };
	struct sim *sim = day.sim;
	struct sim_flow *flow = sim_mount(sim, GBIT, 30000, LINK_BPS);
	size_t heap = 0;

	flow->path->queue_bytes = 4 << 20;
	flow->path->loss = 0.000001;
	sim->noise = 0.1;
	for (int i = 0; i < QUARTERS; i++) {
		quarter(&day, flow, i);
		if (!i)
			heap = heap_bytes();
	}
	heap = heap_bytes() - heap;
	EXPECT(day.most <= BURST_WRITES, "%u writes of a tunable in %d s", day.most,
	       BURST_S);
	EXPECT(all_writes(sim) <= 5 * QUARTERS, "%u writes", all_writes(sim));
	EXPECT(heap <= GROWTH_BYTES, "%zu bytes more", heap);
	EXPECT(value(&sim->server, TT_SRV_RCVBUF) <=
	       4 * sim_bdp_bytes(day.guest->path), "%llu bytes",
	       value(&sim->server, TT_SRV_RCVBUF));
	test_figure(name, "writes", all_writes(sim));
	test_figure(name, "late_writes", day.late);
	test_figure(name, "most_writes_of_a_tunable_in_10_s", day.most);
	test_figure(name, "follow_s", day.follow_s);
	test_figure(name, "heap_growth_bytes", heap);
	finish(sim, name);
	return test_result();
}
