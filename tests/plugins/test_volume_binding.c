/* SPDX-License-Identifier: GPL-2.0-only */
/* VolumeBinding: what a pod's claims are bound to, or could be bound to, on which node. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
#include "plugins/volumes.h"

/* What filter says. */
#define NO_PV "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
/* And the shorter ones; parts of specs. */
#define OFF_NODE             "node(s) didn't match PersistentVolume's node affinity"
#define NO_VOLUME            "node(s) didn't find available persistent volumes to bind"
#define NO_SPACE             "node(s) did not have enough free storage"
#define LOCAL                "'storageClassName':'local',"
#define DYNAMIC              "'storageClassName':'dynamic',"
#define SIZE(size)           "'capacity':{'storage':'" size "'},"
#define WANTS(size)          "'resources':{'requests':{'storage':'" size "'}},"
#define RWO                  "'accessModes':['ReadWriteOnce'],"
#define CLAIM_REF(name, uid) "'claimRef':{'namespace':'default','name':'" name "'" uid "},"

void setUp(void)
{
	picture_start();
	add_node("n1", "'kubernetes.io/hostname':'n1','zone':'a'");
	add_node("n2", "'kubernetes.io/hostname':'n2','zone':'b'");
	add_class("local", "kubernetes.io/no-provisioner", WAIT);
	add_class("dynamic", "csi.example.com", WAIT);
}

void tearDown(void)
{
	picture_end();
}

static enum plugin_code prefilter(void)
{
	return plugin_volume_binding.pre_filter(picture_decide("default", "p"), picture_why());
}

static enum plugin_code filter(const char *node)
{
	return plugin_volume_binding.filter(&picture.decision, picture_view(node), picture_why());
}

/* "claim=volume claim=+ ..." for a node; + is a claim to provision. */
static const char *choice(const char *node)
{
	static char words[512];
	const struct volume_choice *list;
	uint32_t count;
	enum plugin_code code =
		volume_binding_choice(&picture.decision, picture_node(node), &list, &count);
	if (code != PLUGIN_SUCCESS)
		return "none";
	words[0] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		const struct cache *cache = &picture.cache;
		const struct cache_object *claim = pool_at(&cache->objects, list[i].claim);
		struct text pv = TEXT("+");
		if (list[i].pv != 0) {
			const struct cache_object *object = pool_at(&cache->objects, list[i].pv);
			pv = cache_text(cache, object->name);
		}
		size_t used = strlen(words);
		snprintf(words + used, sizeof(words) - used, "%s%.*s=%.*s", i == 0 ? "" : " ",
			TEXT_ARGS(cache_text(cache, claim->name)), TEXT_ARGS(pv));
	}
	return words;
}

/* ---- prefilter ---- */

