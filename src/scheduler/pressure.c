/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pressure: what happens when the memory budget is reached.
 *
 * Who has a node, and everything that deciding needs, must be known, but for pods on nodes that are
 * not there: those go first. Pods that wait give way to what must be known,
 * and to pods that are more important than they are: the lowest priority first, of that the
 * namespace that has most of them, and of those first who waits for an event anyway. They go to the
 * shelf (queue/shelf.h), from which they come back by importance, one request each, as soon as
 * there is room. A namespace that fills the memory so takes it from itself.
 *
 * Among pods of equal priority one that was never tried takes the place of one that was tried and
 * waits. When all were tried, those on the shelf take turns with those that wait, slowly, and only
 * while the cluster changes: which change would help a pod that is not here is not known.
 */
#include "base/heap.h"
#include "base/log.h"
#include "json/json.h"
#include "scheduler/private.h"

enum {
	SHED_AT_ONCE = 16,    /* to free the reserve, before it is looked at again, */
	SHED_IN_A_TURN = 256, /* ... and as a whole */
	NAMESPACES_WATCHED = 64,
	SCAN_LASTS_MS = 200, /* what a scan has found is good for so long */
	ROOM_RESTS_MS =
		5000,    /* what the reserve took is no room so soon for those that were tried */
	RETRY_MS = 1000, /* after one that came back found no room, or no answer came */
	WAKE_MS = 100,
	TAKE_TURNS_MS = 64,      /* one pod each, of those that were tried already ... */
	TAKE_TURNS_AFTER_S = 60, /* ... and have waited on the shelf for so long */
	USELESS_LOOKS = 4096,
	RECORD_SHARE = 1024, /* bytes of the reserve: a record on the shelf takes 120 or so */
	LIST_SHARE = 10      /* of the time, for lists while nothing is said of some pods */
};

/* ---- who may go ---- */

struct shed_rank {    /* of a pod that may go: the largest goes first */
	int32_t kind; /* by its state */
	int64_t time;
};

static bool pressure_may_go(const struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const uint16_t held = CACHE_POD_ASSUMED | CACHE_POD_IMAGINED | CACHE_POD_NOMINATED_HERE;
	return p->node == 0 && (p->flags & held) == 0 && p->nominated == INTERN_EMPTY &&
		(p->waiting == 0 ||
			queue_entry_at(&s->queue, p->waiting)->state != QUEUE_IN_FLIGHT) &&
		!scheduler_waits_for_victims(s, pod);
}

/* Nothing will ever be decided about it here, unless the apiserver tells of it again. */
static bool pressure_is_useless(const struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	return p->waiting == 0 && (p->flags & CACHE_POD_IMAGINED) == 0 &&
		((p->flags & CACHE_POD_DELETING) != 0 || cycle_profile_of(&s->cycle, pod) == NULL);
}

static struct shed_rank pressure_rank(const struct queue_entry *e)
{
	switch ((enum queue_state)e->state) {
	case QUEUE_GATED: return (struct shed_rank){3, -e->timestamp.us};
	case QUEUE_UNSCHEDULABLE: return (struct shed_rank){2, -e->timestamp.us};
	case QUEUE_BACKOFF:
	case QUEUE_ERROR_BACKOFF: return (struct shed_rank){1, e->timestamp.us};
	default: return (struct shed_rank){0, e->timestamp.us};
	}
}

static bool pressure_goes_before(struct shed_rank a, struct shed_rank b)
{
	return a.kind != b.kind ? a.kind > b.kind : a.time > b.time;
}

/* ---- the scan ---- */

/* A namespace with more than one part in NAMESPACES_WATCHED of all is among those watched. */
struct namespace_share {
	uint32_t namespace;
	uint32_t count;
};

static void share_count(struct namespace_share shares[NAMESPACES_WATCHED], uint32_t namespace)
{
	struct namespace_share *free = NULL;
	for (uint32_t i = 0; i < NAMESPACES_WATCHED; i++) { /* found at once where there are few */
		if (shares[i].count > 0 && shares[i].namespace == namespace) {
			shares[i].count++;
			return;
		}
		if (shares[i].count == 0 && free == NULL)
			free = &shares[i];
	}
	if (free != NULL) {
		*free = (struct namespace_share){namespace, 1};
		return;
	}
	for (uint32_t i = 0; i < NAMESPACES_WATCHED; i++)
		shares[i].count--;
}

