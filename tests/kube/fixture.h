/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests of decoders stand on: an interner, scratch, and JSON cut and parsed as in the
 * program. Every test ends with the interner empty, or it has lost references.
 */
#ifndef BERTH_TESTS_KUBE_FIXTURE_H
#define BERTH_TESTS_KUBE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "kube/kube.h"
#include "kube/node.h"
#include "kube/object.h"
#include "kube/pod.h"

enum {
	FIXTURE_STRINGS = 1 << 16,
	FIXTURE_STORE = 4 << 20,
	FIXTURE_SCRATCH = 1 << 20,
	FIXTURE_PIECE = 1 << 18
};

struct fixture {
	void *arena_block;
	struct arena arena;
	struct store store;
	struct intern strings;
	struct scratch scratch;
	struct json_cut *cut;
	struct kube_build b;
	struct json_value root; /* of the last piece */
	enum json_parse_result parsed;
	bool ended;
};

static struct fixture fixture;

static inline void fixture_start_with(uint32_t strings, size_t scratch)
{
	struct fixture *f = &fixture;
	size_t store_size = FIXTURE_STORE;
	size_t cut_size = json_cut_size(FIXTURE_PIECE);
	size_t size = intern_size(strings) + store_size + scratch + cut_size + 4096;
	f->arena_block = malloc(size);
	TEST_ASSERT_NOT_NULL(f->arena_block);
	arena_init(&f->arena, f->arena_block, size);
	store_init(&f->store, "test", arena_take(&f->arena, store_size), store_size);
	intern_init(&f->strings, &f->arena, &f->store, strings);
	scratch_init(&f->scratch, arena_take(&f->arena, scratch), scratch);
	f->cut = json_cut_init(arena_take(&f->arena, cut_size), cut_size, FIXTURE_PIECE);
	kube_build_init(&f->b, &f->strings, &f->scratch);
}

static inline void fixture_start(void)
{
	fixture_start_with(FIXTURE_STRINGS, FIXTURE_SCRATCH);
}

static inline void fixture_end(void)
{
	struct fixture *f = &fixture;
	uint32_t left = pool_used(&f->strings.strings);
	budget_unregister(&f->strings.strings.budget);
	budget_unregister(&f->store.budget);
	free(f->arena_block);
	memset(f, 0, sizeof(*f));
	TEST_ASSERT_EQUAL_MESSAGE(0, left, "strings are still referred to");
}

static const struct json_want fixture_want_all[] = {{"*", NULL}, {NULL, NULL}};

static inline bool fixture_piece(void *self, struct json_piece piece)
{
	struct fixture *f = self;
	if (piece.kind == JSON_PIECE_TOO_BIG)
		return false;
	/* The cutter's buffer is used again; scratch keeps the text as long as the test does. */
	char *bytes = scratch_take(&f->scratch, piece.text.size + 1);
	if (bytes == NULL)
		return false;
	memcpy(bytes, piece.text.at, piece.text.size);
	f->parsed = json_parse((struct text){bytes, piece.text.size}, &f->scratch, &f->root);
	return true;
}

/* Thinned by `want` (NULL: whole) and parsed; JSON_VALUE_NONE when it is not JSON. */
static inline struct json_value fixture_cut(struct text json, const struct json_want *want)
{
	struct fixture *f = &fixture;
	f->root = JSON_VALUE_NONE;
	f->parsed = JSON_PARSE_BROKEN;
	json_cut_start(f->cut, JSON_CUT_LINES, want == NULL ? fixture_want_all : want, NULL,
		fixture_piece, f);
	if (json_cut_feed(f->cut, json) == JSON_CUT_MORE)
		f->ended = json_cut_end(f->cut);
	return f->parsed == JSON_PARSED ? f->root : JSON_VALUE_NONE;
}

static inline struct json_value fixture_json(const char *json, const struct json_want *want)
{
	struct json_value v = fixture_cut(text_of(json), want);
	TEST_ASSERT_TRUE_MESSAGE(json_type(v) != JSON_NONE, json);
	return v;
}

/* The id of a text that must be interned. */
static inline uint32_t fixture_id(const char *text)
{
	uint32_t id;
	TEST_ASSERT_TRUE_MESSAGE(intern_find(&fixture.strings, text_of(text), &id), text);
	return id;
}

