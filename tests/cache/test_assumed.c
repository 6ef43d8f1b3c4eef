/* SPDX-License-Identifier: GPL-2.0-only */
/* What is assumed of volumes and claims, and what ends it. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <stdio.h>

#include <unity.h>

#include "cache/assumed.h"
#include "cache/bed.h"
#include "kube/volume.h"

void setUp(void)
{
	bed_start(NULL);
}

void tearDown(void)
{
	bed_clear();
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.assumed));
	bed_end();
}

static uint32_t put_volume(uint32_t version, const char *label)
{
	enum cache_result put = bed_putf(
		"{'kind':'PersistentVolume','metadata':{'name':'v','uid':'v-uid',"
		"'resourceVersion':'%u','labels':{'l':'%s'}},'spec':{'capacity':{'storage':'1Gi'},"
		"'storageClassName':'slow'}}",
		(unsigned)version, label);
	TEST_ASSERT_TRUE(put == CACHE_OK || put == CACHE_UNCHANGED);
	return bed.fed.index;
}

static uint32_t put_claim(const char *name, uint32_t version)
{
	enum cache_result put = bed_putf(
		"{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'%s',"
		"'uid':'%s-uid','resourceVersion':'%u'},'spec':{'storageClassName':'slow'}}",
		name, name, (unsigned)version);
	TEST_ASSERT_TRUE(put == CACHE_OK || put == CACHE_UNCHANGED);
	return bed.fed.index;
}

static const struct kube_pv *volume_at(uint32_t object)
{
	return cache_assumed_blob(&bed.cache, object);
}

static const struct kube_pvc *claim_at(uint32_t object)
{
	return cache_assumed_blob(&bed.cache, object);
}

static void test_a_volume_is_assumed_and_forgotten(void)
{
	uint32_t v = put_volume(5, "x"), c = put_claim("c", 6);
	uint64_t generation = bed.cache.kind_generation[KUBE_PV];
	TEST_ASSERT_FALSE(volume_at(v)->has_claim);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&bed.cache, v, c));
	bed_audit();
	TEST_ASSERT_NOT_EQUAL_UINT64(generation, bed.cache.kind_generation[KUBE_PV]);
	TEST_ASSERT_TRUE(volume_at(v)->has_claim);
	TEST_ASSERT_EQUAL_UINT32(bed_id("c"), volume_at(v)->claim_name);
	TEST_ASSERT_EQUAL_UINT32(bed_id("default"), volume_at(v)->claim_namespace);
	TEST_ASSERT_EQUAL_UINT32(bed_id("c-uid"), volume_at(v)->claim_uid);
	TEST_ASSERT_EQUAL(INT64_C(1) << 30, volume_at(v)->capacity_bytes);
	/* What the apiserver says is another question. */
	const struct kube_pv *told = cache_object_blob(&bed.cache, KUBE_PV, 0, bed_id("v"));
	TEST_ASSERT_FALSE(told->has_claim);
	cache_forget_assumed(&bed.cache, v, 4);
	TEST_ASSERT_TRUE(volume_at(v)->has_claim);
	cache_forget_assumed(&bed.cache, v, 5);
	TEST_ASSERT_FALSE(volume_at(v)->has_claim);
	cache_forget_assumed(&bed.cache, v, 5);
	bed_audit();
}

static void test_a_claim_is_assumed_on_its_way(void)
{
	uint32_t c = put_claim("c", 6);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", ""));
	TEST_ASSERT_FALSE(claim_at(c)->has_selected_node);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_provision(&bed.cache, c, bed_id("n")));
	bed_audit();
	TEST_ASSERT_TRUE(claim_at(c)->has_selected_node);
	TEST_ASSERT_TRUE(claim_at(c)->has_annotations);
	TEST_ASSERT_EQUAL_UINT32(bed_id("n"), claim_at(c)->selected_node);
	/* The node goes, its name stays as long as it is spoken of. */
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n"));
	bed_audit();
	TEST_ASSERT_EQUAL_UINT32(bed_id("n"), claim_at(c)->selected_node);
	cache_forget_assumed(&bed.cache, c, 6);
	TEST_ASSERT_FALSE(claim_at(c)->has_selected_node);
}

