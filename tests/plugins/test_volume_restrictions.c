/* SPDX-License-Identifier: GPL-2.0-only */
/* VolumeRestrictions: disks that two pods cannot have, claims that one pod can have. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
#include "plugins/volumes.h"

#define NO_DISK "node(s) had no available disk"
#define IN_USE                                                                                \
	"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode " \
	"already in-use by another pod"
#define SINGLE "'accessModes':['ReadWriteOncePod'],"

void setUp(void)
{
	picture_start();
	add_node("n1", "");
	add_node("n2", "");
}

void tearDown(void)
{
	picture_end();
}

static enum plugin_code prefilter(void)
{
	return plugin_volume_restrictions.pre_filter(picture_decide("default", "p"), picture_why());
}

static enum plugin_code filter(const char *node)
{
	return plugin_volume_restrictions.filter(
		&picture.decision, picture_view(node), picture_why());
}

static void test_no_volumes_of_interest_skip(void)
{
	add_claim("c", "", "'accessModes':['ReadWriteOnce'],");
	add_pod("p", "", CLAIM("c") ",{'name':'e','emptyDir':{}}");
	add_pod("r", "n1", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SKIP, "", prefilter());
}

static void test_missing_claim(void)
{
	add_pod("p", "", CLAIM("gone"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, "persistentvolumeclaim \"gone\" not found", prefilter());
}

static void test_claim_of_another_namespace_is_missing(void)
{
	picture_add("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'other','name':'c'},"
		    "'spec':{}}");
	add_pod("p", "", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, "persistentvolumeclaim \"c\" not found", prefilter());
}

struct disks {
	const char *ours;
	const char *theirs;
	bool conflict;
};

#define GCE(name, more)   "{'name':'d','gcePersistentDisk':{'pdName':'" name "'" more "}}"
#define EBS(name, more)   "{'name':'d','awsElasticBlockStore':{'volumeID':'" name "'" more "}}"
#define ISCSI(name, more) "{'name':'d','iscsi':{'iqn':'" name "'" more "}}"
#define RBD(monitors, pool, image, more)                                                          \
	"{'name':'d','rbd':{'monitors':[" monitors "],'pool':'" pool "','image':'" image "'" more \
	"}}"
#define RO ",'readOnly':true"

static void test_disks(void)
{
	static const struct disks rows[] = {
		{GCE("a", ""), GCE("a", ""), true},
		{GCE("a", RO), GCE("a", ""), true},
		{GCE("a", ""), GCE("a", RO), true},
		{GCE("a", RO), GCE("a", RO), false},
		{GCE("a", ""), GCE("b", ""), false},
		{GCE("a", ""), EBS("a", ""), false},
		{EBS("a", RO), EBS("a", RO), true},
		{EBS("a", ""), EBS("b", ""), false},
		{ISCSI("a", ""), ISCSI("a", RO), true},
		{ISCSI("a", RO), ISCSI("a", RO), false},
		{ISCSI("a", ""), GCE("x", "") "," ISCSI("a", ""), true},
		{RBD("'m1','m2'", "p", "i", ""), RBD("'m3','m2'", "p", "i", ""), true},
		{RBD("'m1','m2'", "p", "i", ""), RBD("'m3','m4'", "p", "i", ""), false},
		{RBD("'m1'", "p", "i", ""), RBD("'m1'", "q", "i", ""), false},
		{RBD("'m1'", "p", "i", ""), RBD("'m1'", "p", "j", ""), false},
		{RBD("'m1'", "p", "i", RO), RBD("'m1'", "p", "i", RO), false},
		{RBD("'m1'", "p", "i", RO), RBD("'m1'", "p", "i", ""), true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		add_pod("p", "", rows[i].ours);
		add_pod("r", "n1", rows[i].theirs);
		ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
		enum plugin_code code = filter("n1");
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			rows[i].conflict ? NO_DISK : "", picture_reasons(), rows[i].theirs);
		TEST_ASSERT_EQUAL(rows[i].conflict ? PLUGIN_UNSCHEDULABLE : PLUGIN_SUCCESS, code);
		ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n2"));
	}
}

static void test_disk_in_thought(void)
{
	add_pod("p", "", GCE("a", ""));
	add_pod("r", "n1", GCE("a", ""));
	prefilter();
	struct cache_view view = cache_view_of(&picture.cache, picture_node("n1"));
	uint32_t taken_off = picture_pod("default", "r");
	view.without = &taken_off;
	view.without_count = 1;
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS,
		plugin_volume_restrictions.filter(&picture.decision, &view, picture_why()));
}

static void test_single_claim_in_use_anywhere(void)
{
	add_claim("c", "", SINGLE);
	add_pod("p", "", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SKIP, "", prefilter());
	add_pod("r", "n1", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, IN_USE, filter("n1"));
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, IN_USE, filter("n2"));
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE,
		plugin_volume_restrictions.filter(&picture.decision, picture_view("n2"), NULL));
}

static void test_single_claim_used_by_pods_that_do_not_count(void)
{
	add_claim("c", "", SINGLE);
	add_pod("p", "", CLAIM("c"));
	add_pod("ghost", "gone", CLAIM("c")); /* its node is not there */
	add_pod("pending", "", CLAIM("c"));
	picture_add("{'kind':'Pod','metadata':{'name':'o','namespace':'other'},'spec':{'nodeName':"
		    "'n1','containers':[{'name':'c'}],'volumes':[" CLAIM("c") "]}}");
	ASSERT_SAYS(PLUGIN_SKIP, "", prefilter());
}

