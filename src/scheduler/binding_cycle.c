/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binding cycle: a pod is assumed on its node, its plugins reserve what it needs there, it may
 * wait at Permit, PreBind is done for it, its binding is on its way. The answer and what the watch
 * shows may come in any order; the cycle ends with the answer, the pod's place is ours until the
 * watch shows the pod on its node or the binding has failed.
 */
#include "base/log.h"
#include "cycle/refusal.h"
#include "scheduler/private.h"

enum { MESSAGE_MAX = 2048 };

static struct scheduler_binding *binding_at(const struct scheduler *s, uint32_t index)
{
	return pool_at(&s->bindings.pool, index);
}

static uint32_t binding_index(const struct scheduler_binding *binding)
{
	return (uint32_t)binding->points.b.tag;
}

static bool binding_has_pod(const struct scheduler *s, const struct scheduler_binding *binding)
{
	return scheduler_is_pod(s, binding->points.b.pod, binding->points.b.uid);
}

/* ---- setting up ---- */

static struct binding_points *points_of_tag(void *self, uint64_t tag)
{
	const struct scheduler *s = self;
	uint32_t index = (uint32_t)tag;
	return pool_is_taken(&s->bindings.pool, index) ? &binding_at(s, index)->points : NULL;
}

/* Those that are settled by it go on at the end of the turn. */
static void permit_due(struct net_timer *timer, struct mono now)
{
	struct scheduler *s = LIST_OWNER(timer, struct scheduler, bindings.permit);
	binding_expire(&s->bindings.waiting, now);
	struct mono next = binding_next_timeout(&s->bindings.waiting);
	if (next.us != MONO_NEVER.us)
		net_timer_arm(s->net, &s->bindings.permit, next);
}

/* ---- what plugins ask for ---- */

void scheduler_send_calls(struct scheduler *s, uint32_t pod, struct cache_uid uid,
	const struct plugin_call *calls, uint32_t count, bool is_undo)
{
	/* They are about objects of the pod's own namespace, which has its turn. */
	uint32_t namespace = 0;
	if (!intern_take(&s->cache.strings, calls[0].namespace, &namespace) ||
		!pre_bind_send(s->pre_bind,
			&(struct pre_bind_one_off){pod, uid, namespace, calls, count, is_undo}))
		log_warn("scheduler", "call-dropped",
			"kind=%s object=%.*s/%.*s reason=\"no memory\"",
			kube_kinds[calls[0].kind].plural, TEXT_ARGS(calls[0].namespace),
			TEXT_ARGS(calls[0].name));
	intern_give(&s->cache.strings, namespace);
}

/* What the pod waits for will not come by itself. */
void scheduler_one_off_refused(void *self, uint32_t pod, struct cache_uid uid)
{
	struct scheduler *s = self;
	scheduler_requeue_for_changes(s);
	uint32_t entry = scheduler_is_pod(s, pod, uid) ? cache_pod_at(&s->cache, pod)->waiting : 0;
	if (entry != 0 && queue_entry_at(&s->queue, entry)->state == QUEUE_UNSCHEDULABLE)
		(void)queue_requeue_one(&s->queue, entry, QUEUE_AFTER_ERROR, scheduler_now(s));
}

static void bindings_send(void *owner, const struct plugin_binding *b,
	const struct plugin_call *calls, uint32_t count)
{
	scheduler_send_calls(owner, b->pod, b->uid, calls, count, true);
}

static void bindings_event(
	void *owner, const struct plugin_binding *b, const char *reason, struct text note)
{
	scheduler_report_event(owner, b->pod, b->profile, "Normal", reason, "Scheduling", note);
}

void scheduler_init_bindings(struct scheduler *s)
{
	list_init(&s->bindings.ready);
	binding_waiting_init(&s->bindings.waiting);
	s->bindings.waiting.find = points_of_tag;
	s->bindings.waiting.send = bindings_send;
	s->bindings.waiting.event = bindings_event;
	s->bindings.waiting.owner = s;
	net_timer_init(&s->bindings.permit, permit_due);
	s->bindings.of_entry = pool_add_lane(
		&s->queue.entries, &s->bindings.lane, s->setup.arena, sizeof(uint32_t));
}

