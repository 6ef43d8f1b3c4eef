/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * YAML: libyaml's events made into a tree.
 *
 * An alias is the aliased node once more, sharing its children: it costs one node here, and
 * what it stands for is counted, so that nine lines cannot become a billion nodes later.
 */
#include "yaml/yaml.h"

#include <string.h>

#include <yaml.h>

#include "yaml/scalar.h"

enum { YAML_ANCHORS_MAX = 256 };

struct yaml_reader {
	yaml_parser_t parser;
	struct text text;
	bool ended;
};

struct level {
	struct yaml_node *node;
	struct yaml_node *last;        /* child */
	struct yaml_node *key;         /* of a map: read, its value is not */
	const struct yaml_node *merge; /* the key "<<" of a map, if it has one */
	uint32_t anchor;               /* index + 1 of the anchor that this node has */
};

struct anchor {
	struct text name;
	struct yaml_node *node;
	uint32_t weight; /* nodes below it, itself included; 0: not complete yet */
};

/* One document under construction. */
struct build {
	struct scratch *scratch;
	struct yaml_fault *fault;
	struct yaml_node *root;
	struct level levels[YAML_DEPTH_MAX];
	uint32_t depth;
	uint32_t nodes;
	uint32_t nodes_at[YAML_DEPTH_MAX]; /* before this level was opened */
	uint32_t aliased;
	struct anchor anchors[YAML_ANCHORS_MAX];
	uint32_t anchor_count;
};

static bool fail_at(struct yaml_fault *fault, uint32_t line, uint32_t column, const char *what)
{
	size_t size = strlen(what);

	size = size < sizeof(fault->what) - 1 ? size : sizeof(fault->what) - 1;
	memcpy(fault->what, what, size);
	fault->what[size] = '\0';
	fault->line = line;
	fault->column = column;
	return false;
}

static bool fail_event(struct build *b, const yaml_event_t *event, const char *what)
{
	return fail_at(b->fault, (uint32_t)event->start_mark.line + 1,
		(uint32_t)event->start_mark.column + 1, what);
}

/* ---- nodes ---- */

static bool copy_text(struct build *b, const void *at, size_t size, struct text *copy)
{
	char *to = scratch_take(b->scratch, size + 1);

	if (to == NULL)
		return false;
	if (size > 0)
		memcpy(to, at, size);
	*copy = (struct text){to, size};
	return true;
}

static struct yaml_node *make_node(struct build *b, const yaml_event_t *event, enum yaml_kind kind)
{
	struct yaml_node *node = SCRATCH_ONE(b->scratch, struct yaml_node);

	if (node == NULL) {
		fail_event(b, event, "the file is too big");
		return NULL;
	}
	node->kind = kind;
	node->line = (uint32_t)event->start_mark.line + 1;
	node->column = (uint32_t)event->start_mark.column + 1;
	b->nodes++;
	return node;
}

static bool check_key(struct build *b, const struct level *level, const struct yaml_node *key)
{
	char what[sizeof(b->fault->what)];
	struct writer w;

	if (key->kind == YAML_LIST || key->kind == YAML_MAP)
		return fail_at(b->fault, key->line, key->column, "a list or a map cannot be a key");
	/* Also 1 and "1": they would be the same key of JSON. */
	for (const struct yaml_node *other = level->node->first; other != NULL;
		other = other->next) {
		if (!text_is(other->key->text, key->text))
			continue;
		writer_init(&w, what, sizeof(what) - 1);
		write_format(&w, "the key \"%.*s\" is there twice, first in line %u",
			TEXT_ARGS(key->text), (unsigned)other->key->line);
		what[w.used] = '\0';
		return fail_at(b->fault, key->line, key->column, what);
	}
	return true;
}

/* Puts a complete or just opened node where it belongs. */
static bool place(struct build *b, const yaml_event_t *event, struct yaml_node *node)
{
	struct level *level;

	if (b->depth == 0) {
		b->root = node;
		return true;
	}
	level = &b->levels[b->depth - 1];
	if (level->node->kind == YAML_MAP && level->key == NULL) {
		if (!check_key(b, level, node))
			return false;
		level->key = node;
		return true;
	}
	if (level->node->kind == YAML_MAP) {
		if (level->node->count >= YAML_KEYS_MAX)
			return fail_event(b, event, "a map with too many keys");
		node->key = level->key;
		level->key = NULL;
	}
	if (level->last == NULL)
		level->node->first = node;
	else
		level->last->next = node;
	level->last = node;
	level->node->count++;
	return true;
}

