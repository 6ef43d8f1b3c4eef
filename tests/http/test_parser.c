/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader of HTTP answers: a table of good and bad ones, and every recorded answer of a real
 * apiserver, each whole, byte by byte, cut in two and cut off at every position.
 */
// deps: http/headers.c http/parser.c base/text.c base/check.c
// deps: base/budget.c base/trace.c base/log.c base/clock.c
// deps: base/format.c
#include "unity.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/parser_private.h"

enum { FILE_MAX = 64 * 1024 };

static char body[FILE_MAX];
static char expected[FILE_MAX];
static char answer[FILE_MAX];

void setUp(void)
{
}

void tearDown(void)
{
}

struct outcome {
	enum http_step step;
	size_t body_size;
	size_t taken;
	struct http http;
};

static void feed(struct outcome *o, struct text bytes)
{
	struct text part;
	size_t before = bytes.size;

	while (o->step == HTTP_NEED_MORE || o->step == HTTP_BODY) {
		o->step = http_feed(&o->http, &bytes, &part);
		if (o->step == HTTP_NEED_MORE)
			break;
		TEST_ASSERT_TRUE(part.size <= sizeof(body) - o->body_size);
		if (part.size > 0)
			memcpy(body + o->body_size, part.at, part.size);
		o->body_size += part.size;
	}
	o->taken += before - bytes.size;
}

/* In slices of `slice` bytes, the first one of `first`. Copies each so that over-reads are seen. */
static struct outcome read_sliced(struct text bytes, size_t first, size_t slice)
{
	struct outcome o = {.step = HTTP_NEED_MORE};
	size_t size = first;

	http_start(&o.http);
	for (size_t at = 0; at < bytes.size; at += size, size = slice) {
		size = size > bytes.size - at ? bytes.size - at : size;
		char *copy = malloc(size == 0 ? 1 : size);
		memcpy(copy, bytes.at + at, size);
		feed(&o, (struct text){copy, size});
		free(copy);
	}
	return o;
}

static struct outcome read_whole(struct text bytes)
{
	return read_sliced(bytes, bytes.size, bytes.size);
}

/* More than is kept of a header. */
#define SPACES_10 "          "
#define SPACES \
	SPACES_10 SPACES_10 SPACES_10 SPACES_10 SPACES_10 SPACES_10 SPACES_10 SPACES_10 SPACES_10
#define H "HTTP/1.1 200 OK\r\n"

