/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of a hostile client. Byte 0 chooses; then the number of slices' sizes, the sizes, the
 * bytes.
 *
 * The reader of heads: in slices, byte by byte and in one go the same must come out. The server as
 * a whole, on a network inside the process: whatever comes, every exchange ends once, nothing is
 * left when the client has gone, and the loop comes to rest.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tests/net/loopback.c
// deps: tests/fuzz/fuzz.c
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "net/loopback.h"
#include "net/net_private.h"
#include "http/server.h"
#include "http/server_request_private.h"

enum { INPUT_MAX = 1 << 16, HEAD_MAX = 512, MEMORY = 1 << 20, TURNS_MAX = 400, PORT = 80 };

/* ---- the reader ---- */

struct run {
	enum server_request_step step;
	size_t taken;
	struct server_request request;
};

static void read_sliced(
	struct run *run, struct text bytes, const uint8_t *sizes, size_t count, char *room)
{
	memset(run, 0, sizeof(*run));
	server_request_start(&run->request, room, HEAD_MAX);
	for (size_t at = 0, i = 0; at < bytes.size && run->step == SERVER_REQUEST_NEED_MORE; i++) {
		size_t size = count == 0 ? bytes.size : sizes[i % count];

		size = size == 0 ? 1 : size;
		size = size > bytes.size - at ? bytes.size - at : size;
		/* a copy of its own: reading behind the slice is seen */
		char *copy = malloc(size);
		memcpy(copy, bytes.at + at, size);
		struct text rest = {copy, size};
		run->step = server_request_feed(&run->request, &rest);
		CHECK(run->step != SERVER_REQUEST_NEED_MORE || rest.size == 0);
		run->taken += size - rest.size;
		free(copy);
		at += size;
	}
}

static void fuzz_reader(struct text bytes, const uint8_t *sizes, size_t count)
{
	char *room = malloc(HEAD_MAX), *other_room = malloc(HEAD_MAX);
	static struct run whole, sliced;

	read_sliced(&whole, bytes, NULL, 0, room);
	read_sliced(&sliced, bytes, sizes, count, other_room);
	CHECK(whole.step == sliced.step);
	CHECK(whole.taken == sliced.taken);
	CHECK(whole.taken <= HEAD_MAX + 1);
	CHECK(whole.request.fault == sliced.request.fault);
	CHECK(whole.request.status == sliced.request.status);
	CHECK(whole.request.headers.used == sliced.request.headers.used);
	CHECK(memcmp(room, other_room, whole.request.headers.used) == 0);
	CHECK((whole.step == SERVER_REQUEST_REFUSED) == (whole.request.fault != NULL));
	if (whole.step == SERVER_REQUEST_DONE) {
		CHECK(text_is(whole.request.path, sliced.request.path));
		CHECK(whole.request.path.at[0] == '/');
		CHECK(!whole.request.framing.chunked || !whole.request.framing.sized);
		CHECK(whole.request.http_1_0 ||
			server_request_header(&whole.request, "host", 0).at != NULL);
		CHECK(server_request_header(&whole.request, "host", 1).at == NULL);
	}
	free(room);
	free(other_room);
}

/* ---- the server ---- */

static struct loopback loopback;
static uint64_t left[4];
static uint32_t handed, done;

static void on_done(struct net_exchange *e, bool complete)
{
	(void)complete;
	CHECK(e->user == &handed);
	e->user = NULL;
	done++;
}

static void on_room(struct net_exchange *e)
{
	while (left[e->index] > 0) {
		size_t size = left[e->index] < 100 ? (size_t)left[e->index] : 100;
		size_t taken = net_exchange_write(e, (struct text){(const char *)&loopback, size});

		CHECK(taken <= size);
		left[e->index] -= taken;
		if (taken < size)
			return;
	}
	net_exchange_finish(e);
}

static void on_body(struct net_exchange *e, struct text bytes)
{
	CHECK(bytes.size > 0);
	CHECK(e->body_size >= bytes.size);
}

