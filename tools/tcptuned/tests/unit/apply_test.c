// SPDX-License-Identifier: GPL-2.0
/*
 * The only writer, on files of a folder: what it keeps, what it leaves alone,
 * what it puts back. A case is a row of steps; verbs[] says what each does.
 * Files begin with 212992, a mount's read-ahead with 128.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>

#include "../../apply/apply.h"
#include "../../report/reason.h"
#include "../test.h"
#include "../folder.h"

#define NOBODY 65534

static const struct tt_row table[TT_TUNABLES] = {
	[TT_RMEM_MAX] = { TT_RMEM_MAX, "rmem", "/rmem", 0,
			  2304, 2147483647, 1, false },
	[TT_WMEM_MAX] = { TT_WMEM_MAX, "wmem", "/wmem", 0,
			  4608, 2147483647, 1, false },
	[TT_SRV_RCVBUF] = { TT_SRV_RCVBUF, "missing", "/missing", 0,
			    0, 1073741823, 1, false },
	[TT_SRV_SNDBUF] = { TT_SRV_SNDBUF, "b", "/b", 0, 0, 1, 1, false },
	[TT_CLNT_RCVBUF] = { TT_CLNT_RCVBUF, "c", "/c", 0, 0, 1, 1, false },
	[TT_CLNT_SNDBUF] = { TT_CLNT_SNDBUF, "zero", "/zero", 0,
			     0, 1073741823, 1, true },
	[TT_TCP_RMEM] = { TT_TCP_RMEM, "tcp", "/tcp", 2,
			  4096, 2147483647, 1, false },
	[TT_TCP_WMEM] = { TT_TCP_WMEM, "f", "/f", 2, 0, 1, 1, false },
	[TT_SLOW_START] = { TT_SLOW_START, "g", "/g", 0, 0, 1, 1, false },
	[TT_SRV_LOSSY] = { TT_SRV_LOSSY, "word", "/word", TT_WORD,
			   0, WORDS_MAX - 1, 1, true },
	[TT_CLNT_LOSSY] = { TT_CLNT_LOSSY, "other", "/other", TT_WORD,
			    0, WORDS_MAX - 1, 1, true },
	[TT_READ_AHEAD] = { TT_READ_AHEAD, "ra", "/%s/ra", 0,
			    0, 4294967295, 64, false },
};

static const struct {
	const char	*name;
	const char	*steps;
} cases[] = {
	{ "what was there comes back",
	  "start; now rmem 212992; state missing absent; put rmem 4194304; "
	  "is rmem 4194304; put rmem 8388608; was rmem 212992; changed rmem; "
	  "restore; is rmem 212992; restore; silent" },
	{ "and only our field, whatever somebody makes of the others",
	  "start; put tcp 9000000; is tcp 4096\t131072\t9000000; "
	  "file tcp 8192\t131072\t9000000; refresh; state tcp on; "
	  "restore; is tcp 8192\t131072\t6291456" },
	{ "values are made to fit",
	  "start; put rmem 1; is rmem 2304; put rmem 1099511627776; "
	  "is rmem 2147483647; refresh 2; put 0:45 15365; is 0:45/ra 15360; "
	  "put missing 5 EPERM; put 0:99 5 ENOENT" },
	{ "originals outlive a daemon that is killed",
	  "start; put rmem 4194304; put wmem 4194304; put tcp 9000000; "
	  "file wmem 1000000; start; ours rmem yes; was rmem 212992; "
	  "state wmem foreign; restore; is rmem 212992; is wmem 1000000; "
	  "is tcp 4096\t131072\t6291456" },
	/* The same ledger, with each value that may be in the file. */
	{ "killed before the first write",
	  "start; put rmem 4194304; put rmem 8388608; file rmem 212992; start; "
	  "restore; is rmem 212992" },
	{ "killed before the second write",
	  "start; put rmem 4194304; put rmem 8388608; file rmem 4194304; "
	  "start; restore; is rmem 212992" },
	{ "killed after the second write",
	  "start; put rmem 4194304; put rmem 8388608; start; restore; "
	  "is rmem 212992" },
	{ "killed, and changed by somebody",
	  "start; put rmem 4194304; put rmem 8388608; file rmem 5555555; "
	  "start; restore; is rmem 5555555" },
	/* An idle mount is not in the list; numbers are given again. */
	{ "a mount does not get another mount's original",
	  "start; state 0:45 none; refresh 2; put 0:45 15360; put 0:46 15360; "
	  "refresh; ours 0:45 yes; move 0:45; file 0:45/ra 15360; refresh 2; "
	  "ours 0:45 no; state 0:45 on; restore; is 0:45/ra 15360; "
	  "is 0:46/ra 128" },
	{ "not even after a kill",
	  "start; refresh 2; put 0:45 15360; put 0:46 15360; move 0:45; "
	  "file 0:45/ra 15360; start; restore; is 0:45/ra 15360; "
	  "is 0:46/ra 128" },
	/* Numbers of words are those of a process. */
	{ "a word", "file word ; start; put word bbr; is word bbr; refresh; "
	  "state word on; start; put word reno; is word reno; restore; "
	  "is word ; said word restored to \"\"" },
	{ "a word that somebody changed", "file word ; start; put word bbr; "
	  "file word cubic; refresh; state word foreign; restore; "
	  "is word cubic" },
	{ "a word that was there is left alone until resume",
	  "file word cubic; start; state word foreign; resume take; "
	  "put word bbr; start; restore; said word restored to cubic" },
	{ "a word that the kernel does not know is tried once",
	  "file word ; start; rm word; put word bbr ENOENT; file word ; "
	  "refresh; state word absent; put word bbr EPERM; unsay; refresh; "
	  "state word on" },
	{ "a dry run writes nothing at all",
	  "start dry; put rmem 4194304; now rmem 4194304; refresh; "
	  "now rmem 4194304; state rmem on; is rmem 212992; none run; restore; "
	  "silent; file rmem 1000000; refresh; state rmem foreign" },
	{ "no ledger, no write",
	  "file run file; start; problem ledger; state rmem denied; "
	  "put rmem 4194304 EPERM; is rmem 212992" },
	{ "a folder that everybody may write to is no ledger's",
	  "file run/x x; mode run 777; start; put rmem 4194304 EPERM" },
	{ "a ledger that breaks stops writes, not restore",
	  "start; put wmem 4194304; rm run; put rmem 4194304 ENOENT; "
	  "is rmem 212992; refresh; state rmem denied; problem ledger; "
	  "restore; is wmem 212992" },
	{ "a full folder keeps no ledger of what was restored",
	  "start; put wmem 4194304; full; restore; is wmem 212992; "
	  "file wmem 4194304; start; restore; silent; is wmem 4194304" },
	{ "a ledger that still has what was restored is a problem",
	  "start; put wmem 4194304; put rmem 4194304; rm rmem; "
	  "file rmem/file x; full; restore EISDIR; problem ledger" },
	{ "a module that comes again starts anew",
	  "start; put rmem 4194304; rm rmem; refresh; state rmem absent; "
	  "file rmem 212992; refresh; state rmem on; ours rmem no" },
	{ "others' values are left to them, also by restore",
	  "start; put rmem 4194304; put wmem 4194304; file rmem 1000000; "
	  "refresh; state rmem foreign; put rmem 5000000 EPERM; "
	  "file rmem 4194304; refresh; state rmem foreign; "
	  "restore; is rmem 4194304; is wmem 212992" },
	{ "also what was changed between two looks",
	  "start; put wmem 4194304; file wmem 1000001; put wmem 5000000 EBUSY; "
	  "is wmem 1000001; restore; is wmem 1000001; "
	  "said wmem left at 1000001" },
	{ "also what was changed just before the end",
	  "start; put rmem 4194304; file rmem 1000000; restore; "
	  "is rmem 1000000; said rmem left at 1000000" },
	{ "after resume, the other's value is the original",
	  "start; put rmem 4194304; file rmem 1000000; refresh; resume take; "
	  "state rmem on; put rmem 5000000; restore; is rmem 1000000" },
	/* By sysctl.d before the start, or after it, with the module. */
	{ "what was set before the start is left alone",
	  "file zero 300000; start; resume; state zero foreign; "
	  "put zero 500000 EPERM; restore; is zero 300000" },
	{ "what came with the module is left alone until resume",
	  "start; state zero absent; file zero 300000; refresh; "
	  "state zero foreign; resume take; put zero 500000; refresh; "
	  "state zero on; restore; is zero 300000" },
	{ "a value of ours is not taken for one that was set before",
	  "file zero 0; start; put zero 500000; start; resume; state zero on; "
	  "restore; is zero 0" },
	/* udev gives it a moment after the mount is there. */
	{ "the right to write may come later",
	  "mode . 755; mode 0:45/ra 444; start; user nobody; refresh 1; "
	  "state 0:45 denied; user root; mode 0:45/ra 666; user nobody; "
	  "refresh 1; state 0:45 on; user root" },
	{ "a tunable that is left still gets its original back",
	  "start; put rmem 4194304; leave yes; refresh; state rmem foreign; "
	  "put rmem 5000000 EPERM; leave no; refresh; state rmem on; "
	  "leave yes; refresh; restore; is rmem 212992" },
};

