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

	test_begin();
	folder_put("file", "four");
	EXPECT(!read_file("file", 4) && !strcmp(folder_text, "four"), "%s",
	       folder_text);
	EXPECT(read_file("file", 3) == -EFBIG, "too long");
	EXPECT(read_file("none", 3) == -ENOENT, "none");
	folder_put("empty", "");
	EXPECT(!read_file("empty", 3) && !*folder_text, "%s", folder_text);
	test_end("a file is read up to a bound");

	test_begin();
	EXPECT(!symlink("file", folder_path("link")), "link");
	EXPECT(read_file("link", 9) == -ELOOP, "followed");
	EXPECT(!mkfifo(folder_path("fifo"), 0600), "fifo");
	EXPECT(read_file("fifo", 9) == -EINVAL, "taken");
	EXPECT(read_file(".", 9) == -EINVAL, "taken");
	fd = open(folder_path("zero"), O_WRONLY | O_CREAT, 0600);
	EXPECT(write(fd, zero, sizeof(zero)) == sizeof(zero), "write");
	close(fd);
	EXPECT(read_file("zero", 9) == -EINVAL, "taken");
	test_end("nothing but a plain text file is read");
}

static void test_write(void)
{
	test_begin();
	EXPECT(!file_write(dir, "new", "one", false), "write");
	EXPECT(!file_write(dir, "new", "two", true), "write");
	EXPECT(!strcmp(folder_get("new"), "two"), "%s", folder_text);
	folder_put("victim", "whole");
	EXPECT(!symlink("victim", folder_path("new.new")), "link");
	EXPECT(!file_write(dir, "new", "three", false), "write");
	EXPECT(!strcmp(folder_get("victim"), "whole"), "%s", folder_text);
	EXPECT(!strcmp(folder_get("new"), "three"), "%s", folder_text);
	EXPECT(!folder_has("new.new"), "left behind");
	test_end("a file is replaced, and no link is followed");
}

/* A write that breaks off, as on a full disk. */
static void test_full(void)
{
	struct rlimit small = { .rlim_cur = 3, .rlim_max = RLIM_INFINITY };
	int err;

	test_begin();
	folder_put("kept", "old");
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	err = file_write(dir, "kept", "longer", false);
	small.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &small);
	EXPECT(err == -EFBIG, "%d", err);
	EXPECT(!strcmp(folder_get("kept"), "old"), "%s", folder_text);
	EXPECT(!folder_has("kept.new"), "left behind");
	test_end("what cannot be written whole leaves the old file");
}

static void test_dir(void)
{
	struct stat st;
	int made;

	test_begin();
	EXPECT(file_dir(folder_path("made"), false) == -ENOENT, "there");
	made = file_dir(folder_path("made"), true);
	EXPECT(made >= 0, "%d", made);
	EXPECT(!fstat(made, &st) && (st.st_mode & 07777) == 0755, "%o",
	       st.st_mode);
	close(made);
	EXPECT(!symlink("made", folder_path("way")), "link");
	EXPECT(file_dir(folder_path("way"), true) == -ENOTDIR, "followed");
	EXPECT(file_dir(folder_path("file"), true) == -ENOTDIR, "taken");
	chmod(folder_path("made"), 0777);
	EXPECT(file_dir(folder_path("made"), true) == -EPERM, "taken");
	test_end("a folder is ours and no link");

	test_begin();
	chmod(folder_path("made"), 0775);
	EXPECT(file_own_dir(folder_path("made"), true) == -EPERM, "group's");
	chmod(folder_path("made"), 0755);
	made = file_own_dir(folder_path("made"), true);
	EXPECT(made >= 0, "%d", made);
	if (!geteuid()) {
		EXPECT(!fchown(made, 1, 1) && !seteuid(65534), "uid");
		EXPECT(file_own_dir(folder_path("made"), true) == -EPERM,
		       "somebody else's");
		EXPECT(!seteuid(0) && !fchown(made, 65534, 1) &&
		       !seteuid(65534), "uid");
		close(made);
		made = file_own_dir(folder_path("made"), true);
		EXPECT(made >= 0, "%d", made);
		EXPECT(!seteuid(0), "uid");
	}
	close(made);
	test_end("what is restored comes from a folder of our own");
}

static void test_set_aside(void)
{
	test_begin();
	folder_put("bad", "bad");
	EXPECT(!file_set_aside(dir, "bad"), "error");
	EXPECT(!folder_has("bad"), "there");
	EXPECT(!strcmp(folder_get("bad.damaged"), "bad"), "%s", folder_text);
	EXPECT(file_set_aside(dir, "bad") == -ENOENT, "twice");
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
