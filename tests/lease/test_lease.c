/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leases against a model of an apiserver: who leads, who takes over and when, and that whatever
 * happens never two lead at the same moment.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c bind/body_path.c lease/*.c
// deps: tests/lease/town.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"
#include "base/log.h"
#include "lease/lease.h"
#include "lease/town.h"

enum { MEMORY = 2 << 20, KEPT_MAX = 20000, DURATION_S = 15, DEADLINE_S = 10, PERIOD_S = 2 };

struct member {
	uint8_t *memory;
	struct arena arena;
	struct random random;
	struct net *net;
	struct net_client *client;
	struct lease *lease;
	char identity[64];
	bool leads; /* as told */
	uint32_t gained, lost, released;
	char other[64]; /* as told: another holder, "-": nobody */
};

/* The server's copy, and what was asked of it. */
static struct {
	bool there;
	uint64_t version;
	char holder[128], spec[KEPT_MAX], labels[KEPT_MAX], uid[64];
	uint32_t gets, puts, posts, conflicts;
	int status; /* instead of an answer; 0: none */
	int put_status;
	bool put_is_done; /* and yet put_status is said */
	const char *headers;
	char last_put[KEPT_MAX];
	char last_path[512];
	int64_t put_us, last_try_us;
} model;

static struct town town;
static struct member members[TOWN_PROCESSES];
static struct random dice;
static uint32_t leaders_max;
static uint64_t moments_led, moments;
static struct town_fate fate_now;
static bool faulty;
static char text_bytes[2 * KEPT_MAX];

/* ---- the server ---- */

static void copy_member(struct text body, const char *key, char end, char *to, size_t size)
{
	char bytes[KEPT_MAX];
	const char *at;
	size_t length;

	TEST_ASSERT_TRUE(text_copy(body, bytes, sizeof(bytes)));
	to[0] = '\0';
	if ((at = strstr(bytes, key)) == NULL)
		return;
	at += strlen(key);
	length = strcspn(at, (char[]){end, '\0'});
	TEST_ASSERT_TRUE(text_copy((struct text){at, length}, to, size));
}

static void store_lease(struct text body)
{
	copy_member(body, "\"holderIdentity\":\"", '"', model.holder, sizeof(model.holder));
	copy_member(body, "\"spec\":{", '}', model.spec, sizeof(model.spec));
	copy_member(body, "\"labels\":{", '}', model.labels, sizeof(model.labels));
	TEST_ASSERT_TRUE(text_copy(body, model.last_put, sizeof(model.last_put)));
	if (!model.there)
		snprintf(model.uid, sizeof(model.uid), "uid-%llu",
			(unsigned long long)model.version);
	model.there = true;
	model.version++;
	model.put_us = town.now_us;
}

static void say(const struct town_request *request, int status)
{
	int size;

	if (status >= 400)
		size = snprintf(text_bytes, sizeof(text_bytes),
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
			"\"message\":\"no\",\"code\":%d}",
			status);
	else
		size = snprintf(text_bytes, sizeof(text_bytes),
			"{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\","
			"\"metadata\":{\"name\":\"kube-scheduler\",\"namespace\":\"kube-system\","
			"\"uid\":\"%s\",\"resourceVersion\":\"%llu\","
			"\"creationTimestamp\":\"2026-11-18T10:37:08Z\",\"labels\":{%s},"
			"\"managedFields\":[{\"manager\":\"berth\"}]},\"spec\":{%s}}",
			model.uid, (unsigned long long)model.version, model.labels, model.spec);
	town_reply(&town, request, status, model.headers == NULL ? "" : model.headers,
		(struct text){text_bytes, (size_t)size});
}

static void answer_put(const struct town_request *request)
{
	char version[64], uid[64];
	uint64_t guard = 0;

	model.puts++;
	copy_member(request->body, "\"resourceVersion\":\"", '"', version, sizeof(version));
	copy_member(request->body, "\"uid\":\"", '"', uid, sizeof(uid));
	TEST_ASSERT_TRUE(text_to_u64(text_of(version), &guard));
	if (model.put_status != 0 && !model.put_is_done) {
		say(request, model.put_status);
		return;
	}
	if (!model.there) {
		say(request, 404);
		return;
	}
	if (guard != model.version || strcmp(uid, model.uid) != 0) {
		model.conflicts++;
		say(request, 409);
		return;
	}
	store_lease(request->body);
	say(request, model.put_status != 0 ? model.put_status : 200);
}

