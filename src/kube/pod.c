/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pod: what is kept of it while it arrives, and its parts put together. The class is written in
 * one fixed order, whatever the order of the members was, so that equal pods have equal classes.
 */
#include "base/hash.h"
#include "kube/image_name.h"
#include "kube/pod_requests.h"
#include "kube/time.h"

#include "kube/decode.h"

/* ---- wants ---- */

const struct json_want kube_want_resources[] = {
	{"requests", NULL},
	{"limits", NULL},
	{NULL, NULL},
};

static const struct json_want want_name[] = {
	{"name", NULL},
	{NULL, NULL},
};

static const struct json_want want_toleration[] = {
	{"key", NULL},
	{"operator", NULL},
	{"value", NULL},
	{"effect", NULL},
	{NULL, NULL},
};

static const struct json_want want_spread[] = {
	{"maxSkew", NULL},
	{"topologyKey", NULL},
	{"whenUnsatisfiable", NULL},
	{"labelSelector", NULL},
	{"minDomains", NULL},
	{"nodeAffinityPolicy", NULL},
	{"nodeTaintsPolicy", NULL},
	{"matchLabelKeys", NULL},
	{NULL, NULL},
};

static const struct json_want want_port[] = {
	{"hostIP", NULL},
	{"hostPort", NULL},
	{"protocol", NULL},
	{NULL, NULL},
};

static const struct json_want want_restart_rule[] = {
	{"action", NULL},
	{NULL, NULL},
};

static const struct json_want want_mount[] = {
	{"bindMountOptions", NULL},
	{NULL, NULL},
};

const struct json_want kube_want_ephemeral[] = {
	{"volumeMounts", want_mount},
	{NULL, NULL},
};

const struct json_want kube_want_containers[] = {
	{"name", NULL},
	{"image", NULL},
	{"resources", kube_want_resources},
	{"ports", want_port},
	{"restartPolicy", NULL},
	{"restartPolicyRules", want_restart_rule},
	{"volumeMounts", want_mount},
	{NULL, NULL},
};

static const struct json_want want_resource_claim[] = {
	{"name", NULL},
	{"resourceClaimName", NULL},
	{"resourceClaimTemplateName", NULL},
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"nodeName", NULL},
	{"schedulerName", NULL},
	{"priority", NULL},
	{"preemptionPolicy", NULL},
	{"schedulingGates", want_name},
	{"nodeSelector", NULL},
	{"affinity", NULL},
	{"tolerations", want_toleration},
	{"topologySpreadConstraints", want_spread},
	{"containers", kube_want_containers},
	{"initContainers", kube_want_containers},
	{"ephemeralContainers", kube_want_ephemeral},
	{"overhead", NULL},
	{"resources", kube_want_resources},
	{"volumes", kube_want_pod_volumes},
	{"hostNetwork", NULL},
	{"hostUsers", NULL},
	{"resourceClaims", want_resource_claim},
	{NULL, NULL},
};

const struct json_want kube_want_pod_conditions[] = {
	{"type", NULL},
	{"status", NULL},
	{"reason", NULL},
	{"message", NULL},
	{"lastProbeTime", NULL},
	{"lastTransitionTime", NULL},
	{"observedGeneration", NULL},
	{NULL, NULL},
};

const struct json_want kube_want_container_statuses[] = {
	{"name", NULL},
	{"resources", kube_want_resources},
	{"allocatedResources", NULL},
	{NULL, NULL},
};

static const struct json_want want_claim_status[] = {
	{"name", NULL},
	{"resourceClaimName", NULL},
	{NULL, NULL},
};

static const struct json_want want_extended_claim[] = {
	{"resourceClaimName", NULL},
	{NULL, NULL},
};

