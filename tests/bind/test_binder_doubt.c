/* SPDX-License-Identifier: GPL-2.0-only */
/* What was cut, late, throttled or out of reach, and what the watch makes of it. */
// deps: api/*.c bind/binder.c bind/binder_window.c
// deps: bind/body_binding.c
// deps: net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
// deps: tests/bind/binder_server.c tests/bind/binder_bed.c
#include "bind/binder_scenes.h"

#include <stdio.h>

/* ---- doubt ---- */

static void test_a_request_cut_at_any_byte(void)
{
	uint32_t whole = 0;

	for (uint32_t bytes = 0; whole == 0; bytes++) {
		again();
		plan(SERVER_CUTS_REQUEST, bytes);
		order(1);
		bed_settle(&bed, MINUTE_MS);
		bed_expect(&bed, 1, BINDER_BOUND, "");
		TEST_ASSERT_EQUAL_UINT64(0, bed.server.conflicts);
		TEST_ASSERT_EQUAL_UINT64(1, bed.server.bound);
		if (bed.server.reads == 0)
			whole = bytes;
		else
			expect_on("n1", 1, 1);
	}
	TEST_ASSERT_TRUE(whole > 300);
	TEST_ASSERT_EQUAL_UINT64(0, binder_stats(bed.binder).doubted);
}

static void test_an_answer_cut_at_any_byte(void)
{
	uint32_t whole = 0;

	for (uint32_t bytes = 0; whole == 0; bytes++) {
		again();
		plan(SERVER_CUTS_ANSWER, bytes);
		order(1);
		bed_settle(&bed, MINUTE_MS);
		bed_expect(&bed, 1, BINDER_BOUND, "");
		if (bed.server.reads == 0)
			whole = bytes;
		else
			expect_on("n1", 1, 1);
		TEST_ASSERT_EQUAL_UINT64(whole == 0, binder_stats(bed.binder).doubted);
		TEST_ASSERT_EQUAL_UINT64(0, binder_stats(bed.binder).again);
	}
	TEST_ASSERT_TRUE(whole > 200);
}

static void test_a_look_cut_at_any_byte(void)
{
	uint32_t whole = 0;

	for (uint32_t bytes = 0; whole == 0; bytes++) {
		again();
		plan(SERVER_CUTS, 0);
		plan(bytes % 2 == 0 ? SERVER_CUTS_ANSWER : SERVER_CUTS_REQUEST, bytes / 2);
		order(1);
		bed_settle(&bed, MINUTE_MS);
		bed_expect(&bed, 1, BINDER_BOUND, "");
		/* The last binding, and one that came to nothing. */
		TEST_ASSERT_EQUAL_UINT64(2, bed.server.bindings);
		TEST_ASSERT_EQUAL_UINT64(1, binder_stats(bed.binder).again);
		if (bytes % 2 == 0 && bed.server.reads == 1)
			whole = bytes / 2;
	}
	TEST_ASSERT_TRUE(whole > 300);
}

static void test_silence(void)
{
	plan(SERVER_SILENT, 0);
	order(1);
	bed_run(&bed, 29 * 1000);
	TEST_ASSERT_EQUAL(0, binder_stats(bed.binder).unclear);
	bed_settle(&bed, 10 * 1000);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 2, 1);
	TEST_ASSERT_EQUAL_UINT64(1, binder_stats(bed.binder).again);
	again();
	plan(SERVER_MUTE, 0);
	plan(SERVER_SILENT, 0);
	order(1);
	bed_run(&bed, 35 * 1000);
	TEST_ASSERT_EQUAL(1, binder_stats(bed.binder).unclear);
	bed_settle(&bed, 10 * 1000);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 1, 2);
	TEST_ASSERT_TRUE(bed.results[1].took_us > 40 * CLOCK_S_US);
}

/* The first one is carried out after the second one: to the same node. */
static void test_a_binding_that_comes_late(void)
{
	server_plan(&bed.server, (struct server_plan){.way = SERVER_LATE, .delay_ms = 45 * 1000});
	order(1);
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 2, 1);
	bed_run(&bed, MINUTE_MS);
	TEST_ASSERT_EQUAL_UINT64(1, bed.server.bound);
	TEST_ASSERT_EQUAL_UINT64(1, bed.server.conflicts);
}

