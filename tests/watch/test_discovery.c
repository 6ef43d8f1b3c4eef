/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which version of a group is served: found out once, again when a list says 404, and never
 * believed too easily when it says that nothing is.
 */
// deps: watch/*.c net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/watch/bed.c tests/watch/play.c
#include "unity.h"

#include <stdio.h>
#include <string.h>

#include "watch/kinds.h"
#include "watch/play.h"

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
		bed_start(&bed, WATCH_ALL_KINDS, 1);                                 \
	} while (0)
#define SERVES(plural)                                                                      \
	"{\"kind\":\"APIResourceList\",\"groupVersion\":\"x/v1\",\"resources\":[{\"name\":" \
	"\"others\",\"kind\":\"Other\",\"verbs\":[\"list\"]},{\"name\":\"" plural           \
	"\",\"namespaced\":true}]}"
#define INITIAL_END                                                                   \
	"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\"," \
	"\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n"
#define LISTED(path)                                                        \
	{                                                                   \
		path " sendInitialEvents", PLAY_WATCH, INITIAL_END, 0, NULL \
	}
#define MISSING(path)                                              \
	{                                                          \
		path, PLAY_ANSWER, "404 page not found", 404, NULL \
	}
#define PDB_SERVED(version)                                                    \
	{                                                                      \
		"/apis/policy/" version " !poddisruptionbudgets", PLAY_ANSWER, \
			SERVES("poddisruptionbudgets"), 0, NULL                \
	}

static struct watch_stats stats(enum kube_kind kind)
{
	return watch_stats(bed.watch, kind);
}

static void check_played(void)
{
	TEST_ASSERT_EQUAL_UINT32(play.count, play.at);
	TEST_ASSERT_EQUAL_UINT32(0, play.extra);
}

static void test_the_newest_is_served(void)
{
	PLAY(PDB_SERVED("v1"), LISTED("/apis/policy/v1/poddisruptionbudgets?"));
	TEST_ASSERT_EQUAL_STRING("", stats(KUBE_PDB).api_version);
	watch_want(bed.watch, KUBE_PDB, true);
	bed_run(&bed, 500);
	check_played();
	TEST_ASSERT_EQUAL_STRING("policy/v1", stats(KUBE_PDB).api_version);
	TEST_ASSERT_TRUE(stats(KUBE_PDB).synced);
}

/* Nobody may wait for ever for a server that took the question and fell silent. */
static void test_a_silent_server(void)
{
	PLAY({"/apis/policy/v1", PLAY_HANG, NULL, 0, NULL}, PDB_SERVED("v1"),
		LISTED("/apis/policy/v1/poddisruptionbudgets?"));
	watch_want(bed.watch, KUBE_PDB, true);
	bed_run(&bed, WATCH_LIST_SILENCE_MS - 100);
	TEST_ASSERT_EQUAL_UINT32(1, play.at);
	bed_run(&bed, 3000);
	check_played();
	TEST_ASSERT_TRUE(stats(KUBE_PDB).synced);
}

/* Before 1.21; and a group version that is there, but without the kind. */
static void test_an_older_one_is_served(void)
{
	PLAY(MISSING("/apis/policy/v1"), PDB_SERVED("v1beta1"),
		LISTED("/apis/policy/v1beta1/poddisruptionbudgets?"),
		{"/apis/storage.k8s.io/v1", PLAY_ANSWER, SERVES("storageclasses"), 0, NULL},
		{"/apis/storage.k8s.io/v1beta1", PLAY_ANSWER, SERVES("csistoragecapacities"), 0,
			NULL},
		LISTED("/apis/storage.k8s.io/v1beta1/csistoragecapacities?"));
	watch_want(bed.watch, KUBE_PDB, true);
	bed_run(&bed, 500);
	TEST_ASSERT_EQUAL_STRING("policy/v1beta1", stats(KUBE_PDB).api_version);
	watch_want(bed.watch, KUBE_CSI_CAPACITY, true);
	bed_run(&bed, 500);
	TEST_ASSERT_EQUAL_STRING("storage.k8s.io/v1beta1", stats(KUBE_CSI_CAPACITY).api_version);
	check_played();
	TEST_ASSERT_EQUAL_UINT32(2, bed.synced);
	TEST_ASSERT_EQUAL_UINT64(0, stats(KUBE_PDB).failures);
}

