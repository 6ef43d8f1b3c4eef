/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taints and tolerations.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

#include "kube/decode.h"

struct holder {
	struct kube_blob blob;
	struct kube_span taints;
	struct kube_span tolerations;
};

void setUp(void)
{
	fixture_start();
}

void tearDown(void)
{
	fixture_end();
}

static struct holder *build(const char *taints, const char *tolerations)
{
	struct kube_build *b = &fixture.b;
	struct json_value of_node = fixture_json(taints, NULL);
	struct json_value of_pod = fixture_json(tolerations, NULL);
	kube_build_init(b, &fixture.strings, &fixture.scratch);
	struct holder *holder = kube_build_start(b, sizeof(*holder));
	kube_taints_build(b, of_node, &holder->taints);
	kube_tolerations_build(b, of_pod, &holder->tolerations);
	return (struct holder *)(void *)kube_build_finish(b);
}

static void test_what_is_tolerated(void)
{
	static const char taint[] = "[{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}]";
	static const struct {
		const char *toleration;
		bool tolerates;
	} rows[] = {
		{"{\"key\":\"k\",\"operator\":\"Equal\",\"value\":\"v\",\"effect\":\"NoSchedule\"}",
			true},
		{"{\"key\":\"k\",\"value\":\"v\"}", true},
		{"{\"key\":\"k\",\"value\":\"w\"}", false},
		{"{\"key\":\"k\"}", false},
		{"{\"key\":\"k\",\"operator\":\"Exists\"}", true},
		{"{\"key\":\"k\",\"operator\":\"Exists\",\"value\":\"w\"}", true},
		{"{\"key\":\"l\",\"operator\":\"Exists\"}", false},
		{"{\"operator\":\"Exists\"}", true},
		{"{\"value\":\"v\"}", true},
		{"{}", false},
		{"null", false},
		{"{\"operator\":\"Exists\",\"effect\":\"NoExecute\"}", false},
		{"{\"operator\":\"Exists\",\"effect\":\"PreferNoSchedule\"}", false},
		{"{\"operator\":\"Exists\",\"effect\":\"Other\"}", false},
		{"{\"operator\":\"Exists\",\"effect\":\"\"}", true},
		{"{\"operator\":\"Exists\",\"effect\":\"NoSchedulf\"}", false},
		{"{\"operator\":\"Exists\",\"effect\":\"NoExecutf\"}", false},
		{"{\"operator\":\"Exists\",\"effect\":\"PreferNoSchedulf\"}", false},
		{"{\"key\":\"k\",\"operator\":\"Equaz\",\"value\":\"v\"}", false},
		{"{\"key\":\"k\",\"operator\":\"Gt\",\"value\":\"v\"}", false},
		{"{\"key\":\"k\",\"operator\":\"Lt\",\"value\":\"v\"}", false},
		{"{\"key\":\"k\",\"operator\":\"exists\",\"value\":\"v\"}", false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char list[256];
		snprintf(list, sizeof(list), "[%s]", rows[i].toleration);
		struct holder *holder = build(taint, list);
		TEST_ASSERT_NOT_NULL_MESSAGE(holder, list);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].tolerates,
			kube_tolerates(KUBE_AT(holder, holder->tolerations, struct kube_toleration),
				KUBE_AT(holder, holder->taints, struct kube_taint)),
			list);
		kube_blob_drop(&holder->blob, &fixture.strings);
	}
}

/* Upstream's rules for integers; everything else tolerates nothing. */
static void test_numbers_are_compared_when_both_are_integers(void)
{
	static const struct {
		const char *taint, *operator, * value;
		bool tolerates;
	} rows[] = {
		{"5", "Lt", "6", true},
		{"5", "Lt", "5", false},
		{"5", "Gt", "5", false},
		{"5", "Gt", "4", true},
		{"-5", "Gt", "-6", true},
		{"-5", "Lt", "0", true},
		{"10", "Gt", "9", true},
		{"9223372036854775806", "Lt", "9223372036854775807", true},
		{"-9223372036854775808", "Lt", "-9223372036854775807", true},
		{"9223372036854775808", "Gt", "1", false},
		{"1", "Lt", "9223372036854775808", false},
		{"05", "Gt", "1", false},
		{"5", "Gt", "01", false},
		{"-0", "Lt", "1", false},
		{"+5", "Gt", "1", false},
		{"5 ", "Gt", "1", false},
		{"5.0", "Gt", "1", false},
		{"", "Lt", "1", false},
		{"5", "Gt", "", false},
		{"0", "Gt", "-1", true},
		{"5", "Gte", "1", false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char taint[128], toleration[128];
		snprintf(taint, sizeof(taint),
			"[{\"key\":\"k\",\"value\":\"%s\",\"effect\":\"NoSchedule\"}]",
			rows[i].taint);
		snprintf(toleration, sizeof(toleration),
			"[{\"key\":\"k\",\"operator\":\"%s\",\"value\":\"%s\"}]", rows[i].operator,
			rows[i].value);
		struct holder *holder = build(taint, toleration);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].tolerates,
			kube_tolerates(KUBE_AT(holder, holder->tolerations, struct kube_toleration),
				KUBE_AT(holder, holder->taints, struct kube_taint)),
			toleration);
		kube_blob_drop(&holder->blob, &fixture.strings);
	}
}

static void test_lists_keep_their_order(void)
{
	struct holder *holder = build("[{\"key\":\"b\",\"effect\":\"NoExecute\"},"
				      "{\"key\":\"a\",\"effect\":\"PreferNoSchedule\"},"
				      "{\"key\":\"c\",\"effect\":\"Other\"}]",
		"null");
	const struct kube_taint *taints = KUBE_AT(holder, holder->taints, struct kube_taint);
	TEST_ASSERT_EQUAL(3, holder->taints.count);
	TEST_ASSERT_EQUAL(0, holder->tolerations.count);
	fixture_is("b", taints[0].key);
	TEST_ASSERT_EQUAL(KUBE_NO_EXECUTE, taints[0].effect);
	fixture_is("a", taints[1].key);
	TEST_ASSERT_EQUAL(KUBE_PREFER_NO_SCHEDULE, taints[1].effect);
	TEST_ASSERT_EQUAL(KUBE_EFFECT_ANY, taints[2].effect);
	kube_blob_drop(&holder->blob, &fixture.strings);
}

static void test_wrong_types(void)
{
	static const char *const fields[] = {"key", "operator", "value", "effect"};
	for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
		char list[64], field[64];
		snprintf(list, sizeof(list), "[{\"%s\":1}]", fields[i]);
		snprintf(field, sizeof(field), "spec.tolerations.%s", fields[i]);
		TEST_ASSERT_NULL(build("[]", list));
		TEST_ASSERT_EQUAL_STRING(field, fixture.b.fault_field);
		if (i == 1)
			continue; /* taints have no operator */
		snprintf(field, sizeof(field), "spec.taints.%s", fields[i]);
		TEST_ASSERT_NULL(build(list, "[]"));
		TEST_ASSERT_EQUAL_STRING(field, fixture.b.fault_field);
	}
	TEST_ASSERT_NULL(build("[]", "{}"));
	TEST_ASSERT_EQUAL_STRING("spec.tolerations", fixture.b.fault_field);
	TEST_ASSERT_NULL(build("[1]", "[]"));
	TEST_ASSERT_EQUAL_STRING("spec.taints", fixture.b.fault_field);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_is_tolerated);
	RUN_TEST(test_numbers_are_compared_when_both_are_integers);
	RUN_TEST(test_lists_keep_their_order);
	RUN_TEST(test_wrong_types);
	return UNITY_END();
}
