/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims of placed pods: what ends the waiting for them. */
// deps: base/*.c json/*.c kube/*.c cache/*.c net/*.c tls/*.c http/*.c api/*.c bind/body_*.c
// deps: bind/pre_bind*.c cycle/binding_points.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/bind/pre_bind_bed.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "bind/pre_bind_bed.h"

void setUp(void)
{
	bed_start(1);
}

void tearDown(void)
{
	bed_stop();
}

#define MINUTES(n) ((int64_t)(n)*60 * 1000)

/* ---- failures of waiting ---- */

/* A volume is written and seen. */
static struct bed_object *begin_bound(void)
{
	struct bed_object *v = bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", 30 * 1000);
	bed_run(100);
	bed_show(v);
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	return v;
}

/* A claim was given to the node, and that was seen. */
static struct bed_object *begin_provisioned(void)
{
	struct bed_object *c = bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", 30 * 1000);
	bed_run(100);
	bed_show(c);
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	return c;
}

static void test_time_is_up(void)
{
	begin_provisioned();
	bed_run(29 * 1000);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	bed_run(1000);
	bed_expect(1, false, "binding volumes: context deadline exceeded");
	bed_expect_clean();
}

static void test_no_time_at_all(void)
{
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", 0);
	bed_run(100);
	bed_expect(1, false, "binding volumes: context deadline exceeded");
}

static void test_the_watch_never_shows_it(void)
{
	struct bed_object *v = bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", 5000);
	bed_run(6000);
	bed_expect(1, false, "binding volumes: context deadline exceeded");
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&picture.cache.assumed));
	bed_show(v);
	bed_expect_clean();
}

/* A list may come from a server that lags behind. */
static void test_an_older_picture_is_no_news(void)
{
	struct bed_object *v = bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", 30 * 1000);
	bed_run(100);
	struct bed_object now = *v;
	v->claim[0] = '\0';
	v->version = 50;
	bed_show(v);
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	*v = now;
	bed_show(v);
	bed_bind("c", "v");
	bed_run(100);
	bed_expect(1, true, "");
	bed_expect_clean();
}

static void test_the_node_is_gone(void)
{
	begin_provisioned();
	picture_remove(KUBE_NODE, "", "b");
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	picture_remove(KUBE_NODE, "", "a");
	bed_run(100);
	bed_expect(1, false, "binding volumes: failed to get node \"a\": node \"a\" not found");
	bed_expect_clean();
}

static void test_the_pod_is_gone(void)
{
	begin_bound();
	bed_cancel(99);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).under_way);
	bed_cancel(1);
	bed_bind("c", "v");
	bed_run(MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	bed_expect_clean();
}

static void test_the_pod_is_gone_while_it_is_written(void)
{
	static const struct bed_plan plans[] = {{.way = BED_WORKS}, {.way = BED_SILENT}};
	const struct volume_choice *list;
	uint32_t count;
	bed_plans(plans, 2);
	bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	bed_cancel(1);
	bed_expect_clean();
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, bed_choose("p", "a", &list, &count));
	TEST_ASSERT_NOT_EQUAL(0, list[0].pv);
	bed_run(MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
}

static void test_the_volume_is_gone_while_waiting(void)
{
	bed_delete(begin_bound());
	bed_run(100);
	bed_expect(1, false,
		"binding volumes: failed to check binding: persistentvolumes \"v\" not found");
	bed_expect_clean();
}

static void test_the_claim_of_a_volume_is_gone(void)
{
	begin_bound();
	bed_delete(bed_find(false, "c"));
	bed_run(100);
	bed_expect(1, false,
		"binding volumes: failed to check binding: persistentvolumeclaims \"default/c\" "
		"not "
		"found");
}

static void test_the_claim_to_provision_is_gone(void)
{
	bed_delete(begin_provisioned());
	bed_run(100);
	bed_expect(1, false,
		"binding volumes: failed to check provisioning pvc: persistentvolumeclaims "
		"\"default/c\" not found");
}

/* The claim got another volume meanwhile, so the controller takes ours back. */
static void test_the_claim_is_bound_elsewhere(void)
{
	struct bed_object *v = begin_bound();
	v->claim[0] = '\0';
	bed_change(v);
	bed_show(v);
	bed_run(100);
	bed_expect(1, false, "binding volumes: ClaimRef got reset for pv \"v\"");
	bed_expect_clean();
}

