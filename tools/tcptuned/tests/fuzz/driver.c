// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a harness without libFuzzer: every seed as it is, then FUZZ_RUNS of them
 * with bytes changed, dropped or put in. The same every time.
 */
#include <dirent.h>

#include "../test.h"
#include "fuzz.h"

#define FUZZ_RUNS	3000
#define SEEDS		64
#define SEED_BYTES	4096
#define GROWTH_BYTES	16

static u8 seeds[SEEDS][SEED_BYTES];
static size_t sizes[SEEDS], nseeds;
static u64 state = 1;

static u32 any(void)
{
	/* D. Knuth's MMIX generator; its upper bits are the good ones. */
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

static void read_seeds(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[512];
	FILE *file;

	while (dir && (entry = readdir(dir)) && nseeds < SEEDS) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		sizes[nseeds] = fread(seeds[nseeds], 1, SEED_BYTES, file);
		nseeds++;
		fclose(file);
	}
	if (dir)
		closedir(dir);
}

static size_t change(u8 *data, size_t size)
{
	size_t at = size ? any() % size : 0;

	switch (any() % 4) {
	case 0:
		if (size)
			data[at] = any();
		return size;
	case 1:
		if (size)
			data[at] ^= 1 << any() % 8;
		return size;
	case 2:
		return at;
	default:
		memmove(data + at + 1, data + at, size - at);
		data[at] = any();
		return size + 1;
	}
}

int main(int argc, char **argv)
{
	u8 data[SEED_BYTES + GROWTH_BYTES];
	size_t size, seed;

	if (argc > 1)
		read_seeds(argv[1]);
	test_begin();
	for (size_t i = 0; i < nseeds; i++)
		LLVMFuzzerTestOneInput(seeds[i], sizes[i]);
	for (int i = 0; i < FUZZ_RUNS; i++) {
		seed = nseeds ? any() % nseeds : 0;
		size = nseeds ? sizes[seed] : any() % SEED_BYTES;
		memcpy(data, seeds[seed], size);
		for (int n = 1 + any() % GROWTH_BYTES; n; n--)
			size = change(data, size);
		LLVMFuzzerTestOneInput(data, size);
	}
	test_end(argv[0]);
	return test_result();
}
