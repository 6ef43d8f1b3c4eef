/* SPDX-License-Identifier: GPL-2.0-only */
/* What the picture keeps of the status of pending pods, until when, and what it makes do without.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c bind/body_status.c tests/cache/bed.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "base/entropy.h"
#include "bind/body.h"
#include "cache/bed.h"

enum { TEXT_MAX = 8192 };

void setUp(void)
{
	bed_start(NULL);
}

void tearDown(void)
{
	if (bed.block != NULL)
		bed_clear();
	bed_end();
}

/* `status` and `meta` are JSON members. */
static enum cache_result put(
	const char *name, const char *node, const char *meta, const char *status)
{
	return bed_putf(
		"{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s'%s%s},"
		"'spec':{'nodeName':'%s'},'status':{%s}}",
		name, name, meta[0] == '\0' ? "" : ",", meta, node, status);
}

/* One of its texts is in the status that is kept here, until the next call. */
static struct cache_status of(const char *name)
{
	static struct cache_status status;
	cache_pod_status(&bed.cache, bed_pod_of(name), &status);
	return status;
}

static void is(const char *expected, struct text actual)
{
	char bytes[TEXT_MAX];
	snprintf(bytes, sizeof(bytes), "%.*s", TEXT_ARGS(actual));
	TEST_ASSERT_EQUAL_STRING(expected, bytes);
}

static uint32_t records(void)
{
	return pool_used(&bed.cache.conditions);
}

#define SCHEDULED(message)                                                                     \
	"{'type':'PodScheduled','status':'False','reason':'Unschedulable','message':'" message \
	"','lastTransitionTime':'2026-11-18T10:37:11Z','lastProbeTime':null,"                  \
	"'observedGeneration':3}"
#define TYPE(type) "{'type':'" type "','status':'True','message':'not looked at'}"

/* ---- what is kept ---- */

static void test_a_pod_as_it_was_created_costs_nothing(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, put("new", "", "'generation':1", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, put("older", "", "", "'phase':'Pending','conditions':[]"));
	TEST_ASSERT_EQUAL_UINT32(0, records());
	struct cache_status status = of("new");
	TEST_ASSERT_TRUE(status.known);
	TEST_ASSERT_EQUAL_UINT32(0, status.count);
	TEST_ASSERT_EQUAL_INT64(1, status.generation);
	is("", status.nominated);
	status = of("older");
	TEST_ASSERT_TRUE(status.known);
	TEST_ASSERT_EQUAL_INT64(0, status.generation);
}

static void test_all_that_a_patch_asks_for(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		put("p", "", "'generation':4",
			"'nominatedNodeName':'n1','conditions':[" TYPE("Ready") "," SCHEDULED(
				"0/1 nodes") "," TYPE("DisruptionTarget") "]"));
	struct cache_status status = of("p");
	TEST_ASSERT_TRUE(status.known);
	TEST_ASSERT_EQUAL_INT64(4, status.generation);
	is("n1", status.nominated);
	TEST_ASSERT_EQUAL_UINT32(3, status.count);
	is("Ready", status.conditions[0].type);
	TEST_ASSERT_EQUAL_size_t(0, status.conditions[0].message.size);
	is("DisruptionTarget", status.conditions[2].type);
	const struct kube_condition *c = &status.conditions[1];
	is("PodScheduled", c->type);
	is("False", c->status);
	is("Unschedulable", c->reason);
	is("0/1 nodes", c->message);
	is("2026-11-18T10:37:11Z", c->last_transition_time);
	is("", c->last_probe_time);
	TEST_ASSERT_EQUAL_INT64(3, c->observed_generation);
}

