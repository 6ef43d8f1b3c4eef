/* SPDX-License-Identifier: GPL-2.0-only */
/* PodTopologySpread, hard constraints: skew, missing keys, minDomains, selectors. */
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
	return questions_verdict(PLUGIN_SPREAD, node);
}

#define LABEL                                                                          \
	"unresolvable: node(s) didn't match pod topology spread constraints (missing " \
	"required label)"
#define SKEW       "unschedulable: node(s) didn't match pod topology spread constraints"
#define RULE(more) "{'topologyKey':'zone','maxSkew':1,'whenUnsatisfiable':'DoNotSchedule'" more "}"
#define WEB        ",'labelSelector':{'matchLabels':{'app':'web'}}"

struct row {
	const char *labels;
	const char *rules;
	const char *verdicts[3]; /* two pods there, none there, no zone */
};

static void test_filter(void)
{
	static const struct row rows[] = {
		{"'app':'web'", "", {"skip", "skip", "skip"}},
		{"'app':'web'", RULE(WEB), {SKEW, "fits", LABEL}},
		{"'app':'db'", RULE(WEB), {SKEW, "fits", LABEL}},
		{"'app':'web'", RULE(""), {"fits", "fits", LABEL}},
		{"'app':'web'", RULE(",'labelSelector':{}"), {"fits", "fits", LABEL}},
		{"'app':'web','v':'2'", RULE(WEB ",'matchLabelKeys':['v']"),
			{"fits", "fits", LABEL}},
		{"'app':'web'", RULE(WEB ",'matchLabelKeys':['v']"), {SKEW, "fits", LABEL}},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Node','metadata':{'name':'a','labels':{'zone':'a'}}}");
		picture_add("{'kind':'Node','metadata':{'name':'b','labels':{'zone':'b'}}}");
		picture_add("{'kind':'Node','metadata':{'name':'c'}}");
		for (int n = 0; n < 2; n++)
			picture_addf("{'kind':'Pod','metadata':{'name':'w%d','namespace':'default',"
				     "'labels':{'app':'web'}},'spec':{'nodeName':'a',"
				     "'containers':[{'name':'c'}]}}",
				n);
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default',"
			     "'labels':{%s}},'spec':{'containers':[{'name':'c'}],"
			     "'topologySpreadConstraints':[%s]}}",
			rows[i].labels, rows[i].rules);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdicts[0], verdict("a"), rows[i].rules);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdicts[1], verdict("b"), rows[i].rules);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdicts[2], verdict("c"), rows[i].rules);
	}
}

static void add_web(const char *name, const char *node)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','labels':"
		     "{'app':'web'}},'spec':{'nodeName':'%s','containers':[{'name':'c'}]}}",
		name, node);
}

static void add_ruled(const char *spec, const char *rules)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default','labels':"
		     "{'app':'web'}},'spec':{%s'containers':[{'name':'c'}],"
		     "'topologySpreadConstraints':[%s]}}",
		spec, rules);
}

/* One pod in each of two zones: one more may come, unless a third zone is wanted first. */
static void test_min_domains(void)
{
	picture_add("{'kind':'Node','metadata':{'name':'a','labels':{'zone':'a'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'b','labels':{'zone':'b'}}}");
	add_web("w1", "a");
	add_web("w2", "b");
	add_ruled("", RULE(WEB ",'minDomains':2"));
	TEST_ASSERT_EQUAL_STRING("fits", verdict("a"));
	picture_remove(KUBE_POD, "default", "p");
	add_ruled("", RULE(WEB ",'minDomains':3"));
	TEST_ASSERT_EQUAL_STRING(SKEW, verdict("a"));
	picture_add("{'kind':'Node','metadata':{'name':'c','labels':{'zone':'c'}}}");
	TEST_ASSERT_EQUAL_STRING(SKEW, verdict("a"));
	TEST_ASSERT_EQUAL_STRING("fits", verdict("c"));
}

