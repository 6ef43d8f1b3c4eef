/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Affinity of pods, to nodes and to other pods.
 *
 * What kube-scheduler does with faults in terms about other pods: each of the four lists is
 * parsed up to its first fault and is empty then; the faults of all lists together are the error
 * that keeps the pod from being scheduled. Faults in terms about nodes stay with their term.
 */
#include "kube/decode.h"

#define REQUIRED  "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

/* ---- nodes ---- */

static void preferred_nodes_build(
	struct kube_build *b, struct json_value v, struct kube_pod_template *class)
{
	static const char field[] = "spec.affinity.nodeAffinity." PREFERRED;
	struct json_walk walk = kube_read_array(b, v, field);
	struct kube_preferred_nodes *terms =
		kube_build_array(b, sizeof(*terms), kube_read_count(v), &class->preferred_nodes);
	for (uint32_t i = 0; terms != NULL && json_walk_next(&walk); i++) {
		struct json_value preference = kube_read_member(b, walk.value, "preference", field);
		terms[i].weight = kube_read_i32(b, json_get(walk.value, "weight"), 0, field);
		/* A term without weight is not even parsed. */
		if (terms[i].weight == 0)
			terms[i].term.empty = 1;
		else
			kube_node_term_build_at(b, preference, "", i, &terms[i].term);
	}
}

/* The one node that a term names by its fields, when they ask for nothing else. */
static struct text term_for_node(struct json_value term)
{
	struct json_value fields = json_get(term, "matchFields");
	struct json_walk walk = json_walk(fields);
	if (json_type(fields) != JSON_ARRAY || json_count(fields) != 1 || !json_walk_next(&walk))
		return TEXT_NONE;
	struct json_value values = json_get(walk.value, "values");
	struct json_walk names = json_walk(values);
	if (!KUBE_IS(json_text(json_get(walk.value, "key")), "metadata.name") ||
		!KUBE_IS(json_text(json_get(walk.value, "operator")), "In") ||
		json_type(values) != JSON_ARRAY || json_count(values) != 1 ||
		!json_walk_next(&names))
		return TEXT_NONE;
	return json_text(names.value);
}

/*
 * The controller of a DaemonSet gives every pod the node that it is for, as a field in each of the
 * terms: all its pods are of one class when that is left out of the terms.
 */
