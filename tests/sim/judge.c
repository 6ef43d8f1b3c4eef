/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judge: what must hold. The apiserver's store is the truth; what is on a node is summed up here
 * by a few lines of their own, not by the code that decides.
 */
#include "base/memory.h"
#include "cache/event.h"
#include "cache/unread.h"
#include "kube/quantity.h"
#include "sim/world.h"

#include <stdio.h>

/* ---- no node is overcommitted ---- */

struct amounts {
	int64_t cpu_milli, memory_bytes, pods;
};

static struct quantity amount(const struct tree *list, const char *name)
{
	struct quantity q = quantity_zero();
	const struct tree *value = tree_get(list, name);

	if (value != NULL)
		CHECK(quantity_parse(value->text, &q) == QUANTITY_OK);
	return q;
}

static struct amounts amounts_of(const struct tree *list)
{
	struct quantity cpu = amount(list, "cpu"), memory = amount(list, "memory"),
			pods = amount(list, "pods");

	return (struct amounts){
		quantity_milli(&cpu), quantity_value(&memory), quantity_value(&pods)};
}

static struct amounts needs_of(const struct tree *pod)
{
	struct amounts sum = {0, 0, 1};
	struct amounts over = amounts_of(tree_path(pod, "spec.overhead"));
	const struct tree *list = tree_path(pod, "spec.containers");

	for (const struct tree *c = list == NULL ? NULL : list->first; c != NULL; c = c->next) {
		struct amounts a = amounts_of(tree_path(c, "resources.requests"));
		sum.cpu_milli += a.cpu_milli;
		sum.memory_bytes += a.memory_bytes;
	}
	list = tree_path(pod, "spec.initContainers");
	for (const struct tree *c = list == NULL ? NULL : list->first; c != NULL; c = c->next) {
		struct amounts a = amounts_of(tree_path(c, "resources.requests"));
		if (a.cpu_milli > sum.cpu_milli)
			sum.cpu_milli = a.cpu_milli;
		if (a.memory_bytes > sum.memory_bytes)
			sum.memory_bytes = a.memory_bytes;
	}
	sum.cpu_milli += over.cpu_milli;
	sum.memory_bytes += over.memory_bytes;
	return sum;
}

static bool is_over(const struct revision *pod)
{
	struct text phase = revision_phase(pod);

	return text_is(phase, TEXT("Succeeded")) || text_is(phase, TEXT("Failed"));
}

static bool has_port(const struct tree *pod, struct text port)
{
	const struct tree *list = tree_path(pod, "spec.containers");

	for (const struct tree *c = list == NULL ? NULL : list->first; c != NULL; c = c->next) {
		const struct tree *ports = tree_get(c, "ports");
		for (const struct tree *p = ports == NULL ? NULL : ports->first; p != NULL;
			p = p->next) {
			const struct tree *host = tree_get(p, "hostPort");
			if (host != NULL && text_is(host->text, port))
				return true;
		}
	}
	return false;
}

static struct text port_of(const struct tree *pod)
{
	const struct tree *list = tree_path(pod, "spec.containers");
	const struct tree *ports =
		list == NULL || list->first == NULL ? NULL : tree_get(list->first, "ports");
	const struct tree *host =
		ports == NULL || ports->first == NULL ? NULL : tree_get(ports->first, "hostPort");

	return host == NULL ? TEXT_NONE : host->text;
}

