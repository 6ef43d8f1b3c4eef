/* SPDX-License-Identifier: GPL-2.0-only */
/* NodeResourcesFit, the filter: all that is not enough, and what no eviction helps. */
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
	return questions_verdict(PLUGIN_FIT, node);
}

static void add_node(const char *allocatable)
{
	picture_addf("{'kind':'Node','metadata':{'name':'n'},'status':{'allocatable':{%s}}}",
		allocatable);
}

static void add_pod(const char *name, const char *node, const char *requests)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default'},"
		     "'spec':{'nodeName':'%s','containers':[{'name':'c','resources':"
		     "{'requests':{%s}}}]}}",
		name, node, requests);
}

#define CPU     "Insufficient cpu"
#define MEMORY  "Insufficient memory"
#define STORAGE "Insufficient ephemeral-storage"
#define OFFER   "'pods':'10','cpu':'2','memory':'2Gi','ephemeral-storage':'10Gi'"

struct row {
	const char *allocatable;
	const char *used; /* by a pod that is there */
	const char *request;
	const char *verdict;
};

static void check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct plugin_profile profile = picture.profile;
		tearDown();
		setUp();
		picture.profile = profile;
		add_node(rows[i].allocatable);
		add_pod("there", "n", rows[i].used);
		add_pod("p", "", rows[i].request);
		char at[32];
		snprintf(at, sizeof(at), "row %zu", i);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdict, verdict("n"), at);
	}
}

static void test_amounts(void)
{
	static const struct row rows[] = {
		{OFFER, "", "", "fits"},
		{OFFER, "'cpu':'1'", "'cpu':'1'", "fits"},
		{OFFER, "'cpu':'1'", "'cpu':'1001m'", "unschedulable: " CPU},
		{OFFER, "'cpu':'1'", "'cpu':'2'", "unschedulable: " CPU},
		{OFFER, "'cpu':'1'", "'cpu':'2001m'", "unresolvable: " CPU},
		{OFFER, "", "'cpu':'2001m'", "unresolvable: " CPU},
		{OFFER, "'memory':'1Gi'", "'memory':'1Gi'", "fits"},
		{OFFER, "'memory':'1Gi'", "'memory':'1025Mi'", "unschedulable: " MEMORY},
		{OFFER, "", "'memory':'3Gi'", "unresolvable: " MEMORY},
		{OFFER, "'ephemeral-storage':'9Gi'", "'ephemeral-storage':'2Gi'",
			"unschedulable: " STORAGE},
		/* What asks for nothing fits a node that is overcommitted. */
		{OFFER, "'cpu':'4'", "'memory':'1Gi'", "fits"},
		{OFFER, "'cpu':'4'", "'cpu':'0','memory':'1Gi'", "fits"},
		{OFFER, "'cpu':'4'", "'cpu':'1m'", "unschedulable: " CPU},
		/* Nothing offered counts as none. */
		{"'pods':'10'", "", "'cpu':'1m'", "unresolvable: " CPU},
		{"'pods':'10'", "", "", "fits"},
	};
	check(rows, ARRAY_COUNT(rows));
}

static void test_pod_count(void)
{
	static const struct row rows[] = {
		{"'pods':'2'", "", "", "fits"},
		{"'pods':'1'", "", "", "unschedulable: Too many pods"},
		{"", "", "", "unschedulable: Too many pods"}, /* though the node takes none */
		{"'pods':'1','cpu':'1'", "", "'cpu':'1'", "unschedulable: Too many pods"},
		{"'pods':'1','cpu':'1'", "", "'cpu':'2'", "unresolvable: Too many pods, " CPU},
	};
	check(rows, ARRAY_COUNT(rows));
}

static void test_all_at_once(void)
{
	static const struct row rows[] = {
		{"'pods':'1','cpu':'2','memory':'2Gi','ephemeral-storage':'2Gi','x.y/a':'2'",
			"'cpu':'2','memory':'2Gi','ephemeral-storage':'2Gi','x.y/a':'2'",
			"'cpu':'1','memory':'1Gi','ephemeral-storage':'1Gi','x.y/a':'1'",
			"unschedulable: Too many pods, " CPU ", " MEMORY ", " STORAGE
			", Insufficient x.y/a"},
		{"'pods':'9','cpu':'2','memory':'2Gi'", "'cpu':'2','memory':'2Gi'",
			"'cpu':'1','memory':'3Gi'", "unresolvable: " CPU ", " MEMORY},
	};
	check(rows, ARRAY_COUNT(rows));
}

