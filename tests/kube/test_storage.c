/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storage kinds: volumes, claims, classes, CSI nodes, drivers, capacities, attachments.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/one_object.h"

#include "kube/volume.h"

/* ---- PersistentVolume ---- */

static void test_a_volume(void)
{
	const struct kube_pv *pv = decode_full(KUBE_PV);
	fixture_is("beta", pv->class);
	TEST_ASSERT_EQUAL_INT64(INT64_C(10) << 30, pv->capacity_bytes);
	TEST_ASSERT_EQUAL(KUBE_RWO | KUBE_RWX, pv->access);
	fixture_is("Block", pv->volume_mode);
	fixture_is("gold", pv->attributes_class);
	TEST_ASSERT_EQUAL(KUBE_SOURCE_CSI, pv->source);
	fixture_is("csi.x", pv->driver);
	fixture_is("h", pv->handle);
	TEST_ASSERT_EQUAL(1, pv->has_claim);
	fixture_is("ns", pv->claim_namespace);
	fixture_is("c0", pv->claim_name);
	fixture_is("cu", pv->claim_uid);
	TEST_ASSERT_EQUAL(1, pv->has_node_affinity);
	TEST_ASSERT_EQUAL(1, pv->node_terms.count);
	TEST_ASSERT_EQUAL(2, KUBE_AT(pv, pv->node_terms, struct kube_node_term)->expressions.count);
	fixture_is("Bound", pv->phase);
	TEST_ASSERT_EQUAL(1, pv->deleting);
	TEST_ASSERT_EQUAL(1, pv->bound_by_controller);
	fixture_is("u-pv", pv->uid);
	TEST_ASSERT_EQUAL(2, pv->labels.count);
	TEST_ASSERT_EQUAL(0, pv->has_label_zone);
}

static void test_a_bare_volume(void)
{
	const struct kube_pv *pv = decode(KUBE_PV, META "}");
	fixture_is("Filesystem", pv->volume_mode);
	TEST_ASSERT_EQUAL(0, pv->class);
	TEST_ASSERT_EQUAL(0, pv->capacity_bytes);
	TEST_ASSERT_EQUAL(KUBE_SOURCE_OTHER, pv->source);
	TEST_ASSERT_EQUAL(0, pv->has_claim);
	TEST_ASSERT_EQUAL(0, pv->has_node_affinity);
	TEST_ASSERT_EQUAL(0, pv->bound_by_controller);
	pv = decode(
		KUBE_PV, META ",\"spec\":{\"nodeAffinity\":{},\"claimRef\":null,\"local\":{}}}");
	TEST_ASSERT_EQUAL(0, pv->has_node_affinity);
	TEST_ASSERT_EQUAL(0, pv->has_claim);
	pv = decode(
		KUBE_PV, META ",\"spec\":{\"nodeAffinity\":{\"required\":{}},\"claimRef\":{}}}");
	TEST_ASSERT_EQUAL(1, pv->has_node_affinity);
	TEST_ASSERT_EQUAL(0, pv->node_terms.count);
	TEST_ASSERT_EQUAL(1, pv->has_claim);
}

static void test_the_class_of_a_volume(void)
{
	const struct kube_pv *pv = decode(KUBE_PV, META ",\"spec\":{\"storageClassName\":\"s\"}}");
	fixture_is("s", pv->class);
	/* An empty annotation is an annotation. */
	pv = decode(KUBE_PV,
		"{\"metadata\":{\"name\":\"x\",\"annotations\":{"
		"\"volume.beta.kubernetes.io/storage-class\":\"\"}},\"spec\":{"
		"\"storageClassName\":\"s\"}}");
	TEST_ASSERT_EQUAL(0, pv->class);
}

static void test_zones_of_a_volume(void)
{
	const struct kube_pv *pv = decode(KUBE_PV,
		"{\"metadata\":{\"name\":\"x\",\"labels\":{\"topology.kubernetes.io/"
		"zone\":\"a__b\","
		"\"failure-domain.beta.kubernetes.io/region\":\"\",\"other\":\"c\"}}}");
	TEST_ASSERT_EQUAL(2 | 4, pv->has_label_zone);
	fixture_is("a__b", pv->labels_zone[2]);
	TEST_ASSERT_EQUAL(0, pv->labels_zone[1]);
	TEST_ASSERT_EQUAL(3, pv->labels.count);
}

