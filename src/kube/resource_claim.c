/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ResourceClaim: what is asked for stands first in the blob, so that claims that ask for the same
 * can be told by their bytes.
 */
#include "kube/resource_decode.h"

#include "base/hash.h"

#define ANNOTATION_EXTENDED "resource.kubernetes.io/extended-resource-claim"

static const struct json_want want_annotations[] = {
	{ANNOTATION_EXTENDED, NULL},
	{"k8s.io/initial-events-end", NULL},
	{NULL, NULL},
};

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(want_annotations),
	{"finalizers", NULL},
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"devices", NULL},
	{NULL, NULL},
};

static const struct json_want want_device_status[] = {
	{"driver", NULL},
	{"pool", NULL},
	{"device", NULL},
	{"shareID", NULL},
	{"conditions", NULL},
	{NULL, NULL},
};

static const struct json_want want_status[] = {
	{"allocation", NULL},
	{"reservedFor", NULL},
	{"devices", want_device_status},
	{NULL, NULL},
};

const struct json_want kube_resource_claim_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_spec},
	{"status", want_status},
	{NULL, NULL},
};

/* ---- what is asked for ---- */

static void ask_read_mode(struct kube_build *b, struct json_value v, struct kube_device_ask *ask)
{
	static const char field[] = "spec.devices.requests.allocationMode";
	struct text mode = kube_read_text(b, json_get(v, "allocationMode"), field);
	ask->mode = mode.size == 0 || KUBE_IS(mode, "ExactCount") ? KUBE_DEVICES_EXACT
		: KUBE_IS(mode, "All")                            ? KUBE_DEVICES_ALL
								  : KUBE_DEVICES_OTHER;
	ask->mode_text = kube_build_string(b, mode);
	/* The apiserver fills in 1 for an exact count. */
	ask->count = kube_read_i64(
		b, json_get(v, "count"), mode.size == 0 ? 1 : 0, "spec.devices.requests.count");
}

static void ask_build(struct kube_build *b, struct json_value v, struct kube_device_ask *ask)
{
	static const char field[] = "spec.devices.requests";
	struct json_value admin = kube_read_member(b, v, "adminAccess", field);
	struct json_value tolerations = json_get(v, "tolerations");
	ask->name = kube_read_id(b, json_get(v, "name"), field);
	ask->class_name = kube_read_id(b, json_get(v, "deviceClassName"), field);
	ask_read_mode(b, v, ask);
	ask->has_admin = !kube_is_absent(admin);
	ask->admin = kube_read_bool(b, admin, false, field);
	kube_selectors_build(b, json_get(v, "selectors"), &ask->selectors);
	kube_tolerations_build(b, tolerations, &ask->tolerations);
	ask->tolerations_json = ask->tolerations.count == 0 ? 0 : kube_read_json(b, tolerations);
	kube_amounts_build(b, kube_read_member(b, json_get(v, "capacity"), "requests", "capacity"),
		&ask->capacity, "spec.devices.requests.capacity.requests");
}

/* v1beta1 has no `exactly`: what would be in it stands in the request. */
static void request_build(
	struct kube_build *b, struct json_value v, struct kube_device_request *request)
{
	static const char field[] = "spec.devices.requests";
	struct json_value exactly = kube_read_member(b, v, "exactly", field);
	struct json_value list = json_get(v, "firstAvailable");
	bool is_flat = kube_is_absent(exactly) && !kube_is_absent(json_get(v, "deviceClassName"));
	request->name = kube_read_id(b, json_get(v, "name"), field);
	request->is_list = kube_is_absent(exactly) && !is_flat && kube_read_count(list) > 0;
	struct json_walk walk = kube_read_array(b, list, field);
	uint32_t count = request->is_list ? kube_read_count(list)
					  : (uint32_t)(is_flat || !kube_is_absent(exactly));
	struct kube_device_ask *asks = kube_build_array(b, sizeof(*asks), count, &request->asks);
	for (uint32_t i = 0; asks != NULL && i < count; i++) {
		if (request->is_list && !json_walk_next(&walk))
			break;
		ask_build(b, request->is_list ? walk.value : is_flat ? v : exactly, &asks[i]);
	}
}

