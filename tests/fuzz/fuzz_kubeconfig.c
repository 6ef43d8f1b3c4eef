/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as a kubeconfig, as YAML and as JSON of it, in more and less memory (byte 0). Whatever
 * comes: no crash, and a line that says what is wrong. What was written as JSON is read again and
 * written the same.
 */
// deps: config/kubeconfig.c config/file.c yaml/yaml.c yaml/memory.c yaml/scalar.c
// deps: base/base64.c base/url.c
// deps: base/*.c
// deps: tests/fuzz/fuzz.c
// libs: yaml
#define _GNU_SOURCE /* memfd_create() */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config/kubeconfig.h"
#include "yaml/yaml.h"
#include "fuzz/fuzz.h"

enum { SCRATCH_SIZE = 1 << 19, ARENA_SIZE = 1 << 19, JSON_SIZE = 1 << 18 };

static char scratch_block[SCRATCH_SIZE], arena_block[ARENA_SIZE], json[2][JSON_SIZE];

static void fuzz_yaml(struct text text, size_t memory)
{
	struct scratch scratch;
	struct yaml_node *root;
	struct yaml_fault fault = {.line = 0};
	struct writer w[2];

	scratch_init(&scratch, scratch_block, memory);
	struct yaml_reader *reader = yaml_open(text, &scratch);
	for (int i = 0; reader != NULL && i < 100; i++)
		if (yaml_next(reader, &scratch, &root, &fault) != YAML_DOCUMENT)
			break;
	if (reader != NULL)
		yaml_close(reader);
	scratch_reset(&scratch);
	if (yaml_read(text, &scratch, &root, &fault) != YAML_DOCUMENT)
		return;
	writer_init(&w[0], json[0], JSON_SIZE);
	if (!yaml_write_json(root, &w[0], &fault)) {
		CHECK(fault.what[0] != '\0');
		return;
	}
	scratch_init(&scratch, scratch_block, SCRATCH_SIZE);
	enum yaml_result again = yaml_read(writer_text(&w[0]), &scratch, &root, &fault);
	/* two keys of YAML may be one of JSON (1 and 1.0), and aliases made it bigger */
	if (again != YAML_DOCUMENT)
		return;
	writer_init(&w[1], json[1], JSON_SIZE);
	CHECK(yaml_write_json(root, &w[1], &fault));
	CHECK(text_is(writer_text(&w[0]), writer_text(&w[1])));
}

static void fuzz_file(struct text text, size_t memory)
{
	struct kubeconfig config;
	struct scratch scratch;
	struct arena arena;
	struct writer fault;
	char path[64], line[512];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("kubeconfig", 0);
	CHECK(fd >= 0);
	CHECK(ftruncate(fd, 0) == 0);
	CHECK(pwrite(fd, text.at, text.size, 0) == (ssize_t)text.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	arena_init(&arena, arena_block, ARENA_SIZE);
	scratch_init(&scratch, scratch_block, memory);
	writer_init(&fault, line, sizeof(line));
	if (kubeconfig_load(&config, &(struct kubeconfig_question){.path = path}, &arena, &scratch,
		    &fault)) {
		CHECK(config.server.host.size > 0);
		CHECK(config.server.https || config.token.at == NULL);
		CHECK(!config.insecure_skip_tls_verify ||
			(config.ca.at == NULL && config.ca_file == NULL));
	} else {
		CHECK(fault.used > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > (1 << 18))
		return 0;
	size_t memory = data[0] < 128 ? (size_t)data[0] * 512 : SCRATCH_SIZE;
	struct text text = {(const char *)data + 1, size - 1};
	fuzz_yaml(text, memory);
	fuzz_file(text, memory);
	return 0;
}
