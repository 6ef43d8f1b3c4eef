/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses: read as strictly as upstream's language does (no leading zeros, no zones, no IPv4
 * mapped into IPv6).
 */
#include "cel/address.h"

#include "base/chars.h"
#include "cel/function.h"

enum { ADDRESS_V4 = 4, ADDRESS_V6 = 16, ADDRESS_GROUPS = 8, ADDRESS_TEXT = 64 };

/* A decimal number without leading zeros, up to `most`, in front of `t`. */
static bool address_number(struct text *t, uint32_t most, uint32_t *value)
{
	size_t digits = 0;

	*value = 0;
	for (; digits < t->size && char_is_digit(t->at[digits]) && digits < 4; digits++)
		*value = *value * 10 + (uint32_t)(t->at[digits] - '0');
	if (digits == 0 || digits == 4 || (digits > 1 && t->at[0] == '0') || *value > most)
		return false;
	*t = text_from(*t, digits);
	return true;
}

static bool address_parse_v4(struct text t, uint8_t bytes[4])
{
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t value;

		if (i > 0 && (t.size == 0 || t.at[0] != '.'))
			return false;
		if (i > 0)
			t = text_from(t, 1);
		if (!address_number(&t, 255, &value))
			return false;
		bytes[i] = (uint8_t)value;
	}
	return t.size == 0;
}

/* Up to four hexadecimal digits. */
static bool address_group(struct text *t, uint32_t *value)
{
	size_t digits = 0;

	*value = 0;
	for (; digits < t->size && digits < 5; digits++) {
		int digit = char_hex(t->at[digits]);

		if (digit < 0)
			break;
		*value = *value << 4 | (uint32_t)digit;
	}
	if (digits == 0 || digits == 5)
		return false;
	*t = text_from(*t, digits);
	return true;
}

/* Moves what came behind "::" to the end. */
static bool address_stretch(uint8_t bytes[16], uint32_t used, int32_t gap)
{
	uint32_t tail;

	if (gap < 0)
		return used == ADDRESS_V6;
	if (used == ADDRESS_V6)
		return false;
	tail = used - (uint32_t)gap;
	memmove(bytes + ADDRESS_V6 - tail, bytes + gap, tail);
	memset(bytes + gap, 0, ADDRESS_V6 - tail - (uint32_t)gap);
	return true;
}

static bool address_parse_v6(struct text t, uint8_t bytes[16])
{
	uint32_t used = 0;
	int32_t gap = -1;

	memset(bytes, 0, ADDRESS_V6);
	if (text_starts(t, TEXT("::"))) {
		gap = 0;
		t = text_from(t, 2);
	}
	while (t.size > 0 && used < ADDRESS_V6) {
		struct text group = t;
		uint32_t value;

		if (!address_group(&t, &value))
			return false;
		if (t.size > 0 && t.at[0] == '.') {
			if (used + ADDRESS_V4 > ADDRESS_V6 ||
				!address_parse_v4(group, bytes + used))
				return false;
			return address_stretch(bytes, used + ADDRESS_V4, gap);
		}
		bytes[used++] = (uint8_t)(value >> 8);
		bytes[used++] = (uint8_t)value;
		if (t.size == 0)
			break;
		if (t.at[0] != ':' || t.size == 1)
			return false;
		t = text_from(t, 1);
		if (t.at[0] == ':') {
			if (gap >= 0)
				return false;
			gap = (int32_t)used;
			t = text_from(t, 1);
		}
	}
	return t.size == 0 && address_stretch(bytes, used, gap);
}

static bool address_parse(struct text t, struct cel_address *address)
{
	*address = (struct cel_address){.size = ADDRESS_V4};
	if (text_find(t, ':') == t.size)
		return address_parse_v4(t, address->bytes);
	address->size = ADDRESS_V6;
	return address_parse_v6(t, address->bytes);
}

static bool address_is_mapped(const struct cel_address *a)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return a->size == ADDRESS_V6 && memcmp(a->bytes, mapped, sizeof(mapped)) == 0;
}

/* NULL, or what upstream says; some of it has the text twice. */
static struct cel_value address_read(
	struct cel_run *run, struct text t, struct cel_address *address)
{
	struct text zone = text_from(t, text_find(t, '%'));
	struct cel_address inside;

	if (zone.size > 1 && text_find(t, ':') < t.size - zone.size &&
		address_parse(text_first(t, t.size - zone.size), &inside))
		return cel_fault_text(
			run, "IP address \"%.*s\" with zone value is not allowed", TEXT_ARGS(t));
	if (!address_parse(t, address))
		return cel_fault_text(run,
			"IP Address \"%.*s\" parse error during conversion from string: "
			"ParseAddr(\"%.*s\"): unable to parse IP",
			TEXT_ARGS(t), TEXT_ARGS(t));
	if (address_is_mapped(address))
		return cel_fault_text(
			run, "IPv4-mapped IPv6 address \"%.*s\" is not allowed", TEXT_ARGS(t));
	return CEL_VALUE_NULL;
}