/* ---- anchors ---- */

static bool add_anchor(struct build *b, const yaml_event_t *event, const yaml_char_t *name,
	struct yaml_node *node, uint32_t *index)
{
	struct anchor *anchor = NULL;
	struct text t = text_of((const char *)name);

	*index = 0;
	if (name == NULL)
		return true;
	for (uint32_t i = 0; i < b->anchor_count; i++)
		if (text_is(b->anchors[i].name, t))
			anchor = &b->anchors[i]; /* the later one counts from here on */
	if (anchor == NULL) {
		if (b->anchor_count == YAML_ANCHORS_MAX)
			return fail_event(b, event, "too many anchors");
		anchor = &b->anchors[b->anchor_count++];
		if (!copy_text(b, t.at, t.size, &anchor->name))
			return fail_event(b, event, "the file is too big");
	}
	anchor->node = node;
	anchor->weight = 0;
	*index = (uint32_t)(anchor - b->anchors) + 1;
	return true;
}

static void anchor_is_complete(
	struct build *b, uint32_t index, const struct yaml_node *node, uint32_t weight)
{
	if (index != 0 && b->anchors[index - 1].node == node)
		b->anchors[index - 1].weight = weight;
}

static bool take_alias(struct build *b, const yaml_event_t *event)
{
	struct text name = text_of((const char *)event->data.alias.anchor);
	const struct anchor *anchor = NULL;

	for (uint32_t i = 0; i < b->anchor_count; i++)
		if (text_is(b->anchors[i].name, name))
			anchor = &b->anchors[i];
	if (anchor == NULL)
		return fail_event(b, event, "an alias of an anchor that is not there");
	if (anchor->weight == 0)
		return fail_event(b, event, "an alias inside of what it stands for");
	if (anchor->weight > YAML_ALIASED_MAX - b->aliased)
		return fail_event(b, event, "aliases stand for too much");
	struct yaml_node *node = make_node(b, event, YAML_NULL);
	if (node == NULL)
		return false;
	*node = (struct yaml_node){.kind = anchor->node->kind,
		.text = anchor->node->text,
		.line = node->line,
		.column = node->column,
		.count = anchor->node->count,
		.first = anchor->node->first};
	b->aliased += anchor->weight;
	b->nodes += anchor->weight - 1;
	return place(b, event, node);
}

/* ---- events ---- */

static bool check_tag(
	struct build *b, const yaml_event_t *event, const yaml_char_t *tag, const char *own)
{
	return tag == NULL || strcmp((const char *)tag, own) == 0 ||
		fail_event(b, event, "a tag that means nothing here");
}

static bool take_scalar(struct build *b, const yaml_event_t *event)
{
	const char *tag = (const char *)event->data.scalar.tag;
	bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	struct yaml_node *node = make_node(b, event, YAML_TEXT);
	uint32_t anchor;

	if (node == NULL)
		return false;
	if (!copy_text(b, event->data.scalar.value, event->data.scalar.length, &node->text))
		return fail_event(b, event, "the file is too big");
	if (!yaml_scalar_kind(node->text, tag, plain, &node->kind))
		return fail_event(b, event,
			tag == NULL ? "not a value" : "a tag that does not fit the value");
	if (!add_anchor(b, event, event->data.scalar.anchor, node, &anchor))
		return false;
	anchor_is_complete(b, anchor, node, 1);
	if (!place(b, event, node))
		return false;
	struct level *level = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;
	if (plain && tag == NULL && text_is_z(node->text, "<<") && level != NULL &&
		level->key == node)
		level->merge = node;
	return true;
}

static bool open_level(
	struct build *b, const yaml_event_t *event, enum yaml_kind kind, const yaml_char_t *name)
{
	uint32_t before = b->nodes, anchor;
	struct yaml_node *node;

	if (b->depth == YAML_DEPTH_MAX)
		return fail_event(b, event, "nested too deeply");
	node = make_node(b, event, kind);
	if (node == NULL || !add_anchor(b, event, name, node, &anchor) || !place(b, event, node))
		return false;
	b->nodes_at[b->depth] = before;
	b->levels[b->depth++] = (struct level){.node = node, .anchor = anchor};
	return true;
}

/* ---- merge keys ---- */

static bool yaml_has_key(const struct yaml_node *map, struct text key)
{
	for (const struct yaml_node *member = map->first; member != NULL; member = member->next)
		if (text_is(member->key->text, key))
			return true;
	return false;
}

