/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of watch/ stand on. */
#include "watch/bed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"

enum { BED_MEMORY = 8 << 20, BED_SCRATCH = 1 << 20 };

static void note(struct bed *bed, const char *format, ...) PRINTF_LIKE(2, 3);
static void note(struct bed *bed, const char *format, ...)
{
	size_t room = sizeof(bed->journal) - bed->journal_size;
	va_list args;

	if (bed->quiet)
		return;
	va_start(args, format);
	int size = vsnprintf(bed->journal + bed->journal_size, room, format, args);
	va_end(args);
	TEST_ASSERT_TRUE(size >= 0 && (size_t)size < room);
	bed->journal_size += (size_t)size;
}

struct bed_object *bed_find(struct bed *bed, const char *name)
{
	for (uint32_t i = 0; i < bed->count; i++)
		if (strcmp(bed->objects[i].name, name) == 0)
			return &bed->objects[i];
	return NULL;
}

static void on_list_asked(void *self, enum kube_kind kind)
{
	struct bed *bed = self;

	(void)kind;
	bed->lists_asked++;
}

static void on_list_begin(void *self, enum kube_kind kind)
{
	struct bed *bed = self;
	const char *plural = kube_kinds[kind].plural;

	note(bed, "begin %s\n", plural);
	bed->doubtful += watch_is_in_doubt(bed->watch, kind);
	for (uint32_t i = 0; i < bed->count; i++)
		if (strncmp(bed->objects[i].name, plural, strlen(plural)) == 0)
			bed->objects[i].seen = false;
}

static void on_list_end(void *self, enum kube_kind kind)
{
	struct bed *bed = self;
	const char *plural = kube_kinds[kind].plural;

	note(bed, "end %s\n", plural);
	for (uint32_t i = 0; i < bed->count;) {
		if (strncmp(bed->objects[i].name, plural, strlen(plural)) == 0 &&
			!bed->objects[i].seen)
			bed->objects[i] = bed->objects[--bed->count];
		else
			i++;
	}
	if (bed->on_list_end != NULL)
		bed->on_list_end(bed, kind);
}

static bool on_object(void *self, const struct watch_object *object, struct scratch *scratch)
{
	struct bed *bed = self;
	char name[BED_NAME_MAX];
	struct text namespace = json_text(json_path(object->value, "metadata.namespace"));
	struct text version = json_text(json_path(object->value, "metadata.resourceVersion"));
	uint64_t number = 0;

	/* A sink may use scratch, and what it takes goes back. */
	TEST_ASSERT_NOT_NULL(scratch_take(scratch, 1000));
	TEST_ASSERT_TRUE(object->api_version[0] != '\0');
	snprintf(name, sizeof(name), "%s %.*s%s%.*s", kube_kinds[object->kind].plural,
		TEXT_ARGS(namespace), namespace.size > 0 ? "/" : "",
		TEXT_ARGS(json_text(json_path(object->value, "metadata.name"))));
	TEST_ASSERT_TRUE(version.size == 0 || text_to_u64(version, &number));
	note(bed, "%c %s %llu\n", "+~-"[object->type], name, (unsigned long long)number);
	if (bed->refuses[0] != '\0' && strcmp(name, bed->refuses) == 0)
		return false;
	struct bed_object *o = bed_find(bed, name);

	if (object->type == KUBE_WATCH_DELETED) {
		if (o != NULL)
			*o = bed->objects[--bed->count];
	} else {
		if (o == NULL) {
			TEST_ASSERT_TRUE(bed->count < BED_OBJECTS);
			o = &bed->objects[bed->count++];
			snprintf(o->name, sizeof(o->name), "%s", name);
		}
		o->version = number;
		o->seen = true;
	}
	if (bed->on_object != NULL)
		bed->on_object(bed, name);
	return true;
}

static void on_too_big(void *self, const struct watch_too_big *object)
{
	struct bed *bed = self;

	struct text node = json_text(json_path(object->value, "spec.nodeName"));

	note(bed, "big%c %s %.*s%s%.*s\n", "+~-"[object->type], kube_kinds[object->kind].plural,
		TEXT_ARGS(object->name), node.size > 0 ? " on " : "", TEXT_ARGS(node));
}

