/* SPDX-License-Identifier: GPL-2.0-only */
/* NodeAffinity: required and preferred nodes, by label and by name, and addedAffinity. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/questions.c
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
	return questions_verdict(PLUGIN_NODE_AFFINITY, node);
}

static const char *scores(void)
{
	return questions_scores(PLUGIN_NODE_AFFINITY);
}

static void add_node(const char *name, const char *labels)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s','labels':{%s}}}", name, labels);
}

static void add_pod(const char *name, const char *spec)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default'},"
		     "'spec':{'containers':[{'name':'c'}]%s}}",
		name, spec);
}

/* The node affinity of that pod becomes the profile's addedAffinity. */
static void add_to_every_pod(const char *affinity)
{
	add_pod("added", affinity);
	const struct cache_pod *pod = cache_pod_at(&picture.cache, picture_pod("default", "added"));
	PLUGIN_ARGS_OF(&picture.profile, NODE_AFFINITY, node_affinity_args)->added =
		cache_template_of(&picture.cache, pod);
}

#define NOT_POD   "unresolvable: node(s) didn't match Pod's node affinity/selector"
#define NOT_ADDED "unresolvable: node(s) didn't match scheduler-enforced node affinity"
#define CONFLICT  "unresolvable: pod affinity terms conflict"
#define REQUIRED(terms)                                                                  \
	",'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':" \
	"{'nodeSelectorTerms':[" terms "]}}}"
#define PREFERRED(list)                                                                   \
	",'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':" \
	"[" list "]}}"
#define LABELS(list)         "{'matchExpressions':[" list "]}"
#define FIELDS(list)         "{'matchFields':[" list "]}"
#define EXPR(key, op)        "{'key':'" key "','operator':'" op "'}"
#define EXPRS(key, op, list) "{'key':'" key "','operator':'" op "','values':[" list "]}"
#define NAMED(op, list)      FIELDS(EXPRS("metadata.name", op, list))
#define WEIGHT(weight, term) "{'weight':" #weight ",'preference':" term "}"

struct filter_row {
	const char *spec;
	const char *verdict; /* of node n, labels a=1, b=x, big=100 */
};

static void check(const struct filter_row *rows, size_t count, const char *added)
{
	for (size_t i = 0; i < count; i++) {
		tearDown();
		setUp();
		add_node("n", "'a':'1','b':'x','big':'100','word':'ten'");
		add_pod("p", rows[i].spec);
		if (added != NULL)
			add_to_every_pod(added);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdict, verdict("n"), rows[i].spec);
	}
}