/* NULL, or why the range is none. */
static const char *address_range(struct text t, struct cel_address *range)
{
	size_t slash = text_find_last(t, '/');
	struct text bits;
	uint32_t prefix;

	if (slash == t.size)
		return "no '/'";
	if (!address_parse(text_first(t, slash), range))
		return "unable to parse IP";
	bits = text_from(t, slash + 1);
	if (!address_number(&bits, 999, &prefix) || bits.size > 0)
		return "bad bits after slash";
	if (prefix > range->size * 8U)
		return "prefix length out of range";
	range->prefix = (uint8_t)prefix;
	return NULL;
}

static struct cel_value address_read_range(
	struct cel_run *run, struct text t, struct cel_address *range)
{
	static const char twice[] = "network address parse error during conversion from string: ";
	const char *why = address_range(t, range);

	if (why != NULL)
		return cel_fault_text(run, "%s%snetip.ParsePrefix(\"%.*s\"): %s", twice, twice,
			TEXT_ARGS(t), why);
	if (address_is_mapped(range))
		return cel_fault_text(run, "%sIPv4-mapped IPv6 address \"%.*s\" is not allowed",
			twice, TEXT_ARGS(t));
	return CEL_VALUE_NULL;
}

/* ---- print ---- */

/* The longest run of zero groups, two at least. */
static void address_gap(const uint32_t groups[ADDRESS_GROUPS], uint32_t *from, uint32_t *size)
{
	*from = ADDRESS_GROUPS;
	*size = 1;
	for (uint32_t i = 0; i < ADDRESS_GROUPS; i++) {
		uint32_t zeros = 0;

		while (i + zeros < ADDRESS_GROUPS && groups[i + zeros] == 0)
			zeros++;
		if (zeros > *size) {
			*from = i;
			*size = zeros;
		}
	}
}

void cel_address_print(const struct cel_address *address, bool range, struct writer *out)
{
	uint32_t groups[ADDRESS_GROUPS];
	uint32_t gap;
	uint32_t size;

	if (address->size == ADDRESS_V4) {
		for (uint32_t i = 0; i < ADDRESS_V4; i++)
			write_format(out, "%s%u", i > 0 ? "." : "", (unsigned)address->bytes[i]);
	} else {
		for (uint32_t i = 0; i < ADDRESS_GROUPS; i++)
			groups[i] =
				(uint32_t)address->bytes[2 * i] << 8 | address->bytes[2 * i + 1];
		address_gap(groups, &gap, &size);
		for (uint32_t i = 0; i < ADDRESS_GROUPS; i++) {
			if (i == gap) {
				write_z(out, "::");
				i += size - 1;
				continue;
			}
			write_z(out, i > 0 && i != gap + size ? ":" : "");
			write_format(out, "%x", (unsigned)groups[i]);
		}
	}
	if (range)
		write_format(out, "/%u", (unsigned)address->prefix);
}

/* ---- functions ---- */

static struct cel_value address_value(
	struct cel_run *run, enum cel_kind kind, const struct cel_address *address)
{
	struct cel_address *copy = cel_take(run, 1, sizeof(*copy));

	if (copy == NULL)
		return cel_stopped(run);
	*copy = *address;
	if (kind == CEL_IP)
		copy->prefix = 0;
	return (struct cel_value){.kind = (uint8_t)kind, .address = copy};
}

struct cel_value cel_new_ip(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address address;
	struct cel_value error;

	CHECK(count == 1);
	if (args[0].kind == CEL_CIDR)
		return address_value(run, CEL_IP, args[0].address);
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	error = address_read(run, cel_text(&args[0]), &address);
	return error.kind == CEL_ERROR ? error : address_value(run, CEL_IP, &address);
}

struct cel_value cel_is_ip(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address address;

	(void)run;
	CHECK(count == 1);
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_bool(
		address_parse(cel_text(&args[0]), &address) && !address_is_mapped(&address));
}

struct cel_value cel_is_canonical(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address address;
	struct cel_value error;
	char text[ADDRESS_TEXT];
	struct writer out;

	CHECK(count == 1);
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	error = address_read(run, cel_text(&args[0]), &address);
	if (error.kind == CEL_ERROR)
		return error;
	writer_init(&out, text, sizeof(text));
	cel_address_print(&address, false, &out);
	return cel_bool(text_is(writer_text(&out), cel_text(&args[0])));
}

