/* SPDX-License-Identifier: GPL-2.0-only */
/* Deployments and the like become the pods that would be made, and simulate places them. */
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

#include "command/run.h"
#include "unity.h"

static struct said said;

void setUp(void)
{
}
void tearDown(void)
{
}

#define NODE(name, more)                                          \
	"kind: Node\nmetadata: {name: " name ", uid: " name "}\n" \
	"spec: {" more "}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: '10'}}\n---\n"
#define TEMPLATE(app, more)                        \
	"template: {metadata: {labels: {app: " app \
	"}}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]" more "}}"
#define WORKLOAD(kind, name, spec, more)                                \
	"kind: " kind "\nmetadata: {name: " name ", namespace: shop}\n" \
	"spec: {selector: {matchLabels: {app: " name "}}, " spec        \
	TEMPLATE(name, more) "}\n---\n"

static void simulate(const char *input, int status)
{
	RUN(&said, simulate_run, input, "-", "--fail-on-unschedulable");
	if (said.status != status)
		TEST_FAIL_MESSAGE(said.err[0] != '\0' ? said.err : said.out);
}
static void expect(const char *part)
{
	if (strstr(said.out, part) == NULL)
		TEST_FAIL_MESSAGE(said.out);
}

static void test_workload_when_some_of_its_pods_run_then_the_rest_is_made(void)
{
	simulate(WORKLOAD("Deployment", "web", "replicas: 3, ", "")
			 NODE("n1", "") "kind: Pod\nmetadata: {name: web-0, namespace: shop, "
					"labels: {app: web}}\n"
					"spec: {nodeName: n1, containers: [{resources: {requests: "
					"{cpu: 1}}}]}\n",
		0);
	expect("shop/web-1  n1    -      the only feasible node\n"
	       "shop/web-2  n1    -      the only feasible node\n"
	       "\n2 pending: 2 placed, 0 unschedulable\n"
	       "Deployment shop/web: 3 wanted, 1 running, 2 new\n");
	TEST_ASSERT_NULL(strstr(said.out, "web-0 "));
}

static void test_workload_when_it_does_not_fit_then_the_status_is_3(void)
{
	simulate(NODE("n1", "") WORKLOAD("ReplicaSet", "web", "replicas: 5, ", ""), 3);
	expect("5 pending: 4 placed, 1 unschedulable\n");
	RUN(&said, simulate_run, NODE("n1", "") WORKLOAD("Deployment", "web", "replicas: 5, ", ""),
		"-");
	TEST_ASSERT_EQUAL(0, said.status);
}

static void test_workload_when_a_server_has_seen_it_then_its_pods_are_not_made_again(void)
{
	simulate(NODE("n1", "") "kind: Deployment\nmetadata: {name: web, uid: abc}\nspec: {"
				"replicas: 5, " TEMPLATE("web", "") "}\n",
		0);
	expect("0 pending: 0 placed, 0 unschedulable\n");
	TEST_ASSERT_NOT_NULL(strstr(said.err, "Deployment (1)"));
}

static void test_workload_when_classes_come_later_then_priorities_are_known(void)
{
	simulate(
		"kind: Pod\nmetadata: {name: p}\nspec: {priorityClassName: high, containers: [{"
		"resources: {requests: {cpu: 3}}}]}\n---\n" NODE("n1", "") WORKLOAD("Deployment",
			"web", "replicas: 1, ", ", priorityClassName: system-node-critical")
			WORKLOAD("Job", "low", "parallelism: 3, completions: 1, ",
				"") "kind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n---\n"
				    "kind: PriorityClass\nmetadata: {name: any}\nvalue: -5\n"
				    "globalDefault: true\n",
		3);
	expect("shop/web-0  n1    -      the only feasible node\n"
	       "default/p   n1    -      the only feasible node\n"
	       "shop/low-0  -     -      ");
	expect("Job shop/low: 1 wanted, 0 running, 1 new\n");
	simulate(NODE("n1", "") WORKLOAD("Deployment", "web", "", ", priorityClassName: nope"), 1);
	TEST_ASSERT_NOT_NULL(
		strstr(said.err, "spec.priorityClassName: no PriorityClass nope is given"));
}

static void test_workload_when_it_is_a_daemon_set_then_each_node_has_its_own(void)
{
	simulate(NODE("n1", "") NODE("n2", "taints: [{key: a, effect: NoSchedule}]")
			 NODE("n3", "unschedulable: true") WORKLOAD("DaemonSet", "ds", "", ""),
		0);
	expect("shop/ds-n1  n1    -      the only feasible node\n");
	expect("shop/ds-n3  n3    -      the only feasible node\n");
	expect("3 pending: 2 placed, 0 unschedulable, 1 excluded\n");
	simulate(NODE("n1", "") NODE("n2", "") WORKLOAD("DaemonSet", "ds", "",
			 ", affinity: {nodeAffinity: "
			 "{requiredDuringSchedulingIgnoredDuringExecution: "
			 "{nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: "
			 "Exists}]}]}}}"),
		0);
	expect("2 pending: 0 placed, 0 unschedulable, 2 excluded\n");
}