/* The fields of a map that the other one does not have yet, behind its own. */
static bool merge_map(struct build *b, struct level *level, const struct yaml_node *from)
{
	if (from->kind != YAML_MAP)
		return fail_at(b->fault, from->line, from->column,
			"a merge key (<<) takes a map, or a list of maps");
	for (const struct yaml_node *member = from->first; member != NULL; member = member->next) {
		if (yaml_has_key(level->node, member->key->text))
			continue;
		struct yaml_node *copy = SCRATCH_ONE(b->scratch, struct yaml_node);
		if (copy == NULL)
			return fail_at(b->fault, from->line, from->column, "the file is too big");
		if (level->node->count >= YAML_KEYS_MAX)
			return fail_at(
				b->fault, from->line, from->column, "a map with too many keys");
		*copy = *member;
		copy->next = NULL;
		if (level->last == NULL)
			level->node->first = copy;
		else
			level->last->next = copy;
		level->last = copy;
		level->node->count++;
		b->nodes++;
	}
	return true;
}

/* Takes "<<" out and its fields in. What the map says itself counts, then the first of a list. */
static bool merge_fields(struct build *b, struct level *level)
{
	struct yaml_node *before = NULL;
	struct yaml_node *from = level->node->first;
	if (level->merge == NULL)
		return true;
	for (; from != NULL && from->key != level->merge; from = from->next)
		before = from;
	CHECK(from != NULL);
	if (before == NULL)
		level->node->first = from->next;
	else
		before->next = from->next;
	if (level->last == from)
		level->last = before;
	level->node->count--;
	if (from->kind != YAML_LIST)
		return merge_map(b, level, from);
	for (const struct yaml_node *map = from->first; map != NULL; map = map->next)
		if (!merge_map(b, level, map))
			return false;
	return true;
}

static bool close_level(struct build *b)
{
	struct level *level = &b->levels[--b->depth];

	if (!merge_fields(b, level))
		return false;
	anchor_is_complete(b, level->anchor, level->node, b->nodes - b->nodes_at[b->depth]);
	return true;
}

static bool take_event(struct build *b, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT: return take_scalar(b, event);
	case YAML_ALIAS_EVENT: return take_alias(b, event);
	case YAML_SEQUENCE_START_EVENT:
		return check_tag(b, event, event->data.sequence_start.tag, YAML_SEQ_TAG) &&
			open_level(b, event, YAML_LIST, event->data.sequence_start.anchor);
	case YAML_MAPPING_START_EVENT:
		return check_tag(b, event, event->data.mapping_start.tag, YAML_MAP_TAG) &&
			open_level(b, event, YAML_MAP, event->data.mapping_start.anchor);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: return close_level(b);
	default: return true;
	}
}

/* libyaml counts no lines before it has decoded the bytes: what is no text has an offset alone. */
static bool fail_byte(const struct yaml_reader *reader, struct yaml_fault *fault)
{
	const yaml_parser_t *parser = &reader->parser;
	struct text t = reader->text;
	uint32_t line = 1, column = 1;

	for (size_t i = 0; i < t.size && i < parser->problem_offset; i++) {
		column += ((unsigned char)t.at[i] & 0xc0) != 0x80;
		if (t.at[i] == '\n') {
			line++;
			column = 1;
		}
	}
	return fail_at(fault, line, column, parser->problem);
}

static bool fail_parser(const struct yaml_reader *reader, struct yaml_fault *fault)
{
	const yaml_parser_t *parser = &reader->parser;
	const char *problem = parser->problem == NULL ? "not YAML" : parser->problem;
	yaml_mark_t mark = parser->problem_mark;

	if (parser->error == YAML_READER_ERROR)
		return fail_byte(reader, fault);
	if (parser->error == YAML_MEMORY_ERROR) {
		problem = "no memory: a text in it has more than 128 kB";
		mark = parser->mark;
	}
	if (parser->error == YAML_SCANNER_ERROR && *parser->buffer.pointer == '\t')
		problem = "a tab: YAML indents by spaces";
	return fail_at(fault, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1, problem);
}

static enum yaml_result read_document(struct yaml_reader *reader, struct build *b)
{
	yaml_event_type_t type = YAML_NO_EVENT;

	while (type != YAML_DOCUMENT_END_EVENT) {
		yaml_event_t event;

		if (!yaml_parser_parse(&reader->parser, &event)) {
			fail_parser(reader, b->fault);
			reader->ended = true;
			return YAML_BROKEN;
		}
		type = event.type;
		bool taken = take_event(b, &event);
		yaml_event_delete(&event);
		if (!taken || type == YAML_STREAM_END_EVENT) {
			reader->ended = true;
			return taken ? YAML_END : YAML_BROKEN;
		}
	}
	return YAML_DOCUMENT;
}

