/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random expressions against an evaluator that is slow and plainly right: it works out the value
 * while it writes the expression, with 128 bits for each number and lists copied around.
 */
// deps: base/*.c kube/quantity.c kube/quantity_big.c kube/quantity_parse.c kube/quantity_print.c
// deps: kube/time.c kube/duration.c kube/name_rule.c cel/*.c tests/cel/world.c
#include <stdio.h>
#include <stdlib.h>

#include "cel/world.h"
#include "unity.h"

enum { ROUNDS = 20 * 1000, ITEMS_MAX = 64, DEPTH = 4, NAMES_MAX = 8, TEXT_SIZE = 64 };

enum naive_kind { NAIVE_ERROR, NAIVE_INT, NAIVE_BOOL, NAIVE_TEXT, NAIVE_LIST };

struct naive {
	enum naive_kind kind;
	int64_t number; /* a bool, too; of a list how many there are */
	int64_t items[ITEMS_MAX];
	char text[TEXT_SIZE];
};

/* The expression as it is written, and names that stand for numbers. */
struct author {
	struct writer out;
	uint64_t seed;
	int64_t names[NAMES_MAX];
	bool broken[NAMES_MAX];
	int count;
};

static struct world world;

void setUp(void)
{
	world_init(&world);
}

void tearDown(void)
{
}

static uint32_t any(struct author *a, uint32_t below)
{
	a->seed = a->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(a->seed >> 33) % below;
}

static struct naive naive_error(void)
{
	return (struct naive){.kind = NAIVE_ERROR};
}

static struct naive naive_of(int64_t number, enum naive_kind kind)
{
	return (struct naive){.kind = kind, .number = number};
}

static struct naive write_expr(struct author *a, enum naive_kind kind, int depth);

static bool is_bad(const struct naive *a, const struct naive *b)
{
	return a->kind == NAIVE_ERROR || b->kind == NAIVE_ERROR;
}

/* ---- numbers ---- */

static struct naive write_number(struct author *a)
{
	static const int64_t odd[] = {0, 1, -1, 2, 3, 7, -5, INT64_MAX, INT64_MIN, INT64_MAX - 1};
	int64_t number = any(a, 3) == 0 ? odd[any(a, ARRAY_COUNT(odd))] : any(a, 10);

	write_i64(&a->out, number);
	return naive_of(number, NAIVE_INT);
}

static struct naive write_name(struct author *a)
{
	int at = a->count == 0 ? 0 : (int)any(a, (uint32_t)a->count);

	if (a->count == 0) {
		write_z(&a->out, "i");
		return naive_of(7, NAIVE_INT);
	}
	write_format(&a->out, "v%d", at);
	return a->broken[at] ? naive_error() : naive_of(a->names[at], NAIVE_INT);
}

static struct naive naive_sum(char sign, const struct naive *x, const struct naive *y)
{
	int64_t left = x->number, right = y->number, result = 0;
	bool divides = right != 0 && !(left == INT64_MIN && right == -1);
	bool fits = true;

	if (is_bad(x, y))
		return naive_error();
	switch (sign) {
	case '+': fits = !__builtin_add_overflow(left, right, &result); break;
	case '-': fits = !__builtin_sub_overflow(left, right, &result); break;
	case '*': fits = !__builtin_mul_overflow(left, right, &result); break;
	default:
		fits = divides;
		if (divides)
			result = sign == '/' ? left / right : left % right;
	}
	return fits ? naive_of(result, NAIVE_INT) : naive_error();
}

static struct naive write_sum(struct author *a, int depth)
{
	char sign = "+-*/%"[any(a, 5)];
	struct naive x;
	struct naive y;

	write_char(&a->out, '(');
	x = write_expr(a, NAIVE_INT, depth);
	write_format(&a->out, " %c ", sign);
	y = write_expr(a, NAIVE_INT, depth);
	write_char(&a->out, ')');
	return naive_sum(sign, &x, &y);
}

static struct naive write_index(struct author *a, int depth)
{
	struct naive list = write_expr(a, NAIVE_LIST, depth);
	struct naive at;

	write_char(&a->out, '[');
	at = write_expr(a, NAIVE_INT, depth);
	write_char(&a->out, ']');
	if (is_bad(&list, &at) || at.number < 0 || at.number >= list.number)
		return naive_error();
	return naive_of(list.items[at.number], NAIVE_INT);
}

static struct naive write_bind(struct author *a, enum naive_kind kind, int depth)
{
	struct naive value;
	struct naive body;

