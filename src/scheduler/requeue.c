/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requeueing: the cache has changed. Pods that wait are in the queue, others are not; and those
 * that wait for such a change are tried again, if a hint of a plugin that rejected them says so.
 *
 * Upstream tells two resources apart, pods with a node and pods without. An assumed pod counts as
 * one without until the apiserver has said that it is bound; only then others hear of it.
 */
#include "base/log.h"
#include "plugins/hints.h"
#include "scheduler/private.h"

/* ---- the gate ---- */

static enum plugin_id gate_of_plugins(
	struct scheduler *s, const struct plugin_profile *profile, uint32_t pod, bool counts)
{
	struct mono start = clock_mono(&s->setup.clock);
	enum plugin_id gate = plugin_gate_of(&s->cache, profile, pod, NULL,
		s->gate_runs++ % PLUGIN_SAMPLED == 0 ? &s->timer : NULL);
	/* A success even where a plugin holds the pod back: upstream loses the plugin's status. */
	if (counts)
		scheduler_count_point(&s->metrics, scheduler_profile_place(s, profile),
			SERIES_PRE_ENQUEUE, PLUGIN_SUCCESS,
			mono_since_us(clock_mono(&s->setup.clock), start));
	return gate;
}

struct queue_gate scheduler_gate(void *self, uint32_t pod)
{
	struct scheduler *s = self;
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	const struct queue_gate none = {.closed = false};
	if (profile == NULL)
		return none;
	/* Upstream does not ask before all that it watches is there. */
	bool knows_kinds = scheduler_knows_kinds(s, p);
	enum plugin_id gate = gate_of_plugins(s, profile, pod, knows_kinds);
	if (gate < PLUGIN_COUNT)
		return queue_gate_of_plugin(gate);
	if (scheduler_waits_for_victims(s, pod))
		return queue_gate_of_plugin(PLUGIN_DEFAULT_PREEMPTION);
	if (!knows_kinds)
		return queue_gate_of(QUEUE_KINDS);
	if (scheduler_is_extended(s, pod) && !scheduler_has_turn(s, pod))
		return queue_gate_of(QUEUE_EXTENDER);
	return none;
}

/* ---- what a waiting pod is to the queue ---- */

static bool pod_has_ephemeral(const struct kube_pod_template *class)
{
	const struct kube_volume *list = KUBE_AT(class, class->volumes, struct kube_volume);
	for (uint32_t i = 0; i < class->volumes.count; i++)
		if (list[i].kind == KUBE_VOLUME_EPHEMERAL)
			return true;
	return false;
}

static uint64_t key_mixed(uint64_t key, uint64_t more)
{
	uint64_t word = (key ^ more) * UINT64_C(0x9e3779b97f4a7c15) + more;
	return word ^ word >> 29;
}

/*
 * Hints look at the class, the labels and the node that the pod is for; claims of ephemeral volumes
 * have the pod's own name.
 */
static uint64_t requeue_key(const struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const struct cache_shared *class = pool_at(&s->cache.classes, p->class);
	uint64_t key = key_mixed(p->for_node, class->serial);
	if (p->labels != 0) {
		const struct cache_shared *labels = pool_at(&s->cache.label_sets, p->labels);
		key = key_mixed(key, labels->serial);
	}
	return pod_has_ephemeral(cache_template_of(&s->cache, p)) ? key_mixed(key, pod) : key;
}

static bool side_is_ours(const struct scheduler *s, const struct cache_side *side)
{
	if (!side->there)
		return false;
	for (uint32_t i = 0; i < s->profile_count; i++)
		if (s->profiles[i].scheduler_name == cache_side_template(side)->scheduler_name)
			return true;
	return false;
}

/* What holds a pod back that no plugin holds is nothing that upstream knows. */
static enum queue_state state_to_upstream(const struct queue_entry *e)
{
	bool is_ours = queue_gate_is(e->gate, queue_gate_of(QUEUE_KINDS)) ||
		queue_gate_is(e->gate, queue_gate_of(QUEUE_EXTENDER));
	return e->state == QUEUE_GATED && is_ours ? QUEUE_ACTIVE : (enum queue_state)e->state;
}

