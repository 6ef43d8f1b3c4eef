/* SPDX-License-Identifier: GPL-2.0-only */
/* What would be otherwise, and rolling updates. */
#include "command/change.h"

#include "command/workload.h"

static const char *const names[CHANGES] = {
	[CHANGE_NEW] = "new",
	[CHANGE_MOVED] = "moved",
	[CHANGE_REPLACED] = "replaced",
	[CHANGE_SURPLUS] = "surplus",
	[CHANGE_PREEMPTED] = "preempted",
	[CHANGE_STUCK] = "stuck",
};

const char *change_name(enum change what)
{
	return names[what];
}

static struct text change_namespace(const struct cache *cache, const struct cache_pod *pod)
{
	return cache_text(cache, cache_template_of(cache, pod)->namespace);
}

struct dump_change *dump_change(struct dump *d, uint32_t pod, enum change what)
{
	const struct cache *cache = d->cache;
	const struct cache_pod *p = cache_pod_at(cache, pod);
	struct text namespace = change_namespace(cache, p), name = cache_text(cache, p->name);
	struct text node =
		p->node == 0 ? TEXT("") : cache_text(cache, cache_node_at(cache, p->node)->name);
	size_t size = namespace.size + 1 + name.size + node.size;
	struct dump_change *change =
		workload_open(d) ? SCRATCH_ONE(&d->kept, struct dump_change) : NULL;
	char *at = change == NULL ? NULL : scratch_take(&d->kept, size);
	struct writer w;
	if (at == NULL)
		return NULL;
	writer_init(&w, at, size);
	write_text(&w, namespace);
	write_char(&w, '/');
	write_text(&w, name);
	*change = (struct dump_change){.name = writer_text(&w),
		.pod = pod,
		.workload = d->pods[pod].workload,
		.what = (uint8_t)what,
		.is_old = what == CHANGE_REPLACED || what == CHANGE_SURPLUS ||
			what == CHANGE_PREEMPTED};
	write_text(&w, node);
	change->node = text_from(writer_text(&w), change->name.size);
	*d->changes_end = change;
	d->changes_end = &change->next;
	return change;
}

struct text change_keep(struct dump *d, struct text t)
{
	char *at = scratch_take(&d->kept, t.size + 1);
	if (at == NULL)
		return TEXT("(too long)");
	if (t.size > 0)
		memcpy(at, t.at, t.size);
	return (struct text){at, t.size};
}

void change_preempted(struct dump *d, uint32_t pod, struct text by)
{
	struct dump_change *change = d->changes;
	while (change != NULL && change->pod != pod)
		change = change->next;
	if (change == NULL)
		change = dump_change(d, pod, CHANGE_PREEMPTED);
	else if (!change->is_old)
		change->what = CHANGE_STUCK;
	if (change != NULL)
		change->why = change_keep(d, by);
}

/* ---- a rolling update ---- */

/* One more of the old ones goes, unless too few would be left. */
static bool roll_one(struct dump *d, struct dump_workload *w)
{
	struct dump_change *old = d->changes;
	while (old != NULL &&
		(old->pod == 0 || !old->is_old || &d->workloads[old->workload - 1] != w))
		old = old->next;
	if (old == NULL)
		return false;
	bool was_available = old->node.size > 0;
	if (was_available && w->available + w->unavailable <= w->wanted)
		return false;
	size_t slash = text_find(old->name, '/');
	/* Unless it was preempted. */
	if (cache_find_pod(d->cache, text_first(old->name, slash),
		    text_from(old->name, slash + 1)) == old->pod)
		(void)cache_remove_pod(d->cache, old->pod);
	old->pod = 0;
	w->there--;
	w->available -= was_available;
	return true;
}

static void roll(struct dump *d, struct dump_workload *w)
{
	while (w->surge + w->unavailable > 0 && roll_one(d, w))
		continue;
}

