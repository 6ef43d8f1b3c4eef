/* SPDX-License-Identifier: GPL-2.0-only */
/* Sniffing: formats by their first bytes, lists by their first members. */
// deps: base/*.c command/sniff.c
#include "command/sniff.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static size_t skipped;
static enum sniff_format format_of(const char *bytes)
{
	return sniff_format(text_of(bytes), &skipped);
}

static struct text kind;
static size_t first;
static enum sniff_shape shape_of(const char *bytes)
{
	return sniff_shape(text_of(bytes), &kind, &first);
}

static void test_formats(void)
{
	TEST_ASSERT_EQUAL(SNIFF_EMPTY, format_of(""));
	TEST_ASSERT_EQUAL(SNIFF_EMPTY, format_of(" \n\t\r\n"));
	TEST_ASSERT_EQUAL(SNIFF_JSON, format_of("\n {"));
	TEST_ASSERT_EQUAL(SNIFF_JSON, format_of("[]"));
	TEST_ASSERT_EQUAL(SNIFF_YAML, format_of("---\n{"));
	TEST_ASSERT_EQUAL(SNIFF_YAML, format_of("# {\nkind: Pod"));
	TEST_ASSERT_EQUAL(SNIFF_GZIP, format_of("\x1f\x8b\x08"));
	TEST_ASSERT_EQUAL(SNIFF_UTF16, format_of("\xff\xfe{"));
	TEST_ASSERT_EQUAL(SNIFF_UTF16, format_of("\xfe\xff"));
}

static void test_byte_order_mark_is_skipped(void)
{
	TEST_ASSERT_EQUAL(SNIFF_JSON, format_of("\xef\xbb\xbf{"));
	TEST_ASSERT_EQUAL(3, skipped);
	TEST_ASSERT_EQUAL(SNIFF_JSON, format_of("{"));
	TEST_ASSERT_EQUAL(0, skipped);
}

static void test_list_of_kubectl(void)
{
	const char *list = "{\n \"apiVersion\": \"v1\",\n \"items\": [\n  {\"kind\": \"Pod\"";
	TEST_ASSERT_EQUAL(SNIFF_LIST, shape_of(list));
	TEST_ASSERT_NULL(kind.at);
	TEST_ASSERT_EQUAL_CHAR('{', list[first]);
	TEST_ASSERT_EQUAL_STRING("{\"kind\": \"Pod\"", list + first);
}

static void test_list_of_the_api_says_its_kind_first(void)
{
	TEST_ASSERT_EQUAL(SNIFF_LIST,
		shape_of("{\"kind\":\"PodList\",\"metadata\":{\"a\":[1,{\"b\":\"}\"}]},\"items\":"
			 "["));
	TEST_ASSERT_TRUE(text_is_z(kind, "PodList"));
	TEST_ASSERT_EQUAL(0, first); /* its first item is not there yet */
	TEST_ASSERT_EQUAL(SNIFF_LIST, shape_of("{\"items\":null}"));
	TEST_ASSERT_EQUAL(SNIFF_LIST, shape_of("{\"kind\":\"List\"}"));
}

static void test_objects(void)
{
	TEST_ASSERT_EQUAL(SNIFF_OBJECT, shape_of("{\"kind\":\"Pod\",\"items\":["));
	TEST_ASSERT_EQUAL(SNIFF_OBJECT, shape_of("{\"spec\":{},\"kind\":\"PodList\""));
	TEST_ASSERT_EQUAL(SNIFF_OBJECT, shape_of("{}"));
	TEST_ASSERT_EQUAL(SNIFF_OBJECT, shape_of("{\"items\":{"));
	TEST_ASSERT_EQUAL(SNIFF_OBJECT, shape_of("{\"items\":7"));
}

static void test_broken_is_an_object(void)
{
	TEST_ASSERT_EQUAL(SNIFF_OBJECT, shape_of("{kind: PodList}"));
	TEST_ASSERT_EQUAL(SNIFF_OBJECT, shape_of("{\"kind\" \"PodList\"}"));
	TEST_ASSERT_EQUAL(SNIFF_OBJECT, shape_of("{]"));
}

/* Every beginning of a list is either undecided or a list, never an object. */
static void test_too_few_bytes(void)
{
	static const char list[] = "{\"metadata\":{\"x\":\"a\\\"b]\",\"n\":-1.5e3}, \"apiVersion\":"
				   "\"v1\",\"kind\":\"NodeList\",\"items\":[{\"kind\":\"Node\"}]}";
	for (size_t size = 1; size < sizeof(list) - 1; size++) {
		enum sniff_shape shape = sniff_shape((struct text){list, size}, &kind, &first);
		TEST_ASSERT_NOT_EQUAL(SNIFF_OBJECT, shape);
		TEST_ASSERT_TRUE(first < size);
	}
	TEST_ASSERT_EQUAL(SNIFF_LIST, shape_of(list));
	TEST_ASSERT_TRUE(text_is_z(kind, "NodeList"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_formats);
	RUN_TEST(test_byte_order_mark_is_skipped);
	RUN_TEST(test_list_of_kubectl);
	RUN_TEST(test_list_of_the_api_says_its_kind_first);
	RUN_TEST(test_objects);
	RUN_TEST(test_broken_is_an_object);
	RUN_TEST(test_too_few_bytes);
	return UNITY_END();
}
