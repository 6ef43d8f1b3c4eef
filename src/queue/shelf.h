/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shelf: pending pods that there is no memory for. Of such a pod only what names it and says how
 * important it is stays, about 64 bytes; the rest is asked for again when its turn comes. The order
 * is that of importance: priority, then pods that were not tried yet, then by turns the namespaces,
 * of each who came first. Pods behind a gate come last: a change of their own opens it, and brings
 * them whole. Behind them are those that were asked for already.
 *
 * Turns are tickets that count on. A pod's is one more than the last one of its namespace, or than
 * that of the pod that went back last: so one namespace with 100,000 pods is no queue that others
 * stand at the end of.
 *
 * Names are stored as the controllers make them: what stands before the last dash is shared.
 */
#ifndef BERTH_QUEUE_SHELF_H
#define BERTH_QUEUE_SHELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/pool.h"

enum {
	SHELF_NAME_MAX = 256,
	SHELF_TAIL = 8,
	SHELF_NAMESPACES = 256 /* whose last ticket is known; the others come as if new */
};

enum shelf_flag {
	SHELF_TRIED = 1,    /* nodes were looked at since it was made, and none was feasible */
	SHELF_GATED = 2,    /* it has scheduling gates */
	SHELF_REPORTED = 4, /* its event and its condition were written */
	SHELF_COUNTED = 16, /* of what is put there: it was lost before, and counted then */
	SHELF_ASKED = 8     /* the apiserver was asked for it, and nothing newer came since */
};

struct shelf_pod {
	uint64_t uid[2]; /* the caller's */
	uint32_t namespace;
	uint32_t head;         /* of its name, up to the last dash; or all of it */
	char tail[SHELF_TAIL]; /* shorter ones end with zeros */
	int32_t priority;
	uint32_t ticket;
	uint32_t position;
	uint16_t since_s; /* seconds since the shelf was made, of which it counts 18 hours */
	uint8_t seen;     /* list round it was last seen in, its last bits */
	uint8_t flags;
};

struct shelf_turn { /* the last ticket of a namespace */
	uint32_t namespace;
	uint32_t ticket;
};

struct shelf {
	struct pool pods;
	struct map by_name;
	struct heap order;
	struct intern *strings;
	struct mono made;
	uint32_t unreported; /* gated ones not counted: nothing is withheld from them */
	uint32_t gated;
	uint32_t turn; /* the ticket of the pod that went back last */
	uint32_t sampled;
	struct shelf_turn turns[SHELF_NAMESPACES];
};

struct shelf_entry { /* what is put there */
	struct text namespace;
	struct text name;
	uint64_t uid[2];
	int32_t priority;
	uint8_t seen;
	uint8_t flags;
};

/* Strings are interned with the caller's. `shelf` must not move afterwards. */
void shelf_init(struct shelf *shelf, struct arena *arena, struct intern *strings, uint32_t capacity,
	struct mono now);
size_t shelf_size(uint32_t capacity);

/* New, or in the place of what is there of that name. 0: there is no memory even for this. */
MUST_USE uint32_t shelf_put(struct shelf *shelf, const struct shelf_entry *entry, struct mono now);
uint32_t shelf_find(const struct shelf *shelf, struct text namespace, struct text name);
void shelf_remove(struct shelf *shelf, uint32_t index);
/* One that is among the least important; 0: none is less important than `entry` (NULL: any). */
uint32_t shelf_least(struct shelf *shelf, const struct shelf_entry *entry);
/* It goes, and the rest takes less memory. How many went: another one may have to go with it. */
uint32_t shelf_drop(struct shelf *shelf, uint32_t index);
/* Flags that order or count it may change. */
void shelf_set(struct shelf *shelf, uint32_t index, uint32_t flags, bool on);
/* What was reported may not have arrived: once more. */
void shelf_report_again(struct shelf *shelf);
/* It waits as if it had come now, behind those that wait already. */
void shelf_send_back(struct shelf *shelf, uint32_t index, struct mono now);
/* The most important one; 0: there is none. */
uint32_t shelf_first(const struct shelf *shelf);
static inline struct shelf_pod *shelf_pod_at(const struct shelf *shelf, uint32_t index)
{
	return pool_at(&shelf->pods, index);
}
static inline uint32_t shelf_count(const struct shelf *shelf)
{
	return pool_used(&shelf->pods);
}
static inline struct text shelf_namespace(const struct shelf *shelf, const struct shelf_pod *pod)
{
	return intern_text(shelf->strings, pod->namespace);
}
/* Written to `room`, or where it is stored. */
struct text shelf_name(
	const struct shelf *shelf, const struct shelf_pod *pod, char room[SHELF_NAME_MAX]);
/* What was put there; its name as shelf_name() gives it. */
struct shelf_entry shelf_entry_of(
	const struct shelf *shelf, uint32_t index, char room[SHELF_NAME_MAX]);
int64_t shelf_waited_us(const struct shelf *shelf, const struct shelf_pod *pod, struct mono now);

void shelf_audit(const struct shelf *shelf); /* CHECKs all of it; for tests */

#endif
