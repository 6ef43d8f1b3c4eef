/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of plugins as the plugins need them: strings interned, an added affinity decoded.
 *
 * An added affinity is what a pod could say as well, so it becomes a pod class: it is written
 * down as the JSON of a pod that says nothing else and goes the way of all pods.
 */
#include "profile/profile_private.h"

#include "json/json.h"
#include "kube/pod.h"

_Static_assert((int)SCHEDULER_RESOURCES_MAX <= (int)PLUGIN_RESOURCES_MAX, "lists fit");
_Static_assert((int)SCHEDULER_SHAPE_MAX <= (int)PLUGIN_SHAPE_MAX, "lists fit");
_Static_assert((int)SCHEDULER_IGNORED_MAX <= (int)PLUGIN_IGNORED_MAX, "lists fit");
_Static_assert((int)SCHEDULER_CONSTRAINTS_MAX <= (int)PLUGIN_CONSTRAINTS_MAX, "lists fit");
_Static_assert((int)SCHEDULER_LABELS_MAX <= (int)PLUGIN_LABELS_MAX, "lists fit");

static bool keep(const struct profile_memory *memory, struct text t, uint32_t *id)
{
	return intern_take(&memory->cache->strings, t, id);
}

/* ---- lists ---- */

static bool set_names(const struct profile_memory *memory, const struct config_list *list,
	uint32_t *to, uint32_t *count)
{
	const struct text *names = CONFIG_LIST(*list, struct text);
	for (*count = 0; *count < list->count; (*count)++)
		if (!keep(memory, names[*count], &to[*count]))
			return false;
	return true;
}

static bool set_resources(const struct profile_memory *memory, const struct config_list *list,
	struct plugin_resource_weight *to, uint32_t *count)
{
	const struct scheduler_resource *from = CONFIG_LIST(*list, struct scheduler_resource);
	CHECK(list->count <= PLUGIN_RESOURCES_MAX);
	for (*count = 0; *count < list->count; (*count)++) {
		to[*count].weight = from[*count].weight;
		if (!keep(memory, from[*count].name, &to[*count].name))
			return false;
	}
	return true;
}

static void set_shape(const struct scheduler_ratio *ratio, struct fit_args *to)
{
	if (ratio == NULL)
		return;
	const struct scheduler_shape_point *from =
		CONFIG_LIST(ratio->shape, struct scheduler_shape_point);
	CHECK(ratio->shape.count <= PLUGIN_SHAPE_MAX);
	to->shape_count = ratio->shape.count;
	for (uint32_t i = 0; i < to->shape_count; i++)
		to->shape[i] = (struct plugin_shape_point){from[i].utilization, from[i].score};
}

static enum fit_strategy strategy_of(struct text type)
{
	if (text_is_z(type, "MostAllocated"))
		return FIT_MOST_ALLOCATED;
	return text_is_z(type, "LeastAllocated") ? FIT_LEAST_ALLOCATED
						 : FIT_REQUESTED_TO_CAPACITY_RATIO;
}

static bool set_fit(const struct profile_memory *memory, const struct scheduler_fit_args *from,
	struct fit_args *to)
{
	const struct scheduler_strategy *strategy = from->strategy;
	to->strategy = strategy_of(strategy->type);
	set_shape(strategy->ratio, to);
	return set_names(memory, &from->ignored, to->ignored, &to->ignored_count) &&
		set_names(memory, &from->ignored_groups, to->ignored_groups,
			&to->ignored_group_count) &&
		set_resources(memory, &strategy->resources, to->resources, &to->resource_count);
}

