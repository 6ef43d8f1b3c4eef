/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many bad days, by seed: requests and answers are cut anywhere, carried out late, refused, lied
 * about; pods are deleted, made again, bound by somebody else; the watch tells of it or does not.
 * Whatever happens: each order ends once, and what is said about it is true.
 *
 *	test_binder_faults [SEED]    that seed alone
 */
// deps: api/*.c bind/binder.c bind/binder_window.c
// deps: bind/body_binding.c
// deps: net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
// deps: tests/bind/binder_server.c tests/bind/binder_bed.c
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bind/binder_bed.h"

enum { SEEDS = 1000, ROUNDS = 80, NAMES = 40, ORDERS = 1000, NODES = 3, TELLS = 64 };

struct day_order {
	struct server_pod *pod; /* the life it is for */
	char node[8];
};
struct day_tell { /* what the watch will show */
	struct server_pod *pod;
	int64_t due_us;
};

static struct binder_bed bed;
static struct random dice;
static struct day_order orders[ORDERS];
static struct day_tell tells[TELLS];
static uint32_t ordered, tell_count, fault_percent, lives;
static uint64_t only_seed, seed_now;
static uint64_t sum_ended[BINDER_REFUSED + 1], sum_doubted, sum_again, sum_throttled, sum_late;

void setUp(void)
{
}

void tearDown(void)
{
	if (Unity.CurrentTestFailed)
		printf("again with: test_binder_faults %u\n", (unsigned)seed_now);
	bed_stop(&bed);
}

static uint32_t below(uint32_t bound)
{
	return random_below(&dice, bound);
}

/* ---- what the server does ---- */

static struct server_plan saying(bool binding)
{
	static const struct server_plan rows[] = {
		{.status = 429, .headers = "Retry-After: 1\r\n", .body = "Too many requests"},
		{.status = 429, .headers = "Retry-After: 0\r\n", .body = ""},
		{.status = 429, .body = "{}"},
		{.status = 503, .headers = "Retry-After: 3\r\n", .body = "starting"},
		{.status = 500, .body = "{\"kind\":\"Status\",\"status\":\"Failure\"}"},
		{.status = 502, .body = "<html>"},
		{.status = 504, .body = ""},
		{.status = 408, .body = ""},
		{.status = 200,
			.body = "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":500}"},
		{.status = 409, .body = ""},
		{.status = 403, .body = "{\"kind\":\"Status\",\"message\":\"no\",\"code\":403}"},
		{.status = 404, .body = "404 page not found\n"},
	};
	struct server_plan plan = rows[below(ARRAY_COUNT(rows))];

	/* A refusal is true, and so are bad days; these may come when all is done. */
	plan.way = binding && plan.status >= 500 && below(2) == 0 ? SERVER_LIES : SERVER_SAYS;
	if (below(4) == 0)
		plan.bytes = 1 + below(150);
	return plan;
}

static struct server_plan choose(void *self, bool binding)
{
	struct server_plan plan = {.way = SERVER_WORKS};

	(void)self;
	if (below(100) < fault_percent) {
		switch (below(8)) {
		case 0:
			plan = (struct server_plan){SERVER_CUTS_REQUEST, .bytes = below(500)};
			break;
		case 1: plan.way = SERVER_CUTS; break;
		case 2: plan = (struct server_plan){SERVER_CUTS_ANSWER, .bytes = below(500)}; break;
		case 3: plan.way = SERVER_SILENT; break;
		case 4: plan.way = SERVER_MUTE; break;
		case 5: plan = (struct server_plan){SERVER_LATE, .delay_ms = below(50000)}; break;
		default: plan = saying(binding); break;
		}
	}
	if (plan.way != SERVER_LATE && below(4) == 0)
		plan.delay_ms = below(below(10) == 0 ? 40000 : 300);
	return plan;
}

/* ---- what the watch does ---- */

