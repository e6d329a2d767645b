// SPDX-License-Identifier: GPL-2.0
/* Learned paths: what comes back, what is forgotten, what damage does. */
#include <errno.h>

#include "../../learned.h"
#include "../../units.h"
#include "../test.h"
#include "../folder.h"

#define NOW_S 1790000000ULL
#define DAY_S 86400

static char problem[300];

static struct tt_path path(const char *peer, u32 rtt_us)
{
	struct tt_path p = {
		.role = TT_CLIENT,
		.nconns = 1,
		.rtt_us = rtt_us,
		.best_bps = { 1000000000, 9000000000 },
	};

	units_parse_addr(peer, &p.peer);
	return p;
}

static void load(struct learned *learned, u64 now_s)
{
	learned_load(learned, folder, now_s, true, problem, sizeof(problem));
}

static void test_round_trip(void)
{
	struct tt_path paths[] = {
		path("10.0.0.1", 120000), path("2001:db8::1", 200),
	};
	struct learned learned;

	load(&learned, NOW_S);
	EXPECT(!learned.npaths && !*problem, "%s", problem);
	EXPECT(!learned_save(&learned, folder));
	EXPECT(!folder_has("paths.json"));
	EXPECT(!learned_update(&learned, paths, 2, NOW_S));
	EXPECT(!learned_save(&learned, folder));
	learned_free(&learned);
	load(&learned, NOW_S);
	EXPECT(learned.npaths == 2 && !*problem, "%zu", learned.npaths);
	for (size_t i = 0; i < learned.npaths; i++) {
		struct tt_path *p = &learned.paths[i].path;

		EXPECT(p->learned && p->role == TT_CLIENT &&
		       p->rtt_us == paths[i].rtt_us &&
		       p->best_bps[TT_OUT] == 1000000000 &&
		       p->best_bps[TT_IN] == 9000000000 &&
		       IN6_ARE_ADDR_EQUAL(&p->peer.in6, &paths[i].peer.in6),
		       "path %zu", i);
	}
	learned_free(&learned);
	test_end("what was saved comes back");
}

static void test_measured_only(void)
{
	struct tt_path paths[] = {
		path("10.0.0.1", 120000), path("10.0.0.2", 0),
		path("10.0.0.3", 120000), path("10.0.0.4", 120000),
		path("10.0.0.1", 90000),
	};
	struct learned learned = { };

	paths[2].learned = true;
	paths[3].nconns = 0;
	EXPECT(!learned_update(&learned, paths, 5, NOW_S));
	EXPECT_EQ(learned.npaths, 1);
	EXPECT(learned.paths[0].path.rtt_us == 90000);
	learned_free(&learned);
	test_end("only what was measured, the newest of each path");
}

static void test_age_and_number(void)
{
	struct tt_path old = path("10.1.0.1", 1), one;
	struct learned learned = { };
	char peer[32];

	learned_update(&learned, &old, 1, NOW_S);
	for (int i = 0; i < LEARNED_MAX; i++) {
		snprintf(peer, sizeof(peer), "10.2.%d.%d", i / 256, i % 256);
		one = path(peer, 2);
		learned_update(&learned, &one, 1, NOW_S + DAY_S);
	}
	EXPECT_EQ(learned.npaths, LEARNED_MAX);
	for (size_t i = 0; i < learned.npaths; i++)
		EXPECT(learned.paths[i].path.rtt_us == 2);
	EXPECT(!learned_save(&learned, folder));
	learned_free(&learned);
	load(&learned, NOW_S + 15ULL * DAY_S);
	EXPECT(learned.npaths == LEARNED_MAX && !*problem, "%zu %s",
	       learned.npaths, problem);
	learned_free(&learned);
	load(&learned, NOW_S + 16ULL * DAY_S);
	EXPECT(!learned.npaths && !*problem, "%zu", learned.npaths);
	test_end("no more than so many, and not for ever");

	one = path("10.3.0.1", 3);
	learned_update(&learned, &one, 1, NOW_S + 1000ULL * DAY_S);
	EXPECT(!learned_save(&learned, folder));
	learned_free(&learned);
	load(&learned, NOW_S);
	EXPECT(learned.npaths == 1 && learned.paths[0].seen_s == NOW_S, "%zu",
	       learned.npaths);
	learned_free(&learned);
	test_end("a clock that was wrong keeps nothing for ever");
}

