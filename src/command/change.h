/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes: what would be otherwise than it is when everything is placed that was given. A workload
 * whose pods run of another template is rolled out as a Deployment's controller does it, with
 * maxSurge and maxUnavailable, while its new pods are placed.
 */
#ifndef BERTH_COMMAND_CHANGE_H
#define BERTH_COMMAND_CHANGE_H

#include "command/dump.h"

enum change {
	CHANGE_NEW,      /* a pod that was not there, or waits */
	CHANGE_MOVED,    /* one in place of another, on another node */
	CHANGE_REPLACED, /* one in place of another, where that was; of an old pod: it is replaced
			  */
	CHANGE_SURPLUS,  /* more are there than are wanted */
	CHANGE_PREEMPTED,
	CHANGE_STUCK, /* finds no node */
	CHANGES
};

struct dump_change { /* texts live in dump.kept */
	struct dump_change *next;
	struct text name;                  /* with the namespace */
	struct text node;                  /* "": none */
	struct text why;                   /* of one that is stuck; the pod that preempted it */
	const struct dump_change *instead; /* of an old pod, of which it takes the place */
	uint32_t pod;                      /* of an old pod: 0, it is gone */
	uint16_t workload;
	uint8_t what;  /* enum change */
	bool is_old;   /* one that was there on a node, or for a workload */
	bool is_taken; /* its place is another's */
};

const char *change_name(enum change what);
/* A line about a pod of the picture. NULL: there is no room. */
struct dump_change *dump_change(struct dump *d, uint32_t pod, enum change what);
/* A text for `why`. After a first change. */
struct text change_keep(struct dump *d, struct text t);

/* Evicted for that pod. */
void change_preempted(struct dump *d, uint32_t pod, struct text by);

/* Before anything is placed: old ones go as far as they may. */
void change_settle(struct dump *d);
/* Before a pod of a workload is placed. False: there may not be one more beside the others. */
MUST_USE bool change_step(struct dump *d, uint32_t pod);
/* It was, so that old ones may go. */
void change_placed(struct dump *d, uint32_t pod);

/* How many of its pods that ran are gone. */
uint32_t change_gone(const struct dump *d, uint32_t workload);
/* After everything: which new pod has the place of which old one. */
void change_pair(struct dump *d);
/*
 * Each as JSON; counted by enum change. NULL: there is no room.
 *	{"sign":"~","change":"moved","pod":"shop/web-0","node":"n2","from":"n1",
 *	 "insteadOf":"shop/web-a"}
 *	{"sign":"!","change":"stuck","pod":"shop/web-1","node":"","why":"0/2 nodes ..."}
 */
struct text *change_rows(struct dump *d, uint32_t *count, uint32_t *counts);

#endif
