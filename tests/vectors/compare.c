/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must be equal: every key of `expect`. The order of reasons does not matter, a plugin that
 * gave 0 is as good as absent, and any of several picks will do.
 */
#include "vectors/compare.h"

#include <stdio.h>

static bool differ(const char *name, const char *path, struct text want, struct text got)
{
	printf("%s: %s\n    want %.*s\n    got  %.*s\n", name, path, TEXT_ARGS(want),
		TEXT_ARGS(got));
	return false;
}

static bool contains(struct json_value list, struct text item)
{
	struct json_walk walk = json_walk(list);
	while (json_walk_next(&walk))
		if (text_is(json_text(walk.value), item))
			return true;
	return false;
}

static bool same_set(struct json_value a, struct json_value b)
{
	if (json_count(a) != json_count(b))
		return false;
	struct json_walk walk = json_walk(a);
	while (json_walk_next(&walk))
		if (!contains(b, json_text(walk.value)))
			return false;
	return true;
}

static bool same_list(
	const char *name, const char *key, struct json_value expect, struct json_value answer)
{
	struct json_value want = json_get(expect, key);
	struct json_value got = json_get(answer, key);
	if (same_set(want, got) && (json_count(want) > 0 || json_count(got) == 0))
		return true;
	return differ(name, key, json_raw(want), json_raw(got));
}

static bool same_text(
	const char *name, const char *key, struct json_value want, struct json_value got)
{
	struct text a = json_text(json_get(want, key));
	struct text b = json_text(json_get(got, key));
	return text_is(a, b) || differ(name, key, a, b);
}

bool compare_message(struct text want, bool is_preempting, struct text got)
{
	static const char found[] = " preemption: found a potential placement for pod on node ";
	if (!is_preempting || !text_starts(got, want))
		return text_is(want, got);
	/* The vectors leave out which of several picks it is. */
	struct text rest = text_from(got, want.size);
	return rest.size == 0 || text_starts(rest, text_of(found));
}

static bool same_message(const char *name, struct json_value expect, struct json_value answer)
{
	struct text want = json_text(json_get(expect, "message"));
	struct text got = json_text(json_get(answer, "message"));
	bool is_preempting = json_count(json_path(expect, "preemption.picks")) > 0;
	return compare_message(want, is_preempting, got) || differ(name, "message", want, got);
}

static bool same_status(
	const char *name, const char *path, struct json_value want, struct json_value got)
{
	return (text_is(json_text(json_get(want, "plugin")), json_text(json_get(got, "plugin"))) &&
		       text_is(json_text(json_get(want, "code")),
			       json_text(json_get(got, "code"))) &&
		       same_set(json_get(want, "reasons"), json_get(got, "reasons"))) ||
		differ(name, path, json_raw(want), json_raw(got));
}

static struct json_value member(struct json_value object, struct text key)
{
	struct json_walk walk = json_walk(object);
	while (json_walk_next(&walk))
		if (text_is(walk.key, key))
			return walk.value;
	return JSON_VALUE_NONE;
}

static bool same_rejected(const char *name, struct json_value expect, struct json_value answer)
{
	struct json_value want = json_get(expect, "rejected");
	struct json_value got = json_get(answer, "rejected");
	bool same = json_count(want) == json_count(got) ||
		differ(name, "rejected", json_raw(want), json_raw(got));
	struct json_walk walk = json_walk(want);
	while (json_walk_next(&walk)) {
		char path[128];
		snprintf(path, sizeof(path), "rejected %.*s", TEXT_ARGS(walk.key));
		same = same_status(name, path, walk.value, member(got, walk.key)) && same;
	}
	return same;
}

static int64_t number(struct json_value v)
{
	int64_t value = 0;
	return json_i64(v, &value) ? value : 0;
}

/* Every plugin of one side is on the other, or 0. */
static bool scores_agree(struct json_value want, struct json_value got)
{
	struct json_walk walk = json_walk(want);
	while (json_walk_next(&walk))
		if (number(walk.value) != number(member(got, walk.key)))
			return false;
	return true;
}

static bool same_scores(const char *name, struct json_value expect, struct json_value answer)
{
	struct json_value want = json_get(expect, "scores");
	struct json_value got = json_get(answer, "scores");
	bool same = true;
	struct json_walk walk = json_walk(want);
	while (json_walk_next(&walk)) {
		struct json_value a = walk.value;
		struct json_value b = member(got, walk.key);
		char path[128];
		snprintf(path, sizeof(path), "scores %.*s", TEXT_ARGS(walk.key));
		bool agree = number(json_get(a, "total")) == number(json_get(b, "total")) &&
			scores_agree(json_get(a, "plugins"), json_get(b, "plugins")) &&
			scores_agree(json_get(b, "plugins"), json_get(a, "plugins"));
		same = (agree || differ(name, path, json_raw(a), json_raw(b))) && same;
	}
	return same;
}

static bool same_pick(struct json_value a, struct json_value b)
{
	return text_is(json_text(json_get(a, "node")), json_text(json_get(b, "node"))) &&
		same_set(json_get(a, "victims"), json_get(b, "victims")) &&
		number(json_get(a, "pdbViolations")) == number(json_get(b, "pdbViolations"));
}

static bool same_preemption(const char *name, struct json_value expect, struct json_value answer)
{
	struct json_value want = json_get(expect, "preemption");
	struct json_value got = json_get(answer, "preemption");
	if (json_type(want) == JSON_NONE)
		return json_type(got) == JSON_NONE ||
			differ(name, "preemption", TEXT("(none)"), json_raw(got));
	if (json_bool(json_get(want, "eligible"), false) !=
		json_bool(json_get(got, "eligible"), false))
		return differ(name, "preemption", json_raw(want), json_raw(got));
	struct json_value picks = json_get(want, "picks");
	if (json_count(picks) == 0)
		return same_text(name, "message", want, got);
	struct json_walk mine = json_walk(json_get(got, "picks"));
	if (!json_walk_next(&mine))
		return differ(name, "preemption", json_raw(want), json_raw(got));
	struct json_walk walk = json_walk(picks);
	while (json_walk_next(&walk))
		if (same_pick(walk.value, mine.value))
			return true;
	return differ(name, "preemption", json_raw(want), json_raw(got));
}

static bool same_prefilter(const char *name, struct json_value expect, struct json_value answer)
{
	struct json_value want = json_get(expect, "preFilter");
	struct json_value got = json_get(answer, "preFilter");
	if (json_type(want) == JSON_NONE)
		return json_type(got) == JSON_NONE ||
			differ(name, "preFilter", TEXT("(none)"), json_raw(got));
	return same_status(name, "preFilter", want, got);
}

bool compare_answers(const char *name, struct json_value expect, struct json_value answer)
{
	bool same = same_prefilter(name, expect, answer);
	same = same_list(name, "preFilterNodes", expect, answer) && same;
	same = same_rejected(name, expect, answer) && same;
	same = same_list(name, "feasible", expect, answer) && same;
	same = same_scores(name, expect, answer) && same;
	same = same_list(name, "best", expect, answer) && same;
	same = same_preemption(name, expect, answer) && same;
	same = same_message(name, expect, answer) && same;
	return same_text(name, "error", expect, answer) && same;
}
