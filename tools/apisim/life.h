/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Life: what goes on in an edge cluster, by a seed. Nodes of several sizes in zones; deployments
 * that grow and shrink, jobs that end, daemons, pods that fit nowhere; devices and what drivers say
 * of them, where they are wanted; the kubelets of all nodes (pods start, become ready, end); nodes
 * that fail and come back, a power cut of a zone, nodes that are drained and taken away.
 *
 * It is a client of the API like others, and follows what they do by the registry's history.
 */
#ifndef BERTH_TOOLS_APISIM_LIFE_H
#define BERTH_TOOLS_APISIM_LIFE_H

#include "apisim/api.h"
#include "base/arena.h"

struct life_setup {
	struct apisim *api;
	struct arena *arena; /* life_size() bytes */
	struct clock clock;
	uint64_t seed;
	uint32_t nodes;             /* to make; 0: none, only kubelets of what there is */
	uint32_t pods;              /* about so many are wanted by deployments */
	uint32_t nodes_max;         /* room; 0: twice `nodes` + 16 */
	uint32_t pods_max;          /* 0: twice `pods` + 1024 */
	bool devices;               /* drivers offer some, and pods want them */
	bool calm;                  /* nothing changes by itself, kubelets apart */
	int64_t hurry;              /* divides the time between two events and what a failure
				     * lasts; 0 and 1: as it is */
	const char *scheduler_name; /* NULL: default-scheduler */
	/* A power cut of a zone begins: the simulator may cut more. */
	void (*on_power_cut)(void *self, uint32_t zone);
	void *self;
};

struct life_counts {
	uint64_t created, started, completed, ended, evicted, scaled, volumes_bound;
	uint64_t node_failures, node_returns, power_cuts, nodes_added, nodes_removed;
	uint64_t refused; /* by the API or for lack of room: none, when all is well */
	uint32_t pods, pods_running, pods_pending, nodes, nodes_down; /* now */
};

struct life;

size_t life_size(const struct life_setup *setup);
struct life *life_init(const struct life_setup *setup);
/* Does what is due; says when the next thing is. */
struct mono life_turn(struct life *life);
const struct life_counts *life_counts(const struct life *life);
/* The store went back: what it has now is what there is. */
void life_look_again(struct life *life);
/* While it is calm nothing changes by itself: what is pending can settle. */
void life_calm(struct life *life, bool is_calm);

#endif
