/* SPDX-License-Identifier: GPL-2.0-only */
#include <stddef.h>

#include "yaml_private.h"

#include <called.h>

/* YAML 1.1 knows LF, CR, NEL (U+0085), LS (U+2028) and PS (U+2029). */
int yaml_is_break(const yaml_char_t *at)
{
	return at[0] == '\r' || at[0] == '\n' || (at[0] == 0xC2 && at[1] == 0x85) ||
		(at[0] == 0xE2 && at[1] == 0x80 && (at[2] == 0xA8 || at[2] == 0xA9));
}

int yaml_is_breakz(const yaml_char_t *at)
{
	return at[0] == 0 || yaml_is_break(at);
}

int yaml_is_blank(const yaml_char_t *at)
{
	return at[0] == ' ' || at[0] == '\t';
}

int yaml_is_blankz(const yaml_char_t *at)
{
	return yaml_is_blank(at) || yaml_is_breakz(at);
}

int yaml_is_alpha(const yaml_char_t *at)
{
	return (at[0] >= '0' && at[0] <= '9') || (at[0] >= 'A' && at[0] <= 'Z') ||
		(at[0] >= 'a' && at[0] <= 'z') || at[0] == '_' || at[0] == '-';
}

int yaml_cache(yaml_parser_t *parser, size_t length)
{
	return parser->unread >= length || yaml_parser_update_buffer(parser, length);
}

/* The reader has seen to it that the buffer holds whole characters. */
int yaml_skip(yaml_parser_t *parser)
{
	parser->mark.index++;
	parser->mark.column++;
	parser->unread--;
	parser->buffer.pointer += WIDTH(parser->buffer);
	return 1;
}

int yaml_skip_line(yaml_parser_t *parser)
{
	if (!IS_BREAK(parser->buffer))
		return 0;
	if (IS_CRLF(parser->buffer))
		(void)yaml_skip(parser);
	(void)yaml_skip(parser);
	parser->mark.column = 0;
	parser->mark.line++;
	return 1;
}

int yaml_string_new(yaml_parser_t *parser, yaml_string_t *string, size_t size)
{
	string->start = string->pointer = YAML_MALLOC(size);
	if (string->start == NULL) {
		parser->error = YAML_MEMORY_ERROR;
		return 0;
	}
	string->end = string->start + size;
	memset(string->start, 0, size);
	return 1;
}

int yaml_string_room(yaml_parser_t *parser, yaml_string_t *string)
{
	if (string->pointer + 5 < string->end ||
		yaml_string_extend(&string->start, &string->pointer, &string->end))
		return 1;
	parser->error = YAML_MEMORY_ERROR;
	return 0;
}

int yaml_string_append(yaml_parser_t *parser, yaml_string_t *string, yaml_string_t *other)
{
	if (!yaml_string_join(&string->start, &string->pointer, &string->end, &other->start,
		    &other->pointer, &other->end)) {
		parser->error = YAML_MEMORY_ERROR;
		return 0;
	}
	other->pointer = other->start;
	return 1;
}

void yaml_string_clear(yaml_string_t *string)
{
	string->pointer = string->start;
	memset(string->start, 0, (size_t)(string->end - string->start));
}

int yaml_read_one(yaml_parser_t *parser, yaml_string_t *string)
{
	if (!yaml_string_room(parser, string))
		return 0;
	const yaml_char_t *character = parser->buffer.pointer;
	(void)yaml_skip(parser);
	while (character < parser->buffer.pointer)
		*string->pointer++ = *character++;
	return 1;
}

int yaml_read_line(yaml_parser_t *parser, yaml_string_t *string)
{
	if (!yaml_string_room(parser, string))
		return 0;
	const yaml_char_t *line_break = parser->buffer.pointer;
	if (!yaml_skip_line(parser))
		return 1;
	if (*line_break != 0xE2)
		*string->pointer++ = '\n'; /* CR LF, CR, LF and NEL become LF; LS and PS stay */
	else
		while (line_break < parser->buffer.pointer)
			*string->pointer++ = *line_break++;
	return 1;
}

struct any_stack {
	void *start, *end, *top;
};
_Static_assert(offsetof(yaml_parser_t, states.top) - offsetof(yaml_parser_t, states) ==
		offsetof(struct any_stack, top),
	"every stack of libyaml has its pointers in this order");

int yaml_stack_room(yaml_parser_t *parser, void *stack)
{
	struct any_stack any;
	memcpy(&any, stack, sizeof any);
	if (any.top != any.end)
		return 1;
	if (!yaml_stack_extend(&any.start, &any.top, &any.end)) {
		parser->error = YAML_MEMORY_ERROR;
		return 0;
	}
	memcpy(stack, &any, sizeof any);
	return 1;
}

int yaml_token_insert(yaml_parser_t *parser, size_t before, const yaml_token_t *token)
{
	if (parser->tokens.tail == parser->tokens.end &&
		!yaml_queue_extend((void **)&parser->tokens.start, (void **)&parser->tokens.head,
			(void **)&parser->tokens.tail, (void **)&parser->tokens.end)) {
		parser->error = YAML_MEMORY_ERROR;
		return 0;
	}
	yaml_token_t *place = parser->tokens.head + before;
	memmove(place + 1, place, (size_t)((char *)parser->tokens.tail - (char *)place));
	*place = *token;
	parser->tokens.tail++;
	return 1;
}

int yaml_token_append(yaml_parser_t *parser, const yaml_token_t *token)
{
	return yaml_token_insert(
		parser, (size_t)(parser->tokens.tail - parser->tokens.head), token);
}

void yaml_token_set(yaml_token_t *token, yaml_token_type_t type, const yaml_mark_t *start,
	const yaml_mark_t *end)
{
	memset(token, 0, sizeof *token);
	token->type = type;
	token->start_mark = *start;
	token->end_mark = *end;
}

void yaml_event_set(yaml_event_t *event, yaml_event_type_t type, const yaml_mark_t *start,
	const yaml_mark_t *end)
{
	memset(event, 0, sizeof *event);
	event->type = type;
	event->start_mark = *start;
	event->end_mark = *end;
}