/*
 * Those before their binding are as many as the budget holds, and take no room from the others, who
 * are few and find theirs in the reserve of a full budget.
 */
bool scheduler_has_binding_room(const struct scheduler *s)
{
	uint32_t used = pool_used(&s->bindings.pool);
	return used < s->bindings.pool.capacity &&
		used - s->bindings.before < s->setup.limits.bindings;
}

uint32_t scheduler_take_binding(struct scheduler *s)
{
	struct pool *pool = &s->bindings.pool;
	struct page_budget *budget = pool->range.budget;
	enum page_reserve before = budget == NULL ? PAGE_RESERVE_NONE : budget->may_use;
	if (budget != NULL)
		budget->may_use = PAGE_RESERVE_ALL;
	uint32_t index = pool_take(pool);
	if (budget != NULL)
		budget->may_use = before;
	if (index == 0)
		return 0;
	list_init(&binding_at(s, index)->ready);
	binding_at(s, index)->state = SCHEDULER_BINDING_PRE_BIND;
	s->bindings.before++;
	return index;
}

struct binding_points *scheduler_points_of(struct scheduler *s, uint32_t binding)
{
	return &binding_at(s, binding)->points;
}

void scheduler_give_binding(struct scheduler *s, uint32_t binding)
{
	s->bindings.before--;
	pool_give(&s->bindings.pool, binding);
}

/* ---- counting ---- */

static void count_point(struct scheduler *s, const struct scheduler_binding *binding,
	enum series_point point, enum plugin_code code, int64_t took_us)
{
	scheduler_count_point(&s->metrics, scheduler_profile_place(s, binding->points.b.profile),
		point, code, took_us);
}

/* A point that asks the apiserver. */
static void binding_count_stage(struct scheduler *s, const struct scheduler_binding *binding,
	enum series_point point, enum plugin_code code)
{
	count_point(s, binding, point, code, mono_since_us(scheduler_now(s), binding->stage_began));
}

/* Not of a pod that an extender binds: no plugin is asked about it. */
static void binding_count_bind(
	struct scheduler *s, const struct scheduler_binding *binding, enum plugin_code code)
{
	struct mono since = binding->stage_began;
	binding_count_stage(s, binding, SERIES_BIND, code);
	plugin_timer_took(
		binding->points.timer, PLUGIN_DEFAULT_BINDER, PLUGIN_AT_BIND, code, &since);
}

static void binding_count_attempt(
	struct scheduler *s, const struct scheduler_binding *binding, enum scheduler_result result)
{
	scheduler_count_attempt(&s->metrics, scheduler_profile_place(s, binding->points.b.profile),
		result, mono_since_us(scheduler_now(s), binding->began));
}

static void binding_count_bound(struct scheduler *s, const struct scheduler_binding *binding)
{
	struct scheduler_metrics *m = &s->metrics;
	uint32_t tries = binding->attempts < SCHEDULER_ATTEMPTS_MAX ? binding->attempts
								    : SCHEDULER_ATTEMPTS_MAX;
	int64_t waited_us = mono_since_us(scheduler_now(s), binding->first_attempt);
	binding_count_attempt(s, binding, SCHEDULER_SCHEDULED);
	scheduler_observe(&m->tries, &scheduler_scale_tries, binding->attempts);
	if (tries > 0 && waited_us >= 0)
		scheduler_observe(&m->sli[tries - 1], &scheduler_scale_sli, (uint64_t)waited_us);
}

/* ---- the end of a cycle ---- */

static void binding_undo_counted(struct scheduler *s, struct scheduler_binding *binding)
{
	struct mono start = clock_mono(&s->setup.clock);
	binding_undo(&binding->points);
	count_point(s, binding, SERIES_UNRESERVE, PLUGIN_SUCCESS,
		mono_since_us(clock_mono(&s->setup.clock), start));
}

/* It left the queue, or never was in it: it is not found by its entry. */
static void binding_leave_entry(struct scheduler *s, struct scheduler_binding *binding)
{
	if (binding->entry != 0)
		s->bindings.of_entry[binding->entry] = 0;
	binding->entry = 0;
}

