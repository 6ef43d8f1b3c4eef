/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grammar of JSON (RFC 8259), one byte at a time: each state has a function that takes the
 * byte or refuses it. Slow and complete; see json/cut.c for how it is made fast.
 *
 * Strings are rewritten on the way: an escape that is not needed becomes the character itself.
 */
#include "json/cut_state.h"

#include "base/chars.h"
#include "json/utf8.h"

static bool refuse_step(struct json_cut *cut, const char *fault)
{
	cut_refuse(cut, fault);
	return false;
}

static bool is_space(uint8_t byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* A byte of a string or scalar, if it is kept. */
static void put_key_or_value(struct json_cut *cut, char byte)
{
	if (cut->dropping)
		return;
	if (!cut->in_key)
		cut_put(cut, byte);
	else if (cut->key_size < JSON_KEY_MAX)
		cut->buffer[cut->key_at + cut->key_size++] = byte;
	else
		cut->key_long = true;
}

/* ---- values ---- */

static bool begin_literal(struct json_cut *cut, const char *rest)
{
	cut->literal = rest;
	cut->state = CUT_LITERAL;
	return true;
}

static bool step_value(struct json_cut *cut, uint8_t byte)
{
	if (is_space(byte))
		return true;
	if (!cut->dropping)
		cut_value_begin(cut);
	if (byte == '{' || byte == '[')
		return cut_open(cut, byte == '{');
	cut->in_key = false;
	put_key_or_value(cut, (char)byte);
	if (char_is_digit((char)byte)) {
		cut->state = byte == '0' ? CUT_ZERO : CUT_INTEGER;
		return true;
	}
	switch (byte) {
	case '"': cut->state = CUT_STRING; return true;
	case '-': cut->state = CUT_MINUS; return true;
	case 't': return begin_literal(cut, "rue");
	case 'f': return begin_literal(cut, "alse");
	case 'n': return begin_literal(cut, "ull");
	default: return refuse_step(cut, "a value was expected");
	}
}

static bool step_element_or_end(struct json_cut *cut, uint8_t byte)
{
	if (byte != ']')
		return step_value(cut, byte);
	cut_close(cut);
	return true;
}

static bool step_top(struct json_cut *cut, uint8_t byte)
{
	if (cut->shape == JSON_CUT_LIST && byte != '{' && !is_space(byte))
		return refuse_step(cut, "a list must be an object");
	return step_value(cut, byte);
}

static bool step_gap(struct json_cut *cut, uint8_t byte)
{
	if (!is_space(byte))
		return refuse_step(cut, "white space was expected");
	cut->state = CUT_TOP;
	return true;
}

static bool step_closed(struct json_cut *cut, uint8_t byte)
{
	return is_space(byte) ? true : refuse_step(cut, "bytes behind the end of the list");
}

/* ---- members ---- */

static bool step_key(struct json_cut *cut, uint8_t byte)
{
	if (is_space(byte))
		return true;
	if (byte != '"')
		return refuse_step(cut, "a key was expected");
	if (!cut->dropping)
		cut_key_begin(cut);
	cut->in_key = true;
	cut->state = CUT_STRING;
	return true;
}

static bool step_key_or_end(struct json_cut *cut, uint8_t byte)
{
	if (byte != '}')
		return step_key(cut, byte);
	cut_close(cut);
	return true;
}

static bool step_colon(struct json_cut *cut, uint8_t byte)
{
	if (is_space(byte))
		return true;
	if (byte != ':')
		return refuse_step(cut, "a colon was expected");
	cut->state = cut->state == CUT_COLON ? CUT_VALUE : CUT_ITEMS;
	return true;
}

static bool step_after(struct json_cut *cut, uint8_t byte)
{
	bool object = cut_in_object(cut);

	if (is_space(byte))
		return true;
	if (byte == ',')
		cut->state = object ? CUT_KEY : CUT_VALUE;
	else if (byte == (object ? '}' : ']'))
		cut_close(cut);
	else
		return refuse_step(cut, "a comma or an end was expected");
	return true;
}

/* A list without items may say so: Go writes null for an empty slice. */
static bool step_items(struct json_cut *cut, uint8_t byte)
{
	if (is_space(byte))
		return true;
	if (byte == '[')
		return cut_open(cut, false);
	if (byte != 'n')
		return refuse_step(cut, "items must be an array");
	cut->dropping = true;
	cut->drop_depth = cut->depth;
	return begin_literal(cut, "ull");
}

/* ---- scalars ---- */

static bool end_scalar(struct json_cut *cut)
{
	cut_value_end(cut);
	if (cut->state == CUT_TOP)
		cut->state = CUT_GAP;
	return true;
}

static bool step_literal(struct json_cut *cut, uint8_t byte)
{
	if (byte != (uint8_t)*cut->literal)
		return refuse_step(cut, "neither true, false nor null");
	put_key_or_value(cut, (char)byte);
	cut->literal++;
	return *cut->literal == '\0' ? end_scalar(cut) : true;
}

/* What a number's next byte leads to; CUT_AFTER: it has ended; CUT_REFUSED: it is broken. */
static enum cut_state after_number_byte(enum cut_state state, uint8_t byte)
{
	bool digit = char_is_digit((char)byte);

	switch (state) {
	case CUT_MINUS: return !digit ? CUT_REFUSED : byte == '0' ? CUT_ZERO : CUT_INTEGER;
	case CUT_POINT: return digit ? CUT_FRACTION : CUT_REFUSED;
	case CUT_E:
		if (byte == '+' || byte == '-')
			return CUT_E_SIGN;
		return digit ? CUT_EXPONENT : CUT_REFUSED;
	case CUT_E_SIGN: return digit ? CUT_EXPONENT : CUT_REFUSED;
	default: break;
	}
	if (digit)
		return state == CUT_ZERO ? CUT_REFUSED : state;
	if (byte == '.' && (state == CUT_ZERO || state == CUT_INTEGER))
		return CUT_POINT;
	if ((byte == 'e' || byte == 'E') && state != CUT_EXPONENT)
		return CUT_E;
	return CUT_AFTER;
}

static bool step_number(struct json_cut *cut, uint8_t byte)
{
	enum cut_state next = after_number_byte(cut->state, byte);

	if (next == CUT_REFUSED)
		return refuse_step(cut, "a broken number");
	if (next == CUT_AFTER) {
		(void)end_scalar(cut);
		return false;
	}
	put_key_or_value(cut, (char)byte);
	cut->state = next;
	return true;
}

/* ---- strings ---- */

static bool step_string(struct json_cut *cut, uint8_t byte)
{
	struct utf8_lead lead;

	if (byte == '"' && !cut->in_key) {
		put_key_or_value(cut, '"');
		cut_value_end(cut);
		return true;
	}
	if (byte == '"') {
		if (cut->dropping)
			cut->state = CUT_COLON;
		else
			cut_key_end(cut);
		return true;
	}
	if (byte == '\\') {
		cut->state = CUT_ESCAPE;
		return true;
	}
	if (byte < 0x20)
		return refuse_step(cut, "a control character in a string");
	if (byte >= 0x80) {
		lead = utf8_lead(byte);
		if (lead.left == 0)
			return refuse_step(cut, "not UTF-8");
		cut->utf8_left = lead.left;
		cut->utf8_min = lead.min;
		cut->utf8_max = lead.max;
		cut->state = CUT_UTF8;
	}
	put_key_or_value(cut, (char)byte);
	return true;
}

static bool step_utf8(struct json_cut *cut, uint8_t byte)
{
	if (byte < cut->utf8_min || byte > cut->utf8_max)
		return refuse_step(cut, "not UTF-8");
	put_key_or_value(cut, (char)byte);
	cut->utf8_min = 0x80;
	cut->utf8_max = 0xbf;
	if (--cut->utf8_left == 0)
		cut->state = CUT_STRING;
	return true;
}

/* The character as it stands in canonical JSON. */
static void put_point(struct json_cut *cut, uint32_t point)
{
	static const char digits[] = "0123456789abcdef";
	char bytes[4];
	size_t size = utf8_put(bytes, point);
	char letter = '\0';

	if (point == '\b')
		letter = 'b';
	else if (point == '\t')
		letter = 't';
	else if (point == '\n')
		letter = 'n';
	else if (point == '\f')
		letter = 'f';
	else if (point == '\r')
		letter = 'r';
	else if (point == '"' || point == '\\')
		letter = (char)point;

	if (letter == '\0' && point >= 0x20) {
		for (size_t i = 0; i < size; i++)
			put_key_or_value(cut, bytes[i]);
		return;
	}
	put_key_or_value(cut, '\\');
	put_key_or_value(cut, letter != '\0' ? letter : 'u');
	if (letter != '\0')
		return;
	put_key_or_value(cut, '0');
	put_key_or_value(cut, '0');
	put_key_or_value(cut, digits[point >> 4]);
	put_key_or_value(cut, digits[point & 15]);
}

static bool step_escape(struct json_cut *cut, uint8_t byte)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char points[] = "\"\\/\b\f\n\r\t";

	if (byte == 'u') {
		cut->unit = 0;
		cut->high = 0;
		cut->hex_left = 4;
		cut->state = CUT_HEX;
		return true;
	}
	for (size_t i = 0; i < sizeof(letters) - 1; i++) {
		if (byte != (uint8_t)letters[i])
			continue;
		put_point(cut, (uint8_t)points[i]);
		cut->state = CUT_STRING;
		return true;
	}
	return refuse_step(cut, "no such escape");
}

