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

struct got {
	struct flag_list files;
	const char *text;
	uint64_t bytes;
	uint32_t choice;
	bool quiet;
};

static const struct flag table[] = {
	{"memory", 'm', FLAG_BYTES, offsetof(struct got, bytes), "SIZE", "how much"},
	{"output", 'o', FLAG_CHOICE, offsetof(struct got, choice), "table|json", "how"},
	{"quiet", 'q', FLAG_BOOL, offsetof(struct got, quiet), NULL, "less"},
	{"config", 0, FLAG_TEXT, offsetof(struct got, text), "FILE", "which"},
	{"cluster", 'c', FLAG_LIST, offsetof(struct got, files), "FILE", "which ones"}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char words[INPUT_MAX + 1], line[2 * INPUT_MAX];
	char *argv[WORDS_MAX + 1];
	const char *list[LIST_MAX];
	struct got got = {.files = {list, 0, LIST_MAX}, .bytes = 1, .choice = 1};
	int count = 0;
	struct writer fault;
	if (size > INPUT_MAX)
		return 0;
	int argc = cut_words(data, size, words, argv);
	size_t room = size > 0 && data[0] == '!' ? 8 : sizeof(line);
	writer_init(&fault, line, room);
	enum flags_result result =
		flags_read(table, ARRAY_COUNT(table), &got, argc, argv, &count, &fault);
	CHECK((result == FLAGS_WRONG) == (fault.used > 0 || fault.overflowed));
	CHECK(fault.used <= room);
	CHECK(count >= 0 && count < argc);
	CHECK(got.bytes > 0 && got.choice < 2 && got.files.count <= LIST_MAX);
	for (int i = 2; i <= count; i++)
		CHECK(argv[i - 1] < argv[i]);
	for (uint32_t i = 0; i < got.files.count; i++)
		CHECK(list[i] >= words && list[i] <= words + size);
	CHECK(got.text == NULL || (got.text >= words && got.text <= words + size));
	return 0;
}