static void requeue_enqueue(struct scheduler *s, uint32_t pod)
{
	struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	struct queue_pod entry = {
		.pod = pod,
		.priority = cache_template_of(&s->cache, p)->priority,
		.key = requeue_key(s, pod),
		.profile = scheduler_profile_place(s, profile),
	};
	page_budget_make_way(s->cache.budget,
		pool_used(&s->queue.entries) < CACHE_PODS_AT_WORK ? PAGE_RESERVE_ALL
								  : PAGE_RESERVE_WORK);
	enum queue_result added = queue_add(&s->queue, &entry, scheduler_now(s), &p->waiting);
	page_budget_made_way(s->cache.budget);
	if (added == QUEUE_OK) {
		scheduler_count_incoming(&s->metrics, SCHEDULER_POD_ADDED,
			state_to_upstream(queue_entry_at(&s->queue, p->waiting)));
		return;
	}
	p->waiting = 0;
	s->stats.queue_full++;
	s->requeue.unqueued++; /* pressure.c finds it a place, or puts it on the shelf */
}

void scheduler_enqueue(struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);

	if (cycle_profile_of(&s->cycle, pod) != NULL && (p->flags & CACHE_POD_DELETING) == 0)
		requeue_enqueue(s, pod);
}

static void requeue_dequeue(struct scheduler *s, uint32_t pod)
{
	struct cache_pod *p = cache_pod_at(&s->cache, pod);
	uint32_t entry = p->waiting;
	p->waiting = 0;
	queue_remove(&s->queue, entry);
}

/* ---- asking those who wait ---- */

struct requeue_asking {
	struct scheduler *s;
	const struct cache_event *event;
	int32_t priority_max; /* only pods that are not more important */
	bool is_own;          /* the event is about the pod that is asked about */
};

/* What an extender looks at is not known: the pod waits for all that plugins could wait for. */
static bool is_for_extenders(enum kube_kind kind)
{
	static const enum kube_kind kinds[] = {KUBE_POD, KUBE_NODE, KUBE_PV, KUBE_PVC,
		KUBE_CSI_NODE, KUBE_CSI_DRIVER, KUBE_CSI_CAPACITY, KUBE_STORAGE_CLASS,
		KUBE_RESOURCE_CLAIM, KUBE_DEVICE_CLASS};
	for (uint32_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (kinds[i] == kind)
			return true;
	return false;
}

/* *how is set when it helps. */
static bool requeue_hint(const struct requeue_asking *a, uint32_t pod,
	const struct queue_waits *rejectors, const struct plugin_set *pending, enum queue_how *how)
{
	struct scheduler *s = a->s;
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const struct kube_pod_template *class = cache_template_of(&s->cache, p);
	if (class->priority > a->priority_max)
		return false;
	struct scratch_mark mark = scratch_mark(&s->scratch);
	struct plugin_waiting w = {.cache = &s->cache,
		.profile = cycle_profile_of(&s->cycle, pod),
		.scratch = &s->scratch,
		.pod = plugin_pod_of(&s->cache, pod)};
	bool queue = queue_waits_has(rejectors, QUEUE_EXTENDER) && is_for_extenders(a->event->kind);
	*how = QUEUE_AFTER_BACKOFF;
	struct plugin_set left = plugin_set_union(&rejectors->plugins, pending);
	while (w.profile != NULL && !plugin_set_is_empty(&left)) {
		enum plugin_id id = (enum plugin_id)plugin_set_take(&left);
		uint32_t action = plugin_event_action(id, &w, a->event);
		if (action == 0)
			continue;
		struct mono start = clock_mono(&s->setup.clock);
		bool helps = plugin_event_helps(id, &w, a->event);
		series_observe(&s->metrics.series,
			(struct series_labels){.family = SERIES_HINT,
				.group = (uint16_t)id,
				.what = (uint16_t)series_event(
					a->is_own ? SERIES_TARGET_POD : (uint32_t)a->event->kind,
					action),
				.result = helps ? SERIES_QUEUE : SERIES_QUEUE_SKIP},
			mono_since_us(clock_mono(&s->setup.clock), start));
		if (!helps)
			continue;
		queue = true;
		if (plugin_set_has(pending, id))
			*how = QUEUE_AT_ONCE;
	}
	scratch_rewind(&s->scratch, mark);
	return queue;
}

void scheduler_init_requeue(struct scheduler *s)
{
	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++)
		for (uint32_t at = 0; at <= SCHEDULER_EVENT_ACTIONS; at++)
			s->requeue.waited_for[kind][at] = plugin_waiters((enum kube_kind)kind,
				at == SCHEDULER_EVENT_ACTIONS ? CACHE_UPDATE : UINT32_C(1) << at);
}