/* Which nodes make a domain, when some are not for this pod. */
static void test_policies(void)
{
	static const struct {
		const char *rule;
		const char *verdict; /* of the node that has a pod */
	} rows[] = {
		{RULE(WEB), "fits"}, /* the other zone is no domain: its node is not selected */
		{RULE(WEB ",'nodeAffinityPolicy':'Honor'"), "fits"},
		{RULE(WEB ",'nodeAffinityPolicy':'Ignore'"), SKEW},
		{RULE(WEB ",'nodeAffinityPolicy':'Ignore','nodeTaintsPolicy':'Ignore'"), SKEW},
		{RULE(WEB ",'nodeAffinityPolicy':'Ignore','nodeTaintsPolicy':'Honor'"), "fits"},
	};
	picture_add("{'kind':'Node','metadata':{'name':'a','labels':{'zone':'a','disk':'x'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'b','labels':{'zone':'b'}},"
		    "'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
	add_web("w", "a");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		add_ruled("'nodeSelector':{'disk':'x'},", rows[i].rule);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdict, verdict("a"), rows[i].rule);
		picture_remove(KUBE_POD, "default", "p");
	}
}

/* The same of the profile's default constraints. */
static void test_default_constraints(void)
{
	static const struct {
		struct spread_default fields;
		const char *verdict;
	} rows[] = {
		{{.min_domains = 1}, "fits"},
		{{.min_domains = 2}, SKEW},
		{{.min_domains = 1, .ignores_affinity = true}, SKEW},
		{{.min_domains = 1, .ignores_affinity = true, .honors_taints = true}, "fits"},
	};
	picture_add("{'kind':'Node','metadata':{'name':'a','labels':{'zone':'a','disk':'x'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'b','labels':{'zone':'b'}},"
		    "'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]}}");
	picture_add("{'kind':'Service','metadata':{'name':'web','namespace':'default'},"
		    "'spec':{'selector':{'app':'web'}}}");
	add_web("w", "a");
	add_ruled("'nodeSelector':{'disk':'x'},", "");
	struct spread_args *args = PLUGIN_ARGS_OF(&picture.profile, SPREAD, spread_args);
	args->is_list = true;
	args->constraint_count = 1;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		args->constraints[0] = rows[i].fields;
		TEST_ASSERT_TRUE(intern_find(
			&picture.cache.strings, TEXT("zone"), &args->constraints[0].topology_key));
		args->constraints[0].max_skew = 1;
		args->constraints[0].hard = true;
		TEST_ASSERT_EQUAL_STRING(rows[i].verdict, verdict("a"));
	}
	args->constraints[0].hard = false;
	TEST_ASSERT_EQUAL_STRING("skip", verdict("a"));
}

/* ---- in thought ---- */

static enum plugin_code filter_of(struct cycle_state *d, const char *node)
{
	return plugins[PLUGIN_SPREAD]->filter(d, picture_view(node), NULL);
}

static void move(struct cycle_state *d, const char *node, const char *pod, int sign)
{
	plugins[PLUGIN_SPREAD]->pod_moved(d, picture_view(node), picture_pod("default", pod), sign);
}

static void test_pods_moved_in_thought(void)
{
	picture_add("{'kind':'Node','metadata':{'name':'a','labels':{'zone':'a'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'a2','labels':{'zone':'a'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'b','labels':{'zone':'b'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'none'}}");
	add_web("w1", "a");
	add_web("w2", "a");
	add_web("new", "");
	picture_add("{'kind':'Pod','metadata':{'name':'db','namespace':'default'},"
		    "'spec':{'nodeName':'a','containers':[{'name':'c'}]}}");
	picture_add("{'kind':'Pod','metadata':{'name':'leaving','namespace':'default','labels':"
		    "{'app':'web'},'deletionTimestamp':'2026-01-01T00:00:00Z'},"
		    "'spec':{'nodeName':'a','containers':[{'name':'c'}]}}");
	add_ruled("", RULE(WEB));
	struct cycle_state *d = picture_decide("default", "p");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, plugins[PLUGIN_SPREAD]->pre_filter(d, NULL));
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	move(d, "a", "w1", -1);
	move(d, "a", "db", -1); /* does not match */
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	move(d, "a", "w2", -1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "a"));
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "a2")); /* its zone is the same */
	move(d, "a", "w2", 1);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	plugins[PLUGIN_SPREAD]->pods_forgotten(d);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	/* The emptiest zone gets one: then one more there is one too many. */
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "b"));
	move(d, "b", "new", 1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "b"));
	move(d, "b", "new", 1);
	move(d, "b", "new", 1);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "b"));
	plugins[PLUGIN_SPREAD]->pods_forgotten(d);
	move(d, "none", "new", 1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "b"));
	TEST_ASSERT_EQUAL(PLUGIN_UNRESOLVABLE, filter_of(d, "none"));
	plugins[PLUGIN_SPREAD]->pods_forgotten(d);
	/* Upstream takes off a leaving pod that it never counted; so a third makes room. */
	move(d, "a", "leaving", -1);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, filter_of(d, "a"));
	move(d, "a", "w1", -1);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, filter_of(d, "a"));
}

