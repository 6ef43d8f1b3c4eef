/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all decoders promise, tried on every field of every kind: nulls are absent, a wrong type
 * is refused by the field's name, nothing crashes, no reference is lost.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

#include "kube/decode.h"
#include "kube/full_objects.h"
#include "kube/volume.h"

void setUp(void)
{
	fixture_start();
}

void tearDown(void)
{
	fixture_end();
}

/* ---- the table ---- */

static void test_kinds_are_found_by_name(void)
{
	TEST_ASSERT_EQUAL(KUBE_NO_KIND, kube_kind_of(TEXT_NONE));
	TEST_ASSERT_EQUAL(KUBE_NO_KIND, kube_kind_of(TEXT("")));
	TEST_ASSERT_EQUAL(KUBE_NO_KIND, kube_kind_of(TEXT("PodList")));
	for (uint32_t i = 1; i < KUBE_KINDS; i++) {
		const struct kube_kind_row *row = &kube_kinds[i];
		TEST_ASSERT_EQUAL(i, kube_kind_of(text_of(row->kind)));
		TEST_ASSERT_NOT_NULL(row->want);
		TEST_ASSERT_TRUE(strlen(row->plural) > 0 && strlen(row->api_version) > 0);
		TEST_ASSERT_EQUAL(i == KUBE_POD || i == KUBE_NODE, row->decode == NULL);
	}
}

static const struct json_want *want_find(const struct json_want *list, const char *key)
{
	for (; list->key != NULL; list++) {
		if (strcmp(list->key, key) == 0)
			return list;
	}
	return NULL;
}

/* Every key of `part` is kept by `whole`, or `whole` keeps everything. */
static void want_is_inside(
	const struct json_want *part, const struct json_want *whole, const char *kind)
{
	char message[128];
	for (; part != NULL && part->key != NULL; part++) {
		const struct json_want *found = want_find(whole, part->key);
		snprintf(message, sizeof(message), "%s: %s", kind, part->key);
		TEST_ASSERT_NOT_NULL_MESSAGE(found, message);
		if (found->inside == NULL)
			continue;
		TEST_ASSERT_NOT_NULL_MESSAGE(part->inside, message);
		want_is_inside(part->inside, found->inside, kind);
	}
}

static void test_mixed_lists_keep_what_every_kind_wants(void)
{
	for (uint32_t i = 1; i < KUBE_KINDS; i++)
		want_is_inside(kube_kinds[i].want, kube_any_want, kube_kinds[i].kind);
}

static void test_every_want_keeps_what_a_watch_needs(void)
{
	static const struct json_want metadata[] = {{"name", NULL}, {"namespace", NULL},
		{"uid", NULL}, {"resourceVersion", NULL}, {"deletionTimestamp", NULL},
		{"labels", NULL}, {NULL, NULL}};
	static const struct json_want needed[] = {{"kind", NULL}, {"apiVersion", NULL},
		{"metadata", metadata}, {"message", NULL}, {"reason", NULL}, {"code", NULL},
		{NULL, NULL}};
	for (uint32_t i = 1; i < KUBE_KINDS; i++)
		want_is_inside(needed, kube_kinds[i].want, kube_kinds[i].kind);
}

/* Whatever is kept, the same facts come out: whole, thinned by the kind's want or the mixed one. */
static void test_thinning_loses_nothing_that_is_read(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(full_objects); i++) {
		const struct full_object *full = &full_objects[i];
		const struct json_want *wants[] = {
			NULL, kube_kinds[full->kind].want, kube_any_want};
		struct fixture_blobs blobs[ARRAY_COUNT(wants)];
		scratch_reset(&fixture.scratch);
		for (size_t w = 0; w < ARRAY_COUNT(wants); w++) {
			blobs[w] = fixture_take(full->kind, fixture_json(full->json, wants[w]));
			TEST_ASSERT_EQUAL_MESSAGE(KUBE_OK, blobs[w].result, full->json);
			TEST_ASSERT_EQUAL(blobs[0].facts == NULL, blobs[w].facts == NULL);
			if (blobs[0].facts != NULL)
				TEST_ASSERT_TRUE_MESSAGE(
					kube_blob_is(blobs[0].facts, blobs[w].facts),
					kube_kinds[full->kind].kind);
			if (blobs[0].labels != NULL)
				TEST_ASSERT_TRUE(kube_blob_is(blobs[0].labels, blobs[w].labels));
		}
		for (size_t w = 0; w < ARRAY_COUNT(wants); w++)
			fixture_give(blobs[w]);
	}
}