/* A UTF-16 code unit is complete. */
static bool end_hex(struct json_cut *cut)
{
	uint32_t unit = cut->unit;
	bool low = unit >= 0xdc00 && unit <= 0xdfff;

	if (low != (cut->high != 0))
		return refuse_step(cut, "half of a surrogate pair");
	if (unit >= 0xd800 && unit <= 0xdbff) {
		cut->high = unit;
		cut->state = CUT_LOW_BACKSLASH;
		return true;
	}
	if (low)
		unit = 0x10000 + ((cut->high - 0xd800) << 10) + (unit - 0xdc00);
	cut->state = CUT_STRING;
	put_point(cut, unit);
	return true;
}

static bool step_hex(struct json_cut *cut, uint8_t byte)
{
	uint32_t digit;

	if (char_is_digit((char)byte))
		digit = byte - (uint32_t)'0';
	else if (byte >= 'a' && byte <= 'f')
		digit = byte - (uint32_t)'a' + 10;
	else if (byte >= 'A' && byte <= 'F')
		digit = byte - (uint32_t)'A' + 10;
	else
		return refuse_step(cut, "no hexadecimal digit");
	cut->unit = cut->unit << 4 | digit;
	return --cut->hex_left == 0 ? end_hex(cut) : true;
}

static bool step_low(struct json_cut *cut, uint8_t byte)
{
	bool backslash = cut->state == CUT_LOW_BACKSLASH;

	if (byte != (backslash ? '\\' : 'u'))
		return refuse_step(cut, "half of a surrogate pair");
	cut->state = backslash ? CUT_LOW_U : CUT_HEX;
	cut->unit = 0;
	cut->hex_left = 4;
	return true;
}

