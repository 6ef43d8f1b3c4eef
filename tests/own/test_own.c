/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plugins of one's own, built in by make PLUGINS=tests/own/plugins: the example in a profile, with
 * its filter, score, hint and arguments; and pods that are bound together or not at all.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c tests/plugins/decide.c
#include <stdio.h>
#include <stdlib.h>

#include <unity.h>

#include "base/arena.h"
#include "cycle/group.h"
#include "plugins/hints.h"
#include "plugins/decide.h"
#include "plugins/picture.h"
#include "profile/profile.h"
#include "profile/scheduler_write.h"

enum { SCRATCH_BYTES = 1 << 20, NODES = 64, GANG = 4, TEXT_BYTES = 8192 };

#define FILE_OF(profile)                               \
	"apiVersion: kubescheduler.config.k8s.io/v1\n" \
	"kind: KubeSchedulerConfiguration\n"           \
	"profiles: [{" profile "}]\n"
#define USES_ALL "plugins: {multiPoint: {enabled: [{name: Team, weight: 5}, {name: Gang}]}}"

static struct cycle cycle;
static struct binding_waiting waiting;
static struct cycle_member members[GANG];
static struct binding_points points_of[GANG];
static void *block;
static void *work_block;
static struct scratch work;
static char fault_bytes[TEXT_BYTES];
static struct config_faults faults;
static struct config_faults notes;
static struct scheduler_config config;

static enum profile_result build(const char *yaml)
{
	struct arena none = {0};
	struct writer fault;
	scratch_reset(&work);
	writer_init(&fault, fault_bytes, sizeof(fault_bytes) - 1);
	enum scheduler_config_result read =
		scheduler_config_read(text_of(yaml), &work, &config, &faults, &notes);
	if (read != SCHEDULER_CONFIG_OK)
		return PROFILE_REFUSED;
	const struct profile_memory memory = {&picture.cache, &none, &work};
	enum profile_result result = profiles_build(&memory, &config, &picture.profile, &fault);
	fault_bytes[fault.used] = '\0';
	return result;
}

void setUp(void)
{
	const struct cycle_limits limits = {
		.nodes = NODES, .rows = 2, .scratch_bytes = SCRATCH_BYTES};
	struct arena arena;
	picture_start();
	work_block = malloc(SCRATCH_BYTES);
	scratch_init(&work, work_block, SCRATCH_BYTES);
	TEST_ASSERT_EQUAL(PROFILE_OK, build(FILE_OF(USES_ALL)));
	block = malloc(cycle_size(&limits));
	arena_init(&arena, block, cycle_size(&limits));
	cycle_init(&cycle, &arena, &limits, &picture.cache, &picture.profile, 1);
	binding_waiting_init(&waiting);
}

void tearDown(void)
{
	const struct cycle_limits limits = {
		.nodes = NODES, .rows = 2, .scratch_bytes = SCRATCH_BYTES};
	struct arena whole;
	arena_init(&whole, block, cycle_size(&limits)); /* lifts the poison */
	arena_init(&whole, work_block, SCRATCH_BYTES);
	free(block);
	free(work_block);
	picture_end();
}

static void add_node(const char *name, const char *team, uint32_t pods)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s','labels':{'example.com/team':'%s'}},"
		     "'status':{'allocatable':{'cpu':'64','memory':'64Gi','pods':'%u'}}}",
		name, team, pods);
}

static uint32_t add_pod(const char *name, const char *labels)
{
	return picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default',"
			    "'uid':'%s','labels':{%s}},'spec':{'containers':[{'name':'c'}]}}",
		name, name, labels);
}

static const char *decide(uint32_t pod)
{
	return decide_in(&cycle, pod);
}

/* ---- the example ---- */

static void test_the_example_filters_and_scores(void)
{
	add_node("red-small", "red", 10);
	add_node("red-large", "red", 20);
	add_node("blue", "blue", 100);
	TEST_ASSERT_EQUAL_STRING("red-large", decide(add_pod("p", "'example.com/team':'red'")));
	TEST_ASSERT_EQUAL_STRING("blue", decide(add_pod("q", "")));
	const char *none = decide(add_pod("r", "'example.com/team':'green'"));
	TEST_ASSERT_NOT_NULL(
		strstr(none, "0/3 nodes are available: 3 node(s) were of another team"));
}

