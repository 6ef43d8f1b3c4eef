/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lexer: source to tokens, one at a time. For cel/ only.
 */
#ifndef BERTH_CEL_LEXER_H
#define BERTH_CEL_LEXER_H

#include "base/scratch.h"
#include "base/text.h"

enum cel_token_kind {
	CEL_TOKEN_END,
	CEL_TOKEN_BROKEN,
	CEL_TOKEN_IDENT,
	CEL_TOKEN_ESCAPED, /* `a name` */
	CEL_TOKEN_INT,
	CEL_TOKEN_UINT,
	CEL_TOKEN_FLOAT,
	CEL_TOKEN_STRING,
	CEL_TOKEN_BYTES,
	CEL_TOKEN_TRUE,
	CEL_TOKEN_FALSE,
	CEL_TOKEN_NULL,
	CEL_TOKEN_IN,
	CEL_TOKEN_EQUAL,
	CEL_TOKEN_UNEQUAL,
	CEL_TOKEN_AT_MOST,
	CEL_TOKEN_AT_LEAST,
	CEL_TOKEN_AND,
	CEL_TOKEN_OR,
	/* one character each: the character itself */
	CEL_TOKEN_CHARACTERS = 33
};

struct cel_token {
	int kind;
	struct text text; /* as it stands */
	uint32_t offset;
};

/* The first token at or after `offset`. */
struct cel_token cel_lex(struct text source, uint32_t offset);

/*
 * What a STRING or BYTES token says; in `keep` when it has escapes, else part of the token. On an
 * error NULL text and *error.
 */
struct text cel_unquote(struct text token, struct scratch *keep, const char **error);

#endif
