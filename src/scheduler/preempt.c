/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preempt: victims are evicted, and the pod that needs their place waits until the apiserver has
 * answered about all of them. Nothing else is held up meanwhile.
 */
#include "base/log.h"
#include "cache/conditions.h"
#include "scheduler/private.h"

enum { NOTE_MAX = 512 };

static bool victim_is_deleting(const struct scheduler *s, uint32_t pod)
{
	const uint16_t leaving = CACHE_POD_DELETING | CACHE_POD_EVICTED;
	return (cache_pod_at(&s->cache, pod)->flags & leaving) != 0;
}

uint32_t scheduler_prepare_preemption(struct scheduler *s, uint32_t victims)
{
	uint32_t index = pool_take(&s->preemptions.pool);
	if (index == 0)
		return 0;
	struct scheduler_preemption *p = pool_at(&s->preemptions.pool, index);
	p->targets = store_take(&s->cache.store, (size_t)victims * sizeof(struct scheduler_target));
	if (p->targets != 0)
		return index;
	pool_give(&s->preemptions.pool, index);
	return 0;
}

void scheduler_drop_preemption(struct scheduler *s, uint32_t index)
{
	struct scheduler_preemption *p = pool_at(&s->preemptions.pool, index);
	store_give(&s->cache.store, p->targets);
	pool_give(&s->preemptions.pool, index);
}

bool scheduler_waits_for_victims(const struct scheduler *s, uint32_t pod)
{
	if (pool_used(&s->preemptions.pool) == 0)
		return false;
	for (uint32_t i = pool_next(&s->preemptions.pool, 0); i != 0;
		i = pool_next(&s->preemptions.pool, i)) {
		const struct scheduler_preemption *p = pool_at(&s->preemptions.pool, i);
		if (p->pod == pod && scheduler_is_pod(s, pod, p->uid))
			return true;
	}
	return false;
}

void scheduler_nominate(struct scheduler *s, uint32_t pod, uint32_t node_name)
{
	uint32_t old = cache_pod_at(&s->cache, pod)->nominated;

	if (old != node_name)
		scheduler_requeue_for_nomination(s, pod, old);
	cache_nominate(&s->cache, pod, node_name);
}

/* Less important pods that were promised the same node will not get it. */
static void preempt_clear_nominations(struct scheduler *s, uint32_t pod, uint32_t node_name)
{
	int32_t priority = cache_template_of(&s->cache, cache_pod_at(&s->cache, pod))->priority;
	const struct text none = TEXT("");
	struct list *head = &s->cache.nominated;
	for (struct list *link = head->next, *next; link != head; link = next) {
		struct cache_pod *other = LIST_OWNER(link, struct cache_pod, nominated_link);
		uint32_t index = cache_pod_index(&s->cache, other);
		next = link->next;
		if (other->nominated != node_name || index == pod ||
			cache_template_of(&s->cache, other)->priority >= priority)
			continue;
		scheduler_report_condition(s, index, NULL, TEXT_NONE, &none);
		scheduler_nominate(s, index, INTERN_EMPTY);
	}
}

/* Odd ones are kept as long as the pod is. */
static struct text victim_uid(
	const struct scheduler *s, uint32_t pod, struct cache_uid uid, char *room, size_t size)
{
	struct writer w;
	writer_init(&w, room, size);
	if (uid.high != CACHE_UID_TEXT || scheduler_is_pod(s, pod, uid))
		cache_print_uid(&s->cache, uid, &w);
	return writer_text(&w);
}

/* Who had no time left is gone before the answer is here, and known by what was asked for. */
static void preempt_report(struct scheduler *s, const struct scheduler_preemption *p,
	const struct body_pod *victim, uint64_t version, bool in_memory)
{
	char by[64];
	char note[NOTE_MAX];
	struct writer w;
	if (!pool_is_taken(&s->cache.nodes, p->node))
		return;
	writer_init(&w, note, sizeof(note));
	body_note_preempted(victim_uid(s, p->pod, p->uid, by, sizeof(by)),
		cache_text(&s->cache, cache_node_at(&s->cache, p->node)->name), in_memory, &w);
	scheduler_report_event_of(s, victim, version, p->profile, "Normal", "Preempted",
		"Preempting", writer_text(&w));
}

static void preempt_evict(struct scheduler *s, uint32_t index, uint32_t pod)
{
	struct scheduler_preemption *p = pool_at(&s->preemptions.pool, index);
	uint32_t victim = pool_take(&s->preemptions.victims);
	struct scheduler_pod_names names;
	CHECK(victim != 0); /* asked for before */
	*(struct scheduler_victim *)pool_at(&s->preemptions.victims, victim) =
		(struct scheduler_victim){
			.uid = cache_pod_at(&s->cache, pod)->uid,
			.pod = pod,
			.preemption = index,
		};
	struct cache_status status;
	scheduler_pod_names(s, pod, &names);
	cache_pod_status(&s->cache, cache_pod_at(&s->cache, pod), &status);
	const struct eviction_order order = {
		.pod = names.pod,
		.has_condition =
			(cache_pod_at(&s->cache, pod)->flags & CACHE_POD_DISRUPTION_TARGET) != 0,
		.generation = status.generation,
		.preemptor_scheduler = cache_text(&s->cache, p->profile->scheduler_name),
		.tag = victim,
	};
	p->victims++;
	evictor_evict(s->evictor, &order);
}

