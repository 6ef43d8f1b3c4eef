/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client against a server that does what the path says: requests, connections, queues, time,
 * back pressure and everything that a connection can do to a request.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tests/http/other_end.c tests/http/fixture.c
#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "http/fixture.h"

static struct fixture f;
static struct fixture_request r[12];

void setUp(void)
{
	fixture_init(&f);
	memset(r, 0, sizeof(r));
}

void tearDown(void)
{
	fixture_close(&f);
}

static void serve(void)
{
	fixture_serve(&f, &(struct server_setup){.certificate = &fixture_server});
	TEST_ASSERT_NOT_NULL_MESSAGE(fixture_open(&f), f.fault);
}

static void serve_plain(void)
{
	f.target.https = false;
	f.tls_connections_max = 0;
	fixture_serve(&f, &(struct server_setup){.certificate = NULL});
	TEST_ASSERT_NOT_NULL_MESSAGE(fixture_open(&f), f.fault);
}

static void check(const struct fixture_request *q, enum net_result result, int status)
{
	TEST_ASSERT_EQUAL_UINT32(1, q->done);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(
		net_result_name(result), net_result_name(q->end.result), q->end.detail);
	TEST_ASSERT_EQUAL_INT(status, q->end.status);
}

static void has(const struct fixture_request *q, const char *part)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(q->body, part), q->body);
}

/* Turns until `fact`, five seconds at most: machines under load are slow. */
#define UNTIL(fact)                                         \
	do {                                                \
		for (int i_ = 0; i_ < 250 && !(fact); i_++) \
			fixture_turn(&f, 20);               \
		TEST_ASSERT_TRUE_MESSAGE(fact, #fact);      \
	} while (0)

/* ---- requests ---- */

static void test_a_get(void)
{
	serve();
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_UINT64(r[0].body_size, r[0].end.body_size);
	TEST_ASSERT_TRUE(r[0].end.sent);
	TEST_ASSERT_EQUAL_INT64(-1, r[0].end.retry_after_ms);
	TEST_ASSERT_GREATER_THAN_INT64(0, r[0].end.took_us);
	has(&r[0], "connection=1 request=1 method=GET auth=- client=- body=0");
	has(&r[0], "agent=berth/" BERTH_VERSION " (linux/");
	has(&r[0], "host=127.0.0.1:");
	has(&r[0], "tls=TLSv1.3");
}

static void test_methods_and_bodies(void)
{
	static const struct {
		enum net_method method;
		const char *name;
	} methods[] = {{NET_POST, "method=POST "}, {NET_PUT, "method=PUT "},
		{NET_PATCH, "method=PATCH "}, {NET_DELETE, "method=DELETE "}};
	static char big[300 * 1000];

	serve();
	memset(big, 'x', sizeof(big));
	for (size_t i = 0; i < ARRAY_COUNT(methods); i++) {
		r[0].request.body = TEXT("{\"a\":1}");
		fixture_send(&f, &r[0], methods[i].method, "/echo");
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
		has(&r[0], methods[i].name);
		has(&r[0], "body=7 ");
	}
	r[0].request.body = TEXT("");
	fixture_send(&f, &r[0], NET_POST, "/echo");
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	has(&r[0], "body=0 ");
	r[0].request.body = (struct text){big, sizeof(big)};
	fixture_send(&f, &r[0], NET_POST, "/echo");
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	check(&r[0], NET_OK, 200);
	has(&r[0], "body=300000 ");
	TEST_ASSERT_EQUAL_UINT32(1, f.server.counts->connections);
}

static void test_a_path_prefix(void)
{
	f.target.path_prefix = TEXT("/slow");
	serve();
	fixture_get(&f, &r[0], "/1");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_STRING("slow", r[0].body);
}

static void test_a_path_that_is_not_escaped_is_not_sent(void)
{
	static const char *const paths[] = {"/a b", "/a\r\nX: y", "", "a", "/\x7f", "/\xc3\xa9"};

	serve();
	for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
		fixture_get(&f, &r[0], paths[i]);
		check(&r[0], NET_BROKEN, 0);
		TEST_ASSERT_FALSE(r[0].end.sent);
	}
	TEST_ASSERT_EQUAL_UINT32(0, f.server.counts->requests);
}

static uint32_t asked;
static bool never(const struct net_request *request)
{
	(void)request;
	asked++;
	return false;
}