static void test_each_of_it_is_worth_a_record(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, put("a", "", "'generation':2", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, put("b", "", "", "'nominatedNodeName':'n1'"));
	TEST_ASSERT_EQUAL(CACHE_OK, put("c", "", "", "'conditions':[" TYPE("Ready") "]"));
	TEST_ASSERT_EQUAL(CACHE_OK, put("d", "", "'generation':-1", ""));
	TEST_ASSERT_EQUAL_UINT32(4, records());
	TEST_ASSERT_EQUAL_INT64(2, of("a").generation);
	is("n1", of("b").nominated);
	TEST_ASSERT_EQUAL_UINT32(1, of("c").count);
	TEST_ASSERT_EQUAL_INT64(-1, of("d").generation);
}

static void test_times(void)
{
	static const struct {
		const char *there, *kept;
	} rows[] = {
		{"2026-11-18T10:37:11Z", "2026-11-18T10:37:11Z"},
		{"2026-11-18T12:37:11.5+02:00", "2026-11-18T10:37:11Z"},
		{"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"},
		{"yesterday", ""},
		{"", ""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		TEST_ASSERT_EQUAL(CACHE_OK,
			bed_putf("{'kind':'Pod','metadata':{'name':'p','namespace':'default','uid':"
				 "'p'},"
				 "'status':{'conditions':[{'type':'PodScheduled','status':'False',"
				 "'lastTransitionTime':'%s','lastProbeTime':'%s'}]}}",
				rows[i].there, rows[i].there));
		is(rows[i].kept, of("p").conditions[0].last_transition_time);
		is(rows[i].there, of("p").conditions[0].last_probe_time);
	}
}

/* ---- types ---- */

#define NINE_TYPES                                                                           \
	TYPE("c0")                                                                           \
	"," TYPE("c1") "," TYPE("c2") "," TYPE("c3") "," TYPE("c4") "," TYPE("c5") "," TYPE( \
		"c6") "," TYPE("c7") "," TYPE("c8")

static void test_only_so_many_types_are_kept(void)
{
	static const char *const late =
		"'conditions':[" NINE_TYPES "," SCHEDULED("late") "," TYPE("c10") "]";
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", late));
	struct cache_status status = of("p");
	TEST_ASSERT_EQUAL_UINT32(CACHE_CONDITIONS_MAX, status.count);
	is("c6", status.conditions[6].type);
	is("PodScheduled", status.conditions[7].type);
	is("late", status.conditions[7].message);
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", "'conditions':[" NINE_TYPES "]"));
	status = of("p");
	TEST_ASSERT_EQUAL_UINT32(CACHE_CONDITIONS_MAX, status.count);
	is("c7", status.conditions[7].type);
}

static void test_types_that_are_none(void)
{
	static const char *const odd =
		"'conditions':[{'status':'True'}," TYPE("a\\nPodScheduled") "," TYPE("") "," TYPE(
			"Ready") "," SCHEDULED("first") "," SCHEDULED("second") "]";
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", odd));
	struct cache_status status = of("p");
	TEST_ASSERT_EQUAL_UINT32(2, status.count);
	is("Ready", status.conditions[0].type);
	is("PodScheduled", status.conditions[1].type);
	is("first", status.conditions[1].message);
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", "'conditions':[" TYPE("") "]"));
	TEST_ASSERT_EQUAL_UINT32(0, of("p").count);
	TEST_ASSERT_TRUE(of("p").known);
}

static void test_long_types(void)
{
	char type[CACHE_TYPES_MAX], json[2 * CACHE_TYPES_MAX + 512];
	size_t fits = CACHE_TYPES_MAX - strlen("PodScheduled") - 2;
	for (size_t size = fits - 1; size <= fits + 1; size++) {
		memset(type, 't', size);
		type[size] = '\0';
		snprintf(json, sizeof(json), "'conditions':[{'type':'%s'}," SCHEDULED("words") "]",
			type);
		TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", json));
		struct cache_status status = of("p");
		TEST_ASSERT_EQUAL_UINT32(size <= fits ? 2 : 1, status.count);
		is("PodScheduled", status.conditions[status.count - 1].type);
		/* Behind PodScheduled nothing has to be left free. */
		snprintf(json, sizeof(json), "'conditions':[" SCHEDULED("words") ",{'type':'%s'}]",
			type);
		TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", json));
		TEST_ASSERT_EQUAL_UINT32(size <= fits ? 2 : 1, of("p").count);
	}
}

/* ---- from when until when ---- */

static void test_what_is_new_replaces_what_was(void)
{
	uint32_t strings = pool_used(&bed.cache.strings.strings);
	TEST_ASSERT_EQUAL(CACHE_OK,
		put("p", "", "'generation':2,'resourceVersion':'1'",
			"'nominatedNodeName':'n1','conditions':[" SCHEDULED("one") "]"));
	TEST_ASSERT_EQUAL(CACHE_OK,
		put("p", "", "'generation':2,'resourceVersion':'2'",
			"'conditions':[" TYPE("Ready") "," SCHEDULED("two") "]"));
	is("two", of("p").conditions[1].message);
	is("", of("p").nominated);
	uint32_t id;
	TEST_ASSERT_FALSE(intern_find(&bed.cache.strings, TEXT("one"), &id));
	TEST_ASSERT_EQUAL(CACHE_UNCHANGED,
		put("p", "", "'generation':2,'resourceVersion':'2'", "'conditions':[]"));
	is("two", of("p").conditions[1].message);
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "'generation':1,'resourceVersion':'3'", ""));
	TEST_ASSERT_EQUAL_UINT32(0, records());
	TEST_ASSERT_TRUE(of("p").known);
	TEST_ASSERT_EQUAL_INT64(1, of("p").generation);
	/* Another pod of that name. */
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", "'conditions':[" SCHEDULED("one") "]"));
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_put("{'kind':'Pod','metadata':{'name':'p','namespace':'default','uid':'other'}"
			"}"));
	TEST_ASSERT_EQUAL_UINT32(0, records());
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	TEST_ASSERT_EQUAL_UINT32(strings, pool_used(&bed.cache.strings.strings));
}

