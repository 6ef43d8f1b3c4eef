/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scheduler, private: what the files of this folder do for each other.
 */
#ifndef BERTH_SCHEDULER_PRIVATE_H
#define BERTH_SCHEDULER_PRIVATE_H

#include "scheduler/scheduler.h"

struct scheduler_claim;

/* ---- informers.c ---- */

struct watch_sink scheduler_sink(struct scheduler *s);
void scheduler_start_informers(struct scheduler *s, uint32_t kinds);
void scheduler_relist_due(struct net_timer *timer, struct mono now);
/*
 * A pod that waits found no room at all: it is counted, its event and its condition are written if
 * they were not, and it is found again when pods are listed.
 */
void scheduler_lose_pod(struct scheduler *s, const struct shelf_entry *entry);
/* Pods that were dropped, or are not even on the shelf, are wanted. */
void scheduler_list_pods_soon(struct scheduler *s);
/* A pod of the shelf is there as a whole: its index in the cache, 0: it went back. */
uint32_t scheduler_feed_shelved(struct scheduler *s, const struct watch_object *object,
	struct scratch *scratch, const struct scheduler_claim *claim);

/* ---- release.c ---- */

void scheduler_init_release(struct scheduler *s);
void scheduler_close_release(struct scheduler *s);

/* ---- refresh.c ---- */

void scheduler_refresh(struct scheduler *s); /* when it is due */
struct mono scheduler_refresh_due(const struct scheduler *s);

/* ---- requeue.c ---- */

void scheduler_init_requeue(struct scheduler *s); /* the table of who waits for what */
/* As the queue asks: the bit of what holds the pod back, 0: nothing. */
struct queue_gate scheduler_gate(void *self, uint32_t pod);
/* A pod without a node that is not in the queue: into it, if it is ours. */
void scheduler_enqueue(struct scheduler *s, uint32_t pod);
/* An assigned pod is gone, as far as waiting pods are concerned. */
void scheduler_requeue_for_space(struct scheduler *s, uint32_t pod, uint32_t node_name);
/* The pod was nominated to the node of that name, and does not need it any more: upstream lets
 * pods that could have it wait for something else. */
void scheduler_requeue_for_nomination(struct scheduler *s, uint32_t pod, uint32_t nominated);
/* More kinds are known. */
void scheduler_requeue_for_kinds(struct scheduler *s);

/* ---- pressure.c ---- */

/* What memory is needed for, and how important that is. */
struct scheduler_claim {
	bool is_set;
	bool must;       /* no pod that waits */
	bool is_useless; /* a pod that we would do nothing with */
	bool tried;
	bool has_turn; /* it may take the place of one that was tried, too */
	int32_t priority;
	uint32_t namespace;
	uint32_t namespace_count;
};
struct scheduler_claim scheduler_claim_of(
	const struct scheduler *s, enum kube_kind kind, struct json_value object);
/* A pod of one of our profiles. */
bool scheduler_is_ours(const struct scheduler *s, struct json_value object);
/* As many less important pods give way, if there are; false: there are none. */
bool scheduler_make_room(struct scheduler *s, const struct scheduler_claim *claim, uint32_t count);
/* False: there is not even room for its name. */
MUST_USE bool scheduler_shelf_put(struct scheduler *s, const struct shelf_entry *entry);
/* With these flags, and those that its object says. */
void scheduler_shelve_object(struct scheduler *s, struct json_value object, uint32_t flags);
void scheduler_lose_object(struct scheduler *s, struct json_value object, uint32_t flags);
/* A new version of a pod that is there does not change that; true when it is dealt with. */
bool scheduler_stays_shelved(struct scheduler *s, struct json_value object);
/* The pod is known as a whole, or gone. */
void scheduler_unshelve(
	struct scheduler *s, struct text namespace, struct text name, bool is_known);
void scheduler_shelf_list_begin(struct scheduler *s);
void scheduler_shelf_list_end(struct scheduler *s);
void scheduler_fetched(void *self, uint64_t tag, enum watch_fetch_result result,
	const struct watch_object *object, struct scratch *scratch);
/* Once a turn: the reserve is freed, pods come back, people are told. */
void scheduler_relieve(struct scheduler *s);
/* Pods that cannot be read: an event and a condition each, while there is room for them. */
void scheduler_report_unreads(struct scheduler *s);
bool scheduler_has_unreported(const struct scheduler *s);
bool scheduler_may_write(void *self);
struct mono scheduler_relief_due(const struct scheduler *s);

/* ---- schedule_one.c ---- */