static const struct {
	const char *bytes;
	enum http_step step; /* after the end of the stream */
	int status;
	const char *body;
	bool keep_alive;
	const char *fault;
} cases[] = {
	{H "Content-Length: 3\r\n\r\nabc", HTTP_DONE, 200, "abc", true, NULL},
	{H "content-length:3\r\n\r\nabc", HTTP_DONE, 200, "abc", true, NULL},
	{H "Content-Length: \t3 \t\r\n\r\nabc", HTTP_DONE, 200, "abc", true, NULL},
	{H "Content-Length: 0\r\n\r\n", HTTP_DONE, 200, "", true, NULL},
	{H "Content-Length: 0\r\nConnection: close\r\n\r\n", HTTP_DONE, 200, "", false, NULL},
	{H "Connection: a, Close ,b\r\nContent-Length: 0\r\n\r\n", HTTP_DONE, 200, "", false, NULL},
	{H "Connection: keep-alive\r\nContent-Length: 0\r\n\r\n", HTTP_DONE, 200, "", true, NULL},
	{"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", HTTP_DONE, 200, "x", false, NULL},
	{"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", HTTP_DONE, 200, "x", true, NULL},
	{"HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx", HTTP_DONE, 200, "x", true, NULL},
	{"HTTP/1.1 204 No Content\r\n\r\n", HTTP_DONE, 204, "", true, NULL},
	{"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", HTTP_DONE, 304, "", true, NULL},
	{"HTTP/1.1 100 Continue\r\n\r\n" H "Content-Length: 1\r\n\r\nx", HTTP_DONE, 200, "x", true,
		NULL},
	{"HTTP/1.1 103 E\r\nConnection: close\r\n\r\n" H "Content-Length: 1\r\n\r\nx", HTTP_DONE,
		200, "x", true, NULL},
	{H "\r\nto the end", HTTP_DONE, 200, "to the end", false, NULL},
	{H "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", HTTP_DONE, 200, "abc", true,
		NULL},
	{H "Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n00\r\n\r\n", HTTP_DONE,
		200, "abc0123456789", true, NULL},
	{H "Transfer-Encoding: chunked\r\n\r\n3;x=\"y\";z\r\nabc\r\n0 ; e\r\nA: "
	   "b\r\nContent-Length: 7\r\n\r\n",
		HTTP_DONE, 200, "abc", true, NULL},
	{H "X: \x80\xff\r\n\r\n", HTTP_DONE, 200, "", false, NULL},
	/* cut off */
	{"", HTTP_BROKEN, 0, "", false, "the answer was cut off"},
	{H, HTTP_BROKEN, 0, "", false, "the answer was cut off"},
	{H "Content-Length: 3\r\n\r\nab", HTTP_BROKEN, 200, "ab", true, "the answer was cut off"},
	{H "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", HTTP_BROKEN, 200, "abc", true,
		"the answer was cut off"},
	{H "Transfer-Encoding: chunked\r\n\r\n0\r\n", HTTP_BROKEN, 200, "", true,
		"the answer was cut off"},
	/* two readers could disagree */
	{H "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", HTTP_BROKEN, 0, "", false,
		"two Content-Length headers"},
	{H "Content-Length: 3, 3\r\n\r\nabc", HTTP_BROKEN, 0, "", false,
		"Content-Length is not a number"},
	{H "Content-Length: +3\r\n\r\nabc", HTTP_BROKEN, 0, "", false,
		"Content-Length is not a number"},
	{H "Content-Length: -3\r\n\r\nabc", HTTP_BROKEN, 0, "", false,
		"Content-Length is not a number"},
	{H "Content-Length: 0x3\r\n\r\nabc", HTTP_BROKEN, 0, "", false,
		"Content-Length is not a number"},
	{H "Content-Length:\r\n\r\nabc", HTTP_BROKEN, 0, "", false,
		"Content-Length is not a number"},
	{H "Content-Length: 99999999999999999999\r\n\r\n", HTTP_BROKEN, 0, "", false,
		"Content-Length is not a number"},
	{H "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", HTTP_BROKEN, 0, "", false,
		"Content-Length and chunked together"},
	{H "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", HTTP_BROKEN, 0, "",
		false, "two Transfer-Encoding headers"},
	{H "Transfer-Encoding: gzip, chunked\r\n\r\n", HTTP_BROKEN, 0, "", false,
		"a transfer coding other than chunked"},
	{H "Transfer-Encoding: chunked" SPACES ", gzip\r\n\r\n0\r\n\r\n", HTTP_BROKEN, 0, "", false,
		"a header about the body is too long"},
	{H "Content-Length: 3" SPACES "0\r\n\r\nabc", HTTP_BROKEN, 0, "", false,
		"a header about the body is too long"},
	{H "Transfer-Encoding: \x0b"
	   "chunked\r\n\r\n",
		HTTP_BROKEN, 0, "", false, "a control character in a header"},
	{"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", HTTP_BROKEN, 0, "", false,
		"chunked in HTTP/1.0"},
	{H "Content-Length : 3\r\n\r\nabc", HTTP_BROKEN, 0, "", false, "a broken header name"},
	{H "X: a\r\n b\r\n\r\n", HTTP_BROKEN, 0, "", false, "a header without a name"},
	{H "X: a\n\r\n", HTTP_BROKEN, 0, "", false, "a control character in a header"},
	{H "X: a\rb\r\n\r\n", HTTP_BROKEN, 0, "", false, "a lone carriage return"},
	{H ": a\r\n\r\n", HTTP_BROKEN, 0, "", false, "a header without a name"},
	{H "X\r\n\r\n", HTTP_BROKEN, 0, "", false, "a broken header name"},
	{H "\n", HTTP_BROKEN, 0, "", false, "a header without a name"},
	/* not HTTP */
	{"HTTP/1.1 200 OK\n", HTTP_BROKEN, 0, "", false, "a broken status line"},
	{"HTTP/2.0 200 OK\r\n\r\n", HTTP_BROKEN, 0, "", false, "not an HTTP answer"},
	{"HTTP/1.2 200 OK\r\n\r\n", HTTP_BROKEN, 0, "", false, "not HTTP/1.1"},
	{"http/1.1 200 OK\r\n\r\n", HTTP_BROKEN, 0, "", false, "not an HTTP answer"},
	{"HTTP/1.1 20 OK\r\n\r\n", HTTP_BROKEN, 0, "", false, "the status is not a number"},
	{"HTTP/1.1 2000 OK\r\n\r\n", HTTP_BROKEN, 0, "", false, "a broken status line"},
	{"HTTP/1.1 099 OK\r\n\r\n", HTTP_BROKEN, 0, "", false, "no such status"},
	{"HTTP/1.1 600 OK\r\n\r\n", HTTP_BROKEN, 0, "", false, "no such status"},
	{"HTTP/1.1 101 Switching\r\n\r\n", HTTP_BROKEN, 0, "", false,
		"switching protocols was not asked for"},
	{"\x15\x03\x01", HTTP_BROKEN, 0, "", false, "not an HTTP answer"},
	/* chunks */
	{H "Transfer-Encoding: chunked\r\n\r\n\r\n", HTTP_BROKEN, 200, "", true,
		"a chunk without a size"},
	{H "Transfer-Encoding: chunked\r\n\r\nx\r\n", HTTP_BROKEN, 200, "", true,
		"a chunk without a size"},
	{H "Transfer-Encoding: chunked\r\n\r\n3x\r\n", HTTP_BROKEN, 200, "", true,
		"the size of a chunk is not a number"},
	{H "Transfer-Encoding: chunked\r\n\r\n1234567890abcdef\r\n", HTTP_BROKEN, 200, "", true,
		"a chunk of impossible size"},
	{H "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", HTTP_BROKEN, 200, "abc", true,
		"a chunk longer than its size"},
	{H "Transfer-Encoding: chunked\r\n\r\n3\nabc", HTTP_BROKEN, 200, "", true,
		"the size of a chunk is not a number"},
	{H "Transfer-Encoding: chunked\r\n\r\n3;\nabc", HTTP_BROKEN, 200, "", true,
		"a control character in a chunk extension"},
	{H "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\n\n", HTTP_BROKEN, 200, "abc", true,
		"a chunk longer than its size"},
	{H "Transfer-Encoding: chunked\r\n\r\n0\r\nbad trailer\r\n\r\n", HTTP_BROKEN, 200, "", true,
		"a broken header name"},
};

