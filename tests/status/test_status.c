/* SPDX-License-Identifier: GPL-2.0-only */
/* Health, metrics, answers of the API, hostile requests, listeners. */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/status/bed.c tests/net/loopback.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "status/bed.h"

void setUp(void)
{
	bed_init();
}
void tearDown(void)
{
	bed_close();
}

static void expect(uint32_t code, const char *body)
{
	TEST_ASSERT_EQUAL_UINT32(code, bed_code());
	TEST_ASSERT_EQUAL_STRING(body, bed_body());
}
static void expect_part(const char *part)
{
	if (strstr(bed_body(), part) == NULL)
		TEST_FAIL_MESSAGE(bed_body());
}
static void open_for_anyone(void)
{
	bed_options.page = OPTIONS_PAGE_OPEN;
	bed_open();
	bed_fill();
}

/* ---- health ---- */

static void test_health_row_by_row(void)
{
	bed_open();
	bed_get("/healthz");
	expect(200, "ok");
	bed_get("/healthz?verbose");
	expect(200, "[+]ping ok\nhealthz check passed\n");
	bed_get("/livez?verbose=1&exclude=b%22&exclude=a&exclude=a");
	expect(200,
		"[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "
		"\"a\",\"b\\\"\"\nlivez check passed\n");
	bed_get("/readyz");
	expect(500,
		"[+]shutdown ok\n[-]sched-handler-sync failed: reason withheld\n[+]picture ok\n"
		"readyz check failed\n");
	bed_get("/readyz?exclude=sched-handler-sync");
	expect(200, "ok");
	bed_fill();
	bed_get("/readyz?verbose");
	expect(200,
		"[+]shutdown ok\n[+]sched-handler-sync ok\n[+]picture ok\nreadyz check passed\n");
}

static void test_one_check_alone(void)
{
	bed_options.always_allow_paths.list[1] = TEXT("/readyz*");
	bed_open();
	bed_get("/readyz/sched-handler-sync");
	expect(500, "internal server error: handlers are not fully synchronized\n");
	bed_get("/readyz/ping");
	expect(404, "404 page not found\n");
	scheduler_stop(&bed_scheduler);
	bed_get("/readyz/shutdown");
	expect(500, "internal server error: process is shutting down\n");
}

static void test_an_incomplete_picture_is_not_ready(void)
{
	bed_open();
	bed_fill();
	static const enum kube_kind kinds[] = {KUBE_POD, KUBE_NODE};
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		bed_scheduler.sync.damaged = WATCH_KIND(kinds[i]);
		bed_get("/readyz");
		expect(500,
			"[+]shutdown ok\n[+]sched-handler-sync ok\n[-]picture failed: reason "
			"withheld\nreadyz check failed\n");
		bed_get("/metrics");
		TEST_ASSERT_NOT_NULL(strstr(bed_body(),
			i == 0 ? "\nberth_pods_missing 1\n" : "\nberth_nodes_missing 1\n"));
	}
}

/* ---- metrics ---- */

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == ':';
}

/* Every line is a comment or name{label="value",...} number, below the head of its family. */
static void check_metrics(char *text)
{
	char family[128] = "";
	static char seen[4000][256];
	uint32_t count = 0;
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		if (strncmp(line, "# TYPE ", 7) == 0) {
			snprintf(family, sizeof(family), "%.*s", (int)strcspn(line + 7, " "),
				line + 7);
			continue;
		}
		if (line[0] == '#')
			continue;
		char *at = line;
		TEST_ASSERT_EQUAL_MESSAGE(0, strncmp(line, family, strlen(family)), line);
		while (is_name(*at))
			at++;
		if (*at == '{') {
			do {
				at++;
				while (is_name(*at))
					at++;
				TEST_ASSERT_EQUAL_MESSAGE(0, strncmp(at, "=\"", 2), line);
				for (at += 2; *at != '"'; at += *at == '\\' ? 2 : 1)
					TEST_ASSERT_TRUE_MESSAGE(*at != '\0', line);
				at++;
			} while (*at == ',');
			TEST_ASSERT_EQUAL_MESSAGE('}', *at, line);
			at++;
		}
		TEST_ASSERT_EQUAL_MESSAGE(' ', *at, line);
		char *end;
		(void)strtod(at, &end);
		TEST_ASSERT_EQUAL_MESSAGE('\0', *end, line);
		*at = '\0';
		for (uint32_t i = 0; i < count; i++)
			TEST_ASSERT_TRUE_MESSAGE(strcmp(seen[i], line) != 0, line);
		TEST_ASSERT_TRUE(count < 4000);
		snprintf(seen[count++], sizeof(seen[0]), "%s", line);
	}
	TEST_ASSERT_TRUE(count > 100);
}

