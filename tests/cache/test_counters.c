/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters follow pods, nodes and labels; they are given up when there are few. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <unity.h>

#include "cache/bed.h"

void setUp(void)
{
}

void tearDown(void)
{
	bed_end();
}

static void add_service(const char *app)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_putf("{'kind':'Service','metadata':{'name':'%s','namespace':'default'},"
			 "'spec':{'selector':{'app':'%s'}}}",
			app, app));
}

static void expect_counted(const char *key, const char *node, int32_t pods)
{
	bed_count("a", key);
	TEST_ASSERT_EQUAL_INT32(pods, bed_counted(node));
}

static void test_match_follows(void)
{
	bed_start(NULL);
	add_service("a");
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n2", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "'app':'a'", "1"));
	expect_counted("z", "n2", 1);
	expect_counted("", "n2", 0);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("q", "", "'app':'a'", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("q", "n2"));
	expect_counted("z", "n1", 2);
	expect_counted("", "n2", 1);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n2", "'z':'b'"));
	expect_counted("z", "n1", 1);
	expect_counted("z", "n2", 1);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n1"));
	bed_count("a", "z");
	TEST_ASSERT_EQUAL_INT64(1, bed.tally.total.sum);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'b'"));
	expect_counted("z", "n1", 2);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("q"));
	expect_counted("z", "n1", 1);
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&bed.cache.counters.pool));
	cache_counters_trim(&bed.cache);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.counters.pool));
	expect_counted("z", "n1", 1);
	bed_clear();
}

static bool has_key(const char *key)
{
	const struct pool *keys = &bed.cache.topology.keys;
	for (uint32_t slot = pool_next(keys, 0); slot != 0; slot = pool_next(keys, slot))
		if (((const struct cache_domains *)pool_at(keys, slot))->key == bed_id(key))
			return true;
	return false;
}

static void test_given_up_when_few(void)
{
	bed_start(&(struct cache_limits){.nodes = 8,
		.pods = 8,
		.objects = 8,
		.classes = 8,
		.label_sets = 8,
		.strings = 128,
		.images = 8,
		.counters = 2,
		.store_bytes = 1 << 16});
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'x':'1','y':'1','z':'1'"));
	add_service("a");
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "'app':'a'", "1"));
	cache_begin_decision(&bed.cache);
	expect_counted("x", "n1", 1);
	expect_counted("y", "n1", 1);
	expect_counted("z", "n1", 1); /* both are in use: recounted */
	TEST_ASSERT_TRUE(has_key("x"));
	TEST_ASSERT_FALSE(has_key("z"));
	cache_begin_decision(&bed.cache);
	expect_counted("z", "n1", 1); /* x was not used for longest */
	TEST_ASSERT_TRUE(has_key("z"));
	TEST_ASSERT_FALSE(has_key("x"));
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&bed.cache.counters.pool));
	bed_clear();
}

struct owned_seen {
	enum cache_counter_kind kind;
	int64_t sum;
	int64_t parts;
	uint32_t terms;
};

static void add_owned(void *self, const struct cache_query *query, const struct cache_tally *tally)
{
	struct owned_seen *seen = self;
	TEST_ASSERT_EQUAL_UINT32(seen->kind, query->kind);
	seen->sum += tally->total.sum;
	seen->parts += tally->total.parts;
	seen->terms++;
}

/* What terms of the kind, of pods on nodes, say about the pod; recounted it must be the same. */
static struct owned_seen owned(enum cache_counter_kind kind, const char *pod)
{
	struct owned_seen fast = {.kind = kind};
	struct owned_seen slow = {.kind = kind};
	const struct kube_labels *labels = cache_labels_at(&bed.cache, bed_pod_of(pod)->labels);
	cache_each_owned(&bed.cache, kind, bed_id("default"), NULL, labels, add_owned, &fast);
	scratch_reset(&bed.work);
	TEST_ASSERT_TRUE(cache_each_owned_recount(
		&bed.cache, kind, bed_id("default"), NULL, labels, &bed.work, add_owned, &slow));
	TEST_ASSERT_EQUAL_INT64(slow.sum, fast.sum);
	TEST_ASSERT_EQUAL_INT64(slow.parts, fast.parts);
	TEST_ASSERT_EQUAL_UINT32(slow.terms, fast.terms);
	return fast;
}

static int64_t owned_by_others(const char *pod)
{
	return owned(CACHE_OWN_ANTI, pod).sum;
}

