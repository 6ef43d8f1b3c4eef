/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader of requests' heads: a table of good and bad ones, each whole, byte by byte, cut in two
 * at every position, and in a buffer that is too small by every number of bytes.
 */
// deps: http/headers.c http/server_request.c base/text.c base/check.c base/budget.c base/trace.c
// deps: base/format.c
// deps: base/log.c base/clock.c
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/server_request_private.h"

enum { ROOM = 8192 };

static char *room; /* of exactly as many bytes as were asked for: writing behind it is seen */

void setUp(void)
{
	room = NULL;
}

void tearDown(void)
{
	free(room);
}

struct outcome {
	enum server_request_step step;
	size_t taken;
	struct server_request request;
};

/* The first slice of `first` bytes, then of `slice`. Copies each so that over-reads are seen. */
static struct outcome read_sliced(struct text bytes, size_t first, size_t slice, uint32_t size)
{
	struct outcome o = {.step = SERVER_REQUEST_NEED_MORE};
	size_t part = first;

	free(room);
	room = malloc(size);
	server_request_start(&o.request, room, size);
	for (size_t at = 0; at < bytes.size; at += part, part = slice) {
		part = part > bytes.size - at ? bytes.size - at : part;
		char *copy = malloc(part == 0 ? 1 : part);
		memcpy(copy, bytes.at + at, part);
		struct text rest = {copy, part};
		if (o.step == SERVER_REQUEST_NEED_MORE) {
			o.step = server_request_feed(&o.request, &rest);
			o.taken += part - rest.size;
			TEST_ASSERT_TRUE(o.step != SERVER_REQUEST_NEED_MORE || rest.size == 0);
		}
		free(copy);
	}
	return o;
}

#define L "GET / HTTP/1.1\r\n"
#define H L "Host: a\r\n"

static const struct {
	const char *bytes;
	enum net_method method;
	const char *path, *query; /* NULL: none */
	bool http_1_0, keep_alive, chunked, expects_continue;
	int64_t length; /* -1: not said */
} good[] = {
	{H "\r\n", NET_GET, "/", NULL, false, true, false, false, -1},
	{"\r\n" H "\r\n", NET_GET, "/", NULL, false, true, false, false, -1},
	{"HEAD /a/b?c=d&e HTTP/1.1\r\nhost:\r\n\r\n", NET_HEAD, "/a/b", "c=d&e", false, true, false,
		false, -1},
	{"POST /%20? HTTP/1.1\r\nHOST: a:1\r\nContent-Length: 0\r\n\r\n", NET_POST, "/%20", "",
		false, true, false, false, 0},
	{"PUT /a?b?c HTTP/1.1\r\nHost: [::1]:1\r\ncontent-length:\t12 \r\n\r\n", NET_PUT, "/a",
		"b?c", false, true, false, false, 12},
	{"PATCH //a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n", NET_PATCH, "//a",
		NULL, false, true, true, false, -1},
	{"DELETE /;:@&=+$,!~*'()[]- HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", NET_DELETE,
		"/;:@&=+$,!~*'()[]-", NULL, false, false, false, false, -1},
	{"OPTIONS / HTTP/1.1\r\nHost: a\r\nConnection: x, Close ,y\r\n\r\n", NET_OPTIONS, "/", NULL,
		false, false, false, false, -1},
	{H "Connection: keep-alive, close\r\n\r\n", NET_GET, "/", NULL, false, false, false, false,
		-1},
	{"GET / HTTP/1.0\r\n\r\n", NET_GET, "/", NULL, true, false, false, false, -1},
	{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", NET_GET, "/", NULL, true, true, false,
		false, -1},
	{"POST / HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n", NET_POST, "/",
		NULL, true, false, false, false, 3},
	{"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n",
		NET_POST, "/", NULL, false, true, false, true, 3},
	{H "X: \x80\xff\t y\r\n\r\n", NET_GET, "/", NULL, false, true, false, false, -1},
	{H "Content-Length: 999999999999999999\r\n\r\n", NET_GET, "/", NULL, false, true, false,
		false, 999999999999999999},
};

