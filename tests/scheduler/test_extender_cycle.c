/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods whose extenders are asked, in a scheduler in virtual time: nobody else waits for them, and
 * what is decided goes by the cluster as it is when the answer is there.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "base/log.h"
#include "cache/feed.h"
#include "scheduler/cluster.h"

static struct bed_script *filter;

static void filters(struct scheduler_extender *config)
{
	config->filter_verb = TEXT("filter");
}

static void open(void (*extender)(struct scheduler_extender *config))
{
	cluster_open(extender);
	filter = bed_says(&cluster.bed, "/a/filter", "{'NodeNames':['n2']}");
}

void setUp(void)
{
	open(filters);
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
	scheduler_requeue_for_changes(&cluster.s);
	TEST_ASSERT_EQUAL(0, extenders_stats(cluster.s.extenders).asks);
	cluster_run(2000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
}

static void test_one_pod_at_a_time(void)
{
	cluster.bed.wire.silent = true;
	for (uint32_t i = 0; i < 7; i++)
		cluster_feed(KUBE_POD,
			"{'metadata':{'name':'m%u','namespace':'default','uid':'m%u',"
			"'resourceVersion':'1'},'spec':{'schedulerName':'default-scheduler',"
			"'containers':[{'name':'c','resources':{'requests':{"
			"'example.com/gpu':'1'}}}]}}",
			(unsigned)i, (unsigned)i);
	cluster_run(10);
	TEST_ASSERT_EQUAL(1, extenders_stats(cluster.s.extenders).asks);
	TEST_ASSERT_EQUAL(6, cluster.s.queue.pods[QUEUE_GATED]);
	cluster.bed.wire.silent = false;
	cluster_run(
		60 * 1000); /* they cannot be read: each fails, and has its turn again and again */
	TEST_ASSERT_TRUE(cluster.s.stats.attempts[SCHEDULER_ERROR] > 7);
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

/* The same again with an extender that does something else. */
static void with(void (*extender)(struct scheduler_extender *config))
{
	tearDown();
	open(extender);
}

static void test_a_pod_that_is_being_deleted_while_it_is_asked_about(void)
{
	filter->delay_ms = 1000;
	cluster_add_pod("p", true, "1", "");
	cluster_run(100);
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'2',"
		"'deletionTimestamp':'2026-01-01T00:00:00Z'},'spec':{'schedulerName':"
		"'default-scheduler','containers':[{'name':'c','resources':{'requests':{"
		"'cpu':'1','example.com/gpu':'1'}}}]}}");
	cluster_run(3000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	TEST_ASSERT_EQUAL(1, filter->asked);
	TEST_ASSERT_EQUAL(0, extenders_stats(cluster.s.extenders).asks);
}

static void test_an_extender_that_fails(void)
{
	bed_says(&cluster.bed, "/a/filter", "{'Error':'no licence'}");
	cluster_add_pod("p", true, "1", "");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, cluster.s.stats.attempts[SCHEDULER_ERROR]);
	bed_says(&cluster.bed, "/a/filter", "{'NodeNames':['n3']}");
	cluster_run(5000); /* after its backoff */
	TEST_ASSERT_EQUAL_STRING("n3", cluster_bound_to("p"));
}

/* The nominated node alone at first; when it is refused, all of them, and that is no retry. */
static void test_the_nominated_node_first(void)
{
	bed_says(&cluster.bed, "/a/filter", "{'NodeNames':[],'FailedNodes':{'n1':'no'}}");
	filter->delay_ms = 1000;
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c','resources':"
		"{'requests':{'example.com/gpu':'1'}}}]},'status':{'nominatedNodeName':'n1'}}");
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p",
		"{'metadata':{'name':'p'},'spec':{}}");
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}")->status = 201;
	cluster_run(500);
	TEST_ASSERT_NOT_NULL(strstr(filter->seen, "[\"n1\"]"));
	cluster_run(1000);
	TEST_ASSERT_EQUAL(2, filter->asked);
	TEST_ASSERT_NOT_NULL(strstr(filter->seen, "[\"n1\",\"n2\",\"n3\"]"));
	bed_says(&cluster.bed, "/a/filter", "{'NodeNames':['n3']}");
	cluster_run(1000);
	TEST_ASSERT_EQUAL_STRING("n3", cluster_bound_to("p"));
}

