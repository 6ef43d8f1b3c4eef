/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events against a model of an apiserver: what is sent, what joins, what is dropped, and what
 * becomes of those that do not get through.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c bind/body_path.c bind/body_event.c
// deps: bind/recorder*.c tests/lease/town.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"
#include "base/log.h"
#include "bind/recorder.h"
#include "lease/town.h"

enum { MEMORY = 4 << 20, EVENTS_MAX = 64, SERIES_MAX = 32, STORED = 4096, LOG_MAX = 1 << 20 };

static struct town town;
static uint8_t *memory;
static struct arena arena;
static struct random dice;
static struct net *net;
static struct net_client *client;
static struct recorder *recorder;
static uint32_t connections;
static uint32_t events_max, series_max;

/* The server. */
static struct {
	bool served;       /* events.k8s.io/v1 */
	int discovery;     /* instead of the truth; 0: none */
	int status;        /* instead of an answer to events; 0: none */
	uint32_t refusals; /* how often it is said; 0: always */
	bool is_done;      /* and yet it is done */
	const char *headers;
	uint32_t discoveries, posts, patches, requests, flying, flying_max;
	char names[STORED][96];
	uint32_t count;
	char log[LOG_MAX]; /* "POST <reason> <note>" lines, "PATCH <body>" */
	size_t log_size;
	char last[8192], last_path[1024], last_type[128];
} server;

/* ---- the server ---- */

static struct text member(struct text body, const char *key)
{
	static char bytes[16384];
	const char *at;

	TEST_ASSERT_TRUE(text_copy(body, bytes, sizeof(bytes)));
	at = strstr(bytes, key);
	if (at == NULL)
		return TEXT("");
	at += strlen(key);
	return (struct text){at, strcspn(at, "\"")};
}

static int find_event(struct text name)
{
	for (uint32_t i = 0; i < server.count; i++)
		if (text_is_z(name, server.names[i]))
			return (int)i;
	return -1;
}

static void note(const char *what, struct text detail)
{
	int size = snprintf(server.log + server.log_size, LOG_MAX - server.log_size, "%s %.*s\n",
		what, TEXT_ARGS(detail));

	TEST_ASSERT_TRUE(size > 0 && server.log_size + (size_t)size < LOG_MAX);
	server.log_size += (size_t)size;
}

static int do_post(const struct town_request *request)
{
	bool core = text_starts(request->path, TEXT("/api/v1/"));
	struct text name = member(request->body, "\"metadata\":{\"name\":\"");

	server.posts++;
	TEST_ASSERT_TRUE(name.size > 0);
	TEST_ASSERT_TRUE(core || server.served);
	if (find_event(name) >= 0)
		return 409;
	TEST_ASSERT_TRUE(server.count < STORED);
	TEST_ASSERT_TRUE(text_copy(name, server.names[server.count++], sizeof(server.names[0])));
	note("POST", member(request->body, core ? "\"message\":\"" : "\"note\":\""));
	return 201;
}

static int do_patch(const struct town_request *request)
{
	size_t slash = text_find_last(request->path, '/');

	server.patches++;
	if (find_event(text_from(request->path, slash + 1)) < 0)
		return 404;
	note("PATCH", request->body);
	return 200;
}

static void say(const struct town_request *request, int status)
{
	char body[256];
	int size = snprintf(body, sizeof(body),
		status < 400 ? "{\"kind\":\"Event\",\"metadata\":{\"name\":\"x\"}}"
			     : "{\"kind\":\"Status\",\"code\":%d}",
		status);

	town_reply(&town, request, status, server.headers == NULL ? "" : server.headers,
		(struct text){body, (size_t)size});
}

static int act(const struct town_request *request)
{
	if (text_is_z(request->method, "POST"))
		return do_post(request);
	TEST_ASSERT_TRUE(text_is_z(request->method, "PATCH"));
	TEST_ASSERT_TRUE(
		text_is_z(request->content_type, "application/strategic-merge-patch+json"));
	return do_patch(request);
}

