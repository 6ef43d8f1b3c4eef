/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 of texts, by mbedTLS. */
#include "tls/digest.h"

#include <mbedtls/sha256.h>

#include "base/check.h"

struct tls_digest tls_digest(const struct text *texts, uint32_t count)
{
	struct tls_digest digest;
	mbedtls_sha256_context context;
	mbedtls_sha256_init(&context);
	CHECK(mbedtls_sha256_starts(&context, 0) == 0);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t size = texts[i].size;
		CHECK(mbedtls_sha256_update(&context, (const uint8_t *)&size, sizeof(size)) == 0);
		CHECK(mbedtls_sha256_update(
			      &context, (const uint8_t *)texts[i].at, texts[i].size) == 0);
	}
	CHECK(mbedtls_sha256_finish(&context, digest.bytes) == 0);
	mbedtls_sha256_free(&context);
	return digest;
}
