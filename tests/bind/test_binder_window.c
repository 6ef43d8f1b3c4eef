/* SPDX-License-Identifier: GPL-2.0-only */
/* How many bindings at a time: as many as the server likes, found out by asking. */
// deps: api/*.c bind/binder.c bind/binder_window.c
// deps: bind/body_binding.c
// deps: net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
// deps: tests/bind/binder_server.c tests/bind/binder_bed.c
#include "unity.h"

#include <stdio.h>

#include "base/log.h"
#include "bind/binder_bed.h"
#include "bind/binder_private.h"

enum { ORDERS_MAX = 11 }; /* as many as the bed's connections give to bindings */

static struct binder_bed bed;
static uint64_t ordered, orders;

void setUp(void)
{
	bed_start(&bed, ORDERS_MAX, BED_CONNECTIONS, 1);
	ordered = 0;
	orders = 0;
}

void tearDown(void)
{
	bed_stop(&bed);
}

static uint32_t window(void)
{
	return binder_stats(bed.binder).window;
}

static void order_one(void)
{
	char name[32], uid[32];

	snprintf(name, sizeof(name), "p%u", (unsigned)(ordered % 100));
	snprintf(uid, sizeof(uid), "u%u", (unsigned)(ordered % 100));
	struct server_pod *pod = server_find(&bed.server, name);

	if (pod == NULL)
		pod = server_add(&bed.server, name, uid);
	pod->node[0] = '\0'; /* the one a hundred before it is long done */
	bed_bind(&bed, ordered++ % BED_RESULTS, name, uid, "n1");
}

static void fill(struct binder_bed *b, const struct binder_result *result)
{
	(void)result;
	while (ordered < orders && binder_has_room(b->binder))
		order_one();
}

/* Keeps the window full until so many are done. */
static void run(uint64_t count)
{
	bed.on_done = fill;
	orders += count;
	while (ordered < orders || binder_stats(bed.binder).in_flight > 0) {
		fill(&bed, NULL);
		bed_run(&bed, 1);
	}
}

static uint32_t sizes[64], size_count;

static void note_size(struct binder_bed *b, const struct binder_result *result)
{
	if (size_count < 64)
		sizes[size_count++] = window();
	fill(b, result);
}

/* One more after 8 answers, after 9 more, after 10 more. */
static void test_it_grows_with_good_answers(void)
{
	TEST_ASSERT_EQUAL(8, window());
	bed.on_done = note_size;
	orders = 1000;
	size_count = 0;
	fill(&bed, NULL);
	bed_run(&bed, 1000);
	TEST_ASSERT_EQUAL(0, binder_stats(bed.binder).in_flight);
	for (uint32_t i = 0; i < 64; i++)
		TEST_ASSERT_EQUAL(i < 7 ? 8 : i < 16 ? 9 : i < 26 ? 10 : 11, sizes[i]);
	TEST_ASSERT_EQUAL(ORDERS_MAX, window());
	TEST_ASSERT_EQUAL(ORDERS_MAX, bed.server.under_way_max);
}

/* Few orders, one at a time: nothing is learnt from that. */
static void test_it_does_not_grow_unused(void)
{
	for (uint32_t i = 0; i < 200; i++)
		run(1);
	TEST_ASSERT_EQUAL(8, window());
}

static void test_it_starts_no_bigger_than_allowed(void)
{
	bed_stop(&bed);
	bed_start(&bed, 3, BED_CONNECTIONS, 1);
	TEST_ASSERT_EQUAL(3, window());
	run(100);
	TEST_ASSERT_EQUAL(3, window());
	TEST_ASSERT_EQUAL(3, bed.server.under_way_max);
}

static void throttle(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		server_plan(&bed.server,
			(struct server_plan){.way = SERVER_SAYS,
				.status = 429,
				.headers = "Retry-After: 1\r\n",
				.body = ""});
}