static struct queue_waits requeue_waiters(
	const struct scheduler *s, enum kube_kind kind, uint32_t actions)
{
	struct queue_waits mask = {.others = 0};
	const struct plugin_set *by_action = s->requeue.waited_for[kind];
	if (is_for_extenders(kind))
		mask = queue_waits_for(QUEUE_EXTENDER);
	if (actions == CACHE_UPDATE)
		mask.plugins = by_action[SCHEDULER_EVENT_ACTIONS];
	for (; actions != CACHE_UPDATE && actions != 0; actions &= actions - 1)
		mask.plugins = plugin_set_union(&mask.plugins, &by_action[__builtin_ctz(actions)]);
	return mask;
}

static void requeue_for_event(
	struct scheduler *s, const struct cache_event *event, int32_t priority_max)
{
	const struct requeue_asking asking = {s, event, priority_max, false};
	s->requeue.events += event->actions != 0 && is_for_extenders(event->kind);
	uint32_t waiting = s->queue.pods[QUEUE_UNSCHEDULABLE] + s->queue.pods[QUEUE_GATED];
	if (event->actions == 0 || waiting == 0)
		return;
	const struct queue_waits mask = requeue_waiters(s, event->kind, event->actions);
	if (queue_waits_is_empty(&mask))
		return;
	struct queue_walk walk = queue_walk(&s->queue, mask);
	for (uint32_t g; (g = queue_next_group(&s->queue, &walk)) != 0;) {
		const struct queue_entry *e = queue_group_entry(&s->queue, g);
		const struct queue_waits rejectors = queue_rejectors(e);
		enum queue_how how;
		if (queue_gate_is(e->gate, queue_gate_of(QUEUE_EXTENDER)) ||
			!requeue_hint(&asking, e->pod, &rejectors, &e->pending, &how))
			continue;
		struct queue_moved moved = queue_requeue_group(&s->queue, g, how, scheduler_now(s));
		s->stats.requeued += moved.active + moved.backoff;
		scheduler_count_requeued(&s->metrics, event->kind, event->actions, &moved);
	}
}

static void requeue_for_gone(struct scheduler *s, uint32_t pod, uint32_t node_name,
	uint32_t nominated, int32_t priority_max)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const struct kube_pod_template *class = cache_template_of(&s->cache, p);
	const struct cache_event event = {
		.kind = KUBE_POD,
		.index = pod,
		.namespace = class->namespace,
		.name = p->name,
		.actions = CACHE_DELETE,
		.old = {.there = true,
			.blob = &class->blob,
			.labels = cache_labels_at(&s->cache, p->labels),
			.node = node_name,
			.nominated = nominated},
	};
	requeue_for_event(s, &event, priority_max);
}

void scheduler_requeue_for_space(struct scheduler *s, uint32_t pod, uint32_t node_name)
{
	requeue_for_gone(s, pod, node_name, 0, INT32_MAX);
}

void scheduler_requeue_for_nomination(struct scheduler *s, uint32_t pod, uint32_t nominated)
{
	if (nominated != INTERN_EMPTY)
		requeue_for_gone(s, pod, 0, nominated,
			cache_template_of(&s->cache, cache_pod_at(&s->cache, pod))->priority);
}

/*
 * Devices that were promised to a claim, or given to one that is gone, are free. What
 * kube-scheduler does: nothing for a promise, and until v1.36 nothing when a claim goes; pods that
 * wait for devices find out after minutes. What we do: they are asked as if a claim had given its
 * devices back.
 */