/* A cluster that changes faster than they answer: after some rounds the pod pauses. */
static void test_answers_that_are_always_too_old(void)
{
	static const char *const kept[] = {
		"{'NodeNames':['n1']}", "{'NodeNames':['n2']}", "{'NodeNames':['n3']}"};
	filter->delay_ms = 1000;
	cluster_add_pod("p", true, "3", "");
	cluster_run(500);
	for (uint32_t i = 0; i < 12; i++) { /* who is to have the pod is always full by then */
		char x[] = "x1", node[] = "n1";
		x[1] = node[1] = (char)('1' + i % 3);
		bed_says(&cluster.bed, "/a/filter", kept[i % 3])->delay_ms = 1000;
		cluster_add_pod(x, false, "3", node);
		cluster_run(1000);
		TEST_ASSERT_TRUE(cluster_tell(KUBE_POD, KUBE_WATCH_DELETED,
			x[1] == '1' ? "{'metadata':{'name':'x1','namespace':'default'}}"
				: x[1] == '2'
				? "{'metadata':{'name':'x2','namespace':'default'}}"
				: "{'metadata':{'name':'x3','namespace':'default'}}"));
	}
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	TEST_ASSERT_TRUE(filter->asked >= 4);
	bed_says(&cluster.bed, "/a/filter", "{'NodeNames':['n2']}");
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL_STRING("n2", cluster_bound_to("p"));
}

static void scores(struct scheduler_extender *config)
{
	config->filter_verb = TEXT_NONE;
	config->prioritize_verb = TEXT("score");
	config->weight = 5;
}

/* Only where there is a choice. */
static void test_an_extender_that_scores(void)
{
	with(scores);
	struct bed_script *score = bed_says(&cluster.bed, "/a/score",
		"[{'Host':'n1','Score':0},{'Host':'n2','Score':0},{'Host':'n3','Score':10}]");
	cluster_add_pod("p", true, "3", "");
	cluster_run(100);
	TEST_ASSERT_EQUAL_STRING("n3", cluster_bound_to("p"));
	TEST_ASSERT_EQUAL(1, score->asked);
	cluster_add_pod("x", false, "3", "n1");
	cluster_add_pod("q", true, "3", "");
	cluster_run(100);
	TEST_ASSERT_EQUAL_STRING("n2", cluster_bound_to("q"));
	TEST_ASSERT_EQUAL(1, score->asked);
	cluster_add_pod("r", true, "3", "");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, cluster.s.queue.pods[QUEUE_UNSCHEDULABLE]);
	TEST_ASSERT_EQUAL(1, score->asked);
}

static void binds(struct scheduler_extender *config)
{
	config->bind_verb = TEXT("bind");
}

static void binds_or_not(struct scheduler_extender *config)
{
	binds(config);
	config->ignorable = true;
}

static void test_an_extender_that_binds(void)
{
	with(binds);
	struct bed_script *bind = bed_says(&cluster.bed, "/a/bind", "{}");
	cluster_add_pod("p", true, "1", "");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, bind->asked);
	TEST_ASSERT_NOT_NULL(strstr(bind->seen, "\"Node\":\"n2\""));
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p")); /* by nobody else */
	TEST_ASSERT_EQUAL(1, cluster.s.stats.bound);
}

static void test_an_extender_that_refuses_to_bind(void)
{
	with(binds);
	struct bed_script *bind = bed_says(&cluster.bed, "/a/bind", "{'Error':'no licence'}");
	cluster_add_pod("p", true, "1", "");
	cluster_run(500);
	TEST_ASSERT_EQUAL(1, bind->asked);
	TEST_ASSERT_EQUAL(0, cluster.s.stats.bound);
	bed_says(&cluster.bed, "/a/bind", "{}");
	cluster_run(5000);
	TEST_ASSERT_EQUAL(1, cluster.s.stats.bound);
}

static void test_a_binder_that_may_be_ignored(void)
{
	with(binds_or_not);
	bed_says(&cluster.bed, "/a/bind", "{'Error':'no licence'}");
	cluster_add_pod("p", true, "1", "");
	cluster_run(500);
	TEST_ASSERT_EQUAL_STRING("n2", cluster_bound_to("p"));
	TEST_ASSERT_EQUAL(1, cluster.s.stats.bound);
}