static void binding_end(struct scheduler *s, struct scheduler_binding *binding)
{
	CHECK(binding->points.stage == BINDING_ENDED);
	s->bindings.before -= binding->state == SCHEDULER_BINDING_PRE_BIND;
	list_remove(&binding->ready);
	if (binding->entry != 0)
		s->bindings.of_entry[binding->entry] = 0;
	intern_give(&s->cache.strings, binding->points.b.node);
	pool_give(&s->bindings.pool, binding_index(binding));
}

/* ---- the binding is sent ---- */

/* The extender that binds the pod, if one does. */
static bool binding_is_via(const struct scheduler *s, const struct scheduler_binding *binding,
	struct extender_binder *by)
{
	return s->extenders != NULL && !binding->direct && binding_has_pod(s, binding) &&
		extenders_binder(s->extenders,
			cache_template_of(
				&s->cache, cache_pod_at(&s->cache, binding->points.b.pod)),
			by);
}

static void binding_is_ready(struct scheduler *s, struct scheduler_binding *binding)
{
	s->bindings.before -= binding->state == SCHEDULER_BINDING_PRE_BIND;
	binding->state = SCHEDULER_BINDING_READY;
	list_add_last(&s->bindings.ready, &binding->ready);
}

/* Has it room to be bound now? It waits until it has. */
static void binding_send(struct scheduler *s, struct scheduler_binding *binding)
{
	struct scheduler_pod_names names;
	struct extender_binder by;
	bool via = binding_is_via(s, binding, &by);
	if (!(via ? binder_has_room_via(s->binder) : binder_has_room(s->binder))) {
		binding_is_ready(s, binding);
		return;
	}
	binding->state = SCHEDULER_BINDING_SENT;
	binding->stage_began = clock_mono(&s->setup.clock);
	scheduler_pod_names(s, binding->points.b.pod, &names);
	const struct binder_order order = {
		.pod = names.pod,
		.node = cache_text(&s->cache, binding->points.b.node),
		.via = {via ? by.client : NULL, by.url, by.path, by.timeout_ms},
		.tag = binding_index(binding),
	};
	binder_bind(s->binder, &order);
}

/* Each once: who finds no room waits behind the others. */
void scheduler_send_bindings(struct scheduler *s)
{
	struct list *last = s->bindings.ready.prev;
	for (bool more = !list_is_empty(&s->bindings.ready); more;) {
		struct list *link = list_first(&s->bindings.ready);
		more = link != last;
		list_remove(link);
		binding_send(s, LIST_OWNER(link, struct scheduler_binding, ready));
	}
}

/* ---- the beginning ---- */

/* What is known of the pod; its points are begun. */
static void binding_fill(struct scheduler *s, struct scheduler_binding *binding, uint32_t entry,
	const struct schedule_result *result)
{
	const struct queue_entry *e = queue_entry_at(&s->queue, entry);
	CHECK(e->state == QUEUE_IN_FLIGHT);
	CHECK((cache_pod_at(&s->cache, e->pod)->flags & CACHE_POD_ASSUMED) != 0);
	CHECK(cache_pod_at(&s->cache, e->pod)->node == result->node);
	CHECK(binding->points.b.pod == e->pod);
	binding->entry = entry;
	binding->attempts = e->attempts;
	binding->began = s->metrics.attempt_began;
	binding->first_attempt = e->first_attempt;
	binding->evaluated = result->evaluated_count;
	binding->feasible = result->feasible_count;
	s->bindings.of_entry[entry] = binding_index(binding);
	intern_keep(&s->cache.strings, binding->points.b.node);
}

static struct scheduler_binding *binding_make(
	struct scheduler *s, uint32_t entry, const struct schedule_result *result)
{
	uint32_t index = scheduler_take_binding(s);
	if (index == 0)
		return NULL;
	struct scheduler_binding *binding = binding_at(s, index);
	binding_begin(&binding->points, &s->bindings.waiting,
		&(struct plugin_binding){
			.cache = &s->cache,
			.profile = result->state->profile,
			.scratch = &s->cycle.scratch,
			.tag = index,
			.pod = queue_entry_at(&s->queue, entry)->pod,
			.node = cache_node_at(&s->cache, result->node)->name,
			.now = scheduler_now(s),
			.wall = clock_wall(&s->setup.clock),
		});
	binding_fill(s, binding, entry, result);
	/* Of the pod whose filters were timed, too. */
	if (s->cycle.timed % PLUGIN_SAMPLED == 1)
		binding->points.timer = &s->timer;
	return binding;
}

