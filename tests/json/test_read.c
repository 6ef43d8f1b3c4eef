/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading thinned objects. */
// deps: json/read.c json/cut.c json/cut_run.c json/cut_step.c
// deps: base/text.c base/format.c base/scratch.c base/check.c base/budget.c base/trace.c
// deps: base/arena.c base/pages.c base/memory.c
#include <unity.h>

#include <stdlib.h>

#include "json/json.h"

static char piece[1 << 18];
static uint8_t memory[1 << 21];
static struct scratch scratch;

void setUp(void)
{
	scratch_init(&scratch, memory, sizeof(memory));
}

void tearDown(void)
{
}

static struct json_value parse(const char *text)
{
	struct json_value root;
	size_t size = strlen(text);

	TEST_ASSERT_TRUE(size < sizeof(piece));
	memcpy(piece, text, size);
	scratch_reset(&scratch);
	TEST_ASSERT_EQUAL_MESSAGE(
		JSON_PARSED, json_parse((struct text){piece, size}, &scratch, &root), text);
	return root;
}

static void expect_text(const char *expected, struct text actual)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(actual.at, expected);
	TEST_ASSERT_EQUAL_MESSAGE(strlen(expected), actual.size, expected);
	if (actual.size > 0)
		TEST_ASSERT_EQUAL_MEMORY(expected, actual.at, actual.size);
}

static void test_types(void)
{
	struct json_value root = parse("{\"n\":null,\"t\":true,\"f\":false,\"i\":-1,\"s\":\"\","
				       "\"a\":[],\"o\":{}}");

	TEST_ASSERT_EQUAL(JSON_OBJECT, json_type(root));
	TEST_ASSERT_EQUAL(JSON_NULL, json_type(json_get(root, "n")));
	TEST_ASSERT_EQUAL(JSON_BOOL, json_type(json_get(root, "t")));
	TEST_ASSERT_EQUAL(JSON_BOOL, json_type(json_get(root, "f")));
	TEST_ASSERT_EQUAL(JSON_NUMBER, json_type(json_get(root, "i")));
	TEST_ASSERT_EQUAL(JSON_STRING, json_type(json_get(root, "s")));
	TEST_ASSERT_EQUAL(JSON_ARRAY, json_type(json_get(root, "a")));
	TEST_ASSERT_EQUAL(JSON_OBJECT, json_type(json_get(root, "o")));
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(json_get(root, "x")));
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(JSON_VALUE_NONE));
	TEST_ASSERT_EQUAL(7, json_count(root));
}

static void test_roots_that_are_no_objects(void)
{
	int64_t n;

	TEST_ASSERT_TRUE(json_i64(parse("12"), &n));
	TEST_ASSERT_EQUAL(12, n);
	expect_text("a", json_text(parse("\"a\"")));
	TEST_ASSERT_EQUAL(JSON_NULL, json_type(parse("null")));
	TEST_ASSERT_EQUAL(2, json_count(parse("[1,2]")));
}

static void test_get_and_path(void)
{
	struct json_value root =
		parse("{\"a\":{\"b\":{\"c\":1,\"c\":2},\"name\":\"x\"},\"name\":\"y\","
		      "\"\":{\"\":\"z\"},\"l\":[{\"b\":1}],\"b\":\"a\"}");

	expect_text("y", json_text(json_get(root, "name")));
	expect_text("x", json_text(json_path(root, "a.name")));
	expect_text("1", json_scalar(json_path(root, "a.b.c")));
	expect_text("z", json_text(json_path(root, ".")));
	expect_text("a", json_text(json_get(root, "b")));
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(json_path(root, "a.b.c.d")));
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(json_path(root, "a.x.c")));
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(json_path(root, "l.b")));
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(json_get(json_get(root, "name"), "a")));
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(json_get(JSON_VALUE_NONE, "a")));
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(json_path(JSON_VALUE_NONE, "a.b")));
}

