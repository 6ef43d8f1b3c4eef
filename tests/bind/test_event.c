/* SPDX-License-Identifier: GPL-2.0-only */
/* Events: as kube-scheduler sent them; names, and notes that are too long or not quite text. */
// deps: base/*.c json/*.c kube/*.c api/api_path.c bind/body_event.c
#include "bind/recorded.h"

#include "bind/body.h"
#include "kube/time.h"

enum { OUT_MAX = 16384 };
static char out_bytes[OUT_MAX];
static struct writer out;
static struct recorded recorded;
static const uint8_t random_bytes[BODY_RANDOM] = {
	0, 1, 2, 3, 4, 5, 0xf6, 7, 0xf8, 9, 10, 11, 12, 13, 14, 0xff};

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

static struct wall time_of(struct text t)
{
	struct wall time;
	TEST_ASSERT_TRUE(kube_time_parse(t, &time));
	return time;
}

/* ---- as recorded ---- */

static struct body_reference reference_of(const char *key)
{
	char path[64];
	struct body_reference reference;
	struct {
		const char *member;
		struct text *to;
	} members[] = {
		{"apiVersion", &reference.api_version},
		{"kind", &reference.kind},
		{"namespace", &reference.namespace},
		{"name", &reference.name},
		{"uid", &reference.uid},
		{"resourceVersion", &reference.resource_version},
	};
	for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
		snprintf(path, sizeof(path), "%s.%s", key, members[i].member);
		*members[i].to = recorded_text(&recorded, path);
	}
	return reference;
}

/* The name that was sent says at which nanosecond it was made. */
static struct text name_again(const struct body_reference *regarding, struct writer *to)
{
	struct text sent = recorded_text(&recorded, "metadata.name");
	char hex[32];
	TEST_ASSERT_TRUE(
		text_copy(text_from(sent, text_find_last(sent, '.') + 1), hex, sizeof(hex)));
	body_event_name(regarding->name, strtoull(hex, NULL, 16), random_bytes, to);
	TEST_ASSERT_TRUE(text_is(sent, writer_text(to)));
	return writer_text(to);
}

static void test_recorded_events(void)
{
	uint32_t count = 0;
	recorded_open(&recorded);
	while (recorded_next(&recorded, "create", "/default/events")) {
		char name[BODY_EVENT_NAME_MAX], note[256];
		struct writer name_out, note_out;
		writer_init(&name_out, name, sizeof(name));
		writer_init(&note_out, note, sizeof(note));
		struct body_event event = {
			.regarding = reference_of("regarding"),
			.time = time_of(recorded_text(&recorded, "eventTime")),
			.type = recorded_text(&recorded, "type"),
			.reason = recorded_text(&recorded, "reason"),
			.action = recorded_text(&recorded, "action"),
			.note = recorded_text(&recorded, "note"),
			.reporting_controller = TEXT("default-scheduler"),
			.reporting_instance = TEXT("default-scheduler-edge-1"),
		};
		event.name = name_again(&event.regarding, &name_out);
		if (text_is_z(event.reason, "Scheduled")) {
			struct body_pod pod = {.namespace = event.regarding.namespace,
				.name = event.regarding.name};
			body_note_scheduled(&pod, TEXT("node-00002"), &note_out);
			TEST_ASSERT_TRUE(text_is(event.note, writer_text(&note_out)));
		}
		TEST_ASSERT_TRUE(path_of_event("/apis/events.k8s.io/v1",
			body_event_namespace(&event.regarding), TEXT_NONE, afresh()));
		recorded_uri_is(recorded.uri, &out);
		body_event(&event, afresh());
		recorded_is(recorded.body, &out);
		count++;
	}
	TEST_ASSERT_EQUAL(2, count);
}

static void test_the_recorded_event_of_a_leader(void)
{
	char name[BODY_EVENT_NAME_MAX];
	struct writer name_out;
	writer_init(&name_out, name, sizeof(name));
	recorded_open(&recorded);
	TEST_ASSERT_TRUE(recorded_next(&recorded, "create", "/kube-system/events"));
	struct body_event event = {
		.regarding = reference_of("involvedObject"),
		.time = time_of(TEXT("2026-11-18T10:37:08.927065Z")),
		.type = TEXT("Normal"),
		.reason = TEXT("LeaderElection"),
		.note = recorded_text(&recorded, "message"),
		.reporting_controller = TEXT("default-scheduler"),
	};
	event.name = name_again(&event.regarding, &name_out);
	TEST_ASSERT_TRUE(path_of_event("/api/v1", event.regarding.namespace, TEXT_NONE, &out));
	recorded_uri_is(recorded.uri, &out);
	body_core_event(&event, afresh());
	recorded_is(recorded.body, &out);
	fclose(recorded.file);
}

