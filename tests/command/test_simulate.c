/* SPDX-License-Identifier: GPL-2.0-only */
/* simulate: the order in which pods are taken up, what becomes of each, and how it is said. */
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

#include "command/offline.h"
#include "command/run.h"
#include "json/json.h"
#include "unity.h"

static struct said said;

void setUp(void)
{
}

void tearDown(void)
{
}

/* One node of two CPUs; pods want one each unless they say otherwise. */
#define NODE                                    \
	"kind: Node\nmetadata: {name: small}\n" \
	"status: {allocatable: {cpu: 2, memory: 8Gi, pods: '10'}}\n---\n"
#define POD(name, meta, spec)                          \
	"kind: Pod\nmetadata: {name: " name meta "}\n" \
	"spec: {containers: [{resources: {requests: {cpu: 1}}}]" spec "}\n---\n"

static void table(const char *input, const char *expected)
{
	RUN(&said, simulate_run, input, "-");
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL_STRING(expected, said.out);
	TEST_ASSERT_EQUAL(0, said.status);
}

static void test_nothing_to_place(void)
{
	table(NODE, "0 pending: 0 placed, 0 unschedulable\n");
}

static void test_no_node_at_all(void)
{
	table(POD("a", "", ""),
		"POD        NODE  SCORE  WHY\n"
		"default/a  -     -      no nodes available to schedule pods\n"
		"\n1 pending: 0 placed, 1 unschedulable\n");
}

static void test_priority_then_age_then_the_dump(void)
{
	table(NODE POD("late", ", creationTimestamp: '2026-11-18T09:00:00Z'", "") POD(
		      "second", ", creationTimestamp: '2026-11-18T08:00:00Z'", "")
			POD("third", ", creationTimestamp: '2026-11-18T08:00:00Z'", "") POD("first",
				", creationTimestamp: '2026-11-18T10:00:00Z'", ", priority: 5"),
		"POD             NODE   SCORE  WHY\n"
		"default/first   small  -      the only feasible node\n"
		"default/second  small  -      the only feasible node\n"
		"default/third   -      -      0/1 nodes are available: 1 Insufficient cpu. "
		"preemption: 0/1 nodes are available: 1 No preemption victims found "
		"for "
		"incoming pod.\n"
		"default/late    -      -      0/1 nodes are available: 1 Insufficient cpu. "
		"preemption: 0/1 nodes are available: 1 No preemption victims found "
		"for "
		"incoming pod.\n"
		"\n4 pending: 2 placed, 2 unschedulable\n");
}

static void test_pods_that_no_cycle_sees(void)
{
	table(NODE POD("gated", "", ", schedulingGates: [{name: wait}, {name: more}]")
			POD("foreign", "", ", schedulerName: other")
				POD("leaving", ", deletionTimestamp: '2026-11-18T08:00:00Z'", ""),
		"POD              NODE   SCORE  WHY\n"
		"default/gated    -      -      waiting for scheduling gates: [wait more]\n"
		"default/foreign  -      -      is for the scheduler other\n"
		"default/leaving  -      -      is being deleted\n"
		"\n3 pending: 0 placed, 0 unschedulable, 1 gated, 1 foreign, 1 deleting\n");
}

static void test_preemption_makes_room_at_once(void)
{
	table(NODE POD("low-1", "", ", nodeName: small") POD("low-2", "", ", nodeName: small")
			POD("high", "", ", priority: 9") POD("plain", "", ""),
		"POD            NODE   SCORE  WHY\n"
		"default/high   small  -      nominated, preempting default/low-2\n"
		"default/plain  -      -      0/1 nodes are available: 1 Insufficient cpu. "
		"preemption: 0/1 nodes are available: 1 No preemption victims found "
		"for "
		"incoming pod.\n"
		"\n2 pending: 1 placed, 1 unschedulable; 1 preempted\n");
}

static void test_preemption_that_policy_forbids(void)
{
	RUN(&said, simulate_run,
		NODE POD("low-1", "", ", nodeName: small") POD("low-2", "", ", nodeName: small")
			POD("high", "", ", priority: 9, preemptionPolicy: Never"),
		"-");
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 0 placed, 1 unschedulable\n"));
}

