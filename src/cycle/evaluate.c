/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prefilter and filter, node by node and with all reasons: slow, and obviously what the plugins
 * say. The fast way (fast.c) must come to the same nodes.
 */
#include "cycle/evaluation.h"

/* ---- setting up ---- */

static void set_pod(struct evaluation *e, uint32_t index)
{
	struct cache *cache = e->cycle->cache;
	const struct cache_pod *pod = cache_pod_at(cache, index);
	e->d.pod = (struct plugin_pod){.index = index,
		.class_index = pod->class,
		.class = cache_class_of(cache, pod),
		.labels = cache_labels_at(cache, pod->labels),
		.name = cache_text(cache, pod->name),
		.uid = pod->uid};
	e->d.pod.namespace_labels = cache_namespace_labels(cache, e->d.pod.class->namespace);
}

/* Pods of the same or a higher priority that wait for room on a node that is there. */
static bool find_nominated(struct evaluation *e)
{
	struct cache *cache = e->cycle->cache;
	uint32_t most = 0;
	for (struct list *l = cache->nominated.next; l != &cache->nominated; l = l->next)
		most++;
	if (most == 0)
		return true;
	e->nominated = SCRATCH_ARRAY(e->d.scratch, struct cycle_nominated, most);
	if (e->nominated == NULL)
		return false;
	for (struct list *l = cache->nominated.next; l != &cache->nominated; l = l->next) {
		const struct cache_pod *pod = LIST_OWNER(l, struct cache_pod, nominated_link);
		uint32_t index = cache_pod_index(cache, pod);
		uint32_t node = cache_find_node_id(cache, pod->nominated);
		if (index == e->d.pod.index || node == 0 ||
			cache_node_at(cache, node)->facts == NULL ||
			cache_class_of(cache, pod)->priority < e->d.pod.class->priority)
			continue;
		e->nominated[e->nominated_count++] = (struct cycle_nominated){index, node};
	}
	return true;
}

bool evaluation_begin(
	struct evaluation *e, struct cycle *cycle, uint32_t pod, enum cache_tally_way way)
{
	scratch_reset(&cycle->scratch);
	cache_begin_decision(cycle->cache);
	*e = (struct evaluation){.cycle = cycle};
	e->d.cache = cycle->cache;
	e->d.profile = cycle_profile_of(cycle, pod);
	CHECK(e->d.profile != NULL);
	e->d.scratch = &cycle->scratch;
	e->d.way = way;
	set_pod(e, pod);
	e->nodes = cache_order(cycle->cache, &e->node_count);
	e->candidates = e->nodes;
	e->candidate_count = e->node_count;
	e->absent = (struct cycle_status){.code = PLUGIN_UNRESOLVABLE, .plugin = PLUGIN_COUNT};
	e->known = SCRATCH_ARRAY(e->d.scratch, struct cycle_status, CYCLE_KNOWN_STATUSES);
	return e->known != NULL && find_nominated(e);
}

/* ---- prefilter ---- */

struct narrowing { /* the node sets that plugins gave, intersected */
	uint32_t *set;
	uint32_t count;
	uint32_t plugins;
	bool active;
};

static bool narrow(struct evaluation *e, struct narrowing *n, uint8_t plugin)
{
	struct decision *d = &e->d;
	if (d->only_nodes == NULL)
		return true;
	n->plugins |= UINT32_C(1) << plugin;
	uint32_t *set = SCRATCH_ARRAY(d->scratch, uint32_t, d->only_node_count + 1);
	if (set == NULL)
		return false;
	uint32_t count = 0;
	for (uint32_t i = 0; i < d->only_node_count; i++) {
		bool in = !n->active;
		for (uint32_t k = 0; k < n->count && !in; k++)
			in = n->set[k] == d->only_nodes[i];
		if (in)
			set[count++] = d->only_nodes[i];
	}
	n->set = set;
	n->count = count;
	n->active = true;
	d->only_nodes = NULL;
	d->only_node_count = 0;
	return true;
}

/* Names of the plugins in the bits, sorted, as Go prints a list: "[A B]". */
static void write_names(struct writer *w, uint32_t bits)
{
	const char *names[PLUGIN_COUNT];
	uint32_t count = 0;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
		if ((bits >> id & 1) == 0)
			continue;
		uint32_t at = count++;
		for (; at > 0 && strcmp(names[at - 1], plugins[id].name) > 0; at--)
			names[at] = names[at - 1];
		names[at] = plugins[id].name;
	}
	write_char(w, '[');
	for (uint32_t i = 0; i < count; i++)
		write_format(w, i == 0 ? "%s" : " %s", names[i]);
	write_char(w, ']');
}

static void because_narrowed(struct plugin_reasons *why, uint32_t bits, bool empty)
{
	char names[512];
	struct writer w;
	writer_init(&w, names, sizeof(names));
	write_names(&w, bits);
	bool one = (bits & (bits - 1)) == 0;
	if (!empty)
		plugin_because_of(
			why, "node(s) didn't satisfy plugin(s) %.*s", TEXT_ARGS(writer_text(&w)));
	else if (one)
		plugin_because_of(
			why, "node(s) didn't satisfy plugin %s", plugins[__builtin_ctz(bits)].name);
	else
		plugin_because_of(why, "node(s) didn't satisfy plugin(s) %.*s simultaneously",
			TEXT_ARGS(writer_text(&w)));
}

