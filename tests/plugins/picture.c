/* SPDX-License-Identifier: GPL-2.0-only */
/* A small picture of a cluster, made of JSON. */
#include "plugins/picture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/arena.h"
#include "base/budget.h"
#include "kube/object.h"

enum {
	PICTURE_PIECE = 64 * 1024,
	PICTURE_DECODE = 1 << 20,
	PICTURE_WORK = 1 << 20,
	PICTURE_REASONS = 4096
};

struct picture picture;

static const struct cache_limits picture_limits = {
	.nodes = 256,
	.pods = 1024,
	.objects = 1024,
	.classes = 512,
	.label_sets = 512,
	.strings = 8192,
	.images = 256,
	.counters = 256,
	.changes = CACHE_LOG_MIN,
	.store_bytes = 4 << 20,
};

void picture_start(void)
{
	memset(&picture, 0, sizeof(picture));
	budget_reset();
	size_t cut = json_cut_size(PICTURE_PIECE);
	size_t size = cache_size(&picture_limits) + cut + PICTURE_DECODE + PICTURE_WORK + 4096;
	picture.block = malloc(size);
	TEST_ASSERT_NOT_NULL(picture.block);
	struct arena arena;
	arena_init(&arena, picture.block, size);
	cache_init(&picture.cache, &arena, &picture_limits);
	picture.cut = json_cut_init(arena_take(&arena, cut), cut, PICTURE_PIECE);
	scratch_init(&picture.decode, arena_take(&arena, PICTURE_DECODE), PICTURE_DECODE);
	scratch_init(&picture.work, arena_take(&arena, PICTURE_WORK), PICTURE_WORK);
	plugin_args_place(&picture.profile);
}

void picture_release(enum kube_release release)
{
	const struct feature_choices none = {.given = {0}};
	feature_gates_set(&picture.profile.gates, &none, release);
}

void picture_end(void)
{
	if (picture.block == NULL)
		return;
	cache_audit(&picture.cache);
	budget_reset();
	free(picture.block);
	memset(&picture, 0, sizeof(picture));
}

/* ---- objects ---- */

void picture_work_off(void)
{
	while (cache_log_count(&picture.cache) > 0) {
		if (picture.changed != NULL)
			picture.changed(&cache_log_at(&picture.cache, 0)->event);
		cache_log_drop(&picture.cache);
	}
}

static void picture_put(struct json_value object, const char *json)
{
	struct kube_build b;
	kube_build_init(&b, &picture.cache.strings, &picture.decode);
	b.release = picture.cache.release;
	b.annotations = picture.cache.annotations;
	enum kube_kind kind = kube_kind_of(json_text(json_get(object, "kind")));
	enum kube_result decoded = KUBE_MALFORMED;
	enum cache_result put = CACHE_UNKNOWN;
	if (kind == KUBE_POD) {
		struct kube_pod pod;
		decoded = kube_pod_decode(&b, object, &pod);
		if (decoded == KUBE_OK)
			put = cache_put_pod(&picture.cache, &pod, &picture.added);
	} else if (kind == KUBE_NODE) {
		struct kube_node node;
		decoded = kube_node_decode(&b, object, &node);
		if (decoded == KUBE_OK)
			put = cache_put_node(&picture.cache, &node, &picture.added);
	} else if (kind != KUBE_NO_KIND) {
		struct kube_object other;
		decoded = kube_kinds[kind].decode(&b, object, &other);
		if (decoded == KUBE_OK)
			put = cache_put_object(&picture.cache, &other, &picture.added);
	}
	TEST_ASSERT_EQUAL_MESSAGE(KUBE_OK, decoded, b.fault_field == NULL ? json : b.fault_field);
	TEST_ASSERT_EQUAL_MESSAGE(CACHE_OK, put, json);
	picture_work_off();
}

static bool picture_piece(void *self, struct json_piece piece)
{
	struct json_value object = JSON_VALUE_NONE;
	enum json_parse_result parsed = json_parse(piece.text, &picture.decode, &object);
	TEST_ASSERT_EQUAL_MESSAGE(JSON_PARSED, parsed, self);
	picture_put(object, self);
	return true;
}

