/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Certificates made in memory: for a server that was given none, and for tests. EC P-256.
 */
#ifndef BERTH_TLS_CERTIFICATE_H
#define BERTH_TLS_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"
#include "net/net.h"

enum {
	TLS_PEM_MAX = 2048, /* with the terminating zero */
	TLS_CERTIFICATE_NAMES_MAX = 16
};

/* PEM, as setup.certificate and setup.key want it; clients trust `certificate` as their CA. */
struct tls_certificate {
	char certificate[TLS_PEM_MAX];
	char key[TLS_PEM_MAX];
};

struct tls_certificate_request {
	const char *common_name;          /* NULL: none */
	const char *const *organizations; /* then NULL */
	const char *const *names;         /* DNS names and addresses, then NULL */
	uint32_t days;
	bool for_client;                      /* else for a server */
	bool is_ca;                           /* may sign others */
	const struct tls_certificate *issuer; /* NULL: by itself */
};

/*
 * Into two files that are not there yet, the key readable for its owner alone. False with one line
 * in `fault`; then neither is there because of this call.
 */
MUST_USE bool tls_certificate_save(const struct tls_certificate *made, const char *certificate_file,
	const char *key_file, struct writer *fault);

/*
 * From an hour ago on, for so many days. Needs a net with TLS, since mbedTLS works in its fence;
 * takes a few milliseconds. False with one line in `fault`.
 */
MUST_USE bool tls_certificate_make(struct net *net, const struct tls_certificate_request *request,
	struct tls_certificate *made, struct writer *fault);

#endif
