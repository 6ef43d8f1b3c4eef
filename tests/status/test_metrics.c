/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics against kube-scheduler's: every family that v1.36 has is in the table below, with its
 * type, its labels and its buckets, or with why there is none here. What /metrics says is compared
 * with it, both ways.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/status/bed.c tests/status/visitor.c tests/net/loopback.c
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/log.h"
#include "http/counts.h"
#include "status/visitor.h"

struct spec {
	const char *name;
	const char *type;   /* NULL: there is none here ... */
	const char *labels; /* sorted, or ... why there is none */
	double from, factor;
	int count;           /* buckets: exp(from, factor, count) */
	const char *buckets; /* or these */
};

#define REST_TIMES "0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60"
#define REST_SIZES "64 256 512 1024 4096 16384 65536 262144 1048576 4194304 16777216"
#define PASS       "all plugins run in one pass over remembered answers"
#define BATCH      "every pod is decided for itself, in a time that needs no batches"
#define DRA        "claims of devices hold their pods back"
#define GATE       "of a gate that is off"
#define CLIENT     "of Go's client library"
#define GO         "of Go's runtime"
#define SERVING    "of the serving library"

static const struct spec specs[] = {
	{"scheduler_schedule_attempts_total", "counter", "profile result", 0, 0, 0, NULL},
	{"scheduler_scheduling_attempt_duration_seconds", "histogram", "profile result", 0.001, 2,
		15, NULL},
	{"scheduler_scheduling_algorithm_duration_seconds", "histogram", "", 0.001, 2, 15, NULL},
	{"scheduler_event_handling_duration_seconds", "histogram", "event", 0.0001, 2, 12, NULL},
	{"scheduler_preemption_victims", "histogram", "", 1, 2, 7, NULL},
	{"scheduler_preemption_attempts_total", "counter", "", 0, 0, 0, NULL},
	{"scheduler_pending_pods", "gauge", "queue", 0, 0, 0, NULL},
	{"scheduler_inflight_events", NULL, "nothing happens while a pod is decided about", 0, 0, 0,
		NULL},
	{"scheduler_goroutines", "gauge", "operation", 0, 0, 0, NULL},
	{"scheduler_pod_scheduling_sli_duration_seconds", "histogram", "attempts", 0.01, 2, 20,
		NULL},
	{"scheduler_pod_scheduling_attempts", "histogram", "", 1, 2, 5, NULL},
	{"scheduler_pod_scheduled_after_flush_total", "counter", "", 0, 0, 0, NULL},
	{"scheduler_framework_extension_point_duration_seconds", "histogram",
		"extension_point profile status", 0.0001, 2, 12, NULL},
	{"scheduler_plugin_execution_duration_seconds", NULL, PASS, 0, 0, 0, NULL},
	{"scheduler_queueing_hint_execution_duration_seconds", NULL, PASS, 0, 0, 0, NULL},
	{"scheduler_queue_incoming_pods_total", "counter", "event queue", 0, 0, 0, NULL},
	{"scheduler_permit_wait_duration_seconds", NULL, "no plugin makes a pod wait", 0, 0, 0,
		NULL},
	{"scheduler_cache_size", "gauge", "type", 0, 0, 0, NULL},
	{"scheduler_unschedulable_pods", "gauge", "plugin profile", 0, 0, 0, NULL},
	{"scheduler_plugin_evaluation_total", "counter", "extension_point plugin profile", 0, 0, 0,
		NULL},
	{"scheduler_batch_attempts_total", NULL, BATCH, 0, 0, 0, NULL},
	{"scheduler_batch_cache_flushed_total", NULL, BATCH, 0, 0, 0, NULL},
	{"scheduler_get_node_hint_duration_seconds", NULL, BATCH, 0, 0, 0, NULL},
	{"scheduler_store_schedule_results_duration_seconds", NULL, BATCH, 0, 0, 0, NULL},
	{"scheduler_preemption_goroutines_duration_seconds", NULL, "one thread", 0, 0, 0, NULL},
	{"scheduler_preemption_goroutines_execution_total", NULL, "one thread", 0, 0, 0, NULL},
	{"scheduler_resourceclaim_creates_total", NULL, DRA, 0, 0, 0, NULL},
	{"scheduler_dra_bindingconditions_allocations_total", NULL, DRA, 0, 0, 0, NULL},
	{"scheduler_dra_bindingconditions_wait_duration_seconds", NULL, DRA, 0, 0, 0, NULL},
	{"scheduler_async_api_call_execution_total", NULL, GATE, 0, 0, 0, NULL},
	{"scheduler_async_api_call_execution_duration_seconds", NULL, GATE, 0, 0, 0, NULL},
	{"scheduler_pending_async_api_calls", NULL, GATE, 0, 0, 0, NULL},
	{"scheduler_podgroup_schedule_attempts_total", NULL, GATE, 0, 0, 0, NULL},
	{"scheduler_podgroup_scheduling_attempt_duration_seconds", NULL, GATE, 0, 0, 0, NULL},
	{"scheduler_podgroup_scheduling_algorithm_duration_seconds", NULL, GATE, 0, 0, 0, NULL},
	{"scheduler_volume_scheduling_stage_error_total", NULL, "they are attempts that failed", 0,
		0, 0, NULL},
	{"scheduler_volume_binder_cache_requests_total", NULL, "never counted there either", 0, 0,
		0, NULL},
	{"rest_client_requests_total", "counter", "code host method", 0, 0, 0, NULL},
	{"rest_client_request_duration_seconds", "histogram", "host verb", 0, 0, 0, REST_TIMES},
	{"rest_client_rate_limiter_duration_seconds", NULL, "no limiter of the client's own", 0, 0,
		0, NULL},
	{"rest_client_request_size_bytes", "histogram", "host verb", 0, 0, 0, REST_SIZES},
	{"rest_client_response_size_bytes", "histogram", "host verb", 0, 0, 0, REST_SIZES},
	{"rest_client_request_retries_total", NULL, CLIENT, 0, 0, 0, NULL},
	{"rest_client_exec_plugin_ttl_seconds", NULL, CLIENT, 0, 0, 0, NULL},
	{"rest_client_exec_plugin_certificate_rotation_age", NULL, CLIENT, 0, 0, 0, NULL},
	{"rest_client_exec_plugin_call_total", NULL, CLIENT, 0, 0, 0, NULL},
	{"rest_client_transport_cache_entries", NULL, CLIENT, 0, 0, 0, NULL},
	{"rest_client_transport_create_calls_total", NULL, CLIENT, 0, 0, 0, NULL},
	{"rest_client_transport_cache_gc_calls_total", NULL, CLIENT, 0, 0, 0, NULL},
	{"rest_client_transport_ca_reload_total", NULL, CLIENT, 0, 0, 0, NULL},
	{"rest_client_transport_cert_rotation_gc_calls_total", NULL, CLIENT, 0, 0, 0, NULL},
	{"leader_election_master_status", "gauge", "name", 0, 0, 0, NULL},
	{"leader_election_slowpath_total", NULL, CLIENT, 0, 0, 0, NULL},
	{"workqueue_", NULL, CLIENT, 0, 0, 0, NULL},
	{"kubernetes_build_info", NULL, "berth has a version of its own: berth_build_info", 0, 0, 0,
		NULL},
	{"kubernetes_feature_enabled", NULL, "there are no gates", 0, 0, 0, NULL},
	{"version_info", NULL, "berth has a version of its own", 0, 0, 0, NULL},
	{"process_cpu_seconds_total", "counter", "", 0, 0, 0, NULL},
	{"process_resident_memory_bytes", "gauge", "", 0, 0, 0, NULL},
	{"process_virtual_memory_bytes", "gauge", "", 0, 0, 0, NULL},
	{"process_virtual_memory_max_bytes", "gauge", "", 0, 0, 0, NULL},
	{"process_open_fds", "gauge", "", 0, 0, 0, NULL},
	{"process_max_fds", "gauge", "", 0, 0, 0, NULL},
	{"process_start_time_seconds", "gauge", "", 0, 0, 0, NULL},
	{"go_", NULL, GO, 0, 0, 0, NULL},
	{"apiserver_", NULL, SERVING, 0, 0, 0, NULL},
	{"authentication_", NULL, SERVING, 0, 0, 0, NULL},
	{"authorization_", NULL, SERVING, 0, 0, 0, NULL},
};

