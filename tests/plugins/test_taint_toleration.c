/* SPDX-License-Identifier: GPL-2.0-only */
/* TaintToleration: taints that forbid, taints that advise against, and what tolerates them. */
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
	return questions_verdict(PLUGIN_TAINT_TOLERATION, node);
}

static const char *scores(void)
{
	return questions_scores(PLUGIN_TAINT_TOLERATION);
}

static void add_node(const char *name, const char *taints)
{
	picture_addf(
		"{'kind':'Node','metadata':{'name':'%s'},'spec':{'taints':[%s]}}", name, taints);
}

static void add_pod(const char *tolerations)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
		     "'spec':{'containers':[{'name':'c'}],'tolerations':[%s]}}",
		tolerations);
}

#define FORBIDDEN "unresolvable: node(s) had untolerated taint(s)"
#define HARD      "{'key':'k','value':'v','effect':'NoSchedule'}"
#define EXECUTE   "{'key':'k','value':'v','effect':'NoExecute'}"
#define SOFT      "{'key':'k','value':'v','effect':'PreferNoSchedule'}"
#define SOFT_B    "{'key':'b','effect':'PreferNoSchedule'}"
#define SOFT_C    "{'key':'c','effect':'PreferNoSchedule'}"

struct filter_row {
	const char *taints;
	const char *tolerations;
	const char *verdict;
};

static void test_filter(void)
{
	static const struct filter_row rows[] = {
		{"", "", "fits"},
		{HARD, "", FORBIDDEN},
		{EXECUTE, "", FORBIDDEN},
		{SOFT, "", "fits"},
		{HARD, "{'key':'k','value':'v'}", "fits"},
		{HARD, "{'key':'k','operator':'Equal','value':'v'}", "fits"},
		{HARD, "{'key':'k','operator':'Equal','value':'w'}", FORBIDDEN},
		{HARD, "{'key':'k','operator':'Equal'}", FORBIDDEN},
		{HARD, "{'key':'k','operator':'Exists'}", "fits"},
		{HARD, "{'key':'l','operator':'Exists'}", FORBIDDEN},
		{HARD, "{'operator':'Exists'}", "fits"},
		{HARD, "{'value':'v'}", "fits"}, /* an empty key is any key, with Equal too */
		{HARD, "{'value':'w'}", FORBIDDEN},
		{HARD, "{'operator':'Exists','effect':'NoSchedule'}", "fits"},
		{HARD, "{'operator':'Exists','effect':'NoExecute'}", FORBIDDEN},
		{EXECUTE, "{'operator':'Exists','effect':'NoExecute'}", "fits"},
		{"{'key':'k','value':'5','effect':'NoSchedule'}",
			"{'key':'k','operator':'Lt','value':'9'}", "fits"},
		{"{'key':'k','value':'5','effect':'NoSchedule'}",
			"{'key':'k','operator':'Gt','value':'9'}", FORBIDDEN},
		{HARD "," EXECUTE, "{'key':'k','operator':'Exists','effect':'NoSchedule'}",
			FORBIDDEN},
		{HARD "," EXECUTE,
			"{'key':'k','operator':'Exists','effect':'NoSchedule'},"
			"{'key':'k','operator':'Exists','effect':'NoExecute'}",
			"fits"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		add_node("n", rows[i].taints);
		add_pod(rows[i].tolerations);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			rows[i].verdict, verdict("n"), rows[i].tolerations);
	}
}

struct score_row {
	const char *tolerations;
	const char *scores;
};

static void test_score(void)
{
	static const struct score_row rows[] = {
		{"", "0 1 3 0 -> 100 67 0 100"},
		{"{'operator':'Exists'}", "0 0 0 0 -> 100 100 100 100"},
		{"{'operator':'Exists','effect':'PreferNoSchedule'}", "0 0 0 0 -> 100 100 100 100"},
		{"{'operator':'Exists','effect':'NoSchedule'}", "0 1 3 0 -> 100 67 0 100"},
		{"{'key':'k','value':'v'}", "0 0 2 0 -> 100 100 0 100"},
		{"{'key':'b'}", "0 1 2 0 -> 100 50 0 100"},
		{"{'key':'k','value':'w'}", "0 1 3 0 -> 100 67 0 100"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		add_node("n1", "");
		add_node("n2", SOFT);
		add_node("n3", SOFT "," SOFT_B "," SOFT_C);
		add_node("n4", HARD);
		add_pod(rows[i].tolerations);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].scores, scores(), rows[i].tolerations);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_filter);
	RUN_TEST(test_score);
	return UNITY_END();
}
