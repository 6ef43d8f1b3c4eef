/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions: what the status of a pending pod says, as far as a patch of it has to know. Kept
 * from the pod's first sight until it has a node; texts are interned, so that a message that
 * 100,000 pods have is stored once.
 */
#ifndef BERTH_CACHE_CONDITIONS_H
#define BERTH_CACHE_CONDITIONS_H

#include "kube/pod.h"
#include "kube/time.h"

struct cache;
struct cache_pod;

enum {
	CACHE_CONDITIONS_MAX = 8, /* whose types are kept, PodScheduled among them */
	CACHE_TYPES_MAX = 512,    /* bytes of their types */
	/* Words for people are kept while one part in so many of strings and store is free. */
	CACHE_CONDITIONS_HEADROOM = 8
};

/* All but the numbers and the time are string ids. */
struct cache_conditions {
	int64_t generation;
	int64_t observed_generation; /* this and all below: of PodScheduled */
	int64_t transition_us;       /* INT64_MIN: none that can be read */
	uint32_t types;              /* of all of them in order, one a line */
	uint32_t status;
	uint32_t reason;
	uint32_t message;
	uint32_t probe_time;
	uint32_t nominated; /* status.nominatedNodeName, as the apiserver said it last */
};

/* A pod's status as it came: what kube_condition and body_status want. */
struct cache_status {
	/*
	 * False: there is more than is known (no room, or the pod has a node). A patch says all of
	 * its condition then.
	 */
	bool known;
	uint32_t count;
	struct kube_condition conditions[CACHE_CONDITIONS_MAX]; /* of others the type alone */
	int64_t generation;    /* metadata.generation; 0: unknown, or there is none */
	struct text nominated; /* as the apiserver has it, whatever cache_nominate() said since */
	char transition[KUBE_TIME_SIZE];
};

/* Texts are good until the pod changes; one of them is in `status` itself. */
void cache_pod_status(
	const struct cache *cache, const struct cache_pod *pod, struct cache_status *status);

/* ---- for pods.c ---- */

/* Never fails: what finds no room is counted, and the pod is marked CACHE_POD_STATUS_LOST. */
void cache_conditions_put(struct cache *cache, struct cache_pod *pod, const struct kube_pod *kube);
void cache_conditions_drop(struct cache *cache, struct cache_pod *pod);
void cache_conditions_audit(const struct cache *cache);

#endif
