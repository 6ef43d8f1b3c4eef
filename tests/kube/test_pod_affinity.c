/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Affinity of pods: to nodes, to other pods, and what is said when a term does not parse.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

#include "kube/full_objects.h"

static struct kube_pod pod;

void setUp(void)
{
	fixture_start();
	memset(&pod, 0, sizeof(pod));
}

static void drop(void)
{
	kube_blob_drop(&pod.class->blob, &fixture.strings);
	kube_blob_drop(&pod.labels->blob, &fixture.strings);
	pod.class = NULL;
}

void tearDown(void)
{
	if (pod.class != NULL)
		drop();
	fixture_end();
}

static void decode(const char *json)
{
	struct json_value v = fixture_json(json, kube_pod_want);
	TEST_ASSERT_EQUAL_MESSAGE(KUBE_OK, kube_pod_decode(&fixture.b, v, &pod),
		fixture.b.fault_field == NULL ? json : fixture.b.fault_field);
}

static void decode_affinity(const char *affinity)
{
	static char json[1 << 15];
	snprintf(json, sizeof(json),
		"{\"metadata\":{\"name\":\"x\",\"namespace\":\"own\"},\"spec\":{\"affinity\":%s}}",
		affinity);
	decode(json);
}

#define REQUIRED  "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static void check_term(const struct kube_pod_term *term, int32_t weight)
{
	fixture_is("zone", term->topology_key);
	TEST_ASSERT_EQUAL(weight, term->weight);
	TEST_ASSERT_EQUAL(2, term->namespaces.count);
	const uint32_t *namespaces = KUBE_AT(pod.class, term->namespaces, uint32_t);
	TEST_ASSERT_TRUE(namespaces[0] < namespaces[1]);
	TEST_ASSERT_TRUE(
		namespaces[0] == fixture_id("ns-a") || namespaces[0] == fixture_id("ns-b"));
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_SET, term->namespace_selector.state);
	TEST_ASSERT_EQUAL(1, term->namespace_selector.requirements.count);
	TEST_ASSERT_TRUE(kube_selector_matches(pod.class, &term->selector, pod.labels));
}

static void test_all_lists(void)
{
	decode(full_pod);
	const struct kube_pod_template *class = pod.class;
	TEST_ASSERT_EQUAL(1, class->has_pod_affinity);
	TEST_ASSERT_EQUAL(0, class->affinity_error);
	TEST_ASSERT_EQUAL(1, class->affinity.count);
	check_term(KUBE_AT(class, class->affinity, struct kube_pod_term), 0);
	TEST_ASSERT_EQUAL(1, class->anti_affinity.count);
	check_term(KUBE_AT(class, class->anti_affinity, struct kube_pod_term), 0);
	TEST_ASSERT_EQUAL(1, class->preferred_affinity.count);
	check_term(KUBE_AT(class, class->preferred_affinity, struct kube_pod_term), 7);
	TEST_ASSERT_EQUAL(1, class->preferred_anti_affinity.count);
	check_term(KUBE_AT(class, class->preferred_anti_affinity, struct kube_pod_term), 7);

	TEST_ASSERT_EQUAL(1, class->has_required_nodes);
	TEST_ASSERT_EQUAL(2, class->required_nodes.count);
	const struct kube_node_term *nodes =
		KUBE_AT(class, class->required_nodes, struct kube_node_term);
	TEST_ASSERT_EQUAL(2, nodes[0].expressions.count);
	TEST_ASSERT_EQUAL(1, nodes[0].fields.count);
	TEST_ASSERT_EQUAL(1, nodes[1].empty);
	TEST_ASSERT_EQUAL(1, class->preferred_nodes.count);
	const struct kube_preferred_nodes *preferred =
		KUBE_AT(class, class->preferred_nodes, struct kube_preferred_nodes);
	TEST_ASSERT_EQUAL(9, preferred->weight);
	TEST_ASSERT_EQUAL(2, preferred->term.expressions.count);
	TEST_ASSERT_EQUAL(2, class->node_selector.count);
}

static void test_namespaces_of_terms(void)
{
	static const struct {
		const char *term;
		uint32_t count;
		uint32_t selector_state;
	} rows[] = {
		{"{}", 1, KUBE_SELECTOR_NONE},
		{"{\"namespaces\":[]}", 1, KUBE_SELECTOR_NONE},
		{"{\"namespaces\":null,\"namespaceSelector\":null}", 1, KUBE_SELECTOR_NONE},
		{"{\"namespaceSelector\":{}}", 0, KUBE_SELECTOR_SET},
		{"{\"namespaceSelector\":{\"matchLabels\":{\"a\":\"b\"}}}", 0, KUBE_SELECTOR_SET},
		{"{\"namespaces\":[\"a\",\"b\",\"a\"]}", 2, KUBE_SELECTOR_NONE},
		{"{\"namespaces\":[\"a\"],\"namespaceSelector\":{}}", 1, KUBE_SELECTOR_SET},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char json[512];
		snprintf(json, sizeof(json), "{\"podAffinity\":{\"" REQUIRED "\":[%s]}}",
			rows[i].term);
		decode_affinity(json);
		const struct kube_pod_term *term =
			KUBE_AT(pod.class, pod.class->affinity, struct kube_pod_term);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].count, term->namespaces.count, rows[i].term);
		TEST_ASSERT_EQUAL(rows[i].selector_state, term->namespace_selector.state);
		TEST_ASSERT_EQUAL(KUBE_SELECTOR_NONE, term->selector.state);
		if (i < 3)
			fixture_is("own", *KUBE_AT(pod.class, term->namespaces, uint32_t));
		drop();
	}
}

