/* SPDX-License-Identifier: GPL-2.0-only */
/* Events: what is sent, where, and what becomes of those that are the same. */
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

/* ---- what is sent ---- */

static void test_an_event_is_sent(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	TEST_ASSERT_FALSE(recorder_is_idle(recorder));
	town_run(&town, 100);
	TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	TEST_ASSERT_EQUAL_UINT32(1, server.discoveries);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_STRING(
		"/apis/events.k8s.io/v1/namespaces/default/events", server.last_path);
	TEST_ASSERT_TRUE(last_has("\"apiVersion\":\"events.k8s.io/v1\""));
	TEST_ASSERT_TRUE(last_has("\"reportingController\":\"default-scheduler\""));
	TEST_ASSERT_TRUE(last_has("\"reportingInstance\":\"default-scheduler-edge-1\""));
	TEST_ASSERT_TRUE(last_has("\"name\":\"ok."));
	TEST_ASSERT_TRUE(last_has("\"resourceVersion\":\"201\""));
	TEST_ASSERT_EQUAL_UINT64(1, stats().sent);
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	TEST_ASSERT_EQUAL_UINT32(0, stats().waiting);
}

static void test_core_group_when_it_is_all(void)
{
	server.served = false;
	start();
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_STRING("/api/v1/namespaces/default/events", server.last_path);
	TEST_ASSERT_TRUE(last_has("\"apiVersion\":\"v1\",\"count\":1"));
	TEST_ASSERT_TRUE(last_has("\"source\":{\"component\":\"default-scheduler\"}"));
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_STRING_LEN("/api/v1/namespaces/default/events/ok.", server.last_path, 37);
	TEST_ASSERT_EQUAL_STRING_LEN("{\"count\":2,\"lastTimestamp\":\"2026-", server.last, 33);
	TEST_ASSERT_EQUAL_UINT32(1, server.discoveries);
}

static void test_discovery_is_asked_until_it_answers(void)
{
	server.discovery = 503;
	start();
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	town_run(&town, 8000);
	TEST_ASSERT_TRUE(server.discoveries >= 3);
	TEST_ASSERT_EQUAL_UINT32(0, server.posts);
	server.discovery = 0;
	town_run(&town, 13000);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_STRING(
		"/apis/events.k8s.io/v1/namespaces/default/events", server.last_path);
}

