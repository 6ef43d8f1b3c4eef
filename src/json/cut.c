/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cutter: pieces, wants and the loop.
 *
 * What is there: the grammar of RFC 8259 exists twice. cut_step.c takes one byte in any state
 * and is the definition. cut_run.c takes runs of bytes while nothing unusual happens (no rare
 * escape, no number with an exponent, no end of the arriving bytes within the next 16) and
 * leaves the rest to cut_step(). One byte at a time the second never gets to work, so that
 * feeding a text whole and in bytes compares the two.
 *
 * What is written: a piece grows at buffer[base..used). A list's envelope stays at the front
 * while its items are written behind it, one after the other, each over the one before. A key
 * is judged at its closing quote; when it is unwanted, nothing is written until its value ends.
 * Objects and arrays have no end that must be kept in mind except their kind: one bit each.
 */
#include "json/cut_state.h"

size_t json_cut_size(size_t piece_max)
{
	CHECK(piece_max >= JSON_PIECE_MIN);
	CHECK(piece_max <= JSON_PIECE_MAX);
	return sizeof(struct json_cut) + JSON_ENVELOPE_MAX + piece_max + CUT_BRIEF_ROOM +
		CUT_KEY_ROOM;
}

struct json_cut *json_cut_init(void *block, size_t size, size_t piece_max)
{
	struct json_cut *cut = block;

	CHECK(size >= json_cut_size(piece_max));
	CHECK((uintptr_t)block % _Alignof(struct json_cut) == 0);
	memset(cut, 0, sizeof(*cut));
	cut->piece_max = cut->piece_least = cut->piece_most = piece_max;
	cut->state = CUT_REFUSED;
	cut->fault = "not started";
	return cut;
}

void json_cut_may_grow(struct json_cut *cut, size_t piece_most,
	bool (*resize)(void *self, size_t bytes), void *self)
{
	CHECK(piece_most >= cut->piece_least);
	CHECK(piece_most <= JSON_PIECE_MAX);
	cut->piece_most = piece_most;
	cut->resize = resize;
	cut->resize_self = self;
}

/* Back to what it has always. */
static void cut_shrink(struct json_cut *cut)
{
	if (cut->piece_max == cut->piece_least)
		return;
	cut->piece_max = cut->piece_least;
	(void)cut->resize(cut->resize_self, json_cut_size(cut->piece_max));
}

/* Only a whole piece grows, not what is left for those that are too big. */
static bool cut_grow(struct json_cut *cut)
{
	size_t grown = cut->piece_max * 2 < cut->piece_most ? cut->piece_max * 2 : cut->piece_most;

	if (cut->full || cut->dropping || cut->kind == JSON_PIECE_ENVELOPE ||
		cut->limit != cut->base + cut->piece_max || grown == cut->piece_max ||
		!cut->resize(cut->resize_self, json_cut_size(grown)))
		return false;
	cut->piece_max = grown;
	cut->limit = cut->base + grown;
	return true;
}

void json_cut_start(struct json_cut *cut, enum json_cut_shape shape, const struct json_want *want,
	const struct json_want *envelope_want, json_piece_fn *on_piece, void *self)
{
	CHECK(on_piece != NULL);
	CHECK(cut->piece_least >= JSON_PIECE_MIN);
	cut_shrink(cut);
	const struct json_cut before = *cut;
	size_t piece_max = before.piece_max;

	memset(cut, 0, sizeof(*cut));
	cut->piece_max = cut->piece_least = piece_max;
	cut->piece_most = before.piece_most;
	cut->resize = before.resize;
	cut->resize_self = before.resize_self;
	cut->state = CUT_TOP;
	cut->shape = shape;
	cut->kind = shape == JSON_CUT_LIST ? JSON_PIECE_ENVELOPE : JSON_PIECE_LINE;
	cut->want = want;
	cut->inside[0] = shape == JSON_CUT_LIST ? envelope_want : want;
	cut->limit = piece_max;
	cut->on_piece = on_piece;
	cut->self = self;
}

void json_cut_brief(struct json_cut *cut, const char *const *keys)
{
	cut->brief = keys;
}

enum json_cut_result json_cut_feed(struct json_cut *cut, struct text bytes)
{
	const char *at = bytes.at;
	const char *end = bytes.size == 0 ? at : at + bytes.size;

	while (at < end && !cut->stopped && cut->state != CUT_REFUSED) {
		if (cut->state <= CUT_STRING && end - at >= CUT_BLOCK) {
			const char *before = at;

			at = cut->dropping ? cut_run_dropping(cut, at, end)
					   : cut_run_keeping(cut, at, end);
			if (at != before)
				continue;
		}
		if (cut_step(cut, (uint8_t)*at))
			at++;
	}
	cut->offset += (size_t)(at - bytes.at);
	if (cut->state == CUT_REFUSED)
		return JSON_CUT_BROKEN;
	return cut->stopped ? JSON_CUT_STOPPED : JSON_CUT_MORE;
}