/* What every server has is asked for without questions. */
static void test_certain_kinds(void)
{
	PLAY(LISTED("/apis/apps/v1/replicasets?"), LISTED("/api/v1/persistentvolumes?"),
		LISTED("/apis/storage.k8s.io/v1/csinodes?"));
	watch_want(bed.watch, KUBE_REPLICA_SET, true);
	bed_run(&bed, 100);
	watch_want(bed.watch, KUBE_PV, true);
	bed_run(&bed, 100);
	watch_want(bed.watch, KUBE_CSI_NODE, true);
	bed_run(&bed, 100);
	check_played();
}

static void test_what_is_not_served_is_not_needed(void)
{
	PLAY(MISSING("/apis/policy/v1"), MISSING("/apis/policy/v1beta1"),
		MISSING("/apis/policy/v1"), MISSING("/apis/policy/v1beta1"), PDB_SERVED("v1"),
		LISTED("/apis/policy/v1/poddisruptionbudgets?"));
	watch_want(bed.watch, KUBE_PDB, true);
	bed_run(&bed, 500);
	TEST_ASSERT_EQUAL_STRING("absent", stats(KUBE_PDB).state);
	TEST_ASSERT_TRUE(stats(KUBE_PDB).synced);
	TEST_ASSERT_EQUAL_STRING("", stats(KUBE_PDB).api_version);
	TEST_ASSERT_EQUAL_STRING(
		"begin poddisruptionbudgets\nend poddisruptionbudgets\nsynced\n", bed.journal);
	bed_run(&bed, WATCH_ABSENT_MS);
	TEST_ASSERT_EQUAL_UINT32(4, play.at);
	TEST_ASSERT_EQUAL_STRING("absent", stats(KUBE_PDB).state);
	/* Upgraded. */
	bed_run(&bed, WATCH_ABSENT_MS + 100);
	check_played();
	TEST_ASSERT_EQUAL_STRING("policy/v1", stats(KUBE_PDB).api_version);
	TEST_ASSERT_EQUAL_UINT32(1, bed.synced);
}

/* 1.24 -> 1.25: v1beta1 is gone, and what follows it finds out by a 404. */
static void test_an_upgrade(void)
{
	PLAY(MISSING("/apis/policy/v1"), PDB_SERVED("v1beta1"),
		{"/apis/policy/v1beta1/poddisruptionbudgets?", PLAY_ENDS, INITIAL_END, 0, NULL},
		MISSING("/apis/policy/v1beta1/poddisruptionbudgets? resourceVersion=5"),
		PDB_SERVED("v1"), LISTED("/apis/policy/v1/poddisruptionbudgets?"));
	watch_want(bed.watch, KUBE_PDB, true);
	bed_run(&bed, 10 * 1000);
	check_played();
	TEST_ASSERT_EQUAL_STRING("policy/v1", stats(KUBE_PDB).api_version);
	TEST_ASSERT_EQUAL_UINT64(2, stats(KUBE_PDB).lists);
}

/* A server that starts says 404 for a while: what it had served does not vanish for that. */
static void test_404_while_a_server_starts(void)
{
	PLAY(PDB_SERVED("v1"),
		{"/apis/policy/v1/poddisruptionbudgets?", PLAY_ENDS,
			"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"b\","
			"\"namespace\":"
			"\"d\",\"resourceVersion\":\"3\"}}}" INITIAL_END,
			0, NULL},
		MISSING("/apis/policy/v1/poddisruptionbudgets? resourceVersion=5"),
		MISSING("/apis/policy/v1"), MISSING("/apis/policy/v1beta1"),
		MISSING("/apis/policy/v1"), MISSING("/apis/policy/v1beta1"), PDB_SERVED("v1"),
		{"/apis/policy/v1/poddisruptionbudgets? sendInitialEvents", PLAY_HANG, NULL, 0,
			NULL});
	watch_want(bed.watch, KUBE_PDB, true);
	bed_run(&bed, 30 * 1000);
	check_played();
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
}

