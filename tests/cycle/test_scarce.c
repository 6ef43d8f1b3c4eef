/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Too little scratch: clusters at random, and each pending pod is decided again and again with
 * less memory than the decision needs. It must come out the same, or fail and say why; never may
 * it be another decision, and the picture stays what it was.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/cycle/world.c tests/cycle/world_spec.c tests/cycle/world_objects.c
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"
#include "cycle/cycle.h"
#include "profile/profile.h"
#include "cycle/world.h"
#include "json/json.h"

enum {
	EPOCHS = 48,
	STEPS = 60,
	TRIES = 8, /* of each decision */
	SCRATCH_BYTES = 384 * 1024,
	ARENA_SIZE = 12 << 20,
	ANSWER_SIZE = 1 << 19,
	MESSAGE_MAX = 8192
};

static struct world world;
static struct cache cache;
static struct cycle cycle;
static struct plugin_profile profile;
static uint64_t same, failed, broken_off;

void setUp(void)
{
	same = failed = broken_off = 0;
}

void tearDown(void)
{
}

struct expected {
	enum cycle_outcome outcome;
	uint32_t node;
	struct plugin_set rejectors;
	struct cycle_preemption preemption;
	size_t size; /* scratch that it took */
	char message[MESSAGE_MAX];
};

static void expect(struct expected *e, uint32_t pod, enum cache_count_mode way)
{
	struct schedule_result d;
	struct cycle before = cycle;

	cycle.scratch.used_max = 0;
	cycle_decide(&cycle, pod, way, &d);
	e->outcome = d.outcome;
	e->node = d.node;
	e->rejectors = d.rejectors;
	e->preemption = d.preemption;
	e->size = cycle.scratch.used_max;
	TEST_ASSERT_TRUE(text_copy(d.message, e->message, sizeof(e->message)));
	cycle.rotation = before.rotation;
}

/* Returns how much of it was used. */
static size_t decide_with(size_t size, uint32_t pod, enum cache_count_mode way, struct expected *e)
{
	struct schedule_result d;
	struct scratch all = cycle.scratch;
	uint32_t rotation = cycle.rotation;

	scratch_init(&cycle.scratch, all.base, size);
	cycle_decide(&cycle, pod, way, &d);
	cycle.rotation = rotation;
	if (d.outcome == CYCLE_FAILED) {
		failed += e->outcome != CYCLE_FAILED;
		TEST_ASSERT_GREATER_THAN_size_t(0, d.message.size);
	} else {
		same++;
		TEST_ASSERT_EQUAL_INT(e->outcome, d.outcome);
		TEST_ASSERT_EQUAL_UINT32(e->node, d.node);
		TEST_ASSERT_TRUE(plugin_set_is(&e->rejectors, &d.rejectors));
	}
	/* Whom to push off is found, or there was no room to look; but never somebody else. */
	if (d.outcome != CYCLE_FAILED && d.preemption.found) {
		TEST_ASSERT_TRUE(e->preemption.found);
		TEST_ASSERT_EQUAL_UINT32(e->preemption.node, d.preemption.node);
		TEST_ASSERT_EQUAL_UINT32(e->preemption.victim_count, d.preemption.victim_count);
	}
	broken_off += d.outcome == e->outcome && e->preemption.found && !d.preemption.found;
	size_t used = cycle.scratch.used_max;
	scratch_init(&cycle.scratch, all.base, all.size);
	return used;
}

/* Explaining takes what there is; what it says is JSON in any case, or nothing was said. */
static size_t explain_with(size_t size, uint32_t pod, enum cache_count_mode way)
{
	static char answer[ANSWER_SIZE];
	static _Alignas(16) char tokens[1 << 20];
	struct scratch all = cycle.scratch, scratch;
	struct json_value root;
	struct writer w;

	scratch_init(&cycle.scratch, all.base, size);
	writer_init(&w, answer, sizeof(answer));
	cycle_explain(&cycle, pod, way, &w);
	size_t used = cycle.scratch.used_max;
	scratch_init(&cycle.scratch, all.base, all.size);
	scratch_init(&scratch, tokens, sizeof(tokens));
	TEST_ASSERT_FALSE(w.overflowed);
	TEST_ASSERT_EQUAL_INT(JSON_PARSED, json_parse(writer_text(&w), &scratch, &root));
	TEST_ASSERT_EQUAL_INT(JSON_OBJECT, json_type(root));
	return used;
}