static void answer(void *self, struct town *t, const struct town_request *request)
{
	(void)self;
	(void)t;
	TEST_ASSERT_TRUE(text_copy(request->path, model.last_path, sizeof(model.last_path)));
	model.last_try_us = town.now_us;
	if (model.status != 0) {
		say(request, model.status);
	} else if (text_is_z(request->method, "GET")) {
		model.gets++;
		say(request, model.there ? 200 : 404);
	} else if (text_is_z(request->method, "PUT")) {
		answer_put(request);
	} else {
		TEST_ASSERT_TRUE(text_is_z(request->method, "POST"));
		TEST_ASSERT_TRUE(text_ends(request->path, TEXT("/leases?timeout=5s")));
		model.posts++;
		if (model.there) {
			say(request, 409);
			return;
		}
		store_lease(request->body);
		say(request, 201);
	}
}

/* ---- the members ---- */

static void on_changed(void *self, bool leads)
{
	struct member *m = self;

	TEST_ASSERT_TRUE(m->leads != leads);
	m->leads = leads;
	*(leads ? &m->gained : &m->lost) += 1;
}

static void on_holder(void *self, struct text identity)
{
	struct member *m = self;

	if (identity.at == NULL)
		identity = TEXT("-");
	TEST_ASSERT_TRUE(text_copy(identity, m->other, sizeof(m->other)));
}

static void on_released(void *self)
{
	struct member *m = self;

	m->released++;
}

/* What a member would see if it asked now; a stopped one cannot ask. */
static bool holds(uint32_t i)
{
	struct clock clock = town_clock(&town, i);

	return members[i].lease != NULL && !town_is_stopped(&town, i) &&
		lease_holds(members[i].lease, clock_mono(&clock));
}

static void look(void *self, struct town *t)
{
	uint32_t leaders = 0;

	(void)self;
	(void)t;
	for (uint32_t i = 0; i < TOWN_PROCESSES; i++)
		leaders += holds(i);
	leaders_max = leaders > leaders_max ? leaders : leaders_max;
	moments_led += leaders > 0;
	moments++;
	TEST_ASSERT_TRUE_MESSAGE(leaders <= 1, "two lead");
}

static struct town_fate fate(void *self, struct town *t, uint32_t process)
{
	(void)self;
	(void)t;
	(void)process;
	if (!faulty)
		return fate_now;
	struct town_fate f = {.there_us = 1 + random_below(&dice, 50000),
		.back_us = 1 + random_below(&dice, 50000)};
	uint32_t roll = random_below(&dice, 100);

	if (roll < 6)
		f.lost = true;
	else if (roll < 12)
		f.answer_lost = true;
	else if (roll < 18)
		f.cut = true;
	else if (roll < 24)
		f.there_us = random_below(&dice, 20 * CLOCK_S_US);
	else if (roll < 30)
		f.back_us = random_below(&dice, 20 * CLOCK_S_US);
	return f;
}

static void member_start_as(uint32_t i, const char *identity)
{
	static const struct net_target target = {.name = "test",
		.host = {"127.0.0.1", 9},
		.port = 8080,
		.path_prefix = {"", 0},
		.connections = 2,
		.connect_timeout_ms = 1000};
	struct member *m = &members[i];
	char fault[128];
	struct writer w;

	memset(m, 0, sizeof(*m));
	writer_init(&w, fault, sizeof(fault));
	m->memory = calloc(1, MEMORY);
	TEST_ASSERT_NOT_NULL(m->memory);
	arena_init(&m->arena, m->memory, MEMORY);
	random_init(&m->random, 77 + random_next(&dice));
	snprintf(m->identity, sizeof(m->identity), "%s", identity);
	m->net = net_init(&(struct net_setup){.arena = &m->arena,
		.clock = town_clock(&town, i),
		.entropy = entropy_seeded(&m->random),
		.bytes = town_bytes(&town, i)});
	m->client = net_client_open(m->net, &m->arena, &target, &w);
	TEST_ASSERT_NOT_NULL(m->client);
	size_t before = arena_left(&m->arena);
	m->lease = lease_init(&(struct lease_setup){.net = m->net,
		.client = m->client,
		.arena = &m->arena,
		.clock = town_clock(&town, i),
		.entropy = entropy_seeded(&m->random),
		.namespace = TEXT("kube-system"),
		.name = TEXT("kube-scheduler"),
		.identity = text_of(m->identity),
		.duration_ms = DURATION_S * 1000,
		.renew_deadline_ms = DEADLINE_S * 1000,
		.retry_period_ms = PERIOD_S * 1000,
		.changed = on_changed,
		.holder = on_holder,
		.self = m});
	TEST_ASSERT_NOT_NULL(m->lease);
	TEST_ASSERT_TRUE(before - arena_left(&m->arena) <= lease_size());
	town.processes[i].net = m->net;
	lease_start(m->lease);
}

