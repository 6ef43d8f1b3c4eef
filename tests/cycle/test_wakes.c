/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nobody sleeps through a change that helps: clusters change at random, and a pending pod that was
 * rejected before a change and has a place after it must have been woken by it, by the hint of one
 * of the plugins that rejected it.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/cycle/world.c tests/cycle/world_spec.c tests/cycle/world_objects.c
#include <stdio.h>
#include <stdlib.h>

#include <unity.h>

#include "base/budget.h"
#include "cycle/cycle.h"
#include "profile/profile.h"
#include "cycle/world.h"
#include "plugins/hints.h"

enum {
	EPOCHS = 60,
	STEPS = 400,
	WAITING = 64,
	SCRATCH_BYTES = 384 * 1024,
	HINT_BYTES = 64 * 1024,
	ARENA_SIZE = 12 << 20
};

static struct world world;
static struct cache cache;
static struct cycle cycle;
static struct plugin_profile profile;
static _Alignas(16) uint8_t hint_block[HINT_BYTES];
static struct scratch hint_scratch;

static struct {
	uint32_t pod;
	struct plugin_set rejectors;
	bool woken;
} waiting[WAITING];
static uint32_t waiting_count;
static uint64_t asked, queued, helped;
static struct cache_event last;
static enum kube_release release;

void setUp(void)
{
}

void tearDown(void)
{
}

static struct plugin_waiting as_waiting(uint32_t pod)
{
	return (struct plugin_waiting){.cache = &cache,
		.profile = &profile,
		.scratch = &hint_scratch,
		.pod = plugin_pod_of(&cache, pod)};
}

static void changed(const struct cache_event *event)
{
	/* A CSINode that is logged again behind its node: the node is what came. */
	if (event->kind != KUBE_CSI_NODE || last.kind != KUBE_NODE || last.name != event->name)
		last = *event;
	for (uint32_t i = 0; i < waiting_count; i++) {
		/* a pod's own changes are the queue's business */
		if (event->kind == KUBE_POD && event->index == waiting[i].pod) {
			waiting[i].woken = true;
			continue;
		}
		if (!pool_is_taken(&cache.pods, waiting[i].pod))
			continue;
		struct plugin_waiting w = as_waiting(waiting[i].pod);
		for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
			enum plugin_hint hint;
			if (!plugin_set_has(&waiting[i].rejectors, id))
				continue;
			scratch_init(&hint_scratch, hint_block, sizeof(hint_block));
			bool is_registered = plugin_hint_of((enum plugin_id)id, &w, event, &hint);
			const struct plugin_set waiters =
				plugin_waiters(event->kind, event->actions);
			if (is_registered || release == KUBE_1_36)
				TEST_ASSERT_EQUAL(is_registered, plugin_set_has(&waiters, id));
			asked += is_registered;
			if (!is_registered || hint != PLUGIN_HINT_QUEUE)
				continue;
			queued++;
			waiting[i].woken = true;
		}
	}
}

static void work_off(void)
{
	for (; cache_log_count(&cache) > 0; cache_log_drop(&cache))
		changed(&cache_log_at(&cache, 0)->event);
}

static void note_who_waits(void)
{
	struct schedule_result d;

	waiting_count = 0;
	for (uint32_t p = pool_next(&cache.pods, 0); p != 0 && waiting_count < WAITING;
		p = pool_next(&cache.pods, p)) {
		if (cache_pod_at(&cache, p)->node != 0)
			continue;
		cycle_decide(&cycle, p, CACHE_COUNT_FAST, &d);
		if (d.outcome != CYCLE_REJECTED)
			continue;
		waiting[waiting_count].pod = p;
		waiting[waiting_count].rejectors = d.rejectors;
		/* without a rejector there was no node: any change wakes */
		waiting[waiting_count++].woken = plugin_set_is_empty(&d.rejectors);
	}
}

/*
 * Hints are as narrow as upstream's, and the world is wilder than an apiserver: pods do not move
 * from node to node there. What is left out:
 *   - InterPodAffinity looks at the waiting pod's own terms only, not at those of other pods;
 *   - VolumeRestrictions looks at the pod's own namespace only, though disks have none;
 *   - NodeVolumeLimits waits for the CSINode of a new node that has none yet;
 *   - updates of pods: those that free something are of pods that the apiserver has placed;
 *   - volumes: a claim of somebody else that lets go of a volume.
 * Such pods are found by the queue's regular look at all that wait.
 */