/* "hopeful" was promised the place that "high" takes; its promise must not keep "high" out. */
#define CLAIM(name)                                                                     \
	"kind: PersistentVolumeClaim\nmetadata: {name: " name ", namespace: default}\n" \
	"spec: {storageClassName: disk, accessModes: [ReadWriteOnce], "                 \
	"resources: {requests: {storage: 1Gi}}}\n---\n"
#define CLAIMANT(name, claim) \
	POD(name, "", ", volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}]")

/* One disk, two claims that wait for their first consumer. */
static void test_a_volume_is_given_once(void)
{
	RUN(&said, simulate_run,
		NODE "kind: StorageClass\nmetadata: {name: disk}\n"
		     "provisioner: kubernetes.io/no-provisioner\n"
		     "volumeBindingMode: WaitForFirstConsumer\n---\n"
		     "kind: PersistentVolume\nmetadata: {name: one}\n"
		     "spec: {storageClassName: disk, accessModes: [ReadWriteOnce], "
		     "capacity: {storage: 1Gi}}\nstatus: {phase: Available}\n"
		     "---\n" CLAIM("a") CLAIM("b") CLAIMANT("first", "a") CLAIMANT("second", "b"),
		"-");
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(said.out, "2 pending: 1 placed, 1 unschedulable\n"), said.out);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(said.out, "didn't find available persistent volumes to bind"), said.out);
}

#define CLASS(name, mode, created, annotation)                                        \
	"kind: StorageClass\nmetadata: {name: " name ", creationTimestamp: '" created \
	"', annotations: {" annotation "}}\nprovisioner: p\nvolumeBindingMode: " mode "\n---\n"
#define NOW     "Immediate"
#define LATER   "WaitForFirstConsumer"
#define DEFAULT "storageclass.kubernetes.io/is-default-class: 'true'"
#define CLASSLESS(more)                                                                  \
	"kind: PersistentVolumeClaim\nmetadata: {name: c, namespace: default" more "}\n" \
	"spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n---\n"

/* A claim that binds at once, and is not bound, keeps its pod; one that waits for it does not. */
static void default_class(const char *classes, const char *claim, const char *expected)
{
	char input[4096];
	(void)snprintf(input, sizeof(input), "%s%s%s%s", NODE, claim, classes, CLAIMANT("a", "c"));
	RUN(&said, simulate_run, input, "-");
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.out, expected), said.out);
	TEST_ASSERT_EQUAL_STRING("", said.err);
}

static void test_a_claim_without_a_class_gets_the_default_one(void)
{
	static const char placed[] = "1 pending: 1 placed, 0 unschedulable\n";
	static const char unbound[] = "pod has unbound immediate PersistentVolumeClaims";
	const char *one = CLASS("a", LATER, "2026-01-01T00:00:00Z", DEFAULT);
	default_class(one, CLASSLESS(""), placed);
	default_class(CLASS("a", LATER, "2026-01-01T00:00:00Z", ""), CLASSLESS(""), unbound);
	/* a server has seen it, and left it so */
	default_class(one, CLASSLESS(", uid: seen"), unbound);
	/* the newest one */
	default_class(CLASS("a", LATER, "2026-01-02T00:00:00Z", DEFAULT)
			      CLASS("b", NOW, "2026-01-01T00:00:00Z", DEFAULT),
		CLASSLESS(""), placed);
	default_class(CLASS("a", LATER, "2026-01-01T00:00:00Z", DEFAULT)
			      CLASS("b", NOW, "2026-01-02T00:00:00Z", DEFAULT),
		CLASSLESS(""), unbound);
	/* of the same age the first by name */
	default_class(CLASS("b", NOW, "2026-01-01T00:00:00Z", DEFAULT)
			      CLASS("a", LATER, "2026-01-01T00:00:00Z", DEFAULT),
		CLASSLESS(""), placed);
	/* "" is none, and asks for none */
	default_class(one,
		"kind: PersistentVolumeClaim\nmetadata: {name: c, namespace: default}\n"
		"spec: {storageClassName: '', accessModes: [ReadWriteOnce], resources: {requests: "
		"{storage: 1Gi}}}\n---\n",
		unbound);
}

