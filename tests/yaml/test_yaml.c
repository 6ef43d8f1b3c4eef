/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * YAML: trees, types, aliases, limits, and documents as JSON.
 */
// deps: yaml/yaml.c yaml/memory.c yaml/scalar.c base/*.c
// libs: yaml
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "yaml/yaml.h"

enum { SCRATCH_SIZE = 8 << 20, JSON_SIZE = 1 << 20 };

static struct scratch scratch;
static void *block;
static char json[JSON_SIZE];
static struct yaml_fault fault;

void setUp(void)
{
	block = malloc(SCRATCH_SIZE);
	scratch_init(&scratch, block, SCRATCH_SIZE);
	memset(&fault, 0, sizeof(fault));
}

void tearDown(void)
{
	free(block);
}

static const char *to_json(const char *yaml)
{
	struct yaml_node *root;
	struct writer w;

	scratch_reset(&scratch);
	writer_init(&w, json, sizeof(json) - 1);
	if (yaml_read(text_of(yaml), &scratch, &root, &fault) != YAML_DOCUMENT)
		return NULL;
	if (!yaml_write_json(root, &w, &fault))
		return NULL;
	json[w.used] = '\0';
	return json;
}

static const struct {
	const char *yaml;
	const char *json;
} scalars[] = {
	{"a", "\"a\""},
	{"'1'", "\"1\""},
	{"\"true\"", "\"true\""},
	{"|\n  1\n", "\"1\\n\""},
	{"1", "1"},
	{"-1", "-1"},
	{"+1", "1"},
	{"0", "0"},
	{"-0", "0"},
	{"007", "7"},
	{"010", "8"},
	{"08", "8"},
	{"0x1F", "31"},
	{"0b101", "5"},
	{"0o17", "15"},
	{"1_000", "1000"},
	{"9223372036854775807", "9223372036854775807"},
	{"-9223372036854775808", "-9223372036854775808"},
	{"18446744073709551615", "18446744073709551615"},
	{"100000000000000000000", "1e+20"},
	{"1.5", "1.5"},
	{".5", "0.5"},
	{"1.", "1"},
	{"1e3", "1000"},
	{"-1.25E-2", "-0.0125"},
	{"0.1", "0.1"},
	{"1e400", "\"1e400\""},
	{"1.2.3", "\"1.2.3\""},
	{"1m", "\"1m\""},
	{"1Gi", "\"1Gi\""},
	{"1e", "\"1e\""},
	{"-", "[null]"},
	{".", "\".\""},
	{"+", "\"+\""},
	{"0x", "\"0x\""},
	{"0xg", "\"0xg\""},
	{"--1", "\"--1\""},
	{"true", "true"},
	{"True", "true"},
	{"TRUE", "true"},
	{"tRue", "\"tRue\""},
	{"yes", "true"},
	{"y", "true"},
	{"Y", "true"},
	{"on", "true"},
	{"no", "false"},
	{"n", "false"},
	{"Off", "false"},
	{"null", "null"},
	{"~", "null"},
	{"---", "null"},
	{"Null", "null"},
	{"nULL", "\"nULL\""},
	{"2026-11-18", "\"2026-11-18\""},
	{"2026-11-18T10:37:24Z", "\"2026-11-18T10:37:24Z\""},
	{"10:30", "\"10:30\""},
	{"127.0.0.1", "\"127.0.0.1\""},
	{"::1", "\"::1\""},
	{"!!str 1", "\"1\""},
	{"!!int '1'", "1"},
	{"!!float 1", "1"},
	{"!!bool 'yes'", "true"},
	{"!!null ''", "null"},
	{"! 1", "\"1\""},
	{"\"a\\x01\\n\\\"\\\\\\u00e9\"", "\"a\\u0001\\n\\\"\\\\\xc3\xa9\""},
};

static void test_scalars_are_typed_as_kubernetes_does(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(scalars); i++) {
		const char *got = to_json(scalars[i].yaml);
		TEST_ASSERT_NOT_NULL_MESSAGE(got, scalars[i].yaml);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(scalars[i].json, got, scalars[i].yaml);
	}
}

