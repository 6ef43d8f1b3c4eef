/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * patcher - tells pods what became of them: status patches for those that were not placed, and
 * the end for victims of preemption. Bounded: whoever has something to tell asks for room first.
 */
#ifndef BERTH_BIND_PATCHER_H
#define BERTH_BIND_PATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "bind/body.h"
#include "net/net.h"

enum {
	PATCHER_BODY_MAX = 16 * 1024, /* bytes of a patch; a longer message is cut at a character */
	PATCHER_TRIES = 4             /* core.md 13: 500, 503, 409, connection refused */
};

enum patcher_outcome {
	PATCHER_DONE,
	PATCHER_GONE,  /* there is no such pod any more: as good as done */
	PATCHER_FAILED /* logged; the next attempt of the pod says it again */
};

struct patcher_result {
	uint64_t tag;
	enum patcher_outcome outcome;
};

struct patcher_setup {
	struct net *net;
	struct net_client *client;
	struct arena *arena;
	struct clock clock;
	struct entropy entropy;
	uint32_t patches_max; /* status patches on their way or waiting */
	uint32_t victims_max;
	/* From inside net_poll(). NULL: nobody wants to know. */
	void (*patched)(void *self, const struct patcher_result *result);
	void (*evicted)(void *self, const struct patcher_result *result);
	void *self;
};

struct patcher;

struct patcher *patcher_init(const struct patcher_setup *setup);
size_t patcher_size(uint32_t patches_max, uint32_t victims_max);
void patcher_close(struct patcher *patcher);

uint32_t patcher_room(const struct patcher *patcher);         /* status patches */
uint32_t patcher_room_victims(const struct patcher *patcher); /* evictions */

/*
 * Nothing is sent, and false returned, when the status says all of it already. Patches of one pod
 * reach the server in the order of the calls. CHECKs the room.
 */
bool patcher_status(struct patcher *patcher, const struct body_pod *pod,
	const struct body_status *status, uint64_t tag);

/*
 * A victim: the DisruptionTarget condition (left out when `status` has it already), then DELETE
 * with the pod's own grace period. 404 of either is PATCHER_GONE. core.md 17.10. CHECKs the room.
 */
struct patcher_victim {
	struct body_pod pod;
	const struct kube_condition *old; /* its conditions */
	uint32_t old_count;
	int64_t generation;              /* metadata.generation; 0: unknown */
	struct text preemptor_scheduler; /* spec.schedulerName of who needs the room */
	uint64_t tag;
};
void patcher_evict(struct patcher *patcher, const struct patcher_victim *victim);

struct patcher_stats {
	uint32_t patches, victims; /* now */
	uint64_t sent, unchanged, failed, evicted, evict_failed, retried;
};
struct patcher_stats patcher_stats(const struct patcher *patcher);
bool patcher_is_idle(const struct patcher *patcher);

#endif
