/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is JSON and what is not: a table of texts, each cut in all ways, kept and dropped, and
 * moved along so that its parts meet every place of a 16-byte block.
 */
// deps: json/cut.c json/cut_run.c json/cut_step.c
// deps: base/text.c base/format.c base/check.c base/budget.c base/trace.c
#include <unity.h>

#include "json/collect.h"

/* A text that is accepted and what it is in canonical form (NULL: the same). */
struct accepted {
	struct text text;
	const char *canonical;
};

#define Y(literal)                  \
	{                           \
		TEXT(literal), NULL \
	}
#define YC(literal, canonical)           \
	{                                \
		TEXT(literal), canonical \
	}

static const struct accepted accepted[] = {
	Y("null"),
	Y("true"),
	Y("false"),
	Y("0"),
	Y("-0"),
	Y("7"),
	Y("10"),
	Y("-12"),
	Y("1234567890"),
	Y("12345678901234567890123456789"),
	Y("0.5"),
	Y("-0.25"),
	Y("1.0"),
	Y("10.01"),
	Y("1e5"),
	Y("1E5"),
	Y("1e+5"),
	Y("1e-5"),
	Y("0e0"),
	Y("0E+1"),
	Y("0.0e-0"),
	Y("123.456e78"),
	Y("-1.5E+10"),
	Y("1e0005"),
	Y("0.00000000000000000000000000000000001"),
	Y("\"\""),
	Y("\"a\""),
	Y("\" \""),
	Y("\"/\""),
	Y("\"\x7f\""),
	Y("\"'\""),
	Y("\"0123456789abcdef\""),
	Y("\"0123456789abcde\""),
	Y("\"0123456789abcdefg\""),
	Y("\"\\\"\""),
	Y("\"\\\\\""),
	Y("\"\\b\\f\\n\\r\\t\""),
	Y("\"\\u0000\""),
	Y("\"\\u001f\""),
	Y("\"\\\\u0041\""),
	Y("\"\\\\\\\\\""),
	Y("\"\\\\\\\"\""),
	YC("\"\\/\"", "\"/\""),
	YC("\"\\u0041\"", "\"A\""),
	YC("\"\\u0022\"", "\"\\\"\""),
	YC("\"\\u005c\"", "\"\\\\\""),
	YC("\"\\u005C\"", "\"\\\\\""),
	YC("\"\\u002f\"", "\"/\""),
	YC("\"\\u0008\\u0009\\u000a\\u000C\\u000d\"", "\"\\b\\t\\n\\f\\r\""),
	YC("\"\\u000b\"", "\"\\u000b\""),
	YC("\"\\u000B\"", "\"\\u000b\""),
	YC("\"\\u007f\"", "\"\x7f\""),
	YC("\"\\u0080\"", "\"\xc2\x80\""),
	YC("\"\\u00e9\"", "\"\xc3\xa9\""),
	YC("\"\\u07ff\"", "\"\xdf\xbf\""),
	YC("\"\\u0800\"", "\"\xe0\xa0\x80\""),
	YC("\"\\ud7ff\"", "\"\xed\x9f\xbf\""),
	YC("\"\\ue000\"", "\"\xee\x80\x80\""),
	YC("\"\\uffff\"", "\"\xef\xbf\xbf\""),
	YC("\"\\uFFFD\"", "\"\xef\xbf\xbd\""),
	YC("\"\\ud800\\udc00\"", "\"\xf0\x90\x80\x80\""),
	YC("\"\\uD83D\\uDE00\"", "\"\xf0\x9f\x98\x80\""),
	YC("\"\\udbff\\udfff\"", "\"\xf4\x8f\xbf\xbf\""),
	YC("\"\\u003cb\\u003e\\u0026\"", "\"<b>&\""),
	YC("\"\\u2028\"", "\"\xe2\x80\xa8\""),
	Y("\"\xc2\x80\""),
	Y("\"\xdf\xbf\""),
	Y("\"\xe0\xa0\x80\""),
	Y("\"\xe1\x80\x80\""),
	Y("\"\xec\xbf\xbf\""),
	Y("\"\xed\x80\x80\""),
	Y("\"\xed\x9f\xbf\""),
	Y("\"\xee\x80\x80\""),
	Y("\"\xef\xbf\xbf\""),
	Y("\"\xf0\x90\x80\x80\""),
	Y("\"\xf1\x80\x80\x80\""),
	Y("\"\xf3\xbf\xbf\xbf\""),
	Y("\"\xf4\x80\x80\x80\""),
	Y("\"\xf4\x8f\xbf\xbf\""),
	Y("\"\xef\xbb\xbf\""),
	Y("\"Gr\xc3\xbc\xc3\x9f"
	  "e \xe4\xb8\xad \xf0\x9f\x98\x80\""),
	Y("[]"),
	Y("[[]]"),
	Y("[[],[]]"),
	Y("[null]"),
	Y("[1]"),
	Y("[1,2]"),
	Y("[0,-0]"),
	Y("[true]"),
	Y("[false,true,null]"),
	Y("[\"a\"]"),
	Y("[\"\",\"\"]"),
	Y("[{}]"),
	Y("[{},{}]"),
	Y("[[[[]]]]"),
	Y("[1.5e3,2]"),
	Y("[\"]\"]"),
	Y("[\"[\"]"),
	Y("[\",\"]"),
	YC("[ ]", "[]"),
	YC(" [ 1 , 2 ] ", "[1,2]"),
	YC("[\n\t1\r\n]", "[1]"),
	YC("[1 ]", "[1]"),
	YC("[ null ]", "[null]"),
	YC("[ true ]", "[true]"),
	YC("[\"a\" ]", "[\"a\"]"),
	YC("[                         1]", "[1]"),
	YC("\t\n\r 1 \r\n", "1"),
	Y("{}"),
	Y("{\"a\":1}"),
	Y("{\"\":0}"),
	Y("{\"\":\"\"}"),
	Y("{\"a\":{}}"),
	Y("{\"a\":[]}"),
	Y("{\"a\":null}"),
	Y("{\"a\":1,\"b\":2}"),
	Y("{\"a\":1,\"a\":2}"),
	Y("{\"a\":{\"a\":{\"a\":{}}}}"),
	Y("{\"a\":[{\"b\":[]}]}"),
	Y("{\"}\":1}"),
	Y("{\":\":1}"),
	Y("{\",\":\",\"}"),
	Y("{\"\\\"\":1}"),
	Y("{\"k:{\\\"name\\\":\\\"c\\\"}\":{\".\":{}}}"),
	Y("{\"\xc3\xa9\":1}"),
	Y("{\"*\":1}"),
	Y("{\"f:0123456789\":{},\"f:0123456789abcdef\":{},\"f:x\":{}}"),
	YC("{ }", "{}"),
	YC("{ \"a\" : 1 }", "{\"a\":1}"),
	YC("{\"a\" :1}", "{\"a\":1}"),
	YC("{\"a\": 1}", "{\"a\":1}"),
	YC("{\"a\":1 }", "{\"a\":1}"),
	YC("{\"\\u0061\":1}", "{\"a\":1}"),
	YC("{\n  \"a\": {\n    \"b\": [\n      1,\n      2\n    ]\n  }\n}\n",
		"{\"a\":{\"b\":[1,2]}}"),
	YC("{\"a\"\t:\r1\n,\t\"b\"\t:\t2\t}", "{\"a\":1,\"b\":2}"),
};

