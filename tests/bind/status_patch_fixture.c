/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the patcher stand on. */
#include "bind/status_patch_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"

enum { BED_MEMORY = 4 << 20 };

/* ---- the server ---- */

static void closed(void *self, struct fake_server *wire, uint32_t stream)
{
	struct bed *bed = self;

	(void)wire;
	bed->reply_at_us[stream] = 0;
}

static struct bed_seen *slot(struct bed *bed)
{
	if (!bed->remembers)
		bed->seen_count = 0;
	TEST_ASSERT_TRUE(bed->seen_count < BED_SEEN_MAX);
	struct bed_seen *seen = &bed->seen[bed->seen_count++];
	free(seen->body);
	memset(seen, 0, sizeof(*seen));
	return seen;
}

static void note(struct bed *bed, const struct fake_request *request)
{
	struct bed_seen *seen = slot(bed);

	snprintf(seen->line, sizeof(seen->line), "%.*s %.*s", TEXT_ARGS(request->method),
		TEXT_ARGS(request->path));
	TEST_ASSERT_NOT_NULL(request->content_type.at);
	TEST_ASSERT_TRUE(text_copy(request->content_type, seen->type, sizeof(seen->type)));
	seen->at_us = bed->wire.network.now_us;
	seen->stream = request->stream;
	seen->body_size = request->body.size;
	seen->body = malloc(seen->body_size + 1);
	TEST_ASSERT_NOT_NULL(seen->body);
	TEST_ASSERT_TRUE(text_copy(request->body, seen->body, seen->body_size + 1));
}

static void answer_now(struct bed *bed, uint32_t stream)
{
	const struct bed_reply *reply = &bed->due[stream];

	bed->reply_at_us[stream] = 0;
	switch (reply->way) {
	case BED_ANSWER:
		fake_server_reply(
			&bed->wire, stream, reply->status, reply->headers, text_of(reply->body));
		break;
	case BED_CUT: fake_server_cut(&bed->wire, stream); break;
	case BED_HALF:
		fake_server_send_z(
			&bed->wire, stream, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"k");
		fake_server_cut(&bed->wire, stream);
		break;
	default: break;
	}
}

static void hear(void *self, struct fake_server *wire, const struct fake_request *request)
{
	struct bed *bed = self;
	uint32_t stream = request->stream;
	const struct bed_reply good = {BED_ANSWER, 200, "", "{}"};

	note(bed, request);
	bed->reply_at_us[stream] = wire->network.now_us;
	if (bed->answer != NULL)
		bed->due[stream] = bed->answer(
			bed, &bed->seen[bed->seen_count - 1], &bed->reply_at_us[stream]);
	else if (bed->reply_at < bed->reply_count)
		bed->due[stream] = bed->replies[bed->reply_at++];
	else
		bed->due[stream] = good;
}

static int64_t pump(void *self, struct fake_server *wire)
{
	struct bed *bed = self;
	int64_t next = INT64_MAX;

	for (uint32_t i = 1; i <= FAKE_STREAMS; i++) {
		if (!wire->streams[i].taken)
			continue;
		if (bed->reply_at_us[i] == 0 || bed->due[i].way == BED_NO_ANSWER_YET)
			continue;
		if (bed->reply_at_us[i] <= wire->network.now_us)
			answer_now(bed, i);
		else if (bed->reply_at_us[i] < next)
			next = bed->reply_at_us[i];
	}
	return next;
}

/* Streams are used again. */
static bool is_last_of_its_stream(const struct bed *bed, uint32_t at)
{
	for (uint32_t i = at + 1; i < bed->seen_count; i++)
		if (bed->seen[i].stream == bed->seen[at].stream)
			return false;
	return true;
}

void bed_release(struct bed *bed, int status)
{
	for (uint32_t i = 0; i < bed->seen_count; i++) {
		uint32_t stream = bed->seen[i].stream;

		if (bed->reply_at_us[stream] == 0 || bed->due[stream].way != BED_NO_ANSWER_YET ||
			!is_last_of_its_stream(bed, i))
			continue;
		bed->due[stream] = (struct bed_reply){BED_ANSWER, status, "", "{}"};
		return;
	}
	TEST_FAIL_MESSAGE("nothing is held back");
}

void bed_replies(struct bed *bed, const struct bed_reply *replies, uint32_t count)
{
	bed->replies = replies;
	bed->reply_count = count;
	bed->reply_at = 0;
}

uint32_t bed_asked(const struct bed *bed, const char *line)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < bed->seen_count; i++)
		count += strcmp(bed->seen[i].line, line) == 0;
	return count;
}

/* ---- the patcher ---- */