static uint32_t pressure_namespace(const struct scheduler *s, uint32_t pod)
{
	return cache_template_of(&s->cache, cache_pod_at(&s->cache, pod))->namespace;
}

/* The lowest priority of all that may go; which namespaces have pods of it. False: none may go. */
static bool scan_lowest(const struct scheduler *s, int32_t *lowest,
	struct namespace_share shares[NAMESPACES_WATCHED])
{
	const struct pool *entries = &s->queue.entries;
	bool any = false;
	for (uint32_t i = pool_next(entries, 0); i != 0; i = pool_next(entries, i)) {
		const struct queue_entry *e = queue_entry_at(&s->queue, i);
		if ((any && e->priority > *lowest) || !pressure_may_go(s, e->pod))
			continue;
		if (!any || e->priority < *lowest) {
			memset(shares, 0, NAMESPACES_WATCHED * sizeof(*shares));
			*lowest = e->priority;
			any = true;
		}
		share_count(shares, pressure_namespace(s, e->pod));
	}
	return any;
}

static void scan_count(const struct scheduler *s, int32_t priority,
	struct namespace_share shares[NAMESPACES_WATCHED])
{
	const struct pool *entries = &s->queue.entries;
	for (uint32_t k = 0; k < NAMESPACES_WATCHED; k++)
		if (shares[k].count > 0)
			shares[k].count = 1; /* one more than there are: 0 means that none is */
	for (uint32_t i = pool_next(entries, 0); i != 0; i = pool_next(entries, i)) {
		const struct queue_entry *e = queue_entry_at(&s->queue, i);
		if (e->priority != priority || !pressure_may_go(s, e->pod))
			continue;
		uint32_t namespace = pressure_namespace(s, e->pod);
		for (uint32_t k = 0; k < NAMESPACES_WATCHED; k++)
			if (shares[k].count > 0 && shares[k].namespace == namespace) {
				shares[k].count++;
				break;
			}
	}
}

/* The best `room` of those offered are kept, the one of them that is to go last on top of a heap.
 */
static bool scan_is_kept_longer(const void *self, uint32_t a, uint32_t b)
{
	const struct scheduler_shed *x = &((const struct scheduler_pressure *)self)->batch[a];
	const struct scheduler_shed *y = &((const struct scheduler_pressure *)self)->batch[b];
	return pressure_goes_before(
		(struct shed_rank){y->kind, y->time}, (struct shed_rank){x->kind, x->time});
}

static void scan_add(struct scheduler *s, struct heap *kept, uint32_t pod, uint32_t room)
{
	struct scheduler_pressure *p = &s->pressure;
	const struct cache_pod *cached = cache_pod_at(&s->cache, pod);
	struct shed_rank rank = pressure_rank(queue_entry_at(&s->queue, cached->waiting));
	uint32_t at = p->batch_count;
	if (at == room) {
		at = heap_first(kept);
		if (!pressure_goes_before(
			    rank, (struct shed_rank){p->batch[at].kind, p->batch[at].time}))
			return;
		(void)heap_take_first(kept);
	} else {
		p->batch_count++;
	}
	p->batch[at] = (struct scheduler_shed){
		.uid = cached->uid, .pod = pod, .kind = rank.kind, .time = rank.time};
	CHECK(heap_add(kept, at));
}

/* The first to go at the end. */
static void scan_sort(struct scheduler_pressure *p, struct heap *kept)
{
	struct scheduler_shed sorted[SCHEDULER_SHED_BATCH];
	for (uint32_t i = 0; i < p->batch_count; i++)
		sorted[i] = p->batch[heap_take_first(kept)];
	memcpy(p->batch, sorted, p->batch_count * sizeof(sorted[0]));
}

