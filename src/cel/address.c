/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses: read as strictly as upstream's language does (no leading zeros, no zones, no IPv4
 * mapped into IPv6).
 */
#include "cel/address.h"

#include "base/chars.h"
#include "cel/function.h"

enum {
	ADDRESS_V4 = 4,
	ADDRESS_V6 = 16,
	ADDRESS_GROUPS = 8,
	ADDRESS_TEXT = 64,
	ADDRESS_REASON = 160
};

/*
 * Says why a text is no address, in upstream's words; from `at` on, when it has a text. `why` may
 * be NULL.
 */
static bool address_fail(struct writer *why, const char *reason, struct text at)
{
	if (why == NULL)
		return false;
	write_z(why, reason);
	if (at.at != NULL)
		write_format(why, " (at \"%.*s\")", TEXT_ARGS(at));
	return false;
}

static bool address_parse_v4(struct text t, uint8_t bytes[4], struct writer *why)
{
	uint32_t value = 0;
	uint32_t digits = 0;
	uint32_t place = 0;

	for (size_t i = 0; i < t.size; i++) {
		if (char_is_digit(t.at[i])) {
			if (digits++ == 1 && value == 0)
				return address_fail(
					why, "IPv4 field has octet with leading zero", TEXT_NONE);
			value = value * 10 + (uint32_t)(t.at[i] - '0');
			if (value > 255)
				return address_fail(why, "IPv4 field has value >255", TEXT_NONE);
			bytes[place] = (uint8_t)value;
		} else if (t.at[i] != '.') {
			return address_fail(why, "unexpected character", text_from(t, i));
		} else if (digits == 0 || i + 1 == t.size) {
			return address_fail(
				why, "IPv4 field must have at least one digit", text_from(t, i));
		} else if (place == 3) {
			return address_fail(why, "IPv4 address too long", TEXT_NONE);
		} else {
			place++;
			value = digits = 0;
		}
	}
	return place == 3 || address_fail(why, "IPv4 address too short", TEXT_NONE);
}

/* Up to four hexadecimal digits in front of `t`, which goes on behind them. */
static bool address_group(struct text *t, uint8_t to[2], struct writer *why)
{
	uint32_t value = 0;
	size_t digits = 0;

	for (; digits < t->size && char_hex(t->at[digits]) >= 0; digits++) {
		if (digits == 4)
			return address_fail(why, "each group must have 4 or fewer digits", *t);
		value = value << 4 | (uint32_t)char_hex(t->at[digits]);
	}
	if (digits == 0)
		return address_fail(
			why, "each colon-separated field must have at least one digit", *t);
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
	*t = text_from(*t, digits);
	return true;
}

/* Moves what came behind "::" to the end. */
static bool address_stretch(uint8_t bytes[16], uint32_t used, int32_t gap, struct writer *why)
{
	uint32_t tail = used - (uint32_t)gap;

	if (gap < 0)
		return used == ADDRESS_V6 ||
			address_fail(why, "address string too short", TEXT_NONE);
	if (used == ADDRESS_V6)
		return address_fail(
			why, "the :: must expand to at least one field of zeros", TEXT_NONE);
	memmove(bytes + ADDRESS_V6 - tail, bytes + gap, tail);
	memset(bytes + gap, 0, ADDRESS_V6 - tail - (uint32_t)gap);
	return true;
}

/* An IPv4 address at the end, `t`, with which the last groups are written. */
static bool address_tail(
	struct text t, uint8_t bytes[16], uint32_t used, int32_t gap, struct writer *why)
{
	if (gap < 0 && used != ADDRESS_V6 - ADDRESS_V4)
		return address_fail(why,
			"embedded IPv4 address must replace the final 2 fields of the address", t);
	if (used + ADDRESS_V4 > ADDRESS_V6)
		return address_fail(why,
			"too many hex fields to fit an embedded IPv4 at the end of the address", t);
	return address_parse_v4(t, bytes + used, why) &&
		address_stretch(bytes, used + ADDRESS_V4, gap, why);
}

static bool address_parse_v6(struct text t, uint8_t bytes[16], struct writer *why)
{
	uint32_t used = 0;
	int32_t gap = -1;

	if (text_starts(t, TEXT("::"))) {
		gap = 0;
		t = text_from(t, 2);
	}
	while (t.size > 0 && used < ADDRESS_V6) {
		struct text group = t;

		if (!address_group(&t, bytes + used, why))
			return false;
		if (t.size > 0 && t.at[0] == '.')
			return address_tail(group, bytes, used, gap, why);
		used += 2;
		if (t.size == 0)
			break;
		if (t.at[0] != ':')
			return address_fail(why, "unexpected character, want colon", t);
		if (t.size == 1)
			return address_fail(why, "colon must be followed by more characters", t);
		t = text_from(t, 1);
		if (t.at[0] == ':') {
			if (gap >= 0)
				return address_fail(why, "multiple :: in address", t);
			gap = (int32_t)used;
			t = text_from(t, 1);
		}
	}
	if (t.size > 0)
		return address_fail(why, "trailing garbage after address", t);
	return address_stretch(bytes, used, gap, why);
}

