/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What if a node dies, or is drained? Its pods are taken off in thought, the node is closed, and
 * one after the other is placed elsewhere, the most important first, without evicting anybody. The
 * node's object stays, as it does: it still counts as a domain. Pods of DaemonSets, mirror pods and
 * pods that are going anyway need no other place.
 *
 * The picture is whole again after each slice: the next slice puts the pods that have a place
 * there again, and goes on. At leisure all nodes are looked at, those that would not survive twice
 * as often; when nothing has changed since, nothing is done.
 *
 *	/berth/v1/nodes/NAME/loss
 *	{"node":"n1","pods":[{"namespace":"d","name":"web-1","priority":0,"to":"n2"},
 *	                     {"namespace":"d","name":"db-0","reason":"0/3 nodes ...",
 *	                      "budget":"db","allowed":0}],
 *	 "moves":1,"stuck":1,"stays":2,"blocked":1,"more":0,"survives":false}
 *
 *	"stays": pods that need no other place; "blocked": pods that a drain must wait for, since
 *	their budget allows no disruption now; "more": pods that were too many to look at.
 *
 *	/berth/v1/loss: what is known of each node, those first that would not survive
 *	[{"node":"n1","moves":1,"stuck":1,"ageS":12},...]
 */
#include "base/sort.h"
#include "status/private.h"

enum {
	LOSS_NODES = 1 << 17, /* address space for so many */
	LOSS_PODS = 512,
	LOSS_REASONS = 8,
	LOSS_REASON_MAX = 600,
	LOSS_SLICE_US = 1000,
	LOSS_REST = 199, /* so many times as long as a slice took: half of a percent */
	LOSS_REST_MIN_MS = 20,
	LOSS_BUSY_MS = 1000,     /* while pods are active a slice comes so often */
	LOSS_IDLE_MS = 5 * 1000, /* until something has changed */
	LOSS_NAMES = 4           /* of nodes, in the overview */
};

struct loss_pod {
	struct cache_uid uid;
	uint32_t pod;
	int32_t priority;
	uint32_t to;     /* 0: it found no place */
	uint32_t reason; /* 1 + its place; 0: none */
};

struct loss_run {
	uint32_t node; /* 0: there is no run */
	uint32_t uid;  /* of the node */
	uint32_t count;
	uint32_t at; /* pods that were looked at */
	uint32_t moves, stays, more;
	bool wants_words;
	uint32_t reason_count;
	struct loss_pod pods[LOSS_PODS];
	struct loss_reason {
		uint32_t template;
		uint32_t size;
		char words[LOSS_REASON_MAX];
	} reasons[LOSS_REASONS];
};

struct loss_known {
	uint32_t uid; /* of the node; 0: nothing is known */
	uint32_t moves;
	uint32_t stuck;
	uint32_t at_s; /* since the start of the process, from 1 */
};

struct status_loss {
	struct loss_run leisure;
	struct loss_run asked;
	uint32_t next;  /* node that was looked at last, in turn */
	uint32_t again; /* the same of those that do not survive */
	bool is_again;  /* its turn */
	uint64_t stamp; /* changes when this round over all nodes began */
	struct mono sliced;
};

static struct status_loss *loss_of(const struct status *status)
{
	return (struct status_loss *)(void *)status->loss_span.base;
}

static struct loss_known *known_of(const struct status *status, uint32_t node)
{
	size_t end = ((size_t)node + 1) * sizeof(struct loss_known);
	return end <= status->loss_known_span.held
		? (struct loss_known *)(void *)status->loss_known_span.base + node
		: NULL;
}

size_t loss_size(void)
{
	return arena_span_size(sizeof(struct status_loss)) +
		arena_span_size(LOSS_NODES * sizeof(struct loss_known));
}

/* ---- one node ---- */

bool loss_needs_no_place(const struct cache *cache, const struct cache_pod *p)
{
	struct kube_owner_ids owner = kube_labels_owner(cache_labels_at(cache, p->labels));
	struct text kind = cache_text(cache, owner.kind);
	return (p->flags & CACHE_POD_DELETING) != 0 || p->for_node != 0 ||
		text_is_z(kind, "DaemonSet") || text_is_z(kind, "Node");
}