static void test_minimal_objects(void)
{
	static const char *const texts[] = {"{\"metadata\":{\"name\":\"x\"}}",
		"{\"metadata\":{\"name\":\"x\"},\"spec\":null,\"status\":null}",
		"{\"metadata\":{\"name\":\"x\"},\"spec\":{},\"status\":{}}"};
	for (uint32_t kind = 1; kind < KUBE_KINDS; kind++) {
		for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
			struct json_value v = fixture_json(texts[i], kube_kinds[kind].want);
			TEST_ASSERT_EQUAL_MESSAGE(KUBE_OK, fixture_try((enum kube_kind)kind, v),
				kube_kinds[kind].kind);
		}
	}
}

static void test_a_name_is_required(void)
{
	static const char *const texts[] = {"{}", "{\"metadata\":null}", "{\"metadata\":{}}",
		"{\"metadata\":{\"name\":\"\"}}", "{\"metadata\":{\"name\":null}}"};
	for (uint32_t kind = 1; kind < KUBE_KINDS; kind++) {
		for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
			struct json_value v = fixture_json(texts[i], kube_kinds[kind].want);
			TEST_ASSERT_EQUAL(KUBE_MALFORMED, fixture_try((enum kube_kind)kind, v));
			TEST_ASSERT_EQUAL_STRING("metadata.name", fixture.b.fault_field);
		}
		struct json_value list = fixture_json("[1]", kube_kinds[kind].want);
		TEST_ASSERT_EQUAL(KUBE_MALFORMED, fixture_try((enum kube_kind)kind, list));
	}
}

static void test_the_default_namespace(void)
{
	for (uint32_t kind = KUBE_NAMESPACE; kind < KUBE_KINDS; kind++) {
		struct kube_object object =
			fixture_decode((enum kube_kind)kind, "{\"metadata\":{\"name\":\"x\"}}");
		fixture_text_is(
			kube_kinds[kind].namespaced ? "default" : "", object.meta.namespace);
		fixture_drop(&object);
	}
}

static void test_metadata(void)
{
	struct kube_object object =
		fixture_decode(KUBE_SERVICE, full_objects[KUBE_SERVICE - 1].json);
	struct kube_meta *meta = &object.meta;
	fixture_text_is("svc", meta->name);
	fixture_text_is("ns", meta->namespace);
	fixture_text_is("u-svc", meta->uid);
	fixture_text_is("7", meta->resource_version);
	TEST_ASSERT_EQUAL(3, meta->generation);
	TEST_ASSERT_TRUE(meta->deleting);
	fixture_text_is("apps/v1", meta->controller.api_version);
	fixture_text_is("ReplicaSet", meta->controller.kind);
	fixture_text_is("owner", meta->controller.name);
	fixture_text_is("o1", meta->controller.uid);
	TEST_ASSERT_EQUAL(2, json_count(meta->labels));
	fixture_drop(&object);

	/* Only kinds that ask for it are told when they were made. */
	TEST_ASSERT_EQUAL(0, meta->creation_time.us);
	object = fixture_decode(KUBE_DEVICE_CLASS, full_objects[KUBE_DEVICE_CLASS - 1].json);
	TEST_ASSERT_EQUAL_INT64(INT64_C(1794985200000000), object.meta.creation_time.us);
	fixture_drop(&object);
}

/* ---- every field, mutated ---- */

enum { PATH_MAX_SIZE = 256, TEXT_MAX_SIZE = 1 << 16 };

struct mutation {
	enum kube_kind kind;
	struct text whole; /* thinned */
	uint32_t tried;
};

