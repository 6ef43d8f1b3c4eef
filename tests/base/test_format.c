/* SPDX-License-Identifier: GPL-2.0-only */
/* Format: every conversion as the C library does it, cut where the room ends. */
// deps: base/format.c base/check.c base/budget.c base/trace.c
#include "base/format.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

/* As snprintf() says it, and the same with every room from none on. */
PRINTF_LIKE(1, 2) static void same(const char *format, ...)
{
	char wanted[256], got[256];
	va_list args;

	va_start(args, format);
	int size = vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	for (size_t room = 0; room <= (size_t)size + 1; room++) {
		memset(got, '#', sizeof(got));
		va_start(args, format);
		size_t used = format_into(got, room, format, args);
		va_end(args);
		TEST_ASSERT_EQUAL_size_t_MESSAGE((size_t)size, used, format);
		size_t kept = used < room ? used : room;
		TEST_ASSERT_TRUE_MESSAGE(memcmp(wanted, got, kept) == 0, format);
		TEST_ASSERT_EQUAL_CHAR('#', got[kept]);
	}
}

static void test_numbers(void)
{
	static const int64_t values[] = {
		0, 1, -1, 9, 10, -10, 255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		int64_t v = values[i];
		same("%d|%5d|%-5d|%05d|%i", (int)v, (int)v, (int)v, (int)v, (int)v);
		same("%u|%x|%X|%08x|%2x", (unsigned int)v, (unsigned int)v, (unsigned int)v,
			(unsigned int)v, (unsigned int)v);
		same("%lld|%22lld|%-22lld|%022lld", (long long)v, (long long)v, (long long)v,
			(long long)v);
		same("%llu|%llx|%06llu", (unsigned long long)v, (unsigned long long)v,
			(unsigned long long)v);
		same("%ld|%lu|%zu", (long)v, (unsigned long)v, (size_t)v);
		same("%" PRId64 "|%" PRIu64, v, (uint64_t)v);
		same("%hu|%hhu", (unsigned short)(v & 0xffff), (unsigned char)(v & 0xff));
		same("%*d|%-*d|%0*d", 7, (int)v, 7, (int)v, 7, (int)v);
		same("%*d", -7, (int)v);
	}
}

static void test_texts(void)
{
	same("nothing to do");
	same("%s", "");
	same("<%s> <%8s> <%-8s> <%2s>", "abc", "abc", "abc", "abc");
	same("<%.*s> <%.2s> <%5.1s> <%-5.*s>", 2, "abc", "abc", "abc", 0, "abc");
	same("<%.*s>", 0, "abc");
	same("%c%c%3c", 'a', '%', 'b');
	same("100%% of %s", "it");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static size_t unchecked(char *to, size_t size, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	size_t used = format_into(to, size, format, args);
	va_end(args);
	return used;
}
#pragma GCC diagnostic pop

/* What is not a conversion is shown, so that nothing is lost where somebody forgot. */
static void test_unknown(void)
{
	char got[32];
	TEST_ASSERT_EQUAL_size_t(7, unchecked(got, sizeof(got), "a %q b %"));
	TEST_ASSERT_EQUAL_MEMORY("a %q b ", got, 7);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_numbers);
	RUN_TEST(test_texts);
	RUN_TEST(test_unknown);
	return UNITY_END();
}