/* Those of the namespace that has most, until the next one has as many. */
static void scan_queue(struct scheduler *s)
{
	struct scheduler_pressure *p = &s->pressure;
	struct namespace_share shares[NAMESPACES_WATCHED] = {{0}};
	const struct pool *entries = &s->queue.entries;
	uint32_t places[SCHEDULER_SHED_BATCH];
	struct heap kept = {.entries = places,
		.capacity = SCHEDULER_SHED_BATCH,
		.before = scan_is_kept_longer,
		.self = p};
	if (!scan_lowest(s, &p->priority, shares))
		return;
	scan_count(s, p->priority, shares);
	uint32_t second = 0;
	p->namespace_count = 0;
	for (uint32_t k = 0; k < NAMESPACES_WATCHED; k++) {
		if (shares[k].count > p->namespace_count) {
			second = p->namespace_count;
			p->namespace_count = shares[k].count;
			p->namespace = shares[k].namespace;
		} else if (shares[k].count > second) {
			second = shares[k].count;
		}
	}
	uint32_t room = p->namespace_count - second + SHED_AT_ONCE;
	if (room > SCHEDULER_SHED_BATCH)
		room = SCHEDULER_SHED_BATCH;
	for (uint32_t i = pool_next(entries, 0); i != 0; i = pool_next(entries, i)) {
		const struct queue_entry *e = queue_entry_at(&s->queue, i);
		if (e->priority == p->priority && pressure_may_go(s, e->pod) &&
			pressure_namespace(s, e->pod) == p->namespace)
			scan_add(s, &kept, e->pod, room);
	}
	scan_sort(p, &kept);
}

/* Pending pods that are not in the queue, if there are any. */
static void scan_useless(struct scheduler *s)
{
	struct scheduler_pressure *p = &s->pressure;
	const struct pool *pods = &s->cache.pods;
	uint32_t queued = pool_used(&s->queue.entries) - s->queue.pods[QUEUE_IN_FLIGHT];
	if (s->cache.pods_pending <= queued)
		return;
	for (uint32_t looks = 0; looks < USELESS_LOOKS && p->batch_count < SCHEDULER_SHED_BATCH;
		looks++) {
		p->useless_at = pool_next(pods, p->useless_at);
		if (p->useless_at == 0)
			return; /* from the beginning, the next time */
		uint32_t pod = p->useless_at;
		if (pressure_is_useless(s, pod) && pressure_may_go(s, pod))
			p->batch[p->batch_count++] =
				(struct scheduler_shed){.uid = cache_pod_at(&s->cache, pod)->uid,
					.pod = pod,
					.is_useless = true};
	}
}

static bool shed_is_good(const struct scheduler *s, const struct scheduler_shed *shed)
{
	if (!scheduler_is_pod(s, shed->pod, shed->uid) || !pressure_may_go(s, shed->pod))
		return false;
	const uint32_t entry = cache_pod_at(&s->cache, shed->pod)->waiting;
	if (shed->is_useless || entry == 0)
		return shed->is_useless && pressure_is_useless(s, shed->pod);
	return pressure_rank(queue_entry_at(&s->queue, entry)).kind == shed->kind;
}

/* The next one to go; NULL: none may. */
static const struct scheduler_shed *pressure_next(struct scheduler *s)
{
	struct scheduler_pressure *p = &s->pressure;
	bool is_old = mono_since_us(scheduler_now(s), p->scanned) >= SCAN_LASTS_MS * CLOCK_MS_US;
	while (!is_old && p->batch_count > 0 && !shed_is_good(s, &p->batch[p->batch_count - 1]))
		p->batch_count--;
	if (!is_old && (p->batch_count > 0 || p->found_nobody))
		return p->batch_count > 0 ? &p->batch[p->batch_count - 1] : NULL;
	p->batch_count = 0;
	scan_useless(s);
	if (p->batch_count == 0)
		scan_queue(s);
	p->found_nobody = p->batch_count == 0;
	p->scanned = scheduler_now(s);
	return p->found_nobody ? NULL : &p->batch[p->batch_count - 1];
}

/* ---- who takes whose place ---- */

static bool pressure_takes_turns(struct scheduler *s, int64_t waited_us)
{
	struct scheduler_pressure *p = &s->pressure;
	if (waited_us < (int64_t)TAKE_TURNS_AFTER_S * CLOCK_S_US ||
		mono_since_us(scheduler_now(s), p->took_turns) < TAKE_TURNS_MS * CLOCK_MS_US)
		return false;
	if (p->lap_left == 0) {
		if (s->requeue.events == p->lap_events)
			return false; /* nothing has changed since all had their turn */
		p->lap_events = s->requeue.events;
		p->lap_left = shelf_count(&s->queue.shelf);
	}
	return true;
}

static bool pressure_yields(const struct scheduler *s, const struct scheduler_shed *shed,
	const struct scheduler_claim *claim)
{
	const struct scheduler_pressure *p = &s->pressure;
	bool waits = shed->kind >= 2;
	if (shed->is_useless || claim->must)
		return true;
	if (p->priority != claim->priority)
		return p->priority < claim->priority;
	if (claim->tried)
		return waits && claim->has_turn;
	/* Not tried yet, as those that do not wait: the places are shared by namespace. */
	return waits ||
		(p->namespace != claim->namespace &&
			p->namespace_count > 2 * claim->namespace_count + SHED_AT_ONCE);
}

