/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DynamicResources from Reserve to PreBind: what it keeps for a pod with claims.
 *
 *	dynamic_resources_bind.c  Reserve, Unreserve, PreBind: the order of writes, and doubts
 *	dynamic_resources_body.c  what is written
 */
#ifndef BERTH_PLUGINS_DYNAMIC_RESOURCES_BIND_H
#define BERTH_PLUGINS_DYNAMIC_RESOURCES_BIND_H

#include "plugins/dynamic_resources.h"

enum {
	DEVICES_DOUBT_MS = 10 * 1000, /* for the watch to show what became of a write */
	DEVICES_POLL_MS = 5 * 1000,   /* while conditions are waited for, besides their changes */
	DEVICES_TRIES = 3             /* of a write that nothing is known of; all are idempotent */
};

/* A claim on its way. The ids are string ids that it keeps. */
struct devices_piece {
	uint64_t serial;  /* of the pending allocation */
	uint32_t pending; /* 0: the claim has its devices already */
	uint32_t name;
	uint32_t uid;      /* 0: it is to be made */
	uint32_t spec;     /* of one that is to be made, as JSON */
	uint32_t mappings; /* of the same, for the pod's status */
	bool has_finalizer;
	bool is_reserved; /* for the pod already: nothing is to be written */
	bool is_sent;     /* its status, or it was to be made: that may be so by now */
	bool is_made;     /* it is there, and was not before */
	bool is_written;
};

enum devices_step {
	DEVICES_CREATE,    /* the claim of extended resources */
	DEVICES_SHOWN,     /* the watch is to show it */
	DEVICES_FINALIZER, /* of a claim that gets devices */
	DEVICES_STATUS,    /* allocation and reservedFor */
	DEVICES_POD,       /* status.extendedResourceClaimStatus */
	DEVICES_BOUND      /* binding conditions */
};

struct devices_bind {
	enum devices_step step;
	uint32_t namespace; /* of the pod and its claims, kept */
	uint32_t pod_name;  /* kept */
	uint32_t at;        /* the claim whose turn it is */
	uint32_t tries;
	bool in_doubt;     /* a write may have happened: the watch is looked at */
	bool is_begun;     /* waiting for binding conditions is */
	struct mono until; /* of doubt, of waiting */
	uint32_t count;
	struct devices_piece pieces[];
};

enum plugin_code devices_reserve(
	struct cycle_state *d, struct plugin_binding *b, struct plugin_reasons *why);
void devices_unreserve(struct plugin_binding *b);
enum plugin_code devices_pre_flight(struct plugin_binding *b);
enum plugin_step devices_pre_bind(
	struct plugin_binding *b, struct plugin_progress *progress, struct plugin_reasons *why);
bool devices_concerns(const struct plugin_binding *b, const struct cache_event *event);
void devices_release(const struct plugin_binding *b, void *kept);

/* ---- dynamic_resources_body.c ---- */

/* The pod gives the claim back at the apiserver; one that was made for it goes. */
void devices_take_back(const struct plugin_binding *b, const struct devices_piece *piece);

/* The write whose turn it is. */
struct plugin_call devices_call(const struct plugin_binding *b, const struct devices_bind *bind);
/* The claim for extended resources: its spec, and the mappings, as JSON in scratch. */
struct text devices_write_spec(struct scratch *scratch, const struct cache *cache,
	const struct dra_extended *extended, bool mappings);

#endif