static void test_documents_as_json(void)
{
	TEST_ASSERT_EQUAL_STRING("{\"a\":[1,{\"b\":null}],\"c\":{},\"d\":[]}",
		to_json("a:\n- 1\n- b:\nc: {}\nd: []\n"));
	TEST_ASSERT_EQUAL_STRING("{\"a\":{\"b\":\"c\"}}", to_json("{\"a\": {\"b\": \"c\"}}"));
	TEST_ASSERT_EQUAL_STRING("{\"true\":1,\"8\":2,\"x\":3,\"1.5\":4}",
		to_json("yes: 1\n010: 2\nx: 3\n1.5: 4\n"));
	TEST_ASSERT_EQUAL_STRING("{\"a\":\"x\\ny\\n\",\"b\":\"x y\\n\"}",
		to_json("a: |\n  x\n  y\nb: >\n  x\n  y\n"));
	TEST_ASSERT_EQUAL_STRING("{\"a\":1}", to_json("---\na: 1\n...\n"));
	TEST_ASSERT_NULL(to_json("a: .nan"));
	TEST_ASSERT_EQUAL_STRING("a number that JSON does not have", fault.what);
	TEST_ASSERT_NULL(to_json("~: 1"));
	TEST_ASSERT_EQUAL_STRING("cannot be a key", fault.what);
}

static void test_aliases(void)
{
	TEST_ASSERT_EQUAL_STRING(
		"{\"a\":{\"x\":[1,2]},\"b\":{\"x\":[1,2]},\"c\":\"s\",\"d\":\"s\"}",
		to_json("a: &m {x: [1, 2]}\nb: *m\nc: &s s\nd: *s\n"));
	/* an anchor defined again counts from there on */
	TEST_ASSERT_EQUAL_STRING("[1,1,2,2]", to_json("[&a 1, *a, &a 2, *a]"));
	TEST_ASSERT_EQUAL_STRING("{\"k\":\"k\"}", to_json("&k k: *k"));
}

static void test_merge_key_adds_fields_that_are_not_there(void)
{
	TEST_ASSERT_EQUAL_STRING("{\"a\":{\"b\":1,\"c\":2},\"d\":{\"c\":3,\"b\":1}}",
		to_json("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n"));
	/* wherever it stands, and without an anchor */
	TEST_ASSERT_EQUAL_STRING("{\"c\":3,\"b\":1}", to_json("c: 3\n<<: {b: 1, c: 2}\n"));
	TEST_ASSERT_EQUAL_STRING("{\"b\":1}", to_json("<<: {b: 1}\n"));
	TEST_ASSERT_EQUAL_STRING("{}", to_json("<<: {}\n"));
	TEST_ASSERT_EQUAL_STRING("{}", to_json("<<: []\n"));
	/* of several the first counts, and merged fields are merged on */
	TEST_ASSERT_EQUAL_STRING("{\"d\":4,\"a\":1,\"b\":2,\"c\":3}",
		to_json("<<: [{a: 1, b: 2}, {b: 9, <<: {c: 3}}]\nd: 4\n"));
	/* only the plain word is one, and only as a key */
	TEST_ASSERT_EQUAL_STRING("{\"<<\":1}", to_json("'<<': 1\n"));
	TEST_ASSERT_EQUAL_STRING("{\"a\":\"<<\"}", to_json("a: <<\n"));
}

