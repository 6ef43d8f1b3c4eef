/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What extenders say about one pod, as decisions need it: a verdict and points for each node, and
 * which victims they leave. Who asks them, and how, is extender/.
 */
#ifndef BERTH_CYCLE_EXTENSION_H
#define BERTH_CYCLE_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "cache/cache.h"

enum {
	EXTENDER_REASONS_MAX = 512, /* different ones, about one pod: as many as a message says */
	/* A tenth of 5,000 nodes are looked at for victims; 16 on each. */
	EXTENDER_OFFERS_MAX = 512,
	EXTENDER_VICTIMS_MAX = 8192
};

enum extender_verdict {
	EXTENDER_NOT_ASKED,
	EXTENDER_KEPT,
	EXTENDER_DROPPED,      /* named nowhere */
	EXTENDER_FAILED,       /* preemption may help */
	EXTENDER_UNRESOLVABLE, /* it may not */
	EXTENDER_LISTED        /* while an answer is read: not yet met there */
};

struct extender_word {
	uint32_t name;    /* string id; another one now: the node that was asked about is gone */
	uint16_t reason;  /* of failed and unresolvable */
	uint16_t verdict; /* enum extender_verdict */
	int64_t score;    /* weighted, of all extenders */
};

struct extender_words {
	struct extender_word *of_node; /* by index in the cache */
	uint32_t top;                  /* of the indexes asked about */
	uint32_t kept;
	uint32_t removed; /* of those asked about */
	uint32_t reason_count;
	struct text reasons[EXTENDER_REASONS_MAX];
};

/* The node's word, or NULL: it was not asked about. */
static inline const struct extender_word *extender_word_of(
	const struct extender_words *words, const struct cache *cache, uint32_t node)
{
	if (node > words->top || words->of_node[node].name != cache_node_at(cache, node)->name ||
		words->of_node[node].verdict == EXTENDER_NOT_ASKED)
		return NULL;
	return &words->of_node[node];
}

/* Whom the pod could push off which node, all of them of lower priority. */
struct extender_victim {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t name, namespace; /* string ids */
	int32_t priority;
	uint32_t chosen;               /* still, by those who were asked */
	uint32_t whole_at, whole_size; /* the whole pod, where the extenders keep it; 0: not read */
};
struct extender_offer {
	uint32_t node;
	uint32_t name;         /* string id */
	uint32_t first, count; /* of the victims */
	int64_t violations;    /* of disruption budgets */
	bool chosen;
	bool named;               /* by the answer that is being read, ... */
	int64_t named_violations; /* ... and what it says */
};
struct extender_offers {
	uint32_t count;
	uint32_t victim_count;
	struct extender_offer list[EXTENDER_OFFERS_MAX];
	struct extender_victim victims[EXTENDER_VICTIMS_MAX];
};

/* How extenders take part in a decision. */
struct cycle_extension {
	const struct extender_words *words; /* top 0: they were asked about no node */
	/* NULL, or gets whom the pod could push off where, then no preemption is planned ... */
	struct extender_offers *offers;
	bool chosen; /* ... or the offers have been made, and only those chosen are left */
};

#endif