static void test_metrics_are_what_prometheus_reads(void)
{
	static char text[BED_HEARD_MAX];
	open_for_anyone();
	scheduler_count_attempt(&bed_scheduler.metrics, 0, SCHEDULER_SCHEDULED, 3000);
	scheduler_count_requeued(&bed_scheduler.metrics, KUBE_CSI_NODE, CACHE_UPDATE,
		&(struct queue_moved){.active = 2});
	bed_get("/metrics");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("scheduler_schedule_attempts_total{profile=\"default-scheduler\","
		    "result=\"scheduled\"} 1\n");
	expect_part("scheduler_scheduling_attempt_duration_seconds_bucket{profile=\"default-"
		    "scheduler\",result=\"scheduled\",le=\"0.004\"} 1\n");
	expect_part("_sum{profile=\"default-scheduler\",result=\"scheduled\"} 0.003\n");
	expect_part("scheduler_pending_pods{queue=\"active\"} 2\n");
	expect_part("scheduler_queue_incoming_pods_total{event=\"UnscheduledPodAdd\","
		    "queue=\"active\"} 2\n");
	expect_part("{event=\"storage.k8s.io/CSINodeUpdate\",queue=\"active\"} 2\n");
	expect_part("scheduler_cache_size{type=\"nodes\"} 3\n");
	expect_part("scheduler_preemption_victims_bucket{le=\"64\"} 0\n");
	snprintf(text, sizeof(text), "%s", bed_body());
	check_metrics(text);
}

/* ---- the API ---- */

static void test_overview(void)
{
	open_for_anyone();
	bed_get("/berth/v1/overview");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("\"queue\":{\"active\":2,");
	expect_part("\"cluster\":{\"nodes\":3,\"pods\":2,\"pending\":2,");
	expect_part("\"capacity\":{\"cpuMilli\":[0,12000],");
	expect_part(
		"\"nodeStates\":{\"ready\":{\"count\":3,\"first\":[]},\"notReady\":{\"count\":0,");
	expect_part("\"latest\":{\"count\":0,\"medianUs\":0,\"mostUs\":0}");
	for (int i = 5; i > 0; i--) {
		struct scheduler_record *r = scheduler_record_next(&bed_scheduler.metrics);
		r->at = clock_wall(&bed_scheduler.setup.clock);
		r->at.us -= i == 5 ? CLOCK_S_US : 0; /* too long ago */
		r->took_us = i * 10;
	}
	bed_get("/berth/v1/overview");
	expect_part("\"latest\":{\"count\":4,\"medianUs\":30,\"mostUs\":40}");
}

static void test_nodes_in_pages(void)
{
	open_for_anyone();
	bed_get("/berth/v1/nodes");
	expect_part("{\"name\":\"n1\",\"id\":1,\"zone\":\"z1\",\"cpuMilli\":[0,4000],");
	expect_part("\"taints\":[\"a=<b>:NoSchedule\"]");
	bed_get("/berth/v1/nodes?limit=1&after=1");
	expect_part("\"name\":\"n2\"");
	TEST_ASSERT_NULL(strstr(bed_body(), "\"n3\""));
	bed_get("/berth/v1/nodes?q=z0");
	TEST_ASSERT_NULL(strstr(bed_body(), "\"n1\""));
	bed_get("/berth/v1/nodes?q=nothing");
	expect(200, "[]\n");
}

static void test_nodes_with_labels(void)
{
	open_for_anyone();
	bed_get("/berth/v1/nodes?label=topology.kubernetes.io%2fzone");
	expect_part("\"label\":\"z1\"");
	TEST_ASSERT_NULL(strstr(bed_body(), "\"labels\""));
	bed_get("/berth/v1/nodes?label=*&limit=1");
	expect_part("\"labels\":{");
	expect_part("\"topology.kubernetes.io/zone\":\"z1\"");
	bed_get("/berth/v1/nodes?label=not-there&limit=1");
	TEST_ASSERT_NULL(strstr(bed_body(), "\"label"));
}

static void test_waiting_pods(void)
{
	open_for_anyone();
	bed_get("/berth/v1/pods?state=pending");
	expect_part("\"namespace\":\"d\",\"name\":\"big\",");
	expect_part("\"state\":\"active\",\"priority\":0,\"attempts\":0,");
	bed_get("/berth/v1/pods?state=bound");
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
}