static void requeue_for_devices(struct scheduler *s)
{
	static const struct kube_claim gone = {.allocated = 1};
	if (s->requeue.devices_dropped == s->cache.devices.dropped)
		return;
	s->requeue.devices_dropped = s->cache.devices.dropped;
	const struct cache_event event = {.kind = KUBE_RESOURCE_CLAIM,
		.actions = CACHE_UPDATE,
		.old = {.there = true, .blob = &gone.blob}};
	requeue_for_event(s, &event, INT32_MAX);
}

void scheduler_requeue_for_kinds(struct scheduler *s)
{
	struct queue_walk walk = queue_walk(&s->queue, queue_waits_for(QUEUE_KINDS));
	for (uint32_t g; (g = queue_next_group(&s->queue, &walk)) != 0;)
		if (queue_gate_is(
			    queue_group_entry(&s->queue, g)->gate, queue_gate_of(QUEUE_KINDS)))
			(void)queue_requeue_group(&s->queue, g, QUEUE_AT_ONCE, scheduler_now(s));
}

/* ---- first the queue is brought to where the cache is ---- */

/* The queue's entry of the pod that changed; 0: it has none, or a later change shows it. */
static uint32_t change_entry(const struct scheduler *s, const struct cache_change *change)
{
	if (!change->event.now.there)
		return change->waiting;
	return scheduler_is_pod(s, change->event.index, change->uid)
		? cache_pod_at(&s->cache, change->event.index)->waiting
		: 0;
}

/* Of a pod that is gone the entry may be gone, too, or another pod's that has just come. */
static bool entry_is_in_flight(const struct scheduler *s, uint32_t entry)
{
	return entry != 0 && pool_is_taken(&s->queue.entries, entry) &&
		queue_entry_at(&s->queue, entry)->state == QUEUE_IN_FLIGHT;
}

/* As the apiserver has it: without a node, and for one of our profiles. */
static bool pod_belongs(const struct scheduler *s, const struct cache_pod *p, uint32_t pod)
{
	return (p->node == 0 || (p->flags & CACHE_POD_ASSUMED) != 0) &&
		cycle_profile_of(&s->cycle, pod) != NULL;
}

/*
 * Who waits is in the queue, who does not is not, by the newest state: hints that are asked
 * afterwards find every pod that waits, and what its group has in common is still so. Pods in
 * flight are in no group.
 */
static void queue_follow_pod(struct scheduler *s, const struct cache_change *change)
{
	uint32_t pod = change->event.index;
	uint32_t entry = change_entry(s, change);
	if (entry_is_in_flight(s, entry))
		return;
	if (!change->event.now.there) {
		if (entry != 0)
			queue_remove(&s->queue, entry);
		return;
	}
	if (!scheduler_is_pod(s, pod, change->uid))
		return;
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	if (!pod_belongs(s, p, pod)) {
		if (entry != 0)
			requeue_dequeue(s, pod);
	} else if (entry != 0) {
		queue_update(&s->queue, entry, cache_template_of(&s->cache, p)->priority,
			requeue_key(s, pod));
	} else if ((p->flags & CACHE_POD_ASSUMED) == 0) {
		requeue_enqueue(s, pod);
	}
}

/* ---- then pods on their way, and those that wait for such a change ---- */

static void queue_follow_in_flight(struct scheduler *s, const struct cache_change *change)
{
	uint32_t pod = change->event.index;
	uint32_t entry = change_entry(s, change);
	if (!entry_is_in_flight(s, entry))
		return;
	if (!change->event.now.there) {
		scheduler_binding_gone(s, entry);
		queue_remove(&s->queue, entry);
		return;
	}
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	bool is_assumed = (p->flags & CACHE_POD_ASSUMED) != 0;
	if (p->node != 0 && !is_assumed)
		scheduler_binding_seen(s, pod);
	if (!pod_belongs(s, p, pod))
		requeue_dequeue(s, pod);
	else if (!is_assumed) /* its extenders are asked */
		queue_update(&s->queue, entry, cache_template_of(&s->cache, p)->priority,
			requeue_key(s, pod));
}