/* ---- surrogates of JSON ---- */

/* The four digits of "\uXXXX" here; false: it is something else. */
static bool is_escape(struct text t, size_t at, uint32_t *code)
{
	*code = 0;
	if (at + 6 > t.size || t.at[at] != '\\' || t.at[at + 1] != 'u')
		return false;
	for (size_t i = at + 2; i < at + 6; i++) {
		char c = (char)(t.at[i] | 0x20);
		bool is_digit = c >= '0' && c <= '9';
		if (!is_digit && (c < 'a' || c > 'f'))
			return false;
		*code = *code << 4 | (uint32_t)(is_digit ? c - '0' : c - 'a' + 10);
	}
	return true;
}

/* A pair becomes one escape of YAML, half of one what Go makes of it. Gives the bytes consumed. */
static size_t write_escape(struct writer *out, struct text t, size_t at)
{
	uint32_t high, low;
	if (!is_escape(t, at, &high)) {
		size_t size = at + 1 < t.size ? 2 : 1;
		write_text(out, text_first(text_from(t, at), size));
		return size;
	}
	bool is_pair = high >= 0xd800 && high < 0xdc00 && is_escape(t, at + 6, &low) &&
		low >= 0xdc00 && low < 0xe000;
	if (is_pair)
		write_format(out, "\\U%08x", 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
	else if (high >= 0xd800 && high < 0xe000)
		write_z(out, "\\ufffd");
	else
		write_text(out, text_first(text_from(t, at), 6));
	return is_pair ? 12 : 6;
}

/*
 * JSON writes what is beyond 16 bits as two escapes, of which YAML knows neither. What begins as
 * JSON does is JSON, and is made YAML here; nothing else is touched.
 */
static bool json_as_yaml(struct text *text, struct scratch *scratch)
{
	struct writer out;
	char quote = '\0';
	size_t at = 0;
	while (at < text->size && strchr(" \t\r\n", text->at[at]) != NULL)
		at++;
	bool is_json = at < text->size && text->at[at] == '{';
	if (!is_json ||
		(!text_contains(*text, TEXT("\\ud")) && !text_contains(*text, TEXT("\\uD"))))
		return true;
	char *bytes = scratch_take(scratch, text->size);
	if (bytes == NULL)
		return false;
	writer_init(&out, bytes, text->size); /* a pair becomes shorter */
	for (at = 0; at < text->size;) {
		char c = text->at[at];
		if (c == '\\' && quote == '"') {
			at += write_escape(&out, *text, at);
			continue;
		}
		if (quote == '\0' && (c == '"' || c == '\''))
			quote = c;
		else if (c == quote)
			quote = '\0';
		write_char(&out, c);
		at++;
	}
	CHECK(!out.overflowed);
	*text = writer_text(&out);
	return true;
}

/* ---- what callers do ---- */

struct yaml_reader *yaml_open(struct text text, struct scratch *scratch)
{
	struct yaml_reader *reader = SCRATCH_ONE(scratch, struct yaml_reader);

	if (reader == NULL || !json_as_yaml(&text, scratch) ||
		!yaml_parser_initialize(&reader->parser))
		return NULL;
	reader->text = text;
	yaml_parser_set_input_string(&reader->parser, (const unsigned char *)text.at, text.size);
	return reader;
}

void yaml_close(struct yaml_reader *reader)
{
	yaml_parser_delete(&reader->parser);
}

enum yaml_result yaml_next(struct yaml_reader *reader, struct scratch *scratch,
	struct yaml_node **root, struct yaml_fault *fault)
{
	struct build *b = SCRATCH_ONE(scratch, struct build);

	*root = NULL;
	if (reader->ended)
		return YAML_END;
	if (b == NULL) {
		fail_at(fault, 0, 0, "no memory");
		return YAML_BROKEN;
	}
	b->scratch = scratch;
	b->fault = fault;
	enum yaml_result result = read_document(reader, b);
	*root = b->root;
	return result;
}

enum yaml_result yaml_read(struct text text, struct scratch *scratch, struct yaml_node **root,
	struct yaml_fault *fault)
{
	struct yaml_reader *reader = yaml_open(text, scratch);
	struct yaml_node *second = NULL;

	*root = NULL;
	if (reader == NULL) {
		fail_at(fault, 0, 0, "no memory");
		return YAML_BROKEN;
	}
	enum yaml_result result = yaml_next(reader, scratch, root, fault);
	if (result == YAML_DOCUMENT) {
		enum yaml_result more = yaml_next(reader, scratch, &second, fault);
		/* A last "---" with nothing behind it: templates write that. */
		while (more == YAML_DOCUMENT && second != NULL && second->kind == YAML_NULL)
			more = yaml_next(reader, scratch, &second, fault);
		if (more == YAML_DOCUMENT)
			fail_at(fault, second == NULL ? 0 : second->line, 1,
				"a second document (---): there can be only one");
		if (more != YAML_END)
			result = YAML_BROKEN;
	}
	yaml_close(reader);
	return result;
}

struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	if (map == NULL || map->kind != YAML_MAP)
		return NULL;
	for (struct yaml_node *member = map->first; member != NULL; member = member->next)
		if (text_is_z(member->key->text, key))
			return member;
	return NULL;
}

