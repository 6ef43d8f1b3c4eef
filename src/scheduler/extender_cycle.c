/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods whose extenders are asked. While they think, others are scheduled; the pod stays in
 * flight without a node. What they say is weighed by the cluster as it is when the answer is
 * looked at (cycle/extended.c), and when that leaves nothing they are asked again.
 *
 * An extender hears of one pod at a time, as kube-scheduler's do. Other pods of its own wait behind
 * a gate of the queue, the most important first; they are no hindrance to pods of other extenders,
 * and to those that no extender cares for.
 */
#include "base/log.h"
#include "scheduler/private.h"

enum {
	ROUNDS_MAX = 4, /* then the pod pauses: the cluster changes too fast */
	ANSWER_S = 30   /* an answer that could not be used for so long is asked for again */
};

static uint32_t extenders_bits(const struct scheduler *s, uint32_t pod, enum extender_verb verb)
{
	return extenders_for(
		s->extenders, cache_template_of(&s->cache, cache_pod_at(&s->cache, pod)), verb);
}

bool scheduler_is_extended(const struct scheduler *s, uint32_t pod)
{
	uint32_t bits = 0;
	for (uint32_t verb = 0; s->extenders != NULL && verb < EXTENDER_VERBS; verb++)
		bits |= extenders_bits(s, pod, (enum extender_verb)verb);
	return bits != 0;
}

/* An extender that binds slowly holds up those that it is to bind, before they have a place. */
static bool extenders_can_bind(const struct scheduler *s, uint32_t pod)
{
	return extenders_bits(s, pod, EXTENDER_BIND) == 0 || binder_has_room_via(s->binder);
}

bool scheduler_has_turn(const struct scheduler *s, uint32_t pod)
{
	const struct kube_pod_template *class =
		cache_template_of(&s->cache, cache_pod_at(&s->cache, pod));
	return extenders_have_turn(s->extenders, class) && extenders_can_bind(s, pod);
}

static void extenders_answered(void *self, uint32_t ask)
{
	struct scheduler *s = self;
	struct scheduler_ask *a = &s->asks[ask - 1];
	a->ready = true;
	a->ready_at = net_now(s->net);
}

bool scheduler_open_extenders(
	struct scheduler *s, const struct config_list *extenders, struct writer *fault)
{
	s->extenders = extenders_open(
		&(struct extenders_setup){
			.net = s->net,
			.apiserver = s->setup.client,
			.api = s->api,
			.arena = s->setup.arena,
			.cache = &s->cache,
			.list = extenders,
			.nodes = s->setup.limits.cache.nodes,
			.done = extenders_answered,
			.self = s,
		},
		fault);
	return s->extenders != NULL;
}

/* ---- asking ---- */

static struct scheduler_ask *ask_begin(
	struct scheduler *s, const struct scheduler_ask *as, const struct schedule_result *decision)
{
	char room[API_PATH_MAX];
	struct writer path;
	const struct cache_pod *pod = cache_pod_at(&s->cache, as->pod);
	writer_init(&path, room, sizeof(room));
	const struct api_object object = {.group = "/api/v1",
		.namespace = cache_text(&s->cache, cache_template_of(&s->cache, pod)->namespace),
		.resource = "pods",
		.name = cache_text(&s->cache, pod->name)};
	if (!api_path_write(&object, &path) || path.overflowed)
		return NULL;
	uint32_t index = extender_ask(s->extenders,
		&(struct extender_order){
			.pod = as->pod,
			.path = writer_text(&path),
			.nodes = decision->candidates,
			.node_count = decision->feasible_count,
		});
	struct scheduler_ask *a = &s->asks[index - 1];
	CHECK(a->entry == 0);
	*a = *as;
	return a;
}

static uint32_t ask_index(const struct scheduler *s, const struct scheduler_ask *a)
{
	return (uint32_t)(a - s->asks) + 1;
}

static void ask_end(struct scheduler *s, struct scheduler_ask *a)
{
	extender_end(s->extenders, ask_index(s, a));
	a->entry = 0;
}

