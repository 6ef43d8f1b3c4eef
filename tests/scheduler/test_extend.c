/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods whose extenders are asked, in a scheduler in virtual time: nobody else waits for them, and
 * what is decided goes by the cluster as it is when the answer is there.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c config/*.c
// deps: net/*.c watch/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/extender/bed.c tests/watch/wire.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "base/log.h"
#include "cache/feed.h"
#include "cycle/profile.h"
#include "extender/bed.h"
#include "json/json.h"
#include "scheduler/scheduler.h"

enum { TURN_US = 1000 * 1000 };

static struct bed bed;
static struct scheduler s;
static struct plugin_profile profile;
static const struct scheduler_managed_resource gpu = {.name = {"example.com/gpu", 15}};
static struct bed_script *filter;

/* ---- the picture, as if a watch had told it ---- */

static bool on_piece(void *self, struct json_piece piece)
{
	struct json_value value;
	struct cache_fed fed;
	TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(piece.text, &bed.scratch, &value));
	TEST_ASSERT_TRUE(cache_feed(&s.cache, &bed.scratch, *(enum kube_kind *)self, value, &fed));
	return true;
}

static void feed(enum kube_kind kind, const char *format, ...) PRINTF_LIKE(2, 3);
static void feed(enum kube_kind kind, const char *format, ...)
{
	static _Alignas(16) char block[70000];
	char json[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(json, sizeof(json), format, args);
	va_end(args);
	for (char *c = json; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	struct json_cut *cut = json_cut_init(block, sizeof(block), 32768);
	json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, on_piece, &kind);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, text_of(json)));
	scratch_reset(&bed.scratch);
}

static void add_node(const char *name, const char *version)
{
	feed(KUBE_NODE,
		"{'metadata':{'name':'%s','resourceVersion':'%s','labels':{'v':'%s'}},'status':{"
		"'allocatable':{'cpu':'4','memory':'4Gi','pods':'110'}}}",
		name, version, version);
}

/* One that the extender cares for, or not. */
static void add_pod(const char *name, bool cares, const char *cpu, const char *node)
{
	char path[128];
	feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler'%s%s%s,'containers':[{'name':'c',"
		"'resources':{'requests':{'cpu':'%s'%s}}}]}}",
		name, name, *node == '\0' ? "" : ",'nodeName':'", node, *node == '\0' ? "" : "'",
		cpu, cares ? ",'example.com/gpu':'1'" : "");
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s", name);
	if (*node != '\0')
		return;
	(void)bed_says(&bed, path, "{'metadata':{'name':'p'},'spec':{}}");
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/binding", name);
	bed_says(&bed, path, "{}")->status = 201;
}

static void run(int64_t ms)
{
	int64_t until_us = bed.wire.now_us + ms * CLOCK_MS_US;
	while (bed.wire.now_us < until_us)
		scheduler_turn(&s,
			until_us - bed.wire.now_us < TURN_US ? until_us - bed.wire.now_us
							     : TURN_US);
	queue_audit(&s.queue);
	cache_audit(&s.cache);
}

/* The node that the pod was bound to, "" when it was not. */
static const char *bound_to(const char *name)
{
	static char node[64];
	char path[128];
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/binding", name);
	const struct bed_script *script = NULL;
	for (uint32_t i = 0; i < bed.script_count; i++)
		if (strcmp(bed.scripts[i].path, path) == 0)
			script = &bed.scripts[i];
	TEST_ASSERT_NOT_NULL(script);
	TEST_ASSERT_TRUE(script->asked <= 1);
	const char *at = strstr(script->seen, "\"kind\":\"Node\",\"name\":\"");
	snprintf(node, sizeof(node), "%.*s", at == NULL ? 0 : (int)strcspn(at + 22, "\""),
		at == NULL ? "" : at + 22);
	return node;
}

/* ---- setting up ---- */

