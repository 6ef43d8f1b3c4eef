/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the recorder: one event from its first record to the end of its series, and what the
 * files do for each other.
 *
 *   event_recorder.c        events come in: which join, which are too many, when a series is over
 *   event_recorder_rate.c   how many writes, of one object and of all
 *   event_recorder_send.c   requests, and what their answers mean
 */
#ifndef BERTH_BIND_EVENT_RECORDER_PRIVATE_H
#define BERTH_BIND_EVENT_RECORDER_PRIVATE_H

#include "base/list.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/rate.h"
#include "base/store.h"
#include "bind/event_recorder.h"
#include "net/backoff.h"

enum {
	RECORDER_BODY_MAX = 12 * 1024,         /* the longest texts, most of their bytes escaped */
	RECORDER_NOTE_KEPT = BODY_NOTE_MAX + 4 /* enough to see that it was longer */
};

/* An event's texts; what stands before the note is the key. */
enum recorder_field {
	RECORDER_API_VERSION,
	RECORDER_KIND,
	RECORDER_NAMESPACE,
	RECORDER_NAME,
	RECORDER_UID,
	RECORDER_RESOURCE_VERSION,
	RECORDER_TYPE,
	RECORDER_REASON,
	RECORDER_ACTION,
	RECORDER_CONTROLLER,
	RECORDER_NOTE
};
enum { RECORDER_KEYS = RECORDER_NOTE, RECORDER_FIELDS = RECORDER_NOTE + 1 };

enum recorder_state {
	RECORDER_WAITING, /* in the queue */
	RECORDER_SENDING,
	RECORDER_KEPT /* the server has it; others may join */
};

struct recorder_entry {
	struct list link; /* of the queue, or of those kept, the longest unused first */
	enum recorder_state state;
	bool core;   /* in the core group, whatever else is served */
	bool posted; /* the server has it: what is sent is a patch */
	bool last;   /* nothing will be added: forgotten after the patch */
	bool again;  /* the server had forgotten it, and it was posted once more */
	uint8_t tries;
	uint32_t hash;
	uint32_t text; /* handle of all fields, one after the other */
	uint16_t sizes[RECORDER_FIELDS];
	uint32_t count;      /* how often it happened */
	uint32_t told_count; /* of which the server knows */
	uint64_t number;     /* order of the queue */
	uint64_t nanos;      /* part of its name */
	uint8_t random[BODY_RANDOM];
	struct wall first_time, last_time;
	struct mono used_at, told_at;
};

struct recorder_subject {
	struct list link; /* the longest unused first */
	uint32_t hash;
	struct rate rate;
};

struct recorder_slot {
	struct api_call call;
	struct recorder *recorder;
	uint32_t entry; /* 0: none */
	bool discovers;
	uint32_t count; /* that the patch writes */
	char body[RECORDER_BODY_MAX];
};

enum recorder_group { RECORDER_UNKNOWN, RECORDER_EVENTS, RECORDER_CORE };

struct recorder {
	struct recorder_setup setup;
	struct random random;
	bool started, held;
	bool troubled; /* the last one failed, as logged */
	enum recorder_group group;
	struct pool entries;
	struct map by_key;
	struct store texts;
	struct list waiting, kept;
	uint32_t waiting_count, sending_count, kept_count;
	uint64_t number;
	struct pool subjects;
	struct map by_subject;
	struct list subjects_used;
	struct rate rate;
	struct net_backoff backoff;
	struct mono resume; /* nothing is sent before */
	struct net_timer pause, sweep;
	struct api_caller caller;
	struct recorder_slot slots[RECORDER_SLOTS];
	struct recorder_stats stats;
	char instance[RECORDER_INSTANCE_MAX];
};

static inline struct recorder_entry *recorder_entry_at(const struct recorder *r, uint32_t index)
{
	return pool_at(&r->entries, index);
}

/* ---- recorder.c ---- */

struct text recorder_field(
	const struct recorder *r, const struct recorder_entry *e, enum recorder_field field);
uint32_t recorder_index(const struct recorder *r, const struct recorder_entry *e);
/* Into the queue, where its number belongs. */
void recorder_enqueue(struct recorder *r, struct recorder_entry *e);
void recorder_keep(struct recorder *r, struct recorder_entry *e);
void recorder_forget(struct recorder *r, struct recorder_entry *e); /* in no list any more */

/* ---- recorder_rate.c ---- */

void recorder_rate_init(struct recorder *r, struct arena *arena);
size_t recorder_rate_size(uint32_t subjects);
/* May this be said of the object now? Counts it when it may. */
bool recorder_rate_subject(struct recorder *r, const struct body_reference *regarding,
	struct text reason, struct mono now);
/* May anything be written now? If not: when. */
bool recorder_rate_all(struct recorder *r, struct mono now, struct mono *when);

/* ---- recorder_send.c ---- */

void recorder_send_init(struct recorder *r);
void recorder_send(struct recorder *r); /* what may be sent now */
void recorder_send_stop(struct recorder *r);

#endif
