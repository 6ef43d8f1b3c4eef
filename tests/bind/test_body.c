/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths, bindings, deletions and status patches: as kube-scheduler sent them, and at the edges. */
// deps: base/*.c json/*.c kube/*.c api/api_path.c bind/body_binding.c bind/body_status.c
#include "bind/recorded.h"

#include "bind/body.h"
#include "kube/time.h"

enum { OUT_MAX = 16384 };
static char out_bytes[OUT_MAX];
static struct writer out;
static struct recorded recorded;

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

/* ---- paths ---- */

static void test_segments(void)
{
	static const struct {
		struct text segment;
		const char *escaped; /* NULL: refused */
	} rows[] = {
		{TEXT("web-0"), "web-0"},
		{TEXT("a.b_c~d"), "a.b_c~d"},
		{TEXT("system:kube$&+=@"), "system:kube$&+=@"},
		{TEXT("a b?c#d"), "a%20b%3Fc%23d"},
		{TEXT("a;b,c\"<>\\"), "a%3Bb%2Cc%22%3C%3E%5C"},
		{TEXT("\r\nHost: x"), "%0D%0AHost:%20x"},
		{TEXT("caf\xc3\xa9"), "caf%C3%A9"},
		{TEXT("\xff\x7f"), "%FF%7F"},
		{TEXT("a\0b"), "a%00b"},
		{TEXT("..."), "..."},
		{TEXT(""), NULL},
		{TEXT("."), NULL},
		{TEXT(".."), NULL},
		{TEXT("a/b"), NULL},
		{TEXT("../nodes"), NULL},
		{TEXT("a%2Fb"), NULL},
	};
	const struct text path = TEXT("/api/v1/namespaces/a/pods/");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		bool good = path_of_pod(TEXT("a"), rows[i].segment, NULL, afresh());
		TEST_ASSERT_EQUAL(rows[i].escaped != NULL, good);
		struct text written = writer_text(&out);
		TEST_ASSERT_EQUAL(good, text_starts(written, path));
		fixture_text_is(good ? rows[i].escaped : "",
			good ? text_from(written, path.size) : written);
	}
}

static void test_paths(void)
{
	struct text ns = TEXT("default"), name = TEXT("web-0");
	TEST_ASSERT_TRUE(path_of_pod(ns, name, NULL, afresh()));
	fixture_text_is("/api/v1/namespaces/default/pods/web-0", writer_text(&out));
	TEST_ASSERT_TRUE(path_of_pod(ns, name, "status", afresh()));
	fixture_text_is("/api/v1/namespaces/default/pods/web-0/status", writer_text(&out));
	TEST_ASSERT_TRUE(path_of_pod(ns, name, "binding", afresh()));
	fixture_text_is("/api/v1/namespaces/default/pods/web-0/binding", writer_text(&out));
	TEST_ASSERT_TRUE(path_of_event("/apis/events.k8s.io/v1", ns, TEXT_NONE, afresh()));
	fixture_text_is("/apis/events.k8s.io/v1/namespaces/default/events", writer_text(&out));
	TEST_ASSERT_TRUE(path_of_event("/apis/events.k8s.io/v1", ns, TEXT("web-0.18e9"), afresh()));
	fixture_text_is(
		"/apis/events.k8s.io/v1/namespaces/default/events/web-0.18e9", writer_text(&out));
	TEST_ASSERT_TRUE(path_of_event("/api/v1", ns, TEXT_NONE, afresh()));
	fixture_text_is("/api/v1/namespaces/default/events", writer_text(&out));
}

/* A refused path leaves nothing behind, whichever part is bad. */
static void test_paths_of_bad_names(void)
{
	struct text good = TEXT("a"), bad = TEXT("..");
	afresh();
	TEST_ASSERT_FALSE(path_of_pod(bad, good, NULL, &out));
	TEST_ASSERT_FALSE(path_of_pod(good, bad, NULL, &out));
	TEST_ASSERT_FALSE(path_of_pod(good, TEXT("a/binding"), "status", &out));
	TEST_ASSERT_FALSE(path_of_pod(TEXT(""), good, "binding", &out));
	TEST_ASSERT_FALSE(path_of_event("/apis/events.k8s.io/v1", bad, TEXT_NONE, &out));
	TEST_ASSERT_FALSE(path_of_event("/apis/events.k8s.io/v1", good, TEXT(""), &out));
	TEST_ASSERT_FALSE(path_of_event("/api/v1", bad, TEXT_NONE, &out));
	TEST_ASSERT_EQUAL(0, out.used);
	TEST_ASSERT_FALSE(out.overflowed);
}

