/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A node with some pods put on or taken off in thought, and the plugins' states along with it.
 */
#include "cycle/evaluation.h"

static const struct kube_pod_template *class_of(const struct what_if *w, uint32_t pod)
{
	const struct cache *cache = w->e->cycle->cache;
	return cache_template_of(cache, cache_pod_at(cache, pod));
}

static uint32_t ports_of_node(const struct what_if *w)
{
	const struct cache *cache = w->e->cycle->cache;
	if (w->sums.host_port_pods == 0)
		return 0;
	uint32_t ports = 0;
	for (uint32_t p = w->view.node->first_pod; p != 0; p = cache_pod_at(cache, p)->next)
		ports += class_of(w, p)->host_ports.count;
	return ports;
}

/* What the nominated pods may add to the node's scalars at most. */
static uint32_t scalars_of_nominated(const struct what_if *w)
{
	const struct evaluation *e = w->e;
	uint32_t scalars = 0;
	for (uint32_t i = 0; i < e->nominated_count; i++)
		if (e->nominated[i].node == w->view.index)
			scalars += class_of(w, e->nominated[i].pod)->used.scalars.count;
	return scalars;
}

bool what_if_begin(struct what_if *w, struct evaluation *e, uint32_t node, uint32_t room)
{
	*w = (struct what_if){.e = e, .room = room};
	w->view = cache_view_of(e->cycle->cache, node);
	w->sums = w->view.node->sums;
	w->view.sums = &w->sums;
	w->scalar_room = w->sums.scalar_count + scalars_of_nominated(w);
	struct cache_node_scalar *scalars =
		SCRATCH_ARRAY(e->d.scratch, struct cache_node_scalar, (size_t)w->scalar_room + 1);
	w->with = SCRATCH_ARRAY(e->d.scratch, uint32_t, room + 1);
	w->without = SCRATCH_ARRAY(e->d.scratch, uint32_t, room + 1);
	w->erased_room = ports_of_node(w);
	w->erased = SCRATCH_ARRAY(e->d.scratch, struct kube_host_port, (size_t)w->erased_room + 1);
	w->view.erased = w->erased;
	if (e->d.scratch->overflowed)
		return false;
	if (w->sums.scalar_count > 0)
		memcpy(scalars, w->sums.scalars, w->sums.scalar_count * sizeof(*scalars));
	w->sums.scalars = scalars;
	w->view.with = w->with;
	w->view.without = w->without;
	return true;
}

/* A pod put on may use what no pod on the node used before. */
static void make_scalars(struct what_if *w, const struct kube_pod_template *class)
{
	const struct kube_scalar *list = KUBE_AT(class, class->used.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < class->used.scalars.count; i++)
		(void)cache_sums_scalar(&w->sums, w->scalar_room, &list[i]);
}

/* Ports are a set: a pod taken off takes its ports along, one put back on brings them. */
static void move_ports(struct what_if *w, const struct kube_pod_template *class, int sign)
{
	const struct kube_host_port *ports =
		KUBE_AT(class, class->host_ports, struct kube_host_port);
	for (uint32_t i = 0; i < class->host_ports.count; i++) {
		uint32_t at = 0;
		while (at < w->view.erased_count &&
			memcmp(&w->erased[at], &ports[i], sizeof(*ports)) != 0)
			at++;
		if (sign > 0 && at < w->view.erased_count)
			w->erased[at] = w->erased[--w->view.erased_count];
		if (sign < 0 && at == w->view.erased_count && at < w->erased_room)
			w->erased[w->view.erased_count++] = ports[i];
	}
}

static void tell_plugins(struct what_if *w, uint32_t pod, int sign)
{
	struct cycle_state *d = &w->e->d;
	const struct plugin_uses *uses = &d->profile->at[PLUGIN_AT_PRE_FILTER];
	for (uint32_t i = 0; i < uses->count; i++) {
		const struct plugin *plugin = plugins[uses->list[i].id];
		if (plugin->pod_moved != NULL && !plugin_set_has(&d->skip_filter, uses->list[i].id))
			plugin->pod_moved(d, &w->view, pod, sign);
	}
}

void what_if_add(struct what_if *w, uint32_t pod)
{
	CHECK(w->view.with_count < w->room);
	make_scalars(w, class_of(w, pod));
	cache_sums_apply(&w->sums, class_of(w, pod), 1);
	w->with[w->view.with_count++] = pod;
	tell_plugins(w, pod, 1);
}

static void drop_from(uint32_t *list, uint32_t *count, uint32_t pod)
{
	uint32_t i = 0;
	while (list[i] != pod)
		CHECK(++i < *count);
	list[i] = list[--*count];
}

void what_if_unadd(struct what_if *w, uint32_t pod)
{
	drop_from(w->with, &w->view.with_count, pod);
	cache_sums_apply(&w->sums, class_of(w, pod), -1);
	tell_plugins(w, pod, -1);
}

