/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plugins - the rules. A plugin is one file (or a few with its name) that exports one table,
 * struct plugin, with everything there is to know about it; registry.h has a row for each, and
 * what a profile may name, what is watched, requeued, measured and explained follows from the
 * tables.
 *
 * Everything here looks at the cache and never changes what it says. One decision about one pod
 * shares one struct cycle_state; a plugin keeps what it works out in its own state there.
 *
 * A filter says what kube-scheduler's filter says, for one node at a time. What depends only on
 * the pod's template and the node itself (is_local) is remembered by the cycle from one decision
 * to the next; the others must be cheap after their pre_filter.
 */
#ifndef BERTH_PLUGINS_PLUGINS_H
#define BERTH_PLUGINS_PLUGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plugin_set.h"
#include "base/scratch.h"
#include "cache/cache.h"
#include "plugins/args.h"
#include "plugins/registry.h"

/* Values as upstream's codes. */
enum plugin_code {
	PLUGIN_SUCCESS,
	PLUGIN_ERROR,
	PLUGIN_UNSCHEDULABLE,
	PLUGIN_UNRESOLVABLE, /* UnschedulableAndUnresolvable */
	PLUGIN_WAIT,
	PLUGIN_SKIP,
	PLUGIN_PENDING
};

/* Collects the words; most callers pass NULL because they only want the code. */
enum { PLUGIN_REASONS_MAX = 72 };
struct plugin_reasons {
	struct scratch *scratch; /* for words that are put together */
	struct text list[PLUGIN_REASONS_MAX];
	uint32_t count;
};
void plugin_because(struct plugin_reasons *why, const char *reason); /* a constant */
void plugin_because_of(struct plugin_reasons *why, const char *format, ...) PRINTF_LIKE(2, 3);

/* The pod being decided, as plugins see it. It need not be in the cache (what-if, explain). */
struct plugin_pod {
	uint32_t index;          /* in cache.pods, 0 when it is not there */
	uint32_t template_index; /* 0 when the class is not in the cache */
	const struct kube_pod_template *class;
	const struct kube_labels *labels; /* NULL: none */
	const struct kube_labels *namespace_labels;
	struct text name;
	struct cache_uid uid;
	uint32_t for_node;    /* the one node that it is for, as a string id (kube/pod.h) */
	uint32_t wanted_node; /* spec.nodeName as a string id, 0 = none */
};
struct plugin_pod plugin_pod_of(const struct cache *cache, uint32_t pod);

struct dra;

struct cycle_state {
	struct cache *cache;
	const struct plugin_profile *profile;
	struct scratch *scratch;
	struct dra *dra; /* what is remembered of devices; NULL: nothing */
	struct plugin_pod pod;
	enum cache_count_mode way; /* fast, or recount everything (tests, audit) */

	/* what pre_filter and pre_score found out */
	struct plugin_set skip_filter;
	struct plugin_set skip_score;
	struct plugin_set pre_filtered; /* whose pre_filter ran */
	struct plugin_set pre_scored;
	const uint32_t *only_nodes; /* NULL: all; else node name ids, sorted */
	uint32_t only_node_count;

	/* the feasible nodes, set before pre_score: plugins that score relative to them look here
	 */
	const uint32_t *feasible;
	uint32_t feasible_count;

	/* Of each plugin, in scratch; NULL: its pre_filter (pre_score) made none. */
	void *state[PLUGIN_COUNT];
	void *score_state[PLUGIN_COUNT];
	const char *error; /* with PLUGIN_ERROR: what failed, in upstream's words; in scratch */
	const struct clock *clock; /* for what says in wall time when it ends; NULL: none */
};

/* A node passes when the count of its domain is within least..most. */
struct plugin_rule {
	const uint32_t *of_node; /* as in struct cache_tally */
	const int32_t *counts;
	int32_t least;
	int32_t most;
	bool needs_key; /* and when it is in a domain at all */
};

/* ---- what a rejected pod waits for ---- */

/* A pod that waits, in its newest version; `scratch` is for the hint's own use. */
struct plugin_waiting {
	struct cache *cache;
	const struct plugin_profile *profile;
	struct scratch *scratch;
	struct plugin_pod pod;
};

enum plugin_hint { PLUGIN_HINT_SKIP, PLUGIN_HINT_QUEUE };

/* Could this event, with one of its actions, have helped this pod? */
typedef enum plugin_hint plugin_hint_fn(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action);

/*
 * A kind of event. Until v1.36 upstream gives every plugin that registers Node/Add without
 * Node/UpdateNodeTaint the latter as well, without a hint: a taint that goes may uncover a node
 * that was never looked at. So do we, without a row of its own.
 */
