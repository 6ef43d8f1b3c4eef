/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers of a real kube-apiserver, as they came over the wire: whole, byte by byte, and cut off
 * at every position with the whole answer behind it.
 */
// deps: watch/*.c net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/watch/bed.c tests/watch/play.c
#include "unity.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "watch/play.h"

enum { FILE_MAX = 64 * 1024 };

static struct bed bed;
static struct play play;
static char file[FILE_MAX], second[FILE_MAX];

void setUp(void)
{
	bed_init(&bed);
}

void tearDown(void)
{
	bed_stop(&bed);
}

/* Without the first line, which is the request. */
static const char *read_answer(const char *name, char *to)
{
	char path[128];
	snprintf(path, sizeof(path), "tests/net/data/%s.txt", name);
	FILE *f = fopen(path, "rb");

	TEST_ASSERT_NOT_NULL_MESSAGE(f, path);
	size_t size = fread(to, 1, FILE_MAX - 1, f);
	fclose(f);
	to[size] = '\0';
	const char *end = strchr(to, '\n');
	TEST_ASSERT_NOT_NULL(end);
	TEST_ASSERT_EQUAL_STRING_LEN("# curl", to, 6);
	return end + 1;
}

static void play_pods(const struct play_scene *scenes, uint32_t count, enum kube_kind kind)
{
	play_start(&play, &bed, scenes, count);
	bed_start(&bed, WATCH_KIND(kind), 1);
	watch_want(bed.watch, kind, true);
}

static const size_t slices[] = {0, 1, 7, 1000};

