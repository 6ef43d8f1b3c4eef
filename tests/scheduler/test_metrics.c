/* SPDX-License-Identifier: GPL-2.0-only */
/* Buckets as kube-scheduler has them; the ring of the latest decisions. */
// deps: base/*.c scheduler/metrics.c scheduler/series.c
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

static const struct series_row *series_row_of(
	enum series_family family, uint32_t group, uint32_t what, uint32_t result)
{
	for (uint32_t i = 0; i < m.series.count; i++) {
		const struct series_labels *l = &m.series.rows[i].labels;
		if (l->family == family && l->group == group && l->what == what &&
			l->result == result)
			return &m.series.rows[i];
	}
	return NULL;
}

static void test_events_are_told_apart(void)
{
	scheduler_count_handled(&m, 0, 1, 150);
	scheduler_count_handled(&m, 2, 4 | 8, 100);
	scheduler_count_handled(&m, 0, 1, 50);
	scheduler_count_handled(&m, 2, 0, 50);  /* nothing happened */
	scheduler_count_handled(&m, 2, 1, -50); /* the clock went back */
	const struct series_row *row = series_row_of(SERIES_EVENT, 0, 0, 0);
	TEST_ASSERT_EQUAL_UINT64(1, row->histogram.counts[0]);
	TEST_ASSERT_EQUAL_UINT64(1, row->histogram.counts[1]);
	TEST_ASSERT_EQUAL_UINT64(200, row->histogram.sum);
	row = series_row_of(SERIES_EVENT, 0, series_event(2, 4), 0);
	TEST_ASSERT_EQUAL_UINT64(1, row->histogram.counts[0]);
	row = series_row_of(SERIES_EVENT, 0, series_event(2, 8), 0);
	TEST_ASSERT_EQUAL_UINT64(1, row->histogram.counts[0]);
	TEST_ASSERT_EQUAL_UINT32(3, m.series.count);
}

/* To upstream each change of a pod is an update, and what changed comes besides. */
static void test_updates_of_pods_count_twice(void)
{
	scheduler_count_handled(&m, KUBE_POD, CACHE_UPDATE, 1);
	TEST_ASSERT_EQUAL_UINT32(1, m.series.count);
	scheduler_count_handled(&m, KUBE_POD, CACHE_UPDATE_POD_LABEL, 1);
	TEST_ASSERT_EQUAL_UINT32(2, m.series.count);
	const struct series_row *row =
		series_row_of(SERIES_EVENT, 0, series_event(KUBE_POD, CACHE_UPDATE), 0);
	TEST_ASSERT_EQUAL_UINT64(2, row->histogram.counts[0]);
	scheduler_count_handled(&m, KUBE_PVC, CACHE_UPDATE, 1);
	TEST_ASSERT_EQUAL_UINT32(3, m.series.count);
}

/* As many as there are, and then some. */
static void test_series_are_found_again_however_many_there_are(void)
{
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < SERIES_ROWS; i++)
			scheduler_count_plugin(&m, (enum plugin_id)(i % 64),
				(enum series_point)(i / 64 % 8), (enum plugin_code)(i / 512),
				10 + 5 * round);
	TEST_ASSERT_EQUAL_UINT32(SERIES_ROWS, m.series.count);
	for (uint32_t i = 0; i < SERIES_ROWS; i++) {
		TEST_ASSERT_EQUAL_UINT64(1, m.series.rows[i].histogram.counts[0]);
		TEST_ASSERT_EQUAL_UINT64(1, m.series.rows[i].histogram.counts[1]);
	}
	scheduler_count_permit_wait(&m, PLUGIN_ERROR, 1);
	TEST_ASSERT_EQUAL_UINT64(1, m.series.left_out);
	scheduler_metrics_reset(&m);
	scheduler_count_permit_wait(&m, PLUGIN_ERROR, -1);
	TEST_ASSERT_EQUAL_UINT64(
		1, series_row_of(SERIES_PERMIT, 0, 0, PLUGIN_ERROR)->histogram.counts[0]);
	TEST_ASSERT_EQUAL_UINT32(1, m.series.count);
}

static void test_points_and_plugins_that_a_cycle_timed(void)
{
	scheduler_point_took(&m, 3, PLUGIN_AT_POST_FILTER, PLUGIN_UNSCHEDULABLE, 100);
	scheduler_plugin_took(&m, (enum plugin_id)2, PLUGIN_AT_SCORE, PLUGIN_SUCCESS, 23);
	TEST_ASSERT_NOT_NULL(
		series_row_of(SERIES_POINT, 3, SERIES_POST_FILTER, PLUGIN_UNSCHEDULABLE));
	const struct series_row *row =
		series_row_of(SERIES_PLUGIN, 2, SERIES_SCORE, PLUGIN_SUCCESS);
	TEST_ASSERT_EQUAL_UINT64(1, row->histogram.counts[3]); /* of 10, 15, 22.5, 33.75 us */
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
	RUN_TEST(test_events_are_told_apart);
	RUN_TEST(test_updates_of_pods_count_twice);
	RUN_TEST(test_series_are_found_again_however_many_there_are);
	RUN_TEST(test_points_and_plugins_that_a_cycle_timed);
	RUN_TEST(test_who_took_part);
	RUN_TEST(test_the_ring_forgets_the_oldest);
	RUN_TEST(test_scores_belong_to_one_decision);
	return UNITY_END();
}