/* As upstream: events between the attempt's begin and its end count for who waits for them. */
static void ask_conclude(
	struct scheduler *s, const struct scheduler_ask *a, const struct schedule_result *decision)
{
	s->metrics.attempt_began = a->began;
	scheduler_assume_or_park(s, a->entry, decision);
	if (decision->outcome == CYCLE_REJECTED && decision->extender_rejected &&
		s->requeue.events != a->events)
		(void)queue_requeue_one(&s->queue, a->entry, QUEUE_AFTER_BACKOFF, scheduler_now(s));
}

/* The plugins leave no node, and extenders have a say in whom the pod may push off. */
static bool ask_victims(
	struct scheduler *s, struct scheduler_ask *a, struct schedule_result *decision)
{
	if (!decision->preemption.offered)
		return false;
	a->victims = true;
	extender_ask_victims(s->extenders, ask_index(s, a));
	return true;
}

static void ask_start(struct scheduler *s, const struct scheduler_ask *as)
{
	struct schedule_result decision;
	uint32_t pod = as->pod;
	struct scheduler_ask *a = NULL;
	cycle_candidates(&s->cycle, pod, as->nominated, &decision);
	bool placed = decision.outcome == CYCLE_PLACED;
	bool asks = placed
		? extenders_bits(s, pod, EXTENDER_FILTER) != 0 ||
			(decision.feasible_count > 1 && extenders_bits(s, pod, EXTENDER_SCORE) != 0)
		: decision.preemption.found && extenders_bits(s, pod, EXTENDER_PREEMPT) != 0;
	if (asks)
		a = ask_begin(s, as, &decision);
	if (asks && a == NULL) {
		decision = (struct schedule_result){.outcome = CYCLE_FAILED};
		decision.message = TEXT("the names of the pod make no request");
	}
	if (a == NULL) {
		if (placed && !asks)
			cycle_decide(&s->cycle, pod, CACHE_COUNT_FAST, &decision);
		ask_conclude(s, as, &decision);
		return;
	}
	a->nominated = as->nominated && placed && decision.feasible_count == 1;
	if (placed)
		return;
	struct extender_offers *offers = extender_offers(s->extenders, ask_index(s, a));
	offers->count = offers->victim_count = 0;
	cycle_decide_extended(&s->cycle, pod,
		&(struct cycle_extension){
			extender_words(s->extenders, ask_index(s, a)), offers, false},
		&decision);
	if (ask_victims(s, a, &decision))
		return;
	ask_end(s, a);
	ask_conclude(s, as, &decision);
}

void scheduler_ask_extenders(struct scheduler *s, uint32_t entry)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	if (!scheduler_has_turn(s, pod)) {
		queue_hold(&s->queue, entry, queue_gate_of(QUEUE_EXTENDER));
		return;
	}
	ask_start(s,
		&(struct scheduler_ask){
			.uid = cache_pod_at(&s->cache, pod)->uid,
			.pod = pod,
			.entry = entry,
			.nominated = true,
			.began = s->metrics.attempt_began,
			.events = s->requeue.events,
		});
}

/* ---- answers ---- */

static void ask_repeat(struct scheduler *s, struct scheduler_ask *a)
{
	struct scheduler_ask as = *a;
	ask_end(s, a);
	/* After the nominated node all of them are asked about; that is no retry. */
	as.rounds += as.nominated ? 0 : 1;
	as.nominated = as.victims = as.ready = false;
	if (as.rounds < ROUNDS_MAX)
		ask_start(s, &as);
	else
		(void)queue_error(&s->queue, as.entry, scheduler_now(s));
}