static bool must_be_told(const struct cache_event *event, const struct plugin_set *rejectors)
{
	if (plugin_set_has(rejectors, PLUGIN_INTER_POD_AFFINITY) ||
		plugin_set_has(rejectors, PLUGIN_VOLUME_RESTRICTIONS))
		return false;
	if (event->kind == KUBE_NODE)
		return (event->actions & CACHE_ADD) == 0 ||
			!plugin_set_has(rejectors, PLUGIN_NODE_VOLUME_LIMITS) ||
			cache_object_blob(&cache, KUBE_CSI_NODE, 0, event->name) != NULL;
	return event->kind == KUBE_POD && (event->actions & (CACHE_ADD | CACHE_DELETE)) != 0;
}

static void nobody_slept(uint32_t epoch, uint32_t step)
{
	struct schedule_result d;

	for (uint32_t i = 0; i < waiting_count; i++) {
		if (!pool_is_taken(&cache.pods, waiting[i].pod) ||
			cache_pod_at(&cache, waiting[i].pod)->node != 0)
			continue;
		cycle_decide(&cycle, waiting[i].pod, CACHE_COUNT_FAST, &d);
		if (d.outcome != CYCLE_PLACED)
			continue;
		helped++;
		if (waiting[i].woken || !must_be_told(&last, &waiting[i].rejectors))
			continue;
		printf("epoch %u, step %u: pod %u fits now; rejected by %llx; last event: kind %d, "
		       "actions %x\n",
			epoch, step, waiting[i].pod,
			(unsigned long long)waiting[i].rejectors.words[0], (int)last.kind,
			last.actions);
		TEST_FAIL_MESSAGE("a pod sleeps through what helps it");
	}
}

static void place_some(void)
{
	struct schedule_result d;

	for (uint32_t p = pool_next(&cache.pods, 0); p != 0; p = pool_next(&cache.pods, p)) {
		if (cache_pod_at(&cache, p)->node != 0 || !world_chance(&world, 2))
			continue;
		cycle_decide(&cycle, p, CACHE_COUNT_FAST, &d);
		if (d.outcome == CYCLE_PLACED && cache_assume(&cache, p, d.node) == CACHE_OK)
			cycle_chosen(&cycle, d.node);
	}
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
			.statuses = 64,
			.objects = 96,
			.classes = 128,
			.label_sets = 256,
			.strings = 4096,
			.images = 64,
			.counters = 512,
			.changes = 1024,
			.store_bytes = 2 << 20});
	waiting_count = 0;
	world_init(&world, &cache, 4711 + epoch);
	world.volume_share = epoch % 2 == 0 ? 2 : 0;
	world.node_room = 1 + world_below(&world, 4);
	world.pod_room = 16 + world_below(&world, 16);
	const struct feature_choices none = {.given = {0}};
	struct feature_gates gates;
	feature_gates_set(&gates, &none, release);
	profile_defaults_with(&cache, &gates, &profile);
	cycle_init(&cycle, &arena, &limits, &cache, &profile, 1);
	world_fill(&world);
	work_off();
	return block;
}

static void nobody_sleeps(void)
{
	for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
		void *block = begin(epoch);

		for (uint32_t step = 0; step < STEPS; step++) {
			place_some();
			note_who_waits();
			world_change(&world);
			work_off();
			nobody_slept(epoch, step);
		}
		waiting_count = 0;
		world_clear(&world);
		free(block);
	}
	printf("%llu hints asked, %llu said queue, %llu times it helped\n",
		(unsigned long long)asked, (unsigned long long)queued, (unsigned long long)helped);
	/* it was about something */
	TEST_ASSERT_GREATER_THAN_UINT64(100, helped);
	TEST_ASSERT_GREATER_THAN_UINT64(queued, asked);
}

static void test_nobody_sleeps_through_what_helps(void)
{
	for (uint32_t r = 0; r < KUBE_RELEASES; r++) {
		release = (enum kube_release)r;
		nobody_sleeps();
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nobody_sleeps_through_what_helps);
	return UNITY_END();
}