static void check_case(size_t i, struct outcome o)
{
	char name[32];

	snprintf(name, sizeof(name), "case %zu", i);
	if (o.step == HTTP_NEED_MORE)
		o.step = http_end(&o.http);
	TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].step, o.step, name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].status, o.http.status, name);
	TEST_ASSERT_EQUAL_size_t_MESSAGE(strlen(cases[i].body), o.body_size, name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(cases[i].body, body, o.body_size), name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].keep_alive, o.http.keep_alive, name);
	if (cases[i].fault != NULL)
		TEST_ASSERT_EQUAL_STRING_MESSAGE(cases[i].fault, o.http.fault, name);
	else
		TEST_ASSERT_NULL_MESSAGE(o.http.fault, name);
}

static void test_table_whole_and_cut_everywhere(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct text bytes = text_of(cases[i].bytes);

		check_case(i, read_whole(bytes));
		check_case(i, read_sliced(bytes, 1, 1));
		for (size_t cut = 0; cut <= bytes.size; cut++)
			check_case(i, read_sliced(bytes, cut, bytes.size));
	}
}

static void test_leftover_bytes_are_not_taken(void)
{
	struct text two = TEXT(H "Content-Length: 1\r\n\r\nxHTTP/1.1 204 N\r\n\r\n");
	struct outcome o = read_whole(two);

	TEST_ASSERT_EQUAL_INT(HTTP_DONE, o.step);
	TEST_ASSERT_EQUAL_size_t(sizeof(H "Content-Length: 1\r\n\r\nx") - 1, o.taken);
}

static void test_retry_after(void)
{
	static const struct {
		const char *value;
		int64_t seconds;
	} values[] = {{"1", 1}, {"120", 120}, {"", -1}, {"-1", -1}, {"1.5", -1}, {"9999999999", -1},
		{"Wed, 21 Oct 2015 07:28:00 GMT", -1}};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		int size = snprintf(answer, sizeof(answer),
			"HTTP/1.1 429 Too Many\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n",
			values[i].value);
		struct outcome o = read_whole((struct text){answer, (size_t)size});

		TEST_ASSERT_EQUAL_INT(HTTP_DONE, o.step);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(
			values[i].seconds, o.http.retry_after_s, values[i].value);
	}
}

