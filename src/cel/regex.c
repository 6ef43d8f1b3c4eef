/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patterns to instructions. Jumps are relative, so that what is repeated is copied, and what comes
 * in front of something (a split) is put there by moving it.
 */
#include "cel/regex_code.h"
#include "cel/unicode.h"

enum {
	REGEX_CODE_MAX = 1 << 14, /* instructions */
	REGEX_REPEAT_MAX = 1000,
	REGEX_DEPTH_MAX = 100,
	REGEX_RANGES_MAX = 128,
	REGEX_POINT_MAX = 0x10ffff
};

struct regex_parser {
	struct text rest;
	struct cel_regex_code *code;
	int32_t count;
	int32_t max;
	const char *error;
	struct text whole;
	struct text part; /* that the error is about */
	uint32_t flags;   /* enum regex_flag */
	uint32_t depth;
};

enum regex_flag { REGEX_FOLDS = 1, REGEX_LINES = 2, REGEX_DOT_ALL = 4, REGEX_LAZY = 8 };

struct regex_set {
	struct cel_regex_range ranges[REGEX_RANGES_MAX];
	uint32_t count;
	bool full;
	bool has_class;
	bool negated; /* with classes: what is none of these */
};

static void regex_alternation(struct regex_parser *p);

static void regex_fail_part(struct regex_parser *p, const char *error, struct text part)
{
	if (p->error != NULL)
		return;
	p->error = error;
	p->part = part;
}

/* About all of the pattern, or about what stands between `from` and where reading is. */
static void regex_fail(struct regex_parser *p, const char *error)
{
	regex_fail_part(p, error, p->whole);
}

static void regex_fail_since(struct regex_parser *p, const char *error, const char *from)
{
	regex_fail_part(p, error, (struct text){from, (size_t)(p->rest.at - from)});
}

static char regex_peek(const struct regex_parser *p, size_t at)
{
	return at < p->rest.size ? p->rest.at[at] : '\0';
}

static void regex_skip(struct regex_parser *p, size_t count)
{
	p->rest = text_from(p->rest, count);
}

static bool regex_take(struct regex_parser *p, const char *sign)
{
	size_t size = strlen(sign);

	if (p->rest.size < size || memcmp(p->rest.at, sign, size) != 0)
		return false;
	regex_skip(p, size);
	return true;
}

/* ---- instructions ---- */

static bool regex_room(struct regex_parser *p, int32_t count)
{
	if (p->error == NULL && p->count + count > p->max)
		regex_fail(p, "expression too large");
	return p->error == NULL;
}

static void regex_emit(struct regex_parser *p, enum cel_regex_op op, int32_t x, int32_t y)
{
	if (regex_room(p, 1))
		p->code[p->count++] = (struct cel_regex_code){op, x, y};
}

static void regex_insert(
	struct regex_parser *p, int32_t at, enum cel_regex_op op, int32_t x, int32_t y)
{
	if (!regex_room(p, 1))
		return;
	memmove(&p->code[at + 1], &p->code[at], (size_t)(p->count - at) * sizeof(p->code[0]));
	p->code[at] = (struct cel_regex_code){op, x, y};
	p->count++;
}

static void regex_split(int32_t on, int32_t off, bool lazy, int32_t *x, int32_t *y)
{
	*x = lazy ? off : on;
	*y = lazy ? on : off;
}

/* ---- classes ---- */

static void regex_add_range(struct regex_set *set, uint32_t from, uint32_t to)
{
	if (set->count == REGEX_RANGES_MAX)
		set->full = true;
	else
		set->ranges[set->count++] = (struct cel_regex_range){from, to};
}

/* With the other case of ASCII letters, and the two signs that fold to them. */
static void regex_add_folded(
	struct regex_parser *p, struct regex_set *set, uint32_t from, uint32_t to)
{
	regex_add_range(set, from, to);
	if ((p->flags & REGEX_FOLDS) == 0)
		return;
	for (uint32_t c = 'a'; c <= 'z'; c++) {
		uint32_t upper = c ^ 0x20;
		bool has = (c >= from && c <= to) || (upper >= from && upper <= to);

		if (has && !(c >= from && c <= to))
			regex_add_range(set, c, c);
		if (has && !(upper >= from && upper <= to))
			regex_add_range(set, upper, upper);
		if (has && c == 'k')
			regex_add_range(set, 0x212a, 0x212a);
		if (has && c == 's')
			regex_add_range(set, 0x17f, 0x17f);
	}
	/* All that is beyond folds to itself, and so does what no sign there has a case of. */
	bool is_all = from <= 0x80 && to == REGEX_POINT_MAX;
	bool has_no_case = from >= 0x2e80 && to <= 0xa63f;
	if (to > 0x7f && !is_all && !has_no_case)
		regex_fail(p, "(?i) folds ASCII letters only, and this one is none");
}