static void on_head(struct net_exchange *e)
{
	CHECK(e->user == NULL);
	e->user = &handed;
	e->on_done = on_done;
	handed++;
	if (text_starts(e->path, TEXT("/s")))
		e->on_body = on_body;
	if (text_starts(e->path, TEXT("/h")))
		net_exchange_reply(e, &(struct net_head){.status = 404}, e->path);
	if (text_starts(e->path, TEXT("/a")))
		net_exchange_abort(e);
}

static void on_request(struct net_exchange *e)
{
	CHECK(e->user == &handed);
	CHECK(e->body.size <= e->body_size);
	left[e->index] = e->path.size * 300;
	if (text_starts(e->path, TEXT("/c"))) {
		e->on_room = on_room;
		net_exchange_begin(e, &(struct net_head){.status = 200, .size = NET_SIZE_UNKNOWN});
	} else if (text_starts(e->path, TEXT("/l"))) {
		e->on_room = on_room;
		net_exchange_begin(e, &(struct net_head){.status = 200, .size = left[e->index]});
	} else {
		net_exchange_reply(e, &(struct net_head){.status = 200}, e->body);
	}
}

static void talk(struct net *net, struct text bytes, const uint8_t *sizes, size_t count)
{
	const struct net_bytes *b = &net->bytes;
	struct net_address address;
	uint32_t turns = 0;

	CHECK(net_address_parse(TEXT("10.0.0.1"), PORT, &address));
	uint32_t stream = b->open(b->self, NET_STREAM_TCP, &address);
	net_poll(net, 0);
	for (size_t i = 0; bytes.size > 0 && turns < TURNS_MAX; i++, turns++) {
		size_t size = count == 0 ? bytes.size : sizes[i % count];

		size = size > bytes.size ? bytes.size : size;
		bytes = text_from(bytes, b->send(b->self, stream, bytes.at, size));
		net_poll(net, 10);
		b->drop(b->self, stream, b->received(b->self, stream).size);
		if (b->state(b->self, stream) != NET_STREAM_OPEN)
			break;
	}
	for (uint32_t i = 0; i < 50; i++) {
		net_poll(net, 10);
		b->drop(b->self, stream, b->received(b->self, stream).size);
	}
	b->close(b->self, stream);
}

static void fuzz_server(struct text bytes, const uint8_t *sizes, size_t count)
{
	static uint8_t memory[MEMORY];
	struct random random;
	struct arena arena;
	struct writer fault;
	char line[64];
	struct net_server_setup setup = {.name = "fuzz",
		.connections_max = 2,
		.head_max = HEAD_MAX,
		.body_room = 64,
		.body_max = 2000,
		.answer_room = 2048,
		.on_head = on_head,
		.on_request = on_request};

	arena_init(&arena, memory, sizeof(memory));
	loopback_init(&loopback);
	loopback.slice = count > 0 ? sizes[0] : 0;
	loopback.pipe_room = count > 1 ? 1 + sizes[1] : 0;
	random_init(&random, 1);
	handed = done = 0;
	writer_init(&fault, line, sizeof(line));
	setup.address.port = PORT;
	struct net *net = net_init(&(struct net_setup){.arena = &arena,
		.clock = loopback_clock(&loopback),
		.entropy = entropy_seeded(&random),
		.bytes = loopback_bytes(&loopback)});
	struct net_server *server = net_server_open(net, &arena, &setup, &fault);
	CHECK(server != NULL);
	talk(net, bytes, sizes, count);
	/* what is still on its way comes at once */
	loopback.slice = 0;
	for (uint32_t i = 0; i < 10; i++)
		net_poll(net, 10);
	CHECK(net_server_stats(server).open == 0);
	CHECK(net_server_stats(server).busy == 0);
	CHECK(handed == done);
	net_server_close(server);
	net_close(net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = size < 2 ? 0 : data[1] % 8u;

	if (size < 2 + count || size > INPUT_MAX)
		return 0;
	struct text bytes = {(const char *)data + 2 + count, size - 2 - count};
	if (data[0] % 2 == 0)
		fuzz_reader(bytes, data + 2, count);
	else
		fuzz_server(bytes, data + 2, count);
	return 0;
}
