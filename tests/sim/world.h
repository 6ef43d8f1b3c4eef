/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * World: a cluster in one process, with virtual time. An apiserver (tools/apisim), one to five
 * whole schedulers (src/scheduler, unchanged), whoever else changes a cluster, and everything that
 * goes wrong. All chance comes from one seed.
 *
 *	world.c    what there is, and how time passes
 *	plan.c     what a seed means
 *	process.c  a scheduler as a process: memory, clock, network; starts, stops, dies
 *	wires.c    the network as a process sees it, with all that goes wrong there
 *	gate.c     requests on their way into the apiserver: moods, and what was bound
 *	trouble.c  when which trouble comes
 *	churn.c    pods and nodes of many shapes come, change and go
 *	shapes.c   what pods look like
 *	tenants.c  who shares the cluster, and means harm or has no luck
 *	neighbours.c  plain pods beside them, and how long they may wait
 *	devices.c  drivers of devices, who frees claims, and what must hold of both
 *	judge.c    what must hold, at any time and in the end
 */
#ifndef BERTH_TESTS_SIM_WORLD_H
#define BERTH_TESTS_SIM_WORLD_H

#include "apisim/face.h"
#include "apisim/life.h"
#include "apisim/network.h"
#include "base/pages.h"
#include "base/scratch.h"
#include "scheduler/scheduler.h"

enum {
	SIM_PROCESSES_MAX = 5,
	SIM_NOTES = 128,
	SIM_READINGS = 256,
	SIM_NOTE_MAX = 240,
	SIM_NODES_MAX = 64,
	SIM_PODS_MAX = 4096,
	SIM_PORT = 6443,
	SIM_CONNECTIONS = 32 /* of one scheduler */
};

/* ---- what a seed means ---- */

enum sim_trouble {
	SIM_CUTS,         /* connections are reset at any byte */
	SIM_SILENCE,      /* connections stay open and say nothing more */
	SIM_DELAYS,       /* bytes take longer for a while */
	SIM_ERRORS,       /* answers of 409, 429, 500, 503, 504 instead of what was asked for */
	SIM_HALF_ERRORS,  /* errors of what was carried out all the same */
	SIM_COMPACTIONS,  /* of the history: 410 */
	SIM_SERVER_STOPS, /* nobody answers for a while */
	SIM_WALL_JUMPS,   /* of a scheduler's calendar */
	SIM_CRASHES,      /* of a scheduler, anywhere */
	SIM_STOPS,        /* of a scheduler, in order */
	SIM_PAUSES,       /* of a scheduler's process, anywhere */
	SIM_BUSY_PAUSES,  /* the same, while there are pods to decide about */
	SIM_LAGS,         /* some connections are far behind: of several apiservers one is slow */
	SIM_RATES,        /* clocks of schedulers go faster or slower */
	SIM_POWER_CUTS,   /* of the server, which has lost its last changes when it is back */
	SIM_REFUSALS,     /* of new connections, and watches end; requests are still answered */
	SIM_TROUBLES
};

enum sim_shape {
	SIM_PLAIN,
	SIM_NODE_CHOOSERS, /* selectors and node affinity */
	SIM_TOLERANT,
	SIM_PORTS,
	SIM_PRIORITIES,
	SIM_ANTI,     /* required anti-affinity */
	SIM_TOGETHER, /* required affinity */
	SIM_WISHES,   /* preferred affinities */
	SIM_SPREAD,
	SIM_GATES,
	SIM_CLAIMS,
	SIM_INITIAL, /* containers that run first, overhead */
	SIM_FOREIGN, /* of another scheduler */
	SIM_LARGE,   /* with much that no scheduler reads */
	SIM_SHAPES
};

enum sim_tenant {
	TENANT_BIG,       /* pods with much that nobody reads */
	TENANT_DEEP,      /* ... and deep */
	TENANT_LABELS,    /* hundreds of labels */
	TENANT_TERMS,     /* dozens of topology keys that no node has */
	TENANT_GATED,     /* with labels and terms, behind gates that nobody opens */
	TENANT_FOREIGN,   /* of another scheduler */
	TENANT_GHOSTS,    /* on nodes that are not there */
	TENANT_HELD,      /* with finalizers: deleted, and there */
	TENANT_ODD,       /* cannot be read */
	TENANT_TEMPLATES, /* each of its own kind */
	TENANT_CHURN,     /* made and deleted at once */
	TENANT_TOUCH,     /* changed again and again */
	TENANT_FLOOD,     /* fit nowhere, some of them important */
	TENANT_VOLUMES,   /* with claims that their provisioner forgets */
	TENANT_WIDE,      /* with more extended resources than a word has bits; nodes, too */
	TENANT_SHUT,      /* one that cannot be read and has a node: it is closed */
	SIM_TENANTS
};

