/* SPDX-License-Identifier: GPL-2.0-only */
/* What the patcher says of a pod: what differs, all of it, or as much as fits. */
// deps: api/*.c bind/status_patch*.c bind/eviction.c bind/body_binding.c bind/body_status.c
// deps: net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/bind/status_patch_fixture.c
#include "bind/status_patch_cases.h"

void setUp(void)
{
	says_start();
}

void tearDown(void)
{
	says_stop();
}

static void test_of_old_conditions_only_what_differs_is_said(void)
{
	TEST_ASSERT_TRUE(say_more("a", "new words", NULL, 1));
	bed_until_idle(&bed, 100);
	TEST_ASSERT_EQUAL_STRING(
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"Ready\"},"
		"{\"type\":\"PodScheduled\"}],\"conditions\":[{\"message\":\"new words\","
		"\"type\":\"PodScheduled\"}]}}",
		bed.seen[0].body);
}

static void test_nothing_new_is_not_said(void)
{
	TEST_ASSERT_FALSE(say_more("a", "old words", NULL, 1));
	TEST_ASSERT_FALSE(say_more("a", "old words", "node-1", 2));
	TEST_ASSERT_TRUE(bed_is_idle(&bed));
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES, status_patcher_room(bed.patcher));
	TEST_ASSERT_EQUAL_UINT64(2, bed_stats(&bed).unchanged);
	bed_run(&bed, 100);
	TEST_ASSERT_EQUAL_UINT32(0, bed.seen_count);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
}

static void test_names_that_are_no_part_of_a_path(void)
{
	static const char *const names[] = {"", ".", "..", "a/b", "a%2fb"};
	char long_name[API_PATH_MAX];

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		TEST_ASSERT_FALSE(say(names[i], "words", 1));
	memset(long_name, 'a', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	TEST_ASSERT_FALSE(say(long_name, "words", 1));
	TEST_ASSERT_EQUAL_UINT64(6, bed_stats(&bed).failed);
	TEST_ASSERT_TRUE(bed_is_idle(&bed));
	bed_run(&bed, 100);
	TEST_ASSERT_EQUAL_UINT32(0, bed.seen_count);
}

static void test_words_that_are_on_their_way(void)
{
	hold_all();
	TEST_ASSERT_TRUE(say("a", "first", 1));
	TEST_ASSERT_FALSE(say("a", "first", 2));
	TEST_ASSERT_TRUE(say("b", "first", 3));
	TEST_ASSERT_TRUE(say("a", "second", 4));
	TEST_ASSERT_FALSE(say("a", "second", 5));
	TEST_ASSERT_TRUE(say("a", "first", 6));
	TEST_ASSERT_EQUAL_UINT64(2, bed_stats(&bed).unchanged);
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES - 4, status_patcher_room(bed.patcher));
}

/* The watch has not shown what the first one changed. */
static void test_a_patch_behind_another_says_everything(void)
{
	static const char *const whole =
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"Ready\"},"
		"{\"type\":\"PodScheduled\"}],\"conditions\":[{\"message\":\"old words\","
		"\"observedGeneration\":1,\"reason\":\"Unschedulable\",\"type\":\"PodScheduled\"}]}"
		"}";

	TEST_ASSERT_TRUE(say_more("a", "new words", NULL, 1));
	TEST_ASSERT_TRUE(say_more("a", "old words", NULL, 2));
	TEST_ASSERT_TRUE(say_more("b", "new words", "node-2", 3));
	TEST_ASSERT_TRUE(say_more("b", "new words", "node-1", 4));
	bed_until_idle(&bed, 1000);
	TEST_ASSERT_EQUAL_UINT32(4, bed.seen_count);
	for (uint32_t i = 0; i < bed.seen_count; i++)
		if (strstr(bed.seen[i].body, "old words") != NULL)
			TEST_ASSERT_EQUAL_STRING(whole, bed.seen[i].body);
	check_asked(3, "b", "\"nominatedNodeName\":\"node-1\"");
	/* Afterwards only what differs, again. */
	TEST_ASSERT_FALSE(say_more("b", "old words", "node-1", 5));
}