void judge_binding(struct world *w, struct text namespace, struct text name, struct text node)
{
	const struct registry *r = apisim_registry(w->api);
	struct amounts sum = {0, 0, 0};
	char key[256];
	struct writer k;
	uint32_t place = registry_find(r, RESOURCE_NODES, node);

	writer_init(&k, key, sizeof(key));
	write_format(&k, "%.*s/%.*s", TEXT_ARGS(namespace), TEXT_ARGS(name));
	uint32_t bound = registry_find(r, RESOURCE_PODS, writer_text(&k));
	if (place == 0 || bound == 0)
		return; /* gone by now, or never there: the API has said so */
	const struct tree *n = tree_read(revision_json(registry_revision(r, place)), &w->scratch);
	const struct tree *pod = tree_read(revision_json(registry_revision(r, bound)), &w->scratch);
	struct amounts room = amounts_of(tree_path(n, "status.allocatable"));
	struct text scheduler = tree_text(pod, "spec.schedulerName"), port = port_of(pod);
	if (!text_is(scheduler, TEXT("default-scheduler")))
		world_found(w, "%.*s is not ours and is bound", TEXT_ARGS(name));
	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++) {
		uint32_t revision = registry_nth(r, RESOURCE_PODS, i);
		const struct revision *state = registry_revision(r, revision);

		if (!text_is(revision_node(state), node) || is_over(state))
			continue;
		struct scratch_mark mark = scratch_mark(&w->scratch);
		const struct tree *other = tree_read(revision_json(state), &w->scratch);
		struct amounts a = needs_of(other);
		sum.cpu_milli += a.cpu_milli;
		sum.memory_bytes += a.memory_bytes;
		sum.pods += a.pods;
		if (port.size > 0 && w->network.now_us >= w->lost_until_us && revision != bound &&
			has_port(other, port))
			world_found(w, "%.*s and %.*s have port %.*s of %.*s", TEXT_ARGS(name),
				TEXT_ARGS(revision_name(state)), TEXT_ARGS(port), TEXT_ARGS(node));
		scratch_rewind(&w->scratch, mark);
	}
	struct amounts needs = needs_of(pod);
	world_note(w, "%.*s needs %lld m of %.*s, where %lld of %lld are taken then",
		TEXT_ARGS(name), (long long)needs.cpu_milli, TEXT_ARGS(node),
		(long long)sum.cpu_milli, (long long)room.cpu_milli);
	if (w->network.now_us < w->lost_until_us)
		return;
	if ((needs.cpu_milli > 0 && sum.cpu_milli > room.cpu_milli) ||
		(needs.memory_bytes > 0 && sum.memory_bytes > room.memory_bytes) ||
		sum.pods > room.pods)
		world_found(w,
			"%.*s is one too many on %.*s: cpu %lld of %lld, memory %lld of %lld, "
			"pods %lld of %lld",
			TEXT_ARGS(name), TEXT_ARGS(node), (long long)sum.cpu_milli,
			(long long)room.cpu_milli, (long long)sum.memory_bytes,
			(long long)room.memory_bytes, (long long)sum.pods, (long long)room.pods);
}

/* ---- at any time ---- */

void judge_always(struct world *w)
{
	uint32_t leaders = 0;

	w->counts.checks++;
	for (uint32_t i = 0; i < w->plan.schedulers; i++) {
		const struct sim_process *p = &w->processes[i];

		if (!p->is_up || p->inside)
			continue;
		scheduler_audit(p->scheduler);
		leaders += p->scheduler->lease != NULL &&
			lease_holds(p->scheduler->lease, process_now(p));
	}
	if (leaders > 1)
		world_found(w, "%u schedulers lead at once", (unsigned)leaders);
	if (memory_late_requests() > 0)
		world_found(w, "memory was asked for after the start");
}

/*
 * Who leads knows it when a decision begins. Between the two no clock is read: so the reading
 * before the one that the attempt began with must have been in time.
 */
void judge_decisions(struct sim_process *p)
{
	const struct scheduler *s = p->scheduler;
	int64_t began = s->metrics.attempt_began.us;
	uint64_t i = p->readings_count;

	if (began == p->decided_us || s->lease == NULL)
		return;
	p->decided_us = began;
	while (i > 1 && p->readings_count - i < SIM_READINGS - 2 &&
		p->readings[(i - 1) % SIM_READINGS] != began)
		i--;
	if (i <= 1 || p->readings[(i - 1) % SIM_READINGS] != began)
		return;
	/* A clock that stands tells nothing. */
	if (p->readings[(i - 2) % SIM_READINGS] == began)
		return;
	if (!lease_holds(s->lease, (struct mono){p->readings[(i - 2) % SIM_READINGS]}))
		world_found(
			p->world, "scheduler %u decides and does not lead", (unsigned)p->number);
}

/* ---- in calm ---- */

static char why[512];

static const char *because(const char *format, ...) PRINTF_LIKE(1, 2);
static const char *because(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return why;
}