#define N(literal) TEXT(literal)

static const struct text refused[] = {
	N("n"),
	N("nul"),
	N("nulll"),
	N("nule"),
	N("NULL"),
	N("Null"),
	N("tru"),
	N("truE"),
	N("truee"),
	N("True"),
	N("fals"),
	N("falsy"),
	N("falsee"),
	N("undefined"),
	N("NaN"),
	N("nan"),
	N("Infinity"),
	N("-Infinity"),
	N("inf"),
	N("-"),
	N("--1"),
	N("+1"),
	N("-a"),
	N("01"),
	N("-01"),
	N("00"),
	N("-00"),
	N("1."),
	N("-1."),
	N(".5"),
	N("-.5"),
	N("1.e1"),
	N("1e"),
	N("1e+"),
	N("1e-"),
	N("1E"),
	N("1e1.5"),
	N("1.5.5"),
	N("1e5e5"),
	N("0x10"),
	N("0b1"),
	N("1_000"),
	N("1a"),
	N("1-"),
	N("1+2"),
	N("12e+-3"),
	N("0e"),
	N("0.e1"),
	N("1,"),
	N("0123456789"),
	N("9.a"),
	N("\xef\xbc\x91"),
	N("1 2x"),
	N("1\"a\""),
	N("truefalse"),
	N("nullnull"),
	N("1[]"),
	N("true{}"),
	N("1\x00"),
	N("\""),
	N("\"a"),
	N("a\""),
	N("'a'"),
	N("\"\n\""),
	N("\"\t\""),
	N("\"\x00\""),
	N("\"\x1f\""),
	N("\"a\nb\""),
	N("\"\\\""),
	N("\"\\\\\\\""),
	N("\"\\a\""),
	N("\"\\v\""),
	N("\"\\0\""),
	N("\"\\'\""),
	N("\"\\ \""),
	N("\"\\x41\""),
	N("\"\\U0041\""),
	N("\"\\u\""),
	N("\"\\u1\""),
	N("\"\\u12\""),
	N("\"\\u123\""),
	N("\"\\u123g\""),
	N("\"\\uG123\""),
	N("\"\\u-123\""),
	N("\"\\u 123\""),
	N("\"\\ud800\""),
	N("\"\\udbff\""),
	N("\"\\udc00\""),
	N("\"\\udfff\""),
	N("\"\\uDE00\\uD83D\""),
	N("\"\\ud800a\""),
	N("\"\\ud800\\n\""),
	N("\"\\ud800\\u0041\""),
	N("\"\\ud800\\ud800\""),
	N("\"\\ud800\\\""),
	N("\"\\ud800\\u\""),
	N("\"\\ud83d\\ude0\""),
	N("\"\\ud800 \\udc00\""),
	N("\"\\ud83d\\ue000\""),
	N("\"\\\xc3\xa9\""),
	N("\"\\\n\""),
	N("\"\x80\""),
	N("\"\xbf\""),
	N("\"\xc0\x80\""),
	N("\"\xc0\xaf\""),
	N("\"\xc1\xbf\""),
	N("\"\xc2\""),
	N("\"\xc2\xc2\x80\""),
	N("\"\xc2\x7f\""),
	N("\"\xc2\xc0\""),
	N("\"\xe0\x80\x80\""),
	N("\"\xe0\x9f\xbf\""),
	N("\"\xe1\x80\""),
	N("\"\xe1\""),
	N("\"\xe1\x7f\x80\""),
	N("\"\xe1\x80\x7f\""),
	N("\"\xe1\x80\xc0\""),
	N("\"\xed\xa0\x80\""),
	N("\"\xed\xbf\xbf\""),
	N("\"\xf0\x80\x80\x80\""),
	N("\"\xf0\x8f\xbf\xbf\""),
	N("\"\xf0\x9f\x98\""),
	N("\"\xf0\x9f\""),
	N("\"\xf0\""),
	N("\"\xf1\x80\x80\x7f\""),
	N("\"\xf1\x80\xc0\x80\""),
	N("\"\xf4\x90\x80\x80\""),
	N("\"\xf5\x80\x80\x80\""),
	N("\"\xf8\x88\x80\x80\x80\""),
	N("\"\xfe\""),
	N("\"\xff\""),
	N("\xff"),
	N("\xef\xbb\xbf{}"),
	N("\xfe\xff{}"),
	N("\xc2\xa0"
	  "1"),
	N("\x0c"
	  "1"),
	N("\x0b"
	  "1"),
	N("\x00"),
	N("1\x0c"),
	N("\xe2\x80\xa8[]"),
	N("["),
	N("[["),
	N("[]]"),
	N("]"),
	N("[1"),
	N("[1,"),
	N("[,"),
	N("[,]"),
	N("[1,]"),
	N("[,1]"),
	N("[1,,2]"),
	N("[1 2]"),
	N("[1;2]"),
	N("[1:2]"),
	N("[}"),
	N("[1}"),
	N("[\"a\"}"),
	N("[{]"),
	N("[{}"),
	N("[\"a\""),
	N("[\"a\",\n"),
	N("[a]"),
	N("[-]"),
	N("[1.]"),
	N("[01]"),
	N("[1e]"),
	N("[nul]"),
	N("[tru e]"),
	N("[\"a\" \"b\"]"),
	N("[\"a\":1]"),
	N("[\"\"],"),
	N("[] x"),
	N("[(]"),
	N("[1]2x"),
	N("[\"\x01\"]"),
	N("[1\x0c]"),
	N("[ , ]"),
	N("[*]"),
	N("[//\n]"),
	N("[/**/]"),
	N("{"),
	N("{{"),
	N("}"),
	N("{]"),
	N("{}}"),
	N("{\"a\"}"),
	N("{\"a\":}"),
	N("{\"a\": }"),
	N("{\"a\":1"),
	N("{\"a\":1,"),
	N("{\"a\":1,}"),
	N("{,}"),
	N("{,\"a\":1}"),
	N("{\"a\"1}"),
	N("{\"a\" 1}"),
	N("{\"a\"::1}"),
	N("{\"a\":1:2}"),
	N("{\"a\":1,,\"b\":2}"),
	N("{\"a\":1 \"b\":2}"),
	N("{\"a\",1}"),
	N("{\"a\",\"b\"}"),
	N("{a:1}"),
	N("{'a':1}"),
	N("{1:1}"),
	N("{null:1}"),
	N("{[]:1}"),
	N("{{}:1}"),
	N("{\"a\":1]"),
	N("{\"a\":[}"),
	N("{\"a\":[1}]"),
	N("{\"a\":{]}"),
	N("{\"a\":b}"),
	N("{\"a\":1}x"),
	N("{\"a\":1},"),
	N("{\"a\":tru}"),
	N("{\"a\":\"b}"),
	N("{\"a"),
	N("{\"a\""),
	N("{\"a\":"),
	N("{\"a\":\""),
	N("{\"a\nb\":1}"),
	N("{\"\x80\":1}"),
	N("{\"\\x\":1}"),
	N("{\"\\ud800\":1}"),
	N("{\"a\":1;}"),
	N("{\"a\"=1}"),
	N("{\"a\":1/**/}"),
	N("{\"a\":1}#"),
	N("{}{"),
	N("{ \"a\" : }"),
	N("{\"a\":,}"),
	N("{\"a\":1,\"b\"}"),
	N("{\"a\":1,\"b\":}"),
	N("{\"a\":1,b:2}"),
	N("{\"a\":-}"),
	N("{\"a\":01}"),
	N("{\"a\":1.}"),
	N("{\"a\":.1}"),
	N("{\"a\":\"\\ud800\"}"),
	N("{\"a\":[1,2}"),
	N("{\"a\":[{\"b\":}]}"),
};

