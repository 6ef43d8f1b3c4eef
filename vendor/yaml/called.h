/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libyaml's scanner and parser do to characters, strings, stacks and the queue of tokens they
 * do in macros, of which each use is up to 200 bytes of code. Here they are calls of the functions
 * in called.c, with the same meaning; vendor/yaml/cut has both files include this after
 * yaml_private.h and their own macros.
 */
#ifndef BERTH_YAML_CALLED_H
#define BERTH_YAML_CALLED_H

int yaml_is_break(const yaml_char_t *at);
int yaml_is_breakz(const yaml_char_t *at);
int yaml_is_blank(const yaml_char_t *at);
int yaml_is_blankz(const yaml_char_t *at);
int yaml_is_alpha(const yaml_char_t *at);
#undef IS_BREAK_AT
#undef IS_BREAKZ_AT
#undef IS_BLANK_AT
#undef IS_BLANKZ_AT
#undef IS_ALPHA_AT
#define IS_BREAK_AT(string, offset)  yaml_is_break((string).pointer + (offset))
#define IS_BREAKZ_AT(string, offset) yaml_is_breakz((string).pointer + (offset))
#define IS_BLANK_AT(string, offset)  yaml_is_blank((string).pointer + (offset))
#define IS_BLANKZ_AT(string, offset) yaml_is_blankz((string).pointer + (offset))
#define IS_ALPHA_AT(string, offset)  yaml_is_alpha((string).pointer + (offset))

/* The reader's buffer has at least so many characters, or cannot. */
int yaml_cache(yaml_parser_t *parser, size_t length);
/* One character, or one line break, is passed over, */
int yaml_skip(yaml_parser_t *parser);
int yaml_skip_line(yaml_parser_t *parser);
/* or appended to the string. */
int yaml_read_one(yaml_parser_t *parser, yaml_string_t *string);
int yaml_read_line(yaml_parser_t *parser, yaml_string_t *string);
#undef CACHE
#undef SKIP
#undef SKIP_LINE
#undef READ
#undef READ_LINE
#define CACHE(parser, length)     yaml_cache((parser), (length))
#define SKIP(parser)              yaml_skip(parser)
#define SKIP_LINE(parser)         yaml_skip_line(parser)
#define READ(parser, string)      yaml_read_one((parser), &(string))
#define READ_LINE(parser, string) yaml_read_line((parser), &(string))

int yaml_string_new(yaml_parser_t *parser, yaml_string_t *string, size_t size);
int yaml_string_room(yaml_parser_t *parser, yaml_string_t *string);
int yaml_string_append(yaml_parser_t *parser, yaml_string_t *string, yaml_string_t *other);
void yaml_string_clear(yaml_string_t *string);
#undef STRING_INIT
#undef STRING_EXTEND
#undef JOIN
#undef CLEAR
#define STRING_INIT(parser, string, size) yaml_string_new((parser), &(string), (size))
#define STRING_EXTEND(parser, string)     yaml_string_room((parser), &(string))
#define JOIN(parser, string_a, string_b)  yaml_string_append((parser), &(string_a), &(string_b))
#define CLEAR(parser, string)             yaml_string_clear(&(string))

/* A stack is start, top and end, whatever it holds. */
int yaml_stack_room(yaml_parser_t *parser, void *stack);
#undef PUSH
#define PUSH(parser, stack, value) \
	(yaml_stack_room((parser), &(stack)) ? (*((stack).top++) = (value), 1) : 0)

/* There is one queue, of tokens; `before` is counted from its head. */
int yaml_token_append(yaml_parser_t *parser, const yaml_token_t *token);
int yaml_token_insert(yaml_parser_t *parser, size_t before, const yaml_token_t *token);
void yaml_token_set(yaml_token_t *token, yaml_token_type_t type, const yaml_mark_t *start,
	const yaml_mark_t *end);
void yaml_event_set(yaml_event_t *event, yaml_event_type_t type, const yaml_mark_t *start,
	const yaml_mark_t *end);
#undef ENQUEUE
#undef QUEUE_INSERT
#undef TOKEN_INIT
#undef EVENT_INIT
#define ENQUEUE(parser, queue, token)             yaml_token_append((parser), &(token))
#define QUEUE_INSERT(parser, queue, index, token) yaml_token_insert((parser), (index), &(token))
#define TOKEN_INIT(token, type, start, end)       yaml_token_set(&(token), (type), &(start), &(end))
#define EVENT_INIT(event, type, start, end)       yaml_event_set(&(event), (type), &(start), &(end))

#endif
