/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What dumps look like and what is wrong with them, seen through `simulate -`.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c command/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c queue/*.c
// deps: api/*.c bind/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c update/*.c
// deps: tests/command/run.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/dump.h"
#include "command/run.h"
#include "unity.h"

#define NODE(name)                                                                \
	"{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name \
	"\"},\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"9\"}}}"
#define POD_WITH(name, spec, status)                                             \
	"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name \
	"\"},\"spec\":{" spec "},\"status\":{" status "}}"
#define POD(name) POD_WITH(name, "", "")

static struct said said;

void setUp(void)
{
}

void tearDown(void)
{
}

static void feed(const char *input)
{
	RUN(&said, simulate_run, input, "-");
}

/* `input` is read without a word on stderr, and places so many pods. */
static void reads(const char *input, int placed)
{
	char summary[64];
	feed(input);
	TEST_ASSERT_EQUAL_STRING_MESSAGE("", said.err, input);
	TEST_ASSERT_EQUAL(0, said.status);
	(void)snprintf(summary, sizeof(summary), "%d pending: %d placed, 0 unschedulable\n", placed,
		placed);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.out, summary), said.out);
}

static void complains(const char *input, int status, const char *words)
{
	feed(input);
	TEST_ASSERT_EQUAL_STRING(words, said.err);
	TEST_ASSERT_EQUAL(status, said.status);
}

/* ---- shapes ---- */

static void test_list_of_kubectl(void)
{
	reads("{\"apiVersion\":\"v1\",\"items\":[" NODE("n") "," POD(
		      "p") "],\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"}}\n",
		1);
}

static void test_lists_of_the_api_whose_items_have_no_kind(void)
{
	reads("{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":"
	      "[{\"metadata\":{\"name\":\"n\"},\"status\":{\"allocatable\":{\"pods\":\"5\"}}}]}"
	      "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":"
	      "\"p\"}},{\"metadata\":{\"name\":\"q\"}}]}",
		2);
}

static void test_objects_one_after_the_other(void)
{
	reads(NODE("n") POD("p") "\n\n" POD("q"), 2);
	reads(NODE("n") "\n" POD("p") "\n", 1);
	reads(POD("p") "{\"items\":[" NODE("n") "]}" POD("q"), 2);
}

static void test_array(void)
{
	reads("[" NODE("n") "," POD("p") "]", 1);
	reads("\n[\n" NODE("n") ",\n" POD("p") "\n]\n", 1);
}

static void test_empty_lists(void)
{
	reads("[]", 0);
	reads("{\"items\":[]}", 0);
	reads("{\"kind\":\"PodList\",\"items\":null}" NODE("n") POD("p"), 1);
}

static void test_byte_order_mark(void)
{
	reads("\xef\xbb\xbf" NODE("n") POD("p"), 1);
}

static void test_yaml(void)
{
	static const char yaml[] = "# by hand\n"
				   "kind: Node\n"
				   "metadata: {name: node-1}\n"
				   "status: {allocatable: {cpu: 2, memory: 1Gi, pods: '7'}}\n"
				   "---\n"
				   "---\n"
				   "kind: PodList\n"
				   "items:\n"
				   "- metadata: {name: p}\n"
				   "  spec: {containers: [{resources: {requests: {cpu: 2}}}]}\n"
				   "---\n"
				   "- kind: Pod\n"
				   "  metadata: {name: q}\n";
	reads(yaml, 2);
}

static void test_several_files(void)
{
	static const char *const nodes = "tests/command/data/nodes.json";
	RUN(&said, simulate_run, POD("p"), nodes, "-");
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 1 placed"));
}

/* ---- lines ---- */

static void test_lines_of_indented_lists(void)
{
	complains("{\n"
		  "    \"apiVersion\": \"v1\",\n"
		  "    \"items\": [\n"
		  "        {\n"
		  "            \"kind\": \"Pod\",\n"
		  "            \"metadata\": {\"name\": 5}\n"
		  "        },\n"
		  "        {\n"
		  "            \"kind\": \"Pod\",\n"
		  "            \"metadata\": {\n"
		  "                \"labels\": {}\n"
		  "            }\n"
		  "        }\n"
		  "    ]\n"
		  "}\n",
		1,
		"berth: standard input:4: Pod number 1: metadata.name: not a string\n"
		"berth: standard input:8: Pod number 2: metadata.name: missing\n");
}

static void test_lines_of_objects_on_lines(void)
{
	complains(NODE("n") "\n\n{\"kind\":\"Pod\"}\n{\n\n\"kind\":\"Pod\"}", 1,
		"berth: standard input:3: Pod number 1: metadata.name: missing\n"
		"berth: standard input:4: Pod number 1: metadata.name: missing\n");
}

