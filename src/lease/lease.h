/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lease - which of several schedulers writes: leader election on a Lease, compatible with
 * kube-scheduler's, so that they can take over from each other (core.md 21).
 *
 * Losing it means standing by, not exiting: the picture of the cluster stays warm. Whether we lead
 * is a question about this very moment, asked before each write: a process that was stopped and
 * goes on later finds out by the clock, before any packet.
 */
#ifndef BERTH_LEASE_LEASE_H
#define BERTH_LEASE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/clock.h"
#include "lease/lease_body.h"
#include "net/net.h"

enum { LEASE_IDENTITY_MAX = 320, LEASE_NAME_MAX = 256 };

struct lease_setup {
	struct net *net;
	struct net_client *client;
	struct arena *arena;
	struct clock clock;
	struct entropy entropy;
	struct text namespace;     /* "kube-system" */
	struct text name;          /* "kube-scheduler" */
	struct text identity;      /* "<hostname>_<uuid>" */
	int64_t duration_ms;       /* 15 s */
	int64_t renew_deadline_ms; /* 10 s */
	int64_t retry_period_ms;   /* 2 s */
	/* From inside net_poll(): we lead from now on, or not any more. */
	void (*changed)(void *self, bool leads);
	/* Somebody else was seen to hold it, or nobody (TEXT_NONE); may be NULL. */
	void (*holder)(void *self, struct text identity);
	void *self;
};

struct lease;

struct lease *lease_init(const struct lease_setup *setup);
size_t lease_size(void);
void lease_start(struct lease *lease);
void lease_close(struct lease *lease);

/*
 * May we write now? True until renew_deadline after the last renewal was SENT that succeeded; by
 * the time others may take over (duration after they saw it) we have been silent for a while.
 */
bool lease_holds(const struct lease *lease, struct mono now);

/*
 * Gives it up, when we hold it, and asks for it no more; done() comes once, after at most the
 * renew deadline, also when there was nothing to give up.
 */
void lease_release(struct lease *lease, void (*done)(void *self));

struct lease_stats {
	const char *state;  /* "off", "waiting", "leading", "releasing", "released" */
	struct text holder; /* as last seen */
	uint64_t acquired, lost, renewed, failures;
	struct mono renewed_at;
};
struct lease_stats lease_stats(const struct lease *lease);

#endif
