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
	uint32_t features_hash; /* the list as it stands, order matters */
	uint32_t reserved;
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
