/* SPDX-License-Identifier: GPL-2.0-only */
/* PodTopologySpread, hard constraints: skew, missing keys, minDomains, selectors. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
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
		{"'app':'web'", RULE(WEB ",'minDomains':3"), {SKEW, "fits", LABEL}},
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
	picture.profile.spread.is_list = true;
	TEST_ASSERT_EQUAL_STRING("skip", scores());
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_filter);
	RUN_TEST(test_score);
	RUN_TEST(test_defaults_need_a_purpose);
	return UNITY_END();
}
