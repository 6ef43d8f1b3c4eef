/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods: every field at its place, defaults, and what makes two classes the same.
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

static void drop(struct kube_pod *p)
{
	kube_blob_drop(&p->class->blob, &fixture.strings);
	kube_blob_drop(&p->labels->blob, &fixture.strings);
	p->class = NULL;
}

void tearDown(void)
{
	if (pod.class != NULL)
		drop(&pod);
	fixture_end();
}

static void decode(struct kube_pod *p, const char *json)
{
	struct json_value v = fixture_json(json, kube_pod_want);
	TEST_ASSERT_EQUAL_MESSAGE(KUBE_OK, kube_pod_decode(&fixture.b, v, p),
		fixture.b.fault_field == NULL ? json : fixture.b.fault_field);
}

/* A pod with this spec; metadata and status are the least there is. */
static void decode_spec(struct kube_pod *p, const char *spec)
{
	static char json[1 << 16];
	snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"x\"},\"spec\":%s}", spec);
	decode(p, json);
}

#define ITEM(member, type, i) (&KUBE_AT(pod.class, pod.class->member, type)[i])

static void test_identity_and_status(void)
{
	decode(&pod, full_pod);
	fixture_text_is("p", pod.meta.name);
	fixture_text_is("ns", pod.meta.namespace);
	TEST_ASSERT_TRUE(pod.meta.deleting);
	fixture_text_is("", pod.node_name);
	fixture_text_is("n2", pod.nominated_node_name);
	fixture_text_is("Pending", pod.phase);
	TEST_ASSERT_TRUE(pod.has_start_time);
	TEST_ASSERT_EQUAL_INT64(INT64_C(1794987000000000), pod.start_time.us);
	TEST_ASSERT_EQUAL_INT64(INT64_C(1794985200000000), pod.creation_time.us);
	TEST_ASSERT_EQUAL(2, pod.condition_count);
	fixture_text_is("PodScheduled", pod.conditions[0].type);
	fixture_text_is("False", pod.conditions[0].status);
	fixture_text_is("Unschedulable", pod.conditions[0].reason);
	fixture_text_is("0/1", pod.conditions[0].message);
	fixture_text_is("2026-11-18T07:31:00Z", pod.conditions[0].last_probe_time);
	fixture_text_is("2026-11-18T07:32:00Z", pod.conditions[0].last_transition_time);
	TEST_ASSERT_EQUAL(2, pod.conditions[0].observed_generation);
	fixture_text_is("DisruptionTarget", pod.conditions[1].type);
	TEST_ASSERT_EQUAL(1, pod.disruption_target);
	TEST_ASSERT_EQUAL(1, json_count(pod.resource_claim_statuses));
	uint32_t value;
	TEST_ASSERT_TRUE(kube_labels_get(pod.labels, fixture_id("app"), &value));
	fixture_is("web", value);
}

static void test_scalars_of_the_class(void)
{
	decode(&pod, full_pod);
	const struct kube_pod_template *class = pod.class;
	fixture_is("ns", class->namespace);
	fixture_is("berth", class->scheduler_name);
	TEST_ASSERT_EQUAL(-5, class->priority);
	TEST_ASSERT_EQUAL(0, class->preempts);
	fixture_is("apps/v1", pod.labels->owner.api_version);
	fixture_is("ReplicaSet", pod.labels->owner.kind);
	fixture_is("owner", pod.labels->owner.name);
	TEST_ASSERT_EQUAL(4, class->container_count);
	TEST_ASSERT_EQUAL(
		KUBE_FEATURE_RESTART_ALL_CONTAINERS | KUBE_FEATURE_USER_NAMESPACES_HOST_NETWORK,
		class->features);
	TEST_ASSERT_EQUAL(2, class->gates.count);
	fixture_is("g1", *ITEM(gates, uint32_t, 0));
	fixture_is("g2", *ITEM(gates, uint32_t, 1));
	/* The pod level wins: 2 cores; overhead comes on top. */
	TEST_ASSERT_EQUAL(2010, class->fit.cpu_milli);
	TEST_ASSERT_EQUAL(2010, class->used.cpu_milli);
}

