/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any words on a command line, against a table with one flag of each type. A zero or a newline ends
 * a word. (The flags of `berth run` are another reader: fuzz_config.)
 *
 * Whatever comes: what is refused has a fault that names it, words keep their order, and what is
 * set is in range.
 */
// deps: base/*.c command/flags.c base/nearest.c kube/quantity*.c
// deps: tests/fuzz/fuzz.c
#include <string.h>

#include "command/flags.h"
#include "fuzz/fuzz.h"

enum { INPUT_MAX = 4096, WORDS_MAX = 40, LIST_MAX = 4 };

static int cut_words(const uint8_t *data, size_t size, char *words, char **argv)
{
	int argc = 1;
	memcpy(words, data, size);
	words[size] = '\0';
	argv[0] = words + size;
	for (size_t at = 0; at < size && argc < WORDS_MAX; argc++) {
		argv[argc] = words + at;
		while (at < size && words[at] != '\0' && words[at] != '\n')
			at++;
		words[at++] = '\0';
	}
	argv[argc] = NULL;
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char words[INPUT_MAX + 1], line[2 * INPUT_MAX];
	char *argv[WORDS_MAX + 1];
	const char *list[LIST_MAX];
	struct flag_list files = {list, 0, LIST_MAX};
	const char *text = NULL;
	uint64_t bytes = 1;
	uint32_t choice = 1;
	bool quiet = false;
	int count = 0;
	const struct flag table[] = {{"memory", 'm', FLAG_BYTES, &bytes, "SIZE", "how much"},
		{"output", 'o', FLAG_CHOICE, &choice, "table|json", "how"},
		{"quiet", 'q', FLAG_BOOL, &quiet, NULL, "less"},
		{"config", 0, FLAG_TEXT, &text, "FILE", "which"},
		{"cluster", 'c', FLAG_LIST, &files, "FILE", "which ones"}};
	struct writer fault;
	if (size > INPUT_MAX)
		return 0;
	int argc = cut_words(data, size, words, argv);
	size_t room = size > 0 && data[0] == '!' ? 8 : sizeof(line);
	writer_init(&fault, line, room);
	enum flags_result result =
		flags_read(table, ARRAY_COUNT(table), argc, argv, &count, &fault);
	CHECK((result == FLAGS_WRONG) == (fault.used > 0 || fault.overflowed));
	CHECK(fault.used <= room);
	CHECK(count >= 0 && count < argc);
	CHECK(bytes > 0 && choice < 2 && files.count <= LIST_MAX);
	for (int i = 2; i <= count; i++)
		CHECK(argv[i - 1] < argv[i]);
	for (uint32_t i = 0; i < files.count; i++)
		CHECK(list[i] >= words && list[i] <= words + size);
	CHECK(text == NULL || (text >= words && text <= words + size));
	return 0;
}
