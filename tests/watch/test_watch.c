/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reflector against a server that plays: lists in both ways, and everything that may happen to
 * a list or to a watch.
 */
// deps: watch/*.c net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/watch/bed.c tests/watch/play.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/stage.h"

/* ---- lists ---- */

static void test_streaming_list(void)
{
	PLAY({"/api/v1/pods? fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed "
	      "watch=true allowWatchBookmarks=true sendInitialEvents=true "
	      "resourceVersionMatch=NotOlderThan timeoutSeconds= !resourceVersion= !limit",
		PLAY_WATCH, ADDED("a", "7") ADDED("b", "2") INITIAL_END("9"), 0, NULL});
	bed_until(&bed, KUBE_POD, "follow", 100);
	TEST_ASSERT_EQUAL_STRING(
		"begin pods\n+ pods d/a 7\n+ pods d/b 2\nend pods\nsynced\n", bed.journal);
	TEST_ASSERT_TRUE(watch_is_synced(bed.watch, KUBE_POD));
	TEST_ASSERT_EQUAL_STRING("v1", stats().api_version);
	bed_forget(&bed);
	send(MODIFIED("a", "10") DELETED("b", "11") ADDED("c", "12"));
	TEST_ASSERT_EQUAL_STRING("~ pods d/a 10\n- pods d/b 11\n+ pods d/c 12\n", bed.journal);
	TEST_ASSERT_TRUE(text_is(stats().version, TEXT("12")));
	TEST_ASSERT_EQUAL_UINT64(5, stats().objects);
	TEST_ASSERT_EQUAL_UINT32(1, bed.lists_asked);
	TEST_ASSERT_EQUAL_UINT64(1, stats().lists);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failures);
	check_played(1);
}

static void test_the_end_of_an_empty_streaming_list(void)
{
	PLAY({STREAM, PLAY_WATCH, INITIAL_END("9"), 0, NULL});
	bed_until(&bed, KUBE_POD, "follow", 100);
	TEST_ASSERT_EQUAL_STRING("begin pods\nend pods\nsynced\n", bed.journal);
}

/* All ways to say that lists cannot be streamed lead to pages, at once. */
static void check_no_stream(const struct play_scene *refusal)
{
	struct play_scene scenes[3] = {*refusal,
		{PAGE, PLAY_ANSWER, LIST("8", "", POD("a", "3")), 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, "", 0, NULL}};

	bed_init(&bed);
	play_start(&play, &bed, scenes, 3);
	bed_start(&bed, WATCH_KIND(KUBE_POD), 1);
	watch_want(bed.watch, KUBE_POD, true);
	bed_until(&bed, KUBE_POD, "follow", 100);
	TEST_ASSERT_EQUAL_STRING("begin pods\n+ pods d/a 3\nend pods\nsynced\n", bed.journal);
	bed_run(&bed, 100);
	check_played(3);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failures);
	TEST_ASSERT_EQUAL_STRING("", stats().error);
	bed_stop(&bed);
}

static void test_servers_that_cannot_stream(void)
{
	static const struct play_scene refusals[] = {NO_STREAM,
		{STREAM, PLAY_ANSWER, STATUS(400, "BadRequest", "no"), 400, NULL},
		{STREAM, PLAY_ANSWER, "not JSON", 400, NULL},
		{STREAM, PLAY_ANSWER, STATUS(501, "", "no"), 501, NULL},
		{STREAM, PLAY_ENDS,
			ERROR_LINE(500, "InternalError",
				"a watch stream was requested by the client but ..."),
			0, NULL},
		{STREAM, PLAY_WATCH, ERROR_LINE(422, "Invalid", "no"), 0, NULL}};

	for (size_t i = 0; i < ARRAY_COUNT(refusals); i++)
		check_no_stream(&refusals[i]);
}

