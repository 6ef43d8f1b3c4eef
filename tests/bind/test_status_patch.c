/* SPDX-License-Identifier: GPL-2.0-only */
/* Patches and victims against a server that answers as it is told, in virtual time. */
// deps: api/*.c bind/status_patch*.c bind/eviction.c bind/body_binding.c bind/body_status.c
// deps: net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/bind/status_patch_fixture.c
#include "bind/status_patch_cases.h"

#include "base/check_expected.h"

void setUp(void)
{
	says_start();
}

void tearDown(void)
{
	says_stop();
}

/* ---- one patch ---- */

static void test_a_patch(void)
{
	TEST_ASSERT_TRUE(say("a", "0/1 nodes", 7));
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES - 1, status_patcher_room(bed.patcher));
	TEST_ASSERT_FALSE(bed_is_idle(&bed));
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
	told(0, 7, API_DONE);
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES, status_patcher_room(bed.patcher));
	TEST_ASSERT_EQUAL_UINT64(1, bed_stats(&bed).sent);
}

/* ---- what answers mean ---- */

#define REPLY(code)                        \
	{                                  \
		BED_ANSWER, code, "", "{}" \
	}
#define LATER(code, time)                                           \
	{                                                           \
		BED_ANSWER, code, "Retry-After: " time "\r\n", "{}" \
	}
#define CUT                        \
	{                          \
		BED_CUT, 0, "", "" \
	}
#define SILENT                        \
	{                             \
		BED_SILENT, 0, "", "" \
	}
#define NOT_FOUND                                  \
	{                                          \
		BED_ANSWER, 404, "", BED_NOT_FOUND \
	}
#define WAITS_9                                                                              \
	LATER(429, "2"), LATER(503, "2"), LATER(500, "2"), LATER(429, "2"), LATER(504, "2"), \
		LATER(429, "2"), LATER(429, "2"), LATER(429, "2"), LATER(429, "2")

struct row {
	const char *name;
	struct bed_reply replies[ROW_REPLIES]; /* those of way 0 and status 0 are none */
	enum api_verdict outcome;
	uint32_t asked;
	int64_t min_ms, max_ms;
};

static uint32_t row_replies(const struct row *row)
{
	uint32_t count = 0;

	while (count < ROW_REPLIES && (row->replies[count].headers != NULL))
		count++;
	return count;
}

static void play_row(const struct row *row, bool victim, const struct eviction_order *order)
{
	struct bed_stats was = bed_stats(&bed);
	uint32_t asked = bed.seen_count;
	uint32_t heard = bed.told_count;
	int64_t start = bed.wire.network.now_us;

	bed_replies(&bed, row->replies, row_replies(row));
	if (victim)
		evictor_evict(bed.evictor, order);
	else
		TEST_ASSERT_TRUE_MESSAGE(say("a", row->name, 5), row->name);
	bed_until_idle(&bed, 700 * 1000);
	int64_t took = bed.wire.network.now_us - start;
	struct bed_stats is = bed_stats(&bed);

	TEST_ASSERT_EQUAL_UINT32_MESSAGE(row->asked, bed.seen_count - asked, row->name);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(heard + 1, bed.told_count, row->name);
	TEST_ASSERT_EQUAL_INT_MESSAGE(row->outcome, bed.told[heard].outcome, row->name);
	TEST_ASSERT_EQUAL_UINT64(5, bed.told[heard].tag);
	TEST_ASSERT_EQUAL(victim, bed.told[heard].evicted);
	TEST_ASSERT_TRUE_MESSAGE(took >= row->min_ms * CLOCK_MS_US, row->name);
	TEST_ASSERT_TRUE_MESSAGE(took <= row->max_ms * CLOCK_MS_US + 5000, row->name);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(row_replies(row), bed.reply_at, row->name);
	bool failed = row->outcome == API_REFUSED;

	TEST_ASSERT_EQUAL_UINT64(was.failed + (failed && !victim), is.failed);
	TEST_ASSERT_EQUAL_UINT64(was.sent + (!failed && !victim), is.sent);
	TEST_ASSERT_EQUAL_UINT64(was.evict_failed + (failed && victim), is.evict_failed);
	TEST_ASSERT_EQUAL_UINT64(was.evicted + (!failed && victim), is.evicted);
	bed_run(&bed, 1000);
}

