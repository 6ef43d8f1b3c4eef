/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing JSON: nesting, escapes, numbers, and that the cutter takes what the writer made. */
// deps: base/real.c
// deps: json/*.c
// deps: base/text.c base/format.c base/scratch.c base/check.c base/budget.c base/trace.c
// deps: base/arena.c base/pages.c base/memory.c
#include <unity.h>

#include <setjmp.h>

#include "json/collect.h"

static char buffer[4096];
static struct writer out;
static struct json_writer j;
static struct collect collect;

void setUp(void)
{
	writer_init(&out, buffer, sizeof(buffer));
	json_write_init(&j, &out);
}

void tearDown(void)
{
	check_on_failure(NULL);
}

static void expect(const char *expected)
{
	TEST_ASSERT_FALSE(out.overflowed);
	TEST_ASSERT_EQUAL_MESSAGE(strlen(expected), out.used, expected);
	TEST_ASSERT_EQUAL_MEMORY(expected, out.at, out.used);
}

static void test_nesting(void)
{
	json_open_object(&j);
	json_member_z(&j, "a", "b");
	json_key(&j, "c");
	json_open_array(&j);
	json_put_i64(&j, 1);
	json_open_array(&j);
	json_close_array(&j);
	json_open_object(&j);
	json_close_object(&j);
	json_put_null(&j);
	json_put_bool(&j, true);
	json_close_array(&j);
	json_member_bool(&j, "d", false);
	json_member_i64(&j, "e", INT64_MIN);
	json_key(&j, "f");
	json_open_object(&j);
	json_member_text(&j, "g", TEXT_NONE);
	json_close_object(&j);
	json_key_text(&j, TEXT("h\"h"));
	json_put_raw(&j, TEXT("{\"x\":[1]}"));
	json_close_object(&j);
	expect("{\"a\":\"b\",\"c\":[1,[],{},null,true],\"d\":false,\"e\":-9223372036854775808,"
	       "\"f\":{\"g\":\"\"},\"h\\\"h\":{\"x\":[1]}}");
	TEST_ASSERT_EQUAL(0, j.depth);
}

static void test_deep(void)
{
	char expected[2 * JSON_DEPTH_MAX + 1];

	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		json_open_array(&j);
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		json_close_array(&j);
	memset(expected, '[', JSON_DEPTH_MAX);
	memset(expected + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	expected[2 * JSON_DEPTH_MAX] = '\0';
	expect(expected);
}

static void test_commas_on_every_level(void)
{
	for (int i = 0; i < 3; i++) {
		json_open_array(&j);
		json_put_i64(&j, 1);
	}
	for (int i = 0; i < 3; i++) {
		json_put_i64(&j, 2);
		json_close_array(&j);
	}
	expect("[1,[1,[1,2],2],2]");
}

static void test_strings(void)
{
	static const struct {
		struct text text;
		const char *expected;
	} cases[] = {
		{TEXT(""), "\"\""},
		{TEXT("plain /text\x7f"), "\"plain /text\x7f\""},
		{TEXT("\"\\"), "\"\\\"\\\\\""},
		{TEXT("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
		{TEXT("\0\x01\x0b\x0e\x1f"), "\"\\u0000\\u0001\\u000b\\u000e\\u001f\""},
		{TEXT("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"),
			"\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\""},
		{TEXT("a\xff"
		      "b"),
			"\"a\xef\xbf\xbd"
			"b\""},
		{TEXT("\xc3"), "\"\xef\xbf\xbd\""},
		{TEXT("\xe4\xb8"), "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{TEXT("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{TEXT("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{TEXT("\xf0\x9f\x98"
		      "x"),
			"\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\""},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		setUp();
		json_put_text(&j, cases[i].text);
		expect(cases[i].expected);
	}
}

/* Every byte alone and every pair becomes JSON that the cutter leaves as it is. */
static void test_cutter_takes_every_string(void)
{
	for (uint32_t i = 0; i < 0x10000; i++) {
		char pair[2] = {(char)(i >> 8), (char)i};
		size_t whole;

		setUp();
		json_put_text(&j, (struct text){pair, 2});
		whole = out.used;
		collect.stop_after = 0;
		collect_run(&collect,
			(struct collect_job){JSON_CUT_LINES, NULL, NULL, JSON_PIECE_MIN},
			writer_text(&out), &whole, 1);
		TEST_ASSERT_TRUE(collect.ended);
		TEST_ASSERT_EQUAL(whole + 2, collect.used);
		TEST_ASSERT_EQUAL_MEMORY(out.at, collect.out + 1, whole);
	}
}

static void test_overflow_sticks(void)
{
	char little[16];

	writer_init(&out, little, sizeof(little));
	json_open_object(&j);
	json_member_z(&j, "key", "a longer value");
	json_member_i64(&j, "n", 1);
	json_close_object(&j);
	TEST_ASSERT_TRUE(out.overflowed);
}

static jmp_buf after_check;

static void back_to_test(void)
{
	longjmp(after_check, 1);
}

/* Runs `wrong`, which must end in a CHECK. */
static void expect_check(void (*wrong)(void))
{
	check_on_failure(back_to_test);
	if (setjmp(after_check) == 0) {
		wrong();
		TEST_FAIL_MESSAGE("no CHECK");
	}
}

static void close_nothing(void)
{
	json_close_object(&j);
}

static void close_after_key(void)
{
	json_open_object(&j);
	json_key(&j, "a");
	json_close_object(&j);
}

static void key_after_key(void)
{
	json_open_object(&j);
	json_key(&j, "a");
	json_key(&j, "b");
}

static void key_without_object(void)
{
	json_key(&j, "a");
}

static void key_in_array(void)
{
	json_open_array(&j);
	json_key(&j, "a");
}

static void value_without_key(void)
{
	json_open_object(&j);
	json_put_i64(&j, 1);
}

static void close_the_other_kind(void)
{
	json_open_object(&j);
	json_close_array(&j);
}

static void too_deep(void)
{
	for (int i = 0; i <= JSON_DEPTH_MAX; i++)
		json_open_array(&j);
}

static void test_an_object_that_was_closed_goes_on(void)
{
	json_open_object(&j);
	json_member_i64(&j, "a", 1);
	json_close_object(&j);
	json_reopen_object(&j, &out);
	json_member_array(&j, "b");
	json_put_i64(&j, 2);
	json_close_array(&j);
	json_member_i64(&j, "c", 3);
	json_close_object(&j);
	expect("{\"a\":1,\"b\":[2],\"c\":3}");
}

static void test_wrong_nesting_is_a_bug(void)
{
	static void (*const wrongs[])(void) = {close_nothing, close_after_key, key_after_key,
		key_without_object, key_in_array, value_without_key, close_the_other_kind,
		too_deep};

	for (size_t i = 0; i < ARRAY_COUNT(wrongs); i++) {
		setUp();
		expect_check(wrongs[i]);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nesting);
	RUN_TEST(test_deep);
	RUN_TEST(test_commas_on_every_level);
	RUN_TEST(test_strings);
	RUN_TEST(test_cutter_takes_every_string);
	RUN_TEST(test_overflow_sticks);
	RUN_TEST(test_an_object_that_was_closed_goes_on);
	RUN_TEST(test_wrong_nesting_is_a_bug);
	return UNITY_END();
}