static void test_the_longest_valid_path_fits(void)
{
	char ns[63], name[253], bytes[API_PATH_MAX];
	memset(ns, 'n', sizeof(ns));
	memset(name, 'p', sizeof(name));
	writer_init(&out, bytes, sizeof(bytes));
	TEST_ASSERT_TRUE(path_of_event("/apis/events.k8s.io/v1", (struct text){ns, sizeof(ns)},
		(struct text){name, sizeof(name)}, &out));
	TEST_ASSERT_FALSE(out.overflowed);
	writer_init(&out, bytes, sizeof(name));
	TEST_ASSERT_TRUE(path_of_pod(
		(struct text){ns, sizeof(ns)}, (struct text){name, sizeof(name)}, "binding", &out));
	TEST_ASSERT_TRUE(out.overflowed);
}

/* ---- binding, deleting ---- */

static void test_recorded_bindings(void)
{
	uint32_t count = 0;
	recorded_open(&recorded);
	while (recorded_next(&recorded, "create", "/binding")) {
		struct body_pod pod = {
			.namespace = recorded_text(&recorded, "metadata.namespace"),
			.name = recorded_text(&recorded, "metadata.name"),
			.uid = recorded_text(&recorded, "metadata.uid"),
		};
		TEST_ASSERT_TRUE(path_of_pod(pod.namespace, pod.name, "binding", afresh()));
		recorded_uri_is(recorded.uri, &out);
		body_binding(&pod, recorded_text(&recorded, "target.name"), afresh());
		recorded_is(recorded.body, &out);
		count++;
	}
	TEST_ASSERT_EQUAL(4, count);
}

static void test_a_binding_of_odd_names(void)
{
	struct body_pod pod = {TEXT("n\"s"), TEXT("p\\q\n\x01"), TEXT("u\xff")};
	body_binding(&pod,
		TEXT("n\xc3\xb6"
		     "de"),
		&out);
	recorded_is_z("{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":"
		      "\"p\\\\q\\n\\u0001\",\"namespace\":\"n\\\"s\",\"uid\":\"u\\ufffd\"},"
		      "\"target\":{\"kind\":\"Node\",\"name\":\"n\\u00f6de\"}}",
		&out);
	pod.uid = TEXT_NONE;
	body_binding(&pod, TEXT("n"), afresh());
	TEST_ASSERT_FALSE(text_contains(writer_text(&out), TEXT("uid")));
}

/* The record shows the apiserver's own form of the options: nothing is set in them. */
static void test_a_recorded_delete(void)
{
	recorded_open(&recorded);
	TEST_ASSERT_TRUE(recorded_next(&recorded, "delete", "/pods/low1"));
	TEST_ASSERT_EQUAL(2, json_count(recorded.body));
	TEST_ASSERT_TRUE(path_of_pod(TEXT("default"), TEXT("low1"), NULL, &out));
	recorded_uri_is(recorded.uri, &out);
	body_delete(afresh());
	recorded_is_z("{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"}", &out);
	TEST_ASSERT_FALSE(recorded_next(&recorded, "delete", ""));
}

/* ---- status ---- */

static struct body_condition unschedulable(struct text message)
{
	return (struct body_condition){
		.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = TEXT("Unschedulable"),
		.message = message,
		.observed_generation = 1,
	};
}

static struct kube_condition standing(const char *message)
{
	return (struct kube_condition){
		.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = TEXT("Unschedulable"),
		.message = text_of(message),
		.last_transition_time = TEXT("2026-11-18T10:00:00Z"),
		.observed_generation = 1,
	};
}

static struct json_value recorded_patch(const char *uri_end, struct text *message)
{
	recorded_open(&recorded);
	TEST_ASSERT_TRUE(recorded_next(&recorded, "patch", uri_end));
	struct json_walk walk = json_walk(json_path(recorded.body, "status.conditions"));
	*message = json_walk_next(&walk) ? json_text(json_get(walk.value, "message")) : TEXT_NONE;
	struct json_value body = recorded.body;
	fclose(recorded.file);
	return body;
}

