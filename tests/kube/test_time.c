/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times and durations: tables, the days of 10,000 years against counting, and round trips.
 */
// deps: base/*.c kube/time.c kube/duration.c
#include "kube/time.h"

#include <stdio.h>

#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const char *printed_time(int64_t us, bool with_micros)
{
	static char text[KUBE_TIME_SIZE];
	struct writer out;

	writer_init(&out, text, sizeof(text) - 1);
	if (with_micros)
		kube_time_print_micro((struct wall){us}, &out);
	else
		kube_time_print((struct wall){us}, &out);
	TEST_ASSERT_FALSE(out.overflowed);
	text[out.used] = '\0';
	return text;
}

static const char *printed_duration(int64_t us)
{
	static char text[64];
	struct writer out;

	writer_init(&out, text, sizeof(text) - 1);
	kube_duration_print(us, &out);
	TEST_ASSERT_FALSE(out.overflowed);
	text[out.used] = '\0';
	return text;
}

static void test_parse(void)
{
	static const struct {
		const char *text;
		int64_t us;
	} rows[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"1970-01-01T00:00:01Z", 1000000},
		{"2026-11-18T08:00:00Z", INT64_C(1794988800000000)},
		{"2026-11-18T08:00:00.000000Z", INT64_C(1794988800000000)},
		{"2026-11-18T08:00:00.123456Z", INT64_C(1794988800123456)},
		{"2026-11-18T08:00:00.1Z", INT64_C(1794988800100000)},
		{"2026-11-18T08:00:00.123456789Z", INT64_C(1794988800123456)},
		{"2026-11-18T10:30:00+02:30", INT64_C(1794988800000000)},
		{"2026-11-17T23:59:00-08:01", INT64_C(1794988800000000)},
		{"2026-11-18T08:00:00-00:00", INT64_C(1794988800000000)},
		{"2000-02-29T23:59:59Z", INT64_C(951868799000000)},
		{"1969-12-31T23:59:59.5Z", -500000},
		{"0000-01-01T00:00:00Z", INT64_C(-62167219200000000)},
		{"9999-12-31T23:59:59.999999Z", INT64_C(253402300799999999)},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct wall time;

		TEST_ASSERT_TRUE_MESSAGE(
			kube_time_parse(text_of(rows[i].text), &time), rows[i].text);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].us, time.us, rows[i].text);
	}
}

static void test_refused(void)
{
	static const char *const rows[] = {
		"",
		"null",
		"2026",
		"2026-11-18",
		"2026-11-18T08:00:00",
		"2026-11-18 08:00:00Z",
		"2026-11-18t08:00:00Z",
		"2026-11-18T08:00:00z",
		"2026-11-18T08:00Z",
		"2026-11-18T08:00:00.Z",
		"2026-11-18T08:00:00,5Z",
		"2026-11-18T08:00:00Z ",
		" 2026-11-18T08:00:00Z",
		"2026-13-18T08:00:00Z",
		"2026-00-18T08:00:00Z",
		"2026-11-31T08:00:00Z",
		"2026-11-00T08:00:00Z",
		"2023-02-29T08:00:00Z",
		"2100-02-29T08:00:00Z",
		"2026-11-18T24:00:00Z",
		"2026-11-18T08:60:00Z",
		"2026-11-18T08:00:60Z",
		"2026-11-18T8:00:00Z",
		"12026-11-18T08:00:00Z",
		"-026-11-18T08:00:00Z",
		"2026-11-18T08:00:00+24:00",
		"2026-11-18T08:00:00+02:60",
		"2026-11-18T08:00:00+0200",
		"2026-11-18T08:00:00+02",
		"2026-11-18T08:00:00ZZ",
		"2026/11/18T08:00:00Z",
		"+026-11-18T08:00:00Z",
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct wall time;

		TEST_ASSERT_FALSE_MESSAGE(kube_time_parse(text_of(rows[i]), &time), rows[i]);
		TEST_ASSERT_EQUAL_INT64(0, time.us);
	}
}

