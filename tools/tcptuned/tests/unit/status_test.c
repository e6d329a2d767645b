// SPDX-License-Identifier: GPL-2.0
/* The status: when it is written, and what people get to see of it. */
#include <errno.h>
#include <locale.h>
#include <wchar.h>

#include "../../file.h"
#include "../../report/status.h"
#include "../../units.h"
#include "../test.h"
#include "../folder.h"

#define SECOND_US 1000000ULL

static const struct tt_row table[TT_TUNABLES] = {
	[TT_RMEM_MAX] = { .name = "net.core.rmem_max" },
	[TT_SRV_RCVBUF] = { .name = "sunrpc.tcp_rcvbuf" },
	[TT_READ_AHEAD] = { .name = "read_ahead_kb" },
};

static const struct tt_host host = {
	.ram_bytes = 1ULL << 36,
	.tcp_mem_bytes = { 1, 2, 3ULL << 30 },
	.tcp_used_bytes = 20 << 20,
	.has_sunrpc_tcpbuf = true,
};

static const struct tt_mount mount = {
	.dev = "0:45", .dir = "/mnt/with a \"quote\"",
};

static const struct tt_setting settings[] = {
	{ .target = { TT_RMEM_MAX, "" }, .value = 4194304, .original = 212992,
	  .written = true,
	  .reason.why = TT_WHY_WINDOW_SCALE },
	{ .target = { TT_SRV_RCVBUF, "" }, .off = TT_OFF_ABSENT },
	{ .target = { TT_READ_AHEAD, "0:45" }, .value = 128,
	  .off = TT_OFF_DENIED },
};

static const char * const problems[] = { NULL, "", "a problem" };

static struct tt_path paths[300];

static struct tt_decision decision;

static struct status_input input = {
	.pid = 4711,
	.host = &host,
	.paths = paths,
	.npaths = 1,
	.settings = settings,
	.nsettings = ARRAY_SIZE(settings),
	.table = table,
	.mounts = &mount,
	.nmounts = 1,
	.decision = &decision,
	.problems = problems,
	.nproblems = ARRAY_SIZE(problems),
};

static void make_paths(void)
{
	char peer[64];

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		paths[i] = (struct tt_path){
			.nconns = 16,
			.rtt_us = 120000,
			.link = { .name = "enp0s31f6-long1",
				  .rate_bps = 10000000000,
				  .source = TT_LINK_CONF },
			.best_bps = { 9412345678, 1 },
			.now_bps = { 9412345678, 1 },
			.limit = { TT_LIMIT_RWND, TT_LIMIT_APPLICATION },
			.window_bytes = { 143654912, 0 },
		};
		snprintf(peer, sizeof(peer),
			 "2001:db8:1111:2222:3333:4444:5555:%zx", 4096 + i);
		units_parse_addr(peer, &paths[i].peer);
	}
}

static void test_when(void)
{
	static const struct {
		const char	*name;
		u64		now_us;
		u32		rtt_us;
		bool		written;
	} steps[] = {
		{ "the first", 100 * SECOND_US, 1, true },
		{ "changed too soon", 100 * SECOND_US + 900000, 2, false },
		{ "changed", 101 * SECOND_US, 2, true },
		{ "not changed", 110 * SECOND_US, 2, false },
		{ "not changed for long", 131 * SECOND_US, 2, true },
		{ "not changed after that", 132 * SECOND_US, 2, false },
	};
	struct status_writer writer = { };
	int dir = file_dir(folder, false);

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		test_begin();
		unlink(folder_path(STATUS_FILE));
		paths[0].rtt_us = steps[i].rtt_us;
		input.now_us = steps[i].now_us;
		EXPECT(!status_write(&writer, dir, &input), "error");
		EXPECT(folder_has(STATUS_FILE) == steps[i].written, "file");
		test_end(steps[i].name);
	}
	free(writer.text);
	close(dir);
}

/* Writes a status and gives its text. */
static const char *write_status(void)
{
	struct status_writer writer = { };
	int dir = file_dir(folder, false);

	input.now_us = 100 * SECOND_US;
	if (status_write(&writer, dir, &input))
		perror(folder);
	free(writer.text);
	close(dir);
	return folder_get(STATUS_FILE);
}

/* What status_print() or status_explain() puts out; "" for an error. */
static const char *shown(bool color, const struct tt_addr *peer)
{
	static char text[1 << 18];
	FILE *out;
	int err;

	*text = '\0';
	out = fmemopen(text, sizeof(text), "w");
	if (peer)
		err = status_explain(folder_text, peer, out);
	else
		err = status_print(folder_text, color, out);
	fclose(out);
	return err ? "" : text;
}

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
		"a problem\n", "receiver window", "left alone: no permission",
	};
	char colored[80];
	static const char * const parts[] = {
		"process 4711", "20.0M of the 3.0G", "with sunrpc-tcpbuf",
		"a problem", "2001:db8:1111:2222:3333:4444:5555:1000",
		"16 connections, RTT 120ms", "10gbit (configuration)",
		"now 9.41gbit", "window 137.0M", "limit receiver window",
		"net.core.rmem_max = 4194304, was 212992",
		"    new connections then agree on", "does not have it",
		"read_ahead_kb 0:45 = 128", "no permission",
	};
	const char *text;

	make_paths();
	write_status();
	text = shown(false, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		test_begin();
		EXPECT(strstr(text, parts[i]), "%s", text);
		test_end(parts[i]);
	}
	test_begin();
	EXPECT(widest(text) <= 80, "%zu: %s", widest(text), text);
	EXPECT(!strchr(text, '\033'), "colour");
	test_end("no wider than a terminal, and plain unless it is one");
	test_begin();
	text = strdup(text);
	EXPECT(strchr(shown(true, NULL), '\033'), "no colour");
	EXPECT(!strcmp(plain(shown(true, NULL)), text), "%s", text);
	free((char *)text);
	test_end("the same with colour");
	for (size_t i = 0; i < ARRAY_SIZE(yellow); i++) {
		test_begin();
		snprintf(colored, sizeof(colored), "\033[33m%s", yellow[i]);
		EXPECT(strstr(shown(true, NULL), colored), "%s", yellow[i]);
		test_end("yellow");
	}
}

