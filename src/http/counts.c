/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting what a client asked; the buckets are those of Kubernetes' own clients. */
#include "http/counts.h"

#include "http/client_private.h"

const uint64_t net_took_bounds[NET_TOOK_BOUNDS] = {5000, 25000, 100000, 250000, 500000, 1000000,
	2000000, 4000000, 8000000, 15000000, 30000000, 60000000};
const uint64_t net_size_bounds[NET_SIZE_BOUNDS] = {
	64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
const char *const net_method_names[] = {[NET_GET] = "GET",
	[NET_POST] = "POST",
	[NET_PUT] = "PUT",
	[NET_PATCH] = "PATCH",
	[NET_DELETE] = "DELETE",
	[NET_HEAD] = "HEAD",
	[NET_OPTIONS] = "OPTIONS"};

static void observe_duration(
	struct net_histogram *h, const uint64_t *bounds, uint32_t bound_count, uint64_t value)
{
	uint32_t bucket = 0;

	while (bucket < bound_count && value > bounds[bucket])
		bucket++;
	h->counts[bucket]++;
	h->sum += value;
}

/* What is no code of HTTP counts as no answer. */
static uint32_t code_entry(uint32_t status)
{
	return status < 100 || status - 99 >= NET_COUNTED_CODES ? 0 : status - 99;
}

void net_client_count_retry(struct net_client *client, const struct net_request *request)
{
	client->counts.retries[request->method][code_entry(request->answer.status)]++;
}

void net_count_answer(struct net_counts *counts, const struct net_request *request)
{
	CHECK((uint32_t)request->method < NET_COUNTED_VERBS);
	counts->codes[request->method][code_entry(request->answer.status)]++;
}

void net_count(struct net_counts *counts, const struct net_request *request)
{
	const struct net_answer *answer = &request->answer;
	struct net_histogram *verb = counts->verbs[request->method];

	CHECK((uint32_t)request->method < NET_COUNTED_VERBS);
	if (request->class != NET_WATCH || answer->status == 0)
		net_count_answer(counts, request);
	if (request->class == NET_WATCH)
		return;
	observe_duration(
		&verb[NET_TOOK], net_took_bounds, NET_TOOK_BOUNDS, (uint64_t)answer->took_us);
	observe_duration(
		&verb[NET_WAITED], net_took_bounds, NET_TOOK_BOUNDS, (uint64_t)request->waited_us);
	observe_duration(&verb[NET_SENT], net_size_bounds, NET_SIZE_BOUNDS, request->body.size);
	observe_duration(&verb[NET_RECEIVED], net_size_bounds, NET_SIZE_BOUNDS, answer->body_size);
}

const struct net_counts *net_client_counts(const struct net_client *client)
{
	return &client->counts;
}

void net_client_counts_reset(struct net_client *client)
{
	struct net_counts *counts = &client->counts;

	/* Pages that nothing was counted in are not touched. */
	for (uint32_t method = 0; method < NET_COUNTED_VERBS; method++)
		for (uint32_t i = 0; i < NET_COUNTED_CODES; i++) {
			if (counts->codes[method][i] > 0)
				counts->codes[method][i] = 0;
			if (counts->retries[method][i] > 0)
				counts->retries[method][i] = 0;
		}
	memset(counts->verbs, 0, sizeof(counts->verbs));
}

const char *net_client_host(const struct net_client *client)
{
	return client->host;
}