/* Wanted, but read by nobody who decodes the object itself, or only compared with other texts. */
static bool is_unread(enum kube_kind kind, const char *path)
{
	static const char *const unread[] = {"kind", "apiVersion", "message", "reason", "code",
		"details", "spec.containers.name", "spec.initContainers.name",
		"status.containerStatuses.name", "status.initContainerStatuses.name",
		"spec.resources.limits"};
	for (size_t i = 0; i < ARRAY_COUNT(unread); i++) {
		if (strcmp(path, unread[i]) == 0)
			return true;
	}
	if (strncmp(path, "metadata.labels.", 16) == 0)
		return kind != KUBE_POD && kind != KUBE_NODE && kind != KUBE_NAMESPACE &&
			kind != KUBE_PV;
	/* Written back as it came. */
	if (strstr(path, ".opaque.") != NULL)
		return true;
	/* Kept because a Status has it. */
	if (strcmp(path, "status") == 0)
		return want_find(kube_kinds[kind].want, path)->inside == kube_want_nothing;
	/* Only the names count. */
	return strstr(path, "resources.limits.") != NULL ||
		strncmp(path, "status.disruptedPods.", 21) == 0;
}

/* The fault must name the field, the list it is in, or the selector it is part of. */
static bool names(const char *field, const char *path)
{
	const char *last = strrchr(field, '.');
	last = last == NULL ? field : last + 1;
	if (strncmp(field, path, strlen(field)) == 0 || strncmp(field, path, strlen(path)) == 0)
		return true;
	if (strncmp(field, "nodeSelectorTerms", 17) == 0)
		return strstr(path, "odeSelectorTerms") != NULL ||
			strstr(path, "preference") != NULL;
	if (strncmp(field, "labelSelector", 13) == 0)
		return strstr(path, "elector") != NULL || strstr(path, "nodeTopology") != NULL;
	/* Init containers are containers, allocated resources are resources. */
	return strstr(path, last + 1) != NULL;
}

static void try_text(struct mutation *m, struct text text, const char *path, bool is_null)
{
	scratch_reset(&fixture.scratch);
	struct json_value v = fixture_cut(text, kube_kinds[m->kind].want);
	TEST_ASSERT_TRUE_MESSAGE(json_type(v) != JSON_NONE, path);
	enum kube_result result = fixture_try(m->kind, v);
	char message[PATH_MAX_SIZE * 2];
	snprintf(message, sizeof(message), "%s %s: %s", kube_kinds[m->kind].kind, path,
		fixture.b.fault_field == NULL ? "taken" : fixture.b.fault_field);
	TEST_ASSERT_EQUAL_MESSAGE(0, pool_used(&fixture.strings.strings), message);
	m->tried++;
	if (is_null) {
		bool is_name = strcmp(path, "metadata.name") == 0 || strcmp(path, "metadata") == 0;
		TEST_ASSERT_EQUAL_MESSAGE(is_name ? KUBE_MALFORMED : KUBE_OK, result, message);
	} else if (!is_unread(m->kind, path)) {
		TEST_ASSERT_EQUAL_MESSAGE(KUBE_MALFORMED, result, message);
		TEST_ASSERT_TRUE_MESSAGE(names(fixture.b.fault_field, path), message);
	}
}

/* The object with one value replaced. */
static void try_replaced(
	struct mutation *m, struct json_value v, const char *with, const char *path)
{
	static char bytes[TEXT_MAX_SIZE];
	struct writer out;
	struct text part = json_raw(v);
	size_t before = (size_t)(part.at - m->whole.at);
	writer_init(&out, bytes, sizeof(bytes));
	write_text(&out, text_first(m->whole, before));
	write_z(&out, with);
	write_text(&out, text_from(m->whole, before + part.size));
	TEST_ASSERT_FALSE(out.overflowed);
	try_text(m, writer_text(&out), path, strcmp(with, "null") == 0);
}

