/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attempt: the next pod of the queue. It gets a node and takes off, or people are told why not and
 * it waits for something to change (core.md 4, 13).
 */
#include "base/log.h"
#include "scheduler/private.h"

enum {
	PATCHES_OF_AN_ATTEMPT = 1 + 8, /* its own, and nominations that it takes over */
	NOTE_MAX = 1024
};

bool scheduler_has_room(const struct scheduler *s)
{
	return binder_has_room(s->binder) && pool_used(&s->flights) < s->flights.capacity &&
		status_patcher_room(s->status_patcher) >= PATCHES_OF_AN_ATTEMPT;
}

/*
 * What kube-scheduler does: in v1.0 every pod waited for a token before it was tried; today its
 * client waits before each request, 50 times a second unless somebody says otherwise. What we do:
 * nothing unless somebody says so; then every pod waits for a token, of each limit that was set,
 * since a pod that is tried is a request: its binding, or its condition.
 */
struct mono scheduler_next_attempt(const struct scheduler *s)
{
	struct mono when = scheduler_now(s);
	for (uint32_t i = 0; i < SCHEDULER_PACES; i++) {
		const struct scheduler_pace *pace = &s->setup.paces[i];
		if (pace->every_us == 0)
			continue;
		struct mono due =
			rate_due(&s->rates[i], scheduler_now(s), pace->every_us, pace->burst);
		if (!mono_reached(when, due))
			when = due;
	}
	return when;
}

static void take_pace(struct scheduler *s)
{
	for (uint32_t i = 0; i < SCHEDULER_PACES; i++)
		if (s->setup.paces[i].every_us != 0)
			rate_take(&s->rates[i], scheduler_now(s), s->setup.paces[i].every_us);
}

bool scheduler_can_attempt(const struct scheduler *s)
{
	return scheduler_has_room(s) && mono_reached(scheduler_now(s), scheduler_next_attempt(s)) &&
		s->queue.pods[QUEUE_ACTIVE] + s->queue.pods[QUEUE_BACKOFF] > 0;
}

/* ---- it was not placed ---- */

/*
 * The condition and the nomination are one patch, made against what the apiserver knows. `found`:
 * somebody makes room.
 */
static void tell(struct scheduler *s, uint32_t pod, const struct schedule_result *decision,
	const char *reason, bool found)
{
	const struct cycle_preemption *p = &decision->preemption;
	struct text nominated = TEXT("");
	if (found)
		nominated = cache_text(&s->cache, cache_node_at(&s->cache, p->node)->name);
	scheduler_tell_condition(s, pod, reason, decision->message,
		found || p->clear_nomination ? &nominated : NULL);
	if (found)
		scheduler_preempt(s, pod, p);
	else if (p->clear_nomination)
		scheduler_promise(s, pod, INTERN_EMPTY);
}

static void count(struct scheduler *s, uint32_t pod, enum scheduler_result result)
{
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	int64_t took_us = mono_since_us(clock_mono(&s->setup.clock), s->metrics.attempt_began);
	if (profile != NULL)
		scheduler_count_attempt(
			&s->metrics, (uint32_t)(profile - s->profiles), result, took_us);
}

/* In upstream's order: back to the queue, nominator, event, patch. */
static void failed(struct scheduler *s, uint32_t entry, const struct schedule_result *decision)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	bool rejected = decision->outcome == CYCLE_REJECTED;
	const char *reason = rejected ? "Unschedulable" : "SchedulerError";
	s->stats.attempts[rejected ? SCHEDULER_UNSCHEDULABLE : SCHEDULER_ERROR]++;
	count(s, pod, rejected ? SCHEDULER_UNSCHEDULABLE : SCHEDULER_ERROR);
	/* Victims that find no room to be told: the same again, after a while. */
	bool found = decision->preemption.found;
	bool crowded = found && !scheduler_can_preempt(s, decision->preemption.victim_count);
	const struct queue_waits rejectors = {decision->rejectors,
		decision->extender_rejected ? UINT32_C(1) << QUEUE_EXTENDER : 0};
	if (rejected && !queue_waits_is_empty(&rejectors) && !crowded)
		queue_park(&s->queue, entry, rejectors, (struct plugin_set){{0}}, scheduler_now(s));
	else
		(void)queue_error(&s->queue, entry, scheduler_now(s));
	scheduler_count_incoming(&s->metrics, SCHEDULER_ATTEMPT_FAILED,
		(enum queue_state)queue_entry_at(&s->queue, entry)->state);
	scheduler_tell_event(
		s, pod, profile, "Warning", "FailedScheduling", "Scheduling", decision->message);
	tell(s, pod, decision, reason, found && !crowded);
	log_debug("scheduler", "rejected", "pod=%.*s message=\"%.*s\"",
		TEXT_ARGS(cache_text(&s->cache, cache_pod_at(&s->cache, pod)->name)),
		TEXT_ARGS(decision->message));
}

/* ---- it was placed ---- */

static void assume_failed(struct scheduler *s, uint32_t entry, enum cache_result result)
{
	struct schedule_result decision = {.outcome = CYCLE_FAILED};
	decision.message = result == CACHE_FULL
		? TEXT("the pod finds no room in the scheduler's own memory")
		: TEXT("the node went away while the pod was placed");
	failed(s, entry, &decision);
}

