/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The audit: every sum, count, list and index is derived again from the pods and compared. Slow;
 * tests and the simulator call it after each step.
 */
#include "cache/private.h"

static void audit_scalars(const struct cache *cache, const struct cache_node *node)
{
	for (uint32_t i = 0; i < node->sums.scalar_count; i++) {
		const struct cache_node_scalar *scalar = &node->sums.scalars[i];
		CHECK(i == 0 || node->sums.scalars[i - 1].name < scalar->name);
		int64_t used = 0;
		for (uint32_t p = node->first_pod; p != 0; p = cache_pod_at(cache, p)->next) {
			const struct kube_pod_template *class =
				cache_template_of(cache, cache_pod_at(cache, p));
			const struct kube_scalar *list =
				KUBE_AT(class, class->used.scalars, struct kube_scalar);
			for (uint32_t s = 0; s < class->used.scalars.count; s++)
				used = cache_plus(
					used, list[s].name == scalar->name ? list[s].value : 0);
		}
		CHECK(used == scalar->used);
	}
}

static void audit_node(const struct cache *cache, uint32_t index)
{
	const struct cache_node *node = cache_node_at(cache, index);
	CHECK(cache_find_node_id(cache, node->name) == index);
	struct cache_sums sums = {0};
	uint32_t prev = 0;
	for (uint32_t p = node->first_pod; p != 0; p = cache_pod_at(cache, p)->next) {
		const struct cache_pod *pod = cache_pod_at(cache, p);
		const struct kube_pod_template *class = cache_template_of(cache, pod);
		CHECK(pod->node == index);
		CHECK(pod->prev == prev);
		prev = p;
		sums.pods++;
		sums.cpu_milli = cache_plus(sums.cpu_milli, class->used.cpu_milli);
		sums.memory_bytes = cache_plus(sums.memory_bytes, class->used.memory_bytes);
		sums.storage_bytes = cache_plus(sums.storage_bytes, class->used.storage_bytes);
		sums.nonzero_cpu_milli =
			cache_plus(sums.nonzero_cpu_milli, class->used_nonzero_cpu_milli);
		sums.nonzero_memory_bytes =
			cache_plus(sums.nonzero_memory_bytes, class->used_nonzero_memory_bytes);
		sums.host_port_pods += class->host_ports.count > 0;
		sums.volume_pods += class->volumes.count > 0;
		sums.affinity_pods += class->has_pod_affinity != 0;
	}
	CHECK(sums.pods == node->sums.pods);
	CHECK(sums.cpu_milli == node->sums.cpu_milli);
	CHECK(sums.memory_bytes == node->sums.memory_bytes);
	CHECK(sums.storage_bytes == node->sums.storage_bytes);
	CHECK(sums.nonzero_cpu_milli == node->sums.nonzero_cpu_milli);
	CHECK(sums.nonzero_memory_bytes == node->sums.nonzero_memory_bytes);
	CHECK(sums.host_port_pods == node->sums.host_port_pods);
	CHECK(sums.volume_pods == node->sums.volume_pods);
	CHECK(sums.affinity_pods == node->sums.affinity_pods);
	CHECK(node->facts != NULL || node->sums.pods > 0 || node->unread_pods > 0);
	audit_scalars(cache, node);
}

static uint32_t audit_nodes(const struct cache *cache)
{
	uint32_t placed = 0;
	uint32_t real = 0;
	uint32_t without_hostname = 0;
	uint32_t unread = 0;
	uint32_t unsure = 0;
	for (uint32_t n = 1; n <= pool_top(&cache->nodes); n++) {
		if (!pool_is_taken(&cache->nodes, n))
			continue;
		audit_node(cache, n);
		placed += cache_node_at(cache, n)->sums.pods;
		const struct cache_node *node = cache_node_at(cache, n);
		uint32_t value;
		real += node->facts != NULL;
		unread += node->unread_pods & CACHE_NODE_UNREAD;
		unsure += (node->unread_pods & (CACHE_NODE_UNSURE | CACHE_NODE_LISTED)) != 0;
		without_hostname += node->facts != NULL &&
			!kube_labels_get(cache_labels_at(cache, node->labels),
				cache->names.hostname, &value);
	}
	uint32_t ordered = 0;
	for (uint32_t z = 0; z < cache->order.zone_count; z++) {
		uint32_t count = 0;
		for (uint32_t n = cache->order.zones[z].first; n != 0;
			n = cache->order.next_in_zone[n]) {
			CHECK(cache_node_at(cache, n)->zone == z);
			CHECK(cache_node_at(cache, n)->facts != NULL);
			count++;
		}
		CHECK(count == cache->order.zones[z].count);
		CHECK(count > 0);
		ordered += count;
	}
	CHECK(ordered == real);
	CHECK(unread + cache->unreads.pending == pool_used(&cache->unreads.pool));
	CHECK(cache->unreads.unreported <= pool_used(&cache->unreads.pool));
	CHECK(unsure == cache->unreads.unsure);
	CHECK(without_hostname == cache->nodes_without_hostname);
	CHECK(cache->order.count == real);
	return placed;
}