/* From the cache, and from the queue if it is there. */
static void pressure_shelve(struct scheduler *s, uint32_t pod, bool tried)
{
	struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const struct kube_pod_template *template = cache_template_of(&s->cache, p);
	const struct shelf_entry entry = {
		.namespace = cache_text(&s->cache, template->namespace),
		.name = cache_text(&s->cache, p->name),
		.uid = {p->uid.high, p->uid.low},
		.priority = template->priority,
		.seen = (uint8_t)p->seen,
		.flags = (uint8_t)((template->gates.count > 0 ? SHELF_GATED
						   : tried    ? SHELF_TRIED
							      : 0) |
			((p->flags & CACHE_POD_REPORTED) != 0 ? SHELF_REPORTED : 0)),
	};
	if (!scheduler_shelf_put(s, &entry))
		scheduler_lose_pod(s, &entry);
	if (p->waiting != 0)
		queue_remove(&s->queue, p->waiting);
	p->waiting = 0;
	cache_drop_pod(&s->cache, pod);
}

static void pressure_shed(struct scheduler *s, const struct scheduler_shed *shed)
{
	uint32_t entry = cache_pod_at(&s->cache, shed->pod)->waiting;
	if (shed->is_useless) {
		cache_drop_pod(&s->cache, shed->pod);
	} else {
		/* What a plugin holds back is not tried at all: back here it would wait, too. */
		const struct queue_entry *e = queue_entry_at(&s->queue, entry);
		pressure_shelve(s, shed->pod, e->attempts > 0 || e->state == QUEUE_GATED);
	}
	s->pressure.shed++;
}

/* Pods on nodes that are not there come before all that may ever be decided about. */
static bool pressure_drop_strays(struct scheduler *s)
{
	bool was = s->cache.unreads.dropped;
	if (!cache_drop_strays(&s->cache))
		return false;
	if (!was)
		log_warn("scheduler", "memory-full",
			"pods=%u pending=%u: pods on nodes that are not there are not kept "
			"(--memory)",
			(unsigned)pool_used(&s->cache.pods), (unsigned)s->cache.pods_pending);
	return true;
}

bool scheduler_make_room(struct scheduler *s, const struct scheduler_claim *claim, uint32_t count)
{
	uint32_t shed = 0;
	scheduler_requeue_for_changes(s); /* changes that wait may look at who goes */
	while (shed < count && pressure_drop_strays(s))
		shed++;
	for (; shed < count; shed++) {
		const struct scheduler_shed *next = pressure_next(s);
		if (next == NULL || !pressure_yields(s, next, claim))
			break;
		pressure_shed(s, next);
		s->pressure.batch_count--;
	}
	return shed > 0;
}

static bool pressure_has_room(const struct scheduler *s)
{
	const struct page_budget *budget = s->cache.budget;
	const struct pool *pods = &s->cache.pods;
	const struct pool *entries = &s->queue.entries;
	if (pool_used(pods) == pods->capacity || pool_used(entries) == entries->capacity)
		return false;
	if (budget != NULL && s->cache.pods_pending < CACHE_PODS_AT_WORK / 2 &&
		!page_budget_is_pressed(budget, PAGE_RESERVE_RECORDS))
		return true;
	return pool_has_room(pods) && pool_has_room(entries) &&
		(budget == NULL || !page_budget_is_pressed(budget, PAGE_RESERVE_NONE));
}

/* Pages are not, but the place of a pod that went may be free. */
static bool pressure_has_place(const struct scheduler *s)
{
	return s->pressure.gone > 0 && s->cache.pods_pending < CACHE_PODS_AT_WORK / 2;
}

/* ---- onto the shelf ---- */

/* So many have a place in the last part of the reserve: they take less than half of it. */
static uint32_t pressure_records(const struct scheduler *s)
{
	const struct page_budget *budget = s->cache.budget;
	return budget == NULL ? 0 : (uint32_t)(budget->reserve * budget->page_size / RECORD_SHARE);
}

static bool pressure_drop_least(struct scheduler *s, const struct shelf_entry *entry)
{
	struct shelf *shelf = &s->queue.shelf;
	char room[SHELF_NAME_MAX];
	uint32_t least = shelf_least(shelf, entry);
	if (least == 0)
		return false;
	struct shelf_entry gone = shelf_entry_of(shelf, least, room);
	scheduler_lose_pod(s, &gone);
	if (shelf_drop(shelf, least) > 1) {
		gone.name.size = gone.flags = 0; /* whichever that was */
		scheduler_lose_pod(s, &gone);
	}
	return true;
}