static void test_explanations(void)
{
	open_for_anyone();
	bed_get("/berth/v1/explain?pod=d%2Fbig");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("\"plugin\":\"NodeResourcesFit\"");
	expect_part(
		"\"requests\":{\"cpu\":64000,\"memory\":0,\"ephemeral-storage\":0},\"filters\":[");
	expect_part("\"TaintToleration\",");
	TEST_ASSERT_EQUAL_STRING("]}", bed_body() + strlen(bed_body()) - 2);
	bed_get("/berth/v1/explain?pod=d/small"); /* a moment later: too soon */
	TEST_ASSERT_EQUAL_UINT32(503, bed_code());
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/explain?pod=d/small");
	expect_part("\"choice\":\"n");
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/explain?pod=d/none");
	TEST_ASSERT_EQUAL_UINT32(404, bed_code());
	bed_get("/berth/v1/explain?pod=none");
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
}

static const char yaml[] = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: small\n  namespace: d\n"
			   "spec:\n  nodeName: n3\n  containers:\n  - name: c\n    resources:\n"
			   "      requests: {cpu: %s}\n";

static void ask_what_if(const char *cpu)
{
	char body[512];
	snprintf(body, sizeof(body), yaml, cpu);
	bed_loopback.now_us += CLOCK_S_US;
	bed_post("/berth/v1/whatif", "", body);
}

static void test_what_if_leaves_no_trace(void)
{
	open_for_anyone();
	uint32_t pods = pool_used(&bed_scheduler.cache.pods);
	uint64_t strings = bed_scheduler.cache.strings.strings.budget.used;
	ask_what_if("2");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("\"choice\":\"n");
	ask_what_if("5");
	expect_part("Insufficient cpu");
	TEST_ASSERT_EQUAL_UINT32(pods, pool_used(&bed_scheduler.cache.pods));
	TEST_ASSERT_EQUAL_UINT32(2, bed_scheduler.queue.pods[QUEUE_ACTIVE]);
	TEST_ASSERT_EQUAL_UINT64(strings, bed_scheduler.cache.strings.strings.budget.used);
	scheduler_audit(&bed_scheduler);
}

/* Three nodes of 4 CPU, one of them tainted. */
#define TEMPLATE(cpu) "{spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}}"
#define WEB(kind, more, cpu)                                                  \
	"kind: " kind "\nmetadata: {name: web, namespace: d}\nspec:\n  " more \
	"\n  template: " TEMPLATE(cpu) "\n"

static void ask_about(const char *body)
{
	bed_loopback.now_us += CLOCK_S_US;
	bed_post("/berth/v1/whatif", "", body);
}

static void test_what_if_of_workloads_places_each_pod(void)
{
	open_for_anyone();
	uint32_t pods = pool_used(&bed_scheduler.cache.pods);
	uint64_t strings = bed_scheduler.cache.strings.strings.budget.used;
	ask_about(WEB("Deployment", "replicas: 2", "3"));
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("\"workloads\":[{\"kind\":\"Deployment\",\"namespace\":\"d\",\"name\":\"web\","
		    "\"wanted\":2,\"lookedAt\":2,\"placed\":2,\"nodes\":{");
	expect_part("\"choice\":\"n");
	expect_part("\"headroom\":{\"fits\":");
	ask_about(WEB("StatefulSet", "replicas: 9", "3"));
	expect_part("\"wanted\":9,\"lookedAt\":3,\"placed\":2,");
	expect_part("\"headroom\":{\"fits\":0,");
	expect_part("Insufficient cpu");
	ask_about("kind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9, template: {spec: "
		  "{containers: [{name: c, resources: {requests: {memory: 1Mi}, limits: {cpu: 3, "
		  "memory: 1Gi}}}, {name: d, resources: {limits: {cpu: 1m}}}]}}}\n");
	expect_part("\"wanted\":9,\"lookedAt\":3,\"placed\":2,");
	expect_part("\"requests\":{\"cpu\":3001,\"memory\":1048576,");
	ask_about(WEB("Job", "parallelism: 300", "1m"));
	expect_part("\"wanted\":300,\"lookedAt\":128,\"placed\":128,");
	ask_about("kind: List\nitems:\n- kind: Service\n- kind: ReplicaSet\n  metadata: {name: a}\n"
		  "  spec: {replicas: 0, template: " TEMPLATE(
			  "1") "}\n- kind: Pod\n"
			       "  metadata: {name: b}\n  spec: {containers: [{name: c}]}\n");
	expect_part("\"name\":\"a\",\"wanted\":0,\"lookedAt\":0,\"placed\":0,\"nodes\":{}},"
		    "{\"kind\":\"Pod\",\"namespace\":\"default\",\"name\":\"b\",\"wanted\":1,");
	TEST_ASSERT_EQUAL_UINT32(pods, pool_used(&bed_scheduler.cache.pods));
	TEST_ASSERT_EQUAL_UINT64(strings, bed_scheduler.cache.strings.strings.budget.used);
	TEST_ASSERT_EQUAL_UINT32(0, bed_scheduler.cache.pods_assumed);
	TEST_ASSERT_EQUAL_UINT32(2, bed_scheduler.queue.pods[QUEUE_ACTIVE]);
	scheduler_audit(&bed_scheduler);
}

