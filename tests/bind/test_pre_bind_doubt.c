/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims of placed pods: answers that leave it open what became of a write. */
// deps: base/*.c json/*.c kube/*.c cache/*.c net/*.c tls/*.c http/*.c api/*.c bind/body_*.c
// deps: bind/pre_bind*.c cycle/binding_points.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/bind/pre_bind_bed.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "bind/pre_bind_bed.h"

void setUp(void)
{
	bed_start(1);
}

void tearDown(void)
{
	bed_stop();
}

#define MINUTES(n) ((int64_t)(n)*60 * 1000)

/* Until the doubt, or right behind it. */
static void begin_unclear(enum bed_way way, int64_t ms)
{
	static struct bed_plan plans[2];
	plans[0] = (struct bed_plan){.way = BED_WORKS};
	plans[1] = (struct bed_plan){.way = way, .status = 500};
	bed_plans(plans, 2);
	bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(ms);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	TEST_ASSERT_EQUAL_UINT64(1, pre_bind_stats(bed.pre_bind).unclear);
}

static void try_unclear(enum bed_way way, int64_t ms)
{
	begin_unclear(way, ms);
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&picture.cache.assumed));
	bed_show(bed_find(true, "v"));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	bed_bind("c", "v");
	bed_run(100);
	bed_expect(1, true, "");
	bed_expect_clean();
}

static void test_cut_off_yet_the_watch_shows_it(void)
{
	try_unclear(BED_DONE_CUTS, 100);
}

static void test_silent_yet_the_watch_shows_it(void)
{
	try_unclear(BED_DONE_SILENT, api_policies[API_PLUGIN_CALL].silence_ms + 100);
}

static void test_an_error_yet_the_watch_shows_it(void)
{
	try_unclear(BED_LIES, 100);
}

static void test_the_watch_shows_nothing(void)
{
	begin_unclear(BED_LIES, 100);
	bed_run(VOLUME_DOUBT_MS);
	bed_expect(1, false, "the apiserver answered 500");
	bed_expect_clean();
}

static void test_the_watch_is_faster_than_the_answer(void)
{
	static const struct bed_plan plans[] = {{.way = BED_WORKS}, {.way = BED_DONE_SILENT}};
	struct bed_object *v = bed_volume("v", "a");
	bed_plans(plans, 2);
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	bed_show(v);
	bed_bind("c", "v");
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	bed_run(api_policies[API_PLUGIN_CALL].silence_ms);
	bed_expect(1, true, "");
	bed_expect_clean();
}

/* It may have happened at the first time, so that a refusal is not the last word. */
static void test_refused_after_it_may_have_happened(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_WORKS},
		{.way = BED_LIES, .status = 503, .headers = "Retry-After: 1\r\n"},
		{.way = BED_SAYS, .status = 403},
	};
	bed_plans(plans, 3);
	bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(2000);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	bed_show(bed_find(true, "v"));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
}

/* It is seen before the second attempt is refused. */
static void test_a_conflict_with_what_is_seen(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_WORKS},
		{.way = BED_LIES, .status = 503, .headers = "Retry-After: 1\r\n"},
	};
	struct bed_object *v = bed_volume("v", "a");
	bed_plans(plans, 2);
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(500);
	bed_show(v);
	bed_run(1000);
	TEST_ASSERT_EQUAL_UINT32(3, bed.seen_count);
	TEST_ASSERT_EQUAL_UINT64(0, pre_bind_stats(bed.pre_bind).unclear);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
}

/* A claim of the same name, made anew, is not ours. */
static void test_another_claim_in_doubt(void)
{
	begin_unclear(BED_CUTS, 100);
	struct bed_object *v = bed_find(true, "v");
	snprintf(v->claim, sizeof(v->claim), "c");
	snprintf(v->claim_namespace, sizeof(v->claim_namespace), "default");
	snprintf(v->claim_uid, sizeof(v->claim_uid), "another");
	bed_change(v);
	bed_show(v);
	bed_run(100);
	bed_expect(1, false, "reset: the server closed the connection");
	bed_expect_clean();
}

/* Done or not: the volume says all of it already. */
static void test_nothing_to_doubt(void)
{
	static const struct bed_plan plans[] = {{.way = BED_WORKS}, {.way = BED_CUTS}};
	struct bed_object *c = bed_claim("c"), *v = bed_volume("v", "a");
	bed_plans(plans, 2);
	snprintf(v->claim, sizeof(v->claim), "c");
	snprintf(v->claim_namespace, sizeof(v->claim_namespace), "default");
	snprintf(v->claim_uid, sizeof(v->claim_uid), "%s", c->uid);
	bed_change(v);
	bed_show(v);
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT64(1, pre_bind_stats(bed.pre_bind).unclear);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
}

static void test_the_volume_is_gone_in_doubt(void)
{
	begin_unclear(BED_CUTS, 100);
	bed_delete(bed_find(true, "v"));
	bed_run(100);
	bed_expect(1, false, "reset: the server closed the connection");
	bed_expect_clean();
}

static void test_it_did_not_happen(void)
{
	begin_unclear(BED_SILENT, api_policies[API_PLUGIN_CALL].silence_ms + 100);
	struct bed_object *v = bed_find(true, "v");
	snprintf(v->claim, sizeof(v->claim), "other");
	snprintf(v->claim_namespace, sizeof(v->claim_namespace), "default");
	snprintf(v->claim_uid, sizeof(v->claim_uid), "other-uid");
	bed_change(v);
	bed_show(v);
	bed_run(10);
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_tags[1]);
	TEST_ASSERT_EQUAL_STRING_LEN("timeout: ", bed.told[0].message, 9);
	bed_expect_clean();
}

/* 503 with a time, yet it had happened: the second one meets a conflict, which is looked into. */
static void test_a_conflict_with_ourselves(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_WORKS},
		{.way = BED_LIES, .status = 503, .headers = "Retry-After: 1\r\n"},
	};
	struct bed_object *v = bed_volume("v", "a");
	bed_plans(plans, 2);
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(2000);
	TEST_ASSERT_EQUAL_UINT32(3, bed.seen_count);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	bed_show(v);
	bed_bind("c", "v");
	bed_run(100);
	bed_expect(1, true, "");
	bed_expect_clean();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_cut_off_yet_the_watch_shows_it);
	RUN_TEST(test_silent_yet_the_watch_shows_it);
	RUN_TEST(test_an_error_yet_the_watch_shows_it);
	RUN_TEST(test_the_watch_shows_nothing);
	RUN_TEST(test_the_watch_is_faster_than_the_answer);
	RUN_TEST(test_refused_after_it_may_have_happened);
	RUN_TEST(test_a_conflict_with_what_is_seen);
	RUN_TEST(test_another_claim_in_doubt);
	RUN_TEST(test_nothing_to_doubt);
	RUN_TEST(test_the_volume_is_gone_in_doubt);
	RUN_TEST(test_it_did_not_happen);
	RUN_TEST(test_a_conflict_with_ourselves);
	return UNITY_END();
}
