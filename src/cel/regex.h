/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular expressions of RE2's syntax, in time linear in the text (times the pattern). For cel/
 * only.
 *
 * Not there, and refused: classes of Unicode that cel/unicode.h does not name, and (?i) with
 * letters beyond ASCII.
 */
#ifndef BERTH_CEL_REGEX_H
#define BERTH_CEL_REGEX_H

#include "cel/value.h"

struct cel_regex;

/* In upstream's words, and the part of the pattern that they are about. */
struct cel_regex_error {
	const char *why;
	struct text part;
};

/* NULL: `error` says why, or has no words when keep has overflowed. */
struct cel_regex *cel_regex_compile(
	struct text pattern, struct scratch *keep, struct cel_regex_error *error);
/* For printf: the whole of upstream's error. */
#define CEL_REGEX_ERROR         "error parsing regexp: %s: `%.*s`"
#define CEL_REGEX_ERROR_ARGS(e) (e).why, TEXT_ARGS((e).part)

/*
 * The first match at or after byte `from`: begin and end in bytes. False when there is none, or
 * when the run stopped. Without `match` any match will do, which is found sooner.
 */
bool cel_regex_search(struct cel_run *run, const struct cel_regex *regex, struct text text,
	size_t from, size_t match[2]);

#endif
