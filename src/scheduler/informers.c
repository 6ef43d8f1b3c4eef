/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Informers: what the watches show goes into the cache; what cannot go in is remembered as damage.
 *
 * A pod on a node that we could not read takes space that we do not see: its node, and nothing
 * else, is closed for new pods until the pod is understood or gone (cache/unread.h). A node that we
 * could not read is not there for us, which does no harm, but people should know, and it may fit
 * later: nodes are listed again, too. All other kinds, and pods without a node, are only reported.
 */
#include "base/log.h"
#include "cache/feed.h"
#include "plugins/plugins.h"
#include "scheduler/private.h"

enum {
	NOTE_MAX = 1024,
	MAKE_ROOM_MAX = 8 /* how often others give way for one object, twice as many each time */
};

/* ---- which kinds ---- */

static uint32_t informer_kinds_of(const struct scheduler *s, const struct cache_pod *pod)
{
	const struct kube_pod_template *class = cache_template_of(&s->cache, pod);
	struct plugin_demand demand = {.cache = &s->cache,
		.class = class,
		.labels = cache_labels_at(&s->cache, pod->labels)};
	for (uint32_t i = 0; i < s->profile_count && pod->node == 0; i++)
		if (s->profiles[i].scheduler_name == class->scheduler_name)
			demand.profile = &s->profiles[i];
	return plugin_kinds_of(&demand);
}

void scheduler_start_informers(struct scheduler *s, uint32_t kinds)
{
	if (!s->release.is_known) {
		s->release.held |= kinds & WATCH_KIND(KUBE_POD);
		kinds &= ~WATCH_KIND(KUBE_POD);
	}
	uint32_t news = kinds & ~s->sync.wanted;
	if (news == 0)
		return;
	s->sync.wanted |= news;
	for (uint32_t kind = KUBE_NO_KIND + 1; kind < KUBE_KINDS; kind++) {
		if ((news & WATCH_KIND(kind)) == 0)
			continue;
		log_debug("scheduler", "wants", "kind=%s", kube_kinds[kind].plural);
		watch_want(s->watch, (enum kube_kind)kind, true);
	}
}

bool scheduler_knows_kinds(struct scheduler *s, const struct cache_pod *pod)
{
	uint32_t kinds = informer_kinds_of(s, pod);
	scheduler_start_informers(s, kinds);
	return (kinds & ~s->sync.known) == 0;
}

/* ---- damage ---- */

/* What found no room is not there for us; when there is more room it is listed. */
static void sync_lacks(struct scheduler *s, enum kube_kind kind)
{
	s->sync.lacking |= WATCH_KIND(kind);
	if (net_timer_is_armed(&s->sync.relist))
		return;
	/* A cluster that is too big stays too big: its lists are asked for less and less. */
	net_timer_arm(s->net, &s->sync.relist, mono_after_ms(scheduler_now(s), s->sync.relist_ms));
	s->sync.relist_ms = s->sync.relist_ms * 2 < SCHEDULER_RELIST_MAX_MS
		? s->sync.relist_ms * 2
		: SCHEDULER_RELIST_MAX_MS;
}

/* As many went as found no room: all that is there may fit now. */
static void sync_count_gone(struct scheduler *s, enum kube_kind kind)
{
	if ((s->sync.lacking & WATCH_KIND(kind)) != 0 && s->sync.short_of > 0 &&
		--s->sync.short_of == 0 && !s->sync.lists_soon)
		net_timer_arm(s->net, &s->sync.relist,
			mono_after_ms(scheduler_now(s), SCHEDULER_RELIST_MS));
}

void scheduler_list_pods_soon(struct scheduler *s)
{
	if (s->sync.lists_soon)
		return;
	s->sync.lists_soon = true;
	s->sync.lacking |= WATCH_KIND(KUBE_POD);
	net_timer_arm(
		s->net, &s->sync.relist, mono_after_ms(scheduler_now(s), SCHEDULER_RELIST_SOON_MS));
}