static void test_what_if_of_a_daemon_set_counts_nodes(void)
{
	open_for_anyone();
	ask_about(WEB("DaemonSet", "a: b", "3"));
	expect_part("\"kind\":\"DaemonSet\",\"namespace\":\"d\",\"name\":\"web\",\"wanted\":3,"
		    "\"lookedAt\":3,\"placed\":2,");
	ask_about(WEB("DaemonSet", "a: b", "5"));
	expect_part("\"wanted\":3,\"lookedAt\":3,\"placed\":0,");
}

static void test_what_if_looks_priority_classes_up_in_what_was_sent(void)
{
	static const char pod[] = "kind: Pod\nmetadata: {name: p}\nspec:\n"
				  "  priorityClassName: %s\n  containers: [{name: c}]\n---\n"
				  "kind: PriorityClass\nmetadata: {name: high}\nvalue: %s\n";
	char body[512];
	open_for_anyone();
	(void)snprintf(body, sizeof(body), pod, "high", "7");
	ask_about(body);
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	(void)snprintf(body, sizeof(body), pod, "system-node-critical", "7");
	ask_about(body);
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	(void)snprintf(body, sizeof(body), pod, "low", "7");
	ask_about(body);
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
	expect_part("line 4: spec.priorityClassName: send that PriorityClass, too");
	(void)snprintf(body, sizeof(body), pod, "high", "lots");
	ask_about(body);
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
	expect_part("spec.priority");
}

static void test_what_if_of_odd_documents_is_refused(void)
{
	static const char *const odd[] = {"kind: Deployment\n",
		"kind: Deployment\nspec: {template: []}\n",
		WEB("Deployment", "replicas: many", "1"), WEB("Deployment", "replicas: -1", "1"),
		WEB("Deployment", "replicas: 0", "1"), "kind: List\nitems: [{items: []}]\n",
		"- a\n", "a\n", "kind: List\nitems: 7\n", "---\n---\n",
		"kind: Pod\nmetadata: []\nspec: {}\n",
		/* what goes into a template must not hold it */
		"kind: Deployment\nspec: {template: &t {spec: {containers: []}}}\n"
		"metadata: {name: *t, namespace: *t}\n",
		"kind: StatefulSet\nmetadata: {name: &t {a: b}}\nspec: {template: " TEMPLATE(
			"1") ", volumeClaimTemplates: [{metadata: {name: *t}}]}\n",
		"kind: StatefulSet\nspec: {template: " TEMPLATE(
			"1") ", volumeClaimTemplates: [{metadata: {}}, 7, {}]}\n",
		"kind: StatefulSet\nspec: {template: {spec: {volumes: {a: b}, containers: [{name: "
		"c}]}}, volumeClaimTemplates: [{metadata: {name: a}}]}\n",
		"kind: StatefulSet\nspec: {volumeClaimTemplates: &l [{metadata: {name: a}}], "
		"template: {spec: {volumes: *l, containers: [{name: c}]}}}\n",
		"kind: PersistentVolumeClaim\n---\nkind: Pod\nspec: {containers: [{name: c}]}\n",
		"kind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {resources: {requests: "
		"{storage: lots}}}\n---\nkind: Pod\nspec: {containers: [{name: c}]}\n",
		"kind: Pod\nspec: &s {priorityClassName: a, containers: []}\n---\n"
		"kind: PriorityClass\nmetadata: {name: a}\nvalue: {a: b}\n"};
	open_for_anyone();
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		ask_about(odd[i]);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(400, bed_code(), odd[i]);
		expect_part("{\"error\":\"line ");
	}
	scheduler_audit(&bed_scheduler);
}

#define CLAIM(name) "{" name "accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"
#define CLAIM_SPEC  CLAIM("storageClassName: disk, ")
#define DB(more)                                                                            \
	"kind: StatefulSet\nmetadata: {name: db, namespace: d}\nspec:\n  replicas: 2\n"     \
	"  template: " TEMPLATE("1") "\n  volumeClaimTemplates: [{metadata: {name: data}, " \
				     "spec: " CLAIM_SPEC more "}]\n"

#define CLAIMING                                                                            \
	"kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}], volumes: [{name: " \
	"v, persistentVolumeClaim: {claimName: a}}]}\n"
#define CLAIM_A(spec) "kind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: " spec "\n---\n"