static void answer(void *self, struct town *t, const struct town_request *request)
{
	int status = server.status;

	(void)self;
	(void)t;
	if (text_is_z(request->method, "GET")) {
		TEST_ASSERT_TRUE(text_is_z(request->path, "/apis/events.k8s.io/v1"));
		server.discoveries++;
		say(request, server.discovery != 0 ? server.discovery : server.served ? 200 : 404);
		return;
	}
	server.requests++;
	TEST_ASSERT_TRUE(text_copy(request->body, server.last, sizeof(server.last)));
	TEST_ASSERT_TRUE(text_copy(request->path, server.last_path, sizeof(server.last_path)));
	if (status != 0 && server.refusals > 0 && --server.refusals == 0)
		server.status = 0;
	if (status == 0 || server.is_done) {
		int done = act(request);

		say(request, status != 0 ? status : done);
	} else {
		say(request, status);
	}
}

static struct town_fate fate_now;

static struct town_fate fate(void *self, struct town *t, uint32_t process)
{
	(void)self;
	(void)t;
	(void)process;
	return fate_now;
}

/* ---- the bed ---- */

static void start(void)
{
	struct net_target target = {.name = "test",
		.host = {"127.0.0.1", 9},
		.port = 8080,
		.path_prefix = {"", 0},
		.connections = connections,
		.connect_timeout_ms = 1000};
	char fault[128];
	struct writer w;

	writer_init(&w, fault, sizeof(fault));
	memory = calloc(1, MEMORY);
	TEST_ASSERT_NOT_NULL(memory);
	arena_init(&arena, memory, MEMORY);
	net = net_init(&(struct net_setup){.arena = &arena,
		.clock = town_clock(&town, 0),
		.entropy = entropy_seeded(&dice),
		.bytes = town_bytes(&town, 0)});
	client = net_client_open(net, &arena, &target, &w);
	TEST_ASSERT_NOT_NULL(client);
	size_t before = arena_left(&arena);

	recorder = recorder_init(&(struct recorder_setup){.net = net,
		.client = client,
		.arena = &arena,
		.clock = town_clock(&town, 0),
		.entropy = entropy_seeded(&dice),
		.instance = TEXT("edge-1"),
		.events_max = events_max,
		.series_max = series_max});
	TEST_ASSERT_TRUE(before - arena_left(&arena) <= recorder_size(events_max, series_max));
	town.processes[0].net = net;
	recorder_start(recorder);
}

void setUp(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	budget_reset();
	town_init(&town);
	town.answer = answer;
	town.fate = fate;
	memset(&server, 0, sizeof(server));
	server.served = true;
	random_init(&dice, 5);
	fate_now = (struct town_fate){.there_us = 1000, .back_us = 1000};
	connections = 8;
	events_max = EVENTS_MAX;
	series_max = SERIES_MAX;
	recorder = NULL;
}

void tearDown(void)
{
	if (recorder != NULL) {
		recorder_close(recorder);
		net_client_close(client);
		net_close(net);
		free(memory);
	}
	town_free(&town);
}

static struct recorder_event event_of(const char *pod, const char *version, const char *reason)
{
	return (struct recorder_event){
		.regarding = {.api_version = TEXT("v1"),
			.kind = TEXT("Pod"),
			.namespace = TEXT("default"),
			.name = text_of(pod),
			.uid = text_of(pod),
			.resource_version = text_of(version)},
		.type = TEXT("Normal"),
		.reason = text_of(reason),
		.action = TEXT("Binding"),
		.note = text_of(reason),
		.controller = TEXT("default-scheduler"),
	};
}

static bool say_of(const char *pod, const char *version, const char *reason)
{
	struct recorder_event event = event_of(pod, version, reason);

	return recorder_record(recorder, &event);
}

static bool say_numbered(uint32_t i)
{
	char pod[32];

	snprintf(pod, sizeof(pod), "pod-%u", (unsigned)i);
	struct recorder_event event = event_of(pod, "1", "Scheduled");

	event.note = text_of(pod);
	return recorder_record(recorder, &event);
}

static bool last_has(const char *part)
{
	return strstr(server.last, part) != NULL;
}

static struct recorder_stats stats(void)
{
	return recorder_stats(recorder);
}

/* ---- what is sent ---- */

static void test_an_event_is_sent(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	TEST_ASSERT_FALSE(recorder_is_idle(recorder));
	town_run(&town, 100);
	TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	TEST_ASSERT_EQUAL_UINT32(1, server.discoveries);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_STRING(
		"/apis/events.k8s.io/v1/namespaces/default/events", server.last_path);
	TEST_ASSERT_TRUE(last_has("\"apiVersion\":\"events.k8s.io/v1\""));
	TEST_ASSERT_TRUE(last_has("\"reportingController\":\"default-scheduler\""));
	TEST_ASSERT_TRUE(last_has("\"reportingInstance\":\"default-scheduler-edge-1\""));
	TEST_ASSERT_TRUE(last_has("\"name\":\"ok."));
	TEST_ASSERT_TRUE(last_has("\"resourceVersion\":\"201\""));
	TEST_ASSERT_EQUAL_UINT64(1, stats().sent);
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	TEST_ASSERT_EQUAL_UINT32(0, stats().waiting);
}

