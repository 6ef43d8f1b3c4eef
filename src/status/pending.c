/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pending pods by owner and cause: 60 equal pods are one row with one hint. The most pods first.
 *
 *	[{"namespace":"d","owner":"ReplicaSet/web-7d","pod":"web-7d-x2v5k","count":60,
 *	  "states":{"unschedulable":60},"priority":0,"cpuMilli":165,"memory":1048576,"sinceS":312,
 *	  "plugins":["NodeResourcesFit"],"reason":"0/40 nodes are available: ...",
 *	  "help":["Smaller requests, or room on a node."]},
 *	 {"namespace":"d","pod":"typo","count":1,
 *	  "states":{"other scheduler":1},"scheduler":"berht"},
 *	 {"count":3,"states":{"no memory":3},"reason":"..."},
 *	 {"count":1,"states":{"unreadable":1},"reason":"..."},
 *	 {"count":9,"states":{"more":9},"reason":"..."}]
 *
 * "pod" is one of them, requests are of one. The table is made in pieces, by the requests for it,
 *and is shared by all who ask within the same second.
 */
#include "status/private.h"

#include "base/hash.h"
#include "plugins/plugins.h"

enum {
	PENDING_ROWS = 512,
	PENDING_SLOTS = 2 * PENDING_ROWS,
	PENDING_NAMESPACES = 64,           /* that are told apart, by their ids */
	PENDING_LOOKS = 4096,              /* pods looked at in one step */
	PENDING_OLD_S = 10,                /* then it is made again, though some still read it */
	PENDING_STATES = QUEUE_STATES + 1, /* the last: of another scheduler */
	PENDING_OTHER = QUEUE_STATES
};

struct pending_row {
	uint32_t hash; /* 0: there is none */
	uint32_t pod;  /* one of them */
	struct cache_uid uid;
	struct mono since; /* the oldest of them */
	uint32_t count;
	uint32_t states[PENDING_STATES];
};

struct status_pending {
	uint64_t serial;
	struct mono began;
	bool is_done;
	uint32_t at; /* pods up to this one are in */
	uint32_t used;
	uint32_t more; /* that found no row */
	uint16_t rows_of[PENDING_NAMESPACES];
	uint16_t order[PENDING_ROWS];
	struct pending_row rows[PENDING_SLOTS];
};

void pending_open(struct status *status)
{
	arena_take_span(status->setup.arena, &status->pending_span, sizeof(struct status_pending));
}

size_t pending_size(void)
{
	return arena_span_size(sizeof(struct status_pending));
}

/* ---- the table ---- */

static uint32_t pending_hash(const struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	const struct kube_owner_ids owner =
		kube_labels_owner(cache_labels_at(&s->cache, p->labels));
	const struct cache_shared *template = pool_at(&s->cache.classes, p->class);
	uint32_t hash = hash_pair((uint32_t) template->serial, owner.uid_hash);
	if (p->waiting != 0) {
		const struct queue_waits waits =
			queue_rejectors(queue_entry_at(&s->queue, p->waiting));
		hash = hash_more(hash, hash_bytes(&waits.plugins, sizeof(waits.plugins)));
		hash = hash_more(hash, waits.others);
	}
	return hash == 0 ? 1 : hash;
}

/*
 * No namespace has more rows than are free, so that the pods of a namespace with hundreds of causes
 * do not hide those of another.
 */
static struct pending_row *row_of(struct status_pending *t, uint32_t hash, uint32_t namespace)
{
	uint32_t slot = hash % PENDING_SLOTS;
	uint16_t *rows = &t->rows_of[namespace % PENDING_NAMESPACES];
	while (t->rows[slot].hash != 0 && t->rows[slot].hash != hash)
		slot = (slot + 1) % PENDING_SLOTS;
	if (t->rows[slot].hash == hash)
		return &t->rows[slot];
	if (*rows >= PENDING_ROWS - t->used)
		return NULL;
	++*rows;
	t->order[t->used++] = (uint16_t)slot;
	t->rows[slot].since = MONO_NEVER;
	return &t->rows[slot];
}

