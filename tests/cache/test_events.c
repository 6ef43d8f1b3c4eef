/* SPDX-License-Identifier: GPL-2.0-only */
/* What the change log shows: the actions of each change, and both of its sides. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <stdio.h>

#include <unity.h>

#include "cache/bed.h"

static struct cache_event last;
static int64_t old_cpu; /* of a pod's template, read while the old side was still there */
static int64_t now_cpu;

static void work_off(void)
{
	while (cache_log_count(&bed.cache) > 0) {
		last = cache_log_at(&bed.cache, 0)->event;
		old_cpu = now_cpu = -1;
		if (last.kind == KUBE_POD && last.old.there)
			old_cpu = cache_side_template(&last.old)->used.cpu_milli;
		if (last.kind == KUBE_POD && last.now.there)
			now_cpu = cache_side_template(&last.now)->used.cpu_milli;
		cache_log_drop(&bed.cache);
	}
}

void setUp(void)
{
	struct cache_limits limits = *bed_roomy();
	limits.changes = 16;
	bed_start(&limits);
}

void tearDown(void)
{
	bed_end();
}

/* One event since the last time. */
static void expect(enum kube_kind kind, uint32_t actions)
{
	TEST_ASSERT_EQUAL_UINT32(1, cache_log_count(&bed.cache));
	work_off();
	TEST_ASSERT_EQUAL(kind, last.kind);
	TEST_ASSERT_EQUAL_HEX32(actions, last.actions);
	TEST_ASSERT_EQUAL(actions != CACHE_ADD, last.old.there);
	TEST_ASSERT_EQUAL(actions != CACHE_DELETE, last.now.there);
}

static void put_node(const char *metadata, const char *spec, const char *status)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_putf("{'kind':'Node','metadata':{'name':'n'%s},'spec':{%s},'status':{%s}}",
			metadata, spec, status));
}

static void test_nodes(void)
{
	put_node("", "", "");
	expect(KUBE_NODE, CACHE_ADD);
	put_node(",'labels':{'a':'b'}", "", "");
	expect(KUBE_NODE, CACHE_UPDATE_NODE_LABEL);
	put_node("", "'taints':[{'key':'t','effect':'NoSchedule'}]", "");
	expect(KUBE_NODE, CACHE_UPDATE_NODE_LABEL | CACHE_UPDATE_NODE_TAINT);
	put_node("", "", "'allocatable':{'cpu':'4'}");
	expect(KUBE_NODE, CACHE_UPDATE_NODE_TAINT | CACHE_UPDATE_NODE_ALLOCATABLE);
	put_node("", "", "'allocatable':{'cpu':'4'},'conditions':[{'type':'R','status':'True'}]");
	expect(KUBE_NODE, CACHE_UPDATE_NODE_CONDITION);
	put_node(",'annotations':{'a':'b'}", "", "'allocatable':{'cpu':'4'}");
	expect(KUBE_NODE, CACHE_UPDATE_NODE_CONDITION | CACHE_UPDATE_NODE_ANNOTATION);
	put_node("", "", "'allocatable':{'cpu':'4'},'declaredFeatures':['F']");
	expect(KUBE_NODE, CACHE_UPDATE_NODE_ANNOTATION | CACHE_UPDATE_NODE_FEATURE);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n"));
	expect(KUBE_NODE, CACHE_DELETE);
	bed_clear();
}

/* Plugins that count on it coming behind its node hear of it then. */
static void test_a_csi_node_that_came_before_its_node(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_putf("{'kind':'CSINode','metadata':{'name':'n'},'spec':{'drivers':[]}}"));
	expect(KUBE_CSI_NODE, CACHE_ADD);
	put_node("", "", "");
	TEST_ASSERT_EQUAL_UINT32(2, cache_log_count(&bed.cache));
	TEST_ASSERT_EQUAL(KUBE_NODE, cache_log_at(&bed.cache, 0)->event.kind);
	cache_log_drop(&bed.cache);
	expect(KUBE_CSI_NODE, CACHE_ADD);
	put_node(",'labels':{'a':'b'}", "", "");
	expect(KUBE_NODE, CACHE_UPDATE_NODE_LABEL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n"));
	expect(KUBE_NODE, CACHE_DELETE);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_CSI_NODE, "", "n"));
	expect(KUBE_CSI_NODE, CACHE_DELETE);
	bed_clear();
}

