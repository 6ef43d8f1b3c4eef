/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VolumeBinding from Reserve to PreBind: what it keeps for a pod whose claims are to be bound.
 *
 *	volume_bind.c       Reserve, Unreserve, PreBind: the order of writes, and doubts
 *	volume_bind_body.c  what is written
 *	volume_bind_look.c  what the cache shows of what was written
 */
#ifndef BERTH_PLUGINS_VOLUME_BIND_H
#define BERTH_PLUGINS_VOLUME_BIND_H

#include "plugins/volume_priv.h"

/* For the watch to show what became of a write of which nothing else is known. */
enum { VOLUME_DOUBT_MS = 10 * 1000 };

/* One object to be written. All names are string ids that the piece keeps. */
struct volume_piece {
	uint64_t version;       /* of the object, and so of the write's precondition */
	uint64_t claim_version; /* goes into the volume's claimRef */
	uint32_t object;        /* its index when it was assumed */
	uint32_t pv;            /* 0: the claim is written, else the volume */
	uint32_t uid;           /* of the object */
	uint32_t namespace;
	uint32_t claim;
	uint32_t claim_uid;
	bool changes; /* false: the object says all of it already */
	bool marks;   /* the volume was not promised to the claim before */
	bool assumed;
	bool written;
};

enum volume_bind_state {
	VOLUME_BIND_WRITE, /* volumes, then claims */
	VOLUME_BIND_DOUBT, /* a write may have happened: the watch will show it */
	VOLUME_BIND_WAIT   /* all is written, not all is bound */
};

/* What is kept for a pod. */
struct volume_bind {
	enum volume_bind_state state;
	uint32_t count;
	uint32_t at;       /* the piece to be written */
	struct mono until; /* of doubt, of waiting */
	struct volume_piece pieces[];
};

/* ---- the points ---- */

enum plugin_code volume_bind_reserve(
	struct cycle_state *d, struct plugin_binding *b, struct plugin_reasons *why);
void volume_bind_unreserve(struct plugin_binding *b);
enum plugin_code volume_bind_pre_flight(struct plugin_binding *b);
enum plugin_step volume_bind_pre_bind(
	struct plugin_binding *b, struct plugin_progress *progress, struct plugin_reasons *why);
bool volume_bind_concerns(const struct plugin_binding *b, const struct cache_event *event);
void volume_bind_release(const struct plugin_binding *b, void *kept);

/* ---- volume_bind_body.c ---- */

/* The write of the piece whose turn it is. */
struct plugin_call volume_bind_call(const struct plugin_binding *b, const struct volume_bind *bind);

/* ---- volume_bind_look.c ---- */

enum volume_sight {
	VOLUME_UNCHANGED, /* or older than what was written against */
	VOLUME_OURS,
	VOLUME_OTHERS /* or gone */
};
/* What has become of the piece. */
enum volume_sight volume_bind_see(const struct plugin_binding *b, const struct volume_piece *piece);

enum volume_verdict { VOLUME_NOT_YET, VOLUME_FINE, VOLUME_HOPELESS };
/* Is all that was written bound? The reason is given when that will never be. */
enum volume_verdict volume_bind_check(
	const struct plugin_binding *b, const struct volume_bind *bind, struct plugin_reasons *why);

#endif