bool scheduler_shelf_put(struct scheduler *s, const struct shelf_entry *entry)
{
	struct shelf_entry put = *entry;
	put.flags &= (uint8_t)~SHELF_COUNTED;
	if (put.uid[0] == CACHE_UID_TEXT)
		put.uid[1] = 0; /* a string that has no holder */
	bool was_empty = shelf_count(&s->queue.shelf) == 0;
	page_budget_make_way(s->cache.budget,
		shelf_count(&s->queue.shelf) < pressure_records(s) ? PAGE_RESERVE_ALL
								   : PAGE_RESERVE_RECORDS);
	uint32_t index = shelf_put(&s->queue.shelf, &put, scheduler_now(s));
	if (index == 0 && pressure_drop_least(s, &put))
		index = shelf_put(&s->queue.shelf, &put, scheduler_now(s));
	page_budget_made_way(s->cache.budget);
	if (index == 0 ? s->pressure.lost == 0 : was_empty)
		log_warn("scheduler", "memory-full",
			"pods=%u pending=%u: pods that wait give way by importance, and come back "
			"when there is room (--memory)",
			(unsigned)pool_used(&s->cache.pods), (unsigned)s->cache.pods_pending);
	return index != 0;
}

bool scheduler_is_ours(const struct scheduler *s, struct json_value object)
{
	struct text name = json_text(json_path(object, "spec.schedulerName"));
	if (name.size == 0)
		name = TEXT("default-scheduler");
	for (uint32_t i = 0; i < s->profile_count; i++)
		if (text_is(cache_text(&s->cache, s->profiles[i].scheduler_name), name))
			return true;
	return false;
}

static int32_t pressure_priority(struct json_value object)
{
	int64_t priority = 0;
	if (!json_i64(json_path(object, "spec.priority"), &priority))
		return 0;
	return priority < INT32_MIN    ? INT32_MIN
		: priority > INT32_MAX ? INT32_MAX
				       : (int32_t)priority;
}

struct scheduler_claim scheduler_claim_of(
	const struct scheduler *s, enum kube_kind kind, struct json_value object)
{
	struct text namespace = json_text(json_path(object, "metadata.namespace"));
	struct scheduler_claim claim = {.is_set = true, .must = true};
	uint32_t known = kind != KUBE_POD ? 0
					  : cache_find_pod(&s->cache, namespace,
						    json_text(json_path(object, "metadata.name")));
	if (kind != KUBE_POD || json_text(json_path(object, "spec.nodeName")).size > 0 ||
		(known != 0 && cache_pod_at(&s->cache, known)->node != 0))
		return claim;
	claim.must = false;
	claim.priority = pressure_priority(object);
	claim.is_useless = !scheduler_is_ours(s, object) ||
		json_text(json_path(object, "metadata.deletionTimestamp")).size > 0;
	(void)intern_find(&s->cache.strings, namespace, &claim.namespace);
	if (known != 0 && cache_pod_at(&s->cache, known)->waiting != 0)
		claim.tried = queue_entry_at(&s->queue, cache_pod_at(&s->cache, known)->waiting)
				      ->attempts > 0;
	uint32_t shelved = shelf_find(
		&s->queue.shelf, namespace, json_text(json_path(object, "metadata.name")));
	if (shelved != 0 && (shelf_pod_at(&s->queue.shelf, shelved)->flags & SHELF_TRIED) != 0)
		claim.tried = true;
	/* Only that of the namespace that has most is counted. */
	if (claim.namespace == s->pressure.namespace)
		claim.namespace_count = s->pressure.namespace_count;
	return claim;
}