static void audit_pods(const struct cache *cache, uint32_t placed)
{
	uint32_t pending = 0;
	uint32_t assumed = 0;
	uint32_t nominated = 0;
	for (uint32_t p = 1; p <= pool_top(&cache->pods); p++) {
		if (!pool_is_taken(&cache->pods, p))
			continue;
		const struct cache_pod *pod = cache_pod_at(cache, p);
		const struct kube_pod_template *class = cache_template_of(cache, pod);
		CHECK(cache_find_pod(cache, cache_text(cache, class->namespace),
			      cache_text(cache, pod->name)) == p);
		bool is_assumed = (pod->flags & CACHE_POD_ASSUMED) != 0;
		CHECK(!is_assumed || pod->node != 0);
		pending += pod->node == 0;
		assumed += is_assumed;
		bool listed = !list_is_empty(&pod->nominated_link);
		CHECK(listed == (pod->nominated != 0 && pod->node == 0));
		nominated += listed;
	}
	CHECK(pending == cache->pods_pending);
	CHECK(assumed == cache->pods_assumed);
	CHECK(placed + pending == pool_used(&cache->pods));
	uint32_t listed = 0;
	for (struct list *l = cache->nominated.next; l != &cache->nominated; l = l->next)
		listed++;
	CHECK(listed == nominated);
}

/* By class: pods that are on a node, and whether its terms are counted. */
static void audit_placed(const struct cache *cache)
{
	uint32_t placed = 0;
	for (uint32_t p = pool_next(&cache->pods, 0); p != 0; p = pool_next(&cache->pods, p))
		placed += cache_pod_at(cache, p)->node != 0;
	const struct pool *classes = &cache->classes;
	for (uint32_t c = pool_next(classes, 0); c != 0; c = pool_next(classes, c)) {
		const struct cache_shared *shared = pool_at(classes, c);
		CHECK(shared->placed <= shared->references);
		CHECK(shared->placed > 0 || shared->first_owned == 0);
		placed -= shared->placed;
	}
	CHECK(placed == 0);
}

static void audit_shared(const struct cache *cache, const struct pool *pool, bool classes)
{
	uint64_t references = 0;
	for (uint32_t i = 1; i <= pool_top(pool); i++)
		if (pool_is_taken(pool, i))
			references += ((const struct cache_shared *)pool_at(pool, i))->references;
	uint64_t held = classes ? cache_log_holds_templates(cache) : cache_log_holds_labels(cache);
	for (uint32_t p = 1; p <= pool_top(&cache->pods); p++)
		held += pool_is_taken(&cache->pods, p);
	if (classes) {
		for (uint32_t c = 1; c <= pool_top(&cache->counters.pool); c++)
			held += pool_is_taken(&cache->counters.pool, c) &&
				cache_counter_at(cache, c)->query->class != 0;
	} else {
		for (uint32_t n = 1; n <= pool_top(&cache->nodes); n++)
			held += pool_is_taken(&cache->nodes, n) &&
				cache_node_at(cache, n)->labels != 0;
		for (uint32_t o = 1; o <= pool_top(&cache->objects); o++)
			held += pool_is_taken(&cache->objects, o) &&
				((const struct cache_object *)pool_at(&cache->objects, o))
						->labels != 0;
	}
	CHECK(references == held);
}

void cache_audit(const struct cache *cache)
{
	uint32_t placed = audit_nodes(cache);
	audit_pods(cache, placed);
	cache_conditions_audit(cache);
	audit_shared(cache, &cache->classes, true);
	audit_placed(cache);
	audit_shared(cache, &cache->label_sets, false);
	cache_topology_audit(cache);
	cache_devices_audit(cache);
	cache_assumed_audit(cache);
}
