/* SPDX-License-Identifier: GPL-2.0-only */
/* Buckets as kube-scheduler has them; the ring of the latest decisions. */
// deps: base/*.c scheduler/metrics.c
#include <string.h>

#include <unity.h>

#include "scheduler/metrics.h"

static struct scheduler_metrics m;

void setUp(void)
{
	memset(&m, 0, sizeof(m));
}
void tearDown(void)
{
}

static void test_bounds_belong_to_their_bucket(void)
{
	struct scheduler_histogram h = {{0}, 0};
	scheduler_observe(&h, &scheduler_scale_attempt, 0);
	scheduler_observe(&h, &scheduler_scale_attempt, 1000);
	scheduler_observe(&h, &scheduler_scale_attempt, 1001);
	scheduler_observe(&h, &scheduler_scale_attempt, 16384000);
	scheduler_observe(&h, &scheduler_scale_attempt, 16384001);
	TEST_ASSERT_EQUAL_UINT64(2, h.counts[0]);
	TEST_ASSERT_EQUAL_UINT64(1, h.counts[1]);
	TEST_ASSERT_EQUAL_UINT64(1, h.counts[14]);
	TEST_ASSERT_EQUAL_UINT64(1, h.counts[15]);
	TEST_ASSERT_EQUAL_UINT64(1000 + 1001 + 16384000 + 16384001, h.sum);
}

static void test_whatever_is_observed_lands_somewhere(void)
{
	struct scheduler_histogram h = {{0}, 0};
	scheduler_observe(&h, &scheduler_scale_sli, UINT64_MAX);
	TEST_ASSERT_EQUAL_UINT64(1, h.counts[20]);
	scheduler_observe(&h, &scheduler_scale_tries, 1);
	TEST_ASSERT_EQUAL_UINT64(1, h.counts[0]);
}

static void test_a_clock_that_goes_back_counts_as_nothing(void)
{
	scheduler_count_attempt(&m, 3, SCHEDULER_ERROR, -5);
	TEST_ASSERT_EQUAL_UINT64(1, m.attempts[3][SCHEDULER_ERROR]);
	TEST_ASSERT_EQUAL_UINT64(0, m.attempt[3][SCHEDULER_ERROR].sum);
}

static void test_parts_of_the_queue(void)
{
	scheduler_count_incoming(&m, SCHEDULER_ATTEMPT_FAILED, QUEUE_ERROR_BACKOFF);
	scheduler_count_incoming(&m, SCHEDULER_ATTEMPT_FAILED, QUEUE_UNSCHEDULABLE);
	scheduler_count_incoming(&m, SCHEDULER_POD_ADDED, QUEUE_ACTIVE);
	scheduler_count_incoming(&m, SCHEDULER_POD_ADDED, QUEUE_IN_FLIGHT);
	TEST_ASSERT_EQUAL_UINT64(1, m.incoming[SCHEDULER_ATTEMPT_FAILED][1]);
	TEST_ASSERT_EQUAL_UINT64(1, m.incoming[SCHEDULER_ATTEMPT_FAILED][2]);
	TEST_ASSERT_EQUAL_UINT64(1, m.incoming[SCHEDULER_POD_ADDED][0]);
}

static void test_who_was_woken_by_what(void)
{
	const struct queue_moved moved = {2, 3, 4};
	scheduler_count_requeued(&m, 2, 16 | 64, &moved);
	scheduler_count_requeued(&m, 99, 1, &moved);
	scheduler_count_requeued(&m, 2, 0, &moved);
	TEST_ASSERT_EQUAL_UINT64(2, m.woken[2][4][0]);
	TEST_ASSERT_EQUAL_UINT64(3, m.woken[2][4][1]);
}