static void test_scalars(void)
{
#define GPUS "'pods':'10','x.y/gpu':'4'"
	static const struct row rows[] = {
		{GPUS, "'x.y/gpu':'3'", "'x.y/gpu':'1'", "fits"},
		{GPUS, "'x.y/gpu':'3'", "'x.y/gpu':'2'", "unschedulable: Insufficient x.y/gpu"},
		{GPUS, "", "'x.y/gpu':'5'", "unresolvable: Insufficient x.y/gpu"},
		{GPUS, "", "'x.y/other':'1'", "unresolvable: Insufficient x.y/other"},
		{GPUS, "", "'x.y/other':'0'", "fits"},
		{GPUS, "", "'unknown':'1'", "fits"}, /* not a name that is tracked */
		{"'pods':'9','hugepages-2Mi':'4Mi'", "'hugepages-2Mi':'2Mi'",
			"'hugepages-2Mi':'4Mi'", "unschedulable: Insufficient hugepages-2Mi"},
	};
	check(rows, ARRAY_COUNT(rows));
}

static uint32_t id_of(const char *name)
{
	uint32_t id = 0;
	TEST_ASSERT_TRUE(intern_find(&picture.cache.strings, text_of(name), &id));
	return id;
}

static void test_ignored(void)
{
	add_node("'pods':'10'");
	add_pod("p", "", "'x.y/gpu':'1','x.yy/gpu':'1','hugepages-2Mi':'2Mi'");
	add_pod("group", "", "'x.y/any':'1'");
	/* An ignored group is known by the name before the slash. */
	picture_add("{'kind':'Pod','metadata':{'name':'x.y','namespace':'default'},"
		    "'spec':{'containers':[{'name':'c'}]}}");
	struct fit_args *fit = PLUGIN_ARGS_OF(&picture.profile, FIT, fit_args);
	fit->ignored[0] = id_of("x.yy/gpu");
	fit->ignored_count = 1;
	TEST_ASSERT_EQUAL_STRING(
		"unresolvable: Insufficient x.y/gpu, Insufficient hugepages-2Mi", verdict("n"));
	fit->ignored_groups[0] = id_of("x.y");
	fit->ignored_group_count = 1;
	TEST_ASSERT_EQUAL_STRING("unresolvable: Insufficient hugepages-2Mi", verdict("n"));
	/* Only extended resources can be ignored. */
	fit->ignored[1] = id_of("hugepages-2Mi");
	fit->ignored_count = 2;
	TEST_ASSERT_EQUAL_STRING("unresolvable: Insufficient hugepages-2Mi", verdict("n"));
	fit->ignored_count = 0;
	TEST_ASSERT_EQUAL_STRING(
		"unresolvable: Insufficient x.yy/gpu, Insufficient hugepages-2Mi", verdict("n"));
}

static void test_what_a_pod_requests(void)
{
	static const char *const specs[] = {
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}},"
		"{'name':'d','resources':{'requests':{'cpu':'1'}}}]",
		"'containers':[{'name':'c'}],'initContainers':[{'name':'i','resources':"
		"{'requests':{'cpu':'2'}}}]",
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}],"
		"'initContainers':[{'name':'i','restartPolicy':'Always','resources':"
		"{'requests':{'cpu':'1'}}}]",
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}],"
		"'overhead':{'cpu':'1'}",
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'9'}}}],"
		"'resources':{'requests':{'cpu':'2'}}",
	};
	for (size_t i = 0; i < ARRAY_COUNT(specs); i++) {
		tearDown();
		setUp();
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			     "'spec':{%s}}",
			specs[i]);
		add_node("'pods':'1','cpu':'2'");
		TEST_ASSERT_EQUAL_STRING_MESSAGE("fits", verdict("n"), specs[i]);
		picture_remove(KUBE_NODE, "", "n");
		add_node("'pods':'1','cpu':'1999m'");
		TEST_ASSERT_EQUAL_STRING_MESSAGE("unresolvable: " CPU, verdict("n"), specs[i]);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_amounts);
	RUN_TEST(test_pod_count);
	RUN_TEST(test_all_at_once);
	RUN_TEST(test_scalars);
	RUN_TEST(test_ignored);
	RUN_TEST(test_what_a_pod_requests);
	return UNITY_END();
}
