/* SPDX-License-Identifier: GPL-2.0-only */
/* Canonical JSON. */
#include "command/canonical.h"

static size_t string_end(struct text t, size_t at)
{
	for (at++; at < t.size && t.at[at] != '"'; at++)
		at += t.at[at] == '\\';
	return at < t.size ? at + 1 : t.size;
}

static size_t value_end(struct text t, size_t at)
{
	size_t depth = 0;
	while (at < t.size) {
		char c = t.at[at];
		if (depth == 0 && (c == ',' || c == '}' || c == ']'))
			return at;
		if (c == '"') {
			at = string_end(t, at);
			continue;
		}
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		at++;
	}
	return at;
}

bool canonical_next_member(struct text *rest, struct text *key, struct text *value)
{
	/* It stands at '{', ',' or '}'; text from outside may be no object at all. */
	if (rest->size < 2 || rest->at[1] != '"' || (rest->at[0] != '{' && rest->at[0] != ','))
		return false;
	size_t key_end = string_end(*rest, 1);
	if (key_end < 3 || key_end + 1 > rest->size)
		return false;
	*key = text_first(text_from(*rest, 2), key_end - 3);
	size_t end = value_end(*rest, key_end + 1);
	*value = text_first(text_from(*rest, key_end + 1), end - key_end - 1);
	*rest = text_from(*rest, end);
	return true;
}

bool canonical_next_element(struct text *rest, struct text *value)
{
	if (rest->size < 3 || (rest->at[0] != '[' && rest->at[0] != ','))
		return false;
	size_t end = value_end(*rest, 1);
	*value = text_first(text_from(*rest, 1), end - 1);
	*rest = text_from(*rest, end);
	return true;
}

uint32_t canonical_count(struct text rest)
{
	struct text key, value;
	uint32_t count = 0;
	bool is_array = text_starts(rest, TEXT("["));
	while (is_array ? canonical_next_element(&rest, &value)
			: canonical_next_member(&rest, &key, &value))
		count++;
	return count;
}

struct json_value canonical_parse(struct text json, struct scratch *scratch)
{
	struct json_value v = JSON_VALUE_NONE;
	char *copy = scratch_take(scratch, json.size);
	if (copy == NULL || json.size == 0)
		return JSON_VALUE_NONE;
	memcpy(copy, json.at, json.size);
	if (json_parse((struct text){copy, json.size}, scratch, &v) != JSON_PARSED)
		return JSON_VALUE_NONE;
	return v;
}
