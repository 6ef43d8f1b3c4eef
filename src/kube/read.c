/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of objects: typed, with a default when absent, with a fault when of another type. */
#include <stdint.h>

#include "kube/decode.h"
#include "kube/time.h"

struct text kube_read_text(struct kube_build *b, struct json_value v, const char *field)
{
	enum json_type type = json_type(v);
	if (type == JSON_STRING)
		return json_text(v);
	if (type != JSON_NONE && type != JSON_NULL)
		kube_build_malformed(b, field, "not a string");
	return TEXT_NONE;
}

uint32_t kube_read_id(struct kube_build *b, struct json_value v, const char *field)
{
	return kube_build_string(b, kube_read_text(b, v, field));
}

bool kube_read_bool(struct kube_build *b, struct json_value v, bool otherwise, const char *field)
{
	enum json_type type = json_type(v);
	if (type == JSON_BOOL)
		return json_bool(v, otherwise);
	if (type != JSON_NONE && type != JSON_NULL)
		kube_build_malformed(b, field, "not true or false");
	return otherwise;
}

int64_t kube_read_i64(
	struct kube_build *b, struct json_value v, int64_t otherwise, const char *field)
{
	int64_t value;
	if (kube_is_absent(v))
		return otherwise;
	if (json_type(v) == JSON_NUMBER && json_i64(v, &value))
		return value;
	kube_build_malformed(b, field, "not an integer of 64 bits");
	return otherwise;
}

int32_t kube_read_i32(
	struct kube_build *b, struct json_value v, int32_t otherwise, const char *field)
{
	int64_t value;
	if (kube_is_absent(v))
		return otherwise;
	if (json_type(v) == JSON_NUMBER && json_i64(v, &value) && value >= INT32_MIN &&
		value <= INT32_MAX)
		return (int32_t)value;
	kube_build_malformed(b, field, "not an integer of 32 bits");
	return otherwise;
}

struct wall kube_read_time(struct kube_build *b, struct json_value v, const char *field)
{
	struct wall time = {0};
	struct text t = kube_read_text(b, v, field);
	if (t.size > 0 && !kube_time_parse(t, &time)) {
		kube_build_malformed(b, field, "not a time");
		return (struct wall){0};
	}
	return time;
}

bool kube_read_quantity(
	struct kube_build *b, struct json_value v, struct quantity *q, const char *field)
{
	enum json_type type = json_type(v);
	if (type == JSON_NONE || type == JSON_NULL)
		return false;
	if (type != JSON_STRING && type != JSON_NUMBER) {
		kube_build_malformed(b, field, "not a quantity");
		return false;
	}
	enum quantity_result result = quantity_parse(text_trim(json_scalar(v)), q);
	if (result != QUANTITY_OK) {
		kube_build_malformed(b, field, quantity_error(result));
		return false;
	}
	return true;
}

struct json_walk kube_read_object(struct kube_build *b, struct json_value v, const char *field)
{
	if (json_type(v) == JSON_OBJECT)
		return json_walk(v);
	if (!kube_is_absent(v))
		kube_build_malformed(b, field, "not an object");
	return json_walk(JSON_VALUE_NONE);
}

struct json_walk kube_read_array(struct kube_build *b, struct json_value v, const char *field)
{
	if (json_type(v) == JSON_ARRAY)
		return json_walk(v);
	if (!kube_is_absent(v))
		kube_build_malformed(b, field, "not an array");
	return json_walk(JSON_VALUE_NONE);
}

static void field_read(
	struct kube_build *b, struct json_value v, const struct kube_field *field, void *at)
{
	switch ((enum kube_field_type)field->type) {
	case KUBE_FIELD_VALUE: *(struct json_value *)at = v; break;
	case KUBE_FIELD_TEXT: *(struct text *)at = kube_read_text(b, v, field->path); break;
	case KUBE_FIELD_ID: *(uint32_t *)at = kube_read_id(b, v, field->path); break;
	case KUBE_FIELD_BOOL: *(bool *)at = kube_read_bool(b, v, *(bool *)at, field->path); break;
	case KUBE_FIELD_I32:
		*(int32_t *)at = kube_read_i32(b, v, *(int32_t *)at, field->path);
		break;
	case KUBE_FIELD_I64:
		*(int64_t *)at = kube_read_i64(b, v, *(int64_t *)at, field->path);
		break;
	}
}

void kube_read_fields(struct kube_build *b, struct json_value v, const char *path,
	const struct kube_field *fields, uint32_t count, void *to)
{
	size_t before = strlen(path) + strlen(".");
	uint32_t at = 0;
	struct json_walk walk = kube_read_object(b, v, path);
	while (json_walk_next(&walk)) {
		struct text key = walk.key;
		/* From the row behind the last one: documents have their members in the table's
		 * order. */
		for (uint32_t i = 0; key.size > 0 && i < count; i++) {
			const struct kube_field *field = &fields[at];
			const char *name = field->path + before;
			at = at + 1 == count ? 0 : at + 1;
			if (name[0] != key.at[0] || !text_is_z(key, name))
				continue;
			field_read(b, walk.value, field, (uint8_t *)to + field->at);
			break;
		}
	}
}

struct json_value kube_read_member(
	struct kube_build *b, struct json_value v, const char *key, const char *field)
{
	if (json_type(v) == JSON_OBJECT)
		return json_get(v, key);
	if (!kube_is_absent(v))
		kube_build_malformed(b, field, "not an object");
	return JSON_VALUE_NONE;
}

uint32_t kube_read_count(struct json_value v)
{
	return json_type(v) == JSON_ARRAY ? json_count(v) : 0;
}

void kube_read_ids(
	struct kube_build *b, struct json_value v, struct kube_span *span, const char *field)
{
	struct json_walk walk = kube_read_array(b, v, field);
	uint32_t *ids = kube_build_array(b, sizeof(*ids), kube_read_count(v), span);
	for (uint32_t i = 0; ids != NULL && i < span->count && json_walk_next(&walk); i++)
		ids[i] = kube_read_id(b, walk.value, field);
}

void kube_read_id_set(
	struct kube_build *b, struct json_value v, struct kube_span *span, const char *field)
{
	kube_read_ids(b, v, span, field);
	if (kube_failed(b) || span->count < 2)
		return;
	uint32_t *ids = KUBE_BUILT(b, *span, uint32_t);
	kube_sort(ids, sizeof(*ids), 1, span->count);
	uint32_t count = kube_sorted_unique(ids, sizeof(*ids), 1, span->count);
	kube_build_shorten(b, sizeof(*ids), count, span);
}

void kube_read_pairs(
	struct kube_build *b, struct json_value v, struct kube_span *span, const char *field)
{
	struct json_walk walk = kube_read_object(b, v, field);
	uint32_t count = json_type(v) == JSON_OBJECT ? json_count(v) : 0;
	struct kube_label *pairs = kube_build_array(b, sizeof(*pairs), count, span);
	if (pairs == NULL)
		return;
	for (uint32_t i = 0; i < count && json_walk_next(&walk); i++) {
		pairs[i].key = kube_build_string(b, walk.key);
		pairs[i].value = kube_read_id(b, walk.value, field);
	}
	if (kube_failed(b))
		return;
	kube_sort(pairs, sizeof(*pairs), 1, count);
	for (uint32_t i = 1; i < count; i++) {
		if (pairs[i].key == pairs[i - 1].key)
			kube_build_malformed(b, field, "a key is there twice");
	}
}
