/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server and time: room, silence, crowds, budgets, the end. On a network inside the process,
 * where hours take no time.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tests/net/loopback.c tests/http/server_talk.c
#include "unity.h"

#include <stdio.h>
#include <string.h>

#include "http/server_talk.h"

void setUp(void)
{
	talk_init();
}

void tearDown(void)
{
	talk_close();
}

/* ---- back-pressure ---- */

/* Five megabytes through a small buffer: nothing is produced that there is no room for. */
static void big_answer(const char *asked, uint64_t frame)
{
	struct client *c = &talk_clients[0];
	uint64_t total = 5000000, heard = 0;
	uint32_t slow = 0;

	talk_dial(c);
	talk_say(c, asked);
	while (talk_complete == 0) {
		struct text part =
			net_bytes(talk_net)->received(net_bytes(talk_net)->self, c->stream);
		const struct work *work = &talk_works[0];

		talk_turn(1);
		/* in the pipe, and in the answer's buffer */
		TEST_ASSERT_TRUE(work->produced <=
			heard + LOOPBACK_PIPE + SERVER_ANSWER_ROOM + SERVER_HEAD_ROOM);
		if (++slow % 3 == 0) {
			heard += part.size;
			net_bytes(talk_net)->drop(net_bytes(talk_net)->self, c->stream, part.size);
		}
		TEST_ASSERT_LESS_THAN_UINT32(100000, slow);
	}
	for (uint32_t i = 0; i < 100; i++) {
		struct text part =
			net_bytes(talk_net)->received(net_bytes(talk_net)->self, c->stream);
		heard += part.size;
		net_bytes(talk_net)->drop(net_bytes(talk_net)->self, c->stream, part.size);
		talk_turn(1);
	}
	TEST_ASSERT_GREATER_OR_EQUAL_UINT64(total, heard);
	TEST_ASSERT_LESS_OR_EQUAL_UINT64(total + frame, heard);
	talk_hang_up(c);
	talk_complete = 0;
	talk_turn(3);
}

static void test_a_big_answer_needs_a_small_buffer(void)
{
	talk_setup.exchanges_max = 1;
	talk_serve();
	big_answer("GET /size/5000000" H "\r\n", 200);
	/* a frame of eight bytes for each half of a buffer, at most */
	big_answer("GET /chunked/5000000" H "\r\n", 200 + 8 * 5000000 / 2048);
}

static void test_events_as_they_come(void)
{
	struct client *c = &talk_clients[0];

	talk_serve();
	talk_dial(c);
	talk_ask(c, "GET /events" H "\r\n");
	TEST_ASSERT_EQUAL_STRING(A "Transfer-Encoding: chunked\r\n\r\n", c->heard);
	for (uint32_t i = 0; i < 100; i++) {
		c->heard_size = 0;
		TEST_ASSERT_EQUAL_size_t(7, net_exchange_write(talk_later, TEXT("event 1")));
		TEST_ASSERT_EQUAL_size_t(8, net_exchange_write(talk_later, TEXT(" event 2")));
		talk_turn(2);
		talk_hear(c);
		TEST_ASSERT_EQUAL_STRING("000f\r\nevent 1 event 2\r\n", c->heard);
		talk_loopback.now_us += 60 * (int64_t)CLOCK_S_US;
	}
	c->heard_size = 0;
	net_exchange_finish(talk_later);
	talk_listen(c);
	TEST_ASSERT_EQUAL_STRING("0\r\n\r\n", c->heard);
	TEST_ASSERT_FALSE(talk_has_ended(c));
	talk_hang_up(c);
}

