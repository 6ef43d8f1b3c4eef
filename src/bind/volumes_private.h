/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to volumes: what its files share.
 *
 *   volumes.c        orders come in, end, are given back; memory
 *   volumes_words.c  what is written: paths and bodies
 *   volumes_send.c   requests, and what their answers mean
 *   volumes_look.c   what the picture shows of what was written
 */
#ifndef BERTH_BIND_VOLUMES_PRIVATE_H
#define BERTH_BIND_VOLUMES_PRIVATE_H

#include "base/list.h"
#include "base/pool.h"
#include "base/scratch.h"
#include "bind/body.h"
#include "bind/volumes.h"

enum { VOLUMES_BODY_MAX = 4096, VOLUMES_SCRATCH = 16 * 1024 };

enum volumes_state {
	VOLUMES_NOMINATE, /* the pod is told its node */
	VOLUMES_WRITE,    /* volumes, then claims */
	VOLUMES_DOUBT,    /* a write may have happened: the watch will show it */
	VOLUMES_WAIT,     /* all is written, not all is bound */
	VOLUMES_FAILED    /* `message` says why; told in the next turn */
};

/* One object to be written. All names are string ids that the piece keeps. */
struct volumes_piece {
	uint64_t version;       /* of the object, and so of the write's precondition */
	uint64_t claim_version; /* goes into the volume's claimRef */
	uint32_t next;
	uint32_t object; /* its index when it was assumed */
	uint32_t pv;     /* 0: the claim is written, else the volume */
	uint32_t uid;    /* of the object */
	uint32_t namespace;
	uint32_t claim;
	uint32_t claim_uid;
	bool changes; /* false: the object says all of it already */
	bool marks;   /* the volume was not promised to the claim before */
	bool assumed;
	bool written;
};

struct volumes_flight {
	struct list link; /* in volumes->ready while it waits for a slot */
	struct net_timer timer;
	struct volumes *volumes;
	uint64_t tag;
	int64_t timeout_ms;
	uint32_t index;
	uint32_t namespace; /* string ids, kept */
	uint32_t pod;
	uint32_t node;
	uint32_t first; /* piece */
	uint32_t at;    /* the piece to be written */
	uint32_t slot;  /* 0: no request is under way */
	uint32_t waits;
	enum volumes_state state;
	bool repeated; /* this write may have happened before */
	bool look;     /* something changed that it waits for */
	size_t message_size;
	char message[VOLUMES_MESSAGE_MAX];
};

/* A request and the memory of its body; orders take turns. */
struct volumes_slot {
	struct api_call call;
	struct volumes *volumes;
	uint32_t index;
	uint32_t flight;
	char body[VOLUMES_BODY_MAX];
};

struct volumes {
	struct volumes_setup setup;
	struct net *net;
	struct api_caller writes;
	struct pool flights;
	struct pool pieces;
	struct pool slots;
	struct list ready;
	struct net_timer look;
	struct scratch scratch;
	struct volumes_stats stats;
};

static inline struct volumes_flight *volumes_flight_at(
	const struct volumes *volumes, uint32_t flight)
{
	return pool_at(&volumes->flights, flight);
}
static inline struct volumes_piece *volumes_piece_at(const struct volumes *volumes, uint32_t piece)
{
	return pool_at(&volumes->pieces, piece);
}
static inline struct text volumes_text(const struct volumes *volumes, uint32_t string)
{
	return cache_text(volumes->setup.cache, string);
}
/* The object as the picture shows it, NULL: it is gone. */
static inline const struct cache_object *volumes_find(
	const struct volumes *volumes, enum kube_kind kind, uint32_t namespace, uint32_t name)
{
	const struct cache *cache = volumes->setup.cache;
	uint32_t object = cache_find_object(cache, kind, namespace, name);
	return object == 0 ? NULL : pool_at(&cache->objects, object);
}

/* ---- volumes.c ---- */

/* What is to be told when it fails. */
void volumes_say(struct volumes_flight *flight, const char *format, ...) PRINTF_LIKE(2, 3);
/* The order is over: given back, its room is free, the owner is told. From inside net_poll(). */
void volumes_finish(struct volumes_flight *flight, bool ok);
void volumes_fail_soon(struct volumes_flight *flight); /* at any moment */

/* ---- volumes_words.c ---- */

struct api_object volumes_pod_object(const struct volumes_flight *flight);
struct api_object volumes_piece_object(
	const struct volumes *volumes, const struct volumes_piece *piece);
/* False: versions like these are not for sending. */
MUST_USE bool volumes_write_nomination(const struct volumes_flight *flight, struct writer *body);
MUST_USE bool volumes_write_piece(const struct volumes *volumes, const struct volumes_piece *piece,
	uint32_t node, struct writer *body);

/* ---- volumes_send.c ---- */

/* The flight has something to send, before or behind the others. */
void volumes_make_ready(struct volumes_flight *flight, bool first);
/* Gives slots to those who are ready. */
void volumes_send_next(struct volumes *volumes);
/* The piece is written: on to the next one, or to waiting. */
void volumes_go_on(struct volumes_flight *flight);
void volumes_drop_slot(struct volumes_flight *flight); /* cancels what is under way */
void volumes_answered(struct api_call *call, enum api_verdict verdict);

/* ---- volumes_look.c ---- */

void volumes_look_soon(struct volumes_flight *flight);
void volumes_look_due(struct net_timer *timer, struct mono now);
enum volumes_sight {
	VOLUMES_UNCHANGED, /* or older than what was written against */
	VOLUMES_OURS,
	VOLUMES_OTHERS /* or gone */
};
enum volumes_sight volumes_see(const struct volumes_flight *flight);

#endif