/* Its own change may be what a pod waited for. */
static void requeue_by_own_change(struct scheduler *s, const struct cache_change *change)
{
	const struct cache_event *event = &change->event;
	uint32_t entry = change_entry(s, change);
	if (entry == 0 || !event->old.there || !event->now.there)
		return;
	const struct queue_entry *e = queue_entry_at(&s->queue, entry);
	const struct queue_waits rejectors = queue_rejectors(e);
	const struct requeue_asking asking = {s, event, INT32_MAX, true};
	enum queue_how how;
	if ((e->state != QUEUE_UNSCHEDULABLE && e->state != QUEUE_GATED) ||
		!requeue_hint(&asking, event->index, &rejectors, &e->pending, &how))
		return;
	enum queue_state to = queue_requeue_one(&s->queue, entry, how, scheduler_now(s));
	const struct queue_moved moved = {
		.active = to == QUEUE_ACTIVE, .backoff = to == QUEUE_BACKOFF};
	scheduler_count_requeued(&s->metrics, SERIES_TARGET_POD, event->actions, &moved);
}

/* As one that is gone: a pod that only had a nomination, or a place we had given it. */
static void requeue_for_old(
	struct scheduler *s, const struct cache_event *event, int32_t priority_max)
{
	struct cache_event gone = *event;
	gone.now = (struct cache_side){0};
	gone.actions = CACHE_DELETE;
	requeue_for_event(s, &gone, priority_max);
}

static void requeue_for_others(struct scheduler *s, const struct cache_event *event)
{
	bool was_assigned = event->old.there && event->old.node != 0;
	bool is_assigned = event->now.there && event->now.node != 0;
	if (is_assigned && !was_assigned) {
		struct cache_event added = *event;
		added.old = (struct cache_side){0};
		added.actions = CACHE_ADD;
		requeue_for_event(s, &added, INT32_MAX);
		/* Upstream forgets the place that it was promised elsewhere, and who could have it
		 * now. */
		if (event->old.there && event->old.nominated != 0 &&
			event->old.nominated != event->now.node)
			requeue_for_old(s, event, cache_side_template(&event->old)->priority);
	} else if (was_assigned) {
		requeue_for_event(s, event, INT32_MAX);
	} else if (event->now.there && event->now.assumed != 0) {
		/* By us; the apiserver does not say it yet. Upstream wakes no pod: the old labels
		 * are forgotten when the binding is seen. */
		struct cache_event on_its_node = *event;
		on_its_node.old.node = on_its_node.now.node = event->now.assumed;
		requeue_for_event(s, &on_its_node, INT32_MAX);
	} else if (event->old.there && event->old.nominated != 0 && side_is_ours(s, &event->old) &&
		(!event->now.there || event->now.nominated != event->old.nominated)) {
		requeue_for_old(s, event, cache_side_template(&event->old)->priority);
	}
}

/* An assumed pod that is being deleted will not be bound: its place is free at once. */
static void requeue_forget_deleting(struct scheduler *s, const struct cache_change *change)
{
	const uint16_t both = CACHE_POD_ASSUMED | CACHE_POD_DELETING;
	uint32_t pod = change->event.index;
	if (!entry_is_in_flight(s, change_entry(s, change)) || !change->event.now.there ||
		(cache_pod_at(&s->cache, pod)->flags & both) != both)
		return;
	if (scheduler_remove_waiting(s, change_entry(s, change)))
		return;
	uint32_t node_name = cache_node_at(&s->cache, cache_pod_at(&s->cache, pod)->node)->name;
	if (cache_forget(&s->cache, pod) == CACHE_OK &&
		cache_find_node_id(&s->cache, node_name) != 0)
		scheduler_requeue_for_space(s, pod, node_name);
}

static void requeue_for_pod(struct scheduler *s, const struct cache_change *change)
{
	struct cache_event event = change->event;
	/* Another pod may be where it was, and that one's own change it is not. */
	if (!event.now.there || !scheduler_is_pod(s, event.index, change->uid))
		event.index = 0;
	scheduler_note_others(s, &event);
	queue_follow_in_flight(s, change);
	requeue_by_own_change(s, change);
	requeue_for_others(s, &event);
	requeue_forget_deleting(s, change);
}

/* ---- what is logged and counted of a change ---- */

enum change { CHANGE_ADD, CHANGE_UPDATE, CHANGE_DELETE };