/*
 * Left out on purpose: on the shelf; or nothing that we decide about. Or, when there was no memory
 * even for that, to be listed again.
 */
static bool is_left_out(const struct scheduler *s, const struct revision *state)
{
	if (shelf_find(scheduler_shelf(s), revision_namespace(state), revision_name(state)) != 0)
		return true;
	if (s->pressure.lost > 0 && (s->sync.lacking & WATCH_KIND(KUBE_POD)) != 0)
		return true;
	return s->pressure.shed + s->cache.refused > 0 &&
		(text_contains(revision_json(state), TEXT("\"deletionTimestamp\"")) ||
			!text_contains(revision_json(state),
				TEXT("\"schedulerName\":\"default-scheduler\"")));
}

/* It is there and cannot be read: what is known of it is its name, and where it is. */
static bool is_unread(const struct scheduler *s, const struct revision *state)
{
	const struct pool *pool = &s->cache.unreads.pool;

	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i)) {
		const struct cache_unread *unread = pool_at(pool, i);

		if (text_is(cache_text(&s->cache, unread->name), revision_name(state)) &&
			text_is(cache_text(&s->cache, unread->namespace),
				revision_namespace(state)))
			return true;
	}
	return false;
}

bool judge_lacks_room(const struct world *w)
{
	for (uint32_t i = 0; i < w->plan.schedulers; i++)
		if (w->processes[i].is_up && w->processes[i].scheduler->sync.lacking != 0)
			return true;
	return false;
}

/* The same of claims: what is given and to whom, and nothing that the store does not have. */
static const char *compare_claims(const struct world *w, const struct scheduler *s)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t left_out = 0, known = 0;

	if ((s->sync.wanted & WATCH_KIND(KUBE_RESOURCE_CLAIM)) == 0)
		return NULL;
	for (uint32_t i = 0; i < registry_count(r, RESOURCE_CLAIMS); i++) {
		const struct revision *state =
			registry_revision(r, registry_nth(r, RESOURCE_CLAIMS, i));
		struct text name = revision_name(state);
		uint32_t ids[2] = {0, 0};
		uint32_t object =
			intern_find(&s->cache.strings, revision_namespace(state), &ids[0]) &&
				intern_find(&s->cache.strings, name, &ids[1])
			? cache_find_object(&s->cache, KUBE_RESOURCE_CLAIM, ids[0], ids[1])
			: 0;

		if (object == 0 && s->cache.refused > 0) {
			left_out++;
			continue;
		}
		if (object == 0)
			return because("claim %.*s is not in the picture", TEXT_ARGS(name));
		const struct cache_object *o = pool_at(&s->cache.objects, object);
		const struct kube_claim *claim = cache_claim_at(&s->cache, object);
		bool has_pod = text_contains(revision_json(state), TEXT("\"reservedFor\":[{"));
		if (o->version != state->version ||
			(claim->allocated != 0) !=
				text_contains(revision_json(state), TEXT("\"allocation\":{")) ||
			(claim->reserved_for.count > 0) != has_pod)
			return because("claim %.*s is known in version %llu, not %llu",
				TEXT_ARGS(name), (unsigned long long)o->version,
				(unsigned long long)state->version);
	}
	for (const struct list *l = s->cache.by_kind[KUBE_RESOURCE_CLAIM].next;
		l != &s->cache.by_kind[KUBE_RESOURCE_CLAIM]; l = l->next)
		known++;
	if (known + left_out != registry_count(r, RESOURCE_CLAIMS))
		return because("%u claims, %u in the picture",
			(unsigned)registry_count(r, RESOURCE_CLAIMS), (unsigned)known);
	return NULL;
}

