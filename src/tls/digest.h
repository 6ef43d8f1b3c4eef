/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256: to know a secret again without keeping it. */
#ifndef BERTH_TLS_DIGEST_H
#define BERTH_TLS_DIGEST_H

#include <stdint.h>

#include "base/text.h"

enum { TLS_DIGEST_SIZE = 32 };
struct tls_digest {
	uint8_t bytes[TLS_DIGEST_SIZE];
};

/* Of several texts, each with its length before it: where one ends matters. */
struct tls_digest tls_digest(const struct text *texts, uint32_t count);

#endif
