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

const struct json_want kube_want_containers[] = {
	{"name", NULL},
	{"image", NULL},
	{"resources", kube_want_resources},
	{"ports", want_port},
	{"restartPolicy", NULL},
	{"restartPolicyRules", want_restart_rule},
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
	struct json_value host_network;
	struct json_value host_users;
	struct json_value volumes;
	struct json_value gates;
	struct json_value claims;
};

static void pod_spec_member(struct text key, struct json_value value, struct pod_spec *spec)
{
	if (KUBE_IS(key, "containers"))
		spec->containers = value;
	else if (KUBE_IS(key, "schedulerName"))
		spec->scheduler_name = value;
	else if (KUBE_IS(key, "tolerations"))
		spec->tolerations = value;
	else if (KUBE_IS(key, "volumes"))
		spec->volumes = value;
	else if (KUBE_IS(key, "nodeName"))
		spec->node_name = value;
	else if (KUBE_IS(key, "priority"))
		spec->priority = value;
	else if (KUBE_IS(key, "preemptionPolicy"))
		spec->preemption_policy = value;
	else if (KUBE_IS(key, "nodeSelector"))
		spec->node_selector = value;
	else if (KUBE_IS(key, "affinity"))
		spec->affinity = value;
	else if (KUBE_IS(key, "topologySpreadConstraints"))
		spec->spread = value;
	else if (KUBE_IS(key, "initContainers"))
		spec->init_containers = value;
	else if (KUBE_IS(key, "hostNetwork"))
		spec->host_network = value;
	else if (KUBE_IS(key, "hostUsers"))
		spec->host_users = value;
	else if (KUBE_IS(key, "schedulingGates"))
		spec->gates = value;
	else if (KUBE_IS(key, "resourceClaims"))
		spec->claims = value;
}

/* ---- containers ---- */

struct pod_container {
	struct text image;
	struct json_value ports;
	bool runs_on; /* no init container, or one with restartPolicy Always */
	bool restarts_all;
};

static struct pod_container container_read(struct kube_build *b, struct json_value v)
{
	struct pod_container c = {TEXT_NONE, JSON_VALUE_NONE, false, false};
	struct json_walk walk = kube_read_object(b, v, "spec.containers");
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "image")) {
			c.image = kube_read_text(b, walk.value, "spec.containers.image");
		} else if (KUBE_IS(walk.key, "ports")) {
			c.ports = walk.value;
		} else if (KUBE_IS(walk.key, "restartPolicy")) {
			c.runs_on = text_is_z(
				kube_read_text(b, walk.value, "spec.containers.restartPolicy"),
				"Always");
		} else if (KUBE_IS(walk.key, "restartPolicyRules")) {
			struct json_walk rules = kube_read_array(
				b, walk.value, "spec.containers.restartPolicyRules");
			while (json_walk_next(&rules)) {
				struct json_value action = kube_read_member(b, rules.value,
					"action", "spec.containers.restartPolicyRules");
				c.restarts_all |= text_is_z(
					kube_read_text(b, action,
						"spec.containers.restartPolicyRules.action"),
					"RestartAllContainers");
			}
		}
	}
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
static void images_build(struct kube_build *b, const struct pod_container *containers,
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

static void host_port_add(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	struct text ip = TEXT_NONE, protocol = TEXT_NONE;
	int32_t port = 0;
	struct json_walk walk = kube_read_object(b, v, "spec.containers.ports");
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "hostPort"))
			port = kube_read_i32(b, walk.value, 0, "spec.containers.ports.hostPort");
		else if (KUBE_IS(walk.key, "hostIP"))
			ip = kube_read_text(b, walk.value, "spec.containers.ports.hostIP");
		else if (KUBE_IS(walk.key, "protocol"))
			protocol = kube_read_text(b, walk.value, "spec.containers.ports.protocol");
	}
	if (port < 0 || port > UINT16_MAX)
		kube_build_malformed(b, "spec.containers.ports.hostPort", "not a port");
	if (port == 0 || kube_failed(b))
		return;
	KUBE_BUILT(b, *span, struct kube_host_port)
	[span->count++] = (struct kube_host_port){
		.ip = kube_build_string(b, ip.size == 0 ? TEXT("0.0.0.0") : ip),
		.protocol = kube_build_string(b, protocol.size == 0 ? TEXT("TCP") : protocol),
		.port = (uint32_t)port,
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
		class->features |= c->restarts_all ? KUBE_FEATURE_RESTART_ALL_CONTAINERS : 0;
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
	images_build(b, containers, spec->volumes, class);
	kube_pod_volumes_build(b, spec->volumes, class);
	gates_build(b, spec->gates, class);
	kube_pod_claims_build(b, spec->claims, class);
	kube_pod_extended_build(b, spec->init_containers, spec->containers, class);
}

