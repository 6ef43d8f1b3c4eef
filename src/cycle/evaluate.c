/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prefilter and filter, node by node and with all reasons: slow, and obviously what the plugins
 * say. The fast way (fast.c) must come to the same nodes.
 */
#include "cycle/evaluation.h"

/* ---- setting up ---- */

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
			cache_template_of(cache, pod)->priority < e->d.pod.class->priority)
			continue;
		e->nominated[e->nominated_count++] = (struct cycle_nominated){index, node};
	}
	return true;
}

bool evaluation_begin(
	struct evaluation *e, struct cycle *cycle, uint32_t pod, enum cache_count_mode way)
{
	scratch_reset(&cycle->scratch);
	cache_begin_decision(cycle->cache);
	*e = (struct evaluation){.cycle = cycle};
	e->d.cache = cycle->cache;
	e->d.profile = cycle_profile_of(cycle, pod);
	CHECK(e->d.profile != NULL);
	e->d.scratch = &cycle->scratch;
	e->d.dra = way == CACHE_COUNT_FAST ? cycle->dra : NULL;
	e->d.way = way;
	e->d.clock = cycle->clock;
	e->d.pod = plugin_pod_of(cycle->cache, pod);
	e->nodes = cache_order(cycle->cache, &e->node_count);
	e->candidates = e->nodes;
	e->candidate_count = e->node_count;
	e->absent = (struct cycle_status){.code = PLUGIN_UNRESOLVABLE, .plugin = PLUGIN_COUNT};
	e->known = SCRATCH_ARRAY(e->d.scratch, struct cycle_status, CYCLE_KNOWN_STATUSES);
	return e->known != NULL && find_nominated(e);
}

/* ---- prefilter ---- */

static bool reject_at(struct evaluation *e, const struct plugin_reasons *why, uint8_t plugin)
{
	e->prefilter_rejected = true;
	plugin_set_add(&e->rejectors, plugin);
	return evaluation_keep_status(e, scratch_mark(e->d.scratch), why, PLUGIN_UNRESOLVABLE,
		       plugin, &e->prefilter) ||
		evaluation_fail(e, PLUGIN_AT_PRE_FILTER, NULL);
}

/* The plugin named the only nodes that will do; those that others named before count as well. */
static bool merge_named(
	struct evaluation *e, uint8_t id, const uint32_t *before, uint32_t before_count)
{
	struct cycle_state *d = &e->d;
	plugin_set_add(&e->named_by, id);
	if (before == NULL)
		return true;
	uint32_t *both = SCRATCH_ARRAY(d->scratch, uint32_t, (size_t)before_count + 1);
	uint32_t count = 0, other = 0;
	for (uint32_t i = 0; both != NULL && i < before_count; i++) {
		while (other < d->only_node_count && d->only_nodes[other] < before[i])
			other++;
		both[count] = before[i];
		count += other < d->only_node_count && d->only_nodes[other] == before[i];
	}
	d->only_nodes = both;
	d->only_node_count = count;
	return both != NULL;
}

/* Those that named nodes, in the order of their names. */
static void say_named(const struct evaluation *e, struct plugin_reasons *why)
{
	char names[256];
	struct writer w;
	writer_init(&w, names, sizeof(names));
	const char *last = "";
	for (struct plugin_set left = e->named_by; !plugin_set_is_empty(&left);) {
		uint32_t first = PLUGIN_COUNT;
		for (struct plugin_set look = e->named_by; !plugin_set_is_empty(&look);) {
			uint32_t id = plugin_set_take(&look);
			if (strcmp(plugins[id]->name, last) > 0 &&
				(first == PLUGIN_COUNT ||
					strcmp(plugins[id]->name, plugins[first]->name) < 0))
				first = id;
		}
		(void)plugin_set_take(&left);
		write_format(&w, "%s%s", *last == '\0' ? "" : " ", plugins[first]->name);
		last = plugins[first]->name;
	}
	plugin_because_of(
		why, "node(s) didn't satisfy plugin(s) [%.*s]", TEXT_ARGS(writer_text(&w)));
}

/* Only named nodes that exist are looked at; the others have a status in common. */
static bool look_at_named(struct evaluation *e)
{
	const struct cycle_state *d = &e->d;
	if (d->only_nodes == NULL)
		return true;
	e->rejectors = plugin_set_union(&e->rejectors, &e->named_by);
	uint32_t *candidates = SCRATCH_ARRAY(d->scratch, uint32_t, (size_t)d->only_node_count + 1);
	if (candidates == NULL)
		return evaluation_fail(e, PLUGIN_AT_PRE_FILTER, NULL);
	uint32_t count = 0;
	for (uint32_t i = 0; i < d->only_node_count; i++) {
		uint32_t node = cache_find_node_id(d->cache, d->only_nodes[i]);
		if (node != 0 && cache_node_at(d->cache, node)->facts != NULL)
			candidates[count++] = node;
	}
	e->candidates = candidates;
	e->candidate_count = count;
	struct plugin_reasons why = {.scratch = d->scratch};
	say_named(e, &why);
	return evaluation_keep_status(e, scratch_mark(d->scratch), &why, PLUGIN_UNRESOLVABLE,
		       PLUGIN_COUNT, &e->absent) ||
		evaluation_fail(e, PLUGIN_AT_PRE_FILTER, NULL);
}

bool evaluation_prefilter(struct evaluation *e)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_PRE_FILTER];
	for (uint32_t i = 0; i < uses->count; i++) {
		uint8_t id = uses->list[i].id;
		if (plugins[id]->pre_filter == NULL)
			continue;
		struct plugin_reasons why = {.scratch = e->d.scratch};
		const uint32_t *named = e->d.only_nodes;
		uint32_t named_count = e->d.only_node_count;
		struct mono since = plugin_timer_start(e->plugin_timer);
		enum plugin_code code = plugins[id]->pre_filter(&e->d, &why);
		plugin_timer_took(e->plugin_timer, id, PLUGIN_AT_PRE_FILTER, code, &since);
		CHECK(code != PLUGIN_UNSCHEDULABLE); /* one that refuses leaves no hope */
		plugin_set_add(&e->d.pre_filtered, id);
		if (code == PLUGIN_UNRESOLVABLE)
			return reject_at(e, &why, id);
		if (code == PLUGIN_SKIP)
			plugin_set_add(&e->d.skip_filter, id);
		else if (code != PLUGIN_SUCCESS || e->d.scratch->overflowed ||
			(e->d.only_nodes != named && !merge_named(e, id, named, named_count)))
			return evaluation_fail(e, PLUGIN_AT_PRE_FILTER, plugins[id]->name);
	}
	return look_at_named(e);
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
		return evaluation_fail(e, PLUGIN_AT_PRE_FILTER, NULL);
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
			return evaluation_fail(e, PLUGIN_AT_FILTER,
				plugin < PLUGIN_COUNT ? plugins[plugin]->name : NULL);
		plugin_set_add(&e->rejectors, plugin);
		if (!evaluation_keep_status(e, mark, why, code, plugin, &e->statuses[node]))
			return evaluation_fail(e, PLUGIN_AT_PRE_FILTER, NULL);
	}
	e->d.feasible = e->feasible;
	e->d.feasible_count = e->feasible_count;
	return true;
}