static void test_a_pod_that_gets_a_node(void)
{
	static const char *const words = "'conditions':[" SCHEDULED("words") "]";
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "'generation':1", words));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	/* The binding may fail, and then the pod is told so. */
	is("words", of("p").conditions[0].message);
	TEST_ASSERT_TRUE(of("p").known);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("p"));
	is("words", of("p").conditions[0].message);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	TEST_ASSERT_EQUAL(
		CACHE_OK, put("p", "", "'generation':1", "'conditions':[" SCHEDULED("newer") "]"));
	is("newer", of("p").conditions[0].message);
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "n1", "'generation':1", words));
	TEST_ASSERT_EQUAL_UINT32(0, records());
	struct cache_status status = of("p");
	TEST_ASSERT_FALSE(status.known);
	TEST_ASSERT_EQUAL_UINT32(0, status.count);
	TEST_ASSERT_EQUAL_INT64(1, status.generation);
	TEST_ASSERT_EQUAL(CACHE_OK, put("q", "n1", "'generation':2", words));
	TEST_ASSERT_EQUAL_UINT32(0, records());
	TEST_ASSERT_EQUAL_INT64(0, of("q").generation);
	TEST_ASSERT_EQUAL_UINT64(0, bed.cache.conditions_lost);
}

static void test_the_nomination_is_the_one_that_the_apiserver_has(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", "'nominatedNodeName':'n2'"));
	cache_nominate(&bed.cache, bed_pod_index("p"), bed_node_of("n1")->name);
	is("n2", of("p").nominated);
	TEST_ASSERT_EQUAL(CACHE_OK, put("q", "", "", ""));
	cache_nominate(&bed.cache, bed_pod_index("q"), bed_node_of("n1")->name);
	is("", of("q").nominated);
}

/* ---- room ---- */