#define INITIAL_END(version)                                                 \
	"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":{" \
	"\"resourceVersion\":\"" version                                     \
	"\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n"
#define STREAM_OF(version)                                                         \
	{                                                                          \
		"sendInitialEvents=true", PLAY_ENDS, INITIAL_END(version), 0, NULL \
	}

/* The same journal in every slicing. */
static void check(
	const struct play_scene *scenes, uint32_t count, enum kube_kind kind, const char *journal)
{
	for (size_t i = 0; i < ARRAY_COUNT(slices); i++) {
		bed_init(&bed);
		bed.wire.slice = slices[i];
		play_pods(scenes, count, kind);
		bed_run(&bed, 20 * 1000);
		TEST_ASSERT_EQUAL_UINT32(count, play.at);
		TEST_ASSERT_EQUAL_STRING(journal, bed.journal);
		bed_stop(&bed);
	}
}

static void test_streaming_list_of_nodes(void)
{
	const struct play_scene scenes[] = {
		{"/api/v1/nodes? sendInitialEvents", PLAY_RAW,
			read_answer("watch-nodes-initial", file), 0, NULL},
		{"/api/v1/nodes? resourceVersion=201", PLAY_HANG, NULL, 0, NULL}};

	check(scenes, 2, KUBE_NODE,
		"begin nodes\n+ nodes node-00000 195\n+ nodes node-00001 194\n"
		"+ nodes node-00002 193\nend nodes\nsynced\n");
}

static void test_streaming_list_of_pods(void)
{
	const struct play_scene scenes[] = {
		{"sendInitialEvents", PLAY_RAW, read_answer("watch-pods-initial", file), 0, NULL},
		{"resourceVersion=201", PLAY_HANG, NULL, 0, NULL}};

	check(scenes, 2, KUBE_POD,
		"begin pods\n+ pods default/gated 199\n+ pods default/low1 200\n"
		"+ pods default/low2 201\n+ pods default/nofit 198\n+ pods default/ok 197\n"
		"end pods\nsynced\n");
}

static void test_refused_inside_200(void)
{
	const struct play_scene scenes[] = {
		{"/api/v1/nodes? sendInitialEvents", PLAY_RAW,
			read_answer("watch-initial-events-unsupported", file), 0, NULL},
		{"/api/v1/nodes? limit=500", PLAY_RAW, read_answer("list-nodes", second), 0, NULL},
		{"/api/v1/nodes? resourceVersion=198", PLAY_HANG, NULL, 0, NULL}};

	check(scenes, 3, KUBE_NODE,
		"begin nodes\n+ nodes node-00000 198\n+ nodes node-00001 197\n"
		"+ nodes node-00002 196\nend nodes\nsynced\n");
}

static void test_pages(void)
{
	const struct play_scene scenes[] = {{"sendInitialEvents", PLAY_ANSWER, "no", 422, NULL},
		{"limit=500 !continue", PLAY_RAW, read_answer("list-pods-page1", file), 0, NULL},
		{"continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjU4LCJzdGFydCI6ImRlZmF1bHQvbG93M"
		 "Vx1MDAwMCJ9",
			PLAY_RAW, read_answer("list-pods-page2", second), 0, NULL},
		{"continue=", PLAY_ANSWER,
			"{\"metadata\":{\"resourceVersion\":\"258\"},\"items\":[]}", 0, NULL},
		{"resourceVersion=258", PLAY_HANG, NULL, 0, NULL}};

	check(scenes, 5, KUBE_POD,
		"begin pods\n+ pods default/gated 225\n+ pods default/low1 219\n"
		"+ pods default/low2 212\n+ pods default/nofit 207\nend pods\nsynced\n");
}

/* A list of version 1 without objects: the token was too old, and the server says so nowhere. */
static void test_list_with_a_bad_token(void)
{
	const struct play_scene scenes[] = {{"sendInitialEvents", PLAY_ANSWER, "no", 422, NULL},
		{"limit=500", PLAY_RAW, read_answer("list-bad-continue", file), 0, NULL},
		{"resourceVersion=1", PLAY_HANG, NULL, 0, NULL}};

	check(scenes, 3, KUBE_POD, "begin pods\nend pods\nsynced\n");
}

static void test_live(void)
{
	const struct play_scene scenes[] = {STREAM_OF("258"),
		{"resourceVersion=258", PLAY_RAW, read_answer("watch-pods-live", file), 0, NULL},
		{"resourceVersion=261", PLAY_HANG, NULL, 0, NULL}};

	check(scenes, 3, KUBE_POD,
		"begin pods\nend pods\nsynced\n+ pods default/seen 259\n"
		"~ pods default/seen 260\n- pods default/seen 261\n");
}

static void test_expired(void)
{
	const struct play_scene scenes[] = {STREAM_OF("5"),
		{"resourceVersion=5", PLAY_RAW, read_answer("watch-expired-410", file), 0, NULL},
		STREAM_OF("232")};

	check(scenes, 3, KUBE_POD, "begin pods\nend pods\nsynced\nbegin pods\nend pods\n");
}

static void test_future(void)
{
	const char *answer = read_answer("watch-future", file);
	const struct play_scene scenes[] = {STREAM_OF("99999999"),
		{"resourceVersion=99999999", PLAY_RAW, answer, 0, NULL},
		{"resourceVersion=99999999", PLAY_RAW, answer, 0, NULL}};

	check(scenes, 3, KUBE_POD, "begin pods\nend pods\nsynced\n");
}

/* Asked again after the pause that the server wished, or one of our own. */
static void test_errors(void)
{
	static const struct {
		const char *file, *error;
		int64_t pause_ms;
	} cases[] = {{"throttled-429", "status 429", 1000},
		{"forbidden",
			"403 Forbidden: secrets is forbidden: User \"system:kube-scheduler\" "
			"cannot "
			"list resource \"secrets\" in API group \"\" at the cluster scope",
			800},
		{"notfound-group",
			"403 Forbidden: things.nosuch.k8s.io is forbidden: User "
			"\"system:kube-scheduler\" cannot list resource \"things\" in API group "
			"\"nosuch.k8s.io\" at the cluster sc",
			800},
		{"unauthorized", "401 Unauthorized: Unauthorized", 800}};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct play_scene scenes[] = {
			{"/api/v1/nodes?", PLAY_RAW, read_answer(cases[i].file, file), 0, NULL},
			{"/api/v1/nodes?", PLAY_HANG, NULL, 0, NULL}};
		for (size_t j = 0; j < ARRAY_COUNT(slices); j++) {
			bed_init(&bed);
			bed.wire.slice = slices[j];
			play_pods(scenes, 2, KUBE_NODE);
			bed_run(&bed, 500);
			TEST_ASSERT_EQUAL_STRING(
				cases[i].error, watch_stats(bed.watch, KUBE_NODE).error);
			bed_run(&bed, 3000);
			TEST_ASSERT_EQUAL_UINT32(2, play.at);
			TEST_ASSERT_TRUE(play_between_ms(&play, 0, 1) >= cases[i].pause_ms);
			bed_stop(&bed);
		}
	}
}

