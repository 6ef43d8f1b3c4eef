/* SPDX-License-Identifier: GPL-2.0-only */
/* Volume types that CSI drivers took over: what the drivers call them, and where they reach. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
#include "plugins/csi_translation.h"
#include "plugins/volume_priv.h"
#include "plugins/volumes.h"

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

static uint32_t id_of(const char *text)
{
	uint32_t id;
	TEST_ASSERT_TRUE_MESSAGE(intern_find(&picture.cache.strings, text_of(text), &id), text);
	return id;
}

static const struct kube_pv *pv_of(const char *name)
{
	return cache_object_blob(&picture.cache, KUBE_PV, 0, id_of(name));
}

struct handle {
	const char *metadata;
	const char *spec;
	const char *handle; /* NULL: cannot be translated */
	const char *fault;
};

#define VOLUME(type, key, value) "'" type "':{'" key "':'" value "'},"
#define ZONE(value)              "'labels':{'topology.kubernetes.io/zone':'" value "'},"
#define BETA_ZONE(value)         "'labels':{'failure-domain.beta.kubernetes.io/zone':'" value "'},"
/* What cannot be translated. */
#define BAD_AWS "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume"
/* Of zones there are more ways to fail. */
#define BAD_GCE "failed to get region from zones: "

static void test_handles_of_volumes(void)
{
	static const struct handle rows[] = {
		{"", VOLUME("awsElasticBlockStore", "volumeID", "vol-1"), "vol-1", NULL},
		{"", VOLUME("awsElasticBlockStore", "volumeID", "anything"), "anything", NULL},
		{"", VOLUME("awsElasticBlockStore", "volumeID", "aws://z/vol-1"), "vol-1", NULL},
		{"", VOLUME("awsElasticBlockStore", "volumeID", "aws:///vol-1"), "vol-1", NULL},
		{"", VOLUME("awsElasticBlockStore", "volumeID", "aws://z/vol-1/"), "vol-1", NULL},
		{"", VOLUME("awsElasticBlockStore", "volumeID", "aws://z/a/vol-1"), NULL,
			BAD_AWS " (aws://z/a/vol-1)"},
		{"", VOLUME("awsElasticBlockStore", "volumeID", "aws://"), NULL,
			BAD_AWS " (aws://)"},
		{"", VOLUME("gcePersistentDisk", "pdName", "d"),
			"projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d", NULL},
		{ZONE("z"), VOLUME("gcePersistentDisk", "pdName", "d"),
			"projects/UNSPECIFIED/zones/z/disks/d", NULL},
		{BETA_ZONE("y"), VOLUME("gcePersistentDisk", "pdName", "d"),
			"projects/UNSPECIFIED/zones/y/disks/d", NULL},
		{ZONE("eu-west1-a__eu-west1-b"), VOLUME("gcePersistentDisk", "pdName", "d"),
			"projects/UNSPECIFIED/regions/eu-west1/disks/d", NULL},
		{ZONE("eu-west1-a__eu-west2-b"), VOLUME("gcePersistentDisk", "pdName", "d"), NULL,
			BAD_GCE "multiple or no regions gotten from zones, got: "
				"map[eu-west1:{} eu-west2:{}]"},
		{ZONE("a__b"), VOLUME("gcePersistentDisk", "pdName", "d"), NULL,
			BAD_GCE "zone in unexpected format, expected: {locale}-{region}-{zone}, "
				"got: a"},
		{"", VOLUME("cinder", "volumeID", "c"), "c", NULL},
		{"", VOLUME("portworxVolume", "volumeID", "x"), "x", NULL},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		add_volume("v", rows[i].metadata, rows[i].spec);
		struct csi_handle handle;
		enum csi_result result =
			csi_pv_handle(&picture.cache, pv_of("v"), &picture.work, &handle);
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].handle == NULL ? CSI_FAILED : CSI_OK, result, rows[i].spec);
		if (rows[i].handle == NULL)
			TEST_ASSERT_EQUAL_STRING(rows[i].fault, handle.fault);
		else
			TEST_ASSERT_TRUE_MESSAGE(
				text_is_z(handle.text, rows[i].handle), rows[i].handle);
		picture_remove(KUBE_PV, "", "v");
	}
}

