/* SPDX-License-Identifier: GPL-2.0-only */
/* What the listener hears: the actions of each change, and both of its sides. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <unity.h>

#include "cache/bed.h"

static struct cache_event last;
static uint32_t heard;
static int64_t old_cpu; /* of a pod's class, read while the old side was still there */
static int64_t now_cpu;

static void listen(void *self, const struct cache_event *event)
{
	TEST_ASSERT_EQUAL_PTR(&bed, self);
	last = *event;
	heard++;
	if (event->kind != KUBE_POD)
		return;
	old_cpu = event->old.there ? cache_side_template(&event->old)->used.cpu_milli : -1;
	now_cpu = event->now.there ? cache_side_template(&event->now)->used.cpu_milli : -1;
}

void setUp(void)
{
	bed_start(NULL);
	bed.cache.listener = (struct cache_listener){listen, &bed};
	heard = 0;
}

void tearDown(void)
{
	bed_end();
}

/* One event since the last time. */
static void expect(enum kube_kind kind, uint32_t actions)
{
	TEST_ASSERT_EQUAL_UINT32(1, heard);
	heard = 0;
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

static void test_pods(void)
{
	put_node("", "", "");
	heard = 0;
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
	TEST_ASSERT_EQUAL_UINT32(0, heard);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n", "'a':'b'", "3"));
	expect(KUBE_POD, CACHE_UPDATE);
	TEST_ASSERT_EQUAL_UINT32(0, last.old.node);
	TEST_ASSERT_EQUAL_UINT32(bed_node_index("n"), last.now.node);
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

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nodes);
	RUN_TEST(test_pods);
	RUN_TEST(test_other_objects);
	return UNITY_END();
}