/* Each pod and node of the store is in the picture, in its last version, and no other. */
static const char *compare(const struct world *w, const struct scheduler *s)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t left_out = 0;
	uint32_t pods = 0;

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++) {
		const struct revision *state =
			registry_revision(r, registry_nth(r, RESOURCE_PODS, i));
		struct text name = revision_name(state), node = revision_node(state);
		uint32_t pod = cache_find_pod(&s->cache, revision_namespace(state), name);

		if (is_over(state))
			continue;
		if (pod == 0 && node.size == 0 && is_left_out(s, state)) {
			left_out++;
			continue;
		}
		/* Memory was short, and its node is not there: it takes nothing from anybody. */
		if (pod == 0 && s->cache.unreads.dropped && node.size > 0 &&
			registry_find(r, RESOURCE_NODES, node) == 0)
			continue;
		if (is_unread(s, state)) {
			pods += pod != 0; /* an older version */
			continue;
		}
		pods++;
		if (pod == 0)
			return because("%.*s is not in the picture", TEXT_ARGS(name));
		const struct cache_pod *p = cache_pod_at(&s->cache, pod);
		if (p->version != state->version)
			return because("%.*s is known in version %llu, not %llu", TEXT_ARGS(name),
				(unsigned long long)p->version, (unsigned long long)state->version);
		struct text known = p->node == 0
			? TEXT("")
			: cache_text(&s->cache, cache_node_at(&s->cache, p->node)->name);
		bool is_hanging = (w->plan.tenants >> TENANT_VOLUMES & 1) != 0 &&
			(p->flags & CACHE_POD_ASSUMED) != 0;
		if (!text_is(known, node) && !is_hanging)
			return because("%.*s is on \"%.*s\", not on \"%.*s\"", TEXT_ARGS(name),
				TEXT_ARGS(node), TEXT_ARGS(known));
	}
	if (pool_used(&s->cache.pods) != pods)
		return because("%u pods, %u in the picture", (unsigned)pods,
			(unsigned)pool_used(&s->cache.pods));
	if (shelf_count(scheduler_shelf(s)) > left_out)
		return because("%u pods are left out, %u on the shelf", (unsigned)left_out,
			(unsigned)shelf_count(scheduler_shelf(s)));
	if (s->cache.order.count != registry_count(r, RESOURCE_NODES))
		return because("%u nodes, %u in the picture",
			(unsigned)registry_count(r, RESOURCE_NODES),
			(unsigned)s->cache.order.count);
	return compare_claims(w, s);
}

static const char *at_rest(const struct world *w, const struct scheduler *s)
{
	const uint32_t *pods = s->queue.pods;

	if (pods[QUEUE_ACTIVE] + pods[QUEUE_BACKOFF] + pods[QUEUE_ERROR_BACKOFF] > 0)
		return because("%u pods active, %u wait for a while, %u after an error",
			(unsigned)pods[QUEUE_ACTIVE], (unsigned)pods[QUEUE_BACKOFF],
			(unsigned)pods[QUEUE_ERROR_BACKOFF]);
	/* What waits for a provisioner may do so for ever. */
	if (pool_used(&s->bindings.pool) > s->bindings.before ||
		(s->bindings.before > 0 && (w->plan.tenants >> TENANT_VOLUMES & 1) == 0))
		return "bindings are on their way";
	if (pool_used(&s->cache.devices.pending) > 0)
		return "allocations are on their way";
	if (pool_used(&s->preemptions.pool) + pool_used(&s->preemptions.victims) > 0)
		return "preemptions are under way";
	if (status_patcher_stats(s->status_patcher).patches > 0 ||
		evictor_stats(s->evictor).victims > 0)
		return "patches are on their way";
	return NULL;
}

/* What it wants to know it has been told; what was asked in vain was asked again. */
static const char *all_told(const struct scheduler *s)
{
	for (uint32_t kind = KUBE_NO_KIND + 1; kind < KUBE_KINDS; kind++)
		if ((s->sync.wanted & WATCH_KIND(kind)) != 0 &&
			!watch_is_synced(s->watch, (enum kube_kind)kind))
			return because("%s were not told", kube_kinds[kind].plural);
	return NULL;
}

/* What the store says about a pod that waits. */
static const char *explained(
	struct world *w, struct text namespace, struct text name, bool is_outside)
{
	const struct registry *r = apisim_registry(w->api);
	char key[256];
	struct writer k;

