/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binding cycle: a pod is assumed on its node, its volumes, if any, are bound, its binding is
 * on its way. The answer and what the watch shows may come in any order; the cycle ends with the
 * answer, the pod's place is ours until the watch shows the pod on its node or the binding has
 * failed.
 */
#include "base/log.h"
#include "scheduler/private.h"

enum { MESSAGE_MAX = 2048 };

/* The extender that binds the pod, if one does. */
static bool binding_is_via(const struct scheduler *s, const struct scheduler_binding *binding,
	struct extender_binder *by)
{
	return s->extenders != NULL && !binding->direct &&
		scheduler_is_pod(s, binding->pod, binding->uid) &&
		extenders_binder(s->extenders,
			cache_template_of(&s->cache, cache_pod_at(&s->cache, binding->pod)), by);
}

/* Has it room to be bound now? It waits until it has. */
static void binding_send(struct scheduler *s, uint32_t index)
{
	struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	struct scheduler_pod_names names;
	struct extender_binder by;
	bool via = binding_is_via(s, binding, &by);
	if (!(via ? binder_has_room_via(s->binder) : binder_has_room(s->binder))) {
		binding->state = SCHEDULER_BINDING_READY;
		s->bindings.ready++;
		return;
	}
	binding->state = SCHEDULER_BINDING_SENT;
	binding->stage_began = clock_mono(&s->setup.clock);
	scheduler_pod_names(s, binding->pod, &names);
	const struct binder_order order = {
		.pod = names.pod,
		.node = cache_text(&s->cache, binding->node_name),
		.via = {via ? by.client : NULL, by.url, by.path, by.timeout_ms},
		.tag = index,
	};
	binder_bind(s->binder, &order);
}

static void binding_bind_volumes(struct scheduler *s, uint32_t index,
	const struct schedule_result *result, uint32_t nominated)
{
	struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	const struct volumes_order order = {
		.tag = index,
		.pod = binding->pod,
		.node = binding->node,
		.nominated = nominated,
		.choices = result->volumes,
		.choice_count = result->volume_count,
		.timeout_ms = PLUGIN_ARGS(binding->profile, VOLUME_BINDING, volume_binding_args)
				      ->bind_timeout_seconds *
			1000,
	};
	binding->state = SCHEDULER_BINDING_VOLUMES;
	binding->stage_began = binding->began;
	volumes_begin(s->volumes, &order);
}

void scheduler_start_binding(struct scheduler *s, uint32_t entry,
	const struct schedule_result *result, uint32_t nominated)
{
	uint32_t index = pool_take(&s->bindings.pool);
	CHECK(index != 0); /* asked for before the pod was popped */
	struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	const struct queue_entry *e = queue_entry_at(&s->queue, entry);
	*binding = (struct scheduler_binding){
		.uid = cache_pod_at(&s->cache, e->pod)->uid,
		.pod = e->pod,
		.entry = entry,
		.node = result->node,
		.node_name = cache_node_at(&s->cache, result->node)->name,
		.attempts = e->attempts,
		.profile = cycle_profile_of(&s->cycle, e->pod),
		.began = s->metrics.attempt_began,
		.first_attempt = e->first_attempt,
		.evaluated = result->evaluated_count,
		.feasible = result->feasible_count,
	};
	CHECK(e->state == QUEUE_IN_FLIGHT);
	CHECK((cache_pod_at(&s->cache, e->pod)->flags & CACHE_POD_ASSUMED) != 0);
	CHECK(cache_pod_at(&s->cache, e->pod)->node == result->node);
	intern_keep(&s->cache.strings, binding->node_name);
	if (result->volume_count > 0)
		binding_bind_volumes(s, index, result, nominated);
	else
		binding_send(s, index);
}

static void binding_end(struct scheduler *s, uint32_t index)
{
	struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	intern_give(&s->cache.strings, binding->node_name);
	pool_give(&s->bindings.pool, index);
}

/* Not ours to bind any more, and the binding was not sent: the binding is over. */
static void binding_cancel(struct scheduler *s, uint32_t index)
{
	const struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	if (binding->state == SCHEDULER_BINDING_VOLUMES)
		volumes_cancel(s->volumes, index);
	else
		s->bindings.ready--;
	binding_end(s, index);
}

/* 0: it has not taken off, its extenders are asked. */
static uint32_t binding_cycle_of(const struct scheduler *s, uint32_t entry)
{
	uint32_t i = pool_next(&s->bindings.pool, 0);
	while (i != 0 &&
		((struct scheduler_binding *)pool_at(&s->bindings.pool, i))->entry != entry)
		i = pool_next(&s->bindings.pool, i);
	return i;
}