static void test_a_series(void)
{
	body_event_series(2, time_of(TEXT("2026-11-18T10:37:11.01636Z")), &out);
	recorded_is_z("{\"series\":{\"count\":2,\"lastObservedTime\":"
		      "\"2026-11-18T10:37:11.016360Z\"}}",
		&out);
	body_event_series(UINT32_MAX, (struct wall){0}, afresh());
	recorded_is_z("{\"series\":{\"count\":4294967295,\"lastObservedTime\":"
		      "\"1970-01-01T00:00:00.000000Z\"}}",
		&out);
}

static void test_notes_of_preemption(void)
{
	body_note_preempted(TEXT("u-1"), TEXT("n-1"), false, &out);
	fixture_text_is("Preempted by pod u-1 on node n-1", writer_text(&out));
	body_note_preempted(TEXT("u-1"), TEXT("n-1"), true, afresh());
	fixture_text_is(
		"Preempted by pod u-1 on node n-1 (in kube-scheduler memory).", writer_text(&out));
}

/* ---- names ---- */

static void test_names(void)
{
	static const char uuid[] = "00010203-0405-4607-b809-0a0b0c0d0eff";
	static const struct {
		struct text regarding;
		uint64_t nanos;
		const char *name;
	} rows[] = {
		{TEXT("web-0"), 0, "web-0.0"},
		{TEXT("a.b"), 255, "a.b.ff"},
		{TEXT("0"), UINT64_MAX, "0.ffffffffffffffff"},
		{TEXT("Web"), 1, uuid},
		{TEXT("we_b"), 1, uuid},
		{TEXT("-web"), 1, uuid},
		{TEXT("web-"), 1, uuid},
		{TEXT("web."), 1, uuid},
		{TEXT("a..b"), 1, uuid},
		{TEXT(".a"), 1, uuid},
		{TEXT("../x"), 1, uuid},
		{TEXT(""), 1, uuid},
		{TEXT_NONE, 1, uuid},
		{TEXT("caf\xc3\xa9"), 1, uuid},
		{TEXT("a\0b"), 1, uuid},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		body_event_name(rows[i].regarding, rows[i].nanos, random_bytes, afresh());
		fixture_text_is(rows[i].name, writer_text(&out));
	}
}

static void test_a_name_has_room_for_its_time(void)
{
	char bytes[300];
	memset(bytes, 'a', sizeof(bytes));
	/* 251 and ".1" are 253 */
	for (size_t size = 249; size < sizeof(bytes); size++) {
		body_event_name((struct text){bytes, size}, 1, random_bytes, afresh());
		TEST_ASSERT_EQUAL(size <= 251 ? size + 2 : 36, out.used);
	}
}

/* ---- notes ---- */

/* The note as an apiserver reads it, of an event with this one. */
static struct text note_of(struct text note)
{
	struct body_event event = {.name = TEXT("e"), .note = note};
	body_event(&event, afresh());
	struct text read = json_text(json_get(recorded_parse(&out), "note"));
	body_core_event(&event, afresh());
	TEST_ASSERT_TRUE(text_is(read, json_text(json_get(recorded_parse(&out), "message"))));
	TEST_ASSERT_TRUE(read.size <= BODY_NOTE_MAX);
	TEST_ASSERT_TRUE(text_is_utf8(read));
	return read;
}

static void test_notes_of_all_sizes(void)
{
	enum { SIZE = 1 << 20 };
	static const size_t sizes[] = {0, 1, 1019, 1020, 1021, 1023, 1024, 1025, 1100, SIZE};
	char *bytes = malloc(SIZE);
	TEST_ASSERT_NOT_NULL(bytes);
	memset(bytes, 'x', SIZE);
	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		struct text note = {bytes, sizes[i]}, read = note_of(note);
		if (sizes[i] <= BODY_NOTE_MAX) {
			TEST_ASSERT_TRUE(text_is(note, read));
		} else {
			TEST_ASSERT_EQUAL(BODY_NOTE_MAX, read.size);
			TEST_ASSERT_TRUE(text_starts(read, text_first(note, 1020)));
			TEST_ASSERT_TRUE(text_ends(read, TEXT("x ...")));
		}
	}
	free(bytes);
}

