/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What passes through (Status, Lease, Event, envelopes, watch lines), and what a real apiserver
 * sent: all of it decodes.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

#include "kube/passing.h"

void setUp(void)
{
	fixture_start();
}

void tearDown(void)
{
	fixture_end();
}

/* ---- Status ---- */

static void test_statuses(void)
{
	static const struct {
		const char *json;
		bool is_status;
		const char *reason;
		int32_t code;
		int32_t retry_after_seconds;
		bool uid;
	} rows[] = {
		{"{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"m\",\"reason\":"
		 "\"Expired\","
		 "\"code\":410}",
			true, "Expired", 410, 0, false},
		{"{\"kind\":\"Status\",\"metadata\":{},\"reason\":\"TooManyRequests\",\"details\":{"
		 "\"retryAfterSeconds\":7,\"kind\":\"pods\"},\"code\":429}",
			true, "TooManyRequests", 429, 7, false},
		{"{\"kind\":\"Status\",\"message\":\"Operation cannot be fulfilled: Precondition "
		 "failed: "
		 "UID in precondition: a, UID in object meta: "
		 "b\",\"reason\":\"Conflict\",\"code\":409}",
			true, "Conflict", 409, 0, true},
		{"{\"kind\":\"Status\",\"code\":\"x\",\"reason\":7,\"details\":{"
		 "\"retryAfterSeconds\":"
		 "-1}}",
			true, "", 0, 0, false},
		{"{\"kind\":\"Status\",\"code\":99999999999,\"details\":3}", true, "", 0, 0, false},
		{"{\"kind\":\"Pod\",\"code\":1,\"reason\":\"x\"}", false, "", 0, 0, false},
		{"{}", false, "", 0, 0, false},
		{"[]", false, "", 0, 0, false},
		{"\"Status\"", false, "", 0, 0, false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct kube_status status;
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_status,
			kube_status_decode(fixture_json(rows[i].json, kube_status_want), &status),
			rows[i].json);
		fixture_text_is(rows[i].reason, status.reason);
		TEST_ASSERT_EQUAL(rows[i].code, status.code);
		TEST_ASSERT_EQUAL(rows[i].retry_after_seconds, status.retry_after_seconds);
		TEST_ASSERT_EQUAL(rows[i].uid, status.cause_uid_mismatch);
	}
}

/* A Status can come where an object was expected. */
static void test_every_want_keeps_a_status(void)
{
	static const char json[] = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
				   "\"status\":\"Failure\",\"message\":\"m\",\"reason\":\"Gone\","
				   "\"details\":{\"retryAfterSeconds\":3},\"code\":410}";
	const struct json_want *wants[KUBE_KINDS + 5] = {
		kube_lease_want, kube_list_want, kube_status_want, kube_any_want};
	for (uint32_t i = 1; i < KUBE_KINDS; i++)
		wants[4 + i] = kube_kinds[i].want;
	for (size_t i = 0; i < KUBE_KINDS + 4; i++) {
		struct kube_status status;
		TEST_ASSERT_TRUE(kube_status_decode(fixture_json(json, wants[i]), &status));
		fixture_text_is("Failure", status.status);
		fixture_text_is("m", status.message);
		fixture_text_is("Gone", status.reason);
		TEST_ASSERT_EQUAL(410, status.code);
		TEST_ASSERT_EQUAL(3, status.retry_after_seconds);
	}
}

/* ---- Lease ---- */

static void test_a_lease(void)
{
	struct kube_lease lease;
	struct json_value v = fixture_json(
		"{\"kind\":\"Lease\",\"metadata\":{\"name\":\"kube-scheduler\",\"namespace\":"
		"\"kube-system\",\"uid\":\"u\",\"resourceVersion\":\"243\",\"labels\":{\"a\":\"b\"}"
		","
		"\"annotations\":{\"c\":\"d\"},\"managedFields\":[]},\"spec\":{\"holderIdentity\":"
		"\"me\","
		"\"leaseDurationSeconds\":15,\"acquireTime\":\"2026-11-18T10:37:24.798604Z\","
		"\"renewTime\":\"2026-11-18T10:37:25.798604Z\",\"leaseTransitions\":4}}",
		kube_lease_want);
	TEST_ASSERT_EQUAL(KUBE_OK, kube_lease_decode(&fixture.b, v, &lease));
	fixture_text_is("kube-scheduler", lease.name);
	fixture_text_is("243", lease.resource_version);
	fixture_text_is("u", lease.uid);
	TEST_ASSERT_TRUE(lease.has_holder);
	fixture_text_is("me", lease.holder);
	TEST_ASSERT_EQUAL(15, lease.duration_seconds);
	fixture_text_is("2026-11-18T10:37:24.798604Z", lease.acquire_time);
	fixture_text_is("2026-11-18T10:37:25.798604Z", lease.renew_time);
	TEST_ASSERT_EQUAL(4, lease.transitions);
	fixture_text_is("{\"a\":\"b\"}", json_raw(lease.labels));
	fixture_text_is("{\"c\":\"d\"}", json_raw(lease.annotations));
}

