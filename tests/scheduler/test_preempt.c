/* SPDX-License-Identifier: GPL-2.0-only */
/* Victims that cannot be told to go, in a scheduler in virtual time. */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
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

/* It waits, and people see why it does. */
static void test_more_victims_than_there_is_room_for(void)
{
	struct bed_script *condition =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/high/status", "{}");
	const uint32_t count = cluster_limits.victims + 1;
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'x','namespace':'default'}}"));
	for (char name[] = "a"; name[0] < 'a' + (char)count; name[0]++)
		cluster_add_pod(name, false, "200m", "n1");
	cluster_add_node("n1", "2");
	add_important("high", "4", "2");
	cluster_run(5000);
	TEST_ASSERT_EQUAL(1, pool_used(&cluster.s.queue.entries));
	TEST_ASSERT_EQUAL(0, cluster.s.stats.preemptions);
	TEST_ASSERT_TRUE(condition->asked > 0);
	TEST_ASSERT_NOT_NULL(strstr(condition->seen, "Insufficient cpu"));
	TEST_ASSERT_NULL(strstr(condition->seen, "nominatedNodeName"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_who_may_not_be_evicted_is_not_asked_all_the_time);
	RUN_TEST(test_a_victim_is_told_once);
	RUN_TEST(test_who_may_be_evicted_at_last);
	RUN_TEST(test_a_victim_that_is_gone_at_once);
	RUN_TEST(test_more_victims_than_there_is_room_for);
	return UNITY_END();
}
