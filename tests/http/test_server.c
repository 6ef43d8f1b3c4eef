/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server on a network inside the process, byte by byte: what is asked, what is answered, what
 * is refused.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tests/net/loopback.c tests/http/server_talk.c
#include "unity.h"

#include <stdio.h>
#include <string.h>

#include "http/server_talk.h"
#include "net/net_private.h"

void setUp(void)
{
	talk_init();
}

void tearDown(void)
{
	talk_close();
}

/* ---- conversations ---- */

static const struct {
	const char *asked;
	const char *heard; /* all of it */
	bool ends;
} talks[] = {
	{"GET /hello" H "\r\n", A "Content-Length: 5\r\n\r\nhello", false},
	{"\r\nGET /hello" H "\r\n", A "Content-Length: 5\r\n\r\nhello", false},
	{"GET /hello" H "Connection: close\r\n\r\n",
		A "Content-Length: 5\r\nConnection: close\r\n\r\nhello", true},
	{"GET /hello HTTP/1.0\r\n\r\n", A "Content-Length: 5\r\nConnection: close\r\n\r\nhello",
		true},
	{"GET /hello HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
		A "Content-Length: 5\r\nConnection: keep-alive\r\n\r\nhello", false},
	{"HEAD /hello" H "\r\n", A "Content-Length: 5\r\n\r\n", false},
	{"HEAD /chunked/9" H "\r\n", A "Transfer-Encoding: chunked\r\n\r\n", false},
	{"GET /chunked/9" H "\r\n",
		A "Transfer-Encoding: chunked\r\n\r\n0009\r\nxxxxxxxxx\r\n0\r\n\r\n", false},
	{"GET /chunked/0" H "\r\n", A "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false},
	{"GET /chunked/9 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		A "Connection: close\r\n\r\nxxxxxxxxx", true},
	{"GET /size/3" H "\r\n", A "Content-Length: 3\r\n\r\nxxx", false},
	{"GET /size/0" H "\r\n", A "Content-Length: 0\r\n\r\n", false},
	{"GET /204" H "\r\n", "HTTP/1.1 204 No Content\r\nDate: " TALK_DATE "\r\n\r\n", false},
	{"GET /304" H "\r\n", "HTTP/1.1 304 Not Modified\r\nDate: " TALK_DATE "\r\n\r\n", false},
	{"GET /headers" H "X-Name: one\r\nx-NAME:  two\t \r\n\r\n",
		A "ETag: \"a\"\r\nCache-Control: no-cache\r\nContent-Length: 3\r\n\r\ntwo", false},
	{"PUT /x" H
	 "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: u\r\n\r\n",
		A "Content-Type: text/plain\r\nContent-Length: 49\r\n\r\n"
		  "method=2 path=/x query= body=abcde size=5 head=no",
		false},
	{"POST /y?q" H "Content-Length: 0\r\n\r\n",
		A "Content-Type: text/plain\r\nContent-Length: 45\r\n\r\n"
		  "method=1 path=/y query=q body= size=0 head=no",
		false},
	{"POST /y" H "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
		"HTTP/1.1 100 Continue\r\n\r\n" A
		"Content-Type: text/plain\r\nContent-Length: 46\r\n\r\n"
		"method=1 path=/y query= body=ab size=2 head=no",
		false},
	/* a handler that is wrong */
	{"GET /short" H "\r\n", A "Content-Length: 10\r\n\r\nfive ", true},
	{"GET /long" H "\r\n", A "Content-Length: 10\r\n\r\nfive ", true},
	{"GET /abort" H "\r\n", A "Content-Length: 10\r\n\r\nfive ", true},
	{"GET /split" H "\r\n",
		"HTTP/1.1 500 Internal Server Error\r\nDate: " TALK_DATE "\r\n"
		"Content-Length: 0\r\nConnection: close\r\n\r\n",
		true},
	{"GET /huge-head" H "\r\n",
		"HTTP/1.1 500 Internal Server Error\r\nDate: " TALK_DATE "\r\n"
		"Content-Length: 0\r\nConnection: close\r\n\r\n",
		true},
};

static void talk(size_t i)
{
	struct client *c = &talk_clients[0];

	talk_dial(c);
	talk_ask(c, talks[i].asked);
	/* An answer that is cut may be short of what was not sent yet. */
	if (strstr(talks[i].heard, "five") != NULL)
		TEST_ASSERT_EQUAL_STRING_LEN(talks[i].heard, c->heard, c->heard_size);
	else
		TEST_ASSERT_EQUAL_STRING(talks[i].heard, c->heard);
	TEST_ASSERT_EQUAL_INT_MESSAGE(talks[i].ends, talk_has_ended(c), talks[i].asked);
	if (!talks[i].ends) {
		talk_ask(c, "GET /hello" H "\r\n");
		talk_expect(c, "hello");
	}
	talk_hang_up(c);
	talk_turn(3);
	TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(talk_server).open);
	TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(talk_server).busy);
}

