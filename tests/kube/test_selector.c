/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Label selectors: what they match, and the words for what is not one.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

#include "kube/requirement.h"

struct holder {
	struct kube_blob blob;
	struct kube_selector selector;
};

void setUp(void)
{
	fixture_start();
}

void tearDown(void)
{
	fixture_end();
}

static struct holder *build(const char *json, bool map)
{
	struct kube_build *b = &fixture.b;
	struct json_value v = json == NULL ? JSON_VALUE_NONE : fixture_json(json, NULL);
	kube_build_init(b, &fixture.strings, &fixture.scratch);
	struct holder *holder = kube_build_start(b, sizeof(*holder));
	if (map)
		kube_selector_build_map(b, v, &holder->selector);
	else
		kube_selector_build(b, v, &holder->selector);
	return (struct holder *)(void *)kube_build_finish(b);
}

static struct kube_labels *labels_of(const char *json)
{
	return kube_labels_build(&fixture.b, fixture_json(json, NULL), "labels");
}

static bool matches(const char *selector, bool map, const char *labels)
{
	struct holder *holder = build(selector, map);
	TEST_ASSERT_NOT_NULL_MESSAGE(holder, selector);
	struct kube_labels *set = labels_of(labels);
	bool result = kube_selector_matches(holder, &holder->selector, set);
	kube_blob_drop(&holder->blob, &fixture.strings);
	kube_blob_drop(&set->blob, &fixture.strings);
	return result;
}

#define ONE(key, operator, values)                                    \
	"{\"matchExpressions\":[{\"key\":\"" key "\",\"operator\":\"" \
	operator"\",\"values\":" values "}]}"

static void test_what_matches(void)
{
	static const struct {
		const char *selector;
		const char *labels;
		bool matches;
	} rows[] = {
		{NULL, "{\"a\":\"1\"}", false},
		{"null", "{\"a\":\"1\"}", false},
		{"{}", "{\"a\":\"1\"}", true},
		{"{}", "{}", true},
		{"{\"matchLabels\":null,\"matchExpressions\":null}", "{}", true},
		{"{\"matchLabels\":{},\"matchExpressions\":[]}", "{}", true},
		{"{\"matchLabels\":{\"a\":\"1\"}}", "{\"a\":\"1\",\"b\":\"2\"}", true},
		{"{\"matchLabels\":{\"a\":\"1\"}}", "{\"a\":\"2\"}", false},
		{"{\"matchLabels\":{\"a\":\"1\"}}", "{}", false},
		{"{\"matchLabels\":{\"a\":\"\"}}", "{\"a\":\"\"}", true},
		{"{\"matchLabels\":{\"a\":null}}", "{\"a\":\"\"}", true},
		{"{\"matchLabels\":{\"a\":null}}", "{\"a\":\"x\"}", false},
		{"{\"matchLabels\":{\"a\":\"\"}}", "{}", false},
		{"{\"matchLabels\":{\"a\":\"1\",\"b\":\"2\"}}", "{\"a\":\"1\",\"b\":\"2\"}", true},
		{"{\"matchLabels\":{\"a\":\"1\",\"b\":\"2\"}}", "{\"a\":\"1\",\"b\":\"3\"}", false},
		{ONE("a", "In", "[\"3\",\"1\",\"2\",\"1\"]"), "{\"a\":\"1\"}", true},
		{ONE("a", "In", "[\"3\",\"1\",\"2\"]"), "{\"a\":\"2\"}", true},
		{ONE("a", "In", "[\"3\",\"1\",\"2\"]"), "{\"a\":\"3\"}", true},
		{ONE("a", "In", "[\"3\",\"1\",\"2\"]"), "{\"a\":\"4\"}", false},
		{ONE("a", "In", "[\"3\",\"1\",\"2\"]"), "{\"b\":\"1\"}", false},
		{ONE("a", "In", "[null]"), "{\"a\":\"\"}", true},
		{ONE("a", "NotIn", "[\"1\",\"2\"]"), "{\"a\":\"2\"}", false},
		{ONE("a", "NotIn", "[\"1\",\"2\"]"), "{\"a\":\"3\"}", true},
		{ONE("a", "NotIn", "[\"1\",\"2\"]"), "{\"b\":\"1\"}", true},
		{ONE("a", "Exists", "[]"), "{\"a\":\"\"}", true},
		{ONE("a", "Exists", "null"), "{\"b\":\"a\"}", false},
		{ONE("a", "DoesNotExist", "[]"), "{\"a\":\"\"}", false},
		{ONE("a", "DoesNotExist", "[]"), "{\"b\":\"a\"}", true},
		{"{\"matchLabels\":{\"a\":\"1\"},\"matchExpressions\":[{\"key\":\"a\","
		 "\"operator\":\"NotIn\",\"values\":[\"1\"]}]}",
			"{\"a\":\"1\"}", false},
		{"{\"matchLabels\":{\"a\":\"1\"},\"matchExpressions\":[{\"key\":\"b\","
		 "\"operator\":\"Exists\"}]}",
			"{\"a\":\"1\",\"b\":\"\"}", true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		scratch_reset(&fixture.scratch);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].matches,
			matches(rows[i].selector, false, rows[i].labels), rows[i].selector);
	}
}

