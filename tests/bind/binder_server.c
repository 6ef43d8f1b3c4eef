/* SPDX-License-Identifier: GPL-2.0-only */
/* A small apiserver. */
#include "bind/binder_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

static const char pods_path[] = "/api/v1/namespaces/default/pods/";

/* ---- pods ---- */

struct server_pod *server_add(struct server *server, const char *name, const char *uid)
{
	struct server_pod *pod = &server->pods[server->pod_count++];

	TEST_ASSERT_TRUE(server->pod_count <= SERVER_PODS);
	*pod = (struct server_pod){.there = true};
	snprintf(pod->name, sizeof(pod->name), "%s", name);
	snprintf(pod->uid, sizeof(pod->uid), "%s", uid);
	return pod;
}

struct server_pod *server_find(struct server *server, const char *name)
{
	for (uint32_t i = 0; i < server->pod_count; i++)
		if (server->pods[i].there && strcmp(server->pods[i].name, name) == 0)
			return &server->pods[i];
	return NULL;
}

/* ---- answers ---- */

static int say(char *body, size_t size, int code, const char *reason, const char *format, ...)
	PRINTF_LIKE(5, 6);
static int say(char *body, size_t size, int code, const char *reason, const char *format, ...)
{
	char message[256];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	snprintf(body, size,
		"{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n"
		"  \"status\": \"%s\",\n  \"message\": \"%s\",\n  \"reason\": \"%s\",\n"
		"  \"code\": %d\n}\n",
		code < 300 ? "Success" : "Failure", message, reason, code);
	return code;
}

/* The string behind `key`; "" when it is not there. */
static void value_of(const char *text, const char *key, char *to, size_t size)
{
	const char *at = strstr(text, key);

	to[0] = '\0';
	if (at == NULL)
		return;
	at += strlen(key);
	snprintf(to, size, "%.*s", (int)strcspn(at, "\""), at);
}

static int bind(struct server *server, const char *name, const char *text, char *body, size_t size)
{
	char uid[SERVER_TEXT_MAX], node[SERVER_TEXT_MAX];
	struct server_pod *pod = server_find(server, name);

	value_of(text, "\"uid\":\"", uid, sizeof(uid));
	value_of(text, "\"target\":{\"kind\":\"Node\",\"name\":\"", node, sizeof(node));
	TEST_ASSERT_TRUE(node[0] != '\0');
	if (pod == NULL)
		return say(body, size, 404, "NotFound", "pods \\\"%s\\\" not found", name);
	pod->asked++;
	server->conflicts++;
	if (uid[0] != '\0' && strcmp(uid, pod->uid) != 0)
		return say(body, size, 409, "Conflict",
			"Precondition failed: UID in precondition: %s, UID in object meta: %s", uid,
			pod->uid);
	if (pod->deleting)
		return say(body, size, 409, "Conflict",
			"pod %s is being deleted, cannot be assigned to a host", name);
	if (pod->node[0] != '\0')
		return say(body, size, 409, "Conflict",
			"pod %s is already assigned to node \\\"%s\\\"", name, pod->node);
	if (pod->gated)
		return say(body, size, 409, "Conflict", "pod %s has non-empty gates", name);
	server->conflicts--;
	server->bound++;
	snprintf(pod->node, sizeof(pod->node), "%s", node);
	pod->late = server->late;
	if (server->changed != NULL)
		server->changed(server->self, pod);
	return say(body, size, 201, "", "%s", "");
}

static int read_pod(struct server *server, const char *name, char *body, size_t size)
{
	const struct server_pod *pod = server_find(server, name);

	if (pod == NULL)
		return say(body, size, 404, "NotFound", "pods \\\"%s\\\" not found", name);
	snprintf(body, size,
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
		"\"namespace\":"
		"\"default\",\"uid\":\"%s\",%s\"ownerReferences\":[{\"uid\":\"not-this\"}],"
		"\"managedFields\":[{\"fieldsV1\":{\"f:spec\":{\"f:nodeName\":{}}}}]},\"spec\":{"
		"\"containers\":[{\"name\":\"c\",\"env\":[{\"name\":\"nodeName\",\"value\":\"x\"}]}"
		"]"
		"%s%s%s},\"status\":{\"phase\":\"Pending\"}}\n",
		pod->name, pod->uid,
		pod->deleting ? "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"," : "",
		pod->node[0] != '\0' ? ",\"nodeName\":\"" : "", pod->node,
		pod->node[0] != '\0' ? "\"" : "");
	return 200;
}

/* An extender that binds by a client of its own. */
static int bind_for(struct server *server, const char *text, char *body, size_t size)
{
	char name[SERVER_TEXT_MAX], uid[SERVER_TEXT_MAX], node[SERVER_TEXT_MAX];
	char binding[3 * SERVER_TEXT_MAX + 64], said[1024];

	value_of(text, "\"PodName\":\"", name, sizeof(name));
	value_of(text, "\"PodUID\":\"", uid, sizeof(uid));
	value_of(text, "\"Node\":\"", node, sizeof(node));
	TEST_ASSERT_NOT_NULL(strstr(text, "\"PodNamespace\":\"default\""));
	snprintf(binding, sizeof(binding),
		"\"uid\":\"%s\",\"target\":{\"kind\":\"Node\",\"name\":\"%s\"}", uid, node);
	int status = bind(server, name, binding, said, sizeof(said));
	snprintf(body, size, "{\"Error\":\"%s\"}", status == 201 ? "" : "the apiserver said no");
	return 200;
}

