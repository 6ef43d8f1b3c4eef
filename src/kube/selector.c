/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Label selectors.
 *
 * What kube-scheduler does: null selects nothing, {} everything; matchLabels and matchExpressions
 * are checked in this order, and the first requirement that is not valid makes the whole selector
 * an error. What follows from the error differs from rule to rule, so it is kept with its text.
 */
#include "kube/requirement.h"

static void selector_refuse(struct kube_build *b, struct kube_selector *selector, struct text error)
{
	kube_build_shorten(b, sizeof(struct kube_requirement), 0, &selector->requirements);
	selector->state = KUBE_SELECTOR_INVALID;
	selector->error = kube_build_string(b, error);
}

/* Why a requirement is not valid. */
static void selector_refuse_requirement(struct kube_build *b, struct kube_selector *selector,
	const struct requirement *r, uint32_t op)
{
	static const struct requirement_place no_place = {NULL, 0, NULL, 0};
	struct requirement_errors errors;
	requirement_errors_init(&errors);
	requirement_explain(&errors, &no_place, r, op);
	selector_refuse(b, selector, requirement_errors_text(&errors));
}

static void selector_refuse_operator(
	struct kube_build *b, struct kube_selector *selector, struct text operator)
{
	char bytes[REQUIREMENT_ERRORS_SIZE];
	struct writer out;
	writer_init(&out, bytes, sizeof(bytes));
	requirement_write_quoted(&out, operator);
	write_z(&out, " is not a valid label selector operator");
	selector_refuse(b, selector, writer_text(&out));
}

/* The requirements of matchLabels, or of a plain map; false when one is not valid. */
static bool selector_fill_map(struct kube_build *b, struct json_value map, bool checked,
	struct kube_selector *selector, struct kube_requirement *requirements)
{
	struct json_walk walk = json_walk(map);
	for (uint32_t i = 0; json_walk_next(&walk); i++) {
		struct requirement r = {walk.key, TEXT_NONE, walk.value, true};
		kube_read_text(
			b, walk.value, checked ? "labelSelector.matchLabels" : "spec.selector");
		if (kube_failed(b))
			return false;
		if (checked && !requirement_is_valid(&r, KUBE_IN)) {
			selector_refuse_requirement(b, selector, &r, KUBE_IN);
			return false;
		}
		requirements[i].key = kube_build_string(b, r.key);
		requirements[i].op = KUBE_IN;
		requirement_remember(&requirements[i], &r);
	}
	return true;
}

static bool selector_fill_expressions(struct kube_build *b, struct json_value expressions,
	struct kube_selector *selector, struct kube_requirement *requirements)
{
	struct json_walk walk = json_walk(expressions);
	for (uint32_t i = 0; json_walk_next(&walk); i++) {
		struct requirement r;
		if (!requirement_read(b, walk.value, false, &r))
			return false;
		if (!requirement_op(r.operator, false, &requirements[i].op)) {
			selector_refuse_operator(b, selector, r.operator);
			return false;
		}
		if (!requirement_is_valid(&r, requirements[i].op)) {
			selector_refuse_requirement(b, selector, &r, requirements[i].op);
			return false;
		}
		requirements[i].key = kube_build_string(b, r.key);
		requirement_remember(&requirements[i], &r);
	}
	return true;
}

void kube_selector_build(struct kube_build *b, struct json_value v, struct kube_selector *selector)
{
	*selector = (struct kube_selector){.state = KUBE_SELECTOR_NONE};
	struct json_value labels = kube_read_member(b, v, "matchLabels", "labelSelector");
	struct json_value expressions = kube_read_member(b, v, "matchExpressions", "labelSelector");
	kube_read_object(b, labels, "labelSelector.matchLabels");
	kube_read_array(b, expressions, "labelSelector.matchExpressions");
	if (kube_failed(b) || kube_is_absent(v))
		return;

	selector->state = KUBE_SELECTOR_SET;
	uint32_t label_count = json_count(labels);
	struct kube_requirement *requirements = kube_build_array(b, sizeof(*requirements),
		label_count + json_count(expressions), &selector->requirements);
	if (requirements == NULL)
		return;
	if (selector_fill_map(b, labels, true, selector, requirements) &&
		selector_fill_expressions(b, expressions, selector, requirements + label_count))
		requirements_finish(b, v.doc, &selector->requirements, "labelSelector");
}

void kube_selector_build_map(
	struct kube_build *b, struct json_value v, struct kube_selector *selector)
{
	*selector = (struct kube_selector){.state = KUBE_SELECTOR_NONE};
	kube_read_object(b, v, "spec.selector");
	if (kube_failed(b) || kube_is_absent(v))
		return;
	selector->state = KUBE_SELECTOR_SET;
	struct kube_requirement *requirements =
		kube_build_array(b, sizeof(*requirements), json_count(v), &selector->requirements);
	if (requirements != NULL && selector_fill_map(b, v, false, selector, requirements))
		requirements_finish(b, v.doc, &selector->requirements, "spec.selector");
}

bool kube_selector_matches(
	const void *blob, const struct kube_selector *selector, const struct kube_labels *labels)
{
	if (selector->state != KUBE_SELECTOR_SET)
		return false;
	const struct kube_requirement *requirements =
		KUBE_AT(blob, selector->requirements, struct kube_requirement);
	for (uint32_t i = 0; i < selector->requirements.count; i++) {
		if (!requirement_matches(blob, &requirements[i], labels, NULL))
			return false;
	}
	return true;
}