static void test_plain_maps(void)
{
	static const struct {
		const char *selector;
		const char *labels;
		bool matches;
	} rows[] = {
		{NULL, "{}", false},
		{"null", "{}", false},
		{"{}", "{}", true},
		{"{\"a\":\"1\"}", "{\"a\":\"1\"}", true},
		{"{\"a\":\"1\"}", "{\"a\":\"2\"}", false},
		{"{\"a\":\"1\",\"b\":null}", "{\"a\":\"1\",\"b\":\"\"}", true},
		/* not validated */
		{"{\"not a key!\":\"not a value!\"}", "{\"not a key!\":\"not a value!\"}", true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		scratch_reset(&fixture.scratch);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].matches,
			matches(rows[i].selector, true, rows[i].labels), rows[i].selector);
	}
}

#define NAME_RULE                                                                                \
	"must consist of alphanumeric characters, '-', '_' or '.', and must start and end with " \
	"an "                                                                                    \
	"alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "   \
	"validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE_RULE                                                                               \
	"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' " \
	"or "                                                                                    \
	"'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "       \
	"'my_value',  or '12345', regex used for validation is "                                 \
	"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define PREFIX_RULE                                                                            \
	"prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "  \
	"characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " \
	"'example.com', regex used for validation is "                                         \
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define SIXTY_FOUR "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void test_what_is_not_valid_and_why(void)
{
	static const struct {
		const char *selector;
		const char *error;
	} rows[] = {
		{ONE("a", "x", "[]"), "\"x\" is not a valid label selector operator"},
		{ONE("a", "", "[]"), "\"\" is not a valid label selector operator"},
		{ONE("a", "Gt", "[\"1\"]"), "\"Gt\" is not a valid label selector operator"},
		{ONE("a", "q\\\"\\n", "[]"), "\"q\\\"\\n\" is not a valid label selector operator"},
		{ONE("a", "In", "[]"),
			"values: Invalid value: null: for 'in', 'notin' operators, values set "
			"can't be "
			"empty"},
		{ONE("a", "NotIn", "null"),
			"values: Invalid value: null: for 'in', 'notin' operators, values set "
			"can't be "
			"empty"},
		{ONE("a", "Exists", "[\"v\",\"w\"]"),
			"values: Invalid value: [\"v\",\"w\"]: values set must be empty for exists "
			"and "
			"does not exist"},
		{ONE("a b", "Exists", "[]"), "key: Invalid value: \"a b\": name part " NAME_RULE},
		{ONE("", "Exists", "[]"),
			"key: Invalid value: \"\": name part must be non-empty; name "
			"part " NAME_RULE},
		{ONE(SIXTY_FOUR, "Exists", "[]"),
			"key: Invalid value: \"" SIXTY_FOUR "\": name part must be no more than 63 "
			"bytes"},
		{ONE("/n", "Exists", "[]"),
			"key: Invalid value: \"/n\": prefix part must be non-empty"},
		{ONE("A/n", "Exists", "[]"), "key: Invalid value: \"A/n\": " PREFIX_RULE},
		{ONE("a..b/-", "Exists", "[]"),
			"key: Invalid value: \"a..b/-\": " PREFIX_RULE "; name part " NAME_RULE},
		{ONE("a/b/c", "Exists", "[]"),
			"key: Invalid value: \"a/b/c\": a valid label key " NAME_RULE
			" with an optional DNS subdomain prefix and '/' (e.g. "
			"'example.com/MyName')"},
		{ONE("k", "In", "[\"ok\",\"-\"]"),
			"values[1][k]: Invalid value: \"-\": " VALUE_RULE},
		{ONE("k", "In", "[\"" SIXTY_FOUR "\"]"),
			"values[0][k]: Invalid value: \"" SIXTY_FOUR
			"\": must be no more than 63 bytes"},
		{ONE("a b", "In", "[]"),
			"[key: Invalid value: \"a b\": name part " NAME_RULE
			", values: Invalid value: null: for 'in', 'notin' operators, values set "
			"can't be "
			"empty]"},
		{"{\"matchLabels\":{\"k\":\"a b\"}}",
			"values[0][k]: Invalid value: \"a b\": " VALUE_RULE},
		/* matchLabels are looked at first, and the first fault is told */
		{"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"x\"}],"
		 "\"matchLabels\":{\"k\":\"a b\"}}",
			"values[0][k]: Invalid value: \"a b\": " VALUE_RULE},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		scratch_reset(&fixture.scratch);
		struct holder *holder = build(rows[i].selector, false);
		TEST_ASSERT_NOT_NULL_MESSAGE(holder, rows[i].selector);
		TEST_ASSERT_EQUAL(KUBE_SELECTOR_INVALID, holder->selector.state);
		fixture_is(rows[i].error, holder->selector.error);
		TEST_ASSERT_EQUAL(0, holder->selector.requirements.count);
		TEST_ASSERT_FALSE(kube_selector_matches(holder, &holder->selector, NULL));
		kube_blob_drop(&holder->blob, &fixture.strings);
	}
}