static void test_walk(void)
{
	struct json_value root =
		parse("{\"a\":{\"x\":[1,[2,3],{\"y\":4}]},\"b\":[],\"c\":\"s\",\"d\":{}}");
	struct json_walk walk = json_walk(root);
	static const char *const keys[] = {"a", "b", "c", "d"};
	static const uint32_t counts[] = {1, 0, 0, 0};

	for (size_t i = 0; i < 4; i++) {
		TEST_ASSERT_TRUE(json_walk_next(&walk));
		expect_text(keys[i], walk.key);
		TEST_ASSERT_EQUAL(counts[i], json_count(walk.value));
	}
	TEST_ASSERT_FALSE(json_walk_next(&walk));
	TEST_ASSERT_FALSE(json_walk_next(&walk));

	walk = json_walk(json_path(root, "a.x"));
	TEST_ASSERT_TRUE(json_walk_next(&walk));
	expect_text("", walk.key);
	expect_text("1", json_scalar(walk.value));
	TEST_ASSERT_TRUE(json_walk_next(&walk));
	expect_text("[2,3]", json_raw(walk.value));
	TEST_ASSERT_TRUE(json_walk_next(&walk));
	expect_text("{\"y\":4}", json_raw(walk.value));
	TEST_ASSERT_FALSE(json_walk_next(&walk));

	walk = json_walk(json_get(root, "c"));
	TEST_ASSERT_FALSE(json_walk_next(&walk));
	walk = json_walk(JSON_VALUE_NONE);
	TEST_ASSERT_FALSE(json_walk_next(&walk));
}

static void test_strings_are_unescaped_once(void)
{
	struct json_value root =
		parse("{\"a\":\"\\\\n\\n\\\"\\\\\\\\\",\"b\":\"\\b\\f\\r\\t\\u001f/\x7f\","
		      "\"k\\\"\\\\\":\"\\u0000x\",\"p\":\"\xc3\xa9\"}");
	struct json_walk walk = json_walk(root);
	struct text zero = json_text(json_get(root, "k\"\\"));

	for (int i = 0; i < 3; i++) {
		expect_text("\\n\n\"\\\\", json_text(json_get(root, "a")));
		expect_text("\\n\n\"\\\\", json_scalar(json_get(root, "a")));
		expect_text("\b\f\r\t\x1f/\x7f", json_text(json_get(root, "b")));
	}
	TEST_ASSERT_EQUAL(2, zero.size);
	TEST_ASSERT_EQUAL_MEMORY("\0x", zero.at, 2);
	expect_text("\xc3\xa9", json_text(json_get(root, "p")));
	for (int i = 0; i < 3; i++)
		TEST_ASSERT_TRUE(json_walk_next(&walk));
	expect_text("k\"\\", walk.key);
}

static void test_raw_until_something_in_it_was_unescaped(void)
{
	struct json_value root =
		parse("{\"a\":{\"b\":\"\\n\",\"c\":\"x\"},\"d\":[\"y\"],\"e\":\"\\\"\"}");
	struct json_value a = json_get(root, "a");

	expect_text("{\"b\":\"\\n\",\"c\":\"x\"}", json_raw(a));
	expect_text("\"\\n\"", json_raw(json_get(a, "b")));
	expect_text("x", json_text(json_get(a, "c")));
	expect_text("{\"b\":\"\\n\",\"c\":\"x\"}", json_raw(a));
	expect_text("\n", json_text(json_get(a, "b")));
	TEST_ASSERT_NULL(json_raw(a).at);
	TEST_ASSERT_NULL(json_raw(root).at);
	TEST_ASSERT_NULL(json_raw(json_get(a, "b")).at);
	expect_text("\"x\"", json_raw(json_get(a, "c")));
	expect_text("[\"y\"]", json_raw(json_get(root, "d")));
	expect_text("\"\\\"\"", json_raw(json_get(root, "e")));
	TEST_ASSERT_NULL(json_raw(JSON_VALUE_NONE).at);
}

