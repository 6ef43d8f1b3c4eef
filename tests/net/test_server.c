/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server on a network inside the process, byte by byte: what is asked, what is answered, what
 * is refused, and who waits for whom.
 */
// deps: net/*.c base/*.c tests/net/loopback.c
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/loopback.h"
#include "net/server.h"
#include "net/server_private.h"

enum { MEMORY = 4 << 20, HEARD_MAX = 64 * 1024, PORT = 8080 };

static struct loopback loopback;
static struct arena arena;
static void *memory;
static struct net *net;
static struct net_server *server;
static struct net_server_setup setup;

/* ---- the handler ---- */

struct work {
	struct net_exchange *exchange; /* under way */
	uint64_t left, produced;
	uint32_t rooms;
};
static struct work works[64];
static uint32_t requests, done_complete, done_cut;
static struct net_exchange *later; /* of /later, until it is answered or done */

static void on_done(struct net_exchange *e, bool complete)
{
	struct work *work = &works[e->index];

	TEST_ASSERT_EQUAL_PTR(e, work->exchange);
	work->exchange = NULL;
	if (later == e)
		later = NULL;
	if (complete)
		done_complete++;
	else
		done_cut++;
}

static void produce(struct net_exchange *e)
{
	struct work *work = &works[e->index];
	char part[700];

	memset(part, 'x', sizeof(part));
	work->rooms++;
	while (work->left > 0) {
		size_t size = work->left < sizeof(part) ? (size_t)work->left : sizeof(part);
		size_t taken = net_exchange_write(e, (struct text){part, size});

		work->left -= taken;
		work->produced += taken;
		if (taken < size)
			return;
	}
	net_exchange_finish(e);
}

static void echo(struct net_exchange *e)
{
	static char answer[2048];
	struct writer w;

	writer_init(&w, answer, sizeof(answer));
	write_format(&w, "method=%d path=%.*s query=%.*s body=%.*s size=%d", (int)e->method,
		TEXT_ARGS(e->path), TEXT_ARGS(e->query), TEXT_ARGS(e->body), (int)e->body_size);
	net_exchange_reply(e, &(struct net_head){.status = 200, .content_type = "text/plain"},
		writer_text(&w));
}

static uint64_t number_behind(struct text path, const char *start)
{
	uint64_t number = 0;

	TEST_ASSERT_TRUE(text_to_u64(text_from(path, strlen(start)), &number));
	return number;
}

static void on_request(struct net_exchange *e)
{
	struct work *work = &works[e->index];

	requests++;
	TEST_ASSERT_EQUAL_PTR(&setup, e->self);
	TEST_ASSERT_TRUE(work->exchange == NULL || work->exchange == e);
	*work = (struct work){.exchange = e};
	e->on_done = on_done;
	if (text_is_z(e->path, "/hello")) {
		net_exchange_reply(e, &(struct net_head){.status = 200}, TEXT("hello"));
	} else if (text_starts(e->path, TEXT("/size/"))) {
		work->left = number_behind(e->path, "/size/");
		e->on_room = produce;
		net_exchange_begin(e, &(struct net_head){.status = 200, .size = work->left});
	} else if (text_starts(e->path, TEXT("/chunked/"))) {
		work->left = number_behind(e->path, "/chunked/");
		e->on_room = produce;
		net_exchange_begin(e, &(struct net_head){.status = 200, .size = NET_SIZE_UNKNOWN});
	} else if (text_is_z(e->path, "/later")) {
		later = e;
	} else {
		echo(e);
	}
}

/* ---- the bed ---- */

void setUp(void)
{
	static struct random random;

	memory = calloc(1, MEMORY);
	arena_init(&arena, memory, MEMORY);
	loopback_init(&loopback);
	random_init(&random, 1);
	memset(works, 0, sizeof(works));
	requests = done_complete = done_cut = 0;
	later = NULL;
	setup = (struct net_server_setup){.name = "test",
		.connections_max = 4,
		.body_room = 1024,
		.on_request = on_request,
		.self = &setup};
	TEST_ASSERT_TRUE(net_address_parse(TEXT("0.0.0.0"), PORT, &setup.address));
	net = net_init(&(struct net_setup){.arena = &arena,
		.clock = loopback_clock(&loopback),
		.entropy = entropy_seeded(&random),
		.bytes = loopback_bytes(&loopback)});
}

