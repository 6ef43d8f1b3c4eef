/* SPDX-License-Identifier: GPL-2.0-only */
/* One requirement of a selector: how it is read, kept and matched. */
#include "kube/requirement.h"

bool requirement_op(struct text operator, bool of_node, uint32_t *op)
{
	static const struct {
		const char *name;
		uint32_t op;
	} operators[] = {
		{"In", KUBE_IN},
		{"NotIn", KUBE_NOT_IN},
		{"Exists", KUBE_EXISTS},
		{"DoesNotExist", KUBE_DOES_NOT_EXIST},
		{"Gt", KUBE_GT},
		{"Lt", KUBE_LT},
	};
	for (size_t i = 0; i < ARRAY_COUNT(operators); i++) {
		if (text_is_z(operator, operators[i].name)) {
			*op = operators[i].op;
			return of_node || *op <= KUBE_DOES_NOT_EXIST;
		}
	}
	return false;
}

#define REQUIREMENT_FIELDS(path)                                             \
	{                                                                    \
		KUBE_FIELD(path ".key", requirement, key),                   \
			KUBE_FIELD(path ".operator", requirement, operator), \
			KUBE_FIELD(path ".values", requirement, values),     \
	}
static const struct kube_field label_fields[] =
	REQUIREMENT_FIELDS("labelSelector.matchExpressions"),
			       term_fields[] =
				       REQUIREMENT_FIELDS("nodeSelectorTerms.matchExpressions");

bool requirement_read(
	struct kube_build *b, struct json_value v, bool of_node, struct requirement *r)
{
	const struct kube_field *fields = of_node ? term_fields : label_fields;
	*r = (struct requirement){TEXT_NONE, TEXT_NONE, JSON_VALUE_NONE, false};
	kube_read_fields(b, v,
		of_node ? "nodeSelectorTerms.matchExpressions" : "labelSelector.matchExpressions",
		fields, ARRAY_COUNT(label_fields), r);
	const char *values_field = fields[ARRAY_COUNT(label_fields) - 1].path;
	struct json_walk values = kube_read_array(b, r->values, values_field);
	while (json_walk_next(&values))
		kube_read_text(b, values.value, values_field);
	return !kube_failed(b);
}

void requirement_remember(struct kube_requirement *requirement, const struct requirement *r)
{
	if (r->single || json_count(r->values) > 0)
		requirement->values = (struct kube_span){r->values.token, 1};
}

void requirements_finish(struct kube_build *b, const struct json_doc *doc,
	const struct kube_span *span, const char *field)
{
	if (kube_failed(b) || span->count == 0)
		return;
	struct kube_requirement *requirements = KUBE_BUILT(b, *span, struct kube_requirement);
	kube_sort(requirements, sizeof(*requirements), 3, span->count);
	for (uint32_t i = 0; i < span->count; i++) {
		struct kube_span *values = &requirements[i].values;
		struct json_value v = {doc, values->at};
		if (values->count == 0)
			continue;
		if (json_type(v) == JSON_ARRAY) {
			kube_read_id_set(b, v, values, field);
			continue;
		}
		uint32_t *id = kube_build_array(b, sizeof(*id), 1, values);
		if (id != NULL)
			*id = kube_read_id(b, v, field);
	}
}

static bool requirement_has_value(
	const void *blob, const struct kube_requirement *requirement, uint32_t value)
{
	const uint32_t *values = KUBE_AT(blob, requirement->values, uint32_t);
	uint32_t first = 0;
	uint32_t count = requirement->values.count;
	while (count > 1) {
		uint32_t half = count / 2;
		first += values[first + half] <= value ? half : 0;
		count -= half;
	}
	return count == 1 && values[first] == value;
}

static bool requirement_compares(
	const struct kube_requirement *requirement, uint32_t value, const struct intern *strings)
{
	int64_t number;
	if (strings == NULL || !text_to_i64(intern_text(strings, value), &number))
		return false;
	return requirement->op == KUBE_GT ? number > requirement->number
					  : number < requirement->number;
}

bool requirement_matches(const void *blob, const struct kube_requirement *requirement,
	const struct kube_labels *labels, const struct intern *strings)
{
	uint32_t value;
	bool there = kube_labels_get(labels, requirement->key, &value);
	switch ((enum kube_op)requirement->op) {
	case KUBE_IN: return there && requirement_has_value(blob, requirement, value);
	case KUBE_NOT_IN: return !there || !requirement_has_value(blob, requirement, value);
	case KUBE_EXISTS: return there;
	case KUBE_DOES_NOT_EXIST: return !there;
	case KUBE_GT:
	case KUBE_LT: return there && requirement_compares(requirement, value, strings);
	}
	CHECK_NEVER("an operator that no builder writes");
}