struct plugin_registration {
	enum kube_kind kind;  /* KUBE_NO_KIND ends a list */
	uint32_t actions;     /* enum cache_action bits, and those below */
	plugin_hint_fn *hint; /* NULL: always queue */
};
/* Of pods: since v1.37 only what happens to the waiting pod itself is registered. */
#define PLUGIN_OF_ITSELF (UINT32_C(1) << 31)
/* The row is not there in older releases. */
#define PLUGIN_SINCE_1_37 (UINT32_C(1) << 30)
#define PLUGIN_EVENTS(...)                    \
	(const struct plugin_registration[])  \
	{                                     \
		__VA_ARGS__,                  \
		{                             \
			KUBE_NO_KIND, 0, NULL \
		}                             \
	}

/* ---- when no node will do ---- */

struct plugin_call;

/*
 * What PostFilter may ask the framework, which can run the profile's filters on nodes with pods
 * taken off. preempt: looks for pods of lower priority without which the pod fits somewhere, and
 * keeps what it finds for the decision; PLUGIN_SUCCESS, or a rejection with its reason.
 */
struct plugin_rescue {
	void *self;
	uint8_t rejector; /* whose pre_filter rejected the pod; PLUGIN_COUNT: none's */
	enum plugin_code (*preempt)(void *self, struct plugin_reasons *why);
	/* One-off calls (see struct plugin_handle), sent when the pod is parked; once a decision.
	 */
	void (*send)(void *self, const struct plugin_call *calls, uint32_t count);
};

/* ---- from the choice to the binding ---- */

struct plugin_binding;

enum { PLUGIN_CALLS_MAX = 2 /* of one sending */ };

/*
 * What plugins may do beside their answers. Of pods that wait at Permit: one that is allowed by all
 * that hold it goes on, one that is rejected is undone, each after the call of the plugin that said
 * so.
 *
 * send: one-off calls to the apiserver for which the plugin does not wait, with `body` instead of
 * write_body. All is copied. They are made one after the other, each when the one before was
 * carried out, and sent again while it is not known whether it was: they must bear that. When one
 * is refused the rest is dropped, and the pod, if it waits for an event by then, is tried again.
 *
 * event: about the pod, of type Normal, with action Scheduling.
 */
struct plugin_handle {
	void *self;
	void (*each_waiting)(
		void *self, void (*fn)(void *arg, const struct plugin_binding *waiting), void *arg);
	void (*allow)(void *self, uint64_t tag, enum plugin_id plugin);
	void (*reject)(void *self, uint64_t tag, enum plugin_id plugin, const char *message);
	void (*send)(void *self, const struct plugin_binding *b, const struct plugin_call *calls,
		uint32_t count);
	void (*event)(
		void *self, const struct plugin_binding *b, const char *reason, struct text note);
};

/*
 * A pod that was given a node and is on its way there: assumed in the cache, not bound yet. What a
 * plugin remembers about it between its points it keeps with it: plugin_keep().
 */
struct plugin_binding {
	struct cache *cache;
	const struct plugin_profile *profile;
	const struct plugin_handle *handle;
	struct scratch *scratch; /* of one call */
	uint64_t tag;            /* unique among the pods on their way */
	uint32_t pod;            /* in cache.pods; 0: it is gone, which only the end can meet */
	uint32_t node;           /* its name, a string id */
	uint32_t kept;           /* in the cache's store: what plugins keep */
	struct cache_uid uid;    /* of the pod */
	struct mono now;
	struct wall wall; /* the same; 0: not known */
};

enum { PLUGIN_HOLDERS_MAX = 4 /* plugins with a permit that may hold one pod at a time */ };

/*
 * Memory of the plugin for this binding, zeroed; it stays where it is, and goes with the binding
 * (see release). Once for each binding. NULL: the budget is reached, and the pod is to be refused.
 */
MUST_USE void *plugin_keep(struct plugin_binding *b, enum plugin_id id, size_t size);
void *plugin_kept(const struct plugin_binding *b, enum plugin_id id); /* NULL: nothing */
void plugin_release(struct plugin_binding *b); /* for the framework: all that is kept */

/* What a step of PreBind comes to. */
enum plugin_step {
	PLUGIN_STEP_DONE,
	PLUGIN_STEP_REJECTED, /* the pod is unschedulable after all; why says it */
	PLUGIN_STEP_FAILED,   /* an error: it is tried again; why says it */
	PLUGIN_STEP_WAIT,     /* for a change of `kinds`, or until wait_until */
	PLUGIN_STEP_CALL      /* for the answer of the apiserver to `call` */
};

