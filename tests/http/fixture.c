/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the client share.
 */
#include "http/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "unity.h"

#include "base/memory.h"
#include "base/store.h"
#include "tls/tls.h"

struct server_certificate fixture_ca, fixture_other_ca, fixture_server, fixture_user;

static uint32_t ended;

void fixture_make_certificates(void)
{
	server_make_certificate(&fixture_ca,
		&(struct server_name){.common = "ca", .names = "", .from_days = -1, .to_days = 10},
		NULL);
	server_make_certificate(&fixture_other_ca,
		&(struct server_name){
			.common = "other ca", .names = "", .from_days = -1, .to_days = 10},
		NULL);
	server_make_certificate(&fixture_server,
		&(struct server_name){.common = "server",
			.names = "dns:localhost dns:*.example.net ip:127.0.0.1 ip:::1",
			.from_days = -1,
			.to_days = 10},
		&fixture_ca);
	server_make_certificate(&fixture_user,
		&(struct server_name){.common = "system:kube-scheduler",
			.names = "",
			.from_days = -1,
			.to_days = 10},
		&fixture_ca);
}

static struct mono moved_mono(void *self)
{
	const struct fixture *f = self;
	struct clock system = clock_system();

	return (struct mono){clock_mono(&system).us + f->clock_ahead_us};
}

static struct wall moved_wall(void *self)
{
	const struct fixture *f = self;
	struct clock system = clock_system();

	return (struct wall){clock_wall(&system).us + f->clock_ahead_us};
}

void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->tls_connections_max = 8;
	f->target = (struct net_target){.name = "test",
		.https = true,
		.host = TEXT("127.0.0.1"),
		.path_prefix = TEXT(""),
		.ca = text_of(fixture_ca.certificate),
		.connections = 2,
		.watch_connections = 2};
	ended = 0;
}

void fixture_serve(struct fixture *f, const struct server_setup *setup)
{
	server_start(&f->server, setup);
	f->target.port = f->server.port;
}

struct net_client *fixture_open(struct fixture *f)
{
	struct net_setup setup = {.entropy = entropy_system()};
	size_t before = 0;
	struct writer fault;

	f->memory = calloc(1, FIXTURE_MEMORY);
	arena_init(&f->arena, f->memory, FIXTURE_MEMORY);
	before = arena_left(&f->arena);
	f->bytes = net_socket_bytes(&f->arena, 16);
	TEST_ASSERT_LESS_OR_EQUAL_size_t(net_socket_size(16), before - arena_left(&f->arena));
	setup.arena = &f->arena;
	setup.bytes = f->bytes;
	setup.clock = (struct clock){.mono = moved_mono, .wall = moved_wall, .self = f};
	before = arena_left(&f->arena);
	f->net = net_init(&setup);
	tls_setup(&f->arena, f->tls_connections_max, entropy_system());
	TEST_ASSERT_LESS_OR_EQUAL_size_t(net_size() + tls_setup_size(f->tls_connections_max),
		before - arena_left(&f->arena));
	writer_init(&fault, f->fault, sizeof(f->fault) - 1);
	before = arena_left(&f->arena);
	f->client = net_client_open(f->net, &f->arena, &f->target, &fault);
	f->fault[fault.used] = '\0';
	TEST_ASSERT_LESS_OR_EQUAL_size_t(
		net_client_size(&f->target), before - arena_left(&f->arena));
	return f->client;
}

void fixture_close(struct fixture *f)
{
	uint32_t left = 0;

	if (f->client != NULL)
		net_client_close(f->client);
	if (f->net != NULL) {
		left = f->tls_connections_max > 0 ? store_audit(tls_fence()) : 0;
		net_close(f->net);
		tls_teardown();
		net_socket_close(&f->bytes);
	}
	free(f->memory);
	server_stop(&f->server);
	memset(f, 0, sizeof(*f));
	/* Whatever happened: all memory came back, but for what PSA keeps for the process. */
	TEST_ASSERT_LESS_OR_EQUAL_UINT32(1, left);
}

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	struct fixture_request *r = (struct fixture_request *)request;
	size_t room = sizeof(r->body) - 1 - r->body_size;
	size_t size = bytes.size < room ? bytes.size : room;

	TEST_ASSERT_GREATER_THAN_size_t(0, bytes.size);
	TEST_ASSERT_NOT_EQUAL(0, request->answer.status);
	memcpy(r->body + r->body_size, bytes.at, size);
	r->body_size += size;
	if (r->cancels) {
		net_cancel(request);
		return NET_MORE;
	}
	return r->flow;
}

static void on_done(struct net_request *request)
{
	struct fixture_request *r = (struct fixture_request *)request;

	TEST_ASSERT_FALSE(net_is_active(request));
	r->done++;
	r->order = ++ended;
	r->end = request->answer;
}

void fixture_send(
	struct fixture *f, struct fixture_request *r, enum net_method method, const char *path)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(f->client, f->fault);
	r->request.method = method;
	r->request.path = text_of(path);
	r->request.on_body = on_body;
	r->request.on_done = on_done;
	r->done = 0;
	memset(r->body, 0, sizeof(r->body));
	r->body_size = 0;
	net_send(f->client, &r->request);
	TEST_ASSERT_EQUAL_UINT32(0, r->done);
}

/* A turn allocates nothing outside of the fences: where malloc is ours, it would abort. */
static void poll_sealed(struct fixture *f, int64_t timeout_us)
{
	memory_seal();
	memory_seal_is_deadly(true);
	net_poll(f->net, timeout_us);
	memory_unseal();
}

void fixture_turn(struct fixture *f, int64_t ms)
{
	struct clock system = clock_system();
	struct mono end = mono_after_ms(clock_mono(&system), ms);

	do
		poll_sealed(f, 5000);
	while (!mono_reached(clock_mono(&system), end));
}

bool fixture_wait(struct fixture *f, struct fixture_request *r)
{
	struct clock system = clock_system();
	struct mono end = mono_after_ms(clock_mono(&system), 5000);

	while (r->done == 0 && !mono_reached(clock_mono(&system), end))
		poll_sealed(f, 100000);
	return r->done == 1;
}

void fixture_get(struct fixture *f, struct fixture_request *r, const char *path)
{
	fixture_send(f, r, NET_GET, path);
	TEST_ASSERT_TRUE_MESSAGE(fixture_wait(f, r), path);
}
