/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows: nodes, waiting pods, memory, decisions, as arrays of JSON of any length. Where it is in a
 * table is remembered as an index, so rows that come or go meanwhile are shown or not, once.
 */
#include "base/budget.h"
#include "plugins/plugins.h"
#include "status/private.h"

enum {
	NOTE_MAX = 512,
	ROWS_MAX = 1000,       /* unless ?limit= says more */
	ROWS_OTHERS = 1 << 30, /* ids from here on are of pods of other schedulers */
	ROWS_LOOKS = 512,      /* pods looked at in one step */
	ROWS_LABELS_MAX = 3000 /* bytes of labels in a row, which has to fit into a piece */
};
#define ROWS_SHELVED    (UINT32_C(1) << 31) /* ... and from here on, that there is no memory for */
#define ROWS_UNREAD     (UINT32_C(3) << 30) /* ... and that could not be read */
#define ROWS_ALL_LABELS UINT32_MAX          /* instead of the id of a label's key */

void rows_begin(struct status_answer *a, struct writer *w, struct json_writer *j)
{
	write_z(w, a->any ? ",\n" : "[\n");
	a->any = true;
	json_write_init(j, w);
	json_open_object(j);
}

/* Behind the last row. */
bool rows_end(struct status_answer *a, struct writer *w)
{
	write_z(w, a->any ? "\n]\n" : "[]\n");
	return false;
}

static void rows_start(struct status_answer *a, status_step_fn *step)
{
	struct text filter = status_parameter(a, "q", a->filter, sizeof(a->filter) - 1);
	a->filter[filter.size] = '\0';
	a->limit = status_number(a, "limit", ROWS_MAX);
	a->at = status_number(a, "after", 0);
	if (a->at > INT32_MAX)
		a->at = INT32_MAX; /* behind the last one, whatever a table has */
	status_stream(a, status_json, step);
}

static bool is_filtered_out(const struct status_answer *a, struct text one, struct text other)
{
	struct text filter = text_of(a->filter);
	return filter.size > 0 && !text_contains(one, filter) && !text_contains(other, filter);
}

/* The row of a pod and its names. False: it is not asked for. */
static bool begin_pod_row(struct status_answer *a, struct writer *w, struct json_writer *j,
	struct text namespace, struct text name)
{
	if (is_filtered_out(a, namespace, name))
		return false;
	a->row++;
	rows_begin(a, w, j);
	json_member_text(j, "namespace", namespace);
	json_member_text(j, "name", name);
	return true;
}

/* ---- nodes ---- */

void rows_put_pair(struct json_writer *j, const char *key, int64_t used, int64_t allocatable)
{
	json_member_array(j, key);
	json_put_i64(j, used);
	json_put_i64(j, allocatable);
	json_close_array(j);
}

const char *rows_effect(uint32_t effect)
{
	static const char *const names[] = {
		"", "NoSchedule", "PreferNoSchedule", "NoExecute", "Unknown"};
	return names[effect < ARRAY_COUNT(names) ? effect : KUBE_EFFECT_UNKNOWN];
}

static void put_taints(
	const struct cache *cache, const struct kube_node_facts *facts, struct json_writer *j)
{
	const struct kube_taint *taints = KUBE_AT(facts, facts->taints, struct kube_taint);
	json_member_array(j, "taints");
	for (uint32_t i = 0; i < facts->taints.count && i < 16; i++) {
		char words[400];
		struct writer w;
		struct text value = cache_text(cache, taints[i].value);
		writer_init(&w, words, sizeof(words));
		write_text(&w, cache_text(cache, taints[i].key));
		if (value.size > 0)
			write_char(&w, '=');
		write_text(&w, value);
		write_char(&w, ':');
		write_z(&w, rows_effect(taints[i].effect));
		json_put_text(j, writer_text(&w));
	}
	json_close_array(j);
}

