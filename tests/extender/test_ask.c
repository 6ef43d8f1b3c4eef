/* SPDX-License-Identifier: GPL-2.0-only */
/* One pod's way past its extenders, in virtual time: who is asked what, in which order, how long.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c net/*.c tls/*.c http/*.c api/*.c extender/*.c
// deps: base/url.c tests/extender/bed.c tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "extender/bed.h"

static struct bed bed;

void setUp(void)
{
}
void tearDown(void)
{
}

static const char sent_pod[] =
	"{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":"
	"\"11111111-2222-3333-4444-555555555555\",\"resourceVersion\":\"5\",\"annotations\":{"
	"\"a\":\"b\"}},\"spec\":{\"schedulerName\":\"default-scheduler\",\"containers\":[{\"name\":"
	"\"c\",\"env\":[{\"name\":\"X\",\"value\":\"y\"}],\"resources\":{\"limits\":{"
	"\"example.com/gpu\":\"1\"}}}]}}";

static void expect_sent(const struct bed_script *script, const char *rest)
{
	char all[FAKE_REQUEST_MAX];
	snprintf(all, sizeof(all), "%s%s", sent_pod, rest);
	TEST_ASSERT_EQUAL_STRING(all, script->seen);
}

static void test_filter_is_asked_about_names(void)
{
	bed_init(&bed, 1);
	bed_open(&bed);
	struct bed_script *a = bed_says(&bed, "/a/filter",
		"{'Nodes':null,'NodeNames':['n3','n1'],'FailedNodes':{'n2':'full','n9':'what'},"
		"'FailedAndUnresolvableNodes':{'n4':'broken'},'Error':''}");
	uint32_t ask = bed_ask(&bed, 5);
	bed_wait(&bed, ask, 1000);
	bed_expect_error(&bed, ask, "");
	TEST_ASSERT_EQUAL_STRING("KFKUD-", bed_verdicts(&bed, ask));
	expect_sent(a, ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\",\"n3\",\"n4\",\"n5\"]}");
	const struct extender_words *words = extender_words(bed.extenders, ask);
	TEST_ASSERT_EQUAL(2, words->kept);
	TEST_ASSERT_EQUAL(3, words->removed);
	TEST_ASSERT_EQUAL(2, words->reason_count);
	TEST_ASSERT_TRUE(text_is_z(words->reasons[words->of_node[bed.nodes[2]].reason], "full"));
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

static void test_filters_are_asked_in_turn_and_scores_at_once(void)
{
	bed_init(&bed, 3);
	bed.configs[0].ignorable = true; /* so it is the last */
	bed.configs[1].prioritize_verb = bed.configs[2].prioritize_verb = TEXT("score");
	bed.configs[2].weight = 3;
	bed_open(&bed);
	struct bed_script *a = bed_says(&bed, "/a/filter", "{'NodeNames':['n1','n2','n3']}");
	struct bed_script *b = bed_says(&bed, "/b/filter", "{'NodeNames':['n4','n3','n2','n1']}");
	struct bed_script *c = bed_says(&bed, "/c/filter", "{'nodenames':['n3','n2','n1','n4']}");
	struct bed_script *score =
		bed_says(&bed, "/b/score", "[{'Host':'n1','Score':2},{'Host':'n7','Score':9}]");
	score->delay_ms = 1000;
	bed_says(&bed, "/c/score",
		"[{'host':'n1','score':1},{'Host':'n2','Score':10},{'Host':'n2','Score':-1}]")
		->delay_ms = 1000;
	uint32_t ask = bed_ask(&bed, 5);
	int64_t began_us = bed.wire.network.now_us;
	bed_wait(&bed, ask, 3000);
	TEST_ASSERT_TRUE(bed.wire.network.now_us - began_us < 1100 * CLOCK_MS_US);
	expect_sent(b, ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\",\"n3\",\"n4\",\"n5\"]}");
	expect_sent(c, ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\",\"n3\",\"n4\"]}");
	expect_sent(a, ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\",\"n3\",\"n4\"]}");
	expect_sent(score, ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\",\"n3\"]}");
	TEST_ASSERT_EQUAL_STRING("KKKDD-", bed_verdicts(&bed, ask));
	const struct extender_word *of = extender_words(bed.extenders, ask)->of_node;
	TEST_ASSERT_EQUAL(20 + 30, of[bed.nodes[1]].score);
	TEST_ASSERT_EQUAL(300 - 30, of[bed.nodes[2]].score);
	TEST_ASSERT_EQUAL(0, of[bed.nodes[3]].score);
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