struct sim_plan {
	int64_t lasts_us;
	uint32_t schedulers;
	uint32_t nodes, pods;      /* of life; 0 nodes: none of it */
	uint32_t own_nodes;        /* of churn */
	uint32_t shapes;           /* bits by enum sim_shape */
	uint32_t troubles;         /* bits by enum sim_trouble */
	int64_t churn_us;          /* between two changes, on average */
	int64_t trouble_us;        /* between two troubles */
	int64_t hurry;             /* of life */
	int64_t busy_us, quiet_us; /* how long much happens, and then little; on average */
	bool nodes_change;         /* taints, labels, more room, coming and going */
	bool namespaces_change;    /* labels */
	bool devices;              /* nodes have some, pods have claims to them */
	bool namespace_terms;      /* what holds pods back selects namespaces by labels */
	bool budgets;              /* PodDisruptionBudgets */
	bool streaming_lists;
	int64_t delay_us, jitter_us;
	uint32_t slice;        /* bytes that arrive at once; 0: all */
	uint32_t clock_us_max; /* what reading the clock takes: a slow processor */
	uint32_t history;
	uint64_t memory;                               /* of the picture, per scheduler */
	uint32_t bindings, connections, events, queue; /* queue 0: as the memory allows */
	int64_t unschedulable_max_us;
	uint32_t tenants;         /* bits by enum sim_tenant */
	uint32_t tenant_pods;     /* about so many at a time */
	int64_t tenants_every_us; /* between two things that they do */
};

void plan_make(struct sim_plan *plan, uint64_t seed, bool is_thin);
void plan_print(const struct sim_plan *plan);

/* ---- a process ---- */

struct world;

/* One end of a connection, as its process sees it. */
struct sim_wire {
	bool mute, deaf; /* what it says is lost; it hears nothing more */
	bool will_break;
	uint64_t break_in, break_out; /* bytes until it breaks */
	uint64_t silent_in;           /* bytes until it hears nothing more */
};

struct sim_process {
	struct world *world;
	uint32_t number;
	struct network_host *host;
	struct net_bytes inner;
	struct sim_wire wires[NETWORK_STREAMS + 1];
	/* As its last wait() said. */
	bool asleep;
	int64_t due_us;

	/* Of schedulers. */
	bool is_up;
	bool inside;                 /* a turn is under way */
	bool is_dying;               /* nothing that it says gets out any more */
	uint64_t dies_in, pauses_in; /* readings of the clock */
	bool pauses_busy;            /* counted only while pods can be decided about */
	int64_t pause_us;
	int64_t paused_until_us, starts_us;
	int64_t mono_us, wall_us; /* its clocks, against the network's */
	int64_t rate_ppm;
	int64_t readings[SIM_READINGS]; /* of its clock, the last ones */
	uint64_t readings_count;
	int64_t decided_us; /* the last attempt began */
	uint64_t lists;     /* of pods that it had seen when it did not lead yet */
	struct random random;
	struct page_budget budget;
	void *block;
	size_t size;
	struct arena arena;
	struct net *net;
	struct net_client *client;
	struct scheduler *scheduler;
	struct plugin_profile profile;
	char identity[64];
	uint32_t label_sets; /* when it started */
	uint64_t starts;
};

/* ---- everything ---- */

enum { SIM_VICTIMS = 512 };

struct sim_victim {
	char name[64], node[64];
	bool told; /* an event says why it had to go */
};

/* A claim that a scheduler has reserved for a pod, and has not said anything else of since. */
struct sim_reserved {
	char key[96]; /* of both; "": none */
	char pod_uid[64];
	uint32_t process;
	uint64_t starts; /* of that process */
};
enum { SIM_RESERVED = 256 };

/* A plain pod of somebody quiet. */
struct sim_probe {
	char key[64];     /* "": none */
	int64_t since_us; /* there was room for it all the time, and nothing in its way */
	bool is_important;
};
enum { SIM_PROBES = 6 };

struct sim_counts {
	uint64_t turns, requests, bindings, victims, restarts, pauses, cuts, silences, errors,
		jumps;
	uint64_t compactions, outages, losses, lags, checks, waiting, quiet_s, probes;
	uint64_t digest; /* of all requests and answers, and when */
};

