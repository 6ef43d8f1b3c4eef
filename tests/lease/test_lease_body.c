/* SPDX-License-Identifier: GPL-2.0-only */
/* Leases: as kube-scheduler wrote them, what is kept of others' writing, and how one is given up.
 */
// deps: base/*.c json/*.c kube/*.c api/api_path.c lease/lease_body.c
#include "bind/recorded.h"

#include "kube/time.h"
#include "lease/lease_body.h"

enum { OUT_MAX = 4096 };
static char out_bytes[OUT_MAX];
static struct writer out;
static struct recorded recorded;
static const struct text kube_system = TEXT("kube-system");
static const struct text kube_scheduler = TEXT("kube-scheduler");

void setUp(void)
{
	fixture_start();
	writer_init(&out, out_bytes, sizeof(out_bytes));
}

void tearDown(void)
{
	fixture_end();
}

static struct writer *afresh(void)
{
	writer_init(&out, out_bytes, sizeof(out_bytes));
	return &out;
}

static struct wall at(const char *time)
{
	struct wall wall;
	TEST_ASSERT_TRUE(kube_time_parse(text_of(time), &wall));
	return wall;
}

static struct kube_lease lease_of(const char *json)
{
	struct kube_lease lease;
	TEST_ASSERT_EQUAL(KUBE_OK,
		kube_lease_decode(&fixture.b, fixture_json(json, kube_lease_want), &lease));
	return lease;
}

/* ---- as recorded ---- */

static void test_a_recorded_create(void)
{
	recorded_open(&recorded);
	TEST_ASSERT_TRUE(recorded_next(&recorded, "create", "/leases?timeout=5s"));
	TEST_ASSERT_TRUE(lease_path(kube_system, TEXT_NONE, 5, &out));
	recorded_uri_is(recorded.uri, &out);
	struct lease_record record =
		lease_record_hold(NULL, recorded_text(&recorded, "spec.holderIdentity"), 15,
			at("2026-11-18T10:37:08.919698Z"));
	lease_body_create(kube_system, kube_scheduler, &record, afresh());
	recorded_is(recorded.body, &out);
	fclose(recorded.file);
}

/* Each renewal follows from the lease before it. creationTimestamp is the apiserver's to keep. */
static void test_recorded_updates(void)
{
	uint32_t count = 0;
	recorded_open(&recorded);
	while (recorded_next(&recorded, "update", "/kube-scheduler?timeout=5s")) {
		struct kube_lease old = {
			.name = recorded_text(&recorded, "metadata.name"),
			.resource_version = recorded_text(&recorded, "metadata.resourceVersion"),
			.uid = recorded_text(&recorded, "metadata.uid"),
			.holder = recorded_text(&recorded, "spec.holderIdentity"),
			.has_holder = true,
			.acquire_time = TEXT("2026-11-18T10:37:08.919698Z"),
			.renew_time = TEXT("2026-11-18T10:37:08.919698Z"),
		};
		struct wall now;
		TEST_ASSERT_TRUE(kube_time_parse(recorded_text(&recorded, "spec.renewTime"), &now));
		struct lease_record record = lease_record_hold(&old, old.holder, 15, now);
		TEST_ASSERT_TRUE(lease_path(kube_system, kube_scheduler, 5, afresh()));
		recorded_uri_is(recorded.uri, &out);
		lease_body_update(kube_system, &old, &record, afresh());
		TEST_ASSERT_TRUE(
			recorded_same(recorded.body, recorded_parse(&out), "creationTimestamp"));
		count++;
	}
	TEST_ASSERT_EQUAL(2, count);
}

