/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * patcher - tells pods what became of them: status patches for those that were not placed, and
 * the end for victims of preemption. Bounded: whoever has something to tell asks for room first.
 *
 * Status patches are sent below bindings (NET_READ), victims beside them (NET_BIND): a pod of
 * higher priority waits for their room. What was said is final with the callback; a patch that
 * failed is not kept, since the pod's next attempt has newer words.
 */
#ifndef BERTH_BIND_PATCHER_H
#define BERTH_BIND_PATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "bind/body.h"
#include "http/http.h"

enum {
	PATCHER_BODY_MAX = 16 * 1024,    /* bytes of a patch */
	PATCHER_MESSAGE_MAX = 12 * 1024, /* of its message, escaped; the rest is cut off */
	PATCHER_TRIES = 4,               /* core.md 13: 500, 503, 409, connection refused */
	PATCHER_WAITS = 10,              /* asked for by Retry-After */
	PATCHER_WAIT_MAX_MS = 30 * 1000, /* of one of those */
	PATCHER_SILENCE_MS = 10 * 1000,  /* of the server */
	PATCHER_TOTAL_MS = 60 * 1000     /* of one request, with the time it waits to be sent */
};

enum patcher_outcome {
	PATCHER_DONE,
	PATCHER_GONE,  /* there is no such pod any more: as good as done */
	PATCHER_FAILED /* logged; the next attempt of the pod says it again */
};

struct patcher_result {
	uint64_t tag;
	enum patcher_outcome outcome;
	struct text namespace, name; /* of the pod, which may be gone by now */
};

struct patcher_setup {
	struct net *net;
	struct net_client *client;
	struct arena *arena;
	struct clock clock;
	struct entropy entropy; /* jitter */
	uint32_t patches_max;   /* status patches on their way or waiting */
	uint32_t victims_max;
	/* Asked before each request: who leads no more evicts nobody. NULL: always. */
	bool (*may_write)(void *self);
	/*
	 * From inside net_poll(), the room is free again by then. May call the patcher. NULL:
	 * nobody wants to know.
	 */
	void (*patched)(void *self, const struct patcher_result *result);
	void (*evicted)(void *self, const struct patcher_result *result);
	void *self;
};

struct patcher;

struct patcher *patcher_init(const struct patcher_setup *setup);
size_t patcher_size(uint32_t patches_max, uint32_t victims_max);
/* What is on its way is given up, nobody is told. Before the client is closed. */
void patcher_close(struct patcher *patcher);

uint32_t patcher_room(const struct patcher *patcher);         /* status patches */
uint32_t patcher_room_victims(const struct patcher *patcher); /* evictions */

/*
 * Nothing is sent, patched() will not be called, and false is returned when the pod says all of
 * it already or will soon, because the same words are on their way; also (logged, counted as
 * failed) when no request can be made of it. Patches of one pod reach the server in the order of
 * the calls, each in full where the one before may have changed what `status` shows as old.
 * All text is copied. CHECKs the room. Cost: linear in the patches on their way.
 */
bool patcher_status(struct patcher *patcher, const struct body_pod *pod,
	const struct body_status *status, uint64_t tag);

/*
 * A victim: the DisruptionTarget condition (left out when `status` has it already), then DELETE
 * with the pod's own grace period. 404 of either is PATCHER_GONE. core.md 17.10. CHECKs the room.
 * evicted() is always called.
 */
struct patcher_victim {
	struct body_pod pod;
	const struct kube_condition *old; /* its conditions */
	uint32_t old_count;
	bool is_told;                    /* it has the condition, whatever `old` knows of it */
	int64_t generation;              /* metadata.generation; 0: unknown */
	struct text preemptor_scheduler; /* spec.schedulerName of who needs the room */
	uint64_t tag;
};
void patcher_evict(struct patcher *patcher, const struct patcher_victim *victim);

struct patcher_stats {
	uint32_t patches, victims; /* now */
	uint64_t sent;             /* patches that the server took */
	uint64_t unchanged;        /* not sent, there was nothing new in them */
	uint64_t failed;           /* patches */
	uint64_t evicted;          /* victims that are deleted now, gone ones included */
	uint64_t evict_failed;
	uint64_t retried; /* requests sent once more */
};
struct patcher_stats patcher_stats(const struct patcher *patcher);
bool patcher_is_idle(const struct patcher *patcher);

#endif