static void test_lines_of_yaml(void)
{
	complains("kind: List\nitems:\n- kind: Pod\n  metadata: {name: a}\n"
		  "- kind: Pod\n  metadata: {name: b}\n  spec: 7\n",
		1, "berth: standard input:5: Pod default/b: spec: not an object\n");
}

/* ---- what ends the reading ---- */

static void test_broken_json(void)
{
	complains("{\"items\":[\n" POD("p") "\n" POD("q") "]}", 1,
		"berth: standard input:3: not JSON: a comma or an end was expected\n");
	TEST_ASSERT_EQUAL_STRING("", said.out);
	complains(POD("p") "\n?", 1,
		"berth: standard input:2: '?' where an object or a list of objects should begin\n");
	complains("[" POD("p") "] " POD("q"), 1,
		"berth: standard input:1: not JSON: a comma or an end was expected\n");
}

static void test_half_a_file(void)
{
	complains("{\"items\":[" POD("p") ",", 1,
		"berth: standard input:1: ends in the middle of a list\n");
	complains("[" POD("p"), 1, "berth: standard input:1: ends in the middle of a list\n");
	complains(POD("p") "\n{\"kind\":", 1,
		"berth: standard input:2: ends in the middle of an object\n");
	TEST_ASSERT_EQUAL_STRING("", said.out);
}

static void test_broken_yaml(void)
{
	complains("kind: Node\na: [\n", 1,
		"berth: standard input:3: not YAML: did not find expected node content\n");
}

static void test_what_is_no_dump_at_all(void)
{
	complains("", 1, "berth: standard input: empty\n");
	complains(" \n ", 1, "berth: standard input: empty\n");
	complains("\x1f\x8b\x08", 1,
		"berth: standard input: compressed; unpack it first: gzip -dc standard input\n");
	complains("\xff\xfe{", 1,
		"berth: standard input: UTF-16; write it as UTF-8 (a shell of Windows?)\n");
	complains("Unable to connect to the server", 1,
		"berth: standard input:1: text where an object should be: neither JSON nor YAML of "
		"Kubernetes\n");
}

static void test_files_that_cannot_be_read(void)
{
	RUN(&said, simulate_run, NULL, "tests/command/data/nowhere.json");
	TEST_ASSERT_EQUAL_STRING(
		"berth: tests/command/data/nowhere.json: No such file or directory\n", said.err);
	TEST_ASSERT_EQUAL(1, said.status);
	RUN(&said, simulate_run, NULL, "tests/command/data");
	TEST_ASSERT_EQUAL_STRING("berth: tests/command/data: Is a directory\n", said.err);
	TEST_ASSERT_EQUAL(1, said.status);
}

/* ---- broken objects ---- */

static void test_broken_objects_are_told_and_the_rest_is_placed(void)
{
	static const char dump[] = NODE("n") POD_WITH("bad",
		"\"containers\":[{\"resources\":{\"requests\":{\"cpu\":"
		"\"a lot\"}}}]",
		"") POD("good");
	feed(dump);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.err,
		"standard input:1: Pod default/bad: "
		"spec.containers.resources.requests: quantities must match"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 1 placed"));
	RUN(&said, simulate_run, dump, "-", "--skip-broken");
	TEST_ASSERT_EQUAL(0, said.status);
}

/* What the page's snapshot is. */
static void test_a_dump_that_lacks_something_is_warned_of(void)
{
	feed("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"lacks\":true,\"items\":[" NODE(
		"n") "," POD("p") "]}");
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.err,
		"berth: standard input: warning: it is what berth keeps, without volumes, claims"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 1 placed"));
	feed("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" NODE("n") "," POD("p") "]}");
	TEST_ASSERT_EQUAL_STRING("", said.err);
}

static void test_kinds_nobody_says(void)
{
	complains("{\"metadata\":{\"name\":\"a\"}}", 1,
		"berth: standard input:1: object a has no kind\n");
	complains("{\"items\":[{\"metadata\":{\"name\":\"a\"}}],\"kind\":\"PodList\"}", 1,
		"berth: standard input:1: object a has no kind, and its list names none before its "
		"items\n");
	complains("[7]", 1, "berth: standard input:1: number 1 is not an object\n");
	complains("[[]]", 1, "berth: standard input:1: number 1 is not an object\n");
}

static void test_lists_in_lists(void)
{
	complains("[{\"kind\":\"PodList\",\"items\":[]}]", 1,
		"berth: standard input:1: PodList inside of a list: give each list as a file\n");
	/* A kind of somebody's own that only sounds like one. */
	complains("[{\"kind\":\"AllowList\"}]", 0,
		"berth: skipped kinds that do not matter here: AllowList (1)\n");
}

static void test_answer_of_the_api(void)
{
	complains("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
		  "\"Failure\",\"message\":\"Unauthorized\",\"code\":401}",
		1,
		"berth: standard input:1: an answer of the API instead of objects: "
		"Unauthorized\n");
}

