/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a pattern: all ways at once, one code point after the other, each instruction at most once a
 * step. Ways are in the order in which upstream prefers them.
 */
#include "cel/regex_code.h"
#include "cel/unicode.h"

struct regex_ways {
	int32_t *pc;     /* in order */
	size_t *begin;   /* of each way's match */
	uint32_t *place; /* of each instruction in pc, when it is there */
	uint32_t count;
};

struct regex_run {
	const struct cel_regex_code *code;
	struct text text;
	int32_t *stack;
	struct regex_ways ways[2];
};

static bool regex_is_word(struct text t, size_t at)
{
	char c = at < t.size ? t.at[at] : ' ';

	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		c == '_';
}

static bool regex_holds(struct text t, size_t at, const struct cel_regex_code *code)
{
	switch ((enum cel_regex_op)code->op) {
	case CEL_REGEX_BEGIN: return at == 0;
	case CEL_REGEX_END: return at == t.size;
	case CEL_REGEX_LINE_BEGIN: return at == 0 || t.at[at - 1] == '\n';
	case CEL_REGEX_LINE_END: return at == t.size || t.at[at] == '\n';
	default:
		return (regex_is_word(t, at) != (at > 0 && regex_is_word(t, at - 1))) ==
			(code->x != 0);
	}
}

static bool regex_is_in(const struct regex_ways *ways, int32_t pc)
{
	return ways->place[pc] < ways->count && ways->pc[ways->place[pc]] == pc;
}

/* Adds an instruction and all that can be reached from it without reading. */
static void regex_follow(
	struct regex_run *r, struct regex_ways *ways, int32_t pc, size_t at, size_t begin)
{
	int32_t depth = 0;

	r->stack[depth++] = pc;
	while (depth > 0) {
		const struct cel_regex_code *code;

		pc = r->stack[--depth];
		if (regex_is_in(ways, pc))
			continue;
		ways->place[pc] = ways->count;
		ways->pc[ways->count] = pc;
		ways->begin[ways->count++] = begin;
		code = &r->code[pc];
		switch ((enum cel_regex_op)code->op) {
		case CEL_REGEX_JUMP: r->stack[depth++] = pc + code->x; break;
		case CEL_REGEX_SPLIT:
			r->stack[depth++] = pc + code->y;
			r->stack[depth++] = pc + code->x;
			break;
		case CEL_REGEX_MATCH:
		case CEL_REGEX_RANGE:
		case CEL_REGEX_SET:
		case CEL_REGEX_DATA: break;
		default:
			if (regex_holds(r->text, at, code))
				r->stack[depth++] = pc + 1;
		}
	}
}

static bool regex_has(int32_t class, int32_t point)
{
	bool others = (class & CEL_REGEX_OTHERS) != 0;

	return cel_unicode_has((uint32_t) class & (CEL_REGEX_OTHERS - 1), (uint32_t)point) !=
		others;
}

/* The next instruction when the code point goes on here; -1 when not. */
static int32_t regex_read(const struct regex_run *r, int32_t pc, int32_t point)
{
	const struct cel_regex_code *code = &r->code[pc];
	bool in = false;

	if (code->op == CEL_REGEX_RANGE)
		return point >= code->x && point <= code->y ? pc + 1 : -1;
	if (code->op != CEL_REGEX_SET)
		return -1;
	for (int32_t i = 1; i <= code->x && !in; i++)
		in = code[i].x < 0 ? regex_has(code[i].x, point)
				   : point >= code[i].x && point <= code[i].y;
	return in != (code->y != 0) ? pc + code->x + 1 : -1;
}

static bool regex_init(struct regex_run *r, struct cel_run *run, const struct cel_regex *regex)
{
	uint64_t count = (uint64_t)regex->count;

	r->code = regex->code;
	/* A split leaves two, and each is taken once. */
	r->stack = cel_take(run, count * 2 + 2, sizeof(*r->stack));
	for (uint32_t i = 0; i < 2; i++) {
		r->ways[i].pc = cel_take(run, count, sizeof(*r->ways[i].pc));
		r->ways[i].begin = cel_take(run, count, sizeof(*r->ways[i].begin));
		r->ways[i].place = cel_take(run, count, sizeof(*r->ways[i].place));
	}
	return run->stopped == 0;
}

/* One step: what goes on with the code point. True: a way has matched; lesser ways are dropped. */
static bool regex_step(
	struct regex_run *r, uint32_t now, size_t at, int32_t point, size_t next, size_t match[2])
{
	struct regex_ways *ways = &r->ways[now];
	struct regex_ways *after = &r->ways[1 - now];

	after->count = 0;
	for (uint32_t i = 0; i < ways->count; i++) {
		int32_t pc = ways->pc[i];

		if (r->code[pc].op == CEL_REGEX_MATCH) {
			match[0] = ways->begin[i];
			match[1] = at;
			return true;
		}
		pc = point < 0 ? -1 : regex_read(r, pc, point);
		if (pc >= 0)
			regex_follow(r, after, pc, next, ways->begin[i]);
	}
	return false;
}

static bool regex_search(struct regex_run *r, struct cel_run *run, const struct cel_regex *regex,
	size_t from, size_t *match)
{
	size_t found[2] = {0, 0};
	bool matched = false;
	uint32_t now = 0;

	for (size_t at = from;; now = 1 - now) {
		struct text rest = text_from(r->text, at);
		int32_t point = rest.size == 0 ? -1 : (int32_t)cel_point(&rest);
		size_t next = r->text.size - rest.size;

		if (!matched && (!regex->anchored || at == 0))
			regex_follow(r, &r->ways[now], 0, at, at);
		if (r->ways[now].count == 0 && (matched || regex->anchored))
			break;
		if (!cel_work(run, r->ways[now].count / 8 + 1))
			return false;
		matched = regex_step(r, now, at, point, next, found) || matched;
		if ((matched && match == NULL) || point < 0)
			break;
		at = next;
	}
	if (matched && match != NULL)
		memcpy(match, found, sizeof(found));
	return matched;
}

bool cel_regex_search(struct cel_run *run, const struct cel_regex *regex, struct text text,
	size_t from, size_t match[2])
{
	struct scratch_mark mark = scratch_mark(run->scratch);
	struct regex_run r = {.text = text.at == NULL ? TEXT("") : text};
	bool matched = regex_init(&r, run, regex) && regex_search(&r, run, regex, from, match);

	scratch_rewind(run->scratch, mark);
	return matched && run->stopped == 0;
}
