/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grammar of JSON again, for runs of bytes. Two loops, one for what is dropped (it only has
 * to be checked) and one for what is kept. Each turn of a loop takes one token or so and begins
 * with at least CUT_BLOCK bytes at hand; whatever is unusual leaves the loop with the state
 * saved, and cut_step() deals with it or refuses it. Nothing is ever refused here.
 */
#include "json/cut_state.h"

#include "json/scan.h"
#include "json/utf8.h"

#define LIKELY(fact)   __builtin_expect(!!(fact), 1)
#define UNLIKELY(fact) __builtin_expect(!!(fact), 0)
#define INLINE         static inline __attribute__((always_inline))

/* Bytes that an escape takes which stays as it is in canonical JSON; 0: not that simple. */
INLINE size_t plain_escape(const char *at)
{
	switch (at[1]) {
	case '"':
	case '\\':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't': return 2;
	default: return 0;
	}
}

INLINE bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The same when only validity matters. Surrogates (\ud...) are left to cut_step(). */
INLINE size_t any_escape(const char *at)
{
	if (at[1] == '/')
		return 2;
	if (at[1] == 'u' && is_hex(at[2]) && (at[2] | 0x20) != 'd' && is_hex(at[3]) &&
		is_hex(at[4]) && is_hex(at[5]))
		return 6;
	return plain_escape(at);
}

/* Goes over a string's bytes up to its quote, or up to what is left to cut_step(). */
static const char *pass_string(const char *at, const char *end)
{
	while (LIKELY(end - at >= CUT_BLOCK)) {
		uint32_t plain = scan_special(at);
		size_t size = 0;

		at += plain;
		if (plain == CUT_BLOCK)
			continue;
		if (LIKELY(*at == '"') || end - at < CUT_BLOCK)
			break;
		if (*at == '\\')
			size = any_escape(at);
		else if ((uint8_t)*at >= 0x80)
			size = utf8_size(at, CUT_BLOCK);
		if (size == 0)
			break;
		at += size;
	}
	return at;
}

/* The same, copying. There is room for another block before each one. */
static const char *copy_string(struct json_cut *cut, const char *at, const char *end)
{
	while (LIKELY(end - at >= CUT_BLOCK && cut->limit - cut->used >= CUT_BLOCK)) {
		uint32_t plain = scan_special(at);
		size_t size = 0;

		memcpy(cut->buffer + cut->used, at, CUT_BLOCK);
		at += plain;
		cut->used += plain;
		if (plain == CUT_BLOCK)
			continue;
		if (LIKELY(*at == '"') || end - at < CUT_BLOCK ||
			cut->limit - cut->used < CUT_BLOCK)
			break;
		if (*at == '\\')
			size = plain_escape(at);
		else if ((uint8_t)*at >= 0x80)
			size = utf8_size(at, CUT_BLOCK);
		if (size == 0)
			break;
		memcpy(cut->buffer + cut->used, at, CUT_BLOCK);
		at += size;
		cut->used += size;
	}
	return at;
}

/*
 * Bytes of a number without fraction or exponent, or of a literal, and at least one byte behind
 * it; 0: something else, or not within the next CUT_BLOCK bytes.
 */
INLINE size_t plain_scalar(const char *at)
{
	size_t digits = at[0] == '-';
	size_t size = digits;

	switch (at[0]) {
	case 't': return memcmp(at, "true", 4) == 0 ? 4 : 0;
	case 'f': return memcmp(at, "false", 5) == 0 ? 5 : 0;
	case 'n': return memcmp(at, "null", 4) == 0 ? 4 : 0;
	default: break;
	}
	while (size < CUT_BLOCK && at[size] >= '0' && at[size] <= '9')
		size++;
	if (size == digits || size == CUT_BLOCK || (at[digits] == '0' && size > digits + 1))
		return 0;
	return at[size] == '.' || (at[size] | 0x20) == 'e' ? 0 : size;
}

/* White space at `at`, of which there is at least one byte. */
static const char *pass_space(const char *at, const char *end)
{
	while (end - at >= CUT_BLOCK) {
		uint32_t spaces = scan_spaces(at);

		at += spaces;
		if (spaces == CUT_BLOCK)
			continue;
		if (*at != '\n' && *at != '\r' && *at != '\t')
			break;
		at++;
	}
	return at;
}