bool json_cut_end(struct json_cut *cut)
{
	/* only a number can be complete without having been told so */
	if (cut->depth == 0 &&
		(cut->state == CUT_ZERO || cut->state == CUT_INTEGER ||
			cut->state == CUT_FRACTION || cut->state == CUT_EXPONENT))
		(void)cut_step(cut, '\n');
	if (cut->shape == JSON_CUT_LIST)
		return cut->state == CUT_CLOSED;
	return cut->state == CUT_TOP || cut->state == CUT_GAP;
}

const char *json_cut_fault(const struct json_cut *cut)
{
	return cut->fault;
}

uint64_t json_cut_offset(const struct json_cut *cut)
{
	return cut->offset;
}

void cut_refuse(struct json_cut *cut, const char *fault)
{
	cut->state = CUT_REFUSED;
	cut->fault = fault;
}

/* ---- pieces ---- */

/* The innermost level whose member is being kept, 0 when there is none. */
static uint32_t innermost_member(const struct json_cut *cut)
{
	for (uint32_t level = CUT_LEVELS; level > 0; level--)
		if (cut->member_at[level - 1] != 0 && cut->piece_depth + level <= cut->depth)
			return level;
	return 0;
}

/*
 * The member that is too much is taken back, and the piece goes on behind it with those that are
 * brief.
 */
void cut_overflow(struct json_cut *cut)
{
	uint32_t level = cut->kind == JSON_PIECE_ENVELOPE ? 0 : innermost_member(cut);

	if (cut->full && cut->dropping)
		return;
	cut->full = true;
	cut->dropping = true;
	/* an envelope without room still has items to come */
	cut->drop_depth = cut->kind == JSON_PIECE_ENVELOPE ? 1 : cut->piece_depth + level;
	if (level > 0)
		cut->used = cut->member_at[level - 1];
	cut->limit = cut->used;
}

/* The piece is too big, and some of the room behind it is left for what is brief. */
static size_t brief_limit(const struct json_cut *cut)
{
	return cut->base + cut->piece_max + CUT_BRIEF_ROOM;
}

void cut_put_bytes(struct json_cut *cut, const char *at, size_t size)
{
	while (size > cut->limit - cut->used && cut_grow(cut))
		;
	size_t room = cut->limit - cut->used;
	size_t fits = size < room ? size : room;

	memmove(cut->buffer + cut->used, at, fits);
	cut->used += fits;
	if (fits < size)
		cut_overflow(cut);
}

void cut_put_last(struct json_cut *cut, char byte)
{
	if (cut_grow(cut))
		cut->buffer[cut->used++] = byte;
	else
		cut_overflow(cut);
}

void cut_piece_begin(struct json_cut *cut)
{
	CHECK(!cut->dropping);
	CHECK(cut->depth == cut->piece_depth);
	cut_shrink(cut);
	cut->used = cut->base;
	cut->limit = cut->base + cut->piece_max;
	cut->full = false;
	memset(cut->member_at, 0, sizeof(cut->member_at));
	cut->expected = cut->inside[cut->depth];
}

static void emit(struct json_cut *cut)
{
	struct json_piece piece = {cut->full ? JSON_PIECE_TOO_BIG : cut->kind,
		{cut->buffer + cut->base, cut->used - cut->base}};

	CHECK(piece.text.size > 0);
	CHECK(piece.text.size <= cut->piece_max + CUT_BRIEF_ROOM);
	cut->full = false;
	if (!cut->on_piece(cut->self, piece))
		cut->stopped = true;
}

void cut_value_end(struct json_cut *cut)
{
	if (cut->dropping && cut->depth <= cut->drop_depth) {
		cut->dropping = false;
		if (cut->full && cut->kind != JSON_PIECE_ENVELOPE)
			cut->limit = brief_limit(cut) - CUT_CLOSE_ROOM;
	}
	if (cut->depth > 0)
		cut->state = CUT_AFTER;
	else
		cut->state = cut->shape == JSON_CUT_LIST ? CUT_CLOSED : CUT_TOP;
	if (cut->depth == cut->piece_depth)
		emit(cut);
}

/* ---- containers ---- */

static void enter_items(struct json_cut *cut)
{
	CHECK(cut->depth == 2);
	CHECK(cut->piece_depth == 0);
	if (cut->used > JSON_ENVELOPE_MAX) {
		cut->used = JSON_ENVELOPE_MAX;
		cut->full = true;
	}
	cut->envelope_full = cut->full;
	cut->kind = JSON_PIECE_ITEM;
	cut->piece_depth = 2;
	cut->inside[2] = cut->want;
	cut->base = cut->used;
	cut->full = false;
}

static void leave_items(struct json_cut *cut)
{
	CHECK(cut->depth == 1);
	CHECK(cut->piece_depth == 2);
	cut->kind = JSON_PIECE_ENVELOPE;
	cut->piece_depth = 0;
	cut->used = cut->base;
	cut->base = 0;
	cut->full = cut->envelope_full;
	cut->limit = cut->full ? cut->used : cut->piece_max;
}