#define FILE_OF(path) "{\"version\": 1, \"paths\": [{" path "}]}"
#define PATH(role, peer, rtt, rate) FILE_OF("\"role\": " role ", \"peer\": " \
	peer ", " rtt "\"out_bps\": " rate ", \"in_bps\": 0, \"seen\": 1790000000")
#define SERVER "\"server\""
#define PEER "\"10.0.0.1\""
#define RTT(us) "\"rtt_us\": " us ", "

static const struct {
	const char	*name;
	const char	*text;
	const char	*problem;	/* part of it; NULL: none */
} cases[] = {
	{ "whole", PATH(SERVER, PEER, RTT("9"), "1e9"), NULL },
	{ "empty file", "", "is damaged" },
	{ "cut off", "{\"version\": 1, \"paths\": [{", "is damaged" },
	{ "no object", "[1]", "is damaged" },
	{ "no version", "{\"paths\": []}", "is damaged" },
	{ "version 2", "{\"version\": 2}", "an unknown version" },
	{ "no RTT", PATH(SERVER, PEER, "", "1"), "is damaged" },
	{ "RTT 0", PATH(SERVER, PEER, RTT("0"), "1"), "is damaged" },
	{ "RTT of an hour", PATH(SERVER, PEER, RTT("36e8"), "1"), "is damaged" },
	{ "RTT in words", PATH(SERVER, PEER, RTT("\"9\""), "1"), "is damaged" },
	{ "rate below 0", PATH(SERVER, PEER, RTT("9"), "-1"), "is damaged" },
	{ "huge rate", PATH(SERVER, PEER, RTT("9"), "1e300"), "is damaged" },
	{ "bad peer", PATH(SERVER, "\"x\"", RTT("9"), "1"), "is damaged" },
	{ "no peer", PATH(SERVER, "7", RTT("9"), "1"), "is damaged" },
	{ "bad role", PATH("\"x\"", PEER, RTT("9"), "1"), "is damaged" },
};

static void test_damage(void)
{
	struct learned learned;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool damaged = cases[i].problem;

		unlink(folder_path("paths.json.damaged"));
		folder_put("paths.json", cases[i].text);
		load(&learned, NOW_S);
		EXPECT_EQ(learned.npaths, !damaged);
		if (damaged)
			EXPECT(strstr(problem, cases[i].problem), "%s",
			       problem);
		else
			EXPECT(!*problem, "%s", problem);
		EXPECT(folder_has("paths.json.damaged") == damaged);
		learned_free(&learned);
		test_end(cases[i].name);
	}
}

static void test_unusual_files(void)
{
	struct learned learned;

	learned_load(&learned, folder_path("none"), NOW_S, true, problem,
		     sizeof(problem));
	EXPECT(!*problem, "%s", problem);
	test_end("no folder is no problem");

	folder_put("paths.json", "garbage");
	learned_load(&learned, folder, NOW_S, false, problem, sizeof(problem));
	EXPECT(*problem && folder_has("paths.json"), "%s", problem);
	test_end("a dry run leaves damage where it is");

	unlink(folder_path("paths.json"));
	folder_put("other", "{\"version\": 1, \"paths\": []}");
	EXPECT(!symlink(folder_path("other"), folder_path("paths.json")));
	load(&learned, NOW_S);
	EXPECT(*problem);
	test_end("a symbolic link is not followed");
}

int main(void)
{
	folder_make();
	test_round_trip();
	test_measured_only();
	test_age_and_number();
	test_damage();
	test_unusual_files();
	folder_remove();
	return test_result();
}
