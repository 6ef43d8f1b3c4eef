/* SPDX-License-Identifier: GPL-2.0-only */
/* Pods: states and their changes in every order, names and uids, nominations, relists. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "cache/bed.h"

void setUp(void)
{
	bed_start(NULL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n2", "'z':'b'"));
}

void tearDown(void)
{
	bed_end();
}

static int64_t cpu_of(const char *node)
{
	return bed_node_of(node)->sums.cpu_milli;
}

static void expect_pod(const char *name, const char *node, bool assumed)
{
	const struct cache_pod *pod = bed_pod_of(name);
	TEST_ASSERT_EQUAL_UINT32(node == NULL ? 0 : bed_node_index(node), pod->node);
	TEST_ASSERT_EQUAL(assumed, (pod->flags & CACHE_POD_ASSUMED) != 0);
	TEST_ASSERT_EQUAL_UINT32(node == NULL, bed.cache.pods_pending);
	TEST_ASSERT_EQUAL_UINT32(assumed, bed.cache.pods_assumed);
}

static void test_from_pending_to_bound(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "", "100m"));
	expect_pod("p", NULL, false);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	expect_pod("p", "n1", true);
	TEST_ASSERT_EQUAL_INT64(100, cpu_of("n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "", "100m"));
	expect_pod("p", "n1", false);
	TEST_ASSERT_EQUAL_INT64(100, cpu_of("n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	TEST_ASSERT_EQUAL_INT64(0, cpu_of("n1"));
	TEST_ASSERT_EQUAL_UINT32(0, bed.cache.pods_pending);
	bed_clear();
}

static void test_bound_elsewhere_than_assumed(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "", "100m"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n2", "", "100m"));
	expect_pod("p", "n2", false);
	TEST_ASSERT_EQUAL_INT64(0, cpu_of("n1"));
	TEST_ASSERT_EQUAL_INT64(100, cpu_of("n2"));
	bed_clear();
}

static void test_forget(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "", "100m"));
	TEST_ASSERT_EQUAL(CACHE_CONFLICT, bed_forget("p"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	TEST_ASSERT_EQUAL(CACHE_CONFLICT, bed_assume("p", "n2"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("p"));
	expect_pod("p", NULL, false);
	TEST_ASSERT_EQUAL_INT64(0, cpu_of("n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n2"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n2", "", "100m"));
	TEST_ASSERT_EQUAL(CACHE_CONFLICT, bed_forget("p"));
	TEST_ASSERT_EQUAL(CACHE_CONFLICT, bed_assume("p", "n1"));
	expect_pod("p", "n2", false);
	bed_clear();
}

static void test_update_while_assumed(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "", "100m"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	/* news of a time before the binding: the decision stands, the new request counts */
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "'app':'a'", "300m"));
	expect_pod("p", "n1", true);
	TEST_ASSERT_EQUAL_INT64(300, cpu_of("n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("p"));
	TEST_ASSERT_EQUAL_INT64(0, cpu_of("n1"));
	bed_clear();
}

static void test_assumed_pod_goes_with_its_node(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "", "100m"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n1"));
	expect_pod("p", "n1", true);
	TEST_ASSERT_NULL(bed_node_of("n1")->facts);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("p"));
	TEST_ASSERT_EQUAL_UINT32(0, cache_find_node(&bed.cache, TEXT("n1")));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("q", "n3", "", "1"));
	TEST_ASSERT_EQUAL(CACHE_UNKNOWN, bed_assume("p", "n3"));
	expect_pod("p", NULL, false);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "q"));
	bed_clear();
}

static void test_bound_becomes_pending_and_moves(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "", "100m"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "", "", "100m"));
	expect_pod("p", NULL, false);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n2", "", "200m"));
	expect_pod("p", "n2", false);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "", "200m"));
	TEST_ASSERT_EQUAL_INT64(200, cpu_of("n1"));
	TEST_ASSERT_EQUAL_INT64(0, cpu_of("n2"));
	bed_clear();
}

static void test_pod_before_its_node(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "late", "", "100m"));
	TEST_ASSERT_NULL(bed_node_of("late")->facts);
	TEST_ASSERT_EQUAL_INT64(100, cpu_of("late"));
	TEST_ASSERT_EQUAL_UINT32(2, bed.cache.order.count);
	uint32_t ghost = bed_node_index("late");
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("late", ""));
	TEST_ASSERT_EQUAL_UINT32(ghost, bed_node_index("late"));
	TEST_ASSERT_NOT_NULL(bed_node_of("late")->facts);
	TEST_ASSERT_EQUAL_UINT32(3, bed.cache.order.count);
	TEST_ASSERT_EQUAL_INT64(100, cpu_of("late"));
	/* a ghost that its last pod leaves is gone */
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("q", "never", "", "100m"));
	TEST_ASSERT_EQUAL(CACHE_UNKNOWN, bed_remove(KUBE_NODE, "", "never"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("q", "late", "", "100m"));
	TEST_ASSERT_EQUAL_UINT32(0, cache_find_node(&bed.cache, TEXT("never")));
	TEST_ASSERT_EQUAL_INT64(200, cpu_of("late"));
	bed_clear();
}

