/* SPDX-License-Identifier: GPL-2.0-only */
/* A handler, and clients by hand. */
#include "http/server_talk.h"

#include <stdlib.h>
#include <string.h>

#include "unity.h"

enum { MEMORY = 4 << 20 };

struct loopback talk_loopback;
struct arena talk_arena;
static void *memory;
struct net *talk_net;
struct net_server *talk_server;
struct net_server_setup talk_setup;

/* ---- the handler ---- */

struct work talk_works[64];
uint32_t talk_requests, talk_complete, talk_cut;
uint32_t talk_patience;
struct net_exchange *talk_later; /* of /later, until it is answered or done */

static void on_done(struct net_exchange *e, bool complete)
{
	struct work *work = &talk_works[e->index];

	TEST_ASSERT_EQUAL_PTR(e, work->exchange);
	work->exchange = NULL;
	if (talk_later == e)
		talk_later = NULL;
	if (complete)
		talk_complete++;
	else
		talk_cut++;
}

static void produce(struct net_exchange *e)
{
	struct work *work = &talk_works[e->index];
	char part[700];

	memset(part, 'x', sizeof(part));
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
	write_format(&w, "method=%d path=%.*s query=%.*s body=%.*s size=%d head=%s", (int)e->method,
		TEXT_ARGS(e->path), TEXT_ARGS(e->query), TEXT_ARGS(e->body), (int)e->body_size,
		e->on_body == NULL ? "no" : "yes");
	net_exchange_reply(e, &(struct net_head){.status = 200, .content_type = "text/plain"},
		writer_text(&w));
}

/* Answers that are not right; the server must not pass them on as if they were. */
static bool misbehave(struct net_exchange *e)
{
	struct net_head head = {.status = 200, .size = 10};

	if (text_is_z(e->path, "/short") || text_is_z(e->path, "/long")) {
		net_exchange_begin(e, &head);
		(void)net_exchange_write(e, TEXT("five "));
		if (text_is_z(e->path, "/long"))
			(void)net_exchange_write(e, TEXT("and more than that"));
		net_exchange_finish(e);
	} else if (text_is_z(e->path, "/split")) {
		head.headers = TEXT("X-A: b\r\n\r\nGET / HTTP/1.1\r\n");
		net_exchange_reply(e, &head, TEXT("body"));
	} else if (text_is_z(e->path, "/huge-head")) {
		static char lines[8192];
		memset(lines, 'h', sizeof(lines));
		memcpy(lines, "X: ", 3);
		memcpy(lines + sizeof(lines) - 2, "\r\n", 2);
		head.headers = (struct text){lines, sizeof(lines)};
		net_exchange_reply(e, &head, TEXT("body"));
	} else if (text_is_z(e->path, "/abort")) {
		net_exchange_begin(e, &head);
		(void)net_exchange_write(e, TEXT("five "));
		net_exchange_abort(e);
	} else {
		return false;
	}
	return true;
}

char talk_lent[TALK_LENT];

static bool answer_small(struct net_exchange *e)
{
	struct net_head head = {.status = 200};

	if (text_is_z(e->path, "/hello")) {
		net_exchange_reply(e, &head, TEXT("hello"));
	} else if (text_is_z(e->path, "/lent")) {
		memset(talk_lent, 'l', sizeof(talk_lent));
		net_exchange_reply(e, &head, (struct text){talk_lent, sizeof(talk_lent)});
	} else if (text_is_z(e->path, "/headers")) {
		head.headers = TEXT("ETag: \"a\"\r\nCache-Control: no-cache\r\n");
		net_exchange_reply(e, &head, net_exchange_header(e, "x-name", 1));
	} else if (text_is_z(e->path, "/204")) {
		head.status = 204;
		net_exchange_reply(e, &head, TEXT("swallowed"));
	} else if (text_is_z(e->path, "/304")) {
		head.status = 304;
		net_exchange_reply(e, &head, TEXT("swallowed"));
	} else if (text_is_z(e->path, "/wake")) {
		TEST_ASSERT_NOT_NULL(talk_later);
		net_exchange_reply(talk_later, &head, TEXT("woken"));
		net_exchange_reply(e, &head, TEXT("waker"));
	} else {
		return false;
	}
	return true;
}

static uint64_t number_behind(struct text path, const char *start)
{
	uint64_t number = 0;

	TEST_ASSERT_TRUE(text_to_u64(text_from(path, strlen(start)), &number));
	return number;
}

static void on_request(struct net_exchange *e)
{
	struct work *work = &talk_works[e->index];

	talk_requests++;
	TEST_ASSERT_EQUAL_PTR(&talk_setup, e->self);
	TEST_ASSERT_TRUE(work->exchange == NULL || work->exchange == e);
	*work = (struct work){.exchange = e};
	e->on_done = on_done;
	if (misbehave(e) || answer_small(e))
		return;
	if (text_starts(e->path, TEXT("/size/"))) {
		work->left = number_behind(e->path, "/size/");
		e->on_room = produce;
		net_exchange_begin(e, &(struct net_head){.status = 200, .size = work->left});
	} else if (text_starts(e->path, TEXT("/chunked/"))) {
		work->left = number_behind(e->path, "/chunked/");
		e->on_room = produce;
		net_exchange_begin(e, &(struct net_head){.status = 200, .size = NET_SIZE_UNKNOWN});
	} else if (text_is_z(e->path, "/later")) {
		talk_later = e;
	} else if (text_is_z(e->path, "/events")) {
		talk_later = e;
		net_exchange_begin(e, &(struct net_head){.status = 200, .size = NET_SIZE_UNKNOWN});
	} else {
		echo(e);
	}
}