static void test_nominations_of_less_important_pods_go(void)
{
	RUN(&said, simulate_run,
		NODE POD("low-1", "",
			", nodeName: small") "kind: Pod\nmetadata: {name: hopeful}\n"
					     "spec: {priority: 1, containers: [{resources: "
					     "{requests: {cpu: 1}}}]}\n"
					     "status: {nominatedNodeName: small}\n---\n"
					     "kind: Pod\nmetadata: {name: high}\n"
					     "spec: {priority: 9, containers: [{resources: "
					     "{requests: {cpu: 2}}}]}\n",
		"-");
	TEST_ASSERT_NOT_NULL(strstr(
		said.out, "default/high     small  -      nominated, preempting default/low-1\n"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "2 pending: 1 placed, 1 unschedulable; 1 preempted"));
}

static void test_ties_are_spread(void)
{
	static const char nodes[] =
		"kind: Node\nmetadata: {name: one}\nstatus: {allocatable: {cpu: "
		"8, memory: 8Gi, pods: '10'}}\n---\nkind: Node\nmetadata: {name: "
		"two}\nstatus: {allocatable: {cpu: 8, memory: 8Gi, pods: "
		"'10'}}\n---\n";
	char input[2048];
	(void)snprintf(input, sizeof(input), "%s%s%s", nodes, POD("a", "", ""), POD("b", "", ""));
	RUN(&said, simulate_run, input, "-");
	TEST_ASSERT_NOT_NULL(strstr(said.out, "one   463    best of 2 feasible nodes\n"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "two   463    best of 2 feasible nodes\n"));
}

/* ---- JSON ---- */

static void test_json(void)
{
	RUN(&said, simulate_run,
		NODE POD("low-1", "", ", nodeName: small") POD("low-2", "", ", nodeName: small")
			POD("high", "", ", priority: 9")
				POD("gated", "", ", schedulingGates: [{name: wait}]"),
		"-", "-o", "json");
	TEST_ASSERT_EQUAL_STRING(
		"{\"pods\":[\n"
		"{\"pod\":\"default/high\",\"node\":\"small\",\"outcome\":\"preempting\","
		"\"message\":\"\",\"victims\":[\"default/low-2\"],\"feasible\":1},\n"
		"{\"pod\":\"default/gated\",\"node\":null,\"outcome\":\"gated\",\"message\":"
		"\"waiting for scheduling gates: [wait]\",\"victims\":[],\"feasible\":0}],\n"
		"\"summary\":{\"pending\":2,\"placed\":0,\"preempting\":1,\"unschedulable\":0,"
		"\"gated\":1,\"foreign\":0,\"deleting\":0,\"excluded\":0,\"victims\":1,\"objects\":"
		"5,\"skipped\":"
		"0,"
		"\"finished\":0,\"broken\":0}}\n",
		said.out);
	TEST_ASSERT_EQUAL(0, said.status);
}

static void test_json_of_nothing(void)
{
	RUN(&said, simulate_run, "[]", "-", "-ojson");
	TEST_ASSERT_EQUAL(0, strncmp(said.out, "{\"pods\":[],\n\"summary\":{\"pending\":0,", 34));
}

/* ---- flags ---- */

static void misused(const char *argument, const char *words)
{
	RUN(&said, simulate_run, NULL, argument);
	TEST_ASSERT_EQUAL_STRING(words, said.err);
	TEST_ASSERT_EQUAL_STRING("", said.out);
	TEST_ASSERT_EQUAL(2, said.status);
}

static void test_misuse(void)
{
	misused("--skip-broken",
		"berth: simulate needs a file, or '-', or --kubeconfig; 'berth simulate --help' "
		"says more\n");
	misused("--cofnig",
		"berth: unknown flag '--cofnig' (did you mean '--config'?); 'berth simulate "
		"--help' "
		"says more\n");
}

/* 80 columns, and with its examples no more lines than a terminal of today has. */
static void fits_a_screen(const char *text)
{
	size_t column = 0;
	size_t lines = 0;
	for (; *text != '\0'; text++) {
		column = *text == '\n' ? 0 : column + 1;
		lines += *text == '\n';
		TEST_ASSERT_TRUE(column <= 80);
	}
	TEST_ASSERT_TRUE(lines <= 36);
	TEST_ASSERT_TRUE(lines > 5);
}