static struct shelf_entry pressure_entry_of(
	const struct scheduler *s, struct json_value object, uint32_t flags)
{
	struct shelf_entry entry = {
		.namespace = json_text(json_path(object, "metadata.namespace")),
		.name = json_text(json_path(object, "metadata.name")),
		.priority = pressure_priority(object),
		.seen = (uint8_t)s->cache.list_round[KUBE_POD],
		.flags = (uint8_t)flags,
	};
	struct cache_uid uid;
	if (cache_parse_uid(json_text(json_path(object, "metadata.uid")), &uid)) {
		entry.uid[0] = uid.high;
		entry.uid[1] = uid.low;
	}
	if (json_count(json_path(object, "spec.schedulingGates")) > 0)
		entry.flags |= SHELF_GATED;
	entry.flags |= scheduler_said(object) & SHELF_REPORTED;
	uint32_t known = cache_find_pod(&s->cache, entry.namespace, entry.name);
	if (known != 0)
		entry.flags &= (uint8_t)~SHELF_COUNTED;
	if (known != 0 && (cache_pod_at(&s->cache, known)->flags & CACHE_POD_REPORTED) != 0)
		entry.flags |= SHELF_REPORTED;
	return entry;
}

void scheduler_shelve_object(struct scheduler *s, struct json_value object, uint32_t flags)
{
	const struct shelf_entry entry = pressure_entry_of(s, object, flags);
	uint32_t count = shelf_count(&s->queue.shelf);
	if (!scheduler_shelf_put(s, &entry))
		scheduler_lose_object(s, object, flags);
	else if ((entry.flags & SHELF_COUNTED) != 0 && s->pressure.missing > 0)
		s->pressure.missing -= shelf_count(&s->queue.shelf) > count;
}

void scheduler_lose_object(struct scheduler *s, struct json_value object, uint32_t flags)
{
	struct shelf_entry entry = pressure_entry_of(s, object, flags);
	entry.flags |= scheduler_said(object); /* why it was not scheduled, too */
	scheduler_lose_pod(s, &entry);
}

/*
 * Most changes of a pod that was tried are of its status, and ours. It comes back when there is
 * room, or in its turn, and is read as it is then.
 */
bool scheduler_stays_shelved(struct scheduler *s, struct json_value object)
{
	struct shelf *shelf = &s->queue.shelf;
	uint32_t index = shelf_find(shelf, json_text(json_path(object, "metadata.namespace")),
		json_text(json_path(object, "metadata.name")));
	if (index == 0 || (shelf_pod_at(shelf, index)->flags & SHELF_TRIED) == 0 ||
		pressure_has_room(s))
		return false;
	const struct scheduler_claim claim = scheduler_claim_of(s, KUBE_POD, object);
	if (claim.must || claim.is_useless)
		return false;
	scheduler_shelve_object(s, object, SHELF_TRIED);
	return true;
}

void scheduler_unshelve(struct scheduler *s, struct text namespace, struct text name, bool is_known)
{
	uint32_t index = shelf_find(&s->queue.shelf, namespace, name);
	if (index != 0)
		shelf_remove(&s->queue.shelf, index);
	else if (!is_known && s->pressure.missing > 0)
		s->pressure.missing--; /* most likely one of those */
}

void scheduler_shelf_list_begin(struct scheduler *s)
{
	const struct shelf *shelf = &s->queue.shelf;
	s->pressure.missing = 0;
	s->pressure.unsaid = false;
	s->pressure.gone = 0;
	s->pressure.list_began = scheduler_now(s);
	s->pressure.list_next = MONO_NEVER;
	watch_fetch_cancel(s->watch);
	for (uint32_t i = pool_next(&shelf->pods, 0); i != 0; i = pool_next(&shelf->pods, i))
		if ((shelf_pod_at(shelf, i)->flags & SHELF_ASKED) != 0)
			shelf_set(&s->queue.shelf, i, SHELF_ASKED, false);
}

void scheduler_shelf_list_end(struct scheduler *s)
{
	struct shelf *shelf = &s->queue.shelf;
	uint8_t round = (uint8_t)s->cache.list_round[KUBE_POD];
	int64_t lasted_us = mono_since_us(scheduler_now(s), s->pressure.list_began);
	s->pressure.list_next = (struct mono){scheduler_now(s).us + lasted_us * LIST_SHARE};
	for (uint32_t i = pool_next(&shelf->pods, 0); i != 0; i = pool_next(&shelf->pods, i))
		if (shelf_pod_at(shelf, i)->seen != round)
			shelf_remove(shelf, i);
}

/* ---- and back ---- */

static struct scheduler_claim claim_of_shelved(struct scheduler *s, const struct shelf_pod *pod)
{
	struct scheduler_claim claim = {
		.is_set = true,
		.priority = pod->priority,
		.namespace = pod->namespace,
		.tried = (pod->flags & SHELF_TRIED) != 0,
	};
	if (claim.namespace == s->pressure.namespace)
		claim.namespace_count = s->pressure.namespace_count;
	claim.has_turn = claim.tried &&
		pressure_takes_turns(s, shelf_waited_us(&s->queue.shelf, pod, scheduler_now(s)));
	return claim;
}

