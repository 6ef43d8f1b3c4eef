/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cutter against a slow one: on random texts, whole and damaged, with random wants, and on
 * what a real apiserver sent.
 */
// deps: json/cut.c json/cut_run.c json/cut_step.c
// deps: base/text.c base/format.c base/check.c base/budget.c base/trace.c
#include <unity.h>

#include "json/collect.h"
#include "json/pod_want.h"
#include "json/slow_cut.h"

enum { TEXT_MAX = 12000, RANDOM_TEXTS = 30000 };

static struct collect collect;
static struct collect other;
static char slow_out[COLLECT_MAX];

void setUp(void)
{
	collect.stop_after = 0;
	other.stop_after = 0;
}

void tearDown(void)
{
}

/* Is the object whole JSON, with what is missing in it? */
static bool is_whole(const char *at, size_t size)
{
	static char out[COLLECT_MAX];
	struct slow slow = {.at = (const unsigned char *)at,
		.end = (const unsigned char *)at + size,
		.out = out};
	return slow_value(&slow, NULL, true) && slow.at == slow.end && slow.used == size;
}

/* What came out, without what is left of pieces that are too big; that has to be whole. */
static size_t without_big(const struct collect_job *job, char *to)
{
	size_t used = 0;
	for (size_t at = 0; at < collect.used;) {
		const char *piece = collect.out + at;
		const char *end = memchr(piece, '\n', collect.used - at);
		size_t size = (size_t)(end - piece);
		if (piece[0] == 'B' && size > 2 && job->shape == JSON_CUT_LINES &&
			memcmp(piece + 1, "{\"", 2) == 0)
			TEST_ASSERT_TRUE(is_whole(piece + 1, size - 1));
		memcpy(to + used, piece, size);
		used += piece[0] == 'B' ? 1 : size;
		to[used++] = '\n';
		at += size + 1;
	}
	return used;
}

static void expect_like_slow(struct collect_job job, struct text text, const char *message)
{
	static char out[COLLECT_MAX];
	size_t used;
	bool good = slow_cut(job, text, slow_out, &used);

	TEST_ASSERT_EQUAL_MESSAGE(good, collect.ended, message);
	TEST_ASSERT_EQUAL_MESSAGE(used, without_big(&job, out), message);
	if (used > 0)
		TEST_ASSERT_EQUAL_MEMORY_MESSAGE(slow_out, out, used, message);
}

/* ---- random texts ---- */

static uint64_t seed;

static uint32_t pick(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed * UINT64_C(0x2545f4914f6cdd1d)) >> 32) % below;
}

static const char *const keys[] = {"a", "b", "name", "items", "metadata", "", "*",
	"a-rather-long-key.example.com/of-some-kind", "f:0123456789abcd", "\xc3\xa9"};

struct made {
	char text[TEXT_MAX];
	size_t size;
};

static void add(struct made *made, const char *z)
{
	size_t size = strlen(z);

	if (made->size + size < sizeof(made->text)) {
		memcpy(made->text + made->size, z, size);
		made->size += size;
	}
}

static void add_space(struct made *made)
{
	static const char *const spaces[] = {
		" ", "\n", "\t", "\r\n", "   ", "\n                    "};

	while (pick(8) == 0)
		add(made, spaces[pick(ARRAY_COUNT(spaces))]);
}

static void add_string_part(struct made *made)
{
	static const char *const parts[] = {"\\\"", "\\\\", "\\/", "\\n", "\\b\\f\\r\\t", "\\u0041",
		"\\u00e9", "\\u20AC", "\\ud83d\\ude00", "\\u0000", "\\u001F", "\\u003c", "\xc3\xa9",
		"\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\x7f", " ", "{", "]", ",", ":", "x"};
	static const char plain[] = "The quick brown fox jumps over the lazy dog and the lazy god.";

	if (pick(3) == 0)
		add(made, plain + pick(sizeof(plain)));
	else
		add(made, parts[pick(ARRAY_COUNT(parts))]);
}

static void add_string(struct made *made)
{
	add(made, "\"");
	for (uint32_t parts = pick(5); parts > 0; parts--)
		add_string_part(made);
	add(made, "\"");
}

static void add_key(struct made *made)
{
	static const char *const odd[] = {"\"\\u0061\"", "\"n\\u0061me\"", "\"it\\u0065ms\""};
	char long_key[700];

	if (pick(200) == 0) {
		size_t size = JSON_KEY_MAX - 3 + pick(8);

		memset(long_key, 'k', size);
		long_key[size] = '\0';
		add(made, "\"");
		add(made, long_key);
		add(made, "\"");
	} else if (pick(10) == 0) {
		add_string(made);
	} else if (pick(20) == 0) {
		add(made, odd[pick(ARRAY_COUNT(odd))]);
	} else {
		add(made, "\"");
		add(made, keys[pick(ARRAY_COUNT(keys))]);
		add(made, "\"");
	}
}

