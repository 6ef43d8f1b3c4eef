/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requeueing from the change log: what came together in one turn is worked off when the cache is
 * at its newest state already.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <unity.h>

#include "base/log.h"
#include "scheduler/cluster.h"

void setUp(void)
{
	cluster_open(NULL);
	cluster_batches = true;
}

void tearDown(void)
{
	scheduler_audit(&cluster.s);
	cluster_close();
	cluster_batches = false;
}

static void remove_pod(const char *name)
{
	char json[128];
	snprintf(json, sizeof(json), "{'metadata':{'name':'%s','namespace':'default'}}", name);
	TEST_ASSERT_TRUE(cluster_tell(KUBE_POD, KUBE_WATCH_DELETED, json));
}

static void add_labelled(const char *name, const char *uid, uint32_t version, const char *app,
	const char *cpu, const char *node)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'%u',"
		"'labels':{'app':'%s'}},'spec':{'schedulerName':'default-scheduler'%s%s%s,"
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'%s'}}}]}}",
		name, uid, (unsigned)version, app, *node == '\0' ? "" : ",'nodeName':'", node,
		*node == '\0' ? "" : "'", cpu);
}

static uint32_t waiting(void)
{
	return cluster.s.queue.pods[QUEUE_UNSCHEDULABLE];
}

static void test_requeue_when_a_pod_comes_and_goes_then_nothing_is_queued(void)
{
	cluster_add_pod("p", false, "1", "");
	remove_pod("p");
	TEST_ASSERT_EQUAL_UINT32(2, cache_log_count(&cluster.s.cache));
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(0, cache_log_count(&cluster.s.cache));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cluster.s.queue.entries));
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
}

static void test_requeue_when_a_pod_is_bound_by_another_one_then_it_is_not_queued(void)
{
	add_labelled("p", "u", 1, "a", "1", "");
	add_labelled("p", "u", 2, "a", "1", "n1");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cluster.s.queue.entries));
}

static uint64_t count_of(struct series_labels labels)
{
	const struct series *series = &cluster.s.metrics.series;
	for (uint32_t i = 0; i < series->count; i++) {
		const struct series_row *row = &series->rows[i];
		uint64_t count = 0;
		for (uint32_t b = 0; b <= SERIES_BUCKETS_MAX; b++)
			count += row->histogram.counts[b];
		if (row->labels.family == labels.family && row->labels.group == labels.group &&
			row->labels.what == labels.what && row->labels.result == labels.result)
			return count;
	}
	return 0;
}

static uint64_t events(uint32_t kind, uint32_t action)
{
	return count_of((struct series_labels){
		.family = SERIES_EVENT, .what = (uint16_t)series_event(kind, action)});
}

/* A pod that gets a node comes as one with a node, and goes as one without. */
static void test_requeue_when_a_pod_is_bound_then_upstream_s_events_are_counted(void)
{
	add_labelled("p", "u", 1, "a", "100", "");
	cluster_run(10);
	add_labelled("p", "u", 2, "b", "100", "n1");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT64(1, events(SERIES_PENDING_POD, CACHE_ADD));
	TEST_ASSERT_EQUAL_UINT64(1, events(SERIES_PENDING_POD, CACHE_DELETE));
	TEST_ASSERT_EQUAL_UINT64(1, events(KUBE_POD, CACHE_ADD));
	TEST_ASSERT_EQUAL_UINT64(0, events(KUBE_POD, CACHE_UPDATE_POD_LABEL));
}

static uint64_t hints(enum plugin_id plugin, uint32_t kind, uint32_t action)
{
	return count_of((struct series_labels){.family = SERIES_HINT,
		.group = (uint16_t)plugin,
		.what = (uint16_t)series_event(kind, action),
		.result = SERIES_QUEUE_SKIP});
}

