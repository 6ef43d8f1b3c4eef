/* SPDX-License-Identifier: GPL-2.0-only */
/* Who wants what of a call: what must hold for every row, and what the same answer means to each.
 */
// deps: base/*.c json/*.c kube/*.c api/api_judge.c api/api_policies.c
#include <unity.h>

#include "api/api.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static enum api_verdict meaning(enum api_purpose purpose, const struct net_answer *answer)
{
	const struct api_status none = {.is_there = false};
	int64_t wait_ms;

	return api_answer_means(&api_policies[purpose], answer, &none, &wait_ms);
}

static void test_policies_every_row_is_complete(void)
{
	for (uint32_t i = 0; i < API_PURPOSES; i++) {
		const struct api_policy *p = &api_policies[i];

		TEST_ASSERT_NOT_NULL(p->name);
		TEST_ASSERT_TRUE_MESSAGE(p->backoff.first_ms > 0, p->name);
		TEST_ASSERT_TRUE_MESSAGE(p->backoff.max_ms >= p->backoff.first_ms, p->name);
		TEST_ASSERT_TRUE_MESSAGE(p->wait_max_ms > 0, p->name);
		/* Without an end it must be verified, and a verified one needs an end of faults. */
		TEST_ASSERT_EQUAL_MESSAGE(p->tries == 0, p->verifies, p->name);
		TEST_ASSERT_EQUAL_MESSAGE(p->faults > 0, p->verifies, p->name);
	}
}

static void test_policies_writes_of_pods_and_volumes_are_for_leaders_only(void)
{
	static const enum api_purpose writes[] = {API_BINDING, API_BINDING_BY_EXTENDER,
		API_STATUS_PATCH, API_EVICTION_PATCH, API_EVICTION_DELETE, API_PLUGIN_CALL};

	for (size_t i = 0; i < ARRAY_COUNT(writes); i++)
		TEST_ASSERT_TRUE(api_policies[writes[i]].leaders_only);
	TEST_ASSERT_FALSE(api_policies[API_LEASE].leaders_only);
}

static void test_judge_silence_after_sending_is_unclear_unless_repeating_is_harmless(void)
{
	const struct net_answer lost = {.result = NET_RESET, .sent = true, .retry_after_ms = -1};

	TEST_ASSERT_EQUAL(API_UNCLEAR, meaning(API_BINDING, &lost));
	TEST_ASSERT_EQUAL(API_UNCLEAR, meaning(API_EVICTION_DELETE, &lost));
	TEST_ASSERT_EQUAL(API_UNCLEAR, meaning(API_PLUGIN_CALL, &lost));
	TEST_ASSERT_EQUAL(API_RETRY, meaning(API_STATUS_PATCH, &lost));
	TEST_ASSERT_FALSE(api_answer_is_refusal(&lost));
}

static void test_judge_what_was_not_sent_was_not_done(void)
{
	const struct net_answer unsent = {
		.result = NET_CONNECT_FAILED, .sent = false, .retry_after_ms = -1};

	for (uint32_t i = 0; i < API_PURPOSES; i++)
		TEST_ASSERT_EQUAL(API_RETRY, meaning((enum api_purpose)i, &unsent));
	TEST_ASSERT_TRUE(api_answer_is_refusal(&unsent));
}

static void test_judge_half_a_success_is_believed_by_its_head_alone_where_that_suffices(void)
{
	const struct net_answer half = {
		.result = NET_RESET, .status = 200, .sent = true, .retry_after_ms = -1};

	TEST_ASSERT_EQUAL(API_UNCLEAR, meaning(API_BINDING, &half));
	TEST_ASSERT_EQUAL(API_DONE, meaning(API_STATUS_PATCH, &half));
	TEST_ASSERT_EQUAL(API_DONE, meaning(API_PLUGIN_CALL, &half));
}

static void test_judge_an_unsigned_404_says_nothing_about_a_pod(void)
{
	const struct net_answer missing = {
		.result = NET_OK, .status = 404, .sent = true, .retry_after_ms = -1};

	TEST_ASSERT_EQUAL(API_REFUSED, meaning(API_BINDING, &missing));
	TEST_ASSERT_EQUAL(API_REFUSED, meaning(API_EVICTION_DELETE, &missing));
	TEST_ASSERT_EQUAL(API_GONE, meaning(API_EVENT, &missing));
	TEST_ASSERT_EQUAL(API_GONE, meaning(API_LEASE, &missing));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_policies_every_row_is_complete);
	RUN_TEST(test_policies_writes_of_pods_and_volumes_are_for_leaders_only);
	RUN_TEST(test_judge_silence_after_sending_is_unclear_unless_repeating_is_harmless);
	RUN_TEST(test_judge_what_was_not_sent_was_not_done);
	RUN_TEST(test_judge_half_a_success_is_believed_by_its_head_alone_where_that_suffices);
	RUN_TEST(test_judge_an_unsigned_404_says_nothing_about_a_pod);
	return UNITY_END();
}