static void test_defaults(void)
{
	decode(&pod, "{\"metadata\":{\"name\":\"x\"}}");
	const struct kube_pod_template *class = pod.class;
	fixture_is("default", class->namespace);
	fixture_is("default-scheduler", class->scheduler_name);
	TEST_ASSERT_EQUAL(0, class->priority);
	TEST_ASSERT_EQUAL(1, class->preempts);
	TEST_ASSERT_EQUAL(0, class->has_node_selector);
	TEST_ASSERT_EQUAL(0, class->has_required_nodes);
	TEST_ASSERT_EQUAL(0, class->has_pod_affinity);
	TEST_ASSERT_EQUAL(0, class->features);
	TEST_ASSERT_EQUAL(0, pod.labels->owner.kind);
	TEST_ASSERT_FALSE(pod.has_start_time);
	TEST_ASSERT_EQUAL(0, pod.creation_time.us);
	TEST_ASSERT_EQUAL(0, pod.condition_count);
	TEST_ASSERT_EQUAL(0, pod.disruption_target);
	TEST_ASSERT_EQUAL(JSON_NONE, json_type(pod.resource_claim_statuses));
	drop(&pod);
	decode_spec(&pod,
		"{\"schedulerName\":\"\",\"hostNetwork\":true,\"nodeSelector\":{},"
		"\"preemptionPolicy\":\"PreemptLowerPriority\"}");
	fixture_is("default-scheduler", pod.class->scheduler_name);
	TEST_ASSERT_EQUAL(1, pod.class->has_node_selector);
	TEST_ASSERT_EQUAL(0, pod.class->features);
	TEST_ASSERT_EQUAL(1, pod.class->preempts);
}

static void test_disruption_target_needs_all_three(void)
{
	static const char *const rows[] = {
		"{\"type\":\"DisruptionTarget\",\"status\":\"False\",\"reason\":"
		"\"PreemptionByScheduler\"}",
		"{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":"
		"\"EvictionByEvictionAPI\"}",
		"{\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"PreemptionByScheduler\"}",
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char json[512];
		snprintf(json, sizeof(json),
			"{\"metadata\":{\"name\":\"x\"},\"status\":{\"conditions\":[%s]}}",
			rows[i]);
		decode(&pod, json);
		TEST_ASSERT_EQUAL_MESSAGE(0, pod.disruption_target, rows[i]);
		drop(&pod);
	}
}

static void test_host_ports(void)
{
	decode_spec(&pod,
		"{\"containers\":[{\"ports\":[{\"containerPort\":1},{\"hostPort\":0},{\"hostPort\":"
		"80},"
		"{\"hostPort\":80,\"hostIP\":\"\",\"protocol\":\"\"},{\"hostPort\":80,\"hostIP\":"
		"\"1.2.3.4\"}]}],\"initContainers\":[{\"ports\":[{\"hostPort\":99}]},{"
		"\"restartPolicy\":"
		"\"Always\",\"ports\":[{\"hostPort\":53,\"protocol\":\"UDP\"}]}]}");
	TEST_ASSERT_EQUAL(3, pod.class->host_ports.count);
	uint32_t seen = 0;
	for (uint32_t i = 0; i < 3; i++) {
		const struct kube_host_port *port = ITEM(host_ports, struct kube_host_port, i);
		bool any = port->ip == fixture_id("0.0.0.0");
		seen |= port->port == 80 && any && port->protocol == fixture_id("TCP") ? 1 : 0;
		seen |= port->port == 80 && !any && port->ip == fixture_id("1.2.3.4") ? 2 : 0;
		seen |= port->port == 53 && any && port->protocol == fixture_id("UDP") ? 4 : 0;
	}
	TEST_ASSERT_EQUAL(7, seen);
}

static void test_images(void)
{
	decode(&pod, full_pod);
	static const char *const expected[] = {"registry:5000/setup:latest",
		"registry:5000/sidecar:latest", "registry:5000/main:latest",
		"registry:5000/second:latest", "data:1"};
	TEST_ASSERT_EQUAL(ARRAY_COUNT(expected), pod.class->images.count);
	for (uint32_t i = 0; i < ARRAY_COUNT(expected); i++)
		fixture_is(expected[i], *ITEM(images, uint32_t, i));
}

