/* SPDX-License-Identifier: GPL-2.0-only */
/* NodeVolumeLimits: volumes of a driver on a node, counted as upstream counts them. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
#include "plugins/volume_priv.h"
#include "plugins/volumes.h"

#define TOO_MANY "node(s) exceed max volume count"
#define D        "csi.example.com"

void setUp(void)
{
	picture_start();
	add_node("n1", "");
}

void tearDown(void)
{
	picture_end();
}

static enum plugin_code prefilter(void)
{
	return plugin_node_volume_limits.pre_filter(picture_decide("default", "p"), picture_why());
}

static enum plugin_code filter(const char *node)
{
	return plugin_node_volume_limits.filter(
		&picture.decision, picture_view(node), picture_why());
}

static enum plugin_code decide(void)
{
	enum plugin_code code = prefilter();
	return code == PLUGIN_SUCCESS ? filter("n1") : code;
}

/* A bound claim with a volume of its own. */
static void add_csi_claim(const char *claim, const char *driver, const char *handle)
{
	char volume[64];
	snprintf(volume, sizeof(volume), "pv-%s", claim);
	add_bound_claim(claim, volume);
	picture_addf("{'kind':'PersistentVolume','metadata':{'name':'%s'},'spec':{'csi':{"
		     "'driver':'%s','volumeHandle':'%s'}}}",
		volume, driver, handle);
}

static void add_attachment(const char *name, const char *node, const char *driver, const char *pv)
{
	picture_addf("{'kind':'VolumeAttachment','metadata':{'name':'%s'},'spec':{'attacher':'%s',"
		     "'nodeName':'%s','source':{'persistentVolumeName':'%s'}}}",
		name, driver, node, pv);
}

static void test_nothing_to_count_skips(void)
{
	add_pod("p", "",
		"{'name':'a','iscsi':{'iqn':'i'}},{'name':'b','csi':{'driver':'" D "'}},"
		"{'name':'c','rbd':{'image':'i'}}");
	ASSERT_SAYS(PLUGIN_SKIP, "", prefilter());
}

static void test_taken_over_types_do_not_skip(void)
{
	static const char *const volumes[] = {
		"{'name':'v','awsElasticBlockStore':{'volumeID':'v'}}",
		"{'name':'v','gcePersistentDisk':{'pdName':'v'}}",
		"{'name':'v','azureDisk':{'diskURI':'v'}}",
		"{'name':'v','azureFile':{'shareName':'v'}}",
		"{'name':'v','cinder':{'volumeID':'v'}}",
		"{'name':'v','vsphereVolume':{'volumePath':'v'}}",
		"{'name':'v','portworxVolume':{'volumeID':'v'}}",
		EPHEMERAL("v"),
	};
	for (size_t i = 0; i < ARRAY_COUNT(volumes); i++) {
		add_pod("p", "", volumes[i]);
		TEST_ASSERT_EQUAL_MESSAGE(PLUGIN_SUCCESS, prefilter(), volumes[i]);
		picture_remove(KUBE_POD, "default", "p");
	}
}

