/* SPDX-License-Identifier: GPL-2.0-only */
/* A cache of any size for tests of the cache itself. */
#include "cache/bed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/arena.h"
#include "base/budget.h"

enum { JSON_BYTES = 64 * 1024, DECODE_BYTES = 1 << 20, WORK_BYTES = 1 << 20 };

struct bed bed;

static const struct cache_limits roomy = {
	.nodes = 512,
	.pods = 256,
	.statuses = 128,
	.objects = 64,
	.classes = 256,
	.label_sets = 600,
	.strings = 4096,
	.images = 64,
	.counters = 64,
	.store_bytes = 2 << 20,
};

static void usage(uint64_t used[BED_POOLS])
{
	const struct cache *cache = &bed.cache;
	const struct pool *pools[] = {&cache->pods, &cache->nodes, &cache->classes,
		&cache->label_sets, &cache->objects, &cache->images.pool, &cache->counters.pool,
		&cache->counters.owned, &cache->strings.strings, &cache->conditions};
	for (uint32_t i = 0; i < BED_POOLS; i++) {
		pool_audit(pools[i]);
		used[i] = pool_used(pools[i]);
	}
}

static uint64_t store_baseline;

const struct cache_limits *bed_roomy(void)
{
	return &roomy;
}

void bed_start(const struct cache_limits *limits)
{
	memset(&bed, 0, sizeof(bed));
	budget_reset();
	limits = limits == NULL ? &roomy : limits;
	size_t size = cache_size(limits) + DECODE_BYTES + WORK_BYTES + 4096;
	bed.block = malloc(size);
	TEST_ASSERT_NOT_NULL(bed.block);
	struct arena arena;
	arena_init(&arena, bed.block, size);
	cache_init(&bed.cache, &arena, limits);
	scratch_init(&bed.decode, arena_take(&arena, DECODE_BYTES), DECODE_BYTES);
	scratch_init(&bed.work, arena_take(&arena, WORK_BYTES), WORK_BYTES);
	usage(bed.baseline);
	store_baseline = bed.cache.store.budget.used;
}

void bed_audit(void)
{
	uint64_t used[BED_POOLS];
	usage(used);
	(void)store_audit(&bed.cache.store);
	intern_audit(&bed.cache.strings);
	cache_audit(&bed.cache);
}

static void drop_changes(void)
{
	while (cache_log_count(&bed.cache) > 0)
		cache_log_drop(&bed.cache);
}

void bed_clear(void)
{
	struct cache *cache = &bed.cache;
	for (uint32_t i; (i = pool_next(&cache->pods, 0)) != 0; drop_changes())
		TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_pod(cache, i));
	for (uint32_t i; (i = pool_next(&cache->nodes, 0)) != 0; drop_changes())
		TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_node(cache, i));
	for (uint32_t i; (i = pool_next(&cache->objects, 0)) != 0; drop_changes())
		TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_object(cache, i));
	cache_counters_trim(cache);
	bed_audit();
	uint64_t used[BED_POOLS];
	usage(used);
	TEST_ASSERT_EQUAL_UINT64_ARRAY(bed.baseline, used, BED_POOLS);
	TEST_ASSERT_EQUAL_UINT64(store_baseline, cache->store.budget.used);
	TEST_ASSERT_EQUAL_UINT32(0, cache->order.zone_count);
	TEST_ASSERT_EQUAL_UINT32(0, cache->nodes_without_hostname);
}

void bed_end(void)
{
	if (bed.block == NULL)
		return;
	cache_audit(&bed.cache);
	budget_reset();
	free(bed.block);
	memset(&bed, 0, sizeof(bed));
}

/* ---- objects ---- */

static struct json_value parse(const char *json)
{
	static char text[JSON_BYTES];
	size_t size = strlen(json);
	TEST_ASSERT_TRUE(size < sizeof(text));
	for (size_t i = 0; i < size; i++)
		text[i] = json[i] == '\'' ? '"' : json[i];
	scratch_reset(&bed.decode);
	struct json_value root = JSON_VALUE_NONE;
	TEST_ASSERT_EQUAL_MESSAGE(
		JSON_PARSED, json_parse((struct text){text, size}, &bed.decode, &root), json);
	return root;
}

void bed_decode_pod(const char *name, struct kube_pod *pod)
{
	char json[256];
	struct kube_build b;
	snprintf(json, sizeof(json),
		"{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s'},"
		"'spec':{'containers':[{'name':'c'}]}}",
		name, name);
	struct json_value root = parse(json);
	kube_build_init(&b, &bed.cache.strings, &bed.decode);
	TEST_ASSERT_EQUAL(KUBE_OK, kube_pod_decode(&b, root, pod));
}

enum cache_result bed_put(const char *json)
{
	struct json_value root = parse(json);
	enum kube_kind kind = kube_kind_of(json_text(json_get(root, "kind")));
	TEST_ASSERT_NOT_EQUAL_MESSAGE(KUBE_NO_KIND, kind, json);
	uint64_t refused = bed.cache.refused;
	bool taken = cache_feed(&bed.cache, &bed.decode, kind, root, &bed.fed);
	bed_audit();
	TEST_ASSERT_EQUAL_UINT64(taken ? refused : refused + 1, bed.cache.refused);
	if (bed.fed.decoded == KUBE_FULL)
		return CACHE_FULL;
	TEST_ASSERT_EQUAL_MESSAGE(
		KUBE_OK, bed.fed.decoded, bed.fed.fault_field == NULL ? json : bed.fed.fault_field);
	return bed.fed.put;
}