static void test_a_stalled_reader_of_events(void)
{
	struct client *c = &talk_clients[0];
	uint32_t taken = 0;

	talk_serve();
	talk_dial(c);
	talk_ask(c, "GET /events" H "\r\n");
	while (net_exchange_write(talk_later, TEXT("0123456789")) == 10) {
		taken++;
		talk_turn(1);
	}
	TEST_ASSERT_LESS_OR_EQUAL_UINT32(2 * LOOPBACK_PIPE / 10, taken);
	for (uint32_t i = 0; i < 100; i++) {
		TEST_ASSERT_LESS_THAN_size_t(
			10, net_exchange_write(talk_later, TEXT("0123456789")));
		talk_turn(1);
	}
	/* he reads again: there is room */
	talk_listen(c);
	TEST_ASSERT_EQUAL_size_t(10, net_exchange_write(talk_later, TEXT("0123456789")));
	while (net_exchange_write(talk_later, TEXT("0123456789")) == 10)
		talk_turn(1);
	talk_loopback.now_us += SERVER_STALL_TIMEOUT_MS * (int64_t)CLOCK_MS_US;
	talk_turn(2);
	TEST_ASSERT_NULL(talk_later);
	TEST_ASSERT_EQUAL_UINT32(1, talk_cut);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(talk_server).timeouts);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(talk_server).cut);
	talk_hang_up(c);
}

static void test_a_client_that_goes_is_noticed(void)
{
	static const char *const asked[] = {"GET /later" H "\r\n", "GET /events" H "\r\n",
		"GET /later" H "\r\nGET /hello" H "\r\n"};

	talk_serve();
	for (size_t i = 0; i < ARRAY_COUNT(asked); i++) {
		talk_dial(&talk_clients[0]);
		talk_ask(&talk_clients[0], asked[i]);
		TEST_ASSERT_NOT_NULL(talk_later);
		talk_hang_up(&talk_clients[0]);
		talk_turn(3);
		TEST_ASSERT_NULL(talk_later);
		TEST_ASSERT_EQUAL_UINT32(i + 1, talk_cut);
		TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(talk_server).open);
	}
	/* before anything was asked, too */
	talk_dial(&talk_clients[0]);
	talk_ask(&talk_clients[0], "GET /la");
	talk_hang_up(&talk_clients[0]);
	talk_turn(3);
	TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(talk_server).open);
	TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(talk_server).busy);
}

/* ---- time ---- */

static void wait_ms(int64_t ms)
{
	talk_loopback.now_us += ms * CLOCK_MS_US;
	talk_turn(2);
}

static void test_who_is_slow_is_cut(void)
{
	static const struct {
		const char *asked;
		int64_t ms;
	} cases[] = {{"", SERVER_HEAD_TIMEOUT_MS}, {"GET /", SERVER_HEAD_TIMEOUT_MS},
		{"GET /" H, SERVER_HEAD_TIMEOUT_MS},
		{"POST /" H "Content-Length: 9\r\n\r\nx", SERVER_BODY_TIMEOUT_MS},
		{"GET /hello" H "\r\n", SERVER_IDLE_TIMEOUT_MS},
		{"GET /hello" H "\r\nGET ", SERVER_HEAD_TIMEOUT_MS}};

	talk_serve();
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct client *c = &talk_clients[0];

		talk_dial(c);
		talk_ask(c, cases[i].asked);
		wait_ms(cases[i].ms - 1000);
		TEST_ASSERT_FALSE_MESSAGE(talk_has_ended(c), cases[i].asked);
		wait_ms(2000);
		TEST_ASSERT_TRUE_MESSAGE(talk_has_ended(c), cases[i].asked);
		TEST_ASSERT_EQUAL_UINT64(i + 1, net_server_stats(talk_server).timeouts);
		TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(talk_server).busy);
		talk_hang_up(c);
	}
}

/* A byte now and then does not buy time. */
static void test_slowloris(void)
{
	struct client *c = &talk_clients[0];
	uint32_t seconds = 0;

	talk_serve();
	talk_dial(c);
	talk_say(c, "GET /" H);
	while (!talk_has_ended(c)) {
		talk_say(c, "X");
		wait_ms(1000);
		TEST_ASSERT_LESS_THAN_UINT32(12, ++seconds);
	}
	talk_hang_up(c);
}

