/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeResourcesFit, the filter: the pod's requests fit into what the node has left.
 *
 * All reasons are told, not just the first. When one of them is larger than the whole node,
 * removing pods cannot help and preemption does not look there.
 */
#include "plugins/table.h"

struct fitting {
	struct plugin_reasons *why;
	bool fails;
	bool hopeless; /* larger than the node itself */
};

static void fit_one(struct fitting *fitting, int64_t request, int64_t allocatable, int64_t used,
	const char *reason)
{
	if (request <= 0 || request <= cache_minus(allocatable, used))
		return;
	plugin_because(fitting->why, reason);
	fitting->fails = true;
	fitting->hopeless = fitting->hopeless || request > allocatable;
}

static bool group_is(struct text name, struct text group)
{
	size_t slash = text_find(name, '/');
	return slash < name.size && text_is(text_first(name, slash), group);
}

static bool is_ignored(const struct cycle_state *d, const struct kube_scalar *scalar)
{
	const struct fit_args *args = &d->profile->fit;
	if (scalar->is_extended == 0)
		return false;
	for (uint32_t i = 0; i < args->ignored_count; i++)
		if (args->ignored[i] == scalar->name)
			return true;
	struct text name = cache_text(d->cache, scalar->name);
	for (uint32_t i = 0; i < args->ignored_group_count; i++)
		if (group_is(name, cache_text(d->cache, args->ignored_groups[i])))
			return true;
	return false;
}

static void fit_scalar(const struct cycle_state *d, const struct cache_sums *sums,
	const struct kube_scalar *scalar, struct fitting *fitting)
{
	if (scalar->value == 0 || is_ignored(d, scalar))
		return;
	int64_t allocatable = 0;
	int64_t used = 0;
	for (uint32_t i = 0; i < sums->scalar_count; i++) {
		if (sums->scalars[i].name != scalar->name)
			continue;
		allocatable = sums->scalars[i].allocatable;
		used = sums->scalars[i].used;
	}
	if (scalar->value <= cache_minus(allocatable, used))
		return;
	plugin_because_of(
		fitting->why, "Insufficient %.*s", TEXT_ARGS(cache_text(d->cache, scalar->name)));
	fitting->fails = true;
	fitting->hopeless = fitting->hopeless || scalar->value > allocatable;
}

static bool is_crowded(const struct cache_sums *sums, const struct kube_resources *offer)
{
	return (int64_t)sums->pods + 1 > offer->pods;
}

enum plugin_code fit_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct kube_resources *request = &d->pod.class->fit;
	const struct kube_resources *offer = &view->node->facts->allocatable;
	const struct cache_sums *sums = view->sums;
	struct fitting fitting = {.why = why};
	if (is_crowded(sums, offer)) {
		plugin_because(why, "Too many pods");
		fitting.fails = true;
	}
	fit_one(&fitting, request->cpu_milli, offer->cpu_milli, sums->cpu_milli,
		"Insufficient cpu");
	fit_one(&fitting, request->memory_bytes, offer->memory_bytes, sums->memory_bytes,
		"Insufficient memory");
	fit_one(&fitting, request->storage_bytes, offer->storage_bytes, sums->storage_bytes,
		"Insufficient ephemeral-storage");
	const struct kube_scalar *list =
		KUBE_AT(d->pod.class, request->scalars, struct kube_scalar);
	for (uint32_t i = 0; i < request->scalars.count; i++)
		fit_scalar(d, sums, &list[i], &fitting);
	if (!fitting.fails)
		return PLUGIN_SUCCESS;
	return fitting.hopeless ? PLUGIN_UNRESOLVABLE : PLUGIN_UNSCHEDULABLE;
}

static bool has_left(int64_t request, int64_t allocatable, int64_t used)
{
	return request <= 0 || request <= cache_minus(allocatable, used);
}

uint32_t fit_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count)
{
	const struct kube_resources request = d->pod.class->fit;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct cache_node *node = cache_node_at(d->cache, nodes[i]);
		const struct kube_resources *offer = &node->facts->allocatable;
		const struct cache_sums *sums = &node->sums;
		bool fits = !is_crowded(sums, offer) &&
			has_left(request.cpu_milli, offer->cpu_milli, sums->cpu_milli) &&
			has_left(request.memory_bytes, offer->memory_bytes, sums->memory_bytes) &&
			has_left(request.storage_bytes, offer->storage_bytes, sums->storage_bytes);
		if (fits && request.scalars.count > 0) {
			struct cache_view view = cache_view_of(d->cache, nodes[i]);
			fits = fit_filter(d, &view, NULL) == PLUGIN_SUCCESS;
		}
		nodes[kept] = nodes[i];
		kept += fits;
	}
	return kept;
}