static void binding_leave_queue(struct scheduler *s, uint32_t index, bool is_on_its_node)
{
	struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	binding->entry = 0; /* it leaves the queue now */
	if (binding->state == SCHEDULER_BINDING_SENT)
		binder_seen(s->binder, index, is_on_its_node);
	else
		binding_cancel(s, index);
}

void scheduler_binding_seen(struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	uint32_t index = binding_cycle_of(s, p->waiting);
	if (index == 0) {
		scheduler_drop_ask(s, p->waiting);
		return;
	}
	const struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	uint32_t expected = binding->node_name;
	bool is_on_its_node = cache_node_at(&s->cache, p->node)->name == expected;
	/* Bound elsewhere by somebody else: upstream wakes nobody for the place it had here. */
	if (!is_on_its_node && cache_find_node_id(&s->cache, expected) != 0)
		scheduler_requeue_for_space(s, pod, expected);
	binding_leave_queue(s, index, is_on_its_node);
}

void scheduler_binding_gone(struct scheduler *s, uint32_t entry)
{
	uint32_t index = binding_cycle_of(s, entry);
	if (index == 0)
		scheduler_drop_ask(s, entry);
	else
		binding_leave_queue(s, index, false);
}

static void binding_count_attempt(
	struct scheduler *s, const struct scheduler_binding *binding, enum scheduler_result result)
{
	scheduler_count_attempt(&s->metrics, (uint32_t)(binding->profile - s->profiles), result,
		mono_since_us(scheduler_now(s), binding->began));
}