static inline void fixture_text_is(const char *expected, struct text actual)
{
	char bytes[4096];
	snprintf(bytes, sizeof(bytes), "%.*s", TEXT_ARGS(actual));
	TEST_ASSERT_EQUAL_STRING(expected, bytes);
}

/* The text behind an id. */
static inline void fixture_is(const char *expected, uint32_t id)
{
	fixture_text_is(expected, intern_text(&fixture.strings, id));
}

/* An object of a kept kind, decoded as it arrives. */
static inline struct kube_object fixture_decode(enum kube_kind kind, const char *json)
{
	struct kube_object object;
	struct json_value v = fixture_json(json, kube_kinds[kind].want);
	enum kube_result result = kube_kinds[kind].decode(&fixture.b, v, &object);
	TEST_ASSERT_EQUAL_MESSAGE(
		KUBE_OK, result, fixture.b.fault_field == NULL ? json : fixture.b.fault_field);
	TEST_ASSERT_EQUAL(kind, object.kind);
	return object;
}

static inline void fixture_drop(const struct kube_object *object)
{
	kube_blob_drop(object->blob, &fixture.strings);
	kube_blob_drop(object->labels == NULL ? NULL : &object->labels->blob, &fixture.strings);
}

/* A fault: the object, and the field that must be named (NULL: none, the object is fine). */
struct fixture_fault {
	const char *json;
	const char *field;
};

/* An object of any kind, decoded; its blobs are the caller's. */
struct fixture_blobs {
	enum kube_result result;
	const struct kube_blob *facts;
	const struct kube_blob *labels;
};
static inline struct fixture_blobs fixture_take(enum kube_kind kind, struct json_value v)
{
	struct kube_build *b = &fixture.b;
	if (kind == KUBE_POD) {
		struct kube_pod pod;
		enum kube_result result = kube_pod_decode(b, v, &pod);
		return (struct fixture_blobs){result, pod.class == NULL ? NULL : &pod.class->blob,
			pod.labels == NULL ? NULL : &pod.labels->blob};
	}
	if (kind == KUBE_NODE) {
		struct kube_node node;
		enum kube_result result = kube_node_decode(b, v, &node);
		return (struct fixture_blobs){result, node.facts == NULL ? NULL : &node.facts->blob,
			node.labels == NULL ? NULL : &node.labels->blob};
	}
	struct kube_object object;
	enum kube_result result = kube_kinds[kind].decode(b, v, &object);
	return (struct fixture_blobs){
		result, object.blob, object.labels == NULL ? NULL : &object.labels->blob};
}

static inline void fixture_give(struct fixture_blobs blobs)
{
	kube_blob_drop(blobs.facts, &fixture.strings);
	kube_blob_drop(blobs.labels, &fixture.strings);
}

static inline enum kube_result fixture_try(enum kube_kind kind, struct json_value v)
{
	struct fixture_blobs blobs = fixture_take(kind, v);
	if (blobs.result != KUBE_OK) {
		TEST_ASSERT_NULL(blobs.facts);
		TEST_ASSERT_NULL(blobs.labels);
	}
	fixture_give(blobs);
	return blobs.result;
}

static inline void fixture_faults(
	enum kube_kind kind, const struct fixture_fault *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		scratch_reset(&fixture.scratch);
		struct json_value v = fixture_json(rows[i].json, kube_kinds[kind].want);
		enum kube_result result = fixture_try(kind, v);
		if (rows[i].field == NULL) {
			TEST_ASSERT_EQUAL_MESSAGE(KUBE_OK, result, rows[i].json);
		} else {
			TEST_ASSERT_EQUAL_MESSAGE(KUBE_MALFORMED, result, rows[i].json);
			TEST_ASSERT_EQUAL_STRING_MESSAGE(
				rows[i].field, fixture.b.fault_field, rows[i].json);
			TEST_ASSERT_NOT_NULL(fixture.b.fault_reason);
		}
		TEST_ASSERT_EQUAL_MESSAGE(0, pool_used(&fixture.strings.strings), rows[i].json);
	}
}
#define FIXTURE_FAULTS(kind, ...)                                                 \
	do {                                                                      \
		static const struct fixture_fault fixture_rows[] = {__VA_ARGS__}; \
		fixture_faults(kind, fixture_rows, ARRAY_COUNT(fixture_rows));    \
	} while (0)

#endif
