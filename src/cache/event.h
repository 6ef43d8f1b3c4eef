/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events: what changed in the picture, with both the old and the new version. They wait in the
 * change log (cache/log.h). Own decisions (assume, forget, nominate) are no events.
 */
#ifndef BERTH_CACHE_EVENT_H
#define BERTH_CACHE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/object.h"

struct cache;

/* Upstream's masks. An update that is none of the named ones is CACHE_UPDATE. */
enum cache_action {
	CACHE_ADD = 1,
	CACHE_DELETE = 2,
	CACHE_UPDATE_NODE_ALLOCATABLE = 4,
	CACHE_UPDATE_NODE_LABEL = 8,
	CACHE_UPDATE_NODE_TAINT = 16,
	CACHE_UPDATE_NODE_CONDITION = 32,
	CACHE_UPDATE_NODE_ANNOTATION = 64,
	CACHE_UPDATE_NODE_FEATURE = 128,
	CACHE_UPDATE_POD_LABEL = 256,
	CACHE_UPDATE_POD_SCALE_DOWN = 512,
	CACHE_UPDATE_POD_TOLERATION = 1024,
	CACHE_UPDATE_POD_GATES = 2048,
	CACHE_UPDATE_POD_CLAIMS = 4096,
	CACHE_UPDATE = 8188 /* all the update bits */
};

struct cache_side {
	bool there;
	const struct kube_blob *blob;     /* pod: its class; node: its facts; others: theirs */
	const struct kube_labels *labels; /* pods, nodes, namespaces */
	uint32_t node;      /* pods: name of its node, as the apiserver says; 0: pending */
	uint32_t assumed;   /* pods: name of the node that it is on by our decision alone */
	uint32_t nominated; /* pods: string id of the nominated node */
	uint32_t claims;    /* pods: hash of the claims that were made for it */
	uint16_t flags;     /* pods: enum cache_pod_flag */
};

struct cache_event {
	enum kube_kind kind;
	uint32_t index; /* among pods, nodes or objects, then; may be that of another one by now */
	uint32_t namespace;
	uint32_t name;
	/* CACHE_ADD, CACHE_DELETE, CACHE_UPDATE, or the bits of what was updated; 0: nothing that
	 * anybody could wait for */
	uint32_t actions;
	struct cache_side old;
	struct cache_side now;
};

static inline const struct kube_pod_template *cache_side_template(const struct cache_side *side)
{
	return (const struct kube_pod_template *)(const void *)side->blob;
}
static inline const struct kube_node_facts *cache_side_facts(const struct cache_side *side)
{
	return (const struct kube_node_facts *)(const void *)side->blob;
}

/* Fills in event.actions from the two sides. */
void cache_event_actions(struct cache_event *event);

#endif