static void add_scalar(struct made *made)
{
	static const char *const scalars[] = {"null", "true", "false", "0", "-0", "1", "42", "-17",
		"300", "1.5", "-0.25e-3", "1E5", "123456789012345", "1234567890123456789"};

	if (pick(2) == 0)
		add_string(made);
	else
		add(made, scalars[pick(ARRAY_COUNT(scalars))]);
}

static void add_value(struct made *made, uint32_t depth)
{
	bool object = pick(2) == 0;

	add_space(made);
	if (depth == 0 || pick(3) == 0) {
		add_scalar(made);
		add_space(made);
		return;
	}
	add(made, object ? "{" : "[");
	for (uint32_t left = pick(5); left > 0; left--) {
		add_space(made);
		if (object) {
			add_key(made);
			add_space(made);
			add(made, ":");
		}
		add_value(made, depth - 1);
		if (left > 1)
			add(made, ",");
	}
	add_space(made);
	add(made, object ? "}" : "]");
	add_space(made);
}

static void make_text(struct made *made, enum json_cut_shape shape)
{
	made->size = 0;
	if (shape == JSON_CUT_LINES) {
		for (uint32_t left = pick(3); left > 0; left--) {
			add_value(made, pick(6));
			add(made, "\n");
		}
		add_value(made, pick(6));
		return;
	}
	add(made, "{");
	for (uint32_t left = pick(3); left > 0; left--) {
		add_key(made);
		add(made, ":");
		add_value(made, pick(3));
		add(made, ",");
	}
	add(made, pick(20) == 0 ? "\"items\":null" : "\"items\":[");
	for (uint32_t left = made->text[made->size - 1] == '[' ? 1 + pick(4) : 0; left > 0;
		left--) {
		add_value(made, pick(5));
		add(made, left > 1 ? "," : "]");
	}
	if (pick(2) == 0) {
		add(made, ",\"metadata\":");
		add_value(made, pick(3));
	}
	add(made, "}");
}

/* A byte changed, left out, doubled, or the end cut off. */
static void damage(struct made *made)
{
	static const char bytes[] = "{}[],:\"\\ \n\x01\x80\xc3\xe4\xff"
				    "0-.eutnx";
	size_t at;

	if (made->size < 2)
		return;
	at = pick((uint32_t)made->size - 1);
	switch (pick(4)) {
	case 0: made->text[at] = bytes[pick(sizeof(bytes))]; break;
	case 1:
		memmove(made->text + at, made->text + at + 1, made->size - at - 1);
		made->size--;
		break;
	case 2:
		if (made->size == sizeof(made->text))
			break;
		memmove(made->text + at + 1, made->text + at, made->size - at);
		made->size++;
		break;
	default: made->size = at; break;
	}
}

/* ---- random wants ---- */

enum { WANT_LISTS = 12, WANT_KEYS = 5 };

static struct json_want want_lists[WANT_LISTS][WANT_KEYS];

/* Each list refers to later ones only, so that there is an end. */
static void make_wants(void)
{
	for (uint32_t i = 0; i < WANT_LISTS; i++) {
		uint32_t count = pick(WANT_KEYS);

		for (uint32_t k = 0; k < count; k++) {
			bool inside = i + 1 < WANT_LISTS && pick(2) == 0;

			want_lists[i][k].key = keys[pick(ARRAY_COUNT(keys))];
			want_lists[i][k].inside =
				!inside ? NULL : want_lists[i + 1 + pick(WANT_LISTS - i - 1)];
		}
		want_lists[i][count] = (struct json_want)WANT_END;
	}
}

static struct collect_job make_job(void)
{
	struct collect_job job = {.shape = pick(2) == 0 ? JSON_CUT_LINES : JSON_CUT_LIST,
		.piece_max = pick(3) == 0 ? JSON_PIECE_MIN + pick(100) : TEXT_MAX};

	make_wants();
	if (pick(4) != 0)
		job.want = want_lists[pick(2)];
	if (pick(3) != 0)
		job.envelope = want_lists[2 + pick(2)];
	return job;
}

static void test_random_texts(void)
{
	static struct made made;
	char message[64];
	uint32_t good = 0;

	for (uint32_t i = 0; i < RANDOM_TEXTS; i++) {
		struct collect_job job;
		struct text text;
		size_t slices[8];

		seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
		snprintf(message, sizeof(message), "text number %u", i);
		job = make_job();
		make_text(&made, job.shape);
		if (pick(3) == 0)
			damage(&made);
		text = (struct text){made.text, made.size};

		collect_whole(&collect, job, text);
		expect_like_slow(job, text, message);
		good += collect.ended;
		for (uint32_t k = 0; k < ARRAY_COUNT(slices); k++)
			slices[k] = 1 + pick(pick(2) == 0 ? 40 : 400);
		collect_run(&other, job, text, slices, ARRAY_COUNT(slices));
		collect_same(&collect, &other, text, i);
		slices[0] = 1;
		collect_run(&other, job, text, slices, 1);
		collect_same(&collect, &other, text, i);
	}
	TEST_ASSERT_GREATER_THAN(RANDOM_TEXTS / 2, good);
	TEST_ASSERT_LESS_THAN(RANDOM_TEXTS * 9 / 10, good);
}

