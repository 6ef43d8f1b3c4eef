/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders against an apiserver that binds and means what it says. */
// deps: api/*.c bind/binder.c bind/binder_window.c
// deps: bind/body_binding.c
// deps: net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
// deps: tests/bind/binder_server.c tests/bind/binder_bed.c
#include "bind/binder_scenes.h"

#include <stdio.h>
#include <string.h>

#include "base/check_expected.h"

/* ---- what goes as it should ---- */

static void test_a_pod_is_bound(void)
{
	TEST_ASSERT_TRUE(binder_has_room(bed.binder));
	order(1);
	TEST_ASSERT_EQUAL(1, binder_stats(bed.binder).in_flight);
	bed_run(&bed, 100);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 1, 0);
	TEST_ASSERT_EQUAL(0, binder_stats(bed.binder).in_flight);
	TEST_ASSERT_EQUAL(1, binder_stats(bed.binder).in_flight_max);
	TEST_ASSERT_EQUAL_UINT64(1, binder_stats(bed.binder).bound);
	TEST_ASSERT_TRUE(bed.results[1].took_us >= 1000);
	TEST_ASSERT_TRUE(bed.results[1].took_us < 10 * 1000);
}

/* Names come from the apiserver: none of them may stop us. */
static void test_names_that_make_no_request(void)
{
	static char long_name[2000];
	const struct {
		const char *name, *uid, *node;
	} rows[] = {{"../x", "u", "n"}, {"", "u", "n"}, {long_name, "u", "n"},
		{"a", long_name, "n"}, {"a", "u", long_name}, {"a", "u", ""}};

	memset(long_name, '"', sizeof(long_name) - 1);
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		bed_bind(&bed, i, rows[i].name, rows[i].uid, rows[i].node);
		TEST_ASSERT_EQUAL(1, binder_stats(bed.binder).in_flight);
		bed_settle(&bed, 1);
		bed_expect(&bed, i, BINDER_REFUSED, "make no request");
	}
	TEST_ASSERT_EQUAL_UINT64(0, bed.server.bindings);
}

/* ---- answers ---- */

static void test_refusals(void)
{
	static const struct {
		int status;
		const char *body, *message;
	} rows[] = {
		{403, STATUS(403, "Forbidden", "no \\\"way\\\" in"), "no \"way\" in"},
		{422, STATUS(422, "Invalid", "what a node"), "what a node"},
		{400, STATUS(400, "BadRequest", "what a body"), "what a body"},
		{401, STATUS(401, "Unauthorized", "Unauthorized"), "Unauthorized"},
		{404, "404 page not found\n", "the apiserver answered 404"},
		{403, "", "the apiserver answered 403"},
		{403, "{\"kind\":", "the apiserver answered 403"},
		{302, "[1,2]", "the apiserver answered 302"},
	};

	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		plan_says(SERVER_SAYS, rows[i].status, "", rows[i].body);
		order(i);
		bed_settle(&bed, 100);
		bed_expect(&bed, i, BINDER_REFUSED, NULL);
		TEST_ASSERT_EQUAL_STRING(rows[i].message, bed.results[i].message);
	}
	expect_on("", ARRAY_COUNT(rows), 0);
	TEST_ASSERT_EQUAL_UINT64(ARRAY_COUNT(rows), binder_stats(bed.binder).refused);
}

static void test_a_long_message_is_cut_at_a_character(void)
{
	char body[2000] = "{\"kind\":\"Status\",\"message\":\"x", *at = body + strlen(body);

	for (uint32_t i = 0; i < 800; i++, at += 2)
		memcpy(at, "\xc3\xa9", 2);
	memcpy(at, "\"}", 3);
	plan_says(SERVER_SAYS, 403, "", body);
	order(1);
	bed_settle(&bed, 100);
	bed_expect(&bed, 1, BINDER_REFUSED, "x\xc3\xa9\xc3\xa9");
	TEST_ASSERT_EQUAL_size_t(API_MESSAGE_MAX - 1, strlen(bed.results[1].message));
	TEST_ASSERT_TRUE(text_is_utf8(text_of(bed.results[1].message)));
}

static void test_the_pod_is_gone(void)
{
	server_find(&bed.server, "a")->there = false;
	order(1);
	bed_settle(&bed, 100);
	bed_expect(&bed, 1, BINDER_LOST, "pods \"a\" not found");
	TEST_ASSERT_EQUAL_UINT64(0, bed.server.reads);
	TEST_ASSERT_EQUAL_UINT64(1, binder_stats(bed.binder).lost);
}

static void test_another_pod_has_its_name(void)
{
	bed_bind(&bed, 1, "a", "uid-b", "n1");
	bed_settle(&bed, 100);
	bed_expect(&bed, 1, BINDER_LOST, "Precondition failed");
	expect_on("", 1, 0);
}