uint32_t picture_add(const char *json)
{
	size_t size = strlen(json);
	char *bytes = malloc(size + 1);
	TEST_ASSERT_NOT_NULL(bytes);
	for (size_t i = 0; i <= size; i++)
		bytes[i] = json[i] == '\'' ? '"' : json[i];
	picture.added = 0;
	bool is_pod = strncmp(json, "{'kind':'Pod',", 14) == 0;
	json_cut_start(picture.cut, JSON_CUT_LINES,
		is_pod ? picture.cache.pod_wants.object : kube_any_want, NULL, picture_piece,
		bytes);
	enum json_cut_result cut = json_cut_feed(picture.cut, (struct text){bytes, size});
	TEST_ASSERT_EQUAL_MESSAGE(JSON_CUT_MORE, cut, json);
	TEST_ASSERT_TRUE_MESSAGE(json_cut_end(picture.cut), json);
	scratch_reset(&picture.decode);
	free(bytes);
	TEST_ASSERT_TRUE_MESSAGE(picture.added != 0, json);
	return picture.added;
}

uint32_t picture_addf(const char *format, ...)
{
	static char json[PICTURE_PIECE];
	va_list args;
	va_start(args, format);
	int size = vsnprintf(json, sizeof(json), format, args);
	va_end(args);
	TEST_ASSERT_TRUE(size > 0 && (size_t)size < sizeof(json));
	return picture_add(json);
}

static uint32_t picture_id(const char *text)
{
	uint32_t id = 0;
	TEST_ASSERT_TRUE_MESSAGE(intern_find(&picture.cache.strings, text_of(text), &id), text);
	return id;
}

void picture_remove(enum kube_kind kind, const char *namespace, const char *name)
{
	enum cache_result removed;
	if (kind == KUBE_POD)
		removed = cache_remove_pod(&picture.cache, picture_pod(namespace, name));
	else if (kind == KUBE_NODE)
		removed = cache_remove_node(&picture.cache, picture_node(name));
	else
		removed = cache_remove_object(&picture.cache,
			cache_find_object(
				&picture.cache, kind, picture_id(namespace), picture_id(name)));
	TEST_ASSERT_EQUAL_MESSAGE(CACHE_OK, removed, name);
	picture_work_off();
}

/* ---- decisions ---- */

uint32_t picture_pod(const char *namespace, const char *name)
{
	uint32_t pod = cache_find_pod(&picture.cache, text_of(namespace), text_of(name));
	TEST_ASSERT_TRUE_MESSAGE(pod != 0, name);
	return pod;
}

uint32_t picture_node(const char *name)
{
	uint32_t node = cache_find_node(&picture.cache, text_of(name));
	TEST_ASSERT_TRUE_MESSAGE(node != 0, name);
	return node;
}

struct cycle_state *picture_decide(const char *namespace, const char *name)
{
	struct cache *cache = &picture.cache;
	uint32_t index = picture_pod(namespace, name);
	scratch_reset(&picture.work);
	cache_begin_decision(cache);
	picture.decision = (struct cycle_state){
		.cache = cache,
		.profile = &picture.profile,
		.scratch = &picture.work,
		.pod = plugin_pod_of(cache, index),
	};
	return &picture.decision;
}

const struct cache_view *picture_view(const char *node)
{
	picture.view = cache_view_of(&picture.cache, picture_node(node));
	return &picture.view;
}

struct plugin_reasons *picture_why(void)
{
	picture.why = (struct plugin_reasons){.scratch = &picture.work};
	return &picture.why;
}

const char *picture_reasons(void)
{
	static char joined[PICTURE_REASONS];
	struct writer w;
	writer_init(&w, joined, sizeof(joined) - 1);
	for (uint32_t i = 0; i < picture.why.count; i++) {
		write_z(&w, i == 0 ? "" : ", ");
		write_text(&w, picture.why.list[i]);
	}
	TEST_ASSERT_FALSE(w.overflowed);
	joined[w.used] = '\0';
	return joined;
}