static void rows_put_conditions(uint32_t troubles, struct json_writer *j)
{
	static const char *const names[] = {"NotReady", "OutOfDisk", "NetworkUnavailable",
		"MemoryPressure", "DiskPressure", "PIDPressure"};
	json_member_array(j, "conditions");
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if ((troubles >> i & 1) != 0)
			json_put_z(j, names[i]);
	json_close_array(j);
}

/* All labels, or as many as a row has room for; with `key` only that one, as "label". */
static void rows_put_labels(
	const struct cache *cache, const struct cache_node *n, uint32_t key, struct json_writer *j)
{
	const struct kube_labels *set = cache_labels_at(cache, n->labels);
	size_t bytes = 0;
	uint32_t value;
	if (set == NULL)
		return;
	if (key != ROWS_ALL_LABELS) {
		if (kube_labels_get(set, key, &value))
			json_member_text(j, "label", cache_text(cache, value));
		return;
	}
	const struct kube_label *pairs = KUBE_AT(set, set->pairs, struct kube_label);
	json_member_object(j, "labels");
	for (uint32_t i = 0; i < set->pairs.count; i++) {
		struct text name = cache_text(cache, pairs[i].key);
		struct text words = cache_text(cache, pairs[i].value);
		bytes += name.size + words.size;
		if (bytes > ROWS_LABELS_MAX)
			break;
		json_key_text(j, name);
		json_put_text(j, words);
	}
	json_close_object(j);
}

void rows_put_node(
	const struct cache *cache, uint32_t index, uint32_t labels, struct json_writer *j)
{
	const struct cache_node *n = cache_node_at(cache, index);
	const struct kube_node_facts *facts = n->facts;
	json_member_text(j, "name", cache_text(cache, n->name));
	json_member_i64(j, "id", index);
	if (facts == NULL) {
		json_member_bool(j, "ghost", true);
		json_member_i64(j, "pods", n->sums.pods);
		return;
	}
	json_member_text(j, "zone", cache_text(cache, cache->order.zones[n->zone].name));
	rows_put_pair(j, "cpuMilli", n->sums.cpu_milli, facts->allocatable.cpu_milli);
	rows_put_pair(j, "memory", n->sums.memory_bytes, facts->allocatable.memory_bytes);
	rows_put_pair(j, "storage", n->sums.storage_bytes, facts->allocatable.storage_bytes);
	rows_put_pair(j, "pods", n->sums.pods, facts->allocatable.pods);
	json_member_bool(j, "unschedulable", facts->unschedulable != 0);
	json_member_bool(j, "ready", (facts->troubles & KUBE_NODE_NOT_READY) == 0);
	if (facts->ready_since_us != 0)
		json_member_i64(j, "readySinceMs", facts->ready_since_us / CLOCK_MS_US);
	if (n->unread_pods > 0)
		json_member_i64(j, "unreadPods", n->unread_pods & CACHE_NODE_UNREAD);
	if (facts->troubles != 0)
		rows_put_conditions(facts->troubles, j);
	put_taints(cache, facts, j);
	rows_put_labels(cache, n, labels, j);
	json_member_object(j, "more");
	for (uint32_t i = 0; i < n->sums.scalar_count && i < 16; i++) {
		const struct cache_node_scalar *scalar = &n->sums.scalars[i];
		json_key_text(j, cache_text(cache, scalar->name));
		json_open_array(j);
		json_put_i64(j, scalar->used);
		json_put_i64(j, scalar->allocatable);
		json_close_array(j);
	}
	json_close_object(j);
}

static bool node_step(struct status_answer *a, struct writer *w)
{
	const struct cache *cache = &a->status->s->cache;
	struct json_writer j;
	uint32_t index = a->row < a->limit ? pool_next(&cache->nodes, a->at) : 0;
	if (index == 0)
		return rows_end(a, w);
	a->at = index;
	const struct cache_node *n = cache_node_at(cache, index);
	struct text zone =
		n->facts == NULL ? TEXT("") : cache_text(cache, cache->order.zones[n->zone].name);
	if (is_filtered_out(a, cache_text(cache, n->name), zone))
		return true;
	a->row++;
	rows_begin(a, w, &j);
	rows_put_node(cache, index, a->part, &j);
	json_close_object(&j);
	return true;
}