static void test_help(void)
{
	RUN(&said, simulate_run, NULL, "--help");
	TEST_ASSERT_EQUAL(0, said.status);
	fits_a_screen(said.out);
	RUN(&said, explain_run, NULL, "--help");
	TEST_ASSERT_EQUAL(0, said.status);
	fits_a_screen(said.out);
}

static void test_budget_too_small_or_too_large(void)
{
	RUN(&said, simulate_run, "[]", "-", "--memory", "1Mi");
	TEST_ASSERT_EQUAL_STRING(
		"berth: --memory: too small for any cluster; 16Mi is enough for a small one\n",
		said.err);
	TEST_ASSERT_EQUAL(1, said.status);
	RUN(&said, simulate_run, "[]", "-", "--memory", "7E");
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_EQUAL(0, strncmp(said.err, "berth: --memory: ", 17));
}

/* ---- how much fits ---- */

static void test_more_memory_is_never_less_room(void)
{
	struct offline_limits before = {.cycle = {.nodes = 0}};
	for (uint64_t mib = 16; mib <= 1024; mib += 48) {
		struct offline_limits limits;
		TEST_ASSERT_TRUE(offline_plan(mib << 20, &limits));
		TEST_ASSERT_TRUE(limits.cache.pods >= before.cache.pods);
		TEST_ASSERT_TRUE(limits.cache.nodes >= before.cache.nodes);
		TEST_ASSERT_TRUE(cache_size(&limits.cache) + cycle_size(&limits.cycle) +
				dump_size(&limits.dump) + limits.words_bytes +
				limits.answer_bytes <=
			mib << 20);
		before = limits;
	}
	TEST_ASSERT_TRUE(before.cache.pods > 500000);
}

/* ---- configuration ---- */

static const char *config_file(const char *text)
{
	static char name[] = "/tmp/berth-test-XXXXXX";
	memcpy(name + sizeof(name) - 7, "XXXXXX", 6);
	int fd = mkstemp(name);
	TEST_ASSERT_TRUE(fd >= 0);
	FILE *file = fdopen(fd, "w");
	TEST_ASSERT_NOT_NULL(file);
	TEST_ASSERT_TRUE(fputs(text, file) >= 0);
	(void)fclose(file);
	return name;
}

#define CONFIG "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

static void test_profiles_of_a_configuration(void)
{
	const char *name = config_file(CONFIG "profiles:\n- schedulerName: mine\n"
					      "  plugins: {filter: {disabled: [{name: "
					      "NodeResourcesFit}]}}\n- schedulerName: yours\n");
	RUN(&said, simulate_run,
		NODE POD("big", "", ", schedulerName: mine, overhead: {cpu: 50}") POD("same", "",
			", schedulerName: yours, overhead: {cpu: 50}") POD("plain", "", ""),
		"-", "--config", name);
	(void)remove(name);
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_NOT_NULL(
		strstr(said.out, "default/big    small  -      the only feasible node"));
	TEST_ASSERT_NOT_NULL(
		strstr(said.out, "default/same   -      -      0/1 nodes are available"));
	TEST_ASSERT_NOT_NULL(strstr(
		said.out, "default/plain  -      -      is for the scheduler default-scheduler"));
}

static void test_a_policy_of_older_releases(void)
{
	const char *name = config_file(
		"kind: Policy\npredicates: [{name: InZone, argument: {labelsPresence: {labels: "
		"[zone], presence: true}}}]\n");
	RUN(&said, simulate_run, NODE POD("a", "", ""), "-", "--config", name);
	(void)remove(name);
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(said.out, "1 node(s) didn't have the requested labels"), said.out);
}