static void test_scalars(void)
{
	struct json_value root =
		parse("{\"t\":true,\"f\":false,\"n\":null,\"i\":-1.50e3,\"s\":\"true\",\"a\":[1]}");

	expect_text("true", json_scalar(json_get(root, "t")));
	expect_text("null", json_scalar(json_get(root, "n")));
	expect_text("-1.50e3", json_scalar(json_get(root, "i")));
	TEST_ASSERT_NULL(json_scalar(json_get(root, "a")).at);
	TEST_ASSERT_NULL(json_scalar(JSON_VALUE_NONE).at);
	TEST_ASSERT_NULL(json_text(json_get(root, "t")).at);
	TEST_ASSERT_NULL(json_text(JSON_VALUE_NONE).at);
	TEST_ASSERT_TRUE(json_bool(json_get(root, "t"), false));
	TEST_ASSERT_FALSE(json_bool(json_get(root, "f"), true));
	TEST_ASSERT_TRUE(json_bool(json_get(root, "n"), true));
	TEST_ASSERT_TRUE(json_bool(json_get(root, "s"), true));
	TEST_ASSERT_FALSE(json_bool(json_get(root, "s"), false));
	TEST_ASSERT_TRUE(json_bool(JSON_VALUE_NONE, true));
}

static void test_integers(void)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} cases[] = {
		{"0", true, 0},
		{"-0", true, 0},
		{"-7", true, -7},
		{"9223372036854775807", true, INT64_MAX},
		{"-9223372036854775808", true, INT64_MIN},
		{"9223372036854775808", false, 0},
		{"-9223372036854775809", false, 0},
		{"1.0", false, 0},
		{"1e3", false, 0},
		{"\"1\"", false, 0},
		{"null", false, 0},
		{"true", false, 0},
		{"[1]", false, 0},
		{"99999999999999999999999", false, 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		int64_t value = 5;

		TEST_ASSERT_EQUAL_MESSAGE(
			cases[i].good, json_i64(parse(cases[i].text), &value), cases[i].text);
		if (cases[i].good)
			TEST_ASSERT_EQUAL_INT64(cases[i].value, value);
	}
}

