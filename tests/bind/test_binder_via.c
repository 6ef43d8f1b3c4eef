/* SPDX-License-Identifier: GPL-2.0-only */
/* Bindings by way of an extender: at most once, however little it says. */
// deps: api/*.c bind/binder.c bind/binder_window.c
// deps: bind/body_binding.c
// deps: net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
// deps: tests/bind/binder_server.c tests/bind/binder_bed.c
#include "bind/binder_scenes.h"

#include <stdio.h>

#define URL "http://e/x/bind"

/* The apiserver of the bed answers for the extender, too. */
static void order_via(uint64_t tag, const char *name, const char *uid)
{
	const struct binder_order order = {
		.pod = {TEXT("default"), text_of(name), text_of(uid)},
		.node = TEXT("n1"),
		.via = {bed.client, TEXT(URL), TEXT("/x/bind"), 5000},
		.tag = tag,
	};

	TEST_ASSERT_TRUE(binder_has_room_via(bed.binder));
	binder_bind(bed.binder, &order);
}

static void test_it_binds(void)
{
	order_via(1, "a", "uid-a");
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 1, 0);
}

static void test_a_refusal_is_looked_into(void)
{
	plan_says(SERVER_SAYS, 200, NULL, "{\"Error\":\"not today\"}");
	order_via(1, "a", "uid-a");
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 1, BINDER_REFUSED, "not today");
	expect_on("", 1, 1);

	again();
	plan_says(SERVER_LIES, 200, NULL, "{\"error\":\"not today\"}");
	order_via(1, "a", "uid-a");
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 1, 1);
}

static void test_answers_that_are_none(void)
{
	static const struct {
		int status;
		const char *body;
		const char *message;
	} cases[] = {
		{500, "{\"Error\":\"\"}", "failed x/bind with extender at URL " URL ", code 500"},
		{201, "{\"Error\":\"\"}", "failed x/bind with extender at URL " URL ", code 201"},
		{200, "{\"Error\":",
			"failed x/bind with extender at URL " URL ", code 200: not JSON"},
		{200, "", "failed x/bind with extender at URL " URL ", code 200: not JSON"},
	};

	for (uint32_t i = 0; i < 2 * ARRAY_COUNT(cases); i++) {
		bool done = i % 2 == 1;

		again();
		plan_says(done ? SERVER_LIES : SERVER_SAYS, cases[i / 2].status, NULL,
			cases[i / 2].body);
		order_via(1, "a", "uid-a");
		bed_settle(&bed, MINUTE_MS);
		bed_expect(&bed, 1, done ? BINDER_BOUND : BINDER_REFUSED,
			done ? "" : cases[i / 2].message);
		expect_on(done ? "n1" : "", 1, 1);
	}
}

static void test_an_answer_cut_at_any_byte(void)
{
	bool whole = false;

	for (uint32_t bytes = 0; !whole; bytes++) {
		again();
		plan(SERVER_CUTS_ANSWER, bytes);
		order_via(1, "a", "uid-a");
		bed_settle(&bed, MINUTE_MS);
		bed_expect(&bed, 1, BINDER_BOUND, "");
		whole = bed.server.reads == 0;
		expect_on("n1", 1, whole ? 0 : 1);
	}
}

/* Twice, then the pod is tried anew; what may still come is to the same node. */
static void test_silence(void)
{
	plan(SERVER_SILENT, 0);
	plan(SERVER_WORKS, 0); /* the look */
	plan(SERVER_SILENT, 0);
	order_via(1, "a", "uid-a");
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 1, BINDER_REFUSED, "Post \"" URL "\": timeout");
	expect_on("", 2, 2);

	again();
	plan(SERVER_MUTE, 0);
	order_via(1, "a", "uid-a");
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 1, 1);
}

static void test_nobody_there(void)
{
	bed.server.wire.refuses = true;
	order_via(1, "a", "uid-a");
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 1, BINDER_REFUSED, "Post \"" URL "\": connect-failed");
	expect_on("", 0, 0);
}

static void test_slow_ones_leave_room_for_others(void)
{
	for (uint32_t i = 0; i < BINDER_VIAS_MAX; i++) {
		char name[16], uid[16];

		snprintf(name, sizeof(name), "p%u", (unsigned)i);
		snprintf(uid, sizeof(uid), "uid-%u", (unsigned)i);
		server_add(&bed.server, name, uid);
		plan(SERVER_SILENT, 0);
		order_via(10 + i, name, uid);
	}
	TEST_ASSERT_FALSE(binder_has_room_via(bed.binder));
	bed_run(&bed, 100);
	TEST_ASSERT_TRUE(binder_has_room(bed.binder));
	order(1);
	bed_run(&bed, 100);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	bed_settle(&bed, MINUTE_MS);
	for (uint32_t i = 0; i < BINDER_VIAS_MAX; i++)
		bed_expect(&bed, 10 + i, BINDER_BOUND, ""); /* the second time it works */
	TEST_ASSERT_TRUE(binder_has_room_via(bed.binder));
}

int main(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_it_binds);
	RUN_TEST(test_a_refusal_is_looked_into);
	RUN_TEST(test_answers_that_are_none);
	RUN_TEST(test_an_answer_cut_at_any_byte);
	RUN_TEST(test_silence);
	RUN_TEST(test_nobody_there);
	RUN_TEST(test_slow_ones_leave_room_for_others);
	return UNITY_END();
}
