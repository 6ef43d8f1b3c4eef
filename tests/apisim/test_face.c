/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole of it in one process: berth's own client and watches, a network that delays and cuts,
 * the HTTP server, the API, and the life of a cluster behind it. When all has come to rest the
 * client's picture is the server's.
 */
// deps: base/*.c net/*.c tls/*.c http/*.c json/*.c kube/*.c watch/*.c tools/apisim/*.c
#include "apisim/face.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "apisim/life.h"
#include "apisim/network.h"
#include "base/budget.h"
#include "base/check.h"
#include "base/hash.h"
#include "watch/watch.h"

enum { MEMORY = 128 << 20, KEPT_MAX = 2000, KEY_MAX = 128, PORT = 6443, CONNECTIONS = 16 };

struct kept {
	char key[KEY_MAX];
	uint64_t version;
	bool seen;
};

struct world {
	struct arena arena;
	struct scratch scratch;
	struct network network;
	struct apisim *api;
	struct life *life;
	struct net *server_net, *net;
	struct network_host *server_host, *host;
	struct face *face;
	struct net_client *client;
	struct watch *watch;
	struct random random;
	struct {
		struct kept list[KEPT_MAX];
		uint32_t count;
	} kept[KUBE_KINDS];
	struct net_request request;
	char body[64 * 1024];
	size_t body_size;
	bool done;
};

enum { APISIM_SIZE = APISIM_MEMORY_MIN + (8 << 20) };

static void *memory, *apisim_memory;
static struct world *w;

void setUp(void)
{
	memory = malloc(MEMORY);
	apisim_memory = malloc(APISIM_SIZE);
	w = calloc(1, sizeof(*w));
}

void tearDown(void)
{
	if (w->watch != NULL)
		watch_close(w->watch);
	net_client_close(w->client);
	net_close(w->net);
	face_close(w->face);
	net_close(w->server_net);
	budget_reset();
	arena_init(&w->arena, memory, MEMORY);
	free(memory);
	arena_init(&w->arena, apisim_memory, APISIM_SIZE);
	free(apisim_memory);
	free(w);
}

/* ---- the picture ---- */

static struct kept *find(enum kube_kind kind, const char *key)
{
	for (uint32_t i = 0; i < w->kept[kind].count; i++)
		if (strcmp(w->kept[kind].list[i].key, key) == 0)
			return &w->kept[kind].list[i];
	return NULL;
}

static void drop(enum kube_kind kind, struct kept *kept)
{
	*kept = w->kept[kind].list[--w->kept[kind].count];
}

static void on_list_begin(void *self, enum kube_kind kind)
{
	(void)self;
	for (uint32_t i = 0; i < w->kept[kind].count; i++)
		w->kept[kind].list[i].seen = false;
}

static void on_list_end(void *self, enum kube_kind kind)
{
	(void)self;
	for (uint32_t i = w->kept[kind].count; i > 0; i--)
		if (!w->kept[kind].list[i - 1].seen)
			drop(kind, &w->kept[kind].list[i - 1]);
}

static bool on_object(void *self, const struct watch_object *object, struct scratch *scratch)
{
	struct text namespace = json_text(json_path(object->value, "metadata.namespace"));
	struct text version = json_text(json_path(object->value, "metadata.resourceVersion"));
	char key[KEY_MAX];

	(void)self;
	(void)scratch;
	snprintf(key, sizeof(key), "%.*s%s%.*s", TEXT_ARGS(namespace),
		namespace.size > 0 ? "/" : "",
		TEXT_ARGS(json_text(json_path(object->value, "metadata.name"))));
	struct kept *kept = find(object->kind, key);
	if (object->type == KUBE_WATCH_DELETED) {
		if (kept != NULL)
			drop(object->kind, kept);
		return true;
	}
	if (kept == NULL) {
		TEST_ASSERT_TRUE(w->kept[object->kind].count < KEPT_MAX);
		kept = &w->kept[object->kind].list[w->kept[object->kind].count++];
		strncpy(kept->key, key, sizeof(kept->key) - 1);
		kept->key[sizeof(kept->key) - 1] = '\0';
	}
	kept->seen = true;
	TEST_ASSERT_TRUE(text_to_u64(version, &kept->version));
	return true;
}

static void on_too_big(void *self, const struct watch_too_big *object)
{
	(void)self;
	(void)object;
	TEST_FAIL_MESSAGE("nothing here is big");
}

static void on_synced(void *self)
{
	(void)self;
}