	writer_init(&k, key, sizeof(key));
	write_format(&k, "%.*s/%.*s", TEXT_ARGS(namespace), TEXT_ARGS(name));
	uint32_t revision = registry_find(r, RESOURCE_PODS, writer_text(&k));
	if (revision == 0)
		return because("%s is gone", key);
	scratch_reset(&w->scratch);
	const struct tree *pod =
		tree_read(revision_json(registry_revision(r, revision)), &w->scratch);
	bool is_gated = tree_count(tree_path(pod, "spec.schedulingGates")) > 0;
	const struct tree *list = tree_path(pod, "status.conditions");
	for (const struct tree *c = list == NULL ? NULL : list->first; c != NULL; c = c->next) {
		if (!text_is(tree_text(c, "type"), TEXT("PodScheduled")))
			continue;
		struct text reason = tree_text(c, "reason");
		if (text_is(tree_text(c, "status"), TEXT("False")) &&
			text_is_z(reason, is_gated ? "SchedulingGated" : "Unschedulable"))
			return NULL;
		if (is_outside && text_is_z(reason, "SchedulerError") &&
			(text_contains(tree_text(c, "message"), TEXT("no memory for this pod")) ||
				text_contains(
					tree_text(c, "message"), TEXT("cannot read this pod"))))
			return NULL;
		return because("%.*s waits, its condition says %.*s: %.*s", TEXT_ARGS(name),
			TEXT_ARGS(reason), TEXT_ARGS(tree_text(c, "message")));
	}
	return because("%.*s waits and nobody says why", TEXT_ARGS(name));
}

/*
 * Where kube-scheduler wakes nobody, and neither do we: a pod that goes can make its group empty,
 * and then the first one of the group fits anywhere;
 */
static bool may_be_first(const struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const struct kube_pod_template *class = cache_template_of(&s->cache, p);

	const struct kube_pod_term *terms = KUBE_AT(class, class->affinity, struct kube_pod_term);

	if (class->affinity.count == 0)
		return false;
	/* Who wants to be beside others is never the first. */
	for (uint32_t i = 0; i < class->affinity.count; i++)
		if (!kube_selector_matches(
			    class, &terms[i].selector, cache_labels_at(&s->cache, p->labels)))
			return false;
	for (uint32_t i = pool_next(&s->cache.pods, 0); i != 0; i = pool_next(&s->cache.pods, i)) {
		const struct cache_pod *other = cache_pod_at(&s->cache, i);

		if (other->node != 0 && other->labels == p->labels &&
			cache_template_of(&s->cache, other)->namespace == class->namespace)
			return false;
	}
	return true;
}

/* one that is told to go does not count for spreading any more. */
static bool may_count_less(const struct scheduler *s, uint32_t pod)
{
	if (cache_template_of(&s->cache, cache_pod_at(&s->cache, pod))->spread.count == 0)
		return false;
	for (uint32_t i = pool_next(&s->cache.pods, 0); i != 0; i = pool_next(&s->cache.pods, i))
		if ((cache_pod_at(&s->cache, i)->flags & CACHE_POD_DELETING) != 0)
			return true;
	return false;
}

static const char *judge_pod(struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	struct text name = cache_text(&s->cache, p->name);
	struct schedule_result decision;

	if (p->waiting == 0 && s->requeue.unqueued == 0)
		return because("%.*s is not in the queue", TEXT_ARGS(name));
	if (cache_template_of(&s->cache, p)->gates.count > 0 || may_be_first(s, pod) ||
		may_count_less(s, pod))
		return NULL;
	cycle_decide(&s->cycle, pod, CACHE_COUNT_RECOUNT, &decision);
	if (decision.outcome == CYCLE_PLACED)
		return because("%.*s waits and fits on %.*s", TEXT_ARGS(name),
			TEXT_ARGS(cache_text(
				&s->cache, cache_node_at(&s->cache, decision.node)->name)));
	return NULL;
}

/* One that is to go, and does not yet, is nobody's to place. */
static bool waits(const struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);

	return p->node == 0 && (p->flags & CACHE_POD_DELETING) == 0 &&
		cycle_profile_of(&s->cycle, pod) != NULL;
}

/*
 * Whoever is parked must not fit, as far as the scheduler knows: else a wake-up was missed. Places
 * that are not certain yet (bindings on their way, victims that go) wake others when they are.
 */