static void test_equal_words_are_stored_once(void)
{
	char name[16];
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "", "'conditions':[" SCHEDULED("words") "]"));
	uint32_t strings = pool_used(&bed.cache.strings.strings);
	uint64_t bytes = bed.cache.store.budget.used;
	for (uint32_t i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "pod-%u", i);
		TEST_ASSERT_EQUAL(
			CACHE_OK, put(name, "", "", "'conditions':[" SCHEDULED("words") "]"));
	}
	/* A name and a uid each, which here are one string. */
	TEST_ASSERT_EQUAL_UINT32(strings + 100, pool_used(&bed.cache.strings.strings));
	TEST_ASSERT_EQUAL_UINT64(bytes + 100 * 16, bed.cache.store.budget.used);
	TEST_ASSERT_EQUAL_UINT32(101, records());
	TEST_ASSERT_TRUE(sizeof(struct cache_conditions) <= 48);
}

static void test_without_room_for_records_pods_are_kept_all_the_same(void)
{
	char name[16];
	for (uint32_t i = 0; i < 130; i++) {
		snprintf(name, sizeof(name), "pod-%u", i);
		TEST_ASSERT_EQUAL(CACHE_OK,
			put(name, "", "'generation':1", "'conditions':[" SCHEDULED("w") "]"));
		TEST_ASSERT_EQUAL(i < 128, of(name).known);
	}
	TEST_ASSERT_EQUAL_UINT32(128, records());
	TEST_ASSERT_EQUAL_UINT64(2, bed.cache.conditions_lost);
	TEST_ASSERT_EQUAL_UINT64(0, bed.cache.refused);
	struct cache_status status = of("pod-129");
	TEST_ASSERT_EQUAL_UINT32(0, status.count);
	TEST_ASSERT_EQUAL_INT64(1, status.generation);
	/* One that has a record changes it, whoever else waits. */
	TEST_ASSERT_EQUAL(CACHE_OK, put("pod-0", "", "", "'conditions':[" SCHEDULED("v") "]"));
	is("v", of("pod-0").conditions[0].message);
	/* Room that comes back is used with the next news. */
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "pod-0"));
	TEST_ASSERT_EQUAL(CACHE_OK, put("pod-129", "", "", "'conditions':[" SCHEDULED("w") "]"));
	TEST_ASSERT_TRUE(of("pod-129").known);
	/* What is lost is forgotten with the need for it. */
	TEST_ASSERT_EQUAL(CACHE_OK, put("pod-128", "", "", ""));
	TEST_ASSERT_TRUE(of("pod-128").known);
	TEST_ASSERT_EQUAL_UINT64(2, bed.cache.conditions_lost);
}

static const struct cache_limits narrow = {
	.nodes = 8,
	.pods = 64,
	.statuses = 64,
	.objects = 8,
	.classes = 8,
	.label_sets = 8,
	.strings = 128,
	.images = 8,
	.counters = 8,
	.store_bytes = 1 << 16,
};

/* Each pod has a name, and words of its own. */
static uint32_t put_wordy_pods(uint32_t count, const char *words)
{
	char name[16], status[TEXT_MAX];
	uint32_t refused = 0;
	for (uint32_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "pod-%u", i);
		snprintf(status, sizeof(status),
			"'conditions':[{'type':'PodScheduled','message':'%u %s'}]", i, words);
		refused += put(name, "", "", status) != CACHE_OK;
	}
	return refused;
}

static void test_words_do_not_take_the_room_of_names(void)
{
	bed_clear();
	bed_end();
	bed_start(&narrow);
	uint32_t free = narrow.strings - pool_used(&bed.cache.strings.strings);
	TEST_ASSERT_TRUE(free > 80);
	TEST_ASSERT_EQUAL_UINT32(0, put_wordy_pods(60, "words"));
	TEST_ASSERT_TRUE(records() > 10);
	TEST_ASSERT_TRUE(records() < 60);
	TEST_ASSERT_EQUAL_UINT64(60 - records(), bed.cache.conditions_lost);
}

