/* SPDX-License-Identifier: GPL-2.0-only */
/* DynamicResources: which claims a pod has, and what waits for which of their changes. */
#include <string.h>

#include "plugins/dynamic_resources.h"

bool devices_uid_is(const struct cache *cache, struct cache_uid uid, uint32_t text)
{
	char bytes[256];
	struct writer w;
	writer_init(&w, bytes, sizeof(bytes));
	cache_print_uid(cache, uid, &w);
	return !w.overflowed && text_is(writer_text(&w), cache_text(cache, text));
}

bool devices_is_reserved(
	const struct cache *cache, const struct kube_claim *claim, struct cache_uid uid)
{
	const struct kube_consumer *consumers =
		KUBE_AT(claim, claim->reserved_for, struct kube_consumer);
	for (uint32_t i = 0; i < claim->reserved_for.count; i++)
		if (devices_uid_is(cache, uid, consumers[i].uid))
			return true;
	return false;
}

/* ---- names ---- */

enum claim_name { NAME_FOUND, NAME_SKIPPED, NAME_MISSING, NAME_UNKNOWN };

static enum claim_name name_of(const struct cache *cache, const struct plugin_pod *pod,
	const struct kube_resource_claim *claim, uint32_t *name)
{
	*name = claim->claim_name;
	if (claim->claim_name != 0)
		return NAME_FOUND;
	if (claim->template_name == 0)
		return NAME_UNKNOWN;
	const struct cache_pod_claims *claims = pod->index == 0
		? NULL
		: cache_pod_claims_of(cache, cache_pod_at(cache, pod->index));
	const struct kube_label *made =
		claims == NULL ? NULL : KUBE_AT(claims, claims->made, struct kube_label);
	for (uint32_t i = 0; claims != NULL && i < claims->made.count; i++) {
		if (made[i].key != claim->name)
			continue;
		*name = made[i].value;
		return made[i].value == 0 ? NAME_SKIPPED : NAME_FOUND;
	}
	return NAME_MISSING;
}

static bool refuse_claim_name(const struct cache *cache, const struct plugin_pod *pod,
	const struct kube_resource_claim *claim, enum claim_name result, struct plugin_reasons *why)
{
	struct text namespace = cache_text(cache, pod->class->namespace);
	if (result == NAME_MISSING)
		plugin_because_of(why, "pod \"%.*s/%.*s\": ResourceClaim not created yet",
			TEXT_ARGS(namespace), TEXT_ARGS(pod->name));
	else
		plugin_because_of(why,
			"pod \"%.*s/%.*s\", spec.resourceClaim \"%.*s\": none of the supported "
			"fields are set",
			TEXT_ARGS(namespace), TEXT_ARGS(pod->name),
			TEXT_ARGS(cache_text(cache, claim->name)));
	return false;
}

static bool check_pod_claim(const struct cache *cache, const struct plugin_pod *pod,
	const struct kube_resource_claim *of, uint32_t name, const struct kube_claim *claim,
	struct plugin_reasons *why)
{
	struct text namespace = cache_text(cache, pod->class->namespace);
	struct text claim_name = cache_text(cache, name);
	if (claim == NULL) {
		if ((cache->incomplete & PLUGIN_KIND(KUBE_RESOURCE_CLAIM)) != 0)
			(void)plugin_misses(
				cache, KUBE_RESOURCE_CLAIM, "resourceclaim", claim_name, why);
		else
			plugin_because_of(why, "could not find ResourceClaim \"%.*s/%.*s\"",
				TEXT_ARGS(namespace), TEXT_ARGS(claim_name));
		return false;
	}
	if (claim->deleting != 0) {
		plugin_because_of(
			why, "resourceclaim \"%.*s\" is being deleted", TEXT_ARGS(claim_name));
		return false;
	}
	if (of->claim_name == 0 && !devices_uid_is(cache, pod->uid, claim->owner_uid)) {
		plugin_because_of(why,
			"ResourceClaim %.*s/%.*s was not created for Pod %.*s/%.*s (Pod is not "
			"owner)",
			TEXT_ARGS(namespace), TEXT_ARGS(claim_name), TEXT_ARGS(namespace),
			TEXT_ARGS(pod->name));
		return false;
	}
	return true;
}