static void pending_add(const struct scheduler *s, struct status_pending *t, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	if (p->node != 0 || (p->flags & CACHE_POD_IMAGINED) != 0 ||
		(p->waiting == 0 && cycle_profile_of(&s->cycle, pod) != NULL))
		return;
	uint32_t hash = pending_hash(s, pod);
	struct pending_row *row = row_of(t, hash, cache_template_of(&s->cache, p)->namespace);
	if (row == NULL) {
		t->more++;
		return;
	}
	row->hash = hash;
	row->pod = pod;
	row->uid = p->uid;
	row->count++;
	if (p->waiting == 0) {
		row->states[PENDING_OTHER]++;
		return;
	}
	const struct queue_entry *e = queue_entry_at(&s->queue, p->waiting);
	row->states[e->state == QUEUE_ERROR_BACKOFF ? QUEUE_BACKOFF : e->state]++;
	row->since = mono_earlier(row->since, queue_came_at(e));
}

static void pending_sort(struct status_pending *t)
{
	for (uint32_t i = 1; i < t->used; i++) {
		uint16_t slot = t->order[i];
		uint32_t k = i;
		for (; k > 0 && t->rows[t->order[k - 1]].count < t->rows[slot].count; k--)
			t->order[k] = t->order[k - 1];
		t->order[k] = slot;
	}
}

/* Some more pods; true when all are in. */
static bool pending_go_on(const struct scheduler *s, struct status_pending *t)
{
	for (uint32_t looks = 0; looks < PENDING_LOOKS && !t->is_done; looks++) {
		t->at = pool_next(&s->cache.pods, t->at);
		t->is_done = t->at == 0;
		if (!t->is_done)
			pending_add(s, t, t->at);
	}
	if (t->is_done)
		pending_sort(t);
	return t->is_done;
}

static bool is_read(const struct status_door *door)
{
	for (uint32_t i = 0; i < door->answer_count; i++)
		if (door->answers[i].exchange != NULL && door->answers[i].reads_pending)
			return true;
	return false;
}

/* The table, new or still good; NULL: there is no memory for it. */
static struct status_pending *pending_table(struct status *status)
{
	struct page_span *span = &status->pending_span;
	struct status_pending *t = (struct status_pending *)(void *)span->base;
	struct mono now = net_now(status->setup.net);
	if (!page_span_reach(span, sizeof(*t)))
		return NULL;
	int64_t age_us = mono_since_us(now, t->began);
	bool is_old = t->serial == 0 || age_us >= PENDING_OLD_S * CLOCK_S_US;
	bool may_end =
		age_us >= CLOCK_S_US && !is_read(&status->secure) && !is_read(&status->plain);
	if (is_old || may_end) {
		uint64_t serial = t->serial + 1;
		memset(t, 0, sizeof(*t));
		t->serial = serial;
		t->began = now;
	}
	return t;
}

/* ---- rows ---- */

/* "A node with disk=nvme, zone=a." */
static void pending_put_labels(
	const struct cache *cache, const struct kube_pod_template *template, struct json_writer *j)
{
	const struct kube_label *labels =
		KUBE_AT(template, template->node_selector, struct kube_label);
	char room[1024];
	struct writer w;
	writer_init(&w, room, sizeof(room));
	for (uint32_t i = 0; i < template->node_selector.count; i++)
		write_format(&w, "%s%.*s=%.*s", i == 0 ? "A node with " : ", ",
			TEXT_ARGS(cache_text(cache, labels[i].key)),
			TEXT_ARGS(cache_text(cache, labels[i].value)));
	write_char(&w, '.');
	json_put_text(j, writer_text(&w));
}

static void pending_put_help(const struct cache *cache, const struct kube_pod_template *template,
	const struct queue_waits *waits, struct text reason, struct json_writer *j)
{
	json_member_array(j, "help");
	for (struct plugin_set left = waits->plugins; !plugin_set_is_empty(&left);) {
		uint32_t id = plugin_set_take(&left);
		const char *help = plugin_help_for(plugins[id], reason);
		if (id == PLUGIN_NODE_AFFINITY && template->node_selector.count > 0)
			pending_put_labels(cache, template, j);
		else if (help != NULL)
			json_put_z(j, help);
	}
	json_close_array(j);
}