static void tell(struct bed *bed, uint64_t tag, enum api_verdict verdict, bool evicted)
{
	bool good = verdict == API_DONE || verdict == API_GONE;

	TEST_ASSERT_TRUE(bed->told_count < BED_TOLD_MAX);
	struct bed_told *told = &bed->told[bed->told_count++];

	*told = (struct bed_told){tag, good ? verdict : API_REFUSED, evicted};
	if (bed->on_told != NULL)
		bed->on_told(bed, told);
}

static void patched(void *self, uint64_t tag, enum api_verdict verdict)
{
	tell(self, tag, verdict, false);
}

static void evicted(void *self, const struct eviction_result *result)
{
	tell(self, result->tag, result->verdict, true);
}

void bed_open_writers(struct bed *bed, uint32_t patches, uint32_t victims, bool tells)
{
	bed->api = api_client_open(&(struct api_setup){.net = bed->net,
		.server = bed->client,
		.arena = &bed->arena,
		.entropy = entropy_seeded(&bed->random),
		.answers_max = BED_CONNECTIONS});
	size_t left = arena_left(&bed->arena);
	bed->patcher = status_patcher_init(&(struct status_patcher_setup){.client = bed->api,
		.arena = &bed->arena,
		.patches_max = patches,
		.patched = tells ? patched : NULL,
		.self = bed});
	bed->evictor = evictor_init(&(struct evictor_setup){.client = bed->api,
		.arena = &bed->arena,
		.clock = fake_server_clock(&bed->wire),
		.victims_max = victims,
		.evicted = evicted,
		.self = bed});
	TEST_ASSERT_TRUE(left - arena_left(&bed->arena) <=
		status_patcher_size(patches) + evictor_size(victims));
}

void bed_close_writers(struct bed *bed)
{
	if (bed->patcher == NULL)
		return;
	status_patcher_close(bed->patcher);
	evictor_close(bed->evictor);
	api_client_close(bed->api);
	bed->patcher = NULL;
}

struct bed_stats bed_stats(const struct bed *bed)
{
	struct status_patcher_stats patches = status_patcher_stats(bed->patcher);
	struct evictor_stats victims = evictor_stats(bed->evictor);

	return (struct bed_stats){.patches = patches.patches,
		.victims = victims.victims,
		.sent = patches.sent,
		.unchanged = patches.unchanged,
		.failed = patches.failed,
		.evicted = victims.evicted,
		.evict_failed = victims.failed,
		.retried = patches.retried + victims.retried};
}

bool bed_is_idle(const struct bed *bed)
{
	struct bed_stats stats = bed_stats(bed);

	return stats.patches + stats.victims == 0;
}

void bed_start(struct bed *bed, uint32_t patches, uint32_t victims, uint64_t seed)
{
	static const struct net_target target = {.name = "test",
		.host = {"127.0.0.1", 9},
		.port = 8080,
		.path_prefix = {"", 0},
		.connections = BED_CONNECTIONS};
	char fault[128];
	struct writer w;

	memset(bed, 0, sizeof(*bed));
	budget_reset();
	fake_server_init(&bed->wire);
	bed->remembers = true;
	bed->wire.answer = hear;
	bed->wire.pump = pump;
	bed->wire.closed = closed;
	bed->wire.self = bed;
	writer_init(&w, fault, sizeof(fault));
	bed->memory = calloc(1, BED_MEMORY);
	TEST_ASSERT_NOT_NULL(bed->memory);
	arena_init(&bed->arena, bed->memory, BED_MEMORY);
	random_init(&bed->random, seed);
	bed->net = net_init(&(struct net_setup){.arena = &bed->arena,
		.clock = fake_server_clock(&bed->wire),
		.entropy = entropy_seeded(&bed->random),
		.bytes = fake_server_bytes(&bed->wire)});
	bed->client = net_client_open(bed->net, &bed->arena, &target, &w);
	TEST_ASSERT_NOT_NULL(bed->client);
	bed_open_writers(bed, patches, victims, true);
}

void bed_stop(struct bed *bed)
{
	if (bed->memory == NULL)
		return;
	bed_close_writers(bed);
	if (bed->client != NULL)
		net_client_close(bed->client);
	net_close(bed->net);
	for (uint32_t i = 0; i < BED_SEEN_MAX; i++)
		free(bed->seen[i].body);
	free(bed->memory);
	fake_server_free(&bed->wire);
	bed->memory = NULL;
}

void bed_run(struct bed *bed, int64_t ms)
{
	int64_t until = bed->wire.network.now_us + ms * CLOCK_MS_US;

	while (bed->wire.network.now_us < until)
		net_poll(bed->net, until - bed->wire.network.now_us);
}

void bed_until_idle(struct bed *bed, int64_t ms)
{
	int64_t until = bed->wire.network.now_us + ms * CLOCK_MS_US;

	while (!bed_is_idle(bed)) {
		TEST_ASSERT_TRUE_MESSAGE(bed->wire.network.now_us < until, "not idle in time");
		net_poll(bed->net, until - bed->wire.network.now_us);
	}
}
