/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the binder stand on. */
#include "bind/binder_bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"

enum { BED_MEMORY = 4 << 20 };

static void on_done(void *self, const struct binder_result *result)
{
	struct binder_bed *bed = self;

	TEST_ASSERT_TRUE_MESSAGE(bed->inside, "told outside net_poll()");
	TEST_ASSERT_TRUE(result->tag < BED_RESULTS);
	struct bed_result *r = &bed->results[result->tag];

	r->count++;
	r->outcome = result->outcome;
	r->took_us = result->took_us;
	r->at_us = bed->server.wire.network.now_us;
	TEST_ASSERT_TRUE(result->message.size <= API_MESSAGE_MAX);
	snprintf(r->message, sizeof(r->message), "%.*s", TEXT_ARGS(result->message));
	if (bed->on_done == NULL)
		return;
	bed->on_done(bed, result);
	/* It is good until here, whatever was ordered meanwhile. */
	TEST_ASSERT_EQUAL_STRING_LEN(r->message, result->message.size > 0 ? result->message.at : "",
		result->message.size);
}

static bool may_write(void *self)
{
	struct binder_bed *bed = self;

	bed->asked_to++;
	return !bed->stands_by;
}

void bed_start(struct binder_bed *bed, uint32_t orders_max, uint32_t connections, uint64_t seed)
{
	const struct net_target target = {.name = "test",
		.host = {"127.0.0.1", 9},
		.port = 8080,
		.path_prefix = {"", 0},
		.connections = connections};
	char fault[128];
	struct writer w;

	memset(bed, 0, sizeof(*bed));
	budget_reset();
	server_init(&bed->server);
	writer_init(&w, fault, sizeof(fault));
	bed->memory = calloc(1, BED_MEMORY);
	TEST_ASSERT_NOT_NULL(bed->memory);
	arena_init(&bed->arena, bed->memory, BED_MEMORY);
	random_init(&bed->random, seed);
	bed->net = net_init(&(struct net_setup){.arena = &bed->arena,
		.clock = fake_server_clock(&bed->server.wire),
		.entropy = entropy_seeded(&bed->random),
		.bytes = fake_server_bytes(&bed->server.wire)});
	bed->client = net_client_open(bed->net, &bed->arena, &target, &w);
	TEST_ASSERT_NOT_NULL(bed->client);
	bed->api = api_client_open(&(struct api_setup){.net = bed->net,
		.server = bed->client,
		.arena = &bed->arena,
		.entropy = entropy_seeded(&bed->random),
		.answers_max = connections,
		.may_write = may_write,
		.self = bed});
	size_t before = arena_left(&bed->arena);
	bed->binder = binder_init(&(struct binder_setup){.client = bed->api,
		.arena = &bed->arena,
		.orders_max = orders_max,
		.done = on_done,
		.self = bed});
	TEST_ASSERT_TRUE(before - arena_left(&bed->arena) <= binder_size(orders_max));
}

void bed_close_binder(struct binder_bed *bed)
{
	if (bed->binder == NULL)
		return;
	binder_close(bed->binder);
	api_client_close(bed->api);
	bed->binder = NULL;
}

void bed_stop(struct binder_bed *bed)
{
	bed_close_binder(bed);
	if (bed->net == NULL)
		return;
	if (bed->client != NULL)
		net_client_close(bed->client);
	net_close(bed->net);
	bed->net = NULL;
	free(bed->memory);
	fake_server_free(&bed->server.wire);
}

void bed_bind(
	struct binder_bed *bed, uint64_t tag, const char *name, const char *uid, const char *node)
{
	struct binder_order order = {.pod = {TEXT("default"), text_of(name), text_of(uid)},
		.node = text_of(node),
		.tag = tag};

	bool inside = bed->inside;

	bed->inside = false;
	binder_bind(bed->binder, &order);
	bed->inside = inside;
}

static void turn(struct binder_bed *bed, int64_t until_us)
{
	bed->inside = true;
	net_poll(bed->net, until_us - bed->server.wire.network.now_us);
	bed->inside = false;
}

void bed_run(struct binder_bed *bed, int64_t ms)
{
	int64_t until_us = bed->server.wire.network.now_us + ms * CLOCK_MS_US;

	while (bed->server.wire.network.now_us < until_us)
		turn(bed, until_us);
}

void bed_settle(struct binder_bed *bed, int64_t ms)
{
	int64_t until_us = bed->server.wire.network.now_us + ms * CLOCK_MS_US;

	while (binder_stats(bed->binder).in_flight > 0) {
		TEST_ASSERT_TRUE_MESSAGE(bed->server.wire.network.now_us < until_us,
			"an order does not come to its end");
		turn(bed, until_us);
	}
}

void bed_expect(
	struct binder_bed *bed, uint64_t tag, enum binder_outcome outcome, const char *message)
{
	struct bed_result *r = &bed->results[tag];

	TEST_ASSERT_EQUAL_MESSAGE(1, r->count, "not told once");
	TEST_ASSERT_EQUAL_MESSAGE(outcome, r->outcome, r->message);
	TEST_ASSERT_EQUAL(outcome == BINDER_BOUND, r->message[0] == '\0');
	if (message != NULL && strstr(r->message, message) == NULL)
		TEST_ASSERT_EQUAL_STRING(message, r->message);
}
