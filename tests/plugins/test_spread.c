/* SPDX-License-Identifier: GPL-2.0-only */
/* PodTopologySpread, hard constraints: skew, missing keys, minDomains, selectors. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
#include <stdio.h>

#include <unity.h>

#include "plugins/picture.h"

enum { PLUGIN = PLUGIN_SPREAD };

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
