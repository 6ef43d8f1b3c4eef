/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics against kube-scheduler's: data/metrics-RELEASE.txt has every family that it registers,
 * with its type, stability, labels and the texts of its bounds. What /metrics says is compared with
 * it, both ways; what is missing here stands in tests/compat.md, and nowhere else.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/status/bed.c tests/status/visitor.c tests/net/loopback.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/log.h"
#include "http/counts.h"
#include "status/visitor.h"

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
	scheduler_count_point(m, 0, SERIES_BIND, PLUGIN_SUCCESS, 150);
	scheduler_count_point(m, 0, SERIES_PRE_BIND, PLUGIN_ERROR, 500000);
	scheduler_count_plugin(m, PLUGIN_FIT, SERIES_FILTER, PLUGIN_UNSCHEDULABLE, 12);
	scheduler_count_permit_wait(m, PLUGIN_UNSCHEDULABLE, 9000);
	scheduler_count_evictions(m, false, 20000);
	series_observe(&m->series,
		(struct series_labels){.family = SERIES_HINT,
			.group = PLUGIN_FIT,
			.what = (uint16_t)series_event(KUBE_NODE, CACHE_UPDATE_NODE_TAINT),
			.result = SERIES_QUEUE},
		3);
	m->volume_errors[SCHEDULER_VOLUME_BIND] = 1;
	m->woken[KUBE_NODE][0][0] = 1;
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

/* ---- the list of a release ---- */

enum { LIST_MAX = 64 * 1024 };
static char list[LIST_MAX];

struct family { /* "name type level labels bounds..." */
	char name[96], type[16], level[24], labels[128], bounds[600];
};

static const char *read_file(const char *path, char *to)
{
	FILE *file = fopen(path, "rb");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	size_t size = fread(to, 1, LIST_MAX - 1, file);
	fclose(file);
	TEST_ASSERT_LESS_THAN_size_t(LIST_MAX - 1, size);
	to[size] = '\0';
	return to;
}

/* What follows `at`; NULL behind the last one. */
static const char *next_family(const char *at, struct family *f)
{
	while (*at == '#')
		at = strchr(at, '\n') + 1;
	if (*at == '\0')
		return NULL;
	int fields = sscanf(at, "%95s %15s %23s %127s %599[^\n]", f->name, f->type, f->level,
		f->labels, f->bounds);
	TEST_ASSERT_EQUAL_INT_MESSAGE(5, fields, at);
	for (char *c = f->labels; *c != '\0'; c++)
		*c = *c == ',' ? ' ' : *c;
	if (strcmp(f->labels, "-") == 0)
		f->labels[0] = '\0';
	return strchr(at, '\n') + 1;
}

/* tests/compat.md says that there is none here: by its name, or by what it begins with. */
static bool is_left_out(const char *name)
{
	static char page[LIST_MAX];
	const char *at = strstr(read_file("tests/compat.md", page), "\n## Metrics\n");
	TEST_ASSERT_NOT_NULL(at);
	for (at = strchr(at + 1, '\n') + 1; *at != '\0' && strncmp(at, "## ", 3) != 0;
		at = strchr(at, '\n') + 1) {
		const char *end = strchr(at, '\n');
		const char *cell_end = strstr(at + 1, " |");
		if (strncmp(at, "| ", 2) != 0 || cell_end == NULL || cell_end > end)
			continue;
		for (const char *word = at + 2; word < cell_end;) {
			size_t size = strcspn(word, ", ");
			bool is_prefix = word[size - 1] == '*';
			if (strncmp(word, name, size - is_prefix) == 0 &&
				(is_prefix || name[size] == '\0'))
				return true;
			word += size + strspn(word + size, ", ");
		}
	}
	return false;
}

/* Those that the bed cannot show, or another path does. */
static bool is_elsewhere(const char *name)
{
	return strncmp(name, "leader_election_", 16) == 0 ||
		strncmp(name, "kubernetes_healthcheck", 22) == 0;
}

/* ---- what /metrics has ---- */

