/* SPDX-License-Identifier: GPL-2.0-only */
/* Real numbers: against the C library's own, which is exact. */
// deps: base/real.c base/text.c base/format.c base/check.c base/budget.c base/trace.c
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static uint64_t state = 88172645463325252u;

static uint64_t dice(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void reads(const char *text)
{
	double value;

	TEST_ASSERT_TRUE_MESSAGE(real_parse(text_of(text), &value), text);
	double wanted = strtod(text, NULL);
	TEST_ASSERT_TRUE_MESSAGE(memcmp(&wanted, &value, sizeof(value)) == 0, text);
}

static void writes(double value, int digits)
{
	char wanted[64], got[64];
	struct writer w;

	snprintf(wanted, sizeof(wanted), "%.*g", digits, value);
	writer_init(&w, got, sizeof(got));
	real_write(&w, value, digits);
	TEST_ASSERT_FALSE(w.overflowed);
	TEST_ASSERT_TRUE_MESSAGE(text_is_z(writer_text(&w), wanted), wanted);
}

static void test_reading(void)
{
	static const char *const texts[] = {"0", "-0", "+1", "1.", ".5", "0.1", "-0.1", "100",
		"1e3", "1E+3", "1e-3", "123456789012345678", "0.3", "2.2250738585072014e-308",
		"4.9406564584124654e-324", "2.4703282292062328e-324", "2.4703282292062327e-324",
		"1e-400", "1.7976931348623157e308", "9007199254740993", "9007199254740991.5",
		"0.000001e6", "1e22", "1e23", "8.5e-45", "0e999",
		"0.0000000000000000000000000000000001", "5e-324", "18446744073709551615", "50",
		"0.25",
		/* what comes behind the nineteenth digit decides */
		"18446744073709553665", "18446744073709553664", "9007199254740993.0",
		"9007199254740993.00000000000000000000000000000000000000000000000000001",
		"0.1000000000000000055511151231257827021181583404541015625",
		"2.47032822920623272088284396434110686182e-324",
		"179769313486231580793728971405303415079e270",
		"99999999999999999999999999999999999999e-20"};

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		reads(texts[i]);
}

static void test_what_is_no_number(void)
{
	static const char *const texts[] = {"", "+", ".", "e1", "1e", "1e+", "1 ", " 1", "0x1",
		"nan", "inf", "1,5", "1e1.5", "--1", "1e400", "1.8e308", "-1e309",
		"1e99999999999999999999"};
	double value;

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		TEST_ASSERT_FALSE_MESSAGE(real_parse(text_of(texts[i]), &value), texts[i]);
}

static void test_writing(void)
{
	static const double values[] = {0, -0.0, 1, -1, 0.1, 0.5, 1.5, 2.5, 100, 1e5, 1e15, 1e16,
		1e17, 123456.789, 1e-4, 1e-5, 9.9999999999999995e-5, 999999999999999.9, 9.5, 0.95,
		1e22, 1e23, 1.7976931348623157e308, 2.2250738585072014e-308,
		4.9406564584124654e-324, 1.0 / 3};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		for (int digits = 1; digits <= 17; digits++)
			writes(values[i], digits);
}

static void test_any_number(void)
{
	char text[64];
	struct writer w;
	double value, again;

	for (int i = 0; i < 4000; i++) {
		uint64_t bits = dice();
		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		writes(value, 1 + (int)(dice() % 17));
		writes((double)(dice() % 1000000) / 1000, 15);
		writer_init(&w, text, sizeof(text) - 1);
		real_write_shortest(&w, value);
		text[w.used] = '\0';
		reads(text);
		TEST_ASSERT_TRUE(real_parse(writer_text(&w), &again));
		TEST_ASSERT_TRUE_MESSAGE(memcmp(&again, &value, sizeof(value)) == 0, text);
		snprintf(text, sizeof(text), "%llu.%llue%d", (unsigned long long)(dice() % 1000000),
			(unsigned long long)(dice() % 1000000000), (int)(dice() % 600) - 310);
		reads(text);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_reading);
	RUN_TEST(test_what_is_no_number);
	RUN_TEST(test_writing);
	RUN_TEST(test_any_number);
	return UNITY_END();
}