static void test_answers_to_a_patch(void)
{
	static const struct row rows[] = {
		{"200", {REPLY(200)}, API_DONE, 1, 0, 0},
		{"201", {REPLY(201)}, API_DONE, 1, 0, 0},
		{"half a 200", {{BED_HALF, 0, "", ""}}, API_DONE, 1, 0, 0},
		{"404", {NOT_FOUND}, API_GONE, 1, 0, 0},
		{"404 of a proxy", {REPLY(404)}, API_REFUSED, 1, 0, 0},
		{"302", {REPLY(302)}, API_REFUSED, 1, 0, 0},
		{"400", {REPLY(400)}, API_REFUSED, 1, 0, 0},
		{"401", {REPLY(401)}, API_REFUSED, 1, 0, 0},
		{"403", {REPLY(403)}, API_REFUSED, 1, 0, 0},
		{"408", {REPLY(408)}, API_REFUSED, 1, 0, 0},
		{"403 later", {LATER(403, "1")}, API_REFUSED, 1, 0, 0},
		{"422", {REPLY(422)}, API_REFUSED, 1, 0, 0},
		{"504", {REPLY(504)}, API_REFUSED, 1, 0, 0},
		{"500", {REPLY(500), REPLY(200)}, API_DONE, 2, 10, 11},
		{"503", {REPLY(503), REPLY(200)}, API_DONE, 2, 10, 11},
		{"409", {REPLY(409), REPLY(409), REPLY(200)}, API_DONE, 3, 60, 66},
		{"500, then 404", {REPLY(500), NOT_FOUND}, API_GONE, 2, 10, 11},
		{"500, then 403", {REPLY(500), REPLY(403)}, API_REFUSED, 2, 10, 11},
		{"three 500", {REPLY(500), REPLY(503), REPLY(409), REPLY(200)}, API_DONE, 4, 310,
			341},
		{"four 500", {REPLY(500), REPLY(503), REPLY(409), REPLY(500)}, API_REFUSED, 4, 310,
			341},
		{"cut", {CUT, REPLY(200)}, API_DONE, 2, 10, 11},
		{"always cut", {CUT, CUT, CUT, CUT}, API_REFUSED, 4, 310, 341},
		{"silence", {SILENT, REPLY(200)}, API_DONE, 2, 10010, 10011},
		{"always silent", {SILENT, SILENT, SILENT, SILENT}, API_REFUSED, 4, 40310, 40341},
		{"429", {LATER(429, "2"), REPLY(200)}, API_DONE, 2, 2000, 2000},
		{"429 for no time", {LATER(429, "0"), REPLY(200)}, API_DONE, 2, 0, 1},
		{"429 without a time", {REPLY(429), REPLY(200)}, API_DONE, 2, 1000, 1000},
		{"429 for long", {LATER(429, "31"), REPLY(200)}, API_DONE, 2, 30000, 30000},
		{"500 for very long", {LATER(500, "86400"), REPLY(200)}, API_DONE, 2, 30000, 30000},
		{"a time in the body",
			{{BED_ANSWER, 504, "",
				 "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":3}}"},
				REPLY(200)},
			API_DONE, 2, 3000, 3000},
		{"ten waits", {WAITS_9, LATER(429, "2"), REPLY(200)}, API_DONE, 11, 20000, 20000},
		{"eleven waits", {WAITS_9, LATER(429, "2"), LATER(429, "2")}, API_REFUSED, 11,
			20000, 20000},
		{"waits are no tries",
			{REPLY(500), LATER(429, "2"), REPLY(500), LATER(503, "2"), REPLY(500),
				LATER(500, "2"), REPLY(200)},
			API_DONE, 7, 6310, 6341},
		{"tries are no waits",
			{REPLY(500), LATER(429, "2"), REPLY(500), REPLY(500), REPLY(500)},
			API_REFUSED, 5, 2310, 2341},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		play_row(&rows[i], false, NULL);
}

static void test_bodies_of_errors_that_cannot_be_read(void)
{
	static char bytes[3 * API_PIECE_MAX];
	static const char *const odd[] = {"", "{", "[]", "null", "{\"kind\":\"Status\"}",
		"<html>404 NotFound</html>", "\"NotFound\""};
	struct bed_reply reply = {BED_ANSWER, 404, "", ""};

	for (size_t i = 0; i < ARRAY_COUNT(odd); i++) {
		reply.body = odd[i];
		bed_replies(&bed, &reply, 1);
		TEST_ASSERT_TRUE(say("a", "words", 1));
		bed_until_idle(&bed, 100);
		told(bed.told_count - 1, 1, API_REFUSED);
	}
	/* Longer than what is kept of it. */
	snprintf(bytes, sizeof(bytes),
		"{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":\"%*s\"}",
		2 * API_PIECE_MAX, "x");
	reply.body = bytes;
	bed.wire.slice = 100;
	bed_replies(&bed, &reply, 1);
	TEST_ASSERT_TRUE(say("a", "words", 1));
	bed_until_idle(&bed, 100);
	told(bed.told_count - 1, 1, API_REFUSED);
}

