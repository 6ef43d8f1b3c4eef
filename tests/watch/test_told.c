/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reflector tells, and what it does not: objects that do not fit, kinds that are wanted and
 * wanted no more, be it from inside of what it tells.
 */
// deps: watch/*.c net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/watch/bed.c tests/watch/play.c
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch/stage.h"

/* ---- objects that cannot be used ---- */

static char *big_pod(const char *name, const char *version, const char *type, size_t size)
{
	char *line = malloc(size + 1024);
	char *labels;

	TEST_ASSERT_NOT_NULL(line);
	int head = sprintf(line,
		"{\"type\":\"%s\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\","
		"\"namespace\":\"d\",\"resourceVersion\":\"%s\",\"labels\":{\"l\":\"",
		type, name, version);
	labels = line + head;
	memset(labels, 'x', size);
	strcpy(labels + size, "\"}}}}\n");
	return line;
}

static void test_too_big_is_refused_by_name(void)
{
	static const char *const types[] = {"ADDED", "MODIFIED", "DELETED"};

	PLAY(STREAM_A_5);
	bed_run(&bed, 100);
	bed_forget(&bed);
	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		char *line = big_pod("huge", "6", types[i], 1500 * 1000);

		send(line);
		free(line);
	}
	send(MODIFIED("a", "7"));
	TEST_ASSERT_EQUAL_STRING(
		"big+ pods d/huge\nbig~ pods d/huge\nbig- pods d/huge\n~ pods d/a 7\n",
		bed.journal);
	TEST_ASSERT_EQUAL_UINT64(3, stats().refused);
}

static void test_too_big_in_a_list(void)
{
	char *huge = big_pod("huge", "6", "ADDED", 1500 * 1000);
	static char list[1600 * 1000];
	char *object = strstr(huge, "{\"kind\"");

	object[strlen(object) - 2] = '\0'; /* without the end of the line */
	snprintf(list, sizeof(list), LIST("8", "", "%s," POD("a", "3")), object);
	free(huge);
	const struct play_scene scenes[] = {NO_STREAM, {PAGE, PLAY_ANSWER, list, 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, "", 0, NULL}};
	play_start(&play, &bed, scenes, 3);
	bed_start(&bed, WATCH_KIND(KUBE_POD), 1);
	watch_want(bed.watch, KUBE_POD, true);
	bed_run(&bed, 1000);
	check_played(3);
	TEST_ASSERT_EQUAL_STRING(
		"begin pods\nbig+ pods d/huge\n+ pods d/a 3\nend pods\nsynced\n", bed.journal);
}

/* Anybody may nest what he puts into managedFields: it costs nobody the list. */
static void test_too_deep_for_nobody(void)
{
	enum { DEPTH = 9990 };
	static char list[8 * DEPTH];
	struct writer w;
	writer_init(&w, list, sizeof(list) - 1);
	write_z(&w,
		"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
		"\"8\"},\"items\":[{\"metadata\":{\"name\":\"deep\",\"namespace\":\"d\","
		"\"resourceVersion\":\"6\",\"managedFields\":[{\"fieldsV1\":");
	for (int i = 0; i < DEPTH; i++)
		write_z(&w, "{\"f\":");
	write_z(&w, "1");
	for (int i = 0; i < DEPTH; i++)
		write_z(&w, "}");
	write_z(&w, "}]}}," POD("a", "3") "]}");
	TEST_ASSERT_FALSE(w.overflowed);
	list[w.used] = '\0';
	const struct play_scene scenes[] = {NO_STREAM, {PAGE, PLAY_ANSWER, list, 0, NULL},
		{FOLLOW("8"), PLAY_WATCH, "", 0, NULL}};
	play_start(&play, &bed, scenes, 3);
	bed_start(&bed, WATCH_KIND(KUBE_POD), 1);
	watch_want(bed.watch, KUBE_POD, true);
	bed_run(&bed, 1000);
	check_played(3);
	TEST_ASSERT_EQUAL_STRING(
		"begin pods\n+ pods d/deep 6\n+ pods d/a 3\nend pods\nsynced\n", bed.journal);
}

/* It fits the buffer, but not as values. */
static void test_too_many_values(void)
{
	static char line[64 * 1024];
	size_t used;

	PLAY(STREAM_A_5);
	bed_run(&bed, 100);
	bed_forget(&bed);
	used = (size_t)sprintf(line,
		"{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"many\",\"namespace\":"
		"\"d\",\"labels\":[0");
	while (used < 60 * 1000)
		used += (size_t)sprintf(line + used, ",1");
	sprintf(line + used, "]}}}\n");
	TEST_ASSERT_NOT_NULL(scratch_take(&bed.scratch, (1 << 20) - 300 * 1000));
	send(line);
	send(MODIFIED("a", "7"));
	TEST_ASSERT_EQUAL_STRING("big- pods d/many\n~ pods d/a 7\n", bed.journal);
	scratch_reset(&bed.scratch);
}