static void test_volumes(void)
{
	static const struct {
		uint32_t kind;
		const char *name;
		const char *id;
		uint32_t read_only;
	} expected[] = {
		{KUBE_VOLUME_CLAIM, "c0", "", 1},
		{KUBE_VOLUME_EPHEMERAL, "v1", "", 0},
		{KUBE_VOLUME_GCE, "v2", "pd", 1},
		{KUBE_VOLUME_EBS, "v3", "ebs", 0},
		{KUBE_VOLUME_ISCSI, "v4", "iqn.x", 0},
		{KUBE_VOLUME_RBD, "v5", "im", 1},
		{KUBE_VOLUME_CSI, "v6", "csi.x", 0},
		{KUBE_VOLUME_AZURE_DISK, "v7", "ad", 0},
		{KUBE_VOLUME_AZURE_FILE, "v8", "af", 0},
		{KUBE_VOLUME_CINDER, "v9", "ci", 0},
		{KUBE_VOLUME_VSPHERE, "v10", "vs", 0},
		{KUBE_VOLUME_PORTWORX, "v11", "px", 0},
	};
	decode(&pod, full_pod);
	TEST_ASSERT_EQUAL(ARRAY_COUNT(expected), pod.class->volumes.count);
	for (uint32_t i = 0; i < ARRAY_COUNT(expected); i++) {
		const struct kube_volume *volume = ITEM(volumes, struct kube_volume, i);
		TEST_ASSERT_EQUAL(expected[i].kind, volume->kind);
		fixture_is(expected[i].name, volume->name);
		fixture_is(expected[i].id, volume->id);
		TEST_ASSERT_EQUAL(expected[i].read_only, volume->read_only);
	}
	const struct kube_volume *rbd = ITEM(volumes, struct kube_volume, 5);
	fixture_is("rbd", rbd->pool);
	TEST_ASSERT_EQUAL(2, rbd->monitors.count);
}

static void test_sources_that_are_null(void)
{
	decode_spec(&pod,
		"{\"volumes\":[{\"name\":\"a\",\"csi\":null,\"ephemeral\":{}},{\"name\":"
		"\"b\",\"iscsi\":null},{\"name\":\"c\",\"projected\":{}},null]}");
	TEST_ASSERT_EQUAL(1, pod.class->volumes.count);
	TEST_ASSERT_EQUAL(KUBE_VOLUME_EPHEMERAL, ITEM(volumes, struct kube_volume, 0)->kind);
}

static void test_spread(void)
{
	decode(&pod, full_pod);
	TEST_ASSERT_EQUAL(1, pod.class->spread.count);
	const struct kube_spread *spread = ITEM(spread, struct kube_spread, 0);
	fixture_is("zone", spread->topology_key);
	TEST_ASSERT_EQUAL(2, spread->max_skew);
	TEST_ASSERT_EQUAL(3, spread->min_domains);
	TEST_ASSERT_EQUAL(1, spread->hard);
	TEST_ASSERT_EQUAL(KUBE_POLICY_IGNORE, spread->node_affinity_policy);
	TEST_ASSERT_EQUAL(KUBE_POLICY_HONOR, spread->node_taints_policy);
	TEST_ASSERT_TRUE(kube_selector_matches(pod.class, &spread->selector, pod.labels));
	const uint32_t *keys = KUBE_AT(pod.class, spread->match_label_keys, uint32_t);
	TEST_ASSERT_EQUAL(2, spread->match_label_keys.count);
	fixture_is("pod-template-hash", keys[0]);
	fixture_is("app", keys[1]);
	drop(&pod);

	decode_spec(&pod,
		"{\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"z\","
		"\"whenUnsatisfiable\":\"ScheduleAnyway\",\"minDomains\":null}]}");
	spread = ITEM(spread, struct kube_spread, 0);
	TEST_ASSERT_EQUAL(0, spread->hard);
	TEST_ASSERT_EQUAL(1, spread->min_domains);
	TEST_ASSERT_EQUAL(KUBE_POLICY_HONOR, spread->node_affinity_policy);
	TEST_ASSERT_EQUAL(KUBE_POLICY_IGNORE, spread->node_taints_policy);
	TEST_ASSERT_EQUAL(KUBE_SELECTOR_NONE, spread->selector.state);
}

static void test_resource_claims(void)
{
	decode(&pod, full_pod);
	const struct kube_resource_claim *claims =
		ITEM(resource_claims, struct kube_resource_claim, 0);
	TEST_ASSERT_EQUAL(2, pod.class->resource_claims.count);
	fixture_is("rc", claims[0].name);
	fixture_is("claim", claims[0].claim_name);
	TEST_ASSERT_EQUAL(0, claims[0].template_name);
	fixture_is("rt", claims[1].name);
	TEST_ASSERT_EQUAL(0, claims[1].claim_name);
	fixture_is("template", claims[1].template_name);
}

