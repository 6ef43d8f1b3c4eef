/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeResourcesFit, the filter: the pod's requests fit into what the node has left.
 *
 * All reasons are told, not just the first. When one of them is larger than the whole node,
 * removing pods cannot help and preemption does not look there.
 */
#include "plugins/fit.h"
#include "dra/dra.h"
#include "kube/resource.h"
#include "plugins/hints.h"

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
	const struct fit_args *args = PLUGIN_ARGS(d->profile, FIT, fit_args);
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

/* Where devices stand for what the node has nothing of, DynamicResources decides. */
static bool is_of_devices(const struct cache *cache, const struct plugin_profile *profile,
	uint32_t name, int64_t allocatable)
{
	return allocatable <= 0 && feature_enabled(&profile->gates, FEATURE_DRAExtendedResource) &&
		dra_class_of(cache, name) != NULL;
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
	if (scalar->value <= cache_minus(allocatable, used) ||
		is_of_devices(d->cache, d->profile, scalar->name, allocatable))
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

static enum plugin_code fit_filter(
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

static uint32_t fit_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count)
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

/* ---- hints ---- */

static int64_t fit_scalar_of(const void *blob, struct kube_span scalars, uint32_t name)
{
	const struct kube_scalar *list = KUBE_AT(blob, scalars, struct kube_scalar);
	for (uint32_t i = 0; i < scalars.count; i++)
		if (list[i].name == name)
			return list[i].value;
	return 0;
}

/* Something that the waiting pod asks for became less in the other. */
static bool fit_gives_back(const struct kube_pod_template *wants,
	const struct kube_pod_template *old, const struct kube_pod_template *now)
{
	if ((wants->fit.cpu_milli > 0 && now->used.cpu_milli < old->used.cpu_milli) ||
		(wants->fit.memory_bytes > 0 && now->used.memory_bytes < old->used.memory_bytes) ||
		(wants->fit.storage_bytes > 0 && now->used.storage_bytes < old->used.storage_bytes))
		return true;
	const struct kube_scalar *list = KUBE_AT(wants, wants->fit.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < wants->fit.scalars.count; i++)
		if (list[i].value != 0 &&
			fit_scalar_of(now, now->used.scalars, list[i].name) <
				fit_scalar_of(old, old->used.scalars, list[i].name))
			return true;
	return false;
}

static enum plugin_hint fit_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	if (action == CACHE_DELETE)
		return hint_if(hint_is_placed(&event->old));
	if (hint_is_self(w, event))
		return PLUGIN_HINT_QUEUE;
	if (event->now.node == 0)
		return PLUGIN_HINT_SKIP;
	return hint_if(fit_gives_back(
		w->pod.class, cache_side_template(&event->old), cache_side_template(&event->now)));
}

static bool fit_when_empty(const struct plugin_waiting *w, const struct kube_node_facts *facts)
{
	const struct kube_pod_template *wants = w->pod.class;
	const struct kube_resources *offer = &facts->allocatable;
	if (offer->pods < 1 || wants->fit.cpu_milli > offer->cpu_milli ||
		wants->fit.memory_bytes > offer->memory_bytes ||
		wants->fit.storage_bytes > offer->storage_bytes)
		return false;
	const struct kube_scalar *list = KUBE_AT(wants, wants->fit.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < wants->fit.scalars.count; i++) {
		int64_t has = fit_scalar_of(facts, offer->scalars, list[i].name);
		if (list[i].value > has && !is_of_devices(w->cache, w->profile, list[i].name, has))
			return false;
	}
	return true;
}

static bool fit_offers_more(const struct plugin_waiting *w, const struct kube_node_facts *old,
	const struct kube_node_facts *now)
{
	const struct kube_pod_template *wants = w->pod.class;
	const struct kube_resources *a = &old->allocatable;
	const struct kube_resources *b = &now->allocatable;
	if (b->pods > a->pods || (wants->fit.cpu_milli > 0 && b->cpu_milli > a->cpu_milli) ||
		(wants->fit.memory_bytes > 0 && b->memory_bytes > a->memory_bytes) ||
		(wants->fit.storage_bytes > 0 && b->storage_bytes > a->storage_bytes))
		return true;
	const struct kube_scalar *list = KUBE_AT(wants, wants->fit.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < wants->fit.scalars.count; i++) {
		int64_t has = fit_scalar_of(now, b->scalars, list[i].name);
		if (list[i].value != 0 &&
			(has > fit_scalar_of(old, a->scalars, list[i].name) ||
				is_of_devices(w->cache, w->profile, list[i].name, has)))
			return true;
	}
	return false;
}

static enum plugin_hint fit_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_node_facts *now = cache_side_facts(&event->now);
	if (!fit_when_empty(w, now))
		return PLUGIN_HINT_SKIP;
	return hint_if(
		action == CACHE_ADD || fit_offers_more(w, cache_side_facts(&event->old), now));
}

/* A device class may stand for an extended resource that the pod asks for, by name or by its own.
 */
static enum plugin_hint fit_hint_class(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_device_class *old =
		(const struct kube_device_class *)(const void *)event->old.blob;
	const struct kube_device_class *now =
		(const struct kube_device_class *)(const void *)event->now.blob;
	if (action != CACHE_ADD && old->extended_resource == now->extended_resource)
		return PLUGIN_HINT_SKIP;
	const struct kube_pod_template *class = w->pod.class;
	struct text prefix = TEXT("deviceclass.resource.kubernetes.io/");
	const struct kube_scalar *list = KUBE_AT(class, class->fit.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < class->fit.scalars.count; i++) {
		struct text name = cache_text(w->cache, list[i].name);
		if (now->extended_resource != 0 && list[i].name == now->extended_resource)
			return PLUGIN_HINT_QUEUE;
		if (action == CACHE_ADD && text_starts(name, prefix) &&
			text_is(text_from(name, prefix.size), cache_text(w->cache, event->name)))
			return PLUGIN_HINT_QUEUE;
	}
	return PLUGIN_HINT_SKIP;
}

const struct plugin plugin_fit = {.name = "NodeResourcesFit",
	.args = &fit_arguments,
	.v1beta2 = {1, 1, 0, 4},
	.weight = 1,
	.defaults = PLUGIN_IN_ALL,
	.points = PLUGIN_AT(PRE_FILTER) | PLUGIN_AT(PRE_SCORE) | PLUGIN_AT(PLACEMENT_SCORE),
	.helps = PLUGIN_HELPS({"Too many pods", "Fewer pods on a node, or a larger --max-pods."},
		{"", "Smaller requests, or room on a node."}),
	.filter_is_local = true,
	.score_is_local = true,
	.filter = fit_filter,
	.keep = fit_keep,
	.score = fit_score,
	.scores = fit_scores,
	.events =
		PLUGIN_EVENTS({KUBE_POD, CACHE_DELETE | CACHE_UPDATE_POD_SCALE_DOWN, fit_hint_pod},
			{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_ALLOCATABLE, fit_hint_node},
			{KUBE_DEVICE_CLASS, CACHE_ADD | CACHE_UPDATE, fit_hint_class})};