static void test_pods(void)
{
	put_node("", "", "");
	work_off();
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "", "2"));
	expect(KUBE_POD, CACHE_ADD);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "'a':'b'", "2"));
	expect(KUBE_POD, CACHE_UPDATE_POD_LABEL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "'a':'b'", "1"));
	expect(KUBE_POD, CACHE_UPDATE_POD_SCALE_DOWN);
	TEST_ASSERT_EQUAL_INT64(2000, old_cpu);
	TEST_ASSERT_EQUAL_INT64(1000, now_cpu);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "'a':'b'", "3"));
	expect(KUBE_POD, CACHE_UPDATE);
	/* our own decisions are not told, and the assumed pod is pending for the old side */
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n"));
	TEST_ASSERT_EQUAL_UINT32(0, cache_log_count(&bed.cache));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n", "'a':'b'", "3"));
	expect(KUBE_POD, CACHE_UPDATE);
	TEST_ASSERT_EQUAL_UINT32(0, last.old.node);
	TEST_ASSERT_EQUAL_UINT32(
		cache_node_at(&bed.cache, bed_node_index("n"))->name, last.now.node);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	expect(KUBE_POD, CACHE_DELETE);
	TEST_ASSERT_EQUAL_INT64(3000, old_cpu);
	bed_clear();
}

static void test_other_objects(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_put("{'kind':'Namespace','metadata':{'name':'x'}}"));
	expect(KUBE_NAMESPACE, CACHE_ADD);
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_put("{'kind':'Namespace','metadata':{'name':'x','labels':{'a':'b'}}}"));
	expect(KUBE_NAMESPACE, CACHE_UPDATE);
	TEST_ASSERT_TRUE(last.old.labels != last.now.labels);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NAMESPACE, "", "x"));
	expect(KUBE_NAMESPACE, CACHE_DELETE);
	bed_clear();
}

/* Each version is there as long as its change is, whatever became of the object since. */
static void test_log_when_a_pod_comes_changes_and_goes_then_old_versions_stay(void)
{
	put_node("", "", "");
	work_off();
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n", "'a':'1'", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n", "'a':'2'", "2"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("q", "", "'b':'3'", "3"));
	TEST_ASSERT_EQUAL_UINT32(5, cache_log_count(&bed.cache));
	const struct cache_change *added = cache_log_at(&bed.cache, 0);
	const struct cache_change *changed = cache_log_at(&bed.cache, 1);
	const struct cache_change *gone = cache_log_at(&bed.cache, 2);
	const struct cache_change *other = cache_log_at(&bed.cache, 4);
	TEST_ASSERT_EQUAL_UINT32(added->event.index, other->event.index); /* used again */
	TEST_ASSERT_TRUE(text_is_z(cache_text(&bed.cache, changed->event.now.node), "n"));
	TEST_ASSERT_TRUE(text_is_z(cache_text(&bed.cache, gone->event.name), "p"));
	TEST_ASSERT_EQUAL_INT64(1000, cache_side_template(&added->event.now)->used.cpu_milli);
	TEST_ASSERT_EQUAL_PTR(added->event.now.blob, changed->event.old.blob);
	TEST_ASSERT_EQUAL_PTR(changed->event.now.blob, gone->event.old.blob);
	TEST_ASSERT_EQUAL_PTR(changed->event.now.labels, gone->event.old.labels);
	TEST_ASSERT_EQUAL_INT64(2000, cache_side_template(&gone->event.old)->used.cpu_milli);
	bed_audit();
	work_off();
	bed_clear();
}

static void test_log_when_a_pod_is_imagined_then_nothing_is_logged(void)
{
	work_off();
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "", "1"));
	work_off();
	struct kube_pod pod;
	bed_decode_pod("imagined", &pod);
	uint32_t index;
	TEST_ASSERT_EQUAL(CACHE_OK, cache_put_imagined_pod(&bed.cache, &pod, &index));
	TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_pod(&bed.cache, index));
	TEST_ASSERT_EQUAL_UINT32(0, cache_log_count(&bed.cache));
	bed_clear();
}

static void test_log_when_it_wraps_then_the_order_stays(void)
{
	char labels[16];
	for (uint32_t i = 0; i < 100; i++) {
		snprintf(labels, sizeof(labels), "'a':'%u'", (unsigned)i);
		TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", labels, "1"));
		TEST_ASSERT_TRUE(cache_log_has_room(&bed.cache));
		if (cache_log_count(&bed.cache) < 5)
			continue;
		TEST_ASSERT_EQUAL_PTR(cache_log_at(&bed.cache, 0)->event.now.labels,
			cache_log_at(&bed.cache, 1)->event.old.labels);
		cache_log_drop(&bed.cache);
		cache_log_drop(&bed.cache);
	}
	work_off();
	bed_clear();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nodes);
	RUN_TEST(test_a_csi_node_that_came_before_its_node);
	RUN_TEST(test_pods);
	RUN_TEST(test_other_objects);
	RUN_TEST(test_log_when_a_pod_comes_changes_and_goes_then_old_versions_stay);
	RUN_TEST(test_log_when_a_pod_is_imagined_then_nothing_is_logged);
	RUN_TEST(test_log_when_it_wraps_then_the_order_stays);
	return UNITY_END();
}