static void talk_all(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(talks); i++)
		talk(i);
}

static void test_conversations(void)
{
	talk_serve();
	talk_all();
}

/* The same in every slicing that matters: the bytes, and the room to answer. */
static void test_conversations_byte_by_byte(void)
{
	talk_serve();
	talk_patience = 300;
	for (talk_loopback.slice = 1; talk_loopback.slice < 8; talk_loopback.slice += 3)
		talk_all();
	talk_loopback.slice = 0;
	for (talk_loopback.pipe_room = 1; talk_loopback.pipe_room < 200;
		talk_loopback.pipe_room += 37)
		talk_all();
}

static void test_conversations_where_an_end_cannot_be_said(void)
{
	talk_loopback.has_end = false;
	talk_net->bytes = loopback_bytes(&talk_loopback);
	talk_serve();
	talk_all();
}

/* ---- what is refused ---- */

static const struct {
	const char *asked;
	int status;
	const char *words;
} refusals[] = {
	{"rubbish\r\n\r\n", 400, "not an HTTP request"},
	{"\x16\x03\x01", 400, "not an HTTP request"},
	{"GET /" H "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
		"Content-Length and chunked together"},
	{"GET /" H "X: a\r\n b\r\n\r\n", 400, "a header without a name"},
	{"BREW /pot" H "\r\n", 501, "no such method"},
	{"GET / HTTP/2.0\r\n\r\n", 505, "neither HTTP/1.1 nor HTTP/1.0"},
	{"POST /" H "Content-Length: 1025\r\n\r\n", 413, "the body is too large"},
	{"POST /" H "Expect: 100-continue\r\nContent-Length: 1025\r\n\r\n", 413,
		"the body is too large"},
	{"POST /" H "Expect: 200-ok\r\nContent-Length: 1\r\n\r\n", 417,
		"an expectation other than 100-continue"},
	{"POST /" H "Transfer-Encoding: chunked\r\n\r\nx", 400, "a chunk without a size"},
	{"POST /" H "Transfer-Encoding: chunked\r\n\r\n401\r\n", 0, ""},
};

static void test_what_is_refused_ends_the_connection(void)
{
	talk_serve();
	for (size_t i = 0; i < ARRAY_COUNT(refusals); i++) {
		struct client *c = &talk_clients[0];
		char line[32];

		talk_dial(c);
		talk_ask(c, refusals[i].asked);
		if (refusals[i].status == 0) {
			/* too large by what comes, not by what was said */
			for (uint32_t j = 0; j < 1025; j++)
				talk_say(c, "x");
			talk_listen(c);
			talk_expect(c, "HTTP/1.1 413 ");
		} else {
			snprintf(line, sizeof(line), "HTTP/1.1 %d ", refusals[i].status);
			talk_expect(c, line);
			talk_expect(c, refusals[i].words);
		}
		talk_expect(c, "\r\nConnection: close\r\n");
		TEST_ASSERT_TRUE(talk_has_ended(c));
		talk_hang_up(c);
		talk_turn(3);
		TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(talk_server).open);
	}
	TEST_ASSERT_EQUAL_UINT32(0, talk_requests);
	TEST_ASSERT_EQUAL_UINT64(ARRAY_COUNT(refusals), net_server_stats(talk_server).refused);
}

