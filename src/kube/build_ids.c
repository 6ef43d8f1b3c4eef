/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building a blob from ids that are there already (copying a part of another blob).
 */
#include <string.h>

#include "kube/decode.h"

uint32_t kube_build_id(struct kube_build *b, uint32_t id)
{
	if (kube_failed(b) || id == INTERN_EMPTY)
		return id;
	CHECK(b->blob != NULL);
	if (b->ref_count == b->ref_room) {
		b->result = KUBE_FULL;
		return 0;
	}
	intern_keep(b->strings, id);
	b->refs[b->ref_count++] = id;
	return id;
}

void kube_build_ids(
	struct kube_build *b, const uint32_t *ids, uint32_t count, struct kube_span *span)
{
	uint32_t *copy = kube_build_array(b, sizeof(*copy), count, span);
	for (uint32_t i = 0; copy != NULL && i < count; i++)
		copy[i] = kube_build_id(b, ids[i]);
}