static void test_holders_of_leases(void)
{
	static const struct {
		const char *spec;
		bool has_holder;
		enum kube_result result;
		const char *field;
	} rows[] = {
		{"{}", false, KUBE_OK, NULL},
		{"null", false, KUBE_OK, NULL},
		{"{\"holderIdentity\":null,\"leaseDurationSeconds\":null}", false, KUBE_OK, NULL},
		{"{\"holderIdentity\":\"\"}", true, KUBE_OK, NULL},
		{"{\"holderIdentity\":1}", false, KUBE_MALFORMED, "spec.holderIdentity"},
		{"{\"leaseDurationSeconds\":\"1\"}", false, KUBE_MALFORMED,
			"spec.leaseDurationSeconds"},
		{"{\"leaseTransitions\":4294967296}", false, KUBE_MALFORMED,
			"spec.leaseTransitions"},
		{"{\"renewTime\":{}}", false, KUBE_MALFORMED, "spec.renewTime"},
		{"{\"acquireTime\":1}", false, KUBE_MALFORMED, "spec.acquireTime"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char json[256];
		struct kube_lease lease;
		snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"l\"},\"spec\":%s}",
			rows[i].spec);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].result,
			kube_lease_decode(&fixture.b, fixture_json(json, kube_lease_want), &lease),
			json);
		if (rows[i].field == NULL)
			TEST_ASSERT_EQUAL(rows[i].has_holder, lease.has_holder);
		else
			TEST_ASSERT_EQUAL_STRING(rows[i].field, fixture.b.fault_field);
	}
}

/* ---- envelopes ---- */

static void test_list_envelopes(void)
{
	struct kube_list_meta meta;
	kube_list_meta_decode(
		fixture_json("{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":"
			     "\"9\",\"continue\":\"tok\",\"remainingItemCount\":12}}",
			kube_list_want),
		&meta);
	fixture_text_is("PodList", meta.kind);
	fixture_text_is("9", meta.resource_version);
	fixture_text_is("tok", meta.continue_token);
	TEST_ASSERT_EQUAL(12, meta.remaining);
	static const char *const odd[] = {"{}", "[]", "{\"metadata\":7}",
		("{\"kind\":{},\"metadata\":{\"resourceVersion\":1,\"continue\":null,"
		 "\"remainingItemCount\":-4}}")};
	for (size_t i = 0; i < ARRAY_COUNT(odd); i++) {
		kube_list_meta_decode(fixture_json(odd[i], NULL), &meta);
		TEST_ASSERT_EQUAL(0, meta.resource_version.size);
		TEST_ASSERT_EQUAL(0, meta.continue_token.size);
		TEST_ASSERT_EQUAL(0, meta.remaining);
	}
}

static void test_watch_lines(void)
{
	static const struct {
		const char *json;
		bool good;
		enum kube_watch_type type;
		const char *resource_version;
		bool end;
	} rows[] = {
		{"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\"}}}", true,
			KUBE_WATCH_ADDED, "5", false},
		{"{\"object\":{\"metadata\":{\"resourceVersion\":\"6\"}},\"type\":\"MODIFIED\"}",
			true, KUBE_WATCH_MODIFIED, "6", false},
		{"{\"type\":\"DELETED\",\"object\":{}}", true, KUBE_WATCH_DELETED, "", false},
		{"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"}}", true, KUBE_WATCH_ERROR,
			"", false},
		{"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"7\"}}}",
			true, KUBE_WATCH_BOOKMARK, "7", false},
		{"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"8\","
		 "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}",
			true, KUBE_WATCH_BOOKMARK, "8", true},
		{"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"8\","
		 "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}",
			true, KUBE_WATCH_ADDED, "8", false},
		{"{\"type\":\"OTHER\",\"object\":{}}", true, KUBE_WATCH_UNKNOWN, "", false},
		{"{\"type\":\"ADDED\",\"object\":[]}", false, KUBE_WATCH_ADDED, "", false},
		{"{\"type\":\"ADDED\"}", false, KUBE_WATCH_ADDED, "", false},
		{"{\"type\":1,\"object\":{}}", false, KUBE_WATCH_UNKNOWN, "", false},
		{"{}", false, KUBE_WATCH_UNKNOWN, "", false},
		{"7", false, KUBE_WATCH_UNKNOWN, "", false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct kube_watch_line line;
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].good,
			kube_watch_line_decode(fixture_json(rows[i].json, NULL), &line),
			rows[i].json);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].type, line.type, rows[i].json);
		fixture_text_is(rows[i].resource_version, line.resource_version);
		TEST_ASSERT_EQUAL(rows[i].end, line.initial_events_end);
	}
}

