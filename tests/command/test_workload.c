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

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_workload_when_some_of_its_pods_run_then_the_rest_is_made);
	RUN_TEST(test_workload_when_it_does_not_fit_then_the_status_is_3);
	RUN_TEST(test_workload_when_a_server_has_seen_it_then_its_pods_are_not_made_again);
	RUN_TEST(test_workload_when_classes_come_later_then_priorities_are_known);
	RUN_TEST(test_workload_when_it_is_a_daemon_set_then_each_node_has_its_own);
	RUN_TEST(test_workload_when_it_has_claims_then_they_are_made);
	RUN_TEST(test_workload_when_it_is_odd_then_it_is_said);
	return UNITY_END();
}