static void test_core_group_when_it_is_all(void)
{
	server.served = false;
	start();
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_STRING("/api/v1/namespaces/default/events", server.last_path);
	TEST_ASSERT_TRUE(last_has("\"apiVersion\":\"v1\",\"count\":1"));
	TEST_ASSERT_TRUE(last_has("\"source\":{\"component\":\"default-scheduler\"}"));
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_STRING_LEN("/api/v1/namespaces/default/events/ok.", server.last_path, 37);
	TEST_ASSERT_EQUAL_STRING_LEN("{\"count\":2,\"lastTimestamp\":\"2026-", server.last, 33);
	TEST_ASSERT_EQUAL_UINT32(1, server.discoveries);
}

static void test_discovery_is_asked_until_it_answers(void)
{
	server.discovery = 503;
	start();
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	town_run(&town, 8000);
	TEST_ASSERT_TRUE(server.discoveries >= 3);
	TEST_ASSERT_EQUAL_UINT32(0, server.posts);
	server.discovery = 0;
	town_run(&town, 13000);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_STRING(
		"/apis/events.k8s.io/v1/namespaces/default/events", server.last_path);
}

static void test_forbidden_discovery_means_core(void)
{
	server.discovery = 403;
	start();
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_STRING("/api/v1/namespaces/default/events", server.last_path);
}

static void test_leader_speaks_in_core(void)
{
	struct recorder_event event = {.regarding = {.api_version = TEXT("coordination.k8s.io/v1"),
					       .kind = TEXT("Lease"),
					       .namespace = TEXT("kube-system"),
					       .name = TEXT("kube-scheduler")},
		.type = TEXT("Normal"),
		.reason = TEXT("LeaderElection"),
		.note = TEXT("edge-1_db2f became leader"),
		.controller = TEXT("default-scheduler")};

	start();
	TEST_ASSERT_TRUE(recorder_record_leader(recorder, &event));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_STRING("/api/v1/namespaces/kube-system/events", server.last_path);
	TEST_ASSERT_TRUE(last_has("\"message\":\"edge-1_db2f became leader\""));
	TEST_ASSERT_TRUE(last_has("\"involvedObject\":{\"apiVersion\":\"coordination.k8s.io/v1\""));
}

/* ---- series ---- */

static void test_second_makes_a_series(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_EQUAL_STRING_LEN(
		"{\"series\":{\"count\":2,\"lastObservedTime\":\"2026-", server.last, 45);
	TEST_ASSERT_EQUAL_STRING_LEN(
		"/apis/events.k8s.io/v1/namespaces/default/events/nofit.", server.last_path, 55);
	for (int i = 0; i < 100; i++)
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_EQUAL_UINT64(101, stats().joined);
	TEST_ASSERT_EQUAL_UINT64(102, stats().recorded);
}

static void test_key_is_all_but_the_note(void)
{
	struct recorder_event event = event_of("a", "1", "Scheduled");
	struct text *const parts[] = {&event.regarding.api_version, &event.regarding.kind,
		&event.regarding.namespace, &event.regarding.name, &event.regarding.uid,
		&event.regarding.resource_version, &event.type, &event.reason, &event.action,
		&event.controller};

	start();
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	event.note = TEXT("another");
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	TEST_ASSERT_EQUAL_UINT64(1, stats().joined);
	for (uint32_t i = 0; i < ARRAY_COUNT(parts); i++) {
		struct text before = *parts[i];

		*parts[i] = TEXT("other");
		TEST_ASSERT_TRUE(recorder_record(recorder, &event));
		*parts[i] = before;
	}
	TEST_ASSERT_EQUAL_UINT64(1, stats().joined);
	TEST_ASSERT_TRUE(recorder_record_leader(recorder, &event));
	TEST_ASSERT_EQUAL_UINT64(1, stats().joined);
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(12, server.posts);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
}