static void test_parser_when_a_date_is_said_then_it_is_seconds(void)
{
	static const struct {
		const char *value;
		int64_t seconds;
	} values[] = {{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0}, {"Tue, 19 Jan 2038 03:14:08 GMT", 2147483648},
		{"Sun, 06 Nov 1994 08:49:37 EST", -1}, {"Sunday, 06-Nov-94 08:49:37 GMT", -1},
		{"Sun, 06 Now 1994 08:49:37 GMT", -1}, {"Sun, 32 Nov 1994 08:49:37 GMT", -1},
		{"Sun, 06 Nov 1994 24:49:37 GMT", -1}, {"Sun, 06 Nov 0001 08:49:37 GMT", -1},
		{"Sun, x6 Nov 1994 08:49:37 GMT", -1}, {"", -1}};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		int size = snprintf(answer, sizeof(answer),
			"HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Length: 0\r\n\r\n",
			values[i].value);
		struct outcome o = read_whole((struct text){answer, (size_t)size});

		TEST_ASSERT_EQUAL_INT(HTTP_DONE, o.step);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(values[i].seconds, o.http.date_s, values[i].value);
	}
}

static void repeat(struct writer *w, const char *part, size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_z(w, part);
}

static enum http_step read_repeated(
	const char *start, const char *part, size_t count, const char *end)
{
	static char many[512 * 1024];
	struct writer w;

	writer_init(&w, many, sizeof(many));
	write_z(&w, start);
	repeat(&w, part, count);
	write_z(&w, end);
	TEST_ASSERT_FALSE(w.overflowed);
	return read_whole(writer_text(&w)).step;
}

static void test_limits(void)
{
	const char *end = "Content-Length: 0\r\n\r\n", *interim = "HTTP/1.1 102 P\r\n\r\n";
	const char *chunked = H "Transfer-Encoding: chunked\r\n\r\n0\r\n";

	TEST_ASSERT_EQUAL_INT(HTTP_DONE, read_repeated(H, "A: b\r\n", HTTP_HEADERS_MAX - 1, end));
	TEST_ASSERT_EQUAL_INT(HTTP_TOO_BIG, read_repeated(H, "A: b\r\n", HTTP_HEADERS_MAX, end));
	TEST_ASSERT_EQUAL_INT(HTTP_DONE,
		read_repeated(H "A: ", "v", HTTP_HEAD_MAX - 100, "\r\n\r\n") == HTTP_NEED_MORE
			? HTTP_DONE
			: HTTP_BROKEN);
	TEST_ASSERT_EQUAL_INT(HTTP_TOO_BIG, read_repeated(H "A: ", "v", HTTP_HEAD_MAX, "\r\n\r\n"));
	TEST_ASSERT_EQUAL_INT(HTTP_TOO_BIG, read_repeated(H, "v", HTTP_HEAD_MAX, ": a\r\n\r\n"));
	TEST_ASSERT_EQUAL_INT(
		HTTP_TOO_BIG, read_repeated("HTTP/1.1 200 ", "v", HTTP_HEAD_MAX, "\r\n"));
	TEST_ASSERT_EQUAL_INT(
		HTTP_DONE, read_repeated("", interim, HTTP_INTERIM_MAX, "HTTP/1.1 204 N\r\n\r\n"));
	TEST_ASSERT_EQUAL_INT(HTTP_TOO_BIG,
		read_repeated("", interim, HTTP_INTERIM_MAX + 1, "HTTP/1.1 204 N\r\n\r\n"));
	TEST_ASSERT_EQUAL_INT(
		HTTP_TOO_BIG, read_repeated(chunked, "T: v\r\n", HTTP_HEADERS_MAX, "\r\n"));
	TEST_ASSERT_EQUAL_INT(HTTP_TOO_BIG,
		read_repeated(
			H "Transfer-Encoding: chunked\r\n\r\n1;", "e", HTTP_HEAD_MAX, "\r\n"));
	/* each chunk has its own limit: a watch may last for hours */
	TEST_ASSERT_EQUAL_INT(HTTP_DONE,
		read_repeated(
			H "Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n", 40000, "0\r\n\r\n"));
}

static void test_a_long_connection_header_means_close(void)
{
	TEST_ASSERT_EQUAL_INT(HTTP_DONE,
		read_repeated(H "Connection: ", "x,", 200, "close\r\nContent-Length: 0\r\n\r\n"));
	struct outcome o = read_whole(TEXT(H "Connection: "
					     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
					     "xxxxxxxxxxxxxxxxxxxxxxxx,close\r\n"
					     "Content-Length: 0\r\n\r\n"));
	TEST_ASSERT_FALSE(o.http.keep_alive);
}