static void test_json_surrogates_become_one_character(void)
{
	TEST_ASSERT_EQUAL_STRING(
		"{\"a\":\"\xf0\x9f\x98\x80!\"}", to_json("{\"a\": \"\\ud83d\\ude00!\"}"));
	TEST_ASSERT_EQUAL_STRING(
		"{\"a\":\"\xef\xbf\xbd-\xef\xbf\xbd\"}", to_json(" {\"a\": \"\\uD83D-\\uDE00\"}"));
	TEST_ASSERT_EQUAL_STRING(
		"{\"a\":\"\\\\ud83d\\\\ude00\"}", to_json("{\"a\": \"\\\\ud83d\\\\ude00\"}"));
	TEST_ASSERT_EQUAL_STRING(
		"{\"a\":\"\\\\ud83d\\\\ude00\"}", to_json("{a: '\\ud83d\\ude00'}"));
	/* what does not begin as JSON has escapes of YAML */
	TEST_ASSERT_NULL(to_json("a: \"\\ud83d\\ude00\""));
	TEST_ASSERT_NULL(to_json("{\"a\": \"\\ud83"));
}

static void check_fault(const char *yaml, uint32_t line, const char *what)
{
	TEST_ASSERT_NULL_MESSAGE(to_json(yaml), yaml);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(what, fault.what, yaml);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(line, fault.line, yaml);
}

/* Maps of maps that are merged: what aliases stand for is counted before it is copied. */
static void test_merge_keys_cannot_grow_without_bound(void)
{
	static char yaml[1 << 16];
	struct writer w;
	writer_init(&w, yaml, sizeof(yaml) - 1);
	write_z(&w, "a0: &a0 {");
	for (int i = 0; i < 1000; i++)
		write_format(&w, "k%d: 1, ", i);
	write_z(&w, "}\n");
	for (int i = 1; i < 200; i++)
		write_format(
			&w, "a%d: &a%d {<<: *a%d, x: [*a%d, *a%d]}\n", i, i, i - 1, i - 1, i - 1);
	yaml[w.used] = '\0';
	TEST_ASSERT_FALSE(w.overflowed);
	TEST_ASSERT_NULL(to_json(yaml));
	TEST_ASSERT_EQUAL_STRING("aliases stand for too much", fault.what);
}

static void test_faults_name_the_line(void)
{
	check_fault("a: 1\nb: 2\na: 3\n", 3, "the key \"a\" is there twice, first in line 1");
	check_fault("1: a\n'1': b\n", 2, "the key \"1\" is there twice, first in line 1");
	check_fault("x:\n  a: *none\n", 2, "an alias of an anchor that is not there");
	check_fault("a: &a [1, *a]\n", 1, "an alias inside of what it stands for");
	check_fault("[a]: 1\n", 1, "a list or a map cannot be a key");
	check_fault("a: &x {b: 1}\nc:\n  <<: *y\n", 3, "an alias of an anchor that is not there");
	check_fault("a: 1\n<<: 1\n", 2, "a merge key (<<) takes a map, or a list of maps");
	check_fault(
		"a: 1\n<<: [{b: 1},\n 2]\n", 3, "a merge key (<<) takes a map, or a list of maps");
	check_fault(
		"<<: {a: 1}\n<<: {b: 1}\n", 2, "the key \"<<\" is there twice, first in line 1");
	check_fault("a: !foo 1\n", 1, "a tag that does not fit the value");
	check_fault("a: !!int x\n", 1, "a tag that does not fit the value");
	check_fault("a: !foo {b: 1}\n", 1, "a tag that means nothing here");
	check_fault("a: 1\n---\nb: 2\n", 3, "a second document (---): there can be only one");
	check_fault("a: 1\n---\n---\nb: 2\n", 4, "a second document (---): there can be only one");
	TEST_ASSERT_NULL(to_json("a: [1, 2\nb: 3\n"));
	TEST_ASSERT_GREATER_THAN_UINT32(0, fault.line);
	TEST_ASSERT_NULL(to_json("a: \"unfinished"));
	TEST_ASSERT_NULL(to_json("\t- a"));
	TEST_ASSERT_NULL(to_json("a: \xff\xfe"));
}

static void check_place(const char *yaml, uint32_t line, uint32_t column, const char *what)
{
	check_fault(yaml, line, what);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(column, fault.column, yaml);
}

