/* SPDX-License-Identifier: GPL-2.0-only */
/* One loop, a server, clients. */
#include "http/server_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unity.h"

#include "base/memory.h"
#include "base/store.h"
#include "tls/tls.h"

enum { MEMORY = 16 << 20, STREAMS = 64, TLS_CONNECTIONS = 24 };

static void *memory;
static struct arena arena;
static struct net_bytes bytes;
struct net *bed_net;
struct net_server *bed_server;
struct net_server_setup bed_setup;
struct net_client *bed_clients[BED_CLIENTS];
struct net_target bed_targets[BED_CLIENTS];
struct tls_certificate bed_own, bed_other_own, bed_ca, bed_other_ca, bed_user, bed_stranger,
	bed_proxy;
char bed_fault[256];
int64_t bed_clock_ahead_us;

static const char *const localhost[] = {"localhost", "127.0.0.1", "::1", NULL};

/* ---- a clock that can be moved ---- */

static struct mono moved_mono(void *self)
{
	struct clock system = clock_system();

	(void)self;
	return (struct mono){clock_mono(&system).us + bed_clock_ahead_us};
}

static struct wall moved_wall(void *self)
{
	struct clock system = clock_system();

	(void)self;
	return clock_wall(&system);
}

/* ---- the handler ---- */

uint32_t bed_begun, bed_complete, bed_cut;
uint64_t bed_produced;
struct net_exchange *bed_stream;
char bed_big[BED_BIG];

static void on_done(struct net_exchange *e, bool complete)
{
	if (e == bed_stream)
		bed_stream = NULL;
	if (complete)
		bed_complete++;
	else
		bed_cut++;
}

static void stream_more(struct net_exchange *e)
{
	static const char event[] = "data: 0123456789012345678901234567890123456789\n\n";

	while (net_exchange_room(e) >= sizeof(event))
		bed_produced += net_exchange_write(e, (struct text){event, sizeof(event) - 1});
	net_exchange_want_room(e);
}

static void who(struct net_exchange *e)
{
	static const char *const proofs[] = {"none", "good", "bad"};
	char answer[1024];
	struct tls_client_names names;
	struct writer w;

	net_exchange_client(e, &names);
	writer_init(&w, answer, sizeof(answer));
	write_format(&w, "%s cn=%.*s", proofs[names.proof], TEXT_ARGS(names.common_name));
	for (uint32_t i = 0; i < names.organization_count; i++)
		write_format(&w, " o=%.*s", TEXT_ARGS(names.organizations[i]));
	write_format(&w, "%s%s", names.by_client_ca ? " by-client-ca" : "",
		names.by_proxy_ca ? " by-proxy-ca" : "");
	net_exchange_reply(e, &(struct net_head){.status = 200}, writer_text(&w));
}

static void on_request(struct net_exchange *e)
{
	bed_begun++;
	e->on_done = on_done;
	if (text_is_z(e->path, "/who")) {
		who(e);
	} else if (text_is_z(e->path, "/big")) {
		net_exchange_reply(e, &(struct net_head){.status = 200},
			(struct text){bed_big, sizeof(bed_big)});
	} else if (text_is_z(e->path, "/stream")) {
		bed_stream = e;
		e->on_room = stream_more;
		net_exchange_begin(e,
			&(struct net_head){.status = 200,
				.content_type = "text/event-stream",
				.size = NET_SIZE_UNKNOWN});
	} else if (text_is_z(e->path, "/body")) {
		net_exchange_reply(e, &(struct net_head){.status = 200}, e->body);
	} else {
		net_exchange_reply(e, &(struct net_head){.status = 200}, TEXT("fine"));
	}
}

/* ---- the bed ---- */

