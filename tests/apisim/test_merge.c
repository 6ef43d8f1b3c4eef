/* SPDX-License-Identifier: GPL-2.0-only */
/* Patches: those that kube-scheduler sends, with what kube-apiserver made of them; and the rest. */
// deps: base/*.c json/*.c tools/apisim/tree.c tools/apisim/merge.c
#include "apisim/merge.h"

#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/arena.h"

enum { MEMORY = 2 << 20 };

static void *memory;
static struct scratch scratch;

void setUp(void)
{
	memory = malloc(MEMORY);
	TEST_ASSERT_NOT_NULL(memory);
	scratch_init(&scratch, memory, MEMORY);
}

void tearDown(void)
{
	struct arena arena;

	arena_init(&arena, memory, MEMORY);
	free(memory);
}

struct row {
	const char *name, *kind, *target, *patch;
	const char *expected; /* NULL: refused */
};

#define SCHEDULED                                                                \
	"{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastProbeTime\":null," \
	"\"lastTransitionTime\":\"2026-11-18T10:37:11Z\"}"

static const struct row strategic[] = {
	{"the first condition and a nomination", "Pod",
		"{\"status\":{\"phase\":\"Pending\",\"qosClass\":\"Burstable\"}}",
		"{\"status\":{\"conditions\":[{\"lastProbeTime\":null,\"message\":\"m\","
		"\"observedGeneration\":1,\"reason\":\"Unschedulable\",\"status\":\"False\","
		"\"type\":\"PodScheduled\"}],\"nominatedNodeName\":\"node-00000\"}}",
		/* lastProbeTime: null deletes what is not there. */
		"{\"status\":{\"phase\":\"Pending\",\"qosClass\":\"Burstable\",\"conditions\":[{"
		"\"message\":\"m\",\"observedGeneration\":1,\"reason\":\"Unschedulable\","
		"\"status\":\"False\",\"type\":\"PodScheduled\"}],\"nominatedNodeName\":"
		"\"node-00000\"}}"},
	{"a victim", "Pod", "{\"status\":{\"conditions\":[" SCHEDULED "]}}",
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"PodScheduled\"},{"
		"\"type\":\"DisruptionTarget\"}],\"conditions\":[{\"message\":\"p\",\"status\":"
		"\"True\",\"type\":\"DisruptionTarget\"}]}}",
		"{\"status\":{\"conditions\":[" SCHEDULED ",{\"message\":\"p\",\"status\":\"True\","
		"\"type\":\"DisruptionTarget\"}]}}"},
	{"a condition changes in part", "Pod",
		"{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"reason\":"
		"\"Unschedulable\",\"message\":\"old\"}]}}",
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"PodScheduled\"}],"
		"\"conditions\":[{\"type\":\"PodScheduled\",\"message\":\"hello\"}]}}",
		"{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"reason\":"
		"\"Unschedulable\",\"message\":\"hello\"}]}}"},
	{"a nomination is cleared", "Pod",
		"{\"status\":{\"nominatedNodeName\":\"n\",\"phase\":\"Pending\"}}",
		"{\"status\":{\"nominatedNodeName\":null}}",
		"{\"status\":{\"phase\":\"Pending\"}}"},
	{"an element is deleted", "Pod",
		"{\"status\":{\"conditions\":[{\"type\":\"A\"},{\"type\":\"B\"}]}}",
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"B\"}],\"conditions\":[{"
		"\"$patch\":\"delete\",\"type\":\"A\"}]}}",
		"{\"status\":{\"conditions\":[{\"type\":\"B\"}]}}"},
	{"an order alone", "Pod",
		"{\"status\":{\"conditions\":[{\"type\":\"A\"},{\"type\":\"B\"},{\"type\":\"C\"}]}"
		"}",
		"{\"status\":{\"$setElementOrder/"
		"conditions\":[{\"type\":\"C\"},{\"type\":\"A\"}]}}",
		/* B stood before C and behind A: it comes before the first that it stood before. */
		"{\"status\":{\"conditions\":[{\"type\":\"B\"},{\"type\":\"C\"},{\"type\":\"A\"}]}"
		"}"},
	{"new ones of the patch among those of the server", "Pod",
		"{\"status\":{\"conditions\":[{\"type\":\"A\"},{\"type\":\"S\"}]}}",
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"N\"},{\"type\":\"A\"}],"
		"\"conditions\":[{\"type\":\"N\"}]}}",
		"{\"status\":{\"conditions\":[{\"type\":\"N\"},{\"type\":\"A\"},{\"type\":\"S\"}]}"
		"}"},
	{"a list without a key is replaced", "Node",
		"{\"spec\":{\"taints\":[{\"key\":\"a\"},{\"key\":\"b\"}]}}",
		"{\"spec\":{\"taints\":[{\"key\":\"c\"}]}}",
		"{\"spec\":{\"taints\":[{\"key\":\"c\"}]}}"},
	{"lists of one name differ by kind", "Service",
		"{\"ports\":[{\"port\":80,\"name\":\"x\"},{\"port\":443}]}",
		"{\"ports\":[{\"port\":80,\"name\":\"y\"}]}",
		"{\"ports\":[{\"port\":80,\"name\":\"y\"},{\"port\":443}]}"},
	{"a set of scalars", "Pod", "{\"metadata\":{\"finalizers\":[\"a\",\"b\"]}}",
		"{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"a\"],"
		"\"$setElementOrder/finalizers\":[\"c\",\"b\"],\"finalizers\":[\"c\"]}}",
		"{\"metadata\":{\"finalizers\":[\"c\",\"b\"]}}"},
	{"an object is replaced", "Pod", "{\"a\":{\"b\":1,\"c\":2}}",
		"{\"a\":{\"$patch\":\"replace\",\"d\":3}}", "{\"a\":{\"d\":3}}"},
	{"keys are retained", "Pod", "{\"s\":{\"a\":1,\"b\":2}}",
		"{\"s\":{\"$retainKeys\":[\"b\"],\"b\":3}}", "{\"s\":{\"b\":3}}"},
	{"no key", "Pod", "{}", "{\"status\":{\"conditions\":[{\"status\":\"True\"}]}}", NULL},
	{"an order that does not fit", "Pod", "{}",
		"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":\"A\"}],\"conditions\":[{"
		"\"type\":\"B\"}]}}",
		NULL},
	{"an unknown directive", "Pod", "{}", "{\"$what\":1}", NULL},
	{"no object", "Pod", "{}", "[1]", NULL},
};