/* ---- status ---- */

static struct kube_condition condition_read(struct kube_build *b, struct json_value v)
{
	struct kube_condition c = {.type = TEXT_NONE};
	struct json_walk walk = kube_read_object(b, v, "status.conditions");
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "type"))
			c.type = kube_read_text(b, walk.value, "status.conditions.type");
		else if (KUBE_IS(walk.key, "status"))
			c.status = kube_read_text(b, walk.value, "status.conditions.status");
		else if (KUBE_IS(walk.key, "reason"))
			c.reason = kube_read_text(b, walk.value, "status.conditions.reason");
		else if (KUBE_IS(walk.key, "message"))
			c.message = kube_read_text(b, walk.value, "status.conditions.message");
		else if (KUBE_IS(walk.key, "lastProbeTime"))
			c.last_probe_time =
				kube_read_text(b, walk.value, "status.conditions.lastProbeTime");
		else if (KUBE_IS(walk.key, "lastTransitionTime"))
			c.last_transition_time = kube_read_text(
				b, walk.value, "status.conditions.lastTransitionTime");
		else if (KUBE_IS(walk.key, "observedGeneration"))
			c.observed_generation = kube_read_i64(
				b, walk.value, 0, "status.conditions.observedGeneration");
	}
	return c;
}

static void conditions_read(struct kube_build *b, struct json_value v, struct kube_pod *pod)
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
		*c = condition_read(b, walk.value);
		if (KUBE_IS(c->type, "DisruptionTarget") && KUBE_IS(c->status, "True") &&
			KUBE_IS(c->reason, "PreemptionByScheduler"))
			pod->disruption_target = 1;
	}
}

/* Only whether they can be read: they are looked at when the pod has claims. */
static void claim_statuses_read(struct kube_build *b, struct json_value v)
{
	struct json_walk walk = kube_read_array(b, v, "status.resourceClaimStatuses");
	while (json_walk_next(&walk)) {
		struct json_walk of =
			kube_read_object(b, walk.value, "status.resourceClaimStatuses");
		while (json_walk_next(&of)) {
			if (KUBE_IS(of.key, "name"))
				kube_read_text(b, of.value, "status.resourceClaimStatuses.name");
			else if (KUBE_IS(of.key, "resourceClaimName"))
				kube_read_text(b, of.value,
					"status.resourceClaimStatuses.resourceClaimName");
		}
	}
}

static void pod_status_read(struct kube_build *b, struct json_value v, struct kube_pod *pod)
{
	struct json_walk walk = kube_read_object(b, v, "status");
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "phase")) {
			pod->phase = kube_read_text(b, walk.value, "status.phase");
		} else if (KUBE_IS(walk.key, "conditions")) {
			conditions_read(b, walk.value, pod);
		} else if (KUBE_IS(walk.key, "startTime")) {
			pod->start_time = kube_read_time(b, walk.value, "status.startTime");
			pod->has_start_time = !kube_is_absent(walk.value);
		} else if (KUBE_IS(walk.key, "nominatedNodeName")) {
			pod->nominated_node_name =
				kube_read_text(b, walk.value, "status.nominatedNodeName");
		} else if (KUBE_IS(walk.key, "resourceClaimStatuses")) {
			claim_statuses_read(b, walk.value);
			pod->resource_claim_statuses = walk.value;
		} else if (KUBE_IS(walk.key, "extendedResourceClaimStatus")) {
			pod->extended_claim = kube_read_text(b,
				kube_read_member(b, walk.value, "resourceClaimName",
					"status.extendedResourceClaimStatus"),
				"status.extendedResourceClaimStatus.resourceClaimName");
		}
	}
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
	struct json_value status = JSON_VALUE_NONE;
	struct json_walk walk = json_walk(object);
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "spec")) {
			struct json_walk members = kube_read_object(b, walk.value, "spec");
			while (json_walk_next(&members))
				pod_spec_member(members.key, members.value, &spec);
		} else if (KUBE_IS(walk.key, "status")) {
			status = walk.value;
		}
	}
	pod->node_name = kube_read_text(b, spec.node_name, "spec.nodeName");
	pod_status_read(b, status, pod);

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