static void test_server_faults(void)
{
	static const char *const bodies[] = {STATUS(500, "InternalError", "etcd is away"), "oops",
		"", "{\"kind\":\"Status\",\"status\":\"Failure\"}"};

	for (uint32_t i = 0; i < ARRAY_COUNT(bodies); i++) {
		int status = i == 3 ? 200 : 500;

		again();
		plan_says(SERVER_SAYS, status, "", bodies[i]);
		order(1);
		bed_settle(&bed, 1000);
		bed_expect(&bed, 1, BINDER_BOUND, "");
		expect_on("n1", 2, 1);
		again();
		plan_says(SERVER_LIES, status, "", bodies[i]);
		order(1);
		bed_settle(&bed, 1000);
		bed_expect(&bed, 1, BINDER_BOUND, "");
		expect_on("n1", 1, 1);
	}
}

/* A server that works, and cannot do this: somebody has to be told. */
static struct server_plan never_binds(void *self, bool binding)
{
	(void)self;
	return (struct server_plan){.way = binding ? SERVER_SAYS : SERVER_WORKS,
		.status = 500,
		.body = STATUS(500, "InternalError", "a webhook is away")};
}

static struct server_plan never_binds_now(void *self, bool binding)
{
	(void)self;
	return (struct server_plan){.way = binding ? SERVER_SAYS : SERVER_WORKS,
		.status = 503,
		.headers = "Retry-After: 1\r\n",
		.body = STATUS(503, "ServiceUnavailable", "not now")};
}

static void test_server_faults_without_end(void)
{
	bed.server.choose = never_binds;
	order(1);
	bed_settle(&bed, 3 * MINUTE_MS);
	bed_expect(&bed, 1, BINDER_REFUSED, "a webhook is away");
	expect_on("", 10, 10);
	again();
	bed.server.choose = never_binds_now;
	order(1);
	bed_settle(&bed, 5 * MINUTE_MS);
	bed_expect(&bed, 1, BINDER_REFUSED, "not now");
	expect_on("", 10, 1);
}

/* 503 with a time is "not tried", but it was. */
static void test_a_conflict_that_is_our_own_success(void)
{
	plan_says(SERVER_LIES, 503, "Retry-After: 1\r\n", "");
	order(1);
	bed_settle(&bed, 10 * 1000);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 2, 1);
	TEST_ASSERT_EQUAL_UINT64(1, bed.server.conflicts);
	again();
	plan_says(SERVER_LIES, 503, "Retry-After: 1\r\n", "");
	plan_says(SERVER_SAYS, 403, "", STATUS(403, "Forbidden", "not any more"));
	order(1);
	bed_settle(&bed, 10 * 1000);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 2, 1);
}

static void test_a_refusal_after_doubt(void)
{
	plan(SERVER_CUTS, 0);
	plan(SERVER_WORKS, 0);
	plan_says(SERVER_SAYS, 403, "", STATUS(403, "Forbidden", "not any more"));
	order(1);
	bed_settle(&bed, 10 * 1000);
	bed_expect(&bed, 1, BINDER_REFUSED, "not any more");
	expect_on("", 2, 2);
}