static const struct json_want want_nothing[] = {{NULL, NULL}};
static struct collect collect;

void setUp(void)
{
	collect.stop_after = 0;
}

void tearDown(void)
{
}

static struct collect_job lines(const struct json_want *want)
{
	return (struct collect_job){JSON_CUT_LINES, want, NULL, 4096};
}

/* `text` with `before` and `after` around it. */
static struct text framed(const char *before, struct text text, const char *after)
{
	static char frame[2048];
	size_t size = strlen(before);

	TEST_ASSERT_TRUE(size + text.size + strlen(after) < sizeof(frame));
	memcpy(frame, before, size);
	memcpy(frame + size, text.at, text.size);
	size += text.size;
	memcpy(frame + size, after, strlen(after));
	return (struct text){frame, size + strlen(after)};
}

static void test_accepts(void)
{
	char expected[512];

	for (size_t i = 0; i < ARRAY_COUNT(accepted); i++) {
		collect_all_slicings(&collect, lines(NULL), accepted[i].text);
		TEST_ASSERT_TRUE_MESSAGE(collect.ended, accepted[i].text.at);
		TEST_ASSERT_EQUAL(JSON_CUT_MORE, collect.result);
		TEST_ASSERT_EQUAL(1, collect.pieces);
		snprintf(expected, sizeof(expected), "L%s\n",
			accepted[i].canonical == NULL ? accepted[i].text.at
						      : accepted[i].canonical);
		collect.out[collect.used] = '\0';
		TEST_ASSERT_EQUAL_STRING(expected, collect.out);
	}
}