static struct dump_workload *workload_of(struct dump *d, uint32_t pod)
{
	return d->pods[pod].workload == 0 ? NULL : &d->workloads[d->pods[pod].workload - 1];
}

void change_settle(struct dump *d)
{
	for (uint32_t i = 0; i < d->workload_count; i++)
		roll(d, &d->workloads[i]);
}

bool change_step(struct dump *d, uint32_t pod)
{
	struct dump_workload *w = workload_of(d, pod);
	if (w == NULL || w->surge + w->unavailable == 0)
		return true;
	if (w->there >= w->wanted + w->surge)
		return false;
	w->there++;
	return true;
}

void change_placed(struct dump *d, uint32_t pod)
{
	struct dump_workload *w = workload_of(d, pod);
	if (w == NULL)
		return;
	w->available++;
	roll(d, w);
}

uint32_t change_gone(const struct dump *d, uint32_t workload)
{
	uint32_t count = 0;
	for (const struct dump_change *c = d->changes; c != NULL; c = c->next)
		count += c->is_old && c->pod == 0 && c->workload == workload + 1;
	return count;
}

/* ---- the lines ---- */

static struct dump_change *find_taken(struct dump *d, const struct dump_change *new, bool same)
{
	for (struct dump_change *old = d->changes; old != NULL; old = old->next)
		if (old->is_old && !old->is_taken && old->pod == 0 &&
			old->what == CHANGE_REPLACED && old->workload == new->workload &&
			(!same || text_is(old->node, new->node)))
			return old;
	return NULL;
}

void change_pair(struct dump *d)
{
	for (int round = 0; round < 2; round++)
		for (struct dump_change *c = d->changes; c != NULL; c = c->next) {
			bool same = round == 0;
			struct dump_change *old = c->what != CHANGE_NEW || c->workload == 0
				? NULL
				: find_taken(d, c, same);
			if (old == NULL)
				continue;
			old->is_taken = true;
			c->instead = old;
			c->what = same ? CHANGE_REPLACED : CHANGE_MOVED;
		}
}

/* An old one whose place is taken is part of the line of the new one; one that stays has none. */
static bool is_line(const struct dump_change *c)
{
	return !c->is_old || (!c->is_taken && (c->pod == 0 || c->what == CHANGE_PREEMPTED));
}

static void write_change(const struct dump_change *c, struct writer *w)
{
	static const char signs[CHANGES] = {'+', '~', '~', '-', '-', '!'};
	const char sign[2] = {c->is_old ? '-' : signs[c->what], '\0'};
	struct json_writer j;
	json_write_init(&j, w);
	json_open_object(&j);
	json_member_z(&j, "sign", sign);
	json_member_z(&j, "change", names[c->what]);
	json_member_text(&j, "pod", c->name);
	json_member_text(&j, "node", c->node);
	if (c->instead != NULL) {
		json_member_text(&j, "from", c->instead->node);
		json_member_text(&j, "insteadOf", c->instead->name);
	}
	if (c->why.size > 0)
		json_member_text(&j, "why", c->why);
	json_close_object(&j);
}

struct text *change_rows(struct dump *d, uint32_t *count, uint32_t *counts)
{
	struct text *rows;
	uint32_t all = 0;
	*count = 0;
	for (const struct dump_change *c = d->changes; c != NULL; c = c->next)
		all++;
	rows = SCRATCH_ARRAY(&d->kept, struct text, (size_t)all + 1);
	for (const struct dump_change *c = d->changes; rows != NULL && c != NULL; c = c->next) {
		size_t room;
		struct writer w;
		if (!is_line(c))
			continue;
		char *at = scratch_take_rest(&d->kept, &room);
		writer_init(&w, at, room);
		write_change(c, &w);
		scratch_keep(&d->kept, at, w.overflowed ? 0 : w.used);
		counts[c->what]++;
		rows[*count] = writer_text(&w);
		*count += !w.overflowed;
	}
	return rows;
}
