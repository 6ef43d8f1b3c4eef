/* SPDX-License-Identifier: GPL-2.0-only */
/* A scheduler in virtual time; the test itself tells it what the cluster is. */
#ifndef BERTH_TESTS_SCHEDULER_CLUSTER_H
#define BERTH_TESTS_SCHEDULER_CLUSTER_H

#include "extender/bed.h"
#include "scheduler/scheduler.h"

struct cluster {
	struct bed bed;
	struct scheduler s;
	struct plugin_profile profile;
	struct watch_sink sink; /* the scheduler's */
};
extern struct cluster cluster;
/* For the next one that is opened; no lease is asked for unless the test says so. */
extern struct scheduler_limits cluster_limits;
extern struct scheduler_lease cluster_lease;
extern bool cluster_follows_release; /* of the server; else it is the default one */
/* Instead of the defaults; NULL: those. */
extern void (*cluster_make_profile)(struct cache *cache, struct plugin_profile *profile);

/* Nodes n1 to n3 are there. An extender "a", if it is to be, cares for pods that ask for a GPU. */
void cluster_open(void (*extender)(struct scheduler_extender *config));
void cluster_close(void);

/* Objects are read one after the other, and what changed is only worked off by the next turn. */
extern bool cluster_batches;
/* What the scheduler's sink says of an object; ' stands for ". */
bool cluster_tell(enum kube_kind kind, enum kube_watch_type type, const char *json);
/* The same of one that has to be taken; a printf format. */
void cluster_feed(enum kube_kind kind, const char *format, ...) PRINTF_LIKE(2, 3);
void cluster_add_node(const char *name, const char *version);
/* One that the extender cares for, or not; "" is no node. */
void cluster_add_pod(const char *name, bool cares, const char *cpu, const char *node);
void cluster_run(int64_t ms);
/* The node that the pod was bound to, "" when it was not. */
const char *cluster_bound_to(const char *name);

#endif
