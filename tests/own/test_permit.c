/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods that wait at Permit, and groups that get their nodes together, by a plugin of one's own in
 * the whole scheduler, in virtual time, with an apiserver that answers.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c dra/*.c cel/*.c cycle/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "profile/profile.h"
#include "scheduler/cluster.h"

enum { SCRATCH_BYTES = 1 << 20, TEXT_BYTES = 2048 };

#define FILE_OF(args)                                                                          \
	"apiVersion: kubescheduler.config.k8s.io/v1\n"                                         \
	"kind: KubeSchedulerConfiguration\n"                                                   \
	"profiles: [{plugins: {multiPoint: {enabled: [{name: Gang}]}}, pluginConfig: [{name: " \
	"Gang, args: {" args "}}]}]\n"

static const char *file;
static struct scheduler_config config;
static struct config_faults faults, notes;

static void make_profile(struct cache *cache, struct plugin_profile *profile)
{
	char words[TEXT_BYTES];
	struct writer fault;
	struct arena none = {0};
	struct scratch work;
	void *block = malloc(SCRATCH_BYTES);
	scratch_init(&work, block, SCRATCH_BYTES);
	writer_init(&fault, words, sizeof(words));
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_OK,
		scheduler_config_read(text_of(file), &work, &config, &faults, &notes));
	const struct profile_memory memory = {cache, &none, &work};
	TEST_ASSERT_EQUAL(PROFILE_OK, profiles_build(&memory, &config, profile, &fault));
	struct arena whole;
	arena_init(&whole, block, SCRATCH_BYTES); /* lifts the poison */
	free(block);
}

static void open_with(const char *yaml)
{
	file = yaml;
	cluster_make_profile = make_profile;
	cluster_open(NULL);
}

void setUp(void)
{
}

void tearDown(void)
{
	scheduler_audit(&cluster.s);
	cluster_close();
}

/* ---- pods of a gang ---- */

static struct bed_script *condition_of(const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/status", name);
	return bed_says(&cluster.bed, path, "{}");
}

/* `more` is of its metadata. */
static void tell_member(const char *name, uint32_t version, const char *more)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'%u',"
		"'labels':{'example.com/gang':'one'}%s},'spec':{'schedulerName':"
		"'default-scheduler','containers':[{'name':'c','resources':{'requests':{'cpu':"
		"'2'}}}]}}",
		name, name, (unsigned)version, more);
}

static void add_member(const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/binding", name);
	bed_says(&cluster.bed, path, "{}")->status = 201;
	tell_member(name, 1, "");
}

static uint32_t count_waiting(void)
{
	uint32_t count = 0;
	const struct list *all = &cluster.s.bindings.waiting.pods;
	for (const struct list *l = all->next; l != all; l = l->next)
		count++;
	return count;
}

static void expect_words(const struct bed_script *condition, const char *words)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(condition->seen, words), condition->seen);
}

static uint64_t waits_that_ended(enum plugin_code code)
{
	const struct series *series = &cluster.s.metrics.series;
	uint64_t count = 0;
	for (uint32_t i = 0; i < series->count; i++)
		if (series->rows[i].labels.family == SERIES_PERMIT &&
			series->rows[i].labels.result == (uint8_t)code)
			for (uint32_t k = 0; k <= SERIES_BUCKETS_MAX; k++)
				count += series->rows[i].histogram.counts[k];
	return count;
}

static uint64_t gang_timed(enum series_point point, enum plugin_code code)
{
	const struct series *series = &cluster.s.metrics.series;
	enum plugin_id gang = plugin_find(TEXT("Gang"));
	uint64_t count = 0;
	for (uint32_t i = 0; i < series->count; i++) {
		const struct series_row *row = &series->rows[i];
		if (row->labels.family == SERIES_PLUGIN && row->labels.group == gang &&
			row->labels.what == point && row->labels.result == (uint8_t)code)
			for (uint32_t k = 0; k <= SERIES_BUCKETS_MAX; k++)
				count += row->histogram.counts[k];
	}
	return count;
}

#define SMALL FILE_OF("members: 3, timeoutSeconds: 30")

static void test_permit_when_enough_are_placed_then_all_are_bound(void)
{
	open_with(SMALL);
	struct bed_script *status = condition_of("a");
	add_member("a");
	add_member("b");
	cluster_run(5000);
	TEST_ASSERT_EQUAL(2, count_waiting());
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("a"));
	/* Who waits is told its node, once. */
	TEST_ASSERT_EQUAL(1, status->asked);
	expect_words(status, "{\"status\":{\"nominatedNodeName\":\"n");
	/* A pod that is in no gang does not wait. */
	cluster_add_pod("plain", false, "1", "");
	add_member("c");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(0, count_waiting());
	TEST_ASSERT_TRUE(*cluster_bound_to("a") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("b") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("c") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("plain") != '\0');
	TEST_ASSERT_EQUAL(2, waits_that_ended(PLUGIN_SUCCESS));
	TEST_ASSERT_EQUAL(1, status->asked);
	/* Of one pod in ten plugins are timed: of the first. */
	TEST_ASSERT_EQUAL(1, gang_timed(SERIES_PERMIT_POINT, PLUGIN_WAIT));
}

