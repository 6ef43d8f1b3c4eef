/* SPDX-License-Identifier: GPL-2.0-only */
/* InterPodAffinity: near others, away from them, and others away from the pod. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
#include <stdio.h>

#include <unity.h>

#include "plugins/picture.h"

enum { PLUGIN = PLUGIN_INTER_POD_AFFINITY };

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
		picture.profile.inter_pod_affinity.hard_weight = 2;
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
	RUN_TEST(test_score);
	return UNITY_END();
}