/*
 * It was less important than all that are on the shelf: it need not be listed before there is room
 * again (scheduler_relieve() sees to that, too), and while pods are listed new ones wait. What was
 * written of it is remembered by the apiserver alone; a list tells of whom nothing could be.
 */
void scheduler_lose_pod(struct scheduler *s, const struct shelf_entry *entry)
{
	bool is_said = (entry->flags & (SHELF_REPORTED | SHELF_GATED)) != 0 ||
		(s->lease != NULL && !s->leader.leading);
	if (!is_said && entry->name.size > 0 && scheduler_may_write(s) && scheduler_may_report(s))
		scheduler_report_shelved(s, entry);
	else if (!is_said)
		s->pressure.unsaid = true;
	s->pressure.lost++;
	s->pressure.missing += (entry->flags & SHELF_COUNTED) == 0;
	s->sync.short_of++;
	s->sync.lacking |= WATCH_KIND(KUBE_POD);
	if (!net_timer_is_armed(&s->sync.relist))
		net_timer_arm(s->net, &s->sync.relist,
			mono_after_ms(scheduler_now(s), SCHEDULER_RELIST_MAX_MS));
}

static void sync_damaged(struct scheduler *s, enum kube_kind kind)
{
	s->sync.damaged_in_list |= WATCH_KIND(kind);
	s->sync.damaged |= WATCH_KIND(kind);
	sync_lacks(s, kind);
}

static void sync_missing(
	struct scheduler *s, enum kube_kind kind, struct text namespace, struct text name)
{
	(void)cache_unfeed(&s->cache, kind, namespace, name);
	cache_miss(&s->cache, kind, namespace, name);
	if (kind == KUBE_NODE)
		sync_damaged(s, kind);
}

/* It can be read now, or is gone. */
static void sync_found(
	struct scheduler *s, enum kube_kind kind, struct text namespace, struct text name)
{
	bool was = (s->cache.incomplete & WATCH_KIND(kind)) != 0;
	cache_miss_no_more(&s->cache, kind, namespace, name);
	if (!was || (s->cache.incomplete & WATCH_KIND(kind)) != 0)
		return;
	log_info("scheduler", "complete", "kind=%s name=%.*s%s%.*s", kube_kinds[kind].plural,
		TEXT_ARGS(namespace), namespace.size > 0 ? "/" : "", TEXT_ARGS(name));
	s->sync.damaged &= ~WATCH_KIND(kind);
	s->sync.damaged_in_list &= ~WATCH_KIND(kind);
}

void scheduler_relist_due(struct net_timer *timer, struct mono now)
{
	struct scheduler *s = LIST_OWNER(timer, struct scheduler, sync.relist);
	(void)now;
	for (uint32_t kind = KUBE_NO_KIND + 1; kind < KUBE_KINDS; kind++)
		if ((s->sync.lacking & WATCH_KIND(kind)) != 0)
			watch_list_anew(s->watch, (enum kube_kind)kind);
}

/* Of nodes that have come some pods may not be known: they are listed soon. */
static void sync_list_strays(struct scheduler *s)
{
	if (s->cache.unreads.unsure > 0)
		scheduler_list_pods_soon(s);
}

/* ---- the sink ---- */

/* The first of those that are left; the others' watches go on meanwhile. */
static bool sync_is_compared(const struct scheduler *s, enum kube_kind kind)
{
	return (s->sync.compare_left & -s->sync.compare_left) == WATCH_KIND(kind);
}

static void informer_list_asked(void *self, enum kube_kind kind)
{
	struct scheduler *s = self;
	cache_list_asked(&s->cache, kind);
}

static void informer_list_begin(void *self, enum kube_kind kind)
{
	struct scheduler *s = self;
	if (sync_is_compared(s, kind))
		s->sync.missed = s->sync.redundant = 0;
	s->sync.damaged_in_list &= ~WATCH_KIND(kind);
	cache_miss_none(&s->cache, kind);
	s->sync.lacking &= ~WATCH_KIND(kind);
	s->sync.short_of = s->sync.lacking == 0 ? 0 : s->sync.short_of;
	/* The server may have lost its last changes, and given their versions twice. */
	s->sync.distrusts =
		kind == KUBE_POD ? watch_is_in_doubt(s->watch, kind) : s->sync.distrusts;
	if (kind == KUBE_POD && s->sync.distrusts)
		cache_distrust_versions(&s->cache);
	cache_list_begin(&s->cache, kind);
	if (kind == KUBE_POD) {
		s->sync.lists_soon = false;
		cache_strays_list_begin(&s->cache);
		scheduler_shelf_list_begin(s);
	}
}