static const struct json_want want_status[] = {
	{"phase", NULL},
	{"nominatedNodeName", NULL},
	{"startTime", NULL},
	{"conditions", kube_want_pod_conditions},
	{"containerStatuses", kube_want_container_statuses},
	{"initContainerStatuses", kube_want_container_statuses},
	{"resources", kube_want_resources},
	{"allocatedResources", NULL},
	{"resourceClaimStatuses", want_claim_status},
	{"extendedResourceClaimStatus", want_extended_claim},
	{NULL, NULL},
};

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(kube_want_bookmark),
	{"creationTimestamp", NULL},
	{NULL, NULL},
};

const struct json_want kube_pod_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_spec},
	{"status", want_status},
	{NULL, NULL},
};

static const struct json_want *want_named(const struct json_want *list, const char *key)
{
	while (strcmp(list->key, key) != 0)
		list++;
	return list;
}

_Static_assert(ARRAY_COUNT(want_metadata) == KUBE_POD_METADATA_WANTS, "all are copied");
_Static_assert(ARRAY_COUNT(kube_pod_want) == KUBE_POD_OBJECT_WANTS, "all are copied");

void kube_pod_wants_init(struct kube_pod_wants *wants)
{
	memcpy(wants->metadata, want_metadata, sizeof(want_metadata));
	memcpy(wants->object, kube_pod_want, sizeof(kube_pod_want));
	wants->annotations[0] = kube_want_bookmark[0];
	wants->metadata[want_named(want_metadata, "annotations") - want_metadata].inside =
		wants->annotations;
	wants->object[want_named(kube_pod_want, "metadata") - kube_pod_want].inside =
		wants->metadata;
}

/* ---- spec ---- */

/* Members of the spec, in the order the class is written in. */
struct pod_spec {
	struct json_value node_name;
	struct json_value scheduler_name;
	struct json_value priority;
	struct json_value preemption_policy;
	struct json_value node_selector;
	struct json_value affinity;
	struct json_value tolerations;
	struct json_value spread;
	struct json_value init_containers;
	struct json_value containers;
	struct json_value ephemeral_containers;
	struct json_value host_network;
	struct json_value host_users;
	struct json_value volumes;
	struct json_value gates;
	struct json_value claims;
};

static const struct kube_field pod_spec_fields[] = {
	KUBE_FIELD("spec.volumes", pod_spec, volumes),
	KUBE_FIELD("spec.initContainers", pod_spec, init_containers),
	KUBE_FIELD("spec.containers", pod_spec, containers),
	KUBE_FIELD("spec.ephemeralContainers", pod_spec, ephemeral_containers),
	KUBE_FIELD("spec.nodeSelector", pod_spec, node_selector),
	KUBE_FIELD("spec.nodeName", pod_spec, node_name),
	KUBE_FIELD("spec.hostNetwork", pod_spec, host_network),
	KUBE_FIELD("spec.affinity", pod_spec, affinity),
	KUBE_FIELD("spec.schedulerName", pod_spec, scheduler_name),
	KUBE_FIELD("spec.tolerations", pod_spec, tolerations),
	KUBE_FIELD("spec.priority", pod_spec, priority),
	KUBE_FIELD("spec.preemptionPolicy", pod_spec, preemption_policy),
	KUBE_FIELD("spec.topologySpreadConstraints", pod_spec, spread),
	KUBE_FIELD("spec.hostUsers", pod_spec, host_users),
	KUBE_FIELD("spec.schedulingGates", pod_spec, gates),
	KUBE_FIELD("spec.resourceClaims", pod_spec, claims),
};

/* ---- containers ---- */

struct pod_container {
	struct text image;
	struct json_value ports;
	struct text restart_policy;
	struct json_value restart_rules;
	struct json_value mounts;
	bool runs_on;      /* no init container, or one with restartPolicy Always */
	uint32_t features; /* that it needs */
};

static const struct kube_field pod_container_fields[] = {
	KUBE_FIELD("spec.containers.image", pod_container, image),
	KUBE_FIELD("spec.containers.ports", pod_container, ports),
	KUBE_FIELD("spec.containers.restartPolicy", pod_container, restart_policy),
	KUBE_FIELD("spec.containers.restartPolicyRules", pod_container, restart_rules),
	KUBE_FIELD("spec.containers.volumeMounts", pod_container, mounts),
};