/* The answer must not be lost because more came than anybody reads. */
static void test_who_sends_on_still_hears_why_not(void)
{
	struct client *c = &talk_clients[0];
	static char much[6000];

	talk_serve();
	memset(much, 'm', sizeof(much) - 1);
	talk_dial(c);
	talk_say(c, "POST /" H "Content-Length: 100000\r\n\r\n");
	for (uint32_t i = 0; i < 10; i++)
		talk_say(c, much);
	talk_listen(c);
	talk_expect(c, "HTTP/1.1 413 ");
	talk_hang_up(c);
}

static void test_heads_have_a_limit(void)
{
	struct client *c = &talk_clients[0];
	static char head[9000];

	talk_serve();
	talk_dial(c);
	memset(head, 'p', sizeof(head) - 1);
	memcpy(head, "GET /", 5);
	talk_ask(c, head);
	talk_expect(c, "HTTP/1.1 414 ");
	talk_hang_up(c);
	talk_dial(c);
	memset(head, 'p', sizeof(head) - 1);
	memcpy(head, "GET /" H, sizeof("GET /" H) - 1);
	talk_ask(c, head);
	talk_expect(c, "HTTP/1.1 431 ");
	talk_hang_up(c);
}

static void test_trailers_have_a_limit(void)
{
	struct client *c = &talk_clients[0];

	talk_serve();
	talk_dial(c);
	talk_say(c, "POST /" H "Transfer-Encoding: chunked\r\n\r\n0\r\n");
	for (uint32_t i = 0; i <= HTTP_HEADERS_MAX; i++)
		talk_say(c, "T: u\r\n");
	talk_listen(c);
	talk_expect(c, "HTTP/1.1 431 ");
	TEST_ASSERT_TRUE(talk_has_ended(c));
	talk_hang_up(c);
}

/* ---- bodies as they come ---- */

static void test_a_body_in_slices(void)
{
	struct client *c = &talk_clients[0];
	static char much[5001];

	talk_setup.on_head = talk_on_head;
	talk_serve();
	memset(much, 'm', sizeof(much) - 1);
	talk_dial(c);
	talk_say(c, "POST /slices" H "Content-Length: 50000\r\n\r\n");
	for (uint32_t i = 0; i < 10; i++)
		talk_say(c, much);
	talk_listen(c);
	talk_expect(c, "path=/slices query= body= size=50000");
	TEST_ASSERT_EQUAL_size_t(50000, talk_slices);
	/* without on_body the body is collected, and smaller */
	talk_ask(c, "POST /else" H "Content-Length: 3\r\n\r\nabc");
	talk_expect(c, "body=abc size=3");
	TEST_ASSERT_FALSE(talk_has_ended(c));
	talk_ask(c, "GET /early" H "\r\n");
	talk_expect(c, "HTTP/1.1 404 Not Found");
	TEST_ASSERT_FALSE(talk_has_ended(c));
	TEST_ASSERT_EQUAL_UINT32(2, talk_requests);
	TEST_ASSERT_EQUAL_UINT32(3, talk_complete);
	talk_hang_up(c);
}

static void test_an_answer_before_the_body_ends_the_connection(void)
{
	struct client *c = &talk_clients[0];

	talk_setup.on_head = talk_on_head;
	talk_serve();
	talk_dial(c);
	talk_ask(c, "POST /early" H "Content-Length: 3\r\n\r\n");
	talk_expect(c, "HTTP/1.1 404 Not Found");
	talk_expect(c, "Connection: close");
	TEST_ASSERT_TRUE(talk_has_ended(c));
	talk_hang_up(c);
	talk_dial(c);
	talk_say(c, "POST /enough" H "Content-Length: 50000\r\n\r\n");
	for (uint32_t i = 0; i < 20; i++)
		talk_say(c, "0123456789");
	talk_listen(c);
	talk_expect(c, "HTTP/1.1 409 Conflict");
	TEST_ASSERT_TRUE(talk_has_ended(c));
	TEST_ASSERT_EQUAL_UINT32(0, talk_requests);
	TEST_ASSERT_EQUAL_UINT32(2, talk_complete);
	talk_hang_up(c);
}

