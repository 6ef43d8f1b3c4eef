/* SPDX-License-Identifier: GPL-2.0-only */
/* Events: in which order, how many, how fast, and what becomes of those that do not get through. */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c api/*.c bind/body_event.c
// deps: bind/event_recorder*.c tests/lease/town.c tests/bind/event_recorder_fixture.c
#include <stdio.h>
#include <string.h>

#include "bind/event_recorder_fixture.h"

void setUp(void)
{
	bed_init();
}

void tearDown(void)
{
	bed_free();
}

/* ---- order and bounds ---- */

/* Each event was posted once, in order but for those that are on their way at the same time. */
static void posted_in_order(uint32_t count)
{
	const char *line = server.log;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < count; i++) {
		unsigned number;

		TEST_ASSERT_EQUAL_INT(1, sscanf(line, "POST pod-%u\n", &number));
		TEST_ASSERT_UINT32_WITHIN(RECORDER_SLOTS - 1, i, number);
		seen |= UINT64_C(1) << number;
		line = strchr(line, '\n') + 1;
	}
	TEST_ASSERT_EQUAL_HEX64(UINT64_MAX >> (64 - count), seen);
	TEST_ASSERT_EQUAL_STRING("", line);
}

static void test_order(void)
{
	start();
	recorder_hold(recorder, true);
	for (uint32_t i = 0; i < EVENTS_MAX; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	TEST_ASSERT_FALSE(say_numbered(EVENTS_MAX));
	TEST_ASSERT_EQUAL_UINT64(1, stats().dropped_full);
	TEST_ASSERT_EQUAL_UINT32(EVENTS_MAX, stats().waiting);
	recorder_hold(recorder, false);
	town_run(&town, 5000);
	posted_in_order(EVENTS_MAX);
	TEST_ASSERT_EQUAL_UINT32(SERIES_MAX, stats().remembered);
	TEST_ASSERT_TRUE(say_numbered(EVENTS_MAX));
}

static void test_order_with_faults(void)
{
	start();
	town_run(&town, 100);
	recorder_hold(recorder, true);
	for (uint32_t i = 0; i < 10; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	server.status = 503;
	server.refusals = 4;
	recorder_hold(recorder, false);
	town_run(&town, 30 * 1000);
	posted_in_order(10);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
}

static void test_held_while_bindings_wait(void)
{
	start();
	town_run(&town, 100);
	recorder_hold(recorder, true);
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(0, server.requests);
	recorder_hold(recorder, false);
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_TRUE(say_of("b", "1", "Scheduled"));
	recorder_hold(recorder, true); /* that is on its way already */
	TEST_ASSERT_TRUE(say_of("c", "1", "Scheduled"));
	town_run(&town, 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(1, stats().waiting);
}

static void test_not_before_start(void)
{
	start();
	recorder_close(recorder);
	recorder = bed_recorder();
	server.discoveries = 0;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(0, server.discoveries);
	recorder_start(recorder);
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
}

/* 100,000 that are all different, as fast as they come: memory and requests are bounded. */
static void test_flood(void)
{
	start();
	size_t before = arena_left(&arena);
	int64_t started = town.now_us;

	for (uint32_t i = 0; i < 100000; i++) {
		(void)say_numbered(i);
		if (i % 100 == 0)
			town_run(&town, 10);
		TEST_ASSERT_TRUE(stats().waiting <= EVENTS_MAX);
		TEST_ASSERT_TRUE(stats().remembered <= SERIES_MAX);
	}
	TEST_ASSERT_EQUAL_size_t(before, arena_left(&arena));
	int64_t seconds = (town.now_us - started) / CLOCK_S_US + 1;

	TEST_ASSERT_TRUE(server.posts <= RECORDER_BURST + seconds * RECORDER_PER_SECOND);
	town_run(&town, 5000);
	struct recorder_stats s = stats();

	TEST_ASSERT_EQUAL_UINT64(100000, s.recorded);
	TEST_ASSERT_EQUAL_UINT64(100000, s.sent + s.dropped_full + s.dropped_rate);
	TEST_ASSERT_EQUAL_UINT64(server.posts, s.sent);
	TEST_ASSERT_EQUAL_UINT32(0, s.waiting);
}

static void test_overall_rate(void)
{
	events_max = 1000;
	start();
	for (uint32_t i = 0; i < 1000; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	town_run(&town, 2000);
	TEST_ASSERT_TRUE(server.posts >= RECORDER_BURST);
	TEST_ASSERT_TRUE(server.posts <= RECORDER_BURST + 2 * RECORDER_PER_SECOND);
	town_run(&town, 10 * 1000);
	TEST_ASSERT_INT_WITHIN(30, RECORDER_BURST + 12 * RECORDER_PER_SECOND, server.posts);
	town_run(&town, 10 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1000, server.posts);
}

/* A pod that is changed all the time: 25, and then one in five minutes. */
static void test_one_pod_says_too_much(void)
{
	char version[16];

	start();
	for (uint32_t i = 0; i < 100; i++) {
		snprintf(version, sizeof(version), "%u", (unsigned)i);
		bool taken = say_of("noisy", version, "FailedScheduling");

		TEST_ASSERT_EQUAL(i < RECORDER_POD_BURST, taken);
		town_run(&town, 10);
	}
	TEST_ASSERT_EQUAL_UINT64(75, stats().dropped_rate);
	TEST_ASSERT_TRUE(say_of("quiet", "1", "FailedScheduling"));
	/* How it ends is said all the same. */
	TEST_ASSERT_TRUE(say_of("noisy", "100", "Preempted"));
	town_run(&town, RECORDER_POD_EVERY_S * 1000);
	TEST_ASSERT_TRUE(say_of("noisy", "200", "FailedScheduling"));
	TEST_ASSERT_FALSE(say_of("noisy", "201", "FailedScheduling"));
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(RECORDER_POD_BURST + 3, server.posts);
}

/* Long texts fill their room before the queue is full; what is remembered makes way first. */
static void test_texts_are_bounded(void)
{
	static char longest[BODY_NOTE_MAX];
	char pod[32];
	uint32_t taken = 0;

	memset(longest, 'x', sizeof(longest));
	start();
	for (uint32_t round = 0; round < 5; round++) {
		recorder_hold(recorder, true);
		taken = 0;
		for (uint32_t i = 0; i < EVENTS_MAX; i++) {
			snprintf(pod, sizeof(pod), "pod-%u-%u", (unsigned)round, (unsigned)i);
			struct recorder_event event = event_of(pod, "1", "FailedScheduling");

			event.note = (struct text){longest, sizeof(longest)};
			taken += recorder_record(recorder, &event);
		}
		TEST_ASSERT_TRUE(taken > EVENTS_MAX / 2);
		TEST_ASSERT_TRUE(taken < EVENTS_MAX);
		TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
		recorder_hold(recorder, false);
		town_run(&town, 5000);
		TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	}
	TEST_ASSERT_EQUAL_UINT64(5 * taken, server.posts);
	TEST_ASSERT_EQUAL_UINT64(5 * (EVENTS_MAX - taken), stats().dropped_full);
}

/* With room for one of each: everything still works. */
static void test_smallest(void)
{
	events_max = series_max = 1;
	start();
	for (uint32_t i = 0; i < 50; i++) {
		TEST_ASSERT_TRUE(say_numbered(i));
		TEST_ASSERT_FALSE(say_numbered(i + 100));
		town_run(&town, 100);
		TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	}
	TEST_ASSERT_EQUAL_UINT32(50, server.posts);
	TEST_ASSERT_TRUE(say_numbered(49));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
}

/* What is used stays: who is silent makes room, among series and among those who say too much. */
static void test_silent_ones_make_room(void)
{
	char version[16];

	events_max = 200;
	start();
	for (uint32_t i = 0; i < RECORDER_POD_BURST; i++) {
		snprintf(version, sizeof(version), "%u", (unsigned)i);
		TEST_ASSERT_TRUE(say_of("noisy", version, "FailedScheduling"));
	}
	TEST_ASSERT_TRUE(say_of("nofit", "1", "FailedScheduling"));
	for (uint32_t i = 0; i < 5 * SERIES_MAX; i++) {
		town_run(&town, 100);
		TEST_ASSERT_TRUE(say_of("nofit", "1", "FailedScheduling"));
		TEST_ASSERT_FALSE(say_of("noisy", "new", "FailedScheduling"));
		TEST_ASSERT_TRUE(say_numbered(i));
	}
	TEST_ASSERT_EQUAL_UINT64(5 * SERIES_MAX, stats().joined);
	TEST_ASSERT_EQUAL_UINT64(5 * SERIES_MAX, stats().dropped_rate);
}

/* ---- trouble ---- */

static void test_retried_until_it_is_too_often(void)
{
	start();
	town_run(&town, 100);
	server.status = 503;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 60 * 1000);
	TEST_ASSERT_TRUE(server.requests >= 5);
	TEST_ASSERT_TRUE(server.requests < RECORDER_TRIES);
	town_run(&town, 120 * 1000);
	TEST_ASSERT_EQUAL_UINT32(RECORDER_TRIES, server.requests);
	TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	TEST_ASSERT_EQUAL_UINT64(1, stats().failed);
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
	server.status = 0;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 20 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
}

static void test_refused_is_the_end(void)
{
	static const int answers[] = {400, 403, 404, 413, 422};

	start();
	town_run(&town, 100);
	for (uint32_t i = 0; i < ARRAY_COUNT(answers); i++) {
		server.status = answers[i];
		TEST_ASSERT_TRUE(say_numbered(i));
		town_run(&town, 1000);
		TEST_ASSERT_EQUAL_UINT32(i + 1, server.requests);
		TEST_ASSERT_EQUAL_UINT64(i + 1, stats().failed);
		TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	}
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
}

static void test_refused_patch_leaves_the_event(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 100);
	server.status = 403;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT64(1, stats().failed);
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	TEST_ASSERT_EQUAL_UINT32(2, server.requests);
}

static void test_retry_after(void)
{
	start();
	town_run(&town, 100);
	server.status = 429;
	server.refusals = 1;
	server.headers = "Retry-After: 20\r\n";
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 19 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.requests);
	town_run(&town, 2 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.requests);
	TEST_ASSERT_EQUAL_UINT64(1, stats().sent);
}

/* It was done, and the answer lost: the second try finds it there. */
static void test_lost_answer(void)
{
	start();
	town_run(&town, 100);
	fate_now.answer_lost = true;
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 1000);
	fate_now.answer_lost = false;
	town_run(&town, 40 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(1, server.count);
	TEST_ASSERT_EQUAL_UINT64(1, stats().sent);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
}

static void test_server_away(void)
{
	start();
	town_run(&town, 100);
	town.processes[0].refuses = true;
	town.processes[0].cut_off = true;
	for (uint32_t i = 0; i < 5; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	town_run(&town, 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(5, stats().waiting);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
	town.processes[0].refuses = town.processes[0].cut_off = false;
	town_run(&town, 40 * 1000);
	posted_in_order(5);
}

static void test_asked_again(void)
{
	static const int answers[] = {401, 429, 500, 502, 503, 504};

	start();
	town_run(&town, 100);
	for (uint32_t i = 0; i < ARRAY_COUNT(answers); i++) {
		server.status = answers[i];
		server.refusals = 2;
		TEST_ASSERT_TRUE(say_numbered(i));
		town_run(&town, 60 * 1000);
		TEST_ASSERT_EQUAL_UINT32(i + 1, server.posts);
		TEST_ASSERT_EQUAL_UINT32(3 * (i + 1), server.requests);
	}
	server.status = 409; /* of a patch */
	server.refusals = 1;
	TEST_ASSERT_TRUE(say_numbered(5));
	town_run(&town, 10 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
}

static void ignore(struct net_request *request)
{
	(void)request;
}

/* Bindings have all connections for long: that is not a try, and nothing is lost. */
static void test_waiting_for_a_connection_is_no_try(void)
{
	static struct net_request busy[8];

	start();
	town_run(&town, 100);
	server.silent = true;
	for (uint32_t i = 0; i < ARRAY_COUNT(busy); i++) {
		busy[i] = (struct net_request){.class = NET_BIND,
			.method = NET_POST,
			.path = TEXT("/busy"),
			.timeout_ms = 800 * 1000,
			.on_done = ignore};
		net_send(client, &busy[i]);
	}
	town_run(&town, 100);
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 700 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, stats().waiting);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
	for (uint32_t i = 0; i < ARRAY_COUNT(busy); i++)
		net_cancel(&busy[i]);
	server.silent = false;
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
}

/* ---- days of faults ---- */

static struct town_fate random_fate(void *self, struct town *t, uint32_t process)
{
	struct town_fate f = {.there_us = 1 + random_below(&dice, 50000),
		.back_us = 1 + random_below(&dice, 50000)};
	uint32_t roll = random_below(&dice, 100);

	(void)self;
	(void)t;
	(void)process;
	f.lost = roll < 5;
	f.answer_lost = roll >= 5 && roll < 10;
	f.cut = roll >= 10 && roll < 15;
	return f;
}

/* The number of events that were taken and did not join others. */
static uint32_t speak(void)
{
	char pod[16], version[16];
	uint64_t joined = stats().joined;

	snprintf(pod, sizeof(pod), "pod-%u", (unsigned)random_below(&dice, 40));
	snprintf(version, sizeof(version), "%u", (unsigned)random_below(&dice, 3));
	bool taken = say_of(pod, version, "FailedScheduling");

	return taken && stats().joined == joined ? 1 : 0;
}

/* Whatever happens on the way: what was taken is on the server, once. */
static void test_what_was_taken_arrives_once(void)
{
	for (uint32_t seed = 1; seed <= 20; seed++) {
		static const int answers[] = {0, 0, 0, 0, 0, 0, 0, 500, 503, 429};
		uint32_t taken = 0;

		bed_free();
		bed_init();
		random_init(&dice, seed);
		start();
		town.fate = random_fate;
		for (uint32_t i = 0; i < 400; i++) {
			taken += speak();
			if (random_below(&dice, 10) == 0)
				recorder_hold(recorder, random_below(&dice, 3) == 0);
			if (random_below(&dice, 5) == 0)
				server.status = answers[random_below(&dice, ARRAY_COUNT(answers))];
			server.is_done = server.status == 500;
			town_run(&town, random_below(&dice, 1500));
		}
		town.fate = NULL;
		server.status = 0;
		recorder_hold(recorder, false);
		town_run(&town, 120 * 1000);
		TEST_ASSERT_TRUE(recorder_is_idle(recorder));
		TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
		TEST_ASSERT_EQUAL_UINT32(taken, server.count);
		town_run(&town, 8 * 60 * 1000);
		TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
		TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_order);
	RUN_TEST(test_order_with_faults);
	RUN_TEST(test_held_while_bindings_wait);
	RUN_TEST(test_not_before_start);
	RUN_TEST(test_flood);
	RUN_TEST(test_overall_rate);
	RUN_TEST(test_one_pod_says_too_much);
	RUN_TEST(test_texts_are_bounded);
	RUN_TEST(test_smallest);
	RUN_TEST(test_silent_ones_make_room);
	RUN_TEST(test_retried_until_it_is_too_often);
	RUN_TEST(test_refused_is_the_end);
	RUN_TEST(test_refused_patch_leaves_the_event);
	RUN_TEST(test_retry_after);
	RUN_TEST(test_lost_answer);
	RUN_TEST(test_server_away);
	RUN_TEST(test_asked_again);
	RUN_TEST(test_waiting_for_a_connection_is_no_try);
	RUN_TEST(test_what_was_taken_arrives_once);
	return UNITY_END();
}