static uint32_t mounts_features(struct kube_build *b, struct json_value mounts, const char *field)
{
	struct json_walk walk = kube_read_array(b, mounts, field);
	uint32_t features = 0;
	while (b->release >= KUBE_1_37 && json_walk_next(&walk))
		if (json_count(json_get(walk.value, "bindMountOptions")) > 0)
			features = KUBE_FEATURE_VOLUME_BIND_MOUNT_OPTIONS;
	return features;
}

static struct pod_container container_read(struct kube_build *b, struct json_value v)
{
	static const char field[] = "spec.containers.restartPolicyRules";
	struct pod_container c = {.ports = JSON_VALUE_NONE};
	KUBE_READ_FIELDS(b, v, "spec.containers", pod_container_fields, &c);
	c.runs_on = text_is_z(c.restart_policy, "Always");
	struct json_walk rules = kube_read_array(b, c.restart_rules, field);
	while (json_walk_next(&rules)) {
		struct json_value action = kube_read_member(b, rules.value, "action", field);
		if (text_is_z(kube_read_text(b, action, field), "RestartAllContainers"))
			c.features |= KUBE_FEATURE_RESTART_ALL_CONTAINERS;
	}
	c.features |= mounts_features(b, c.mounts, "spec.containers.volumeMounts");
	return c;
}

static void image_add(struct kube_build *b, struct text image, struct kube_span *span)
{
	if (image.size == 0 || kube_failed(b))
		return;
	struct text name = kube_image_name(b->scratch, image);
	if (name.at == NULL)
		kube_build_full(b);
	uint32_t id = kube_build_string(b, name);
	KUBE_BUILT(b, *span, uint32_t)[span->count++] = id;
}

/* Names as nodes list them, of init containers, containers and image volumes. */
static void pod_images_build(struct kube_build *b, const struct pod_container *containers,
	struct json_value volumes, struct kube_pod_template *class)
{
	uint32_t most = class->container_count + kube_read_count(volumes);
	struct kube_span room;
	if (kube_build_array(b, sizeof(uint32_t), most, &room) == NULL)
		return;
	struct kube_span images = {room.at, 0};
	for (uint32_t i = 0; i < class->container_count; i++)
		image_add(b, containers[i].image, &images);
	struct json_walk walk = kube_read_array(b, volumes, "spec.volumes");
	while (json_walk_next(&walk)) {
		struct json_value image = json_get(walk.value, "image");
		class->image_volume_count += json_type(image) == JSON_OBJECT;
		image_add(b,
			kube_read_text(b,
				kube_read_member(b, image, "reference", "spec.volumes.image"),
				"spec.volumes.image.reference"),
			&images);
	}
	kube_build_shorten(b, sizeof(uint32_t), images.count, &room);
	class->images = room;
}

struct pod_port {
	int32_t port;
	struct text ip;
	struct text protocol;
};

static const struct kube_field pod_port_fields[] = {
	KUBE_FIELD("spec.containers.ports.hostPort", pod_port, port),
	KUBE_FIELD("spec.containers.ports.protocol", pod_port, protocol),
	KUBE_FIELD("spec.containers.ports.hostIP", pod_port, ip),
};

static void host_port_add(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	struct pod_port p = {.port = 0};
	KUBE_READ_FIELDS(b, v, "spec.containers.ports", pod_port_fields, &p);
	if (p.port < 0 || p.port > UINT16_MAX)
		kube_build_malformed(b, "spec.containers.ports.hostPort", "not a port");
	if (p.port == 0 || kube_failed(b))
		return;
	KUBE_BUILT(b, *span, struct kube_host_port)
	[span->count++] = (struct kube_host_port){
		.ip = kube_build_string(b, p.ip.size == 0 ? TEXT("0.0.0.0") : p.ip),
		.protocol = kube_build_string(b, p.protocol.size == 0 ? TEXT("TCP") : p.protocol),
		.port = (uint32_t)p.port,
	};
}