static void test_recorded_first_conditions(void)
{
	static const struct {
		const char *pod, *time, *nominated;
	} rows[] = {
		{"nofit", "2026-11-18T10:37:11.5Z", ""},
		{"vip", "2026-11-18T10:37:14.000001Z", "node-00000"},
		{"usestat", "2026-11-18T10:37:20Z", ""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char uri_end[64];
		struct text message;
		snprintf(uri_end, sizeof(uri_end), "/pods/%s/status", rows[i].pod);
		struct json_value expected = recorded_patch(uri_end, &message);
		struct body_condition condition = unschedulable(message);
		struct body_status status = {
			.condition = &condition,
			.set_nominated = true,
			.nominated = text_of(rows[i].nominated),
			.now = at(rows[i].time),
		};
		TEST_ASSERT_TRUE(
			path_of_pod(TEXT("default"), text_of(rows[i].pod), "status", afresh()));
		recorded_uri_is(recorded.uri, &out);
		TEST_ASSERT_TRUE(body_status_patch(&status, afresh()));
		recorded_is(expected, &out);
	}
}

static void test_a_recorded_nomination(void)
{
	struct text none;
	struct json_value expected = recorded_patch("/pods/usedyn/status", &none);
	struct body_status status = {.set_nominated = true, .nominated = TEXT("node-00002")};
	TEST_ASSERT_TRUE(body_status_patch(&status, &out));
	recorded_is(expected, &out);
}

static void test_a_recorded_victim(void)
{
	char bytes[128];
	struct writer message;
	struct text said;
	struct json_value expected = recorded_patch("/pods/low1/status", &said);
	writer_init(&message, bytes, sizeof(bytes));
	write_z(&message, "kept ");
	struct kube_condition old = {
		.type = TEXT("PodScheduled"),
		.status = TEXT("True"),
		.last_transition_time = TEXT("2026-11-18T10:37:11Z"),
	};
	struct body_condition condition =
		body_disruption_target(TEXT("default-scheduler"), 1, &message);
	struct body_status status = {
		.old = &old,
		.old_count = 1,
		.condition = &condition,
		.now = at("2026-11-18T10:37:14Z"),
	};
	TEST_ASSERT_TRUE(text_is(said, condition.message));
	TEST_ASSERT_TRUE(body_status_patch(&status, &out));
	recorded_is(expected, &out);

	/* Told once is told. */
	struct kube_condition both[] = {old,
		{.type = condition.type,
			.status = condition.status,
			.reason = condition.reason,
			.message = condition.message,
			.last_transition_time = TEXT("2026-11-18T10:37:14Z"),
			.observed_generation = 1}};
	status.old = both;
	status.old_count = 2;
	TEST_ASSERT_FALSE(body_status_patch(&status, afresh()));
	TEST_ASSERT_EQUAL(0, out.used);
}

static void test_only_what_changed(void)
{
#define ORDER "{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"PodScheduled\"}],"
	static const struct {
		struct kube_condition old;
		const char *patch; /* NULL: none */
	} rows[] = {
		/* the same */
		{{TEXT("PodScheduled"), TEXT("False"), TEXT("Unschedulable"), TEXT("m"), TEXT_NONE,
			 TEXT("2026-11-18T10:00:00Z"), 1},
			NULL},
		/* observedGeneration alone is no reason */
		{{TEXT("PodScheduled"), TEXT("False"), TEXT("Unschedulable"), TEXT("m"), TEXT_NONE,
			 TEXT("2026-11-18T10:00:00Z"), 7},
			NULL},
		{{TEXT("PodScheduled"), TEXT("False"), TEXT("Unschedulable"), TEXT("old"),
			 TEXT_NONE, TEXT("2026-11-18T10:00:00Z"), 1},
			ORDER "\"conditions\":[{\"message\":\"m\",\"type\":\"PodScheduled\"}]}}"},
		/* ... but it goes along */
		{{TEXT("PodScheduled"), TEXT("False"), TEXT("SchedulingGated"), TEXT("m"),
			 TEXT_NONE, TEXT("2026-11-18T10:00:00Z"), 0},
			ORDER "\"conditions\":[{\"observedGeneration\":1,\"reason\":"
			      "\"Unschedulable\",\"type\":\"PodScheduled\"}]}}"},
		/* another status starts the time anew */
		{{TEXT("PodScheduled"), TEXT("True"), TEXT_NONE, TEXT_NONE, TEXT_NONE,
			 TEXT("2026-11-18T10:00:00Z"), 1},
			ORDER "\"conditions\":[{\"lastTransitionTime\":\"2026-11-18T12:00:00Z\","
			      "\"message\":\"m\",\"reason\":\"Unschedulable\",\"status\":\"False\","
			      "\"type\":\"PodScheduled\"}]}}"},
		/* ... unless that was in this second */
		{{TEXT("PodScheduled"), TEXT("True"), TEXT("Unschedulable"), TEXT("m"), TEXT_NONE,
			 TEXT("2026-11-18T13:00:00+01:00"), 1},
			ORDER "\"conditions\":[{\"status\":\"False\",\"type\":\"PodScheduled\"}]}"
			      "}"},
		{{TEXT("PodScheduled"), TEXT("Unknown"), TEXT("Unschedulable"), TEXT("m"),
			 TEXT_NONE, TEXT("yesterday"), 1},
			ORDER "\"conditions\":[{\"lastTransitionTime\":\"2026-11-18T12:00:00Z\","
			      "\"status\":\"False\",\"type\":\"PodScheduled\"}]}}"},
		/* somebody probed */
		{{TEXT("PodScheduled"), TEXT("False"), TEXT("Unschedulable"), TEXT("m"),
			 TEXT("2026-11-18T10:00:00Z"), TEXT("2026-11-18T10:00:00Z"), 1},
			ORDER "\"conditions\":[{\"lastProbeTime\":null,\"type\":\"PodScheduled\"}]"
			      "}}"},
	};
	struct body_condition condition = unschedulable(TEXT("m"));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct body_status status = {
			.old = &rows[i].old,
			.old_count = 1,
			.condition = &condition,
			.now = at("2026-11-18T12:00:00Z"),
		};
		TEST_ASSERT_EQUAL(rows[i].patch != NULL, body_status_patch(&status, afresh()));
		if (rows[i].patch != NULL)
			recorded_is_z(rows[i].patch, &out);
		else
			TEST_ASSERT_EQUAL(0, out.used);
	}
}

