/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that tests of the patcher have it say, and what became of them. */
#ifndef BERTH_TESTS_BIND_STATUS_PATCH_CASES_H
#define BERTH_TESTS_BIND_STATUS_PATCH_CASES_H

#include "kube/fixture.h"

#include "base/log.h"
#include "bind/status_patch_fixture.h"

enum { ROW_REPLIES = 12 };

static struct bed bed;

static inline void says_start(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	bed_start(&bed, BED_PATCHES, BED_VICTIMS, 1);
	fixture_start();
}

static inline void says_stop(void)
{
	fixture_end();
	bed_stop(&bed);
}

static inline struct body_pod pod(const char *name)
{
	return (struct body_pod){TEXT("default"), text_of(name), TEXT("uid-1")};
}

static inline struct wall now(void)
{
	struct clock clock = fake_server_clock(&bed.wire);

	return clock_wall(&clock);
}

static const struct kube_condition others[] = {
	{.type = TEXT("Ready"), .status = TEXT("False")},
	{.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = TEXT("Unschedulable"),
		.message = TEXT("old words"),
		.last_transition_time = TEXT("2026-01-01T00:00:00Z"),
		.observed_generation = 1},
};

static inline struct body_condition scheduled(const char *message)
{
	return (struct body_condition){.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = TEXT("Unschedulable"),
		.message = text_of(message),
		.observed_generation = 1};
}

static inline bool say(const char *name, const char *message, uint64_t tag)
{
	const struct body_condition condition = scheduled(message);
	const struct body_status status = {.condition = &condition, .now = now()};
	const struct body_pod to = pod(name);

	return status_patcher_send(bed.patcher, &to, &status, tag);
}

/* The pod has conditions. */
static inline bool say_more(
	const char *name, const char *message, const char *nominated, uint64_t tag)
{
	const struct body_condition condition = scheduled(message);
	const struct body_status status = {.old = others,
		.old_count = ARRAY_COUNT(others),
		.condition = &condition,
		.old_nominated = TEXT("node-1"),
		.set_nominated = nominated != NULL,
		.nominated = text_of(nominated),
		.now = now()};
	const struct body_pod to = pod(name);

	return status_patcher_send(bed.patcher, &to, &status, tag);
}

static inline void told(uint32_t at, uint64_t tag, enum api_verdict outcome)
{
	TEST_ASSERT_TRUE(at < bed.told_count);
	TEST_ASSERT_EQUAL_UINT64(tag, bed.told[at].tag);
	TEST_ASSERT_EQUAL_INT(outcome, bed.told[at].outcome);
}

static inline void hold_all(void)
{
	static const struct bed_reply held[ROW_REPLIES] = {
		{BED_NO_ANSWER_YET, 0, "", ""},
		{BED_NO_ANSWER_YET, 0, "", ""},
		{BED_NO_ANSWER_YET, 0, "", ""},
		{BED_NO_ANSWER_YET, 0, "", ""},
		{BED_NO_ANSWER_YET, 0, "", ""},
		{BED_NO_ANSWER_YET, 0, "", ""},
	};

	bed_replies(&bed, held, ROW_REPLIES);
}

static inline void check_asked(uint32_t at, const char *name, const char *message)
{
	char line[128];

	snprintf(line, sizeof(line), "PATCH /api/v1/namespaces/default/pods/%s/status", name);
	TEST_ASSERT_TRUE(at < bed.seen_count);
	TEST_ASSERT_EQUAL_STRING(line, bed.seen[at].line);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(bed.seen[at].body, message), bed.seen[at].body);
}

static inline struct json_value patched_condition(const struct bed_seen *seen)
{
	struct json_value conditions =
		json_path(fixture_json(seen->body, NULL), "status.conditions");
	struct json_walk walk = json_walk(conditions);

	TEST_ASSERT_TRUE(json_walk_next(&walk));
	return walk.value;
}

#endif
