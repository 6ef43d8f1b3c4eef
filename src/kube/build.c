/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builder of blobs: one block at the end of scratch that grows in place, so that pointers into
 * it stay good. The references taken for it are noted in a second area behind and become the
 * blob's tail when it is finished.
 *
 *	| blob, growing ->            | references, growing -> |  (left for others) |
 */
#include <string.h>

#include "base/hash.h"
#include "kube/decode.h"

enum { BUILD_ALIGN = 8, BUILD_REFS_SIZE = KUBE_BLOB_REFS_MAX * sizeof(uint32_t) };

_Static_assert(sizeof(struct kube_blob) % BUILD_ALIGN == 0, "heads begin with it");
_Static_assert((uint64_t)KUBE_BLOB_REFS_MAX *INTERN_SIZE_MAX > KUBE_BLOB_MAX, "sizes are in u32");

void kube_build_init(struct kube_build *b, struct intern *strings, struct scratch *scratch)
{
	CHECK(strings != NULL);
	CHECK(scratch != NULL);
	*b = (struct kube_build){.strings = strings, .scratch = scratch};
}

void kube_decode_begin(struct kube_build *b)
{
	CHECK(b->blob == NULL);
	b->result = KUBE_OK;
	b->fault_field = NULL;
	b->fault_reason = NULL;
}

void kube_build_malformed(struct kube_build *b, const char *field, const char *reason)
{
	if (kube_failed(b))
		return;
	b->result = KUBE_MALFORMED;
	b->fault_field = field;
	b->fault_reason = reason;
}

void kube_build_full(struct kube_build *b)
{
	if (!kube_failed(b))
		b->result = KUBE_FULL;
}

static size_t build_rounded(size_t size)
{
	return (size + BUILD_ALIGN - 1) / BUILD_ALIGN * BUILD_ALIGN;
}

void *kube_build_start(struct kube_build *b, size_t head_size)
{
	CHECK(b->blob == NULL);
	CHECK(head_size >= sizeof(struct kube_blob));
	if (kube_failed(b))
		return NULL;

	b->before = scratch_mark(b->scratch);
	size_t rest_size;
	void *rest = scratch_take_rest(b->scratch, &rest_size);
	if (rest == NULL) {
		kube_build_full(b);
		return NULL;
	}
	/* A quarter is left for others that need scratch while the blob grows. */
	size_t area = rest_size / 4 * 3 / BUILD_ALIGN * BUILD_ALIGN;
	if (area > KUBE_BLOB_MAX + BUILD_REFS_SIZE)
		area = KUBE_BLOB_MAX + BUILD_REFS_SIZE;
	size_t refs_size = area / 5 / BUILD_ALIGN * BUILD_ALIGN;
	if (refs_size > BUILD_REFS_SIZE)
		refs_size = BUILD_REFS_SIZE;
	scratch_keep(b->scratch, rest, area);
	head_size = build_rounded(head_size);
	if (head_size > area - refs_size) {
		scratch_rewind(b->scratch, b->before);
		kube_build_full(b);
		return NULL;
	}

	b->blob = rest;
	b->room = area - refs_size;
	b->refs = (uint32_t *)(void *)((uint8_t *)rest + b->room);
	b->ref_room = (uint32_t)(refs_size / sizeof(uint32_t));
	b->ref_count = 0;
	memset(rest, 0, head_size);
	b->blob->size = (uint32_t)head_size;
	return rest;
}

void *kube_build_array(
	struct kube_build *b, size_t element_size, uint32_t count, struct kube_span *span)
{
	*span = (struct kube_span){0, 0};
	if (kube_failed(b) || count == 0)
		return NULL;
	CHECK(b->blob != NULL);
	CHECK(element_size > 0);
	uint32_t at = b->blob->size;
	if (count > (KUBE_BLOB_MAX - at) / element_size) {
		kube_build_malformed(b, "object", "larger than KUBE_BLOB_MAX when decoded");
		return NULL;
	}
	size_t size = build_rounded(element_size * count);
	if (size > b->room - at) {
		kube_build_full(b);
		return NULL;
	}
	void *elements = (uint8_t *)(void *)b->blob + at;
	memset(elements, 0, size);
	*span = (struct kube_span){at, count};
	b->blob->size = at + (uint32_t)size;
	return elements;
}

