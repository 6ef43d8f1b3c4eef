/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eviction - ends victims of preemption: the condition DisruptionTarget, then DELETE with the pod's
 * own grace period. Sent beside bindings: a pod of higher priority waits for the room. Bounded.
 */
#ifndef BERTH_BIND_EVICTION_H
#define BERTH_BIND_EVICTION_H

#include "api/api.h"
#include "bind/body.h"

enum { EVICTION_NAMES_MAX = 512 /* bytes of the pod's namespace and name */ };

struct eviction_result {
	uint64_t tag;
	/* API_DONE, API_GONE (there is no such pod), or anything else: failed, and logged. */
	enum api_verdict verdict;
	struct text namespace, name; /* of the pod, which may be gone by now */
};

struct evictor_setup {
	struct api_client *client;
	struct arena *arena;
	struct clock clock;
	uint32_t victims_max;
	/* From inside net_poll(), the room is free again by then. May evict. */
	void (*evicted)(void *self, const struct eviction_result *result);
	void *self;
};

struct evictor;

struct evictor *evictor_init(const struct evictor_setup *setup);
size_t evictor_size(uint32_t victims_max);
/* What is on its way is given up, evicted() is not called. Before the api client is closed. */
void evictor_close(struct evictor *evictor);

uint32_t evictor_room(const struct evictor *evictor);

struct eviction_order {
	struct body_pod pod;
	const struct kube_condition *old; /* its conditions */
	uint32_t old_count;
	bool has_condition;              /* DisruptionTarget, whatever `old` knows of it */
	int64_t generation;              /* metadata.generation; 0: unknown */
	struct text preemptor_scheduler; /* spec.schedulerName of the preemptor */
	uint64_t tag;
};
/* evicted() is always called. CHECKs the room. */
void evictor_evict(struct evictor *evictor, const struct eviction_order *order);

struct evictor_stats {
	uint32_t victims; /* now */
	uint64_t evicted; /* those gone before included */
	uint64_t failed;
	uint64_t retried; /* requests sent once more */
};
struct evictor_stats evictor_stats(const struct evictor *evictor);

#endif
