/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ResourceSlice: devices of a driver. Its devices say the same words again and again, so each word
 * is referenced once by the blob, however often it stands there.
 */
#include "kube/resource_decode.h"

const struct json_want kube_want_slice_pool[] = {
	{"name", NULL},
	{"generation", NULL},
	{"resourceSliceCount", NULL},
	{NULL, NULL},
};

#define WANT_DEVICE                                                                               \
	{"name", NULL}, {"attributes", NULL}, {"capacity", NULL}, {"consumesCounters", NULL},     \
		{"nodeName", NULL}, {"nodeSelector", NULL}, {"allNodes", NULL}, {"taints", NULL}, \
		{"bindsToNode", NULL}, {"bindingConditions", NULL},                               \
		{"bindingFailureConditions", NULL},                                               \
	{                                                                                         \
		"allowMultipleAllocations", NULL                                                  \
	}

static const struct json_want want_basic[] = {
	WANT_DEVICE,
	{NULL, NULL},
};

/* v1beta1 has all but the name in `basic`. Of claims `devices` has other members, see there. */
#define WANT_DEVICES                \
	WANT_DEVICE,                \
	{                           \
		"basic", want_basic \
	}
static const struct json_want want_devices[] = {
	WANT_DEVICES,
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"driver", NULL},
	{"pool", kube_want_slice_pool},
	{"nodeName", NULL},
	{"nodeSelector", NULL},
	{"allNodes", NULL},
	{"perDeviceNodeSelection", NULL},
	{"sharedCounters", NULL},
	{"devices", want_devices},
	{NULL, NULL},
};

const struct json_want kube_resource_slice_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", kube_want_metadata},
	{"spec", want_spec},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

/* ---- words, each once ---- */

enum { WORDS = 4096, WORDS_MOST = WORDS / 4 * 3 };

struct slice_build {
	struct kube_build *b;
	uint32_t *seen;
	uint32_t count;
};

static uint32_t slice_word(struct slice_build *s, struct text t)
{
	struct kube_build *b = s->b;
	uint32_t id = kube_build_string(b, t);
	if (id == 0 || kube_failed(b))
		return id;
	uint32_t at = id * UINT32_C(2654435761) % WORDS;
	while (s->seen[at] != 0 && s->seen[at] != id)
		at = (at + 1) % WORDS;
	if (s->seen[at] == id) {
		intern_give(b->strings, id);
		b->ref_count--;
	} else if (s->count < WORDS_MOST) {
		s->seen[at] = id;
		s->count++;
	}
	return id;
}

static uint32_t slice_amount(struct slice_build *s, struct json_value v, const char *field)
{
	struct quantity q;
	if (!kube_read_quantity(s->b, v, &q, field))
		return slice_word(s, TEXT("0"));
	return slice_word(s, text_trim(json_scalar(v)));
}

/* ---- attributes and capacities ---- */

static void attribute_value(
	struct slice_build *s, struct json_value v, struct kube_attribute *attribute)
{
	static const char field[] = "spec.devices.attributes";
	struct json_walk walk = kube_read_object(s->b, v, field);
	while (json_walk_next(&walk)) {
		if (kube_is_absent(walk.value))
			continue;
		if (KUBE_IS(walk.key, "string") || KUBE_IS(walk.key, "version")) {
			attribute->kind = KUBE_IS(walk.key, "string") ? KUBE_ATTRIBUTE_STRING
								      : KUBE_ATTRIBUTE_VERSION;
			attribute->value = slice_word(s, kube_read_text(s->b, walk.value, field));
		} else if (KUBE_IS(walk.key, "int")) {
			attribute->kind = KUBE_ATTRIBUTE_INT;
			attribute->value = kube_read_i64(s->b, walk.value, 0, field);
		} else if (KUBE_IS(walk.key, "bool")) {
			attribute->kind = KUBE_ATTRIBUTE_BOOL;
			attribute->value = kube_read_bool(s->b, walk.value, false, field);
		}
	}
}

