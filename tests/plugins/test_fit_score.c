/* SPDX-License-Identifier: GPL-2.0-only */
/* NodeResourcesFit and NodeResourcesBalancedAllocation, the scores. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: cycle/profile*.c config/faults.c config/fields.c config/scheduler_*.c config/yaml*.c
#include <unity.h>

#include "cycle/profile.h"
#include "plugins/picture.h"

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

/* "raw raw -> normalised normalised" of n1, n2 ...; "skip" or "error" when prescore says so. */
static const char *scores(enum plugin_id id)
{
	static char line[256];
	const struct plugin *plugin = &plugins[id];
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

static void add(const char *requests)
{
	profile_defaults(&picture.cache, &picture.profile);
	picture_add("{'kind':'Node','metadata':{'name':'n1'},'status':{'allocatable':"
		    "{'pods':'9','cpu':'4','memory':'8Gi'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n2'},'status':{'allocatable':"
		    "{'pods':'9','cpu':'2','memory':'8Gi'}}}");
	picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},'spec':"
		     "{'containers':[{'name':'c','resources':{'requests':{%s}}}]}}",
		requests);
}

static void test_strategies(void)
{
	add("'cpu':'1','memory':'2Gi'");
	struct fit_args *fit = &picture.profile.fit;
	TEST_ASSERT_EQUAL_STRING("75 62", scores(PLUGIN_FIT));
	fit->strategy = FIT_MOST_ALLOCATED;
	TEST_ASSERT_EQUAL_STRING("25 37", scores(PLUGIN_FIT));
	fit->strategy = FIT_REQUESTED_TO_CAPACITY_RATIO;
	fit->shape[0] = (struct plugin_shape_point){0, 0};
	fit->shape[1] = (struct plugin_shape_point){100, 10};
	fit->shape_count = 2;
	TEST_ASSERT_EQUAL_STRING("25 38", scores(PLUGIN_FIT));
	fit->shape[0] = (struct plugin_shape_point){25, 10};
	fit->shape[1] = (struct plugin_shape_point){50, 4};
	TEST_ASSERT_EQUAL_STRING("100 70", scores(PLUGIN_FIT));
}

static void test_balanced(void)
{
	add("'cpu':'1','memory':'2Gi'");
	TEST_ASSERT_EQUAL_STRING("75 68", scores(PLUGIN_BALANCED));
}

static void test_without_requests(void)
{
	add("");
	TEST_ASSERT_EQUAL_STRING("97 96", scores(PLUGIN_FIT)); /* as if 100m and 200Mi */
	TEST_ASSERT_EQUAL_STRING("skip", scores(PLUGIN_BALANCED));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_strategies);
	RUN_TEST(test_balanced);
	RUN_TEST(test_without_requests);
	return UNITY_END();
}