static void test_one_node_needs_no_points_and_none_no_further_filter(void)
{
	bed_init(&bed, 2);
	bed.configs[0].prioritize_verb = TEXT("score");
	bed_open(&bed);
	bed_says(&bed, "/a/filter", "{'NodeNames':['n2']}");
	struct bed_script *b = bed_says(&bed, "/b/filter", "{'NodeNames':['n2']}");
	struct bed_script *score = bed_says(&bed, "/a/score", "[]");
	uint32_t ask = bed_ask(&bed, 3);
	bed_wait(&bed, ask, 1000);
	TEST_ASSERT_EQUAL(0, score->asked);
	TEST_ASSERT_EQUAL(1, b->asked);
	extender_end(bed.extenders, ask);
	bed_says(&bed, "/a/filter", "{'NodeNames':[]}");
	ask = bed_ask(&bed, 3);
	bed_wait(&bed, ask, 1000);
	TEST_ASSERT_EQUAL_STRING("DDD---", bed_verdicts(&bed, ask));
	TEST_ASSERT_EQUAL(1, b->asked);
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

static void test_who_cares(void)
{
	static const struct scheduler_managed_resource gpu = {.name = {"example.com/gpu", 15}};
	static const struct scheduler_managed_resource tpu = {.name = {"example.com/tpu", 15}};
	bed_init(&bed, 2);
	bed.configs[0].managed = (struct config_list){&tpu, 1};
	bed.configs[1].managed = (struct config_list){&gpu, 1};
	bed.configs[1].bind_verb = TEXT("bind");
	bed_open(&bed);
	const struct kube_pod_template *class =
		cache_template_of(&bed.cache, cache_pod_at(&bed.cache, bed.pod));
	struct extender_binder by;
	TEST_ASSERT_EQUAL_HEX(2, extenders_for(bed.extenders, class, EXTENDER_FILTER));
	TEST_ASSERT_EQUAL_HEX(0, extenders_for(bed.extenders, class, EXTENDER_SCORE));
	TEST_ASSERT_TRUE(extenders_binder(bed.extenders, class, &by));
	TEST_ASSERT_TRUE(text_is_z(by.url, "http://127.0.0.1:9/b/bind"));
	TEST_ASSERT_TRUE(text_is_z(by.path, "/bind"));
	struct bed_script *a = bed_says(&bed, "/a/filter", "{'NodeNames':[]}");
	bed_says(&bed, "/b/filter", "{'NodeNames':['n1','n2','n3']}");
	uint32_t ask = bed_ask(&bed, 3);
	bed_wait(&bed, ask, 1000);
	TEST_ASSERT_EQUAL(0, a->asked);
	TEST_ASSERT_EQUAL_STRING("KKK---", bed_verdicts(&bed, ask));
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

/* As long as the machine has more authorities than are kept: then one has to be named. */
static void test_https_needs_an_authority(void)
{
	char words[512];
	struct writer fault;
	bed_init(&bed, 1);
	bed_open(&bed);
	bed.configs[1] = bed.configs[0];
	bed.configs[1].url_prefix = TEXT("https://gpu.example.com/x");
	const struct config_list list = {&bed.configs[1], 1};
	writer_init(&fault, words, sizeof(words) - 1);
	struct extenders *x = extenders_open(&(struct extenders_setup){.net = bed.net,
						     .apiserver = bed.client,
						     .api = bed.api,
						     .arena = &bed.arena,
						     .cache = &bed.cache,
						     .list = &list,
						     .nodes = BED_NODES},
		&fault);
	words[fault.used] = '\0';
	if (x != NULL)
		extenders_close(x);
	else
		TEST_ASSERT_EQUAL_STRING_LEN("gpu.example.com: tlsConfig.caFile must name a file "
					     "with the authority that signed the server's "
					     "certificate",
			words, 100);
	bed_close(&bed);
}

/* ---- trouble ---- */

static void test_trouble_is_told_with_the_url(void)
{
	static const struct {
		int status;
		const char *body;
		int64_t cut_after, delay_ms;
		const char *error;
	} cases[] = {
		{500, "no", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter, code 500"},
		{200, "{'NodeNames':[}", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: the "
			"answer "
			"is not JSON"},
		{200, "", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: the "
			"answer "
			"is not JSON"},
		{200, "{'NodeNames':['n1'],'Error':'out of luck'}", -1, 0, "out of luck"},
		{200, "[]", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: the "
			"answer is no ExtenderFilterResult"},
		{200, "{'Error':7}", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: Error is "
			"no text"},
		{200, "{'NodeNames':'n1'}", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: NodeNames "
			"is no list"},
		{200, "{'Nodes':['n1']}", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: Nodes is "
			"no list of nodes"},
		{200, "{'NodeNames':['n1'],'FailedNodes':['n2']}", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: "
			"FailedNodes is no map"},
		{200, "{'NodeNames':['n1'],'FailedNodes':{'n2':7}}", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: a reason "
			"is no text"},
		{200, "{'NodeNames':['n1'],'FailedAndUnresolvableNodes':['n2']}", -1, 0,
			"failed filter with extender at URL http://127.0.0.1:9/a/filter: "
			"FailedAndUnresolvableNodes is no map"},
		{200, "{'NodeNames':['n6']}", -1, 0,
			"extender \"http://127.0.0.1:9/a/\" claims a filtered node \"n6\" which is "
			"not found in the input node list"},
		{200, "{'NodeNames':['n1','n1x']}", -1, 0,
			"extender \"http://127.0.0.1:9/a/\" claims a filtered node \"n1x\" which "
			"is not found in the input node list"},
		{200, "{'NodeNames':[7]}", -1, 0,
			"extender \"http://127.0.0.1:9/a/\" claims a filtered node \"\" which is "
			"not found in the input node list"},
		{200, "{'NodeNames':['']}", -1, 0,
			"extender \"http://127.0.0.1:9/a/\" claims a filtered node \"\" which is "
			"not found in the input node list"},
		{200, "{'NodeNames':['n1']}", -1, 6000,
			"Post \"http://127.0.0.1:9/a/filter\": context deadline exceeded "
			"(Client.Timeout exceeded while awaiting headers)"},
	};
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		bed_init(&bed, 1);
		bed_open(&bed);
		struct bed_script *a = bed_says(&bed, "/a/filter", cases[i].body);
		a->status = cases[i].status;
		a->cut_after = cases[i].cut_after;
		a->delay_ms = cases[i].delay_ms;
		uint32_t ask = bed_ask(&bed, 3);
		bed_wait(&bed, ask, 10000);
		bed_expect_error(&bed, ask, cases[i].error);
		extender_end(bed.extenders, ask);
		bed_close(&bed);
	}
}

/* Without its points the pod is placed all the same; half a list is none. */
static void test_points_that_are_none(void)
{
	static const char *const answers[] = {"{}", "[{'Host':'n1','Score':9},{'Host':7}]",
		"[{'Host':'n1','Score':9},{'Host':'n2','Score':'9'}]",
		"[{'Host':'n1','Score':9},{'Host':'n2','Score':1.5}]"};
	for (uint32_t i = 0; i <= ARRAY_COUNT(answers); i++) {
		bool good = i == ARRAY_COUNT(answers);
		bed_init(&bed, 1);
		bed.configs[0].filter_verb = TEXT_NONE;
		bed.configs[0].prioritize_verb = TEXT("score");
		bed_open(&bed);
		bed_says(&bed, "/a/score",
			good ? "[{'Host':'n1','Score':9},{'Host':'n6','Score':9},{'Host':null}]"
			     : answers[i]);
		uint32_t ask = bed_ask(&bed, 3);
		bed_wait(&bed, ask, 1000);
		bed_expect_error(&bed, ask, "");
		const struct extender_words *words = extender_words(bed.extenders, ask);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(good ? 90 : 0, words->of_node[bed.nodes[1]].score,
			good ? "good" : answers[i]);
		extender_end(bed.extenders, ask);
		bed_close(&bed);
	}
}

static void test_half_an_answer_is_none(void)
{
	bed_init(&bed, 1);
	bed_open(&bed);
	bed_says(&bed, "/a/filter", "{'NodeNames':['n1','n2']} ")->cut_after = 25;
	uint32_t ask = bed_ask(&bed, 3);
	bed_wait(&bed, ask, 10000);
	TEST_ASSERT_TRUE(extender_error(bed.extenders, ask).size > 0);
	TEST_ASSERT_EQUAL_STRING("KKK---", bed_verdicts(&bed, ask)); /* nothing was taken from it */
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

static void test_ignorable_trouble_is_ignored(void)
{
	bed_init(&bed, 2);
	bed.configs[0].ignorable = true;
	bed.configs[0].prioritize_verb = bed.configs[1].prioritize_verb = TEXT("score");
	bed_open(&bed);
	bed_says(&bed, "/a/filter", "{'NodeNames':['n1','n17'],'FailedNodes':{'n2':'x'}}");
	bed_says(&bed, "/b/filter", "{'NodeNames':['n1','n2','n3']}");
	bed_says(&bed, "/a/score", "{}");
	bed_says(&bed, "/b/score", "[{'Host':'n2','Score':1}]");
	uint32_t ask = bed_ask(&bed, 3);
	bed_wait(&bed, ask, 1000);
	bed_expect_error(&bed, ask, "");
	TEST_ASSERT_EQUAL_STRING("KKK---", bed_verdicts(&bed, ask));
	TEST_ASSERT_EQUAL(10, extender_words(bed.extenders, ask)->of_node[bed.nodes[2]].score);
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

static void test_a_kept_connection_that_has_gone_costs_nothing(void)
{
	bed_init(&bed, 1);
	bed_open(&bed);
	struct bed_script *a = bed_says(&bed, "/a/filter", "{'NodeNames':['n1']}");
	a->refuses = 1;
	uint32_t ask = bed_ask(&bed, 2);
	bed_wait(&bed, ask, 1000);
	bed_expect_error(&bed, ask, "");
	TEST_ASSERT_EQUAL(2, a->asked);
	extender_end(bed.extenders, ask);
	a->refuses = 2;
	ask = bed_ask(&bed, 2);
	bed_wait(&bed, ask, 1000);
	TEST_ASSERT_EQUAL(4, a->asked);
	TEST_ASSERT_TRUE(extender_error(bed.extenders, ask).size > 0);
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

static void test_a_pod_that_cannot_be_read(void)
{
	bed_init(&bed, 1);
	bed_open(&bed);
	bed_says(&bed, "/api/v1/namespaces/default/pods/p", "{}")->status = 404;
	uint32_t ask = bed_ask(&bed, 2);
	bed_wait(&bed, ask, 1000);
	bed_expect_error(&bed, ask, "the pod could not be read for its extenders: ok, code 404");
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

static void test_the_shortest_time_is_a_time(void)
{
	bed_init(&bed, 1);
	bed.configs[0].timeout_us = 1;
	bed_open(&bed);
	bed_says(&bed, "/a/filter", "{'NodeNames':['n1']}")->delay_ms = 6000;
	uint32_t ask = bed_ask(&bed, 3);
	bed_wait(&bed, ask, 100);
	TEST_ASSERT_NOT_EQUAL(0, extender_error(bed.extenders, ask).size);
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

/* ---- many at a time ---- */

static const struct kube_pod_template *class_of(uint32_t pod)
{
	return cache_template_of(&bed.cache, cache_pod_at(&bed.cache, pod));
}

/* Extenders that hand out devices while they filter count on it. */
static void test_an_extender_hears_of_one_pod_at_a_time(void)
{
	static const struct scheduler_managed_resource tpu = {.name = {"example.com/tpu", 15}};
	bed_init(&bed, 2);
	bed.configs[1].managed = (struct config_list){&tpu, 1};
	bed_open(&bed);
	struct bed_script *a = bed_says(&bed, "/a/filter", "{'NodeNames':['n1']}");
	a->delay_ms = 1000;
	uint32_t both = bed_feed(&bed, KUBE_POD,
		"{'metadata':{'name':'t','namespace':'default','uid':'t'},'spec':{'containers':[{"
		"'resources':{'requests':{'example.com/tpu':'1'}}}]}}");
	TEST_ASSERT_EQUAL_HEX(1, extenders_heard(bed.extenders, class_of(bed.pod)));
	TEST_ASSERT_EQUAL_HEX(3, extenders_heard(bed.extenders, class_of(both)));
	TEST_ASSERT_TRUE(extenders_have_turn(bed.extenders, class_of(bed.pod)));
	uint32_t ask = bed_ask(&bed, 2);
	TEST_ASSERT_FALSE(extenders_have_turn(bed.extenders, class_of(bed.pod)));
	TEST_ASSERT_FALSE(extenders_have_turn(bed.extenders, class_of(both)));
	bed_wait(&bed, ask, 2000);
	/* Until the decision is made, and not only until it has answered. */
	TEST_ASSERT_FALSE(extenders_have_turn(bed.extenders, class_of(both)));
	extender_end(bed.extenders, ask);
	TEST_ASSERT_TRUE(extenders_have_turn(bed.extenders, class_of(both)));
	bed_close(&bed);
}

static void test_extenders_of_other_pods_do_not_wait(void)
{
	static const struct scheduler_managed_resource gpu = {.name = {"example.com/gpu", 15}};
	static const struct scheduler_managed_resource tpu = {.name = {"example.com/tpu", 15}};
	bed_init(&bed, 2);
	bed.configs[0].managed = (struct config_list){&gpu, 1};
	bed.configs[1].managed = (struct config_list){&tpu, 1};
	bed_open(&bed);
	bed_says(&bed, "/a/filter", "{'NodeNames':['n1']}")->delay_ms = 1000;
	struct bed_script *b = bed_says(&bed, "/b/filter", "{'NodeNames':['n2']}");
	uint32_t slow = bed_ask(&bed, 2), gpu_pod = bed.pod;
	bed.pod = bed_feed(&bed, KUBE_POD,
		"{'metadata':{'name':'t','namespace':'default','uid':'t'},'spec':{'containers':[{"
		"'resources':{'requests':{'example.com/tpu':'1'}}}]}}");
	TEST_ASSERT_FALSE(extenders_have_turn(bed.extenders, class_of(gpu_pod)));
	TEST_ASSERT_TRUE(extenders_have_turn(bed.extenders, class_of(bed.pod)));
	uint32_t fast = bed_ask(&bed, 2);
	bed_wait(&bed, fast, 100);
	TEST_ASSERT_EQUAL(1, b->asked);
	TEST_ASSERT_EQUAL(0, bed.done[slow]);
	extender_end(bed.extenders, fast);
	bed_wait(&bed, slow, 2000);
	extender_end(bed.extenders, slow);
	bed_close(&bed);
}

static void test_it_may_end_at_any_moment(void)
{
	bed_init(&bed, 2);
	bed.configs[0].prioritize_verb = bed.configs[1].prioritize_verb = TEXT("score");
	bed.configs[1].node_cache_capable = false;
	bed_open(&bed);
	bed_says(&bed, "/api/v1/nodes?resourceVersion=0",
		"{'kind':'NodeList','items':[{'metadata':{'name':'n1'}},{'metadata':{'name':'n2'}}]"
		"}")
		->delay_ms = 7;
	bed_says(&bed, "/a/filter", "{'NodeNames':['n1','n2']}")->delay_ms = 10;
	bed_says(&bed, "/b/filter",
		"{'Nodes':{'items':[{'metadata':{'name':'n1'}},{'metadata':{'name':'n2'}}]}}")
		->delay_ms = 10;
	bed_says(&bed, "/a/score", "[]")->delay_ms = 10;
	bed_says(&bed, "/b/score", "[]")->delay_ms = 20;
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t ask = bed_ask(&bed, random_below(&bed.random, 5));
		bed_run(&bed, random_below(&bed.random, 60));
		extender_end(bed.extenders, ask);
	}
	bed_close(&bed);
}

/* ---- whole nodes ---- */

static void test_whole_nodes_are_those_of_now(void)
{
	bed_init(&bed, 1);
	bed.configs[0].node_cache_capable = false;
	bed_open(&bed);
	struct bed_script *list = bed_says(&bed, "/api/v1/nodes?resourceVersion=0",
		"{'kind':'NodeList','metadata':{},'items':[{'metadata':{'name':'n2','annotations':"
		"{'x':'y'},'managedFields':[1]},'spec':{'podCIDR':'10.0.0.0/24'}},{'metadata':{"
		"'name':'n1'},'status':{'images':[{'names':['i']}]}},{'metadata':{'name':'n9'}}]}");
	struct bed_script *a = bed_says(&bed, "/a/filter",
		"{'Nodes':{'metadata':{},'items':[{'metadata':{'name':'n1','labels':{'name':'n2'}},"
		"'status':{}}]},'NodeNames':['n2'],'FailedNodes':{'n2':'no'}}");
	uint32_t one = bed_ask(&bed, 2);
	bed_wait(&bed, one, 1000);
	TEST_ASSERT_EQUAL(1, list->asked);
	TEST_ASSERT_EQUAL_STRING("KF----", bed_verdicts(&bed, one));
	expect_sent(a,
		",\"Nodes\":{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"n1\"},\"status\":"
		"{\"images\":[{\"names\":[\"i\"]}]}},{\"metadata\":{\"name\":\"n2\","
		"\"annotations\":"
		"{\"x\":\"y\"}},\"spec\":{\"podCIDR\":\"10.0.0.0/24\"}}]},\"NodeNames\":null}");
	extender_end(bed.extenders, one);
	bed_run(&bed, 2000);
	one = bed_ask(&bed, 2);
	bed_wait(&bed, one, 1000);
	TEST_ASSERT_EQUAL(2, list->asked); /* they were too old */
	extender_end(bed.extenders, one);
	list->status = 500;
	bed_run(&bed, 2000);
	one = bed_ask(&bed, 2);
	bed_wait(&bed, one, 1000);
	bed_expect_error(&bed, one, "the nodes could not be read for extenders");
	extender_end(bed.extenders, one);
	bed_close(&bed);
}

/* What a decision about the pod needs is not taken by nodes; those that find no room are left out.
 */
static void test_whole_nodes_leave_the_reserve_free(void)
{
	enum { LIMIT = 64 << 20, RESERVE = LIMIT / 16, PAD = 8000, ROOM = 12 << 10 };
	static char body[3 * PAD];
	struct page_budget budget;
	page_budget_init(&budget, LIMIT, RESERVE);
	budget.may_exceed = true;
	bed_init(&bed, 1);
	bed.configs[0].node_cache_capable = false;
	bed.budget = &budget;
	bed_open(&bed);
	budget.may_exceed = false;
	budget.may_use = PAGE_RESERVE_ALL;
	page_budget_take_fixed(&budget, page_budget_left(&budget) - RESERVE - ROOM);
	snprintf(body, sizeof(body),
		"{'kind':'NodeList','metadata':{},'items':[{'metadata':{'name':'n1'},'spec':{'x':"
		"'%0*d'}},{'metadata':{'name':'n2'},'spec':{'x':'%0*d'}}]}",
		PAD, 0, PAD, 0);
	(void)bed_says(&bed, "/api/v1/nodes?resourceVersion=0", body);
	struct bed_script *a = bed_says(&bed, "/a/filter",
		"{'Nodes':{'metadata':{},'items':[{'metadata':{'name':'n1'}}]}}");
	uint32_t one = bed_ask(&bed, 2);
	bed_wait(&bed, one, 1000);
	TEST_ASSERT_EQUAL_STRING("KD----", bed_verdicts(&bed, one));
	TEST_ASSERT_NOT_NULL(strstr(a->seen, "{\"name\":\"n1\"}"));
	TEST_ASSERT_NULL(strstr(a->seen, "{\"name\":\"n2\"}"));
	TEST_ASSERT_TRUE(page_budget_left(&budget) >= RESERVE);
	extender_end(bed.extenders, one);
	bed_close(&bed);
	bed.budget = NULL;
}

/* ---- victims ---- */

static void offer(struct extender_offers *offers, uint32_t node, uint32_t pod)
{
	offers->list[offers->count++] = (struct extender_offer){.node = node,
		.name = cache_node_at(&bed.cache, node)->name,
		.first = offers->victim_count,
		.count = 1,
		.violations = 1,
		.chosen = true};
	const struct cache_pod *p = cache_pod_at(&bed.cache, pod);
	offers->victims[offers->victim_count++] = (struct extender_victim){.uid = p->uid,
		.pod = pod,
		.name = p->name,
		.namespace = cache_template_of(&bed.cache, p)->namespace,
		.priority = 3,
		.chosen = 1};
}

static uint32_t ask_about_victims(void)
{
	uint32_t ask = bed_ask(&bed, 0);
	struct extender_offers *offers = extender_offers(bed.extenders, ask);
	offer(offers, bed.nodes[1],
		bed_feed(&bed, KUBE_POD,
			"{'metadata':{'name':'v1','namespace':'default','uid':"
			"'aaaaaaaa-2222-3333-4444-555555555555'},'spec':{'nodeName':'n1'}}"));
	offer(offers, bed.nodes[2],
		bed_feed(&bed, KUBE_POD,
			"{'metadata':{'name':'v2','namespace':'default','uid':'odd'},'spec':{"
			"'nodeName':'n2'}}"));
	extender_ask_victims(bed.extenders, ask);
	return ask;
}

static void test_victims_are_shown_and_left(void)
{
	bed_init(&bed, 2);
	bed.configs[0].preempt_verb = bed.configs[1].preempt_verb = TEXT("preempt");
	bed.configs[1].node_cache_capable = false;
	bed_open(&bed);
	struct bed_script *a = bed_says(&bed, "/a/preempt",
		"{'NodeNameToMetaVictims':{'n2':{'Pods':[{'UID':'odd'}],'NumPDBViolations':7}}}");
	struct bed_script *b = bed_says(
		&bed, "/b/preempt", "{'nodeNameToMetaVictims':{'n2':{'pods':[{'uid':'odd'}]}}}");
	bed_says(&bed, "/api/v1/namespaces/default/pods/v2",
		"{'kind':'Pod','metadata':{'name':'v2','uid':'odd','managedFields':[{}]},'spec':{"
		"'containers':[{'name':'c'}]},'status':{'phase':'Running'}}");
	uint32_t ask = ask_about_victims();
	bed_wait(&bed, ask, 1000);
	bed_expect_error(&bed, ask, "");
	expect_sent(a,
		",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":"
		"\"aaaaaaaa-2222-3333-4444-555555555555\"}],\"NumPDBViolations\":1},\"n2\":{"
		"\"Pods\":[{\"UID\":\"odd\"}],\"NumPDBViolations\":1}}}");
	expect_sent(b,
		",\"NodeNameToMetaVictims\":null,\"NodeNameToVictims\":{\"n2\":{\"Pods\":[{"
		"\"metadata\":{\"name\":\"v2\",\"uid\":\"odd\"},\"spec\":{\"containers\":[{"
		"\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\"}}],"
		"\"NumPDBViolations\":7}}}");
	const struct extender_offers *offers = extender_offers(bed.extenders, ask);
	TEST_ASSERT_FALSE(offers->list[0].chosen);
	TEST_ASSERT_TRUE(offers->list[1].chosen);
	TEST_ASSERT_EQUAL(0, offers->list[1].violations); /* the last one said nothing of them */
	TEST_ASSERT_EQUAL(1, offers->victims[1].chosen);
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

/* Of one that is gone by then, or was forgotten, what is known goes on. */
static void test_a_victim_that_cannot_be_read_is_sent_as_it_is_known(void)
{
	bed_init(&bed, 1);
	bed.configs[0].preempt_verb = TEXT("preempt");
	bed.configs[0].node_cache_capable = false;
	bed_open(&bed);
	struct bed_script *a = bed_says(&bed, "/a/preempt",
		"{'NodeNameToMetaVictims':{'n2':{'Pods':[{'UID':'odd'}],'NumPDBViolations':1}}}");
	bed_says(&bed, "/api/v1/namespaces/default/pods/v1", "{'metadata':{'name':'v1'}}");
	uint32_t ask = ask_about_victims();
	bed_wait(&bed, ask, 1000);
	bed_expect_error(&bed, ask, "");
	expect_sent(a,
		",\"NodeNameToMetaVictims\":null,\"NodeNameToVictims\":{\"n1\":{\"Pods\":[{"
		"\"metadata\":{\"name\":\"v1\"}}],\"NumPDBViolations\":1},\"n2\":{\"Pods\":[{"
		"\"metadata\":{\"name\":\"v2\",\"namespace\":\"default\",\"uid\":\"odd\"},\"spec\":"
		"{\"priority\":3}}],\"NumPDBViolations\":1}}}");
	extender_end(bed.extenders, ask);
	bed_close(&bed);
}

static void test_victims_that_were_not_shown(void)
{
	static const struct {
		const char *body;
		const char *error;
	} cases[] = {
		{"{'NodeNameToMetaVictims':{'n3':{'Pods':[{'UID':'odd'}]}}}",
			"failed preempt with extender at URL http://127.0.0.1:9/a/preempt: it "
			"names "
			"a node that was not asked about"},
		{"{'NodeNameToMetaVictims':{'n1':{'Pods':[{'UID':'odd'}]}}}",
			"failed preempt with extender at URL http://127.0.0.1:9/a/preempt: it "
			"names "
			"a victim that is not on the node"},
		{"[]",
			"failed preempt with extender at URL http://127.0.0.1:9/a/preempt: the "
			"answer is no ExtenderPreemptionResult"},
		{"{'NodeNameToMetaVictims':[]}",
			"failed preempt with extender at URL http://127.0.0.1:9/a/preempt: "
			"NodeNameToMetaVictims is no map"},
		{"{'NodeNameToMetaVictims':{'n1':{'Pods':{}}}}",
			"failed preempt with extender at URL http://127.0.0.1:9/a/preempt: Pods is "
			"no list"},
		{"{'NodeNameToMetaVictims':{'n1':{'NumPDBViolations':'x'}}}",
			"failed preempt with extender at URL http://127.0.0.1:9/a/preempt: "
			"NumPDBViolations is no whole number"},
		{"{'NodeNameToMetaVictims':{'n1':{'Pods':[]}}}",
			"failed preempt with extender at URL http://127.0.0.1:9/a/preempt: it "
			"expects at least one victim on a node"},
	};
	for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
		bed_init(&bed, 1);
		bed.configs[0].preempt_verb = TEXT("preempt");
		bed_open(&bed);
		bed_says(&bed, "/a/preempt", cases[i].body);
		uint32_t ask = ask_about_victims();
		bed_wait(&bed, ask, 1000);
		bed_expect_error(&bed, ask, cases[i].error);
		const struct extender_offers *offers = extender_offers(bed.extenders, ask);
		TEST_ASSERT_TRUE(offers->list[0].chosen);
		TEST_ASSERT_EQUAL(1, offers->victims[0].chosen);
		extender_end(bed.extenders, ask);
		bed_close(&bed);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_filter_is_asked_about_names);
	RUN_TEST(test_filters_are_asked_in_turn_and_scores_at_once);
	RUN_TEST(test_one_node_needs_no_points_and_none_no_further_filter);
	RUN_TEST(test_who_cares);
	RUN_TEST(test_https_needs_an_authority);
	RUN_TEST(test_trouble_is_told_with_the_url);
	RUN_TEST(test_points_that_are_none);
	RUN_TEST(test_half_an_answer_is_none);
	RUN_TEST(test_ignorable_trouble_is_ignored);
	RUN_TEST(test_a_kept_connection_that_has_gone_costs_nothing);
	RUN_TEST(test_a_pod_that_cannot_be_read);
	RUN_TEST(test_the_shortest_time_is_a_time);
	RUN_TEST(test_an_extender_hears_of_one_pod_at_a_time);
	RUN_TEST(test_extenders_of_other_pods_do_not_wait);
	RUN_TEST(test_it_may_end_at_any_moment);
	RUN_TEST(test_whole_nodes_are_those_of_now);
	RUN_TEST(test_whole_nodes_leave_the_reserve_free);
	RUN_TEST(test_victims_are_shown_and_left);
	RUN_TEST(test_a_victim_that_cannot_be_read_is_sent_as_it_is_known);
	RUN_TEST(test_victims_that_were_not_shown);
	return UNITY_END();
}
