/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduling cycle of one pod: it is popped, decided about, assumed on its node and its binding
 * starts; or it is parked, with its reasons, until something changes.
 */
#include "base/log.h"
#include "scheduler/private.h"

enum { NOTE_MAX = 1024 };

bool scheduler_has_room(const struct scheduler *s)
{
	return binder_has_room(s->binder) && scheduler_has_binding_room(s) &&
		!scheduler_waits_for_patches(s);
}

/*
 * What kube-scheduler does: in v1.0 every pod waited for a token before it was tried; today its
 * client waits before each request, 50 times a second unless the configuration says otherwise. What
 * we do: nothing unless it says so; then every pod waits for a token, of each limit that was set,
 * since a pod that is tried is a request: its binding, or its condition.
 */
struct mono scheduler_pace_due(const struct scheduler *s)
{
	struct mono when = scheduler_now(s);
	for (uint32_t i = 0; i < SCHEDULER_PACES; i++) {
		const struct scheduler_pace *pace = &s->setup.paces[i];
		if (pace->every_us == 0)
			continue;
		struct mono due =
			rate_due(&s->pacing[i], scheduler_now(s), pace->every_us, pace->burst);
		if (!mono_reached(when, due))
			when = due;
	}
	return when;
}

static void pace_take(struct scheduler *s)
{
	for (uint32_t i = 0; i < SCHEDULER_PACES; i++)
		if (s->setup.paces[i].every_us != 0)
			rate_take(&s->pacing[i], scheduler_now(s), s->setup.paces[i].every_us);
}

bool scheduler_can_schedule(const struct scheduler *s)
{
	return scheduler_has_room(s) && mono_reached(scheduler_now(s), scheduler_pace_due(s)) &&
		s->queue.pods[QUEUE_ACTIVE] + s->queue.pods[QUEUE_BACKOFF] > 0;
}

/* ---- park ---- */

/*
 * The condition and the nomination are one patch, made against what the apiserver knows.
 * `prepared`: room for the preemption; 0: no pod is evicted.
 */
static void park_report(struct scheduler *s, uint32_t pod, const struct schedule_result *result,
	const char *reason, struct text message, uint32_t prepared)
{
	const struct cycle_preemption *p = &result->preemption;
	bool found = prepared != 0;
	struct text nominated = TEXT("");
	if (found)
		nominated = cache_text(&s->cache, cache_node_at(&s->cache, p->node)->name);
	scheduler_report_condition(
		s, pod, reason, message, found || p->clear_nomination ? &nominated : NULL);
	if (found)
		scheduler_preempt(s, pod, p, prepared);
	else if (p->clear_nomination)
		scheduler_nominate(s, pod, INTERN_EMPTY);
}

static void count_attempt(struct scheduler *s, uint32_t pod, enum scheduler_result result)
{
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	int64_t took_us = mono_since_us(clock_mono(&s->setup.clock), s->metrics.attempt_began);
	s->stats.attempts[result]++;
	if (profile != NULL)
		scheduler_count_attempt(
			&s->metrics, scheduler_profile_place(s, profile), result, took_us);
}

static void park_log(const struct scheduler *s, uint32_t pod, bool rejected,
	const struct schedule_result *result)
{
	struct scheduler_pod_names names;
	enum log_level level = rejected ? LOG_DECISION : LOG_ERROR;
	if (!log_enabled(level))
		return;
	scheduler_pod_names(s, pod, &names);
	const char *words = "Unable to schedule pod; no fit; waiting";
	if (!rejected)
		words = "Error scheduling pod; retrying";
	else if (s->cache.order.count == 0)
		words = "Unable to schedule pod; no nodes are registered to the cluster; waiting";
	LOG_AT(level, "scheduler", words, "pod=%.*s/%.*s err=\"%.*s\"",
		TEXT_ARGS(names.pod.namespace), TEXT_ARGS(names.pod.name),
		TEXT_ARGS(result->message));
}

static void attempt_log(const struct scheduler *s, uint32_t pod, const char *words)
{
	struct scheduler_pod_names names;
	if (!log_enabled(LOG_ATTEMPT))
		return;
	scheduler_pod_names(s, pod, &names);
	LOG_AT(LOG_ATTEMPT, "scheduler", words, "pod=%.*s/%.*s", TEXT_ARGS(names.pod.namespace),
		TEXT_ARGS(names.pod.name));
}

/* The pod would preempt others, if that could be kept in mind. */
static struct text park_message(struct scheduler *s, struct text message)
{
	static const char more[] = " preemption: too many others are under way, it is tried again.";
	char *at = scratch_take(&s->scratch, message.size + sizeof(more));
	if (at == NULL)
		return message;
	struct writer w;
	writer_init(&w, at, message.size + sizeof(more));
	write_text(&w, message);
	write_z(&w, more);
	return writer_text(&w);
}

