/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reflector against an apiserver that says anything, and comes to its senses. Byte 0 chooses the
 * kind and how many bytes arrive at a time. The rest are answers, ended by 0xff: the first byte of
 * each is its status and how it ends, what follows the body.
 *
 * Whatever comes: the sink is told in order, what was lent is given back, and once the server
 * behaves the picture is what the server has, within hours of waiting.
 */
// deps: watch/*.c net/*.c tls/*.c http/*.c json/*.c
// deps: kube/*.c base/*.c tools/apisim/fake_server.c tools/apisim/network.c
// deps: tests/fuzz/fuzz.c
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "fuzz/fuzz.h"
#include "http/http.h"
#include "watch/watch.h"
#include "apisim/fake_server.h"

enum {
	INPUT_MAX = 1 << 14,
	ARENA_SIZE = 1 << 21,
	SCRATCH_SIZE = 1 << 18,
	ANSWERS_MAX = 12,
	BODY_MAX = 1024
};
#define HOUR INT64_C(3600000000)

static struct world {
	struct fake_server wire;
	struct arena arena;
	struct scratch scratch;
	struct net *net;
	struct net_client *client;
	struct watch *watch;
	enum kube_kind kind;
	struct text answers;
	uint32_t answered;
	uint64_t version; /* none that an input can have */
	/* what the sink knows */
	bool listing, synced;
	uint32_t objects;
	bool is_right; /* the last list was the one object that there is */
} world;
static _Alignas(16) uint8_t arena_block[ARENA_SIZE], scratch_block[SCRATCH_SIZE];

/* ---- the sink ---- */

static void on_list_begin(void *self, enum kube_kind kind)
{
	struct world *w = self;
	CHECK(kind == w->kind);
	w->listing = true;
	w->objects = 0;
	w->is_right = true;
}

static bool on_object(void *self, const struct watch_object *object, struct scratch *scratch)
{
	struct world *w = self;
	struct text version = json_text(json_path(object->value, "metadata.resourceVersion"));
	uint64_t number = 0;
	CHECK(object->kind == w->kind && object->api_version[0] != '\0');
	CHECK(object->type <= KUBE_WATCH_DELETED);
	CHECK(w->listing || w->synced);
	w->objects++;
	w->is_right = w->is_right && w->objects == 1 && text_to_u64(version, &number) &&
		number == w->version;
	return scratch_take(scratch, 100) != NULL && w->objects % 3 != 0;
}

static void on_too_big(void *self, const struct watch_too_big *object)
{
	struct world *w = self;
	CHECK(object->kind == w->kind);
	CHECK(w->listing || w->synced);
	w->is_right = false;
}

static void on_list_end(void *self, enum kube_kind kind)
{
	struct world *w = self;
	CHECK(kind == w->kind && w->listing);
	w->listing = false;
	w->synced = true;
	w->is_right = w->is_right && w->objects == 1;
}

static void on_synced(void *self)
{
	CHECK(((struct world *)self)->synced);
}

/* ---- the server ---- */

static void say_anything(struct world *w, uint32_t stream)
{
	static const int codes[] = {200, 200, 200, 200, 410, 404, 429, 500};
	struct text answer;
	(void)text_cut(&w->answers, (char)0xff, &answer);
	uint8_t choice = answer.size > 0 ? (uint8_t)answer.at[0] : 0;
	struct text body = answer.size > 0 ? text_from(answer, 1) : answer;
	const char *headers = (choice & 32) != 0 ? "Retry-After: 3\r\n" : "";
	int code = codes[choice & 7];
	if (code != 200) {
		fake_server_reply(&w->wire, stream, code, headers, body);
	} else {
		fake_server_open(&w->wire, stream);
		if (body.size > 0)
			fake_server_chunk(&w->wire, stream, body);
	}
	switch (choice >> 3 & 3) {
	case 0:
		if (code == 200)
			fake_server_finish(&w->wire, stream);
		break;
	case 1: fake_server_end(&w->wire, stream); break;
	case 2: fake_server_cut(&w->wire, stream); break;
	default: break; /* and is silent */
	}
}

