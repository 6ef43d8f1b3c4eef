/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A day in an edge cluster, with a scheduler that binds anything anywhere: what must hold
 * whatever the seed is.
 */
// deps: base/*.c json/*.c kube/time.c kube/duration.c tools/apisim/api*.c tools/apisim/life*.c
// deps: tools/apisim/tree.c tools/apisim/merge.c tools/apisim/registry.c
// deps: tools/apisim/resources.c tools/apisim/selection.c tests/apisim/desk.c
#include "apisim/desk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "apisim/life.h"

enum { NODES = 12, PODS = 60, SCHEDULED_AT_ONCE = 20 };

static struct desk *desk;
static struct arena arena;
static void *memory;
static struct life *life;
static uint64_t cuts;

void setUp(void)
{
	desk = calloc(1, sizeof(*desk));
	desk_open(desk, 0);
}

void tearDown(void)
{
	desk_close(desk);
	free(desk);
	free(memory);
}

static void on_power_cut(void *self, uint32_t zone)
{
	(void)self;
	TEST_ASSERT_TRUE(zone < 3);
	cuts++;
}

static bool devices;

static void begin_with(uint32_t nodes, uint64_t seed, bool calm)
{
	struct life_setup setup = {.api = desk->api,
		.devices = devices,
		.arena = &arena,
		.clock = {NULL, NULL, NULL},
		.seed = seed,
		.nodes = nodes,
		.pods = PODS,
		.pods_max = 4000,
		.calm = calm,
		.hurry = 16,
		.on_power_cut = on_power_cut};

	setup.clock = desk_clock(desk);
	memory = malloc(life_size(&setup));
	arena_init(&arena, memory, life_size(&setup));
	life = life_init(&setup);
}

static void begin(uint64_t seed, bool calm)
{
	begin_with(NODES, seed, calm);
}

/* Else a node is chosen for it, which is where the pod goes once it has one. */
static bool has_volume(const struct registry *r, const struct revision *pod, uint32_t i)
{
	uint32_t claim = registry_find(r, RESOURCE_PVCS, revision_key(pod));
	char path[256], body[256];
	uint32_t nodes = registry_count(r, RESOURCE_NODES);

	TEST_ASSERT_TRUE(claim != 0);
	if (text_is(revision_phase(registry_revision(r, claim)), TEXT("Bound")))
		return true;
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/persistentvolumeclaims/%.*s",
		TEXT_ARGS(revision_name(pod)));
	snprintf(body, sizeof(body),
		"{\"metadata\":{\"annotations\":{\"volume.kubernetes.io/"
		"selected-node\":\"%.*s\"}}}",
		TEXT_ARGS(revision_name(
			registry_revision(r, registry_nth(r, RESOURCE_NODES, i % nodes)))));
	TEST_ASSERT_EQUAL_INT(200, desk_patch(desk, "application/merge-patch+json", path, body));
	return false;
}

/* Binds pods that wait to nodes by their number, those for one node to that one. */
static void schedule(void)
{
	const struct registry *r = apisim_registry(desk->api);
	uint32_t nodes = registry_count(r, RESOURCE_NODES), bound = 0;

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++) {
		const struct revision *pod =
			registry_revision(r, registry_nth(r, RESOURCE_PODS, i));
		struct text name = revision_name(pod), node;
		char path[256], body[512];
		size_t meant = text_find(name, 'n');
		const char *uid = strstr(revision_json(pod).at, "\"uid\":\"") + 7;

		if (revision_node(pod).size > 0 || nodes == 0 || bound == SCHEDULED_AT_ONCE ||
			text_contains(revision_json(pod), TEXT("unobtainable")) ||
			text_contains(revision_json(pod), TEXT("schedulingGates")))
			continue;
		if (text_contains(revision_json(pod), TEXT("claimName")) && !has_volume(r, pod, i))
			continue;
		node = revision_name(
			registry_revision(r, registry_nth(r, RESOURCE_NODES, i % nodes)));
		if (text_contains(name, TEXT("-node-")))
			node = text_from(name, meant);
		snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%.*s/binding",
			TEXT_ARGS(name));
		snprintf(body, sizeof(body),
			"{\"kind\":\"Binding\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
			"\"%.*s\",\"uid\":\"%.36s\"},\"target\":{\"name\":\"%.*s\"}}",
			TEXT_ARGS(name), uid, TEXT_ARGS(node));
		desk_ask(desk, "POST", path, body);
		bound++;
	}
}