static const struct scheduler_limits limits = {
	.cache = {.nodes = 16,
		.pods = 64,
		.statuses = 64,
		.objects = 16,
		.classes = 64,
		.label_sets = 64,
		.strings = 1024,
		.images = 16,
		.counters = 16,
		.store_bytes = 1 << 19},
	.cycle = {.nodes = 16, .rows = 4, .scratch_bytes = 1 << 20},
	.queue = 64,
	.bindings = 16,
	.patches = 32,
	.victims = 16,
	.claimants = 4,
	.events = 64,
	.series = 64,
	.scratch_bytes = 1 << 18,
};

void setUp(void)
{
	char words[256];
	struct writer fault;
	bed_init(&bed, 1);
	bed.configs[0].managed = (struct config_list){&gpu, 1};
	bed_open_network(&bed);
	memset(&s, 0, sizeof(s));
	scheduler_init(&s,
		&(struct scheduler_setup){.net = bed.net,
			.client = bed.client,
			.arena = &bed.arena,
			.clock = wire_clock(&bed.wire),
			.entropy = entropy_seeded(&bed.random),
			.limits = limits,
			.backoff_initial_us = CLOCK_S_US,
			.backoff_max_us = 10 * CLOCK_S_US,
			.unschedulable_max_us = 300 * CLOCK_S_US,
			.hostname = TEXT("test")});
	profile_defaults(&s.cache, &profile);
	TEST_ASSERT_TRUE(
		intern_take(&s.cache.strings, TEXT("example.com/gpu"), &profile.fit.ignored[0]));
	profile.fit.ignored_count = 1;
	writer_init(&fault, words, sizeof(words));
	TEST_ASSERT_TRUE(scheduler_open_extenders(&s, &bed.list, &fault));
	TEST_ASSERT_TRUE(scheduler_start(&s, &profile, 1));
	s.known = UINT32_MAX; /* the test tells what there is */
	for (char name[] = "n1"; name[1] <= '3'; name[1]++)
		add_node(name, "1");
	filter = bed_says(&bed, "/a/filter", "{'NodeNames':['n2']}");
}

void tearDown(void)
{
	scheduler_close(&s);
	bed_close_network(&bed);
}

/* ---- tests ---- */

static void test_others_do_not_wait(void)
{
	filter->delay_ms = 1000;
	add_pod("p", true, "1", "");
	run(100);
	add_pod("q", false, "1", "");
	run(100);
	TEST_ASSERT_TRUE(bound_to("q")[0] == 'n');
	TEST_ASSERT_EQUAL_STRING("", bound_to("p"));
	run(1200);
	TEST_ASSERT_EQUAL_STRING("n2", bound_to("p"));
	TEST_ASSERT_EQUAL(1, filter->asked);
}

static void test_a_place_that_was_taken_meanwhile(void)
{
	filter->delay_ms = 1000;
	add_pod("p", true, "3", "");
	run(100);
	add_pod("q", false, "3", "n2");
	filter = bed_says(&bed, "/a/filter", "{'NodeNames':['n3']}"); /* to the second question */
	run(3000);
	TEST_ASSERT_EQUAL_STRING("n3", bound_to("p"));
	TEST_ASSERT_EQUAL(1, s.stats.bound);
}

static void test_a_pod_that_goes_while_it_is_asked_about(void)
{
	filter->delay_ms = 1000;
	add_pod("p", true, "1", "");
	run(100);
	TEST_ASSERT_EQUAL(1, extenders_stats(s.extenders).asks);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_unfeed(&s.cache, KUBE_POD, TEXT("default"), TEXT("p")));
	TEST_ASSERT_EQUAL(0, extenders_stats(s.extenders).asks);
	run(2000);
	TEST_ASSERT_EQUAL_STRING("", bound_to("p"));
}