/* What it left behind when it was stopped. */
static void test_a_recorded_release(void)
{
	char json[OUT_MAX];
	FILE *file = fopen("tests/json/data/lease-get.json", "rb");
	TEST_ASSERT_NOT_NULL(file);
	json[fread(json, 1, sizeof(json) - 1, file)] = '\0';
	fclose(file);
	struct kube_lease left = lease_of(json);
	struct lease_record record = lease_record_release(&left, at("2026-11-18T10:37:24.798604Z"));
	lease_body_update(kube_system, &left, &record, &out);
	struct json_value written = json_get(recorded_parse(&out), "spec");
	TEST_ASSERT_TRUE(recorded_same(json_get(fixture_json(json, NULL), "spec"), written, ""));
}

/* ---- whose, since when ---- */

#define LEASE(spec)                                                                            \
	"{\"metadata\":{\"name\":\"kube-scheduler\",\"uid\":\"u\",\"resourceVersion\":\"7\"}," \
	"\"spec\":" spec "}"

static void test_records(void)
{
	static const struct {
		const char *lease;
		const char *acquired; /* NULL: never said */
		int32_t transitions;
	} rows[] = {
		{LEASE("{\"holderIdentity\":\"me\",\"leaseTransitions\":4,\"acquireTime\":"
		       "\"2026-11-18T08:00:00.5Z\"}"),
			"2026-11-18T08:00:00.5Z", 4},
		{LEASE("{\"holderIdentity\":\"you\",\"leaseTransitions\":4,\"acquireTime\":"
		       "\"2026-11-18T08:00:00.5Z\"}"),
			"2026-11-18T12:00:00.000001Z", 5},
		{LEASE("{\"holderIdentity\":\"\",\"leaseTransitions\":4}"),
			"2026-11-18T12:00:00.000001Z", 5},
		{LEASE("{}"), "2026-11-18T12:00:00.000001Z", 1},
		{LEASE("null"), "2026-11-18T12:00:00.000001Z", 1},
		{LEASE("{\"holderIdentity\":\"me2\",\"leaseTransitions\":2147483647}"),
			"2026-11-18T12:00:00.000001Z", INT32_MAX},
		{LEASE("{\"holderIdentity\":\"me2\",\"leaseTransitions\":-5}"),
			"2026-11-18T12:00:00.000001Z", 1},
		{LEASE("{\"holderIdentity\":\"me\",\"leaseTransitions\":4}"), NULL, 4},
		{LEASE("{\"holderIdentity\":\"me\",\"acquireTime\":\"soon\"}"), NULL, 0},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct kube_lease old = lease_of(rows[i].lease);
		struct wall now = at("2026-11-18T12:00:00.000001Z");
		struct lease_record record = lease_record_hold(&old, TEXT("me"), 15, now);
		fixture_text_is("me", record.holder);
		TEST_ASSERT_EQUAL(15, record.duration_seconds);
		TEST_ASSERT_EQUAL_INT64(now.us, record.renewed.us);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].transitions, record.transitions, rows[i].lease);
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].acquired != NULL, record.has_acquired, rows[i].lease);
		if (record.has_acquired)
			TEST_ASSERT_EQUAL_INT64(at(rows[i].acquired).us, record.acquired.us);
	}
}

static void test_a_time_never_said_is_null(void)
{
	struct kube_lease old = lease_of(LEASE("{\"holderIdentity\":\"me\"}"));
	struct lease_record record =
		lease_record_hold(&old, TEXT("me"), 15, at("2026-11-18T12:00:00Z"));
	lease_body_update(kube_system, &old, &record, &out);
	recorded_is_z(
		"{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{"
		"\"name\":\"kube-scheduler\",\"namespace\":\"kube-system\","
		"\"resourceVersion\":\"7\",\"uid\":\"u\"},\"spec\":{\"acquireTime\":null,"
		"\"holderIdentity\":\"me\",\"leaseDurationSeconds\":15,\"leaseTransitions\":0,"
		"\"renewTime\":\"2026-11-18T12:00:00.000000Z\"}}",
		&out);
}

/* ---- what others wrote ---- */