static void binding_count_stage(struct scheduler *s, const struct scheduler_binding *binding,
	enum series_point point, bool well)
{
	scheduler_count_point(&s->metrics, (uint32_t)(binding->profile - s->profiles), point,
		well ? PLUGIN_SUCCESS : PLUGIN_ERROR,
		mono_since_us(scheduler_now(s), binding->stage_began));
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

static void binding_succeeded(struct scheduler *s, const struct scheduler_binding *binding)
{
	char note[MESSAGE_MAX];
	struct writer w;
	struct scheduler_pod_names names;
	s->stats.bound++;
	s->stats.attempts[SCHEDULER_SCHEDULED]++;
	binding_count_bound(s, binding);
	if (!scheduler_is_pod(s, binding->pod, binding->uid))
		return; /* deleted meanwhile: there is nothing to report about */
	struct cache_pod *pod = cache_pod_at(&s->cache, binding->pod);
	scheduler_pod_names(s, binding->pod, &names);
	writer_init(&w, note, sizeof(note));
	body_note_scheduled(&names.pod, cache_text(&s->cache, binding->node_name), &w);
	scheduler_report_event(s, binding->pod, binding->profile, "Normal", "Scheduled", "Binding",
		writer_text(&w));
	log_decision("scheduler", "Successfully bound pod to node",
		"pod=%.*s/%.*s node=%.*s evaluatedNodes=%u feasibleNodes=%u",
		TEXT_ARGS(names.pod.namespace), TEXT_ARGS(names.pod.name),
		TEXT_ARGS(cache_text(&s->cache, binding->node_name)), (unsigned)binding->evaluated,
		(unsigned)binding->feasible);
	if (binding->entry != 0) {
		pod->waiting = 0;
		queue_remove(&s->queue, binding->entry);
	}
}

/* Upstream's words: the error of the plugin that failed. */
static struct text binding_message(const char *what, struct text message, char *room, size_t size)
{
	struct writer w;
	size_t most = size / 2;
	writer_init(&w, room, size);
	write_z(&w, what);
	write_text(&w, text_first(message, message.size < most ? message.size : most));
	return writer_text(&w);
}

/* Its place is free again. A node that went away meanwhile has none to offer. */
static void binding_give_back(struct scheduler *s, const struct scheduler_binding *binding)
{
	if (cache_forget(&s->cache, binding->pod) == CACHE_OK &&
		cache_find_node_id(&s->cache, binding->node_name) != 0)
		scheduler_requeue_for_space(s, binding->pod, binding->node_name);
}

/* `theirs`: the pod belongs to another scheduler by now, and does not get a condition. */
static void binding_failed(struct scheduler *s, const struct scheduler_binding *binding,
	struct text message, bool theirs)
{
	const struct text none = TEXT("");
	s->stats.attempts[SCHEDULER_ERROR]++;
	binding_count_attempt(s, binding, SCHEDULER_ERROR);
	if (!scheduler_is_pod(s, binding->pod, binding->uid))
		return;
	binding_give_back(s, binding);
	if (binding->entry == 0)
		return; /* the watch has shown more by now */
	scheduler_count_incoming(&s->metrics, SCHEDULER_ATTEMPT_FAILED,
		queue_error(&s->queue, binding->entry, scheduler_now(s)));
	scheduler_report_event(s, binding->pod, binding->profile, "Warning", "FailedScheduling",
		"Scheduling", message);
	if (!theirs)
		scheduler_report_condition(s, binding->pod, "SchedulerError", message, &none);
}

static void binding_refused(struct scheduler *s, const struct scheduler_binding *binding,
	const struct binder_result *result)
{
	char room[MESSAGE_MAX];
	struct extender_binder by;
	bool lost = result->outcome == BINDER_LOST;
	s->stats.bind_lost += lost;
	s->stats.bind_refused += !lost;
	binding_failed(s, binding,
		binding_message(binding_is_via(s, binding, &by)
				? ""
				: "running Bind plugin \"DefaultBinder\": ",
			result->message, room, sizeof(room)),
		lost);
}

/*
 * Another one may have led since, and given away the place that was kept here alone. Pods were
 * relisted by now, so one that was not seen on its node was not bound, unless its answer is due.
 */
void scheduler_recall_bindings(struct scheduler *s)
{
	for (uint32_t i = pool_next(&s->bindings.pool, 0); i != 0;
		i = pool_next(&s->bindings.pool, i)) {
		const struct scheduler_binding binding =
			*(struct scheduler_binding *)pool_at(&s->bindings.pool, i);
		if (binding.entry == 0)
			continue;
		if (binding.state == SCHEDULER_BINDING_SENT) {
			binder_seen(s->binder, i, false);
			continue;
		}
		binding_cancel(s, i);
		binding_failed(
			s, &binding, TEXT("the lease was lost before the pod was bound"), true);
	}
}

/* ---- volumes ---- */

void scheduler_volumes_bound(void *self, const struct volumes_result *result)
{
	struct scheduler *s = self;
	uint32_t index = (uint32_t)result->tag;
	struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	char room[MESSAGE_MAX];
	binding_count_stage(s, binding, SERIES_PRE_BIND, result->ok);
	s->metrics.volume_errors[SCHEDULER_VOLUME_BIND] += !result->ok;
	if (result->ok) {
		binding->state = SCHEDULER_BINDING_READY;
		s->bindings.ready++;
		return;
	}
	scheduler_requeue_for_changes(s); /* what came before the answer */
	if (!pool_is_taken(&s->bindings.pool, index))
		return; /* the pod is gone, or somebody else's */
	const struct scheduler_binding ended = *binding;
	binding_failed(s, &ended,
		binding_message("running PreBind plugin \"VolumeBinding\": ", result->message, room,
			sizeof(room)),
		false);
	binding_end(s, index);
}

void scheduler_send_bindings(struct scheduler *s)
{
	for (uint32_t i = pool_next(&s->bindings.pool, 0); i != 0 && s->bindings.ready > 0;
		i = pool_next(&s->bindings.pool, i)) {
		const struct scheduler_binding *binding = pool_at(&s->bindings.pool, i);
		if (binding->state != SCHEDULER_BINDING_READY)
			continue;
		s->bindings.ready--;
		binding_send(s, i);
	}
}

/* ---- the answer ---- */

void scheduler_binding_done(void *self, const struct binder_result *result)
{
	struct scheduler *s = self;
	uint32_t index = (uint32_t)result->tag;
	struct scheduler_binding *binding = pool_at(&s->bindings.pool, index);
	struct extender_binder by;
	scheduler_requeue_for_changes(s); /* what came before the answer */
	/* A pod that goes leaves the queue first. */
	CHECK(binding->entry == 0 || scheduler_is_pod(s, binding->pod, binding->uid));
	binding_count_stage(s, binding, SERIES_BIND, result->outcome == BINDER_BOUND);
	if (result->outcome == BINDER_REFUSED && binding->entry != 0 &&
		binding_is_via(s, binding, &by) && by.ignorable) {
		log_warn("extender", "ignored", "error=\"%.*s\"", TEXT_ARGS(result->message));
		binding->direct = true;
		binding->state = SCHEDULER_BINDING_READY;
		s->bindings.ready++;
		return;
	}
	if (result->outcome == BINDER_BOUND)
		binding_succeeded(s, binding);
	else
		binding_refused(s, binding, result);
	binding_end(s, index);
}
