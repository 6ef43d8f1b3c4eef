/* SPDX-License-Identifier: GPL-2.0-only */
/* InterPodAffinity: near others, away from them, and others away from the pod. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/questions.c
#include <stdio.h>

#include <unity.h>

#include "plugins/picture.h"
#include "plugins/questions.h"

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

static const char *verdict(const char *node)
{
	return questions_verdict(PLUGIN_INTER_POD_AFFINITY, node);
}

static void add(const char *name, const char *node, const char *labels, const char *affinity)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','labels':{%s}},"
		     "'spec':{'nodeName':'%s','containers':[{'name':'c'}],'affinity':{%s}}}",
		name, labels, node, affinity);
}

#define NEAR     "unresolvable: node(s) didn't match pod affinity rules"
#define AWAY     "unschedulable: node(s) didn't match pod anti-affinity rules"
#define THEIRS   "unschedulable: node(s) didn't satisfy existing pods anti-affinity rules"
#define TERM     "{'topologyKey':'zone','labelSelector':{'matchLabels':{'app':'web'}}}"
#define AFFINITY "'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" TERM "]}"
#define ANTI     "'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[" TERM "]}"
#define WEB      "'app':'web'"

struct row {
	const char *there_labels;
	const char *there;
	const char *labels;
	const char *affinity;
	const char *verdicts[3]; /* same zone, other zone, no zone */
};

static void test_filter(void)
{
	static const struct row rows[] = {
		{WEB, "", "", "", {"skip", "skip", "skip"}},
		{WEB, "", "", AFFINITY, {"fits", NEAR, NEAR}},
		{"", "", "", AFFINITY, {NEAR, NEAR, NEAR}},
		{"", "", WEB, AFFINITY, {"fits", "fits", NEAR}}, /* the first of its kind */
		{WEB, "", WEB, AFFINITY, {"fits", NEAR, NEAR}},
		{WEB, "", "", ANTI, {AWAY, "fits", "fits"}},
		{"", ANTI, WEB, "", {THEIRS, "fits", "fits"}},
		{"", ANTI, "", "", {"skip", "skip", "skip"}},
		{WEB, ANTI, WEB, AFFINITY "," ANTI, {AWAY, NEAR, NEAR}},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Node','metadata':{'name':'a','labels':{'zone':'a'}}}");
		picture_add("{'kind':'Node','metadata':{'name':'b','labels':{'zone':'b'}}}");
		picture_add("{'kind':'Node','metadata':{'name':'c'}}");
		add("there", "a", rows[i].there_labels, rows[i].there);
		add("p", "", rows[i].labels, rows[i].affinity);
		TEST_ASSERT_EQUAL_STRING(rows[i].verdicts[0], verdict("a"));
		TEST_ASSERT_EQUAL_STRING(rows[i].verdicts[1], verdict("b"));
		TEST_ASSERT_EQUAL_STRING(rows[i].verdicts[2], verdict("c"));
	}
}

/* ---- in thought ---- */

static enum plugin_code filter_of(struct cycle_state *d, const char *node)
{
	return plugins[PLUGIN_INTER_POD_AFFINITY]->filter(d, picture_view(node), NULL);
}

static void move(struct cycle_state *d, const char *node, const char *pod, int sign)
{
	plugins[PLUGIN_INTER_POD_AFFINITY]->pod_moved(
		d, picture_view(node), picture_pod("default", pod), sign);
}

static struct cycle_state *prefiltered(const char *labels, const char *affinity)
{
	picture_add("{'kind':'Node','metadata':{'name':'a','labels':{'zone':'a'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'b','labels':{'zone':'b'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'c'}}");
	add("p", "", labels, affinity);
	struct cycle_state *d = picture_decide("default", "p");
	TEST_ASSERT_EQUAL(
		PLUGIN_SUCCESS, plugins[PLUGIN_INTER_POD_AFFINITY]->pre_filter(d, picture_why()));
	return d;
}

static void test_away_from_pods_moved_in_thought(void)
{
	add("there", "a", WEB, "");
	add("new", "", WEB, "");
	add("other", "", "", "");
	struct cycle_state *d = prefiltered("", ANTI);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	move(d, "a", "there", -1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "a"));
	move(d, "a", "there", 1);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	plugins[PLUGIN_INTER_POD_AFFINITY]->pods_forgotten(d);
	move(d, "b", "other", 1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "b"));
	move(d, "b", "new", 1);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "b"));
	plugins[PLUGIN_INTER_POD_AFFINITY]->pods_forgotten(d);
	move(d, "c", "new", 1); /* no zone: counts nowhere */
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "c"));
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
}

static void test_near_pods_moved_in_thought(void)
{
	add("there", "a", WEB, "");
	add("new", "", WEB, "");
	struct cycle_state *d = prefiltered(WEB, AFFINITY);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "a"));
	TEST_ASSERT_EQUAL(PLUGIN_UNRESOLVABLE, filter_of(d, "b"));
	move(d, "b", "new", 1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "b"));
	plugins[PLUGIN_INTER_POD_AFFINITY]->pods_forgotten(d);
	/* The last one goes: then the pod is the first of its kind. */
	move(d, "a", "there", -1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "a"));
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "b"));
	TEST_ASSERT_EQUAL(PLUGIN_UNRESOLVABLE, filter_of(d, "c"));
}

