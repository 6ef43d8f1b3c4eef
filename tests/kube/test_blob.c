/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blobs: growing, sharing, and giving everything back when something does not fit.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

#include "kube/decode.h"

struct head {
	struct kube_blob blob;
	struct kube_span numbers;
	struct kube_span ids;
};

void setUp(void)
{
	fixture_start();
}

void tearDown(void)
{
	fixture_end();
}

static struct head *build(const char *const *texts, uint32_t count, uint64_t number)
{
	struct kube_build *b = &fixture.b;
	struct head *head = kube_build_start(b, sizeof(*head));
	uint64_t *numbers = kube_build_array(b, sizeof(*numbers), 3, &head->numbers);
	TEST_ASSERT_NOT_NULL(numbers);
	uint32_t *ids = kube_build_array(b, sizeof(*ids), count, &head->ids);
	numbers[1] = number;
	for (uint32_t i = 0; i < count; i++)
		ids[i] = kube_build_string(b, text_of(texts[i]));
	struct kube_blob *blob = kube_build_finish(b);
	TEST_ASSERT_NOT_NULL(blob);
	return (struct head *)(void *)blob;
}

static const char *const names[] = {"one", "two", "", "one"};

static void test_a_blob_holds_what_was_written(void)
{
	struct head *head = build(names, 4, 17);
	TEST_ASSERT_EQUAL(17, KUBE_AT(head, head->numbers, uint64_t)[1]);
	const uint32_t *ids = KUBE_AT(head, head->ids, uint32_t);
	fixture_is("one", ids[0]);
	fixture_is("two", ids[1]);
	TEST_ASSERT_EQUAL(0, ids[2]);
	TEST_ASSERT_EQUAL(ids[0], ids[3]);
	/* One reference for each time it was written, none for the empty string. */
	TEST_ASSERT_EQUAL(3, head->blob.refs.count);
	TEST_ASSERT_EQUAL(2, intern_references(&fixture.strings, ids[0]));
	TEST_ASSERT_EQUAL(0, head->blob.size % 8);
	kube_blob_drop(&head->blob, &fixture.strings);
}

static void test_a_blob_can_be_moved(void)
{
	struct head *head = build(names, 4, 17);
	struct head *copy = malloc(head->blob.size);
	TEST_ASSERT_NOT_NULL(copy);
	memcpy(copy, head, head->blob.size);
	memset(head, 0xdd, head->blob.size);
	TEST_ASSERT_EQUAL(17, KUBE_AT(copy, copy->numbers, uint64_t)[1]);
	fixture_is("two", KUBE_AT(copy, copy->ids, uint32_t)[1]);
	kube_blob_drop(&copy->blob, &fixture.strings);
	free(copy);
}

static void test_equal_content_is_equal(void)
{
	static const char *const others[] = {"one", "two", "", "three"};
	struct head *a = build(names, 4, 17);
	struct head *b = build(names, 4, 17);
	struct head *c = build(names, 4, 18);
	struct head *d = build(others, 4, 17);
	TEST_ASSERT_TRUE(kube_blob_is(&a->blob, &b->blob));
	TEST_ASSERT_EQUAL(a->blob.hash, b->blob.hash);
	TEST_ASSERT_FALSE(kube_blob_is(&a->blob, &c->blob));
	TEST_ASSERT_FALSE(kube_blob_is(&a->blob, &d->blob));
	struct head *all[] = {a, b, c, d};
	for (size_t i = 0; i < ARRAY_COUNT(all); i++)
		kube_blob_drop(&all[i]->blob, &fixture.strings);
}

static void test_a_finished_blob_takes_no_more_scratch_than_it_needs(void)
{
	size_t before = fixture.scratch.used;
	struct head *head = build(names, 4, 17);
	TEST_ASSERT_TRUE(fixture.scratch.used - before <= head->blob.size + 16);
	kube_blob_drop(&head->blob, &fixture.strings);
}

static void test_others_may_take_scratch_meanwhile(void)
{
	struct kube_build *b = &fixture.b;
	struct head *head = kube_build_start(b, sizeof(*head));
	char *other = scratch_take(&fixture.scratch, 1000);
	TEST_ASSERT_NOT_NULL(other);
	memset(other, 'x', 1000);
	uint64_t *numbers = kube_build_array(b, sizeof(*numbers), 3000, &head->numbers);
	for (uint32_t i = 0; i < 3000; i++)
		numbers[i] = i;
	for (uint32_t i = 0; i < 1000; i++)
		TEST_ASSERT_EQUAL('x', other[i]);
	TEST_ASSERT_NOT_NULL(kube_build_finish(b));
	TEST_ASSERT_EQUAL(2999, KUBE_AT(head, head->numbers, uint64_t)[2999]);
}