static void test_what_a_look_finds_after_doubt(void)
{
	static const char *const messages[] = {"pods \"a\" not found", "its uid is uid-c",
		"the pod is on node other", "the pod is being deleted", "pods \"a\" not found"};

	for (uint32_t i = 0; i < ARRAY_COUNT(messages); i++) {
		again();
		struct server_pod *pod = server_find(&bed.server, "a");

		plan_says(SERVER_SAYS, 500, "", STATUS(500, "InternalError", "oops"));
		pod->there = i != 0;
		snprintf(pod->uid, sizeof(pod->uid), "%s", i == 1 ? "uid-c" : "uid-a");
		snprintf(pod->node, sizeof(pod->node), "%s", i == 2 ? "other" : "");
		pod->deleting = i == 3;
		if (i == 4) { /* on a node, and gone from there */
			snprintf(pod->node, sizeof(pod->node), "n1");
			pod->there = false;
		}
		order(1);
		bed_settle(&bed, 1000);
		bed_expect(&bed, 1, BINDER_LOST, messages[i]);
		TEST_ASSERT_EQUAL_UINT64(1, bed.server.bindings);
		TEST_ASSERT_EQUAL_UINT64(1, bed.server.reads);
	}
	/* On our node and on its way out: it is bound. */
	again();
	plan_says(SERVER_LIES, 500, "", "");
	server_find(&bed.server, "a")->deleting = false;
	order(1);
	bed_run(&bed, 50);
	server_find(&bed.server, "a")->deleting = true;
	bed_settle(&bed, 1000);
	bed_expect(&bed, 1, BINDER_BOUND, "");
}

static void test_looks_that_say_nothing(void)
{
	static const struct {
		int status;
		const char *body;
	} rows[] = {{500, ""}, {404, "404 page not found"}, {404, STATUS(404, "Other", "x")},
		{200, "<html>"}, {200, ""},
		{200, "{\"kind\":\"Node\",\"metadata\":{\"uid\":\"uid-a\"}}"},
		{200, "{\"kind\":\"Pod\",\"metadata\":{},\"spec\":{\"nodeName\":\"n1\"}}"},
		{200,
			"{\"kind\":\"Pod\",\"metadata\":{\"uid\":\"uid-a\"},\"spec\":{\"nodeName\":"
			"\"n1\"}"},
		{403, STATUS(403, "Forbidden", "cannot get pods")}, {201, "{}"}};

	plan(SERVER_CUTS, 0);
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
		plan_says(SERVER_SAYS, rows[i].status, "", rows[i].body);
	plan(SERVER_CUTS, 0);
	plan(SERVER_SILENT, 0);
	order(1);
	bed_settle(&bed, 10 * MINUTE_MS);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 2, ARRAY_COUNT(rows) + 3);
	/* 0.1 s, doubled eleven times, at most 20 s, each half as long again at most */
	TEST_ASSERT_TRUE(bed.results[1].took_us > 100 * (int64_t)CLOCK_S_US);
	TEST_ASSERT_TRUE(bed.results[1].took_us < 170 * (int64_t)CLOCK_S_US);
	again();
	plan(SERVER_CUTS, 0);
	plan_says(SERVER_SAYS, 429, "Retry-After: 17\r\n", "");
	order(1);
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	TEST_ASSERT_TRUE(bed.results[1].took_us >= 17 * CLOCK_S_US);
}

static void bind_another(struct binder_bed *b, const struct binder_result *result)
{
	if (result->tag > 0 && b->server.wire.network.now_us < 20 * CLOCK_S_US)
		bed_bind(b, result->tag, "no-such-pod", "uid", "n1");
}

/* However many bindings there are: who is in doubt does not wait for their end. */
static void test_certainty_comes_before_the_next(void)
{
	bed_stop(&bed);
	bed_start(&bed, ORDERS_MAX, 4, 1);
	server_add(&bed.server, "a", "uid-a");
	bed.server.latency_us = 50 * 1000;
	bed.on_done = bind_another;
	plan(SERVER_CUTS, 0);
	bed_bind(&bed, 0, "a", "uid-a", "n1");
	bed_run(&bed, 10);
	for (uint32_t i = 1; binder_has_room(bed.binder); i++)
		bed_bind(&bed, i, "no-such-pod", "uid", "n1");
	bed_settle(&bed, MINUTE_MS);
	bed_expect(&bed, 0, BINDER_BOUND, "");
	TEST_ASSERT_TRUE(bed.results[0].at_us < CLOCK_S_US);
	TEST_ASSERT_TRUE(bed.results[1].count > 100);
}

/* ---- not now ---- */

