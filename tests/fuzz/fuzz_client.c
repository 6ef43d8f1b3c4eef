/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client against a server that answers with any bytes. Byte 0 chooses how it ends, byte 1 how
 * many bytes arrive at a time; the rest is what comes for the first request, and once more for the
 * second.
 *
 * Whatever comes: each request ends once, with what on_body was given; no stream is left; and in
 * slices and in one go the same comes out of the first.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tools/apisim/fake_server.c tools/apisim/network.c
// deps: tests/fuzz/fuzz.c
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "http/http.h"
#include "apisim/fake_server.h"

enum { INPUT_MAX = 1 << 14, MEMORY = 1 << 18, REQUESTS = 2, TURNS_MAX = 2000, BODY_MAX = 4096 };

struct talk {
	struct text bytes;
	uint8_t choice;
	struct fake_server wire;
	struct net_request requests[REQUESTS];
	uint32_t done[REQUESTS];
	size_t body_size[REQUESTS];
	char body[REQUESTS][INPUT_MAX];
};

static struct talk whole, sliced;
static struct talk *current;
static _Alignas(16) uint8_t memory[MEMORY];

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	size_t i = (size_t)(request - current->requests);

	CHECK(current->done[i] == 0);
	CHECK(bytes.size > 0 && bytes.size <= INPUT_MAX - current->body_size[i]);
	memcpy(current->body[i] + current->body_size[i], bytes.at, bytes.size);
	current->body_size[i] += bytes.size;
	return NET_MORE;
}

static void on_done(struct net_request *request)
{
	size_t i = (size_t)(request - current->requests);

	CHECK(++current->done[i] == 1);
	CHECK(request->answer.body_size == current->body_size[i]);
	CHECK(request->answer.body_size <= BODY_MAX);
	CHECK((request->answer.result == NET_OK) == (request->answer.detail[0] == '\0'));
	CHECK(request->answer.result != NET_OK || request->answer.status >= 200);
	CHECK(request->answer.sent || request->answer.status == 0);
}

static void answer(void *self, struct fake_server *wire, const struct fake_request *request)
{
	struct talk *t = self;

	CHECK(text_is(request->path, TEXT("/a")) || text_is(request->path, TEXT("/b")));
	fake_server_send(wire, request->stream, t->bytes);
	if ((t->choice & 1) != 0)
		fake_server_end(wire, request->stream);
	if ((t->choice & 2) != 0)
		fake_server_cut(wire, request->stream);
}

static void ask(struct talk *t, struct net_client *client, uint32_t i)
{
	t->requests[i] = (struct net_request){.class = i == 0 ? NET_READ : NET_BIND,
		.method = NET_GET,
		.path = i == 0 ? TEXT("/a") : TEXT("/b"),
		.timeout_ms = 5000,
		.idle_timeout_ms = (t->choice & 8) != 0 ? 1000 : 0,
		.body_max = BODY_MAX,
		.on_body = on_body,
		.on_done = on_done};
	net_send(client, &t->requests[i]);
}

static void talk(struct talk *t, struct text bytes, uint8_t choice, size_t slice)
{
	struct random random;
	struct arena arena;
	struct writer fault;
	char line[128];

	current = t;
	memset(t->done, 0, sizeof(t->done));
	memset(t->body_size, 0, sizeof(t->body_size));
	t->bytes = bytes;
	t->choice = choice;
	fake_server_init(&t->wire);
	t->wire.slice = slice;
	t->wire.answer = answer;
	t->wire.self = t;
	random_init(&random, 1);
	arena_init(&arena, memory, sizeof(memory));
	writer_init(&fault, line, sizeof(line));
	struct net *net = net_init(&(struct net_setup){.arena = &arena,
		.clock = fake_server_clock(&t->wire),
		.entropy = entropy_seeded(&random),
		.bytes = fake_server_bytes(&t->wire)});
	struct net_client *client = net_client_open(net, &arena,
		&(struct net_target){.name = "fuzz",
			.host = TEXT("10.0.0.1"),
			.port = 80,
			.connections = 2,
			.watch_connections = 1},
		&fault);
	CHECK(client != NULL);
	for (uint32_t i = 0; i < REQUESTS; i++) {
		ask(t, client, i);
		for (uint32_t turns = 0; t->done[i] == 0; turns++) {
			CHECK(turns < TURNS_MAX + 2 * bytes.size);
			net_poll(net, -1);
		}
	}
	net_client_close(client);
	net_close(net);
	CHECK(fake_server_connections(&t->wire) == 0);
	fake_server_free(&t->wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2 || size > INPUT_MAX)
		return 0;
	struct text bytes = {(const char *)data + 2, size - 2};
	talk(&whole, bytes, data[0], 0);
	/* a cut takes away what was not read yet, so what had arrived depends on the slices */
	if ((data[0] & 2) != 0)
		return 0;
	talk(&sliced, bytes, data[0], (size_t)data[1] + 1);
	/* what comes behind the first answer may be taken for the second, or not: that is HTTP */
	const struct net_answer *a = &whole.requests[0].answer;
	const struct net_answer *b = &sliced.requests[0].answer;
	CHECK(a->result == b->result);
	CHECK(a->status == b->status);
	CHECK(a->retry_after_ms == b->retry_after_ms);
	CHECK(whole.body_size[0] == sliced.body_size[0]);
	CHECK(memcmp(whole.body[0], sliced.body[0], whole.body_size[0]) == 0);
	return 0;
}
