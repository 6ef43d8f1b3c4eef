/* SPDX-License-Identifier: GPL-2.0-only */
/* Text: slices, numbers at their limits, strict UTF-8, a writer whose overflow sticks. */
// deps: base/text.c base/format.c base/check.c base/budget.c base/trace.c
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

#include "check_expected.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void is(const char *wanted, struct text t)
{
	TEST_ASSERT_TRUE_MESSAGE(text_is_z(t, wanted), wanted);
}

static void test_sameness(void)
{
	TEST_ASSERT_TRUE(text_is(TEXT("abc"), text_of("abc")));
	TEST_ASSERT_FALSE(text_is(TEXT("abc"), TEXT("abd")));
	TEST_ASSERT_FALSE(text_is(TEXT("abc"), TEXT("ab")));
	TEST_ASSERT_TRUE(text_is(TEXT(""), TEXT_NONE));
	TEST_ASSERT_TRUE(text_is_z(TEXT_NONE, NULL));
	TEST_ASSERT_TRUE(text_is_z(TEXT_NONE, ""));
	TEST_ASSERT_FALSE(text_is_z(TEXT("a"), NULL));
	TEST_ASSERT_FALSE(text_is((struct text){"a\0b", 3}, (struct text){"a\0c", 3}));
}

static void test_order(void)
{
	TEST_ASSERT_EQUAL_INT(0, text_compare(TEXT("a"), TEXT("a")));
	TEST_ASSERT_EQUAL_INT(0, text_compare(TEXT(""), TEXT_NONE));
	TEST_ASSERT_TRUE(text_compare(TEXT("a"), TEXT("b")) < 0);
	TEST_ASSERT_TRUE(text_compare(TEXT("b"), TEXT("a")) > 0);
	TEST_ASSERT_TRUE(text_compare(TEXT("a"), TEXT("aa")) < 0);
	TEST_ASSERT_TRUE(text_compare(TEXT("aa"), TEXT("a")) > 0);
	TEST_ASSERT_TRUE(text_compare(TEXT("b"), TEXT("aa")) > 0);
	TEST_ASSERT_TRUE(text_compare(TEXT("a"), TEXT("\xff")) < 0);
}

static void test_parts(void)
{
	is("lo", text_from(TEXT("hello"), 3));
	is("", text_from(TEXT("hello"), 5));
	is("", text_from(TEXT_NONE, 0));
	TEST_ASSERT_NULL(text_from(TEXT_NONE, 0).at);
	is("hel", text_first(TEXT("hello"), 3));
	CHECK_EXPECTED((text_from(TEXT("hello"), 6), 0));
	CHECK_EXPECTED((text_first(TEXT("hello"), 6), 0));
	TEST_ASSERT_TRUE(text_starts(TEXT("hello"), TEXT("he")));
	TEST_ASSERT_TRUE(text_starts(TEXT("hello"), TEXT("")));
	TEST_ASSERT_TRUE(text_starts(TEXT_NONE, TEXT_NONE));
	TEST_ASSERT_FALSE(text_starts(TEXT("hello"), TEXT("lo")));
	TEST_ASSERT_FALSE(text_starts(TEXT("he"), TEXT("hello")));
	TEST_ASSERT_TRUE(text_ends(TEXT("hello"), TEXT("lo")));
	TEST_ASSERT_TRUE(text_ends(TEXT("hello"), TEXT("hello")));
	TEST_ASSERT_TRUE(text_ends(TEXT_NONE, TEXT("")));
	TEST_ASSERT_FALSE(text_ends(TEXT("hello"), TEXT("he")));
	TEST_ASSERT_FALSE(text_ends(TEXT("lo"), TEXT("hello")));
}

static void test_trim(void)
{
	is("a b", text_trim(TEXT(" \t\r\n a b\n ")));
	is("a", text_trim(TEXT("a")));
	is("", text_trim(TEXT(" \n ")));
	is("", text_trim(TEXT("")));
	is("", text_trim(TEXT_NONE));
	is("\v", text_trim(TEXT(" \v ")));
}