static void test_the_claim_ref_lost_its_uid(void)
{
	struct bed_object *v = begin_bound();
	v->claim_uid[0] = '\0';
	bed_change(v);
	bed_show(v);
	bed_run(100);
	bed_expect(1, false, "binding volumes: ClaimRef got reset for pv \"v\"");
}

static void test_the_provisioner_gives_up(void)
{
	struct bed_object *c = begin_provisioned();
	c->selected[0] = '\0';
	c->annotated = true;
	bed_change(c);
	bed_show(c);
	bed_run(100);
	bed_expect(1, false, "binding volumes: provisioning failed for PVC \"c\"");
	bed_expect_clean();
}

static void test_the_annotations_are_gone(void)
{
	struct bed_object *c = begin_provisioned();
	c->selected[0] = '\0';
	bed_change(c);
	bed_show(c);
	bed_run(100);
	bed_expect(1, false, "binding volumes: selectedNode annotation reset for PVC \"c\"");
}

static void test_a_volume_was_made_elsewhere(void)
{
	begin_provisioned();
	bed_volume("made", "b");
	bed_bind("c", "made");
	bed_run(100);
	bed_expect(1, false,
		"binding volumes: pv \"made\" node affinity doesn't match node \"a\": no matching "
		"NodeSelectorTerms");
	bed_expect_clean();
}

static void test_the_node_lost_its_label(void)
{
	begin_bound();
	picture_add("{'kind':'Node','metadata':{'name':'a',"
		    "'labels':{'kubernetes.io/hostname':'z'}}}");
	bed_run(100);
	bed_expect(1, false,
		"binding volumes: pv \"v\" node affinity doesn't match node \"a\": no matching "
		"NodeSelectorTerms");
}

#define NOT_AN_EBS_VOLUME "'awsElasticBlockStore':{'volumeID':'aws://a/b/c'},"
#define NO_EBS_HANDLE                                                                         \
	"could not translate pv: failed to translate Kubernetes ID to EBS Volume ID Invalid " \
	"format for AWS volume (aws://a/b/c)"

static void add_migrated(void)
{
	picture_add("{'kind':'CSINode','metadata':{'name':'a','annotations':"
		    "{'storage.alpha.kubernetes.io/migrated-plugins':'kubernetes.io/aws-ebs'}},"
		    "'spec':{'drivers':[]}}");
}

static void test_a_made_volume_that_no_driver_knows(void)
{
	begin_provisioned();
	add_migrated();
	struct bed_object *v = bed_volume("made", "");
	snprintf(v->source, sizeof(v->source), "%s", NOT_AN_EBS_VOLUME);
	bed_bind("c", "made");
	bed_run(100);
	bed_expect(1, false, "binding volumes: " NO_EBS_HANDLE);
	bed_expect_clean();
}

/* The node tells of its drivers late; that is a reason to look, too. */
static void test_a_bound_volume_that_no_driver_knows(void)
{
	struct bed_object *v = begin_bound();
	snprintf(v->source, sizeof(v->source), "%s", NOT_AN_EBS_VOLUME);
	bed_change(v);
	bed_show(v);
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	add_migrated();
	bed_run(100);
	bed_expect(1, false, "binding volumes: failed to translate pv to csi: " NO_EBS_HANDLE);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_time_is_up);
	RUN_TEST(test_no_time_at_all);
	RUN_TEST(test_the_watch_never_shows_it);
	RUN_TEST(test_an_older_picture_is_no_news);
	RUN_TEST(test_the_node_is_gone);
	RUN_TEST(test_the_pod_is_gone);
	RUN_TEST(test_the_pod_is_gone_while_it_is_written);
	RUN_TEST(test_the_volume_is_gone_while_waiting);
	RUN_TEST(test_the_claim_of_a_volume_is_gone);
	RUN_TEST(test_the_claim_to_provision_is_gone);
	RUN_TEST(test_the_claim_is_bound_elsewhere);
	RUN_TEST(test_the_claim_ref_lost_its_uid);
	RUN_TEST(test_the_provisioner_gives_up);
	RUN_TEST(test_the_annotations_are_gone);
	RUN_TEST(test_a_volume_was_made_elsewhere);
	RUN_TEST(test_the_node_lost_its_label);
	RUN_TEST(test_a_made_volume_that_no_driver_knows);
	RUN_TEST(test_a_bound_volume_that_no_driver_knows);
	return UNITY_END();
}