static void host_ports_build(struct kube_build *b, const struct pod_container *containers,
	struct kube_pod_template *class)
{
	struct kube_span room;
	uint32_t most = 0;
	for (uint32_t i = 0; i < class->container_count; i++)
		most += containers[i].runs_on ? kube_read_count(containers[i].ports) : 0;
	if (kube_build_array(b, sizeof(struct kube_host_port), most, &room) == NULL)
		return;
	struct kube_span ports = {room.at, 0};
	for (uint32_t i = 0; i < class->container_count; i++) {
		struct json_walk walk = json_walk(containers[i].ports);
		while (containers[i].runs_on && json_walk_next(&walk))
			host_port_add(b, walk.value, &ports);
	}
	struct kube_host_port *sorted = KUBE_BUILT(b, room, struct kube_host_port);
	kube_sort(sorted, sizeof(*sorted), 3, ports.count);
	ports.count = kube_sorted_unique(sorted, sizeof(*sorted), 3, ports.count);
	kube_build_shorten(b, sizeof(*sorted), ports.count, &room);
	class->host_ports = room;
}

/* Init containers come first. In scratch; NULL when there are none, or no room. */
static struct pod_container *containers_read(
	struct kube_build *b, const struct pod_spec *spec, struct kube_pod_template *class)
{
	uint32_t init_count = kube_read_count(spec->init_containers);
	uint32_t count = init_count + kube_read_count(spec->containers);
	struct pod_container *containers = SCRATCH_ARRAY(b->scratch, struct pod_container, count);
	if (containers == NULL) {
		kube_build_full(b);
		return NULL;
	}
	class->container_count = count;
	struct json_walk init = kube_read_array(b, spec->init_containers, "spec.initContainers");
	struct json_walk walk = kube_read_array(b, spec->containers, "spec.containers");
	for (uint32_t i = 0; i < count; i++) {
		struct json_walk *list = i < init_count ? &init : &walk;
		bool there = json_walk_next(list);
		CHECK(there);
		struct pod_container *c = &containers[i];
		*c = container_read(b, list->value);
		c->runs_on |= i >= init_count;
		kube_read_array(b, c->ports, "spec.containers.ports");
		class->features |= c->features;
	}
	/* They may be there before the pod has a node, and nothing else of them counts. */
	struct json_walk ephemeral =
		kube_read_array(b, spec->ephemeral_containers, "spec.ephemeralContainers");
	while (json_walk_next(&ephemeral)) {
		static const char field[] = "spec.ephemeralContainers.volumeMounts";
		class->features |= mounts_features(
			b, kube_read_member(b, ephemeral.value, "volumeMounts", field), field);
	}
	return containers;
}

static void gates_build(
	struct kube_build *b, struct json_value gates, struct kube_pod_template *class)
{
	struct json_walk walk = kube_read_array(b, gates, "spec.schedulingGates");
	uint32_t *ids = kube_build_array(b, sizeof(*ids), kube_read_count(gates), &class->gates);
	for (uint32_t i = 0; ids != NULL && json_walk_next(&walk); i++)
		ids[i] = kube_read_id(b,
			kube_read_member(b, walk.value, "name", "spec.schedulingGates"),
			"spec.schedulingGates.name");
}

/* ---- class ---- */

/* What comes before `local_end` in the struct, and before its value behind the struct. */
static size_t local_head(void)
{
	return offsetof(struct kube_pod_template, local_end) - sizeof(struct kube_blob);
}

bool kube_pod_is_local_twin(const struct kube_pod_template *a, const struct kube_pod_template *b)
{
	return a->local_hash == b->local_hash && a->local_end == b->local_end &&
		memcmp(&a->blob + 1, &b->blob + 1, local_head()) == 0 &&
		memcmp(a + 1, b + 1, a->local_end - sizeof(*a)) == 0;
}

