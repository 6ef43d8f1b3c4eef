/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Node.
 */
#ifndef BERTH_KUBE_NODE_H
#define BERTH_KUBE_NODE_H

#include "kube/kube.h"

struct kube_image {
	int64_t size_bytes;
	struct kube_span names; /* uint32_t ids as they stand in status.images[].names */
};

enum kube_node_trouble {
	KUBE_NODE_NOT_READY = 1, /* Ready is there, and not True */
	KUBE_NODE_OUT_OF_DISK = 2,
	KUBE_NODE_NETWORK_UNAVAILABLE = 4,
	KUBE_NODE_MEMORY_PRESSURE = 8,
	KUBE_NODE_DISK_PRESSURE = 16,
	KUBE_NODE_PID_PRESSURE = 32
};

struct kube_avoided {      /* a controller whose pods had better go elsewhere */
	uint32_t kind;     /* string id */
	uint32_t uid_hash; /* kube_uid_hash() */
};

/* What of a node is kept: changes with its spec and status, not with its pods. */
struct kube_node_facts {
	struct kube_blob blob;
	uint32_t unschedulable;
	uint32_t features; /* enum kube_feature bits of status.declaredFeatures */
	struct kube_resources allocatable;
	struct kube_span taints; /* struct kube_taint, in the node's order */
	struct kube_span images; /* struct kube_image */
	/* Only to see whether they changed (cluster events): hashes of the parts. */
	uint32_t conditions_hash; /* type -> status */
	uint32_t annotations_hash;
	uint32_t features_hash;       /* the list as it stands, order matters */
	uint32_t troubles;            /* enum kube_node_trouble bits of status.conditions */
	int64_t ready_since_us;       /* when the condition Ready changed last; 0: not known */
	struct kube_span avoided;     /* struct kube_avoided, of the annotation preferAvoidPods */
	struct kube_span annotations; /* struct kube_label, sorted by key: those that are wanted */
};

struct kube_node {
	struct kube_meta meta;
	struct kube_node_facts *facts;
	struct kube_labels *labels;
};

extern const struct json_want kube_node_want[];
MUST_USE enum kube_result kube_node_decode(
	struct kube_build *b, struct json_value object, struct kube_node *node);

#endif