static void know_claims(void)
{
	const uint32_t kinds = WATCH_KIND(KUBE_PVC) | WATCH_KIND(KUBE_PV) |
		WATCH_KIND(KUBE_STORAGE_CLASS) | WATCH_KIND(KUBE_CSI_NODE) |
		WATCH_KIND(KUBE_CSI_DRIVER) | WATCH_KIND(KUBE_CSI_CAPACITY) |
		WATCH_KIND(KUBE_VOLUME_ATTACHMENT) | WATCH_KIND(KUBE_NAMESPACE) |
		WATCH_KIND(KUBE_SERVICE) | WATCH_KIND(KUBE_REPLICATION_CONTROLLER) |
		WATCH_KIND(KUBE_REPLICA_SET) | WATCH_KIND(KUBE_STATEFUL_SET);
	bed_scheduler.sync.wanted |= kinds;
	bed_scheduler.sync.known |= kinds;
}

static void test_what_if_with_claims_imagines_them(void)
{
	open_for_anyone();
	ask_about(DB(""));
	TEST_ASSERT_EQUAL_UINT32(503, bed_code()); /* they are watched from now on */
	TEST_ASSERT_TRUE((bed_scheduler.sync.wanted & WATCH_KIND(KUBE_PVC)) != 0);
	know_claims();
	bed_add(KUBE_STORAGE_CLASS,
		"{'metadata':{'name':'disk','uid':'sc','resourceVersion':'1',"
		"'annotations':{'storageclass.kubernetes.io/is-default-class':'true'}},"
		"'provisioner':'disk.csi','volumeBindingMode':'WaitForFirstConsumer'}");
	scheduler_requeue_for_changes(&bed_scheduler);
	uint32_t objects = pool_used(&bed_scheduler.cache.objects);
	uint64_t strings = bed_scheduler.cache.strings.strings.budget.used;
	ask_about(DB(""));
	expect_part("\"wanted\":2,\"lookedAt\":2,\"placed\":2,");
	ask_about(CLAIM_A(CLAIM_SPEC) CLAIMING);
	expect_part("\"choice\":\"n");
	ask_about(CLAIMING);
	expect_part("persistentvolumeclaim \\\"a\\\" not found"); /* it was in thought */
	ask_about(CLAIM_A("{}") CLAIMING);                        /* of the default class */
	expect_part("\"choice\":\"n");
	TEST_ASSERT_EQUAL_UINT32(objects, pool_used(&bed_scheduler.cache.objects));
	TEST_ASSERT_EQUAL_UINT64(strings, bed_scheduler.cache.strings.strings.budget.used);
	TEST_ASSERT_EQUAL_UINT64(0, cache_log_count(&bed_scheduler.cache));
	scheduler_audit(&bed_scheduler);
}

/* 600 us whenever the clock is looked at: after 5 ms it is enough. */
static void test_what_if_of_many_pods_ends_in_time(void)
{
	open_for_anyone();
	bed_tick_us = 600;
	ask_about(WEB("Job", "parallelism: 100", "1m"));
	bed_tick_us = 0;
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("\"wanted\":100,\"lookedAt\":");
	TEST_ASSERT_NULL(strstr(bed_body(), "\"lookedAt\":100,"));
	TEST_ASSERT_NULL(strstr(bed_body(), "\"lookedAt\":0,"));
}

static void test_a_broken_pod_is_refused_with_its_line(void)
{
	open_for_anyone();
	ask_what_if("lots");
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
	expect_part("{\"error\":\"line 11: spec.containers.resources.requests: ");
	bed_loopback.now_us += CLOCK_S_US;
	bed_post("/berth/v1/whatif", "",
		"kind: Pod\nmetadata: {name: a}\nspec:\n  priority: 5\n  containers:\n"
		"  - name: c\n    resources: {requests: {cpu: 1}}\n  - name: d\n    resources:\n"
		"      requests:\n        cpu: 1\n        memory: much\n");
	expect_part("{\"error\":\"line 12: spec.containers.resources.requests: ");
	bed_loopback.now_us += CLOCK_S_US;
	bed_post("/berth/v1/whatif", "", "kind: Pod\n  oh: no\n");
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
	expect_part("{\"error\":\"line 2: ");
	bed_loopback.now_us += CLOCK_S_US;
	bed_post("/berth/v1/whatif", "", "{\"kind\":\"Node\"}");
	expect_part("line 1: kind: must be Pod");
	bed_loopback.now_us += CLOCK_S_US;
	bed_post("/berth/v1/whatif", "", "");
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
}

static void test_another_site_cannot_ask(void)
{
	open_for_anyone();
	bed_post("/berth/v1/whatif", "Sec-Fetch-Site: cross-site\r\n", "{}");
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
	bed_post("/berth/v1/whatif", "Origin: http://evil.example\r\n", "{}");
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
	bed_post("/berth/v1/whatif", "Origin: null\r\n", "{}");
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
	bed_post("/berth/v1/whatif", "Origin: http://a\r\nSec-Fetch-Site: same-origin\r\n", "{}");
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
}