	write_format(&a->out, "cel.bind(v%d, ", a->count);
	value = write_expr(a, NAIVE_INT, depth);
	write_z(&a->out, ", ");
	a->names[a->count] = value.number;
	a->broken[a->count++] = value.kind == NAIVE_ERROR;
	body = write_expr(a, kind, depth);
	a->count--;
	write_char(&a->out, ')');
	return body;
}

static struct naive write_choice(struct author *a, enum naive_kind kind, int depth)
{
	struct naive condition;
	struct naive one;
	struct naive other;

	write_char(&a->out, '(');
	condition = write_expr(a, NAIVE_BOOL, depth);
	write_z(&a->out, " ? ");
	one = write_expr(a, kind, depth);
	write_z(&a->out, " : ");
	other = write_expr(a, kind, depth);
	write_char(&a->out, ')');
	if (condition.kind == NAIVE_ERROR)
		return naive_error();
	return condition.number ? one : other;
}

static struct naive write_int(struct author *a, int depth)
{
	struct naive x;

	switch (any(a, 8)) {
	case 0: return write_number(a);
	case 1: return write_name(a);
	case 2: return write_index(a, depth);
	case 3:
		x = write_expr(a, any(a, 2) ? NAIVE_TEXT : NAIVE_LIST, depth);
		write_z(&a->out, ".size()");
		if (x.kind == NAIVE_ERROR)
			return x;
		return naive_of(
			x.kind == NAIVE_LIST ? x.number : (int64_t)strlen(x.text), NAIVE_INT);
	case 4:
		write_z(&a->out, "-(");
		x = write_expr(a, NAIVE_INT, depth);
		write_char(&a->out, ')');
		return x.kind == NAIVE_ERROR || x.number == INT64_MIN
			? naive_error()
			: naive_of(-x.number, NAIVE_INT);
	case 5: return write_bind(a, NAIVE_INT, depth);
	case 6: return write_choice(a, NAIVE_INT, depth);
	default: return write_sum(a, depth);
	}
}

/* ---- text and lists ---- */

static struct naive write_text_expr(struct author *a, int depth)
{
	static const char *const words[] = {"", "a", "ab", "b", "aba"};
	struct naive x = {.kind = NAIVE_TEXT};
	struct naive y;

	if (depth == 0 || any(a, 3) == 0) {
		snprintf(x.text, sizeof(x.text), "%s", words[any(a, ARRAY_COUNT(words))]);
		write_format(&a->out, "'%s'", x.text);
		return x;
	}
	if (any(a, 3) == 0)
		return write_choice(a, NAIVE_TEXT, depth - 1);
	write_char(&a->out, '(');
	x = write_expr(a, NAIVE_TEXT, depth - 1);
	write_z(&a->out, " + ");
	y = write_expr(a, NAIVE_TEXT, depth - 1);
	write_char(&a->out, ')');
	if (is_bad(&x, &y))
		return naive_error();
	strncat(x.text, y.text, sizeof(x.text) - strlen(x.text) - 1);
	return x;
}

static struct naive write_literal_list(struct author *a, int depth)
{
	struct naive list = {.kind = NAIVE_LIST};
	bool bad = false;
	int64_t count = any(a, 4);

	/* An empty literal has elements of any type, and the first overload would choose it. */
	if (count == 0) {
		write_z(&a->out, "numbers.slice(0, 0)");
		return list;
	}
	write_char(&a->out, '[');
	for (int64_t i = 0; i < count; i++) {
		struct naive item;

		write_z(&a->out, i > 0 ? ", " : "");
		item = write_expr(a, NAIVE_INT, depth);
		bad = bad || item.kind == NAIVE_ERROR;
		list.items[i] = item.number;
	}
	write_char(&a->out, ']');
	list.number = count;
	return bad ? naive_error() : list;
}

/*
 * A macro whose body is written once and worked out for each element: the writer goes back to
 * where the body began, and the same choices are made again.
 */
static struct naive write_loop(struct author *a, const char *macro, int depth)
{
	bool predicate = strcmp(macro, "map") != 0;
	struct naive list = write_expr(a, NAIVE_LIST, depth);
	struct naive made = {.kind = NAIVE_LIST};
	int64_t rounds = list.kind == NAIVE_ERROR || list.number == 0 ? 1 : list.number;
	int64_t found = 0;
	bool bad = false;
	size_t begin;
	uint64_t seed;