/* Who may not write any more when its turn comes leaves no byte on the wire. */
static void test_a_request_that_may_not_be_sent_any_more(void)
{
	serve();
	fixture_get(&f, &r[0], "/echo");
	r[1].request.may_send = never;
	fixture_send(&f, &r[1], NET_POST, "/echo");
	TEST_ASSERT_EQUAL_UINT32(0, asked);
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[1]));
	check(&r[1], NET_CONNECT_FAILED, 0);
	TEST_ASSERT_EQUAL_UINT32(1, asked);
	TEST_ASSERT_FALSE(r[1].end.sent);
	TEST_ASSERT_EQUAL_UINT32(1, f.server.counts->requests);
	fixture_get(&f, &r[2], "/echo");
	check(&r[2], NET_OK, 200);
}

static void test_big_bodies(void)
{
	serve();
	fixture_get(&f, &r[0], "/size/5000000");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_UINT64(5000000, r[0].end.body_size);
	fixture_get(&f, &r[0], "/chunked/5000000");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_UINT64(5000000, r[0].end.body_size);
	fixture_get(&f, &r[0], "/chunked/0");
	check(&r[0], NET_OK, 200);
	r[0].request.body_max = 1000;
	fixture_get(&f, &r[0], "/size/1000");
	check(&r[0], NET_OK, 200);
	fixture_get(&f, &r[0], "/size/1001");
	check(&r[0], NET_TOO_BIG, 200);
}

static void test_retry_after(void)
{
	serve();
	fixture_get(&f, &r[0], "/retry-after");
	check(&r[0], NET_OK, 429);
	TEST_ASSERT_EQUAL_INT64(7000, r[0].end.retry_after_ms);
}

/* ---- connections ---- */

static void test_keep_alive(void)
{
	serve();
	for (int i = 1; i <= 5; i++) {
		char part[40];

		fixture_get(&f, &r[0], "/echo");
		snprintf(part, sizeof(part), "connection=1 request=%d ", i);
		has(&r[0], part);
	}
	fixture_get(&f, &r[0], "/close");
	check(&r[0], NET_OK, 200);
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "connection=2 request=1 ");
}

static void test_an_idle_connection_grows_old(void)
{
	serve();
	fixture_get(&f, &r[0], "/echo");
	TEST_ASSERT_EQUAL_UINT32(1, net_client_stats(f.client).open);
	f.clock_ahead_us += (int64_t)(IDLE_MAX_MS + 1) * 1000;
	fixture_turn(&f, 10);
	TEST_ASSERT_EQUAL_UINT32(0, net_client_stats(f.client).open);
}

static void test_the_server_closes_an_idle_connection(void)
{
	serve();
	fixture_get(&f, &r[0], "/close-later");
	check(&r[0], NET_OK, 200);
	UNTIL(net_client_stats(f.client).open == 0);
	fixture_send(&f, &r[0], NET_POST, "/echo");
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	has(&r[0], "connection=2 request=1 ");
}

static void test_a_get_survives_a_connection_that_is_gone(void)
{
	serve();
	fixture_get(&f, &r[0], "/drop-reused");
	check(&r[0], NET_OK, 200);
	fixture_get(&f, &r[0], "/drop-reused");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_UINT32(2, f.server.counts->connections);
	/* what may have been carried out is not tried again */
	fixture_send(&f, &r[0], NET_POST, "/drop-reused");
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	check(&r[0], NET_RESET, 0);
	TEST_ASSERT_TRUE(r[0].end.sent);
	/* nor is a GET tried for ever */
	fixture_get(&f, &r[0], "/drop");
	check(&r[0], NET_RESET, 0);
}

static void test_the_pool_is_a_limit(void)
{
	serve();
	for (int i = 0; i < 10; i++) {
		r[i].request.class = NET_LEASE;
		fixture_send(&f, &r[i], NET_GET, "/slow/100");
	}
	for (int i = 0; i < 10; i++) {
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[i]));
		check(&r[i], NET_OK, 200);
	}
	TEST_ASSERT_EQUAL_UINT32(2, f.server.counts->connections);
	TEST_ASSERT_EQUAL_UINT32(2, f.server.counts->open_max);
	TEST_ASSERT_EQUAL_UINT64(10, net_client_stats(f.client).requests);
}