static void test_find(void)
{
	TEST_ASSERT_EQUAL_size_t(1, text_find(TEXT("a/b/c"), '/'));
	TEST_ASSERT_EQUAL_size_t(3, text_find_last(TEXT("a/b/c"), '/'));
	TEST_ASSERT_EQUAL_size_t(0, text_find_last(TEXT("/abc"), '/'));
	TEST_ASSERT_EQUAL_size_t(5, text_find(TEXT("a/b/c"), 'x'));
	TEST_ASSERT_EQUAL_size_t(5, text_find_last(TEXT("a/b/c"), 'x'));
	TEST_ASSERT_EQUAL_size_t(0, text_find(TEXT_NONE, 'x'));
	TEST_ASSERT_EQUAL_size_t(0, text_find_last(TEXT_NONE, 'x'));
	TEST_ASSERT_EQUAL_size_t(1, text_find(TEXT("a\xe9"), '\xe9'));
}

static void test_contains(void)
{
	TEST_ASSERT_TRUE(text_contains(TEXT("hello"), TEXT("ell")));
	TEST_ASSERT_TRUE(text_contains(TEXT("hello"), TEXT("hello")));
	TEST_ASSERT_TRUE(text_contains(TEXT("hello"), TEXT("o")));
	TEST_ASSERT_TRUE(text_contains(TEXT("aaab"), TEXT("aab")));
	TEST_ASSERT_TRUE(text_contains(TEXT(""), TEXT("")));
	TEST_ASSERT_TRUE(text_contains(TEXT("x"), TEXT("")));
	TEST_ASSERT_FALSE(text_contains(TEXT("hello"), TEXT("hellos")));
	TEST_ASSERT_FALSE(text_contains(TEXT("hello"), TEXT("lx")));
	TEST_ASSERT_FALSE(text_contains(TEXT(""), TEXT("a")));
	TEST_ASSERT_FALSE(text_contains(TEXT_NONE, TEXT("a")));
}

static void test_cut(void)
{
	struct text rest = TEXT("a,,b");
	struct text part;
	TEST_ASSERT_TRUE(text_cut(&rest, ',', &part));
	is("a", part);
	TEST_ASSERT_TRUE(text_cut(&rest, ',', &part));
	is("", part);
	TEST_ASSERT_TRUE(text_cut(&rest, ',', &part));
	is("b", part);
	TEST_ASSERT_NULL(rest.at);
	TEST_ASSERT_FALSE(text_cut(&rest, ',', &part));
	TEST_ASSERT_NULL(part.at);
	rest = TEXT("");
	TEST_ASSERT_TRUE(text_cut(&rest, ',', &part));
	is("", part);
	TEST_ASSERT_FALSE(text_cut(&rest, ',', &part));
	rest = TEXT("a,");
	TEST_ASSERT_TRUE(text_cut(&rest, ',', &part));
	TEST_ASSERT_TRUE(text_cut(&rest, ',', &part));
	is("", part);
	TEST_ASSERT_FALSE(text_cut(&rest, ',', &part));
}

static void test_unsigned(void)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{"0", true, 0},
		{"007", true, 7},
		{"18446744073709551615", true, UINT64_MAX},
		{"18446744073709551616", false, 0},
		{"18446744073709551620", false, 0},
		{"99999999999999999999", false, 0},
		{"100000000000000000000", false, 0},
		{"", false, 0},
		{"-1", false, 0},
		{"-0", false, 0},
		{"+1", false, 0},
		{" 1", false, 0},
		{"1 ", false, 0},
		{"1a", false, 0},
		{"0x1", false, 0},
	};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint64_t value = 77;
		TEST_ASSERT_EQUAL_MESSAGE(
			cases[i].good, text_to_u64(text_of(cases[i].text), &value), cases[i].text);
		TEST_ASSERT_EQUAL_UINT64(cases[i].value, value);
	}
	uint64_t value;
	TEST_ASSERT_FALSE(text_to_u64(TEXT_NONE, &value));
	TEST_ASSERT_FALSE(text_to_u64((struct text){"1\0", 2}, &value));
}

static void test_signed(void)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} cases[] = {
		{"0", true, 0},
		{"-0", true, 0},
		{"-12", true, -12},
		{"9223372036854775807", true, INT64_MAX},
		{"9223372036854775808", false, 0},
		{"-9223372036854775808", true, INT64_MIN},
		{"-9223372036854775809", false, 0},
		{"-18446744073709551615", false, 0},
		{"-", false, 0},
		{"--1", false, 0},
		{"+1", false, 0},
		{"", false, 0},
	};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		int64_t value = 77;
		TEST_ASSERT_EQUAL_MESSAGE(
			cases[i].good, text_to_i64(text_of(cases[i].text), &value), cases[i].text);
		TEST_ASSERT_EQUAL_INT64(cases[i].value, value);
	}
}

