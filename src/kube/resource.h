/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dynamic resources (resource.k8s.io): what drivers offer, what claims ask for, what they were
 * given. The shapes are those of v1; v1beta2 is the same, v1beta1 is read into it.
 *
 * Quantities stay texts, interned: thousands of devices have the same few, and only some are ever
 * counted. Each was parsed once, so that it can be parsed again. What is only written back into an
 * allocation (configuration, tolerations, node selectors) is kept as JSON, interned as well.
 */
#ifndef BERTH_KUBE_RESOURCE_H
#define BERTH_KUBE_RESOURCE_H

#include "kube/kube.h"
#include "kube/quantity.h"

enum kube_attribute_kind {
	KUBE_ATTRIBUTE_UNKNOWN, /* a type of a later release */
	KUBE_ATTRIBUTE_STRING,
	KUBE_ATTRIBUTE_VERSION,
	KUBE_ATTRIBUTE_INT,
	KUBE_ATTRIBUTE_BOOL
};

struct kube_attribute {
	uint32_t name; /* as the driver wrote it, with a domain or without */
	uint32_t kind;
	int64_t value; /* strings and versions: string id */
};

/* A quantity by a name: a counter, or an amount of a capacity. */
struct kube_amount {
	uint32_t name;
	uint32_t value; /* string id */
};

struct kube_capacity {
	uint32_t name;
	uint32_t value;
	uint32_t policy; /* struct kube_capacity_policy, bytes from the blob's start; 0: none */
};

/* requestPolicy; string ids, 0: not set */
struct kube_capacity_policy {
	uint32_t otherwise; /* default */
	uint32_t has_range;
	uint32_t least;
	uint32_t most;
	uint32_t step;
	uint32_t reserved;
	struct kube_span values; /* uint32_t string ids, as they come */
};

struct kube_counter_set {
	uint32_t name;
	struct kube_span counters; /* struct kube_amount */
};

/* Which nodes a slice, a device or an allocation is for; none of it set: none. */
struct kube_reach {
	uint32_t node_name;
	uint32_t all_nodes;
	uint32_t selector;      /* nodeSelector as JSON; 0: null */
	struct kube_span terms; /* struct kube_node_term */
};

/* What most devices do not have. */
struct kube_device_more {
	struct kube_reach reach;   /* with perDeviceNodeSelection */
	struct kube_span taints;   /* struct kube_taint */
	struct kube_span consumes; /* struct kube_counter_set */
	uint32_t binds_to_node;
	uint32_t is_shared;      /* allowMultipleAllocations */
	uint32_t has_conditions; /* bindingConditions is not empty */
	uint32_t conditions;     /* bindingConditions as JSON */
	uint32_t failures;       /* bindingFailureConditions as JSON */
	uint32_t reserved;
};

struct kube_device {
	uint32_t name;
	uint32_t more;               /* struct kube_device_more, as policy above */
	struct kube_span attributes; /* struct kube_attribute */
	struct kube_span capacities; /* struct kube_capacity */
};

struct kube_slice {
	struct kube_blob blob;
	uint32_t driver;
	uint32_t pool;
	int64_t generation;
	int64_t slice_count; /* of the pool's generation */
	struct kube_reach reach;
	uint32_t per_device;          /* perDeviceNodeSelection */
	uint32_t has_counters;        /* sharedCounters is not empty */
	struct kube_span devices;     /* struct kube_device */
	struct kube_span counter_set; /* struct kube_counter_set */
};

static inline const struct kube_device_more *kube_device_more(
	const struct kube_slice *slice, const struct kube_device *device)
{
	const uint8_t *start = (const uint8_t *)(const void *)slice;
	return device->more == 0
		? NULL
		: (const struct kube_device_more *)(const void *)(start + device->more);
}

/* ---- classes and claims ---- */

struct kube_device_config {
	uint32_t opaque;           /* JSON; 0: of a type of a later release */
	struct kube_span requests; /* uint32_t ids; none: all */
};

struct kube_device_class {
	struct kube_blob blob;
	uint32_t name;
	uint32_t extended_resource; /* spec.extendedResourceName */
	int64_t created_us;
	struct kube_span selectors; /* uint32_t ids of expressions; 0: not CEL */
	struct kube_span configs;   /* struct kube_device_config */
};

enum kube_device_mode { KUBE_DEVICES_EXACT, KUBE_DEVICES_ALL, KUBE_DEVICES_OTHER };