static void requests_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	struct json_walk walk = kube_read_array(b, v, "spec.devices.requests");
	struct kube_device_request *built =
		kube_build_array(b, sizeof(*built), kube_read_count(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++)
		request_build(b, walk.value, &built[i]);
}

static void constraints_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	static const char field[] = "spec.devices.constraints";
	struct json_walk walk = kube_read_array(b, v, field);
	struct kube_device_constraint *built =
		kube_build_array(b, sizeof(*built), kube_read_count(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		struct json_value match = kube_read_member(b, walk.value, "matchAttribute", field);
		struct json_value distinct = json_get(walk.value, "distinctAttribute");
		built[i].kind = !kube_is_absent(match) ? KUBE_CONSTRAINT_MATCH
			: !kube_is_absent(distinct)    ? KUBE_CONSTRAINT_DISTINCT
						       : KUBE_CONSTRAINT_UNKNOWN;
		built[i].attribute =
			kube_read_id(b, kube_is_absent(match) ? distinct : match, field);
		kube_read_ids(b, json_get(walk.value, "requests"), &built[i].requests, field);
	}
}

/* ---- what was given ---- */

static void result_build(struct kube_build *b, struct json_value v, struct kube_device_result *r)
{
	static const char field[] = "status.allocation.devices.results";
	r->request = kube_read_id(b, kube_read_member(b, v, "request", field), field);
	r->driver = kube_read_id(b, json_get(v, "driver"), field);
	r->pool = kube_read_id(b, json_get(v, "pool"), field);
	r->device = kube_read_id(b, json_get(v, "device"), field);
	r->admin = kube_read_bool(b, json_get(v, "adminAccess"), false, field);
	r->share = kube_read_id(b, json_get(v, "shareID"), field);
	kube_amounts_build(b, json_get(v, "consumedCapacity"), &r->consumed, field);
	kube_read_ids(b, json_get(v, "bindingConditions"), &r->conditions, field);
	kube_read_ids(b, json_get(v, "bindingFailureConditions"), &r->failures, field);
}

static void allocation_build(
	struct kube_build *b, struct json_value v, struct kube_allocation *allocation)
{
	static const char field[] = "status.allocation";
	struct json_value devices = kube_read_member(b, v, "devices", field);
	struct json_value results = kube_read_member(b, devices, "results", field);
	struct json_walk walk = kube_read_array(b, results, field);
	struct kube_device_result *built =
		kube_build_array(b, sizeof(*built), kube_read_count(results), &allocation->results);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++)
		result_build(b, walk.value, &built[i]);
	kube_reach_selector(b, json_get(v, "nodeSelector"), &allocation->reach);
	allocation->allocated_us = kube_read_time(b, json_get(v, "allocationTimestamp"), field).us;
}

struct kube_allocated *kube_allocated_build(struct kube_build *b, struct json_value v)
{
	struct kube_allocated *head = kube_build_start(b, sizeof(*head));
	if (head != NULL) {
		head->json = kube_read_json(b, v);
		allocation_build(b, v, &head->allocation);
	}
	return (struct kube_allocated *)(void *)kube_build_finish(b);
}

static void consumers_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	static const char field[] = "status.reservedFor";
	struct json_walk walk = kube_read_array(b, v, field);
	struct kube_consumer *built = kube_build_array(b, sizeof(*built), kube_read_count(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		built[i].uid =
			kube_read_id(b, kube_read_member(b, walk.value, "uid", field), field);
		built[i].name = kube_read_id(b, json_get(walk.value, "name"), field);
		built[i].resource = kube_read_id(b, json_get(walk.value, "resource"), field);
		built[i].api_group = kube_read_id(b, json_get(walk.value, "apiGroup"), field);
	}
}

static void device_conditions_read(struct kube_build *b, struct json_value device,
	struct json_value conditions, struct kube_device_condition *built)
{
	static const char field[] = "status.devices.conditions";
	struct json_walk walk = kube_read_array(b, conditions, field);
	for (uint32_t i = 0; json_walk_next(&walk); i++) {
		struct json_value v = walk.value;
		struct text status =
			kube_read_text(b, kube_read_member(b, v, "status", field), field);
		built[i] = (struct kube_device_condition){
			.driver = kube_read_id(b, json_get(device, "driver"), "status.devices"),
			.pool = kube_read_id(b, json_get(device, "pool"), "status.devices"),
			.device = kube_read_id(b, json_get(device, "device"), "status.devices"),
			.share = kube_read_id(b, json_get(device, "shareID"), "status.devices"),
			.type = kube_read_id(b, json_get(v, "type"), field),
			.is_true = KUBE_IS(status, "True"),
			.reason = kube_read_id(b, json_get(v, "reason"), field),
			.message = kube_read_id(b, json_get(v, "message"), field)};
	}
}