static void test_forbidden_discovery_means_core(void)
{
	server.discovery = 403;
	start();
	TEST_ASSERT_TRUE(say_of("ok", "201", "Scheduled"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_STRING("/api/v1/namespaces/default/events", server.last_path);
}

static void test_leader_speaks_in_core(void)
{
	struct recorder_event event = {.regarding = {.api_version = TEXT("coordination.k8s.io/v1"),
					       .kind = TEXT("Lease"),
					       .namespace = TEXT("kube-system"),
					       .name = TEXT("kube-scheduler")},
		.type = TEXT("Normal"),
		.reason = TEXT("LeaderElection"),
		.note = TEXT("edge-1_db2f became leader"),
		.controller = TEXT("default-scheduler")};

	start();
	TEST_ASSERT_TRUE(recorder_record_leader(recorder, &event));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_STRING("/api/v1/namespaces/kube-system/events", server.last_path);
	TEST_ASSERT_TRUE(last_has("\"message\":\"edge-1_db2f became leader\""));
	TEST_ASSERT_TRUE(last_has("\"involvedObject\":{\"apiVersion\":\"coordination.k8s.io/v1\""));
}

/* ---- series ---- */

static void test_second_makes_a_series(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_EQUAL_STRING_LEN(
		"{\"series\":{\"count\":2,\"lastObservedTime\":\"2026-", server.last, 45);
	TEST_ASSERT_EQUAL_STRING_LEN(
		"/apis/events.k8s.io/v1/namespaces/default/events/nofit.", server.last_path, 55);
	for (int i = 0; i < 100; i++)
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_EQUAL_UINT64(101, stats().joined);
	TEST_ASSERT_EQUAL_UINT64(102, stats().recorded);
}

static void test_key_is_all_but_the_note(void)
{
	struct recorder_event event = event_of("a", "1", "Scheduled");
	struct text *const parts[] = {&event.regarding.api_version, &event.regarding.kind,
		&event.regarding.namespace, &event.regarding.name, &event.regarding.uid,
		&event.regarding.resource_version, &event.type, &event.reason, &event.action,
		&event.controller};

	start();
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	event.note = TEXT("another");
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	TEST_ASSERT_EQUAL_UINT64(1, stats().joined);
	for (uint32_t i = 0; i < ARRAY_COUNT(parts); i++) {
		struct text before = *parts[i];

		*parts[i] = TEXT("other");
		TEST_ASSERT_TRUE(recorder_record(recorder, &event));
		*parts[i] = before;
	}
	TEST_ASSERT_EQUAL_UINT64(1, stats().joined);
	TEST_ASSERT_TRUE(recorder_record_leader(recorder, &event));
	TEST_ASSERT_EQUAL_UINT64(1, stats().joined);
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(12, server.posts);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
}

/* What comes while the first is on its way makes one patch, when that is there. */
static void test_joined_before_it_was_sent(void)
{
	start();
	fate_now.back_us = CLOCK_S_US;
	for (int i = 0; i < 5; i++)
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 1500);
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_UINT32(0, server.patches);
	town_run(&town, 3000);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_TRUE(last_has("\"count\":5"));
}

static void test_series_is_told_now_and_then_and_at_its_end(void)
{
	start();
	for (int i = 0; i < 60; i++) { /* an hour, each minute */
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
		town_run(&town, 60 * 1000);
	}
	TEST_ASSERT_EQUAL_UINT32(1, server.posts);
	TEST_ASSERT_EQUAL_UINT32(2, server.patches); /* 2, and after half an hour */
	TEST_ASSERT_TRUE(last_has("\"count\":33"));
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	town_run(&town, 6 * 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(3, server.patches);
	TEST_ASSERT_TRUE(last_has("\"count\":60"));
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 7 * 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(3, server.patches);
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
}

static void test_patch_of_what_has_expired(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	server.count = 0;
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	/* The whole event again, with the first note, and then the patch. */
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(2, server.patches);
	TEST_ASSERT_EQUAL_UINT32(1, server.count);
	TEST_ASSERT_TRUE(last_has("\"count\":2"));
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failed);
}

/* A server that takes events and has none: no endless exchange. */
static void test_patch_of_what_never_stays(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	for (int i = 0; i < 20; i++) {
		server.count = 0;
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
		for (int k = 0; k < 100; k++) {
			town_run(&town, 1);
			server.count = 0;
		}
		TEST_ASSERT_TRUE(recorder_is_idle(recorder));
	}
	TEST_ASSERT_TRUE(server.requests <= 20 * 4 + 1);
}

/* What is added while the patch is on its way is told when the series ends. */
static void test_added_while_the_patch_flies(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 100);
	fate_now.back_us = CLOCK_S_US;
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 500);
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 5 * 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_TRUE(last_has("\"count\":2"));
	town_run(&town, 2 * 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.patches);
	TEST_ASSERT_TRUE(last_has("\"count\":3"));
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
}

/* Its last patch waits already: one that comes now is the first of another. */
static void test_after_the_end_of_a_series(void)
{
	start();
	for (int i = 0; i < 3; i++) {
		TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
		town_run(&town, 100);
	}
	recorder_hold(recorder, true);
	town_run(&town, 7 * 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, stats().waiting);
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	TEST_ASSERT_EQUAL_UINT32(2, stats().waiting);
	recorder_hold(recorder, false);
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT32(2, server.patches);
	TEST_ASSERT_EQUAL_UINT32(1, stats().remembered);
}