/* Either kind; what stands behind the first '%' is *zone, TEXT_NONE when there is none. */
static bool address_parse(
	struct text t, struct cel_address *address, struct text *zone, struct writer *why)
{
	size_t sign = 0;

	while (sign < t.size && strchr(".:%", t.at[sign]) == NULL)
		sign++;
	*address = (struct cel_address){.size = ADDRESS_V4};
	*zone = TEXT_NONE;
	if (sign == t.size || t.at[sign] == '\0')
		return address_fail(why, "unable to parse IP", TEXT_NONE);
	if (t.at[sign] == '.')
		return address_parse_v4(t, address->bytes, why);
	if (t.at[sign] == '%')
		return address_fail(why, "missing IPv6 address", TEXT_NONE);
	address->size = ADDRESS_V6;
	sign = text_find(t, '%');
	if (sign != t.size)
		*zone = text_from(t, sign + 1);
	if (sign + 1 == t.size)
		return address_fail(why, "zone must be a non-empty string", TEXT_NONE);
	return address_parse_v6(text_first(t, sign), address->bytes, why);
}

static bool address_is_mapped(const struct cel_address *a)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return a->size == ADDRESS_V6 && memcmp(a->bytes, mapped, sizeof(mapped)) == 0;
}

/* Null, or the error that upstream has. */
static struct cel_value address_read(
	struct cel_run *run, struct text t, struct cel_address *address)
{
	char reason[ADDRESS_REASON];
	struct writer why;
	struct text zone;

	writer_init(&why, reason, sizeof(reason));
	if (!address_parse(t, address, &zone, &why))
		return cel_fault_text(run,
			"IP Address \"%.*s\" parse error during conversion from string: "
			"ParseAddr(\"%.*s\"): %.*s",
			TEXT_ARGS(t), TEXT_ARGS(t), TEXT_ARGS(writer_text(&why)));
	if (zone.at != NULL)
		return cel_fault_text(
			run, "IP address \"%.*s\" with zone value is not allowed", TEXT_ARGS(t));
	if (address_is_mapped(address))
		return cel_fault_text(
			run, "IPv4-mapped IPv6 address \"%.*s\" is not allowed", TEXT_ARGS(t));
	return CEL_VALUE_NULL;
}

static bool address_range(struct text t, struct cel_address *range, struct writer *why)
{
	size_t slash = text_find_last(t, '/');
	struct text ip = text_first(t, slash);
	struct text bits = slash == t.size ? t : text_from(t, slash + 1);
	struct text zone;
	uint64_t prefix;

	if (slash == t.size)
		return address_fail(why, "no '/'", TEXT_NONE);
	if (!address_parse(ip, range, &zone, NULL)) {
		if (why != NULL)
			write_format(why, "ParseAddr(\"%.*s\"): ", TEXT_ARGS(ip));
		return address_parse(ip, range, &zone, why);
	}
	if (zone.at != NULL)
		return address_fail(why, "IPv6 zones cannot be present in a prefix", TEXT_NONE);
	if ((bits.size > 1 && bits.at[0] == '0') || !text_to_u64(bits, &prefix)) {
		if (why != NULL)
			write_format(why, "bad bits after slash: \"%.*s\"", TEXT_ARGS(bits));
		return false;
	}
	if (prefix > range->size * 8U)
		return address_fail(why, "prefix length out of range", TEXT_NONE);
	range->prefix = (uint8_t)prefix;
	return true;
}

static struct cel_value address_read_range(
	struct cel_run *run, struct text t, struct cel_address *range)
{
	static const char twice[] = "network address parse error during conversion from string: ";
	char reason[ADDRESS_REASON];
	struct writer why;

	writer_init(&why, reason, sizeof(reason));
	if (!address_range(t, range, &why))
		return cel_fault_text(run, "%s%snetip.ParsePrefix(\"%.*s\"): %.*s", twice, twice,
			TEXT_ARGS(t), TEXT_ARGS(writer_text(&why)));
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

	(void)count;
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
	struct text zone;

	(void)run;
	(void)count;
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_bool(address_parse(cel_text(&args[0]), &address, &zone, NULL) &&
		zone.at == NULL && !address_is_mapped(&address));
}

struct cel_value cel_is_canonical(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address address;
	struct cel_value error;
	char text[ADDRESS_TEXT];
	struct writer out;

	(void)count;
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
	(void)count;
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

	(void)count;
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	error = address_read_range(run, cel_text(&args[0]), &range);
	return error.kind == CEL_ERROR ? error : address_value(run, CEL_CIDR, &range);
}

struct cel_value cel_is_cidr(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address range;

	(void)run;
	(void)count;
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_bool(
		address_range(cel_text(&args[0]), &range, NULL) && !address_is_mapped(&range));
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

	(void)count;
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

	(void)count;
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
	(void)count;
	return args[0].kind == CEL_CIDR ? cel_int(args[0].address->prefix)
					: cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_masked(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_address range;

	(void)count;
	if (args[0].kind != CEL_CIDR)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	range = *args[0].address;
	for (uint32_t bit = range.prefix; bit < range.size * 8U; bit++)
		range.bytes[bit / 8] &= (uint8_t) ~(0x80U >> bit % 8);
	return address_value(run, CEL_CIDR, &range);
}
