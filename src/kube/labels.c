/* SPDX-License-Identifier: GPL-2.0-only */
/* Label sets: pairs of ids, sorted by key id. */
#include "kube/decode.h"

/*
 * Rules ask about the first three; people are shown all of them. Controllers of other kinds may be
 * as many as pods. A Job's name is a label of its pods as well, so it is kept anyway.
 */
static bool owner_is_named(struct text kind)
{
	return KUBE_IS(kind, "ReplicaSet") || KUBE_IS(kind, "ReplicationController") ||
		KUBE_IS(kind, "StatefulSet") || KUBE_IS(kind, "DaemonSet") || KUBE_IS(kind, "Job");
}

struct kube_labels *kube_labels_build_owned(struct kube_build *b, struct json_value labels,
	const struct kube_owner *owner, const char *field)
{
	struct kube_labels *set = kube_build_start(b, sizeof(*set));
	if (set == NULL)
		return NULL;
	kube_read_pairs(b, labels, &set->pairs, field);
	if (KUBE_IS(owner->kind, "Node")) { /* which one, the pod's own node says */
		set->owner.kind = kube_build_string(b, owner->kind);
	} else if (owner_is_named(owner->kind)) {
		set->owner.api_version = kube_build_string(b, owner->api_version);
		set->owner.kind = kube_build_string(b, owner->kind);
		set->owner.name = kube_build_string(b, owner->name);
		set->owner.uid_hash = kube_uid_hash(owner->uid);
	}
	/* The head is the blob's first bytes. */
	return (struct kube_labels *)(void *)kube_build_finish(b);
}

struct kube_labels *kube_labels_build(
	struct kube_build *b, struct json_value labels, const char *field)
{
	const struct kube_owner none = {TEXT_NONE, TEXT_NONE, TEXT_NONE, TEXT_NONE};
	return kube_labels_build_owned(b, labels, &none, field);
}

bool kube_labels_are(const struct kube_labels *a, const struct kube_labels *b)
{
	if (a == b)
		return true;
	uint32_t count = a == NULL ? 0 : a->pairs.count;
	if (count != (b == NULL ? 0 : b->pairs.count))
		return false;
	return count == 0 ||
		memcmp(KUBE_AT(a, a->pairs, struct kube_label),
			KUBE_AT(b, b->pairs, struct kube_label),
			count * sizeof(struct kube_label)) == 0;
}

struct kube_owner_ids kube_labels_owner(const struct kube_labels *labels)
{
	return labels == NULL ? (struct kube_owner_ids){0} : labels->owner;
}

bool kube_labels_get(const struct kube_labels *labels, uint32_t key, uint32_t *value)
{
	if (labels == NULL)
		return false;
	const struct kube_label *pairs = KUBE_AT(labels, labels->pairs, struct kube_label);
	uint32_t first = 0;
	uint32_t count = labels->pairs.count;
	/* `first` ends at the last key that is not above the wanted one. */
	while (count > 1) {
		uint32_t half = count / 2;
		first += pairs[first + half].key <= key ? half : 0;
		count -= half;
	}
	if (count == 0 || pairs[first].key != key)
		return false;
	*value = pairs[first].value;
	return true;
}
