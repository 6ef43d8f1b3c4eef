/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A day with a bad server, for many seeds: whatever it does, once it behaves the picture is the
 * server's. Then that nobody pays for it: a quiet day costs no list and next to no requests.
 *
 *	test_faults [SEED]    that seed alone
 */
// deps: watch/*.c net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/watch/bed.c tests/watch/model.c
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "watch/model.h"

enum { SEEDS = 120, ROUNDS = 60 };

static struct bed bed;
static struct model model;
static uint64_t only_seed, seed_now;

void setUp(void)
{
	bed_init(&bed);
}

void tearDown(void)
{
	if (Unity.CurrentTestFailed)
		printf("again with: test_faults %u\n", (unsigned)seed_now);
	bed_stop(&bed);
}

static void start(uint64_t seed)
{
	seed_now = seed;
	bed_init(&bed);
	bed.quiet = true;
	model_init(&model, &bed, seed);
	model.streams_lists = seed % 2 == 0;
	model.closes_early = seed % 5 == 0;
	for (uint32_t i = 0; i < 100; i++)
		model_change(&model);
	bed_start(&bed, WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE), seed);
	watch_want(bed.watch, KUBE_POD, true);
	watch_want(bed.watch, KUBE_NODE, true);
}

/* One thing that happens to the network as a whole. */
static void upset(void)
{
	struct fake_server *wire = &bed.wire;

	switch (random_below(&model.random, 12)) {
	case 0:
		fake_server_cut_all(wire);
		wire->refuses = random_below(&model.random, 3) == 0;
		break;
	case 1:
		wire->silent = true;
		bed_run(&bed, random_below(&model.random, 300 * 1000));
		wire->silent = false;
		break;
	case 2:
	case 3:
	case 8:
	case 9: model_compact(&model); break;
	case 4:
	case 5:
		for (uint32_t i = 1; i <= FAKE_STREAMS; i++)
			if (wire->streams[i].taken && random_below(&model.random, 2) == 0)
				wire->streams[i].cut_after = random_below(&model.random, 3000);
		break;
	case 6: wire->slice = random_below(&model.random, 200); break;
	case 7: wire->refuses = false; break;
	default: break;
	}
}

static void bad_day(uint64_t seed)
{
	start(seed);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		model.fault_percent = random_below(&model.random, 60);
		upset();
		for (uint32_t i = random_below(&model.random, 20); i > 0; i--)
			model_change(&model);
		bed_run(&bed, 1 + random_below(&model.random, 20 * 1000));
	}
	model.fault_percent = 0;
	bed.wire.refuses = bed.wire.silent = false;
	for (uint32_t i = 1; i <= FAKE_STREAMS; i++)
		bed.wire.streams[i].cut_after = -1;
	/* The longest pause, twice (a list and a watch), and a silence that must be noticed. */
	bed_run(&bed, 660 * 1000);
	model_change(&model);
	bed_run(&bed, 1000);
	TEST_ASSERT_TRUE(watch_is_synced(bed.watch, KUBE_POD));
	TEST_ASSERT_TRUE(watch_is_synced(bed.watch, KUBE_NODE));
	model_compare(&model, &bed);
}

static void test_bad_days(void)
{
	uint64_t faults = 0, expired = 0, lists = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		if (only_seed != 0 && seed != only_seed)
			continue;
		bad_day(seed);
		faults += model.faults;
		expired += model.expired;
		lists += watch_stats(bed.watch, KUBE_POD).lists;
		bed_stop(&bed);
	}
	/* It was a bad time indeed. */
	if (only_seed != 0)
		return;
	TEST_ASSERT_TRUE(faults > SEEDS * 5);
	TEST_ASSERT_TRUE(expired > SEEDS / 4);
	TEST_ASSERT_TRUE(lists > SEEDS * 2);
}

/* A day of changes through a proxy that closes every 30 s: one list in the morning. */
static void test_a_quiet_day(void)
{
	for (uint64_t seed = 4; seed <= 5; seed++) {
		start(seed);
		for (uint32_t hour = 0; hour < 24; hour++) {
			model_change(&model);
			bed_run(&bed, 3600 * 1000);
		}
		model_compare(&model, &bed);
		struct watch_stats stats = watch_stats(bed.watch, KUBE_POD);
		TEST_ASSERT_EQUAL_UINT64(1, stats.lists);
		TEST_ASSERT_EQUAL_UINT64(0, stats.failures);
		/* 86400 s / 30 s, or 5 to 10 minutes */
		TEST_ASSERT_TRUE(stats.follows <= (model.closes_early ? 2900 : 290));
		TEST_ASSERT_TRUE(stats.follows >= (model.closes_early ? 2800 : 140));
		bed_stop(&bed);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		only_seed = strtoull(argv[1], NULL, 10);
	if (only_seed != 0)
		log_setup(LOG_DEBUG, LOG_AS_TEXT, fake_server_clock(&bed.wire));
	else
		log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_bad_days);
	RUN_TEST(test_a_quiet_day);
	return UNITY_END();
}
