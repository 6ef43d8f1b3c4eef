/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event_recorder - events, for people who run kubectl describe. Bounded in memory and in requests,
 * with series instead of repetitions, and always the last to be sent: an event never takes the
 * place of a binding. What finds no room is dropped and counted.
 */
#ifndef BERTH_BIND_EVENT_RECORDER_H
#define BERTH_BIND_EVENT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "bind/body.h"

enum {
	RECORDER_SLOTS = 2,          /* on their way at a time */
	RECORDER_TRIES = 12,         /* of one event, with pauses of 1 s up to 10 s in between */
	RECORDER_POD_BURST = 25,     /* writes of one reason about one object at once, */
	RECORDER_POD_EVERY_S = 300,  /* and then one in so many seconds */
	RECORDER_BURST = 200,        /* writes at once, */
	RECORDER_PER_SECOND = 50,    /* and then so many a second */
	RECORDER_IDLE_S = 6 * 60,    /* a series that is not added to for so long is over */
	RECORDER_TELL_S = 30 * 60,   /* how often the server hears of one that goes on */
	RECORDER_INSTANCE_MAX = 128, /* bytes of reportingInstance that an apiserver takes */
	RECORDER_TEXT_MEAN = 512     /* bytes of an event's texts, on average */
};

struct recorder_setup {
	struct api_client *client;
	struct arena *arena;
	struct clock clock;
	struct entropy entropy;
	struct text instance; /* reportingInstance: "<controller>-<hostname>" is made of it */
	uint32_t events_max;  /* waiting to be sent */
	uint32_t series_max;  /* remembered, to be made series of */
};

struct recorder;

/* Finds out by itself whether events.k8s.io/v1 is served, and falls back to core events. */
struct recorder *recorder_init(const struct recorder_setup *setup);
size_t recorder_size(uint32_t events_max, uint32_t series_max);
void recorder_start(struct recorder *recorder); /* may send from now on */
void recorder_close(struct recorder *recorder); /* what was not sent is forgotten */

struct recorder_event {
	struct body_reference regarding;
	struct text type;       /* "Normal", "Warning" */
	struct text reason;     /* "Scheduled", "FailedScheduling", "Preempted" */
	struct text action;     /* "Binding", "Scheduling", "Preempting" */
	struct text note;       /* cut to BODY_NOTE_MAX */
	struct text controller; /* the profile's scheduler name */
};
/*
 * All text is copied. False: dropped (full, or this pod says too much), and counted. Sent in the
 * order of the calls; an event that differs from one before only in its note joins that one.
 */
bool recorder_record(struct recorder *recorder, const struct recorder_event *event);

/* The leader's own event, in the core group, about its Lease. */
bool recorder_record_leader(struct recorder *recorder, const struct recorder_event *event);

/* A new event finds room now, as far as the queue goes. */
bool recorder_has_room(const struct recorder *recorder);

/* While held, nothing is sent: bindings go first. What is on its way stays there. */
void recorder_hold(struct recorder *recorder, bool held);

struct recorder_stats {
	uint32_t waiting;      /* or on their way */
	uint32_t remembered;   /* sent, and may become a series */
	uint64_t recorded;     /* calls */
	uint64_t sent;         /* requests that succeeded */
	uint64_t joined;       /* were added to one before */
	uint64_t dropped_full; /* no room */
	uint64_t dropped_rate; /* the object has said too much */
	uint64_t failed;       /* refused by the server, or tried too often */
};
struct recorder_stats recorder_stats(const struct recorder *recorder);
bool recorder_is_idle(const struct recorder *recorder); /* nothing waits, nothing is on its way */

#endif