static void test_events_are_told_apart_while_there_is_room(void)
{
	scheduler_count_handled(&m, 0, 1, 150);
	scheduler_count_handled(&m, 2, 4 | 8, 100);
	scheduler_count_handled(&m, 0, 1, 50);
	scheduler_count_handled(&m, 2, 0, 50);  /* nothing happened */
	scheduler_count_handled(&m, 2, 1, -50); /* the clock went back */
	TEST_ASSERT_EQUAL_UINT64(1, m.handled[0].took.counts[0]);
	TEST_ASSERT_EQUAL_UINT64(1, m.handled[0].took.counts[1]);
	TEST_ASSERT_EQUAL_UINT64(200, m.handled[0].took.sum);
	TEST_ASSERT_EQUAL_UINT8(2, m.handled[1].kind);
	TEST_ASSERT_EQUAL_UINT8(2, m.handled[1].action);
	TEST_ASSERT_EQUAL_UINT64(1, m.handled[1].took.counts[0]);
	TEST_ASSERT_FALSE(m.handled[2].taken);
	for (uint32_t i = 0; i < 2 * SCHEDULER_HANDLED; i++)
		scheduler_count_handled(&m, 3 + i, 1, 1);
	TEST_ASSERT_EQUAL_UINT8(SCHEDULER_HANDLED, m.handled[SCHEDULER_HANDLED - 1].kind);
	TEST_ASSERT_EQUAL_UINT64(1, m.handled[SCHEDULER_HANDLED - 1].took.sum);
	TEST_ASSERT_EQUAL_UINT64(0, m.preemption_attempts);
}

static void test_who_took_part(void)
{
	static const struct plugin_set took_part[CYCLE_POINTS] = {
		{{5}}, {{UINT64_C(1) << (PLUGIN_COUNT - 1)}}, {{0}}, {{1}}};
	scheduler_count_evaluated(&m, 2, took_part);
	scheduler_count_evaluated(&m, 2, took_part);
	TEST_ASSERT_EQUAL_UINT64(2, m.evaluated[2][0][0]);
	TEST_ASSERT_EQUAL_UINT64(0, m.evaluated[2][0][1]);
	TEST_ASSERT_EQUAL_UINT64(2, m.evaluated[2][0][2]);
	TEST_ASSERT_EQUAL_UINT64(2, m.evaluated[2][1][PLUGIN_COUNT - 1]);
	TEST_ASSERT_EQUAL_UINT64(2, m.evaluated[2][3][0]);
}

static void test_the_ring_forgets_the_oldest(void)
{
	TEST_ASSERT_NULL(scheduler_record_at(&m, 0));
	TEST_ASSERT_NULL(scheduler_record_at(&m, 1));
	for (uint64_t i = 1; i <= SCHEDULER_RECORDS + 1; i++)
		TEST_ASSERT_EQUAL_UINT64(i, scheduler_record_next(&m)->serial);
	TEST_ASSERT_NULL(scheduler_record_at(&m, 1));
	TEST_ASSERT_EQUAL_UINT64(2, scheduler_record_at(&m, 2)->serial);
	TEST_ASSERT_NULL(scheduler_record_at(&m, SCHEDULER_RECORDS + 2));
}

static void test_scores_belong_to_one_decision(void)
{
	m.best[5] = (struct scheduler_best){.serial = 5, .size = 2, .words = "[]"};
	TEST_ASSERT_EQUAL(2, scheduler_best_at(&m, 5).size);
	TEST_ASSERT_NULL(scheduler_best_at(&m, 5 + SCHEDULER_BEST).at);
	TEST_ASSERT_NULL(scheduler_best_at(&m, 0).at);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_bounds_belong_to_their_bucket);
	RUN_TEST(test_whatever_is_observed_lands_somewhere);
	RUN_TEST(test_a_clock_that_goes_back_counts_as_nothing);
	RUN_TEST(test_parts_of_the_queue);
	RUN_TEST(test_who_was_woken_by_what);
	RUN_TEST(test_events_are_told_apart_while_there_is_room);
	RUN_TEST(test_who_took_part);
	RUN_TEST(test_the_ring_forgets_the_oldest);
	RUN_TEST(test_scores_belong_to_one_decision);
	return UNITY_END();
}
