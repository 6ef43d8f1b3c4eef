/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Certificates made in memory: for a server that was given none, and for tests. EC P-256.
 */
#ifndef BERTH_NET_CERTIFICATE_H
#define BERTH_NET_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"
#include "net/loop.h"

enum {
	NET_PEM_MAX = 2048, /* with the terminating zero */
	NET_CERTIFICATE_NAMES_MAX = 16
};

/* PEM, as setup.certificate and setup.key want it; clients trust `certificate` as their CA. */
struct net_certificate {
	char certificate[NET_PEM_MAX];
	char key[NET_PEM_MAX];
};

struct net_certificate_wish {
	const char *common_name;
	const char *const *organizations; /* then NULL; at most one of who issues others */
	const char *const *names;         /* DNS names and addresses, then NULL */
	uint32_t days;
	bool for_client;                      /* else for a server */
	bool is_ca;                           /* may sign others */
	const struct net_certificate *issuer; /* NULL: by itself */
};

/*
 * From an hour ago on, for so many days. Needs a net with TLS, since mbedTLS works in its fence;
 * takes a few milliseconds. False with one line in `fault`.
 */
MUST_USE bool net_certificate_make(struct net *net, const struct net_certificate_wish *wish,
	struct net_certificate *made, struct writer *fault);

#endif
