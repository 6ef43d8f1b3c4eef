/* SPDX-License-Identifier: GPL-2.0-only */
/* Members of an election, and their server. */
#include "lease/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/log.h"

enum { MEMORY = 2 << 20 };

struct town town;
struct member members[TOWN_PROCESSES];
struct model model;
struct random dice;
struct town_fate fate_now;
bool faulty;
void (*members_told)(void *self, bool leads);
uint64_t moments_led;
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
	model.requests++;
	if (model.raw.at != NULL && text_is_z(request->method, model.raw_method)) {
		model.gets += text_is_z(request->method, "GET");
		town_reply_raw(&town, request, model.raw);
	} else if (model.status != 0) {
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

void member_changed(void *self, bool leads)
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

void member_released(void *self)
{
	struct member *m = self;

	m->released++;
}

bool holds(uint32_t i)
{
	struct clock clock = town_clock(&town, i);

	return members[i].lease != NULL && lease_holds(members[i].lease, clock_mono(&clock));
}

static void look(void *self, struct town *t)
{
	uint32_t leaders = 0;

	(void)self;
	(void)t;
	for (uint32_t i = 0; i < TOWN_PROCESSES; i++)
		leaders += holds(i);
	moments_led += leaders > 0;
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

void member_start_as(uint32_t i, const char *identity)
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
	m->api = api_client_open(&(struct api_setup){.net = m->net,
		.server = m->client,
		.arena = &m->arena,
		.entropy = entropy_seeded(&m->random),
		.answers_max = 1});
	size_t before = arena_left(&m->arena);
	m->lease = lease_init(&(struct lease_setup){.client = m->api,
		.arena = &m->arena,
		.clock = town_clock(&town, i),
		.entropy = entropy_seeded(&m->random),
		.namespace = TEXT("kube-system"),
		.name = TEXT("kube-scheduler"),
		.identity = text_of(m->identity),
		.duration_ms = DURATION_S * 1000,
		.renew_deadline_ms = DEADLINE_S * 1000,
		.retry_period_ms = PERIOD_S * 1000,
		.changed = members_told,
		.holder = on_holder,
		.self = m});
	TEST_ASSERT_NOT_NULL(m->lease);
	TEST_ASSERT_TRUE(before - arena_left(&m->arena) <= lease_size());
	town.processes[i].net = m->net;
	lease_start(m->lease);
}

void member_start(uint32_t i)
{
	member_start_as(i, (const char *[]){"a", "b", "c", "d"}[i]);
}

void member_stop(uint32_t i)
{
	struct member *m = &members[i];

	if (m->lease == NULL)
		return;
	town.processes[i].net = NULL;
	lease_close(m->lease);
	api_client_close(m->api);
	net_client_close(m->client);
	net_close(m->net);
	free(m->memory);
	m->lease = NULL;
}

void members_init(void)
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
	moments_led = 0;
	members_told = member_changed;
}

void members_free(void)
{
	for (uint32_t i = 0; i < TOWN_PROCESSES; i++)
		member_stop(i);
	town_free(&town);
}

int64_t until_leads(uint32_t i, int64_t ms)
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

bool put_has(const char *part)
{
	return strstr(model.last_put, part) != NULL;
}

void write_by_kube_scheduler(const char *holder, int duration)
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