static struct apply *apply;
static char said[2000];

/* The error that a step names, 0 if it names none. */
static int error_of(const char *name)
{
	static const int errors[] = { EPERM, ENOENT, EBUSY, EISDIR };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (!strcmp(strerrorname_np(errors[i]), name))
			return -errors[i];
	return 0;
}

static struct tt_target target_of(const char *name)
{
	struct tt_target target = { .id = TT_READ_AHEAD };

	for (int id = 0; id < TT_TUNABLES; id++)
		if (!strcmp(table[id].name, name))
			return (struct tt_target){ .id = id };
	snprintf(target.instance, sizeof(target.instance), "%s", name);
	return target;
}

static const struct tt_setting *setting(const char *name)
{
	static const struct tt_setting none = { .off = -1 };
	struct tt_target target = target_of(name);
	const struct tt_setting *settings;
	size_t n;

	settings = apply_settings(apply, &n);
	for (size_t i = 0; i < n; i++)
		if (!memcmp(&settings[i].target, &target, sizeof(target)))
			return &settings[i];
	return &none;
}

static int start(bool dry_run)
{
	apply_close(apply);
	apply = NULL;
	return apply_open(&apply, table, folder, folder_path("run"), dry_run);
}

static int refresh(size_t nmounts)
{
	static const struct tt_mount mounts[] = {
		{ .dev = "0:45", .dir = "/mnt/a" },
		{ .dev = "0:46", .dir = "/mnt/b" },
	};

	return apply_refresh(apply, mounts, nmounts);
}