static void test_no_claims_skip(void)
{
	add_pod("p", "", "{'name':'v','iscsi':{'iqn':'i'}}");
	ASSERT_SAYS(PLUGIN_SKIP, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("", choice("n1"));
}

struct refusal {
	const char *volumes;
	const char *words;
};

static void test_claims_with_which_no_node_will_do(void)
{
	static const struct refusal rows[] = {
		{CLAIM("gone"), "persistentvolumeclaim \"gone\" not found"},
		{EPHEMERAL("e"),
			"waiting for ephemeral volume controller to create the "
			"persistentvolumeclaim \"p-e\""},
		{CLAIM("lost"),
			"persistentvolumeclaim \"lost\" bound to non-existent persistentvolume "
			"\"v\""},
		{CLAIM("leaving"), "persistentvolumeclaim \"leaving\" is being deleted"},
		{EPHEMERAL("other"),
			"PVC default/p-other was not created for pod default/p (pod is not owner)"},
		{CLAIM("no-class"), "pod has unbound immediate PersistentVolumeClaims"},
		{CLAIM("gone-class"), "pod has unbound immediate PersistentVolumeClaims"},
		{CLAIM("now"), "pod has unbound immediate PersistentVolumeClaims"},
		{CLAIM("prebound"), "pod has unbound immediate PersistentVolumeClaims"},
		/* The first refusal counts, and comes before everything else. */
		{CLAIM("now") "," CLAIM("leaving") "," CLAIM("gone"),
			"persistentvolumeclaim \"leaving\" is being deleted"},
		{CLAIM("modeless") "," CLAIM("gone"), "persistentvolumeclaim \"gone\" not found"},
	};
	add_class("now", "x", IMMEDIATE);
	add_class("modeless", "x", "");
	picture_add("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default',"
		    "'name':'lost'},'spec':{'volumeName':'v'},'status':{'phase':'Lost'}}");
	add_claim("leaving", "'deletionTimestamp':'2026-11-18T08:00:00Z',", DYNAMIC);
	add_claim("p-other", "'ownerReferences':[{'kind':'Pod','name':'p','uid':'p'}],", DYNAMIC);
	add_claim("no-class", "", "");
	add_claim("gone-class", "", "'storageClassName':'gone-class',");
	add_claim("now", "", "'storageClassName':'now',");
	add_claim("modeless", "", "'storageClassName':'modeless',");
	add_claim("prebound", "", DYNAMIC "'volumeName':'v',");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		add_pod("p", "", rows[i].volumes);
		ASSERT_SAYS(PLUGIN_UNRESOLVABLE, rows[i].words, prefilter());
		picture_remove(KUBE_POD, "default", "p");
	}
	add_pod("p", "", CLAIM("now") "," CLAIM("modeless"));
	ASSERT_FAILS("VolumeBindingMode not set for StorageClass \"modeless\"", prefilter());
}