/* A series that has nothing new to tell ends without a word. */
static void test_told_series_ends_in_silence(void)
{
	start();
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	TEST_ASSERT_TRUE(say_of("once", "203", "FailedScheduling"));
	town_run(&town, 100);
	TEST_ASSERT_TRUE(say_of("nofit", "203", "FailedScheduling"));
	town_run(&town, 10 * 60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
	TEST_ASSERT_EQUAL_UINT32(0, stats().remembered);
}

/* ---- odd texts ---- */

static void test_texts_of_any_length(void)
{
	static char longest[4096];
	struct recorder_event event = event_of("a", "1", "FailedScheduling");

	memset(longest, 'x', sizeof(longest));
	start();
	event.note = (struct text){longest, sizeof(longest)};
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_size_t(BODY_NOTE_MAX, last_member("\"note\":\"").size);
	TEST_ASSERT_TRUE(last_has("xxx ...\""));
	memset(longest, 1, sizeof(longest));
	event.regarding.uid = TEXT("2");
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	event.regarding.name = (struct text){longest, 254};
	TEST_ASSERT_FALSE(recorder_record(recorder, &event));
	event.regarding.name = TEXT("a");
	event.regarding.namespace = TEXT("a/b");
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(2, server.posts);
	TEST_ASSERT_EQUAL_UINT64(2, stats().failed);
	TEST_ASSERT_TRUE(recorder_is_idle(recorder));
}

static void test_names_are_unique_and_uuids(void)
{
	struct recorder_event event = event_of("A_b", "1", "Scheduled");

	start();
	recorder_hold(recorder, true);
	for (int i = 0; i < 20; i++) {
		char reason[16];

		snprintf(reason, sizeof(reason), "R%d", i);
		event.reason = text_of(reason);
		event.regarding.name = i < 10 ? TEXT("a") : TEXT("A_b");
		TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	}
	recorder_hold(recorder, false);
	town_run(&town, 1000);
	TEST_ASSERT_EQUAL_UINT32(20, server.posts);
	TEST_ASSERT_EQUAL_UINT32(20, server.count);
	TEST_ASSERT_EQUAL_size_t(36, strlen(server.names[19]));
	event.reason = TEXT("R19");
	TEST_ASSERT_TRUE(recorder_record(recorder, &event));
	town_run(&town, 1000);
	TEST_ASSERT_TRUE(text_ends(text_of(server.last_path), text_of(server.names[19])));
	TEST_ASSERT_EQUAL_UINT32(1, server.patches);
}

/* Two at a time, and with few connections none at all while others use them. */
static void test_two_at_a_time(void)
{
	start();
	town_run(&town, 100);
	fate_now.answer_lost = true;
	for (uint32_t i = 0; i < 10; i++)
		TEST_ASSERT_TRUE(say_numbered(i));
	town_run(&town, 10 * 1000);
	TEST_ASSERT_EQUAL_UINT32(RECORDER_SLOTS, server.requests);
}

static void test_long_instance_is_cut(void)
{
	instance = "a-host-name-that-is-not-possible-on-linux-but-who-knows-what-people-write-into-"
		   "files-0123456789-0123456789-0123456789-0123456789";
	start();
	TEST_ASSERT_TRUE(say_of("a", "1", "Scheduled"));
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_size_t(
		RECORDER_INSTANCE_MAX, last_member("\"reportingInstance\":\"").size);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_an_event_is_sent);
	RUN_TEST(test_core_group_when_it_is_all);
	RUN_TEST(test_discovery_is_asked_until_it_answers);
	RUN_TEST(test_forbidden_discovery_means_core);
	RUN_TEST(test_leader_speaks_in_core);
	RUN_TEST(test_second_makes_a_series);
	RUN_TEST(test_key_is_all_but_the_note);
	RUN_TEST(test_joined_before_it_was_sent);
	RUN_TEST(test_series_is_told_now_and_then_and_at_its_end);
	RUN_TEST(test_patch_of_what_has_expired);
	RUN_TEST(test_patch_of_what_never_stays);
	RUN_TEST(test_added_while_the_patch_flies);
	RUN_TEST(test_after_the_end_of_a_series);
	RUN_TEST(test_told_series_ends_in_silence);
	RUN_TEST(test_texts_of_any_length);
	RUN_TEST(test_names_are_unique_and_uuids);
	RUN_TEST(test_two_at_a_time);
	RUN_TEST(test_long_instance_is_cut);
	return UNITY_END();
}