INLINE bool is_space(char byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* ---- dropping ---- */

/* The loop's own copy of what it changes all the time. */
struct drop {
	const char *at;
	const char *end;
	uint64_t objects;
	uint32_t depth;
	enum cut_state state;
};

INLINE bool drop_in_object(const struct drop *d)
{
	return (d->objects >> ((d->depth - 1) % CUT_WINDOW) & 1) != 0;
}

/* A key and, if it is there at once, its colon. False: not for us. */
INLINE bool drop_key(struct json_cut *cut, struct drop *d)
{
	if (*d->at != '"')
		return false;
	d->at = pass_string(d->at + 1, d->end);
	if (UNLIKELY(d->at == d->end || *d->at != '"')) {
		cut->in_key = true;
		d->state = CUT_STRING;
		return false;
	}
	d->at++;
	d->state = CUT_COLON;
	if (LIKELY(d->at < d->end && *d->at == ':')) {
		d->at++;
		d->state = CUT_VALUE;
	}
	return true;
}

/* A value or its beginning. False: not for us. */
INLINE bool drop_value(struct json_cut *cut, struct drop *d)
{
	char byte = *d->at;
	size_t size;

	if (byte == '"') {
		d->at = pass_string(d->at + 1, d->end);
		if (UNLIKELY(d->at == d->end || *d->at != '"')) {
			cut->in_key = false;
			d->state = CUT_STRING;
			return false;
		}
		d->at++;
		d->state = CUT_AFTER;
		return true;
	}
	if (byte == '{' || byte == '[') {
		bool object = byte == '{';

		/* Into the next window: that is for cut_step(). */
		if (d->depth % CUT_WINDOW == 0)
			return false;
		d->objects &= ~(UINT64_C(1) << (d->depth % CUT_WINDOW));
		d->objects |= (uint64_t)object << (d->depth % CUT_WINDOW);
		d->depth++;
		d->at++;
		d->state = object ? CUT_KEY_OR_END : CUT_ELEMENT_OR_END;
		return true;
	}
	size = plain_scalar(d->at);
	d->at += size;
	d->state = size > 0 ? CUT_AFTER : d->state;
	return size > 0;
}

/* One turn. False: not for us. */
INLINE bool drop_token(struct json_cut *cut, struct drop *d)
{
	switch (d->state) {
	case CUT_KEY_OR_END:
		if (*d->at == '}')
			break;
		return drop_key(cut, d);
	case CUT_KEY: return drop_key(cut, d);
	case CUT_COLON:
		if (*d->at != ':')
			return false;
		d->at++;
		d->state = CUT_VALUE;
		return true;
	case CUT_ELEMENT_OR_END:
		if (*d->at == ']')
			break;
		return drop_value(cut, d);
	case CUT_VALUE: return drop_value(cut, d);
	case CUT_AFTER:
		if (*d->at == ',') {
			d->at++;
			d->state = drop_in_object(d) ? CUT_KEY : CUT_VALUE;
			return true;
		}
		if (*d->at != (drop_in_object(d) ? '}' : ']'))
			return false;
		break;
	default: return false;
	}
	if (d->depth % CUT_WINDOW == 1)
		return false; /* back into the window before */
	d->at++;
	d->depth--;
	d->state = CUT_AFTER;
	return true;
}

/* The rest of a string that began earlier. */
static const char *drop_string(struct json_cut *cut, const char *at, const char *end)
{
	at = pass_string(at, end);
	if (at == end || *at != '"')
		return at;
	if (cut->in_key)
		cut->state = CUT_COLON;
	else
		cut_value_end(cut);
	return at + 1;
}

const char *cut_run_dropping(struct json_cut *cut, const char *at, const char *end)
{
	struct drop d = {at, end, cut->objects, cut->depth, cut->state};
	const uint32_t stop = cut->drop_depth;
	bool ended = false;

	CHECK(cut->dropping);
	if (d.state == CUT_STRING)
		return drop_string(cut, at, end);
	while (LIKELY(d.end - d.at >= CUT_BLOCK)) {
		if (UNLIKELY((uint8_t)*d.at <= ' ')) {
			if (!is_space(*d.at))
				break;
			d.at = pass_space(d.at, d.end);
			continue;
		}
		if (UNLIKELY(!drop_token(cut, &d)))
			break;
		ended = d.state == CUT_AFTER && d.depth <= stop;
		if (ended)
			break;
	}
	cut->objects = d.objects;
	cut->depth = d.depth;
	cut->state = d.state;
	if (ended)
		cut_value_end(cut);
	return d.at;
}

/* ---- keeping ---- */

/* A string's bytes behind its quote, or behind where it was left. */
INLINE const char *keep_string(struct json_cut *cut, const char *at, const char *end)
{
	at = copy_string(cut, at, end);
	if (UNLIKELY(at == end || *at != '"'))
		return at;
	cut_put(cut, '"');
	cut_kept_value_end(cut);
	return at + 1;
}

/* A key without escapes and, if it is there at once, its colon. */
INLINE const char *keep_key(struct json_cut *cut, const char *at, const char *end)
{
	const char *key = at + 1;
	const char *quote = key;

	if (*at != '"')
		return at;
	while (end - quote >= CUT_BLOCK) {
		uint32_t plain = scan_special(quote);

		quote += plain;
		if (plain < CUT_BLOCK)
			break;
	}
	if (end - quote < CUT_BLOCK || *quote != '"' || quote - key > JSON_KEY_MAX)
		return at;
	cut_key(cut, key, (size_t)(quote - key));
	if (UNLIKELY(quote[1] != ':' || cut->state != CUT_COLON))
		return quote + 1;
	cut->state = CUT_VALUE;
	return quote + 2;
}

INLINE const char *keep_value(struct json_cut *cut, const char *at, const char *end)
{
	size_t size;

	if (*at == '"') {
		cut_value_begin(cut);
		cut_put(cut, '"');
		cut->in_key = false;
		cut->state = CUT_STRING;
		return keep_string(cut, at + 1, end);
	}
	if (*at == '{' || *at == '[') {
		if (cut->depth == JSON_DEPTH_MAX)
			return at;
		cut_value_begin(cut);
		(void)cut_open(cut, *at == '{');
		return at + 1;
	}
	size = plain_scalar(at);
	if (size == 0)
		return at;
	cut_value_begin(cut);
	if (LIKELY(cut->limit - cut->used >= CUT_BLOCK)) {
		memcpy(cut->buffer + cut->used, at, CUT_BLOCK);
		cut->used += size;
	} else {
		cut_put_bytes(cut, at, size);
	}
	cut_kept_value_end(cut);
	return at + size;
}

/* One turn; returns `at` when it is not for us. */
INLINE const char *keep_token(struct json_cut *cut, const char *at, const char *end)
{
	switch (cut->state) {
	case CUT_KEY_OR_END:
		if (*at == '}')
			break;
		return keep_key(cut, at, end);
	case CUT_KEY: return keep_key(cut, at, end);
	case CUT_COLON:
		if (*at != ':')
			return at;
		cut->state = CUT_VALUE;
		return at + 1;
	case CUT_ELEMENT_OR_END:
		if (*at == ']')
			break;
		return keep_value(cut, at, end);
	case CUT_VALUE: return keep_value(cut, at, end);
	case CUT_AFTER:
		if (*at == ',') {
			cut->state = cut_in_object(cut) ? CUT_KEY : CUT_VALUE;
			return at + 1;
		}
		if (*at != (cut_in_object(cut) ? '}' : ']'))
			return at;
		break;
	default: return at;
	}
	cut_close(cut);
	return at + 1;
}

const char *cut_run_keeping(struct json_cut *cut, const char *at, const char *end)
{
	CHECK(!cut->dropping);
	if (cut->state == CUT_STRING)
		return cut->in_key ? at : keep_string(cut, at, end);
	while (LIKELY(end - at >= CUT_BLOCK && !cut->stopped)) {
		const char *before = at;

		if (cut->dropping) {
			at = cut_run_dropping(cut, at, end);
			if (cut->dropping)
				break;
			continue;
		}
		if (UNLIKELY((uint8_t)*at <= ' ')) {
			if (!is_space(*at))
				break;
			at = pass_space(at, end);
			continue;
		}
		at = keep_token(cut, at, end);
		/* inside a string white space is none, so its rest is not for another turn */
		if (UNLIKELY(at == before || cut->state == CUT_STRING))
			break;
	}
	return at;
}