static void test_the_example_has_an_argument(void)
{
	const char *other = FILE_OF(USES_ALL
		", pluginConfig: [{name: Team, args: {label: example.com/squad, leastFree: 30}}]");
	TEST_ASSERT_EQUAL_MESSAGE(PROFILE_OK, build(other), fault_bytes);
	add_node("small", "red", 10);
	add_node("large", "red", 40);
	TEST_ASSERT_EQUAL_STRING("large", decide(add_pod("p", "'example.com/team':'green'")));
	TEST_ASSERT_EQUAL(PROFILE_REFUSED,
		build(FILE_OF("pluginConfig: [{name: Team, args: {leastFree: 0}}]")));
	TEST_ASSERT_EQUAL(
		PROFILE_REFUSED, build(FILE_OF("pluginConfig: [{name: Team, args: {most: 1}}]")));
	TEST_ASSERT_EQUAL(PROFILE_REFUSED,
		build(FILE_OF("pluginConfig: [{name: Team, args: {label: 'a b'}}]")));
}

static void test_arguments_are_written_out(void)
{
	char bytes[TEXT_BYTES];
	struct writer out;
	TEST_ASSERT_EQUAL(
		PROFILE_OK, build(FILE_OF("pluginConfig: [{name: Team, args: {leastFree: 7}}]")));
	writer_init(&out, bytes, sizeof(bytes));
	scheduler_config_write(&config, &out);
	TEST_ASSERT_FALSE(out.overflowed);
	TEST_ASSERT_TRUE(text_contains(writer_text(&out), TEXT("leastFree: 7")));
	TEST_ASSERT_TRUE(text_contains(writer_text(&out), TEXT("label: example.com/team")));
}

static void test_the_example_requeues_by_its_hint(void)
{
	uint32_t pod = add_pod("p", "'example.com/team':'red'");
	add_node("blue", "blue", 10);
	add_node("red", "red", 10);
	const struct cycle_state *d = picture_decide("default", "p");
	const struct plugin_waiting w = {.cache = &picture.cache,
		.profile = &picture.profile,
		.scratch = &picture.work,
		.pod = d->pod};
	TEST_ASSERT_EQUAL_UINT32(pod, w.pod.index);
	const char *const names[] = {"blue", "red"};
	for (uint32_t i = 0; i < 2; i++) {
		const struct cache_node *node =
			cache_node_at(&picture.cache, picture_node(names[i]));
		const struct cache_event event = {.kind = KUBE_NODE,
			.name = node->name,
			.actions = CACHE_ADD,
			.now = {.there = true,
				.blob = &node->facts->blob,
				.labels = cache_labels_at(&picture.cache, node->labels)}};
		TEST_ASSERT_EQUAL(i == 1, plugin_event_helps(PLUGIN_TEAM, &w, &event));
	}
}

static void test_the_example_is_found_by_name_and_helps(void)
{
	TEST_ASSERT_EQUAL(PLUGIN_TEAM, plugin_find(TEXT("Team")));
	TEST_ASSERT_TRUE(plugin_has_point(&plugin_team, PLUGIN_AT_FILTER));
	TEST_ASSERT_TRUE(plugin_has_point(&plugin_gang, PLUGIN_AT_PERMIT));
	TEST_ASSERT_EQUAL_STRING("A node with the team's label.",
		plugin_help_for(&plugin_team, TEXT("node(s) were of another team")));
	TEST_ASSERT_EQUAL(
		PROFILE_REFUSED, build(FILE_OF("plugins: {filter: {enabled: [{name: Teem}]}}")));
}

/* ---- several pods at once ---- */

static void add_gang(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char name[16];
		snprintf(name, sizeof(name), "g%u", i);
		members[i] = (struct cycle_member){.pod = add_pod(name, "'example.com/gang':'one'"),
			.tag = i + 1,
			.points = &points_of[i]};
	}
}

static bool assume(uint32_t count, uint32_t *failed)
{
	struct schedule_result result;
	const struct mono now = {0};
	return cycle_assume_group(&cycle, &waiting, now, members, count, &result, failed);
}

static uint32_t count_assumed(void)
{
	return picture.cache.pods_assumed;
}