/* Would it find a place? *turn: that of one that waits, in turn. */
static bool pressure_may_return(struct scheduler *s, const struct shelf_pod *pod, bool *turn)
{
	bool tried = (pod->flags & SHELF_TRIED) != 0;
	*turn = false;
	if (pressure_has_room(s) || pressure_has_place(s))
		return !tried || mono_reached(scheduler_now(s), s->pressure.room_after);
	if ((pod->flags & SHELF_GATED) != 0)
		return false;
	const struct scheduler_shed *next = pressure_next(s);
	struct scheduler_claim claim = claim_of_shelved(s, pod);
	*turn = claim.has_turn;
	return next != NULL && pressure_yields(s, next, &claim);
}

static uint64_t pressure_tag(uint32_t index, const struct shelf_pod *pod)
{
	return (uint64_t)(uint32_t)(pod->uid[0] ^ pod->uid[1]) << 32 | index;
}

static void pressure_take_back(struct scheduler *s)
{
	struct shelf *shelf = &s->queue.shelf;
	struct scheduler_pressure *p = &s->pressure;
	if (!mono_reached(scheduler_now(s), p->ask_next) ||
		(s->sync.known & WATCH_KIND(KUBE_POD)) == 0 || s->ending.begun ||
		watch_is_listing(s->watch, KUBE_POD))
		return;
	while (watch_may_fetch(s->watch)) {
		char room[SHELF_NAME_MAX];
		bool turn;
		uint32_t index = shelf_first(shelf);
		if (index == 0 || (shelf_pod_at(shelf, index)->flags & SHELF_ASKED) != 0)
			return;
		const struct shelf_pod *pod = shelf_pod_at(shelf, index);
		if (!pressure_may_return(s, pod, &turn))
			return;
		if (!watch_fetch(s->watch, shelf_namespace(shelf, pod),
			    shelf_name(shelf, pod, room), pressure_tag(index, pod))) {
			shelf_remove(shelf, index); /* no request can be made of its name */
			continue;
		}
		if (p->gone > 0)
			p->gone--;
		if (turn) {
			p->took_turns = scheduler_now(s);
			p->lap_left--;
		}
		shelf_set(shelf, index, SHELF_ASKED, true);
	}
}

/* As the watch would have told it, if it is still what was asked for. */
static void pressure_returned(struct scheduler *s, uint32_t index,
	const struct watch_object *object, struct scratch *scratch)
{
	struct shelf *shelf = &s->queue.shelf;
	const struct shelf_pod pod = *shelf_pod_at(shelf, index);
	struct json_value value = object->value;
	struct cache_uid uid = {0, 0};
	bool is_known = cache_parse_uid(json_text(json_path(value, "metadata.uid")), &uid);
	if (json_text(json_path(value, "metadata.deletionTimestamp")).size > 0) {
		shelf_remove(shelf, index); /* nothing is decided about it any more */
		return;
	}
	/* The watch will tell what became of it, and nothing that is older after that. */
	if ((is_known && (uid.high != pod.uid[0] || uid.low != pod.uid[1])) ||
		json_text(json_path(value, "spec.nodeName")).size > 0) {
		shelf_send_back(shelf, index, scheduler_now(s));
		if (shelf_first(shelf) == index)
			s->pressure.ask_next = mono_after_ms(scheduler_now(s), RETRY_MS);
		return;
	}
	const struct scheduler_claim claim = claim_of_shelved(s, &pod);
	struct scheduler_claim taken = claim;
	taken.has_turn = claim.tried; /* it was asked for in its turn */
	uint32_t cached = scheduler_feed_shelved(s, object, scratch, &taken);
	if (cached == 0) {
		s->pressure.ask_next = mono_after_ms(scheduler_now(s), RETRY_MS);
		return;
	}
	s->pressure.returned++;
	if ((pod.flags & SHELF_REPORTED) != 0)
		cache_pod_at(&s->cache, cached)->flags |= CACHE_POD_REPORTED;
}

