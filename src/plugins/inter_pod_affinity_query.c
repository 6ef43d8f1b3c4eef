/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pod's own terms as queries.
 *
 * What kube-scheduler does with a namespaceSelector of the pending pod: it adds the namespaces
 * that match now to the term's list, unless the selector is empty and takes every namespace. Until
 * v1.36 it then evaluates the term against pods with EMPTY namespace labels while the selector is
 * still in place: one that matches an empty label set takes every namespace. We work all that out
 * here, and the query needs no selector.
 */
#include "plugins/inter_pod_affinity_state.h"

#include <string.h>

enum { AFFINITY_COUNTS_MIN = 8 };

static bool query_selects_namespaces(const struct kube_pod_term *term)
{
	return term->namespace_selector.state == KUBE_SELECTOR_SET;
}

static bool names_namespace(const void *blob, const struct kube_pod_term *term, uint32_t id)
{
	const uint32_t *ids = KUBE_AT(blob, term->namespaces, uint32_t);
	for (uint32_t i = 0; i < term->namespaces.count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Namespaces that the selector takes and the list does not name; `to` NULL only counts. */
static uint32_t selected_namespaces(const struct cycle_state *d, const struct kube_pod_term *term,
	struct kube_build *b, uint32_t *to)
{
	const struct list *all = &d->cache->by_kind[KUBE_NAMESPACE];
	uint32_t count = 0;
	for (struct list *l = all->next; l != all; l = l->next) {
		const struct cache_object *object = LIST_OWNER(l, struct cache_object, link);
		if (names_namespace(d->pod.class, term, object->name) ||
			!kube_selector_matches(d->pod.class, &term->namespace_selector,
				cache_labels_at(d->cache, object->labels)))
			continue;
		if (to != NULL)
			to[count] = kube_build_id(b, object->name);
		count++;
	}
	return count;
}

/* Ascending, so that equal sets make equal queries. */
static void sort_ids(uint32_t *ids, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		uint32_t id = ids[i];
		uint32_t at = i;
		for (; at > 0 && ids[at - 1] > id; at--)
			ids[at] = ids[at - 1];
		ids[at] = id;
	}
}

static bool takes_every_namespace(const struct cycle_state *d, const struct kube_pod_term *term)
{
	if (!query_selects_namespaces(term))
		return false;
	return d->profile->gates.release < KUBE_1_37
		? kube_selector_matches(d->pod.class, &term->namespace_selector, NULL)
		: term->namespace_selector.requirements.count == 0;
}

static void add_namespaces(struct cycle_state *d, const struct kube_pod_term *term,
	struct kube_build *b, struct cache_term *to)
{
	if (takes_every_namespace(d, term)) {
		to->all_namespaces = 1;
		return;
	}
	uint32_t more = query_selects_namespaces(term) ? selected_namespaces(d, term, b, NULL) : 0;
	uint32_t *ids =
		kube_build_array(b, sizeof(*ids), term->namespaces.count + more, &to->namespaces);
	if (ids == NULL)
		return;
	const uint32_t *named = KUBE_AT(d->pod.class, term->namespaces, uint32_t);
	for (uint32_t i = 0; i < term->namespaces.count; i++)
		ids[i] = kube_build_id(b, named[i]);
	if (more > 0)
		(void)selected_namespaces(d, term, b, ids + term->namespaces.count);
	sort_ids(ids, to->namespaces.count);
}

/* Preferred and required terms are the same struct, so one walk serves both. */
struct cache_query *affinity_query(struct cycle_state *d, struct kube_span terms, uint32_t first,
	uint32_t count, uint32_t topology_key)
{
	struct kube_build b;
	kube_build_init(&b, &d->cache->strings, d->scratch);
	struct cache_query *query = kube_build_start(&b, sizeof(*query));
	if (query == NULL)
		return NULL;
	query->kind = CACHE_MATCH;
	query->topology_key = kube_build_id(&b, topology_key);
	const struct kube_pod_term *list = KUBE_AT(d->pod.class, terms, struct kube_pod_term);
	struct cache_term *to = kube_build_array(&b, sizeof(*to), count, &query->terms);
	for (uint32_t i = 0; to != NULL && i < count; i++) {
		add_namespaces(d, &list[first + i], &b, &to[i]);
		cache_query_term(&b, d->pod.class, NULL, &list[first + i].selector,
			query->terms.at + i * sizeof(*to));
	}
	return (struct cache_query *)(void *)kube_build_finish(&b);
}

/* As many as match: terms that concern others, however many there are, take no room here. */
bool affinity_grow(
	struct scratch *scratch, struct affinity_count **list, uint32_t count, uint32_t *room)
{
	if (count < *room)
		return true;
	uint32_t more = *room == 0 ? AFFINITY_COUNTS_MIN : *room * 2;
	struct affinity_count *grown = SCRATCH_ARRAY(scratch, struct affinity_count, more);
	if (grown == NULL)
		return false;
	if (count > 0)
		memcpy(grown, *list, count * sizeof(**list));
	*list = grown;
	*room = more;
	return true;
}

bool affinity_tally(struct cycle_state *d, struct affinity_count *count, struct cache_query *query)
{
	count->query = query;
	if (query != NULL && cache_tally(d->cache, query, d->way, d->scratch, &count->tally))
		return true;
	d->error = "no room to count the pods of an affinity term";
	return false;
}

bool affinity_each_owned(struct cycle_state *d, enum cache_counter_kind kind,
	void (*fn)(void *self, const struct cache_query *query, const struct cache_tally *tally),
	void *self)
{
	const struct plugin_pod *pod = &d->pod;
	if (d->way == CACHE_COUNT_RECOUNT)
		return cache_each_owned_recount(d->cache, kind, pod->class->namespace,
			pod->namespace_labels, pod->labels, d->scratch, fn, self);
	cache_each_owned(d->cache, kind, pod->class->namespace, pod->namespace_labels, pod->labels,
		fn, self);
	return true;
}

bool affinity_term_takes(const struct kube_pod_template *owner, const struct kube_pod_term *term,
	uint32_t namespace, const struct kube_labels *namespace_labels,
	const struct kube_labels *labels)
{
	const uint32_t *ids = KUBE_AT(owner, term->namespaces, uint32_t);
	bool here = kube_selector_matches(owner, &term->namespace_selector, namespace_labels);
	for (uint32_t i = 0; i < term->namespaces.count && !here; i++)
		here = ids[i] == namespace;
	return here && kube_selector_matches(owner, &term->selector, labels);
}