static void test_copy(void)
{
	char to[4] = "zzz";
	TEST_ASSERT_TRUE(text_copy(TEXT("abc"), to, sizeof(to)));
	TEST_ASSERT_EQUAL_STRING("abc", to);
	TEST_ASSERT_FALSE(text_copy(TEXT("abcd"), to, sizeof(to)));
	TEST_ASSERT_EQUAL_STRING("", to);
	TEST_ASSERT_TRUE(text_copy(TEXT_NONE, to, 1));
	TEST_ASSERT_EQUAL_STRING("", to);
	TEST_ASSERT_FALSE(text_copy(TEXT_NONE, NULL, 0));
}

/* ---- UTF-8 ---- */

/* The slow, plain reading of the table in the Unicode standard: decode, then ask. */
static size_t naive_utf8(const unsigned char *at, size_t size)
{
	uint32_t value = at[0];
	size_t length = 1;
	if (value >= 0xf8)
		return 0;
	if (value >= 0xf0)
		length = 4, value &= 0x07;
	else if (value >= 0xe0)
		length = 3, value &= 0x0f;
	else if (value >= 0xc0)
		length = 2, value &= 0x1f;
	else if (value >= 0x80)
		return 0;
	if (length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (at[i] >> 6 != 2)
			return 0;
		value = value << 6 | (at[i] & 0x3f);
	}
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	if (value < least[length] || value > 0x10ffff)
		return 0;
	return value >= 0xd800 && value <= 0xdfff ? 0 : length;
}

/* All sequences of up to four bytes out of those where something changes. */
static void test_utf8_like_the_table(void)
{
	static const unsigned char edges[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
		0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4,
		0xf5, 0xf8, 0xfe, 0xff};
	enum { EDGES = sizeof(edges) };
	for (uint32_t n = 0; n < EDGES * EDGES * EDGES * EDGES; n++) {
		unsigned char bytes[4] = {edges[n % EDGES], edges[n / EDGES % EDGES],
			edges[n / EDGES / EDGES % EDGES], edges[n / EDGES / EDGES / EDGES]};
		size_t wanted = naive_utf8(bytes, 4);
		struct text t = {(const char *)bytes, 4};
		if (wanted != text_utf8_next(t))
			TEST_FAIL_MESSAGE("text_utf8_next differs from the table");
		for (size_t size = 1; size < wanted; size++)
			TEST_ASSERT_EQUAL_size_t(0, text_utf8_next(text_first(t, size)));
	}
}

static void test_utf8_beginnings(void)
{
	static const char words[] = "gr\xc3\xbc\xc3\x9f\xff!";
	static const size_t fits[] = {0, 1, 2, 2, 4, 4, 6, 6, 6, 6}; /* by the room there is */
	for (size_t size = 0; size < sizeof(fits) / sizeof(fits[0]); size++)
		TEST_ASSERT_EQUAL_size_t(fits[size], text_utf8_first(text_of(words), size).size);
	TEST_ASSERT_EQUAL_size_t(0, text_utf8_first(TEXT_NONE, 9).size);
	TEST_ASSERT_EQUAL_size_t(5, text_utf8_first(TEXT("whole"), 5).size);
}

static void test_utf8_whole_texts(void)
{
	TEST_ASSERT_TRUE(text_is_utf8(TEXT_NONE));
	TEST_ASSERT_TRUE(text_is_utf8(TEXT("plain ascii of some length, more than eight")));
	TEST_ASSERT_TRUE(text_is_utf8(TEXT("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x9a\xa2!")));
	TEST_ASSERT_TRUE(text_is_utf8((struct text){"a\0b", 3}));
	TEST_ASSERT_EQUAL_size_t(0, text_utf8_next(TEXT_NONE));
	/* One bad byte at every place of a longer text. */
	char text[40];
	for (size_t i = 0; i < sizeof(text); i++) {
		memset(text, 'x', sizeof(text));
		TEST_ASSERT_TRUE(text_is_utf8((struct text){text, sizeof(text)}));
		text[i] = '\xbf';
		TEST_ASSERT_FALSE(text_is_utf8((struct text){text, sizeof(text)}));
	}
	TEST_ASSERT_FALSE(text_is_utf8(TEXT("cut \xe2\x82")));
	TEST_ASSERT_FALSE(text_is_utf8(TEXT("cut \xf0\x9f\x9a")));
}

/* ---- writer ---- */