enum cache_result bed_putf(const char *format, ...)
{
	static char json[JSON_BYTES];
	va_list args;
	va_start(args, format);
	int size = vsnprintf(json, sizeof(json), format, args);
	va_end(args);
	TEST_ASSERT_TRUE(size > 0 && (size_t)size < sizeof(json));
	return bed_put(json);
}

enum cache_result bed_remove(enum kube_kind kind, const char *namespace, const char *name)
{
	enum cache_result removed =
		cache_unfeed(&bed.cache, kind, text_of(namespace), text_of(name));
	bed_audit();
	return removed;
}

enum cache_result bed_node(const char *name, const char *labels)
{
	return bed_putf("{'kind':'Node','metadata':{'name':'%s','labels':{%s}}}", name, labels);
}

enum cache_result bed_pod(const char *name, const char *node, const char *labels, const char *cpu)
{
	return bed_putf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s',"
			"'labels':{%s}},'spec':{'nodeName':'%s','containers':[{'name':'c',"
			"'resources':{'requests':{'cpu':'%s'}}}]}}",
		name, name, labels, node, cpu);
}

enum cache_result bed_assume(const char *pod, const char *node)
{
	enum cache_result result =
		cache_assume(&bed.cache, bed_pod_index(pod), bed_node_index(node));
	bed_audit();
	return result;
}

enum cache_result bed_forget(const char *pod)
{
	enum cache_result result = cache_forget(&bed.cache, bed_pod_index(pod));
	bed_audit();
	return result;
}

/* ---- look-up ---- */

uint32_t bed_pod_index(const char *name)
{
	uint32_t pod = cache_find_pod(&bed.cache, TEXT("default"), text_of(name));
	TEST_ASSERT_TRUE_MESSAGE(pod != 0, name);
	return pod;
}

uint32_t bed_node_index(const char *name)
{
	uint32_t node = cache_find_node(&bed.cache, text_of(name));
	TEST_ASSERT_TRUE_MESSAGE(node != 0, name);
	return node;
}

struct cache_pod *bed_pod_of(const char *name)
{
	return cache_pod_at(&bed.cache, bed_pod_index(name));
}

struct cache_node *bed_node_of(const char *name)
{
	return cache_node_at(&bed.cache, bed_node_index(name));
}

uint32_t bed_id(const char *text)
{
	uint32_t id = 0;
	TEST_ASSERT_TRUE_MESSAGE(intern_find(&bed.cache.strings, text_of(text), &id), text);
	return id;
}

/* ---- counting ---- */

static struct cache_query *build(const char *service, const char *key)
{
	struct cache *cache = &bed.cache;
	const struct kube_selecting *from =
		cache_object_blob(cache, KUBE_SERVICE, bed_id("default"), bed_id(service));
	TEST_ASSERT_NOT_NULL_MESSAGE(from, service);
	struct kube_build b;
	kube_build_init(&b, &cache->strings, &bed.work);
	struct cache_query *query = kube_build_start(&b, sizeof(*query));
	query->kind = CACHE_MATCH;
	query->topology_key = key[0] == '\0' ? CACHE_KEY_NODE : kube_build_string(&b, text_of(key));
	query->count_nodes = key[0] != '\0';
	query->skip_deleting = 1;
	struct cache_term *term = kube_build_array(&b, sizeof(*term), 1, &query->terms);
	uint32_t namespace = bed_id("default");
	kube_build_ids(&b, &namespace, 1, &term->namespaces);
	cache_query_term(&b, from, NULL, &from->selector, query->terms.at);
	query = (struct cache_query *)(void *)kube_build_finish(&b);
	TEST_ASSERT_NOT_NULL(query);
	return query;
}

void bed_count(const char *service, const char *key)
{
	struct cache *cache = &bed.cache;
	struct cache_tally slow;
	scratch_reset(&bed.work);
	TEST_ASSERT_TRUE(
		cache_tally(cache, build(service, key), CACHE_COUNT_FAST, &bed.work, &bed.tally));
	bed_audit();
	TEST_ASSERT_TRUE(
		cache_tally(cache, build(service, key), CACHE_COUNT_RECOUNT, &bed.work, &slow));
	TEST_ASSERT_EQUAL_INT64(slow.total.sum, bed.tally.total.sum);
	TEST_ASSERT_EQUAL_INT64(slow.total.parts, bed.tally.total.parts);
	for (uint32_t n = 1; n <= pool_top(&cache->nodes); n++) {
		TEST_ASSERT_EQUAL(slow.of_node[n] == 0, bed.tally.of_node[n] == 0);
		TEST_ASSERT_EQUAL_INT32(
			slow.pods[slow.of_node[n]], bed.tally.pods[bed.tally.of_node[n]]);
		if (slow.nodes != NULL)
			TEST_ASSERT_EQUAL_INT32(
				slow.nodes[slow.of_node[n]], bed.tally.nodes[bed.tally.of_node[n]]);
	}
}

int32_t bed_counted(const char *node)
{
	return bed.tally.pods[bed.tally.of_node[bed_node_index(node)]];
}
