/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the recorder stand on. */
#include "bind/event_recorder_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/log.h"

enum { MEMORY = 4 << 20 };

struct town town;
struct recorder_server server;
struct recorder *recorder;
struct arena arena;
struct net *net;
struct net_client *client;
static struct api_client *api;
struct random dice;
struct town_fate fate_now;
uint32_t events_max, series_max;
const char *instance;
static uint8_t *memory;

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
	if (server.silent)
		return;
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

static struct town_fate fate(void *self, struct town *t, uint32_t process)
{
	(void)self;
	(void)t;
	(void)process;
	return fate_now;
}

/* ---- the bed ---- */

struct recorder *bed_recorder(void)
{
	if (recorder == NULL)
		api = api_client_open(&(struct api_setup){.net = net,
			.server = client,
			.arena = &arena,
			.entropy = entropy_seeded(&dice),
			.answers_max = 8});
	return recorder_init(&(struct recorder_setup){.client = api,
		.arena = &arena,
		.clock = town_clock(&town, 0),
		.entropy = entropy_seeded(&dice),
		.instance = text_of(instance),
		.events_max = events_max,
		.series_max = series_max});
}

void start(void)
{
	struct net_target target = {.name = "test",
		.host = {"127.0.0.1", 9},
		.port = 8080,
		.path_prefix = {"", 0},
		.connections = 8,
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

	recorder = bed_recorder();
	TEST_ASSERT_TRUE(before - arena_left(&arena) <=
		recorder_size(events_max, series_max) + api_client_size(8));
	town.processes[0].net = net;
	recorder_start(recorder);
}

void bed_init(void)
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
	instance = "edge-1";
	events_max = EVENTS_MAX;
	series_max = SERIES_MAX;
	recorder = NULL;
}

void bed_free(void)
{
	if (recorder != NULL) {
		recorder_close(recorder);
		api_client_close(api);
		net_client_close(client);
		net_close(net);
		free(memory);
	}
	town_free(&town);
}

struct recorder_event event_of(const char *pod, const char *version, const char *reason)
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

bool say_of(const char *pod, const char *version, const char *reason)
{
	struct recorder_event event = event_of(pod, version, reason);

	return recorder_record(recorder, &event);
}

bool say_numbered(uint32_t i)
{
	char pod[32];

	snprintf(pod, sizeof(pod), "pod-%u", (unsigned)i);
	struct recorder_event event = event_of(pod, "1", "Scheduled");

	event.note = text_of(pod);
	return recorder_record(recorder, &event);
}

bool last_has(const char *part)
{
	return strstr(server.last, part) != NULL;
}

struct recorder_stats stats(void)
{
	return recorder_stats(recorder);
}

struct text last_member(const char *key)
{
	return member(text_of(server.last), key);
}
