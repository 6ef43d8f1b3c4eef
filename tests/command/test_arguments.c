/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of plugins: each of them changes where a pod goes. The time limits of VolumeBinding and
 * DynamicResources are about what comes after a decision and change none.
 */
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
#include <unistd.h>

#include "base/text.h"
#include "command/run.h"
#include "unity.h"

static struct said said;

void setUp(void)
{
}

void tearDown(void)
{
}

#define NODE(name, labels, size)                                                               \
	"kind: Node\nmetadata: {name: " name ", labels: {kubernetes.io/hostname: " name labels \
	"}}\nstatus: {allocatable: {pods: '10', " size "}}\n---\n"
#define POD(name, meta, requests, spec)                                                 \
	"kind: Pod\nmetadata: {name: " name meta "}\nspec: {containers: [{resources: {" \
	"requests: {" requests "}}}]" spec "}\n---\n"
#define ON(node)   ", nodeName: " node

#define LARGE      "cpu: 4, memory: 4Gi"
#define TWO_NODES  NODE("a", "", LARGE) NODE("b", "", LARGE)
#define TWO_ZONES  NODE("a", ", zone: z1, rack: r1", LARGE) NODE("b", ", zone: z2, rack: r2", LARGE)
#define ONE_MARKED NODE("a", "", LARGE) NODE("b", ", mark: ''", LARGE)
#define MARKED_A   NODE("a", ", mark: ''", LARGE) NODE("b", "", LARGE)
#define SERVICE    "kind: Service\nmetadata: {name: s}\nspec: {selector: {app: p}}\n---\n"
#define LABELS     ", labels: {app: p}"
#define TERM       "{topologyKey: zone, labelSelector: {matchLabels: {app: p}}}"

/* The plugin alone, with arguments. */
static void write_config(const char *path, const char *plugin, const char *args)
{
	FILE *file = fopen(path, "wb");
	TEST_ASSERT_NOT_NULL(file);
	fprintf(file,
		"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
		"profiles:\n- plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [{name: "
		"PrioritySort}, {name: DefaultBinder}, {name: %s}]}}\n"
		"  pluginConfig: [{name: %s, args: {%s}}]\n",
		plugin, plugin, args);
	fclose(file);
}

/* Where default/p goes; "-": nowhere. */
static const char *place_of(const char *plugin, const char *dump, const char *args)
{
	static char place[16];
	char path[] = "/tmp/berth-args-XXXXXX";
	int fd = mkstemp(path);
	TEST_ASSERT_TRUE(fd >= 0);
	close(fd);
	write_config(path, plugin, args);
	RUN(&said, simulate_run, dump, "-", "--config", path);
	unlink(path);
	TEST_ASSERT_EQUAL_STRING_MESSAGE("", said.err, args);
	const char *line = strstr(said.out, "default/p ");
	TEST_ASSERT_NOT_NULL_MESSAGE(line, said.out);
	TEST_ASSERT_EQUAL(1, sscanf(line, "default/p %15s", place));
	return place;
}

struct argument_case {
	const char *plugin;
	const char *dump;
	const char *one, *there;   /* arguments, and where the pod goes with them */
	const char *other, *where; /* others */
};

static void check(const struct argument_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct argument_case *c = &cases[i];
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			c->there, place_of(c->plugin, c->dump, c->one), c->one);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			c->where, place_of(c->plugin, c->dump, c->other), c->other);
	}
}

#define RATIO(first, last)                                                              \
	"scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {" \
	"shape: [{utilization: 0, score: " first "}, {utilization: 100, score: " last "}]}}"

