/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json - text of the wire. Three parts, one after the other on the way of the data:
 *
 *   cut    bytes in any slicing -> thinned objects, one at a time        (json/cut.c)
 *   read   a thinned object -> values by key, index and path, over jsmn  (json/read.c)
 *   write  requests, escaped                                             (json/write.c)
 */
#ifndef BERTH_JSON_JSON_H
#define BERTH_JSON_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/scratch.h"
#include "base/text.h"

/* ---- cut ---- */

enum {
	JSON_DEPTH_MAX = 64, /* nesting of what is kept */
	/*
	 * Nesting of anything that arrives. An apiserver takes objects that nest to 10,000, and
	 * what anybody may put into managedFields stands some levels deep in a list already.
	 */
	JSON_NESTING_MAX = 10240,
	JSON_KEY_MAX = 512,  /* a longer key is kept out as unwanted, still validated */
	JSON_PIECE_MIN = 64, /* bounds of piece_max */
	JSON_PIECE_MAX = 1 << 30,
	JSON_ENVELOPE_MAX = 4096 /* of a list's members before its items, thinned */
};

/*
 * What to keep: a tree of keys. Arrays are transparent (their elements are looked at with the
 * same entry). inside == NULL keeps the whole value; a scalar where an object was expected is
 * kept. A key of "*" matches every key not named before it. An array of wants ends with
 * key == NULL.
 *
 * Members that come twice are both kept (json_get() takes the first). An object whose members
 * are all unwanted stays as {}: that it was there can matter. Keys are compared in their
 * canonical form, so a wanted key must hold nothing that JSON has to escape.
 */
struct json_want {
	const char *key;
	const struct json_want *inside;
};

enum json_cut_shape {
	/*
	 * One {"items":[...]}: each item, then the envelope (all but the items) when the object
	 * ends. Items may be null or missing; a Status is nothing but an envelope.
	 */
	JSON_CUT_LIST,
	/*
	 * Values one after the other (watch; or one object). White space may separate them, and
	 * must behind numbers and literals. Each comes with its last byte, no line feed is awaited.
	 */
	JSON_CUT_LINES
};

enum json_piece_kind {
	JSON_PIECE_ITEM,     /* an element of items, thinned by `want` */
	JSON_PIECE_ENVELOPE, /* the list without its items, thinned by `envelope_want` */
	JSON_PIECE_LINE,     /* a whole value, thinned by `want` */
	/*
	 * Did not fit in the buffer, or was nested too deep in what is kept: some members are
	 * missing. The one that was too much is, and all behind it that are not brief (see
	 * json_cut_brief()). The rest was checked and dropped, and the stream goes on. When it was
	 * the envelope, it is a list's last piece.
	 *
	 * An envelope, and what has no members on its first levels (an array, a string), is what
	 * was kept, cut off, and no valid JSON.
	 */
	JSON_PIECE_TOO_BIG
};

struct json_piece {
	enum json_piece_kind kind;
	/* Canonical: no white space, fewest escapes, valid UTF-8. The receiver may change it. */
	struct text text;
};

/*
 * Returns false to stop the cutter (it then answers JSON_CUT_STOPPED). Must not start or feed the
 * cutter that calls it.
 */
typedef bool json_piece_fn(void *self, struct json_piece piece);

enum json_cut_result {
	JSON_CUT_MORE,   /* all bytes taken; at a value's inside or between values */
	JSON_CUT_BROKEN, /* not JSON; `fault` and `offset` say what and where */
	JSON_CUT_STOPPED
};

struct json_cut; /* its size is json_cut_size(); lives in caller's memory */

/*
 * The cutter refuses everything that RFC 8259 refuses, and broken UTF-8 or half a surrogate pair
 * in a string, in what is dropped as well. Numbers keep the text they came with. Its memory does
 * not depend on what arrives. About 1 ns a byte of pod list, twice that where all is kept.
 */

/* Bytes for a cutter whose pieces have at most `piece_max` bytes. */
size_t json_cut_size(size_t piece_max);
struct json_cut *json_cut_init(void *block, size_t size, size_t piece_max);

/* Starts a new stream. envelope_want may be NULL for JSON_CUT_LINES. */
void json_cut_start(struct json_cut *cut, enum json_cut_shape shape, const struct json_want *want,
	const struct json_want *envelope_want, json_piece_fn *on_piece, void *self);

/*
 * Pieces may grow to `piece_most` bytes: resize() makes the block so large, or smaller again;
 * false: there is no memory, and the piece does not fit. Bytes at the front stay as they are. After
 * json_cut_init(), for all streams.
 */