static void changed(void *self, struct server_pod *pod)
{
	(void)self;
	if (tell_count < TELLS && below(3) != 0)
		tells[tell_count++] = (struct day_tell){
			pod, bed.server.wire.network.now_us + below(5000) * (int64_t)CLOCK_MS_US};
}

static bool is_on(const struct day_order *order)
{
	return strcmp(order->pod->node, order->node) == 0;
}

static void tell_what_is_due(void)
{
	for (uint32_t i = 0; i < tell_count; i++) {
		const struct server_pod *pod = tells[i].pod;

		if (tells[i].due_us > bed.server.wire.network.now_us)
			continue;
		for (uint32_t tag = 0; tag < ordered; tag++)
			if (orders[tag].pod == pod)
				binder_seen(bed.binder, tag, pod->there && is_on(&orders[tag]));
		tells[i--] = tells[--tell_count];
	}
}

/* ---- what others do ---- */

static void life(const char *name)
{
	char uid[32];

	if (bed.server.pod_count >= SERVER_PODS)
		return;
	snprintf(uid, sizeof(uid), "uid-%u", (unsigned)lives++);
	server_add(&bed.server, name, uid);
}

static struct server_pod *any_pod(void)
{
	char name[16];

	snprintf(name, sizeof(name), "p%u", (unsigned)below(NAMES));
	return server_find(&bed.server, name);
}

static void disturb(void)
{
	struct server_pod *pod = any_pod();
	uint32_t what = below(10);

	if (pod == NULL)
		return;
	if (what == 0) {
		pod->there = false;
		changed(NULL, pod);
		if (below(2) == 0)
			life(pod->name);
	} else if (what == 1 && pod->node[0] == '\0' && !pod->deleting) {
		snprintf(pod->node, sizeof(pod->node), "other");
		changed(NULL, pod);
	} else if (what == 2) {
		pod->deleting = true;
	} else if (what == 3) {
		pod->gated = !pod->gated;
	}
}

static void upset(void)
{
	struct fake_server *wire = &bed.server.wire;

	switch (below(12)) {
	case 0:
		fake_server_cut_all(wire);
		wire->refuses = below(2) == 0;
		break;
	case 1: wire->silent = true; break;
	case 2: wire->slice = below(100); break;
	case 3: bed.server.latency_us = below(100 * 1000); break;
	case 4: bed.server.one_by_one = below(2) == 0; break;
	case 5:
	case 6: wire->refuses = false; break;
	case 7:
	case 8: wire->silent = false; break;
	case 9: bed.stands_by = below(3) == 0; break;
	default: break;
	}
}

/* ---- what is said must be true ---- */

static void check_word(struct binder_bed *b, const struct binder_result *result)
{
	const struct day_order *order = &orders[result->tag];
	const struct server_pod *pod = order->pod;

	(void)b;
	TEST_ASSERT_TRUE(result->tag < ordered);
	sum_ended[result->outcome]++;
	switch (result->outcome) {
	case BINDER_BOUND: TEST_ASSERT_EQUAL_STRING(order->node, pod->node); break;
	case BINDER_LOST:
		TEST_ASSERT_TRUE(!pod->there || (pod->node[0] != '\0' && !is_on(order)) ||
			(pod->deleting && pod->node[0] == '\0'));
		break;
	case BINDER_REFUSED:
		/* One that was sent long ago may come between the look and the word. */
		TEST_ASSERT_TRUE(!is_on(order) || pod->late);
		break;
	}
}

static bool is_ordered(const struct server_pod *pod)
{
	for (uint32_t tag = 0; tag < ordered; tag++)
		if (orders[tag].pod == pod && bed.results[tag].count == 0)
			return true;
	return false;
}

/* A scheduler that trusts what it is told, and tries again elsewhere. */
static void order_some(void)
{
	for (uint32_t i = below(8); i > 0 && ordered < ORDERS; i--) {
		struct server_pod *pod = any_pod();
		struct day_order *order = &orders[ordered];

		if (!binder_has_room(bed.binder))
			return;
		if (pod == NULL || pod->node[0] != '\0' || is_ordered(pod))
			continue;
		order->pod = pod;
		snprintf(order->node, sizeof(order->node), "n%u", (unsigned)below(NODES));
		bed_bind(&bed, ordered++, pod->name, pod->uid, order->node);
	}
}