void setUp(void)
{
	bed_init();
	bed_peer = "127.0.0.1";
}
void tearDown(void)
{
	bed_scheduler.queue.rejected[0][PLUGIN_FIT] = 0;
	bed_close();
}

static const char *get(const char *path)
{
	char request[256];
	snprintf(request, sizeof(request), "%s\nHost: localhost\r\n", path);
	bed_get(request);
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	return bed_body();
}

/* One of everything that shows only once it was counted. */
static void count_something(void)
{
	struct scheduler_metrics *m = &bed_scheduler.metrics;
	for (enum scheduler_result r = SCHEDULER_SCHEDULED; r <= SCHEDULER_ERROR; r++)
		scheduler_count_attempt(m, 0, r, 3000);
	scheduler_observe(&m->sli[0], &scheduler_scale_sli, 20000);
	scheduler_observe(&m->sli[14], &scheduler_scale_sli, 20000);
	scheduler_observe(&m->stages[0][SCHEDULER_STAGE_BIND][0], &scheduler_scale_point, 150);
	scheduler_observe(
		&m->stages[0][SCHEDULER_STAGE_PRE_BIND][1], &scheduler_scale_point, 500000);
	bed_scheduler.queue.rejected[0][PLUGIN_FIT] = 1;
}

static void test_who_took_part(void)
{
	static const char *const lines[] = {
		"{extension_point=\"PreFilter\",plugin=\"NodeResourcesFit\",profile=\"default-"
		"scheduler\"} 2\n",
		"{extension_point=\"Filter\",plugin=\"NodeResourcesFit\",profile=\"default-"
		"scheduler\"} 2\n",
		"{extension_point=\"Filter\",plugin=\"NodePorts\",profile=\"default-scheduler\"} "
		"0\n",
		"{extension_point=\"Score\",plugin=\"NodeResourcesFit\",profile=\"default-"
		"scheduler\"} 1\n",
		"{extension_point=\"Score\",plugin=\"ImageLocality\",profile=\"default-scheduler\"}"
		" 1\n",
		"{event=\"NodeAdd\",le=\"0.0001\"} 3\n",
		"{event=\"UnscheduledPodAdd\",le=\"+Inf\"} 2\n",
		"_seconds_bucket{extension_point=\"Bind\",profile=\"default-scheduler\","
		"status=\"Success\",le=\"0.0002\"} 1\n",
		"_seconds_sum{extension_point=\"PreBind\",profile=\"default-scheduler\","
		"status=\"Error\"} 0.5\n"};
	bed_open();
	bed_fill();
	count_something();
	/* One that fits nowhere, and one that fits on two nodes. */
	for (uint32_t pod = 1; pod <= 2; pod++) {
		struct schedule_result decision;
		cycle_decide(&bed_scheduler.cycle, pod, CACHE_COUNT_FAST, &decision);
		scheduler_count_evaluated(&bed_scheduler.metrics, 0, decision.took_part);
	}
	const char *text = get("/metrics");
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, lines[i]), lines[i]);
}