static bool reject(struct evaluation *e, const struct plugin_reasons *why, enum plugin_code code,
	uint8_t plugin)
{
	e->prefilter_rejected = true;
	if (plugin < PLUGIN_COUNT)
		e->rejectors |= UINT32_C(1) << plugin;
	return evaluation_keep_status(
		       e, scratch_mark(e->d.scratch), why, code, plugin, &e->prefilter) ||
		evaluation_fail(e, POINT_PREFILTER, NULL);
}

/* Only the nodes that were named and exist are looked at; the others have a status in common. */
static bool apply_narrowing(struct evaluation *e, const struct narrowing *n)
{
	if (!n->active)
		return true;
	e->rejectors |= n->plugins;
	e->d.only_nodes = n->set;
	e->d.only_node_count = n->count;
	e->d.only_node_plugins = n->plugins;
	struct plugin_reasons why = {.scratch = e->d.scratch};
	if (n->count == 0) {
		because_narrowed(&why, n->plugins, true);
		return reject(e, &why, PLUGIN_UNRESOLVABLE, PLUGIN_COUNT);
	}
	uint32_t *candidates = SCRATCH_ARRAY(e->d.scratch, uint32_t, n->count);
	if (candidates == NULL)
		return evaluation_fail(e, POINT_PREFILTER, NULL);
	uint32_t count = 0;
	for (uint32_t i = 0; i < n->count; i++) {
		uint32_t node = cache_find_node_id(e->cycle->cache, n->set[i]);
		if (node != 0 && cache_node_at(e->cycle->cache, node)->facts != NULL)
			candidates[count++] = node;
	}
	e->candidates = candidates;
	e->candidate_count = count;
	because_narrowed(&why, n->plugins, false);
	return evaluation_keep_status(e, scratch_mark(e->d.scratch), &why, PLUGIN_UNRESOLVABLE,
		       PLUGIN_COUNT, &e->absent) ||
		evaluation_fail(e, POINT_PREFILTER, NULL);
}

bool evaluation_prefilter(struct evaluation *e)
{
	const struct plugin_uses *uses = &e->d.profile->pre_filter;
	struct narrowing narrowing = {0};
	for (uint32_t i = 0; i < uses->count; i++) {
		uint8_t id = uses->list[i].id;
		if (plugins[id].prefilter == NULL)
			continue;
		struct plugin_reasons why = {.scratch = e->d.scratch};
		enum plugin_code code = plugins[id].prefilter(&e->d, &why);
		e->d.prefiltered |= UINT32_C(1) << id;
		if (id == PLUGIN_DYNAMIC_RESOURCES)
			e->reached_dynamic_resources =
				code == PLUGIN_SKIP || code == PLUGIN_SUCCESS;
		if (code == PLUGIN_SKIP)
			e->d.skip_filter |= UINT32_C(1) << id;
		else if (code == PLUGIN_UNRESOLVABLE || code == PLUGIN_UNSCHEDULABLE) {
			if (!reject(e, &why, code, id))
				return false;
			if (code == PLUGIN_UNRESOLVABLE)
				return true;
		} else if (code != PLUGIN_SUCCESS || e->d.scratch->overflowed)
			return evaluation_fail(e, POINT_PREFILTER, plugins[id].name);
		if (!narrow(e, &narrowing, id))
			return evaluation_fail(e, POINT_PREFILTER, NULL);
	}
	return e->prefilter_rejected || apply_narrowing(e, &narrowing);
}

/* ---- filter ---- */

bool evaluation_filter(struct evaluation *e)
{
	uint32_t top = pool_top(&e->cycle->cache->nodes);
	e->statuses = SCRATCH_ARRAY(e->d.scratch, struct cycle_status, (size_t)top + 1);
	uint32_t *feasible = SCRATCH_ARRAY(e->d.scratch, uint32_t, (size_t)e->candidate_count + 1);
	e->feasible = feasible;
	struct plugin_reasons *why = SCRATCH_ONE(e->d.scratch, struct plugin_reasons);
	if (e->d.scratch->overflowed)
		return evaluation_fail(e, POINT_PREFILTER, NULL);
	why->scratch = e->d.scratch;
	for (uint32_t i = 0; i < e->candidate_count; i++) {
		uint32_t node = e->candidates[i];
		uint8_t plugin = PLUGIN_COUNT;
		struct scratch_mark mark = scratch_mark(e->d.scratch);
		why->count = 0;
		enum plugin_code code = evaluation_filter_node(e, node, why, &plugin);
		if (code == PLUGIN_SUCCESS) {
			scratch_rewind(e->d.scratch, mark);
			feasible[e->feasible_count++] = node;
			continue;
		}
		if ((code != PLUGIN_UNSCHEDULABLE && code != PLUGIN_UNRESOLVABLE) ||
			e->d.scratch->overflowed)
			return evaluation_fail(e, POINT_FILTER,
				plugin < PLUGIN_COUNT ? plugins[plugin].name : NULL);
		e->rejectors |= UINT32_C(1) << plugin;
		if (!evaluation_keep_status(e, mark, why, code, plugin, &e->statuses[node]))
			return evaluation_fail(e, POINT_PREFILTER, NULL);
	}
	e->d.feasible = e->feasible;
	e->d.feasible_count = e->feasible_count;
	return true;
}