/* ---- what a real apiserver sent ---- */

enum { FILE_MAX = 1 << 16 };

struct reading {
	const struct json_want *want;
	enum kube_kind kind;
	bool watch;
	uint32_t objects;
	uint32_t bookmarks;
	uint32_t errors;
	bool ended;
	struct kube_list_meta meta;
};

static void read_object(struct reading *reading, struct json_value object)
{
	/* Items of a list do not say what they are. */
	TEST_ASSERT_EQUAL_MESSAGE(KUBE_OK, fixture_try(reading->kind, object),
		fixture.b.fault_field == NULL ? "" : fixture.b.fault_field);
	reading->objects++;
}

static bool read_piece(void *self, struct json_piece piece)
{
	struct reading *reading = self;
	struct json_value v;
	scratch_reset(&fixture.scratch);
	TEST_ASSERT_NOT_EQUAL(JSON_PIECE_TOO_BIG, piece.kind);
	TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(piece.text, &fixture.scratch, &v));
	if (piece.kind == JSON_PIECE_ENVELOPE) {
		kube_list_meta_decode(v, &reading->meta);
	} else if (!reading->watch) {
		read_object(reading, v);
	} else {
		struct kube_watch_line line;
		struct kube_status status;
		TEST_ASSERT_TRUE(kube_watch_line_decode(v, &line));
		reading->ended |= line.initial_events_end;
		if (line.type == KUBE_WATCH_ERROR) {
			TEST_ASSERT_TRUE(kube_status_decode(line.object, &status));
			TEST_ASSERT_TRUE(status.code >= 400);
			reading->errors++;
		} else if (line.type == KUBE_WATCH_BOOKMARK) {
			TEST_ASSERT_TRUE(line.resource_version.size > 0);
			reading->bookmarks++;
		} else {
			read_object(reading, line.object);
		}
	}
	return true;
}

static void read_file(const char *name, struct reading *reading)
{
	static char bytes[FILE_MAX];
	char path[128];
	snprintf(path, sizeof(path), "tests/json/data/%s.json", name);
	FILE *file = fopen(path, "rb");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	size_t size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	TEST_ASSERT_TRUE(size > 0 && size < sizeof(bytes));
	const struct json_want watched[] = {
		{"type", NULL}, {"object", kube_kinds[reading->kind].want}, {NULL, NULL}};
	json_cut_start(fixture.cut, reading->watch ? JSON_CUT_LINES : JSON_CUT_LIST,
		reading->watch ? watched : kube_kinds[reading->kind].want, kube_list_want,
		read_piece, reading);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(fixture.cut, (struct text){bytes, size}));
	TEST_ASSERT_TRUE(json_cut_end(fixture.cut));
}

static void test_lists_of_an_apiserver(void)
{
	static const struct {
		const char *name;
		enum kube_kind kind;
		uint32_t objects;
		bool more;
	} rows[] = {
		{"list-nodes", KUBE_NODE, 3, false},
		{"list-pods-page1", KUBE_POD, 2, true},
		{"list-pods-page2", KUBE_POD, 2, true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct reading reading = {.kind = rows[i].kind};
		read_file(rows[i].name, &reading);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].objects, reading.objects, rows[i].name);
		TEST_ASSERT_TRUE(reading.meta.resource_version.size > 0);
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].more, reading.meta.continue_token.size > 0, rows[i].name);
	}
}

static void test_watches_of_an_apiserver(void)
{
	static const struct {
		const char *name;
		enum kube_kind kind;
		uint32_t objects, bookmarks, errors;
		bool ended;
	} rows[] = {
		{"watch-nodes-initial", KUBE_NODE, 3, 1, 0, true},
		{"watch-pods-initial", KUBE_POD, 5, 1, 0, true},
		{"watch-pods-live", KUBE_POD, 3, 1, 0, false},
		{"watch-expired-410", KUBE_POD, 0, 0, 1, false},
		{"watch-initial-events-unsupported", KUBE_POD, 0, 0, 1, false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct reading reading = {.kind = rows[i].kind, .watch = true};
		read_file(rows[i].name, &reading);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].objects, reading.objects, rows[i].name);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].bookmarks, reading.bookmarks, rows[i].name);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].errors, reading.errors, rows[i].name);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].ended, reading.ended, rows[i].name);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_statuses);
	RUN_TEST(test_every_want_keeps_a_status);
	RUN_TEST(test_a_lease);
	RUN_TEST(test_holders_of_leases);
	RUN_TEST(test_list_envelopes);
	RUN_TEST(test_watch_lines);
	RUN_TEST(test_lists_of_an_apiserver);
	RUN_TEST(test_watches_of_an_apiserver);
	return UNITY_END();
}