static const struct {
	const char *bytes;
	uint16_t status;
	const char *fault;
} bad[] = {
	/* not HTTP */
	{" GET / HTTP/1.1\r\n", 400, "not an HTTP request"},
	{"\r\n\r\n", 400, "not an HTTP request"},
	{"\n", 400, "not an HTTP request"},
	{"\rGET", 400, "a lone carriage return"},
	{"G\x01T", 400, "not an HTTP request"},
	{"\x16\x03\x01\x02", 400, "not an HTTP request"},
	{"GET\r\n", 400, "not an HTTP request"},
	{"GET / http/1.1\r\n", 400, "not an HTTP request"},
	{"GET / \r\n", 400, "not an HTTP request"},
	{"GET /\r\n", 400, "a character in the target that is not escaped"},
	{"GET  / HTTP/1.1\r\n", 400, "a target that does not begin with /"},
	{"GET / HTTP/1.1 \r\n", 400, "a broken request line"},
	{"GET / HTTP/1.1\n", 400, "a broken request line"},
	{"GET / HTTP/1.1\rH", 400, "a lone carriage return"},
	{"GET / HTTP/1.10\r\n", 400, "a broken request line"},
	{"GET / HTTP/1.2\r\n", 505, "neither HTTP/1.1 nor HTTP/1.0"},
	{"GET / HTTP/2.0\r\n", 505, "neither HTTP/1.1 nor HTTP/1.0"},
	{"GET / HTTP/11\r\n", 505, "neither HTTP/1.1 nor HTTP/1.0"},
	{"PRI * HTTP/2.0\r\n", 501, "no such method"},
	/* methods */
	{"get / HTTP/1.1\r\n", 501, "no such method"},
	{"GETT / HTTP/1.1\r\n", 501, "no such method"},
	{"CONNECT a:1 HTTP/1.1\r\n", 501, "no such method"},
	{"TRACE / HTTP/1.1\r\n", 501, "no such method"},
	{"METHODICAL / HTTP/1.1\r\n", 501, "no such method"},
	/* targets */
	{"GET http://a/ HTTP/1.1\r\n", 400, "a target that does not begin with /"},
	{"OPTIONS * HTTP/1.1\r\n", 400, "a target that does not begin with /"},
	{"GET /a\tb HTTP/1.1\r\n", 400, "a character in the target that is not escaped"},
	{"GET /a#b HTTP/1.1\r\n", 400, "a character in the target that is not escaped"},
	{"GET /<b> HTTP/1.1\r\n", 400, "a character in the target that is not escaped"},
	{"GET /a\\b HTTP/1.1\r\n", 400, "a character in the target that is not escaped"},
	{"GET /\xc3\xa4 HTTP/1.1\r\n", 400, "a character in the target that is not escaped"},
	{"GET /\x7f HTTP/1.1\r\n", 400, "a character in the target that is not escaped"},
	/* headers */
	{H " X: a\r\n\r\n", 400, "a header without a name"},
	{H "X: a\r\n b\r\n\r\n", 400, "a header without a name"},
	{H ": a\r\n\r\n", 400, "a header without a name"},
	{H "\n", 400, "a header without a name"},
	{H "X : a\r\n\r\n", 400, "a broken header name"},
	{H "X\r\n\r\n", 400, "a broken header name"},
	{H "X\xc3\xa4: a\r\n\r\n", 400, "a broken header name"},
	{H "X: a\n\r\n", 400, "a control character in a header"},
	{H "X: a\x01\r\n\r\n", 400, "a control character in a header"},
	{H "X: a\rb\r\n\r\n", 400, "a lone carriage return"},
	{H "\rX", 400, "a lone carriage return"},
	{H "Host: a\r\n\r\n", 400, "two Host headers"},
	{L "Host: a b\r\n\r\n", 400, "Host is not a name"},
	{L "Host: \xc3\xa4\r\n\r\n", 400, "Host is not a name"},
	{L "\r\n", 400, "no Host header"},
	{H "Authorization: a\r\nAuthorization: b\r\n\r\n", 400,
		"a header twice that may be there once"},
	{H "Content-Type: a\r\nX: y\r\ncontent-type: a\r\n\r\n", 400,
		"a header twice that may be there once"},
	/* lengths */
	{H "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", 400, "two Content-Length headers"},
	{H "Content-Length: 3, 3\r\n\r\n", 400, "Content-Length is not a number"},
	{H "Content-Length: +3\r\n\r\n", 400, "Content-Length is not a number"},
	{H "Content-Length: -3\r\n\r\n", 400, "Content-Length is not a number"},
	{H "Content-Length: 0x3\r\n\r\n", 400, "Content-Length is not a number"},
	{H "Content-Length:\r\n\r\n", 400, "Content-Length is not a number"},
	{H "Content-Length: 3 3\r\n\r\n", 400, "Content-Length is not a number"},
	{H "Content-Length: 9999999999999999999\r\n\r\n", 400, "Content-Length is not a number"},
	{H "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
		"Content-Length and chunked together"},
	{H "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
		"two Transfer-Encoding headers"},
	{H "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "a transfer coding other than chunked"},
	{H "Transfer-Encoding: identity\r\n\r\n", 501, "a transfer coding other than chunked"},
	{H "Transfer-Encoding:\r\n\r\n", 501, "a transfer coding other than chunked"},
	{"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "chunked in HTTP/1.0"},
	{H "Expect: 200-ok\r\n\r\n", 417, "an expectation other than 100-continue"},
};

static void check_good(size_t i, struct outcome o)
{
	const struct server_request *r = &o.request;
	const char *name = good[i].bytes;

	TEST_ASSERT_EQUAL_INT_MESSAGE(SERVER_REQUEST_DONE, o.step, name);
	TEST_ASSERT_EQUAL_size_t_MESSAGE(strlen(name), o.taken, name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].method, r->method, name);
	TEST_ASSERT_TRUE_MESSAGE(text_is_z(r->path, good[i].path), name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].query == NULL, r->query.at == NULL, name);
	if (good[i].query != NULL)
		TEST_ASSERT_TRUE_MESSAGE(text_is_z(r->query, good[i].query), name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].http_1_0, r->http_1_0, name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].keep_alive, r->keep_alive, name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].chunked, r->framing.chunked, name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].expects_continue, r->expects_continue, name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(good[i].length >= 0, r->framing.sized, name);
	if (r->framing.sized)
		TEST_ASSERT_EQUAL_UINT64_MESSAGE((uint64_t)good[i].length, r->framing.length, name);
}