static void place(struct scheduler *s, uint32_t entry, const struct schedule_result *decision)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	uint32_t nominated = cache_pod_at(&s->cache, pod)->nominated;
	/* So many claims are being bound that this pod's have to wait for some of them. */
	if (decision->volume_count > 0 && !volumes_has_room(s->volumes)) {
		(void)queue_error(&s->queue, entry, scheduler_now(s));
		return;
	}
	enum cache_result result = cache_assume(&s->cache, pod, decision->node);
	if (result != CACHE_OK) {
		assume_failed(s, entry, result);
		return;
	}
	cycle_chosen(&s->cycle, decision->node);
	/* Upstream lets whoever could have the promised node now wait for something else. */
	if (nominated != cache_node_at(&s->cache, decision->node)->name)
		scheduler_wake_for_promise(s, pod, nominated);
	scheduler_take_off(s, entry, decision, nominated);
}

/* A pod that is being deleted is not tried, and told so (core.md 4.3). */
void scheduler_skip_deleting(struct scheduler *s, uint32_t entry)
{
	struct scheduler_words words;
	char note[NOTE_MAX];
	struct writer w;
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	scheduler_words(s, pod, &words);
	writer_init(&w, note, sizeof(note));
	write_z(&w, "skip schedule deleting pod: ");
	write_text(&w, words.pod.namespace);
	write_char(&w, '/');
	write_text(&w, words.pod.name);
	scheduler_tell_event(s, pod, cycle_profile_of(&s->cycle, pod), "Warning",
		"FailedScheduling", "Scheduling", writer_text(&w));
	cache_pod_at(&s->cache, pod)->waiting = 0;
	queue_remove(&s->queue, entry);
}

static void copy_cut(struct text text, char *to, size_t size)
{
	CHECK(text_copy(text_first(text, text.size < size ? text.size : size - 1), to, size));
}

static void record(struct scheduler *s, uint32_t pod, const struct schedule_result *decision)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	struct scheduler_record *r = scheduler_record_next(&s->metrics);
	struct writer w;
	writer_init(&w, r->pod, sizeof(r->pod) - 1);
	write_text(&w, cache_text(&s->cache, cache_template_of(&s->cache, p)->namespace));
	write_char(&w, '/');
	copy_cut(cache_text(&s->cache, p->name), r->pod + w.used, sizeof(r->pod) - w.used);
	r->at = clock_wall(&s->setup.clock);
	r->took_us = mono_since_us(clock_mono(&s->setup.clock), s->metrics.attempt_began);
	r->feasible = decision->feasible_count;
	r->evaluated = decision->evaluated_count;
	r->result = decision->outcome == CYCLE_PLACED ? SCHEDULER_SCHEDULED
		: decision->outcome == CYCLE_REJECTED ? SCHEDULER_UNSCHEDULABLE
						      : SCHEDULER_ERROR;
	if (decision->outcome == CYCLE_PLACED)
		copy_cut(cache_text(&s->cache, cache_node_at(&s->cache, decision->node)->name),
			r->node, sizeof(r->node));
	else
		copy_cut(decision->message, r->words, sizeof(r->words));
	scheduler_observe(&s->metrics.algorithm, &scheduler_scale_attempt, (uint64_t)r->took_us);
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	if (profile != NULL)
		scheduler_count_evaluated(
			&s->metrics, (uint32_t)(profile - s->profiles), decision->took_part);
	if (decision->preemption.tried)
		s->metrics.preemption_attempts++;
}

/*
 * All scores again, slowly, for who looks on; the time is taken already. What the decision points
 * to is lost, so one with volumes has to do without.
 */
static void record_best(struct scheduler *s, uint32_t pod, const struct schedule_result *decision)
{
	struct scheduler_metrics *m = &s->metrics;
	struct scheduler_best *best = &m->best[m->serial % SCHEDULER_BEST];
	struct writer w;
	if (m->best_wanted == 0 || !decision->is_scored || decision->volume_count > 0 ||
		scheduler_is_extended(s, pod))
		return;
	m->best_wanted--;
	writer_init(&w, best->words, sizeof(best->words));
	cycle_best(&s->cycle, pod, SCHEDULER_BEST_NODES, &w);
	best->serial = w.overflowed ? 0 : m->serial;
	best->size = w.used;
}

void scheduler_conclude(struct scheduler *s, uint32_t entry, const struct schedule_result *decision)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	record(s, pod, decision);
	record_best(s, pod, decision);
	if (decision->outcome == CYCLE_PLACED)
		place(s, entry, decision);
	else
		failed(s, entry, decision);
}

bool scheduler_attempt(struct scheduler *s)
{
	struct schedule_result decision;
	if (!scheduler_can_attempt(s))
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
	take_pace(s);
	s->metrics.attempt_began = clock_mono(&s->setup.clock);
	if (scheduler_is_extended(s, pod)) {
		scheduler_extend(s, entry);
		return true;
	}
	cycle_decide(&s->cycle, pod, CACHE_COUNT_FAST, &decision);
	scheduler_conclude(s, entry, &decision);
	return true;
}
