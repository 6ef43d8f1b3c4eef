/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tokens of CEL's grammar. A token that begins well and ends nowhere (an open quote) is broken
 * where it begins.
 */
#include "cel/lexer.h"

#include "base/chars.h"
#include "json/utf8.h"

static bool lexer_is_letter(char c)
{
	return char_is_letter(c) || c == '_';
}

static char lexer_peek(struct text s, size_t at)
{
	return at < s.size ? s.at[at] : '\0';
}

static size_t lexer_blank(struct text s, size_t at)
{
	while (at < s.size) {
		char c = s.at[at];

		if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
			at++;
		} else if (c == '/' && lexer_peek(s, at + 1) == '/') {
			while (at < s.size && s.at[at] != '\n')
				at++;
		} else {
			break;
		}
	}
	return at;
}

static size_t lexer_digits(struct text s, size_t at)
{
	while (at < s.size && char_is_digit(s.at[at]))
		at++;
	return at;
}

/* The exponent, when there is a whole one. */
static size_t lexer_exponent(struct text s, size_t at)
{
	size_t digits = at + 1;

	if (lexer_peek(s, at) != 'e' && lexer_peek(s, at) != 'E')
		return at;
	if (lexer_peek(s, digits) == '+' || lexer_peek(s, digits) == '-')
		digits++;
	return char_is_digit(lexer_peek(s, digits)) ? lexer_digits(s, digits) : at;
}

static size_t lexer_number(struct text s, size_t at, int *kind)
{
	size_t end = at;

	*kind = CEL_TOKEN_INT;
	if (s.at[at] == '0' && lexer_peek(s, at + 1) == 'x' &&
		char_hex(lexer_peek(s, at + 2)) >= 0) {
		for (end = at + 2; end < s.size && char_hex(s.at[end]) >= 0;)
			end++;
	} else {
		size_t whole = end = lexer_digits(s, at);

		if (lexer_peek(s, end) == '.' && char_is_digit(lexer_peek(s, end + 1)))
			end = lexer_digits(s, end + 1);
		end = lexer_exponent(s, end);
		if (end != whole)
			*kind = CEL_TOKEN_FLOAT;
	}
	if (*kind == CEL_TOKEN_INT && (lexer_peek(s, end) == 'u' || lexer_peek(s, end) == 'U')) {
		*kind = CEL_TOKEN_UINT;
		end++;
	}
	return end;
}

/* Bytes of the escape that begins with the backslash at `at`; 0: none such. */
static size_t lexer_escape(struct text s, size_t at)
{
	char c = lexer_peek(s, at + 1);
	size_t digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;

	if (c != '\0' && strchr("abfnrtv\"'\\?`", c) != NULL)
		return 2;
	if (c >= '0' && c <= '3') {
		for (size_t i = 2; i < 4; i++)
			if (lexer_peek(s, at + i) < '0' || lexer_peek(s, at + i) > '7')
				return 0;
		return 4;
	}
	for (size_t i = 0; i < digits; i++)
		if (char_hex(lexer_peek(s, at + 2 + i)) < 0)
			return 0;
	return digits == 0 ? 0 : 2 + digits;
}

/* The end of the string whose quotes begin at `at`; 0 when it has none. */
static size_t lexer_quoted(struct text s, size_t at, bool raw)
{
	char quote = s.at[at];
	bool three = lexer_peek(s, at + 1) == quote && lexer_peek(s, at + 2) == quote;

	for (at += three ? 3 : 1; at < s.size;) {
		if (s.at[at] == quote && !three)
			return at + 1;
		if (three && s.at[at] == quote && lexer_peek(s, at + 1) == quote &&
			lexer_peek(s, at + 2) == quote)
			return at + 3;
		if (!three && (s.at[at] == '\n' || s.at[at] == '\r'))
			return 0;
		if (s.at[at] == '\\' && !raw) {
			size_t size = lexer_escape(s, at);

			if (size == 0)
				return 0;
			at += size;
		} else {
			at++;
		}
	}
	return 0;
}

/* A string with its prefixes (b, r, br); 0 when none begins here. */
static size_t lexer_string(struct text s, size_t at, int *kind)
{
	bool raw = false;
	char c = lexer_peek(s, at);

	*kind = CEL_TOKEN_STRING;
	if (c == 'b' || c == 'B') {
		*kind = CEL_TOKEN_BYTES;
		c = lexer_peek(s, ++at);
	}
	if (c == 'r' || c == 'R') {
		raw = true;
		c = lexer_peek(s, ++at);
	}
	return c == '"' || c == '\'' ? lexer_quoted(s, at, raw) : 0;
}

static size_t lexer_word(struct text s, size_t at, int *kind)
{
	static const struct {
		struct text word;
		int kind;
	} words[] = {{{"in", 2}, CEL_TOKEN_IN}, {{"true", 4}, CEL_TOKEN_TRUE},
		{{"false", 5}, CEL_TOKEN_FALSE}, {{"null", 4}, CEL_TOKEN_NULL}};
	size_t end = at;

	while (end < s.size && (lexer_is_letter(s.at[end]) || char_is_digit(s.at[end])))
		end++;
	*kind = CEL_TOKEN_IDENT;
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (text_is((struct text){s.at + at, end - at}, words[i].word))
			*kind = words[i].kind;
	return end;
}