static void test_faults_stick(void)
{
	struct http http;
	struct text bad = TEXT("x"), more = TEXT(H), part;

	http_start(&http);
	TEST_ASSERT_EQUAL_INT(HTTP_BROKEN, http_feed(&http, &bad, &part));
	TEST_ASSERT_EQUAL_INT(HTTP_BROKEN, http_feed(&http, &more, &part));
	TEST_ASSERT_EQUAL_INT(HTTP_BROKEN, http_end(&http));
}

/* ---- recorded answers ---- */

/* The body by a second, slow and obvious way. */
static size_t decode_slowly(struct text bytes, char *to)
{
	char *end = strstr(bytes.at, "\r\n\r\n");
	bool chunked = strstr(bytes.at, "Transfer-Encoding: chunked\r\n") != NULL;
	char *at = end + 4;
	size_t size = 0;

	if (!chunked) {
		size = (size_t)(bytes.at + bytes.size - at);
		memcpy(to, at, size);
		return size;
	}
	for (;;) {
		size_t chunk = (size_t)strtoul(at, &at, 16);
		if (chunk == 0)
			return size;
		memcpy(to + size, at + 2, chunk);
		size += chunk;
		at += 2 + chunk + 2;
	}
}

static void check_transcript(const char *name, struct text bytes)
{
	size_t size = decode_slowly(bytes, expected);
	bool to_end = strstr(bytes.at, "Transfer-Encoding") == NULL &&
		strstr(bytes.at, "Content-Length") == NULL;

	TEST_ASSERT_FALSE_MESSAGE(to_end, name);
	for (size_t cut = 0; cut <= bytes.size; cut++) {
		struct outcome o = read_sliced(bytes, cut, bytes.size);

		TEST_ASSERT_EQUAL_INT_MESSAGE(HTTP_DONE, o.step, name);
		TEST_ASSERT_EQUAL_size_t_MESSAGE(size, o.body_size, name);
		TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(expected, body, size), name);
		TEST_ASSERT_EQUAL_INT_MESSAGE(atoi(bytes.at + 9), o.http.status, name);
		TEST_ASSERT_EQUAL_size_t_MESSAGE(bytes.size, o.taken, name);
		TEST_ASSERT_TRUE_MESSAGE(o.http.keep_alive, name);
		if (cut == bytes.size)
			continue;
		o = read_whole(text_first(bytes, cut));
		TEST_ASSERT_EQUAL_INT_MESSAGE(HTTP_BROKEN, http_end(&o.http), name);
	}
	struct outcome o = read_sliced(bytes, 1, 1);
	TEST_ASSERT_EQUAL_INT_MESSAGE(HTTP_DONE, o.step, name);
	TEST_ASSERT_EQUAL_size_t_MESSAGE(size, o.body_size, name);
}

static void test_recorded_answers(void)
{
	DIR *folder = opendir("tests/net/data");
	int count = 0;

	TEST_ASSERT_NOT_NULL(folder);
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		char path[300];

		if (strstr(entry->d_name, ".txt") == NULL)
			continue;
		snprintf(path, sizeof(path), "tests/net/data/%s", entry->d_name);
		FILE *file = fopen(path, "rb");
		TEST_ASSERT_NOT_NULL(file);
		size_t size = fread(answer, 1, sizeof(answer) - 1, file);
		answer[size] = '\0';
		fclose(file);
		/* before the answer stands the request */
		char *start = strstr(answer, "\nHTTP/1.1 ");
		TEST_ASSERT_NOT_NULL_MESSAGE(start, entry->d_name);
		start++;
		check_transcript(
			entry->d_name, (struct text){start, size - (size_t)(start - answer)});
		count++;
	}
	closedir(folder);
	TEST_ASSERT_GREATER_OR_EQUAL_INT(27, count);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_table_whole_and_cut_everywhere);
	RUN_TEST(test_leftover_bytes_are_not_taken);
	RUN_TEST(test_retry_after);
	RUN_TEST(test_parser_when_a_date_is_said_then_it_is_seconds);
	RUN_TEST(test_limits);
	RUN_TEST(test_a_long_connection_header_means_close);
	RUN_TEST(test_faults_stick);
	RUN_TEST(test_recorded_answers);
	return UNITY_END();
}
