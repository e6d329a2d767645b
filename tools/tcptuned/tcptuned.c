// SPDX-License-Identifier: GPL-2.0
/*
 * tcptuned: automatic TCP buffer tuning for NFS. See tcptuned(8).
 *
 * This is the command line; the service is daemon.c, which shows what starts
 * in which order.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "conf.h"
#include "daemon.h"
#include "doctor.h"
#include "show.h"
#include "units.h"

#define INTERVAL_US 250000
#define INTERVAL_MIN_US 10000
#define INTERVAL_MAX_US 10000000

/* A word that may follow the program's name. */
struct tcptuned_command {
	const char	*name;			/* the word; "" for none */
	const char	*synopsis;		/* what goes behind it */
	const char	*help;			/* what it does */
	/* the options that it takes, beside those that all take */
	const char	*options;
	int		 min_args;		/* so many arguments at least */
	int		 max_args;		/* so many at most */
	int		(*run)(const struct options *options);	/* does it */
};

static const struct tcptuned_command tcptuned_commands[] = {
	{ "", "", "run the service, in the foreground",
	  "1nciv", 0, 0, daemon_run },
	{ "status", "[-ajw]", "show each path and each value that was set",
	  "ajwC", 0, 0, show_status },
	{ "explain", "PEER",
	  "explain the values for an address, host name or mount point",
	  "", 1, 1, show_explain },
	{ "doctor", "[-a]",
	  "find what keeps NFS slow here, and the commands that help",
	  "acb", 0, 0, doctor_run },
	{ "compute", "--rtt TIME --bandwidth RATE [-j]",
	  "print the values for a path, to set by hand", "jtb", 0, 0,
	  command_compute },
	{ "restore", "", "restore what a killed daemon left behind",
	  "", 0, 0, command_restore },
	{ "resume", "", "take over values that something else set",
	  "", 0, 0, command_resume },
	{ "check-config", "[FILE]", "check the configuration and print it",
	  "c", 0, 1, command_check_config },
};

static const struct option tcptuned_options[] = {
	{ "once", no_argument, NULL, '1' },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "config", required_argument, NULL, 'c' },
	{ "runtime-dir", required_argument, NULL, 'r' },
	{ "state-dir", required_argument, NULL, 's' },
	{ "interval", required_argument, NULL, 'i' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "json", no_argument, NULL, 'j' },
	{ "all", no_argument, NULL, 'a' },
	{ "watch", no_argument, NULL, 'w' },
	{ "color", required_argument, NULL, 'C' },
	{ "rtt", required_argument, NULL, 't' },
	{ "bandwidth", required_argument, NULL, 'b' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static const char tcptuned_option_help[] =
	"      --once             decide once, write and exit\n"
	"  -n, --dry-run          show what would be written, write nothing\n"
	"  -c, --config FILE      configuration [" CONF_FILE "]\n"
	"      --runtime-dir DIR  ledger, lock and status [/run/tcptuned]\n"
	"      --state-dir DIR    learned paths [/var/lib/tcptuned]\n"
	"      --interval TIME    between polls while data moves [250ms]\n"
	"  -v, --verbose          log more\n"
	"  -j, --json             print JSON\n"
	"  -a, --all              show all peers and values\n"
	"  -w, --watch            show the status again every second\n"
	"      --color WHEN       auto, always or never [auto]\n"
	"      --rtt TIME         round-trip time, such as 120ms\n"
	"      --bandwidth RATE   such as 10gbit, 10G or 1.25GB/s\n"
	"      --version          print the version\n"
	"  -h, --help             print this\n";

static int tcptuned_print_help(void)
{
	puts("Usage: tcptuned [OPTION]... [COMMAND]\n\n"
	     "Automatic TCP buffer tuning for NFS.\n\nCommands:");
	for (size_t i = 0; i < ARRAY_SIZE(tcptuned_commands); i++) {
		const struct tcptuned_command *command = &tcptuned_commands[i];
		char left[64];

		snprintf(left, sizeof(left), "%s %s",
			 *command->name ? command->name : "(none)",
			 command->synopsis);
		printf("  %-20s %s%s\n", left,
		       strlen(left) > 20 ? "\n                       " : "",
		       command->help);
	}
	printf("\nOptions:\n%s", tcptuned_option_help);
	return fflush(stdout) ? EXIT_ERROR : EXIT_OK;
}

static int tcptuned_usage(const char *problem, const char *word)
{
	fprintf(stderr, "tcptuned: %s%s%s; see tcptuned --help\n", problem,
		*word ? " " : "", word);
	return EXIT_USAGE;
}

static int tcptuned_set_interval(struct options *options, const char *text)
{
	u32 us;

	if (units_parse_time(text, &us) || us < INTERVAL_MIN_US ||
	    us > INTERVAL_MAX_US)
		return tcptuned_usage("--interval takes 10ms to 10s, not", text);
	options->interval_us = us;
	return 0;
}

static int tcptuned_set_rtt(struct options *options, const char *text)
{
	if (units_parse_time(text, &options->rtt_us) || !options->rtt_us)
		return tcptuned_usage("--rtt takes a time such as 120ms, not", text);
	return 0;
}

static int tcptuned_set_bandwidth(struct options *options, const char *text)
{
	if (units_parse_rate(text, &options->bandwidth_bps) ||
	    !options->bandwidth_bps)
		return tcptuned_usage("--bandwidth takes a rate such as 10gbit, not",
				      text);
	return 0;
}

static int tcptuned_set_color(struct options *options, const char *text)
{
	static const char * const words[] = {
		[COLOR_AUTO] = "auto",
		[COLOR_ALWAYS] = "always",
		[COLOR_NEVER] = "never",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(text, words[i]))
			continue;
		options->color = i;
		return 0;
	}
	return tcptuned_usage("--color takes auto, always or never, not", text);
}