static int loss_compare(const void *a, const void *b)
{
	const struct loss_pod *x = a;
	const struct loss_pod *y = b;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->pod > y->pod) - (x->pod < y->pod);
}

static void loss_begin(
	struct loss_run *run, const struct cache *cache, uint32_t node, bool wants_words)
{
	const struct cache_node *n = cache_node_at(cache, node);
	memset(run, 0, offsetof(struct loss_run, pods));
	run->node = node;
	run->uid = n->uid;
	run->wants_words = wants_words;
	for (uint32_t p = n->first_pod; p != 0; p = cache_pod_at(cache, p)->next) {
		const struct cache_pod *pod = cache_pod_at(cache, p);
		if (loss_needs_no_place(cache, pod))
			run->stays++;
		else if (run->count == LOSS_PODS)
			run->more++;
		else
			run->pods[run->count++] = (struct loss_pod){.uid = pod->uid,
				.pod = p,
				.priority = cache_template_of(cache, pod)->priority};
	}
	sort(run->pods, run->count, sizeof(run->pods[0]), loss_compare);
}

static bool loss_is_there(const struct cache *cache, uint32_t node)
{
	return pool_is_taken(&cache->nodes, node) && cache_node_at(cache, node)->facts != NULL;
}

/* False: what it is about has changed since the last slice. */
static bool loss_holds(const struct loss_run *run, const struct cache *cache)
{
	if (!loss_is_there(cache, run->node) || cache_node_at(cache, run->node)->uid != run->uid)
		return false;
	for (uint32_t i = 0; i < run->count; i++) {
		const struct loss_pod *p = &run->pods[i];
		if (!pool_is_taken(&cache->pods, p->pod))
			return false;
		const struct cache_pod *pod = cache_pod_at(cache, p->pod);
		if (pod->uid.high != p->uid.high || pod->uid.low != p->uid.low ||
			pod->node != run->node || (p->to != 0 && !loss_is_there(cache, p->to)))
			return false;
	}
	return true;
}

static bool wants_words(const struct loss_run *run, uint32_t template)
{
	for (uint32_t i = 0; i < run->reason_count; i++)
		if (run->reasons[i].template == template)
			return false;
	return run->wants_words && run->reason_count < LOSS_REASONS;
}

/* Equal pods that come later find even less. */
static void loss_keep_reason(struct loss_run *run, uint32_t template, struct text words)
{
	if (words.size == 0 || run->reason_count == LOSS_REASONS)
		return;
	struct loss_reason *reason = &run->reasons[run->reason_count++];
	words = text_utf8_first(words, LOSS_REASON_MAX);
	reason->template = template;
	reason->size = (uint32_t)words.size;
	memcpy(reason->words, words.at, words.size);
}

static uint32_t reason_of(const struct loss_run *run, uint32_t template)
{
	for (uint32_t i = 0; i < run->reason_count; i++)
		if (run->reasons[i].template == template)
			return i + 1;
	return 0;
}

static void loss_place(struct scheduler *s, struct loss_run *run)
{
	struct loss_pod *p = &run->pods[run->at++];
	uint32_t template = cache_pod_at(&s->cache, p->pod)->class;
	struct schedule_result result = {.outcome = CYCLE_FAILED,
		.message = TEXT("no profile has the name in spec.schedulerName")};
	p->to = 0;
	if (cycle_profile_of(&s->cycle, p->pod) != NULL)
		cycle_place(&s->cycle, p->pod, wants_words(run, template), &result);
	if (result.outcome == CYCLE_PLACED && cache_imagine_on(&s->cache, p->pod, result.node)) {
		p->to = result.node;
		run->moves++;
		return;
	}
	if (wants_words(run, template))
		loss_keep_reason(run, template, result.message);
	p->reason = reason_of(run, template);
}