/* A handler may take its time, and so may an endless answer. */
static void test_no_timeout_where_the_handler_is_slow(void)
{
	struct client *c = &talk_clients[0];

	talk_serve();
	talk_dial(c);
	talk_ask(c, "GET /later" H "\r\n");
	wait_ms(3600 * 1000);
	TEST_ASSERT_FALSE(talk_has_ended(c));
	net_exchange_reply(talk_later, &(struct net_head){.status = 200}, TEXT("at last"));
	talk_listen(c);
	talk_expect(c, "at last");
	talk_hang_up(c);
}

/* ---- too many ---- */

static void test_server_when_full_gives_the_place_of_an_idle_one(void)
{
	uint32_t ended = 0;

	talk_serve();
	for (uint32_t i = 0; i < 4; i++) {
		talk_dial(&talk_clients[i]);
		talk_ask(&talk_clients[i], i == 0 ? "GET /later" H "\r\n" : "GET /hello" H "\r\n");
	}
	wait_ms(SERVER_GRACE_MS);
	talk_dial(&talk_clients[4]);
	talk_ask(&talk_clients[4], "GET /hello" H "\r\n");
	talk_expect(&talk_clients[4], "hello");
	/* not the one that is being answered; of the others one, by chance */
	TEST_ASSERT_FALSE(talk_has_ended(&talk_clients[0]));
	for (uint32_t i = 1; i < 4; i++)
		ended += talk_has_ended(&talk_clients[i]);
	TEST_ASSERT_EQUAL_UINT32(1, ended);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(talk_server).displaced);
	for (uint32_t i = 0; i < 5; i++)
		talk_hang_up(&talk_clients[i]);
}

static void test_nobody_who_is_answered_makes_room(void)
{
	talk_serve();
	for (uint32_t i = 0; i < 4; i++) {
		talk_dial(&talk_clients[i]);
		talk_ask(&talk_clients[i], "GET /later" H "\r\n");
	}
	talk_dial(&talk_clients[4]);
	talk_listen(&talk_clients[4]);
	TEST_ASSERT_FALSE(talk_has_ended(&talk_clients[4]));
	wait_ms(SERVER_WAITING_MS);
	talk_listen(&talk_clients[4]);
	talk_expect(&talk_clients[4], "HTTP/1.1 503 Service Unavailable");
	talk_expect(&talk_clients[4], "too many connections\n");
	TEST_ASSERT_TRUE(talk_has_ended(&talk_clients[4]));
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(talk_server).turned_away);
	TEST_ASSERT_EQUAL_UINT32(4, net_server_stats(talk_server).busy);
	for (uint32_t i = 0; i < 5; i++)
		talk_hang_up(&talk_clients[i]);
	talk_turn(3);
	TEST_ASSERT_EQUAL_UINT32(4, talk_cut);
}

static void test_who_says_nothing_makes_room_after_a_while(void)
{
	uint32_t ended = 0;

	talk_serve();
	for (uint32_t i = 0; i < 4; i++)
		talk_dial(&talk_clients[i]);
	talk_dial(&talk_clients[4]);
	talk_listen(&talk_clients[4]);
	TEST_ASSERT_EQUAL_UINT64(0, net_server_stats(talk_server).displaced);
	wait_ms(SERVER_GRACE_MS);
	talk_ask(&talk_clients[4], "GET /hello" H "\r\n");
	talk_expect(&talk_clients[4], "hello");
	for (uint32_t i = 0; i < 4; i++)
		ended += talk_has_ended(&talk_clients[i]);
	TEST_ASSERT_EQUAL_UINT32(1, ended);
	for (uint32_t i = 0; i < 5; i++)
		talk_hang_up(&talk_clients[i]);
}

