/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring of events against a list of them; samples; latencies. */
// deps: base/*.c scheduler/history.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"
#include "scheduler/history.h"

enum { BLOCK = 4 << 20, MODEL = 20000 };

static struct history history;
static struct arena arena;
static void *block;
static uint32_t sizes[MODEL]; /* of the words, by serial */

void setUp(void)
{
	budget_reset();
	TEST_ASSERT_EQUAL(0, posix_memalign(&block, 65536, BLOCK));
	memset(block, 0, BLOCK);
	arena_init_zeroed(&arena, block, BLOCK);
}
void tearDown(void)
{
	arena_init(&arena, block, BLOCK);
	free(block);
}

static void append(uint64_t serial, uint32_t words)
{
	char text[2000];
	char pod[32];
	memset(text, 'a' + (int)(serial % 26), sizeof(text));
	snprintf(pod, sizeof(pod), "d/p%u", (unsigned)serial);
	history_append(&history,
		&(struct history_event){.at = {(int64_t)serial * 1000},
			.kind = HISTORY_ERROR,
			.took_us = 7,
			.pod = text_of(pod),
			.node = TEXT("n"),
			.words = {text, words}});
	sizes[serial] = words < HISTORY_WORDS_MAX ? words : HISTORY_WORDS_MAX;
}

/* All that is kept, from the newest on, without a gap; returns how many. */
static uint32_t walk_all(uint64_t newest)
{
	struct history_walk walk = {0};
	struct history_event event;
	char pod[32];
	uint32_t count = 0;
	while (history_older(&history, &walk, &event)) {
		uint64_t serial = newest - count;
		snprintf(pod, sizeof(pod), "d/p%u", (unsigned)serial);
		TEST_ASSERT_EQUAL_UINT64(serial, event.serial);
		TEST_ASSERT_TRUE(text_is_z(event.pod, pod));
		TEST_ASSERT_TRUE(text_is_z(event.node, "n"));
		TEST_ASSERT_EQUAL_UINT32(sizes[serial], event.words.size);
		for (size_t i = 0; i < event.words.size; i++)
			TEST_ASSERT_EQUAL('a' + (int)(serial % 26), event.words.at[i]);
		TEST_ASSERT_EQUAL_INT64((int64_t)serial * 1000, event.at.us);
		count++;
	}
	TEST_ASSERT_EQUAL_UINT64(count, history_events(&history));
	return count;
}

static void test_history_when_it_laps_then_the_newest_are_kept(void)
{
	history_init(&history, &arena, 8192);
	TEST_ASSERT_EQUAL_UINT32(0, walk_all(0));
	srand(1);
	for (uint64_t serial = 1; serial < 3000; serial++) {
		append(serial, (uint32_t)rand() % (serial % 7 == 0 ? 1500 : 60));
		uint32_t kept = walk_all(serial);
		TEST_ASSERT_TRUE(kept >= 1);
		TEST_ASSERT_TRUE(serial < 100 || kept > 2);
	}
}

static void test_history_when_there_is_room_then_ten_thousand_are_kept(void)
{
	history_init(&history, &arena, 3 << 20);
	for (uint64_t serial = 1; serial < 12000; serial++)
		append(serial, 40);
	TEST_ASSERT_EQUAL_UINT32(HISTORY_EVENTS, walk_all(11999));
}

static void test_history_when_memory_is_short_then_it_keeps_less(void)
{
	struct page_budget budget;
	struct arena counted;
	page_budget_init(&budget, 24 << 10, 0);
	arena_init_counted(&counted, block, BLOCK, &budget);
	history_init(&history, &counted, 1 << 20);
	for (uint64_t serial = 1; serial < 2000; serial++) {
		append(serial, 100);
		(void)walk_all(serial);
	}
	uint32_t kept = walk_all(1999);
	TEST_ASSERT_TRUE(kept > 50 && kept < 200);
	TEST_ASSERT_TRUE(budget.used * budget.page_size <= 24 << 10);
}

static void test_history_when_it_is_off_then_nothing_is_kept(void)
{
	history_init(&history, &arena, 0);
	TEST_ASSERT_FALSE(history_is_kept(&history));
	TEST_ASSERT_EQUAL_size_t(0, history_size(0));
	TEST_ASSERT_EQUAL_UINT32(0, walk_all(0));
	TEST_ASSERT_NULL(history_sample_at(&history, 0));
}

static void test_samples_when_the_day_is_over_then_the_oldest_go(void)
{
	history_init(&history, &arena, 1 << 20);
	for (uint32_t i = 1; i <= 2000; i++)
		history_sample_put(&history, (struct history_sample){.at_s = i, .pending = i});
	TEST_ASSERT_EQUAL_INT64(2000, history_sample_at(&history, 0)->at_s);
	TEST_ASSERT_EQUAL_INT64(561, history_sample_at(&history, 1439)->at_s);
	TEST_ASSERT_NULL(history_sample_at(&history, 1440));
}

static void test_samples_when_decisions_were_counted_then_latencies_are_near(void)
{
	history_init(&history, &arena, 1 << 20);
	for (int64_t us = 1; us <= 1000; us++)
		history_count_decision(&history, us);
	history_sample_put(&history, (struct history_sample){.at_s = 1});
	const struct history_sample *s = history_sample_at(&history, 0);
	TEST_ASSERT_TRUE(s->p50_us >= 500 && s->p50_us <= 640);
	TEST_ASSERT_TRUE(s->p99_us >= 990 && s->p99_us <= 1280);
	history_count_decision(&history, INT64_MAX);
	history_count_decision(&history, -5);
	history_sample_put(&history, (struct history_sample){.at_s = 2});
	TEST_ASSERT_EQUAL_UINT32(1, history_sample_at(&history, 0)->p50_us);
	TEST_ASSERT_TRUE(history_sample_at(&history, 0)->p99_us > 30000000);
	history_sample_put(&history, (struct history_sample){.at_s = 3});
	TEST_ASSERT_EQUAL_UINT32(0, history_sample_at(&history, 0)->p99_us);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_history_when_it_laps_then_the_newest_are_kept);
	RUN_TEST(test_history_when_there_is_room_then_ten_thousand_are_kept);
	RUN_TEST(test_history_when_memory_is_short_then_it_keeps_less);
	RUN_TEST(test_history_when_it_is_off_then_nothing_is_kept);
	RUN_TEST(test_samples_when_the_day_is_over_then_the_oldest_go);
	RUN_TEST(test_samples_when_decisions_were_counted_then_latencies_are_near);
	return UNITY_END();
}