static bool set_spread(const struct profile_memory *memory,
	const struct scheduler_spread_args *from, struct spread_args *to)
{
	const struct scheduler_constraint *list =
		CONFIG_LIST(from->constraints, struct scheduler_constraint);
	to->is_list = text_is_z(from->defaulting_type, "List");
	for (uint32_t i = 0; i < from->constraints.count; i++) {
		struct spread_default *c = &to->constraints[to->constraint_count++];
		c->max_skew = list[i].max_skew;
		c->hard = text_is_z(list[i].when_unsatisfiable, "DoNotSchedule");
		c->min_domains = list[i].min_domains.given ? list[i].min_domains.value : 1;
		c->ignores_affinity = list[i].affinity_policy.size > 0 &&
			!text_is_z(list[i].affinity_policy, "Honor");
		c->honors_taints = text_is_z(list[i].taints_policy, "Honor");
		if (!keep(memory, list[i].topology_key, &c->topology_key))
			return false;
	}
	return true;
}

static bool set_labels(const struct profile_memory *memory, const struct config_list *from,
	struct plugin_label_list *to)
{
	return set_names(memory, from, to->keys, &to->count);
}

static bool set_node_label(const struct profile_memory *memory,
	const struct scheduler_node_label_args *from, struct node_label_args *to)
{
	return set_labels(memory, &from->present, &to->present) &&
		set_labels(memory, &from->absent, &to->absent) &&
		set_labels(memory, &from->present_preferred, &to->present_preferred) &&
		set_labels(memory, &from->absent_preferred, &to->absent_preferred);
}

static bool set_service_affinity(const struct profile_memory *memory,
	const struct scheduler_service_affinity_args *from, struct service_affinity_args *to)
{
	return set_labels(memory, &from->together, &to->together) &&
		set_labels(memory, &from->apart, &to->apart);
}

/* ---- an added affinity ---- */

static void write_requirements(
	struct json_writer *j, const char *key, const struct config_list *list)
{
	const struct scheduler_requirement *requirements =
		CONFIG_LIST(*list, struct scheduler_requirement);
	json_key(j, key);
	json_open_array(j);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct text *values = CONFIG_LIST(requirements[i].values, struct text);
		json_open_object(j);
		json_member_text(j, "key", requirements[i].key);
		json_member_text(j, "operator", requirements[i].op);
		json_key(j, "values");
		json_open_array(j);
		for (uint32_t k = 0; k < requirements[i].values.count; k++)
			json_put_text(j, values[k]);
		json_close_array(j);
		json_close_object(j);
	}
	json_close_array(j);
}

static void write_term(struct json_writer *j, const struct scheduler_node_term *term)
{
	json_open_object(j);
	write_requirements(j, "matchExpressions", &term->expressions);
	write_requirements(j, "matchFields", &term->fields);
	json_close_object(j);
}

