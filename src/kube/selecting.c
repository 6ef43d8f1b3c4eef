/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds that matter only by the pods they select. Service and ReplicationController select by a
 * plain map, ReplicaSet and StatefulSet by a label selector.
 */
#include "kube/decode.h"

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(kube_want_bookmark),
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"selector", NULL},
	{NULL, NULL},
};

#define WANT(noun)                                      \
	const struct json_want kube_##noun##_want[] = { \
		KUBE_WANT_ENVELOPE,                     \
		{"metadata", want_metadata},            \
		{"spec", want_spec},                    \
		{"status", kube_want_nothing},          \
		{NULL, NULL},                           \
	}
WANT(service);
WANT(replication_controller);
WANT(replica_set);
WANT(stateful_set);

static struct json_value selector_of(struct kube_build *b, struct json_value object)
{
	return kube_read_member(b, json_get(object, "spec"), "selector", "spec");
}

static void fill_map(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_selecting *selecting = head;
	(void)meta;
	kube_selector_build_map(b, selector_of(b, object), &selecting->selector);
}

static void fill_selector(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_selecting *selecting = head;
	(void)meta;
	kube_selector_build(b, selector_of(b, object), &selecting->selector);
}

enum kube_result kube_service_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_SERVICE, sizeof(struct kube_selecting), fill_map, out);
}

enum kube_result kube_replication_controller_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(b, object, KUBE_REPLICATION_CONTROLLER,
		sizeof(struct kube_selecting), fill_map, out);
}

enum kube_result kube_replica_set_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_REPLICA_SET, sizeof(struct kube_selecting), fill_selector, out);
}

enum kube_result kube_stateful_set_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_STATEFUL_SET, sizeof(struct kube_selecting), fill_selector, out);
}
