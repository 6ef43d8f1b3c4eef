/* SPDX-License-Identifier: GPL-2.0-only */
/* explain: the table, the pod that is taken off its node, and JSON. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c command/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c queue/*.c
// deps: api/*.c bind/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c update/*.c
// deps: tests/command/run.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/explanation.h"
#include "command/run.h"
#include "unity.h"

static struct said said;

void setUp(void)
{
}

void tearDown(void)
{
}

#define NODES                                                                                  \
	"{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"},\"status\":{\"allocatable\":{"      \
	"\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"9\"}}}"                                   \
	"{\"kind\":\"Node\",\"metadata\":{\"name\":\"n2\"},\"status\":{\"allocatable\":{"      \
	"\"cpu\":\"1\",\"memory\":\"8Gi\",\"pods\":\"9\"}}}"                                   \
	"{\"kind\":\"Node\",\"metadata\":{\"name\":\"n3\"},\"spec\":{\"unschedulable\":true}," \
	"\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"9\"}}}"
#define POD(name, spec)                                                                       \
	"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                                    \
	"\",\"namespace\":\"shop\"},\"spec\":{\"containers\":[{\"resources\":{\"requests\":{" \
	"\"cpu\":\"2\"}}}]" spec "}}"

#define TABLE                                                                          \
	"\nNODE  VERDICT                       PLUGIN             REASONS\n"           \
	"n1    score 435                                        TaintToleration 300, " \
	"NodeResourcesFit 73, NodeResourcesBalancedAllocation 62\n"                    \
	"n2    UnschedulableAndUnresolvable  NodeResourcesFit   Insufficient cpu\n"    \
	"n3    UnschedulableAndUnresolvable  NodeUnschedulable  node(s) were unschedulable\n"

static void explains(const char *pod, const char *input, const char *expected)
{
	RUN(&said, explain_run, input, pod, "--cluster", "-");
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL_STRING(expected, said.out);
	TEST_ASSERT_EQUAL(0, said.status);
}

static void refuses(const char *pod, const char *input, int status, const char *words)
{
	RUN(&said, explain_run, input, pod, "--cluster", "-");
	TEST_ASSERT_EQUAL_STRING(words, said.err);
	TEST_ASSERT_EQUAL_STRING("", said.out);
	TEST_ASSERT_EQUAL(status, said.status);
}

static void test_pending_pod(void)
{
	explains("shop/web", NODES POD("web", ""),
		"Pod shop/web: goes to n1, the only one of 3 nodes that will do.\n" TABLE);
}

static void test_bound_pod_is_decided_as_if_it_were_not(void)
{
	explains("shop/web", NODES POD("web", ",\"nodeName\":\"n1\""),
		"Pod shop/web: goes to n1, the only one of 3 nodes that will do.\n"
		"It is on n1; this is what would be decided if it were not.\n" TABLE);
}

/* Members that come twice, an empty name, a name that has escapes. */
static void test_odd_ways_of_being_bound(void)
{
	explains("shop/web", NODES POD("web", ",\"nodeName\":\"n1\",\"nodeName\":\"n2\""),
		"Pod shop/web: goes to n1, the only one of 3 nodes that will do.\n"
		"It is on n2; this is what would be decided if it were not.\n" TABLE);
	explains("shop/web", NODES POD("web", ",\"nodeName\":\"\""),
		"Pod shop/web: goes to n1, the only one of 3 nodes that will do.\n" TABLE);
	explains("shop/web", NODES POD("web", ",\"nodeName\":null"),
		"Pod shop/web: goes to n1, the only one of 3 nodes that will do.\n" TABLE);
	RUN(&said, explain_run, NODES POD("web", ",\"nodeName\":\"a\\\"b\""), "shop/web", "-");
	TEST_ASSERT_EQUAL(0, said.status);
	refuses("shop/web", NODES POD("web", ",\"nodeName\":5"), 1,
		"berth: standard input:1: Pod shop/web: spec.nodeName: not a string\n"
		"berth: shop/web: no such pod in the dump\n");
}

static void test_the_last_of_two_is_explained(void)
{
	RUN(&said, explain_run, NODES POD("web", ",\"nodeName\":\"n1\"") POD("web", ""), "shop/web",
		"-");
	TEST_ASSERT_NULL(strstr(said.out, "It is on"));
	RUN(&said, explain_run, NODES POD("web", "") POD("web", ",\"nodeName\":\"n1\""), "shop/web",
		"-");
	TEST_ASSERT_NOT_NULL(strstr(said.out, "It is on n1;"));
}

