/* SPDX-License-Identifier: GPL-2.0-only */
/* The pod's devices, as PreEnqueue, Reserve and the cache have them. */
#include "vectors/dra.h"

#include <stdio.h>
#include <string.h>

#include "kube/resource.h"

enum { DRA_SCRATCH = 1 << 20, DRA_TEXT = 1 << 16 };

static struct scratch dra_scratch(void)
{
	static uint64_t room[DRA_SCRATCH / sizeof(uint64_t)];
	struct scratch scratch;
	scratch_init(&scratch, room, sizeof(room));
	return scratch;
}

bool dra_gate_agrees(struct cycle *cycle, uint32_t pod, struct json_value expect, const char *name)
{
	struct scratch scratch = dra_scratch();
	struct plugin_reasons why = {.scratch = &scratch};
	struct json_value want = json_get(expect, "preEnqueue");
	enum plugin_id gate =
		plugin_gate_of(cycle->cache, cycle_profile_of(cycle, pod), pod, &why, NULL);
	struct json_walk reasons = json_walk(json_get(want, "reasons"));
	struct text reason = json_walk_next(&reasons) ? json_text(reasons.value) : TEXT_NONE;
	struct text got = why.count > 0 ? why.list[0] : TEXT_NONE;
	struct text plugin = json_text(json_get(want, "plugin"));
	if (gate == PLUGIN_COUNT ? json_type(want) == JSON_NONE
				 : text_is_z(plugin, plugins[gate]->name) && text_is(reason, got))
		return true;
	printf("%s: preEnqueue\n    want %.*s\n    got  %.*s\n", name, TEXT_ARGS(reason),
		TEXT_ARGS(got));
	return false;
}

/* What the claim has, or is getting. */
static const struct kube_allocation *allocation_of(
	const struct cache *cache, uint32_t object, const void **blob)
{
	uint32_t pending = cache_pending_of(cache, object);
	const struct kube_claim *claim = cache_claim_at(cache, object);
	if (pending == 0) {
		*blob = claim;
		return claim->allocated == 0 ? NULL : &claim->allocation;
	}
	*blob = cache_pending_at(cache, pending)->allocated;
	return &cache_pending_at(cache, pending)->allocated->allocation;
}

static bool same_results(const struct cache *cache, const void *blob,
	const struct kube_allocation *allocation, struct json_value want, struct writer *got)
{
	const struct kube_device_result *results =
		KUBE_AT(blob, allocation->results, struct kube_device_result);
	bool same = json_count(want) == allocation->results.count;
	struct json_walk walk = json_walk(want);
	for (uint32_t i = 0; i < allocation->results.count; i++) {
		size_t before = got->used;
		write_format(got, "%.*s=%.*s/%.*s/%.*s",
			TEXT_ARGS(cache_text(cache, results[i].request)),
			TEXT_ARGS(cache_text(cache, results[i].driver)),
			TEXT_ARGS(cache_text(cache, results[i].pool)),
			TEXT_ARGS(cache_text(cache, results[i].device)));
		same = same && json_walk_next(&walk) &&
			text_is(json_text(walk.value), text_from(writer_text(got), before));
		write_char(got, ' ');
	}
	return same;
}

static bool same_selector(const struct cache *cache, const struct kube_allocation *allocation,
	struct json_value want, struct writer *got)
{
	struct text selector = allocation->reach.selector == 0
		? TEXT_NONE
		: cache_text(cache, allocation->reach.selector);
	write_text(got, selector);
	if (json_type(want) == JSON_NONE || json_type(want) == JSON_NULL)
		return selector.size == 0;
	return text_is(json_raw(want), selector);
}

static uint32_t reserved_count(
	const struct cache *cache, const struct kube_claim *claim, struct cache_uid uid)
{
	const struct kube_consumer *consumers =
		KUBE_AT(claim, claim->reserved_for, struct kube_consumer);
	uint32_t count = claim->reserved_for.count + 1;
	for (uint32_t i = 0; i < claim->reserved_for.count; i++) {
		char bytes[64];
		struct writer w;
		writer_init(&w, bytes, sizeof(bytes));
		cache_print_uid(cache, uid, &w);
		count -= text_is(writer_text(&w), cache_text(cache, consumers[i].uid));
	}
	return count;
}

