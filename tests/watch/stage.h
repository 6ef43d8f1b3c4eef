/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every test of a reflector stands on: a bed, a play, and lines that the server sends later.
 */
#ifndef BERTH_TESTS_WATCH_STAGE_H
#define BERTH_TESTS_WATCH_STAGE_H

#include "unity.h"

#include "watch/scenes.h"

static struct bed bed;
static struct play play;

void setUp(void)
{
	bed_init(&bed);
}

void tearDown(void)
{
	bed_stop(&bed);
}

#define PLAY(...)                                                                    \
	do {                                                                         \
		static const struct play_scene scenes[] = {__VA_ARGS__};             \
		play_start(&play, &bed, scenes, sizeof(scenes) / sizeof(scenes[0])); \
		bed_start(&bed, WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE), 1);    \
		watch_want(bed.watch, KUBE_POD, true);                               \
	} while (0)

static struct watch_stats stats(void)
{
	return watch_stats(bed.watch, KUBE_POD);
}

static void send(const char *lines)
{
	fake_server_chunk(&bed.wire, play.stream, text_of(lines));
	bed_run(&bed, 10);
}

static void check_played(uint32_t scenes)
{
	TEST_ASSERT_EQUAL_UINT32(scenes, play.at);
	TEST_ASSERT_EQUAL_UINT32(play.count, play.at);
}

#endif