static void regex_sort(struct regex_set *set)
{
	uint32_t kept = 0;

	for (uint32_t i = 1; i < set->count; i++) {
		struct cel_regex_range range = set->ranges[i];
		uint32_t at = i;

		for (; at > 0 && set->ranges[at - 1].from > range.from; at--)
			set->ranges[at] = set->ranges[at - 1];
		set->ranges[at] = range;
	}
	for (uint32_t i = 0; i < set->count; i++) {
		if (kept > 0 && set->ranges[i].from < CEL_REGEX_CLASS &&
			set->ranges[i].from <= set->ranges[kept - 1].to + 1) {
			if (set->ranges[i].to > set->ranges[kept - 1].to)
				set->ranges[kept - 1].to = set->ranges[i].to;
		} else {
			set->ranges[kept++] = set->ranges[i];
		}
	}
	set->count = kept;
}

static void regex_negate(struct regex_set *set)
{
	struct regex_set other = {.count = 0};
	uint32_t from = 0;

	if (set->has_class) {
		set->negated = true;
		return;
	}
	regex_sort(set);
	for (uint32_t i = 0; i < set->count; i++) {
		if (set->ranges[i].from > from)
			regex_add_range(&other, from, set->ranges[i].from - 1);
		from = set->ranges[i].to + 1;
	}
	if (from <= REGEX_POINT_MAX)
		regex_add_range(&other, from, REGEX_POINT_MAX);
	other.full = other.full || set->full;
	*set = other;
}

static void regex_emit_set(struct regex_parser *p, struct regex_set *set)
{
	regex_sort(set);
	if (set->full)
		regex_fail(p, "expression too large");
	if (set->count == 1 && !set->has_class) {
		regex_emit(p, CEL_REGEX_RANGE, (int32_t)set->ranges[0].from,
			(int32_t)set->ranges[0].to);
		return;
	}
	regex_emit(p, CEL_REGEX_SET, (int32_t)set->count, set->negated);
	for (uint32_t i = 0; i < set->count; i++)
		regex_emit(p, CEL_REGEX_DATA, (int32_t)set->ranges[i].from,
			(int32_t)set->ranges[i].to);
}

static void regex_add_named(
	struct regex_parser *p, struct regex_set *set, const char *pairs, bool negated)
{
	struct regex_set named = {.count = 0};

	/* A zero byte would end the pairs: 1 stands for it. */
	for (; *pairs != '\0'; pairs += 2)
		regex_add_folded(p, &named, (uint8_t)(*pairs == 1 ? 0 : *pairs), (uint8_t)pairs[1]);
	regex_sort(&named);
	if (negated)
		regex_negate(&named);
	for (uint32_t i = 0; i < named.count; i++)
		regex_add_range(set, named.ranges[i].from, named.ranges[i].to);
}

/* \d, \w, \s and their opposites behind a backslash; false: none. */
static bool regex_perl_class(struct regex_parser *p, struct regex_set *set)
{
	char c = regex_peek(p, 1);

	switch (c | 0x20) {
	case 'd': regex_add_named(p, set, "09", c == 'D'); break;
	case 'w': regex_add_named(p, set, "09AZ__az", c == 'W'); break;
	case 's': regex_add_named(p, set, "\t\n\f\r  ", c == 'S'); break;
	default: return false;
	}
	regex_skip(p, 2);
	return true;
}