/* `unit` over and over behind `before` letters, read as `size` bytes. */
static void cut_is(size_t before, struct text unit, size_t size)
{
	char bytes[4096];
	struct writer note;
	writer_init(&note, bytes, sizeof(bytes));
	for (size_t i = 0; i < before; i++)
		write_char(&note, 'x');
	for (size_t i = 0; i < 500; i++)
		write_text(&note, unit);
	TEST_ASSERT_FALSE(note.overflowed);
	TEST_ASSERT_EQUAL(size, note_of(writer_text(&note)).size);
}

static void test_notes_are_cut_between_characters(void)
{
	struct text euro = TEXT("\xe2\x82\xac"), ship = TEXT("\xf0\x9f\x9a\xa2");
	cut_is(0, euro, 340 * 3 + 4);
	cut_is(1, euro, 1 + 339 * 3 + 4);
	cut_is(2, euro, 2 + 339 * 3 + 4);
	cut_is(0, ship, 255 * 4 + 4);
	cut_is(1, ship, 1 + 254 * 4 + 4);
	cut_is(3, ship, 3 + 254 * 4 + 4);
	/* Every broken byte is read as three. */
	cut_is(0, TEXT("\xff"), 340 * 3 + 4);
	cut_is(2, TEXT("\xe2\x82"), 2 + 339 * 3 + 4);
}

static void test_notes_of_odd_characters(void)
{
	static const struct {
		struct text note;
		const char *read;
	} rows[] = {
		{TEXT("say \"x\" \\ y\n\tz\x01"), "say \"x\" \\ y\n\tz\x01"},
		{TEXT("100% of %s, %!d"), "100% of %s, %!d"},
		{TEXT("caf\xc3\xa9 \xf0\x9f\x9a\xa2"), "caf\xc3\xa9 \xf0\x9f\x9a\xa2"},
		{TEXT("\xff|\xc3|\xed\xa0\x80"),
			"\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{TEXT_NONE, ""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		fixture_text_is(rows[i].read, note_of(rows[i].note));
}

/* ---- references ---- */

static void test_what_is_empty_is_left_out(void)
{
	struct body_event event = {
		.name = TEXT("e"), .regarding = {.kind = TEXT("Node"), .name = TEXT("n\"1")}};
	fixture_text_is("default", body_event_namespace(&event.regarding));
	body_event(&event, &out);
	recorded_is_z("{\"action\":\"\",\"apiVersion\":\"events.k8s.io/v1\","
		      "\"deprecatedFirstTimestamp\":null,\"deprecatedLastTimestamp\":null,"
		      "\"deprecatedSource\":{},\"eventTime\":\"1970-01-01T00:00:00.000000Z\","
		      "\"kind\":\"Event\",\"metadata\":{\"name\":\"e\",\"namespace\":\"default\"},"
		      "\"note\":\"\",\"reason\":\"\",\"regarding\":{\"kind\":\"Node\",\"name\":"
		      "\"n\\\"1\"},\"reportingController\":\"\",\"reportingInstance\":\"\","
		      "\"type\":\"\"}",
		&out);
}

static void test_a_small_buffer_is_seen(void)
{
	struct body_event event = {.name = TEXT("e")};
	char bytes[64];
	writer_init(&out, bytes, sizeof(bytes));
	body_event(&event, &out);
	TEST_ASSERT_TRUE(out.overflowed);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_recorded_events);
	RUN_TEST(test_the_recorded_event_of_a_leader);
	RUN_TEST(test_a_series);
	RUN_TEST(test_notes_of_preemption);
	RUN_TEST(test_names);
	RUN_TEST(test_a_name_has_room_for_its_time);
	RUN_TEST(test_notes_of_all_sizes);
	RUN_TEST(test_notes_are_cut_between_characters);
	RUN_TEST(test_notes_of_odd_characters);
	RUN_TEST(test_what_is_empty_is_left_out);
	RUN_TEST(test_a_small_buffer_is_seen);
	return UNITY_END();
}