static void test_the_same_version_again_changes_nothing(void)
{
	uint32_t v = put_volume(5, "x"), c = put_claim("c", 6);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&bed.cache, v, c));
	TEST_ASSERT_EQUAL_UINT32(v, put_volume(5, "x"));
	TEST_ASSERT_TRUE(volume_at(v)->has_claim);
	TEST_ASSERT_EQUAL_UINT32(c, put_claim("c", 7)); /* the claim may change */
	TEST_ASSERT_TRUE(volume_at(v)->has_claim);
}

static void test_a_newer_version_is_what_counts(void)
{
	uint32_t v = put_volume(5, "x"), c = put_claim("c", 6);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&bed.cache, v, c));
	TEST_ASSERT_EQUAL_UINT32(v, put_volume(7, "y"));
	TEST_ASSERT_FALSE(volume_at(v)->has_claim);
	/* Who assumed it of the old version does not take it from who assumes it of the new. */
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&bed.cache, v, c));
	cache_forget_assumed(&bed.cache, v, 5);
	TEST_ASSERT_TRUE(volume_at(v)->has_claim);
	/* The same content under another version is something new as well. */
	TEST_ASSERT_EQUAL_UINT32(v, put_volume(8, "y"));
	TEST_ASSERT_FALSE(volume_at(v)->has_claim);
}

static void test_several_holders(void)
{
	uint32_t v = put_volume(5, "x"), c = put_claim("c", 6), d = put_claim("d", 7);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&bed.cache, v, c));
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&bed.cache, v, c));
	TEST_ASSERT_EQUAL(CACHE_CONFLICT, cache_assume_volume(&bed.cache, v, d));
	cache_forget_assumed(&bed.cache, v, 5);
	TEST_ASSERT_TRUE(volume_at(v)->has_claim);
	cache_forget_assumed(&bed.cache, v, 5);
	TEST_ASSERT_FALSE(volume_at(v)->has_claim);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&bed.cache, v, d));
}

static void test_what_is_gone_is_not_assumed(void)
{
	uint32_t v = put_volume(5, "x"), c = put_claim("c", 6);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&bed.cache, v, c));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_PVC, "default", "c"));
	TEST_ASSERT_EQUAL_UINT32(bed_id("c"), volume_at(v)->claim_name);
	bed_audit();
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_PV, "", "v"));
	bed_audit();
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.assumed));
	cache_forget_assumed(&bed.cache, v, 5);
	/* Another object has its place. */
	TEST_ASSERT_EQUAL_UINT32(v, put_volume(9, "x"));
	TEST_ASSERT_FALSE(volume_at(v)->has_claim);
}

static void test_no_room(void)
{
	uint32_t v = put_volume(5, "x"), c = put_claim("c", 6);
	uint32_t taken = 0;
	while (pool_take(&bed.cache.assumed) != 0)
		taken++;
	TEST_ASSERT_EQUAL_UINT32(bed_roomy()->objects, taken); /* one of each */
	TEST_ASSERT_EQUAL(CACHE_FULL, cache_assume_volume(&bed.cache, v, c));
	TEST_ASSERT_FALSE(volume_at(v)->has_claim);
	for (; taken > 0; taken--)
		pool_give(&bed.cache.assumed, taken);
	while (store_take(&bed.cache.store, 512) != 0)
		taken++;
	TEST_ASSERT_EQUAL(CACHE_FULL, cache_assume_volume(&bed.cache, v, c));
	TEST_ASSERT_FALSE(volume_at(v)->has_claim);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.assumed));
	bed_end(); /* the blocks go with it */
	bed_start(NULL);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_volume_is_assumed_and_forgotten);
	RUN_TEST(test_a_claim_is_assumed_on_its_way);
	RUN_TEST(test_the_same_version_again_changes_nothing);
	RUN_TEST(test_a_newer_version_is_what_counts);
	RUN_TEST(test_several_holders);
	RUN_TEST(test_what_is_gone_is_not_assumed);
	RUN_TEST(test_no_room);
	return UNITY_END();
}
