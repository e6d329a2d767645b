// SPDX-License-Identifier: GPL-2.0
/* The status for people: rows, values, and what is known of one peer. */
#include <errno.h>

#include "../status.h"

/* Takes the colour out of a text. */
static char *plain(const char *text)
{
	static char copy[1 << 18];
	char *to = copy;

	for (; *text; text++) {
		if (*text == '\033')
			text = strchr(text, 'm');
		else
			*to++ = *text;
	}
	*to = '\0';
	return copy;
}

static size_t widest(const char *text)
{
	size_t most = 0, len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		most = len > most ? len : most;
	}
	return most;
}

static void test_print(void)
{
	static const char * const yellow[] = {
		"a problem\n", "peer window", "left alone: no permission",
	};
	char colored[80];
	static const char * const parts[] = {
		"process 4711", "20.0M of 3.0G", "with sunrpc-tcpbuf",
		"a problem", "peer    role    rtt   now  best  window     set limited by\n",
		"2001:db8:1111:2222:3333:4444:5555:1000\n",
		"     server>  120ms 9.41G 9.41G  137.0M    4.0M peer window\n",
		"net.core.rmem_max = 4194304, was 212992\n",
		"    new connections then agree on",
		"read_ahead_kb 0:45 = 128, left alone: no permission",
	};
	const char *text;

	make_paths();
	write_status();
	text = shown(false, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		EXPECT(strstr(text, parts[i]), "%s", text);
		test_end(parts[i]);
	}
	EXPECT(widest(text) <= 80, "%zu: %s", widest(text), text);
	EXPECT(!strstr(text, "sunrpc.tcp_rcvbuf"));
	EXPECT(!strchr(text, '\033'));
	test_end("no wider than a terminal, and plain unless it is one");
	text = strdup(text);
	EXPECT(strchr(shown(true, NULL), '\033'));
	EXPECT(!strcmp(plain(shown(true, NULL)), text), "%s", text);
	free((char *)text);
	test_end("the same with colour");
	for (size_t i = 0; i < ARRAY_SIZE(yellow); i++) {
		snprintf(colored, sizeof(colored), "\033[33m%s", yellow[i]);
		EXPECT(strstr(shown(true, NULL), colored), "%s", yellow[i]);
		test_end("yellow");
	}
}

/* The widest line of every kind that there can be. */
static void test_wide(void)
{
	paths[0].learned = true;
	paths[0].nconns = 65535;
	paths[0].rtt_us = 1234567;
	paths[0].link.rate_bps = 399999999999;
	paths[0].best_bps[TT_IN] = 399999999999;
	paths[0].now_bps[TT_IN] = 399999999999;
	paths[0].window_bytes[TT_IN] = 1073741823;
	paths[0].limit[TT_IN] = TT_LIMIT_RWND;
	write_status();
	EXPECT(widest(shown(false, NULL)) <= 80, "%s", shown(false, NULL));
	make_paths();
	test_end("long numbers");
}

static void test_explain(void)
{
	struct tt_addr other = { };
	const char *text;

	write_status();
	text = shown(false, &paths[0].peer);
	EXPECT(strstr(text, "120ms away, over enp0s31f6-long1, which carries"), "%s", text);
	EXPECT(widest(text) <= 80, "%zu", widest(text));
	EXPECT(peer_explain(folder_text, -1, table_rows, &other, stdout) == -ENOENT);
	test_end("the sentences of a peer");
}