static void test_sources_of_volumes(void)
{
	static const struct {
		const char *spec;
		uint32_t source;
		const char *handle;
	} rows[] = {
		{"\"awsElasticBlockStore\":{\"volumeID\":\"a\"}", KUBE_SOURCE_EBS, "a"},
		{"\"gcePersistentDisk\":{\"pdName\":\"b\"}", KUBE_SOURCE_GCE, "b"},
		{"\"azureDisk\":{\"diskName\":\"c\",\"diskURI\":\"u\"}", KUBE_SOURCE_AZURE_DISK,
			"u"},
		{"\"azureFile\":{\"shareName\":\"d\"}", KUBE_SOURCE_AZURE_FILE, "d"},
		{"\"cinder\":{\"volumeID\":\"e\"}", KUBE_SOURCE_CINDER, "e"},
		{"\"vsphereVolume\":{\"volumePath\":\"f\"}", KUBE_SOURCE_VSPHERE, "f"},
		{"\"portworxVolume\":{\"volumeID\":\"g\"}", KUBE_SOURCE_PORTWORX, "g"},
		{"\"csi\":null,\"cinder\":{\"volumeID\":\"e\"}", KUBE_SOURCE_CINDER, "e"},
		{"\"hostPath\":{\"path\":\"/\"}", KUBE_SOURCE_OTHER, ""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char json[256];
		snprintf(json, sizeof(json), META ",\"spec\":{%s}}", rows[i].spec);
		const struct kube_pv *pv = decode(KUBE_PV, json);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].source, pv->source, rows[i].spec);
		fixture_is(rows[i].handle, pv->handle);
		TEST_ASSERT_EQUAL(0, pv->driver);
	}
}

/* ---- PersistentVolumeClaim ---- */

static void test_a_claim(void)
{
	const struct kube_pvc *pvc = decode_full(KUBE_PVC);
	fixture_text_is("ns", object.meta.namespace);
	fixture_is("u-c0", pvc->uid);
	fixture_is("pv", pvc->volume_name);
	fixture_is("fast", pvc->class);
	TEST_ASSERT_EQUAL(1, pvc->has_class);
	fixture_is("Filesystem", pvc->volume_mode);
	fixture_is("gold", pvc->attributes_class);
	TEST_ASSERT_EQUAL(KUBE_RWOP, pvc->access);
	TEST_ASSERT_EQUAL(1, pvc->bind_completed);
	TEST_ASSERT_EQUAL(1, pvc->has_selected_node);
	fixture_is("n1", pvc->selected_node);
	TEST_ASSERT_EQUAL(1, pvc->has_annotations);
	TEST_ASSERT_EQUAL(1, pvc->has_request);
	TEST_ASSERT_EQUAL_INT64(INT64_C(5) << 30, pvc->request_bytes);
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_SET, pvc->selector.state);
	TEST_ASSERT_EQUAL(3, pvc->selector.requirements.count);
	fixture_is("Bound", pvc->phase);
	TEST_ASSERT_EQUAL(1, pvc->deleting);
	fixture_is("o1", pvc->owner_uid);
	TEST_ASSERT_EQUAL(0, pvc->owner_is_pod);
}

static void test_a_bare_claim(void)
{
	const struct kube_pvc *pvc = decode(KUBE_PVC, META "}");
	fixture_text_is("default", object.meta.namespace);
	TEST_ASSERT_EQUAL(0, pvc->volume_name);
	TEST_ASSERT_EQUAL(0, pvc->has_class);
	TEST_ASSERT_EQUAL(0, pvc->has_request);
	TEST_ASSERT_EQUAL(0, pvc->has_annotations);
	TEST_ASSERT_EQUAL(0, pvc->has_selected_node);
	TEST_ASSERT_EQUAL(0, pvc->bind_completed);
	TEST_ASSERT_EQUAL(0, pvc->owner_uid);
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_NONE, pvc->selector.state);
	fixture_is("Filesystem", pvc->volume_mode);
	pvc = decode(KUBE_PVC, META ",\"spec\":{\"storageClassName\":\"\"}}");
	TEST_ASSERT_EQUAL(1, pvc->has_class);
	TEST_ASSERT_EQUAL(0, pvc->class);
}