static void test_print(void)
{
	static const struct {
		int64_t us;
		const char *seconds;
		const char *micros;
	} rows[] = {
		{0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
		{-1, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999999Z"},
		{INT64_C(1794988800123456), "2026-11-18T08:00:00Z", "2026-11-18T08:00:00.123456Z"},
		{INT64_MAX, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z"},
		{INT64_MIN, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		TEST_ASSERT_EQUAL_STRING(rows[i].seconds, printed_time(rows[i].us, false));
		TEST_ASSERT_EQUAL_STRING(rows[i].micros, printed_time(rows[i].us, true));
	}
}

/* Counts days up from 0000-01-01 with the rules as everybody learns them. */
static void test_days_of_ten_thousand_years(void)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64_t us = INT64_C(-62167219200000000);

	for (int year = 0; year <= 9999; year++) {
		bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

		for (int month = 1; month <= 12; month++)
			for (int day = 1; day <= lengths[month - 1] + (leap && month == 2); day++) {
				char text[64];
				struct wall time;

				/* elsewhere the ends of months tell enough */
				if ((year < 1960 || year > 2110) && day > 1 && day < 28) {
					us += INT64_C(86400000000);
					continue;
				}
				snprintf(text, sizeof(text), "%04d-%02d-%02dT00:00:00Z", year,
					month, day);
				TEST_ASSERT_TRUE(kube_time_parse(text_of(text), &time));
				if (time.us != us)
					TEST_FAIL_MESSAGE(text);
				if (strcmp(text, printed_time(us, false)) != 0)
					TEST_FAIL_MESSAGE(text);
				us += INT64_C(86400000000);
			}
	}
}

static void test_duration_parse(void)
{
	static const struct {
		const char *text;
		int64_t us;
	} rows[] = {
		{"0", 0},
		{"-0", 0},
		{"+0", 0},
		{"0s", 0},
		{"15s", 15000000},
		{"1m30s", 90000000},
		{"100ms", 100000},
		{"1.5h", INT64_C(5400000000)},
		{"1h2m3s4ms5us6ns", INT64_C(3723004005)},
		{"-1.5s", -1500000},
		{"+5s", 5000000},
		{".5s", 500000},
		{"1.s", 1000000},
		{"1h1h", INT64_C(7200000000)},
		{"3\xc2\xb5s", 3},
		{"3\xce\xbcs", 3},
		{"1999ns", 1},
		{"-1999ns", -1},
		{"0.000001h", 3600},
		{"0.3333333333333333333h", 1199999999},
		{"2562047h47m16.854775807s", INT64_C(9223372036854775)},
		{"-2562047h47m16.854775808s", INT64_C(-9223372036854775)},
		{"9223372036854775807ns", INT64_C(9223372036854775)},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int64_t us;

		TEST_ASSERT_TRUE_MESSAGE(
			kube_duration_parse(text_of(rows[i].text), &us), rows[i].text);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].us, us, rows[i].text);
	}
}

static void test_duration_refused(void)
{
	static const char *const rows[] = {
		"",
		"-",
		"+",
		"3",
		"s",
		".",
		"-.",
		".s",
		"+.s",
		"1d",
		"1 s",
		" 1s",
		"1s ",
		"1.5",
		"--1s",
		"1s-1s",
		"1x",
		"1S",
		"1e3s",
		"0x1s",
		"1..5s",
		"00",
		"1h2",
		"\xc2\xb5s",
		"2562047h47m16.854775808s",
		"9223372036854775808ns",
		"3000000h",
		"-3000000h",
		"18446744073709551616ns",
		"9223372036854775807ns1ns",
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int64_t us;

		TEST_ASSERT_FALSE_MESSAGE(kube_duration_parse(text_of(rows[i]), &us), rows[i]);
	}
}

static void test_duration_print(void)
{
	static const struct {
		int64_t us;
		const char *text;
	} rows[] = {
		{0, "0s"},
		{1, "1\xc2\xb5s"},
		{999, "999\xc2\xb5s"},
		{1000, "1ms"},
		{1100, "1.1ms"},
		{999999, "999.999ms"},
		{1000000, "1s"},
		{1500000, "1.5s"},
		{1000001, "1.000001s"},
		{15000000, "15s"},
		{60000000, "1m0s"},
		{90000000, "1m30s"},
		{INT64_C(3600000000), "1h0m0s"},
		{INT64_C(5400500000), "1h30m0.5s"},
		{-15000000, "-15s"},
		{INT64_C(9223372036854775), "2562047h47m16.854775s"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int64_t again;

		TEST_ASSERT_EQUAL_STRING(rows[i].text, printed_duration(rows[i].us));
		TEST_ASSERT_TRUE(kube_duration_parse(text_of(rows[i].text), &again));
		TEST_ASSERT_EQUAL_INT64(rows[i].us, again);
	}
	TEST_ASSERT_EQUAL_STRING("-2562047788h0m54.775808s", printed_duration(INT64_MIN));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_parse);
	RUN_TEST(test_refused);
	RUN_TEST(test_print);
	RUN_TEST(test_days_of_ten_thousand_years);
	RUN_TEST(test_duration_parse);
	RUN_TEST(test_duration_refused);
	RUN_TEST(test_duration_print);
	return UNITY_END();
}