/* One that does not know the parameters sends all objects and no end. */
static void test_a_streaming_list_without_end(void)
{
	PLAY({STREAM, PLAY_WATCH, ADDED("a", "3"), 0, NULL},
		{PAGE, PLAY_ANSWER, LIST("8", "", POD("b", "4")), 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, WATCH_LIST_SILENCE_MS - 100);
	TEST_ASSERT_FALSE(watch_is_synced(bed.watch, KUBE_POD));
	bed_until(&bed, KUBE_POD, "follow", 1000);
	TEST_ASSERT_EQUAL_STRING("begin pods\n+ pods d/a 3\nbegin pods\n+ pods d/b 4\nend pods\n"
				 "synced\n",
		bed.journal);
	bed_run(&bed, 100);
	check_played(3);
}

static void test_a_streaming_list_that_is_cut(void)
{
	PLAY({STREAM, PLAY_CUT, ADDED("a", "3") ADDED("b", "4"), 0, NULL},
		{STREAM, PLAY_CUT, ADDED("a", "3"), 0, NULL},
		{STREAM, PLAY_ENDS, ADDED("a", "3"), 0, NULL},
		{PAGE, PLAY_ANSWER, LIST("8", "", POD("a", "3")), 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 30 * 1000);
	check_played(5);
	TEST_ASSERT_EQUAL_UINT64(4, stats().lists);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count); /* b is gone, though it was told once */
}

static void test_streaming_is_tried_again_later(void)
{
	PLAY(NO_STREAM, {PAGE, PLAY_ANSWER, LIST("8", "", ""), 0, NULL},
		{FOLLOW("8"), PLAY_ANSWER, STATUS(410, "Expired", ""), 410, NULL},
		{PAGE, PLAY_ANSWER, LIST("9", "", ""), 0, NULL},
		{FOLLOW("9"), PLAY_WATCH, BOOKMARK("10"), 0, NULL});
	bed_run(&bed, 10 * 1000);
	check_played(5);
	watch_want(bed.watch, KUBE_POD, false);
	bed_run(&bed, WATCH_STREAM_AGAIN_MS);
	static const struct play_scene later[] = {STREAM_A_5};

	play_start(&play, &bed, later, 1);
	watch_want(bed.watch, KUBE_POD, true);
	bed_run(&bed, 100);
	check_played(1);
}

static void test_pages(void)
{
	PLAY(NO_STREAM,
		{PAGE, PLAY_ANSWER,
			LIST("8", ",\"continue\":\"a+b/c=&d\"", POD("a", "3") "," POD("b", "4")), 0,
			NULL},
		{"limit=500 continue=a%2Bb%2Fc%3D%26d fieldSelector=", PLAY_ANSWER,
			LIST("8", ",\"continue\":\"second\"", POD("c", "5")), 0, NULL},
		{"limit=500 continue=second", PLAY_ANSWER, LIST("99", "", POD("e", "6")), 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, MODIFIED("a", "9"), 0, NULL});
	bed_run(&bed, 100);
	TEST_ASSERT_EQUAL_STRING(
		"begin pods\n+ pods d/a 3\n+ pods d/b 4\n+ pods d/c 5\n+ pods d/e 6\n"
		"end pods\nsynced\n~ pods d/a 9\n",
		bed.journal);
	check_played(5);
	/* the stream that there is not, and the first page */
	TEST_ASSERT_EQUAL_UINT32(2, bed.lists_asked);
	TEST_ASSERT_EQUAL_UINT64(1, stats().lists);
}

static void test_watch_when_a_page_is_first_then_a_small_list_needs_no_stream(void)
{
	bed.page_first = true;
	PLAY({PAGE, PLAY_ANSWER, LIST("8", "", POD("a", "3")), 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, ERROR_LINE(410, "Expired", "too old"), 0, NULL},
		{STREAM, PLAY_WATCH, ADDED("a", "3") INITIAL_END("9"), 0, NULL});
	bed_until(&bed, KUBE_POD, "follow", 100);
	TEST_ASSERT_EQUAL_STRING("begin pods\n+ pods d/a 3\nend pods\nsynced\n", bed.journal);
	bed_run(&bed, 5000);
	/* What is listed later has its connection already. */
	check_played(3);
}

static void test_watch_when_a_page_is_first_then_a_large_list_is_streamed(void)
{
	bed.page_first = true;
	PLAY({PAGE, PLAY_ANSWER, LIST("8", ",\"continue\":\"more\"", POD("a", "3")), 0, NULL},
		{STREAM, PLAY_WATCH, ADDED("a", "3") ADDED("b", "4") INITIAL_END("9"), 0, NULL});
	bed_until(&bed, KUBE_POD, "follow", 100);
	TEST_ASSERT_EQUAL_STRING("begin pods\n+ pods d/a 3\nbegin pods\n+ pods d/a 3\n"
				 "+ pods d/b 4\nend pods\nsynced\n",
		bed.journal);
	check_played(2);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failures);
}

