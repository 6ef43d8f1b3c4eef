/* SPDX-License-Identifier: GPL-2.0-only */
/* Victims that cannot be told to go, in a scheduler in virtual time. */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "scheduler/cluster.h"

void setUp(void)
{
	cluster_open(NULL);
	cluster_add_pod("x", false, "3", "n1");
	cluster_add_pod("y", false, "4", "n2");
	cluster_add_pod("z", false, "4", "n3");
}

void tearDown(void)
{
	scheduler_audit(&cluster.s);
	cluster_close();
}

/* On a node whose label says so. */
static void add_important(const char *name, const char *cpu, const char *label)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','priority':10,'nodeSelector':{"
		"'v':'%s'},'containers':[{'name':'c','resources':{'requests':{'cpu':'%s'}}}]}}",
		name, name, label, cpu);
}

/* A policy that protects the victim, say: asking again at once would be answered the same. */
static void test_who_may_not_be_evicted_is_not_asked_all_the_time(void)
{
	struct bed_script *condition =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/x/status", "{}");
	struct bed_script *deletion =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/x", "{}");
	deletion->status = 403;
	add_important("high", "3", "1");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, deletion->asked);
	TEST_ASSERT_EQUAL(1, condition->asked);
	cluster_run(3000);
	TEST_ASSERT_EQUAL(2, deletion->asked);
	cluster_run(60 * 1000);
	TEST_ASSERT_TRUE(deletion->asked >= 6);
	TEST_ASSERT_TRUE(deletion->asked <= 9);
}

/* The condition was taken, and is seen; there is nothing new in it. */
static void test_a_victim_is_told_once(void)
{
	struct bed_script *condition =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/x/status", "{}");
	struct bed_script *deletion =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/x", "{}");
	deletion->status = 403;
	add_important("high", "3", "1");
	cluster_run(100);
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'x','namespace':'default','uid':'x','resourceVersion':'2'},"
		"'spec':{'schedulerName':'default-scheduler','nodeName':'n1','containers':[{'name':"
		"'c','resources':{'requests':{'cpu':'3'}}}]},'status':{'conditions':[{'type':"
		"'DisruptionTarget','status':'True','reason':'PreemptionByScheduler'}]}}");
	cluster_run(3000);
	TEST_ASSERT_EQUAL(2, deletion->asked);
	TEST_ASSERT_EQUAL(1, condition->asked);
}

/* It helps as soon as it is allowed. */
static void test_who_may_be_evicted_at_last(void)
{
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/x/status", "{}");
	struct bed_script *deletion =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/x", "{}");
	struct bed_script *binding =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/high/binding", "{}");
	deletion->status = 500;
	add_important("high", "3", "1");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, deletion->asked);
	deletion->status = 200;
	cluster_run(3000);
	TEST_ASSERT_EQUAL(2, deletion->asked);
	TEST_ASSERT_EQUAL(0, binding->asked);
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'x','namespace':'default'}}"));
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, binding->asked);
}

/* Its last change comes before the answer: people are told all the same. */
static void test_a_victim_that_is_gone_at_once(void)
{
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/other/pods/v/status", "{}");
	struct bed_script *deletion =
		bed_says(&cluster.bed, "/api/v1/namespaces/other/pods/v", "{}");
	struct bed_script *event = bed_says(&cluster.bed, "/api/v1/namespaces/other/events", "{}");
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'x','namespace':'default'}}"));
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'v','namespace':'other','uid':'odd','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','nodeName':'n1','containers':[{'name':"
		"'c','resources':{'requests':{'cpu':'3'}}}]}}");
	deletion->delay_ms = 500;
	add_important("high", "3", "1");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, deletion->asked);
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'v','namespace':'other'}}"));
	cluster_run(1000);
	TEST_ASSERT_EQUAL(1, cluster.s.stats.victims);
	TEST_ASSERT_EQUAL(1, event->asked);
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "\"reason\":\"Preempted\""));
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "\"name\":\"v\""));
}

static void add_victim(const char *name)
{
	char path[128];
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/status", name);
	(void)bed_says(&cluster.bed, path, "{}");
	cluster_add_pod(name, false, "2", "n1");
}

/*
 * All were evicted, but the watch has not shown it of one of them yet: it is waited for, not
 * evicted and counted once more.
 */
static void test_a_victim_that_is_still_to_be_seen_is_waited_for(void)
{
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'x','namespace':'default'}}"));
	add_victim("v");
	add_victim("w");
	struct bed_script *first =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/v", "{}");
	struct bed_script *second =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/w", "{}");
	struct bed_script *binding =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/high/binding", "{}");
	second->delay_ms = 300;
	cluster_add_node("n1", "2");
	add_important("high", "4", "2");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, first->asked);
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'v','namespace':'default'}}"));
	cluster_run(5000);
	TEST_ASSERT_EQUAL(1, second->asked);
	TEST_ASSERT_EQUAL_UINT64(2, cluster.s.metrics.victims.sum);
	TEST_ASSERT_EQUAL(0, binding->asked);
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'w','namespace':'default'}}"));
	cluster_run(1000);
	TEST_ASSERT_EQUAL(1, binding->asked);
	TEST_ASSERT_EQUAL(2, cluster.s.stats.victims);
}

