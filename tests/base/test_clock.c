/* SPDX-License-Identifier: GPL-2.0-only */
/* Clock: arithmetic, the system's clocks, and every day of eight hundred years. */
// deps: base/clock.c base/check.c base/format.c base/budget.c base/trace.c
#include "base/clock.h"

#include <time.h>

#include "base/check.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_monotonic_arithmetic(void)
{
	struct mono start = {1000};
	struct mono due = mono_after_ms(start, 5);
	TEST_ASSERT_EQUAL_INT64(6000, due.us);
	TEST_ASSERT_EQUAL_INT64(5000, mono_since_us(due, start));
	TEST_ASSERT_EQUAL_INT64(-5000, mono_since_us(start, due));
	TEST_ASSERT_FALSE(mono_reached(start, due));
	TEST_ASSERT_TRUE(mono_reached(due, due));
	TEST_ASSERT_FALSE(mono_reached(due, MONO_NEVER));
}

static void test_system_clocks(void)
{
	struct clock clock = clock_system();
	struct mono before = clock_mono(&clock);
	struct timespec nap = {0, 2 * 1000 * 1000};
	nanosleep(&nap, NULL);
	struct mono after = clock_mono(&clock);
	TEST_ASSERT_TRUE(mono_since_us(after, before) >= 2000);
	TEST_ASSERT_TRUE(mono_since_us(after, before) < 60 * (int64_t)CLOCK_S_US);
	int64_t now_s = (int64_t)time(NULL);
	int64_t wall_s = clock_wall(&clock).us / CLOCK_S_US;
	TEST_ASSERT_TRUE(wall_s - now_s <= 2 && now_s - wall_s <= 2);
}

static void date_is(int64_t us, int year, int month, int day, int hour, int minute, int second)
{
	struct wall_date date = wall_date((struct wall){us});
	TEST_ASSERT_EQUAL_INT(year, date.year);
	TEST_ASSERT_EQUAL_INT(month, date.month);
	TEST_ASSERT_EQUAL_INT(day, date.day);
	TEST_ASSERT_EQUAL_INT(hour, date.hour);
	TEST_ASSERT_EQUAL_INT(minute, date.minute);
	TEST_ASSERT_EQUAL_INT(second, date.second);
	TEST_ASSERT_TRUE(date.us >= 0 && date.us < CLOCK_S_US);
	TEST_ASSERT_EQUAL_INT64(us, wall_from_date(date).us);
}

static void test_known_dates(void)
{
	const int64_t s = CLOCK_S_US;
	date_is(0, 1970, 1, 1, 0, 0, 0);
	date_is(-1, 1969, 12, 31, 23, 59, 59);
	date_is(-s, 1969, 12, 31, 23, 59, 59);
	date_is(951782400 * s, 2000, 2, 29, 0, 0, 0);
	date_is(951868800 * s - 1, 2000, 2, 29, 23, 59, 59);
	date_is(1795003200 * s + 123456, 2026, 11, 18, 12, 0, 0);
	date_is(INT64_C(253402300799) * s, 9999, 12, 31, 23, 59, 59);
	date_is(-INT64_C(62135596800) * s, 1, 1, 1, 0, 0, 0);
	date_is(4107542399 * s, 2100, 2, 28, 23, 59, 59);
	date_is(4107542400 * s, 2100, 3, 1, 0, 0, 0);
}

static void test_extremes_stay_defined(void)
{
	TEST_ASSERT_EQUAL_INT64(INT64_MAX, wall_from_date(wall_date((struct wall){INT64_MAX})).us);
	struct wall_date date = wall_date((struct wall){INT64_MIN});
	TEST_ASSERT_TRUE(date.us >= 0);
	TEST_ASSERT_TRUE(date.month >= 1 && date.month <= 12);
}

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Counts days up by the school's rules from 1600-01-01. */
static void test_every_day_of_eight_centuries(void)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64_t day_us = 86400 * (int64_t)CLOCK_S_US;
	int64_t us = -INT64_C(11676096000) * CLOCK_S_US;
	for (int year = 1600; year < 2400; year++) {
		for (int month = 1; month <= 12; month++) {
			int length = lengths[month - 1] + (month == 2 && is_leap(year));
			for (int day = 1; day <= length; day++, us += day_us) {
				struct wall_date date = wall_date((struct wall){us + day_us - 1});
				if (date.year != year || date.month != month || date.day != day ||
					date.hour != 23 || date.us != CLOCK_S_US - 1)
					TEST_FAIL_MESSAGE("a wrong date");
				struct wall_date noon = {year, month, day, 12, 0, 0, 0};
				if (wall_from_date(noon).us != us + day_us / 2)
					TEST_FAIL_MESSAGE("a wrong instant");
			}
		}
	}
	TEST_ASSERT_EQUAL_INT64(INT64_C(13569465600) * CLOCK_S_US, us); /* 2400-01-01 */
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_monotonic_arithmetic);
	RUN_TEST(test_system_clocks);
	RUN_TEST(test_known_dates);
	RUN_TEST(test_extremes_stay_defined);
	RUN_TEST(test_every_day_of_eight_centuries);
	return UNITY_END();
}