static void test_missing_claim(void)
{
	add_pod("p", "", CLAIM("gone"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE,
		"looking up PVC default/gone: persistentvolumeclaim \"gone\" not found", decide());
	TEST_ASSERT_EQUAL(PLUGIN_UNRESOLVABLE,
		plugin_node_volume_limits.filter(&picture.decision, picture_view("n1"), NULL));
}

static void test_missing_ephemeral_claim(void)
{
	add_pod("p", "", EPHEMERAL("v"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE,
		"looking up PVC default/p-v: persistentvolumeclaim \"p-v\" not found", decide());
}

static void test_claim_without_name(void)
{
	add_pod("p", "", "{'name':'v','persistentVolumeClaim':{}}");
	ASSERT_FAILS("PersistentVolumeClaim had no name", decide());
}

static void test_ephemeral_claim_of_somebody_else(void)
{
	add_pod("p", "", EPHEMERAL("v"));
	add_claim("p-v",
		"'ownerReferences':[{'controller':true,'kind':'Pod','name':'p',"
		"'uid':'the p before'}],",
		"");
	ASSERT_FAILS(
		"PVC default/p-v was not created for pod default/p (pod is not owner)", decide());
}

static void test_ephemeral_claim_by_uuid(void)
{
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default',"
		    "'uid':'01234567-89ab-cdef-0123-456789abcdef'},'spec':{'containers':[],"
		    "'volumes':[" EPHEMERAL("v") "]}}");
	add_claim("p-v",
		"'ownerReferences':[{'controller':true,'kind':'Pod','name':'p',"
		"'uid':'01234567-89ab-cdef-0123-456789abcdef'}],",
		"");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	picture_remove(KUBE_PVC, "default", "p-v");
	add_claim("p-v",
		"'ownerReferences':[{'controller':true,'kind':'Pod','name':'p',"
		"'uid':'01234567-89ab-cdef-0123-456789abcdee'}],",
		"");
	ASSERT_FAILS(
		"PVC default/p-v was not created for pod default/p (pod is not owner)", decide());
}

/* p has a volume "a"; the node may have `limit`; others have what is added before. */
static void decide_with_limit(int limit, enum plugin_code expected)
{
	picture_addf("{'kind':'CSINode','metadata':{'name':'n1'},'spec':{'drivers':[{'name':'" D
		     "','nodeID':'x','allocatable':{'count':%d}}]}}",
		limit);
	enum plugin_code code = decide();
	TEST_ASSERT_EQUAL_STRING(expected == PLUGIN_SUCCESS ? "" : TOO_MANY, picture_reasons());
	TEST_ASSERT_EQUAL(expected, code);
	picture_remove(KUBE_CSI_NODE, "", "n1");
}

static void test_limit(void)
{
	add_csi_claim("a", D, "handle-a");
	add_pod("p", "", CLAIM("a"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	decide_with_limit(0, PLUGIN_UNSCHEDULABLE);
	decide_with_limit(1, PLUGIN_SUCCESS);
	add_csi_claim("b", D, "handle-b");
	add_pod("r", "n1", CLAIM("b"));
	decide_with_limit(1, PLUGIN_UNSCHEDULABLE);
	decide_with_limit(2, PLUGIN_SUCCESS);
	/* The same volumes once more, and those of another driver, take no room. */
	add_csi_claim("b2", D, "handle-b");
	add_csi_claim("c", "other.example.com", "handle-c");
	add_pod("s", "n1", CLAIM("b2") "," CLAIM("c"));
	decide_with_limit(1, PLUGIN_UNSCHEDULABLE);
	decide_with_limit(2, PLUGIN_SUCCESS);
	/* Nor does the pod's own when it is there already. */
	add_pod("t", "n1", CLAIM("a"));
	decide_with_limit(1, PLUGIN_SUCCESS);
}

static void test_pods_in_thought(void)
{
	add_csi_claim("a", D, "handle-a");
	add_csi_claim("b", D, "handle-b");
	add_pod("p", "", CLAIM("a"));
	add_pod("r", "n1", CLAIM("b"));
	add_csi_node("n1", "", LIMIT(D, 1));
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, TOO_MANY, decide());
	struct cache_view view = cache_view_of(&picture.cache, picture_node("n1"));
	uint32_t taken_off = picture_pod("default", "r");
	view.without = &taken_off;
	view.without_count = 1;
	ASSERT_SAYS(PLUGIN_SUCCESS, "",
		plugin_node_volume_limits.filter(&picture.decision, &view, picture_why()));
}

static void test_several_drivers(void)
{
	add_csi_claim("a", D, "h1");
	add_csi_claim("b", "other.example.com", "h2");
	add_csi_claim("c", "unlimited.example.com", "h3");
	add_pod("p", "", CLAIM("a") "," CLAIM("b") "," CLAIM("c") "," CLAIM("a"));
	add_csi_node("n1", "",
		LIMIT(D, 1) "," LIMIT(
			"other.example.com", 1) ","
						"{'name':'unlimited.example.com','nodeID':'n'}");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	add_csi_claim("d", "other.example.com", "h4");
	add_pod("r", "n1", CLAIM("d"));
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, TOO_MANY, decide());
}

static void test_claims_not_bound_yet(void)
{
	add_class("wait", D, WAIT);
	add_claim("a", "", "'storageClassName':'wait',");
	add_claim("b", "", "'storageClassName':'wait','volumeName':'not-there',");
	add_claim("c", "", "");
	add_claim("d", "", "'storageClassName':'no-such-class',");
	add_pod("p", "", CLAIM("a") "," CLAIM("b") "," CLAIM("c") "," CLAIM("d"));
	decide_with_limit(1, PLUGIN_UNSCHEDULABLE);
	decide_with_limit(2, PLUGIN_SUCCESS);
	/* The same claims in another pod will be the same volumes. */
	add_pod("r", "n1", CLAIM("a") "," CLAIM("b"));
	decide_with_limit(2, PLUGIN_SUCCESS);
	add_claim("e", "", "'storageClassName':'wait',");
	add_pod("s", "n1", CLAIM("e") "," CLAIM("not-there"));
	decide_with_limit(2, PLUGIN_SUCCESS); /* nothing is new, so nothing is asked */
	picture_remove(KUBE_POD, "default", "r");
	decide_with_limit(2, PLUGIN_UNSCHEDULABLE);
	decide_with_limit(3, PLUGIN_SUCCESS);
}

static void test_class_of_a_type_taken_over(void)
{
	add_class("ebs", "kubernetes.io/aws-ebs", WAIT);
	add_class("vsphere", "kubernetes.io/vsphere-volume", WAIT);
	add_claim("a", "", "'storageClassName':'ebs',");
	add_claim("b", "", "'storageClassName':'vsphere',");
	add_pod("p", "", CLAIM("a") "," CLAIM("b"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	add_csi_node("n1", "", LIMIT("ebs.csi.aws.com", 0));
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, TOO_MANY, decide());
	picture_remove(KUBE_CSI_NODE, "", "n1");
	add_csi_node("n1", "", LIMIT("csi.vsphere.vmware.com", 0));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
}

static void test_attachments(void)
{
	add_csi_claim("a", D, "handle-a");
	add_pod("p", "", CLAIM("a"));
	add_csi_claim("b", D, "handle-b");
	add_attachment("1", "n1", D, "pv-b");
	decide_with_limit(1, PLUGIN_UNSCHEDULABLE);
	decide_with_limit(2, PLUGIN_SUCCESS);
	add_pod("r", "n1", CLAIM("b")); /* counted once */
	decide_with_limit(2, PLUGIN_SUCCESS);
	/* None of these says what is on the node. */
	add_volume("in-tree", "", "'gcePersistentDisk':{'pdName':'d'},");
	add_csi_claim("c", D, "handle-c");
	add_node("n2", "");
	add_attachment("2", "n2", D, "pv-c");
	add_attachment("3", "n1", D, "gone");
	add_attachment("4", "n1", D, "in-tree");
	add_attachment("5", "n1", "", "pv-c");
	add_attachment("6", "no-such-node", D, "pv-c");
	add_attachment("7", "n1", "other.example.com", "pv-c");
	decide_with_limit(2, PLUGIN_SUCCESS);
	/* The pod's own volume, attached but used by no pod: counts on both sides. */
	add_attachment("8", "n1", D, "pv-a");
	decide_with_limit(2, PLUGIN_UNSCHEDULABLE);
	decide_with_limit(3, PLUGIN_SUCCESS);
}

static void test_volumes_in_line(void)
{
	static const char ebs[] =
		"{'name':'v','awsElasticBlockStore':{'volumeID':'aws://z/vol-1'}}";
	add_pod("p", "", ebs);
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	add_csi_node("n1", "", LIMIT("ebs.csi.aws.com", 1));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	add_pod("r", "n1", "{'name':'w','awsElasticBlockStore':{'volumeID':'vol-2'}}");
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, TOO_MANY, decide());
	picture_remove(KUBE_POD, "default", "r");
	add_pod("r", "n1", "{'name':'w','awsElasticBlockStore':{'volumeID':'aws:///vol-1'}}");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	picture_remove(KUBE_POD, "default", "r");
	/* Another way to the same disk: a volume made for the driver. */
	add_csi_claim("a", "ebs.csi.aws.com", "vol-1");
	add_pod("r", "n1", CLAIM("a"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
}

static void test_volume_in_line_with_a_bad_name(void)
{
	static const char bad[] = "{'name':'v','awsElasticBlockStore':{'volumeID':'aws://z/disk'}}";
	static const char words[] =
		"converting volume(v) from inline to csi: failed to translate Kubernetes ID to EBS "
		"Volume ID Invalid format for AWS volume (aws://z/disk)";
	add_pod("p", "", bad);
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	add_csi_node("n1", "", "");
	ASSERT_FAILS(words, decide());
	/* On the node it fails every pod that has volumes, though not of that driver. */
	picture_remove(KUBE_CSI_NODE, "", "n1");
	picture_remove(KUBE_POD, "default", "p");
	add_csi_claim("a", "other.example.com", "handle-a");
	add_pod("p", "", CLAIM("a"));
	add_pod("r", "n1", bad);
	add_csi_node("n1", "", LIMIT(D, 100));
	ASSERT_FAILS(words, decide());
}

static void test_pod_on_the_node_fails(void)
{
	add_csi_claim("a", D, "handle-a");
	add_pod("p", "", CLAIM("a"));
	add_pod("r", "n1", EPHEMERAL("v"));
	add_claim("r-v", "", "");
	add_csi_node("n1", "", "");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	picture_remove(KUBE_CSI_NODE, "", "n1");
	add_csi_node("n1", "", LIMIT("other.example.com", 100));
	ASSERT_FAILS(
		"PVC default/r-v was not created for pod default/r (pod is not owner)", decide());
	add_node("n2", "");
	add_csi_node("n2", "", LIMIT(D, 1));
	prefilter();
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n2"));
}

static void test_volumes_of_types_taken_over(void)
{
	add_bound_claim("a", "gce-a");
	picture_add("{'kind':'PersistentVolume','metadata':{'name':'gce-a','labels':"
		    "{'topology.kubernetes.io/zone':'europe-west1-b'}},"
		    "'spec':{'gcePersistentDisk':{'pdName':'disk'}}}");
	add_bound_claim("b", "gce-b");
	picture_add("{'kind':'PersistentVolume','metadata':{'name':'gce-b'},"
		    "'spec':{'gcePersistentDisk':{'pdName':'disk'}}}");
	add_bound_claim("f", "file");
	add_volume("file", "", "'azureFile':{'shareName':'s'},");
	add_bound_claim("l", "local");
	add_volume("local", "", "'local':{'path':'/x'},");
	add_bound_claim("e", "empty");
	add_volume("empty", "", "'cinder':{'volumeID':''},");
	add_pod("p", "", CLAIM("a") "," CLAIM("f") "," CLAIM("l") "," CLAIM("e"));
	add_pod("r", "n1", CLAIM("b"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
	add_csi_node("n1", "",
		LIMIT("pd.csi.storage.gke.io", 1) "," LIMIT("file.csi.azure.com", 0) "," LIMIT(
			"cinder.csi.openstack.org", 0));
	/* Without its zone it is another disk. */
	ASSERT_SAYS(PLUGIN_UNSCHEDULABLE, TOO_MANY, decide());
	add_csi_claim("c", "pd.csi.storage.gke.io",
		"projects/UNSPECIFIED/zones/europe-west1-b/disks/disk");
	picture_remove(KUBE_POD, "default", "r");
	add_pod("r", "n1", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", decide());
}

/* What is remembered and what is looked up again must agree: many pods, few volumes. */
static void test_many(void)
{
	add_class("wait", D, WAIT);
	for (int i = 0; i < 40; i++) {
		char name[16], handle[16], volumes[128];
		snprintf(name, sizeof(name), "c%d", i);
		snprintf(handle, sizeof(handle), "h%d", i / 2);
		add_csi_claim(name, D, handle);
		snprintf(volumes, sizeof(volumes),
			"{'name':'v','persistentVolumeClaim':{'claimName':'%s'}}", name);
		snprintf(name, sizeof(name), "r%d", i);
		add_pod(name, "n1", volumes);
		snprintf(name, sizeof(name), "a%d", i);
		snprintf(handle, sizeof(handle), "pv-c%d", i);
		add_attachment(name, "n1", D, handle);
	}
	add_claim("x", "", "'storageClassName':'wait',");
	add_pod("p", "", CLAIM("x"));
	decide_with_limit(20, PLUGIN_UNSCHEDULABLE);
	decide_with_limit(21, PLUGIN_SUCCESS);
	decide_with_limit(1000, PLUGIN_SUCCESS);
}

static void test_little_scratch(void)
{
	add_csi_node("n1", "", LIMIT("ebs.csi.aws.com", 1));
	add_csi_claim("b", "ebs.csi.aws.com", "vol-2");
	add_pod("p", "", "{'name':'v','awsElasticBlockStore':{'volumeID':'vol-1'}}");
	add_pod("r", "n1", CLAIM("b"));
	add_attachment("1", "n1", D, "pv-b");
	try_all_scratches(
		plugin_node_volume_limits.pre_filter, plugin_node_volume_limits.filter, "p", "n1");
}

/* VolumeLimitScaling */
static void test_a_driver_that_wants_to_be_there_first(void)
{
	static const struct {
		const char *spec;    /* of the CSIDriver */
		const char *drivers; /* of the node; NULL: no CSINode */
		const char *says;
	} rows[] = {
		{"'preventPodSchedulingIfMissing':true", NULL, "missing"},
		{"'preventPodSchedulingIfMissing':true", "", "missing"},
		{"'preventPodSchedulingIfMissing':true", LIMIT("other", 9), "missing"},
		{"'preventPodSchedulingIfMissing':true", "{'name':'" D "','nodeID':'n'}", ""},
		{"'preventPodSchedulingIfMissing':true", LIMIT(D, 1), ""},
		{"'preventPodSchedulingIfMissing':false", NULL, ""},
		{"'storageCapacity':true", "", ""},
	};
	for (uint32_t i = 0; i < 2 * ARRAY_COUNT(rows); i++) {
		bool is_on = i >= ARRAY_COUNT(rows);
		uint32_t row = i % ARRAY_COUNT(rows);
		tearDown();
		setUp();
		if (is_on)
			picture_release(KUBE_1_37);
		picture_addf("{'kind':'CSIDriver','metadata':{'name':'" D "'},'spec':{%s}}",
			rows[row].spec);
		if (rows[row].drivers != NULL)
			add_csi_node("n1", "", rows[row].drivers);
		add_csi_claim("c", D, "1");
		add_pod("p", "", CLAIM("c"));
		bool is_missing = is_on && rows[row].says[0] != '\0';
		ASSERT_SAYS(is_missing ? PLUGIN_UNSCHEDULABLE : PLUGIN_SUCCESS,
			is_missing ? D " CSI driver is not installed on the node" : "", decide());
	}
}

/* An attachment, a limit, or a driver that nobody would look for while no claim needs it. */
static void test_kinds_of_a_disk_in_the_pods_own_words(void)
{
	static const uint32_t needed = PLUGIN_KIND(KUBE_CSI_NODE) | PLUGIN_KIND(KUBE_CSI_DRIVER) |
		PLUGIN_KIND(KUBE_VOLUME_ATTACHMENT) | PLUGIN_KIND(KUBE_PV);
	static const struct {
		const char *volume;
		uint32_t kinds;
	} rows[] = {
		{"{'name':'v','awsElasticBlockStore':{'volumeID':'v'}}", needed},
		{"{'name':'v','gcePersistentDisk':{'pdName':'v'}}", needed},
		{"{'name':'v','emptyDir':{}}", 0},
		{"{'name':'v','rbd':{'image':'i'}}", 0},
		{"{'name':'v','awsElasticBlockStore':{'volumeID':'v'}}," CLAIM("c"),
			needed | PLUGIN_KIND(KUBE_PVC) | PLUGIN_KIND(KUBE_STORAGE_CLASS) |
				PLUGIN_KIND(KUBE_CSI_CAPACITY)},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		add_pod("p", "", rows[i].volume);
		const struct plugin_demand demand = {.cache = &picture.cache,
			.class = picture_decide("default", "p")->pod.class};
		TEST_ASSERT_EQUAL_HEX32_MESSAGE(
			rows[i].kinds, volume_kinds(&demand), rows[i].volume);
		picture_remove(KUBE_POD, "default", "p");
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nothing_to_count_skips);
	RUN_TEST(test_taken_over_types_do_not_skip);
	RUN_TEST(test_missing_claim);
	RUN_TEST(test_missing_ephemeral_claim);
	RUN_TEST(test_claim_without_name);
	RUN_TEST(test_ephemeral_claim_of_somebody_else);
	RUN_TEST(test_ephemeral_claim_by_uuid);
	RUN_TEST(test_limit);
	RUN_TEST(test_pods_in_thought);
	RUN_TEST(test_several_drivers);
	RUN_TEST(test_claims_not_bound_yet);
	RUN_TEST(test_class_of_a_type_taken_over);
	RUN_TEST(test_attachments);
	RUN_TEST(test_volumes_in_line);
	RUN_TEST(test_volume_in_line_with_a_bad_name);
	RUN_TEST(test_pod_on_the_node_fails);
	RUN_TEST(test_volumes_of_types_taken_over);
	RUN_TEST(test_many);
	RUN_TEST(test_a_driver_that_wants_to_be_there_first);
	RUN_TEST(test_kinds_of_a_disk_in_the_pods_own_words);
	RUN_TEST(test_little_scratch);
	return UNITY_END();
}