static void test_a_group_is_assumed_whole_or_not_at_all(void)
{
	uint32_t failed;
	add_node("a", "red", 2);
	add_gang(3);
	TEST_ASSERT_FALSE(assume(3, &failed));
	TEST_ASSERT_EQUAL_UINT32(2, failed);
	TEST_ASSERT_EQUAL_UINT32(0, count_assumed());
	add_node("b", "red", 2);
	TEST_ASSERT_TRUE(assume(3, &failed));
	TEST_ASSERT_EQUAL_UINT32(3, count_assumed());
	for (uint32_t i = 0; i < 3; i++)
		TEST_ASSERT_EQUAL(BINDING_PERMITTED, members[i].points->stage);
	cycle_undo_group(&cycle, members, 3);
	TEST_ASSERT_EQUAL_UINT32(0, count_assumed());
}

static void test_a_gang_waits_until_enough_have_a_place(void)
{
	uint32_t failed;
	add_node("a", "red", 10);
	add_gang(3);
	for (uint32_t i = 0; i < 3; i++) {
		struct schedule_result result;
		const struct mono now = {0};
		TEST_ASSERT_TRUE(cycle_assume_group(
			&cycle, &waiting, now, &members[i], 1, &result, &failed));
		TEST_ASSERT_EQUAL(
			i < 2 ? BINDING_WAITS : BINDING_PERMITTED, members[i].points->stage);
		TEST_ASSERT_NULL(i < 2 ? binding_next_settled(&waiting, picture_why()) : NULL);
	}
	for (uint32_t i = 0; i < 2; i++) {
		const struct binding_points *points = binding_next_settled(&waiting, picture_why());
		TEST_ASSERT_EQUAL_PTR(members[i].points, points);
		TEST_ASSERT_EQUAL(BINDING_PERMITTED, points->stage);
	}
	TEST_ASSERT_NULL(binding_next_settled(&waiting, picture_why()));
	TEST_ASSERT_EQUAL_INT64(MONO_NEVER.us, binding_next_timeout(&waiting).us);
	TEST_ASSERT_FALSE(binding_pre_flight(members[0].points));
	binding_bound(members[0].points);
	TEST_ASSERT_EQUAL(BINDING_ENDED, members[0].points->stage);
	cycle_undo_group(&cycle, members, 3);
}

static void test_a_gang_that_waits_too_long_gives_its_places_back(void)
{
	uint32_t failed;
	add_node("a", "red", 10);
	add_gang(2);
	TEST_ASSERT_TRUE(assume(2, &failed));
	TEST_ASSERT_EQUAL(BINDING_WAITS, members[0].points->stage);
	TEST_ASSERT_EQUAL(BINDING_WAITS, members[1].points->stage);
	struct mono due = binding_next_timeout(&waiting);
	TEST_ASSERT_EQUAL_INT64(30 * (int64_t)CLOCK_S_US, due.us);
	members[1].points->holders[0].until.us++; /* one is the first */
	binding_expire(&waiting, (struct mono){due.us - 1});
	TEST_ASSERT_NULL(binding_next_settled(&waiting, picture_why()));
	binding_expire(&waiting, due);
	struct binding_points *points = binding_next_settled(&waiting, picture_why());
	TEST_ASSERT_EQUAL_PTR(members[0].points, points);
	TEST_ASSERT_EQUAL(PLUGIN_GANG, points->rejector);
	TEST_ASSERT_EQUAL_STRING(
		"rejected due to timeout after waiting 30s at plugin Gang", picture_reasons());
	cycle_undo_group(&cycle, &members[0], 1);
	/* Its Unreserve rejected the other. */
	points = binding_next_settled(&waiting, picture_why());
	TEST_ASSERT_EQUAL_PTR(members[1].points, points);
	TEST_ASSERT_EQUAL_STRING("another pod of the gang was rejected", picture_reasons());
	cycle_undo_group(&cycle, &members[1], 1);
	TEST_ASSERT_EQUAL_UINT32(0, count_assumed());
	TEST_ASSERT_NULL(binding_next_settled(&waiting, picture_why()));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_example_filters_and_scores);
	RUN_TEST(test_the_example_has_an_argument);
	RUN_TEST(test_arguments_are_written_out);
	RUN_TEST(test_the_example_requeues_by_its_hint);
	RUN_TEST(test_the_example_is_found_by_name_and_helps);
	RUN_TEST(test_a_group_is_assumed_whole_or_not_at_all);
	RUN_TEST(test_a_gang_waits_until_enough_have_a_place);
	RUN_TEST(test_a_gang_that_waits_too_long_gives_its_places_back);
	return UNITY_END();
}