/* ---- what makes classes equal ---- */

#define CONTAINERS "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]"

static void test_equal_specs_give_equal_classes(void)
{
	static const struct {
		const char *a;
		const char *b;
		bool same;
	} rows[] = {
		{"{\"priority\":1," CONTAINERS "}", "{" CONTAINERS ",\"priority\":1}", true},
		{"{\"priority\":1," CONTAINERS "}", "{" CONTAINERS ",\"priority\":2}", false},
		{"{" CONTAINERS "}", "{" CONTAINERS ",\"priority\":null,\"nodeName\":\"n\"}", true},
		{"{\"nodeSelector\":{\"a\":\"1\",\"b\":\"2\"}}",
			"{\"nodeSelector\":{\"b\":\"2\",\"a\":\"1\"}}", true},
		{"{\"nodeSelector\":{}}", "{}", false},
		{"{\"containers\":[{\"ports\":[{\"hostPort\":1},{\"hostPort\":2}]}]}",
			"{\"containers\":[{\"ports\":[{\"hostPort\":2},{\"hostPort\":1},{"
			"\"hostPort\":2}]}]}",
			true},
		{"{\"volumes\":[{\"rbd\":{\"monitors\":[\"a\",\"b\"],\"image\":\"i\"}}]}",
			"{\"volumes\":[{\"rbd\":{\"image\":\"i\",\"monitors\":[\"b\",\"a\"]}}]}",
			true},
		{"{\"tolerations\":[{\"key\":\"a\",\"value\":\"b\"}]}",
			"{\"tolerations\":[{\"value\":\"b\",\"key\":\"a\"}]}", true},
		{"{\"tolerations\":[{\"key\":\"a\"}]}", "{\"tolerations\":[{\"key\":\"b\"}]}",
			false},
		/* what nobody reads */
		{"{" CONTAINERS "}",
			"{\"containers\":[{\"image\":\"i\",\"name\":\"other\",\"command\":[\"x\"]}]"
			"}",
			true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct kube_pod other;
		scratch_reset(&fixture.scratch);
		decode_spec(&pod, rows[i].a);
		decode_spec(&other, rows[i].b);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].same,
			kube_blob_is(&pod.class->blob, &other.class->blob), rows[i].b);
		drop(&pod);
		drop(&other);
	}
}

static void test_identity_is_no_part_of_the_class(void)
{
	struct kube_pod other;
	decode(&pod,
		"{\"metadata\":{\"name\":\"a\",\"uid\":\"1\",\"labels\":{\"x\":\"y\"}},\"spec\":"
		"{" CONTAINERS "}}");
	decode(&other,
		"{\"metadata\":{\"name\":\"b\",\"uid\":\"2\",\"labels\":{\"x\":\"z\"}},"
		"\"spec\":{" CONTAINERS ",\"nodeName\":\"n\"},\"status\":{\"phase\":"
		"\"Running\"}}");
	TEST_ASSERT_TRUE(kube_blob_is(&pod.class->blob, &other.class->blob));
	TEST_ASSERT_FALSE(kube_blob_is(&pod.labels->blob, &other.labels->blob));
	drop(&other);
}

/* ---- bounds ---- */

/* A pod whose list `member` has `count` elements. */
/* What rules about one node look at is equal, whatever else the pods are. */
static void test_local_twins(void)
{
#define TOLERATES "\"tolerations\":[{\"key\":\"a\",\"operator\":\"Exists\"}]"
#define ASKS(cpu)                                                                             \
	"\"containers\":[{\"image\":\"i" cpu "\",\"resources\":{\"requests\":{\"cpu\":\"1\"," \
	"\"memory\":\"" cpu "\"}}}]"
	static const struct {
		const char *spec;
		bool is_twin;
	} others[] = {
		{"{\"priority\":7," TOLERATES
		 "," ASKS("1") ",\"affinity\":{\"podAntiAffinity\":{"
			       "\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
			       "\"topologyKey\":\"zone\"}]}}"
			       ",\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{"
			       "\"claimName\":\"c\"}}]}",
			true},
		{"{\"tolerations\":[{\"key\":\"b\",\"operator\":\"Exists\"}]," ASKS("1") "}",
			false},
		{"{" TOLERATES "," ASKS("2") "}", false},
		{"{\"nodeSelector\":{}," TOLERATES "," ASKS("1") "}", false},
	};
	decode_spec(&pod, "{" TOLERATES "," ASKS("1") "}");
	for (uint32_t i = 0; i < ARRAY_COUNT(others); i++) {
		struct kube_pod other;
		decode_spec(&other, others[i].spec);
		TEST_ASSERT_EQUAL_MESSAGE(others[i].is_twin,
			kube_pod_is_local_twin(pod.class, other.class), others[i].spec);
		TEST_ASSERT_FALSE(kube_blob_is(&pod.class->blob, &other.class->blob));
		drop(&other);
	}
}