/* Also for ?label=KEY; a key that is no string of the cluster's is no node's either. */
void nodes_answer(struct status_answer *a)
{
	char room[512];
	struct text label = status_parameter(a, "label", room, sizeof(room));
	rows_start(a, node_step);
	a->limit = status_number(a, "limit", UINT32_MAX);
	if (text_is_z(label, "*"))
		a->part = ROWS_ALL_LABELS;
	else if (label.size > 0)
		(void)intern_find(&a->status->s->cache.strings, label, &a->part);
}

/* ---- waiting pods ---- */

void rows_put_rejectors(const struct queue_waits *waits, struct json_writer *j)
{
	json_member_array(j, "plugins");
	for (struct plugin_set left = waits->plugins; !plugin_set_is_empty(&left);)
		json_put_z(j, plugins[plugin_set_take(&left)]->name);
	if (queue_waits_has(waits, QUEUE_EXTENDER))
		json_put_z(j, "Extender");
	if (queue_waits_has(waits, QUEUE_KINDS))
		json_put_z(j, "waits for a list of objects it refers to");
	json_close_array(j);
}

/*
 * What was last written to the apiserver, by us or the leader before: good until the pod changes.
 * Texts of conditions are strings of the cache.
 */
struct text rows_reason(const struct cache *cache, const struct cache_pod *p)
{
	struct cache_status status;
	cache_pod_status(cache, p, &status);
	for (uint32_t i = 0; i < status.count; i++)
		if (text_is_z(status.conditions[i].type, "PodScheduled"))
			return status.conditions[i].message;
	return TEXT_NONE;
}

static int64_t next_try_us(const struct scheduler *s, const struct queue_entry *e)
{
	switch ((enum queue_state)e->state) {
	case QUEUE_BACKOFF:
	case QUEUE_ERROR_BACKOFF: return mono_since_us(e->expires, scheduler_now(s));
	case QUEUE_UNSCHEDULABLE:
		return mono_since_us(e->timestamp, scheduler_now(s)) +
			s->setup.unschedulable_max_us;
	case QUEUE_GATED: return -1;
	default: return 0;
	}
}

/*
 * Pending pods that name no profile: other schedulers' ones, or ones with a slip in the name, which
 * no scheduler would ever schedule. They come after those of the queue.
 */
static bool other_pod_step(struct status_answer *a, struct writer *w)
{
	const struct scheduler *s = a->status->s;
	const struct pool *pods = &s->cache.pods;
	uint32_t index = a->at - ROWS_OTHERS;
	struct json_writer j;
	for (uint32_t looks = 0; looks < ROWS_LOOKS; looks++) {
		index = a->row < a->limit ? pool_next(pods, index) : 0;
		if (index == 0) {
			a->at = ROWS_SHELVED;
			return true;
		}
		a->at = ROWS_OTHERS + index;
		const struct cache_pod *p = cache_pod_at(&s->cache, index);
		if (p->node != 0 || p->waiting != 0 || cycle_profile_of(&s->cycle, index) != NULL)
			continue;
		const struct kube_pod_template *template = cache_template_of(&s->cache, p);
		struct text namespace = cache_text(&s->cache, template->namespace);
		struct text name = cache_text(&s->cache, p->name);
		if (!begin_pod_row(a, w, &j, namespace, name))
			continue;
		json_member_i64(&j, "id", a->at);
		json_member_z(&j, "state", "other scheduler");
		json_member_i64(&j, "priority", template->priority);
		json_member_text(&j, "scheduler", cache_text(&s->cache, template->scheduler_name));
		json_close_object(&j);
		return true;
	}
	return true;
}

