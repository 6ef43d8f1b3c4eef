/* SPDX-License-Identifier: GPL-2.0-only */
/* Events and conditions of a burst, a slow apiserver, and a picture that nobody confirms. */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c dra/*.c cel/*.c cycle/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "scheduler/cluster.h"
#include "scheduler/private.h"
#include "watch/reflector.h"

static struct scheduler_limits before;

void setUp(void)
{
	before = cluster_limits;
	cluster_limits.events = 2;
	cluster_open(NULL);
}

void tearDown(void)
{
	scheduler_audit(&cluster.s);
	cluster_close();
	cluster_limits = before;
}

static void pod_fails(unsigned number, const char *status)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p%u','namespace':'default','uid':'p%u',"
		"'resourceVersion':'%s'},'spec':{'schedulerName':'default-scheduler',"
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'100'}}}]}%s}",
		number, number, *status == '\0' ? "1" : "2", status);
}

static void test_report_when_bindings_are_faster_than_events_then_no_event_is_lost(void)
{
	char name[8];
	struct bed_script *event =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/events", "{}");
	event->status = 201;
	event->delay_ms = 300;
	for (unsigned i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		cluster_add_pod(name, false, "100m", "");
	}
	cluster_run(200);
	TEST_ASSERT_EQUAL_UINT32(5, (uint32_t)cluster.s.stats.bound);
	TEST_ASSERT_GREATER_THAN_UINT32(0, cluster.s.reports.owed);
	for (unsigned i = 0; i < 5; i++) /* the watch says so */
		cluster_feed(KUBE_POD,
			"{'metadata':{'name':'p%u','namespace':'default','uid':'p%u',"
			"'resourceVersion':'2'},'spec':{'schedulerName':'default-scheduler',"
			"'nodeName':'n1','containers':[{'name':'c','resources':{'requests':"
			"{'cpu':'100m'}}}]}}",
			i, i);
	cluster_run(10 * 1000);
	TEST_ASSERT_EQUAL_UINT32(5, event->asked);
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "Successfully assigned default/p"));
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.reports.owed);
	TEST_ASSERT_EQUAL_UINT64(0, recorder_stats(cluster.s.recorder).dropped_full);
}

static void test_report_when_failures_are_faster_than_events_then_conditions_say_them(void)
{
	struct bed_script *event =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/events", "{}");
	event->status = 201;
	event->delay_ms = 300;
	for (unsigned i = 0; i < 5; i++)
		pod_fails(i, "");
	cluster_run(200);
	TEST_ASSERT_GREATER_THAN_UINT32(0, cluster.s.reports.owed);
	for (unsigned i = 0; i < 5; i++)
		pod_fails(i,
			",'status':{'conditions':[{'type':'PodScheduled','status':'False',"
			"'reason':'Unschedulable','message':'0/3 nodes, as the server has it'}]}");
	cluster_run(10 * 1000);
	TEST_ASSERT_EQUAL_UINT32(5, event->asked);
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "0/3 nodes, as the server has it"));
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.reports.owed);
}

static void test_report_when_its_pod_is_gone_then_nothing_is_owed(void)
{
	char json[128];
	struct bed_script *event =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/events", "{}");
	event->status = 201;
	event->delay_ms = 300;
	for (unsigned i = 0; i < 5; i++)
		pod_fails(i, "");
	cluster_run(200);
	for (unsigned i = 0; i < 5; i++) {
		snprintf(
			json, sizeof(json), "{'metadata':{'name':'p%u','namespace':'default'}}", i);
		TEST_ASSERT_TRUE(cluster_tell(KUBE_POD, KUBE_WATCH_DELETED, json));
	}
	cluster_run(10 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, event->asked);
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.reports.owed);
}

/* 32 patches that take a minute each: pods that fit are bound all the same. */
static void test_report_when_patches_are_stuck_then_pods_that_fit_are_bound(void)
{
	char path[64];
	tearDown();
	before = cluster_limits;
	cluster_limits.patches = SCHEDULER_PATCHES_OF_AN_ATTEMPT + 1;
	cluster_open(NULL);
	for (unsigned i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/p%u/status", i);
		bed_says(&cluster.bed, path, "{}")->delay_ms = 5000;
		pod_fails(i, "");
	}
	cluster_run(100);
	TEST_ASSERT_TRUE(scheduler_waits_for_patches(&cluster.s));
	cluster_add_pod("fits", false, "100m", "");
	cluster_run(600);
	TEST_ASSERT_EQUAL_UINT32(1, (uint32_t)cluster.s.stats.bound);
}

/* ---- the picture ---- */

static void confirm(enum kube_kind kind)
{
	cluster.s.watch->by_kind[kind]->heard = net_now(cluster.s.net);
}

static void test_leader_when_a_watch_is_silent_then_nothing_is_decided(void)
{
	confirm(KUBE_POD);
	confirm(KUBE_NODE);
	cluster_run(SCHEDULER_STALE_MS - 1000);
	TEST_ASSERT_EQUAL(SCHEDULER_READY, scheduler_state(&cluster.s));
	confirm(KUBE_POD); /* pods alone are not enough */
	cluster_run(2000);
	TEST_ASSERT_EQUAL(SCHEDULER_STALE, scheduler_state(&cluster.s));
	TEST_ASSERT_EQUAL_STRING("stale", scheduler_wait_name(SCHEDULER_STALE));
	cluster_add_pod("p", false, "1", "");
	cluster_run(2000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	confirm(KUBE_NODE);
	cluster_run(1000);
	TEST_ASSERT_EQUAL(SCHEDULER_READY, scheduler_state(&cluster.s));
	TEST_ASSERT_NOT_EQUAL(0, strcmp("", cluster_bound_to("p")));
}

static void test_leader_when_the_picture_becomes_stale_then_bindings_on_their_way_end(void)
{
	confirm(KUBE_POD);
	confirm(KUBE_NODE);
	cluster_run(SCHEDULER_STALE_MS - 100);
	cluster_add_pod("p", false, "1", "");
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}")->delay_ms = 2000;
	cluster_run(1000);
	TEST_ASSERT_EQUAL(SCHEDULER_STALE, scheduler_state(&cluster.s));
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&cluster.s.bindings.pool));
	cluster_run(3000);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cluster.s.bindings.pool));
	TEST_ASSERT_EQUAL_UINT32(1, (uint32_t)cluster.s.stats.bound);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_report_when_bindings_are_faster_than_events_then_no_event_is_lost);
	RUN_TEST(test_report_when_failures_are_faster_than_events_then_conditions_say_them);
	RUN_TEST(test_report_when_its_pod_is_gone_then_nothing_is_owed);
	RUN_TEST(test_report_when_patches_are_stuck_then_pods_that_fit_are_bound);
	RUN_TEST(test_leader_when_a_watch_is_silent_then_nothing_is_decided);
	RUN_TEST(test_leader_when_the_picture_becomes_stale_then_bindings_on_their_way_end);
	return UNITY_END();
}
