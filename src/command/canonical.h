/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Canonical JSON, as json_cut writes it, without a parser's tokens: an answer about a large cluster
 * has more values than json_parse() takes at once, so its members or elements are told apart by
 * their brackets, and each is parsed for itself. Bytes that are not such JSON end the walk.
 */
#ifndef BERTH_COMMAND_CANONICAL_H
#define BERTH_COMMAND_CANONICAL_H

#include "json/json.h"

/* Start with the whole object. The key as it is written, without its quotes. */
MUST_USE bool canonical_next_member(struct text *rest, struct text *key, struct text *value);
/* Start with the whole array. */
MUST_USE bool canonical_next_element(struct text *rest, struct text *value);
uint32_t canonical_count(struct text value); /* members, elements */

/* Of a copy: json_parse() resolves escapes in place. None: there is no room. */
struct json_value canonical_parse(struct text json, struct scratch *scratch);

#endif