static void test_workload_when_it_has_claims_then_they_are_made(void)
{
	simulate(NODE("n1", "") "kind: StorageClass\nmetadata: {name: fast}\nprovisioner: p\n"
				"volumeBindingMode: WaitForFirstConsumer\n---\n"
				"kind: StatefulSet\nmetadata: {name: db, namespace: shop}\nspec: {"
				"replicas: 2, selector: {matchLabels: {app: db}}, " TEMPLATE(
					"db", "") ", "
						  "volumeClaimTemplates: [{metadata: {name: data}, "
						  "spec: {storageClassName: "
						  "fast, accessModes: [ReadWriteOnce], resources: "
						  "{requests: {storage: 1Gi}}}"
						  "}]}\n",
		0);
	expect("shop/db-0  n1    -      the only feasible node\n");
	expect("2 pending: 2 placed, 0 unschedulable\n");
	simulate(NODE("n1", "") "kind: StorageClass\nmetadata: {name: fast, annotations: {"
				"storageclass.kubernetes.io/is-default-class: 'true'}}\n"
				"provisioner: p\nvolumeBindingMode: WaitForFirstConsumer\n---\n"
				"kind: StatefulSet\nmetadata: {name: db, namespace: shop}\nspec: {"
				"replicas: 2, selector: {matchLabels: {app: db}}, " TEMPLATE("db",
					"") ", volumeClaimTemplates: [{metadata: {name: data}, "
					    "spec: {accessModes: [ReadWriteOnce]}}]}\n",
		0);
	expect("2 pending: 2 placed, 0 unschedulable\n");
}

/* Two of four CPUs each: an apiserver takes limits for requests that are not given. */
static void test_workload_when_only_limits_are_given_then_they_are_requested(void)
{
	simulate(
		NODE("n1", "") "kind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, "
			       "template: {spec: {containers: [{name: c, resources: {limits: {cpu: "
			       "2, memory: 1Gi}, requests: {memory: 1Mi}}}]}}}\n---\n",
		3);
	expect("3 pending: 2 placed, 1 unschedulable\n");
	simulate(NODE("n1", "") "kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c}, "
				"{name: d, resources: {limits: {cpu: 5}}}]}\n---\n",
		3);
	simulate(NODE("n1", "") "kind: Pod\nmetadata: {name: a, uid: seen}\nspec: {containers: "
				"[{name: d, resources: {limits: {cpu: 5}}}]}\n---\n",
		0);
}

static void test_workload_when_it_is_odd_then_it_is_said(void)
{
	simulate(
		NODE("n1", "") "kind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n", 1);
	TEST_ASSERT_NOT_NULL(strstr(said.err, "no name, or no template of pods"));
	simulate(NODE("n1", "") WORKLOAD("Deployment", "web", "replicas: -3, ", ""), 0);
	simulate(NODE("n1", "") WORKLOAD("Deployment", "web", "replicas: many, ", ""), 0);
	simulate(NODE("n1", "") WORKLOAD("Deployment", "\"q\\\"\\n\"", "replicas: 1, ", ""), 1);
	simulate(NODE("n1", "") "kind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {"
				"parallelism: 2, " TEMPLATE("c", "") "}}}\n",
		0);
	expect("CronJob default/c: 2 wanted, 0 running, 2 new\n");
	simulate(NODE("n1", "") "kind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {"
				"containers: [{resources: {requests: {cpu: lots}}}]}}}\n",
		1);
	TEST_ASSERT_NOT_NULL(strstr(said.err, "Deployment default/a-0: spec.containers"));
}

/* ---- what runs of another template ---- */

#define RUNS(name, app, node, more)                                                       \
	"kind: Pod\nmetadata: {name: " name ", namespace: shop, labels: {app: " app       \
	", pod-template-hash: '1'}, creationTimestamp: '2026-11-18T08:00:00Z'}\n"         \
	"spec: {nodeName: " node ", containers: [{resources: {requests: {cpu: 1}}}]" more \
	"}\n---\n"
#define NEW_TEMPLATE ", tolerations: [{key: new, operator: Exists}]"

static void diff(const char *input, int status, const char *expected)
{
	RUN(&said, simulate_run, input, "-", "--fail-on-unschedulable", "--diff");
	if (said.status != status)
		TEST_FAIL_MESSAGE(said.err[0] != '\0' ? said.err : said.out);
	TEST_ASSERT_EQUAL_STRING(expected, said.out);
}