static void test_what_is_emptied_becomes_null(void)
{
	struct kube_condition old = standing("m");
	struct body_condition condition = {.type = TEXT("PodScheduled"), .status = TEXT("False")};
	struct body_status status = {.old = &old, .old_count = 1, .condition = &condition};
	TEST_ASSERT_TRUE(body_status_patch(&status, &out));
	recorded_is_z(ORDER "\"conditions\":[{\"message\":null,\"observedGeneration\":null,"
			    "\"reason\":null,\"type\":\"PodScheduled\"}]}}",
		&out);
	status.old_count = 0;
	TEST_ASSERT_TRUE(body_status_patch(&status, afresh()));
	recorded_is_z("{\"status\":{\"conditions\":[{\"lastProbeTime\":null,\"lastTransitionTime\":"
		      "\"1970-01-01T00:00:00Z\",\"status\":\"False\",\"type\":\"PodScheduled\"}]}}",
		&out);
}

static void test_other_conditions_keep_their_place(void)
{
	struct kube_condition old[] = {{.type = TEXT("Initialized"), .status = TEXT("True")},
		standing("old"), {.type = TEXT("x\"y"), .status = TEXT("True")}};
	struct body_condition condition = unschedulable(TEXT("m"));
	struct body_status status = {.old = old, .old_count = 3, .condition = &condition};
	TEST_ASSERT_TRUE(body_status_patch(&status, &out));
	recorded_is_z("{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"Initialized\"},{"
		      "\"type\":\"PodScheduled\"},{\"type\":\"x\\\"y\"}],\"conditions\":[{"
		      "\"message\":\"m\",\"type\":\"PodScheduled\"}]}}",
		&out);
}

static void test_nominations(void)
{
	static const struct {
		const char *there, *wanted;
		bool set;
		const char *patch; /* with nothing to say about conditions; NULL: none */
	} rows[] = {
		{"", "n1", true, "{\"status\":{\"nominatedNodeName\":\"n1\"}}"},
		{"n1", "n2", true, "{\"status\":{\"nominatedNodeName\":\"n2\"}}"},
		{"n1", "", true, "{\"status\":{\"nominatedNodeName\":null}}"},
		{"n1", "n1", true, NULL},
		{"", "", true, NULL},
		{"n1", "", false, NULL},
		{"", "n1", false, NULL},
	};
	struct kube_condition old = standing("m");
	struct body_condition condition = unschedulable(TEXT("m"));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct body_status status = {
			.old = &old,
			.old_count = 1,
			.old_nominated = text_of(rows[i].there),
			.condition = i % 2 == 0 ? &condition : NULL,
			.set_nominated = rows[i].set,
			.nominated = text_of(rows[i].wanted),
		};
		TEST_ASSERT_EQUAL(rows[i].patch != NULL, body_status_patch(&status, afresh()));
		if (rows[i].patch != NULL)
			recorded_is_z(rows[i].patch, &out);
		else
			TEST_ASSERT_EQUAL(0, out.used);
	}
}