/* "404 page not found": what is not served is looked for under other versions, then again. */
static void test_not_served(void)
{
	const struct play_scene scenes[] = {
		{"/apis/resource.k8s.io/v1", PLAY_RAW, read_answer("podmetrics-missing", file), 0,
			NULL},
		{"/apis/resource.k8s.io/v1beta2", PLAY_RAW, read_answer("podmetrics-missing", file),
			0, NULL},
		{"/apis/resource.k8s.io/v1beta1", PLAY_RAW, read_answer("podmetrics-missing", file),
			0, NULL}};

	check(scenes, 3, KUBE_RESOURCE_CLAIM, "begin resourceclaims\nend resourceclaims\nsynced\n");
}

/* ---- cut off anywhere ---- */

static char raw[FILE_MAX];

/*
 * The scene `cut` loses its end, at every position in turn, and is then played again in full, be
 * it as often as it takes. In the end the picture is the same.
 */
static void check_cut(const char *name, const char *before, enum kube_kind kind, uint32_t objects,
	const char *version)
{
	const char *answer = read_answer(name, file);
	size_t size = strlen(answer);

	play_pods(NULL, 0, kind);
	bed.quiet = true;
	for (size_t cut = 0; cut < size; cut++) {
		struct play_scene scenes[4];
		uint32_t count = 0;

		if (before != NULL)
			scenes[count++] = (struct play_scene){"", PLAY_ENDS, before, 0, NULL};
		memcpy(raw, answer, cut);
		raw[cut] = '\0';
		scenes[count++] = (struct play_scene){"", PLAY_RAW, raw, 0, NULL};
		scenes[count++] = (struct play_scene){"", PLAY_RAW, answer, 0, NULL};
		watch_want(bed.watch, kind, false);
		play_start(&play, &bed, scenes, count);
		watch_want(bed.watch, kind, true);
		while (play.at < count - 1)
			bed_run(&bed, 100);
		fake_server_cut(&bed.wire, play.stream);
		while (play.at < count)
			bed_run(&bed, 100);
		bed_run(&bed, 10);
		struct watch_stats stats = watch_stats(bed.watch, kind);
		if (bed.count != objects || !text_is_z(stats.version, version)) {
			printf("%s cut at %zu: %u objects, version %.*s, %s, %s\n", name, cut,
				(unsigned)bed.count, TEXT_ARGS(stats.version), stats.state,
				stats.error);
			TEST_FAIL();
		}
	}
}

static void test_streaming_list_cut_anywhere(void)
{
	check_cut("watch-nodes-initial", NULL, KUBE_NODE, 3, "201");
}

static void test_live_cut_anywhere(void)
{
	check_cut("watch-pods-live", INITIAL_END("258"), KUBE_POD, 0, "261");
}

int main(void)
{
	/* Thousands of cuts are thousands of lines. */
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_streaming_list_of_nodes);
	RUN_TEST(test_streaming_list_of_pods);
	RUN_TEST(test_refused_inside_200);
	RUN_TEST(test_pages);
	RUN_TEST(test_list_with_a_bad_token);
	RUN_TEST(test_live);
	RUN_TEST(test_expired);
	RUN_TEST(test_future);
	RUN_TEST(test_errors);
	RUN_TEST(test_not_served);
	RUN_TEST(test_streaming_list_cut_anywhere);
	RUN_TEST(test_live_cut_anywhere);
	return UNITY_END();
}