static void live(int64_t seconds)
{
	int64_t end = desk->now_us + seconds * CLOCK_S_US;

	while (desk->now_us < end) {
		struct mono next = life_turn(life);

		schedule();
		/* There is always something to come, and it does not come for ever at once. */
		for (int i = 0; next.us <= desk->now_us; i++) {
			TEST_ASSERT_TRUE(i < 10);
			next = life_turn(life);
		}
		desk->now_us += CLOCK_S_US / 2;
	}
}

/* The counts are those of the objects. */
static void compare(void)
{
	const struct registry *r = apisim_registry(desk->api);
	const struct life_counts *counts = life_counts(life);
	uint32_t running = 0;

	life_turn(life);
	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++)
		running += text_is(
			revision_phase(registry_revision(r, registry_nth(r, RESOURCE_PODS, i))),
			TEXT("Running"));
	TEST_ASSERT_EQUAL_UINT32(registry_count(r, RESOURCE_PODS), counts->pods);
	TEST_ASSERT_EQUAL_UINT32(registry_count(r, RESOURCE_NODES), counts->nodes);
	TEST_ASSERT_EQUAL_UINT32(running, counts->pods_running);
	TEST_ASSERT_EQUAL_UINT64(0, counts->refused);
}

static void a_calm_cluster_comes_to_rest(void)
{
	begin(7, true);
	live(60);
	const struct life_counts *counts = life_counts(life);
	TEST_ASSERT_EQUAL_UINT32(NODES, counts->nodes);
	TEST_ASSERT_TRUE(counts->pods >= PODS + NODES);
	/* All but those that fit nowhere. */
	TEST_ASSERT_EQUAL_UINT32(2, counts->pods_pending);
	TEST_ASSERT_EQUAL_UINT32(counts->pods - 2, counts->pods_running);
	compare();
	uint64_t created = counts->created;
	live(300);
	TEST_ASSERT_EQUAL_UINT64(created, counts->created);
	TEST_ASSERT_EQUAL_UINT64(0, counts->node_failures);
	TEST_ASSERT_EQUAL_INT(200, desk_ask(desk, "GET", "/api/v1/nodes/node-00000", NULL));
	TEST_ASSERT_TRUE(desk_has(desk, "node-role.kubernetes.io/control-plane"));
}

static void a_volume_somebody_reserved_is_bound(void)
{
	begin(5, true);
	TEST_ASSERT_EQUAL_INT(201,
		desk_ask(desk, "POST", "/api/v1/namespaces/default/persistentvolumeclaims",
			"{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"metadata\":{"
			"\"name\":\"c\"},\"spec\":{\"storageClassName\":\"\"}}"));
	TEST_ASSERT_EQUAL_INT(201,
		desk_ask(desk, "POST", "/api/v1/persistentvolumes",
			"{\"kind\":\"PersistentVolume\",\"apiVersion\":\"v1\",\"metadata\":{"
			"\"name\":\"v\"},\"spec\":{\"claimRef\":{\"namespace\":\"default\","
			"\"name\":"
			"\"c\"}}}"));
	live(5);
	TEST_ASSERT_EQUAL_INT(200,
		desk_ask(desk, "GET", "/api/v1/namespaces/default/persistentvolumeclaims/c", NULL));
	TEST_ASSERT_EQUAL_STRING("v", desk_value(desk, "spec.volumeName"));
	TEST_ASSERT_EQUAL_STRING("Bound", desk_value(desk, "status.phase"));
	TEST_ASSERT_EQUAL_INT(200, desk_ask(desk, "GET", "/api/v1/persistentvolumes/v", NULL));
	TEST_ASSERT_EQUAL_STRING("Bound", desk_value(desk, "status.phase"));
}

