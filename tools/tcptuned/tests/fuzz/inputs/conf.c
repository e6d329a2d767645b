// SPDX-License-Identifier: GPL-2.0
/* Any configuration: what is taken can be printed and is taken again. */
#include "../../../conf.h"
#include "../fuzz.h"

static int load(struct tt_conf *conf, const char *name)
{
	FILE *errors = fopen("/dev/null", "w");
	char path[128];
	int err;

	snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), name);
	err = conf_load(conf, path, errors);
	fclose(errors);
	return err;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct tt_conf conf = { }, again = { };
	char *text = NULL;
	size_t bytes;
	FILE *out;

	fuzz_put("conf", data, size);
	if (load(&conf, "conf"))
		return 0;
	out = open_memstream(&text, &bytes);
	conf_print(&conf, out);
	fclose(out);
	fuzz_put("printed", text, bytes);
	free(text);
	if (load(&again, "printed") ||
	    conf.memory_percent != again.memory_percent ||
	    conf.bandwidth_bps != again.bandwidth_bps ||
	    strcmp(conf.metrics, again.metrics))
		abort();
	return 0;
}
