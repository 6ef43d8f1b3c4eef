/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extended resources that devices stand for: what a pod asks for by such a name becomes a claim of
 * its own, made for the node it may go to, since some nodes have the resource themselves.
 *
 * Each container has a request of its own, for a container runs beside the others. Init containers
 * that run to their end use what the later ones have, and of what they need beyond that the
 * largest is asked for, once.
 */
#include <string.h>

#include "dra/private.h"

static const struct cache_object *class_object(const struct list *link)
{
	const uint8_t *at = (const uint8_t *)(const void *)link;
	return (const struct cache_object *)(const void *)(at -
		offsetof(struct cache_object, link));
}

static bool is_newer_class(const struct cache *cache, const struct kube_device_class *a,
	const struct kube_device_class *b)
{
	if (b == NULL || a->created_us != b->created_us)
		return b == NULL || a->created_us > b->created_us;
	return text_compare(cache_text(cache, a->name), cache_text(cache, b->name)) < 0;
}

const struct kube_device_class *dra_class_of(const struct cache *cache, uint32_t resource)
{
	const struct list *classes = &cache->by_kind[KUBE_DEVICE_CLASS];
	const struct kube_device_class *found = NULL;
	struct text name = cache_text(cache, resource);
	struct text prefix = TEXT(KUBE_CLASS_RESOURCE);
	bool is_implicit = text_starts(name, prefix);
	for (const struct list *l = classes->next; l != classes; l = l->next) {
		const struct kube_device_class *class = (const void *)class_object(l)->blob;
		if (is_implicit &&
			text_is(text_from(name, prefix.size), cache_text(cache, class->name)))
			return class;
		if (class->extended_resource == resource && is_newer_class(cache, class, found))
			found = class;
	}
	return found;
}

static bool is_backable(const struct cache *cache, const struct kube_scalar *scalar)
{
	return scalar->is_extended != 0 ||
		text_starts(cache_text(cache, scalar->name), TEXT(KUBE_CLASS_RESOURCE));
}

bool dra_may_back_pod(const struct cache *cache, const struct kube_pod_template *class)
{
	const struct kube_scalar *list = KUBE_AT(class, class->fit.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < class->fit.scalars.count; i++)
		if (list[i].value != 0 && is_backable(cache, &list[i]))
			return true;
	return false;
}

bool dra_backs_pod(const struct cache *cache, const struct kube_pod_template *class)
{
	const struct kube_scalar *list = KUBE_AT(class, class->fit.scalars, struct kube_scalar);
	if (list_is_empty(&cache->by_kind[KUBE_DEVICE_CLASS]))
		return false;
	for (uint32_t i = 0; i < class->fit.scalars.count; i++)
		if (list[i].value != 0 && is_backable(cache, &list[i]) &&
			dra_class_of(cache, list[i].name) != NULL)
			return true;
	return false;
}

static bool has_itself(const struct cache_node *node, uint32_t resource, int64_t *amount)
{
	const struct kube_scalar *list =
		KUBE_AT(node->facts, node->facts->allocatable.scalars, struct kube_scalar);
	*amount = 0;
	for (uint32_t i = 0; i < node->facts->allocatable.scalars.count; i++) {
		if (list[i].name != resource)
			continue;
		*amount = list[i].value;
		return true;
	}
	return false;
}

/* ---- the claim ---- */

struct extending {
	struct cache *cache;
	struct scratch *scratch;
	const struct kube_extended *asks;
	uint32_t ask_count;
	struct dra_extended *out;
	struct dra_request **of_container; /* by ask: the request of a long-lived container */
	struct dra_mapping *short_ones;    /* of the resource at hand */
	uint32_t short_count;
};

static struct dra_request *new_request(struct extending *x, const struct kube_extended *ask,
	const struct kube_device_class *class, int64_t count, struct dra_request *request)
{
	char bytes[64];
	struct writer w;
	writer_init(&w, bytes, sizeof(bytes));
	write_format(&w, "container-%u-request-%u", (unsigned)ask->container, (unsigned)ask->place);
	char *name = scratch_take(x->scratch, w.used);
	struct dra_ask *of = SCRATCH_ONE(x->scratch, struct dra_ask);
	if (name == NULL || of == NULL)
		return NULL;
	memcpy(name, bytes, w.used);
	*request = (struct dra_request){.name = {name, w.used}, .asks = of, .ask_count = 1};
	*of = (struct dra_ask){
		.name = request->name, .class = class, .mode = KUBE_DEVICES_EXACT, .count = count};
	return request;
}

static void map_to(struct dra_mapping *list, uint32_t *count, const struct kube_extended *ask,
	struct text request)
{
	list[(*count)++] = (struct dra_mapping){ask->container_name, ask->resource, request};
}

/* Of containers that stay: each its own. */
static bool extend_long(
	struct extending *x, uint32_t resource, const struct kube_device_class *class)
{
	struct dra_claim *claim = &x->out->claim;
	for (uint32_t i = 0; i < x->ask_count; i++) {
		const struct kube_extended *ask = &x->asks[i];
		x->of_container[i] = NULL;
		if (ask->resource != resource || ask->is_short != 0)
			continue;
		struct dra_request *request = new_request(
			x, ask, class, ask->count, &claim->requests[claim->request_count]);
		if (request == NULL)
			return false;
		claim->request_count++;
		x->of_container[i] = request;
		map_to(x->out->mappings, &x->out->mapping_count, ask, request->name);
	}
	return true;
}

