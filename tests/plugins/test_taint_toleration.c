/* SPDX-License-Identifier: GPL-2.0-only */
/* TaintToleration: taints that forbid, taints that advise against, and what tolerates them. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
#include <stdio.h>

#include <unity.h>

#include "plugins/picture.h"

enum { PLUGIN = PLUGIN_TAINT_TOLERATION };

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

/* What prefilter and filter say about the node: "fits", "skip", or the code and the reasons. */
static const char *verdict(const char *node)
{
	static const char *const codes[] = {[PLUGIN_SUCCESS] = "fits",
		[PLUGIN_ERROR] = "error",
		[PLUGIN_UNSCHEDULABLE] = "unschedulable",
		[PLUGIN_UNRESOLVABLE] = "unresolvable",
		[PLUGIN_SKIP] = "skip"};
	static char line[512];
	const struct plugin *plugin = &plugins[PLUGIN];
	struct decision *d = picture_decide("default", "p");
	enum plugin_code code =
		plugin->prefilter == NULL ? PLUGIN_SUCCESS : plugin->prefilter(d, picture_why());
	if (code == PLUGIN_SUCCESS) {
		code = plugin->filter(d, picture_view(node), picture_why());
		uint32_t index = picture_node(node);
		uint8_t rejected[64] = {0};
		TEST_ASSERT_TRUE(index < sizeof(rejected));
		if (plugin->filter_nodes != NULL) {
			plugin->filter_nodes(d, &index, 1, rejected);
			TEST_ASSERT_EQUAL(code != PLUGIN_SUCCESS, rejected[index]);
		}
	}
	const char *words = picture_reasons();
	if (words[0] == '\0')
		return codes[code];
	snprintf(line, sizeof(line), "%s: %s", codes[code], words);
	return line;
}

/* "raw raw -> normalised normalised" of n1, n2 ...; "skip" or "error" when prescore says so. */
static const char *scores(void)
{
	static char line[256];
	const struct plugin *plugin = &plugins[PLUGIN];
	struct decision *d = picture_decide("default", "p");
	uint32_t nodes[8];
	int64_t raw[8] = {0};
	int64_t many[8] = {0};
	const char *names[8] = {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"};
	d->feasible = nodes;
	while ((nodes[d->feasible_count] = cache_find_node(
			&picture.cache, text_of(names[d->feasible_count]))) != 0)
		d->feasible_count++;
	enum plugin_code code = plugin->prescore == NULL ? PLUGIN_SUCCESS : plugin->prescore(d);
	if (code != PLUGIN_SUCCESS)
		return code == PLUGIN_SKIP ? "skip" : "error";
	for (uint32_t i = 0; i < d->feasible_count; i++)
		raw[i] = plugin->score(d, nodes[i]);
	if (plugin->score_nodes != NULL) {
		plugin->score_nodes(d, many);
		TEST_ASSERT_EQUAL_INT64_ARRAY(raw, many, d->feasible_count);
	}
	struct writer w;
	writer_init(&w, line, sizeof(line) - 1);
	for (uint32_t i = 0; i < d->feasible_count; i++)
		write_format(&w, "%s%lld", i == 0 ? "" : " ", (long long)raw[i]);
	if (plugin->normalize != NULL) {
		plugin->normalize(d, raw, d->feasible_count);
		write_z(&w, " ->");
		for (uint32_t i = 0; i < d->feasible_count; i++)
			write_format(&w, " %lld", (long long)raw[i]);
	}
	line[w.used] = '\0';
	return line;
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
			"{'key':'k','operator':'Lt','value':'9'}", FORBIDDEN},
		{"{'key':'k','value':'5','effect':'NoSchedule'}",
			"{'key':'k','operator':'Gt','value':'1'}", FORBIDDEN},
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
