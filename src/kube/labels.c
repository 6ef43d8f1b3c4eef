/* SPDX-License-Identifier: GPL-2.0-only */
/* Label sets: pairs of ids, sorted by key id. */
#include "kube/decode.h"

struct kube_labels *kube_labels_build(
	struct kube_build *b, struct json_value labels, const char *field)
{
	struct kube_labels *set = kube_build_start(b, sizeof(*set));
	if (set == NULL)
		return NULL;
	kube_read_pairs(b, labels, &set->pairs, field);
	/* The head is the blob's first bytes. */
	return (struct kube_labels *)(void *)kube_build_finish(b);
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