static void test_several_feasible_nodes_by_score(void)
{
	RUN(&said, explain_run,
		NODES "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"small\"},\"spec\":{}}", "small",
		"-");
	TEST_ASSERT_NOT_NULL(strstr(said.out,
		"Pod default/small: goes to n1, the best of 2 feasible "
		"nodes (3 looked at).\n"));
	const char *first = strstr(said.out, "\nn1    score ");
	const char *second = strstr(said.out, "\nn2    score ");
	const char *third = strstr(said.out, "\nn3    Unsch");
	TEST_ASSERT_TRUE(first != NULL && second != NULL && third != NULL);
	TEST_ASSERT_TRUE(first < second);
	TEST_ASSERT_TRUE(second < third);
}

static void test_no_node_and_no_preemption(void)
{
	RUN(&said, explain_run, NODES POD("web", ",\"overhead\":{\"cpu\":\"9\"}"), "shop/web", "-");
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_EQUAL(
		0, strncmp(said.out, "Pod shop/web: no node.\n0/3 nodes are available: ", 48));
	TEST_ASSERT_NOT_NULL(strstr(said.out,
		"\nPreemption: "
		"preemption: 0/3 nodes are available: "));
}

static void test_preemption(void)
{
	RUN(&said, explain_run,
		NODES POD("low", ",\"nodeName\":\"n1\"")
			POD("web", ",\"priority\":5,\"overhead\":{\"cpu\":\"1\"}"),
		"shop/web", "-");
	TEST_ASSERT_NOT_NULL(strstr(said.out,
		"\nPreemption: the pod would be nominated for n1; "
		"these pods would be evicted: shop/low.\n"));
}

static void test_refused_before_any_node(void)
{
	RUN(&said, explain_run,
		NODES POD("web",
			",\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{"
			"\"claimName\":\"gone\"}}]"),
		"shop/web", "-");
	TEST_ASSERT_NOT_NULL(strstr(said.out,
		"No node was evaluated: VolumeRestrictions says "
		"persistentvolumeclaim \"gone\" not found.\n"));
	TEST_ASSERT_NULL(strstr(said.out, "VERDICT"));
}

static void test_only_some_nodes_by_name(void)
{
	RUN(&said, explain_run,
		NODES POD("web",
			",\"affinity\":{\"nodeAffinity\":{"
			"\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"
			"[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
			"\"values\":[\"n2\"]}]}]}}}"),
		"shop/web", "-");
	TEST_ASSERT_NOT_NULL(strstr(said.out, "Only these nodes are eligible by name: n2.\n"));
}

static void test_gated_deleting_and_nominated_pods(void)
{
	RUN(&said, explain_run, NODES POD("web", ",\"schedulingGates\":[{\"name\":\"wait\"}]"),
		"shop/web", "-");
	TEST_ASSERT_NOT_NULL(strstr(said.out,
		"It is not decided now: waiting for scheduling gates: "
		"[wait]; this is what would be decided without"));
	RUN(&said, explain_run,
		NODES "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"deletionTimestamp\":"
		      "\"2026-11-18T08:00:00Z\"},\"status\":{\"nominatedNodeName\":\"n2\"}}",
		"p", "-");
	TEST_ASSERT_NOT_NULL(strstr(said.out,
		"Pod default/p: goes to n2, for which it is "
		"nominated.\nIt is being deleted: "));
}

/* ---- what cannot be explained ---- */

static void test_no_such_pod(void)
{
	refuses("shop/gone", NODES, 1, "berth: shop/gone: no such pod in the dump\n");
	refuses("a/b",
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\",\"namespace\":\"a\"},"
		"\"status\":{\"phase\":\"Failed\"}}",
		1, "berth: a/b: no such pod in the dump, or it has finished\n");
}

static void test_pod_of_another_scheduler(void)
{
	refuses("shop/web", NODES POD("web", ",\"schedulerName\":\"other\""), 1,
		"berth: shop/web: no profile has the name in spec.schedulerName\n");
}

static void misused(const char *pod, const char *file, const char *words)
{
	RUN(&said, explain_run, NULL, pod, file);
	TEST_ASSERT_EQUAL(2, said.status);
	TEST_ASSERT_EQUAL_STRING(words, said.err);
}

