/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What TLS 1.3 asks of mbedTLS's PSA layer: key agreement, key derivation, its hashes and ciphers.
 * Certificates and TLS 1.2 go the older way below it, so signatures and RSA keys are not wanted
 * here a second time.
 */
#ifndef BERTH_PSA_CONFIG_H
#define BERTH_PSA_CONFIG_H

#define PSA_WANT_ALG_ECDH                       1
#define PSA_WANT_ALG_HKDF_EXTRACT               1
#define PSA_WANT_ALG_HKDF_EXPAND                1
#define PSA_WANT_ALG_HMAC                       1
#define PSA_WANT_ALG_SHA_256                    1
#define PSA_WANT_ALG_SHA_384                    1
#define PSA_WANT_ALG_GCM                        1
#define PSA_WANT_ALG_CHACHA20_POLY1305          1
#define PSA_WANT_ECC_MONTGOMERY_255             1
#define PSA_WANT_ECC_SECP_R1_256                1
#define PSA_WANT_ECC_SECP_R1_384                1
#define PSA_WANT_ECC_SECP_R1_521                1
#define PSA_WANT_KEY_TYPE_DERIVE                1
#define PSA_WANT_KEY_TYPE_HMAC                  1
#define PSA_WANT_KEY_TYPE_AES                   1
#define PSA_WANT_KEY_TYPE_CHACHA20              1
#define PSA_WANT_KEY_TYPE_RAW_DATA              1
#define PSA_WANT_KEY_TYPE_ECC_PUBLIC_KEY        1
#define PSA_WANT_KEY_TYPE_ECC_KEY_PAIR_BASIC    1
#define PSA_WANT_KEY_TYPE_ECC_KEY_PAIR_IMPORT   1
#define PSA_WANT_KEY_TYPE_ECC_KEY_PAIR_EXPORT   1
#define PSA_WANT_KEY_TYPE_ECC_KEY_PAIR_GENERATE 1

#endif