static void test_pods_moved_in_thought(void)
{
	add_claim("c", "", SINGLE);
	add_claim("d", "", SINGLE);
	add_pod("p", "", CLAIM("c") "," CLAIM("d") "," CLAIM("c"));
	add_pod("r", "n1", CLAIM("c"));
	add_pod("s", "n2", CLAIM("d") "," CLAIM("d"));
	picture_add("{'kind':'Pod','metadata':{'name':'o','namespace':'other'},'spec':{'nodeName':"
		    "'n1','containers':[{'name':'c'}],'volumes':[" CLAIM("c") "]}}");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	struct cycle_state *d = &picture.decision;
	uint32_t r = picture_pod("default", "r");
	uint32_t s = picture_pod("default", "s");
	uint32_t o = picture_pod("other", "o");
	const struct cache_view *view = picture_view("n1");
	/* Two claims are in use; r has one of them, s has the other twice. */
	plugin_volume_restrictions.pod_moved(d, view, r, -1);
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, IN_USE, filter("n1"));
	plugin_volume_restrictions.pod_moved(d, view, s, -1);
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n1"));
	plugin_volume_restrictions.pod_moved(d, view, s, 1);
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, IN_USE, filter("n1"));
	plugin_volume_restrictions.pods_forgotten(d);
	plugin_volume_restrictions.pod_moved(d, view, r, -1);
	plugin_volume_restrictions.pod_moved(d, view, o, -1); /* the namespace is not looked at */
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n1"));
	plugin_volume_restrictions.pods_forgotten(d);
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, IN_USE, filter("n1"));
}

static void test_disk_is_said_before_claim(void)
{
	add_claim("c", "", SINGLE);
	add_pod("p", "", CLAIM("c") "," EBS("a", ""));
	add_pod("r", "n1", CLAIM("c") "," EBS("a", ""));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, NO_DISK, filter("n1"));
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, IN_USE, filter("n2"));
}

static void test_moved_pods_when_skipped(void)
{
	add_pod("p", "", "");
	add_pod("r", "n1", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SKIP, "", prefilter());
	plugin_volume_restrictions.pod_moved(
		&picture.decision, picture_view("n1"), picture_pod("default", "r"), 1);
	plugin_volume_restrictions.pods_forgotten(&picture.decision);
}

static void test_little_scratch(void)
{
	add_claim("c", "", SINGLE);
	add_pod("p", "", CLAIM("c"));
	add_pod("r", "n1", CLAIM("c"));
	try_all_scratches(plugin_volume_restrictions.pre_filter, plugin_volume_restrictions.filter,
		"p", "n1");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_no_volumes_of_interest_skip);
	RUN_TEST(test_missing_claim);
	RUN_TEST(test_claim_of_another_namespace_is_missing);
	RUN_TEST(test_disks);
	RUN_TEST(test_disk_in_thought);
	RUN_TEST(test_single_claim_in_use_anywhere);
	RUN_TEST(test_single_claim_used_by_pods_that_do_not_count);
	RUN_TEST(test_pods_moved_in_thought);
	RUN_TEST(test_disk_is_said_before_claim);
	RUN_TEST(test_moved_pods_when_skipped);
	RUN_TEST(test_little_scratch);
	return UNITY_END();
}