/* Those of v1.37 count, those of v1.36 do not. */
static void test_victims_that_are_on_their_way_out_are_counted_by_release(void)
{
	for (enum kube_release r = KUBE_1_36; r < KUBE_RELEASES; r++) {
		cluster_close();
		setUp();
		cluster.s.cache.release = r;
		cluster_feed(KUBE_POD,
			"{'metadata':{'name':'x','namespace':'default','uid':'x','resourceVersion':"
			"'2','deletionTimestamp':'2026-01-01T00:00:00Z'},'spec':{"
			"'schedulerName':'default-scheduler','nodeName':'n1','containers':[{'name':"
			"'c','resources':{'requests':{'cpu':'3'}}}]}}");
		cluster_add_node("n1", "2");
		add_important("high", "4", "2");
		cluster_run(100);
		TEST_ASSERT_EQUAL_UINT64(r == KUBE_1_37 ? 1 : 0, cluster.s.metrics.victims.sum);
		TEST_ASSERT_EQUAL(0, cluster.s.stats.victims);
		TEST_ASSERT_EQUAL(0, cluster.s.stats.preemptions);
	}
}

/* They have their turn one after the other. */
static void test_preempt_when_there_are_more_victims_than_room_then_all_are_evicted(void)
{
	enum { VICTIMS = 5 };
	struct bed_script *deletions[VICTIMS];
	const uint32_t victims = cluster_limits.victims;
	cluster_close();
	cluster_limits.victims = 2;
	setUp();
	cluster_limits.victims = victims;
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'x','namespace':'default'}}"));
	for (uint32_t i = 0; i < VICTIMS; i++) {
		const char name[] = {(char)('a' + i), '\0'};
		char path[64];
		cluster_add_pod(name, false, "800m", "n1");
		snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s", name);
		deletions[i] = bed_says(&cluster.bed, path, "{}");
		strcat(path, "/status");
		(void)bed_says(&cluster.bed, path, "{}");
	}
	cluster_add_node("n1", "2");
	add_important("high", "4", "2");
	cluster_run(300);
	TEST_ASSERT_EQUAL(1, cluster.s.stats.preemptions);
	TEST_ASSERT_EQUAL(VICTIMS, cluster.s.stats.victims);
	for (uint32_t i = 0; i < VICTIMS; i++)
		TEST_ASSERT_EQUAL(1, deletions[i]->asked);
	TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.preemptions.pool));
}

static void add_claimant(const char *name)
{
	cluster_feed(KUBE_STORAGE_CLASS,
		"{'metadata':{'name':'slow','resourceVersion':'1'},'provisioner':'maker',"
		"'volumeBindingMode':'WaitForFirstConsumer'}");
	cluster_feed(KUBE_PVC,
		"{'metadata':{'name':'%s','namespace':'default','uid':'c','resourceVersion':'1'},"
		"'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'slow','resources':{"
		"'requests':{'storage':'1Gi'}}},'status':{'phase':'Pending'}}",
		name);
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/persistentvolumeclaims/low", "{}");
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'p%s','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c','resources'"
		":{'requests':{'cpu':'3'}}}],'volumes':[{'name':'v','persistentVolumeClaim':{"
		"'claimName':'%s'}}]}}",
		name, name, name);
}

/* Its provisioner hangs; nobody deletes a pod that was not bound yet. */
static void test_preempt_when_the_victim_is_in_pre_bind_then_it_is_taken_back_in_memory(void)
{
	struct bed_script *condition =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/low/status", "{}");
	struct bed_script *deletion =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/low", "{}");
	struct bed_script *binding =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/high/binding", "{}");
	struct bed_script *event =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/events", "{}");
	binding->status = event->status = 201;
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'x','namespace':'default'}}"));
	add_claimant("low");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(1, pre_bind_stats(cluster.s.pre_bind).waiting);
	add_important("high", "3", "1");
	cluster_run(100);
	TEST_ASSERT_EQUAL(0, pre_bind_stats(cluster.s.pre_bind).under_way);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(condition->seen,
					     "running PreBind plugin \\\"VolumeBinding\\\": "
					     "preempted by DefaultPreemption"),
		condition->seen);
	TEST_ASSERT_NOT_NULL(strstr(condition->seen, "\"reason\":\"SchedulerError\""));
	cluster_run(3000);
	TEST_ASSERT_EQUAL(0, deletion->asked);
	TEST_ASSERT_EQUAL(1, binding->asked);
	TEST_ASSERT_EQUAL(1, cluster.s.stats.victims);
	TEST_ASSERT_TRUE(event->asked > 0);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_who_may_not_be_evicted_is_not_asked_all_the_time);
	RUN_TEST(test_a_victim_is_told_once);
	RUN_TEST(test_who_may_be_evicted_at_last);
	RUN_TEST(test_a_victim_that_is_gone_at_once);
	RUN_TEST(test_a_victim_that_is_still_to_be_seen_is_waited_for);
	RUN_TEST(test_victims_that_are_on_their_way_out_are_counted_by_release);
	RUN_TEST(test_preempt_when_there_are_more_victims_than_room_then_all_are_evicted);
	RUN_TEST(test_preempt_when_the_victim_is_in_pre_bind_then_it_is_taken_back_in_memory);
	return UNITY_END();
}