static void test_an_array_can_be_shortened(void)
{
	struct kube_build *b = &fixture.b;
	struct head *head = kube_build_start(b, sizeof(*head));
	uint32_t size = b->blob->size;
	uint32_t *ids = kube_build_array(b, sizeof(*ids), 10, &head->ids);
	memset(ids, 0xff, 10 * sizeof(*ids));
	kube_build_shorten(b, sizeof(*ids), 3, &head->ids);
	TEST_ASSERT_EQUAL(3, head->ids.count);
	TEST_ASSERT_EQUAL(size + 16, b->blob->size);
	TEST_ASSERT_EQUAL(0, ids[3]); /* or equal blobs would differ in what nobody reads */
	kube_build_shorten(b, sizeof(*ids), 0, &head->ids);
	TEST_ASSERT_EQUAL(size, b->blob->size);
	TEST_ASSERT_EQUAL(0, head->ids.at);
	TEST_ASSERT_NOT_NULL(kube_build_finish(b));
}

static void test_the_first_fault_sticks(void)
{
	struct kube_build *b = &fixture.b;
	struct head *head = kube_build_start(b, sizeof(*head));
	TEST_ASSERT_NOT_EQUAL(0, kube_build_string(b, TEXT("kept until the end")));
	kube_build_malformed(b, "first", "because");
	kube_build_malformed(b, "second", "because");
	TEST_ASSERT_EQUAL(0, kube_build_string(b, TEXT("not any more")));
	TEST_ASSERT_NULL(kube_build_array(b, 8, 1, &head->ids));
	TEST_ASSERT_NULL(kube_build_finish(b));
	TEST_ASSERT_EQUAL(KUBE_MALFORMED, b->result);
	TEST_ASSERT_EQUAL_STRING("first", b->fault_field);
	TEST_ASSERT_EQUAL(0, pool_used(&fixture.strings.strings));
	TEST_ASSERT_NULL(kube_build_start(b, sizeof(*head)));
}

static void test_too_large_is_malformed(void)
{
	struct kube_build *b = &fixture.b;
	struct head *head = kube_build_start(b, sizeof(*head));
	TEST_ASSERT_NULL(kube_build_array(b, 1024, KUBE_BLOB_MAX / 1024, &head->ids));
	TEST_ASSERT_EQUAL(KUBE_MALFORMED, b->result);
	TEST_ASSERT_NULL(kube_build_finish(b));

	kube_decode_begin(b);
	head = kube_build_start(b, sizeof(*head));
	TEST_ASSERT_NULL(kube_build_array(b, SIZE_MAX / 2, UINT32_MAX, &head->ids));
	TEST_ASSERT_NULL(kube_build_finish(b));
	TEST_ASSERT_EQUAL(KUBE_MALFORMED, b->result);
}

static void test_too_many_strings_are_malformed(void)
{
	struct kube_build *b = &fixture.b;
	TEST_ASSERT_NOT_NULL(kube_build_start(b, sizeof(struct head)));
	for (uint32_t i = 0; i < KUBE_BLOB_REFS_MAX; i++)
		TEST_ASSERT_NOT_EQUAL(0, kube_build_string(b, TEXT("again")));
	TEST_ASSERT_EQUAL(0, kube_build_string(b, TEXT("again")));
	TEST_ASSERT_EQUAL(KUBE_MALFORMED, b->result);
	TEST_ASSERT_NOT_NULL(strstr(b->fault_reason, "KUBE_BLOB_REFS_MAX"));
	TEST_ASSERT_NULL(kube_build_finish(b));
}

static void test_no_scratch_is_full(void)
{
	struct kube_build *b = &fixture.b;
	size_t size;
	void *rest = scratch_take_rest(&fixture.scratch, &size);
	TEST_ASSERT_NOT_NULL(rest);
	scratch_keep(&fixture.scratch, rest, size - 32);
	TEST_ASSERT_NULL(kube_build_start(b, sizeof(struct head)));
	TEST_ASSERT_EQUAL(KUBE_FULL, b->result);
	TEST_ASSERT_NULL(kube_build_finish(b));
}