struct text kube_pod_for_node(struct json_value affinity)
{
	struct text name = TEXT_NONE;
	struct json_value terms = json_path(affinity,
		"nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
	struct json_walk walk = json_walk(terms);
	if (json_type(terms) != JSON_ARRAY)
		return TEXT_NONE;
	for (bool first = true; json_walk_next(&walk); first = false) {
		struct text here = term_for_node(walk.value);
		if (here.size == 0 || (!first && !text_is(here, name)))
			return TEXT_NONE;
		name = here;
	}
	return name;
}

void kube_pod_node_affinity_build(
	struct kube_build *b, struct json_value affinity, struct kube_pod_template *class)
{
	struct json_value v = kube_read_member(b, affinity, "nodeAffinity", "spec.affinity");
	static const char field[] = "spec.affinity.nodeAffinity";
	struct json_value required = kube_read_member(b, v, REQUIRED, field);
	struct json_value preferred = kube_read_member(b, v, PREFERRED, field);
	class->has_required_nodes = !kube_is_absent(required);
	class->is_for_node = kube_pod_for_node(affinity).size > 0;
	kube_node_terms_build(b,
		kube_read_member(
			b, required, "nodeSelectorTerms", "spec.affinity.nodeAffinity." REQUIRED),
		class->is_for_node == 0, &class->required_nodes);
	preferred_nodes_build(b, preferred, class);
}

/* ---- other pods ---- */

/* One of the four lists of terms. */
struct term_list {
	const char *field;
	const char *named; /* in upstream's error */
	bool weighted;
	struct json_value terms;
	struct kube_span *span;
};

static void pod_term_build(struct kube_build *b, struct json_value v, const char *field,
	struct text namespace, struct kube_pod_term *term)
{
	struct text topology_key =
		kube_read_text(b, kube_read_member(b, v, "topologyKey", field), field);
	struct json_value selector = json_get(v, "labelSelector");
	struct json_value namespaces = json_get(v, "namespaces");
	struct json_value namespace_selector = json_get(v, "namespaceSelector");
	term->topology_key = kube_build_string(b, topology_key);
	kube_selector_build(b, selector, &term->selector);
	kube_selector_build(b, namespace_selector, &term->namespace_selector);
	kube_read_id_set(b, namespaces, &term->namespaces, field);
	if (term->namespaces.count == 0 && kube_is_absent(namespace_selector)) {
		uint32_t *own = kube_build_array(b, sizeof(*own), 1, &term->namespaces);
		if (own != NULL)
			*own = kube_build_string(b, namespace);
	}
}

/* Weighted terms are wrapped once more. */
static struct json_value weighted_term(
	struct kube_build *b, struct json_value v, const char *field, int32_t *weight)
{
	*weight = kube_read_i32(b, kube_read_member(b, v, "weight", field), 0, field);
	return json_get(v, "podAffinityTerm");
}

/* The id of the first fault, 0 when all terms parsed. */
static uint32_t term_list_build(
	struct kube_build *b, const struct term_list *list, struct text namespace)
{
	struct json_walk walk = kube_read_array(b, list->terms, list->field);
	struct kube_pod_term *terms =
		kube_build_array(b, sizeof(*terms), kube_read_count(list->terms), list->span);
	for (uint32_t i = 0; terms != NULL && json_walk_next(&walk); i++) {
		struct json_value term = walk.value;
		if (list->weighted)
			term = weighted_term(b, term, list->field, &terms[i].weight);
		pod_term_build(b, term, list->field, namespace, &terms[i]);
		uint32_t error = terms[i].selector.error != 0 ? terms[i].selector.error
							      : terms[i].namespace_selector.error;
		if (error != 0) {
			*list->span = (struct kube_span){0, 0};
			return error;
		}
	}
	return 0;
}

enum { TERM_LISTS = 4, TERM_ERRORS_SIZE = 4096 };

static void affinity_errors_build(struct kube_build *b, const struct term_list *lists,
	const uint32_t *errors, struct kube_pod_template *class)
{
	char bytes[TERM_ERRORS_SIZE];
	struct writer out;
	uint32_t count = 0;
	writer_init(&out, bytes, sizeof(bytes));
	write_char(&out, '[');
	for (uint32_t i = 0; i < TERM_LISTS; i++) {
		if (errors[i] == 0)
			continue;
		write_z(&out, count++ == 0 ? "" : ", ");
		write_z(&out, lists[i].named);
		write_z(&out, ": ");
		write_text(&out, intern_text(b->strings, errors[i]));
	}
	CHECK(count > 0);
	if (count > 1)
		write_char(&out, ']');
	class->affinity_error = kube_build_string(b, text_from(writer_text(&out), count == 1));
}

static void pod_lists_find(struct kube_build *b, struct json_value v, const char *field,
	struct kube_pod_template *class, struct json_value *required, struct json_value *preferred)
{
	if (!kube_is_absent(v))
		class->has_pod_affinity = 1;
	*required = kube_read_member(b, v, REQUIRED, field);
	*preferred = json_get(v, PREFERRED);
}

void kube_pod_affinity_build(struct kube_build *b, struct json_value affinity,
	struct text namespace, struct kube_pod_template *class)
{
	if (kube_is_absent(affinity))
		return;
	struct json_value pod = kube_read_member(b, affinity, "podAffinity", "spec.affinity");
	struct json_value anti = json_get(affinity, "podAntiAffinity");
	struct term_list lists[TERM_LISTS] = {
		{"spec.affinity.podAffinity." REQUIRED, "requiredAffinityTerms", false,
			JSON_VALUE_NONE, &class->affinity},
		{"spec.affinity.podAntiAffinity." REQUIRED, "requiredAntiAffinityTerms", false,
			JSON_VALUE_NONE, &class->anti_affinity},
		{"spec.affinity.podAffinity." PREFERRED, "preferredAffinityTerms", true,
			JSON_VALUE_NONE, &class->preferred_affinity},
		{"spec.affinity.podAntiAffinity." PREFERRED, "preferredAntiAffinityTerms", true,
			JSON_VALUE_NONE, &class->preferred_anti_affinity},
	};
	pod_lists_find(
		b, pod, "spec.affinity.podAffinity", class, &lists[0].terms, &lists[2].terms);
	pod_lists_find(
		b, anti, "spec.affinity.podAntiAffinity", class, &lists[1].terms, &lists[3].terms);

	uint32_t errors[TERM_LISTS];
	bool any = false;
	for (uint32_t i = 0; i < TERM_LISTS; i++) {
		errors[i] = term_list_build(b, &lists[i], namespace);
		any |= errors[i] != 0;
	}
	if (any && !kube_failed(b))
		affinity_errors_build(b, lists, errors, class);
}