/* A handshake costs more than an answer that comes in a moment. */
static void test_requests_wait_a_moment_for_the_connection_there_is(void)
{
	serve();
	fixture_get(&f, &r[0], "/echo");
	fixture_send(&f, &r[1], NET_GET, "/slow/200");
	fixture_send(&f, &r[2], NET_GET, "/slow/200");
	net_poll(f.net, 0);
	TEST_ASSERT_EQUAL_UINT64(1, net_client_stats(f.client).connects);
	f.clock_ahead_us += (client_patience_ms(f.client) + 1) * CLOCK_MS_US;
	fixture_turn(&f, 1);
	TEST_ASSERT_EQUAL_UINT64(2, net_client_stats(f.client).connects);
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[1]));
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[2]));
	TEST_ASSERT_EQUAL_UINT32(2, f.server.counts->open_max);
}

static void test_client_when_nothing_is_open_then_one_connection_is_tried_first(void)
{
	serve();
	fixture_send(&f, &r[0], NET_GET, "/echo");
	fixture_send(&f, &r[1], NET_GET, "/echo");
	net_poll(f.net, 0);
	TEST_ASSERT_EQUAL_UINT64(1, net_client_stats(f.client).connects);
	f.clock_ahead_us += (int64_t)(PATIENCE_MAX_MS + 1) * CLOCK_MS_US;
	net_poll(f.net, 0);
	TEST_ASSERT_EQUAL_UINT64(2, net_client_stats(f.client).connects);
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[1]));
}

static void test_client_when_requests_are_under_way_then_watches_shake_hands_later(void)
{
	serve();
	fixture_get(&f, &r[0], "/echo");
	fixture_send(&f, &r[1], NET_GET, "/stall");
	r[2].request.class = NET_WATCH;
	fixture_send(&f, &r[2], NET_GET, "/echo");
	f.client->handshake_us = 200 * CLOCK_MS_US;
	fixture_turn(&f, 50);
	TEST_ASSERT_EQUAL_UINT64(2, net_client_stats(f.client).connects);
	TEST_ASSERT_EQUAL_UINT64(1, net_client_stats(f.client).handshakes);
	/* Not for ever. */
	f.clock_ahead_us += (int64_t)PATIENCE_OF_WATCHES * 200 * CLOCK_MS_US;
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[2]));
	TEST_ASSERT_EQUAL_UINT32(0, r[1].done);
}

static void test_classes_overtake_and_keep_off_the_last_connections(void)
{
	f.target.connections = 3;
	f.tls_connections_max = 8;
	serve();
	for (int i = 0; i < 4; i++) {
		r[i].request.class = NET_EVENT;
		fixture_send(&f, &r[i], NET_POST, "/slow/40");
	}
	for (int i = 4; i < 6; i++) {
		r[i].request.class = NET_BIND;
		fixture_send(&f, &r[i], NET_POST, "/slow/40");
	}
	r[6].request.class = NET_LEASE;
	fixture_send(&f, &r[6], NET_PUT, "/slow/1");
	for (int i = 0; i < 7; i++) {
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[i]));
		check(&r[i], NET_OK, 200);
	}
	/* sent last, done before any event */
	TEST_ASSERT_LESS_THAN_UINT32(r[0].order, r[6].order);
	TEST_ASSERT_LESS_THAN_UINT32(r[0].order, r[4].order);
	TEST_ASSERT_LESS_THAN_UINT32(r[3].order, r[2].order);
}

static void test_watches_have_their_own(void)
{
	serve();
	for (int i = 0; i < 3; i++) {
		r[i].request.class = NET_WATCH;
		fixture_send(&f, &r[i], NET_GET, "/stall");
	}
	UNTIL(r[0].body_size > 0 && r[1].body_size > 0);
	TEST_ASSERT_EQUAL_UINT32(2, net_client_stats(f.client).busy);
	TEST_ASSERT_EQUAL_UINT32(1, net_client_stats(f.client).queued);
	TEST_ASSERT_EQUAL_size_t(10, r[0].body_size);
	/* They count when they are answered: a watch may last for ever. */
	TEST_ASSERT_EQUAL_UINT64(2, net_client_counts(f.client)->codes[NET_GET][200 - 99]);
	r[3].request.class = NET_BIND;
	fixture_send(&f, &r[3], NET_POST, "/echo");
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[3]));
	check(&r[3], NET_OK, 200);
	net_cancel(&r[0].request);
	UNTIL(r[2].body_size > 0);
	TEST_ASSERT_EQUAL_size_t(10, r[2].body_size);
	TEST_ASSERT_EQUAL_UINT32(0, r[0].done);
	TEST_ASSERT_EQUAL_UINT64(3, net_client_counts(f.client)->codes[NET_GET][200 - 99]);
}

