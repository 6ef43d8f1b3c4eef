/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Label sets.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

void setUp(void)
{
	fixture_start();
}

void tearDown(void)
{
	fixture_end();
}

static struct kube_labels *labels_of(const char *json)
{
	struct json_value v = json == NULL ? JSON_VALUE_NONE : fixture_json(json, NULL);
	return kube_labels_build(&fixture.b, v, "metadata.labels");
}

static void drop(struct kube_labels *labels)
{
	kube_blob_drop(&labels->blob, &fixture.strings);
}

static void test_values_are_found_by_key(void)
{
	struct kube_labels *labels = labels_of("{\"a\":\"1\",\"b\":\"2\",\"c\":\"\",\"d\":null}");
	uint32_t value = 99;
	TEST_ASSERT_EQUAL(4, labels->pairs.count);
	TEST_ASSERT_TRUE(kube_labels_get(labels, fixture_id("a"), &value));
	fixture_is("1", value);
	TEST_ASSERT_TRUE(kube_labels_get(labels, fixture_id("b"), &value));
	fixture_is("2", value);
	TEST_ASSERT_TRUE(kube_labels_get(labels, fixture_id("c"), &value));
	TEST_ASSERT_EQUAL(0, value);
	TEST_ASSERT_TRUE(kube_labels_get(labels, fixture_id("d"), &value));
	TEST_ASSERT_EQUAL(0, value);
	TEST_ASSERT_FALSE(kube_labels_get(labels, fixture_id("1"), &value));
	TEST_ASSERT_FALSE(kube_labels_get(labels, 0, &value));
	drop(labels);
}

static void test_no_labels_have_no_keys(void)
{
	uint32_t value;
	TEST_ASSERT_FALSE(kube_labels_get(NULL, 1, &value));
	const char *const texts[] = {NULL, "null", "{}"};
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		struct kube_labels *labels = labels_of(texts[i]);
		TEST_ASSERT_NOT_NULL(labels);
		TEST_ASSERT_FALSE(kube_labels_get(labels, 1, &value));
		drop(labels);
	}
}

static void test_the_order_of_members_is_of_no_account(void)
{
	struct kube_labels *a = labels_of("{\"app\":\"web\",\"tier\":\"front\",\"x\":\"y\"}");
	struct kube_labels *b = labels_of("{\"x\":\"y\",\"tier\":\"front\",\"app\":\"web\"}");
	struct kube_labels *c = labels_of("{\"x\":\"y\",\"tier\":\"web\",\"app\":\"front\"}");
	TEST_ASSERT_TRUE(kube_blob_is(&a->blob, &b->blob));
	TEST_ASSERT_FALSE(kube_blob_is(&a->blob, &c->blob));
	drop(a);
	drop(b);
	drop(c);
}

/* Every key of sets of all sizes, and what lies between the keys. */
static void test_search_in_sets_of_any_size(void)
{
	static char json[8192];
	for (uint32_t count = 1; count <= 70; count++) {
		struct writer out;
		writer_init(&out, json, sizeof(json) - 1);
		for (uint32_t i = 0; i < count; i++)
			write_format(&out, "%s\"k%u\":\"%u\"", i == 0 ? "{" : ",", i, i);
		write_char(&out, '}');
		json[out.used] = '\0';
		scratch_reset(&fixture.scratch);
		struct kube_labels *labels = labels_of(json);
		for (uint32_t i = 0; i < count; i++) {
			char key[16], text[16];
			uint32_t value;
			snprintf(key, sizeof(key), "k%u", i);
			snprintf(text, sizeof(text), "%u", i);
			TEST_ASSERT_TRUE(kube_labels_get(labels, fixture_id(key), &value));
			fixture_is(text, value);
			TEST_ASSERT_FALSE(kube_labels_get(labels, fixture_id(text), &value));
		}
		drop(labels);
	}
}

static void test_what_is_no_label_set(void)
{
	static const char *const texts[] = {"[]", "\"a\"", "{\"a\":1}", "{\"a\":{}}",
		"{\"a\":[\"b\"]}", "{\"a\":\"1\",\"b\":\"2\",\"a\":\"3\"}"};
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		kube_build_init(&fixture.b, &fixture.strings, &fixture.scratch);
		TEST_ASSERT_NULL_MESSAGE(labels_of(texts[i]), texts[i]);
		TEST_ASSERT_EQUAL(KUBE_MALFORMED, fixture.b.result);
		TEST_ASSERT_EQUAL_STRING("metadata.labels", fixture.b.fault_field);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_values_are_found_by_key);
	RUN_TEST(test_no_labels_have_no_keys);
	RUN_TEST(test_the_order_of_members_is_of_no_account);
	RUN_TEST(test_search_in_sets_of_any_size);
	RUN_TEST(test_what_is_no_label_set);
	return UNITY_END();
}
