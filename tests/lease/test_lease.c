/* SPDX-License-Identifier: GPL-2.0-only */
/* One that leads: how it comes to it, how long it lasts, and what may come between. */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c api/*.c lease/*.c
// deps: tests/lease/town.c tests/lease/members.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lease/members.h"

void setUp(void)
{
	members_init();
}

void tearDown(void)
{
	members_free();
}

/* ---- one alone ---- */

static void test_creates_and_renews(void)
{
	member_start(0);
	until_leads(0, 100);
	TEST_ASSERT_EQUAL_UINT32(1, model.gets);
	TEST_ASSERT_EQUAL_UINT32(1, model.posts);
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":0"));
	TEST_ASSERT_TRUE(put_has("\"leaseDurationSeconds\":15"));
	town_run(&town, 20 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, model.gets);
	TEST_ASSERT_TRUE(model.puts == 9 || model.puts == 10);
	TEST_ASSERT_EQUAL_STRING(
		"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"
		"?timeout=5s",
		model.last_path);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].gained);
	TEST_ASSERT_EQUAL_UINT32(0, members[0].lost);
	struct lease_stats stats = lease_stats(members[0].lease);

	TEST_ASSERT_EQUAL_STRING("leading", stats.state);
	TEST_ASSERT_TRUE(text_is_z(stats.holder, "a"));
	TEST_ASSERT_TRUE(text_is_z(stats.uid, model.uid));
	TEST_ASSERT_EQUAL_UINT64(1 + model.puts, stats.renewed);
	TEST_ASSERT_EQUAL_UINT64(0, stats.failures);
}

enum { MEMORY = 1 << 20 };

static void test_names_that_are_none(void)
{
	struct lease_setup setup = {.entropy = entropy_seeded(&dice),
		.namespace = TEXT("kube-system"),
		.name = TEXT("a/b"),
		.identity = TEXT("me"),
		.duration_ms = 15000,
		.renew_deadline_ms = 10000,
		.retry_period_ms = 2000,
		.changed = member_changed};
	static char long_name[LEASE_IDENTITY_MAX + 1];
	struct arena arena;
	uint8_t *memory = malloc(MEMORY);

	memset(long_name, 'x', sizeof(long_name));
	arena_init(&arena, memory, MEMORY);
	setup.arena = &arena;
	setup.client = api_client_open(
		&(struct api_setup){.arena = &arena, .entropy = setup.entropy, .answers_max = 1});
	TEST_ASSERT_NULL(lease_init(&setup));
	setup.name = TEXT("kube-scheduler");
	setup.namespace = TEXT("");
	TEST_ASSERT_NULL(lease_init(&setup));
	setup.namespace = TEXT("kube-system");
	setup.identity = (struct text){long_name, sizeof(long_name)};
	TEST_ASSERT_NULL(lease_init(&setup));
	setup.identity.size--;
	struct lease *lease = lease_init(&setup);

	TEST_ASSERT_NOT_NULL(lease);
	TEST_ASSERT_FALSE(lease_holds(lease, (struct mono){0}));
	lease_close(lease);
	api_client_close(setup.client);
	free(memory);
}

static void test_labels_and_annotations_stay(void)
{
	member_start(0);
	until_leads(0, 100);
	snprintf(model.labels, sizeof(model.labels), "\"team\":\"st\\u00fcck\\n\"");
	model.version++;
	town_run(&town, 6000);
	TEST_ASSERT_TRUE(holds(0));
	TEST_ASSERT_EQUAL_UINT32(1, model.conflicts);
	TEST_ASSERT_EQUAL_STRING("\"team\":\"stück\\n\"", model.labels);
	TEST_ASSERT_EQUAL_UINT32(0, members[0].lost);
}

/* ---- the end of a hold ---- */

static void test_lost_when_it_cannot_be_renewed(void)
{
	member_start(0);
	until_leads(0, 100);
	town_run(&town, 5000);
	int64_t renewed = lease_stats(members[0].lease).renewed_at.us;

	model.status = 500;
	while (holds(0))
		town_run(&town, 1);
	TEST_ASSERT_INT64_WITHIN(2 * CLOCK_MS_US, renewed + DEADLINE_S * CLOCK_S_US, town.now_us);
	TEST_ASSERT_FALSE(members[0].leads);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
	model.status = 0;
	until_leads(0, 4500);
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":0"));
	TEST_ASSERT_EQUAL_UINT64(1, lease_stats(members[0].lease).lost);
	TEST_ASSERT_EQUAL_UINT64(2, lease_stats(members[0].lease).acquired);
}