static void test_a_body_over_the_limit_of_slices(void)
{
	struct client *c = &talk_clients[0];

	talk_setup.on_head = talk_on_head;
	talk_setup.body_max = 100;
	talk_serve();
	talk_dial(c);
	talk_ask(c, "POST /slices" H "Content-Length: 101\r\n\r\n");
	talk_expect(c, "HTTP/1.1 413 ");
	talk_hang_up(c);
	TEST_ASSERT_EQUAL_UINT32(0, talk_requests);
	TEST_ASSERT_EQUAL_UINT32(1, talk_complete);
}

/* ---- one after the other ---- */

static void test_requests_in_one_go_are_answered_in_order(void)
{
	struct client *c = &talk_clients[0];

	talk_serve();
	talk_dial(c);
	talk_ask(c,
		"GET /size/1" H "\r\nPOST /later" H "Content-Length: 2\r\n\r\nxyGET /size/2" H
		"\r\nGET /size/3" H "Connection: close\r\n\r\nGET /size/4" H "\r\n");
	talk_expect(c, "Content-Length: 1\r\n");
	TEST_ASSERT_NULL(strstr(c->heard, "Content-Length: 2\r\n"));
	TEST_ASSERT_EQUAL_UINT32(2, talk_requests);
	TEST_ASSERT_NOT_NULL(talk_later);
	TEST_ASSERT_FALSE(net_exchange_has_begun(talk_later));
	net_exchange_reply(talk_later, &(struct net_head){.status = 200}, TEXT("the second"));
	TEST_ASSERT_TRUE(net_exchange_has_begun(talk_later));
	talk_listen(c);
	const char *second = strstr(c->heard, "the second");
	TEST_ASSERT_NOT_NULL(second);
	TEST_ASSERT_NOT_NULL(strstr(second, "Content-Length: 2\r\n"));
	TEST_ASSERT_NOT_NULL(strstr(second, "Content-Length: 3\r\n"));
	TEST_ASSERT_NULL(strstr(c->heard, "Content-Length: 4\r\n"));
	TEST_ASSERT_TRUE(talk_has_ended(c));
	TEST_ASSERT_EQUAL_UINT32(4, talk_requests);
	talk_hang_up(c);
}

/* A token of a request that was answered is nowhere any more. */
static void test_server_when_a_request_is_answered_then_its_bytes_are_wiped(void)
{
	struct client *client = &talk_clients[0];

	talk_serve();
	talk_dial(client);
	talk_ask(client, "GET /hello" H "Authorization: Bearer s3cret-t0ken\r\n\r\n");
	talk_expect(client, "200 OK");
	for (uint32_t i = 0; i < talk_server->setup.connections_max; i++) {
		const char *ahead = talk_server->connections[i].ahead;
		TEST_ASSERT_FALSE(
			text_contains((struct text){ahead, SERVER_AHEAD_SIZE}, TEXT("s3cret")));
	}
	for (uint32_t i = 0; i < talk_server->setup.exchanges_max; i++) {
		const char *head = talk_server->exchanges[i].head;
		TEST_ASSERT_FALSE(text_contains(
			(struct text){head, talk_server->setup.head_max}, TEXT("s3cret")));
	}
}

static void test_one_request_a_turn(void)
{
	struct client *c = &talk_clients[0];

	talk_serve();
	talk_dial(c);
	talk_turn(5);
	for (uint32_t i = 0; i < 20; i++)
		talk_say(c, "GET /hello" H "\r\n");
	talk_turn(1);
	for (uint32_t i = 1; i <= 20; i++) {
		TEST_ASSERT_EQUAL_UINT32(i, talk_requests);
		talk_turn(1);
	}
	talk_hang_up(c);
}