static void write_affinity(struct json_writer *j, const struct scheduler_node_affinity *added)
{
	json_open_object(j);
	if (added->required != NULL) {
		const struct scheduler_node_term *terms =
			CONFIG_LIST(added->required->terms, struct scheduler_node_term);
		json_key(j, "requiredDuringSchedulingIgnoredDuringExecution");
		json_open_object(j);
		json_key(j, "nodeSelectorTerms");
		json_open_array(j);
		for (uint32_t i = 0; i < added->required->terms.count; i++)
			write_term(j, &terms[i]);
		json_close_array(j);
		json_close_object(j);
	}
	const struct scheduler_preferred_nodes *preferred =
		CONFIG_LIST(added->preferred, struct scheduler_preferred_nodes);
	json_key(j, "preferredDuringSchedulingIgnoredDuringExecution");
	json_open_array(j);
	for (uint32_t i = 0; i < added->preferred.count; i++) {
		json_open_object(j);
		json_member_i64(j, "weight", preferred[i].weight);
		json_key(j, "preference");
		write_term(j, &preferred[i].term);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

static struct text write_pod(struct scratch *scratch, const struct scheduler_node_affinity *added)
{
	size_t size;
	char *rest = scratch_take_rest(scratch, &size);
	if (rest == NULL)
		return TEXT_NONE;
	struct writer w;
	struct json_writer j;
	writer_init(&w, rest, size);
	json_write_init(&j, &w);
	json_open_object(&j);
	json_key(&j, "metadata");
	json_open_object(&j);
	json_member_z(&j, "name", "added");
	json_close_object(&j);
	json_key(&j, "spec");
	json_open_object(&j);
	json_key(&j, "affinity");
	json_open_object(&j);
	json_key(&j, "nodeAffinity");
	write_affinity(&j, added);
	json_close_object(&j);
	json_close_object(&j);
	json_close_object(&j);
	scratch_keep(scratch, rest, w.used);
	return w.overflowed ? TEXT_NONE : writer_text(&w);
}

static bool refuse_term(const struct cache *cache, const struct kube_node_term *term,
	const char *part, struct writer *fault)
{
	if (term->error == 0)
		return false;
	write_format(
		fault, "initializing plugin \"NodeAffinity\": parsing addedAffinity.%s: ", part);
	write_text(fault, cache_text(cache, term->error));
	return true;
}

/* What a pod may have without harm, a term that can never match, is a fault of a configuration. */
static bool has_broken_term(
	const struct cache *cache, const struct kube_pod_template *class, struct writer *fault)
{
	const struct kube_node_term *required =
		KUBE_AT(class, class->required_nodes, struct kube_node_term);
	const struct kube_preferred_nodes *preferred =
		KUBE_AT(class, class->preferred_nodes, struct kube_preferred_nodes);
	for (uint32_t i = 0; i < class->required_nodes.count; i++)
		if (refuse_term(cache, &required[i],
			    "requiredDuringSchedulingIgnoredDuringExecution", fault))
			return true;
	for (uint32_t i = 0; i < class->preferred_nodes.count; i++)
		if (preferred[i].weight != 0 &&
			refuse_term(cache, &preferred[i].term,
				"preferredDuringSchedulingIgnoredDuringExecution", fault))
			return true;
	return false;
}

static enum profile_result decode_added(const struct profile_memory *memory,
	const struct scheduler_node_affinity *added, struct node_affinity_args *to,
	struct writer *fault)
{
	struct cache *cache = memory->cache;
	struct text json = write_pod(memory->scratch, added);
	struct json_value root;
	struct kube_build b;
	struct kube_pod pod;
	if (json.at == NULL || json_parse(json, memory->scratch, &root) != JSON_PARSED)
		return PROFILE_FULL;
	kube_build_init(&b, &cache->strings, memory->scratch);
	enum kube_result decoded = kube_pod_decode(&b, root, &pod);
	if (decoded == KUBE_MALFORMED)
		write_format(fault, "initializing plugin \"NodeAffinity\": addedAffinity: %s: %s",
			b.fault_field, b.fault_reason);
	if (decoded != KUBE_OK)
		return decoded == KUBE_MALFORMED ? PROFILE_REFUSED : PROFILE_FULL;
	kube_blob_drop(&pod.labels->blob, &cache->strings);
	enum profile_result result = PROFILE_OK;
	if (has_broken_term(cache, pod.class, fault))
		result = PROFILE_REFUSED;
	else if (arena_left(memory->arena) < pod.class->blob.size)
		result = PROFILE_FULL;
	if (result != PROFILE_OK) {
		kube_blob_drop(&pod.class->blob, &cache->strings);
		return result;
	}
	void *kept = arena_take(memory->arena, pod.class->blob.size);
	memcpy(kept, pod.class, pod.class->blob.size);
	to->added = kept;
	return PROFILE_OK;
}

static enum profile_result set_added(const struct profile_memory *memory,
	const struct scheduler_node_affinity *added, struct node_affinity_args *to,
	struct writer *fault)
{
	if (added == NULL)
		return PROFILE_OK;
	struct scratch_mark mark = scratch_mark(memory->scratch);
	enum profile_result result = decode_added(memory, added, to, fault);
	scratch_rewind(memory->scratch, mark);
	return result;
}

/* ---- all of them ---- */

static enum profile_result kept_or_full(bool kept)
{
	return kept ? PROFILE_OK : PROFILE_FULL;
}

static enum profile_result set_args(const struct profile_memory *memory,
	const struct scheduler_args *args, struct plugin_profile *profile, struct writer *fault)
{
	switch (args->kind) {
	case SCHEDULER_ARGS_FIT: return kept_or_full(set_fit(memory, &args->of.fit, &profile->fit));
	case SCHEDULER_ARGS_BALANCED:
		return kept_or_full(set_resources(memory, &args->of.balanced.resources,
			profile->balanced.resources, &profile->balanced.resource_count));
	case SCHEDULER_ARGS_INTER_POD_AFFINITY:
		profile->inter_pod_affinity.hard_weight = args->of.inter_pod_affinity.hard_weight;
		profile->inter_pod_affinity.ignore_preferred_of_existing =
			args->of.inter_pod_affinity.ignore_preferred_of_existing;
		break;
	case SCHEDULER_ARGS_NODE_AFFINITY:
		return set_added(
			memory, args->of.node_affinity.added, &profile->node_affinity, fault);
	case SCHEDULER_ARGS_SPREAD:
		return kept_or_full(set_spread(memory, &args->of.spread, &profile->spread));
	case SCHEDULER_ARGS_PREEMPTION:
		profile->preemption.min_candidate_percentage =
			args->of.preemption.min_candidate_percentage;
		profile->preemption.min_candidate_absolute =
			args->of.preemption.min_candidate_absolute;
		break;
	case SCHEDULER_ARGS_VOLUME_BINDING:
		profile->volume_binding.bind_timeout_seconds =
			scheduler_seconds(args->of.volume_binding.bind_timeout_seconds);
		break;
	case SCHEDULER_ARGS_NODE_LABEL:
		return kept_or_full(
			set_node_label(memory, &args->of.node_label, &profile->node_label));
	case SCHEDULER_ARGS_SERVICE_AFFINITY:
		return kept_or_full(set_service_affinity(
			memory, &args->of.service_affinity, &profile->service_affinity));
	case SCHEDULER_ARGS_DYNAMIC_RESOURCES: /* its timeouts are the allocator's */
	case SCHEDULER_ARGS_OTHER: break;
	}
	return PROFILE_OK;
}

enum profile_result profile_set_all_args(const struct profile_memory *memory,
	const struct config_list *given, struct plugin_profile *profile, struct writer *fault)
{
	const struct scheduler_args *list = CONFIG_LIST(*given, struct scheduler_args);
	enum profile_result result = PROFILE_OK;
	for (uint32_t kind = 0; kind < SCHEDULER_ARGS_KINDS && result == PROFILE_OK; kind++) {
		struct scheduler_args args;
		scheduler_args_defaults((enum scheduler_args_kind)kind, &args);
		for (uint32_t i = 0; i < given->count; i++)
			if (list[i].kind == kind)
				args = list[i];
		result = set_args(memory, &args, profile, fault);
	}
	return result;
}

/* ---- extenders ---- */

enum profile_result profile_ignore_managed(const struct profile_memory *memory,
	const struct config_list *extenders, struct plugin_profile *profile, struct writer *fault)
{
	const struct scheduler_extender *list = CONFIG_LIST(*extenders, struct scheduler_extender);
	struct fit_args *fit = &profile->fit;
	uint32_t count = 0;
	for (uint32_t e = 0; e < extenders->count; e++) {
		const struct scheduler_managed_resource *managed =
			CONFIG_LIST(list[e].managed, struct scheduler_managed_resource);
		for (uint32_t i = 0; i < list[e].managed.count; i++) {
			if (!managed[i].ignored_by_scheduler)
				continue;
			if (count == PLUGIN_IGNORED_MAX) {
				write_format(fault, "extenders ignore more than %u resources",
					(unsigned)PLUGIN_IGNORED_MAX);
				return PROFILE_REFUSED;
			}
			if (!keep(memory, managed[i].name, &fit->ignored[count]))
				return PROFILE_FULL;
			fit->ignored_count = ++count;
		}
	}
	return PROFILE_OK;
}