/* ExactDeviceRequest or DeviceSubRequest. */
struct kube_device_ask {
	uint32_t name; /* of a sub-request */
	uint32_t class_name;
	uint32_t mode;
	uint32_t mode_text;
	int64_t count;
	uint32_t has_admin; /* adminAccess is not null */
	uint32_t admin;
	struct kube_span selectors;   /* as in classes */
	struct kube_span tolerations; /* struct kube_toleration */
	uint32_t tolerations_json;
	uint32_t reserved;
	struct kube_span capacity; /* struct kube_amount: capacity.requests */
};

struct kube_device_request {
	uint32_t name;
	uint32_t is_list;      /* firstAvailable */
	struct kube_span asks; /* struct kube_device_ask; none: neither is set */
};

enum kube_constraint_kind {
	KUBE_CONSTRAINT_UNKNOWN,
	KUBE_CONSTRAINT_MATCH,
	KUBE_CONSTRAINT_DISTINCT
};
struct kube_device_constraint {
	uint32_t kind;
	uint32_t attribute;
	struct kube_span requests; /* uint32_t ids; none: all */
};

struct kube_device_result {
	uint32_t request;
	uint32_t driver;
	uint32_t pool;
	uint32_t device;
	uint32_t admin;
	uint32_t share;              /* shareID; 0: the device is given as a whole */
	struct kube_span consumed;   /* struct kube_amount */
	struct kube_span conditions; /* uint32_t ids of bindingConditions */
	struct kube_span failures;   /* the same of bindingFailureConditions */
};

struct kube_allocation {
	struct kube_span results; /* struct kube_device_result */
	struct kube_reach reach;  /* nodeSelector */
	int64_t allocated_us;     /* allocationTimestamp; 0: not set */
};

/* An allocation that is no part of an object yet. */
struct kube_allocated {
	struct kube_blob blob;
	struct kube_allocation allocation;
	uint32_t json; /* the same as it is written */
	uint32_t reserved;
};

struct kube_consumer {
	uint32_t uid;
	uint32_t name;
	uint32_t resource;
	uint32_t api_group;
};

/* A condition of a device that drivers report in status.devices. */
struct kube_device_condition {
	uint32_t driver;
	uint32_t pool;
	uint32_t device;
	uint32_t share;
	uint32_t type;
	uint32_t is_true;
	uint32_t reason;
	uint32_t message;
};

/* What decides which devices will do, as JSON, string ids: equal ones ask for the same. */
struct kube_claim_shape {
	uint32_t requests;
	uint32_t constraints;
};

struct kube_claim {
	struct kube_blob blob;
	struct kube_span requests;    /* struct kube_device_request */
	struct kube_span constraints; /* struct kube_device_constraint */
	struct kube_span configs;     /* struct kube_device_config */
	struct kube_claim_shape shape;
	uint32_t uid;
	uint32_t name;
	uint32_t namespace;
	uint32_t version; /* metadata.resourceVersion */
	uint32_t deleting;
	uint32_t owner_uid;   /* controlling owner */
	uint32_t owner_name;  /* of the same */
	uint32_t is_extended; /* made for extended resources */
	uint32_t has_finalizer;
	uint32_t allocated;     /* status.allocation is not null */
	uint32_t reserved_json; /* status.reservedFor */
	uint32_t status_hash;
	struct kube_allocation allocation;
	struct kube_span reserved_for; /* struct kube_consumer */
	struct kube_span conditions;   /* struct kube_device_condition */
};

struct kube_taint_rule {
	struct kube_blob blob;
	uint32_t driver; /* 0: of any */
	uint32_t pool;
	uint32_t device;
	uint32_t has_selector; /* deviceSelector is not null */
	struct kube_taint taint;
};

/* The finalizer of claims that have devices. */
#define KUBE_CLAIM_FINALIZER "resource.kubernetes.io/delete-protection"

/*
 * status.allocation, as read back from what is to be written: a finished blob, or NULL (see
 * kube_build).
 */
struct kube_allocated *kube_allocated_build(struct kube_build *b, struct json_value allocation);

/* A quantity that was read before. */
static inline struct quantity kube_amount_of(const struct intern *strings, uint32_t value)
{
	struct quantity q;
	if (quantity_parse(intern_text(strings, value), &q) != QUANTITY_OK)
		q = quantity_zero();
	return q;
}

#endif
