/* SPDX-License-Identifier: GPL-2.0-only */
/* What no scheduler may do is found. */
// deps: base/*.c json/*.c kube/time.c kube/duration.c kube/quantity*.c tools/apisim/api*.c
// deps: tools/apisim/tree.c tools/apisim/merge.c tools/apisim/registry.c tools/apisim/audit.c
// deps: tools/apisim/resources.c tools/apisim/selection.c tests/apisim/desk.c
#include "apisim/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "apisim/desk.h"

static struct desk *desk;
static struct audit result;

void setUp(void)
{
	desk = calloc(1, sizeof(*desk));
	desk_open(desk, 0);
}

void tearDown(void)
{
	desk_close(desk);
	free(desk);
}

static void load(const char *json)
{
	const char *fault = "";

	TEST_ASSERT_TRUE_MESSAGE(apisim_load(desk->api, text_of(json), &fault), fault);
}

static void load_node(const char *name)
{
	char json[512];

	snprintf(json, sizeof(json),
		"{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\"},"
		"\"status\":{"
		"\"allocatable\":{\"cpu\":\"2\",\"memory\":\"1Gi\",\"pods\":\"3\"}}}",
		name);
	load(json);
}

/* `more` goes into the spec, before the containers. */
static void load_pod(
	const char *name, const char *node, const char *cpu, const char *phase, const char *more)
{
	char json[1024];

	snprintf(json, sizeof(json),
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"labels\":{"
		"\"app\":\"web\"}},\"spec\":{%s\"nodeName\":\"%s\",\"containers\":[{\"name\":\"c\","
		"\"resources\":{\"requests\":{\"cpu\":\"%s\",\"memory\":\"100Mi\"}}}]},\"status\":{"
		"\"phase\":\"%s\"}}",
		name, more, node, cpu, phase);
	load(json);
}

static void look(uint32_t overcommitted, uint32_t lost, uint32_t too_close)
{
	audit(desk->api, &result);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(overcommitted, result.overcommitted, result.words);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(lost, result.lost, result.words);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(too_close, result.too_close, result.words);
	TEST_ASSERT_EQUAL_INT(overcommitted + lost + too_close == 0, strlen(result.words) == 0);
	TEST_ASSERT_EQUAL_INT(overcommitted + lost + too_close == 0, audit_is_clean(&result));
}

static void what_fits_is_clean(void)
{
	look(0, 0, 0);
	load_node("a");
	load_node("b");
	load_pod("p1", "a", "1500m", "Running", "");
	load_pod("p2", "a", "500m", "Pending", "");
	load_pod("done", "a", "2", "Succeeded", "");
	load_pod("waits", "", "64", "Pending", "");
	look(0, 0, 0);
	TEST_ASSERT_EQUAL_UINT32(2, result.nodes);
	TEST_ASSERT_EQUAL_UINT32(4, result.pods);
	TEST_ASSERT_EQUAL_UINT32(1, result.pending);
}

static void too_much_is_found(void)
{
	load_node("a");
	load_pod("p1", "a", "1500m", "Running", "");
	load_pod("p2", "a", "501m", "Running", "");
	look(1, 0, 0);
	TEST_ASSERT_EQUAL_STRING("a is asked for 3 of cpu and has 2", result.words);
}

static void init_containers_count(void)
{
	load_node("a");
	load_pod("p1", "a", "100m", "Running",
		"\"initContainers\":[{\"name\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]"
		",");
	look(0, 0, 0);
	load_pod("p2", "a", "100m", "Running", "");
	look(1, 0, 0);
}

static void too_many_pods_are_found(void)
{
	load_node("a");
	load_pod("p1", "a", "1m", "Running", "");
	load_pod("p2", "a", "1m", "Running", "");
	load_pod("p3", "a", "1m", "Running", "");
	look(0, 0, 0);
	load_pod("p4", "a", "1m", "Running", "");
	look(1, 0, 0);
}

static void pods_of_nowhere_are_found(void)
{
	load_pod("p1", "a", "1m", "Running", "");
	look(0, 1, 0);
	TEST_ASSERT_EQUAL_STRING("default/p1 is on a, which is not there", result.words);
}

static void neighbours_that_must_not_be_are_found(void)
{
	const char *alone =
		"\"affinity\":{\"podAntiAffinity\":{"
		"\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":"
		"\"kubernetes.io/hostname\",\"labelSelector\":{\"matchLabels\":{\"app\":"
		"\"web\"}}}]}},";

	load_node("a");
	load_node("b");
	load_pod("p1", "a", "1m", "Running", alone);
	load_pod("p2", "b", "1m", "Running", "");
	look(0, 0, 0);
	load_pod("p3", "a", "1m", "Running", "");
	look(0, 0, 1);
	TEST_ASSERT_EQUAL_STRING("default/p3 and default/p1 are both on a", result.words);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(what_fits_is_clean);
	RUN_TEST(too_much_is_found);
	RUN_TEST(init_containers_count);
	RUN_TEST(too_many_pods_are_found);
	RUN_TEST(pods_of_nowhere_are_found);
	RUN_TEST(neighbours_that_must_not_be_are_found);
	return UNITY_END();
}