static void member_start(uint32_t i)
{
	member_start_as(i, (const char *[]){"a", "b", "c", "d"}[i]);
}

static void member_stop(uint32_t i)
{
	struct member *m = &members[i];

	if (m->lease == NULL)
		return;
	town.processes[i].net = NULL;
	lease_close(m->lease);
	net_client_close(m->client);
	net_close(m->net);
	free(m->memory);
	m->lease = NULL;
}

void setUp(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	budget_reset();
	town_init(&town);
	town.answer = answer;
	town.fate = fate;
	town.look = look;
	memset(&model, 0, sizeof(model));
	model.version = 100;
	random_init(&dice, 1);
	faulty = false;
	fate_now = (struct town_fate){.there_us = 1000, .back_us = 1000};
	leaders_max = 0;
	moments_led = moments = 0;
}

void tearDown(void)
{
	for (uint32_t i = 0; i < TOWN_PROCESSES; i++)
		member_stop(i);
	town_free(&town);
}

/* Milliseconds until member i leads; fails after `ms`. */
static int64_t until_leads(uint32_t i, int64_t ms)
{
	int64_t start = town.now_us;

	while (!holds(i)) {
		TEST_ASSERT_TRUE_MESSAGE(
			town.now_us - start < ms * CLOCK_MS_US, "it does not lead in time");
		town_run(&town, 10);
	}
	TEST_ASSERT_TRUE(members[i].leads);
	return (town.now_us - start) / CLOCK_MS_US;
}

static bool put_has(const char *part)
{
	return strstr(model.last_put, part) != NULL;
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

static void test_names_that_are_none(void)
{
	struct lease_setup setup = {.entropy = entropy_seeded(&dice),
		.namespace = TEXT("kube-system"),
		.name = TEXT("a/b"),
		.identity = TEXT("me"),
		.duration_ms = 15000,
		.renew_deadline_ms = 10000,
		.retry_period_ms = 2000,
		.changed = on_changed};
	static char long_name[LEASE_IDENTITY_MAX + 1];
	struct arena arena;
	uint8_t *memory = malloc(MEMORY);

	memset(long_name, 'x', sizeof(long_name));
	arena_init(&arena, memory, MEMORY);
	setup.arena = &arena;
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

	fate_now.there_us = 200 * CLOCK_MS_US;
	while (model.puts == puts)
		town_run(&town, 10);
	TEST_ASSERT_TRUE(holds(0));
	town.processes[0].stopped_until_us = town.now_us + 30 * CLOCK_S_US;
	town_run(&town, 29999);
	TEST_ASSERT_FALSE(holds(0));
	fate_now.there_us = CLOCK_S_US;
	town_run(&town, 500);
	TEST_ASSERT_FALSE(holds(0));
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
	until_leads(0, 2000);
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

/* ---- several ---- */

static void test_takeover_after_duration(void)
{
	member_start(0);
	until_leads(0, 100);
	member_start(1);
	town_run(&town, 10000);
	TEST_ASSERT_TRUE(holds(0));
	TEST_ASSERT_EQUAL_STRING("a", members[1].other);
	TEST_ASSERT_EQUAL_STRING("waiting", lease_stats(members[1].lease).state);
	int64_t renewed = model.put_us;

	member_stop(0);
	until_leads(1, 25000);
	/* At most: seen one wait of 4.4 s after it was written, and then noticed one later. */
	int64_t took = town.now_us - renewed;

	TEST_ASSERT_TRUE(took >= DURATION_S * CLOCK_S_US);
	TEST_ASSERT_TRUE(took <= (DURATION_S * 1000 + 2 * 4400 + 200) * CLOCK_MS_US);
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":1"));
	TEST_ASSERT_EQUAL_STRING("b", model.holder);
}

static void test_release_makes_the_next_take_over(void)
{
	member_start(0);
	until_leads(0, 100);
	member_start(1);
	town_run(&town, 10000);
	lease_release(members[0].lease, on_released);
	TEST_ASSERT_FALSE(holds(0));
	TEST_ASSERT_EQUAL_STRING("releasing", lease_stats(members[0].lease).state);
	TEST_ASSERT_EQUAL_UINT32(0, members[0].released);
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
	TEST_ASSERT_EQUAL_STRING("released", lease_stats(members[0].lease).state);
	TEST_ASSERT_TRUE(put_has("\"holderIdentity\":\"\""));
	TEST_ASSERT_TRUE(put_has("\"leaseDurationSeconds\":1,"));
	TEST_ASSERT_TRUE(until_leads(1, 4500) <= 4500);
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":1"));
	/* It may come back. */
	lease_start(members[0].lease);
	town_run(&town, 20000);
	TEST_ASSERT_TRUE(holds(1));
	TEST_ASSERT_EQUAL_STRING("b", members[0].other);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
}