/* \pL, \p{Greek}, \P{Lu}, \p{^Lu}; false: none. */
static bool regex_unicode_class(struct regex_parser *p, struct regex_set *set)
{
	bool negated = regex_peek(p, 1) == 'P';
	size_t braces = regex_peek(p, 2) == '{';
	size_t end = braces != 0 ? text_find(p->rest, '}') : 3;
	struct text name;
	uint32_t class;

	if ((regex_peek(p, 1) | 0x20) != 'p')
		return false;
	name = end < 3 + braces || end > p->rest.size - braces
		? TEXT("")
		: (struct text){p->rest.at + 2 + braces, end - 2 - braces};
	if (name.size > 0 && name.at[0] == '^') {
		negated = !negated;
		name = text_from(name, 1);
	}
	class = cel_unicode_class(name, (p->flags & REGEX_FOLDS) != 0);
	if (class == 0) {
		regex_fail_part(p, "invalid character class range",
			text_first(p->rest, name.size > 0 ? end + braces : p->rest.size));
		return true;
	}
	set->has_class = true;
	class |= CEL_REGEX_CLASS | (negated ? CEL_REGEX_OTHERS : 0);
	regex_add_range(set, class, class);
	regex_skip(p, end + braces);
	return true;
}

/* [:alpha:] and the like inside of brackets. */
static bool regex_posix_class(struct regex_parser *p, struct regex_set *set)
{
	static const struct {
		const char *name;
		const char *pairs;
	} classes[] = {{"alnum", "09AZaz"}, {"alpha", "AZaz"}, {"ascii", "\x01\x7f"},
		{"blank", "\t\t  "}, {"cntrl", "\x01\x1f\x7f\x7f"}, {"digit", "09"},
		{"graph", "!~"}, {"lower", "az"}, {"print", " ~"}, {"punct", "!/:@[`{~"},
		{"space", "\t\r  "}, {"upper", "AZ"}, {"word", "09AZazaz__"}, {"xdigit", "09AFaf"}};
	size_t end = 2;
	bool negated = regex_peek(p, 2) == '^';
	struct text name;

	if (regex_peek(p, 0) != '[' || regex_peek(p, 1) != ':')
		return false;
	while (end < p->rest.size && !(p->rest.at[end] == ':' && regex_peek(p, end + 1) == ']'))
		end++;
	if (end >= p->rest.size)
		return false;
	name = (struct text){p->rest.at + 2 + negated, end - 2 - negated};
	for (size_t i = 0; i < ARRAY_COUNT(classes); i++)
		if (text_is_z(name, classes[i].name)) {
			regex_add_named(p, set, classes[i].pairs, negated);
			regex_skip(p, end + 2);
			return true;
		}
	regex_fail_part(p, "invalid character class range", text_first(p->rest, end + 2));
	return true;
}