static void test_nobody_listens(void)
{
	bed.wire.refuses = true;
	TEST_ASSERT_TRUE(say("a", "words", 1));
	bed_until_idle(&bed, 60 * 1000);
	told(0, 1, API_REFUSED);
	TEST_ASSERT_EQUAL_UINT64(api_policies[API_STATUS_PATCH].tries - 1, bed_stats(&bed).retried);
	TEST_ASSERT_TRUE(say("a", "words", 2));
	bed_run(&bed, 20);
	bed.wire.refuses = false;
	bed_until_idle(&bed, 60 * 1000);
	told(1, 2, API_DONE);
	TEST_ASSERT_EQUAL_UINT32(1, bed.seen_count);
}

/* ---- order ---- */

static void test_patches_of_one_pod_keep_their_order(void)
{
	hold_all();
	TEST_ASSERT_TRUE(say("a", "first", 1));
	TEST_ASSERT_TRUE(say("a", "second", 2));
	TEST_ASSERT_TRUE(say("b", "other", 3));
	TEST_ASSERT_TRUE(say("a", "third", 4));
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES - 4, status_patcher_room(bed.patcher));
	bed_run(&bed, 1000);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	check_asked(0, "a", "first");
	check_asked(1, "b", "other");
	bed_release(&bed, 200);
	bed_run(&bed, 1000);
	TEST_ASSERT_EQUAL_UINT32(3, bed.seen_count);
	check_asked(2, "a", "second");
	bed_release(&bed, 200);
	bed_run(&bed, 1000);
	/* One that fails takes nobody with it. */
	TEST_ASSERT_EQUAL_UINT32(3, bed.seen_count);
	bed_release(&bed, 403);
	bed_run(&bed, 1000);
	TEST_ASSERT_EQUAL_UINT32(4, bed.seen_count);
	check_asked(3, "a", "third");
	bed_release(&bed, 200);
	bed_until_idle(&bed, 1000);
	told(0, 1, API_DONE);
	told(1, 3, API_DONE);
	told(2, 2, API_REFUSED);
	told(3, 4, API_DONE);
	TEST_ASSERT_EQUAL_UINT32(4, bed.told_count);
}

static void test_a_name_is_not_part_of_another(void)
{
	hold_all();
	TEST_ASSERT_TRUE(say("a", "words", 1));
	TEST_ASSERT_TRUE(say("ab", "words", 2));
	bed_run(&bed, 1000);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
}

/* ---- victims ---- */

static struct eviction_order victim(const char *name)
{
	return (struct eviction_order){.pod = pod(name),
		.generation = 3,
		.preemptor_scheduler = TEXT("default-scheduler"),
		.tag = 5};
}

static void test_a_victim(void)
{
	const struct kube_condition ready = {.type = TEXT("Ready"), .status = TEXT("True")};
	struct eviction_order low = victim("low");

	low.old = &ready;
	low.old_count = 1;
	evictor_evict(bed.evictor, &low);
	TEST_ASSERT_EQUAL_UINT32(BED_VICTIMS - 1, evictor_room(bed.evictor));
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES, status_patcher_room(bed.patcher));
	bed_until_idle(&bed, 100);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	TEST_ASSERT_EQUAL_STRING(
		"PATCH /api/v1/namespaces/default/pods/low/status", bed.seen[0].line);
	TEST_ASSERT_EQUAL_STRING("application/strategic-merge-patch+json", bed.seen[0].type);
	TEST_ASSERT_EQUAL_STRING(
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"Ready\"},"
		"{\"type\":\"DisruptionTarget\"}],\"conditions\":[{\"lastProbeTime\":null,"
		"\"lastTransitionTime\":\"2026-09-21T14:13:20Z\","
		"\"message\":\"default-scheduler: preempting to accommodate a higher priority "
		"pod\","
		"\"observedGeneration\":3,\"reason\":\"PreemptionByScheduler\",\"status\":\"True\","
		"\"type\":\"DisruptionTarget\"}]}}",
		bed.seen[0].body);
	TEST_ASSERT_EQUAL_STRING("DELETE /api/v1/namespaces/default/pods/low", bed.seen[1].line);
	TEST_ASSERT_EQUAL_STRING("application/json", bed.seen[1].type);
	TEST_ASSERT_EQUAL_STRING(
		"{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"}", bed.seen[1].body);
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_count);
	TEST_ASSERT_TRUE(bed.told[0].evicted);
	told(0, 5, API_DONE);
	TEST_ASSERT_EQUAL_UINT32(BED_VICTIMS, evictor_room(bed.evictor));
	TEST_ASSERT_EQUAL_UINT64(1, bed_stats(&bed).evicted);
}

