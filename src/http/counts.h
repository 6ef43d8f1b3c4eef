/* SPDX-License-Identifier: GPL-2.0-only */
/* What a client has asked its server: requests by their answers, time and sizes by verb. */
#ifndef BERTH_HTTP_COUNTS_H
#define BERTH_HTTP_COUNTS_H

#include "http/http.h"

enum {
	NET_TOOK_BOUNDS = 12,
	NET_SIZE_BOUNDS = 11,
	NET_COUNTED_VERBS = NET_DELETE + 1,
	NET_COUNTED_CODES = 40 /* pairs of method and code; more of them are not counted */
};
enum net_counted { NET_TOOK, NET_SENT, NET_RECEIVED }; /* microseconds, bytes, bytes */

struct net_histogram {
	uint64_t counts[NET_TOOK_BOUNDS + 1]; /* by bucket, not summed up */
	uint64_t sum;
};

struct net_counts {
	struct net_code_count {
		uint64_t count;  /* 0: there are no more */
		uint16_t status; /* 0: there was no answer */
		uint8_t method;
	} codes[NET_COUNTED_CODES];
	/* Without watches, which have no end of their own. */
	struct net_histogram verbs[NET_COUNTED_VERBS][NET_RECEIVED + 1];
};

extern const uint64_t net_took_bounds[NET_TOOK_BOUNDS], net_size_bounds[NET_SIZE_BOUNDS];
extern const char *const net_method_names[]; /* by enum net_method: "GET" */

void net_count(struct net_counts *counts, const struct net_request *request);

const struct net_counts *net_client_counts(const struct net_client *client);
void net_client_counts_reset(struct net_client *client);
const char *net_client_host(const struct net_client *client); /* "10.0.0.1:6443" */

#endif
