/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeAffinity, its arguments.
 *
 * An added affinity is what a pod could say as well, so it becomes a pod template: it is written
 * down as the JSON of a pod that says nothing else and goes the way of all pods.
 */
#include "plugins/node_affinity.h"

#include "json/json.h"
#include "kube/pod.h"

/* ---- fields ---- */

enum { TERMS_MAX = 256, REQUIREMENTS_MAX = 256, VALUES_MAX = 4096 };

#define FORM(type, rows)                                                                \
	{                                                                               \
		.list = (rows), .count = ARRAY_COUNT(rows), .size = sizeof(struct type) \
	}

static const struct field requirement_fields[] = {
	{.name = "key",
		.type = FIELD_TEXT,
		.is_shown = true,
		.at = offsetof(struct requirement_config, key)},
	{.name = "operator",
		.type = FIELD_TEXT,
		.is_shown = true,
		.at = offsetof(struct requirement_config, op)},
	FIELD("values", FIELD_TEXTS, offsetof(struct requirement_config, values), NULL, VALUES_MAX),
};
static const struct fields requirement_form = FORM(requirement_config, requirement_fields);

static const struct field term_fields[] = {
	FIELD("matchExpressions", FIELD_LIST, offsetof(struct node_term_config, expressions),
		&requirement_form, REQUIREMENTS_MAX),
	FIELD("matchFields", FIELD_LIST, offsetof(struct node_term_config, fields),
		&requirement_form, REQUIREMENTS_MAX),
};
static const struct fields term_form = FORM(node_term_config, term_fields);

static const struct field required_fields[] = {
	{.name = "nodeSelectorTerms",
		.type = FIELD_LIST,
		.is_shown = true,
		.at = offsetof(struct required_nodes_config, terms),
		.inside = &term_form,
		.most = TERMS_MAX},
};
static const struct fields required_form = FORM(required_nodes_config, required_fields);

static const struct field preferred_fields[] = {
	FIELD("weight", FIELD_I32, offsetof(struct preferred_nodes_config, weight), NULL, 0),
	FIELD("preference", FIELD_OBJECT, offsetof(struct preferred_nodes_config, term), &term_form,
		0),
};
static const struct fields preferred_form = FORM(preferred_nodes_config, preferred_fields);

static const struct field added_fields[] = {
	FIELD("requiredDuringSchedulingIgnoredDuringExecution", FIELD_POINTER,
		offsetof(struct node_affinity_config, required), &required_form, 0),
	FIELD("preferredDuringSchedulingIgnoredDuringExecution", FIELD_LIST,
		offsetof(struct node_affinity_config, preferred), &preferred_form, TERMS_MAX),
};
static const struct fields added_form = FORM(node_affinity_config, added_fields);

static const struct field node_affinity_fields[] = {
	FIELD("addedAffinity", FIELD_POINTER, offsetof(struct node_affinity_added_config, added),
		&added_form, 0),
};
static const struct fields node_affinity_form =
	FORM(node_affinity_added_config, node_affinity_fields);

/* ---- an added affinity ---- */

static void write_requirements(
	struct json_writer *j, const char *key, const struct config_list *list)
{
	const struct requirement_config *requirements =
		CONFIG_LIST(*list, struct requirement_config);
	json_member_array(j, key);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct text *values = CONFIG_LIST(requirements[i].values, struct text);
		json_open_object(j);
		json_member_text(j, "key", requirements[i].key);
		json_member_text(j, "operator", requirements[i].op);
		json_member_array(j, "values");
		for (uint32_t k = 0; k < requirements[i].values.count; k++)
			json_put_text(j, values[k]);
		json_close_array(j);
		json_close_object(j);
	}
	json_close_array(j);
}

static void write_term(struct json_writer *j, const struct node_term_config *term)
{
	json_open_object(j);
	write_requirements(j, "matchExpressions", &term->expressions);
	write_requirements(j, "matchFields", &term->fields);
	json_close_object(j);
}

static void write_affinity(struct json_writer *j, const struct node_affinity_config *added)
{
	json_open_object(j);
	if (added->required != NULL) {
		const struct node_term_config *terms =
			CONFIG_LIST(added->required->terms, struct node_term_config);
		json_member_object(j, "requiredDuringSchedulingIgnoredDuringExecution");
		json_member_array(j, "nodeSelectorTerms");
		for (uint32_t i = 0; i < added->required->terms.count; i++)
			write_term(j, &terms[i]);
		json_close_array(j);
		json_close_object(j);
	}
	const struct preferred_nodes_config *preferred =
		CONFIG_LIST(added->preferred, struct preferred_nodes_config);
	json_member_array(j, "preferredDuringSchedulingIgnoredDuringExecution");
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

static struct text write_pod(struct scratch *scratch, const struct node_affinity_config *added)
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
	json_member_object(&j, "metadata");
	json_member_z(&j, "name", "added");
	json_close_object(&j);
	json_member_object(&j, "spec");
	json_member_object(&j, "affinity");
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

static enum args_result decode_added(const struct args_making *m,
	const struct node_affinity_config *added, struct node_affinity_args *to)
{
	struct cache *cache = m->cache;
	struct text json = write_pod(m->scratch, added);
	struct json_value root;
	struct kube_build b;
	struct kube_pod pod;
	if (json.at == NULL || json_parse(json, m->scratch, &root) != JSON_PARSED)
		return ARGS_FULL;
	kube_build_init(&b, &cache->strings, m->scratch);
	enum kube_result decoded = kube_pod_decode(&b, root, &pod);
	if (decoded == KUBE_MALFORMED)
		write_format(m->fault,
			"initializing plugin \"NodeAffinity\": addedAffinity: %s: %s",
			b.fault_field, b.fault_reason);
	if (decoded != KUBE_OK)
		return decoded == KUBE_MALFORMED ? ARGS_REFUSED : ARGS_FULL;
	kube_blob_drop(&pod.labels->blob, &cache->strings);
	enum args_result result = ARGS_MADE;
	if (has_broken_term(cache, pod.class, m->fault))
		result = ARGS_REFUSED;
	else if (arena_left(m->arena) < pod.class->blob.size)
		result = ARGS_FULL;
	else if (!intern_take(&cache->strings, pod.for_node, &to->added_for_node))
		result = ARGS_FULL;
	if (result != ARGS_MADE) {
		kube_blob_drop(&pod.class->blob, &cache->strings);
		return result;
	}
	void *kept = arena_take(m->arena, pod.class->blob.size);
	memcpy(kept, pod.class, pod.class->blob.size);
	to->added = kept;
	return ARGS_MADE;
}

static enum args_result node_affinity_args_make(
	const struct args_making *m, const void *of, void *made)
{
	const struct node_affinity_added_config *from = of;
	if (from->added == NULL)
		return ARGS_MADE;
	struct scratch_mark mark = scratch_mark(m->scratch);
	enum args_result result = decode_added(m, from->added, made);
	scratch_rewind(m->scratch, mark);
	return result;
}

const struct plugin_args node_affinity_arguments = {.fields = &node_affinity_form,
	.size = sizeof(struct node_affinity_args),
	.make = node_affinity_args_make,
	.place = 4};