void judge_waiting(struct world *w)
{
	/* Hints of kube-scheduler, and ours, see no labels of namespaces. */
	if (w->plan.namespace_terms)
		return;
	for (uint32_t i = 0; i < w->plan.schedulers; i++) {
		struct sim_process *p = &w->processes[i];
		struct scheduler *s = p->scheduler;

		/* Nodes that went before their pods: the pods wake others when they go. */
		if (!p->is_up || p->inside || p->is_dying ||
			pool_used(&s->cache.nodes) > s->cache.order.count ||
			scheduler_waits(s, process_now(p)) != SCHEDULER_READY ||
			pool_used(&s->bindings.pool) + pool_used(&s->preemptions.pool) > 0 ||
			pool_used(&s->preemptions.victims) > 0 || s->cache.pods_assumed > 0)
			continue;
		for (uint32_t k = pool_next(&s->cache.pods, 0); k != 0;
			k = pool_next(&s->cache.pods, k)) {
			const struct cache_pod *pod = cache_pod_at(&s->cache, k);

			if (pod->waiting == 0 ||
				queue_entry_at(&s->queue, pod->waiting)->state !=
					QUEUE_UNSCHEDULABLE)
				continue;
			const char *what = judge_pod(s, k);
			w->counts.waiting++;
			if (what != NULL)
				world_found(w, "scheduler %u: %s", (unsigned)p->number, what);
		}
	}
}

/* Whoever is alone, is left in peace and has room for its events tells each victim why. */
static const char *untold(const struct world *w, const struct scheduler *s)
{
	const struct registry *r = apisim_registry(w->api);
	struct recorder_stats stats = recorder_stats(s->recorder);

	if (w->plan.schedulers > 1 || w->plan.troubles != 0 || stats.dropped_full > 0)
		return NULL;
	for (uint32_t i = 0; i < w->victims_count; i++) {
		const struct sim_victim *victim = &w->victims[i];
		/* Where it was cannot be said when the node is gone, too. */
		if (!victim->told && registry_find(r, RESOURCE_NODES, text_of(victim->node)) != 0)
			return because("%s had to go and nobody says why", victim->name);
	}
	return NULL;
}

const char *judge_settled(struct world *w)
{
	struct sim_process *leader = process_leader(w);

	if (leader == NULL) {
		/* A scheduler without room for the cluster says so and stands still. */
		for (uint32_t i = 0; i < w->plan.schedulers && w->plan.tenants == 0; i++)
			if (w->processes[i].is_up && w->processes[i].scheduler->sync.damaged != 0)
				return NULL;
		return "nobody schedules";
	}
	struct scheduler *s = leader->scheduler;
	/* Without any node pods are tried again and again, as kube-scheduler does. */
	const char *what = s->cache.order.count == 0 ? NULL : at_rest(w, s);
	if (what == NULL)
		what = all_told(s);
	if (what == NULL)
		what = compare(w, s);
	for (uint32_t i = pool_next(&s->cache.pods, 0); i != 0 && what == NULL;
		i = pool_next(&s->cache.pods, i))
		if (waits(s, i))
			what = judge_pod(s, i);
	if (what == NULL && w->plan.tenants != 0)
		what = neighbours_settled(w);
	return what == NULL ? untold(w, s) : what;
}

/* FailedScheduling, of that pod. */
static bool has_event(const struct world *w, struct text namespace, struct text name)
{
	const struct registry *r = apisim_registry(w->api);
	char quoted[300];
	struct writer q;

	writer_init(&q, quoted, sizeof(quoted));
	write_format(&q, "\"%.*s\"", TEXT_ARGS(name));
	for (uint32_t i = 0; i < registry_count(r, RESOURCE_EVENTS); i++) {
		const struct revision *event =
			registry_revision(r, registry_nth(r, RESOURCE_EVENTS, i));

		if (text_is(revision_namespace(event), namespace) &&
			text_contains(revision_json(event), writer_text(&q)) &&
			text_contains(revision_json(event), TEXT("\"FailedScheduling\"")))
			return true;
	}
	return false;
}

/* Who waits, is ours, is there to stay, and is held back by nobody else. */
static bool is_ours_and_waits(const struct revision *state)
{
	struct text json = revision_json(state);

	return revision_node(state).size == 0 && !is_over(state) &&
		text_contains(json, TEXT("\"schedulerName\":\"default-scheduler\"")) &&
		!text_contains(json, TEXT("\"deletionTimestamp\"")) &&
		!text_contains(json, TEXT("\"schedulingGates\":[{"));
}