/* As one that an apiserver has let tolerate a while. */
static void test_diff_when_nothing_differs_then_nothing_is_said(void)
{
	diff(NODE("n1", "") RUNS("web-a", "web", "n1", "") RUNS("web-b", "web", "n1",
		     ", tolerations: [{key: node.kubernetes.io/not-ready, operator: "
		     "Exists, effect: NoExecute, tolerationSeconds: 300}, {key: "
		     "node.kubernetes.io/unreachable, operator: Exists, effect: "
		     "NoExecute, tolerationSeconds: 300}]")
			WORKLOAD("Deployment", "web", "replicas: 2, ", ""),
		0,
		"0 pending: 0 placed, 0 unschedulable\n"
		"Deployment shop/web: 2 wanted, 2 running, 0 new\n"
		"changes: 0 new, 0 moved, 0 replaced, 0 surplus, 0 preempted, 0 stuck\n");
}

/* n1 is full with them: one is beside them on n2 (25 % of 4), then each takes the place of one. */
static void test_diff_when_the_template_differs_then_it_is_rolled_out(void)
{
	diff(NODE("n1", "") NODE("n2", "") RUNS("web-a", "web", "n1", "") RUNS("web-b", "web", "n1",
		     "") RUNS("web-c", "web", "n1", "") RUNS("web-d", "web", "n1", "")
			RUNS("other", "other", "n2", "") RUNS("other2", "other", "n2", "")
				WORKLOAD("Deployment", "web", "replicas: 4, ", NEW_TEMPLATE),
		0,
		"   CHANGE    POD         NODE  WAS ON  IN PLACE OF, OR WHY\n"
		"~  moved     shop/web-0  n2    n1      shop/web-d\n"
		"~  replaced  shop/web-1  n1    n1      shop/web-a\n"
		"~  replaced  shop/web-2  n1    n1      shop/web-b\n"
		"~  replaced  shop/web-3  n1    n1      shop/web-c\n"
		"\n4 pending: 4 placed, 0 unschedulable\n"
		"Deployment shop/web: 4 wanted, 4 running, 4 new, 4 gone\n"
		"changes: 0 new, 1 moved, 3 replaced, 0 surplus, 0 preempted, 0 stuck\n");
}

/* No space beside it, and the one that runs may not go before. */
static void test_diff_when_there_is_no_space_for_surge_then_it_is_stuck(void)
{
	static const char one[] = NODE("n1", "") RUNS("web-a", "web", "n1", "")
		RUNS("x-a", "x", "n1", "") RUNS("x-b", "x", "n1", "") RUNS("x-c", "x", "n1", "");
	char input[8192];
	snprintf(input, sizeof(input), "%s%s", one,
		WORKLOAD("Deployment", "web", "replicas: 1, ", NEW_TEMPLATE));
	RUN(&said, simulate_run, input, "-", "--fail-on-unschedulable", "--diff");
	TEST_ASSERT_EQUAL(3, said.status);
	expect("!  stuck   shop/web-0  -     -       0/1 nodes are available: 1 Insufficient cpu.");
	expect("1 wanted, 1 running, 1 new\n");
	expect("1 stuck\n");
	snprintf(input, sizeof(input), "%s%s", one,
		WORKLOAD("Deployment", "web", "replicas: 1, strategy: {type: Recreate}, ",
			NEW_TEMPLATE));
	RUN(&said, simulate_run, input, "-", "--fail-on-unschedulable", "--diff", "-o", "json");
	TEST_ASSERT_EQUAL(0, said.status);
	expect("{\"changes\":[\n{\"sign\":\"~\",\"change\":\"replaced\",\"pod\":\"shop/web-0\","
	       "\"node\":\"n1\",\"from\":\"n1\",\"insteadOf\":\"shop/web-a\"}],\n\"workloads\":");
	expect("\"new\":0,\"moved\":0,\"replaced\":1,\"surplus\":0,\"preempted\":0,\"stuck\":0");
	snprintf(input, sizeof(input), "%s%s", one,
		WORKLOAD("Deployment", "web",
			"replicas: 1, strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: "
			"1}}, ",
			NEW_TEMPLATE));
	RUN(&said, simulate_run, input, "-", "--fail-on-unschedulable", "--diff");
	TEST_ASSERT_EQUAL(0, said.status);
}