/* The widest line of every kind that there can be. */
static void test_wide(void)
{
	test_begin();
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

	test_begin();
	write_status();
	text = shown(false, &paths[0].peer);
	EXPECT(strstr(text, "120ms away, over enp0s31f6-long1, which carries"), "%s", text);
	EXPECT(widest(text) <= 80, "%zu", widest(text));
	EXPECT(status_explain(folder_text, &other, stdout) == -ENOENT, "found");
	test_end("the sentences of a peer");
}

static void test_many(void)
{
	const char *text;

	test_begin();
	input.npaths = 300;
	EXPECT(strlen(write_status()) < STATUS_LARGEST_BYTES, "too large");
	text = shown(false, NULL);
	EXPECT(strstr(text, "and 100 more\n"), "%s", text);
	input.npaths = 1;
	test_end("thousands of peers are not all shown");
}

static const char * const bad[] = {
	"", "{}", "[]", "{\"version\": 2}", "{\"version\": \"1\"}", "nonsense",
};

static void test_bad(void)
{
	u64 written_us;
	pid_t pid;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		test_begin();
		EXPECT(status_print(bad[i], false, stdout) == -EINVAL, "print");
		EXPECT(status_age(bad[i], &pid, &written_us) == -EINVAL, "age");
		EXPECT(status_explain(bad[i], &paths[0].peer, stdout) ==
		       -EINVAL, "explain");
		test_end(*bad[i] ? bad[i] : "empty");
	}
	test_begin();
	EXPECT(!status_age(write_status(), &pid, &written_us) && pid == 4711 &&
	       written_us == 100 * SECOND_US, "%d %llu", pid, written_us);
	EXPECT(status_age("{\"version\": 1, \"pid\": -1}", &pid,
			  &written_us) == -EINVAL, "a process group");
	test_end("who wrote it, and when");
}

/* Whether a text is valid UTF-8 without control characters. */
static bool is_clean(const char *text)
{
	mbstate_t state = { };
	wchar_t c;

	while (*text) {
		size_t len = mbrtowc(&c, text, MB_CUR_MAX, &state);

		if (len > MB_CUR_MAX || (c < ' ' && c != '\n' && c != '\t') ||
		    (c >= 0x7f && c < 0xa0))
			return false;
		text += len;
	}
	return true;
}

/* Names from outside that would take over a terminal. */
static void test_clean(void)
{
	static const char * const names[] = {
		"/mnt/\033[31m", "/mnt/\377\376", "/mnt/\302\233", "/mnt/\r\b",
		"/mnt/\355\240\200", "/mnt/\300\257", "/mnt/\360\237",
	};
	struct tt_mount odd = { .dev = "0:45" };

	input.mounts = &odd;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text;

		test_begin();
		strcpy(odd.dir, names[i]);
		strcpy(paths[0].link.name, names[i] + 5);
		paths[0].role = TT_CLIENT;
		odd.server = paths[0].peer;
		EXPECT(is_clean(write_status()), "%s", folder_text);
		EXPECT(!strstr(folder_text, "\\u00"), "%s", folder_text);
		text = shown(false, &paths[0].peer);
		EXPECT(*text && is_clean(text), "%s", text);
		test_end("a name from outside");
	}
	test_begin();
	strcpy(odd.dir, "/mnt/\303\244\342\202\254");
	EXPECT(strstr(write_status(), odd.dir), "%s", folder_text);
	folder_put(STATUS_FILE,
		   "{\"version\": 1, \"pid\": 1, \"problems\": [\"\\u001b[31m\"]}");
	folder_get(STATUS_FILE);
	EXPECT(is_clean(shown(false, NULL)), "%s", shown(false, NULL));
	test_end("what is valid stays, what is not is not shown");
	input.mounts = &mount;
	make_paths();
}

/* Numbers that no variable holds. */
static void test_large(void)
{
	u64 written_us;
	pid_t pid;

	test_begin();
	EXPECT(status_age("{\"version\": 1, \"pid\": 5000000000}", &pid,
			  &written_us) == -EINVAL, "%d", pid);
	test_end("numbers that are too large");
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	folder_make();
	make_paths();
	test_when();
	test_print();
	test_wide();
	test_explain();
	test_many();
	test_bad();
	test_clean();
	test_large();
	folder_remove();
	return test_result();
}
