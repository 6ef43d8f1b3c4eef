/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the cutter: what json/cut.c (pieces and wants), json/cut_step.c (the grammar, one
 * byte at a time) and json/cut_run.c (the same grammar, many bytes at a time) share.
 */
#ifndef BERTH_JSON_CUT_STATE_H
#define BERTH_JSON_CUT_STATE_H

#include "json/json.h"

enum {
	CUT_BLOCK = 16, /* bytes that scan_special() reads at once */
	/* Keys are written behind the piece before it is known whether they are wanted. */
	CUT_KEY_ROOM = JSON_KEY_MAX + 16,
	CUT_WINDOW = 64, /* levels in `objects` */
	CUT_LEVELS = 3,  /* of a piece at which members may be left out one by one */
	/* For brief members of a piece that is too big, and to close what is open. */
	CUT_BRIEF_ROOM = 2048,
	CUT_CLOSE_ROOM = JSON_DEPTH_MAX
};

/* Where in the grammar. The order of the first block is what cut_run.c speeds up. */
enum cut_state {
	CUT_VALUE,          /* after a colon, or after a comma of an array */
	CUT_ELEMENT_OR_END, /* after [ */
	CUT_KEY_OR_END,     /* after { */
	CUT_KEY,            /* after a comma of an object */
	CUT_COLON,
	CUT_AFTER, /* after a value: comma or end */
	CUT_STRING,

	CUT_TOP,    /* before a value that stands alone */
	CUT_GAP,    /* after a number or literal that stood alone: white space, then CUT_TOP */
	CUT_CLOSED, /* after the list: white space only */
	CUT_ITEMS_COLON,
	CUT_ITEMS, /* [ or null */
	CUT_ESCAPE,
	CUT_HEX,
	CUT_LOW_BACKSLASH, /* the second half of a surrogate pair must follow */
	CUT_LOW_U,
	CUT_UTF8,
	CUT_MINUS,
	CUT_ZERO,
	CUT_INTEGER,
	CUT_POINT,
	CUT_FRACTION,
	CUT_E,
	CUT_E_SIGN,
	CUT_EXPONENT,
	CUT_LITERAL,
	CUT_REFUSED, /* a fault was met */
	CUT_STATES
};

struct json_cut {
	enum cut_state state;
	enum json_cut_shape shape;
	enum json_piece_kind kind; /* of the piece being written */

	/*
	 * What is open: bit (d - 1) % CUT_WINDOW says whether the container at depth d is an
	 * object, as far as it is in the window of the present depth. The windows before it stand
	 * in `outer`.
	 */
	uint32_t depth;
	uint64_t objects;
	uint64_t outer[JSON_NESTING_MAX / CUT_WINDOW];
	const struct json_want *inside[JSON_DEPTH_MAX + 1]; /* NULL: everything is wanted */
	const struct json_want *expected;                   /* `inside` of the value to come */

	/* The piece ends with the value that ends at this depth. */
	uint32_t piece_depth;
	/* While dropping nothing is written, until a value ends at drop_depth or above. */
	uint32_t drop_depth;
	bool dropping;
	bool full; /* the piece did not fit; only brief members follow */
	/* Where the member at depth piece_depth + 1 + i began that is being kept; 0: none. */
	size_t member_at[CUT_LEVELS];
	bool envelope_full; /* ... and that was the envelope, while an item is written */
	bool stopped;

	/* Inside a string, number or literal. */
	bool in_key;
	bool key_long; /* the key has more than JSON_KEY_MAX bytes */
	uint8_t hex_left;
	uint8_t utf8_left;
	uint8_t utf8_min; /* bounds of the next continuation byte */
	uint8_t utf8_max;
	uint32_t unit;       /* UTF-16 code unit being read */
	uint32_t high;       /* first half of a surrogate pair, or 0 */
	const char *literal; /* what must still come */

	const struct json_want *want;
	const char *const *brief; /* NULL: no keys */
	json_piece_fn *on_piece;
	void *self;
	const char *fault;
	uint64_t offset;

	size_t piece_max;
	size_t piece_least, piece_most; /* it is between them */
	bool (*resize)(void *self, size_t bytes);
	void *resize_self;
	size_t base;   /* where the piece begins in `buffer`: an item stands behind the envelope */
	size_t used;   /* where it ends so far */
	size_t limit;  /* where it must end */
	size_t key_at; /* where the key being read stands */
	size_t key_size;
	char buffer[];
};

/* cut.c */
void cut_refuse(struct json_cut *cut, const char *fault);
void cut_overflow(struct json_cut *cut);
void cut_put_last(struct json_cut *cut, char byte); /* at the limit */
void cut_put_bytes(struct json_cut *cut, const char *at, size_t size);
void cut_piece_begin(struct json_cut *cut);
void cut_value_end(struct json_cut *cut);
bool cut_open(struct json_cut *cut, bool object); /* false: too deep for any, refused */
void cut_close(struct json_cut *cut);
/* A key stands in the arriving bytes without an escape, all of it. */
void cut_key(struct json_cut *cut, const char *key, size_t size);
/* A key was written byte by byte behind the piece. */
void cut_key_begin(struct json_cut *cut);
void cut_key_end(struct json_cut *cut);

/* cut_step.c: false when the byte was not taken: it ended a number only, or it was refused. */
bool cut_step(struct json_cut *cut, uint8_t byte);

/* cut_run.c: takes as many bytes as it can; what it leaves is for cut_step(). */
const char *cut_run_dropping(struct json_cut *cut, const char *at, const char *end);
const char *cut_run_keeping(struct json_cut *cut, const char *at, const char *end);

static inline bool cut_in_object(const struct json_cut *cut)
{
	return cut->depth > 0 && (cut->objects >> ((cut->depth - 1) % CUT_WINDOW) & 1) != 0;
}

/* One byte of the piece. After an overflow this does nothing. */
static inline void cut_put(struct json_cut *cut, char byte)
{
	if (__builtin_expect(cut->used < cut->limit, 1))
		cut->buffer[cut->used++] = byte;
	else
		cut_put_last(cut, byte);
}

/* Members are separated from the one before, if there is one. */
static inline void cut_put_comma(struct json_cut *cut)
{
	char last = cut->buffer[cut->used - 1];

	if (last != '{' && last != '[')
		cut_put(cut, ',');
}

/* A value that is kept begins. */
static inline void cut_value_begin(struct json_cut *cut)
{
	if (cut->depth == cut->piece_depth) {
		cut_piece_begin(cut);
	} else if (!cut_in_object(cut)) {
		cut_put_comma(cut);
		cut->expected = cut->inside[cut->depth];
	}
}

/* The same as cut_value_end(), with a short way for most values. */
static inline void cut_kept_value_end(struct json_cut *cut)
{
	if (__builtin_expect(cut->dropping || cut->depth == cut->piece_depth, 0))
		cut_value_end(cut);
	else
		cut->state = CUT_AFTER;
}

#endif
