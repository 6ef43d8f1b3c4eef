/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What exactly changed between two versions of an object.
 */
#include "cache/event.h"

#include "cache/private.h"

/* ---- nodes ---- */

static bool same_scalars(
	const void *a, struct kube_span a_list, const void *b, struct kube_span b_list)
{
	return a_list.count == b_list.count &&
		memcmp(KUBE_AT(a, a_list, struct kube_scalar),
			KUBE_AT(b, b_list, struct kube_scalar),
			a_list.count * sizeof(struct kube_scalar)) == 0;
}

static bool same_resources(const void *a, const struct kube_resources *x, const void *b,
	const struct kube_resources *y)
{
	return x->cpu_milli == y->cpu_milli && x->memory_bytes == y->memory_bytes &&
		x->storage_bytes == y->storage_bytes && x->pods == y->pods &&
		same_scalars(a, x->scalars, b, y->scalars);
}

static bool same_taints(const struct kube_node_facts *a, const struct kube_node_facts *b)
{
	return a->taints.count == b->taints.count &&
		memcmp(KUBE_AT(a, a->taints, struct kube_taint),
			KUBE_AT(b, b->taints, struct kube_taint),
			a->taints.count * sizeof(struct kube_taint)) == 0;
}

static uint32_t node_actions(const struct cache_event *event)
{
	const struct kube_node_facts *old = cache_side_facts(&event->old);
	const struct kube_node_facts *now = cache_side_facts(&event->now);
	uint32_t actions = 0;
	if (old->unschedulable != 0 && now->unschedulable == 0)
		actions |= CACHE_UPDATE_NODE_TAINT;
	if (!same_resources(old, &old->allocatable, now, &now->allocatable))
		actions |= CACHE_UPDATE_NODE_ALLOCATABLE;
	if (event->old.labels != event->now.labels)
		actions |= CACHE_UPDATE_NODE_LABEL;
	if (!same_taints(old, now))
		actions |= CACHE_UPDATE_NODE_TAINT;
	if (old->conditions_hash != now->conditions_hash)
		actions |= CACHE_UPDATE_NODE_CONDITION;
	if (old->annotations_hash != now->annotations_hash)
		actions |= CACHE_UPDATE_NODE_ANNOTATION;
	if (old->features_hash != now->features_hash)
		actions |= CACHE_UPDATE_NODE_FEATURE;
	return actions;
}

/* ---- pods ---- */

static int64_t scalar_value(const struct kube_pod_template *class, uint32_t name)
{
	const struct kube_scalar *list = KUBE_AT(class, class->used.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < class->used.scalars.count; i++)
		if (list[i].name == name)
			return list[i].value;
	return -1; /* removed: less than any request */
}

static bool asks_less(const struct kube_pod_template *old, const struct kube_pod_template *now)
{
	if (now->used.cpu_milli < old->used.cpu_milli ||
		now->used.memory_bytes < old->used.memory_bytes ||
		now->used.storage_bytes < old->used.storage_bytes ||
		(old->used.names & ~now->used.names) != 0)
		return true;
	const struct kube_scalar *list = KUBE_AT(old, old->used.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < old->used.scalars.count; i++)
		if (scalar_value(now, list[i].name) < list[i].value)
			return true;
	return false;
}

static uint32_t pod_actions(const struct cache_event *event)
{
	const struct kube_pod_template *old = cache_side_template(&event->old);
	const struct kube_pod_template *now = cache_side_template(&event->now);
	uint32_t actions = 0;
	if (!kube_labels_are(event->old.labels, event->now.labels))
		actions |= CACHE_UPDATE_POD_LABEL;
	if (asks_less(old, now))
		actions |= CACHE_UPDATE_POD_SCALE_DOWN;
	if (event->old.claims != event->now.claims)
		actions |= CACHE_UPDATE_POD_CLAIMS;
	if (old->gates.count > 0 && now->gates.count == 0)
		actions |= CACHE_UPDATE_POD_GATES;
	if (old->tolerations.count != now->tolerations.count)
		actions |= CACHE_UPDATE_POD_TOLERATION;
	return actions == 0 ? CACHE_UPDATE : actions;
}

void cache_event_actions(struct cache_event *event)
{
	if (!event->old.there)
		event->actions = CACHE_ADD;
	else if (!event->now.there)
		event->actions = CACHE_DELETE;
	else if (event->kind == KUBE_NODE)
		event->actions = node_actions(event);
	else if (event->kind == KUBE_POD)
		event->actions = pod_actions(event);
	else
		event->actions = CACHE_UPDATE;
}