static void test_a_page_that_is_cut_is_asked_for_again(void)
{
	PLAY(NO_STREAM,
		{PAGE, PLAY_ANSWER, LIST("8", ",\"continue\":\"t\"", POD("a", "3")), 0, NULL},
		{"continue=t", PLAY_CUT, "{\"items\":[" POD("b", "4") ",{\"meta", 0, NULL},
		{"continue=t", PLAY_ANSWER, "", 503, NULL},
		{"continue=t", PLAY_ANSWER, LIST("8", "", POD("b", "4")), 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 20 * 1000);
	check_played(6);
	TEST_ASSERT_EQUAL_STRING("begin pods\n+ pods d/a 3\n+ pods d/b 4\n+ pods d/b 4\nend pods\n"
				 "synced\n",
		bed.journal);
	TEST_ASSERT_EQUAL_UINT64(2, stats().failures);
}

/* What was told of it may be gone meanwhile. */
static void test_a_first_page_that_is_cut_begins_anew(void)
{
	PLAY(NO_STREAM, {PAGE, PLAY_CUT, "{\"items\":[" POD("a", "3") ",{\"meta", 0, NULL},
		{PAGE, PLAY_ANSWER, LIST("8", "", POD("b", "4")), 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 20 * 1000);
	check_played(4);
	TEST_ASSERT_EQUAL_STRING(
		"begin pods\n+ pods d/a 3\nbegin pods\n+ pods d/b 4\nend pods\nsynced\n",
		bed.journal);
}

static void test_an_expired_page_starts_the_list_again(void)
{
	PLAY(NO_STREAM,
		{PAGE, PLAY_ANSWER, LIST("8", ",\"continue\":\"t\"", POD("a", "3")), 0, NULL},
		{"continue=t", PLAY_ANSWER, STATUS(410, "Expired", "continue too old"), 410, NULL},
		{PAGE, PLAY_ANSWER, LIST("20", ",\"continue\":\"u\"", POD("b", "13")), 0, NULL},
		{"continue=u", PLAY_ANSWER, STATUS(410, "Expired", "continue too old"), 410, NULL},
		{"/api/v1/pods? !limit !continue !watch", PLAY_ANSWER,
			LIST("30", "", POD("c", "23")), 0, NULL},
		{FOLLOW("30"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 20 * 1000);
	TEST_ASSERT_EQUAL_UINT32(4, bed.lists_asked);
	check_played(7);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
	TEST_ASSERT_NOT_NULL(bed_find(&bed, "pods d/c"));
}

static void test_a_refused_token_starts_the_list_again(void)
{
	PLAY(NO_STREAM,
		{PAGE, PLAY_ANSWER, LIST("8", ",\"continue\":\"t\"", POD("a", "3")), 0, NULL},
		{"continue=t", PLAY_ANSWER, STATUS(400, "BadRequest", "continue key"), 400, NULL},
		{PAGE, PLAY_ANSWER, LIST("20", "", POD("b", "13")), 0, NULL},
		{FOLLOW("20"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 20 * 1000);
	check_played(5);
}

static void test_a_token_too_long_means_no_pages(void)
{
	static char first[3000];
	char token[2001];

	memset(token, 'x', sizeof(token) - 1);
	token[sizeof(token) - 1] = '\0';
	snprintf(first, sizeof(first),
		"{\"metadata\":{\"resourceVersion\":\"8\",\"continue\":\"%s\"},\"items\":[]}",
		token);
	const struct play_scene scenes[] = {NO_STREAM, {PAGE, PLAY_ANSWER, first, 0, NULL},
		{"/api/v1/pods? !limit !continue", PLAY_ANSWER, LIST("9", "", POD("a", "3")), 0,
			NULL},
		{FOLLOW("9"), PLAY_WATCH, "", 0, NULL}};

	play_start(&play, &bed, scenes, 4);
	bed_start(&bed, WATCH_KIND(KUBE_POD), 1);
	watch_want(bed.watch, KUBE_POD, true);
	bed_run(&bed, 20 * 1000);
	check_played(4);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
}

/* 200, and yet no list. */
static void test_answers_that_are_no_list(void)
{
	PLAY(NO_STREAM, {PAGE, PLAY_ANSWER, "{}", 0, NULL}, {PAGE, PLAY_ANSWER, "[]", 0, NULL},
		{PAGE, PLAY_ANSWER, "<html>", 0, NULL}, {PAGE, PLAY_ANSWER, "", 0, NULL},
		{PAGE, PLAY_ANSWER, STATUS(500, "InternalError", "etcd"), 0, NULL},
		{PAGE, PLAY_ANSWER, "{\"items\":[{\"metadata\":", 0, NULL},
		{PAGE, PLAY_ANSWER, LIST("8", "", POD("a", "3")), 0, NULL});
	bed_run(&bed, 100 * 1000);
	check_played(8);
	TEST_ASSERT_EQUAL_UINT64(6, stats().failures);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
}

/* ---- 410 ---- */

static void check_expired(const struct play_scene *expired)
{
	struct play_scene scenes[3] = {
		{STREAM, PLAY_ENDS, ADDED("a", "3") ADDED("b", "4") INITIAL_END("5"), 0, NULL},
		*expired,
		{STREAM, PLAY_WATCH, ADDED("b", "4") ADDED("c", "20") INITIAL_END("21"), 0, NULL}};

	bed_init(&bed);
	play_start(&play, &bed, scenes, 3);
	bed_start(&bed, WATCH_KIND(KUBE_POD), 1);
	watch_want(bed.watch, KUBE_POD, true);
	bed_run(&bed, 10 * 1000);
	check_played(3);
	TEST_ASSERT_NULL(bed_find(&bed, "pods d/a"));
	TEST_ASSERT_NOT_NULL(bed_find(&bed, "pods d/b"));
	TEST_ASSERT_NOT_NULL(bed_find(&bed, "pods d/c"));
	TEST_ASSERT_EQUAL_UINT64(2, stats().lists);
	TEST_ASSERT_TRUE(text_is(stats().version, TEXT("21")));
	TEST_ASSERT_TRUE(play_between_ms(&play, 1, 2) >= 800);
	TEST_ASSERT_EQUAL_UINT32(1, bed.synced);
	bed_stop(&bed);
}

static void test_gone_in_all_its_forms(void)
{
	static const struct play_scene forms[] = {
		{FOLLOW("5"), PLAY_ANSWER, STATUS(410, "Gone", "too old"), 410, NULL},
		{FOLLOW("5"), PLAY_ANSWER, "Gone", 410, NULL},
		{FOLLOW("5"), PLAY_ENDS,
			ERROR_LINE(410, "Expired", "too old resource version: 5 (232)"), 0, NULL},
		{FOLLOW("5"), PLAY_WATCH, ERROR_LINE(410, "Gone", ""), 0, NULL},
		{FOLLOW("5"), PLAY_WATCH, ERROR_LINE(500, "Expired", "compacted"), 0, NULL},
		{FOLLOW("5"), PLAY_WATCH,
			LINE("ERROR",
				"{\"kind\":\"Status\",\"message\":\"too old resource version: 5 "
				"(9)\"}"),
			0, NULL},
		{FOLLOW("5"), PLAY_ANSWER, STATUS(400, "BadRequest", "invalid version"), 400,
			NULL}};

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++)
		check_expired(&forms[i]);
}

/* A server that is behind: asked again, and after some times listed anew. */
static void test_too_large_resource_version(void)
{
#define TOO_LARGE                                                                         \
	{FOLLOW("5"), PLAY_ANSWER,                                                        \
		STATUS(504, "Timeout", "Too large resource version: 5, current: 2"), 504, \
		"Retry-After: 1\r\n"}
	PLAY({STREAM, PLAY_ENDS, ADDED("a", "3") INITIAL_END("5"), 0, NULL}, TOO_LARGE, TOO_LARGE,
		TOO_LARGE, {STREAM, PLAY_WATCH, INITIAL_END("2"), 0, NULL});
	bed_run(&bed, 3000);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
	bed_run(&bed, 20 * 1000);
	check_played(5);
	TEST_ASSERT_TRUE(play_between_ms(&play, 1, 2) >= 1000);
	TEST_ASSERT_EQUAL_UINT32(0, bed.count);
}

/* ---- watches that end ---- */

static void test_a_watch_that_ends_is_opened_at_once(void)
{
	PLAY(STREAM_A_5, {FOLLOW("6"), PLAY_WATCH, "", 0, NULL},
		{FOLLOW("6"), PLAY_WATCH, BOOKMARK("9"), 0, NULL},
		{FOLLOW("9"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 100);
	send(MODIFIED("a", "6"));
	/* A proxy that gives each connection 30 s, and closes in order or not. */
	bed_run(&bed, 30 * 1000);
	fake_server_finish(&bed.wire, play.stream);
	bed_run(&bed, 10);
	TEST_ASSERT_EQUAL_UINT32(2, play.at);
	bed_run(&bed, 30 * 1000);
	fake_server_end(&bed.wire, play.stream);
	bed_run(&bed, 10);
	TEST_ASSERT_EQUAL_UINT32(3, play.at);
	bed_run(&bed, 30 * 1000);
	fake_server_cut(&bed.wire, play.stream);
	bed_run(&bed, 10);
	check_played(4);
	TEST_ASSERT_EQUAL_UINT64(1, stats().lists);
	TEST_ASSERT_EQUAL_UINT64(3, stats().follows);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failures);
	TEST_ASSERT_EQUAL_STRING("", stats().error);
}

static void test_watches_that_end_too_soon_are_backed_off(void)
{
	PLAY(STREAM_A_5, {FOLLOW("5"), PLAY_ENDS, "", 0, NULL},
		{FOLLOW("5"), PLAY_ENDS, "", 0, NULL}, {FOLLOW("5"), PLAY_CUT, "", 0, NULL},
		{FOLLOW("5"), PLAY_ENDS, MODIFIED("a", "6"), 0, NULL},
		{FOLLOW("6"), PLAY_ENDS, MODIFIED("a", "7"), 0, NULL},
		{FOLLOW("7"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 5000);
	fake_server_finish(&bed.wire, play.stream);
	bed_run(&bed, 120 * 1000);
	check_played(7);
	TEST_ASSERT_TRUE(play_between_ms(&play, 1, 2) >= 800);
	TEST_ASSERT_TRUE(play_between_ms(&play, 2, 3) >= 1600);
	TEST_ASSERT_TRUE(play_between_ms(&play, 3, 4) >= 3200);
	TEST_ASSERT_EQUAL_UINT64(1, stats().lists);
}

/* Short ones that bring news are opened at once, but not for ever. */
static void test_short_watches_with_news(void)
{
	PLAY(STREAM_A_5, {FOLLOW("5"), PLAY_ENDS, MODIFIED("a", "6"), 0, NULL},
		{FOLLOW("6"), PLAY_ENDS, MODIFIED("a", "7"), 0, NULL},
		{FOLLOW("7"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 5000);
	fake_server_finish(&bed.wire, play.stream);
	bed_run(&bed, 10 * 1000);
	check_played(4);
	TEST_ASSERT_TRUE(play_between_ms(&play, 1, 2) < 100);
	TEST_ASSERT_TRUE(play_between_ms(&play, 2, 3) >= 800);
}

static void test_half_a_line_counts_for_nothing(void)
{
	PLAY(STREAM_A_5, {FOLLOW("6"), PLAY_WATCH, MODIFIED("b", "7"), 0, NULL});
	bed_run(&bed, 2000);
	send(ADDED(
		"b", "6") "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"b\",\"res");
	fake_server_cut(&bed.wire, play.stream);
	bed_run(&bed, 100);
	check_played(2);
	TEST_ASSERT_EQUAL_UINT64(7, bed_find(&bed, "pods d/b")->version);
}

/* A chunk ends the watch in the middle of a line: odd, and gone on from where it was. */
static void test_half_a_line_in_order(void)
{
	PLAY(STREAM_A_5, {FOLLOW("6"), PLAY_WATCH, MODIFIED("b", "7"), 0, NULL});
	bed_run(&bed, 2000);
	send(ADDED("b", "6") "{\"type\":\"MODIF");
	fake_server_finish(&bed.wire, play.stream);
	bed_run(&bed, 2000);
	check_played(2);
	TEST_ASSERT_EQUAL_UINT64(7, bed_find(&bed, "pods d/b")->version);
}

static void test_garbage_in_a_watch(void)
{
	PLAY(STREAM_A_5, {FOLLOW("5"), PLAY_WATCH, "{\"type\": }", 0, NULL},
		{FOLLOW("5"), PLAY_WATCH, MODIFIED("a", "6") "\xff", 0, NULL},
		{FOLLOW("6"), PLAY_WATCH, "}", 0, NULL}, {FOLLOW("6"), PLAY_WATCH, "}", 0, NULL},
		{STREAM, PLAY_WATCH, INITIAL_END("9"), 0, NULL});
	bed_run(&bed, 2000);
	send("garbage");
	bed_run(&bed, 200 * 1000);
	check_played(6);
	TEST_ASSERT_EQUAL_UINT64(5, stats().failures);
	TEST_ASSERT_EQUAL_UINT64(2, stats().lists);
}

static void test_errors_in_a_watch(void)
{
	PLAY(STREAM_A_5,
		{FOLLOW("5"), PLAY_ENDS, ERROR_LINE(500, "InternalError", "leader changed"), 0,
			NULL},
		{FOLLOW("5"), PLAY_WATCH, LINE("ERROR", "{\"kind\":\"Thing\"}"), 0, NULL},
		{FOLLOW("5"), PLAY_ENDS, MODIFIED("a", "6"), 0, NULL},
		{FOLLOW("6"), PLAY_WATCH,
			LINE("STRANGE", "{}") "{}\n7\n" LINE("ADDED", "7") MODIFIED("a", "7"), 0,
			NULL});
	bed_run(&bed, 2000);
	fake_server_finish(&bed.wire, play.stream);
	bed_run(&bed, 60 * 1000);
	check_played(5);
	TEST_ASSERT_EQUAL_UINT64(1, stats().lists);
	TEST_ASSERT_EQUAL_UINT64(7, bed_find(&bed, "pods d/a")->version);
	TEST_ASSERT_EQUAL_UINT64(4, stats().refused);
}

/* ---- silence ---- */

static void test_silence_after_bookmarks(void)
{
	PLAY(STREAM_A_5, {FOLLOW("8"), PLAY_WATCH, "", 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 60 * 1000);
	send(BOOKMARK("8"));
	bed.wire.silent = true;
	/* When it was asked for no bookmark had come: it was to be short. */
	bed_run(&bed, (WATCH_VITAL_LASTS_S + WATCH_LASTS_GRACE_S - 60) * 1000 - 1000);
	TEST_ASSERT_EQUAL_UINT32(1, play.at);
	bed.wire.silent = false;
	bed_run(&bed, 2000);
	TEST_ASSERT_EQUAL_UINT32(2, play.at);
	bed_run(&bed, WATCH_SILENCE_MS + 1000);
	check_played(3);
	TEST_ASSERT_EQUAL_UINT64(1, stats().lists);
}

/* Nothing is known of bookmarks: only the watch's own length tells that it is dead. */
static void test_silence_without_bookmarks(void)
{
	int64_t lasts_ms;
	const char *at;

	PLAY(STREAM_A_5, {FOLLOW("5"), PLAY_HANG, NULL, 0, NULL});
	bed_run(&bed, 100);
	at = strstr(play.path, "timeoutSeconds=");
	TEST_ASSERT_NOT_NULL(at);
	lasts_ms = strtol(at + strlen("timeoutSeconds="), NULL, 10) * 1000;
	TEST_ASSERT_EQUAL_INT64(WATCH_VITAL_LASTS_S * 1000, lasts_ms);
	int64_t taken_us = watch_confirmed(bed.watch, KUBE_POD).us;
	TEST_ASSERT_GREATER_THAN_INT64(0, taken_us);
	bed_run(&bed, lasts_ms + WATCH_LASTS_GRACE_S * 1000 - 1000);
	TEST_ASSERT_EQUAL_UINT32(1, play.at);
	/* Silence confirms nothing; the next one that is taken up would. */
	TEST_ASSERT_EQUAL_INT64(taken_us, watch_confirmed(bed.watch, KUBE_POD).us);
	bed_run(&bed, 2000);
	check_played(2);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failures);
}

/* A version of the future: the server answers with nothing, watch after watch. */
static void end_after(int64_t ms)
{
	bed_run(&bed, ms);
	fake_server_finish(&bed.wire, play.stream);
	bed_run(&bed, 100);
}

static void test_ten_minutes_without_a_word(void)
{
#define PROBE "/api/v1/pods? limit=1 !watch"
#define QUIET {FOLLOW("5"), PLAY_WATCH, "", 0, NULL}
	PLAY(STREAM_A_5, QUIET, QUIET, QUIET,
		{PROBE, PLAY_ANSWER, LIST("17", "", POD("x", "9")), 0, NULL}, QUIET, QUIET, QUIET,
		QUIET, {PROBE, PLAY_ANSWER, LIST("4", "", POD("x", "1")), 0, NULL},
		{STREAM, PLAY_WATCH, ADDED("x", "1") INITIAL_END("4"), 0, NULL});
	for (int i = 0; i < 3; i++)
		end_after(150 * 1000);
	TEST_ASSERT_EQUAL_UINT32(4, play.at);
	end_after(151 * 1000);
	TEST_ASSERT_EQUAL_UINT32(6, play.at);
	TEST_ASSERT_EQUAL_STRING("begin pods\n+ pods d/a 3\nend pods\nsynced\n", bed.journal);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failures);
	for (int i = 0; i < 3; i++)
		end_after(150 * 1000);
	TEST_ASSERT_EQUAL_UINT32(9, play.at);
	end_after(151 * 1000);
	TEST_ASSERT_NULL(bed_find(&bed, "pods d/a"));
	TEST_ASSERT_NOT_NULL(bed_find(&bed, "pods d/x"));
	check_played(11);
	TEST_ASSERT_EQUAL_UINT32(1, bed.doubtful);
}

/* ---- trouble ---- */

static void test_throttling(void)
{
	PLAY({STREAM, PLAY_ANSWER, "Too many requests, please try again later.", 429,
		     "Retry-After: 7\r\n"},
		{STREAM, PLAY_ENDS, ADDED("a", "3") INITIAL_END("5"), 0, NULL},
		{FOLLOW("5"), PLAY_ANSWER, STATUS(429, "TooManyRequests", "later"), 429,
			"Retry-After: 9\r\n"},
		{FOLLOW("5"), PLAY_ENDS,
			LINE("ERROR",
				"{\"kind\":\"Status\",\"code\":429,\"details\":{"
				"\"retryAfterSeconds\""
				":11}}"),
			0, NULL},
		{FOLLOW("5"), PLAY_WATCH, "", 0, NULL});
	bed_run(&bed, 60 * 1000);
	check_played(5);
	TEST_ASSERT_TRUE(play_between_ms(&play, 0, 1) >= 7000);
	/* 1 -> 2: a short watch with news, at once */
	TEST_ASSERT_TRUE(play_between_ms(&play, 2, 3) >= 9000);
	TEST_ASSERT_TRUE(play_between_ms(&play, 3, 4) >= 11000);
	TEST_ASSERT_EQUAL_UINT64(1, stats().lists);
}

static void test_unauthorized_keeps_the_picture(void)
{
	PLAY(STREAM_A_5,
		{FOLLOW("5"), PLAY_ANSWER, STATUS(401, "Unauthorized", "Unauthorized"), 401, NULL},
		{FOLLOW("5"), PLAY_ANSWER, STATUS(401, "Unauthorized", "Unauthorized"), 401, NULL},
		{FOLLOW("5"), PLAY_WATCH, MODIFIED("a", "6"), 0, NULL});
	bed_run(&bed, 2000);
	fake_server_finish(&bed.wire, play.stream);
	bed_run(&bed, 300);
	TEST_ASSERT_EQUAL_STRING("401 Unauthorized: Unauthorized", stats().error);
	TEST_ASSERT_EQUAL_STRING("follow", stats().state);
	TEST_ASSERT_TRUE(stats().waiting);
	TEST_ASSERT_TRUE(stats().waits_ms > 0 && stats().waits_ms <= 1600);
	TEST_ASSERT_TRUE(stats().synced);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
	bed_run(&bed, 20 * 1000);
	check_played(4);
	TEST_ASSERT_EQUAL_STRING("", stats().error);
}

/* What one kind lacks is no matter for another one. */
static void test_forbidden_is_only_that_kind(void)
{
	static const struct play_scene scenes[] = {
		{STREAM, PLAY_ANSWER, STATUS(403, "Forbidden", "pods is forbidden"), 403, NULL},
		{"/api/v1/nodes? sendInitialEvents", PLAY_WATCH, INITIAL_END("5"), 0, NULL},
		{STREAM, PLAY_ANSWER, STATUS(403, "Forbidden", "pods is forbidden"), 403, NULL},
		{STREAM, PLAY_WATCH, INITIAL_END("6"), 0, NULL}};

	play_start(&play, &bed, scenes, 4);
	bed_start(&bed, WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE), 1);
	watch_want(bed.watch, KUBE_POD, true);
	watch_want(bed.watch, KUBE_NODE, true);
	bed_run(&bed, 700);
	TEST_ASSERT_TRUE(watch_is_synced(bed.watch, KUBE_NODE));
	TEST_ASSERT_FALSE(watch_is_synced(bed.watch, KUBE_POD));
	TEST_ASSERT_EQUAL_STRING("403 Forbidden: pods is forbidden", stats().error);
	TEST_ASSERT_EQUAL_UINT32(0, bed.synced);
	bed_run(&bed, 20 * 1000);
	check_played(4);
	TEST_ASSERT_EQUAL_UINT32(1, bed.synced);
}

/* A kind that older roles do not name: none is told, and it is asked for again now and then. */
static void test_forbidden_and_spared(void)
{
	static const struct play_scene scenes[] = {
		{"/apis/storage.k8s.io/v1/csidrivers? sendInitialEvents", PLAY_ANSWER,
			STATUS(403, "Forbidden", "csidrivers is forbidden"), 403, NULL},
		{"/apis/storage.k8s.io/v1", PLAY_ANSWER,
			"{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"csidrivers\"}]}",
			0, NULL},
		{"/apis/storage.k8s.io/v1/csidrivers? sendInitialEvents", PLAY_WATCH,
			INITIAL_END("5"), 0, NULL}};

	play_start(&play, &bed, scenes, 3);
	bed_start(&bed, WATCH_KIND(KUBE_CSI_DRIVER), 1);
	watch_want(bed.watch, KUBE_CSI_DRIVER, true);
	bed_run(&bed, 700);
	TEST_ASSERT_TRUE(watch_is_synced(bed.watch, KUBE_CSI_DRIVER));
	TEST_ASSERT_EQUAL_STRING("begin csidrivers\nend csidrivers\nsynced\n", bed.journal);
	TEST_ASSERT_EQUAL_UINT32(1, play.at);
	bed_run(&bed, 62 * 1000);
	check_played(3);
	TEST_ASSERT_EQUAL_STRING("follow", watch_stats(bed.watch, KUBE_CSI_DRIVER).state);
}

/*
 * The server is away: waits grow to 2.5 s (and as much again of jitter), nothing is forgotten; but
 * what it knew last may be, there.
 */
static void test_server_away_and_back(void)
{
	PLAY(STREAM_A_5, {STREAM, PLAY_WATCH, ADDED("a", "3") INITIAL_END("17"), 0, NULL});
	bed_run(&bed, 5000);
	bed.wire.refuses = true;
	fake_server_cut_all(&bed.wire);
	bed_run(&bed, 1000 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, play.at);
	TEST_ASSERT_TRUE(watch_is_in_doubt(bed.watch, KUBE_POD));
	TEST_ASSERT_TRUE(bed.wire.opened > 180);
	TEST_ASSERT_TRUE(bed.wire.opened < 420);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
	bed.wire.refuses = false;
	bed_run(&bed, 61 * 1000);
	check_played(2);
	TEST_ASSERT_EQUAL_UINT64(2, stats().lists);
	TEST_ASSERT_FALSE(watch_is_in_doubt(bed.watch, KUBE_POD));
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
}

/* Whoever wants a list for a reason of its own does not settle what was lost at the server. */
static void test_a_list_anew_is_as_doubtful(void)
{
	PLAY(STREAM_A_5, {STREAM, PLAY_WATCH, ADDED("a", "3") INITIAL_END("17"), 0, NULL});
	bed_run(&bed, 5000);
	TEST_ASSERT_FALSE(watch_is_in_doubt(bed.watch, KUBE_POD));
	bed.wire.refuses = true;
	fake_server_cut_all(&bed.wire);
	bed_run(&bed, 5000);
	TEST_ASSERT_TRUE(watch_is_in_doubt(bed.watch, KUBE_POD));
	watch_list_anew(bed.watch, KUBE_POD);
	TEST_ASSERT_FALSE(watch_is_synced(bed.watch, KUBE_POD));
	TEST_ASSERT_TRUE(watch_is_in_doubt(bed.watch, KUBE_POD));
	bed.wire.refuses = false;
	bed_run(&bed, 10 * 1000);
	check_played(2);
	TEST_ASSERT_EQUAL_UINT32(1, bed.doubtful);
	TEST_ASSERT_FALSE(watch_is_in_doubt(bed.watch, KUBE_POD));
}

/* It comes back with another past: etcd was restored. */
static void test_server_back_as_an_older_one(void)
{
	PLAY(STREAM_A_5, {STREAM, PLAY_WATCH, ADDED("x", "2") INITIAL_END("4"), 0, NULL});
	bed_run(&bed, 5000);
	bed.wire.refuses = true;
	fake_server_cut_all(&bed.wire);
	bed_run(&bed, 1000);
	bed.wire.refuses = false;
	bed_run(&bed, 10 * 1000);
	check_played(2);
	TEST_ASSERT_NULL(bed_find(&bed, "pods d/a"));
	TEST_ASSERT_NOT_NULL(bed_find(&bed, "pods d/x"));
}

/* We were stopped: what the server was meanwhile nobody knows. */
static void test_after_a_stop(void)
{
	PLAY(STREAM_A_5, {FOLLOW("5"), PLAY_WATCH, "", 0, NULL},
		{STREAM, PLAY_WATCH, ADDED("x", "2") INITIAL_END("4"), 0, NULL});
	bed_run(&bed, 5000);
	fake_server_cut_all(&bed.wire);
	bed_run(&bed, 5000);
	TEST_ASSERT_EQUAL_UINT32(2, play.at);
	bed.wire.network.now_us += 2 * NET_STOPPED_MS * CLOCK_MS_US;
	bed_run(&bed, 10);
	TEST_ASSERT_EQUAL_UINT32(2, play.at);
	TEST_ASSERT_FALSE(watch_is_in_doubt(bed.watch, KUBE_POD));
	fake_server_cut_all(&bed.wire);
	bed_run(&bed, 1000);
	check_played(3);
	TEST_ASSERT_NULL(bed_find(&bed, "pods d/a"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_streaming_list);
	RUN_TEST(test_the_end_of_an_empty_streaming_list);
	RUN_TEST(test_servers_that_cannot_stream);
	RUN_TEST(test_a_streaming_list_without_end);
	RUN_TEST(test_a_streaming_list_that_is_cut);
	RUN_TEST(test_streaming_is_tried_again_later);
	RUN_TEST(test_pages);
	RUN_TEST(test_watch_when_a_page_is_first_then_a_small_list_needs_no_stream);
	RUN_TEST(test_watch_when_a_page_is_first_then_a_large_list_is_streamed);
	RUN_TEST(test_a_page_that_is_cut_is_asked_for_again);
	RUN_TEST(test_a_first_page_that_is_cut_begins_anew);
	RUN_TEST(test_an_expired_page_starts_the_list_again);
	RUN_TEST(test_a_refused_token_starts_the_list_again);
	RUN_TEST(test_a_token_too_long_means_no_pages);
	RUN_TEST(test_answers_that_are_no_list);
	RUN_TEST(test_gone_in_all_its_forms);
	RUN_TEST(test_too_large_resource_version);
	RUN_TEST(test_a_watch_that_ends_is_opened_at_once);
	RUN_TEST(test_watches_that_end_too_soon_are_backed_off);
	RUN_TEST(test_short_watches_with_news);
	RUN_TEST(test_half_a_line_counts_for_nothing);
	RUN_TEST(test_half_a_line_in_order);
	RUN_TEST(test_garbage_in_a_watch);
	RUN_TEST(test_errors_in_a_watch);
	RUN_TEST(test_silence_after_bookmarks);
	RUN_TEST(test_silence_without_bookmarks);
	RUN_TEST(test_ten_minutes_without_a_word);
	RUN_TEST(test_throttling);
	RUN_TEST(test_unauthorized_keeps_the_picture);
	RUN_TEST(test_forbidden_is_only_that_kind);
	RUN_TEST(test_forbidden_and_spared);
	RUN_TEST(test_server_away_and_back);
	RUN_TEST(test_a_list_anew_is_as_doubtful);
	RUN_TEST(test_server_back_as_an_older_one);
	RUN_TEST(test_after_a_stop);
	return UNITY_END();
}