static void test_answers_to_an_eviction(void)
{
	static const struct row rows[] = {
		{"both", {REPLY(200), REPLY(200)}, API_DONE, 2, 0, 0},
		{"202", {REPLY(200), REPLY(202)}, API_DONE, 2, 0, 0},
		{"gone before", {NOT_FOUND}, API_GONE, 1, 0, 0},
		{"gone between", {REPLY(200), NOT_FOUND}, API_GONE, 2, 0, 0},
		{"404 of a proxy", {REPLY(404)}, API_REFUSED, 1, 0, 0},
		{"404 of a proxy at last", {REPLY(200), REPLY(404)}, API_REFUSED, 2, 0, 0},
		{"no patch", {REPLY(403)}, API_REFUSED, 1, 0, 0},
		{"no deletion", {REPLY(200), REPLY(403)}, API_REFUSED, 2, 0, 0},
		{"patch again", {REPLY(500), REPLY(409), REPLY(200), REPLY(200)}, API_DONE, 4, 60,
			66},
		{"patch never", {REPLY(500), REPLY(500), REPLY(500), REPLY(500)}, API_REFUSED, 4,
			310, 341},
		{"patch cut", {CUT, REPLY(200), REPLY(200)}, API_DONE, 3, 10, 11},
		{"deletion is not tried again: 500", {REPLY(200), REPLY(500)}, API_REFUSED, 2, 0,
			0},
		{"deletion is not tried again: 503", {REPLY(200), REPLY(503)}, API_REFUSED, 2, 0,
			0},
		{"deletion is not tried again: 409", {REPLY(200), REPLY(409)}, API_REFUSED, 2, 0,
			0},
		{"deletion is not tried again: cut", {REPLY(200), CUT}, API_REFUSED, 2, 0, 0},
		{"deletion is not tried again: silence", {REPLY(200), SILENT}, API_REFUSED, 2,
			10000, 10000},
		{"but throttled",
			{REPLY(200), LATER(429, "2"), LATER(503, "1"), REPLY(429), REPLY(200)},
			API_DONE, 5, 4000, 4000},
		{"each request has tries of its own",
			{REPLY(500), REPLY(500), REPLY(500), REPLY(200), LATER(429, "2"),
				REPLY(200)},
			API_DONE, 6, 2310, 2341},
		{"and waits", {WAITS_9, REPLY(200), LATER(429, "2"), REPLY(200)}, API_DONE, 12,
			20000, 20000},
	};
	const struct eviction_order low = victim("low");

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		play_row(&rows[i], true, &low);
}

static void test_a_victim_that_was_told_is_only_deleted(void)
{
	static const struct kube_condition target = {.type = TEXT("DisruptionTarget"),
		.status = TEXT("True"),
		.reason = TEXT("PreemptionByScheduler"),
		.message =
			TEXT("default-scheduler: preempting to accommodate a higher priority pod")};
	struct eviction_order low = victim("low");

	low.old = &target;
	low.old_count = 1;
	evictor_evict(bed.evictor, &low);
	bed_until_idle(&bed, 100);
	TEST_ASSERT_EQUAL_UINT32(1, bed.seen_count);
	TEST_ASSERT_EQUAL_STRING("DELETE /api/v1/namespaces/default/pods/low", bed.seen[0].line);
	told(0, 5, API_DONE);
}