/* The log must take what the next object changes; what is in it is worked off before. */
static void informer_make_log_room(struct scheduler *s)
{
	if (!cache_log_has_room(&s->cache))
		scheduler_requeue_for_changes(s);
}

static void informer_gone(void *self, enum kube_kind kind, uint32_t index)
{
	struct scheduler *s = self;
	informer_make_log_room(s);
	if (!sync_is_compared(s, kind))
		return;
	s->sync.redundant++;
	log_info("scheduler", "cache-redundant", "kind=%s name=%.*s", kube_kinds[kind].plural,
		TEXT_ARGS(cache_text(&s->cache,
			kind == KUBE_NODE ? cache_node_at(&s->cache, index)->name
					  : cache_pod_at(&s->cache, index)->name)));
}

/*
 * Bindings that were carried out before the list was asked for, and are not there any more: they
 * went with the server's power.
 */
static void informer_bind_again(struct scheduler *s)
{
	s->sync.distrusts = false;
	for (uint32_t i = pool_next(&s->cache.pods, 0); i != 0; i = pool_next(&s->cache.pods, i)) {
		const struct cache_pod *pod = cache_pod_at(&s->cache, i);
		if ((pod->flags & CACHE_POD_DUE) == 0 || pod->waiting != 0 || pod->node == 0)
			continue;
		uint32_t node_name = cache_node_at(&s->cache, pod->node)->name;
		if (cache_forget(&s->cache, i) != CACHE_OK)
			continue;
		scheduler_enqueue(s, i);
		if (cache_find_node_id(&s->cache, node_name) != 0)
			scheduler_requeue_for_space(s, i, node_name);
	}
}

static void informer_list_end(void *self, enum kube_kind kind)
{
	struct scheduler *s = self;
	uint32_t bit = WATCH_KIND(kind);
	cache_list_end(&s->cache, kind, informer_gone, s);
	do {
		informer_make_log_room(s);
	} while (kind == KUBE_POD &&
		(cache_unread_drop_unlisted(&s->cache) || cache_strays_list_end(&s->cache)));
	sync_list_strays(s);
	if (kind == KUBE_POD)
		scheduler_shelf_list_end(s);
	scheduler_requeue_for_changes(s);
	if (kind == KUBE_POD && s->sync.distrusts)
		informer_bind_again(s);
	s->sync.damaged = (s->sync.damaged & ~bit) | (s->sync.damaged_in_list & bit);
	if ((s->leader.barrier & bit) != 0)
		scheduler_recall_bindings(s);
	scheduler_relisted(s, kind);
	s->sync.known |= bit;
	if (s->sync.lacking == 0)
		s->sync.relist_ms = SCHEDULER_RELIST_MS;
	if (sync_is_compared(s, kind)) {
		s->sync.compare_left &= ~bit;
		log_info("scheduler",
			s->sync.missed + s->sync.redundant > 0 ? "cache-mismatch" : "cache-match",
			"kind=%s missed=%u redundant=%u", kube_kinds[kind].plural,
			(unsigned)s->sync.missed, (unsigned)s->sync.redundant);
		s->sync.missed = s->sync.redundant = 0;
		scheduler_compare_next(s);
	}
	scheduler_requeue_for_kinds(s);
}