static void test_it_is_halved_once_per_round_trip(void)
{
	throttle(8);
	orders = 8;
	fill(&bed, NULL);
	TEST_ASSERT_EQUAL(8, ordered);
	TEST_ASSERT_FALSE(binder_has_room(bed.binder));
	bed_run(&bed, 100);
	TEST_ASSERT_EQUAL_UINT64(8, binder_stats(bed.binder).throttled);
	TEST_ASSERT_EQUAL(4, window());
	bed_settle(&bed, 2000);
	throttle(1);
	run(1);
	TEST_ASSERT_EQUAL(2, window());
	/* Never to nothing; then the one that gets through is a whole window of good answers. */
	throttle(4);
	orders++;
	fill(&bed, NULL);
	bed_run(&bed, 4000);
	TEST_ASSERT_EQUAL(1, window());
	bed_settle(&bed, 60 * 1000);
	TEST_ASSERT_EQUAL(2, window());
	run(400);
	TEST_ASSERT_EQUAL(ORDERS_MAX, window());
}

static void test_an_answer_that_does_not_come_halves_it(void)
{
	server_plan(&bed.server, (struct server_plan){.way = SERVER_MUTE});
	run(1);
	TEST_ASSERT_EQUAL(4, window());
	/* A connection that is reset says nothing about load. */
	server_plan(&bed.server, (struct server_plan){.way = SERVER_CUTS});
	run(1);
	TEST_ASSERT_EQUAL(4, window());
}

/* One slow disk: more at a time are not more per second, only later. */
static void test_a_server_that_gets_slow(void)
{
	run(1);
	bed.server.latency_us = 30 * 1000;
	bed.server.one_by_one = true;
	int64_t from_us = bed.server.wire.network.now_us;

	run(1000);
	TEST_ASSERT_TRUE(window() < ORDERS_MAX);
	TEST_ASSERT_TRUE(window() >= 1);
	/* The disk has never waited for us. */
	TEST_ASSERT_TRUE(bed.server.wire.network.now_us - from_us < 1010 * 30 * CLOCK_MS_US);
	bed.server.latency_us = 1000;
	run(1000);
	TEST_ASSERT_EQUAL(ORDERS_MAX, window());
}

/* Slow for good, but not for us: no reason to crawl. */
static void test_a_server_that_is_far_away(void)
{
	run(100);
	TEST_ASSERT_EQUAL(ORDERS_MAX, window());
	bed.server.latency_us = 300 * 1000;
	run(60);
	TEST_ASSERT_TRUE(window() < 8);
	run(200);
	TEST_ASSERT_EQUAL(ORDERS_MAX, window());
}

/* ---- the arithmetic alone ---- */

static void test_bounds(void)
{
	struct random random;
	struct binder_window w;

	random_init(&random, 7);
	for (uint32_t max = 1; max < 70; max++) {
		binder_window_init(&w, max);
		TEST_ASSERT_EQUAL(max < 8 ? max : 8, w.size);
		for (uint32_t i = 0; i < 5000; i++) {
			int64_t us = random_below(&random, 5) == 0
				? (int64_t)random_next(&random) / 1024
				: random_below(&random, 1000000);

			if (random_below(&random, 50) == 0)
				binder_window_cut(&w, (struct mono){i}, (struct mono){i});
			binder_window_good(&w, us, w.size);
			TEST_ASSERT_TRUE(w.size >= 1);
			TEST_ASSERT_TRUE(w.size <= max);
		}
	}
}

int main(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_it_grows_with_good_answers);
	RUN_TEST(test_it_does_not_grow_unused);
	RUN_TEST(test_it_starts_no_bigger_than_allowed);
	RUN_TEST(test_it_is_halved_once_per_round_trip);
	RUN_TEST(test_an_answer_that_does_not_come_halves_it);
	RUN_TEST(test_a_server_that_gets_slow);
	RUN_TEST(test_a_server_that_is_far_away);
	RUN_TEST(test_bounds);
	return UNITY_END();
}