static void test_selector_and_operators(void)
{
	static const struct filter_row rows[] = {
		{"", "skip"},
		{",'affinity':{'nodeAffinity':{}}", "skip"},
		{",'nodeSelector':{'a':'1'}", "fits"},
		{",'nodeSelector':{'a':'1','b':'x'}", "fits"},
		{",'nodeSelector':{'a':'1','b':'y'}", NOT_POD},
		{",'nodeSelector':{'c':''}", NOT_POD},
		{REQUIRED(LABELS(EXPRS("a", "In", "'0','1'"))), "fits"},
		{REQUIRED(LABELS(EXPRS("a", "In", "'0'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("c", "In", "'0'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("a", "NotIn", "'0'"))), "fits"},
		{REQUIRED(LABELS(EXPRS("a", "NotIn", "'1'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("c", "NotIn", "'1'"))), "fits"},
		{REQUIRED(LABELS(EXPR("a", "Exists"))), "fits"},
		{REQUIRED(LABELS(EXPR("c", "Exists"))), NOT_POD},
		{REQUIRED(LABELS(EXPR("c", "DoesNotExist"))), "fits"},
		{REQUIRED(LABELS(EXPR("a", "DoesNotExist"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("big", "Gt", "'99'"))), "fits"}, /* as numbers */
		{REQUIRED(LABELS(EXPRS("big", "Gt", "'100'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("big", "Lt", "'101'"))), "fits"},
		{REQUIRED(LABELS(EXPRS("big", "Lt", "'100'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("word", "Gt", "'1'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("word", "Lt", "'1'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("c", "Lt", "'1'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("big", "Gt", "'many'"))), NOT_POD},
		{REQUIRED(LABELS(EXPRS("big", "Gt", "'1','2'"))), NOT_POD},
	};
	check(rows, ARRAY_COUNT(rows), NULL);
}

static void test_terms(void)
{
	static const struct filter_row rows[] = {
		{REQUIRED(""), NOT_POD},
		{REQUIRED("{}"), NOT_POD},
		{REQUIRED("{'matchExpressions':[],'matchFields':[]}"), NOT_POD},
		{REQUIRED("{}," LABELS(EXPR("a", "Exists"))), "fits"},
		{REQUIRED(LABELS(EXPR("c", "Exists")) "," LABELS(EXPR("a", "Exists"))), "fits"},
		{REQUIRED(LABELS(EXPR("c", "Exists") "," EXPR("a", "Exists"))), NOT_POD},
		{REQUIRED(LABELS(EXPR("a", "Exists") "," EXPR("b", "Exists"))), "fits"},
		/* A term that does not parse is passed over. */
		{REQUIRED(LABELS(EXPR("a", "Like")) "," LABELS(EXPR("a", "Exists"))), "fits"},
		{REQUIRED(LABELS(EXPR("a", "Like"))), NOT_POD},
		{",'nodeSelector':{'a':'2'}" REQUIRED(LABELS(EXPR("a", "Exists"))), NOT_POD},
		{",'nodeSelector':{'a':'1'}" REQUIRED(LABELS(EXPR("a", "Exists"))), "fits"},
		{REQUIRED(NAMED("In", "'n'")), "fits"},
		{REQUIRED(NAMED("In", "'m'")), NOT_POD},
		{REQUIRED(NAMED("NotIn", "'n'")), NOT_POD},
		{REQUIRED(NAMED("NotIn", "'m'")), "fits"},
		{REQUIRED(NAMED("In", "'m'") "," LABELS(EXPR("a", "Exists"))), "fits"},
		{REQUIRED("{'matchExpressions':[" EXPR("c", "Exists") "],'matchFields':[" EXPRS(
			 "metadata.name", "In", "'n'") "]}"),
			NOT_POD},
		{REQUIRED(FIELDS(EXPRS("metadata.name", "In", "'n'") "," EXPRS(
			 "metadata.name", "In", "'m'"))),
			CONFLICT},
	};
	check(rows, ARRAY_COUNT(rows), NULL);
}

static void test_added_affinity(void)
{
	static const struct filter_row met[] = {
		{"", "fits"},
		{",'nodeSelector':{'a':'2'}", NOT_POD},
		{REQUIRED(LABELS(EXPR("b", "Exists"))), "fits"},
	};
	static const struct filter_row unmet[] = {
		{"", NOT_ADDED}, {",'nodeSelector':{'a':'1'}", NOT_ADDED},
		{",'nodeSelector':{'a':'2'}", NOT_ADDED}, /* only the first is told */
	};
	static const struct filter_row preferring[] = {{"", "skip"}};
	check(met, ARRAY_COUNT(met), REQUIRED(LABELS(EXPRS("a", "In", "'1'"))));
	check(unmet, ARRAY_COUNT(unmet), REQUIRED(LABELS(EXPRS("a", "In", "'2'"))));
	check(preferring, ARRAY_COUNT(preferring),
		PREFERRED(WEIGHT(1, LABELS(EXPR("a", "Exists")))));
}

/* How many nodes prefilter leaves to look at; -1: all of them. */
static int narrowed(const char *spec)
{
	tearDown();
	setUp();
	add_pod("p", spec);
	struct cycle_state *d = picture_decide("default", "p");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, plugin_node_affinity.pre_filter(d, picture_why()));
	for (uint32_t i = 1; i < d->only_node_count; i++)
		TEST_ASSERT_TRUE(d->only_nodes[i - 1] < d->only_nodes[i]);
	return d->only_nodes == NULL ? -1 : (int)d->only_node_count;
}

static void test_named_nodes(void)
{
	TEST_ASSERT_EQUAL(-1, narrowed(",'nodeSelector':{'a':'1'}"));
	TEST_ASSERT_EQUAL(-1, narrowed(REQUIRED("")));
	TEST_ASSERT_EQUAL(-1, narrowed(REQUIRED(LABELS(EXPR("a", "Exists")))));
	TEST_ASSERT_EQUAL(1, narrowed(REQUIRED(NAMED("In", "'m'"))));
	TEST_ASSERT_EQUAL(-1, narrowed(REQUIRED(NAMED("NotIn", "'m'"))));
	TEST_ASSERT_EQUAL(3,
		narrowed(REQUIRED(NAMED("In", "'z'") "," NAMED("In", "'m'") "," NAMED(
			"In", "'a'") "," NAMED("In", "'m'"))));
	TEST_ASSERT_EQUAL(
		-1, narrowed(REQUIRED(NAMED("In", "'m'") "," LABELS(EXPR("a", "Exists")))));
	TEST_ASSERT_EQUAL(1,
		narrowed(REQUIRED(FIELDS(EXPRS("metadata.name", "In", "'m'") "," EXPRS(
			"metadata.name", "In", "'m'")))));
	/* One term conflicts in itself, the other does not. */
	TEST_ASSERT_EQUAL(1,
		narrowed(REQUIRED(FIELDS(EXPRS("metadata.name", "In", "'n'") "," EXPRS(
			"metadata.name", "In", "'m'")) "," NAMED("In", "'o'"))));
}

struct score_row {
	const char *spec;
	const char *added; /* NULL: no addedAffinity */
	const char *scores;
};

static void test_score(void)
{
#define HAS_A LABELS(EXPR("a", "Exists"))
#define HAS_B LABELS(EXPR("b", "Exists"))
	static const struct score_row rows[] = {
		{"", NULL, "skip"},
		{REQUIRED(HAS_A), NULL, "skip"},
		{PREFERRED(WEIGHT(10, HAS_A) "," WEIGHT(5, HAS_B)), NULL, "15 10 0 -> 100 66 0"},
		{PREFERRED(WEIGHT(3, HAS_A) "," WEIGHT(3, HAS_A)), NULL, "6 6 0 -> 100 100 0"},
		{PREFERRED(WEIGHT(7, LABELS(EXPR("none", "Exists")))), NULL, "0 0 0 -> 0 0 0"},
		{PREFERRED(WEIGHT(0, HAS_A)), NULL, "0 0 0 -> 0 0 0"},
		{PREFERRED(WEIGHT(9, "{}") "," WEIGHT(1, HAS_B)), NULL, "1 0 0 -> 100 0 0"},
		{PREFERRED(WEIGHT(4, NAMED("In", "'n3'"))), NULL, "0 0 4 -> 0 0 100"},
		{PREFERRED(WEIGHT(4, LABELS(EXPRS("a", "Gt", "'1'")))), NULL, "0 4 0 -> 0 100 0"},
		{PREFERRED(WEIGHT(4, LABELS(EXPR("a", "Like")))), NULL, "error"},
		{PREFERRED(WEIGHT(0, LABELS(EXPR("a", "Like")))), NULL, "0 0 0 -> 0 0 0"},
		{"", PREFERRED(WEIGHT(2, HAS_B)), "2 0 0 -> 100 0 0"},
		{PREFERRED(WEIGHT(4, HAS_A)), PREFERRED(WEIGHT(4, HAS_B)), "8 4 0 -> 100 50 0"},
		{"", REQUIRED(HAS_A), "skip"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		add_node("n1", "'a':'1','b':'1'");
		add_node("n2", "'a':'2'");
		add_node("n3", "");
		add_pod("p", rows[i].spec);
		if (rows[i].added != NULL)
			add_to_every_pod(rows[i].added);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].scores, scores(), rows[i].spec);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_selector_and_operators);
	RUN_TEST(test_terms);
	RUN_TEST(test_added_affinity);
	RUN_TEST(test_named_nodes);
	RUN_TEST(test_score);
	return UNITY_END();
}