static int put(const char *name, const char *value)
{
	struct tt_change change = {
		.target = target_of(name),
		.value = isdigit((unsigned char)*value) ?
			 strtoull(value, NULL, 10) : words_number(value),
		.reason.why = TT_WHY_CONF,
	};
	u64 now;

	return apply_write(apply, &change, 5, &now);
}

static int restore(void)
{
	struct tt_restored *list;
	char text[REASON_BYTES];
	size_t n, len = 0;
	int err;

	*said = '\0';
	list = apply_restore(apply, &n, &err);
	for (size_t i = 0; i < n; i++)
		len += snprintf(said + len, sizeof(said) - len, "%s %s\n",
				table[list[i].target.id].name,
				reason_restored(&list[i], text));
	free(list);
	return err;
}

/* Runs a command of the shell in the folder. */
__printf(1, 2)
static int shell(const char *format, ...)
{
	char command[200];
	va_list args;
	int len = snprintf(command, sizeof(command), "cd %s && ", folder);

	va_start(args, format);
	vsnprintf(command + len, sizeof(command) - len, format, args);
	va_end(args);
	return system(command);
}

/* What a step does. Returns: 0 or an error, 1 if it is none of these. */
static int act(const char *verb, const char *a, const char *b)
{
	if (!strcmp(verb, "start"))
		return start(*a);
	if (!strcmp(verb, "refresh"))
		return refresh(atoi(a));
	if (!strcmp(verb, "put"))
		return put(a, b);
	if (!strcmp(verb, "restore"))
		return restore();
	if (!strcmp(verb, "resume"))
		apply_resume(apply, *a);
	else if (!strcmp(verb, "unsay"))
		apply_unsay(apply);
	else if (!strcmp(verb, "leave"))
		apply_leave(apply, TT_RMEM_MAX, *a == 'y');
	else if (!strcmp(verb, "file"))
		folder_put(a, b);
	else if (!strcmp(verb, "rm"))
		folder_wipe(a);
	else if (!strcmp(verb, "move"))
		return shell("mv %s gone", a);
	else if (!strcmp(verb, "mode"))
		return shell("chmod %s %s", b, a);
	else if (!strcmp(verb, "full"))
		return shell("cd run && mkdir -p $(echo ledger-*).new/x");
	else if (!strcmp(verb, "user"))
		return getuid() ? 0 : seteuid(*a == 'r' ? 0 : NOBODY);
	else
		return 1;
	return 0;
}