/* Does what is asked for; the answer's body. */
static int carry_out(struct server *server, const char *request, char *body, size_t size)
{
	const char *path = strchr(request, ' ') + 1;
	char name[SERVER_TEXT_MAX];

	if (strncmp(path, "/x/bind ", 8) == 0)
		return bind_for(server, strstr(request, "\r\n\r\n") + 4, body, size);
	TEST_ASSERT_EQUAL_STRING_LEN(pods_path, path, sizeof(pods_path) - 1);
	path += sizeof(pods_path) - 1;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, "/ "), path);
	if (strncmp(request, "POST ", 5) != 0)
		return read_pod(server, name, body, size);
	TEST_ASSERT_EQUAL_STRING_LEN("/binding ", path + strlen(name), 9);
	return bind(server, name, strstr(request, "\r\n\r\n") + 4, body, size);
}

static void fulfil(struct server *server, struct server_pending *p)
{
	struct server_plan *plan = &p->plan;
	char body[2048] = "";
	bool heard = p->stream != 0 && server->streams[p->stream].turn == p->turn;
	bool saying = plan->way == SERVER_SAYS || plan->way == SERVER_LIES;
	int status = 0;

	server->under_way--;
	server->late = !heard;
	if (plan->way != SERVER_SAYS && plan->way != SERVER_SILENT && plan->way != SERVER_CUTS)
		status = carry_out(server, p->request, body, sizeof(body));
	if (!heard || plan->way == SERVER_SILENT || plan->way == SERVER_MUTE ||
		plan->way == SERVER_LATE)
		return;
	if (plan->way == SERVER_CUTS) {
		fake_server_cut(&server->wire, p->stream);
		return;
	}
	if (saying && plan->body != NULL)
		snprintf(body, sizeof(body), "%s", plan->body);
	fake_server_reply(&server->wire, p->stream, saying ? plan->status : status,
		saying && plan->headers != NULL ? plan->headers : "", text_of(body));
	bool cuts = plan->way == SERVER_CUTS_ANSWER || (saying && plan->bytes > 0);

	server->wire.streams[p->stream].cut_after = cuts ? (int64_t)plan->bytes : -1;
}

/* ---- requests ---- */

static struct server_plan next_plan(struct server *server, bool binding)
{
	if (server->plan_first < server->plan_end)
		return server->plans[server->plan_first++];
	if (server->choose != NULL)
		return server->choose(server->self, binding);
	return (struct server_plan){.way = SERVER_WORKS};
}

/* What is to happen to a request is known from its first byte on. */
static int64_t begins(void *self, struct fake_server *wire, uint32_t stream, char first)
{
	struct server *server = self;
	struct server_plan *plan = &server->streams[stream].plan;

	(void)wire;
	if (!server->streams[stream].planned)
		*plan = next_plan(server, first == 'P');
	server->streams[stream].planned = true;
	return plan->way == SERVER_CUTS_REQUEST ? (int64_t)plan->bytes : -1;
}

static void hear(void *self, struct fake_server *wire, const struct fake_request *request)
{
	struct server *server = self;
	uint32_t stream = request->stream;

	TEST_ASSERT_TRUE(server->pending_count < SERVER_PENDING);
	struct server_pending *p = &server->pending[server->pending_count++];

	*p = (struct server_pending){.stream = stream,
		.turn = server->streams[stream].turn,
		.plan = server->streams[stream].plan};
	snprintf(p->request, sizeof(p->request), "%.*s %.*s \r\n\r\n%.*s",
		TEXT_ARGS(request->method), TEXT_ARGS(request->path), TEXT_ARGS(request->body));
	if (text_is_z(request->method, "POST"))
		server->bindings++;
	else
		server->reads++;
	int64_t from_us = wire->network.now_us;

	if (server->one_by_one && server->free_us > from_us)
		from_us = server->free_us;
	p->due_us = from_us + server->latency_us;
	server->free_us = p->due_us;
	p->due_us += p->plan.delay_ms * CLOCK_MS_US;
	if (++server->under_way > server->under_way_max)
		server->under_way_max = server->under_way;
	server->streams[stream].planned = false;
}

static int64_t pump(void *self, struct fake_server *wire)
{
	struct server *server = self;
	int64_t next_us = INT64_MAX;

	for (uint32_t i = 0; i < server->pending_count;) {
		struct server_pending p = server->pending[i];

		if (p.due_us > wire->network.now_us) {
			next_us = p.due_us < next_us ? p.due_us : next_us;
			i++;
			continue;
		}
		server->pending_count--;
		memmove(&server->pending[i], &server->pending[i + 1],
			(server->pending_count - i) * sizeof(server->pending[0]));
		fulfil(server, &p);
	}
	return next_us;
}

static void closed(void *self, struct fake_server *wire, uint32_t stream)
{
	struct server *server = self;

	(void)wire;
	server->streams[stream].turn++;
	server->streams[stream].planned = false;
}

void server_init(struct server *server)
{
	memset(server, 0, sizeof(*server));
	fake_server_init(&server->wire);
	server->latency_us = 1000;
	server->wire.begins = begins;
	server->wire.answer = hear;
	server->wire.pump = pump;
	server->wire.closed = closed;
	server->wire.self = server;
}

void server_plan(struct server *server, struct server_plan plan)
{
	TEST_ASSERT_TRUE(server->plan_end < SERVER_PLANS);
	server->plans[server->plan_end++] = plan;
}
