/* SPDX-License-Identifier: GPL-2.0-only */
/* What answers to a binding mean: those an apiserver gave, and those it might. */
// deps: base/*.c json/*.c kube/*.c api/api_judge.c api/api_policies.c
#include "kube/fixture.h"

#include "api/api.h"
#include "kube/passing.h"

enum { FILE_MAX = 4096, NO_HEADER = -1 };

/* As a binding means it. */
static enum api_verdict meaning(
	int32_t http, int32_t header_s, const struct kube_status *status, int64_t *wait_ms)
{
	const struct net_answer answer = {.result = http > 0 ? NET_OK : NET_RESET,
		.status = (uint16_t)(http > 0 ? http : 0),
		.sent = true,
		.retry_after_ms = header_s < 0 ? -1 : (int64_t)header_s * 1000};
	const struct api_status none = {.is_there = false};
	const struct api_status read = status == NULL ? none : api_status_of(status);

	return api_answer_means(&api_policies[API_BINDING], &answer, &read, wait_ms);
}

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
	enum api_verdict answer;
} given[] = {
	{"bind-created", API_DONE},
	{"bind-conflict", API_CONFLICT},
	{"bind-uid-mismatch", API_GONE},
	{"bind-notfound", API_GONE},
	{"bind-bad-json", API_REFUSED},
	{"forbidden", API_REFUSED},
	{"unauthorized", API_REFUSED},
};

static void test_answers_of_an_apiserver(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(given); i++) {
		char path[128], bytes[FILE_MAX];
		struct kube_status status;
		int64_t wait = 9;
		snprintf(path, sizeof(path), "tests/json/data/%s.json", given[i].name);
		FILE *file = fopen(path, "rb");
		TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
		size_t size = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
		TEST_ASSERT_TRUE(kube_status_decode(
			fixture_cut((struct text){bytes, size}, kube_status_want), &status));
		TEST_ASSERT_EQUAL_MESSAGE(
			given[i].answer, meaning(status.code, NO_HEADER, &status, &wait), path);
		TEST_ASSERT_EQUAL(-1, wait);
	}
}

/* The body of its 429 is not JSON: header and code say it all. */
static void test_throttled(void)
{
	char line[256];
	int32_t http = 0, header_s = NO_HEADER;
	int64_t wait = 0;
	FILE *file = fopen("tests/net/data/throttled-429.txt", "rb");
	TEST_ASSERT_NOT_NULL(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, "HTTP/1.1 ", 9) == 0)
			http = (int32_t)strtol(line + 9, NULL, 10);
		if (strncmp(line, "Retry-After: ", 13) == 0)
			header_s = (int32_t)strtol(line + 13, NULL, 10);
	}
	fclose(file);
	TEST_ASSERT_EQUAL(429, http);
	TEST_ASSERT_EQUAL(API_RETRY, meaning(http, header_s, NULL, &wait));
	TEST_ASSERT_EQUAL(1000, wait);
}

static void test_answers(void)
{
	static const struct {
		int32_t http, header;
		const char *status; /* NULL: not a Status */
		enum api_verdict answer;
		int64_t wait; /* seconds */
	} rows[] = {
		{200, NO_HEADER, NULL, API_DONE, 0},
		{201, NO_HEADER, NULL, API_DONE, 0},
		{201, 5, "{\"kind\":\"Status\",\"status\":\"Success\"}", API_DONE, 0},
		{200, NO_HEADER, "{\"kind\":\"Status\",\"status\":\"Failure\"}", API_UNCLEAR, 0},
		{409, NO_HEADER, NULL, API_CONFLICT, 0},
		{409, NO_HEADER,
			"{\"kind\":\"Status\",\"reason\":\"Conflict\",\"message\":\"pod b is being "
			"deleted, cannot be assigned to a host\"}",
			API_CONFLICT, 0},
		{404, NO_HEADER, "{\"kind\":\"Status\",\"reason\":\"NotFound\"}", API_GONE, 0},
		{404, NO_HEADER, NULL, API_REFUSED, 0},
		{404, NO_HEADER, "{\"kind\":\"Status\"}", API_REFUSED, 0},
		{400, NO_HEADER, NULL, API_REFUSED, 0},
		{401, NO_HEADER, NULL, API_REFUSED, 0},
		{403, 3, NULL, API_REFUSED, 0},
		{405, NO_HEADER, NULL, API_REFUSED, 0},
		{413, NO_HEADER, NULL, API_REFUSED, 0},
		{422, NO_HEADER, "{\"kind\":\"Status\",\"reason\":\"Invalid\"}", API_REFUSED, 0},
		{302, NO_HEADER, NULL, API_REFUSED, 0},
		{429, NO_HEADER, NULL, API_RETRY, 1},
		{429, 0, NULL, API_RETRY, 0},
		{429, 7, NULL, API_RETRY, 7},
		{429, INT32_MAX, NULL, API_RETRY, 60},
		{429, NO_HEADER, "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":9}}",
			API_RETRY, 9},
		{429, 2, "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":9}}", API_RETRY,
			2},
		{500, 4, NULL, API_RETRY, 4},
		{503, 1, NULL, API_RETRY, 1},
		{503, 0, NULL, API_RETRY, 0},
		{504, NO_HEADER, "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":1}}",
			API_RETRY, 1},
		{500, NO_HEADER, "{\"kind\":\"Status\",\"reason\":\"InternalError\"}", API_UNCLEAR,
			0},
		{502, NO_HEADER, NULL, API_UNCLEAR, 0},
		{504, NO_HEADER, "{\"kind\":\"Status\",\"reason\":\"Timeout\"}", API_UNCLEAR, 0},
		{408, NO_HEADER, NULL, API_UNCLEAR, 0},
		{0, NO_HEADER, NULL, API_UNCLEAR, 0},
		{-1, 5, NULL, API_UNCLEAR, 0},
		{101, NO_HEADER, NULL, API_UNCLEAR, 0},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char row[32];
		int64_t wait = 9;
		struct kube_status status;
		const struct kube_status *read = NULL;
		if (rows[i].status != NULL &&
			kube_status_decode(fixture_json(rows[i].status, kube_status_want), &status))
			read = &status;
		snprintf(row, sizeof(row), "row %zu", i);
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].answer, meaning(rows[i].http, rows[i].header, read, &wait), row);
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].answer == API_RETRY ? rows[i].wait * 1000 : -1, wait, row);
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
