/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DNS messages (RFC 1035, RFC 3596).
 *
 * An answer is taken only if it repeats the question: id, name in any case, type, class. Records
 * count for the name asked for or for the last alias seen; the rest is ignored, so a server
 * cannot slip in addresses of something else.
 */
#include "net/dns.h"

#include <string.h>

#include "base/chars.h"

enum {
	DNS_HEADER = 12,
	DNS_IN = 1,
	DNS_NAME_MAX = 255,
	DNS_JUMPS_MAX = 32,
	DNS_FLAG_ANSWER = 0x8000,
	DNS_FLAG_RECURSE = 0x0100
};

/* ---- the question ---- */

static size_t put_name(uint8_t *to, size_t size, const char *name)
{
	struct text rest = text_of(name), label;
	size_t used = 0;

	while (text_cut(&rest, '.', &label)) {
		if (label.size == 0 && rest.at == NULL && used > 0)
			break; /* a trailing dot */
		if (label.size == 0 || label.size > 63 || used + label.size + 2 > size ||
			used + label.size + 2 > DNS_NAME_MAX)
			return 0;
		to[used++] = (uint8_t)label.size;
		memcpy(to + used, label.at, label.size);
		used += label.size;
	}
	to[used++] = 0;
	return used;
}

static void put_u16(uint8_t *to, uint16_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

size_t dns_ask(uint8_t *to, size_t size, uint16_t id, const char *name, uint16_t type)
{
	size_t used;

	if (size < DNS_QUERY_MAX)
		return 0;
	memset(to, 0, DNS_HEADER);
	put_u16(to, id);
	put_u16(to + 2, DNS_FLAG_RECURSE);
	put_u16(to + 4, 1);
	used = put_name(to + DNS_HEADER, size - DNS_HEADER - 4, name);
	if (used == 0)
		return 0;
	put_u16(to + DNS_HEADER + used, type);
	put_u16(to + DNS_HEADER + used + 2, DNS_IN);
	return DNS_HEADER + used + 4;
}

/* ---- the answer ---- */

struct reader {
	const uint8_t *at;
	size_t size;
	size_t used;
	bool broken;
};

static uint32_t take_big_endian(struct reader *r, size_t bytes)
{
	uint32_t value = 0;

	if (r->broken || bytes > r->size - r->used) {
		r->broken = true;
		return 0;
	}
	while (bytes-- > 0)
		value = value << 8 | r->at[r->used++];
	return value;
}

/* A name in small letters with dots, "" for the root. Compression may only point backwards. */
static void take_dns_name(struct reader *r, char *name)
{
	size_t at = r->used, used = 0, end = 0;
	uint32_t jumps = 0;

	for (;;) {
		if (at >= r->size)
			break;
		uint8_t size = r->at[at++];
		if (size == 0) {
			name[used == 0 ? 0 : used - 1] = '\0';
			r->used = end != 0 ? end : at;
			return;
		}
		if ((size & 0xc0) == 0xc0) {
			if (at >= r->size || ++jumps > DNS_JUMPS_MAX)
				break;
			size_t to = (size_t)(size & 0x3f) << 8 | r->at[at++];
			end = end != 0 ? end : at;
			if (to >= at - 2)
				break;
			at = to;
			continue;
		}
		if ((size & 0xc0) != 0 || size > r->size - at || used + size + 1 > DNS_NAME_MAX)
			break;
		for (uint8_t i = 0; i < size; i++) {
			char c = (char)r->at[at++];
			name[used++] = char_lower(c);
		}
		name[used++] = '.';
	}
	r->broken = true;
	name[0] = '\0';
}

static bool same_name(const char *small, const char *name)
{
	struct text all = text_of(name);

	if (text_ends(all, TEXT(".")))
		all.size--;
	return text_is_folded(text_of(small), all);
}

static bool is_answer_to(struct reader *r, uint16_t id, const char *name, uint16_t type,
	uint16_t *flags, uint32_t *records)
{
	char asked[DNS_NAME_MAX + 1];
	bool same = take_big_endian(r, 2) == id;

	*flags = (uint16_t)take_big_endian(r, 2);
	same = same && (*flags & DNS_FLAG_ANSWER) != 0 && take_big_endian(r, 2) == 1;
	*records = take_big_endian(r, 2);
	(void)take_big_endian(r, 4);
	take_dns_name(r, asked);
	same = same && !r->broken && same_name(asked, name);
	return take_big_endian(r, 2) == type && take_big_endian(r, 2) == DNS_IN && same &&
		!r->broken;
}

static void take_record(struct reader *r, char *alias, uint16_t type, struct net_address *to,
	uint32_t room, uint32_t *count)
{
	char name[DNS_NAME_MAX + 1];
	uint32_t size = type == DNS_A ? 4 : 16;

	take_dns_name(r, name);
	uint32_t kind = take_big_endian(r, 2), class = take_big_endian(r, 2);
	(void)take_big_endian(r, 4);
	uint32_t length = take_big_endian(r, 2);
	if (r->broken || length > r->size - r->used) {
		r->broken = true;
		return;
	}
	size_t end = r->used + length;
	bool ours = class == DNS_IN && same_name(name, alias);
	if (ours && kind == DNS_CNAME) {
		take_dns_name(r, alias);
	} else if (ours && kind == type && length == size && *count < room) {
		to[*count] = (struct net_address){.family = type == DNS_A ? 4 : 6};
		memcpy(to[*count].bytes, r->at + r->used, size);
		*count += 1;
	}
	r->used = end;
}

enum dns_result dns_read(struct text message, uint16_t id, const char *name, uint16_t type,
	struct net_address *to, uint32_t room, uint32_t *count)
{
	struct reader r = {(const uint8_t *)message.at, message.size, 0, false};
	char alias[DNS_NAME_MAX + 1];
	uint32_t records, before = *count;
	uint16_t flags;

	if (strlen(name) > DNS_NAME_MAX || !is_answer_to(&r, id, name, type, &flags, &records))
		return DNS_BROKEN;
	if ((flags & 15) == 3)
		return DNS_UNKNOWN;
	if ((flags & 15) != 0)
		return DNS_REFUSED;
	strncpy(alias, name, sizeof(alias) - 1);
	alias[sizeof(alias) - 1] = '\0';
	for (uint32_t i = 0; i < records && i < DNS_RECORDS_MAX && !r.broken; i++)
		take_record(&r, alias, type, to, room, count);
	/* Cut off for lack of room (TC): what came before is good. */
	if (*count > before)
		return DNS_FOUND;
	return r.broken ? DNS_BROKEN : DNS_UNKNOWN;
}