/* In memory where the victim is not bound yet, else by way of the apiserver. */
static void preempt_target(
	struct scheduler *s, uint32_t index, const struct scheduler_target *target)
{
	const struct scheduler_preemption *p = pool_at(&s->preemptions.pool, index);
	struct scheduler_pod_names names;
	if (!scheduler_is_pod(s, target->pod, target->uid) || victim_is_deleting(s, target->pod))
		return;
	if (!scheduler_preempt_binding(s, target->pod)) {
		preempt_evict(s, index, target->pod);
		return;
	}
	s->stats.victims++;
	scheduler_pod_names(s, target->pod, &names);
	preempt_report(s, p, &names.pod, cache_pod_at(&s->cache, target->pod)->version, true);
}

static void preempt_finish(struct scheduler *s, uint32_t index);

/*
 * As many victims as can be told at a time; the others have their turn when some are answered.
 * After a failure no more of them are.
 */
static void preempt_go_on(struct scheduler *s)
{
	const struct pool *pool = &s->preemptions.pool;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i)) {
		struct scheduler_preemption *p = pool_at(pool, i);
		const struct scheduler_target *targets = store_at(&s->cache.store, p->targets);
		while (p->told_to < p->count && !p->failed && evictor_room(s->evictor) > 0 &&
			pool_used(&s->preemptions.victims) < s->preemptions.victims.capacity)
			preempt_target(s, i, &targets[p->told_to++]);
		if (p->victims == 0 && (p->failed || p->told_to == p->count))
			preempt_finish(s, i);
	}
}

static uint32_t preempt_collect(
	struct scheduler *s, const struct cycle_preemption *plan, struct scheduler_target *targets)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < plan->victim_count; i++)
		if (!victim_is_deleting(s, plan->victims[i]))
			targets[count++] = (struct scheduler_target){
				cache_pod_at(&s->cache, plan->victims[i])->uid, plan->victims[i]};
	return count;
}

void scheduler_preempt(
	struct scheduler *s, uint32_t pod, const struct cycle_preemption *plan, uint32_t index)
{
	uint32_t node_name = cache_node_at(&s->cache, plan->node)->name;
	struct scheduler_preemption *p = pool_at(&s->preemptions.pool, index);
	scheduler_nominate(s, pod, node_name);
	p->count = preempt_collect(s, plan, store_at(&s->cache.store, p->targets));
	if (p->count > 0 || s->cache.release >= KUBE_1_37)
		scheduler_observe(
			&s->metrics.victims, &scheduler_scale_victims, plan->victim_count);
	if (p->count == 0) {
		scheduler_drop_preemption(s, index);
		return; /* they are on their way out already */
	}
	p->uid = cache_pod_at(&s->cache, pod)->uid;
	p->pod = pod;
	p->node = plan->node;
	p->profile = cycle_profile_of(&s->cycle, pod);
	p->began = clock_mono(&s->setup.clock);
	s->stats.preemptions++;
	scheduler_note_preemption(s, pod, plan);
	preempt_clear_nominations(s, pod, node_name);
	log_info("scheduler", "preempts", "pod=%.*s node=%.*s victims=%u",
		TEXT_ARGS(cache_text(&s->cache, cache_pod_at(&s->cache, pod)->name)),
		TEXT_ARGS(cache_text(&s->cache, node_name)), (unsigned)p->count);
	preempt_go_on(s);
}

/*
 * All were told. Who was asked meanwhile whether it could go on was sent away by the gate.
 *
 * What kube-scheduler does when a victim could not be told: it tries the pod again at once, as
 * often as its client may ask. What we do: we have no such limit, and who protects the victim goes
 * on to.
 */
static void preempt_finish(struct scheduler *s, uint32_t index)
{
	struct scheduler_preemption p =
		*(struct scheduler_preemption *)pool_at(&s->preemptions.pool, index);
	scheduler_drop_preemption(s, index);
	scheduler_count_evictions(&s->metrics, !p.failed, mono_since_us(scheduler_now(s), p.began));
	if (!scheduler_is_pod(s, p.pod, p.uid))
		return;
	uint32_t entry = cache_pod_at(&s->cache, p.pod)->waiting;
	if (entry == 0)
		return;
	if (p.failed)
		(void)queue_requeue_one(&s->queue, entry, QUEUE_AFTER_ERROR, scheduler_now(s));
	else if (queue_entry_at(&s->queue, entry)->state == QUEUE_GATED)
		(void)queue_requeue_one(&s->queue, entry, QUEUE_AFTER_BACKOFF, scheduler_now(s));
}

void scheduler_evicted(void *self, const struct eviction_result *result)
{
	struct scheduler *s = self;
	uint32_t index = (uint32_t)result->tag;
	scheduler_requeue_for_changes(s); /* what came before the answer */
	struct scheduler_victim victim =
		*(struct scheduler_victim *)pool_at(&s->preemptions.victims, index);
	struct scheduler_preemption *p = pool_at(&s->preemptions.pool, victim.preemption);
	pool_give(&s->preemptions.victims, index);
	bool is_there = scheduler_is_pod(s, victim.pod, victim.uid);
	if (result->verdict != API_DONE && result->verdict != API_GONE)
		p->failed = true;
	else if (is_there)
		cache_pod_at(&s->cache, victim.pod)->flags |= CACHE_POD_EVICTED;
	s->stats.victims += result->verdict == API_DONE;
	if (result->verdict == API_DONE) {
		char uid[64];
		const struct body_pod pod = {result->namespace, result->name,
			victim_uid(s, victim.pod, victim.uid, uid, sizeof(uid))};
		preempt_report(s, p, &pod,
			is_there ? cache_pod_at(&s->cache, victim.pod)->version : 0, false);
	}
	p->victims--;
	preempt_go_on(s);
}
