/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signatures of files: ECDSA with P-256 over SHA-256, as `openssl dgst -sha256 -sign` makes them.
 * tls_setup() first, since keys are parsed in its fence.
 */
#ifndef BERTH_TLS_SIGNATURE_H
#define BERTH_TLS_SIGNATURE_H

#include <mbedtls/sha256.h>

#include "base/text.h"

enum { SIGNATURE_HASH = 32, SIGNATURE_MAX = 80 /* DER */ };

/* SHA-256, of what comes in pieces. */
struct signature_hash {
	mbedtls_sha256_context context;
};
void signature_hash_start(struct signature_hash *hash);
void signature_hash_add(struct signature_hash *hash, const void *bytes, size_t size);
void signature_hash_end(struct signature_hash *hash, uint8_t to[SIGNATURE_HASH]);

/* By one of the public keys in `keys`, PEM one after the other. Broken keys count as none. */
MUST_USE bool signature_is_good(
	struct text keys, const uint8_t hash[SIGNATURE_HASH], struct text signature);

#endif