static void test_decisions_newest_first(void)
{
	open_for_anyone();
	bed_get("/berth/v1/decisions");
	expect(200, "[]\n");
	for (int i = 0; i < 100; i++) {
		struct scheduler_record *r = scheduler_record_next(&bed_scheduler.metrics);
		snprintf(r->pod, sizeof(r->pod), "d/p%d \"</script>\x01", i);
	}
	bed_scheduler.metrics.best[100 % SCHEDULER_BEST] =
		(struct scheduler_best){.serial = 100, .size = 12, .words = "[{\"node\":1}]"};
	bed_get("/berth/v1/decisions");
	expect_part("[\n{\"serial\":100,");
	expect_part("\"tookUs\":0,\"best\":[{\"node\":1}]},\n{\"serial\":99,");
	expect_part("d/p36 \\\"</script>\\u0001");
	TEST_ASSERT_NULL(strstr(bed_body(), "d/p35 "));
}

static void test_dump_is_a_list(void)
{
	open_for_anyone();
	bed_get("/berth/v1/dump");
	expect_part("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"lacks\":true,\"items\":[\n{"
		    "\"apiVersion\":\"v1\","
		    "\"kind\":\"Node\"");
	expect_part("\"requests\":{\"cpu\":\"64000m\"}");
	expect_part("{\"key\":\"a\",\"value\":\"<b>\",\"effect\":\"NoSchedule\"}");
}

static void test_flagz_in_every_form(void)
{
	bed_options.page = OPTIONS_PAGE_OPEN;
	bed_options.verbosity = 3;
	bed_open();
	bed_get("/flagz");
	expect_part("\nkube-scheduler flagz\nWarning: ");
	expect_part("\nv=3\n");
	expect_part("\nleader-elect=true\n");
	expect_part("\nsecure-port=");
	expect_part("\nrequestheader-username-headers=[x-remote-user]\n");
	/* Sorted, and nothing twice. */
	TEST_ASSERT_TRUE(strstr(bed_body(), "\nbind-address=") < strstr(bed_body(), "\nv=3"));
	bed_get("/flagz\nAccept: application/json;v=v1alpha1;g=config.k8s.io;as=Flagz\r\n");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("{\"kind\":\"Flagz\",\"apiVersion\":\"config.k8s.io/v1alpha1\",\"metadata\":{"
		    "\"name\":\"kube-scheduler\"},\"flags\":{\"");
	expect_part("\"bind-address\":\"127.0.0.1\",");
	expect_part("\"}}\n");
	bed_get("/flagz\nAccept: text/html, application/yaml; as=Flagz; g=config.k8s.io; "
		"v=v1beta1\r\n");
	expect_part("\"apiVersion\":\"config.k8s.io/v1beta1\"");
	bed_get("/flagz\nAccept: text/html,*/*;q=0.8\r\n");
	expect_part("kube-scheduler flagz");
}

static void test_zpages_that_cannot_be_had(void)
{
	static const char *const accepts[] = {"application/json", "text/html",
		"application/json;v=v1;g=config.k8s.io;as=Flagz",
		"application/json;v=v1alpha1;g=config.k8s.io;as=Statusz", ";;;,,", "*/*;q=0"};
	char request[128];
	bed_options.page = OPTIONS_PAGE_OPEN;
	bed_open();
	for (size_t i = 0; i < ARRAY_COUNT(accepts); i++) {
		snprintf(request, sizeof(request), "/flagz\nAccept: %s\r\n", accepts[i]);
		bed_get(request);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(406, bed_code(), accepts[i]);
	}
}

static void test_statusz_in_every_form(void)
{
	bed_options.page = OPTIONS_PAGE_OPEN;
	bed_options.config.gates.release = KUBE_1_36;
	bed_open();
	bed_get("/statusz");
	expect_part("\nkube-scheduler statusz\nWarning: ");
	expect_part("\nUp: 0 hr 00 min 0");
	expect_part("\nBinary version: 1.37.0\nEmulation version: 1.36\n");
	expect_part(" /metrics");
	bed_get("/statusz\nAccept: application/json;v=v1beta1;g=config.k8s.io;as=Statusz\r\n");
	expect_part("{\"kind\":\"Statusz\",\"apiVersion\":\"config.k8s.io/v1beta1\",");
	expect_part("\"emulationVersion\":\"1.36\",\"paths\":[\"/healthz\",");
}