static enum cache_result put_version(const char *uid, const char *node, const char *version)
{
	return bed_putf("{'kind':'Pod','metadata':{'name':'p','namespace':'default','uid':'%s',"
			"'resourceVersion':'%s'},'spec':{'nodeName':'%s',"
			"'containers':[{'name':'c'}]}}",
		uid, version, node);
}

static void test_same_name_other_uid(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("first", "", "5"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	TEST_ASSERT_EQUAL(CACHE_UNCHANGED, put_version("first", "", "5"));
	expect_pod("p", "n1", true);
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("second", "", "5"));
	expect_pod("p", NULL, false);
	TEST_ASSERT_EQUAL_UINT32(0, bed_node_of("n1")->sums.pods);
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&bed.cache.pods));
	bed_clear();
}

static void test_unchanged(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("u", "n1", "7"));
	uint64_t changes = bed.cache.change_count;
	TEST_ASSERT_EQUAL(CACHE_UNCHANGED, put_version("u", "n1", "7"));
	cache_distrust_versions(&bed.cache);
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("u", "n1", "7"));
	TEST_ASSERT_EQUAL(CACHE_UNCHANGED, put_version("u", "n1", "7"));
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("u", "n1", "opaque"));
	TEST_ASSERT_EQUAL(CACHE_UNCHANGED, put_version("u", "n1", "opaque"));
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("u", "n1", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("u", "n1", "")); /* no version tells nothing */
	TEST_ASSERT_EQUAL_UINT64(changes, bed.cache.change_count);
	bed_clear();
}

/* A list must show what was bound before it was asked for, and only that. */
static void test_what_a_list_must_show(void)
{
	struct cache_pod *pod;

	TEST_ASSERT_EQUAL(CACHE_OK, put_version("u", "", "7"));
	pod = cache_pod_at(&bed.cache, cache_find_pod(&bed.cache, TEXT("default"), TEXT("p")));
	cache_list_asked(&bed.cache, KUBE_POD);
	TEST_ASSERT_FALSE(pod->flags & CACHE_POD_DUE); /* it waits */
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	TEST_ASSERT_FALSE(pod->flags & CACHE_POD_DUE); /* bound since */
	pod->waiting = 1;
	cache_list_asked(&bed.cache, KUBE_POD);
	TEST_ASSERT_FALSE(pod->flags & CACHE_POD_DUE); /* on its way */
	pod->waiting = 0;
	cache_list_asked(&bed.cache, KUBE_NODE);
	TEST_ASSERT_FALSE(pod->flags & CACHE_POD_DUE);
	cache_list_asked(&bed.cache, KUBE_POD);
	TEST_ASSERT_TRUE(pod->flags & CACHE_POD_DUE);
	/* an update that does not show it leaves it so */
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("u", "", "8"));
	TEST_ASSERT_TRUE(pod->flags & CACHE_POD_DUE);
	/* and one that does is what was waited for */
	TEST_ASSERT_EQUAL(CACHE_OK, put_version("u", "n1", "9"));
	TEST_ASSERT_FALSE(pod->flags & CACHE_POD_DUE);
	bed_clear();
}

static void test_labels_and_class_move_sums_and_counters(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_put("{'kind':'Service','metadata':{'name':'a','namespace':'default'},"
			"'spec':{'selector':{'app':'a'}}}"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "'app':'a'", "100m"));
	bed_count("a", "z");
	TEST_ASSERT_EQUAL_INT32(1, bed_counted("n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "'app':'b'", "250m"));
	bed_count("a", "z");
	TEST_ASSERT_EQUAL_INT32(0, bed_counted("n1"));
	TEST_ASSERT_EQUAL_INT64(250, cpu_of("n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n2", "'app':'a'", "250m"));
	bed_count("a", "z");
	TEST_ASSERT_EQUAL_INT32(0, bed_counted("n1"));
	TEST_ASSERT_EQUAL_INT32(1, bed_counted("n2"));
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_put("{'kind':'Pod','metadata':{'name':'p','namespace':'default','uid':'p',"
			"'labels':{'app':'a'},'deletionTimestamp':'2024-01-01T00:00:00Z'},"
			"'spec':{'nodeName':'n2','containers':[{'name':'c','ports':[{'hostPort':80,"
			"'containerPort':80}]}]}}"));
	bed_count("a", "z");
	TEST_ASSERT_EQUAL_INT32(0, bed_counted("n2"));
	TEST_ASSERT_EQUAL_UINT32(1, bed_node_of("n2")->sums.host_port_pods);
	TEST_ASSERT_EQUAL_INT64(0, cpu_of("n2"));
	TEST_ASSERT_EQUAL_INT64(100, bed_node_of("n2")->sums.nonzero_cpu_milli);
	bed_clear();
}

