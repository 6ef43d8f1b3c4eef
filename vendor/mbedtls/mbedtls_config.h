/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mbedTLS as berth has it: TLS 1.2 and 1.3, client (apiserver, extenders) and server (status page),
 * with what Kubernetes certificates use, and nothing else. Everything absent here is absent from
 * the binary.
 */
#ifndef BERTH_MBEDTLS_CONFIG_H
#define BERTH_MBEDTLS_CONFIG_H

/* ---- the system: no files, no threads, no sockets, no timers; memory is a fenced heap ---- */
#define MBEDTLS_HAVE_ASM
#define MBEDTLS_HAVE_TIME
#define MBEDTLS_HAVE_TIME_DATE /* certificates expire */
#define MBEDTLS_PLATFORM_C
/* Of printf() it needs numbers and texts; the C library's brings 8 kB of real numbers along. */
#include <stddef.h>
int tls_format(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define MBEDTLS_PLATFORM_SNPRINTF_MACRO tls_format
#define MBEDTLS_PLATFORM_MEMORY
#define MBEDTLS_MEMORY_BUFFER_ALLOC_C
#define MBEDTLS_MEMORY_DEBUG /* highest use of the heap, for the status page */
#define MBEDTLS_DEPRECATED_REMOVED

/*
 * Entropy comes through the interface of base/: src/net provides mbedtls_psa_external_get_random().
 * That leaves out mbedTLS's own entropy pool and generator, and gives the simulator the same bytes
 * for the same seed.
 */
#define MBEDTLS_PSA_CRYPTO_C
#define MBEDTLS_PSA_CRYPTO_CONFIG
#define MBEDTLS_PSA_CRYPTO_CONFIG_FILE <psa_config.h>
#define MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
/* Keys alive at once: two or three for each handshake under way, one for each ticket kept. */
#define MBEDTLS_PSA_KEY_SLOT_COUNT 32

/* ---- symmetric: AES-GCM and ChaCha20-Poly1305; CBC and CCM are not offered ---- */
#define MBEDTLS_AES_C
#define MBEDTLS_AES_ROM_TABLES   /* constants rather than memory, */
#define MBEDTLS_AES_FEWER_TABLES /* 2 kB of them rather than 8: most CPUs have AES in hardware */
#define MBEDTLS_SHA256_SMALLER
#define MBEDTLS_SHA512_SMALLER
#define MBEDTLS_AESNI_C /* x86-64: found at run time */
#define MBEDTLS_AESCE_C /* armv8: found at run time */
#define MBEDTLS_GCM_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_CHACHAPOLY_C
#define MBEDTLS_CIPHER_C

/* ---- hashes ---- */
#define MBEDTLS_MD_C
#define MBEDTLS_SHA224_C
#define MBEDTLS_SHA256_C
#define MBEDTLS_SHA384_C
#define MBEDTLS_SHA512_C
#define MBEDTLS_HKDF_C
#if defined(__aarch64__)
#define MBEDTLS_SHA256_USE_ARMV8_A_CRYPTO_IF_PRESENT
#endif

/* ---- public keys: ECDSA (k3s, kubeadm's newest) and RSA (kubeadm, most company CAs) ---- */
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_NIST_OPTIM
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECP_DP_SECP384R1_ENABLED
#define MBEDTLS_ECP_DP_SECP521R1_ENABLED
#define MBEDTLS_ECP_DP_CURVE25519_ENABLED
#define MBEDTLS_ECDH_C
#define MBEDTLS_ECDSA_C
#define MBEDTLS_RSA_C
#define MBEDTLS_PKCS1_V15
#define MBEDTLS_PKCS1_V21
#define MBEDTLS_PK_C
#define MBEDTLS_PK_PARSE_C
#define MBEDTLS_PK_WRITE_C
#define MBEDTLS_OID_C
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#define MBEDTLS_BASE64_C
#define MBEDTLS_PEM_PARSE_C
#define MBEDTLS_PEM_WRITE_C

/* ---- X.509: read and verify chains ---- */
#define MBEDTLS_X509_USE_C
#define MBEDTLS_X509_CRT_PARSE_C
#define MBEDTLS_X509_RSASSA_PSS_SUPPORT
#define MBEDTLS_X509_REMOVE_INFO /* no descriptions for people */
/* Tests make certificates with it; berth writes its own. */
#define MBEDTLS_X509_CREATE_C
#define MBEDTLS_X509_CRT_WRITE_C

/* ---- TLS ---- */
#define MBEDTLS_SSL_TLS_C
#define MBEDTLS_SSL_CLI_C
#define MBEDTLS_SSL_SRV_C
#define MBEDTLS_SSL_PROTO_TLS1_2
#define MBEDTLS_SSL_PROTO_TLS1_3
#define MBEDTLS_SSL_TLS1_3_COMPATIBILITY_MODE
#define MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ENABLED
#define MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL_ENABLED /* resumption */
#define MBEDTLS_KEY_EXCHANGE_ECDHE_ECDSA_ENABLED
#define MBEDTLS_KEY_EXCHANGE_ECDHE_RSA_ENABLED
/* All that the lines above leave, in the order that mbedTLS has them; its own list is 1 kB. */
#define MBEDTLS_SSL_CIPHERSUITES                                                    \
	MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256, MBEDTLS_TLS1_3_AES_256_GCM_SHA384, \
		MBEDTLS_TLS1_3_AES_128_GCM_SHA256,                                  \
		MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,                \
		MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,              \
		MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,                    \
		MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,                      \
		MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,                    \
		MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
#define MBEDTLS_SSL_EXTENDED_MASTER_SECRET
#define MBEDTLS_SSL_SERVER_NAME_INDICATION
#define MBEDTLS_SSL_ALPN
#define MBEDTLS_SSL_SESSION_TICKETS
#define MBEDTLS_SSL_TICKET_C
#define MBEDTLS_SSL_MAX_FRAGMENT_LENGTH
#define MBEDTLS_SSL_KEEP_PEER_CERTIFICATE /* TLS 1.3 needs it */

/*
 * A Go server sends records of 16 kB and ignores max_fragment_length, so less cannot be received.
 * What berth sends are requests of about a kilobyte and pages that can go out in pieces: 4 kB. A
 * connection costs about 21 kB of buffers.
 */
#define MBEDTLS_SSL_IN_CONTENT_LEN  16384
#define MBEDTLS_SSL_OUT_CONTENT_LEN 4096

#endif
