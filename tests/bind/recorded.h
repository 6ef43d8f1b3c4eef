/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kube-scheduler was seen to send (tests/bind/data/requests.jsonl), and whether a body of ours
 * says the same: the same keys and values, in any order.
 */
#ifndef BERTH_TESTS_BIND_RECORDED_H
#define BERTH_TESTS_BIND_RECORDED_H

#include "api/api.h"
#include "kube/fixture.h"

enum { RECORDED_LINE_MAX = 4096 };

struct recorded {
	FILE *file;
	char line[RECORDED_LINE_MAX];
	struct text uri;
	struct json_value body;
};

static inline void recorded_open(struct recorded *r)
{
	r->file = fopen("tests/bind/data/requests.jsonl", "rb");
	TEST_ASSERT_NOT_NULL(r->file);
}

/* The next request of this verb whose URI ends so; false (and closed) after the last one. */
static inline bool recorded_next(struct recorded *r, const char *verb, const char *uri_end)
{
	while (fgets(r->line, sizeof(r->line), r->file) != NULL) {
		TEST_ASSERT_NOT_NULL(strchr(r->line, '\n'));
		struct json_value v = fixture_json(r->line, NULL);
		r->uri = json_text(json_get(v, "uri"));
		r->body = json_get(v, "requestObject");
		if (text_is_z(json_text(json_get(v, "verb")), verb) &&
			text_ends(r->uri, text_of(uri_end)))
			return true;
	}
	fclose(r->file);
	return false;
}

static inline struct text recorded_text(const struct recorded *r, const char *path)
{
	struct text t = json_text(json_path(r->body, path));
	TEST_ASSERT_NOT_NULL_MESSAGE(t.at, path);
	return t;
}

static inline bool recorded_same(struct json_value a, struct json_value b, const char *ignored);

static inline bool recorded_same_object(
	struct json_value a, struct json_value b, const char *ignored)
{
	struct json_walk walk = json_walk(a);
	uint32_t seen = 0;
	while (json_walk_next(&walk)) {
		char key[256];
		TEST_ASSERT_TRUE(text_copy(walk.key, key, sizeof(key)));
		if (text_is_z(walk.key, ignored))
			continue;
		seen++;
		if (!recorded_same(walk.value, json_get(b, key), ignored)) {
			fprintf(stderr, "differs: %s\n", key);
			return false;
		}
	}
	return seen == json_count(b);
}

/* `ignored` is a key that b does not have. */
static inline bool recorded_same(struct json_value a, struct json_value b, const char *ignored)
{
	if (json_type(a) != json_type(b) || json_type(a) == JSON_NONE)
		return false;
	if (json_type(a) == JSON_OBJECT)
		return recorded_same_object(a, b, ignored);
	if (json_type(a) != JSON_ARRAY)
		return text_is(json_scalar(a), json_scalar(b));
	struct json_walk left = json_walk(a), right = json_walk(b);
	while (json_walk_next(&left))
		if (!json_walk_next(&right) || !recorded_same(left.value, right.value, ignored))
			return false;
	return !json_walk_next(&right);
}

static inline struct json_value recorded_parse(const struct writer *out)
{
	TEST_ASSERT_FALSE(out->overflowed);
	struct json_value v = fixture_cut(writer_text(out), NULL);
	TEST_ASSERT_NOT_EQUAL(JSON_NONE, json_type(v));
	return v;
}

static inline void recorded_is(struct json_value expected, const struct writer *out)
{
	TEST_ASSERT_TRUE(recorded_same(expected, recorded_parse(out), ""));
}

static inline void recorded_is_z(const char *expected, const struct writer *out)
{
	struct json_value actual = recorded_parse(out);
	bool same = recorded_same(fixture_json(expected, NULL), actual, "");
	if (!same)
		fprintf(stderr, "expected %s\ngot      %.*s\n", expected,
			TEXT_ARGS(writer_text(out)));
	TEST_ASSERT_TRUE(same);
}

static inline void recorded_uri_is(struct text expected, const struct writer *out)
{
	TEST_ASSERT_FALSE(out->overflowed);
	TEST_ASSERT_EQUAL(expected.size, out->used);
	TEST_ASSERT_EQUAL_MEMORY(expected.at, out->at, out->used);
}

static inline bool path_of_pod(
	struct text namespace, struct text name, const char *subresource, struct writer *to)
{
	return api_path_write(
		&(struct api_object){"/api/v1", namespace, "pods", name, subresource}, to);
}

static inline bool path_of_event(
	const char *group, struct text namespace, struct text name, struct writer *to)
{
	return api_path_write(&(struct api_object){group, namespace, "events", name, NULL}, to);
}

#endif