/* ---- what goes wrong ---- */

static void test_answers_that_end_early(void)
{
	serve();
	fixture_get(&f, &r[0], "/half");
	check(&r[0], NET_RESET, 200);
	TEST_ASSERT_EQUAL_UINT64(10, r[0].end.body_size);
	fixture_get(&f, &r[0], "/drop");
	check(&r[0], NET_RESET, 0);
	TEST_ASSERT_TRUE(r[0].end.sent);
	fixture_get(&f, &r[0], "/to-end");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_STRING("to the end", r[0].body);
	/* without TLS's goodbye anybody can have cut it */
	fixture_get(&f, &r[0], "/to-cut");
	check(&r[0], NET_RESET, 200);
}

static void test_garbage(void)
{
	serve();
	fixture_get(&f, &r[0], "/garbage");
	check(&r[0], NET_BROKEN, 0);
	fixture_get(&f, &r[0], "/big-head");
	check(&r[0], NET_TOO_BIG, 0);
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
}

static void test_time_runs_out(void)
{
	serve();
	fixture_get(&f, &r[0], "/echo");
	r[0].request.timeout_ms = 300;
	fixture_get(&f, &r[0], "/hang");
	check(&r[0], NET_TIMEOUT, 0);
	TEST_ASSERT_TRUE(r[0].end.sent);
	TEST_ASSERT_GREATER_OR_EQUAL_INT64(300000, r[0].end.took_us);
	TEST_ASSERT_LESS_THAN_INT64(2000000, r[0].end.took_us);
	fixture_get(&f, &r[1], "/echo");
	r[1].request.idle_timeout_ms = 300;
	fixture_get(&f, &r[1], "/stall");
	check(&r[1], NET_TIMEOUT, 200);
	TEST_ASSERT_EQUAL_STRING("the server fell silent", r[1].end.detail);
	/* waiting for a connection counts as well */
	for (int i = 2; i < 5; i++) {
		r[i].request.timeout_ms = i == 4 ? 50 : 200;
		fixture_send(&f, &r[i], NET_GET, "/hang");
	}
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[4]));
	check(&r[4], NET_TIMEOUT, 0);
	TEST_ASSERT_FALSE(r[4].end.sent);
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[2]));
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[3]));
}

static void test_nobody_listens(void)
{
	serve();
	server_stop(&f.server);
	for (int i = 0; i < 4; i++)
		fixture_send(&f, &r[i], NET_GET, "/echo");
	for (int i = 0; i < 4; i++) {
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[i]));
		check(&r[i], NET_CONNECT_FAILED, 0);
		TEST_ASSERT_FALSE(r[i].end.sent);
		TEST_ASSERT_EQUAL_STRING("Connection refused", r[i].end.detail);
	}
	/* and it comes back */
	server_start(&f.server,
		&(struct server_setup){.certificate = &fixture_server, .port = f.target.port});
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
}

static void test_the_server_dies_and_comes_back(void)
{
	serve();
	r[0].request.class = NET_WATCH;
	fixture_send(&f, &r[0], NET_GET, "/stall");
	fixture_get(&f, &r[1], "/echo");
	UNTIL(r[0].body_size > 0);
	server_stop(&f.server);
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	check(&r[0], NET_RESET, 200);
	server_start(&f.server,
		&(struct server_setup){.certificate = &fixture_server, .port = f.target.port});
	fixture_get(&f, &r[1], "/echo");
	check(&r[1], NET_OK, 200);
}

static void test_no_handshake(void)
{
	f.target.connect_timeout_ms = 100;
	fixture_serve(
		&f, &(struct server_setup){.certificate = &fixture_server, .no_handshake = true});
	TEST_ASSERT_NOT_NULL(fixture_open(&f));
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_CONNECT_FAILED, 0);
	TEST_ASSERT_EQUAL_STRING("no TLS handshake in time", r[0].end.detail);
}