/* Of a claim that is yet to be made: known by how its name begins. */
static const struct kube_allocation *allocation_to_come(
	const struct cache *cache, struct text prefix, const void **blob)
{
	const struct pool *pool = &cache->devices.pending;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i)) {
		const struct cache_pending *pending = cache_pending_at(cache, i);
		if (pending->object != 0 || !text_starts(cache_text(cache, pending->name), prefix))
			continue;
		*blob = pending->allocated;
		return &pending->allocated->allocation;
	}
	return NULL;
}

static uint32_t find_claim(const struct cache *cache, uint32_t pod, struct text name)
{
	uint32_t id;
	return intern_find(&cache->strings, name, &id)
		? cache_find_object(cache, KUBE_RESOURCE_CLAIM,
			  cache_template_of(cache, cache_pod_at(cache, pod))->namespace, id)
		: 0;
}

static bool claim_agrees(const struct cycle *cycle, uint32_t pod, struct text claim_name,
	struct json_value want, const char *name)
{
	static char bytes[DRA_TEXT];
	const struct cache *cache = cycle->cache;
	uint32_t object = find_claim(cache, pod, claim_name);
	const void *blob = NULL;
	const struct kube_allocation *allocation = object == 0
		? allocation_to_come(cache, claim_name, &blob)
		: allocation_of(cache, object, &blob);
	struct writer got;
	int64_t reserved = 0;
	writer_init(&got, bytes, sizeof(bytes));
	uint32_t reserves = object == 0 ? 1
					: reserved_count(cache, cache_claim_at(cache, object),
						  cache_pod_at(cache, pod)->uid);
	if (json_i64(json_get(want, "reserved"), &reserved) && allocation != NULL &&
		same_results(cache, blob, allocation, json_get(want, "results"), &got) &&
		same_selector(cache, allocation, json_get(want, "nodeSelector"), &got) &&
		reserves == (uint32_t)reserved)
		return true;
	printf("%s: allocation of %.*s\n    want %.*s\n    got  %.*s\n", name,
		TEXT_ARGS(claim_name), TEXT_ARGS(json_raw(want)), TEXT_ARGS(writer_text(&got)));
	return false;
}

bool dra_agrees(struct cycle *cycle, uint32_t pod, struct json_value expect, const char *name)
{
	struct scratch scratch = dra_scratch();
	struct plugin_reasons why = {.scratch = &scratch};
	struct json_value allocations = json_get(expect, "allocations");
	struct schedule_result decision;
	uint32_t node = cache_find_node(cycle->cache, json_text(json_get(expect, "allocatedOn")));
	if (json_type(allocations) != JSON_OBJECT)
		return true;
	cycle_decide(cycle, pod, CACHE_COUNT_FAST, &decision);
	if (decision.outcome != CYCLE_PLACED || node == 0) {
		printf("%s: not placed\n", name);
		return false;
	}
	struct plugin_binding b = {.cache = cycle->cache,
		.profile = decision.state->profile,
		.scratch = &scratch,
		.tag = pod,
		.pod = pod,
		.node = cache_node_at(cycle->cache, node)->name,
		.uid = cache_pod_at(cycle->cache, pod)->uid};
	const struct plugin *plugin = plugins[PLUGIN_DYNAMIC_RESOURCES];
	if (plugin->reserve(decision.state, &b, &why) != PLUGIN_SUCCESS) {
		printf("%s: not reserved: %s\n", name,
			decision.state->error == NULL ? "" : decision.state->error);
		return false;
	}
	cache_audit(cycle->cache);
	bool same = true;
	struct json_walk walk = json_walk(allocations);
	while (json_walk_next(&walk))
		same = claim_agrees(cycle, pod, walk.key, walk.value, name) && same;
	plugin->unreserve(&b);
	plugin_release(&b);
	cache_audit(cycle->cache);
	return same;
}
