// SPDX-License-Identifier: GPL-2.0
/* Who else tunes here, by the files of a folder. */
#include "../../policy/table.h"
#include "../../sense/rival.h"
#include "../test.h"
#include "../folder.h"

#define OWNS(id) (1U << (id))
#define BUFFERS (OWNS(TT_RMEM_MAX) | OWNS(TT_WMEM_MAX) | \
		 OWNS(TT_TCP_RMEM) | OWNS(TT_TCP_WMEM))

struct file {
	const char	*name;
	const char	*text;
};

#define PROCESS(pid, name, uid) { "proc/" pid "/status", \
	"Name:\t" name "\nUid:\t" uid "\t0\t0\t0\n" }

static const struct {
	const char	*name;
	struct file	files[6];
	bool		bpftune;
	bool		tuned;
	unsigned int	owns;
} cases[] = {
	{ .name = "nobody", .files = { PROCESS("1", "systemd", "0") } },
	{ .name = "no /proc" },
	{
		.name = "bpftune",
		.files = { PROCESS("1", "systemd", "0"),
			   PROCESS("23", "bpftune", "0") },
		.bpftune = true,
		.owns = BUFFERS,
	}, {
		.name = "processes of an ordinary user",
		.files = { PROCESS("23", "bpftune", "1000"),
			   PROCESS("24", "tuned", "1000"),
			   { "proc/25/status", "Name:\tbpftune\n" } },
	}, {
		.name = "a name that only starts so",
		.files = { PROCESS("23", "bpftune2", "0"),
			   PROCESS("self", "tuned", "0") },
	}, {
		.name = "tuned without a profile",
		.files = { PROCESS("9", "tuned", "0") },
		.tuned = true,
	}, {
		.name = "tuned, a profile that includes another",
		.files = {
			PROCESS("9", "tuned", "0"),
			{ "etc/tuned/active_profile", "mine\n" },
			{ "etc/tuned/mine/tuned.conf",
			  "[main]\ninclude=base\n[vm]\nnet.core.wmem_max=1\n"
			  "[sysctl]\nnet.core.rmem_max=1\nnet.x=2\n" },
			{ "usr/lib/tuned/base/tuned.conf",
			  "[sysctl]\nnet.ipv4.tcp_rmem=4096 1 2\n" },
			{ "etc/tuned/base2/tuned.conf",
			  "[sysctl]\nnet.ipv4.tcp_wmem=4096 1 2\n" },
		},
		.tuned = true,
		.owns = OWNS(TT_RMEM_MAX) | OWNS(TT_TCP_RMEM),
	}, {
		.name = "the administrator's profile goes first",
		.files = {
			PROCESS("9", "tuned", "0"),
			{ "etc/tuned/active_profile", "p" },
			{ "etc/tuned/p/tuned.conf",
			  "[sysctl]\nnet.core.rmem_max=1\n" },
			{ "usr/lib/tuned/p/tuned.conf",
			  "[sysctl]\nnet.core.wmem_max=1\n" },
		},
		.tuned = true,
		.owns = OWNS(TT_RMEM_MAX),
	}, {
		.name = "a profile that includes itself",
		.files = {
			PROCESS("9", "tuned", "0"),
			{ "etc/tuned/active_profile", "p\n" },
			{ "etc/tuned/p/tuned.conf",
			  "[main]\ninclude=p\n[sysctl]\nnet.core.rmem_max=1\n" },
		},
		.tuned = true,
		.owns = OWNS(TT_RMEM_MAX),
	}, {
		.name = "a profile that is not running",
		.files = {
			{ "etc/tuned/active_profile", "p\n" },
			{ "etc/tuned/p/tuned.conf",
			  "[sysctl]\nnet.core.rmem_max=1\n" },
		},
	},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct file *file = cases[i].files;
		struct rivals rivals;
		unsigned int owns = 0;

		folder_make();
		for (; file->name; file++)
			folder_put(file->name, file->text);
		rival_find(&rivals, folder, table_rows);
		for (int id = 0; id < TT_TUNABLES; id++)
			owns |= rivals.owns[id] ? OWNS(id) : 0;
		EXPECT(rivals.bpftune == cases[i].bpftune);
		EXPECT(rivals.tuned == cases[i].tuned);
		EXPECT_EQ(owns, cases[i].owns);
		folder_remove();
		test_end(cases[i].name);
	}
	return test_result();
}
