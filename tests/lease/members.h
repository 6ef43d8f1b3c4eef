/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Members of an election in a town, and the server that has their Lease: it keeps one, guards it
 * by resourceVersion, and misbehaves as it is told.
 */
#ifndef BERTH_TESTS_LEASE_MEMBERS_H
#define BERTH_TESTS_LEASE_MEMBERS_H

#include <unity.h>

#include "lease/lease.h"
#include "lease/town.h"

enum { KEPT_MAX = 20000, DURATION_S = 15, DEADLINE_S = 10, PERIOD_S = 2 };

struct member {
	uint8_t *memory;
	struct arena arena;
	struct random random;
	struct net *net;
	struct net_client *client;
	struct api_client *api;
	struct lease *lease;
	char identity[64];
	bool leads; /* as told */
	uint32_t gained, lost, released;
	char other[64]; /* as told: another holder, "-": nobody */
};

/* The server's copy, and what was asked of it. */
struct model {
	bool there;
	uint64_t version;
	char holder[128], spec[KEPT_MAX], labels[KEPT_MAX], uid[64];
	uint32_t requests, gets, puts, posts, conflicts;
	int status; /* instead of an answer; 0: none */
	int put_status;
	bool put_is_done; /* and yet put_status is said */
	const char *headers;
	const char *raw_method; /* is answered with `raw`, unless that is NULL */
	struct text raw;
	char last_put[KEPT_MAX];
	char last_path[512];
	int64_t put_us;
};

extern struct town town;
extern struct member members[TOWN_PROCESSES];
extern struct model model;
extern struct random dice;
extern struct town_fate fate_now;
extern bool faulty; /* fates are random */
/* What the leases of those that are started tell; member_changed() unless it is set. */
extern void (*members_told)(void *self, bool leads);
extern uint64_t moments_led; /* steps at which somebody led */

void members_init(void);
void members_free(void);
void member_start(uint32_t i); /* as "a", "b", ... */
void member_start_as(uint32_t i, const char *identity);
void member_stop(uint32_t i);
/* Callbacks of their leases; self is a struct member. */
void member_changed(void *self, bool leads);
void member_released(void *self);
/* What a member would see if it asked now, be it stopped or not. */
bool holds(uint32_t i);
/* Milliseconds until member i leads; fails after `ms`. */
int64_t until_leads(uint32_t i, int64_t ms);
bool put_has(const char *part); /* the last write that was done */
/* The record as kube-scheduler would have written it. */
void write_by_kube_scheduler(const char *holder, int duration);

#endif
