/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as a dump: read in pieces, put into a picture, and what is pending there decided.
 * Byte 0 chooses how: whether a pod is to be pending, and how small the picture is.
 *
 * Whatever comes: no crash, the picture's sums agree with its pods, an end.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: command/dump.c command/change.c command/workload.c command/dump_json.c command/dump_yaml.c
// deps: command/source.c command/sniff.c
// deps: command/output.c command/progress.c
// deps: tests/fuzz/fuzz.c
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/memory.h"
#include "command/dump.h"
#include "cycle/cycle.h"
#include "profile/profile.h"
#include "fuzz/fuzz.h"

enum { ARENA_SIZE = 24 << 20, DECISIONS_MAX = 8, ANSWER_SIZE = 1 << 20 };

static const struct cache_limits large = {.nodes = 64,
	.pods = 128,
	.statuses = 64,
	.objects = 64,
	.classes = 128,
	.label_sets = 128,
	.strings = 4096,
	.images = 64,
	.counters = 64,
	.store_bytes = 2 << 20};
static const struct cache_limits small = {.nodes = 3,
	.pods = 4,
	.statuses = 2,
	.objects = 3,
	.classes = 3,
	.label_sets = 4,
	.strings = 96,
	.images = 2,
	.counters = 4,
	.store_bytes = 32 << 10};

static struct world {
	struct arena arena;
	struct cache cache;
	struct cycle cycle;
	struct dump dump;
	struct plugin_profile profile;
	struct output err;
	struct progress progress;
	char answer[ANSWER_SIZE];
	void *block;
} world;

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(write(fd, data, size) == (ssize_t)size);
	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void start(bool is_small)
{
	struct world *w = &world;
	const struct cache_limits *limits = is_small ? &small : &large;
	const struct cycle_limits cycle = {
		.nodes = limits->nodes, .rows = 4, .scratch_bytes = 2 << 20};
	const struct dump_limits dump = {.pods = limits->pods, .memory_bytes = 4 << 20};
	if (w->block == NULL)
		w->block = memory_reserve(ARENA_SIZE);
	CHECK(w->block != NULL);
	budget_reset();
	arena_init(&w->arena, w->block, ARENA_SIZE);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	output_init(&w->err, null);
	progress_init(&w->progress, &w->err, clock_system(), false);
	cache_init(&w->cache, &w->arena, limits);
	dump_init(&w->dump, &w->arena, &dump, &w->cache, &w->err, &w->progress);
	profile_defaults(&w->cache, &w->profile);
	cycle_init(&w->cycle, &w->arena, &cycle, &w->cache, &w->profile, 1);
}

static void decide(void)
{
	struct world *w = &world;
	uint32_t decided = 0;
	for (uint32_t i = pool_next(&w->cache.pods, 0); i != 0 && decided < DECISIONS_MAX;
		i = pool_next(&w->cache.pods, i)) {
		struct schedule_result d;
		struct writer out;
		if (cache_pod_at(&w->cache, i)->node != 0 || cycle_profile_of(&w->cycle, i) == NULL)
			continue;
		decided++;
		cycle_decide(&w->cycle, i, CACHE_COUNT_FAST, &d);
		writer_init(&out, w->answer, sizeof(w->answer));
		cycle_explain(&w->cycle, i, CACHE_COUNT_RECOUNT, &out);
		if (d.outcome == CYCLE_PLACED && cache_assume(&w->cache, i, d.node) == CACHE_OK)
			cycle_chosen(&w->cycle, d.node);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = &world;
	if (size < 1)
		return 0;
	start((data[0] & 1) != 0);
	if ((data[0] & 2) != 0) {
		w->dump.pending_namespace = TEXT("default");
		w->dump.pending_name = TEXT("p");
	}
	int fd = file_of(data + 1, size - 1);
	enum dump_result result = dump_read(&w->dump, "dump", fd);
	(void)close(fd);
	CHECK((result == DUMP_FULL) == w->dump.full);
	dump_end(&w->dump);
	cache_audit(&w->cache);
	decide();
	cache_audit(&w->cache);
	(void)close(w->err.fd);
	return 0;
}