static void start(uint64_t seed)
{
	char name[16];

	seed_now = seed;
	random_init(&dice, seed);
	bed_start(&bed, 1 + below(30), 1 + below(BED_CONNECTIONS), seed);
	bed.server.choose = choose;
	bed.server.changed = changed;
	bed.on_done = check_word;
	ordered = tell_count = lives = 0;
	for (uint32_t i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "p%u", (unsigned)i);
		life(name);
	}
}

static void all_is_well(void)
{
	fault_percent = 0;
	bed.server.wire.refuses = bed.server.wire.silent = false;
	bed.server.one_by_one = bed.stands_by = false;
	bed.server.latency_us = 1000;
	for (uint32_t i = 1; i <= FAKE_STREAMS; i++)
		bed.server.wire.streams[i].cut_after = -1;
}

static void audit(void)
{
	struct binder_stats stats = binder_stats(bed.binder);

	TEST_ASSERT_EQUAL(0, stats.unclear);
	TEST_ASSERT_EQUAL_UINT64(ordered, stats.bound + stats.lost + stats.refused);
	TEST_ASSERT_TRUE(stats.window >= 1);
	for (uint32_t tag = 0; tag < ordered; tag++) {
		TEST_ASSERT_EQUAL(1, bed.results[tag].count);
		if (bed.results[tag].outcome == BINDER_BOUND)
			TEST_ASSERT_TRUE(is_on(&orders[tag]));
		else if (is_on(&orders[tag]) && orders[tag].pod->there && !orders[tag].pod->late)
			/* Refused, and bound there by a later order. */
			TEST_ASSERT_EQUAL(BINDER_REFUSED, bed.results[tag].outcome);
	}
	sum_doubted += stats.doubted;
	sum_again += stats.again;
	sum_throttled += stats.throttled;
	for (uint32_t i = 0; i < bed.server.pod_count; i++)
		sum_late += bed.server.pods[i].late ? 1 : 0;
}

static void bad_day(uint64_t seed)
{
	start(seed);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		fault_percent = below(4) == 0 ? below(95) : below(40);
		upset();
		order_some();
		for (uint32_t i = below(6); i > 0; i--)
			disturb();
		bed_run(&bed, 1 + below(below(4) == 0 ? 20000 : 300));
		tell_what_is_due();
	}
	all_is_well();
	/* A pause, an answer that never comes, a look; and the throttled ones. */
	bed_settle(&bed, 180 * 1000);
	audit();
	/* What was late comes now, and changes nothing. */
	bed_run(&bed, 120 * 1000);
	audit();
	TEST_ASSERT_TRUE(binder_has_room(bed.binder));
	bed_stop(&bed);
}

static void test_bad_days(void)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		if (only_seed == 0 || seed == only_seed)
			bad_day(seed);
	if (only_seed != 0)
		return;
	/* It was a bad time indeed. */
	TEST_ASSERT_TRUE(sum_ended[BINDER_BOUND] > SEEDS * 10);
	TEST_ASSERT_TRUE(sum_ended[BINDER_LOST] > SEEDS);
	TEST_ASSERT_TRUE(sum_ended[BINDER_REFUSED] > SEEDS);
	TEST_ASSERT_TRUE(sum_doubted > SEEDS * 5);
	TEST_ASSERT_TRUE(sum_again > SEEDS * 5);
	TEST_ASSERT_TRUE(sum_throttled > SEEDS);
	TEST_ASSERT_TRUE(sum_late > SEEDS / 10);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		only_seed = strtoull(argv[1], NULL, 10);
	if (only_seed != 0)
		log_setup(LOG_DEBUG, LOG_AS_TEXT, fake_server_clock(&bed.server.wire));
	else
		log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_bad_days);
	return UNITY_END();
}