static void test_misuse(void)
{
	misused(NULL, NULL, "berth: explain needs a pod; 'berth explain --help' says more\n");
	misused("a/b/c", "-",
		"berth: name the pod as NAMESPACE/POD or POD; 'berth explain --help' says "
		"more\n");
	misused("/b", "-",
		"berth: name the pod as NAMESPACE/POD or POD; 'berth explain --help' says "
		"more\n");
	misused("a/", "-",
		"berth: name the pod as NAMESPACE/POD or POD; 'berth explain --help' says "
		"more\n");
	misused("a/b", "--clutser",
		"berth: unknown flag '--clutser' (did you mean '--cluster'?); 'berth explain "
		"--help' "
		"says more\n");
}

/* ---- JSON ---- */

static void test_json(void)
{
	RUN(&said, explain_run, NODES POD("web", ",\"nodeName\":\"n1\""), "shop/web", "--cluster",
		"-", "-o", "json");
	TEST_ASSERT_EQUAL_STRING(
		"{\"rejected\":{\"n2\":{\"plugin\":\"NodeResourcesFit\",\"code\":"
		"\"UnschedulableAndUnresolvable\","
		"\"reasons\":[\"Insufficient cpu\"]},\"n3\":{\"plugin\":\"NodeUnschedulable\","
		"\"code\":\"UnschedulableAndUnresolvable\",\"reasons\":[\"node(s) were "
		"unschedulable\"]}},\"feasible\":[\"n1\"],\"scores\":{\"n1\":{\"total\":435,"
		"\"plugins\":{\"TaintToleration\":300,\"NodeResourcesFit\":73,\"DynamicResources\":"
		"0,"
		"\"NodeResourcesBalancedAllocation\":62,\"ImageLocality\":0}}},\"best\":[\"n1\"],"
		"\"choice\":\"n1\"}\n",
		said.out);
	TEST_ASSERT_EQUAL(0, said.status);
}

/* More nodes than one parse of the answer could take. */
static void test_many_nodes(void)
{
	size_t size = 2u << 20;
	char *dump = malloc(size);
	TEST_ASSERT_NOT_NULL(dump);
	size_t used = 0;
	for (int i = 0; i < 6000; i++)
		used += (size_t)snprintf(dump + used, size - used,
			"{\"kind\":\"Node\",\"metadata\":{\"name\":\"node-%05d\"},\"status\":{"
			"\"allocatable\":{\"cpu\":\"%d\",\"memory\":\"8Gi\",\"pods\":\"9\"}}}\n",
			i, 1 + i % 8);
	(void)snprintf(dump + used, size - used, "%s", POD("web", ""));
	FILE *file = fopen("build/test-explain.json", "w");
	TEST_ASSERT_NOT_NULL(file);
	TEST_ASSERT_TRUE(fputs(dump, file) >= 0);
	(void)fclose(file);
	free(dump);
	RUN(&said, explain_run, NULL, "shop/web", "build/test-explain.json", "--memory=256Mi");
	(void)remove("build/test-explain.json");
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "best of 5250 feasible nodes (6000 looked at)"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "\nnode-00007  score 4"));
}

static void test_table_without_room(void)
{
	static const char json[] = "{\"rejected\":{\"a\":{\"plugin\":\"P\",\"code\":\"C\","
				   "\"reasons\":[\"r\"]}},\"feasible\":[]}";
	_Alignas(16) static uint8_t block[16];
	struct scratch scratch;
	struct output out;
	char text[sizeof(json)];
	memcpy(text, json, sizeof(json));
	scratch_init(&scratch, block, sizeof(block));
	output_init(&out, -1);
	TEST_ASSERT_FALSE(explanation_print((struct text){text, sizeof(json) - 1}, &scratch, &out));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_pending_pod);
	RUN_TEST(test_bound_pod_is_decided_as_if_it_were_not);
	RUN_TEST(test_odd_ways_of_being_bound);
	RUN_TEST(test_the_last_of_two_is_explained);
	RUN_TEST(test_several_feasible_nodes_by_score);
	RUN_TEST(test_no_node_and_no_preemption);
	RUN_TEST(test_preemption);
	RUN_TEST(test_refused_before_any_node);
	RUN_TEST(test_only_some_nodes_by_name);
	RUN_TEST(test_gated_deleting_and_nominated_pods);
	RUN_TEST(test_no_such_pod);
	RUN_TEST(test_pod_of_another_scheduler);
	RUN_TEST(test_misuse);
	RUN_TEST(test_json);
	RUN_TEST(test_many_nodes);
	RUN_TEST(test_table_without_room);
	return UNITY_END();
}