/* The examples of RFC 7386, and more. */
static const struct row merge[] = {
	{"change", "", "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
	{"add", "", "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
	{"delete", "", "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
	{"lists are values", "", "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
	{"deep", "", "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}",
		"{\"a\":{\"b\":\"d\"}}"},
	{"null inside of a new one", "", "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}",
		"{\"a\":{\"bb\":{}}}"},
	{"a scalar takes all", "", "{\"a\":\"b\"}", "7", "7"},
};

static void run(const struct row *row, bool is_strategic)
{
	struct tree *target, *patch, *merged;
	const char *fault = NULL;

	scratch_reset(&scratch);
	target = tree_read(text_of(row->target), &scratch);
	patch = tree_read(text_of(row->patch), &scratch);
	TEST_ASSERT_NOT_NULL(target);
	TEST_ASSERT_NOT_NULL(patch);
	if (is_strategic)
		merged = merge_strategic(target, patch, text_of(row->kind), &scratch, &fault);
	else
		merged = merge_patch(target, patch, &scratch);
	if (row->expected == NULL) {
		TEST_ASSERT_NULL_MESSAGE(merged, row->name);
		TEST_ASSERT_NOT_NULL_MESSAGE(fault, row->name);
		return;
	}
	TEST_ASSERT_NOT_NULL_MESSAGE(merged, row->name);
	struct text printed = tree_print(merged, &scratch);
	char text[2048];
	TEST_ASSERT_TRUE(text_copy(printed, text, sizeof(text)));
	TEST_ASSERT_EQUAL_STRING_MESSAGE(row->expected, text, row->name);
}

static void strategic_merge_patches(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(strategic); i++)
		run(&strategic[i], true);
}

static void merge_patches(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(merge); i++)
		run(&merge[i], false);
}

static void trees_are_edited(void)
{
	struct tree *t =
		tree_read(TEXT("{\"a\":1,\"b\":{\"c\":\"\xc3\xa9\\n\"},\"d\":[1,2]}"), &scratch);

	TEST_ASSERT_EQUAL_INT64(1, tree_i64(t, "a", 0));
	TEST_ASSERT_EQUAL_INT64(9, tree_i64(t, "b.c", 9));
	TEST_ASSERT_TRUE(text_is(tree_text(t, "b.c"), TEXT("\xc3\xa9\n")));
	TEST_ASSERT_EQUAL_UINT32(2, tree_count(tree_get(t, "d")));
	tree_lead(t, "d");
	tree_put_text(t, "a", TEXT("x\"y"), &scratch);
	tree_put_i64(t, "e", -5, &scratch);
	tree_take(t, "b");
	tree_append(tree_get(t, "d"), tree_make_text(TEXT("z"), &scratch));
	TEST_ASSERT_TRUE(text_is(
		tree_print(t, &scratch), TEXT("{\"d\":[1,2,\"z\"],\"a\":\"x\\\"y\",\"e\":-5}")));
	tree_take(t, "e");
	tree_take(t, "d");
	tree_take(t, "a");
	TEST_ASSERT_NULL(tree_take(t, "a"));
	tree_lead(t, "a");
	TEST_ASSERT_TRUE(text_is(tree_print(t, &scratch), TEXT("{}")));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(strategic_merge_patches);
	RUN_TEST(merge_patches);
	RUN_TEST(trees_are_edited);
	return UNITY_END();
}