static void test_handle_that_others_use(void)
{
	add_volume("v", "", VOLUME("awsElasticBlockStore", "volumeID", "aws://z/vol-1"));
	struct csi_handle handle;
	TEST_ASSERT_EQUAL(
		CSI_OK, csi_pv_handle(&picture.cache, pv_of("v"), &picture.work, &handle));
	TEST_ASSERT_EQUAL(0, handle.id);
	add_volume("w", "", CSI("ebs.csi.aws.com", "vol-1"));
	TEST_ASSERT_EQUAL(
		CSI_OK, csi_pv_handle(&picture.cache, pv_of("v"), &picture.work, &handle));
	TEST_ASSERT_EQUAL(id_of("vol-1"), handle.id);
}

static void test_names(void)
{
	struct csi_names names;
	add_class("c", "kubernetes.io/cinder", WAIT);
	add_csi_node("n", "", LIMIT("cinder.csi.openstack.org", 3));
	csi_names_find(&picture.cache, &names);
	uint32_t id = id_of("kubernetes.io/cinder");
	TEST_ASSERT_EQUAL(KUBE_SOURCE_CINDER, csi_source_of_provisioner(&names, id));
	TEST_ASSERT_EQUAL(id_of("cinder.csi.openstack.org"), names.driver[KUBE_SOURCE_CINDER]);
	TEST_ASSERT_EQUAL(0, names.driver[KUBE_SOURCE_EBS]);
	TEST_ASSERT_EQUAL(KUBE_SOURCE_OTHER, csi_source_of_provisioner(&names, 0));
	TEST_ASSERT_EQUAL(KUBE_SOURCE_OTHER, csi_source_of_provisioner(&names, id_of("n")));
	static const bool switched[CSI_SOURCES] = {[KUBE_SOURCE_EBS] = true,
		[KUBE_SOURCE_GCE] = true,
		[KUBE_SOURCE_AZURE_DISK] = true,
		[KUBE_SOURCE_CINDER] = true,
		[KUBE_SOURCE_PORTWORX] = true};
	for (int i = 0; i < CSI_SOURCES; i++)
		TEST_ASSERT_EQUAL(switched[i], csi_is_switched((enum kube_volume_source)i));
	TEST_ASSERT_EQUAL(KUBE_SOURCE_OTHER, csi_source_of_volume(KUBE_VOLUME_RBD));
}

#define TERM(expressions) "{'matchExpressions':[" expressions "]}"
#define BY_ZONE(values)   TERM(LABEL_IN("topology.kubernetes.io/zone", values))
#define BY_BETA(values)   LABEL_IN("failure-domain.beta.kubernetes.io/zone", values)
#define NODE_ZONE         "'topology.ebs.csi.aws.com/zone':"

struct reach {
	const char *metadata;
	const char *spec; /* besides the source */
	const char *node;
	bool reaches;
};

static const struct reach reach_rows[] = {
	{"", "", "", true},
	{"", AFFINITY(BY_ZONE("'a'")), NODE_ZONE "'a'", true},
	{"", AFFINITY(BY_ZONE("'a'")), NODE_ZONE "'b'", false},
	{"", AFFINITY(BY_ZONE("'a'")), "'topology.kubernetes.io/zone':'a'", false},
	{"", AFFINITY(BY_ZONE("'a'")), NODE_ZONE "'b','topology.kubernetes.io/zone':'a'", false},
	{"", AFFINITY(BY_ZONE("'a'") "," BY_ZONE("'b'")), NODE_ZONE "'b'", true},
	{"", AFFINITY(TERM(BY_BETA("'a'"))), NODE_ZONE "'a'", true},
	{"", AFFINITY(TERM(BY_BETA("'a'"))), "'failure-domain.beta.kubernetes.io/zone':'a'", false},
	/* Beta regions become today's when zones are named the beta way. */
	{"",
		AFFINITY(TERM(BY_BETA("'a'") "," LABEL_IN(
			"failure-domain.beta.kubernetes.io/region", "'r'"))),
		NODE_ZONE "'a','topology.kubernetes.io/region':'r'", true},
	{"",
		AFFINITY(TERM(BY_BETA("'a'") "," LABEL_IN(
			"failure-domain.beta.kubernetes.io/region", "'r'"))),
		NODE_ZONE "'a','failure-domain.beta.kubernetes.io/region':'r'", false},
	/* With both, only today's zones are renamed. */
	{"", AFFINITY(BY_ZONE("'a'") "," TERM(BY_BETA("'b'"))),
		"'failure-domain.beta.kubernetes.io/zone':'b'", true},
	{"",
		AFFINITY(TERM("{'key':'topology.kubernetes.io/zone','operator':'NotIn',"
			      "'values':['a']}")),
		"", true},
	{"",
		AFFINITY(TERM("{'key':'topology.kubernetes.io/zone','operator':'NotIn',"
			      "'values':['a']}")),
		NODE_ZONE "'a'", false},
	/* Zones of the volume's labels are added to every term. */
	{ZONE("a"), "", NODE_ZONE "'a'", true},
	{ZONE("a"), "", NODE_ZONE "'b'", false},
	{ZONE("a"), "", "", false},
	{ZONE("a__ b"), "", NODE_ZONE "'b'", true},
	{ZONE(""), "", "", true},
	{BETA_ZONE("a"), "", NODE_ZONE "'a'", true},
	{ZONE("a"), AFFINITY(""), NODE_ZONE "'a'", true},
	{ZONE("a"), AFFINITY("{}"), NODE_ZONE "'a'", true},
	{ZONE("a"), AFFINITY(TERM(LABEL_IN("disk", "'ssd'"))), NODE_ZONE "'a'", false},
	{ZONE("a"), AFFINITY(TERM(LABEL_IN("disk", "'ssd'"))), NODE_ZONE "'a','disk':'ssd'", true},
	{ZONE("a"), AFFINITY(TERM(LABEL_IN("disk", "'ssd'"))), NODE_ZONE "'b','disk':'ssd'", false},
	/* Terms that name zones win over labels. */
	{ZONE("a"), AFFINITY(BY_ZONE("'b'")), NODE_ZONE "'b'", true},
	{ZONE("a"), AFFINITY(BY_ZONE("'b'")), NODE_ZONE "'a'", false},
};