/* Some more pods, and all is as it was; false: the run must begin again. */
static bool loss_slice(struct scheduler *s, struct loss_run *run)
{
	struct cache *cache = &s->cache;
	struct mono start = clock_mono(&s->setup.clock);
	uint32_t replayed = 0;
	scheduler_requeue_for_changes(s);
	if (!loss_holds(run, cache))
		return false;
	cache_imagine_closed(cache, run->node, true);
	for (uint32_t i = 0; i < run->count; i++)
		cache_imagine_off(cache, run->pods[i].pod);
	while (replayed < run->at &&
		(run->pods[replayed].to == 0 ||
			cache_imagine_on(cache, run->pods[replayed].pod, run->pods[replayed].to)))
		replayed++;
	bool ok = replayed == run->at;
	while (ok && run->at < run->count &&
		mono_since_us(clock_mono(&s->setup.clock), start) < LOSS_SLICE_US) {
		loss_place(s, run);
		replayed = run->at;
	}
	while (replayed > 0)
		if (run->pods[--replayed].to != 0)
			cache_imagine_off(cache, run->pods[replayed].pod);
	for (uint32_t i = run->count; i > 0; i--)
		cache_imagine_back(cache, run->pods[i - 1].pod, run->node);
	cache_imagine_closed(cache, run->node, false);
	return ok;
}

/* ---- all nodes, at leisure ---- */

static bool is_stuck(const struct status *status, uint32_t node)
{
	const struct loss_known *known = known_of(status, node);
	return known != NULL && known->stuck > 0 &&
		known->uid == cache_node_at(&status->s->cache, node)->uid;
}

/* The next node that is worth it; 0: this round is over. */
static uint32_t loss_next(struct status *status, struct status_loss *loss)
{
	const struct pool *nodes = &status->s->cache.nodes;
	loss->is_again = !loss->is_again;
	while (loss->is_again && (loss->again = pool_next(nodes, loss->again)) != 0)
		if (is_stuck(status, loss->again))
			return loss->again;
	while ((loss->next = pool_next(nodes, loss->next)) != 0)
		if (loss_is_there(&status->s->cache, loss->next))
			return loss->next;
	return 0;
}

static uint32_t loss_now_s(const struct status *status)
{
	return 1 +
		(uint32_t)(mono_since_us(net_now(status->setup.net), status->started) / CLOCK_S_US);
}

static void loss_keep(struct status *status, const struct loss_run *run)
{
	size_t size = ((size_t)run->node + 1) * sizeof(struct loss_known);
	if (run->node >= LOSS_NODES || !page_span_reach(&status->loss_known_span, size))
		return;
	*known_of(status, run->node) = (struct loss_known){.uid = run->uid,
		.moves = run->moves,
		.stuck = run->count - run->moves,
		.at_s = loss_now_s(status)};
}

/* What to wait for until the next slice, in milliseconds. */
static int64_t loss_work(struct status *status, struct status_loss *loss)
{
	struct scheduler *s = status->s;
	struct loss_run *run = &loss->leisure;
	struct mono start = clock_mono(&s->setup.clock);
	if (run->node == 0) {
		uint32_t node = loss_next(status, loss);
		if (node == 0)
			return 0;
		loss_begin(run, &s->cache, node, false);
	}
	if (!loss_slice(s, run)) {
		run->node = 0;
	} else if (run->at == run->count) {
		loss_keep(status, run);
		run->node = 0;
	}
	int64_t took_us = mono_since_us(clock_mono(&s->setup.clock), start);
	return took_us * LOSS_REST / 1000;
}

static void loss_due(struct net_timer *timer, struct mono now)
{
	struct status *status = LIST_OWNER(timer, struct status, loss_timer);
	const struct scheduler *s = status->s;
	struct status_loss *loss = loss_of(status);
	int64_t rest_ms = LOSS_IDLE_MS;
	bool is_known = (scheduler_kinds_known(s) & SCHEDULER_VITAL_KINDS) == SCHEDULER_VITAL_KINDS;
	if (is_known && page_span_reach(&status->loss_span, sizeof(*loss))) {
		bool is_over = loss->leisure.node == 0 && loss->next == 0;
		bool is_busy = s->queue.pods[QUEUE_ACTIVE] > 0 || net_is_hurried(status->setup.net);
		if (is_over && loss->stamp == s->cache.log.appended) {
			rest_ms = LOSS_IDLE_MS;
		} else if (is_busy &&
			!mono_reached(now, mono_after_ms(loss->sliced, LOSS_BUSY_MS))) {
			rest_ms = LOSS_BUSY_MS / 8;
		} else {
			if (is_over)
				loss->stamp = s->cache.log.appended;
			loss->sliced = now;
			rest_ms = loss_work(status, loss);
			rest_ms = rest_ms < LOSS_REST_MIN_MS ? LOSS_REST_MIN_MS : rest_ms;
		}
	}
	net_timer_arm(status->setup.net, &status->loss_timer, mono_after_ms(now, rest_ms));
}

