/* SPDX-License-Identifier: GPL-2.0-only */
/* A recorder in a town, and a server that takes its events, or does not. */
#ifndef BERTH_TESTS_BIND_EVENT_RECORDER_FIXTURE_H
#define BERTH_TESTS_BIND_EVENT_RECORDER_FIXTURE_H

#include <unity.h>

#include "bind/event_recorder.h"
#include "lease/town.h"

enum { EVENTS_MAX = 64, SERIES_MAX = 32, STORED = 4096, LOG_MAX = 1 << 20 };

/* The server. */
struct recorder_server {
	bool served;       /* events.k8s.io/v1 */
	int discovery;     /* instead of the truth; 0: none */
	int status;        /* instead of an answer to events; 0: none */
	uint32_t refusals; /* how often it is said; 0: always */
	bool is_done;      /* and yet it is done */
	bool silent;       /* nothing is answered at all */
	const char *headers;
	uint32_t discoveries, posts, patches, requests;
	char names[STORED][96];
	uint32_t count;
	char log[LOG_MAX]; /* "POST <reason> <note>" lines, "PATCH <body>" */
	size_t log_size;
	char last[8192], last_path[1024];
};

extern struct town town;
extern struct recorder_server server;
extern struct recorder *recorder;
extern struct arena arena;
extern struct net *net;
extern struct net_client *client;
extern struct random dice;
extern struct town_fate fate_now;
extern uint32_t events_max, series_max; /* until start() */
extern const char *instance;            /* the same */

void bed_init(void);
void bed_free(void);
struct recorder *bed_recorder(void); /* one more, of the same memory */
void start(void);
struct recorder_event event_of(const char *pod, const char *version, const char *reason);
bool say_of(const char *pod, const char *version, const char *reason);
bool say_numbered(uint32_t i);   /* "pod-<i>", its note too */
bool last_has(const char *part); /* the last body that came */
struct text last_member(const char *key);
struct recorder_stats stats(void);

#endif