static void make_net(void)
{
	memory = calloc(1, MEMORY);
	arena_init(&arena, memory, MEMORY);
	bytes = net_socket_bytes(&arena, STREAMS);
	bed_net = net_init(&(struct net_setup){.arena = &arena,
		.clock = {.mono = moved_mono, .wall = moved_wall},
		.entropy = entropy_system(),
		.bytes = bytes});
	tls_setup(&arena, TLS_CONNECTIONS, entropy_system());
}

static void make_certificate(
	struct tls_certificate *made, const struct tls_certificate_request *wish)
{
	struct writer fault;

	writer_init(&fault, bed_fault, sizeof(bed_fault));
	TEST_ASSERT_TRUE_MESSAGE(tls_certificate_make(bed_net, wish, made, &fault), bed_fault);
}

static void make_certificates(void)
{
	static const char *const groups[] = {"system:masters", "o, with a comma", NULL};

	make_certificate(&bed_own,
		&(struct tls_certificate_request){
			.common_name = "berth", .names = localhost, .days = 365});
	make_certificate(&bed_other_own,
		&(struct tls_certificate_request){
			.common_name = "berth", .names = localhost, .days = 365});
	make_certificate(&bed_ca,
		&(struct tls_certificate_request){.common_name = "ca", .days = 10, .is_ca = true});
	make_certificate(&bed_other_ca,
		&(struct tls_certificate_request){
			.common_name = "other ca", .days = 10, .is_ca = true});
	make_certificate(&bed_user,
		&(struct tls_certificate_request){.common_name = "jane",
			.organizations = groups,
			.days = 1,
			.for_client = true,
			.issuer = &bed_ca});
	make_certificate(&bed_proxy,
		&(struct tls_certificate_request){.common_name = "front-proxy",
			.days = 1,
			.for_client = true,
			.issuer = &bed_other_ca});
	make_certificate(&bed_stranger,
		&(struct tls_certificate_request){
			.common_name = "jane", .days = 1, .for_client = true});
}

void bed_init(void)
{
	bed_clock_ahead_us = 0;
	bed_begun = bed_complete = bed_cut = 0;
	bed_produced = 0;
	bed_stream = NULL;
	memset(bed_big, 'b', sizeof(bed_big));
	make_net();
	if (bed_own.key[0] == '\0')
		make_certificates();
	bed_setup = (struct net_server_setup){.name = "test",
		.https = true,
		.certificate = text_of(bed_own.certificate),
		.key = text_of(bed_own.key),
		.connections_max = 8,
		.body_room = 64 * 1024,
		.on_request = on_request};
	TEST_ASSERT_TRUE(net_address_parse(TEXT("127.0.0.1"), 0, &bed_setup.address));
}

void bed_try_to_serve(void)
{
	struct writer fault;
	size_t before = arena_left(&arena);

	writer_init(&fault, bed_fault, sizeof(bed_fault) - 1);
	bed_server = net_server_open(bed_net, &arena, &bed_setup, &fault);
	bed_fault[fault.used] = '\0';
	TEST_ASSERT_LESS_OR_EQUAL_size_t(net_server_size(&bed_setup), before - arena_left(&arena));
}

void bed_serve(void)
{
	bed_try_to_serve();
	TEST_ASSERT_NOT_NULL_MESSAGE(bed_server, bed_fault);
	TEST_ASSERT_GREATER_THAN_UINT16(0, net_server_port(bed_server));
	for (uint32_t i = 0; i < BED_CLIENTS; i++)
		bed_targets[i] = (struct net_target){.name = "test",
			.https = bed_setup.https,
			.host = TEXT("127.0.0.1"),
			.port = net_server_port(bed_server),
			.path_prefix = TEXT(""),
			.ca = text_of(bed_own.certificate),
			.connections = 1};
}

void bed_close(void)
{
	uint32_t left;

	for (uint32_t i = 0; i < BED_CLIENTS; i++) {
		if (bed_clients[i] != NULL)
			net_client_close(bed_clients[i]);
		bed_clients[i] = NULL;
	}
	if (bed_server != NULL)
		net_server_close(bed_server);
	bed_server = NULL;
	left = store_audit(tls_fence());
	net_close(bed_net);
	tls_teardown();
	net_socket_close(&bytes);
	free(memory);
	/* All memory came back, but for what PSA keeps for the process. */
	TEST_ASSERT_LESS_OR_EQUAL_UINT32(1, left);
}