void kube_build_shorten(
	struct kube_build *b, size_t element_size, uint32_t count, struct kube_span *span)
{
	if (kube_failed(b) || count == span->count)
		return;
	CHECK(count < span->count);
	CHECK(span->at + build_rounded(element_size * span->count) == b->blob->size);
	size_t size = build_rounded(element_size * count);
	memset((uint8_t *)(void *)b->blob + span->at + element_size * count, 0,
		size - element_size * count);
	b->blob->size = span->at + (uint32_t)size;
	span->count = count;
	if (count == 0)
		span->at = 0;
}

uint32_t kube_build_string(struct kube_build *b, struct text t)
{
	if (kube_failed(b) || t.size == 0)
		return 0;
	CHECK(b->blob != NULL);
	if (t.size > INTERN_SIZE_MAX) {
		kube_build_malformed(b, "object", "a string is longer than INTERN_SIZE_MAX");
		return 0;
	}
	if (b->ref_count == KUBE_BLOB_REFS_MAX) {
		kube_build_malformed(b, "object", "more strings than KUBE_BLOB_REFS_MAX");
		return 0;
	}
	uint32_t id;
	if (b->ref_count == b->ref_room || !intern_take(b->strings, t, &id)) {
		kube_build_full(b);
		return 0;
	}
	b->refs[b->ref_count++] = id;
	return id;
}

/* Gives up a blob: nothing of it is left. */
static void build_drop(struct kube_build *b)
{
	for (uint32_t i = 0; i < b->ref_count; i++)
		intern_give(b->strings, b->refs[i]);
	b->blob = NULL;
	b->ref_count = 0;
	scratch_rewind(b->scratch, b->before);
}

/* The fixed part must stay as it is until here: spans are filled in by the caller. */
struct kube_blob *kube_build_finish(struct kube_build *b)
{
	if (b->blob == NULL) {
		CHECK(kube_failed(b));
		return NULL;
	}
	if (b->scratch->overflowed)
		kube_build_full(b);
	uint32_t at = b->blob->size;
	size_t refs_size = build_rounded(b->ref_count * sizeof(uint32_t));
	if (!kube_failed(b) && at + refs_size > KUBE_BLOB_MAX)
		kube_build_malformed(b, "object", "larger than KUBE_BLOB_MAX when decoded");
	if (kube_failed(b)) {
		build_drop(b);
		return NULL;
	}

	/* The noted references lie behind the blob, so this moves them down. */
	struct kube_blob *blob = b->blob;
	uint8_t *tail = (uint8_t *)(void *)blob + at;
	memmove(tail, b->refs, b->ref_count * sizeof(uint32_t));
	memset(tail + b->ref_count * sizeof(uint32_t), 0,
		refs_size - b->ref_count * sizeof(uint32_t));
	blob->size = at + (uint32_t)refs_size;
	blob->refs = (struct kube_span){at, b->ref_count};
	blob->hash = hash_bytes(blob + 1, at - sizeof(*blob));
	b->blob = NULL;
	b->ref_count = 0;

	/* What others took while it grew goes, and so does the room it did not need. */
	size_t rest_size;
	scratch_rewind(b->scratch, b->before);
	void *rest = scratch_take_rest(b->scratch, &rest_size);
	CHECK(rest == blob);
	scratch_keep(b->scratch, rest, blob->size);
	return blob;
}

void kube_blob_drop(const struct kube_blob *blob, struct intern *strings)
{
	if (blob == NULL)
		return;
	const uint32_t *refs = KUBE_AT(blob, blob->refs, uint32_t);
	for (uint32_t i = 0; i < blob->refs.count; i++)
		intern_give(strings, refs[i]);
}

bool kube_blob_is(const struct kube_blob *a, const struct kube_blob *b)
{
	return a->hash == b->hash && a->refs.at == b->refs.at &&
		memcmp(a + 1, b + 1, a->refs.at - sizeof(*a)) == 0;
}