/* Down from what is needed: each take that reached further than all before it fails once. */
static void fail_each_take(uint32_t pod, enum cache_count_mode way, struct expected *e)
{
	for (size_t used = e->size; used > 0;)
		used = decide_with(used - 16, pod, way, e);
	for (size_t used = explain_with(cycle.scratch.size, pod, way); used > 0;)
		used = explain_with(used - 16, pod, way);
}

static void try_pod(uint32_t pod)
{
	static struct expected e;
	enum cache_count_mode way =
		world_chance(&world, 3) ? CACHE_COUNT_RECOUNT : CACHE_COUNT_FAST;

	expect(&e, pod, way);
	for (uint32_t i = 0; i < TRIES; i++)
		decide_with(world_below(&world, (uint32_t)e.size / 16 + 1) * 16, pod, way, &e);
	fail_each_take(pod, way, &e);
	cache_audit(&cache);
	if (e.outcome == CYCLE_PLACED && world_chance(&world, 2) &&
		cache_assume(&cache, pod, e.node) == CACHE_OK)
		cycle_chosen(&cycle, e.node);
	else if (e.preemption.found && world_chance(&world, 2))
		cache_nominate(&cache, pod, cache_node_at(&cache, e.preemption.node)->name);
}

static void *begin(uint32_t epoch)
{
	const struct cycle_limits limits = {.nodes = 32, .rows = 4, .scratch_bytes = SCRATCH_BYTES};
	void *block = malloc(ARENA_SIZE);
	struct arena arena;

	TEST_ASSERT_NOT_NULL(block);
	budget_reset();
	arena_init(&arena, block, ARENA_SIZE);
	cache_init(&cache, &arena,
		&(struct cache_limits){.nodes = 32,
			.pods = 64,
			.statuses = 32,
			.objects = 96,
			.classes = 64,
			.label_sets = 160,
			.strings = 2048,
			.images = 16,
			.counters = 512,
			.store_bytes = 1 << 20});
	world_init(&world, &cache, 77 + epoch);
	world.volume_share = epoch % 2 == 0 ? 2 : 0;
	world.is_absurd = epoch % 6 == 5;
	world.node_room = 2 + world_below(&world, 10);
	world.pod_room = 20 + world_below(&world, 30);
	profile_defaults(&cache, &profile);
	PLUGIN_ARGS_OF(&profile, INTER_POD_AFFINITY, inter_pod_affinity_args)->hard_weight =
		(int32_t)(epoch % 3) * 25;
	cycle_init(&cycle, &arena, &limits, &cache, &profile, 1);
	world_fill(&world);
	return block;
}

static void test_less_scratch_is_never_another_decision(void)
{
	for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
		void *block = begin(epoch);

		for (uint32_t step = 0; step < STEPS; step++) {
			uint32_t tried = 0;
			world_change(&world);
			for (uint32_t p = pool_next(&cache.pods, 0); p != 0 && tried < 2;
				p = pool_next(&cache.pods, p))
				if (cache_pod_at(&cache, p)->node == 0 && world_chance(&world, 4)) {
					try_pod(p);
					tried++;
				}
		}
		world_clear(&world);
		cache_audit(&cache);
		free(block);
	}
	/* it was about something */
	TEST_ASSERT_GREATER_THAN_UINT64(1000, same);
	TEST_ASSERT_GREATER_THAN_UINT64(1000, failed);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_less_scratch_is_never_another_decision);
	return UNITY_END();
}