void json_cut_may_grow(struct json_cut *cut, size_t piece_most,
	bool (*resize)(void *self, size_t bytes), void *self);

/*
 * Keys that are kept on the first three levels of a piece even when all of it does not fit, as far
 * as they are wanted; the list ends with NULL. After json_cut_start().
 */
void json_cut_brief(struct json_cut *cut, const char *const *keys);
MUST_USE enum json_cut_result json_cut_feed(struct json_cut *cut, struct text bytes);
/* The stream ended: false when that was in the middle of a value. */
MUST_USE bool json_cut_end(struct json_cut *cut);
const char *json_cut_fault(const struct json_cut *cut);
uint64_t json_cut_offset(const struct json_cut *cut);

/*
 * For JSON_PIECE_TOO_BIG: "namespace/name" from the metadata as far as it was kept; TEXT_NONE
 * when it was cut off before.
 */
struct text json_scan_name(struct text piece, char *to, size_t size);

/* ---- read ---- */

enum { JSON_TOKENS_MAX = 1 << 16 };

enum json_type {
	JSON_NONE, /* not there */
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json_doc; /* tokens of one object */

struct json_value {
	const struct json_doc *doc;
	uint32_t token;
};
#define JSON_VALUE_NONE ((struct json_value){NULL, 0})

enum json_parse_result { JSON_PARSED, JSON_PARSE_BROKEN, JSON_PARSE_FULL };

/*
 * Parses a piece that the cutter made (it is trusted to be valid JSON; jsmn alone is not). The
 * tokens live in `scratch`, which is as it was before when the result is not JSON_PARSED.
 * JSON_PARSE_FULL: scratch or JSON_TOKENS_MAX did not suffice.
 */
MUST_USE enum json_parse_result json_parse(
	struct text piece, struct scratch *scratch, struct json_value *root);

enum json_type json_type(struct json_value v);
struct json_value json_get(struct json_value object, const char *key); /* first match */
struct json_value json_find(struct json_value object, struct text key);
struct json_value json_path(struct json_value object, const char *dotted);
uint32_t json_count(struct json_value v); /* elements, members; 0 for scalars */

struct json_walk {
	struct text key; /* unescaped; empty for array elements */
	struct json_value value;
	/* private */
	const struct json_doc *doc;
	uint32_t at;
	uint32_t left;
	bool object;
};
struct json_walk json_walk(struct json_value v); /* of an object or array; of others: nothing */
bool json_walk_next(struct json_walk *walk);

/* The bytes of a string, unescaped (in the piece's own buffer, once); TEXT_NONE if no string. */
struct text json_text(struct json_value v);
/* The bytes of any scalar as they stand ("1.5", "true"; strings unescaped); else TEXT_NONE. */
struct text json_scalar(struct json_value v);
/*
 * The value's own JSON text; TEXT_NONE once a string inside it that had escapes was read, since
 * its bytes are no longer JSON.
 */
struct text json_raw(struct json_value v);
bool json_bool(struct json_value v, bool otherwise);
MUST_USE bool json_i64(struct json_value v, int64_t *value); /* an integer in range, else false */

/* ---- write ---- */

/* Commas and nesting are kept by the writer; overflow sticks in the text writer below. */
struct json_writer {
	struct writer *out;
	uint32_t depth;
	uint64_t has_members; /* one bit per depth */
	uint64_t is_object;   /* the same */
	bool after_key;
};

void json_write_init(struct json_writer *j, struct writer *out);
/* What ends here is an object with members, which goes on: it is open again. */
void json_reopen_object(struct json_writer *j, struct writer *out);
void json_open_object(struct json_writer *j);
void json_close_object(struct json_writer *j);
void json_open_array(struct json_writer *j);
void json_close_array(struct json_writer *j);
void json_key(struct json_writer *j, const char *key);
void json_key_text(struct json_writer *j, struct text key);
void json_put_text(struct json_writer *j, struct text value); /* broken UTF-8 becomes U+FFFD */
void json_put_z(struct json_writer *j, const char *value);
void json_put_i64(struct json_writer *j, int64_t value);
void json_put_bool(struct json_writer *j, bool value);
void json_put_null(struct json_writer *j);
void json_put_raw(struct json_writer *j, struct text json); /* already JSON */
/* key and value in one */
void json_member_text(struct json_writer *j, const char *key, struct text value);
void json_member_z(struct json_writer *j, const char *key, const char *value);
void json_member_i64(struct json_writer *j, const char *key, int64_t value);
void json_member_bool(struct json_writer *j, const char *key, bool value);
/* A value that is open now. */
void json_member_object(struct json_writer *j, const char *key);
void json_member_array(struct json_writer *j, const char *key);

#endif