static void test_good_ones_in_every_slicing(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
		struct text bytes = text_of(good[i].bytes);

		check_good(i, read_sliced(bytes, bytes.size, bytes.size, ROOM));
		check_good(i, read_sliced(bytes, 1, 1, ROOM));
		for (size_t cut = 0; cut <= bytes.size; cut++)
			check_good(i, read_sliced(bytes, cut, bytes.size, ROOM));
		for (size_t cut = 0; cut < bytes.size; cut++)
			TEST_ASSERT_EQUAL_INT(SERVER_REQUEST_NEED_MORE,
				read_sliced(text_first(bytes, cut), cut, cut, ROOM).step);
	}
}

static void check_bad(size_t i, struct outcome o)
{
	const char *name = bad[i].bytes;

	TEST_ASSERT_EQUAL_INT_MESSAGE(SERVER_REQUEST_REFUSED, o.step, name);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(bad[i].fault, o.request.fault, name);
	TEST_ASSERT_EQUAL_UINT16_MESSAGE(bad[i].status, o.request.status, name);
}

static void test_bad_ones_in_every_slicing(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
		struct text bytes = text_of(bad[i].bytes);

		check_bad(i, read_sliced(bytes, bytes.size, bytes.size, ROOM));
		check_bad(i, read_sliced(bytes, 1, 1, ROOM));
		for (size_t cut = 0; cut <= bytes.size; cut++)
			check_bad(i, read_sliced(bytes, cut, bytes.size, ROOM));
	}
}