static void test_permit_when_it_takes_too_long_then_places_are_given_back(void)
{
	open_with(SMALL);
	struct bed_script *a = condition_of("a"), *b = condition_of("b");
	add_member("a");
	cluster_run(10);
	add_member("b");
	cluster_run(29 * 1000);
	TEST_ASSERT_EQUAL(2, count_waiting());
	cluster_run(1100);
	TEST_ASSERT_EQUAL(0, count_waiting());
	TEST_ASSERT_EQUAL(0, cluster.s.cache.pods_assumed);
	expect_words(a,
		"0/1 nodes are available: 1 rejected due to timeout after waiting 30s at plugin "
		"Gang.");
	expect_words(a, "\"reason\":\"Unschedulable\"");
	/* Its Unreserve rejects the other one. */
	expect_words(b, "0/1 nodes are available: 1 another pod of the gang was rejected.");
	TEST_ASSERT_EQUAL(2, waits_that_ended(PLUGIN_UNSCHEDULABLE));
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("a"));
	/* Something has changed while each of them waited; they do not go round without a pause. */
	TEST_ASSERT_EQUAL(2, cluster.s.queue.pods[QUEUE_ERROR_BACKOFF]);
	add_member("c");
	cluster_run(15 * 1000);
	TEST_ASSERT_TRUE(*cluster_bound_to("a") != '\0');
}

static void test_permit_when_the_pod_is_being_deleted_then_it_is_removed(void)
{
	open_with(SMALL);
	struct bed_script *a = condition_of("a"), *b = condition_of("b");
	add_member("a");
	add_member("b");
	cluster_run(1000);
	tell_member("a", 2, ",'deletionTimestamp':'2026-01-01T00:00:00Z'");
	cluster_run(100);
	cluster_run(100);
	expect_words(a, "0/1 nodes are available: 1 removed.");
	expect_words(b, "0/1 nodes are available: 1 another pod of the gang was rejected.");
	TEST_ASSERT_EQUAL(0, cluster.s.cache.pods_assumed);
	TEST_ASSERT_EQUAL(1, pool_used(&cluster.s.queue.entries));
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("a"));
}

/* The plugin is asked to give back what is there no more. */
static void test_permit_when_all_pods_are_gone_at_once_then_nothing_is_left(void)
{
	open_with(SMALL);
	add_member("a");
	add_member("b");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(2, count_waiting());
	cluster_batches = true;
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'a','namespace':'default'}}"));
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'b','namespace':'default'}}"));
	cluster_batches = false;
	cluster_run(1000);
	TEST_ASSERT_EQUAL(0, count_waiting());
	TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.bindings.pool));
	TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.queue.entries));
}

/* Nobody deletes a pod that was not bound yet. */
static void test_permit_when_it_is_a_victim_then_it_is_taken_back_in_memory(void)
{
	open_with(SMALL);
	struct bed_script *a = condition_of("a");
	struct bed_script *deletion =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/a", "{}");
	cluster_add_pod("y", false, "4", "n2");
	cluster_add_pod("z", false, "4", "n3");
	add_member("a");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(1, count_waiting());
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/high/binding", "{}")->status = 201;
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'high','namespace':'default','uid':'high',"
		"'resourceVersion':'1'},'spec':{'schedulerName':'default-scheduler','priority':10,"
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'3'}}}]}}");
	cluster_run(100);
	cluster_run(100);
	expect_words(a, "waiting on permit for pod: preempted");
	expect_words(a, "\"reason\":\"SchedulerError\"");
	cluster_run(3000);
	TEST_ASSERT_EQUAL(0, deletion->asked);
	TEST_ASSERT_TRUE(*cluster_bound_to("high") != '\0');
	TEST_ASSERT_EQUAL(1, waits_that_ended(PLUGIN_ERROR));
}

/* ---- the lease ---- */

static void lease_is_held_by(const char *who, uint32_t version)
{
	char body[512];
	snprintf(body, sizeof(body),
		"{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':'l',"
		"'namespace':'n','uid':'u','resourceVersion':'%u'},'spec':{'holderIdentity':'%s',"
		"'leaseDurationSeconds':15,'leaseTransitions':%u,'acquireTime':"
		"'2026-01-01T00:00:00.000000Z','renewTime':'2026-01-01T00:00:00.000000Z'}}",
		(unsigned)version, who, (unsigned)version);
	(void)bed_says(&cluster.bed,
		"/apis/coordination.k8s.io/v1/namespaces/n/leases/l?timeout=5s", body);
}