static void test_own_terms(void)
{
	bed_start(NULL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("a", "", "'app':'a'", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("b", "", "'app':'b'", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_put("{'kind':'Pod','metadata':{'name':'o','namespace':'default','uid':'o'},"
			"'spec':{'containers':[{'name':'c'}],'affinity':{'podAntiAffinity':"
			"{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'z',"
			"'labelSelector':{'matchLabels':{'app':'a'}}}]}}}}"));
	TEST_ASSERT_EQUAL_INT64(0, owned_by_others("a"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("o", "n1"));
	TEST_ASSERT_EQUAL_INT64(1, owned_by_others("a"));
	TEST_ASSERT_EQUAL_INT64(0, owned_by_others("b"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n1"));
	TEST_ASSERT_EQUAL_INT64(0, owned_by_others("a"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("o"));
	bed_clear();
}

#define TERM     "{'topologyKey':'z','labelSelector':{'matchLabels':{'app':'a'}}}"
#define REQUIRED "'requiredDuringSchedulingIgnoredDuringExecution':[" TERM "]"
#define PREFERRED(weight)                                                       \
	"'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':" #weight \
	",'podAffinityTerm':" TERM "}]"

static void put_owner(const char *name, const char *affinity)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_putf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s'},"
			 "'spec':{'nodeName':'n1','containers':[{'name':'c'}],'affinity':{%s}}}",
			name, name, affinity));
}

/* The same term as a wish, as a need, and as the opposite: each kind counts for itself. */
static void test_own_terms_of_each_kind(void)
{
	bed_start(NULL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("a", "", "'app':'a'", "1"));
	put_owner("near", "'podAffinity':{" REQUIRED "}");
	put_owner("wish", "'podAffinity':{" PREFERRED(7) "}");
	put_owner("dislike", "'podAntiAffinity':{" PREFERRED(7) "}");
	TEST_ASSERT_EQUAL_INT64(0, owned_by_others("a"));
	TEST_ASSERT_EQUAL_INT64(1, owned(CACHE_OWN_AFFINITY, "a").sum);
	/* The weights cancel out, but the term is there. */
	struct owned_seen wishes = owned(CACHE_OWN_PREFERRED, "a");
	TEST_ASSERT_EQUAL_INT64(0, wishes.sum);
	TEST_ASSERT_EQUAL_INT64(2, wishes.parts);
	TEST_ASSERT_EQUAL_UINT32(1, wishes.terms);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "wish"));
	TEST_ASSERT_EQUAL_INT64(-7, owned(CACHE_OWN_PREFERRED, "a").sum);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "dislike"));
	TEST_ASSERT_EQUAL_UINT32(0, owned(CACHE_OWN_PREFERRED, "a").terms);
	TEST_ASSERT_EQUAL_UINT32(1, owned(CACHE_OWN_AFFINITY, "a").terms);
	bed_clear();
}

static void put_with_key(enum cache_result expected, uint32_t number)
{
	TEST_ASSERT_EQUAL(expected,
		bed_putf("{'kind':'Pod','metadata':{'name':'p%u','namespace':'default','uid':'%u'},"
			 "'spec':{'nodeName':'n','containers':[{'name':'c'}],'affinity':{"
			 "'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"
			 "'topologyKey':'k%u','labelSelector':{'matchLabels':{'app':'a'}}}]}}}}",
			number, number, number));
}

/* Nobody can take the keys away from others; one that no node has needs no table. */
static void test_any_number_of_keys(void)
{
	enum { KEYS = 60 };
	bed_start(NULL);
	add_service("a");
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", "'k24':'x','free':'y'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("a", "n", "'app':'a'", "1"));
	for (uint32_t i = 0; i < KEYS; i++)
		put_with_key(CACHE_OK, i);
	TEST_ASSERT_EQUAL_UINT32(KEYS, pool_used(&bed.cache.topology.keys));
	for (uint32_t slot = 1; slot <= KEYS; slot++) {
		const struct cache_domains *domains = pool_at(&bed.cache.topology.keys, slot);
		bool has = domains->key == bed_id("k24");
		TEST_ASSERT_EQUAL(has, domains->of_node != NULL);
		TEST_ASSERT_EQUAL(has, domains->values_handle != 0);
	}
	TEST_ASSERT_EQUAL_INT64(1, owned_by_others("a"));
	/* A node that has it later. */
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("m", "'k3':'x','k7':'y'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p3"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p4"));
	expect_counted("free", "n", 1);
	TEST_ASSERT_EQUAL_UINT32(1, bed.tally.filled);
	TEST_ASSERT_EQUAL_UINT32(1, bed.tally.lacking);
	bed_clear();
}

/* ---- nodes that are left out ---- */