static void test_canonical_form_stays_what_it_is(void)
{
	static struct collect again;

	for (size_t i = 0; i < ARRAY_COUNT(accepted); i++) {
		collect_whole(&collect, lines(NULL), accepted[i].text);
		collect_whole(
			&again, lines(NULL), (struct text){collect.out + 1, collect.used - 1});
		TEST_ASSERT_TRUE(text_is(collect_out(&collect), collect_out(&again)));
	}
}

static void test_refuses(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
		collect_all_slicings(&collect, lines(NULL), refused[i]);
		TEST_ASSERT_FALSE_MESSAGE(collect.ended, refused[i].at);
		TEST_ASSERT_TRUE(collect.offset <= refused[i].size);
	}
}

/* Values in an array, in a kept and in a dropped member, behind 0 to 16 bytes of string. */
static void test_same_verdict_everywhere(void)
{
	static const struct {
		const char *before;
		const char *after;
	} around[] = {{"[\"", "\","}, {"{\"a\":\"", "\",\"b\":"}, {"{\"", "\":"}};
	static const char *const after[] = {
		"\n,\"0123456789abcdef\"]", ",\"0123456789abcdef\":0} ", "\t}              "};
	static const struct json_want *const wants[] = {NULL, want_nothing};
	char head[64];
	char filled[64];

	for (size_t n = 0; n < ARRAY_COUNT(accepted) + ARRAY_COUNT(refused); n++) {
		bool good = n < ARRAY_COUNT(accepted);
		struct text text = good ? accepted[n].text : refused[n - ARRAY_COUNT(accepted)];

		/* these end a number or an array inside of what surrounds them, or go on with it */
		if (text_is(text, TEXT("1,")) || text_is(text, TEXT("[\"\"],")) ||
			text_is(text, TEXT("{\"a\":1},")))
			continue;
		for (size_t i = 0; i < 3 * 17 * 2; i++) {
			size_t one = text.size + 100;

			memset(filled, 'x', sizeof(filled));
			filled[i / 6] = '\0';
			snprintf(head, sizeof(head), "%s%s%s", around[i % 3].before, filled,
				around[i % 3].after);
			collect_run(&collect, lines(wants[i / 3 % 2]),
				framed(head, text, after[i % 3]), &one, 1);
			TEST_ASSERT_EQUAL_MESSAGE(good, collect.ended, text.at);
		}
	}
}