/* What counts is when it was sent, not when the answer came. */
static void test_hold_counts_from_sending(void)
{
	member_start(0);
	fate_now.back_us = 4 * CLOCK_S_US;
	town_run(&town, 8000); /* a look and a write of 4 s each, just not */
	TEST_ASSERT_FALSE(holds(0));
	fate_now.lost = true;
	until_leads(0, 100);
	int64_t sent = lease_stats(members[0].lease).renewed_at.us;

	TEST_ASSERT_INT64_WITHIN(100 * CLOCK_MS_US, town.now_us - 4 * CLOCK_S_US, sent);
	while (holds(0))
		town_run(&town, 1);
	TEST_ASSERT_INT64_WITHIN(2 * CLOCK_MS_US, sent + DEADLINE_S * CLOCK_S_US, town.now_us);
}

/* By the clock alone, before any turn; and it is told in the first turn, first thing. */
static void test_stopped_process_does_not_hold(void)
{
	struct clock clock = town_clock(&town, 0);

	member_start(0);
	until_leads(0, 100);
	town.processes[0].stopped_until_us = town.now_us + 30 * CLOCK_S_US;
	town_run(&town, 9000);
	TEST_ASSERT_TRUE(lease_holds(members[0].lease, clock_mono(&clock)));
	town_run(&town, 1500);
	TEST_ASSERT_FALSE(lease_holds(members[0].lease, clock_mono(&clock)));
	TEST_ASSERT_TRUE(members[0].leads); /* it could not be told yet */
	town_run(&town, 19400);
	uint32_t puts = model.puts;

	TEST_ASSERT_TRUE(members[0].leads);
	town_run(&town, 200);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
	TEST_ASSERT_TRUE(model.puts > puts); /* and nobody else took it meanwhile */
	TEST_ASSERT_TRUE(holds(0));
}

/* The renewal's answer waits for a process that sleeps: it proves a hold that is over. */
static void test_answer_read_too_late(void)
{
	member_start(0);
	until_leads(0, 100);
	uint32_t puts = model.puts;

	fate_now.back_us = CLOCK_S_US;
	while (model.puts == puts)
		town_run(&town, 10);
	TEST_ASSERT_TRUE(holds(0));
	town.processes[0].stopped_until_us = town.now_us + 30 * CLOCK_S_US;
	town_run(&town, 29999);
	TEST_ASSERT_FALSE(holds(0));
	town_run(&town, 500);
	TEST_ASSERT_FALSE(holds(0));
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].gained);
	until_leads(0, 2000);
	TEST_ASSERT_EQUAL_UINT32(2, members[0].gained);
}

/* ---- writes that fail ---- */

static void test_conflict_looks_again(void)
{
	member_start(0);
	until_leads(0, 100);
	uint32_t gets = model.gets;

	model.version++; /* somebody touched it */
	town_run(&town, 2500);
	TEST_ASSERT_EQUAL_UINT32(1, model.conflicts);
	TEST_ASSERT_EQUAL_UINT32(gets + 1, model.gets);
	TEST_ASSERT_TRUE(holds(0));
	TEST_ASSERT_EQUAL_UINT64(0, lease_stats(members[0].lease).failures);
}

static void test_unclear_write_looks_again(void)
{
	member_start(0);
	until_leads(0, 100);
	uint32_t gets = model.gets, puts = model.puts;

	model.put_status = 500;
	model.put_is_done = true;
	while (model.puts == puts)
		town_run(&town, 1);
	model.put_status = 0;
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(gets + 1, model.gets);
	TEST_ASSERT_EQUAL_UINT32(puts + 2, model.puts);
	TEST_ASSERT_EQUAL_UINT32(0, model.conflicts);
	TEST_ASSERT_TRUE(holds(0));
}

static void test_one_lost_answer_is_survived(void)
{
	member_start(0);
	until_leads(0, 100);
	fate_now.answer_lost = true;
	town_run(&town, 3000);
	fate_now.answer_lost = false;
	town_run(&town, 20000);
	TEST_ASSERT_TRUE(holds(0));
	TEST_ASSERT_EQUAL_UINT32(0, members[0].lost);
}