static void test_several_addresses(void)
{
	char path[64];
	FILE *hosts;

	snprintf(path, sizeof(path), "build/hosts.%d", (int)getpid());
	hosts = fopen(path, "w");
	TEST_ASSERT_NOT_NULL(hosts);
	fputs("# two are dead\n127.0.0.8 elsewhere\n127.0.0.9 LocalHost\n127.0.0.10 x localhost\n"
	      "127.0.0.1 localhost\n",
		hosts);
	fclose(hosts);
	f.target.host = TEXT("localhost");
	serve();
	f.client->resolve.hosts_path = path;
	fixture_get(&f, &r[0], "/close");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_UINT64(3, net_client_stats(f.client).connects);
	TEST_ASSERT_EQUAL_UINT64(2, net_client_stats(f.client).connect_failures);
	/* the good one is remembered */
	fixture_get(&f, &r[0], "/close");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_UINT64(4, net_client_stats(f.client).connects);
	remove(path);
}

/* ---- back pressure and cancelling ---- */

static void test_a_paused_reader_holds_the_server_back(void)
{
	serve();
	fixture_get(&f, &r[0], "/echo");
	r[0].flow = NET_PAUSE;
	r[0].request.idle_timeout_ms = 300;
	fixture_send(&f, &r[0], NET_GET, "/size/20000000");
	UNTIL(r[0].body_size > 0);
	fixture_turn(&f, 400);
	TEST_ASSERT_EQUAL_UINT32(0, r[0].done);
	TEST_ASSERT_GREATER_THAN_UINT64(0, r[0].request.answer.body_size);
	TEST_ASSERT_LESS_OR_EQUAL_UINT64(NET_SCRATCH_SIZE, r[0].request.answer.body_size);
	for (int i = 0; i < 3; i++) {
		uint64_t before = r[0].request.answer.body_size;
		net_resume(&r[0].request);
		UNTIL(r[0].request.answer.body_size > before);
		fixture_turn(&f, 50);
		TEST_ASSERT_GREATER_THAN_UINT64(before, r[0].request.answer.body_size);
		TEST_ASSERT_LESS_OR_EQUAL_UINT64(
			before + NET_SCRATCH_SIZE, r[0].request.answer.body_size);
	}
	r[0].flow = NET_MORE;
	net_resume(&r[0].request);
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_EQUAL_UINT64(20000000, r[0].end.body_size);
}

/* While one is paused the loop sleeps, it does not spin. */
static void test_a_paused_reader_costs_nothing(void)
{
	struct clock system = clock_system();
	struct mono start, end;
	int turns = 0;

	serve();
	r[0].flow = NET_PAUSE;
	fixture_send(&f, &r[0], NET_GET, "/size/20000000");
	UNTIL(r[0].body_size > 0);
	fixture_turn(&f, 200);
	start = clock_mono(&system);
	end = mono_after_ms(start, 200);
	while (!mono_reached(clock_mono(&system), end)) {
		net_poll(f.net, 50000);
		turns++;
	}
	TEST_ASSERT_LESS_THAN_INT(10, turns);
}

static void test_a_reader_stops(void)
{
	serve();
	r[0].flow = NET_STOP;
	fixture_get(&f, &r[0], "/size/100000");
	check(&r[0], NET_CANCELLED, 200);
	r[1].cancels = true;
	fixture_send(&f, &r[1], NET_GET, "/size/100000");
	UNTIL(!net_is_active(&r[1].request));
	TEST_ASSERT_EQUAL_UINT32(0, r[1].done);
	TEST_ASSERT_GREATER_THAN_size_t(0, r[1].body_size);
	TEST_ASSERT_FALSE(net_is_active(&r[1].request));
	net_cancel(&r[1].request);
	fixture_get(&f, &r[2], "/echo");
	check(&r[2], NET_OK, 200);
}

static void test_cancel_what_waits(void)
{
	serve();
	for (int i = 0; i < 4; i++)
		fixture_send(&f, &r[i], NET_GET, "/slow/50");
	net_cancel(&r[3].request);
	fixture_turn(&f, 20);
	net_cancel(&r[0].request);
	net_resume(&r[0].request);
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[1]));
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[2]));
	TEST_ASSERT_EQUAL_UINT32(0, r[0].done + r[3].done);
	TEST_ASSERT_EQUAL_UINT32(0, net_client_stats(f.client).queued);
}

static void test_closing_ends_everything(void)
{
	serve();
	r[0].request.class = NET_WATCH;
	fixture_send(&f, &r[0], NET_GET, "/stall");
	for (int i = 1; i < 6; i++)
		fixture_send(&f, &r[i], NET_GET, "/hang");
	UNTIL(r[0].body_size > 0);
	net_client_close(f.client);
	f.client = NULL;
	for (int i = 0; i < 6; i++)
		check(&r[i], NET_CANCELLED, i == 0 ? 200 : 0);
}