static void test_another_exchange_is_answered_from_a_handler(void)
{
	talk_serve();
	talk_dial(&talk_clients[0]);
	talk_dial(&talk_clients[1]);
	talk_ask(&talk_clients[0], "GET /later" H "\r\n");
	TEST_ASSERT_NOT_NULL(talk_later);
	talk_ask(&talk_clients[1], "GET /wake" H "\r\n");
	talk_expect(&talk_clients[1], "waker");
	talk_listen(&talk_clients[0]);
	talk_expect(&talk_clients[0], "woken");
	TEST_ASSERT_EQUAL_UINT32(2, talk_complete);
	talk_hang_up(&talk_clients[0]);
	talk_hang_up(&talk_clients[1]);
}

static void test_a_lent_body(void)
{
	struct client *c = &talk_clients[0];

	talk_serve();
	talk_dial(c);
	talk_ask(c, "GET /lent" H "\r\n");
	TEST_ASSERT_EQUAL_size_t(
		sizeof(talk_lent) + strlen(A "Content-Length: 20000\r\n\r\n"), c->heard_size);
	for (size_t i = strlen(A "Content-Length: 20000\r\n\r\n"); i < c->heard_size; i++)
		TEST_ASSERT_EQUAL_CHAR('l', c->heard[i]);
	talk_hang_up(c);
}

/* ---- words ---- */

static void test_queries(void)
{
	static const struct {
		const char *query, *name, *value;
	} cases[] = {{"a=b&c=d", "a", "b"}, {"a=b&c=d", "c", "d"}, {"a=b&c=d", "b", NULL},
		{"a", "a", ""}, {"a=", "a", ""}, {"", "a", NULL}, {"a=b=c", "a", "b=c"},
		{"a=1&a=2", "a", "1"}, {"aa=1", "a", NULL}, {"&&a=1", "a", "1"}};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct text value = net_query_find(text_of(cases[i].query), cases[i].name);

		TEST_ASSERT_EQUAL_INT(cases[i].value == NULL, value.at == NULL);
		if (cases[i].value != NULL)
			TEST_ASSERT_TRUE(text_is_z(value, cases[i].value));
	}
	TEST_ASSERT_NULL(net_query_find(TEXT_NONE, "a").at);
}

static void test_escapes(void)
{
	static const struct {
		const char *escaped;
		bool in_query;
		const char *plain; /* NULL: broken */
	} cases[] = {{"a%20b", false, "a b"}, {"a+b", false, "a+b"}, {"a+b", true, "a b"},
		{"%41%5a%5A", true, "AZZ"}, {"%", true, NULL}, {"%4", true, NULL},
		{"%4g", true, NULL}, {"", true, ""}, {"%c3%a4", true, "\xc3\xa4"},
		{"seventeen letters", false, NULL}};
	char plain[16];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct writer w;

		writer_init(&w, plain, sizeof(plain));
		bool good = net_unescape(text_of(cases[i].escaped), cases[i].in_query, &w);
		TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].plain != NULL, good, cases[i].escaped);
		if (good)
			TEST_ASSERT_TRUE(text_is_z(writer_text(&w), cases[i].plain));
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_conversations);
	RUN_TEST(test_conversations_byte_by_byte);
	RUN_TEST(test_conversations_where_an_end_cannot_be_said);
	RUN_TEST(test_what_is_refused_ends_the_connection);
	RUN_TEST(test_who_sends_on_still_hears_why_not);
	RUN_TEST(test_heads_have_a_limit);
	RUN_TEST(test_trailers_have_a_limit);
	RUN_TEST(test_a_body_in_slices);
	RUN_TEST(test_an_answer_before_the_body_ends_the_connection);
	RUN_TEST(test_a_body_over_the_limit_of_slices);
	RUN_TEST(test_requests_in_one_go_are_answered_in_order);
	RUN_TEST(test_server_when_a_request_is_answered_then_its_bytes_are_wiped);
	RUN_TEST(test_one_request_a_turn);
	RUN_TEST(test_another_exchange_is_answered_from_a_handler);
	RUN_TEST(test_a_lent_body);
	RUN_TEST(test_queries);
	RUN_TEST(test_escapes);
	return UNITY_END();
}