	write_format(&a->out, ".%s(v%d, ", macro, a->count);
	begin = a->out.used;
	seed = a->seed;
	a->count++;
	for (int64_t i = 0; i < rounds; i++) {
		struct naive body;

		a->out.used = begin;
		a->seed = seed;
		a->names[a->count - 1] = list.items[i];
		a->broken[a->count - 1] = false;
		body = write_expr(a, predicate ? NAIVE_BOOL : NAIVE_INT, depth);
		if (list.kind == NAIVE_ERROR || list.number == 0)
			continue;
		bad = bad || body.kind == NAIVE_ERROR;
		found += body.kind == NAIVE_BOOL && body.number;
		made.items[i] = body.number;
		if (strcmp(macro, "filter") == 0 && body.kind == NAIVE_BOOL && body.number)
			made.items[found - 1] = list.items[i];
		/* What is absorbed is kept apart: -1 for an error. */
		if (predicate && strcmp(macro, "filter") != 0)
			made.items[i] = body.kind == NAIVE_ERROR ? -1 : body.number;
	}
	a->count--;
	write_char(&a->out, ')');
	if (list.kind == NAIVE_ERROR)
		return list;
	made.number = strcmp(macro, "filter") == 0 ? found : list.number;
	if (strcmp(macro, "map") == 0 || strcmp(macro, "filter") == 0)
		return bad ? naive_error() : made;
	if (strcmp(macro, "exists_one") == 0)
		return bad ? naive_error() : naive_of(found == 1, NAIVE_BOOL);
	for (int64_t i = 0; i < list.number; i++)
		if (made.items[i] == (strcmp(macro, "exists") == 0))
			return naive_of(made.items[i], NAIVE_BOOL);
	return bad ? naive_error() : naive_of(strcmp(macro, "all") == 0, NAIVE_BOOL);
}

static struct naive write_list(struct author *a, int depth)
{
	struct naive x;
	struct naive y;

	switch (depth == 0 ? 0 : any(a, 5)) {
	case 1: return write_loop(a, "map", depth - 1);
	case 2: return write_loop(a, "filter", depth - 1);
	case 3: return write_choice(a, NAIVE_LIST, depth - 1);
	case 4:
		write_char(&a->out, '(');
		x = write_expr(a, NAIVE_LIST, depth - 1);
		write_z(&a->out, " + ");
		y = write_expr(a, NAIVE_LIST, depth - 1);
		write_char(&a->out, ')');
		if (is_bad(&x, &y))
			return naive_error();
		/* The naive one holds little: what would be longer is left out by the caller. */
		for (int64_t i = 0; i < y.number && x.number < ITEMS_MAX; i++)
			x.items[x.number++] = y.items[i];
		return x;
	default: return write_literal_list(a, depth == 0 ? 0 : depth - 1);
	}
}

/* ---- truth ---- */

static struct naive write_comparison(struct author *a, int depth)
{
	static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
	uint32_t sign = any(a, ARRAY_COUNT(signs));
	enum naive_kind kind = any(a, 2) ? NAIVE_INT : NAIVE_TEXT;
	struct naive x;
	struct naive y;
	int order;

	write_char(&a->out, '(');
	x = write_expr(a, kind, depth);
	write_format(&a->out, " %s ", signs[sign]);
	y = write_expr(a, kind, depth);
	write_char(&a->out, ')');
	if (is_bad(&x, &y))
		return naive_error();
	order = kind == NAIVE_TEXT ? strcmp(x.text, y.text)
				   : (x.number > y.number) - (x.number < y.number);
	switch (sign) {
	case 0: return naive_of(order == 0, NAIVE_BOOL);
	case 1: return naive_of(order != 0, NAIVE_BOOL);
	case 2: return naive_of(order < 0, NAIVE_BOOL);
	case 3: return naive_of(order <= 0, NAIVE_BOOL);
	case 4: return naive_of(order > 0, NAIVE_BOOL);
	default: return naive_of(order >= 0, NAIVE_BOOL);
	}
}

static struct naive write_logic(struct author *a, int depth)
{
	bool is_or = any(a, 2);
	struct naive x;
	struct naive y;

	write_char(&a->out, '(');
	x = write_expr(a, NAIVE_BOOL, depth);
	write_z(&a->out, is_or ? " || " : " && ");
	y = write_expr(a, NAIVE_BOOL, depth);
	write_char(&a->out, ')');
	if ((x.kind == NAIVE_BOOL && x.number == is_or) ||
		(y.kind == NAIVE_BOOL && y.number == is_or))
		return naive_of(is_or, NAIVE_BOOL);
	return is_bad(&x, &y) ? naive_error() : naive_of(!is_or, NAIVE_BOOL);
}