static enum cache_result put_nominated(const char *name, const char *nominated, const char *node)
{
	return bed_putf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s'},"
			"'spec':{'nodeName':'%s','containers':[{'name':'c'}]},"
			"'status':{'nominatedNodeName':'%s'}}",
		name, name, node, nominated);
}

/* Names of the list, without anything between them. */
static const char *nominated(void)
{
	static char names[64];
	struct writer w;
	writer_init(&w, names, sizeof(names) - 1);
	struct list *head = &bed.cache.nominated;
	for (struct list *l = head->next; l != head; l = l->next) {
		const struct cache_pod *pod = LIST_OWNER(l, struct cache_pod, nominated_link);
		write_text(&w, cache_text(&bed.cache, pod->name));
	}
	names[w.used] = '\0';
	bed_audit();
	return names;
}

/* Our promise outlives news of the pod that do not name a node; the apiserver's word replaces it.
 */
static void test_own_nomination(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("b", "", ""));
	cache_nominate(&bed.cache, bed_pod_index("b"), bed_id("n2"));
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("b", "", ""));
	TEST_ASSERT_EQUAL_UINT32(bed_id("n2"), bed_pod_of("b")->nominated);
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("b", "", ""));
	TEST_ASSERT_EQUAL_UINT32(bed_id("n2"), bed_pod_of("b")->nominated);
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("b", "n2", ""));
	TEST_ASSERT_EQUAL_STRING("b", nominated());
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("b", "", ""));
	TEST_ASSERT_EQUAL_STRING("", nominated());
	cache_nominate(&bed.cache, bed_pod_index("b"), bed_id("n2"));
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("b", "", "n1"));
	TEST_ASSERT_EQUAL_STRING("", nominated());
	TEST_ASSERT_EQUAL_UINT32(0, bed_pod_of("b")->nominated);
}

static void test_nominated_list(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("a", "n1", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("b", "", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("c", "n2", ""));
	TEST_ASSERT_EQUAL_STRING("ac", nominated());
	cache_nominate(&bed.cache, bed_pod_index("b"), bed_id("n2"));
	TEST_ASSERT_EQUAL_STRING("acb", nominated());
	cache_nominate(&bed.cache, bed_pod_index("a"), bed_id("n2"));
	TEST_ASSERT_EQUAL_STRING("acb", nominated());
	TEST_ASSERT_EQUAL_UINT32(bed_id("n2"), bed_pod_of("a")->nominated);
	cache_nominate(&bed.cache, bed_pod_index("a"), INTERN_EMPTY);
	TEST_ASSERT_EQUAL_STRING("cb", nominated());
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("c", "n1"));
	TEST_ASSERT_EQUAL_STRING("b", nominated());
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("c", "n2", ""));
	TEST_ASSERT_EQUAL_STRING("b", nominated());
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("c"));
	TEST_ASSERT_EQUAL_STRING("bc", nominated());
	TEST_ASSERT_EQUAL(CACHE_OK, put_nominated("b", "n2", "n2"));
	TEST_ASSERT_EQUAL_STRING("c", nominated());
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "c"));
	TEST_ASSERT_EQUAL_STRING("", nominated());
	bed_clear();
}

static char gone_names[128];

static void gone(void *self, enum kube_kind kind, uint32_t index)
{
	TEST_ASSERT_EQUAL_PTR(&bed, self);
	uint32_t name = kind == KUBE_POD ? cache_pod_at(&bed.cache, index)->name
		: kind == KUBE_NODE
		? cache_node_at(&bed.cache, index)->name
		: ((const struct cache_object *)pool_at(&bed.cache.objects, index))->name;
	size_t used = strlen(gone_names);
	(void)snprintf(gone_names + used, sizeof(gone_names) - used, "%.*s ",
		TEXT_ARGS(cache_text(&bed.cache, name)));
}

static void end_list(enum kube_kind kind)
{
	gone_names[0] = '\0';
	cache_list_end(&bed.cache, kind, gone, &bed);
	bed_audit();
}

