/* SPDX-License-Identifier: GPL-2.0-only */
#include "tls/signature.h"

#include <string.h>

#include <mbedtls/pk.h>

enum { KEY_PEM_MAX = 1024, KEYS_MAX = 16, KEY_BITS = 256 };

void signature_hash_start(struct signature_hash *hash)
{
	mbedtls_sha256_init(&hash->context);
	CHECK(mbedtls_sha256_starts(&hash->context, 0) == 0);
}

void signature_hash_add(struct signature_hash *hash, const void *bytes, size_t size)
{
	CHECK(mbedtls_sha256_update(&hash->context, bytes, size) == 0);
}

void signature_hash_end(struct signature_hash *hash, uint8_t to[SIGNATURE_HASH])
{
	CHECK(mbedtls_sha256_finish(&hash->context, to) == 0);
	mbedtls_sha256_free(&hash->context);
}

static bool is_by(
	const char *pem, size_t size, const uint8_t hash[SIGNATURE_HASH], struct text signature)
{
	mbedtls_pk_context key;

	mbedtls_pk_init(&key);
	bool good = mbedtls_pk_parse_public_key(&key, (const unsigned char *)pem, size) == 0 &&
		mbedtls_pk_get_type(&key) == MBEDTLS_PK_ECKEY &&
		mbedtls_pk_get_bitlen(&key) == KEY_BITS &&
		mbedtls_pk_verify(&key, MBEDTLS_MD_SHA256, hash, SIGNATURE_HASH,
			(const unsigned char *)signature.at, signature.size) == 0;
	mbedtls_pk_free(&key);
	return good;
}

/* Bytes up to the end of the first key; 0: there is none. */
static size_t first_key(struct text keys)
{
	static const struct text end = {"-----END PUBLIC KEY-----", 24};

	for (size_t i = 0; i + end.size <= keys.size; i++)
		if (memcmp(keys.at + i, end.at, end.size) == 0)
			return i + end.size;
	return 0;
}

bool signature_is_good(struct text keys, const uint8_t hash[SIGNATURE_HASH], struct text signature)
{
	char pem[KEY_PEM_MAX];
	size_t size;

	for (uint32_t i = 0; i < KEYS_MAX && (size = first_key(keys)) > 0; i++) {
		if (text_copy(text_first(keys, size), pem, sizeof(pem)) &&
			is_by(pem, size + 1, hash, signature))
			return true;
		keys = text_from(keys, size);
	}
	return false;
}