/* A plugin at Reserve or Permit refuses the choice. */
static bool binding_is_refused(struct scheduler *s, struct scheduler_binding *binding,
	const struct schedule_result *result, struct schedule_result *refused)
{
	struct plugin_reasons why = {.scratch = &s->cycle.scratch};
	const struct plugin_uses *uses = result->state->profile->at;
	struct mono start = {0}, reserved = {0};
	/* Where nothing is asked nothing takes time, and the clock is not read for it. */
	bool asks = uses[PLUGIN_AT_PERMIT].count > 0 || scheduler_reserves(result);
	if (asks)
		start = clock_mono(&s->setup.clock);
	enum plugin_code code = binding_reserve(&binding->points, result->state, &why);
	if (asks)
		reserved = clock_mono(&s->setup.clock);
	count_point(s, binding, SERIES_RESERVE, code, mono_since_us(reserved, start));
	if (code != PLUGIN_SUCCESS) {
		s->metrics.volume_errors[SCHEDULER_VOLUME_ASSUME] +=
			code == PLUGIN_ERROR && binding->points.rejector == PLUGIN_VOLUME_BINDING;
		cycle_refused(&binding->points, code, "Reserve", &why, &s->cycle.scratch, refused);
		return true;
	}
	code = binding_permit(&binding->points, &s->bindings.waiting, &why);
	count_point(s, binding, SERIES_PERMIT_POINT, code,
		asks ? mono_since_us(clock_mono(&s->setup.clock), reserved) : 0);
	if (code == PLUGIN_SUCCESS || code == PLUGIN_WAIT)
		return false;
	cycle_refused(&binding->points, code, "Permit", &why, &s->cycle.scratch, refused);
	binding_undo_counted(s, binding);
	return true;
}

static void binding_wait(struct scheduler *s, struct scheduler_binding *binding)
{
	struct mono due = binding_timeout(&binding->points);
	binding->events = s->requeue.events;
	if (net_timer_is_armed(&s->bindings.permit) && s->bindings.permit.due.us <= due.us)
		return;
	net_timer_disarm(&s->bindings.permit);
	net_timer_arm(s->net, &s->bindings.permit, due);
}

/* What comes before the binding, or the binding itself. False: there is no memory for it. */
static bool binding_go(struct scheduler *s, struct scheduler_binding *binding, uint32_t nominated)
{
	bool waits = binding->points.stage == BINDING_WAITS;
	if (!waits)
		list_remove(
			&binding->points.link); /* it was let pass by a later one of its group */
	bool has_work = binding_pre_flight(&binding->points);
	count_point(
		s, binding, SERIES_PRE_BIND_PRE_FLIGHT, has_work ? PLUGIN_SUCCESS : PLUGIN_SKIP, 0);
	if (!waits && !has_work) {
		count_point(s, binding, SERIES_PRE_BIND, PLUGIN_SUCCESS, 0);
		s->bindings.before--;
		binding->state = SCHEDULER_BINDING_SENT;
		binding_send(s, binding);
		return true;
	}
	const struct pre_bind_order order = {&binding->points, nominated};
	binding->run = pre_bind_begin(s->pre_bind, &order);
	if (binding->run == 0)
		return false;
	binding->stage_began = binding->began;
	if (waits)
		binding_wait(s, binding);
	return true;
}

static bool binding_go_or_undo(struct scheduler *s, struct scheduler_binding *binding,
	uint32_t nominated, struct schedule_result *refused)
{
	if (binding_go(s, binding, nominated))
		return true;
	binding_undo_counted(s, binding);
	*refused = (struct schedule_result){.outcome = CYCLE_FAILED,
		.preemption.clear_nomination = true,
		.message = TEXT("not enough memory for what comes before the binding")};
	return false;
}

static bool binding_take_back(struct scheduler *s, struct scheduler_binding *binding, uint32_t pod)
{
	if (binding != NULL)
		binding_end(s, binding);
	CHECK(cache_forget(&s->cache, pod) == CACHE_OK);
	return false;
}