/* What comes while the first is on its way makes one patch, when that is there. */
static void test_joined_before_it_was_sent(void)
{
	start();
	fate_now.back_us = CLOCK_S_US;
	for (int i = 0; i < 5; i++)
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 1500);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_UINT32(0, server.patches);
	town_run(&town, 3000);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_TRUE(last_has("\"count\":5"));
}

static void test_series_is_told_now_and_then_and_at_its_end(void)
{
	start();
	for (int i = 0; i < 60; i++) { /* an hour, each minute */
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
		town_run(&town, 60 * 1000);
	}
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_UINT32(2, server.patches); /* 2, and after half an hour */
	TEST_ASSERT_TRUE(last_has("\"count\":33"));
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	town_run(&town, 6 * 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(3, server.patches);
	TEST_ASSERT_TRUE(last_has("\"count\":60"));
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 7 * 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(3, server.patches);
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
}

static void test_patch_of_what_has_expired(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	server.count = 0;
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	/* The whole event again, with the first note, and then the patch. */
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(2, server.patches);
	TEST_ASSERT_EQUAL_UINT32(1, server.count);
	TEST_ASSERT_TRUE(last_has("\"count\":2"));
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
}

/* A server that takes events and has none: no endless exchange. */
static void test_patch_of_what_never_stays(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	for (int i = 0; i < 20; i++) {
		server.count = 0;
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
		for (int k = 0; k < 100; k++) {
			town_run(&town, 1);
			server.count = 0;
		}
		TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	}
	TEST_ASSERT_TRUE(server.requests <= 20 * 4 + 1);
}

/* ---- order and bounds ---- */

static void test_order(void)
{
	char expected[64 * 16];
	size_t size = 0;

	start();
	recorder_hold(recorder, true);
	for (uint32_t i = 0; i < EVENTS_MAX; i++) {
		TEST_ASSERT_TRUE(say_numbered(i));
		size += (size_t)snprintf(
			expected + size, sizeof(expected) - size, "POST pod-%u\n", (unsigned)i);
	}
	TEST_ASSERT_FALSE(say_numbered(EVENTS_MAX));
	TEST_ASSERT_EQUAL_UINT64(1, stats().dropped_full);
	TEST_ASSERT_EQUAL_UINT32(EVENTS_MAX, stats().waiting);
	recorder_hold(recorder, false);
	town_run(&town, 5000);
	TEST_ASSERT_EQUAL_STRING(expected, server.log);
	TEST_ASSERT_EQUAL_UINT32(SERIES_MAX, stats().remembered);
	TEST_ASSERT_TRUE(say_numbered(EVENTS_MAX));
}

static void test_order_with_faults(void)
{
	start();
	town_run(&town, 100);
	recorder_hold(recorder, true);
	for (uint32_t i = 0; i < 10; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	server.status = 503;
	server.refusals = 4;
	recorder_hold(recorder, false);
	town_run(&town, 30 * 1000);
	TEST_ASSERT_EQUAL_STRING("POST pod-0\nPOST pod-1\nPOST pod-2\nPOST pod-3\nPOST pod-4\n"
				 "POST pod-5\nPOST pod-6\nPOST pod-7\nPOST pod-8\nPOST pod-9\n",
		server.log);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
}

static void test_held_while_bindings_wait(void)
{
	start();
	town_run(&town, 100);
	recorder_hold(recorder, true);
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(0, server.requests);
	recorder_hold(recorder, false);
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_TRUE(say_of("b", "1", "Scheduled"));
	recorder_hold(recorder, true); /* that is on its way already */
	TEST_ASSERT_TRUE(say_of("c", "1", "Scheduled"));
	town_run(&town, 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(1, stats().waiting);
}

static void test_not_before_start(void)
{
	start();
	recorder_close(recorder);
	recorder = recorder_init(&(struct recorder_setup){.net = net,
		.client = client,
		.arena = &arena,
		.clock = town_clock(&town, 0),
		.entropy = entropy_seeded(&dice),
		.instance = TEXT("edge-1"),
		.events_max = 4,
		.series_max = 4});
	server.discoveries = 0;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(0, server.discoveries);
	recorder_start(recorder);
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
}

/* 100,000 that are all different, as fast as they come: memory and requests are bounded. */
static void test_flood(void)
{
	start();
	size_t before = arena_left(&arena);
	int64_t started = town.now_us;

	for (uint32_t i = 0; i < 100000; i++) {
		(void)say_numbered(i);
		if (i % 100 == 0)
			town_run(&town, 10);
		TEST_ASSERT_TRUE(stats().waiting <= EVENTS_MAX);
		TEST_ASSERT_TRUE(stats().remembered <= SERIES_MAX);
	}
	TEST_ASSERT_EQUAL_size_t(before, arena_left(&arena));
	int64_t seconds = (town.now_us - started) / CLOCK_S_US + 1;

	TEST_ASSERT_TRUE(server.posts <= RECORDER_BURST + seconds * RECORDER_PER_SECOND);
	town_run(&town, 5000);
	struct recorder_stats s = stats();

	TEST_ASSERT_EQUAL_UINT64(100000, s.recorded);
	TEST_ASSERT_EQUAL_UINT64(100000, s.sent + s.dropped_full + s.dropped_rate);
	TEST_ASSERT_EQUAL_UINT64(server.posts, s.sent);
	TEST_ASSERT_EQUAL_UINT32(0, s.waiting);
}

static void test_overall_rate(void)
{
	events_max = 1000;
	start();
	for (uint32_t i = 0; i < 1000; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	town_run(&town, 2000);
	TEST_ASSERT_TRUE(server.posts >= RECORDER_BURST);
	TEST_ASSERT_TRUE(server.posts <= RECORDER_BURST + 2 * RECORDER_PER_SECOND);
	town_run(&town, 10 * 1000);
	TEST_ASSERT_INT_WITHIN(30, RECORDER_BURST + 12 * RECORDER_PER_SECOND, server.posts);
	town_run(&town, 10 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1000, server.posts);
}

/* A pod that is changed all the time: 25, and then one in five minutes. */
static void test_one_pod_says_too_much(void)
{
	char version[16];

	start();
	for (uint32_t i = 0; i < 100; i++) {
		snprintf(version, sizeof(version), "%u", (unsigned)i);
		bool taken = say_of("noisy", version, "FailedScheduling");

		TEST_ASSERT_EQUAL(i < RECORDER_POD_BURST, taken);
		town_run(&town, 10);
	}
	TEST_ASSERT_EQUAL_UINT64(75, stats().dropped_rate);
	TEST_ASSERT_TRUE(say_of("quiet", "1", "FailedScheduling"));
	town_run(&town, RECORDER_POD_EVERY_S * 1000);
	TEST_ASSERT_TRUE(say_of("noisy", "200", "FailedScheduling"));
	TEST_ASSERT_FALSE(say_of("noisy", "201", "FailedScheduling"));
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(RECORDER_POD_BURST + 2, server.posts);
}

/* ---- trouble ---- */

static void test_retried_until_it_is_too_often(void)
{
	start();
	town_run(&town, 100);
	server.status = 503;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 60 * 1000);
	TEST_ASSERT_TRUE(server.requests >= 5);
	TEST_ASSERT_TRUE(server.requests < RECORDER_TRIES);
	town_run(&town, 120 * 1000);
	TEST_ASSERT_EQUAL_UINT32(RECORDER_TRIES, server.requests);
	TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	TEST_ASSERT_EQUAL_UINT64(1, stats().failed);
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
	server.status = 0;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 20 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
}

static void test_refused_is_the_end(void)
{
	static const int answers[] = {400, 403, 404, 413, 422};

	start();
	town_run(&town, 100);
	for (uint32_t i = 0; i < ARRAY_COUNT(answers); i++) {
		server.status = answers[i];
		TEST_ASSERT_TRUE(say_numbered(i));
		town_run(&town, 1000);
		TEST_ASSERT_EQUAL_UINT32(i + 1, server.requests);
		TEST_ASSERT_EQUAL_UINT64(i + 1, stats().failed);
		TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	}
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
}

static void test_refused_patch_leaves_the_event(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 100);
	server.status = 403;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT64(1, stats().failed);
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	TEST_ASSERT_EQUAL_UINT32(2, server.requests);
}

static void test_retry_after(void)
{
	start();
	town_run(&town, 100);
	server.status = 429;
	server.refusals = 1;
	server.headers = "Retry-After: 20\r\n";
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 19 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.requests);
	town_run(&town, 2 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.requests);
	TEST_ASSERT_EQUAL_UINT64(1, stats().sent);
}

/* It was done, and the answer lost: the second try finds it there. */
static void test_lost_answer(void)
{
	start();
	town_run(&town, 100);
	fate_now.answer_lost = true;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 1000);
	fate_now.answer_lost = false;
	town_run(&town, 40 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(1, server.count);
	TEST_ASSERT_EQUAL_UINT64(1, stats().sent);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
}

static void test_server_away(void)
{
	start();
	town_run(&town, 100);
	town.processes[0].refuses = true;
	town.processes[0].cut_off = true;
	for (uint32_t i = 0; i < 5; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	town_run(&town, 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(5, stats().waiting);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
	town.processes[0].refuses = town.processes[0].cut_off = false;
	town_run(&town, 40 * 1000);
	TEST_ASSERT_EQUAL_STRING(
		"POST pod-0\nPOST pod-1\nPOST pod-2\nPOST pod-3\nPOST pod-4\n", server.log);
}

/* ---- odd texts ---- */

static void test_texts_of_any_length(void)
{
	static char longest[4096];
	struct recorder_event event = event_of("a", "1", "FailedScheduling");

	memset(longest, 'x', sizeof(longest));
	start();
	event.note = (struct text){longest, sizeof(longest)};
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_size_t(BODY_NOTE_MAX, member(text_of(server.last), "\"note\":\"").size);
	TEST_ASSERT_TRUE(last_has("xxx ...\""));
	memset(longest, 1, sizeof(longest));
	event.regarding.uid = TEXT("2");
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	event.regarding.name = (struct text){longest, 254};
	TEST_ASSERT_FALSE(recorder_record(recorder, &event));
	event.regarding.name = TEXT("a");
	event.regarding.namespace = TEXT("a/b");
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT64(2, stats().failed);
	TEST_ASSERT_TRUE(recorder_is_idle(recorder));
}

static void test_names_are_unique_and_uuids(void)
{
	struct recorder_event event = event_of("A_b", "1", "Scheduled");

	start();
	recorder_hold(recorder, true);
	for (int i = 0; i < 20; i++) {
		char reason[16];

		snprintf(reason, sizeof(reason), "R%d", i);
		event.reason = text_of(reason);
		event.regarding.name = i < 10 ? TEXT("a") : TEXT("A_b");
		TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	}
	recorder_hold(recorder, false);
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(20, server.posts);
	TEST_ASSERT_EQUAL_UINT32(20, server.count);
	TEST_ASSERT_EQUAL_size_t(36, strlen(server.names[19]));
	event.reason = TEXT("R19");
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	town_run(&town, 1000);
	TEST_ASSERT_TRUE(text_ends(text_of(server.last_path), text_of(server.names[19])));
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
}

/* Two at a time, and with few connections none at all while others use them. */
static void test_two_at_a_time(void)
{
	start();
	town_run(&town, 100);
	fate_now.answer_lost = true;
	for (uint32_t i = 0; i < 10; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	town_run(&town, 10 * 1000);
	TEST_ASSERT_EQUAL_UINT32(RECORDER_FLIGHTS, server.requests);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_an_event_is_sent);
	RUN_TEST(test_core_group_when_it_is_all);
	RUN_TEST(test_discovery_is_asked_until_it_answers);
	RUN_TEST(test_forbidden_discovery_means_core);
	RUN_TEST(test_leader_speaks_in_core);
	RUN_TEST(test_second_makes_a_series);
	RUN_TEST(test_key_is_all_but_the_note);
	RUN_TEST(test_joined_before_it_was_sent);
	RUN_TEST(test_series_is_told_now_and_then_and_at_its_end);
	RUN_TEST(test_patch_of_what_has_expired);
	RUN_TEST(test_patch_of_what_never_stays);
	RUN_TEST(test_order);
	RUN_TEST(test_order_with_faults);
	RUN_TEST(test_held_while_bindings_wait);
	RUN_TEST(test_not_before_start);
	RUN_TEST(test_flood);
	RUN_TEST(test_overall_rate);
	RUN_TEST(test_one_pod_says_too_much);
	RUN_TEST(test_retried_until_it_is_too_often);
	RUN_TEST(test_refused_is_the_end);
	RUN_TEST(test_refused_patch_leaves_the_event);
	RUN_TEST(test_retry_after);
	RUN_TEST(test_lost_answer);
	RUN_TEST(test_server_away);
	RUN_TEST(test_texts_of_any_length);
	RUN_TEST(test_names_are_unique_and_uuids);
	RUN_TEST(test_two_at_a_time);
	return UNITY_END();
}