/* The rows, as people see them: as wide as the widest address. */
static const struct {
	const char	*name;
	struct tt_path	path;
	const char	*row;
} rows[] = {
	{ "a reader of this host", { .role = TT_CLIENT, .nconns = 1,
	    .rtt_us = 30000, .best_bps = { 1000, 468000000 },
	    .now_bps = { 1000, 457000000 }, .window_bytes = { 0, 3460300 },
	    .limit = { 0, TT_LIMIT_READ_AHEAD } },
	  "10.0.0.1 client<   30ms  457M  468M    3.3M       - read-ahead\n" },
	{ "the window of this end", { .role = TT_SERVER, .nconns = 1,
	    .rtt_us = 200, .now_bps = { 0, 8000 }, .best_bps = { 0, 8000 },
	    .limit = { 0, TT_LIMIT_RWND } },
	  "10.0.0.1 server<  200us    8K    8K       -       - own window\n" },
	{ "nothing moved yet", { .role = TT_SERVER, .nconns = 1 },
	  "10.0.0.1 server>      -     -     -       -    4.0M unknown\n" },
	{ "learned", { .role = TT_SERVER, .learned = true, .rtt_us = 1000,
	    .best_bps = { 8000 }, .limit = { TT_LIMIT_RWND } },
	  "10.0.0.1 server>    1ms     -    8K       -    4.0M unconnected\n" },
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		paths[0] = rows[i].path;
		units_parse_addr("10.0.0.1", &paths[0].peer);
		write_status();
		EXPECT(strstr(shown(false, NULL), rows[i].row), "%s",
		       shown(false, NULL));
		test_end(rows[i].name);
	}
	make_paths();
}

static size_t count_rows(const char *text)
{
	size_t n = 0;

	while ((text = strstr(text, "\n10."))) {
		text++;
		n++;
	}
	return n;
}

static void make_crowd(void)
{
	char peer[32];

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		paths[i] = (struct tt_path) {
			.nconns = 1, .rtt_us = 1000,
			.now_bps = { 1000 * i }, .best_bps = { 1000 * i },
			.limit = { TT_LIMIT_APPLICATION },
		};
		snprintf(peer, sizeof(peer), "10.0.%zu.%zu", i / 100, i % 100);
		units_parse_addr(peer, &paths[i].peer);
	}
	paths[7].limit[TT_OUT] = TT_LIMIT_SNDBUF;
	paths[8].limit[TT_OUT] = TT_LIMIT_CONGESTION;
}

static void test_many(void)
{
	const char *text;

	make_crowd();
	input.npaths = ARRAY_SIZE(paths);
	EXPECT(strlen(write_status()) < STATUS_LARGEST_BYTES);
	text = shown(false, NULL);
	EXPECT_EQ(count_rows(text), 40);
	EXPECT(strstr(text, "and 260 more; --all"), "%s", text);
	EXPECT(widest(text) <= 80, "%zu", widest(text));
	text = strchr(strstr(text, "limited by"), '\n');
	EXPECT(!strncmp(text + 1, "10.0.0.7 ", 9), "%s", text);
	text = strchr(text + 1, '\n');
	EXPECT(!strncmp(text + 1, "10.0.0.8 ", 9), "%s", text);
	text = strchr(text + 1, '\n');
	EXPECT(!strncmp(text + 1, "10.0.2.99 ", 10), "%s", text);
	test_end("the worst first, then the busiest, and a count of the others");

	all = true;
	text = shown(false, NULL);
	EXPECT_EQ(count_rows(text), 200);
	EXPECT(strstr(text, "and 100 more; \"tcptuned explain PEER\""), "%s",
	       text);
	all = false;
	test_end("all that there is room for");

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		text = shown(false, &paths[i].peer);
		EXPECT(strstr(text, "is 1ms away"), "peer %zu: %s", i, text);
	}
	test_end("each of them is explained");

	folder_put("paths", "tcptuned-1 is not this");
	EXPECT(!*shown(false, &paths[0].peer));
	paths[0].role = TT_ROLES;
	paths[1].limit[TT_IN] = -1;
	memset(paths[2].link.name, 'x', sizeof(paths[2].link.name));
	paths[3].link.source = 99;
	for (size_t i = 0; i < 4; i++) {
		int dir = file_dir(folder, false);

		paths_write(dir, &paths[i], 1);
		close(dir);
		EXPECT(!*shown(false, &paths[i].peer), "%zu explained", i);
	}
	test_end("a file that is damaged harms nobody");

	input.npaths = 1;
	make_paths();
	write_status();
	EXPECT(!folder_has("paths"));
	test_end("the file goes when there is room for all");
}

int main(void)
{
	prepare();
	test_print();
	test_wide();
	test_explain();
	test_rows();
	test_many();
	folder_remove();
	return test_result();
}
