// SPDX-License-Identifier: GPL-2.0
/* Any command line, a word per line: what is run has what it needs. */
#include "../../../command.h"
#include "../../../daemon.h"
#include "../../../doctor.h"
#include "../../../show.h"
#include "../fuzz.h"

#define WORDS 20

static int run(const struct options *options)
{
	if (!options->interval_us || !options->rundir || !options->statedir ||
	    options->color > COLOR_NEVER)
		abort();
	return EXIT_OK;
}

static int run_with_peer(const struct options *options)
{
	if (!options->argument)
		abort();
	return run(options);
}

int tcptuned_main(int argc, char **argv);
#define main			tcptuned_main
#define daemon_run		run
#define doctor_run		run
#define show_status		run
#define show_explain		run_with_peer
#define command_compute		run
#define command_restore		run
#define command_resume		run
#define command_check_config	run
#include "../../../tcptuned.c"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text;
	char name[] = "tcptuned", *words[WORDS + 1] = { name };
	FILE *out = stdout, *errors = stderr;
	static FILE *null;
	int n = 1;

	if (!null)
		null = fopen("/dev/null", "w");
	while (rest && n < WORDS)
		words[n++] = strsep(&rest, "\n");
	stdout = null;
	stderr = null;
	optind = 0;
	if (tcptuned_main(n, words) > EXIT_USAGE)
		abort();
	stdout = out;
	stderr = errors;
	free(text);
	return 0;
}