static void mutate(struct mutation *m, struct json_value v, const char *path)
{
	static const char *const wrong[] = {[JSON_BOOL] = "\"true\"",
		[JSON_NUMBER] = "{}",
		[JSON_STRING] = "{\"a\":1}",
		[JSON_ARRAY] = "\"x\"",
		[JSON_OBJECT] = "\"x\""};
	enum json_type type = json_type(v);
	struct json_walk walk = json_walk(v);
	while (json_walk_next(&walk)) {
		char inner[PATH_MAX_SIZE];
		bool member = type == JSON_OBJECT;
		snprintf(inner, sizeof(inner), "%s%s%.*s", path,
			member && path[0] != '\0' ? "." : "",
			TEXT_ARGS(member ? walk.key : TEXT("")));
		mutate(m, walk.value, inner);
	}
	if (path[0] == '\0' || type == JSON_NULL)
		return;
	try_replaced(m, v, "null", path);
	try_replaced(m, v, wrong[type], path);
}

static void test_every_field_is_checked(void)
{
	static char whole[TEXT_MAX_SIZE];
	for (size_t i = 0; i < ARRAY_COUNT(full_objects); i++) {
		struct mutation m = {.kind = full_objects[i].kind};
		/* Tokens of the original live outside of what the attempts use. */
		static uint8_t block[1 << 20];
		struct scratch own;
		struct json_value v = fixture_json(full_objects[i].json, kube_kinds[m.kind].want);
		struct text raw = json_raw(v);
		TEST_ASSERT_TRUE(raw.size < sizeof(whole));
		memcpy(whole, raw.at, raw.size);
		m.whole = (struct text){whole, raw.size};
		scratch_init(&own, block, sizeof(block));
		TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(m.whole, &own, &v));
		mutate(&m, v, "");
		TEST_ASSERT_TRUE(m.tried > 20);
	}
}

/* ---- fields that are called nearly the same ---- */

/* Names in there are data. */
static bool is_map(enum kube_kind kind, const char *path)
{
	static const char *const maps[] = {"labels", "annotations", "nodeSelector", "matchLabels",
		"requests", "limits", "allocatable", "capacity", "disruptedPods", "overhead",
		"allocatedResources"};
	for (size_t i = 0; i < ARRAY_COUNT(maps); i++) {
		size_t size = strlen(maps[i]);
		if (strlen(path) >= size && strcmp(path + strlen(path) - size, maps[i]) == 0)
			return true;
	}
	return strcmp(path, "spec.selector") == 0 &&
		(kind == KUBE_SERVICE || kind == KUBE_REPLICATION_CONTROLLER);
}

/*
 * Of devices some parts are kept as they came, names and all: to be written into allocations, or
 * because claims that ask for the same are known by it.
 */
static bool is_verbatim(enum kube_kind kind, const char *path)
{
	static const char *const parts[] = {
		"tolerations", "nodeSelector", "opaque", "reservedFor", "attributes"};
	if (kind < KUBE_RESOURCE_CLAIM)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		if (strstr(path, parts[i]) != NULL)
			return true;
	if (kind == KUBE_RESOURCE_CLAIM &&
		(strncmp(path, "spec.devices.requests", 21) == 0 ||
			strncmp(path, "spec.devices.constraints", 24) == 0))
		return true;
	return strncmp(path, "status.allocation", 17) == 0 || strstr(path, "ounters") != NULL;
}

static struct fixture_blobs take_text(enum kube_kind kind, struct text text)
{
	struct json_value v = fixture_cut(text, NULL);
	TEST_ASSERT_TRUE(json_type(v) != JSON_NONE);
	return fixture_take(kind, v);
}

static void same_facts(const struct kube_blob *a, const struct kube_blob *b, const char *message)
{
	TEST_ASSERT_EQUAL_MESSAGE(a == NULL, b == NULL, message);
	TEST_ASSERT_TRUE_MESSAGE(a == NULL || kube_blob_is(a, b), message);
}