/* Decides about the next pod; false: there is none, or no room for what would follow. */
bool schedule_one(struct scheduler *s);
bool scheduler_can_schedule(const struct scheduler *s);
struct mono scheduler_pace_due(const struct scheduler *s); /* as far as its pace goes */
bool scheduler_has_room(const struct scheduler *s);        /* for what may follow a decision */
/* What was decided is done: the pod is assumed and its binding starts, or it is parked. */
void scheduler_assume_or_park(
	struct scheduler *s, uint32_t entry, const struct schedule_result *result);
/* In upstream's order: back to the queue, nominator, event, patch. */
void scheduler_park(struct scheduler *s, uint32_t entry, const struct schedule_result *result);
void scheduler_skip_deleting(struct scheduler *s, uint32_t entry);

/* ---- record.c ---- */

/* For the page, the history, the metrics and the log of decisions. */
void scheduler_record_result(
	struct scheduler *s, uint32_t pod, const struct schedule_result *result);
/* The scores of some, when a page wants them: what the result points to is lost. */
void scheduler_record_scores(
	struct scheduler *s, uint32_t pod, const struct schedule_result *result);
/* Has a plugin worked something out that its Reserve is going to need? */
bool scheduler_reserves(const struct schedule_result *result);
/* Into the history; pod 0: it is about none. */
void scheduler_note(struct scheduler *s, enum history_kind kind, uint32_t pod, struct text node,
	struct text words);
void scheduler_note_preemption(
	struct scheduler *s, uint32_t pod, const struct cycle_preemption *plan);
void scheduler_note_node(struct scheduler *s, const struct cache_event *event);

/* ---- group.c ---- */

/* The popped pod and those that get a node with it, or not at all. False: it goes alone. */
bool scheduler_decide_group(struct scheduler *s, uint32_t popped);

/* ---- extender_cycle.c ---- */

/* Does an extender care where the pod goes? */
bool scheduler_is_extended(const struct scheduler *s, uint32_t pod);
/* Is there room for one more such pod? */
bool scheduler_has_turn(const struct scheduler *s, uint32_t pod);
/* The scheduling cycle of such a pod: its extenders are asked, or it waits for its turn. */
void scheduler_ask_extenders(struct scheduler *s, uint32_t entry);
/* Is an answer there, and room for what follows? */
bool scheduler_has_answer(const struct scheduler *s);
bool scheduler_decide_answered(struct scheduler *s); /* decides about one; false: there is none */
void scheduler_requeue_held(struct scheduler *s);
/* Gone, or bound by another scheduler, while its extenders are asked; by its entry in the queue. */
void scheduler_drop_ask(struct scheduler *s, uint32_t entry);

/* ---- binding_cycle.c ---- */

void scheduler_init_bindings(struct scheduler *s);
bool scheduler_has_binding_room(const struct scheduler *s);
/*
 * The pod is assumed; `nominated` is where it was nominated before. False: a plugin refuses the
 * choice, or there is no memory for what follows; the pod is not assumed any more, and `refused` is
 * to be parked.
 */
MUST_USE bool scheduler_start_binding(struct scheduler *s, uint32_t entry,
	const struct schedule_result *result, uint32_t nominated, struct schedule_result *refused);
/* The same in parts: a slot, its points to be begun and reserved; 0: there is no memory. */
MUST_USE uint32_t scheduler_take_binding(struct scheduler *s);
struct binding_points *scheduler_points_of(struct scheduler *s, uint32_t binding);
void scheduler_give_binding(struct scheduler *s, uint32_t binding); /* nothing is reserved */
/* `result`: the node, and how many there were. Permit was asked. False: as above. */
MUST_USE bool scheduler_start_reserved(struct scheduler *s, uint32_t index, uint32_t entry,
	const struct schedule_result *result, uint32_t nominated, struct schedule_result *refused);
/* Those that wait for room, as far as there is some. */
void scheduler_send_bindings(struct scheduler *s);
/* Pods that wait at Permit no more. */
void scheduler_settle_bindings(struct scheduler *s);
void scheduler_pre_bind_done(void *self, const struct pre_bind_result *result);
/* What plugins ask for beside the pod's own way; see struct plugin_handle and pre_bind_one_off. */
void scheduler_send_calls(struct scheduler *s, uint32_t pod, struct cache_uid uid,
	const struct plugin_call *calls, uint32_t count, bool is_undo);
void scheduler_one_off_refused(void *self, uint32_t pod, struct cache_uid uid);
void scheduler_binding_done(void *self, const struct binder_result *result);
/* Pods that were not bound when we led last are decided again. */
void scheduler_recall_bindings(struct scheduler *s);
/* The watch showed a pod on a node that the queue has in flight; or that it is gone. */
void scheduler_binding_seen(struct scheduler *s, uint32_t pod);
void scheduler_binding_gone(struct scheduler *s, uint32_t entry);
/*
 * A victim of preemption whose binding was not sent is taken back in memory; false: it has to be
 * evicted.
 */