/* Whatever the scratch, a blob is whole or there is none, and nothing is lost. */
static void test_any_scratch_is_enough_or_full(void)
{
	struct kube_build *b = &fixture.b;
	bool fitted = false;
	for (size_t room = 0; room < 1024; room += 16) {
		struct scratch_mark mark = scratch_mark(&fixture.scratch);
		size_t size;
		void *rest = scratch_take_rest(&fixture.scratch, &size);
		scratch_keep(&fixture.scratch, rest, size - room);
		kube_decode_begin(b);
		struct head *head = kube_build_start(b, sizeof(*head));
		if (head != NULL) {
			uint32_t *ids = kube_build_array(b, sizeof(*ids), 8, &head->ids);
			for (uint32_t i = 0; ids != NULL && i < 8; i++)
				ids[i] = kube_build_string(b, TEXT("some"));
		}
		struct kube_blob *blob = kube_build_finish(b);
		TEST_ASSERT_EQUAL(blob == NULL ? KUBE_FULL : KUBE_OK, b->result);
		fitted |= blob != NULL;
		kube_blob_drop(blob, &fixture.strings);
		TEST_ASSERT_EQUAL(0, pool_used(&fixture.strings.strings));
		scratch_rewind(&fixture.scratch, mark);
	}
	TEST_ASSERT_TRUE(fitted);
}

static void test_no_room_for_strings_is_full(void)
{
	fixture_end();
	fixture_start_with(16, FIXTURE_SCRATCH);
	struct kube_build *b = &fixture.b;
	TEST_ASSERT_NOT_NULL(kube_build_start(b, sizeof(struct head)));
	for (uint32_t i = 0; i < 17; i++) {
		char text[16];
		snprintf(text, sizeof(text), "s%u", i);
		kube_build_string(b, text_of(text));
	}
	TEST_ASSERT_EQUAL(KUBE_FULL, b->result);
	TEST_ASSERT_NULL(kube_build_finish(b));
	TEST_ASSERT_EQUAL(0, pool_used(&fixture.strings.strings));
}

static void test_ids_are_kept(void)
{
	struct kube_build *b = &fixture.b;
	struct head *first = build(names, 4, 0);
	struct head *head = kube_build_start(b, sizeof(*head));
	kube_build_ids(b, KUBE_AT(first, first->ids, uint32_t), first->ids.count, &head->ids);
	TEST_ASSERT_NOT_NULL(kube_build_finish(b));
	kube_blob_drop(&first->blob, &fixture.strings);
	fixture_is("one", KUBE_AT(head, head->ids, uint32_t)[3]);
	kube_blob_drop(&head->blob, &fixture.strings);
}

/* ---- sorting ---- */

static void test_sorting_of_any_length(void)
{
	static uint32_t pairs[300][2];
	uint32_t state = 1;
	for (uint32_t count = 0; count < 300; count += 7) {
		uint64_t sum = 0;
		for (uint32_t i = 0; i < count; i++) {
			state = state * 1664525 + 1013904223;
			pairs[i][0] = state >> 25;
			pairs[i][1] = i;
			sum += pairs[i][0];
		}
		kube_sort(pairs, sizeof(pairs[0]), 1, count);
		for (uint32_t i = 0; i < count; i++) {
			sum -= pairs[i][0];
			TEST_ASSERT_TRUE(i == 0 || pairs[i - 1][0] <= pairs[i][0]);
		}
		TEST_ASSERT_EQUAL(0, sum);
		uint32_t unique = kube_sorted_unique(pairs, sizeof(pairs[0]), 1, count);
		TEST_ASSERT_TRUE(unique <= count);
		for (uint32_t i = 1; i < unique; i++)
			TEST_ASSERT_TRUE(pairs[i - 1][0] < pairs[i][0]);
	}
}

static void test_sorting_looks_at_all_key_words(void)
{
	uint32_t keys[4][3] = {{1, 2, 1}, {1, 1, 2}, {1, 1, 1}, {1, 1, 2}};
	static const uint32_t expected[3][3] = {{1, 1, 1}, {1, 1, 2}, {1, 2, 1}};
	kube_sort(keys, sizeof(keys[0]), 3, 4);
	TEST_ASSERT_EQUAL(3, kube_sorted_unique(keys, sizeof(keys[0]), 3, 4));
	TEST_ASSERT_EQUAL_MEMORY(expected, keys, sizeof(expected));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_blob_holds_what_was_written);
	RUN_TEST(test_a_blob_can_be_moved);
	RUN_TEST(test_equal_content_is_equal);
	RUN_TEST(test_a_finished_blob_takes_no_more_scratch_than_it_needs);
	RUN_TEST(test_others_may_take_scratch_meanwhile);
	RUN_TEST(test_an_array_can_be_shortened);
	RUN_TEST(test_the_first_fault_sticks);
	RUN_TEST(test_too_large_is_malformed);
	RUN_TEST(test_too_many_strings_are_malformed);
	RUN_TEST(test_no_scratch_is_full);
	RUN_TEST(test_any_scratch_is_enough_or_full);
	RUN_TEST(test_no_room_for_strings_is_full);
	RUN_TEST(test_ids_are_kept);
	RUN_TEST(test_sorting_of_any_length);
	RUN_TEST(test_sorting_looks_at_all_key_words);
	return UNITY_END();
}