static void test_other_kinds_are_skipped_and_counted(void)
{
	complains("[{\"kind\":\"Secret\"},{\"kind\":\"ConfigMap\",\"data\":{}},{\"kind\":"
		  "\"Secret\"}]",
		0, "berth: skipped kinds that do not matter here: Secret (2), ConfigMap (1)\n");
	/* The same name in another group is another kind. */
	complains("{\"kind\":\"Service\",\"apiVersion\":\"serving.knative.dev/v1\",\"metadata\":"
		  "{\"name\":\"a\"},\"spec\":{\"selector\":5}}",
		0, "berth: skipped kinds that do not matter here: Service (1)\n");
}

static void test_more_kinds_than_are_told_apart(void)
{
	static char dump[4096];
	size_t used = 0;
	for (int i = 0; i < DUMP_SKIPPED_KINDS_MAX + 5; i++)
		used += (size_t)snprintf(
			dump + used, sizeof(dump) - used, "{\"kind\":\"Kind%d\"}", i);
	feed(dump);
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.err, "Kind31 (1), ...\n"));
	TEST_ASSERT_NULL(strstr(said.err, "Kind32"));
}

static void test_many_messages_are_counted(void)
{
	static char dump[8192];
	size_t used = 0;
	for (int i = 0; i < DUMP_MESSAGES_MAX + 7; i++)
		used += (size_t)snprintf(dump + used, sizeof(dump) - used, "{\"kind\":\"Pod\"}\n");
	feed(dump);
	TEST_ASSERT_NOT_NULL(strstr(said.err, ":20: Pod number 1: metadata.name: missing\n"));
	TEST_ASSERT_NULL(strstr(said.err, ":21: "));
	TEST_ASSERT_NOT_NULL(strstr(said.err, "berth: 7 more objects are broken\n"));
}

static void test_objects_too_large(void)
{
	size_t size = 3u << 20;
	char *dump = malloc(size);
	TEST_ASSERT_NOT_NULL(dump);
	size_t used = (size_t)snprintf(dump, size,
		"{\"items\":[{\"kind\":\"Pod\",\"metadata\":{\"name\":\"huge\",\"namespace\":\"x\","
		"\"labels\":{\"a\":\"");
	memset(dump + used, 'y', 2u << 20);
	used += 2u << 20;
	(void)snprintf(dump + used, size - used, "\"}}},%s,%s]}", NODE("n"), POD("p"));
	feed(dump);
	TEST_ASSERT_EQUAL_STRING("berth: standard input:1: object x/huge (number 1): more than "
				 "1024 KiB that matter\n",
		said.err);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 1 placed"));
	free(dump);
}

static void test_ten_thousand_labels(void)
{
	size_t size = 512u << 10;
	char *dump = malloc(size);
	TEST_ASSERT_NOT_NULL(dump);
	size_t used = (size_t)snprintf(
		dump, size, "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"labels\":{");
	for (int i = 0; i < 10000; i++)
		used += (size_t)snprintf(
			dump + used, size - used, "%s\"k%d\":\"v\"", i == 0 ? "" : ",", i);
	(void)snprintf(dump + used, size - used, "}}}%s", NODE("n"));
	feed(dump);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.err, "standard input:1: Pod default/p: "));
	free(dump);
}

static void test_names_do_not_move_the_cursor(void)
{
	complains("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\\u001b[2J\\nb\"},\"spec\":1}", 1,
		"berth: standard input:1: Pod default/a?[2J?b: spec: not an object\n");
}

/* ---- names that come twice, nodes that do not come ---- */

static void test_the_last_of_two_counts(void)
{
	feed(NODE("n") POD_WITH("p", "\"nodeName\":\"n\"", "") "\n" POD("p"));
	TEST_ASSERT_EQUAL_STRING(
		"berth: standard input:2: warning: Pod default/p is given more than "
		"once; the last one counts\n",
		said.err);
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 1 placed"));
}