/* With as many bytes as the head has it fits, with one less it is refused, and nothing is written
 * behind the buffer. */
static void test_heads_that_just_fit(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
		struct text bytes = text_of(good[i].bytes);

		check_good(i, read_sliced(bytes, bytes.size, bytes.size, (uint32_t)bytes.size));
		for (uint32_t size = 1; size < bytes.size; size++) {
			struct outcome o = read_sliced(bytes, bytes.size, bytes.size, size);

			TEST_ASSERT_EQUAL_INT(SERVER_REQUEST_REFUSED, o.step);
			TEST_ASSERT_TRUE(o.request.status == 431 || o.request.status == 414);
		}
	}
}

static void test_what_is_left_over_is_not_taken(void)
{
	struct text two = TEXT(H "\r\n" H "\r\n");
	struct outcome o = read_sliced(two, two.size, two.size, ROOM);
	struct text more = TEXT("x");

	TEST_ASSERT_EQUAL_INT(SERVER_REQUEST_DONE, o.step);
	TEST_ASSERT_EQUAL_size_t(two.size / 2, o.taken);
	TEST_ASSERT_EQUAL_INT(SERVER_REQUEST_DONE, server_request_feed(&o.request, &more));
	TEST_ASSERT_EQUAL_size_t(1, more.size);
}

static void test_headers_by_name(void)
{
	struct text bytes =
		TEXT("GET /accept:no HTTP/1.1\r\nHost: a\r\nAccept:\t */* \r\n"
		     "X-Group: one\r\nACCEPT-ENCODING: gzip\r\nX-GROUP:two\r\nEmpty:\r\n"
		     "x-group: \r\n\r\n");
	struct outcome o = read_sliced(bytes, 3, 5, ROOM);
	static const struct {
		const char *name;
		uint32_t n;
		const char *value;
	} cases[] = {{"host", 0, "a"}, {"accept", 0, "*/*"}, {"accept", 1, NULL},
		{"x-group", 0, "one"}, {"x-group", 1, "two"}, {"x-group", 2, ""},
		{"x-group", 3, NULL}, {"empty", 0, ""}, {"accept-encoding", 0, "gzip"},
		{"accept-enc", 0, NULL}, {"x", 0, NULL}, {"", 0, NULL}};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct text value = server_request_header(&o.request, cases[i].name, cases[i].n);

		TEST_ASSERT_EQUAL_INT_MESSAGE(
			cases[i].value == NULL, value.at == NULL, cases[i].name);
		if (cases[i].value != NULL)
			TEST_ASSERT_TRUE_MESSAGE(text_is_z(value, cases[i].value), cases[i].name);
	}
}

static void test_too_many_headers(void)
{
	static char many[ROOM];
	struct writer w;

	writer_init(&w, many, sizeof(many));
	write_z(&w, H);
	for (uint32_t i = 1; i < SERVER_REQUEST_HEADERS_MAX; i++)
		write_z(&w, "X: y\r\n");
	size_t fits = w.used;
	write_z(&w, "\r\n");
	TEST_ASSERT_EQUAL_INT(
		SERVER_REQUEST_DONE, read_sliced(writer_text(&w), w.used, w.used, ROOM).step);
	w.used = fits;
	write_z(&w, "X: y\r\n\r\n");
	struct outcome o = read_sliced(writer_text(&w), w.used, w.used, ROOM);
	TEST_ASSERT_EQUAL_INT(SERVER_REQUEST_REFUSED, o.step);
	TEST_ASSERT_EQUAL_STRING("too many headers", o.request.fault);
	TEST_ASSERT_EQUAL_UINT16(431, o.request.status);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_good_ones_in_every_slicing);
	RUN_TEST(test_bad_ones_in_every_slicing);
	RUN_TEST(test_heads_that_just_fit);
	RUN_TEST(test_what_is_left_over_is_not_taken);
	RUN_TEST(test_headers_by_name);
	RUN_TEST(test_too_many_headers);
	return UNITY_END();
}
