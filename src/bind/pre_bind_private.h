/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to pre_bind: what its files share.
 *
 *	pre_bind.c          orders come in, take their steps and end; memory
 *	pre_bind_call.c     calls, and what their answers mean
 *	pre_bind_one_off.c  calls that no order waits for
 */
#ifndef BERTH_BIND_PRE_BIND_PRIVATE_H
#define BERTH_BIND_PRE_BIND_PRIVATE_H

#include "base/pool.h"
#include "base/scratch.h"
#include "bind/body.h"
#include "bind/pre_bind.h"

enum { PRE_BIND_SCRATCH = 16 * 1024 };

enum pre_bind_state {
	PRE_BIND_NOMINATES, /* the pod is told its node */
	PRE_BIND_PERMIT,    /* it was told, and waits at Permit */
	PRE_BIND_STEPS,     /* a call is to be sent, is on its way, or will be sent again */
	PRE_BIND_WAITS_FOR, /* a change, or time */
	PRE_BIND_FAILS      /* `message` says why; told in the next turn */
};

struct pre_bind_run {
	struct list link; /* in pre_bind->ready while it waits for a slot */
	struct net_timer timer;
	struct pre_bind *owner;
	struct binding_points *points; /* NULL: of one-off calls */
	uint32_t one_off;              /* in the cache's store, struct one_off */
	uint32_t index;
	uint32_t namespace; /* string ids, kept; the node's is its points' owner's to keep */
	uint32_t pod;
	uint32_t slot;    /* 0: no call is under way */
	uint32_t waits;   /* of this call */
	uint32_t kinds;   /* that it waits for */
	uint32_t message; /* in the cache's store; 0: none */
	uint32_t message_size;
	enum pre_bind_state state;
	enum plugin_step ends_as; /* when it fails */
	bool is_failing;          /* once its nomination is answered */
	bool may_be_done;         /* this call may have been carried out before */
	bool looks;               /* it takes a step in the next turn */
};

/* A call and its memory; orders take turns. */
struct pre_bind_slot {
	struct api_call call;
	struct pre_bind *owner;
	uint32_t index;
	uint32_t run;
	bool (*write_body)(const struct plugin_binding *b, struct writer *out); /* NULL: none */
	struct text body; /* of a one-off call */
	char group[64];
};

struct pre_bind {
	struct pre_bind_setup setup;
	struct net *net;
	struct api_caller calls;
	struct pool runs;
	struct pool slots;
	char *bodies; /* of each slot */
	struct list ready;
	struct net_timer look;
	struct scratch scratch;
	uint32_t kinds; /* that any run waits for */
	struct pre_bind_stats stats;
};

static inline struct pre_bind_run *pre_bind_run_at(const struct pre_bind *pre_bind, uint32_t run)
{
	return pool_at(&pre_bind->runs, run);
}

/* ---- pre_bind.c ---- */

void pre_bind_step(struct pre_bind_run *run, enum plugin_answer answer);
void pre_bind_step_soon(struct pre_bind_run *run);
void pre_bind_keep_message(struct pre_bind_run *run, struct text message);
struct text pre_bind_message(const struct pre_bind_run *run);
/* The nomination is answered: on to Permit, to PreBind, or to the end that was waiting. */
void pre_bind_nominated(struct pre_bind_run *run);

void pre_bind_run_due(struct net_timer *timer, struct mono now);
/* It is over: all that it holds. */
void pre_bind_give_back(struct pre_bind_run *run);

/* ---- pre_bind_one_off.c ---- */

/* The call whose turn it is. */
void one_off_step(struct pre_bind_run *run);
void one_off_answered(struct pre_bind_run *run, enum api_verdict verdict);

/* ---- pre_bind_call.c ---- */

void pre_bind_make_ready(struct pre_bind_run *run, bool first);
/* Gives slots to those who are ready. */
void pre_bind_send_next(struct pre_bind *pre_bind);
/* Sends now, or when it is the run's turn. */
void pre_bind_call(struct pre_bind_run *run, const struct plugin_call *call);
void pre_bind_drop_slot(struct pre_bind_run *run); /* cancels what is under way */
void pre_bind_answered(struct api_call *call, enum api_verdict verdict);

#endif