static void local_close(struct kube_build *b, struct kube_pod_template *class)
{
	if (kube_failed(b))
		return;
	class->local_end = b->blob->size;
	class->local_hash = hash_pair(hash_bytes(&class->blob + 1, local_head()),
		hash_bytes(class + 1, class->local_end - sizeof(*class)));
}

static void local_fill(struct kube_build *b, const struct pod_spec *spec, struct json_value object,
	const struct pod_container *containers, struct kube_pod_template *class)
{
	kube_pod_requests(b, object, class);
	class->has_node_selector = !kube_is_absent(spec->node_selector);
	kube_read_pairs(b, spec->node_selector, &class->node_selector, "spec.nodeSelector");
	kube_pod_node_affinity_build(b, spec->affinity, class);
	kube_tolerations_build(b, spec->tolerations, &class->tolerations);
	host_ports_build(b, containers, class);
	bool host_network = kube_read_bool(b, spec->host_network, false, "spec.hostNetwork");
	bool host_users = kube_read_bool(b, spec->host_users, true, "spec.hostUsers");
	if (host_network && !host_users)
		class->features |= KUBE_FEATURE_USER_NAMESPACES_HOST_NETWORK;
	local_close(b, class);
}

static void class_fill(struct kube_build *b, const struct kube_pod *pod,
	const struct pod_spec *spec, struct json_value object, struct kube_pod_template *class)
{
	class->namespace = kube_build_string(b, pod->meta.namespace);
	struct text scheduler = kube_read_text(b, spec->scheduler_name, "spec.schedulerName");
	class->scheduler_name =
		kube_build_string(b, scheduler.size == 0 ? TEXT("default-scheduler") : scheduler);
	class->priority = kube_read_i32(b, spec->priority, 0, "spec.priority");
	class->preempts = !text_is_z(
		kube_read_text(b, spec->preemption_policy, "spec.preemptionPolicy"), "Never");
	const struct pod_container *containers = containers_read(b, spec, class);
	if (containers == NULL)
		return;
	local_fill(b, spec, object, containers, class);
	kube_pod_affinity_build(b, spec->affinity, pod->meta.namespace, class);
	kube_pod_spread_build(b, spec->spread, class);
	pod_images_build(b, containers, spec->volumes, class);
	kube_pod_volumes_build(b, spec->volumes, class);
	gates_build(b, spec->gates, class);
	kube_pod_claims_build(b, spec->claims, class);
	kube_pod_extended_build(b, spec->init_containers, spec->containers, class);
	kube_annotations_build(b, &pod->meta, KUBE_ANNOTATED_POD, &class->annotations);
}

/* ---- status ---- */

#define CONDITION(name, member) KUBE_FIELD("status.conditions." name, kube_condition, member)
static const struct kube_field condition_fields[] = {
	CONDITION("type", type),
	CONDITION("observedGeneration", observed_generation),
	CONDITION("status", status),
	CONDITION("lastProbeTime", last_probe_time),
	CONDITION("lastTransitionTime", last_transition_time),
	CONDITION("reason", reason),
	CONDITION("message", message),
};

static void pod_conditions_read(struct kube_build *b, struct json_value v, struct kube_pod *pod)
{
	struct json_walk walk = kube_read_array(b, v, "status.conditions");
	uint32_t count = kube_read_count(v);
	if (count == 0)
		return;
	pod->conditions = SCRATCH_ARRAY(b->scratch, struct kube_condition, count);
	if (pod->conditions == NULL) {
		kube_build_full(b);
		return;
	}
	pod->condition_count = count;
	for (uint32_t i = 0; json_walk_next(&walk); i++) {
		struct kube_condition *c = &pod->conditions[i];
		*c = (struct kube_condition){.type = TEXT_NONE};
		KUBE_READ_FIELDS(b, walk.value, "status.conditions", condition_fields, c);
		if (KUBE_IS(c->type, "DisruptionTarget") && KUBE_IS(c->status, "True") &&
			KUBE_IS(c->reason, "PreemptionByScheduler"))
			pod->disruption_target = 1;
	}
}

