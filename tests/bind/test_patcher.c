/* SPDX-License-Identifier: GPL-2.0-only */
/* Patches and victims against a server that answers as it is told, in virtual time. */
// deps: bind/patcher*.c bind/body_path.c bind/body_binding.c bind/body_status.c
// deps: net/*.c json/*.c kube/*.c base/*.c
// deps: tests/watch/wire.c tests/bind/patcher_bed.c
#include "unity.h"

#include <string.h>

#include "base/log.h"
#include "bind/patcher_bed.h"
#include "bind/patcher_private.h"

static struct bed bed;

void setUp(void)
{
	bed_start(&bed, BED_PATCHES, BED_VICTIMS, 1);
}

void tearDown(void)
{
	bed_stop(&bed);
}

static struct body_pod pod(const char *name)
{
	return (struct body_pod){TEXT("default"), text_of(name), TEXT("uid-1")};
}

static struct wall now(void)
{
	struct clock clock = wire_clock(&bed.wire);

	return clock_wall(&clock);
}

static bool say(const char *name, const char *message, uint64_t tag)
{
	const struct body_condition condition = {.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = TEXT("Unschedulable"),
		.message = text_of(message),
		.observed_generation = 1};
	const struct body_status status = {.condition = &condition, .now = now()};
	const struct body_pod to = pod(name);

	return patcher_status(bed.patcher, &to, &status, tag);
}

static void told(uint32_t at, uint64_t tag, enum patcher_outcome outcome)
{
	TEST_ASSERT_TRUE(at < bed.told_count);
	TEST_ASSERT_EQUAL_UINT64(tag, bed.told[at].tag);
	TEST_ASSERT_EQUAL_INT(outcome, bed.told[at].outcome);
}

/* ---- one patch ---- */

static void test_a_patch(void)
{
	TEST_ASSERT_TRUE(say("a", "0/1 nodes", 7));
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES - 1, patcher_room(bed.patcher));
	TEST_ASSERT_FALSE(patcher_is_idle(bed.patcher));
	bed_until_idle(&bed, 100);
	TEST_ASSERT_EQUAL_UINT32(1, bed.seen_count);
	TEST_ASSERT_EQUAL_STRING(
		"PATCH /api/v1/namespaces/default/pods/a/status", bed.seen[0].line);
	TEST_ASSERT_EQUAL_STRING("application/strategic-merge-patch+json", bed.seen[0].type);
	TEST_ASSERT_EQUAL_STRING(
		"{\"status\":{\"conditions\":[{\"lastProbeTime\":null,"
		"\"lastTransitionTime\":\"2026-09-21T14:13:20Z\",\"message\":\"0/1 nodes\","
		"\"observedGeneration\":1,\"reason\":\"Unschedulable\",\"status\":\"False\","
		"\"type\":\"PodScheduled\"}]}}",
		bed.seen[0].body);
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_count);
	told(0, 7, PATCHER_DONE);
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES, patcher_room(bed.patcher));
	TEST_ASSERT_EQUAL_UINT64(1, patcher_stats(bed.patcher).sent);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_patch);
	return UNITY_END();
}
