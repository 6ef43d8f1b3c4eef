/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes: their order, coming back, scalars, images, zones without end. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <stdio.h>

#include <unity.h>

#include "cache/bed.h"

void setUp(void)
{
	bed_start(NULL);
}

void tearDown(void)
{
	bed_end();
}

static void add_in_zone(const char *name, const char *zone)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_putf("{'kind':'Node','metadata':{'name':'%s','labels':"
			 "{'topology.kubernetes.io/zone':'%s'}}}",
			name, zone));
}

static const char *order(void)
{
	static char names[128];
	struct writer w;
	writer_init(&w, names, sizeof(names) - 1);
	uint32_t count;
	const uint32_t *list = cache_order(&bed.cache, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct cache_node *node = cache_node_at(&bed.cache, list[i]);
		TEST_ASSERT_EQUAL_UINT32(i, node->position);
		write_z(&w, i == 0 ? "" : " ");
		write_text(&w, cache_text(&bed.cache, node->name));
	}
	names[w.used] = '\0';
	bed_audit();
	return names;
}

static void test_zones_in_turn(void)
{
	static const char *const names[] = {"A1", "A2", "A3", "B1", "B2", "C1", "C2", "C3", "C4"};
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		add_in_zone(names[i], (char[]){names[i][0], '\0'});
	TEST_ASSERT_EQUAL_STRING("A1 B1 C1 A2 B2 C2 A3 C3 C4", order());
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "A1"));
	TEST_ASSERT_EQUAL_STRING("A2 B1 C1 A3 B2 C2 C3 C4", order());
	add_in_zone("A1", "A");
	TEST_ASSERT_EQUAL_STRING("A2 B1 C1 A3 B2 C2 A1 C3 C4", order());
	add_in_zone("B1", "C"); /* moves to the end of the other zone */
	TEST_ASSERT_EQUAL_STRING("A2 B2 C1 A3 C2 A1 C3 C4 B1", order());
	add_in_zone("B2", "A"); /* the zone is gone; it would come back last */
	TEST_ASSERT_EQUAL_STRING("A2 C1 A3 C2 A1 C3 B2 C4 B1", order());
	add_in_zone("B2", "B");
	TEST_ASSERT_EQUAL_STRING("A2 C1 B2 A3 C2 A1 C3 C4 B1", order());
	bed_clear();
}