bool scheduler_start_binding(struct scheduler *s, uint32_t entry,
	const struct schedule_result *result, uint32_t nominated, struct schedule_result *refused)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	struct scheduler_binding *binding = binding_make(s, entry, result);
	if (binding == NULL)
		*refused = (struct schedule_result){.outcome = CYCLE_FAILED,
			.message = TEXT("not enough memory for the binding cycle")};
	else if (!binding_is_refused(s, binding, result, refused) &&
		binding_go_or_undo(s, binding, nominated, refused))
		return true;
	return binding_take_back(s, binding, pod);
}

/* Another one of its group was asked after it, and a plugin rejected this one then. */
static void binding_refuse_settled(
	struct scheduler *s, struct scheduler_binding *binding, struct schedule_result *refused)
{
	struct plugin_reasons why = {.scratch = &s->cycle.scratch};
	plugin_because(&why, binding->points.message);
	cycle_refused(
		&binding->points, binding->points.settled, "Permit", &why, why.scratch, refused);
	binding_undo_counted(s, binding);
}

bool scheduler_start_reserved(struct scheduler *s, uint32_t index, uint32_t entry,
	const struct schedule_result *result, uint32_t nominated, struct schedule_result *refused)
{
	struct scheduler_binding *binding = binding_at(s, index);
	binding_fill(s, binding, entry, result);
	count_point(s, binding, SERIES_RESERVE, PLUGIN_SUCCESS, 0);
	count_point(s, binding, SERIES_PERMIT_POINT,
		binding->points.stage == BINDING_WAITS ? PLUGIN_WAIT : PLUGIN_SUCCESS, 0);
	if (binding->points.stage == BINDING_RESERVED)
		binding_refuse_settled(s, binding, refused);
	else if (binding_go_or_undo(s, binding, nominated, refused))
		return true;
	return binding_take_back(s, binding, queue_entry_at(&s->queue, entry)->pod);
}

/* ---- the watch shows more ---- */

/* Not ours to bind any more, and the binding was not sent: the binding is over. */
static void binding_cancel(struct scheduler *s, struct scheduler_binding *binding)
{
	if (binding->state == SCHEDULER_BINDING_PRE_BIND)
		pre_bind_cancel(s->pre_bind, binding->run);
	binding_undo_counted(s, binding);
	binding_end(s, binding);
}

/* NULL: it has not taken off, its extenders are asked. */
static struct scheduler_binding *binding_cycle_of(const struct scheduler *s, uint32_t entry)
{
	uint32_t index = s->bindings.of_entry[entry];
	return index == 0 ? NULL : binding_at(s, index);
}

static void binding_leave_queue(
	struct scheduler *s, struct scheduler_binding *binding, bool is_on_its_node)
{
	binding_leave_entry(s, binding); /* it leaves the queue now */
	if (binding->state == SCHEDULER_BINDING_SENT)
		binder_seen(s->binder, binding_index(binding), is_on_its_node);
	else
		binding_cancel(s, binding);
}

void scheduler_binding_seen(struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	struct scheduler_binding *binding = binding_cycle_of(s, p->waiting);
	if (binding == NULL) {
		scheduler_drop_ask(s, p->waiting);
		return;
	}
	uint32_t expected = binding->points.b.node;
	bool is_on_its_node = cache_node_at(&s->cache, p->node)->name == expected;
	/* Bound elsewhere by another scheduler: upstream wakes no pod for the place it had here. */
	if (!is_on_its_node && cache_find_node_id(&s->cache, expected) != 0)
		scheduler_requeue_for_space(s, pod, expected);
	binding_leave_queue(s, binding, is_on_its_node);
}

void scheduler_binding_gone(struct scheduler *s, uint32_t entry)
{
	struct scheduler_binding *binding = binding_cycle_of(s, entry);
	if (binding == NULL)
		scheduler_drop_ask(s, entry);
	else
		binding_leave_queue(s, binding, false);
}

bool scheduler_remove_waiting(struct scheduler *s, uint32_t entry)
{
	struct scheduler_binding *binding = binding_cycle_of(s, entry);
	if (binding == NULL || binding->points.stage != BINDING_WAITS)
		return false;
	binding_remove_waiting(&s->bindings.waiting, &binding->points);
	return true;
}

