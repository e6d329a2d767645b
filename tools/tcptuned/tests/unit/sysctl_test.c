// SPDX-License-Identifier: GPL-2.0
/* One number of a file, as cases. */
#include <errno.h>

#include "../../apply/sysctl.h"
#include "../test.h"
#include "../folder.h"

static const struct {
	const char	*name;
	const char	*text;
	u8		field;
	int		err;
	u64		value;
	const char	*written;	/* after 777 was written */
} cases[] = {
	{ "one number", "212992\n", 0, 0, 212992, "777\n" },
	{ "first of three", "4096\t131072\t6291456\n", 0, 0, 4096,
	  "777\t131072\t6291456\n" },
	{ "last of three", "4096\t131072\t6291456\n", 2, 0, 6291456,
	  "4096\t131072\t777\n" },
	{ "blanks", "  4096  131072  ", 1, 0, 131072, "  4096  777  " },
	{ "no newline", "5", 0, 0, 5, "777" },
	{ "largest", "18446744073709551615\n", 0, 0, ~0ULL, "777\n" },
	{ "too large", "18446744073709551616\n", 0, -ERANGE, 0, "777\n" },
	{ "too few", "1 2\n", 2, -EINVAL, 0, "1 2\n" },
	{ "negative", "-1\n", 0, -EINVAL, 0, "-1\n" },
	{ "no number", "yes\n", 0, -EINVAL, 0, "yes\n" },
	{ "number and word", "1x\n", 0, -EINVAL, 0, "1x\n" },
	{ "empty", "", 0, -EINVAL, 0, "" },
};

static const struct {
	const char	*name;
	const char	*text;
	const char	*value;
} words[] = {
	{ "a word", "cubic\n", "cubic" },
	{ "none", "\n", "" },
	{ "a longer one than there are", "abcdefghijklmnop\n", "?" },
	{ "no name", "a b\n", "?" },
};

static void test_words(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		u64 value = 77;

		folder_put("file", words[i].text);
		EXPECT(!sysctl_read(folder_path("file"), TT_WORD, &value));
		EXPECT_STR(words_text(value), words[i].value);
		EXPECT(!sysctl_write(folder_path("file"), TT_WORD,
				     words_number("bbr"), &value));
		EXPECT_STR(folder_get("file"), "bbr\n");
		EXPECT_STR(words_text(value), "bbr");
		test_end(words[i].name);
	}
}

static void test_fields(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 value = 0;
		int err;

		folder_put("file", cases[i].text);
		err = sysctl_read(folder_path("file"), cases[i].field, &value);
		EXPECT_EQ(err, cases[i].err);
		EXPECT_EQ(value, cases[i].value);
		err = sysctl_write(folder_path("file"), cases[i].field, 777,
				   &value);
		EXPECT_STR(folder_get("file"), cases[i].written);
		if (!err)
			EXPECT_EQ(value, 777);
		test_end(cases[i].name);
	}
}

/* The kernel's own answers: a value that it refuses is not what is told. */
static void test_refused(void)
{
	static const char path[] = "/proc/sys/kernel/ngroups_max";
	u64 value = 0, now = 0;

	EXPECT(sysctl_read("/none", 0, &value) == -ENOENT);
	EXPECT(sysctl_write("/none", 0, 1, &now) == -ENOENT);
	EXPECT(sysctl_probe("/none") == -ENOENT);
	EXPECT(!sysctl_read(path, 0, &value) && value, "%llu", value);
	EXPECT(sysctl_write(path, 0, 7, &now) < 0);
	EXPECT_EQ(now, value);
	test_end("what is true is told after an error");
}

static void test_path(void)
{
	struct tt_row plain = { .path = "/proc/a" };
	struct tt_row bdi = { .path = "/sys/bdi/%s/read_ahead_kb" };
	char path[SYSCTL_PATH_MAX], root[SYSCTL_PATH_MAX + 1];

	EXPECT(!sysctl_path(path, "", &plain, ""), "%s", path);
	EXPECT_STR(path, "/proc/a");
	EXPECT(!sysctl_path(path, "/tmp", &bdi, "0:45"), "%s", path);
	EXPECT_STR(path, "/tmp/sys/bdi/0:45/read_ahead_kb");
	memset(root, 'x', sizeof(root));
	root[SYSCTL_PATH_MAX] = '\0';
	EXPECT(sysctl_path(path, root, &plain, "") == -ENAMETOOLONG);
	test_end("names of files");
}

static void test_ident(void)
{
	u64 ident;

	folder_put("one", "1");
	folder_put("two", "1");
	ident = sysctl_ident(folder_path("one"));
	EXPECT(ident && ident == sysctl_ident(folder_path("one")));
	EXPECT(ident != sysctl_ident(folder_path("two")));
	EXPECT(!sysctl_ident(folder_path("none")));
	test_end("files are told apart");
}

int main(void)
{
	folder_make();
	test_fields();
	test_words();
	test_refused();
	test_path();
	test_ident();
	folder_remove();
	return test_result();
}