/* Whether something is so; @all is both words and what follows them. */
static bool holds(const char *verb, const char *a, const char *b,
		  const char *all)
{
	static const char * const states[] = {
		[TT_HANDS_ON] = "on", [TT_OFF_ABSENT] = "absent",
		[TT_OFF_FOREIGN] = "foreign", [TT_OFF_DENIED] = "denied",
	};
	const struct tt_setting *s = setting(a);
	u64 value = strtoull(b, NULL, 10);

	if (!strcmp(verb, "is"))
		return !strncmp(folder_get(a), b, strlen(b)) &&
		       !strcspn(folder_text + strlen(b), "\n");
	if (!strcmp(verb, "state"))
		return !strcmp(b, s->off < ARRAY_SIZE(states) ?
				  states[s->off] : "none");
	if (!strcmp(verb, "ours"))
		return s->written == (*b == 'y');
	if (!strcmp(verb, "was"))
		return s->original == value;
	if (!strcmp(verb, "now"))
		return s->value == value;
	if (!strcmp(verb, "changed"))
		return s->changed_us == 5;
	if (!strcmp(verb, "none"))
		return !folder_has(a);
	if (!strcmp(verb, "silent"))
		return !*said;
	if (!strcmp(verb, "said"))
		return strstr(said, all);
	return !strcmp(verb, "problem") && strstr(apply_problem(apply), a);
}

static void run(const char *step)
{
	char verb[16] = "", a[32] = "", b[64] = "", error[16] = "";
	int at = 0, err;

	EXPECT(sscanf(step, "%15s %n%31s %63[^ ] %15s", verb, &at, a, b,
		      error) > 0);
	err = act(verb, a, b);
	if (err == 1)
		EXPECT(holds(verb, a, b, step + at), "%s", step);
	else
		EXPECT(err == error_of(strcmp(verb, "restore") ? error : a),
		       "%s: %s", step, strerror(-err));
}

int main(void)
{
	char steps[1000], *rest, *step;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		folder_make();
		folder_put("rmem", "212992\n");
		folder_put("wmem", "212992\n");
		folder_put("tcp", "4096\t131072\t6291456\n");
		folder_put("0:45/ra", "128\n");
		folder_put("0:46/ra", "128\n");
		snprintf(steps, sizeof(steps), "%s", cases[i].steps);
		rest = steps;
		while ((step = strsep(&rest, ";")))
			run(step + strspn(step, " "));
		apply_close(apply);
		apply = NULL;
		folder_remove();
		test_end(cases[i].name);
	}
	return test_result();
}
