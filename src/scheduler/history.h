/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history - what happened in the last day, in fixed memory: a sample a minute, and the latest
 * events (decisions, preemptions, lost bindings, changes of nodes) in a ring of bytes. Names are
 * copied: what an event was about may be long gone. A pod that is rejected again for the same
 * reason is no event. The scheduler writes, status/ reads.
 *
 * It grows in the one budget up to its own bound, and keeps less where there is less.
 */
#ifndef BERTH_SCHEDULER_HISTORY_H
#define BERTH_SCHEDULER_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/pages.h"
#include "base/text.h"

enum {
	HISTORY_MINUTES = 24 * 60,
	HISTORY_EVENTS = 10000,
	HISTORY_EVENT_BYTES = 160, /* so large is one, as a rule */
	HISTORY_NAME_MAX = 512,    /* of longer texts the end is missing */
	HISTORY_WORDS_MAX = 1024,
	HISTORY_OCTAVES = 26, /* a decision of a minute is in the last one */
	HISTORY_STEPS = 4,    /* parts of an octave */
	HISTORY_SCALE = HISTORY_OCTAVES * HISTORY_STEPS
};

enum history_kind {
	HISTORY_SCHEDULED, /* the first three are enum scheduler_result */
	HISTORY_UNSCHEDULABLE,
	HISTORY_ERROR,
	HISTORY_PREEMPTION, /* words: the victims */
	HISTORY_LOST,       /* a binding that another scheduler was faster with */
	HISTORY_UNBOUND,    /* one that failed otherwise */
	HISTORY_NODE,       /* a node came, went, or changed */
	HISTORY_KINDS
};
extern const char *const history_kind_names[HISTORY_KINDS];

struct history_event {
	uint64_t serial;
	struct wall at;
	enum history_kind kind;
	uint32_t took_us;
	uint32_t feasible; /* nodes */
	struct text pod;   /* "namespace/name" */
	struct text node;
	struct text
		words; /* scheduled: [["node",score],...] of the best, as JSON; else for people */
};

struct history_sample {
	int64_t at_s;     /* since 1970: the end of the minute; 0: none */
	uint32_t pending; /* pods, then */
	uint32_t bound;   /* within the minute: this and all up to `evicted` */
	uint32_t unschedulable;
	uint32_t errors;
	uint32_t lost;
	uint32_t evicted;
	uint32_t p50_us, p99_us; /* of decisions */
	uint16_t cpu, memory;    /* requested, in thousandths of what the nodes have */
	uint32_t not_ready;
};

struct history {
	struct page_span span;
	size_t capacity; /* of the ring; 0: nothing is kept */
	size_t first;    /* where the oldest event begins */
	size_t next;     /* behind the newest */
	size_t end;      /* behind the last one before the ring begins again */
	uint32_t latest; /* bytes of the newest */
	uint64_t serial; /* of the newest; 0: none yet */
	uint64_t oldest;
	uint32_t took[HISTORY_SCALE]; /* decisions of this minute, by how long they took */
	struct page_span sample_span;
	uint32_t minutes; /* samples that are kept */
	uint32_t samples; /* so far */
};

/* Bytes in all; 0: nothing is kept. */
void history_init(struct history *h, struct arena *arena, size_t bytes);
size_t history_size(size_t bytes);
static inline bool history_is_kept(const struct history *h)
{
	return h->capacity > 0;
}
/* Pushes the oldest out. Event's serial does not count. */
void history_append(struct history *h, const struct history_event *event);
void history_count_decision(struct history *h, int64_t took_us);
/* With the latencies of what was counted, whose count begins again. */
void history_sample_put(struct history *h, struct history_sample sample);
/* The `back`th from the end, 0: the latest; NULL: there are not so many. */
const struct history_sample *history_sample_at(const struct history *h, uint32_t back);

/* Events that are kept, and when the oldest of them was; 0: there is none. */
uint64_t history_events(const struct history *h);
struct wall history_oldest(const struct history *h);

/* Walks back from the newest; texts are good until something is appended. */
struct history_walk {
	uint64_t serial; /* 0: at the newest */
	uint32_t at;
};
bool history_older(const struct history *h, struct history_walk *walk, struct history_event *event);

#endif