static void test_release_of_nothing(void)
{
	member_start(0);
	until_leads(0, 100);
	member_start(1);
	town_run(&town, 5000);
	uint32_t puts = model.puts;

	lease_release(members[1].lease, on_released);
	TEST_ASSERT_EQUAL_UINT32(0, members[1].released);
	town_run(&town, 1);
	TEST_ASSERT_EQUAL_UINT32(1, members[1].released);
	town_run(&town, 1000);
	TEST_ASSERT_TRUE(model.puts <= puts + 1);
	TEST_ASSERT_TRUE(holds(0));
}

static void test_release_is_bounded(void)
{
	member_start(0);
	until_leads(0, 100);
	town.processes[0].cut_off = true;
	int64_t start = town.now_us;

	lease_release(members[0].lease, on_released);
	while (members[0].released == 0)
		town_run(&town, 10);
	TEST_ASSERT_INT64_WITHIN(20 * CLOCK_MS_US, start + DEADLINE_S * CLOCK_S_US, town.now_us);
	town_run(&town, 60000);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_STRING("a", model.holder);
}

/* A renewal that is on its way when it is given up arrives late: it must not undo that. */
static void test_release_overtakes_a_renewal(void)
{
	member_start(0);
	until_leads(0, 100);
	uint64_t version = model.version;

	fate_now.there_us = 3 * CLOCK_S_US;
	town_run(&town, 2100);
	TEST_ASSERT_EQUAL_UINT64(version, model.version); /* it is under way */
	fate_now.there_us = 1000;
	lease_release(members[0].lease, on_released);
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	town_run(&town, 10000);
	TEST_ASSERT_EQUAL_UINT32(1, model.conflicts);
	TEST_ASSERT_EQUAL_STRING("", model.holder);
}

/* Given up while the first write is on its way, which then succeeds: it is found and undone. */
static void test_release_of_what_may_be_ours(void)
{
	member_start(0);
	fate_now.there_us = 500 * CLOCK_MS_US;
	town_run(&town, 600);
	lease_release(members[0].lease, on_released);
	town_run(&town, 5000);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_UINT32(1, model.posts);
	TEST_ASSERT_EQUAL_STRING("", model.holder);
	TEST_ASSERT_EQUAL_UINT32(0, members[0].gained);
}

static void test_released_by_a_conflict_and_a_lost_answer(void)
{
	member_start(0);
	until_leads(0, 100);
	uint32_t puts = model.puts;

	model.put_status = 409;
	lease_release(members[0].lease, on_released);
	town_run(&town, 5);
	model.put_status = 500;
	model.put_is_done = true;
	town_run(&town, 20);
	model.put_status = 0;
	town_run(&town, 3000);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_STRING("", model.holder);
	TEST_ASSERT_TRUE(model.puts >= puts + 2);
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

static void write_by_kube_scheduler(const char *holder, int duration)
{
	model.there = true;
	model.version++;
	snprintf(model.uid, sizeof(model.uid), "0c4b2c49-d909-4759-ab63-11ee13765b90");
	snprintf(model.holder, sizeof(model.holder), "%s", holder);
	snprintf(model.spec, sizeof(model.spec),
		"\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d,"
		"\"acquireTime\":\"2026-11-18T10:37:24.798604Z\","
		"\"renewTime\":\"2026-11-18T10:37:24.798604Z\",\"leaseTransitions\":6",
		holder, duration);
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
	RUN_TEST(test_takeover_after_duration);
	RUN_TEST(test_release_makes_the_next_take_over);
	RUN_TEST(test_release_of_nothing);
	RUN_TEST(test_release_is_bounded);
	RUN_TEST(test_release_overtakes_a_renewal);
	RUN_TEST(test_release_of_what_may_be_ours);
	RUN_TEST(test_released_by_a_conflict_and_a_lost_answer);
	RUN_TEST(test_deleted_while_leading);
	RUN_TEST(test_somebody_else_wrote_it);
	RUN_TEST(test_from_kube_scheduler_that_released);
	RUN_TEST(test_from_kube_scheduler_that_died);
	RUN_TEST(test_kube_scheduler_that_lives);
	return UNITY_END();
}