/* Where it is, is known all the same: else nobody could say which node it fills. */
static void test_too_many_values_and_its_node(void)
{
	static char line[64 * 1024];
	size_t used;

	PLAY(STREAM_A_5);
	bed_run(&bed, 100);
	bed_forget(&bed);
	used = (size_t)sprintf(line,
		"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"many\",\"namespace\":"
		"\"d\",\"labels\":[0");
	while (used < 60 * 1000)
		used += (size_t)sprintf(line + used, ",1");
	sprintf(line + used, "]},\"spec\":{\"nodeName\":\"n1\"}}}\n");
	TEST_ASSERT_NOT_NULL(scratch_take(&bed.scratch, (1 << 20) - 300 * 1000));
	send(line);
	send(MODIFIED("a", "7"));
	TEST_ASSERT_EQUAL_STRING("big+ pods d/many on n1\n~ pods d/a 7\n", bed.journal);
	scratch_reset(&bed.scratch);
}

static void test_what_the_sink_refuses_is_counted(void)
{
	strcpy(bed.refuses, "pods d/b");
	PLAY({STREAM, PLAY_WATCH, ADDED("a", "3") ADDED("b", "4") INITIAL_END("5"), 0, NULL});
	bed_run(&bed, 100);
	send(MODIFIED("b", "6") MODIFIED("a", "7"));
	TEST_ASSERT_EQUAL_UINT64(2, stats().refused);
	TEST_ASSERT_EQUAL_UINT64(7, bed_find(&bed, "pods d/a")->version);
}

/* ---- wanting ---- */

static void test_a_kind_that_is_wanted_no_more(void)
{
	PLAY(STREAM_A_5, {STREAM, PLAY_WATCH, INITIAL_END("9"), 0, NULL});
	bed_run(&bed, 100);
	watch_want(bed.watch, KUBE_POD, true); /* nothing new */
	watch_want(bed.watch, KUBE_POD, false);
	watch_want(bed.watch, KUBE_POD, false);
	TEST_ASSERT_EQUAL_STRING("off", stats().state);
	TEST_ASSERT_FALSE(watch_is_synced(bed.watch, KUBE_POD));
	bed_run(&bed, 100 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, play.at);
	TEST_ASSERT_EQUAL_UINT32(1, bed.count);
	watch_want(bed.watch, KUBE_POD, true);
	bed_run(&bed, 100);
	check_played(2);
	TEST_ASSERT_EQUAL_UINT32(0, bed.count);
	TEST_ASSERT_EQUAL_UINT32(2, bed.synced);
}

static void stop_it(struct bed *b, const char *name)
{
	(void)name;
	watch_want(b->watch, KUBE_POD, false);
}

static void stop_and_want_again(struct bed *b, const char *name)
{
	if (strcmp(name, "pods d/b") != 0)
		return;
	watch_want(b->watch, KUBE_POD, false);
	watch_want(b->watch, KUBE_POD, true);
}

static void want_nodes(struct bed *b, enum kube_kind kind)
{
	if (kind == KUBE_POD)
		watch_want(b->watch, KUBE_NODE, true);
}

static void stop_at_the_end(struct bed *b, enum kube_kind kind)
{
	watch_want(b->watch, kind, false);
}

static void test_stopped_by_the_sink(void)
{
	bed.on_object = stop_it;
	PLAY({STREAM, PLAY_WATCH, ADDED("a", "3") ADDED("b", "4") INITIAL_END("5"), 0, NULL});
	bed_run(&bed, 10 * 1000);
	TEST_ASSERT_EQUAL_STRING("begin pods\n+ pods d/a 3\n", bed.journal);
	TEST_ASSERT_EQUAL_STRING("off", stats().state);
	TEST_ASSERT_EQUAL_UINT32(0, play.extra);
}

static void test_stopped_by_the_sink_at_the_end_of_pages(void)
{
	bed.on_list_end = stop_at_the_end;
	PLAY(NO_STREAM, {PAGE, PLAY_ANSWER, LIST("8", "", POD("a", "3")), 0, NULL});
	bed_run(&bed, 10 * 1000);
	TEST_ASSERT_EQUAL_STRING("begin pods\n+ pods d/a 3\nend pods\n", bed.journal);
	TEST_ASSERT_EQUAL_UINT32(0, play.extra);
	check_played(2);
}

