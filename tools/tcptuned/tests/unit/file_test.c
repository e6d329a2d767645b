// SPDX-License-Identifier: GPL-2.0
/* Small files: bounds, links, and a full disk. */
#include <errno.h>
#include <sys/resource.h>
#include <signal.h>

#include "../../file.h"
#include "../test.h"
#include "../folder.h"

static int dir;

static int read_file(const char *name, size_t max_bytes)
{
	char *text = NULL;
	int err = file_read(dir, name, max_bytes, &text);

	snprintf(folder_text, sizeof(folder_text), "%s", text ? text : "");
	free(text);
	return err;
}

static void test_read(void)
{
	char zero[] = { 'a', '\0', 'b' };
	int fd;

	folder_put("file", "four");
	EXPECT(!read_file("file", 4) && !strcmp(folder_text, "four"), "%s",
	       folder_text);
	EXPECT(read_file("file", 3) == -EFBIG);
	EXPECT(read_file("none", 3) == -ENOENT);
	folder_put("empty", "");
	EXPECT(!read_file("empty", 3) && !*folder_text, "%s", folder_text);
	test_end("a file is read up to a bound");

	EXPECT(!symlink("file", folder_path("link")));
	EXPECT(read_file("link", 9) == -ELOOP);
	EXPECT(!mkfifo(folder_path("fifo"), 0600));
	EXPECT(read_file("fifo", 9) == -EINVAL);
	EXPECT(read_file(".", 9) == -EINVAL);
	fd = open(folder_path("zero"), O_WRONLY | O_CREAT, 0600);
	EXPECT(write(fd, zero, sizeof(zero)) == sizeof(zero));
	close(fd);
	EXPECT(read_file("zero", 9) == -EINVAL);
	test_end("nothing but a plain text file is read");
}

static void test_write(void)
{
	EXPECT(!file_write(dir, "new", "one", false));
	EXPECT(!file_write(dir, "new", "two", true));
	EXPECT_STR(folder_get("new"), "two");
	folder_put("victim", "whole");
	EXPECT(!symlink("victim", folder_path("new.new")));
	EXPECT(!file_write(dir, "new", "three", false));
	EXPECT_STR(folder_get("victim"), "whole");
	EXPECT_STR(folder_get("new"), "three");
	EXPECT(!folder_has("new.new"));
	test_end("a file is replaced, and no link is followed");
}

/* A write that breaks off, as on a full disk. */
static void test_full(void)
{
	struct rlimit small = { .rlim_cur = 3, .rlim_max = RLIM_INFINITY };
	int err;

	folder_put("kept", "old");
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	err = file_write(dir, "kept", "longer", false);
	small.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &small);
	EXPECT_EQ(err, -EFBIG);
	EXPECT_STR(folder_get("kept"), "old");
	EXPECT(!folder_has("kept.new"));
	test_end("what cannot be written whole leaves the old file");
}

static void test_dir(void)
{
	struct stat st;
	int made;

	EXPECT(file_dir(folder_path("made"), false) == -ENOENT);
	made = file_dir(folder_path("made"), true);
	EXPECT(made >= 0, "%d", made);
	EXPECT(!fstat(made, &st) && (st.st_mode & 07777) == 0755, "%o",
	       st.st_mode);
	close(made);
	EXPECT(!symlink("made", folder_path("way")));
	EXPECT(file_dir(folder_path("way"), true) == -ENOTDIR);
	EXPECT(file_dir(folder_path("file"), true) == -ENOTDIR);
	chmod(folder_path("made"), 0777);
	EXPECT(file_dir(folder_path("made"), true) == -EPERM);
	test_end("a folder is ours and no link");

	chmod(folder_path("made"), 0775);
	EXPECT(file_own_dir(folder_path("made"), true) == -EPERM);
	chmod(folder_path("made"), 0755);
	made = file_own_dir(folder_path("made"), true);
	EXPECT(made >= 0, "%d", made);
	if (!geteuid()) {
		EXPECT(!fchown(made, 1, 1) && !seteuid(65534));
		EXPECT(file_own_dir(folder_path("made"), true) == -EPERM);
		EXPECT(!seteuid(0) && !fchown(made, 65534, 1) &&
		       !seteuid(65534), "uid");
		close(made);
		made = file_own_dir(folder_path("made"), true);
		EXPECT(made >= 0, "%d", made);
		EXPECT(!seteuid(0));
	}
	close(made);
	test_end("what is restored comes from a folder of our own");
}

static void test_set_aside(void)
{
	folder_put("bad", "bad");
	EXPECT(!file_set_aside(dir, "bad"));
	EXPECT(!folder_has("bad"));
	EXPECT_STR(folder_get("bad.damaged"), "bad");
	EXPECT(file_set_aside(dir, "bad") == -ENOENT);
	test_end("a damaged file is set aside");
}

int main(void)
{
	umask(022);
	folder_make();
	chmod(folder, 0755);
	dir = file_dir(folder, false);
	test_read();
	test_write();
	test_full();
	test_dir();
	test_set_aside();
	close(dir);
	folder_remove();
	return test_result();
}
