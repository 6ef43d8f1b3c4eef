/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registry: what an apiserver keeps. Objects of several resources as JSON text, by key
 * ("namespace/name" or "name"), under one version for all that counts changes; and a bounded
 * history of the changes, from which watches are fed and pages of older lists are put together.
 *
 * A state of an object is a revision: it never changes and is counted by who refers to it, so the
 * history, lists under way and the picture of now share it.
 */
#ifndef BERTH_TOOLS_APISIM_REGISTRY_H
#define BERTH_TOOLS_APISIM_REGISTRY_H

#include "base/scratch.h"
#include "base/store.h"
#include "base/text.h"

enum { REGISTRY_RESOURCES_MAX = 48, REGISTRY_KEY_MAX = 512 };

/* Behind the struct: the text, the key, the node's name, the phase. */
struct revision {
	uint64_t version;
	uint32_t references;
	uint32_t text_size;
	uint32_t version_at; /* in the text, where the digits of the version stand */
	uint16_t version_size;
	uint16_t key_size;
	uint16_t node_size;
	uint16_t phase_size;
};

struct registry_change {
	uint64_t version;
	uint16_t resource;
	bool deleted;
	uint32_t before; /* revision; 0: it was created */
	uint32_t after;  /* of a deletion: the last state, with the version of the deletion */
};

struct registry_shelf {
	uint32_t list; /* store handle of an array of revisions, sorted by key */
	uint32_t count, room;
};

struct registry {
	struct store store;
	struct registry_shelf shelves[REGISTRY_RESOURCES_MAX];
	struct registry_change *changes; /* a ring: version v is at v % history */
	uint32_t history;
	uint64_t version; /* of the last change */
	uint64_t oldest;  /* the first change that is remembered; version + 1 when none is */
};

/* `block` holds everything; the first change gets version first + 1. */
void registry_init(struct registry *r, void *block, size_t size, uint32_t history, uint64_t first);
/* Forgets all changes up to this one. */
void registry_compact(struct registry *r, uint64_t version);
/* Takes the last changes back, down to this version or the oldest that is remembered. */
void registry_set_back(struct registry *r, uint64_t version);

/* 0: not there. */
uint32_t registry_find(const struct registry *r, uint32_t resource, struct text key);
static inline uint32_t registry_count(const struct registry *r, uint32_t resource)
{
	return r->shelves[resource].count;
}
/* The i-th by key. */
uint32_t registry_nth(const struct registry *r, uint32_t resource, uint32_t i);

struct registry_state {
	struct text key;
	struct text
		json; /* has "resourceVersion":"<registry's version + 1>" in it, once or first */
	struct text node, phase; /* of pods: what lists are asked by */
};
/* Creates or replaces. False when there is no room, however much is forgotten. */
MUST_USE bool registry_put(
	struct registry *r, uint32_t resource, const struct registry_state *state);
/* `json` as for registry_put(): the state that those who watch get to see. */
MUST_USE bool registry_delete(
	struct registry *r, uint32_t resource, struct text key, struct text json);

/* ---- revisions ---- */

static inline struct revision *registry_revision(const struct registry *r, uint32_t revision)
{
	return store_at(&r->store, revision);
}
struct text revision_json(const struct revision *revision);
struct text revision_key(const struct revision *revision);
struct text revision_namespace(const struct revision *revision);
struct text revision_name(const struct revision *revision);
struct text revision_node(const struct revision *revision);
struct text revision_phase(const struct revision *revision);
void registry_hold(struct registry *r, uint32_t revision);
void registry_let_go(struct registry *r, uint32_t revision);

/* A block of the store; forgets history to have it. 0: there is no room at all. */
MUST_USE uint32_t registry_take(struct registry *r, size_t size);

/* ---- the past ---- */

/* NULL when it is forgotten or still to come. */
const struct registry_change *registry_change(const struct registry *r, uint64_t version);
/*
 * All revisions of the resource as they were at that version (oldest - 1 <= version <= now),
 * sorted by key, in scratch memory; not held.
 */
uint32_t *registry_at(const struct registry *r, uint32_t resource, uint64_t version,
	struct scratch *scratch, uint32_t *count);

#endif
