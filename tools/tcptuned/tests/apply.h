/* SPDX-License-Identifier: GPL-2.0 */
/*
 * apply on files of a folder, for its unit tests.
 */
#ifndef TCPTUNED_TESTS_APPLY_H
#define TCPTUNED_TESTS_APPLY_H

#include <errno.h>

#include "../apply/apply.h"
#include "../report/reason.h"
#include "test.h"
#include "folder.h"

static const struct tt_row table[TT_TUNABLES] = {
	[TT_RMEM_MAX] = { TT_RMEM_MAX, "rmem_max", "/rmem_max", 0,
			  2304, 2147483647, 1, false },
	[TT_WMEM_MAX] = { TT_WMEM_MAX, "wmem_max", "/wmem_max", 0,
			  4608, 2147483647, 1, false },
	[TT_SRV_RCVBUF] = { TT_SRV_RCVBUF, "a", "/a", 0,
			    0, 1073741823, 1, false },
	[TT_SRV_SNDBUF] = { TT_SRV_SNDBUF, "b", "/b", 0,
			    0, 1073741823, 1, false },
	[TT_CLNT_RCVBUF] = { TT_CLNT_RCVBUF, "c", "/c", 0, 0, 1, 1, false },
	[TT_CLNT_SNDBUF] = { TT_CLNT_SNDBUF, "zero", "/zero", 0,
			     0, 1073741823, 1, true },
	[TT_TCP_RMEM] = { TT_TCP_RMEM, "tcp_rmem", "/tcp_rmem", 2,
			  4096, 2147483647, 1, false },
	[TT_TCP_WMEM] = { TT_TCP_WMEM, "f", "/f", 2,
			  4096, 2147483647, 1, false },
	[TT_SLOW_START] = { TT_SLOW_START, "g", "/g", 0, 0, 1, 1, false },
	[TT_READ_AHEAD] = { TT_READ_AHEAD, "read_ahead", "/bdi/%s/ra", 0,
			    0, 4294967295, 64, false },
};

static const struct tt_mount mounts[] = {
	{ .dev = "0:45", .dir = "/mnt/a" },
	{ .dev = "0:46", .dir = "/mnt/b" },
};

static struct apply *apply;
static char said[2000];

static void prepare(void)
{
	folder_make();
	folder_put("rmem_max", "212992\n");
	folder_put("wmem_max", "212992\n");
	folder_put("tcp_rmem", "4096\t131072\t6291456\n");
	folder_put("bdi/0:45/ra", "128\n");
	folder_put("bdi/0:46/ra", "128\n");
}

static void start_as(bool dry_run)
{
	apply_close(apply);
	apply = NULL;
	if (apply_open(&apply, table, folder, folder_path("run"), dry_run))
		EXPECT(false);
}

static void start(void)
{
	start_as(false);
}

static void finish(const char *name)
{
	apply_close(apply);
	apply = NULL;
	folder_remove();
	test_end(name);
}

static const struct tt_setting *setting(enum tt_tunable id,
					const char *instance)
{
	static const struct tt_setting none = { .off = -1 };
	const struct tt_setting *settings;
	size_t n;

	settings = apply_settings(apply, &n);
	for (size_t i = 0; i < n; i++)
		if (settings[i].target.id == id &&
		    !strcmp(settings[i].target.instance, instance))
			return &settings[i];
	return &none;
}

static int put(enum tt_tunable id, const char *instance, u64 value)
{
	struct tt_change change = {
		.target.id = id,
		.value = value,
		.reason.why = TT_WHY_CONF,
	};
	u64 now;

	strcpy(change.target.instance, instance);
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

#define EXPECT_FILE(name, text) \
	EXPECT(!strcmp(folder_get(name), text), "%s", folder_text)

#endif /* TCPTUNED_TESTS_APPLY_H */
