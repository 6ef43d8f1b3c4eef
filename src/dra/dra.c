/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims as the allocator takes them, and small things that its parts share. */
#include <stdarg.h>
#include <string.h>

#include "dra/private.h"

enum { ERROR_MAX = 4096 };

enum dra_verdict dra_fail(struct dra_run *run, const char *format, ...)
{
	char bytes[ERROR_MAX];
	struct writer w;
	va_list args;
	writer_init(&w, bytes, sizeof(bytes) - 1);
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	char *kept = scratch_take(run->scratch, w.used + 1);
	if (kept != NULL)
		memcpy(kept, bytes, w.used);
	run->error = kept == NULL ? "out of memory" : kept;
	return DRA_ERROR;
}

static void read_ask(struct cache *cache, const struct kube_claim *facts,
	const struct kube_device_ask *from, struct text name, struct dra_ask *ask)
{
	*ask = (struct dra_ask){.name = name,
		.class = cache_object_blob(cache, KUBE_DEVICE_CLASS, 0, from->class_name),
		.mode_text = cache_text(cache, from->mode_text),
		.mode = from->mode,
		.count = from->count,
		.has_admin = from->has_admin != 0,
		.admin = from->admin != 0,
		.selectors = KUBE_AT(facts, from->selectors, uint32_t),
		.selector_count = from->selectors.count,
		.tolerations = KUBE_AT(facts, from->tolerations, struct kube_toleration),
		.toleration_count = from->tolerations.count,
		.tolerations_json = from->tolerations_json,
		.capacity = KUBE_AT(facts, from->capacity, struct kube_amount),
		.capacity_count = from->capacity.count};
}

bool dra_claim_read(struct cache *cache, struct scratch *scratch, const struct kube_claim *facts,
	struct dra_claim *claim)
{
	const struct kube_device_request *from =
		KUBE_AT(facts, facts->requests, struct kube_device_request);
	*claim = (struct dra_claim){.facts = facts,
		.namespace = cache_text(cache, facts->namespace),
		.name = cache_text(cache, facts->name),
		.request_count = facts->requests.count};
	claim->requests =
		SCRATCH_ARRAY(scratch, struct dra_request, (size_t)claim->request_count + 1);
	for (uint32_t i = 0; claim->requests != NULL && i < claim->request_count; i++) {
		struct dra_request *request = &claim->requests[i];
		const struct kube_device_ask *asks =
			KUBE_AT(facts, from[i].asks, struct kube_device_ask);
		*request = (struct dra_request){.name = cache_text(cache, from[i].name),
			.is_list = from[i].is_list != 0,
			.ask_count = from[i].asks.count};
		request->asks =
			SCRATCH_ARRAY(scratch, struct dra_ask, (size_t)request->ask_count + 1);
		for (uint32_t k = 0; request->asks != NULL && k < request->ask_count; k++)
			read_ask(cache, facts, &asks[k],
				request->is_list ? cache_text(cache, asks[k].name) : request->name,
				&request->asks[k]);
	}
	return !scratch->overflowed;
}

bool dra_reaches(const struct cache *cache, const void *blob, const struct kube_reach *reach,
	const struct cache_node *node)
{
	if (reach->node_name != 0)
		return reach->node_name == node->name;
	if (reach->all_nodes != 0)
		return true;
	const struct kube_node_match match = {.strings = &cache->strings,
		.labels = cache_labels_at(cache, node->labels),
		.name = node->name,
		.name_key = cache->names.metadata_name};
	const struct kube_node_term *terms = KUBE_AT(blob, reach->terms, struct kube_node_term);
	for (uint32_t i = 0; reach->selector != 0 && i < reach->terms.count; i++)
		if (kube_node_term_matches(blob, &terms[i], &match))
			return true;
	return false;
}

const struct kube_attribute *dra_attribute(const struct dra_run *run,
	const struct kube_slice *slice, const struct kube_device *device, struct text name)
{
	const struct kube_attribute *list =
		KUBE_AT(slice, device->attributes, struct kube_attribute);
	for (uint32_t i = 0; i < device->attributes.count; i++)
		if (text_is(dra_text(run, list[i].name), name))
			return &list[i];
	size_t slash = text_find(name, '/');
	if (slash >= name.size || !text_is(text_first(name, slash), dra_text(run, slice->driver)))
		return NULL;
	for (uint32_t i = 0; i < device->attributes.count; i++)
		if (text_is(dra_text(run, list[i].name), text_from(name, slash + 1)))
			return &list[i];
	return NULL;
}

/* ---- points ---- */

int64_t dra_score(const struct dra_claim *claim, const struct dra_pick *picks, uint32_t count)
{
	int64_t score = 0;
	uint32_t last = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		/* Picks of one request stand together, all of the same alternative. */
		if (picks[i].request != last && claim->requests[picks[i].request].is_list)
			score += DRA_LIST_MAX - (int64_t)picks[i].ask;
		last = picks[i].request;
	}
	return score;
}

static bool was_given(const struct cache *cache, const struct kube_claim *claim,
	struct text request, struct text alternative)
{
	const struct kube_device_result *results =
		KUBE_AT(claim, claim->allocation.results, struct kube_device_result);
	for (uint32_t i = 0; i < claim->allocation.results.count; i++) {
		struct text name = cache_text(cache, results[i].request);
		size_t slash = text_find(name, '/');
		if (slash < name.size && text_is(text_first(name, slash), request) &&
			text_is(text_from(name, slash + 1), alternative))
			return true;
	}
	return false;
}

int64_t dra_score_of(const struct cache *cache, const struct kube_claim *claim)
{
	int64_t score = 0;
	const struct kube_device_request *requests =
		KUBE_AT(claim, claim->requests, struct kube_device_request);
	for (uint32_t i = 0; i < claim->requests.count; i++) {
		const struct kube_device_ask *asks =
			KUBE_AT(claim, requests[i].asks, struct kube_device_ask);
		for (uint32_t k = 0; requests[i].is_list != 0 && k < requests[i].asks.count; k++)
			if (was_given(cache, claim, cache_text(cache, requests[i].name),
				    cache_text(cache, asks[k].name)))
				score += DRA_LIST_MAX - (int64_t)k;
	}
	return score;
}