/* Only hints that are registered are run; of a pod's own change by the name that it has then. */
static void test_requeue_when_a_waiting_pod_changes_then_registered_hints_are_counted(void)
{
	add_labelled("p", "u", 1, "a", "100", "");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(1, waiting());
	add_labelled("p", "u", 2, "b", "100", "");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT64(1, events(SERIES_PENDING_POD, CACHE_UPDATE_POD_LABEL));
	TEST_ASSERT_EQUAL_UINT64(0, hints(PLUGIN_FIT, SERIES_TARGET_POD, CACHE_UPDATE_POD_LABEL));
	add_labelled("o", "v", 1, "a", "1", "n1");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT64(0, hints(PLUGIN_FIT, KUBE_POD, CACHE_ADD));
	cluster_feed(KUBE_NODE,
		"{'metadata':{'name':'n9','resourceVersion':'9'},'status':{'allocatable':{'pods':"
		"'9','cpu':'1'}}}");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT64(1, hints(PLUGIN_FIT, KUBE_NODE, CACHE_ADD));
}

/* What scripts look for in a log, at kube-scheduler's levels. */
static void test_requeue_when_it_is_logged_then_in_upstream_s_words(void)
{
	static const char *const words[] = {"Add event for unscheduled pod pod=default/p\n",
		"Attempting to schedule pod pod=default/p\n",
		"Unable to schedule pod; no fit; waiting pod=default/p err=\"0/3 nodes",
		"Update event for unscheduled pod pod=default/p\n",
		"Add event for scheduled pod pod=default/p\n",
		"Delete event for unscheduled pod pod=default/p\n",
		"Delete event for scheduled pod pod=default/p\n"};
	static char said[16384];
	int ends[2];
	TEST_ASSERT_EQUAL_INT(0, pipe(ends));
	log_to(ends[1]);
	log_set_level(LOG_CHANGE);
	add_labelled("p", "u", 1, "a", "100", "");
	cluster_run(10);
	add_labelled("p", "u", 2, "b", "100", "");
	cluster_run(10);
	add_labelled("p", "u", 3, "b", "100", "n1");
	cluster_run(10);
	remove_pod("p");
	cluster_run(10);
	log_set_level(LOG_INFO);
	log_to(STDERR_FILENO);
	close(ends[1]);
	ssize_t size, used = 0;
	while ((size = read(ends[0], said + used, sizeof(said) - 1 - (size_t)used)) > 0)
		used += size;
	close(ends[0]);
	const char *at = said;
	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		at = strstr(at, words[i]);
		TEST_ASSERT_NOT_NULL_MESSAGE(at, words[i]);
	}
}

/* Its index in the cache is the other one's by the time that the queue follows. */
static void test_requeue_when_a_name_is_used_again_then_the_new_pod_waits(void)
{
	add_labelled("p", "u1", 1, "a", "100", "");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(1, waiting());
	uint32_t index = cache_find_pod(&cluster.s.cache, TEXT("default"), TEXT("p"));
	uint32_t entry = cache_pod_at(&cluster.s.cache, index)->waiting;
	remove_pod("p");
	add_labelled("q", "u2", 2, "b", "100", "");
	add_labelled("p", "u3", 3, "a", "100", "");
	TEST_ASSERT_EQUAL_UINT32(
		index, cache_find_pod(&cluster.s.cache, TEXT("default"), TEXT("q")));
	TEST_ASSERT_EQUAL_UINT32(index, queue_entry_at(&cluster.s.queue, entry)->pod);
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(2, waiting());
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&cluster.s.queue.entries));
}

/* The event before its deletion asks who waits, and the pod is not there to be asked any more. */
static void test_requeue_when_a_waiting_pod_goes_after_an_event_then_others_are_asked(void)
{
	add_labelled("gone", "u1", 1, "a", "5", "");
	add_labelled("stays", "u2", 1, "a", "5", "");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(2, waiting());
	cluster_feed(KUBE_NODE,
		"{'metadata':{'name':'big','resourceVersion':'9'},'status':{"
		"'allocatable':{'cpu':'8','memory':'4Gi','pods':'110'}}}");
	remove_pod("gone");
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/stays/binding", "{}");
	cluster_run(3000);
	TEST_ASSERT_EQUAL_STRING("big", cluster_bound_to("stays"));
}