static void test_a_victim_of_which_no_request_can_be_made(void)
{
	static char long_text[2 * 4096];
	struct eviction_order low = victim("../nodes");

	evictor_evict(bed.evictor, &low);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	bed_until_idle(&bed, 100);
	told(0, 5, API_REFUSED);
	TEST_ASSERT_EQUAL_UINT32(0, bed.seen_count);
	/* A scheduler's name of any length is one. */
	memset(long_text, '\x01', sizeof(long_text));
	low = victim("low");
	low.preemptor_scheduler = (struct text){long_text, sizeof(long_text)};
	evictor_evict(bed.evictor, &low);
	bed_until_idle(&bed, 100);
	told(1, 5, API_DONE);
	TEST_ASSERT_NOT_NULL(strstr(bed.seen[0].body, ": preempting to accommodate"));
	(void)patched_condition(&bed.seen[0]);
}

static void test_a_deletion_that_was_not_sent(void)
{
	const struct eviction_order low = victim("low");

	const struct bed_reply held = {BED_NO_ANSWER_YET, 0, "", ""};

	bed_replies(&bed, &held, 1);
	evictor_evict(bed.evictor, &low);
	bed_run(&bed, 10);
	/* The answer to the patch is the connection's last word, and nobody listens. */
	bed.wire.refuses = true;
	bed_release(&bed, 200);
	fake_server_end(&bed.wire, bed.seen[0].stream);
	bed_run(&bed, 20);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	bed.wire.refuses = false;
	bed_until_idle(&bed, 10 * 1000);
	told(0, 5, API_DONE);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	TEST_ASSERT_TRUE(bed_stats(&bed).retried > 0);
}

/* ---- side by side ---- */

static void test_victims_go_side_by_side_and_before_patches(void)
{
	struct eviction_order low[] = {victim("a"), victim("b"), victim("c"), victim("d")};

	hold_all();
	for (uint32_t i = 0; i < BED_PATCHES; i++)
		TEST_ASSERT_TRUE(say(
			(const char *[]){"p", "q", "r", "s", "t", "u", "v", "w"}[i], "words", i));
	for (uint32_t i = 0; i < ARRAY_COUNT(low); i++)
		evictor_evict(bed.evictor, &low[i]);
	TEST_ASSERT_EQUAL_UINT32(0, status_patcher_room(bed.patcher));
	TEST_ASSERT_EQUAL_UINT32(0, evictor_room(bed.evictor));
	bed_run(&bed, 1000);
	/* One connection is the lease's. */
	TEST_ASSERT_EQUAL_UINT32(BED_CONNECTIONS - 1, bed.seen_count);
	for (uint32_t i = 0; i < bed.seen_count; i++)
		check_asked(i, (const char *[]){"a", "b", "c"}[i], "DisruptionTarget");
	bed_replies(&bed, NULL, 0);
	while (bed.seen_count < 2 * ARRAY_COUNT(low) + BED_PATCHES) {
		for (uint32_t i = 1; i <= FAKE_STREAMS; i++)
			if (bed.reply_at_us[i] != 0 && bed.due[i].way == BED_NO_ANSWER_YET)
				bed.due[i] = (struct bed_reply){BED_ANSWER, 200, "", "{}"};
		bed_run(&bed, 10);
	}
	bed_until_idle(&bed, 1000);
	TEST_ASSERT_EQUAL_UINT32(ARRAY_COUNT(low) + BED_PATCHES, bed.told_count);
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES, status_patcher_room(bed.patcher));
	TEST_ASSERT_EQUAL_UINT32(BED_VICTIMS, evictor_room(bed.evictor));
}

static void test_without_room_nothing_is_taken(void)
{
	const struct eviction_order low = victim("low");

	hold_all();
	for (uint32_t i = 0; i < BED_PATCHES; i++)
		TEST_ASSERT_TRUE(say(
			(const char *[]){"p", "q", "r", "s", "t", "u", "v", "w"}[i], "words", i));
	CHECK_EXPECTED(say("x", "words", 9));
	for (uint32_t i = 0; i < BED_VICTIMS; i++)
		evictor_evict(bed.evictor, &low);
	CHECK_EXPECTED((evictor_evict(bed.evictor, &low), 0));
}

/* ---- owners ---- */

static void say_it_again(struct bed *b, const struct bed_told *heard)
{
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES, status_patcher_room(b->patcher));
	if (heard->tag < 3)
		TEST_ASSERT_TRUE(
			say("a", (const char *[]){"w1", "w2", "w3"}[heard->tag], heard->tag + 1));
}

static void test_an_owner_may_go_on_from_its_callback(void)
{
	bed.on_told = say_it_again;
	TEST_ASSERT_TRUE(say("a", "w0", 0));
	bed_until_idle(&bed, 1000);
	TEST_ASSERT_EQUAL_UINT32(4, bed.told_count);
	TEST_ASSERT_EQUAL_UINT32(4, bed.seen_count);
	check_asked(3, "a", "w3");
}