/* Pods that could not be read, and wait. */
static bool unread_pod_step(struct status_answer *a, struct writer *w)
{
	const struct cache *cache = &a->status->s->cache;
	const struct pool *unreads = &cache->unreads.pool;
	uint32_t index = a->at - ROWS_UNREAD;
	struct json_writer j;
	index = a->row < a->limit ? pool_next(unreads, index) : 0;
	if (index == 0)
		return rows_end(a, w);
	a->at = ROWS_UNREAD + index;
	const struct cache_unread *unread = pool_at(unreads, index);
	struct text namespace = cache_text(cache, unread->namespace);
	struct text name = cache_text(cache, unread->name);
	if (unread->node != 0 || !begin_pod_row(a, w, &j, namespace, name))
		return true;
	json_member_i64(&j, "id", a->at);
	json_member_z(&j, "state", "unreadable");
	char why[NOTE_MAX];
	struct writer reason;
	writer_init(&reason, why, sizeof(why));
	write_format(&reason, "the pod cannot be read (%s: %s): it is not scheduled", unread->field,
		unread->reason);
	json_member_text(&j, "reason", writer_text(&reason));
	json_close_object(&j);
	return true;
}

/* Pods that there is no memory for. */
static bool shelved_pod_step(struct status_answer *a, struct writer *w)
{
	const struct scheduler *s = a->status->s;
	const struct shelf *shelf = scheduler_shelf(s);
	uint32_t index = a->at - ROWS_SHELVED;
	char room[SHELF_NAME_MAX];
	struct json_writer j;
	index = a->row < a->limit ? pool_next(&shelf->pods, index) : 0;
	if (index == 0) {
		a->at = ROWS_UNREAD;
		return true;
	}
	a->at = ROWS_SHELVED + index;
	const struct shelf_pod *p = shelf_pod_at(shelf, index);
	struct text namespace = shelf_namespace(shelf, p);
	struct text name = shelf_name(shelf, p, room);
	if (!begin_pod_row(a, w, &j, namespace, name))
		return true;
	json_member_i64(&j, "id", a->at);
	json_member_z(&j, "state", "no memory");
	json_member_i64(&j, "priority", p->priority);
	json_member_i64(&j, "sinceS", shelf_waited_us(shelf, p, scheduler_now(s)) / CLOCK_S_US);
	json_member_z(&j, "reason",
		(p->flags & SHELF_GATED) != 0
			? "it has scheduling gates, and there is no memory to keep it"
			: "there is no memory for it (--memory): it is tried by its priority as "
			  "soon as there is room");
	json_close_object(&j);
	return true;
}

const char *const rows_queue_states[QUEUE_STATES] = {
	"active", "backoff", "backoff", "unschedulable", "gated", "binding"};

