/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Terms of node selectors.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

#include "kube/decode.h"

struct holder {
	struct kube_blob blob;
	struct kube_node_term term;
};

void setUp(void)
{
	fixture_start();
}

void tearDown(void)
{
	fixture_end();
}

static struct holder *build(const char *json, const char *path)
{
	struct kube_build *b = &fixture.b;
	struct json_value v = json == NULL ? JSON_VALUE_NONE : fixture_json(json, NULL);
	kube_build_init(b, &fixture.strings, &fixture.scratch);
	struct holder *holder = kube_build_start(b, sizeof(*holder));
	kube_node_term_build_at(b, v, path, 3, &holder->term);
	return (struct holder *)(void *)kube_build_finish(b);
}

/* Against a node "n1" with labels. */
static bool matches(const char *term, const char *labels)
{
	struct holder *holder = build(term, NULL);
	TEST_ASSERT_NOT_NULL_MESSAGE(holder, term);
	struct kube_labels *set =
		kube_labels_build(&fixture.b, fixture_json(labels, NULL), "labels");
	struct kube_node_match node = {&fixture.strings, set, 0, 0};
	TEST_ASSERT_TRUE(intern_take(&fixture.strings, TEXT("n1"), &node.name));
	TEST_ASSERT_TRUE(intern_take(&fixture.strings, TEXT("metadata.name"), &node.name_key));
	bool result = kube_node_term_matches(holder, &holder->term, &node);
	intern_give(&fixture.strings, node.name);
	intern_give(&fixture.strings, node.name_key);
	kube_blob_drop(&holder->blob, &fixture.strings);
	kube_blob_drop(&set->blob, &fixture.strings);
	return result;
}

#define R(key, operator, values) \
	"{\"key\":\"" key "\",\"operator\":\"" operator"\",\"values\":" values "}"
#define E(list) "{\"matchExpressions\":[" list "]}"
#define F(list) "{\"matchFields\":[" list "]}"

static void test_what_matches(void)
{
	static const struct {
		const char *term;
		const char *labels;
		bool matches;
	} rows[] = {
		{NULL, "{}", false},
		{"null", "{}", false},
		{"{}", "{}", false},
		{"{\"matchExpressions\":[],\"matchFields\":null}", "{}", false},
		{E(R("a", "In", "[\"1\",\"2\"]")), "{\"a\":\"2\"}", true},
		{E(R("a", "In", "[\"1\",\"2\"]")), "{\"a\":\"3\"}", false},
		{E(R("a", "NotIn", "[\"1\"]")), "{}", true},
		{E(R("a", "Exists", "[]")), "{\"a\":\"\"}", true},
		{E(R("a", "DoesNotExist", "[]")), "{\"a\":\"\"}", false},
		{E(R("a", "Gt", "[\"5\"]")), "{\"a\":\"6\"}", true},
		{E(R("a", "Gt", "[\"5\"]")), "{\"a\":\"5\"}", false},
		{E(R("a", "Gt", "[\"5\"]")), "{\"a\":\"x\"}", false},
		{E(R("a", "Gt", "[\"5\"]")), "{\"a\":\"\"}", false},
		{E(R("a", "Gt", "[\"5\"]")), "{\"b\":\"6\"}", false},
		{E(R("a", "Gt", "[\"5\"]")), "{\"a\":\"99999999999999999999\"}", false},
		{E(R("a", "Lt", "[\"5\"]")), "{\"a\":\"4\"}", true},
		{E(R("a", "Lt", "[\"5\"]")), "{\"a\":\"-4\"}", true},
		{E(R("a", "Lt", "[\"5\"]")), "{\"a\":\"5\"}", false},
		{E(R("a", "Lt", "[\"9223372036854775807\"]")), "{\"a\":\"9223372036854775806\"}",
			true},
		{E(R("a", "Exists", "[]") "," R("b", "Exists", "[]")), "{\"a\":\"\"}", false},
		{E(R("a", "Exists", "[]") "," R("b", "Exists", "[]")), "{\"a\":\"\",\"b\":\"\"}",
			true},
		{F(R("metadata.name", "In", "[\"n1\"]")), "{}", true},
		{F(R("metadata.name", "In", "[\"n2\"]")), "{}", false},
		{F(R("metadata.name", "NotIn", "[\"n1\"]")), "{}", false},
		{F(R("metadata.name", "NotIn", "[\"n2\"]")), "{}", true},
		/* any other field is empty */
		{F(R("metadata.uid", "In", "[\"n1\"]")), "{}", false},
		{F(R("metadata.uid", "In", "[\"\"]")), "{}", true},
		{F(R("metadata.uid", "NotIn", "[\"n1\"]")), "{}", true},
		{"{\"matchFields\":[" R("metadata.name", "In",
			 "[\"n1\"]") "],"
				     "\"matchExpressions\":[" R("a", "Exists", "[]") "]}",
			"{\"b\":\"\"}", false},
		{"{\"matchFields\":[" R("metadata.name", "In",
			 "[\"n1\"]") "],"
				     "\"matchExpressions\":[" R("a", "Exists", "[]") "]}",
			"{\"a\":\"\"}", true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		scratch_reset(&fixture.scratch);
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].matches, matches(rows[i].term, rows[i].labels), rows[i].term);
	}
}