/*
 * A call to the apiserver as data: plugins do not know of the network. PATCH is a merge patch,
 * STRATEGIC a strategic merge patch.
 */
enum plugin_verb { PLUGIN_PUT, PLUGIN_PATCH, PLUGIN_STRATEGIC_PATCH, PLUGIN_POST, PLUGIN_DELETE };
struct plugin_call {
	enum plugin_verb verb;
	enum kube_kind kind;
	struct text namespace;   /* empty: the kind has none */
	struct text name;        /* empty: one is made */
	const char *subresource; /* "status", or NULL */
	/*
	 * Writes the body as JSON; NULL: none; false: it cannot be said. Called before the step's
	 * caller goes on, like the texts above are read.
	 */
	bool (*write_body)(const struct plugin_binding *b, struct writer *out);
	struct text body; /* of a one-off call; empty: none */
};

/* How a call ended. What was not carried out for sure (429 with a time) is sent again before. */
enum plugin_answer {
	PLUGIN_ANSWER_NONE, /* there was no call: the first step, or a change */
	PLUGIN_ANSWER_OK,
	PLUGIN_ANSWER_CONFLICT, /* of versions */
	PLUGIN_ANSWER_GONE,     /* no such object */
	PLUGIN_ANSWER_REFUSED,
	PLUGIN_ANSWER_UNCLEAR /* it may have happened: the watch will show it */
};

struct plugin_progress {
	enum plugin_answer answer; /* in */
	bool may_be_done;          /* in: an earlier try of the call may have been carried out */
	struct text message;       /* in: of the last answer, also in steps that follow */
	struct plugin_call call;   /* out, with PLUGIN_STEP_CALL */
	uint32_t kinds;            /* out, with PLUGIN_STEP_WAIT: PLUGIN_KIND() of each */
	struct mono wait_until;    /* out, with PLUGIN_STEP_WAIT; MONO_NEVER at first */
};

/* ---- the table of a plugin ---- */

/* How raw scores become 0..100. */
enum plugin_normalise {
	PLUGIN_RAW,          /* they are as they are */
	PLUGIN_BY_HIGHEST,   /* 100 * raw / the highest; upstream's DefaultNormalizeScore */
	PLUGIN_BY_LOWEST,    /* 100 less that */
	PLUGIN_NORMALISE_OWN /* by the plugin's own function */
};

/* The releases of Kubernetes whose default profile has the plugin. */
enum { PLUGIN_IN_1_36 = 1, PLUGIN_IN_1_37 = 2, PLUGIN_IN_ALL = PLUGIN_IN_1_36 | PLUGIN_IN_1_37 };

/* What would help a pod that the plugin rejected. */
struct plugin_help {
	const char *reason; /* how the reasons begin against which it helps; "": any; NULL ends */
	const char *help;
};

/* A pod by what may say which other objects its decision, or its being there, depends on. */
struct plugin_demand {
	const struct cache *cache;
	const struct plugin_profile *profile; /* NULL: another scheduler's, or it has a node */
	const struct kube_pod_template *class;
	const struct kube_labels *labels;
};
#define PLUGIN_KIND(kind) (UINT32_C(1) << (kind))
#define PLUGIN_HELPS(...)            \
	(const struct plugin_help[]) \
	{                            \
		__VA_ARGS__,         \
		{                    \
			NULL, NULL   \
		}                    \
	}

/*
 * In the default lists of KubeSchedulerConfiguration v1beta2 (of plugins that are no default any
 * more, in those of v1beta1): the weight there, and places from 1
 * in lists whose order is not that of the registry; 0: behind those that have one.
 */
struct plugin_v1beta2 {
	uint16_t weight; /* 0: it does not score */
	uint8_t pre_filter;
	uint8_t pre_score;
	uint8_t score;
};

struct plugin {
	const char *name;
	int32_t weight;    /* default weight; 0 when it does not score */
	uint32_t defaults; /* PLUGIN_IN_1_36 ... */
	/* Places by which it comes before its row in the default list of a release. */
	uint8_t earlier[KUBE_RELEASES];
	bool needs_feature;   /* it does nothing while ... */
	enum feature feature; /* ... is off */
	struct plugin_v1beta2 v1beta2;
	bool in_every_policy; /* with any policy of older releases, whatever it names */
	uint32_t points; /* PLUGIN_AT() of those where upstream's does something and ours not */
	uint32_t points_since_1_37; /* more of these */
	const struct plugin_help *helps;
	const struct plugin_args *args; /* NULL: none */

	bool with_args; /* in the default list of profiles that have arguments for it */