struct claim_status {
	struct text name;
	struct text claim_name;
};

/* Only whether they can be read: they are looked at when the pod has claims. */
static void claim_statuses_read(struct kube_build *b, struct json_value v)
{
	static const char field[] = "status.resourceClaimStatuses";
	static const struct kube_field fields[] = {
		KUBE_FIELD("status.resourceClaimStatuses.name", claim_status, name),
		KUBE_FIELD(
			"status.resourceClaimStatuses.resourceClaimName", claim_status, claim_name),
	};
	struct claim_status status;
	struct json_walk walk = kube_read_array(b, v, field);
	while (json_walk_next(&walk))
		KUBE_READ_FIELDS(b, walk.value, field, fields, &status);
}

struct pod_status {
	struct text phase;
	struct text nominated_node_name;
	struct json_value conditions;
	struct json_value start_time;
	struct json_value claim_statuses;
	struct json_value extended_claim;
};

static const struct kube_field pod_status_fields[] = {
	KUBE_FIELD("status.phase", pod_status, phase),
	KUBE_FIELD("status.conditions", pod_status, conditions),
	KUBE_FIELD("status.nominatedNodeName", pod_status, nominated_node_name),
	KUBE_FIELD("status.startTime", pod_status, start_time),
	KUBE_FIELD("status.resourceClaimStatuses", pod_status, claim_statuses),
	KUBE_FIELD("status.extendedResourceClaimStatus", pod_status, extended_claim),
};

static void pod_status_read(struct kube_build *b, struct json_value v, struct kube_pod *pod)
{
	struct pod_status status = {.conditions = JSON_VALUE_NONE};
	KUBE_READ_FIELDS(b, v, "status", pod_status_fields, &status);
	pod->phase = status.phase;
	pod->nominated_node_name = status.nominated_node_name;
	pod_conditions_read(b, status.conditions, pod);
	pod->start_time = kube_read_time(b, status.start_time, "status.startTime");
	pod->has_start_time = !kube_is_absent(status.start_time);
	claim_statuses_read(b, status.claim_statuses);
	pod->resource_claim_statuses = status.claim_statuses;
	pod->extended_claim = kube_read_text(b,
		kube_read_member(b, status.extended_claim, "resourceClaimName",
			"status.extendedResourceClaimStatus"),
		"status.extendedResourceClaimStatus.resourceClaimName");
}

enum kube_result kube_pod_decode(
	struct kube_build *b, struct json_value object, struct kube_pod *pod)
{
	kube_decode_begin(b);
	*pod = (struct kube_pod){.resource_claim_statuses = JSON_VALUE_NONE};
	kube_meta_decode_namespaced(b, object, &pod->meta);
	pod->creation_time = pod->meta.creation_time;
	if (kube_failed(b))
		return b->result;

	struct pod_spec spec = {.node_name = JSON_VALUE_NONE};
	KUBE_READ_FIELDS(b, json_get(object, "spec"), "spec", pod_spec_fields, &spec);
	pod->node_name = kube_read_text(b, spec.node_name, "spec.nodeName");
	pod_status_read(b, json_get(object, "status"), pod);

	pod->for_node = kube_pod_for_node(spec.affinity);
	pod->labels = kube_labels_build_owned(
		b, pod->meta.labels, &pod->meta.controller, "metadata.labels");
	struct kube_pod_template *class = kube_build_start(b, sizeof(*class));
	if (class != NULL)
		class_fill(b, pod, &spec, object, class);
	pod->class = (struct kube_pod_template *)(void *)kube_build_finish(b);
	if (kube_failed(b) && pod->labels != NULL) {
		kube_blob_drop(&pod->labels->blob, b->strings);
		pod->labels = NULL;
	}
	return b->result;
}