/* Three may be there at a time: one is stuck beside two that must stay. */
static void test_diff_when_some_do_not_fit_then_old_ones_stay(void)
{
	RUN(&said, simulate_run,
		NODE("n1", "") RUNS("web-a", "web", "n1", "") RUNS("web-b", "web", "n1", "")
			WORKLOAD("Deployment", "web",
				"replicas: 2, strategy: {rollingUpdate: {maxSurge: 1, "
				"maxUnavailable: 0}}, ",
				", nodeSelector: {none: has}"),
		"-", "--fail-on-unschedulable", "--diff");
	TEST_ASSERT_EQUAL(3, said.status);
	expect("shop/web-0  -     -       0/1 nodes are available");
	expect("shop/web-1  -     -       the rollout waits");
	TEST_ASSERT_NULL(strstr(said.out, "web-a"));
}

static void test_diff_when_fewer_are_wanted_then_the_youngest_goes(void)
{
	diff(NODE("n1", "") RUNS("web-a", "web", "n1",
		     "") "kind: Pod\nmetadata: {name: web-b, namespace: shop, labels: {app: web}, "
			 "creationTimestamp: '2026-11-19T08:00:00Z'}\n"
			 "spec: {nodeName: n1, containers: [{resources: {requests: {cpu: 1}}}]}\n"
			 "---\n" WORKLOAD("Deployment", "web", "replicas: 1, ", ""),
		0,
		"   CHANGE   POD         NODE  WAS ON  IN PLACE OF, OR WHY\n"
		"-  surplus  shop/web-b  n1    -       -\n"
		"0 pending: 0 placed, 0 unschedulable\n"
		"Deployment shop/web: 1 wanted, 2 running, 0 new, 1 gone\n"
		"changes: 0 new, 0 moved, 0 replaced, 1 surplus, 0 preempted, 0 stuck\n");
}

static void test_diff_when_others_are_preempted_then_they_are_gone(void)
{
	RUN(&said, simulate_run,
		NODE("n1", "") RUNS("a", "a", "n1", "") RUNS("b", "b", "n1", ", priority: 5")
			RUNS("c", "c", "n1", ", priority: 5") RUNS("d", "d", "n1", ", priority: 5")
				WORKLOAD("StatefulSet", "db", "replicas: 1, ", ", priority: 3"),
		"-", "--diff");
	expect("-  preempted  shop/a     n1    -       shop/db-0\n");
	expect("+  new        shop/db-0  n1    -       -\n");
}

/* A StatefulSet's pod has the name of the one whose place it takes; a DaemonSet's its node. */
static void test_diff_when_pods_have_a_place_of_their_own_then_they_keep_it(void)
{
	RUN(&said, simulate_run,
		NODE("n1", "") NODE("n2", "") RUNS("db-0", "db", "n1", "") RUNS("db-1", "db", "n2",
			"") WORKLOAD("StatefulSet", "db", "replicas: 3, ", NEW_TEMPLATE),
		"-", "--diff");
	expect("shop/db-0  n1    n1      shop/db-0\n");
	expect("shop/db-1  n2    n2      shop/db-1\n");
	expect("+  new       shop/db-2  n");
	RUN(&said, simulate_run,
		NODE("n1", "") NODE("n2", "") RUNS("ds-x", "ds", "n1", "")
			WORKLOAD("DaemonSet", "ds", "", ""),
		"-", "--diff");
	expect("~  replaced  shop/ds-n1  n1    n1      shop/ds-x\n"
	       "+  new       shop/ds-n2  n2    -       -\n");
	expect("DaemonSet shop/ds: 2 wanted, 1 running, 2 new, 1 gone\n");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_workload_when_some_of_its_pods_run_then_the_rest_is_made);
	RUN_TEST(test_workload_when_it_does_not_fit_then_the_status_is_3);
	RUN_TEST(test_workload_when_a_server_has_seen_it_then_its_pods_are_not_made_again);
	RUN_TEST(test_workload_when_classes_come_later_then_priorities_are_known);
	RUN_TEST(test_workload_when_it_is_a_daemon_set_then_each_node_has_its_own);
	RUN_TEST(test_workload_when_it_has_claims_then_they_are_made);
	RUN_TEST(test_workload_when_only_limits_are_given_then_they_are_requested);
	RUN_TEST(test_workload_when_it_is_odd_then_it_is_said);
	RUN_TEST(test_diff_when_nothing_differs_then_nothing_is_said);
	RUN_TEST(test_diff_when_the_template_differs_then_it_is_rolled_out);
	RUN_TEST(test_diff_when_there_is_no_space_for_surge_then_it_is_stuck);
	RUN_TEST(test_diff_when_some_do_not_fit_then_old_ones_stay);
	RUN_TEST(test_diff_when_fewer_are_wanted_then_the_youngest_goes);
	RUN_TEST(test_diff_when_others_are_preempted_then_they_are_gone);
	RUN_TEST(test_diff_when_pods_have_a_place_of_their_own_then_they_keep_it);
	return UNITY_END();
}