static void test_refuses_what_the_cutter_never_makes(void)
{
	static const char *const broken[] = {"", "{", "[1", "{\"a\"}", "{\"a\":}", "{1:2}", "1 2",
		"]", "{\"a\":1 2}", "[}", "\"a", "{[]:1}", "{\"a\",\"b\"}", "{\"a\":1}{\"b\":2}"};
	struct json_value root;

	for (size_t i = 0; i < ARRAY_COUNT(broken); i++) {
		memcpy(piece, broken[i], strlen(broken[i]));
		scratch_reset(&scratch);
		TEST_ASSERT_EQUAL_MESSAGE(JSON_PARSE_BROKEN,
			json_parse((struct text){piece, strlen(broken[i])}, &scratch, &root),
			broken[i]);
		TEST_ASSERT_EQUAL(0, scratch.used);
		TEST_ASSERT_EQUAL(JSON_NONE, json_type(root));
	}
	memset(piece, '[', JSON_DEPTH_MAX + 1);
	memset(piece + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	TEST_ASSERT_EQUAL(JSON_PARSED,
		json_parse((struct text){piece + 1, 2 * JSON_DEPTH_MAX}, &scratch, &root));
	TEST_ASSERT_EQUAL(JSON_PARSE_BROKEN,
		json_parse((struct text){piece, 2 * JSON_DEPTH_MAX + 2}, &scratch, &root));
}

static void test_full_leaves_scratch_as_it_was(void)
{
	static const char text[] = "[1,2,3,4,5,6,7,8,9,10]";
	struct scratch little;
	struct json_value root;
	size_t size = 16;

	for (;; size += 16) {
		scratch_init(&little, memory, size);
		memcpy(piece, text, sizeof(text));
		if (json_parse((struct text){piece, sizeof(text) - 1}, &little, &root) ==
			JSON_PARSED)
			break;
		TEST_ASSERT_EQUAL(0, little.used);
		TEST_ASSERT_FALSE(little.overflowed);
		TEST_ASSERT_EQUAL(JSON_NONE, json_type(root));
	}
	TEST_ASSERT_EQUAL(10, json_count(root));
	TEST_ASSERT_TRUE(size >= 11 * 16);
	TEST_ASSERT_TRUE(size <= 11 * 24 + 64);
}

static void test_too_many_tokens(void)
{
	struct json_value root;

	piece[0] = '[';
	for (uint32_t i = 0; i < JSON_TOKENS_MAX; i++)
		memcpy(piece + 1 + 2 * (size_t)i, "1,", 2);
	/* the array itself and one less than JSON_TOKENS_MAX elements */
	piece[2 * (JSON_TOKENS_MAX - 1)] = ']';
	TEST_ASSERT_EQUAL(JSON_PARSED,
		json_parse((struct text){piece, 2 * (JSON_TOKENS_MAX - 1) + 1}, &scratch, &root));
	TEST_ASSERT_EQUAL(JSON_TOKENS_MAX - 1, json_count(root));
	scratch_reset(&scratch);
	piece[2 * (JSON_TOKENS_MAX - 1)] = ',';
	piece[2 * JSON_TOKENS_MAX] = ']';
	TEST_ASSERT_EQUAL(JSON_PARSE_FULL,
		json_parse((struct text){piece, 2 * JSON_TOKENS_MAX + 1}, &scratch, &root));
}

/* ---- straight from the cutter ---- */

static bool read_pod(void *self, struct json_piece pod)
{
	uint32_t *pods = self;
	struct json_value root;
	struct json_walk containers;

	if (pod.kind != JSON_PIECE_ITEM)
		return true;
	scratch_reset(&scratch);
	TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(pod.text, &scratch, &root));
	expect_text("default", json_text(json_path(root, "metadata.namespace")));
	expect_text(*pods == 0 ? "gated" : "low1", json_text(json_path(root, "metadata.name")));
	expect_text("kubectl-client-side-apply",
		json_text(json_get((struct json_value){root.doc,
					   json_path(root, "metadata.managedFields").token + 1},
			"manager")));
	containers = json_walk(json_path(root, "spec.containers"));
	TEST_ASSERT_TRUE(json_walk_next(&containers));
	expect_text("registry.k8s.io/pause:3.10", json_text(json_get(containers.value, "image")));
	TEST_ASSERT_EQUAL(JSON_OBJECT, json_type(json_get(containers.value, "resources")));
	TEST_ASSERT_FALSE(json_walk_next(&containers));
	/* an escaped annotation, a JSON text itself */
	TEST_ASSERT_TRUE(text_starts(json_text(json_get(json_path(root, "metadata.annotations"),
					     "kubectl.kubernetes.io/last-applied-configuration")),
		TEXT("{\"apiVersion\":\"v1\"")));
	++*pods;
	return true;
}

static void test_pods_from_the_cutter(void)
{
	static char text[1 << 14];
	FILE *file = fopen("tests/json/data/list-pods-page1.json", "rb");
	size_t size = json_cut_size(1 << 14);
	void *block = malloc(size);
	struct json_cut *cut = json_cut_init(block, size, 1 << 14);
	uint32_t pods = 0;
	size_t got;

	TEST_ASSERT_NOT_NULL(file);
	got = fread(text, 1, sizeof(text), file);
	fclose(file);
	json_cut_start(cut, JSON_CUT_LIST, NULL, NULL, read_pod, &pods);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, (struct text){text, got}));
	TEST_ASSERT_TRUE(json_cut_end(cut));
	TEST_ASSERT_EQUAL(2, pods);
	free(block);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_types);
	RUN_TEST(test_roots_that_are_no_objects);
	RUN_TEST(test_get_and_path);
	RUN_TEST(test_walk);
	RUN_TEST(test_strings_are_unescaped_once);
	RUN_TEST(test_raw_until_something_in_it_was_unescaped);
	RUN_TEST(test_scalars);
	RUN_TEST(test_integers);
	RUN_TEST(test_refuses_what_the_cutter_never_makes);
	RUN_TEST(test_full_leaves_scratch_as_it_was);
	RUN_TEST(test_too_many_tokens);
	RUN_TEST(test_pods_from_the_cutter);
	return UNITY_END();
}