void loss_open(struct status *status)
{
	struct arena *arena = status->setup.arena;
	arena_take_span(arena, &status->loss_span, sizeof(struct status_loss));
	arena_take_span(arena, &status->loss_known_span, LOSS_NODES * sizeof(struct loss_known));
	net_timer_init(&status->loss_timer, loss_due);
	net_timer_arm(status->setup.net, &status->loss_timer,
		mono_after_ms(net_now(status->setup.net), LOSS_REST_MIN_MS));
}

/* ---- what is known of all ---- */

static const struct loss_known *loss_known_of(const struct status *status, uint32_t node)
{
	const struct cache *cache = &status->s->cache;
	const struct loss_known *known = known_of(status, node);
	bool is_known = known != NULL && loss_is_there(cache, node) && known->at_s > 0 &&
		known->uid == cache_node_at(cache, node)->uid;
	return is_known ? known : NULL;
}

void loss_put_summary(const struct status *status, struct json_writer *j)
{
	const struct cache *cache = &status->s->cache;
	uint32_t known_count = 0, survive = 0, named = 0;
	uint32_t first[LOSS_NAMES];
	for (uint32_t i = pool_next(&cache->nodes, 0); i != 0; i = pool_next(&cache->nodes, i)) {
		const struct loss_known *known = loss_known_of(status, i);
		if (known == NULL)
			continue;
		known_count++;
		survive += known->stuck == 0;
		if (known->stuck > 0 && named < LOSS_NAMES)
			first[named++] = i;
	}
	json_member_object(j, "loss");
	json_member_i64(j, "nodes", cache->order.count);
	json_member_i64(j, "known", known_count);
	json_member_i64(j, "survives", survive);
	json_member_array(j, "first");
	for (uint32_t i = 0; i < named; i++)
		json_put_text(j, cache_text(cache, cache_node_at(cache, first[i])->name));
	json_close_array(j);
	json_close_object(j);
}

/* First those that do not survive. */
static bool losses_step(struct status_answer *a, struct writer *w)
{
	const struct status *status = a->status;
	struct json_writer j;
	a->at = pool_next(&status->s->cache.nodes, a->at);
	if (a->at == 0)
		return a->part++ == 0 || rows_end(a, w);
	const struct loss_known *known = loss_known_of(status, a->at);
	if (known == NULL || (known->stuck > 0) != (a->part == 0))
		return true;
	rows_begin(a, w, &j);
	json_member_text(&j, "node",
		cache_text(&status->s->cache, cache_node_at(&status->s->cache, a->at)->name));
	json_member_i64(&j, "moves", known->moves);
	json_member_i64(&j, "stuck", known->stuck);
	json_member_i64(&j, "ageS", loss_now_s(status) - known->at_s);
	json_close_object(&j);
	return true;
}

void losses_answer(struct status_answer *a)
{
	status_stream(a, status_json, losses_step);
}

/* ---- one node, for who asks ---- */

/* The budget that allows least; NULL: none counts the pod. */
static const struct cache_object *budget_of_pod(struct cache *cache, uint32_t pod)
{
	struct list *all = &cache->by_kind[KUBE_PDB];
	const struct cache_object *least = NULL;
	int32_t allowed = 0;
	for (struct list *l = all->next; l != all; l = l->next) {
		const struct cache_object *object = LIST_OWNER(l, struct cache_object, link);
		const struct kube_pdb *pdb = (const struct kube_pdb *)(const void *)object->blob;
		if (!cycle_budget_protects(cache, pdb, object->namespace, pod) ||
			(least != NULL && allowed <= pdb->disruptions_allowed))
			continue;
		least = object;
		allowed = pdb->disruptions_allowed;
	}
	return least;
}

