/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds that matter only by the pods they select. Service and ReplicationController select by a
 * plain map, ReplicaSet and StatefulSet by a label selector.
 *
 * A Deployment keeps ten old ReplicaSets. No decision asks about a controller that has no pods and
 * wants none, nor about a Service that selects nothing.
 */
#include "kube/decode.h"

static const struct json_want want_spec[] = {
	{"selector", NULL},
	{"replicas", NULL},
	{NULL, NULL},
};

static const struct json_want want_status[] = {
	{"replicas", NULL},
	{NULL, NULL},
};

#define WANT(noun)                                      \
	const struct json_want kube_##noun##_want[] = { \
		KUBE_WANT_ENVELOPE,                     \
		{"metadata", kube_want_metadata},       \
		{"spec", want_spec},                    \
		{"status", want_status},                \
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

static int32_t selecting_replicas(struct kube_build *b, struct json_value object, const char *part,
	const char *field, int32_t absent)
{
	struct json_value replicas = kube_read_member(b, json_get(object, part), "replicas", part);
	return kube_is_absent(replicas) ? absent : kube_read_i32(b, replicas, absent, field);
}

static enum kube_result controller_decode(struct kube_build *b, struct json_value object,
	enum kube_kind kind, kube_fill_fn *fill, struct kube_object *out)
{
	if (kube_object_decode(b, object, kind, sizeof(struct kube_selecting), fill, out) !=
		KUBE_OK)
		return b->result;
	/* The apiserver fills in 1 where none is wanted expressly. */
	int32_t wanted = selecting_replicas(b, object, "spec", "spec.replicas", 1);
	int32_t there = selecting_replicas(b, object, "status", "status.replicas", 0);
	out->is_needless = wanted == 0 && there == 0;
	if (kube_failed(b)) {
		kube_blob_drop(out->blob, b->strings);
		out->blob = NULL;
	}
	return b->result;
}

enum kube_result kube_service_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	enum kube_result result = kube_object_decode(
		b, object, KUBE_SERVICE, sizeof(struct kube_selecting), fill_map, out);
	const struct kube_selecting *service = (const struct kube_selecting *)(void *)out->blob;
	out->is_needless = result == KUBE_OK && service->selector.requirements.count == 0;
	return result;
}

enum kube_result kube_replication_controller_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return controller_decode(b, object, KUBE_REPLICATION_CONTROLLER, fill_map, out);
}

enum kube_result kube_replica_set_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return controller_decode(b, object, KUBE_REPLICA_SET, fill_selector, out);
}

enum kube_result kube_stateful_set_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return controller_decode(b, object, KUBE_STATEFUL_SET, fill_selector, out);
}