static void test_a_policy_that_asks_all(void)
{
	static const char *const answers[] = {"0/1 nodes are available: 1 Insufficient cpu. ",
		"0/1 nodes are available: 1 Insufficient cpu, 1 node(s) didn't have the requested "
		"labels. "};
	for (uint32_t i = 0; i < 2; i++) {
		char policy[512];
		snprintf(policy, sizeof(policy),
			"kind: Policy\nalwaysCheckAllPredicates: %s\npredicates: [{name: "
			"PodFitsResources}, {name: InZone, argument: {labelsPresence: {labels: "
			"[zone], presence: true}}}]\n",
			i == 0 ? "false" : "true");
		const char *name = config_file(policy);
		RUN(&said, simulate_run, NODE POD("a", "", ", overhead: {cpu: 5}"), "-", "--config",
			name);
		(void)remove(name);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.out, answers[i]), said.out);
	}
}

/* Without the plugin nobody looks at gates. */
static void test_gates_nobody_looks_at(void)
{
	const char *name = config_file(CONFIG "profiles:\n- plugins: {multiPoint: {disabled: "
					      "[{name: SchedulingGates}]}}\n");
	RUN(&said, simulate_run, NODE POD("a", "", ", schedulingGates: [{name: wait}]"), "-",
		"--config", name);
	(void)remove(name);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "default/a  small  -      the only feasible node"));
}

static void test_broken_configurations(void)
{
	char expected[256];
	const char *name = config_file(CONFIG "parallelism: -1\nprofile: []\n");
	RUN(&said, simulate_run, NODE, "-", "--config", name);
	(void)remove(name);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_EQUAL_STRING("", said.out);
	(void)snprintf(expected, sizeof(expected), "berth: %s:3: parallelism: ", name);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.err, expected), said.err);
	(void)snprintf(expected, sizeof(expected), "berth: %s:4: ", name);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.err, expected), said.err);
}

static void test_profiles_that_cannot_be_made(void)
{
	char expected[256];
	const char *name = config_file(
		CONFIG "profiles:\n- plugins: {score: {enabled: [{name: NodeName}]}}\n");
	RUN(&said, simulate_run, NODE, "-", "--config", name);
	(void)remove(name);
	TEST_ASSERT_EQUAL(1, said.status);
	(void)snprintf(expected, sizeof(expected),
		"berth: %s: creating profile for scheduler name default-scheduler (line 4): ",
		name);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.err, expected), said.err);
	TEST_ASSERT_NOT_NULL(strstr(said.err, "\"NodeName\" does not extend ScorePlugin plugin\n"));
}

static void test_configurations_that_cannot_be_read(void)
{
	RUN(&said, simulate_run, NODE, "-", "--config", "tests/command/nowhere");
	TEST_ASSERT_EQUAL_STRING(
		"berth: tests/command/nowhere: No such file or directory\n", said.err);
	TEST_ASSERT_EQUAL(1, said.status);
	RUN(&said, simulate_run, NODE, "-", "--config", "tests/command");
	TEST_ASSERT_EQUAL_STRING("berth: tests/command: Is a directory\n", said.err);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nothing_to_place);
	RUN_TEST(test_no_node_at_all);
	RUN_TEST(test_priority_then_age_then_the_dump);
	RUN_TEST(test_pods_that_no_cycle_sees);
	RUN_TEST(test_preemption_makes_room_at_once);
	RUN_TEST(test_preemption_that_policy_forbids);
	RUN_TEST(test_a_volume_is_given_once);
	RUN_TEST(test_a_claim_without_a_class_gets_the_default_one);
	RUN_TEST(test_nominations_of_less_important_pods_go);
	RUN_TEST(test_ties_are_spread);
	RUN_TEST(test_json);
	RUN_TEST(test_json_of_nothing);
	RUN_TEST(test_misuse);
	RUN_TEST(test_help);
	RUN_TEST(test_budget_too_small_or_too_large);
	RUN_TEST(test_more_memory_is_never_less_room);
	RUN_TEST(test_profiles_of_a_configuration);
	RUN_TEST(test_gates_nobody_looks_at);
	RUN_TEST(test_a_policy_of_older_releases);
	RUN_TEST(test_a_policy_that_asks_all);
	RUN_TEST(test_broken_configurations);
	RUN_TEST(test_profiles_that_cannot_be_made);
	RUN_TEST(test_configurations_that_cannot_be_read);
	return UNITY_END();
}
