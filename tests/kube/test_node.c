/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nodes.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/fixture.h"

#include "kube/full_objects.h"

static struct kube_node node;

void setUp(void)
{
	fixture_start();
	memset(&node, 0, sizeof(node));
}

static void drop(struct kube_node *n)
{
	kube_blob_drop(&n->facts->blob, &fixture.strings);
	kube_blob_drop(&n->labels->blob, &fixture.strings);
	n->facts = NULL;
}

void tearDown(void)
{
	if (node.facts != NULL)
		drop(&node);
	fixture_end();
}

static void decode(struct kube_node *n, const char *json)
{
	struct json_value v = fixture_json(json, kube_node_want);
	TEST_ASSERT_EQUAL_MESSAGE(KUBE_OK, kube_node_decode(&fixture.b, v, n),
		fixture.b.fault_field == NULL ? json : fixture.b.fault_field);
}

static void test_a_full_node(void)
{
	decode(&node, full_node);
	const struct kube_node_facts *facts = node.facts;
	fixture_text_is("n", node.meta.name);
	TEST_ASSERT_EQUAL(2, node.labels->pairs.count);
	TEST_ASSERT_EQUAL(1, facts->unschedulable);
	TEST_ASSERT_EQUAL(
		KUBE_FEATURE_RESTART_ALL_CONTAINERS | KUBE_FEATURE_USER_NAMESPACES_HOST_NETWORK,
		facts->features);
	TEST_ASSERT_EQUAL(3800, facts->allocatable.cpu_milli);
	TEST_ASSERT_EQUAL_INT64(INT64_C(8) << 30, facts->allocatable.memory_bytes);
	TEST_ASSERT_EQUAL_INT64(INT64_C(20) << 30, facts->allocatable.storage_bytes);
	TEST_ASSERT_EQUAL(110, facts->allocatable.pods);
	TEST_ASSERT_EQUAL(2, facts->allocatable.scalars.count);
	TEST_ASSERT_EQUAL(1, facts->taints.count);
	fixture_is("k", KUBE_AT(facts, facts->taints, struct kube_taint)->key);
	TEST_ASSERT_EQUAL(2, facts->images.count);
	const struct kube_image *images = KUBE_AT(facts, facts->images, struct kube_image);
	TEST_ASSERT_EQUAL(1000, images[0].size_bytes);
	TEST_ASSERT_EQUAL(2, images[0].names.count);
	fixture_is("a@sha256:0", KUBE_AT(facts, images[0].names, uint32_t)[1]);
	fixture_is("b:2", KUBE_AT(facts, images[1].names, uint32_t)[0]);
}

static void test_a_bare_node(void)
{
	decode(&node, "{\"metadata\":{\"name\":\"n\"}}");
	const struct kube_node_facts *facts = node.facts;
	fixture_text_is("", node.meta.namespace);
	TEST_ASSERT_EQUAL(0, facts->unschedulable);
	TEST_ASSERT_EQUAL(0, facts->allocatable.pods);
	TEST_ASSERT_EQUAL(0, facts->taints.count);
	TEST_ASSERT_EQUAL(0, facts->features);
	TEST_ASSERT_EQUAL(0, node.labels->pairs.count);
}

/* Which of the three hashes see a change. */
static void test_hashes_see_changes(void)
{
	enum { CONDITIONS = 1, ANNOTATIONS = 2, DECLARED = 4 };
	static const struct {
		const char *a;
		const char *b;
		uint32_t changed;
	} rows[] = {
		{"\"metadata\":{\"name\":\"n\",\"annotations\":{\"a\":\"1\",\"b\":\"2\"}}",
			"\"metadata\":{\"name\":\"n\",\"annotations\":{\"b\":\"2\",\"a\":\"1\"}}",
			0},
		{"\"metadata\":{\"name\":\"n\",\"annotations\":{\"a\":\"1\",\"b\":\"2\"}}",
			"\"metadata\":{\"name\":\"n\",\"annotations\":{\"a\":\"2\",\"b\":\"1\"}}",
			ANNOTATIONS},
		{"\"metadata\":{\"name\":\"n\",\"annotations\":{}}",
			"\"metadata\":{\"name\":\"n\"}", 0},
		{"\"metadata\":{\"name\":\"n\"},\"status\":{\"conditions\":[{\"type\":\"Ready\","
		 "\"status\":\"True\",\"lastHeartbeatTime\":\"x\"},{\"type\":\"B\",\"status\":"
		 "\"False\"}]}",
			"\"metadata\":{\"name\":\"n\"},\"status\":{\"conditions\":[{\"status\":"
			"\"False\","
			"\"type\":\"B\"},{\"type\":\"Ready\",\"status\":\"True\","
			"\"lastHeartbeatTime\":\"y\"}]}",
			0},
		{"\"metadata\":{\"name\":\"n\"},\"status\":{\"conditions\":[{\"type\":\"Ready\","
		 "\"status\":\"True\"}]}",
			"\"metadata\":{\"name\":\"n\"},\"status\":{\"conditions\":[{\"type\":"
			"\"Ready\","
			"\"status\":\"False\"}]}",
			CONDITIONS},
		{"\"metadata\":{\"name\":\"n\"},\"status\":{\"declaredFeatures\":[\"A\",\"B\"]}",
			"\"metadata\":{\"name\":\"n\"},\"status\":{\"declaredFeatures\":[\"B\","
			"\"A\"]}",
			DECLARED},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char json[1024];
		struct kube_node other;
		snprintf(json, sizeof(json), "{%s}", rows[i].a);
		decode(&node, json);
		snprintf(json, sizeof(json), "{%s}", rows[i].b);
		decode(&other, json);
		const struct kube_node_facts *a = node.facts, *b = other.facts;
		uint32_t changed = (a->conditions_hash != b->conditions_hash ? CONDITIONS : 0) |
			(a->annotations_hash != b->annotations_hash ? ANNOTATIONS : 0) |
			(a->features_hash != b->features_hash ? DECLARED : 0);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].changed, changed, rows[i].b);
		TEST_ASSERT_EQUAL(changed == 0, kube_blob_is(&a->blob, &b->blob));
		drop(&node);
		drop(&other);
	}
}

static void test_faults(void)
{
	FIXTURE_FAULTS(KUBE_NODE,
		{"{\"metadata\":{\"name\":\"n\"},\"spec\":{\"unschedulable\":1}}",
			"spec.unschedulable"},
		{"{\"metadata\":{\"name\":\"n\"},\"status\":{\"allocatable\":{\"cpu\":\"x\"}}}",
			"status.allocatable"},
		{"{\"metadata\":{\"name\":\"n\"},\"status\":{\"images\":[{\"sizeBytes\":1e30}]}}",
			"status.images.sizeBytes"},
		{"{\"metadata\":{\"name\":\"n\"},\"status\":{\"images\":[{\"names\":[1]}]}}",
			"status.images.names"},
		{"{\"metadata\":{\"name\":\"n\"},\"status\":{\"images\":[{\"names\":[null]}]}}",
			NULL},
		{"{\"metadata\":{\"name\":\"n\",\"annotations\":{\"a\":1}}}",
			"metadata.annotations"},
		{"{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":1}}}", "metadata.labels"});
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_full_node);
	RUN_TEST(test_a_bare_node);
	RUN_TEST(test_hashes_see_changes);
	RUN_TEST(test_faults);
	return UNITY_END();
}