/* Inside a dropped member, at every slicing. */
static void test_refuses_what_is_dropped(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
		struct text text = framed("{\"dropped\":[", refused[i], "\n]}");

		if (text_is(refused[i], TEXT("[\"\"],")) || text_is(refused[i], TEXT("{\"a\":1},")))
			text = framed("{\"dropped\":[", refused[i], "\n,]}");
		collect_all_slicings(&collect, lines(want_nothing), text);
		TEST_ASSERT_FALSE_MESSAGE(collect.ended, refused[i].at);
	}
}

static void test_table_is_long(void)
{
	TEST_ASSERT_GREATER_THAN(100, ARRAY_COUNT(accepted));
	TEST_ASSERT_GREATER_THAN(150, ARRAY_COUNT(refused));
}

static struct text nested(char *to, uint32_t depth, const char *open, const char *close)
{
	size_t size = 0;

	for (uint32_t i = 0; i < depth; i++) {
		memcpy(to + size, open, strlen(open));
		size += strlen(open);
	}
	to[size++] = '0';
	for (uint32_t i = 0; i < depth; i++)
		memcpy(to + size++, close, 1);
	return (struct text){to, size};
}

/* What is kept and too deep costs its own piece; what is dropped may be as deep as servers take. */
static void test_depth_of_what_is_kept_is_bounded(void)
{
	static char text[JSON_DEPTH_MAX * 16];
	static const struct json_want *const wants[] = {NULL, want_nothing};

	for (int i = 0; i < 4; i++) {
		const char *open = i < 2 ? "[" : "{\"a\":";
		const char *close = i < 2 ? "]" : "}";

		collect_all_slicings(
			&collect, lines(wants[i % 2]), nested(text, JSON_DEPTH_MAX, open, close));
		TEST_ASSERT_TRUE(collect.ended);
		collect_all_slicings(&collect, lines(wants[i % 2]),
			nested(text, JSON_DEPTH_MAX + 1, open, close));
		TEST_ASSERT_TRUE(collect.ended);
		TEST_ASSERT_EQUAL(1, collect.pieces);
		TEST_ASSERT_EQUAL(i < 2 || wants[i % 2] == NULL ? 'B' : 'L', collect.out[0]);
	}
}