static uint32_t regex_hex(struct regex_parser *p, const char *begin)
{
	bool braces = regex_take(p, "{");
	uint32_t digits = 0;
	uint32_t value = 0;

	while (digits < (braces ? 8U : 2U)) {
		char c = regex_peek(p, 0);
		uint32_t digit = c >= '0' && c <= '9'            ? (uint32_t)(c - '0')
			: (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (uint32_t)((c | 0x20) - 'a') + 10
								 : 16;

		if (digit == 16)
			break;
		value = value << 4 | digit;
		digits++;
		regex_skip(p, 1);
	}
	if (digits == 0 || (!braces && digits != 2) || (braces && !regex_take(p, "}")) ||
		value > REGEX_POINT_MAX)
		regex_fail_since(p, "invalid escape sequence", begin);
	return value;
}

/* One character, which may be escaped. */
static uint32_t regex_character(struct regex_parser *p)
{
	static const char plain[] = "afnrtv";
	static const char means[] = "\a\f\n\r\t\v";
	const char *begin = p->rest.at;
	const char *found;
	uint32_t value = 0;
	char c;

	if (regex_peek(p, 0) != '\\')
		return cel_point(&p->rest);
	if (p->rest.size == 1) {
		regex_fail_part(p, "trailing backslash at end of expression", TEXT(""));
		return 0;
	}
	c = p->rest.at[1];
	regex_skip(p, 2);
	found = c == '\0' ? NULL : strchr(plain, c);
	if (found != NULL)
		return (uint8_t)means[found - plain];
	if (c == 'x')
		return regex_hex(p, begin);
	if (c == '0' ||
		(c >= '1' && c <= '7' && regex_peek(p, 0) >= '0' && regex_peek(p, 0) <= '7')) {
		value = (uint32_t)(c - '0');
		for (int i = 0; i < 2 && regex_peek(p, 0) >= '0' && regex_peek(p, 0) <= '7'; i++) {
			value = value * 8 + (uint32_t)(regex_peek(p, 0) - '0');
			regex_skip(p, 1);
		}
		return value;
	}
	if ((uint8_t)c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		(c >= 'A' && c <= 'Z'))
		regex_fail_since(p, "invalid escape sequence", begin);
	return (uint8_t)c;
}

static void regex_brackets(struct regex_parser *p)
{
	struct regex_set set = {.count = 0};
	struct text whole = p->rest;
	bool first = true;
	bool negated;

	regex_skip(p, 1);
	negated = regex_take(p, "^");
	for (; p->error == NULL && (first || regex_peek(p, 0) != ']'); first = false) {
		const char *begin = p->rest.at;
		uint32_t from;
		uint32_t to;

		if (p->rest.size == 0) {
			regex_fail_part(p, "missing closing ]", whole);
			return;
		}
		if (regex_posix_class(p, &set) ||
			(regex_peek(p, 0) == '\\' &&
				(regex_perl_class(p, &set) || regex_unicode_class(p, &set))))
			continue;
		from = to = regex_character(p);
		if (regex_peek(p, 0) == '-' && p->rest.size > 1 && regex_peek(p, 1) != ']') {
			regex_skip(p, 1);
			to = regex_character(p);
		}
		if (to < from)
			regex_fail_since(p, "invalid character class range", begin);
		regex_add_folded(p, &set, from, to);
	}
	if (p->error == NULL)
		regex_skip(p, 1);
	if (negated)
		regex_negate(&set);
	regex_emit_set(p, &set);
}

/* ---- atoms ---- */

static void regex_literal(struct regex_parser *p, uint32_t point)
{
	struct regex_set set = {.count = 0};

	regex_add_folded(p, &set, point, point);
	regex_emit_set(p, &set);
}

/* (?flags) or (?flags:...) or (?P<name>...): what stands behind "(?". */
static bool regex_group_head(struct regex_parser *p)
{
	const char *begin = p->rest.at - 2;
	bool off = false;

	if (regex_take(p, "P<") || regex_take(p, "<")) {
		size_t end = text_find(p->rest, '>');

		if (end == p->rest.size || end == 0) {
			regex_fail_part(p, "invalid named capture",
				(struct text){begin,
					(size_t)(p->rest.at - begin) + end +
						(end == 0 && p->rest.size > 0)});
			return true;
		}
		regex_skip(p, end + 1);
		return true;
	}
	for (; p->rest.size > 0 && p->error == NULL; regex_skip(p, 1)) {
		static const char letters[] = "imsU";
		char c = regex_peek(p, 0);
		const char *found = c == '\0' ? NULL : strchr(letters, c);
		uint32_t flag = found == NULL ? 0 : 1U << (found - letters);

		if (c == '-' && !off) {
			off = true;
		} else if (found != NULL) {
			p->flags = off ? p->flags & ~flag : p->flags | flag;
		} else if (c == ':' || c == ')') {
			regex_skip(p, 1);
			return c == ':';
		} else {
			(void)cel_point(&p->rest);
			break;
		}
	}
	regex_fail_since(p, "invalid or unsupported Perl syntax", begin);
	return true;
}

static void regex_group(struct regex_parser *p, uint32_t *flags_behind)
{
	uint32_t flags = p->flags;

	regex_skip(p, 1);
	if (regex_take(p, "?") && !regex_group_head(p)) {
		*flags_behind = p->flags;
		return;
	}
	if (++p->depth > REGEX_DEPTH_MAX)
		regex_fail(p, "expression nests too deeply");
	if (p->error == NULL)
		regex_alternation(p);
	p->depth--;
	if (p->error == NULL && !regex_take(p, ")"))
		regex_fail(p, "missing closing )");
	p->flags = *flags_behind = flags;
}

/* \b, \A, \Q...\E, classes; false: an ordinary escape. */
static bool regex_escape(struct regex_parser *p)
{
	struct regex_set set = {.count = 0};

	if (regex_take(p, "\\A"))
		regex_emit(p, CEL_REGEX_BEGIN, 0, 0);
	else if (regex_take(p, "\\z"))
		regex_emit(p, CEL_REGEX_END, 0, 0);
	else if (regex_take(p, "\\b"))
		regex_emit(p, CEL_REGEX_WORD, 1, 0);
	else if (regex_take(p, "\\B"))
		regex_emit(p, CEL_REGEX_WORD, 0, 0);
	else if (regex_take(p, "\\Q"))
		while (p->rest.size > 0 && p->error == NULL && !regex_take(p, "\\E"))
			regex_literal(p, cel_point(&p->rest));
	else if (regex_perl_class(p, &set) || regex_unicode_class(p, &set))
		regex_emit_set(p, &set);
	else
		return false;
	return true;
}

static void regex_dot(struct regex_parser *p)
{
	struct regex_set set = {.count = 0};

	regex_skip(p, 1);
	if ((p->flags & REGEX_DOT_ALL) != 0) {
		regex_add_range(&set, 0, REGEX_POINT_MAX);
	} else {
		regex_add_range(&set, 0, '\n' - 1);
		regex_add_range(&set, '\n' + 1, REGEX_POINT_MAX);
	}
	regex_emit_set(p, &set);
}

/* False: what is here cannot be repeated, as there is nothing (a change of flags). */
static bool regex_atom(struct regex_parser *p)
{
	uint32_t flags = p->flags;
	bool lines = (p->flags & REGEX_LINES) != 0;
	int32_t before = p->count;

	switch (regex_peek(p, 0)) {
	case '(':
		regex_group(p, &flags);
		p->flags = flags;
		return p->count > before || p->rest.at[-1] == ')';
	case '[': regex_brackets(p); return true;
	case '.': regex_dot(p); return true;
	case '^':
		regex_skip(p, 1);
		regex_emit(p, lines ? CEL_REGEX_LINE_BEGIN : CEL_REGEX_BEGIN, 0, 0);
		return true;
	case '$':
		regex_skip(p, 1);
		regex_emit(p, lines ? CEL_REGEX_LINE_END : CEL_REGEX_END, 0, 0);
		return true;
	case '*':
	case '+':
	case '?': return false; /* said by what reads the repetition */
	case '\\':
		if (regex_escape(p))
			return true;
		break;
	default: break;
	}
	regex_literal(p, regex_character(p));
	return true;
}

/* ---- repetition ---- */

static bool regex_number(struct regex_parser *p, size_t *at, int32_t *value)
{
	size_t begin = *at;

	*value = 0;
	for (; regex_peek(p, *at) >= '0' && regex_peek(p, *at) <= '9'; (*at)++)
		if (*value <= REGEX_REPEAT_MAX)
			*value = *value * 10 + (regex_peek(p, *at) - '0');
	return *at > begin;
}

/* {n}, {n,}, {n,m}; what is none of these stands for itself. */
static bool regex_counts(struct regex_parser *p, int32_t *least, int32_t *most)
{
	size_t at = 1;

	if (regex_peek(p, 0) != '{' || !regex_number(p, &at, least))
		return false;
	*most = *least;
	if (regex_peek(p, at) == ',') {
		at++;
		if (!regex_number(p, &at, most))
			*most = -1;
	}
	if (regex_peek(p, at) != '}')
		return false;
	if (*least > REGEX_REPEAT_MAX || *most > REGEX_REPEAT_MAX || (*most >= 0 && *most < *least))
		regex_fail_part(p, "invalid repeat count", text_first(p->rest, at + 1));
	regex_skip(p, at + 1);
	return true;
}

static void regex_copy(struct regex_parser *p, int32_t from, int32_t size)
{
	if (!regex_room(p, size))
		return;
	memcpy(&p->code[p->count], &p->code[from], (size_t)size * sizeof(p->code[0]));
	p->count += size;
}

/*
 * The block from `at` on, any number of times: once or more, or not at all, so that a block that
 * can be empty is preferred as Go prefers it.
 */
static void regex_star(struct regex_parser *p, int32_t at, bool lazy)
{
	int32_t size = p->count - at;
	int32_t x;
	int32_t y;

	regex_split(1, size + 2, lazy, &x, &y);
	regex_insert(p, at, CEL_REGEX_SPLIT, x, y);
	regex_split(-size, 1, lazy, &x, &y);
	regex_emit(p, CEL_REGEX_SPLIT, x, y);
}

static void regex_repeat(struct regex_parser *p, int32_t at, int32_t least, int32_t most, bool lazy)
{
	int32_t size = p->count - at;
	int32_t x;
	int32_t y;
	int32_t optional = most - least;

	if (most == 0) {
		p->count = at;
		return;
	}
	if (least == 0 && most < 0) {
		regex_star(p, at, lazy);
		return;
	}
	for (int32_t i = 1; i < least; i++)
		regex_copy(p, at, size);
	if (most < 0) {
		regex_split(-size, 1, lazy, &x, &y);
		regex_emit(p, CEL_REGEX_SPLIT, x, y);
		return;
	}
	for (int32_t i = 0; i < optional && p->error == NULL; i++) {
		int32_t left = (optional - i) * (size + 1);

		regex_split(1, left, lazy, &x, &y);
		if (least == 0 && i == 0) {
			regex_insert(p, at, CEL_REGEX_SPLIT, x, y);
		} else {
			regex_emit(p, CEL_REGEX_SPLIT, x, y);
			regex_copy(p, least == 0 ? at + 1 : at, size);
		}
	}
}

static void regex_concatenation(struct regex_parser *p)
{
	while (p->error == NULL && p->rest.size > 0 && regex_peek(p, 0) != '|' &&
		regex_peek(p, 0) != ')') {
		int32_t at = p->count;
		bool repeats = regex_atom(p);
		const char *last = NULL; /* the repetition before */

		while (p->error == NULL && p->rest.size > 0) {
			int32_t least = 0;
			int32_t most = -1;
			const char *begin = p->rest.at;
			char c = regex_peek(p, 0);
			bool lazy;

			if (c == '*' || c == '+' || c == '?') {
				regex_skip(p, 1);
				least = c == '+';
				most = c == '?' ? 1 : -1;
			} else if (!regex_counts(p, &least, &most)) {
				break;
			}
			lazy = regex_take(p, "?") != ((p->flags & REGEX_LAZY) != 0);
			if (last != NULL)
				regex_fail_since(p, "invalid nested repetition operator", last);
			if (!repeats)
				regex_fail_since(
					p, "missing argument to repetition operator", begin);
			if (p->error == NULL)
				regex_repeat(p, at, least, most, lazy);
			last = begin;
		}
	}
}

/* Each alternative but the last ends with a jump; they are linked until the end is known. */
static void regex_alternation(struct regex_parser *p)
{
	int32_t at = p->count;
	int32_t last = -1;

	regex_concatenation(p);
	while (p->error == NULL && regex_take(p, "|")) {
		int32_t size = p->count - at;

		regex_insert(p, at, CEL_REGEX_SPLIT, 1, size + 2);
		regex_emit(p, CEL_REGEX_JUMP, last, 0);
		last = p->count - 1;
		at = p->count;
		regex_concatenation(p);
	}
	while (p->error == NULL && last >= 0) {
		int32_t before = p->code[last].x;

		p->code[last].x = p->count - last;
		last = before;
	}
}

struct cel_regex *cel_regex_compile(
	struct text pattern, struct scratch *keep, struct cel_regex_error *error)
{
	struct cel_regex *regex = SCRATCH_ONE(keep, struct cel_regex);
	struct regex_parser p = {.rest = pattern, .whole = pattern};
	size_t size;

	*error = (struct cel_regex_error){0};
	p.code = regex == NULL ? NULL : scratch_take_rest(keep, &size);
	if (p.code == NULL)
		return NULL;
	size /= sizeof(p.code[0]);
	p.max = size < REGEX_CODE_MAX ? (int32_t)size : REGEX_CODE_MAX;
	if (p.rest.at == NULL)
		p.rest = TEXT("");
	regex_alternation(&p);
	if (p.error == NULL && p.rest.size > 0)
		regex_fail(&p, "unexpected )");
	regex_emit(&p, CEL_REGEX_MATCH, 0, 0);
	scratch_keep(keep, p.code, (size_t)p.count * sizeof(p.code[0]));
	if (p.error != NULL) {
		if (p.max < REGEX_CODE_MAX && p.count == p.max)
			keep->overflowed = true;
		*error = (struct cel_regex_error){p.error, p.part};
		return NULL;
	}
	regex->code = p.code;
	regex->count = p.count;
	regex->anchored = p.code[0].op == CEL_REGEX_BEGIN;
	return regex;
}