/* Labels of a series without `le`, sorted as they should be: "a b". */
static void names_of(const char *line, char *to)
{
	const char *at = strchr(line, '{');
	*to = '\0';
	if (at == NULL || at > strchr(line, ' '))
		return;
	while (*at == '{' || *at == ',') {
		size_t size = strcspn(++at, "=");
		if (strncmp(at, "le=", 3) != 0)
			sprintf(to + strlen(to), "%s%.*s", *to == '\0' ? "" : " ", (int)size, at);
		for (at += size + 2; *at != '"'; at += *at == '\\' ? 2 : 1)
			;
		at++;
	}
}

static void check_bucket(const struct spec *spec, const char *line, int bucket)
{
	char bound[32] = "+Inf";
	const char *rest = spec->buckets;
	const char *le = strstr(line, "le=\"");
	while (le[-1] != ',' && le[-1] != '{')
		le = strstr(le + 1, "le=\"");
	le += 4;
	if (rest != NULL) {
		for (int i = 0; i < bucket && rest != NULL; i++)
			rest = strchr(rest, ' ') == NULL ? NULL : strchr(rest, ' ') + 1;
		if (rest != NULL)
			snprintf(bound, sizeof(bound), "%.*s", (int)strcspn(rest, " "), rest);
	} else if (bucket < spec->count) {
		snprintf(bound, sizeof(bound), "%.10g", spec->from * pow(spec->factor, bucket));
	}
	char is[32];
	snprintf(is, sizeof(is), "%.*s", (int)strcspn(le, "\""), le);
	if (strcmp(bound, "+Inf") != 0 && strcmp(is, "+Inf") != 0)
		TEST_ASSERT_TRUE_MESSAGE(fabs(atof(bound) / atof(is) - 1) < 1e-9, line);
	else
		TEST_ASSERT_EQUAL_STRING_MESSAGE(bound, is, line);
}