bool scheduler_preempt_binding(struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	if ((p->flags & CACHE_POD_ASSUMED) == 0 || p->waiting == 0)
		return false;
	struct scheduler_binding *binding = binding_cycle_of(s, p->waiting);
	if (binding == NULL || binding->state != SCHEDULER_BINDING_PRE_BIND)
		return false;
	if (binding->preempted || binding->points.settled != PLUGIN_SUCCESS)
		return true; /* it is on its way back */
	binding->preempted = true;
	if (binding->points.stage == BINDING_WAITS) {
		binding_preempt_waiting(&s->bindings.waiting, &binding->points);
	} else {
		binding_preempt(&binding->points);
		pre_bind_fail(s->pre_bind, binding->run, PLUGIN_STEP_FAILED,
			TEXT("preempted by DefaultPreemption"));
	}
	return true;
}

/* ---- it is bound ---- */

static void binding_report(struct scheduler *s, const struct scheduler_binding *binding)
{
	char note[MESSAGE_MAX];
	struct writer w;
	struct scheduler_pod_names names;
	uint32_t pod = binding->points.b.pod;
	struct text node = cache_text(&s->cache, binding->points.b.node);
	scheduler_pod_names(s, pod, &names);
	writer_init(&w, note, sizeof(note));
	body_note_scheduled(&names.pod, node, &w);
	scheduler_report_event(s, pod, binding->points.b.profile, "Normal", "Scheduled", "Binding",
		writer_text(&w));
	log_decision("scheduler", "Successfully bound pod to node",
		"pod=%.*s/%.*s node=%.*s evaluatedNodes=%u feasibleNodes=%u",
		TEXT_ARGS(names.pod.namespace), TEXT_ARGS(names.pod.name), TEXT_ARGS(node),
		(unsigned)binding->evaluated, (unsigned)binding->feasible);
}

static void binding_post_bind(struct scheduler *s, struct scheduler_binding *binding)
{
	bool asks = binding->points.b.profile->at[PLUGIN_AT_POST_BIND].count > 0;
	struct mono start = asks ? clock_mono(&s->setup.clock) : (struct mono){0};
	binding_bound(&binding->points);
	count_point(s, binding, SERIES_POST_BIND, PLUGIN_SUCCESS,
		asks ? mono_since_us(clock_mono(&s->setup.clock), start) : 0);
}

static void binding_succeeded(struct scheduler *s, struct scheduler_binding *binding)
{
	s->stats.bound++;
	s->stats.attempts[SCHEDULER_SCHEDULED]++;
	if (binding_has_pod(s, binding)) /* or deleted meanwhile: nothing to report about */
		binding_report(s, binding);
	binding_count_bound(s, binding);
	binding_post_bind(s, binding);
	if (binding->entry == 0 || !binding_has_pod(s, binding))
		return;
	cache_pod_at(&s->cache, binding->points.b.pod)->waiting = 0;
	queue_remove(&s->queue, binding->entry);
	binding_leave_entry(s, binding);
}

/* ---- it is not ---- */

struct binding_failure {
	enum plugin_code code; /* PLUGIN_ERROR, or a rejection ... */
	uint8_t rejector;      /* ... by a plugin; PLUGIN_COUNT: the pod is being deleted */
	struct text message;
	bool theirs; /* the pod belongs to another scheduler by now, and does not get a condition */
};

/* Its place is free again. A node that went away meanwhile has none to offer. */
static void binding_give_back(struct scheduler *s, const struct scheduler_binding *binding)
{
	uint32_t node_name = binding->points.b.node;
	if (cache_forget(&s->cache, binding->points.b.pod) == CACHE_OK &&
		cache_find_node_id(&s->cache, node_name) != 0)
		scheduler_requeue_for_space(s, binding->points.b.pod, node_name);
}