/* on_done sends the same request again. */
static uint32_t again;

static void send_again(struct net_request *request)
{
	struct fixture_request *q = (struct fixture_request *)request;

	q->end = request->answer;
	q->body_size = 0;
	if (++again < 50)
		net_send(f.client, request);
	else
		q->done = 1;
}

static void test_on_done_may_send_again(void)
{
	serve();
	again = 0;
	fixture_send(&f, &r[0], NET_GET, "/echo");
	r[0].request.on_done = send_again;
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	check(&r[0], NET_OK, 200);
	has(&r[0], "connection=1 request=50 ");
}

/* ---- without TLS ---- */

static void test_plain_http(void)
{
	f.target.token = TEXT("secret");
	serve_plain();
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
	has(&r[0], "auth=- "); /* credentials travel under TLS only */
	fixture_get(&f, &r[0], "/chunked/3000000");
	TEST_ASSERT_EQUAL_UINT64(3000000, r[0].end.body_size);
	fixture_get(&f, &r[0], "/half");
	check(&r[0], NET_RESET, 200);
	fixture_get(&f, &r[0], "/to-end");
	check(&r[0], NET_OK, 200);
	fixture_get(&f, &r[0], "/garbage");
	check(&r[0], NET_BROKEN, 0);
	r[0].flow = NET_PAUSE;
	fixture_send(&f, &r[0], NET_GET, "/size/9000000");
	UNTIL(r[0].body_size > 0);
	fixture_turn(&f, 50);
	TEST_ASSERT_LESS_OR_EQUAL_UINT64(NET_SCRATCH_SIZE, r[0].request.answer.body_size);
	r[0].flow = NET_MORE;
	net_resume(&r[0].request);
	TEST_ASSERT_TRUE(fixture_wait(&f, &r[0]));
	TEST_ASSERT_EQUAL_UINT64(9000000, r[0].end.body_size);
}

/* Who acts as somebody else says so with each request. */
static void test_headers_of_the_target_go_with_each_request(void)
{
	f.target.headers = TEXT("Authorization: of-the-target\r\nImpersonate-User: jane\r\n");
	serve_plain();
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
	has(&r[0], "auth=of-the-target ");
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "auth=of-the-target ");
}

int main(void)
{
	fixture_make_certificates();
	UNITY_BEGIN();
	RUN_TEST(test_headers_of_the_target_go_with_each_request);
	RUN_TEST(test_a_get);
	RUN_TEST(test_methods_and_bodies);
	RUN_TEST(test_a_path_prefix);
	RUN_TEST(test_a_path_that_is_not_escaped_is_not_sent);
	RUN_TEST(test_a_request_that_may_not_be_sent_any_more);
	RUN_TEST(test_big_bodies);
	RUN_TEST(test_retry_after);
	RUN_TEST(test_keep_alive);
	RUN_TEST(test_an_idle_connection_grows_old);
	RUN_TEST(test_the_server_closes_an_idle_connection);
	RUN_TEST(test_a_get_survives_a_connection_that_is_gone);
	RUN_TEST(test_the_pool_is_a_limit);
	RUN_TEST(test_requests_wait_a_moment_for_the_connection_there_is);
	RUN_TEST(test_client_when_nothing_is_open_then_one_connection_is_tried_first);
	RUN_TEST(test_client_when_requests_are_under_way_then_watches_shake_hands_later);
	RUN_TEST(test_classes_overtake_and_keep_off_the_last_connections);
	RUN_TEST(test_watches_have_their_own);
	RUN_TEST(test_answers_that_end_early);
	RUN_TEST(test_garbage);
	RUN_TEST(test_time_runs_out);
	RUN_TEST(test_nobody_listens);
	RUN_TEST(test_the_server_dies_and_comes_back);
	RUN_TEST(test_no_handshake);
	RUN_TEST(test_several_addresses);
	RUN_TEST(test_a_paused_reader_holds_the_server_back);
	RUN_TEST(test_a_paused_reader_costs_nothing);
	RUN_TEST(test_a_reader_stops);
	RUN_TEST(test_cancel_what_waits);
	RUN_TEST(test_closing_ends_everything);
	RUN_TEST(test_on_done_may_send_again);
	RUN_TEST(test_plain_http);
	return UNITY_END();
}