size_t talk_slices;

static void on_slice(struct net_exchange *e, struct text bytes)
{
	(void)e;
	TEST_ASSERT_GREATER_THAN_size_t(0, bytes.size);
	talk_slices += bytes.size;
	if (text_is_z(e->path, "/enough") && talk_slices > 100)
		net_exchange_reply(e, &(struct net_head){.status = 409}, TEXT("enough"));
}

void talk_on_head(struct net_exchange *e)
{
	talk_works[e->index] = (struct work){.exchange = e};
	e->on_done = on_done;
	talk_slices = 0;
	if (text_is_z(e->path, "/early"))
		net_exchange_reply(e, &(struct net_head){.status = 404}, TEXT("not here"));
	if (text_is_z(e->path, "/slices") || text_is_z(e->path, "/enough"))
		e->on_body = on_slice;
}

/* ---- the bed ---- */

/* The date stands still, for answers to be compared. */
static struct wall one_day(void *self)
{
	(void)self;
	return (struct wall){INT64_C(1790000000) * CLOCK_S_US};
}

void talk_init(void)
{
	static struct random random;

	memory = calloc(1, MEMORY);
	arena_init(&talk_arena, memory, MEMORY);
	loopback_init(&talk_loopback);
	random_init(&random, 1);
	memset(talk_works, 0, sizeof(talk_works));
	talk_requests = talk_complete = talk_cut = 0;
	talk_patience = 20;
	talk_later = NULL;
	talk_setup = (struct net_server_setup){.name = "test",
		.connections_max = 4,
		.body_room = 1024,
		.on_request = on_request,
		.self = &talk_setup};
	TEST_ASSERT_TRUE(net_address_parse(TEXT("0.0.0.0"), TALK_PORT, &talk_setup.address));
	struct clock clock = loopback_clock(&talk_loopback);
	clock.wall = one_day;
	talk_net = net_init(&(struct net_setup){.arena = &talk_arena,
		.clock = clock,
		.entropy = entropy_seeded(&random),
		.bytes = loopback_bytes(&talk_loopback)});
}

void talk_serve(void)
{
	struct writer fault;
	char line[128];
	size_t before = arena_left(&talk_arena);

	writer_init(&fault, line, sizeof(line));
	talk_server = net_server_open(talk_net, &talk_arena, &talk_setup, &fault);
	TEST_ASSERT_NOT_NULL(talk_server);
	TEST_ASSERT_LESS_OR_EQUAL_size_t(
		net_server_size(&talk_setup), before - arena_left(&talk_arena));
}

void talk_close(void)
{
	if (talk_server != NULL)
		net_server_close(talk_server);
	talk_server = NULL;
	net_close(talk_net);
	free(memory);
}

void talk_turn(uint32_t turns)
{
	while (turns-- > 0)
		net_poll(talk_net, 1000);
}

/* ---- a client by hand ---- */

struct client talk_clients[TALK_CLIENTS];

void talk_hang_up(struct client *client)
{
	net_bytes(talk_net)->close(net_bytes(talk_net)->self, client->stream);
	client->stream = 0;
}

void talk_dial(struct client *client)
{
	struct net_address address;

	TEST_ASSERT_TRUE(net_address_parse(TEXT("127.0.0.1"), TALK_PORT, &address));
	client->stream =
		net_bytes(talk_net)->open(net_bytes(talk_net)->self, NET_STREAM_TCP, &address);
	client->heard_size = 0;
	client->heard[0] = '\0';
	talk_turn(1);
}

void talk_hear(struct client *client)
{
	struct text part = net_bytes(talk_net)->received(net_bytes(talk_net)->self, client->stream);

	TEST_ASSERT_LESS_THAN_size_t(sizeof(client->heard) - 1 - client->heard_size, part.size);
	memcpy(client->heard + client->heard_size, part.at, part.size);
	client->heard_size += part.size;
	client->heard[client->heard_size] = '\0';
	net_bytes(talk_net)->drop(net_bytes(talk_net)->self, client->stream, part.size);
}

void talk_say(struct client *client, const char *bytes)
{
	struct text rest = text_of(bytes);

	while (rest.size > 0) {
		size_t sent = net_bytes(talk_net)->send(
			net_bytes(talk_net)->self, client->stream, rest.at, rest.size);
		rest = text_from(rest, sent);
		if (sent == 0) {
			talk_turn(1);
			talk_hear(client);
		}
		if (net_bytes(talk_net)->state(net_bytes(talk_net)->self, client->stream) !=
			NET_STREAM_OPEN)
			return;
	}
}

/* Until nothing comes for so many turns. */
void talk_listen(struct client *client)
{
	for (uint32_t quiet = 0; quiet < talk_patience; quiet++) {
		size_t before = client->heard_size;

		talk_turn(1);
		talk_hear(client);
		if (client->heard_size > before)
			quiet = 0;
	}
}

bool talk_has_ended(const struct client *client)
{
	return net_bytes(talk_net)->state(net_bytes(talk_net)->self, client->stream) !=
		NET_STREAM_OPEN;
}

void talk_expect(const struct client *client, const char *part)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(client->heard, part), client->heard);
}

void talk_ask(struct client *client, const char *bytes)
{
	client->heard_size = 0;
	client->heard[0] = '\0';
	talk_say(client, bytes);
	talk_listen(client);
}