/* Back into the queue, or out of it. */
static void binding_requeue(struct scheduler *s, const struct scheduler_binding *binding,
	const struct binding_failure *failure)
{
	struct mono now = scheduler_now(s);
	enum queue_state to = QUEUE_ERROR_BACKOFF;
	if (failure->code == PLUGIN_ERROR) {
		to = queue_error(&s->queue, binding->entry, now);
	} else if (failure->rejector == PLUGIN_COUNT) {
		cache_pod_at(&s->cache, binding->points.b.pod)->waiting = 0;
		queue_remove(&s->queue, binding->entry);
		return;
	} else {
		queue_park(&s->queue, binding->entry, queue_waits_for_plugin(failure->rejector),
			(struct plugin_set){{0}}, now);
		to = QUEUE_UNSCHEDULABLE;
		/*
		 * As upstream: what happened while it was in flight counts, too. Though not before
		 * its backoff is over: pods that reject each other would go round without a pause.
		 */
		if (s->requeue.events != binding->events)
			to = queue_requeue_one(&s->queue, binding->entry, QUEUE_AFTER_ERROR, now);
	}
	scheduler_count_incoming(&s->metrics, SCHEDULER_ATTEMPT_FAILED, to);
}

/* Ends the cycle. In upstream's order: Unreserve, the place, the queue, the event, the patch. */
static void binding_failed(struct scheduler *s, struct scheduler_binding *binding,
	const struct binding_failure *failure)
{
	const struct text none = TEXT("");
	bool is_error = failure->code == PLUGIN_ERROR;
	enum scheduler_result result = is_error ? SCHEDULER_ERROR : SCHEDULER_UNSCHEDULABLE;
	uint32_t pod = binding->points.b.pod;
	s->stats.attempts[result]++;
	binding_count_attempt(s, binding, result);
	binding_undo_counted(s, binding);
	if (binding_has_pod(s, binding)) {
		scheduler_note(s, failure->theirs ? HISTORY_LOST : HISTORY_UNBOUND, pod,
			cache_text(&s->cache, binding->points.b.node), failure->message);
		binding_give_back(s, binding);
		if (binding->entry != 0) { /* or the watch has shown more by now */
			binding_requeue(s, binding, failure);
			scheduler_report_event(s, pod, binding->points.b.profile, "Warning",
				"FailedScheduling", "Scheduling", failure->message);
			if (!failure->theirs)
				scheduler_report_condition(s, pod,
					is_error ? "SchedulerError" : "Unschedulable",
					failure->message, &none);
		}
	}
	binding_end(s, binding);
}

static void binding_refused(
	struct scheduler *s, struct scheduler_binding *binding, const struct binder_result *result)
{
	struct extender_binder by;
	bool lost = result->outcome == BINDER_LOST;
	s->stats.bind_lost += lost;
	s->stats.bind_refused += !lost;
	struct scratch_mark mark = scratch_mark(&s->scratch);
	binding_failed(s, binding,
		&(struct binding_failure){.code = PLUGIN_ERROR,
			.message = binding_is_via(s, binding, &by)
				? result->message
				: cycle_plugin_error("Bind", plugin_default_binder.name,
					  result->message, &s->scratch),
			.theirs = lost});
	scratch_rewind(&s->scratch, mark);
}

/*
 * Another one may have led since, and given away the place that was kept here alone. Pods were
 * relisted by now, so one that was not seen on its node was not bound, unless its answer is due.
 */
void scheduler_recall_bindings(struct scheduler *s)
{
	for (uint32_t i = pool_next(&s->bindings.pool, 0); i != 0;
		i = pool_next(&s->bindings.pool, i)) {
		struct scheduler_binding *binding = binding_at(s, i);
		if (binding->entry == 0)
			continue;
		if (binding->state == SCHEDULER_BINDING_SENT) {
			binder_seen(s->binder, i, false);
			continue;
		}
		if (binding->state == SCHEDULER_BINDING_PRE_BIND)
			pre_bind_cancel(s->pre_bind, binding->run);
		binding_failed(s, binding,
			&(struct binding_failure){.code = PLUGIN_ERROR,
				.message = TEXT("the lease was lost before the pod was bound"),
				.theirs = true});
	}
}

/* ---- permit ---- */