static void test_as_many_at_a_time_as_there_is_room(void)
{
	bed.wire.silent = true;
	for (uint32_t i = 0; i < EXTENDER_ASKS + 6; i++)
		feed(KUBE_POD,
			"{'metadata':{'name':'m%u','namespace':'default','uid':'m%u',"
			"'resourceVersion':'1'},'spec':{'schedulerName':'default-scheduler',"
			"'containers':[{'name':'c','resources':{'requests':{"
			"'example.com/gpu':'1'}}}]}}",
			(unsigned)i, (unsigned)i);
	run(10);
	TEST_ASSERT_EQUAL(EXTENDER_ASKS, extenders_stats(s.extenders).asks);
	TEST_ASSERT_EQUAL(6, s.queue.pods[QUEUE_GATED]);
	bed.wire.silent = false;
	run(60 * 1000); /* they cannot be read: each fails, and has its turn again and again */
	TEST_ASSERT_TRUE(s.stats.attempts[SCHEDULER_ERROR] > EXTENDER_ASKS + 6);
}

static void test_who_is_refused_is_woken_by_any_node(void)
{
	bed_says(&bed, "/a/filter", "{'NodeNames':[],'FailedNodes':{'n1':'no','n2':'no'}}");
	add_pod("p", true, "1", "");
	run(500);
	TEST_ASSERT_EQUAL(1, s.queue.pods[QUEUE_UNSCHEDULABLE]);
	uint32_t asked = filter->asked;
	run(20 * 1000);
	TEST_ASSERT_EQUAL(asked, filter->asked); /* by nothing else */
	bed_says(&bed, "/a/filter", "{'NodeNames':['n1']}");
	add_node("n3", "2");
	run(500);
	TEST_ASSERT_EQUAL_STRING("n1", bound_to("p"));
}

/* No extender has a say here: a binding fails for good, and what it gives back wakes who waits for
 * it. */
static void test_space_that_is_given_back(void)
{
	struct bed_script *binding;

	add_pod("x", false, "4", "n2");
	add_pod("y", false, "4", "n3");
	add_pod("p", false, "3", "");
	bed_says(&bed, "/api/v1/namespaces/default/pods/p", "{}")->status = 404;
	binding = bed_says(&bed, "/api/v1/namespaces/default/pods/p/binding", "{}");
	binding->status = 404;
	binding->delay_ms = 2000;
	run(100);
	add_pod("q", false, "3", "");
	run(1000);
	TEST_ASSERT_EQUAL(1, s.queue.pods[QUEUE_UNSCHEDULABLE]);
	run(3000);
	TEST_ASSERT_EQUAL_STRING("n1", bound_to("q"));
}

/* More important, promised n1, and not to be tried as long as it has a gate. */
static void promise(const char *version, const char *gate, const char *wants)
{
	feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'%s'},"
		"'spec':{'schedulerName':'default-scheduler','priority':10,'schedulingGates':[%s],"
		"'nodeSelector':{'v':'%s'},'containers':[{'name':'c','resources':{'requests':"
		"{'cpu':'3'}}}]},'status':{'nominatedNodeName':'n1'}}",
		version, gate, wants);
}

/* p has n1 promised and q waits for it; then p goes where it wants to, if there is such a node. */
static void check_promise(const char *wants, const char *place)
{
	bed_says(&bed, "/api/v1/namespaces/default/pods/p/binding", "{}")->status = 201;
	add_node("n2", "2");
	add_pod("y", false, "4", "n3");
	promise("1", "{'name':'g'}", wants);
	feed(KUBE_POD,
		"{'metadata':{'name':'q','namespace':'default','uid':'q','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','nodeSelector':{'v':'1'},'containers':"
		"[{'name':'c','resources':{'requests':{'cpu':'3'}}}]}}");
	bed_says(&bed, "/api/v1/namespaces/default/pods/q/binding", "{}")->status = 201;
	run(1000);
	TEST_ASSERT_EQUAL(1, s.queue.pods[QUEUE_UNSCHEDULABLE]);
	promise("2", "", wants);
	run(3000);
	TEST_ASSERT_EQUAL_STRING(place, bound_to("p"));
	TEST_ASSERT_EQUAL_STRING("n1", bound_to("q"));
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