static void test_nomination_and_condition_together(void)
{
	struct kube_condition old = standing("old");
	struct body_condition condition = unschedulable(TEXT("m"));
	struct body_status status = {
		.old = &old,
		.old_count = 1,
		.old_nominated = TEXT("n1"),
		.condition = &condition,
		.set_nominated = true,
		.nominated = TEXT(""),
	};
	TEST_ASSERT_TRUE(body_status_patch(&status, &out));
	recorded_is_z(ORDER "\"conditions\":[{\"message\":\"m\",\"type\":\"PodScheduled\"}],"
			    "\"nominatedNodeName\":null}}",
		&out);
	/* A nomination takes a new observedGeneration along. */
	old = standing("m");
	old.observed_generation = 4;
	TEST_ASSERT_TRUE(body_status_patch(&status, afresh()));
	recorded_is_z(ORDER "\"conditions\":[{\"observedGeneration\":1,\"type\":\"PodScheduled\"}],"
			    "\"nominatedNodeName\":null}}",
		&out);
}

/* What the apiserver made of a broken message is what we said. */
static void test_broken_messages_are_not_sent_again(void)
{
	static const struct {
		struct text ours;
		const char *there;
		bool patch;
	} rows[] = {
		{TEXT("a\xff"), "a\xef\xbf\xbd", false},
		{TEXT("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd", false},
		{TEXT("\xe2\x82"), "\xef\xbf\xbd", true},
		{TEXT("\xe2\x82\xac"), "\xe2\x82\xac", false},
		{TEXT("a"), "a\xef\xbf\xbd", true},
		{TEXT("say \"x\"\n\t\x01"), "say \"x\"\n\t\x01", false},
		{TEXT("say \"x\"\n"), "say 'x'\n", true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct kube_condition old = standing(rows[i].there);
		struct body_condition condition = unschedulable(rows[i].ours);
		struct body_status status = {.old = &old, .old_count = 1, .condition = &condition};
		TEST_ASSERT_EQUAL(rows[i].patch, body_status_patch(&status, afresh()));
		if (rows[i].patch)
			recorded_parse(&out);
	}
}

static void test_messages_come_through_whole(void)
{
	struct text message =
		TEXT("a \"b\" \\ c\nd\t\x01 \xe2\x82\xac \xf0\x9f\x9a\xa2 % \x7f</script>");
	struct body_condition condition = unschedulable(message);
	struct body_status status = {.condition = &condition};
	TEST_ASSERT_TRUE(body_status_patch(&status, &out));
	struct json_walk walk = json_walk(json_path(recorded_parse(&out), "status.conditions"));
	TEST_ASSERT_TRUE(json_walk_next(&walk));
	TEST_ASSERT_TRUE(text_is(message, json_text(json_get(walk.value, "message"))));
}

/* A condition's message is not cut: what does not fit is seen in the writer, and not sent. */
static void test_a_message_too_big_for_the_buffer(void)
{
	enum { SIZE = 1 << 20 };
	char *bytes = malloc(SIZE);
	TEST_ASSERT_NOT_NULL(bytes);
	memset(bytes, 'm', SIZE);
	struct body_condition condition = unschedulable((struct text){bytes, SIZE});
	struct body_status status = {.condition = &condition};
	TEST_ASSERT_TRUE(body_status_patch(&status, &out));
	TEST_ASSERT_TRUE(out.overflowed);
	free(bytes);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_segments);
	RUN_TEST(test_paths);
	RUN_TEST(test_paths_of_bad_names);
	RUN_TEST(test_the_longest_valid_path_fits);
	RUN_TEST(test_recorded_bindings);
	RUN_TEST(test_a_binding_of_odd_names);
	RUN_TEST(test_a_recorded_delete);
	RUN_TEST(test_recorded_first_conditions);
	RUN_TEST(test_a_recorded_nomination);
	RUN_TEST(test_a_recorded_victim);
	RUN_TEST(test_only_what_changed);
	RUN_TEST(test_what_is_emptied_becomes_null);
	RUN_TEST(test_other_conditions_keep_their_place);
	RUN_TEST(test_nominations);
	RUN_TEST(test_nomination_and_condition_together);
	RUN_TEST(test_broken_messages_are_not_sent_again);
	RUN_TEST(test_messages_come_through_whole);
	RUN_TEST(test_a_message_too_big_for_the_buffer);
	return UNITY_END();
}