	/*
	 * The verdict and the raw score depend on nothing but the local part of the template (see
	 * kube/pod.h), the profile and the node with its pods; and on what profile->local_reads and
	 * refresh_us say.
	 */
	bool filter_is_local;
	bool score_is_local;
	/* The profile uses it, with its arguments; may set local_reads and refresh_us there. */
	void (*used)(struct plugin_profile *profile);

	/*
	 * Of what pre_filter (pre_score) works out for filter (score), which cannot do without
	 * when a profile leaves that point out; see plugin_take_state().
	 */
	size_t state_size;
	size_t score_state_size;

	/* Events that may make it change its mind; a list that ends with KUBE_NO_KIND, or NULL. */
	const struct plugin_registration *events;
	/*
	 * Does an event help all the same? Where upstream's hint looks at less than what its filter
	 * says, the pod would wait for minutes.
	 */
	bool (*helps_beyond_hint)(const struct plugin_waiting *w, const struct cache_event *event);
	/* Kinds of objects, PLUGIN_KIND() of each, that the pod's decision needs. */
	uint32_t (*kinds)(const struct plugin_demand *pod);

	/* The extension points; NULL where the plugin does not implement one. */

	/* Anything but PLUGIN_SUCCESS holds the pod back from the queue. Cheap: asked often. */
	enum plugin_code (*pre_enqueue)(
		const struct cache *cache, uint32_t pod, struct plugin_reasons *why);
	enum plugin_code (*pre_filter)(struct cycle_state *d, struct plugin_reasons *why);
	enum plugin_code (*filter)(
		struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
	/* For explanations: more about a node that filter refused, for people; NULL: no more. */
	void (*detail)(struct cycle_state *d, const struct cache_view *view, struct writer *out);
	/*
	 * No node passed: PLUGIN_SUCCESS when something is done about it, PLUGIN_UNSCHEDULABLE when
	 * the next plugin may; anything else ends it, PLUGIN_ERROR with its reason alone.
	 */
	enum plugin_code (*post_filter)(struct cycle_state *d, const struct plugin_rescue *rescue,
		struct plugin_reasons *why);
	enum plugin_code (*pre_score)(struct cycle_state *d);
	int64_t (*score)(struct cycle_state *d, uint32_t node);
	/*
	 * The same for many nodes at once, where that is cheaper; both must agree. keep: of the
	 * nodes those that pass the filter, in order; how many. scores: raw ones. rules: after
	 * pre_filter, a node passes the filter when it passes each of them; NULL: out of scratch.
	 * add_scores: after pre_score, adds weight times the normalised score to the total of each
	 * feasible node; false with d->error when that cannot be done. NULL: one by one.
	 */
	uint32_t (*keep)(struct cycle_state *d, uint32_t *nodes, uint32_t count);
	void (*scores)(
		struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores);
	const struct plugin_rule *(*rules)(struct cycle_state *d, uint32_t *count);
	bool (*add_scores)(struct cycle_state *d, int64_t weight, int64_t *totals);
	/* True: the score is 0 on every node, whatever the nodes are. */
	bool (*score_is_idle)(const struct cycle_state *d);
	enum plugin_normalise normalise;
	/* In place, over the feasible nodes' raw scores: PLUGIN_NORMALISE_OWN. */
	void (*normalise_own)(struct cycle_state *d, int64_t *scores, uint32_t count);

	/*
	 * The points after the choice, see cycle/binding_points.h. reserve is called in the turn of
	 * the decision, whose state is still there; anything but PLUGIN_SUCCESS takes the choice
	 * back. unreserve must bear to be called when reserve was not, or rejected. permit says
	 * PLUGIN_SUCCESS, PLUGIN_WAIT with a timeout, or rejects. pre_bind_pre_flight says
	 * PLUGIN_SKIP when pre_bind has nothing to do for the pod; it changes nothing. pre_bind
	 * says what is to be done now, and is called again for each answer and change; without an
	 * answer it may be asked once more before its call was sent. concerns: may the change, of
	 * one of the kinds that pre_bind waits for, be what it waits for? NULL: any may. release:
	 * the binding is over, one way or the other, and what is kept for it goes; kept is not
	 * NULL. The pod may be gone (b->pod is 0) in unreserve, post_bind and release.
	 */
	enum plugin_code (*reserve)(
		struct cycle_state *d, struct plugin_binding *b, struct plugin_reasons *why);
	void (*unreserve)(struct plugin_binding *b);
	enum plugin_code (*permit)(
		struct plugin_binding *b, int64_t *timeout_ms, struct plugin_reasons *why);
	enum plugin_code (*pre_bind_pre_flight)(struct plugin_binding *b);
	enum plugin_step (*pre_bind)(struct plugin_binding *b, struct plugin_progress *progress,
		struct plugin_reasons *why);
	bool (*concerns)(const struct plugin_binding *b, const struct cache_event *event);
	/*
	 * Of a plugin with a permit: the pending pods, this one among them, that get a node
	 * together or not at all. How many they are; the first `room` of them are written, in the
	 * order in which they are to be decided. 0 or 1: the pod goes alone. Permit is asked about
	 * each when all have a place.
	 */
	uint32_t (*group)(const struct plugin_profile *profile, const struct cache *cache,
		uint32_t pod, uint32_t *pods, uint32_t room);
	void (*post_bind)(struct plugin_binding *b);
	void (*release)(const struct plugin_binding *b, void *kept);

	/*
	 * Extensions of pre_filter: the state follows a pod put on (sign 1) or taken off (-1) the
	 * view's node in thought. Only one node is changed at a time; forget drops all such
	 * changes.
	 */
	void (*pod_moved)(
		struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign);
	void (*pods_forgotten)(struct cycle_state *d);
};

/* The registry, by id, and each plugin's table by its name. */
extern const struct plugin *const plugins[PLUGIN_COUNT];
#define PLUGIN_TABLE(id, file) extern const struct plugin plugin_##file;
PLUGIN_ROWS(PLUGIN_TABLE)
#undef PLUGIN_TABLE

/* PLUGIN_COUNT when there is none of the name. */
enum plugin_id plugin_find(struct text name);
/* Does the plugin implement the point, at upstream at least? */
bool plugin_has_point(const struct plugin *plugin, enum plugin_point point);
bool plugin_has_point_in(
	const struct plugin *plugin, enum plugin_point point, enum kube_release release);
/* The plugin takes part at the point, behind those that are there. */
void plugin_use_at(
	struct plugin_profile *profile, enum plugin_point point, enum plugin_id id, int64_t weight);
/* CHECKs that no table lacks a declaration that another one needs. */
void plugins_check(void);

/* The time, in microseconds since 1970, that plugins of the profile see; 0: they see none. */
static inline int64_t plugin_now_us(const struct cache *cache, const struct plugin_profile *profile)
{
	int64_t every = profile->refresh_us;
	return every == 0 ? 0 : cache->now_us - cache->now_us % every;
}

/* Zeroed, state_size (score_state_size) bytes; NULL: out of scratch. */
void *plugin_take_state(struct cycle_state *d, enum plugin_id id);
void *plugin_take_score_state(struct cycle_state *d, enum plugin_id id);

/*
 * The reason for an object that is not in the cache: it was not found; or, when one of its kind
 * could not be read or kept, that it is not known. `what` is its kind as people write it.
 */
enum plugin_code plugin_misses(const struct cache *cache, enum kube_kind kind, const char *what,
	struct text name, struct plugin_reasons *why);
struct plugin_timer;
/*
 * The plugin of the profile that holds the pod back from the queue, which says why;
 * PLUGIN_COUNT: none. `why` and `timer` may be NULL.
 */
enum plugin_id plugin_gate_of(const struct cache *cache, const struct plugin_profile *profile,
	uint32_t pod, struct plugin_reasons *why, const struct plugin_timer *timer);
/* Kinds that the profile's plugins need for the pod; without a profile those that any needs. */
uint32_t plugin_kinds_of(const struct plugin_demand *pod);
/* What would help against a reason that the message has; NULL: nothing that is known. */
const char *plugin_help_for(const struct plugin *plugin, struct text message);

/* All raw scores, normalised in place by the plugin's kind. */
void plugin_normalise(
	const struct plugin *plugin, struct cycle_state *d, int64_t *scores, uint32_t count);

/* What a raw score is normalised to, given the lowest and the highest of all. */
typedef int64_t plugin_normal_fn(int64_t raw, int64_t least, int64_t most);
/*
 * Adds weight times the normalised score for each feasible node; `raw` is by position there.
 * Equal raw scores are normalised once. False with d->error when one leaves 0..100.
 */
MUST_USE bool plugin_add_normalized(struct cycle_state *d, const int64_t *raw,
	plugin_normal_fn *normal, int64_t weight, int64_t *totals);
extern const char plugin_out_of_range[]; /* what d->error says then */
/* The same for a plugin without add_scores, by its score and the way it normalises. */
MUST_USE bool plugin_add_one_by_one(
	struct cycle_state *d, const struct plugin *plugin, int64_t weight, int64_t *totals);

#endif