static void compare(enum kube_kind kind, enum resource_number resource)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t expected = 0;

	for (uint32_t i = 0; i < registry_count(r, resource); i++) {
		const struct revision *state = registry_revision(r, registry_nth(r, resource, i));
		struct text phase = revision_phase(state);
		char key[KEY_MAX];

		if (resource == RESOURCE_PODS &&
			(text_is(phase, TEXT("Succeeded")) || text_is(phase, TEXT("Failed"))))
			continue;
		snprintf(key, sizeof(key), "%.*s", TEXT_ARGS(revision_key(state)));
		const struct kept *kept = find(kind, key);
		TEST_ASSERT_NOT_NULL_MESSAGE(kept, key);
		TEST_ASSERT_EQUAL_UINT64_MESSAGE(state->version, kept->version, key);
		expected++;
	}
	TEST_ASSERT_EQUAL_UINT32(expected, w->kept[kind].count);
}

/* ---- the world ---- */

static int64_t others(void *self)
{
	int64_t next = INT64_MAX;

	(void)self;
	if (w->life != NULL)
		next = life_turn(w->life).us;
	net_poll(w->server_net, 0);
	face_turn(w->face);
	return face_next(w->face).us < next ? face_next(w->face).us : next;
}

static void make_server(uint64_t seed, struct net_address address)
{
	struct face_setup setup = {
		.address = address, .connections_max = CONNECTIONS, .body_room = 64 * 1024};
	char line[200];
	struct writer fault;

	writer_init(&fault, line, sizeof(line) - 1);
	w->api = apisim_init(&(struct apisim_setup){.block = apisim_memory,
		.size = APISIM_SIZE,
		.clock = network_clock(&w->network),
		.seed = seed});
	w->server_host = network_host(&w->network, address, false);
	w->server_net = net_init(&(struct net_setup){.arena = &w->arena,
		.clock = network_clock(&w->network),
		.entropy = entropy_seeded(&w->random),
		.bytes = network_bytes(w->server_host)});
	w->face = face_open(w->api, w->server_net, &w->arena, &setup, &fault);
	line[fault.used] = '\0';
	TEST_ASSERT_NOT_NULL_MESSAGE(w->face, line);
}

static void make_client(struct net_address address)
{
	struct net_target target = {.name = "apiserver",
		.host = TEXT("10.0.0.1"),
		.port = PORT,
		.path_prefix = TEXT(""),
		.watch_connections = 4,
		.connections = 3};
	char line[200];
	struct writer fault;

	writer_init(&fault, line, sizeof(line));
	w->host = network_host(&w->network, address, true);
	w->net = net_init(&(struct net_setup){.arena = &w->arena,
		.clock = network_clock(&w->network),
		.entropy = entropy_seeded(&w->random),
		.bytes = network_bytes(w->host)});
	w->client = net_client_open(w->net, &w->arena, &target, &fault);
	TEST_ASSERT_NOT_NULL(w->client);
}

static void begin(uint64_t seed)
{
	struct net_address server, client;

	TEST_ASSERT_TRUE(net_address_parse(TEXT("10.0.0.1"), PORT, &server));
	TEST_ASSERT_TRUE(net_address_parse(TEXT("10.0.0.2"), 0, &client));
	arena_init(&w->arena, memory, MEMORY);
	random_init(&w->random, seed);
	network_init(&w->network, &w->arena, seed, INT64_C(1794996000) * CLOCK_S_US);
	w->network.others = others;
	make_server(seed, server);
	make_client(client);
	scratch_init(&w->scratch, arena_take(&w->arena, 1 << 20), 1 << 20);
}

static void run(int64_t ms)
{
	int64_t end = w->network.now_us + ms * CLOCK_MS_US;

	while (w->network.now_us < end)
		net_poll(w->net, end - w->network.now_us);
}

static void watch_all(void)
{
	uint32_t kinds = WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE) | WATCH_KIND(KUBE_PVC) |
		WATCH_KIND(KUBE_PDB);

	w->watch = watch_init(&(struct watch_setup){.net = w->net,
		.client = w->client,
		.entropy = entropy_seeded(&w->random),
		.arena = &w->arena,
		.scratch = &w->scratch,
		.sink = {.list_begin = on_list_begin,
			.object = on_object,
			.too_big = on_too_big,
			.list_end = on_list_end,
			.synced = on_synced},
		.kinds = kinds});
	for (uint32_t kind = 1; kind < KUBE_KINDS; kind++)
		if ((kinds & WATCH_KIND(kind)) != 0)
			watch_want(w->watch, kind, true);
}

static void begin_life(uint64_t seed)
{
	struct life_setup setup = {.api = w->api,
		.arena = &w->arena,
		.clock = network_clock(&w->network),
		.seed = seed,
		.nodes = 10,
		.pods = 80,
		.hurry = 8};

	w->life = life_init(&setup);
}

