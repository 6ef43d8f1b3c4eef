/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as objects of resource.k8s.io, a line each, read and put into a picture with two nodes;
 * then its pods are decided from what is remembered and anew, and their claims reserved.
 *
 * Whatever comes: no crash, an end, both ways come to the same, and no device is given twice.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/fuzz/fuzz.c
#include "base/budget.h"
#include "base/memory.h"
#include "cache/feed.h"
#include "cycle/binding_points.h"
#include "cycle/cycle.h"
#include "fuzz/fuzz.h"
#include "profile/profile.h"

enum { ARENA_SIZE = 24 << 20, SCRATCH_SIZE = 1 << 20, PODS = 4, LINE_MAX = 1 << 15 };

static const struct cache_limits limits = {.nodes = 4,
	.pods = 16,
	.statuses = 16,
	.objects = 32,
	.classes = 16,
	.label_sets = 16,
	.strings = 4096,
	.images = 4,
	.counters = 4,
	.store_bytes = 2 << 20};

static struct world {
	void *block;
	struct arena arena;
	struct cache cache;
	struct cycle cycle;
	struct plugin_profile profile;
	struct scratch scratch;
	struct binding_waiting waiting;
	struct binding_points points[PODS];
} world;

static void put(struct text line)
{
	struct world *w = &world;
	struct json_value object;
	struct cache_fed fed;
	scratch_reset(&w->scratch);
	if (json_parse(line, &w->scratch, &object) != JSON_PARSED)
		return;
	enum kube_kind kind = kube_kind_of(json_text(json_get(object, "kind")));
	if (kind != KUBE_NO_KIND)
		(void)cache_feed(&w->cache, &w->scratch, kind, object, &fed);
}

static void start(void)
{
	struct world *w = &world;
	const struct cycle_limits cycle = {.nodes = 4, .rows = 2, .scratch_bytes = 1 << 20};
	if (w->block == NULL)
		w->block = memory_reserve(ARENA_SIZE);
	CHECK(w->block != NULL);
	budget_reset();
	arena_init(&w->arena, w->block, ARENA_SIZE);
	cache_init(&w->cache, &w->arena, &limits);
	profile_defaults(&w->cache, &w->profile);
	cycle_init(&w->cycle, &w->arena, &cycle, &w->cache, &w->profile, 1);
	scratch_init(&w->scratch, arena_take_raw(&w->arena, SCRATCH_SIZE), SCRATCH_SIZE);
	binding_waiting_init(&w->waiting);
	put(TEXT("{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"labels\":{\"z\":\"a\"}},"
		 "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"pods\":\"9\"}}}"));
	put(TEXT("{\"kind\":\"Node\",\"metadata\":{\"name\":\"m\"},\"status\":{\"allocatable\":{"
		 "\"cpu\":\"4\",\"pods\":\"9\"}}}"));
	put(TEXT("{\"kind\":\"DeviceClass\",\"metadata\":{\"name\":\"any\"}}"));
}

/* Each device that is given as a whole is given once. */
static void expect_single(const struct cache *cache)
{
	const struct pool *given = &cache->devices.given;
	for (uint32_t i = pool_next(given, 0); i != 0; i = pool_next(given, i)) {
		const struct cache_given *g = cache_given_at(cache, i);
		for (uint32_t k = pool_next(given, i); k != 0; k = pool_next(given, k)) {
			const struct cache_given *h = cache_given_at(cache, k);
			/* What claims of the input say they have is the input's own. */
			CHECK(g->pending == 0 || h->pending == 0 || g->is_shared != 0 ||
				h->is_shared != 0 || g->device != h->device || g->pool != h->pool ||
				g->driver != h->driver);
		}
	}
}

static void decide(uint32_t at, uint32_t pod)
{
	struct world *w = &world;
	struct schedule_result slow, fast;
	struct plugin_reasons why = {.scratch = &w->cycle.scratch};
	cycle_decide(&w->cycle, pod, CACHE_COUNT_RECOUNT, &slow);
	cycle_decide(&w->cycle, pod, CACHE_COUNT_FAST, &fast);
	/* The slow way may run out of steps or of scratch where the other one remembers. */
	if (slow.outcome == CYCLE_FAILED || fast.outcome == CYCLE_FAILED)
		return;
	CHECK(slow.outcome == fast.outcome);
	if (fast.outcome != CYCLE_PLACED)
		return;
	CHECK(slow.feasible_count == fast.feasible_count);
	if (cache_assume(&w->cache, pod, fast.node) != CACHE_OK)
		return;
	binding_begin(&w->points[at], &w->waiting,
		&(struct plugin_binding){.cache = &w->cache,
			.profile = &w->profile,
			.scratch = &w->cycle.scratch,
			.tag = at + 1,
			.pod = pod,
			.node = cache_node_at(&w->cache, fast.node)->name});
	if (binding_reserve(&w->points[at], fast.state, &why) == PLUGIN_SUCCESS)
		plugin_release(&w->points[at].b);
	expect_single(&w->cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = &world;
	struct text left = {(const char *)data, size};
	start();
	while (left.size > 0) {
		struct text line;
		size_t end = text_find(left, '\n');
		line = text_first(left, end);
		left = end < left.size ? text_from(left, end + 1) : TEXT("");
		if (line.size > 0 && line.size < LINE_MAX)
			put(line);
	}
	cache_audit(&w->cache);
	uint32_t count = 0;
	for (uint32_t i = pool_next(&w->cache.pods, 0); i != 0 && count < PODS;
		i = pool_next(&w->cache.pods, i))
		if (cache_pod_at(&w->cache, i)->node == 0 && cycle_profile_of(&w->cycle, i) != NULL)
			decide(count++, i);
	cache_audit(&w->cache);
	return 0;
}
