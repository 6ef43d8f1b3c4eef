/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a counter counts: does this pod match, is this node included; and counting it all again.
 */
#include "cache/private.h"

static bool in_list(const uint32_t *ids, uint32_t count, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

bool cache_term_matches(const void *blob, const struct cache_term *term, uint32_t namespace,
	const struct kube_labels *namespace_labels, const struct kube_labels *labels)
{
	bool here = term->all_namespaces != 0 ||
		in_list(KUBE_AT(blob, term->namespaces, uint32_t), term->namespaces.count,
			namespace) ||
		kube_selector_matches(blob, &term->namespace_selector, namespace_labels);
	return here && kube_selector_matches(blob, &term->selector, labels);
}

bool cache_query_matches(const struct cache *cache, const struct cache_query *query,
	const struct kube_pod_template *class, const struct kube_labels *labels)
{
	(void)cache;
	CHECK(query->kind == CACHE_MATCH);
	const struct cache_term *terms = KUBE_AT(query, query->terms, struct cache_term);
	for (uint32_t i = 0; i < query->terms.count; i++)
		if (!cache_term_matches(query, &terms[i], class->namespace, NULL, labels))
			return false;
	return query->terms.count > 0;
}

bool cache_query_includes(
	const struct cache *cache, const struct cache_query *query, uint32_t index)
{
	const struct cache_node *node = cache_node_at(cache, index);
	const struct kube_labels *labels = cache_labels_at(cache, node->labels);
	const uint32_t *keys = KUBE_AT(query, query->required_keys, uint32_t);
	uint32_t value;
	for (uint32_t i = 0; i < query->required_keys.count; i++)
		if (!kube_labels_get(labels, keys[i], &value))
			return false;
	if (query->class == 0)
		return true;
	const struct kube_pod_template *class = cache_template_at(cache, query->class);
	if (query->honor_affinity != 0 &&
		!cache_node_selected(cache, class, query->for_node, index))
		return false;
	return query->honor_taints == 0 || cache_untolerated(class, node->facts) == NULL;
}

/* By how much the pod moves the query's count. */
static struct cache_total share_of(
	const struct cache *cache, const struct cache_query *query, const struct cache_pod *pod)
{
	struct cache_total share = {0, 0};
	if (query->kind == CACHE_MATCH) {
		bool left_out = query->skip_deleting != 0 && (pod->flags & CACHE_POD_DELETING) != 0;
		if (!left_out &&
			cache_query_matches(cache, query, cache_template_of(cache, pod),
				cache_labels_at(cache, pod->labels)))
			share = (struct cache_total){1, 1};
		return share;
	}
	const struct cache_shared *shared = pool_at(&cache->classes, pod->class);
	for (uint32_t o = shared->first_owned; o != 0;) {
		const struct cache_owned *owned = pool_at(&cache->counters.owned, o);
		const struct cache_counter *counter = cache_counter_at(cache, owned->counter);
		if (kube_blob_is(&counter->query->blob, &query->blob)) {
			share.sum += owned->weight;
			share.parts++;
		}
		o = owned->next;
	}
	return share;
}

struct cache_total cache_recount(const struct cache *cache, const struct cache_query *query,
	const uint32_t *of_node, int32_t *pods, int32_t *nodes)
{
	struct cache_total total = {0, 0};
	for (uint32_t n = 1; n <= pool_top(&cache->nodes); n++) {
		if (!pool_is_taken(&cache->nodes, n) || of_node[n] == 0)
			continue;
		const struct cache_node *node = cache_node_at(cache, n);
		if (node->facts == NULL)
			continue;
		if (query->kind == CACHE_MATCH && !cache_query_includes(cache, query, n))
			continue;
		if (nodes != NULL)
			nodes[of_node[n]]++;
		for (uint32_t p = node->first_pod; p != 0; p = cache_pod_at(cache, p)->next) {
			struct cache_total share = share_of(cache, query, cache_pod_at(cache, p));
			cache_count(&pods[of_node[n]], share.sum);
			total.sum += share.sum;
			total.parts += share.parts;
		}
	}
	return total;
}
