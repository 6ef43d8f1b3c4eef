/* SPDX-License-Identifier: GPL-2.0-only */
/* VolumeZone: nodes must stand where the pod's volumes are labelled to be. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
#include "plugins/volumes.h"

#define NO_ZONE     "node(s) had no available volume zone"
#define ZONE        "'topology.kubernetes.io/zone':"
#define REGION      "'topology.kubernetes.io/region':"
#define BETA_ZONE   "'failure-domain.beta.kubernetes.io/zone':"
#define BETA_REGION "'failure-domain.beta.kubernetes.io/region':"

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

static enum plugin_code prefilter(void)
{
	return plugin_volume_zone.pre_filter(picture_decide("default", "p"), picture_why());
}

static enum plugin_code filter(const char *node)
{
	return plugin_volume_zone.filter(&picture.decision, picture_view(node), picture_why());
}

struct unresolved {
	const char *volumes;
	const char *words; /* NULL: skipped */
};

static void test_what_prefilter_says(void)
{
	static const struct unresolved rows[] = {
		{"", NULL},
		{EPHEMERAL("scratch"), NULL},
		{"{'name':'v','persistentVolumeClaim':{}}", "PersistentVolumeClaim had no name"},
		{CLAIM("gone"), "persistentvolumeclaim \"gone\" not found"},
		{CLAIM("no-class"), "PersistentVolumeClaim had no pv name and storageClass name"},
		{CLAIM("gone-class"), "storageclass.storage.k8s.io \"gone-class\" not found"},
		{CLAIM("modeless"), "VolumeBindingMode not set for StorageClass \"modeless\""},
		{CLAIM("immediate"), "PersistentVolume had no name"},
		{CLAIM("wait"), NULL},
		{CLAIM("gone-volume"), "persistentvolume \"gone-volume\" not found"},
		{CLAIM("plain"), NULL},
		{CLAIM("wait") "," CLAIM("gone"), "persistentvolumeclaim \"gone\" not found"},
	};
	add_class("modeless", "x", "");
	add_class("immediate", "x", IMMEDIATE);
	add_class("wait", "x", WAIT);
	add_claim("no-class", "", "");
	add_claim("gone-class", "", "'storageClassName':'gone-class',");
	add_claim("modeless", "", "'storageClassName':'modeless',");
	add_claim("immediate", "", "'storageClassName':'immediate',");
	add_claim("wait", "", "'storageClassName':'wait',");
	add_bound_claim("gone-volume", "gone-volume");
	add_bound_claim("plain", "plain");
	add_volume("plain", "", "");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		add_pod("p", "", rows[i].volumes);
		ASSERT_SAYS(rows[i].words == NULL ? PLUGIN_SKIP : PLUGIN_UNRESOLVABLE,
			rows[i].words == NULL ? "" : rows[i].words, prefilter());
		picture_remove(KUBE_POD, "default", "p");
	}
}

struct zones {
	const char *volume; /* labels; NULL: prefilter skips */
	const char *node;
	bool met;
};

static void test_labels(void)
{
	static const struct zones rows[] = {
		{ZONE "'a'", ZONE "'a'", true},
		{ZONE "'a'", ZONE "'b'", false},
		{ZONE "'a'", "", true}, /* the node knows no zones at all */
		{ZONE "'a'", "'x':'y'", true},
		{ZONE "'a'", REGION "'r'", false},
		{ZONE "'a__b'", ZONE "'b'", true},
		{ZONE "'a__b'", ZONE "'a'", true},
		{ZONE "'a__b'", ZONE "'c'", false},
		{ZONE "'a__b'", ZONE "'a__b'", false},
		{ZONE "'nobody-has-this'", ZONE "'c'", false},
		{ZONE "'a'," REGION "'r'", ZONE "'a'," REGION "'r'", true},
		{ZONE "'a'," REGION "'r'", ZONE "'a'," REGION "'s'", false},
		{ZONE "'a'," REGION "'r'", ZONE "'a'", false},
		{BETA_ZONE "'a'", BETA_ZONE "'a'", true},
		{BETA_ZONE "'a'", ZONE "'a'", true},
		{BETA_ZONE "'a'", BETA_ZONE "'b'," ZONE "'a'", false},
		{ZONE "'a'", BETA_ZONE "'a'", false},
		{BETA_REGION "'r'", REGION "'r'", true},
		{BETA_REGION "'r'", BETA_REGION "'s'", false},
		/* What cannot be read is as if it were not there. */
		{ZONE "'a__'," REGION "'r'", ZONE "'z'," REGION "'r'", true},
		{ZONE "''," REGION "'r'", ZONE "'z'," REGION "'r'", true},
		{ZONE "'__a'," REGION "'r'", ZONE "'z'," REGION "'r'", true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		add_node("n", rows[i].node);
		add_bound_claim("c", "v");
		picture_addf("{'kind':'PersistentVolume','metadata':{'name':'v','labels':{%s}},"
			     "'spec':{}}",
			rows[i].volume);
		add_pod("p", "", CLAIM("c"));
		ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
		enum plugin_code code = filter("n");
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].met ? PLUGIN_SUCCESS : PLUGIN_UNRESOLVABLE, code, rows[i].volume);
		TEST_ASSERT_EQUAL_STRING(rows[i].met ? "" : NO_ZONE, picture_reasons());
	}
}

static void test_only_unreadable_labels_skip(void)
{
	add_bound_claim("c", "v");
	add_volume("v", "'labels':{" ZONE "'a____b'},", "");
	add_pod("p", "", CLAIM("c"));
	ASSERT_SAYS(PLUGIN_SKIP, "", prefilter());
}

static void test_two_volumes_in_two_zones(void)
{
	add_node("a", ZONE "'a'");
	add_node("b", ZONE "'b'");
	add_bound_claim("c", "v");
	add_bound_claim("d", "w");
	add_volume("v", "'labels':{" ZONE "'a'},", "");
	add_volume("w", "'labels':{" ZONE "'b'},", "");
	add_pod("p", "", CLAIM("c") "," CLAIM("d"));
	ASSERT_SAYS(PLUGIN_SUCCESS, "", prefilter());
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_ZONE, filter("a"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, NO_ZONE, filter("b"));
}

static void test_little_scratch(void)
{
	add_node("n", ZONE "'a'");
	add_bound_claim("c", "v");
	add_volume("v", "'labels':{" ZONE "'a__b'},", "");
	add_pod("p", "", CLAIM("c"));
	try_all_scratches(plugin_volume_zone.pre_filter, plugin_volume_zone.filter, "p", "n");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_prefilter_says);
	RUN_TEST(test_labels);
	RUN_TEST(test_only_unreadable_labels_skip);
	RUN_TEST(test_two_volumes_in_two_zones);
	RUN_TEST(test_little_scratch);
	return UNITY_END();
}