bool devices_each_claim(const struct cache *cache, const struct plugin_pod *pod,
	struct plugin_reasons *why, devices_each_fn *each, void *arg)
{
	const struct kube_pod_template *class = pod->class;
	const struct kube_resource_claim *list =
		KUBE_AT(class, class->resource_claims, struct kube_resource_claim);
	for (uint32_t i = 0; i < class->resource_claims.count; i++) {
		uint32_t name;
		enum claim_name result = name_of(cache, pod, &list[i], &name);
		if (result == NAME_SKIPPED)
			continue;
		if (result != NAME_FOUND)
			return refuse_claim_name(cache, pod, &list[i], result, why);
		uint32_t object =
			cache_find_object(cache, KUBE_RESOURCE_CLAIM, class->namespace, name);
		const struct kube_claim *claim = object == 0 ? NULL : cache_claim_at(cache, object);
		if (!check_pod_claim(cache, pod, &list[i], name, claim, why))
			return false;
		if (each != NULL)
			each(arg, object, claim);
	}
	return true;
}

/* ---- binding conditions ---- */

static const struct kube_device_condition *condition_of(
	const struct kube_claim *claim, const struct kube_device_result *result, uint32_t type)
{
	const struct kube_device_condition *list =
		KUBE_AT(claim, claim->conditions, struct kube_device_condition);
	for (uint32_t i = 0; i < claim->conditions.count; i++)
		if (list[i].driver == result->driver && list[i].pool == result->pool &&
			list[i].device == result->device && list[i].share == result->share &&
			list[i].type == type)
			return &list[i];
	return NULL;
}

bool devices_have_conditions(const struct kube_allocation *allocation, const void *blob)
{
	const struct kube_device_result *results =
		KUBE_AT(blob, allocation->results, struct kube_device_result);
	for (uint32_t i = 0; i < allocation->results.count; i++)
		if (results[i].conditions.count > 0)
			return true;
	return false;
}

bool devices_are_late(const struct kube_allocation *allocation, const void *blob,
	int64_t timeout_us, struct wall now)
{
	return allocation->allocated_us != 0 && timeout_us < INT64_MAX / 2 &&
		now.us > allocation->allocated_us + timeout_us &&
		devices_have_conditions(allocation, blob);
}

bool devices_are_bound(const struct kube_claim *claim, const struct kube_device_condition **failed)
{
	const struct kube_device_result *results =
		KUBE_AT(claim, claim->allocation.results, struct kube_device_result);
	bool bound = true;
	*failed = NULL;
	for (uint32_t i = 0; i < claim->allocation.results.count; i++) {
		const uint32_t *wanted = KUBE_AT(claim, results[i].conditions, uint32_t);
		const uint32_t *unwanted = KUBE_AT(claim, results[i].failures, uint32_t);
		for (uint32_t k = 0;
			results[i].conditions.count > 0 && k < results[i].failures.count; k++) {
			const struct kube_device_condition *c =
				condition_of(claim, &results[i], unwanted[k]);
			if (c != NULL && c->is_true != 0) {
				*failed = c;
				return false;
			}
		}
		for (uint32_t k = 0; k < results[i].conditions.count; k++) {
			const struct kube_device_condition *c =
				condition_of(claim, &results[i], wanted[k]);
			bound = bound && c != NULL && c->is_true != 0;
		}
	}
	return bound;
}

/* ---- extended resources ---- */

uint32_t devices_find_extended(const struct cycle_state *d)
{
	struct list *claims = &d->cache->by_kind[KUBE_RESOURCE_CLAIM];
	for (struct list *l = claims->next; l != claims; l = l->next) {
		const struct cache_object *object = LIST_OWNER(l, struct cache_object, link);
		const struct kube_claim *claim = (const void *)object->blob;
		if (claim->is_extended != 0 &&
			text_is(cache_text(d->cache, claim->owner_name), d->pod.name) &&
			devices_uid_is(d->cache, d->pod.uid, claim->owner_uid))
			return cache_find_object(
				d->cache, KUBE_RESOURCE_CLAIM, object->namespace, object->name);
	}
	return 0;
}