/* With a name that is wrong in its last letter the field is as absent as when it is null. */
static void misspell(struct mutation *m, char *whole, struct json_value v, const char *path)
{
	static char bytes[TEXT_MAX_SIZE];
	bool is_object = json_type(v) == JSON_OBJECT;
	struct json_walk walk = json_walk(v);
	while (json_walk_next(&walk)) {
		char inner[PATH_MAX_SIZE];
		struct text part = json_raw(walk.value);
		size_t before = (size_t)(part.at - m->whole.at);
		snprintf(inner, sizeof(inner), "%s%s%.*s", path,
			is_object && path[0] != '\0' ? "." : "",
			TEXT_ARGS(is_object ? walk.key : TEXT("")));
		misspell(m, whole, walk.value, inner);
		if (!is_object || is_map(m->kind, path) || is_verbatim(m->kind, path) ||
			json_type(walk.value) == JSON_NULL)
			continue;
		char *last = whole + (walk.key.at - m->whole.at) + walk.key.size - 1;
		char was = *last;
		struct writer out;
		scratch_reset(&fixture.scratch);
		*last = '~';
		struct fixture_blobs a = take_text(m->kind, m->whole);
		*last = was;
		writer_init(&out, bytes, sizeof(bytes));
		write_text(&out, text_first(m->whole, before));
		write_z(&out, "null");
		write_text(&out, text_from(m->whole, before + part.size));
		struct fixture_blobs b = take_text(m->kind, writer_text(&out));
		TEST_ASSERT_EQUAL_MESSAGE(b.result, a.result, inner);
		same_facts(a.facts, b.facts, inner);
		same_facts(a.labels, b.labels, inner);
		fixture_give(a);
		fixture_give(b);
		m->tried++;
	}
}

static void test_a_name_that_is_nearly_that_of_a_field(void)
{
	static char whole[TEXT_MAX_SIZE];
	static uint8_t block[1 << 20];
	for (size_t i = 0; i < ARRAY_COUNT(full_objects); i++) {
		struct mutation m = {.kind = full_objects[i].kind};
		struct scratch own;
		struct json_value v;
		m.whole = text_of(full_objects[i].json);
		TEST_ASSERT_TRUE(m.whole.size < sizeof(whole));
		memcpy(whole, m.whole.at, m.whole.size);
		m.whole.at = whole;
		scratch_init(&own, block, sizeof(block));
		TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(m.whole, &own, &v));
		misspell(&m, whole, v, "");
		TEST_ASSERT_TRUE(m.tried > 10);
	}
}

/* ---- noise ---- */

static uint32_t noise_state;
static uint32_t noise(uint32_t bound)
{
	noise_state = noise_state * 1664525 + 1013904223;
	return (noise_state >> 8) % bound;
}

static const struct json_want *noise_want(const struct json_want *list)
{
	uint32_t count = 0;
	while (list[count].key != NULL)
		count++;
	return count == 0 ? NULL : &list[noise(count)];
}

static void noise_scalar(struct writer *out)
{
	static const char *const scalars[] = {"null", "true", "false", "0", "-1", "2147483648",
		"1e400", "\"\"", "\"x\"", "\"100m\"", "\"In\"", "\"Gt\"", "\"7\"", "\"a/b/c\"",
		"\"\\u0000\\\"\"", "\"2026-11-18T08:00:00Z\"", "\"Always\"", "\"metadata.name\""};
	write_z(out, scalars[noise(ARRAY_COUNT(scalars))]);
}

/* Something of the shape that is wanted, or nearly. */
static void noise_value(struct writer *out, const struct json_want *want, uint32_t depth)
{
	static const char *const keys[] = {"key", "operator", "values", "matchLabels",
		"matchExpressions", "matchFields", "nodeSelectorTerms", "cpu", "memory", "storage",
		"podAffinity", "nodeAffinity", "labelSelector", "weight", "preference",
		"topologyKey", "requiredDuringSchedulingIgnoredDuringExecution",
		"preferredDuringSchedulingIgnoredDuringExecution", "podAffinityTerm", "namespaces"};
	uint32_t kind = noise(8);
	uint32_t count = noise(5);
	if (depth > 7 || kind == 0) {
		noise_scalar(out);
	} else if (kind < 3) {
		write_char(out, '[');
		for (uint32_t i = 0; i < count; i++) {
			write_z(out, i == 0 ? "" : ",");
			noise_value(out, want, depth + 1);
		}
		write_char(out, ']');
	} else {
		write_char(out, '{');
		for (uint32_t i = 0; i < count; i++) {
			const struct json_want *inner = want == NULL ? NULL : noise_want(want);
			const char *key =
				inner == NULL ? keys[noise(ARRAY_COUNT(keys))] : inner->key;
			write_format(out, "%s\"%s\":", i == 0 ? "" : ",", key);
			noise_value(out, inner == NULL ? NULL : inner->inside, depth + 1);
		}
		write_char(out, '}');
	}
}

