/* SPDX-License-Identifier: GPL-2.0-only */
/* ImageLocality: image sizes, how many nodes have them, thresholds and names. */
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

static const char *scores(void)
{
	return questions_scores(PLUGIN_IMAGE_LOCALITY);
}

enum { MIB = 1024 * 1024 };

/* Two nodes; each has the image of that name and size, none when the size is 0. */
static void add_nodes(const char *image, int mib1, int mib2)
{
	const int sizes[] = {mib1, mib2};
	for (int i = 0; i < 2; i++) {
		if (sizes[i] == 0)
			picture_addf("{'kind':'Node','metadata':{'name':'n%d'}}", i + 1);
		else
			picture_addf("{'kind':'Node','metadata':{'name':'n%d'},'status':{'images':"
				     "[{'names':['%s'],'sizeBytes':%lld}]}}",
				i + 1, image, (long long)sizes[i] * MIB);
	}
}

#define APP  "{'name':'a','image':'app'}"
#define NONE "{'name':'b','image':'none'}"

struct row {
	const char *image;
	int mib1;
	int mib2;
	const char *spec;
	const char *scores;
};

static const struct row rows[] = {
	{"app:latest", 0, 0, "'containers':[" APP "]", "0 0"},
	{"app:latest", 500, 500, "'containers':[" APP "]", "48 48"},
	{"app:latest", 500, 0, "'containers':[" APP "]", "23 0"}, /* counts for half */
	{"app:latest", 0, 500, "'containers':[" APP "]", "0 23"},
	{"app:latest", 22, 22, "'containers':[" APP "]", "0 0"},
	{"app:latest", 23, 23, "'containers':[" APP "]", "0 0"},
	{"app:latest", 33, 33, "'containers':[" APP "]", "1 1"},
	{"app:latest", 1000, 1000, "'containers':[" APP "]", "100 100"},
	{"app:latest", 4000, 4000, "'containers':[" APP "]", "100 100"},
	{"app:latest", 1998, 0, "'containers':[" APP "]", "99 0"},
	/* The size is what the first node said. */
	{"app:latest", 500, 900, "'containers':[" APP "]", "48 48"},
	/* Each container raises the upper threshold; each use of the image adds its size. */
	{"app:latest", 500, 500, "'containers':[" APP "," NONE "]", "24 24"},
	{"app:latest", 500, 500, "'containers':[" APP "," APP "]", "49 49"},
	{"app:latest", 500, 500, "'containers':[" NONE "],'initContainers':[" APP "]", "24 24"},
	/* Image volumes add their size, but raise nothing. */
	{"app:latest", 500, 500,
		"'containers':[" NONE "],'volumes':[{'name':'v','image':{'reference':'app'}}]",
		"48 48"},
	{"app:latest", 500, 500,
		"'containers':[" APP "],'volumes':[{'name':'v','image':{'reference':'app'}}]",
		"100 100"},
	/* Names. */
	{"app", 500, 500, "'containers':[" APP "]", "0 0"},
	{"app:v1", 500, 500, "'containers':[{'name':'c','image':'app:v1'}]", "48 48"},
	{"app:v1", 500, 500, "'containers':[" APP "]", "0 0"},
	{"r:5000/app:latest", 500, 500, "'containers':[{'name':'c','image':'r:5000/app'}]",
		"48 48"},
	{"r/app@sha256:0a", 500, 500, "'containers':[{'name':'c','image':'r/app@sha256:0a'}]",
		"48 48"},
	{"docker.io/library/app:latest", 500, 500, "'containers':[" APP "]", "0 0"},
};

static void test_scores(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		add_nodes(rows[i].image, rows[i].mib1, rows[i].mib2);
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			     "'spec':{%s}}",
			rows[i].spec);
		char at[32];
		snprintf(at, sizeof(at), "row %zu", i);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].scores, scores(), at);
		const struct plugin *plugin = plugins[PLUGIN_IMAGE_LOCALITY];
		if (plugin->score_is_idle(&picture.decision))
			TEST_ASSERT_EQUAL_STRING_MESSAGE("0 0", rows[i].scores, at);
	}
}

static void test_image_volumes_in_1_37_raise_the_threshold(void)
{
	picture_release(KUBE_1_37);
	add_nodes("app:latest", 500, 500);
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},'spec':{"
		    "'containers':[" NONE "],'volumes':[{'name':'v','image':{'reference':'app'}}"
		    ",{'name':'w','emptyDir':{}}]}}");
	TEST_ASSERT_EQUAL_STRING("24 24", scores());
}

static void test_idle(void)
{
	add_nodes("app:latest", 500, 0);
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
		    "'spec':{'containers':[" APP "]}}");
	TEST_ASSERT_FALSE(
		plugins[PLUGIN_IMAGE_LOCALITY]->score_is_idle(picture_decide("default", "p")));
	picture_remove(KUBE_NODE, "", "n1");
	TEST_ASSERT_TRUE(
		plugins[PLUGIN_IMAGE_LOCALITY]->score_is_idle(picture_decide("default", "p")));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_scores);
	RUN_TEST(test_image_volumes_in_1_37_raise_the_threshold);
	RUN_TEST(test_idle);
	return UNITY_END();
}