static void test_beta_zone_wins_even_when_empty(void)
{
	add_in_zone("a", "z");
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_node("b",
			"'failure-domain.beta.kubernetes.io/zone':'',"
			"'topology.kubernetes.io/zone':'z'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("c", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("d", "'failure-domain.beta.kubernetes.io/zone':'z'"));
	TEST_ASSERT_EQUAL_UINT32(2, bed.cache.order.zone_count);
	TEST_ASSERT_EQUAL_STRING("a b d c", order());
	bed_clear();
}

static void test_removed_with_pods_and_back(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n", "", "100m"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("q", "n", "", "200m"));
	uint32_t index = bed_node_index("n");
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n"));
	TEST_ASSERT_EQUAL(CACHE_UNKNOWN, bed_remove(KUBE_NODE, "", "n"));
	TEST_ASSERT_EQUAL_STRING("", order());
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", "'z':'a'"));
	TEST_ASSERT_EQUAL_UINT32(index, bed_node_index("n"));
	TEST_ASSERT_EQUAL_STRING("n", order());
	TEST_ASSERT_EQUAL_INT64(200, bed_node_of("n")->sums.cpu_milli);
	TEST_ASSERT_EQUAL(CACHE_UNCHANGED, bed_node("n", "'z':'a'"));
	bed_clear();
}

static enum cache_result put_offer(const char *allocatable)
{
	return bed_putf("{'kind':'Node','metadata':{'name':'n'},'status':{'allocatable':{%s}}}",
		allocatable);
}

static const struct cache_node_scalar *scalar(const char *name)
{
	const struct cache_sums *sums = &bed_node_of("n")->sums;
	uint32_t id;
	if (!intern_find(&bed.cache.strings, text_of(name), &id))
		return NULL;
	for (uint32_t i = 0; i < sums->scalar_count; i++)
		if (sums->scalars[i].name == id)
			return &sums->scalars[i];
	return NULL;
}

static void test_scalars(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, put_offer("'example.com/a':'4','example.com/b':'2'"));
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_put("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},'spec':{"
			"'nodeName':'n','containers':[{'name':'c','resources':{'requests':"
			"{'example.com/a':'3','example.com/c':'1'}}}]}}"));
	TEST_ASSERT_EQUAL_INT64(4, scalar("example.com/a")->allocatable);
	TEST_ASSERT_EQUAL_INT64(3, scalar("example.com/a")->used);
	TEST_ASSERT_EQUAL_INT64(0, scalar("example.com/b")->used);
	TEST_ASSERT_EQUAL_INT64(0, scalar("example.com/c")->allocatable);
	TEST_ASSERT_EQUAL_INT64(1, scalar("example.com/c")->used);
	TEST_ASSERT_EQUAL(CACHE_OK, put_offer("'example.com/d':'9'"));
	TEST_ASSERT_EQUAL_INT64(0, scalar("example.com/a")->allocatable);
	TEST_ASSERT_EQUAL_INT64(3, scalar("example.com/a")->used);
	TEST_ASSERT_NULL(scalar("example.com/b"));
	TEST_ASSERT_EQUAL_INT64(9, scalar("example.com/d")->allocatable);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n"));
	TEST_ASSERT_NULL(scalar("example.com/d"));
	TEST_ASSERT_EQUAL_INT64(1, scalar("example.com/c")->used);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	bed_clear();
}

static enum cache_result put_image(const char *node, const char *names, unsigned size)
{
	return bed_putf("{'kind':'Node','metadata':{'name':'%s'},"
			"'status':{'images':[{'names':[%s],'sizeBytes':%u}]}}",
		node, names, size);
}

static void test_images(void)
{
	const struct cache *cache = &bed.cache;
	TEST_ASSERT_EQUAL(CACHE_OK, put_image("n1", "'i:1','i:2','i:1'", 100));
	TEST_ASSERT_EQUAL(CACHE_OK, put_image("n2", "'i:1'", 900));
	const struct cache_image *image = cache_image_find(cache, bed_id("i:1"));
	TEST_ASSERT_NOT_NULL(image);
	TEST_ASSERT_EQUAL_INT64(100, image->size_bytes);
	TEST_ASSERT_EQUAL_UINT32(2, image->node_count);
	const struct cache_image *other = cache_image_find(cache, bed_id("i:2"));
	TEST_ASSERT_TRUE(cache_image_on(cache, other, bed_node_index("n1")));
	TEST_ASSERT_FALSE(cache_image_on(cache, other, bed_node_index("n2")));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n1"));
	TEST_ASSERT_EQUAL_INT64(100, image->size_bytes);
	TEST_ASSERT_EQUAL_UINT32(1, image->node_count);
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&cache->images.pool));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n2"));
	TEST_ASSERT_EQUAL(CACHE_OK, put_image("n2", "'i:1'", 900));
	TEST_ASSERT_EQUAL_INT64(900, cache_image_find(cache, bed_id("i:1"))->size_bytes);
	bed_clear();
}