static const char labelled[] =
	"{\"metadata\":{\"name\":\"kube-scheduler\",\"uid\":\"u\",\"resourceVersion\":\"7\","
	"\"labels\":{\"a/b\":\"c\",\"empty\":\"\"},\"annotations\":{\"json\":\"{\\\"x\\\":\\n1}\","
	"\"k\\\"ey\":\"\\u00e9\\ud83d\\udea2\\u0001\"}},\"spec\":{}}";

static void test_labels_and_annotations_stay(void)
{
	struct lease_record record = {.holder = TEXT("me"), .duration_seconds = 15};
	/* The second time its strings have been read, and are no longer as they came. */
	struct kube_lease old = lease_of(labelled);
	for (int i = 0; i < 2; i++) {
		lease_body_update(kube_system, &old, &record, afresh());
		struct json_value before = json_get(fixture_json(labelled, NULL), "metadata");
		struct json_value after = json_get(recorded_parse(&out), "metadata");
		TEST_ASSERT_EQUAL(2, json_count(json_get(after, "labels")));
		TEST_ASSERT_TRUE(
			recorded_same(json_get(before, "labels"), json_get(after, "labels"), ""));
		TEST_ASSERT_EQUAL(2, json_count(json_get(after, "annotations")));
		TEST_ASSERT_TRUE(recorded_same(
			json_get(before, "annotations"), json_get(after, "annotations"), ""));
	}
}

static void test_no_labels_are_left_out(void)
{
	static const char *const none[] = {
		"{\"metadata\":{\"name\":\"l\"}}",
		"{\"metadata\":{\"name\":\"l\",\"labels\":{},\"annotations\":null}}",
		"{\"metadata\":{\"name\":\"l\",\"labels\":null,\"annotations\":{}}}",
	};
	for (size_t i = 0; i < ARRAY_COUNT(none); i++) {
		struct kube_lease old = lease_of(none[i]);
		struct lease_record record = {.holder = TEXT("me"), .duration_seconds = 15};
		lease_body_update(kube_system, &old, &record, afresh());
		TEST_ASSERT_FALSE(text_contains(writer_text(&out), TEXT("labels")));
		TEST_ASSERT_FALSE(text_contains(writer_text(&out), TEXT("annotations")));
	}
}

/* ---- paths, room ---- */

static void test_paths(void)
{
	TEST_ASSERT_TRUE(lease_path(kube_system, TEXT("a b"), 0, &out));
	fixture_text_is("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a%20b",
		writer_text(&out));
	TEST_ASSERT_FALSE(lease_path(TEXT(".."), kube_scheduler, 5, afresh()));
	TEST_ASSERT_FALSE(lease_path(kube_system, TEXT("a/b"), 5, &out));
	TEST_ASSERT_FALSE(lease_path(kube_system, TEXT(""), 5, &out));
	TEST_ASSERT_FALSE(lease_path(TEXT(""), TEXT_NONE, 5, &out));
	TEST_ASSERT_EQUAL(0, out.used);
}

static void test_a_small_buffer_is_seen(void)
{
	char bytes[64];
	struct lease_record record =
		lease_record_hold(NULL, TEXT("me"), 15, at("2026-11-18T12:00:00Z"));
	writer_init(&out, bytes, sizeof(bytes));
	lease_body_create(kube_system, kube_scheduler, &record, &out);
	TEST_ASSERT_TRUE(out.overflowed);
	writer_init(&out, bytes, sizeof(bytes));
	TEST_ASSERT_TRUE(lease_path(kube_system, kube_scheduler, 5, &out));
	TEST_ASSERT_TRUE(out.overflowed);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_recorded_create);
	RUN_TEST(test_recorded_updates);
	RUN_TEST(test_a_recorded_release);
	RUN_TEST(test_records);
	RUN_TEST(test_a_time_never_said_is_null);
	RUN_TEST(test_labels_and_annotations_stay);
	RUN_TEST(test_no_labels_are_left_out);
	RUN_TEST(test_paths);
	RUN_TEST(test_a_small_buffer_is_seen);
	return UNITY_END();
}
