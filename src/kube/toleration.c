/* SPDX-License-Identifier: GPL-2.0-only */
/* Taints and tolerations. */
#include "kube/decode.h"

static uint32_t effect_of(struct text t, uint32_t unknown)
{
	if (t.size == 0)
		return KUBE_EFFECT_ANY;
	if (KUBE_IS(t, "NoSchedule"))
		return KUBE_NO_SCHEDULE;
	if (KUBE_IS(t, "PreferNoSchedule"))
		return KUBE_PREFER_NO_SCHEDULE;
	if (KUBE_IS(t, "NoExecute"))
		return KUBE_NO_EXECUTE;
	return unknown;
}

/*
 * Lt and Gt (TaintTolerationComparisonOperators). What kube-scheduler does: with the gate off they
 * tolerate nothing. What we do: a pod that has them came through an apiserver whose gate is on, or
 * was, and they are understood whatever ours is.
 */
static uint32_t operator_of(struct text operator)
{
	if (operator.size == 0 || KUBE_IS(operator, "Equal"))
		return KUBE_TOLERATES_EQUAL;
	if (KUBE_IS(operator, "Exists"))
		return KUBE_TOLERATES_ALL;
	if (KUBE_IS(operator, "Lt"))
		return KUBE_TOLERATES_LESS;
	return KUBE_IS(operator, "Gt") ? KUBE_TOLERATES_MORE : KUBE_TOLERATES_NONE;
}

/* In canonical form: no '+', no zero in front, no "-0". */
static bool number_of(struct text t, int64_t *number)
{
	struct text digits = text_starts(t, TEXT("-")) ? text_from(t, 1) : t;
	bool is_canonical = digits.size > 0 && digits.at[0] >= '0' && digits.at[0] <= '9' &&
		(digits.at[0] != '0' || t.size == 1);
	*number = 0;
	return is_canonical && text_to_i64(t, number);
}

/* What a taint and a toleration have in their documents. */
struct taint_spec {
	struct text key;
	struct text operator;
	struct text value;
	struct text effect;
};

static const struct kube_field toleration_fields[] = {
	KUBE_FIELD("spec.tolerations.key", taint_spec, key),
	KUBE_FIELD("spec.tolerations.operator", taint_spec, operator),
	KUBE_FIELD("spec.tolerations.value", taint_spec, value),
	KUBE_FIELD("spec.tolerations.effect", taint_spec, effect),
};

static const struct kube_field taint_fields[] = {
	KUBE_FIELD("spec.taints.key", taint_spec, key),
	KUBE_FIELD("spec.taints.value", taint_spec, value),
	KUBE_FIELD("spec.taints.effect", taint_spec, effect),
};

static struct kube_toleration toleration_read(struct kube_build *b, struct json_value v)
{
	struct taint_spec spec = {.key = TEXT_NONE};
	KUBE_READ_FIELDS(b, v, "spec.tolerations", toleration_fields, &spec);
	struct kube_toleration toleration = {
		.operator= operator_of(spec.operator),
		.effect = effect_of(spec.effect, KUBE_EFFECT_UNKNOWN),
	};
	if (toleration.operator>= KUBE_TOLERATES_LESS && !number_of(spec.value, &toleration.number))
		toleration.operator= KUBE_TOLERATES_NONE;
	toleration.key = kube_build_string(b, spec.key);
	toleration.value = kube_build_string(b, spec.value);
	return toleration;
}

void kube_tolerations_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	struct json_walk walk = kube_read_array(b, v, "spec.tolerations");
	struct kube_toleration *tolerations =
		kube_build_array(b, sizeof(*tolerations), kube_read_count(v), span);
	for (uint32_t i = 0; tolerations != NULL && json_walk_next(&walk); i++)
		tolerations[i] = toleration_read(b, walk.value);
}

struct kube_taint kube_taint_build(struct kube_build *b, struct json_value v)
{
	struct taint_spec spec = {.key = TEXT_NONE};
	KUBE_READ_FIELDS(b, v, "spec.taints", taint_fields, &spec);
	struct kube_taint taint = {.effect = effect_of(spec.effect, KUBE_EFFECT_ANY)};
	taint.is_number = number_of(spec.value, &taint.number);
	taint.key = kube_build_string(b, spec.key);
	taint.value = kube_build_string(b, spec.value);
	return taint;
}

void kube_taints_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	struct json_walk walk = kube_read_array(b, v, "spec.taints");
	struct kube_taint *taints = kube_build_array(b, sizeof(*taints), kube_read_count(v), span);
	for (uint32_t i = 0; taints != NULL && json_walk_next(&walk); i++)
		taints[i] = kube_taint_build(b, walk.value);
}

bool kube_tolerates(const struct kube_toleration *toleration, const struct kube_taint *taint)
{
	if (toleration->effect != KUBE_EFFECT_ANY && toleration->effect != taint->effect)
		return false;
	if (toleration->key != INTERN_EMPTY && toleration->key != taint->key)
		return false;
	switch ((enum kube_toleration_operator)toleration->operator) {
	case KUBE_TOLERATES_EQUAL: return toleration->value == taint->value;
	case KUBE_TOLERATES_ALL: return true;
	case KUBE_TOLERATES_NONE: return false;
	case KUBE_TOLERATES_LESS:
		return taint->is_number != 0 && taint->number < toleration->number;
	case KUBE_TOLERATES_MORE:
		return taint->is_number != 0 && taint->number > toleration->number;
	}
	return false;
}
