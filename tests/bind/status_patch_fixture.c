/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the patcher stand on. */
#include "bind/status_patch_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"

enum { BED_MEMORY = 4 << 20 };

static struct bed *bed_of(struct wire *wire)
{
	return wire->self;
}

/* ---- the server ---- */

/* Requests are longer than what the wire keeps, and not only GET: they are kept here. */
static size_t take(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct wire *wire = self;
	struct bed *bed = bed_of(wire);
	size_t *used = &bed->incoming_size[stream];

	if (wire->streams[stream].state != NET_STREAM_OPEN)
		return 0;
	if (bed->incoming[stream] == NULL)
		bed->incoming[stream] = malloc(BED_REQUEST_MAX);
	TEST_ASSERT_NOT_NULL(bed->incoming[stream]);
	TEST_ASSERT_TRUE(*used + size < BED_REQUEST_MAX);
	memcpy(bed->incoming[stream] + *used, bytes, size);
	*used += size;
	bed->incoming[stream][*used] = '\0';
	return size;
}

static void closed(void *self, struct wire *wire, uint32_t stream)
{
	struct bed *bed = self;

	(void)wire;
	bed->incoming_size[stream] = 0;
	bed->reply_at_us[stream] = 0;
}

static const char *header(const char *head, const char *name)
{
	const char *at = strstr(head, name);

	return at == NULL ? NULL : at + strlen(name);
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

static void note(struct bed *bed, uint32_t stream, size_t head_size, size_t body_size)
{
	struct bed_seen *seen = slot(bed);
	const char *head = bed->incoming[stream];
	const char *type = header(head, "Content-Type: ");
	size_t line = strcspn(strchr(head, ' ') + 1, " ") + strcspn(head, " ") + 1;

	TEST_ASSERT_TRUE(line < sizeof(seen->line));
	memcpy(seen->line, head, line);
	TEST_ASSERT_NOT_NULL(type);
	snprintf(seen->type, sizeof(seen->type), "%.*s", (int)strcspn(type, "\r"), type);
	seen->at_us = bed->wire.now_us;
	seen->stream = stream;
	seen->body = malloc(body_size + 1);
	TEST_ASSERT_NOT_NULL(seen->body);
	memcpy(seen->body, head + head_size, body_size);
	seen->body[body_size] = '\0';
	seen->body_size = body_size;
}

static void answer_now(struct bed *bed, uint32_t stream)
{
	const struct bed_reply *reply = &bed->due[stream];

	bed->reply_at_us[stream] = 0;
	switch (reply->way) {
	case BED_ANSWER:
		wire_reply(&bed->wire, stream, reply->status, reply->headers, text_of(reply->body));
		break;
	case BED_CUT: wire_cut(&bed->wire, stream); break;
	case BED_HALF:
		wire_send_z(&bed->wire, stream, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"k");
		wire_cut(&bed->wire, stream);
		break;
	default: break;
	}
}

static void hear(struct bed *bed, uint32_t stream)
{
	const char *head = bed->incoming[stream], *end, *length;
	const struct bed_reply good = {BED_ANSWER, 200, "", "{}"};
	size_t head_size, body_size;

	if (bed->incoming_size[stream] == 0 || (end = strstr(head, "\r\n\r\n")) == NULL)
		return;
	length = header(head, "Content-Length: ");
	TEST_ASSERT_NOT_NULL(length);
	head_size = (size_t)(end - head) + 4;
	body_size = strtoul(length, NULL, 10);
	if (bed->incoming_size[stream] < head_size + body_size)
		return;
	TEST_ASSERT_EQUAL_size_t(head_size + body_size, bed->incoming_size[stream]);
	note(bed, stream, head_size, body_size);
	bed->incoming_size[stream] = 0;
	bed->reply_at_us[stream] = bed->wire.now_us;
	if (bed->answer != NULL)
		bed->due[stream] = bed->answer(
			bed, &bed->seen[bed->seen_count - 1], &bed->reply_at_us[stream]);
	else if (bed->reply_at < bed->reply_count)
		bed->due[stream] = bed->replies[bed->reply_at++];
	else
		bed->due[stream] = good;
}

static int64_t pump(void *self, struct wire *wire)
{
	struct bed *bed = self;
	int64_t next = INT64_MAX;

	for (uint32_t i = 1; i <= WIRE_STREAMS; i++) {
		if (!wire->streams[i].taken)
			continue;
		hear(bed, i);
		if (bed->reply_at_us[i] == 0 || bed->due[i].way == BED_NO_ANSWER_YET)
			continue;
		if (bed->reply_at_us[i] <= wire->now_us)
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
		.clock = wire_clock(&bed->wire),
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
	struct net_bytes bytes;
	char fault[128];
	struct writer w;

	memset(bed, 0, sizeof(*bed));
	budget_reset();
	wire_init(&bed->wire);
	bed->remembers = true;
	bed->wire.pump = pump;
	bed->wire.closed = closed;
	bed->wire.self = bed;
	bytes = wire_bytes(&bed->wire);
	bytes.send = take;
	writer_init(&w, fault, sizeof(fault));
	bed->memory = calloc(1, BED_MEMORY);
	TEST_ASSERT_NOT_NULL(bed->memory);
	arena_init(&bed->arena, bed->memory, BED_MEMORY);
	random_init(&bed->random, seed);
	bed->net = net_init(&(struct net_setup){.arena = &bed->arena,
		.clock = wire_clock(&bed->wire),
		.entropy = entropy_seeded(&bed->random),
		.bytes = bytes});
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
	for (uint32_t i = 0; i <= WIRE_STREAMS; i++)
		free(bed->incoming[i]);
	for (uint32_t i = 0; i < BED_SEEN_MAX; i++)
		free(bed->seen[i].body);
	free(bed->memory);
	wire_free(&bed->wire);
	bed->memory = NULL;
}

void bed_run(struct bed *bed, int64_t ms)
{
	int64_t until = bed->wire.now_us + ms * CLOCK_MS_US;

	while (bed->wire.now_us < until)
		net_poll(bed->net, until - bed->wire.now_us);
}

void bed_until_idle(struct bed *bed, int64_t ms)
{
	int64_t until = bed->wire.now_us + ms * CLOCK_MS_US;

	while (!bed_is_idle(bed)) {
		TEST_ASSERT_TRUE_MESSAGE(bed->wire.now_us < until, "not idle in time");
		net_poll(bed->net, until - bed->wire.now_us);
	}
}