/* A configuration of hundreds of profiles would not fit into a piece, or into 64 kB. */
static void test_configz_of_any_size(void)
{
	static struct scheduler_profile profiles[SCHEDULER_PROFILES_MAX];
	static char name[20 * 1024];
	memset(name, 'x', sizeof(name));
	const struct scheduler_profile *from =
		CONFIG_LIST(bed_options.config.profiles, struct scheduler_profile);
	for (uint32_t i = 0; i < ARRAY_COUNT(profiles); i++) {
		profiles[i] = *from;
		profiles[i].name = (struct text){name, sizeof(name) - i};
	}
	bed_options.config.profiles = (struct config_list){profiles, ARRAY_COUNT(profiles)};
	open_for_anyone();
	bed_get("/configz");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	TEST_ASSERT_TRUE(strlen(bed_body()) > sizeof(name) * ARRAY_COUNT(profiles));
	expect_part("\"percentageOfNodesToScore\":");
}

static void test_others(void)
{
	open_for_anyone();
	bed_get("/configz");
	expect_part("{\"componentconfig\":{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\"");
	bed_get("/berth/v1/");
	expect_part("\"/berth/v1/whatif\":\"POST pods");
	bed_get("/nothing");
	expect(404, "404 page not found\n");
	bed_get("/berth/v1/whatif");
	TEST_ASSERT_EQUAL_UINT32(405, bed_code());
	bed_get("/");
	TEST_ASSERT_EQUAL_UINT32(406, bed_code());
	TEST_ASSERT_NOT_NULL(strstr(
		bed_get("/page.js\nAccept-Encoding: gzip\r\n"), "Content-Encoding: gzip\r\n"));
	TEST_ASSERT_NOT_NULL(
		strstr(bed_get("/icon.svg\nAccept-Encoding: gzip\r\n"), "image/svg+xml"));
	TEST_ASSERT_NOT_NULL(strstr(bed_get("/version"), "default-src 'none'"));
}

/* ---- who may ---- */

static void test_a_stranger_sees_health_and_the_empty_page(void)
{
	bed_open();
	bed_get("/berth/v1/overview");
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
	expect_part("forbidden: User \\\"system:anonymous\\\" cannot list resource "
		    "\\\"pods\\\" in API group \\\"\\\" at the cluster scope");
	bed_get("/page.css\nAccept-Encoding: gzip\r\n");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
}