static void unread_report(struct scheduler *s, const struct cache_unread *unread)
{
	char note[NOTE_MAX], uid[64];
	struct writer w;
	const struct cache *cache = &s->cache;
	struct text node = unread->node == 0
		? TEXT("")
		: cache_text(cache, cache_node_at(cache, unread->node)->name);
	writer_init(&w, uid, sizeof(uid));
	if ((unread->uid.high | unread->uid.low) != 0)
		cache_print_uid(cache, unread->uid, &w);
	const struct body_pod pod = {cache_text(cache, unread->namespace),
		cache_text(cache, unread->name), writer_text(&w)};
	writer_init(&w, note, sizeof(note));
	if (node.size > 0)
		write_format(&w,
			"the scheduler cannot read this pod (%s: %s), and so not what it takes: no "
			"new pods come to node %.*s until it can, or the pod is gone",
			unread->field, unread->reason, TEXT_ARGS(node));
	else
		write_format(&w, "the scheduler cannot read this pod (%s: %s): it is not scheduled",
			unread->field, unread->reason);
	scheduler_report_event_of(s, &pod, 0, &s->profiles[0], "Warning",
		node.size > 0 ? "NodeClosed" : "FailedScheduling", "Scheduling", writer_text(&w));
	if (node.size == 0)
		scheduler_report_condition_of(s, &pod, TEXT("SchedulerError"), writer_text(&w));
}

/* A standby leaves it to the leader, ... */
bool scheduler_has_unreported(const struct scheduler *s)
{
	return s->cache.unreads.unreported > 0 && (s->lease == NULL || s->leader.leading);
}

void scheduler_report_unreads(struct scheduler *s)
{
	/* ... and the leader waits until what it writes is sent. Thousands of events may wait. */
	while (scheduler_has_unreported(s) && scheduler_may_write(s) && scheduler_may_report(s)) {
		uint32_t index = cache_unread_report(&s->cache);
		if (index == 0)
			return;
		unread_report(s, cache_unread_at(&s->cache.unreads, index));
	}
}

/*
 * A pod that cannot be read, or kept. On a node it takes what we do not know: the node gets no new
 * pods until it is understood or gone. Without one it is in no pod's way, and is not there for us.
 */
static void informer_unread(struct scheduler *s, struct json_value object, struct text namespace,
	struct text name, const char *field, const char *why)
{
	struct text node = json_text(json_path(object, "spec.nodeName"));
	uint32_t known = cache_find_pod(&s->cache, namespace, name);
	if (node.size == 0 && known != 0 && cache_pod_at(&s->cache, known)->node != 0)
		node = cache_text(&s->cache,
			cache_node_at(&s->cache, cache_pod_at(&s->cache, known)->node)->name);
	if (node.size == 0) {
		if (known != 0) /* what is there is an older version */
			(void)cache_remove_pod(&s->cache, known);
		scheduler_unshelve(s, namespace, name, true);
		if (name.size == 0 || !scheduler_is_ours(s, object))
			return;
	}
	const struct cache_unread_cause cause = {
		json_text(json_path(object, "metadata.uid")), field, why};
	enum cache_unread_put put = name.size == 0
		? CACHE_UNREAD_FULL
		: cache_unread_put(&s->cache, namespace, name, node, &cause);
	if (put == CACHE_UNREAD_NEW)
		log_warn("scheduler", node.size > 0 ? "node-closed" : "pod-unreadable",
			"node=%.*s pod=%.*s/%.*s field=%s reason=\"%s\"", TEXT_ARGS(node),
			TEXT_ARGS(namespace), TEXT_ARGS(name), field, why);
	if (put != CACHE_UNREAD_FULL)
		scheduler_report_unreads(s);
	else if (node.size > 0 && cache_is_stray(&s->cache, node))
		return;
	else if (node.size > 0)
		sync_damaged(
			s, KUBE_POD); /* the last resort: it has no name, or there is no memory */
	else
		scheduler_lose_object(s, object, 0);
}

/* No memory that others give up would help it. */
static bool informer_is_unreadable(const struct cache_fed *fed)
{
	return fed->decoded == KUBE_MALFORMED || fed->is_too_big;
}

/* A pod that waits, and that there is no memory for. */
static void informer_shelve(struct scheduler *s, const struct watch_object *object,
	const struct cache_fed *fed, const struct scheduler_claim *claim)
{
	if (!claim->is_useless)
		scheduler_shelve_object(s, object->value,
			(claim->tried ? SHELF_TRIED : 0) |
				(object->type == KUBE_WATCH_MODIFIED ? SHELF_COUNTED : 0));
	else
		scheduler_unshelve(s, fed->namespace, fed->name, true);
	(void)cache_unfeed(&s->cache, KUBE_POD, fed->namespace, fed->name);
}