/*
 * Whoever is left out is told so, by a condition and an event, and is counted. A shelf that is
 * smaller than memory makes any is only looked at.
 */
static const char *explained_outside(struct world *w, const struct scheduler *s)
{
	bool has_shelf = w->plan.queue == 0 || w->plan.tenants != 0;
	const struct registry *r = apisim_registry(w->api);
	bool loses_events = w->plan.schedulers > 1 || w->plan.troubles != 0 ||
		recorder_stats(s->recorder).dropped_full > 0;
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++) {
		const struct revision *state =
			registry_revision(r, registry_nth(r, RESOURCE_PODS, i));
		struct text name = revision_name(state), namespace = revision_namespace(state);

		if (!is_ours_and_waits(state))
			continue;
		uint32_t pod = cache_find_pod(&s->cache, namespace, name);
		/* One whose volume is being made has a node for us. */
		waiting += pod == 0 || cache_pod_at(&s->cache, pod)->node == 0;
		if (pod != 0 ||
			(!has_shelf && shelf_find(scheduler_shelf(s), namespace, name) == 0))
			continue;
		const char *what = explained(w, namespace, name, true);
		if (what != NULL)
			return what;
		if (!loses_events && !has_event(w, namespace, name))
			return because("%.*s is left out without an event", TEXT_ARGS(name));
	}
	if (waiting > scheduler_pods_pending(s))
		return because("%u pods wait, %u are counted", (unsigned)waiting,
			(unsigned)scheduler_pods_pending(s));
	return NULL;
}

const char *judge_explained(struct world *w)
{
	const struct sim_process *leader = process_leader(w);
	const char *what = NULL;

	if (leader == NULL)
		return judge_settled(w);
	const struct scheduler *s = leader->scheduler;
	for (uint32_t i = pool_next(&s->cache.pods, 0); i != 0 && what == NULL;
		i = pool_next(&s->cache.pods, i)) {
		const struct cache_pod *p = cache_pod_at(&s->cache, i);

		/* Without its claim it is not tried, and nothing is said of it; as upstream. */
		bool lacks_claim = p->waiting != 0 &&
			cache_template_of(&s->cache, p)->resource_claims.count > 0 &&
			queue_entry_at(&s->queue, p->waiting)->state == QUEUE_GATED;

		if (waits(s, i) && !lacks_claim)
			what = explained(w,
				cache_text(&s->cache, cache_template_of(&s->cache, p)->namespace),
				cache_text(&s->cache, p->name), false);
	}
	return what != NULL ? what : explained_outside(w, s);
}

/* ---- when all is gone ---- */

const char *judge_empty(struct world *w)
{
	for (uint32_t i = 0; i < w->plan.schedulers; i++) {
		const struct sim_process *p = &w->processes[i];
		const struct scheduler *s = p->scheduler;

		if (!p->is_up)
			return "a scheduler is not up";
		const char *what = at_rest(w, s);
		if (what != NULL)
			return what;
		const struct cache *c = &s->cache;
		if (pool_used(&c->pods) + pool_used(&c->nodes) + pool_used(&s->queue.entries) +
				shelf_count(scheduler_shelf(s)) + pool_used(&c->unreads.pool) >
			0)
			return because("scheduler %u: %u pods, %u nodes, %u in the queue left",
				(unsigned)p->number, (unsigned)pool_used(&c->pods),
				(unsigned)pool_used(&c->nodes),
				(unsigned)pool_used(&s->queue.entries));
		/* Counters that nobody needs now keep their classes until they make way. */
		if (pool_used(&c->classes) > pool_used(&c->counters.pool) ||
			pool_used(&c->label_sets) > p->label_sets || pool_used(&c->conditions) > 0)
			return because(
				"scheduler %u: %u classes, %u label sets, %u conditions left",
				(unsigned)p->number, (unsigned)pool_used(&c->classes),
				(unsigned)pool_used(&c->label_sets),
				(unsigned)pool_used(&c->conditions));
	}
	return NULL;
}