static void check_series(const struct family *f, const char *at)
{
	char names[256], bounds[600] = "";
	size_t size = strlen(f->name);
	int series = 0;
	for (; strncmp(at, f->name, size) == 0; at = strchr(at, '\n') + 1) {
		const char *le = strstr(at, ",le=\""), *only = strstr(at, "{le=\"");
		bool is_bucket = strncmp(at + size, "_bucket{", 8) == 0;
		le = le == NULL || (only != NULL && only < le) ? only : le;
		names_of(at, names);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(f->labels, names, f->name);
		series++;
		if (is_bucket && strncmp(le + 1, "le=\"+Inf\"", 9) != 0) {
			le += 5;
			sprintf(bounds + strlen(bounds), "%s%.*s", bounds[0] == '\0' ? "" : " ",
				(int)strcspn(le, "\""), le);
		} else if (is_bucket) {
			TEST_ASSERT_EQUAL_STRING_MESSAGE(f->bounds, bounds, f->name);
			bounds[0] = '\0';
		}
	}
	TEST_ASSERT_TRUE_MESSAGE(series > 0, f->name);
}

static void check_family(const struct family *f, const char *text)
{
	char head[256], help[160];
	bool is_hidden = strstr(f->level, "deprecated") != NULL;
	snprintf(head, sizeof(head), "# TYPE %s %s\n", f->name, f->type);
	snprintf(help, sizeof(help), "# HELP %s [%s] ", f->name, f->level);
	const char *at = strstr(text, head);
	if (is_left_out(f->name) || is_hidden) {
		TEST_ASSERT_NULL_MESSAGE(at, head);
	} else if (!is_elsewhere(f->name)) {
		TEST_ASSERT_NOT_NULL_MESSAGE(at, head);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, help), help);
		check_series(f, at + strlen(head));
	}
}

static bool is_listed(const char *name)
{
	struct family f;
	for (const char *at = list; (at = next_family(at, &f)) != NULL;)
		if (strncmp(f.name, name, strlen(f.name)) == 0 && name[strlen(f.name)] == ' ')
			return true;
	return strncmp(name, "berth_", 6) == 0 || strncmp(name, "process_", 8) == 0;
}

static void check_release(enum kube_release release, const char *file)
{
	static char text[BED_HEARD_MAX];
	struct family f;
	bed_options.config.gates.release = release;
	bed_open();
	bed_fill();
	count_something();
	net_client_count_retry(bed_client(), &(struct net_request){.method = NET_GET});
	strcpy(text, get("/metrics"));
	read_file(file, list);
	for (const char *at = list; (at = next_family(at, &f)) != NULL;)
		check_family(&f, text);
	for (const char *at = text; (at = strstr(at, "# TYPE ")) != NULL; at++)
		TEST_ASSERT_TRUE_MESSAGE(is_listed(at + 7), at);
}

static void test_families_are_those_of_v1_36(void)
{
	check_release(KUBE_1_36, "tests/status/data/metrics-1.36.txt");
	TEST_ASSERT_NULL(strstr(bed_body(), "queue=\"incomplete\""));
	TEST_ASSERT_NOT_NULL(strstr(bed_body(), "event=\"UnschedulablePodAdd\""));
	TEST_ASSERT_NULL(strstr(bed_body(), "event=\"UnscheduledPodAdd\""));
	TEST_ASSERT_NOT_NULL(strstr(bed_body(), "git_version=\"v1.36.4+berth."));
	/* Dashboards join on it: Go's name of the machine, not the board's. */
	const char *platform = strstr(bed_body(), "platform=\"linux/");
	TEST_ASSERT_NOT_NULL(platform);
	platform += strlen("platform=\"linux/");
	TEST_ASSERT_TRUE(strncmp(platform, "amd64\"", 6) == 0 ||
		strncmp(platform, "arm64\"", 6) == 0 || strncmp(platform, "arm\"", 4) == 0 ||
		strncmp(platform, "riscv64\"", 8) == 0);
}

