/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What selects pods (services, controllers, disruption budgets), and namespaces.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/one_object.h"

static bool selects(const struct kube_selector *selector, const char *labels)
{
	struct kube_labels *set =
		kube_labels_build(&fixture.b, fixture_json(labels, NULL), "labels");
	bool result = kube_selector_matches(object.blob, selector, set);
	kube_blob_drop(&set->blob, &fixture.strings);
	return result;
}

static void test_plain_maps(void)
{
	static const enum kube_kind kinds[] = {KUBE_SERVICE, KUBE_REPLICATION_CONTROLLER};
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const struct kube_selecting *selecting = decode(kinds[i],
			META ",\"spec\":{\"selector\":{\"app\":\"web\",\"b c\":\"d e\"}}}");
		TEST_ASSERT_EQUAL(2, selecting->selector.requirements.count);
		TEST_ASSERT_TRUE(selects(
			&selecting->selector, "{\"app\":\"web\",\"b c\":\"d e\",\"x\":\"y\"}"));
		TEST_ASSERT_FALSE(selects(&selecting->selector, "{\"app\":\"web\"}"));
		selecting = decode(kinds[i], META "}");
		TEST_ASSERT_EQUAL(KUBE_SELECTOR_NONE, selecting->selector.state);
		selecting = decode(kinds[i], META ",\"spec\":{\"selector\":{}}}");
		TEST_ASSERT_EQUAL(KUBE_SELECTOR_SET, selecting->selector.state);
		TEST_ASSERT_EQUAL(0, selecting->selector.requirements.count);
	}
}

static void test_label_selectors(void)
{
	static const enum kube_kind kinds[] = {KUBE_REPLICA_SET, KUBE_STATEFUL_SET};
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const struct kube_selecting *selecting = decode_full(kinds[i]);
		TEST_ASSERT_TRUE(
			selects(&selecting->selector, "{\"app\":\"web\",\"tier\":\"back\"}"));
		TEST_ASSERT_FALSE(selects(&selecting->selector, "{\"app\":\"web\"}"));
		TEST_ASSERT_FALSE(selects(
			&selecting->selector, "{\"app\":\"web\",\"tier\":\"back\",\"x\":\"\"}"));
		selecting = decode(kinds[i],
			META ",\"spec\":{\"selector\":{\"matchLabels\":{\"a b\":"
			     "\"c\"}}}}");
		TEST_ASSERT_EQUAL(KUBE_SELECTOR_INVALID, selecting->selector.state);
	}
}

/* Decodes and drops it. */
static bool is_needless(enum kube_kind kind, const char *rest)
{
	char json[512];
	struct kube_object one;
	snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"x\"},%s}", rest);
	struct json_value v = fixture_json(json, kube_kinds[kind].want);
	TEST_ASSERT_EQUAL(KUBE_OK, kube_kinds[kind].decode(&fixture.b, v, &one));
	kube_blob_drop(one.blob, &fixture.strings);
	return one.is_needless;
}

static void test_controllers_without_pods_are_needless(void)
{
#define SELECTS "\"selector\":{\"matchLabels\":{\"a\":\"b\"}}"
	static const enum kube_kind kinds[] = {
		KUBE_REPLICA_SET, KUBE_STATEFUL_SET, KUBE_REPLICATION_CONTROLLER};
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const char *plain = kinds[i] == KUBE_REPLICATION_CONTROLLER
			? "\"spec\":{\"selector\":{\"a\":\"b\"},\"replicas\":0}"
			: "\"spec\":{" SELECTS ",\"replicas\":0}";
		char with[256];
		TEST_ASSERT_TRUE(is_needless(kinds[i], plain));
		snprintf(with, sizeof(with), "%s,\"status\":{\"replicas\":0}", plain);
		TEST_ASSERT_TRUE(is_needless(kinds[i], with));
		snprintf(with, sizeof(with), "%s,\"status\":{\"replicas\":1}", plain);
		TEST_ASSERT_FALSE(is_needless(kinds[i], with));
		TEST_ASSERT_FALSE(is_needless(kinds[i], "\"spec\":{\"replicas\":2}"));
		TEST_ASSERT_FALSE(is_needless(kinds[i], "\"spec\":{}"));
	}
}

static void test_services_that_select_nothing_are_needless(void)
{
	TEST_ASSERT_TRUE(is_needless(KUBE_SERVICE, "\"spec\":{}"));
	TEST_ASSERT_TRUE(is_needless(KUBE_SERVICE, "\"spec\":{\"selector\":{}}"));
	TEST_ASSERT_FALSE(is_needless(KUBE_SERVICE, "\"spec\":{\"selector\":{\"a\":\"b\"}}"));
}

static void test_disruption_budgets(void)
{
	const struct kube_pdb *pdb = decode_full(KUBE_PDB);
	TEST_ASSERT_EQUAL(2, pdb->disruptions_allowed);
	TEST_ASSERT_EQUAL(2, pdb->disrupted.count);
	const uint32_t *names = KUBE_AT(pdb, pdb->disrupted, uint32_t);
	TEST_ASSERT_TRUE(names[0] < names[1]);
	TEST_ASSERT_TRUE(names[0] == fixture_id("p1") || names[1] == fixture_id("p1"));
	TEST_ASSERT_TRUE(selects(&pdb->selector, "{\"app\":\"web\",\"tier\":\"front\"}"));
	pdb = decode(KUBE_PDB, META ",\"spec\":{\"selector\":{}}}");
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_SET, pdb->selector.state);
	TEST_ASSERT_EQUAL(0, pdb->selector.requirements.count);
	TEST_ASSERT_EQUAL(0, pdb->disruptions_allowed);
	pdb = decode(KUBE_PDB, META "}");
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_NONE, pdb->selector.state);
}

static void test_namespaces(void)
{
	uint32_t value;
	decode_full(KUBE_NAMESPACE);
	TEST_ASSERT_NULL(object.blob);
	TEST_ASSERT_TRUE(kube_labels_get(object.labels, fixture_id("tier"), &value));
	fixture_is("front", value);
	decode(KUBE_NAMESPACE, META "}");
	TEST_ASSERT_EQUAL(0, object.labels->pairs.count);
}

static void test_faults(void)
{
	FIXTURE_FAULTS(KUBE_SERVICE, {META ",\"spec\":{\"selector\":{\"a\":1}}}", "spec.selector"},
		{META ",\"spec\":[]}", "spec"});
	FIXTURE_FAULTS(KUBE_PDB,
		{META ",\"status\":{\"disruptionsAllowed\":4294967296}}",
			"status.disruptionsAllowed"},
		{META ",\"status\":{\"disruptedPods\":[]}}", "status.disruptedPods"});
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_plain_maps);
	RUN_TEST(test_label_selectors);
	RUN_TEST(test_controllers_without_pods_are_needless);
	RUN_TEST(test_services_that_select_nothing_are_needless);
	RUN_TEST(test_disruption_budgets);
	RUN_TEST(test_namespaces);
	RUN_TEST(test_faults);
	return UNITY_END();
}
