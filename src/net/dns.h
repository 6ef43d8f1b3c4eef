/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DNS messages: one question made, one answer read. Pure; answers are hostile until proven.
 */
#ifndef BERTH_NET_DNS_H
#define BERTH_NET_DNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "net/bytes.h"

enum {
	DNS_QUERY_MAX = 12 + 255 + 4,
	DNS_ANSWER_MAX = 4096,
	DNS_RECORDS_MAX = 64,
	DNS_A = 1,
	DNS_CNAME = 5,
	DNS_AAAA = 28
};

/* The message's size, or 0 when `name` is not a name (labels of 1..63, 253 in all). */
size_t dns_ask(uint8_t *to, size_t size, uint16_t id, const char *name, uint16_t type);

enum dns_result {
	DNS_FOUND,   /* *count addresses were added */
	DNS_UNKNOWN, /* the name, or addresses of this type, do not exist */
	DNS_REFUSED, /* this server cannot say: ask another one */
	DNS_BROKEN   /* not an answer to this question */
};
/* Aliases are followed as far as the answer itself spells them out, in order. */
MUST_USE enum dns_result dns_read(struct text message, uint16_t id, const char *name, uint16_t type,
	struct net_address *to, uint32_t room, uint32_t *count);

#endif