static void test_writer_collects(void)
{
	char buffer[64];
	struct writer w;
	writer_init(&w, buffer, sizeof(buffer));
	is("", writer_text(&w));
	write_z(&w, "pods ");
	write_i64(&w, -7);
	write_char(&w, ' ');
	write_u64(&w, 42);
	write_text(&w, TEXT(" of "));
	write_text(&w, TEXT_NONE);
	write_format(&w, "%s-%03d", "x", 5);
	is("pods -7 42 of x-005", writer_text(&w));
	TEST_ASSERT_FALSE(w.overflowed);
}

static void test_writer_numbers(void)
{
	static const int64_t numbers[] = {0, 1, -1, 9, 10, 99, 100, INT64_MAX, INT64_MIN};
	char wanted[32];
	char buffer[32];
	struct writer w;
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
		writer_init(&w, buffer, sizeof(buffer));
		write_i64(&w, numbers[i]);
		snprintf(wanted, sizeof(wanted), "%lld", (long long)numbers[i]);
		is(wanted, writer_text(&w));
		int64_t back;
		TEST_ASSERT_TRUE(text_to_i64(writer_text(&w), &back));
		TEST_ASSERT_EQUAL_INT64(numbers[i], back);
	}
	writer_init(&w, buffer, sizeof(buffer));
	write_u64(&w, UINT64_MAX);
	is("18446744073709551615", writer_text(&w));
}

static void test_writer_exact_fill(void)
{
	char buffer[6] = "zzzzz";
	struct writer w;
	writer_init(&w, buffer, 5);
	write_z(&w, "abc");
	write_z(&w, "de");
	is("abcde", writer_text(&w));
	TEST_ASSERT_FALSE(w.overflowed);
	TEST_ASSERT_EQUAL_CHAR('\0', buffer[5]);
	write_z(&w, "");
	TEST_ASSERT_FALSE(w.overflowed);
	write_char(&w, 'f');
	TEST_ASSERT_TRUE(w.overflowed);
	is("abcde", writer_text(&w));
}

static void test_writer_overflow_sticks(void)
{
	char buffer[8];
	struct writer w;
	writer_init(&w, buffer, sizeof(buffer));
	write_z(&w, "abc");
	write_z(&w, "too long");
	TEST_ASSERT_TRUE(w.overflowed);
	write_z(&w, "d");
	write_u64(&w, 1);
	write_format(&w, "%d", 1);
	write_z(&w, "");
	is("abc", writer_text(&w));
	TEST_ASSERT_TRUE(w.overflowed);
}

static void test_writer_format_fills_the_room(void)
{
	char *buffer = malloc(8); /* exactly: a byte too far is seen */
	TEST_ASSERT_NOT_NULL(buffer);
	struct writer w;
	writer_init(&w, buffer, 8);
	write_format(&w, "%s", "12345678");
	TEST_ASSERT_FALSE(w.overflowed);
	is("12345678", writer_text(&w));
	writer_init(&w, buffer, 8);
	write_format(&w, "%s", "123456789");
	TEST_ASSERT_TRUE(w.overflowed);
	TEST_ASSERT_EQUAL_size_t(0, w.used);
	writer_init(&w, buffer, 8);
	write_z(&w, "12345678");
	write_format(&w, "%s", "");
	TEST_ASSERT_FALSE(w.overflowed);
	free(buffer);
}

static void test_writer_without_room(void)
{
	struct writer w;
	writer_init(&w, NULL, 0);
	write_z(&w, "");
	TEST_ASSERT_FALSE(w.overflowed);
	write_char(&w, 'a');
	TEST_ASSERT_TRUE(w.overflowed);
	CHECK_EXPECTED((writer_init(&w, NULL, 1), 0));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_sameness);
	RUN_TEST(test_order);
	RUN_TEST(test_parts);
	RUN_TEST(test_trim);
	RUN_TEST(test_find);
	RUN_TEST(test_contains);
	RUN_TEST(test_cut);
	RUN_TEST(test_unsigned);
	RUN_TEST(test_signed);
	RUN_TEST(test_copy);
	RUN_TEST(test_utf8_like_the_table);
	RUN_TEST(test_utf8_beginnings);
	RUN_TEST(test_utf8_whole_texts);
	RUN_TEST(test_writer_collects);
	RUN_TEST(test_writer_numbers);
	RUN_TEST(test_writer_exact_fill);
	RUN_TEST(test_writer_overflow_sticks);
	RUN_TEST(test_writer_format_fills_the_room);
	RUN_TEST(test_writer_without_room);
	return UNITY_END();
}