static void test_throttled(void)
{
	static const struct {
		int status;
		const char *headers;
		int64_t wait_ms, pause_ms;
	} rows[] = {{429, "Retry-After: 5\r\n", 5000, 5000}, {429, "", 1000, 1000},
		{429, "Retry-After: 0\r\n", 100, 0}, {503, "Retry-After: 2\r\n", 2000, 2000},
		{429, "Retry-After: 7000\r\n", 60000, 60000}};

	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		again();
		plan_says(SERVER_SAYS, rows[i].status, rows[i].headers, "Too many requests");
		order(1);
		bed_run(&bed, 10);
		int64_t from_us = bed.server.wire.network.now_us;

		TEST_ASSERT_EQUAL_UINT64(1, binder_stats(bed.binder).throttled);
		TEST_ASSERT_EQUAL(4, binder_stats(bed.binder).window);
		TEST_ASSERT_EQUAL(rows[i].pause_ms == 0, binder_has_room(bed.binder));
		if (rows[i].pause_ms > 0) {
			bed_run(&bed, rows[i].pause_ms - 20);
			TEST_ASSERT_FALSE(binder_has_room(bed.binder));
			bed_run(&bed, 20);
			TEST_ASSERT_TRUE(binder_has_room(bed.binder));
		}
		bed_settle(&bed, 2 * rows[i].wait_ms);
		bed_expect(&bed, 1, BINDER_BOUND, "");
		expect_on("n1", 2, 0);
		TEST_ASSERT_TRUE(
			bed.results[1].at_us - from_us >= (rows[i].wait_ms - 20) * CLOCK_MS_US);
		TEST_ASSERT_TRUE(bed.results[1].at_us - from_us <=
			(rows[i].wait_ms * 3 / 2 + 20) * CLOCK_MS_US);
	}
}

/* The head of a 429 says all; what follows may not come. */
static void test_throttled_and_cut(void)
{
	bool by_head = false;

	for (uint32_t bytes = 1; bytes < 130; bytes++) {
		again();
		server_plan(&bed.server,
			(struct server_plan){.way = SERVER_SAYS,
				.status = 429,
				.body = "Too many requests",
				.bytes = bytes});
		order(1);
		bed_run(&bed, 10);
		struct binder_stats stats = binder_stats(bed.binder);

		TEST_ASSERT_EQUAL_UINT64(1, stats.throttled + stats.doubted);
		TEST_ASSERT_TRUE(!by_head || stats.throttled == 1);
		by_head = stats.throttled == 1;
		bed_settle(&bed, MINUTE_MS);
		bed_expect(&bed, 1, BINDER_BOUND, "");
		expect_on("n1", 2, by_head ? 0 : 1);
	}
	TEST_ASSERT_TRUE(by_head);
}

/* ---- a server that is away ---- */

static void order_many(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char name[16], uid[16];

		snprintf(name, sizeof(name), "p%u", (unsigned)i);
		snprintf(uid, sizeof(uid), "uid-%u", (unsigned)i);
		server_add(&bed.server, name, uid);
		bed_bind(&bed, i, name, uid, "n1");
	}
}

static void expect_many(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		bed_expect(&bed, i, BINDER_BOUND, "");
	TEST_ASSERT_EQUAL_UINT64(count, bed.server.bound);
	TEST_ASSERT_EQUAL(0, binder_stats(bed.binder).unclear);
}

static void test_away_before(void)
{
	bed.server.wire.refuses = true;
	order_many(8);
	TEST_ASSERT_FALSE(binder_has_room(bed.binder));
	bed_run(&bed, 5 * MINUTE_MS);
	TEST_ASSERT_EQUAL(8, binder_stats(bed.binder).in_flight);
	TEST_ASSERT_EQUAL(0, binder_stats(bed.binder).unclear);
	TEST_ASSERT_EQUAL_UINT64(0, binder_stats(bed.binder).doubted);
	/* Not a connection after the other. */
	TEST_ASSERT_TRUE(bed.server.wire.opened < 8 * 30);
	bed.server.wire.refuses = false;
	bed_settle(&bed, 31 * 1000);
	expect_many(8);
	TEST_ASSERT_EQUAL_UINT64(8, bed.server.bindings);
	TEST_ASSERT_EQUAL_UINT64(0, bed.server.reads);
}

