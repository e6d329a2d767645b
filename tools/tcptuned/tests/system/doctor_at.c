// SPDX-License-Identifier: GPL-2.0
/*
 * "tcptuned doctor" with the files of /proc and /sys that are below a folder.
 *
 *   doctor_at DIR [BANDWIDTH]
 */
#include "../../doctor.h"
#include "../../units.h"

int main(int argc, char **argv)
{
	struct options options = { .conf_file = "/dev/null", .all = true };

	if (argc < 2 ||
	    (argc > 2 && units_parse_rate(argv[2], &options.bandwidth_bps)))
		return EXIT_USAGE;
	return doctor_run_root(&options, argv[1]);
}