#define REQUIRES(terms)                                                                        \
	"\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{" \
	"\"nodeSelectorTerms\":[" terms "]}}}"
#define FIELD(op, node)                                                                     \
	"{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"" op "\",\"values\":[" \
	"\"" node "\"]}]}"
#define FIELD_AND(node, key)                                                                  \
	"{\"matchExpressions\":[{\"key\":\"" key "\",\"operator\":\"Exists\"}],"              \
	"\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"" node \
	"\"]}]}"

/* As the controller of a DaemonSet makes them: in every term. */
static void test_pods_for_one_node_each_are_of_one_class(void)
{
	struct kube_pod other;
	decode_spec(&pod, "{" REQUIRES(FIELD("In", "a")) "}");
	fixture_text_is("a", pod.for_node);
	TEST_ASSERT_EQUAL(1, pod.class->is_for_node);
	TEST_ASSERT_EQUAL(1, pod.class->required_nodes.count);
	decode_spec(&other, "{" REQUIRES(FIELD("In", "b")) "}");
	fixture_text_is("b", other.for_node);
	TEST_ASSERT_TRUE(kube_blob_is(&pod.class->blob, &other.class->blob));
	drop(&other);
	decode_spec(&other, "{" REQUIRES(FIELD("In", "b")) ",\"nodeName\":\"b\"}");
	TEST_ASSERT_TRUE(kube_blob_is(&pod.class->blob, &other.class->blob));
	drop(&other);
	drop(&pod);
	decode_spec(&pod, "{" REQUIRES(FIELD_AND("a", "k") "," FIELD_AND("a", "l")) "}");
	decode_spec(&other, "{" REQUIRES(FIELD_AND("b", "k") "," FIELD_AND("b", "l")) "}");
	TEST_ASSERT_TRUE(kube_blob_is(&pod.class->blob, &other.class->blob));
	drop(&other);
}

static void test_other_fields_stay_in_the_class(void)
{
	static const char *const specs[] = {"{" REQUIRES(FIELD("NotIn", "a")) "}",
		"{" REQUIRES(FIELD("In", "a") "," FIELD("In", "b")) "}",
		"{" REQUIRES(FIELD("In", "a") ",{}") "}", "{" REQUIRES("") "}",
		"{" REQUIRES(FIELD("In", "")) "}", "{}"};
	for (uint32_t i = 0; i < ARRAY_COUNT(specs); i++) {
		decode_spec(&pod, specs[i]);
		TEST_ASSERT_EQUAL_MESSAGE(0, pod.for_node.size, specs[i]);
		TEST_ASSERT_EQUAL_MESSAGE(0, pod.class->is_for_node, specs[i]);
		if (i + 1 < ARRAY_COUNT(specs))
			drop(&pod);
	}
}

static void decode_owned(struct kube_pod *to, const char *kind, const char *name)
{
	char json[512];
	snprintf(json, sizeof(json),
		"{\"metadata\":{\"name\":\"x\",\"labels\":{\"app\":\"a\"},\"ownerReferences\":[{"
		"\"apiVersion\":\"apps/v1\",\"kind\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\","
		"\"controller\":true}]}}",
		kind, name, name);
	decode(to, json);
}

