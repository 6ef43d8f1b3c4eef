/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text: a slice of bytes that belong elsewhere (no terminating zero), and a writer into a bounded
 * buffer whose overflow sticks.
 */
#ifndef BERTH_BASE_TEXT_H
#define BERTH_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"

struct text {
	const char *at; /* NULL means "not there", which is not the same as empty */
	size_t size;
};

#define TEXT(literal) ((struct text){(literal), sizeof(literal) - 1})
#define TEXT_NONE     ((struct text){NULL, 0})
/* For printf: printf("%.*s", TEXT_ARGS(t)). */
#define TEXT_ARGS(t) (int)(t).size, (t).at == NULL ? "" : (t).at

static inline struct text text_of(const char *zero_terminated)
{
	return (struct text){
		zero_terminated, zero_terminated == NULL ? 0 : strlen(zero_terminated)};
}
static inline bool text_is(struct text a, struct text b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}
static inline struct text text_from(struct text t, size_t start)
{
	CHECK(start <= t.size);
	return (struct text){t.at == NULL ? NULL : t.at + start, t.size - start};
}
static inline struct text text_first(struct text t, size_t size)
{
	CHECK(size <= t.size);
	return (struct text){t.at, size};
}
bool text_is_z(struct text a, const char *zero_terminated);
bool text_is_folded(struct text a, struct text b); /* capital letters of ASCII are small ones */
int text_compare(struct text a, struct text b);    /* bytewise; a prefix comes first */
bool text_starts(struct text t, struct text prefix);
/* The same of a text in small letters: those of the prefix may be of either case. */
bool text_starts_folded(struct text t, struct text prefix);
bool text_ends(struct text t, struct text suffix);
struct text text_trim(struct text t); /* spaces, tabs, CR, LF at both ends */

/* Index of the first or last `byte`, or t.size when there is none. */
size_t text_find(struct text t, char byte);
size_t text_find_last(struct text t, char byte);
bool text_contains(struct text t, struct text part);

/*
 * Takes the part before `separator` off the front of *rest. False when *rest was exhausted
 * (its `at` is NULL then); "a,,b" gives "a", "", "b"; "" gives "" once.
 */
bool text_cut(struct text *rest, char separator, struct text *part);

/* Whole slice must be a decimal number in range, no sign but '-', no spaces. */
MUST_USE bool text_to_i64(struct text t, int64_t *value);
MUST_USE bool text_to_u64(struct text t, uint64_t *value);
/* As Go's strconv.ParseBool: 1, t, true, ... */
MUST_USE bool text_to_bool(struct text t, bool *value);

/* Copies with a terminating zero; false when it does not fit (then "" is stored). */
MUST_USE bool text_copy(struct text t, char *to, size_t size);

bool text_is_utf8(struct text t);     /* strict: no overlong forms, no surrogates */
size_t text_utf8_next(struct text t); /* bytes of the first character; 0: none or malformed */
/* The longest beginning of whole characters, none of them malformed, that `size` bytes hold. */
struct text text_utf8_first(struct text t, size_t size);

/* ---- writer ---- */

struct writer {
	char *at;
	size_t size;
	size_t used;     /* <= size; no terminating zero is kept */
	bool overflowed; /* the write that did not fit left nothing, and so do all after it */
};

void writer_init(struct writer *w, void *at, size_t size);
void write_bytes(struct writer *w, const void *bytes, size_t size);
void write_text(struct writer *w, struct text t);
void write_z(struct writer *w, const char *zero_terminated);
void write_char(struct writer *w, char c);
void write_i64(struct writer *w, int64_t value);
void write_u64(struct writer *w, uint64_t value);
/* %XX for all but letters, digits, "-_.~" and the bytes of `also`. */
void write_percent_encoded(struct writer *w, struct text t, const char *also);
/* Conversions: base/format.h. */
void write_format(struct writer *w, const char *format, ...) PRINTF_LIKE(2, 3);
void write_format_v(struct writer *w, const char *format, va_list args) PRINTF_LIKE(2, 0);
static inline struct text writer_text(const struct writer *w)
{
	return (struct text){w->at, w->used};
}

#endif