static void deep(uint32_t depth, const char *open, const char *close, bool ends)
{
	static char text[JSON_NESTING_MAX * 8];
	static const size_t slices[] = {1, 7, 64, 1000, sizeof(text)};
	size_t cut_size = json_cut_size(JSON_PIECE_MIN);
	struct json_cut *cut = json_cut_init(malloc(cut_size), cut_size, JSON_PIECE_MIN);

	struct text all = nested(text, depth, open, close);
	for (size_t i = 0; i < ARRAY_COUNT(slices); i++) {
		memset(&collect, 0, sizeof(collect));
		json_cut_start(cut, JSON_CUT_LINES, want_nothing, NULL, collect_piece, &collect);
		enum json_cut_result result = JSON_CUT_MORE;
		for (size_t at = 0; at < all.size && result == JSON_CUT_MORE; at += slices[i]) {
			size_t left = all.size - at;
			result =
				collect_feed(cut, all.at + at, left < slices[i] ? left : slices[i]);
		}
		TEST_ASSERT_EQUAL(ends ? JSON_CUT_MORE : JSON_CUT_BROKEN, result);
		TEST_ASSERT_EQUAL(ends, json_cut_end(cut));
		if (ends)
			TEST_ASSERT_EQUAL_STRING_LEN("L{}\n", collect.out, collect.used);
		else
			TEST_ASSERT_EQUAL_STRING("nested too deep", json_cut_fault(cut));
	}
	free(cut);
}

static void test_depth_of_what_is_dropped(void)
{
	deep(63, "{\"a\":", "}", true);
	deep(64, "{\"a\":", "}", true);
	deep(65, "{\"a\":", "}", true);
	deep(128, "{\"a\":", "}", true);
	deep(129, "{\"a\":", "}", true);
	deep(10000, "{\"a\":", "}", true);
	deep(JSON_NESTING_MAX, "{\"a\":", "}", true);
	deep(JSON_NESTING_MAX + 1, "{\"a\":", "}", false);
}

/* A wrong bracket is seen at any depth, also where one window of bits ends. */
static void test_brackets_match_at_any_depth(void)
{
	static char text[8 * 300];
	for (uint32_t depth = 60; depth < 140; depth++) {
		struct text all = nested(text, depth, "{\"a\":", "}");
		for (uint32_t wrong = 0; wrong < depth; wrong += 7) {
			size_t at = all.size - depth + wrong;
			text[at] = ']';
			collect_all_slicings(&collect, lines(want_nothing), all);
			TEST_ASSERT_EQUAL(JSON_CUT_BROKEN, collect.result);
			TEST_ASSERT_EQUAL(at, collect.offset);
			text[at] = '}';
		}
	}
}

static void test_says_what_and_where(void)
{
	collect_all_slicings(&collect, lines(NULL), TEXT("{\"a\": }"));
	TEST_ASSERT_EQUAL_STRING("a value was expected", collect.fault);
	TEST_ASSERT_EQUAL(6, collect.offset);
	collect_all_slicings(&collect, lines(NULL), TEXT("{}\n{\"a\":\"\x80\"}"));
	TEST_ASSERT_EQUAL_STRING("not UTF-8", collect.fault);
	TEST_ASSERT_EQUAL(9, collect.offset);
	TEST_ASSERT_EQUAL(1, collect.pieces);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_accepts);
	RUN_TEST(test_canonical_form_stays_what_it_is);
	RUN_TEST(test_refuses);
	RUN_TEST(test_same_verdict_everywhere);
	RUN_TEST(test_refuses_what_is_dropped);
	RUN_TEST(test_table_is_long);
	RUN_TEST(test_depth_of_what_is_kept_is_bounded);
	RUN_TEST(test_depth_of_what_is_dropped);
	RUN_TEST(test_brackets_match_at_any_depth);
	RUN_TEST(test_says_what_and_where);
	return UNITY_END();
}