/* Answers on a stream that is open, in the way that is asked for. */
static void behave(struct world *w, uint32_t stream, struct text path)
{
	char body[BODY_MAX], from[64];
	const char *plural = kube_kinds[w->kind].plural;
	unsigned long long version = w->version;
	snprintf(from, sizeof(from), "resourceVersion=%llu", version);
	if (text_contains(path, TEXT("watch=true"))) {
		fake_server_open(&w->wire, stream);
		if (text_contains(path, TEXT("sendInitialEvents=true")))
			snprintf(body, sizeof(body),
				"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\","
				"\"resourceVersion\":\"%llu\"}}}\n"
				"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{"
				"\"resourceVersion\":\"%llu\",\"annotations\":{"
				"\"k8s.io/initial-events-end\":\"true\"}}}}\n",
				version, version);
		else
			snprintf(body, sizeof(body), "%s",
				text_contains(path, text_of(from))
					? ""
					: "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\","
					  "\"status\":\"Failure\",\"reason\":\"Expired\","
					  "\"code\":410}}\n");
		if (body[0] != '\0')
			fake_server_chunk(&w->wire, stream, text_of(body));
		return;
	}
	if (text_contains(path, text_of(plural)))
		snprintf(body, sizeof(body),
			"{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"%llu\"},"
			"\"items\":[{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"%llu\"}}]}",
			version, version);
	else
		snprintf(body, sizeof(body),
			"{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"%s\"}]}", plural);
	fake_server_reply(&w->wire, stream, 200, "", text_of(body));
}

static void answer(void *self, struct fake_server *wire, const struct fake_request *request)
{
	struct world *w = self;
	CHECK(wire == &w->wire);
	if (w->answers.size > 0 && w->answered++ < ANSWERS_MAX)
		say_anything(w, request->stream);
	else
		behave(w, request->stream, request->path);
}

/* ---- one talk ---- */

static void start(struct world *w, size_t slice)
{
	static struct random random;
	char line[128];
	struct writer fault;
	fake_server_init(&w->wire);
	w->wire.slice = slice;
	w->wire.answer = answer;
	w->wire.self = w;
	random_init(&random, 1);
	arena_init(&w->arena, arena_block, sizeof(arena_block));
	scratch_init(&w->scratch, scratch_block, sizeof(scratch_block));
	writer_init(&fault, line, sizeof(line));
	w->net = net_init(&(struct net_setup){.arena = &w->arena,
		.clock = fake_server_clock(&w->wire),
		.entropy = entropy_seeded(&random),
		.bytes = fake_server_bytes(&w->wire)});
	w->client = net_client_open(w->net, &w->arena,
		&(struct net_target){.name = "fuzz",
			.host = TEXT("10.0.0.1"),
			.port = 80,
			.connections = 1,
			.watch_connections = 1},
		&fault);
	CHECK(w->client != NULL);
	w->watch = watch_init(&(struct watch_setup){.net = w->net,
		.client = w->client,
		.entropy = entropy_seeded(&random),
		.arena = &w->arena,
		.scratch = &w->scratch,
		.sink = {.list_begin = on_list_begin,
			.object = on_object,
			.too_big = on_too_big,
			.list_end = on_list_end,
			.synced = on_synced,
			.self = w},
		.kinds = WATCH_KIND(w->kind)});
	watch_want(w->watch, w->kind, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum kube_kind kinds[] = {KUBE_POD, KUBE_NODE, KUBE_PDB, KUBE_CSI_CAPACITY};
	struct world *w = &world;
	if (size < 1 || size > INPUT_MAX)
		return 0;
	log_to(-1);
	memset(w, 0, sizeof(*w));
	w->kind = kinds[data[0] & 3u];
	w->answers = text_from((struct text){(const char *)data, size}, 1);
	w->version = hash_bytes(data, size) | UINT64_C(1) << 62;
	start(w, data[0] >> 2);
	while (!(w->synced && w->is_right && !w->listing)) {
		CHECK(w->wire.network.now_us < 3 * HOUR);
		net_poll(w->net, -1);
		CHECK(w->scratch.used == 0);
	}
	struct watch_stats stats = watch_stats(w->watch, w->kind);
	CHECK(stats.synced && stats.lists > 0);
	watch_close(w->watch);
	net_client_close(w->client);
	net_close(w->net);
	fake_server_free(&w->wire);
	return 0;
}