static void test_what_is_no_text_has_a_place(void)
{
	check_place("a: 1\nb\303\244: \001\n", 2, 5, "control characters are not allowed");
	check_place("\001", 1, 1, "control characters are not allowed");
	check_place("a: 1\n# caf\351\n", 2, 6, "incomplete UTF-8 octet sequence");
	check_place("a: 1\r\nb: \377", 2, 4, "invalid leading UTF-8 octet");
	check_place("a:\n\tb: 1\n", 2, 1, "a tab: YAML indents by spaces");
	check_place("a: @\n", 1, 4, "found character that cannot start any token");
}

static void test_nothing_behind_a_document(void)
{
	TEST_ASSERT_EQUAL_STRING("{\"a\":1}", to_json("---\na: 1\n---\n"));
	TEST_ASSERT_EQUAL_STRING("{\"a\":1}", to_json("a: 1\n---\n# the end\n---\n...\n"));
}

static void test_alias_bomb(void)
{
	char bomb[1024];
	struct writer w;

	writer_init(&w, bomb, sizeof(bomb) - 1);
	write_z(&w, "a: &a [x,x,x,x,x,x,x,x,x]\n");
	for (char c = 'b'; c <= 'i'; c++) {
		write_format(&w, "%c: &%c [", c, c);
		for (int i = 0; i < 9; i++)
			write_format(&w, "%s*%c", i == 0 ? "" : ",", c - 1);
		write_z(&w, "]\n");
	}
	bomb[w.used] = '\0';
	check_fault(bomb, 5, "aliases stand for too much");
}

static void repeat(char *to, size_t size, const char *part, size_t count, const char *end)
{
	struct writer w;

	writer_init(&w, to, size - 1);
	for (size_t i = 0; i < count; i++)
		write_z(&w, part);
	write_z(&w, end);
	TEST_ASSERT_FALSE(w.overflowed);
	to[w.used] = '\0';
}

static void test_limits(void)
{
	static char many[1 << 20];

	repeat(many, sizeof(many), "[", YAML_DEPTH_MAX, "");
	strcat(many, "1");
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		strcat(many, "]");
	TEST_ASSERT_NOT_NULL(to_json(many));
	repeat(many, sizeof(many), "[", YAML_DEPTH_MAX + 1, "");
	check_fault(many, 1, "nested too deeply");
	repeat(many, sizeof(many), "[", 200000, "");
	check_fault(many, 1, "nested too deeply");
	struct writer w;
	writer_init(&w, many, sizeof(many) - 1);
	for (uint32_t i = 0; i <= YAML_KEYS_MAX; i++)
		write_format(&w, "k%u: 1\n", i);
	many[w.used] = '\0';
	check_fault(many, YAML_KEYS_MAX + 1, "a map with too many keys");
}

static void test_a_deep_alias_in_a_deep_place(void)
{
	char yaml[1024];
	struct writer w;

	writer_init(&w, yaml, sizeof(yaml) - 1);
	write_z(&w, "a: &a ");
	for (int i = 0; i < 40; i++)
		write_char(&w, '[');
	for (int i = 0; i < 40; i++)
		write_char(&w, ']');
	write_z(&w, "\nb: ");
	for (int i = 0; i < 40; i++)
		write_char(&w, '[');
	write_z(&w, "*a");
	for (int i = 0; i < 40; i++)
		write_char(&w, ']');
	yaml[w.used] = '\0';
	TEST_ASSERT_NULL(to_json(yaml));
	TEST_ASSERT_EQUAL_STRING("nested too deeply", fault.what);
}

static void test_too_little_memory_is_a_fault(void)
{
	static const char yaml[] = "a: &x [1, 2, 3]\nb: *x\nc: {d: e, f: [g]}\n";
	char small[32];
	struct yaml_node *root;
	struct writer w;

	for (size_t size = 0; size < SCRATCH_SIZE; size += 64) {
		struct scratch little;
		scratch_init(&little, block, size);
		if (yaml_read(text_of(yaml), &little, &root, &fault) == YAML_DOCUMENT) {
			TEST_ASSERT_GREATER_THAN(1000, size);
			break;
		}
		TEST_ASSERT_GREATER_THAN(0, strlen(fault.what));
	}
	TEST_ASSERT_EQUAL_INT(YAML_DOCUMENT, yaml_read(text_of(yaml), &scratch, &root, &fault));
	writer_init(&w, small, sizeof(small));
	TEST_ASSERT_FALSE(yaml_write_json(root, &w, &fault));
	TEST_ASSERT_EQUAL_STRING("too big as JSON", fault.what);
}