/* What later containers have, and what is missing beyond. */
static int64_t reuse(struct extending *x, const struct kube_extended *ask)
{
	int64_t missing = ask->count;
	for (uint32_t i = 0; i < x->ask_count && missing > 0; i++) {
		if (x->of_container[i] == NULL || x->asks[i].container < ask->container)
			continue;
		missing -= x->of_container[i]->asks->count;
		map_to(x->short_ones, &x->short_count, ask, x->of_container[i]->name);
	}
	return missing;
}

static bool extend_short(
	struct extending *x, uint32_t resource, const struct kube_device_class *class)
{
	struct dra_claim *claim = &x->out->claim;
	struct dra_request largest = {0};
	uint32_t *own = SCRATCH_ARRAY(x->scratch, uint32_t, (size_t)x->ask_count + 1);
	uint32_t own_count = 0;
	x->short_count = 0;
	for (uint32_t i = 0; own != NULL && i < x->ask_count; i++) {
		const struct kube_extended *ask = &x->asks[i];
		struct dra_request request;
		if (ask->resource != resource || ask->is_short == 0)
			continue;
		int64_t missing = reuse(x, ask);
		if (missing <= 0)
			continue;
		if (new_request(x, ask, class, missing, &request) == NULL)
			return false;
		own[own_count++] = x->short_count;
		map_to(x->short_ones, &x->short_count, ask, request.name);
		if (largest.asks == NULL || largest.asks->count < missing)
			largest = request;
	}
	for (uint32_t i = 0; i < own_count; i++)
		x->short_ones[own[i]].request = largest.name;
	if (largest.asks != NULL)
		claim->requests[claim->request_count++] = largest;
	for (uint32_t i = 0; i < x->short_count; i++)
		x->out->mappings[x->out->mapping_count++] = x->short_ones[i];
	return own != NULL;
}

static void sort_requests(struct dra_claim *claim)
{
	for (uint32_t i = 1; i < claim->request_count; i++) {
		struct dra_request request = claim->requests[i];
		uint32_t k = i;
		for (; k > 0 && text_compare(claim->requests[k - 1].name, request.name) > 0; k--)
			claim->requests[k] = claim->requests[k - 1];
		claim->requests[k] = request;
	}
}

/* Names of resources that are left to devices here, in order. */
static uint32_t find_backed(struct extending *x, const struct kube_pod_template *class,
	const struct cache_node *node, uint32_t *names)
{
	const struct kube_scalar *list = KUBE_AT(class, class->fit.scalars, struct kube_scalar);
	uint32_t count = 0;
	for (uint32_t i = 0; i < class->fit.scalars.count; i++) {
		int64_t amount;
		if (list[i].value == 0 || !is_backable(x->cache, &list[i]))
			continue;
		bool has = has_itself(node, list[i].name, &amount);
		if (dra_class_of(x->cache, list[i].name) == NULL || amount != 0) {
			x->out->is_lacking = x->out->is_lacking || !has;
			continue;
		}
		uint32_t k = count++;
		for (; k > 0 &&
			text_compare(cache_text(x->cache, names[k - 1]),
				cache_text(x->cache, list[i].name)) > 0;
			k--)
			names[k] = names[k - 1];
		names[k] = list[i].name;
	}
	return count;
}

bool dra_extend(struct cache *cache, struct scratch *scratch, const struct kube_pod_template *class,
	const struct cache_node *node, struct dra_extended *out)
{
	uint32_t count = class->extended.count;
	size_t room = (size_t)count * (count + 1) + 1;
	*out = (struct dra_extended){.claim = {.namespace = cache_text(cache, class->namespace),
					     .name = TEXT("<extended-resources>")}};
	struct extending x = {.cache = cache,
		.scratch = scratch,
		.asks = KUBE_AT(class, class->extended, struct kube_extended),
		.ask_count = count,
		.out = out};
	uint32_t *names = SCRATCH_ARRAY(scratch, uint32_t, (size_t) class->fit.scalars.count + 1);
	out->claim.requests = SCRATCH_ARRAY(scratch, struct dra_request, (size_t)count + 1);
	out->mappings = SCRATCH_ARRAY(scratch, struct dra_mapping, room);
	x.short_ones = SCRATCH_ARRAY(scratch, struct dra_mapping, room);
	x.of_container = SCRATCH_ARRAY(scratch, struct dra_request *, (size_t)count + 1);
	if (scratch->overflowed)
		return false;
	uint32_t backed = find_backed(&x, class, node, names);
	for (uint32_t i = 0; i < backed; i++) {
		const struct kube_device_class *of = dra_class_of(cache, names[i]);
		if (!extend_long(&x, names[i], of) || !extend_short(&x, names[i], of))
			return false;
	}
	sort_requests(&out->claim);
	return true;
}
