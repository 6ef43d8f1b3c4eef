/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libyaml's scanner asks for the class of a character, steps over it and copies it by macros that
 * are a page of code at each of a hundred places. Here each becomes a function made of that same
 * macro, which takes about 20 kB out of the binary. Configuration files are small: nobody waits
 * for the calls.
 */
#ifndef BERTH_YAML_COMPACT_H
#define BERTH_YAML_COMPACT_H

#define COMPACT static __attribute__((noinline))

/* What the macros take for a string. */
struct compact_at {
	const yaml_char_t *pointer;
};

#define COMPACT_CLASS(name, macro)            \
	COMPACT int name(struct compact_at s) \
	{                                     \
		return macro(s, 0);           \
	}
#define COMPACT_ASK(name, string, offset) name((struct compact_at){(string).pointer + (offset)})

COMPACT_CLASS(compact_width, WIDTH_AT)
#undef WIDTH_AT
#define WIDTH_AT(string, offset) COMPACT_ASK(compact_width, string, offset)

COMPACT int compact_copy(yaml_char_t **to, yaml_char_t **from)
{
	int width = WIDTH_AT((struct compact_at){*from}, 0);
	for (int i = 0; i < width; i++)
		*(*to)++ = *(*from)++;
	return width;
}
#undef COPY
#define COPY(to, from) compact_copy(&(to).pointer, &(from).pointer)

COMPACT_CLASS(compact_alpha, IS_ALPHA_AT)
#undef IS_ALPHA_AT
#define IS_ALPHA_AT(string, offset) COMPACT_ASK(compact_alpha, string, offset)

COMPACT_CLASS(compact_break, IS_BREAK_AT)
#undef IS_BREAK_AT
#define IS_BREAK_AT(string, offset) COMPACT_ASK(compact_break, string, offset)

COMPACT_CLASS(compact_breakz, IS_BREAKZ_AT)
#undef IS_BREAKZ_AT
#define IS_BREAKZ_AT(string, offset) COMPACT_ASK(compact_breakz, string, offset)

COMPACT_CLASS(compact_blank, IS_BLANK_AT)
#undef IS_BLANK_AT
#define IS_BLANK_AT(string, offset) COMPACT_ASK(compact_blank, string, offset)

COMPACT_CLASS(compact_blankz, IS_BLANKZ_AT)
#undef IS_BLANKZ_AT
#define IS_BLANKZ_AT(string, offset) COMPACT_ASK(compact_blankz, string, offset)

COMPACT int compact_cache(yaml_parser_t *parser, size_t length)
{
	return CACHE(parser, length);
}
#undef CACHE
#define CACHE(parser, length) compact_cache(parser, length)

COMPACT void compact_skip(yaml_parser_t *parser)
{
	SKIP(parser);
}
#undef SKIP
#define SKIP(parser) compact_skip(parser)

COMPACT void compact_skip_line(yaml_parser_t *parser)
{
	SKIP_LINE(parser);
}
#undef SKIP_LINE
#define SKIP_LINE(parser) compact_skip_line(parser)

COMPACT int compact_read(yaml_parser_t *parser, yaml_string_t *string)
{
	return READ(parser, *string);
}
#undef READ
#define READ(parser, string) compact_read(parser, &(string))

COMPACT int compact_read_line(yaml_parser_t *parser, yaml_string_t *string)
{
	return READ_LINE(parser, *string);
}
#undef READ_LINE
#define READ_LINE(parser, string) compact_read_line(parser, &(string))

COMPACT int compact_join(yaml_parser_t *parser, yaml_string_t *to, yaml_string_t *from)
{
	return JOIN(parser, *to, *from);
}
#undef JOIN
#define JOIN(parser, to, from) compact_join(parser, &(to), &(from))

#endif