struct cel_value cel_family(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	CHECK(count == 1);
	return args[0].kind == CEL_IP ? cel_int(args[0].address->size == ADDRESS_V4 ? 4 : 6)
				      : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

static bool address_is_zero(const struct cel_address *a)
{
	static const uint8_t zero[ADDRESS_V6];

	return memcmp(a->bytes, zero, a->size) == 0;
}

static bool address_is_loopback(const struct cel_address *a)
{
	static const uint8_t one[ADDRESS_V6] = {[15] = 1};

	return a->size == ADDRESS_V4 ? a->bytes[0] == 127 : memcmp(a->bytes, one, sizeof(one)) == 0;
}

static bool address_is_local_unicast(const struct cel_address *a)
{
	return a->size == ADDRESS_V4 ? a->bytes[0] == 169 && a->bytes[1] == 254
				     : a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

static bool address_is_local_multicast(const struct cel_address *a)
{
	return a->size == ADDRESS_V4 ? a->bytes[0] == 224 && a->bytes[1] == 0 && a->bytes[2] == 0
				     : a->bytes[0] == 0xff && (a->bytes[1] & 0x0f) == 0x02;
}

static bool address_is_global(const struct cel_address *a)
{
	static const uint8_t all[ADDRESS_V4] = {255, 255, 255, 255};
	bool multicast = a->size == ADDRESS_V4 ? a->bytes[0] >> 4 == 14 : a->bytes[0] == 0xff;

	return !address_is_zero(a) && !address_is_loopback(a) && !multicast &&
		!address_is_local_unicast(a) &&
		(a->size != ADDRESS_V4 || memcmp(a->bytes, all, sizeof(all)) != 0);
}

#define ADDRESS_FUNCTION(name, fact)                                                             \
	struct cel_value name(struct cel_run *run, const struct cel_value *args, uint32_t count) \
	{                                                                                        \
		(void)run;                                                                       \
		CHECK(count == 1);                                                               \
		return args[0].kind == CEL_IP ? cel_bool(fact(args[0].address))                  \
					      : cel_fault(CEL_FAULT_NO_OVERLOAD);                \
	}
ADDRESS_FUNCTION(cel_is_unspecified, address_is_zero)
ADDRESS_FUNCTION(cel_is_loopback, address_is_loopback)
ADDRESS_FUNCTION(cel_is_local_unicast, address_is_local_unicast)
ADDRESS_FUNCTION(cel_is_local_multicast, address_is_local_multicast)
ADDRESS_FUNCTION(cel_is_global_unicast, address_is_global)

/* ---- ranges ---- */

struct cel_value cel_new_cidr(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address range;
	struct cel_value error;

	CHECK(count == 1);
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	error = address_read_range(run, cel_text(&args[0]), &range);
	return error.kind == CEL_ERROR ? error : address_value(run, CEL_CIDR, &range);
}

struct cel_value cel_is_cidr(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address range;

	(void)run;
	CHECK(count == 1);
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_bool(
		address_range(cel_text(&args[0]), &range) == NULL && !address_is_mapped(&range));
}

/* The same in the first `bits` bits. */
static bool address_agree(const struct cel_address *a, const struct cel_address *b, uint32_t bits)
{
	uint32_t odd = bits % 8;

	return a->size == b->size && memcmp(a->bytes, b->bytes, bits / 8) == 0 &&
		(odd == 0 || (a->bytes[bits / 8] ^ b->bytes[bits / 8]) >> (8 - odd) == 0);
}

struct cel_value cel_contains_ip(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value ip = args[1];

	CHECK(count == 2);
	if (ip.kind == CEL_STRING)
		ip = cel_new_ip(run, &args[1], 1);
	if (ip.kind == CEL_ERROR)
		return ip;
	if (args[0].kind != CEL_CIDR || ip.kind != CEL_IP)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_bool(address_agree(args[0].address, ip.address, args[0].address->prefix));
}

struct cel_value cel_contains_cidr(
	struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value range = args[1];

	CHECK(count == 2);
	if (range.kind == CEL_STRING)
		range = cel_new_cidr(run, &args[1], 1);
	if (range.kind == CEL_ERROR)
		return range;
	if (args[0].kind != CEL_CIDR || range.kind != CEL_CIDR)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_bool(args[0].address->prefix <= range.address->prefix &&
		address_agree(args[0].address, range.address, args[0].address->prefix));
}

struct cel_value cel_prefix_length(
	struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	CHECK(count == 1);
	return args[0].kind == CEL_CIDR ? cel_int(args[0].address->prefix)
					: cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_masked(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address range;

	CHECK(count == 1);
	if (args[0].kind != CEL_CIDR)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	range = *args[0].address;
	for (uint32_t bit = range.prefix; bit < range.size * 8U; bit++)
		range.bytes[bit / 8] &= (uint8_t) ~(0x80U >> bit % 8);
	return address_value(run, CEL_CIDR, &range);
}