typedef bool step_fn(struct json_cut *cut, uint8_t byte);

static step_fn *const steps[CUT_STATES] = {
	[CUT_VALUE] = step_value,
	[CUT_ELEMENT_OR_END] = step_element_or_end,
	[CUT_KEY_OR_END] = step_key_or_end,
	[CUT_KEY] = step_key,
	[CUT_COLON] = step_colon,
	[CUT_AFTER] = step_after,
	[CUT_STRING] = step_string,
	[CUT_TOP] = step_top,
	[CUT_GAP] = step_gap,
	[CUT_CLOSED] = step_closed,
	[CUT_ITEMS_COLON] = step_colon,
	[CUT_ITEMS] = step_items,
	[CUT_ESCAPE] = step_escape,
	[CUT_HEX] = step_hex,
	[CUT_LOW_BACKSLASH] = step_low,
	[CUT_LOW_U] = step_low,
	[CUT_UTF8] = step_utf8,
	[CUT_MINUS] = step_number,
	[CUT_ZERO] = step_number,
	[CUT_INTEGER] = step_number,
	[CUT_POINT] = step_number,
	[CUT_FRACTION] = step_number,
	[CUT_E] = step_number,
	[CUT_E_SIGN] = step_number,
	[CUT_EXPONENT] = step_number,
	[CUT_LITERAL] = step_literal,
};

bool cut_step(struct json_cut *cut, uint8_t byte)
{
	CHECK(cut->state < CUT_REFUSED);
	CHECK(cut->depth <= JSON_NESTING_MAX);
	return steps[cut->state](cut, byte);
}