bool cut_open(struct json_cut *cut, bool object)
{
	bool items = cut->state == CUT_ITEMS;

	if (cut->depth == JSON_NESTING_MAX) {
		cut_refuse(cut, "nested too deep");
		return false;
	}
	if (cut->depth >= JSON_DEPTH_MAX && !cut->dropping)
		cut_overflow(cut);
	if (cut->depth % CUT_WINDOW == 0 && cut->depth > 0)
		cut->outer[cut->depth / CUT_WINDOW - 1] = cut->objects;
	cut->objects &= ~(UINT64_C(1) << (cut->depth % CUT_WINDOW));
	cut->objects |= (uint64_t)object << (cut->depth % CUT_WINDOW);
	cut->depth++;
	cut->state = object ? CUT_KEY_OR_END : CUT_ELEMENT_OR_END;
	if (items) {
		enter_items(cut);
	} else if (!cut->dropping) {
		uint32_t level = cut->depth - cut->piece_depth;

		cut->inside[cut->depth] = cut->expected;
		if (level - 1 < CUT_LEVELS)
			cut->member_at[level - 1] = 0;
		cut_put(cut, object ? '{' : '[');
	}
	return true;
}

/* All that was kept is valid: nothing of it is taken back for want of a bracket. */
static void close_room(struct json_cut *cut)
{
	if (cut->dropping || cut->kind == JSON_PIECE_ENVELOPE || cut->member_at[0] == 0)
		return;
	if (cut->used == cut->limit && !cut_grow(cut))
		cut->full = true;
	if (cut->full)
		cut->limit = brief_limit(cut);
}

void cut_close(struct json_cut *cut)
{
	char end = cut_in_object(cut) ? '}' : ']';

	CHECK(cut->depth > 0);
	cut->depth--;
	if (cut->depth % CUT_WINDOW == 0 && cut->depth > 0)
		cut->objects = cut->outer[cut->depth / CUT_WINDOW - 1];
	close_room(cut);
	if (cut->depth < cut->piece_depth)
		leave_items(cut);
	else if (!cut->dropping)
		cut_put(cut, end);
	cut_kept_value_end(cut);
}

/* ---- keys ---- */

/* Most that have the first byte in common are the same: a loop is faster than a call. */
static inline bool is_wanted_key(const char *name, const char *key, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (name[i] != key[i])
			return false; /* a key has no zero byte, so this is the end of name at the
					 latest */
	return name[size] == '\0';
}

static const struct json_want *find_want(
	const struct json_want *wants, const char *key, size_t size)
{
	char first = size == 0 ? '\0' : key[0];

	for (; wants->key != NULL; wants++) {
		const char *name = wants->key;

		if (name[0] == first && is_wanted_key(name, key, size))
			return wants;
		if (name[0] == '*' && name[1] == '\0')
			return wants;
	}
	return NULL;
}

static bool is_brief(const struct json_cut *cut, const char *key, size_t size)
{
	const char *const *brief = cut->kind == JSON_PIECE_ENVELOPE ? NULL : cut->brief;

	while (brief != NULL && *brief != NULL && !is_wanted_key(*brief, key, size))
		brief++;
	return brief != NULL && *brief != NULL;
}

static void drop_value(struct json_cut *cut)
{
	cut->dropping = true;
	cut->drop_depth = cut->depth;
}

void cut_key(struct json_cut *cut, const char *key, size_t size)
{
	const struct json_want *wants = cut->inside[cut->depth];

	CHECK(!cut->dropping);
	cut->state = CUT_COLON;
	cut->expected = NULL;
	if (cut->shape == JSON_CUT_LIST && cut->depth == 1 && size == 5 &&
		memcmp(key, "items", 5) == 0) {
		cut->state = CUT_ITEMS_COLON;
		return;
	}
	if (wants != NULL) {
		const struct json_want *want = find_want(wants, key, size);

		if (want == NULL) {
			drop_value(cut);
			return;
		}
		cut->expected = want->inside;
	}
	uint32_t level = cut->depth - cut->piece_depth;
	/* There was no room for an earlier member. */
	if (cut->full && (level > CUT_LEVELS || wants == NULL || !is_brief(cut, key, size))) {
		drop_value(cut);
		return;
	}
	if (cut->full)
		cut->limit = brief_limit(cut) - CUT_CLOSE_ROOM;
	if (level <= CUT_LEVELS)
		cut->member_at[level - 1] = cut->used;
	cut_put_comma(cut);
	cut_put(cut, '"');
	cut_put_bytes(cut, key, size);
	cut_put(cut, '"');
	cut_put(cut, ':');
}

/* Room for a comma and the quote stays in front, so that cut_key() may move the key down. */
void cut_key_begin(struct json_cut *cut)
{
	CHECK(!cut->dropping);
	cut->key_at = cut->used + 2;
	cut->key_size = 0;
	cut->key_long = false;
}

void cut_key_end(struct json_cut *cut)
{
	CHECK(cut->key_size <= JSON_KEY_MAX);
	if (!cut->key_long) {
		cut_key(cut, cut->buffer + cut->key_at, cut->key_size);
		return;
	}
	cut->state = CUT_COLON;
	drop_value(cut);
}