/* Two that waited as one group; the one that is asked for both has changed, with the event. */
static void test_requeue_when_one_of_a_group_changes_then_the_other_is_asked_by_itself(void)
{
	add_labelled("first", "u1", 1, "a", "5", "");
	add_labelled("second", "u2", 1, "a", "5", "");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&cluster.s.queue.groups));
	cluster_feed(KUBE_NODE,
		"{'metadata':{'name':'big','resourceVersion':'9'},'status':{"
		"'allocatable':{'cpu':'8','memory':'4Gi','pods':'110'}}}");
	add_labelled("first", "u1", 2, "a", "50", "");
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/second/binding", "{}");
	cluster_run(3000);
	TEST_ASSERT_EQUAL_STRING("big", cluster_bound_to("second"));
}

/* What was freed is gone again when hints are asked; the pod is tried all the same, and waits. */
static void test_requeue_when_room_comes_and_goes_then_nothing_is_lost(void)
{
	for (char node[] = "n1"; node[1] <= '3'; node[1]++) {
		char name[] = "x1";
		name[1] = node[1];
		add_labelled(name, name, 1, "x", "4", node);
	}
	add_labelled("p", "u", 1, "a", "4", "");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(1, waiting());
	remove_pod("x1");
	add_labelled("y", "y", 2, "x", "4", "n1");
	cluster_run(3000);
	TEST_ASSERT_EQUAL_UINT32(1, waiting());
	remove_pod("y");
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}");
	cluster_run(15000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("p"));
}

static void test_requeue_when_the_log_is_full_then_it_is_worked_off_and_nothing_is_lost(void)
{
	char name[16];
	for (uint32_t i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "p%u", (unsigned)i);
		add_labelled(name, name, 1, "a", "100", "");
		TEST_ASSERT_TRUE(cache_log_count(&cluster.s.cache) <= 16);
	}
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(40, waiting());
	for (uint32_t i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "p%u", (unsigned)i);
		remove_pod(name);
	}
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cluster.s.queue.entries));
}

/* It is on its way when it is deleted, and another pod has its index. */
static void test_requeue_when_a_pod_goes_on_its_way_then_its_binding_ends(void)
{
	add_labelled("p", "u1", 1, "a", "4", "");
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}")->delay_ms = 1000;
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(1, cluster.s.queue.pods[QUEUE_IN_FLIGHT]);
	remove_pod("p");
	add_labelled("q", "u2", 2, "a", "100", "");
	cluster_run(10);
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.queue.pods[QUEUE_IN_FLIGHT]);
	TEST_ASSERT_EQUAL_UINT32(1, waiting());
	cluster_run(3000);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cluster.s.bindings.pool));
	TEST_ASSERT_EQUAL_UINT32(1, waiting());
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_requeue_when_a_pod_comes_and_goes_then_nothing_is_queued);
	RUN_TEST(test_requeue_when_a_pod_is_bound_by_another_one_then_it_is_not_queued);
	RUN_TEST(test_requeue_when_a_pod_is_bound_then_upstream_s_events_are_counted);
	RUN_TEST(test_requeue_when_a_waiting_pod_changes_then_registered_hints_are_counted);
	RUN_TEST(test_requeue_when_it_is_logged_then_in_upstream_s_words);
	RUN_TEST(test_requeue_when_a_name_is_used_again_then_the_new_pod_waits);
	RUN_TEST(test_requeue_when_a_waiting_pod_goes_after_an_event_then_others_are_asked);
	RUN_TEST(test_requeue_when_one_of_a_group_changes_then_the_other_is_asked_by_itself);
	RUN_TEST(test_requeue_when_room_comes_and_goes_then_nothing_is_lost);
	RUN_TEST(test_requeue_when_the_log_is_full_then_it_is_worked_off_and_nothing_is_lost);
	RUN_TEST(test_requeue_when_a_pod_goes_on_its_way_then_its_binding_ends);
	return UNITY_END();
}
