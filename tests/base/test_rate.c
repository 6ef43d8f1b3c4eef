/* SPDX-License-Identifier: GPL-2.0-only */
/* Rates: a burst at once, then one after the other, and idle time makes up for it. */
// deps: base/*.c
#include <unity.h>

#include "base/rate.h"

enum { EVERY = 100, BURST = 3 };

void setUp(void)
{
}

void tearDown(void)
{
}

static int64_t due(const struct rate *rate, int64_t now)
{
	return rate_due(rate, (struct mono){now}, EVERY, BURST).us;
}

static void take(struct rate *rate, int64_t now)
{
	TEST_ASSERT_LESS_OR_EQUAL_INT64(now, due(rate, now));
	rate_take(rate, (struct mono){now}, EVERY);
}

static void test_a_burst_and_then_one_by_one(void)
{
	struct rate rate = {{0}};
	for (int i = 0; i < BURST; i++)
		take(&rate, 1000);
	TEST_ASSERT_EQUAL_INT64(1100, due(&rate, 1000));
	TEST_ASSERT_EQUAL_INT64(1100, due(&rate, 1099));
	take(&rate, 1100);
	TEST_ASSERT_EQUAL_INT64(1200, due(&rate, 1100));
	for (int64_t now = 1200; now < 9999; now += EVERY)
		take(&rate, now);
	TEST_ASSERT_EQUAL_INT64(10000, due(&rate, 9999));
}

static void test_who_waited_has_a_burst_again(void)
{
	struct rate rate = {{0}};
	for (int i = 0; i < BURST; i++)
		take(&rate, 0);
	take(&rate, 250);
	take(&rate, 250);
	TEST_ASSERT_EQUAL_INT64(300, due(&rate, 250));
	for (int i = 0; i < BURST; i++)
		take(&rate, 100000);
	TEST_ASSERT_EQUAL_INT64(100100, due(&rate, 100000));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_burst_and_then_one_by_one);
	RUN_TEST(test_who_waited_has_a_burst_again);
	return UNITY_END();
}