/* ---- tests ---- */

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	(void)request;
	TEST_ASSERT_TRUE(w->body_size + bytes.size < sizeof(w->body));
	memcpy(w->body + w->body_size, bytes.at, bytes.size);
	w->body_size += bytes.size;
	w->body[w->body_size] = '\0';
	return NET_MORE;
}

static void on_done(struct net_request *request)
{
	(void)request;
	w->done = true;
}

static int ask(enum net_method method, const char *path, const char *body)
{
	w->request = (struct net_request){.class = NET_READ,
		.method = method,
		.path = text_of(path),
		.body = body == NULL ? TEXT("") : text_of(body),
		.on_body = on_body,
		.on_done = on_done};
	w->done = false;
	w->body_size = 0;
	net_send(w->client, &w->request);
	for (int i = 0; i < 1000 && !w->done; i++)
		net_poll(w->net, 10 * CLOCK_MS_US);
	TEST_ASSERT_TRUE(w->done);
	TEST_ASSERT_EQUAL_INT_MESSAGE(NET_OK, w->request.answer.result, w->request.answer.detail);
	return w->request.answer.status;
}

static void requests_are_answered(void)
{
	begin(1);
	TEST_ASSERT_EQUAL_INT(200, ask(NET_GET, "/version", NULL));
	TEST_ASSERT_NOT_NULL(strstr(w->body, "v1.36.4"));
	TEST_ASSERT_EQUAL_INT(404, ask(NET_GET, "/api/v1/nodes/none", NULL));
	/* Longer than what is answered at once. */
	TEST_ASSERT_EQUAL_INT(200, ask(NET_GET, "/api/v1", NULL));
	TEST_ASSERT_TRUE(w->body_size > 1024);
	TEST_ASSERT_EQUAL_STRING("]}", w->body + w->body_size - 2);
	TEST_ASSERT_EQUAL_INT(201,
		ask(NET_POST, "/api/v1/nodes",
			"{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}"));
	TEST_ASSERT_EQUAL_INT(200, ask(NET_GET, "/api/v1/nodes?limit=500", NULL));
	TEST_ASSERT_NOT_NULL(strstr(w->body, "\"name\":\"n\""));
	apisim_throttle(w->api, 1, 1);
	TEST_ASSERT_EQUAL_INT(429, ask(NET_GET, "/api/v1/nodes?limit=500", NULL));
	TEST_ASSERT_EQUAL_INT64(1000, w->request.answer.retry_after_ms);
}

static void the_picture_is_the_servers(void)
{
	begin(2);
	begin_life(2);
	watch_all();
	run(5000);
	TEST_ASSERT_TRUE(watch_is_synced(w->watch, KUBE_POD));
	TEST_ASSERT_TRUE(watch_is_synced(w->watch, KUBE_PDB));
	run(20 * 60 * 1000);
	life_calm(w->life, true);
	run(5000);
	compare(KUBE_POD, RESOURCE_PODS);
	compare(KUBE_NODE, RESOURCE_NODES);
	TEST_ASSERT_TRUE(w->kept[KUBE_POD].count > 50);
	TEST_ASSERT_EQUAL_UINT64(0, apisim_counts(w->api)->violations);
}

static void and_so_it_is_behind_a_bad_network(void)
{
	begin(3);
	begin_life(3);
	apisim_streaming_lists(w->api, false);
	w->network.delay_us = 3000;
	w->network.jitter_us = 30000;
	w->network.slice = 1000;
	watch_all();
	for (int i = 0; i < 40; i++) {
		run(10 * 1000);
		network_cut_one(&w->network);
		if (i % 10 == 3)
			apisim_compact(w->api);
		if (i % 10 == 5)
			apisim_throttle(w->api, 3, 1);
		w->server_host->unreachable = i % 10 == 7;
		w->server_host->silent = i % 10 == 8;
	}
	w->server_host->unreachable = w->server_host->silent = false;
	run(400 * 1000);
	life_calm(w->life, true);
	run(5000);
	compare(KUBE_POD, RESOURCE_PODS);
	compare(KUBE_NODE, RESOURCE_NODES);
	TEST_ASSERT_TRUE(w->network.cuts > 20);
	TEST_ASSERT_TRUE(apisim_counts(w->api)->throttled > 0);
	TEST_ASSERT_EQUAL_UINT64(0, apisim_counts(w->api)->violations);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(requests_are_answered);
	RUN_TEST(the_picture_is_the_servers);
	RUN_TEST(and_so_it_is_behind_a_bad_network);
	return UNITY_END();
}
