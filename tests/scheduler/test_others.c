/* SPDX-License-Identifier: GPL-2.0-only */
/* Another scheduler that binds our pods while we lead, in virtual time. */
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
}

void tearDown(void)
{
	cluster_close();
}

/* One that fits nowhere waits; then somebody puts it on a node. */
static void somebody_binds(const char *name, const char *version)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'%s'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c','resources':"
		"{'requests':{'cpu':'900'}}}]}}",
		name, name, version);
	cluster_run(100);
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'9%s'}"
		",'spec':{'schedulerName':'default-scheduler','nodeName':'n1','containers':[{'name'"
		":'c','resources':{'requests':{'cpu':'900'}}}]}}",
		name, name, version);
	cluster_run(100);
}

static void test_bindings_by_others_are_counted_and_told(void)
{
	cluster_run(6000);
	struct bed_script *events =
		bed_says(&cluster.bed, "/api/v1/namespaces/kube-system/events", "{}");
	somebody_binds("a", "1");
	TEST_ASSERT_EQUAL_UINT64(1, cluster.s.others.bindings);
	TEST_ASSERT_TRUE(cluster.s.others.told);
	cluster_run(2000);
	TEST_ASSERT_EQUAL(1, events->asked);
	TEST_ASSERT_NOT_NULL(strstr(events->seen, "\"reason\":\"AnotherScheduler\""));
	TEST_ASSERT_NOT_NULL(strstr(events->seen, "default-scheduler: default/a to n1"));
	/* Nobody asked us to give way. */
	somebody_binds("b", "2");
	somebody_binds("c", "3");
	TEST_ASSERT_EQUAL_UINT64(3, cluster.s.others.bindings);
	TEST_ASSERT_EQUAL(SCHEDULER_READY, scheduler_state(&cluster.s));
}

static void test_what_was_bound_just_before_we_started_is_no_other(void)
{
	somebody_binds("a", "1");
	TEST_ASSERT_EQUAL_UINT64(0, cluster.s.others.bindings);
}

static void test_our_own_bindings_and_pods_of_other_schedulers_are_no_others(void)
{
	cluster_run(6000);
	cluster_add_pod("p", false, "1", "");
	cluster_run(1000);
	TEST_ASSERT_NOT_EQUAL(0, cluster_bound_to("p")[0]);
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'x','namespace':'default','uid':'x','resourceVersion':'1'},"
		"'spec':{'schedulerName':'theirs','containers':[{'name':'c'}]}}");
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'x','namespace':'default','uid':'x','resourceVersion':'2'},"
		"'spec':{'schedulerName':'theirs','nodeName':'n1','containers':[{'name':'c'}]}}");
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'y','namespace':'default','uid':'y','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','nodeName':'n1','containers':[{'name':"
		"'c'}]}}");
	cluster_run(1000);
	TEST_ASSERT_EQUAL_UINT64(0, cluster.s.others.bindings);
}

static void test_we_yield_and_come_back_when_they_have_stopped(void)
{
	cluster.s.setup.yields = true;
	cluster_run(6000);
	somebody_binds("a", "1");
	somebody_binds("b", "2");
	TEST_ASSERT_EQUAL(SCHEDULER_READY, scheduler_state(&cluster.s));
	somebody_binds("c", "3");
	TEST_ASSERT_EQUAL(SCHEDULER_YIELDING, scheduler_state(&cluster.s));
	cluster_add_pod("p", false, "1", "");
	cluster_run(50 * 1000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	somebody_binds("d", "4"); /* they are still there */
	cluster_run(50 * 1000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL(SCHEDULER_READY, scheduler_state(&cluster.s));
	TEST_ASSERT_NOT_EQUAL(0, cluster_bound_to("p")[0]);
	/* Whoever did it before does not get three more. */
	somebody_binds("e", "5");
	TEST_ASSERT_EQUAL(SCHEDULER_YIELDING, scheduler_state(&cluster.s));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_bindings_by_others_are_counted_and_told);
	RUN_TEST(test_what_was_bound_just_before_we_started_is_no_other);
	RUN_TEST(test_our_own_bindings_and_pods_of_other_schedulers_are_no_others);
	RUN_TEST(test_we_yield_and_come_back_when_they_have_stopped);
	return UNITY_END();
}