static void test_resources(void)
{
	static const char half_full[] =
		TWO_NODES POD("q", "", "cpu: 2, memory: 2Gi", ON("b")) POD("p", "", "cpu: 1", "");
	static const char shapes[] = NODE("a", "", "cpu: 8, memory: 1Gi")
		NODE("b", "", "cpu: 1, memory: 8Gi") POD("p", "", "cpu: 500m, memory: 512Mi", "");
	static const char device[] = TWO_NODES POD("p", "", "example.com/x: 1", "");
	static const char uneven[] = TWO_NODES POD("q", "", "cpu: 2", ON("a"))
		POD("r", "", "memory: 2Gi", ON("b")) POD("p", "", "cpu: 2, memory: 1Mi", "");
	static const struct argument_case cases[] = {
		{"NodeResourcesFit", half_full, "scoringStrategy: {type: LeastAllocated}", "a",
			"scoringStrategy: {type: MostAllocated}", "b"},
		{"NodeResourcesFit", half_full, RATIO("10", "0"), "a", RATIO("0", "10"), "b"},
		{"NodeResourcesFit", shapes,
			"scoringStrategy: {type: LeastAllocated, resources: [{name: cpu}]}", "a",
			"scoringStrategy: {type: LeastAllocated, resources: [{name: memory}]}",
			"b"},
		{"NodeResourcesFit", shapes,
			"scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: "
			"9}, {name: memory}]}",
			"a",
			"scoringStrategy: {type: LeastAllocated, resources: [{name: cpu}, {name: "
			"memory, weight: 9}]}",
			"b"},
		{"NodeResourcesFit", device, "", "-", "ignoredResources: [example.com/x]", "a"},
		{"NodeResourcesFit", device, "ignoredResourceGroups: [x]", "-",
			"ignoredResourceGroups: [example.com]", "a"},
		{"NodeResourcesBalancedAllocation", uneven,
			"resources: [{name: cpu}, {name: memory}]", "b", "resources: [{name: cpu}]",
			"a"},
	};
	check(cases, ARRAY_COUNT(cases));
}

static void test_other_pods(void)
{
	static const char required[] = TWO_ZONES POD("q", "", "",
		", affinity: {podAffinity: {"
		"requiredDuringSchedulingIgnoredDuringExecution: [" TERM "]}}" ON("b"))
		POD("p", LABELS, "", "");
	static const char preferred[] = TWO_ZONES POD("q", "", "",
		", affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{"
		"weight: 5, podAffinityTerm: " TERM "}]}}" ON("b")) POD("p", LABELS, "", "");
	static const char served[] =
		TWO_ZONES SERVICE POD("q", LABELS, "", ON("a")) POD("p", LABELS, "", "");
	static const char served_b[] =
		TWO_ZONES SERVICE POD("q", LABELS, "", ON("b")) POD("p", LABELS, "", "");
	static const struct argument_case cases[] = {
		{"InterPodAffinity", required, "hardPodAffinityWeight: 0", "a",
			"hardPodAffinityWeight: 10", "b"},
		{"InterPodAffinity", preferred, "ignorePreferredTermsOfExistingPods: true", "a",
			"ignorePreferredTermsOfExistingPods: false", "b"},
		{"PodTopologySpread", served, "defaultingType: List", "a", "defaultingType: System",
			"b"},
		{"PodTopologySpread", served,
			"defaultingType: List, defaultConstraints: [{maxSkew: 2, topologyKey: "
			"zone, "
			"whenUnsatisfiable: DoNotSchedule}]",
			"a",
			"defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: "
			"zone, "
			"whenUnsatisfiable: DoNotSchedule}]",
			"b"},
		{"ServiceAffinity", served_b, "", "a", "affinityLabels: [rack]", "b"},
		{"ServiceAffinity", served, "", "a", "antiAffinityLabelsPreference: [rack]", "b"},
	};
	check(cases, ARRAY_COUNT(cases));
}

#define ADDED                                                               \
	"addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {" \
	"nodeSelectorTerms: [{matchExpressions: [{key: mark, operator: Exists}]}]}}"
#define RATHER                                                                           \
	"addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, " \
	"preference: {matchExpressions: [{key: mark, operator: Exists}]}}]}"

static void test_nodes(void)
{
	static const char on_b[] = ONE_MARKED POD("p", "", "", "");
	static const char on_a[] = MARKED_A POD("p", "", "", "");
	static const struct argument_case cases[] = {
		{"NodeAffinity", on_b, "", "a", ADDED, "b"},
		{"NodeAffinity", on_b, "", "a", RATHER, "b"},
		{"NodeLabel", on_b, "", "a", "presentLabels: [mark]", "b"},
		{"NodeLabel", on_a, "", "a", "absentLabels: [mark]", "b"},
		{"NodeLabel", on_b, "", "a", "presentLabelsPreference: [mark]", "b"},
		{"NodeLabel", on_a, "", "a", "absentLabelsPreference: [mark]", "b"},
	};
	check(cases, ARRAY_COUNT(cases));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_resources);
	RUN_TEST(test_other_pods);
	RUN_TEST(test_nodes);
	return UNITY_END();
}
