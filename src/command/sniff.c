/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sniffing. kubectl sorts members ("apiVersion", "items", "kind"), the API puts the kind first:
 * either way the first few members say whether an object is a list.
 */
#include "command/sniff.h"

enum sniff_format sniff_format(struct text bytes, size_t *skip)
{
	*skip = 0;
	if (text_starts(bytes, TEXT("\x1f\x8b")))
		return SNIFF_GZIP;
	if (text_starts(bytes, TEXT("\xff\xfe")) || text_starts(bytes, TEXT("\xfe\xff")))
		return SNIFF_UTF16;
	if (text_starts(bytes, TEXT("\xef\xbb\xbf")))
		*skip = 3;
	for (size_t i = *skip; i < bytes.size; i++) {
		if (sniff_is_space(bytes.at[i]))
			continue;
		return bytes.at[i] == '{' || bytes.at[i] == '[' ? SNIFF_JSON : SNIFF_YAML;
	}
	return SNIFF_EMPTY;
}

/* All return where they ended; the end of the bytes means that there are too few. */

static size_t skip_space(struct text t, size_t at)
{
	while (at < t.size && (sniff_is_space(t.at[at]) || t.at[at] == ','))
		at++;
	return at;
}

/* Behind the closing quote. */
static size_t skip_string(struct text t, size_t at)
{
	for (at++; at < t.size && t.at[at] != '"'; at++)
		if (t.at[at] == '\\')
			at++;
	return at < t.size ? at + 1 : t.size;
}

static size_t skip_value(struct text t, size_t at)
{
	size_t depth = 0;
	while (at < t.size) {
		char c = t.at[at];
		if (c == '"') {
			at = skip_string(t, at);
			if (depth == 0)
				return at;
			continue;
		}
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && depth > 0 && --depth == 0)
			return at + 1;
		else if (depth == 0 && (c == ',' || c == '}' || c == ']'))
			return at;
		at++;
	}
	return at;
}

static enum sniff_shape list_at(struct text t, size_t at, size_t *first_item)
{
	if (t.at[at] != '[') /* null, or of another kind */
		return t.at[at] == 'n' ? SNIFF_LIST : SNIFF_OBJECT;
	size_t item = skip_space(t, at + 1);
	*first_item = item < t.size ? item : 0;
	return SNIFF_LIST;
}

static bool is_of_object(struct text key)
{
	return text_is(key, TEXT("spec")) || text_is(key, TEXT("status")) ||
		text_is(key, TEXT("data"));
}

enum sniff_shape sniff_shape(struct text bytes, struct text *kind, size_t *first_item)
{
	*kind = TEXT_NONE;
	*first_item = 0;
	size_t at = skip_space(bytes, 1);
	while (at < bytes.size) {
		if (bytes.at[at] != '"')
			return kind->at != NULL ? SNIFF_LIST : SNIFF_OBJECT;
		size_t key_end = skip_string(bytes, at);
		struct text key = {bytes.at + at + 1, key_end - at - 2};
		size_t value = skip_space(bytes, key_end);
		if (value < bytes.size && bytes.at[value] != ':')
			return SNIFF_OBJECT;
		value = value < bytes.size ? skip_space(bytes, value + 1) : value;
		if (value >= bytes.size)
			break;
		if (text_is(key, TEXT("items")))
			return list_at(bytes, value, first_item);
		size_t end = skip_value(bytes, value);
		if (end >= bytes.size)
			break;
		if (text_is(key, TEXT("kind")) && bytes.at[value] == '"') {
			struct text name = {bytes.at + value + 1, end - value - 2};
			if (!text_ends(name, TEXT("List")))
				return SNIFF_OBJECT;
			*kind = name;
		}
		if (kind->at == NULL && is_of_object(key))
			return SNIFF_OBJECT;
		at = skip_space(bytes, end);
	}
	return kind->at != NULL ? SNIFF_LIST : SNIFF_MORE;
}