static void test_a_long_message_is_cut_at_a_character(void)
{
	static const char *const parts[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
		"\n", "\x01", "\"", "\xff", "a\xc3\xa9\xe2\x82\xac\x01"};
	static char message[40000];

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		size_t size = strlen(parts[i]), used = 0;

		while (used + size < sizeof(message)) {
			memcpy(message + used, parts[i], size);
			used += size;
		}
		message[used] = '\0';
		TEST_ASSERT_TRUE(say("a", message, i));
		bed_until_idle(&bed, 1000);
		told((uint32_t)i, i, API_DONE);
		TEST_ASSERT_TRUE(bed.seen[i].body_size > STATUS_PATCH_MESSAGE_MAX - 100);
		struct text said = json_text(json_get(patched_condition(&bed.seen[i]), "message"));

		TEST_ASSERT_TRUE(text_is_utf8(said));
		if (parts[i][0] != '\xff')
			TEST_ASSERT_TRUE(text_starts(text_of(message), said));
		/* The next attempt finds it said. */
		const struct kube_condition old = {.type = TEXT("PodScheduled"),
			.status = TEXT("False"),
			.reason = TEXT("Unschedulable"),
			.message = said};
		const struct body_condition condition = scheduled(message);
		const struct body_status status = {
			.old = &old, .old_count = 1, .condition = &condition, .now = now()};
		const struct body_pod to = pod("a");

		TEST_ASSERT_FALSE(status_patcher_send(bed.patcher, &to, &status, 99));
	}
}

static void test_where_a_message_is_cut(void)
{
	static const struct {
		const char *message;
		size_t max, size;
	} rows[] = {
		{"", 0, 0},
		{"abc", 18, 3},
		{"abc", 3, 3},
		{"abc", 2, 2},
		{"a\"b", 3, 2},
		{"a\"b", 2, 1},
		{"\xe2\x82\xac\xe2\x82\xac", 5, 3},
		{"\xe2\x82\xac", 2, 0},
		{"\xff\xff", 5, 1},
		{"\x01z", 6, 1},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		TEST_ASSERT_EQUAL_size_t(rows[i].size,
			status_patch_cut_message(text_of(rows[i].message), rows[i].max).size);
}

static void test_conditions_of_others_that_fill_a_patch(void)
{
	static char type[STATUS_PATCH_BODY_MAX];
	struct kube_condition old[] = {
		{.type = {type, sizeof(type)}, .status = TEXT("True")}, others[1]};
	struct body_condition condition = scheduled("words");
	struct body_status status = {.old = old,
		.old_count = 2,
		.condition = &condition,
		.set_nominated = true,
		.nominated = TEXT("node-1"),
		.now = now()};
	const struct body_pod to = pod("a");

	memset(type, 't', sizeof(type));
	TEST_ASSERT_TRUE(status_patcher_send(bed.patcher, &to, &status, 1));
	bed_until_idle(&bed, 1000);
	TEST_ASSERT_NULL(strstr(bed.seen[0].body, "setElementOrder"));
	fixture_text_is("words", json_text(json_get(patched_condition(&bed.seen[0]), "message")));
	check_asked(0, "a", "\"nominatedNodeName\":\"node-1\"");
	/* No way out: it is refused, and nothing breaks. */
	status.nominated = (struct text){type, sizeof(type)};
	TEST_ASSERT_FALSE(status_patcher_send(bed.patcher, &to, &status, 2));
	TEST_ASSERT_EQUAL_UINT64(1, bed_stats(&bed).failed);
	TEST_ASSERT_TRUE(bed_is_idle(&bed));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_of_old_conditions_only_what_differs_is_said);
	RUN_TEST(test_nothing_new_is_not_said);
	RUN_TEST(test_names_that_are_no_part_of_a_path);
	RUN_TEST(test_words_that_are_on_their_way);
	RUN_TEST(test_a_patch_behind_another_says_everything);
	RUN_TEST(test_a_long_message_is_cut_at_a_character);
	RUN_TEST(test_where_a_message_is_cut);
	RUN_TEST(test_conditions_of_others_that_fill_a_patch);
	return UNITY_END();
}