static void test_beta_annotation_names_the_class(void)
{
	add_claim("c", "'annotations':{'volume.beta.kubernetes.io/storage-class':'dynamic'},",
		"'storageClassName':'gone',");
	add_pod("p", "", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("c=+", choice("n1"));
}

static void test_own_ephemeral_claim(void)
{
	add_claim("p-e",
		"'ownerReferences':[{'controller':true,'kind':'Pod','name':'p',"
		"'uid':'p'}],",
		DYNAMIC);
	add_pod("p", "", EPHEMERAL("e"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("p-e=+", choice("n2"));
}

/* ---- bound claims ---- */

static void test_bound_volume_on_its_node(void)
{
	add_bound_claim("c", "v");
	add_volume("v", "", ON_NODES("'n1'"));
	add_pod("p", "", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n1"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, OFF_NODE, filter("n2"));
	TEST_ASSERT_EQUAL(PLUGIN_UNRESOLVABLE,
		plugin_volume_binding.filter(&picture.decision, picture_view("n2"), NULL));
	TEST_ASSERT_EQUAL_STRING("", choice("n1"));
	TEST_ASSERT_EQUAL_STRING("none", choice("n2"));
}

struct affinity {
	const char *spec;
	bool n1;
};

static void test_node_affinity_of_volumes(void)
{
	static const struct affinity rows[] = {
		{"", true},
		{"'nodeAffinity':{},", true},
		{AFFINITY(""), false},
		{AFFINITY("{}"), false},
		{AFFINITY("{},{'matchExpressions':[" LABEL_IN("zone", "'a'") "]}"), true},
		{AFFINITY("{'matchExpressions':[" LABEL_IN("zone", "'b'") "]}"), false},
		{AFFINITY("{'matchExpressions':[{'key':'zone','operator':'Exists'}]}"), true},
		/* The node has no name here, as with upstream. */
		{AFFINITY("{'matchFields':[" LABEL_IN("metadata.name", "'n1'") "]}"), false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		add_bound_claim("c", "v");
		add_volume("v", "", rows[i].spec);
		add_pod("p", "", CLAIM("c"));
		ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
		enum plugin_code code = filter("n1");
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].n1 ? PLUGIN_SUCCESS : PLUGIN_UNRESOLVABLE, code, rows[i].spec);
	}
}

static void test_bound_to_a_missing_volume(void)
{
	add_bound_claim("c", "gone");
	add_bound_claim("d", "v");
	add_volume("v", "", ON_NODES("'n1'"));
	add_pod("p", "", CLAIM("c") "," CLAIM("d"));
	add_pod("q", "", CLAIM("d") "," CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_PV, filter("n2"));
	/* The first claim that does not fit ends it. */
	struct cycle_state *d = picture_decide("default", "q");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, plugin_volume_binding.pre_filter(d, NULL));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, OFF_NODE, filter("n2"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_PV, filter("n1"));
}

static void test_both_parts_are_said(void)
{
	add_bound_claim("c", "v");
	add_volume("v", "", ON_NODES("'n1'"));
	add_claim("d", "", LOCAL);
	add_bound_claim("e", "gone");
	add_pod("p", "", CLAIM("c") "," CLAIM("d"));
	add_pod("q", "", CLAIM("e") "," CLAIM("d"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, OFF_NODE ", " NO_VOLUME, filter("n2"));
	struct cycle_state *d = picture_decide("default", "q");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, plugin_volume_binding.pre_filter(d, NULL));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_VOLUME ", " NO_PV, filter("n2"));
}

static void test_volume_of_a_type_taken_over(void)
{
	add_node("n3", "'topology.ebs.csi.aws.com/zone':'z'");
	add_node("n4", "'topology.kubernetes.io/zone':'z'");
	add_bound_claim("c", "v");
	add_volume("v", "",
		"'awsElasticBlockStore':{'volumeID':'vol-1'}," AFFINITY(
			"{'matchExpressions':[" LABEL_IN(
				"topology.kubernetes.io/zone", "'z'") "]}"));
	add_pod("p", "", CLAIM("c"));
	add_csi_node("n3", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs", "");
	add_csi_node("n4", "kubernetes.io/gce-pd", "");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n3"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n4"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, OFF_NODE, filter("n1"));
	picture_remove(KUBE_CSI_NODE, "", "n3");
	picture_remove(KUBE_CSI_NODE, "", "n4");
	add_csi_node("n4", "kubernetes.io/aws-ebs", "");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, OFF_NODE, filter("n3"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, OFF_NODE, filter("n4"));
}

static void test_volume_that_cannot_be_translated(void)
{
	add_bound_claim("c", "v");
	add_volume("v", "", "'awsElasticBlockStore':{'volumeID':'aws://z/disk'},");
	add_pod("p", "", CLAIM("c"));
	add_csi_node("n1", "kubernetes.io/aws-ebs", "");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n2"));
	ASSERT_FAILS("could not translate pv: failed to translate Kubernetes ID to EBS Volume ID "
		     "Invalid format for AWS volume (aws://z/disk)",
		filter("n1"));
}

/* ---- claims to be matched ---- */

struct match {
	const char *claim;    /* spec */
	const char *metadata; /* of the volume */
	const char *volume;   /* spec */
	bool matches;
};

static void test_one_claim_and_one_volume(void)
{
	static const struct match rows[] = {
		{RWO, "", LOCAL, true},
		{RWO WANTS("5Gi"), "", LOCAL SIZE("5Gi"), true},
		{RWO WANTS("5Gi"), "", LOCAL SIZE("6Gi"), true},
		{RWO WANTS("5Gi"), "", LOCAL SIZE("5368709119"), false},
		{RWO, "", "", false},
		{RWO, "", DYNAMIC, false},
		{RWO, "'annotations':{'volume.beta.kubernetes.io/storage-class':'local'},", DYNAMIC,
			true},
		{RWO, "", LOCAL "'volumeMode':'Filesystem',", true},
		{RWO, "", LOCAL "'volumeMode':'Block',", false},
		{RWO, "", LOCAL "'volumeAttributesClassName':'gold',", false},
		{RWO "'volumeAttributesClassName':'gold',", "", LOCAL, false},
		{RWO "'volumeAttributesClassName':'gold',", "",
			LOCAL "'volumeAttributesClassName':'gold',", true},
		{RWO, "'deletionTimestamp':'2026-11-18T08:00:00Z',", LOCAL, false},
		{"'accessModes':['ReadWriteMany'],", "", LOCAL, false},
		{"'accessModes':['ReadWriteOnce','ReadWriteMany'],", "", LOCAL, false},
		{"", "", LOCAL, true},
		{RWO, "", LOCAL ON_NODES("'n1'"), true},
		{RWO, "", LOCAL ON_NODES("'n2'"), false},
		{RWO, "", LOCAL ON_NODES("'n1','n2'"), true},
		{RWO, "", LOCAL AFFINITY(""), false},
		{RWO "'selector':{'matchLabels':{'disk':'ssd'}},", "'labels':{'disk':'ssd'},",
			LOCAL, true},
		{RWO "'selector':{'matchLabels':{'disk':'ssd'}},", "'labels':{'disk':'hdd'},",
			LOCAL, false},
		{RWO "'selector':{},", "", LOCAL, true},
		{RWO "'selector':{'matchExpressions':[{'key':'disk','operator':'DoesNotExist'}]},",
			"", LOCAL, true},
		{RWO, "", LOCAL CLAIM_REF("other", ""), false},
		{RWO, "", LOCAL "'claimRef':{'namespace':'other','name':'c'},", false},
		{RWO, "", LOCAL CLAIM_REF("c", ""), true},
		{RWO, "", LOCAL CLAIM_REF("c", ",'uid':'uid-c'"), true},
		{RWO, "", LOCAL CLAIM_REF("c", ",'uid':'another'"), false},
		/* What names the claim is not asked for modes and labels, but for the rest. */
		{"'accessModes':['ReadWriteMany'],'selector':{'matchLabels':{'a':'b'}},", "",
			LOCAL CLAIM_REF("c", ""), true},
		{RWO WANTS("5Gi"), "", LOCAL SIZE("1Gi") CLAIM_REF("c", ""), false},
		{RWO, "", LOCAL CLAIM_REF("c", "") "'volumeMode':'Block',", false},
		{RWO, "", LOCAL CLAIM_REF("c", "") ON_NODES("'n2'"), false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char spec[256];
		tearDown();
		setUp();
		snprintf(spec, sizeof(spec), LOCAL "%s", rows[i].claim);
		add_claim("c", "", spec);
		add_volume("v", rows[i].metadata, rows[i].volume);
		add_pod("p", "", CLAIM("c"));
		ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
		enum plugin_code code = filter("n1");
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			rows[i].matches ? "" : NO_VOLUME, picture_reasons(), rows[i].volume);
		TEST_ASSERT_EQUAL(rows[i].matches ? PLUGIN_SUCCESS : PLUGIN_UNRESOLVABLE, code);
		TEST_ASSERT_EQUAL_STRING(rows[i].matches ? "c=v" : "none", choice("n1"));
	}
}

static void test_volumes_that_are_not_available(void)
{
	static const char *const phases[] = {"Pending", "Bound", "Released", "Failed", ""};
	add_claim("c", "", LOCAL);
	add_pod("p", "", CLAIM("c"));
	for (size_t i = 0; i < ARRAY_COUNT(phases); i++) {
		picture_addf("{'kind':'PersistentVolume','metadata':{'name':'v'},'spec':{" LOCAL
			     "'accessModes':['ReadWriteOnce']},'status':{'phase':'%s'}}",
			phases[i]);
		prefilter();
		ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_VOLUME, filter("n1"));
		picture_remove(KUBE_PV, "", "v");
		/* Of a volume that names the claim the phase is not asked for. */
		picture_addf(
			"{'kind':'PersistentVolume','metadata':{'name':'v'},'spec':{" LOCAL
				CLAIM_REF("c", "") "'accessModes':[]},'status':{'phase':'%s'}}",
			phases[i]);
		prefilter();
		TEST_ASSERT_EQUAL_STRING("c=v", choice("n1"));
		picture_remove(KUBE_PV, "", "v");
	}
}