/* ---- a real apiserver's ---- */

static const struct json_want status_want[] = {{"kind", NULL}, {"status", NULL}, {"message", NULL},
	{"reason", NULL}, {"details", NULL}, {"code", NULL}, {"metadata", NULL}, WANT_END};
static const struct json_want watch_want[] = {{"type", NULL}, {"object", pod_want}, WANT_END};

struct body {
	const char *path;
	enum json_cut_shape shape;
	const struct json_want *want;
	uint32_t pieces;
};

static const struct body bodies[] = {
	{"bind-bad-json", JSON_CUT_LINES, status_want, 1},
	{"bind-conflict", JSON_CUT_LINES, status_want, 1},
	{"bind-created", JSON_CUT_LINES, status_want, 1},
	{"bind-notfound", JSON_CUT_LINES, status_want, 1},
	{"bind-uid-mismatch", JSON_CUT_LINES, status_want, 1},
	{"forbidden", JSON_CUT_LIST, pod_want, 1},
	{"lease-get", JSON_CUT_LINES, NULL, 1},
	{"lease-notfound", JSON_CUT_LINES, status_want, 1},
	{"lease-update-conflict", JSON_CUT_LINES, status_want, 1},
	{"lease-update-ok", JSON_CUT_LINES, NULL, 1},
	{"list-bad-continue", JSON_CUT_LIST, pod_want, 1},
	{"list-nodes", JSON_CUT_LIST, NULL, 4},
	{"list-pods-page1", JSON_CUT_LIST, pod_want, 3},
	{"list-pods-page2", JSON_CUT_LIST, pod_want, 3},
	{"notfound-group", JSON_CUT_LINES, status_want, 1},
	{"patch-status", JSON_CUT_LINES, pod_want, 1},
	{"pod-delete", JSON_CUT_LINES, status_want, 1},
	{"pod-heavy", JSON_CUT_LINES, pod_want, 1},
	{"unauthorized", JSON_CUT_LIST, pod_want, 1},
	{"version", JSON_CUT_LINES, NULL, 1},
	{"watch-expired-410", JSON_CUT_LINES, NULL, 1},
	{"watch-initial-events-unsupported", JSON_CUT_LINES, watch_want, 1},
	{"watch-nodes-initial", JSON_CUT_LINES, watch_want, 4},
	{"watch-pods-initial", JSON_CUT_LINES, watch_want, 6},
	{"watch-pods-live", JSON_CUT_LINES, watch_want, 4},
};

static void test_bodies_of_an_apiserver(void)
{
	static char text[TEXT_MAX];
	char path[96];

	for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
		struct collect_job job = {bodies[i].shape, bodies[i].want, status_want, TEXT_MAX};
		struct text body = {text, 0};

		snprintf(path, sizeof(path), "tests/json/data/%s.json", bodies[i].path);
		body.size = read_data(path, text, sizeof(text));
		collect_all_slicings(&collect, job, body);
		TEST_ASSERT_TRUE_MESSAGE(collect.ended, path);
		TEST_ASSERT_EQUAL_MESSAGE(bodies[i].pieces, collect.pieces, path);
		expect_like_slow(job, body, path);
		job.want = NULL;
		collect_whole(&collect, job, body);
		expect_like_slow(job, body, path);
		job.piece_max = JSON_PIECE_MIN + 20;
		collect_whole(&collect, job, body);
		expect_like_slow(job, body, path);
	}
}

/* Escapes and characters beyond ASCII, as they were sent. */
static void test_live_watch_text(void)
{
	static const struct json_want metadata[] = {{"annotations", NULL}, WANT_END};
	static const struct json_want object[] = {{"metadata", metadata}, WANT_END};
	static const struct json_want line[] = {{"object", object}, WANT_END};
	static const char expected[] =
		"L{\"object\":{\"metadata\":{\"annotations\":{\"note\":"
		"\"\xc3\xa9\xe4\xb8\xad \\\"q\\\" \\\\\\\\ \xf0\x9f\x98\x80 <html>&\"}}}}\n";
	static char text[TEXT_MAX];
	struct text body = {
		text, read_data("tests/json/data/watch-pods-live.json", text, TEXT_MAX)};

	collect_whole(&collect, (struct collect_job){JSON_CUT_LINES, line, NULL, 4096}, body);
	TEST_ASSERT_EQUAL_MEMORY(expected, collect.out, sizeof(expected) - 1);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_random_texts);
	RUN_TEST(test_bodies_of_an_apiserver);
	RUN_TEST(test_live_watch_text);
	return UNITY_END();
}