/* A server that wants to be left alone is, as long as we have nothing to lose. */
static void test_retry_after(void)
{
	model.status = 429;
	model.headers = "Retry-After: 9\r\n";
	member_start(0);
	town_run(&town, 8900);
	TEST_ASSERT_EQUAL_UINT32(1, model.requests);
	model.status = 0;
	until_leads(0, 300);
	model.status = 429;
	uint32_t requests = model.requests;

	town_run(&town, 9000);
	TEST_ASSERT_TRUE(model.requests >= requests + 4);
}

/* ---- answers that are none ---- */

static void answered(const char *method, const char *bytes)
{
	model.raw_method = method;
	model.raw = text_of(bytes);
}

static void test_garbage_is_no_lease(void)
{
	static const char *const bodies[] = {"", "null", "{}", "<html", "[", "1",
		"{\"kind\":\"Status\"}", "{\"kind\":\"Lease\"}",
		"{\"kind\":\"Lease\",\"metadata\":{\"name\":\"x\"}}",
		"{\"metadata\":{\"name\":[1],\"resourceVersion\":\"1\"}}",
		"{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"1\"},\"spec\":7}",
		"{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"1\"}"};
	char bytes[512];

	for (uint32_t i = 0; i < ARRAY_COUNT(bodies); i++) {
		snprintf(bytes, sizeof(bytes), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
			strlen(bodies[i]), bodies[i]);
		answered("GET", bytes);
		member_start(0);
		town_run(&town, 20000);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(0, model.puts + model.posts, bodies[i]);
		TEST_ASSERT_TRUE(lease_stats(members[0].lease).failures >= 4);
		member_stop(0);
	}
	/* And of a write: it is there, which a look shows. */
	member_start(0);
	model.raw.at = NULL;
	until_leads(0, 100);
	answered("PUT", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
	town_run(&town, 9000);
	TEST_ASSERT_TRUE(holds(0));
	model.raw.at = NULL;
	town_run(&town, 9000);
	TEST_ASSERT_TRUE(holds(0));
}

/* Somebody filled it with annotations: what we could not write back whole is left alone. */
static void test_more_than_we_can_keep(void)
{
	static char labels[LEASE_OBJECT_MAX + 10];

	write_by_kube_scheduler("", 1);
	memset(labels, 'x', sizeof(labels) - 1);
	snprintf(model.labels, sizeof(model.labels), "\"a\":\"%s\"", labels);
	member_start(0);
	town_run(&town, 20000);
	TEST_ASSERT_EQUAL_UINT32(0, model.puts + model.posts);
	snprintf(model.labels, sizeof(model.labels), "\"a\":\"%.6000s\"", labels);
	until_leads(0, 5000);
	TEST_ASSERT_EQUAL_size_t(6006, strlen(model.labels));
}

/* ---- recorded answers ---- */

static char recorded_bytes[8192];

/* What stands before the answer is the request. */
static const char *recorded(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "tests/net/data/%s.txt", name);
	FILE *f = fopen(path, "rb");

	TEST_ASSERT_NOT_NULL_MESSAGE(f, path);
	size_t size = fread(recorded_bytes, 1, sizeof(recorded_bytes) - 1, f);

	fclose(f);
	recorded_bytes[size] = '\0';
	const char *answer = strstr(recorded_bytes, "HTTP/1.1 ");

	TEST_ASSERT_NOT_NULL(answer);
	return answer;
}

static void test_recorded_not_found(void)
{
	answered("GET", recorded("lease-notfound"));
	member_start(0);
	until_leads(0, 100);
	TEST_ASSERT_EQUAL_UINT32(1, model.posts);
}

static void test_recorded_lease_and_conflict(void)
{
	static char conflict[4096];

	write_by_kube_scheduler("", 1);
	model.version = 243;
	answered("GET", recorded("lease-get"));
	member_start(0);
	until_leads(0, 100);
	TEST_ASSERT_TRUE(put_has("\"resourceVersion\":\"243\""));
	TEST_ASSERT_TRUE(put_has("\"uid\":\"0c4b2c49-d909-4759-ab63-11ee13765b90\""));
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":1"));
	snprintf(conflict, sizeof(conflict), "%s", recorded("lease-update-conflict"));
	uint32_t gets = model.gets;

	answered("PUT", conflict);
	town_run(&town, 2500);
	TEST_ASSERT_EQUAL_UINT32(gets + 1, model.gets);
	town_run(&town, 10000);
	TEST_ASSERT_FALSE(holds(0));
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
}

