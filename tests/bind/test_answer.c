/* SPDX-License-Identifier: GPL-2.0-only */
/* What answers to a binding mean: those an apiserver gave, and those it might. */
// deps: base/*.c json/*.c kube/*.c bind/body_answer.c
#include "kube/fixture.h"

#include "bind/body.h"

enum { FILE_MAX = 4096, NO_HEADER = -1 };

void setUp(void)
{
	fixture_start();
}

void tearDown(void)
{
	fixture_end();
}

static const struct {
	const char *name;
	enum bind_answer answer;
} given[] = {
	{"bind-created", BIND_DONE},
	{"bind-conflict", BIND_CONFLICT},
	{"bind-uid-mismatch", BIND_UID_MISMATCH},
	{"bind-notfound", BIND_GONE},
	{"bind-bad-json", BIND_REFUSED},
	{"forbidden", BIND_REFUSED},
	{"unauthorized", BIND_REFUSED},
};

static void test_answers_of_an_apiserver(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(given); i++) {
		char path[128], bytes[FILE_MAX];
		struct kube_status status;
		uint32_t wait = 9;
		snprintf(path, sizeof(path), "tests/json/data/%s.json", given[i].name);
		FILE *file = fopen(path, "rb");
		TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
		size_t size = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
		TEST_ASSERT_TRUE(kube_status_decode(
			fixture_cut((struct text){bytes, size}, kube_status_want), &status));
		struct body_reply reply = {status.code, NO_HEADER, &status};
		TEST_ASSERT_EQUAL_MESSAGE(given[i].answer, bind_answer(&reply, &wait), path);
		TEST_ASSERT_EQUAL(0, wait);
	}
}

/* The body of its 429 is not JSON: header and code say it all. */
static void test_throttled(void)
{
	char line[256];
	struct body_reply reply = {0, NO_HEADER, NULL};
	uint32_t wait = 0;
	FILE *file = fopen("tests/net/data/throttled-429.txt", "rb");
	TEST_ASSERT_NOT_NULL(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, "HTTP/1.1 ", 9) == 0)
			reply.http = (int32_t)strtol(line + 9, NULL, 10);
		if (strncmp(line, "Retry-After: ", 13) == 0)
			reply.retry_after_seconds = (int32_t)strtol(line + 13, NULL, 10);
	}
	fclose(file);
	TEST_ASSERT_EQUAL(429, reply.http);
	TEST_ASSERT_EQUAL(BIND_RETRY_LATER, bind_answer(&reply, &wait));
	TEST_ASSERT_EQUAL(1, wait);
}

static void test_answers(void)
{
	static const struct {
		int32_t http, header;
		const char *status; /* NULL: not a Status */
		enum bind_answer answer;
		uint32_t wait;
	} rows[] = {
		{200, NO_HEADER, NULL, BIND_DONE, 0},
		{201, NO_HEADER, NULL, BIND_DONE, 0},
		{201, 5, "{\"kind\":\"Status\",\"status\":\"Success\"}", BIND_DONE, 0},
		{200, NO_HEADER, "{\"kind\":\"Status\",\"status\":\"Failure\"}", BIND_UNCLEAR, 0},
		{409, NO_HEADER, NULL, BIND_CONFLICT, 0},
		{409, NO_HEADER,
			"{\"kind\":\"Status\",\"reason\":\"Conflict\",\"message\":\"pod b is being "
			"deleted, cannot be assigned to a host\"}",
			BIND_CONFLICT, 0},
		{404, NO_HEADER, "{\"kind\":\"Status\",\"reason\":\"NotFound\"}", BIND_GONE, 0},
		{404, NO_HEADER, NULL, BIND_REFUSED, 0},
		{404, NO_HEADER, "{\"kind\":\"Status\"}", BIND_REFUSED, 0},
		{400, NO_HEADER, NULL, BIND_REFUSED, 0},
		{401, NO_HEADER, NULL, BIND_REFUSED, 0},
		{403, 3, NULL, BIND_REFUSED, 0},
		{405, NO_HEADER, NULL, BIND_REFUSED, 0},
		{413, NO_HEADER, NULL, BIND_REFUSED, 0},
		{422, NO_HEADER, "{\"kind\":\"Status\",\"reason\":\"Invalid\"}", BIND_REFUSED, 0},
		{302, NO_HEADER, NULL, BIND_REFUSED, 0},
		{429, NO_HEADER, NULL, BIND_RETRY_LATER, BODY_RETRY_DEFAULT_S},
		{429, 0, NULL, BIND_RETRY_LATER, 0},
		{429, 7, NULL, BIND_RETRY_LATER, 7},
		{429, INT32_MAX, NULL, BIND_RETRY_LATER, BODY_RETRY_MAX_S},
		{429, NO_HEADER, "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":9}}",
			BIND_RETRY_LATER, 9},
		{429, 2, "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":9}}",
			BIND_RETRY_LATER, 2},
		{500, 4, NULL, BIND_RETRY_LATER, 4},
		{503, 1, NULL, BIND_RETRY_LATER, 1},
		{503, 0, NULL, BIND_RETRY_LATER, 0},
		{504, NO_HEADER, "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":1}}",
			BIND_RETRY_LATER, 1},
		{500, NO_HEADER, "{\"kind\":\"Status\",\"reason\":\"InternalError\"}", BIND_UNCLEAR,
			0},
		{502, NO_HEADER, NULL, BIND_UNCLEAR, 0},
		{504, NO_HEADER, "{\"kind\":\"Status\",\"reason\":\"Timeout\"}", BIND_UNCLEAR, 0},
		{408, NO_HEADER, NULL, BIND_UNCLEAR, 0},
		{0, NO_HEADER, NULL, BIND_UNCLEAR, 0},
		{-1, 5, NULL, BIND_UNCLEAR, 0},
		{101, NO_HEADER, NULL, BIND_UNCLEAR, 0},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char row[32];
		uint32_t wait = 9;
		struct kube_status status;
		struct body_reply reply = {rows[i].http, rows[i].header, NULL};
		if (rows[i].status != NULL &&
			kube_status_decode(fixture_json(rows[i].status, kube_status_want), &status))
			reply.status = &status;
		snprintf(row, sizeof(row), "row %zu", i);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].answer, bind_answer(&reply, &wait), row);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].wait, wait, row);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_answers_of_an_apiserver);
	RUN_TEST(test_throttled);
	RUN_TEST(test_answers);
	return UNITY_END();
}