static void binding_settled(
	struct scheduler *s, struct scheduler_binding *binding, const struct plugin_reasons *why)
{
	const struct binding_points *points = &binding->points;
	scheduler_count_permit_wait(
		&s->metrics, points->settled, mono_since_us(scheduler_now(s), points->b.now));
	if (points->settled == PLUGIN_SUCCESS) {
		binding->stage_began = scheduler_now(s);
		pre_bind_go_on(s->pre_bind, binding->run);
	} else if (points->settled == PLUGIN_ERROR) {
		pre_bind_fail(s->pre_bind, binding->run, PLUGIN_STEP_FAILED, why->list[0]);
	} else {
		pre_bind_fail(s->pre_bind, binding->run, PLUGIN_STEP_REJECTED,
			cycle_refusal_text(why, why->scratch));
	}
}

void scheduler_settle_bindings(struct scheduler *s)
{
	while (!list_is_empty(&s->bindings.waiting.settled)) {
		struct scratch_mark mark = scratch_mark(&s->scratch);
		struct plugin_reasons why = {.scratch = &s->scratch};
		struct binding_points *points = binding_next_settled(&s->bindings.waiting, &why);
		binding_settled(s, LIST_OWNER(points, struct scheduler_binding, points), &why);
		scratch_rewind(&s->scratch, mark);
	}
}

/* ---- pre-bind ---- */

/* It failed at Permit, with its own words, or a plugin failed in PreBind. */
static struct text pre_bind_message_of(struct scheduler *s, const struct scheduler_binding *binding,
	const struct pre_bind_result *result)
{
	const struct binding_points *points = &binding->points;
	if (points->settled != PLUGIN_SUCCESS || points->rejector == PLUGIN_COUNT)
		return result->message;
	if (result->step == PLUGIN_STEP_FAILED)
		return cycle_plugin_error(
			"PreBind", plugins[points->rejector]->name, result->message, &s->scratch);
	struct plugin_reasons why = {.scratch = &s->scratch, .list = {result->message}, .count = 1};
	return cycle_refusal_text(&why, &s->scratch);
}

void scheduler_pre_bind_done(void *self, const struct pre_bind_result *result)
{
	struct scheduler *s = self;
	uint32_t index = (uint32_t)result->tag;
	struct scheduler_binding *binding = binding_at(s, index);
	enum plugin_code code = binding_code_of(result->step);
	if (binding->points.settled == PLUGIN_SUCCESS)
		binding_count_stage(s, binding, SERIES_PRE_BIND, code);
	if (code == PLUGIN_SUCCESS) {
		binding_is_ready(s, binding);
		return;
	}
	s->metrics.volume_errors[SCHEDULER_VOLUME_BIND] +=
		binding->points.rejector == PLUGIN_VOLUME_BINDING;
	binding->run = 0;
	/* What came before the answer. */
	scheduler_requeue_for_changes(s);
	if (!pool_is_taken(&s->bindings.pool, index))
		return; /* the pod is gone, or another scheduler's */
	struct scratch_mark mark = scratch_mark(&s->scratch);
	binding_failed(s, binding,
		&(struct binding_failure){.code = code,
			.rejector = binding->points.rejector,
			.message = pre_bind_message_of(s, binding, result)});
	scratch_rewind(&s->scratch, mark);
}

/* ---- the answer ---- */

void scheduler_binding_done(void *self, const struct binder_result *result)
{
	struct scheduler *s = self;
	struct scheduler_binding *binding = binding_at(s, (uint32_t)result->tag);
	struct extender_binder by;
	scheduler_requeue_for_changes(s); /* what came before the answer */
	/* A pod that goes leaves the queue first. */
	CHECK(binding->entry == 0 || binding_has_pod(s, binding));
	if (!binding_is_via(s, binding, &by))
		binding_count_bind(s, binding,
			result->outcome == BINDER_BOUND ? PLUGIN_SUCCESS : PLUGIN_ERROR);
	else if (result->outcome == BINDER_REFUSED && binding->entry != 0 && by.ignorable) {
		log_warn("extender", "ignored", "error=\"%.*s\"", TEXT_ARGS(result->message));
		binding->direct = true;
		binding_is_ready(s, binding);
		return;
	}
	if (result->outcome == BINDER_BOUND) {
		binding_succeeded(s, binding);
		binding_end(s, binding);
	} else {
		binding_refused(s, binding, result);
	}
}