static void test_conflicts(void)
{
	struct server_pod *pod = server_find(&bed.server, "a");

	snprintf(pod->node, sizeof(pod->node), "other");
	order(1);
	bed_settle(&bed, 100);
	bed_expect(&bed, 1, BINDER_LOST, "pod a is already assigned to node \"other\"");
	expect_on("other", 1, 1);
	/* The process before us did it. */
	snprintf(pod->node, sizeof(pod->node), "n1");
	order(2);
	bed_settle(&bed, 100);
	bed_expect(&bed, 2, BINDER_BOUND, "");
	expect_on("n1", 2, 2);
	pod->node[0] = '\0';
	pod->deleting = true;
	order(3);
	bed_settle(&bed, 100);
	bed_expect(&bed, 3, BINDER_LOST, "pod a is being deleted, cannot be assigned to a host");
	pod->deleting = false;
	pod->gated = true;
	order(4);
	bed_settle(&bed, 100);
	bed_expect(&bed, 4, BINDER_REFUSED, "pod a has non-empty gates");
	expect_on("", 4, 4);
	TEST_ASSERT_EQUAL_UINT64(0, binder_stats(bed.binder).doubted);
}

static void test_gone_after_a_conflict(void)
{
	plan_says(SERVER_SAYS, 409, "", STATUS(409, "Conflict", "whatever"));
	server_find(&bed.server, "a")->there = false;
	order(1);
	bed_settle(&bed, 100);
	bed_expect(&bed, 1, BINDER_LOST, "whatever");
	again();
	plan_says(SERVER_SAYS, 409, "", "");
	snprintf(server_find(&bed.server, "a")->uid, SERVER_TEXT_MAX, "uid-c");
	order(1);
	bed_settle(&bed, 100);
	bed_expect(&bed, 1, BINDER_LOST, "the apiserver answered 409");
}

/* ---- order in the house ---- */

static void bind_next(struct binder_bed *b, const struct binder_result *result)
{
	if (result->tag + 1 < 2000 && binder_has_room(b->binder))
		bed_bind(b, result->tag + 1, "no-such-pod", "uid", "n1");
}

static void test_done_may_order_the_next(void)
{
	bed.on_done = bind_next;
	bed_bind(&bed, 0, "../", "uid", "n1");
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 0, BINDER_REFUSED, "make no request");
	for (uint32_t i = 1; i < 2000; i++)
		bed_expect(&bed, i, BINDER_LOST, "pods \"no-such-pod\" not found");
	TEST_ASSERT_EQUAL(1, binder_stats(bed.binder).in_flight_max);
}

static void test_close_in_every_state(void)
{
	for (uint32_t i = 0; i < 6; i++) {
		again();
		plan(i == 3 ? SERVER_SILENT : SERVER_CUTS, 0);
		plan(SERVER_SILENT, 0);
		bed.server.wire.refuses = i == 1;
		if (i == 5)
			bed_bind(&bed, 1, "../", "uid", "n1"); /* an end that is not told yet */
		else
			order(1);
		if (i > 0 && i < 5)
			bed_run(&bed, i == 2 ? 300 : 50);
		bed_close_binder(&bed);
		bed_run(&bed, MINUTE_MS);
		TEST_ASSERT_EQUAL(0, bed.results[1].count);
	}
}

static void test_the_client_closes_first(void)
{
	plan(SERVER_SILENT, 0);
	order(1);
	server_add(&bed.server, "b", "uid-b");
	bed_run(&bed, 10);
	bed_bind(&bed, 2, "b", "uid-b", "n1");
	net_client_close(bed.client);
	TEST_ASSERT_EQUAL(2, binder_stats(bed.binder).in_flight); /* until it is closed */
	bed_run(&bed, MINUTE_MS);
	TEST_ASSERT_EQUAL(0, bed.results[1].count + bed.results[2].count);
	bed_close_binder(&bed);
	bed.client = NULL;
}

static void without_room(void)
{
	for (uint32_t i = 0; i <= ORDERS_MAX; i++)
		bed_bind(&bed, i, "a", "uid-a", "n1");
}

static void the_same_twice(void)
{
	order(1);
	order(1);
}

static void test_broken_invariants(void)
{
	CHECK_EXPECTED((without_room(), 0));
	again();
	CHECK_EXPECTED((the_same_twice(), 0));
}

int main(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_a_pod_is_bound);
	RUN_TEST(test_names_that_make_no_request);
	RUN_TEST(test_refusals);
	RUN_TEST(test_a_long_message_is_cut_at_a_character);
	RUN_TEST(test_the_pod_is_gone);
	RUN_TEST(test_another_pod_has_its_name);
	RUN_TEST(test_conflicts);
	RUN_TEST(test_gone_after_a_conflict);
	RUN_TEST(test_done_may_order_the_next);
	RUN_TEST(test_close_in_every_state);
	RUN_TEST(test_the_client_closes_first);
	RUN_TEST(test_broken_invariants);
	return UNITY_END();
}