static uint32_t members(struct json_value v)
{
	return json_type(v) == JSON_OBJECT ? json_count(v) : 0;
}

static void attributes_build(struct slice_build *s, struct json_value v, struct kube_span *span)
{
	struct json_walk walk = kube_read_object(s->b, v, "spec.devices.attributes");
	struct kube_attribute *built = kube_build_array(s->b, sizeof(*built), members(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		built[i].name = slice_word(s, walk.key);
		attribute_value(s, walk.value, &built[i]);
	}
}

static uint32_t policy_build(struct slice_build *s, struct json_value v)
{
	static const char field[] = "spec.devices.capacity.requestPolicy";
	struct kube_span span;
	struct kube_capacity_policy *policy = kube_build_array(s->b, sizeof(*policy), 1, &span);
	if (policy == NULL)
		return 0;
	struct json_value otherwise = kube_read_member(s->b, v, "default", field);
	struct json_value range = json_get(v, "validRange");
	if (!kube_is_absent(otherwise))
		policy->otherwise = slice_amount(s, otherwise, field);
	policy->has_range = !kube_is_absent(range);
	struct json_walk walk = kube_read_object(s->b, range, field);
	while (json_walk_next(&walk)) {
		uint32_t *bound = KUBE_IS(walk.key, "min") ? &policy->least
			: KUBE_IS(walk.key, "max")         ? &policy->most
			: KUBE_IS(walk.key, "step")        ? &policy->step
							   : NULL;
		if (bound != NULL && !kube_is_absent(walk.value))
			*bound = slice_amount(s, walk.value, field);
	}
	struct json_value values = json_get(v, "validValues");
	struct json_walk each = kube_read_array(s->b, values, field);
	uint32_t *ids =
		kube_build_array(s->b, sizeof(*ids), kube_read_count(values), &policy->values);
	for (uint32_t i = 0; ids != NULL && json_walk_next(&each); i++)
		ids[i] = slice_amount(s, each.value, field);
	return span.at;
}

static void capacities_build(struct slice_build *s, struct json_value v, struct kube_span *span)
{
	static const char field[] = "spec.devices.capacity";
	struct json_walk walk = kube_read_object(s->b, v, field);
	struct kube_capacity *built = kube_build_array(s->b, sizeof(*built), members(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		struct json_value policy =
			kube_read_member(s->b, walk.value, "requestPolicy", field);
		built[i].name = slice_word(s, walk.key);
		built[i].value = slice_amount(s, json_get(walk.value, "value"), field);
		if (!kube_is_absent(policy))
			built[i].policy = policy_build(s, policy);
	}
}

/* ---- counters ---- */

/* Lists of {name_key: ..., counters: {name: {value}}}. */
static void counter_sets_build(struct slice_build *s, struct json_value v, const char *field,
	const char *name_key, struct kube_span *span)
{
	struct json_walk walk = kube_read_array(s->b, v, field);
	struct kube_counter_set *built =
		kube_build_array(s->b, sizeof(*built), kube_read_count(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		built[i].name = slice_word(s,
			kube_read_text(
				s->b, kube_read_member(s->b, walk.value, name_key, field), field));
		struct json_value counters = kube_read_member(s->b, walk.value, "counters", field);
		struct json_walk each = kube_read_object(s->b, counters, field);
		struct kube_amount *amounts = kube_build_array(
			s->b, sizeof(*amounts), members(counters), &built[i].counters);
		for (uint32_t k = 0; amounts != NULL && json_walk_next(&each); k++) {
			amounts[k].name = slice_word(s, each.key);
			amounts[k].value = slice_amount(
				s, kube_read_member(s->b, each.value, "value", field), field);
		}
	}
}

/* ---- devices ---- */

static bool has_more(struct json_value v)
{
	static const char *const keys[] = {"consumesCounters", "nodeName", "nodeSelector",
		"allNodes", "taints", "bindsToNode", "bindingConditions",
		"bindingFailureConditions", "allowMultipleAllocations"};
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
		if (!kube_is_absent(json_get(v, keys[i])))
			return true;
	return false;
}

/* A list of strings as it stands. */
static uint32_t conditions_read_json(struct kube_build *b, struct json_value v, const char *field)
{
	struct json_walk walk = kube_read_array(b, v, field);
	while (json_walk_next(&walk))
		(void)kube_read_text(b, walk.value, field);
	return kube_read_json(b, v);
}

static uint32_t more_build(struct slice_build *s, struct json_value v)
{
	struct kube_span span;
	struct kube_device_more *more = kube_build_array(s->b, sizeof(*more), 1, &span);
	if (more == NULL)
		return 0;
	kube_reach_build(s->b, v, &more->reach);
	kube_taints_build(s->b, json_get(v, "taints"), &more->taints);
	counter_sets_build(s, json_get(v, "consumesCounters"), "spec.devices.consumesCounters",
		"counterSet", &more->consumes);
	more->binds_to_node =
		kube_read_bool(s->b, json_get(v, "bindsToNode"), false, "spec.devices.bindsToNode");
	more->is_shared = kube_read_bool(s->b, json_get(v, "allowMultipleAllocations"), false,
		"spec.devices.allowMultipleAllocations");
	struct json_value conditions = json_get(v, "bindingConditions");
	struct json_value failures = json_get(v, "bindingFailureConditions");
	more->has_conditions = kube_read_count(conditions) > 0;
	more->conditions = conditions_read_json(s->b, conditions, "spec.devices.bindingConditions");
	more->failures =
		conditions_read_json(s->b, failures, "spec.devices.bindingFailureConditions");
	return span.at;
}

static void devices_build(struct slice_build *s, struct json_value v, struct kube_span *span)
{
	static const char field[] = "spec.devices";
	struct json_walk walk = kube_read_array(s->b, v, field);
	struct kube_device *built =
		kube_build_array(s->b, sizeof(*built), kube_read_count(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		struct json_value device = walk.value;
		built[i].name = slice_word(s,
			kube_read_text(s->b, kube_read_member(s->b, device, "name", field), field));
		struct json_value basic = json_get(device, "basic");
		if (!kube_is_absent(basic)) {
			kube_read_object(s->b, basic, field);
			device = basic;
		}
		attributes_build(s, json_get(device, "attributes"), &built[i].attributes);
		capacities_build(s, json_get(device, "capacity"), &built[i].capacities);
		if (has_more(device))
			built[i].more = more_build(s, device);
	}
}

static void fill_slice(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_slice *slice = head;
	struct slice_build s = {.b = b, .seen = SCRATCH_ARRAY(b->scratch, uint32_t, WORDS)};
	struct json_value spec = json_get(object, "spec");
	struct json_value pool = kube_read_member(b, spec, "pool", "spec");
	(void)meta;
	if (s.seen == NULL) {
		kube_build_full(b);
		return;
	}
	slice->driver = kube_read_id(b, json_get(spec, "driver"), "spec.driver");
	slice->pool =
		kube_read_id(b, kube_read_member(b, pool, "name", "spec.pool"), "spec.pool.name");
	slice->generation =
		kube_read_i64(b, json_get(pool, "generation"), 0, "spec.pool.generation");
	slice->slice_count = kube_read_i64(
		b, json_get(pool, "resourceSliceCount"), 0, "spec.pool.resourceSliceCount");
	slice->per_device = kube_read_bool(
		b, json_get(spec, "perDeviceNodeSelection"), false, "spec.perDeviceNodeSelection");
	kube_reach_build(b, spec, &slice->reach);
	struct json_value counters = json_get(spec, "sharedCounters");
	slice->has_counters = kube_read_count(counters) > 0;
	counter_sets_build(&s, counters, "spec.sharedCounters", "name", &slice->counter_set);
	devices_build(&s, json_get(spec, "devices"), &slice->devices);
}

enum kube_result kube_resource_slice_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_RESOURCE_SLICE, sizeof(struct kube_slice), fill_slice, out);
}