static void test_relist(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("a", "n1", "", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("b", "ghost", "", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("c", "", "", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("c", "n2"));
	cache_list_begin(&bed.cache, KUBE_POD);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("d", "", "", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("a", "n1", "", "1"));
	end_list(KUBE_POD);
	TEST_ASSERT_EQUAL_STRING("b c ", gone_names);
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&bed.cache.pods));
	TEST_ASSERT_EQUAL_UINT32(0, cache_find_node(&bed.cache, TEXT("ghost")));

	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("e", "ghost", "", "1"));
	cache_list_begin(&bed.cache, KUBE_NODE);
	TEST_ASSERT_EQUAL(CACHE_UNCHANGED, bed_node("n2", "'z':'b'"));
	end_list(KUBE_NODE);
	TEST_ASSERT_EQUAL_STRING("n1 ", gone_names);
	TEST_ASSERT_NULL(bed_node_of("n1")->facts);
	end_list(KUBE_NODE);
	TEST_ASSERT_EQUAL_STRING("", gone_names);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "a"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "e"));
	bed_clear();
}

static void test_relist_of_other_kinds(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_put("{'kind':'Namespace','metadata':{'name':'x'}}"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_put("{'kind':'Namespace','metadata':{'name':'y'}}"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_put("{'kind':'StorageClass','metadata':{'name':'s'}}"));
	cache_list_begin(&bed.cache, KUBE_NAMESPACE);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_put("{'kind':'Namespace','metadata':{'name':'y'}}"));
	end_list(KUBE_NAMESPACE);
	TEST_ASSERT_EQUAL_STRING("x ", gone_names);
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&bed.cache.objects));
	TEST_ASSERT_EQUAL(CACHE_UNKNOWN, bed_remove(KUBE_NAMESPACE, "", "x"));
	bed_clear();
}

static void expect_uid(const char *uid, bool is_text)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_putf("{'kind':'Pod','metadata':{'name':'u','namespace':'default',"
			 "'uid':'%s'},'spec':{'containers':[{'name':'c'}]}}",
			uid));
	const struct cache_pod *pod = bed_pod_of("u");
	TEST_ASSERT_EQUAL_MESSAGE(is_text, pod->uid.high == CACHE_UID_TEXT, uid);
	char shown[64];
	struct writer w;
	writer_init(&w, shown, sizeof(shown) - 1);
	cache_print_uid(&bed.cache, pod->uid, &w);
	shown[w.used] = '\0';
	TEST_ASSERT_EQUAL_STRING(uid, shown);
}

static void test_uids(void)
{
	expect_uid("01234567-89ab-cdef-0123-456789abcdef", false);
	expect_uid("00000000-0000-0000-0000-000000000000", false);
	expect_uid("ffffffff-ffff-fffe-ffff-ffffffffffff", false);
	expect_uid("ffffffff-ffff-ffff-0000-000000000001", true); /* the mark of texts */
	expect_uid("01234567-89AB-cdef-0123-456789abcdef", true);
	expect_uid("0123456789ab-cdef-0123-456789abcdef--", true);
	expect_uid("01234567089ab-cdef-0123-456789abcdef", true);
	expect_uid("static-pod", true);
	expect_uid("", true);
	bed_clear();
}

/* A Deployment's old ReplicaSets: as if they were not there. */
static void test_a_replica_set_without_pods_is_not_kept(void)
{
	static const char set[] =
		"{'kind':'ReplicaSet','metadata':{'name':'r','namespace':'default',"
		"'resourceVersion':'%u'},'spec':{'replicas':%u,'selector':{'matchLabels':{'app':'a'"
		"}}},'status':{'replicas':%u}}";
	TEST_ASSERT_EQUAL(CACHE_UNCHANGED, bed_putf(set, 1, 0, 0));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.objects));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_putf(set, 2, 3, 0));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_putf(set, 3, 0, 3));
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&bed.cache.objects));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_putf(set, 4, 0, 0));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.objects));
	TEST_ASSERT_EQUAL(CACHE_UNKNOWN, bed_remove(KUBE_REPLICA_SET, "default", "r"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_replica_set_without_pods_is_not_kept);
	RUN_TEST(test_from_pending_to_bound);
	RUN_TEST(test_bound_elsewhere_than_assumed);
	RUN_TEST(test_forget);
	RUN_TEST(test_update_while_assumed);
	RUN_TEST(test_assumed_pod_goes_with_its_node);
	RUN_TEST(test_bound_becomes_pending_and_moves);
	RUN_TEST(test_pod_before_its_node);
	RUN_TEST(test_same_name_other_uid);
	RUN_TEST(test_unchanged);
	RUN_TEST(test_what_a_list_must_show);
	RUN_TEST(test_labels_and_class_move_sums_and_counters);
	RUN_TEST(test_nominated_list);
	RUN_TEST(test_own_nomination);
	RUN_TEST(test_relist);
	RUN_TEST(test_relist_of_other_kinds);
	RUN_TEST(test_uids);
	return UNITY_END();
}
