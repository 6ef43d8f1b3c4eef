/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Terms of node selectors.
 *
 * What kube-scheduler does: a term without expressions and fields is dropped and matches nothing;
 * a term with a fault is remembered with all its errors and matches nothing, and the errors are
 * told only when no other term matched. Fields know only metadata.name; any other field is empty
 * on every node.
 */
#include "kube/requirement.h"

#define TERM_OPERATORS  "\"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""
#define FIELD_OPERATORS "\"In\", \"NotIn\""

static bool field_is_valid(const struct requirement *r, uint32_t op)
{
	return op <= KUBE_NOT_IN && json_count(r->values) == 1;
}

/* False when a requirement is not valid (or not even of the right type). */
static bool term_fill(
	struct kube_build *b, struct json_value list, bool fields, struct kube_span *span)
{
	struct kube_requirement *requirements =
		kube_build_array(b, sizeof(*requirements), kube_read_count(list), span);
	struct json_walk walk = json_walk(list);
	for (uint32_t i = 0; requirements != NULL && json_walk_next(&walk); i++) {
		struct kube_requirement *to = &requirements[i];
		struct requirement r;
		if (!requirement_read(b, walk.value, true, &r) ||
			!requirement_op(r.operator, true, &to->op))
			return false;
		if (fields ? !field_is_valid(&r, to->op) : !requirement_is_valid(&r, to->op))
			return false;
		if (to->op == KUBE_GT || to->op == KUBE_LT) {
			struct json_walk values = json_walk(r.values);
			bool is_number = json_walk_next(&values) &&
				text_to_i64(json_text(values.value), &to->number);
			CHECK(is_number);
		}
		to->key = kube_build_string(b, r.key);
		requirement_remember(to, &r);
	}
	return !kube_failed(b);
}

/* Appends what is wrong with the requirements of one list of a term. */
static void term_explain(struct kube_build *b, struct json_value list, bool fields,
	struct requirement_place *place, struct requirement_errors *errors)
{
	struct json_walk walk = json_walk(list);
	place->list = fields ? "matchFields" : "matchExpressions";
	for (place->index = 0; json_walk_next(&walk); place->index++) {
		struct requirement r;
		uint32_t op;
		if (!requirement_read(b, walk.value, true, &r))
			return;
		bool known =
			requirement_op(r.operator, true, &op) && (!fields || op <= KUBE_NOT_IN);
		if (!known)
			requirement_error_operator(errors, place, r.operator,
				fields ? FIELD_OPERATORS : TERM_OPERATORS);
		else if (!fields)
			requirement_explain(errors, place, &r, op);
		else if (!field_is_valid(&r, op))
			requirement_error_values(errors, place, r.values, "must have one element");
	}
}

static void term_refuse(struct kube_build *b, struct json_value expressions,
	struct json_value fields, struct requirement_place place, struct kube_node_term *term)
{
	struct requirement_errors errors;
	requirement_errors_init(&errors);
	term_explain(b, expressions, false, &place, &errors);
	term_explain(b, fields, true, &place, &errors);
	if (kube_failed(b))
		return;
	term->expressions = (struct kube_span){0, 0};
	term->fields = (struct kube_span){0, 0};
	term->error = kube_build_string(b, requirement_errors_text(&errors));
}

static void term_build(struct kube_build *b, struct json_value v, bool with_fields,
	const char *path, uint32_t index, struct kube_node_term *term)
{
	*term = (struct kube_node_term){.error = 0};
	struct json_value expressions =
		kube_read_member(b, v, "matchExpressions", "nodeSelectorTerms");
	struct json_value fields = kube_read_member(b, v, "matchFields", "nodeSelectorTerms");
	kube_read_array(b, expressions, "nodeSelectorTerms.matchExpressions");
	kube_read_array(b, fields, "nodeSelectorTerms.matchFields");
	if (kube_failed(b))
		return;
	bool is_empty = json_count(expressions) == 0 && json_count(fields) == 0;
	if (!with_fields)
		fields = JSON_VALUE_NONE;
	if (is_empty) {
		term->empty = 1;
	} else if (term_fill(b, expressions, false, &term->expressions) &&
		term_fill(b, fields, true, &term->fields)) {
		requirements_finish(
			b, v.doc, &term->expressions, "nodeSelectorTerms.matchExpressions");
		requirements_finish(b, v.doc, &term->fields, "nodeSelectorTerms.matchFields");
	} else if (!kube_failed(b)) {
		struct requirement_place place = {path, index, NULL, 0};
		term_refuse(b, expressions, fields, place, term);
	}
}

void kube_node_term_build_at(struct kube_build *b, struct json_value v, const char *path,
	uint32_t index, struct kube_node_term *term)
{
	term_build(b, v, true, path, index, term);
}

void kube_node_terms_build(
	struct kube_build *b, struct json_value v, bool with_fields, struct kube_span *span)
{
	struct json_walk walk = kube_read_array(b, v, "nodeSelectorTerms");
	struct kube_node_term *terms =
		kube_build_array(b, sizeof(*terms), kube_read_count(v), span);
	for (uint32_t i = 0; terms != NULL && json_walk_next(&walk); i++)
		term_build(b, walk.value, with_fields, "nodeSelectorTerms", i, &terms[i]);
}

static bool field_matches(
	const void *blob, const struct kube_requirement *field, const struct kube_node_match *node)
{
	CHECK(field->values.count == 1);
	uint32_t wanted = *KUBE_AT(blob, field->values, uint32_t);
	uint32_t value = field->key == node->name_key ? node->name : INTERN_EMPTY;
	return (value == wanted) == (field->op == KUBE_IN);
}

bool kube_node_term_matches(
	const void *blob, const struct kube_node_term *term, const struct kube_node_match *node)
{
	if (term->error != 0 || term->empty != 0)
		return false;
	const struct kube_requirement *requirements =
		KUBE_AT(blob, term->expressions, struct kube_requirement);
	for (uint32_t i = 0; i < term->expressions.count; i++) {
		if (!requirement_matches(blob, &requirements[i], node->labels, node->strings))
			return false;
	}
	const struct kube_requirement *fields =
		KUBE_AT(blob, term->fields, struct kube_requirement);
	for (uint32_t i = 0; i < term->fields.count; i++) {
		if (!field_matches(blob, &fields[i], node))
			return false;
	}
	return true;
}

void kube_node_term_put(struct json_writer *j, struct text node)
{
	json_member_array(j, "matchFields");
	json_open_object(j);
	json_member_z(j, "key", "metadata.name");
	json_member_z(j, "operator", "In");
	json_member_array(j, "values");
	json_put_text(j, node);
	json_close_array(j);
	json_close_object(j);
	json_close_array(j);
}

void kube_daemon_tolerations_put(struct json_writer *j, uint32_t count)
{
	static const char *const keys[KUBE_DAEMON_TOLERATIONS] = {"not-ready", "unreachable",
		"disk-pressure", "memory-pressure", "pid-pressure", "unschedulable",
		"network-unavailable"};
	for (uint32_t i = 0; i < count; i++) {
		char key[64];
		struct writer w;
		writer_init(&w, key, sizeof(key));
		write_format(&w, "node.kubernetes.io/%s", keys[i]);
		json_open_object(j);
		json_member_text(j, "key", writer_text(&w));
		json_member_z(j, "operator", "Exists");
		json_member_z(j, "effect", i < KUBE_ANY_TOLERATIONS ? "NoExecute" : "NoSchedule");
		json_close_object(j);
	}
}
