/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Base64 as configuration files have it: the standard alphabet, padded, lines broken or not.
 */
#ifndef BERTH_BASE_BASE64_H
#define BERTH_BASE_BASE64_H

#include <stdbool.h>

#include "base/check.h"
#include "base/text.h"

/* Bytes that decoding may need at most. */
static inline size_t base64_room(struct text t)
{
	return t.size / 4 * 3 + 3;
}

/* False when it is not base64; `to` has base64_room() bytes. */
MUST_USE bool base64_decode(struct text t, char *to, size_t *size);

/* On one line, padded. */
void base64_write(struct text bytes, struct writer *out);

#endif
