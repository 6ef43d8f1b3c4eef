/* SPDX-License-Identifier: GPL-2.0-only */
/* Which claims were made for a pod, as its status says: a small blob of its own, if any. */
#include "cache/private.h"
#include "kube/decode.h"

static const char field[] = "status.resourceClaimStatuses";

static void claims_build(struct kube_build *b, const struct kube_pod *pod)
{
	struct cache_pod_claims *claims = kube_build_start(b, sizeof(*claims));
	struct json_value statuses = pod->resource_claim_statuses;
	if (claims == NULL)
		return;
	claims->extended = kube_build_string(b, pod->extended_claim);
	struct kube_label *made =
		kube_build_array(b, sizeof(*made), kube_read_count(statuses), &claims->made);
	struct json_walk walk = kube_read_array(b, statuses, field);
	for (uint32_t i = 0; made != NULL && json_walk_next(&walk); i++) {
		made[i].key =
			kube_read_id(b, kube_read_member(b, walk.value, "name", field), field);
		made[i].value = kube_read_id(b, json_get(walk.value, "resourceClaimName"), field);
	}
}

bool cache_pod_claims_take(struct cache *cache, const struct kube_pod *pod, uint32_t *handle)
{
	*handle = 0;
	if (kube_read_count(pod->resource_claim_statuses) == 0 && pod->extended_claim.size == 0)
		return true;
	struct kube_build b;
	struct scratch_mark mark = scratch_mark(cache->work);
	kube_build_init(&b, &cache->strings, cache->work);
	claims_build(&b, pod);
	const struct kube_blob *blob = kube_build_finish(&b);
	if (blob != NULL)
		blob = cache_keep_blob(cache, blob, handle);
	scratch_rewind(cache->work, mark);
	return blob != NULL;
}

void cache_pod_claims_give(struct cache *cache, uint32_t handle)
{
	if (handle != 0)
		cache_free_blob(cache, store_at(&cache->store, handle), handle);
}

const struct cache_pod_claims *cache_pod_claims_of(
	const struct cache *cache, const struct cache_pod *pod)
{
	return pod->claims == 0 ? NULL : store_at(&cache->store, pod->claims);
}