static void test_streams_of_documents(void)
{
	struct yaml_reader *reader = yaml_open(TEXT("a: 1\n---\n---\n- b\n"), &scratch);
	struct yaml_node *root;

	TEST_ASSERT_EQUAL_INT(YAML_DOCUMENT, yaml_next(reader, &scratch, &root, &fault));
	TEST_ASSERT_EQUAL_INT(YAML_MAP, root->kind);
	TEST_ASSERT_EQUAL_INT(YAML_DOCUMENT, yaml_next(reader, &scratch, &root, &fault));
	TEST_ASSERT_EQUAL_INT(YAML_NULL, root->kind);
	TEST_ASSERT_EQUAL_INT(YAML_DOCUMENT, yaml_next(reader, &scratch, &root, &fault));
	TEST_ASSERT_EQUAL_INT(YAML_LIST, root->kind);
	TEST_ASSERT_EQUAL_INT(YAML_END, yaml_next(reader, &scratch, &root, &fault));
	TEST_ASSERT_EQUAL_INT(YAML_END, yaml_next(reader, &scratch, &root, &fault));
	yaml_close(reader);
	TEST_ASSERT_EQUAL_INT(YAML_END, yaml_read(TEXT(""), &scratch, &root, &fault));
	TEST_ASSERT_EQUAL_INT(YAML_END, yaml_read(TEXT("# nothing\n"), &scratch, &root, &fault));
}

static void test_nodes_know_their_place(void)
{
	struct yaml_node *root, *b;

	TEST_ASSERT_EQUAL_INT(YAML_DOCUMENT,
		yaml_read(TEXT("a: 1\nbb:\n  - x\n  - y: z\n"), &scratch, &root, &fault));
	b = yaml_get(root, "bb");
	TEST_ASSERT_NOT_NULL(b);
	TEST_ASSERT_EQUAL_UINT32(2, b->count);
	TEST_ASSERT_EQUAL_UINT32(2, b->key->line);
	TEST_ASSERT_EQUAL_UINT32(4, b->first->next->line);
	TEST_ASSERT_EQUAL_UINT32(5, b->first->next->column);
	TEST_ASSERT_EQUAL_STRING_LEN("z", yaml_get(b->first->next, "y")->text.at, 1);
	TEST_ASSERT_NULL(yaml_get(root, "c"));
	TEST_ASSERT_NULL(yaml_get(b, "x"));
	TEST_ASSERT_NULL(yaml_get(NULL, "x"));
	TEST_ASSERT_EQUAL_STRING("a list", yaml_kind_name(b->kind));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_scalars_are_typed_as_kubernetes_does);
	RUN_TEST(test_documents_as_json);
	RUN_TEST(test_aliases);
	RUN_TEST(test_merge_key_adds_fields_that_are_not_there);
	RUN_TEST(test_merge_keys_cannot_grow_without_bound);
	RUN_TEST(test_json_surrogates_become_one_character);
	RUN_TEST(test_faults_name_the_line);
	RUN_TEST(test_what_is_no_text_has_a_place);
	RUN_TEST(test_nothing_behind_a_document);
	RUN_TEST(test_alias_bomb);
	RUN_TEST(test_limits);
	RUN_TEST(test_a_deep_alias_in_a_deep_place);
	RUN_TEST(test_too_little_memory_is_a_fault);
	RUN_TEST(test_streams_of_documents);
	RUN_TEST(test_nodes_know_their_place);
	return UNITY_END();
}