static void test_more_connections_than_exchanges(void)
{
	talk_setup.exchanges_max = 2;
	talk_serve();
	for (uint32_t i = 0; i < 2; i++) {
		talk_dial(&talk_clients[i]);
		talk_ask(&talk_clients[i], "GET /later" H "\r\n");
	}
	for (uint32_t i = 2; i < 4; i++) {
		talk_dial(&talk_clients[i]);
		talk_ask(&talk_clients[i], "GET /hello" H "\r\n");
		TEST_ASSERT_EQUAL_STRING("", talk_clients[i].heard);
	}
	TEST_ASSERT_EQUAL_UINT32(2, net_server_stats(talk_server).busy);
	net_exchange_reply(talk_later, &(struct net_head){.status = 200}, TEXT("x"));
	for (uint32_t i = 2; i < 4; i++) {
		talk_listen(&talk_clients[i]);
		talk_expect(&talk_clients[i], "hello");
	}
	for (uint32_t i = 0; i < 4; i++)
		talk_hang_up(&talk_clients[i]);
}

/* ---- budgets ---- */

static void test_a_turn_moves_a_bounded_number_of_bytes(void)
{
	static char much[8001];
	uint64_t before;

	talk_setup.on_head = talk_on_head;
	talk_setup.connections_max = 32;
	talk_serve();
	memset(much, 'm', sizeof(much) - 1);
	for (uint32_t i = 0; i < 32; i++) {
		talk_dial(&talk_clients[i]);
		talk_say(&talk_clients[i], "POST /slices" H "Content-Length: 500000\r\n\r\n");
	}
	talk_turn(4);
	for (uint32_t round = 0; round < 20; round++) {
		for (uint32_t i = 0; i < 32; i++)
			(void)net_bytes(talk_net)->send(
				net_bytes(talk_net)->self, talk_clients[i].stream, much, 8000);
		before = net_server_stats(talk_server).bytes_in;
		talk_turn(1);
		TEST_ASSERT_LESS_OR_EQUAL_UINT64(
			before + SERVER_TURN_BYTES, net_server_stats(talk_server).bytes_in);
		TEST_ASSERT_GREATER_THAN_UINT64(before, net_server_stats(talk_server).bytes_in);
	}
	/* nobody starves */
	talk_turn(100);
	for (uint32_t i = 0; i < 32; i++) {
		TEST_ASSERT_EQUAL_size_t(0,
			talk_loopback.streams[talk_loopback.streams[talk_clients[i].stream].peer]
				.size);
		talk_hang_up(&talk_clients[i]);
	}
}

static void test_a_turn_calls_so_many_handlers(void)
{
	talk_setup.requests_per_turn = 2;
	talk_setup.connections_max = 7;
	talk_serve();
	for (uint32_t i = 0; i < 7; i++)
		talk_dial(&talk_clients[i]);
	talk_turn(2);
	for (uint32_t i = 0; i < 7; i++)
		talk_say(&talk_clients[i], "GET /hello" H "\r\n");
	for (uint32_t i = 1; i <= 4; i++) {
		talk_turn(1);
		TEST_ASSERT_EQUAL_UINT32(i < 4 ? 2 * i : 7, talk_requests);
	}
	for (uint32_t i = 0; i < 7; i++) {
		talk_listen(&talk_clients[i]);
		talk_expect(&talk_clients[i], "hello");
		talk_hang_up(&talk_clients[i]);
	}
}

/* What comes in one turn is taken in in more than one. */
static void test_many_come_at_once(void)
{
	talk_setup.connections_max = 32;
	talk_serve();
	for (uint32_t i = 0; i < 20; i++) {
		struct net_address address;

		TEST_ASSERT_TRUE(net_address_parse(TEXT("127.0.0.1"), TALK_PORT, &address));
		talk_clients[i].stream = net_bytes(talk_net)->open(
			net_bytes(talk_net)->self, NET_STREAM_TCP, &address);
	}
	talk_turn(1);
	TEST_ASSERT_EQUAL_UINT64(SERVER_ACCEPTS_MAX, net_server_stats(talk_server).connections);
	TEST_ASSERT_EQUAL_UINT32(32 + 2, net_server_streams(&talk_setup));
	for (uint32_t i = 0; i < 20; i++) {
		talk_clients[i].heard_size = 0;
		talk_ask(&talk_clients[i], "GET /hello" H "\r\n");
		talk_expect(&talk_clients[i], "hello");
		talk_hang_up(&talk_clients[i]);
	}
}