static void test_names_and_values(void)
{
	static const struct {
		const char *text;
		bool is_name;
		bool is_value;
	} rows[] = {
		{"a", true, true},
		{"A.b_c-9", true, true},
		{"", false, true},
		{"-a", false, false},
		{"a-", false, false},
		{"a\xc3\xa4z", false, false},
		{"example.com/a", true, false},
		{"example.com/", false, false},
		{"ex_ample.com/a", false, false},
		{"-ex.com/a", false, false},
		{"ex-.com/a", false, false},
		{"ex.com./a", false, false},
		{"e/x/a", false, false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct text t = text_of(rows[i].text);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_name, kube_is_qualified_name(t), rows[i].text);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_value, kube_is_label_value(t), rows[i].text);
	}
	char prefixed[260];
	memset(prefixed, 'a', sizeof(prefixed));
	memcpy(prefixed + 253, "/n", 2);
	TEST_ASSERT_TRUE(kube_is_qualified_name((struct text){prefixed, 255}));
	memcpy(prefixed + 253, "a/n", 3);
	TEST_ASSERT_FALSE(kube_is_qualified_name((struct text){prefixed, 256}));
}

static void test_equal_selectors_are_equal(void)
{
	struct holder *a = build("{\"matchLabels\":{\"a\":\"1\",\"b\":\"2\"},\"matchExpressions\":["
				 "{\"key\":\"c\",\"operator\":\"In\",\"values\":[\"x\",\"y\"]},"
				 "{\"key\":\"d\",\"operator\":\"Exists\"}]}",
		false);
	struct holder *b =
		build("{\"matchExpressions\":[{\"operator\":\"Exists\",\"key\":\"d\"},"
		      "{\"values\":[\"y\",\"x\",\"x\"],\"key\":\"c\",\"operator\":\"In\"}],"
		      "\"matchLabels\":{\"b\":\"2\",\"a\":\"1\"}}",
			false);
	TEST_ASSERT_TRUE(kube_blob_is(&a->blob, &b->blob));
	kube_blob_drop(&a->blob, &fixture.strings);
	kube_blob_drop(&b->blob, &fixture.strings);
}

static void test_wrong_types(void)
{
	static const struct fixture_fault rows[] = {
		{"[]", "labelSelector"},
		{"\"a\"", "labelSelector"},
		{"{\"matchLabels\":[]}", "labelSelector.matchLabels"},
		{"{\"matchLabels\":{\"a\":1}}", "labelSelector.matchLabels"},
		{"{\"matchExpressions\":{}}", "labelSelector.matchExpressions"},
		{"{\"matchExpressions\":[1]}", "labelSelector.matchExpressions"},
		{"{\"matchExpressions\":[{\"key\":1}]}", "labelSelector.matchExpressions.key"},
		{"{\"matchExpressions\":[{\"operator\":1}]}",
			"labelSelector.matchExpressions.operator"},
		{ONE("a", "In", "{}"), "labelSelector.matchExpressions.values"},
		{ONE("a", "In", "\"b\""), "labelSelector.matchExpressions.values"},
		{ONE("a", "In", "[1]"), "labelSelector.matchExpressions.values"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		TEST_ASSERT_NULL_MESSAGE(build(rows[i].json, false), rows[i].json);
		TEST_ASSERT_EQUAL(KUBE_MALFORMED, fixture.b.result);
		TEST_ASSERT_EQUAL_STRING(rows[i].field, fixture.b.fault_field);
	}
	TEST_ASSERT_NULL(build("[]", true));
	TEST_ASSERT_NULL(build("{\"a\":{}}", true));
	TEST_ASSERT_EQUAL_STRING("spec.selector", fixture.b.fault_field);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_matches);
	RUN_TEST(test_plain_maps);
	RUN_TEST(test_what_is_not_valid_and_why);
	RUN_TEST(test_names_and_values);
	RUN_TEST(test_equal_selectors_are_equal);
	RUN_TEST(test_wrong_types);
	return UNITY_END();
}