static void log_event(const struct scheduler *s, const struct cache_event *event,
	enum change change, const char *of)
{
	static const char verbs[][7] = {"Add", "Update", "Delete"};
	enum log_level level = change == CHANGE_UPDATE ? LOG_CHANGE : LOG_ATTEMPT;
	char words[48];
	struct writer w;
	writer_init(&w, words, sizeof(words));
	write_format(&w, "%s event for %s", verbs[change], of);
	write_char(&w, '\0');
	if (event->kind == KUBE_NODE)
		LOG_AT(level, "scheduler", words, "node=%.*s",
			TEXT_ARGS(cache_text(&s->cache, event->name)));
	else
		LOG_AT(level, "scheduler", words, "pod=%.*s/%.*s",
			TEXT_ARGS(cache_text(&s->cache, event->namespace)),
			TEXT_ARGS(cache_text(&s->cache, event->name)));
}

static void log_handled(const struct scheduler *s, const struct cache_event *event)
{
	if (!log_enabled(LOG_ATTEMPT) || (event->kind != KUBE_NODE && event->kind != KUBE_POD))
		return;
	enum change change = !event->old.there ? CHANGE_ADD
		: event->now.there             ? CHANGE_UPDATE
					       : CHANGE_DELETE;
	bool is_ours = event->kind == KUBE_POD &&
		side_is_ours(s, event->old.there ? &event->old : &event->now);
	bool is_assigned = event->now.node != 0, was_assigned = event->old.node != 0;
	const char *of = event->kind == KUBE_NODE ? "node"
		: is_assigned || was_assigned     ? "scheduled pod"
						  : "unscheduled pod";
	bool binds = is_assigned && event->old.there && !was_assigned;
	if (event->kind == KUBE_NODE || is_assigned || was_assigned || is_ours)
		log_event(s, event, binds ? CHANGE_ADD : change, of);
	if (binds && is_ours)
		log_event(s, event, CHANGE_DELETE, "unscheduled pod");
}

/* To upstream a pod that gets a node comes as an assigned one, and goes as a pending one. */
static void count_handled(struct scheduler *s, const struct cache_event *event, int64_t took_us)
{
	bool waited = event->kind == KUBE_POD && event->old.node == 0;
	if (waited && event->now.node != 0) {
		scheduler_count_handled(&s->metrics, KUBE_POD, CACHE_ADD, took_us);
		if (side_is_ours(s, &event->old))
			scheduler_count_handled(
				&s->metrics, SERIES_PENDING_POD, CACHE_DELETE, took_us);
		return;
	}
	scheduler_count_handled(&s->metrics, waited ? SERIES_PENDING_POD : (uint32_t)event->kind,
		event->actions, took_us);
}

/* Upstream hears of a rule as of an update of the slices whose devices it taints. */
static void requeue_for_rule(struct scheduler *s)
{
	const struct cache_event event = {.kind = KUBE_RESOURCE_SLICE, .actions = CACHE_UPDATE};
	requeue_for_event(s, &event, INT32_MAX);
}

static void requeue_for_change(struct scheduler *s, const struct cache_change *change)
{
	const struct cache_event *event = &change->event;
	struct mono start = clock_mono(&s->setup.clock);
	log_handled(s, event);
	pre_bind_changed(s->pre_bind, event);
	scheduler_note_node(s, event);
	if (event->kind == KUBE_POD)
		requeue_for_pod(s, change);
	else if (event->kind == KUBE_TAINT_RULE)
		requeue_for_rule(s);
	else
		requeue_for_event(s, event, INT32_MAX);
	count_handled(s, event, mono_since_us(clock_mono(&s->setup.clock), start));
}

void scheduler_requeue_for_changes(struct scheduler *s)
{
	uint32_t count = cache_log_count(&s->cache);
	for (uint32_t i = 0; i < count; i++)
		if (cache_log_at(&s->cache, i)->event.kind == KUBE_POD)
			queue_follow_pod(s, cache_log_at(&s->cache, i));
	for (uint32_t i = 0; i < count; i++) {
		requeue_for_change(s, cache_log_at(&s->cache, 0));
		cache_log_drop(&s->cache);
	}
	requeue_for_devices(s);
	CHECK(cache_log_count(&s->cache) == 0); /* own decisions are no changes */
}