/* ... and if it stays that way, it is believed. */
static void test_a_group_that_is_no_more(void)
{
	PLAY(PDB_SERVED("v1"),
		{"/apis/policy/v1/poddisruptionbudgets?", PLAY_ENDS,
			"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"b\","
			"\"namespace\":"
			"\"d\",\"resourceVersion\":\"3\"}}}" INITIAL_END,
			0, NULL},
		MISSING("/apis/policy/v1/poddisruptionbudgets? resourceVersion=5"),
		MISSING("/apis/policy/v1"), MISSING("/apis/policy/v1beta1"),
		MISSING("/apis/policy/v1"), MISSING("/apis/policy/v1beta1"),
		MISSING("/apis/policy/v1"), MISSING("/apis/policy/v1beta1"));
	watch_want(bed.watch, KUBE_PDB, true);
	bed_run(&bed, 30 * 1000);
	check_played();
	TEST_ASSERT_EQUAL_UINT32(0, bed.count);
	TEST_ASSERT_EQUAL_STRING("absent", stats(KUBE_PDB).state);
}

/* A cluster without nodes or pods is no cluster, whatever a proxy says. */
static void test_pods_are_never_absent(void)
{
	PLAY({"/api/v1/pods?", PLAY_ENDS,
		     "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\","
		     "\"namespace\":\"d\",\"resourceVersion\":\"3\"}}}" INITIAL_END,
		     0, NULL},
		MISSING("/api/v1/pods? resourceVersion=5"), MISSING("/api/v1"), MISSING("/api/v1"),
		MISSING("/api/v1"), MISSING("/api/v1"), MISSING("/api/v1"),
		{"/api/v1", PLAY_ANSWER, SERVES("pods"), 0, NULL},
		{"/api/v1/pods? sendInitialEvents", PLAY_HANG, NULL, 0, NULL});
	watch_want(bed.watch, KUBE_POD, true);
	bed_run(&bed, 200 * 1000);
	TEST_ASSERT_EQUAL_UINT32(play.count, play.at > play.count ? play.count : play.at);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
}

static void test_discovery_in_trouble(void)
{
	PLAY({"/apis/policy/v1", PLAY_ANSWER, "", 503, NULL},
		{"/apis/policy/v1", PLAY_CUT, "{\"kind\":\"APIResourceList\",", 0, NULL},
		{"/apis/policy/v1", PLAY_ANSWER, "<html>", 0, NULL}, PDB_SERVED("v1"),
		LISTED("/apis/policy/v1/poddisruptionbudgets?"));
	watch_want(bed.watch, KUBE_PDB, true);
	bed_run(&bed, 30 * 1000);
	check_played();
	TEST_ASSERT_EQUAL_UINT64(3, stats(KUBE_PDB).failures);
}

/* The table says what object.c says, and every path is one. */
static void test_the_table(void)
{
	for (uint32_t kind = KUBE_NO_KIND + 1; kind < KUBE_KINDS; kind++) {
		const struct watch_kind *row = &watch_kinds[kind];

		TEST_ASSERT_EQUAL_STRING(kube_kinds[kind].api_version, row->served[0]);
		TEST_ASSERT_TRUE(row->piece_max >= WATCH_PIECE_OTHER);
		TEST_ASSERT_EQUAL_INT(row->certain, row->served[1] == NULL);
		TEST_ASSERT_TRUE((WATCH_ALL_KINDS & WATCH_KIND(kind)) != 0);
	}
	TEST_ASSERT_TRUE((WATCH_ALL_KINDS & WATCH_KIND(KUBE_NO_KIND)) == 0);
	TEST_ASSERT_TRUE((WATCH_ALL_KINDS & WATCH_KIND(KUBE_KINDS)) == 0);
	/* What main.c sets aside for streams and one object: limits.h of the boards. */
	TEST_ASSERT_LESS_THAN_size_t(1024 * 1024, watch_size(WATCH_ALL_KINDS));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_newest_is_served);
	RUN_TEST(test_a_silent_server);
	RUN_TEST(test_an_older_one_is_served);
	RUN_TEST(test_certain_kinds);
	RUN_TEST(test_what_is_not_served_is_not_needed);
	RUN_TEST(test_an_upgrade);
	RUN_TEST(test_404_while_a_server_starts);
	RUN_TEST(test_a_group_that_is_no_more);
	RUN_TEST(test_pods_are_never_absent);
	RUN_TEST(test_discovery_in_trouble);
	RUN_TEST(test_the_table);
	return UNITY_END();
}