static void test_words_do_not_take_the_store_of_others(void)
{
	char words[1200];
	struct cache_limits limits = narrow;
	memset(words, 'w', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	limits.strings = 1024;
	bed_clear();
	bed_end();
	bed_start(&limits);
	TEST_ASSERT_EQUAL_UINT32(0, put_wordy_pods(60, words));
	TEST_ASSERT_TRUE(records() > 10);
	TEST_ASSERT_TRUE(records() < 60);
	TEST_ASSERT_TRUE(bed.cache.store.budget.used < limits.store_bytes - limits.store_bytes / 9);
}

static void test_nobody_asks_for_them(void)
{
	struct cache_limits limits = narrow;
	limits.statuses = 0;
	bed_clear();
	bed_end();
	bed_start(&limits);
	TEST_ASSERT_EQUAL_UINT32(0, put_wordy_pods(8, "words"));
	TEST_ASSERT_EQUAL_UINT32(0, records());
	TEST_ASSERT_FALSE(of("pod-1").known);
	TEST_ASSERT_TRUE(cache_size(&narrow) > cache_size(&limits));
}

/* ---- what they are for ---- */

static bool patch(const char *name, const char *message, char *to)
{
	struct cache_status status = of(name);
	const struct body_condition condition = {.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = TEXT("Unschedulable"),
		.message = text_of(message),
		.observed_generation = status.generation};
	const struct body_status body = {.old = status.conditions,
		.old_count = status.count,
		.old_nominated = status.nominated,
		.condition = &condition,
		.set_nominated = true,
		.nominated = TEXT("n1"),
		.now = {0}};
	struct writer out;
	writer_init(&out, to, TEXT_MAX - 1);
	bool news = body_status_patch(&body, &out);
	TEST_ASSERT_FALSE(out.overflowed);
	to[out.used] = '\0';
	return news;
}

static void test_a_patch_made_of_them(void)
{
	char body[TEXT_MAX];
	TEST_ASSERT_EQUAL(CACHE_OK,
		put("p", "", "'generation':3",
			"'nominatedNodeName':'n1','conditions':[" TYPE("Ready") "," SCHEDULED(
				"old") "]"));
	TEST_ASSERT_FALSE(patch("p", "old", body));
	TEST_ASSERT_TRUE(patch("p", "new", body));
	TEST_ASSERT_EQUAL_STRING(
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"Ready\"},"
		"{\"type\":\"PodScheduled\"}],\"conditions\":[{\"message\":\"new\","
		"\"type\":\"PodScheduled\"}]}}",
		body);
	TEST_ASSERT_EQUAL(CACHE_OK, put("p", "", "'generation':1", ""));
	TEST_ASSERT_TRUE(patch("p", "new", body));
	TEST_ASSERT_EQUAL_STRING(
		"{\"status\":{\"conditions\":[{\"lastProbeTime\":null,"
		"\"lastTransitionTime\":\"1970-01-01T00:00:00Z\",\"message\":\"new\","
		"\"observedGeneration\":1,\"reason\":\"Unschedulable\",\"status\":\"False\","
		"\"type\":\"PodScheduled\"}],\"nominatedNodeName\":\"n1\"}}",
		body);
}

/* ---- many ---- */

enum { MODEL_PODS = 12, MODEL_STEPS = 3000 };

struct model {
	bool there, bound, says;
	char message[16];
	char nominated[8];
	int64_t generation;
	uint32_t others;
};

static struct model models[MODEL_PODS];
static struct random dice;

static const char *model_name(uint32_t i)
{
	static char name[16];
	snprintf(name, sizeof(name), "m%u", i);
	return name;
}

static void draw(uint32_t i)
{
	struct model *m = &models[i];
	char meta[64], status[1024];
	*m = (struct model){.there = true, .bound = random_below(&dice, 4) == 0};
	m->says = random_below(&dice, 3) > 0;
	m->others = random_below(&dice, 3);
	m->generation = random_below(&dice, 3);
	snprintf(m->message, sizeof(m->message), "words %u", random_below(&dice, 8));
	if (random_below(&dice, 3) == 0)
		snprintf(m->nominated, sizeof(m->nominated), "n%u", random_below(&dice, 3));
	int used = snprintf(status, sizeof(status),
		"'nominatedNodeName':'%s','conditions':[{'type':'Z'}", m->nominated);
	for (uint32_t o = 0; o < m->others; o++)
		used += snprintf(
			status + used, sizeof(status) - (size_t)used, ",{'type':'T%u'}", o);
	if (m->says)
		used += snprintf(status + used, sizeof(status) - (size_t)used,
			",{'type':'PodScheduled','message':'%s','status':'False'}", m->message);
	snprintf(status + used, sizeof(status) - (size_t)used, "]");
	snprintf(meta, sizeof(meta), "'generation':%d", (int)m->generation);
	TEST_ASSERT_EQUAL(CACHE_OK, put(model_name(i), m->bound ? "n1" : "", meta, status));
}

static void check_model(uint32_t i)
{
	const struct model *m = &models[i];
	struct cache_status status = of(model_name(i));
	if (m->bound) {
		TEST_ASSERT_FALSE(status.known);
		TEST_ASSERT_EQUAL_UINT32(0, status.count);
	}
	if (!status.known)
		return;
	TEST_ASSERT_EQUAL_UINT32(1 + m->others + m->says, status.count);
	TEST_ASSERT_EQUAL_INT64(m->generation, status.generation);
	is(m->nominated, status.nominated);
	if (m->says)
		is(m->message, status.conditions[status.count - 1].message);
}

static void test_many_pods_with_little_room(void)
{
	struct cache_limits limits = narrow;
	uint64_t known = 0, lost = 0;
	limits.statuses = 5;
	limits.strings = 85;
	bed_clear();
	bed_end();
	bed_start(&limits);
	random_init(&dice, 7);
	memset(models, 0, sizeof(models));
	for (uint32_t step = 0; step < MODEL_STEPS; step++) {
		uint32_t i = random_below(&dice, MODEL_PODS);
		if (models[i].there && random_below(&dice, 3) == 0) {
			TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", model_name(i)));
			models[i].there = false;
		} else {
			draw(i);
		}
		for (uint32_t p = 0; p < MODEL_PODS; p++) {
			if (!models[p].there)
				continue;
			check_model(p);
			known += of(model_name(p)).known;
			lost += !of(model_name(p)).known && !models[p].bound;
		}
	}
	TEST_ASSERT_TRUE(known > MODEL_STEPS);
	TEST_ASSERT_TRUE(lost > MODEL_STEPS / 10);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_pod_as_it_was_created_costs_nothing);
	RUN_TEST(test_all_that_a_patch_asks_for);
	RUN_TEST(test_each_of_it_is_worth_a_record);
	RUN_TEST(test_times);
	RUN_TEST(test_only_so_many_types_are_kept);
	RUN_TEST(test_types_that_are_none);
	RUN_TEST(test_long_types);
	RUN_TEST(test_what_is_new_replaces_what_was);
	RUN_TEST(test_a_pod_that_gets_a_node);
	RUN_TEST(test_the_nomination_is_the_one_that_the_apiserver_has);
	RUN_TEST(test_equal_words_are_stored_once);
	RUN_TEST(test_without_room_for_records_pods_are_kept_all_the_same);
	RUN_TEST(test_words_do_not_take_the_room_of_names);
	RUN_TEST(test_words_do_not_take_the_store_of_others);
	RUN_TEST(test_nobody_asks_for_them);
	RUN_TEST(test_a_patch_made_of_them);
	RUN_TEST(test_many_pods_with_little_room);
	return UNITY_END();
}
