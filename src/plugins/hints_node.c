/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hints of the plugins whose rules are about a node and a pod alone.
 */
#include "plugins/hints_private.h"
#include "plugins/table.h"

/* ---- NodeUnschedulable ---- */

enum plugin_hint hint_unschedulable_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)action;
	bool was = event->old.there && cache_side_facts(&event->old)->unschedulable == 0;
	bool is = cache_side_facts(&event->now)->unschedulable == 0;
	return hint_if(is && !was);
}

enum plugin_hint hint_unschedulable_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	if (!hint_is_self(w, event))
		return PLUGIN_HINT_SKIP;
	const struct kube_pod_template *class = cache_side_template(&event->now);
	const struct kube_toleration *list =
		KUBE_AT(class, class->tolerations, struct kube_toleration);
	const struct kube_taint cordon = {
		.key = w->cache->names.unschedulable, .effect = KUBE_NO_SCHEDULE};
	for (uint32_t i = 0; i < class->tolerations.count; i++)
		if (kube_tolerates(&list[i], &cordon))
			return PLUGIN_HINT_QUEUE;
	return PLUGIN_HINT_SKIP;
}

/* ---- TaintToleration ---- */

enum plugin_hint hint_taint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	bool was = event->old.there &&
		cache_untolerated(w->pod.class, cache_side_facts(&event->old)) == NULL;
	bool is = cache_untolerated(w->pod.class, cache_side_facts(&event->now)) == NULL;
	return hint_if(is && !was);
}

/* ---- NodeAffinity ---- */

/*
 * The addedAffinity of the profile is only asked of the new node. A term of the pod that does not
 * parse is an error, unless another one matches; an error means queue.
 */
enum plugin_hint hint_affinity_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	const struct kube_pod_template *added = w->profile->node_affinity.added;
	if (added != NULL &&
		!cache_labels_selected(w->cache, added, event->now.labels, event->name))
		return PLUGIN_HINT_SKIP;
	if (!cache_labels_selected(w->cache, w->pod.class, event->now.labels, event->name)) {
		const struct kube_pod_template *class = w->pod.class;
		const struct kube_node_term *terms =
			KUBE_AT(class, class->required_nodes, struct kube_node_term);
		for (uint32_t i = 0; i < class->required_nodes.count; i++)
			if (terms[i].error != 0)
				return PLUGIN_HINT_QUEUE;
		return PLUGIN_HINT_SKIP;
	}
	return hint_if(!event->old.there ||
		!cache_labels_selected(w->cache, w->pod.class, event->old.labels, event->name));
}

/* ---- NodePorts ---- */

enum plugin_hint hint_ports_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_placed(&event->old) &&
		node_ports_conflict(w->cache, w->pod.class, cache_side_template(&event->old)));
}

/* ---- NodeResourcesFit ---- */

static int64_t scalar_of(const void *blob, struct kube_span scalars, uint32_t name)
{
	const struct kube_scalar *list = KUBE_AT(blob, scalars, struct kube_scalar);
	for (uint32_t i = 0; i < scalars.count; i++)
		if (list[i].name == name)
			return list[i].value;
	return 0;
}

/* Something that the waiting pod asks for became less in the other. */
static bool gives_back(const struct kube_pod_template *wants, const struct kube_pod_template *old,
	const struct kube_pod_template *now)
{
	if ((wants->fit.cpu_milli > 0 && now->used.cpu_milli < old->used.cpu_milli) ||
		(wants->fit.memory_bytes > 0 && now->used.memory_bytes < old->used.memory_bytes) ||
		(wants->fit.storage_bytes > 0 && now->used.storage_bytes < old->used.storage_bytes))
		return true;
	const struct kube_scalar *list = KUBE_AT(wants, wants->fit.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < wants->fit.scalars.count; i++)
		if (list[i].value != 0 &&
			scalar_of(now, now->used.scalars, list[i].name) <
				scalar_of(old, old->used.scalars, list[i].name))
			return true;
	return false;
}

enum plugin_hint hint_fit_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	if (action == CACHE_DELETE)
		return hint_if(hint_is_placed(&event->old));
	if (hint_is_self(w, event))
		return PLUGIN_HINT_QUEUE;
	if (event->now.node == 0)
		return PLUGIN_HINT_SKIP;
	return hint_if(gives_back(
		w->pod.class, cache_side_template(&event->old), cache_side_template(&event->now)));
}

static bool fits_empty(const struct kube_pod_template *wants, const struct kube_node_facts *facts)
{
	const struct kube_resources *offer = &facts->allocatable;
	if (offer->pods < 1 || wants->fit.cpu_milli > offer->cpu_milli ||
		wants->fit.memory_bytes > offer->memory_bytes ||
		wants->fit.storage_bytes > offer->storage_bytes)
		return false;
	const struct kube_scalar *list = KUBE_AT(wants, wants->fit.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < wants->fit.scalars.count; i++)
		if (list[i].value > scalar_of(facts, offer->scalars, list[i].name))
			return false;
	return true;
}

static bool offers_more(const struct kube_pod_template *wants, const struct kube_node_facts *old,
	const struct kube_node_facts *now)
{
	const struct kube_resources *a = &old->allocatable;
	const struct kube_resources *b = &now->allocatable;
	if (b->pods > a->pods || (wants->fit.cpu_milli > 0 && b->cpu_milli > a->cpu_milli) ||
		(wants->fit.memory_bytes > 0 && b->memory_bytes > a->memory_bytes) ||
		(wants->fit.storage_bytes > 0 && b->storage_bytes > a->storage_bytes))
		return true;
	const struct kube_scalar *list = KUBE_AT(wants, wants->fit.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < wants->fit.scalars.count; i++)
		if (list[i].value != 0 &&
			scalar_of(now, b->scalars, list[i].name) >
				scalar_of(old, a->scalars, list[i].name))
			return true;
	return false;
}

enum plugin_hint hint_fit_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_node_facts *now = cache_side_facts(&event->now);
	if (!fits_empty(w->pod.class, now))
		return PLUGIN_HINT_SKIP;
	return hint_if(action == CACHE_ADD ||
		offers_more(w->pod.class, cache_side_facts(&event->old), now));
}

/* A device class may stand for an extended resource that the pod asks for, by name or by its own.
 */
enum plugin_hint hint_fit_class(
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

/* ---- NodeDeclaredFeatures ---- */

enum plugin_hint hint_features_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	return hint_if(action == CACHE_ADD ||
		cache_side_facts(&event->old)->features_hash !=
			cache_side_facts(&event->now)->features_hash);
}

enum plugin_hint hint_features_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_self(w, event) &&
		cache_side_template(&event->old)->features !=
			cache_side_template(&event->now)->features);
}

/* ---- of older releases ---- */

enum plugin_hint hint_label_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(node_label_fits(&w->profile->node_label, event->now.labels));
}

/* Any condition that has got better may have been the one. */
enum plugin_hint hint_condition_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_node_facts *now = cache_side_facts(&event->now);
	(void)w;
	return hint_if(action != CACHE_UPDATE_NODE_CONDITION ||
		(cache_side_facts(&event->old)->troubles & ~now->troubles) != 0);
}