static void test_annotations_and_owner_of_a_claim(void)
{
	const struct kube_pvc *pvc = decode(KUBE_PVC,
		"{\"metadata\":{\"name\":\"x\",\"annotations\":{\"any\":\"\","
		"\"volume.beta.kubernetes.io/"
		"storage-class\":\"beta\"},\"ownerReferences\":[{\"kind\":"
		"\"Pod\",\"name\":\"p\",\"uid\":\"pu\",\"controller\":true}]},\"spec\":{"
		"\"storageClassName\":\"s\",\"selector\":{\"matchExpressions\":[{\"key\":\"a\","
		"\"operator\":\"x\"}]}}}");
	fixture_is("beta", pvc->class);
	TEST_ASSERT_EQUAL(1, pvc->has_annotations);
	TEST_ASSERT_EQUAL(0, pvc->bind_completed);
	fixture_is("pu", pvc->owner_uid);
	TEST_ASSERT_EQUAL(1, pvc->owner_is_pod);
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_INVALID, pvc->selector.state);
	fixture_is("\"x\" is not a valid label selector operator", pvc->selector.error);
}

/* ---- StorageClass ---- */

static void test_a_class(void)
{
	const struct kube_storage_class *class = decode_full(KUBE_STORAGE_CLASS);
	fixture_is("csi.x", class->provisioner);
	TEST_ASSERT_EQUAL(KUBE_BINDING_WAIT, class->binding_mode);
	TEST_ASSERT_EQUAL(1, class->allowed_topologies.count);
	const struct kube_topology_term *term =
		KUBE_AT(class, class->allowed_topologies, struct kube_topology_term);
	TEST_ASSERT_EQUAL(1, term->expressions.count);
	const struct kube_topology_expression *expression =
		KUBE_AT(class, term->expressions, struct kube_topology_expression);
	fixture_is("zone", expression->key);
	TEST_ASSERT_EQUAL(2, expression->values.count);
	const uint32_t *values = KUBE_AT(class, expression->values, uint32_t);
	TEST_ASSERT_TRUE(values[0] < values[1]);
}

static void test_binding_modes(void)
{
	const struct kube_storage_class *class = decode(KUBE_STORAGE_CLASS, META "}");
	TEST_ASSERT_EQUAL(KUBE_BINDING_UNSET, class->binding_mode);
	TEST_ASSERT_EQUAL(0, class->allowed_topologies.count);
	class = decode(KUBE_STORAGE_CLASS, META ",\"volumeBindingMode\":null}");
	TEST_ASSERT_EQUAL(KUBE_BINDING_UNSET, class->binding_mode);
	class = decode(KUBE_STORAGE_CLASS,
		META ",\"volumeBindingMode\":\"Immediate\","
		     "\"allowedTopologies\":[{},null]}");
	TEST_ASSERT_EQUAL(KUBE_BINDING_IMMEDIATE, class->binding_mode);
	TEST_ASSERT_EQUAL(2, class->allowed_topologies.count);
}

static void test_which_class_is_the_default(void)
{
#define CLASS(annotations)                                                              \
	"{\"metadata\":{\"name\":\"n\",\"creationTimestamp\":\"1970-01-01T00:01:00Z\"," \
	"\"annotations\":{" annotations "}}}"
	const struct kube_storage_class *class = decode(KUBE_STORAGE_CLASS, CLASS(""));
	TEST_ASSERT_EQUAL(0, class->is_default);
	TEST_ASSERT_EQUAL_INT64(60000000, class->created_us);
	class = decode(KUBE_STORAGE_CLASS,
		CLASS("\"storageclass.kubernetes.io/is-default-class\":\"true\""));
	TEST_ASSERT_EQUAL(1, class->is_default);
	class = decode(KUBE_STORAGE_CLASS,
		CLASS("\"storageclass.beta.kubernetes.io/is-default-class\":\"true\""));
	TEST_ASSERT_EQUAL(1, class->is_default);
	class = decode(KUBE_STORAGE_CLASS,
		CLASS("\"storageclass.kubernetes.io/is-default-class\":\"yes\""));
	TEST_ASSERT_EQUAL(0, class->is_default);
#undef CLASS
}

/* ---- CSI ---- */

