/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * volumes - binds the claims of a pod that waited for their first consumer, before the pod itself
 * is bound: what VolumeBinding does at Reserve, PreBind and Unreserve (plugins.md 15).
 *
 * An order takes what the pod was promised: later decisions see the volumes as taken and the
 * claims on their way (cache/assumed.h). Then the pod is told its node (status.nominatedNodeName),
 * each volume is given its claim and each claim to provision its node, one after the other; then
 * the order waits until the watch shows every claim bound. Whatever goes wrong gives back what
 * was not written yet.
 */
#ifndef BERTH_BIND_VOLUMES_H
#define BERTH_BIND_VOLUMES_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"
#include "cache/cache.h"
#include "plugins/volume_choice.h"

enum {
	VOLUMES_CHOICES_MAX = 64,     /* of one order */
	VOLUMES_SLOTS = 4,            /* requests at a time */
	VOLUMES_WAITS = 10,           /* asked for by Retry-After, per request */
	VOLUMES_DOUBT_MS = 10 * 1000, /* for the watch to show what became of an unclear write */
	VOLUMES_MESSAGE_MAX = 1024
};

struct volumes_order {
	uint64_t tag;  /* the caller's; unique among those under way */
	uint32_t pod;  /* index in the cache; all names are copied */
	uint32_t node; /* index in the cache */
	/* String id of the node that the pod was nominated for before it was assumed; 0: none.
	 * When it is this one, the pod need not be told. */
	uint32_t nominated;
	const struct volume_choice *choices; /* of the decision just made */
	uint32_t choice_count;               /* > 0 */
	int64_t timeout_ms;                  /* bindTimeoutSeconds of the profile */
};

struct volumes_result {
	uint64_t tag;
	bool ok;             /* every claim is bound: the pod may be */
	struct text message; /* of PreBind, in upstream's words; good until done() returns */
};

struct volumes_setup {
	struct api_client *client;
	struct arena *arena;
	struct cache *cache;
	uint32_t orders_max; /* under way; waiting for a provisioner takes minutes */
	/* From inside net_poll(), the room is free again by then; may call volumes_*(). */
	void (*done)(void *self, const struct volumes_result *result);
	void *self;
};

struct volumes;

struct volumes *volumes_init(const struct volumes_setup *setup);
size_t volumes_size(uint32_t orders_max);
/* What is under way is given up and given back, nobody is told. Before the client is closed. */
void volumes_close(struct volumes *volumes);

bool volumes_has_room(const struct volumes *volumes); /* for one more order of any size */

/*
 * To be called in the turn of the decision, with the picture it was made of. What is promised is
 * assumed when this returns; when the memory for that is exhausted, done() says so. CHECKs the
 * room.
 */
void volumes_begin(struct volumes *volumes, const struct volumes_order *order);

/* The pod is gone: done() will not be called. An unknown tag is ignored. */
void volumes_cancel(struct volumes *volumes, uint64_t tag);
/* What kube-scheduler calls that. */
#define VOLUMES_POD_GONE \
	"binding volumes: pod does not exist any more: pod \"%.*s\" not found" /* its name */

/*
 * One change of the log: of a volume, claim, node or CSINode, others are ignored. Nothing happens
 * before the next net_poll().
 */
void volumes_changed(struct volumes *volumes, const struct cache_event *event);

struct volumes_stats {
	uint32_t under_way, waiting, in_doubt; /* now */
	uint64_t begun, bound, failed, cancelled;
	uint64_t written;            /* objects */
	uint64_t conflicts, unclear; /* answers */
};
struct volumes_stats volumes_stats(const struct volumes *volumes);

#endif