/* The answer to a renewal is another's record: it is not taken for ours. */
static void test_recorded_update_of_another(void)
{
	member_start(0);
	until_leads(0, 100);
	answered("PUT", recorded("lease-update-ok"));
	town_run(&town, 12000);
	TEST_ASSERT_FALSE(holds(0));
}

/* ---- what others do to the record ---- */

static void test_deleted_while_leading(void)
{
	member_start(0);
	until_leads(0, 100);
	member_start(1);
	town_run(&town, 6000);
	model.there = false;
	town_run(&town, 20000);
	TEST_ASSERT_TRUE(model.posts == 2);
	TEST_ASSERT_TRUE(model.there);
	TEST_ASSERT_TRUE(holds(0)); /* the other waits it out, and sees the new one */
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
	TEST_ASSERT_EQUAL_UINT32(2, members[0].gained);
	TEST_ASSERT_EQUAL_UINT32(0, members[1].gained);
}

static void test_somebody_else_wrote_it(void)
{
	member_start(0);
	until_leads(0, 100);
	write_by_kube_scheduler("edge-1_db2f7b71", 15);
	town_run(&town, 3000);
	TEST_ASSERT_FALSE(holds(0));
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
	TEST_ASSERT_EQUAL_STRING("edge-1_db2f7b71", members[0].other);
	TEST_ASSERT_EQUAL_STRING("edge-1_db2f7b71", model.holder);
	town_run(&town, 11000);
	TEST_ASSERT_FALSE(holds(0));
	until_leads(0, 10000);
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":7"));
}

/* lease-get.txt: one that kube-scheduler gave up is taken at once. */
static void test_from_kube_scheduler_that_released(void)
{
	write_by_kube_scheduler("", 1);
	member_start(0);
	until_leads(0, 100);
	TEST_ASSERT_EQUAL_STRING("-", members[0].other);
	TEST_ASSERT_EQUAL_UINT32(0, model.posts);
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":7"));
	TEST_ASSERT_TRUE(put_has("\"uid\":\"0c4b2c49-d909-4759-ab63-11ee13765b90\""));
}

/* One that died, with a duration of its own. */
static void test_from_kube_scheduler_that_died(void)
{
	write_by_kube_scheduler("edge-1_db2f7b71", 40);
	member_start(0);
	town_run(&town, 39900);
	TEST_ASSERT_FALSE(holds(0));
	TEST_ASSERT_EQUAL_UINT32(0, model.puts);
	until_leads(0, 4700);
}

/* One that lives is never disturbed, whatever its clock says. */
static void test_kube_scheduler_that_lives(void)
{
	write_by_kube_scheduler("edge-1_db2f7b71", 15);
	member_start(0);
	for (int i = 0; i < 60; i++) {
		town_run(&town, 2000);
		model.version++;
	}
	TEST_ASSERT_EQUAL_UINT32(0, model.puts);
	TEST_ASSERT_EQUAL_UINT32(0, members[0].gained);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_creates_and_renews);
	RUN_TEST(test_names_that_are_none);
	RUN_TEST(test_labels_and_annotations_stay);
	RUN_TEST(test_lost_when_it_cannot_be_renewed);
	RUN_TEST(test_hold_counts_from_sending);
	RUN_TEST(test_stopped_process_does_not_hold);
	RUN_TEST(test_answer_read_too_late);
	RUN_TEST(test_conflict_looks_again);
	RUN_TEST(test_unclear_write_looks_again);
	RUN_TEST(test_one_lost_answer_is_survived);
	RUN_TEST(test_retry_after);
	RUN_TEST(test_garbage_is_no_lease);
	RUN_TEST(test_more_than_we_can_keep);
	RUN_TEST(test_recorded_not_found);
	RUN_TEST(test_recorded_lease_and_conflict);
	RUN_TEST(test_recorded_update_of_another);
	RUN_TEST(test_deleted_while_leading);
	RUN_TEST(test_somebody_else_wrote_it);
	RUN_TEST(test_from_kube_scheduler_that_released);
	RUN_TEST(test_from_kube_scheduler_that_died);
	RUN_TEST(test_kube_scheduler_that_lives);
	return UNITY_END();
}