/* A turn allocates nothing outside of the fences: where malloc is ours, it would abort. */
void bed_turn(int64_t timeout_us)
{
	memory_seal();
	memory_seal_is_deadly(true);
	net_poll(bed_net, timeout_us);
	memory_unseal();
}

void bed_turns(uint32_t turns)
{
	while (turns-- > 0)
		bed_turn(1000);
}

/* ---- berth's client ---- */

enum net_flow bed_on_body(struct net_request *request, struct text part)
{
	struct asked *asked = (struct asked *)request;
	size_t room = sizeof(asked->body) - 1 -
		(asked->size < BED_BODY_MAX - 1 ? asked->size : BED_BODY_MAX - 1);
	size_t size = part.size < room ? part.size : room;

	if (size > 0)
		memcpy(asked->body + asked->size, part.at, size);
	asked->size += part.size;
	return NET_MORE;
}

static void on_answer(struct net_request *request)
{
	struct asked *asked = (struct asked *)request;

	asked->done++;
	asked->end = request->answer;
}

struct net_client *bed_client(uint32_t i)
{
	struct writer fault;

	if (bed_clients[i] != NULL)
		return bed_clients[i];
	writer_init(&fault, bed_fault, sizeof(bed_fault) - 1);
	bed_clients[i] = net_client_open(bed_net, &arena, &bed_targets[i], &fault);
	bed_fault[fault.used] = '\0';
	TEST_ASSERT_NOT_NULL_MESSAGE(bed_clients[i], bed_fault);
	return bed_clients[i];
}

void bed_start(uint32_t client, struct asked *asked, const char *path)
{
	memset(asked, 0, sizeof(*asked));
	asked->request.path = text_of(path);
	asked->request.on_body = bed_on_body;
	asked->request.on_done = on_answer;
	asked->request.timeout_ms = 20000;
	net_send(bed_client(client), &asked->request);
}

void bed_finish(struct asked *asked)
{
	struct clock system = clock_system();
	struct mono end = mono_after_ms(clock_mono(&system), 15000);

	while (asked->done == 0 && !mono_reached(clock_mono(&system), end))
		bed_turn(100000);
	TEST_ASSERT_EQUAL_UINT32(1, asked->done);
}

const char *bed_get(uint32_t client, const char *path)
{
	static struct asked asked;

	bed_start(client, &asked, path);
	bed_finish(&asked);
	TEST_ASSERT_EQUAL_STRING("ok", net_result_name(asked.end.result));
	TEST_ASSERT_EQUAL_UINT16(200, asked.end.status);
	return asked.body;
}

/* ---- strangers ---- */

int bed_dial(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(net_server_port(bed_server))};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	TEST_ASSERT_GREATER_OR_EQUAL_INT(0, fd);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
		TEST_ASSERT_EQUAL_INT(EINPROGRESS, errno);
	return fd;
}

void bed_say(int fd, const void *what, size_t size)
{
	TEST_ASSERT_EQUAL_INT64((int64_t)size, send(fd, what, size, MSG_NOSIGNAL));
}

void bed_say_z(int fd, const char *text)
{
	bed_say(fd, text, strlen(text));
}

size_t bed_hear(int fd, char *to, size_t size, uint32_t turns, bool *ended)
{
	size_t used = 0;

	*ended = false;
	while (turns-- > 0 && !*ended) {
		ssize_t got = recv(fd, to + used, size - 1 - used, 0);

		if (got > 0)
			used += (size_t)got;
		else if (got == 0 || errno != EAGAIN)
			*ended = true;
		bed_turn(1000);
	}
	to[used] = '\0';
	return used;
}