static void serve(void)
{
	struct writer fault;
	char line[128];
	size_t before = arena_left(&arena);

	writer_init(&fault, line, sizeof(line));
	server = net_server_open(net, &arena, &setup, &fault);
	TEST_ASSERT_NOT_NULL(server);
	TEST_ASSERT_LESS_OR_EQUAL_size_t(net_server_size(&setup), before - arena_left(&arena));
}

void tearDown(void)
{
	if (server != NULL)
		net_server_close(server);
	server = NULL;
	net_close(net);
	free(memory);
}

static void turn(uint32_t turns)
{
	while (turns-- > 0)
		net_poll(net, 1000);
}

/* ---- a client by hand ---- */

struct client {
	uint32_t stream;
	char heard[HEARD_MAX];
	size_t heard_size;
};
static struct client clients[64];

static void hang_up(struct client *client)
{
	net->bytes.close(net->bytes.self, client->stream);
	client->stream = 0;
}

static void dial(struct client *client)
{
	struct net_address address;

	TEST_ASSERT_TRUE(net_address_parse(TEXT("127.0.0.1"), PORT, &address));
	client->stream = net->bytes.open(net->bytes.self, NET_STREAM_TCP, &address);
	client->heard_size = 0;
	client->heard[0] = '\0';
	turn(1);
}

static void hear(struct client *client)
{
	struct text part = net->bytes.received(net->bytes.self, client->stream);

	TEST_ASSERT_LESS_THAN_size_t(sizeof(client->heard) - 1 - client->heard_size, part.size);
	memcpy(client->heard + client->heard_size, part.at, part.size);
	client->heard_size += part.size;
	client->heard[client->heard_size] = '\0';
	net->bytes.drop(net->bytes.self, client->stream, part.size);
}

static void say(struct client *client, const char *bytes)
{
	struct text rest = text_of(bytes);

	while (rest.size > 0) {
		size_t sent = net->bytes.send(net->bytes.self, client->stream, rest.at, rest.size);
		rest = text_from(rest, sent);
		if (sent == 0) {
			turn(1);
			hear(client);
		}
		if (net->bytes.state(net->bytes.self, client->stream) != NET_STREAM_OPEN)
			return;
	}
}

/* Until nothing comes for some turns. */
static void listen(struct client *client)
{
	for (uint32_t quiet = 0; quiet < 20; quiet++) {
		size_t before = client->heard_size;

		turn(1);
		hear(client);
		if (client->heard_size > before)
			quiet = 0;
	}
}

static bool has_ended(const struct client *client)
{
	return net->bytes.state(net->bytes.self, client->stream) != NET_STREAM_OPEN;
}

static void expect(const struct client *client, const char *part)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(client->heard, part), client->heard);
}

static void ask(struct client *client, const char *bytes)
{
	client->heard_size = 0;
	client->heard[0] = '\0';
	say(client, bytes);
	listen(client);
}

/* ---- tests ---- */

static void test_an_answer_and_another_one_on_the_same_connection(void)
{
	struct client *c = &clients[0];

	serve();
	dial(c);
	ask(c, "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
	TEST_ASSERT_EQUAL_STRING("HTTP/1.1 200 OK\r\nDate: Mon, 21 Sep 2026 14:13:20 GMT\r\n"
				 "Content-Length: 5\r\n\r\nhello",
		c->heard);
	ask(c, "POST /x/y?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
	expect(c, "method=1 path=/x/y query=a=b body=body size=4");
	TEST_ASSERT_FALSE(has_ended(c));
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(server).connections);
	TEST_ASSERT_EQUAL_UINT64(2, net_server_stats(server).requests);
	TEST_ASSERT_EQUAL_UINT32(2, done_complete);
	hang_up(c);
	turn(2);
	TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(server).open);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_an_answer_and_another_one_on_the_same_connection);
	return UNITY_END();
}