static void test_a_csi_node(void)
{
	const struct kube_csi_node *node = decode_full(KUBE_CSI_NODE);
	const struct kube_csi_node_driver *drivers =
		KUBE_AT(node, node->drivers, struct kube_csi_node_driver);
	TEST_ASSERT_EQUAL(2, node->drivers.count);
	fixture_is("csi.x", drivers[0].name);
	fixture_is("id", drivers[0].node_id);
	TEST_ASSERT_EQUAL(25, drivers[0].limit);
	fixture_is("csi.y", drivers[1].name);
	TEST_ASSERT_EQUAL(-1, drivers[1].limit);
	TEST_ASSERT_EQUAL(2, node->migrated.count);
	const uint32_t *migrated = KUBE_AT(node, node->migrated, uint32_t);
	TEST_ASSERT_TRUE(migrated[0] < migrated[1]);
	TEST_ASSERT_NOT_EQUAL(0, fixture_id("kubernetes.io/aws-ebs"));

	node = decode(KUBE_CSI_NODE,
		META ",\"spec\":{\"drivers\":[{\"name\":\"a\",\"allocatable\":{"
		     "\"count\":0}},{\"allocatable\":{\"count\":null}}]}}");
	drivers = KUBE_AT(node, node->drivers, struct kube_csi_node_driver);
	TEST_ASSERT_EQUAL(0, drivers[0].limit);
	TEST_ASSERT_EQUAL(-1, drivers[1].limit);
	TEST_ASSERT_EQUAL(0, node->migrated.count);
}

static void test_a_csi_driver(void)
{
	const struct kube_csi_driver *driver = decode_full(KUBE_CSI_DRIVER);
	TEST_ASSERT_EQUAL(1, driver->storage_capacity);
	TEST_ASSERT_EQUAL(1, driver->prevent_if_missing);
	driver = decode(KUBE_CSI_DRIVER, META "}");
	TEST_ASSERT_EQUAL(0, driver->storage_capacity);
	TEST_ASSERT_EQUAL(0, driver->prevent_if_missing);
}

static void test_a_capacity(void)
{
	const struct kube_csi_capacity *capacity = decode_full(KUBE_CSI_CAPACITY);
	fixture_is("fast", capacity->class);
	TEST_ASSERT_EQUAL(1, capacity->has_capacity);
	TEST_ASSERT_EQUAL_INT64(INT64_C(100) << 30, capacity->capacity_bytes);
	TEST_ASSERT_EQUAL(1, capacity->has_maximum);
	TEST_ASSERT_EQUAL_INT64(INT64_C(10) << 30, capacity->maximum_bytes);
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_SET, capacity->topology.state);
	capacity = decode(
		KUBE_CSI_CAPACITY, META ",\"storageClassName\":\"s\",\"nodeTopology\":null}");
	TEST_ASSERT_EQUAL(0, capacity->has_capacity);
	TEST_ASSERT_EQUAL(0, capacity->has_maximum);
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_NONE, capacity->topology.state);
}

static void test_an_attachment(void)
{
	const struct kube_volume_attachment *attachment = decode_full(KUBE_VOLUME_ATTACHMENT);
	fixture_is("csi.x", attachment->attacher);
	fixture_is("n", attachment->node);
	fixture_is("pv", attachment->pv);
	attachment = decode(KUBE_VOLUME_ATTACHMENT, META ",\"spec\":{\"source\":{}}}");
	TEST_ASSERT_EQUAL(0, attachment->pv);
}

static void test_faults(void)
{
	FIXTURE_FAULTS(KUBE_PV,
		{META ",\"spec\":{\"capacity\":{\"storage\":\"1z\"}}}", "spec.capacity.storage"},
		{META ",\"spec\":{\"capacity\":{\"storage\":5}}}", NULL},
		{META ",\"spec\":{\"csi\":[]}}", "spec.csi"});
	FIXTURE_FAULTS(KUBE_PVC,
		{META ",\"spec\":{\"resources\":{\"requests\":{\"storage\":\"\"}}}}",
			"spec.resources.requests.storage"});
	FIXTURE_FAULTS(KUBE_CSI_NODE,
		{META ",\"spec\":{\"drivers\":[{\"allocatable\":{\"count\":4294967296}}]}}",
			"spec.drivers.allocatable.count"});
	FIXTURE_FAULTS(KUBE_CSI_CAPACITY, {META ",\"capacity\":{}}", "capacity"});
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_volume);
	RUN_TEST(test_a_bare_volume);
	RUN_TEST(test_the_class_of_a_volume);
	RUN_TEST(test_zones_of_a_volume);
	RUN_TEST(test_sources_of_volumes);
	RUN_TEST(test_a_claim);
	RUN_TEST(test_a_bare_claim);
	RUN_TEST(test_annotations_and_owner_of_a_claim);
	RUN_TEST(test_a_class);
	RUN_TEST(test_binding_modes);
	RUN_TEST(test_which_class_is_the_default);
	RUN_TEST(test_a_csi_node);
	RUN_TEST(test_a_csi_driver);
	RUN_TEST(test_a_capacity);
	RUN_TEST(test_an_attachment);
	RUN_TEST(test_faults);
	return UNITY_END();
}
