/* SPDX-License-Identifier: GPL-2.0-only */
/* Options sorted by node label: the same one is found as by looking at all of them. */
// deps: base/*.c json/*.c kube/*.c plugins/volume_match.c
#include "plugins/volume_match.h"

#include <stdlib.h>

#include <unity.h>

#include "base/entropy.h"

enum { SCRATCH = 1 << 16, OPTIONS = 60, KEYS = 4, VALUES = 3, ROUNDS = 400 };

static void *block;
static struct scratch scratch;
static struct random random_of_tests;

void setUp(void)
{
	block = malloc(SCRATCH);
	TEST_ASSERT_NOT_NULL(block);
	scratch_init(&scratch, block, SCRATCH);
	random_init(&random_of_tests, 4711);
}

void tearDown(void)
{
	free(block);
}

static uint32_t below(uint32_t bound)
{
	return random_below(&random_of_tests, bound);
}

/* A node with some of the keys 1..KEYS, each with a value in 1..VALUES. */
static struct kube_labels *node(void)
{
	struct kube_labels *labels =
		scratch_take(&scratch, sizeof(*labels) + KEYS * sizeof(struct kube_label));
	TEST_ASSERT_NOT_NULL(labels);
	labels->pairs.at = sizeof(*labels);
	struct kube_label *pairs = (struct kube_label *)(void *)(labels + 1);
	for (uint32_t key = 1; key <= KEYS; key++) {
		if (below(4) != 0)
			pairs[labels->pairs.count++] = (struct kube_label){key, 1 + below(VALUES)};
	}
	return labels;
}

/* Every third object, and another every third in the next round, is not to be had. */
static bool is_good(void *self, const struct volume_option *option)
{
	uint32_t *asked = self;
	++*asked;
	return (option->object * 7 + asked[1]) % 3 != 0;
}

static const struct volume_option *look_at_all(
	const struct volume_options *options, const struct kube_labels *labels, uint32_t *asked)
{
	const struct volume_option *best = NULL;
	for (uint32_t i = 0; i < options->count; i++) {
		const struct volume_option *o = &options->list[i];
		uint32_t value = 0;
		if (o->key != 0 && !kube_labels_get(labels, o->key, &value))
			continue;
		if (o->value != value || !is_good(asked, o))
			continue;
		if (best == NULL || o->size < best->size ||
			(o->size == best->size && o->order < best->order))
			best = o;
	}
	return best;
}

static void test_the_best_is_found(void)
{
	uint32_t found = 0;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		scratch_reset(&scratch);
		struct volume_options options = {.count = below(OPTIONS)};
		options.list = SCRATCH_ARRAY(&scratch, struct volume_option, OPTIONS);
		for (uint32_t i = 0; i < options.count; i++) {
			uint32_t key = below(KEYS + 1);
			options.list[i] = (struct volume_option){
				.key = key,
				.value = key == 0 ? 0 : 1 + below(VALUES),
				.size = (int64_t)below(5),
				.order = i,
				.object = i + 1,
			};
		}
		TEST_ASSERT_TRUE(volume_options_finish(&options, &scratch));
		for (int nodes = 0; nodes < 8; nodes++) {
			const struct kube_labels *labels = node();
			uint32_t few[2] = {0, round};
			uint32_t all[2] = {0, round};
			const struct volume_option *best =
				volume_options_best(&options, labels, is_good, few);
			TEST_ASSERT_EQUAL_PTR(look_at_all(&options, labels, all), best);
			TEST_ASSERT_TRUE(few[0] <= all[0]);
			found += best != NULL;
		}
	}
	TEST_ASSERT_TRUE(found > ROUNDS);
}

static void test_no_options(void)
{
	struct volume_options options = {0};
	uint32_t asked[2] = {0, 0};
	TEST_ASSERT_TRUE(volume_options_finish(&options, &scratch));
	TEST_ASSERT_NULL(volume_options_best(&options, NULL, is_good, asked));
	TEST_ASSERT_EQUAL(0, asked[0]);
}

static void test_a_node_without_labels(void)
{
	struct volume_option list[2] = {
		{.key = 3, .value = 1, .size = 1, .object = 2}, {.size = 2, .object = 2}};
	struct volume_options options = {.list = list, .count = 2};
	uint32_t asked[2] = {0, 0};
	TEST_ASSERT_TRUE(volume_options_finish(&options, &scratch));
	const struct volume_option *best = volume_options_best(&options, NULL, is_good, asked);
	TEST_ASSERT_NOT_NULL(best);
	TEST_ASSERT_EQUAL(2, best->size);
	TEST_ASSERT_EQUAL(1, asked[0]);
}

static void test_no_room(void)
{
	struct volume_option list[1] = {{.size = 2}};
	struct volume_options options = {.list = list, .count = 1};
	scratch_take(&scratch, scratch.size - scratch.used);
	TEST_ASSERT_FALSE(volume_options_finish(&options, &scratch));
}

struct tied { /* a blob with requirements */
	struct kube_blob blob;
	struct kube_span requirements;
	struct kube_requirement list[3];
	uint32_t values[4];
};

static void test_what_ties(void)
{
	struct tied t = {
		.requirements = {offsetof(struct tied, list), 3},
		.list = {{.key = 1, .op = KUBE_IN, .values = {offsetof(struct tied, values), 2}},
			{.key = 2, .op = KUBE_NOT_IN, .values = {offsetof(struct tied, values), 1}},
			{.key = 3,
				.op = KUBE_IN,
				.values = {offsetof(struct tied, values) + 8, 1}}},
		.values = {10, 11, 12, 13},
	};
	struct volume_option option = {.key = 99, .value = 99};
	volume_option_tie(&t, t.requirements, &option);
	TEST_ASSERT_EQUAL(3, option.key);
	TEST_ASSERT_EQUAL(12, option.value);
	t.requirements.count = 2;
	volume_option_tie(&t, t.requirements, &option);
	TEST_ASSERT_EQUAL(0, option.key);
	TEST_ASSERT_EQUAL(0, option.value);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_best_is_found);
	RUN_TEST(test_no_options);
	RUN_TEST(test_a_node_without_labels);
	RUN_TEST(test_no_room);
	RUN_TEST(test_what_ties);
	return UNITY_END();
}