static void test_the_last_counts_with_equal_versions(void)
{
	feed(NODE("n") "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"uid\":\"u\","
		       "\"resourceVersion\":\"5\"},\"spec\":{\"nodeName\":\"n\"}}\n"
		       "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"uid\":\"u\","
		       "\"resourceVersion\":\"5\"}}");
	TEST_ASSERT_NOT_NULL(strstr(said.err, "Pod default/p is given more than once"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 1 placed"));
}

static void test_the_same_node_twice_is_no_matter(void)
{
	reads(NODE("n") NODE("n") POD("p"), 1);
}

static void test_finished_pods_are_left_out(void)
{
	reads(NODE("n") POD_WITH("p", "", "\"phase\":\"Succeeded\"")
			POD_WITH("q", "", "\"phase\":\"Failed\""),
		0);
	/* Also when an earlier one of that name was running. */
	reads(NODE("n") POD("p") POD_WITH("p", "", "\"phase\":\"Failed\""), 0);
}

static void test_pods_on_unknown_nodes_count_nowhere(void)
{
	feed(NODE("n") POD_WITH("p", "\"nodeName\":\"gone\"", "")
			POD_WITH("q", "\"nodeName\":\"gone\"", "") POD("r"));
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.err,
		"berth: warning: node gone is not in the dump; pods on "
		"it count nowhere: default/"));
	TEST_ASSERT_NOT_NULL(strstr(said.err, " and 1 more\n"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 1 placed"));
	/* A node may come after its pods. */
	reads(POD_WITH("p", "\"nodeName\":\"n\"", "") NODE("n") POD("r"), 1);
}

/* ---- full ---- */

static void test_full_says_what_and_how(void)
{
	size_t size = 4u << 20;
	char *dump = malloc(size);
	TEST_ASSERT_NOT_NULL(dump);
	size_t used = 0;
	for (int i = 0; i < 6000; i++)
		used += (size_t)snprintf(dump + used, size - used,
			"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\"}}\n", i);
	RUN(&said, simulate_run, dump, "-", "--memory=16Mi");
	free(dump);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_EQUAL_STRING("", said.out);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.err, ": no room for more pods ("), said.err);
	TEST_ASSERT_NOT_NULL(strstr(said.err, "; raise --memory, which is 16Mi now\n"));
}

static void test_dump_with_a_node_of_many_resources_is_read(void)
{
	static char dump[16384];
	size_t used = (size_t)snprintf(dump, sizeof(dump),
		"{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"},\"status\":{\"allocatable\":{");
	for (int i = 0; i < 100; i++)
		used += (size_t)snprintf(dump + used, sizeof(dump) - used,
			"%s\"example.com/r%d\":\"1\"", i == 0 ? "" : ",", i);
	(void)snprintf(dump + used, sizeof(dump) - used, "}}}%s%s", NODE("m"), POD("p"));
	feed(dump);
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "1 pending: 1 placed"));
}

static void test_too_much_yaml(void)
{
	size_t size = 3u << 20;
	char *dump = malloc(size);
	TEST_ASSERT_NOT_NULL(dump);
	memset(dump, ' ', size - 1);
	memcpy(dump, "kind: Pod", 9);
	dump[size - 1] = '\0';
	RUN(&said, simulate_run, dump, "-", "--memory=16Mi");
	free(dump);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_EQUAL_STRING(
		"berth: standard input:1: more than 2 MiB of YAML; JSON has no such "
		"bound, or raise --memory\n",
		said.err);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_list_of_kubectl);
	RUN_TEST(test_lists_of_the_api_whose_items_have_no_kind);
	RUN_TEST(test_objects_one_after_the_other);
	RUN_TEST(test_array);
	RUN_TEST(test_empty_lists);
	RUN_TEST(test_byte_order_mark);
	RUN_TEST(test_yaml);
	RUN_TEST(test_several_files);
	RUN_TEST(test_lines_of_indented_lists);
	RUN_TEST(test_lines_of_objects_on_lines);
	RUN_TEST(test_lines_of_yaml);
	RUN_TEST(test_broken_json);
	RUN_TEST(test_half_a_file);
	RUN_TEST(test_broken_yaml);
	RUN_TEST(test_what_is_no_dump_at_all);
	RUN_TEST(test_files_that_cannot_be_read);
	RUN_TEST(test_broken_objects_are_told_and_the_rest_is_placed);
	RUN_TEST(test_a_dump_that_lacks_something_is_warned_of);
	RUN_TEST(test_kinds_nobody_says);
	RUN_TEST(test_lists_in_lists);
	RUN_TEST(test_answer_of_the_api);
	RUN_TEST(test_other_kinds_are_skipped_and_counted);
	RUN_TEST(test_more_kinds_than_are_told_apart);
	RUN_TEST(test_many_messages_are_counted);
	RUN_TEST(test_objects_too_large);
	RUN_TEST(test_ten_thousand_labels);
	RUN_TEST(test_names_do_not_move_the_cursor);
	RUN_TEST(test_the_last_of_two_counts);
	RUN_TEST(test_the_last_counts_with_equal_versions);
	RUN_TEST(test_the_same_node_twice_is_no_matter);
	RUN_TEST(test_finished_pods_are_left_out);
	RUN_TEST(test_pods_on_unknown_nodes_count_nowhere);
	RUN_TEST(test_full_says_what_and_how);
	RUN_TEST(test_dump_with_a_node_of_many_resources_is_read);
	RUN_TEST(test_too_much_yaml);
	return UNITY_END();
}