static void on_synced(void *self)
{
	struct bed *bed = self;

	bed->synced++;
	note(bed, "synced\n");
}

void bed_init(struct bed *bed)
{
	free(bed->memory);
	memset(bed, 0, sizeof(*bed));
	fake_server_init(&bed->wire);
	budget_reset();
}

void bed_start(struct bed *bed, uint32_t kinds, uint64_t seed)
{
	static const struct net_target target = {.name = "test",
		.host = {"127.0.0.1", 9},
		.port = 8080,
		.path_prefix = {"", 0},
		.connections = BED_CONNECTIONS,
		.watch_connections = BED_WATCHES};
	char fault[128];
	struct writer w;

	writer_init(&w, fault, sizeof(fault));
	bed->memory = calloc(1, BED_MEMORY);
	TEST_ASSERT_NOT_NULL(bed->memory);
	arena_init(&bed->arena, bed->memory, BED_MEMORY);
	scratch_init(&bed->scratch, arena_take(&bed->arena, BED_SCRATCH), BED_SCRATCH);
	random_init(&bed->random, seed);
	bed->net = net_init(&(struct net_setup){.arena = &bed->arena,
		.clock = fake_server_clock(&bed->wire),
		.entropy = entropy_seeded(&bed->random),
		.bytes = fake_server_bytes(&bed->wire)});
	bed->client = net_client_open(bed->net, &bed->arena, &target, &w);
	TEST_ASSERT_NOT_NULL(bed->client);
	size_t before = arena_left(&bed->arena);
	bed->watch = watch_init(&(struct watch_setup){.net = bed->net,
		.client = bed->client,
		.entropy = entropy_seeded(&bed->random),
		.arena = &bed->arena,
		.scratch = &bed->scratch,
		.sink = {.list_asked = on_list_asked,
			.list_begin = on_list_begin,
			.object = on_object,
			.too_big = on_too_big,
			.list_end = on_list_end,
			.synced = on_synced,
			.self = bed},
		.kinds = kinds,
		.page_first = bed->page_first});
	TEST_ASSERT_TRUE(before - arena_left(&bed->arena) <= watch_size(kinds));
}

void bed_stop(struct bed *bed)
{
	if (bed->watch == NULL)
		return;
	watch_close(bed->watch);
	if (bed->client != NULL)
		net_client_close(bed->client);
	net_close(bed->net);
	TEST_ASSERT_EQUAL_size_t(0, bed->scratch.used);
	free(bed->memory);
	fake_server_free(&bed->wire);
	bed->memory = NULL;
	bed->watch = NULL;
}

void bed_run(struct bed *bed, int64_t ms)
{
	int64_t until = bed->wire.network.now_us + ms * CLOCK_MS_US;

	while (bed->wire.network.now_us < until)
		net_poll(bed->net, until - bed->wire.network.now_us);
}

void bed_until(struct bed *bed, enum kube_kind kind, const char *state, int64_t ms)
{
	int64_t until = bed->wire.network.now_us + ms * CLOCK_MS_US;
	struct watch_stats stats = watch_stats(bed->watch, kind);

	while (stats.waiting || strcmp(stats.state, state) != 0) {
		if (bed->wire.network.now_us >= until) {
			printf("%s is in state %s%s: %s\n%s", kube_kinds[kind].plural, stats.state,
				stats.waiting ? ", waiting" : "", stats.error, bed->journal);
			TEST_FAIL_MESSAGE(state);
		}
		net_poll(bed->net, until - bed->wire.network.now_us);
		stats = watch_stats(bed->watch, kind);
	}
}

bool bed_has(const struct bed *bed, const char *part)
{
	return strstr(bed->journal, part) != NULL;
}

void bed_forget(struct bed *bed)
{
	bed->journal_size = 0;
	bed->journal[0] = '\0';
}
