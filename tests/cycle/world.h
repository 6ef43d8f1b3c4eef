/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cluster that changes at random: what the apiserver would know, and the cache that is told
 * about it. One seed reproduces everything.
 *
 * The world keeps small records of what there is (which label values a node has, which template
 * a pod was made from) and writes the object anew as JSON each time one of them changes.
 */
#ifndef BERTH_TESTS_CYCLE_WORLD_H
#define BERTH_TESTS_CYCLE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/entropy.h"
#include "base/scratch.h"
#include "base/text.h"
#include "cache/cache.h"
#include "cache/feed.h"

enum {
	WORLD_NODES_MAX = 160,
	WORLD_PODS_MAX = 256,
	WORLD_NAMESPACES = 3,
	WORLD_TEMPLATES = 12,
	WORLD_TEMPLATE_SIZE = 12 * 1024,
	WORLD_JSON_SIZE = 32 * 1024,
	WORLD_DECODE_SIZE = 160 * 1024,
	WORLD_CLAIMS = 4, /* in each namespace */
	WORLD_VOLUMES = 5
};

struct world_node {
	bool there;
	uint8_t zone, region, rack, disk, size, host; /* 0: lacks the label */
	uint8_t taints;                               /* bits: which of a few */
	bool unschedulable;
	uint16_t cpu_milli;
	uint16_t memory_mib;
	uint8_t pods;
	uint8_t gpus;
	uint8_t images; /* bits */
	uint8_t features;
};

struct world_pod {
	bool there;
	uint8_t template;
	uint8_t app, tier, release; /* labels; 0: lacks it */
	uint16_t node;              /* number of the node as the apiserver knows it, plus one */
	uint16_t nominated;         /* the same */
	bool deleting;
	bool preempted;
	uint8_t started; /* 0: not yet */
	uint32_t life;   /* pods of one name one after the other have different uids */
};

struct world {
	struct random random;
	struct cache *cache;
	struct scratch decode;
	uint8_t decode_block[WORLD_DECODE_SIZE];
	uint32_t node_room; /* how many nodes and pods this world has at most */
	uint32_t pod_room;
	uint32_t volume_share; /* one in how many templates has volumes; 0: none */
	bool is_absurd;        /* quantities and weights beyond reason */
	uint64_t version;
	bool talks; /* print every object */
	struct world_node nodes[WORLD_NODES_MAX];
	struct world_pod pods[WORLD_PODS_MAX];
	char templates[WORLD_TEMPLATES][WORLD_TEMPLATE_SIZE]; /* members of a pod's spec */
	struct writer out;
	char json[WORLD_JSON_SIZE];
	uint64_t fed;
	uint64_t refused; /* for lack of room, which small budgets make happen */
};

void world_init(struct world *w, struct cache *cache, uint64_t seed);
/* Nodes, namespaces, pods and the rest, so that there is something to decide about. */
void world_fill(struct world *w);
/* One random change, told to the cache. */
void world_change(struct world *w);
/* Everything goes; afterwards the cache holds nothing. */
void world_clear(struct world *w);

/* The world's own number of a pod in the cache. */
uint32_t world_pod_number(const struct world *w, uint32_t pod);
void world_remove_pod(struct world *w, uint32_t number);
/* The apiserver confirms where an assumed pod is; or says it is somewhere else. */
void world_bind(struct world *w, uint32_t number, uint32_t node);

/* ---- for the files of the world ---- */

uint32_t world_below(struct world *w, uint32_t bound);
bool world_chance(struct world *w, uint32_t one_in);
/* One of the texts. */
#define WORLD_PICK(w, ...)                               \
	((const char *const[]){__VA_ARGS__}[world_below( \
		(w), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))])

/* The members of a random pod spec, without braces; ' stands for ". */
void world_write_spec(struct world *w, struct writer *out);
void world_write_affinity(struct world *w, struct writer *out);
void world_write_spread(struct world *w, struct writer *out);
/* {'matchLabels': ..} or so. */
void world_write_selector(struct world *w, struct writer *out);

/* Begins an object; world_feed() ends it and tells the cache. */
void world_begin(struct world *w);
void world_feed(struct world *w, enum kube_kind kind);
void world_unfeed(struct world *w, enum kube_kind kind, const char *namespace, const char *name);

/* The kinds beside pods and nodes. */
void world_change_object(struct world *w);
void world_clear_objects(struct world *w);

#endif