static size_t lexer_escaped_name(struct text s, size_t at, int *kind)
{
	size_t end = at + 1;

	while (end < s.size &&
		(lexer_is_letter(s.at[end]) || char_is_digit(s.at[end]) ||
			(s.at[end] != '\0' && strchr(".-/ ", s.at[end]) != NULL)))
		end++;
	*kind = lexer_peek(s, end) == '`' && end > at + 1 ? CEL_TOKEN_ESCAPED : CEL_TOKEN_BROKEN;
	return *kind == CEL_TOKEN_ESCAPED ? end + 1 : at + 1;
}

static size_t lexer_sign(struct text s, size_t at, int *kind)
{
	static const struct {
		char sign[3];
		int kind;
	} signs[] = {{"==", CEL_TOKEN_EQUAL}, {"!=", CEL_TOKEN_UNEQUAL}, {"<=", CEL_TOKEN_AT_MOST},
		{">=", CEL_TOKEN_AT_LEAST}, {"&&", CEL_TOKEN_AND}, {"||", CEL_TOKEN_OR}};

	for (size_t i = 0; i < ARRAY_COUNT(signs); i++)
		if (s.at[at] == signs[i].sign[0] && lexer_peek(s, at + 1) == signs[i].sign[1]) {
			*kind = signs[i].kind;
			return at + 2;
		}
	*kind = strchr("<>[](){}.,-!?:+*/%", s.at[at]) != NULL ? s.at[at] : CEL_TOKEN_BROKEN;
	return at + 1;
}

struct cel_token cel_lex(struct text source, uint32_t offset)
{
	size_t at = lexer_blank(source, offset);
	size_t end = at;
	struct cel_token token = {.offset = (uint32_t)at};
	char c = lexer_peek(source, at);

	if (at == source.size)
		return token;
	token.kind = CEL_TOKEN_BROKEN;
	end = lexer_string(source, at, &token.kind);
	if (end == 0 && (c == '"' || c == '\'')) {
		token.kind = CEL_TOKEN_BROKEN;
		end = at + 1;
	} else if (end == 0 && lexer_is_letter(c)) {
		end = lexer_word(source, at, &token.kind);
	} else if (end == 0 &&
		(char_is_digit(c) || (c == '.' && char_is_digit(lexer_peek(source, at + 1))))) {
		end = lexer_number(source, at, &token.kind);
	} else if (end == 0 && c == '`') {
		end = lexer_escaped_name(source, at, &token.kind);
	} else if (end == 0 && c != '\0') {
		end = lexer_sign(source, at, &token.kind);
	} else if (end == 0) {
		token.kind = CEL_TOKEN_BROKEN;
		end = at + 1;
	}
	token.text = (struct text){source.at + at, end - at};
	return token;
}

/* ---- what strings say ---- */

static uint32_t lexer_digits_of(const char *at, size_t count, uint32_t base)
{
	uint32_t value = 0;

	for (size_t i = 0; i < count; i++)
		value = value * base + (uint32_t)char_hex(at[i]);
	return value;
}

/* Writes what the escape at `at` stands for; NULL and an error when that cannot be. */
static char *lexer_unescape(struct text s, size_t at, bool bytes, char *to, const char **error)
{
	static const char plain[] = "abfnrtv\"'\\?`";
	static const char means[] = "\a\b\f\n\r\t\v\"'\\?`";
	char c = s.at[at + 1];
	const char *found = strchr(plain, c);
	uint32_t point;

	if (found != NULL) {
		*to = means[found - plain];
		return to + 1;
	}
	if ((c == 'u' || c == 'U') && bytes) {
		*error = "unable to unescape string";
		return NULL;
	}
	if (c >= '0' && c <= '3')
		point = lexer_digits_of(s.at + at + 1, 3, 8);
	else
		point = lexer_digits_of(s.at + at + 2, c == 'u' ? 4 : c == 'U' ? 8 : 2, 16);
	if (bytes) {
		*to = (char)point;
		return to + 1;
	}
	if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
		*error = "invalid unicode code point";
		return NULL;
	}
	return to + utf8_put(to, point);
}

struct text cel_unquote(struct text token, struct scratch *keep, const char **error)
{
	bool bytes = token.at[0] == 'b' || token.at[0] == 'B';
	size_t prefix = 0;
	bool raw = false;
	struct text inner;
	char *text;
	char *to;

	*error = NULL;
	for (; token.at[prefix] != '"' && token.at[prefix] != '\''; prefix++)
		raw = raw || token.at[prefix] == 'r' || token.at[prefix] == 'R';
	inner = text_from(token, prefix);
	prefix =
		inner.size >= 6 && inner.at[1] == inner.at[0] && inner.at[2] == inner.at[0] ? 3 : 1;
	inner = (struct text){inner.at + prefix, inner.size - 2 * prefix};
	if ((raw || text_find(inner, '\\') == inner.size) && text_find(inner, '\r') == inner.size)
		return inner;
	text = to = scratch_take(keep, inner.size + 4);
	if (text == NULL) {
		*error = "out of memory";
		return TEXT_NONE;
	}
	for (size_t i = 0; i < inner.size;) {
		if (inner.at[i] == '\r') {
			i += lexer_peek(inner, i + 1) == '\n';
			*to++ = '\n';
			i++;
		} else if (inner.at[i] == '\\' && !raw) {
			to = lexer_unescape(inner, i, bytes, to, error);
			if (to == NULL)
				return TEXT_NONE;
			i += lexer_escape(inner, i);
		} else {
			*to++ = inner.at[i++];
		}
	}
	return (struct text){text, (size_t)(to - text)};
}