static void test_empty_terms_are_marked(void)
{
	struct holder *holder = build("{}", NULL);
	TEST_ASSERT_EQUAL(1, holder->term.empty);
	TEST_ASSERT_EQUAL(0, holder->term.error);
	holder = build(F(R("metadata.name", "In", "[\"n1\"]")), NULL);
	TEST_ASSERT_EQUAL(0, holder->term.empty);
	kube_blob_drop(&holder->blob, &fixture.strings);
}

static void test_faults(void)
{
	static const struct {
		const char *term;
		const char *path;
		const char *error;
	} rows[] = {
		{E(R("a", "x", "[]")), NULL,
			"matchExpressions[0].operator: Unsupported value: \"x\": supported values: "
			"\"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""},
		{E(R("a", "Exists", "[]") "," R("a", "Gt", "[]")), "nodeSelectorTerms",
			"nodeSelectorTerms[3].matchExpressions[1].values: Invalid value: null: for "
			"'Gt', "
			"'Lt' operators, exactly one value is required"},
		{E(R("a", "Lt", "[\"x\"]")), "",
			"[3].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
			"operators, the value must be an integer"},
		{E(R("a", "Lt", "[\"\\\"\\\\\\t\\r\\n\\u0001\\u007f\"]")), NULL,
			"[matchExpressions[0].values[0]: Invalid value: "
			"\"\\\"\\\\\\t\\r\\n\\x01\\x7f\": for 'Gt', 'Lt' operators, the value must "
			"be an "
			"integer, matchExpressions[0].values[0][a]: Invalid value: "
			"\"\\\"\\\\\\t\\r\\n\\x01\\x7f\": a valid label must be an empty string or "
			"consist of alphanumeric characters, '-', '_' or '.', and must start and "
			"end "
			"with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
			"'12345', "
			"regex used for validation is "
			"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]"},
		{F(R("metadata.name", "In", "[]")), NULL,
			"matchFields[0].values: Invalid value: null: must have one element"},
		{F(R("metadata.name", "NotIn", "[\"a\",\"b\"]")), NULL,
			"matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have one "
			"element"},
		{F(R("metadata.name", "Exists", "[]")), NULL,
			"matchFields[0].operator: Unsupported value: \"Exists\": supported values: "
			"\"In\", \"NotIn\""},
		{"{\"matchFields\":[" R("metadata.name", "In", "[]") "],"
								     "\"matchExpressions\":[" R(
									     "a", "In", "[]") "]}",
			NULL,
			"[matchExpressions[0].values: Invalid value: null: for 'in', 'notin' "
			"operators, "
			"values set can't be empty, matchFields[0].values: Invalid value: null: "
			"must "
			"have one element]"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		scratch_reset(&fixture.scratch);
		struct holder *holder = build(rows[i].term, rows[i].path);
		TEST_ASSERT_NOT_NULL_MESSAGE(holder, rows[i].term);
		fixture_is(rows[i].error, holder->term.error);
		TEST_ASSERT_EQUAL(0, holder->term.empty);
		struct kube_node_match node = {&fixture.strings, NULL, 0, 0};
		TEST_ASSERT_FALSE(kube_node_term_matches(holder, &holder->term, &node));
		kube_blob_drop(&holder->blob, &fixture.strings);
	}
}

static void test_wrong_types(void)
{
	static const struct fixture_fault rows[] = {
		{"[]", "nodeSelectorTerms"},
		{"{\"matchExpressions\":{}}", "nodeSelectorTerms.matchExpressions"},
		{"{\"matchFields\":\"a\"}", "nodeSelectorTerms.matchFields"},
		{"{\"matchFields\":[[]]}", "nodeSelectorTerms.matchExpressions"},
		{E("{\"key\":[]}"), "nodeSelectorTerms.matchExpressions.key"},
		{E("{\"operator\":true}"), "nodeSelectorTerms.matchExpressions.operator"},
		{E(R("a", "In", "\"x\"")), "nodeSelectorTerms.matchExpressions.values"},
		{F(R("a", "In", "[{}]")), "nodeSelectorTerms.matchExpressions.values"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		TEST_ASSERT_NULL_MESSAGE(build(rows[i].json, NULL), rows[i].json);
		TEST_ASSERT_EQUAL(KUBE_MALFORMED, fixture.b.result);
		TEST_ASSERT_EQUAL_STRING(rows[i].field, fixture.b.fault_field);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_matches);
	RUN_TEST(test_empty_terms_are_marked);
	RUN_TEST(test_faults);
	RUN_TEST(test_wrong_types);
	return UNITY_END();
}