static void test_the_smallest_then_the_first(void)
{
	add_claim("c", "", LOCAL RWO WANTS("2Gi"));
	add_volume("big", "", LOCAL SIZE("9Gi"));
	add_volume("small-z", "", LOCAL SIZE("3Gi") ON_NODES("'n1','n2'"));
	add_volume("small-a", "", LOCAL SIZE("3Gi") ON_NODES("'n1'"));
	add_volume("smaller-elsewhere", "", LOCAL SIZE("2Gi") ON_NODES("'n2'"));
	add_volume("too-small", "", LOCAL SIZE("1Gi"));
	add_pod("p", "", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("c=small-z", choice("n1"));
	TEST_ASSERT_EQUAL_STRING("c=smaller-elsewhere", choice("n2"));
}

static void test_a_volume_that_names_the_claim_wins(void)
{
	add_claim("c", "", LOCAL RWO WANTS("1Gi"));
	add_volume("small", "", LOCAL SIZE("1Gi"));
	add_volume("own", "", LOCAL SIZE("9Gi") CLAIM_REF("c", "") ON_NODES("'n1'"));
	add_volume("own-too", "", LOCAL SIZE("2Gi") CLAIM_REF("c", ""));
	add_pod("p", "", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("c=own", choice("n1"));
	/* Where it cannot go, no other volume will do. */
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_VOLUME, filter("n2"));
}

static void test_several_claims(void)
{
	add_claim("big", "", LOCAL WANTS("5Gi"));
	add_claim("small", "", LOCAL WANTS("1Gi"));
	add_claim("none", "", LOCAL);
	add_volume("v5", "", LOCAL SIZE("5Gi"));
	add_volume("v1", "", LOCAL SIZE("1Gi"));
	add_volume("v2", "", LOCAL SIZE("2Gi") ON_NODES("'n1'"));
	add_pod("p", "", CLAIM("big") "," CLAIM("small") "," CLAIM("none"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("none=v1 small=v2 big=v5", choice("n1"));
	/* Without v2 the smaller claims take what the big one needs. */
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_VOLUME, filter("n2"));
}

static void test_a_claim_named_twice_is_matched_twice(void)
{
	add_claim("c", "", LOCAL);
	add_volume("v", "", LOCAL);
	add_volume("w", "", LOCAL ON_NODES("'n1'"));
	add_pod("p", "", CLAIM("c") ",{'name':'again','persistentVolumeClaim':{'claimName':'c'}}");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("c=v c=w", choice("n1"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_VOLUME, filter("n2"));
	add_volume("own", "", LOCAL CLAIM_REF("c", ""));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("c=own c=v", choice("n1"));
}

static void test_bad_selector(void)
{
	add_claim("c", "", LOCAL "'selector':{'matchExpressions':[{'key':'x','operator':'Huh'}]},");
	add_pod("p", "", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_FAILS(
		"error creating internal label selector for claim: default/c: \"Huh\" is not a "
		"valid label selector operator",
		filter("n1"));
}

static void test_selected_node(void)
{
	add_claim("c", "'annotations':{'volume.kubernetes.io/selected-node':'n1'},", DYNAMIC);
	add_claim("d", "", DYNAMIC);
	add_volume("v", "", DYNAMIC);
	add_pod("p", "", CLAIM("d") "," CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	/* A claim that is being provisioned is not matched any more. */
	TEST_ASSERT_EQUAL_STRING("d=v c=+", choice("n1"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_VOLUME, filter("n2"));
}

/* ---- claims to be provisioned ---- */

static void test_provisioners(void)
{
	add_class("nobody", "", WAIT);
	add_claim("a", "", DYNAMIC);
	add_claim("b", "", "'storageClassName':'nobody',");
	add_volume("v", "", LOCAL);
	add_pod("p", "", CLAIM("a"));
	add_pod("q", "", CLAIM("b"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	TEST_ASSERT_EQUAL_STRING("a=+", choice("n2"));
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS,
		plugin_volume_binding.pre_filter(picture_decide("default", "q"), picture_why()));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_VOLUME, filter("n1"));
}

static void test_allowed_topologies(void)
{
	add_class("zonal", "csi.example.com",
		WAIT "'allowedTopologies':[{'matchLabelExpressions':[{'key':'zone','values':["
		     "'a','c']},{'key':'kubernetes.io/hostname','values':['n1']}]}],");
	add_class("either", "csi.example.com",
		WAIT "'allowedTopologies':[{'matchLabelExpressions':[{'key':'zone','values':["
		     "'c']}]},{},{'matchLabelExpressions':[{'key':'zone','values':['b']}]}],");
	add_class("nowhere", "csi.example.com", WAIT "'allowedTopologies':[{}],");
	add_claim("a", "", "'storageClassName':'zonal',");
	add_claim("b", "", "'storageClassName':'either',");
	add_claim("c", "", "'storageClassName':'nowhere',");
	static const char *const good[] = {"n1", "n2", NULL};
	static const char *const bad[] = {"n2", "n1", "n1"};
	for (int i = 0; i < 3; i++) {
		char name[] = "a";
		name[0] = (char)('a' + i);
		char volumes[128];
		snprintf(volumes, sizeof(volumes),
			"{'name':'v','persistentVolumeClaim':{'claimName':'%s'}}", name);
		add_pod("p", "", volumes);
		ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
		if (good[i] != NULL)
			ASSERT_SAYS(PLUGIN_SUCCESS, "", filter(good[i]));
		ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_VOLUME, filter(bad[i]));
		picture_remove(KUBE_POD, "default", "p");
	}
}

static void add_capacity(const char *name, const char *topology, const char *more)
{
	picture_addf("{'kind':'CSIStorageCapacity','metadata':{'namespace':'any','name':'%s'},"
		     "'storageClassName':'dynamic',%s%s'x':0}",
		name, topology, more);
}
#define IN_ZONE(zone) "'nodeTopology':{'matchLabels':{'zone':'" zone "'}},"

static void test_capacity_that_nobody_asks_for(void)
{
	add_claim("c", "", DYNAMIC WANTS("5Gi"));
	add_claim("sizeless", "", DYNAMIC);
	add_pod("p", "", CLAIM("c"));
	/* No driver object, a driver that does not say, a claim that does not say. */
	prefilter();
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n1"));
	picture_add("{'kind':'CSIDriver','metadata':{'name':'csi.example.com'},'spec':{}}");
	prefilter();
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n1"));
	picture_remove(KUBE_CSI_DRIVER, "", "csi.example.com");
	picture_add("{'kind':'CSIDriver','metadata':{'name':'csi.example.com'},"
		    "'spec':{'storageCapacity':true}}");
	prefilter();
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_SPACE, filter("n1"));
	picture_remove(KUBE_POD, "default", "p");
	add_pod("p", "", CLAIM("sizeless"));
	prefilter();
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter("n1"));
}

struct capacity {
	const char *topology;
	const char *more;
	bool fits;
};

static void test_capacity(void)
{
	static const struct capacity rows[] = {
		{IN_ZONE("a"), "'capacity':'5Gi',", true},
		{IN_ZONE("a"), "'capacity':'4Gi',", false},
		{IN_ZONE("b"), "'capacity':'5Gi',", false},
		{"'nodeTopology':{},", "'capacity':'5Gi',", true},
		{"", "'capacity':'5Gi',", false},
		{"'nodeTopology':{'matchExpressions':[{'key':'zone','operator':'Huh'}]},",
			"'capacity':'5Gi',", false},
		{"'nodeTopology':{'matchExpressions':[{'key':'zone','operator':'NotIn','values':["
		 "'b']}]},",
			"'capacity':'5Gi',", true},
		{IN_ZONE("a"), "", false},
		{IN_ZONE("a"), "'capacity':'1Gi','maximumVolumeSize':'5Gi',", true},
		{IN_ZONE("a"), "'capacity':'9Gi','maximumVolumeSize':'4Gi',", false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'CSIDriver','metadata':{'name':'csi.example.com'},"
			    "'spec':{'storageCapacity':true}}");
		add_claim("c", "", DYNAMIC WANTS("5Gi"));
		add_pod("p", "", CLAIM("c"));
		picture_add("{'kind':'CSIStorageCapacity','metadata':{'namespace':'any',"
			    "'name':'other'},'storageClassName':'local','capacity':'99Gi',"
			    "'nodeTopology':{}}");
		add_capacity("k", rows[i].topology, rows[i].more);
		ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
		enum plugin_code code = filter("n1");
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			rows[i].fits ? "" : NO_SPACE, picture_reasons(), rows[i].topology);
		TEST_ASSERT_EQUAL(rows[i].fits ? PLUGIN_SUCCESS : PLUGIN_UNRESOLVABLE, code);
	}
}

static void use_shape(const struct plugin_shape *shape)
{
	picture_release(KUBE_1_37);
	plugin_args_place(&picture.profile);
	PLUGIN_ARGS_OF(&picture.profile, VOLUME_BINDING, volume_binding_args)->shape = *shape;
}

static const struct plugin_shape less_is_more = {.points = {{0, 10}, {100, 0}}, .count = 2};

static int64_t score_of(const char *node)
{
	prefilter();
	if (plugin_volume_binding.pre_score(&picture.decision) != PLUGIN_SUCCESS)
		return -1;
	return plugin_volume_binding.score(&picture.decision, picture_node(node));
}

static void test_without_its_feature_or_delayed_claims_nothing_is_scored(void)
{
	add_claim("c", "", DYNAMIC);
	add_bound_claim("b", "v");
	add_volume("v", "", LOCAL);
	add_pod("p", "", CLAIM("c"));
	TEST_ASSERT_EQUAL_INT64(-1, score_of("n1"));
	use_shape(&less_is_more);
	TEST_ASSERT_EQUAL_INT64(0, score_of("n1"));
	picture_remove(KUBE_POD, "default", "p");
	add_pod("p", "", CLAIM("b"));
	TEST_ASSERT_EQUAL_INT64(-1, score_of("n1"));
	picture_remove(KUBE_POD, "default", "p");
	add_pod("p", "", "{'name':'v','emptyDir':{}}");
	TEST_ASSERT_EQUAL_INT64(-1, score_of("n1"));
}

static void test_a_volume_that_hardly_fits_scores_less_than_a_large_one(void)
{
	static const struct plugin_shape bent = {
		.points = {{10, 0}, {60, 10}, {80, 4}}, .count = 3};
	use_shape(&less_is_more);
	add_claim("c", "", LOCAL RWO WANTS("5Gi"));
	add_volume("one", "", LOCAL SIZE("10Gi") ON_NODES("'n1'"));
	add_volume("two", "", LOCAL SIZE("5Gi") ON_NODES("'n2'"));
	add_pod("p", "", CLAIM("c"));
	TEST_ASSERT_EQUAL_INT64(50, score_of("n1"));
	TEST_ASSERT_EQUAL_INT64(0, score_of("n2"));
	use_shape(&bent);
	TEST_ASSERT_EQUAL_INT64(80, score_of("n1"));
	TEST_ASSERT_EQUAL_INT64(40, score_of("n2"));
}

/* Claims of a class share what is free; classes count the same; what is there goes before. */
static void test_free_capacity_is_scored_by_class(void)
{
	use_shape(&less_is_more);
	picture_add("{'kind':'CSIDriver','metadata':{'name':'csi.example.com'},"
		    "'spec':{'storageCapacity':true}}");
	add_capacity("a", IN_ZONE("a"), "'capacity':'100Gi',");
	add_capacity("b", IN_ZONE("b"), "'capacity':'20Gi',");
	add_claim("c", "", DYNAMIC WANTS("5Gi"));
	add_claim("d", "", DYNAMIC WANTS("15Gi"));
	add_pod("p", "", CLAIM("c") "," CLAIM("d"));
	TEST_ASSERT_EQUAL_INT64(80, score_of("n1"));
	TEST_ASSERT_EQUAL_INT64(0, score_of("n2"));
	add_claim("e", "", LOCAL RWO WANTS("5Gi"));
	add_volume("one", "", LOCAL SIZE("7Gi") ON_NODES("'n1'"));
	picture_remove(KUBE_POD, "default", "p");
	add_pod("p", "", CLAIM("c") "," CLAIM("e"));
	TEST_ASSERT_EQUAL_INT64(29, score_of("n1"));
}

/* More than there is, or nothing said about it: full. */
static void test_capacity_that_is_not_known_is_full(void)
{
	use_shape(&less_is_more);
	picture_add("{'kind':'CSIDriver','metadata':{'name':'csi.example.com'},"
		    "'spec':{'storageCapacity':true}}");
	add_capacity("a", IN_ZONE("a"), "'maximumVolumeSize':'100Gi',");
	add_claim("c", "", DYNAMIC WANTS("5Gi"));
	add_pod("p", "", CLAIM("c"));
	TEST_ASSERT_EQUAL_INT64(0, score_of("n1"));
}

static void test_little_scratch(void)
{
	picture_add("{'kind':'CSIDriver','metadata':{'name':'csi.example.com'},"
		    "'spec':{'storageCapacity':true}}");
	add_csi_node("n1", "kubernetes.io/gce-pd", "");
	add_capacity("k", IN_ZONE("a"), "'capacity':'5Gi',");
	add_bound_claim("b", "gce");
	add_volume("gce", "'labels':{'topology.kubernetes.io/zone':'z'},",
		"'gcePersistentDisk':{'pdName':'d'}," ON_NODES("'n1'"));
	add_claim("c", "", DYNAMIC WANTS("5Gi") "'selector':{'matchLabels':{'a':'b'}},");
	add_volume("v", "'labels':{'x':'y'},", DYNAMIC SIZE("5Gi"));
	add_pod("p", "", CLAIM("b") "," CLAIM("c"));
	try_all_scratches(
		plugin_volume_binding.pre_filter, plugin_volume_binding.filter, "p", "n1");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_no_claims_skip);
	RUN_TEST(test_claims_with_which_no_node_will_do);
	RUN_TEST(test_beta_annotation_names_the_class);
	RUN_TEST(test_own_ephemeral_claim);
	RUN_TEST(test_bound_volume_on_its_node);
	RUN_TEST(test_node_affinity_of_volumes);
	RUN_TEST(test_bound_to_a_missing_volume);
	RUN_TEST(test_both_parts_are_said);
	RUN_TEST(test_volume_of_a_type_taken_over);
	RUN_TEST(test_volume_that_cannot_be_translated);
	RUN_TEST(test_one_claim_and_one_volume);
	RUN_TEST(test_volumes_that_are_not_available);
	RUN_TEST(test_the_smallest_then_the_first);
	RUN_TEST(test_a_volume_that_names_the_claim_wins);
	RUN_TEST(test_several_claims);
	RUN_TEST(test_a_claim_named_twice_is_matched_twice);
	RUN_TEST(test_bad_selector);
	RUN_TEST(test_selected_node);
	RUN_TEST(test_provisioners);
	RUN_TEST(test_allowed_topologies);
	RUN_TEST(test_capacity_that_nobody_asks_for);
	RUN_TEST(test_capacity);
	RUN_TEST(test_without_its_feature_or_delayed_claims_nothing_is_scored);
	RUN_TEST(test_a_volume_that_hardly_fits_scores_less_than_a_large_one);
	RUN_TEST(test_free_capacity_is_scored_by_class);
	RUN_TEST(test_capacity_that_is_not_known_is_full);
	RUN_TEST(test_little_scratch);
	return UNITY_END();
}
