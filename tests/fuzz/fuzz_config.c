/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as a KubeSchedulerConfiguration, as a policy, or as flags, in more and less memory
 * (byte 0 chooses both). Whatever comes: no crash, and what is refused has a fault. What is
 * accepted is written, read again, and written the same.
 */
// deps: base/*.c yaml/*.c json/*.c kube/*.c cache/*.c plugins/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/fuzz/fuzz.c
// libs: yaml
#include <stdlib.h>
#include <string.h>

#include "config/options.h"
#include "profile/policy.h"
#include "profile/scheduler_write.h"
#include "profile/profile.h"
#include "fuzz/fuzz.h"

enum { SCRATCH_SIZE = 1 << 20, WRITTEN_SIZE = 1 << 19, INPUT_MAX = 1 << 18, WORDS_MAX = 32 };

static char scratch_block[SCRATCH_SIZE], written[2][WRITTEN_SIZE], printed[1 << 16];
static struct config_faults faults, notes;

typedef enum scheduler_config_result read_fn(struct text bytes, struct scratch *scratch,
	struct scheduler_config *config, struct config_faults *faults, struct config_faults *notes);

static struct text write_config(const struct scheduler_config *config, int which)
{
	struct writer w;
	writer_init(&w, written[which], WRITTEN_SIZE);
	scheduler_config_write(config, &w);
	return w.overflowed ? TEXT_NONE : writer_text(&w);
}

static void check_lists(enum scheduler_config_result result)
{
	struct writer w;
	CHECK((result == SCHEDULER_CONFIG_BROKEN) <= (faults.count + faults.dropped > 0));
	CHECK((result == SCHEDULER_CONFIG_OK) <= (faults.count + faults.dropped == 0));
	writer_init(&w, printed, sizeof(printed));
	config_faults_print(&faults, TEXT("f"), &w);
	config_faults_print(&notes, TEXT("f"), &w);
	for (size_t i = 0; i < w.used; i++)
		CHECK(printed[i] == '\n' || (unsigned char)printed[i] >= 0x20);
}

static void fuzz_file(struct text text, size_t memory, read_fn *read)
{
	struct scheduler_config config;
	struct scratch scratch;
	scratch_init(&scratch, scratch_block, memory);
	config_faults_init(&faults);
	config_faults_init(&notes);
	enum scheduler_config_result result = read(text, &scratch, &config, &faults, &notes);
	check_lists(result);
	if (result != SCHEDULER_CONFIG_OK)
		return;
	struct text first = write_config(&config, 0);
	if (first.at == NULL)
		return;
	scratch_init(&scratch, scratch_block, SCRATCH_SIZE);
	result = scheduler_config_read(first, &scratch, &config, &faults, &notes);
	if (result == SCHEDULER_CONFIG_FULL)
		return;
	CHECK(result == SCHEDULER_CONFIG_OK);
	CHECK(text_is(first, write_config(&config, 1)));
}

/* Lines are words. Files that flags name are not read here: nothing but flags is. */
static void fuzz_flags(struct text text)
{
	static char words[INPUT_MAX + 1];
	static struct options options;
	char *argv[WORDS_MAX];
	struct scratch scratch;
	int argc = 1;
	memcpy(words, text.at, text.size);
	words[text.size] = '\0';
	argv[0] = words;
	for (char *at = words; *at != '\0' && argc < WORDS_MAX; at++) {
		if (at == words || at[-1] == '\0')
			argv[argc++] = at;
		if (*at == '\n')
			*at = '\0';
	}
	for (int i = 1; i < argc; i++)
		if (strstr(argv[i], "config") != NULL)
			return;
	scratch_init(&scratch, scratch_block, SCRATCH_SIZE);
	const struct options_question q = {argc, argv, &scratch, &faults, &notes, NULL};
	enum options_result result = options_load(&options, &q);
	CHECK((result == OPTIONS_READY) <= (faults.count == 0));
	CHECK((result == OPTIONS_WRONG || result == OPTIONS_BROKEN) <= (faults.count > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > INPUT_MAX)
		return 0;
	size_t memory = data[0] < 128 ? (size_t)(data[0] >> 2) * 4096 : SCRATCH_SIZE;
	struct text text = {(const char *)data + 1, size - 1};
	switch (data[0] & 3u) {
	case 2: fuzz_file(text, memory, policy_read_on); break;
	case 3: fuzz_flags(text); break;
	default: fuzz_file(text, memory, scheduler_config_read_on); break;
	}
	return 0;
}
