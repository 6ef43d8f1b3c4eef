/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of patterns. A pattern that was known when the expression was compiled is in
 * run->regex.
 */
#include "cel/function.h"
#include "cel/regex.h"

/* NULL: *error is a value. */
static const struct cel_regex *match_pattern(
	struct cel_run *run, const struct cel_value *pattern, bool finds, struct cel_value *error)
{
	const struct cel_regex *regex = run->regex;
	struct cel_regex_error why = {0};

	*error = cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (pattern->kind != CEL_STRING)
		return NULL;
	if (regex != NULL)
		return regex;
	if (!cel_work(run, pattern->size))
		regex = NULL;
	else
		regex = cel_regex_compile(cel_text(pattern), run->scratch, &why);
	if (regex != NULL)
		return regex;
	if (run->scratch->overflowed)
		run->stopped = CEL_FAULT_MEMORY;
	*error = run->stopped != 0 || why.why == NULL
		? cel_stopped(run)
		: cel_fault_text(run, "%s" CEL_REGEX_ERROR, finds ? "Illegal regex: " : "",
			  CEL_REGEX_ERROR_ARGS(why));
	return NULL;
}

struct cel_value cel_matches(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value error;
	const struct cel_regex *regex = match_pattern(run, &args[1], false, &error);

	(void)count;
	if (regex == NULL || args[0].kind != CEL_STRING)
		return error;
	return cel_bool(cel_regex_search(run, regex, cel_text(&args[0]), 0, NULL));
}

struct cel_value cel_regex_find(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value error;
	const struct cel_regex *regex = match_pattern(run, &args[1], true, &error);
	size_t match[2];

	(void)count;
	if (regex == NULL || args[0].kind != CEL_STRING)
		return error;
	if (!cel_regex_search(run, regex, cel_text(&args[0]), 0, match))
		return cel_string(TEXT(""));
	return cel_string((struct text){args[0].text + match[0], match[1] - match[0]});
}

/* The next match that upstream counts: an empty one right behind another does not. */
static bool match_next(struct cel_run *run, const struct cel_regex *regex, struct text text,
	size_t *at, size_t *last, size_t match[2])
{
	while (*at <= text.size && cel_regex_search(run, regex, text, *at, match)) {
		struct text rest = text_from(text, match[1]);
		bool empty = match[0] == match[1];
		bool counts = !empty || match[0] != *last;

		if (empty && rest.size > 0)
			(void)cel_point(&rest);
		*at = empty ? text.size - rest.size + (rest.size == 0 && match[1] == text.size)
			    : match[1];
		*last = match[1];
		if (counts)
			return true;
	}
	return false;
}

struct cel_value cel_regex_find_all(
	struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value error;
	const struct cel_regex *regex = match_pattern(run, &args[1], true, &error);
	int64_t limit = count == 3 && args[2].integer >= 0 ? args[2].integer : INT64_MAX;
	struct text text = cel_text(&args[0]);
	struct cel_value *items = NULL;
	size_t match[2];
	uint32_t found = 0;

	if (regex == NULL || args[0].kind != CEL_STRING || (count == 3 && args[2].kind != CEL_INT))
		return error;
	for (int pass = 0; pass < 2; pass++) {
		size_t at = 0;
		size_t last = SIZE_MAX;

		for (found = 0; found < limit && match_next(run, regex, text, &at, &last, match);
			found++)
			if (items != NULL)
				items[found] = cel_string(
					(struct text){text.at + match[0], match[1] - match[0]});
		if (pass == 0)
			items = cel_take(run, found, sizeof(*items));
		if (run->stopped != 0)
			return cel_stopped(run);
	}
	return cel_list_of(items, found);
}