static struct naive write_in(struct author *a, int depth)
{
	struct naive x;
	struct naive list;

	write_char(&a->out, '(');
	x = write_expr(a, NAIVE_INT, depth);
	write_z(&a->out, " in ");
	list = write_expr(a, NAIVE_LIST, depth);
	write_char(&a->out, ')');
	if (is_bad(&x, &list))
		return naive_error();
	for (int64_t i = 0; i < list.number; i++)
		if (list.items[i] == x.number)
			return naive_of(1, NAIVE_BOOL);
	return naive_of(0, NAIVE_BOOL);
}

static struct naive write_bool(struct author *a, int depth)
{
	struct naive x;
	struct naive y;

	switch (any(a, 10)) {
	case 0:
		write_z(&a->out, "!(");
		x = write_expr(a, NAIVE_BOOL, depth);
		write_char(&a->out, ')');
		return x.kind == NAIVE_ERROR ? x : naive_of(!x.number, NAIVE_BOOL);
	case 1: return write_loop(a, "all", depth);
	case 2: return write_loop(a, "exists", depth);
	case 3: return write_loop(a, "exists_one", depth);
	case 4: return write_in(a, depth);
	case 5: return write_bind(a, NAIVE_BOOL, depth);
	case 6:
		x = write_expr(a, NAIVE_TEXT, depth);
		write_z(&a->out, ".contains(");
		y = write_expr(a, NAIVE_TEXT, depth);
		write_char(&a->out, ')');
		return is_bad(&x, &y) ? naive_error()
				      : naive_of(strstr(x.text, y.text) != NULL, NAIVE_BOOL);
	case 7: return write_comparison(a, depth);
	default: return write_logic(a, depth);
	}
}

static struct naive write_expr(struct author *a, enum naive_kind kind, int depth)
{
	bool truth;

	if (kind == NAIVE_TEXT)
		return write_text_expr(a, depth);
	if (kind == NAIVE_LIST)
		return write_list(a, depth);
	if (depth > 0 && a->count < NAMES_MAX - 1)
		return kind == NAIVE_INT ? write_int(a, depth - 1) : write_bool(a, depth - 1);
	if (kind == NAIVE_INT)
		return any(a, 2) ? write_name(a) : write_number(a);
	truth = any(a, 2);
	write_z(&a->out, truth ? "true" : "false");
	return naive_of(truth, NAIVE_BOOL);
}

static void print_naive(const struct naive *v, struct writer *out)
{
	switch (v->kind) {
	case NAIVE_ERROR: write_z(out, "error"); break;
	case NAIVE_INT: write_i64(out, v->number); break;
	case NAIVE_BOOL: write_z(out, v->number ? "true" : "false"); break;
	case NAIVE_TEXT: write_format(out, "\"%s\"", v->text); break;
	case NAIVE_LIST:
		write_char(out, '[');
		for (int64_t i = 0; i < v->number; i++) {
			write_z(out, i > 0 ? ", " : "");
			write_i64(out, v->items[i]);
		}
		write_char(out, ']');
	}
}

static void test_random_expressions_then_they_give_what_the_naive_evaluator_gives(void)
{
	static char source[64 * 1024];
	static char expected[2048];
	uint32_t errors = 0;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct author a = {.seed = round * 7919 + 1};
		enum naive_kind kind = (enum naive_kind)(NAIVE_INT + round % 4);
		struct naive value;
		struct writer out;
		uint64_t cost;
		const char *found;

		writer_init(&a.out, source, sizeof(source) - 1);
		value = write_expr(&a, kind, DEPTH);
		if (a.out.overflowed || a.out.used > CEL_SOURCE_MAX / 8 ||
			(value.kind == NAIVE_LIST && value.number >= ITEMS_MAX))
			continue;
		source[a.out.used] = '\0';
		writer_init(&out, expected, sizeof(expected) - 1);
		print_naive(&value, &out);
		expected[out.used] = '\0';
		found = world_answer(&world, text_of(source), CEL_COST_MAX, &cost);
		errors += value.kind == NAIVE_ERROR;
		if (value.kind == NAIVE_ERROR ? strncmp(found, "error: ", 7) == 0
					      : strcmp(found, expected) == 0)
			continue;
		printf("round %u: %s\n  expected %s\n  found    %s\n", (unsigned)round, source,
			expected, found);
		TEST_FAIL();
	}
	TEST_ASSERT_TRUE(errors > ROUNDS / 20 && errors < ROUNDS / 2);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_random_expressions_then_they_give_what_the_naive_evaluator_gives);
	return UNITY_END();
}