static void pending_put_states(const struct pending_row *row, struct json_writer *j)
{
	json_member_i64(j, "count", row->count);
	json_member_object(j, "states");
	for (uint32_t i = 0; i < PENDING_STATES; i++)
		if (row->states[i] > 0)
			json_member_i64(j,
				i == PENDING_OTHER ? "other scheduler" : rows_queue_states[i],
				row->states[i]);
	json_close_object(j);
}

static void pending_put_row(
	const struct scheduler *s, const struct pending_row *row, struct json_writer *j)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, row->pod);
	const struct kube_pod_template *template = cache_template_of(&s->cache, p);
	json_member_text(j, "namespace", cache_text(&s->cache, template->namespace));
	status_put_owner(&s->cache, p, j);
	json_member_text(j, "pod", cache_text(&s->cache, p->name));
	pending_put_states(row, j);
	json_member_i64(j, "priority", template->priority);
	json_member_i64(j, "cpuMilli", template->fit.cpu_milli);
	json_member_i64(j, "memory", template->fit.memory_bytes);
	if (p->waiting == 0) {
		json_member_text(j, "scheduler", cache_text(&s->cache, template->scheduler_name));
		json_member_z(j, "reason",
			"no profile of this scheduler has the name in spec.schedulerName");
		return;
	}
	const struct queue_waits waits = queue_rejectors(queue_entry_at(&s->queue, p->waiting));
	json_member_i64(j, "sinceS", mono_since_us(scheduler_now(s), row->since) / CLOCK_S_US);
	rows_put_rejectors(&waits, j);
	struct text reason = rows_reason(&s->cache, p);
	if (reason.size > 0)
		json_member_text(j, "reason", reason);
	pending_put_help(&s->cache, template, &waits, reason, j);
}

/* Those that are not in the table. */
static bool pending_put_rest(
	struct status_answer *a, const struct status_pending *t, uint32_t which, struct writer *w)
{
	const struct scheduler *s = a->status->s;
	static const char *const names[] = {"no memory", "unreadable", "more"};
	static const char *const reasons[] = {
		"there is no memory for them (--memory): they are tried as soon as there is room",
		"too big or too odd to be read: they are not scheduled",
		"of owners or causes that found no row here"};
	const uint32_t counts[] = {
		scheduler_pods_without_memory(s), s->cache.unreads.pending, t->more};
	struct json_writer j;
	if (which == ARRAY_COUNT(names))
		return rows_end(a, w);
	if (counts[which] == 0)
		return true;
	rows_begin(a, w, &j);
	json_member_i64(&j, "count", counts[which]);
	json_member_object(&j, "states");
	json_member_i64(&j, names[which], counts[which]);
	json_close_object(&j);
	json_member_z(&j, "reason", reasons[which]);
	json_close_object(&j);
	return true;
}

static bool pending_step(struct status_answer *a, struct writer *w)
{
	const struct scheduler *s = a->status->s;
	struct status_pending *t = (struct status_pending *)(void *)a->status->pending_span.base;
	struct json_writer j;
	if (!a->reads_pending) {
		a->is_enough = true;
		a->reads_pending = pending_go_on(s, t);
		a->serial = t->serial;
		return true;
	}
	if (a->serial != t->serial) { /* who reads so slowly asks again */
		a->reads_pending = false;
		return rows_end(a, w);
	}
	uint32_t at = a->at++;
	if (at >= t->used)
		return pending_put_rest(a, t, at - t->used, w);
	const struct pending_row *row = &t->rows[t->order[at]];
	if (!pool_is_taken(&s->cache.pods, row->pod))
		return true;
	const struct cache_pod *p = cache_pod_at(&s->cache, row->pod);
	if (p->uid.high != row->uid.high || p->uid.low != row->uid.low || p->node != 0)
		return true; /* it has a node meanwhile */
	rows_begin(a, w, &j);
	pending_put_row(s, row, &j);
	json_close_object(&j);
	return true;
}

void pending_answer(struct status_answer *a)
{
	if (pending_table(a->status) == NULL)
		status_refuse(a, 503, "no memory to group what is pending; /berth/v1/pods has it");
	else
		status_stream(a, status_json, pending_step);
}