/* The first half was carried out, nobody was told, and then all went dark. */
static void test_away_behind_the_write(void)
{
	for (uint32_t i = 0; i < 8; i++)
		plan(i < 4 ? SERVER_MUTE : SERVER_SILENT, 0);
	order_many(8);
	bed_run(&bed, 20);
	TEST_ASSERT_EQUAL_UINT64(8, bed.server.bindings);
	fake_server_cut_all(&bed.server.wire);
	bed.server.wire.refuses = true;
	bed_run(&bed, 5 * MINUTE_MS);
	TEST_ASSERT_EQUAL(8, binder_stats(bed.binder).unclear);
	/* They wait for certainty, and others may try. */
	TEST_ASSERT_TRUE(binder_has_room(bed.binder));
	bed.server.wire.refuses = false;
	bed_settle(&bed, 31 * 1000);
	expect_many(8);
	TEST_ASSERT_EQUAL_UINT64(12, bed.server.bindings);
	TEST_ASSERT_EQUAL_UINT64(0, bed.server.conflicts);
	/* Who comes first finds the server back for all. */
	int64_t first_us = INT64_MAX, last_us = 0;

	for (uint32_t i = 0; i < 8; i++) {
		int64_t at_us = bed.results[i].at_us;

		first_us = at_us < first_us ? at_us : first_us;
		last_us = at_us > last_us ? at_us : last_us;
	}
	TEST_ASSERT_TRUE(last_us - first_us < 1500 * CLOCK_MS_US);
}

/* ---- who leads no more ---- */

static void test_nothing_is_sent_while_standing_by(void)
{
	bed.stands_by = true;
	order(1);
	bed_run(&bed, 5 * MINUTE_MS);
	expect_on("", 0, 0);
	TEST_ASSERT_EQUAL(1, binder_stats(bed.binder).in_flight);
	bed.stands_by = false;
	bed_settle(&bed, 31 * 1000);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	again();
	plan(SERVER_CUTS, 0);
	order(1);
	bed_run(&bed, 1);
	bed.asked_to = 0;
	bed.stands_by = true;
	bed_run(&bed, 5 * MINUTE_MS);
	expect_on("", 1, 1);
	TEST_ASSERT_EQUAL(1, binder_stats(bed.binder).in_flight);
	TEST_ASSERT_TRUE(bed.asked_to > 5);
	bed.stands_by = false;
	bed_settle(&bed, 31 * 1000);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	expect_on("n1", 2, 1);
	again();
	bed.stands_by = true;
	bed.server.wire.refuses = true;
	order(1);
	bed_run(&bed, 1000);
	bed.server.wire.refuses = false;
	bed_run(&bed, 5 * MINUTE_MS);
	TEST_ASSERT_EQUAL_UINT64(0, bed.server.bindings);
	binder_seen(bed.binder, 1, false);
	bed_settle(&bed, 1);
	bed_expect(&bed, 1, BINDER_LOST, "the watch saw");
}

/* ---- the watch ---- */

static void run_to(bool unclear)
{
	for (uint32_t i = 0; i < 100; i++) {
		bed_run(&bed, 1);
		struct binder_stats stats = binder_stats(bed.binder);

		if (unclear ? stats.unclear == 1 : bed.server.wire.opened > 0)
			return;
	}
	TEST_FAIL_MESSAGE("it does not come to that");
}

static void test_seen_while_in_doubt(void)
{
	for (uint32_t ours = 0; ours < 2; ours++) {
		again();
		plan(SERVER_CUTS, 0);
		order(1);
		run_to(true);
		binder_seen(bed.binder, 2, true);
		binder_seen(bed.binder, 1, ours == 1);
		binder_seen(bed.binder, 1, ours != 1); /* too late */
		TEST_ASSERT_EQUAL(0, bed.results[1].count);
		bed_settle(&bed, 1);
		bed_expect(&bed, 1, ours == 1 ? BINDER_BOUND : BINDER_LOST,
			ours == 1 ? "" : "the watch saw");
		TEST_ASSERT_EQUAL_UINT64(0, bed.server.reads);
		bed_run(&bed, MINUTE_MS);
		TEST_ASSERT_EQUAL(1, bed.results[1].count);
	}
}