static void ask_decide(struct scheduler *s, struct scheduler_ask *a)
{
	uint32_t index = ask_index(s, a);
	struct schedule_result decision = {.outcome = CYCLE_FAILED};
	a->ready = false;
	CHECK(scheduler_is_pod(s, a->pod, a->uid)); /* who goes is dropped first */
	if ((cache_pod_at(&s->cache, a->pod)->flags & CACHE_POD_DELETING) != 0) {
		uint32_t entry = a->entry;
		ask_end(s, a);
		scheduler_skip_deleting(s, entry);
		return;
	}
	decision.message = extender_error(s->extenders, index);
	decision.preemption.clear_nomination = true;
	if (decision.message.size == 0) {
		struct cycle_extension extension = {
			.words = extender_words(s->extenders, index), .chosen = a->victims};
		if (extenders_bits(s, a->pod, EXTENDER_PREEMPT) != 0)
			extension.offers = extender_offers(s->extenders, index);
		if (extension.offers != NULL && !a->victims)
			extension.offers->count = extension.offers->victim_count = 0;
		cycle_decide_extended(&s->cycle, a->pod, &extension, &decision);
	}
	bool late = mono_since_us(scheduler_now(s), a->ready_at) > ANSWER_S * CLOCK_S_US;
	if (late || decision.outcome == CYCLE_STALE ||
		(decision.outcome == CYCLE_REJECTED && a->nominated)) {
		ask_repeat(s, a);
		return;
	}
	if (ask_victims(s, a, &decision))
		return;
	extender_give_turn(s->extenders, index);
	ask_conclude(s, a, &decision); /* its words are those of the ask */
	ask_end(s, a);
}

static uint32_t ask_next_ready(const struct scheduler *s)
{
	uint32_t i = 0;
	while (i < EXTENDER_ASKS &&
		(s->asks[i].entry == 0 || !s->asks[i].ready ||
			!extenders_can_bind(s, s->asks[i].pod)))
		i++;
	return i;
}

bool scheduler_has_answer(const struct scheduler *s)
{
	return s->extenders != NULL && ask_next_ready(s) < EXTENDER_ASKS && scheduler_has_room(s);
}

bool scheduler_decide_answered(struct scheduler *s)
{
	if (!scheduler_has_answer(s))
		return false;
	ask_decide(s, &s->asks[ask_next_ready(s)]);
	return true;
}

void scheduler_drop_ask(struct scheduler *s, uint32_t entry)
{
	CHECK(entry != 0);
	for (uint32_t i = 0; s->extenders != NULL && i < EXTENDER_ASKS; i++)
		if (s->asks[i].entry == entry)
			ask_end(s, &s->asks[i]);
}

/* ---- those that wait for their turn ---- */

static uint32_t ask_heard(const struct scheduler *s, uint32_t pod)
{
	return extenders_heard(
		s->extenders, cache_template_of(&s->cache, cache_pod_at(&s->cache, pod)));
}

/* Pods of a group have equal priorities; of equal groups the oldest. `taken`: by those let go. */
static uint32_t ask_first_held(struct scheduler *s, uint32_t taken)
{
	struct queue_walk walk = queue_walk(&s->queue, queue_waits_for(QUEUE_EXTENDER));
	uint32_t first = 0;
	for (uint32_t g; (g = queue_next_group(&s->queue, &walk)) != 0;) {
		const struct queue_entry *e = queue_group_entry(&s->queue, g);
		if (!queue_gate_is(e->gate, queue_gate_of(QUEUE_EXTENDER)) ||
			(ask_heard(s, e->pod) & taken) != 0 || !scheduler_has_turn(s, e->pod))
			continue;
		uint32_t entry = cache_pod_at(&s->cache, e->pod)->waiting;
		if (first == 0 ||
			queue_entry_at(&s->queue, entry)->priority >
				queue_entry_at(&s->queue, first)->priority)
			first = entry;
	}
	return first;
}

void scheduler_requeue_held(struct scheduler *s)
{
	if (s->extenders == NULL || s->queue.pods[QUEUE_GATED] == 0)
		return;
	uint32_t taken = 0;
	for (uint32_t entry; (entry = ask_first_held(s, taken)) != 0;) {
		uint32_t heard = ask_heard(s, queue_entry_at(&s->queue, entry)->pod);
		taken |= heard;
		(void)queue_requeue_one(&s->queue, entry, QUEUE_AT_ONCE, scheduler_now(s));
		if (heard == 0)
			break; /* for an extender that only binds: one at a time */
	}
}
