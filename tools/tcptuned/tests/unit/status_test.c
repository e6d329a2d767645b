// SPDX-License-Identifier: GPL-2.0
/* The status: when it is written, and what may be in it. */
#include <errno.h>
#include <locale.h>
#include <wchar.h>

#include "../status.h"

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
		unlink(folder_path(STATUS_FILE));
		paths[0].rtt_us = steps[i].rtt_us;
		input.now_us = steps[i].now_us;
		EXPECT(!status_write(&writer, dir, &input));
		EXPECT(folder_has(STATUS_FILE) == steps[i].written);
		test_end(steps[i].name);
	}
	free(writer.text);
	close(dir);
}

static void test_mount(void)
{
	struct tt_mount mounts[] = {
		{ .dev = "0:45", .dir = "/mnt/a\\040b" },
		{ .dev = "0:46", .dir = "/mnt/c\\04" },
	};
	struct tt_addr server;

	mounts[0].server = paths[3].peer;
	input.mounts = mounts;
	input.nmounts = 2;
	write_status();
	EXPECT(!read_mount(folder_text, "/mnt/a b", &server) &&
	       IN6_ARE_ADDR_EQUAL(&server.in6, &paths[3].peer.in6), "server");
	EXPECT(read_mount(folder_text, "/mnt/a", &server) == -ENOENT);
	EXPECT(!read_mount(folder_text, "/mnt/c\\04", &server));
	input.mounts = &mount;
	input.nmounts = 1;
	test_end("a mount leads to its server");
}

static const char * const bad[] = {
	"", "{}", "[]", "{\"version\": 2}", "{\"version\": \"1\"}", "nonsense",
};

static void test_bad(void)
{
	u64 written_us;
	pid_t pid;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT(text_print(bad[i], false, false, stdout) == -EINVAL);
		EXPECT(read_age(bad[i], &pid, &written_us) == -EINVAL);
		EXPECT(peer_explain(bad[i], -1, table_rows, &paths[0].peer,
				    stdout) == -EINVAL, "explain");
		test_end(*bad[i] ? bad[i] : "empty");
	}
	EXPECT(!read_age(write_status(), &pid, &written_us) && pid == 4711 &&
	       written_us == 100 * SECOND_US, "%d %llu", pid, written_us);
	EXPECT(read_age("{\"version\": 1, \"pid\": -1}", &pid,
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

	EXPECT(read_age("{\"version\": 1, \"pid\": 5000000000}", &pid,
			&written_us) == -EINVAL, "%d", pid);
	test_end("numbers that are too large");
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	prepare();
	test_when();
	test_mount();
	test_bad();
	test_clean();
	test_large();
	folder_remove();
	return test_result();
}