struct world {
	uint64_t seed;
	struct sim_plan plan;
	struct random random;
	struct page_budget budget;
	void *block;
	struct arena arena;
	struct network network;
	void *apisim_block;
	struct apisim *api;
	struct life *life;
	struct sim_process server;
	struct net *server_net;
	struct face *face;
	struct sim_process processes[SIM_PROCESSES_MAX];
	bool is_calm;  /* no more trouble, no more changes */
	bool is_quiet; /* for a while nothing changes by itself */
	int64_t life_us, churn_us, trouble_us, mood_us, devices_us, tenants_us, probes_us;
	int64_t look_us;   /* when who waits is looked at next, besides by chance */
	uint64_t founded;  /* version of what is there from the beginning, and is never lost */
	uint64_t followed; /* version that life has seen */
	int64_t delay_until_us, outage_until_us, errors_until_us;
	int64_t confused_until_us; /* an answer was lost, or who had asked for it */
	int64_t lost_until_us;     /* what was decided before a power cut may still be on its way */
	uint32_t error_share;      /* of 100 requests */
	uint32_t serial;           /* of names */
	struct sim_victim victims[SIM_VICTIMS];
	uint32_t victims_count;
	struct sim_probe probes[SIM_PROBES];
	struct sim_reserved reserved[SIM_RESERVED];
	uint32_t reserved_next;
	struct scratch scratch;
	int64_t busy_since_us;
	uint64_t busy_turns;
	struct sim_counts counts;
	char notes[SIM_NOTES][SIM_NOTE_MAX];
	uint64_t notes_count;
	bool tells;          /* notes go to stderr at once, too */
	const char *command; /* what reproduces the run */
};

void world_open(struct world *w, uint64_t seed, const struct sim_plan *plan);
void world_close(struct world *w);
/* Time passes; `except` stands still (NULL: nobody). */
void world_pass(struct world *w, int64_t us, const struct sim_process *except);
/* The whole story: trouble, calm, the end. */
void world_run(struct world *w);

/* Remembers a line for the report. */
void world_note(struct world *w, const char *format, ...) PRINTF_LIKE(2, 3);
/* An answer is lost, or who has asked for it. */
void world_confuse(struct world *w);
/* Something happened that somebody may have to be woken for. */
void world_look_soon(struct world *w);
/* Something does not hold. */
NORETURN void world_found(struct world *w, const char *format, ...) PRINTF_LIKE(2, 3);
static inline uint32_t world_below(struct world *w, uint32_t bound)
{
	return random_below(&w->random, bound);
}
static inline bool world_has(const struct world *w, enum sim_trouble trouble)
{
	return !w->is_calm && (w->plan.troubles >> trouble & 1) != 0;
}
/* As one of the cluster's own machinery; the status. */
int world_ask(
	struct world *w, const char *method, const char *type, const char *path, const char *body);

/* ---- process.c ---- */

void process_init(struct sim_process *p, struct world *w, uint32_t number);
void process_start(struct sim_process *p);
void process_turn(struct sim_process *p);
void process_kill(struct sim_process *p); /* between two turns */
bool process_is_ready(const struct sim_process *p);
int64_t process_next(const struct sim_process *p);
struct mono process_now(const struct sim_process *p); /* by its own clock */
/* Who may write now; NULL: nobody. */
struct sim_process *process_leader(struct world *w);

/* ---- wires.c ---- */

struct net_bytes wires_bytes(struct sim_process *p);

/* ---- gate.c ---- */

void gate_ask(void *self, struct apisim *api, const struct apisim_request *request,
	struct apisim_answer *answer);

/* ---- trouble.c ---- */

void trouble_turn(struct world *w);
void trouble_end(struct world *w);

/* ---- churn.c, shapes.c ---- */

void churn_begin(struct world *w);
void churn_turn(struct world *w);
void churn_end(struct world *w); /* removes everything */
/* A random one whose name begins so; false: none was met. The key is copied. */
bool churn_some_object(
	struct world *w, uint32_t resource, const char *prefix, char *key, size_t size);
void shapes_pod(struct world *w, struct writer *out, const char *name);

/* ---- tenants.c, neighbours.c ---- */

void tenants_begin(struct world *w);
void tenants_turn(struct world *w);
void tenants_end(struct world *w); /* before all is removed */
bool tenants_own(struct text namespace);
void neighbours_begin(struct world *w);
void neighbours_turn(struct world *w);
/* NULL, or which plain pod waits though there is room. */
const char *neighbours_settled(struct world *w);

/* ---- devices.c ---- */

void devices_begin(struct world *w);
/* What drivers and the controller of claims do; when they look again. */
void devices_turn(struct world *w);
void devices_end(struct world *w); /* before all is removed */
void devices_make_claim(struct world *w, const char *namespace, const char *name);
/* The claim of that name was written. */
void devices_judge(struct world *w, struct text written);
/* A scheduler writes a claim; `let_in`: and it was. Before that once more, whatever comes of it. */
void devices_asked(struct world *w, const struct apisim_request *request, bool let_in);
/* After a turn: no claim is left to a pod that is not being bound any more. */
void devices_follow(struct sim_process *p);

/* ---- judge.c ---- */

void judge_binding(struct world *w, struct text namespace, struct text name, struct text node);
void judge_always(struct world *w);
void judge_waiting(struct world *w);
void judge_decisions(struct sim_process *p); /* after a turn */
/* NULL, or why it is not settled yet. */
const char *judge_settled(struct world *w);
/* Somebody found no room for something, and lists its kind again when it is time. */
bool judge_lacks_room(const struct world *w);
const char *judge_explained(struct world *w);
const char *judge_empty(struct world *w);

#endif