bool scheduler_preempt_binding(struct scheduler *s, uint32_t pod);
/* A pod at Permit that is being deleted waits no more; false: it is not there. */
bool scheduler_remove_waiting(struct scheduler *s, uint32_t entry);

/* ---- preempt.c ---- */

/* Room for a preemption of so many victims, to be used or dropped; 0: there is no memory. */
MUST_USE uint32_t scheduler_prepare_preemption(struct scheduler *s, uint32_t victims);
void scheduler_drop_preemption(struct scheduler *s, uint32_t index);
/* Nominates the pod to that node, or to none (INTERN_EMPTY), instead of what was before. */
void scheduler_nominate(struct scheduler *s, uint32_t pod, uint32_t node_name);
/* In the room that was prepared. */
void scheduler_preempt(
	struct scheduler *s, uint32_t pod, const struct cycle_preemption *plan, uint32_t index);
void scheduler_evicted(void *self, const struct eviction_result *result);
bool scheduler_waits_for_victims(const struct scheduler *s, uint32_t pod);

/* ---- report.c ---- */

struct scheduler_pod_names { /* names of a pod, as they are sent */
	struct body_pod pod;
	char uid[64];
};
void scheduler_pod_names(
	const struct scheduler *s, uint32_t pod, struct scheduler_pod_names *names);
void scheduler_report_event(struct scheduler *s, uint32_t pod, const struct plugin_profile *profile,
	const char *type, const char *reason, const char *action, struct text note);
/* Of one that is not there any more, perhaps; version 0: not known. */
void scheduler_report_event_of(struct scheduler *s, const struct body_pod *pod, uint64_t version,
	const struct plugin_profile *profile, const char *type, const char *reason,
	const char *action, struct text note);
/* PodScheduled=False (reason NULL: no condition); nominated: NULL leaves the field as it is. */
void scheduler_report_condition(struct scheduler *s, uint32_t pod, const char *reason,
	struct text message, const struct text *nominated);
/*
 * Patches end, and their room is what holds attempts back. When none ends the apiserver is slow,
 * and pods that fit must not wait for those that do not.
 */
bool scheduler_waits_for_patches(const struct scheduler *s);
void scheduler_follow_patches(struct scheduler *s);
/* Events of attempts that found no room, as far as there is some now. */
void scheduler_report_owed(struct scheduler *s);
/* Is there room for one more event and condition that no pod waits for? */
bool scheduler_may_report(const struct scheduler *s);
/* PodScheduled=False, of one whose status is not known. */
void scheduler_report_condition_of(
	struct scheduler *s, const struct body_pod *pod, struct text reason, struct text message);
/* The pod waits outside, for lack of memory. */
void scheduler_report_shelved(struct scheduler *s, const struct shelf_entry *pod);
/* Of those on the shelf: the next ones, as many as a second allows. */
void scheduler_report_shelf(struct scheduler *s);
/* What its status says of that already, as flags of the shelf. */
uint8_t scheduler_said(struct json_value object);

/* ---- debugger.c ---- */

/* Relists the next kind that is to be compared, if there is one. */
void scheduler_compare_next(struct scheduler *s);

/* ---- others.c ---- */

/* What changed about a pod, before the queue follows it. */
void scheduler_note_others(struct scheduler *s, const struct cache_event *event);
/* Each turn; `before`: why nothing was decided until now. */
void scheduler_follow_others(struct scheduler *s, enum scheduler_wait before);
struct mono scheduler_others_due(const struct scheduler *s);

/* ---- leader.c ---- */

void scheduler_lease_changed(void *self, bool leads);
void scheduler_note_wait(struct scheduler *s);
struct mono scheduler_stale_due(const struct scheduler *s);
/* Pods, nodes, ... were relisted; what a new leader had to wait for. */
void scheduler_relisted(struct scheduler *s, enum kube_kind kind);

static inline bool scheduler_same_uid(struct cache_uid a, struct cache_uid b)
{
	return a.high == b.high && a.low == b.low;
}
/* The pod that was meant, if it is still that pod. */
static inline bool scheduler_is_pod(const struct scheduler *s, uint32_t pod, struct cache_uid uid)
{
	return pool_is_taken(&s->cache.pods, pod) &&
		scheduler_same_uid(cache_pod_at(&s->cache, pod)->uid, uid);
}

#endif