static void test_permit_when_the_lease_was_lost_then_it_begins_again(void)
{
	cluster_lease = (struct scheduler_lease){.elect = true,
		.namespace = TEXT("n"),
		.name = TEXT("l"),
		.identity = TEXT("me"),
		.duration_ms = 15 * 1000,
		.renew_deadline_ms = 10 * 1000,
		.retry_period_ms = 2000};
	open_with(FILE_OF("members: 3, timeoutSeconds: 900"));
	cluster_lease.elect = false;
	lease_is_held_by("me", 1);
	cluster_run(20 * 1000);
	add_member("a");
	add_member("b");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(2, count_waiting());
	lease_is_held_by("other", 2);
	cluster_run(30 * 1000);
	/* Its third comes while another one leads: nothing is written. */
	add_member("c");
	cluster_run(30 * 1000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("a"));
	lease_is_held_by("me", 3);
	cluster_run(30 * 1000);
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	tell_member("a", 1, "");
	tell_member("b", 1, "");
	tell_member("c", 1, "");
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	cluster_run(30 * 1000);
	TEST_ASSERT_TRUE(*cluster_bound_to("a") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("b") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("c") != '\0');
	TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.bindings.pool));
}

/* ---- a group ---- */

#define TOGETHER FILE_OF("members: 3, timeoutSeconds: 30, together: true")

static void add_members(uint32_t count)
{
	char name[] = "a";
	cluster_batches = true;
	for (uint32_t i = 0; i < count; i++, name[0]++)
		add_member(name);
	cluster_batches = false;
}

static void test_group_when_all_have_room_then_all_are_bound_at_once(void)
{
	open_with(TOGETHER);
	struct bed_script *status = condition_of("a");
	add_members(3);
	cluster_run(100);
	TEST_ASSERT_TRUE(*cluster_bound_to("a") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("b") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("c") != '\0');
	/* None of them had to wait, and is told so. */
	TEST_ASSERT_EQUAL(0, status->asked);
	TEST_ASSERT_EQUAL(3, cluster.s.stats.bound);
}

static void test_group_when_one_finds_no_node_then_none_is_assumed(void)
{
	open_with(TOGETHER);
	cluster_add_pod("x", false, "4", "n1");
	cluster_add_pod("y", false, "3", "n2");
	struct bed_script *a = condition_of("a"), *c = condition_of("c");
	add_members(3); /* two of them would find room on n3 */
	cluster_run(1000);
	TEST_ASSERT_EQUAL(0, cluster.s.cache.pods_assumed);
	TEST_ASSERT_EQUAL(0, count_waiting());
	TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.bindings.pool));
	TEST_ASSERT_EQUAL(3, cluster.s.queue.pods[QUEUE_UNSCHEDULABLE]);
	expect_words(c, "0/3 nodes are available: 3 Insufficient cpu.");
	expect_words(a, "pod default/c of the same group: 0/3 nodes are available:");
	/* Room for the third brings all of them back. */
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'x','namespace':'default'}}"));
	cluster_run(10 * 1000);
	TEST_ASSERT_TRUE(*cluster_bound_to("a") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("b") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("c") != '\0');
}

/* Fewer than the plugin wants: those that are there wait for the others. */
static void test_group_when_it_is_too_small_then_it_waits_at_permit(void)
{
	open_with(TOGETHER);
	add_members(2);
	cluster_run(1000);
	TEST_ASSERT_EQUAL(2, count_waiting());
	add_member("c");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(0, count_waiting());
	TEST_ASSERT_TRUE(*cluster_bound_to("a") != '\0');
	TEST_ASSERT_TRUE(*cluster_bound_to("c") != '\0');
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_permit_when_enough_are_placed_then_all_are_bound);
	RUN_TEST(test_permit_when_it_takes_too_long_then_places_are_given_back);
	RUN_TEST(test_permit_when_the_pod_is_being_deleted_then_it_is_removed);
	RUN_TEST(test_permit_when_all_pods_are_gone_at_once_then_nothing_is_left);
	RUN_TEST(test_permit_when_it_is_a_victim_then_it_is_taken_back_in_memory);
	RUN_TEST(test_permit_when_the_lease_was_lost_then_it_begins_again);
	RUN_TEST(test_group_when_all_have_room_then_all_are_bound_at_once);
	RUN_TEST(test_group_when_one_finds_no_node_then_none_is_assumed);
	RUN_TEST(test_group_when_it_is_too_small_then_it_waits_at_permit);
	return UNITY_END();
}
