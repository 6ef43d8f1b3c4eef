/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frame of all fuzzers. Built as a unit test, without libFuzzer, fuzz_NAME runs the kept
 * inputs of tests/fuzz/corpus/NAME: what was found once stays found, on every board.
 */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#ifdef BERTH_FUZZ

/* A broken invariant ends in abort(), so that the fuzzer keeps the input. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	check_on_failure(abort);
	return 0;
}

#else

enum { INPUT_MAX = 1 << 18 };

static bool run(const char *path)
{
	static uint8_t block[INPUT_MAX];
	FILE *file = fopen(path, "rb");

	if (file == NULL)
		return false;
	size_t size = fread(block, 1, sizeof(block), file);
	bool all = size < sizeof(block) && !ferror(file);
	fclose(file);
	/* a block of its own, so that reading beyond it is seen */
	uint8_t *input = malloc(size + 1);
	all = all && input != NULL;
	if (all) {
		memcpy(input, block, size);
		LLVMFuzzerTestOneInput(input, size);
	}
	free(input);
	return all;
}

int main(int argc, char **argv)
{
	const char *name = argc > 0 ? strrchr(argv[0], '/') : NULL;
	char folder[256], path[512];
	unsigned inputs = 0, failed = 0;

	snprintf(folder, sizeof(folder), "tests/fuzz/corpus/%s",
		name == NULL ? "" : name + strlen("/fuzz_"));
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		inputs++;
		failed += !run(path);
	}
	if (dir != NULL)
		closedir(dir);
	/* as Unity says it; a folder without inputs proves nothing */
	printf("%u Tests %u Failures 0 Ignored\n", inputs, failed);
	return inputs == 0 || failed > 0;
}

#endif
