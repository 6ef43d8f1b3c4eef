/* SPDX-License-Identifier: GPL-2.0-only */
/* Which nodes reach a volume, as it is and as its driver sees it. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
#include <unity.h>

#include "plugins/picture.h"
#include "plugins/volume_choice.h"
#include "plugins/volumes.h"

static const char *fault;

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

static enum volume_reach reach(uint32_t pv, const char *node)
{
	return volume_reach_of(&picture.cache, pv, picture_node(node), &picture.work, &fault);
}

static uint32_t volume(const char *metadata, const char *spec)
{
	add_volume("v", metadata, spec);
	return picture.added;
}

static void test_any_node(void)
{
	add_node("n", "");
	TEST_ASSERT_EQUAL(VOLUME_REACHES, reach(volume("", ""), "n"));
	TEST_ASSERT_NULL(fault);
}

static void test_by_label(void)
{
	add_node("a", "'kubernetes.io/hostname':'a'");
	add_node("b", "'kubernetes.io/hostname':'b'");
	uint32_t v = volume("", ON_NODES("'a'"));
	TEST_ASSERT_EQUAL(VOLUME_REACHES, reach(v, "a"));
	TEST_ASSERT_EQUAL(VOLUME_OUT_OF_REACH, reach(v, "b"));
}

#define ZONE(zone)                                                                                \
	"'awsElasticBlockStore':{'volumeID':'vol-1'}," AFFINITY("{'matchExpressions':[" LABEL_IN( \
		"topology.kubernetes.io/zone", "'" zone "'") "]}")

/* The driver knows zones by another key, and it alone is asked for on nodes that have switched. */
static void test_translated(void)
{
	add_node("old", "'topology.kubernetes.io/zone':'z'");
	add_node("new", "'topology.ebs.csi.aws.com/zone':'z'");
	add_node("bare", "'topology.kubernetes.io/zone':'z'");
	add_csi_node("old", "", "");
	add_csi_node("new", "kubernetes.io/aws-ebs", "");
	uint32_t v = volume("", ZONE("z"));
	TEST_ASSERT_EQUAL(VOLUME_REACHES, reach(v, "old"));
	TEST_ASSERT_EQUAL(VOLUME_REACHES, reach(v, "new"));
	TEST_ASSERT_EQUAL(VOLUME_REACHES, reach(v, "bare"));
	add_csi_node("old", "kubernetes.io/aws-ebs", "");
	TEST_ASSERT_EQUAL(VOLUME_OUT_OF_REACH, reach(v, "old"));
	add_csi_node("new", "kubernetes.io/gce-pd", "");
	TEST_ASSERT_EQUAL(VOLUME_OUT_OF_REACH, reach(v, "new"));
}

static void test_a_name_that_is_none(void)
{
	add_node("n", "");
	add_csi_node("n", "kubernetes.io/aws-ebs", "");
	uint32_t v = volume("", "'awsElasticBlockStore':{'volumeID':'aws://a/b/c'},");
	TEST_ASSERT_EQUAL(VOLUME_UNTRANSLATABLE, reach(v, "n"));
	TEST_ASSERT_EQUAL_STRING("failed to translate Kubernetes ID to EBS Volume ID Invalid "
				 "format for AWS volume (aws://a/b/c)",
		fault);
}

static void test_without_scratch(void)
{
	struct scratch none;
	add_node("n", "");
	add_csi_node("n", "kubernetes.io/aws-ebs", "");
	uint32_t v = volume("", "'awsElasticBlockStore':{'volumeID':'aws://a/b/c'},");
	scratch_init(&none, picture.work.base, 0);
	TEST_ASSERT_EQUAL(VOLUME_NO_SCRATCH,
		volume_reach_of(&picture.cache, v, picture_node("n"), &none, &fault));
	scratch_init(&picture.work, picture.work.base, picture.work.size);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_any_node);
	RUN_TEST(test_by_label);
	RUN_TEST(test_translated);
	RUN_TEST(test_a_name_that_is_none);
	RUN_TEST(test_without_scratch);
	return UNITY_END();
}
