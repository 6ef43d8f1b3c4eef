/* SPDX-License-Identifier: GPL-2.0-only */
/* DeviceClass, and DeviceTaintRule, which taints devices from outside their slices. */
#include "kube/resource_decode.h"

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(kube_want_bookmark),
	{"creationTimestamp", NULL},
	{NULL, NULL},
};

static const struct json_want want_class[] = {
	{"selectors", NULL},
	{"config", NULL},
	{"extendedResourceName", NULL},
	{NULL, NULL},
};

const struct json_want kube_device_class_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_class},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

static const struct json_want want_rule[] = {
	{"deviceSelector", NULL},
	{"taint", NULL},
	{NULL, NULL},
};

const struct json_want kube_taint_rule_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_rule},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

static void fill_class(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_device_class *class = head;
	struct json_value spec = json_get(object, "spec");
	class->extended_resource =
		kube_read_id(b, kube_read_member(b, spec, "extendedResourceName", "spec"),
			"spec.extendedResourceName");
	class->created_us = meta->creation_time.us;
	class->name = kube_build_string(b, meta->name);
	kube_selectors_build(b, json_get(spec, "selectors"), &class->selectors);
	kube_device_configs_build(b, json_get(spec, "config"), &class->configs);
}

enum kube_result kube_device_class_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_DEVICE_CLASS, sizeof(struct kube_device_class), fill_class, out);
}

static void fill_rule(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	static const char field[] = "spec.deviceSelector";
	struct kube_taint_rule *rule = head;
	struct json_value spec = json_get(object, "spec");
	struct json_value selector = kube_read_member(b, spec, "deviceSelector", "spec");
	(void)meta;
	rule->has_selector = !kube_is_absent(selector);
	rule->driver = kube_read_id(b, kube_read_member(b, selector, "driver", field), field);
	rule->pool = kube_read_id(b, json_get(selector, "pool"), field);
	rule->device = kube_read_id(b, json_get(selector, "device"), field);
	rule->taint = kube_taint_build(b, json_get(spec, "taint"));
}

enum kube_result kube_taint_rule_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_TAINT_RULE, sizeof(struct kube_taint_rule), fill_rule, out);
}