static void test_who_is_here_may_look_when_that_was_chosen(void)
{
	static const char *const passed_on[] = {"X-Forwarded-For: 1.2.3.4", "X-Forwarded-Host: a",
		"X-Forwarded-Proto: https", "Forwarded: for=1.2.3.4", "Via: 1.1 nginx",
		"X-Real-IP: 1.2.3.4", "CF-Connecting-IP: 1.2.3.4", "CF-Ray: 1", "X-Remote-User: a"};
	char request[256];
	bed_peer = "127.0.0.1";
	bed_open();
	bed_get("/berth/v1/overview\nHost: localhost:10251\r\n");
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
	bed_close();
	bed_init();
	bed_peer = "127.0.0.1";
	bed_options.page = OPTIONS_PAGE_LOOPBACK;
	bed_open();
	bed_get("/berth/v1/overview\nHost: localhost:10251\r\n");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	bed_get("/berth/v1/overview"); /* a name that somebody pointed here */
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
	bed_get("/berth/v1/overview\nHost: localhost.evil.example\r\n");
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
	for (size_t i = 0; i < ARRAY_COUNT(passed_on); i++) {
		snprintf(request, sizeof(request), "/berth/v1/overview\nHost: localhost\r\n%s\r\n",
			passed_on[i]);
		bed_get(request);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(403, bed_code(), passed_on[i]);
	}
	/* As nginx asks whom it stands before, unless it is told otherwise. */
	bed_send("GET /berth/v1/overview HTTP/1.0\r\nHost: localhost\r\n\r\n");
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
	bed_send("PUT /debug/flags/v HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		 "Content-Length: 1\r\n\r\n4");
	TEST_ASSERT_EQUAL_UINT32(401, bed_code());
	bed_peer = "192.0.2.7";
	bed_get("/berth/v1/overview\nHost: localhost\r\n");
	TEST_ASSERT_EQUAL_UINT32(403, bed_code());
}

/* Whoever can reach the port: only when that was said. */
static void test_open_is_said(void)
{
	static const enum options_page pages[] = {
		OPTIONS_PAGE_REVIEW, OPTIONS_PAGE_TOKEN, OPTIONS_PAGE_NOBODY, OPTIONS_PAGE_OPEN};
	static const uint32_t codes[] = {403, 403, 404, 200};
	for (size_t i = 0; i < ARRAY_COUNT(pages); i++) {
		bed_options.page = pages[i];
		bed_open();
		bed_get("/berth/v1/overview");
		TEST_ASSERT_EQUAL_UINT32(codes[i], bed_code());
		bed_close();
		bed_init();
	}
}

static void test_nobody_means_nobody(void)
{
	bed_peer = "127.0.0.1";
	bed_options.page = OPTIONS_PAGE_NOBODY;
	bed_open();
	bed_get("/berth/v1/overview\nHost: localhost\r\n");
	TEST_ASSERT_EQUAL_UINT32(404, bed_code());
	bed_get("/metrics\nHost: localhost\r\n");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
}

/* ---- hostile ---- */

static void test_hostile_requests(void)
{
	static char long_query[6000];
	open_for_anyone();
	memset(long_query, 'a', sizeof(long_query) - 1);
	memcpy(long_query, "/berth/v1/nodes?q=", 18);
	bed_get(long_query);
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	bed_get("/berth/v1/explain?pod=%00%2F%zz");
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
	bed_get("/berth/v1/nodes?limit=99999999999999999999&after=4294967295");
	expect(200, "[]\n");
	bed_get("/berth/v1/../metrics");
	TEST_ASSERT_EQUAL_UINT32(404, bed_code());
	bed_get("/api/overview"); /* whom system:discovery lets may not be let here by it */
	TEST_ASSERT_EQUAL_UINT32(404, bed_code());
	bed_get("/healthz?exclude=%0d%0aX:%20y&exclude=&exclude=%");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	TEST_ASSERT_NULL(strstr(bed_body(), "X: y"));
}

/* ---- listeners ---- */

static uint32_t count_of(const char *text, const char *part)
{
	uint32_t count = 0;
	while ((text = strstr(text, part)) != NULL) {
		count++;
		text += strlen(part);
	}
	return count;
}

static void test_listeners_of_whom_one_stalls(void)
{
	static struct bed_client listeners[STATUS_PLAIN_CONNECTIONS];
	enum { STALLED = 2, LISTENERS = STATUS_PLAIN_CONNECTIONS - STATUS_OWN_PLACES };
	open_for_anyone();
	for (uint32_t i = 0; i < LISTENERS; i++) {
		bed_dial(&listeners[i]);
		bed_say(&listeners[i], "GET /berth/v1/events HTTP/1.1\r\nHost: a\r\n\r\n");
	}
	for (uint32_t second = 0; second < 40; second++) {
		bed_loopback.now_us += CLOCK_S_US;
		bed_turns(20);
		for (uint32_t i = 0; i < LISTENERS; i++)
			if (i != STALLED)
				bed_hear(&listeners[i]);
	}
	for (uint32_t i = 0; i < LISTENERS; i++) {
		if (i != STALLED)
			TEST_ASSERT_TRUE(count_of(listeners[i].heard, "event: overview") >= 35);
		TEST_ASSERT_TRUE(bed_scheduler.metrics.best_wanted > 0);
		bed_hang_up(&listeners[i]);
	}
	bed_turns(20);
	bed_get("/berth/v1/overview");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_health_row_by_row);
	RUN_TEST(test_one_check_alone);
	RUN_TEST(test_an_incomplete_picture_is_not_ready);
	RUN_TEST(test_metrics_are_what_prometheus_reads);
	RUN_TEST(test_overview);
	RUN_TEST(test_nodes_in_pages);
	RUN_TEST(test_nodes_with_labels);
	RUN_TEST(test_waiting_pods);
	RUN_TEST(test_explanations);
	RUN_TEST(test_what_if_leaves_no_trace);
	RUN_TEST(test_what_if_of_workloads_places_each_pod);
	RUN_TEST(test_what_if_of_a_daemon_set_counts_nodes);
	RUN_TEST(test_what_if_looks_priority_classes_up_in_what_was_sent);
	RUN_TEST(test_what_if_of_odd_documents_is_refused);
	RUN_TEST(test_what_if_with_claims_imagines_them);
	RUN_TEST(test_what_if_of_many_pods_ends_in_time);
	RUN_TEST(test_a_broken_pod_is_refused_with_its_line);
	RUN_TEST(test_another_site_cannot_ask);
	RUN_TEST(test_decisions_newest_first);
	RUN_TEST(test_dump_is_a_list);
	RUN_TEST(test_flagz_in_every_form);
	RUN_TEST(test_zpages_that_cannot_be_had);
	RUN_TEST(test_statusz_in_every_form);
	RUN_TEST(test_configz_of_any_size);
	RUN_TEST(test_others);
	RUN_TEST(test_a_stranger_sees_health_and_the_empty_page);
	RUN_TEST(test_who_is_here_may_look_when_that_was_chosen);
	RUN_TEST(test_open_is_said);
	RUN_TEST(test_nobody_means_nobody);
	RUN_TEST(test_hostile_requests);
	RUN_TEST(test_listeners_of_whom_one_stalls);
	return UNITY_END();
}