/* What an image costs goes by the nodes that have it, not by how many there may be. */
static void test_images_of_many_nodes(void)
{
	const struct cache *cache = &bed.cache;
	char name[16];
	for (unsigned i = 0; i < 180; i++) {
		(void)snprintf(name, sizeof(name), "m%u", i);
		TEST_ASSERT_EQUAL(CACHE_OK, put_image(name, i % 50 == 40 ? "'rare'" : "", 7));
	}
	const struct cache_image *rare = cache_image_find(cache, bed_id("rare"));
	TEST_ASSERT_NOT_NULL(rare);
	TEST_ASSERT_EQUAL_UINT32(3, rare->node_count);
	uint32_t first = bed_node_index("m40") / 64;
	TEST_ASSERT_EQUAL_UINT32(first, rare->first_word);
	TEST_ASSERT_EQUAL_UINT32(bed_node_index("m140") / 64 - first + 1, rare->words);
	for (unsigned i = 0; i < 180; i++) {
		(void)snprintf(name, sizeof(name), "m%u", i);
		TEST_ASSERT_EQUAL(i % 50 == 40, cache_image_on(cache, rare, bed_node_index(name)));
	}
	/* One that comes before the others, and one behind them. */
	TEST_ASSERT_EQUAL(CACHE_OK, put_image("m0", "'rare','late'", 7));
	TEST_ASSERT_EQUAL(CACHE_OK, put_image("m179", "'rare'", 7));
	TEST_ASSERT_EQUAL_UINT32(5, rare->node_count);
	for (unsigned i = 0; i < 180; i++) {
		(void)snprintf(name, sizeof(name), "m%u", i);
		TEST_ASSERT_EQUAL(i % 50 == 40 || i == 0 || i == 179,
			cache_image_on(cache, rare, bed_node_index(name)));
	}
	const struct cache_image *late = cache_image_find(cache, bed_id("late"));
	TEST_ASSERT_EQUAL_UINT32(1, late->words);
	TEST_ASSERT_FALSE(cache_image_on(cache, late, bed_node_index("m140")));
	bed_clear();
}

static void test_nodes_without_hostname(void)
{
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("a", ""));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("b", "'kubernetes.io/hostname':'b'"));
	TEST_ASSERT_EQUAL_UINT32(1, bed.cache.nodes_without_hostname);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "ghost", "", "1"));
	TEST_ASSERT_EQUAL_UINT32(1, bed.cache.nodes_without_hostname);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("b", ""));
	TEST_ASSERT_EQUAL_UINT32(2, bed.cache.nodes_without_hostname);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("a", "'kubernetes.io/hostname':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "b"));
	TEST_ASSERT_EQUAL_UINT32(0, bed.cache.nodes_without_hostname);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_POD, "default", "p"));
	bed_clear();
}

static void test_each_node_a_zone_of_its_own(void)
{
	enum { ZONES = 300 };
	char name[16];
	uint32_t count;
	bed_end();
	bed_start(&(struct cache_limits){.nodes = ZONES + 1,
		.pods = 8,
		.objects = 8,
		.classes = 8,
		.label_sets = ZONES + 8,
		.strings = 2 * ZONES + 128,
		.images = 8,
		.counters = 8,
		.store_bytes = 1 << 18});
	for (uint32_t i = 0; i < ZONES; i++) {
		(void)snprintf(name, sizeof(name), "z%u", i);
		add_in_zone(name, name);
	}
	add_in_zone("second", "z0");
	TEST_ASSERT_EQUAL_UINT32(ZONES, bed.cache.order.zone_count);
	const uint32_t *list = cache_order(&bed.cache, &count);
	TEST_ASSERT_EQUAL_UINT32(ZONES + 1, count);
	TEST_ASSERT_EQUAL_PTR(bed_node_of("second"), cache_node_at(&bed.cache, list[ZONES]));
	/* one comes, one goes: never more zones than nodes */
	add_in_zone("second", "other");
	add_in_zone("z1", "another");
	TEST_ASSERT_EQUAL_UINT32(ZONES + 1, bed.cache.order.zone_count);
	cache_audit(&bed.cache);
	bed_clear();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_zones_in_turn);
	RUN_TEST(test_beta_zone_wins_even_when_empty);
	RUN_TEST(test_removed_with_pods_and_back);
	RUN_TEST(test_scalars);
	RUN_TEST(test_images);
	RUN_TEST(test_images_of_many_nodes);
	RUN_TEST(test_nodes_without_hostname);
	RUN_TEST(test_each_node_a_zone_of_its_own);
	return UNITY_END();
}
