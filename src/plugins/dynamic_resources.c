/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DynamicResources, without the device allocator: a pod with resource claims is held back with a
 * clear reason and never placed wrongly.
 *
 * What can be said without allocating is said in upstream's words: a claim that does not exist, is
 * going away, or was not made yet. For a pod without claims there is only the text that its
 * PostFilter adds.
 */
#include "kube/resource.h"
#include "plugins/hints.h"

static enum plugin_code refuse_claim(
	struct cycle_state *d, const struct kube_resource_claim *claim, struct plugin_reasons *why)
{
	struct text namespace = cache_text(d->cache, d->pod.class->namespace);
	if (claim->claim_name == 0 && claim->template_name == 0) {
		plugin_because_of(why,
			"pod \"%.*s/%.*s\", spec.resourceClaim \"%.*s\": none of the supported "
			"fields are set",
			TEXT_ARGS(namespace), TEXT_ARGS(d->pod.name),
			TEXT_ARGS(cache_text(d->cache, claim->name)));
		return PLUGIN_UNRESOLVABLE;
	}
	if (claim->claim_name == 0) {
		plugin_because(why,
			"berth does not allocate devices: the pod has a resource claim template");
		return PLUGIN_UNRESOLVABLE;
	}
	struct text name = cache_text(d->cache, claim->claim_name);
	const struct kube_claim *object = cache_object_blob(
		d->cache, KUBE_RESOURCE_CLAIM, d->pod.class->namespace, claim->claim_name);
	if (object == NULL)
		plugin_because_of(why, "could not find ResourceClaim \"%.*s/%.*s\"",
			TEXT_ARGS(namespace), TEXT_ARGS(name));
	else if (object->deleting != 0)
		plugin_because_of(why, "resourceclaim \"%.*s\" is being deleted", TEXT_ARGS(name));
	else
		plugin_because_of(why,
			"berth does not allocate devices: the pod has the resource claim \"%.*s\"",
			TEXT_ARGS(name));
	return PLUGIN_UNRESOLVABLE;
}

static enum plugin_code dynamic_resources_pre_filter(
	struct cycle_state *d, struct plugin_reasons *why)
{
	const struct kube_pod_template *class = d->pod.class;
	if (class->resource_claims.count == 0)
		return PLUGIN_SKIP;
	return refuse_claim(
		d, KUBE_AT(class, class->resource_claims, struct kube_resource_claim), why);
}

/*
 * For a pod without claims there is nothing to give back; where pre_filter was never reached there
 * is no state, which ends the chain.
 */
static enum plugin_code dynamic_resources_post_filter(
	struct cycle_state *d, const struct plugin_rescue *rescue, struct plugin_reasons *why)
{
	if (rescue->rejector == PLUGIN_DYNAMIC_RESOURCES)
		return PLUGIN_UNRESOLVABLE;
	bool is_reached = plugin_set_has(&d->pre_filtered, PLUGIN_DYNAMIC_RESOURCES);
	if (is_reached && d->profile->gates.release >= KUBE_1_37)
		return PLUGIN_UNSCHEDULABLE; /* and not a word about it */
	plugin_because(why, is_reached ? "no new claims to deallocate" : "not found");
	return is_reached ? PLUGIN_UNSCHEDULABLE : PLUGIN_ERROR;
}

static const struct field dynamic_resources_fields[] = {
	{.name = "filterTimeout",
		.type = FIELD_DURATION,
		.at = offsetof(struct dynamic_resources_args, filter_timeout_us),
		.value = 10 * INT64_C(1000000),
		.least = 0,
		.greatest = INT64_MAX,
		.why = "must be zero or positive"},
	{.name = "bindingTimeout",
		.type = FIELD_DURATION,
		.at = offsetof(struct dynamic_resources_args, binding_timeout_us),
		.value = 600 * INT64_C(1000000),
		.least = INT64_C(1000000),
		.greatest = INT64_MAX,
		.why = "must be at least 1 second"},
};
static const struct fields dynamic_resources_form = {.list = dynamic_resources_fields,
	.count = ARRAY_COUNT(dynamic_resources_fields),
	.size = sizeof(struct dynamic_resources_args)};
static const struct plugin_args dynamic_resources_arguments = {.fields = &dynamic_resources_form,
	.size = sizeof(struct dynamic_resources_args),
	.place = 8};

const struct plugin plugin_dynamic_resources = {.name = "DynamicResources",
	.args = &dynamic_resources_arguments,
	.v1beta2 = {2, 0, 0, 0},
	.weight = 2,
	.defaults = PLUGIN_IN_ALL,
	.points_since_1_37 = PLUGIN_AT(POD_GROUP_POST_FILTER),
	.in_every_policy = true,
	.points = PLUGIN_AT(PRE_ENQUEUE) | PLUGIN_AT(FILTER) | PLUGIN_AT(SCORE) |
		PLUGIN_AT(RESERVE) | PLUGIN_AT(PRE_BIND),
	.post_filter = dynamic_resources_post_filter,
	.pre_filter = dynamic_resources_pre_filter,
	.events = PLUGIN_EVENTS(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL | CACHE_UPDATE_NODE_ALLOCATABLE,
			NULL},
		{KUBE_RESOURCE_CLAIM, CACHE_ADD | CACHE_UPDATE, NULL},
		{KUBE_POD, CACHE_UPDATE_POD_CLAIMS | PLUGIN_OF_ITSELF, hint_self},
		{KUBE_DEVICE_CLASS, CACHE_ADD | CACHE_UPDATE, NULL},
		{KUBE_RESOURCE_SLICE, CACHE_ADD | CACHE_UPDATE, NULL})};