static void test_controllers_are_no_part_of_the_class(void)
{
	struct kube_pod other;
	decode_owned(&pod, "ReplicaSet", "r1");
	decode_owned(&other, "ReplicaSet", "r2");
	TEST_ASSERT_TRUE(kube_blob_is(&pod.class->blob, &other.class->blob));
	TEST_ASSERT_FALSE(kube_blob_is(&pod.labels->blob, &other.labels->blob));
	TEST_ASSERT_TRUE(kube_labels_are(pod.labels, other.labels));
	fixture_is("r2", kube_labels_owner(other.labels).name);
	drop(&other);
	drop(&pod);
	/* There may be as many of other kinds as pods; which node it is, the pod itself says. */
	static const char *const kinds[] = {"Workflow", "Node"};
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		decode_owned(&pod, kinds[i], "o1");
		decode_owned(&other, kinds[i], "o2");
		TEST_ASSERT_TRUE(kube_blob_is(&pod.labels->blob, &other.labels->blob));
		TEST_ASSERT_EQUAL(0, kube_labels_owner(other.labels).name);
		TEST_ASSERT_EQUAL(i == 1, kube_labels_owner(other.labels).kind != 0);
		drop(&other);
		drop(&pod);
	}
	decode_owned(&pod, "DaemonSet", "d1");
	fixture_is("d1", kube_labels_owner(pod.labels).name);
}

static void refused(const char *list, const char *element, uint32_t count, const char *reason)
{
	static char json[1 << 18];
	struct writer out;
	writer_init(&out, json, sizeof(json));
	write_format(&out, "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"%s\":[", list);
	for (uint32_t i = 0; i < count; i++)
		write_format(&out, "%s%s", i == 0 ? "" : ",", element);
	write_z(&out, "]}}");
	TEST_ASSERT_FALSE(out.overflowed);
	struct json_value v = fixture_cut(writer_text(&out), kube_pod_want);
	TEST_ASSERT_TRUE(json_type(v) != JSON_NONE);
	TEST_ASSERT_EQUAL_MESSAGE(KUBE_MALFORMED, kube_pod_decode(&fixture.b, v, &pod), list);
	TEST_ASSERT_NULL(pod.class);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(fixture.b.fault_reason, reason), fixture.b.fault_reason);
	TEST_ASSERT_EQUAL(0, pool_used(&fixture.strings.strings));
}

static void test_too_much_is_refused_by_name(void)
{
	fixture_end();
	fixture_start_with(FIXTURE_STRINGS, 16 << 20);
	refused("tolerations", "{}", KUBE_BLOB_MAX / 16, "KUBE_BLOB_MAX");
}

static void test_numbers_out_of_range(void)
{
	FIXTURE_FAULTS(KUBE_POD,
		{"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"priority\":2147483648}}",
			"spec.priority"},
		{"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"priority\":-2147483648}}", NULL},
		{"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"priority\":1.5}}", "spec.priority"},
		{"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"priority\":\"1\"}}", "spec.priority"},
		{"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"ports\":[{"
		 "\"hostPort\":"
		 "65536}]}]}}",
			"spec.containers.ports.hostPort"},
		{"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"ports\":[{"
		 "\"hostPort\":"
		 "-1}]}]}}",
			"spec.containers.ports.hostPort"},
		{"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"topologySpreadConstraints\":[{"
		 "\"maxSkew\":"
		 "9999999999}]}}",
			"spec.topologySpreadConstraints.maxSkew"},
		{"{\"metadata\":{\"name\":\"x\",\"generation\":9223372036854775808}}",
			"metadata.generation"},
		{"{\"metadata\":{\"name\":\"x\"},\"status\":{\"startTime\":\"yesterday\"}}",
			"status.startTime"},
		{"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"resources\":{"
		 "\"requests\":{"
		 "\"cpu\":\"1x\"}}}]}}",
			"spec.containers.resources.requests"});
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_identity_and_status);
	RUN_TEST(test_scalars_of_the_class);
	RUN_TEST(test_defaults);
	RUN_TEST(test_disruption_target_needs_all_three);
	RUN_TEST(test_host_ports);
	RUN_TEST(test_images);
	RUN_TEST(test_volumes);
	RUN_TEST(test_sources_that_are_null);
	RUN_TEST(test_spread);
	RUN_TEST(test_resource_claims);
	RUN_TEST(test_equal_specs_give_equal_classes);
	RUN_TEST(test_identity_is_no_part_of_the_class);
	RUN_TEST(test_local_twins);
	RUN_TEST(test_pods_for_one_node_each_are_of_one_class);
	RUN_TEST(test_other_fields_stay_in_the_class);
	RUN_TEST(test_controllers_are_no_part_of_the_class);
	RUN_TEST(test_too_much_is_refused_by_name);
	RUN_TEST(test_numbers_out_of_range);
	return UNITY_END();
}