static void test_no_https_without_tls(void)
{
	struct writer fault;
	char line[64];

	writer_init(&fault, line, sizeof(line));
	talk_setup.https = true;
	TEST_ASSERT_NULL(net_server_open(talk_net, &talk_arena, &talk_setup, &fault));
	TEST_ASSERT_TRUE(text_is_z(writer_text(&fault), "https is not set up"));
}

/* ---- the end ---- */

static void test_closing_ends_every_exchange(void)
{
	talk_serve();
	talk_dial(&talk_clients[0]);
	talk_ask(&talk_clients[0], "GET /later" H "\r\n");
	talk_dial(&talk_clients[1]);
	talk_ask(&talk_clients[1], "GET /events" H "\r\n");
	net_server_close(talk_server);
	talk_server = NULL;
	TEST_ASSERT_EQUAL_UINT32(2, talk_cut);
	talk_turn(2);
	TEST_ASSERT_TRUE(talk_has_ended(&talk_clients[0]));
	talk_hang_up(&talk_clients[0]);
	talk_hang_up(&talk_clients[1]);
}

/* ---- berth's own client ---- */

static struct net_client *own;
static uint32_t answered;
static uint64_t answered_size;

static void on_answer(struct net_request *request)
{
	TEST_ASSERT_EQUAL_STRING("ok", net_result_name(request->answer.result));
	TEST_ASSERT_EQUAL_UINT16(200, request->answer.status);
	answered++;
	answered_size += request->answer.body_size;
	if (answered < 300)
		net_send(own, request);
}

static void test_our_own_client(void)
{
	static struct net_request asked[6];
	struct net_target target = {.name = "test",
		.host = TEXT("127.0.0.1"),
		.port = TALK_PORT,
		.path_prefix = TEXT(""),
		.connections = 6};
	struct writer fault;
	char line[128];

	writer_init(&fault, line, sizeof(line));
	answered = 0;
	answered_size = 0;
	talk_setup.connections_max = 8;
	talk_serve();
	own = net_client_open(talk_net, &talk_arena, &target, &fault);
	TEST_ASSERT_NOT_NULL(own);
	for (uint32_t i = 0; i < 6; i++) {
		asked[i] = (struct net_request){.class = NET_LEASE,
			.path = i % 2 == 0 ? TEXT("/size/10000") : TEXT("/chunked/10000"),
			.on_done = on_answer};
		net_send(own, &asked[i]);
	}
	talk_turn(3000);
	TEST_ASSERT_EQUAL_UINT32(305, answered);
	TEST_ASSERT_EQUAL_UINT64(305 * 10000, answered_size);
	TEST_ASSERT_EQUAL_UINT64(6, net_server_stats(talk_server).connections);
	TEST_ASSERT_EQUAL_UINT64(305, net_server_stats(talk_server).requests);
	net_client_close(own);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_big_answer_needs_a_small_buffer);
	RUN_TEST(test_events_as_they_come);
	RUN_TEST(test_a_stalled_reader_of_events);
	RUN_TEST(test_a_client_that_goes_is_noticed);
	RUN_TEST(test_who_is_slow_is_cut);
	RUN_TEST(test_slowloris);
	RUN_TEST(test_no_timeout_where_the_handler_is_slow);
	RUN_TEST(test_server_when_full_gives_the_place_of_an_idle_one);
	RUN_TEST(test_nobody_who_is_answered_makes_room);
	RUN_TEST(test_who_says_nothing_makes_room_after_a_while);
	RUN_TEST(test_more_connections_than_exchanges);
	RUN_TEST(test_a_turn_moves_a_bounded_number_of_bytes);
	RUN_TEST(test_a_turn_calls_so_many_handlers);
	RUN_TEST(test_many_come_at_once);
	RUN_TEST(test_no_https_without_tls);
	RUN_TEST(test_closing_ends_every_exchange);
	RUN_TEST(test_our_own_client);
	return UNITY_END();
}