static void a_day_has_everything(void)
{
	begin(11, false);
	live(3600);
	const struct life_counts *counts = life_counts(life);
	TEST_ASSERT_TRUE(counts->scaled > 10);
	TEST_ASSERT_TRUE(counts->completed > 10);
	TEST_ASSERT_TRUE(counts->ended > 10);
	TEST_ASSERT_TRUE(counts->node_failures > 2);
	TEST_ASSERT_TRUE(counts->node_returns > 1);
	TEST_ASSERT_TRUE(counts->evicted > 0);
	TEST_ASSERT_TRUE(counts->power_cuts > 0);
	TEST_ASSERT_TRUE(counts->nodes_removed > 0);
	TEST_ASSERT_EQUAL_UINT64(cuts, counts->power_cuts);
	TEST_ASSERT_TRUE(counts->volumes_bound > 0);
	compare();
}

/* Each claim is one of a pod that is there, but for those that the controller has not seen yet. */
static uint32_t claims_without_pods(const struct registry *r)
{
	uint32_t without = 0;

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_CLAIMS); i++)
		without += registry_find(r, RESOURCE_PODS,
				   revision_key(registry_revision(
					   r, registry_nth(r, RESOURCE_CLAIMS, i)))) == 0;
	return without;
}

static void drivers_offer_devices_and_claims_end_with_their_pods(void)
{
	const struct registry *r = apisim_registry(desk->api);
	uint32_t wanted = 0, tainted = 0;

	devices = true;
	begin(13, false);
	for (int i = 0; i < 60; i++) {
		live(20);
		/* but for a node that has just gone */
		TEST_ASSERT_TRUE(registry_count(r, RESOURCE_SLICES) <=
			registry_count(r, RESOURCE_NODES) + 1);
		wanted += registry_count(r, RESOURCE_CLAIMS);
		for (uint32_t k = 0; k < registry_count(r, RESOURCE_SLICES); k++)
			tainted += text_contains(revision_json(registry_revision(
							 r, registry_nth(r, RESOURCE_SLICES, k))),
				TEXT("/hot"));
	}
	TEST_ASSERT_TRUE(wanted > 100);
	TEST_ASSERT_TRUE(tainted > 10);
	TEST_ASSERT_EQUAL_INT(200,
		desk_ask(desk, "GET", "/apis/resource.k8s.io/v1/resourceslices/gpu-node-00001",
			NULL));
	TEST_ASSERT_EQUAL_STRING("gpu.example.com", desk_value(desk, "spec.driver"));
	life_calm(life, true);
	live(120);
	TEST_ASSERT_EQUAL_UINT32(0, claims_without_pods(r));
	TEST_ASSERT_EQUAL_UINT64(0, life_counts(life)->refused);
	devices = false;
}

static void a_cluster_may_have_no_nodes(void)
{
	begin_with(0, 5, false);
	live(600);
	compare();
}

static void the_same_seed_is_the_same_day(void)
{
	uint64_t version, created;

	begin(3, false);
	live(600);
	version = apisim_registry(desk->api)->version;
	created = life_counts(life)->created;
	tearDown();
	setUp();
	begin(3, false);
	live(600);
	TEST_ASSERT_EQUAL_UINT64(version, apisim_registry(desk->api)->version);
	TEST_ASSERT_EQUAL_UINT64(created, life_counts(life)->created);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(a_calm_cluster_comes_to_rest);
	RUN_TEST(a_volume_somebody_reserved_is_bound);
	RUN_TEST(a_day_has_everything);
	RUN_TEST(drivers_offer_devices_and_claims_end_with_their_pods);
	RUN_TEST(a_cluster_may_have_no_nodes);
	RUN_TEST(the_same_seed_is_the_same_day);
	return UNITY_END();
}