static const char *scores(void)
{
	return questions_scores(PLUGIN_SPREAD);
}

static void test_score(void)
{
	picture_add("{'kind':'Node','metadata':{'name':'n1','labels':{'zone':'a'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n2','labels':{'zone':'b'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n3'}}");
	for (int n = 0; n < 2; n++)
		picture_addf("{'kind':'Pod','metadata':{'name':'w%d','namespace':'default',"
			     "'labels':{'app':'web'}},'spec':{'nodeName':'n1',"
			     "'containers':[{'name':'c'}]}}",
			n);
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},'spec':"
		    "{'containers':[{'name':'c'}],'topologySpreadConstraints':[{'maxSkew':1,"
		    "'topologyKey':'zone','whenUnsatisfiable':'ScheduleAnyway'" WEB "}]}}");
	/* Two pods times ln(2 + 2); the node without the key takes no part. */
	TEST_ASSERT_EQUAL_STRING("3 0 0 -> 0 100 0", scores());
}

static void test_defaults_need_a_purpose(void)
{
	picture_add("{'kind':'Node','metadata':{'name':'n1'}}");
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default','labels':"
		    "{'app':'web'}},'spec':{'containers':[{'name':'c'}]}}");
	TEST_ASSERT_EQUAL_STRING("skip", scores());
	picture_add("{'kind':'Service','metadata':{'name':'other','namespace':'default'},"
		    "'spec':{'selector':{'app':'db'}}}");
	TEST_ASSERT_EQUAL_STRING("skip", scores());
	picture_add("{'kind':'Service','metadata':{'name':'web','namespace':'default'},"
		    "'spec':{'selector':{'app':'web'}}}");
	TEST_ASSERT_TRUE(scores()[0] != 's');
	PLUGIN_ARGS_OF(&picture.profile, SPREAD, spread_args)->is_list = true;
	TEST_ASSERT_EQUAL_STRING("skip", scores());
}

/* An owner gives a pod its purpose when it is of a kind that selects pods, and there. */
static void test_owners_that_are_a_purpose(void)
{
	static const struct {
		const char *api_version, *kind, *name;
		bool counts;
	} rows[] = {
		{"apps/v1", "ReplicaSet", "web", true},
		{"apps/v1", "StatefulSet", "web", true},
		{"v1", "ReplicationController", "web", true},
		{"apps/v1", "ReplicationController", "web", false},
		{"v1", "ReplicaSet", "web", false},
		{"apps/v1", "DaemonSet", "web", false},
		{"batch/v1", "Job", "web", false},
		{"apps/v1", "ReplicaSet", "gone", false},
		{"v1", "ReplicationController", "gone", false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Node','metadata':{'name':'n1'}}");
		picture_add("{'kind':'ReplicaSet','metadata':{'name':'web'},'spec':{'selector':{"
			    "'matchLabels':{'app':'web'}}}}");
		picture_add("{'kind':'StatefulSet','metadata':{'name':'web'},'spec':{'selector':{"
			    "'matchLabels':{'app':'web'}}}}");
		picture_add("{'kind':'ReplicationController','metadata':{'name':'web'},'spec':{"
			    "'selector':{'app':'web'}}}");
		picture_addf("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'},"
			     "'ownerReferences':[{'apiVersion':'%s','kind':'%s','name':'%s',"
			     "'uid':'u','controller':true}]},'spec':{'containers':[{'name':'c'}]}}",
			rows[i].api_version, rows[i].kind, rows[i].name);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].counts, scores()[0] != 's', rows[i].kind);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_filter);
	RUN_TEST(test_min_domains);
	RUN_TEST(test_policies);
	RUN_TEST(test_default_constraints);
	RUN_TEST(test_pods_moved_in_thought);
	RUN_TEST(test_score);
	RUN_TEST(test_defaults_need_a_purpose);
	RUN_TEST(test_owners_that_are_a_purpose);
	return UNITY_END();
}