/* In upstream's order: back to the queue, nominator, event, patch. */
void scheduler_park(struct scheduler *s, uint32_t entry, const struct schedule_result *result)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	bool rejected = result->outcome == CYCLE_REJECTED;
	CHECK(result->outcome != CYCLE_PLACED);
	CHECK((cache_pod_at(&s->cache, pod)->flags & CACHE_POD_ASSUMED) == 0);
	count_attempt(s, pod, rejected ? SCHEDULER_UNSCHEDULABLE : SCHEDULER_ERROR);
	s->metrics.volume_errors[SCHEDULER_VOLUME_PREDICATE] +=
		result->failed_filter == plugin_volume_binding.name;
	/* No room for what must be written, or for the victims: the same again, after a while. */
	bool found = result->preemption.found;
	bool crowded = status_patcher_room(s->status_patcher) < SCHEDULER_PATCHES_OF_AN_ATTEMPT;
	uint32_t prepared = found && !crowded
		? scheduler_prepare_preemption(s, result->preemption.victim_count)
		: 0;
	struct text message = result->message;
	struct scratch_mark mark = scratch_mark(&s->scratch);
	if (found && prepared == 0) {
		crowded = true;
		message = park_message(s, message);
	}
	const struct queue_waits rejectors = {
		result->rejectors, result->extender_rejected ? UINT32_C(1) << QUEUE_EXTENDER : 0};
	if (rejected && !queue_waits_is_empty(&rejectors) && !crowded)
		queue_park(&s->queue, entry, rejectors, (struct plugin_set){{0}}, scheduler_now(s));
	else
		(void)queue_error(&s->queue, entry, scheduler_now(s));
	const struct queue_entry *e = queue_entry_at(&s->queue, entry);
	CHECK(e->state != QUEUE_IN_FLIGHT);
	scheduler_count_incoming(&s->metrics, SCHEDULER_ATTEMPT_FAILED, (enum queue_state)e->state);
	scheduler_report_event(s, pod, cycle_profile_of(&s->cycle, pod), "Warning",
		"FailedScheduling", "Scheduling", message);
	if (result->preemption.call_count > 0)
		scheduler_send_calls(s, pod, cache_pod_at(&s->cache, pod)->uid,
			result->preemption.calls, result->preemption.call_count, false);
	park_report(
		s, pod, result, rejected ? "Unschedulable" : "SchedulerError", message, prepared);
	park_log(s, pod, rejected, result);
	scratch_rewind(&s->scratch, mark);
}

/* ---- assume ---- */

/* The pod takes its place in the cache; false: it cannot, and `refused` says why. */
static bool assume_pod(struct scheduler *s, uint32_t pod, const struct schedule_result *result,
	struct schedule_result *refused)
{
	uint32_t nominated = cache_pod_at(&s->cache, pod)->nominated;
	if (pre_bind_undoes(s->pre_bind, cache_pod_at(&s->cache, pod)->uid)) {
		*refused = (struct schedule_result){.outcome = CYCLE_FAILED,
			.message = TEXT("what its last attempt wrote is still being taken back")};
		return false;
	}
	enum cache_result assumed = cache_assume(&s->cache, pod, result->node);
	if (assumed == CACHE_OK) {
		cycle_chosen(&s->cycle, result->node);
		/* Upstream lets pods that could have the nominated node wait for something else. */
		if (nominated != cache_node_at(&s->cache, result->node)->name)
			scheduler_requeue_for_nomination(s, pod, nominated);
		return true;
	}
	*refused = (struct schedule_result){.outcome = CYCLE_FAILED};
	refused->message = assumed == CACHE_FULL
		? TEXT("the pod finds no room in the scheduler's own memory")
		: TEXT("the node went away while the pod was placed");
	return false;
}

/* ---- skip ---- */

/* A pod that is being deleted is not tried; an event says so. */
void scheduler_skip_deleting(struct scheduler *s, uint32_t entry)
{
	struct scheduler_pod_names names;
	char note[NOTE_MAX];
	struct writer w;
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	scheduler_pod_names(s, pod, &names);
	attempt_log(s, pod, "Skip schedule deleting pod");
	writer_init(&w, note, sizeof(note));
	write_z(&w, "skip schedule deleting pod: ");
	write_text(&w, names.pod.namespace);
	write_char(&w, '/');
	write_text(&w, names.pod.name);
	scheduler_report_event(s, pod, cycle_profile_of(&s->cycle, pod), "Warning",
		"FailedScheduling", "Scheduling", writer_text(&w));
	cache_pod_at(&s->cache, pod)->waiting = 0;
	queue_remove(&s->queue, entry);
}

/* ---- one pod ---- */

void scheduler_assume_or_park(
	struct scheduler *s, uint32_t entry, const struct schedule_result *result)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	uint32_t nominated = cache_pod_at(&s->cache, pod)->nominated;
	scheduler_record_result(s, pod, result);
	scheduler_record_scores(s, pod, result);
	struct schedule_result refused;
	if (result->outcome != CYCLE_PLACED)
		scheduler_park(s, entry, result);
	else if (!assume_pod(s, pod, result, &refused) ||
		!scheduler_start_binding(s, entry, result, nominated, &refused))
		scheduler_park(s, entry, &refused);
}

bool schedule_one(struct scheduler *s)
{
	struct schedule_result result;
	if (!scheduler_can_schedule(s))
		return false;
	uint32_t entry = queue_pop(&s->queue);
	if (entry == 0)
		return false;
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	CHECK(cache_pod_at(&s->cache, pod)->waiting == entry);
	if ((cache_pod_at(&s->cache, pod)->flags & CACHE_POD_DELETING) != 0) {
		scheduler_skip_deleting(s, entry);
		return true;
	}
	/* A device class that came meanwhile makes it need claims and slices, too. */
	if (!scheduler_knows_kinds(s, cache_pod_at(&s->cache, pod))) {
		queue_hold(&s->queue, entry, queue_gate_of(QUEUE_KINDS));
		return true;
	}
	pace_take(s);
	attempt_log(s, pod, "Attempting to schedule pod");
	s->metrics.attempt_began = clock_mono(&s->setup.clock);
	if (scheduler_is_extended(s, pod)) {
		scheduler_ask_extenders(s, entry); /* goes on when they have answered */
		return true;
	}
	if (scheduler_decide_group(s, entry))
		return true;
	cycle_decide(&s->cycle, pod, CACHE_COUNT_FAST, &result);
	scheduler_assume_or_park(s, entry, &result);
	return true;
}
