/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to life*.c:
 *
 *	life.c          setting up, turns, following what others do
 *	life_kubelet.c  what becomes of pods on nodes, and of nodes
 *	life_world.c    what people and weather do
 *	life_volumes.c  what becomes of claims of volumes
 *	life_devices.c  what drivers offer, and what becomes of claims of devices
 */
#ifndef BERTH_TOOLS_APISIM_LIFE_PRIVATE_H
#define BERTH_TOOLS_APISIM_LIFE_PRIVATE_H

#include "apisim/life.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/pool.h"

enum {
	LIFE_KEY_MAX = 192,
	LIFE_APPS = 48,
	LIFE_ZONES = 3,
	LIFE_LOOKED_AT_ONCE = 64, /* claims, volumes, slices */
	LIFE_BODY_MAX = 8192,
	LIFE_PATH_MAX = 1024
};

enum life_action {
	LIFE_NOTHING,
	LIFE_STARTS,    /* the containers run */
	LIFE_COMPLETES, /* a job is done */
	LIFE_ENDS,      /* the kubelet has ended it */
	LIFE_GOES,      /* somebody deletes it */
	LIFE_UNGATES
};

struct life_pod {
	char key[LIFE_KEY_MAX];
	int64_t due_us;
	uint32_t position; /* in the heap */
	uint32_t node;     /* 0: none */
	uint16_t app;      /* 0: not ours */
	uint8_t action;    /* enum life_action */
	bool ending, running, over, gated;
};

struct life_node {
	char name[64];
	uint32_t zone;
	bool up, told_down; /* the API says that it is not ready */
	bool control_plane, draining;
	int64_t down_us;   /* when it went down */
	int64_t change_us; /* when the API is told, or it comes back */
};

enum life_app_kind { LIFE_DEPLOYMENT, LIFE_JOB, LIFE_DAEMON, LIFE_NEVER };

struct life_app {
	enum life_app_kind kind;
	uint32_t flavour;
	uint32_t cpu_milli, memory_mib;
	uint32_t wanted, wanted_max, have;
	uint32_t number; /* of the next pod */
};

enum life_event {
	LIFE_EVENT_CONTROL, /* controllers look */
	LIFE_EVENT_HEARTBEAT,
	LIFE_EVENT_SCALE,
	LIFE_EVENT_JOB,
	LIFE_EVENT_FAILURE,
	LIFE_EVENT_POWER_CUT,
	LIFE_EVENT_NODES, /* one comes or goes */
	LIFE_EVENT_TICK,  /* of the API */
	LIFE_EVENTS
};

struct life {
	struct life_setup setup;
	struct apisim *api;
	struct random random;
	struct life_counts counts;
	bool calm;
	uint64_t seen; /* version up to which changes were followed */
	bool news;     /* for controllers */
	struct pool pods, nodes;
	struct map pods_by_key, nodes_by_name;
	struct heap due;
	struct life_app apps[LIFE_APPS + 1];
	uint32_t apps_count;
	uint32_t node_number;
	uint32_t each_from; /* where the next look at claims and volumes begins */
	int64_t now_us;
	int64_t events[LIFE_EVENTS];
	char body[LIFE_BODY_MAX];
	char path[LIFE_PATH_MAX];
};

/* ---- life.c ---- */

static inline struct life_pod *life_pod(struct life *life, uint32_t pod)
{
	return pool_at(&life->pods, pod);
}
static inline struct life_node *life_node(struct life *life, uint32_t node)
{
	return pool_at(&life->nodes, node);
}
/* The status; what is refused (besides what was gone already) is counted. */
int life_ask(struct life *life, const char *method, const char *type, const char *path,
	const char *body);
#define LIFE_JSON      "application/json"
#define LIFE_MERGE     "application/merge-patch+json"
#define LIFE_STRATEGIC "application/strategic-merge-patch+json"
const char *life_path(struct life *life, const char *format, ...) PRINTF_LIKE(2, 3);
const char *life_body(struct life *life, const char *format, ...) PRINTF_LIKE(2, 3);
void life_pod_due(struct life *life, uint32_t pod, enum life_action action, int64_t in_us);
uint32_t life_find_node(struct life *life, struct text name);
/* What lasts so long where nothing hurries. */
int64_t life_hurried(const struct life *life, int64_t us);
/* Milliseconds from..to, as microseconds. */
int64_t life_between(struct life *life, uint32_t from_ms, uint32_t to_ms);
const char *life_time(struct life *life, char *to, size_t size);

/* ---- life_kubelet.c ---- */

void life_consider(struct life *life, uint32_t pod); /* what it is due for */
void life_act(struct life *life, uint32_t pod);
void life_node_goes_down(struct life *life, uint32_t node, int64_t for_us);
void life_nodes_turn(struct life *life); /* those that are down: told, evicted, back */
int64_t life_nodes_next(struct life *life);
void life_reconsider(struct life *life, uint32_t node); /* all pods of the node */

/* ---- life_world.c ---- */

void life_make_world(struct life *life);
void life_event(struct life *life, enum life_event event);

/* ---- life_volumes.c ---- */

/*
 * Calls `look` for those of that phase (NULL: of any); what it does may change the list. Not all
 * at once: each time some others, so that claims nobody has chosen a node for hold up none.
 */
void life_each(struct life *life, uint32_t resource, const char *phase,
	void (*look)(struct life *life, uint32_t revision));
void life_volumes(struct life *life);
void life_make_storage(struct life *life);
void life_make_claim(struct life *life, uint32_t app, const char *name);

/* ---- life_devices.c ---- */

void life_devices(struct life *life);
void life_make_device_class(struct life *life);
void life_make_device_claim(struct life *life, uint32_t app, const char *name);

#endif
