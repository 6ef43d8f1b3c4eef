/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a thinned object. jsmn makes the tokens; afterwards a token's `parent` is no longer
 * needed and gives its place to the index of the first token behind the value, so that walking
 * over a value costs one step however much is inside. Strings know whether they hold escapes:
 * `size`, which jsmn uses for containers only, says so.
 */
#include "json/json.h"

#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include <jsmn.h>

struct json_doc {
	char *text; /* the piece; strings are unescaped in place */
	jsmntok_t *tokens;
};

/* `size` of a string's token. */
enum { STRING_PLAIN, STRING_ESCAPED, STRING_UNESCAPED };

/* jsmn's `parent` is reused, see above. */
#define BEHIND parent

static struct json_value value_at(const struct json_doc *doc, uint32_t token)
{
	return (struct json_value){doc, token};
}

static jsmntok_t *token_of(struct json_value v)
{
	CHECK(v.doc != NULL);
	return &v.doc->tokens[v.token];
}

static bool is_container(const jsmntok_t *token)
{
	return token->type == JSMN_OBJECT || token->type == JSMN_ARRAY;
}

/* jsmn lets {"a"} and {1:2} through; walking relies on a key before each value. */
static bool fits_parent(const struct json_doc *doc, uint32_t i)
{
	const jsmntok_t *token = &doc->tokens[i];

	if (token->parent < 0)
		return i == 0;
	if (doc->tokens[token->parent].type == JSMN_OBJECT)
		return token->type == JSMN_STRING && token->size == 1;
	return true;
}

static bool has_escape(const struct json_doc *doc, const jsmntok_t *token)
{
	size_t size = (size_t)(token->end - token->start);

	return size > 0 && memchr(doc->text + token->start, '\\', size) != NULL;
}

/* False: not what the cutter makes. */
static bool index_tokens(struct json_doc *doc, uint32_t count, bool escapes)
{
	uint32_t open[JSON_DEPTH_MAX];
	uint32_t depth = 0;

	/* a key's `size` and a token's `parent` are looked at before they are given their new sense
	 */
	for (uint32_t i = 0; i < count; i++)
		if (!fits_parent(doc, i))
			return false;
	for (uint32_t i = 0; i < count; i++) {
		jsmntok_t *token = &doc->tokens[i];

		while (depth > 0 && doc->tokens[open[depth - 1]].end <= token->start)
			doc->tokens[open[--depth]].BEHIND = (int)i;
		token->BEHIND = (int)i + 1;
		if (is_container(token)) {
			if (depth == JSON_DEPTH_MAX)
				return false;
			open[depth++] = i;
		} else if (token->type == JSMN_STRING) {
			token->size =
				escapes && has_escape(doc, token) ? STRING_ESCAPED : STRING_PLAIN;
		}
	}
	while (depth > 0)
		doc->tokens[open[--depth]].BEHIND = (int)count;
	return true;
}

static enum json_parse_result parse(
	struct text piece, struct scratch *scratch, struct json_value *root)
{
	struct json_doc *doc = SCRATCH_ONE(scratch, struct json_doc);
	size_t size = 0;
	jsmntok_t *tokens = scratch_take_rest(scratch, &size);
	size_t room = size / sizeof(*tokens);
	jsmn_parser parser;
	int count;

	if (tokens == NULL)
		return JSON_PARSE_FULL;
	jsmn_init(&parser);
	count = jsmn_parse(&parser, piece.at, piece.size, tokens,
		room < JSON_TOKENS_MAX ? (unsigned)room : JSON_TOKENS_MAX);
	scratch_keep(scratch, tokens, count > 0 ? (size_t)count * sizeof(*tokens) : 0);
	if (count <= 0)
		return count == JSMN_ERROR_NOMEM ? JSON_PARSE_FULL : JSON_PARSE_BROKEN;
	/* the piece is the cutter's own buffer, const for everybody but us */
	doc->text = (char *)(uintptr_t)piece.at;
	doc->tokens = tokens;
	if (!index_tokens(doc, (uint32_t)count, memchr(piece.at, '\\', piece.size) != NULL))
		return JSON_PARSE_BROKEN;
	*root = value_at(doc, 0);
	return JSON_PARSED;
}

enum json_parse_result json_parse(
	struct text piece, struct scratch *scratch, struct json_value *root)
{
	struct scratch_mark mark = scratch_mark(scratch);
	enum json_parse_result result;

	CHECK(piece.size <= JSON_PIECE_MAX);
	*root = JSON_VALUE_NONE;
	result = parse(piece, scratch, root);
	if (result != JSON_PARSED)
		scratch_rewind(scratch, mark);
	return result;
}

enum json_type json_type(struct json_value v)
{
	const jsmntok_t *token;