static void loss_put_pod(
	struct status_answer *a, const struct loss_run *run, uint32_t at, struct json_writer *j)
{
	struct cache *cache = &a->status->s->cache;
	const struct loss_pod *p = &run->pods[at];
	const struct cache_pod *pod = cache_pod_at(cache, p->pod);
	const struct cache_object *budget = budget_of_pod(cache, p->pod);
	json_member_text(
		j, "namespace", cache_text(cache, cache_template_of(cache, pod)->namespace));
	json_member_text(j, "name", cache_text(cache, pod->name));
	status_put_owner(cache, pod, j);
	json_member_i64(j, "priority", p->priority);
	if (p->to != 0)
		json_member_text(j, "to", cache_text(cache, cache_node_at(cache, p->to)->name));
	else if (p->reason != 0)
		json_member_text(j, "reason",
			(struct text){run->reasons[p->reason - 1].words,
				run->reasons[p->reason - 1].size});
	if (budget == NULL)
		return;
	const struct kube_pdb *pdb = (const struct kube_pdb *)(const void *)budget->blob;
	a->row += pdb->disruptions_allowed <= 0;
	json_member_text(j, "budget", cache_text(cache, budget->name));
	json_member_i64(j, "allowed", pdb->disruptions_allowed);
}

static bool loss_end(struct status_answer *a, const struct loss_run *run, struct writer *w)
{
	struct json_writer j;
	write_z(w, "\n]");
	json_write_init(&j, w);
	write_char(w, ',');
	json_open_object(&j);
	w->used--; /* it is the same object */
	json_member_i64(&j, "moves", run->moves);
	json_member_i64(&j, "stuck", run->count - run->moves);
	json_member_i64(&j, "stays", run->stays);
	json_member_i64(&j, "blocked", a->row);
	json_member_i64(&j, "more", run->more);
	json_member_bool(&j, "survives", run->count == run->moves && run->more == 0);
	json_close_object(&j);
	write_char(w, '\n');
	return false;
}

static bool loss_step(struct status_answer *a, struct writer *w)
{
	struct loss_run *run = &loss_of(a->status)->asked;
	struct scheduler *s = a->status->s;
	struct json_writer j;
	bool is_shown = a->at == run->at && run->at < run->count;
	/* No memory to go on from where it was ends it like a change. */
	if (!loss_holds(run, &s->cache) || (is_shown && !loss_slice(s, run))) {
		write_z(w, "\n],\"changed\":true}\n"); /* it was long: asking again shows it */
		return false;
	}
	if (is_shown) {
		a->is_enough = true;
		return true;
	}
	if (a->at == run->count)
		return loss_end(a, run, w);
	write_z(w, a->any ? ",\n" : "\n");
	a->any = true;
	json_write_init(&j, w);
	json_open_object(&j);
	loss_put_pod(a, run, a->at++, &j);
	json_close_object(&j);
	return true;
}

static bool loss_start_step(struct status_answer *a, struct writer *w)
{
	const struct cache *cache = &a->status->s->cache;
	const struct loss_run *run = &loss_of(a->status)->asked;
	struct json_writer j;
	json_write_init(&j, w);
	json_open_object(&j);
	if (loss_is_there(cache, run->node))
		json_member_text(
			&j, "node", cache_text(cache, cache_node_at(cache, run->node)->name));
	write_z(w, loss_is_there(cache, run->node) ? ",\"pods\":[" : "\"pods\":[");
	a->step = loss_step;
	return true;
}

void loss_answer(struct status_answer *a, uint32_t node)
{
	struct status *status = a->status;
	struct scheduler *s = status->s;
	if ((scheduler_kinds_known(s) & SCHEDULER_VITAL_KINDS) != SCHEDULER_VITAL_KINDS)
		status_refuse(a, 503, "the initial lists are not complete yet");
	else if (!loss_is_there(&s->cache, node))
		status_refuse(a, 409, "the node is not there; pods name it");
	else if (!page_span_reach(&status->loss_span, sizeof(struct status_loss)))
		status_refuse(a, 503, "no memory to work it out");
	else if (explain_take_words(a)) {
		loss_begin(&loss_of(status)->asked, &s->cache, node, true);
		status_stream(a, status_json, loss_start_step);
	}
}