/* Returns: 0, or an exit code. */
static int tcptuned_set_option(struct options *options, int letter,
			       const char *text)
{
	switch (letter) {
	case '1':
		options->once = true;
		return 0;
	case 'n':
		options->dry_run = true;
		return 0;
	case 'c':
		options->conf_file = text;
		return 0;
	case 'r':
		options->rundir = text;
		return 0;
	case 's':
		options->statedir = text;
		return 0;
	case 'i':
		return tcptuned_set_interval(options, text);
	case 'v':
		options->verbose = true;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'a':
		options->all = true;
		return 0;
	case 'w':
		options->watch = true;
		return 0;
	case 'C':
		return tcptuned_set_color(options, text);
	case 't':
		return tcptuned_set_rtt(options, text);
	case 'b':
		return tcptuned_set_bandwidth(options, text);
	}
	return tcptuned_usage("bad option", "");
}

static const struct tcptuned_command *tcptuned_find_command(const char *name)
{
	/* The first is the one without a name. */
	for (size_t i = 1; i < ARRAY_SIZE(tcptuned_commands); i++)
		if (!strcmp(tcptuned_commands[i].name, name))
			return &tcptuned_commands[i];
	return NULL;
}

static const char *tcptuned_option_name(int letter)
{
	const struct option *option = tcptuned_options;

	while (option->val != letter)
		option++;
	return option->name;
}

int main(int argc, char **argv)
{
	struct options options = {
		.rundir = "/run/tcptuned",
		.statedir = "/var/lib/tcptuned",
		.interval_us = INTERVAL_US,
	};
	const struct tcptuned_command *command;
	char given[16] = "";
	int letter, code;

	while ((letter = getopt_long(argc, argv, "nc:vjawh", tcptuned_options,
				     NULL)) != -1) {
		if (letter == 'h')
			return tcptuned_print_help();
		if (letter == 'V')
			return puts("tcptuned " TCPTUNED_VERSION) < 0;
		/* getopt_long() has said it. */
		if (letter == '?')
			return EXIT_USAGE;
		code = tcptuned_set_option(&options, letter, optarg);
		if (code)
			return code;
		if (!strchr(given, letter))
			given[strlen(given)] = letter;
	}
	if (optind == argc)
		command = &tcptuned_commands[0];
	else
		command = tcptuned_find_command(argv[optind++]);
	if (!command)
		return tcptuned_usage("unknown command", argv[optind - 1]);
	if (argc - optind < command->min_args)
		return tcptuned_usage("missing:", command->synopsis);
	if (argc - optind > command->max_args)
		return tcptuned_usage("unexpected argument",
				      argv[optind + command->max_args]);
	for (const char *c = given; *c; c++)
		if (!strchr("rs", *c) && !strchr(command->options, *c))
			return tcptuned_usage("not an option of this command:",
					      tcptuned_option_name(*c));
	options.argument = argv[optind];
	return command->run(&options);
}