static void test_noise_never_crashes(void)
{
	static char bytes[1 << 16];
	uint32_t results[3] = {0};
	for (uint32_t seed = 0; seed < 6000; seed++) {
		enum kube_kind kind = (enum kube_kind)(1 + seed % (KUBE_KINDS - 1));
		struct writer out;
		noise_state = seed * 7919 + 1;
		writer_init(&out, bytes, sizeof(bytes));
		write_z(&out, "{\"metadata\":{\"name\":\"x\"}");
		for (const struct json_want *w = kube_kinds[kind].want; w->key != NULL; w++) {
			if (strcmp(w->key, "metadata") == 0)
				continue;
			write_format(&out, ",\"%s\":", w->key);
			noise_value(&out, w->inside, 0);
		}
		write_char(&out, '}');
		if (out.overflowed)
			continue;
		scratch_reset(&fixture.scratch);
		struct json_value v =
			fixture_cut(writer_text(&out), seed % 2 ? kube_any_want : NULL);
		if (json_type(v) == JSON_NONE)
			continue;
		results[fixture_try(kind, v)]++;
		TEST_ASSERT_EQUAL(0, pool_used(&fixture.strings.strings));
	}
	TEST_ASSERT_TRUE(results[KUBE_OK] > 100);
	TEST_ASSERT_TRUE(results[KUBE_MALFORMED] > 1000);
}

/* ---- room ---- */

static void test_any_scratch_is_enough_or_full(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(full_objects); i++) {
		const struct full_object *full = &full_objects[i];
		scratch_reset(&fixture.scratch);
		struct json_value v = fixture_json(full->json, kube_kinds[full->kind].want);
		enum kube_result result = KUBE_FULL;
		for (size_t room = 0; result == KUBE_FULL; room += 64) {
			struct scratch_mark mark = scratch_mark(&fixture.scratch);
			size_t size;
			void *rest = scratch_take_rest(&fixture.scratch, &size);
			TEST_ASSERT_TRUE(room < size);
			scratch_keep(&fixture.scratch, rest, size - room);
			result = fixture_try(full->kind, v);
			TEST_ASSERT_EQUAL(0, pool_used(&fixture.strings.strings));
			TEST_ASSERT_NOT_EQUAL(KUBE_MALFORMED, result);
			scratch_rewind(&fixture.scratch, mark);
		}
	}
}

static void test_any_interner_is_enough_or_full(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(full_objects); i++) {
		const struct full_object *full = &full_objects[i];
		enum kube_result result = KUBE_FULL;
		for (uint32_t strings = 1; result == KUBE_FULL; strings++) {
			TEST_ASSERT_TRUE(strings < 200);
			fixture_end();
			fixture_start_with(strings, 1 << 19);
			struct json_value v = fixture_json(full->json, kube_kinds[full->kind].want);
			result = fixture_try(full->kind, v);
			TEST_ASSERT_EQUAL(0, pool_used(&fixture.strings.strings));
		}
		TEST_ASSERT_EQUAL(KUBE_OK, result);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_kinds_are_found_by_name);
	RUN_TEST(test_mixed_lists_keep_what_every_kind_wants);
	RUN_TEST(test_every_want_keeps_what_a_watch_needs);
	RUN_TEST(test_thinning_loses_nothing_that_is_read);
	RUN_TEST(test_minimal_objects);
	RUN_TEST(test_a_name_is_required);
	RUN_TEST(test_the_default_namespace);
	RUN_TEST(test_metadata);
	RUN_TEST(test_every_field_is_checked);
	RUN_TEST(test_a_name_that_is_nearly_that_of_a_field);
	RUN_TEST(test_noise_never_crashes);
	RUN_TEST(test_any_scratch_is_enough_or_full);
	RUN_TEST(test_any_interner_is_enough_or_full);
	return UNITY_END();
}