static void test_seen_while_it_waits_to_be_sent(void)
{
	bed.server.wire.refuses = true;
	order(1);
	bed_run(&bed, 1000);
	binder_seen(bed.binder, 1, false);
	bed_settle(&bed, 1);
	bed_expect(&bed, 1, BINDER_LOST, "the watch saw");
	bed.server.wire.refuses = false;
	bed_run(&bed, MINUTE_MS);
	TEST_ASSERT_EQUAL_UINT64(0, bed.server.bindings);
}

/* The answer is still due, and it is what counts - unless it says nothing. */
static void test_seen_before_the_answer(void)
{
	static const struct {
		enum server_way way;
		int status;
		bool ours;
		enum binder_outcome outcome;
		uint32_t reads;
	} rows[] = {{SERVER_WORKS, 0, true, BINDER_BOUND, 0},
		{SERVER_WORKS, 0, false, BINDER_BOUND, 0}, {SERVER_CUTS, 0, true, BINDER_BOUND, 0},
		{SERVER_CUTS, 0, false, BINDER_LOST, 0}, {SERVER_SAYS, 500, true, BINDER_BOUND, 0},
		{SERVER_SAYS, 429, false, BINDER_LOST, 0},
		{SERVER_SAYS, 409, true, BINDER_BOUND, 0},
		{SERVER_SAYS, 403, true, BINDER_REFUSED, 0}};

	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		again();
		server_plan(&bed.server,
			(struct server_plan){
				.way = rows[i].way, .status = rows[i].status, .delay_ms = 100});
		order(1);
		bed_run(&bed, 50);
		binder_seen(bed.binder, 1, rows[i].ours);
		bed_run(&bed, 40);
		TEST_ASSERT_EQUAL(0, bed.results[1].count);
		bed_settle(&bed, 100);
		bed_expect(&bed, 1, rows[i].outcome, NULL);
		TEST_ASSERT_EQUAL_UINT64(rows[i].reads, bed.server.reads);
	}
}

static void test_seen_while_the_pod_is_read(void)
{
	for (uint32_t ours = 0; ours < 2; ours++) {
		again();
		plan(SERVER_CUTS, 0);
		server_plan(&bed.server, (struct server_plan){.delay_ms = 500});
		order(1);
		bed_run(&bed, 300);
		TEST_ASSERT_EQUAL_UINT64(1, bed.server.reads);
		binder_seen(bed.binder, 1, ours == 1);
		bed_settle(&bed, 1000);
		/* It was seen unbound, but that was before. */
		bed_expect(&bed, 1, ours == 1 ? BINDER_BOUND : BINDER_LOST, NULL);
		TEST_ASSERT_EQUAL_UINT64(1, bed.server.bindings);
	}
}

int main(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_a_request_cut_at_any_byte);
	RUN_TEST(test_an_answer_cut_at_any_byte);
	RUN_TEST(test_a_look_cut_at_any_byte);
	RUN_TEST(test_silence);
	RUN_TEST(test_a_binding_that_comes_late);
	RUN_TEST(test_server_faults);
	RUN_TEST(test_server_faults_without_end);
	RUN_TEST(test_a_conflict_that_is_our_own_success);
	RUN_TEST(test_a_refusal_after_doubt);
	RUN_TEST(test_what_a_look_finds_after_doubt);
	RUN_TEST(test_looks_that_say_nothing);
	RUN_TEST(test_throttled);
	RUN_TEST(test_throttled_and_cut);
	RUN_TEST(test_away_before);
	RUN_TEST(test_away_behind_the_write);
	RUN_TEST(test_nothing_is_sent_while_standing_by);
	RUN_TEST(test_seen_while_in_doubt);
	RUN_TEST(test_seen_while_it_waits_to_be_sent);
	RUN_TEST(test_seen_before_the_answer);
	RUN_TEST(test_seen_while_the_pod_is_read);
	RUN_TEST(test_certainty_comes_before_the_next);
	return UNITY_END();
}
