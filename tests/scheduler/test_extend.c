/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods whose extenders are asked, in a scheduler in virtual time: nobody else waits for them, and
 * what is decided goes by the cluster as it is when the answer is there.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c config/*.c
// deps: net/*.c watch/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c tests/watch/wire.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "base/log.h"
#include "cache/feed.h"
#include "scheduler/cluster.h"

static struct bed_script *filter;

void setUp(void)
{
	cluster_open(true);
	filter = bed_says(&cluster.bed, "/a/filter", "{'NodeNames':['n2']}");
}

void tearDown(void)
{
	cluster_close();
}

/* ---- tests ---- */

static void test_others_do_not_wait(void)
{
	filter->delay_ms = 1000;
	cluster_add_pod("p", true, "1", "");
	cluster_run(100);
	cluster_add_pod("q", false, "1", "");
	cluster_run(100);
	TEST_ASSERT_TRUE(cluster_bound_to("q")[0] == 'n');
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	cluster_run(1200);
	TEST_ASSERT_EQUAL_STRING("n2", cluster_bound_to("p"));
	TEST_ASSERT_EQUAL(1, filter->asked);
}

static void test_a_place_that_was_taken_meanwhile(void)
{
	filter->delay_ms = 1000;
	cluster_add_pod("p", true, "3", "");
	cluster_run(100);
	cluster_add_pod("q", false, "3", "n2");
	filter = bed_says(
		&cluster.bed, "/a/filter", "{'NodeNames':['n3']}"); /* to the second question */
	cluster_run(3000);
	TEST_ASSERT_EQUAL_STRING("n3", cluster_bound_to("p"));
	TEST_ASSERT_EQUAL(1, cluster.s.stats.bound);
}

static void test_a_pod_that_goes_while_it_is_asked_about(void)
{
	filter->delay_ms = 1000;
	cluster_add_pod("p", true, "1", "");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, extenders_stats(cluster.s.extenders).asks);
	TEST_ASSERT_EQUAL(
		CACHE_OK, cache_unfeed(&cluster.s.cache, KUBE_POD, TEXT("default"), TEXT("p")));
	TEST_ASSERT_EQUAL(0, extenders_stats(cluster.s.extenders).asks);
	cluster_run(2000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
}

static void test_as_many_at_a_time_as_there_is_room(void)
{
	cluster.bed.wire.silent = true;
	for (uint32_t i = 0; i < EXTENDER_ASKS + 6; i++)
		cluster_feed(KUBE_POD,
			"{'metadata':{'name':'m%u','namespace':'default','uid':'m%u',"
			"'resourceVersion':'1'},'spec':{'schedulerName':'default-scheduler',"
			"'containers':[{'name':'c','resources':{'requests':{"
			"'example.com/gpu':'1'}}}]}}",
			(unsigned)i, (unsigned)i);
	cluster_run(10);
	TEST_ASSERT_EQUAL(EXTENDER_ASKS, extenders_stats(cluster.s.extenders).asks);
	TEST_ASSERT_EQUAL(6, cluster.s.queue.pods[QUEUE_GATED]);
	cluster.bed.wire.silent = false;
	cluster_run(
		60 * 1000); /* they cannot be read: each fails, and has its turn again and again */
	TEST_ASSERT_TRUE(cluster.s.stats.attempts[SCHEDULER_ERROR] > EXTENDER_ASKS + 6);
}

static void test_who_is_refused_is_woken_by_any_node(void)
{
	bed_says(&cluster.bed, "/a/filter", "{'NodeNames':[],'FailedNodes':{'n1':'no','n2':'no'}}");
	cluster_add_pod("p", true, "1", "");
	cluster_run(500);
	TEST_ASSERT_EQUAL(1, cluster.s.queue.pods[QUEUE_UNSCHEDULABLE]);
	uint32_t asked = filter->asked;
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL(asked, filter->asked); /* by nothing else */
	bed_says(&cluster.bed, "/a/filter", "{'NodeNames':['n1']}");
	cluster_add_node("n3", "2");
	cluster_run(500);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("p"));
}

/* No extender has a say here: a binding fails for good, and what it gives back wakes who waits for
 * it. */
static void test_space_that_is_given_back(void)
{
	struct bed_script *binding;

	cluster_add_pod("x", false, "4", "n2");
	cluster_add_pod("y", false, "4", "n3");
	cluster_add_pod("p", false, "3", "");
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p", "{}")->status = 404;
	binding = bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}");
	binding->status = 404;
	binding->delay_ms = 2000;
	cluster_run(100);
	cluster_add_pod("q", false, "3", "");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(1, cluster.s.queue.pods[QUEUE_UNSCHEDULABLE]);
	cluster_run(3000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("q"));
}

/* More important, promised n1, and not to be tried as long as it has a gate. */
static void promise(const char *version, const char *gate, const char *wants)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'%s'},"
		"'spec':{'schedulerName':'default-scheduler','priority':10,'schedulingGates':[%s],"
		"'nodeSelector':{'v':'%s'},'containers':[{'name':'c','resources':{'requests':"
		"{'cpu':'3'}}}]},'status':{'nominatedNodeName':'n1'}}",
		version, gate, wants);
}

/* p has n1 promised and q waits for it; then p goes where it wants to, if there is such a node. */
static void check_promise(const char *wants, const char *place)
{
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}")->status = 201;
	cluster_add_node("n2", "2");
	cluster_add_pod("y", false, "4", "n3");
	promise("1", "{'name':'g'}", wants);
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'q','namespace':'default','uid':'q','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','nodeSelector':{'v':'1'},'containers':"
		"[{'name':'c','resources':{'requests':{'cpu':'3'}}}]}}");
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/q/binding", "{}")->status = 201;
	cluster_run(1000);
	TEST_ASSERT_EQUAL(1, cluster.s.queue.pods[QUEUE_UNSCHEDULABLE]);
	promise("2", "", wants);
	cluster_run(3000);
	TEST_ASSERT_EQUAL_STRING(place, cluster_bound_to("p"));
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("q"));
}

static void test_a_promised_place_that_is_not_taken(void)
{
	check_promise("2", "n2");
}

static void test_a_promise_that_is_taken_back(void)
{
	check_promise("nowhere", "");
}

int main(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_others_do_not_wait);
	RUN_TEST(test_a_place_that_was_taken_meanwhile);
	RUN_TEST(test_a_pod_that_goes_while_it_is_asked_about);
	RUN_TEST(test_as_many_at_a_time_as_there_is_room);
	RUN_TEST(test_who_is_refused_is_woken_by_any_node);
	RUN_TEST(test_space_that_is_given_back);
	RUN_TEST(test_a_promised_place_that_is_not_taken);
	RUN_TEST(test_a_promise_that_is_taken_back);
	return UNITY_END();
}