static void test_restarted_by_the_sink(void)
{
	bed.on_object = stop_and_want_again;
	PLAY({STREAM, PLAY_WATCH, ADDED("a", "3") ADDED("b", "4") INITIAL_END("5"), 0, NULL},
		{STREAM, PLAY_WATCH, ADDED("a", "3") INITIAL_END("6"), 0, NULL});
	bed_run(&bed, 10 * 1000);
	check_played(2);
	TEST_ASSERT_EQUAL_STRING(
		"begin pods\n+ pods d/a 3\n+ pods d/b 4\nbegin pods\n+ pods d/a 3\nend pods\n"
		"synced\n",
		bed.journal);
}

static void test_synced_waits_for_what_is_wanted_meanwhile(void)
{
	bed.on_list_end = want_nodes;
	PLAY(STREAM_A_5,
		{"/api/v1/nodes? sendInitialEvents", PLAY_WATCH, INITIAL_END("6"), 0, NULL});
	bed_run(&bed, 10 * 1000);
	check_played(2);
	TEST_ASSERT_EQUAL_STRING(
		"begin pods\n+ pods d/a 3\nend pods\nbegin nodes\nend nodes\nsynced\n",
		bed.journal);
}

/* The one that was missing is wanted no more. */
static void test_synced_when_the_last_one_is_given_up(void)
{
	PLAY(STREAM_A_5, {"/api/v1/nodes?", PLAY_HANG, NULL, 0, NULL});
	watch_want(bed.watch, KUBE_NODE, true);
	bed_run(&bed, 100);
	TEST_ASSERT_EQUAL_UINT32(0, bed.synced);
	watch_want(bed.watch, KUBE_NODE, false);
	TEST_ASSERT_EQUAL_UINT32(1, bed.synced);
}

static void test_kinds_that_are_not_ours(void)
{
	PLAY(STREAM_A_5);
	TEST_ASSERT_EQUAL_STRING("off", watch_stats(bed.watch, KUBE_PV).state);
	TEST_ASSERT_FALSE(watch_is_synced(bed.watch, KUBE_PV));
}

/* ---- the end ---- */

static void test_a_client_that_is_closed_first(void)
{
	PLAY(STREAM_A_5);
	bed_run(&bed, 100);
	net_client_close(bed.client);
	bed.client = NULL;
	TEST_ASSERT_EQUAL_STRING("off", stats().state);
	TEST_ASSERT_EQUAL_UINT64(0, stats().failures);
}

static jmp_buf back;

static void instead_of_exit(void)
{
	longjmp(back, 1);
}

static void test_the_panic_report(void)
{
	static char report[16 * 1024];
	int kept = dup(STDERR_FILENO), pipes[2];

	PLAY(STREAM_A_5);
	bed_run(&bed, 100);
	TEST_ASSERT_EQUAL_INT(0, pipe(pipes));
	dup2(pipes[1], STDERR_FILENO);
	check_on_failure(instead_of_exit);
	if (setjmp(back) == 0)
		watch_want(bed.watch, KUBE_PV, true); /* was not among the kinds of the setup */
	check_on_failure(NULL);
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(pipes[1]);
	TEST_ASSERT_TRUE(read(pipes[0], report, sizeof(report) - 1) > 0);
	close(pipes[0]);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(report, "pods follow synced version 5 objects 1 refused 0"), report);
	TEST_ASSERT_NULL(strstr(report, "nodes "));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_too_big_is_refused_by_name);
	RUN_TEST(test_too_big_in_a_list);
	RUN_TEST(test_too_deep_for_nobody);
	RUN_TEST(test_too_many_values);
	RUN_TEST(test_too_many_values_and_its_node);
	RUN_TEST(test_what_the_sink_refuses_is_counted);
	RUN_TEST(test_a_kind_that_is_wanted_no_more);
	RUN_TEST(test_stopped_by_the_sink);
	RUN_TEST(test_stopped_by_the_sink_at_the_end_of_pages);
	RUN_TEST(test_restarted_by_the_sink);
	RUN_TEST(test_synced_waits_for_what_is_wanted_meanwhile);
	RUN_TEST(test_synced_when_the_last_one_is_given_up);
	RUN_TEST(test_kinds_that_are_not_ours);
	RUN_TEST(test_a_client_that_is_closed_first);
	RUN_TEST(test_the_panic_report);
	return UNITY_END();
}