static void test_what_is_there_though_empty(void)
{
	decode_affinity("{\"podAffinity\":{}}");
	TEST_ASSERT_EQUAL(1, pod.class->has_pod_affinity);
	drop();
	decode_affinity("{\"podAntiAffinity\":{\"" REQUIRED "\":[]}}");
	TEST_ASSERT_EQUAL(1, pod.class->has_pod_affinity);
	drop();
	decode_affinity("{\"podAffinity\":null,\"nodeAffinity\":{\"" REQUIRED "\":null}}");
	TEST_ASSERT_EQUAL(0, pod.class->has_pod_affinity);
	TEST_ASSERT_EQUAL(0, pod.class->has_required_nodes);
	drop();
	decode_affinity("{\"nodeAffinity\":{\"" REQUIRED "\":{\"nodeSelectorTerms\":[]}}}");
	TEST_ASSERT_EQUAL(1, pod.class->has_required_nodes);
	TEST_ASSERT_EQUAL(0, pod.class->required_nodes.count);
	drop();
	decode_affinity("{\"nodeAffinity\":{\"" REQUIRED "\":{}}}");
	TEST_ASSERT_EQUAL(1, pod.class->has_required_nodes);
}

#define BAD(operator)                                                                              \
	"{\"labelSelector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"" operator"\"}]}" \
											   "}"
#define BAD_NAMESPACES \
	"{\"namespaceSelector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"n\"}]}}"

static void test_terms_that_do_not_parse(void)
{
	static const struct {
		const char *affinity;
		const char *error;
	} rows[] = {
		{"{\"podAffinity\":{\"" REQUIRED "\":[{}," BAD("x") "," BAD("y") "]}}",
			"requiredAffinityTerms: \"x\" is not a valid label selector operator"},
		{"{\"podAntiAffinity\":{\"" REQUIRED "\":[" BAD_NAMESPACES "]}}",
			"requiredAntiAffinityTerms: \"n\" is not a valid label selector operator"},
		{"{\"podAffinity\":{\"" PREFERRED
		 "\":[{\"weight\":1,\"podAffinityTerm\":" BAD("x") "}]}}",
			"preferredAffinityTerms: \"x\" is not a valid label selector operator"},
		{"{\"podAntiAffinity\":{\"" PREFERRED "\":[{\"weight\":1,\"podAffinityTerm\":" BAD(
			 "x") "}]},\"podAffinity\":{\"" REQUIRED "\":[" BAD("y") "]}}",
			"[requiredAffinityTerms: \"y\" is not a valid label selector operator, "
			"preferredAntiAffinityTerms: \"x\" is not a valid label selector "
			"operator]"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		decode_affinity(rows[i].affinity);
		fixture_is(rows[i].error, pod.class->affinity_error);
		TEST_ASSERT_EQUAL(0, pod.class->affinity.count);
		TEST_ASSERT_EQUAL(0, pod.class->anti_affinity.count);
		TEST_ASSERT_EQUAL(0, pod.class->preferred_affinity.count);
		TEST_ASSERT_EQUAL(0, pod.class->preferred_anti_affinity.count);
		drop();
	}
}

static void test_the_lists_that_did_parse_stay(void)
{
	decode_affinity("{\"podAntiAffinity\":{\"" REQUIRED "\":[" BAD(
		"x") "],\"" PREFERRED
		     "\":[{\"weight\":3,\"podAffinityTerm\":{\"topologyKey\":\"z\"}}]}}");
	TEST_ASSERT_EQUAL(0, pod.class->anti_affinity.count);
	TEST_ASSERT_EQUAL(1, pod.class->preferred_anti_affinity.count);
}

static void test_preferred_nodes_that_do_not_count(void)
{
	decode_affinity("{\"nodeAffinity\":{\"" PREFERRED "\":[{\"weight\":0,\"preference\":{"
			"\"matchExpressions\":[{\"key\":\"a b\",\"operator\":\"Exists\"}]}},"
			"{\"weight\":2,\"preference\":{}},{\"weight\":3,\"preference\":{"
			"\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"y\"}]}}]}}");
	const struct kube_preferred_nodes *terms =
		KUBE_AT(pod.class, pod.class->preferred_nodes, struct kube_preferred_nodes);
	TEST_ASSERT_EQUAL(3, pod.class->preferred_nodes.count);
	TEST_ASSERT_EQUAL(0, terms[0].term.error);
	TEST_ASSERT_EQUAL(1, terms[0].term.empty);
	TEST_ASSERT_EQUAL(1, terms[1].term.empty);
	fixture_is("[2].matchExpressions[0].operator: Unsupported value: \"y\": supported values: "
		   "\"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"",
		terms[2].term.error);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_all_lists);
	RUN_TEST(test_namespaces_of_terms);
	RUN_TEST(test_what_is_there_though_empty);
	RUN_TEST(test_terms_that_do_not_parse);
	RUN_TEST(test_the_lists_that_did_parse_stay);
	RUN_TEST(test_preferred_nodes_that_do_not_count);
	return UNITY_END();
}