	if (v.doc == NULL)
		return JSON_NONE;
	token = token_of(v);
	if (token->type == JSMN_OBJECT)
		return JSON_OBJECT;
	if (token->type == JSMN_ARRAY)
		return JSON_ARRAY;
	if (token->type == JSMN_STRING)
		return JSON_STRING;
	switch (v.doc->text[token->start]) {
	case 'n': return JSON_NULL;
	case 't':
	case 'f': return JSON_BOOL;
	default: return JSON_NUMBER;
	}
}

/* ---- strings ---- */

static uint32_t hex_value(const char *at)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		char c = at[i];
		char digit = (char)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);

		value = value << 4 | ((uint32_t)digit & 15);
	}
	return value;
}

/* Canonical text escapes nothing but quote, backslash and controls. Returns the new size. */
static size_t unescape(char *at, size_t size)
{
	static const char letters[] = "bfnrt";
	static const char controls[] = "\b\f\n\r\t";
	size_t to = 0;

	for (size_t from = 0; from < size; from++) {
		char c = at[from];
		const char *letter;

		if (c == '\\' && from + 1 < size) {
			c = at[++from];
			letter = strchr(letters, c);
			if (c != '\0' && letter != NULL)
				c = controls[letter - letters];
			else if (c == 'u' && size - from > 4) {
				c = (char)hex_value(at + from + 1);
				from += 4;
			}
		}
		at[to++] = c;
	}
	return to;
}

static struct text string_text(const struct json_doc *doc, jsmntok_t *token)
{
	char *at = doc->text + token->start;
	size_t size = (size_t)(token->end - token->start);

	CHECK(token->type == JSMN_STRING);
	if (token->size == STRING_ESCAPED) {
		size = unescape(at, size);
		token->end = token->start + (int)size;
		token->size = STRING_UNESCAPED;
	}
	return (struct text){at, size};
}

struct text json_text(struct json_value v)
{
	return json_type(v) == JSON_STRING ? string_text(v.doc, token_of(v)) : TEXT_NONE;
}

struct text json_scalar(struct json_value v)
{
	const jsmntok_t *token;

	if (v.doc == NULL || is_container(token_of(v)))
		return TEXT_NONE;
	token = token_of(v);
	if (token->type == JSMN_STRING)
		return string_text(v.doc, token_of(v));
	return (struct text){v.doc->text + token->start, (size_t)(token->end - token->start)};
}

struct text json_raw(struct json_value v)
{
	const jsmntok_t *token;
	size_t quotes;

	if (v.doc == NULL)
		return TEXT_NONE;
	token = token_of(v);
	for (int i = (int)v.token; i < token->BEHIND; i++)
		if (v.doc->tokens[i].type == JSMN_STRING &&
			v.doc->tokens[i].size == STRING_UNESCAPED)
			return TEXT_NONE;
	quotes = token->type == JSMN_STRING;
	return (struct text){v.doc->text + token->start - quotes,
		(size_t)(token->end - token->start) + 2 * quotes};
}

bool json_bool(struct json_value v, bool otherwise)
{
	if (json_type(v) != JSON_BOOL)
		return otherwise;
	return v.doc->text[token_of(v)->start] == 't';
}

bool json_i64(struct json_value v, int64_t *value)
{
	*value = 0;
	return json_type(v) == JSON_NUMBER && text_to_i64(json_scalar(v), value);
}

/* ---- containers ---- */

uint32_t json_count(struct json_value v)
{
	if (v.doc == NULL || !is_container(token_of(v)))
		return 0;
	return (uint32_t)token_of(v)->size;
}

struct json_walk json_walk(struct json_value v)
{
	struct json_walk walk = {.key = TEXT(""), .value = JSON_VALUE_NONE, .doc = v.doc};

	walk.left = json_count(v);
	walk.object = json_type(v) == JSON_OBJECT;
	walk.at = v.token + 1;
	return walk;
}

bool json_walk_next(struct json_walk *walk)
{
	jsmntok_t *token;

	if (walk->left == 0)
		return false;
	walk->left--;
	token = &walk->doc->tokens[walk->at];
	if (walk->object) {
		walk->key = string_text(walk->doc, token);
		token = &walk->doc->tokens[++walk->at];
	}
	walk->value = value_at(walk->doc, walk->at);
	walk->at = (uint32_t)token->BEHIND;
	return true;
}

struct json_value json_find(struct json_value object, struct text key)
{
	struct json_walk walk;

	if (json_type(object) != JSON_OBJECT)
		return JSON_VALUE_NONE;
	walk = json_walk(object);
	while (json_walk_next(&walk))
		if (text_is(walk.key, key))
			return walk.value;
	return JSON_VALUE_NONE;
}

struct json_value json_get(struct json_value object, const char *key)
{
	return json_find(object, text_of(key));
}

struct json_value json_path(struct json_value object, const char *dotted)
{
	struct text rest = text_of(dotted);
	struct text key;

	while (text_cut(&rest, '.', &key))
		object = json_find(object, key);
	return object;
}