static void preempts(struct scheduler_extender *config)
{
	config->preempt_verb = TEXT("preempt");
}

static void test_victims_that_an_extender_leaves(void)
{
	struct bed_script *victims[3], *preempt;
	with(preempts);
	preempt = bed_says(&cluster.bed, "/a/preempt",
		"{'NodeNameToMetaVictims':{'n2':{'Pods':[{'UID':'x2'}]}}}");
	for (uint32_t i = 0; i < 3; i++) {
		char name[] = "x1", node[] = "n1", path[] = "/api/v1/namespaces/default/pods/x1";
		name[1] = node[1] = path[sizeof(path) - 2] = (char)('1' + i);
		cluster_add_pod(name, false, "4", node);
		victims[i] = bed_says(&cluster.bed, path, "{}");
		char status[64];
		snprintf(status, sizeof(status), "%s/status", path);
		(void)bed_says(&cluster.bed, status, "{}");
	}
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/status", "{}");
	(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p",
		"{'metadata':{'name':'p'},'spec':{}}");
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}")->status = 201;
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','priority':10,'containers':[{'name':"
		"'c','resources':{'requests':{'cpu':'3','example.com/gpu':'1'}}}]}}");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(1, preempt->asked);
	TEST_ASSERT_EQUAL(0, victims[0]->asked);
	TEST_ASSERT_EQUAL(1, victims[1]->asked);
	TEST_ASSERT_EQUAL(0, victims[2]->asked);
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'x2','namespace':'default'}}"));
	cluster_run(5000);
	TEST_ASSERT_EQUAL_STRING("n2", cluster_bound_to("p"));
	TEST_ASSERT_NOT_NULL(strstr(filter->seen, "[\"n2\"]"));
}

/* None is left, or they cannot be asked: nobody is pushed off. */
static void test_victims_that_an_extender_spares(void)
{
	static const char *const answers[] = {"{'NodeNameToMetaVictims':{}}", "nonsense"};
	for (size_t i = 0; i < ARRAY_COUNT(answers); i++) {
		with(preempts);
		struct bed_script *preempt = bed_says(&cluster.bed, "/a/preempt", answers[i]);
		struct bed_script *victim =
			bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/x", "{}");
		cluster_add_pod("x", false, "4", "n1");
		cluster_add_pod("y", false, "4", "n2");
		cluster_add_pod("z", false, "4", "n3");
		(void)bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p",
			"{'metadata':{'name':'p'},'spec':{}}");
		cluster_feed(KUBE_POD,
			"{'metadata':{'name':'p','namespace':'default','uid':'p'},'spec':{"
			"'schedulerName':'default-scheduler','priority':10,'containers':[{'name':"
			"'c','resources':{'requests':{'cpu':'3','example.com/gpu':'1'}}}]}}");
		cluster_run(500);
		TEST_ASSERT_EQUAL(1, preempt->asked);
		TEST_ASSERT_EQUAL(0, victim->asked);
		TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.preemptions.victims));
	}
}

int main(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_others_do_not_wait);
	RUN_TEST(test_a_place_that_was_taken_meanwhile);
	RUN_TEST(test_a_pod_that_goes_while_it_is_asked_about);
	RUN_TEST(test_one_pod_at_a_time);
	RUN_TEST(test_who_is_refused_is_woken_by_any_node);
	RUN_TEST(test_space_that_is_given_back);
	RUN_TEST(test_a_promised_place_that_is_not_taken);
	RUN_TEST(test_a_promise_that_is_taken_back);
	RUN_TEST(test_a_pod_that_is_being_deleted_while_it_is_asked_about);
	RUN_TEST(test_an_extender_that_fails);
	RUN_TEST(test_the_nominated_node_first);
	RUN_TEST(test_answers_that_are_always_too_old);
	RUN_TEST(test_an_extender_that_scores);
	RUN_TEST(test_an_extender_that_binds);
	RUN_TEST(test_an_extender_that_refuses_to_bind);
	RUN_TEST(test_a_binder_that_may_be_ignored);
	RUN_TEST(test_victims_that_an_extender_leaves);
	RUN_TEST(test_victims_that_an_extender_spares);
	return UNITY_END();
}