static void informer_refused(
	struct scheduler *s, const struct watch_object *object, const struct cache_fed *fed)
{
	const char *field = fed->fault_field == NULL ? "-" : fed->fault_field;
	const char *reason = fed->fault_reason;
	if (reason == NULL)
		reason = fed->is_too_big ? "too big to be decoded" : "no memory for it";
	log_warn("scheduler", "refused", "kind=%s name=%.*s/%.*s field=%s reason=\"%s\"",
		kube_kinds[object->kind].plural, TEXT_ARGS(fed->namespace), TEXT_ARGS(fed->name),
		field, reason);
	/* What is there of it is an older version: better none, unless it holds a place. */
	if (object->kind == KUBE_POD)
		informer_unread(s, object->value, fed->namespace, fed->name, field, reason);
	else
		sync_missing(s, object->kind, fed->namespace, fed->name);
	if (informer_is_unreadable(fed))
		return;
	s->sync.short_of++;
	sync_lacks(s, object->kind);
}

static bool informer_knows(const struct scheduler *s, const struct watch_object *object)
{
	struct text name = json_text(json_path(object->value, "metadata.name"));
	if (object->kind == KUBE_NODE)
		return cache_find_node(&s->cache, name) != 0;
	return cache_find_pod(&s->cache, json_text(json_path(object->value, "metadata.namespace")),
		       name) != 0;
}

/* False: it cannot be read, or there is no memory that a less important pod has. */
static bool informer_feed(struct scheduler *s, const struct watch_object *object,
	struct scratch *scratch, struct scheduler_claim *claim, struct cache_fed *fed)
{
	struct scratch_mark mark = scratch_mark(scratch);
	bool fits = cache_feed(&s->cache, scratch, object->kind, object->value, fed);
	if (fits || informer_is_unreadable(fed))
		return fits;
	if (cache_log_count(&s->cache) > 0) {
		scheduler_requeue_for_changes(s); /* old versions that the log keeps make room */
		scratch_rewind(scratch, mark);
		fits = cache_feed(&s->cache, scratch, object->kind, object->value, fed);
	}
	if (!claim->is_set)
		*claim = scheduler_claim_of(s, object->kind, object->value);
	for (uint32_t i = 0; i < MAKE_ROOM_MAX && !fits && !claim->is_useless &&
		!informer_is_unreadable(fed) && scheduler_make_room(s, claim, UINT32_C(1) << i);
		i++) {
		scratch_rewind(scratch, mark);
		fits = cache_feed(&s->cache, scratch, object->kind, object->value, fed);
	}
	return fits;
}

/* The pod's index in the cache; 0 when it is not there now. */
static uint32_t informer_apply(struct scheduler *s, const struct watch_object *object,
	struct scratch *scratch, struct scheduler_claim *claim, bool *fits)
{
	struct cache_fed fed;
	*fits = informer_feed(s, object, scratch, claim, &fed);
	if (!*fits && object->kind == KUBE_POD && !claim->must && !informer_is_unreadable(&fed)) {
		informer_shelve(s, object, &fed, claim);
		return 0;
	}
	struct text node = json_text(json_path(object->value, "spec.nodeName"));
	if (!*fits && object->kind == KUBE_POD && node.size > 0 && !informer_is_unreadable(&fed) &&
		cache_is_stray(&s->cache, node)) {
		(void)cache_unfeed(&s->cache, KUBE_POD, fed.namespace, fed.name);
		*fits = true;
		return 0;
	}
	if (!*fits) {
		informer_refused(s, object, &fed);
		return 0;
	}
	if (object->kind == KUBE_NODE)
		sync_list_strays(s);
	if (object->kind != KUBE_POD) {
		sync_found(s, object->kind, fed.namespace, fed.name);
		return 0;
	}
	bool is_kept = fed.index != 0 && pool_is_taken(&s->cache.pods, fed.index);
	uint32_t shelved = shelf_find(&s->queue.shelf, fed.namespace, fed.name);
	uint32_t said = shelved != 0   ? shelf_pod_at(&s->queue.shelf, shelved)->flags
		: s->pressure.lost > 0 ? scheduler_said(object->value)
				       : 0;
	if (is_kept && (said & SHELF_REPORTED) != 0)
		cache_pod_at(&s->cache, fed.index)->flags |= CACHE_POD_REPORTED;
	if (shelved != 0)
		shelf_remove(&s->queue.shelf, shelved);
	if (is_kept)
		scheduler_start_informers(
			s, informer_kinds_of(s, cache_pod_at(&s->cache, fed.index)));
	return is_kept ? fed.index : 0;
}

