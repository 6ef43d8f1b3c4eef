/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder - events, for people who run kubectl describe. Bounded in memory and in requests, with
 * series instead of repetitions (core.md 20), and always the last to be sent: an event never takes
 * the place of a binding. What finds no room is dropped and counted.
 */
#ifndef BERTH_BIND_RECORDER_H
#define BERTH_BIND_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "bind/body.h"
#include "net/net.h"

struct recorder_setup {
	struct net *net;
	struct net_client *client;
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
void recorder_close(struct recorder *recorder);

struct recorder_event {
	struct body_reference regarding;
	struct text type;       /* "Normal", "Warning" */
	struct text reason;     /* "Scheduled", "FailedScheduling", "Preempted" */
	struct text action;     /* "Binding", "Scheduling", "Preempting" */
	struct text note;       /* cut to BODY_NOTE_MAX */
	struct text controller; /* the profile's scheduler name */
};
/* All text is copied. False: dropped (full, or this pod says too much), and counted. */
bool recorder_record(struct recorder *recorder, const struct recorder_event *event);

/* The leader's own event, in the core group, about its Lease (core.md 21). */
bool recorder_record_leader(struct recorder *recorder, const struct recorder_event *event);

/* While held, nothing is sent: bindings go first. */
void recorder_hold(struct recorder *recorder, bool held);

struct recorder_stats {
	uint32_t waiting, remembered;
	uint64_t recorded, sent, joined, dropped_full, dropped_rate, failed;
};
struct recorder_stats recorder_stats(const struct recorder *recorder);
bool recorder_is_idle(const struct recorder *recorder);

#endif
