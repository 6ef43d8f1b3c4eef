/* SPDX-License-Identifier: GPL-2.0-only */
/* Canonical JSON as YAML. A text of JSON in its quotes is one of YAML, too. */
#include "command/yaml_out.h"

#include <strings.h>

#include "command/canonical.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters first, then nothing that means something; and not one of the words that do. */
static bool needs_no_quotes(struct text t)
{
	static const char *const words[] = {
		"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
	if (t.size == 0 || !is_letter(t.at[0]) || t.at[t.size - 1] == ' ')
		return false;
	for (size_t i = 0; i < t.size; i++)
		if (!is_letter(t.at[i]) && !(t.at[i] >= '0' && t.at[i] <= '9') &&
			memchr("-_./ ", t.at[i], 5) == NULL)
			return false;
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (t.size == strlen(words[i]) && strncasecmp(t.at, words[i], t.size) == 0)
			return false;
	return true;
}

/* Without its quotes where it can be. */
static struct text unquoted(struct text json)
{
	bool is_text = json.size > 2 && json.at[0] == '"';
	struct text inside = is_text ? text_first(text_from(json, 1), json.size - 2) : json;
	return is_text && needs_no_quotes(inside) ? inside : json;
}

static bool is_block(struct text json)
{
	return json.size > 2 && (json.at[0] == '{' || json.at[0] == '[');
}

/* What is deeper than the cutter keeps cannot come. */
static void put_block(struct text rest, uint32_t depth, bool begun, struct output *out)
{
	bool is_list = rest.at[0] == '[';
	struct text key = TEXT_NONE, value;
	while (is_list ? canonical_next_element(&rest, &value)
		       : canonical_next_member(&rest, &key, &value)) {
		for (uint32_t i = 0; i < depth && !begun; i++)
			output_z(out, "  ");
		begun = false;
		if (is_list) {
			output_z(out, is_block(value) ? "- " : "-");
		} else {
			/* The key in its quotes stands before its value. */
			output_text(out, unquoted((struct text){key.at - 1, key.size + 2}));
			output_z(out, is_block(value) ? ":\n" : ":");
		}
		if (is_block(value) && depth < JSON_DEPTH_MAX) {
			put_block(value, depth + 1, is_list, out);
			continue;
		}
		output_z(out, " ");
		output_text(out, unquoted(value));
		output_z(out, "\n");
	}
}

void yaml_out(struct text json, struct output *out)
{
	if (is_block(json)) {
		put_block(json, 0, false, out);
		return;
	}
	output_text(out, unquoted(json));
	output_z(out, "\n");
}