static void check_family(const struct spec *spec, const char *text)
{
	char head[256], names[256];
	size_t size = strlen(spec->name);
	int series = 0, bucket = 0;
	snprintf(head, sizeof(head), "# TYPE %s %s\n", spec->name, spec->type);
	const char *at = strstr(text, head);
	TEST_ASSERT_NOT_NULL_MESSAGE(at, head);
	for (at += strlen(head); strncmp(at, spec->name, size) == 0; at = strchr(at, '\n') + 1) {
		names_of(at, names);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(spec->labels, names, spec->name);
		series++;
		if (strncmp(at + size, "_bucket{", 8) == 0)
			check_bucket(spec, at, bucket++);
		else
			bucket = 0;
	}
	TEST_ASSERT_TRUE_MESSAGE(series > 0, spec->name);
}

static const struct spec *spec_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(specs); i++) {
		size_t size = strlen(specs[i].name);
		bool is_prefix = specs[i].name[size - 1] == '_';
		if (strncmp(name, specs[i].name, size) == 0 && (is_prefix || name[size] == ' '))
			return &specs[i];
	}
	return NULL;
}

static void test_families_are_those_of_kube_scheduler(void)
{
	static char text[BED_HEARD_MAX];
	bed_open();
	bed_fill();
	count_something();
	strcpy(text, get("/metrics"));
	for (size_t i = 0; i < ARRAY_COUNT(specs); i++)
		if (specs[i].type != NULL &&
			strcmp(specs[i].name, "leader_election_master_status") != 0)
			check_family(&specs[i], text);
	/* Whatever is there is in the table, unless it is berth's own. */
	for (const char *at = text; (at = strstr(at, "# TYPE ")) != NULL; at++) {
		const struct spec *spec = spec_of(at + 7);
		if (strncmp(at + 7, "berth_", 6) == 0)
			continue;
		TEST_ASSERT_NOT_NULL_MESSAGE(spec, at);
		TEST_ASSERT_NOT_NULL_MESSAGE(spec->type, at);
	}
}

static double value_of(const char *text, const char *line)
{
	const char *at = strstr(text, line);
	TEST_ASSERT_NOT_NULL_MESSAGE(at, line);
	return strtod(at + strlen(line), NULL);
}

static void test_time_by_phase(void)
{
	bed_open();
	bed_fill();
	const char *text = get("/metrics");
	double busy = value_of(text, "\nberth_busy_seconds_total ");
	double network = value_of(text, "\nberth_busy_network_seconds_total ");
	double decide = value_of(text, "\nberth_busy_decide_seconds_total ");
	TEST_ASSERT_TRUE(network >= 0 && decide >= 0);
	TEST_ASSERT_TRUE(network + decide <= busy + 1e-6);
}

/* What changes something needs credentials, so it needs TLS. */
#define MASTER "Host: a\r\nConnection: close\r\nAuthorization: Bearer root-token\r\n"
static struct visitor visitor;
static void expect_change(const char *request, uint32_t code, const char *answer)
{
	TEST_ASSERT_EQUAL_UINT32(code, visitor_ask(&visitor, NULL, request));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(visitor.heard, answer), visitor.heard);
}