static void test_where_volumes_reach(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(reach_rows); i++) {
		char spec[1024];
		tearDown();
		setUp();
		snprintf(spec, sizeof(spec), "'awsElasticBlockStore':{'volumeID':'v'},%s",
			reach_rows[i].spec);
		add_volume("v", reach_rows[i].metadata, spec);
		add_node("n", reach_rows[i].node);
		struct csi_names names;
		struct csi_affinity affinity;
		csi_names_find(&picture.cache, &names);
		csi_pv_affinity(&picture.cache, &names, pv_of("v"), &affinity);
		const struct kube_labels *labels = cache_labels_at(
			&picture.cache, cache_node_at(&picture.cache, picture_node("n"))->labels);
		bool reaches = !reach_rows[i].reaches;
		TEST_ASSERT_EQUAL(CSI_OK,
			csi_pv_reaches(&picture.cache, pv_of("v"), &affinity, labels, &picture.work,
				&reaches));
		TEST_ASSERT_EQUAL_MESSAGE(reach_rows[i].reaches, reaches, spec);
		TEST_ASSERT_EQUAL(0, picture.work.used);
	}
}

static void test_types_whose_affinity_stays(void)
{
	add_volume("v", ZONE("a"), VOLUME("azureDisk", "diskURI", "d"));
	struct csi_names names;
	struct csi_affinity affinity;
	csi_names_find(&picture.cache, &names);
	csi_pv_affinity(&picture.cache, &names, pv_of("v"), &affinity);
	TEST_ASSERT_EQUAL(0, affinity.zone_from);
	TEST_ASSERT_EQUAL(0, affinity.region_from);
	TEST_ASSERT_EQUAL(0, affinity.zones.size);
}

static void test_zones_are_cut(void)
{
	static const struct {
		const char *text;
		const char *joined;
	} rows[] = {
		{"a", "[a]"},
		{"", "[]"},
		{"a__b", "[a][b]"},
		{"__", "[][]"},
		{"a_b", "[a_b]"},
		{"a__", "[a][]"},
		{" a __b_", "[a][b_]"},
		{"a___b", "[a][_b]"},
		{"_", "[_]"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char bytes[64];
		struct writer w;
		writer_init(&w, bytes, sizeof(bytes));
		struct text rest = text_of(rows[i].text);
		for (struct text zone; volume_cut_zone(&rest, &zone);) {
			write_char(&w, '[');
			write_text(&w, zone);
			write_char(&w, ']');
		}
		TEST_ASSERT_TRUE_MESSAGE(text_is_z(writer_text(&w), rows[i].joined), rows[i].text);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_handles_of_volumes);
	RUN_TEST(test_handle_that_others_use);
	RUN_TEST(test_names);
	RUN_TEST(test_where_volumes_reach);
	RUN_TEST(test_types_whose_affinity_stays);
	RUN_TEST(test_zones_are_cut);
	return UNITY_END();
}