static void fill(void)
{
	static const struct bed_reply mixed[] = {
		LATER(429, "9"), {BED_NO_ANSWER_YET, 0, "", ""}, REPLY(500), LATER(429, "9")};
	const struct eviction_order low = victim("low"), bad = victim("..");

	bed_replies(&bed, mixed, ARRAY_COUNT(mixed));
	TEST_ASSERT_TRUE(say("a", "first", 1));
	TEST_ASSERT_TRUE(say("a", "second", 2));
	TEST_ASSERT_TRUE(say("b", "first", 3));
	evictor_evict(bed.evictor, &low);
	bed_run(&bed, 5);
	TEST_ASSERT_TRUE(say("c", "first", 4));
	evictor_evict(bed.evictor, &bad);
}

static void test_what_is_left_at_the_end(void)
{
	fill();
	bed_close_writers(&bed);
	bed_run(&bed, 20 * 1000);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
}

static void test_a_client_that_is_closed_first(void)
{
	fill();
	net_client_close(bed.client);
	bed.client = NULL;
	bed_run(&bed, 20 * 1000);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	TEST_ASSERT_FALSE(bed_is_idle(&bed));
}

static void test_nobody_wants_to_know(void)
{
	const struct eviction_order low = victim("low");

	bed_close_writers(&bed);
	bed_open_writers(&bed, 1, 1, false);
	TEST_ASSERT_TRUE(say("a", "words", 1));
	evictor_evict(bed.evictor, &low);
	bed_until_idle(&bed, 1000);
	TEST_ASSERT_EQUAL_UINT32(3, bed.seen_count);
}

static void test_failures_are_logged(void)
{
	static const struct bed_reply replies[] = {{BED_ANSWER, 403, "",
							   "{\"kind\":\"Status\",\"message\":\"not "
							   "allowed\",\"reason\":\"Forbidden\"}"},
		REPLY(200), CUT};
	const struct eviction_order low = victim("low");
	char lines[4096];
	int ends[2];

	TEST_ASSERT_EQUAL_INT(0, pipe(ends));
	log_setup(LOG_WARN, LOG_AS_TEXT, fake_server_clock(&bed.wire));
	log_to(ends[1]);
	bed_replies(&bed, replies, ARRAY_COUNT(replies));
	TEST_ASSERT_TRUE(say("a", "words", 1));
	bed_until_idle(&bed, 1000);
	evictor_evict(bed.evictor, &low);
	bed_until_idle(&bed, 1000);
	TEST_ASSERT_FALSE(say("..", "words", 2));
	log_to(STDERR_FILENO);
	ssize_t size = read(ends[0], lines, sizeof(lines) - 1);
	TEST_ASSERT_TRUE(size > 0);
	lines[size] = '\0';
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(lines,
			"WARN bind status-patch-failed pod=default/a requests=1 status=403 "
			"error=\"not allowed\"\n"),
		lines);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(lines,
			"WARN bind eviction-failed pod=default/low step=delete requests=1 "
			"status=0 error=\"reset: "),
		lines);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(lines, "WARN bind status-patch-failed pod=default/.. error="), lines);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_patch);
	RUN_TEST(test_answers_to_a_patch);
	RUN_TEST(test_bodies_of_errors_that_cannot_be_read);
	RUN_TEST(test_nobody_listens);
	RUN_TEST(test_patches_of_one_pod_keep_their_order);
	RUN_TEST(test_a_name_is_not_part_of_another);
	RUN_TEST(test_a_victim);
	RUN_TEST(test_answers_to_an_eviction);
	RUN_TEST(test_a_victim_that_was_told_is_only_deleted);
	RUN_TEST(test_a_victim_of_which_no_request_can_be_made);
	RUN_TEST(test_a_deletion_that_was_not_sent);
	RUN_TEST(test_victims_go_side_by_side_and_before_patches);
	RUN_TEST(test_without_room_nothing_is_taken);
	RUN_TEST(test_an_owner_may_go_on_from_its_callback);
	RUN_TEST(test_what_is_left_at_the_end);
	RUN_TEST(test_a_client_that_is_closed_first);
	RUN_TEST(test_nobody_wants_to_know);
	RUN_TEST(test_failures_are_logged);
	return UNITY_END();
}