static void test_families_are_those_of_v1_37(void)
{
	check_release(KUBE_1_37, "tests/status/data/metrics-1.37.txt");
	TEST_ASSERT_NOT_NULL(
		strstr(bed_body(), "scheduler_pending_pods{queue=\"incomplete\"} 0\n"));
	TEST_ASSERT_NOT_NULL(strstr(bed_body(), "scheduler_pending_pods{queue=\"pending\"} 0\n"));
	TEST_ASSERT_NOT_NULL(strstr(bed_body(), "event=\"UnscheduledPodAdd\""));
	TEST_ASSERT_NULL(strstr(bed_body(), "event=\"UnschedulablePodAdd\""));
}

/* ---- which are shown ---- */

static void test_a_disabled_metric_is_not_shown(void)
{
	bed_options.metrics.disabled = (struct options_words){
		{TEXT("scheduler_pending_pods"), TEXT("berth_turns_total")}, 2};
	bed_open();
	const char *text = get("/metrics");
	TEST_ASSERT_NULL(strstr(text, "scheduler_pending_pods"));
	TEST_ASSERT_NULL(strstr(text, "berth_turns_total"));
	TEST_ASSERT_NOT_NULL(strstr(text, "scheduler_cache_size"));
}

static void test_hidden_metrics_are_shown_when_asked_for(void)
{
	bed_options.config.gates.release = KUBE_1_37;
	bed_options.metrics.show_hidden = true;
	bed_open();
	scheduler_count_evictions(&bed_scheduler.metrics, true, 20000);
	TEST_ASSERT_NOT_NULL(strstr(get("/metrics"),
		"scheduler_preemption_goroutines_duration_seconds_count{result=\"success\"} 1\n"));
}

/* Rows that look the same then are one. */
static void test_values_of_labels_that_are_not_allowed_are_unexpected(void)
{
	struct options_metrics *m = &bed_options.metrics;
	m->rules[0] = (struct options_metric_rule){
		TEXT("scheduler_schedule_attempts_total"), TEXT("result"), TEXT("scheduled,other")};
	m->rules[1] = (struct options_metric_rule){
		TEXT("scheduler_scheduling_attempt_duration_seconds"), TEXT("result"), TEXT("")};
	m->rule_count = 2;
	bed_open();
	bed_fill();
	count_something();
	const char *text = get("/metrics");
#define ATTEMPTS "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result="
	TEST_ASSERT_NOT_NULL(strstr(text, ATTEMPTS "\"scheduled\"} 1\n"));
	TEST_ASSERT_NOT_NULL(strstr(text, ATTEMPTS "\"unexpected\"} 2\n"));
	TEST_ASSERT_NULL(strstr(text, ATTEMPTS "\"error\"}"));
	TEST_ASSERT_NOT_NULL(strstr(text,
		"scheduler_scheduling_attempt_duration_seconds_count{profile="
		"\"default-scheduler\",result=\"unexpected\"} 3\n"));
	TEST_ASSERT_NOT_NULL(strstr(text,
		"scheduler_scheduling_attempt_duration_seconds_sum{profile="
		"\"default-scheduler\",result=\"unexpected\"} 0.009\n"));
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
	TEST_ASSERT_EQUAL_UINT32(501, bed_code());
	TEST_ASSERT_NOT_NULL(strstr(bed_body(), "perf record"));
	bed_get("/debug/flags/v\nHost: localhost\r\n");
	TEST_ASSERT_EQUAL_UINT32(405, bed_code());
	bed_options.profiling = false;
	expect_change(PUT("4", "1"), 404, "--profiling=false");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_families_are_those_of_v1_36);
	RUN_TEST(test_families_are_those_of_v1_37);
	RUN_TEST(test_a_disabled_metric_is_not_shown);
	RUN_TEST(test_hidden_metrics_are_shown_when_asked_for);
	RUN_TEST(test_values_of_labels_that_are_not_allowed_are_unexpected);
	RUN_TEST(test_who_took_part);
	RUN_TEST(test_time_by_phase);
	RUN_TEST(test_reset);
	RUN_TEST(test_resources);
	RUN_TEST(test_slis);
	RUN_TEST(test_debug);
	return UNITY_END();
}