static bool is_same_key(const struct yaml_node *a, const struct yaml_node *b, uint32_t depth)
{
	bool is_none[] = {a == NULL || a->kind == YAML_NULL, b == NULL || b->kind == YAML_NULL};
	if (is_none[0] || is_none[1])
		return is_none[0] == is_none[1];
	if (depth > YAML_DEPTH_MAX || a->kind != b->kind || a->count != b->count ||
		!text_is(a->text, b->text))
		return false;
	const struct yaml_node *of_a = a->first, *of_b = b->first;
	for (; of_a != NULL && of_b != NULL; of_a = of_a->next, of_b = of_b->next) {
		if (a->kind == YAML_MAP && !text_is(of_a->key->text, of_b->key->text))
			return false;
		if (!is_same_key(of_a, of_b, depth + 1))
			return false;
	}
	return true;
}

bool yaml_is_same(const struct yaml_node *a, const struct yaml_node *b)
{
	return is_same_key(a, b, 0);
}

const char *yaml_kind_name(enum yaml_kind kind)
{
	static const char *const names[] = {
		[YAML_NULL] = "nothing",
		[YAML_BOOL] = "a boolean",
		[YAML_INTEGER] = "a number",
		[YAML_FLOAT] = "a number",
		[YAML_TEXT] = "text",
		[YAML_LIST] = "a list",
		[YAML_MAP] = "a map",
	};
	return names[kind];
}

/* ---- JSON ---- */

static bool write_key(const struct yaml_node *key, struct writer *out, struct yaml_fault *fault)
{
	char plain[64];
	struct writer w;

	if (key->kind == YAML_TEXT) {
		yaml_write_quoted(key->text, out);
		return true;
	}
	writer_init(&w, plain, sizeof(plain));
	if (key->kind == YAML_NULL || !yaml_scalar_write(key->kind, key->text, &w) || w.overflowed)
		return fail_at(fault, key->line, key->column, "cannot be a key");
	yaml_write_quoted(writer_text(&w), out);
	return true;
}

/* Depth is bounded by YAML_DEPTH_MAX times what aliases add, which take_alias() bounds. */
static bool write_node(
	const struct yaml_node *node, struct writer *out, struct yaml_fault *fault, uint32_t depth)
{
	if (depth > YAML_DEPTH_MAX)
		return fail_at(fault, node->line, node->column, "nested too deeply");
	if (node->kind == YAML_TEXT) {
		yaml_write_quoted(node->text, out);
		return true;
	}
	if (node->kind != YAML_LIST && node->kind != YAML_MAP)
		return yaml_scalar_write(node->kind, node->text, out) ||
			fail_at(fault, node->line, node->column,
				"a number that JSON does not have");
	write_char(out, node->kind == YAML_LIST ? '[' : '{');
	for (const struct yaml_node *child = node->first; child != NULL; child = child->next) {
		if (child != node->first)
			write_char(out, ',');
		if (node->kind == YAML_MAP) {
			if (!write_key(child->key, out, fault))
				return false;
			write_char(out, ':');
		}
		if (!write_node(child, out, fault, depth + 1))
			return false;
	}
	write_char(out, node->kind == YAML_LIST ? ']' : '}');
	return true;
}

bool yaml_write_json(const struct yaml_node *node, struct writer *out, struct yaml_fault *fault)
{
	return write_node(node, out, fault, 0) &&
		(!out->overflowed || fail_at(fault, node->line, node->column, "too big as JSON"));
}
