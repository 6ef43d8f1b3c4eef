/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses: IPv4 and IPv6 literals as people write them, strictly (no octal, no shortened IPv4).
 */
#include "net/bytes.h"
#include "base/chars.h"

#include <string.h>

enum { ADDRESS_GROUPS = 8 };

static bool parse_v4(struct text literal, uint8_t *bytes)
{
	struct text part;
	uint32_t count = 0;

	while (text_cut(&literal, '.', &part)) {
		uint64_t value;

		if (count == 4 || part.size == 0 || part.size > 3 ||
			(part.size > 1 && part.at[0] == '0') || !text_to_u64(part, &value) ||
			value > 255)
			return false;
		bytes[count++] = (uint8_t)value;
	}
	return count == 4;
}

static bool parse_group(struct text part, uint8_t *bytes)
{
	uint32_t value = 0;

	if (part.size == 0 || part.size > 4)
		return false;
	for (size_t i = 0; i < part.size; i++) {
		int digit = char_hex(part.at[i]);
		if (digit < 0)
			return false;
		value = value * 16 + (uint32_t)digit;
	}
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
	return true;
}

/* Groups between colons, from the front of `part` on; the last one may be an IPv4 address. */
static bool parse_groups(struct text groups, uint8_t *bytes, uint32_t *count, bool v4_allowed)
{
	struct text part;

	*count = 0;
	if (groups.size == 0)
		return true;
	while (text_cut(&groups, ':', &part)) {
		if (v4_allowed && groups.at == NULL && text_find(part, '.') < part.size) {
			if (*count > ADDRESS_GROUPS - 2 || !parse_v4(part, bytes + *count * 2))
				return false;
			*count += 2;
			return true;
		}
		if (*count == ADDRESS_GROUPS || !parse_group(part, bytes + *count * 2))
			return false;
		*count += 1;
	}
	return true;
}

static bool parse_v6(struct text literal, uint8_t *bytes)
{
	uint8_t tail[ADDRESS_GROUPS * 2];
	uint32_t before, after;
	size_t gap = 0;

	while (gap + 1 < literal.size && !(literal.at[gap] == ':' && literal.at[gap + 1] == ':'))
		gap++;
	if (gap + 1 >= literal.size)
		return parse_groups(literal, bytes, &before, true) && before == ADDRESS_GROUPS;
	if (!parse_groups(text_first(literal, gap), bytes, &before, false) ||
		!parse_groups(text_from(literal, gap + 2), tail, &after, true) ||
		before + after >= ADDRESS_GROUPS)
		return false;
	memset(bytes + before * 2, 0, (ADDRESS_GROUPS - before - after) * 2u);
	memcpy(bytes + (ADDRESS_GROUPS - after) * 2, tail, after * 2u);
	return true;
}

bool net_address_parse(struct text literal, uint16_t port, struct net_address *address)
{
	struct net_address parsed = {.port = port};
	size_t percent = text_find(literal, '%');
	uint64_t scope = 0;

	if (parse_v4(literal, parsed.bytes)) {
		parsed.family = 4;
	} else {
		if (percent < literal.size &&
			(!text_to_u64(text_from(literal, percent + 1), &scope) || scope > 255))
			return false;
		memset(parsed.bytes, 0, sizeof(parsed.bytes));
		if (!parse_v6(text_first(literal, percent), parsed.bytes))
			return false;
		parsed.family = 6;
		parsed.scope = (uint32_t)scope;
	}
	*address = parsed;
	return true;
}

/* RFC 5952: the longest run of two or more zero groups becomes "::", the first of equal ones. */
static void find_gap(const uint8_t *bytes, uint32_t *start, uint32_t *length)
{
	*start = ADDRESS_GROUPS;
	*length = 0;
	for (uint32_t i = 0; i < ADDRESS_GROUPS; i++) {
		uint32_t n = 0;
		while (i + n < ADDRESS_GROUPS && bytes[(i + n) * 2] == 0 &&
			bytes[(i + n) * 2 + 1] == 0)
			n++;
		if (n > *length && n > 1) {
			*start = i;
			*length = n;
		}
	}
}

static void write_v6(struct writer *out, const struct net_address *address)
{
	uint32_t gap, length;

	find_gap(address->bytes, &gap, &length);
	for (uint32_t i = 0; i < ADDRESS_GROUPS; i++) {
		if (i == gap) {
			write_z(out, "::");
			i += length - 1;
			continue;
		}
		if (i > 0 && i != gap + length)
			write_char(out, ':');
		write_format(out, "%x",
			(unsigned)(address->bytes[i * 2] << 8 | address->bytes[i * 2 + 1]));
	}
	if (address->scope != 0)
		write_format(out, "%%%u", (unsigned)address->scope);
}

void net_address_write(struct writer *out, const struct net_address *address)
{
	if (address->family == 6) {
		write_char(out, '[');
		write_v6(out, address);
		write_char(out, ']');
	} else {
		write_format(out, "%u.%u.%u.%u", address->bytes[0], address->bytes[1],
			address->bytes[2], address->bytes[3]);
	}
	write_format(out, ":%u", (unsigned)address->port);
}

bool net_address_is(const struct net_address *a, const struct net_address *b)
{
	return a->family == b->family && a->port == b->port && a->scope == b->scope &&
		memcmp(a->bytes, b->bytes, a->family == 6 ? 16 : 4) == 0;
}

bool net_address_is_same_peer(const struct net_address *a, const struct net_address *b)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool whole = a->family != 6 || memcmp(a->bytes, mapped, sizeof(mapped)) == 0;

	/* Of IPv6 everybody has 64 bits for himself. */
	return a->family == b->family &&
		memcmp(a->bytes, b->bytes,
			a->family != 6  ? 4
				: whole ? 16
					: 8) == 0;
}