uint32_t scheduler_feed_shelved(struct scheduler *s, const struct watch_object *object,
	struct scratch *scratch, const struct scheduler_claim *claim)
{
	struct scheduler_claim own = *claim;
	bool fits;
	informer_make_log_room(s);
	return informer_apply(s, object, scratch, &own, &fits);
}

static bool informer_object(void *self, const struct watch_object *object, struct scratch *scratch)
{
	struct scheduler *s = self;
	struct scheduler_claim claim = {.is_set = false};
	bool fits;
	informer_make_log_room(s);
	if (object->type == KUBE_WATCH_DELETED) {
		struct text namespace = json_text(json_path(object->value, "metadata.namespace"));
		struct text name = json_text(json_path(object->value, "metadata.name"));
		bool is_known = cache_unfeed(&s->cache, object->kind, namespace, name) == CACHE_OK;
		s->pressure.gone += is_known && object->kind == KUBE_POD;
		if (object->kind == KUBE_POD)
			scheduler_unshelve(s, namespace, name, is_known);
		else
			sync_found(s, object->kind, namespace, name);
		sync_count_gone(s, object->kind);
		return true;
	}
	if (sync_is_compared(s, object->kind) && !informer_knows(s, object)) {
		s->sync.missed++;
		log_info("scheduler", "cache-missed", "kind=%s name=%.*s",
			kube_kinds[object->kind].plural,
			TEXT_ARGS(json_text(json_path(object->value, "metadata.name"))));
	}
	if (object->kind == KUBE_POD && scheduler_stays_shelved(s, object->value))
		return true;
	(void)informer_apply(s, object, scratch, &claim, &fits);
	return fits;
}

static void informer_too_big(void *self, const struct watch_too_big *object)
{
	struct scheduler *s = self;
	struct text name = object->name;
	struct text namespace = TEXT_NONE;
	informer_make_log_room(s);
	if (kube_kinds[object->kind].namespaced)
		(void)text_cut(&name, '/', &namespace);
	if (object->kind == KUBE_POD && object->type != KUBE_WATCH_DELETED &&
		json_type(object->value) == JSON_NONE)
		sync_damaged(s, KUBE_POD); /* nothing of it is known, also not where it is */
	else if (object->kind == KUBE_POD && object->type != KUBE_WATCH_DELETED)
		informer_unread(s, object->value, namespace, name, "object",
			"too big, too deep or with too many values");
	else if (object->type != KUBE_WATCH_DELETED)
		sync_missing(s, object->kind, namespace, name);
	else {
		(void)cache_unfeed(&s->cache, object->kind, namespace, name);
		if (object->kind != KUBE_POD)
			sync_found(s, object->kind, namespace, name);
	}
}

static void informer_synced(void *self)
{
	struct scheduler *s = self;
	log_info("scheduler", "synced", "nodes=%u pods=%u pending=%u",
		(unsigned)s->cache.order.count, (unsigned)pool_used(&s->cache.pods),
		(unsigned)s->cache.pods_pending);
}

struct watch_sink scheduler_sink(struct scheduler *s)
{
	return (struct watch_sink){informer_list_asked, informer_list_begin, informer_object,
		informer_too_big, informer_list_end, informer_synced, scheduler_fetched, s};
}