void what_if_remove(struct what_if *w, uint32_t pod)
{
	CHECK(w->view.without_count < w->room);
	cache_sums_apply(&w->sums, class_of(w, pod), -1);
	w->without[w->view.without_count++] = pod;
	move_ports(w, class_of(w, pod), -1);
	tell_plugins(w, pod, -1);
}

void what_if_restore(struct what_if *w, uint32_t pod)
{
	drop_from(w->without, &w->view.without_count, pod);
	cache_sums_apply(&w->sums, class_of(w, pod), 1);
	move_ports(w, class_of(w, pod), 1);
	tell_plugins(w, pod, 1);
}

void what_if_end(struct what_if *w)
{
	struct cycle_state *d = &w->e->d;
	const struct plugin_uses *uses = &d->profile->at[PLUGIN_AT_PRE_FILTER];
	for (uint32_t i = 0; i < uses->count; i++) {
		const struct plugin *plugin = plugins[uses->list[i].id];
		if (plugin->pods_forgotten != NULL &&
			!plugin_set_has(&d->skip_filter, uses->list[i].id))
			plugin->pods_forgotten(d);
	}
}

/* ---- filters ---- */

enum plugin_code evaluation_run_filter(
	struct evaluation *e, uint8_t id, const struct cache_view *view, struct plugin_reasons *why)
{
	if (plugins[id]->state_size > 0 && !plugin_set_has(&e->d.pre_filtered, id)) {
		evaluation_miss_state(e, "PreFilter", id);
		return PLUGIN_ERROR;
	}
	return plugins[id]->filter(&e->d, view, why);
}

/* The first that refuses is to blame, even where the others are asked for their reasons, too. */
static enum plugin_code filter_view(struct evaluation *e, const struct cache_view *view,
	struct plugin_reasons *why, uint8_t *plugin)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_FILTER];
	enum plugin_code verdict = PLUGIN_SUCCESS;
	/* What is left there is not known; who could fit is tried again when it is. */
	if (view->node->unread_pods > 0) {
		if (why != NULL)
			plugin_because(why,
				cache_node_is_closed(view->node) ? "node(s) would be gone"
					: (view->node->unread_pods & CACHE_NODE_UNREAD) == 0
					? "node(s) had pods that are still to be listed"
					: "node(s) had a pod that cannot be read");
		*plugin = PLUGIN_FIT;
		return PLUGIN_UNRESOLVABLE;
	}
	for (uint32_t i = 0; i < uses->count; i++) {
		uint8_t id = uses->list[i].id;
		if (plugin_set_has(&e->d.skip_filter, id) || plugins[id]->filter == NULL)
			continue;
		enum plugin_code code = evaluation_run_filter(e, id, view, why);
		if (code == PLUGIN_SUCCESS)
			continue;
		if (verdict == PLUGIN_SUCCESS || code == PLUGIN_ERROR)
			*plugin = id;
		if (code == PLUGIN_ERROR || !e->d.profile->check_all)
			return code;
		if (verdict != PLUGIN_UNRESOLVABLE)
			verdict = code;
	}
	return verdict;
}

enum plugin_code what_if_filter(struct what_if *w, struct plugin_reasons *why, uint8_t *plugin)
{
	struct evaluation *e = w->e;
	uint32_t added = 0;
	for (uint32_t i = 0; i < e->nominated_count; i++) {
		if (e->nominated[i].node != w->view.index)
			continue;
		what_if_add(w, e->nominated[i].pod);
		added++;
	}
	enum plugin_code code = filter_view(e, &w->view, why, plugin);
	if (added == 0)
		return code;
	for (uint32_t i = 0; i < e->nominated_count; i++)
		if (e->nominated[i].node == w->view.index)
			what_if_unadd(w, e->nominated[i].pod);
	/* The nominated pods may never come: what needs them (affinity) must not count on them. */
	return code == PLUGIN_SUCCESS ? filter_view(e, &w->view, why, plugin) : code;
}

enum plugin_code evaluation_filter_node(
	struct evaluation *e, uint32_t node, struct plugin_reasons *why, uint8_t *plugin)
{
	bool plain = true;
	for (uint32_t i = 0; i < e->nominated_count && plain; i++)
		plain = e->nominated[i].node != node;
	if (plain) {
		struct cache_view view = cache_view_of(e->cycle->cache, node);
		return filter_view(e, &view, why, plugin);
	}
	struct what_if w;
	if (!what_if_begin(&w, e, node, e->nominated_count)) {
		e->d.error = "no room to consider nominated pods";
		return PLUGIN_ERROR;
	}
	enum plugin_code code = what_if_filter(&w, why, plugin);
	what_if_end(&w);
	return code;
}