/* Pods that want the pod away: one that is there, and one whose term nobody else has. */
static void test_wanted_away_in_thought(void)
{
	add("there", "a", "", ANTI);
	add("new", "", "",
		"'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"
		"'topologyKey':'zone','labelSelector':{'matchExpressions':[{'key':'app',"
		"'operator':'Exists'}]}}]}");
	struct cycle_state *d = prefiltered(WEB, "");
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	move(d, "a", "there", -1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "a"));
	move(d, "a", "new", 1);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	move(d, "a", "new", -1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "a"));
	plugins[PLUGIN_INTER_POD_AFFINITY]->pods_forgotten(d);
	move(d, "c", "new", 1); /* no zone there */
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "c"));
}

/*
 * Until v1.36 upstream looks at pods with empty namespace labels after it resolved the selector:
 * one that matches an empty set takes every namespace, any other only those that match now.
 */
static void test_namespace_selectors(void)
{
	static const struct {
		const char *selector;
		const char *verdict; /* of the node where the pod of namespace "far" is */
		const char *in_1_37;
	} rows[] = {
		{"null", "fits", "fits"},
		{"{'matchLabels':{'team':'x'}}", AWAY, AWAY},
		{"{'matchLabels':{'team':'y'}}", "fits", "fits"},
		{"{}", AWAY, AWAY},
		{"{'matchExpressions':[{'key':'team','operator':'DoesNotExist'}]}", AWAY, "fits"},
		{"{'matchExpressions':[{'key':'team','operator':'NotIn','values':['x']}]}", AWAY,
			"fits"},
		{"{'matchExpressions':[{'key':'team','operator':'Exists'}]}", AWAY, AWAY},
	};
	picture_add("{'kind':'Namespace','metadata':{'name':'far','labels':{'team':'x'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'a','labels':{'zone':'a'}}}");
	picture_add("{'kind':'Pod','metadata':{'name':'there','namespace':'far','labels':{" WEB
		    "}},'spec':{'nodeName':'a','containers':[{'name':'c'}]}}");
	for (size_t n = 0; n < 2 * ARRAY_COUNT(rows); n++) {
		size_t i = n % ARRAY_COUNT(rows);
		bool is_newer = n >= ARRAY_COUNT(rows);
		char affinity[512];
		picture_release(is_newer ? KUBE_1_37 : KUBE_1_36);
		snprintf(affinity, sizeof(affinity),
			"'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"
			"'topologyKey':'zone','labelSelector':{'matchLabels':{" WEB "}},"
			"'namespaceSelector':%s}]}",
			rows[i].selector);
		add("p", "", "", affinity);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(is_newer ? rows[i].in_1_37 : rows[i].verdict,
			verdict("a"), rows[i].selector);
		picture_remove(KUBE_POD, "default", "p");
	}
}

static const char *scores(void)
{
	return questions_scores(PLUGIN_INTER_POD_AFFINITY);
}

#define PREFERRED(kind, weight)                                                             \
	"'" kind "':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':" #weight \
	",'podAffinityTerm':" TERM "}]}"

static void test_score(void)
{
	static const struct {
		const char *there;
		const char *own;
		const char *scores;
	} rows[] = {
		{"", "", "skip"},
		{"", PREFERRED("podAffinity", 5), "5 0 0 -> 100 0 0"},
		{"", PREFERRED("podAntiAffinity", 5), "-5 0 0 -> 0 100 100"},
		{PREFERRED("podAffinity", 7), "", "7 0 0 -> 100 0 0"},
		{PREFERRED("podAntiAffinity", 7), "", "-7 0 0 -> 0 100 100"},
		{AFFINITY, "", "2 0 0 -> 100 0 0"},
		{AFFINITY, PREFERRED("podAntiAffinity", 2), "0 0 0 -> 0 0 0"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		PLUGIN_ARGS_OF(&picture.profile, INTER_POD_AFFINITY, inter_pod_affinity_args)
			->hard_weight = 2;
		picture_add("{'kind':'Node','metadata':{'name':'n1','labels':{'zone':'a'}}}");
		picture_add("{'kind':'Node','metadata':{'name':'n2','labels':{'zone':'b'}}}");
		picture_add("{'kind':'Node','metadata':{'name':'n3'}}");
		add("there", "n1", WEB, rows[i].there);
		add("p", "", WEB, rows[i].own);
		TEST_ASSERT_EQUAL_STRING(rows[i].scores, scores());
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_filter);
	RUN_TEST(test_away_from_pods_moved_in_thought);
	RUN_TEST(test_near_pods_moved_in_thought);
	RUN_TEST(test_wanted_away_in_thought);
	RUN_TEST(test_namespace_selectors);
	RUN_TEST(test_score);
	return UNITY_END();
}