static struct cache_query *query_for(const char *pod, bool affinity, bool taints)
{
	struct kube_build b;
	kube_build_init(&b, &bed.cache.strings, &bed.work);
	struct cache_query *query = kube_build_start(&b, sizeof(*query));
	query->kind = CACHE_MATCH;
	query->topology_key = kube_build_string(&b, TEXT("z"));
	query->count_nodes = 1;
	query->honor_affinity = affinity;
	query->honor_taints = taints;
	query->class = affinity || taints ? bed_pod_of(pod)->class : 0;
	struct cache_term *term = kube_build_array(&b, sizeof(*term), 1, &query->terms);
	term->all_namespaces = 1;
	term->selector.state = KUBE_SELECTOR_SET;
	query = (struct cache_query *)(void *)kube_build_finish(&b);
	TEST_ASSERT_NOT_NULL(query);
	return query;
}

static void expect_included(bool affinity, bool taints, int32_t nodes, int64_t pods)
{
	for (uint32_t way = 0; way < 2; way++) {
		struct cache_tally tally;
		scratch_reset(&bed.work);
		TEST_ASSERT_TRUE(cache_tally(&bed.cache, query_for("p", affinity, taints),
			way == 0 ? CACHE_COUNT_FAST : CACHE_COUNT_RECOUNT, &bed.work, &tally));
		uint32_t domain = tally.of_node[bed_node_index("plain")];
		TEST_ASSERT_EQUAL_INT32(nodes, tally.nodes[domain]);
		TEST_ASSERT_EQUAL_INT64(pods, tally.total.sum);
	}
	bed_audit();
}

static enum cache_result put_tainted(const char *taints)
{
	return bed_putf("{'kind':'Node','metadata':{'name':'tainted','labels':{'z':'a',"
			"'disk':'x'}},'spec':{'taints':[%s]}}",
		taints);
}

static void test_nodes_that_are_left_out(void)
{
	bed_start(NULL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("plain", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("chosen", "'z':'a','disk':'x'"));
	TEST_ASSERT_EQUAL(CACHE_OK, put_tainted("{'key':'k','effect':'NoSchedule'}"));
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_put("{'kind':'Pod','metadata':{'name':'p','namespace':'default','uid':'p'},"
			"'spec':{'nodeSelector':{'disk':'x'},'containers':[{'name':'c'}]}}"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("1", "plain", "", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("2", "chosen", "", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("3", "tainted", "", "1"));
	expect_included(false, false, 3, 3);
	expect_included(true, false, 2, 2);
	expect_included(false, true, 2, 2);
	expect_included(true, true, 1, 1);
	TEST_ASSERT_EQUAL(CACHE_OK, put_tainted("{'key':'k','effect':'PreferNoSchedule'}"));
	expect_included(true, true, 2, 2);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("chosen", "'z':'a'"));
	expect_included(true, true, 1, 1);
	expect_included(false, true, 3, 3);
	/* The counters that hold the pod's class let go of it, or the audit at the end says so. */
	bed_clear();
}

/* Whoever has no place keeps nobody away, whatever it asks for. */
static void test_terms_are_counted_of_pods_with_a_node_only(void)
{
	static const char pod[] =
		"{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s',"
		"'resourceVersion':'%u'},'spec':{%s'affinity':{'podAntiAffinity':{"
		"'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'z',"
		"'labelSelector':{}},{'topologyKey':'nowhere','labelSelector':{}}]}}}}";
	const struct pool *counters = &bed.cache.counters.pool;
	bed_start(NULL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'a'"));
	TEST_ASSERT_EQUAL(
		CACHE_OK, bed_putf(pod, "gated", "g", 1, "'schedulingGates':[{'name':'g'}],"));
	TEST_ASSERT_EQUAL(
		CACHE_OK, bed_putf(pod, "foreign", "f", 1, "'schedulerName':'somebody-else',"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_putf(pod, "p", "p", 1, ""));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(counters));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.topology.keys));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("p", "n1"));
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(counters));
	bed_audit();
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("p"));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(counters));
	/* The question is the same, whoever asks it. */
	TEST_ASSERT_EQUAL(CACHE_OK, bed_putf(pod, "p", "p", 2, "'nodeName':'n1',"));
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_putf(pod, "foreign", "f", 2,
			"'nodeName':'n1','schedulerName':'somebody-else',"));
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(counters));
	TEST_ASSERT_EQUAL_INT64(2, owned(CACHE_OWN_ANTI, "gated").parts);
	bed_audit();
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(counters));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "foreign"));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(counters));
	bed_clear();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_match_follows);
	RUN_TEST(test_terms_are_counted_of_pods_with_a_node_only);
	RUN_TEST(test_given_up_when_few);
	RUN_TEST(test_own_terms);
	RUN_TEST(test_own_terms_of_each_kind);
	RUN_TEST(test_any_number_of_keys);
	RUN_TEST(test_nodes_that_are_left_out);
	return UNITY_END();
}