static bool pod_step(struct status_answer *a, struct writer *w)
{
	const struct scheduler *s = a->status->s;
	struct json_writer j;
	if (a->at >= ROWS_UNREAD)
		return unread_pod_step(a, w);
	if (a->at >= ROWS_SHELVED)
		return shelved_pod_step(a, w);
	if (a->at >= ROWS_OTHERS)
		return other_pod_step(a, w);
	uint32_t entry = a->row < a->limit ? pool_next(&s->queue.entries, a->at) : 0;
	if (entry == 0) {
		a->at = ROWS_OTHERS;
		return true;
	}
	a->at = entry;
	const struct queue_entry *e = queue_entry_at(&s->queue, entry);
	const struct cache_pod *p = cache_pod_at(&s->cache, e->pod);
	const struct kube_pod_template *class = cache_template_of(&s->cache, p);
	struct text namespace = cache_text(&s->cache, class->namespace);
	struct text name = cache_text(&s->cache, p->name);
	if (!begin_pod_row(a, w, &j, namespace, name))
		return true;
	status_put_owner(&s->cache, p, &j);
	json_member_i64(&j, "id", entry);
	json_member_z(&j, "state", rows_queue_states[e->state]);
	json_member_i64(&j, "priority", class->priority);
	json_member_i64(&j, "attempts", e->attempts);
	json_member_i64(
		&j, "sinceS", mono_since_us(scheduler_now(s), queue_came_at(e)) / CLOCK_S_US);
	int64_t next_us = next_try_us(s, e);
	json_member_i64(&j, "nextTryS", next_us < 0 ? -1 : next_us / CLOCK_S_US);
	json_member_i64(&j, "cpuMilli", class->fit.cpu_milli);
	json_member_i64(&j, "memory", class->fit.memory_bytes);
	json_member_text(&j, "nominated", cache_text(&s->cache, p->nominated));
	const struct queue_waits rejectors = queue_rejectors(e);
	rows_put_rejectors(&rejectors, &j);
	struct text reason = rows_reason(&s->cache, p);
	if (reason.at != NULL)
		json_member_text(&j, "reason", reason);
	json_close_object(&j);
	return true;
}

void pods_answer(struct status_answer *a)
{
	char room[16];
	struct text state = status_parameter(a, "state", room, sizeof(room));
	if (state.at != NULL && !text_is_z(state, "pending"))
		status_refuse(a, 400, "only ?state=pending is supported");
	else
		rows_start(a, pod_step);
}

/* ---- memory ---- */

static bool budget_step(struct status_answer *a, struct writer *w)
{
	const struct budget *b = budget_first();
	struct json_writer j;
	for (uint32_t i = 0; i < a->row && b != NULL; i++)
		b = budget_next(b);
	if (b == NULL)
		return rows_end(a, w);
	a->row++;
	rows_begin(a, w, &j);
	json_member_z(&j, "name", b->name);
	json_member_z(&j, "unit", b->unit);
	json_member_i64(&j, "used", (int64_t)b->used);
	json_member_i64(&j, "usedMax", (int64_t)b->used_max);
	json_member_i64(&j, "capacity", (int64_t)b->capacity);
	json_member_i64(&j, "refused", (int64_t)b->refused);
	json_close_object(&j);
	return true;
}

void memory_answer(struct status_answer *a)
{
	status_stream(a, status_json, budget_step);
}

/* ---- decisions ---- */

void decisions_put(const struct scheduler_metrics *metrics, const struct scheduler_record *r,
	struct json_writer *j)
{
	static const char *const results[SCHEDULER_RESULTS] = {
		"scheduled", "unschedulable", "error"};
	json_member_i64(j, "serial", (int64_t)r->serial);
	json_member_i64(j, "atMs", r->at.us / CLOCK_MS_US);
	json_member_z(j, "pod", r->pod);
	json_member_z(j, "result", results[r->result]);
	json_member_z(j, "node", r->node);
	json_member_z(j, "message", r->words);
	json_member_i64(j, "feasible", r->feasible);
	json_member_i64(j, "evaluated", r->evaluated);
	json_member_i64(j, "tookUs", r->took_us);
	struct text best = scheduler_best_at(metrics, r->serial);
	if (best.size == 0)
		return;
	json_key(j, "best");
	json_put_raw(j, best);
}

/* Newest first. */
static bool decision_step(struct status_answer *a, struct writer *w)
{
	struct json_writer j;
	const struct scheduler_metrics *metrics = &a->status->s->metrics;
	const struct scheduler_record *r = scheduler_record_at(metrics, a->serial);
	if (r == NULL)
		return rows_end(a, w);
	a->serial--;
	rows_begin(a, w, &j);
	decisions_put(metrics, r, &j);
	json_close_object(&j);
	return true;
}

void decisions_answer(struct status_answer *a)
{
	a->serial = a->status->s->metrics.serial;
	status_stream(a, status_json, decision_step);
}