static void test_reset(void)
{
	bed_options.secure_port = BED_SECURE;
	bed_open();
	bed_fill();
	count_something();
	TEST_ASSERT_NOT_NULL(strstr(get("/metrics"), "attempts=\"15+\""));
	TEST_ASSERT_NOT_NULL(strstr(bed_body(), "code=\"503\""));
	bed_send("DELETE /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	TEST_ASSERT_EQUAL_UINT32(401, bed_code());
	TEST_ASSERT_NOT_NULL(strstr(get("/metrics"), "attempts=\"15+\""));
	expect_change("DELETE /metrics HTTP/1.1\r\n" MASTER "\r\n", 200, "metrics reset\n");
	TEST_ASSERT_NULL(strstr(get("/metrics"), "attempts=\"15+\""));
	TEST_ASSERT_NOT_NULL(strstr(bed_body(), "scheduler_pending_pods{queue=\"active\"} 2\n"));
}

static void test_resources(void)
{
	bed_open();
	bed_fill();
	bed_add(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'d','uid':'9','resourceVersion':'1'},'spec':{"
		"'nodeName':'n1','priority':7,'schedulerName':'other','containers':[{'name':'c',"
		"'resources':{'limits':{'cpu':'2','memory':'1Gi'},'requests':{'cpu':'150m',"
		"'memory':'1Mi','hugepages-2Mi':'4Mi','example.com/a':'3','ephemeral-storage':'5'}}"
		"}]}}");
	const char *text = get("/metrics/resources");
#define POD "{namespace=\"d\",pod=\"p\",node=\"n1\",scheduler=\"other\",priority=\"7\",resource="
	static const char *const lines[] = {
		"# TYPE kube_pod_resource_limit gauge\n",
		"kube_pod_resource_limit" POD "\"cpu\",unit=\"cores\"} 2\n",
		"kube_pod_resource_limit" POD "\"memory\",unit=\"bytes\"} 1073741824\n",
		"# TYPE kube_pod_resource_request gauge\n",
		"kube_pod_resource_request" POD "\"cpu\",unit=\"cores\"} 0.15\n",
		"kube_pod_resource_request" POD "\"memory\",unit=\"bytes\"} 1048576\n",
		"kube_pod_resource_request" POD "\"ephemeral-storage\",unit=\"bytes\"} 5\n",
		"kube_pod_resource_request" POD "\"hugepages-2Mi\",unit=\"bytes\"} 4194304\n",
		"kube_pod_resource_request" POD "\"example.com/a\",unit=\"\"} 3\n",
		("kube_pod_resource_request{namespace=\"d\",pod=\"big\",node=\"\",scheduler="
		 "\"default-scheduler\",priority=\"0\",resource=\"cpu\",unit=\"cores\"} 64\n"),
	};
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, lines[i]), lines[i]);
}

static void test_slis(void)
{
	bed_open();
	TEST_ASSERT_NULL(strstr(get("/metrics/slis"), "{"));
	bed_get("/readyz");
	bed_get("/livez");
	bed_get("/livez");
	const char *text = get("/metrics/slis");
	static const char *const lines[] = {
		"kubernetes_healthcheck{name=\"ping\",type=\"livez\"} 1\n",
		"kubernetes_healthcheck{name=\"sched-handler-sync\",type=\"readyz\"} 0\n",
		("kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"livez\"} "
		 "2\n"),
		("kubernetes_healthchecks_total{name=\"sched-handler-sync\",status=\"error\","
		 "type=\"readyz\"} 1\n")};
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, lines[i]), lines[i]);
	TEST_ASSERT_NULL(strstr(text, "leaderElection"));
}

#define PUT(body, size) \
	"PUT /debug/flags/v HTTP/1.1\r\n" MASTER "Content-Length: " size "\r\n\r\n" body

static void test_debug(void)
{
	bed_options.profiling = true;
	bed_options.secure_port = BED_SECURE;
	bed_open();
	expect_change(PUT("4\n", "2"), 200, "successfully set klog.logging.verbosity to 4");
	TEST_ASSERT_TRUE(log_enabled(LOG_DECISION));
	TEST_ASSERT_FALSE(log_enabled(LOG_DEBUG));
	expect_change(PUT("6\n", "2"), 200, "to 6");
	TEST_ASSERT_TRUE(log_enabled(LOG_DEBUG));
	expect_change(PUT("0", "1"), 200, "to 0");
	TEST_ASSERT_FALSE(log_enabled(LOG_DECISION));
	expect_change(PUT("x", "1"), 400, "must be a number");
	bed_get("/debug/pprof/profile\nHost: localhost\r\n");
	TEST_ASSERT_EQUAL_UINT32(404, bed_code());
	TEST_ASSERT_NOT_NULL(strstr(bed_body(), "no Go runtime"));
	bed_get("/debug/flags/v\nHost: localhost\r\n");
	TEST_ASSERT_EQUAL_UINT32(405, bed_code());
	bed_options.profiling = false;
	expect_change(PUT("4", "1"), 404, "--profiling=false");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_families_are_those_of_kube_scheduler);
	RUN_TEST(test_who_took_part);
	RUN_TEST(test_time_by_phase);
	RUN_TEST(test_reset);
	RUN_TEST(test_resources);
	RUN_TEST(test_slis);
	RUN_TEST(test_debug);
	return UNITY_END();
}
