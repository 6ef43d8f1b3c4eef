/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DynamicResources, private: the claims of a pod, and what is known of them in one decision.
 */
#ifndef BERTH_PLUGINS_DYNAMIC_RESOURCES_H
#define BERTH_PLUGINS_DYNAMIC_RESOURCES_H

#include "dra/dra.h"
#include "plugins/hints.h"

enum {
	DEVICES_TIMEOUT_MAX_MS = 10 * 1000,
	DEVICES_DETAIL_MAX_MS = 1000 /* of an explanation: what nodes then still have is not said */
};

/* A claim of the pod, as the apiserver shows it. */
struct devices_claim {
	uint32_t object;
	const struct kube_claim *facts;
	bool is_unavailable; /* on a node that was looked at */
};

struct devices_state {
	struct devices_claim *claims;
	uint32_t claim_count;
	struct dra_claim *asked; /* those without an allocation, in their order */
	uint32_t *asked_of;      /* their places among the claims */
	uint32_t asked_count;    /* one more with extended resources: made for each node */
	bool has_extended;       /* some extended resource of the pod is backed by devices */
	uint32_t stale;          /* the claim made for them before, that must go; 0: none */
	struct dra_run run;
	int64_t detail_steps;  /* that are left to explain all nodes */
	struct dra_seen *seen; /* by node: what came out before; NULL: not known */
	int64_t *scores;       /* by node */
	int64_t given_score;   /* of claims that are allocated */
};

/* The pod's claims; false with the reason in `why`. `each` may be NULL. */
typedef void devices_each_fn(void *arg, uint32_t object, const struct kube_claim *claim);
bool devices_each_claim(const struct cache *cache, const struct plugin_pod *pod,
	struct plugin_reasons *why, devices_each_fn *each, void *arg);

bool devices_uid_is(const struct cache *cache, struct cache_uid uid, uint32_t text);
/* The pod is among the claim's consumers. */
bool devices_is_reserved(
	const struct cache *cache, const struct kube_claim *claim, struct cache_uid uid);

/*
 * Of the devices of an allocation: all conditions are there; *failed: one says that it will not be,
 * and why.
 */
bool devices_are_bound(const struct kube_claim *claim, const struct kube_device_condition **failed);
bool devices_have_conditions(const struct kube_allocation *allocation, const void *blob);
/* Some device has conditions, and the time for them is over. */
bool devices_are_late(const struct kube_allocation *allocation, const void *blob,
	int64_t timeout_us, struct wall now);

void devices_detail(struct cycle_state *d, const struct cache_view *view, struct writer *out);

/*
 * One-off calls: the claim gives its devices back, if it is still as it was seen; a claim that was
 * made for extended resources goes. How many calls; 0: out of scratch.
 */
uint32_t devices_free_claim(
	struct cycle_state *d, const struct kube_claim *claim, struct plugin_call *calls);
uint32_t devices_delete_claim(struct scratch *scratch, const struct cache *cache,
	const struct kube_claim *claim, struct plugin_call *calls);

/* The claim that was made for the pod's extended resources before, an object; 0: none. */
uint32_t devices_find_extended(const struct cycle_state *d);
/*
 * The claims to allocate on the node, with the one for its extended resources; in state->run.
 * False: out of scratch.
 */
MUST_USE bool devices_extend(struct cycle_state *d, struct devices_state *state,
	const struct cache_node *node, struct dra_extended *extended);

#endif
