/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lease - which of several schedulers writes: leader election on a Lease, compatible with
 * kube-scheduler's, so that they can take over from each other.
 *
 * Losing it means standing by, not exiting: the picture of the cluster stays warm. Whether we lead
 * is a question about this very moment, asked before each write: a process that was stopped and
 * goes on later finds out by the clock, before any packet.
 */
#ifndef BERTH_LEASE_LEASE_H
#define BERTH_LEASE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "lease/lease_body.h"

enum {
	LEASE_IDENTITY_MAX = 320,
	LEASE_NAME_MAX = 256,        /* of the namespace, and of the name */
	LEASE_OBJECT_MAX = 8 * 1024, /* bytes of a Lease, thinned; more: no holder */
	LEASE_JITTER_PERMILLE = 1200 /* a try that waits its turn waits up to 2.2 retry periods */
};

struct lease_setup {
	struct api_client *client;
	struct arena *arena;
	struct clock clock;
	struct entropy entropy;
	/* Texts are copied. */
	struct text namespace;     /* "kube-system" */
	struct text name;          /* "kube-scheduler" */
	struct text identity;      /* "<hostname>_<uuid>" */
	int64_t duration_ms;       /* 15 s */
	int64_t renew_deadline_ms; /* 10 s; less than the duration */
	int64_t retry_period_ms;   /* 2 s; less than the renew deadline */
	/*
	 * From inside net_poll(): we lead from now on, or not any more (also when it is given up).
	 * May call lease_release().
	 */
	void (*changed)(void *self, bool leads);
	/* Another was seen to hold it, or none (TEXT_NONE); may be NULL. */
	void (*holder)(void *self, struct text identity);
	void *self;
};

struct lease;

/* NULL when a name cannot be part of a path, or a text is empty or too long. */
struct lease *lease_init(const struct lease_setup *setup);
size_t lease_size(void);
/* Asks for it from the next turn on, until it is released; may be called again after that. */
void lease_start(struct lease *lease);
void lease_close(struct lease *lease); /* no callbacks; what we hold others must wait out */

/*
 * May we write now? True until renew_deadline after the last renewal was SENT that succeeded; by
 * the time others may take over (duration after they saw it) we have been silent for a while.
 * `now` is asked of the clock just before the write: one that is a stop of the process old lies.
 */
bool lease_holds(const struct lease *lease, struct mono now);

/*
 * Gives it up, when we may hold it, and asks for it no more: lease_holds() is false from here on.
 * done() comes once, with the setup's self, from inside net_poll(), after at most the renew
 * deadline, also when there was nothing to give up.
 */
void lease_release(struct lease *lease, void (*done)(void *self));

struct lease_stats {
	const char *state;  /* "off", "waiting", "leading", "releasing", "released" */
	struct text holder; /* as last seen, cut to LEASE_IDENTITY_MAX; good until the next turn */
	struct text uid;    /* of the Lease, for events about it; the same */
	struct text resource_version; /* the same */
	uint64_t acquired, lost, renewed, failures;
	uint64_t looked;        /* read although it was ours: a renewal had not gone through */
	struct mono renewed_at; /* when the last renewal that succeeded was sent */
};
struct lease_stats lease_stats(const struct lease *lease);

#endif