static void devices_status_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	static const char field[] = "status.devices";
	uint32_t count = 0;
	struct json_walk counting = kube_read_array(b, v, field);
	while (json_walk_next(&counting)) {
		struct json_value conditions =
			kube_read_member(b, counting.value, "conditions", field);
		kube_read_array(b, conditions, "status.devices.conditions");
		count += kube_read_count(conditions);
	}
	struct kube_device_condition *built = kube_build_array(b, sizeof(*built), count, span);
	struct json_walk walk = kube_read_array(b, v, field);
	while (built != NULL && json_walk_next(&walk)) {
		struct json_value conditions = json_get(walk.value, "conditions");
		device_conditions_read(b, walk.value, conditions, built);
		built += kube_read_count(conditions);
	}
}

/* ---- the whole ---- */

static void claim_read_meta(struct kube_build *b, struct json_value object,
	const struct kube_meta *meta, struct kube_claim *claim)
{
	struct json_value finalizers = json_path(object, "metadata.finalizers");
	struct json_walk walk = kube_read_array(b, finalizers, "metadata.finalizers");
	while (json_walk_next(&walk))
		if (KUBE_IS(kube_read_text(b, walk.value, "metadata.finalizers"),
			    KUBE_CLAIM_FINALIZER))
			claim->has_finalizer = 1;
	claim->uid = kube_build_string(b, meta->uid);
	claim->name = kube_build_string(b, meta->name);
	claim->namespace = kube_build_string(b, meta->namespace);
	claim->version = kube_build_string(b, meta->resource_version);
	claim->deleting = meta->deleting;
	claim->owner_uid = kube_build_string(b, meta->controller.uid);
	claim->owner_name = kube_build_string(b, meta->controller.name);
	struct text extended = kube_annotation(b, meta, ANNOTATION_EXTENDED);
	claim->is_extended = KUBE_IS(extended, "true");
}

/* Tells whether anything of the status changed that is read at all. */
static uint32_t status_hash(
	struct kube_build *b, const struct kube_claim *claim, struct json_value allocation)
{
	struct text raw = kube_is_absent(allocation) ? TEXT("") : json_raw(allocation);
	uint32_t hash = hash_more(hash_bytes(raw.at, raw.size), claim->reserved_json);
	if (kube_failed(b) || claim->conditions.count == 0)
		return hash;
	return hash_more(hash,
		hash_bytes(KUBE_BUILT(b, claim->conditions, uint8_t),
			claim->conditions.count * sizeof(struct kube_device_condition)));
}

static void fill_claim(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_claim *claim = head;
	struct json_value devices =
		kube_read_member(b, json_get(object, "spec"), "devices", "spec");
	struct json_value status = json_get(object, "status");
	struct json_value allocation = kube_read_member(b, status, "allocation", "status");
	struct json_value requests = kube_read_member(b, devices, "requests", "spec.devices");
	struct json_value constraints = json_get(devices, "constraints");
	requests_build(b, requests, &claim->requests);
	constraints_build(b, constraints, &claim->constraints);
	kube_device_configs_build(b, json_get(devices, "config"), &claim->configs);
	if (kube_failed(b))
		return;
	claim->shape.requests = kube_read_json(b, requests);
	claim->shape.constraints = kube_read_json(b, constraints);
	claim_read_meta(b, object, meta, claim);
	claim->allocated = !kube_is_absent(allocation);
	allocation_build(b, allocation, &claim->allocation);
	struct json_value consumers = json_get(status, "reservedFor");
	consumers_build(b, consumers, &claim->reserved_for);
	claim->reserved_json = kube_read_json(b, consumers);
	devices_status_build(b, json_get(status, "devices"), &claim->conditions);
	claim->status_hash = status_hash(b, claim, allocation);
}

enum kube_result kube_resource_claim_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_RESOURCE_CLAIM, sizeof(struct kube_claim), fill_claim, out);
}