void scheduler_fetched(void *self, uint64_t tag, enum watch_fetch_result result,
	const struct watch_object *object, struct scratch *scratch)
{
	struct scheduler *s = self;
	struct shelf *shelf = &s->queue.shelf;
	uint32_t index = (uint32_t)tag;
	if (!pool_is_taken(&shelf->pods, index) ||
		pressure_tag(index, shelf_pod_at(shelf, index)) != tag ||
		(shelf_pod_at(shelf, index)->flags & SHELF_ASKED) == 0)
		return; /* the watch has told something newer */
	shelf_set(shelf, index, SHELF_ASKED, false);
	switch (result) {
	case WATCH_FETCHED: pressure_returned(s, index, object, scratch); break;
	case WATCH_FETCH_GONE: shelf_remove(shelf, index); break;
	case WATCH_FETCH_UNREADABLE: shelf_send_back(shelf, index, scheduler_now(s)); break;
	case WATCH_FETCH_FAILED:
		s->pressure.ask_next = mono_after_ms(scheduler_now(s), RETRY_MS);
		break;
	}
}

/* ---- each turn ---- */

/* Pods that found no room in the queue: they make room for themselves, or go. */
static void pressure_queue_rest(struct scheduler *s)
{
	if (s->requeue.unqueued == 0)
		return;
	s->requeue.unqueued = 0;
	const struct pool *pods = &s->cache.pods;
	for (uint32_t i = pool_next(pods, 0); i != 0; i = pool_next(pods, i)) {
		const struct cache_pod *p = cache_pod_at(&s->cache, i);
		if (p->node != 0 || p->waiting != 0 || pressure_is_useless(s, i))
			continue;
		const struct kube_pod_template *template = cache_template_of(&s->cache, p);
		const struct scheduler_claim claim = {.is_set = true,
			.priority = template->priority,
			.namespace = template->namespace};
		scheduler_enqueue(s, i);
		while (p->waiting == 0 && scheduler_make_room(s, &claim, 1))
			scheduler_enqueue(s, i);
		if (p->waiting != 0)
			continue;
		pressure_shelve(s, i, false);
	}
	s->requeue.unqueued = 0;
}

/*
 * Pods that wait go to the shelf, but for the few that are worked with; when those are all that is
 * left, what is too much of the shelf goes, from its end.
 */
static void pressure_free_reserve(struct scheduler *s)
{
	const struct page_budget *budget = s->cache.budget;
	const struct scheduler_claim must = {.must = true};
	if (budget == NULL)
		return;
	for (uint32_t shed = 0;
		shed < SHED_IN_A_TURN && pool_used(&s->cache.nodes) > s->cache.order.count &&
		page_budget_is_pressed(budget, PAGE_RESERVE_NONE);
		shed++) {
		scheduler_requeue_for_changes(s);
		if (!pressure_drop_strays(s))
			break;
	}
	for (uint32_t shed = 0; shed < SHED_IN_A_TURN &&
		s->cache.pods_pending >= CACHE_PODS_AT_WORK + SHED_AT_ONCE &&
		page_budget_is_pressed(budget, PAGE_RESERVE_NONE) &&
		scheduler_make_room(s, &must, SHED_AT_ONCE);
		shed += SHED_AT_ONCE)
		s->pressure.room_after = mono_after_ms(scheduler_now(s), ROOM_RESTS_MS);
	for (uint32_t gone = 0;
		gone < SHED_IN_A_TURN && shelf_count(&s->queue.shelf) > pressure_records(s) &&
		page_budget_is_pressed(budget, PAGE_RESERVE_RECORDS) &&
		pressure_drop_least(s, NULL);
		gone++)
		;
}

void scheduler_relieve(struct scheduler *s)
{
	pressure_queue_rest(s);
	pressure_free_reserve(s);
	scheduler_report_unreads(s);
	const struct scheduler_pressure *p = &s->pressure;
	bool has_shelf = shelf_count(&s->queue.shelf) > 0;
	bool may_list = mono_reached(scheduler_now(s), p->list_next);
	if ((p->missing > 0 && !has_shelf &&
		    (pressure_has_room(s) || (may_list && pressure_has_place(s)))) ||
		(p->unsaid && may_list && scheduler_may_report(s)))
		scheduler_list_pods_soon(s);
	if (!has_shelf)
		return;
	pressure_take_back(s);
	scheduler_report_shelf(s);
}

struct mono scheduler_relief_due(const struct scheduler *s)
{
	if (s->requeue.unqueued > 0)
		return scheduler_now(s);
	if (shelf_count(&s->queue.shelf) == 0 && !scheduler_has_unreported(s) &&
		!s->pressure.unsaid)
		return MONO_NEVER;
	return mono_after_ms(scheduler_now(s), WAKE_MS);
}
