/* SPDX-License-Identifier: GPL-2.0-only */
/* What a client has asked its server: requests by their answers, time and sizes by verb. */
#ifndef BERTH_HTTP_COUNTS_H
#define BERTH_HTTP_COUNTS_H

#include "http/http.h"

enum {
	NET_TOOK_BOUNDS = 12,
	NET_SIZE_BOUNDS = 11,
	NET_COUNTED_VERBS = NET_DELETE + 1,
	NET_COUNTED_CODES = 501 /* 100..599, and at 0 those without an answer */
};
/* Microseconds, of the whole and until it was sent; bytes. */
enum net_counted { NET_TOOK, NET_WAITED, NET_SENT, NET_RECEIVED };
enum { NET_COUNTED = NET_RECEIVED + 1 };

struct net_histogram {
	uint64_t counts[NET_TOOK_BOUNDS + 1]; /* by bucket, not summed up */
	uint64_t sum;
};

struct net_counts {
	uint64_t codes[NET_COUNTED_VERBS][NET_COUNTED_CODES];
	uint64_t retries[NET_COUNTED_VERBS]
			[NET_COUNTED_CODES]; /* sent again after such an answer */
	/* Without watches, which have no end of their own. */
	struct net_histogram verbs[NET_COUNTED_VERBS][NET_COUNTED];
};

extern const uint64_t net_took_bounds[NET_TOOK_BOUNDS], net_size_bounds[NET_SIZE_BOUNDS];
extern const char *const net_method_names[]; /* by enum net_method: "GET" */

/* The head of an answer is there, which for a watch may be long before its end; and the end. */
void net_count_answer(struct net_counts *counts, const struct net_request *request);
void net_count(struct net_counts *counts, const struct net_request *request);
/* The request is going to be sent again, for the answer it got. */
void net_client_count_retry(struct net_client *client, const struct net_request *request);
/* The code of an entry; 0: there was no answer. */
static inline uint32_t net_counted_code(uint32_t entry)
{
	return entry == 0 ? 0 : entry + 99;
}

const struct net_counts *net_client_counts(const struct net_client *client);
void net_client_counts_reset(struct net_client *client);
const char *net_client_host(const struct net_client *client); /* "10.0.0.1:6443" */

#endif
